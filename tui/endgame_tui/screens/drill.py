"""Drill: one sitting against the table, in either game."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar, Final

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.events import Resize
from textual.geometry import Size

from endgame_core.controls import instruct
from endgame_core.errors import EndgameError, PositionError
from endgame_core.tasks.resume import DRILL, sitting_left
from endgame_core.tasks.training_session import Stage, TrainingSession
from endgame_core.values import Category
from endgame_core.words import drill as words
from endgame_core.words.game_report import SHALL_I_SHOW
from endgame_core.words.glossary import speech_of
from endgame_core.words.text_model import TextRow, fitted
from endgame_tui.faces import SMALL, Label, PositionView
from endgame_tui.look import Look
from endgame_tui.screens.base import BoardScreen, Request, beside
from endgame_tui.widgets.ask import Choice
from endgame_tui.widgets.bars import WIDE, Key
from endgame_tui.widgets.board import MoveBoard
from endgame_tui.widgets.lines import Lines
from endgame_tui.widgets.score import ScorePanel


class DrillView(Vertical):
    """Shows a sitting.

    Args:
        board: The board.
        id: DOM id.
    """

    def __init__(self, board: MoveBoard, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.board = board

    def compose(self) -> ComposeResult:
        """The board with panels beside it, a comment below."""
        score = ScorePanel(id="score")
        score.can_focus = False
        with Horizontal(id="main"):
            yield self.board
            with Vertical(id="panels"):
                for name in ("title", "ticks", "facts"):
                    yield Lines(id=name)
                yield score
                yield Lines(id="asked")
                yield Lines(id="summary")
        yield Lines(id="comment")

    def fit(self, size: Size, look: Look) -> bool:
        """The comment has two rows, or what the board leaves, on small screens all below the board.

        Returns:
            Whether a row is left that can be kept free for what is said.
        """
        width, height = size
        scale, _ = self.board.face.scale(size, look.palette.coloured and look.glyphs.unicode)
        high = height - 2 - (height >= 30)
        room = high - scale.rows - 1
        kept = room > 2 and height >= 24 and width >= SMALL
        rows = high - max(min(2, room), 1) - kept
        self.query_one("#main").styles.height = rows if width >= SMALL else scale.rows + 1
        return kept

    def show(self, sitting: TrainingSession) -> None:
        """Shows the drill as it stands."""
        stage = sitting.stage
        panels = "summary" if stage is Stage.SUMMARY else "drill" if sitting.drill is not None else "question"
        for name in ("summary", "drill", "question"):
            self.screen.set_class(name == panels, f"-{name}")
        self.board.can_focus = stage is Stage.DRILL
        self.show_board(sitting)
        if stage is Stage.SUMMARY:
            self._put("summary", lambda size: words.summary(sitting, size.height))
            self._put("comment", lambda _: ())
            return
        self._put("ticks", lambda size: words.ticks(sitting, size.width))
        self._put("facts", lambda size: words.facts(sitting, size.width))
        self.query_one("#facts").styles.height = max(5, len(words.facts(sitting, 0)) + 1)
        self._put("asked", lambda size: words.asked(sitting, size.width))
        self._put("comment", lambda size: fitted(words.comment(sitting, size.height), *size))
        self._show_score(sitting)

    def _show_score(self, sitting: TrainingSession) -> None:
        """Shows the moves, and the one that is looked at."""
        if sitting.drill is None:
            return
        match = sitting.drill.match
        prompt = None if self.screen.has_class("-narrow") else words.prompt(sitting)
        cursor = sitting.review.at - 1 if sitting.review is not None and sitting.review.at else None
        white = match.you == "white"
        self.query_one(ScorePanel).show(words.score(sitting), cursor, white, True, "Your moves", prompt)

    def _put(self, name: str, notes: Callable[[Size], tuple[TextRow, ...]]) -> None:
        self.query_one(f"#{name}", Lines).show(notes)

    def show_clock(self, sitting: TrainingSession) -> None:
        """Shows what is drilled, and how long it has taken."""
        if sitting.stage is not Stage.SUMMARY:
            self._put("title", lambda _: (words.title(sitting),))

    def show_board(self, sitting: TrainingSession) -> None:
        """Shows the position, the last move, the hint; the cursor stays where a man is that can move."""
        board = self.board
        position, drilling = sitting.position, sitting.stage is Stage.DRILL
        board.refusal = sitting.why_no_move
        if position is None:
            board.show(None)
            return
        moves = sitting.game.moves(position) if drilling and not board.refusal else ()
        rated: list[tuple[Any, Label]] = []
        named: tuple[int, ...] = ()
        given = sitting.drill.match.given if sitting.drill is not None else None
        if given is not None and given.step == 2 and drilling:
            rated = [(given.move, Label(board.look.glyphs.check, True))]
            named = tuple(getattr(given.move, "taken", ()))
        cursor, other = board.cursor, board.position not in (None, position)
        view = PositionView(
            0 if drilling else None, last=sitting.last_move, rated=rated, idle=not drilling, named=named
        )
        board.show(position, moves, view)
        if other and moves and (sources := {board.face.ends(move)[0] for move in moves}) != {None}:
            board.cursor = cursor if cursor in sources else board.face.first(position, moves)
            board.repaint()


class Drilling:
    """One sitting after the other of the same order.

    Args:
        make: Makes a sitting.
        screen: Where it is asked and said.
        view: Where it is shown.
    """

    def __init__(self, make: Callable[[], TrainingSession], screen: BoardScreen, view: DrillView) -> None:
        self._make, self.screen, self.view = make, screen, view
        self._sitting: TrainingSession | None = None

    @property
    def sitting(self) -> TrainingSession:
        """The drills and what became of them."""
        assert self._sitting is not None
        return self._sitting

    @property
    def stage(self) -> str:
        """How far it has come, as keys are told: besides the stages ``streak`` and ``answered``."""
        sitting = self._sitting
        if sitting is None:
            return "summary"
        if sitting.stage is Stage.OVER and sitting.drill is None:
            return "answered"
        return "streak" if sitting.stage is Stage.DRILL and sitting.streak is not None else sitting.stage.value

    @property
    def leaving_fails(self) -> bool:
        """Whether a drill under way counts as not solved when it is left now."""
        return self._sitting is not None and self._sitting.leaving_fails

    def end(self) -> None:
        """The app ends: a drill under way waits for the next start, or is given up."""
        if self._sitting is not None and not self.waits:
            self._sitting.leave()
        elif self._sitting is not None and (drill := self._sitting.drill) is not None and drill.outcome is None:
            drill.recorder.leave()

    @property
    def waits(self) -> bool:
        """Whether the sitting is gone on with at the next start, when the app ends now."""
        return (
            self.screen.host.memory.is_persistent
            and self._sitting is not None
            and sitting_left(self._sitting) is not None
        )

    def begin(self) -> None:
        """Begins a sitting, or goes on with one; where nothing can be drilled, it is over at once."""
        try:
            self._sitting = self._make()
        except EndgameError as problem:
            self.screen.dismiss(problem)
            return
        self._rest() if self._sitting.number else self._enter(self._sitting.next)

    def tick(self) -> None:
        """The clock goes on; a streak ends with its time."""
        if self.sitting.tick():
            self._rest()
            self.screen.say(words.TIME_IS_UP)
        elif self.sitting.stage not in (Stage.OVER, Stage.SUMMARY):
            self.show_clock()

    def show_clock(self) -> None:
        """Shows what is drilled, and how long it has taken."""
        sitting = self.sitting
        narrow = self.screen.has_class("-narrow")
        self.screen.crumbs(*words.crumbs(sitting, narrow), named=False, right=(words.clock(sitting), "text"))
        self.view.show_clock(sitting)

    def _enter(self, begin: Callable[[], str]) -> None:
        """Goes on to a drill, this way or that; where nothing can be drilled, back to the list, which says why."""
        sitting = self.sitting
        self.screen.board.pick(None)
        try:
            told = begin()
        except EndgameError as problem:
            self.screen.dismiss(problem)
            return
        self.screen.say()
        if sitting.stage is not Stage.SUMMARY:
            self.screen.board.flipped = sitting.learner == "black"
            self.view.show_board(sitting)
            self.screen.board.put_cursor()
        self._rest()
        if told:
            self.screen.say(told)

    def _rest(self) -> None:
        """After every act: shows where the sitting has come to, and lets the defender reply."""
        sitting = self.sitting
        if self.screen.host.memory.is_persistent and sitting.streak is None:
            self.screen.host.memory.note(sitting_left(sitting), "left", DRILL)
        if sitting.stage is Stage.SUMMARY and not sitting.counted:
            self.screen.dismiss()
            return
        if (find := sitting.wanted_reply()) is not None:
            beside(self.screen, find, partial(self._reply, sitting.position), "reply")
        self.screen.show()
        if (trouble := sitting.take_trouble()) is not None:
            self.screen.complain(trouble)
        if notice := sitting.journal.take_notice():
            self.screen.say(notice, "loss")

    def _reply(self, position: Any, move: Any) -> None:
        if self.sitting.position is position and self.sitting.wanted_reply() is not None:
            self._act(lambda: self.sitting.play(move))

    def _act(self, act: Callable[[], str | None]) -> bool:
        """Does something to the drill; False when it could not be done."""
        try:
            told = act()
        except EndgameError as problem:
            self.screen.show()
            self.screen.complain(problem)
            return False
        self._rest()
        if told:
            self.screen.say(told)
        return not told

    def _answer(self, act: Callable[[], None]) -> None:
        """A move or an answer; in a streak the next item follows at once."""
        sitting = self.sitting
        self.screen.say()
        self.screen.board.pick(None)
        if self._act(act) and sitting.flows_on:
            told = words.passed(sitting)
            self._enter(sitting.next)
            self.screen.say(told, "win")

    def make(self, move: Any) -> None:
        """The learner moves."""
        self._answer(lambda: self.sitting.play(move))

    def hint(self) -> None:
        """Gives the next step of a hint: the man is picked up, then the cursor goes where it is to go."""
        self.screen.say()
        drill = self.sitting.drill
        if self._act(self.sitting.hint) and drill is not None and (given := drill.match.given) is not None:
            source, target = self.screen.face.ends(given.move)
            self.screen.board.pick(source, target if given.step == 2 or source is None else source)

    def take_back(self) -> None:
        """Takes the learner's last move back."""
        self.screen.say()
        self.screen.board.pick(None)
        self._act(self.sitting.take_back)

    def show_me(self) -> None:
        """Gives up, after a question, and shows the best line; in a question it says: a win."""
        sitting = self.sitting
        if sitting.stage in (Stage.QUESTION, Stage.DECIDES):
            self.call("win")
        elif sitting.stage is Stage.OVER and sitting.drill is not None:
            sitting.shows_line = not sitting.shows_line and sitting.has_better
            self.screen.show()
            if not sitting.has_better:
                self.screen.say(words.NOTHING_BETTER)
        elif sitting.stage is Stage.DRILL:
            self.screen.ask.question(SHALL_I_SHOW, Choice("enter", "show me", self._show_me))

    def _show_me(self) -> None:
        self.screen.board.pick(None)
        if self.sitting.stage is Stage.DRILL and self._act(self.sitting.show):
            self.screen.say(instruct(words.SHOWN))

    def type(self) -> None:
        """Asks for a move."""
        if self.sitting.stage is Stage.DRILL:
            self.screen.ask.text(":", f"a move: {speech_of(self.sitting.game.name).moves}", self._typed)
        else:
            self.screen.say(words.NO_MOVE)

    def _typed(self, text: str) -> None:
        sitting, board = self.sitting, self.screen.board
        if sitting.drill is None or sitting.why_no_move:
            raise PositionError("it is not your move", "wait for the reply")
        if board.begin(text):
            return
        if promotions := self.screen.face.typed(sitting.position, text):
            self.screen.say()
            self.screen.promote(promotions)
        else:
            self.make(sitting.game.parse_move(sitting.position, text))

    def call(self, result: str) -> None:
        """Says what the result is."""
        self._answer(lambda: self.sitting.call(Category(result)))

    def decides(self, decides: bool) -> None:
        """Says whether the move decides."""
        if self.sitting.stage is Stage.DECIDES:
            self._answer(lambda: self.sitting.decide(decides))

    def next(self) -> None:
        """The next drill; back to the list after the last."""
        sitting = self.sitting
        if sitting.stage is Stage.SUMMARY:
            self.screen.dismiss()
        elif sitting.task.outcome is not None:
            self._enter(sitting.next)

    def no(self) -> None:
        """Says that the move does not decide; elsewhere the next drill."""
        if self.sitting.stage is Stage.DECIDES:
            self.decides(False)
        else:
            self.next()

    def again(self) -> None:
        """Drills another start of the same kind; after the last drill, all of it."""
        sitting = self.sitting
        if sitting.stage is Stage.SUMMARY:
            self.begin()
        elif sitting.task.outcome is None and not sitting.offers_copy:
            self.screen.say(instruct(words.NOT_YET))
        elif sitting.can_retry:
            self.take_back()
        else:
            self._enter(sitting.again)

    def leave(self) -> None:
        """Puts the man down, or leaves: a drill under way counts as not solved once a move was made."""
        sitting = self.sitting
        self.screen.say()
        if sitting.stage is Stage.SUMMARY:
            self.screen.dismiss()
        elif sitting.leaving_fails and not self.screen.board.unpick():
            self.screen.ask.question(words.SHALL_I_LEAVE, Choice("enter", "leave", self._leave))
        elif not sitting.leaving_fails and not self.screen.board.unpick():
            self._leave()

    def _leave(self) -> None:
        self.sitting.leave()
        self._rest()

    def step(self, plies: int) -> None:
        """Steps through the drill that is over."""
        if self.sitting.step(plies):
            self.screen.say()
            self.screen.show()

    def home(self) -> None:
        """The keys go to the board again."""
        self.screen.set_focus(self.screen.board if self.sitting.stage is Stage.DRILL else None)

    def send(self) -> None:
        """Shows the position in Explore, once it can no longer help."""
        sitting = self.sitting
        if sitting.stage in (Stage.DRILL, Stage.QUESTION, Stage.DECIDES):
            self.screen.say(instruct(words.NOT_YET))
        else:
            request = Request(sitting.game.name, sitting.game.format(sitting.position))
            self.screen.call_later(self.screen.host.open, "explore", request)

    def copy(self) -> None:
        """Copies the position as text."""
        text = self.sitting.game.format(self.sitting.position)
        self.screen.app.copy_to_clipboard(text)
        self.screen.say(f"copied: {text}")

    def look_at(self, plies: int) -> None:
        """Looks at the position after so many plies."""
        if self.sitting.stage is Stage.OVER:
            self.sitting.look_at(plies)
            self.screen.say()
            self.screen.show()


_PLAYED: Final = {
    "board.choose": "pick, drop", "drill.hint": "hint", "drill.take-back": "take back (counts)||back",
    "drill.again": "another start|another", "drill.show-me": "show me||show", "drill.type": "type a move|type",
    "drill.flip": "flip", "drill.leave": "leave",
}  # fmt: skip
_LABELS: Final[dict[str, dict[str, str]]] = {
    "drill": _PLAYED,
    "streak": {key: _PLAYED[key] for key in ("board.choose", "drill.type", "drill.flip", "drill.leave")},
    "question": {
        "drill.show-me": "a win||win", "drill.draw": "a draw||draw", "drill.loss": "a loss||loss", "drill.flip": "flip",
        "drill.leave": "leave",
    },
    "decides": {
        "drill.decides": "the move decides||decides", "drill.no": "the same, whoever moves||the same",
        "drill.show-me": "change the answer|-", "drill.draw": "change the answer|-",
        "drill.loss": "change the answer|-",
        "drill.leave": "leave",
    },
    "over": {
        "drill.next": "next", "drill.again": "again", "drill.left": "step through|step",
        "drill.right": "step through|step", "drill.take-back": "take back, try again|try again|back",
        "drill.show-me": "show me", "drill.send": "look in Explore|Explore", "drill.leave": "leave",
    },
    "answered": {
        "drill.next": "next", "drill.again": "again", "drill.send": "look in Explore", "board.add": "keep the position",
        "drill.leave": "leave",
    },
    "summary": {
        "drill.next": "to the list", "drill.again": "all of it again||again", "app.progress": "progress",
    },
}  # fmt: skip
"""What the last row calls the keys at each stage: on wide screens, on normal and on small ones where that differs."""


class DrillScreen(BoardScreen):
    """The drills of a sitting, one after the other.

    Dismissed with None, with what another screen wants in its place, or with the reason why nothing can be drilled.

    Args:
        game: The game.
        make: Makes a sitting; once more when all of it is to be drilled again.
    """

    TASK = "practise"
    READ = "#comment, #summary"
    CSS_PATH = "drill.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Key("enter", "do('next')", "Next drill", id="drill.next", rank=1),
        Key("r", "do('again')", "Retry, or get a new position", id="drill.again", rank=1),
        Key("y", "do('decides', True)", "Question: yes, it matters", id="drill.decides", rank=1),
        Key("n", "do('no')", "Question: no; next drill", id="drill.no", rank=1),
        Key("left", "do('step', -1)", "Afterwards: previous move", id="drill.left"),
        Key("right", "do('step', 1)", "Afterwards: next move", id="drill.right"),
        Key("home", "do('step', -9999)", "Afterwards: first move", id="drill.home"),
        Key("end", "do('step', 9999)", "Afterwards: last move", id="drill.end"),
        Key("i", "do('hint')", "Hint: idea, piece, move", id="drill.hint", rank=1),
        Key("u", "do('take_back')", "Take back; lowers the rating", id="drill.take-back", rank=1),
        Key("w", "do('show_me')", "Solution; in a question: win", id="drill.show-me", rank=1, priority=True),
        Key("d", "do('call', 'draw')", "Question: draw", id="drill.draw", rank=1),
        Key("l", "do('call', 'loss')", "Question: loss", id="drill.loss", rank=1),
        Key("colon", "do('type')", "Type a move", id="drill.type", priority=True, typing=True),
        Key("s", "do('send')", "Open in Explore", id="drill.send"),
        Key("f", "flip", "Flip the board", id="drill.flip", rank=3),
        Key("c", "do('copy')", "Copy the FEN", id="drill.copy"),
        Key("tab,shift+tab", "do('home')", "Return to the board", id="drill.home-panel", priority=True),
        Key("escape", "do('leave')", "Leave the drill", id="drill.leave"),
    ]

    def __init__(self, game: str, make: Callable[[], TrainingSession]) -> None:
        self._game = game
        super().__init__()
        self.view = DrillView(self.board, id="drill")
        self.drilling = Drilling(make, self, self.view)
        self._offered: tuple[str, bool, bool, bool, bool] = ("", False, False, False, False)

    @property
    def game(self) -> str:
        """The game of the sitting, whichever is at hand elsewhere."""
        return self._game

    def game_changed(self) -> None:
        """A sitting is of one game."""
        self.host.game = self._game
        self._seen = self._game, self._seen[1]
        self.say(instruct(words.ONE_SITTING))

    @property
    def learner(self) -> str | None:
        """The side that is drilled."""
        return self.drilling.sitting.learner

    def body(self) -> ComposeResult:
        """The board and what stands around it."""
        yield self.view

    def on_mount(self) -> None:
        """Begins the first drill."""
        self.set_interval(1.0, self.drilling.tick, name="clock")
        self.drilling.begin()

    def on_unmount(self) -> None:
        """The app ends."""
        self.drilling.end()

    @on(Resize)
    def _fit(self) -> None:
        """Where rows are plenty, one is kept free for what is said."""
        self.strip.kept = self.view.fit(self.size, self.look)
        self.strip.follow(self.jobs.job)

    def at_stake(self) -> str:
        """A drill that would count as not solved."""
        if not self.drilling.leaving_fails:
            return ""
        return "this drill waits for the next start" if self.drilling.waits else "this drill counts as not solved"

    def receive(self, request: Request) -> None:
        """Another screen wants a drill: it has to wait until this sitting is over."""
        if self.drilling.stage == "summary":
            self.dismiss(request)
        else:
            self.say(instruct(words.ONE_SITTING))

    def show(self) -> None:
        """Shows the drill as it stands; the board has the focus while moves are made."""
        sitting = self.drilling.sitting
        self.view.show(sitting)
        self.drilling.show_clock()
        stage, before = self.drilling.stage, self._offered
        self._offered = (
            stage, sitting.can_take_back, sitting.has_better, sitting.offers_copy, sitting.can_retry
        )  # fmt: skip
        if before[0] != stage and not self.ask.is_open:
            self.set_focus(self.board if sitting.stage is Stage.DRILL else None)
        if before != self._offered:
            self.refresh_bindings()

    def label(self, key: Key) -> str:
        """What a key is called at this stage; nothing where it would be refused."""
        stage, can_take_back, has_better, offers_copy, can_retry = self._offered
        if stage == "over" and key.id == "drill.again" and can_retry:
            return "retry"
        if key.id == "drill.take-back" and not can_take_back:
            return ""
        if stage == "drill" and key.id == "drill.again" and not offers_copy:
            return ""
        if stage == "over" and key.id == "drill.show-me" and not has_better:
            return ""
        if self.board.hand.is_taking and key.id in ("board.choose", "drill.leave"):
            return "take" if key.id == "board.choose" else "other move"
        wide, *shorter = _LABELS[self.drilling.stage].get(key.id or "", "").split("|")
        for room, words_ in zip(("-normal", "-narrow"), shorter, strict=False):
            if words_ and self.size.width < WIDE and (room == "-normal" or self.has_class(room)):
                wide = words_
        return wide.strip("-")

    def touched(self) -> None:
        """Something was chosen by hand: what is still to be chosen is said."""
        self.say(instruct(words.TAKE) if self.board.hand.is_taking else "")
        self.refresh_bindings()

    def move_made(self, move: Any) -> None:
        """The learner moves."""
        self.drilling.make(move)

    @on(ScorePanel.Chosen)
    def _ply_chosen(self, event: ScorePanel.Chosen) -> None:
        self.drilling.look_at(event.key + 1)

    def action_do(self, what: str, *args: Any) -> None:
        """What one does in a drill, and after it."""
        getattr(self.drilling, what)(*args)

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
from textual.widget import Widget

from endgame_core.errors import EndgameError, PositionError
from endgame_core.tasks.sitting import Sitting, Stage, Wanted
from endgame_core.values import Category
from endgame_core.words import drill as words
from endgame_core.words.speech import speech_of
from endgame_core.words.told import Note, fitted
from endgame_tui.faces import SMALL, View
from endgame_tui.host import Request
from endgame_tui.screens.base import BoardScreen
from endgame_tui.widgets.ask import Choice
from endgame_tui.widgets.bars import Key
from endgame_tui.widgets.board import Label
from endgame_tui.widgets.lines import Lines
from endgame_tui.widgets.score import ScorePanel, ScoreView

_PLAYED: Final = {
    "board.choose": "pick, drop", "drill.hint": "hint", "drill.take-back": "take back (counts)||back",
    "drill.show-me": "show me||show", "drill.type": "type a move|type", "drill.flip": "flip", "drill.leave": "leave",
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
        begin: Begins a sitting; once more when all of it is to be drilled again.
    """

    TASK = "practise"
    CSS_PATH = "drill.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Key("enter", "next", "Next drill", id="drill.next", rank=1),
        Key("r", "again", "Again, another random copy", id="drill.again", rank=1),
        Key("y", "decides(True)", "Question: the move decides", id="drill.decides", rank=1),
        Key("n", "no", "It does not; or next drill", id="drill.no", rank=1),
        Key("left", "step(-1)", "Afterwards: move before", id="drill.left"),
        Key("right", "step(1)", "Afterwards: move after", id="drill.right"),
        Key("home", "step(-9999)", "Afterwards: to the start", id="drill.home"),
        Key("end", "step(9999)", "Afterwards: to the end", id="drill.end"),
        Key("i", "hint", "Hint: first man, then move", id="drill.hint", rank=1),
        Key("u", "take_back", "Take back (it counts)", id="drill.take-back", rank=1),
        Key("w", "show_me", "Show me; question: a win", id="drill.show-me", rank=1, priority=True),
        Key("d", "call('draw')", "Question: a draw", id="drill.draw", rank=1),
        Key("l", "call('loss')", "Question: a loss", id="drill.loss", rank=1),
        Key("colon", "type", "Type a move", id="drill.type", priority=True, typing=True),
        Key("s", "send", "See it in Explore", id="drill.send"),
        Key("f", "flip", "Turn the board", id="drill.flip", rank=3),
        Key("c", "copy", "Copy the FEN", id="drill.copy"),
        Key("tab,shift+tab", "home", "To the board", id="drill.home-panel", priority=True),
        Key("escape", "leave", "Leave the drill", id="drill.leave"),
    ]

    def __init__(self, game: str, begin: Callable[[], Sitting]) -> None:
        self._game = game
        super().__init__()
        self._begin = begin
        self._sitting: Sitting | None = None
        self._stage: tuple[Stage, bool] | None = None

    @property
    def game(self) -> str:
        """The game of the sitting, whichever is at hand elsewhere."""
        return self._game

    def game_changed(self) -> None:
        """A sitting is of one game."""
        self.host.game = self._game
        self.say(words.ONE_SITTING)

    @property
    def sitting(self) -> Sitting:
        """The drills and what became of them."""
        assert self._sitting is not None
        return self._sitting

    @property
    def learner(self) -> str | None:
        """The side that is drilled."""
        return self.sitting.learner

    def body(self) -> ComposeResult:
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

    def on_mount(self) -> None:
        """Begins the first drill."""
        self.set_interval(1.0, self._tick, name="clock")
        self._begin_sitting()

    def on_unmount(self) -> None:
        """The app ends: a drill under way is given up."""
        if self._sitting is not None:
            self._sitting.leave()

    def receive(self, request: Request) -> None:
        """Another screen wants a drill: it has to wait until this sitting is over."""
        if self.sitting.stage is Stage.SUMMARY:
            self.dismiss(request)
        else:
            self.say(words.ONE_SITTING)

    def _begin_sitting(self) -> None:
        try:
            self._sitting = self._begin()
        except EndgameError as problem:
            self.dismiss(problem)
            return
        self._enter(self._sitting.next)

    def _tick(self) -> None:
        """The clock goes on; a streak ends with its time."""
        if self.sitting.tick():
            self._rest()
            self.say(words.TIME_IS_UP)
        elif self.sitting.stage not in (Stage.OVER, Stage.SUMMARY):
            self._show_clock()

    # What is shown

    @on(Resize)
    def _fit(self) -> None:
        """The comment has two rows, or what the board leaves; on small screens all below the board."""
        (width, height), look = self.size, self.look
        scale, _ = self.face.scale(self.size, look.palette.coloured and look.glyphs.unicode)
        high = height - 2 - (height >= 30)
        room = high - scale.rows - 1
        self.strip.kept = room > 2 and height >= 24 and width >= SMALL
        rows = high - max(min(2, room), 1) - self.strip.kept
        self.query_one("#main").styles.height = rows if width >= SMALL else scale.rows + 1
        self.strip.follow(self.jobs.job)

    def show(self) -> None:
        """Shows the drill as it stands."""
        sitting, stage = self.sitting, self.sitting.stage
        if self._stage != (stage, sitting.drill is None):
            self._stage = (stage, sitting.drill is None)
            self._change_stage(stage)
        self._show_board()
        self._show_clock()
        if stage is Stage.SUMMARY:
            self._put("summary", lambda size: words.summary(sitting, size.height))
            self._put("comment", lambda _: ())
            return
        self._put("ticks", lambda size: words.ticks(sitting, size.width))
        self._put("facts", lambda size: words.facts(sitting, size.width))
        self._put("asked", lambda size: words.asked(sitting, size.width))
        self._put("comment", lambda size: fitted(words.comment(sitting, *size), *size))
        self._show_score()

    def _show_score(self) -> None:
        """Shows the moves, and the one that is looked at."""
        sitting, match = self.sitting, self.sitting.drill and self.sitting.drill.match
        if match is None:
            return
        prompt = None if self.has_class("-narrow") else words.prompt(sitting)
        cursor = sitting.at - 1 if sitting.at else None
        white = match.you == "white"
        self.query_one(ScorePanel).view = ScoreView(words.score(sitting), cursor, white, "", True, "Your moves", prompt)

    def _put(self, name: str, notes: Callable[[Size], tuple[Note, ...]]) -> None:
        self.query_one(f"#{name}", Lines).show(notes)

    def _show_clock(self) -> None:
        """Shows what is drilled, and how long it has taken."""
        sitting = self.sitting
        self.crumbs(*words.crumbs(sitting), named=False, right=(words.clock(sitting), "text"))
        if sitting.stage is not Stage.SUMMARY:
            self._put("title", lambda _: (words.title(sitting),))

    def _show_board(self) -> None:
        """Shows the position, the last move, the hint; the cursor stays where a man is that can move."""
        sitting, board = self.sitting, self.board
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
            rated = [(given.move, Label(self.look.glyphs.check, True))]
            named = tuple(getattr(given.move, "taken", ()))
        cursor, other = board.cursor, board.position not in (None, position)
        view = View(0 if drilling else None, last=sitting.last_move, rated=rated, idle=not drilling, named=named)
        board.show(position, moves, view)
        if other and moves and (sources := {self.face.ends(move)[0] for move in moves}) != {None}:
            board.cursor = cursor if cursor in sources else self.face.first(position, moves)
            board.repaint()

    def _change_stage(self, stage: Stage) -> None:
        """Other panels, other keys; the board has the focus while moves are made."""
        panels = "summary" if stage is Stage.SUMMARY else "drill" if self.sitting.drill is not None else "question"
        for name in ("summary", "drill", "question"):
            self.set_class(name == panels, f"-{name}")
        self.board.can_focus = stage is Stage.DRILL
        if not self.ask.is_open:
            self.set_focus(self.board if stage is Stage.DRILL else None)
        self.refresh_bindings()

    def label(self, key: Key) -> str:
        """What a key is called at this stage."""
        sitting = self._sitting
        stage = "summary" if sitting is None else sitting.stage.value
        if sitting is not None and stage == "over" and sitting.drill is None:
            stage = "answered"
        if sitting is not None and stage == "drill" and sitting.streak is not None:
            stage = "streak"
        wide, *shorter = _LABELS[stage].get(key.id or "", "").split("|")
        for room, words_ in zip(("-normal", "-narrow"), shorter, strict=False):
            if words_ and not self.has_class("-wide") and (room == "-normal" or self.has_class(room)):
                wide = words_
        return wide.strip("-")

    # One drill after the other

    def _enter(self, begin: Callable[[], str]) -> None:
        """Goes on to a drill, this way or that; where nothing can be drilled, back to the list, which says why."""
        sitting = self.sitting
        self.board.pick(None)
        try:
            told = begin()
        except EndgameError as problem:
            self.dismiss(problem)
            return
        self.say()
        if sitting.stage is not Stage.SUMMARY:
            self.board.flipped = sitting.learner == "black"
            self._show_board()
            self.board.put_cursor()
        self._rest()
        if told:
            self.say(told)

    def _rest(self) -> None:
        """After every act: shows where the sitting has come to, and lets the defender reply."""
        sitting = self.sitting
        if sitting.stage is Stage.SUMMARY and not sitting.counted:
            self.dismiss()
            return
        if (wanted := sitting.wanted_reply()) is not None:
            self.run_worker(
                partial(self._find, wanted), name="reply", group="reply", thread=True, exit_on_error=False
            )  # fmt: skip
        self.show()
        if (trouble := sitting.take_trouble()) is not None:
            self.complain(trouble)
        if notice := sitting.journal.take_notice():
            self.say(notice, "loss")

    def _find(self, wanted: Wanted) -> None:
        """Finds the defender's move, in a thread."""
        try:
            found = wanted.find()
        except EndgameError as problem:
            self.app.call_from_thread(self.complain, problem)
        else:
            self.app.call_from_thread(self._reply, wanted, found)

    def _reply(self, wanted: Wanted, move: Any) -> None:
        if self.sitting.answers(wanted):
            self._act(lambda: self.sitting.answer(move))

    def _act(self, act: Callable[[], str | None]) -> bool:
        """Does something to the drill; False when it could not be done."""
        try:
            told = act()
        except EndgameError as problem:
            self.show()
            self.complain(problem)
            return False
        self._rest()
        if told:
            self.say(told)
        return not told

    # Moves and answers

    def touched(self) -> None:
        """Something was chosen by hand: what is still to be chosen is said."""
        self.say(words.TAKE if self.board.hand.is_taking else "")

    def move_made(self, move: Any) -> None:
        """The learner moves."""
        self._answer(lambda: self.sitting.play(move))

    def _answer(self, act: Callable[[], None]) -> None:
        """A move or an answer; in a streak the next item follows at once."""
        sitting = self.sitting
        self.say()
        self.board.pick(None)
        if self._act(act) and sitting.flows_on:
            told = words.passed(sitting, *self.query_one("#comment").size)
            self._enter(sitting.next)
            self.say(told, "win")

    def action_hint(self) -> None:
        """Gives the next step of a hint: the man is picked up, then the cursor goes where it is to go."""
        self.say()
        drill = self.sitting.drill
        if self._act(self.sitting.hint) and drill is not None and (given := drill.match.given) is not None:
            source, target = self.face.ends(given.move)
            self.board.pick(source, target if given.step == 2 or source is None else source)

    def action_take_back(self) -> None:
        """Takes the learner's last move back."""
        self.say()
        self.board.pick(None)
        self._act(self.sitting.take_back)

    def action_show_me(self) -> None:
        """Gives up, after a question, and shows the best line; in a question it says: a win."""
        sitting = self.sitting
        if sitting.stage in (Stage.QUESTION, Stage.DECIDES):
            self.action_call("win")
        elif sitting.stage is Stage.OVER and sitting.drill is not None:
            sitting.shows_line = not sitting.shows_line
            self.show()
        elif sitting.stage is Stage.DRILL:
            self.ask.question(words.SHALL_I_SHOW, Choice("enter", "Enter", "show me", self._show_me))

    def _show_me(self) -> None:
        self.board.pick(None)
        if self.sitting.stage is Stage.DRILL and self._act(self.sitting.show):
            self.say(words.SHOWN)

    def action_type(self) -> None:
        """Asks for a move."""
        if self.sitting.stage is Stage.DRILL:
            self.ask.text(":", f"a move: {speech_of(self.game).moves}", self._typed)
        else:
            self.say(words.NO_MOVE)

    def _typed(self, text: str) -> None:
        sitting, board = self.sitting, self.board
        if sitting.drill is None or sitting.why_no_move:
            raise PositionError("it is not your move", "wait for the reply")
        if not text:
            raise PositionError("nothing was typed", f"type a move such as {speech_of(self.game).moves}")
        if board.begin(text):
            return
        if promotions := self.face.typed(sitting.position, text):
            self.say()
            self.promote(promotions)
        else:
            self.move_made(sitting.game.parse_move(sitting.position, text))

    def action_call(self, result: str) -> None:
        """Says what the result is."""
        self._answer(lambda: self.sitting.call(Category(result)))

    def action_decides(self, decides: bool) -> None:
        """Says whether the move decides."""
        if self.sitting.stage is Stage.DECIDES:
            self._answer(lambda: self.sitting.decide(decides))

    # What comes next

    def action_next(self) -> None:
        """The next drill; back to the list after the last."""
        sitting = self.sitting
        if sitting.stage is Stage.SUMMARY:
            self.dismiss()
        elif sitting.task.outcome is not None:
            self._enter(sitting.next)

    def action_no(self) -> None:
        """Says that the move does not decide; elsewhere the next drill."""
        if self.sitting.stage is Stage.DECIDES:
            self.action_decides(False)
        else:
            self.action_next()

    def action_again(self) -> None:
        """Drills another copy of the same; after the last drill, all of it."""
        sitting = self.sitting
        if sitting.stage is Stage.SUMMARY:
            self._begin_sitting()
        elif sitting.task.outcome is None:
            self.say(words.NOT_YET)
        else:
            self._enter(sitting.again)

    def action_leave(self) -> None:
        """Puts the man down, or leaves: a drill under way counts as not solved once a move was made."""
        sitting = self.sitting
        self.say()
        if sitting.stage is Stage.SUMMARY:
            self.dismiss()
        elif sitting.leaving_fails and not self.board.unpick():
            self.ask.question(words.SHALL_I_LEAVE, Choice("enter", "Enter", "leave", self._leave))
        elif not sitting.leaving_fails and not self.board.unpick():
            self._leave()

    def _leave(self) -> None:
        self.sitting.leave()
        self._rest()

    # Looking at a drill

    @on(ScorePanel.Chosen)
    def _ply_chosen(self, event: ScorePanel.Chosen) -> None:
        if self.sitting.stage is Stage.OVER:
            self.sitting.look_at(event.ply + 1)
            self.say()
            self.show()

    def action_step(self, plies: int) -> None:
        """Steps through the drill that is over."""
        if self.sitting.step(plies):
            self.say()
            self.show()

    def action_home(self) -> None:
        """The keys go to the board again."""
        self.set_focus(self.board if self.sitting.stage is Stage.DRILL else None)

    def home(self) -> Widget:
        """The board; it takes the focus while moves are made."""
        return self.board

    async def action_send(self) -> None:
        """Shows the position in Explore, once it can no longer help."""
        sitting = self.sitting
        if sitting.stage in (Stage.DRILL, Stage.QUESTION, Stage.DECIDES):
            self.say(words.NOT_YET)
        else:
            await self.host.open("explore", Request(self._game, sitting.game.format(sitting.position)))

    def action_copy(self) -> None:
        """Copies the position as text."""
        text = self.sitting.game.format(self.sitting.position)
        self.app.copy_to_clipboard(text)
        self.say(f"copied: {text}")

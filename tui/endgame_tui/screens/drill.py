"""Drill: a training session against the table, in either game."""

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
from endgame_core.game import Game
from endgame_core.language import _, side_name
from endgame_core.tasks.resume import DRILL, sitting_left
from endgame_core.tasks.training_session import Stage, TrainingSession
from endgame_core.values import Category
from endgame_core.words import drill as words
from endgame_core.words.game_report import SHALL_I_SHOW
from endgame_core.words.glossary import speech_of
from endgame_core.words.lesson import NO_LESSON
from endgame_core.words.text_model import TextRow, fitted
from endgame_tui.faces import PANELS_MIN_WIDTH, Label, PositionView
from endgame_tui.keys import (
    COPY,
    EXPLORE_HERE,
    FIRST,
    FLIP,
    HINT,
    LAST,
    LEAVE,
    LESSON,
    PROMPT,
    SHOW,
    TAKE_BACK,
    Key,
)
from endgame_tui.look import Look
from endgame_tui.screens.base import BoardScreen, Request, run_in_thread
from endgame_tui.screens.lesson import LessonScreen
from endgame_tui.widgets.ask import Choice
from endgame_tui.widgets.bars import WIDE
from endgame_tui.widgets.board import MoveBoard
from endgame_tui.widgets.lines import Lines
from endgame_tui.widgets.score import ScorePanel

_UNLIMITED_ROWS: Final = 99


class DrillView(Vertical):
    """The body of the Drill screen: it draws a training session.

    Args:
        board: The board.
        id: DOM id.
    """

    def __init__(self, board: MoveBoard, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.board = board

    def compose(self) -> ComposeResult:
        """Yield the board, the panels beside it, and the comment below."""
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

    def fit(self, size: Size, look: Look, sitting: TrainingSession | None) -> bool:
        """Share the rows: the comment has two if the board leaves them, and more if it needs them and they are blank.

        On small screens it has all rows below the board.

        Returns:
            Whether a row remains that can be kept free for messages.
        """
        width, height = size
        scale, __ = self.board.face.board_layout(size, look.palette.has_colours and look.glyphs.unicode)
        is_small = width < PANELS_MIN_WIDTH
        body_rows = height - 2 - (height >= 30)
        free_rows = body_rows - scale.rows - 1
        keeps_row = free_rows > 2 and height >= 24 and not is_small
        comment_rows = max(min(2, free_rows), 1)
        main_rows = body_rows - comment_rows - keeps_row
        if sitting is not None and not is_small and free_rows >= 2:
            needed_rows = len(fitted(words.comment(sitting), width - 2, _UNLIMITED_ROWS))
            if needed_rows > comment_rows:
                main_rows = max(body_rows - needed_rows - keeps_row, scale.rows)
                keeps_row = keeps_row and main_rows + needed_rows < body_rows
        self.query_one("#main").styles.height = scale.rows + 1 if is_small else main_rows
        return keeps_row

    def show(self, sitting: TrainingSession) -> None:
        """Show the current drill, or the summary of the session."""
        stage = sitting.stage
        layout = "question" if sitting.drill is None else "drill"
        if stage is Stage.SUMMARY:
            layout = "summary"
        for name in ("summary", "drill", "question"):
            self.screen.set_class(name == layout, f"-{name}")
        self.board.can_focus = stage is Stage.DRILL
        self.show_board(sitting)
        if stage is Stage.SUMMARY:
            self._put("summary", lambda size: words.summary(sitting, size.height, size.width))
            self._put("comment", lambda __: ())
            return
        self._put("ticks", lambda size: words.ticks(sitting, size.width))
        self._put("facts", lambda size: words.facts(sitting, size.width))
        self.query_one("#facts").styles.height = max(5, len(words.facts(sitting, 0)) + 1)
        self._put("asked", lambda __: words.asked(sitting))
        self._put("comment", lambda size: fitted(words.comment(sitting, size.height), *size))
        self._show_score(sitting)

    def _show_score(self, sitting: TrainingSession) -> None:
        """Show the moves, with the cursor on the one under review."""
        if sitting.drill is None:
            return
        match = sitting.drill.match
        prompt = None if self.screen.has_class("-narrow") else words.prompt(sitting)
        cursor = None
        if sitting.review is not None and sitting.review.at:
            cursor = sitting.review.at - 1
        is_white = match.you == "white"
        self.query_one(ScorePanel).show(words.score(sitting), cursor, is_white, True, _("Your moves"), prompt)

    def _put(self, name: str, notes: Callable[[Size], tuple[TextRow, ...]]) -> None:
        self.query_one(f"#{name}", Lines).show(notes)

    def show_clock(self, sitting: TrainingSession) -> None:
        """Show the title of the drill, which contains its time."""
        if sitting.stage is not Stage.SUMMARY:
            self._put("title", lambda __: (words.title(sitting),))

    def show_board(self, sitting: TrainingSession) -> None:
        """Show the position, the last move and the hint; the cursor stays on a piece that can move."""
        board = self.board
        position = sitting.position
        is_playing = sitting.stage is Stage.DRILL
        board.refusal = sitting.why_no_move
        if position is None:
            board.show(None)
            return
        moves = sitting.game.moves(position) if is_playing and not board.refusal else ()
        rated: list[tuple[Any, Label]] = []
        hinted_takes: tuple[int, ...] = ()
        hint = sitting.drill.match.given if sitting.drill is not None else None
        if hint is not None and hint.step == 2 and is_playing:
            rated = [(hint.move, Label(board.look.glyphs.check, True))]
            hinted_takes = tuple(getattr(hint.move, "taken", ()))
        cursor = board.cursor
        has_changed = board.position not in (None, position)
        view = PositionView(
            cursor=0 if is_playing else None,
            last_move=sitting.last_move,
            rated_moves=rated,
            idle=not is_playing,
            hinted_points=hinted_takes,
        )
        board.show(position, moves, view)
        if has_changed and moves:
            sources = {board.face.endpoints(move)[0] for move in moves}
            if sources != {None}:  # None: stones that are placed from the hand
                board.cursor = cursor if cursor in sources else board.face.initial_cursor(position, moves)
                board.repaint()


class Drilling:
    """Runs training sessions of one plan, one after the other.

    Args:
        make: Makes a session.
        screen: The screen that shows messages and asks questions.
        view: The view that shows the session.
    """

    def __init__(self, make: Callable[[], TrainingSession], screen: BoardScreen, view: DrillView) -> None:
        self._make = make
        self.screen = screen
        self.view = view
        self._sitting: TrainingSession | None = None

    @property
    def current(self) -> TrainingSession | None:
        """The current session; None before it begins."""
        return self._sitting

    @property
    def sitting(self) -> TrainingSession:
        """The current session."""
        assert self._sitting is not None
        return self._sitting

    @property
    def stage(self) -> str:
        """The stage that decides what keys do: a value of ``Stage``, ``test``, or ``answered`` after a question."""
        sitting = self._sitting
        if sitting is None:
            return "summary"
        if sitting.stage is Stage.OVER and sitting.drill is None:
            return "answered"
        return "test" if sitting.stage is Stage.DRILL and sitting.is_test else sitting.stage.value

    @property
    def leaving_fails(self) -> bool:
        """Whether leaving now makes the current drill count as not solved."""
        return self._sitting is not None and self._sitting.leaving_fails

    def end(self) -> None:
        """Store the current drill as unfinished when the app ends, or give it up if it cannot be resumed."""
        if self._sitting is None:
            return
        drill = self._sitting.drill
        if not self.can_resume:
            self._sitting.leave()
        elif drill is not None and drill.outcome is None:
            drill.recorder.leave()

    @property
    def can_resume(self) -> bool:
        """Whether the session can be resumed after the app ends now."""
        return (
            self.screen.host.memory.is_persistent
            and self._sitting is not None
            and sitting_left(self._sitting) is not None
        )

    def begin(self) -> None:
        """Start or resume a session; close the screen if there is nothing to drill."""
        try:
            self._sitting = self._make()
        except EndgameError as problem:
            self.screen.dismiss(problem)
            return
        if self._sitting.number:  # a resumed session
            self._update()
        else:
            self._go_to_drill(self._sitting.next)

    def tick(self) -> None:
        """Update the clock every second; end a streak when its time is up."""
        if self.sitting.tick():
            self._update()
            self.screen.say(words.TIME_IS_UP)
        elif self.sitting.stage not in (Stage.OVER, Stage.SUMMARY):
            self.show_clock()

    def show_clock(self) -> None:
        """Show the progress of the session and its time."""
        sitting = self.sitting
        is_narrow = self.screen.has_class("-narrow")
        self.screen.crumbs(*words.crumbs(sitting, is_narrow), named=False, right=(words.clock(sitting), "text"))
        self.view.show_clock(sitting)

    def _go_to_drill(self, begin: Callable[[], str]) -> None:
        """Go to another drill.

        Args:
            begin: Begins the drill and returns a message. If it raises EndgameError there is nothing to drill: the
                screen is closed with the error, which the list of drills shows.
        """
        sitting = self.sitting
        self.screen.board.pick(None)
        try:
            message = begin()
        except EndgameError as problem:
            self.screen.dismiss(problem)
            return
        self.screen.say()
        if sitting.stage is not Stage.SUMMARY:
            self.screen.board.flipped = sitting.learner == "black"
            self.view.show_board(sitting)
            self.screen.board.reset_cursor()
        self._update()
        if message:
            self.screen.say(message)

    def _update(self) -> None:
        """Show and store the session after every change, and let the defender reply."""
        sitting = self.sitting
        if self.screen.host.memory.is_persistent and not sitting.is_test:
            self.screen.host.memory.note(sitting_left(sitting), "left", DRILL)
        if sitting.stage is Stage.SUMMARY and not sitting.counted:
            self.screen.dismiss()
            return
        find_reply = sitting.wanted_reply()
        if find_reply is not None:
            run_in_thread(self.screen, find_reply, partial(self._reply, sitting.position), "reply")
        self.screen.show()
        problem = sitting.take_trouble()
        if problem is not None:
            self.screen.complain(problem)
        if notice := sitting.journal.take_notice():
            self.screen.say(notice, "loss")

    def _reply(self, position: Any, move: Any) -> None:
        """Play the defender's reply, unless the position has changed meanwhile."""
        if self.sitting.position is position and self.sitting.wanted_reply() is not None:
            self._act(lambda: self.sitting.play(move))

    def _act(self, act: Callable[[], str | None]) -> bool:
        """Do something in the drill and show the message it returns; return whether it succeeded without one."""
        try:
            message = act()
        except EndgameError as problem:
            self.screen.show()
            self.screen.complain(problem)
            return False
        self._update()
        if message:
            self.screen.say(message)
        return not message

    def _answer(self, act: Callable[[], None]) -> None:
        """Play a move or give an answer; in a streak the next item follows at once."""
        sitting = self.sitting
        self.screen.say()
        self.screen.board.pick(None)
        if self._act(act) and sitting.flows_on:
            message = words.passed(sitting)
            self._go_to_drill(sitting.next)
            self.screen.say(message, "win")

    def make(self, move: Any) -> None:
        """Play a move of the user."""
        self._answer(lambda: self.sitting.play(move))

    def hint(self) -> None:
        """Give the next step of a hint: say the idea, pick up the piece, then put the cursor on its target."""
        self.screen.say()
        drill = self.sitting.drill
        if not self._act(lambda: self.sitting.hint(partial(words.hint_steps, self.sitting))) or drill is None:
            return
        hint = drill.match.given
        if hint is not None and hint.step:  # the idea does not give the piece away
            source, target = self.screen.face.endpoints(hint.move)
            shows_target = hint.step == 2 or source is None
            self.screen.board.pick(source, target if shows_target else source)

    def take_back(self) -> None:
        """Take back the user's last move."""
        self.screen.say()
        self.screen.board.pick(None)
        self._act(self.sitting.take_back)

    def show_me(self) -> None:
        """Ask whether to give up and show the solution; after the drill show or hide it; in a question answer a win."""
        sitting = self.sitting
        if sitting.stage in (Stage.QUESTION, Stage.DECIDES):
            self.call("win")
        elif sitting.stage is Stage.OVER and sitting.drill is not None:
            sitting.shows_line = not sitting.shows_line and sitting.has_better
            self.screen.show()
            if not sitting.has_better:
                self.screen.say(words.NOTHING_BETTER)
        elif sitting.is_test:
            self.screen.say(words.NOT_IN_A_TEST)
        elif sitting.stage is Stage.DRILL:
            self.screen.last_row.ask(SHALL_I_SHOW, Choice("enter", _("show me"), self._show_me))

    def _show_me(self) -> None:
        self.screen.board.pick(None)
        if self.sitting.stage is Stage.DRILL and self._act(self.sitting.show):
            self.screen.say(instruct(words.SHOWN))

    def type(self) -> None:
        """Ask for a move; after a drill for one to try, for the side to move."""
        sitting = self.sitting
        moves = speech_of(sitting.game.name).moves
        if sitting.stage is Stage.DRILL:
            self.screen.last_row.prompt(":", _("a move: {moves}").format(moves=moves), self._typed)
        elif sitting.stage is Stage.OVER and sitting.drill is not None and sitting.game.moves(sitting.position):
            side = side_name(sitting.game.mover(sitting.position))
            self.screen.last_row.prompt(
                ":", _("what if {side} plays: {moves}").format(side=side, moves=moves), self._try
            )
        else:
            self.screen.say(words.NO_MOVE)

    def _typed(self, text: str) -> None:
        sitting = self.sitting
        board = self.screen.board
        if sitting.drill is None or sitting.why_no_move:
            raise PositionError(_("it is not your move"), _("wait for the reply"))
        if board.begin_typed(text):
            return
        if promotions := self.screen.face.ambiguous_moves(sitting.position, text):
            self.screen.say()
            self.screen.promote(promotions)
        else:
            self.make(sitting.game.parse_move(sitting.position, text))

    def _try(self, text: str) -> None:
        """Try a move for either side after a drill."""
        self.screen.say()
        self.sitting.try_move(self.sitting.game.parse_move(self.sitting.position, text))
        self.screen.show()

    def call(self, result: str) -> None:
        """Answer a question for the result."""
        self._answer(lambda: self.sitting.call(Category(result)))

    def decides(self, decides: bool) -> None:
        """Answer the question whether the side to move matters."""
        if self.sitting.stage is Stage.DECIDES:
            self._answer(lambda: self.sitting.decide(decides))

    def next(self) -> None:
        """Go to the next drill; after the last one close the screen."""
        sitting = self.sitting
        if sitting.stage is Stage.SUMMARY:
            self.screen.dismiss()
        elif sitting.task.outcome is not None:
            self._go_to_drill(sitting.next)

    def no(self) -> None:
        """Answer that the side to move does not matter; elsewhere go to the next drill."""
        if self.sitting.stage is Stage.DECIDES:
            self.decides(False)
        else:
            self.next()

    def again(self) -> None:
        """Take back and retry, or drill another position of the same kind; after the last drill repeat the session."""
        sitting = self.sitting
        if sitting.stage is Stage.SUMMARY:
            self.begin()
        elif sitting.task.outcome is None and not sitting.offers_copy:
            self.screen.say(instruct(words.NOT_YET))
        elif sitting.can_retry:
            self.take_back()
        else:
            self._go_to_drill(sitting.again)

    def leave(self) -> None:
        """Put a held piece back, or leave; ask first if the current drill would count as not solved."""
        sitting = self.sitting
        self.screen.say()
        if sitting.stage is Stage.SUMMARY:
            self.screen.dismiss()
        elif sitting.leaving_fails and not self.screen.board.unpick():
            self.screen.last_row.ask(words.SHALL_I_LEAVE, Choice("enter", _("leave"), self._leave))
        elif not sitting.leaving_fails and not self.screen.board.unpick():
            self._leave()

    def _leave(self) -> None:
        self.sitting.leave()
        self._update()

    def step(self, plies: int) -> None:
        """Step through the finished drill."""
        if self.sitting.step(plies):
            self.screen.say()
            self.screen.show()

    def home(self) -> None:
        """Focus the board again."""
        self.screen.set_focus(self.screen.board if self.sitting.stage is Stage.DRILL else None)

    def send(self) -> None:
        """Open the position in Explore once the drill is finished."""
        sitting = self.sitting
        if sitting.stage in (Stage.DRILL, Stage.QUESTION, Stage.DECIDES):
            self.screen.say(instruct(words.NOT_YET))
        else:
            request = Request(sitting.game.name, sitting.game.format(sitting.position))
            self.screen.call_later(self.screen.host.open, "explore", request)

    def read_lesson(self) -> None:
        """Open the lesson of the study, once it can no longer help."""
        study = self.sitting.item.study
        if study is None:
            self.screen.say(NO_LESSON)
        elif self.sitting.stage is not Stage.OVER:
            self.screen.say(instruct(words.NOT_YET))
        else:
            self.screen.app.push_screen(LessonScreen(study, can_start=False))

    def copy(self) -> None:
        """Copy the position as text."""
        text = self.sitting.game.format(self.sitting.position)
        self.screen.app.copy_to_clipboard(text)
        self.screen.say(_("copied: {text}").format(text=text))

    def look_at(self, plies: int) -> None:
        """Show the position of the finished drill after ``plies`` plies."""
        if self.sitting.stage is Stage.OVER:
            self.sitting.look_at(plies)
            self.screen.say()
            self.screen.show()


_PLAYED: Final = {
    "choose": _("pick, drop"),
    "hint": _("hint"),
    "take_back": _("take back (counts)||back"),
    "again": _("another start|another"),
    "no": _("next"),
    "show": _("show me||show"),
    "prompt": _("type a move|type"),
    "flip": _("flip"),
    "leave": _("leave"),
}
_LABELS: Final[dict[str, dict[str, str]]] = {
    "drill": _PLAYED,
    "test": {action: _PLAYED[action] for action in ("choose", "prompt", "flip", "leave")},
    "question": {
        "show": _("a win||win"),
        "call_draw": _("a draw||draw"),
        "call_loss": _("a loss||loss"),
        "flip": _("flip"),
        "leave": _("leave"),
    },
    "decides": {
        "yes": _("another result||another"),
        "no": _("the same result||the same"),
        "show": _("change the answer|-"),
        "call_draw": _("change the answer|-"),
        "call_loss": _("change the answer|-"),
        "leave": _("leave"),
    },
    "over": {
        "next": _("next"),
        "again": _("again"),
        "drill_back": _("step through|step"),
        "drill_forward": _("step through|step"),
        "take_back": _("take back, try again|try again|back"),
        "show": _("show me"),
        "prompt": _("what if"),
        "lesson": _("lesson"),
        "explore_here": _("open in Explore|Explore"),
        "leave": _("leave"),
    },
    "answered": {
        "next": _("next"),
        "again": _("again"),
        "explore_here": _("open in Explore"),
        "add": _("keep the position"),
        "leave": _("leave"),
    },
    "summary": {"next": _("back to list"), "again": _("repeat all||repeat"), "progress_screen": _("progress")},
}
"""Names of keys in the last row, by stage: on wide screens, and where they differ on normal and on narrow ones."""


class DrillScreen(BoardScreen):
    """The drills of a session, one after the other.

    It closes with None, with a request of another screen to open instead, or with the error if there is nothing to
    drill.

    Args:
        game: Name of the game.
        make: Makes a session; called again to repeat it.
    """

    TASK = "practise"
    READ_FIRST = "#comment, #summary"
    FOCUSABLE = (MoveBoard,)
    CSS_PATH = "drill.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Key("enter", "next", _("Next drill"), rank=1),
        Key("r", "again", _("Retry, or get a new position"), rank=1),
        Key("y", "yes", _("Question: yes, it matters"), rank=1),
        Key("n", "no", _("Question: no; next drill"), rank=1),
        Key("left", "step(-1)", _("Afterwards: previous move"), id="drill_back"),  # without h and l, which is an answer
        Key("right", "step(1)", _("Afterwards: next move"), id="drill_forward"),
        FIRST.adapted(_("Afterwards: first move")),
        LAST.adapted(_("Afterwards: last move")),
        HINT.adapted(_("Hint: idea, piece, move")),
        TAKE_BACK.adapted(_("Take back; lowers the rating"), rank=1),
        SHOW.adapted(_("Solution; in a question: win"), rank=1),
        Key("d", "call('draw')", _("Question: draw"), id="call_draw", rank=1),
        Key("l", "call('loss')", _("Question: loss"), id="call_loss", rank=1),
        PROMPT.adapted(_("Type a move, or try what if")),
        EXPLORE_HERE,
        LESSON.adapted(_("Afterwards: read the lesson")),
        FLIP.adapted(rank=3),
        COPY,
        Key("tab,shift+tab", "focus_board", _("Return to the board"), priority=True),
        LEAVE.adapted(_("Leave the drill"), rank=2),
    ]

    def __init__(self, game: str, make: Callable[[], TrainingSession]) -> None:
        self._game = game
        super().__init__()
        self.view = DrillView(self.board, id="drill")
        self.drilling = Drilling(make, self, self.view)
        self._key_state: tuple[str, bool, bool, bool, bool, bool, bool] = ("", *(False,) * 6)
        """The stage and the conditions on which the keys of the last row depend: see :meth:`label`."""

    @property
    def game(self) -> str:
        """The game of the session, also when other screens switch the game."""
        return self._game

    def game_changed(self) -> None:
        """Switch the game back: a session is of one game."""
        self.host.game = self._game
        self._shown_state = (self._game, self._shown_state[1])
        self.say(instruct(words.ONE_SITTING))

    @property
    def learner(self) -> str | None:
        """The side that the user plays."""
        return self.drilling.sitting.learner

    def body(self) -> ComposeResult:
        """Yield the view of the session."""
        yield self.view

    def on_mount(self) -> None:
        """Start the session."""
        self.set_interval(1.0, self.drilling.tick, name="clock")
        self.drilling.begin()

    def on_unmount(self) -> None:
        """Store or give up the current drill when the app ends."""
        self.drilling.end()

    @on(Resize)
    def _fit(self) -> None:
        """Fit the view; high screens keep a row free for messages."""
        self.strip.reserved = self.view.fit(self.size, self.look, self.drilling.current)
        self.strip.show_job(self.jobs.job)

    def quit_warning(self) -> str:
        """What quitting does to a drill that would count as not solved."""
        if not self.drilling.leaving_fails:
            return ""
        return (
            _("this drill can be resumed at the next start")
            if self.drilling.can_resume
            else _("this drill counts as not solved")
        )

    def receive(self, request: Request) -> None:
        """Close with the request of another screen after the last drill; refuse it before."""
        if self.drilling.stage == "summary":
            self.dismiss(request)
        elif request.is_explicit:
            self.say(instruct(words.ONE_SITTING))

    def show(self) -> None:
        """Update everything on the screen; the board has the focus while moves are played."""
        sitting = self.drilling.sitting
        self._fit()
        self.view.show(sitting)
        self.drilling.show_clock()
        stage = self.drilling.stage
        previous = self._key_state
        self._key_state = (
            stage, sitting.can_take_back, sitting.has_better, sitting.offers_copy, sitting.can_retry,
            stage == "over" and sitting.item.study is not None, sitting.is_retrying,
        )  # fmt: skip
        if previous[0] != stage and not self.last_row.is_open:
            self.set_focus(self.board if sitting.stage is Stage.DRILL else None)
        if previous != self._key_state:
            self.refresh_bindings()

    def label(self, key: Key) -> str:
        """Name of a key in the last row at this stage; empty if it would be refused."""
        stage, can_take_back, has_better, offers_copy, can_retry, has_lesson, is_retrying = self._key_state
        if stage == "over" and key.id == "again" and can_retry:
            return _("retry")
        if key.id == "lesson" and not has_lesson:
            return ""
        if key.id == "take_back" and (not can_take_back or (stage == "over" and can_retry)):
            return ""  # retrying takes back
        if stage == "drill" and key.id == "again" and not offers_copy:
            return ""
        if stage == "drill" and key.id == "no" and not is_retrying:
            return ""
        if stage == "drill" and key.id == "take_back" and is_retrying:
            return _("take back")  # it counts no more
        if stage in ("over", "answered") and key.id == "again" and self.drilling.sitting.placement is not None:
            return ""  # each position is asked about once
        if stage == "over" and key.id == "show" and not has_better:
            return ""
        if self.board.move_input.is_taking and key.id in ("choose", "leave"):
            return _("take") if key.id == "choose" else _("other move")
        label, *shorter_labels = _LABELS[self.drilling.stage].get(key.action_id, "").split("|")
        for size_class, shorter in zip(("-normal", "-narrow"), shorter_labels, strict=False):
            is_small_enough = self.size.width < WIDE and (size_class == "-normal" or self.has_class(size_class))
            if shorter and is_small_enough:
                label = shorter
        return label.strip("-")  # "-" stands for no label

    def user_acted(self) -> None:
        """Say what a move that is being entered still needs."""
        self.say(instruct(words.TAKE) if self.board.move_input.is_taking else "")
        self.refresh_bindings()

    def move_made(self, move: Any) -> None:
        """Play a move that was entered on the board."""
        self.drilling.make(move)

    @on(ScorePanel.Chosen)
    def _ply_chosen(self, event: ScorePanel.Chosen) -> None:
        self.drilling.look_at(event.key + 1)

    # Keys

    def action_next(self) -> None:
        """Go to the next drill; after the last one close the screen."""
        self.drilling.next()

    def action_again(self) -> None:
        """Take back and retry, or drill another position; after the last drill repeat the session."""
        self.drilling.again()

    def action_yes(self) -> None:
        """Answer that the side to move matters."""
        self.drilling.decides(True)

    def action_no(self) -> None:
        """Answer that the side to move does not matter; elsewhere go to the next drill."""
        self.drilling.no()

    def action_step(self, plies: int) -> None:
        """Step through the finished drill."""
        self.drilling.step(plies)

    def action_hint(self) -> None:
        """Give the next step of a hint."""
        self.drilling.hint()

    def action_take_back(self) -> None:
        """Take back your last move."""
        self.drilling.take_back()

    def action_show(self) -> None:
        """Give up and show the solution; after the drill show or hide it; in a question answer a win."""
        self.drilling.show_me()

    def action_call(self, result: str) -> None:
        """Answer a question for the result."""
        self.drilling.call(result)

    def action_prompt(self) -> None:
        """Ask for a move."""
        self.drilling.type()

    def action_explore_here(self) -> None:
        """Open the position in Explore once the drill is finished."""
        self.drilling.send()

    def action_lesson(self) -> None:
        """Open the lesson of the study, once it can no longer help."""
        self.drilling.read_lesson()

    def shown_position(self) -> tuple[Game[Any, Any], Any] | None:
        """The game and the position on the board; None before the first drill."""
        sitting = self.drilling.sitting
        return None if sitting.position is None else (sitting.game, sitting.position)

    def action_copy(self) -> None:
        """Copy the position."""
        self.drilling.copy()

    def action_focus_board(self) -> None:
        """Focus the board again."""
        self.drilling.home()

    def action_leave(self) -> None:
        """Put a held piece back, or leave; ask first if the drill would count as not solved."""
        self.drilling.leave()

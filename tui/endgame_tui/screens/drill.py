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
from endgame_core.practice.match import HintStep
from endgame_core.tasks.resume import DRILL, unfinished_session
from endgame_core.tasks.training_session import ANSWERED, Stage, TrainingSession
from endgame_core.values import Category
from endgame_core.words import drill as words
from endgame_core.words.game_report import BRIEF_QUESTIONS, SHALL_I_SHOW
from endgame_core.words.glossary import speech_of
from endgame_core.words.lesson import NO_LESSON
from endgame_core.words.text_model import TextRow, fitted
from endgame_tui.faces import Label, PositionView
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
from endgame_tui.screens.base import BoardScreen, Request
from endgame_tui.screens.lesson import LessonScreen
from endgame_tui.widgets.ask import Choice
from endgame_tui.widgets.board import MoveBoard
from endgame_tui.widgets.lines import Lines
from endgame_tui.widgets.score import ScorePanel
from endgame_tui.widths import PANELS_MIN_WIDTH, WIDE

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
        # Left and Right are keys of the screen: the moves need no focus.
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

    def fit(self, size: Size, look: Look, session: TrainingSession | None) -> bool:
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
        # A long comment takes blank rows from the panels above it, never rows of the board.
        if session is not None and not is_small and free_rows >= 2:
            needed_rows = len(fitted(words.comment(session), width - 2, _UNLIMITED_ROWS))
            if needed_rows > comment_rows:
                main_rows = max(body_rows - needed_rows - keeps_row, scale.rows)
                keeps_row = keeps_row and main_rows + needed_rows < body_rows
        self.query_one("#main").styles.height = scale.rows + 1 if is_small else main_rows
        return keeps_row

    def show(self, session: TrainingSession) -> None:
        """Show the current drill, or the summary of the session."""
        stage = session.stage
        layout = "drill"
        if session.drill is None:
            layout = "question"
        if stage is Stage.SUMMARY:
            layout = "summary"
        for name in ("summary", "drill", "question"):
            self.screen.set_class(name == layout, f"-{name}")
        self.board.can_focus = stage is Stage.DRILL
        self.show_board(session)
        if stage is Stage.SUMMARY:
            self._put("summary", lambda size: words.summary(session, size.height, size.width))
            self._put("comment", lambda __: ())
            return
        self._put("ticks", lambda size: words.ticks(session, size.width))
        self._put("facts", lambda size: words.facts(session, size.width))
        self.query_one("#facts").styles.height = max(5, len(words.facts(session, 0)) + 1)
        self._put("asked", lambda __: words.question_rows(session))
        self._put("comment", lambda size: fitted(words.comment(session, size.height), *size))
        self._show_score(session)

    def _show_score(self, session: TrainingSession) -> None:
        """Show the moves, with the cursor on the one under review."""
        if session.drill is None:
            return
        match = session.drill.match
        prompt = None
        if not self.screen.has_class("-narrow"):
            prompt = words.prompt(session)
        cursor = None
        if session.review is not None and session.review.at:
            cursor = session.review.at - 1
        is_white = match.you == "white"
        self.query_one(ScorePanel).show(words.score(session), cursor, is_white, True, _("Your moves"), prompt)

    def _put(self, name: str, notes: Callable[[Size], tuple[TextRow, ...]]) -> None:
        self.query_one(f"#{name}", Lines).show(notes)

    def show_clock(self, session: TrainingSession) -> None:
        """Show the title of the drill, which contains its time."""
        if session.stage is not Stage.SUMMARY:
            self._put("title", lambda __: (words.title(session),))

    def show_board(self, session: TrainingSession) -> None:
        """Show the position, the last move and the hint; the cursor stays on a piece that can move."""
        board = self.board
        position = session.position
        is_playing = session.stage is Stage.DRILL
        board.refusal = session.why_no_move
        if position is None:
            board.show(None)
            return
        moves = ()
        if is_playing and not board.refusal:
            moves = session.game.moves(position)
        rated: list[tuple[Any, Label]] = []
        hinted_takes: tuple[int, ...] = ()
        hint = None
        if session.drill is not None:
            hint = session.drill.match.last_hint
        if hint is not None and hint.step is HintStep.MOVE and is_playing:
            rated = [(hint.move, Label(board.look.glyphs.check, True))]
            hinted_takes = tuple(getattr(hint.move, "captured", ()))
        cursor = board.cursor
        # None: the first position, for which the board has placed the cursor itself.
        has_changed = board.position not in (None, position)
        view = PositionView(
            cursor=0 if is_playing else None,
            last_move=session.last_move,
            rated_moves=rated,
            idle=not is_playing,
            hinted_points=hinted_takes,
        )
        board.show(position, moves, view)
        if has_changed and moves:
            sources = {board.face.endpoints(move)[0] for move in moves}
            # The piece under the cursor, if it can move; else one that can.
            if sources != {None}:  # None: stones that are placed from the hand
                if cursor in sources:
                    board.cursor = cursor
                else:
                    board.cursor = board.face.initial_cursor(position, moves)
                board.repaint()


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

_TEST: Final = "test"
"""The stage of a drill that is part of a test, where few keys are allowed."""

_LABELS: Final[dict[str, dict[str, str]]] = {
    Stage.DRILL: _PLAYED,
    _TEST: {action: _PLAYED[action] for action in ("choose", "prompt", "flip", "leave")},
    Stage.QUESTION: {
        "show": _("a win||win"),
        "call_draw": _("a draw||draw"),
        "call_loss": _("a loss||loss"),
        "flip": _("flip"),
        "leave": _("leave"),
    },
    Stage.TURN_MATTERS: {
        "yes": _("different result||different"),
        "no": _("the same result||the same"),
        "show": _("change the answer|-"),
        "call_draw": _("change the answer|-"),
        "call_loss": _("change the answer|-"),
        "leave": _("leave"),
    },
    Stage.OVER: {
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
    ANSWERED: {
        "next": _("next"),
        "again": _("again"),
        "explore_here": _("open in Explore"),
        "add": _("keep the position"),
        "leave": _("leave"),
    },
    Stage.SUMMARY: {"next": _("back to list"), "again": _("repeat all||repeat"), "progress_screen": _("progress")},
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
        self._make_session = make
        self._session: TrainingSession | None = None
        """The current session; None before it begins."""
        self._key_state: tuple[str, bool, bool, bool, bool, bool, bool] = (
            "", False, False, False, False, False, False,
        )  # fmt: skip
        """The stage and the conditions on which the keys of the last row depend: see :meth:`label`."""

    @property
    def session(self) -> TrainingSession:
        """The current session."""
        assert self._session is not None
        return self._session

    @property
    def stage(self) -> str:
        """The stage that decides what keys do: that of the session, or ``test`` for a drill of a test."""
        session = self._session
        if session is None:
            return Stage.SUMMARY.value
        if session.stage is Stage.DRILL and session.is_test:
            return _TEST
        return session.command_stage

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
        return self.session.learner

    def body(self) -> ComposeResult:
        """Yield the view of the session."""
        yield self.view

    def on_mount(self) -> None:
        """Start the session."""
        self.set_interval(1.0, self._tick, name="clock")
        self._begin()

    def on_unmount(self) -> None:
        """Store the current drill as unfinished when the app ends, or give it up if it cannot be resumed."""
        if self._session is None:
            return
        drill = self._session.drill
        if not self._can_resume:
            self._session.leave()
        elif drill is not None and not drill.is_decided:
            drill.recorder.leave()

    @property
    def _can_resume(self) -> bool:
        """Whether the session can be resumed after the app ends now."""
        if self._session is None or not self.host.memory.is_persistent:
            return False
        return unfinished_session(self._session) is not None

    @on(Resize)
    def _fit(self) -> None:
        """Fit the view; high screens keep a row free for messages."""
        self.strip.reserved = self.view.fit(self.size, self.look, self._session)
        self.strip.show_job(self.jobs.job)

    def quit_warning(self) -> str:
        """Return the effect of quitting on a drill that would count as not solved."""
        if self._session is None or not self._session.leaving_fails:
            return ""
        if self._can_resume:
            return _("this drill can be resumed next time")
        return _("this drill counts as unsolved")

    def paste(self, text: str) -> None:
        """Ignore it: a drill shows no other position."""

    def receive(self, request: Request) -> None:
        """Close with the request of another screen after the last drill; refuse it before."""
        if self.stage == Stage.SUMMARY:
            self.dismiss(request)
        elif request.is_explicit:
            self.say(instruct(words.ONE_SITTING))

    def shown_position(self) -> tuple[Game[Any, Any], Any] | None:
        """The game and the position on the board; None before the first drill."""
        session = self.session
        if session.position is None:
            return None
        return (session.game, session.position)

    # What is shown

    def show(self) -> None:
        """Update everything on the screen; the board has the focus while moves are played."""
        session = self.session
        self._fit()
        self.view.show(session)
        self._show_clock()
        stage = self.stage
        previous = self._key_state
        self._key_state = (
            stage, session.can_take_back, session.has_better, session.offers_copy, session.can_retry,
            stage == Stage.OVER and session.item.study is not None, session.is_retrying,
        )  # fmt: skip
        # Only at a new stage: if the user has moved the focus since, it stays there.
        if previous[0] != stage and not self.last_row.is_open:
            self.set_focus(self.board if session.stage is Stage.DRILL else None)
        if previous != self._key_state:
            self.refresh_bindings()

    def _show_clock(self) -> None:
        """Show the progress of the session and its time."""
        session = self.session
        is_narrow = self.has_class("-narrow")
        self.crumbs(*words.crumbs(session, is_narrow), named=False, right=(words.clock(session), "text"))
        self.view.show_clock(session)

    def _tick(self) -> None:
        """Update the clock every second; end a streak when its time is up."""
        if self.session.tick():
            self._after_change()
            self.say(words.TIME_IS_UP)
        # Otherwise the clock stands still: nothing is sent to the terminal each second.
        elif self.session.stage not in (Stage.OVER, Stage.SUMMARY):
            self._show_clock()

    def label(self, key: Key) -> str:
        """Name of a key in the last row at this stage; empty if it would be refused."""
        stage, can_take_back, has_better, offers_copy, can_retry, has_lesson, is_retrying = self._key_state
        is_over = stage == Stage.OVER
        if is_over and key.id == "again" and can_retry:
            return _("retry")
        if key.id == "lesson" and not has_lesson:
            return ""
        if key.id == "take_back" and (not can_take_back or (is_over and can_retry)):
            return ""  # retrying takes back
        if stage == Stage.DRILL and key.id == "again" and not offers_copy:
            return ""
        if stage == Stage.DRILL and key.id == "no" and not is_retrying:
            return ""
        if stage == Stage.DRILL and key.id == "take_back" and is_retrying:
            return _("take back")  # it counts no more
        if stage in (Stage.OVER, ANSWERED) and key.id == "again" and self.session.placement is not None:
            return ""  # each position is asked about once
        if is_over and key.id == "show" and not has_better:
            return ""
        if self.board.move_input.is_taking and key.id in ("choose", "leave"):
            if key.id == "choose":
                return _("take")
            return _("other move")
        label, *shorter_labels = _LABELS[self.stage].get(key.action_id, "").split("|")
        for size_class, shorter in zip(("-normal", "-narrow"), shorter_labels, strict=False):
            # Labels are listed from the longest to the shortest: the last one whose size applies is used.
            is_small_enough = self.size.width < WIDE and (size_class == "-normal" or self.has_class(size_class))
            if shorter and is_small_enough:
                label = shorter
        return label.strip("-")  # "-" stands for no label

    def user_acted(self) -> None:
        """Say what a move that is being entered still needs."""
        message = ""
        if self.board.move_input.is_taking:
            message = instruct(words.TAKE)
        self.say(message)
        self.refresh_bindings()

    # One drill after the other

    def _begin(self) -> None:
        """Start or resume a session; close the screen if there is nothing to drill."""
        try:
            self._session = self._make_session()
        except EndgameError as problem:
            self.dismiss(problem)
            return
        if self._session.number:  # a resumed session
            self._after_change()
        else:
            self._go_to_drill(self._session.next)

    def _go_to_drill(self, begin: Callable[[], str]) -> None:
        """Go to another drill.

        Args:
            begin: Begins the drill and returns a message. If it raises EndgameError there is nothing to drill: the
                screen is closed with the error, which the list of drills shows.
        """
        session = self.session
        self.board.pick(None)
        try:
            message = begin()
        except EndgameError as problem:
            self.dismiss(problem)
            return
        self.say()
        if session.stage is not Stage.SUMMARY:
            self.board.flipped = session.learner == "black"
            # First the position, then the cursor in it, then everything else.
            self.view.show_board(session)
            self.board.reset_cursor()
        self._after_change()
        if message:
            self.say(message)

    def _after_change(self) -> None:
        """Show and store the session, and let the defender reply."""
        session = self.session
        if self.host.memory.is_persistent and not session.is_test:
            # After each move, so that nothing is lost however the app ends.
            self.host.memory.note(unfinished_session(session), "left", DRILL)
        # Nothing was finished: a summary would be empty.
        if session.stage is Stage.SUMMARY and not session.counted_results:
            self.dismiss()
            return
        # The search may take long: it runs in a thread, and _play_reply drops a reply that is out of date.
        find_reply = session.wanted_reply()
        if find_reply is not None:
            self.run_in_thread(find_reply, partial(self._play_reply, session.position), "reply")
        self.show()
        problem = session.take_trouble()
        if problem is not None:
            self.complain(problem)
        if notice := session.journal.take_notice():
            self.say(notice, "loss")

    def _play_reply(self, position: Any, move: Any) -> None:
        """Play the defender's reply, unless the position has changed meanwhile."""
        session = self.session
        # By identity: the same position may come again after a move was taken back.
        if session.position is position and session.wanted_reply() is not None:
            self._perform(lambda: session.play(move))

    def _perform(self, act: Callable[[], str | None]) -> bool:
        """Do something in the drill and show the message it returns; return whether it succeeded without one."""
        try:
            message = act()
        except EndgameError as problem:
            self.show()
            self.complain(problem)
            return False
        self._after_change()
        if message:
            self.say(message)
        return not message

    def _answer(self, act: Callable[[], None]) -> None:
        """Play a move or give an answer; in a streak the next item follows at once."""
        session = self.session
        self.say()
        self.board.pick(None)
        # Only a success without a message goes on by itself: messages are to be read.
        if self._perform(act) and session.flows_on:
            message = words.passed(session)
            self._go_to_drill(session.next)
            self.say(message, "win")

    def action_next(self) -> None:
        """Go to the next drill; after the last one close the screen."""
        session = self.session
        if session.stage is Stage.SUMMARY:
            self.dismiss()
        elif session.task.is_decided:
            self._go_to_drill(session.next)

    def action_again(self) -> None:
        """Take back and retry, or drill another position of the same kind; after the last drill repeat the session."""
        session = self.session
        if session.stage is Stage.SUMMARY:
            self._begin()
        elif not session.task.is_decided and not session.offers_copy:
            self.say(instruct(words.NOT_YET))
        elif session.can_retry:
            self.action_take_back()
        else:
            self._go_to_drill(session.again)

    def action_leave(self) -> None:
        """Put a held piece back, or leave; ask first if the current drill would count as not solved."""
        session = self.session
        self.say()
        if session.stage is Stage.SUMMARY:
            self.dismiss()
        # Escape first takes back a half entered move.
        elif not self.board.unpick():
            if session.leaving_fails:
                self.last_row.ask(
                    words.SHALL_I_LEAVE, Choice("enter", _("leave"), self._leave), short=_("Leave drill?")
                )
            else:
                self._leave()

    def _leave(self) -> None:
        self.session.leave()
        self._after_change()

    # Moves

    def move_made(self, move: Any) -> None:
        """Play a move that was entered on the board."""
        session = self.session
        self._answer(lambda: session.play(move))

    def action_prompt(self) -> None:
        """Ask for a move; after a drill for one to try, for the side to move."""
        session = self.session
        moves = speech_of(session.game.name).moves
        if session.stage is Stage.DRILL:
            self.last_row.prompt(":", _("a move: {moves}").format(moves=moves), self._play_typed)
        elif session.stage is Stage.OVER and session.drill is not None and session.game.moves(session.position):
            side = side_name(session.game.mover(session.position))
            self.last_row.prompt(
                ":", _("what if {side} plays: {moves}").format(side=side, moves=moves), self._try_typed
            )
        else:
            self.say(words.NO_MOVE)

    def _play_typed(self, text: str) -> None:
        session = self.session
        if session.drill is None or session.why_no_move:
            raise PositionError(_("it is not your move"), _("wait for the reply"))
        text = self.board.move_input.complete(text)
        # A move of Morris that lacks the stone to take: it is completed on the board.
        if self.board.begin_typed(text):
            return
        if promotions := self.face.ambiguous_moves(session.position, text):
            self.say()
            self.promote(promotions)
        else:
            self.move_made(session.game.parse_move(session.position, text))

    def _try_typed(self, text: str) -> None:
        """Try a move for either side after a drill."""
        session = self.session
        self.say()
        session.try_move(session.game.parse_move(session.position, text))
        self.show()

    def action_hint(self) -> None:
        """Give the next step of a hint: say the idea, pick up the piece, then put the cursor on its target."""
        session = self.session
        self.say()
        drill = session.drill
        if not self._perform(lambda: session.hint(partial(words.hint_steps, session))) or drill is None:
            return
        hint = drill.match.last_hint
        if hint is not None and hint.step is not HintStep.IDEA:  # the idea does not give the piece away
            source, target = self.face.endpoints(hint.move)
            # A stone from the hand has no source to point at.
            shows_target = hint.step is HintStep.MOVE or source is None
            cursor = target if shows_target else source
            self.board.pick(source, cursor)

    def action_take_back(self) -> None:
        """Take back the user's last move."""
        self.say()
        self.board.pick(None)
        self._perform(self.session.take_back)

    def action_show(self) -> None:
        """Show the solution, asking first if that gives up; show or hide it afterwards; in a question answer a win."""
        session = self.session
        if session.stage in (Stage.QUESTION, Stage.TURN_MATTERS):
            self.action_call("win")
        elif session.stage is Stage.OVER and session.drill is not None:
            session.shows_line = not session.shows_line and session.has_better
            self.show()
            if not session.has_better:
                # After a shown solution, its line is on the board already.
                plies = session.drill.match.plies
                if plies and plies[-1].is_shown:
                    self.say(instruct(words.SHOWN))
                else:
                    self.say(words.NOTHING_BETTER)
        elif session.is_test:
            self.say(words.NOT_IN_A_TEST)
        elif session.is_retrying:  # the result is decided: there is nothing left to give up
            self._show_solution()
        elif session.stage is Stage.DRILL:
            self.last_row.ask(
                SHALL_I_SHOW,
                Choice("enter", _("show me"), self._show_solution),
                short=BRIEF_QUESTIONS[SHALL_I_SHOW],
            )

    def _show_solution(self) -> None:
        self.board.pick(None)
        if self.session.stage is Stage.DRILL and self._perform(self.session.show):
            self.say(instruct(words.SHOWN))

    # Questions

    def action_call(self, result: str) -> None:
        """Answer a question for the result."""
        session = self.session
        self._answer(lambda: session.answer_result(Category(result)))

    def action_yes(self) -> None:
        """Answer that the side to move matters."""
        self._answer_turn_matters(True)

    def action_no(self) -> None:
        """Answer that the side to move does not matter; elsewhere go to the next drill."""
        if self.session.stage is Stage.TURN_MATTERS:
            self._answer_turn_matters(False)
        else:
            self.action_next()

    def _answer_turn_matters(self, matters: bool) -> None:
        """Answer the question whether the side to move matters."""
        session = self.session
        if session.stage is Stage.TURN_MATTERS:
            self._answer(lambda: session.answer_turn_matters(matters))

    # Review of a finished drill

    def action_step(self, plies: int) -> None:
        """Step through the finished drill."""
        if self.session.step(plies):
            self.say()
            self.show()

    @on(ScorePanel.Chosen)
    def _show_chosen_ply(self, event: ScorePanel.Chosen) -> None:
        """Show the position of the finished drill after the ply under the mouse."""
        if self.session.stage is Stage.OVER:
            self.session.look_at(event.key + 1)
            self.say()
            self.show()

    def action_explore_here(self) -> None:
        """Open the position in Explore once the drill is finished."""
        session = self.session
        if session.stage in (Stage.DRILL, Stage.QUESTION, Stage.TURN_MATTERS):
            self.say(instruct(words.NOT_YET))
        else:
            request = Request(session.game.name, session.game.format(session.position))
            self.call_later(self.host.open, "explore", request)

    def action_lesson(self) -> None:
        """Open the lesson of the study, once it can no longer help."""
        study = self.session.item.study
        if study is None:
            self.say(NO_LESSON)
        elif self.session.stage is not Stage.OVER:
            self.say(instruct(words.NOT_YET))
        else:
            self.app.push_screen(LessonScreen(study, can_start=False))

    def action_copy(self) -> None:
        """Copy the position as text."""
        text = self.session.game.format(self.session.position)
        self.app.copy_to_clipboard(text)
        self.say(_("copied: {text}").format(text=text))

    def action_focus_board(self) -> None:
        """Focus the board again."""
        self.set_focus(self.board if self.session.stage is Stage.DRILL else None)

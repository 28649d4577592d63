"""Conducts a game against a defender or a friend: everything that a user can do in Play, and what happens then.

A front end makes a :class:`PlaySession`, calls its methods and draws its :class:`PlayEvents`::

    state = PlayState(lab, "chess")
    session = PlaySession(state, PlayEvents(changed=draw, ask=ask, notice=show_notice), post=call_later)
    session.begin()
    session.make(state.parse_move("Kd5"))

All methods and events run in one thread.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from pathlib import Path
from typing import Any, TypeVar

from endgame_core.errors import EndgameError
from endgame_core.pgn import GameText
from endgame_core.practice.match import ChooseSteps, Claim, Ply, piece_move
from endgame_core.practice.studies import StudyImport
from endgame_core.tasks.engine_task import ESTIMATE_LIMITS, REPLY_LIMITS, EngineTask
from endgame_core.tasks.play_state import PLAY, REVIEW, SETUP, PlayState

T = TypeVar("T")


class Question(Enum):
    """A question to the user; what it is about happens only if the answer is yes."""

    GIVE_UP = auto()
    """Give up the current game?"""
    REPLACE_STORED = auto()
    """Replace the unfinished game that the front end has stored? One that has stored none proceeds at once."""
    SHOW_SOLUTION = auto()
    """Give up, and show the best line?"""
    CLAIM_DRAW = auto()
    """Claim the draw that can be claimed?"""
    ACCEPT_DRAW = auto()
    """To the friend at the same board: accept the draw that the side to move offers?"""


class Notice(Enum):
    """Why nothing happens, or what the defender answers."""

    BEGIN_FIRST = auto()
    """No game has begun."""
    GAME_OVER = auto()
    DEFENDER_TO_MOVE = auto()
    DRAW_DECLINED = auto()
    VERDICT_SHOWN = auto()
    """The verdict is always shown after the game."""
    RETRY_LATER = auto()
    """Only a finished game can be retried."""
    ERRORS_LATER = auto()
    """Errors are found after the game."""
    NO_ERRORS = auto()
    """The user made no error in the finished game."""


class EngineUse(Enum):
    """The reason why the user waits for the engine."""

    REPLY = auto()
    HINT = auto()
    SOLUTION = auto()


def _ignore(*_: object) -> None:
    """Handle an event that a front end does not draw."""


@dataclass(slots=True)
class PlayEvents:
    """The callbacks of a front end for events in a game.

    Attributes:
        changed: Something that is shown has changed.
        game_left: Another game is set up, resumed or opened. True if the current game, or an unfinished one that the
            front end has stored, is given up for it; False if nothing is given up.
        set_up: Another game is set up.
        begun: The game that was set up has begun.
        retried: A game has begun at a position of the finished one.
        resumed: An unfinished game goes on.
        opened: A saved game goes on, or is reviewed; with a sentence about the rest that was left out, else empty.
        moved: A move was made, by either side.
        taken_back: The user's last move and the reply were taken back; with a friend, the last move.
        turn_began: The game goes on: it is the turn of the user or a friend (True), or the defender's.
        engine_started: The user has to wait for the engine.
        engine_failed: The engine found no move.
        hinted: A hint was given, see :attr:`PlayState.hint`.
        solution_shown: The game was given up; its best line follows the moves that were played.
        over: The game has ended; with the draw by which it ended, if one was claimed, and whether the user claimed it.
        reviewed: Another position of the finished game is reviewed.
        clock_changed: A second of the user's time has passed.
        notice: Nothing happened, or the defender has answered.
        ask: A question; the answer yes makes the call.
    """

    changed: Callable[[], object] = _ignore
    game_left: Callable[[bool], object] = _ignore
    set_up: Callable[[], object] = _ignore
    begun: Callable[[], object] = _ignore
    retried: Callable[[], object] = _ignore
    resumed: Callable[[], object] = _ignore
    opened: Callable[[str], object] = _ignore
    moved: Callable[[Ply[Any, Any]], object] = _ignore
    taken_back: Callable[[], object] = _ignore
    turn_began: Callable[[bool], object] = _ignore
    engine_started: Callable[[EngineUse], object] = _ignore
    engine_failed: Callable[[EndgameError], object] = _ignore
    hinted: Callable[[], object] = _ignore
    solution_shown: Callable[[], object] = _ignore
    over: Callable[[Claim[Any] | None, bool], object] = _ignore
    reviewed: Callable[[], object] = _ignore
    clock_changed: Callable[[], object] = _ignore
    notice: Callable[[Notice], object] = _ignore
    ask: Callable[[Question, Callable[[], object]], object] = _ignore


class PlaySession:
    """Conducts one game after the other.

    Args:
        state: The game.
        events: What the front end does when something happens; may be set later.
        post: Schedules a call in the thread of the session; called from any thread.
        defer: Schedules a call once what has changed is drawn; by default it is made at once.
        clock: Returns a monotonic time in seconds.
        shows_estimates: Whether the engine estimates positions that no table knows while it is the user's turn and the
            verdict is shown.
    """

    def __init__(
        self,
        state: PlayState[Any, Any],
        events: PlayEvents | None = None,
        *,
        post: Callable[[Callable[[], None]], object],
        defer: Callable[[Callable[[], None]], object] = lambda call: call(),
        clock: Callable[[], float] = time.monotonic,
        shows_estimates: bool = False,
    ) -> None:
        self.state = state
        self.events = events or PlayEvents()
        self.engine: EngineTask[Any] = EngineTask(state.lab, state.game.name, post)
        self.engine.on_estimate = lambda: self.events.changed()
        self.engine.on_failed = self._on_engine_failed
        self._defer = defer
        self._clock = clock
        self._shows_estimates = shows_estimates
        self._turn_started_at = clock()
        self._offered_position: Any = None
        """The position that another screen offered last."""
        self._next_start: Any = None
        """A position offered during the current game, where the next one starts; None for the start of the last one."""

    @property
    def elapsed(self) -> float:
        """Seconds since the user's turn began."""
        return max(self._clock() - self._turn_started_at, 0.0)

    @property
    def has_running_clock(self) -> bool:
        """Whether the game is played with a clock, so that :meth:`tick` has to be called every second."""
        match = self.state.match
        return match is not None and match.control is not None and match.result is None

    # Setting up

    def set_up(self, position: Any, side: str = "") -> None:
        """Give up the current game and set up a position; the user's side is by default the one that wins."""
        self._replace_game(lambda: self.state.set_up(position, side))
        self.events.set_up()

    def offer(self, position: Any) -> None:
        """Set up the position of another screen if it is a new one; during a game keep it for the next game."""
        if position == self._offered_position:
            return
        self._offered_position = self._next_start = position
        if self.state.stage == SETUP:
            self.set_up(position)

    def set_up_text(self, text: str) -> None:
        """Give up the current game and set up what a text names.

        Raises:
            EndgameError: The text names nothing, see :meth:`PlayState.set_up_text`; the current game goes on.
        """
        self._replace_game(lambda: self.state.set_up_text(text))
        self.events.set_up()

    def set_up_random(self) -> None:
        """Set up a random position of the same layer; raises EndgameError."""
        self.state.set_up_random()
        self.events.set_up()

    # Beginning and leaving a game

    def begin(self) -> None:
        """Begin the game that is set up; raises PositionError if it would be over at once."""
        self.confirm_replacing(self._begin)

    def _begin(self) -> None:
        self.engine.forget()
        self.state.begin()
        self.events.begun()
        self._continue()

    def new(self) -> None:
        """Give up the current game and set up another one; if one is set up, begin it."""
        if self.state.stage == SETUP:
            self.begin()
        else:
            self.confirm_leaving(self._set_up_next)

    def _set_up_next(self) -> None:
        """Set up the position that another screen has offered, or the last game again."""
        if self._next_start is not None:
            self.set_up(self._next_start)
            return
        self._replace_game(self.state.set_up_again)
        self.events.set_up()

    def retry_or_set_up_random(self) -> None:
        """After a game, play on from the reviewed position; before one, set up a random position of the layer.

        One key does both, because each makes sense in one stage only.
        """
        stage = self.state.stage
        if stage == SETUP:
            self.set_up_random()
        elif stage == PLAY:
            self.events.notice(Notice.RETRY_LATER)
        else:
            self._retry()

    def _retry(self) -> None:
        """Play on from the reviewed position."""
        self.state.retry()
        self.events.retried()
        self._continue()

    def resume(self, unfinished: Mapping[str, Any]) -> None:
        """Resume an unfinished game; raises EndgameError if that is not possible, then a new one is set up."""
        from endgame_core.tasks.resume import resume_game

        self._replace_game(self.state.leave)
        try:
            resume_game(self.state, unfinished)
        finally:
            self.events.set_up()  # in both cases: a resumed game has its own setup, e.g. the user's side
        self.events.resumed()
        self._continue()

    def open(self, source: Path | GameText[Any, Any], side: str | None = None, ply: int | None = None) -> None:
        """Continue or review a saved game, in place of the current one.

        Args:
            source: A file, or a game that was read.
            side: The user's side; None for as the game says.
            ply: The ply to review first; None for the end.

        Raises:
            EndgameError: The game cannot be read; the current one stays.
        """
        problem = self._replace_game(lambda: self.state.open(source, side), replaces_stored=True)
        review = self.state.review
        if review is not None and ply is not None:
            review.go(ply)
        self.events.opened(problem)
        if review is None:
            self._continue()

    def confirm_leaving(self, proceed: Callable[[], object]) -> None:
        """Proceed with something that ends the current game; ask first if moves have been made."""
        if self.state.is_unfinished:
            self.events.ask(Question.GIVE_UP, proceed)
        else:
            proceed()

    def confirm_replacing(self, proceed: Callable[[], object]) -> None:
        """Proceed with something that leads to another game; ask first if that replaces a stored one.

        Only before a game can the front end have stored another one: later it stores the current game itself.
        """
        if self.state.stage == SETUP:
            self.events.ask(Question.REPLACE_STORED, proceed)
        else:
            proceed()

    def _replace_game(self, change: Callable[[], T], replaces_stored: bool = False) -> T:
        """Replace the current game, or what is set up.

        The change comes first: if it raises, the current game goes on, and its engine thinks on. A position that was
        offered during that game is no longer the next start, because a newer one is set up now.

        Args:
            change: Sets up another game; may raise EndgameError.
            replaces_stored: Whether an unfinished game that the front end has stored is given up, too.

        Returns:
            The result of ``change``.
        """
        had_game = self.state.match is not None
        result = change()
        self._next_start = None
        self.engine.forget()
        self.events.game_left(had_game or replaces_stored)
        return result

    def close(self) -> None:
        """Stop the engine and give up the current game, because the program ends."""
        self.engine.forget()
        self.state.leave()

    # The moves of both sides

    def make(self, move: Any) -> bool:
        """Play a move of the user; return False if it is not their turn."""
        if not self.state.your_turn:
            return False
        self.events.moved(self.state.make(move, self.elapsed))
        self._continue()
        return True

    def take_back(self) -> bool:
        """Take back the user's last move and the reply; return False if no game is played. Raises PositionError."""
        if not self._require_game():
            return False
        self.state.take_back()
        self.events.taken_back()
        self._continue()
        return True

    def _continue(self) -> None:
        """Go on after a change: let the defender reply, or end the game."""
        self._turn_started_at = self._clock()
        self.engine.forget()
        if self.state.stage == REVIEW:
            self._end()
            return
        self.events.changed()
        is_your_turn = self.state.your_turn
        self.events.turn_began(is_your_turn)
        if is_your_turn:
            self._estimate()
        else:
            # The user's move is drawn first. The reply is then found in this thread: it takes a third of a second at
            # most (`benchmarks.pressing`), and needs no check whether it is out of date.
            self._defer(self._reply)

    def _estimate(self) -> None:
        """Let the engine estimate the position if the verdict is shown and no table knows it."""
        state = self.state
        if not self._shows_estimates or state.stage != PLAY or not state.your_turn or state.hides_verdict:
            return
        if self.engine.is_awaited or (state.hint is not None and self.engine.estimate is not None):
            return  # a hint waits for the engine, or is based on its estimate
        if state.is_estimated:
            self.engine.think(state.running_match.tracked, ESTIMATE_LIMITS)

    def _reply(self) -> None:
        """Let the defender claim a draw or move: by the tables, else by the engine."""
        state = self.state
        if state.stage != PLAY or state.your_turn:
            return  # the game has changed since the reply was scheduled
        try:
            claim = state.reply()
        except EndgameError:
            self.events.engine_started(EngineUse.REPLY)
            self.engine.think(state.running_match.tracked, REPLY_LIMITS, self._play_reply)
            self.events.changed()
            return
        if claim is not None:
            self._end(claim)
            return
        self.events.moved(state.plies[-1])
        self._continue()

    def _play_reply(self, move: Any) -> None:
        """Play the defender's move that the engine found, unless the game has changed meanwhile."""
        if self.state.stage == PLAY and not self.state.your_turn:
            self.events.moved(self.state.make(move))
            self._continue()

    def _on_engine_failed(self, problem: EndgameError) -> None:
        self.events.changed()
        self.events.engine_failed(problem)

    def _end(self, claim: Claim[Any] | None = None, by_user: bool = False) -> None:
        """Report that the game has ended, by a claimed draw if one is given; ``by_user`` if the user claimed it."""
        self.engine.forget()
        self.events.over(claim, by_user)

    def tick(self) -> None:
        """Handle a second of the user's time; end the game if it is up."""
        match = self.state.match
        if self.state.tick(self.elapsed):
            self._end()
        elif match is not None and match.control is not None and match.your_turn:
            self.events.clock_changed()

    def _require_game(self) -> bool:
        """Return whether a game is being played; if not, say so."""
        if self.state.stage == PLAY:
            return True
        if self.state.stage == REVIEW:
            reason = Notice.GAME_OVER
        else:
            reason = Notice.BEGIN_FIRST
        self.events.notice(reason)
        return False

    # Hints, the verdict, draws

    def hint(self, choose_steps: ChooseSteps = piece_move) -> None:
        """Give the next step of a hint: the piece, then the move.

        Args:
            choose_steps: Chooses the steps for the move that the hint is about.
        """
        state = self.state
        if not self._require_game():
            return
        if not state.your_turn:
            self.events.notice(Notice.DEFENDER_TO_MOVE)
            return
        try:
            best = state.best_move()
        except EndgameError:
            self._hint_by_engine(choose_steps)
            return
        self._give_hint(best, choose_steps)

    def _hint_by_engine(self, choose_steps: ChooseSteps) -> None:
        """Give a hint for the move of the estimate that is shown, else let the engine look for one."""
        estimate = self.engine.estimate
        if self.state.shows_verdict and estimate is not None and estimate.move is not None:
            self.engine.cancel()
            self._give_hint(estimate.move, choose_steps)
            return
        self.events.engine_started(EngineUse.HINT)
        self.engine.think(
            self.state.running_match.tracked, REPLY_LIMITS, lambda best: self._give_hint(best, choose_steps)
        )

    def _give_hint(self, best: Any, choose_steps: ChooseSteps) -> None:
        if self.state.your_turn:
            self.state.give_hint(best, choose_steps)
            self.events.hinted()

    def toggle_verdict(self) -> None:
        """Show or hide the verdict."""
        if self.state.stage == REVIEW:
            self.events.notice(Notice.VERDICT_SHOWN)
            return
        self.state.change("verdict", 1)
        self.events.changed()
        self._estimate()

    def claim_or_offer_draw(self) -> None:
        """Claim a draw, after a question, if there is one to claim; else offer one. Raises PositionError."""
        if not self._require_game():
            return
        if self.state.claim is not None:
            self.events.ask(Question.CLAIM_DRAW, self._claim_draw)
        elif self.state.running_match.with_friend:
            self.events.ask(Question.ACCEPT_DRAW, self._agree_draw)
        elif self.state.offer_draw():
            self._end()
        else:
            self.events.notice(Notice.DRAW_DECLINED)

    def _claim_draw(self) -> None:
        if self._require_game():  # the user's time may have run out during the question
            self._end(self.state.claim_draw(), by_user=True)

    def _agree_draw(self) -> None:
        if self._require_game():
            self.state.running_match.agree_draw()
            self._end()

    # Giving up, and looking back

    def show_solution(self) -> None:
        """Ask whether to give up, then show the best line."""
        if self._require_game():
            self.events.ask(Question.SHOW_SOLUTION, self._find_solution)

    def _find_solution(self) -> None:
        """Show the best line: by the tables, else by the engine."""
        if self.state.stage != PLAY:
            return
        try:
            line = self.state.best_line()
        except EndgameError:
            self.events.engine_started(EngineUse.SOLUTION)
            self.engine.think(self.state.running_match.tracked, REPLY_LIMITS, self._show_estimated_line)
            return
        self._show_line(line)

    def _show_estimated_line(self, _move: Any) -> None:
        estimate = self.engine.estimate
        self._show_line([] if estimate is None else list(estimate.line), estimated=True)

    def _show_line(self, line: list[Any], estimated: bool = False) -> None:
        if self.state.stage == PLAY:
            self.state.show_solution(line, estimated)
            self.events.solution_shown()
            self._end()

    def step(self, plies: int) -> None:
        """Step forward in the finished game, or back; without one, do nothing."""
        if self.state.review is not None:
            self.state.review.step(plies)
            self.events.reviewed()

    def go(self, ply: int) -> None:
        """Go to a ply of the finished game; without one, do nothing."""
        if self.state.review is not None:
            self.state.review.go(ply)
            self.events.reviewed()

    def next_error(self) -> None:
        """Go to the user's next move that was not the best."""
        review = self.state.review
        if review is None:
            self.events.notice(Notice.ERRORS_LATER)
        elif review.next_error():
            self.events.reviewed()
        else:
            self.events.notice(Notice.NO_ERRORS)

    def practise_errors(self) -> StudyImport | None:
        """Add the positions of the user's errors to the set of their games; None before the end of the game.

        Raises:
            EndgameError: There is no error, or the set cannot be changed.
        """
        if self.state.stage != REVIEW:
            self.events.notice(Notice.ERRORS_LATER)
            return None
        return self.state.practise_errors()

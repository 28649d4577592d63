"""Lets the engine of a game think about one position at a time, for the task that plays the game."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

from endgame_core.controls import instruct
from endgame_core.errors import EndgameError
from endgame_core.game_state import GameState
from endgame_core.language import _
from endgame_core.search_estimate import Engine, Limits, SearchEstimate

if TYPE_CHECKING:
    from endgame_core.app_context import AppContext

M = TypeVar("M")

REPLY_LIMITS: Final = Limits(seconds=1.0)
"""How long the engine thinks about a move, a hint or a line."""

ESTIMATE_LIMITS: Final = Limits(seconds=4.0)
"""How long the engine improves an estimate that is shown while it is the user's turn."""


class EngineTask(Generic[M]):
    """The position that an engine thinks about, its newest estimate, and what continues with the best move.

    If an engine fails while it thinks, the built-in search takes over.

    Args:
        lab: Provides the engine.
        game: Name of the game.
        post: Schedules a call in the thread in which the game is played; called from any thread.

    Attributes:
        estimate: The newest estimate of the position; None before the first.
        problem: Why the engine found no move; None while it thinks, and if it found one.
        on_estimate: Called for every new estimate.
        on_failed: Called when the engine has found no move.
    """

    def __init__(self, lab: AppContext, game: str, post: Callable[[Callable[[], None]], object]) -> None:
        self._lab = lab
        self._game = game
        self._post = post
        self._number = 0
        """Number of the current run; calls from earlier ones are ignored."""
        self._proceed: Callable[[M], object] | None = None
        """Called with the best move when the engine has finished."""
        self.problem: EndgameError | None = None
        self.estimate: SearchEstimate[M] | None = None
        self.on_estimate: Callable[[], object] = lambda: None
        self.on_failed: Callable[[EndgameError], object] = lambda problem: None

    @property
    def _engine(self) -> Engine:
        return self._lab.engine(self._game)

    @property
    def name(self) -> str:
        """Name of the engine."""
        return self._engine.name

    @property
    def is_awaited(self) -> bool:
        """Whether the task waits for the engine's move; False for an estimate that is only shown."""
        return self._proceed is not None

    def think(self, game: GameState[Any, M], limits: Limits, proceed: Callable[[M], object] | None = None) -> None:
        """Think about the current position of a game, instead of the one before.

        Args:
            game: The game; it may go on meanwhile.
            limits: When to stop.
            proceed: Called with the best move when the engine has finished.
        """
        self._number += 1
        self.estimate = None
        self.problem = None
        self._proceed = proceed
        # The callbacks below come late, perhaps after another run has begun: each knows its own number.
        number = self._number
        unchanged_game = game.copy()
        engine = self._engine

        def add_estimate(estimate: SearchEstimate[M]) -> None:
            if number == self._number:
                self.estimate = estimate
                self.on_estimate()

        def finish(problem: EndgameError | None) -> None:
            if number != self._number:
                return
            if problem is not None and self._lab.fall_back_to_search(self._game, engine, problem):
                self.think(unchanged_game, limits, proceed)
            else:
                self._finish(problem)

        try:
            engine.think(
                game,
                limits,
                lambda estimate: self._post(lambda: add_estimate(estimate)),
                lambda problem: self._post(lambda: finish(problem)),
            )
        except EndgameError as problem:
            finish(problem)

    def cancel(self) -> None:
        """Stop thinking; the estimate stays, and nothing waits for a move any more."""
        self._number += 1
        self._proceed = None
        self._engine.cancel()

    def move_now(self) -> None:
        """Stop thinking and proceed with the best move so far; without one, nothing waits for a move any more."""
        proceed = self._proceed
        self.cancel()
        move = None
        if self.estimate is not None:
            move = self.estimate.move
        if proceed is not None and move is not None:
            proceed(move)

    def forget(self) -> None:
        """Stop thinking and drop the estimate."""
        if self._number and (self._proceed is not None or self.estimate is not None):
            self._engine.cancel()
        self._number += 1
        self.estimate = None
        self.problem = None
        self._proceed = None

    def _finish(self, problem: EndgameError | None) -> None:
        """Proceed with the best move, or report why there is none."""
        proceed = self._proceed
        self._proceed = None
        move = None
        if self.estimate is not None:
            move = self.estimate.move
        if proceed is not None and move is not None:
            proceed(move)
        elif problem is not None or proceed is not None:
            advice = instruct(_("take back your move with {take_back}, or begin a new game with {new}"))
            self.problem = problem or EndgameError(_("no move was found"), advice)
            self.on_failed(self.problem)

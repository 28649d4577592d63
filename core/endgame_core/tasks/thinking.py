"""What a search thinks about a game while it is played: where no table reaches, replies and hints are estimates."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Generic, TypeVar

from endgame_core.errors import EndgameError
from endgame_core.estimate import Estimate, Limits, Thinker
from endgame_core.tracked import Tracked

M = TypeVar("M")

REPLY: Final = Limits(seconds=1.0)
"""How long the defender thinks."""

LOOK: Final = Limits(seconds=4.0)
"""How long an estimate is made better while it is your move."""


class Thinking(Generic[M]):
    """One thought at a time, and what waits for it.

    Args:
        thinker: Who thinks; called when first needed.
        post: Called from any thread with what is to be done where the game is played: once for every estimate.
    """

    def __init__(self, thinker: Callable[[], Thinker], post: Callable[[Callable[[], None]], object]) -> None:
        self._thinker, self._post = thinker, post
        self._number = 0
        self._then: Callable[[M], object] | None = None
        self.thought: Estimate[M] | None = None
        """The newest estimate of the position that is thought about."""
        self.on_thought: Callable[[], object] = lambda: None
        """Called for every new estimate."""
        self.on_trouble: Callable[[EndgameError], object] = lambda problem: None
        """Called when thinking was of no use."""

    @property
    def name(self) -> str:
        """Who thinks."""
        return self._thinker().name

    @property
    def is_awaited(self) -> bool:
        """Whether something waits for the thought under way."""
        return self._then is not None

    def think(self, game: Tracked[Any, M], limits: Limits, then: Callable[[M], object] | None = None) -> None:
        """Thinks about the position of a game; ``then`` is called with the best move when it is done."""
        self._number += 1
        self.thought, self._then = None, then
        number = self._number

        def estimated(thought: Estimate[M]) -> None:
            self._post(lambda: self._take(number, thought))

        def concluded(problem: EndgameError | None) -> None:
            self._post(lambda: self._conclude(number, problem))

        try:
            self._thinker().think(game, limits, estimated, concluded)
        except EndgameError as problem:
            self._then = None
            self.on_trouble(problem)

    def cancel(self) -> None:
        """Ends the thought under way; what has been thought stays."""
        self._thinker().cancel()

    def forget(self) -> None:
        """What is or was thought is of no more use."""
        if self._number and (self._then is not None or self.thought is not None):
            self._thinker().cancel()
        self._number += 1
        self.thought = self._then = None

    def _take(self, number: int, thought: Estimate[M]) -> None:
        if number == self._number:
            self.thought = thought
            self.on_thought()

    def _conclude(self, number: int, problem: EndgameError | None) -> None:
        if number != self._number:
            return
        then, self._then = self._then, None
        move = self.thought.move if self.thought is not None else None
        if then is not None and move is not None:
            then(move)
        elif problem is not None:
            self.on_trouble(problem)

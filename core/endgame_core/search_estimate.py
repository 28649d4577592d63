"""Estimates of positions that no table covers, by the search or an engine: opinions, never verdicts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from endgame_core.errors import EndgameError
from endgame_core.game_state import GameState

M = TypeVar("M")


@dataclass(frozen=True)
class SearchEstimate(Generic[M]):
    """The opinion after a completed depth, for the side to move.

    Attributes:
        depth: Plies searched in all lines; tables and forcing moves extend lines beyond it.
        score: Hundredths of a pawn (in Morris, of a stone), positive if the side to move is better; 0 if ``mate`` is
            given.
        mate: Plies to the mate at the end of the line: positive (odd) if the side to move mates, negative (even) if it
            is mated, 0 if it is mated already; None if no mate was found. A mate found by our own search is forced, on
            the board or by a table that the line reaches; there may be a quicker one.
        line: The expected moves, the move to play first, up to a table that knows the rest; empty if the game is over.
        nodes: Positions searched.
        seconds: Time since the search began.
        source: Author of the estimate: ``search``, or the name of an engine.
        looked_up: Positions found in tables.
        exact: Whether only finished games and tables decided: the estimate is then correct, the 50-move rule aside.
    """

    depth: int
    score: int
    mate: int | None
    line: tuple[M, ...]
    nodes: int
    seconds: float
    source: str
    looked_up: int = 0
    exact: bool = False

    @property
    def move(self) -> M | None:
        """The move to play; None if the game is over."""
        return self.line[0] if self.line else None


@dataclass(frozen=True)
class Limits:
    """Limits of a search. The first one reached ends it, but never before it has found a move.

    Attributes:
        seconds: Time.
        depth: Plies.
        nodes: Positions; None for no limit.
        moves: The moves to choose from, in UCI notation; empty for all. Only our own search heeds them.
    """

    seconds: float = 5.0
    depth: int = 60
    nodes: int | None = None
    moves: tuple[str, ...] = ()


OnEstimate = Callable[[SearchEstimate[Any]], object]
OnEnd = Callable[[EndgameError | None], object]


class Engine(Protocol):
    """Analyses one position at a time, outside the caller's thread.

    Callbacks run in another thread: a screen posts a message from them.
    """

    @property
    def name(self) -> str:
        """``search``, or the name of an external engine."""
        ...

    def think(self, game: GameState[Any, Any], limits: Limits, on_estimate: OnEstimate, on_end: OnEnd) -> None:
        """Cancel the running analysis and start a new one; returns at once.

        Args:
            game: The game so far; used only during the call.
            limits: When to stop.
            on_estimate: Called after each completed depth.
            on_end: Called once when the analysis ends, with an error or None; not called if it was cancelled.
        """
        ...

    def cancel(self) -> None:
        """Stop the analysis; returns at once. Only a callback that is already running can still finish."""
        ...

    def close(self) -> None:
        """Stop the analysis and the engine's process."""
        ...

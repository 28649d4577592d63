"""What a search or an engine thinks of a position that no table covers: an opinion, never a verdict."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from endgame_core.errors import EndgameError
from endgame_core.game_state import GameState

M = TypeVar("M")


@dataclass(frozen=True)
class Estimate(Generic[M]):
    """The opinion after a finished depth, seen by the side to move.

    Attributes:
        depth: Plies looked ahead everywhere; tables and forcing moves are looked at beyond it.
        score: Hundredths of a pawn (in Morris, of a stone), positive when the side to move stands better; 0 where
            ``mate`` is given.
        mate: Plies to the mate at the end of the line: positive (odd) when the side to move gives it, negative
            (even) when it suffers it, 0 when it is mated already; None when no mate is in sight. A mate of our own
            search is forced, on the board or by a table that the line leads to; a quicker one may exist.
        line: The moves expected, the move to play first, as far as a table that knows the rest; empty when the game
            is over.
        nodes: Positions looked at.
        seconds: Since the search began.
        source: Who thinks so: ``search``, or the name of an engine.
        looked_up: Positions that tables were asked about with success.
        exact: Whether finished games and tables alone decided: then it is the truth, the 50-move rule aside.
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
        """The move to play, None when the game is over."""
        return self.line[0] if self.line else None


@dataclass(frozen=True)
class Limits:
    """When to stop thinking; whichever comes first, and never before a first move is found.

    Attributes:
        seconds: Time to think.
        depth: Plies.
        nodes: Positions; None for any number.
    """

    seconds: float = 5.0
    depth: int = 60
    nodes: int | None = None


OnEstimate = Callable[[Estimate[Any]], object]
OnEnd = Callable[[EndgameError | None], object]


class Engine(Protocol):
    """Thinks about one position at a time, outside the caller's thread.

    Callbacks come from another thread than the caller's: a screen posts a message from them.
    """

    @property
    def name(self) -> str:
        """Who thinks: ``search``, or the name of an engine."""
        ...

    def think(self, game: GameState[Any, Any], limits: Limits, on_estimate: OnEstimate, on_end: OnEnd) -> None:
        """Starts thinking, after cancelling what was under way; returns at once.

        Args:
            game: The game so far; looked at only during the call.
            limits: When to stop.
            on_estimate: Told every finished depth.
            on_end: Told once when thinking ends, however it does, with what went wrong, if anything did; not told
                of a thought that was cancelled.
        """
        ...

    def cancel(self) -> None:
        """Stops thinking; returns at once. Only a callback that has already begun can still come to its end."""
        ...

    def close(self) -> None:
        """Stops, and ends whatever process was used."""
        ...

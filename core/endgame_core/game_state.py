"""The state of a game in progress, as search and play need it for any game, and the ways in which games end."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Protocol, Self, TypeVar

from endgame_core.language import N_

M = TypeVar("M")
P_co = TypeVar("P_co", covariant=True)


class Win(StrEnum):
    """How a game was won on the board, to follow ``by`` in a sentence."""

    MATE = N_("checkmate")
    STONES = N_("leaving two stones")
    BLOCKED = N_("leaving no move")


class Draw(StrEnum):
    """Why a game is drawn or can be claimed as drawn, to end a sentence."""

    STALEMATE = N_("stalemate")
    MEN = N_("insufficient material")
    THREEFOLD = N_("threefold repetition")
    FIVEFOLD = N_("fivefold repetition")
    FIFTY = N_("50 moves without a capture or a pawn move")
    SEVENTY_FIVE = N_("75 moves without a capture or a pawn move")
    QUIET = N_("50 moves without a capture")


class GameState(Protocol[P_co, M]):
    """A game in progress: moves are pushed and popped, and previous positions are remembered.

    ``push`` and ``pop`` update everything here in constant time; ``pop`` restores it exactly.
    """

    @property
    def key(self) -> int:
        """64-bit hash: equal for equal men, side to move and rights, regardless of the history."""
        ...

    @property
    def clock(self) -> int:
        """Plies since the last irreversible move (in chess, a capture or a pawn move)."""
        ...

    @property
    def occurrences(self) -> int:
        """The number of times the position has occurred, including now."""
        ...

    @property
    def evaluation(self) -> int:
        """A static evaluation for the side to move, in hundredths of a pawn or of a Morris stone."""
        ...

    @property
    def position(self) -> P_co:
        """The current position, as an immutable copy without history."""
        ...

    @property
    def live_position(self) -> P_co:
        """The current position without copying: read-only, and valid only until the next ``push`` or ``pop``."""
        return self.position

    @property
    def start(self) -> P_co:
        """The position at which the game started, as an immutable copy."""
        ...

    @property
    def history(self) -> Sequence[M]:
        """The moves made since the start; read-only."""
        ...

    def copy(self) -> Self:
        """Return an independent copy of the game, including its history."""
        ...

    def push(self, move: M) -> None:
        """Make a legal move."""
        ...

    def pop(self) -> M:
        """Take back the last move; raises IndexError at the start."""
        ...

    def skip(self) -> bool:
        """Make a null move, undone by ``pop``; return False and do nothing if a null move is useless here."""
        ...

    def moves(self) -> list[M]:
        """Return all legal moves, in any order; none if the game is over by the rules of the board."""
        ...

    def forcing_moves(self) -> list[M]:
        """Return the moves to search before evaluating: captures and promotions; in check, all legal moves."""
        ...

    def gain(self, move: M) -> int:
        """Return how promising a forcing move looks, the most promising highest; 0 for a quiet move."""
        ...

    def is_threatened(self) -> bool:
        """Return whether the side to move must answer an immediate threat to lose: in chess, whether it is in check."""
        return False

    def may_be_in_tables(self) -> bool:
        """Return whether a table may cover the position; False saves a useless probe."""
        ...

    def board_outcome(self) -> Win | Draw | None:
        """Return how the game ends if the side to move has no move: won by the other side, or drawn; else None."""
        ...

    def claimable_draw(self, move: M | None = None) -> Draw | None:
        """Return the draw that the side to move can claim now, or by announcing ``move``; None if there is none."""
        ...

    def is_dead(self) -> bool:
        """Return whether neither side can win any more by any sequence of moves."""
        return False

    def automatic_draw(self) -> Draw | None:
        """Return the draw that ends the game without a claim; None while it goes on or if it was won."""
        ...

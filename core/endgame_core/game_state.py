"""A game in progress, as search and play need it of any game, and how games end."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Protocol, Self, TypeVar

M = TypeVar("M")
P_co = TypeVar("P_co", covariant=True)


class Win(StrEnum):
    """By what a game was won on the board, in words that follow ``by``."""

    MATE = "checkmate"
    STONES = "leaving two stones"
    BLOCKED = "leaving no move"


class Draw(StrEnum):
    """Why a game is drawn, or may be claimed to be, in words that end a sentence."""

    STALEMATE = "stalemate"
    MEN = "not enough men to win"
    THREEFOLD = "threefold repetition"
    FIVEFOLD = "fivefold repetition"
    FIFTY = "50 moves without a capture or a pawn move"
    SEVENTY_FIVE = "75 moves without a capture or a pawn move"
    QUIET = "50 moves without a capture"


class GameState(Protocol[P_co, M]):
    """A game in progress: moves are made on it and taken back, and it remembers which positions have occurred.

    Everything here is kept up to date by ``push`` and ``pop`` in constant time, and undone exactly.
    """

    @property
    def key(self) -> int:
        """64 bits: the same for the same men, side to move and rights, whatever came before."""
        ...

    @property
    def clock(self) -> int:
        """Plies since the last move that cannot be undone by others (in chess, a capture or a pawn move)."""
        ...

    @property
    def occurrences(self) -> int:
        """How often the position has occurred, now included."""
        ...

    @property
    def evaluation(self) -> int:
        """An estimate for the side to move without looking ahead, in hundredths of a pawn, or of a Morris stone."""
        ...

    @property
    def position(self) -> P_co:
        """The position of this moment, as a copy without the past that nobody changes."""
        ...

    @property
    def live_position(self) -> P_co:
        """The same without copying, only to be looked at, and only until the next ``push`` or ``pop``."""
        return self.position

    @property
    def start(self) -> P_co:
        """The position the game began from, as such a copy."""
        ...

    @property
    def history(self) -> Sequence[M]:
        """The moves made since the start; not to be changed."""
        ...

    def copy(self) -> Self:
        """The same game, past included, to go on with elsewhere."""
        ...

    def push(self, move: M) -> None:
        """Makes a legal move."""
        ...

    def pop(self) -> M:
        """Takes back the last move; raises IndexError at the start."""
        ...

    def skip(self) -> bool:
        """Lets the side to move pass, undone by ``pop``; False, and nothing done, where passing tells nothing."""
        ...

    def moves(self) -> list[M]:
        """All legal moves, in any order; none when the game is over by the rules of the board."""
        ...

    def forcing_moves(self) -> list[M]:
        """The moves to be made before judging: captures and promotions; in check, all legal moves."""
        ...

    def gain(self, move: M) -> int:
        """How promising a forcing move looks, the biggest first; 0 for a quiet move."""
        ...

    def is_threatened(self) -> bool:
        """Whether the side to move must answer a threat to lose at once: in chess, is in check."""
        return False

    def may_be_in_tables(self) -> bool:
        """Whether tables may know the position; False where none ever does, and asking would only cost time."""
        ...

    def board_outcome(self) -> Win | Draw | None:
        """How the game ends where the side to move has no move: won by the other side, or drawn; None otherwise."""
        ...

    def claimable_draw(self, move: M | None = None) -> Draw | None:
        """The draw that the side to move may claim now, or by announcing ``move``; None when there is none."""
        ...

    def is_dead(self) -> bool:
        """Whether nobody can win any more, whatever is played."""
        return False

    def automatic_draw(self) -> Draw | None:
        """The draw that has happened without anyone claiming it; None while the game goes on or has been won."""
        ...

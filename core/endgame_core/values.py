"""What a position is worth: result and depth, and the code that holds both; and what a played move was worth.

A *code* is a number of 16 bits that holds the value of a position for the side to move. Bigger is better:
a loss in ``d`` plies (d even) is ``d // 2``, a draw is :data:`DRAW`, a win in ``d`` plies (d odd) is
``65535 - (d - 1) // 2``. So the value of a position is the maximum of :func:`before` over its successors. A game whose
depths have no parity (:meth:`Index.value` tells) may use codes otherwise, as long as bigger is better.

A table stores a *byte* for each position wherever bytes hold all its values: the low byte of the code, so that losses
up to 254 plies, the draw (128), and wins up to 253 fill it exactly, in the same order. A *wide* table stores codes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

DRAW = 0x8080
"""The code of a drawn position; its low byte stands in the middle, too."""

BYTE_DRAW = DRAW & 255
"""The byte of a drawn position."""

LAST = 2 * (0xFFFE - DRAW)
"""The last layer for which there is a code with either side to move."""

LAST_OF_BYTES = 254
"""The last layer for which there is a byte."""

HORIZON = 100
"""Plies without a zeroing move after which a draw can be claimed: 50 moves of each side."""

LAST_CLOCK = 150
"""Plies without a capture or pawn move after which a game is drawn without a claim: the 75-move rule."""

Winner = str
"""``"white"`` or ``"black"`` for chess; White is the side named first in the ending."""

WINNERS: tuple[Winner, Winner] = ("white", "black")
"""The side named first in the ending, and the other one."""


def other(winner: Winner) -> Winner:
    """The other side."""
    return "black" if winner == "white" else "white"


class Category(StrEnum):
    """The result for the side to move, in the words of the lichess tablebase API.

    DTM knows win, draw and loss. The 50-move rule adds the cursed win and the blessed loss (drawn when someone claims),
    and, where DTZ is rounded and the clock near 100, wins and losses that may be so.
    """

    WIN = "win"
    MAYBE_WIN = "maybe-win"
    CURSED_WIN = "cursed-win"
    DRAW = "draw"
    BLESSED_LOSS = "blessed-loss"
    MAYBE_LOSS = "maybe-loss"
    LOSS = "loss"

    @property
    def turned(self) -> Category:
        """The same as the other side sees it."""
        return _FROM_LOSS[_FROM_WIN[self]]

    @property
    def wdl(self) -> int | None:
        """The result as Syzygy files have it: 2 for a win, 1 a cursed win, 0, -1, -2; None where it may be either."""
        return _WDL.get(self)

    @property
    def sign(self) -> int:
        """1 for a win, 0 for a draw and -1 for a loss, the 50-move rule left out of account."""
        place, middle = _FROM_WIN[self], _FROM_WIN[Category.DRAW]
        return (place < middle) - (place > middle)

    @property
    def goodness(self) -> int:
        """How much the side to move likes it, 0 for a loss."""
        return len(_FROM_LOSS) - 1 - _FROM_WIN[self]


_FROM_WIN = {category: place for place, category in enumerate(Category)}
_FROM_LOSS = tuple(reversed(Category))
_WDL = {Category.WIN: 2, Category.CURSED_WIN: 1, Category.DRAW: 0, Category.BLESSED_LOSS: -1, Category.LOSS: -2}


_LATE = {
    Category.WIN: Category.CURSED_WIN, Category.MAYBE_WIN: Category.CURSED_WIN,
    Category.LOSS: Category.BLESSED_LOSS, Category.MAYBE_LOSS: Category.BLESSED_LOSS,
}  # fmt: skip


def late(category: Category) -> Category:
    """What is left of a category when a draw could be claimed before."""
    return _LATE.get(category, category)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a probe returns, seen by the side to move.

    Attributes:
        category: Win, draw or loss.
        depth: Plies to the end under best play, None for a draw.
        winner: Who wins, in the position's own colours; None for a draw.
    """

    category: Category
    depth: int | None
    winner: Winner | None

    @property
    def code(self) -> int:
        """As tables by depth have it."""
        return code_of(self.category, self.depth)

    @property
    def signed(self) -> int:
        """The depth, positive when the side to move wins and negative when it loses; 0 for a draw."""
        return (self.depth or 0) if self.category in (Category.WIN, Category.CURSED_WIN) else -(self.depth or 0)


@dataclass(frozen=True, slots=True)
class Fifty:
    """What the 50-move rule makes of a position with its half-move clock, for the side to move.

    Attributes:
        category: One of seven.
        dtz: Signed plies, as a source tells them.
        precise_dtz: The same, None where it may be rounded.
        clock: Plies since the last capture or pawn move.
        dtm: Signed plies to mate with no 50-move rule; None when no table tells.
        turn: Whether White is to move.
        only_mate: Nothing but mate can end the phase for the winner.
        pawns: A pawn stands on the board.
        stalemate: The side to move is stalemated.
    """

    category: Category
    dtz: int
    precise_dtz: int | None
    clock: int
    dtm: int | None
    turn: bool
    only_mate: bool
    pawns: bool = True
    stalemate: bool = False


def code_of(category: Category, depth: int | None) -> int:
    """Encodes a value; ``depth`` in plies, None for a draw."""
    if category is Category.DRAW or depth is None:
        return DRAW
    return 0xFFFF - (depth - 1) // 2 if category is Category.WIN else depth // 2


def value_of(code: int) -> tuple[Category, int | None]:
    """Decodes a code into category and depth in plies (None for a draw)."""
    if code == DRAW:
        return Category.DRAW, None
    return (Category.WIN, 2 * (0xFFFF - code) + 1) if code > DRAW else (Category.LOSS, 2 * code)


def before(code: int) -> int:
    """The code a move is worth to its mover, given the code of the position it leads to."""
    if code == DRAW:
        return DRAW
    return 0xFFFF - code if code < DRAW else 0x10000 - code


def byte_of(code: int) -> int:
    """The byte of a code.

    A depth without a byte is given the last one that has one: no position of a table of bytes has it, but a bad move
    may be worth it (KPPvKP has losses in 254 plies; a win in 255 becomes one in 253).
    """
    if code == DRAW:
        return BYTE_DRAW
    return min(code, BYTE_DRAW - 1) if code < DRAW else max(code, 0xFF00 | BYTE_DRAW + 1) & 255


def is_byte(code: int) -> bool:
    """Whether a byte holds the value of a code."""
    return OF_BYTES[byte_of(code)] == code


OF_BYTES = (*range(BYTE_DRAW), DRAW, *range(0xFF00 | BYTE_DRAW + 1, 0x10000))
"""The code of each of the 256 bytes."""

BYTES_BEFORE = tuple(byte_of(before(code)) for code in OF_BYTES)
"""What a move is worth to its mover, as a byte, by the byte of the position it leads to."""


class Kind(StrEnum):
    """What a move did to the result."""

    BEST = "best"
    """Wins in the fewest plies, or resists for the most."""
    SLOWER = "slower"
    """Still wins, later than necessary."""
    FASTER = "faster"
    """Loses all the same, but sooner than necessary."""
    WIN_GONE = "win gone"
    """A won position became a draw."""
    CURSED = "cursed"
    """A win became a cursed one: a draw can be claimed before mate."""
    HOLDS = "holds"
    """A drawn position stays drawn."""
    LOSES = "loses"
    """A won or drawn position became a lost one."""
    KEEPS = "keeps"
    """Still wins; whether in the fewest plies is not known."""
    STILL_LOST = "still lost"
    """Loses all the same; whether as late as can be is not known."""

    @property
    def is_error(self) -> bool:
        """Whether the result changed for the worse."""
        return self in (Kind.WIN_GONE, Kind.CURSED, Kind.LOSES)

    @property
    def is_counted(self) -> bool:
        """Whether the plies lost are known."""
        return self not in (Kind.KEEPS, Kind.STILL_LOST)


@dataclass(frozen=True, slots=True)
class Grade:
    """The worth of one move.

    Attributes:
        kind: What it did to the result.
        plies: Plies lost against perfection: for a winner, by which the win became longer; for a loser, by which the
            end came nearer; 0 where the best was played, a draw was held, the result changed, or they are not known.
    """

    kind: Kind
    plies: int = 0

    @property
    def words(self) -> str:
        """The grade in a few words, such as ``2 moves slower``."""
        whole, half = divmod(self.plies, 2)
        number = f"{whole or ''}½" if half else str(whole)
        moves = f"{number} {'move' if self.plies == 2 else 'moves'}"
        return {
            Kind.BEST: "best",
            Kind.SLOWER: f"{moves} slower",
            Kind.FASTER: f"{moves} sooner",
            Kind.WIN_GONE: "throws away the win",
            Kind.CURSED: "turns the win into a cursed win",
            Kind.HOLDS: "holds",
            Kind.LOSES: "loses",
            Kind.KEEPS: "keeps the win",
            Kind.STILL_LOST: "still lost",
        }[self.kind]


def grade_of(best: int, played: int) -> Grade:
    """The grade of a move, given the codes, to its mover, of the best move and of the one played."""
    was, now = value_of(best)[0], value_of(played)[0]
    if was is not now:
        return Grade(Kind.WIN_GONE if now is Category.DRAW else Kind.LOSES)
    if best == DRAW:
        return Grade(Kind.HOLDS)
    if played == best:
        return Grade(Kind.BEST)
    return Grade(Kind.SLOWER if now is Category.WIN else Kind.FASTER, 2 * (best - played))


@dataclass(frozen=True, slots=True)
class GradeTally:
    """The grades of one side's moves, counted.

    Attributes:
        counts: How many moves of each kind; kinds that did not occur are left out.
        plies: Plies lost against perfection, all moves together, as far as known.
    """

    counts: dict[Kind, int]
    plies: int

    @classmethod
    def of(cls, grades: Iterable[Grade | None]) -> GradeTally:
        """Counts grades; moves that no table could grade are left out."""
        known = [grade for grade in grades if grade is not None]
        counts = {kind: sum(grade.kind is kind for grade in known) for kind in Kind}
        return cls({kind: count for kind, count in counts.items() if count}, sum(grade.plies for grade in known))

    @property
    def errors(self) -> int:
        """Moves that changed the result for the worse."""
        return sum(count for kind, count in self.counts.items() if kind.is_error)

    @property
    def moves(self) -> int:
        """Graded moves."""
        return sum(self.counts.values())

    @property
    def counted(self) -> int:
        """Graded moves of which it is known how many plies they lost."""
        return sum(count for kind, count in self.counts.items() if kind.is_counted)


def results(stored: Any, kept: Any) -> Any:
    """Which positions are not won by the side to move, and which are not lost by it; imports numpy.

    Args:
        stored: uint8 bytes or uint16 codes of shape (64 words,).
        kept: Bits of those that count, uint64 of shape (words,).

    Returns:
        uint64 of shape (words, 2).
    """
    import numpy as np

    draw = BYTE_DRAW if stored.itemsize == 1 else DRAW

    def packed(mask: Any) -> Any:
        return kept & np.packbits(mask, bitorder="little").view("<u8").astype(np.uint64)

    return np.stack([packed(stored <= draw), packed(stored >= draw)], axis=1)

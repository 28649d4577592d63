"""Values of positions (result and depth), the code that holds both, and grades of played moves.

A *code* is a number of 16 bits that holds the value of a position for the side to move. Bigger is better: a loss in
``d`` plies (d even) is ``d // 2``, a draw is :data:`DRAW`, a win in ``d`` plies (d odd) is ``65535 - (d - 1) // 2``. So
the value of a position is the maximum of :func:`code_before` over its successors. For example, mated is 0, mate in 1
ply is 65535, mated in 2 plies is 1. A game whose depths have no parity (see :meth:`Index.value`) may use other codes,
as long as bigger is better.

A table stores a *byte* for each position if bytes hold all its values: the low byte of the code, so that losses up to
254 plies, the draw (128), and wins up to 253 fill it exactly, in the same order. A *wide* table stores codes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

DRAW = 0x8080
"""The code of a drawn position; its low byte is also the middle of its range."""

BYTE_DRAW = DRAW & 255
"""The byte of a drawn position."""

LAST_LAYER = 2 * (0xFFFE - DRAW)
"""The last layer for which both sides to move have a code."""

LAST_BYTE_LAYER = 254
"""The last layer that bytes can hold."""

HORIZON = 100
"""Plies without a zeroing move after which a draw can be claimed: 50 moves of each side."""

LAST_CLOCK = 150
"""Plies without a capture or pawn move after which a game is drawn without a claim: the 75-move rule."""

Winner = str
"""``"white"`` or ``"black"`` for chess; White is the side named first in the ending."""

WINNERS: tuple[Winner, Winner] = ("white", "black")
"""The side named first in the ending, then the other side."""


def opposite_side(winner: Winner) -> Winner:
    """Return the other side."""
    if winner == "white":
        return "black"
    return "white"


class Category(StrEnum):
    """The result for the side to move, in the words of the lichess tablebase API.

    DTM distinguishes win, draw and loss. The 50-move rule adds the cursed win and the blessed loss (drawn if a draw is
    claimed) and, where DTZ is rounded and the clock is near 100, wins and losses that are uncertain.
    """

    WIN = "win"
    MAYBE_WIN = "maybe-win"
    CURSED_WIN = "cursed-win"
    DRAW = "draw"
    BLESSED_LOSS = "blessed-loss"
    MAYBE_LOSS = "maybe-loss"
    LOSS = "loss"

    @property
    def negated(self) -> Category:
        """The same result for the other side."""
        return _FROM_LOSS[_FROM_WIN[self]]

    @property
    def wdl(self) -> int | None:
        """The result as in Syzygy files: 2 for a win, 1 for a cursed win, 0, -1, -2; None if it is uncertain."""
        return _WDL.get(self)

    @property
    def sign(self) -> int:
        """1 for a win, 0 for a draw and -1 for a loss, ignoring the 50-move rule."""
        rank = _FROM_WIN[self]
        draw_rank = _FROM_WIN[Category.DRAW]
        return (rank < draw_rank) - (rank > draw_rank)

    @property
    def goodness(self) -> int:
        """The rank among the categories for the side to move, 0 for a loss."""
        return len(_FROM_LOSS) - 1 - _FROM_WIN[self]


# The members of Category are declared from the best to the worst, so that their order is their rank.
_FROM_WIN = {category: place for place, category in enumerate(Category)}
_FROM_LOSS = tuple(reversed(Category))
_WDL = {Category.WIN: 2, Category.CURSED_WIN: 1, Category.DRAW: 0, Category.BLESSED_LOSS: -1, Category.LOSS: -2}


_AFTER_CLAIM = {
    Category.WIN: Category.CURSED_WIN, Category.MAYBE_WIN: Category.CURSED_WIN,
    Category.LOSS: Category.BLESSED_LOSS, Category.MAYBE_LOSS: Category.BLESSED_LOSS,
}  # fmt: skip


def after_claim(category: Category) -> Category:
    """Return the category that remains once a draw can be claimed."""
    return _AFTER_CLAIM.get(category, category)


@dataclass(frozen=True, slots=True)
class Verdict:
    """The value of a position, for the side to move.

    Attributes:
        category: Win, draw or loss.
        depth: Plies to the end under best play, None for a draw.
        winner: The winner in the position's own colours; None for a draw.
    """

    category: Category
    depth: int | None
    winner: Winner | None

    @property
    def code(self) -> int:
        """The code in tables by depth."""
        return code_of(self.category, self.depth)

    @property
    def signed_depth(self) -> int:
        """The depth in plies, positive if the side to move wins, negative if it loses; 0 for a draw."""
        depth = self.depth or 0
        if self.category in (Category.WIN, Category.CURSED_WIN):
            return depth
        return -depth


@dataclass(frozen=True, slots=True)
class Fifty:
    """The value of a position under the 50-move rule with its half-move clock, for the side to move.

    Attributes:
        category: The category, one of seven.
        dtz: Signed plies, as the source has them.
        precise_dtz: The same, None if it may be rounded.
        clock: Plies since the last capture or pawn move.
        dtm: Signed plies to mate ignoring the 50-move rule; None if unknown.
        turn: Whether White is to move.
        only_mate: Whether only mate can end the phase for the winner.
        pawns: Whether there are pawns.
        stalemate: Whether the side to move is stalemated.
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
    """Encode a value; ``depth`` in plies, None for a draw."""
    if category is Category.DRAW or depth is None:
        return DRAW
    if category is Category.WIN:
        return 0xFFFF - (depth - 1) // 2
    return depth // 2


def value_of(code: int) -> tuple[Category, int | None]:
    """Decode a code into category and depth in plies (None for a draw)."""
    if code == DRAW:
        return Category.DRAW, None
    if code > DRAW:
        return (Category.WIN, 2 * (0xFFFF - code) + 1)
    return (Category.LOSS, 2 * code)


def code_before(code: int) -> int:
    """Return the code of a move for its mover, given the code of the position it leads to."""
    if code == DRAW:
        return DRAW
    # If the opponent loses in d plies (code d / 2), the mover wins in d + 1: 65535 - d / 2. If it wins in d plies (code
    # 65535 - (d - 1) / 2), the mover loses in d + 1: (d + 1) / 2.
    if code < DRAW:
        return 0xFFFF - code
    return 0x10000 - code


def byte_of(code: int) -> int:
    """Return the byte of a code.

    A depth without a byte gets the nearest one that has one. No position in a table of bytes has such a depth, but a
    bad move may lead to one (KPPvKP has losses in 254 plies; a win in 255 becomes one in 253).
    """
    if code == DRAW:
        return BYTE_DRAW
    if code < DRAW:
        # Losses have the codes and bytes 0 to 127.
        return min(code, BYTE_DRAW - 1)
    # Wins have the codes 0xFF81 to 0xFFFF, and their low bytes 129 to 255.
    return max(code, 0xFF00 | BYTE_DRAW + 1) & 255


def is_byte(code: int) -> bool:
    """Return whether a byte can hold the value of a code."""
    return CODES_OF_BYTES[byte_of(code)] == code


CODES_OF_BYTES = (*range(BYTE_DRAW), DRAW, *range(0xFF00 | BYTE_DRAW + 1, 0x10000))
"""The code of each of the 256 bytes."""

BYTES_BEFORE = tuple(byte_of(code_before(code)) for code in CODES_OF_BYTES)
"""The byte of a move for its mover, indexed by the byte of the position it leads to."""


class Kind(StrEnum):
    """The effect of a move on the result."""

    BEST = "best"
    """Wins in the fewest plies, or resists longest."""
    SLOWER = "slower"
    """Still wins, but later than necessary."""
    FASTER = "faster"
    """Still loses, but sooner than necessary."""
    WIN_GONE = "win gone"
    """Turned a won position into a draw."""
    CURSED = "cursed"
    """Turned a win into a cursed win: a draw can be claimed before mate."""
    HOLDS = "holds"
    """Kept a drawn position drawn."""
    LOSES = "loses"
    """Turned a won or drawn position into a lost one."""
    KEEPS = "keeps"
    """Still wins; whether in the fewest plies is unknown."""
    STILL_LOST = "still lost"
    """Still loses; whether as late as possible is unknown."""

    @property
    def is_error(self) -> bool:
        """Whether the result changed for the worse."""
        return self in (Kind.WIN_GONE, Kind.CURSED, Kind.LOSES)

    @property
    def is_counted(self) -> bool:
        """Whether the number of lost plies is known."""
        return self not in (Kind.KEEPS, Kind.STILL_LOST)


@dataclass(frozen=True, slots=True)
class Grade:
    """The grade of one move.

    Attributes:
        kind: What it did to the result.
        plies: Plies lost against perfect play, by which a win became longer or a loss shorter. 0 if the best move was
            played, a draw was held, the result changed, or it is unknown how many were lost. A match replaces the 0 of
            a thrown-away win by the plies that the win still needed.
    """

    kind: Kind
    plies: int = 0

    @property
    def words(self) -> str:
        """The grade in a few words, e.g. ``2 moves slower``."""
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
    """Return the grade of a move, given the codes of the best and the played move for their mover."""
    was, _ = value_of(best)
    now, _ = value_of(played)
    # The codes are for the mover, and so are these categories.
    if was is not now:
        return Grade(Kind.WIN_GONE if now is Category.DRAW else Kind.LOSES)
    if best == DRAW:
        return Grade(Kind.HOLDS)
    if played == best:
        return Grade(Kind.BEST)
    # Codes of wins and of losses both fall by one for each two plies lost: mate in 3 plies has 65534, in 5 plies 65533.
    return Grade(Kind.SLOWER if now is Category.WIN else Kind.FASTER, 2 * (best - played))


@dataclass(frozen=True, slots=True)
class GradeTally:
    """Counts of the grades of one side's moves.

    Attributes:
        counts: Number of moves of each kind; kinds that did not occur are left out.
        plies: Plies lost in all moves together, as far as known.
    """

    counts: dict[Kind, int]
    plies: int

    @classmethod
    def of(cls, grades: Iterable[Grade | None]) -> GradeTally:
        """Count grades; None, the grade of a move without a table, is ignored."""
        graded = [grade for grade in grades if grade is not None]
        counts = {kind: sum(grade.kind is kind for grade in graded) for kind in Kind}
        return cls({kind: count for kind, count in counts.items() if count}, sum(grade.plies for grade in graded))

    @property
    def errors(self) -> int:
        """The number of moves that changed the result for the worse."""
        return sum(count for kind, count in self.counts.items() if kind.is_error)

    @property
    def moves(self) -> int:
        """The number of graded moves."""
        return sum(self.counts.values())

    @property
    def counted_moves(self) -> int:
        """The number of graded moves whose lost plies are known."""
        return sum(count for kind, count in self.counts.items() if kind.is_counted)


def result_bits(stored: Any, canonical: Any) -> Any:
    """Return the positions that the side to move does not win, and those that it does not lose; imports numpy.

    Args:
        stored: uint8 bytes or uint16 codes of shape (64 words,).
        canonical: Bits of the slots to include, uint64 of shape (words,).

    Returns:
        uint64 of shape (words, 2).
    """
    import numpy as np

    draw = BYTE_DRAW if stored.itemsize == 1 else DRAW

    def packed(mask: Any) -> Any:
        # Bit i of word w stands for slot 64 w + i, whatever the byte order of the machine.
        return canonical & np.packbits(mask, bitorder="little").view("<u8").astype(np.uint64)

    # Bigger is better: what is at most a draw is not won, what is at least a draw is not lost.
    return np.stack([packed(stored <= draw), packed(stored >= draw)], axis=1)

"""What a position is worth: result and depth, and the code that holds both.

A *code* is one byte that holds the value of a position for the side to move. Bigger is better:
a loss in ``d`` plies (d even) is ``d // 2``, a draw is 128, a win in ``d`` plies (d odd) is
``255 - (d - 1) // 2``. So losses up to 254 plies, wins up to 253 and the draw fill the byte
exactly, and the value of a position is the maximum of :func:`before` over its successors. A game whose depths have
no parity (:meth:`Game.value` tells) may use the byte otherwise, as long as bigger is better.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

DRAW = 128
"""The code of a drawn position."""

LAST = 254
"""The last layer for which there is a code."""

HORIZON = 100
"""Plies without a zeroing move after which a draw can be claimed: 50 moves of each side."""

LAST_CLOCK = 150
"""Plies without a capture or pawn move after which a game is drawn without a claim: the 75-move rule."""

Winner = str
"""``"white"`` or ``"black"`` for chess; White is the side named first in the ending."""


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
    def goodness(self) -> int:
        """How much the side to move likes it, 0 for a loss."""
        return len(_FROM_LOSS) - 1 - _FROM_WIN[self]


_FROM_WIN = {category: place for place, category in enumerate(Category)}
_FROM_LOSS = tuple(reversed(Category))


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
    def layer(self) -> int | None:
        """The n of layer S_n, None for a draw."""
        return self.depth


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
    return 255 - (depth - 1) // 2 if category is Category.WIN else depth // 2


def value_of(code: int) -> tuple[Category, int | None]:
    """Decodes a code into category and depth in plies (None for a draw)."""
    if code == DRAW:
        return Category.DRAW, None
    return (Category.WIN, 2 * (255 - code) + 1) if code > DRAW else (Category.LOSS, 2 * code)


def before(code: int) -> int:
    """The code a move is worth to its mover, given the code of the position it leads to."""
    return 255 - code if code < DRAW else 256 - code

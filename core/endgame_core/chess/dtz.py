"""DTZ codes: what one byte of a table built with the metric ``dtz`` means.

DTZ counts plies to the next *zeroing* move (a capture or a pawn move, which sets the 50-move clock to 0) that keeps the
result, or to mate, when the winner hurries and the loser delays. From 101 plies on the win is *cursed* and the loss
*blessed*: with the clock at 0 the 50-move rule turns it into a draw. A zeroing move into such a position counts as ply
101, as in Syzygy tables.

A loss in n plies is the code n, a win in n plies is 256 - n, and between them stands the draw. Unlike DTM, the parity
of n is free, so that a byte holds 255 losses and wins together; where the draw stands depends on which side may need
long. Bigger is better for the side to move, as in every table.
"""

from __future__ import annotations

from endgame_core.game import Category

HORIZON = 100
"""Plies without a zeroing move after which a draw can be claimed: 50 moves of each side."""

_MIDDLE = 128


def draw_code(ending: str, side: int) -> int:
    """The code of a draw in an ending with one side to move (0 for the side named first).

    Losses last at most one ply less than this, wins at most 255 plies less than this; the solver stops when they do
    not.
    """
    return _MIDDLE


def value_of(code: int, draw: int) -> tuple[Category, int | None]:
    """Decodes a code into category (of five) and DTZ in plies (None for a draw)."""
    if code == draw:
        return Category.DRAW, None
    n = code if code < draw else 256 - code
    if code < draw:
        return (Category.LOSS if n <= HORIZON else Category.BLESSED_LOSS), n
    return (Category.WIN if n <= HORIZON else Category.CURSED_WIN), n


def code_of(category: Category, n: int | None, draw: int) -> int:
    """Encodes a value; ``n`` in plies, None for a draw."""
    if n is None:
        return draw
    return 256 - n if category in (Category.WIN, Category.CURSED_WIN) else n


def zeroed(code: int, draw: int) -> tuple[Category, int | None]:
    """What a zeroing move into a position of this code is worth to its mover: 1 ply, or 101 when it is cursed."""
    category, _ = value_of(code, draw)
    return {
        Category.LOSS: (Category.WIN, 1),
        Category.BLESSED_LOSS: (Category.CURSED_WIN, HORIZON + 1),
        Category.CURSED_WIN: (Category.BLESSED_LOSS, HORIZON + 1),
        Category.WIN: (Category.LOSS, 1),
    }.get(category, (Category.DRAW, None))


def quietly(code: int, draw: int) -> tuple[Category, int | None]:
    """What any other move into a position of this code is worth to its mover: a ply more."""
    category, n = value_of(code, draw)
    if n is None:
        return Category.DRAW, None
    n += 1
    if category in (Category.LOSS, Category.BLESSED_LOSS):
        return (Category.WIN if n <= HORIZON else Category.CURSED_WIN), n
    return (Category.LOSS if n <= HORIZON else Category.BLESSED_LOSS), n

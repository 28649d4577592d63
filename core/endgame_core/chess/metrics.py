"""What a byte of a table means, by DTM and by DTZ, and what a move into it is worth.

By DTM codes are those of :mod:`endgame_core.values`.

DTZ counts plies to the next *zeroing* move (a capture or a pawn move, which sets the 50-move clock to 0) that keeps the
result, or to mate, when the winner hurries and the loser delays. From 101 plies on the win is *cursed* and the loss
*blessed*: with the clock at 0 the 50-move rule turns it into a draw. A zeroing move into such a position counts as ply
101, as in Syzygy tables.

A loss in n plies is the code n, a win in n plies 256 - n, and between them stands the draw. Unlike DTM, the parity
of n is free, so that a byte holds 255 losses and wins together; where the draw stands depends on which side may need
long. Bigger is better for the side to move, as in every table.

Where that leaves one side a *room* of fewer than 102 codes, so that no cursed result would fit, they are divided: the
lower half is for 0, 1, 2 … plies, the upper half for 101, 102 … plies. So KNNvKP fits, whose White wins in up to 164
plies, and loses in up to 22 or, where it must zero into a blessed loss, in 101 to 108.

To the solver an *exit* is a zeroing move, so that by DTZ it is worth one of five things only. As bytes they are in the
order of all codes. 0 is left for "no exit".
"""

from __future__ import annotations

from typing import Literal

from endgame_core.errors import EndingError
from endgame_core.values import DRAW, HORIZON, Category, before

_MIDDLE = 128
_ELSEWHERE = {
    "KBBvKN": (64, 192), "KBNvKN": (64, 192), "KQPvKQ": (100, 156), "KNNvKP": (64, 192),
    "KBBvKQ": (192, 64), "KRPvKQ": (151, 104),
}  # fmt: skip
"""Codes of a draw, with White and with Black to move, where one in the middle leaves too few codes on one side of it.

Found by building all endings: KRPvKQ needs every code but two (White loses in up to 150 and wins in up to 103 plies).
"""


def draw_code(ending: str, side: int) -> int:
    """The code of a draw in an ending with one side to move (0 for the side named first).

    Losses have the codes below, wins those above; the solver stops when some do not fit.
    """
    return _ELSEWHERE[ending][side] if ending in _ELSEWHERE else _MIDDLE


def short(room: int) -> int:
    """How many depths from 0 on a room holds one by one: all, or only so many in its lower half."""
    return room if room > HORIZON + 1 else room // 2


def fits(n: int, room: int) -> bool:
    """Whether a room of so many codes holds a depth of n plies; losses have room up to the draw, wins down to it."""
    return n < short(room) or HORIZON < n < HORIZON + 1 + room - short(room)


def value_of(code: int, draw: int) -> tuple[Category, int | None]:
    """Decodes a code into category (of five) and DTZ in plies (None for a draw)."""
    if code == draw:
        return Category.DRAW, None
    n, room = (code, draw) if code < draw else (256 - code, 256 - draw)
    if n >= short(room):
        n += HORIZON + 1 - short(room)
    if code < draw:
        return (Category.LOSS if n <= HORIZON else Category.BLESSED_LOSS), n
    return (Category.WIN if n <= HORIZON else Category.CURSED_WIN), n


def code_of(category: Category, n: int | None, draw: int) -> int:
    """Encodes a value; ``n`` in plies, None for a draw.

    A depth without a code becomes the last one before that has one. No position has such a depth, but a bad move may
    be worth it.
    """
    if n is None:
        return draw
    wins = category in (Category.WIN, Category.CURSED_WIN)
    room = 256 - draw if wins else draw
    few = short(room)
    n = min(n - HORIZON - 1 + few, room - 1) if n > HORIZON and few < room else min(n, few - 1)
    return 256 - n if wins else n


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


Metric = Literal["dtm", "dtz"]

_EXITS = {
    Category.WIN: 255,
    Category.CURSED_WIN: 254,
    Category.DRAW: DRAW,
    Category.BLESSED_LOSS: 2,
    Category.LOSS: 1,
}


def moved(code: int, there: int, here: int, zeroing: bool) -> int:
    """What a move into a position of a code by DTZ is worth, as a code; a draw has one of its own there and here."""
    return code_of(*(zeroed if zeroing else quietly)(code, there), here)


def draw(ending: str, side: int, metric: Metric) -> int:
    """The code of a draw with one side to move. Bare kings are the ending ""."""
    return draw_code(ending, side) if metric == "dtz" else DRAW


def worth(ending: str, side: int, metric: Metric) -> list[int]:
    """What an exit into each of the 256 codes of an ending with one side to move is worth."""
    if metric == "dtm":
        return [before(code) for code in range(256)]
    drawn = draw_code(ending, side)
    return [_EXITS[zeroed(code, drawn)[0]] for code in range(256)]


def answered(metric: Metric) -> list[int]:
    """What a move is worth that lets the other side have an exit of each of 256 worths."""
    return [before(code) if metric == "dtm" else -code & 255 for code in range(256)]


def check_range(ending: str, metric: Metric, number: int, side: int) -> None:
    """Raises EndingError when a byte cannot hold what pass ``number`` of a solve has found for a side to move."""
    n, drawn = number >> 1, draw(ending, side, metric)
    wins = number % 2
    room = 256 - drawn if wins else drawn
    if not (fits(n, room) if metric == "dtz" else n < room - wins):
        what = "wins" if wins else "losses"
        raise EndingError(
            f"{ending} has {what} in {n} by {metric.upper()} with {'black' if side else 'white'} to move",
            "its tables have no code for that",
        )

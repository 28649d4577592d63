"""The meaning of codes and bytes by DTM and by DTZ, and the value of a move into a position.

By DTM they are those of :mod:`endgame_core.values`.

DTZ counts plies to the next *zeroing* move (a capture or a pawn move, which sets the 50-move clock to 0) that keeps the
result, or to mate, when the winner hurries and the loser delays. From 101 plies on the win is *cursed* and the loss
*blessed*: with the clock at 0 the 50-move rule turns it into a draw. A zeroing move into such a position counts as ply
101, as in Syzygy tables.

The code of a loss in n plies is n, that of a win in n plies 65536 - n. A table of bytes holds a loss as n, a win as
256 - n, and between them stands the draw. Unlike DTM, the parity of n is free, so that a byte holds 255 losses and wins
together; where the draw stands depends on which side may need long. Bigger is better for the side to move, as in every
table. What bytes do not hold is in a wide table, which stores the codes.

Where a byte leaves one side a *room* of fewer than 102, too few for any cursed result, its values are divided: the
lower half is for 0, 1, 2 … plies, the upper half for 101, 102 … plies. So KNNvKP fits, whose White wins in up to 164
plies, and loses in up to 22 or, where it must zero into a blessed loss, in 101 to 108.

To the solver an *exit* is a zeroing move, so that by DTZ it is worth one of five things only. As codes they are in the
order of all codes. 0 is left for "no exit".
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from endgame_core.errors import EndingError
from endgame_core.language import _, pgettext, side_name
from endgame_core.metric import DTM, DTZ, Metric
from endgame_core.values import BYTE_DRAW, BYTES_BEFORE, CODES_OF_BYTES, DRAW, HORIZON, Category, code_before, is_byte

_ELSEWHERE = {
    "KBBvKN": (64, 192), "KBNvKN": (64, 192), "KQPvKQ": (100, 156), "KNNvKP": (64, 192),
    "KBBvKQ": (192, 64), "KRPvKQ": (151, 104),
}  # fmt: skip
"""Bytes of a draw, with White and with Black to move, where one in the middle leaves too few on one side of it.

Found by building all endings: KRPvKQ needs every byte but two (White loses in up to 150 and wins in up to 103 plies).
"""


def draw_byte(ending: str, side: int) -> int:
    """Return the byte of a draw by DTZ in an ending with one side to move (0 for the side named first).

    Losses have the bytes below, wins those above.
    """
    if ending in _ELSEWHERE:
        return _ELSEWHERE[ending][side]
    return BYTE_DRAW


def short(room: int) -> int:
    """Return how many depths from 0 on a room holds consecutively: all, or only its lower half."""
    if room > HORIZON + 1:
        return room
    return room // 2


def fits(n: int, room: int) -> bool:
    """Return whether a room of that many codes holds a depth of n plies (losses: below the draw; wins: above it)."""
    return n < short(room) or HORIZON < n < HORIZON + 1 + room - short(room)


@cache
def codes(draw: int) -> tuple[int, ...]:
    """Return the code by DTZ of each byte if a draw has the byte ``draw``."""

    def plies(place: int, room: int) -> int:
        first_long = short(room)
        if place < first_long:
            return place
        return HORIZON + 1 + place - first_long

    lost = [plies(byte, draw) for byte in range(draw)]
    won = [0x10000 - plies(256 - byte, 256 - draw) for byte in range(draw + 1, 256)]
    return *lost, DRAW, *won


def stored(code: int, draw: int) -> int:
    """Return the byte of a code by DTZ if a draw has the byte ``draw``; the nearest shorter depth's if it has none.

    No position in a table of bytes has such a depth, but a bad move may lead to one.
    """
    if code == DRAW:
        return draw
    wins = code > DRAW
    if wins:
        n = 0x10000 - code
        room = 256 - draw
    else:
        n = code
        room = draw
    # The lower part holds 0, 1 … few - 1 plies, the upper part, if there is one, HORIZON + 1 and more.
    few = short(room)
    if n > HORIZON and few < room:
        n = min(n - HORIZON - 1 + few, room - 1)
    else:
        n = min(n, few - 1)
    return 256 - n if wins else n


def value_of(code: int) -> tuple[Category, int | None]:
    """Decode a code by DTZ into category (of five) and plies (None for a draw)."""
    if code == DRAW:
        return Category.DRAW, None
    if code < DRAW:
        return (Category.LOSS if code <= HORIZON else Category.BLESSED_LOSS), code
    n = 0x10000 - code
    return (Category.WIN if n <= HORIZON else Category.CURSED_WIN), n


@dataclass(frozen=True, slots=True)
class Zeroing:
    """The value of a position with the clock at 0.

    Attributes:
        category: One of five.
        dtz: Signed plies; 101 or more for a cursed win.
        exact: False if the true number may be one ply further from 0.
    """

    category: Category
    dtz: int
    exact: bool = True

    @classmethod
    def of(cls, category: Category, plies: int | None, exact: bool = True) -> Zeroing:
        """Create the value from unsigned plies; None for a draw."""
        lost = category in (Category.LOSS, Category.BLESSED_LOSS)
        return cls(category, -(plies or 0) if lost else plies or 0, exact)


def code_of(category: Category, n: int | None) -> int:
    """Encode a value by DTZ; ``n`` in plies, None for a draw."""
    if n is None:
        return DRAW
    if category in (Category.WIN, Category.CURSED_WIN):
        return 0x10000 - n
    return n


_EXITS = {
    Category.WIN: code_of(Category.WIN, 1),
    Category.CURSED_WIN: code_of(Category.CURSED_WIN, 2),
    Category.DRAW: DRAW,
    Category.BLESSED_LOSS: 2,
    Category.LOSS: 1,
}
"""The code of an exit in the solver, by its category by DTZ."""

_ZEROED = {
    Category.LOSS: code_of(Category.WIN, 1),
    Category.BLESSED_LOSS: code_of(Category.CURSED_WIN, HORIZON + 1),
    Category.DRAW: DRAW,
    Category.CURSED_WIN: code_of(Category.BLESSED_LOSS, HORIZON + 1),
    Category.WIN: code_of(Category.LOSS, 1),
}
"""The code by DTZ of a zeroing move, by the category of the position it leads to."""


def moved(code: int, zeroing: bool) -> int:
    """Return the code of a move for its mover, given the code of the position after it and whether the move is zeroing.

    A zeroing move counts 1 or 101 plies, any other move one ply more than the position after it.
    """
    if zeroing:
        return _ZEROED[value_of(code)[0]]
    if code == DRAW:
        return DRAW
    if code < DRAW:
        return 0xFFFF - code
    return 0x10001 - code


def draw(ending: str, side: int, metric: Metric) -> int:
    """Return the byte of a draw with one side to move; the ending of bare kings is ""."""
    if metric == DTZ:
        return draw_byte(ending, side)
    return BYTE_DRAW


@cache
def exit_codes(ending: str, side: int, metric: Metric, wide: bool = False) -> tuple[int, ...]:
    """Return the code of an exit into each byte (or code) of an ending with one side to move."""
    if metric == DTM:
        return tuple(code_before(code) for code in (range(0x10000) if wide else CODES_OF_BYTES))
    if wide:
        result = range(0x10000)
    else:
        result = codes(draw_byte(ending, side))
    return tuple(_EXITS[value_of(moved(code, True))[0]] for code in result)


def answered(metric: Metric, wide: bool = False) -> list[int]:
    """Return the value of a move that allows the other side an exit of each value, in bytes or in codes."""
    if metric == DTM:
        if wide:
            return [code_before(code) for code in range(0x10000)]
        return list(BYTES_BEFORE)
    if not wide:
        # An exit has one of five values, and negation exchanges them; 128, the byte of a draw, is its own negative. The
        # code of a draw is not, hence the exception below.
        return [-code & 0xFF for code in range(0x100)]
    return [DRAW if code == DRAW else -code & 0xFFFF for code in range(0x10000)]


def is_held(ending: str, metric: Metric, number: int, side: int) -> bool:
    """Return whether a byte can hold the result of pass ``number`` of a solve for a side to move."""
    n = number >> 1
    wins = number % 2
    if metric == DTM:
        return is_byte(0xFFFF - n if wins else n)
    draw = draw_byte(ending, side)
    return fits(n, 256 - draw if wins else draw)


def check_range(ending: str, metric: Metric, number: int, side: int) -> None:
    """Raise EndingError if a byte cannot hold the result of pass ``number`` of a solve for a side to move."""
    if not is_held(ending, metric, number, side):
        if number % 2:
            what = pgettext("results", "wins")
        else:
            what = _("losses")
        mover = side_name("black" if side else "white")
        raise EndingError(
            _("{ending} has {what} in {number} moves by {metric} with {side} to move").format(
                ending=ending, what=what, number=number >> 1, metric=metric.upper(), side=mover
            ),
            _("this number does not fit into one byte"),
        )

"""The evaluation of a Morris position: stones, mills that are or may be closed, freedom. Hundredths of a stone.

What a set of stones can do on the lines of the board is told as masks, and remembered, for a search asks again and
again. A *closer* is a point where one more stone would complete a mill. The weights were chosen by hand and changed
where the change won more games than it lost.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from endgame_core.morris.geometry import ALL, MILLS, NEIGHBOUR_MASKS
from endgame_core.morris.rules import FEWEST, in_mills, takeable_mask

_ODD = 0xAAAAAA
"""The points in the middle of a side, which the lines between the rings join."""

_LEAST, _MOST = 0x010101, 0x808080
"""First and last cell of each ring."""

_KEPT = 1 << 17


def around(mask: int) -> int:
    """All points joined by a line to a point of a mask."""
    joined = (mask & ~_MOST) << 1 | (mask & _MOST) >> 7 | (mask & ~_LEAST) >> 1 | (mask & _LEAST) << 7
    spoke = mask & _ODD
    return joined | spoke >> 8 | spoke << 8 & 0xFFFFFF


def slides(stones: int, free: int) -> int:
    """In how many ways a stone of a mask slides to a free point."""
    spoke = stones & _ODD
    return (
        (((stones & ~_MOST) << 1 | (stones & _MOST) >> 7) & free).bit_count()
        + (((stones & ~_LEAST) >> 1 | (stones & _LEAST) << 7) & free).bit_count()
        + (spoke >> 8 & free).bit_count()
        + (spoke << 8 & free).bit_count()
    )


@lru_cache(maxsize=_KEPT)
def closers(stones: int) -> int:
    """The points, free or not, that lack to complete a mill."""
    result = 0
    for mill in MILLS:
        lacking = mill & ~stones
        if lacking and not lacking & (lacking - 1):
            result |= lacking
    return result


@dataclass(frozen=True, slots=True)
class Shape:
    """What the stones of one side tell, wherever the others stand.

    Attributes:
        mills: How many mills they form.
        closers: The points that lack to complete a mill.
        slid: The points where a slide would complete one, if they are free.
        swung: Those of them where a stone slides out of another mill: it opens and closes at once.
    """

    mills: int
    closers: int
    slid: int
    swung: int


@lru_cache(maxsize=_KEPT)
def shape(stones: int) -> Shape:
    """The shape of a side's stones."""
    inside, slid, swung = in_mills(stones), 0, 0
    left = stones
    while left:
        stone = left & -left
        left ^= stone
        closed = NEIGHBOUR_MASKS[stone.bit_length() - 1] & closers(stones ^ stone)
        slid |= closed
        if stone & inside:
            swung |= closed
    return Shape(sum(stones & mill == mill for mill in MILLS), closers(stones), slid, swung)


@lru_cache(maxsize=_KEPT)
def victims(stones: int, free: int) -> tuple[int, ...]:
    """The points of the stones that may be taken, the ones that would be missed most first."""
    result: list[tuple[int, int]] = []
    left = takeable_mask(stones)
    while left:
        stone = left & -left
        left ^= stone
        point, rest = stone.bit_length() - 1, stones ^ stone
        threats = (closers(rest) & free).bit_count() + 2 * (shape(rest).slid & free).bit_count()
        result.append((4 * threats - (NEIGHBOUR_MASKS[point] & free).bit_count(), point))
    return tuple(point for _, point in sorted(result))


_STONES = (0, 0, 0, 250, 385, 500, 605, 705, 805, 905)
"""What so many stones are worth, those in hand counted; with three one flies, but the next loss is the last."""

_MILL = 12
_CLOSER = 4
"""A free point that lacks to complete a mill."""
_SLID, _TWO = 30, 40
"""A free point where a slide closes a mill, and more for two, which cannot both be blocked."""
_SWUNG = 90
"""A stone that slides from mill to mill."""
_SLIDE = (9, 12)
_STUCK = (8, 20)
"""A slide to a free point, and a stone that has none: while stones are placed, and later."""
_FLIGHT = 55
"""The freedom of a player who flies."""


def judge(stones: tuple[int, int], hands: tuple[int, int]) -> int:
    """The evaluation for the side to move.

    Args:
        stones: The stones on the board of the side to move and of the other, as masks.
        hands: Their stones in hand.
    """
    free, placed = ALL & ~(stones[0] | stones[1]), not any(hands)
    return _worth(stones[0], hands[0], free, placed) - _worth(stones[1], hands[1], free, placed)


def _worth(own: int, hand: int, free: int, placed: bool) -> int:
    """What one side has, while stones are placed or later."""
    form = shape(own)
    closers = form.closers & free
    score = _STONES[min(own.bit_count() + hand, 9)] + _MILL * form.mills + _CLOSER * closers.bit_count()
    if placed and own.bit_count() == FEWEST:
        return score + _FLIGHT + (_SLID if closers else 0)
    score += _SLIDE[placed] * slides(own, free) - _STUCK[placed] * (own & ~around(free)).bit_count()
    ready = form.slid & free if placed else 0
    if ready:
        score += _SLID + (_TWO if ready & (ready - 1) else 0) + (_SWUNG if form.swung & free else 0)
    return score

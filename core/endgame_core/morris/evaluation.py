"""The evaluation of a Morris position: stones, mills, threats and mobility, in hundredths of a stone.

The features of one side's stones are masks that depend on these stones alone, so they are cached: a search meets the
same stones again and again. A *closer* is a point where one more stone would complete a mill. The weights were chosen
by hand; a change was kept if it won more games than it lost.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from endgame_core.morris.geometry import ALL, MILLS, NEIGHBOUR_MASKS
from endgame_core.morris.rules import FEWEST, in_mills, takeable_mask

_ODD = 0xAAAAAA
"""The points in the middle of a side, which the lines between the rings join."""

_FIRST_POINTS = 0x010101
_LAST_POINTS = 0x808080
"""The first and the last point of each ring: in a ring of eight bits, shifting wraps from one to the other."""

_CACHE_SIZE = 1 << 17


def around(mask: int) -> int:
    """Return all points that a line joins to a point of a mask."""
    clockwise = (mask & ~_LAST_POINTS) << 1 | (mask & _LAST_POINTS) >> 7
    anticlockwise = (mask & ~_FIRST_POINTS) >> 1 | (mask & _FIRST_POINTS) << 7
    # The next and the previous point of a ring, then the same point of the rings beside.
    joined = clockwise | anticlockwise
    spoke = mask & _ODD
    return joined | spoke >> 8 | spoke << 8 & 0xFFFFFF


def slides(stones: int, free: int) -> int:
    """Return the number of slides from a stone to a free point."""
    spoke = stones & _ODD
    clockwise = (stones & ~_LAST_POINTS) << 1 | (stones & _LAST_POINTS) >> 7
    anticlockwise = (stones & ~_FIRST_POINTS) >> 1 | (stones & _FIRST_POINTS) << 7
    return (
        (clockwise & free).bit_count()
        + (anticlockwise & free).bit_count()
        + (spoke >> 8 & free).bit_count()
        + (spoke << 8 & free).bit_count()
    )


@lru_cache(maxsize=_CACHE_SIZE)
def closers(stones: int) -> int:
    """Return the points, free or not, where one more stone would complete a mill."""
    result = 0
    for mill in MILLS:
        missing = mill & ~stones
        if missing and not missing & (missing - 1):  # exactly one bit
            result |= missing
    return result


@dataclass(frozen=True, slots=True)
class Shape:
    """Features of one side's stones that do not depend on the opponent's.

    Attributes:
        mills: The number of mills.
        closers: The points where one more stone would complete a mill.
        slid: The points where sliding a stone would complete a mill, if they are free.
        swung: The points among these to which a stone slides out of another mill, opening one mill to close another.
    """

    mills: int
    closers: int
    slid: int
    swung: int


@lru_cache(maxsize=_CACHE_SIZE)
def shape(stones: int) -> Shape:
    """Return the features of a side's stones."""
    inside = in_mills(stones)
    slid = 0
    swung = 0
    remaining = stones
    while remaining:
        stone = remaining & -remaining
        remaining ^= stone
        closed = NEIGHBOUR_MASKS[stone.bit_length() - 1] & closers(stones ^ stone)
        slid |= closed
        if stone & inside:
            swung |= closed
    mills = sum(stones & mill == mill for mill in MILLS)
    return Shape(mills, closers(stones), slid, swung)


@lru_cache(maxsize=_CACHE_SIZE)
def victims(stones: int, free: int) -> tuple[int, ...]:
    """Return the points of the stones that may be taken, the most valuable stone first.

    A stone is valuable if its owner has few threats without it, and, second, if it has many free neighbours.
    """
    ranked: list[tuple[int, int]] = []
    remaining = takeable_mask(stones)
    while remaining:
        stone = remaining & -remaining
        remaining ^= stone
        point = stone.bit_length() - 1
        without = stones ^ stone
        threats = (closers(without) & free).bit_count() + 2 * (shape(without).slid & free).bit_count()
        mobility = (NEIGHBOUR_MASKS[point] & free).bit_count()
        ranked.append((4 * threats - mobility, point))
    return tuple(point for _, point in sorted(ranked))


_STONES = (0, 0, 0, 250, 385, 500, 605, 705, 805, 905)
"""The value of a number of stones, including those in hand; with three a player flies, but the next loss loses."""

_MILL = 12
"""Per mill."""
_CLOSER = 4
"""Per free closer."""
_SLID = 30
"""For a free point where a slide closes a mill."""
_TWO = 40
"""For a second such point: the opponent cannot block both."""
_SWUNG = 90
"""For a stone that can slide from mill to mill."""
_SLIDE = (9, 12)
"""Per slide to a free point, in the placing and in the moving phase."""
_STUCK = (8, 20)
"""Penalty per stone without a free neighbour, in the placing and in the moving phase."""
_FLIGHT = 55
"""For flying, in place of mobility."""


def judge(stones: tuple[int, int], hands: tuple[int, int]) -> int:
    """Return the evaluation for the side to move, in hundredths of a stone.

    Args:
        stones: Masks of the stones on the board: of the side to move, then of its opponent.
        hands: Their numbers of stones in hand, in the same order.
    """
    free = ALL & ~(stones[0] | stones[1])
    placed = not any(hands)
    return _score(stones[0], hands[0], free, placed) - _score(stones[1], hands[1], free, placed)


def _score(own: int, hand: int, free: int, placed: bool) -> int:
    """Return the score of one side; ``placed`` is whether both sides have placed all their stones."""
    features = shape(own)
    free_closers = features.closers & free
    score = _STONES[min(own.bit_count() + hand, 9)] + _MILL * features.mills + _CLOSER * free_closers.bit_count()
    if placed and own.bit_count() == FEWEST:
        score += _FLIGHT
        if free_closers:
            score += _SLID
        return score
    score += _SLIDE[placed] * slides(own, free) - _STUCK[placed] * (own & ~around(free)).bit_count()
    if placed:
        ready = features.slid & free
        if ready:
            score += _SLID
            if ready & (ready - 1):  # more than one bit
                score += _TWO
            if features.swung & free:
                score += _SWUNG
    return score

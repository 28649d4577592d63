"""What a set of stones can do on the lines of the board, as masks; remembered, for a search asks again and again.

A *closer* is a point where one more stone would complete a mill.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from endgame_core.morris.geometry import MILLS, NEIGHBOURS
from endgame_core.morris.rules import in_mills, takeable_mask

_ODD = 0xAAAAAA
"""The points in the middle of a side, which the lines between the rings join."""

_LEAST, _MOST = 0x010101, 0x808080
"""First and last cell of each ring."""

_KEPT = 1 << 17

NEIGHBOUR_MASKS = tuple(sum(1 << near for near in nearby) for nearby in NEIGHBOURS)
"""The points joined to each point, as masks."""


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
    found = 0
    for mill in MILLS:
        lacking = mill & ~stones
        if lacking and not lacking & (lacking - 1):
            found |= lacking
    return found


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
    found: list[tuple[int, int]] = []
    left = takeable_mask(stones)
    while left:
        stone = left & -left
        left ^= stone
        point, rest = stone.bit_length() - 1, stones ^ stone
        threats = (closers(rest) & free).bit_count() + 2 * (shape(rest).slid & free).bit_count()
        found.append((4 * threats - (NEIGHBOUR_MASKS[point] & free).bit_count(), point))
    return tuple(point for _, point in sorted(found))

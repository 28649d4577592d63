"""What a set of stones can do on the lines of the board, as masks; remembered, for a search asks again and again.

A *closer* is a point where one more stone would complete a mill.
"""

from __future__ import annotations

from functools import lru_cache

from endgame_core.morris.geometry import MILLS

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
def milled(stones: int) -> int:
    """The stones that stand in a mill."""
    found = 0
    for mill in MILLS:
        if stones & mill == mill:
            found |= mill
    return found


@lru_cache(maxsize=_KEPT)
def closers(stones: int) -> int:
    """The points, free or not, that lack to complete a mill."""
    found = 0
    for mill in MILLS:
        lacking = mill & ~stones
        if lacking and not lacking & (lacking - 1):
            found |= lacking
    return found


def takeable(stones: int) -> int:
    """The stones that may be taken: those in no mill, or all when each is in one."""
    return stones & ~milled(stones) or stones

"""One row of a table at a time: White's stones stand still, Black's are a set of the free points.

The free points of a row are counted from 0, so Black's stones are a mask of ``24 - W`` bits, *packed*; its rank among
all masks with as many bits (ascending, which is the colexicographic order) is the slot within the row. What leads from
one row to another, a move of White's and the symmetry after it, permutes the free points: three tables of 128 masks,
made once per row and move, turn packed masks of the one row into those of the other.
"""

from __future__ import annotations

from math import comb
from typing import NamedTuple

import numpy as np

from endgame_core.morris.geometry import INVERSES, MILLS, NEIGHBOURS, SYMMETRIES
from endgame_core.tables.kernels.vectors import ctz, element, inner, popcount

NEAR = np.array([sum(1 << q for q in near) for near in NEIGHBOURS], np.int64)
LINE = np.array(MILLS, np.int64)
THERE = np.array(SYMMETRIES, np.int64).reshape(-1)
BACK = np.array([SYMMETRIES[number] for number in INVERSES], np.int64).reshape(-1)
CHOOSE = np.array([comb(points, stones) for points in range(24) for stones in range(10)], np.int64)

GONE = 1 << 30
"""In a turned mask: one of the stones stands where none can have stood."""
FULL = np.uint8(255)
"""In place of the number of moves left: the slot is decided."""

U1 = np.uint64(1)
ALL = np.int64((1 << 24) - 1)
CORNERS = np.int64(0x555555)
MIDDLES = np.int64(0xAAAAAA)


class Pair(NamedTuple):
    """The index of one pair, and how White's stones move.

    Attributes:
        whites: White's stones, by row.
        masks: Black's packed stones, by rank.
        low: For 11 bits of a mask: the rank of these stones times 16, and their number.
        high: For a number of stones in the low bits, and the upper bits: what the upper stones add to the rank.
        starts, targets, turns, sources, ends: As in :class:`endgame_core.morris.orbits.Links`.
        points: Free points.
        black: Black's stones.
        stride: Slots of a row, a multiple of 64.
    """

    whites: np.ndarray
    masks: np.ndarray
    low: np.ndarray
    high: np.ndarray
    starts: np.ndarray
    targets: np.ndarray
    turns: np.ndarray
    sources: np.ndarray
    ends: np.ndarray
    points: int
    black: int
    stride: int


class State(NamedTuple):
    """What the tasks of one solve share; slots of White to move come first.

    Attributes:
        codes: By slot, what captures promise, and once decided the code.
        left: By slot, the number of quiet moves not known to lose; FULL once it is decided.
        due: By side and row, 256 bits: which codes its captures promise.
        rows: Rows of one side.
    """

    codes: np.ndarray
    left: np.ndarray
    due: np.ndarray
    rows: int


class Layer(NamedTuple):
    """The positions of one layer: a bit for each slot; and how many there are, up to 255, by side and row."""

    words: np.ndarray
    rows: np.ndarray


class Row(NamedTuple):
    """What a thread knows of the row it is at: the solver makes room for it.

    Attributes:
        points: The free points, by packed number.
        index: The packed number of each free point.
        bits: What becomes of each free point.
        near: Where a black stone on each free point can go, packed.
        mills: Black's possible mills, packed.
        count: How many free points and possible mills there are.
        tables: Three tables of 128 numbers each, up to nine times.
    """

    points: np.ndarray
    index: np.ndarray
    bits: np.ndarray
    near: np.ndarray
    mills: np.ndarray
    count: np.ndarray
    tables: np.ndarray


@inner
def rank_of(pair, mask):
    """Rank of a packed mask."""
    low = np.int64(element(pair.low, mask & 2047))
    return (low >> 4) + np.int64(element(pair.high, ((low & 15) << 10) + (mask >> 11)))


@inner
def packed(row, mask):
    """The packed form of a mask of free points."""
    found = np.int64(0)
    while mask:
        point = ctz(np.uint64(mask))
        mask &= mask - 1
        found |= np.int64(1) << row.index[point]
    return found


@inner
def enter(pair, number, row):
    """Makes ``row`` tell of one row."""
    white = pair.whites[number]
    free = ALL & ~white
    n = 0
    for point in range(24):
        row.index[point] = n
        if (free >> point) & 1:
            row.points[n] = point
            n += 1
    for i in range(n):
        flights = ((np.int64(1) << n) - 1) ^ (np.int64(1) << i)
        row.near[i] = flights if pair.black == 3 else packed(row, free & NEAR[row.points[i]])
    mills = 0
    for line in range(16):
        if not LINE[line] & white:
            row.mills[mills] = packed(row, LINE[line])
            mills += 1
    row.count[0], row.count[1] = n, mills


@inner
def closed(row, mask):
    """Black's stones in mills, of a packed mask."""
    found = np.int64(0)
    for line in range(row.count[1]):
        mill = row.mills[line]
        if mask & mill == mill:
            found |= mill
    return found


@inner
def fill(tables, base, place, value):
    """Adds one packed point, worth ``value``, to three tables of 128 sums."""
    start, half = base + (place // 7) * 128, 1 << (place % 7)
    if half == 1:
        tables[start] = 0
    for i in range(half):
        tables[start + half + i] = tables[start + i] + value


@inner
def look_up(tables, base, mask):
    """The sum of what the points of a packed mask are worth."""
    return (
        element(tables, base + (mask & 127))
        + element(tables, base + 128 + ((mask >> 7) & 127))
        + element(tables, base + 256 + (mask >> 14))
    )


@inner
def turn_back(row, white, symmetry, gone):
    """Finds where the points of another row go in this one.

    Args:
        row: This row; ``bits`` are made to tell.
        white: White's stones in the other row.
        symmetry: The one that led there.
        gone: The point where no black stone can have stood; its bit is GONE.
    """
    place = 0
    for point in range(24):
        if not (white >> point) & 1:
            there = BACK[24 * symmetry + point]
            row.bits[place] = np.int64(GONE) if there == gone else np.int64(1) << row.index[there]
            place += 1


@inner
def tabulate(row):
    """Makes tables of ``bits``: worth it where many masks are to be turned."""
    for place in range(row.count[0]):
        fill(row.tables, 0, place, row.bits[place])


@inner
def turned(row, mask):
    """A packed mask of the other row as one of this row, without tables."""
    found = np.int64(0)
    while mask:
        found |= row.bits[ctz(np.uint64(mask))]
        mask &= mask - 1
    return found


@inner
def turn_there(row, base, white, symmetry):
    """Prepares tables that turn packed masks of this row into those of another.

    Args:
        row: This row.
        base: Where in its tables.
        white: White's stones in the other row.
        symmetry: The one that leads there.
    """
    free = ALL & ~white
    for place in range(row.count[0]):
        there = np.int64(1) << THERE[24 * symmetry + row.points[place]]
        fill(row.tables, base, place, np.int64(1) << popcount(np.uint64(free & (there - 1))))


@inner
def image(symmetry, mask):
    """A mask after a symmetry."""
    found = np.int64(0)
    while mask:
        found |= np.int64(1) << THERE[24 * symmetry + ctz(np.uint64(mask))]
        mask &= mask - 1
    return found


@inner
def rank_among(free, mask):
    """Rank of a mask among all as large on some free points."""
    found, stones = np.int64(0), 0
    while mask:
        stones += 1
        bit = mask & -mask
        mask ^= bit
        found += CHOOSE[10 * popcount(np.uint64(free & (bit - 1))) + stones]
    return found


@inner
def ahead(mask):
    """Every stone one step clockwise on its ring."""
    return ((mask << 1) & 0xFEFEFE) | ((mask >> 7) & 0x010101)


@inner
def behind(mask):
    """Every stone one step counter-clockwise on its ring."""
    return ((mask >> 1) & 0x7F7F7F) | ((mask << 7) & 0x808080)


@inner
def other_rings(mask):
    """The points for which both points of the same cell in the other rings are in the mask."""
    return ((mask << 8) | (mask >> 16)) & ((mask << 16) | (mask >> 8)) & ALL

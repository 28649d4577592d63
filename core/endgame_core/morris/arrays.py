"""The index over many slots at once, in numpy; :mod:`endgame_core.morris.index` says what a slot means."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from endgame_core.morris.geometry import ALL, NEIGHBOURS, SYMMETRIES, points_of
from endgame_core.morris.index import axes, row_size, stones_of
from endgame_core.morris.orbits import IMAGE_TABLES, Masks, canonicals, orbits, placements
from endgame_core.morris.rules import FEWEST

Words = NDArray[np.uint64]

_LOW = 11
"""Bits of a packed mask that the first table of ranks tells of; at most ten are left for the second."""


@cache
def rank_tables() -> tuple[NDArray[np.uint16], NDArray[np.uint16]]:
    """For the low eleven bits of a packed mask, sixteen times their rank plus their number; then the upper bits.

    The second table tells, by 1024 times the number of stones in the low bits plus the upper bits, what those add.
    """
    low = np.zeros(1 << _LOW, np.uint16)
    for mask in range(1 << _LOW):
        places = [place for place in range(_LOW) if mask >> place & 1]
        low[mask] = 16 * sum(comb(place, i) for i, place in enumerate(places, 1)) + len(places)
    high = np.zeros((16, 1 << 10), np.int64)
    for below in range(10):
        for mask in range(1, 1 << 10):
            place = mask.bit_length() - 1
            high[below, mask] = high[below, mask ^ 1 << place] + comb(_LOW + place, below + mask.bit_count())
    return low, high.reshape(-1).astype(np.uint16)


def _ranks(masks: Masks) -> Masks:
    """Ranks of packed masks."""
    low, high = rank_tables()
    below = low[masks & (1 << _LOW) - 1].astype(np.int64)
    return (below >> 4) + high[(below & 15) << 10 | masks >> _LOW]


class Copies(NamedTuple):
    """A row that some symmetries map onto itself.

    Attributes:
        least: For each rank, the lowest rank of a copy; int64.
        boards: For each rank, on how many boards its position stands; uint8.
    """

    least: Masks
    boards: NDArray[np.uint8]


def copies_of_row(white: int, black: int, row: int) -> Copies:
    """The copies within a row."""
    own, stabiliser = (int(column[row]) for column in orbits(white))
    masks = placements(24 - white, black)
    free = points_of(ALL & ~own)
    least = here = np.arange(len(masks))
    same = np.ones(len(masks), np.int64)
    for symmetry in range(1, 16):
        if stabiliser >> symmetry & 1:
            bits = [1 << free.index(SYMMETRIES[symmetry][point]) for point in free]
            ranks = _ranks(_sums(bits, masks))
            least = np.minimum(least, ranks)
            same += ranks == here
    return Copies(least, (16 // same).astype(np.uint8))


def _sums(values: list[int], masks: Masks) -> Masks:
    """For each packed mask, the sum of its points' values."""
    found = np.zeros_like(masks)
    for start in range(0, len(values), 7):
        table = np.zeros(1, np.int64)
        for value in values[start : start + 7]:
            table = np.concatenate([table, table + value])
        found += table[masks >> start & len(table) - 1]
    return found


def symmetric_rows(white: int) -> list[int]:
    """The rows that some symmetry maps onto themselves."""
    return np.flatnonzero(orbits(white).stabilisers > 1).tolist()


def filled(ending: str, codes: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Codes of one side to move, with those of kept slots put to all their copies; shape (rows, stride)."""
    white, black = stones_of(ending)
    found = codes.reshape(axes(ending)).copy()
    for row in symmetric_rows(white):
        least = copies_of_row(white, black, row).least
        found[row, : len(least)] = found[row, least]
    return found


def copies(ending: str, side: int, start: int, count: int) -> NDArray[np.uint8]:
    """On how many boards each slot's position stands, counting symmetric copies.

    Args:
        ending: A pair.
        side: 0 when White is to move, else 1.
        start: First slot, a multiple of 64.
        count: Number of slots, a multiple of 64.

    Returns:
        uint8 array of shape (count,): 16 or a divisor of it, and 0 for slots that are not kept.
    """
    _, length = axes(ending)
    rows = range(start // length, -(-(start + count) // length))
    found = copies_in(ending, side, [rows, range(length)])
    return found[start - rows.start * length :][:count]


def copies_in(ending: str, side: int, box: Sequence[range]) -> NDArray[np.uint8]:
    """The same for a box of slots, given by their digits on each axis, in ascending order."""
    white, black = stones_of(ending)
    rows, ranks = box
    found = np.zeros((len(rows), len(ranks)), np.uint8)
    if side and white == black:
        return found.reshape(-1)
    found[:, : max(0, row_size(white, black) - ranks.start)] = 16
    for row in np.flatnonzero(orbits(white).stabilisers[rows.start : rows.stop] > 1).tolist():
        least, boards = copies_of_row(white, black, rows.start + row)
        part = np.where(least == np.arange(len(least)), boards, 0)[ranks.start : ranks.stop]
        found[row, : len(part)] = part
    return found.reshape(-1)


def kept(ending: str, side: int) -> Words:
    """Bits of the kept slots of one side to move: uint64 of shape (slots / 64,)."""
    white, black = stones_of(ending)
    rows, length = axes(ending)
    found = np.zeros((rows, length // 64), np.uint64)
    if side and white == black:
        return found.reshape(-1)

    def words(bits: NDArray[np.bool_]) -> Words:
        room = np.zeros(length, np.bool_)
        room[: len(bits)] = bits
        return np.packbits(room, bitorder="little").view("<u8").astype(np.uint64)

    found[:] = words(np.ones(row_size(white, black), np.bool_))
    for row in symmetric_rows(white):
        least = copies_of_row(white, black, row).least
        found[row] = words(least == np.arange(len(least)))
    return found.reshape(-1)


def missing(ending: str, codes: NDArray[np.uint8]) -> Masks:
    """By code, how many boards fewer there are than sixteen for each kept position of one side to move."""
    white, black = stones_of(ending)
    table = codes.reshape(axes(ending))
    found = np.zeros(256, np.int64)
    for row in symmetric_rows(white):
        least, boards = copies_of_row(white, black, row)
        first = least == np.arange(len(least))
        fewer = np.bincount(table[row, : len(least)][first], 16.0 - boards[first], 256)
        found += fewer.astype(np.int64)
    return found


def stones(ending: str, slots: Masks) -> tuple[Masks, Masks]:
    """White's and Black's stones in some slots; slots beyond a row's end give anything."""
    white, black = stones_of(ending)
    rows, ranks = np.divmod(slots, axes(ending)[1])
    whites = orbits(white).masks[rows]
    packed = placements(24 - white, black)[np.minimum(ranks, row_size(white, black) - 1)]
    blacks, place = np.zeros_like(whites), np.zeros_like(whites)
    for point in range(24):
        free = whites >> point & 1 ^ 1
        blacks |= (packed >> place & free) << point
        place += free
    return whites, blacks


def keys(ending: str, side: int, slots: Masks) -> Words:
    """The keys of slots, White being the side named first; see :func:`endgame_core.morris.notation.key`."""
    whites, blacks = stones(ending, slots)
    return (whites << 1 | blacks << 25 | int(side == 0)).astype(np.uint64)


def _packed(whites: Masks, blacks: Masks) -> tuple[Masks, Masks]:
    """Black's stones among the points that White's leave free, packed; and how many there are."""
    packed, place, placed = np.zeros_like(blacks), np.zeros_like(blacks), np.zeros_like(blacks)
    for point in range(24):
        free = whites >> point & 1 ^ 1
        bit = blacks >> point & free
        packed |= bit << place
        place += free
        placed += bit
    return packed, placed


def slots_of(ending: str, whites: Masks, blacks: Masks) -> Masks:
    """The slots of any positions; they may still be copies of the canonical ones."""
    white, _ = stones_of(ending)
    found = canonicals(white)[0][np.searchsorted(placements(24, white), whites)]
    rows, turns = found >> 4, found & 15
    outer, middle, inner = (IMAGE_TABLES[turns, ring, blacks >> 8 * ring & 255] for ring in range(3))
    packed, _ = _packed(orbits(white).masks[rows], outer | middle | inner)
    return rows * axes(ending)[1] + _ranks(packed)


def slots_of_keys(ending: str, keys: Words) -> tuple[NDArray[np.int64], Masks]:
    """Side to move and slot of any numbers; a slot of -1 where a number is no key of any slot.

    The slot may still be a copy of the canonical one.
    """
    white, black = stones_of(ending)
    values = (keys & np.uint64((1 << 49) - 1)).astype(np.int64)
    whites, blacks = values >> 1 & ALL, values >> 25
    masks = orbits(white).masks
    rows = np.minimum(np.searchsorted(masks, whites), len(masks) - 1)
    packed, placed = _packed(whites, blacks)
    wrong = (keys >> np.uint64(49) != 0) | (masks[rows] != whites) | (whites & blacks != 0) | (placed != black)
    ranks = _ranks(np.where(wrong, (1 << black) - 1, packed))
    return 1 - (values & 1), np.where(wrong, -1, rows * axes(ending)[1] + ranks)


def end_candidates(ending: str, side: int, start: int, count: int) -> NDArray[np.bool_]:
    """Canonical slots, as a mask, where the side to move has no move: all lost games are among them."""
    found = copies(ending, side, start, count) > 0
    whites, blacks = stones(ending, np.arange(start, start + count))
    movers = blacks if side else whites
    free = ALL & ~(whites | blacks)
    if stones_of(ending)[side] == FEWEST:
        return found & (free == 0)
    for point, near in enumerate(NEIGHBOURS):
        beside = sum(1 << other for other in near)
        found &= ~((movers >> point & 1 == 1) & (free & beside != 0))
    return found

"""Many positions at once, in numpy: where stones can stand, the index, and codes derived from those one ply later.

:mod:`endgame_core.morris.index` says what a slot means.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from math import comb
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from endgame_core.game import Codes
from endgame_core.morris.geometry import (
    ALL,
    IMAGES,
    MILLS,
    MILLS_OF,
    NEIGHBOURS,
    SYMMETRIES,
    image,
    points_of,
)
from endgame_core.morris.index import axes, name_of, row_size, stones_of, stride
from endgame_core.morris.rules import FEWEST, STONES
from endgame_core.values import BYTES_BEFORE, CODES_OF_BYTES

Masks = NDArray[np.int64]

IMAGE_TABLES: Masks = np.array(IMAGES, np.int64)


def images(symmetry: int | Masks, masks: Masks) -> Masks:
    """Masks after a symmetry, or each after one of its own."""
    outer, middle, inner = (IMAGE_TABLES[symmetry, ring, masks >> 8 * ring & 255] for ring in range(3))
    return outer | middle | inner


@cache
def placements(points: int, stones: int) -> Masks:
    """All masks of so many stones on so many points, ascending: the rank of a mask is its place."""
    if stones == 0:
        return np.zeros(1, np.int64)
    if points < stones:
        return np.zeros(0, np.int64)
    return np.concatenate([placements(points - 1, stones), placements(points - 1, stones - 1) | 1 << points - 1])


class Orbits(NamedTuple):
    """The ways to place some stones, symmetric copies once.

    Attributes:
        masks: The smallest mask of each orbit, ascending; int64.
        stabilisers: Which symmetries leave it as it is, one bit for each; int64.
    """

    masks: Masks
    stabilisers: Masks


@cache
def orbits(stones: int) -> Orbits:
    """The orbits of so many stones under the sixteen symmetries."""
    masks = placements(24, stones)
    smallest = masks.copy()
    for symmetry in range(1, 16):
        np.minimum(smallest, images(symmetry, masks), out=smallest)
    result = masks[smallest == masks]
    stabilisers = np.zeros_like(result)
    for symmetry in range(16):
        stabilisers |= (images(symmetry, result) == result).astype(np.int64) << symmetry
    return Orbits(result, stabilisers)


def canonical(stones: int, masks: Masks) -> tuple[Masks, Masks]:
    """The orbit number of some masks, and a symmetry that takes each to its orbit's own mask."""
    smallest, symmetry = masks.copy(), np.zeros_like(masks)
    for number in range(1, 16):
        turned = images(number, masks)
        symmetry[turned < smallest] = number
        np.minimum(smallest, turned, out=smallest)
    return np.searchsorted(orbits(stones).masks, smallest), symmetry


class Links(NamedTuple):
    """Where the moves, or the losses, of White's stones lead, orbit by orbit.

    Attributes:
        starts: Entries ``starts[2 * i]`` up to ``starts[2 * i + 1]`` are the quiet moves of orbit i, those from there
            up to ``starts[2 * i + 2]`` close a mill; int64.
        targets: Orbit afterwards; int64.
        turns: The symmetry that takes the stones afterwards to the mask of that orbit; int64.
        sources: The point that a stone left; int64.
        ends: The point that it went to; int64.
    """

    starts: Masks
    targets: Masks
    turns: Masks
    sources: Masks
    ends: Masks


def in_mill(masks: Masks, point: int) -> NDArray[np.bool_]:
    """Which masks have a mill through a point."""
    return np.any([masks & mill == mill for mill in MILLS_OF[point]], axis=0)


def _sorted(rows: int, found: list[tuple[Masks, ...]], stones: int) -> Links:
    """Brings rows, kinds, masks, sources and ends into the order of rows and kinds."""
    row, kind, masks, sources, ends = (np.concatenate(column) for column in zip(*found, strict=True))
    order = np.argsort(2 * row + kind, kind="stable")
    starts = np.zeros(2 * rows + 1, np.int64)
    np.cumsum(np.bincount(2 * row + kind, minlength=2 * rows), out=starts[1:])
    targets, turns = canonical(stones, masks[order])
    return Links(starts, targets, turns, sources[order], ends[order])


@cache
def moves(stones: int) -> Links:
    """The moves of each orbit of so many stones on an empty board; three of them fly."""
    masks = orbits(stones).masks
    result: list[tuple[Masks, ...]] = []
    for source in range(24):
        for end in range(24) if stones == 3 else NEIGHBOURS[source]:
            rows = np.flatnonzero((masks >> source & 1 == 1) & (masks >> end & 1 == 0))
            moved = masks[rows] ^ (1 << source | 1 << end)
            kind = in_mill(moved, end).astype(np.int64)
            result.append((rows, kind, moved, np.full_like(rows, source), np.full_like(rows, end)))
    return _sorted(len(masks), result, stones)


@cache
def losses(stones: int) -> Links:
    """What may be taken from each orbit of so many stones: all of them "close a mill"; ``ends`` mean nothing."""
    masks = orbits(stones).masks
    exposed = [(masks >> point & 1 == 1) & ~in_mill(masks, point) for point in range(24)]
    some = np.any(exposed, axis=0)
    result: list[tuple[Masks, ...]] = []
    for point in range(24):
        rows = np.flatnonzero(np.where(some, exposed[point], masks >> point & 1 == 1))
        there = np.full_like(rows, point)
        result.append((rows, np.ones_like(rows), masks[rows] ^ 1 << point, there, there))
    return _sorted(len(masks), result, stones - 1)


@cache
def canonicals(stones: int) -> tuple[Masks, Masks]:
    """By rank of a mask, sixteen times its orbit plus a symmetry that leads there; and the orbits' stabilisers."""
    numbers, symmetries = canonical(stones, placements(24, stones))
    return 16 * numbers + symmetries, orbits(stones).stabilisers


Words = NDArray[np.uint64]

_CHOOSE = tuple(tuple(comb(points, stones) for stones in range(STONES + 1)) for points in range(24))

_WHITES = 4096
"""Of how many sets of White's stones the row is remembered: replies leave them where they stand."""
_ROWS = 256
"""How many symmetric rows are remembered: all there are of pairs in which one has three or four stones."""
_CHUNK = 1 << 20
"""Slots of which colours are exchanged at once."""

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


def index_of(white: int, black: int) -> int:
    """The canonical slot of two masks, White having at least as many stones as Black."""
    row, free, symmetries = _row_of(white)
    ranks = [rank_among(free, image(symmetry, black)) for symmetry in symmetries]
    return row * stride(white.bit_count(), black.bit_count()) + min(ranks)


@lru_cache(_WHITES)
def _row_of(white: int) -> tuple[int, int, list[int]]:
    """The row of a mask of White's, the points that are free there, and the symmetries that lead to it."""
    images = [image(symmetry, white) for symmetry in range(16)]
    smallest = min(images)
    row = int(orbits(white.bit_count()).masks.searchsorted(smallest))
    return row, ALL & ~smallest, [symmetry for symmetry in range(16) if images[symmetry] == smallest]


def masks_at(ending: str, index: int) -> tuple[int, int]:
    """White's and Black's stones in a slot."""
    white_stones, black_stones = stones_of(ending)
    row, rank = divmod(index, stride(white_stones, black_stones))
    white = int(orbits(white_stones).masks[row])
    free = points_of(ALL & ~white)
    packed = int(placements(len(free), black_stones)[rank])
    return white, sum(1 << free[place] for place in points_of(packed))


def rank_among(free: int, mask: int) -> int:
    """Rank of a mask among all as large on some free points."""
    places = [(free & ((1 << point) - 1)).bit_count() for point in points_of(mask)]
    return sum(_CHOOSE[place][stones] for stones, place in enumerate(places, 1))


@lru_cache(_ROWS)
def copies_of_row(white: int, black: int, row: int) -> tuple[Masks, NDArray[np.uint8]]:
    """For each rank of a row, the lowest rank of a copy, and on how many boards a position stands; only to be read."""
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
    boards = (16 // same).astype(np.uint8)
    least.flags.writeable = boards.flags.writeable = False
    return least, boards


def _sums(values: list[int], masks: Masks) -> Masks:
    """For each packed mask, the sum of its points' values."""
    result = np.zeros_like(masks)
    for start in range(0, len(values), 7):
        table = np.zeros(1, np.int64)
        for value in values[start : start + 7]:
            table = np.concatenate([table, table + value])
        result += table[masks >> start & len(table) - 1]
    return result


def symmetric_rows(white: int) -> list[int]:
    """The rows that some symmetry maps onto themselves."""
    return np.flatnonzero(orbits(white).stabilisers > 1).tolist()


def filled(ending: str, codes: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Codes of one side to move, with those of kept slots put to all their copies; shape (rows, stride)."""
    white, black = stones_of(ending)
    result = codes.reshape(axes(ending)).copy()
    for row in symmetric_rows(white):
        least, _ = copies_of_row(white, black, row)
        result[row, : len(least)] = result[row, least]
    return result


def exchanged(ending: str, codes: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Codes with Black to move of a pair of equal numbers, of which tables keep White's: colours are exchanged.

    Args:
        ending: A pair such as 4-4.
        codes: The codes of kept slots with White to move.

    Returns:
        uint8 array of the same shape; slots that are not kept may hold anything.
    """
    table, result = filled(ending, codes).reshape(-1), np.zeros_like(codes)
    for start in range(0, len(codes), _CHUNK):
        slots = start + np.flatnonzero(copies(ending, 0, start, min(_CHUNK, len(codes) - start)))
        whites, blacks = stones(ending, slots)
        result[slots] = table[slots_of(ending, blacks, whites)]
    return result


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
    result = copies_in(ending, side, [rows, range(length)])
    return result[start - rows.start * length :][:count]


def copies_in(ending: str, side: int, box: Sequence[range]) -> NDArray[np.uint8]:
    """The same for a box of slots, given by their digits on each axis, in ascending order."""
    white, black = stones_of(ending)
    rows, ranks = box
    result = np.zeros((len(rows), len(ranks)), np.uint8)
    if side and white == black:
        return result.reshape(-1)
    result[:, : max(0, row_size(white, black) - ranks.start)] = 16
    for row in np.flatnonzero(orbits(white).stabilisers[rows.start : rows.stop] > 1).tolist():
        least, boards = copies_of_row(white, black, rows.start + row)
        part = np.where(least == np.arange(len(least)), boards, 0)[ranks.start : ranks.stop]
        result[row, : len(part)] = part
    return result.reshape(-1)


def kept(ending: str, side: int) -> Words:
    """Bits of the kept slots of one side to move: uint64 of shape (slots / 64,)."""
    rows, length = axes(ending)
    parts = [range(start, min(start + 64, rows)) for start in range(0, rows, 64)]
    bits = [np.packbits(copies_in(ending, side, [part, range(length)]) > 0, bitorder="little") for part in parts]
    return np.concatenate(bits).view("<u8").astype(np.uint64)


def missing(ending: str, codes: NDArray[np.uint8]) -> Masks:
    """By code, how many boards fewer there are than sixteen for each kept position of one side to move."""
    white, black = stones_of(ending)
    table = codes.reshape(axes(ending))
    result = np.zeros(256, np.int64)
    for row in symmetric_rows(white):
        least, boards = copies_of_row(white, black, row)
        first = least == np.arange(len(least))
        fewer = np.bincount(table[row, : len(least)][first], 16.0 - boards[first], 256)
        result += fewer.astype(np.int64)
    return result


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
    return _keys_of(side, *stones(ending, slots))


def _keys_of(side: int, whites: Masks, blacks: Masks) -> Words:
    return (whites << 1 | blacks << 25 | int(side == 0)).astype(np.uint64)


def copied_keys(ending: str, side: int, slots: Masks) -> Words:
    """The keys of slots and of their sixteen images, of which some may be the same: uint64 of shape (slots, 16)."""
    men = stones(ending, slots)
    return np.stack([_keys_of(side, *(images(turn, masks) for masks in men)) for turn in range(16)], axis=1)


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
    result = canonicals(white)[0][np.searchsorted(placements(24, white), whites)]
    rows, turns = result >> 4, result & 15
    packed, _ = _packed(orbits(white).masks[rows], images(turns, blacks))
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


_WON = 255
"""What a move is worth that leaves two stones."""

_BEFORE = np.array(BYTES_BEFORE, np.int16)
"""What a move is worth to its mover, by the code of the position it leads to; see :mod:`endgame_core.values`."""


class MorrisOnePly:
    """The codes of one pair's positions, derived.

    Args:
        ending: The pair.
        codes: Gives the codes of the pair and of those that captures lead to.
    """

    def __init__(self, ending: str, codes: Codes) -> None:
        self.ending = ending
        self._codes = codes
        self._known: dict[tuple[str, int], NDArray[np.uint8]] = {}

    def _look(self, own: int, other: int, movers: Masks, others: Masks) -> NDArray[np.uint8]:
        """The codes of positions in which ``own`` stones are to move against ``other``."""
        name, side = name_of(own, other), int(own < other)
        key = name, side
        if key not in self._known:
            self._known[key] = filled(name, self._codes(name, side)).reshape(-1)
        return self._known[key][slots_of(name, *((others, movers) if side else (movers, others)))]

    def derived(self, side: int, start: int, count: int) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """The canonical slots of a range, and the codes they must have."""
        slots = start + np.flatnonzero(copies(self.ending, side, start, count))
        best = np.zeros(len(slots), np.int16)  # without a move, lost
        for rows, worth, _, _ in self.worths(side, slots):
            best[rows] = np.maximum(best[rows], worth)
        return slots, np.array(CODES_OF_BYTES, np.int32)[best]

    def worths(self, side: int, slots: NDArray[np.int64]) -> Iterator[tuple[Masks, NDArray[np.int16], Any, bool]]:
        """What the moves of some positions are worth, some moves of many positions at a time.

        Yields:
            Which of the positions, each at most once; what the moves are worth, how many there are of each, and
            whether they take something.
        """
        whites, blacks = stones(self.ending, slots)
        movers, others = (blacks, whites) if side else (whites, blacks)
        free, takeable = ALL & ~(whites | blacks), _takeable(others)
        flying = stones_of(self.ending)[side] == FEWEST
        own, other = _in_order(self.ending, side)
        for source in range(24):
            for end in range(24) if flying else NEIGHBOURS[source]:
                chosen = np.flatnonzero((movers >> source & 1) & (free >> end & 1))
                moved = movers[chosen] ^ (1 << source | 1 << end)
                closed = in_mill(moved, end)
                rows = chosen[~closed]
                yield rows, _BEFORE[self._look(other, own, others[rows], moved[~closed])], 1, False
                yield from self._taking(own, other, chosen[closed], moved[closed], others, takeable)

    def _taking(
        self, own: int, other: int, chosen: Masks, moved: Masks, others: Masks, takeable: Masks
    ) -> Iterator[tuple[Masks, NDArray[np.int16], Any, bool]]:
        """The same of a move that closes a mill, whatever it takes."""
        if other == FEWEST:
            number = sum(takeable[chosen] >> point & 1 for point in range(24))
            yield chosen, np.full(len(chosen), _WON, np.int16), number, True
            return
        for point in range(24):
            which = takeable[chosen] >> point & 1 == 1
            here = chosen[which]
            yield here, _BEFORE[self._look(other - 1, own, others[here] ^ 1 << point, moved[which])], 1, True


def _in_order(ending: str, side: int) -> tuple[int, int]:
    """The stones of the side to move, and of the other."""
    white, black = stones_of(ending)
    return (black, white) if side else (white, black)


def _takeable(masks: Masks) -> Masks:
    """The stones in no mill; all of them where every one is in a mill."""
    guarded = np.zeros_like(masks)
    for mill in MILLS:
        guarded |= np.where(masks & mill == mill, mill, 0)
    return np.where(guarded == masks, masks, masks & ~guarded)

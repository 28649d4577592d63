"""Vectorised Morris positions: placements and symmetries, the slot index, and codes derived one ply deep.

A position is a pair of 24-bit masks. White's stones are stored once per orbit under the sixteen symmetries, which
gives the *row* of a slot; Black's stones are ranked among the points that White leaves free, which gives the place in
that row. See :mod:`endgame_core.morris.index`.
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
"""Images of the eight points of a ring: ``[symmetry, ring, byte]`` is a mask of 24 bits."""


def images(symmetry: int | Masks, masks: Masks) -> Masks:
    """Return the images of masks under a symmetry.

    Args:
        symmetry: One symmetry for all masks (0 to 15), or an array with one for each mask.
        masks: 24-bit masks.
    """
    outer, middle, inner = (IMAGE_TABLES[symmetry, ring, masks >> 8 * ring & 255] for ring in range(3))
    return outer | middle | inner


@cache
def placements(points: int, stones: int) -> Masks:
    """Return all masks of ``stones`` bits among ``points``, ascending; the rank of a mask is its position here."""
    if stones == 0:
        return np.zeros(1, np.int64)
    if points < stones:
        return np.zeros(0, np.int64)
    without_last = placements(points - 1, stones)
    with_last = placements(points - 1, stones - 1) | 1 << points - 1
    return np.concatenate([without_last, with_last])


class Orbits(NamedTuple):
    """The placements of a number of stones, one for each orbit of symmetric copies.

    Attributes:
        masks: The smallest mask of each orbit, ascending; int64 of shape (orbits,).
        stabilisers: The symmetries that map this mask onto itself, as a bitmask; int64 of shape (orbits,).
    """

    masks: Masks
    stabilisers: Masks


@cache
def orbits(stones: int) -> Orbits:
    """Return the orbits of ``stones`` stones under the sixteen symmetries."""
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
    """Return the orbit number of each mask, and a symmetry that maps it onto the smallest mask of its orbit."""
    smallest = masks.copy()
    symmetries = np.zeros_like(masks)
    for symmetry in range(1, 16):
        copies = images(symmetry, masks)
        symmetries[copies < smallest] = symmetry
        np.minimum(smallest, copies, out=smallest)
    return np.searchsorted(orbits(stones).masks, smallest), symmetries


class Links(NamedTuple):
    """The moves (or the losses) of White's stones from each orbit; all columns are int64.

    Attributes:
        starts: Offsets into the other columns, of shape (2 * orbits + 1,). The quiet moves of orbit i begin at
            ``starts[2 * i]``, its moves that close a mill at ``starts[2 * i + 1]``.
        targets: The orbit after the move.
        turns: The symmetry that maps the stones after the move onto the mask of that orbit.
        sources: The point that the stone left.
        ends: The point that it went to.
    """

    starts: Masks
    targets: Masks
    turns: Masks
    sources: Masks
    ends: Masks


def in_mill(masks: Masks, point: int) -> NDArray[np.bool_]:
    """Return which masks contain a mill through a point; bool of the shape of ``masks``."""
    return np.any([masks & mill == mill for mill in MILLS_OF[point]], axis=0)


def _sorted_links(rows: int, blocks: list[tuple[Masks, ...]], stones: int) -> Links:
    """Sort moves by row, quiet moves first.

    Args:
        rows: The number of rows.
        blocks: Tuples of columns: row, kind (1 closes a mill), mask after the move, source and end.
        stones: The stones in each mask after the move.
    """
    row, kind, masks, sources, ends = (np.concatenate(column) for column in zip(*blocks, strict=True))
    group = 2 * row + kind
    order = np.argsort(group, kind="stable")
    starts = np.zeros(2 * rows + 1, np.int64)
    np.cumsum(np.bincount(group, minlength=2 * rows), out=starts[1:])
    targets, turns = canonical(stones, masks[order])
    return Links(starts, targets, turns, sources[order], ends[order])


@cache
def moves(stones: int) -> Links:
    """Return the moves of each orbit of ``stones`` stones on a board without opponents; three stones fly."""
    masks = orbits(stones).masks
    blocks: list[tuple[Masks, ...]] = []
    for source in range(24):
        ends = range(24) if stones == FEWEST else NEIGHBOURS[source]
        for end in ends:
            rows = np.flatnonzero((masks >> source & 1 == 1) & (masks >> end & 1 == 0))
            moved = masks[rows] ^ (1 << source | 1 << end)
            kind = in_mill(moved, end).astype(np.int64)
            blocks.append((rows, kind, moved, np.full_like(rows, source), np.full_like(rows, end)))
    return _sorted_links(len(masks), blocks, stones)


@cache
def losses(stones: int) -> Links:
    """Return the stones that the opponent may take from each orbit of ``stones`` stones.

    All entries are filed under the moves that close a mill. ``sources`` and ``ends`` are both the point of the stone.
    """
    masks = orbits(stones).masks
    exposed = [(masks >> point & 1 == 1) & ~in_mill(masks, point) for point in range(24)]
    has_exposed = np.any(exposed, axis=0)
    blocks: list[tuple[Masks, ...]] = []
    for point in range(24):
        # A stone in a mill is protected only while another stone is in none.
        rows = np.flatnonzero(np.where(has_exposed, exposed[point], masks >> point & 1 == 1))
        points = np.full_like(rows, point)
        blocks.append((rows, np.ones_like(rows), masks[rows] ^ 1 << point, points, points))
    return _sorted_links(len(masks), blocks, stones - 1)


@cache
def canonicals(stones: int) -> tuple[Masks, Masks]:
    """Return the canonical form of every mask of ``stones`` stones.

    Returns:
        By the rank of a mask, ``16 * orbit + symmetry``, where the symmetry maps it onto the smallest mask of its
        orbit; and the stabilisers of the orbits.
    """
    numbers, symmetries = canonical(stones, placements(24, stones))
    return 16 * numbers + symmetries, orbits(stones).stabilisers


Words = NDArray[np.uint64]

_CHOOSE = tuple(tuple(comb(points, stones) for stones in range(STONES + 1)) for points in range(24))
"""Binomial coefficients: ``[points][stones]``."""

_WHITES = 4096
"""Size of the cache of White's masks: Black's moves leave White's stones, and so the row, as they are."""
_ROWS = 256
"""Size of the cache of symmetric rows; enough for all rows of a pair in which one side has three or four stones."""
_CHUNK = 1 << 20
"""Slots whose colours are exchanged in one step."""

_LOW = 11
"""Bits of a packed mask that index the first rank table; the second takes the upper ones, at most ten."""


@cache
def rank_tables() -> tuple[NDArray[np.uint16], NDArray[np.uint16]]:
    """Return two tables that give the rank of a packed mask of at most 21 bits with one look-up in each.

    The rank of a mask with bits at the places p1 < p2 < … is ``comb(p1, 1) + comb(p2, 2) + …``. The terms of the upper
    bits depend on the lower ones only by their number.

    Returns:
        The first table is indexed by the low eleven bits and holds ``16 * rank + number of bits``. The second is
        indexed by ``1024 * number of low bits + upper bits`` and holds what the upper bits add to the rank.
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
    low, high = rank_tables()
    below = low[masks & (1 << _LOW) - 1].astype(np.int64)
    return (below >> 4) + high[(below & 15) << 10 | masks >> _LOW]


def index_of(white: int, black: int) -> int:
    """Return the canonical slot of two masks; White must have at least as many stones as Black."""
    row, free, symmetries = _row_of(white)
    ranks = [rank_among(free, image(symmetry, black)) for symmetry in symmetries]
    return row * stride(white.bit_count(), black.bit_count()) + min(ranks)


@lru_cache(_WHITES)
def _row_of(white: int) -> tuple[int, int, list[int]]:
    """Return the row of White's mask, the free points in that row, and the symmetries that map the mask onto it."""
    copies = [image(symmetry, white) for symmetry in range(16)]
    smallest = min(copies)
    row = int(orbits(white.bit_count()).masks.searchsorted(smallest))
    symmetries = [symmetry for symmetry in range(16) if copies[symmetry] == smallest]
    return row, ALL & ~smallest, symmetries


def masks_at(ending: str, index: int) -> tuple[int, int]:
    """Return the masks of White's and Black's stones in a slot."""
    white_stones, black_stones = stones_of(ending)
    row, rank = divmod(index, stride(white_stones, black_stones))
    white = int(orbits(white_stones).masks[row])
    free = points_of(ALL & ~white)
    packed = int(placements(len(free), black_stones)[rank])
    return white, sum(1 << free[place] for place in points_of(packed))


def rank_among(free: int, mask: int) -> int:
    """Return the rank of a mask among all masks with as many stones on the points of ``free``."""
    places = [(free & ((1 << point) - 1)).bit_count() for point in points_of(mask)]
    return sum(_CHOOSE[place][stones] for stones, place in enumerate(places, 1))


@lru_cache(_ROWS)
def copies_of_row(white: int, black: int, row: int) -> tuple[Masks, NDArray[np.uint8]]:
    """Return the symmetric copies of the positions in a row; both arrays are read-only.

    Args:
        white: The number of White's stones.
        black: The number of Black's stones.
        row: The row, an orbit of White's stones.

    Returns:
        For each rank the lowest rank of a copy in the same row, and the number of different boards among the sixteen
        copies of the position.
    """
    orbit_masks, stabilisers = orbits(white)
    white_mask = int(orbit_masks[row])
    stabiliser = int(stabilisers[row])
    masks = placements(24 - white, black)
    free = points_of(ALL & ~white_mask)
    identity = np.arange(len(masks))
    least = identity
    fixing = np.ones(len(masks), np.int64)  # symmetries that leave the position as it is
    for symmetry in range(1, 16):
        if stabiliser >> symmetry & 1:
            bits = [1 << free.index(SYMMETRIES[symmetry][point]) for point in free]
            ranks = _ranks(_sums(bits, masks))
            least = np.minimum(least, ranks)
            fixing += ranks == identity
    boards = (16 // fixing).astype(np.uint8)
    least.flags.writeable = False
    boards.flags.writeable = False
    return least, boards


def _sums(values: list[int], masks: Masks) -> Masks:
    """Return for each packed mask the sum of the values at its bits."""
    result = np.zeros_like(masks)
    # Seven bits at a time index a table of all 128 sums of their values.
    for start in range(0, len(values), 7):
        table = np.zeros(1, np.int64)
        for value in values[start : start + 7]:
            table = np.concatenate([table, table + value])
        result += table[masks >> start & len(table) - 1]
    return result


def symmetric_rows(white: int) -> list[int]:
    """Return the rows that a symmetry other than the identity maps onto themselves."""
    return np.flatnonzero(orbits(white).stabilisers > 1).tolist()


def filled(ending: str, codes: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return the codes of one side to move with each stored code copied to all copies of its slot.

    Args:
        ending: A pair.
        codes: Codes by slot, uint8 of shape (slots,); only canonical slots count.

    Returns:
        uint8 array of shape (rows, stride).
    """
    white, black = stones_of(ending)
    result = codes.reshape(axes(ending)).copy()
    for row in symmetric_rows(white):
        least, _ = copies_of_row(white, black, row)
        result[row, : len(least)] = result[row, least]
    return result


def exchanged(ending: str, codes: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return the codes with Black to move of a pair of equal numbers, whose table stores only White to move.

    A slot with Black to move has the value of the same position with colours exchanged and White to move.

    Args:
        ending: A pair of equal numbers, e.g. ``4-4``.
        codes: Codes with White to move, uint8 of shape (slots,); only canonical slots count.

    Returns:
        uint8 array of the same shape; values in slots that are not canonical are meaningless.
    """
    table = filled(ending, codes).reshape(-1)
    result = np.zeros_like(codes)
    for start in range(0, len(codes), _CHUNK):
        boards = copies(ending, 0, start, min(_CHUNK, len(codes) - start))
        # With colours exchanged, the position of a canonical slot is in the same table with White to move.
        slots = start + np.flatnonzero(boards)
        whites, blacks = stones(ending, slots)
        result[slots] = table[slots_of(ending, blacks, whites)]
    return result


def copies(ending: str, side: int, start: int, count: int) -> NDArray[np.uint8]:
    """Return the number of different boards among the symmetric copies of each slot.

    Args:
        ending: A pair.
        side: 0 for White to move, 1 for Black.
        start: First slot, a multiple of 64.
        count: Number of slots, a multiple of 64.

    Returns:
        uint8 array of shape (count,): a divisor of 16, or 0 for slots that are not canonical.
    """
    _, length = axes(ending)
    last_row = -(-(start + count) // length)  # rounded up
    rows = range(start // length, last_row)
    result = copies_in(ending, side, [rows, range(length)])
    return result[start - rows.start * length :][:count]


def copies_in(ending: str, side: int, box: Sequence[range]) -> NDArray[np.uint8]:
    """Return the number of boards of each slot in a box; see :func:`copies`.

    Args:
        ending: A pair.
        side: 0 for White to move, 1 for Black.
        box: The rows and the ranks of the slots.

    Returns:
        uint8 array of shape (slots in the box,), in ascending order of the slots.
    """
    white, black = stones_of(ending)
    rows, ranks = box
    result = np.zeros((len(rows), len(ranks)), np.uint8)
    if side and white == black:  # only White to move is stored
        return result.reshape(-1)
    # White's stones of most rows have no symmetry of their own: all sixteen images differ, and each rank is canonical.
    # Only the other rows are counted one by one below.
    result[:, : max(0, row_size(white, black) - ranks.start)] = 16
    for row in np.flatnonzero(orbits(white).stabilisers[rows.start : rows.stop] > 1).tolist():
        least, boards = copies_of_row(white, black, rows.start + row)
        part = np.where(least == np.arange(len(least)), boards, 0)[ranks.start : ranks.stop]
        result[row, : len(part)] = part
    return result.reshape(-1)


def find_stored_slots(ending: str, side: int) -> Words:
    """Return the bitmap of the canonical slots of one side to move: uint64 of shape (slots / 64,)."""
    rows, length = axes(ending)
    parts = [range(start, min(start + 64, rows)) for start in range(0, rows, 64)]
    bits = [np.packbits(copies_in(ending, side, [part, range(length)]) > 0, bitorder="little") for part in parts]
    return np.concatenate(bits).view("<u8").astype(np.uint64)


def missing(ending: str, codes: NDArray[np.uint8]) -> Masks:
    """Return for each code the number of boards that its canonical positions lack, as each has up to sixteen.

    Args:
        ending: A pair.
        codes: Codes of one side to move, uint8 of shape (slots,).

    Returns:
        int64 array of shape (256,): the sum of ``16 - boards`` over the positions with each code.
    """
    white, black = stones_of(ending)
    table = codes.reshape(axes(ending))
    result = np.zeros(256, np.int64)
    for row in symmetric_rows(white):
        least, boards = copies_of_row(white, black, row)
        is_canonical = least == np.arange(len(least))
        fewer = np.bincount(table[row, : len(least)][is_canonical], 16.0 - boards[is_canonical], 256)
        result += fewer.astype(np.int64)
    return result


def stones(ending: str, slots: Masks) -> tuple[Masks, Masks]:
    """Return the masks of White's and Black's stones in slots; meaningless for padding at the end of a row."""
    white, black = stones_of(ending)
    rows, ranks = np.divmod(slots, axes(ending)[1])
    whites = orbits(white).masks[rows]
    packed = placements(24 - white, black)[np.minimum(ranks, row_size(white, black) - 1)]
    blacks = np.zeros_like(whites)
    place = np.zeros_like(whites)  # of the next free point among all free points
    for point in range(24):
        free = whites >> point & 1 ^ 1
        # Black's stones are stored as a mask of the points that White leaves free: spread its bits over these.
        blacks |= (packed >> place & free) << point
        place += free
    return whites, blacks


def keys(ending: str, side: int, slots: Masks) -> Words:
    """Return the position keys of slots, uint64; see :func:`endgame_core.morris.notation.key`.

    White is the side named first in ``ending``.
    """
    return _keys_of(side, *stones(ending, slots))


def _keys_of(side: int, whites: Masks, blacks: Masks) -> Words:
    # Bit 0 is the side to move, bits 1 to 24 are White's stones, bits 25 to 48 Black's.
    return (whites << 1 | blacks << 25 | int(side == 0)).astype(np.uint64)


def copied_keys(ending: str, side: int, slots: Masks) -> Words:
    """Return the keys of the sixteen images of each slot, with duplicates: uint64 of shape (slots, 16)."""
    whites, blacks = stones(ending, slots)
    columns = [_keys_of(side, images(symmetry, whites), images(symmetry, blacks)) for symmetry in range(16)]
    return np.stack(columns, axis=1)


def _packed(whites: Masks, blacks: Masks) -> tuple[Masks, Masks]:
    """Number the points that White leaves free from 0; return Black's stones as masks of these, and their counts."""
    packed = np.zeros_like(blacks)
    place = np.zeros_like(blacks)
    placed = np.zeros_like(blacks)
    for point in range(24):
        free = whites >> point & 1 ^ 1
        bit = blacks >> point & free
        packed |= bit << place
        place += free
        placed += bit
    return packed, placed


def slots_of(ending: str, whites: Masks, blacks: Masks) -> Masks:
    """Return a slot for each pair of masks: the right row, but not always the canonical rank within it."""
    white, _ = stones_of(ending)
    # A canonical form holds the row, and in its lowest four bits the symmetry that leads there.
    canonical_forms = canonicals(white)[0][np.searchsorted(placements(24, white), whites)]
    rows = canonical_forms >> 4
    turns = canonical_forms & 15
    packed, _ = _packed(orbits(white).masks[rows], images(turns, blacks))
    return rows * axes(ending)[1] + _ranks(packed)


def slots_of_keys(ending: str, keys: Words) -> tuple[NDArray[np.int64], Masks]:
    """Return the side to move and the slot of each key; -1 for a number that is not a key of any slot.

    The slot may be a symmetric copy of the canonical one.
    """
    white, black = stones_of(ending)
    values = (keys & np.uint64((1 << 49) - 1)).astype(np.int64)
    whites = values >> 1 & ALL
    blacks = values >> 25
    masks = orbits(white).masks
    rows = np.minimum(np.searchsorted(masks, whites), len(masks) - 1)
    packed, placed = _packed(whites, blacks)
    has_excess_bits = keys >> np.uint64(49) != 0
    overlaps = whites & blacks != 0
    invalid = has_excess_bits | (masks[rows] != whites) | overlaps | (placed != black)
    ranks = _ranks(np.where(invalid, (1 << black) - 1, packed))  # any valid mask, to stay inside the tables
    return 1 - (values & 1), np.where(invalid, -1, rows * axes(ending)[1] + ranks)


_WON = 255
"""Value of a move that leaves the opponent two stones."""

_BEFORE = np.array(BYTES_BEFORE, np.int16)
"""Value of a move for its mover, by the code of the position it leads to; see :mod:`endgame_core.values`."""


class MorrisOnePly:
    """Derives the codes of a pair's positions from those of the positions one ply later.

    Args:
        ending: The pair.
        codes: Returns the codes of the pair and of those that captures lead to.
    """

    def __init__(self, ending: str, codes: Codes) -> None:
        self.ending = ending
        self._codes = codes
        self._tables: dict[tuple[str, int], NDArray[np.uint8]] = {}

    def _probe(self, own: int, other: int, movers: Masks, opponents: Masks) -> NDArray[np.uint8]:
        """Return the codes of positions in which a side with ``own`` stones is to move against ``other`` stones."""
        name = name_of(own, other)
        side = int(own < other)
        if (name, side) not in self._tables:
            self._tables[name, side] = filled(name, self._codes(name, side)).reshape(-1)
        if side:
            slots = slots_of(name, opponents, movers)
        else:
            slots = slots_of(name, movers, opponents)
        return self._tables[name, side][slots]

    def derived(self, side: int, start: int, count: int) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Return the canonical slots of a range, and the codes that follow from their successors."""
        slots = start + np.flatnonzero(copies(self.ending, side, start, count))
        best = np.zeros(len(slots), np.int16)  # a position without moves is lost
        for rows, values, _, _ in self.worths(side, slots):
            best[rows] = np.maximum(best[rows], values)
        return slots, np.array(CODES_OF_BYTES, np.int32)[best]

    def worths(self, side: int, slots: NDArray[np.int64]) -> Iterator[tuple[Masks, NDArray[np.int16], Any, bool]]:
        """Evaluate the moves of positions, the same move in many positions at a time.

        Yields:
            The positions that have the move, as ascending indices into ``slots``; the values of the move for the mover
            there; how many moves each value stands for (a number or an array); and whether they take a stone.
        """
        whites, blacks = stones(self.ending, slots)
        if side:
            movers = blacks
            opponents = whites
        else:
            movers = whites
            opponents = blacks
        free = ALL & ~(whites | blacks)
        takeable = _takeable(opponents)
        own, other = _in_order(self.ending, side)
        is_flying = own == FEWEST
        for source in range(24):
            ends = range(24) if is_flying else NEIGHBOURS[source]
            for end in ends:
                chosen = np.flatnonzero((movers >> source & 1) & (free >> end & 1))
                moved = movers[chosen] ^ (1 << source | 1 << end)
                closed = in_mill(moved, end)
                rows = chosen[~closed]
                yield rows, _BEFORE[self._probe(other, own, opponents[rows], moved[~closed])], 1, False
                yield from self._captures(own, other, chosen[closed], moved[closed], opponents, takeable)

    def _captures(
        self, own: int, other: int, chosen: Masks, moved: Masks, opponents: Masks, takeable: Masks
    ) -> Iterator[tuple[Masks, NDArray[np.int16], Any, bool]]:
        """Evaluate a step that closes a mill, with each stone that it may take; yields as :meth:`worths` does."""
        if other == FEWEST:
            number = sum(takeable[chosen] >> point & 1 for point in range(24))
            yield chosen, np.full(len(chosen), _WON, np.int16), number, True
            return
        for point in range(24):
            is_takeable = takeable[chosen] >> point & 1 == 1
            rows = chosen[is_takeable]
            yield rows, _BEFORE[self._probe(other - 1, own, opponents[rows] ^ 1 << point, moved[is_takeable])], 1, True


def _in_order(ending: str, side: int) -> tuple[int, int]:
    """Return the numbers of stones of the side to move and of its opponent."""
    white, black = stones_of(ending)
    if side:
        return (black, white)
    return (white, black)


def _takeable(masks: Masks) -> Masks:
    """Return the stones that may be taken: those in no mill, or all of them if every one is in a mill."""
    guarded = np.zeros_like(masks)
    for mill in MILLS:
        guarded |= np.where(masks & mill == mill, mill, 0)
    return np.where(guarded == masks, masks, masks & ~guarded)

"""Finds the slots that a table stores: the legal canonical ones. The loops are in ``_kernels_slices``.

Both the writer and the reader of a table ask here, so a file needs no list of its slots.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from endgame_core.chess import index, material
from endgame_core.chess.index import men_of, pawns_of, placement_count
from endgame_core.chess.solver import _kernels_slices as slice_kernels
from endgame_core.chess.solver import needs
from endgame_core.chess.solver.layout import dimensions, pawns_placed, pieces_beside_pawns, slice_men
from endgame_core.chess.solver.slices import men_now
from endgame_core.game import DigitFilter
from endgame_core.tables import mmap_arrays
from endgame_core.tables.kernels import KernelThreads


def find_stored_slots(ending: str, side: int, threads: int, slot_digits: DigitFilter = ()) -> NDArray[np.uint64]:
    """Finds the legal canonical slots of one side to move: those that a table stores.

    Args:
        ending: Canonical name.
        side: Side to move.
        threads: Threads to work with.
        slot_digits: Digits of the wanted slots, axis by axis; bits of others may be 0. All when empty.

    Returns:
        One bit for each slot, uint64 of shape (slots / 64,).
    """
    pawned = material.has_pawns(ending)
    men = slice_men(ending) if pawned else dimensions(ending)
    if slot_digits and (pawned or men.sizeq > 1):
        outer_digits = slot_digits[0]
    else:
        outer_digits = range(index.axes(ending)[0])
    parts = stretches(ending, sorted(outer_digits))
    masks = _squares_wanted(ending, slot_digits)
    result = mmap_arrays.zeros(index.slots(ending) // 64, np.uint64, [(first // 64, end // 64) for first, end in parts])
    if sum(end - first for first, end in parts) <= needs.FEW:
        threads = 1
    workers = KernelThreads(threads)
    tasks = men.sizeq * men.size0 * (placement_count(*pawns_of(ending)) if pawned else 10)
    pawns = pawns_placed(ending) if pawned else None
    # Tasks are numbered as slots are, so stretches of slots are stretches of tasks.
    for first, end in parts:
        part_bits = result[first // 64 : end // 64]
        first, end = (slot * tasks // index.slots(ending) for slot in (first, end))
        if pawns is not None:
            own = [(men_now(len(pawns.white)),) for _ in range(threads)]
            workers.run(
                slice_kernels.mark_stored_slots_of_slices, men, pawns, side, masks, part_bits, first, end, own=own
            )
        else:
            workers.run(slice_kernels.mark_stored_slots, men, side, masks, part_bits, first, end)
    workers.close()
    return result


def _squares_wanted(ending: str, slot_digits: DigitFilter) -> NDArray[np.uint64]:
    """Which squares of q, p0 and p1 are wanted, as bits; all of a piece that is not there."""
    pawned = material.has_pawns(ending)
    masks = slice_kernels.EVERYWHERE.copy()
    if pawned:
        men = len(pieces_beside_pawns(ending))
    else:
        men = len(men_of(ending)) - 1
    axes = slot_digits[pawned : pawned + men]
    for dimension, digits in enumerate(axes, 3 - len(axes)):
        masks[dimension] = sum(1 << digit for digit in digits)
    return masks


def stretches(ending: str, digits: Iterable[int]) -> list[tuple[int, int]]:
    """Lists the first slots and ends of stretches that have certain digits on the outermost axis, ascending."""
    each = index.slots(ending) // index.axes(ending)[0]
    result = list[tuple[int, int]]()
    for digit in digits:
        if result and result[-1][1] == digit * each:
            first = result.pop()[0]
        else:
            first = digit * each
        result.append((first, (digit + 1) * each))
    return result

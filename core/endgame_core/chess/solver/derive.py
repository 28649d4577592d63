"""Derives one side to move of a chess ending from the other, by DTM. The loops are in ``_kernels_derive``.

A one-sided table stores one side to move. Every move of the other side leads to a position that is stored, or to a
sub-ending, so its values follow from one look at all moves.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from endgame_core.chess import material
from endgame_core.chess.index import axes, slots
from endgame_core.chess.solver import _kernels_derive as kernels
from endgame_core.chess.solver.examine import EndingMoves, parts_of, reached
from endgame_core.chess.solver.stored_slots import find_stored_slots, stretches
from endgame_core.game import DigitFilter, Lookup
from endgame_core.tables import mmap_arrays
from endgame_core.tables.kernels import KernelThreads


def derive(
    ending: str, side: int, codes: Lookup, threads: int, slot_digits: DigitFilter = (), wide: bool = False
) -> NDArray[Any]:
    """Derives the codes of one side to move, from those of the other and of the sub-endings.

    Args:
        ending: Canonical name.
        side: Side to move.
        codes: Reads the codes of the other side, and of the sub-endings.
        threads: Threads to work with.
        slot_digits: Digits of the wanted slots, axis by axis; all of them when empty.
        wide: Whether codes are stored of this ending, not bytes.

    Returns:
        uint8 or uint16 of shape (slots,), 0 for slots that are not stored, and for most that are not wanted.
    """
    if slot_digits:
        digits = sorted(slot_digits[0])
    else:
        digits = range(axes(ending)[0])
    derived = mmap_arrays.zeros(slots(ending), np.uint16 if wide else np.uint8, stretches(ending, digits))
    for part in parts_of(ending):
        if part_digits := [digit for digit in digits if digit in part]:
            _derive(ending, side, codes, threads, part, [part_digits, *slot_digits[1:]] if slot_digits else (), derived)
    return derived


def _derive(
    ending: str, side: int, codes: Lookup, threads: int, part: range, slot_digits: DigitFilter, derived: NDArray[Any]
) -> None:
    """Derives a part of the digits on the outermost axis, into ``derived``."""
    lengths = axes(ending)
    placement_slots = slots(ending) // lengths[0]
    is_whole = len(part) == lengths[0]
    placements = []
    if not is_whole:
        placements = reached(ending, part)
    reach = []
    if not is_whole:
        reach = [placements, *map(range, lengths[1:])]
    next_codes = codes(ending, 1 - side, reach)

    def read_codes(name: str, mover: int, slot_digits: DigitFilter = ()) -> Any:
        if name == ending:
            if mover == side:
                return derived
            return next_codes
        return codes(name, mover, slot_digits)

    wanted_bits = find_stored_slots(
        ending, side, threads, slot_digits or ([] if is_whole else [part, *map(range, lengths[1:])])
    )
    words = wanted_bits.reshape(lengths[:-1])[part.start : part.stop]
    # `find_stored_slots` leaves out what is not wanted on the outermost axis of these; the rest is cleared here.
    narrow = material.has_pawns(ending) or material.men_count(ending) > 5
    for axis, digits in enumerate(slot_digits[: len(lengths) - 1]):
        if axis == 0 and narrow:
            continue
        first = part.start if axis == 0 else 0
        missing = sorted({*range(first, first + words.shape[axis])} - {*digits})
        np.moveaxis(words, axis, 0)[np.array(missing, np.int64) - first] = 0
    moves = EndingMoves(ending, side, read_codes, () if is_whole else part)
    workers = KernelThreads(threads)
    try:
        workers.run(
            kernels.derive, moves.field, side, next_codes, wanted_bits,
            find_stored_slots(ending, 1 - side, threads, reach), derived,
            part.start * placement_slots // 64, part.stop * placement_slots // 64,
            own=moves.own(threads),
        )  # fmt: skip
    finally:
        workers.close()

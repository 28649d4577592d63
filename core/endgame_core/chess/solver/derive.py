"""Derives one side to move of a chess ending from the other, by DTM. The loops are in ``_kernels_derive``."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from endgame_core.chess import material
from endgame_core.chess.index import axes, slots
from endgame_core.chess.solver import _kernels_derive as kernels
from endgame_core.chess.solver.examine import EndingMoves, parts_of, reached
from endgame_core.chess.solver.solve import kept, stretches
from endgame_core.game import Lookup, Wanted
from endgame_core.tables import mmap_arrays
from endgame_core.tables.kernels import KernelThreads


def derive(
    ending: str, side: int, codes: Lookup, threads: int, wanted: Wanted = (), wide: bool = False
) -> NDArray[Any]:
    """The codes of one side to move, from those of the other and of the sub-endings.

    Args:
        ending: Canonical name.
        side: Side to move.
        codes: Gives the codes of the other side, and of the sub-endings.
        threads: Threads to work with.
        wanted: Digits of the wanted slots, axis by axis; all of them when empty.
        wide: Whether codes are stored of this ending, not bytes.

    Returns:
        uint8 or uint16 of shape (slots,), 0 for slots that are not kept, and for most that are not wanted.
    """
    digits = sorted(wanted[0]) if wanted else range(axes(ending)[0])
    result = mmap_arrays.zeros(slots(ending), np.uint16 if wide else np.uint8, stretches(ending, digits))
    for part in parts_of(ending):
        if here := [digit for digit in digits if digit in part]:
            _derive(ending, side, codes, threads, part, [here, *wanted[1:]] if wanted else (), result)
    return result


def _derive(
    ending: str, side: int, codes: Lookup, threads: int, part: range, wanted: Wanted, found: NDArray[Any]
) -> None:
    """The same of a part of the digits on the outermost axis."""
    each, lengths = slots(ending) // axes(ending)[0], axes(ending)
    whole = len(part) == lengths[0]
    some = [] if whole else reached(ending, part)
    reach = [] if whole else [some, *map(range, lengths[1:])]
    then = codes(ending, 1 - side, reach)

    def known(name: str, mover: int, wanted: Wanted = ()) -> Any:
        if name == ending:
            return found if mover == side else then
        return codes(name, mover, wanted)

    here = kept(ending, side, threads, wanted or ([] if whole else [part, *map(range, lengths[1:])]))
    words = here.reshape(lengths[:-1])[part.start : part.stop]
    narrow = material.has_pawns(ending) or material.men_count(ending) > 5  # of these only what is wanted is kept
    for axis, digits in enumerate(wanted[: len(lengths) - 1]):
        if axis == 0 and narrow:
            continue
        first = part.start if axis == 0 else 0
        missing = sorted({*range(first, first + words.shape[axis])} - {*digits})
        np.moveaxis(words, axis, 0)[np.array(missing, np.int64) - first] = 0
    moves = EndingMoves(ending, side, known, () if whole else part)
    workers = KernelThreads(threads)
    try:
        workers.run(
            kernels.derive, moves.field, side, then, here, kept(ending, 1 - side, threads, reach), found,
            part.start * each // 64, part.stop * each // 64,
            own=moves.own(threads),
        )  # fmt: skip
    finally:
        workers.close()

"""Derives one side to move of a chess ending from the other, by DTM. The loops are in ``_kernels_derive``."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from endgame_core.chess.index import axes, slots
from endgame_core.chess.solver import _kernels_derive as kernels
from endgame_core.chess.solver.examine import Moves
from endgame_core.chess.solver.solve import kept
from endgame_core.game import Lookup, Wanted
from endgame_core.tables.kernels import Workers


def derive(ending: str, side: int, codes: Lookup, threads: int, wanted: Wanted = ()) -> NDArray[np.uint8]:
    """The codes of one side to move, from those of the other and of the sub-endings.

    Args:
        ending: Canonical name.
        side: Side to move.
        codes: Gives the codes of the other side, and of the sub-endings.
        threads: Threads to work with.
        wanted: Digits of the wanted slots, axis by axis; all of them when empty.

    Returns:
        uint8 of shape (slots,), 0 for slots that are not kept.
    """
    found = np.zeros(slots(ending), np.uint8)
    then = codes(ending, 1 - side)

    def known(name: str, mover: int, wanted: Wanted = ()) -> Any:
        if name == ending:
            return found if mover == side else then
        return codes(name, mover, wanted)

    here = kept(ending, side, threads)
    if wanted:
        chosen = np.zeros(axes(ending)[:-1], np.bool_)
        chosen[np.ix_(*(sorted(digits) for digits in wanted[:-1]))] = True
        here *= chosen.reshape(-1)
    moves = Moves(ending, side, known)
    workers = Workers(threads)
    try:
        workers.run(
            kernels.derive, moves.field, side, then, here, kept(ending, 1 - side, threads), found,
            own=moves.own(threads),
        )  # fmt: skip
    finally:
        workers.close()
    return found

"""Tells what queries ask of the moves of some positions; how they are tried is in ``_kernels_moves``."""

from __future__ import annotations

import numpy as np

from endgame_core.chess.solver._kernels_moves import Ahead, code_at, hanging, in_check, look, place_word, spot_of
from endgame_core.tables.kernels import kernel


@kernel
def tell(field, side, codes, then, kept_then, slots, enough, loose, found, pieces, squares):
    """Tells what is known of the moves of some positions.

    Args:
        field: The ending, see ``_kernels_moves``.
        side: Side to move.
        codes: What is stored of the positions, uint8 bytes or uint16 codes.
        then: The same of all slots with the other side to move.
        kept_then: Bits of the legal canonical slots with the other side to move, uint64.
        slots: Canonical slots, int64; side by side where they are near each other.
        enough: It is left off when so many moves keep the result.
        loose: Whether it is told if a man hangs.
        found: Room for seven numbers each, int64: legal moves, those that keep the result, the best, the kinds among
            both, whether a man hangs, and whether the side to move is in check.
        pieces: A thread's own copy of the piece numbers.
        squares: A thread's own squares.
    """
    word, king, men, hung = np.int64(-1), np.int64(0), np.uint64(0), np.uint64(0)
    for row in range(slots.size):
        slot = slots[row]
        if slot >> 6 != word:
            word = slot >> 6
            king, men = place_word(field, word, squares)
            if loose:
                hung = hanging(field, side, king, men, squares)
        spot = spot_of(side, king, slot & 63, men)
        facts = look(pieces, field, squares, spot, Ahead(word, then, kept_then), code_at(codes, row), enough, True)
        at = 7 * row
        found[at], found[at + 1], found[at + 2] = facts.legal, facts.keeping, facts.best
        found[at + 3], found[at + 4] = facts.kinds, facts.best_kinds
        found[at + 5] = np.int64((hung >> np.uint64(slot & 63)) & np.uint64(1))
        found[at + 6] = in_check(pieces, field, squares, spot)

"""Finds the facts about moves that queries ask for; how moves are tried is in ``_kernels_moves``."""

from __future__ import annotations

import numpy as np

from endgame_core.chess.solver._kernels_moves import (
    Successors,
    code_at,
    examine_moves,
    hanging,
    in_check,
    place_word,
    position_of,
)
from endgame_core.tables.kernels import kernel


@kernel
def find_facts(
    field, side, codes, next_codes, next_stored_bits, slots, enough, with_hanging, facts_out, pieces, squares
):
    """Finds what queries ask about the moves of some positions.

    Args:
        field: The ending, see ``_kernels_moves``.
        side: Side to move.
        codes: The stored values of the positions, uint8 bytes or uint16 codes.
        next_codes: The same of all slots with the other side to move.
        next_stored_bits: Bits of the legal canonical slots with the other side to move, uint64.
        slots: Canonical slots, int64; fastest in ascending order.
        enough: Stop after this number of moves that keep the result.
        with_hanging: Whether to find hanging pieces.
        facts_out: Seven numbers for each, int64: legal moves, those that keep the result, the best, the kinds of both,
            whether a piece hangs, and whether the side to move is in check.
        pieces: A thread's own copy of the piece types.
        squares: A thread's own squares.
    """
    word = np.int64(-1)
    king = np.int64(0)
    men = np.uint64(0)
    hanging_bits = np.uint64(0)
    for row in range(slots.size):
        slot = slots[row]
        # Slots of one word share everything but the black king, so its pieces are placed once.
        if slot >> 6 != word:
            word = slot >> 6
            king, men = place_word(field, word, squares)
            if with_hanging:
                hanging_bits = hanging(field, side, king, men, squares)
        position = position_of(side, king, slot & 63, men)
        successors = Successors(word, next_codes, next_stored_bits)
        code = code_at(codes, row)
        facts = examine_moves(pieces, field, squares, position, successors, code, enough, True)
        at = 7 * row
        facts_out[at], facts_out[at + 1], facts_out[at + 2] = facts.legal, facts.keeping, facts.best
        facts_out[at + 3], facts_out[at + 4] = facts.kinds, facts.best_kinds
        facts_out[at + 5] = np.int64((hanging_bits >> np.uint64(slot & 63)) & np.uint64(1))
        facts_out[at + 6] = in_check(pieces, field, squares, position)

"""Derives the codes of one side to move from those of the other, by trying all moves of every position.

The value of a position is that of its best move; one without a move is mated or stalemated.
"""

from __future__ import annotations

import numpy as np

from endgame_core.chess.solver._kernels_board import U1
from endgame_core.chess.solver._kernels_moves import (
    DRAW,
    ONLY_BEST,
    WORDS,
    Successors,
    examine_moves,
    in_check,
    place_word,
    position_of,
)
from endgame_core.tables.kernels import always, ctz, kernel, next_task

best = always(examine_moves.py_func)
"""Finds the best move only: compiled into the loop, ``examine_moves`` loses everything else that it does."""


@kernel
def derive(field, side, next_codes, wanted_bits, next_stored_bits, codes, first, end, counter, pieces, squares):
    """Derives the codes of all positions of an ending with one side to move.

    Args:
        field: The ending.
        side: Side to move.
        next_codes: The stored values with the other side to move, uint8 bytes or uint16 codes.
        wanted_bits: Bits of the slots to derive, uint64.
        next_stored_bits: Bits of the legal canonical slots with the other side to move.
        codes: The derived codes, of the same type as ``next_codes``; bytes have to hold them where these are bytes.
        first: The first word.
        end: The word after the last.
        counter: Shared task counter.
        pieces: A thread's own copy of the piece types.
        squares: A thread's own squares.
    """
    while True:
        start = first + next_task(counter) * WORDS
        if start >= end:
            break
        for word in range(start, min(start + WORDS, end)):
            bits = wanted_bits[word]
            if not bits:
                continue
            king, men = place_word(field, word, squares)
            successors = Successors(word, next_codes, next_stored_bits)
            while bits:
                other = ctz(bits)
                bits &= bits - U1
                position = position_of(side, king, other, men)
                top = best(pieces, field, squares, position, successors, np.int64(ONLY_BEST), 1 << 30, True).top
                if top < 0:
                    top = np.int64(0 if in_check(pieces, field, squares, position) else DRAW)
                codes[word * 64 + other] = top

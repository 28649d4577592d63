"""Derives the codes of one side to move from those of the other: all moves of every position are tried."""

from __future__ import annotations

import numpy as np

from endgame_core.chess.solver._kernels_board import U1
from endgame_core.chess.solver._kernels_moves import (
    DRAW,
    ONLY_BEST,
    WORDS,
    Ahead,
    in_check,
    look,
    place_word,
    spot_of,
)
from endgame_core.tables.kernels import always, ctz, kernel, next_task

best = always(look.py_func)
"""Looks at moves for the best alone: what else ``look`` does is left out where it is compiled into the loop."""


@kernel
def derive(field, side, then, kept, kept_then, codes, first, end, counter, pieces, squares):
    """Derives the codes of all positions of an ending with one side to move.

    Args:
        field: The ending.
        side: Side to move.
        then: What is stored with the other side to move, uint8 bytes or uint16 codes.
        kept: Bits of the slots to derive, uint64.
        kept_then: Bits of the legal canonical slots with the other side to move.
        codes: Room for what is derived, of the same type; where that are bytes they hold it.
        first: The first word of which they are derived.
        end: Where they end.
        counter: Shared task counter.
        pieces: A thread's own copy of the piece numbers.
        squares: A thread's own squares.
    """
    while True:
        start = first + next_task(counter) * WORDS
        if start >= end:
            break
        for word in range(start, min(start + WORDS, end)):
            bits = kept[word]
            if not bits:
                continue
            king, men = place_word(field, word, squares)
            ahead = Ahead(word, then, kept_then)
            while bits:
                other = ctz(bits)
                bits &= bits - U1
                spot = spot_of(side, king, other, men)
                top = best(pieces, field, squares, spot, ahead, np.int64(ONLY_BEST), 1 << 30, True).top
                if top < 0:
                    top = np.int64(0 if in_check(pieces, field, squares, spot) else DRAW)
                codes[word * 64 + other] = top

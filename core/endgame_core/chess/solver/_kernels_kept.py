"""After the last pass: which slots are kept in a table, and what was left undecided becomes drawn."""

from __future__ import annotations

import numpy as np

from endgame_core.chess.solver._kernels_board import ALL, U1, legal_words, row_of
from endgame_core.chess.solver.geometry import IMAGE, KING
from endgame_core.tables.kernels.vectors import bytes_set, ctz, inner, kernel, next_task

DIAGONAL = np.uint64(sum(1 << 9 * i for i in range(8)))
ON_OR_BELOW_DIAGONAL = np.uint64(sum(1 << s for s in range(64) if s <= ((s >> 3) | ((s & 7) << 3))))


@inner
def canonical_bits(men, block, p0, p1, p2):
    """Which positions of a word without pawns are canonical, and which of them are their own mirror copy."""
    none = np.uint64(0)
    if (men.same01 and p0 >= p1) or (men.same12 and p1 >= p2):
        return none, none
    if KING[block] % 9:
        return ALL, none
    t0 = IMAGE[256 + p0] if men.size0 == 64 else 0
    t1 = IMAGE[256 + p1] if men.size1 == 64 else 0
    t2 = IMAGE[256 + p2]
    for _ in range(2):
        if men.same01 and t0 > t1:
            t0, t1 = t1, t0
        if men.same12 and t1 > t2:
            t1, t2 = t2, t1
    here = (p0 * 64 + p1) * 64 + p2
    there = (t0 * 64 + t1) * 64 + t2
    if here == there:
        return ON_OR_BELOW_DIAGONAL, DIAGONAL
    return (ALL if here < there else none), none


@kernel
def keep(men, side, kept, counter):
    """Fills ``kept`` with the legal canonical slots of one side to move."""
    while True:
        task = next_task(counter)
        if task >= 10 * men.size0:
            break
        block = task // men.size0
        p0 = task % men.size0
        for p1 in range(men.size1):
            if men.same01 and p1 <= p0:
                continue
            first = row_of(men, block, p0, p1) * 64
            for p2 in range(64):
                canonical, _ = canonical_bits(men, block, p0, p1, p2)
                legal0, _, legal1, _ = legal_words(men, KING[block], p0, p1, p2)
                kept[first + p2] = canonical & (legal1 if side else legal0)


@kernel
def finish(men, state, draws, counter, alone):
    """Calls what is undecided drawn, and leaves in U which slots are kept: the legal canonical ones.

    ``draws`` are the codes of a draw with White and with Black to move, uint8.
    ``alone[256 * side + code]`` counts, for one thread, the positions that are their own mirror copy.
    """
    per_side = state.undecided.size // 2
    tasks = 10 * men.size0
    while True:
        task = next_task(counter)
        if task >= tasks:
            break
        block = task // men.size0
        p0 = task % men.size0
        for p1 in range(men.size1):
            if men.same01 and p1 <= p0:
                continue
            for p2 in range(64):
                legal0, _, legal1, _ = legal_words(men, KING[block], p0, p1, p2)
                canonical, own = canonical_bits(men, block, p0, p1, p2)
                for side in range(2):
                    word = side * per_side + row_of(men, block, p0, p1) * 64 + p2
                    drawn = state.undecided[word]
                    if drawn:
                        bytes_set(state.codes, word * 64, drawn, draws[side])
                    kept = canonical & (legal1 if side else legal0)
                    state.undecided[word] = kept
                    kept &= own
                    while kept:
                        bit_ = ctz(kept)
                        kept &= kept - U1
                        alone[256 * side + state.codes[word * 64 + bit_]] += 1

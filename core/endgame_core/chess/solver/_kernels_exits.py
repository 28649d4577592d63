"""Before the first layer: legal positions, checks, and what every capture promises.

Promises are codes of the positions after a capture, turned into the mover's view, 0 where the capture would be illegal.
They are unfolded from the sub-endings first ([white king][other men][black king], no symmetry), so that offering a
capture to 64 positions is one masked maximum of 64 bytes.
"""

from __future__ import annotations

import numpy as np

from endgame_core.chess.solver._kernels_board import U1, bit, legal_words, row_of
from endgame_core.chess.solver.geometry import BETWEEN, KING, REACH
from endgame_core.tables.kernels.vectors import (
    bytes_above,
    bytes_equal,
    bytes_raise,
    bytes_raise_to,
    ctz,
    inner,
    kernel,
    next_task,
)


@inner
def capture(men, state, bounds, at, occupied, piece, source, target, word):
    """Offers the exit "the man on source takes on target" to a word; ``at`` is its byte in bounds."""
    if (REACH[64 * piece + source] >> np.uint64(target)) & U1:
        path = BETWEEN[64 * source + target]
        if not path & occupied:
            bytes_raise(state.codes, word * 64, bounds, at, ~path)


@inner
def place(victim, king, q0, q1, q2, men):
    """First byte of a word in the bounds of one victim: all squares but the victim's."""
    at = king
    if victim != 0 and men.piece0:
        at = at * 64 + q0
    if victim != 1 and men.piece1:
        at = at * 64 + q1
    if victim != 2:
        at = at * 64 + q2
    return at * 64


@inner
def offer_captures(men, state, bounds, victim, side, king, p0, p1, p2, word):
    """Offers all captures of one man to one word of the side that takes."""
    occupied = bit(king, 64) | bit(p0, men.size0) | bit(p1, men.size1) | bit(p2, 64)
    target = p0 if victim == 0 else (p1 if victim == 1 else p2)
    if men.piece0 and victim != 0 and men.white0 != side:
        at = place(victim, king, target, p1, p2, men)
        capture(men, state, bounds, at, occupied, men.piece0, p0, target, word)
    if men.piece1 and victim != 1 and men.white1 != side:
        at = place(victim, king, p0, target, p2, men)
        capture(men, state, bounds, at, occupied, men.piece1, p1, target, word)
    if victim != 2 and men.white2 != side:
        at = place(victim, king, p0, p1, target, men)
        capture(men, state, bounds, at, occupied, men.piece2, p2, target, word)
    if side == 0:
        at = place(victim, target, p0, p1, p2, men)
        capture(men, state, bounds, at, occupied, 6, king, target, word)
    else:
        promise = bounds[place(victim, king, p0, p1, p2, men) + target]
        if promise:
            bytes_raise_to(state.codes, word * 64, REACH[64 * 6 + target], promise)


@kernel
def prepare(men, state, bounds0, bounds1, bounds2, checks, counter):
    """Fills U and R with the legal positions, D with the exits, ``due`` and the positions in check."""
    per_side = state.undecided.size // 2
    tasks = checks.rows.size // 2
    while True:
        task = next_task(counter)
        if task >= tasks:
            break
        block = task // men.size0
        p0 = task % men.size0
        king = KING[block]
        for p1 in range(men.size1):
            if men.same01 and p1 <= p0:
                continue
            for p2 in range(64):
                legal0, check0, legal1, check1 = legal_words(men, king, p0, p1, p2)
                if not legal0 | legal1:
                    continue
                row = row_of(men, block, p0, p1)
                for side in range(2):
                    legal = legal0 if side == 0 else legal1
                    check = check0 if side == 0 else check1
                    word = side * per_side + row * 64 + p2
                    state.undecided[word] = legal
                    state.not_won[word] = legal
                    checks.words[word] = check
                    if check:
                        checks.rows[side * tasks + task] |= U1 << np.uint64(p1)
                    if bounds0.size and men.white0 == side:
                        offer_captures(men, state, bounds0, 0, side, king, p0, p1, p2, word)
                    if bounds1.size and men.white1 == side:
                        offer_captures(men, state, bounds1, 1, side, king, p0, p1, p2, word)
                    if bounds2.size and men.white2 == side:
                        offer_captures(men, state, bounds2, 2, side, king, p0, p1, p2, word)
                    exits = legal & bytes_above(state.codes, word * 64, np.uint8(0))
                    exits &= ~bytes_equal(state.codes, word * 64, np.uint8(128))
                    while exits:
                        code = state.codes[word * 64 + ctz(exits)]
                        exits &= ~bytes_equal(state.codes, word * 64, code)
                        state.due[(side * tasks + task) * 256 + code] |= U1 << np.uint64(p1)

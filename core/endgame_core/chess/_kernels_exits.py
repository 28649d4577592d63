"""Before the first layer: legal positions, checks, and what every capture promises.

Promises are codes of the positions after a capture, turned into the mover's view, 0 where the capture would be illegal.
They are unfolded from the sub-endings first ([white king][other men][black king], no symmetry), so that offering a
capture to 64 positions is one masked maximum of 64 bytes.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from endgame_core.chess._kernels_board import U1, bit, legal_words, row_of
from endgame_core.chess._vectors import bytes_above, bytes_equal, bytes_raise, bytes_raise_to, ctz, next_task
from endgame_core.chess.geometry import BETWEEN, BLOCK, HOME, IMAGE, KING, REACH


@njit
def capture(men, state, bounds, at, occupied, piece, source, target, word):
    """Offers the exit "the man on source takes on target" to a word; ``at`` is its byte in bounds."""
    if (REACH[64 * piece + source] >> np.uint64(target)) & U1:
        path = BETWEEN[64 * source + target]
        if not path & occupied:
            bytes_raise(state.codes, word * 64, bounds, at, ~path)


@njit
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


@njit
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


@njit(nogil=True, cache=True)
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


@njit
def promise(code):
    """What a capture is worth to its maker, given the code of the position it leads to."""
    return np.uint8(255 - code) if code < 128 else np.uint8(256 - code)


@njit
def index_base(king, symmetry, squares, places):
    """First slot of the word of a placement in a sub-ending's index."""
    index = BLOCK[IMAGE[64 * symmetry + king]]
    for i in range(places.size):
        index = index * 64 + IMAGE[64 * symmetry + squares[places[i]]]
    return index * 64


@njit(nogil=True, cache=True)
def expand(sub, men, places, swapped, side, out, counter):
    """Unfolds a sub-ending into promises for the parent: [white king][men of the parent][black king].

    Args:
        sub: Codes of the sub-ending with the side to move after the capture.
        men: The parent's remaining men as a :class:`Men` (dimension 2 last), or ``piece2`` 0 for none.
        places: For each man of the sub-ending's index, which remaining man of the parent it is.
        swapped: 1 when the sub-ending's White is the parent's Black.
        side: Side to move after the capture, in the parent's colours.
        out: uint8 promises, 0 where the capture would be illegal.
        counter: Shared task counter; a task is one white king square.
    """
    dims = places.size
    words = 64**dims
    squares = np.zeros(3, np.int64)
    while True:
        king = next_task(counter)
        if king >= 64:
            break
        for word in range(words):
            rest = word
            for i in range(dims):
                squares[dims - 1 - i] = rest & 63
                rest >>= 6
            p2 = squares[dims - 1]
            p1 = squares[dims - 2] if dims >= 2 else 0
            p0 = squares[dims - 3] if dims >= 3 else 0
            legal0, _, legal1, _ = legal_words(men, king, p0, p1, p2)
            legal = legal0 if side == 0 else legal1
            at = (king * words + word) * 64
            symmetry = HOME[king]
            base = index_base(king, symmetry, squares, places)
            while legal:
                other = ctz(legal)
                legal &= legal - U1
                if swapped:
                    symmetry = HOME[other]
                    base = index_base(other, symmetry, squares, places)
                    slot = base + IMAGE[64 * symmetry + king]
                else:
                    slot = base + IMAGE[64 * symmetry + other]
                out[at + other] = promise(sub[slot])


@njit(nogil=True, cache=True)
def expand_bare(out):
    """Promises of the capture that leaves two bare kings: a draw wherever the kings are apart."""
    for king in range(64):
        for other in range(64):
            apart = king != other and not (REACH[64 * 6 + king] >> np.uint64(other)) & U1
            out[king * 64 + other] = 128 if apart else 0

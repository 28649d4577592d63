"""The solver's inner loops: which positions reach a layer, one task at a time.

Per side to move there are the sets U (undecided), R (not won) and X (newest layer), and D, one byte for each position.
While a position is undecided its byte is the best value any exit (a capture) promises, a lower bound; afterwards it is
the code.

A task is (side, block, p0). It reads any X of a pass before but writes only rows of its own, so tasks
run in any order on any thread, and one barrier per pass is enough.
"""

from __future__ import annotations

import numpy as np

from endgame_core.chess.solver._kernels_board import (
    U1,
    beside,
    bit,
    bits_from_image,
    fixed_men,
    king_reach,
    moves,
    row_of,
)
from endgame_core.chess.solver._kernels_passes import pass_of
from endgame_core.chess.solver._kernels_unmoves import pull_checks, pull_near, pull_outer_man, pull_white_king
from endgame_core.chess.solver.geometry import BETWEEN, IMAGE, KING_STEPS
from endgame_core.tables.kernels.vectors import (
    bytes_above,
    bytes_equal,
    bytes_set,
    ctz,
    gather,
    inner,
    kernel,
    lanes,
    load,
    next_task,
    popcount,
    some,
    splat,
    store,
    without,
)


@inner
def clear_escapes(men, home, side, block, p0, p1, rank, line, not_won, scratch):
    """Takes from a line of candidates those with a quiet move that does not lose at once.

    ``not_won`` tells which successors the other side has not won. Returns what is left: the lost.
    """
    per_side = not_won.size // 2
    base = (1 - side) * per_side
    row = row_of(men, block, p0, p1)
    at = base + row * 64 + 8 * rank
    if side == 1:
        line = without(line, king_reach(load(not_won, at)))
        if not some(line):
            return line
    elif men.pawned:
        line = without(line, beside(load(not_won, at)))
        if rank > 0:
            near = load(not_won, at - 8)
            line = without(line, near | beside(near))
        if rank < 7:
            near = load(not_won, at + 8)
            line = without(line, near | beside(near))
        if not some(line):
            return line
    else:
        for j in range(8):
            to = KING_STEPS[16 * block + 2 * j]
            if to < 0:
                break
            symmetry = KING_STEPS[16 * block + 2 * j + 1]
            q0 = IMAGE[64 * symmetry + p0] if men.size0 == 64 else 0
            q1 = IMAGE[64 * symmetry + p1] if men.size1 == 64 else 0
            source = base + row_of(men, to, q0, q1) * 64
            if symmetry:
                escape = gather(not_won, source, IMAGE, 64 * symmetry + 8 * rank)
                line = without(line, bits_from_image(escape, symmetry))
            else:
                line = without(line, load(not_won, source + 8 * rank))
            if not some(line):
                return line
    for man in range(2):
        piece = men.piece0 if man == 0 else men.piece1
        if piece == 0 or (men.white0 if man == 0 else men.white1) == side:
            continue
        square = p0 if man == 0 else p1
        other = bit(p1, men.size1) if man == 0 else bit(p0, men.size0)
        targets = moves(piece, square, home | other)
        while targets:
            to = ctz(targets)
            targets &= targets - U1
            path = BETWEEN[64 * square + to]
            source = row_of(men, block, to, p1) if man == 0 else row_of(men, block, p0, to)
            escape = load(not_won, base + source * 64 + 8 * rank) & splat(~path)
            escape = without(escape, lanes((path >> np.uint64(8 * rank)) & np.uint64(0xFF)))
            line = without(line, escape)
            if not some(line):
                return line
    if men.white2 != side and not men.pawned:
        store(scratch, 4096, line)
        fixed = home | bit(p0, men.size0) | bit(p1, men.size1)
        for j in range(8):
            left = scratch[4096 + j]
            if left:
                square = 8 * rank + j
                targets = moves(men.piece2, square, fixed)
                while targets and left:
                    to = ctz(targets)
                    targets &= targets - U1
                    left &= ~(not_won[base + row * 64 + to] & ~BETWEEN[64 * square + to])
                scratch[4096 + j] = left
        line = load(scratch, 4096)
    return line


@inner
def finish_row(men, home, state, out, side, block, p0, p1, now, fresh, scratch):
    """Decides one row in one pass; returns the number of new positions.

    ``scratch`` holds the row's positions with a move into the X that is read when ``fresh``; the exits due
    are added here, losses are proved, and X, U, R and D are brought up to date.
    """
    code = np.uint8(now.code)
    per_side = state.undecided.size // 2
    row = side * (per_side // 64) + row_of(men, block, p0, p1)
    task = side * (out.rows.size // 2) + block * men.size0 + p0
    due = (state.due[task * 256 + now.due] >> np.uint64(p1)) & U1 != 0
    new = 0
    active = np.uint64(0)
    for rank in range(8):
        at = row * 64 + 8 * rank
        undecided = load(state.undecided, at)
        if not some(undecided):
            continue
        if fresh:
            store(scratch, 4096, load(scratch, 64 * p1 + 8 * rank) & undecided)
        else:
            store(scratch, 4096, splat(np.uint64(0)))
        if due:
            for j in range(8):
                equal = bytes_equal(state.codes, (at + j) * 64, np.uint8(now.due))
                scratch[4096 + j] |= equal & state.undecided[at + j]
        line = load(scratch, 4096)
        if not some(line):
            continue
        if now.losing:
            for j in range(8):
                if scratch[4096 + j]:
                    scratch[4096 + j] &= ~bytes_above(state.codes, (at + j) * 64, np.uint8(now.limit))
            line = load(scratch, 4096)
            if not some(line):
                continue
            line = clear_escapes(men, home, side, block, p0, p1, rank, line, state.not_won, scratch)
            if not some(line):
                continue
            store(scratch, 4096, line)
        else:
            store(state.not_won, at, without(load(state.not_won, at), line))
        store(state.undecided, at, without(undecided, line))
        store(out.words, at, line)
        active |= U1 << np.uint64(rank)
        for j in range(8):
            word = scratch[4096 + j]
            if word:
                bytes_set(state.codes, (at + j) * 64, word, code)
                new += popcount(word)
    if active:
        out.lines[row] = np.uint8(active)
        out.rows[task] |= U1 << np.uint64(p1)
    return new


@inner
def clear_task(men, out, side, block, p0):
    """Empties a task's part of an X that nobody needs any more, for reuse."""
    task = side * (out.rows.size // 2) + block * men.size0 + p0
    rows = out.rows[task]
    empty = splat(np.uint64(0))
    while rows:
        p1 = ctz(rows)
        rows &= rows - U1
        if men.same01 and p1 < p0:
            continue
        row = side * (out.lines.size // 2) + row_of(men, block, p0, p1)
        active = np.uint64(out.lines[row])
        while active:
            rank = ctz(active)
            active &= active - U1
            store(out.words, row * 64 + 8 * rank, empty)
        out.lines[row] = 0
    out.rows[task] = 0


@inner
def solve_task(men, state, last, out, now, side, block, p0, scratch):
    """Decides the positions of one task in the pass ``now``; returns how many are new."""
    clear_task(men, out, side, block, p0)
    home = fixed_men(men, state, block)
    if now.first:
        touched = pull_checks(men, side, block, p0, last, scratch)
    else:
        touched = pull_near(men, home, side, block, p0, last.words, last.lines, last.rows, scratch)
        if men.piece0 and men.white0 != side:
            touched = pull_outer_man(men, home, side, block, p0, last.words, last.lines, last.rows, scratch, touched)
        if side == 0 and not men.pawned:
            touched = pull_white_king(men, block, p0, last.words, last.lines, last.rows, scratch, touched)
    task = side * (out.rows.size // 2) + block * men.size0 + p0
    pending = touched | state.due[task * 256 + now.due]
    new = 0
    while pending:
        p1 = ctz(pending)
        pending &= pending - U1
        fresh = (touched >> np.uint64(p1)) & U1 != 0
        new += finish_row(men, home, state, out, side, block, p0, p1, now, fresh, scratch)
    return new


@kernel
def solve_layer(men, state, last, out, number, dtz, draws, counter, scratch, new):
    """Works on the tasks of a pass until none is left; ``new[side]`` counts positions, whose codes may not fit.

    ``counter`` is shared by the threads, ``scratch`` (4 104 words) and ``new`` are a thread's own. In pass 0 the
    candidates are the rows of ``last``, which :func:`prepare` filled with the positions in check.
    """
    tasks = out.rows.size
    while True:
        task = next_task(counter)
        if task >= tasks:
            break
        side = task // (tasks // 2)
        block = task % (tasks // 2) // men.size0
        p0 = task % men.size0
        now = pass_of(number, dtz, draws[side])
        new[side] += solve_task(men, state, last, out, now, side, block, p0, scratch)

"""The solver's inner loops: which positions reach a layer, one task at a time.

Per side to move there are the sets U (undecided), R (not won) and X (newest layer), and D, one byte for each position.
What a pass looks for is told in codes, of which the low bytes are those of D; ``due`` has a column for each low byte.
While a position is undecided its byte is the best value any exit (a capture) promises, a lower bound; afterwards it is
the code.

A solve is a row of *passes*: pass 2 n finds losses, pass 2 n + 1 wins, and a :class:`Pass` says what the metric makes
of them. By DTM pass n is layer n, and each pass reads the X of the pass before. By DTZ both passes have depth n, losses
come from wins at n - 1 and wins from losses at n - 1, so that three X are alive: the newest losses, those before, and
the newest wins.

A task is (side, block, p0). It reads any X of a pass before but writes only rows of its own, so tasks
run in any order on any thread, and one barrier per pass is enough. Un-moves (from the newest positions of one side to
the positions of the other that can move there) are gathered in a scratch of 64 rows; which of them were touched is told
by the bits of a word.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from endgame_core.chess.solver._kernels_board import (
    ALL,
    BETWEEN,
    IMAGE,
    KING_STEPS,
    ORIGIN,
    U1,
    beside,
    bit,
    bits_from_image,
    fixed_men,
    king_reach,
    moves,
    place_of,
    row_of,
    task_of,
)
from endgame_core.tables.kernels import (
    ask_for,
    bytes_above,
    bytes_equal,
    bytes_set,
    count,
    ctz,
    gather,
    inner,
    kernel,
    lanes,
    load,
    next_task,
    some,
    splat,
    store,
    without,
)

HORIZON = 100
"""The last depth by DTZ that the 50-move rule lets a win have; see :mod:`endgame_core.chess.metrics`."""


class Pass(NamedTuple):
    """What one pass looks for.

    Attributes:
        first: 1 in pass 0: candidates are the positions in check.
        losing: 1 when it finds losses, 0 when it finds wins.
        code: The code its positions get, or a code whose low byte they get.
        fits: 1 when a table of such codes holds it.
        due: The exit, as a code, that makes a position a candidate without any quiet move; 0 for none.
        limit: The best exit that a loss may have.
    """

    first: int
    losing: int
    code: int
    fits: int
    due: int
    limit: int


def plain_pass(number, dtz, draw):
    """What pass ``number`` looks for, by DTM or by DTZ, where ``draw`` is the byte of a draw, or its code.

    :mod:`endgame_core.chess.metrics` tells of codes and bytes.
    """
    n = number >> 1
    losing = 1 - (number & 1)
    whole = 0x100 if draw < 0x100 else 0x10000
    if not dtz:
        code = n if losing else 0xFFFF - n
        return Pass(int(number == 0), losing, code, int(n < draw if losing else n < whole - 1 - draw), code, code)
    room = draw if losing else whole - draw
    short = room if room > HORIZON + 1 else room // 2
    place = n
    if n > HORIZON and short < room:
        place += short - HORIZON - 1
    fits = n < short or (n > HORIZON and place < room)
    due, limit = 0, 0 if n == 0 else 1
    if n > HORIZON:
        limit = 2
    if n == 1:
        due = 1 if losing else 0xFFFF
    elif n == HORIZON + 1:
        due = 2 if losing else 0xFFFE
    return Pass(int(number == 0), losing, place if losing else 0x10000 - place, int(fits), due, limit)


pass_of = inner(plain_pass)
"""The same for kernels."""


@kernel
def last_due(state, dtz):
    """The last pass in which an exit is due, 0 when none is."""
    last = 0
    for code in range(256):
        for task in range(state.due.size // 256):
            if state.due[task * 256 + code]:
                lost = code < 128
                n = code if lost else 255 - code
                if dtz:
                    n = 1 if code == 1 or code == 255 else HORIZON + 1
                last = max(last, 2 * n if lost else 2 * n + 1)
                break
    return last


@inner
def start_row(scratch, touched, p1):
    """Clears a row of the scratch before its first use; returns the rows touched."""
    flag = U1 << np.uint64(p1)
    if not touched & flag:
        empty = splat(np.uint64(0))
        for rank in range(8):
            store(scratch, 64 * p1 + 8 * rank, empty)
    return touched | flag


@inner
def merge_row(scratch, p1, words, row, active, path):
    """Adds a row of X to the scratch, less the positions whose last man or black king is on the path."""
    keep = splat(~path)
    while active:
        rank = ctz(active)
        active &= active - U1
        line = load(words, row * 64 + 8 * rank) & keep
        on_path = (path >> np.uint64(8 * rank)) & np.uint64(0xFF)
        if on_path:
            line = without(line, lanes(on_path))
        at = 64 * p1 + 8 * rank
        store(scratch, at, load(scratch, at) | line)


@inner
def merge_image(scratch, p1, words, row, symmetry):
    """Adds a row of X that stands for an image of the wanted positions."""
    for rank in range(8):
        line = gather(words, row * 64, IMAGE, 64 * symmetry + 8 * rank)
        if some(line):
            at = 64 * p1 + 8 * rank
            store(scratch, at, load(scratch, at) | bits_from_image(line, symmetry))


@inner
def merge_last_man(men, scratch, p1, words, row, active, fixed):
    """Adds the un-moves of the last man inside one row."""
    while active:
        rank = ctz(active)
        active &= active - U1
        for square in range(8 * rank, 8 * rank + 8):
            word = words[row * 64 + square]
            if word:
                sources = moves(men.piece2, square, fixed)
                while sources:
                    source = ctz(sources)
                    sources &= sources - U1
                    scratch[64 * p1 + source] |= word & ~BETWEEN[64 * square + source]


@inner
def merge_white_king(scratch, p1, words, row, active):
    """Adds the un-moves of the white king inside one row of a slice."""
    while active:
        rank = ctz(active)
        active &= active - U1
        line = load(words, row * 64 + 8 * rank)
        near = beside(line)
        wide = line | near
        at = 64 * p1 + 8 * rank
        store(scratch, at, load(scratch, at) | near)
        if rank > 0:
            store(scratch, at - 8, load(scratch, at - 8) | wide)
        if rank < 7:
            store(scratch, at + 8, load(scratch, at + 8) | wide)


@inner
def pull_near(men, home, side, block, q, p0, words, lines, rows, scratch):
    """Un-moves that keep q, p0 and the white king: of the black king, p1 and the last man."""
    per_side = rows.size // 2
    base = (1 - side) * per_side
    row_base = base * men.size1
    fixed = home | bit(q, men.sizeq) | bit(p0, men.size0)
    touched = np.uint64(0)
    active_rows = rows[base + task_of(men, block, q, p0)]
    while active_rows:
        p1 = ctz(active_rows)
        active_rows &= active_rows - U1
        row = row_base + row_of(men, block, q, p0, p1)
        active = np.uint64(lines[row])
        if not men.folded or p1 > p0:
            if side == 1:
                touched = start_row(scratch, touched, p1)
                left = active
                while left:
                    rank = ctz(left)
                    left &= left - U1
                    at = 64 * p1 + 8 * rank
                    line = king_reach(load(words, row * 64 + 8 * rank))
                    store(scratch, at, load(scratch, at) | line)
            if men.white2 != side:
                touched = start_row(scratch, touched, p1)
                if men.pawned:
                    merge_white_king(scratch, p1, words, row, active)
                else:
                    merge_last_man(men, scratch, p1, words, row, active, fixed | bit(p1, men.size1))
        if men.piece1 and men.white1 != side:
            sources = moves(men.piece1, p1, fixed)
            if men.folded:
                sources &= ALL << np.uint64(p0)
            while sources:
                source = ctz(sources)
                sources &= sources - U1
                touched = start_row(scratch, touched, source)
                merge_row(scratch, source, words, row, active, BETWEEN[64 * p1 + source])
    return touched


@inner
def pull_outer_man(men, home, side, block, q, p0, outermost, words, lines, rows, scratch, touched):
    """Un-moves of the man p0, or of q where ``outermost``, to its square."""
    base = (1 - side) * (rows.size // 2)
    if outermost:
        square = q
        targets = moves(men.pieceq, q, home | bit(p0, men.size0))
    else:
        square = p0
        targets = moves(men.piece0, p0, home | bit(q, men.sizeq))
    while targets:
        to = ctz(targets)
        targets &= targets - U1
        path = BETWEEN[64 * square + to]
        from_q, from_0 = (to, p0) if outermost else (q, to)
        wanted = rows[base + task_of(men, block, from_q, from_0)]
        if men.size1 == 64:
            wanted &= ~path & ~bit(square, 64)
        if men.folded:
            wanted &= ALL << np.uint64(p0)
        while wanted:
            p1 = ctz(wanted)
            wanted &= wanted - U1
            row = base * men.size1 + row_of(men, block, from_q, from_0, p1)
            touched = start_row(scratch, touched, p1)
            merge_row(scratch, p1, words, row, np.uint64(lines[row]), path)
    return touched


@inner
def pull_white_king(men, block, q, p0, words, lines, rows, scratch, touched):
    """Un-moves of the white king into this block, across the symmetry's borders where it must."""
    base = rows.size // 2
    for j in range(8):
        to = KING_STEPS[16 * block + 2 * j]
        if to < 0:
            break
        symmetry = KING_STEPS[16 * block + 2 * j + 1]
        qq = IMAGE[64 * symmetry + q] if men.sizeq == 64 else 0
        q0 = IMAGE[64 * symmetry + p0] if men.size0 == 64 else 0
        wanted = rows[base + task_of(men, to, qq, q0)]
        while wanted:
            q1 = ctz(wanted)
            wanted &= wanted - U1
            p1 = ORIGIN[64 * symmetry + q1] if men.size1 == 64 else 0
            if men.folded and p1 <= p0:
                continue
            row = base * men.size1 + row_of(men, to, qq, q0, q1)
            touched = start_row(scratch, touched, p1)
            if symmetry:
                merge_image(scratch, p1, words, row, symmetry)
            else:
                merge_row(scratch, p1, words, row, np.uint64(lines[row]), np.uint64(0))
    return touched


@inner
def pull_checks(men, side, block, q, p0, last, scratch):
    """Copies the positions in check into the scratch: the candidates for mate."""
    touched = last.rows[side * (last.rows.size // 2) + task_of(men, block, q, p0)]
    left = touched
    while left:
        p1 = ctz(left)
        left &= left - U1
        row = side * (last.lines.size // 2) + row_of(men, block, q, p0, p1)
        for place in range(0, 64, 8):
            store(scratch, 64 * p1 + place, load(last.words, row * 64 + place))
    return touched


@kernel
def mirror_rows(rows, symmetric):
    """Makes the active rows of identical men symmetric: bit b of row a also where a of b was set."""
    for base in range(0, rows.size, 64):
        for a in range(64):
            symmetric[base + a] = rows[base + a]
        for a in range(64):
            word = rows[base + a]
            while word:
                b = ctz(word)
                word &= word - U1
                symmetric[base + b] |= U1 << np.uint64(a)


@inner
def clear_escapes(men, home, side, block, q, p0, p1, rank, line, not_won, scratch):
    """Takes from a line of candidates those with a quiet move that does not lose at once.

    ``not_won`` tells which successors the other side has not won. Returns what is left: the lost.
    """
    per_side = not_won.size // 2
    base = (1 - side) * per_side
    row = row_of(men, block, q, p0, p1)
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
            qq = IMAGE[64 * symmetry + q] if men.sizeq == 64 else 0
            q0 = IMAGE[64 * symmetry + p0] if men.size0 == 64 else 0
            q1 = IMAGE[64 * symmetry + p1] if men.size1 == 64 else 0
            source = base + row_of(men, to, qq, q0, q1) * 64
            if symmetry:
                escape = gather(not_won, source, IMAGE, 64 * symmetry + 8 * rank)
                line = without(line, bits_from_image(escape, symmetry))
            else:
                line = without(line, load(not_won, source + 8 * rank))
            if not some(line):
                return line
    for man in range(2 + (men.sizeq == 64)):
        piece = men.piece0 if man == 0 else (men.piece1 if man == 1 else men.pieceq)
        if piece == 0 or (men.white0 if man == 0 else (men.white1 if man == 1 else men.whiteq)) == side:
            continue
        square = p0 if man == 0 else (p1 if man == 1 else q)
        others = home | bit(q, men.sizeq) | bit(p0, men.size0) | bit(p1, men.size1)
        targets = moves(piece, square, others & ~bit(square, 64))
        while targets:
            to = ctz(targets)
            targets &= targets - U1
            path = BETWEEN[64 * square + to]
            if man == 0:
                source = row_of(men, block, q, to, p1)
            elif man == 1:
                source = row_of(men, block, q, p0, to)
            else:
                source = row_of(men, block, to, p0, p1)
            escape = load(not_won, base + source * 64 + 8 * rank) & splat(~path)
            escape = without(escape, lanes((path >> np.uint64(8 * rank)) & np.uint64(0xFF)))
            line = without(line, escape)
            if not some(line):
                return line
    if men.white2 != side and not men.pawned:
        store(scratch, 4096, line)
        fixed = home | bit(q, men.sizeq) | bit(p0, men.size0) | bit(p1, men.size1)
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
def finish_row(men, home, state, out, side, block, q, p0, p1, now, fresh, scratch):
    """Decides one row in one pass; returns the number of new positions.

    ``scratch`` holds the row's positions with a move into the X that is read when ``fresh``; the exits due
    are added here, losses are proved, and X, U, R and D are brought up to date.
    """
    per_side = state.undecided.size // 2
    row = side * (per_side // 64) + row_of(men, block, q, p0, p1)
    task = side * (out.rows.size // 2) + task_of(men, block, q, p0)
    due = (state.due[task * 256 + (now.due & 255)] >> np.uint64(p1)) & U1 != 0
    held = state.codes.size > 0
    near = row_of(men, block, 0, p0, p1) * 64
    new = 0
    active = np.uint64(0)
    for rank in range(8):
        at = row * 64 + 8 * rank
        line = load(scratch, 64 * p1 + 8 * rank) if fresh else splat(np.uint64(0))
        if due and not held:
            line = line | load(state.fallen, near + 8 * rank)
        if not some(line) and not (due and held):
            continue
        undecided = load(state.undecided, at)
        line = line & undecided
        if held:
            store(scratch, 4096, line)
            if due and some(undecided):
                for j in range(8):
                    equal = bytes_equal(state.codes, (at + j) * 64, now.due)
                    scratch[4096 + j] |= equal & state.undecided[at + j]
                line = load(scratch, 4096)
        if not some(line):
            continue
        if now.losing:
            if held:
                for j in range(8):
                    if scratch[4096 + j]:
                        scratch[4096 + j] &= ~bytes_above(state.codes, (at + j) * 64, now.limit)
                line = load(scratch, 4096)
            else:
                line = without(line, load(state.better, at))
            if not some(line):
                continue
            line = clear_escapes(men, home, side, block, q, p0, p1, rank, line, state.not_won, scratch)
            if not some(line):
                continue
        else:
            store(state.not_won, at, without(load(state.not_won, at), line))
        if held:
            store(scratch, 4096, line)
        store(state.undecided, at, without(undecided, line))
        store(out.words, at, line)
        active |= U1 << np.uint64(rank)
        new += count(line)
        for j in range(8 if held else 0):
            if scratch[4096 + j]:
                bytes_set(state.codes, (at + j) * 64, scratch[4096 + j], now.code)
    if active:
        out.lines[row] = np.uint8(active)
        out.rows[task] |= U1 << np.uint64(p1)
    return new


@inner
def ask_for_row(men, state, now, side, block, q, p0, p1):
    """Lets what is needed of a row come from memory."""
    first = side * (state.undecided.size // 2) + row_of(men, block, q, p0, p1) * 64
    for at in range(first, first + 64, 8):
        ask_for(state.undecided, at)
        if not now.losing:
            ask_for(state.not_won, at)
        elif state.codes.size == 0:
            ask_for(state.better, at)


@inner
def clear_task(men, out, side, block, q, p0):
    """Empties a task's part of an X that nobody needs any more, for reuse."""
    task = side * (out.rows.size // 2) + task_of(men, block, q, p0)
    rows = out.rows[task]
    empty = splat(np.uint64(0))
    while rows:
        p1 = ctz(rows)
        rows &= rows - U1
        if men.folded and p1 < p0:
            continue
        row = side * (out.lines.size // 2) + row_of(men, block, q, p0, p1)
        active = np.uint64(out.lines[row])
        while active:
            rank = ctz(active)
            active &= active - U1
            store(out.words, row * 64 + 8 * rank, empty)
        out.lines[row] = 0
    out.rows[task] = 0


@inner
def solve_task(men, state, last, out, now, side, block, q, p0, scratch):
    """Decides the positions of one task in the pass ``now``; returns how many are new."""
    clear_task(men, out, side, block, q, p0)
    home = fixed_men(men, state, block)
    if now.first:
        touched = pull_checks(men, side, block, q, p0, last, scratch)
    else:
        words, lines, rows = last.words, last.lines, last.rows
        touched = pull_near(men, home, side, block, q, p0, words, lines, rows, scratch)
        if men.piece0 and men.white0 != side:
            touched = pull_outer_man(men, home, side, block, q, p0, False, words, lines, rows, scratch, touched)
        if men.pieceq and men.whiteq != side:
            touched = pull_outer_man(men, home, side, block, q, p0, True, words, lines, rows, scratch, touched)
        if side == 0 and not men.pawned:
            touched = pull_white_king(men, block, q, p0, words, lines, rows, scratch, touched)
    task = side * (out.rows.size // 2) + task_of(men, block, q, p0)
    pending = touched | state.due[task * 256 + (now.due & 255)]
    new = 0
    while pending:
        p1 = ctz(pending)
        pending &= pending - U1
        if pending:
            ask_for_row(men, state, now, side, block, q, p0, ctz(pending))
        fresh = (touched >> np.uint64(p1)) & U1 != 0
        new += finish_row(men, home, state, out, side, block, q, p0, p1, now, fresh, scratch)
    return new


@kernel
def solve_layer(men, state, last, out, number, dtz, draws, first, end, counter, scratch, new):
    """Works on the tasks of a pass from ``first`` up to ``end`` until none is left.

    ``new[side]`` counts positions, whose codes may not fit.
    ``counter`` is shared by the threads, ``scratch`` (4 104 words) and ``new`` are a thread's own. In pass 0 the
    candidates are the rows of ``last``, which :func:`prepare` filled with the positions in check.
    """
    tasks = out.rows.size
    while True:
        task = first + next_task(counter)
        if task >= end:
            break
        side = task // (tasks // 2)
        block, q, p0 = place_of(men, task % (tasks // 2))
        if men.sameq0 and q >= p0:
            continue
        now = pass_of(number, dtz, draws[side])
        new[side] += solve_task(men, state, last, out, now, side, block, q, p0, scratch)

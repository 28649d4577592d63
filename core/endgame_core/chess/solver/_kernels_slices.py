"""What becomes of a solve: which slots are kept in a table; and endings with pawns, one slice after another.

In a *slice* the pawns stand still. Its words are numbered ``((p0 * 64) + p1) * 64 + white king``, p0 and p1 being the
men that are neither kings nor pawns; the bits of a word are the squares of the black king. Every pawn move leaves the
slice, so it is an exit: a push leads to a slice solved before, a capture or promotion into a sub-ending.
"""

from __future__ import annotations

import numpy as np

from endgame_core.chess.solver._kernels_board import ALL, IMAGE, KING, U1, LayerBits, legal_words, place_of, row_of
from endgame_core.chess.solver._kernels_exits import (
    captures,
    get_exit,
    offer_pawn_move,
    offer_take,
    pawn_moves,
    survey,
)
from endgame_core.chess.solver._kernels_layers import (
    clear_escapes,
    clear_task,
    last_due,
    mirror_rows,
    pass_of,
    solve_task,
)
from endgame_core.tables.kernels import (
    bytes_above,
    bytes_equal,
    bytes_set,
    ctz,
    inner,
    is_wide,
    kernel,
    load,
    next_task,
    store,
)
from endgame_core.values import DRAW

DIAGONAL = np.uint64(sum(1 << 9 * i for i in range(8)))
ON_OR_BELOW_DIAGONAL = np.uint64(sum(1 << s for s in range(64) if s <= ((s >> 3) | ((s & 7) << 3))))


@inner
def canonical_bits(men, block, q, p0, p1, p2):
    """Which positions of a word without pawns are canonical, and which of them are their own mirror copy."""
    none = np.uint64(0)
    if (men.sameq0 and q >= p0) or (men.same01 and p0 >= p1) or (men.same12 and p1 >= p2):
        return none, none
    if men.same02 and p0 >= p2:
        return none, none
    if KING[block] % 9:
        return ALL, none
    tq = IMAGE[256 + q] if men.sizeq == 64 else 0
    t0 = IMAGE[256 + p0] if men.size0 == 64 else 0
    t1 = IMAGE[256 + p1] if men.size1 == 64 else 0
    t2 = IMAGE[256 + p2]
    for _ in range(3):
        if men.sameq0 and tq > t0:
            tq, t0 = t0, tq
        if men.same01 and t0 > t1:
            t0, t1 = t1, t0
        if men.same12 and t1 > t2:
            t1, t2 = t2, t1
        if men.same02 and t0 > t2:
            t0, t2 = t2, t0
    here = ((q * 64 + p0) * 64 + p1) * 64 + p2
    there = ((tq * 64 + t0) * 64 + t1) * 64 + t2
    if here == there:
        return ON_OR_BELOW_DIAGONAL, DIAGONAL
    return (ALL if here < there else none), none


EVERYWHERE = np.full(3, ALL, np.uint64)
"""All squares of q, p0 and p1, as bits."""


@kernel
def keep(men, side, squares, kept, first, end, counter):
    """Fills ``kept`` with the legal canonical slots of one side to move, of the planes of some tasks.

    ``squares`` tells on which squares q, p0 and p1 are wanted; no others are looked at.
    """
    start = first // (10 * men.size0) * (men.size0 * men.size1 * 640)
    while True:
        task = first + next_task(counter)
        if task >= end:
            break
        block, q, p0 = place_of(men, task)
        if (men.sameq0 and q >= p0) or not (squares[0] >> np.uint64(q)) & (squares[1] >> np.uint64(p0)) & U1:
            continue
        for p1 in range(men.size1):
            if (men.same01 and p1 <= p0) or not (squares[2] >> np.uint64(p1)) & U1:
                continue
            word = row_of(men, block, q, p0, p1) * 64 - start
            for p2 in range(64):
                canonical, _ = canonical_bits(men, block, q, p0, p1, p2)
                legal0, _, legal1, _ = legal_words(men, KING[block], q, p0, p1, p2)
                kept[word + p2] = canonical & (legal1 if side else legal0)


@kernel
def finish(men, undecided, codes, side, draw, first, end, counter, alone):
    """Calls what is undecided drawn, and leaves in U which slots are kept: the legal canonical ones.

    ``undecided`` is that of one side to move; ``codes`` are its bytes, or codes, of the planes of these tasks, ``draw``
    is that of a draw, and ``alone`` counts, for one thread, the positions that are their own mirror copy, by side and
    code.
    """
    columns = alone.size // 2
    start = first // (10 * men.size0) * (men.size0 * men.size1 * 640)
    while True:
        task = first + next_task(counter)
        if task >= end:
            break
        block, q, p0 = place_of(men, task)
        if men.sameq0 and q >= p0:
            continue
        for p1 in range(men.size1):
            if men.folded and p1 <= p0:
                continue
            row = row_of(men, block, q, p0, p1) * 64
            for p2 in range(64):
                word, local = row + p2, row + p2 - start
                legal0, _, legal1, _ = legal_words(men, KING[block], q, p0, p1, p2)
                canonical, own = canonical_bits(men, block, q, p0, p1, p2)
                drawn = undecided[word]
                if drawn:
                    bytes_set(codes, local * 64, drawn, draw)
                kept = canonical & (legal1 if side else legal0)
                undecided[word] = kept
                kept &= own
                while kept:
                    bit_ = ctz(kept)
                    kept &= kept - U1
                    alone[columns * side + codes[local * 64 + bit_]] += 1


@inner
def prepare_slice(men, metric, pawns, banks, codes, stale, state, checks, men_now, squares, exits):
    """Fills U and R with the legal positions of a slice, D with its exits, ``due`` and the positions in check."""
    per_side = state.undecided.size // 2
    count = pawn_moves(men, pawns, banks, codes.size // 2, squares, exits)
    count = captures(men, pawns, banks, squares, exits, count)
    state.due[:] = 0
    for p0 in range(men.size0):
        for p1 in range(men.size1):
            if men.same01 and p1 <= p0:
                continue
            row = p0 * men.size1 + p1
            prepare_row(
                men, metric, pawns, banks, codes, stale, state, checks, men_now, squares, exits, count, 0, p0, p1,
                row, p0, state.codes, row * 64, per_side,
            )  # fmt: skip


@inner
def prepare_row(
    men, metric, pawns, banks, codes, stale, state, checks, men_now, squares, exits, count, q, p0, p1,
    row, task, out, word, half,
):  # fmt: skip
    """The same of one row; its bytes stand in ``out`` from ``word`` on, those of the other side ``half`` words on."""
    per_side = state.undecided.size // 2
    men_now.squares[0], men_now.squares[1], men_now.squares[2] = q, p0, p1
    place_row(state, checks, men_now, row, task, p1)
    for side in range(2):
        for i in range(64):
            if state.undecided[side * per_side + row * 64 + i]:
                bytes_set(out, (side * half + word + i) * 64, ALL, 0)
    for i in range(count):
        exit_ = get_exit(exits, i)
        first = exit_.side * per_side + row * 64
        to = exit_.side * half + word
        if exit_.pawn < 0:
            offer_take(men, out, banks.data, state.undecided, exit_, state.pawns[0], q, p0, p1, first, to)
        else:
            offer_pawn_move(
                men, metric, pawns, banks, codes, stale, out, state.undecided, exit_, men_now, squares,
                q, p0, p1, first, to,
            )  # fmt: skip
    tasks = state.due.size // 512
    for side in range(2):
        for i in range(64):
            legal = state.undecided[side * per_side + row * 64 + i]
            if legal:
                note_due(state.due, out, (side * tasks + task) * 256, p1, side * half + word + i, legal)


@kernel
def prepare_plane(
    men, metric, pawns, banks, pushed, state, checks, place, out, first, end, counter, men_now, exits,
):  # fmt: skip
    """Fills the sets, and D, of one plane of a slice whose pawns cannot be taken en passant.

    Args:
        men: The men of a slice.
        metric: What is counted.
        pawns: All placements.
        banks: The exits into sub-endings.
        pushed: Codes, or bytes, of the same plane of the slices that pushes lead to, White to move first.
        state: The sets.
        checks: Where the positions in check go.
        place: The number of the slice.
        out: D of the plane, bytes or codes.
        first: First task of a side, of a whole plane.
        end: The task after the last.
        counter: Shared task counter.
        men_now: A thread's room for all men of a slice.
        exits: Its room for the exits of a slice.
    """
    number = pawns.white.size
    squares = pawns.squares[place * number : (place + 1) * number]
    place_men(men, pawns, men_now, place)
    count = pawn_moves(men, pawns, banks, pushed.size // 2, squares, exits)
    count = captures(men, pawns, banks, squares, exits, count)
    half = men.size0 * men.size1 * 64
    while True:
        task = first + next_task(counter)
        if task >= end:
            break
        _, q, p0 = place_of(men, task)
        if men.sameq0 and q >= p0:
            continue
        for p1 in range(men.size1):
            row = row_of(men, 0, q, p0, p1)
            prepare_row(
                men, metric, pawns, banks, pushed, state.fallen[:0], state, checks, men_now, squares, exits, count,
                q, p0, p1, row, task, out, (row - q * men.size0 * men.size1) * 64, half,
            )  # fmt: skip


@inner
def place_row(state, checks, men_now, row, task, p1):
    """Fills U, R and the positions in check of one row."""
    per_side = state.undecided.size // 2
    tasks = checks.rows.size // 2
    first = row * 64
    for king in range(64):
        legal0, check0, legal1, check1 = survey(men_now.pieces, men_now.white, men_now.squares, king)
        for side in range(2):
            word = side * per_side + first + king
            legal = legal1 if side else legal0
            check = check1 if side else check0
            state.undecided[word] = legal
            state.not_won[word] = legal
            checks.words[word] = check
            if check:
                checks.rows[side * tasks + task] |= U1 << np.uint64(p1)


@inner
def note_due(due, codes, task, p1, word, legal):
    """Notes with which low bytes there are exits of a word."""
    exits = legal & bytes_above(codes, word * 64, 0)
    exits &= ~bytes_equal(codes, word * 64, DRAW)
    while exits:
        code = codes[word * 64 + ctz(exits)]
        exits &= ~bytes_equal(codes, word * 64, code)
        due[task + (np.int64(code) & 255)] |= U1 << np.uint64(p1)


@inner
def last_exit(state):
    """The last layer in which an exit is due by DTM, 0 when none is; where D is of codes, and ``due`` of low bytes."""
    lost, won = np.int64(0), np.int64(0x10000)
    for word in range(state.undecided.size):
        at = word * 64
        wins = bytes_above(state.codes, at, DRAW)
        deeper = (~wins & bytes_above(state.codes, at, lost)) | (wins & ~bytes_above(state.codes, at, won - 1))
        deeper &= state.undecided[word] & ~bytes_equal(state.codes, at, DRAW)
        while deeper:
            code = np.int64(state.codes[at + ctz(deeper)])
            deeper &= deeper - U1
            if code < DRAW:
                lost = max(lost, code)
            else:
                won = min(won, code)
    return max(2 * lost, 2 * (0xFFFF - won) + 1)


@inner
def solve_slice(men, metric, state, lost, before, won, both, scratch, stop, passes):
    """Runs pass after pass of one slice until nothing is new and no exit is due; the layers are empty afterwards.

    ``lost`` and ``before`` are room for the newest losses and those before (by DTM the same), ``won`` for the newest
    wins; it holds the positions in check.
    """
    last = last_exit(state) if is_wide(state.codes) and not metric.dtz else last_due(state, metric.dtz)
    number = idle = 0
    while not stop[0]:
        losing = number & 1 == 0
        if losing:
            source, out = won, before
        else:
            source, out = before, won
        if men.same01 and number:
            mirror_rows(source.rows, both)
            source = LayerBits(source.words, source.lines, both)
        idle += 1
        for side in range(2):
            new = 0
            now = pass_of(number, metric.dtz, metric.draws[side])
            for p0 in range(men.size0):
                new += solve_task(men, state, source, out, now, side, 0, 0, p0, scratch)
            if new:
                idle = 0
                passes[side * (passes.size // 2) + number] = 1
                if not now.fits or number >= stop[3]:
                    stop[0], stop[1], stop[2] = 1, number, side
        if number == 0:
            won.words[:] = 0
            won.rows[:] = 0
        if losing:
            lost, before = before, lost
        if not metric.dtz:
            if idle and number >= last:
                break
        elif idle >= 2 and number & 1:
            if number >= last:
                break
            if number > 1:
                number = (last & ~1) - 1
        number += 1
    for side in range(2):
        for p0 in range(men.size0):
            clear_task(men, lost, side, 0, 0, p0)
            clear_task(men, before, side, 0, 0, p0)
            clear_task(men, won, side, 0, 0, p0)


@inner
def note_stalemates(men, state, stale, first, side, p0, p1, scratch):
    """Sets the bits of the positions of one row without any move, for double pushes into them."""
    row = side * (state.undecided.size // 128) + row_of(men, 0, 0, p0, p1)
    for rank in range(8):
        at = row * 64 + 8 * rank
        result = False
        for j in range(8):
            free = state.undecided[at + j]
            if free:
                free &= bytes_equal(state.codes, (at + j) * 64, 0)
            scratch[4096 + j] = free
            result |= free != 0
        if result:
            line = load(scratch, 4096)
            store(
                scratch, 0, clear_escapes(men, state.pawns[0], side, 0, 0, p0, p1, rank, line, state.not_won, scratch)
            )
        for j in range(8):
            stale[first + 8 * rank + j] = scratch[j] if result else np.uint64(0)


@inner
def finish_slice(men, metric, state, codes, kept, stale, men_now, scratch, room, own_copy):
    """Calls what is undecided drawn, copies the slice to where it is held, and notes the legal canonical slots.

    Slots that are not legal get the code of a legal one nearby, so that a slice compresses well.
    """
    rows = men.size0 * men.size1
    slots = codes.size // 2
    code0 = code1 = np.int64(0)
    for p0 in range(men.size0):
        for p1 in range(men.size1):
            if men.same01 and p1 <= p0:
                continue
            row = p0 * men.size1 + p1
            men_now.squares[1], men_now.squares[2] = p0, p1
            first = (room * rows + row) * 4096
            if stale.size:
                for side in range(2):
                    note_stalemates(men, state, stale, (side * slots + first) >> 6, side, p0, p1, scratch)
            for king in range(64):
                legal0, _, legal1, _ = survey(men_now.pieces, men_now.white, men_now.squares, king)
                code0 = finish_word(state, row * 64 + king, legal0, metric.draws[0], code0)
                code1 = finish_word(state, (rows + row) * 64 + king, legal1, metric.draws[1], code1)
                if kept.size and (not own_copy or king & 4 == 0):
                    kept[(first >> 6) + king] = legal0
                    kept[((slots + first) >> 6) + king] = legal1
            for side in range(2):
                source = (side * rows + row) * 4096
                for i in range(4096):
                    codes[side * slots + first + i] = state.codes[source + i]


@inner
def finish_word(state, word, legal, draw, code):
    """Calls what is undecided in a word drawn, and gives the code of a legal slot, or ``code``, to all others."""
    drawn = state.undecided[word]
    if drawn:
        bytes_set(state.codes, word * 64, drawn, draw)
    if legal:
        code = np.int64(state.codes[word * 64 + ctz(legal)])
    bytes_set(state.codes, word * 64, ~legal, code)
    return code


@inner
def place_men(men, pawns, men_now, place):
    """Puts the men of a slice into ``men_now``; returns its pawns as a word, and whether it is its own mirror copy."""
    number = pawns.white.size
    men_now.pieces[0], men_now.pieces[1], men_now.pieces[2] = men.pieceq, men.piece0, men.piece1
    men_now.white[0], men_now.white[1], men_now.white[2] = men.whiteq, men.white0, men.white1
    occupied = np.uint64(0)
    image = 0
    for i in range(number):
        square = pawns.squares[place * number + i]
        men_now.pieces[3 + i] = 1 if pawns.white[i] else 7
        men_now.white[3 + i] = pawns.white[i]
        men_now.squares[3 + i] = square
        occupied |= U1 << np.uint64(square)
        image = image * 64 + (square ^ 7)
    return occupied, pawns.numbers[image] & 1 == 0


@kernel
def keep_slices(men, pawns, side, squares, kept, first, end, counter, men_now):
    """Fills ``kept`` with the legal canonical slots of one side to move.

    A task is a placement of the pawns, q and p0; ``kept`` begins with the first of them. ``squares`` tells on which
    squares q, p0 and p1 are wanted.
    """
    while True:
        task = next_task(counter)
        if first + task >= end:
            break
        outer, p0 = (first + task) // men.size0, (first + task) % men.size0
        place, q = outer // men.sizeq, outer % men.sizeq
        if (men.sameq0 and p0 <= q) or not (squares[0] >> np.uint64(q)) & (squares[1] >> np.uint64(p0)) & U1:
            continue
        _, own_copy = place_men(men, pawns, men_now, place)
        for p1 in range(men.size1):
            if (men.same01 and p1 <= p0) or not (squares[2] >> np.uint64(p1)) & U1:
                continue
            men_now.squares[0], men_now.squares[1], men_now.squares[2] = q, p0, p1
            word = (task * men.size1 + p1) * 64
            for king in range(64):
                if not own_copy or king & 4 == 0:
                    legal0, _, legal1, _ = survey(men_now.pieces, men_now.white, men_now.squares, king)
                    kept[word + king] = legal1 if side else legal0


@kernel
def solve_slices(
    men, metric, pawns, banks, codes, kept, stale, wave, stop, passes, counter,
    state, lost, before, won, both, men_now, exits, scratch,
):  # fmt: skip
    """Solves the slices of a wave until none is left; slices of one wave do not need each other.

    Args:
        men: The men of a slice, as :class:`Men` with ``pawned`` 1.
        metric: What is counted.
        pawns: All placements.
        banks: The exits into sub-endings.
        codes: Bytes, or codes, of all slices that are held, White to move first; slices of the wave are written.
        kept: uint64 bits of the legal canonical slots, likewise; empty when nobody asks for them.
        stale: uint64 bits of positions without a move, likewise; empty when no pawn can be taken en passant.
        wave: int64 numbers of the placements to solve.
        stop: Set ``stop[0]`` to stop soon, with the slices in hand unfinished. When a value is found that a byte cannot
            hold, or one in pass ``stop[3]`` or later, it is set here, and ``stop[1]`` and ``stop[2]`` to the pass and
            the side to move.
        passes: uint8, set to 1 for each pass that finds something: with White to move first, by its number.
        counter: Shared task counter.
        state: One thread's sets for one slice.
        lost: A thread's own layer.
        before: Another; by DTM the same.
        won: Another.
        both: Active rows in both orders, for identical men.
        men_now: Room for all men of a slice.
        exits: Room for the exits of a slice, 8 numbers each.
        scratch: 4 104 words.
    """
    number = pawns.white.size
    while not stop[0]:
        task = next_task(counter)
        if task >= wave.size:
            break
        place = wave[task]
        squares = pawns.squares[place * number : (place + 1) * number]
        state.pawns[0], own_copy = place_men(men, pawns, men_now, place)
        prepare_slice(men, metric, pawns, banks, codes, stale, state, won, men_now, squares, exits)
        solve_slice(men, metric, state, lost, before, won, both, scratch, stop, passes)
        finish_slice(men, metric, state, codes, kept, stale, men_now, scratch, pawns.where[place], own_copy)

"""Which slots a table stores; and endings with pawns, one slice after another.

**Stored slots.** A table stores legal canonical slots only: of symmetric copies one, of like pieces one order. Both the
writer and the reader find these slots from the index, without a list in the file.

**Slices.** In a *slice* the pawns stand still. Its words are numbered ``((p0 * 64) + p1) * 64 + white king``, p0 and p1
being the pieces that are neither kings nor pawns; the bits of a word are the squares of the black king. So a slice is
solved by the loops that solve an ending without pawns: the white king takes the place of the last piece, and there is
one block. KPvK has 24 slices of 64 words with each side to move.

Every pawn move leaves the slice, so it is an exit: a push leads to a slice that was solved before, a capture or
promotion into a sub-ending. Slices are solved in the order of :func:`endgame_core.chess.index.advancement`.
"""

from __future__ import annotations

import numpy as np

from endgame_core.chess.solver._kernels_board import (
    ALL,
    BLACK_PAWN,
    IMAGE,
    KING,
    U1,
    WHITE_PAWN,
    LayerBits,
    legal_words,
    place_of,
    row_of,
)
from endgame_core.chess.solver._kernels_exits import (
    captures,
    get_exit,
    offer_pawn_move,
    offer_take,
    pawn_moves,
    survey,
)
from endgame_core.chess.solver._kernels_layers import (
    SPARE_LINE,
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
    """Finds the canonical positions of a word of an ending without pawns.

    Returns:
        Two words: the canonical black king squares, and those of them whose position is its own mirror copy.
    """
    none = np.uint64(0)
    # Of identical pieces the one with the lower square comes first.
    if (men.sameq0 and q >= p0) or (men.same01 and p0 >= p1) or (men.same12 and p1 >= p2):
        return none, none
    if men.same02 and p0 >= p2:
        return none, none
    # Off the long diagonal the white king's square leaves no symmetry: every position is canonical.
    if KING[block] % 9:
        return ALL, none
    # On it the position has a copy, transposed. Its pieces are sorted like ours; the copy with the smaller squares is
    # canonical. If both are the same, the black king has to be on or below the diagonal, and on it the position is its
    # own copy: there are only four symmetric boards of it, not eight, which the counts of a table need.
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
    word = ((q * 64 + p0) * 64 + p1) * 64 + p2
    twin = ((tq * 64 + t0) * 64 + t1) * 64 + t2
    if word == twin:
        return ON_OR_BELOW_DIAGONAL, DIAGONAL
    return (ALL if word < twin else none), none


STOPPED, PASS_LIMIT = 0, 1
"""The elements of ``stop``; see :func:`solve_slices`."""

EVERYWHERE = np.full(3, ALL, np.uint64)
"""All squares of q, p0 and p1, as bits."""


@kernel
def mark_stored_slots(men, side, squares, stored_bits, first, end, counter):
    """Finds the legal canonical slots of one side to move.

    Args:
        men: The pieces.
        side: Side to move.
        squares: The requested squares of q, p0 and p1, as bits; words with others stay unchanged.
        stored_bits: The slots, one bit each, from the plane of the first task on.
        first: The first task.
        end: The task after the last.
        counter: Shared task counter.
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
                stored_bits[word + p2] = canonical & (legal1 if side else legal0)


@kernel
def finish(men, undecided, codes, side, draw, first, end, counter, own_copies):
    """Calls undecided positions drawn, and leaves in U which slots a table stores: the legal canonical ones.

    Args:
        men: The pieces.
        undecided: U of one side to move.
        codes: Its bytes, or codes, of the planes of these tasks.
        side: Side to move.
        draw: The byte, or code, of a draw.
        first: The first task.
        end: The task after the last.
        counter: Shared task counter.
        own_copies: A thread's own counts of positions that are their own mirror copy, by side and code, int64.
    """
    columns = own_copies.size // 2
    start = first // (10 * men.size0) * (men.size0 * men.size1 * 640)
    while True:
        task = first + next_task(counter)
        if task >= end:
            break
        block, q, p0 = place_of(men, task)
        # Identical pieces are solved in ascending order only.
        if men.sameq0 and q >= p0:
            continue
        for p1 in range(men.size1):
            if men.folded and p1 <= p0:
                continue
            row = row_of(men, block, q, p0, p1) * 64
            for p2 in range(64):
                word, local = row + p2, row + p2 - start
                legal0, _, legal1, _ = legal_words(men, KING[block], q, p0, p1, p2)
                canonical, is_own_copy = canonical_bits(men, block, q, p0, p1, p2)
                undecided_bits = undecided[word]
                if undecided_bits:
                    bytes_set(codes, local * 64, undecided_bits, draw)
                stored_bits = canonical & (legal1 if side else legal0)
                undecided[word] = stored_bits
                # From here on only positions that are their own mirror copy: they stand for half as many boards.
                stored_bits &= is_own_copy
                while stored_bits:
                    king = ctz(stored_bits)
                    stored_bits &= stored_bits - U1
                    own_copies[columns * side + codes[local * 64 + king]] += 1


@inner
def prepare_slice(men, metric, pawns, banks, codes, no_move_bits, state, checks, men_now, squares, exits):
    """Fills U and R with the legal positions of a slice, D with its exits, ``due``, and the positions in check.

    The arguments are those of :func:`solve_slices`, and ``squares`` those of the slice's pawns.
    """
    per_side = state.undecided.size // 2
    # The exits of a slice are the same for all of its positions: they are listed once, and offered row by row.
    count = pawn_moves(men, pawns, banks, codes.size // 2, squares, exits)
    count = captures(men, pawns, banks, squares, exits, count)
    state.due[:] = 0
    for p0 in range(men.size0):
        for p1 in range(men.size1):
            if men.same01 and p1 <= p0:
                continue
            row = p0 * men.size1 + p1
            prepare_row(
                men, metric, pawns, banks, codes, no_move_bits, state, checks, men_now, squares, exits, count,
                0, p0, p1, row, p0, state.codes, row * 64, per_side,
            )  # fmt: skip


@inner
def prepare_row(
    men, metric, pawns, banks, codes, no_move_bits, state, checks, men_now, squares, exits, count, q, p0, p1,
    row, task, out, word, half,
):  # fmt: skip
    """Fills the sets of one row; its bytes begin in ``out`` at ``word``, the other side's ``half`` words later."""
    per_side = state.undecided.size // 2
    men_now.squares[0], men_now.squares[1], men_now.squares[2] = q, p0, p1
    place_row(state, checks, men_now, row, task, p1)
    # D is used for one slice after another: bytes of legal positions are emptied first.
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
                men, metric, pawns, banks, codes, no_move_bits, out, state.undecided, exit_, men_now, squares,
                q, p0, p1, first, to,
            )  # fmt: skip
    tasks = state.due.size // 512
    for side in range(2):
        for i in range(64):
            legal_bits = state.undecided[side * per_side + row * 64 + i]
            if legal_bits:
                note_due(state.due, out, (side * tasks + task) * 256, p1, side * half + word + i, legal_bits)


@kernel
def prepare_plane(
    men, metric, pawns, banks, pushed, state, checks, slice_number, out, first, end, counter, men_now, exits,
):  # fmt: skip
    """Fills the sets, and D, of one plane of a slice whose pawns cannot be taken en passant.

    Args:
        men: The pieces of a slice.
        metric: What the metric makes of moves.
        pawns: All placements.
        banks: The exits into sub-endings.
        pushed: Codes, or bytes, of the same plane of the slices that pushes lead to, White to move first.
        state: The sets.
        checks: The positions in check, for pass 0.
        slice_number: The number of the slice.
        out: D of the plane, bytes or codes.
        first: First task of a side, at the beginning of a plane.
        end: The task after the last.
        counter: Shared task counter.
        men_now: A thread's room for all pieces of a slice.
        exits: Its room for the exits of a slice.
    """
    number = pawns.white.size
    squares = pawns.squares[slice_number * number : (slice_number + 1) * number]
    place_men(men, pawns, men_now, slice_number)
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
    """Sets, for each code of an exit in a word, the bit of its row in ``due``."""
    exits = legal & bytes_above(codes, word * 64, 0)
    exits &= ~bytes_equal(codes, word * 64, DRAW)
    # One turn for each different code: its positions are dropped together.
    while exits:
        code = codes[word * 64 + ctz(exits)]
        exits &= ~bytes_equal(codes, word * 64, code)
        due[task + (np.int64(code) & 255)] |= U1 << np.uint64(p1)


@inner
def last_exit(state):
    """Finds the last layer with an exit, by DTM, where D has codes and ``due`` only low bytes; 0 for none."""
    lost, won = np.int64(0), np.int64(0x10000)
    for word in range(state.undecided.size):
        at = word * 64
        wins = bytes_above(state.codes, at, DRAW)
        # Only codes that are deeper than the deepest so far need a look: losses above `lost`, wins below `won`.
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

    Args:
        men: The pieces of a slice.
        metric: What the metric makes of moves.
        state: The sets.
        lost: Room for the newest losses.
        before: Room for the losses before them; by DTM the same.
        won: Room for the newest wins; it has the positions in check.
        both: Room for active rows in both orders, for identical pieces.
        scratch: See :func:`endgame_core.chess.solver._kernels_layers.solve_layer`.
        stop: See :func:`solve_slices`.
        passes: See :func:`solve_slices`.
    """
    last = last_exit(state) if is_wide(state.codes) and not metric.dtz else last_due(state, metric.dtz)
    number = idle = 0
    while not stop[STOPPED]:
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
                if not now.fits or number >= stop[PASS_LIMIT]:
                    stop[STOPPED] = 1
        if number == 0:
            won.words[:] = 0
            won.rows[:] = 0
        if losing:
            lost, before = before, lost
        # By DTM one empty pass ends the slice, once all exits have been due. By DTZ wins and losses of a depth are two
        # passes, and where both are empty the next that can find anything is that of the last exits, behind the
        # horizon.
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
def note_stalemates(men, state, no_move_bits, first, side, p0, p1, scratch):
    """Sets the bits of the positions of one row that have no move at all, for double pushes into them.

    Such a position is a stalemate, unless the pawn that has just gone two squares can be taken en passant.
    """
    # An undecided position without an exit of which every quiet move led to a won position would be lost. So one from
    # which `clear_escapes` finds no escape has no move.
    row = side * (state.undecided.size // 128) + row_of(men, 0, 0, p0, p1)
    for rank in range(8):
        at = row * 64 + 8 * rank
        result = False
        for j in range(8):
            free = state.undecided[at + j]
            if free:
                free &= bytes_equal(state.codes, (at + j) * 64, 0)
            scratch[SPARE_LINE + j] = free
            result |= free != 0
        if result:
            line = load(scratch, SPARE_LINE)
            store(
                scratch, 0, clear_escapes(men, state.pawns[0], side, 0, 0, p0, p1, rank, line, state.not_won, scratch)
            )
        for j in range(8):
            no_move_bits[first + 8 * rank + j] = scratch[j] if result else np.uint64(0)


@inner
def finish_slice(men, metric, state, codes, stored_bits, no_move_bits, men_now, scratch, memory_index, own_copy):
    """Calls undecided positions drawn, copies the slice to where it is held, and notes the legal canonical slots.

    Slots that are not legal get the code of a legal one nearby, so that a slice compresses well.

    Args:
        men: The pieces of a slice.
        metric: What the metric makes of moves.
        state: The sets.
        codes: Bytes, or codes, of the slices in memory.
        stored_bits: Bits of their legal canonical slots; empty if they are not needed.
        no_move_bits: Bits of their positions without a move; empty where no pawn can be taken en passant.
        men_now: All pieces of the slice.
        scratch: See :func:`solve_slices`.
        memory_index: Its number among the slices in memory.
        own_copy: Whether the pawns are their own mirror copy.
    """
    rows = men.size0 * men.size1
    slots = codes.size // 2
    # Illegal slots repeat the last legal code.
    code0 = code1 = np.int64(0)
    for p0 in range(men.size0):
        for p1 in range(men.size1):
            if men.same01 and p1 <= p0:
                continue
            row = p0 * men.size1 + p1
            men_now.squares[1], men_now.squares[2] = p0, p1
            first = (memory_index * rows + row) * 4096
            if no_move_bits.size:
                for side in range(2):
                    note_stalemates(men, state, no_move_bits, (side * slots + first) >> 6, side, p0, p1, scratch)
            for king in range(64):
                legal0, _, legal1, _ = survey(men_now.pieces, men_now.white, men_now.squares, king)
                code0 = finish_word(state, row * 64 + king, legal0, metric.draws[0], code0)
                code1 = finish_word(state, (rows + row) * 64 + king, legal1, metric.draws[1], code1)
                # Where the pawns mirror themselves, White's king stands on files a to d in the canonical copy.
                if stored_bits.size and (not own_copy or king & 4 == 0):
                    stored_bits[(first >> 6) + king] = legal0
                    stored_bits[((slots + first) >> 6) + king] = legal1
            for side in range(2):
                source = (side * rows + row) * 4096
                for i in range(4096):
                    codes[side * slots + first + i] = state.codes[source + i]


@inner
def finish_word(state, word, legal, draw, code):
    """Calls undecided positions of a word drawn, and gives illegal slots the code of a legal one, which is returned."""
    undecided_bits = state.undecided[word]
    if undecided_bits:
        bytes_set(state.codes, word * 64, undecided_bits, draw)
    if legal:
        code = np.int64(state.codes[word * 64 + ctz(legal)])
    bytes_set(state.codes, word * 64, ~legal, code)
    return code


@inner
def place_men(men, pawns, men_now, slice_number):
    """Puts the pieces of a slice into ``men_now``.

    Returns:
        The squares of its pawns, as bits, and whether they are their own mirror copy.
    """
    number = pawns.white.size
    men_now.pieces[0], men_now.pieces[1], men_now.pieces[2] = men.pieceq, men.piece0, men.piece1
    men_now.white[0], men_now.white[1], men_now.white[2] = men.whiteq, men.white0, men.white1
    occupied = np.uint64(0)
    image = 0
    for i in range(number):
        square = pawns.squares[slice_number * number + i]
        men_now.pieces[3 + i] = WHITE_PAWN if pawns.white[i] else BLACK_PAWN
        men_now.white[3 + i] = pawns.white[i]
        men_now.squares[3 + i] = square
        occupied |= U1 << np.uint64(square)
        image = image * 64 + (square ^ 7)
    return occupied, pawns.numbers[image] & 1 == 0


@kernel
def mark_stored_slots_of_slices(men, pawns, side, squares, stored_bits, first, end, counter, men_now):
    """Finds the legal canonical slots of one side to move of an ending with pawns.

    A task is a placement of the pawns, q and p0.

    Args:
        men: The pieces of a slice.
        pawns: All placements.
        side: Side to move.
        squares: On which squares q, p0 and p1 are wanted, as bits.
        stored_bits: The slots, one bit each, from those of the first task on.
        first: The first task.
        end: The task after the last.
        counter: Shared task counter.
        men_now: A thread's room for all pieces of a slice.
    """
    while True:
        task = next_task(counter)
        if first + task >= end:
            break
        outer, p0 = (first + task) // men.size0, (first + task) % men.size0
        slice_number, q = outer // men.sizeq, outer % men.sizeq
        if (men.sameq0 and p0 <= q) or not (squares[0] >> np.uint64(q)) & (squares[1] >> np.uint64(p0)) & U1:
            continue
        _, own_copy = place_men(men, pawns, men_now, slice_number)
        for p1 in range(men.size1):
            if (men.same01 and p1 <= p0) or not (squares[2] >> np.uint64(p1)) & U1:
                continue
            men_now.squares[0], men_now.squares[1], men_now.squares[2] = q, p0, p1
            word = (task * men.size1 + p1) * 64
            for king in range(64):
                if not own_copy or king & 4 == 0:
                    legal0, _, legal1, _ = survey(men_now.pieces, men_now.white, men_now.squares, king)
                    stored_bits[word + king] = legal1 if side else legal0


@kernel
def solve_slices(
    men, metric, pawns, banks, codes, stored_bits, no_move_bits, wave, stop, passes, counter,
    state, lost, before, won, both, men_now, exits, scratch,
):  # fmt: skip
    """Solves the slices of a wave until none is left; slices of one wave do not lead into each other.

    Args:
        men: The pieces of a slice, as :class:`Men` with ``pawned`` 1.
        metric: What the metric makes of moves.
        pawns: All placements.
        banks: The exits into sub-endings.
        codes: Bytes, or codes, of all slices in memory, White to move first; slices of the wave are written.
        stored_bits: uint64 bits of the legal canonical slots, likewise; empty if they are not needed.
        no_move_bits: uint64 bits of positions without a move, likewise; empty where no pawn can be taken en passant.
        wave: int64 numbers of the placements to solve.
        stop: int64 of shape (2,), shared by all threads. ``stop[STOPPED]`` is set from outside to stop soon, with the
            slices in progress unfinished. A pass that finds a value that a byte cannot hold, or any value in pass
            ``stop[PASS_LIMIT]`` or later, sets it as well: the ending has to be solved in codes.
        passes: uint8, set to 1 for each pass that finds something: with White to move first, by its number.
        counter: Shared task counter.
        state: One thread's sets for one slice.
        lost: A thread's own layer.
        before: Another; by DTM the same.
        won: Another.
        both: Active rows in both orders, for identical pieces.
        men_now: Room for all pieces of a slice.
        exits: Room for the exits of a slice, 8 numbers each.
        scratch: uint64 of shape (4104,).
    """
    number = pawns.white.size
    while not stop[STOPPED]:
        task = next_task(counter)
        if task >= wave.size:
            break
        slice_number = wave[task]
        squares = pawns.squares[slice_number * number : (slice_number + 1) * number]
        state.pawns[0], own_copy = place_men(men, pawns, men_now, slice_number)
        prepare_slice(men, metric, pawns, banks, codes, no_move_bits, state, won, men_now, squares, exits)
        solve_slice(men, metric, state, lost, before, won, both, scratch, stop, passes)
        finish_slice(
            men, metric, state, codes, stored_bits, no_move_bits, men_now, scratch, pawns.where[slice_number], own_copy
        )

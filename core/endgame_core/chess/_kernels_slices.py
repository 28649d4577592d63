"""Endings with pawns: one pawn placement after another, each a small problem called a slice.

In a slice the pawns stand still. Its words are numbered ``((p0 * 64) + p1) * 64 + white king``, p0 and p1 being the men
that are neither kings nor pawns; the bits of a word are the squares of the black king. Every pawn move leaves the
slice, so it is an exit: a push leads to a slice solved before, a capture or promotion into a sub-ending.

Sub-endings are unfolded beforehand into *banks*: what an exit of one kind is worth to its mover, 0 where it would be
illegal, as ``[placed men][free men …][white king][black king]``. ``bank`` numbers: 0, 1 the piece p0 or p1 is taken;
2, 3 a black or white pawn is taken; 4, 5 a black or white pawn promotes; 6, 7 a pawn promotes by taking p0 or p1.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from endgame_core.chess._kernels_board import ALL, U1, Layer, bit, row_of
from endgame_core.chess._kernels_layers import (
    clear_escapes,
    clear_task,
    last_due,
    mirror_rows,
    pass_of,
    solve_task,
)
from endgame_core.chess._kernels_unfold import survey
from endgame_core.chess.geometry import BETWEEN, REACH
from endgame_core.tables._vectors import (
    bytes_above,
    bytes_equal,
    bytes_raise_dtm,
    bytes_raise_dtz,
    bytes_raise_image,
    bytes_raise_to,
    bytes_set,
    ctz,
    inner,
    kernel,
    load,
    next_task,
    store,
)

OWN = -1
"""In place of a bank number: the exit is a push, to a slice of the same ending."""

MOST_EXITS = 32
"""More pawn moves than a slice of three pawns can have, each capture of a piece counted apart."""


class Pawns(NamedTuple):
    """The pawns of an ending, White's first.

    Attributes:
        white: 1 for each white pawn, int64.
        squares: Squares of all pawns, placement after placement, int64.
        numbers: ``2 * number + mirrored`` of a placement by its squares in base 64, any order within a colour, int32.
    """

    white: np.ndarray
    squares: np.ndarray
    numbers: np.ndarray


class Banks(NamedTuple):
    """All banks end to end: data, first byte of each, placement numbers (as in Pawns) and the first of each bank."""

    data: np.ndarray
    starts: np.ndarray
    numbers: np.ndarray
    tables: np.ndarray


class Metric(NamedTuple):
    """What is counted: ``dtz`` 1 or 0, the codes of draws by side to move, and what exits are worth.

    ``worth`` holds three times 256 bytes: what a move into a slice solved before is worth, by the code there with White
    and with Black to move, and what it is worth when the answer has a worth.
    """

    dtz: int
    draws: np.ndarray
    worth: np.ndarray


class Exit(NamedTuple):
    """One pawn move of a slice, or one pawn or piece that can be taken: where its value is.

    ``taken`` is the man that must stand on ``target`` (0, 1; -1 for none), ``past`` the square a double push
    passes (-1 for none), ``pawn`` the number of the pawn that moves.
    """

    bank: int
    side: int
    pawn: int
    target: int
    taken: int
    past: int
    base: int
    mirrored: int


class MenNow(NamedTuple):
    """All men but the kings as arrays, in the order p0, p1, pawns: piece numbers, 1 for white, squares."""

    pieces: np.ndarray
    white: np.ndarray
    squares: np.ndarray


@inner
def put_exit(exits, count, found):
    """Writes an exit to the list; returns its new length."""
    for i in range(8):
        exits[8 * count + i] = found[i]
    return count + 1


@inner
def get_exit(exits, i):
    """Reads an exit from the list."""
    at = 8 * i
    return Exit(
        exits[at], exits[at + 1], exits[at + 2], exits[at + 3],
        exits[at + 4], exits[at + 5], exits[at + 6], exits[at + 7],
    )  # fmt: skip


@inner
def key_of(pawns, squares, left, other, moved, target):
    """Squares of the pawns in base 64, without the pawns ``left`` and ``other``, and with ``moved`` on ``target``."""
    key = 0
    for i in range(pawns.white.size):
        if i != left and i != other:
            key = key * 64 + (target if i == moved else squares[i])
    return key


@inner
def bank_exit(banks, bank, side, pawn, target, taken, key, words, row):
    """An exit into a bank; ``row`` is the file of a promoted man, or -1."""
    number = banks.numbers[banks.tables[bank] + key]
    base = np.int64(number >> 1)
    mirrored = np.int64(number & 1)
    if row >= 0:
        base = base * 8 + (row ^ (7 * mirrored))
    return Exit(bank, side, pawn, target, taken, -1, banks.starts[bank] + base * words * 64, mirrored)


@inner
def pawn_moves(men, pawns, banks, slots, squares, exits):
    """Lists all pawn moves of a slice; those that take a piece need it on their target. Returns how many."""
    count = 0
    rest = men.size0 * men.size1 * 64
    for pawn in range(pawns.white.size):
        white = pawns.white[pawn]
        side = 1 - white
        square = squares[pawn]
        step = 8 if white else -8
        target = square + step
        last = target >> 3 == (7 if white else 0)
        blocked = False
        for i in range(pawns.white.size):
            blocked |= squares[i] == target
        if last:
            key = key_of(pawns, squares, pawn, -1, -1, 0)
            count = put_exit(exits, count, bank_exit(banks, 4 + white, side, pawn, target, -1, key, rest, target & 7))
        elif not blocked:
            for steps in range(1, 3):
                to = square + steps * step
                for i in range(pawns.white.size):
                    blocked |= squares[i] == to
                if blocked or (steps == 2 and square >> 3 != (1 if white else 6)):
                    break
                number = pawns.numbers[key_of(pawns, squares, -1, -1, pawn, to)]
                base = (1 - side) * slots + np.int64(number >> 1) * rest * 64
                past = target if steps == 2 else -1
                count = put_exit(exits, count, Exit(OWN, side, pawn, to, -1, past, base, np.int64(number & 1)))
        for aside in range(-1, 2, 2):
            if not 0 <= (square & 7) + aside < 8:
                continue
            to = target + aside
            for other in range(pawns.white.size):
                if squares[other] == to and pawns.white[other] != white:
                    key = key_of(pawns, squares, other, -1, pawn, to)
                    count = put_exit(exits, count, bank_exit(banks, 3 - white, side, pawn, to, -1, key, rest, -1))
            for man in range(2):
                size = men.size0 if man == 0 else men.size1
                if size == 64 and (men.white0 if man == 0 else men.white1) == side:
                    key = key_of(pawns, squares, pawn if last else -1, -1, pawn, to)
                    bank = 6 + man if last else man
                    count = put_exit(
                        exits,
                        count,
                        bank_exit(banks, bank, side, pawn, to, man, key, rest // 64, to & 7 if last else -1),
                    )
    return count


@inner
def address(has0, has1, q0, q1, king, mirrored):
    """Byte of a word in a bank or a slice, counted from its base."""
    turn = 7 * mirrored
    at = 0
    if has0:
        at = q0 ^ turn
    if has1:
        at = at * 64 + (q1 ^ turn)
    return (at * 64 + (king ^ turn)) * 64


@inner
def captures(men, pawns, banks, squares, exits, count):
    """Lists the captures by pieces and kings: of p0, of p1, and of each pawn (``taken`` 2). Returns the new length."""
    words = men.size0 * men.size1 * 64
    key = key_of(pawns, squares, -1, -1, -1, 0)
    if men.piece0:
        count = put_exit(exits, count, bank_exit(banks, 0, men.white0, -1, 0, 0, key, words // 64, -1))
    if men.piece1:
        count = put_exit(exits, count, bank_exit(banks, 1, men.white1, -1, 0, 1, key, words // 64, -1))
    for i in range(pawns.white.size):
        white = pawns.white[i]
        key = key_of(pawns, squares, i, -1, -1, 0)
        count = put_exit(exits, count, bank_exit(banks, 2 + white, white, -1, squares[i], 2, key, words, -1))
    return count


@inner
def offer_take(men, to, data, legal_now, exit_, fixed, p0, p1, first):
    """Offers every capture of one man by a piece or king to the words of one row."""
    taken, mirrored = exit_.taken, exit_.mirrored
    target = exit_.target if taken == 2 else (p1 if taken else p0)
    has0, has1 = (men.piece0 > 0) & (taken != 0), (men.piece1 > 0) & (taken != 1)
    others = fixed | bit(p0, men.size0) | bit(p1, men.size1)
    for man in range(2):
        if not (has0 if man == 0 else has1) or (men.white0 if man == 0 else men.white1) == exit_.side:
            continue
        piece, source = (men.piece0, p0) if man == 0 else (men.piece1, p1)
        path = BETWEEN[64 * source + target]
        if path & others or not (REACH[64 * piece + source] >> np.uint64(target)) & U1:
            continue
        q0, q1 = (target, p1) if man == 0 else (p0, target)
        for king in range(64):
            if legal_now[first + king] and not (path >> np.uint64(king)) & U1:
                at = exit_.base + address(has0, has1, q0, q1, king, mirrored)
                bytes_raise_image(to, (first + king) * 64, data, at, mirrored, ~path)
    if exit_.side == 0:
        near = REACH[64 * 6 + target]
        at = exit_.base + address(has0, has1, p0, p1, target, mirrored)
        while near:
            king = ctz(near)
            near &= near - U1
            if legal_now[first + king]:
                bytes_raise_image(to, (first + king) * 64, data, at, mirrored, ALL)
    else:
        for king in range(64):
            if legal_now[first + king]:
                at = exit_.base + address(has0, has1, p0, p1, king, mirrored)
                value = data[at + (target ^ (7 * mirrored))]
                if value:
                    bytes_raise_to(to, (first + king) * 64, REACH[64 * 6 + target], value)


@inner
def offer_double_push(metric, pawns, banks, codes, stale, to, exit_, squares, at, tail, legal, word):
    """Offers a double push that may be answered by an en passant capture; ``tail`` is the word's place in a bank.

    The answer counts for the side to move then, or alone when there is no other move.
    """
    here = 7 * exit_.mirrored
    while legal:
        king = ctz(legal)
        legal &= legal - U1
        slot = at + (king ^ here)
        value = metric.worth[256 * (1 - exit_.side) + codes[slot]]
        answer = np.uint8(0)
        for i in range(pawns.white.size):
            if (
                pawns.white[i] != pawns.white[exit_.pawn]
                and squares[i] >> 3 == exit_.target >> 3
                and abs(squares[i] - exit_.target) == 1
            ):
                bank = 2 + pawns.white[exit_.pawn]
                key = key_of(pawns, squares, exit_.pawn, -1, i, exit_.past)
                number = banks.numbers[banks.tables[bank] + key]
                turn = 7 * np.int64(number & 1)
                base = banks.starts[bank] + np.int64(number >> 1) * tail[0] * 64
                place = base + address(tail[1], tail[2], tail[3], tail[4], tail[5], np.int64(number & 1))
                answer = max(answer, banks.data[place + (king ^ turn)])
        if answer:
            forced = (stale[slot >> 6] >> np.uint64(slot & 63)) & U1
            answered = metric.worth[512 + answer]
            value = answered if forced else min(value, answered)
        byte = word * 64 + king
        to[byte] = max(to[byte], value)


@inner
def faces_en_passant(pawns, exit_, squares):
    """Whether a double push lands beside an enemy pawn."""
    if exit_.past < 0:
        return False
    for i in range(pawns.white.size):
        aside = abs(squares[i] - exit_.target) == 1 and squares[i] >> 3 == exit_.target >> 3
        if aside and pawns.white[i] != pawns.white[exit_.pawn]:
            return True
    return False


@inner
def offer_pawn_move(men, metric, pawns, banks, codes, stale, to, legal_now, exit_, men_now, squares, p0, p1, first):
    """Offers one pawn move to the words of one row; ``first`` is the row's first word."""
    target, past = exit_.target, exit_.past
    if (exit_.taken == 0 and p0 != target) or (exit_.taken == 1 and p1 != target):
        return
    has0, has1 = (men.piece0 > 0) & (exit_.taken != 0), (men.piece1 > 0) & (exit_.taken != 1)
    if exit_.bank != OWN:
        for king in range(64):
            if legal_now[first + king]:
                at = exit_.base + address(has0, has1, p0, p1, king, exit_.mirrored)
                bytes_raise_image(to, (first + king) * 64, banks.data, at, exit_.mirrored, ALL)
        return
    if past >= 0 and ((men.piece0 and p0 == past) or (men.piece1 and p1 == past)):
        return
    q0, q1 = p0, p1
    if men.same01 and (p0 ^ (7 * exit_.mirrored)) > (p1 ^ (7 * exit_.mirrored)):
        q0, q1 = p1, p0
    answered = faces_en_passant(pawns, exit_, squares)
    draw = metric.draws[1 - exit_.side]
    source = squares[exit_.pawn]
    men_now.squares[2 + exit_.pawn] = target
    for king in range(64):
        if not legal_now[first + king] or king == past:
            continue
        legal0, _, legal1, _ = survey(men_now.pieces, men_now.white, men_now.squares, king)
        legal = legal0 if exit_.side else legal1
        if past >= 0:
            legal &= ~(U1 << np.uint64(past))
        at = exit_.base + address(has0, has1, q0, q1, king, exit_.mirrored)
        if answered:
            tail = (men.size0 * men.size1 * 64, has0, has1, p0, p1, king)
            offer_double_push(metric, pawns, banks, codes, stale, to, exit_, squares, at, tail, legal, first + king)
        elif metric.dtz:
            bytes_raise_dtz(to, (first + king) * 64, codes, at, exit_.mirrored, legal, draw)
        else:
            bytes_raise_dtm(to, (first + king) * 64, codes, at, exit_.mirrored, legal, draw)
    men_now.squares[2 + exit_.pawn] = source


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
            men_now.squares[0], men_now.squares[1] = p0, p1
            row = (p0 * men.size1 + p1) * 64
            place_row(men, state, checks, men_now, p0, p1)
            for i in range(count):
                exit_ = get_exit(exits, i)
                first = exit_.side * per_side + row
                if exit_.pawn < 0:
                    offer_take(men, state.codes, banks.data, state.undecided, exit_, state.pawns[0], p0, p1, first)
                else:
                    offer_pawn_move(
                        men, metric, pawns, banks, codes, stale, state.codes, state.undecided, exit_, men_now, squares,
                        p0, p1, first,
                    )  # fmt: skip
            for side in range(2):
                task = (side * men.size0 + p0) * 256
                first = side * per_side + row
                for word in range(first, first + 64):
                    if state.undecided[word]:
                        note_due(state.due, state.codes, task, p1, word, state.undecided[word])


@inner
def place_row(men, state, checks, men_now, p0, p1):
    """Fills U, R and the positions in check of one row, and clears its bytes."""
    per_side = state.undecided.size // 2
    first = (p0 * men.size1 + p1) * 64
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
                checks.rows[side * men.size0 + p0] |= U1 << np.uint64(p1)
            if legal:
                bytes_set(state.codes, word * 64, ALL, np.uint8(0))


@inner
def note_due(due, codes, task, p1, word, legal):
    """Notes in which layers the exits of a word are due."""
    exits = legal & bytes_above(codes, word * 64, np.uint8(0))
    exits &= ~bytes_equal(codes, word * 64, np.uint8(128))
    while exits:
        code = codes[word * 64 + ctz(exits)]
        exits &= ~bytes_equal(codes, word * 64, code)
        due[task + code] |= U1 << np.uint64(p1)


@inner
def solve_slice(men, metric, state, lost, before, won, both, scratch, stop):
    """Runs pass after pass of one slice until nothing is new and no exit is due; the layers are empty afterwards.

    ``lost`` and ``before`` are room for the newest losses and those before (by DTM the same), ``won`` for the newest
    wins; it holds the positions in check.
    """
    last = last_due(state, metric.dtz)
    number = idle = 0
    while not stop[0]:
        now = pass_of(number, metric.dtz)
        if now.losing:
            source, out = won, before
        else:
            source, out = before, won
        if men.same01 and number:
            mirror_rows(source.rows, both)
            source = Layer(source.words, source.lines, both)
        idle += 1
        for side in range(2):
            new = 0
            for p0 in range(men.size0):
                new += solve_task(men, state, source, out, now, side, 0, p0, scratch)
            if new:
                idle = 0
                if now.code >= metric.draws[side] if now.losing else now.code <= metric.draws[side]:
                    stop[0], stop[1], stop[2] = 1, number, side
        if number == 0:
            won.words[:] = 0
            won.rows[:] = 0
        if now.losing:
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
            clear_task(men, lost, side, 0, p0)
            clear_task(men, before, side, 0, p0)
            clear_task(men, won, side, 0, p0)


@inner
def note_stalemates(men, state, stale, first, side, p0, p1, scratch):
    """Sets the bits of the positions of one row without any move, for double pushes into them."""
    row = side * (state.undecided.size // 128) + row_of(men, 0, p0, p1)
    for rank in range(8):
        at = row * 64 + 8 * rank
        found = False
        for j in range(8):
            free = state.undecided[at + j]
            if free:
                free &= bytes_equal(state.codes, (at + j) * 64, np.uint8(0))
            scratch[4096 + j] = free
            found |= free != 0
        if found:
            line = load(scratch, 4096)
            store(scratch, 0, clear_escapes(men, state.pawns[0], side, 0, p0, p1, rank, line, state.not_won, scratch))
            for j in range(8):
                stale[first + 8 * rank + j] = scratch[j]


@inner
def finish_slice(men, metric, state, codes, kept, stale, men_now, scratch, place, own_copy):
    """Calls what is undecided drawn, copies the slice to the table, and notes the legal canonical slots."""
    rows = men.size0 * men.size1
    slots = codes.size // 2
    for p0 in range(men.size0):
        for p1 in range(men.size1):
            if men.same01 and p1 <= p0:
                continue
            row = p0 * men.size1 + p1
            men_now.squares[0], men_now.squares[1] = p0, p1
            for side in range(2):
                first = side * slots + (place * rows + row) * 4096
                if stale.size:
                    note_stalemates(men, state, stale, first >> 6, side, p0, p1, scratch)
                for king in range(64):
                    word = (side * rows + row) * 64 + king
                    drawn = state.undecided[word]
                    if drawn:
                        bytes_set(state.codes, word * 64, drawn, metric.draws[side])
                    if not own_copy or king & 4 == 0:
                        legal0, _, legal1, _ = survey(men_now.pieces, men_now.white, men_now.squares, king)
                        kept[(first >> 6) + king] = legal1 if side else legal0
                source = (side * rows + row) * 4096
                for i in range(4096):
                    codes[first + i] = state.codes[source + i]


@inner
def place_men(men, pawns, men_now, place):
    """Puts the men of a slice into ``men_now``; returns its pawns as a word, and whether it is its own mirror copy."""
    number = pawns.white.size
    men_now.pieces[0], men_now.pieces[1] = men.piece0, men.piece1
    men_now.white[0], men_now.white[1] = men.white0, men.white1
    occupied = np.uint64(0)
    image = 0
    for i in range(number):
        square = pawns.squares[place * number + i]
        men_now.pieces[2 + i] = 1 if pawns.white[i] else 7
        men_now.white[2 + i] = pawns.white[i]
        men_now.squares[2 + i] = square
        occupied |= U1 << np.uint64(square)
        image = image * 64 + (square ^ 7)
    return occupied, pawns.numbers[image] & 1 == 0


@kernel
def keep_slices(men, pawns, side, kept, counter, men_now):
    """Fills ``kept`` with the legal canonical slots of one side to move; a task is a placement."""
    rows = men.size0 * men.size1
    while True:
        place = next_task(counter)
        if place >= pawns.squares.size // pawns.white.size:
            break
        _, own_copy = place_men(men, pawns, men_now, place)
        for p0 in range(men.size0):
            for p1 in range(men.size1):
                if men.same01 and p1 <= p0:
                    continue
                men_now.squares[0], men_now.squares[1] = p0, p1
                first = (place * rows + p0 * men.size1 + p1) * 64
                for king in range(64):
                    if not own_copy or king & 4 == 0:
                        legal0, _, legal1, _ = survey(men_now.pieces, men_now.white, men_now.squares, king)
                        kept[first + king] = legal1 if side else legal0


@kernel
def solve_slices(
    men, metric, pawns, banks, codes, kept, stale, wave, stop, counter,
    state, lost, before, won, both, men_now, exits, scratch,
):  # fmt: skip
    """Solves the slices of a wave until none is left; slices of one wave do not need each other.

    Args:
        men: The men of a slice, as :class:`Men` with ``pawned`` 1.
        metric: What is counted.
        pawns: All placements.
        banks: The exits into sub-endings.
        codes: uint8 codes of the whole ending, White to move first; slices of the wave are written.
        kept: uint64 bits of the legal canonical slots, likewise.
        stale: uint64 bits of positions without a move, or empty when no pawn can be taken en passant.
        wave: int64 numbers of the placements to solve.
        stop: Set ``stop[0]`` to stop soon, with the slices in hand unfinished. When a value is found that a byte cannot
            hold, it is set here, and ``stop[1]`` and ``stop[2]`` to the pass and the side to move.
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
        solve_slice(men, metric, state, lost, before, won, both, scratch, stop)
        finish_slice(men, metric, state, codes, kept, stale, men_now, scratch, place, own_copy)

"""Exits: what captures, promotions and pawn moves are worth to those who make them.

Sub-endings are stored folded by symmetry, with the stronger side as White. They are *unfolded* first: the value of an
exit is found for 64 black king squares at once, as ``[placed men][free men …][white king][black king]`` in the parent's
colours. A byte is what the exit is worth to its maker, 0 where it would be illegal; so that offering a capture to 64
positions is one masked maximum of 64 bytes. Where a byte does not hold all exits of an ending with pawns by DTM, D and
the banks are of codes.

Without pawns there is a table of *bounds* for each man that may be taken. With pawns there are *banks*, numbered: 0, 1
the piece p0 or p1 is taken; 2, 3 a black or white pawn is taken; 4, 5 a black or white pawn promotes; 6, 7 a pawn
promotes by taking p0 or p1; 8 q is taken; 9 a pawn promotes by taking q.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from endgame_core.chess.solver._kernels_board import (
    ALL,
    BETWEEN,
    BLOCK,
    HOME,
    IMAGE,
    KING,
    REACH,
    U1,
    bit,
    legal_words,
    place_of,
    row_of,
    see_man,
)
from endgame_core.tables.kernels import (
    bytes_above,
    bytes_equal,
    bytes_raise,
    bytes_raise_dtm,
    bytes_raise_dtz,
    bytes_raise_image,
    bytes_raise_to,
    ctz,
    inner,
    kernel,
    next_task,
)
from endgame_core.values import DRAW

NEAR_KING = np.full(64, -1, np.int64)
"""Numbers the squares of the triangle, and those beside it: White's king stands there after a capture."""
_near = sorted({int(s) for s in range(64) if any(s == k or REACH[64 * 6 + k] >> np.uint64(s) & U1 for k in KING)})
NEAR_KING[_near] = np.arange(len(_near))


class BankView(NamedTuple):
    """The men of a bank: placed men (pawns, a promoted man) and free ones, and their sub-ending.

    Attributes:
        pieces: Piece number of each man, int64; placed men first.
        white: 1 for each white man, int64.
        squares: Squares of the placed men, row after row, int64.
        placed: How many men are placed.
        places: For each man of the sub-ending's index, which man here it is, int64.
        pawns: Pawns of the sub-ending, -1 when it has none and its index is folded to the triangle.
        numbers: Its placement numbers.
        swapped: 1 when its White is our Black.
        alike: Bit 0 when its first two free men are identical, bit 1 the second and third, bit 2 the third and fourth.
    """

    pieces: np.ndarray
    white: np.ndarray
    squares: np.ndarray
    placed: int
    places: np.ndarray
    pawns: int
    numbers: np.ndarray
    swapped: int
    alike: int


@inner
def survey(pieces, white, squares, king):
    """Legal black king squares with White and with Black to move, and those in check, as legal_words tells them."""
    none = np.uint64(0)
    occupied = U1 << np.uint64(king)
    for i in range(pieces.size):
        if pieces[i]:
            here = U1 << np.uint64(squares[i])
            if occupied & here:
                return none, none, none, none
            occupied |= here
    seen, shield = none, ALL
    for i in range(pieces.size):
        if pieces[i]:
            seen, shield = see_man(pieces[i], white[i], squares[i], king, occupied, seen, shield)
    free = ~(occupied | REACH[64 * 6 + king])
    return free & ~seen, free & ~seen & ~shield, free & shield, free & shield & seen


@inner
def placement(view, squares):
    """The sub-ending's pawn placement: number, symmetry that brings the men there, whether it mirrors itself."""
    key = image = 0
    for i in range(view.pawns):
        square = squares[view.places[i]] ^ (56 if view.swapped else 0)
        key = key * 64 + square
        image = image * 64 + (square ^ 7)
    number = np.int64(view.numbers[key])
    own_copy = (number & 1 == 0) & (view.numbers[image] & 1 == 0)
    return number >> 1, (number & 1) | (2 if view.swapped else 0), own_copy


@inner
def free_men(view, squares, symmetry):
    """The images of the free men, identical ones sorted; 0 for those that are not there."""
    first = max(0, view.pawns)
    count = view.places.size - first
    q0 = IMAGE[64 * symmetry + squares[view.places[first]]] if count > 0 else 0
    q1 = IMAGE[64 * symmetry + squares[view.places[first + 1]]] if count > 1 else 0
    q2 = IMAGE[64 * symmetry + squares[view.places[first + 2]]] if count > 2 else 0
    q3 = IMAGE[64 * symmetry + squares[view.places[first + 3]]] if count > 3 else 0
    for _ in range(count - 1):
        if view.alike & 1 and q0 > q1:
            q0, q1 = q1, q0
        if view.alike & 2 and q1 > q2:
            q1, q2 = q2, q1
        if view.alike & 4 and q2 > q3:
            q2, q3 = q3, q2
    return q0, q1, q2, q3


@inner
def folded_base(view, squares, king, symmetry):
    """First slot of a word of a sub-ending without pawns, under a symmetry that brings its white king home."""
    q0, q1, q2, q3 = free_men(view, squares, symmetry)
    block = BLOCK[IMAGE[64 * symmetry + king]]
    if view.places.size == 1:
        return block * 4096 + q0 * 64
    if view.places.size == 2:
        return (q0 * 10 + block) * 4096 + q1 * 64
    if view.places.size == 3:
        return ((q0 * 64 + q1) * 10 + block) * 4096 + q2 * 64
    return (((q0 * 64 + q1) * 64 + q2) * 10 + block) * 4096 + q3 * 64


@inner
def word_of(view, squares, king):
    """A word of a sub-ending without pawns whose white king is ours: its first slot, and the symmetry that leads there.

    The third is the other symmetry that leads there, the same where there is none: of two slots the first is canonical.
    """
    symmetry = HOME[king]
    first = folded_base(view, squares, king, symmetry)
    if IMAGE[64 * symmetry + king] % 9:
        return first, symmetry, symmetry
    twin = folded_base(view, squares, king, symmetry ^ 4)
    if twin < first:
        return twin, symmetry ^ 4, symmetry ^ 4
    return first, symmetry, symmetry ^ 4 if twin == first else symmetry


@inner
def folded_slot(view, squares, king, other):
    """The canonical slot of a position of a sub-ending without pawns."""
    first, symmetry, other_symmetry = word_of(view, squares, king)
    return first + min(IMAGE[64 * symmetry + other], IMAGE[64 * other_symmetry + other])


@inner
def pawned_base(view, number, squares, symmetry):
    """The square of the white king in the first slot of a sub-ending with pawns, or of bare kings, times 64."""
    q0, q1, q2, _ = free_men(view, squares, symmetry)
    count = view.places.size - view.pawns
    base = number
    if count > 0:
        base = base * 64 + q0
    if count > 1:
        base = base * 64 + q1
    if count > 2:
        base = base * 64 + q2
    return base * 64


@inner
def pawned_slot(view, number, own_copy, symmetry, squares, king, other):
    """The canonical slot of a position of a sub-ending with pawns, or of two bare kings."""
    if own_copy and IMAGE[64 * symmetry + king] & 4:
        symmetry ^= 1
    base = pawned_base(view, number, squares, symmetry)
    return (base + IMAGE[64 * symmetry + king]) * 64 + IMAGE[64 * symmetry + other]


@inner
def unfold_pawned(codes, worth, view, squares, king, legal, data, at):
    """Raises one word of a bank through a sub-ending with pawns, or two bare kings; ``at`` is its first byte."""
    number, symmetry, own_copy = placement(view, squares)
    base = mirrored = pawned_base(view, number, squares, symmetry)
    if own_copy:
        mirrored = pawned_base(view, number, squares, symmetry ^ 1)
    while legal:
        other = ctz(legal)
        legal &= legal - U1
        white, black = (other, king) if view.swapped else (king, other)
        first, turned = base, symmetry
        if own_copy and IMAGE[64 * symmetry + white] & 4:
            first, turned = mirrored, symmetry ^ 1
        value = worth[codes[(first + IMAGE[64 * turned + white]) * 64 + IMAGE[64 * turned + black]]]
        data[at + other] = max(data[at + other], value)


@inner
def unfold_word(codes, worth, first, symmetry, other_symmetry, legal, data, at):
    """Raises one word of a bank; ``at`` is its first byte, the others are what :func:`word_of` has found."""
    while legal:
        other = ctz(legal)
        legal &= legal - U1
        place = min(IMAGE[64 * symmetry + other], IMAGE[64 * other_symmetry + other])
        data[at + other] = max(data[at + other], worth[codes[first + place]])


@inner
def unfold_swapped(codes, worth, view, planes, squares, king, legal, data, at):
    """The same where the sub-ending's White is our Black; only what is in some planes."""
    plane = codes.size // 64
    while legal:
        other = ctz(legal)
        legal &= legal - U1
        slot = folded_slot(view, squares, other, king)
        if planes == ALL or (planes >> np.uint64(slot // plane)) & U1:
            data[at + other] = max(data[at + other], worth[codes[slot]])


@inner
def in_some(view, squares, planes):
    """Whether the outermost man of a sub-ending, or one of its kind, stands on one of the squares."""
    for i in range(view.places.size):
        if (planes >> np.uint64(squares[view.places[i]])) & U1:
            return True
        if not view.alike >> i & 1:
            break
    return False


@kernel
def unfold(codes, worth, view, planes, ascending, side, data, kings, word_step, king_step, counter, squares):
    """Raises a bank to what its exit is worth through one sub-ending.

    Args:
        codes: Bytes, or codes, of the sub-ending with the side to move after the exit.
        worth: What an exit into a position of each is worth, of the type of ``data``.
        view: The bank's men.
        planes: Squares of the outermost man for which there are codes, in all symmetric copies.
        ascending: Whether the first two free men are alike and nobody asks for them in descending order.
        side: Side to move after the exit, in the parent's colours.
        data: Banks, of bytes or codes; 0 where an exit is illegal.
        kings: Where each square of the white king stands in the bank, -1 where nobody asks for it.
        word_step: Bytes from one placement of the men to the next.
        king_step: Bytes from one square of the white king to the next.
        counter: Shared task counter; a task is one row of placed men and one square of the first free man.
        squares: Room for the squares of the men.
    """
    men = view.pieces.size
    free = men - view.placed
    rows = view.squares.size // view.placed if view.placed else 1
    split = 64 if free else 1
    words = 64**free // split
    plane = codes.size // 64
    while True:
        task = next_task(counter)
        if task >= rows * split:
            break
        for i in range(view.placed):
            squares[i] = view.squares[task // split * view.placed + i]
        for word in range(words):
            rest = word
            for i in range(men - 1, view.placed, -1):
                squares[i] = rest & 63
                rest >>= 6
            if free:
                squares[view.placed] = task % 64
            # Within a rank both orders: where the pawns left are a mirror copy, a bank is read with files mirrored.
            if ascending and squares[view.placed] >> 3 > squares[view.placed + 1] >> 3:
                continue
            if planes != ALL and not in_some(view, squares, planes):
                continue
            for king in range(64):
                if kings[king] < 0:
                    continue
                at = (task * words + word) * word_step + kings[king] * king_step
                first = symmetry = other_symmetry = np.int64(0)
                in_place = view.pawns < 0 and not view.swapped
                if in_place:
                    first, symmetry, other_symmetry = word_of(view, squares, king)
                    if planes != ALL and not (planes >> np.uint64(first // plane)) & U1:
                        continue
                legal0, _, legal1, _ = survey(view.pieces, view.white, squares, king)
                legal = legal1 if side else legal0
                if not legal:
                    continue
                if in_place:
                    unfold_word(codes, worth, first, symmetry, other_symmetry, legal, data, at)
                elif view.pawns < 0:
                    unfold_swapped(codes, worth, view, planes, squares, king, legal, data, at)
                else:
                    unfold_pawned(codes, worth, view, squares, king, legal, data, at)


OWN = -1
"""In place of a bank number: the exit is a push, to a slice of the same ending."""

MOST_EXITS = 32
"""More exits than a slice of four men can have, each capture of a piece counted apart."""


class Pawns(NamedTuple):
    """The pawns of an ending, White's first.

    Attributes:
        white: 1 for each white pawn, int64.
        squares: Squares of all pawns, placement after placement, int64.
        numbers: ``2 * number + mirrored`` of a placement by its squares in base 64, any order within a colour, int32.
        where: For each placement, which of the slices that are held it is, int64.
    """

    white: np.ndarray
    squares: np.ndarray
    numbers: np.ndarray
    where: np.ndarray


class Banks(NamedTuple):
    """All banks end to end: data, first byte of each, placement numbers (as in Pawns) and the first of each bank."""

    data: np.ndarray
    starts: np.ndarray
    numbers: np.ndarray
    tables: np.ndarray


class Counted(NamedTuple):
    """What is counted: ``dtz`` 1 or 0, the codes of draws by side to move, and what exits are worth.

    ``worth`` holds three times 256 bytes, or 65536 codes: what a move into a slice solved before is worth, by what is
    held there with White and with Black to move, and what it is worth when the answer has a worth.
    """

    dtz: int
    draws: np.ndarray
    worth: np.ndarray


class Exit(NamedTuple):
    """One pawn move of a slice, or one pawn or piece that can be taken: where its value is.

    ``taken`` is the man that must stand on ``target`` (0, 1, 3 for q; -1 for none), ``past`` the square a double push
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
    """All men but the kings as arrays, in the order q, p0, p1, pawns: piece numbers, 1 for white, squares."""

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
    plane = men.size0 * men.size1 * 64
    rest = men.sizeq * plane
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
                base = (1 - side) * slots + pawns.where[number >> 1] * plane * 64
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
            for man in range(3):
                size = men.size0 if man == 0 else (men.size1 if man == 1 else men.sizeq)
                white_man = men.white0 if man == 0 else (men.white1 if man == 1 else men.whiteq)
                if size == 64 and white_man == side:
                    key = key_of(pawns, squares, pawn if last else -1, -1, pawn, to)
                    bank = (6 + man if last else man) if man < 2 else (9 if last else 8)
                    taken = man if man < 2 else 3
                    count = put_exit(
                        exits,
                        count,
                        bank_exit(banks, bank, side, pawn, to, taken, key, rest // 64, to & 7 if last else -1),
                    )
    return count


@inner
def address(there, q, q0, q1, king, mirrored):
    """Byte of a word in a bank or a slice, counted from its base; ``there``: whether q, p0 and p1 are."""
    hasq, has0, has1 = there
    turn = 7 * mirrored
    at = 0
    if hasq:
        at = q ^ turn
    if has0:
        at = at * 64 + (q0 ^ turn)
    if has1:
        at = at * 64 + (q1 ^ turn)
    return (at * 64 + (king ^ turn)) * 64


@inner
def captures(men, pawns, banks, squares, exits, count):
    """Lists the captures by pieces and kings: of p0, p1, q, and of each pawn (``taken`` 2). Returns the new length."""
    words = men.sizeq * men.size0 * men.size1 * 64
    key = key_of(pawns, squares, -1, -1, -1, 0)
    if men.piece0:
        count = put_exit(exits, count, bank_exit(banks, 0, men.white0, -1, 0, 0, key, words // 64, -1))
    if men.piece1:
        count = put_exit(exits, count, bank_exit(banks, 1, men.white1, -1, 0, 1, key, words // 64, -1))
    if men.pieceq:
        count = put_exit(exits, count, bank_exit(banks, 8, men.whiteq, -1, 0, 3, key, words // 64, -1))
    for i in range(pawns.white.size):
        white = pawns.white[i]
        key = key_of(pawns, squares, i, -1, -1, 0)
        count = put_exit(exits, count, bank_exit(banks, 2 + white, white, -1, squares[i], 2, key, words, -1))
    return count


@inner
def without_taken(men, taken):
    """Which of q, p0 and p1 are there when one of them, or a pawn, has been taken."""
    return (men.pieceq > 0) & (taken != 3), (men.piece0 > 0) & (taken != 0), (men.piece1 > 0) & (taken != 1)


@inner
def offer_take(men, to, data, legal_now, exit_, fixed, q, p0, p1, first, word):
    """Offers every capture of one man by a piece or king to the words of one row.

    ``first`` is the row's first word in ``legal_now``, ``word`` that in ``to``.
    """
    taken, mirrored = exit_.taken, exit_.mirrored
    target = exit_.target if taken == 2 else (q if taken == 3 else (p1 if taken else p0))
    there = without_taken(men, taken)
    others = fixed | bit(q, men.sizeq) | bit(p0, men.size0) | bit(p1, men.size1)
    for man in range(3):
        white = men.white0 if man == 0 else (men.white1 if man == 1 else men.whiteq)
        if not (there[1] if man == 0 else (there[2] if man == 1 else there[0])) or white == exit_.side:
            continue
        piece = men.piece0 if man == 0 else (men.piece1 if man == 1 else men.pieceq)
        source = p0 if man == 0 else (p1 if man == 1 else q)
        path = BETWEEN[64 * source + target]
        if path & others or not (REACH[64 * piece + source] >> np.uint64(target)) & U1:
            continue
        qq, q0, q1 = target if man == 2 else q, target if man == 0 else p0, target if man == 1 else p1
        for king in range(64):
            if legal_now[first + king] and not (path >> np.uint64(king)) & U1:
                at = exit_.base + address(there, qq, q0, q1, king, mirrored)
                bytes_raise_image(to, (word + king) * 64, data, at, mirrored, ~path)
    if exit_.side == 0:
        near = REACH[64 * 6 + target]
        at = exit_.base + address(there, q, p0, p1, target, mirrored)
        while near:
            king = ctz(near)
            near &= near - U1
            if legal_now[first + king]:
                bytes_raise_image(to, (word + king) * 64, data, at, mirrored, ALL)
    else:
        for king in range(64):
            if legal_now[first + king]:
                at = exit_.base + address(there, q, p0, p1, king, mirrored)
                value = data[at + (target ^ (7 * mirrored))]
                if value:
                    bytes_raise_to(to, (word + king) * 64, REACH[64 * 6 + target], value)


@inner
def offer_double_push(metric, pawns, banks, codes, stale, to, exit_, squares, at, tail, legal, word):
    """Offers a double push that may be answered by an en passant capture; ``tail`` is the word's place in a bank.

    The answer counts for the side to move then, or alone when there is no other move.
    """
    here = 7 * exit_.mirrored
    columns = metric.worth.size // 3
    while legal:
        king = ctz(legal)
        legal &= legal - U1
        slot = at + (king ^ here)
        value = np.int64(metric.worth[columns * (1 - exit_.side) + codes[slot]])
        answer = np.int64(0)
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
                answer = max(answer, np.int64(banks.data[place + (king ^ turn)]))
        if answer:
            forced = (stale[slot >> 6] >> np.uint64(slot & 63)) & U1
            answered = np.int64(metric.worth[2 * columns + answer])
            value = answered if forced else min(value, answered)
        at_ = word * 64 + king
        to[at_] = max(np.int64(to[at_]), value)


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
def offer_pawn_move(
    men, metric, pawns, banks, codes, stale, to, legal_now, exit_, men_now, squares, q, p0, p1, first, word,
):  # fmt: skip
    """Offers one pawn move to the words of one row, as :func:`offer_take` does."""
    target, past, taken = exit_.target, exit_.past, exit_.taken
    if (taken == 0 and p0 != target) or (taken == 1 and p1 != target) or (taken == 3 and q != target):
        return
    there = without_taken(men, taken)
    if exit_.bank != OWN:
        for king in range(64):
            if legal_now[first + king]:
                at = exit_.base + address(there, q, p0, p1, king, exit_.mirrored)
                bytes_raise_image(to, (word + king) * 64, banks.data, at, exit_.mirrored, ALL)
        return
    if past >= 0 and ((men.piece0 and p0 == past) or (men.piece1 and p1 == past) or (men.pieceq and q == past)):
        return
    q0, q1 = p0, p1
    if men.folded and (p0 ^ (7 * exit_.mirrored)) > (p1 ^ (7 * exit_.mirrored)):
        q0, q1 = p1, p0
    answered = faces_en_passant(pawns, exit_, squares)
    draw = metric.draws[1 - exit_.side]
    source = squares[exit_.pawn]
    men_now.squares[3 + exit_.pawn] = target
    in_plane = False, there[1], there[2]
    for king in range(64):
        if not legal_now[first + king] or king == past:
            continue
        legal0, _, legal1, _ = survey(men_now.pieces, men_now.white, men_now.squares, king)
        legal = legal0 if exit_.side else legal1
        if past >= 0:
            legal &= ~(U1 << np.uint64(past))
        at = exit_.base + address(in_plane, q, q0, q1, king, exit_.mirrored)
        if answered:
            tail = (men.size0 * men.size1 * 64, there, q, p0, p1, king)
            offer_double_push(metric, pawns, banks, codes, stale, to, exit_, squares, at, tail, legal, word + king)
        elif metric.dtz:
            bytes_raise_dtz(to, (word + king) * 64, codes, at, exit_.mirrored, legal, draw)
        else:
            bytes_raise_dtm(to, (word + king) * 64, codes, at, exit_.mirrored, legal, draw)
    men_now.squares[3 + exit_.pawn] = source


@inner
def capture(codes, bounds, at, occupied, piece, source, target, word):
    """Offers the exit "the man on source takes on target" to a word; ``at`` is its byte in bounds."""
    if (REACH[64 * piece + source] >> np.uint64(target)) & U1:
        path = BETWEEN[64 * source + target]
        if not path & occupied:
            bytes_raise(codes, word * 64, bounds, at, ~path)


@inner
def place(victim, king, q, q0, q1, q2, men):
    """First byte of a word in the bounds of one victim: all squares but the victim's (3: q is taken)."""
    at = NEAR_KING[king]
    if victim != 3 and men.pieceq:
        at = at * 64 + q
    if victim != 0 and men.piece0:
        at = at * 64 + q0
    if victim != 1 and men.piece1:
        at = at * 64 + q1
    if victim != 2:
        at = at * 64 + q2
    return at * 64


@inner
def offer_captures(men, codes, bounds, victim, side, king, q, p0, p1, p2, word):
    """Offers all captures of one man to one word of the side that takes."""
    occupied = bit(king, 64) | bit(q, men.sizeq) | bit(p0, men.size0) | bit(p1, men.size1) | bit(p2, 64)
    target = p0 if victim == 0 else (p1 if victim == 1 else (p2 if victim == 2 else q))
    if men.pieceq and victim != 3 and men.whiteq != side:
        at = place(victim, king, target, p0, p1, p2, men)
        capture(codes, bounds, at, occupied, men.pieceq, q, target, word)
    if men.piece0 and victim != 0 and men.white0 != side:
        at = place(victim, king, q, target, p1, p2, men)
        capture(codes, bounds, at, occupied, men.piece0, p0, target, word)
    if men.piece1 and victim != 1 and men.white1 != side:
        at = place(victim, king, q, p0, target, p2, men)
        capture(codes, bounds, at, occupied, men.piece1, p1, target, word)
    if victim != 2 and men.white2 != side:
        at = place(victim, king, q, p0, p1, target, men)
        capture(codes, bounds, at, occupied, men.piece2, p2, target, word)
    if side == 0:
        at = place(victim, target, q, p0, p1, p2, men)
        capture(codes, bounds, at, occupied, 6, king, target, word)
    else:
        promise = bounds[place(victim, king, q, p0, p1, p2, men) + target]
        if promise:
            bytes_raise_to(codes, word * 64, REACH[64 * 6 + target], promise)


@kernel
def prepare(men, state, codes, bounds, checks, first, end, counter):
    """Fills U and R with the legal positions, D with the exits, ``due`` and the positions in check.

    Args:
        men: The men.
        state: The sets.
        codes: D, uint8; of the planes of these tasks only.
        bounds: What captures are worth, of p0, p1, the last man and q; empty where nobody is taken.
        checks: Where the positions in check go.
        first: First task of a side, of a whole plane.
        end: The task after the last.
        counter: Shared task counter.
    """
    per_side = state.undecided.size // 2
    own_side = codes.size // 128
    tasks = checks.rows.size // 2
    start = first // (10 * men.size0) * (men.size0 * men.size1 * 640)
    while True:
        task = first + next_task(counter)
        if task >= end:
            break
        block, q, p0 = place_of(men, task)
        if men.sameq0 and q >= p0:
            continue
        king = KING[block]
        for p1 in range(men.size1):
            if men.folded and p1 <= p0:
                continue
            row = row_of(men, block, q, p0, p1)
            for p2 in range(64):
                legal0, check0, legal1, check1 = legal_words(men, king, q, p0, p1, p2)
                if not legal0 | legal1:
                    continue
                for side in range(2):
                    legal = legal0 if side == 0 else legal1
                    check = check0 if side == 0 else check1
                    word = side * per_side + row * 64 + p2
                    state.undecided[word] = legal
                    state.not_won[word] = legal
                    checks.words[word] = check
                    if check:
                        checks.rows[side * tasks + task] |= U1 << np.uint64(p1)
                    word = side * own_side + row * 64 + p2 - start
                    if bounds[0].size and men.white0 == side:
                        offer_captures(men, codes, bounds[0], 0, side, king, q, p0, p1, p2, word)
                    if bounds[1].size and men.white1 == side:
                        offer_captures(men, codes, bounds[1], 1, side, king, q, p0, p1, p2, word)
                    if bounds[2].size and men.white2 == side:
                        offer_captures(men, codes, bounds[2], 2, side, king, q, p0, p1, p2, word)
                    if bounds[3].size and men.whiteq == side:
                        offer_captures(men, codes, bounds[3], 3, side, king, q, p0, p1, p2, word)
                    exits = legal & bytes_above(codes, word * 64, 0)
                    exits &= ~bytes_equal(codes, word * 64, DRAW)
                    while exits:
                        code = codes[word * 64 + ctz(exits)]
                        exits &= ~bytes_equal(codes, word * 64, code)
                        state.due[(side * tasks + task) * 256 + code] |= U1 << np.uint64(p1)

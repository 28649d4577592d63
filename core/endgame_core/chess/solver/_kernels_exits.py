"""Exits: the values of captures, promotions and pawn moves to the side that makes them.

An *exit* is a move that leaves the positions that are solved together: the ending, or with pawns the slice. Its value
is known before the first pass, from a finished sub-ending or slice. To an undecided position its best exit is a lower
bound of its value.

**Unfolding.** A sub-ending is stored folded: by symmetry, with the stronger side as White, like pieces sorted. To look
up a capture in that form takes a canonical slot for each position. So sub-endings are *unfolded* first, once, into
plain arrays over the squares of all pieces after the exit, in the colours of the ending that is solved. A byte there is
the value of the exit to its maker, 0 where the move would be illegal. The black king's square is the last axis, so that
offering a capture to the 64 positions of a word is one masked maximum of 64 bytes. Where bytes do not hold all exits
(an ending with pawns, by DTM), D and the banks have codes of 16 bits.

Example: in KQvKR, White to move may take the rook. All such captures lead to KQvK with Black to move. They are looked
up in an array ``[white king][queen][black king]`` of positions after the capture: after Qxr on e5 the queen stands on
e5, after Kxr the white king does. One array serves all captures of the rook, whichever piece takes.

**Bounds and banks.** Without pawns there is such an array, the *bounds*, for each piece that can be taken, indexed
``[white king][other pieces …][black king]``. With pawns there are *banks*, one for each kind of exit into a sub-ending,
indexed ``[placed pieces][free pieces …][white king][black king]``:

=====  ==================================================================
bank   exit
=====  ==================================================================
0, 1   the piece p0 or p1 is taken
2, 3   a black or white pawn is taken
4, 5   a black or white pawn promotes
6, 7   a pawn promotes and takes p0 or p1
8      q is taken
9      a pawn promotes and takes q
=====  ==================================================================

Pawns and a piece that has just promoted are *placed*: they stand on few squares, and a bank has a row for each of their
placements. The other pieces are *free*: all 64 squares have room. Of a promotion the best of queen, rook, bishop and
knight is stored, as all four are unfolded into the same bank.
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
    KING_PIECE,
    KING_REACH,
    P0,
    P1,
    P2,
    REACH,
    U1,
    Q,
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

TAKE_P0, TAKE_P1 = 0, 1
TAKE_PAWN = 2
"""Add 1 for a white pawn."""
PROMOTE = 4
"""Add 1 for a white pawn."""
PROMOTE_TAKING_P0, PROMOTE_TAKING_P1 = 6, 7
TAKE_Q, PROMOTE_TAKING_Q = 8, 9
BANKS = 10
"""Number of banks; the table above lists them."""

PAWN = P2
"""In place of a dimension: a pawn is taken. In a slice the last dimension is the white king's, who never is."""

NEAR_KING = np.full(64, -1, np.int64)
"""Numbers the squares of the triangle, and those beside it: White's king stands there after a capture.

Bounds have room for these 22 squares of the white king only; other squares are -1.
"""
_near = sorted({int(s) for s in range(64) if any(s == k or KING_REACH[k] >> np.uint64(s) & U1 for k in KING)})
NEAR_KING[_near] = np.arange(len(_near))


class BankView(NamedTuple):
    """The pieces of a bank, and how they are numbered in their sub-ending. Placed pieces come first, then free ones.

    Attributes:
        pieces: Type of each piece, int64.
        white: 1 for each white piece, int64.
        squares: Squares of the placed pieces, row after row, int64.
        placed: Number of placed pieces.
        places: For each piece of the sub-ending's index its number in ``pieces``, int64.
        pawns: Number of pawns of the sub-ending; -1 where it has none and its index is folded to the triangle.
        numbers: Its placement numbers, as in :class:`Pawns`.
        swapped: 1 where its White is our Black.
        alike: Bit i is set where its free pieces i and i + 1 are identical.
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
    """Finds legal black king squares as :func:`legal_words` does, for pieces that are given as arrays.

    Args:
        pieces: Types, 0 where a place is empty.
        white: 1 for each white piece.
        squares: Their squares.
        king: Square of the white king.

    Returns:
        Four words: legal with White to move, of these in check; legal with Black to move, of these in check.
    """
    none = np.uint64(0)
    occupied = U1 << np.uint64(king)
    for i in range(pieces.size):
        if pieces[i]:
            square = U1 << np.uint64(squares[i])
            if occupied & square:
                return none, none, none, none
            occupied |= square
    attacked = none
    shield = ALL
    for i in range(pieces.size):
        if pieces[i]:
            attacked, shield = see_man(pieces[i], white[i], squares[i], king, occupied, attacked, shield)
    free = ~(occupied | KING_REACH[king])
    return free & ~attacked, free & ~attacked & ~shield, free & shield, free & shield & attacked


@inner
def placement(view, squares):
    """Finds the pawn placement of a sub-ending.

    Returns:
        Its number, the symmetry that brings the pieces there (1 mirrors files, 2 ranks), and whether it is its own
        mirror copy.
    """
    key = image = 0
    for i in range(view.pawns):
        square = squares[view.places[i]] ^ (56 if view.swapped else 0)
        key = key * 64 + square
        image = image * 64 + (square ^ 7)
    number = np.int64(view.numbers[key])
    # A placement that mirrors itself has the same number unmirrored both ways; of two different copies one is marked as
    # mirrored.
    own_copy = (number & 1 == 0) & (view.numbers[image] & 1 == 0)
    return number >> 1, (number & 1) | (2 if view.swapped else 0), own_copy


@inner
def free_men(view, squares, symmetry):
    """Squares of the sub-ending's pieces after a symmetry, identical ones sorted; 0 for those that are not there."""
    first = max(0, view.pawns)
    count = view.places.size - first
    q0 = IMAGE[64 * symmetry + squares[view.places[first]]] if count > 0 else 0
    q1 = IMAGE[64 * symmetry + squares[view.places[first + 1]]] if count > 1 else 0
    q2 = IMAGE[64 * symmetry + squares[view.places[first + 2]]] if count > 2 else 0
    q3 = IMAGE[64 * symmetry + squares[view.places[first + 3]]] if count > 3 else 0
    # Bubble sort of at most four numbers, between identical neighbours only.
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
    """First slot of a word of a sub-ending without pawns; the symmetry brings its white king into the triangle."""
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
    """Finds a word of a sub-ending without pawns whose white king is ours.

    Returns:
        Its first slot, the symmetry that leads there, and the other symmetry that does (the same where there is none).
        Of the two slots of a black king square the smaller is canonical.
    """
    symmetry = HOME[king]
    first = folded_base(view, squares, king, symmetry)
    # A white king off the long diagonal leaves no choice. On it, both the position and its transposed copy are in the
    # triangle: the smaller word wins. Where both are the same word, the black king's square decides.
    if IMAGE[64 * symmetry + king] % 9:
        return first, symmetry, symmetry
    twin = folded_base(view, squares, king, symmetry ^ 4)
    if twin < first:
        return twin, symmetry ^ 4, symmetry ^ 4
    return first, symmetry, symmetry ^ 4 if twin == first else symmetry


@inner
def folded_slot(view, squares, king, other):
    """Finds the canonical slot of a position of a sub-ending without pawns."""
    first, symmetry, other_symmetry = word_of(view, squares, king)
    return first + min(IMAGE[64 * symmetry + other], IMAGE[64 * other_symmetry + other])


@inner
def pawned_base(view, number, squares, symmetry):
    """Slot of a sub-ending with pawns (or of bare kings) with both kings on a1, divided by 64."""
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
    """Finds the canonical slot of a position of a sub-ending with pawns, or of two bare kings."""
    if own_copy and IMAGE[64 * symmetry + king] & 4:
        symmetry ^= 1
    base = pawned_base(view, number, squares, symmetry)
    return (base + IMAGE[64 * symmetry + king]) * 64 + IMAGE[64 * symmetry + other]


@inner
def unfold_pawned(codes, exit_values, view, squares, king, legal, data, at):
    """Raises one word of a bank by a sub-ending with pawns, or two bare kings; ``at`` is its first element."""
    number, symmetry, own_copy = placement(view, squares)
    base = mirrored = pawned_base(view, number, squares, symmetry)
    if own_copy:
        mirrored = pawned_base(view, number, squares, symmetry ^ 1)
    while legal:
        other = ctz(legal)
        legal &= legal - U1
        white, black = (other, king) if view.swapped else (king, other)
        first, king_symmetry = base, symmetry
        if own_copy and IMAGE[64 * symmetry + white] & 4:
            first, king_symmetry = mirrored, symmetry ^ 1
        # A bank takes the best of several promotions: a value is raised, never lowered.
        value = exit_values[codes[(first + IMAGE[64 * king_symmetry + white]) * 64 + IMAGE[64 * king_symmetry + black]]]
        data[at + other] = max(data[at + other], value)


@inner
def unfold_word(codes, exit_values, first, symmetry, other_symmetry, legal, data, at):
    """Raises one word of a bank; ``at`` is its first element, the others are what :func:`word_of` returns."""
    while legal:
        other = ctz(legal)
        legal &= legal - U1
        place = min(IMAGE[64 * symmetry + other], IMAGE[64 * other_symmetry + other])
        data[at + other] = max(data[at + other], exit_values[codes[first + place]])


@inner
def unfold_swapped(codes, exit_values, view, planes, squares, king, legal, data, at):
    """Raises one word of a bank by a sub-ending whose White is our Black, from the slots of some planes only."""
    plane = codes.size // 64
    # Here our black king is the sub-ending's white king, which decides the symmetry: every bit has a word of its own.
    while legal:
        other = ctz(legal)
        legal &= legal - U1
        slot = folded_slot(view, squares, other, king)
        if planes == ALL or (planes >> np.uint64(slot // plane)) & U1:
            data[at + other] = max(data[at + other], exit_values[codes[slot]])


@inner
def in_some(view, squares, planes):
    """Whether the outermost piece of a sub-ending, or one identical to it, stands on one of the squares ``planes``."""
    for i in range(view.places.size):
        if (planes >> np.uint64(squares[view.places[i]])) & U1:
            return True
        if not view.alike >> i & 1:
            break
    return False


@kernel
def unfold(codes, exit_values, view, planes, ascending, side, data, kings, word_step, king_step, counter, squares):
    """Raises a bank to the values of its exit through one sub-ending.

    Args:
        codes: Bytes, or codes, of the sub-ending with the side to move after the exit.
        exit_values: The value of an exit into a position with each of them, of the type of ``data``.
        view: The bank's pieces.
        planes: Squares of the outermost piece for which there are codes, in all symmetric copies.
        ascending: Whether the first two free pieces are identical and never looked up in descending order.
        side: Side to move after the exit, in the parent's colours.
        data: The bank, bytes or codes; 0 where an exit is illegal.
        kings: Number of each square of the white king in the bank, -1 where it is not needed.
        word_step: Elements from one placement of the pieces to the next.
        king_step: Elements from one square of the white king to the next.
        counter: Shared task counter; a task is one row of placed pieces and one square of the first free piece.
        squares: Room for the squares of the pieces.
    """
    men = view.pieces.size
    free = men - view.placed
    rows = view.squares.size // view.placed if view.placed else 1
    split = 64 if free else 1
    words = 64**free // split
    plane = codes.size // 64
    while True:
        # A task is a placed row and a square of the first free piece; a word is the squares of the other free pieces,
        # in base 64.
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
            # Within a rank both orders: where the remaining pawns are a mirror copy, the bank is read mirrored.
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
                # Where our white king is also theirs, the word that it leads to is found once for all 64 black king
                # squares, and before legality is tested: most words of a large sub-ending are not in the planes at
                # hand.
                if in_place:
                    first, symmetry, other_symmetry = word_of(view, squares, king)
                    if planes != ALL and not (planes >> np.uint64(first // plane)) & U1:
                        continue
                legal0, _, legal1, _ = survey(view.pieces, view.white, squares, king)
                legal = legal1 if side else legal0
                if not legal:
                    continue
                if in_place:
                    unfold_word(codes, exit_values, first, symmetry, other_symmetry, legal, data, at)
                elif view.pawns < 0:
                    unfold_swapped(codes, exit_values, view, planes, squares, king, legal, data, at)
                else:
                    unfold_pawned(codes, exit_values, view, squares, king, legal, data, at)


OWN = -1
"""In place of the number of a bank: the exit is a pawn push, into another slice of the same ending."""

MOST_EXITS = 32
"""More exits than a slice with four pieces and pawns can have, each capture of a piece counted separately."""


class Pawns(NamedTuple):
    """The pawns of an ending, White's first, and the numbers of their placements.

    Attributes:
        white: 1 for each white pawn, int64.
        squares: Squares of all pawns, placement after placement, int64.
        numbers: ``2 * number + mirrored`` of a placement, by its squares in base 64 in any order within a colour,
            int32.
        where: For each placement the number of its slice among those in memory (the *memory index*), -1 where it is
            not in memory, int64.
    """

    white: np.ndarray
    squares: np.ndarray
    numbers: np.ndarray
    where: np.ndarray


class Banks(NamedTuple):
    """All banks end to end.

    Attributes:
        data: Bytes or codes.
        starts: The first element of each bank, int64.
        numbers: Placement numbers of all banks, as in :class:`Pawns`, int32.
        tables: Where the numbers of each bank begin, int64.
    """

    data: np.ndarray
    starts: np.ndarray
    numbers: np.ndarray
    tables: np.ndarray


class MetricValues(NamedTuple):
    """The values of moves by the metric.

    Attributes:
        dtz: 1 by DTZ, 0 by DTM.
        draws: The bytes, or codes, of a draw by side to move.
        exit_values: Three times 256 bytes, or 65536 codes. The first two thirds are the value of a move into a position
            of another slice, by the byte or code there, with White and with Black to move there. The last is the value
            of a double push that is answered by an en passant capture, by the value of that capture.
    """

    dtz: int
    draws: np.ndarray
    exit_values: np.ndarray


class Exit(NamedTuple):
    """One pawn move of a slice, or the capture of one pawn or piece: where its values are.

    Attributes:
        bank: The bank, or ``OWN`` for a pawn push.
        side: Side that makes the exit, 0 for White.
        pawn: Number of the pawn that moves, -1 where a piece or king takes.
        target: The square where it goes.
        victim: What has to stand on ``target``: ``P0``, ``P1``, ``Q`` or ``PAWN``, -1 for nothing.
        ep_square: The square that a double push passes, -1 for other moves.
        base: First element of the values, before the squares of the free pieces are added.
        mirrored: 1 where the values are those of the position with files mirrored.
    """

    bank: int
    side: int
    pawn: int
    target: int
    victim: int
    ep_square: int
    base: int
    mirrored: int


class MenNow(NamedTuple):
    """All pieces and pawns of a slice but the kings, as arrays in the order q, p0, p1, pawns.

    Attributes:
        pieces: Types, int64.
        white: 1 for each white one, int64.
        squares: Squares, int64.
    """

    pieces: np.ndarray
    white: np.ndarray
    squares: np.ndarray


@inner
def put_exit(exits, count, exit_):
    """Appends an exit to the list; returns its new length."""
    for i in range(8):
        exits[8 * count + i] = exit_[i]
    return count + 1


@inner
def get_exit(exits, i):
    """Reads an exit of the list."""
    at = 8 * i
    return Exit(
        exits[at], exits[at + 1], exits[at + 2], exits[at + 3],
        exits[at + 4], exits[at + 5], exits[at + 6], exits[at + 7],
    )  # fmt: skip


@inner
def key_of(pawns, squares, omitted, omitted_too, moved, target):
    """Squares of the pawns in base 64, without two of them (-1 for none), and with pawn ``moved`` on ``target``."""
    key = 0
    for i in range(pawns.white.size):
        if i != omitted and i != omitted_too:
            key = key * 64 + (target if i == moved else squares[i])
    return key


@inner
def bank_exit(banks, bank, side, pawn, target, victim, key, words, file):
    """Makes an exit into a bank.

    Args:
        banks: The banks.
        bank: The number of the bank.
        side: Side that makes the exit.
        pawn: Pawn that moves, -1 for none.
        target: The square where it goes.
        victim: What is taken, as in :class:`Exit`.
        key: The pawns that remain, as :func:`key_of` returns them.
        words: Words of the bank for each placement.
        file: File of a piece that has promoted, -1 for none.
    """
    # The placement after the exit may be numbered by its mirror copy; everything is then looked up with files mirrored.
    number = banks.numbers[banks.tables[bank] + key]
    base = np.int64(number >> 1)
    mirrored = np.int64(number & 1)
    if file >= 0:
        base = base * 8 + (file ^ (7 * mirrored))
    return Exit(bank, side, pawn, target, victim, -1, banks.starts[bank] + base * words * 64, mirrored)


@inner
def pawn_moves(men, pawns, banks, slots, squares, exits):
    """Lists the exits by pawn moves of a slice: pushes, promotions and captures.

    Args:
        men: The pieces.
        pawns: All placements.
        banks: The banks.
        slots: Slots of all slices in memory, with one side to move.
        squares: Squares of the slice's pawns.
        exits: Room for the list.

    Returns:
        The number of exits. Those that take a piece need it on their target.
    """
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
        # A push to the last rank. If a piece stands there the bank has 0: two pieces on one square are not legal.
        if last:
            key = key_of(pawns, squares, pawn, -1, -1, 0)
            count = put_exit(
                exits, count, bank_exit(banks, PROMOTE + white, side, pawn, target, -1, key, rest, target & 7)
            )
        # A push, and from the home rank a double push. Pieces in the way are tested when the exit is offered.
        elif not blocked:
            for steps in range(1, 3):
                to = square + steps * step
                for i in range(pawns.white.size):
                    blocked |= squares[i] == to
                if blocked or (steps == 2 and square >> 3 != (1 if white else 6)):
                    break
                number = pawns.numbers[key_of(pawns, squares, -1, -1, pawn, to)]
                base = (1 - side) * slots + pawns.where[number >> 1] * plane * 64
                ep_square = target if steps == 2 else -1
                count = put_exit(exits, count, Exit(OWN, side, pawn, to, -1, ep_square, base, np.int64(number & 1)))
        # Captures of other pawns, then of each piece, which may stand anywhere: whether it stands there is tested
        # later.
        for aside in range(-1, 2, 2):
            if not 0 <= (square & 7) + aside < 8:
                continue
            to = target + aside
            for other in range(pawns.white.size):
                if squares[other] == to and pawns.white[other] != white:
                    key = key_of(pawns, squares, other, -1, pawn, to)
                    count = put_exit(
                        exits, count, bank_exit(banks, TAKE_PAWN + 1 - white, side, pawn, to, -1, key, rest, -1)
                    )
            for man in range(3):
                if man == P0:
                    size, white_man, victim, bank = men.size0, men.white0, P0, PROMOTE_TAKING_P0 if last else TAKE_P0
                elif man == P1:
                    size, white_man, victim, bank = men.size1, men.white1, P1, PROMOTE_TAKING_P1 if last else TAKE_P1
                else:
                    size, white_man, victim, bank = men.sizeq, men.whiteq, Q, PROMOTE_TAKING_Q if last else TAKE_Q
                if size == 64 and white_man == side:
                    key = key_of(pawns, squares, pawn if last else -1, -1, pawn, to)
                    file = to & 7 if last else -1
                    exit_ = bank_exit(banks, bank, side, pawn, to, victim, key, rest // 64, file)
                    count = put_exit(exits, count, exit_)
    return count


@inner
def address(present, q, q0, q1, king, mirrored):
    """Place of a word in a bank or a slice, counted from the base of an exit.

    Args:
        present: Whether q, p0 and p1 are there after the exit.
        q: Square of q.
        q0: Square of p0.
        q1: Square of p1.
        king: Square of the white king.
        mirrored: 1 where the values are those of the position with files mirrored.
    """
    hasq, has0, has1 = present
    flip = 7 * mirrored
    # Squares in base 64: those of q, p0, p1 and the white king, and 64 elements for the black king.
    at = 0
    if hasq:
        at = q ^ flip
    if has0:
        at = at * 64 + (q0 ^ flip)
    if has1:
        at = at * 64 + (q1 ^ flip)
    return (at * 64 + (king ^ flip)) * 64


@inner
def captures(men, pawns, banks, squares, exits, count):
    """Lists the exits by pieces and kings: captures of p0, p1, q, and of each pawn.

    Arguments are those of :func:`pawn_moves`; ``count`` is the length of the list so far, and its new length is
    returned.
    """
    words = men.sizeq * men.size0 * men.size1 * 64
    key = key_of(pawns, squares, -1, -1, -1, 0)
    if men.piece0:
        count = put_exit(exits, count, bank_exit(banks, TAKE_P0, men.white0, -1, 0, P0, key, words // 64, -1))
    if men.piece1:
        count = put_exit(exits, count, bank_exit(banks, TAKE_P1, men.white1, -1, 0, P1, key, words // 64, -1))
    if men.pieceq:
        count = put_exit(exits, count, bank_exit(banks, TAKE_Q, men.whiteq, -1, 0, Q, key, words // 64, -1))
    for i in range(pawns.white.size):
        white = pawns.white[i]
        key = key_of(pawns, squares, i, -1, -1, 0)
        count = put_exit(exits, count, bank_exit(banks, TAKE_PAWN + white, white, -1, squares[i], PAWN, key, words, -1))
    return count


@inner
def without_taken(men, victim):
    """Which of q, p0 and p1 are there after a capture of ``victim``; see :class:`Exit`."""
    return (men.pieceq > 0) & (victim != Q), (men.piece0 > 0) & (victim != P0), (men.piece1 > 0) & (victim != P1)


@inner
def offer_take(men, to, data, legal_now, exit_, fixed, q, p0, p1, first, word):
    """Offers the captures of one piece or pawn, by pieces and kings, to the words of one row.

    Args:
        men: The pieces.
        to: D, of which the words are raised.
        data: The banks.
        legal_now: The legal positions.
        exit_: The exit.
        fixed: Squares of the pawns.
        q: Square of q.
        p0: Square of p0.
        p1: Square of p1.
        first: The first word of the row in ``legal_now``.
        word: The first word of the row in ``to``.
    """
    victim = exit_.victim
    mirrored = exit_.mirrored
    if victim == P0:
        target = p0
    elif victim == P1:
        target = p1
    elif victim == Q:
        target = q
    else:
        target = exit_.target
    present = without_taken(men, victim)
    others = fixed | bit(q, men.sizeq) | bit(p0, men.size0) | bit(p1, men.size1)
    for man in range(3):
        if man == P0:
            piece, white, source, is_present = men.piece0, men.white0, p0, present[1]
        elif man == P1:
            piece, white, source, is_present = men.piece1, men.white1, p1, present[2]
        else:
            piece, white, source, is_present = men.pieceq, men.whiteq, q, present[0]
        if not is_present or white == exit_.side:
            continue
        path = BETWEEN[64 * source + target]
        if path & others or not (REACH[64 * piece + source] >> np.uint64(target)) & U1:
            continue
        q_after, p0_after, p1_after = q, p0, p1
        if man == P0:
            p0_after = target
        elif man == P1:
            p1_after = target
        else:
            q_after = target
        for king in range(64):
            if legal_now[first + king] and not (path >> np.uint64(king)) & U1:
                at = exit_.base + address(present, q_after, p0_after, p1_after, king, mirrored)
                bytes_raise_image(to, (word + king) * 64, data, at, mirrored, ~path)
    # Then the king that takes. White's king is an axis of the bank: after the capture it stands on the target, for each
    # square that it may come from. Black's king is the bit: the value for it on the target is offered to all squares
    # beside it.
    if exit_.side == 0:
        near = KING_REACH[target]
        at = exit_.base + address(present, q, p0, p1, target, mirrored)
        while near:
            king = ctz(near)
            near &= near - U1
            if legal_now[first + king]:
                bytes_raise_image(to, (word + king) * 64, data, at, mirrored, ALL)
    else:
        for king in range(64):
            if legal_now[first + king]:
                at = exit_.base + address(present, q, p0, p1, king, mirrored)
                value = data[at + (target ^ (7 * mirrored))]
                if value:
                    bytes_raise_to(to, (word + king) * 64, KING_REACH[target], value)


@inner
def offer_double_push(metric, pawns, banks, codes, no_move_bits, to, exit_, squares, at, bank_word, legal, word):
    """Offers a double push that an en passant capture may answer.

    The other side then chooses the better of the position's value and the capture's; where it has no other move (it
    would be stalemate but for the capture) it has to capture.

    Args:
        metric: What the metric makes of moves.
        pawns: All placements.
        banks: The banks.
        codes: Bytes, or codes, of the slices in memory.
        no_move_bits: Bits of the positions of these slices that have no move but for a capture en passant.
        to: D, which is raised.
        exit_: The exit.
        squares: Squares of the slice's pawns.
        at: First slot of the word that the push leads to.
        bank_word: Words of a bank for each placement of pawns; which pieces are there, their squares and the white
            king's.
        legal: Black king squares, as bits.
        word: The word of ``to``.
    """
    words, present, q, p0, p1, white_king = bank_word
    flip = 7 * exit_.mirrored
    columns = metric.exit_values.size // 3
    while legal:
        king = ctz(legal)
        legal &= legal - U1
        slot = at + (king ^ flip)
        value = np.int64(metric.exit_values[columns * (1 - exit_.side) + codes[slot]])
        reply = np.int64(0)
        for i in range(pawns.white.size):
            if (
                pawns.white[i] != pawns.white[exit_.pawn]
                and squares[i] >> 3 == exit_.target >> 3
                and abs(squares[i] - exit_.target) == 1
            ):
                bank = TAKE_PAWN + pawns.white[exit_.pawn]
                key = key_of(pawns, squares, exit_.pawn, -1, i, exit_.ep_square)
                number = banks.numbers[banks.tables[bank] + key]
                reply_flip = 7 * np.int64(number & 1)
                base = banks.starts[bank] + np.int64(number >> 1) * words * 64
                place = base + address(present, q, p0, p1, white_king, np.int64(number & 1))
                reply = max(reply, np.int64(banks.data[place + (king ^ reply_flip)]))
        # A reply of 0 is no capture, or an illegal one. The value of the push to its maker is the worse of both, for
        # the other side has the choice.
        if reply:
            forced = (no_move_bits[slot >> 6] >> np.uint64(slot & 63)) & U1
            reply_value = np.int64(metric.exit_values[2 * columns + reply])
            value = reply_value if forced else min(value, reply_value)
        element = word * 64 + king
        to[element] = max(np.int64(to[element]), value)


@inner
def faces_en_passant(pawns, exit_, squares):
    """Whether a double push lands beside an enemy pawn."""
    if exit_.ep_square < 0:
        return False
    for i in range(pawns.white.size):
        aside = abs(squares[i] - exit_.target) == 1 and squares[i] >> 3 == exit_.target >> 3
        if aside and pawns.white[i] != pawns.white[exit_.pawn]:
            return True
    return False


@inner
def offer_pawn_move(
    men, metric, pawns, banks, codes, no_move_bits, to, legal_now, exit_, men_now, squares, q, p0, p1, first, word,
):  # fmt: skip
    """Offers one pawn move to the words of one row.

    The arguments are those of :func:`offer_take` and :func:`offer_double_push`. ``men_now`` has the pieces of the row;
    the pawn that moves is put on its target meanwhile.
    """
    target = exit_.target
    ep = exit_.ep_square
    victim = exit_.victim
    # A capture of a piece is an exit of the rows only in which it stands on the target.
    if (victim == P0 and p0 != target) or (victim == P1 and p1 != target) or (victim == Q and q != target):
        return
    present = without_taken(men, victim)
    # Into a bank: illegal moves are 0 there, so that all 64 elements may be offered.
    if exit_.bank != OWN:
        for king in range(64):
            if legal_now[first + king]:
                at = exit_.base + address(present, q, p0, p1, king, exit_.mirrored)
                bytes_raise_image(to, (word + king) * 64, banks.data, at, exit_.mirrored, ALL)
        return
    if ep >= 0 and ((men.piece0 and p0 == ep) or (men.piece1 and p1 == ep) or (men.pieceq and q == ep)):
        return
    p0_after, p1_after = p0, p1
    if men.folded and (p0 ^ (7 * exit_.mirrored)) > (p1 ^ (7 * exit_.mirrored)):
        p0_after, p1_after = p1, p0
    # A push: another slice stores values of legal positions only, and anything elsewhere, so legality after the move is
    # worked out here, word by word.
    is_answered = faces_en_passant(pawns, exit_, squares)
    draw = metric.draws[1 - exit_.side]
    source = squares[exit_.pawn]
    men_now.squares[3 + exit_.pawn] = target
    in_plane = False, present[1], present[2]
    for king in range(64):
        if not legal_now[first + king] or king == ep:
            continue
        legal0, _, legal1, _ = survey(men_now.pieces, men_now.white, men_now.squares, king)
        legal = legal0 if exit_.side else legal1
        if ep >= 0:
            legal &= ~(U1 << np.uint64(ep))
        at = exit_.base + address(in_plane, q, p0_after, p1_after, king, exit_.mirrored)
        if is_answered:
            bank_word = (men.size0 * men.size1 * 64, present, q, p0, p1, king)
            offer_double_push(
                metric, pawns, banks, codes, no_move_bits, to, exit_, squares, at, bank_word, legal, word + king
            )
        elif metric.dtz:
            bytes_raise_dtz(to, (word + king) * 64, codes, at, exit_.mirrored, legal, draw)
        else:
            bytes_raise_dtm(to, (word + king) * 64, codes, at, exit_.mirrored, legal, draw)
    men_now.squares[3 + exit_.pawn] = source


@inner
def capture(codes, bounds, at, occupied, piece, source, target, word):
    """Offers the exit "the piece on source takes on target" to a word; ``at`` is its first byte in ``bounds``."""
    # The path is tested against the pieces of the word; the black king on it excludes single bits.
    if (REACH[64 * piece + source] >> np.uint64(target)) & U1:
        path = BETWEEN[64 * source + target]
        if not path & occupied:
            bytes_raise(codes, word * 64, bounds, at, ~path)


@inner
def place(victim, king, q, p0, p1, p2, men):
    """First byte of a word in the bounds of one victim, which are by the squares of all other pieces.

    Args:
        victim: ``P0``, ``P1``, ``P2`` or ``Q``.
        king: Square of the white king after the capture.
        q: Square of q after the capture, as are ``p0``, ``p1`` and ``p2``; that of the victim is not used.
        p0: Square of p0.
        p1: Square of p1.
        p2: Square of the last piece.
        men: The pieces.
    """
    at = NEAR_KING[king]
    if victim != Q and men.pieceq:
        at = at * 64 + q
    if victim != P0 and men.piece0:
        at = at * 64 + p0
    if victim != P1 and men.piece1:
        at = at * 64 + p1
    if victim != P2:
        at = at * 64 + p2
    return at * 64


@inner
def offer_captures(men, codes, bounds, victim, side, king, q, p0, p1, p2, word):
    """Offers all captures of one piece to one word of the side that takes.

    Args:
        men: The pieces.
        codes: D, which is raised.
        bounds: The bounds of the victim.
        victim: ``P0``, ``P1``, ``P2`` or ``Q``.
        side: Side to move, which takes.
        king: Square of the white king.
        q: Square of q.
        p0: Square of p0.
        p1: Square of p1.
        p2: Square of the last piece.
        word: The word in D.
    """
    occupied = bit(king, 64) | bit(q, men.sizeq) | bit(p0, men.size0) | bit(p1, men.size1) | bit(p2, 64)
    if victim == P0:
        target = p0
    elif victim == P1:
        target = p1
    elif victim == P2:
        target = p2
    else:
        target = q
    if men.pieceq and victim != Q and men.whiteq != side:
        at = place(victim, king, target, p0, p1, p2, men)
        capture(codes, bounds, at, occupied, men.pieceq, q, target, word)
    if men.piece0 and victim != P0 and men.white0 != side:
        at = place(victim, king, q, target, p1, p2, men)
        capture(codes, bounds, at, occupied, men.piece0, p0, target, word)
    if men.piece1 and victim != P1 and men.white1 != side:
        at = place(victim, king, q, p0, target, p2, men)
        capture(codes, bounds, at, occupied, men.piece1, p1, target, word)
    if victim != P2 and men.white2 != side:
        at = place(victim, king, q, p0, p1, target, men)
        capture(codes, bounds, at, occupied, men.piece2, p2, target, word)
    # Kings: White's is an axis of the bounds, and stands on the target afterwards. Black's is the bit: one byte, the
    # value for it on the target, is offered to all squares beside the target.
    if side == 0:
        at = place(victim, target, q, p0, p1, p2, men)
        capture(codes, bounds, at, occupied, KING_PIECE, king, target, word)
    else:
        promise = bounds[place(victim, king, q, p0, p1, p2, men) + target]
        if promise:
            bytes_raise_to(codes, word * 64, KING_REACH[target], promise)


@kernel
def prepare(men, state, codes, bounds, checks, first, end, counter):
    """Fills U and R with the legal positions, D with the exits, ``due``, and the positions in check.

    Args:
        men: The pieces.
        state: The sets.
        codes: D, of the planes of these tasks only.
        bounds: Values of captures of p0, p1, the last piece and q; empty where there is no such piece.
        checks: The positions in check, for pass 0.
        first: First task of a side, at the beginning of a plane.
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
        # Identical pieces in descending order: the same position is in another task.
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
                    if bounds[P0].size and men.white0 == side:
                        offer_captures(men, codes, bounds[P0], P0, side, king, q, p0, p1, p2, word)
                    if bounds[P1].size and men.white1 == side:
                        offer_captures(men, codes, bounds[P1], P1, side, king, q, p0, p1, p2, word)
                    if bounds[P2].size and men.white2 == side:
                        offer_captures(men, codes, bounds[P2], P2, side, king, q, p0, p1, p2, word)
                    if bounds[Q].size and men.whiteq == side:
                        offer_captures(men, codes, bounds[Q], Q, side, king, q, p0, p1, p2, word)
                    exits = legal & bytes_above(codes, word * 64, 0)
                    exits &= ~bytes_equal(codes, word * 64, DRAW)
                    # One turn for each different code in the word, not for each position.
                    while exits:
                        code = codes[word * 64 + ctz(exits)]
                        exits &= ~bytes_equal(codes, word * 64, code)
                        state.due[(side * tasks + task) * 256 + code] |= U1 << np.uint64(p1)

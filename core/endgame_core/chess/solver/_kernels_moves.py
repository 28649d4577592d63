"""What the moves of a position are like: how many keep its result, of what kind they are, and what hangs.

Values are not worked out here: they are looked up in the tables of the ending and of its sub-endings, the slot of a
position after a move being found as the solver's exits are. They are codes here, whether a table stores these or bytes:
for either kind the kernels are compiled when the first such table is looked at.

The men other than kings are numbered in the order of the
index; their squares stand in a thread's own array and are changed while a move is tried. Attacks go by ``REACH`` and
``BETWEEN``, which is quicker for one target than rays.

A survey asks where moves lead for results alone, and of these two bits are held for a slot, not a byte or a code
(:func:`sum_up`): for each 64 slots a word of those that are not won by the side to move, and a word of those that are
not lost by it. In neither is what is not legal or not canonical.

A slot knows nothing of the right to capture en passant; :func:`passed` looks for positions in which that matters.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from endgame_core.chess.solver._kernels_board import (
    ALL,
    BETWEEN,
    BLACK_PAWN,
    BLOCK,
    IMAGE,
    KING,
    NOT_A,
    NOT_H,
    REACH,
    U1,
    attacks,
)
from endgame_core.chess.solver._kernels_exits import BankView, folded_base, folded_slot, pawned_slot, placement
from endgame_core.tables.kernels import (
    always,
    byte_at,
    bytes_above,
    bytes_equal,
    ctz,
    inner,
    is_results,
    is_wide,
    kernel,
    next_task,
    popcount,
    short_at,
    word_at,
)
from endgame_core.values import DRAW

CAPTURE, QUEEN, CHECK, KING_MOVE, RETREAT, QUIET = 1, 2, 32, 64, 128, 256
"""Bits of the kinds of a move; promotions to queen, rook, bishop and knight are ``QUEEN << 0`` to ``QUEEN << 3``.

A *quiet* move neither takes nor promotes nor gives check. A *retreat* takes nothing, and the man that makes it ends
farther from the other side's king, in king's moves, than it began.
"""

UNDER = QUEEN << 1 | QUEEN << 2 | QUEEN << 3
"""Promotions to anything but a queen."""

DIAGONAL = np.uint64(sum(1 << 9 * i for i in range(8)))
WORDS = 1 << 9
"""Words of one task."""
MOST = 4
"""Men beside the kings for which a table has places."""
RESULTS = 2
"""In place of whether codes are stored: of each slot two bits are."""
ONLY_BEST = -1
"""In place of a code: only what the best move is worth is asked for."""

KINDS = ("win", "draw", "underpromotion", "retreat", "quiet", "stalemate", "en_passant")
"""The kinds of positions that are counted: there is only one move that wins, or draws; the winning moves are all
underpromotions; the only move that wins is a retreat, or quiet; the only one that draws does so by stalemate; only a
capture en passant wins or draws."""


class Field(NamedTuple):
    """The men of an ending, and where their moves lead.

    Attributes:
        pieces: Piece number of each man other than kings, int64.
        white: 1 for each white one, int64.
        pawns: How many of them are pawns; they come first.
        placed: Squares of the pawns, placement after placement, int64.
        whole: 1 where every placement of its pieces beside the pawns is canonical.
        steps: Words from one square of each man to the next, and of White's king last; 0 for pawns. int64.
        tables: Which table a move leads to, by the man that promotes and to what (0: none), and the man that is taken
            (0: none; one of the mover's: a pawn that is taken en passant by the answer); -1 where bare kings are left.
            int64 of shape (1 + 4 men, 1 + men), flat.
        codes: Address of what each table stores, int64; with the other side to move, or the mover again when one of
            its men is taken. The first is the ending's own.
        wide: 1 where that are codes, not bytes, ``RESULTS`` where that are results, int64.
        counts: How many men each has, int64.
        places: ``MOST`` numbers for each: which man stands in each place of its index, int64.
        pawned: Pawns of each, -1 where its index is folded to the triangle, int64.
        starts: Where the numbers of its placements begin, int64.
        numbers: Numbers of placements, as in ``View``, int32.
        swapped: 1 when its White is our Black, int64.
        alike: As in ``View``, int64.
        worth: The code that a move into each byte is worth, uint16 of shape (256,).
    """

    pieces: np.ndarray
    white: np.ndarray
    pawns: int
    placed: np.ndarray
    whole: int
    steps: np.ndarray
    tables: np.ndarray
    codes: np.ndarray
    wide: np.ndarray
    counts: np.ndarray
    places: np.ndarray
    pawned: np.ndarray
    starts: np.ndarray
    numbers: np.ndarray
    swapped: np.ndarray
    alike: np.ndarray
    worth: np.ndarray


class KernelPosition(NamedTuple):
    """A position: both kings, all men as a set, the mover (1 for White), and which men are gone, bit by bit."""

    own: int
    other: int
    occupied: int
    white: int
    gone: int


class KernelMove(NamedTuple):
    """A move: the man (-1 for the king), where to, the man taken (-1: none), what it promotes to (0, or 1 to 4)."""

    man: int
    to: int
    taken: int
    promoted: int


class Ahead(NamedTuple):
    """What comes after the positions of a word: what is stored, and legal canonical slots, the other side to move.

    Where ``codes`` are results these tell which slots are legal and canonical, and ``kept`` is not looked at.
    """

    word: int
    codes: np.ndarray
    kept: np.ndarray


class Facts(NamedTuple):
    """What :func:`look` finds: legal moves, those that keep the result, the best, and the kinds among both; one move.

    ``single`` is the last move found that keeps the result, and ``top`` what the best is worth, -1 where there is none.
    """

    legal: int
    keeping: int
    best: int
    kinds: int
    best_kinds: int
    under: int
    single: KernelMove
    top: int


@always
def code_at(codes, at):
    """The code of a position, given what is stored of all."""
    stored = np.int64(codes[at])
    if is_wide(codes) or stored < DRAW & 255:
        return stored
    return stored + (DRAW & 0xFF00 if stored == DRAW & 255 else 0xFF00)


@always
def before(code):
    """The code that a move into a position is worth, given its code."""
    if code == DRAW:
        return np.int64(DRAW)
    return np.int64(0xFFFF if code < DRAW else 0x10000) - code


@always
def lost(results, word):
    """The slots of a word that are lost for the side to move there, by their results."""
    return results[2 * word] & ~results[2 * word + 1]


@always
def drawn(results, word):
    """The slots of a word that are drawn, by their results."""
    return results[2 * word] & results[2 * word + 1]


@always
def worth_of(not_won, not_lost, square):
    """A code that is won, drawn or lost as a move into a position is, given the words of its slot."""
    by = np.uint64(square)
    if not (not_won >> by) & U1:
        return np.int64(0)
    return np.int64(DRAW) if (not_lost >> by) & U1 else np.int64(0xFFFF)


@always
def is_there(ahead, word, square):
    """Whether a slot is legal and canonical, the other side to move."""
    if is_results(ahead.codes):
        return (ahead.codes[2 * word] | ahead.codes[2 * word + 1]) >> np.uint64(square) & U1 != 0
    return (ahead.kept[word] >> np.uint64(square)) & U1 != 0


@always
def worth_at(field, codes, at):
    """The code that a move into a position is worth, given what is stored of all; or one with the same result."""
    if is_results(codes):
        return worth_of(codes[2 * (at >> 6)], codes[2 * (at >> 6) + 1], at & 63)
    if is_wide(codes):
        return before(np.int64(codes[at]))
    return np.int64(field.worth[codes[at]])


@inner
def reaches(piece, source, target, occupied):
    """Whether a man attacks a square over some men."""
    if not (REACH[64 * piece + source] >> np.uint64(target)) & U1:
        return False
    return not BETWEEN[64 * source + target] & occupied


@inner
def attacked(pieces, field, squares, white, target, occupied, gone):
    """Whether a man of a colour, its king left out, attacks a square."""
    for i in range(pieces.size):
        if field.white[i] == white and not gone >> i & 1 and reaches(pieces[i], squares[i], target, occupied):
            return True
    return False


@inner
def man_on(field, squares, square, gone):
    """The number of the man on a square, -1 for none."""
    for i in range(field.white.size):
        if squares[i] == square and not gone >> i & 1:
            return i
    return -1


@inner
def targets(pieces, field, squares, spot, man):
    """Squares a man may go to, its king's safety left out of account."""
    own, both = np.uint64(0), spot.occupied
    for i in range(field.white.size):
        if field.white[i] == spot.white and not spot.gone >> i & 1:
            own |= U1 << np.uint64(squares[i])
    if man < 0:
        return REACH[64 * 6 + spot.own] & ~own & ~REACH[64 * 6 + spot.other]
    piece, square = pieces[man], squares[man]
    if piece != 1 and piece != BLACK_PAWN:
        return attacks(piece, square, both) & ~own & ~(U1 << np.uint64(spot.own))
    taking = REACH[64 * piece + square] & both & ~own & ~(U1 << np.uint64(spot.own))
    step = 8 if piece == 1 else -8
    one = U1 << np.uint64(square + step)
    if both & one:
        return taking
    taking |= one
    if square >> 3 == (1 if piece == 1 else 6):
        taking |= U1 << np.uint64(square + 2 * step) & ~both
    return taking


@inner
def after(field, squares, spot, move):
    """The position after a move, the same side being called own; ``squares`` is told by who tries it."""
    source = spot.own if move.man < 0 else squares[move.man]
    occupied = spot.occupied & ~(U1 << np.uint64(source))
    gone = spot.gone
    if move.taken >= 0:
        occupied &= ~(U1 << np.uint64(squares[move.taken]))
        gone |= 1 << move.taken
    occupied |= U1 << np.uint64(move.to)
    return KernelPosition(move.to if move.man < 0 else spot.own, spot.other, occupied, spot.white, gone)


@inner
def slot_of(field, table, squares, spot):
    """The canonical slot of a position in one of the tables."""
    own_white = spot.white != field.swapped[table]
    white, black = (spot.own, spot.other) if own_white else (spot.other, spot.own)
    pawns, first, count = field.pawned[table], field.starts[table], field.counts[table]
    places = field.places[MOST * table : MOST * table + count]
    numbers = field.numbers[first:]
    view = BankView(
        field.pieces, field.white, squares, 0, places, pawns, numbers, field.swapped[table], field.alike[table]
    )  # fmt: skip
    if pawns < 0:
        return folded_slot(view, squares, white, black)
    base, symmetry, own_copy = placement(view, squares)
    return pawned_slot(view, base, own_copy, symmetry, squares, white, black)


@always
def value(field, squares, spot, move):
    """What a move is worth that has been tried."""
    row = 1 + 4 * move.man + move.promoted - 1 if move.promoted else 0
    table = field.tables[row * (1 + field.white.size) + 1 + move.taken]
    if table < 0:
        return np.int64(DRAW)
    slot = slot_of(field, table, squares, spot)
    if field.wide[table] == RESULTS:
        at = field.codes[table] + 16 * (slot >> 6)
        return worth_of(word_at(at), word_at(at + 8), slot & 63)
    if field.wide[table]:
        return before(np.int64(short_at(field.codes[table] + 2 * slot)))
    return np.int64(field.worth[byte_at(field.codes[table] + slot)])


@inner
def gives_check(pieces, field, squares, spot):
    """Whether the side called own attacks the other king."""
    return attacked(pieces, field, squares, spot.white, spot.other, spot.occupied, spot.gone)


@inner
def in_check(pieces, field, squares, spot):
    """Whether the side called own is attacked."""
    return attacked(pieces, field, squares, 1 - spot.white, spot.own, spot.occupied, spot.gone)


@inner
def turned(spot):
    """The same position, the other side being called own."""
    return KernelPosition(spot.other, spot.own, spot.occupied, 1 - spot.white, spot.gone)


@inner
def has_move(pieces, field, squares, spot):
    """Whether there is a legal move."""
    for man in range(-1, field.white.size):
        if man >= 0 and (field.white[man] != spot.white or spot.gone >> man & 1):
            continue
        rest = targets(pieces, field, squares, spot, man)
        while rest:
            to = ctz(rest)
            rest &= rest - U1
            then = after(field, squares, spot, KernelMove(man, to, man_on(field, squares, to, spot.gone), 0))
            if not in_check(pieces, field, squares, then):
                return True
    return False


@inner
def pushed(pieces, field, squares, spot, man, past, worth):
    """What a double push is worth that has been tried: the other side may take en passant, or has no other move.

    ``worth`` is what it is worth without that right.
    """
    answer, best, to = turned(spot), np.int64(-1), squares[man]
    for i in range(field.pawns):
        if field.white[i] == spot.white or squares[i] >> 3 != to >> 3 or abs(squares[i] - to) != 1:
            continue
        move = KernelMove(i, past, man, 0)
        then = after(field, squares, answer, move)
        if not in_check(pieces, field, squares, then):
            source, squares[i] = squares[i], past
            best = max(best, value(field, squares, then, move))
            squares[i] = source
    if best < 0:
        return worth
    taken = before(best)
    return min(worth, taken) if has_move(pieces, field, squares, answer) else taken


@inner
def distance(a, b):
    """King's moves from one square to another."""
    return max(abs((a >> 3) - (b >> 3)), abs((a & 7) - (b & 7)))


@inner
def last_rank(square):
    """Whether pawns promote on a square."""
    return square < 8 or square > 55


@inner
def piece_of(promoted):
    """Queen, rook, bishop, knight for 1 to 4."""
    return 6 - promoted


@inner
def kinds_of(pieces, field, squares, spot, move, source):
    """The kinds of a move that has been tried."""
    kinds = 0
    if move.taken >= 0:
        kinds |= CAPTURE
    if move.promoted:
        kinds |= QUEEN << (move.promoted - 1)
    if gives_check(pieces, field, squares, spot):
        kinds |= CHECK
    if not kinds:
        kinds |= QUIET
    if move.man < 0:
        kinds |= KING_MOVE
    if move.taken < 0 and distance(move.to, spot.other) > distance(source, spot.other):
        kinds |= RETREAT
    return kinds


@inner
def quick_slot(field, spot, ahead, man, source, to):
    """The slot after a quiet move of a king or piece, where it is canonical; -1 where that is to be found out.

    -2 where the move is illegal.
    """
    black = spot.other if spot.white else spot.own
    at = ahead.word
    if man >= 0:
        at += (to - source) * field.steps[man]
    elif not spot.white:
        black = to
    elif field.pawns:
        at += to - source
    elif BLOCK[to] >= 0:
        at += (BLOCK[to] - BLOCK[source]) * 64
    else:
        return -1
    if is_there(ahead, at, black):
        return at * 64 + black
    return -2 if field.whole else -1


@inner
def look(pieces, field, squares, spot, ahead, code, enough, quiet):
    """Tries the moves of a position.

    Args:
        pieces: The thread's own piece numbers, those of the ending.
        field: The ending.
        squares: The thread's own squares, those of the position.
        spot: The position.
        ahead: What comes after it.
        code: Its code; or ``ONLY_BEST``, and of the facts only ``top`` means something.
        enough: It is left off when so many moves keep the result, one of them no underpromotion.
        quiet: Whether quiet moves of kings and pieces are tried, too.

    Returns:
        What was found.
    """
    legal = keeping = best = kinds = best_kinds = under = 0
    top = np.int64(-1)
    single = KernelMove(-1, 0, -1, 0)
    for man in range(-1, field.white.size):
        if man >= 0 and field.white[man] != spot.white:
            continue
        source, piece = (spot.own, 6) if man < 0 else (squares[man], pieces[man])
        pawn = piece == 1 or piece == BLACK_PAWN
        rest = targets(pieces, field, squares, spot, man)
        if not quiet and not pawn:
            rest &= spot.occupied
        while rest:
            to = ctz(rest)
            rest &= rest - U1
            taken, slot = -1, -1
            if (spot.occupied >> np.uint64(to)) & U1:
                taken = man_on(field, squares, to, spot.gone)
            elif not pawn:
                slot = quick_slot(field, spot, ahead, man, source, to)
                if slot == -2:
                    continue
                if slot >= 0 and code == ONLY_BEST:
                    top = max(top, worth_at(field, ahead.codes, slot))
                    continue
            then = after(field, squares, spot, KernelMove(man, to, taken, 0))
            if slot < 0 and in_check(pieces, field, squares, then):
                continue
            if man >= 0:
                squares[man] = to
            for promoted in range(1, 5) if pawn and last_rank(to) else range(1):
                move = KernelMove(man, to, taken, promoted)
                if promoted:
                    pieces[man] = piece_of(promoted)
                legal += 1
                worth = worth_at(field, ahead.codes, slot) if slot >= 0 else value(field, squares, then, move)
                if pawn and abs(to - source) == 16:
                    worth = pushed(pieces, field, squares, then, man, (source + to) // 2, worth)
                top = max(top, worth)
                if code == ONLY_BEST:
                    continue
                if (worth > DRAW) == (code > DRAW) and (worth < DRAW) == (code < DRAW):
                    found = kinds_of(pieces, field, squares, then, move, source)
                    keeping += 1
                    kinds |= found
                    under += 1 if found & UNDER else 0
                    single = move
                    if worth == code:
                        best += 1
                        best_kinds |= found
            if man >= 0:
                squares[man] = source
                pieces[man] = piece
            if keeping >= enough and under < keeping:
                return Facts(legal, keeping, best, kinds, best_kinds, under, single, top)
    return Facts(legal, keeping, best, kinds, best_kinds, under, single, top)


@inner
def is_stalemate(pieces, field, squares, spot):
    """Whether the side called own, which is to move, is not in check and has no move."""
    return not in_check(pieces, field, squares, spot) and not has_move(pieces, field, squares, spot)


@inner
def invites(pieces, field, squares, spot):
    """Whether the side called own, which is to move, can take a man so that the other side is stalemated."""
    for man in range(-1, field.white.size):
        if man >= 0 and (field.white[man] != spot.white or spot.gone >> man & 1):
            continue
        source, piece = (spot.own, 6) if man < 0 else (squares[man], pieces[man])
        rest = targets(pieces, field, squares, spot, man) & spot.occupied
        while rest:
            to = ctz(rest)
            rest &= rest - U1
            then = after(field, squares, spot, KernelMove(man, to, man_on(field, squares, to, spot.gone), 0))
            if in_check(pieces, field, squares, then):
                continue
            found = False
            promotes = (piece == 1 or piece == BLACK_PAWN) and last_rank(to)
            if man >= 0:
                squares[man] = to
            for promoted in range(1, 5) if promotes else range(1):
                if promoted:
                    pieces[man] = piece_of(promoted)
                found |= is_stalemate(pieces, field, squares, turned(then))
            if man >= 0:
                squares[man], pieces[man] = source, piece
            if found:
                return True
    return False


@inner
def saves_by_stalemate(pieces, field, squares, spot, move):
    """Whether a move stalemates at once, or the other side would stalemate by taking what it now can."""
    then = after(field, squares, spot, move)
    source, piece = (0, 0) if move.man < 0 else (squares[move.man], pieces[move.man])
    if move.man >= 0:
        squares[move.man] = move.to
        if move.promoted:
            pieces[move.man] = piece_of(move.promoted)
    answer = turned(then)
    found = is_stalemate(pieces, field, squares, answer) or invites(pieces, field, squares, answer)
    if move.man >= 0:
        squares[move.man], pieces[move.man] = source, piece
    return found


@inner
def place_word(field, word, squares):
    """Puts the men of a word on their squares; returns the white king's, and all of them as a set."""
    men = field.white.size
    if field.pawns:
        king = word & 63
        rest = word >> 6
        for i in range(men - 1, field.pawns - 1, -1):
            squares[i] = rest & 63
            rest >>= 6
        for i in range(field.pawns):
            squares[i] = field.placed[rest * field.pawns + i]
    else:
        squares[men - 1] = word & 63
        rest = word >> 6
        king = KING[rest % 10]
        rest //= 10
        for i in range(men - 2, -1, -1):
            squares[i] = rest & 63
            rest >>= 6
    occupied = U1 << np.uint64(king)
    for i in range(men):
        occupied |= U1 << np.uint64(squares[i])
    return king, occupied


@inner
def spot_of(side, king, other, occupied):
    """A position of a word."""
    occupied |= U1 << np.uint64(other)
    return KernelPosition(other, king, occupied, 0, 0) if side else KernelPosition(king, other, occupied, 1, 0)


@inner
def on_diagonal(field, squares, king, word):
    """Whether the men of a word are their own mirror copy, so that the black king on the diagonal makes it whole."""
    if field.pawns or IMAGE[256 + king] != king:
        return False
    view = BankView(
        field.pieces, field.white, squares, 0, field.places[: field.counts[0]], -1, field.numbers, 0, field.alike[0]
    )  # fmt: skip
    return folded_base(view, squares, king, 4) == word * 64


@inner
def depth_of(code):
    """Plies of a win, 0 for a draw."""
    return 2 * (0xFFFF - code) + 1 if code > DRAW else 0


@inner
def note(sums, deepest, kind, code, where):
    """Counts a position of a kind; the deepest is kept, the first of several."""
    sums[3 + kind] += 1
    rank = depth_of(code) << 48 | ((1 << 48) - 1 - where)
    deepest[kind] = max(deepest[kind], rank + 1)


@inner
def passed(pieces, field, squares, spot, code, slot, sums, deepest):
    """Counts where only a capture en passant keeps the result, whichever pawn has just gone two squares."""
    step = 8 if spot.white else -8
    rank = 4 if spot.white else 3
    for j in range(field.pawns):
        if field.white[j] == spot.white or squares[j] >> 3 != rank:
            continue
        there = squares[j]
        to, origin = there + step, there + 2 * step
        if spot.occupied & (U1 << np.uint64(to) | U1 << np.uint64(origin)):
            continue
        best = np.int64(0)
        for i in range(field.pawns):
            if field.white[i] != spot.white or squares[i] >> 3 != rank or abs(squares[i] - there) != 1:
                continue
            source = squares[i]
            move = KernelMove(i, to, j, 0)
            then = after(field, squares, spot, move)
            if in_check(pieces, field, squares, then):
                continue
            squares[i] = to
            best = max(best, value(field, squares, then, move))
            squares[i] = source
        if not ((best > DRAW and code <= DRAW) or (best == DRAW and code < DRAW)):
            continue
        squares[j] = origin
        before = spot.occupied & ~(U1 << np.uint64(there)) | U1 << np.uint64(origin)
        possible = not attacked(pieces, field, squares, 1 - spot.white, spot.own, before, 0)
        squares[j] = there
        if possible and has_move(pieces, field, squares, spot):
            note(sums, deepest, 6, best, slot << 6 | to)


@inner
def count(once, twice, found):
    """Adds a move to two sets: the positions that have one such move, and those that have two."""
    return once | found, twice | once & found


@inner
def often(field, side, then, word, king, men, squares):
    """Positions of a word with a quiet move of a king or piece that wins, with two; with one that draws, with two.

    ``then`` are the results with the other side to move. Where the position after a move is a copy of a canonical one
    it is left out.
    """
    none = np.uint64(0)
    wins, wins2, draws, draws2 = none, none, none, none
    for man in range(field.pawns, field.white.size + 1):
        is_king = man == field.white.size
        if is_king:
            if side:
                break
            source = king
            rest = REACH[64 * 6 + king] & ~men
        elif field.white[man] == side:
            continue
        else:
            source = squares[man]
            rest = attacks(field.pieces[man], source, men) & ~men
        while rest:
            to = ctz(rest)
            rest &= rest - U1
            from_, here = source, to
            if is_king and not field.pawns:
                from_, here = BLOCK[source], BLOCK[to]
                if here < 0:
                    continue
            at = word + (here - from_) * field.steps[man]
            there = ~BETWEEN[64 * source + to] & ~(U1 << np.uint64(to))
            wins, wins2 = count(wins, wins2, there & lost(then, at))
            draws, draws2 = count(draws, draws2, there & drawn(then, at))
    if side:
        won, held = lost(then, word), drawn(then, word)
        for step in (1, 7, 8, 9):
            low = NOT_A if step in (1, 9) else (NOT_H if step == 7 else ALL)
            high = NOT_H if step in (1, 9) else (NOT_A if step == 7 else ALL)
            by = np.uint64(step)
            wins, wins2 = count(wins, wins2, (won & low) >> by)
            wins, wins2 = count(wins, wins2, (won & high) << by)
            draws, draws2 = count(draws, draws2, (held & low) >> by)
            draws, draws2 = count(draws, draws2, (held & high) << by)
    return wins, wins2, draws, draws2


@inner
def hit_from(field, squares, white, target, occupied, gone):
    """Black king squares that leave a square attacked by men of a colour: it may stand in their way.

    Only the men in ``gone`` are left out, not those that ``occupied`` lacks.
    """
    found = np.uint64(0)
    for i in range(field.white.size):
        counts = field.white[i] == white and not gone >> i & 1
        if counts and reaches(field.pieces[i], squares[i], target, occupied):
            found |= ~BETWEEN[64 * squares[i] + target]
    return found


@inner
def all_attacks(field, squares, occupied, gone):
    """All squares that White's men attack."""
    found = np.uint64(0)
    for i in range(field.white.size):
        if field.white[i] and not gone >> i & 1:
            found |= attacks(field.pieces[i], squares[i], occupied)
    return found


@inner
def hanging(field, side, king, men, squares):
    """Black king squares for which the side to move can take something, and nothing can take back: a man hangs.

    What takes stands on the square of what is taken: both are left out of account when somebody takes back.
    """
    found, own = np.uint64(0), U1 << np.uint64(king)
    for taken in range(field.white.size):
        if field.white[taken] != side:
            continue
        to = squares[taken]
        near = REACH[64 * 6 + to]
        beside = (near >> np.uint64(king)) & U1
        if side:
            if not beside and not hit_from(field, squares, 1, to, men, 1 << taken):
                found |= near
        elif beside:
            found |= ~near & ~hit_from(field, squares, 0, to, men & ~own, 1 << taken)
        for man in range(field.white.size):
            if field.white[man] == side or not reaches(field.pieces[man], squares[man], to, men):
                continue
            now = men & ~(U1 << np.uint64(squares[man]))
            both = 1 << man | 1 << taken
            if side:
                legal = ~all_attacks(field, squares, now, 1 << taken)
                back = np.uint64(0)
                if beside:
                    back = ~near & ~hit_from(field, squares, 0, to, now & ~own, both)
            else:
                legal = ~hit_from(field, squares, 0, king, now, 1 << taken)
                guarded = beside or hit_from(field, squares, 1, to, now, both)
                back = np.uint64(0) if guarded else near
            for other in range(field.white.size):
                if field.white[other] != side or other == taken:
                    continue
                if not reaches(field.pieces[other], squares[other], to, now):
                    continue
                then = now & ~(U1 << np.uint64(squares[other]))
                if side:
                    unsafe = hit_from(field, squares, 0, king, then, both)
                else:
                    unsafe = all_attacks(field, squares, then, both)
                back |= ~BETWEEN[64 * squares[other] + to] & ~unsafe
            found |= legal & ~back & ~BETWEEN[64 * squares[man] + to]
    return found


@inner
def has_quiet(field, squares, spot, ahead):
    """Whether there is a quiet move of a king or piece, where all these lead to canonical slots."""
    for man in range(-1, field.white.size):
        if man >= 0 and (man < field.pawns or field.white[man] != spot.white):
            continue
        source = spot.own if man < 0 else squares[man]
        rest = targets(field.pieces, field, squares, spot, man) & ~spot.occupied
        while rest:
            to = ctz(rest)
            rest &= rest - U1
            if quick_slot(field, spot, ahead, man, source, to) >= 0:
                return True
    return False


@inner
def note_single(pieces, field, squares, spot, ahead, code, slot, quiet, sums, deepest):
    """Counts a position that is won or drawn among the kinds it is of.

    ``quiet`` is the number of quiet moves of kings and pieces that keep the result, where the ending is ``whole``.
    """
    others = False
    found = look(pieces, field, squares, spot, ahead, code, 2, not field.whole)
    if field.whole:
        if found.keeping + quiet > 1 and (quiet or found.under < found.keeping):
            return
        if quiet:
            legal = found.legal
            found = look(pieces, field, squares, spot, ahead, code, 1, True)
            others = found.legal + legal > 1
        else:
            others = found.legal > found.keeping or has_quiet(field, squares, spot, ahead)
        if not others:
            found = look(pieces, field, squares, spot, ahead, code, 2, True)
            if found.legal == found.keeping:
                return
    elif found.legal == found.keeping:
        return
    if code > DRAW and found.under == found.keeping:
        note(sums, deepest, 2, code, slot)
    if found.keeping != 1:
        return
    note(sums, deepest, 0 if code > DRAW else 1, code, slot)
    if code > DRAW:
        if found.kinds & RETREAT:
            note(sums, deepest, 3, code, slot)
        if found.kinds & QUIET:
            note(sums, deepest, 4, code, slot)
    elif saves_by_stalemate(pieces, field, squares, spot, found.single):
        note(sums, deepest, 5, code, slot)


@kernel
def sum_up(codes, kept, first, end, results, counter):
    """Tells the results of positions by what is stored of them; of a word where none is kept nothing is written.

    Args:
        codes: What is stored, uint8 bytes or uint16 codes.
        kept: Bits of the legal canonical slots, uint64.
        first: The first word.
        end: Where they end.
        results: Room for two words each, uint64: those of the slots that are not won by the side to move, and of those
            that are not lost.
        counter: Shared task counter.
    """
    while True:
        start = first + next_task(counter) * WORDS
        if start >= end:
            break
        for word in range(start, min(start + WORDS, end)):
            if kept[word]:
                results[2 * word] = kept[word] & ~bytes_above(codes, word * 64, DRAW)
                results[2 * word + 1] = kept[word] & bytes_above(codes, word * 64, DRAW - 1)


@kernel
def survey(field, side, codes, then, kept, first, end, counter, pieces, squares, sums, deepest):
    """Counts what the positions of an ending are like with one side to move.

    Args:
        field: The ending.
        side: Side to move.
        codes: What its table stores, uint8 bytes or uint16 codes.
        then: Its results with the other side to move.
        kept: Bits of its legal canonical slots, uint64.
        first: The first word that is looked at.
        end: Where they end.
        counter: Shared task counter.
        pieces: A thread's own copy of the piece numbers.
        squares: A thread's own squares.
        sums: Raised by boards with a hanging man, by result for the side to move (win, draw, loss), then by positions
            of each of ``KINDS``; int64.
        deepest: For each kind ``depth << 48`` less the slot (en passant: 64 times that, and the target), int64.
    """
    facing = False
    for i in range(1, field.pawns):
        facing |= field.white[i] != field.white[0]
    while True:
        start = first + next_task(counter) * WORDS
        if start >= end:
            break
        for word in range(start, min(start + WORDS, end)):
            bits = kept[word]
            if not bits:
                continue
            king, men = place_word(field, word, squares)
            won = bits & bytes_above(codes, word * 64, DRAW)
            held = bits & bytes_equal(codes, word * 64, DRAW)
            loose = bits & hanging(field, side, king, men, squares)
            weight = 2 if field.pawns else 8
            for result in range(3):
                some = loose & (won if result == 0 else (held if result == 1 else ~(won | held)))
                sums[result] += weight * popcount(some)
                if some and on_diagonal(field, squares, king, word):
                    sums[result] -= 4 * popcount(some & DIAGONAL)
            wins, wins2, draws, draws2 = often(field, side, then, word, king, men, squares)
            quiets = (won & wins) | (held & draws)
            single = (won & ~wins2) | (held & ~draws2)
            if not facing:
                bits = single
            while bits:
                other = ctz(bits)
                here = U1 << np.uint64(other)
                bits &= ~here
                slot = word * 64 + other
                code = code_at(codes, slot)
                spot = spot_of(side, king, other, men)
                if facing:
                    passed(pieces, field, squares, spot, code, slot, sums, deepest)
                if single & here:
                    quiet = np.int64((quiets >> np.uint64(other)) & U1)
                    ahead = Ahead(word, then, then)
                    note_single(pieces, field, squares, spot, ahead, code, slot, quiet, sums, deepest)


@kernel
def describe(field, side, codes, then, kept_then, slots, found, counter, pieces, squares):
    """Tells all that is known of the moves of some positions.

    Args:
        field: The ending.
        side: Side to move.
        codes: What its table stores, uint8 bytes or uint16 codes.
        then: The same with the other side to move.
        kept_then: Bits of the legal canonical slots with the other side to move, uint64.
        slots: Canonical slots, int64.
        found: Room for seven numbers each, int64: legal moves, those that keep the result, the best, the kinds among
            both, whether a man hangs, and whether the only keeping move saves by stalemate.
        counter: Shared task counter.
        pieces: A thread's own copy of the piece numbers.
        squares: A thread's own squares.
    """
    while True:
        task = next_task(counter)
        if task >= slots.size:
            break
        slot = slots[task]
        king, men = place_word(field, slot >> 6, squares)
        spot = spot_of(side, king, slot & 63, men)
        ahead = Ahead(slot >> 6, then, kept_then)
        facts = look(pieces, field, squares, spot, ahead, code_at(codes, slot), 1 << 30, True)
        at = 7 * task
        found[at], found[at + 1], found[at + 2] = facts.legal, facts.keeping, facts.best
        found[at + 3], found[at + 4] = facts.kinds, facts.best_kinds
        loose = hanging(field, side, king, men, squares)
        found[at + 5] = np.int64((loose >> np.uint64(slot & 63)) & U1)
        found[at + 6] = facts.keeping == 1 and saves_by_stalemate(pieces, field, squares, spot, facts.single)

"""Facts about the moves of a position: how many keep its result, of what kind they are, and what hangs.

Values are not computed here. They are looked up in the tables of the ending and of its sub-endings, where the slot of a
position after a move is found as the solver's exits are. Kernels work with codes, whether a table stores codes or
bytes: they are compiled for either when the first such table is read.

**Positions.** Kernels go word by word: all pieces but the black king are placed once (:func:`place_word`), and the 64
squares of the black king are the positions. The pieces other than kings are numbered in the order of the index. Their
squares are in an array of the thread, which is changed while a move is tried and restored afterwards. Attacks are
tested with ``REACH`` and ``BETWEEN``, which is faster for one target than rays.

**Quick slots.** A quiet move of one piece changes one digit of the slot, so the slot after it is an addition
(:func:`quick_slot`), if it is canonical. Only elsewhere the canonical slot has to be found by symmetry.

**Results.** A survey needs only the results of positions after a move. Two bits are stored of each slot, not a byte or
a code (:func:`sum_up`): for 64 slots one word of those that the side to move has not won, and one of those that it has
not lost. A drawn slot is in both; one that is not legal or not canonical is in neither.

A slot does not know the right to capture en passant; :func:`note_en_passant` looks for positions where it matters.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from endgame_core.chess.solver._kernels_board import (
    ALL,
    BETWEEN,
    BLOCK,
    IMAGE,
    KING,
    KING_PIECE,
    KING_REACH,
    NOT_A,
    NOT_H,
    REACH,
    U1,
    WHITE_PAWN,
    attacks,
    is_pawn,
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

A *quiet* move neither takes nor promotes nor gives check. A *retreat* takes nothing, and the piece that makes it ends
farther from the other side's king, in king's moves, than it began.
"""

UNDER = QUEEN << 1 | QUEEN << 2 | QUEEN << 3
"""Promotions to anything but a queen."""

DIAGONAL = np.uint64(sum(1 << 9 * i for i in range(8)))
WORDS = 1 << 9
"""Words of one task."""
MOST = 4
"""Pieces beside the kings for which a table has places."""
RESULTS = 2
"""In place of 0 (bytes) or 1 (codes): two bits of each slot are stored."""
WHERE_BITS = 48
"""Bits of a slot where a depth and a slot are one number; see :func:`note`."""
ONLY_BEST = -1
"""In place of a code: only the value of the best move is needed."""

KINDS = ("win", "draw", "underpromotion", "retreat", "quiet", "stalemate", "en_passant")
"""The kinds of positions that are counted.

Only one move wins, or draws; all winning moves are underpromotions; the only winning move is a retreat, or quiet; the
only drawing move draws by stalemate; only a capture en passant wins or draws.
"""


class Field(NamedTuple):
    """The pieces of an ending, and where their moves lead.

    Attributes:
        pieces: Type of each piece other than the kings, int64.
        white: 1 for each white one, int64.
        pawns: Number of pawns; they come first.
        placed: Squares of the pawns, placement after placement, int64.
        whole: 1 where every placement of its pieces beside the pawns is canonical.
        steps: Words from one square of each piece to the next, and of White's king last; 0 for pawns. int64.
        tables: Which table a move leads to, by the piece that promotes and to what (0: none), and the piece that is
            taken (0: none; one of the mover's: a pawn that the reply takes en passant); -1 where bare kings are left.
            int64 of shape (1 + 4 pieces, 1 + pieces), flat.
        codes: Address of what each table stores, int64; with the other side to move, or the mover again when one of its
            pieces is taken. The first is the ending's own.
        wide: 1 where that are codes, 0 for bytes, ``RESULTS`` for results, int64.
        counts: Number of pieces of each table, int64.
        places: ``MOST`` numbers for each table: which piece is in each place of its index, int64.
        pawned: Pawns of each table, -1 where its index is folded to the triangle, int64.
        starts: Where the numbers of its placements begin, int64.
        numbers: Numbers of placements, as in ``BankView``, int32.
        swapped: 1 where its White is our Black, int64.
        alike: As in ``BankView``, int64.
        move_values: The value, as a code, of a move into a position with each byte, uint16 of shape (256,).
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
    move_values: np.ndarray


class KernelPosition(NamedTuple):
    """A position, seen from the side to move.

    Attributes:
        own: Square of its king.
        other: Square of the other king.
        occupied: All pieces, as bits of squares.
        white: 1 if the side to move is White.
        captured_men: The pieces that have been taken since, bit i for piece i.
    """

    own: int
    other: int
    occupied: int
    white: int
    captured_men: int


class KernelMove(NamedTuple):
    """A move.

    Attributes:
        man: The piece that moves, -1 for the king.
        to: Its target.
        victim: The piece that is taken, -1 for none.
        promoted: What it promotes to, 1 to 4 for queen, rook, bishop and knight, 0 for nothing.
    """

    man: int
    to: int
    victim: int
    promoted: int


class Successors(NamedTuple):
    """The stored codes of the positions after the moves of a word, with the other side to move.

    Attributes:
        word: The word.
        codes: Bytes, codes or results of all slots.
        stored_bits: Bits of the legal canonical slots; not read where results say it.
    """

    word: int
    codes: np.ndarray
    stored_bits: np.ndarray


class Facts(NamedTuple):
    """The result of :func:`examine_moves`.

    Attributes:
        legal: Number of legal moves.
        keeping: Number of moves that keep the result.
        best: Number of best moves.
        kinds: Kinds of the moves that keep the result.
        best_kinds: Kinds of the best moves.
        under: Number of underpromotions that keep the result.
        last_keeping: The last move that was found to keep the result: the only one where ``keeping`` is 1.
        top: Value of the best move, -1 where there is none.
    """

    legal: int
    keeping: int
    best: int
    kinds: int
    best_kinds: int
    under: int
    last_keeping: KernelMove
    top: int


@always
def code_at(codes, at):
    """The code of a position; ``codes`` are bytes or codes."""
    # A byte is the low byte of its code. Bytes above 128 are wins, whose high byte is 0xFF; 128 is the draw.
    stored = np.int64(codes[at])
    if is_wide(codes) or stored < DRAW & 255:
        return stored
    return stored + (DRAW & 0xFF00 if stored == DRAW & 255 else 0xFF00)


@always
def move_value(code):
    """The value of a move into a position, given the code of that position: a ply more, from the other side."""
    if code == DRAW:
        return np.int64(DRAW)
    # A loss in d plies (d / 2) becomes a win in d + 1 (0xFFFF - d / 2), a win in d plies (0xFFFF - (d - 1) / 2) a loss
    # in d + 1.
    return np.int64(0xFFFF if code < DRAW else 0x10000) - code


@always
def lost_bits(results, word):
    """The slots of a word that are lost for the side to move, by their results."""
    return results[2 * word] & ~results[2 * word + 1]


@always
def drawn_bits(results, word):
    """The slots of a word that are drawn, by their results."""
    return results[2 * word] & results[2 * word + 1]


@always
def result_value(not_won, not_lost, square):
    """The value of a move into a slot, as the code of any win, draw or loss, given the result words of that slot."""
    by = np.uint64(square)
    if not (not_won >> by) & U1:
        return np.int64(0)
    return np.int64(DRAW) if (not_lost >> by) & U1 else np.int64(0xFFFF)


@always
def is_there(successors, word, square):
    """Whether a slot is legal and canonical, with the other side to move."""
    if is_results(successors.codes):
        return (successors.codes[2 * word] | successors.codes[2 * word + 1]) >> np.uint64(square) & U1 != 0
    return (successors.stored_bits[word] >> np.uint64(square)) & U1 != 0


@always
def stored_move_value(field, codes, at):
    """The value of a move into a slot of the ending itself, or some code with the same result."""
    if is_results(codes):
        return result_value(codes[2 * (at >> 6)], codes[2 * (at >> 6) + 1], at & 63)
    if is_wide(codes):
        return move_value(np.int64(codes[at]))
    return np.int64(field.move_values[codes[at]])


@inner
def reaches(piece, source, target, occupied):
    """Whether a piece attacks a square over some pieces."""
    if not (REACH[64 * piece + source] >> np.uint64(target)) & U1:
        return False
    return not BETWEEN[64 * source + target] & occupied


@inner
def is_attacked(pieces, field, squares, white, target, occupied, captured_men):
    """Whether a piece of a colour, other than its king, attacks a square."""
    for i in range(pieces.size):
        if field.white[i] == white and not captured_men >> i & 1 and reaches(pieces[i], squares[i], target, occupied):
            return True
    return False


@inner
def man_on(field, squares, square, captured_men):
    """The number of the piece on a square, -1 for none."""
    for i in range(field.white.size):
        if squares[i] == square and not captured_men >> i & 1:
            return i
    return -1


@inner
def targets(pieces, field, squares, position, man):
    """Squares that a piece may go to, whether or not its king is safe then."""
    own, both = np.uint64(0), position.occupied
    for i in range(field.white.size):
        if field.white[i] == position.white and not position.captured_men >> i & 1:
            own |= U1 << np.uint64(squares[i])
    if man < 0:
        return KING_REACH[position.own] & ~own & ~KING_REACH[position.other]
    piece, square = pieces[man], squares[man]
    if not is_pawn(piece):
        return attacks(piece, square, both) & ~own & ~(U1 << np.uint64(position.own))
    # Pawns: captures need a piece on the target; a double push needs both squares free.
    taking = REACH[64 * piece + square] & both & ~own & ~(U1 << np.uint64(position.own))
    step = 8 if piece == WHITE_PAWN else -8
    one = U1 << np.uint64(square + step)
    if both & one:
        return taking
    taking |= one
    if square >> 3 == (1 if piece == WHITE_PAWN else 6):  # the rank from which it may go two squares
        taking |= U1 << np.uint64(square + 2 * step) & ~both
    return taking


@inner
def after(field, squares, position, move):
    """The position after a move, still seen from the side that has moved. ``squares`` is changed by the caller."""
    source = position.own if move.man < 0 else squares[move.man]
    occupied = position.occupied & ~(U1 << np.uint64(source))
    captured_men = position.captured_men
    if move.victim >= 0:
        occupied &= ~(U1 << np.uint64(squares[move.victim]))
        captured_men |= 1 << move.victim
    occupied |= U1 << np.uint64(move.to)
    own = move.to if move.man < 0 else position.own
    return KernelPosition(own, position.other, occupied, position.white, captured_men)


@inner
def slot_of(field, table, squares, position):
    """Finds the canonical slot of a position in one of the tables."""
    # The table may be stored with colours exchanged; its index then has our black king as the white one.
    own_white = position.white != field.swapped[table]
    white, black = (position.own, position.other) if own_white else (position.other, position.own)
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
def tried_move_value(field, squares, position, move):
    """The value of a move, after which ``squares`` and ``position`` are."""
    row = 1 + 4 * move.man + move.promoted - 1 if move.promoted else 0
    table = field.tables[row * (1 + field.white.size) + 1 + move.victim]
    if table < 0:
        return np.int64(DRAW)
    slot = slot_of(field, table, squares, position)
    if field.wide[table] == RESULTS:
        at = field.codes[table] + 16 * (slot >> 6)
        return result_value(word_at(at), word_at(at + 8), slot & 63)
    if field.wide[table]:
        return move_value(np.int64(short_at(field.codes[table] + 2 * slot)))
    return np.int64(field.move_values[byte_at(field.codes[table] + slot)])


@inner
def gives_check(pieces, field, squares, position):
    """Whether the side that ``position`` calls own attacks the other king."""
    return is_attacked(pieces, field, squares, position.white, position.other, position.occupied, position.captured_men)


@inner
def in_check(pieces, field, squares, position):
    """Whether the side that ``position`` calls own is attacked."""
    enemy = 1 - position.white
    return is_attacked(pieces, field, squares, enemy, position.own, position.occupied, position.captured_men)


@inner
def swap_sides(position):
    """The same position, seen from the other side."""
    return KernelPosition(position.other, position.own, position.occupied, 1 - position.white, position.captured_men)


@inner
def has_move(pieces, field, squares, position):
    """Whether there is a legal move."""
    for man in range(-1, field.white.size):
        # Any legal move will do: the first one ends the search.
        if man >= 0 and (field.white[man] != position.white or position.captured_men >> man & 1):
            continue
        remaining = targets(pieces, field, squares, position, man)
        while remaining:
            to = ctz(remaining)
            remaining &= remaining - U1
            victim = man_on(field, squares, to, position.captured_men)
            child = after(field, squares, position, KernelMove(man, to, victim, 0))
            if not in_check(pieces, field, squares, child):
                return True
    return False


@inner
def double_push_value(pieces, field, squares, position, man, ep_square, value):
    """The value of a double push that has been tried, with the right to capture it en passant.

    Args:
        pieces: The thread's piece types.
        field: The ending.
        squares: The thread's squares, after the push.
        position: The position after the push, seen from the side that made it.
        man: The pawn.
        ep_square: The square that it passed.
        value: The value without that right.
    """
    reply_position, best, to = swap_sides(position), np.int64(-1), squares[man]
    for i in range(field.pawns):
        if field.white[i] == position.white or squares[i] >> 3 != to >> 3 or abs(squares[i] - to) != 1:
            continue
        move = KernelMove(i, ep_square, man, 0)
        child = after(field, squares, reply_position, move)
        if not in_check(pieces, field, squares, child):
            source, squares[i] = squares[i], ep_square
            best = max(best, tried_move_value(field, squares, child, move))
            squares[i] = source
    if best < 0:
        return value
    # The other side takes en passant only if that is better for it, unless it has no other move.
    capture_value = move_value(best)
    return min(value, capture_value) if has_move(pieces, field, squares, reply_position) else capture_value


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
    """The piece type that a pawn promotes to: queen, rook, bishop, knight for 1 to 4."""
    return 6 - promoted


@inner
def kinds_of(pieces, field, squares, position, move, source):
    """The kinds of a move that has been tried."""
    kinds = 0
    if move.victim >= 0:
        kinds |= CAPTURE
    if move.promoted:
        kinds |= QUEEN << (move.promoted - 1)
    if gives_check(pieces, field, squares, position):
        kinds |= CHECK
    # None of the kinds so far: neither a capture nor a promotion nor a check.
    if not kinds:
        kinds |= QUIET
    if move.man < 0:
        kinds |= KING_MOVE
    if move.victim < 0 and distance(move.to, position.other) > distance(source, position.other):
        kinds |= RETREAT
    return kinds


@inner
def quick_slot(field, position, successors, man, source, to):
    """Adds a quiet move of a king or piece to the slot of a position.

    Returns:
        The slot after the move, -1 where it is not canonical and has to be found by symmetry, -2 where the move is
        illegal.
    """
    black = position.other if position.white else position.own
    at = successors.word
    if man >= 0:
        at += (to - source) * field.steps[man]
    elif not position.white:
        black = to
    elif field.pawns:
        at += to - source
    elif BLOCK[to] >= 0:
        at += (BLOCK[to] - BLOCK[source]) * 64
    else:
        return -1
    if is_there(successors, at, black):
        return at * 64 + black
    # Where every legal slot is canonical, one that is not stored is illegal.
    return -2 if field.whole else -1


@inner
def examine_moves(pieces, field, squares, position, successors, code, enough, with_quiet):
    """Tries the moves of a position.

    Args:
        pieces: The thread's own piece types, those of the ending.
        field: The ending.
        squares: The thread's own squares, those of the position.
        position: The position.
        successors: The stored values of the positions after its moves.
        code: Its code; or ``ONLY_BEST``, and of the facts only ``top`` is valid.
        enough: Stop after this number of moves that keep the result, if one of them is not an underpromotion.
        with_quiet: Whether to try quiet moves of kings and pieces.
    """
    legal = keeping = best = kinds = best_kinds = under = 0
    top = np.int64(-1)
    last_keeping = KernelMove(-1, 0, -1, 0)
    for man in range(-1, field.white.size):
        if man >= 0 and field.white[man] != position.white:
            continue
        source, piece = (position.own, KING_PIECE) if man < 0 else (squares[man], pieces[man])
        pawn = is_pawn(piece)
        remaining = targets(pieces, field, squares, position, man)
        if not with_quiet and not pawn:
            remaining &= position.occupied
        while remaining:
            to = ctz(remaining)
            remaining &= remaining - U1
            victim, slot = -1, -1
            if (position.occupied >> np.uint64(to)) & U1:
                victim = man_on(field, squares, to, position.captured_men)
            elif not pawn:
                slot = quick_slot(field, position, successors, man, source, to)
                if slot == -2:
                    continue
                if slot >= 0 and code == ONLY_BEST:
                    top = max(top, stored_move_value(field, successors.codes, slot))
                    continue
            child = after(field, squares, position, KernelMove(man, to, victim, 0))
            # A stored slot is legal, so the check test is needed only where there is none.
            if slot < 0 and in_check(pieces, field, squares, child):
                continue
            if man >= 0:
                squares[man] = to
            for promoted in range(1, 5) if pawn and last_rank(to) else range(1):
                move = KernelMove(man, to, victim, promoted)
                if promoted:
                    pieces[man] = piece_of(promoted)
                legal += 1
                if slot >= 0:
                    value = stored_move_value(field, successors.codes, slot)
                else:
                    value = tried_move_value(field, squares, child, move)
                if pawn and abs(to - source) == 16:
                    value = double_push_value(pieces, field, squares, child, man, (source + to) // 2, value)
                top = max(top, value)
                if code == ONLY_BEST:
                    continue
                # The move keeps the result if its value is a win, a draw or a loss as that of the position.
                if (value > DRAW) == (code > DRAW) and (value < DRAW) == (code < DRAW):
                    its_kinds = kinds_of(pieces, field, squares, child, move, source)
                    keeping += 1
                    kinds |= its_kinds
                    under += 1 if its_kinds & UNDER else 0
                    last_keeping = move
                    if value == code:
                        best += 1
                        best_kinds |= its_kinds
            if man >= 0:
                squares[man] = source
                pieces[man] = piece
            if keeping >= enough and under < keeping:
                return Facts(legal, keeping, best, kinds, best_kinds, under, last_keeping, top)
    return Facts(legal, keeping, best, kinds, best_kinds, under, last_keeping, top)


@inner
def is_stalemate(pieces, field, squares, position):
    """Whether the side to move is not in check and has no move."""
    return not in_check(pieces, field, squares, position) and not has_move(pieces, field, squares, position)


@inner
def invites_stalemate(pieces, field, squares, position):
    """Whether the side to move can take something so that the other side is stalemated."""
    for man in range(-1, field.white.size):
        if man >= 0 and (field.white[man] != position.white or position.captured_men >> man & 1):
            continue
        source, piece = (position.own, KING_PIECE) if man < 0 else (squares[man], pieces[man])
        # Captures only.
        remaining = targets(pieces, field, squares, position, man) & position.occupied
        while remaining:
            to = ctz(remaining)
            remaining &= remaining - U1
            victim = man_on(field, squares, to, position.captured_men)
            child = after(field, squares, position, KernelMove(man, to, victim, 0))
            if in_check(pieces, field, squares, child):
                continue
            is_stalemated = False
            promotes = is_pawn(piece) and last_rank(to)
            if man >= 0:
                squares[man] = to
            for promoted in range(1, 5) if promotes else range(1):
                if promoted:
                    pieces[man] = piece_of(promoted)
                is_stalemated |= is_stalemate(pieces, field, squares, swap_sides(child))
            if man >= 0:
                squares[man], pieces[man] = source, piece
            if is_stalemated:
                return True
    return False


@inner
def saves_by_stalemate(pieces, field, squares, position, move):
    """Whether a move stalemates at once, or the other side would stalemate by taking what it now can."""
    child = after(field, squares, position, move)
    source, piece = (0, 0) if move.man < 0 else (squares[move.man], pieces[move.man])
    if move.man >= 0:
        squares[move.man] = move.to
        if move.promoted:
            pieces[move.man] = piece_of(move.promoted)
    reply = swap_sides(child)
    is_saved = is_stalemate(pieces, field, squares, reply) or invites_stalemate(pieces, field, squares, reply)
    if move.man >= 0:
        squares[move.man], pieces[move.man] = source, piece
    return is_saved


@inner
def place_word(field, word, squares):
    """Puts the pieces of a word on their squares; returns the white king's square, and all squares as bits."""
    men = field.white.size
    # The digits of a word, the innermost first: with pawns the white king, the pieces and the placement; without pawns
    # the last piece, the white king's block and the other pieces.
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
def position_of(side, king, other, occupied):
    """A position of a word."""
    occupied |= U1 << np.uint64(other)
    return KernelPosition(other, king, occupied, 0, 0) if side else KernelPosition(king, other, occupied, 1, 0)


@inner
def on_diagonal(field, squares, king, word):
    """Whether a word is its own mirror copy, so that the positions with the black king on the diagonal are."""
    if field.pawns or IMAGE[256 + king] != king:
        return False
    view = BankView(
        field.pieces, field.white, squares, 0, field.places[: field.counts[0]], -1, field.numbers, 0, field.alike[0]
    )  # fmt: skip
    # The transposed copy of the word is the word itself.
    return folded_base(view, squares, king, 4) == word * 64


@inner
def depth_of(code):
    """Plies of a win, 0 for a draw."""
    return 2 * (0xFFFF - code) + 1 if code > DRAW else 0


@inner
def note(sums, deepest, kind, code, where):
    """Counts a position of a kind, and keeps the deepest; of several the first."""
    sums[3 + kind] += 1
    # One number compares depth first and slot second: the depth is in the bits from 48 on, and below it the slot is
    # subtracted from the largest number of 48 bits. So the maximum is the deepest position, and of equally deep ones
    # that with the smallest slot. A win in 5 plies in slot 7 is `5 << 48 | 0xFFFF_FFFF_FFF8`. Slots of six pieces
    # have at most 34 bits, and en passant six more. The 1 that is added leaves 0 for "none so far".
    rank = depth_of(code) << WHERE_BITS | ((1 << WHERE_BITS) - 1 - where)
    deepest[kind] = max(deepest[kind], rank + 1)


@inner
def note_en_passant(pieces, field, squares, position, code, slot, sums, deepest):
    """Counts positions where only a capture en passant keeps the result, whichever pawn has just gone two squares."""
    step = 8 if position.white else -8
    rank = 4 if position.white else 3
    for j in range(field.pawns):
        if field.white[j] == position.white or squares[j] >> 3 != rank:
            continue
        pawn_square = squares[j]
        to, origin = pawn_square + step, pawn_square + 2 * step
        if position.occupied & (U1 << np.uint64(to) | U1 << np.uint64(origin)):
            continue
        best = np.int64(0)
        for i in range(field.pawns):
            if field.white[i] != position.white or squares[i] >> 3 != rank or abs(squares[i] - pawn_square) != 1:
                continue
            source = squares[i]
            move = KernelMove(i, to, j, 0)
            child = after(field, squares, position, move)
            if in_check(pieces, field, squares, child):
                continue
            squares[i] = to
            best = max(best, tried_move_value(field, squares, child, move))
            squares[i] = source
        # Without the right the position is worse than with it.
        if not ((best > DRAW and code <= DRAW) or (best == DRAW and code < DRAW)):
            continue
        # The push must have been possible: before it, the side to move now was not in check from elsewhere.
        squares[j] = origin
        before_push = position.occupied & ~(U1 << np.uint64(pawn_square)) | U1 << np.uint64(origin)
        possible = not is_attacked(pieces, field, squares, 1 - position.white, position.own, before_push, 0)
        squares[j] = pawn_square
        if possible and has_move(pieces, field, squares, position):
            note(sums, deepest, 6, best, slot << 6 | to)


@inner
def add_move(once, twice, positions):
    """Adds a move to two sets: the positions that have one such move, and those that have two or more."""
    return once | positions, twice | once & positions


@inner
def quiet_moves_that_keep(field, side, results, word, king, men, squares):
    """Finds positions of a word with a quiet move of a king or piece that wins or draws, and those with two.

    A move to a position that is a copy of a canonical one is left out.

    Args:
        field: The ending.
        side: Side to move.
        results: Results with the other side to move.
        word: The word.
        king: Square of the white king.
        men: All pieces but the black king, as bits.
        squares: The thread's squares.

    Returns:
        Four words: with a move that wins, with two; with a move that draws, with two.
    """
    none = np.uint64(0)
    wins, wins2, draws, draws2 = none, none, none, none
    for man in range(field.pawns, field.white.size + 1):
        is_king = man == field.white.size
        if is_king:
            if side:
                break
            source = king
            remaining = KING_REACH[king] & ~men
        elif field.white[man] == side:
            continue
        else:
            source = squares[man]
            remaining = attacks(field.pieces[man], source, men) & ~men
        while remaining:
            to = ctz(remaining)
            remaining &= remaining - U1
            origin, target = source, to
            if is_king and not field.pawns:
                origin, target = BLOCK[source], BLOCK[to]
                if target < 0:
                    continue
            at = word + (target - origin) * field.steps[man]
            possible = ~BETWEEN[64 * source + to] & ~(U1 << np.uint64(to))
            wins, wins2 = add_move(wins, wins2, possible & lost_bits(results, at))
            draws, draws2 = add_move(draws, draws2, possible & drawn_bits(results, at))
    if side:
        wins_next, draws_next = lost_bits(results, word), drawn_bits(results, word)
        # The black king's moves stay in the word: shifts to all eight neighbours, without those over the edge.
        for step in (1, 7, 8, 9):
            low, high = ALL, ALL
            if step in (1, 9):
                low, high = NOT_A, NOT_H
            elif step == 7:
                low, high = NOT_H, NOT_A
            by = np.uint64(step)
            wins, wins2 = add_move(wins, wins2, (wins_next & low) >> by)
            wins, wins2 = add_move(wins, wins2, (wins_next & high) << by)
            draws, draws2 = add_move(draws, draws2, (draws_next & low) >> by)
            draws, draws2 = add_move(draws, draws2, (draws_next & high) << by)
    return wins, wins2, draws, draws2


@inner
def hit_from(field, squares, white, target, occupied, captured_men):
    """Black king squares that leave a square attacked by the pieces of a colour: the king may stand in their way.

    Only the pieces in ``captured_men`` are left out, not those that ``occupied`` lacks.
    """
    result = np.uint64(0)
    for i in range(field.white.size):
        is_attacker = field.white[i] == white and not captured_men >> i & 1
        if is_attacker and reaches(field.pieces[i], squares[i], target, occupied):
            result |= ~BETWEEN[64 * squares[i] + target]
    return result


@inner
def all_attacks(field, squares, occupied, captured_men):
    """All squares that White's pieces attack."""
    result = np.uint64(0)
    for i in range(field.white.size):
        if field.white[i] and not captured_men >> i & 1:
            result |= attacks(field.pieces[i], squares[i], occupied)
    return result


@inner
def hanging(field, side, king, men, squares):
    """Black king squares for which the side to move can take something that cannot be retaken: a piece hangs.

    The capturing piece is then on the square of its victim, so neither counts when something takes back.
    """
    result, own = np.uint64(0), U1 << np.uint64(king)
    # First the king takes. Black's may stand on any square beside the victim, if no white piece guards that. White's
    # stands where it stands; the black king must not be near, nor another black piece guard the victim past it.
    for victim in range(field.white.size):
        if field.white[victim] != side:
            continue
        to = squares[victim]
        near = KING_REACH[to]
        beside = (near >> np.uint64(king)) & U1
        if side:
            if not beside and not hit_from(field, squares, 1, to, men, 1 << victim):
                result |= near
        elif beside:
            result |= ~near & ~hit_from(field, squares, 0, to, men & ~own, 1 << victim)
        # Then a piece takes. It leaves its square, which may open lines, and blocks lines on the square of its victim.
        # `legal` are the black king squares for which the capture does not expose a king; `recaptures` those from which
        # the king, or another piece without exposing its own king, takes back.
        for man in range(field.white.size):
            if field.white[man] == side or not reaches(field.pieces[man], squares[man], to, men):
                continue
            occupied_now = men & ~(U1 << np.uint64(squares[man]))
            both = 1 << man | 1 << victim
            if side:
                legal = ~all_attacks(field, squares, occupied_now, 1 << victim)
                recaptures = np.uint64(0)
                if beside:
                    recaptures = ~near & ~hit_from(field, squares, 0, to, occupied_now & ~own, both)
            else:
                legal = ~hit_from(field, squares, 0, king, occupied_now, 1 << victim)
                guarded = beside or hit_from(field, squares, 1, to, occupied_now, both)
                recaptures = np.uint64(0) if guarded else near
            for other in range(field.white.size):
                if field.white[other] != side or other == victim:
                    continue
                if not reaches(field.pieces[other], squares[other], to, occupied_now):
                    continue
                occupied_then = occupied_now & ~(U1 << np.uint64(squares[other]))
                if side:
                    unsafe = hit_from(field, squares, 0, king, occupied_then, both)
                else:
                    unsafe = all_attacks(field, squares, occupied_then, both)
                recaptures |= ~BETWEEN[64 * squares[other] + to] & ~unsafe
            result |= legal & ~recaptures & ~BETWEEN[64 * squares[man] + to]
    return result


@inner
def has_quiet(field, squares, position, successors):
    """Whether there is a quiet move of a king or piece, where all of them lead to canonical slots."""
    for man in range(-1, field.white.size):
        if man >= 0 and (man < field.pawns or field.white[man] != position.white):
            continue
        source = position.own if man < 0 else squares[man]
        remaining = targets(field.pieces, field, squares, position, man) & ~position.occupied
        while remaining:
            to = ctz(remaining)
            remaining &= remaining - U1
            if quick_slot(field, position, successors, man, source, to) >= 0:
                return True
    return False


@inner
def note_single(pieces, field, squares, position, successors, code, slot, quiet, sums, deepest):
    """Counts a position that is won or drawn among its kinds.

    ``quiet`` is the number of quiet moves of kings and pieces that keep the result, where the ending is ``whole``.
    """
    has_others = False
    # Most positions have more than one move that keeps the result: captures and pawn moves are tried first, which are
    # few; the quiet ones have been counted 64 positions at a time.
    facts = examine_moves(pieces, field, squares, position, successors, code, 2, not field.whole)
    if field.whole:
        if facts.keeping + quiet > 1 and (quiet or facts.under < facts.keeping):
            return
        if quiet:
            legal = facts.legal
            facts = examine_moves(pieces, field, squares, position, successors, code, 1, True)
            has_others = facts.legal + legal > 1
        else:
            has_others = facts.legal > facts.keeping or has_quiet(field, squares, position, successors)
        if not has_others:
            facts = examine_moves(pieces, field, squares, position, successors, code, 2, True)
            if facts.legal == facts.keeping:
                return
    elif facts.legal == facts.keeping:
        return
    if code > DRAW and facts.under == facts.keeping:
        note(sums, deepest, 2, code, slot)
    if facts.keeping != 1:
        return
    note(sums, deepest, 0 if code > DRAW else 1, code, slot)
    if code > DRAW:
        if facts.kinds & RETREAT:
            note(sums, deepest, 3, code, slot)
        if facts.kinds & QUIET:
            note(sums, deepest, 4, code, slot)
    elif saves_by_stalemate(pieces, field, squares, position, facts.last_keeping):
        note(sums, deepest, 5, code, slot)


@kernel
def sum_up(codes, stored_bits, first, end, results, counter):
    """Stores the results of positions; nothing is written for a word without stored slots.

    Args:
        codes: The stored values, uint8 bytes or uint16 codes.
        stored_bits: Bits of the legal canonical slots, uint64.
        first: The first word.
        end: The word after the last.
        results: Two words for each, uint64: the slots that the side to move has not won, and those that it has not
            lost.
        counter: Shared task counter.
    """
    while True:
        start = first + next_task(counter) * WORDS
        if start >= end:
            break
        for word in range(start, min(start + WORDS, end)):
            if stored_bits[word]:
                results[2 * word] = stored_bits[word] & ~bytes_above(codes, word * 64, DRAW)
                results[2 * word + 1] = stored_bits[word] & bytes_above(codes, word * 64, DRAW - 1)


@kernel
def survey(field, side, codes, next_results, stored_bits, first, end, counter, pieces, squares, sums, deepest):
    """Counts the positions of each kind of an ending with one side to move.

    Args:
        field: The ending.
        side: Side to move.
        codes: What its table stores, uint8 bytes or uint16 codes.
        next_results: Its results with the other side to move.
        stored_bits: Bits of its legal canonical slots, uint64.
        first: The first word.
        end: The word after the last.
        counter: Shared task counter.
        pieces: A thread's own copy of the piece types.
        squares: A thread's own squares.
        sums: Raised by boards with a hanging piece, by result for the side to move (win, draw, loss), then by positions
            of each of ``KINDS``; int64.
        deepest: The deepest position of each kind, 0 for none, as :func:`note` packs its depth and its slot (en
            passant: 64 times the slot, and the target); int64.
    """
    has_facing_pawns = False
    for i in range(1, field.pawns):
        has_facing_pawns |= field.white[i] != field.white[0]
    while True:
        start = first + next_task(counter) * WORDS
        if start >= end:
            break
        for word in range(start, min(start + WORDS, end)):
            bits = stored_bits[word]
            if not bits:
                continue
            king, men = place_word(field, word, squares)
            won = bits & bytes_above(codes, word * 64, DRAW)
            drawn_bits = bits & bytes_equal(codes, word * 64, DRAW)
            with_hanging = bits & hanging(field, side, king, men, squares)
            # A position stands for eight boards (two with pawns); one that is its own mirror copy for four.
            weight = 2 if field.pawns else 8
            for result in range(3):
                if result == 0:
                    with_result = with_hanging & won
                elif result == 1:
                    with_result = with_hanging & drawn_bits
                else:
                    with_result = with_hanging & ~(won | drawn_bits)
                sums[result] += weight * popcount(with_result)
                if with_result and on_diagonal(field, squares, king, word):
                    sums[result] -= 4 * popcount(with_result & DIAGONAL)
            wins, wins2, draws, draws2 = quiet_moves_that_keep(field, side, next_results, word, king, men, squares)
            # A position with two quiet moves that keep the result has no single one, and is left out at once.
            quiets = (won & wins) | (drawn_bits & draws)
            one_keeping_bits = (won & ~wins2) | (drawn_bits & ~draws2)
            if not has_facing_pawns:
                bits = one_keeping_bits
            while bits:
                other = ctz(bits)
                king_bit = U1 << np.uint64(other)
                bits &= ~king_bit
                slot = word * 64 + other
                code = code_at(codes, slot)
                position = position_of(side, king, other, men)
                if has_facing_pawns:
                    note_en_passant(pieces, field, squares, position, code, slot, sums, deepest)
                if one_keeping_bits & king_bit:
                    quiet = np.int64((quiets >> np.uint64(other)) & U1)
                    successors = Successors(word, next_results, next_results)
                    note_single(pieces, field, squares, position, successors, code, slot, quiet, sums, deepest)


@kernel
def describe(field, side, codes, next_codes, next_stored_bits, slots, facts_out, counter, pieces, squares):
    """Finds all facts about the moves of some positions.

    Args:
        field: The ending.
        side: Side to move.
        codes: What its table stores, uint8 bytes or uint16 codes.
        next_codes: The same with the other side to move.
        next_stored_bits: Bits of the legal canonical slots with the other side to move, uint64.
        slots: Canonical slots, int64.
        facts_out: Seven numbers for each, int64: legal moves, those that keep the result, the best, the kinds of both,
            whether a piece hangs, and whether the only keeping move saves by stalemate.
        counter: Shared task counter.
        pieces: A thread's own copy of the piece types.
        squares: A thread's own squares.
    """
    while True:
        task = next_task(counter)
        if task >= slots.size:
            break
        slot = slots[task]
        king, men = place_word(field, slot >> 6, squares)
        position = position_of(side, king, slot & 63, men)
        successors = Successors(slot >> 6, next_codes, next_stored_bits)
        facts = examine_moves(pieces, field, squares, position, successors, code_at(codes, slot), 1 << 30, True)
        at = 7 * task
        facts_out[at], facts_out[at + 1], facts_out[at + 2] = facts.legal, facts.keeping, facts.best
        facts_out[at + 3], facts_out[at + 4] = facts.kinds, facts.best_kinds
        with_hanging = hanging(field, side, king, men, squares)
        facts_out[at + 5] = np.int64((with_hanging >> np.uint64(slot & 63)) & U1)
        facts_out[at + 6] = facts.keeping == 1 and saves_by_stalemate(
            pieces, field, squares, position, facts.last_keeping
        )

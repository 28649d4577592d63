"""The index over many slots at once, in numpy: which are canonical, their position keys, and back.

:mod:`endgame_core.chess.index` says what a slot means and which of several copies is canonical; this module says the
same for whole ranges. Masks are worked out a *word* at a time: one uint64 holds the 64 black king squares of one
placement of the other men. Endings with pawns have another layout and another symmetry: :func:`_word_squares`,
:func:`_slots`, :func:`_blocks` and :func:`_symmetry` know about them.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import groupby

import chess
import numpy as np
from numpy.typing import NDArray

from endgame_core.chess.index import TRIANGLE, men_of, pawns_of, places_of, transpose
from endgame_core.chess.notation import GONE
from endgame_core.chess.placements import mirror, placements

Words = NDArray[np.uint64]
Squares = NDArray[np.int64]
Mask = NDArray[np.bool_]

_ALL = np.uint64(chess.BB_ALL)
_NONE = np.uint64(0)
_TRANSPOSED = np.array([transpose(s) for s in range(64)], np.int64)
_TRIANGLE = np.array(TRIANGLE, np.int64)
_BLOCKS = np.array([TRIANGLE.index(s) if s in TRIANGLE else -1 for s in range(64)], np.int64)
_DIAGONAL = np.uint64(sum(1 << 9 * i for i in range(8)))
_LOWER_OR_EQUAL = np.uint64(sum(1 << s for s in range(64) if s <= transpose(s)))
_KING: Words = np.array(chess.BB_KING_ATTACKS, np.uint64)
_BIT: Words = np.array(chess.BB_SQUARES, np.uint64)


@cache
def _lines() -> tuple[Words, Words]:
    """Two uint64 arrays of shape (64, 64): the squares between two squares, and those behind the second."""
    between = np.zeros((64, 64), np.uint64)
    behind = np.zeros((64, 64), np.uint64)
    for source in range(64):
        for target in range(64):
            squares = chess.between(source, target)
            between[source, target] = squares
            for square in chess.scan_forward(squares):
                behind[source, square] |= _BIT[target]
    return between, behind


@cache
def _reach(piece: chess.PieceType, color: chess.Color) -> Words:
    """uint64 array of shape (64,): what a man attacks from each square of an empty board."""
    board = chess.BaseBoard.empty()
    found: list[int] = []
    for square in range(64):
        board.set_piece_at(square, chess.Piece(piece, color))
        found.append(board.attacks_mask(square))
        board.remove_piece_at(square)
    return np.array(found, np.uint64)


@cache
def _pawn_squares(white: int, black: int) -> Squares:
    """int64 array of shape (pawns, placements): the squares of each pawn, by number of the placement."""
    return np.array(placements(white, black), np.int64).T.copy()


@cache
def _own_copies(white: int, black: int) -> Mask:
    """Which placements of the pawns are their own mirror copy."""
    return np.array([mirror(white, placement) == placement for placement in placements(white, black)])


def _word_squares(ending: str, words: Squares) -> tuple[Squares, list[Squares], Squares]:
    """White king, other men in index order, and block of some words (a word's number is its slots' over 64)."""
    pawns = sum(pawns_of(ending))
    men = len(men_of(ending)) - pawns
    last = words & 63
    words = words >> 6
    others: list[Squares] = []
    if not pawns:
        words, block = np.divmod(words, 10)
        for _ in range(men - 1):
            others.insert(0, words & 63)
            words = words >> 6
        return _TRIANGLE[block], [*others, last], block
    for _ in range(men):
        others.insert(0, words & 63)
        words = words >> 6
    return last, [*(column[words] for column in _pawn_squares(*pawns_of(ending))), *others], words


def _number(squares: Sequence[Squares]) -> Squares:
    """The squares as digits of one number."""
    value = np.zeros_like(squares[0])
    for square in squares:
        value = value << 6 | square
    return value


def _fold(ending: str, others: Sequence[Squares]) -> list[Squares]:
    """Sorts the squares of identical men (index order), position by position."""
    found: list[Squares] = []
    for _, run in groupby(range(len(others)), key=lambda i: men_of(ending)[i]):
        group = [others[i] for i in run]
        found += group if len(group) == 1 else list(np.sort(np.stack(np.broadcast_arrays(*group)), axis=0))
    return found


def _symmetry(ending: str, king: Squares, others: list[Squares], block: Squares) -> tuple[Words, Words]:
    """Black king squares (uint64 each) that are canonical, and those that are their own mirror copy."""
    placed = _number(others)
    folded: Words = np.where(_number(_fold(ending, others)) == placed, _ALL, _NONE)
    if any(pawns_of(ending)):
        twin = _own_copies(*pawns_of(ending))[block] & (king & 4 > 0)
        return np.where(twin, _NONE, folded), np.zeros_like(folded)
    image = _number(_fold(ending, [_TRANSPOSED[square] for square in others]))
    bits: Words = np.where(placed < image, _ALL, np.where(placed == image, _LOWER_OR_EQUAL, _NONE))
    diagonal = king % 9 == 0
    alone: Words = np.where(diagonal & (placed == image), _DIAGONAL, _NONE)
    return folded & np.where(diagonal, bits, _ALL), folded & alone


def _attacks(man: tuple[chess.PieceType, chess.Color], square: Squares, blockers: Sequence[Squares]) -> Words:
    """What one man attacks, word by word, past the men on ``blockers``."""
    _, behind = _lines()
    seen = _reach(*man)[square]
    for blocker in blockers:
        seen = seen & ~behind[square, blocker]
    return seen


def _legal(ending: str, side: int, king: Squares, others: list[Squares]) -> Words:
    """Black king squares that make a legal position: nobody shares a square, the side that moved is not in check."""
    between, _ = _lines()
    occupied = _BIT[king]
    collision: Mask = np.zeros_like(king, bool)
    for square in others:
        collision = collision | (occupied & _BIT[square] != 0)
        occupied = occupied | _BIT[square]
    bits = ~(occupied | _KING[king])
    for man, square in zip(men_of(ending), others, strict=True):
        white = man[1]
        if white != (side == 0):
            continue
        attacked = _attacks(man, square, [king, *others])
        bits = bits & (~attacked if white else np.where(attacked & _BIT[king] != 0, between[square, king], _ALL))
    return np.where(collision, _NONE, bits)


def _kept(ending: str, side: int, king: Squares, others: list[Squares], block: Squares) -> tuple[Words, Words]:
    """Black king squares that make a legal canonical position, and those of them that are their own mirror copy."""
    canonical, alone = _symmetry(ending, king, others, block)
    kept = canonical & _legal(ending, side, king, others)
    return kept, kept & alone


def _words(start: int, count: int) -> Squares:
    if start % 64 or count % 64:
        raise ValueError("a range of slots starts and ends at a multiple of 64")
    return np.arange(start >> 6, (start + count) >> 6, dtype=np.int64)


def _unpacked(words: Words) -> NDArray[np.uint8]:
    """One byte, 0 or 1, for each bit."""
    return np.unpackbits(words.astype("<u8").view(np.uint8), bitorder="little")


def copies(ending: str, side: int, start: int, count: int) -> NDArray[np.uint8]:
    """On how many boards each slot's position stands, counting symmetric copies.

    Args:
        ending: A canonical ending name.
        side: 0 when White (named first) is to move, else 1.
        start: First slot, a multiple of 64.
        count: Number of slots, a multiple of 64.

    Returns:
        uint8 array of shape (count,): 8 (2 with pawns), 4 for a position that is its own mirror copy, and 0 for
        slots that are not canonical or hold no legal position.
    """
    kept, alone = _kept(ending, side, *_word_squares(ending, _words(start, count)))
    if any(pawns_of(ending)):
        return 2 * _unpacked(kept)
    return 8 * _unpacked(kept) - 4 * _unpacked(alone)


def copies_in(ending: str, side: int, box: Sequence[range]) -> NDArray[np.uint8]:
    """The same for a box of slots.

    Args:
        ending: A canonical ending name.
        side: 0 when White (named first) is to move, else 1.
        box: The digits of the slots on each axis of the index, see :func:`endgame_core.chess.index.axes`.

    Returns:
        uint8 array, the slots in ascending order.
    """
    shape = [len(digits) for digits in box]
    digits: list[Squares] = list(np.ix_(*(np.arange(axis.start, axis.stop) for axis in box)))
    pawned = any(pawns_of(ending))
    if pawned:
        block, *men, king, black_king = digits
        others = [*(column[block] for column in _pawn_squares(*pawns_of(ending))), *men]
    else:
        *men, block, last, black_king = digits
        king, others = _TRIANGLE[block], [*men, last]
    kept, alone = _kept(ending, side, king, others, block)

    def spread(words: Words) -> NDArray[np.uint8]:
        words = np.broadcast_to(words, [*shape[:-1], 1])
        if shape[-1] == 64:
            return _unpacked(words.reshape(-1))
        return (words >> black_king.astype(np.uint64) & np.uint64(1)).astype(np.uint8).reshape(-1)

    found = spread(kept) << np.uint8(1 if pawned else 3)
    if alone.any():
        found -= spread(alone) << np.uint8(2)
    return found


def _slots(ending: str, king: Squares, others: list[Squares], block: Squares, black_king: Squares) -> Squares:
    """Slots of placements that need no symmetry; ``block`` is negative where there is none."""
    pawns = sum(pawns_of(ending))
    if pawns:
        found = _number([block, *others[pawns:], king, black_king])
    else:
        lead = _number(others[:-1]) if others[1:] else np.zeros_like(block)
        found = ((lead * 10 + block) * 64 + others[-1]) * 64 + black_king
    return np.where(block < 0, -1, found)


def keys(ending: str, side: int, slots: Squares) -> Words:
    """The position keys of slots, White being the side named first.

    Args:
        ending: A canonical ending name.
        side: 0 when White is to move, else 1.
        slots: int64 array of shape (n,).

    Returns:
        uint64 array of shape (n,); bit 0 is White to move, then seven bits per man in the order of the name.
    """
    places, black_king = places_of(ending)
    king, others, _ = _word_squares(ending, slots >> 6)
    found = np.full(len(slots), int(side == 0), np.int64) | king << 1 | (slots & 63) << 1 + 7 * black_king
    for place, square in zip(places, others, strict=True):
        found |= square << 1 + 7 * place
    return found.view(np.uint64)


def slots_of_keys(ending: str, keys: Words) -> tuple[NDArray[np.int64], Squares]:
    """Side to move and slot of position keys; the inverse of :func:`keys`.

    Args:
        ending: A canonical ending name.
        keys: uint64 array of shape (n,), any values.

    Returns:
        Two int64 arrays of shape (n,): sides, and slots. A slot is -1 where the key does not fit the ending, or its
        white king or pawns stand where no slot has them. The slot may still be illegal or not canonical.
    """
    king, others, black, wrong = _squares_of_keys(ending, keys)
    block = np.where(wrong, -1, _blocks(ending, king, others))
    return _sides(keys), _slots(ending, king, others, block, black)


def _squares_of_keys(ending: str, keys: Words) -> tuple[Squares, list[Squares], Squares, Mask]:
    """White king, other men in index order and black king of some keys, and which keys do not fit the ending."""
    places, black_king = places_of(ending)
    men = len(places) + 2
    fields = [((keys >> np.uint64(1 + 7 * i)) & np.uint64(GONE)).astype(np.int64) for i in range(men)]
    wrong = keys >> np.uint64(1 + 7 * men) != 0
    for field in fields:
        wrong |= field > 63
    squares = [field & 63 for field in fields]
    return squares[0], [squares[place] for place in places], squares[black_king], wrong


def _sides(keys: Words) -> Squares:
    """Side to move of some keys, 0 for White."""
    return 1 - (keys & np.uint64(1)).astype(np.int64)


def _blocks(ending: str, king: Squares, others: list[Squares]) -> Squares:
    """The block of a placement as it stands, -1 where there is none."""
    pawns = sum(pawns_of(ending))
    if not pawns:
        return _BLOCKS[king]
    known = _number(list(_pawn_squares(*pawns_of(ending))))
    wanted = _number(others[:pawns])
    block = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
    return np.where(known[block] == wanted, block, -1)


def end_candidates(ending: str, side: int, start: int, count: int) -> Mask:
    """Canonical slots where the side to move is in check and its king cannot step away: all mates are among them.

    Args:
        ending: A canonical ending name.
        side: 0 when White (named first) is to move, else 1.
        start: First slot, a multiple of 64.
        count: Number of slots, a multiple of 64.

    Returns:
        bool array of shape (count,).
    """
    king, others, block = _word_squares(ending, _words(start, count))
    kept, _ = _kept(ending, side, king, others, block)
    stuck = _black_stuck if side else _white_stuck
    return _unpacked(kept & stuck(ending, king, others)).view(np.bool_)


def _black_stuck(ending: str, king: Squares, others: list[Squares]) -> Words:
    """Black king squares in check without a flight."""
    attacked = np.zeros(len(king), np.uint64)
    own = np.zeros(len(king), np.uint64)
    for man, square in zip(men_of(ending), others, strict=True):
        if man[1]:
            attacked |= _attacks(man, square, [king, *others])
        else:
            own |= _BIT[square]
    safe = ~(attacked | own | _KING[king])
    flights = np.zeros(len(king), np.uint64)
    for square in range(64):
        flights |= np.where(safe & _KING[square] != 0, _BIT[square], _NONE)
    return attacked & ~flights


def _white_stuck(ending: str, king: Squares, others: list[Squares]) -> Words:
    """Black king squares (it may stand in the way) that leave the white king in check without a flight."""
    between, _ = _lines()
    men = list(zip(men_of(ending), others, strict=True))

    def attacked(target: Squares, without: Sequence[Squares]) -> Words:
        """Black king squares for which a black man other than one on ``target`` attacks it."""
        found = np.zeros(len(target), np.uint64)
        for man, square in men:
            if not man[1]:
                hits = (_attacks(man, square, without) & _BIT[target] != 0) & (square != target)
                found |= np.where(hits, ~between[square, target], _NONE)
        return found

    stuck = attacked(king, others)
    for step in (-9, -8, -7, -1, 1, 7, 8, 9):
        target = np.clip(king + step, 0, 63)
        reachable = _KING[king] & _BIT[target] != 0
        for man, square in men:
            reachable &= ~((square == target) & bool(man[1]))
        stuck &= np.where(reachable, attacked(target, others) | _KING[target], _ALL)
    return stuck


def canonical_slots(ending: str, keys: Words) -> tuple[NDArray[np.int64], Squares]:
    """Side to move and canonical slot of the position keys of any legal positions, in any symmetric copy.

    Args:
        ending: A canonical ending name; the keys' men are in its order.
        keys: uint64 array of shape (n,).

    Returns:
        Two int64 arrays of shape (n,): sides, and slots; -1 where the key is that of no legal position.
    """
    king, others, black, wrong = _squares_of_keys(ending, keys)
    for i in range(sum(pawns_of(ending))):
        wrong |= (others[i] < 8) | (others[i] > 55)
    side = _sides(keys)
    bits = np.where(side == 0, _legal(ending, 0, king, others), _legal(ending, 1, king, others))
    wrong |= bits & _BIT[black] == 0
    home = _pawned_home if any(pawns_of(ending)) else _triangle_home
    return side, np.where(wrong, -1, home(ending, king, others, black))


def _triangle_home(ending: str, king: Squares, others: list[Squares], black: Squares) -> Squares:
    """Canonical slots without pawns: the white king into the triangle, and the lower of two twins."""
    turn = np.where(king & 4, 7, 0) ^ np.where(king & 32, 56, 0)
    king, black, others = king ^ turn, black ^ turn, [square ^ turn for square in others]
    above = king >> 3 > king & 7
    king, black, *others = (np.where(above, _TRANSPOSED[square], square) for square in (king, black, *others))
    here = _slots(ending, king, _fold(ending, others), _BLOCKS[king], black)
    image = _fold(ending, [_TRANSPOSED[square] for square in others])
    twin = _slots(ending, king, image, _BLOCKS[king], _TRANSPOSED[black])
    return np.where(king % 9 == 0, np.minimum(here, twin), here)


def _pawned_home(ending: str, king: Squares, others: list[Squares], black: Squares) -> Squares:
    """Canonical slots with pawns: files mirrored where the placement's number is that of its mirror copy."""
    here = _fold(ending, others)
    image = _fold(ending, [square ^ 7 for square in others])
    block, turned = _blocks(ending, king, here), _blocks(ending, king, image)
    own = (block >= 0) & _own_copies(*pawns_of(ending))[block]
    flip = (block < 0) | (own & (king & 4 > 0))
    men = [np.where(flip, mirrored, plain) for mirrored, plain in zip(image, here, strict=True)]
    turn = np.where(flip, 7, 0)
    return _slots(ending, king ^ turn, men, np.where(flip, turned, block), black ^ turn)

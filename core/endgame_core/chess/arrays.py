"""Many positions at once, in numpy: which slots are canonical, their keys and back, and values one ply deep.

:mod:`endgame_core.chess.index` says what a slot means and which of several copies is canonical; this module says the
same for whole ranges. Masks are computed a *word* at a time: one uint64 holds the 64 black king squares of one
placement of the other pieces, so that a few operations on arrays of words decide 64 slots each. Endings with pawns have
another layout and another symmetry: :func:`_word_squares`, :func:`_slots`, :func:`_blocks` and :func:`_symmetry` know
about them.

:class:`ChessOnePly` derives every position again from the positions one ply later, without the solver. Moves are
generated piece by piece for many positions at once. What a move leads to is looked up in the codes of its ending; the
move is legal if that position is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import groupby
from typing import Any

import chess
import numpy as np
from numpy.typing import NDArray

from endgame_core.chess import metrics
from endgame_core.chess.index import (
    TRIANGLE,
    TURNS,
    axes,
    fit_to_ending,
    men_of,
    mirror_files,
    name_positions,
    pawns_of,
    placements,
    slots,
    transpose,
)
from endgame_core.chess.material import Man
from endgame_core.chess.notation import GONE
from endgame_core.game import Codes
from endgame_core.metric import DTM, DTZ, Metric
from endgame_core.values import CODES_OF_BYTES, DRAW, code_before

Words = NDArray[np.uint64]
Squares = NDArray[np.int64]
Mask = NDArray[np.bool_]

_ALL = np.uint64(chess.BB_ALL)
_NONE = np.uint64(0)
TURNED = np.array(TURNS, np.int64)
_TRANSPOSED = TURNED[4]
_TRIANGLE = np.array(TRIANGLE, np.int64)
_BLOCKS = np.array([TRIANGLE.index(s) if s in TRIANGLE else -1 for s in range(64)], np.int64)
_DIAGONAL = np.uint64(sum(1 << 9 * i for i in range(8)))
_LOWER_OR_EQUAL = np.uint64(sum(1 << s for s in range(64) if s <= transpose(s)))
_KING: Words = np.array(chess.BB_KING_ATTACKS, np.uint64)
_BIT: Words = np.array(chess.BB_SQUARES, np.uint64)


@cache
def _lines() -> tuple[Words, Words]:
    """Two uint64 arrays of shape (64, 64): the squares between two squares, and those behind the second."""
    beyond = np.uint64(0xFFFFFFFFFFFFFFFF) << np.arange(64, dtype=np.uint64)  # each square, and all that follow it
    lines: Words = np.array(chess.BB_RAYS, np.uint64) & (beyond[:, None] ^ beyond[None, :])
    between = lines & (lines - np.uint64(1))  # without the lower one of the two squares

    # A square between source and target has the target behind it: bits (source, target, square) and (source, square,
    # target) are the same.
    bits = np.unpackbits(between.view(np.uint8).reshape(64, 64, 8), axis=2, bitorder="little")
    behind = np.packbits(bits.transpose(0, 2, 1), axis=2, bitorder="little").view(np.uint64)[..., 0]
    return between, behind


@cache
def _reach(piece: chess.PieceType, color: chess.Color) -> Words:
    """Return the attacks of a piece from each square of an empty board, uint64 of shape (64,)."""
    board = chess.BaseBoard.empty()
    result: list[int] = []
    for square in range(64):
        board.set_piece_at(square, chess.Piece(piece, color))
        result.append(board.attacks_mask(square))
        board.remove_piece_at(square)
    return np.array(result, np.uint64)


@cache
def _pawn_squares(white: int, black: int) -> Squares:
    """The squares of each pawn, by number of the placement: int64 of shape (pawns, placements)."""
    return np.array(placements(white, black), np.int64).T.copy()


@cache
def _own_copies(white: int, black: int) -> Mask:
    """Which placements of the pawns are their own mirror copy."""
    return np.array([mirror_files(white, placement) == placement for placement in placements(white, black)])


def _word_squares(ending: str, words: Squares) -> tuple[Squares, list[Squares], Squares]:
    """Splits the numbers of words (a slot is ``word * 64 + black king``).

    Returns:
        Squares of the white king, squares of the other pieces in index order, and blocks.
    """
    digits: list[Squares] = []
    # The digits of a slot in mixed radix, the innermost first; the black king's is not part of a word's number.
    for size in axes(ending)[-2:0:-1]:
        if size == 64:
            words, digit = (words >> 6, words & 63)
        else:
            words, digit = np.divmod(words, size)
        digits.insert(0, digit)
    return _placed(ending, [words, *digits])


def _placed(ending: str, digits: Sequence[Squares]) -> tuple[Squares, list[Squares], Squares]:
    """White king, other pieces and block, by the digits of a slot on each axis of the index but the last."""
    if any(pawns_of(ending)):
        block, *men, king = digits
        return king, [*(column[block] for column in _pawn_squares(*pawns_of(ending))), *men], block
    *men, block, last = digits
    return _TRIANGLE[block], [*men, last], block


def _number(squares: Sequence[Squares]) -> Squares:
    """Joins squares as base-64 digits of one number, so that lists of squares can be compared as numbers."""
    value = np.zeros_like(squares[0])
    for square in squares:
        value = value << 6 | square
    return value


def _fold(ending: str, others: Sequence[Squares]) -> list[Squares]:
    """Sorts the squares of identical pieces (in index order), position by position."""
    result: list[Squares] = []
    for _, run in groupby(range(len(others)), key=lambda i: men_of(ending)[i]):
        group = [others[i] for i in run]
        if len(group) == 1:
            result += group
        else:
            result += list(np.sort(np.stack(np.broadcast_arrays(*group)), axis=0))
    return result


def _symmetry(ending: str, king: Squares, others: list[Squares], block: Squares) -> tuple[Words, Words]:
    """Finds the canonical positions of some words.

    Returns:
        Two uint64 arrays: canonical black king squares, and of these the ones whose position is its own mirror copy.
    """
    plain = _number(others)
    # Identical pieces in descending order are another slot of the same position.
    folded: Words = np.where(_number(_fold(ending, others)) == plain, _ALL, _NONE)
    if any(pawns_of(ending)):
        twin = _own_copies(*pawns_of(ending))[block] & (king & 4 > 0)
        return np.where(twin, _NONE, folded), np.zeros_like(folded)
    # As in the kernels: with the white king on the long diagonal, the smaller of the word and its transposed copy is
    # canonical; if both are the same, black king squares on or below the diagonal are.
    image = _number(_fold(ending, [_TRANSPOSED[square] for square in others]))
    bits: Words = np.where(plain < image, _ALL, np.where(plain == image, _LOWER_OR_EQUAL, _NONE))
    diagonal = king % 9 == 0
    own_copies: Words = np.where(diagonal & (plain == image), _DIAGONAL, _NONE)
    return folded & np.where(diagonal, bits, _ALL), folded & own_copies


def _attacks(man: Man, square: Squares, blockers: Sequence[Squares]) -> Words:
    """Return the attacks of one piece, word by word; they end at the pieces on ``blockers``."""
    _, behind = _lines()
    attacked = _reach(*man)[square]
    # Not with occupied squares as bits: each blocker removes what is behind it, one table look-up each.
    for blocker in blockers:
        attacked = attacked & ~behind[square, blocker]
    return attacked


def _legal(ending: str, side: int, king: Squares, others: list[Squares]) -> Words:
    """Black king squares that make a legal position: no square is shared, and the side that moved is not in check."""
    between, _ = _lines()
    occupied = _BIT[king]
    collision: Mask = np.zeros_like(king, bool)
    for square in others:
        collision = collision | (occupied & _BIT[square] != 0)
        occupied = occupied | _BIT[square]
    bits = ~(occupied | _KING[king])
    for man, square in zip(men_of(ending), others, strict=True):
        white = man.color
        if white != (side == 0):
            continue
        # With White to move the black king may not be attacked. With Black to move White's king may not be, unless the
        # black king stands between it and the attacker.
        attacked = _attacks(man, square, [king, *others])
        if white:
            evasions = ~attacked
        else:
            evasions = np.where(attacked & _BIT[king] != 0, between[square, king], _ALL)
        bits = bits & evasions
    return np.where(collision, _NONE, bits)


def _stored(ending: str, side: int, king: Squares, others: list[Squares], block: Squares) -> tuple[Words, Words]:
    """Black king squares that make a legal canonical position, and those of them that are their own mirror copy."""
    canonical, own_copies = _symmetry(ending, king, others, block)
    stored = canonical & _legal(ending, side, king, others)
    return stored, stored & own_copies


def _words(start: int, count: int) -> Squares:
    if start % 64 or count % 64:
        raise ValueError("a range of slots starts and ends at a multiple of 64")
    return np.arange(start >> 6, (start + count) >> 6, dtype=np.int64)


def _unpacked(words: Words) -> NDArray[np.uint8]:
    """One byte, 0 or 1, for each bit."""
    return np.unpackbits(words.astype("<u8").view(np.uint8), bitorder="little")


def copies(ending: str, side: int, start: int, count: int) -> NDArray[np.uint8]:
    """Counts the boards on which each slot's position stands, symmetric copies included.

    Args:
        ending: A canonical ending name.
        side: 0 when White (named first) is to move, else 1.
        start: First slot, a multiple of 64.
        count: Number of slots, a multiple of 64.

    Returns:
        uint8 array of shape (count,): 8 (2 with pawns), 4 for a position that is its own mirror copy, and 0 for slots
        that are not canonical or hold no legal position.
    """
    stored, own_copies = _stored(ending, side, *_word_squares(ending, _words(start, count)))
    result = most_copies(ending) * _unpacked(stored)
    if own_copies.any():
        return result - 4 * _unpacked(own_copies)
    return result


def most_copies(ending: str) -> int:
    """The number of boards of a position that is not its own mirror copy. With pawns every position counts as two."""
    return 2 if any(pawns_of(ending)) else 8


def squares_in(ending: str, box: Sequence[range]) -> tuple[Squares, list[Squares], Squares, Squares]:
    """White king, other pieces in index order, block and black king of a box of slots.

    The arrays broadcast to the shape of the box.

    Args:
        ending: A canonical ending name.
        box: The digits of the slots on each axis of the index, see :func:`endgame_core.chess.index.axes`.
    """
    *digits, black_king = np.ix_(*(np.arange(axis.start, axis.stop) for axis in box))
    return *_placed(ending, digits), black_king


def squares_of(ending: str, slots: Squares) -> list[Squares]:
    """Squares of the white king, of the other pieces in index order, and of the black king, of some slots."""
    king, others, _ = _word_squares(ending, slots >> 6)
    return [king, *others, slots & 63]


def copies_in(ending: str, side: int, box: Sequence[range]) -> NDArray[np.uint8]:
    """Counts boards as :func:`copies` does, for a box of slots.

    Args:
        ending: A canonical ending name.
        side: 0 when White (named first) is to move, else 1.
        box: The digits of the slots on each axis of the index, see :func:`endgame_core.chess.index.axes`.

    Returns:
        uint8 array, the slots in ascending order.
    """
    shape = [len(digits) for digits in box]
    king, others, block, black_king = squares_in(ending, box)
    stored, own_copies = _stored(ending, side, king, others, block)

    def spread(words: Words) -> NDArray[np.uint8]:
        words = np.broadcast_to(words, [*shape[:-1], 1])
        if shape[-1] == 64:
            return _unpacked(words.reshape(-1))
        return (words >> black_king.astype(np.uint64) & np.uint64(1)).astype(np.uint8).reshape(-1)

    result = spread(stored)
    result *= np.uint8(most_copies(ending))
    if own_copies.any():
        result -= np.uint8(4) * spread(own_copies)
    return result


def twins_in(ending: str, box: Sequence[range]) -> bool:
    """Whether a placement of a box of slots may be its own mirror copy, legal or not.

    Args:
        ending: A canonical ending name.
        box: The digits of the slots on each axis of the index, see :func:`endgame_core.chess.index.axes`.
    """
    king, others, block, _ = squares_in(ending, box)
    return bool((king % 9 == 0).any() and _symmetry(ending, king, others, block)[1].any())


def _slots(ending: str, king: Squares, others: list[Squares], block: Squares, black_king: Squares) -> Squares:
    """Slots of placements as they stand, without symmetry; -1 where ``block`` is negative."""
    pawns = sum(pawns_of(ending))
    if pawns:
        result = _number([block, *others[pawns:], king, black_king])
    else:
        if others[1:]:
            lead = _number(others[:-1])
        else:
            lead = np.zeros_like(block)
        result = ((lead * 10 + block) * 64 + others[-1]) * 64 + black_king
    return np.where(block < 0, -1, result)


def keys(ending: str, side: int, slots: Squares) -> Words:
    """The position keys of slots, White being the side named first.

    Args:
        ending: A canonical ending name.
        side: 0 when White is to move, else 1.
        slots: int64 array of shape (n,).

    Returns:
        uint64 array of shape (n,); bit 0 is White to move, then seven bits per piece in the order of the name.
    """
    words = slots >> 6
    first = 0
    last = 0
    if len(slots):
        first = int(words.min())
        last = int(words.max())
    if last - first >= len(slots):
        king, others, _ = _word_squares(ending, words)
        return _keys_of(ending, side, king, others, slots & 63)
    # They are close together: each word is split once, and a black king added to its key for each slot.
    king, others, _ = _word_squares(ending, np.arange(first, last + 1))
    _, black_king = name_positions(ending)
    keys_of_words = _keys_of(ending, side, king, others, np.zeros_like(king))
    return keys_of_words[words - first] | ((slots & 63) << 1 + 7 * black_king).view(np.uint64)


def _keys_of(ending: str, side: int, king: Squares, others: Sequence[Squares], black: Squares) -> Words:
    """Position keys of placements, pieces in the order of the index."""
    places, black_king = name_positions(ending)
    result = np.full(len(king), int(side == 0), np.int64) | king << 1 | black << 1 + 7 * black_king
    for place, square in zip(places, others, strict=True):
        result |= square << 1 + 7 * place
    return result.view(np.uint64)


def copied_keys(ending: str, side: int, slots: Squares) -> Words:
    """The position keys of slots and of all their symmetric copies: uint64 of shape (slots, 8), with pawns (slots, 2).

    A position that is its own mirror copy has each key twice.
    """
    king, others, _ = _word_squares(ending, slots >> 6)
    images = ([turn[square] for square in (king, *others, slots & 63)] for turn in TURNED[: most_copies(ending)])
    return np.stack(
        [_keys_of(ending, side, king, _fold(ending, others), black) for king, *others, black in images], axis=1
    )


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


def _squares_of_keys(ending: str, keys: Words, swapped: bool = False) -> tuple[Squares, list[Squares], Squares, Mask]:
    """White king, other pieces in index order and black king of some keys, and which keys do not fit the ending."""
    places, black_king = name_positions(ending)
    men = len(places) + 2
    fields = [((keys >> np.uint64(1 + 7 * i)) & np.uint64(GONE)).astype(np.int64) for i in range(men)]
    wrong = keys >> np.uint64(1 + 7 * men) != 0
    for field in fields:
        wrong |= field > 63
    squares = [field & 63 for field in fields]
    # Colours exchanged: the other side's pieces come first in the key, and the board is flipped.
    if swapped:
        squares = [square ^ 56 for square in (*squares[men - black_king :], *squares[: men - black_king])]
    return squares[0], [squares[place] for place in places], squares[black_king], wrong


def _sides(keys: Words) -> Squares:
    """Side to move of some keys, 0 for White."""
    return 1 - (keys & np.uint64(1)).astype(np.int64)


def _blocks(ending: str, king: Squares, others: list[Squares]) -> Squares:
    """The block of a placement as it stands, -1 where there is none."""
    pawns = sum(pawns_of(ending))
    if not pawns:
        return _BLOCKS[king]
    # Placements are numbered in ascending order, so their keys are sorted.
    placement_keys = _number(list(_pawn_squares(*pawns_of(ending))))
    pawn_keys = _number(others[:pawns])
    block = np.minimum(np.searchsorted(placement_keys, pawn_keys), len(placement_keys) - 1)
    return np.where(placement_keys[block] == pawn_keys, block, -1)


def canonical_slots(ending: str, keys: Words, swapped: bool = False) -> tuple[NDArray[np.int64], Squares]:
    """Side to move and canonical slot of the position keys of any positions, in any symmetric copy.

    Args:
        ending: A canonical ending name; the keys' pieces are in its order.
        keys: uint64 array of shape (n,).
        swapped: They are keys of the ending with colours exchanged, the pieces of its second side first.

    Returns:
        Two int64 arrays of shape (n,): sides, and slots; -1 where the key is that of no legal position.
    """
    king, others, black, wrong = _squares_of_keys(ending, keys, swapped)
    for i in range(sum(pawns_of(ending))):
        wrong |= (others[i] < 8) | (others[i] > 55)
    side = _sides(keys) ^ swapped
    bits = np.where(side == 0, _legal(ending, 0, king, others), _legal(ending, 1, king, others))
    wrong |= bits & _BIT[black] == 0
    return side, np.where(wrong, -1, _canonical(ending, king, others, black))


def canonical_slots_at(ending: str, squares: Sequence[Squares]) -> Squares:
    """Canonical slots of any placements, in any symmetric copy.

    Args:
        ending: A canonical ending name.
        squares: Squares of the pieces in the order of the name, one array of shape (n,) for each.

    Returns:
        int64 array of shape (n,); -1 where two pawns share a square. The positions may be illegal.
    """
    places, black_king = name_positions(ending)
    return _canonical(ending, squares[0], [squares[place] for place in places], squares[black_king])


def _canonical(ending: str, king: Squares, others: list[Squares], black: Squares) -> Squares:
    return (_pawned_home if any(pawns_of(ending)) else _triangle_home)(ending, king, others, black)


def _triangle_home(ending: str, king: Squares, others: list[Squares], black: Squares) -> Squares:
    """Canonical slots without pawns: the white king into the triangle, and the lower of two twins."""
    flip = np.where(king & 4, 7, 0) ^ np.where(king & 32, 56, 0)
    king = king ^ flip
    black = black ^ flip
    others = [square ^ flip for square in others]
    above = king >> 3 > king & 7
    king, black, *others = (np.where(above, _TRANSPOSED[square], square) for square in (king, black, *others))
    plain = _slots(ending, king, _fold(ending, others), _BLOCKS[king], black)
    image = _fold(ending, [_TRANSPOSED[square] for square in others])
    twin = _slots(ending, king, image, _BLOCKS[king], _TRANSPOSED[black])
    return np.where(king % 9 == 0, np.minimum(plain, twin), plain)


def _pawned_home(ending: str, king: Squares, others: list[Squares], black: Squares) -> Squares:
    """Canonical slots with pawns: files are mirrored where only the mirrored placement has a number."""
    plain_squares = _fold(ending, others)
    image = _fold(ending, [square ^ 7 for square in others])
    block = _blocks(ending, king, plain_squares)
    mirrored_block = _blocks(ending, king, image)
    own = (block >= 0) & _own_copies(*pawns_of(ending))[block]
    # A placement that is its own mirror copy leaves the choice to the white king, on files a to d.
    flip = (block < 0) | (own & (king & 4 > 0))
    men = [np.where(flip, mirrored, plain) for mirrored, plain in zip(image, plain_squares, strict=True)]
    king_flip = np.where(flip, 7, 0)
    return _slots(ending, king ^ king_flip, men, np.where(flip, mirrored_block, block), black ^ king_flip)


Values = NDArray[np.int32]

_ONE = np.uint64(1)
_PROMOTIONS = (chess.QUEEN, chess.ROOK, chess.BISHOP, chess.KNIGHT)


def _targets(bits: Words) -> Iterator[tuple[Squares, Squares]]:
    """Takes one square at a time out of sets of squares: yields the rows that have one, and the lowest of each."""
    while len(rows := np.flatnonzero(bits)):
        # The lowest bit of a word is a power of two, whose exponent is its number. As a float it is exact.
        low = bits[rows] & (~bits[rows] + _ONE)
        bits[rows] ^= low
        yield rows, np.frexp(low.astype(np.float64))[1].astype(np.int64) - 1


def _has(words: Words, squares: Squares) -> NDArray[np.bool_]:
    return (words >> squares.astype(np.uint64)) & _ONE != 0


@cache
def _move_values(draw: int, zeroing: bool | None) -> Values:
    """The values of moves, as codes, by the stored code of the position after the move.

    Args:
        draw: The byte of a draw there; ``DRAW`` if codes are stored, not bytes.
        zeroing: Whether the move is a zeroing one, by DTZ; None by DTM.
    """
    if zeroing is None:
        return np.array([code_before(code) for code in (range(0x10000) if draw == DRAW else CODES_OF_BYTES)], np.int32)
    if draw == DRAW:
        codes = range(0x10000)
    else:
        codes = metrics.codes(draw)
    return np.array([metrics.moved(code, zeroing) for code in codes], np.int32)


class ChessOnePly:
    """Derives the codes of an ending's positions from the codes of the positions one ply later.

    Args:
        ending: A canonical ending name.
        codes: Reads the stored codes of an ending with one side to move, this one included.
        metric: What it means.
    """

    def __init__(self, ending: str, codes: Codes, metric: Metric = DTM) -> None:
        self.ending = ending
        self.metric: Metric = metric
        self._read_codes = codes
        self._cached: dict[tuple[str, int], tuple[NDArray[Any], Words]] = {}

    def _codes(self, ending: str, side: int) -> tuple[NDArray[Any], Words]:
        """Return the stored codes by slot, and the legal black king squares by word."""
        if (ending, side) not in self._cached:
            king, others, _ = _word_squares(ending, np.arange(slots(ending) // 64))
            self._cached[ending, side] = self._read_codes(ending, side), _legal(ending, side, king, others)
        return self._cached[ending, side]

    def derived(self, side: int, start: int, count: int) -> tuple[Squares, Values]:
        """Derives the codes that the canonical positions of a range must have.

        Args:
            side: 0 when White (named first) is to move, else 1.
            start: First slot, a multiple of 64.
            count: Number of slots, a multiple of 64.

        Returns:
            int64 array of slots, and an int32 array of their codes; -1 where an en passant capture, which slots do not
            know, may matter.
        """
        where = start + np.flatnonzero(copies(self.ending, side, start, count))
        return where, self.derived_at(side, where)

    def derived_at(self, side: int, where: Squares) -> Values:
        """Derives the codes of some canonical slots; see :meth:`derived`."""
        king, others, _ = _word_squares(self.ending, where >> 6)
        men = (Man(chess.KING, chess.WHITE), *men_of(self.ending), Man(chess.KING, chess.BLACK))
        return _Range(men, np.stack([king, *others, where & 63]), side == 0, self).best()

    def looked_up(self, ending: str, side: int, slots: Squares) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        """Return the stored codes of canonical slots, and a mask of the slots that hold a legal position."""
        codes, legal = self._codes(ending, side)
        return codes[slots], _has(legal[slots >> 6], slots & 63)

    def value(self, men: tuple[Man, ...], squares: Squares, mover: chess.Color, zeroing: bool) -> Values:
        """The value of a move to ``mover``, given the placements after it; -1 where the move is illegal."""
        fitted = fit_to_ending(men[1:-1])
        if not fitted.ending:
            is_legal = ~_has(_attacks(men[0], squares[0], []), squares[1])
            return np.where(is_legal, DRAW, -1).astype(np.int32)
        king = squares[0]
        black = squares[-1]
        others = squares[1:-1]
        if fitted.is_swapped:
            # The colours change places, so the board is mirrored as well: pawns must go up it.
            king, black, others = black ^ 56, king ^ 56, others ^ 56
        slots = _canonical(fitted.ending, king, [others[i] for i in fitted.numbers], black)
        side = int((not mover) == fitted.is_swapped)
        codes, legal = self.looked_up(fitted.ending, side, slots)
        if codes.itemsize > 1:
            draw = DRAW
        else:
            draw = metrics.draw(fitted.ending, side, self.metric)
        values = _move_values(draw, zeroing if self.metric == DTZ else None)
        return np.where(legal, values[codes], np.int32(-1))


class SomePlies(ChessOnePly):
    """Derives codes of some positions of tables that are too large to be read as a whole.

    Args:
        ending: A canonical ending name.
        values: Reads the codes of canonical slots of an ending with one side to move.
    """

    def __init__(self, ending: str, values: Callable[[str, int, Squares], NDArray[np.uint16]]) -> None:
        super().__init__(ending, self._none)
        self._values = values

    @staticmethod
    def _none(ending: str, side: int) -> NDArray[Any]:
        raise AssertionError("no table is read as a whole")

    def looked_up(self, ending: str, side: int, slots: Squares) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        """The codes of canonical slots, and which of them hold a legal position."""
        king, others, _ = _word_squares(ending, slots >> 6)
        codes = np.zeros(len(slots), np.uint16)
        legal = _has(_legal(ending, side, king, others), slots & 63)
        codes[legal] = self._values(ending, side, slots[legal])
        return codes, legal


class _Range:
    """Some positions of one ending and side to move.

    Args:
        men: The pieces, kings included.
        squares: int64 array of shape (pieces, positions).
        mover: The side to move.
        after: Finds the values of moves.
    """

    def __init__(self, men: tuple[Man, ...], squares: Squares, mover: chess.Color, after: ChessOnePly) -> None:
        self.men = men
        self.squares = squares
        self.mover = mover
        self.after = after
        self.own, self.enemy = (self._occupied(color) for color in (mover, not mover))
        self.values: Values = np.full(squares.shape[1], -1, np.int32)

    def _occupied(self, color: chess.Color) -> Words:
        bits = np.zeros(self.squares.shape[1], np.uint64)
        for (_, man_color), square in zip(self.men, self.squares, strict=True):
            if man_color == color:
                bits |= _ONE << square.astype(np.uint64)
        return bits

    def best(self) -> Values:
        """The best value over all moves; see :meth:`ChessOnePly.derived`."""
        unsure = np.zeros(len(self.values), bool)
        for i, man in enumerate(self.men):
            if man.color != self.mover:
                continue
            attacked = _attacks(man, self.squares[i], list(self.squares))
            if man.kind == chess.PAWN:
                self._push(i, unsure)
                for rows, targets in _targets(attacked & self.enemy):
                    self._advance(i, rows, targets)
            else:
                for rows, targets in _targets(attacked & ~self.own):
                    self._play(i, man.kind, rows, targets)
        # A position without a legal move is mate (code 0) or stalemate.
        stuck = np.flatnonzero(self.values < 0)
        self.values[stuck] = np.where(self._checked(self.squares[:, stuck]), 0, DRAW)
        self.values[unsure] = -1
        return self.values

    def _push(self, i: int, unsure: NDArray[np.bool_]) -> None:
        """Pushes one pawn; sets ``unsure`` where that may be answered by a capture en passant."""
        forward = 8 if self.mover else -8
        square = self.squares[i]
        occupied = self.own | self.enemy
        rows = np.flatnonzero(~_has(occupied, square + forward))
        self._advance(i, rows, square[rows] + forward)
        rows = rows[square[rows] >> 3 == (1 if self.mover else 6)]
        targets = square[rows] + 2 * forward
        free = ~_has(occupied[rows], targets)
        rows = rows[free]
        targets = targets[free]
        self._advance(i, rows, targets)
        for man, other in zip(self.men, self.squares, strict=True):
            if man == Man(chess.PAWN, not self.mover):
                beside = (np.abs(other[rows] - targets) == 1) & (other[rows] >> 3 == targets >> 3)
                unsure[rows[beside]] = True

    def _advance(self, i: int, rows: Squares, targets: Squares) -> None:
        last = (targets >> 3 == 7) | (targets >> 3 == 0)
        self._play(i, chess.PAWN, rows[~last], targets[~last])
        if last.any():
            for piece in _PROMOTIONS:
                self._play(i, piece, rows[last], targets[last])

    def _play(self, i: int, piece: chess.PieceType, rows: Squares, targets: Squares) -> None:
        """Moves piece ``i``, which may become another ``piece``, and takes what is on its target."""
        men = (*self.men[:i], Man(piece, self.mover), *self.men[i + 1 :])
        squares = self.squares[:, rows]
        squares[i] = targets
        taking = _has(self.enemy[rows], targets)
        self._offer(men, squares, rows, ~taking, self.men[i].kind == chess.PAWN)
        if not taking.any():
            return
        # A capture leads to another ending for each piece that may be taken.
        for j, (_, color) in enumerate(men):
            if color != self.mover:
                rest = [k for k in range(len(men)) if k != j]
                self._offer([men[k] for k in rest], squares[rest], rows, self.squares[j, rows] == targets, True)

    def _offer(
        self, men: Sequence[Man], squares: Squares, rows: Squares, which: NDArray[np.bool_], zeroing: bool
    ) -> None:
        if which.any():
            rows = rows[which]
            value = self.after.value(tuple(men), squares[:, which], self.mover, zeroing)
            self.values[rows] = np.maximum(self.values[rows], value)

    def _checked(self, squares: Squares) -> NDArray[np.bool_]:
        """Whether the side to move is in check."""
        king = squares[self.men.index(Man(chess.KING, self.mover))]
        result = np.zeros(squares.shape[1], bool)
        for man, square in zip(self.men, squares, strict=True):
            if man.color != self.mover:
                result |= _has(_attacks(man, square, list(squares)), king)
        return result

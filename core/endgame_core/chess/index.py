"""The index: from the squares of a position to a slot of its table and back, in pure Python.

Functions take the squares of the pieces *in the order of the ending's name* (``KQvKR``: white king, queen, black
king, rook), a1 = 0 … h8 = 63. Lists of :class:`Man` have no kings, which every ending has.

**Without pawns.** A symmetry of the board (eight of them: mirror files, mirror ranks, mirror on the diagonal) brings
the white king into the triangle a1-d1-d4, which has ten squares; ``block`` is its number there. ``p0, p1 …`` are the
other pieces in the order of :func:`index_order`::

    slot = (((p0 * 64 + p1 ...) * 10 + block) * 64 + last piece) * 64 + black king

Suppose we have KRvK with the white king on f3, the rook on h5 and the black king on d6. Mirroring the files brings
the king to c3, which is on the diagonal a1-h8 and in the triangle: block 7 of ``TRIANGLE``. The rook goes to a5 = 32,
the black king to e6 = 44. There is one piece besides the kings, so it is the last one: ``slot = (7 * 64 + 32) * 64 +
44``.

A king on the diagonal leaves one more symmetry: mirrored on it, the king stays where it is. Here the rook would come
to e1 = 4 and the black king to f5 = 37. Of the two slots the smaller one is *canonical*; compared are the pieces,
``(4, 37) < (32, 44)``, so the position is stored in slot ``(7 * 64 + 4) * 64 + 37 = 28965``.

*Like pieces* are sorted. KRRvK with Kb1, Rh8, Rc4 and ke5 has block 1 (b1) and the rooks on h8 = 63 and c4 = 26. It is
the same position whichever rook we call the first, so the lower square is ``p0``: ``((26 * 10 + 1) * 64 + 63) * 64 +
36 = 1073124``. The slot with the rooks exchanged stays empty.

**With pawns** only files may be mirrored. ``placement`` is the number of the placement of all pawns, of which two
mirror copies share one; ``p0, p1`` are the pieces that are neither kings nor pawns::

    slot = (((placement * 64 + p0) * 64 + p1) * 64 + white king) * 64 + black king

Suppose we have KPvK with Ke3, Pg4 and kc7. The pawn on g4 mirrors to b4 = 25, which is smaller, so files are mirrored.
A pawn on files a to d has the numbers a2 = 0, b2 = 1, c2, d2, a3 ...: b4 is placement 9. The kings go to d3 = 19 and
f7 = 53: ``slot = (9 * 64 + 19) * 64 + 53 = 38133``.

Pawns only go forward, so each placement of the pawns is a small problem of its own: a *slice* of the table, solved
after the placements that its pawns can reach.

**Canonical slots.** Several slots may be copies of one position: a white king on the diagonal, exchanged identical
pieces, pawns that mirror each other. One of them is canonical: the one that :func:`index_of` returns. Tables store
legal canonical slots only; the kernels and :mod:`endgame_core.chess.arrays` find them for whole ranges.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations
from math import comb, prod
from typing import NamedTuple

import chess

from endgame_core.chess import material
from endgame_core.chess.material import Man

_SQUARES = range(8, 56)

Placement = tuple[int, ...]
"""Squares of White's pawns, ascending, then of Black's, ascending."""


def mirror_files(white: int, placement: Sequence[int]) -> Placement:
    """Mirrors the files of a placement; ``white`` is the number of White's pawns, which come first."""
    squares = [square ^ 7 for square in placement]
    return (*sorted(squares[:white]), *sorted(squares[white:]))


@lru_cache(maxsize=16)
def placements(white: int, black: int) -> tuple[Placement, ...]:
    """Lists all placements of some pawns, of two mirror copies the smaller one, in ascending order.

    Args:
        white: Number of White's pawns.
        black: Number of Black's pawns.
    """
    result: list[Placement] = []
    for first in combinations(_SQUARES, white):
        free = [square for square in _SQUARES if square not in first]
        for second in combinations(free, black):
            placement = first + second
            if placement <= mirror_files(white, placement):
                result.append(placement)
    return tuple(result)


def placement_count(white: int, black: int) -> int:
    """Counts :func:`placements` without listing them."""
    # Of two mirror copies one counts. A placement that is its own copy has none to share with, so it is counted twice
    # here before halving; it has as many pawns on files a to d as on e to h, so only even numbers of pawns have any.
    ways = comb(48, white) * comb(48 - white, black)
    own_copies = 0
    if white % 2 == 0 and black % 2 == 0:
        own_copies = comb(24, white // 2) * comb(24 - white // 2, black // 2)
    return (ways + own_copies) // 2


@lru_cache(maxsize=16)
def _numbers(white: int, black: int) -> dict[Placement, int]:
    return {placement: number for number, placement in enumerate(placements(white, black))}


def number_of(white: int, black: int, squares: Sequence[int]) -> tuple[int, bool, bool]:
    """Finds the number of a placement in :func:`placements`.

    Args:
        white: Number of White's pawns, which come first in ``squares``.
        black: Number of Black's pawns.
        squares: Squares of the pawns, in any order within a colour.

    Returns:
        The number, whether the placement was mirrored to find it, and whether it is its own mirror copy.
    """
    placement = (*sorted(squares[:white]), *sorted(squares[white:]))
    image = mirror_files(white, placement)
    return _numbers(white, black)[min(placement, image)], image < placement, image == placement


def advancement(white: int, placement: Placement) -> int:
    """Adds up how many ranks each pawn of a placement is from the first rank of its colour; 1 before its first move.

    Every pawn move makes it larger. So slices with the same advancement never lead into each other (a *wave* of the
    solver), and solving them in descending order solves each slice after all that its pawns can reach.
    """
    return sum((square >> 3) if i < white else 7 - (square >> 3) for i, square in enumerate(placement))


TRIANGLE = (0, 1, 2, 3, 9, 10, 11, 18, 19, 27)
"""White king squares a1 b1 c1 d1 b2 c2 d2 c3 d3 d4, by block."""

_BLOCK = {square: block for block, square in enumerate(TRIANGLE)}


def transpose(square: int) -> int:
    """Mirrors a square on the long diagonal a1-h8: exchanges file and rank."""
    return (square >> 3) | ((square & 7) << 3)


def _transform(symmetry: int, square: int) -> int:
    """Applies a symmetry of the board: bit 0 mirrors files, bit 1 ranks, then bit 2 transposes."""
    square ^= (7 if symmetry & 1 else 0) ^ (56 if symmetry & 2 else 0)
    if symmetry & 4:
        return transpose(square)
    return square


TURNS = tuple(tuple(_transform(symmetry, square) for square in range(64)) for symmetry in range(8))
"""``TURNS[symmetry][square]``: where each square goes. Bits: 1 mirrors files, 2 mirrors ranks, then 4 transposes."""


def _symmetry_to_triangle(square: int) -> tuple[int, bool]:
    """Finds the symmetry that brings a square into the triangle: what to XOR it with, and whether to transpose then.

    The same symmetries as in :data:`TURNS`, but not numbered: the XOR mask holds bits 0 and 1 of their number.
    """
    # XOR with 7 mirrors the file, with 56 the rank. Then the square is in the quarter a1-d4, and in the triangle
    # unless its rank is above its file.
    xor_mask = (7 if square & 4 else 0) | (56 if square & 32 else 0)
    square ^= xor_mask
    return xor_mask, (square >> 3) > (square & 7)


_TO_TRIANGLE = tuple(_symmetry_to_triangle(square) for square in range(64))


@lru_cache(maxsize=256)
def index_order(ending: str) -> tuple[int, ...]:
    """Lists the pieces and pawns of the name in the order of the index, as numbers in ``material.men`` (without kings).

    Pawns come first, White's before Black's. Then identical pieces, so that the solver can fold their exchange in its
    outermost loops: KQRRvK has the order ``(1, 2, 0)``, rooks before the queen. Where no pieces are identical, the
    last of three is White's: the solver is slowest at the last piece's moves, and proving Black's losses is most of its
    work. KQRvKB has the order ``(0, 2, 1)``: queen, bishop, rook.
    """
    men = material.men(ending)
    numbers = sorted(range(len(men)), key=lambda i: (men[i].kind != chess.PAWN, -men.count(men[i]), i))
    if len(men) == len(set(men)) == 3 and not material.has_pawns(ending) and men[2].color == chess.BLACK:
        numbers[1:] = [2, 1]  # the first two are White's: the stronger side, named first, has two of three pieces
    # White's pawns first again: in KQPvKPP the sort has put Black's before, since there are more of them.
    pawns = sum(piece == chess.PAWN for piece, _ in men)
    numbers[:pawns] = sorted(numbers[:pawns])
    return tuple(numbers)


@lru_cache(maxsize=256)
def men_of(ending: str) -> tuple[Man, ...]:
    """Lists the pieces and pawns, without the kings, in the order of the index."""
    men = material.men(ending)
    return tuple(men[i] for i in index_order(ending))


class FittedMen(NamedTuple):
    """The ending that some pieces and pawns are.

    Attributes:
        ending: Its canonical name; empty for bare kings.
        is_swapped: Whether White's pieces are those of the ending's Black.
        numbers: For each piece in the order of the index, its number among the given ones.
    """

    ending: str
    is_swapped: bool
    numbers: tuple[int, ...]


@lru_cache(maxsize=4096)
def fit_to_ending(men: tuple[Man, ...]) -> FittedMen:
    """Finds the ending of some pieces and pawns, without kings, in any order and colours."""
    if not men:
        return FittedMen("", False, ())
    letters = {True: "K", False: "K"}
    for piece, color in men:
        letters[color] += chess.piece_symbol(piece).upper()
    name, swapped = material.parse_material(f"{letters[True]}v{letters[False]}")
    free = list(range(len(men)))
    numbers: list[int] = []
    for piece, color in men_of(name):
        number = next(i for i in free if men[i] == Man(piece, color != swapped))
        numbers.append(number)
        free.remove(number)
    return FittedMen(name, swapped, tuple(numbers))


@lru_cache(maxsize=256)
def pawns_of(ending: str) -> tuple[int, int]:
    """Counts White's and Black's pawns."""
    men = material.men(ending)
    return men.count(Man(chess.PAWN, chess.WHITE)), men.count(Man(chess.PAWN, chess.BLACK))


@lru_cache(maxsize=256)
def name_positions(ending: str) -> tuple[tuple[int, ...], int]:
    """Finds where the pieces stand in the name, kings counted: those of the index in its order, and the black king.

    KQvKR has ``((1, 3), 2)``: the white king is 0, the queen 1, the black king 2 and the rook 3.
    """
    whites = sum(color == chess.WHITE for _, color in material.men(ending))
    black_king = 1 + whites
    positions = tuple(1 + i if i < whites else 2 + i for i in index_order(ending))
    return positions, black_king


def slots(ending: str) -> int:
    """Counts the slots of an ending's index, per side to move."""
    return prod(axes(ending))


@lru_cache(maxsize=256)
def axes(ending: str) -> tuple[int, ...]:
    """Lists how many values each digit of a slot takes, the outermost first; see the top of this module."""
    count = len(material.men(ending))
    white, black = pawns_of(ending)
    if white + black:
        return placement_count(white, black), *[64] * (count - white - black + 2)
    return *[64] * (count - 1), 10, 64, 64


def fold(men: Sequence[Man], squares: list[int]) -> list[int]:
    """Sorts the squares of identical pieces, which are neighbours in ``men``, in place; returns the same list."""
    start = 0
    for end in range(1, len(men) + 1):
        # A run of identical pieces ends here. They can be exchanged, so their squares are put in ascending order.
        if end == len(men) or men[end] != men[start]:
            squares[start:end] = sorted(squares[start:end])
            start = end
    return squares


def index_of(ending: str, squares: Sequence[int]) -> int:
    """Finds the canonical slot of a placement.

    Args:
        ending: A canonical ending name.
        squares: One square per piece in the order of the name, as in the position key.

    Returns:
        The slot, 0 <= slot < ``slots(ending)``; the same for all symmetric copies.
    """
    if any(pawns_of(ending)):
        return _pawn_index(ending, squares)
    men = men_of(ending)
    positions, black_king = name_positions(ending)
    xor_mask, transposes = _TO_TRIANGLE[squares[0]]
    images = [square ^ xor_mask for square in squares]
    if transposes:
        images = [transpose(square) for square in images]
    block = _BLOCK[images[0]]
    king = images[black_king]
    others = fold(men, [images[position] for position in positions])
    # A king on the diagonal a1-h8 (squares 0, 9, 18 and 27) stays there when the board is transposed: the two copies
    # compete, and the smaller list of squares wins.
    if images[0] % 9 == 0:
        twin = [*fold(men, [transpose(square) for square in others]), transpose(king)]
        if twin < [*others, king]:
            *others, king = twin
    # The last piece and the black king come behind the block: 64 x 64 slots with everything else fixed are consecutive.
    index = 0
    for square in others[:-1]:
        index = index * 64 + square
    return ((index * 10 + block) * 64 + others[-1]) * 64 + king


def _pawn_index(ending: str, squares: Sequence[int]) -> int:
    white, black = pawns_of(ending)
    pawns = white + black
    positions, black_king = name_positions(ending)
    index, is_mirrored, own_copy = number_of(white, black, [squares[position] for position in positions[:pawns]])
    # Pawns that are their own mirror copy leave the symmetry free; White's king then stands on files a to d.
    file_mask = 0
    if is_mirrored or (own_copy and squares[0] & 4):
        file_mask = 7
    # Then one base-64 digit for each other piece, and at the end those of the white and the black king.
    for square in fold(men_of(ending)[pawns:], [squares[position] ^ file_mask for position in positions[pawns:]]):
        index = index * 64 + square
    return (index * 64 + (squares[0] ^ file_mask)) * 64 + (squares[black_king] ^ file_mask)


def squares_at(ending: str, index: int) -> list[int]:
    """Finds the squares of a slot, in the order of the ending's name (inverse of :func:`index_of`)."""
    positions, black_king = name_positions(ending)
    squares = [0] * (len(positions) + 2)
    index, squares[black_king] = divmod(index, 64)
    white, black = pawns_of(ending)
    if white + black:
        index, squares[0] = divmod(index, 64)
        for position in reversed(positions[white + black :]):
            index, squares[position] = divmod(index, 64)
        pawn_squares = placements(white, black)[index]
        for position, square in zip(positions[: white + black], pawn_squares, strict=True):
            squares[position] = square
        return squares
    index, squares[positions[-1]] = divmod(index, 64)
    index, block = divmod(index, 10)
    squares[0] = TRIANGLE[block]
    for position in reversed(positions[:-1]):
        index, squares[position] = divmod(index, 64)
    return squares

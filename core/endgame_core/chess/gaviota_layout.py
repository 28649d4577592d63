"""The layout of Gaviota files: where the position of an index stands, and how a byte holds its value.

A file ``krpkr.gtb.cp4`` has ten little-endian 32-bit numbers (the third is the size of a block, the ninth the offset
of the first block), the offsets of all blocks and of the end, and then the blocks: those with White to move, then those
with Black to move. A block holds the bytes of 16,384 indices, compressed with LZMA.

**Index.** It is a number in mixed radix. Without pawns, its first digit is the number of the placement of the kings, of
which there are 462 up to symmetry: the black king stands in the triangle a1-d1-d4 and, if that is on the long diagonal,
the white king not above it. With pawns, the first digit is the number of the placement of the pawns, and the squares of
the white king and of the black king follow. Then, in either case, come two or three like pieces, as the number of their
set of squares, and then the squares of the other pieces. For KRBvKR: ``((kings * 64 + rook) * 64 + bishop) * 64 +
rook``, for KBBPvK: ``((pawn * 64 + white king) * 64 + black king) * 2016 + bishops``.

**Byte.** The two lowest bits are the result and the six others the number of moves. Mate in 65 moves or more does not
fit, and uses the bits of a draw and of an illegal position, with a number of moves that is not 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import combinations, product

import chess

from endgame_core.chess import material
from endgame_core.chess.index import TRIANGLE

SUFFIX = ".gtb.cp4"
BLOCK = 1 << 14
"""Indices in a block; the last block of a side has the rest."""

HEADER_NUMBERS = 10
MOST_PIECES = 5

ILLEGAL = 3
"""The byte of an index without a legal position."""

_WHITE_MATES = 1
_BLACK_MATES = 2
_LONG = 63
"""Moves that are subtracted where the number has more than six bits."""

Group = tuple[tuple[int, ...], Sequence[tuple[int, ...]]]
"""A digit of the index: pieces by their places in the ending's name, and their squares for each value of the digit."""


def file_name(ending: str) -> str:
    """Return the file name of an ending: ``KRPvKR`` is in ``krpkr.gtb.cp4``."""
    return ending.replace("v", "").lower() + SUFFIX


_SINGLE = tuple((square,) for square in range(64))
_PAWN_SQUARES = range(8, 56)


@cache
def groups(ending: str) -> tuple[Group, ...]:
    """Return the digits of an ending's index, the most significant first.

    Args:
        ending: The canonical name of an ending of three to five pieces.
    """
    pieces = material.men(ending)
    white_count = sum(color for _, color in pieces)
    black_king = 1 + white_count
    # Places in the name count the kings: the white king is 0, and pieces of Black come after the black king.
    places = [1 + i + (i >= white_count) for i in range(len(pieces))]
    pawns = [place for place, (piece, _) in zip(places, pieces, strict=True) if piece == chess.PAWN]
    white_pawns = sum(place < black_king for place in pawns)
    others = [place for place in places if place not in pawns]

    kinds = dict(zip(places, pieces, strict=True))
    like = tuple(place for place in others if [kinds[other] for other in others].count(kinds[place]) > 1)

    result: list[Group] = []
    if pawns:
        result.append((tuple(pawns), _pawn_placements(white_pawns, len(pawns) - white_pawns)))
        result += [((0,), _SINGLE), ((black_king,), _SINGLE)]
    else:
        result.append(((black_king, 0), _king_placements()))
    if like:
        result.append((like, _sets(len(like))))
    result += [((place,), _SINGLE) for place in others if place not in like]
    return tuple(result)


def size(ending: str) -> int:
    """Return the number of indices for each side to move."""
    total = 1
    for _, placements in groups(ending):
        total *= len(placements)
    return total


@cache
def _king_placements() -> tuple[tuple[int, int], ...]:
    """Return the squares of the black king and of the white king."""
    result: list[tuple[int, int]] = []
    for black, white in product(TRIANGLE, range(64)):
        # On the diagonal the mirror copy of a pair has the same black king; one of the two is listed.
        is_above_diagonal = black % 9 == 0 and white >> 3 > white & 7
        if chess.square_distance(black, white) > 1 and not is_above_diagonal:
            result.append((black, white))
    return tuple(result)


@cache
def _sets(count: int) -> tuple[tuple[int, ...], ...]:
    """Return the squares of two like pieces in lexicographic order, those of three ordered by the highest first."""
    result = list(combinations(range(64), count))
    if count == 3:
        result.sort(key=lambda squares: squares[::-1])
    return tuple(result)


@cache
def _pawn_placements(white: int, black: int) -> tuple[tuple[int, ...], ...]:
    """Return the squares of the pawns, White's first; of two mirror copies one is listed, or both."""
    advanced_first = [rank * 8 + file for rank in range(6, 0, -1) for file in range(4)]
    black_half = [square ^ 56 for square in advanced_first]
    if (white, black) == (1, 0):
        return tuple((square,) for square in advanced_first)
    if (white, black) == (0, 1):
        return tuple((square,) for square in black_half)
    if (white, black) == (1, 1):
        return tuple(product(advanced_first, _PAWN_SQUARES))
    if (white, black) == (2, 1):
        pairs = list(combinations(reversed(_PAWN_SQUARES), 2))
        return tuple((*pair, square) for square in black_half for pair in pairs)
    if (white, black) == (2, 0):
        return _pawn_pairs()
    return _pawn_triples()


def _pawn_pairs() -> tuple[tuple[int, int], ...]:
    """Return the placements of two white pawns. The *anchor*, listed first, stands on files a to d."""

    def anchor_order(square: int) -> tuple[int, int, int]:
        file = square & 7
        return square >> 3, max(file, 7 - file), -square

    result: dict[tuple[int, int], None] = {}
    for pair in combinations(reversed(_PAWN_SQUARES), 2):
        if not pair[0] & 4:
            continue
        anchor = max(pair, key=anchor_order)
        other = sum(pair) - anchor
        flip = 7 if anchor & 4 else 0
        result[anchor ^ flip, other ^ flip] = None
    return tuple(result)


def _pawn_triples() -> tuple[tuple[int, int, int], ...]:
    """Return the placements of three white pawns, of which at most one stands on files e to h."""
    squares = [rank * 8 + file for files in (range(7, 3, -1), range(3, -1, -1)) for rank in range(6, 0, -1)
               for file in files]  # fmt: skip
    return tuple(triple for triple in combinations(squares, 3) if not triple[1] & 4 and not triple[2] & 4)


def byte_of(side: int, plies: int | None) -> int:
    """Return the byte of a value.

    Args:
        side: 0 with the side named first to move, else 1.
        plies: Plies to mate: odd if the side to move wins, even if it loses; None for a draw.

    Raises:
        ValueError: No byte holds it.
    """
    if plies is None:
        return 0
    is_win = plies % 2 == 1
    moves = (plies + 1) // 2
    white_wins = is_win == (side == 0)
    if is_win and moves <= _LONG + 1:
        return (moves - 1) << 2 | (_WHITE_MATES if white_wins else _BLACK_MATES)
    if not is_win and moves <= _LONG:
        return moves << 2 | (_WHITE_MATES if white_wins else _BLACK_MATES)
    # Beyond that, the bits of a draw stand for a win and those of an illegal position for a loss of the side to move.
    # With Black to move, the last of the wins stands for a loss in 127 moves: KPPvKP has some.
    count = moves - _LONG - 1 if is_win else moves - _LONG
    if is_win and count <= _LONG - side:
        return count << 2
    if not is_win and count <= _LONG:
        return count << 2 | ILLEGAL
    if not is_win and side == 1 and count == _LONG + 1:
        return _LONG << 2
    raise ValueError(f"no byte holds {plies} plies")


@cache
def plies_of_bytes(side: int) -> tuple[int | None, ...]:
    """Return the plies to mate of each byte with one side to move, as :func:`byte_of` has them.

    None also stands for a byte without a meaning.
    """
    result: list[int | None] = [None] * 256
    for plies in range(255):
        try:
            result[byte_of(side, plies)] = plies
        except ValueError:
            continue
    return tuple(result)

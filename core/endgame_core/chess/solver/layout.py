"""Lays the pieces and pawns of an ending out for the kernels: pieces on dimensions, pawns as numbered placements.

Without pawns the pieces other than kings are on the dimensions q, 0, 1 and 2 of the index. In a slice, where the pawns
stand still, there are up to three pieces, and the white king has the last dimension.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import groupby, permutations

import chess
import numpy as np
from numpy.typing import NDArray

from endgame_core.chess.index import men_of, pawns_of, placements
from endgame_core.chess.solver import _kernels_exits as exit_kernels
from endgame_core.chess.solver._kernels_board import Men

_IDLE = (0, 0, 1)
"""A dimension that is not used: piece, colour and size."""
_KING = (int(chess.KING), 1, 64)
"""The dimension of the white king in a slice."""


@lru_cache(maxsize=8)
def placement_rows(white: int, black: int) -> NDArray[np.int64]:
    """All placements of some pawns as int64 of shape (placements, pawns)."""
    result = placements(white, black)
    return np.array(result, np.int64).reshape(len(result), white + black)


@lru_cache(maxsize=8)
def numbers_of(white: int, black: int) -> NDArray[np.int32]:
    """Makes the table of placement numbers that kernels look up.

    Returns:
        ``2 * number + mirrored`` of every placement, by its squares in base 64 in any order within a colour, int32.
    """
    result = np.zeros(64 ** (white + black), np.int32)
    rows = placement_rows(white, black)
    # Placements that are their own mirror copy are written twice: the last time as not mirrored.
    for is_mirrored, squares in ((1, rows ^ 7), (0, rows)):
        for first in permutations(range(white)):
            for second in permutations(range(white, white + black)):
                key = np.zeros(len(rows), np.int64)
                for column in (*first, *second):
                    key = key * 64 + squares[:, column]
                result[key] = 2 * np.arange(len(rows)) + is_mirrored
    return result


def pawns_placed(ending: str) -> exit_kernels.Pawns:
    """All placements of an ending's pawns, and their numbers."""
    white, black = pawns_of(ending)
    colors = np.array([1] * white + [0] * black, np.int64)
    rows = placement_rows(white, black)
    return exit_kernels.Pawns(colors, rows.reshape(-1), numbers_of(white, black), np.arange(len(rows)))


def dimensions(ending: str) -> Men:
    """Lays one to four pieces out on the dimensions of the index, the last piece on the last one."""
    rows = [_IDLE] * 4 + [(int(piece), int(white), 64) for piece, white in men_of(ending)]
    return laid_out(rows[-4:])


def men_in_planes(ending: str) -> Men:
    """Lays two to four pieces out for a solve plane by plane: the first on q, the last one on the last dimension."""
    rows = [(int(piece), int(white), 64) for piece, white in men_of(ending)]
    idle = 4 - len(rows)
    return laid_out([*rows[: 3 - idle], *[_IDLE] * idle, rows[-1]])


def slice_men(ending: str) -> Men:
    """The pieces of a slice of waves: up to three on the last dimensions before that of the white king."""
    pieces = pieces_beside_pawns(ending)
    return laid_out([*[_IDLE] * (3 - len(pieces)), *pieces, _KING])._replace(pawned=1)


def one_pawn_men(ending: str) -> Men:
    """The pieces of a slice that is solved plane by plane: the first on q, as in ``OnePawnBanks``, the king last."""
    pieces = pieces_beside_pawns(ending)
    return laid_out([*pieces, *[_IDLE] * (3 - len(pieces)), _KING])._replace(pawned=1)


def pieces_beside_pawns(ending: str) -> list[tuple[int, int, int]]:
    """Lists piece, colour and size of the dimension of each piece that is neither a king nor a pawn."""
    return [(int(piece), int(color), 64) for piece, color in men_of(ending) if piece != chess.PAWN]


def laid_out(rows: Sequence[tuple[int, int, int]]) -> Men:
    """Lays pieces out on the four dimensions q, 0, 1 and 2 of the index.

    Args:
        rows: Piece, colour and size of each dimension; piece 0 and size 1 where it is not used.
    """
    (pieceq, whiteq, sizeq), (piece0, white0, size0), (piece1, white1, size1), (piece2, white2, _) = rows

    def same(first: int, second: int) -> int:
        """Whether two dimensions hold identical pieces."""
        return int(rows[first][0] > 0 and rows[first][:2] == rows[second][:2])

    # Kernels compare neighbouring dimensions to keep one order of identical pieces, so these have to be neighbours.
    used = [row[:2] for row in rows if row[0] > 0]
    if len(list(groupby(used))) > len(set(used)):
        raise AssertionError(f"the solver compares neighbours only, and identical pieces are apart: {rows}")
    same01 = same(1, 2)
    same02 = same(1, 3) if not piece1 else 0
    return Men(
        piece0, piece1, piece2, white0, white1, white2, size0, size1,
        same01, same(2, 3), 0,
        pieceq, whiteq, sizeq, same(0, 1),
        int(same01 and not pieceq), same02,
    )  # fmt: skip

"""Tables of squares, rays and symmetries that the solver's kernels are compiled against.

Squares are a1 = 0, b1 = 1 … h8 = 63; sets of squares are uint64 with that bit order. Arrays are
flat; piece types are python-chess's numbers (pawn 1 … king 6), and 7 is a black pawn.
"""

from __future__ import annotations

from typing import Any

import chess
import numpy as np
from numpy.typing import NDArray

from endgame_core.chess.index import TRIANGLE, transpose

Squares = NDArray[np.uint64]

BLACK_PAWN = 7
"""Piece number of a black pawn, which attacks the other way than a white one (1)."""


def _words(values: list[int]) -> Squares:
    return np.array(values, dtype=np.uint64)


def _reach(piece: int, square: int) -> int:
    if piece == 0:
        return 0
    if piece in (chess.PAWN, BLACK_PAWN):
        return chess.BB_PAWN_ATTACKS[piece == chess.PAWN][square]
    board = chess.BaseBoard.empty()
    board.set_piece_at(square, chess.Piece(piece, chess.WHITE))
    return board.attacks_mask(square)


def _diagonal(square: int, step: int) -> int:
    bits = 0
    for sign in (step, -step):
        at = square
        while 0 <= at + sign < 64 and abs((at + sign) % 8 - at % 8) == 1:
            at += sign
            bits |= 1 << at
    return bits


def _rank(file: int, occupied: int) -> int:
    bits = 0
    for step in (1, -1):
        at = file + step
        while 0 <= at < 8:
            bits |= 1 << at
            if occupied >> at & 1:
                break
            at += step
    return bits


REACH: Squares = _words([_reach(piece, s) for piece in range(8) for s in range(64)])
"""``REACH[64 * piece + square]``: squares attacked on an empty board."""

LINES: Squares = _words(
    [
        mask[s]
        for mask in (
            [chess.BB_FILES[s & 7] & ~(1 << s) for s in range(64)],
            [_diagonal(s, 9) for s in range(64)],
            [_diagonal(s, 7) for s in range(64)],
        )
        for s in range(64)
    ]
)
"""``LINES[64 * kind + square]``: the rest of the file, rising diagonal, falling diagonal of a square."""

RANKS: Squares = _words([_rank(file, occupied) for file in range(8) for occupied in range(256)])
"""``RANKS[256 * file + occupied]``: the squares of a rank that a rook on it reaches, eight bits each."""

BETWEEN: Squares = _words([chess.between(a, b) for a in range(64) for b in range(64)])
"""``BETWEEN[64 * a + b]``: squares strictly between a and b on a common rank, file or diagonal."""

BLOCK: NDArray[np.int64] = np.full(64, -1, dtype=np.int64)
"""Block of a white king square of the triangle, -1 elsewhere."""
BLOCK[list(TRIANGLE)] = np.arange(10)

KING: NDArray[np.int64] = np.array(TRIANGLE, dtype=np.int64)
"""White king square of a block."""


def _symmetry(number: int, square: int) -> int:
    square ^= (7 if number & 1 else 0) ^ (56 if number & 2 else 0)
    return transpose(square) if number & 4 else square


IMAGE: NDArray[np.int64] = np.array([_symmetry(n, s) for n in range(8) for s in range(64)], dtype=np.int64)
"""``IMAGE[64 * symmetry + square]``. Symmetry bits: 1 mirror files, 2 mirror ranks, then 4 transpose."""

ORIGIN: NDArray[np.int64] = np.zeros(512, dtype=np.int64)
"""The inverse of :data:`IMAGE`."""
for _n in range(8):
    ORIGIN[64 * _n + IMAGE[64 * _n : 64 * _n + 64]] = np.arange(64)


def _home(square: int) -> int:
    number = (1 if square & 4 else 0) | (2 if square & 32 else 0)
    image = _symmetry(number, square)
    return number | (4 if (image >> 3) > (image & 7) else 0)


HOME: NDArray[np.int64] = np.array([_home(s) for s in range(64)], dtype=np.int64)
"""The symmetry that brings a white king square into the triangle."""


def _king_steps() -> Any:
    steps = np.full((10, 8, 2), -1, dtype=np.int64)
    for block, king in enumerate(TRIANGLE):
        for j, to in enumerate(chess.SquareSet(chess.BB_KING_ATTACKS[king])):
            steps[block, j] = BLOCK[_symmetry(_home(to), to)], _home(to)
    return steps.reshape(-1)


KING_STEPS: NDArray[np.int64] = _king_steps()
"""``KING_STEPS[16 * block + 2 * j]``: block and symmetry of the j-th step of the white king; -1 ends."""

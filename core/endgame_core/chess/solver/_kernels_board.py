"""The board in bits: how men move and which positions are legal, 64 or 512 at a time.

Squares are a1 = 0, b1 = 1 … h8 = 63; sets of squares are uint64 with that bit order. Tables are flat; piece types are
python-chess's numbers (pawn 1 … king 6), and 7 is a black pawn.

A *word* holds 64 positions, one per black king square; eight consecutive words (the last man on one rank) are a
*line*; the 64 words of one placement of all other men are a *row*. Sets of positions are flat uint64 arrays, side to
move first.
"""

from __future__ import annotations

from typing import NamedTuple

import chess
import numpy as np

from endgame_core.chess.index import TRIANGLE, transpose
from endgame_core.tables.kernels import (
    down,
    inner,
    lanes_down,
    lanes_up,
    popcount,
    splat,
    swap_bytes,
    swap_ranks,
    up,
)

BLACK_PAWN = 7
"""Piece number of a black pawn, which attacks the other way than a white one (1)."""


def _words(values):
    return np.array(values, dtype=np.uint64)


def _reach(piece, square):
    if piece == 0:
        return 0
    if piece in (chess.PAWN, BLACK_PAWN):
        return chess.BB_PAWN_ATTACKS[piece == chess.PAWN][square]
    board = chess.BaseBoard.empty()
    board.set_piece_at(square, chess.Piece(piece, chess.WHITE))
    return board.attacks_mask(square)


def _diagonal(square, step):
    bits = 0
    for sign in (step, -step):
        at = square
        while 0 <= at + sign < 64 and abs((at + sign) % 8 - at % 8) == 1:
            at += sign
            bits |= 1 << at
    return bits


def _rank(file, occupied):
    bits = 0
    for step in (1, -1):
        at = file + step
        while 0 <= at < 8:
            bits |= 1 << at
            if occupied >> at & 1:
                break
            at += step
    return bits


REACH = _words([_reach(piece, s) for piece in range(8) for s in range(64)])
"""``REACH[64 * piece + square]``: squares attacked on an empty board."""

LINES = _words(
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

RANKS = _words([_rank(file, occupied) for file in range(8) for occupied in range(256)])
"""``RANKS[256 * file + occupied]``: the squares of a rank that a rook on it reaches, eight bits each."""

BETWEEN = _words([chess.between(a, b) for a in range(64) for b in range(64)])
"""``BETWEEN[64 * a + b]``: squares strictly between a and b on a common rank, file or diagonal."""

BLOCK = np.full(64, -1, dtype=np.int64)
"""Block of a white king square of the triangle, -1 elsewhere."""
BLOCK[list(TRIANGLE)] = np.arange(10)

KING = np.array(TRIANGLE, dtype=np.int64)
"""White king square of a block."""


def _symmetry(number, square):
    square ^= (7 if number & 1 else 0) ^ (56 if number & 2 else 0)
    return transpose(square) if number & 4 else square


IMAGE = np.array([_symmetry(n, s) for n in range(8) for s in range(64)], dtype=np.int64)
"""``IMAGE[64 * symmetry + square]``. Symmetry bits: 1 mirror files, 2 mirror ranks, then 4 transpose."""

ORIGIN = np.zeros(512, dtype=np.int64)
"""The inverse of :data:`IMAGE`."""
for _n in range(8):
    ORIGIN[64 * _n + IMAGE[64 * _n : 64 * _n + 64]] = np.arange(64)


def _home(square):
    number = (1 if square & 4 else 0) | (2 if square & 32 else 0)
    image = _symmetry(number, square)
    return number | (4 if (image >> 3) > (image & 7) else 0)


HOME = np.array([_home(s) for s in range(64)], dtype=np.int64)
"""The symmetry that brings a white king square into the triangle."""


def _king_steps():
    steps = np.full((10, 8, 2), -1, dtype=np.int64)
    for block, king in enumerate(TRIANGLE):
        for j, to in enumerate(chess.SquareSet(chess.BB_KING_ATTACKS[king])):
            steps[block, j] = BLOCK[_symmetry(_home(to), to)], _home(to)
    return steps.reshape(-1)


KING_STEPS = _king_steps()
"""``KING_STEPS[16 * block + 2 * j]``: block and symmetry of the j-th step of the white king; -1 ends."""


U1 = np.uint64(1)
ALL = np.uint64(0xFFFF_FFFF_FFFF_FFFF)
NOT_A = np.uint64(0xFEFE_FEFE_FEFE_FEFE)
NOT_H = np.uint64(0x7F7F_7F7F_7F7F_7F7F)


class Men(NamedTuple):
    """The men other than kings, by dimension of the index (q outermost, then 0, 1, and 2 the last man).

    ``piece`` 0 means the dimension is not used (its size is 1). ``white`` is 1 for White's men. ``sameq0``, ``same01``
    and ``same12`` tell identical neighbours, ``same02`` those with an unused dimension between them (three identical
    pieces on q, 0 and 2): of all orders of identical pieces one is canonical, so every such pair must be marked.
    ``folded`` is 1 where only rows with p0 < p1 exist. Where p0 is a copy of
    q only tasks with q < p0 exist. ``pawned`` is 1 in a slice of an ending with pawns: there is one block, and the last
    man is the white king. The words of all men with q on one square are a *plane*.
    """

    piece0: int
    piece1: int
    piece2: int
    white0: int
    white1: int
    white2: int
    size0: int
    size1: int
    same01: int
    same12: int
    pawned: int
    pieceq: int = 0
    whiteq: int = 0
    sizeq: int = 1
    sameq0: int = 0
    folded: int = 0
    same02: int = 0

    @property
    def tasks(self) -> int:
        """Tasks of a plane, of one side to move."""
        return (1 if self.pawned else 10) * self.size0

    @property
    def rows(self) -> int:
        """Rows of a plane, of one side to move."""
        return self.tasks * self.size1

    @property
    def words(self) -> int:
        """Words of a plane, of one side to move."""
        return 64 * self.rows

    def first_word(self, side: int, q: int) -> int:
        """Where a plane begins in a set."""
        return (side * self.sizeq + q) * self.words


class SolverState(NamedTuple):
    """Everything the tasks of one solve share (shapes in :mod:`endgame_core.chess.solver.solve`).

    ``pawns`` is one word, the pawns of a slice. Where D is not held in memory ``codes`` is empty; then ``better`` has
    the positions with an exit that is better than a loss by now, and ``fallen`` those of the plane in hand whose exit
    is due.
    """

    undecided: np.ndarray
    not_won: np.ndarray
    codes: np.ndarray
    due: np.ndarray
    pawns: np.ndarray
    better: np.ndarray
    fallen: np.ndarray


class LayerBits(NamedTuple):
    """One generation of X: its words, active lines per row, active rows per (side, block, p0)."""

    words: np.ndarray
    lines: np.ndarray
    rows: np.ndarray


@inner
def ray(occupied, square, kind):
    """Squares on one file or diagonal up to the first blockers, by the o ^ (o - 2r) trick both ways."""
    line = LINES[64 * kind + square]
    here = U1 << np.uint64(square)
    ahead = occupied & line
    back = swap_bytes(ahead)
    ahead -= here
    back -= swap_bytes(here)
    return (ahead ^ swap_bytes(back)) & line


@inner
def attacks(piece, square, occupied):
    """Squares a man attacks over the given blockers, the blockers' own squares included."""
    if piece < 3 or piece > 5:
        return REACH[64 * piece + square]
    result = np.uint64(0)
    if piece != 4:
        result = ray(occupied, square, 1) | ray(occupied, square, 2)
    if piece != 3:
        shift = np.uint64(square & 56)
        rank = np.int64((occupied >> shift) & np.uint64(0xFF))
        result |= ray(occupied, square, 0) | (RANKS[256 * (square & 7) + rank] << shift)
    return result


@inner
def moves(piece, square, occupied):
    """Squares a man can go to over the given men."""
    return attacks(piece, square, occupied) & ~occupied


@inner
def bit(square, size):
    """The set of one square, empty when its dimension is not used."""
    return U1 << np.uint64(square) if size == 64 else np.uint64(0)


@inner
def fixed_men(men, state, block):
    """The men that stand still for a whole block: White's king, or the pawns of a slice."""
    return state.pawns[0] if men.pawned else U1 << np.uint64(KING[block])


@inner
def row_of(men, block, q, a, b):
    """Row of the squares of q, p0 and p1, in either order when two men are identical."""
    if men.folded and a > b:
        a, b = b, a
    if men.sameq0 and q > a:
        q, a = a, q
    return ((q * men.size0 + a) * men.size1 + b) * (1 if men.pawned else 10) + block


@inner
def task_of(men, block, q, a):
    """Number of a task among those of its side to move: all rows of two squares of q and p0 in one block."""
    if men.sameq0 and q > a:
        q, a = a, q
    return (q * (1 if men.pawned else 10) + block) * men.size0 + a


@inner
def place_of(men, task):
    """Block and the squares of q and p0 of a task; the inverse of :func:`task_of`."""
    blocks = 1 if men.pawned else 10
    return task // men.size0 % blocks, task // men.size0 // blocks, task % men.size0


@inner
def king_reach(line):
    """Squares one king step from any bit, for eight words at once."""
    one = np.uint64(1)
    near = (up(line, one) & splat(NOT_A)) | (down(line, one) & splat(NOT_H))
    wide = line | near
    return up(wide, np.uint64(8)) | down(wide, np.uint64(8)) | near


@inner
def beside(line):
    """Words one place on and one place back: White's king one file aside, when the lanes are its squares."""
    return lanes_up(line) | lanes_down(line)


@inner
def bits_from_image(line, symmetry):
    """Brings words of an image position back: bit b of the result is bit IMAGE[b] of the argument."""
    if symmetry & 4:
        s = np.uint64(0x00AA00AA00AA00AA)
        d = (line ^ down(line, np.uint64(7))) & splat(s)
        line = line ^ d ^ up(d, np.uint64(7))
        s = np.uint64(0x0000CCCC0000CCCC)
        d = (line ^ down(line, np.uint64(14))) & splat(s)
        line = line ^ d ^ up(d, np.uint64(14))
        s = np.uint64(0x00000000F0F0F0F0)
        d = (line ^ down(line, np.uint64(28))) & splat(s)
        line = line ^ d ^ up(d, np.uint64(28))
    if symmetry & 2:
        line = swap_ranks(line)
    if symmetry & 1:
        s = np.uint64(0x5555555555555555)
        line = (down(line, np.uint64(1)) & splat(s)) | up(line & splat(s), np.uint64(1))
        s = np.uint64(0x3333333333333333)
        line = (down(line, np.uint64(2)) & splat(s)) | up(line & splat(s), np.uint64(2))
        s = np.uint64(0x0F0F0F0F0F0F0F0F)
        line = (down(line, np.uint64(4)) & splat(s)) | up(line & splat(s), np.uint64(4))
    return line


@inner
def see_man(piece, white, square, king, occupied, seen, shield):
    """Adds one man to what a word must know: squares White attacks, and who may shield White's king."""
    if white:
        return seen | attacks(piece, square, occupied), shield
    if (REACH[64 * piece + square] >> np.uint64(king)) & U1:
        path = BETWEEN[64 * square + king]
        if not path & occupied:
            shield &= path
    return seen, shield


@inner
def legal_words(men, king, q, p0, p1, p2):
    """Legal black king squares with White and with Black to move, and those in check.

    Returns four words: legal and in check with White to move, legal and in check with Black to move.
    """
    none = np.uint64(0)
    b0, b1, b2 = bit(p0, men.size0), bit(p1, men.size1), bit(p2, 64)
    own = U1 << np.uint64(king)
    occupied = own | b0 | b1 | b2 | bit(q, men.sizeq)
    if popcount(occupied) != 1 + (men.pieceq > 0) + (men.piece0 > 0) + (men.piece1 > 0) + 1:
        return none, none, none, none
    seen, shield = none, ALL
    if men.pieceq:
        seen, shield = see_man(men.pieceq, men.whiteq, q, king, occupied, seen, shield)
    if men.piece0:
        seen, shield = see_man(men.piece0, men.white0, p0, king, occupied, seen, shield)
    if men.piece1:
        seen, shield = see_man(men.piece1, men.white1, p1, king, occupied, seen, shield)
    seen, shield = see_man(men.piece2, men.white2, p2, king, occupied, seen, shield)
    free = ~(occupied | REACH[64 * 6 + king])
    return free & ~seen, free & ~seen & ~shield, free & shield, free & shield & seen

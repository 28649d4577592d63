"""The board in bits: how pieces move and which positions are legal, 64 or 512 at a time.

Squares are a1 = 0, b1 = 1 … h8 = 63; sets of squares are uint64 with that bit order (bitboards). Tables are flat;
piece types are python-chess's numbers (pawn 1 … king 6), and 7 is a black pawn.

**Why 64 at a time.** The black king's square is the last digit of a slot, so the 64 positions that differ in it alone
are consecutive slots. A set of positions with one bit for each slot therefore has them in one uint64, a *word*: bit e5
is the position with the black king on e5. Moving the black king is a shift of the word; moving another piece past it
is an AND with the squares where the king does not stand in the way. The same instruction serves 64 positions.

- A *word*: everything but the black king is placed. 64 positions.
- A *line*: the eight words with the last piece on one rank (of a slice: the white king). 512 positions, handled as one
  vector register.
- A *row*: the 64 words with all but the last piece and the black king placed. 4096 positions, 512 bytes of a set.
- A *task*: the rows that agree in the white king's block, q and p0; what one thread solves at a time.
- A *plane*: all words with the outermost piece q on one square; what is in memory at a time when memory is short.

For KRvKR the rook is p1 and Black's rook the last piece: there is one row for each block and square of White's rook,
one task for each block. A set of positions is a flat uint64 array, White to move first::

    word = side * words of a side + row * 64 + square of the last piece
    row = ((q * size0 + p0) * size1 + p1) * 10 + block

The slot of a position is ``word * 64 + black king`` (within its side), as :mod:`endgame_core.chess.index` has it.
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

WHITE_PAWN = int(chess.PAWN)
BISHOP = int(chess.BISHOP)
ROOK = int(chess.ROOK)
QUEEN = int(chess.QUEEN)
KING_PIECE = int(chess.KING)
BLACK_PAWN = 7
"""Piece number of a black pawn, which attacks the other way than a white one (1)."""

P0 = 0
P1 = 1
P2 = 2
Q = 3
"""Numbers of the dimensions, where a kernel has to name one: of the piece that moves, or is taken; ``P2`` is the last.
"""


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
    """The rest of a diagonal, whose neighbours are ``step`` squares apart: 9 rises to the right, 7 to the left."""
    bits = 0
    for sign in (step, -step):
        at = square
        # A step to the next file: otherwise it has left the board on one edge and come back on the other.
        while 0 <= at + sign < 64 and abs((at + sign) % 8 - at % 8) == 1:
            at += sign
            bits |= 1 << at
    return bits


def _rank(file, occupied):
    """The squares of its rank that a rook reaches, over the pieces in ``occupied``, eight bits."""
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

KING_REACH = REACH[64 * KING_PIECE :][:64].copy()
"""``KING_REACH[square]``: the same for a king."""

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
"""``BETWEEN[64 * a + b]``: squares strictly between a and b on a common rank, file or diagonal, else none.

For a quiet move this is the *path*: no piece may stand on it, and the black king is one more piece that may. So the
moves of a piece from a to b, for all squares of the black king, are ``word & ~BETWEEN[64 * a + b]``.
"""

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
    # Mirror into the quarter a1-d4, then on the long diagonal where the image has its rank above its file.
    number = (1 if square & 4 else 0) | (2 if square & 32 else 0)
    image = _symmetry(number, square)
    return number | (4 if (image >> 3) > (image & 7) else 0)


HOME = np.array([_home(s) for s in range(64)], dtype=np.int64)
"""The symmetry that brings a white king square into the triangle."""


def _king_steps():
    # A step of the white king out of the triangle ends in another block only after a symmetry, which every other
    # piece has to follow: the step d3-e3 leads, once the files are mirrored, to d3.
    steps = np.full((10, 8, 2), -1, dtype=np.int64)
    for block, king in enumerate(TRIANGLE):
        for j, to in enumerate(chess.SquareSet(chess.BB_KING_ATTACKS[king])):
            steps[block, j] = BLOCK[_symmetry(_home(to), to)], _home(to)
    return steps.reshape(-1)


KING_STEPS = _king_steps()
"""``KING_STEPS[16 * block + 2 * j]``: block to which the j-th step of the white king leads; -1 ends the list.

The number after it is the symmetry that brings the square there home, 0 where the step stays in the triangle.
"""


U1 = np.uint64(1)
ALL = np.uint64(0xFFFF_FFFF_FFFF_FFFF)
NOT_A = np.uint64(0xFEFE_FEFE_FEFE_FEFE)
NOT_H = np.uint64(0x7F7F_7F7F_7F7F_7F7F)


class Men(NamedTuple):
    """The pieces other than kings on the dimensions of the index: q (outermost), 0, 1 and 2 (the last piece).

    Attributes:
        piece0: Piece type of dimension 0, as are ``piece1``, ``piece2`` and ``pieceq``; 0 where a dimension is not
            used.
        white0: 1 for a white piece, as are ``white1``, ``white2`` and ``whiteq``. Side 0 is White, so
            ``white0 != side`` says that the piece belongs to the side to move.
        size0: 64, or 1 where the dimension is not used, as are ``size1`` and ``sizeq``.
        same01: 1 where p0 and p1 are identical, as ``same12`` and ``sameq0`` say of their neighbours. ``same02`` says
            so of p0 and the last one where p1 is not used (three identical pieces on q, 0 and 2). Of all orders of
            identical pieces one is canonical, so every such pair has to be marked.
        pawned: 1 in a slice of an ending with pawns: there is one block, and the last piece is the white king.
        folded: 1 where only rows with p0 < p1 exist: p0 and p1 are identical, and q is not used. Where p0 and q are
            identical, only tasks with q < p0 exist. (This has nothing to do with the symmetry of the board.)
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
        """Number of tasks of a plane, with one side to move."""
        return (1 if self.pawned else 10) * self.size0

    @property
    def rows(self) -> int:
        """Number of rows of a plane, with one side to move."""
        return self.tasks * self.size1

    @property
    def words(self) -> int:
        """Number of words of a plane, with one side to move."""
        return 64 * self.rows

    def first_word(self, side: int, q: int) -> int:
        """First word of a plane in a set."""
        return (side * self.sizeq + q) * self.words


class SolverState(NamedTuple):
    """Everything that the tasks of one solve share. Sets have one bit for each slot, White to move first.

    Attributes:
        undecided: The set U, uint64: legal positions without a value yet. What is left in the end is drawn.
        not_won: The set R, uint64: legal positions that no pass has found won.
        codes: D, one byte or code for each slot: the best exit of an undecided position, afterwards its value. Empty in
            bounded memory, where codes are in the work file.
        due: uint64, 256 words for each task: bit p1 of word ``task * 256 + (code & 255)`` says that a row has an exit
            with such a code, so that a pass without one need not look at the row's codes. No bit is set for the code 0
            (no exit) or for that of a draw: such an exit is never due. Wide codes that share a low byte share a bit, so
            word 0 has bits too (0x0100, 0xFF00).
        pawns: One word, uint64: the squares of the pawns of a slice.
        better: In bounded memory, uint64: positions whose best exit is better than any loss found by now.
        fallen: In bounded memory, uint64: positions of the current plane with an exit that is due in this pass.
    """

    undecided: np.ndarray
    not_won: np.ndarray
    codes: np.ndarray
    due: np.ndarray
    pawns: np.ndarray
    better: np.ndarray
    fallen: np.ndarray


class LayerBits(NamedTuple):
    """One generation of X, the newest positions of a pass, as a set with two summaries.

    Attributes:
        words: The set, uint64, White to move first; zero outside of the lines and rows named below. Where it holds the
            positions in check, for pass 0, only rows are named.
        lines: uint8, bit r of a row: its line r may have positions.
        rows: uint64, bit p1 of a task: its row p1 may have positions.
    """

    words: np.ndarray
    lines: np.ndarray
    rows: np.ndarray


@inner
def ray(occupied, square, kind):
    """Finds the squares on one file or diagonal up to the first blockers, those included (hyperbola quintessence).

    ``LINES`` says what the kinds 0, 1 and 2 are.
    """
    # Subtracting the origin from the blockers borrows from the first blocker above it, which flips every bit from the
    # origin up to that blocker. Swapping the bytes reverses the ranks, so that the same subtraction works downwards. In
    # the XOR of both the blockers beyond cancel, and what is flipped remains: the squares that are reached.
    line = LINES[64 * kind + square]
    origin = U1 << np.uint64(square)
    ahead = occupied & line
    back = swap_bytes(ahead)
    ahead -= origin
    back -= swap_bytes(origin)
    return (ahead ^ swap_bytes(back)) & line


@inner
def attacks(piece, square, occupied):
    """Finds the squares that a piece attacks over some blockers; the blockers' own squares are included."""
    # Pawns, knights and kings are stopped by nothing.
    if piece < BISHOP or piece > QUEEN:
        return REACH[64 * piece + square]
    result = np.uint64(0)
    if piece != ROOK:
        result = ray(occupied, square, 1) | ray(occupied, square, 2)
    if piece != BISHOP:
        shift = np.uint64(square & 56)
        rank = np.int64((occupied >> shift) & np.uint64(0xFF))
        result |= ray(occupied, square, 0) | (RANKS[256 * (square & 7) + rank] << shift)
    return result


@inner
def is_pawn(piece):
    """Whether a piece number is that of a pawn of either colour."""
    return piece in (WHITE_PAWN, BLACK_PAWN)


@inner
def moves(piece, square, occupied):
    """Finds the squares that a piece can go to without taking anything."""
    return attacks(piece, square, occupied) & ~occupied


@inner
def bit(square, size):
    """The set of one square; empty where its dimension is not used."""
    return U1 << np.uint64(square) if size == 64 else np.uint64(0)


@inner
def fixed_men(men, state, block):
    """The set of what stands still for a whole block: the white king, or the pawns of a slice."""
    return state.pawns[0] if men.pawned else U1 << np.uint64(KING[block])


@inner
def row_of(men, block, q, a, b):
    """Number of the row with these squares of q, p0 and p1; identical pieces may be given in either order."""
    if men.folded and a > b:
        a, b = b, a
    if men.sameq0 and q > a:
        q, a = a, q
    return ((q * men.size0 + a) * men.size1 + b) * (1 if men.pawned else 10) + block


@inner
def task_of(men, block, q, a):
    """Number of the task of a block and two squares of q and p0, among those of its side to move."""
    if men.sameq0 and q > a:
        q, a = a, q
    return (q * (1 if men.pawned else 10) + block) * men.size0 + a


@inner
def place_of(men, task):
    """Block and squares of q and p0 of a task; the inverse of :func:`task_of`."""
    blocks = 1 if men.pawned else 10
    return task // men.size0 % blocks, task // men.size0 // blocks, task % men.size0


@inner
def king_reach(line):
    """Squares one king step away from any bit, for eight words at once."""
    one = np.uint64(1)
    # One step left and right, then everything so far one rank up and down. NOT_A and NOT_H drop what a shift carries
    # over the edge of the board.
    near = (up(line, one) & splat(NOT_A)) | (down(line, one) & splat(NOT_H))
    wide = line | near
    return up(wide, np.uint64(8)) | down(wide, np.uint64(8)) | near


@inner
def beside(line):
    """Joins, for each word of a line, its two neighbours: in a slice, the white king one file aside."""
    return lanes_up(line) | lanes_down(line)


@inner
def bits_from_image(line, symmetry):
    """Transforms words from an image of a position back to the position.

    Bit b of the result is bit ``IMAGE[64 * symmetry + b]`` of the argument.
    """
    if symmetry & 4:
        # Transposing 8x8 bits (Hacker's Delight 7-3): the off-diagonal bits of all 2x2 squares change places, then the
        # off-diagonal 2x2 squares of all 4x4 ones, then the 4x4 ones.
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
        # Reverses the bits of each byte: neighbours, then pairs, then halves.
        s = np.uint64(0x5555555555555555)
        line = (down(line, np.uint64(1)) & splat(s)) | up(line & splat(s), np.uint64(1))
        s = np.uint64(0x3333333333333333)
        line = (down(line, np.uint64(2)) & splat(s)) | up(line & splat(s), np.uint64(2))
        s = np.uint64(0x0F0F0F0F0F0F0F0F)
        line = (down(line, np.uint64(4)) & splat(s)) | up(line & splat(s), np.uint64(4))
    return line


@inner
def see_man(piece, white, square, king, occupied, attacked, shield):
    """Adds one piece to what decides which positions of a word are legal.

    Args:
        piece: Its type.
        white: 1 if it is White's.
        square: Its square.
        king: Square of the white king.
        occupied: All pieces but the black king.
        attacked: Squares that White attacks, so far: the black king may not stand there with White to move.
        shield: Black king squares for which White's king is not in check, so far.

    Returns:
        ``attacked`` and ``shield`` with this piece.
    """
    if white:
        return attacked | attacks(piece, square, occupied), shield
    if (REACH[64 * piece + square] >> np.uint64(king)) & U1:
        # A black piece that reaches White's king over an empty path gives check unless the black king stands on the
        # path. With a piece on the path, which cannot move away, it never gives check.
        path = BETWEEN[64 * square + king]
        if not path & occupied:
            shield &= path
    return attacked, shield


@inner
def legal_words(men, king, q, p0, p1, p2):
    """Finds the legal black king squares of a word, and those in check.

    Args:
        men: The pieces.
        king: Square of the white king.
        q: Square of the outermost piece; any where it is not used, as of the others.
        p0: Square of p0.
        p1: Square of p1.
        p2: Square of the last piece.

    Returns:
        Four words: legal with White to move, of these in check; legal with Black to move, of these in check.
    """
    none = np.uint64(0)
    b0, b1, b2 = bit(p0, men.size0), bit(p1, men.size1), bit(p2, 64)
    own = U1 << np.uint64(king)
    occupied = own | b0 | b1 | b2 | bit(q, men.sizeq)
    # Two pieces on one square leave fewer bits than pieces: no position of this word is legal.
    if popcount(occupied) != 1 + (men.pieceq > 0) + (men.piece0 > 0) + (men.piece1 > 0) + 1:
        return none, none, none, none
    attacked = none
    shield = ALL
    if men.pieceq:
        attacked, shield = see_man(men.pieceq, men.whiteq, q, king, occupied, attacked, shield)
    if men.piece0:
        attacked, shield = see_man(men.piece0, men.white0, p0, king, occupied, attacked, shield)
    if men.piece1:
        attacked, shield = see_man(men.piece1, men.white1, p1, king, occupied, attacked, shield)
    attacked, shield = see_man(men.piece2, men.white2, p2, king, occupied, attacked, shield)
    # The side that has moved may not be in check: with White to move the black king is not attacked (free & ~attacked),
    # with Black to move it shields the white king where anything attacks that.
    free = ~(occupied | KING_REACH[king])
    return free & ~attacked, free & ~attacked & ~shield, free & shield, free & shield & attacked

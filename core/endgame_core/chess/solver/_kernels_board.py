"""The board in bits: how men move and which positions are legal, 64 or 512 at a time.

A *word* holds 64 positions, one per black king square; eight consecutive words (the last man on one rank) are a
*line*; the 64 words of one placement of all other men are a *row*. Sets of positions are flat uint64 arrays, side to
move first.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from endgame_core.chess.solver.geometry import BETWEEN, KING, LINES, RANKS, REACH
from endgame_core.tables.kernels.vectors import (
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

U1 = np.uint64(1)
ALL = np.uint64(0xFFFF_FFFF_FFFF_FFFF)
NOT_A = np.uint64(0xFEFE_FEFE_FEFE_FEFE)
NOT_H = np.uint64(0x7F7F_7F7F_7F7F_7F7F)


class Men(NamedTuple):
    """The men other than kings, by dimension of the index (0 outermost, 2 the last man).

    ``piece`` 0 means the dimension is not used (its size is 1). ``white`` is 1 for White's men. ``same01`` and
    ``same12`` tell identical neighbours; ``same01`` also means that only rows with p0 < p1 exist. ``pawned`` is 1 in
    a slice of an ending with pawns: there is one block, and the last man is the white king.
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


class State(NamedTuple):
    """Everything the tasks of one solve share (shapes in :mod:`endgame_core.chess.solver.pawnless`).

    ``pawns`` is one word, the pawns of a slice.
    """

    undecided: np.ndarray
    not_won: np.ndarray
    codes: np.ndarray
    due: np.ndarray
    pawns: np.ndarray


class Layer(NamedTuple):
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
    found = np.uint64(0)
    if piece != 4:
        found = ray(occupied, square, 1) | ray(occupied, square, 2)
    if piece != 3:
        shift = np.uint64(square & 56)
        rank = np.int64((occupied >> shift) & np.uint64(0xFF))
        found |= ray(occupied, square, 0) | (RANKS[256 * (square & 7) + rank] << shift)
    return found


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
def row_of(men, block, a, b):
    """Row of a pair (p0, p1), in either order when the men are identical."""
    if men.same01 and a > b:
        a, b = b, a
    return (a * men.size1 + b) * (1 if men.pawned else 10) + block


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
def legal_words(men, king, p0, p1, p2):
    """Legal black king squares with White and with Black to move, and those in check.

    Returns four words: legal and in check with White to move, legal and in check with Black to move.
    """
    none = np.uint64(0)
    b0, b1, b2 = bit(p0, men.size0), bit(p1, men.size1), bit(p2, 64)
    own = U1 << np.uint64(king)
    occupied = own | b0 | b1 | b2
    if popcount(occupied) != 1 + (men.piece0 > 0) + (men.piece1 > 0) + 1:
        return none, none, none, none
    seen, shield = none, ALL
    if men.piece0:
        seen, shield = see_man(men.piece0, men.white0, p0, king, occupied, seen, shield)
    if men.piece1:
        seen, shield = see_man(men.piece1, men.white1, p1, king, occupied, seen, shield)
    seen, shield = see_man(men.piece2, men.white2, p2, king, occupied, seen, shield)
    free = ~(occupied | REACH[64 * 6 + king])
    return free & ~seen, free & ~seen & ~shield, free & shield, free & shield & seen

"""Un-moves: from the newest positions of one side to the positions of the other that can move there, a task at a time.

The rows that are found are gathered in a scratch of 64 rows; which of them were touched is told by the bits of a word.
"""

from __future__ import annotations

import numpy as np

from endgame_core.chess.solver._kernels_board import ALL, U1, beside, bit, bits_from_image, king_reach, moves, row_of
from endgame_core.chess.solver.geometry import BETWEEN, IMAGE, KING_STEPS, ORIGIN
from endgame_core.tables.kernels.vectors import ctz, gather, inner, kernel, lanes, load, some, splat, store, without


@inner
def start_row(scratch, touched, p1):
    """Clears a row of the scratch before its first use; returns the rows touched."""
    flag = U1 << np.uint64(p1)
    if not touched & flag:
        empty = splat(np.uint64(0))
        for rank in range(8):
            store(scratch, 64 * p1 + 8 * rank, empty)
    return touched | flag


@inner
def merge_row(scratch, p1, words, row, active, path):
    """Adds a row of X to the scratch, less the positions whose last man or black king is on the path."""
    keep = splat(~path)
    while active:
        rank = ctz(active)
        active &= active - U1
        line = load(words, row * 64 + 8 * rank) & keep
        on_path = (path >> np.uint64(8 * rank)) & np.uint64(0xFF)
        if on_path:
            line = without(line, lanes(on_path))
        at = 64 * p1 + 8 * rank
        store(scratch, at, load(scratch, at) | line)


@inner
def merge_image(scratch, p1, words, row, symmetry):
    """Adds a row of X that stands for an image of the wanted positions."""
    for rank in range(8):
        line = gather(words, row * 64, IMAGE, 64 * symmetry + 8 * rank)
        if some(line):
            at = 64 * p1 + 8 * rank
            store(scratch, at, load(scratch, at) | bits_from_image(line, symmetry))


@inner
def merge_last_man(men, scratch, p1, words, row, active, fixed):
    """Adds the un-moves of the last man inside one row."""
    while active:
        rank = ctz(active)
        active &= active - U1
        for square in range(8 * rank, 8 * rank + 8):
            word = words[row * 64 + square]
            if word:
                sources = moves(men.piece2, square, fixed)
                while sources:
                    source = ctz(sources)
                    sources &= sources - U1
                    scratch[64 * p1 + source] |= word & ~BETWEEN[64 * square + source]


@inner
def merge_white_king(scratch, p1, words, row, active):
    """Adds the un-moves of the white king inside one row of a slice."""
    while active:
        rank = ctz(active)
        active &= active - U1
        line = load(words, row * 64 + 8 * rank)
        near = beside(line)
        wide = line | near
        at = 64 * p1 + 8 * rank
        store(scratch, at, load(scratch, at) | near)
        if rank > 0:
            store(scratch, at - 8, load(scratch, at - 8) | wide)
        if rank < 7:
            store(scratch, at + 8, load(scratch, at + 8) | wide)


@inner
def pull_near(men, home, side, block, p0, words, lines, rows, scratch):
    """Un-moves that keep p0 and the white king: of the black king, p1 and the last man."""
    per_side = rows.size // 2
    base = (1 - side) * per_side
    row_base = base * men.size1
    fixed = home | bit(p0, men.size0)
    touched = np.uint64(0)
    active_rows = rows[base + block * men.size0 + p0]
    while active_rows:
        p1 = ctz(active_rows)
        active_rows &= active_rows - U1
        row = row_base + row_of(men, block, p0, p1)
        active = np.uint64(lines[row])
        if not men.same01 or p1 > p0:
            if side == 1:
                touched = start_row(scratch, touched, p1)
                left = active
                while left:
                    rank = ctz(left)
                    left &= left - U1
                    at = 64 * p1 + 8 * rank
                    line = king_reach(load(words, row * 64 + 8 * rank))
                    store(scratch, at, load(scratch, at) | line)
            if men.white2 != side:
                touched = start_row(scratch, touched, p1)
                if men.pawned:
                    merge_white_king(scratch, p1, words, row, active)
                else:
                    merge_last_man(men, scratch, p1, words, row, active, fixed | bit(p1, men.size1))
        if men.piece1 and men.white1 != side:
            sources = moves(men.piece1, p1, fixed)
            if men.same01:
                sources &= ALL << np.uint64(p0)
            while sources:
                source = ctz(sources)
                sources &= sources - U1
                touched = start_row(scratch, touched, source)
                merge_row(scratch, source, words, row, active, BETWEEN[64 * p1 + source])
    return touched


@inner
def pull_outer_man(men, home, side, block, p0, words, lines, rows, scratch, touched):
    """Un-moves of the outermost man to p0."""
    base = (1 - side) * (rows.size // 2)
    targets = moves(men.piece0, p0, home)
    while targets:
        to = ctz(targets)
        targets &= targets - U1
        path = BETWEEN[64 * p0 + to]
        wanted = rows[base + block * men.size0 + to] & ~path & ~bit(p0, 64)
        if men.same01:
            wanted &= ALL << np.uint64(p0)
        while wanted:
            p1 = ctz(wanted)
            wanted &= wanted - U1
            row = base * men.size1 + row_of(men, block, to, p1)
            touched = start_row(scratch, touched, p1)
            merge_row(scratch, p1, words, row, np.uint64(lines[row]), path)
    return touched


@inner
def pull_white_king(men, block, p0, words, lines, rows, scratch, touched):
    """Un-moves of the white king into this block, across the symmetry's borders where it must."""
    base = rows.size // 2
    for j in range(8):
        to = KING_STEPS[16 * block + 2 * j]
        if to < 0:
            break
        symmetry = KING_STEPS[16 * block + 2 * j + 1]
        q0 = IMAGE[64 * symmetry + p0] if men.size0 == 64 else 0
        wanted = rows[base + to * men.size0 + q0]
        while wanted:
            q1 = ctz(wanted)
            wanted &= wanted - U1
            p1 = ORIGIN[64 * symmetry + q1] if men.size1 == 64 else 0
            if men.same01 and p1 <= p0:
                continue
            row = base * men.size1 + row_of(men, to, q0, q1)
            touched = start_row(scratch, touched, p1)
            if symmetry:
                merge_image(scratch, p1, words, row, symmetry)
            else:
                merge_row(scratch, p1, words, row, np.uint64(lines[row]), np.uint64(0))
    return touched


@inner
def pull_checks(men, side, block, p0, last, scratch):
    """Copies the positions in check into the scratch: the candidates for mate."""
    touched = last.rows[side * (last.rows.size // 2) + block * men.size0 + p0]
    left = touched
    while left:
        p1 = ctz(left)
        left &= left - U1
        row = side * (last.lines.size // 2) + row_of(men, block, p0, p1)
        for place in range(0, 64, 8):
            store(scratch, 64 * p1 + place, load(last.words, row * 64 + place))
    return touched


@kernel
def mirror_rows(rows, symmetric):
    """Makes the active rows of identical men symmetric: bit b of row a also where a of b was set."""
    for base in range(0, rows.size, 64):
        for a in range(64):
            symmetric[base + a] = rows[base + a]
        for a in range(64):
            word = rows[base + a]
            while word:
                b = ctz(word)
                word &= word - U1
                symmetric[base + b] |= U1 << np.uint64(a)

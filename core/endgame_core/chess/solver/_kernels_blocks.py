"""Planes of sets, packed: what a pass has found, or which exits are worth one code, as a record of a work file has it.

A *record* is three arrays end to end: a word for each task of a plane, whose bits are its rows that hold anything; a
byte for each of these rows, whose bits are the lines that do; and these lines, eight words each.
"""

from __future__ import annotations

import numpy as np

from endgame_core.chess.solver._kernels_board import ALL, U1, row_of
from endgame_core.tables.kernels import bytes_equal, bytes_set, ctz, inner, kernel, load, some, splat, store, without
from endgame_core.values import DRAW


@inner
def task_at(men, q, i):
    """Block and square of p0 of the i-th task of a plane, and its number among the tasks of a side."""
    return i // men.size0, i % men.size0, q * (1 if men.pawned else 10) * men.size0 + i


@kernel
def pack(men, layer, side, q, rows, lines, words):
    """Packs one plane of a layer; returns how many rows and how many words there are."""
    at_line = at_word = 0
    for i in range(rows.size):
        block, p0, task = task_at(men, q, i)
        left = layer.rows[side * (layer.rows.size // 2) + task]
        rows[i] = left
        while left:
            p1 = ctz(left)
            left &= left - U1
            row = side * (layer.lines.size // 2) + row_of(men, block, q, p0, p1)
            active = np.uint64(layer.lines[row])
            lines[at_line] = active
            at_line += 1
            while active:
                rank = ctz(active)
                active &= active - U1
                store(words, at_word, load(layer.words, row * 64 + 8 * rank))
                at_word += 8
    return at_line, at_word


@kernel
def pack_exits(men, state, codes, side, q, code, rows, lines, words):
    """Packs the positions of a plane whose best exit has a code; ``codes`` are those of the plane, or their low bytes.

    Returns how many rows and how many words there are. In ``better`` these positions are noted, too.
    """
    at_line = at_word = 0
    per_side = state.undecided.size // 2
    tasks = state.due.size // 512
    start = q * men.size0 * men.size1 * (64 if men.pawned else 640)
    for i in range(rows.size):
        block, p0, task = task_at(men, q, i)
        rows[i] = 0
        if men.sameq0 and q >= p0:
            continue
        left = state.due[(side * tasks + task) * 256 + (code & 255)]
        if code == DRAW:
            left = ALL >> np.uint64(64 - men.size1)
        while left:
            p1 = ctz(left)
            left &= left - U1
            first = row_of(men, block, q, p0, p1) * 64
            active = np.uint64(0)
            for rank in range(8):
                at = side * per_side + first + 8 * rank
                undecided = load(state.undecided, at)
                if not some(undecided):
                    continue
                for j in range(8):
                    words[at_word + j] = bytes_equal(codes, (first + 8 * rank + j - start) * 64, code)
                line = load(words, at_word) & undecided
                if some(line):
                    store(words, at_word, line)
                    active |= U1 << np.uint64(rank)
                    at_word += 8
                    store(state.better, at, load(state.better, at) | line)
            if active:
                rows[i] |= U1 << np.uint64(p1)
                lines[at_line] = active
                at_line += 1
    return at_line, at_word


@kernel
def spread(men, q, rows, lines, words, out):
    """Writes the lines of a record to the empty words of one plane."""
    at_line = at_word = 0
    for i in range(rows.size):
        block, p0, _ = task_at(men, q, i)
        left = rows[i]
        while left:
            p1 = ctz(left)
            left &= left - U1
            row = ((p0 * men.size1 + p1) * (1 if men.pawned else 10) + block) * 64
            active = np.uint64(lines[at_line])
            at_line += 1
            while active:
                rank = ctz(active)
                active &= active - U1
                store(out, row + 8 * rank, load(words, at_word))
                at_word += 8


@kernel
def join(first, words, out, away):
    """Adds to ``out``, from a word on, the positions of one plane of words, or takes them ``away``."""
    for at in range(0, words.size, 8):
        line = load(words, at)
        if some(line):
            here = load(out, first + at)
            store(out, first + at, without(here, line) if away else here | line)


@kernel
def note_rows(first, code, rows, due):
    """Notes in ``due`` the rows of a record of exits; ``first`` is its first task, of both sides."""
    for i in range(rows.size):
        due[(first + i) * 256 + (code & 255)] |= rows[i]


@kernel
def restore(men, state, layer, side, q, won, rows, lines, words):
    """Puts a packed plane back into an empty layer, and takes its positions from U, and from R where ``won``."""
    at_line = at_word = 0
    for i in range(rows.size):
        block, p0, task = task_at(men, q, i)
        left = rows[i]
        layer.rows[side * (layer.rows.size // 2) + task] = left
        while left:
            p1 = ctz(left)
            left &= left - U1
            row = side * (layer.lines.size // 2) + row_of(men, block, q, p0, p1)
            active = np.uint64(lines[at_line])
            layer.lines[row] = lines[at_line]
            at_line += 1
            while active:
                rank = ctz(active)
                active &= active - U1
                line = load(words, at_word)
                at_word += 8
                at = row * 64 + 8 * rank
                store(layer.words, at, line)
                store(state.undecided, at, without(load(state.undecided, at), line))
                if won:
                    store(state.not_won, at, without(load(state.not_won, at), line))


@kernel
def clear(men, layer, side, q):
    """Empties one plane of a layer."""
    empty = splat(np.uint64(0))
    blocks = 1 if men.pawned else 10
    for i in range(blocks * men.size0):
        block, p0, task = task_at(men, q, i)
        at_task = side * (layer.rows.size // 2) + task
        left = layer.rows[at_task]
        layer.rows[at_task] = 0
        while left:
            p1 = ctz(left)
            left &= left - U1
            row = side * (layer.lines.size // 2) + row_of(men, block, q, p0, p1)
            layer.lines[row] = 0
            for place in range(0, 64, 8):
                store(layer.words, row * 64 + place, empty)


@kernel
def set_codes(men, q, rows, lines, words, codes, code):
    """Writes a code, or its low byte, to the positions of a packed plane; ``codes`` are those of the plane."""
    at_line = at_word = 0
    for i in range(rows.size):
        block, p0, _ = task_at(men, q, i)
        left = rows[i]
        while left:
            p1 = ctz(left)
            left &= left - U1
            row = ((p0 * men.size1 + p1) * (1 if men.pawned else 10) + block) * 64
            active = np.uint64(lines[at_line])
            at_line += 1
            while active:
                rank = ctz(active)
                active &= active - U1
                for j in range(8):
                    word = words[at_word + j]
                    if word:
                        bytes_set(codes, (row + 8 * rank + j) * 64, word, code)
                at_word += 8

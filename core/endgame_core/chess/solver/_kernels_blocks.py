"""Planes of sets, packed: what a pass has found, or which exits are worth one code, as a record of a work file has it.

A *record* is three arrays end to end: a word for each task of a plane, whose bits are its rows that hold anything; a
byte for each of these rows, whose bits are the lines that do; and these lines, eight words each. One of several passes
has a fourth, ``which``: for each bit of its words, in their order, the number of its pass among these, from 1 on. It is
empty where there is one pass only. What a pass with such a number means is told by a look-up array of 256 elements.
"""

from __future__ import annotations

import numpy as np

from endgame_core.chess.solver._kernels_board import U1, row_of
from endgame_core.tables.kernels import (
    bytes_above,
    bytes_equal,
    bytes_set,
    ctz,
    inner,
    kernel,
    load,
    popcount,
    some,
    splat,
    store,
    without,
)


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
def note_better(first, undecided, codes, limit, better):
    """Notes the positions of one plane whose best exit is better than a limit; ``first`` is its first word."""
    for word in range(codes.size // 64):
        better[first + word] = bytes_above(codes, word * 64, limit) & undecided[first + word]


@inner
def any_of(words, at):
    """Whether anything is in the line that begins there."""
    return some(load(words, at))


@kernel
def pack_exits(men, state, codes, side, q, some, numbers, first, end, start, rows, lines, words, which):
    """Packs the positions of some tasks of a plane whose best exit is one of ``some``, as one record of several passes.

    Args:
        men: The men, laid out.
        state: The sets.
        codes: Codes of the plane, or their low bytes.
        side: Side to move.
        q: Square of the outermost man.
        some: Up to 64 codes, int64.
        numbers: The number of each, by code or by low byte.
        first: The first task.
        end: Where they end.
        start: How many lines, and words, there are already, int64; they become more.
        rows: Room for rows.
        lines: Room for lines.
        words: Room for words.
        which: Room for the numbers of the positions of these tasks.

    Returns:
        How many of these numbers there are.
    """
    at_line, at_word, at = start[0], start[1], 0
    per_side = state.undecided.size // 2
    tasks = state.due.size // 512
    plane = q * men.size0 * men.size1 * (64 if men.pawned else 640)
    for i in range(first, end):
        block, p0, task = task_at(men, q, i)
        rows[i] = 0
        if men.sameq0 and q >= p0:
            continue
        column = (side * tasks + task) * 256
        left = np.uint64(0)
        for code in some:
            left |= state.due[column + (code & 255)]
        while left:
            p1 = ctz(left)
            left &= left - U1
            row = row_of(men, block, q, p0, p1) * 64
            due = np.uint64(0)
            for k in range(some.size):
                due |= ((state.due[column + (some[k] & 255)] >> np.uint64(p1)) & U1) << np.uint64(k)
            active = np.uint64(0)
            for rank in range(8):
                if not any_of(state.undecided, side * per_side + row + 8 * rank):
                    continue
                found = np.uint64(0)
                for j in range(8):
                    word = row + 8 * rank + j
                    here, ks = np.uint64(0), due
                    while ks:
                        here |= bytes_equal(codes, (word - plane) * 64, some[ctz(ks)])
                        ks &= ks - U1
                    here &= state.undecided[side * per_side + word]
                    words[at_word + j] = here
                    found |= here
                    while here:
                        which[at] = numbers[codes[(word - plane) * 64 + ctz(here)]]
                        at += 1
                        here &= here - U1
                if found:
                    active |= U1 << np.uint64(rank)
                    at_word += 8
            if active:
                rows[i] |= U1 << np.uint64(p1)
                lines[at_line] = active
                at_line += 1
    start[0], start[1] = at_line, at_word
    return at


@inner
def picked(word, which, at, picks):
    """The bits of a word whose pass is picked; ``at`` is the place of the first of them in ``which``."""
    if which.size == 0:
        return word if picks[1] else np.uint64(0)
    found = np.uint64(0)
    while word:
        low = word & (~word + U1)
        if picks[which[at]]:
            found |= low
        at += 1
        word ^= low
    return found


@kernel
def spread(men, q, picks, rows, lines, words, which, out):
    """Writes the positions of a record that are picked to the empty words of one plane."""
    at_line = at_word = at = 0
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
                    out[row + 8 * rank + j] = picked(word, which, at, picks)
                    at += popcount(word)
                at_word += 8


@kernel
def take(first, words, out):
    """Takes from ``out``, from a word on, the positions of one plane of words."""
    for at in range(0, words.size, 8):
        line = load(words, at)
        if some(line):
            store(out, first + at, without(load(out, first + at), line))


@kernel
def restore(men, state, layer, side, q, picks, won, rows, lines, words, which):
    """Takes the positions of a record from U, and from R where ``won`` says so; puts some back into a layer.

    ``picks`` tells which go to the layer, that is empty there.
    """
    at_line = at_word = at = 0
    for i in range(rows.size):
        block, p0, task = task_at(men, q, i)
        left = rows[i]
        while left:
            p1 = ctz(left)
            left &= left - U1
            row = side * (layer.lines.size // 2) + row_of(men, block, q, p0, p1)
            active, found = np.uint64(lines[at_line]), np.uint64(0)
            at_line += 1
            while active:
                rank = ctz(active)
                active &= active - U1
                first = row * 64 + 8 * rank
                for j in range(8):
                    word = words[at_word + j]
                    state.undecided[first + j] &= ~word
                    state.not_won[first + j] &= ~picked(word, which, at, won)
                    now = picked(word, which, at, picks)
                    if now:
                        layer.words[first + j] = now
                        found |= U1 << np.uint64(rank)
                    at += popcount(word)
                at_word += 8
            if found:
                layer.lines[row] = np.uint8(found)
                layer.rows[side * (layer.rows.size // 2) + task] |= U1 << np.uint64(p1)


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
def set_codes(men, q, rows, lines, words, which, means, codes):
    """Writes to the positions of a record the codes that their passes mean, or low bytes; ``codes`` are the plane's."""
    at_line = at_word = at = 0
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
                    word, first = words[at_word + j], (row + 8 * rank + j) * 64
                    if which.size == 0:
                        if word:
                            bytes_set(codes, first, word, np.int64(means[1]))
                        continue
                    while word:
                        codes[first + ctz(word)] = means[which[at]]
                        at += 1
                        word &= word - U1
                at_word += 8


@kernel
def gather_rows(men, q, rows, lines, words, all_rows, all_lines, all_words):
    """Adds the positions of a record to those of a plane: to its rows, lines and words.

    Words of a plane count where their row and line do.
    """
    at_line = at_word = 0
    for i in range(rows.size):
        block, p0, _ = task_at(men, q, i)
        left = rows[i]
        while left:
            p1 = ctz(left)
            left &= left - U1
            row = (p0 * men.size1 + p1) * (1 if men.pawned else 10) + block
            if not all_rows[i] & (U1 << np.uint64(p1)):
                all_rows[i] |= U1 << np.uint64(p1)
                all_lines[row] = 0
            active = np.uint64(lines[at_line])
            there = np.uint64(all_lines[row])
            all_lines[row] = np.uint8(there | active)
            at_line += 1
            while active:
                rank = ctz(active)
                active &= active - U1
                at, line = row * 64 + 8 * rank, load(words, at_word)
                at_word += 8
                if (there >> np.uint64(rank)) & U1:
                    line = line | load(all_words, at)
                store(all_words, at, line)


@kernel
def pack_codes(men, q, first, end, start, all_rows, all_lines, all_words, codes, only, lines, words, which):
    """Packs some tasks of a plane, of whose positions ``codes`` tells the passes.

    Args:
        men: The men, laid out.
        q: Square of the outermost man.
        first: The first task.
        end: Where they end.
        start: How many lines, and words, there are already, int64; they become more.
        all_rows: Rows of the plane; see :func:`gather_rows`, as for the two that follow.
        all_lines: Its lines.
        all_words: Its words.
        codes: For each position of these the number of its pass.
        only: Positions of the plane that are packed alone; all are where it is empty.
        lines: Room for lines.
        words: Room for words.
        which: Room for the numbers of the passes of these tasks.

    Returns:
        How many of these numbers there are.
    """
    at_line, at_word, at = start[0], start[1], 0
    for i in range(first, end):
        block, p0, _ = task_at(men, q, i)
        left = all_rows[i]
        while left:
            p1 = ctz(left)
            left &= left - U1
            row = (p0 * men.size1 + p1) * (1 if men.pawned else 10) + block
            active = np.uint64(all_lines[row])
            lines[at_line] = all_lines[row]
            at_line += 1
            while active:
                rank = ctz(active)
                active &= active - U1
                for j in range(8):
                    place = row * 64 + 8 * rank + j
                    word = all_words[place] & only[place] if only.size else all_words[place]
                    words[at_word + j] = word
                    while word:
                        which[at] = codes[place * 64 + ctz(word)]
                        at += 1
                        word &= word - U1
                at_word += 8
    start[0], start[1] = at_line, at_word
    return at

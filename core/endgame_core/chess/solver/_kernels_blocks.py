"""Planes of sets, packed: what a pass has found, or which exits are worth one code, as a record of a work file has it.

A *record* is three arrays end to end: a word for each task of a plane, whose bits are its rows that hold anything; for
each of these rows a byte, whose bits are the lines that do, followed by one for each of these lines, whose bits are its
words that are not 0; and these words. One of several passes has a fourth, ``which``: for each bit of its words, in
their order, the number of its pass among these, from 1 on. It is empty where there is one pass only. What a pass with
such a number means is told by a look-up array of 256 elements.
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


@inner
def put_line(line, first, words, at) -> tuple[int, np.uint8]:
    """Writes the words of a line that are not 0; returns where they end, and which they are."""
    there = np.uint8(0)
    for j in range(8):
        word = line[first + j]
        if word:
            words[at] = word
            there |= np.uint8(1 << j)
            at += 1
    return at, there


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
                at_word, lines[at_line] = put_line(layer.words, row * 64 + 8 * rank, words, at_word)
                at_line += 1
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
            active, of_row = np.uint64(0), at_line
            for rank in range(8):
                if not any_of(state.undecided, side * per_side + row + 8 * rank):
                    continue
                there = np.uint8(0)
                for j in range(8):
                    word = row + 8 * rank + j
                    here, ks = np.uint64(0), due
                    while ks:
                        here |= bytes_equal(codes, (word - plane) * 64, some[ctz(ks)])
                        ks &= ks - U1
                    here &= state.undecided[side * per_side + word]
                    if here:
                        words[at_word] = here
                        at_word += 1
                        there |= np.uint8(1 << j)
                    while here:
                        which[at] = numbers[codes[(word - plane) * 64 + ctz(here)]]
                        at += 1
                        here &= here - U1
                if there:
                    active |= U1 << np.uint64(rank)
                    at_line += 1
                    lines[at_line] = there
            if active:
                rows[i] |= U1 << np.uint64(p1)
                lines[of_row] = active
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
                first = row + 8 * ctz(active)
                active &= active - U1
                there = np.uint64(lines[at_line])
                at_line += 1
                while there:
                    word = words[at_word]
                    at_word += 1
                    out[first + ctz(there)] = picked(word, which, at, picks)
                    there &= there - U1
                    at += popcount(word)


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
                there = np.uint64(lines[at_line])
                at_line += 1
                while there:
                    place, word = row * 64 + 8 * rank + ctz(there), words[at_word]
                    there &= there - U1
                    at_word += 1
                    state.undecided[place] &= ~word
                    state.not_won[place] &= ~picked(word, which, at, won)
                    now = picked(word, which, at, picks)
                    if now:
                        layer.words[place] = now
                        found |= U1 << np.uint64(rank)
                    at += popcount(word)
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
                line = row + 8 * ctz(active)
                active &= active - U1
                there = np.uint64(lines[at_line])
                at_line += 1
                while there:
                    word, first = words[at_word], (line + ctz(there)) * 64
                    at_word += 1
                    there &= there - U1
                    if which.size == 0:
                        bytes_set(codes, first, word, np.int64(means[1]))
                        continue
                    while word:
                        codes[first + ctz(word)] = means[which[at]]
                        at += 1
                        word &= word - U1


@kernel
def merge(first, end, start, ends, plain, narrow, which, here, numbers, rows, lines, words, out):
    """Packs some tasks of a plane, of several records that have no position twice, as one record of all their passes.

    Args:
        first: The first task.
        end: Where they end.
        start: How many lines, and words, there are already, int64; they become more.
        ends: For each record where its rows begin, its next line and word in ``plain``, its next number in ``which``,
            -1 where it is of one pass, and how many passes the records before it have, int64; they go on.
        plain: The rows, lines and words of all records, as uint64.
        narrow: The same as bytes, for lines.
        which: The numbers of their passes.
        here: Room for the words of a row.
        numbers: Room for the numbers of its positions.
        rows: Room for rows.
        lines: Room for lines.
        words: Room for words.
        out: Room for the numbers of the passes of these tasks.

    Returns:
        How many of these numbers there are.
    """
    at_line, at_word, at = start[0], start[1], 0
    for i in range(first, end):
        left = np.uint64(0)
        for record in range(len(ends)):
            left |= plain[ends[record, 0] + i]
        rows[i] = left
        while left:
            row = left & (~left + U1)
            left ^= row
            filled = np.uint64(0)
            for record in range(len(ends)):
                if not plain[ends[record, 0] + i] & row:
                    continue
                line, place, number, before = ends[record, 1], ends[record, 2], ends[record, 3], ends[record, 4]
                active = np.uint64(narrow[line])
                line += 1
                while active:
                    rank = ctz(active)
                    active &= active - U1
                    there = np.uint64(narrow[line])
                    line += 1
                    if not (filled >> np.uint64(rank)) & U1:
                        filled |= U1 << np.uint64(rank)
                        store(here, 8 * rank, splat(np.uint64(0)))
                    while there:
                        j, word = 8 * rank + ctz(there), plain[place]
                        there &= there - U1
                        place += 1
                        here[j] |= word
                        if number < 0:
                            bytes_set(numbers, 64 * j, word, np.int64(before + 1))
                            continue
                        while word:
                            numbers[64 * j + ctz(word)] = before + which[number]
                            number += 1
                            word &= word - U1
                ends[record, 1], ends[record, 2], ends[record, 3] = line, place, number
            lines[at_line] = filled
            at_line += 1
            while filled:
                rank = ctz(filled)
                filled &= filled - U1
                at_word, lines[at_line] = put_line(here, 8 * rank, words, at_word)
                at_line += 1
                for j in range(8 * rank, 8 * rank + 8):
                    word = here[j]
                    while word:
                        out[at] = numbers[64 * j + ctz(word)]
                        at += 1
                        word &= word - U1
    start[0], start[1] = at_line, at_word
    return at


@kernel
def leave_out(men, q, only, rows, lines, words, which, out_rows, out_lines, out_words, out_which):
    """Leaves out of a record of several passes all positions but some.

    Args:
        men: The men, laid out.
        q: Square of the outermost man.
        only: The positions of the plane that stay.
        rows: Rows of the record.
        lines: Its lines.
        words: Its words.
        which: Its numbers of passes.
        out_rows: Room for the rows that are left.
        out_lines: Room for the lines.
        out_words: Room for the words.
        out_which: Room for the numbers.

    Returns:
        How many lines, words and numbers are left.
    """
    from_line = from_word = at = at_line = at_word = to = 0
    for i in range(rows.size):
        block, p0, _ = task_at(men, q, i)
        left, kept = rows[i], np.uint64(0)
        while left:
            p1 = ctz(left)
            left &= left - U1
            row = ((p0 * men.size1 + p1) * (1 if men.pawned else 10) + block) * 64
            active, stays, of_row = np.uint64(lines[from_line]), np.uint64(0), at_line
            from_line += 1
            while active:
                rank = ctz(active)
                active &= active - U1
                there, stay = np.uint64(lines[from_line]), np.uint8(0)
                from_line += 1
                while there:
                    j, word = ctz(there), words[from_word]
                    there &= there - U1
                    from_word += 1
                    found = word & only[row + 8 * rank + j]
                    if found:
                        out_words[at_word] = found
                        at_word += 1
                        stay |= np.uint8(1 << j)
                    while word:
                        low = word & (~word + U1)
                        if found & low:
                            out_which[to] = which[at]
                            to += 1
                        at += 1
                        word ^= low
                if stay:
                    stays |= U1 << np.uint64(rank)
                    at_line += 1
                    out_lines[at_line] = stay
            if stays:
                kept |= U1 << np.uint64(p1)
                out_lines[of_row] = stays
                at_line += 1
        out_rows[i] = kept
    return at_line, at_word, to

"""Planes of sets, packed: what a pass has found, or which exits are worth one code, as a record of a work file has it.

A *record* is two arrays end to end: a word for each task of a plane, whose bits are its rows that hold anything; and
bytes, in which all that holds nothing is left out: for each of these rows a byte, whose bits are its lines, followed
by these lines; a line is a byte, whose bits are its words, and these words; a word is a byte, whose bits are its
bytes, and these bytes. One of several passes has a third array, ``which``: for each position, in their order, the
number of its pass among these, from 1 on, and :data:`AFTER` bytes more. It is empty where there is one pass only. What
a pass with such a number means is told by a look-up array of 256 elements.
"""

from __future__ import annotations

import numpy as np

from endgame_core.chess.solver._kernels_board import ALL, U1, row_of
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
def row_in_plane(men, i, p1):
    """The first word of a row of the i-th task of a plane, counted from that plane's first."""
    return ((i % men.size0 * men.size1 + p1) * (1 if men.pawned else 10) + i // men.size0) * 64


AFTER = 64
"""Bytes behind the numbers of passes: so many numbers are looked at together."""

LOW, HIGH, GATHER = np.uint64(0x7F7F7F7F7F7F7F7F), np.uint64(0x8080808080808080), np.uint64(0x0102040810204080)
"""Bits of each byte, but for its highest; the highest; and what moves those to the uppermost byte of a product."""


@inner
def put_word(word, out, at):
    """Writes a word that is not 0; returns where it ends."""
    there = (((((word & LOW) + LOW) | word) & HIGH) >> np.uint64(7)) * GATHER >> np.uint64(56)
    out[at] = there
    at += 1
    while there:
        out[at] = word >> np.uint64(8 * ctz(there))
        at += 1
        there &= there - U1
    return at


@inner
def get_word(lines, at) -> tuple[np.uint64, int]:
    """The word that begins there, and where it ends."""
    there, word = np.uint64(lines[at]), np.uint64(0)
    at += 1
    while there:
        word |= np.uint64(lines[at]) << np.uint64(8 * ctz(there))
        at += 1
        there &= there - U1
    return word, at


@inner
def put_line(line, first, out, at):
    """Writes a line that is not empty; returns where it ends."""
    there, start = np.uint8(0), at
    at += 1
    for j in range(8):
        if line[first + j]:
            there |= np.uint8(1 << j)
            at = put_word(line[first + j], out, at)
    out[start] = there
    return at


@kernel
def pack(men, layer, side, q, rows, lines):
    """Packs one plane of a layer; returns how many bytes its lines take."""
    at = 0
    for i in range(rows.size):
        block, p0, task = task_at(men, q, i)
        left = layer.rows[side * (layer.rows.size // 2) + task]
        rows[i] = left
        while left:
            p1 = ctz(left)
            left &= left - U1
            row = side * (layer.lines.size // 2) + row_of(men, block, q, p0, p1)
            active = np.uint64(layer.lines[row])
            lines[at] = active
            at += 1
            while active:
                at = put_line(layer.words, row * 64 + 8 * ctz(active), lines, at)
                active &= active - U1
    return at


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
def pack_exits(men, state, codes, side, q, some, numbers, first, end, start, rows, lines, which):
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
        start: How many bytes of lines there are already, int64; they become more.
        rows: Room for rows.
        lines: Room for lines.
        which: Room for the numbers of the positions of these tasks.

    Returns:
        How many of these numbers there are.
    """
    end_line, at = start[0], 0
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
            active, of_row = np.uint64(0), end_line
            end_line += 1
            for rank in range(8):
                if not any_of(state.undecided, side * per_side + row + 8 * rank):
                    continue
                there, of_line = np.uint8(0), end_line
                end_line += 1
                for j in range(8):
                    word = row + 8 * rank + j
                    here, ks = np.uint64(0), due
                    while ks:
                        here |= bytes_equal(codes, (word - plane) * 64, some[ctz(ks)])
                        ks &= ks - U1
                    here &= state.undecided[side * per_side + word]
                    if here:
                        end_line = put_word(here, lines, end_line)
                        there |= np.uint8(1 << j)
                    while here:
                        which[at] = numbers[codes[(word - plane) * 64 + ctz(here)]]
                        at += 1
                        here &= here - U1
                if there:
                    active |= U1 << np.uint64(rank)
                    lines[of_line] = there
                else:
                    end_line = of_line
            if active:
                rows[i] |= U1 << np.uint64(p1)
                lines[of_row] = active
            else:
                end_line = of_row
    start[0] = end_line
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
def spread(men, number, rows, lines, which, out):
    """Writes the positions of a record that are of one of its passes to the empty words of one plane."""
    at_line = at = 0
    for i in range(rows.size):
        left = rows[i]
        while left:
            row = row_in_plane(men, i, ctz(left))
            left &= left - U1
            active = np.uint64(lines[at_line])
            at_line += 1
            while active:
                first = row + 8 * ctz(active)
                active &= active - U1
                there = np.uint64(lines[at_line])
                at_line += 1
                while there:
                    word, at_line = get_word(lines, at_line)
                    count = popcount(word)
                    here = bytes_equal(which, at, number) & (ALL >> np.uint64(64 - count))
                    found = np.uint64(0)
                    while here:
                        low = word & (~word + U1)
                        found |= low * (here & U1)
                        here >>= U1
                        word ^= low
                    out[first + ctz(there)] = found
                    there &= there - U1
                    at += count


@kernel
def take(men, first, rows, words, out):
    """Takes from the plane of ``out`` that begins with a word the positions of ``words``, which are in some rows."""
    for i in range(rows.size):
        left = rows[i]
        while left:
            row = row_in_plane(men, i, ctz(left))
            left &= left - U1
            for at in range(row, row + 64, 8):
                line = load(words, at)
                if some(line):
                    store(out, first + at, without(load(out, first + at), line))


@kernel
def restore(men, state, layer, side, q, picks, won, rows, lines, which):
    """Takes the positions of a record from U, and from R where ``won`` says so; puts some back into a layer.

    ``picks`` tells which go to the layer, that is empty there.
    """
    at_line = at = 0
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
                    place = row * 64 + 8 * rank + ctz(there)
                    there &= there - U1
                    word, at_line = get_word(lines, at_line)
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
def set_codes(men, rows, lines, which, means, codes):
    """Writes to the positions of a record the codes that their passes mean, or low bytes; ``codes`` are the plane's."""
    at_line = at = 0
    for i in range(rows.size):
        left = rows[i]
        while left:
            row = row_in_plane(men, i, ctz(left))
            left &= left - U1
            active = np.uint64(lines[at_line])
            at_line += 1
            while active:
                line = row + 8 * ctz(active)
                active &= active - U1
                there = np.uint64(lines[at_line])
                at_line += 1
                while there:
                    first = (line + ctz(there)) * 64
                    there &= there - U1
                    word, at_line = get_word(lines, at_line)
                    if which.size == 0:
                        bytes_set(codes, first, word, np.int64(means[1]))
                        continue
                    while word:
                        codes[first + ctz(word)] = means[which[at]]
                        at += 1
                        word &= word - U1


@kernel
def merge(first, end, start, ends, all_rows, all_lines, all_which, here, numbers, rows, lines, which):
    """Packs some tasks of a plane, of several records that have no position twice, as one record of all their passes.

    Args:
        first: The first task.
        end: Where they end.
        start: How many bytes of lines there are already, int64; they become more.
        ends: For each record where its next line and its next number begin, the latter -1 where it is of one pass, and
            how many passes the records before it have, int64; they go on.
        all_rows: The rows of each record.
        all_lines: The lines of all records.
        all_which: The numbers of their passes.
        here: Room for the words of a row.
        numbers: Room for the numbers of its positions.
        rows: Room for rows.
        lines: Room for lines.
        which: Room for the numbers of the passes of these tasks.

    Returns:
        How many of these numbers there are.
    """
    end_line, at = start[0], 0
    for i in range(first, end):
        left = np.uint64(0)
        for record in range(len(ends)):
            left |= all_rows[record, i]
        rows[i] = left
        while left:
            row = left & (~left + U1)
            left ^= row
            filled = np.uint64(0)
            for record in range(len(ends)):
                if not all_rows[record, i] & row:
                    continue
                at_line, number, before = ends[record, 0], ends[record, 1], ends[record, 2]
                active = np.uint64(all_lines[at_line])
                at_line += 1
                while active:
                    rank = ctz(active)
                    active &= active - U1
                    there = np.uint64(all_lines[at_line])
                    at_line += 1
                    if not (filled >> np.uint64(rank)) & U1:
                        filled |= U1 << np.uint64(rank)
                        store(here, 8 * rank, splat(np.uint64(0)))
                    while there:
                        j = 8 * rank + ctz(there)
                        there &= there - U1
                        word, at_line = get_word(all_lines, at_line)
                        here[j] |= word
                        if number < 0:
                            bytes_set(numbers, 64 * j, word, np.int64(before + 1))
                            continue
                        while word:
                            numbers[64 * j + ctz(word)] = before + all_which[number]
                            number += 1
                            word &= word - U1
                ends[record, 0], ends[record, 1] = at_line, number
            lines[end_line] = filled
            end_line += 1
            while filled:
                rank = ctz(filled)
                filled &= filled - U1
                end_line = put_line(here, 8 * rank, lines, end_line)
                for j in range(8 * rank, 8 * rank + 8):
                    word = here[j]
                    while word:
                        which[at] = numbers[64 * j + ctz(word)]
                        at += 1
                        word &= word - U1
    start[0] = end_line
    return at


@kernel
def leave_out(men, q, only, rows, lines, which, out_rows, out_lines, out_which):
    """Leaves out of a record of several passes all positions but some.

    Args:
        men: The men, laid out.
        q: Square of the outermost man.
        only: The positions of the plane that stay.
        rows: Rows of the record.
        lines: Its lines.
        which: Its numbers of passes.
        out_rows: Room for the rows that are left.
        out_lines: Room for the lines.
        out_which: Room for the numbers.

    Returns:
        How many bytes of lines and how many numbers are left.
    """
    at_line = at = end_line = to = 0
    for i in range(rows.size):
        block, p0, _ = task_at(men, q, i)
        left, kept = rows[i], np.uint64(0)
        while left:
            p1 = ctz(left)
            left &= left - U1
            row = ((p0 * men.size1 + p1) * (1 if men.pawned else 10) + block) * 64
            active, stays, of_row = np.uint64(lines[at_line]), np.uint64(0), end_line
            at_line += 1
            end_line += 1
            while active:
                rank = ctz(active)
                active &= active - U1
                there, stay, of_line = np.uint64(lines[at_line]), np.uint8(0), end_line
                at_line += 1
                end_line += 1
                while there:
                    j = ctz(there)
                    there &= there - U1
                    word, at_line = get_word(lines, at_line)
                    found = word & only[row + 8 * rank + j]
                    if found:
                        end_line = put_word(found, out_lines, end_line)
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
                    out_lines[of_line] = stay
                else:
                    end_line = of_line
            if stays:
                kept |= U1 << np.uint64(p1)
                out_lines[of_row] = stays
            else:
                end_line = of_row
        out_rows[i] = kept
    return end_line, to

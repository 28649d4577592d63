"""Planes of sets, packed: what a pass has found, or which exits are worth one code, as a record of a work file has it.

A *record* is two arrays end to end: a word for each task of a plane, whose bits are its rows that hold anything; and
bytes, in which all that holds nothing is left out: for each of these rows a byte, whose bits are its lines, followed
by these lines; a line is a byte, whose bits are its words, then for each of these a byte, whose bits are its bytes, and
then all these bytes. One of several passes has a third array, ``which``: for each position, in their order, the
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
    bytes_within,
    count,
    ctz,
    inner,
    is_wide,
    kernel,
    load,
    popcount,
    same,
    splat,
    spread,
    spread_word,
    squeeze,
    squeeze_word,
    store,
    word,
)
from endgame_core.tables.kernels import some as any_in


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
def bytes_there(word):
    """Which bytes of a word are not 0, as bits."""
    return (((((word & LOW) + LOW) | word) & HIGH) >> np.uint64(7)) * GATHER >> np.uint64(56)


@inner
def put_line(line, out, at):
    """Writes a line that is not empty; returns where it ends."""
    bits = ~same(line, 0)
    there = bytes_there(bits)
    out[at] = there
    squeeze_word(out, at + 1, bits, there)
    at += 1 + popcount(there)
    squeeze(out, at, line, bits)
    return at + popcount(bits)


@inner
def get_line(lines, at):
    """The line that begins there, its words that hold anything, and where it ends."""
    there = np.uint64(lines[at])
    bits = spread_word(lines, at + 1, there)
    at += 1 + popcount(there)
    return spread(lines, at, bits), there, at + popcount(bits)


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
                at = put_line(load(layer.words, row * 64 + 8 * ctz(active)), lines, at)
                active &= active - U1
    return at


@kernel
def note_codes(codes, there):
    """Sets to 1 which codes there are."""
    for code in codes:
        there[code] = 1


@kernel
def note_better(men, state, codes, side, q, limit, first, end):
    """Notes the positions of some tasks of a plane whose best exit is better than a limit."""
    begins = side * (state.undecided.size // 2) + q * (codes.size // 64)
    for i in range(first, end):
        if men.sameq0 and q >= i % men.size0:
            continue
        for p1 in range(men.size1):
            row = row_in_plane(men, i, p1)
            for at in range(row, row + 64):
                state.better[begins + at] = bytes_above(codes, at * 64, limit) & state.undecided[begins + at]


@kernel
def pack_exits(men, state, codes, side, q, some, bounds, numbers, line, first, end, start, rows, lines, which):
    """Packs the positions of some tasks of a plane whose best exit is one of ``some``, as one record of several passes.

    Args:
        men: The men, laid out.
        state: The sets.
        codes: Codes of the plane, or their low bytes.
        side: Side to move.
        q: Square of the outermost man.
        some: The codes, int64.
        bounds: The least of those that lose and of those that win, each followed by how far the last is from it; twice
            the same where there are no others. Of all codes that positions of the plane have they are all between.
        numbers: The number of each, by code or by low byte.
        line: Room for the words of a line.
        first: The first task.
        end: Where they end.
        start: How many bytes of lines there are already, int64; they become more.
        rows: Room for rows.
        lines: Room for lines.
        which: Room for the numbers of the positions of these tasks; bytes stand there before as they are.

    Returns:
        How many of these numbers there are.
    """
    end_line, at = start[0], 0
    begins = side * (state.undecided.size // 2) + q * (codes.size // 64)
    for i in range(first, end):
        _, p0, task = task_at(men, q, i)
        rows[i] = 0
        if men.sameq0 and q >= p0:
            continue
        column = (side * (state.due.size // 512) + task) * 256
        left = np.uint64(0)
        for code in some:
            left |= state.due[column + (code & 255)]
        while left:
            p1 = ctz(left)
            left &= left - U1
            row = row_in_plane(men, i, p1)
            active, of_row = np.uint64(0), end_line
            end_line += 1
            for place in range(row, row + 64, 8):
                if not any_in(load(state.undecided, begins + place)):
                    continue
                for j in range(8):
                    first_code = (place + j) * 64
                    here = bytes_within(codes, first_code, bounds[0], bounds[1])
                    here |= bytes_within(codes, first_code, bounds[2], bounds[3])
                    line[j] = here & state.undecided[begins + place + j]
                result = load(line, 0)
                if not any_in(result):
                    continue
                active |= U1 << np.uint64((place - row) // 8)
                end_line = put_line(result, lines, end_line)
                for j in range(8):
                    here = line[j]
                    if not is_wide(codes):
                        if here:
                            squeeze(which, at, load(codes, (place + j) * 64), here)
                            at += popcount(here)
                        continue
                    while here:
                        which[at] = numbers[codes[(place + j) * 64 + ctz(here)]]
                        at += 1
                        here &= here - U1
            if active:
                rows[i] |= U1 << np.uint64(p1)
                lines[of_row] = active
            else:
                end_line = of_row
    if not is_wide(codes):
        for i in range(at):
            which[i] = numbers[which[i]]
    start[0] = end_line
    return at


@inner
def any_among(which, at, end, number):
    """Whether any of some positions is of the pass with this number."""
    while at < end:
        if bytes_equal(which, at, number) & (ALL >> np.uint64(64 - min(end - at, 64))):
            return True
        at += 64
    return False


@inner
def picked(word, which, at, picks):
    """The bits of a word whose pass is picked; ``at`` is the place of the first of them in ``which``."""
    if which.size == 0:
        return word if picks[1] else np.uint64(0)
    result = np.uint64(0)
    while word:
        low = word & (~word + U1)
        if picks[which[at]]:
            result |= low
        at += 1
        word ^= low
    return result


@kernel
def pick(men, number, rows, lines, which, out, out_rows, better, begins, losing):
    """Writes the positions of a record that are of one of its passes to the empty words of one plane.

    Args:
        men: The men, laid out.
        number: The pass.
        rows: Rows of the record.
        lines: Its lines.
        which: Its numbers of passes.
        out: The words.
        out_rows: The rows that hold anything now, for each task a word; empty as well.
        better: A set from which these positions go if ``losing``.
        begins: The first word of its plane.
        losing: Whether they do.
    """
    at_line = at = 0
    for i in range(rows.size):
        left = rows[i]
        while left:
            p1 = ctz(left)
            left &= left - U1
            row = row_in_plane(men, i, p1)
            active = np.uint64(lines[at_line])
            at_line += 1
            while active:
                first = row + 8 * ctz(active)
                active &= active - U1
                line, there, at_line = get_line(lines, at_line)
                end = at + count(line)
                if not any_among(which, at, end, number):
                    at = end
                    continue
                out_rows[i] |= U1 << np.uint64(p1)
                while there:
                    j = ctz(there)
                    there &= there - U1
                    here = word(line, j)
                    result = same(spread(which, at, here), number) & here
                    at += popcount(here)
                    out[first + j] = result
                    if losing:
                        better[begins + first + j] &= ~result


@kernel
def empty(men, rows, words):
    """Empties the rows of a plane of words, and tells no more of them."""
    nothing = splat(np.uint64(0))
    for i in range(rows.size):
        left = rows[i]
        rows[i] = 0
        while left:
            row = row_in_plane(men, i, ctz(left))
            left &= left - U1
            for at in range(row, row + 64, 8):
                store(words, at, nothing)


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
            active, result = np.uint64(lines[at_line]), np.uint64(0)
            at_line += 1
            while active:
                rank = ctz(active)
                active &= active - U1
                line, there, at_line = get_line(lines, at_line)
                while there:
                    place, here = row * 64 + 8 * rank + ctz(there), word(line, ctz(there))
                    there &= there - U1
                    state.undecided[place] &= ~here
                    state.not_won[place] &= ~picked(here, which, at, won)
                    now = picked(here, which, at, picks)
                    if now:
                        layer.words[place] = now
                        result |= U1 << np.uint64(rank)
                    at += popcount(here)
            if result:
                layer.lines[row] = np.uint8(result)
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
                begins = row + 8 * ctz(active)
                active &= active - U1
                line, there, at_line = get_line(lines, at_line)
                while there:
                    first, here = (begins + ctz(there)) * 64, word(line, ctz(there))
                    there &= there - U1
                    if which.size == 0:
                        bytes_set(codes, first, here, np.int64(means[1]))
                        continue
                    while here:
                        codes[first + ctz(here)] = means[which[at]]
                        at += 1
                        here &= here - U1


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
                    line, there, at_line = get_line(all_lines, at_line)
                    if not (filled >> np.uint64(rank)) & U1:
                        filled |= U1 << np.uint64(rank)
                        store(here, 8 * rank, line)
                    else:
                        store(here, 8 * rank, load(here, 8 * rank) | line)
                    while there:
                        j, now = 8 * rank + ctz(there), word(line, ctz(there))
                        there &= there - U1
                        if number < 0:
                            bytes_set(numbers, 64 * j, now, np.int64(before + 1))
                            continue
                        while now:
                            numbers[64 * j + ctz(now)] = before + all_which[number]
                            number += 1
                            now &= now - U1
                ends[record, 0], ends[record, 1] = at_line, number
            lines[end_line] = filled
            end_line += 1
            while filled:
                rank = ctz(filled)
                filled &= filled - U1
                end_line = put_line(load(here, 8 * rank), lines, end_line)
                for j in range(8 * rank, 8 * rank + 8):
                    squeeze(which, at, load(numbers, 64 * j), here[j])
                    at += popcount(here[j])
    start[0] = end_line
    return at


@kernel
def leave_out(men, only, rows, lines, which, out_rows, out_lines, out_which):
    """Leaves out of a record of several passes all positions but some.

    Args:
        men: The men, laid out.
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
        left, kept = rows[i], np.uint64(0)
        while left:
            p1 = ctz(left)
            left &= left - U1
            row = row_in_plane(men, i, p1)
            active, stays, of_row = np.uint64(lines[at_line]), np.uint64(0), end_line
            at_line += 1
            end_line += 1
            while active:
                rank = ctz(active)
                active &= active - U1
                line, there, at_line = get_line(lines, at_line)
                result = line & load(only, row + 8 * rank)
                if any_in(result):
                    stays |= U1 << np.uint64(rank)
                    end_line = put_line(result, out_lines, end_line)
                while there:
                    here, stay = word(line, ctz(there)), word(result, ctz(there))
                    there &= there - U1
                    squeeze(out_which, to, spread(which, at, here), stay)
                    at += popcount(here)
                    to += popcount(stay)
            if stays:
                kept |= U1 << np.uint64(p1)
                out_lines[of_row] = stays
            else:
                end_line = of_row
        out_rows[i] = kept
    return end_line, to

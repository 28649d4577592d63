"""Planes of sets, packed as records of a work file: what passes decided, or which exits are due in some passes.

A pass decides few positions of a plane. So a *record* leaves out whatever is empty, on four levels:

- ``rows``: one uint64 for each task of the plane; its bits are the rows that are not empty.
- ``lines``: bytes. For each of these rows one byte, whose bits are the lines that are not empty. For each of these
  lines one byte, whose bits are its words; for each of these words one byte, whose bits are its bytes; and then all
  these bytes. A word with any position has three of 64 on average, which are in two of its eight bytes.
- ``which``, in a record of several passes: for each position, in order, one byte: the number of its pass in the
  record, from 1 on. It is followed by :data:`AFTER` bytes more, as these numbers are compared 64 at a time. A record of
  one pass has none.

Example: a row with one position, last piece on c2, black king on d5. Line 1 (rank 2) has word 2 (file c), and in the
word byte 4 (rank 5) has bit 3 (file d). The row's bytes are ``02 04 10 08``: line 1; its word 2; that word's byte 4;
the byte itself.

What a number in ``which`` means (a code, or whether to take it at all) is looked up in an array of 256 elements.
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
    equal_bytes,
    has_bits,
    inner,
    is_wide,
    kernel,
    load,
    popcount,
    splat,
    spread,
    spread_word,
    squeeze,
    squeeze_word,
    store,
    word,
)


@inner
def task_at(men, q, i):
    """Block and square of p0 of the i-th task of a plane, and its number among the tasks of a side."""
    return i // men.size0, i % men.size0, q * (1 if men.pawned else 10) * men.size0 + i


@inner
def row_in_plane(men, i, p1):
    """First word of a row of the i-th task of a plane, counted from the first word of that plane."""
    return ((i % men.size0 * men.size1 + p1) * (1 if men.pawned else 10) + i // men.size0) * 64


AFTER = 64
"""Padding behind the numbers of passes, in bytes: 64 numbers are compared at once."""

LOW = np.uint64(0x7F7F7F7F7F7F7F7F)
"""Seven low bits of each byte."""
HIGH = np.uint64(0x8080808080808080)
"""The highest bit of each byte."""
GATHER = np.uint64(0x0102040810204080)
"""A factor that moves the lowest bits of all bytes to the uppermost byte of the product."""


@inner
def bytes_there(word):
    """Which bytes of a word are not 0, as eight bits."""
    # Adding 0x7F sets the highest bit of a byte unless its low bits are 0, and does not carry into the next byte. These
    # bits, moved to the bottom of their bytes, are gathered by one multiplication.
    return (((((word & LOW) + LOW) | word) & HIGH) >> np.uint64(7)) * GATHER >> np.uint64(56)


@inner
def put_line(line, out, at):
    """Writes a line that is not empty, from ``out[at]`` on; returns where it ends."""
    bits = ~equal_bytes(line, 0)
    # `bits` has one bit for each of the line's 64 bytes, so its own bytes stand for the line's words: a byte of it says
    # which bytes of that word are not 0.
    words = bytes_there(bits)
    out[at] = words
    squeeze_word(out, at + 1, bits, words)
    at += 1 + popcount(words)
    squeeze(out, at, line, bits)
    return at + popcount(bits)


@inner
def get_line(lines, at):
    """Reads the line that begins at ``lines[at]``.

    Returns:
        The line, the bits of its words that are not empty, and where it ends.
    """
    word_bits = np.uint64(lines[at])
    bits = spread_word(lines, at + 1, word_bits)
    at += 1 + popcount(word_bits)
    return spread(lines, at, bits), word_bits, at + popcount(bits)


@kernel
def pack(men, layer, side, q, rows, lines):
    """Packs one plane of a layer into ``rows`` and ``lines``; returns how many bytes of ``lines`` are used."""
    at = 0
    for i in range(rows.size):
        block, p0, task = task_at(men, q, i)
        remaining = layer.rows[side * (layer.rows.size // 2) + task]
        rows[i] = remaining
        while remaining:
            p1 = ctz(remaining)
            remaining &= remaining - U1
            row = side * (layer.lines.size // 2) + row_of(men, block, q, p0, p1)
            active = np.uint64(layer.lines[row])
            lines[at] = active
            at += 1
            while active:
                at = put_line(load(layer.words, row * 64 + 8 * ctz(active)), lines, at)
                active &= active - U1
    return at


@kernel
def note_codes(codes, present):
    """Sets ``present[code]`` to 1 for each code that occurs."""
    for code in codes:
        present[code] = 1


@kernel
def note_better(men, state, codes, side, q, limit, first, end):
    """Writes to ``state.better`` the positions of some tasks of a plane whose best exit is better than a limit."""
    begins = side * (state.undecided.size // 2) + q * (codes.size // 64)
    for i in range(first, end):
        if men.sameq0 and q >= i % men.size0:
            continue
        for p1 in range(men.size1):
            row = row_in_plane(men, i, p1)
            for at in range(row, row + 64):
                state.better[begins + at] = bytes_above(codes, at * 64, limit) & state.undecided[begins + at]


@kernel
def pack_exits(men, state, codes, side, q, due_codes, bounds, numbers, line, first, end, start, rows, lines, which):
    """Packs positions of some tasks of a plane whose best exit has one of some codes, as one record of several passes.

    Args:
        men: The pieces, laid out.
        state: The sets.
        codes: Codes of the plane, or their low bytes.
        side: Side to move.
        q: Square of the outermost piece.
        due_codes: The codes, int64.
        bounds: The least code that loses and how far the last is from it, then the same of codes that win; one of them
            twice where there are no others, int64 of shape (4,). Every exit of the plane with a code in between has one
            of ``due_codes``.
        numbers: The number of each code in the record, by code or low byte, uint8.
        line: Room for the words of a line.
        first: The first task.
        end: The task after the last.
        start: How many bytes of ``lines`` are used, int64 of shape (1,); raised.
        rows: Room for rows.
        lines: Room for lines.
        which: Room for the numbers of the positions of these tasks; where codes are bytes they are used as scratch.

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
        remaining = np.uint64(0)
        for code in due_codes:
            remaining |= state.due[column + (code & 255)]
        while remaining:
            p1 = ctz(remaining)
            remaining &= remaining - U1
            # The byte of the row is written once its lines are known; if none has a position it is taken back.
            row = row_in_plane(men, i, p1)
            active, of_row = np.uint64(0), end_line
            end_line += 1
            for place in range(row, row + 64, 8):
                if not has_bits(load(state.undecided, begins + place)):
                    continue
                # Two comparisons of a range find the exits of up to 32 passes, instead of one comparison for each code.
                for j in range(8):
                    first_code = (place + j) * 64
                    bits = bytes_within(codes, first_code, bounds[0], bounds[1])
                    bits |= bytes_within(codes, first_code, bounds[2], bounds[3])
                    line[j] = bits & state.undecided[begins + place + j]
                result = load(line, 0)
                if not has_bits(result):
                    continue
                active |= U1 << np.uint64((place - row) // 8)
                end_line = put_line(result, lines, end_line)
                for j in range(8):
                    bits = line[j]
                    # Bytes are squeezed as they are, 64 at a time, and translated into numbers at the end.
                    if not is_wide(codes):
                        if bits:
                            squeeze(which, at, load(codes, (place + j) * 64), bits)
                            at += popcount(bits)
                        continue
                    while bits:
                        which[at] = numbers[codes[(place + j) * 64 + ctz(bits)]]
                        at += 1
                        bits &= bits - U1
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
    """Whether any of the positions from ``at`` up to ``end`` is of the pass with this number."""
    while at < end:
        if bytes_equal(which, at, number) & (ALL >> np.uint64(64 - min(end - at, 64))):
            return True
        at += 64
    return False


@inner
def picked(word, which, at, picks):
    """The bits of a word whose pass is picked; ``which[at]`` is the number of the first of them."""
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
    """Unpacks the positions of one pass of a record to the words of one plane, which are empty.

    Args:
        men: The pieces, laid out.
        number: The number of the pass in the record.
        rows: Rows of the record.
        lines: Its lines.
        which: Its numbers of passes.
        out: The words.
        out_rows: The rows that are not empty, one word for each task; empty as well.
        better: A set that loses these positions if ``losing``.
        begins: First word of the plane in that set.
        losing: Whether the exits are losses: from this pass on they are not better than one.
    """
    at_line = at = 0
    for i in range(rows.size):
        remaining = rows[i]
        while remaining:
            p1 = ctz(remaining)
            remaining &= remaining - U1
            row = row_in_plane(men, i, p1)
            active = np.uint64(lines[at_line])
            at_line += 1
            while active:
                first = row + 8 * ctz(active)
                active &= active - U1
                line, word_bits, at_line = get_line(lines, at_line)
                end = at + count(line)
                # Most lines have no position of this pass: eight comparisons at once skip them.
                if not any_among(which, at, end, number):
                    at = end
                    continue
                out_rows[i] |= U1 << np.uint64(p1)
                while word_bits:
                    j = ctz(word_bits)
                    word_bits &= word_bits - U1
                    bits = word(line, j)
                    result = equal_bytes(spread(which, at, bits), number) & bits
                    at += popcount(bits)
                    out[first + j] = result
                    if losing:
                        better[begins + first + j] &= ~result


@kernel
def empty(men, rows, words):
    """Empties the rows of a plane of words that ``rows`` names, and ``rows``."""
    nothing = splat(np.uint64(0))
    for i in range(rows.size):
        remaining = rows[i]
        rows[i] = 0
        while remaining:
            row = row_in_plane(men, i, ctz(remaining))
            remaining &= remaining - U1
            for at in range(row, row + 64, 8):
                store(words, at, nothing)


@kernel
def restore(men, state, layer, side, q, picks, won, rows, lines, which):
    """Repeats what passes decided: takes the positions of a record out of U and R, and puts some into a layer.

    Args:
        men: The pieces, laid out.
        state: The sets.
        layer: A layer, empty in this plane.
        side: Side to move.
        q: Square of the outermost piece.
        picks: By number of a pass, whether its positions go into the layer, uint8 of shape (256,).
        won: By number of a pass, whether its positions are won and leave R, likewise.
        rows: Rows of the record.
        lines: Its lines.
        which: Its numbers of passes.
    """
    at_line = at = 0
    for i in range(rows.size):
        block, p0, task = task_at(men, q, i)
        remaining = rows[i]
        while remaining:
            p1 = ctz(remaining)
            remaining &= remaining - U1
            row = side * (layer.lines.size // 2) + row_of(men, block, q, p0, p1)
            active, result = np.uint64(lines[at_line]), np.uint64(0)
            at_line += 1
            while active:
                rank = ctz(active)
                active &= active - U1
                line, word_bits, at_line = get_line(lines, at_line)
                while word_bits:
                    place, bits = row * 64 + 8 * rank + ctz(word_bits), word(line, ctz(word_bits))
                    word_bits &= word_bits - U1
                    state.undecided[place] &= ~bits
                    state.not_won[place] &= ~picked(bits, which, at, won)
                    now = picked(bits, which, at, picks)
                    if now:
                        layer.words[place] = now
                        result |= U1 << np.uint64(rank)
                    at += popcount(bits)
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
        remaining = layer.rows[at_task]
        layer.rows[at_task] = 0
        while remaining:
            p1 = ctz(remaining)
            remaining &= remaining - U1
            row = side * (layer.lines.size // 2) + row_of(men, block, q, p0, p1)
            layer.lines[row] = 0
            for place in range(0, 64, 8):
                store(layer.words, row * 64 + place, empty)


@kernel
def set_codes(men, rows, lines, which, means, codes):
    """Writes the codes of a record's positions into ``codes``, a plane; ``means`` has the code by number of a pass."""
    at_line = at = 0
    for i in range(rows.size):
        remaining = rows[i]
        while remaining:
            row = row_in_plane(men, i, ctz(remaining))
            remaining &= remaining - U1
            active = np.uint64(lines[at_line])
            at_line += 1
            while active:
                begins = row + 8 * ctz(active)
                active &= active - U1
                line, word_bits, at_line = get_line(lines, at_line)
                while word_bits:
                    first, bits = (begins + ctz(word_bits)) * 64, word(line, ctz(word_bits))
                    word_bits &= word_bits - U1
                    if which.size == 0:
                        bytes_set(codes, first, bits, np.int64(means[1]))
                        continue
                    while bits:
                        codes[first + ctz(bits)] = means[which[at]]
                        at += 1
                        bits &= bits - U1


@kernel
def merge(first, end, start, ends, all_rows, all_lines, all_which, row_words, numbers, rows, lines, which):
    """Merges records of some tasks of a plane, which have no position in common, into one of all their passes.

    Args:
        first: The first task.
        end: The task after the last.
        start: How many bytes of ``lines`` are used, int64 of shape (1,); raised.
        ends: For each record where its next line and its next number begin (-1 where it is of one pass), and how many
            passes the records before it have, int64 of shape (records, 3); advanced.
        all_rows: The rows of each record.
        all_lines: The lines of all records.
        all_which: The numbers of their passes.
        row_words: Room for the words of a row.
        numbers: Room for the numbers of its positions.
        rows: Room for rows.
        lines: Room for lines.
        which: Room for the numbers of the passes of these tasks.

    Returns:
        How many of these numbers there are.
    """
    end_line, at = start[0], 0
    for i in range(first, end):
        remaining = np.uint64(0)
        for record in range(len(ends)):
            remaining |= all_rows[record, i]
        rows[i] = remaining
        # Row by row: each record's part is unpacked into one row of words and one of numbers, and these are packed
        # again.
        while remaining:
            row = remaining & (~remaining + U1)
            remaining ^= row
            line_bits = np.uint64(0)
            for record in range(len(ends)):
                if not all_rows[record, i] & row:
                    continue
                at_line, number, passes_before = ends[record, 0], ends[record, 1], ends[record, 2]
                active = np.uint64(all_lines[at_line])
                at_line += 1
                while active:
                    rank = ctz(active)
                    active &= active - U1
                    line, word_bits, at_line = get_line(all_lines, at_line)
                    # The first record with a position in a line overwrites what the row before has left there.
                    if not (line_bits >> np.uint64(rank)) & U1:
                        line_bits |= U1 << np.uint64(rank)
                        store(row_words, 8 * rank, line)
                    else:
                        store(row_words, 8 * rank, load(row_words, 8 * rank) | line)
                    while word_bits:
                        j, bits = 8 * rank + ctz(word_bits), word(line, ctz(word_bits))
                        word_bits &= word_bits - U1
                        if number < 0:
                            bytes_set(numbers, 64 * j, bits, np.int64(passes_before + 1))
                            continue
                        while bits:
                            numbers[64 * j + ctz(bits)] = passes_before + all_which[number]
                            number += 1
                            bits &= bits - U1
                ends[record, 0], ends[record, 1] = at_line, number
            lines[end_line] = line_bits
            end_line += 1
            while line_bits:
                rank = ctz(line_bits)
                line_bits &= line_bits - U1
                end_line = put_line(load(row_words, 8 * rank), lines, end_line)
                for j in range(8 * rank, 8 * rank + 8):
                    squeeze(which, at, load(numbers, 64 * j), row_words[j])
                    at += popcount(row_words[j])
    start[0] = end_line
    return at


@kernel
def leave_out(men, only, rows, lines, which, out_rows, out_lines, out_which):
    """Copies a record of several passes without the positions that are not in a set.

    Args:
        men: The pieces, laid out.
        only: The positions of the plane that stay.
        rows: Rows of the record.
        lines: Its lines.
        which: Its numbers of passes.
        out_rows: Room for the rows of the copy.
        out_lines: Room for its lines.
        out_which: Room for its numbers.

    Returns:
        How many bytes of lines and how many numbers the copy has.
    """
    at_line = at = end_line = to = 0
    for i in range(rows.size):
        remaining, stay_rows = rows[i], np.uint64(0)
        while remaining:
            p1 = ctz(remaining)
            remaining &= remaining - U1
            row = row_in_plane(men, i, p1)
            # The byte that says which lines of the row follow comes before them: fill it in below.
            active, stay_lines, of_row = np.uint64(lines[at_line]), np.uint64(0), end_line
            at_line += 1
            end_line += 1
            while active:
                rank = ctz(active)
                active &= active - U1
                line, word_bits, at_line = get_line(lines, at_line)
                result = line & load(only, row + 8 * rank)
                if has_bits(result):
                    stay_lines |= U1 << np.uint64(rank)
                    end_line = put_line(result, out_lines, end_line)
                while word_bits:
                    bits, stay_bits = word(line, ctz(word_bits)), word(result, ctz(word_bits))
                    word_bits &= word_bits - U1
                    squeeze(out_which, to, spread(which, at, bits), stay_bits)
                    at += popcount(bits)
                    to += popcount(stay_bits)
            if stay_lines:
                stay_rows |= U1 << np.uint64(p1)
                out_lines[of_row] = stay_lines
            else:
                # No line of the row stays, so its byte goes as well.
                end_line = of_row
        out_rows[i] = stay_rows
    return end_line, to

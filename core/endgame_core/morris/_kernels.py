"""The loops of the solver, over the rows of a table, in three steps: the captures, the number of moves, the layers.

In one row of a table White's stones stand still, Black's are a set of the free points. These are counted from 0, so
Black's stones are a mask of ``24 - W`` bits, *packed*; its rank among all masks with as many bits (ascending, which is
the colexicographic order) is the slot within the row. What leads from one row to another, a move of White's and the
symmetry after it, permutes the free points: three tables of 128 masks, made once per row and move, turn packed masks of
the one row into those of the other.

A task is a row. In a layer it reads the layer before in any row but writes to its own slots alone, so tasks run in any
order on any thread: White's moves are pulled from the rows they lead to, Black's stay within the row.
"""

from __future__ import annotations

from math import comb
from typing import NamedTuple

import numpy as np

from endgame_core.morris.geometry import INVERSES, MILLS, NEIGHBOUR_MASKS, SYMMETRIES
from endgame_core.tables.kernels import (
    add_bits,
    bytes_equal,
    bytes_set,
    ctz,
    element,
    inner,
    kernel,
    next_task,
    popcount,
)
from endgame_core.values import BYTE_DRAW

NEAR = np.array(NEIGHBOUR_MASKS, np.int64)
LINE = np.array(MILLS, np.int64)
THERE = np.array(SYMMETRIES, np.int64).reshape(-1)
BACK = np.array([SYMMETRIES[number] for number in INVERSES], np.int64).reshape(-1)
CHOOSE = np.array([comb(points, stones) for points in range(24) for stones in range(10)], np.int64)

GONE = 1 << 30
"""In a turned mask: one of the stones stands where none can have stood."""
FULL = np.uint8(255)
"""In place of the number of moves left: the slot is decided."""
FEW = 12
"""Positions of a row up to which their masks are turned without tables."""
MANY = 255
"""Where counting the positions of a row ends."""

U1 = np.uint64(1)
ALL = np.int64((1 << 24) - 1)
CORNERS = np.int64(0x555555)
MIDDLES = np.int64(0xAAAAAA)


class Pair(NamedTuple):
    """The index of one pair, and how White's stones move.

    Attributes:
        whites: White's stones, by row.
        masks: Black's packed stones, by rank.
        low: For 11 bits of a mask: the rank of these stones times 16, and their number.
        high: For a number of stones in the low bits, and the upper bits: what the upper stones add to the rank.
        starts, targets, turns, sources, ends: As in :class:`endgame_core.morris.arrays.Links`.
        points: Free points.
        black: Black's stones.
        stride: Slots of a row, a multiple of 64.
    """

    whites: np.ndarray
    masks: np.ndarray
    low: np.ndarray
    high: np.ndarray
    starts: np.ndarray
    targets: np.ndarray
    turns: np.ndarray
    sources: np.ndarray
    ends: np.ndarray
    points: int
    black: int
    stride: int


class MorrisSolverState(NamedTuple):
    """What the tasks of one solve share; slots of White to move come first.

    Attributes:
        codes: By slot, what captures promise, and once decided the code.
        left: By slot, the number of quiet moves not known to lose; FULL once it is decided.
        due: By side and row, 256 bits: which codes its captures promise.
        rows: Rows of one side.
    """

    codes: np.ndarray
    left: np.ndarray
    due: np.ndarray
    rows: int


class MorrisLayer(NamedTuple):
    """The positions of one layer: a bit for each slot; and how many there are, up to 255, by side and row."""

    words: np.ndarray
    rows: np.ndarray


class RowScratch(NamedTuple):
    """What a thread knows of the row it is at: the solver makes room for it.

    Attributes:
        points: The free points, by packed number.
        index: The packed number of each free point.
        bits: What becomes of each free point.
        near: Where a black stone on each free point can go, packed.
        mills: Black's possible mills, packed.
        count: How many free points and possible mills there are.
        tables: Three tables of 128 numbers each, up to nine times.
    """

    points: np.ndarray
    index: np.ndarray
    bits: np.ndarray
    near: np.ndarray
    mills: np.ndarray
    count: np.ndarray
    tables: np.ndarray


@inner
def rank_of(pair, mask):
    """Rank of a packed mask."""
    low = np.int64(element(pair.low, mask & 2047))
    return (low >> 4) + np.int64(element(pair.high, ((low & 15) << 10) + (mask >> 11)))


@inner
def packed(row, mask):
    """The packed form of a mask of free points."""
    result = np.int64(0)
    while mask:
        point = ctz(np.uint64(mask))
        mask &= mask - 1
        result |= np.int64(1) << row.index[point]
    return result


@inner
def enter(pair, number, row):
    """Makes ``row`` tell of one row."""
    white = pair.whites[number]
    free = ALL & ~white
    n = 0
    for point in range(24):
        row.index[point] = n
        if (free >> point) & 1:
            row.points[n] = point
            n += 1
    for i in range(n):
        flights = ((np.int64(1) << n) - 1) ^ (np.int64(1) << i)
        row.near[i] = flights if pair.black == 3 else packed(row, free & NEAR[row.points[i]])
    mills = 0
    for line in range(16):
        if not LINE[line] & white:
            row.mills[mills] = packed(row, LINE[line])
            mills += 1
    row.count[0], row.count[1] = n, mills


@inner
def closed(row, mask):
    """Black's stones in mills, of a packed mask."""
    result = np.int64(0)
    for line in range(row.count[1]):
        mill = row.mills[line]
        if mask & mill == mill:
            result |= mill
    return result


@inner
def fill(tables, base, place, value):
    """Adds one packed point, worth ``value``, to three tables of 128 sums."""
    start, half = base + (place // 7) * 128, 1 << (place % 7)
    if half == 1:
        tables[start] = 0
    for i in range(half):
        tables[start + half + i] = tables[start + i] + value


@inner
def look_up(tables, base, mask):
    """The sum of what the points of a packed mask are worth."""
    return (
        element(tables, base + (mask & 127))
        + element(tables, base + 128 + ((mask >> 7) & 127))
        + element(tables, base + 256 + (mask >> 14))
    )


@inner
def turn_back(row, white, symmetry, gone):
    """Finds where the points of another row go in this one.

    Args:
        row: This row; ``bits`` are made to tell.
        white: White's stones in the other row.
        symmetry: The one that led there.
        gone: The point where no black stone can have stood; its bit is GONE.
    """
    place = 0
    for point in range(24):
        if not (white >> point) & 1:
            there = BACK[24 * symmetry + point]
            row.bits[place] = np.int64(GONE) if there == gone else np.int64(1) << row.index[there]
            place += 1


@inner
def tabulate(row):
    """Makes tables of ``bits``: worth it where many masks are to be turned."""
    for place in range(row.count[0]):
        fill(row.tables, 0, place, row.bits[place])


@inner
def turned(row, mask):
    """A packed mask of the other row as one of this row, without tables."""
    result = np.int64(0)
    while mask:
        result |= row.bits[ctz(np.uint64(mask))]
        mask &= mask - 1
    return result


@inner
def turn_there(row, base, white, symmetry):
    """Prepares tables that turn packed masks of this row into those of another.

    Args:
        row: This row.
        base: Where in its tables.
        white: White's stones in the other row.
        symmetry: The one that leads there.
    """
    free = ALL & ~white
    for place in range(row.count[0]):
        there = np.int64(1) << THERE[24 * symmetry + row.points[place]]
        fill(row.tables, base, place, np.int64(1) << popcount(np.uint64(free & (there - 1))))


@inner
def image(symmetry, mask):
    """A mask after a symmetry."""
    result = np.int64(0)
    while mask:
        result |= np.int64(1) << THERE[24 * symmetry + ctz(np.uint64(mask))]
        mask &= mask - 1
    return result


@inner
def rank_among(free, mask):
    """Rank of a mask among all as large on some free points."""
    result, stones = np.int64(0), 0
    while mask:
        stones += 1
        bit = mask & -mask
        mask ^= bit
        result += CHOOSE[10 * popcount(np.uint64(free & (bit - 1))) + stones]
    return result


@inner
def ahead(mask):
    """Every stone one step clockwise on its ring."""
    return ((mask << 1) & 0xFEFEFE) | ((mask >> 7) & 0x010101)


@inner
def behind(mask):
    """Every stone one step counter-clockwise on its ring."""
    return ((mask >> 1) & 0x7F7F7F) | ((mask << 7) & 0x808080)


@inner
def other_rings(mask):
    """The points for which both points of the same cell in the other rings are in the mask."""
    return ((mask << 8) | (mask >> 16)) & ((mask << 16) | (mask >> 8)) & ALL


# Before the first layer: what every capture promises, and how many quiet moves every position has. Promises are codes
# for the player who captures, a lower bound, 0 where nothing can be taken.


@inner
def before(code):
    """The code that a capture is worth, given that of the position after it."""
    return np.uint8(255 - code) if code < BYTE_DRAW else np.uint8(256 - code)


@kernel
def white_takes(pair, sub, sub_stride, worth, counter, row):
    """What it is worth to White to have closed a mill and to take: by slot, 0 where White has no mill.

    ``sub`` holds the codes of the pair with one black stone less, Black to move; it is empty when that pair is lost.
    """
    while True:
        number = next_task(counter)
        if number >= pair.whites.size:
            return
        if not has_mill(pair.whites[number]):
            continue
        enter(pair, number, row)
        for rank in range(pair.masks.size):
            best = np.int64(0)
            if pair.black > 3:
                mask = pair.masks[rank]
                best = np.int64(255)
                open_ = mask & ~closed(row, mask)
                if not open_:
                    open_ = mask
                while open_:
                    taken = open_ & -open_
                    open_ ^= taken
                    best = min(best, np.int64(sub[number * sub_stride + rank_of(pair, mask ^ taken)]))
            worth[number * pair.stride + rank] = before(best)


@inner
def has_mill(white):
    """Whether some stones have a mill."""
    return (white & other_rings(white)) | (white & MIDDLES & ahead(white) & behind(white))


@kernel
def white_offers(pair, worth, codes, counter, row):
    """Raises the codes with White to move to what closing a mill is worth."""
    while True:
        number = next_task(counter)
        if number >= pair.whites.size:
            return
        first, last = pair.starts[2 * number + 1], pair.starts[2 * number + 2]
        if first == last:
            continue
        enter(pair, number, row)
        for move in range(first, last):
            source = pair.targets[move]
            turn_back(row, pair.whites[source], pair.turns[move], pair.sources[move])
            tabulate(row)
            for rank in range(pair.masks.size):
                mask = look_up(row.tables, 0, pair.masks[rank])
                if not mask & GONE:
                    slot = number * pair.stride + rank_of(pair, mask)
                    codes[slot] = max(codes[slot], worth[source * pair.stride + rank])


@kernel
def black_offers(pair, losses, sub_whites, sub, sub_stride, codes, counter, row):
    """Raises the codes with Black to move to what closing a mill, and taking then, is worth.

    ``sub`` holds the codes of the pair with one white stone less, White to move; ``losses`` leads to its rows.
    """
    slots = pair.whites.size * pair.stride
    while True:
        number = next_task(counter)
        if number >= pair.whites.size:
            return
        enter(pair, number, row)
        first, last = losses.starts[2 * number], losses.starts[2 * number + 2]
        for loss in range(first, last):
            turn_there(row, 384 * (loss - first), sub_whites[losses.targets[loss]], losses.turns[loss])
        for rank in range(pair.masks.size):
            mask = pair.masks[rank]
            mill = closed(row, mask)
            if not mill:
                continue
            best = np.int64(255)
            for loss in range(first, last):
                there = look_up(row.tables, 384 * (loss - first), mask)
                best = min(best, np.int64(sub[losses.targets[loss] * sub_stride + rank_of(pair, there)]))
            offer = before(best)
            while mill:
                end = mill & -mill
                mill ^= end
                origins = row.near[ctz(np.uint64(end))] & ~mask
                while origins:
                    origin = origins & -origins
                    origins ^= origin
                    slot = slots + number * pair.stride + rank_of(pair, mask ^ end ^ origin)
                    codes[slot] = max(codes[slot], offer)


@inner
def count_quiet(pair, white, black):
    """How many moves of Black's close no mill."""
    free = ALL & ~(white | black)
    last, next_ = ahead(black), behind(black)
    last2, next2 = ahead(last), behind(next_)
    rings = other_rings(black)
    if pair.black == 3:
        ends = CORNERS & ((last & last2) | (next_ & next2)) | MIDDLES & ((last & next_) | rings)
        return 3 * popcount(np.uint64(free)) - popcount(np.uint64(ends & free))
    from_last = last & ~(CORNERS & next_ & next2 | MIDDLES & rings)
    from_next = next_ & ~(CORNERS & last & last2 | MIDDLES & rings)
    joined = MIDDLES & free & ~(last & next_)
    return (
        popcount(np.uint64(from_last & free))
        + popcount(np.uint64(from_next & free))
        + popcount(np.uint64((black << 8) & joined))
        + popcount(np.uint64((black >> 8) & joined))
    )


@inner
def note_due(state, side, number, code):
    """Notes that a row has positions whose captures promise a code."""
    state.due[4 * (side * state.rows + number) + (code >> 6)] |= U1 << np.uint64(code & 63)


@kernel
def count_moves(pair, state, side, counter, row):
    """Counts the quiet moves of every position with one side to move, and notes which promises a row has."""
    while True:
        number = next_task(counter)
        if number >= state.rows:
            return
        enter(pair, number, row)
        white = pair.whites[number]
        for place in range(row.count[0]):
            fill(row.tables, 0, place, np.int64(1) << row.points[place])
            row.bits[place] = 0
        first, last = pair.starts[2 * number], pair.starts[2 * number + 1]
        for move in range(first, last):
            row.bits[row.index[pair.ends[move]]] += 1
        for place in range(row.count[0]):
            fill(row.tables, 384, place, row.bits[place])
        start = (side * state.rows + number) * pair.stride
        for rank in range(pair.masks.size):
            mask = pair.masks[rank]
            if side:
                moves = count_quiet(pair, white, look_up(row.tables, 0, mask))
            else:
                moves = last - first - look_up(row.tables, 384, mask)
            state.left[start + rank] = np.uint8(moves)
            code = np.int64(state.codes[start + rank])
            if code or not moves:
                note_due(state, side, number, code)
        for rank in range(pair.masks.size, pair.stride):
            state.left[start + rank] = FULL


# One layer after the other, from the finished games outwards.


@inner
def decide(state, out, slot, code):
    """Puts a slot into the layer."""
    state.left[slot] = FULL
    state.codes[slot] = code
    out.words[slot >> 6] |= U1 << np.uint64(slot & 63)
    return 1


@inner
def win(state, out, slot, code):
    """Tells a slot that one of its moves leads to a lost position; returns 1 if that decides it, else 0."""
    if element(state.left, slot) == FULL:
        return 0
    return decide(state, out, slot, code)


@inner
def lose(state, out, slot, code):
    """Tells a slot that one more of its moves leads to a won position; returns 1 if that decides it, else 0."""
    left = element(state.left, slot)
    if left == FULL:
        return 0
    left -= np.uint8(1)
    state.left[slot] = left
    if left or element(state.codes, slot) > code:
        return 0
    return decide(state, out, slot, code)


@inner
def white_moves(pair, state, last, out, number, wins, code, row):
    """Whatever White to move can bring into the layer before, with Black to move there."""
    new = 0
    words = pair.stride >> 6
    for move in range(pair.starts[2 * number], pair.starts[2 * number + 1]):
        target = pair.targets[move]
        count = last.rows[state.rows + target]
        if not count:
            continue
        turn_back(row, pair.whites[target], pair.turns[move], pair.sources[move])
        many = count > FEW
        if many:
            tabulate(row)
        for word in range(words):
            bits = last.words[(state.rows + target) * words + word]
            while bits:
                mask = pair.masks[64 * word + ctz(bits)]
                bits &= bits - U1
                mask = look_up(row.tables, 0, mask) if many else turned(row, mask)
                if not mask & GONE:
                    slot = number * pair.stride + rank_of(pair, mask)
                    new += win(state, out, slot, code) if wins else lose(state, out, slot, code)
    return new


@inner
def black_moves(pair, state, last, out, number, wins, code, row):
    """Whatever Black to move can bring into the layer before, with White to move there."""
    new = 0
    words = pair.stride >> 6
    start = (state.rows + number) * pair.stride
    for word in range(words):
        bits = last.words[number * words + word]
        while bits:
            mask = pair.masks[64 * word + ctz(bits)]
            bits &= bits - U1
            ends = mask & ~closed(row, mask)
            while ends:
                end = ends & -ends
                ends ^= end
                origins = row.near[ctz(np.uint64(end))] & ~mask
                while origins:
                    origin = origins & -origins
                    origins ^= origin
                    slot = start + rank_of(pair, mask ^ end ^ origin)
                    new += win(state, out, slot, code) if wins else lose(state, out, slot, code)
    return new


@inner
def promised(pair, state, out, side, number, depth, code):
    """Positions whose captures promise just this layer: wins not won before, losses without another move."""
    new = 0
    at = side * state.rows + number
    if (state.due[4 * at + (np.int64(code) >> 6)] >> np.uint64(code & 63)) & U1:
        for word in range(at * (pair.stride >> 6), (at + 1) * (pair.stride >> 6)):
            bits = bytes_equal(state.codes, 64 * word, code)
            if bits:
                if depth & 1:
                    bits &= ~bytes_equal(state.left, 64 * word, FULL)
                else:
                    bits &= bytes_equal(state.left, 64 * word, np.uint8(0))
                bytes_set(state.left, 64 * word, bits, FULL)
                out.words[word] |= bits
                new += popcount(bits)
    return new


@inner
def reached(pair, last, side, number):
    """Whether any position of a row has a move into the layer before."""
    rows = pair.whites.size
    if side:
        return last.rows[number] > 0
    for move in range(pair.starts[2 * number], pair.starts[2 * number + 1]):
        if last.rows[rows + pair.targets[move]]:
            return True
    return False


@kernel
def solve_layer(pair, state, last, out, depth, sides, counter, row, new):
    """Finds the layer ``depth`` from the one before; ``new`` counts its slots by side."""
    wins = depth & 1
    code = np.uint8(255 - (depth - 1) // 2) if wins else np.uint8(depth // 2)
    words = pair.stride >> 6
    while True:
        number = next_task(counter)
        if number >= state.rows:
            return
        entered = False
        for side in range(sides):
            at = side * state.rows + number
            if out.rows[at]:
                for word in range(at * words, (at + 1) * words):
                    out.words[word] = 0
            result = promised(pair, state, out, side, number, depth, code)
            if reached(pair, last, side, number):
                if not entered:
                    enter(pair, number, row)
                    entered = True
                if side:
                    result += black_moves(pair, state, last, out, number, wins, code, row)
                else:
                    result += white_moves(pair, state, last, out, number, wins, code, row)
            out.rows[at] = min(result, MANY)
            new[side] += result


@kernel
def count_rows(pair, layer, counter):
    """Counts the positions of a layer with Black to move, row by row."""
    words = pair.stride >> 6
    while True:
        number = pair.whites.size + next_task(counter)
        if number >= 2 * pair.whites.size:
            return
        result = 0
        for word in range(number * words, (number + 1) * words):
            result += popcount(layer.words[word])
        layer.rows[number] = min(result, MANY)


@kernel
def exchange(pair, state, layer, canonicals, stabilisers, counter, row):
    """Puts the layer's positions with White to move, colours exchanged, among those with Black to move.

    For pairs of equal numbers, of which only White to move is solved. ``canonicals`` tells, by rank of a mask on all 24
    points, sixteen times its row plus the symmetry that leads there; ``stabilisers`` are those of the rows.
    """
    words = pair.stride >> 6
    while True:
        number = next_task(counter)
        if number >= state.rows:
            return
        if not layer.rows[number]:
            continue
        enter(pair, number, row)
        for symmetry in range(16):
            row.near[symmetry] = image(symmetry, pair.whites[number])
        for place in range(row.count[0]):
            fill(row.tables, 0, place, np.int64(1) << row.points[place])
        for word in range(words):
            bits = layer.words[number * words + word]
            while bits:
                black = look_up(row.tables, 0, pair.masks[64 * word + ctz(bits)])
                bits &= bits - U1
                result = np.int64(canonicals[rank_among(ALL, black)])
                white, target = row.near[result & 15], result >> 4
                free = ALL & ~pair.whites[target]
                for symmetry in range(16):
                    if (stabilisers[target] >> symmetry) & 1:
                        rank = rank_among(free, image(symmetry, white) if symmetry else white)
                        add_bits(layer.words, (state.rows + target) * words + (rank >> 6), U1 << np.uint64(rank & 63))


@kernel
def finish(state, counter):
    """Whatever is not decided is drawn; a task is 4096 slots."""
    while True:
        start = 4096 * next_task(counter)
        if start >= state.codes.size:
            return
        for slot in range(start, min(start + 4096, state.codes.size), 64):
            bytes_set(state.codes, slot, ~bytes_equal(state.left, slot, FULL), np.uint8(BYTE_DRAW))

"""Before the first layer: what every capture promises, and how many quiet moves every position has.

Promises are codes for the player who captures, a lower bound, 0 where nothing can be taken.
"""

from __future__ import annotations

import numpy as np

from endgame_core.morris.solver._kernels_rows import (
    ALL,
    CORNERS,
    FULL,
    GONE,
    MIDDLES,
    U1,
    ahead,
    behind,
    closed,
    enter,
    fill,
    look_up,
    other_rings,
    rank_of,
    tabulate,
    turn_back,
    turn_there,
)
from endgame_core.tables.kernels.vectors import ctz, inner, kernel, next_task, popcount
from endgame_core.values import DRAW


@inner
def before(code):
    """The code that a capture is worth, given that of the position after it."""
    return np.uint8(255 - code) if code < DRAW else np.uint8(256 - code)


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
def black_moves(pair, white, black):
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
                moves = black_moves(pair, white, look_up(row.tables, 0, mask))
            else:
                moves = last - first - look_up(row.tables, 384, mask)
            state.left[start + rank] = np.uint8(moves)
            code = np.int64(state.codes[start + rank])
            if code or not moves:
                note_due(state, side, number, code)
        for rank in range(pair.masks.size, pair.stride):
            state.left[start + rank] = FULL

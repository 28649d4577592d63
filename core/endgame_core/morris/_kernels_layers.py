"""One layer after the other, from the finished games outwards.

A task is a row. It reads the layer before in any row but writes to its own slots alone, so tasks run in any order on
any thread: White's moves are pulled from the rows they lead to, Black's stay within the row.
"""

from __future__ import annotations

import numpy as np

from endgame_core.game import DRAW
from endgame_core.morris._kernels_rows import (
    ALL,
    FULL,
    GONE,
    U1,
    closed,
    enter,
    fill,
    image,
    look_up,
    rank_among,
    rank_of,
    turn_back,
)
from endgame_core.tables._vectors import add_bits, bytes_equal, bytes_set, ctz, inner, kernel, next_task, popcount


@inner
def reach(state, out, slot, depth, code):
    """Tells a slot that one of its moves leads to the layer before; returns 1 if that decides it, else 0."""
    left = state.left[slot]
    if left == FULL:
        return 0
    if not depth & 1:
        left -= np.uint8(1)
        if left or state.codes[slot] > code:
            state.left[slot] = left
            return 0
    state.left[slot] = FULL
    state.codes[slot] = code
    out.words[slot >> 6] |= U1 << np.uint64(slot & 63)
    return 1


@inner
def white_moves(pair, state, last, out, number, depth, code, row):
    """Whatever White to move can bring into the layer before, with Black to move there."""
    new = 0
    words = pair.stride >> 6
    for move in range(pair.starts[2 * number], pair.starts[2 * number + 1]):
        target = pair.targets[move]
        if not last.rows[state.rows + target]:
            continue
        turn_back(row, pair.whites[target], pair.turns[move], pair.sources[move])
        for word in range(words):
            bits = last.words[(state.rows + target) * words + word]
            while bits:
                rank = 64 * word + ctz(bits)
                bits &= bits - U1
                mask = look_up(row.tables, 0, pair.masks[rank])
                if not mask & GONE:
                    new += reach(state, out, number * pair.stride + rank_of(pair, mask), depth, code)
    return new


@inner
def black_moves(pair, state, last, out, number, depth, code, row):
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
                    new += reach(state, out, start + rank_of(pair, mask ^ end ^ origin), depth, code)
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


@kernel
def solve_layer(pair, state, last, out, depth, sides, counter, row, new):
    """Finds the layer ``depth`` from the one before; ``new`` counts its slots by side."""
    code = np.uint8(255 - (depth - 1) // 2) if depth & 1 else np.uint8(depth // 2)
    words = pair.stride >> 6
    while True:
        number = next_task(counter)
        if number >= state.rows:
            return
        enter(pair, number, row)
        for side in range(sides):
            at = side * state.rows + number
            for word in range(at * words, (at + 1) * words):
                out.words[word] = 0
            found = promised(pair, state, out, side, number, depth, code)
            if side == 0:
                found += white_moves(pair, state, last, out, number, depth, code, row)
            elif last.rows[number]:
                found += black_moves(pair, state, last, out, number, depth, code, row)
            out.rows[at] = found > 0
            new[side] += found


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
                found = np.int64(canonicals[rank_among(ALL, black)])
                white, target = row.near[found & 15], found >> 4
                free = ALL & ~pair.whites[target]
                for symmetry in range(16):
                    if (stabilisers[target] >> symmetry) & 1:
                        rank = rank_among(free, image(symmetry, white) if symmetry else white)
                        add_bits(layer.words, (state.rows + target) * words + (rank >> 6), U1 << np.uint64(rank & 63))
                layer.rows[state.rows + target] = 1


@kernel
def finish(state, counter):
    """Whatever is not decided is drawn; a task is 4096 slots."""
    while True:
        start = 4096 * next_task(counter)
        if start >= state.codes.size:
            return
        for slot in range(start, min(start + 4096, state.codes.size), 64):
            bytes_set(state.codes, slot, ~bytes_equal(state.left, slot, FULL), np.uint8(DRAW))

"""One layer after the other, from the finished games outwards.

A task is a row. It reads the layer before in any row but writes to its own slots alone, so tasks run in any order on
any thread: White's moves are pulled from the rows they lead to, Black's stay within the row.
"""

from __future__ import annotations

import numpy as np

from endgame_core.morris.solver._kernels_rows import (
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
    tabulate,
    turn_back,
    turned,
)
from endgame_core.tables.kernels.vectors import (
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
from endgame_core.values import DRAW

FEW = 12
"""Positions of a row up to which their masks are turned without tables."""
MANY = 255
"""Where counting the positions of a row ends."""


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
            found = promised(pair, state, out, side, number, depth, code)
            if reached(pair, last, side, number):
                if not entered:
                    enter(pair, number, row)
                    entered = True
                if side:
                    found += black_moves(pair, state, last, out, number, wins, code, row)
                else:
                    found += white_moves(pair, state, last, out, number, wins, code, row)
            out.rows[at] = min(found, MANY)
            new[side] += found


@kernel
def count_rows(pair, layer, counter):
    """Counts the positions of a layer with Black to move, row by row."""
    words = pair.stride >> 6
    while True:
        number = pair.whites.size + next_task(counter)
        if number >= 2 * pair.whites.size:
            return
        found = 0
        for word in range(number * words, (number + 1) * words):
            found += popcount(layer.words[word])
        layer.rows[number] = min(found, MANY)


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


@kernel
def finish(state, counter):
    """Whatever is not decided is drawn; a task is 4096 slots."""
    while True:
        start = 4096 * next_task(counter)
        if start >= state.codes.size:
            return
        for slot in range(start, min(start + 4096, state.codes.size), 64):
            bytes_set(state.codes, slot, ~bytes_equal(state.left, slot, FULL), np.uint8(DRAW))

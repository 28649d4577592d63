"""The loops of the solver, over the rows of a table, in three steps: the captures, the number of moves, the layers.

In one row of a table White's stones stand still, Black's are a set of the free points. These are counted from 0, so
Black's stones are a mask of ``24 - W`` bits, *packed*; its rank among all masks with as many bits (ascending, which is
the colexicographic order) is the slot within the row. What leads from one row to another, a move of White's and the
symmetry after it, permutes the free points: three tables of 128 masks, made once per row and move, turn packed masks of
the one row into those of the other.

**Tables of sums.** Permuting the points of a mask is a sum over its points: ``bits[p]`` is where point p goes, and the
image is the sum of ``bits[p]`` over the points of the mask. For 21 points (three groups of seven) three tables of 128
sums give any image by three look-ups (:func:`look_up`). They also count: with ``bits[p]`` the number of moves that
end on p, the sum is the number of White's moves that Black's stones block.

**Ranks.** The rank of a mask with points p1 < p2 < p3 … is C(p1, 1) + C(p2, 2) + C(p3, 3) …; two look-ups find it, for
the low eleven points and, by the number of stones among these, for the upper ones (:func:`rank_of`).

A task is a row. In a layer it reads the layer before in any row but writes to its own slots alone, so tasks run in any
order on any thread: White's moves are pulled from the rows they lead to, Black's stay within the row.
"""

from __future__ import annotations

from math import comb
from typing import NamedTuple

import numpy as np

from endgame_core.morris.geometry import INVERSES, MILLS, NEIGHBOUR_MASKS, SYMMETRIES
from endgame_core.morris.rules import FEWEST
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

NEIGHBOURS = np.array(NEIGHBOUR_MASKS, np.int64)
"""The points next to each point, as a mask."""
MILL_MASKS = np.array(MILLS, np.int64)
"""The three points of each of the 16 mills."""
IMAGE_POINT = np.array(SYMMETRIES, np.int64).reshape(-1)
"""``IMAGE_POINT[24 * symmetry + point]``: where a symmetry takes a point."""
ORIGIN_POINT = np.array([SYMMETRIES[number] for number in INVERSES], np.int64).reshape(-1)
"""``ORIGIN_POINT[24 * symmetry + point]``: which point the symmetry takes there."""
CHOOSE = np.array([comb(points, stones) for points in range(24) for stones in range(10)], np.int64)
"""``CHOOSE[10 * points + stones]``: how many masks of ``points`` points have as many stones."""

IMPOSSIBLE = 1 << 30
"""Bit of an image mask: one of the stones is on a point where none can have been."""
DECIDED = np.uint8(255)
"""In place of the number of remaining moves: the slot is decided."""
POINTWISE_LIMIT = 12
"""Positions of a row up to which images are computed point by point: filling tables would take longer."""
COUNT_LIMIT = 255
"""The count of positions of a row stops at this number."""

U1 = np.uint64(1)
ALL = np.int64((1 << 24) - 1)
CORNERS = np.int64(0x555555)
MIDDLES = np.int64(0xAAAAAA)
"""The corners of all three rings, and the middles of their sides, which lines between the rings connect."""


class Pair(NamedTuple):
    """The index of one pair, and how White's stones move.

    Attributes:
        whites: White's stones, by row.
        masks: Black's packed stones, by rank.
        low: For 11 bits of a mask: the rank of these stones times 16, and their number.
        high: For a number of stones in the low bits, and the upper bits: what the upper stones add to the rank.
        starts, targets, turns, sources, ends: White's moves, as in :class:`endgame_core.morris.arrays.Links`. The quiet
            ones of row n are those from ``starts[2 * n]`` to before ``starts[2 * n + 1]``; from there to before
            ``starts[2 * n + 2]`` are those that close a mill.
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
    """The arrays that the tasks of one solve share; slots of White to move come first.

    Attributes:
        codes: By slot, the best promise of its captures (0 for none), and once it is decided its code; uint8.
        remaining: By slot, the number of quiet moves that are not known to lose; ``DECIDED`` once it is decided; uint8.
        due: By side and row, 256 bits: which codes its captures promise; uint64.
        rows: Rows of one side.
    """

    codes: np.ndarray
    remaining: np.ndarray
    due: np.ndarray
    rows: int


class MorrisLayer(NamedTuple):
    """The positions of one layer: a bit for each slot; by side and row how many there are, up to ``COUNT_LIMIT``."""

    words: np.ndarray
    rows: np.ndarray


class RowScratch(NamedTuple):
    """A thread's own arrays, filled for the row that it works on; the solver allocates them.

    Attributes:
        points: The free points, by packed number.
        index: The packed number of each free point.
        bits: What each point adds to a sum, for :func:`look_up`.
        near: Where a black stone on each free point can go, packed. :func:`exchange`, which moves nothing, has the
            images of White's stones by each symmetry there.
        mills: Black's possible mills, packed.
        count: Number of free points, and of possible mills.
        tables: Three tables of 128 sums, up to nine times; int64.
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
    """Rank of a packed mask among all masks with as many stones."""
    # The low eleven points add their own rank; the upper ones add binomials that depend on how many stones are below.
    low = np.int64(element(pair.low, mask & 2047))
    return (low >> 4) + np.int64(element(pair.high, ((low & 15) << 10) + (mask >> 11)))


@inner
def pack(row, mask):
    """The packed form of a mask of free points."""
    result = np.int64(0)
    while mask:
        point = ctz(np.uint64(mask))
        mask &= mask - 1
        result |= np.int64(1) << row.index[point]
    return result


@inner
def enter_row(pair, number, row):
    """Fills ``row`` for one row: its free points, Black's moves and possible mills."""
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
        row.near[i] = flights if pair.black == FEWEST else pack(row, free & NEIGHBOURS[row.points[i]])
    mills = 0
    for line in range(16):
        if not MILL_MASKS[line] & white:
            row.mills[mills] = pack(row, MILL_MASKS[line])
            mills += 1
    row.count[0], row.count[1] = n, mills


@inner
def stones_in_mills(row, mask):
    """Black's stones in mills; ``mask`` and result are packed."""
    result = np.int64(0)
    for line in range(row.count[1]):
        mill = row.mills[line]
        if mask & mill == mill:
            result |= mill
    return result


@inner
def add_point(tables, base, place, value):
    """Adds one packed point, which adds ``value``, to three tables of 128 sums."""
    start, half = base + (place // 7) * 128, 1 << (place % 7)
    if half == 1:
        tables[start] = 0
    # The sums with this point are those without it plus its value; a table doubles with each of its seven points.
    for i in range(half):
        tables[start + half + i] = tables[start + i] + value


@inner
def look_up(tables, base, mask):
    """The sum of what the points of a packed mask add."""
    return (
        element(tables, base + (mask & 127))
        + element(tables, base + 128 + ((mask >> 7) & 127))
        + element(tables, base + 256 + (mask >> 14))
    )


@inner
def prepare_images_here(row, white, symmetry, forbidden):
    """Fills ``row.bits`` with where the points of another row go in this one.

    Args:
        row: This row.
        white: White's stones in the other row.
        symmetry: The one that leads from this row to the other.
        forbidden: The point where no black stone can have been, as White's stone moved from it; it gets the bit
            ``IMPOSSIBLE``.
    """
    place = 0
    for point in range(24):
        if not (white >> point) & 1:
            target = ORIGIN_POINT[24 * symmetry + point]
            row.bits[place] = np.int64(IMPOSSIBLE) if target == forbidden else np.int64(1) << row.index[target]
            place += 1


@inner
def tabulate(row):
    """Fills the tables from ``row.bits``, which pays when many masks are looked up."""
    for place in range(row.count[0]):
        add_point(row.tables, 0, place, row.bits[place])


@inner
def image_of(row, mask):
    """A packed mask of the other row as one of this row, without tables."""
    result = np.int64(0)
    while mask:
        result |= row.bits[ctz(np.uint64(mask))]
        mask &= mask - 1
    return result


@inner
def tabulate_images_there(row, base, white, symmetry):
    """Fills tables that turn packed masks of this row into those of another.

    Args:
        row: This row.
        base: Where in its tables.
        white: White's stones in the other row.
        symmetry: The one that leads there.
    """
    free = ALL & ~white
    for place in range(row.count[0]):
        target_bit = np.int64(1) << IMAGE_POINT[24 * symmetry + row.points[place]]
        # A point's packed number in the other row is the number of free points below it.
        add_point(row.tables, base, place, np.int64(1) << popcount(np.uint64(free & (target_bit - 1))))


@inner
def image(symmetry, mask):
    """A mask after a symmetry."""
    result = np.int64(0)
    while mask:
        result |= np.int64(1) << IMAGE_POINT[24 * symmetry + ctz(np.uint64(mask))]
        mask &= mask - 1
    return result


@inner
def rank_among(free, mask):
    """Rank of a mask among all with as many stones on some free points."""
    result, stones = np.int64(0), 0
    while mask:
        stones += 1
        bit = mask & -mask
        mask ^= bit
        result += CHOOSE[10 * popcount(np.uint64(free & (bit - 1))) + stones]
    return result


@inner
def clockwise(mask):
    """Every stone one step clockwise on its ring."""
    return ((mask << 1) & 0xFEFEFE) | ((mask >> 7) & 0x010101)


@inner
def counter_clockwise(mask):
    """Every stone one step counter-clockwise on its ring."""
    return ((mask >> 1) & 0x7F7F7F) | ((mask << 7) & 0x808080)


@inner
def other_rings(mask):
    """The points whose cell is in the mask in both other rings."""
    return ((mask << 8) | (mask >> 16)) & ((mask << 16) | (mask >> 8)) & ALL


# Before the first layer: what every capture promises, and the number of quiet moves of every position. Promises are
# codes for the player who captures, a lower bound of the value; 0 is none.


@inner
def value_before(code):
    """The value of a capture, given the code of the position after it: a ply more, from the other side."""
    return np.uint8(255 - code) if code < BYTE_DRAW else np.uint8(256 - code)


@kernel
def find_white_captures(pair, sub, sub_stride, values, counter, row):
    """Finds the value to White of having closed a mill and taking a stone: by slot, 0 where White has no mill.

    Args:
        pair: The pair.
        sub: Codes of the pair with one black stone less, Black to move; empty where Black has lost then.
        sub_stride: Slots of a row there.
        values: The result, uint8 by slot.
        counter: Shared task counter.
        row: A thread's own row.
    """
    while True:
        number = next_task(counter)
        if number >= pair.whites.size:
            return
        if not has_mill(pair.whites[number]):
            continue
        enter_row(pair, number, row)
        for rank in range(pair.masks.size):
            best = np.int64(0)  # with two stones left, Black has lost
            if pair.black > FEWEST:
                mask = pair.masks[rank]
                # White's stones are the same in the smaller pair, and so is the number of the row. The best stone to
                # take leaves Black the smallest code.
                best = np.int64(255)
                takeable = mask & ~stones_in_mills(row, mask)
                # Stones in mills may be taken only if all are in mills.
                if not takeable:
                    takeable = mask
                while takeable:
                    victim = takeable & -takeable
                    takeable ^= victim
                    best = min(best, np.int64(sub[number * sub_stride + rank_of(pair, mask ^ victim)]))
            values[number * pair.stride + rank] = value_before(best)


@inner
def has_mill(white):
    """Whether some stones have a mill, as a mask that is 0 if not."""
    return (white & other_rings(white)) | (white & MIDDLES & clockwise(white) & counter_clockwise(white))


@kernel
def offer_white_captures(pair, values, codes, counter, row):
    """Raises the codes with White to move to the value of closing a mill, after :func:`find_white_captures`."""
    while True:
        number = next_task(counter)
        if number >= pair.whites.size:
            return
        first, end = pair.starts[2 * number + 1], pair.starts[2 * number + 2]
        if first == end:
            continue
        enter_row(pair, number, row)
        for move in range(first, end):
            # The positions of the row that the move leads to, where White has a mill, become those of this row.
            target = pair.targets[move]
            prepare_images_here(row, pair.whites[target], pair.turns[move], pair.sources[move])
            tabulate(row)
            for rank in range(pair.masks.size):
                mask = look_up(row.tables, 0, pair.masks[rank])
                if not mask & IMPOSSIBLE:
                    slot = number * pair.stride + rank_of(pair, mask)
                    codes[slot] = max(codes[slot], values[target * pair.stride + rank])


@kernel
def offer_black_captures(pair, losses, sub_whites, sub, sub_stride, codes, counter, row):
    """Raises the codes with Black to move to the value of closing a mill and taking a stone.

    Args:
        pair: The pair.
        losses: For each stone of White's that may be taken, the row and symmetry that its loss leads to.
        sub_whites: White's stones in the rows of the smaller pair.
        sub: Codes of the pair with one white stone less, White to move.
        sub_stride: Slots of a row there.
        codes: The codes, which are raised.
        counter: Shared task counter.
        row: A thread's own row.
    """
    slots = pair.whites.size * pair.stride
    while True:
        number = next_task(counter)
        if number >= pair.whites.size:
            return
        enter_row(pair, number, row)
        first_loss, end_loss = losses.starts[2 * number], losses.starts[2 * number + 2]
        for loss in range(first_loss, end_loss):
            tabulate_images_there(row, 384 * (loss - first_loss), sub_whites[losses.targets[loss]], losses.turns[loss])
        for rank in range(pair.masks.size):
            mask = pair.masks[rank]
            mill = stones_in_mills(row, mask)
            if not mill:
                continue
            best = np.int64(255)
            for loss in range(first_loss, end_loss):
                target_mask = look_up(row.tables, 384 * (loss - first_loss), mask)
                best = min(best, np.int64(sub[losses.targets[loss] * sub_stride + rank_of(pair, target_mask)]))
            offer = value_before(best)
            # Black's last move ended on a stone of a mill: from there the positions before it are found.
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
    """Counts Black's moves that do not close a mill; ``white`` and ``black`` are plain masks."""
    free = ALL & ~(white | black)
    on_previous, on_next = clockwise(black), counter_clockwise(black)
    two_before, two_after = clockwise(on_previous), counter_clockwise(on_next)
    rings = other_rings(black)
    # For each point: whether Black has the point before it on its ring (`on_previous`), the two before, and so on.
    # Three stones fly, each to every free point; but to a point in line with two of them (`ends`) the third closes a
    # mill.
    if pair.black == FEWEST:
        ends = CORNERS & ((on_previous & two_before) | (on_next & two_after)) | MIDDLES & (
            (on_previous & on_next) | rings
        )
        return 3 * popcount(np.uint64(free)) - popcount(np.uint64(ends & free))
    # A stone that steps along its ring to a corner closes a mill if the next two points are Black's; to the middle of a
    # side, if the same points of both other rings are. One that changes rings closes a mill if both its new neighbours
    # are.
    from_previous = on_previous & ~(CORNERS & on_next & two_after | MIDDLES & rings)
    from_next = on_next & ~(CORNERS & on_previous & two_before | MIDDLES & rings)
    between_rings = MIDDLES & free & ~(on_previous & on_next)
    return (
        popcount(np.uint64(from_previous & free))
        + popcount(np.uint64(from_next & free))
        + popcount(np.uint64((black << 8) & between_rings))
        + popcount(np.uint64((black >> 8) & between_rings))
    )


@inner
def note_due(state, side, number, code):
    """Notes that a row has positions whose captures promise a code."""
    state.due[4 * (side * state.rows + number) + (code >> 6)] |= U1 << np.uint64(code & 63)


@kernel
def count_moves(pair, state, side, counter, row):
    """Counts the quiet moves of every position with one side to move, and notes the promises of each row."""
    while True:
        number = next_task(counter)
        if number >= state.rows:
            return
        enter_row(pair, number, row)
        white = pair.whites[number]
        for place in range(row.count[0]):
            add_point(row.tables, 0, place, np.int64(1) << row.points[place])
            row.bits[place] = 0
        first, end = pair.starts[2 * number], pair.starts[2 * number + 1]
        for move in range(first, end):
            # White's moves are the same for all positions of a row, but for those that end on a black stone.
            row.bits[row.index[pair.ends[move]]] += 1
        for place in range(row.count[0]):
            add_point(row.tables, 384, place, row.bits[place])
        start = (side * state.rows + number) * pair.stride
        for rank in range(pair.masks.size):
            mask = pair.masks[rank]
            if side:
                moves = count_quiet(pair, white, look_up(row.tables, 0, mask))
            else:
                moves = end - first - look_up(row.tables, 384, mask)
            state.remaining[start + rank] = np.uint8(moves)
            code = np.int64(state.codes[start + rank])
            # A position without any move is lost at once: code 0 is due in layer 0.
            if code or not moves:
                note_due(state, side, number, code)
        for rank in range(pair.masks.size, pair.stride):
            state.remaining[start + rank] = DECIDED


# One layer after the other, from the finished games outwards.


@inner
def decide(state, out, slot, code):
    """Puts a slot into the layer."""
    state.remaining[slot] = DECIDED
    state.codes[slot] = code
    out.words[slot >> 6] |= U1 << np.uint64(slot & 63)
    return 1


@inner
def note_winning_move(state, out, slot, code):
    """Notes that a move of a slot leads to a lost position; returns 1 if that decides it, else 0."""
    # A position that is decided already has a faster win, or an equal one.
    if element(state.remaining, slot) == DECIDED:
        return 0
    return decide(state, out, slot, code)


@inner
def note_losing_move(state, out, slot, code):
    """Notes that one more move of a slot leads to a won position; returns 1 if that decides it, else 0."""
    remaining = element(state.remaining, slot)
    if remaining == DECIDED:
        return 0
    remaining -= np.uint8(1)
    state.remaining[slot] = remaining
    # The last move loses, but a capture that is better than a loss in this layer still saves the position, or delays
    # the loss.
    if remaining or element(state.codes, slot) > code:
        return 0
    return decide(state, out, slot, code)


@inner
def follow_white_back(pair, state, previous, out, number, wins, code, row):
    """Follows White's moves back from the layer before (Black to move there); returns how many slots it decides."""
    new = 0
    words = pair.stride >> 6
    for move in range(pair.starts[2 * number], pair.starts[2 * number + 1]):
        target = pair.targets[move]
        count = previous.rows[state.rows + target]
        if not count:
            continue
        prepare_images_here(row, pair.whites[target], pair.turns[move], pair.sources[move])
        # Filling tables costs as much as a few look-ups without them.
        uses_tables = count > POINTWISE_LIMIT
        if uses_tables:
            tabulate(row)
        for word in range(words):
            bits = previous.words[(state.rows + target) * words + word]
            while bits:
                mask = pair.masks[64 * word + ctz(bits)]
                bits &= bits - U1
                mask = look_up(row.tables, 0, mask) if uses_tables else image_of(row, mask)
                if not mask & IMPOSSIBLE:
                    slot = number * pair.stride + rank_of(pair, mask)
                    new += (
                        note_winning_move(state, out, slot, code) if wins else note_losing_move(state, out, slot, code)
                    )
    return new


@inner
def follow_black_back(pair, state, previous, out, number, wins, code, row):
    """Follows Black's moves back from the layer before (White to move there); returns how many slots it decides."""
    new = 0
    words = pair.stride >> 6
    start = (state.rows + number) * pair.stride
    for word in range(words):
        bits = previous.words[number * words + word]
        while bits:
            mask = pair.masks[64 * word + ctz(bits)]
            bits &= bits - U1
            ends = mask & ~stones_in_mills(row, mask)
            while ends:
                end = ends & -ends
                ends ^= end
                origins = row.near[ctz(np.uint64(end))] & ~mask
                while origins:
                    origin = origins & -origins
                    origins ^= origin
                    slot = start + rank_of(pair, mask ^ end ^ origin)
                    new += (
                        note_winning_move(state, out, slot, code) if wins else note_losing_move(state, out, slot, code)
                    )
    return new


@inner
def decide_promised(pair, state, out, side, number, depth, code):
    """Decides positions whose captures promise just this layer: wins, and losses without another move."""
    new = 0
    at = side * state.rows + number
    if (state.due[4 * at + (np.int64(code) >> 6)] >> np.uint64(code & 63)) & U1:
        for word in range(at * (pair.stride >> 6), (at + 1) * (pair.stride >> 6)):
            bits = bytes_equal(state.codes, 64 * word, code)
            if bits:
                if depth & 1:
                    bits &= ~bytes_equal(state.remaining, 64 * word, DECIDED)
                else:
                    bits &= bytes_equal(state.remaining, 64 * word, np.uint8(0))
                bytes_set(state.remaining, 64 * word, bits, DECIDED)
                out.words[word] |= bits
                new += popcount(bits)
    return new


@inner
def has_move_into(pair, previous, side, number):
    """Whether any position of a row has a move into the layer before."""
    rows = pair.whites.size
    if side:
        return previous.rows[number] > 0
    for move in range(pair.starts[2 * number], pair.starts[2 * number + 1]):
        if previous.rows[rows + pair.targets[move]]:
            return True
    return False


@kernel
def solve_layer(pair, state, previous, out, depth, sides, counter, row, new):
    """Finds the layer ``depth`` from the one before.

    Args:
        pair: The pair.
        state: The codes and counts.
        previous: The layer before.
        out: The layer.
        depth: Plies; even ones are losses.
        sides: How many sides to move are solved.
        counter: Shared task counter.
        row: A thread's own row.
        new: A thread's own counts of new slots by side; raised.
    """
    wins = depth & 1
    code = np.uint8(255 - (depth - 1) // 2) if wins else np.uint8(depth // 2)
    words = pair.stride >> 6
    while True:
        number = next_task(counter)
        if number >= state.rows:
            return
        is_entered = False
        for side in range(sides):
            at = side * state.rows + number
            if out.rows[at]:
                for word in range(at * words, (at + 1) * words):
                    out.words[word] = 0
            result = decide_promised(pair, state, out, side, number, depth, code)
            # The row's points and moves are set up only where something leads into the layer before.
            if has_move_into(pair, previous, side, number):
                if not is_entered:
                    enter_row(pair, number, row)
                    is_entered = True
                if side:
                    result += follow_black_back(pair, state, previous, out, number, wins, code, row)
                else:
                    result += follow_white_back(pair, state, previous, out, number, wins, code, row)
            out.rows[at] = min(result, COUNT_LIMIT)
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
        layer.rows[number] = min(result, COUNT_LIMIT)


@kernel
def exchange(pair, state, layer, canonicals, stabilisers, counter, row):
    """Puts the layer's positions with White to move, colours exchanged, among those with Black to move.

    For pairs of equal numbers, of which only White to move is solved.

    Args:
        pair: The pair.
        state: The codes and counts.
        layer: The layer.
        canonicals: By rank of a mask on all 24 points: 16 times its row plus the symmetry that leads there.
        stabilisers: The symmetries that leave each row's stones in place, one bit for each.
        counter: Shared task counter.
        row: A thread's own row.
    """
    words = pair.stride >> 6
    while True:
        number = next_task(counter)
        if number >= state.rows:
            return
        if not layer.rows[number]:
            continue
        enter_row(pair, number, row)
        for symmetry in range(16):
            row.near[symmetry] = image(symmetry, pair.whites[number])
        for place in range(row.count[0]):
            add_point(row.tables, 0, place, np.int64(1) << row.points[place])
        for word in range(words):
            bits = layer.words[number * words + word]
            while bits:
                black = look_up(row.tables, 0, pair.masks[64 * word + ctz(bits)])
                bits &= bits - U1
                result = np.int64(canonicals[rank_among(ALL, black)])
                white, target = row.near[result & 15], result >> 4
                free = ALL & ~pair.whites[target]
                # Several symmetries may leave White's stones in place: all copies of a position get a bit, as a
                # layer has all slots of a row.
                for symmetry in range(16):
                    if (stabilisers[target] >> symmetry) & 1:
                        rank = rank_among(free, image(symmetry, white) if symmetry else white)
                        add_bits(layer.words, (state.rows + target) * words + (rank >> 6), U1 << np.uint64(rank & 63))


@kernel
def finish(state, counter):
    """Calls undecided slots drawn; a task is 4096 slots."""
    while True:
        start = 4096 * next_task(counter)
        if start >= state.codes.size:
            return
        for slot in range(start, min(start + 4096, state.codes.size), 64):
            bytes_set(state.codes, slot, ~bytes_equal(state.remaining, slot, DECIDED), np.uint8(BYTE_DRAW))

"""The solver's inner loops: which positions a pass decides, one task at a time.

For each side to move there are three sets and one array (see :class:`SolverState` and :class:`LayerBits`):

- U, the undecided positions. A pass takes out those that it decides.
- R, the positions that are not won, so far: the other side may still escape to them.
- X, the newest positions: what the pass before decided.
- D, one byte for each position. While a position is undecided this is the best value that any of its *exits* (captures,
  promotions, pawn moves) promises, a lower bound; afterwards it is the value. A bigger byte is better for the side to
  move, so the best exit is a maximum, and 0 says that there is none.

A solve is a series of *passes*. Even passes find losses, odd ones wins, for both sides to move:

- *Wins* in n plies: every position that has a quiet move into a loss in n - 1, or an exit that wins in n. Un-moves from
  X find the former, the byte in D the latter. One good move is enough, so there is nothing to prove.
- *Losses* in n plies: every move has to lose, and one loses in just n. So un-moves from the newest wins, and exits
  that lose in n, give the *candidates*. One stays if no exit promises anything better, and no quiet move leads into R.
  Only candidates are tested, and a line is left as soon as it is empty.

Nothing is counted down, as solvers with a counter of unproved moves for each position do; so a position that is stored
twice (its mirror copy on the long diagonal) does no harm.

By DTM pass n is layer n: losses in 0, 2, 4 … and wins in 1, 3, 5 … plies, and each pass reads the X of the pass before.
By DTZ both parities occur, as a capture starts the count again. Passes 2 n and 2 n + 1 both have depth n: losses
come from wins at n - 1 and wins from losses at n - 1, so that three X are alive: the newest losses, those before, and
the newest wins. :class:`Pass` says what a metric makes of a pass; the loops do not know the metric.

**Why a pass may skip a line.** A pass reads three summaries before it touches a set: the rows of X with any position
(``rows``, one word for each task), the lines of these rows (``lines``), and the rows with an exit that is due
(``due``). Where none of them has
a bit, nothing can be new: a late pass of a long ending touches a small part of the sets.

**Threads.** A task is (side, block, q, p0). It reads the X of the pass before anywhere, but writes only rows of its
own. So tasks run in any order on any thread, and one barrier for each pass is enough. The proof of losses reads R of
the other side, which a losing pass does not write.

Un-moves are gathered in a scratch of 64 rows, one for each square of p1; the bits of the word ``touched`` say which
rows are in use.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from endgame_core.chess.solver._kernels_board import (
    ALL,
    BETWEEN,
    IMAGE,
    KING_STEPS,
    ORIGIN,
    P0,
    P1,
    U1,
    beside,
    bit,
    bits_from_image,
    fixed_men,
    king_reach,
    moves,
    place_of,
    row_of,
    task_of,
)
from endgame_core.tables.kernels import (
    and_not,
    bytes_above,
    bytes_equal,
    bytes_set,
    count,
    ctz,
    gather,
    has_bits,
    inner,
    kernel,
    lanes,
    load,
    next_task,
    prefetch,
    splat,
    store,
)

HORIZON = 100
"""The last depth by DTZ that the 50-move rule lets a win have; see :mod:`endgame_core.chess.metrics`."""


SPARE_LINE = 64 * 64
"""The word of the scratch, behind its 64 rows, at which a line to work on begins."""


class Pass(NamedTuple):
    """The positions that one pass finds.

    Attributes:
        first: 1 in pass 0: candidates are the positions in check, and a loss in 0 plies is mate.
        losing: 1 when it finds losses, 0 when it finds wins.
        code: The code its positions get, or a code whose low byte they get.
        fits: 1 when a table of such codes can store it.
        due: The exit, as a code, that makes a position a candidate without any quiet move; 0 for none.
        limit: The best exit that a loss may have: with a better one it is not lost, or not yet.
    """

    first: int
    losing: int
    code: int
    fits: int
    due: int
    limit: int


def plain_pass(number, dtz, draw):
    """Says what a pass looks for.

    Args:
        number: The pass; even ones find losses.
        dtz: 1 by DTZ, 0 by DTM.
        draw: The byte of a draw, or its code; :mod:`endgame_core.chess.metrics` explains both.
    """
    n = number >> 1
    losing = 1 - (number & 1)
    code_count = 0x100 if draw < 0x100 else 0x10000
    # By DTM the pass is the layer of so many plies: a loss has the code number / 2, and a win 0xFFFF - number // 2, of
    # which the low byte is 255 - number // 2.
    if not dtz:
        if losing:
            code = n
            fits = n < draw
        else:
            code = 0xFFFF - n
            fits = n < code_count - 1 - draw
        return Pass(int(number == 0), losing, code, int(fits), code, code)
    # By DTZ losses have codes from 0 up, wins from the top down, and the draw stands between them: `room` codes are
    # free on this side of it. If they reach past the horizon of the 50-move rule, the code is the depth. Otherwise the
    # first half is for depths within it and the second for those behind it; what is between has no code.
    # `metrics.short` has the same formula for Python; a kernel cannot call it.
    room = draw if losing else code_count - draw
    short = room if room > HORIZON + 1 else room // 2
    rank = n
    if n > HORIZON and short < room:
        rank += short - HORIZON - 1
    fits = n < short or (n > HORIZON and rank < room)
    # Exits have one of five values by DTZ: 0xFFFF a win, 0xFFFE a cursed win, the code of a draw, 2 a blessed loss, 1 a
    # loss. Wins and losses by a zeroing move are due at depth 1, cursed wins and blessed losses at the first depth
    # behind the horizon, draws never.
    due = 0
    limit = 1
    if n == 0:
        limit = 0
    elif n > HORIZON:
        limit = 2
    if n == 1:
        due = 1 if losing else 0xFFFF
    elif n == HORIZON + 1:
        due = 2 if losing else 0xFFFE
    code = rank if losing else 0x10000 - rank
    return Pass(int(number == 0), losing, code, int(fits), due, limit)


pass_of = inner(plain_pass)
"""The same for kernels."""


@kernel
def last_due(state, dtz):
    """Finds the last pass in which an exit is due, 0 where none is.

    The solve has to reach it even when passes before find nothing.
    """
    last = 0
    # Exits have few codes; for each one task with it is enough.
    for code in range(256):
        for task in range(state.due.size // 256):
            if state.due[task * 256 + code]:
                lost = code < 128
                n = code if lost else 255 - code
                if dtz:
                    n = 1 if code == 1 or code == 255 else HORIZON + 1
                last = max(last, 2 * n if lost else 2 * n + 1)
                break
    return last


@inner
def start_row(scratch, touched, p1):
    """Clears a row of the scratch before its first use; returns the word of touched rows."""
    flag = U1 << np.uint64(p1)
    if not touched & flag:
        empty = splat(np.uint64(0))
        for rank in range(8):
            store(scratch, 64 * p1 + 8 * rank, empty)
    return touched | flag


@inner
def merge_row(scratch, p1, words, row, active, path):
    """Adds a row of X to the scratch, but for the positions that block the path of the move.

    Args:
        scratch: The scratch.
        p1: Row of the scratch.
        words: Words of X.
        row: Row of X.
        active: Bits of the lines of this row that may have positions.
        path: Squares between the two squares of the move: neither the last piece nor the black king may stand there.
    """
    keep = splat(~path)
    while active:
        rank = ctz(active)
        active &= active - U1
        line = load(words, row * 64 + 8 * rank) & keep
        # The last piece's square is the number of a word, so a word on the path goes as a whole; the black king's are
        # bits.
        on_path = (path >> np.uint64(8 * rank)) & np.uint64(0xFF)
        if on_path:
            line = and_not(line, lanes(on_path))
        at = 64 * p1 + 8 * rank
        store(scratch, at, load(scratch, at) | line)


@inner
def merge_image(scratch, p1, words, row, symmetry):
    """Adds a row of X as seen through a symmetry: the white king has crossed the border of the triangle."""
    for rank in range(8):
        line = gather(words, row * 64, IMAGE, 64 * symmetry + 8 * rank)
        if has_bits(line):
            at = 64 * p1 + 8 * rank
            store(scratch, at, load(scratch, at) | bits_from_image(line, symmetry))


@inner
def merge_last_man(men, scratch, p1, words, row, active, blockers):
    """Adds the un-moves of the last piece, which stay within one row: from word to word."""
    while active:
        rank = ctz(active)
        active &= active - U1
        for square in range(8 * rank, 8 * rank + 8):
            word = words[row * 64 + square]
            if word:
                sources = moves(men.piece2, square, blockers)
                while sources:
                    source = ctz(sources)
                    sources &= sources - U1
                    scratch[64 * p1 + source] |= word & ~BETWEEN[64 * square + source]


@inner
def merge_white_king(scratch, p1, words, row, active):
    """Adds the un-moves of the white king within one row of a slice, where its square is the number of a word."""
    while active:
        rank = ctz(active)
        active &= active - U1
        line = load(words, row * 64 + 8 * rank)
        # A king's step is one file aside, or one rank up or down from its own file or those beside it. As the lanes of
        # a line are the squares of a rank, moving by a lane is a step aside, moving by a line a step up or down.
        near = beside(line)
        wide = line | near
        at = 64 * p1 + 8 * rank
        store(scratch, at, load(scratch, at) | near)
        if rank > 0:
            store(scratch, at - 8, load(scratch, at - 8) | wide)
        if rank < 7:
            store(scratch, at + 8, load(scratch, at + 8) | wide)


@inner
def pull_near(men, anchored, side, block, q, p0, words, lines, rows, scratch):
    """Gathers the un-moves that keep q, p0 and the white king's block: those of the black king, p1 and the last piece.

    Args:
        men: The pieces.
        anchored: Squares of what stands still in the whole block, see `fixed_men`.
        side: Side to move in the positions to find.
        block: Block of the white king.
        q: Square of q.
        p0: Square of p0.
        words: Words of X.
        lines: Active lines of X.
        rows: Active rows of X.
        scratch: Words of 64 rows, and of one line more; a row is valid where the result says so.

    Returns:
        The rows of the scratch that are in use, as bits.
    """
    tasks_per_side = rows.size // 2
    base = (1 - side) * tasks_per_side
    row_base = base * men.size1
    blockers = anchored | bit(q, men.sizeq) | bit(p0, men.size0)
    touched = np.uint64(0)
    active_rows = rows[base + task_of(men, block, q, p0)]
    while active_rows:
        p1 = ctz(active_rows)
        active_rows &= active_rows - U1
        row = row_base + row_of(men, block, q, p0, p1)
        active = np.uint64(lines[row])
        # Of two identical pieces only rows with p0 < p1 are worked on. X has its rows in both orders (`mirror_rows`),
        # as a piece may pass the other one, and is read from the row that exists.
        if not men.folded or p1 > p0:
            if side == 1:
                touched = start_row(scratch, touched, p1)
                remaining = active
                while remaining:
                    rank = ctz(remaining)
                    remaining &= remaining - U1
                    at = 64 * p1 + 8 * rank
                    # The black king steps within a word, whose other pieces stay where they are. Steps to attacked
                    # squares need no test: those positions are not legal, so they are not in U, to which all is cut in
                    # the end.
                    line = king_reach(load(words, row * 64 + 8 * rank))
                    store(scratch, at, load(scratch, at) | line)
            if men.white2 != side:
                touched = start_row(scratch, touched, p1)
                if men.pawned:
                    merge_white_king(scratch, p1, words, row, active)
                else:
                    merge_last_man(men, scratch, p1, words, row, active, blockers | bit(p1, men.size1))
        # Moving p1 leads from one row of X to another row of the scratch.
        if men.piece1 and men.white1 != side:
            sources = moves(men.piece1, p1, blockers)
            if men.folded:
                sources &= ALL << np.uint64(p0)
            while sources:
                source = ctz(sources)
                sources &= sources - U1
                touched = start_row(scratch, touched, source)
                merge_row(scratch, source, words, row, active, BETWEEN[64 * p1 + source])
    return touched


@inner
def pull_outer_man(men, anchored, side, block, q, p0, outermost, words, lines, rows, scratch, touched):
    """Gathers the un-moves of p0, or of q where ``outermost``: positions of X come from another task.

    Arguments and result are those of :func:`pull_near`; ``touched`` are the rows that are in use already.
    """
    base = (1 - side) * (rows.size // 2)
    if outermost:
        square = q
        targets = moves(men.pieceq, q, anchored | bit(p0, men.size0))
    else:
        square = p0
        targets = moves(men.piece0, p0, anchored | bit(q, men.sizeq))
    while targets:
        to = ctz(targets)
        targets &= targets - U1
        path = BETWEEN[64 * square + to]
        from_q, from_0 = (to, p0) if outermost else (q, to)
        active_rows = rows[base + task_of(men, block, from_q, from_0)]
        # Not the rows with p1 on the path or on the square that the piece comes from.
        if men.size1 == 64:
            active_rows &= ~path & ~bit(square, 64)
        if men.folded:
            active_rows &= ALL << np.uint64(p0)
        while active_rows:
            p1 = ctz(active_rows)
            active_rows &= active_rows - U1
            row = base * men.size1 + row_of(men, block, from_q, from_0, p1)
            touched = start_row(scratch, touched, p1)
            merge_row(scratch, p1, words, row, np.uint64(lines[row]), path)
    return touched


@inner
def pull_white_king(men, block, q, p0, words, lines, rows, scratch, touched):
    """Gathers the un-moves of the white king into this block.

    A step that leaves the triangle leads to a block whose positions are images of ours: the squares of all other pieces
    are mirrored to look them up, and what is found is mirrored back.
    """
    base = rows.size // 2
    for j in range(8):
        to = KING_STEPS[16 * block + 2 * j]
        if to < 0:
            break
        symmetry = KING_STEPS[16 * block + 2 * j + 1]
        image_q = IMAGE[64 * symmetry + q] if men.sizeq == 64 else 0
        image_p0 = IMAGE[64 * symmetry + p0] if men.size0 == 64 else 0
        active_rows = rows[base + task_of(men, to, image_q, image_p0)]
        while active_rows:
            image_p1 = ctz(active_rows)
            active_rows &= active_rows - U1
            p1 = ORIGIN[64 * symmetry + image_p1] if men.size1 == 64 else 0
            # Of two orders of identical pieces only one is worked on.
            if men.folded and p1 <= p0:
                continue
            row = base * men.size1 + row_of(men, to, image_q, image_p0, image_p1)
            touched = start_row(scratch, touched, p1)
            if symmetry:
                merge_image(scratch, p1, words, row, symmetry)
            else:
                merge_row(scratch, p1, words, row, np.uint64(lines[row]), np.uint64(0))
    return touched


@inner
def pull_checks(men, side, block, q, p0, last, scratch):
    """Copies the positions in check to the scratch: the candidates for mate, in pass 0."""
    touched = last.rows[side * (last.rows.size // 2) + task_of(men, block, q, p0)]
    remaining = touched
    while remaining:
        p1 = ctz(remaining)
        remaining &= remaining - U1
        row = side * (last.lines.size // 2) + row_of(men, block, q, p0, p1)
        for place in range(0, 64, 8):
            store(scratch, 64 * p1 + place, load(last.words, row * 64 + place))
    return touched


@kernel
def mirror_rows(rows, symmetric):
    """Makes the active rows of identical pieces symmetric: bit b of row a is set also where bit a of row b was.

    Args:
        rows: Words of active rows, uint64, 64 of them for each block and side.
        symmetric: The result, of the same shape.
    """
    for base in range(0, rows.size, 64):
        for a in range(64):
            symmetric[base + a] = rows[base + a]
        for a in range(64):
            word = rows[base + a]
            while word:
                b = ctz(word)
                word &= word - U1
                symmetric[base + b] |= U1 << np.uint64(a)


@inner
def clear_escapes(men, anchored, side, block, q, p0, p1, rank, line, not_won, scratch):
    """Takes out of a line of candidates those that have a quiet move to a position that the other side has not won.

    Args:
        men: The pieces.
        anchored: Squares of what stands still in the whole block, see `fixed_men`.
        side: Side to move of the candidates.
        block: Block of the white king.
        q: Square of q.
        p0: Square of p0.
        p1: Square of p1.
        rank: Rank of the last piece, which is the number of the line in its row.
        line: The candidates.
        not_won: The set R.
        scratch: Its spare line is overwritten.

    Returns:
        The candidates that remain: they are lost.
    """
    words_per_side = not_won.size // 2
    base = (1 - side) * words_per_side
    row = row_of(men, block, q, p0, p1)
    at = base + row * 64 + 8 * rank
    # First the moves that are cheapest to test and refute most candidates: those of the king. After each kind of move
    # an empty line ends the test.
    if side == 1:
        line = and_not(line, king_reach(load(not_won, at)))
        if not has_bits(line):
            return line
    elif men.pawned:
        line = and_not(line, beside(load(not_won, at)))
        if rank > 0:
            near = load(not_won, at - 8)
            line = and_not(line, near | beside(near))
        if rank < 7:
            near = load(not_won, at + 8)
            line = and_not(line, near | beside(near))
        if not has_bits(line):
            return line
    else:
        for j in range(8):
            to = KING_STEPS[16 * block + 2 * j]
            if to < 0:
                break
            symmetry = KING_STEPS[16 * block + 2 * j + 1]
            image_q = IMAGE[64 * symmetry + q] if men.sizeq == 64 else 0
            image_p0 = IMAGE[64 * symmetry + p0] if men.size0 == 64 else 0
            image_p1 = IMAGE[64 * symmetry + p1] if men.size1 == 64 else 0
            source = base + row_of(men, to, image_q, image_p0, image_p1) * 64
            if symmetry:
                escape = gather(not_won, source, IMAGE, 64 * symmetry + 8 * rank)
                line = and_not(line, bits_from_image(escape, symmetry))
            else:
                line = and_not(line, load(not_won, source + 8 * rank))
            if not has_bits(line):
                return line
    # Then p0, p1 and q: where such a piece can go, the line with it there is read from R at the same rank, and what
    # stands on its path is cut out.
    # So here 2 is q, not P2: the last piece has a test of its own below.
    for man in range(2 + (men.sizeq == 64)):
        if man == P0:
            piece, white, square = men.piece0, men.white0, p0
        elif man == P1:
            piece, white, square = men.piece1, men.white1, p1
        else:
            piece, white, square = men.pieceq, men.whiteq, q
        if piece == 0 or white == side:
            continue
        others = anchored | bit(q, men.sizeq) | bit(p0, men.size0) | bit(p1, men.size1)
        targets = moves(piece, square, others & ~bit(square, 64))
        while targets:
            to = ctz(targets)
            targets &= targets - U1
            path = BETWEEN[64 * square + to]
            if man == P0:
                source = row_of(men, block, q, to, p1)
            elif man == P1:
                source = row_of(men, block, q, p0, to)
            else:
                source = row_of(men, block, to, p0, p1)
            escape = load(not_won, base + source * 64 + 8 * rank) & splat(~path)
            # The last piece may stand on the path, too: such words go as a whole.
            escape = and_not(escape, lanes((path >> np.uint64(8 * rank)) & np.uint64(0xFF)))
            line = and_not(line, escape)
            if not has_bits(line):
                return line
    # The last piece moves from word to word within the row: each word with a candidate is tested by itself.
    if men.white2 != side and not men.pawned:
        store(scratch, SPARE_LINE, line)
        blockers = anchored | bit(q, men.sizeq) | bit(p0, men.size0) | bit(p1, men.size1)
        for j in range(8):
            remaining = scratch[SPARE_LINE + j]
            if remaining:
                square = 8 * rank + j
                targets = moves(men.piece2, square, blockers)
                while targets and remaining:
                    to = ctz(targets)
                    targets &= targets - U1
                    remaining &= ~(not_won[base + row * 64 + to] & ~BETWEEN[64 * square + to])
                scratch[SPARE_LINE + j] = remaining
        line = load(scratch, SPARE_LINE)
    return line


@inner
def finish_row(men, anchored, state, out, side, block, q, p0, p1, now, fresh, scratch):
    """Decides one row in one pass.

    Args:
        men: The pieces.
        anchored: Squares of what stands still in the whole block, see `fixed_men`.
        state: The sets; U, R and D of this row are brought up to date.
        out: X of this pass.
        side: Side to move.
        block: Block of the white king.
        q: Square of q.
        p0: Square of p0.
        p1: Square of p1.
        now: What the pass looks for.
        fresh: Whether the scratch has candidates by quiet moves in this row.
        scratch: The candidates, and a spare line to work on.

    Returns:
        How many positions are new.
    """
    words_per_side = state.undecided.size // 2
    row = side * (words_per_side // 64) + row_of(men, block, q, p0, p1)
    task = side * (out.rows.size // 2) + task_of(men, block, q, p0)
    # Candidates by an exit: in memory D has them, where `due` says that the row has any. In bounded memory D does not
    # exist; the exits that are due have been unpacked into the words `fallen` of the plane.
    # Without an exit that is due, the bit of the low byte 0 may be set by wide codes such as 0x0100: D is 0 where there
    # is no exit, so such a bit would make candidates of all positions without one, and mates of stalemates.
    has_due_exit = now.due != 0 and (state.due[task * 256 + (now.due & 255)] >> np.uint64(p1)) & U1 != 0
    has_codes = state.codes.size > 0
    near = row_of(men, block, 0, p0, p1) * 64
    new = 0
    active = np.uint64(0)
    for rank in range(8):
        at = row * 64 + 8 * rank
        line = load(scratch, 64 * p1 + 8 * rank) if fresh else splat(np.uint64(0))
        if has_due_exit and not has_codes:
            line = line | load(state.fallen, near + 8 * rank)
        # Nothing leads into this line: it is skipped before any other set is read.
        if not has_bits(line) and not (has_due_exit and has_codes):
            continue
        undecided = load(state.undecided, at)
        line = line & undecided
        if has_codes:
            store(scratch, SPARE_LINE, line)
            if has_due_exit and has_bits(undecided):
                for j in range(8):
                    equal = bytes_equal(state.codes, (at + j) * 64, now.due)
                    scratch[SPARE_LINE + j] |= equal & state.undecided[at + j]
                line = load(scratch, SPARE_LINE)
        if not has_bits(line):
            continue
        # A loss must have no exit better than the limit, and no quiet move into R. A win needs no proof, and leaves R.
        if now.losing:
            if has_codes:
                for j in range(8):
                    if scratch[SPARE_LINE + j]:
                        scratch[SPARE_LINE + j] &= ~bytes_above(state.codes, (at + j) * 64, now.limit)
                line = load(scratch, SPARE_LINE)
            else:
                line = and_not(line, load(state.better, at))
            if not has_bits(line):
                continue
            line = clear_escapes(men, anchored, side, block, q, p0, p1, rank, line, state.not_won, scratch)
            if not has_bits(line):
                continue
        else:
            store(state.not_won, at, and_not(load(state.not_won, at), line))
        # `clear_escapes` has used the spare line for itself.
        if has_codes:
            store(scratch, SPARE_LINE, line)
        store(state.undecided, at, and_not(undecided, line))
        store(out.words, at, line)
        active |= U1 << np.uint64(rank)
        new += count(line)
        for j in range(8 if has_codes else 0):
            if scratch[SPARE_LINE + j]:
                bytes_set(state.codes, (at + j) * 64, scratch[SPARE_LINE + j], now.code)
    if active:
        out.lines[row] = np.uint8(active)
        out.rows[task] |= U1 << np.uint64(p1)
    return new


@inner
def ask_for_row(men, state, now, side, block, q, p0, p1):
    """Prefetches the words of a row that a pass will read: the sets are too large for any cache."""
    first = side * (state.undecided.size // 2) + row_of(men, block, q, p0, p1) * 64
    for at in range(first, first + 64, 8):
        prefetch(state.undecided, at)
        if not now.losing:
            prefetch(state.not_won, at)
        elif state.codes.size == 0:
            prefetch(state.better, at)


@inner
def clear_task(men, out, side, block, q, p0):
    """Empties a task's part of an X that no pass reads any more, for reuse. Only active lines have to be written."""
    task = side * (out.rows.size // 2) + task_of(men, block, q, p0)
    rows = out.rows[task]
    empty = splat(np.uint64(0))
    while rows:
        p1 = ctz(rows)
        rows &= rows - U1
        if men.folded and p1 < p0:
            continue
        row = side * (out.lines.size // 2) + row_of(men, block, q, p0, p1)
        active = np.uint64(out.lines[row])
        while active:
            rank = ctz(active)
            active &= active - U1
            store(out.words, row * 64 + 8 * rank, empty)
        out.lines[row] = 0
    out.rows[task] = 0


@inner
def solve_task(men, state, last, out, now, side, block, q, p0, scratch):
    """Decides the positions of one task in the pass ``now``; returns how many are new."""
    clear_task(men, out, side, block, q, p0)
    anchored = fixed_men(men, state, block)
    if now.first:
        touched = pull_checks(men, side, block, q, p0, last, scratch)
    else:
        words, lines, rows = last.words, last.lines, last.rows
        touched = pull_near(men, anchored, side, block, q, p0, words, lines, rows, scratch)
        if men.piece0 and men.white0 != side:
            touched = pull_outer_man(men, anchored, side, block, q, p0, False, words, lines, rows, scratch, touched)
        if men.pieceq and men.whiteq != side:
            touched = pull_outer_man(men, anchored, side, block, q, p0, True, words, lines, rows, scratch, touched)
        # In a slice the white king is the last piece, and done already.
        if side == 0 and not men.pawned:
            touched = pull_white_king(men, block, q, p0, words, lines, rows, scratch, touched)
    task = side * (out.rows.size // 2) + task_of(men, block, q, p0)
    # Rows to look at: those with candidates by quiet moves, and those with an exit that is due.
    pending = touched
    if now.due != 0:
        pending |= state.due[task * 256 + (now.due & 255)]
    new = 0
    while pending:
        p1 = ctz(pending)
        pending &= pending - U1
        # The next row is fetched while this one is worked on; that took a tenth off the passes of six pieces.
        if pending:
            ask_for_row(men, state, now, side, block, q, p0, ctz(pending))
        fresh = (touched >> np.uint64(p1)) & U1 != 0
        new += finish_row(men, anchored, state, out, side, block, q, p0, p1, now, fresh, scratch)
    return new


@kernel
def solve_layer(men, state, last, out, number, dtz, draws, first, end, counter, scratch, new):
    """Works on the tasks of a pass until none is left.

    Args:
        men: The pieces.
        state: The sets.
        last: X that the pass reads. In pass 0 its rows are those of the positions in check.
        out: X that it writes.
        number: The pass.
        dtz: 1 by DTZ, 0 by DTM.
        draws: The codes, or bytes, of a draw by side to move.
        first: The first task, counted through both sides to move.
        end: The task after the last.
        counter: Task counter, int64, that the threads share.
        scratch: A thread's own words: 64 rows and one line, uint64 of shape (4104,).
        new: A thread's own counts by side to move, int64; raised by the positions decided, whose codes may not fit a
            byte.
    """
    tasks = out.rows.size
    while True:
        task = first + next_task(counter)
        if task >= end:
            break
        side = task // (tasks // 2)
        block, q, p0 = place_of(men, task % (tasks // 2))
        if men.sameq0 and q >= p0:
            continue
        now = pass_of(number, dtz, draws[side])
        new[side] += solve_task(men, state, last, out, now, side, block, q, p0, scratch)

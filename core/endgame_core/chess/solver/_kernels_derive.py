"""Derives the codes of one side to move from those of the other: all moves of every position are tried."""

from __future__ import annotations

import numpy as np

from endgame_core.chess.solver._kernels_board import BLACK_PAWN, U1
from endgame_core.chess.solver._kernels_moves import (
    DRAW,
    WORDS,
    Ahead,
    Move,
    after,
    in_check,
    last_rank,
    man_on,
    piece_of,
    place_word,
    pushed,
    quick_slot,
    spot_of,
    targets,
    value,
)
from endgame_core.tables.kernels import ctz, inner, kernel, next_task


@inner
def best(pieces, field, squares, spot, ahead):
    """What the best move of a position is worth, or that it has none."""
    found = -1
    for man in range(-1, field.white.size):
        if man >= 0 and field.white[man] != spot.white:
            continue
        source, piece = (spot.own, 6) if man < 0 else (squares[man], pieces[man])
        pawn = piece == 1 or piece == BLACK_PAWN
        rest = targets(pieces, field, squares, spot, man)
        while rest:
            to = ctz(rest)
            rest &= rest - U1
            taken, slot = -1, -1
            if (spot.occupied >> np.uint64(to)) & U1:
                taken = man_on(field, squares, to, spot.gone)
            elif not pawn:
                slot = quick_slot(field, spot, ahead, man, source, to)
                if slot == -2:
                    continue
                if slot >= 0:
                    found = max(found, np.int64(field.worth[ahead.codes[slot]]))
                    continue
            then = after(field, squares, spot, Move(man, to, taken, 0))
            if in_check(pieces, field, squares, then):
                continue
            if man >= 0:
                squares[man] = to
            for promoted in range(1, 5) if pawn and last_rank(to) else range(1):
                if promoted:
                    pieces[man] = piece_of(promoted)
                worth = value(field, squares, then, Move(man, to, taken, promoted))
                if pawn and abs(to - source) == 16:
                    worth = pushed(pieces, field, squares, then, man, (source + to) // 2, worth)
                found = max(found, worth)
            if man >= 0:
                squares[man] = source
                pieces[man] = piece
    if found >= 0:
        return found
    return 0 if in_check(pieces, field, squares, spot) else DRAW


@kernel
def derive(field, side, then, kept, kept_then, codes, counter, pieces, squares):
    """Derives the codes of all positions of an ending with one side to move.

    Args:
        field: The ending.
        side: Side to move.
        then: Codes with the other side to move, uint8.
        kept: Bits of the slots to derive, uint64.
        kept_then: Bits of the legal canonical slots with the other side to move.
        codes: Room for the codes, uint8.
        counter: Shared task counter.
        pieces: A thread's own copy of the piece numbers.
        squares: A thread's own squares.
    """
    while True:
        first = next_task(counter) * WORDS
        if first >= kept.size:
            break
        for word in range(first, min(first + WORDS, kept.size)):
            bits = kept[word]
            if not bits:
                continue
            king, men = place_word(field, word, squares)
            ahead = Ahead(word, then, kept_then)
            while bits:
                other = ctz(bits)
                bits &= bits - U1
                codes[word * 64 + other] = best(pieces, field, squares, spot_of(side, king, other, men), ahead)

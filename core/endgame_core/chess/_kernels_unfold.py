"""Unfolding: what an exit into a sub-ending is worth, laid out for the ending that needs it.

Sub-endings are stored folded by symmetry, with the stronger side as White. Unfolded, the value of an exit is found for
64 black king squares at once: ``[placed men][free men …]`` and the white king, in the parent's colours, with the black
king last. A byte is a code turned into the mover's view, 0 where the exit would be illegal.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from endgame_core.chess._kernels_board import ALL, U1, see_man
from endgame_core.chess._vectors import ctz, inner, kernel, next_task
from endgame_core.chess.geometry import BLOCK, HOME, IMAGE, REACH


class View(NamedTuple):
    """The men of a bank: placed men (pawns, a promoted man) and free ones, and their sub-ending.

    Attributes:
        pieces: Piece number of each man, int64; placed men first.
        white: 1 for each white man, int64.
        squares: Squares of the placed men, row after row, int64.
        placed: How many men are placed.
        places: For each man of the sub-ending's index, which man here it is, int64.
        pawns: Pawns of the sub-ending, -1 when it has none and its index is folded to the triangle.
        numbers: Its placement numbers.
        swapped: 1 when its White is our Black.
        sorted: 1 when it keeps only p0 < p1 of two identical men.
    """

    pieces: np.ndarray
    white: np.ndarray
    squares: np.ndarray
    placed: int
    places: np.ndarray
    pawns: int
    numbers: np.ndarray
    swapped: int
    sorted: int


@inner
def survey(pieces, white, squares, king):
    """Legal black king squares with White and with Black to move, and those in check, as legal_words tells them."""
    none = np.uint64(0)
    occupied = U1 << np.uint64(king)
    for i in range(pieces.size):
        if pieces[i]:
            here = U1 << np.uint64(squares[i])
            if occupied & here:
                return none, none, none, none
            occupied |= here
    seen, shield = none, ALL
    for i in range(pieces.size):
        if pieces[i]:
            seen, shield = see_man(pieces[i], white[i], squares[i], king, occupied, seen, shield)
    free = ~(occupied | REACH[64 * 6 + king])
    return free & ~seen, free & ~seen & ~shield, free & shield, free & shield & seen


@inner
def promise(code):
    """What a move is worth to its maker, given the code of the position it leads to."""
    return np.uint8(255 - code) if code < 128 else np.uint8(256 - code)


@inner
def placement(view, squares):
    """Number of the sub-ending's pawn placement, and the symmetry that brings the men there; 0, 0 without pawns."""
    if view.pawns < 0:
        return np.int64(0), np.int64(0)
    key = 0
    for i in range(view.pawns):
        key = key * 64 + (squares[view.places[i]] ^ (56 if view.swapped else 0))
    number = np.int64(view.numbers[key])
    return number >> 1, (number & 1) | (2 if view.swapped else 0)


@inner
def men_index(view, squares, base, symmetry):
    """Continues a slot of the sub-ending with its free men."""
    first = max(0, view.pawns)
    last = -1
    for i in range(first, view.places.size):
        square = IMAGE[64 * symmetry + squares[view.places[i]]]
        if view.sorted and i == first + 1 and square < last:
            base = (base + square - last) * 64 + last
        else:
            base = base * 64 + square
        last = square
    return base


@inner
def unfold_word(codes, view, squares, king, legal, data, at):
    """Raises one word of a bank; ``at`` is its first byte."""
    base, symmetry = placement(view, squares)
    pawned = view.pawns >= 0
    if pawned:
        base = men_index(view, squares, base, symmetry)
        if not view.swapped:
            base = base * 64 + IMAGE[64 * symmetry + king]
    elif not view.swapped:
        symmetry = HOME[king]
        base = men_index(view, squares, BLOCK[IMAGE[64 * symmetry + king]], symmetry)
    while legal:
        other = ctz(legal)
        legal &= legal - U1
        if not view.swapped:
            slot = base * 64 + IMAGE[64 * symmetry + other]
        elif pawned:
            slot = (base * 64 + IMAGE[64 * symmetry + other]) * 64 + IMAGE[64 * symmetry + king]
        else:
            symmetry = HOME[other]
            block = BLOCK[IMAGE[64 * symmetry + other]]
            slot = men_index(view, squares, block, symmetry) * 64 + IMAGE[64 * symmetry + king]
        data[at + other] = max(data[at + other], promise(codes[slot]))


@kernel
def unfold(codes, view, side, data, start, word_step, king_step, counter, squares):
    """Raises a bank to what its exit is worth through one sub-ending.

    Args:
        codes: uint8 codes of the sub-ending with the side to move after the exit.
        view: The bank's men.
        side: Side to move after the exit, in the parent's colours.
        data: uint8 banks; 0 where an exit is illegal.
        start: The bank's first byte.
        word_step: Bytes from one placement of the men to the next.
        king_step: Bytes from one square of the white king to the next.
        counter: Shared task counter; a task is one row of placed men and one square of the first free man.
        squares: Room for the squares of the men.
    """
    men = view.pieces.size
    free = men - view.placed
    rows = view.squares.size // view.placed if view.placed else 1
    split = 64 if free else 1
    words = 64**free // split
    while True:
        task = next_task(counter)
        if task >= rows * split:
            break
        for i in range(view.placed):
            squares[i] = view.squares[task // split * view.placed + i]
        for word in range(words):
            rest = word
            for i in range(men - 1, view.placed, -1):
                squares[i] = rest & 63
                rest >>= 6
            if free:
                squares[view.placed] = task % 64
            for king in range(64):
                legal0, _, legal1, _ = survey(view.pieces, view.white, squares, king)
                legal = legal1 if side else legal0
                if legal:
                    at = start + (task * words + word) * word_step + king * king_step
                    unfold_word(codes, view, squares, king, legal, data, at)

"""Unfolding: what an exit into a sub-ending is worth, laid out for the ending that needs it.

Sub-endings are stored folded by symmetry, with the stronger side as White. Unfolded, the value of an exit is found for
64 black king squares at once: ``[placed men][free men …]`` and the white king, in the parent's colours, with the black
king last. A byte is what the exit is worth to its maker, 0 where it would be illegal.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from endgame_core.chess.solver._kernels_board import ALL, U1, see_man
from endgame_core.chess.solver.geometry import BLOCK, HOME, IMAGE, REACH
from endgame_core.tables.kernels.vectors import ctz, inner, kernel, next_task


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
        alike: Bit 0 when its first two free men are identical, bit 1 when the second and third are.
    """

    pieces: np.ndarray
    white: np.ndarray
    squares: np.ndarray
    placed: int
    places: np.ndarray
    pawns: int
    numbers: np.ndarray
    swapped: int
    alike: int


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
def placement(view, squares):
    """The sub-ending's pawn placement: number, symmetry that brings the men there, whether it mirrors itself."""
    key = image = 0
    for i in range(view.pawns):
        square = squares[view.places[i]] ^ (56 if view.swapped else 0)
        key = key * 64 + square
        image = image * 64 + (square ^ 7)
    number = np.int64(view.numbers[key])
    own_copy = (number & 1 == 0) & (view.numbers[image] & 1 == 0)
    return number >> 1, (number & 1) | (2 if view.swapped else 0), own_copy


@inner
def free_men(view, squares, symmetry):
    """The images of the free men, identical ones sorted; 0 for those that are not there."""
    first = max(0, view.pawns)
    count = view.places.size - first
    q0 = IMAGE[64 * symmetry + squares[view.places[first]]] if count > 0 else 0
    q1 = IMAGE[64 * symmetry + squares[view.places[first + 1]]] if count > 1 else 0
    q2 = IMAGE[64 * symmetry + squares[view.places[first + 2]]] if count > 2 else 0
    for _ in range(2):
        if view.alike & 1 and q0 > q1:
            q0, q1 = q1, q0
        if view.alike & 2 and q1 > q2:
            q1, q2 = q2, q1
    return q0, q1, q2


@inner
def folded_base(view, squares, king, symmetry):
    """First slot of a word of a sub-ending without pawns, under a symmetry that brings its white king home."""
    q0, q1, q2 = free_men(view, squares, symmetry)
    block = BLOCK[IMAGE[64 * symmetry + king]]
    if view.places.size == 1:
        return block * 4096 + q0 * 64
    if view.places.size == 2:
        return (q0 * 10 + block) * 4096 + q1 * 64
    return ((q0 * 64 + q1) * 10 + block) * 4096 + q2 * 64


@inner
def folded_slot(view, squares, king, other):
    """The canonical slot of a position of a sub-ending without pawns."""
    symmetry = HOME[king]
    slot = folded_base(view, squares, king, symmetry) + IMAGE[64 * symmetry + other]
    if IMAGE[64 * symmetry + king] % 9 == 0:
        twin = folded_base(view, squares, king, symmetry ^ 4) + IMAGE[64 * (symmetry ^ 4) + other]
        return min(slot, twin)
    return slot


@inner
def pawned_slot(view, base, own_copy, symmetry, squares, king, other):
    """The canonical slot of a position of a sub-ending with pawns, or of two bare kings."""
    if own_copy and IMAGE[64 * symmetry + king] & 4:
        symmetry ^= 1
    q0, q1, _ = free_men(view, squares, symmetry)
    count = view.places.size - view.pawns
    if count > 0:
        base = base * 64 + q0
    if count > 1:
        base = base * 64 + q1
    return (base * 64 + IMAGE[64 * symmetry + king]) * 64 + IMAGE[64 * symmetry + other]


@inner
def unfold_word(codes, worth, view, squares, king, legal, data, at):
    """Raises one word of a bank; ``at`` is its first byte."""
    base, symmetry, own_copy = np.int64(0), np.int64(0), False
    if view.pawns >= 0:
        base, symmetry, own_copy = placement(view, squares)
    elif not view.swapped and IMAGE[64 * HOME[king] + king] % 9:
        symmetry = HOME[king]
        first = folded_base(view, squares, king, symmetry)
        while legal:
            other = ctz(legal)
            legal &= legal - U1
            value = worth[codes[first + IMAGE[64 * symmetry + other]]]
            data[at + other] = max(data[at + other], value)
        return
    while legal:
        other = ctz(legal)
        legal &= legal - U1
        white, black = (other, king) if view.swapped else (king, other)
        if view.pawns >= 0:
            slot = pawned_slot(view, base, own_copy, symmetry, squares, white, black)
        else:
            slot = folded_slot(view, squares, white, black)
        data[at + other] = max(data[at + other], worth[codes[slot]])


@kernel
def unfold(codes, worth, view, side, data, start, word_step, king_step, counter, squares):
    """Raises a bank to what its exit is worth through one sub-ending.

    Args:
        codes: uint8 codes of the sub-ending with the side to move after the exit.
        worth: What an exit into a position of each code is worth, uint8 of shape (256,).
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
                    unfold_word(codes, worth, view, squares, king, legal, data, at)

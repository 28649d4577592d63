"""Views: the men of an exit, in the order its parent wants, and where its sub-ending keeps them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations

import chess
import numpy as np
from numpy.typing import NDArray

from endgame_core.chess import material
from endgame_core.chess.index import axes, men_of
from endgame_core.chess.placements import placements
from endgame_core.chess.solver._kernels_unfold import View, unfold
from endgame_core.chess.solver.geometry import BLACK_PAWN
from endgame_core.chess.solver.metrics import Metric, worth
from endgame_core.game import Lookup, Wanted
from endgame_core.tables.kernels.threads import Workers
from endgame_core.values import DRAW

Man = tuple[int, bool]
"""Piece type and colour."""


def rows(white: int, black: int) -> NDArray[np.int64]:
    """All placements of so many pawns as int64 of shape (placements, pawns)."""
    found = placements(white, black)
    return np.array(found, np.int64).reshape(len(found), white + black)


def numbers(white: int, black: int) -> NDArray[np.int32]:
    """``2 * number + mirrored`` of every placement, by its squares in base 64 in any order within a colour."""
    found = np.zeros(64 ** (white + black), np.int32)
    here = rows(white, black)
    for copy, squares in ((1, here ^ 7), (0, here)):
        for first in permutations(range(white)):
            for second in permutations(range(white, white + black)):
                key = np.zeros(len(here), np.int64)
                for column in (*first, *second):
                    key = key * 64 + squares[:, column]
                found[key] = 2 * np.arange(len(here)) + copy
    return found


def _name(men: Sequence[Man]) -> tuple[str, bool]:
    letters = {True: "", False: ""}
    for piece, white in sorted(men, reverse=True):
        letters[white] += chess.piece_symbol(piece).upper()
    return material.parse_material(f"K{letters[True]}vK{letters[False]}")


def _view(men: Sequence[Man], placed: NDArray[np.int64]) -> tuple[View, str, bool]:
    """The view of these men, its sub-ending (empty for two bare kings), and whether the colours are exchanged in it."""
    pieces = np.array([BLACK_PAWN if man == (chess.PAWN, False) else man[0] for man in men], np.int64)
    name, swapped = _name(men) if men else ("", False)
    index_men: Sequence[Man] = men_of(name) if name else ()
    free = list(range(len(men)))
    places: list[int] = []
    for piece, color in index_men:
        at = next(i for i in free if men[i] == (piece, color != swapped))
        free.remove(at)
        places.append(at)
    colors = [color for piece, color in index_men if piece == chess.PAWN]
    pawned = bool(colors) or not name
    others = index_men[len(colors) :]
    alike = sum(1 << i for i in range(len(others) - 1) if others[i] == others[i + 1])
    view = View(
        pieces, np.array([int(color) for _, color in men], np.int64), placed.reshape(-1), placed.shape[1],
        np.array(places, np.int64), len(colors) if pawned else -1,
        numbers(sum(colors), len(colors) - sum(colors)) if pawned else np.zeros(1, np.int32),
        int(swapped), alike,
    )  # fmt: skip
    return view, name, swapped


def _wanted(men: Sequence[Man], placed: NDArray[np.int64], view: View, name: str) -> Wanted:
    """The slots of a sub-ending that such placements meet: a man that has just promoted stands on few squares."""
    found: list[Sequence[int]] = [range(length) for length in axes(name)]
    places = view.places[max(0, view.pawns) :].tolist()
    for place, man in enumerate(places):
        if man >= placed.shape[1]:
            continue
        alike = [i for i, other in enumerate(places) if men[other] == men[man]]
        squares = placed[:, man] ^ (56 if view.swapped else 0)
        if view.pawns >= 0:
            # Identical men stand in ascending order: the last one is on the top rank, or the first on the bottom one.
            axis = 1 + (alike[-1] if squares.min() >= 56 else alike[0])
            found[axis] = np.unique([squares, squares ^ 7]).tolist()
        elif len(alike) == 1:
            copies = [squares ^ flip for flip in (0, 7, 56, 63)]
            axis = place if place < len(places) - 1 else place + 1
            found[axis] = np.unique([*copies, *((copy & 7) * 8 + (copy >> 3) for copy in copies)]).tolist()
    return found


def unfold_exit(
    men: Sequence[Man],
    placed: NDArray[np.int64],
    side: int,
    lookup: Lookup,
    metric: Metric,
    data: NDArray[np.uint8],
    start: int,
    steps: tuple[int, int],
    workers: Workers,
) -> None:
    """Raises part of ``data`` to what the exit that leaves these men is worth.

    Args:
        men: The men other than kings after the exit, in the parent's colours; placed men first.
        placed: Squares of the placed men, int64 of shape (rows, men).
        side: Side to move after the exit.
        lookup: Gives the codes of one side of a sub-ending.
        metric: What the codes mean.
        data: uint8, 0 where an exit is illegal.
        start: First byte to use.
        steps: Bytes from one placement of the men to the next, and from one white king square to the next.
        workers: Threads to work with.
    """
    view, name, swapped = _view(men, placed)
    mover = side ^ int(swapped)
    codes = np.full(4096, DRAW, np.uint8)
    if name:
        codes = lookup(name, mover, _wanted(men, placed, view, name))
    own = [(np.zeros(len(men) + 1, np.int64),) for _ in range(workers.threads)]
    workers.run(unfold, codes, worth(name, mover, metric), view, side, data, start, *steps, own=own)

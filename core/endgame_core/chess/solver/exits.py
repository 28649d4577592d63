"""What the exits of an ending are worth, unfolded from its sub-endings before it is solved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations

import chess
import numpy as np
from numpy.typing import NDArray

from endgame_core.chess import material
from endgame_core.chess.index import axes, men_of, placements
from endgame_core.chess.metrics import Metric, worth
from endgame_core.chess.solver._kernels_board import BLACK_PAWN
from endgame_core.chess.solver._kernels_exits import Banks, View, unfold
from endgame_core.game import Lookup, Wanted
from endgame_core.tables.kernels import Workers
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
    workers.run(unfold, codes, np.array(worth(name, mover, metric), np.uint8), view, side, data, start, *steps, own=own)


_PROMOTED = (chess.QUEEN, chess.ROOK, chess.BISHOP, chess.KNIGHT)


@dataclass(frozen=True, slots=True)
class _Bank:
    """One kind of exit.

    Attributes:
        number: The bank's number; see ``_kernels_pawn_exits``.
        side: Side to move after the exit.
        pawns: Colours of the pawns that are left, White's first.
        promoted: Colour of a man that promotes, else None.
        pieces: The pieces that are left.
        placed: Squares of the pawns and the promoted man, int64 of shape (rows, men).
    """

    number: int
    side: int
    pawns: tuple[bool, ...]
    promoted: bool | None
    pieces: tuple[Man, ...]
    placed: NDArray[np.int64]

    @property
    def size(self) -> int:
        """Bytes."""
        return len(self.placed) * 64 ** (len(self.pieces) + 2)

    def materials(self) -> list[list[Man]]:
        """The men of each sub-ending it is made from, placed ones first."""
        pawns: list[Man] = [(chess.PAWN, color) for color in self.pawns]
        if self.promoted is None:
            return [[*pawns, *self.pieces]]
        return [[*pawns, (piece, self.promoted), *self.pieces] for piece in _PROMOTED]


def _placed(pawns: Sequence[bool], promoted: bool | None, by_capture: bool) -> NDArray[np.int64]:
    squares = rows(sum(pawns), len(pawns) - sum(pawns))
    if promoted is None:
        return squares
    # A single pawn stands on files a to d, and promotes there unless it takes something.
    files = np.arange(8 if pawns or by_capture else 4) + (56 if promoted else 0)
    return np.column_stack([np.repeat(squares, len(files), axis=0), np.tile(files, len(squares))])


def _banks(pieces: Sequence[Man], pawns: Sequence[bool]) -> list[_Bank]:
    """All banks of an ending with these pieces and pawns (colours, White's first)."""
    found: list[_Bank] = []

    def add(number: int, side: int, pawn: bool | None, promoted: bool | None, piece: int | None) -> None:
        left = list(pawns)
        if pawn is not None:
            if pawn not in left:
                return
            left.remove(pawn)
        others = tuple(man for i, man in enumerate(pieces) if i != piece)
        placed = _placed(left, promoted, piece is not None)
        found.append(_Bank(number, side, tuple(left), promoted, others, placed))

    for i, (_, color) in enumerate(pieces):
        dimension = i + 2 - len(pieces)
        add(dimension, int(not color), None, None, i)
        add(6 + dimension, int(not color), not color, not color, i)
    for color in (False, True):
        add(2 + color, int(not color), color, None, None)
        add(4 + color, int(color), color, color, None)
    return found


def unfold_banks(
    pieces: Sequence[Man], pawns: Sequence[bool], lookup: Lookup, metric: Metric, workers: Workers
) -> Banks:
    """Unfolds all sub-endings of an ending with pawns.

    Args:
        pieces: Its men that are neither kings nor pawns, in the order of the index.
        pawns: Colours of its pawns, White's first.
        lookup: Gives the codes of one side of a sub-ending.
        metric: What they mean.
        workers: Threads to work with.

    Returns:
        The banks.
    """
    starts, tables = np.zeros(8, np.int64), np.zeros(8, np.int64)
    banks = _banks(pieces, pawns)
    data = np.zeros(sum(bank.size for bank in banks), np.uint8)
    placements: list[NDArray[np.int32]] = []
    start = 0
    for bank in banks:
        starts[bank.number], tables[bank.number] = start, sum(len(table) for table in placements)
        placements.append(numbers(sum(bank.pawns), len(bank.pawns) - sum(bank.pawns)))
        for men in bank.materials():
            unfold_exit(men, bank.placed, bank.side, lookup, metric, data, start, (4096, 64), workers)
        start += bank.size
    return Banks(data, starts, np.concatenate(placements), tables)

"""Banks: what the exits of an ending with pawns are worth, unfolded from its sub-endings before it is solved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import chess
import numpy as np
from numpy.typing import NDArray

from endgame_core.chess.solver._kernels_pawn_exits import Banks
from endgame_core.chess.solver.metrics import Metric
from endgame_core.chess.solver.views import Man, numbers, rows, unfold_exit
from endgame_core.game import Lookup
from endgame_core.tables.kernels.threads import Workers

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

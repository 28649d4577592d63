"""Solves a chess ending with pawns, one pawn placement after another.

A placement is solved after all that its pawns can reach, the most advanced first. What captures and promotions are
worth is unfolded from the sub-endings before. The ideas are told in ``docs/solver.md``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from itertools import groupby, permutations
from typing import Any

import chess
import numpy as np
from numpy.typing import NDArray

from endgame_core.chess import _kernels_slices as kernels
from endgame_core.chess import material
from endgame_core.chess._kernels_board import Layer, Men, State
from endgame_core.chess.geometry import BLACK_PAWN
from endgame_core.chess.index import FRAME, men_of, slots
from endgame_core.chess.placements import advancement, mirror, placements
from endgame_core.game import Lookup, Progress, Solved

Man = tuple[int, bool]
"""Piece type and colour."""

_SCRATCH = 64 * 64 + 8
_LOOK = 0.1
"""Seconds between two looks at the progress of a wave."""


def _rows(white: int, black: int) -> NDArray[np.int64]:
    """All placements as int64 of shape (placements, pawns)."""
    found = placements(white, black)
    return np.array(found, np.int64).reshape(len(found), white + black)


def _numbers(white: int, black: int) -> NDArray[np.int32]:
    """``2 * number + mirrored`` of every placement by its squares in base 64; see the kernels' Pawns."""
    found = np.zeros(64 ** (white + black), np.int32)
    here = _rows(white, black)
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


def _view(men: Sequence[Man], rows: NDArray[np.int64]) -> tuple[kernels.View, str, bool]:
    """The view of a bank with these men, the first of them placed as ``rows`` tells, on its sub-ending."""
    pieces = np.array([BLACK_PAWN if man == (chess.PAWN, False) else man[0] for man in men], np.int64)
    white = np.array([int(color) for _, color in men], np.int64)
    name, swapped = _name(men) if men else ("", False)
    free = list(range(len(men)))
    places: list[int] = []
    index_men = men_of(name) if name else ()
    for piece, color in index_men:
        at = next(i for i in free if men[i] == (piece, color != swapped))
        free.remove(at)
        places.append(at)
    colors = [color for piece, color in index_men if piece == chess.PAWN]
    pawned = bool(colors) or not name
    numbers = _numbers(sum(colors), len(colors) - sum(colors)) if pawned else np.zeros(1, np.int32)
    pieces_left = index_men[len(colors) :]
    folded = len(pieces_left) == (2 if colors else 3) and pieces_left[0] == pieces_left[1]
    view = kernels.View(
        pieces, white, rows.reshape(-1), rows.shape[1], np.array(places, np.int64),
        len(colors) if pawned else -1, numbers, int(swapped), int(folded),
    )  # fmt: skip
    return view, name, swapped


class _Exits:
    """Lays out the banks of an ending and fills them from its sub-endings."""

    def __init__(self, pieces: Sequence[Man], pawns: Sequence[bool]) -> None:
        self.pieces, self.pawns = list(pieces), list(pawns)
        self.starts = np.zeros(8, np.int64)
        self.tables = np.zeros(8, np.int64)
        self._jobs: list[tuple[int, kernels.View, str, int, bool]] = []
        self._bytes = 0
        numbers: list[NDArray[np.int32]] = []
        cells = 0
        for bank in range(8):
            jobs = self._bank(bank)
            if not jobs:
                continue
            left = jobs[0][0]
            rows = self._placed(left, bank)
            self.starts[bank], self.tables[bank] = self._bytes, cells
            numbers.append(_numbers(sum(left), len(left) - sum(left)))
            cells += len(numbers[-1])
            side = self._side(bank)
            for _, men in jobs:
                self._jobs.append((bank, *_view(men, rows), side))
            view = self._jobs[-1][1]
            free = len(view.pieces) - view.placed
            self._bytes += len(rows) * 64 ** (free + 2)
        self.numbers = np.concatenate(numbers) if numbers else np.zeros(1, np.int32)

    def _side(self, bank: int) -> int:
        """Side to move after an exit of a bank."""
        if bank in (0, 1, 6, 7):
            taken = self._piece(bank % 2)
            assert taken is not None
            return 0 if taken[1] else 1
        return (1 - bank % 2) if bank < 4 else bank % 2

    def _piece(self, dimension: int) -> Man | None:
        """The piece in dimension 0 or 1; a single one is in dimension 1."""
        at = dimension - (2 - len(self.pieces))
        return self.pieces[at] if at >= 0 else None

    def _bank(self, bank: int) -> list[tuple[list[bool], list[Man]]]:
        """For each sub-ending of a bank, its pawns and its men in the bank's order; empty when it has no use."""
        pieces = list(self.pieces)
        left = list(self.pawns)
        if bank in (0, 1, 6, 7):
            taken = self._piece(bank % 2)
            if taken is None:
                return []
            pieces.pop(bank % 2 - (2 - len(pieces)))
            promoting = not taken[1]
        else:
            promoting = bool(bank % 2)
        if bank >= 2:
            if promoting not in left:
                return []
            left.remove(promoting)
        placed: list[Man] = [(chess.PAWN, white) for white in left]
        if bank < 4:
            return [(left, placed + pieces)]
        return [(left, [*placed, (piece, promoting), *pieces]) for piece in (5, 4, 3, 2)]

    def _placed(self, left: Sequence[bool], bank: int) -> NDArray[np.int64]:
        """Squares of a bank's placed men, int64 of shape (rows, men): pawns that are left, and a promoted man."""
        rows = _rows(sum(left), len(left) - sum(left))
        if bank < 4:
            return rows
        taken = self._piece(bank % 2) if bank >= 6 else None
        white = (not taken[1]) if taken else bool(bank % 2)
        # A single pawn stands on files a to d, and promotes there unless it takes something.
        files = np.arange(8 if left or taken else 4)
        squares = files + (56 if white else 0)
        return np.column_stack([np.repeat(rows, len(files), axis=0), np.tile(squares, len(rows))])

    def fill(self, lookup: Lookup, threads: int) -> kernels.Banks:
        """Unfolds every sub-ending into its bank."""
        data = np.zeros(max(1, self._bytes), np.uint8)
        bare = np.full(4096, 128, np.uint8)
        with ThreadPoolExecutor(threads) as pool:
            for bank, view, name, swapped, side in self._jobs:
                codes = lookup(name, side ^ int(swapped)) if name else bare
                counter = np.zeros(1, np.int64)
                work = [
                    pool.submit(kernels.unfold, codes, view, side, data, self.starts[bank], counter)
                    for _ in range(threads)
                ]
                for done in work:
                    done.result()
        return kernels.Banks(data, self.starts, self.numbers, self.tables)


def _room(men: Men, table_slots: int) -> tuple[State, Layer, Layer, Layer, NDArray[np.uint64]]:
    """One thread's sets for a slice."""
    rows = men.size0 * men.size1
    state = State(
        np.zeros(2 * rows * 64, np.uint64),
        np.zeros(2 * rows * 64, np.uint64),
        np.zeros(2 * rows * 4096, np.uint8),
        np.zeros(2 * men.size0 * 256, np.uint64),
        np.zeros(1, np.int64),
        np.zeros(2 * -(-table_slots // FRAME) * 256, np.uint32),
        np.zeros(1, np.uint64),
        np.zeros(2, np.int64),
    )
    layers = [
        Layer(
            np.zeros(2 * rows * 64, np.uint64), np.zeros(2 * rows, np.uint8), np.zeros(2 * men.size0, np.uint64)
        )
        for _ in range(2)
    ]
    symmetric = Layer(layers[0].words, layers[0].lines, np.zeros(2 * men.size0, np.uint64))
    return state, layers[0], layers[1], symmetric, np.zeros(_SCRATCH, np.uint64)


def solve(ending: str, lookup: Lookup, threads: int, on_progress: Callable[[Progress], None]) -> Solved:
    """Solves an ending with pawns of three to five men.

    Args:
        ending: Canonical name.
        lookup: Gives the codes of one side of a finished sub-ending, uint8 of shape (slots,).
        threads: Threads to work with, at least 1.
        on_progress: Told now and then how many placements are done; an exception it raises stops the solve.

    Returns:
        Codes and counts.
    """
    index_men = men_of(ending)
    colors = [bool(color) for piece, color in index_men if piece == chess.PAWN]
    pieces = index_men[len(colors) :]
    banks = _Exits([(int(p), bool(c)) for p, c in pieces], colors).fill(lookup, threads)
    padded = [(0, 0, 1)] * (2 - len(pieces)) + [(int(piece), int(color), 64) for piece, color in pieces]
    (piece0, white0, size0), (piece1, white1, size1) = padded
    same = int(len(pieces) == 2 and pieces[0] == pieces[1])
    men = Men(piece0, piece1, chess.KING, white0, white1, 1, size0, size1, same, 0, 1)
    white = sum(colors)
    places = placements(white, len(colors) - white)
    pawns = kernels.Pawns(
        np.array(colors, np.int64), _rows(white, len(colors) - white).reshape(-1), _numbers(white, len(colors) - white)
    )
    count = slots(ending)
    codes = np.empty(2 * count, np.uint8)
    stale = np.zeros(2 * count // 64 if 0 < white < len(colors) else 0, np.uint64)
    rooms = [_room(men, count) for _ in range(threads)]
    order = sorted(range(len(places)), key=lambda number: -advancement(white, places[number]))
    stop = np.zeros(1, np.int64)
    finished = 0
    with ThreadPoolExecutor(threads) as pool:
        try:
            for _, group in groupby(order, key=lambda number: advancement(white, places[number])):
                wave = np.array(list(group), np.int64)
                counter = np.zeros(1, np.int64)
                work = [
                    pool.submit(kernels.solve_slices, men, pawns, banks, codes, stale, wave, stop, counter, *room)
                    for room in rooms
                ]
                while wait(work, timeout=_LOOK).not_done:
                    on_progress(Progress(done=finished + min(int(counter[0]), len(wave)), total=len(places)))
                for done in work:
                    done.result()
                finished += len(wave)
                on_progress(Progress(done=finished, total=len(places)))
        finally:
            stop[0] = 1
    frames = sum(room[0].frames for room in rooms).reshape(2, -1, 256)
    canonical = frames.sum(axis=1, dtype=np.int64)
    return Solved(codes=codes.reshape(2, -1), canonical=canonical, boards=2 * canonical, frames=frames)


def warm_up(report: Callable[[str], None]) -> None:
    """Compiles the kernels of endings with pawns, or loads them from the cache of an earlier run.

    Args:
        report: Told in one line what is being compiled.
    """
    report("endings with pawns")
    nothing = np.full(40960, 128, np.uint8)
    solve("KPvK", lambda name, side: nothing, 1, lambda progress: None)

"""Solves a chess ending with pawns, one pawn placement after another.

A placement is solved after all that its pawns can reach, the most advanced first. What captures and promotions are
worth is unfolded from the sub-endings before. The ideas are told in ``docs/solver.md``.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import groupby
from typing import Any

import chess
import numpy as np
from numpy.typing import NDArray

from endgame_core.chess.index import advancement, men_of, pawns_of, placements, slots
from endgame_core.chess.metrics import Metric, answered, check_range, draw, worth
from endgame_core.chess.solver import _kernels_slices as kernels
from endgame_core.chess.solver._kernels_board import Layer, Men, State
from endgame_core.chess.solver._kernels_exits import MOST_EXITS, Counted, Exit, MenNow, Pawns
from endgame_core.chess.solver.exits import numbers, rows, unfold_banks
from endgame_core.game import Lookup, Progress, Solved
from endgame_core.tables.kernels import Workers


def _slice_men(ending: str) -> Men:
    """The men of a slice: none, one or two pieces, and the white king in the last place."""
    pieces = [(int(piece), int(color), 64) for piece, color in men_of(ending) if piece != chess.PAWN]
    (piece0, white0, size0), (piece1, white1, size1) = [(0, 0, 1)] * (2 - len(pieces)) + pieces
    same = int(len(pieces) == 2 and pieces[0] == pieces[1])
    return Men(piece0, piece1, chess.KING, white0, white1, 1, size0, size1, same, 0, 1)


def _men_now(pawns: int) -> MenNow:
    return MenNow(*(np.zeros(2 + pawns, np.int64) for _ in range(3)))


def _pawns(ending: str) -> Pawns:
    white, black = pawns_of(ending)
    colors = np.array([1] * white + [0] * black, np.int64)
    return Pawns(colors, rows(white, black).reshape(-1), numbers(white, black))


def kept(ending: str, side: int, threads: int) -> NDArray[np.uint64]:
    """Bits of the legal canonical slots of one side to move: uint64 of shape (slots / 64,)."""
    found = np.zeros(slots(ending) // 64, np.uint64)
    pawns = _pawns(ending)
    workers = Workers(threads)
    own = [(_men_now(len(pawns.white)),) for _ in range(threads)]
    workers.run(kernels.keep_slices, _slice_men(ending), pawns, side, found, own=own)
    workers.close()
    return found


def _room(men: Men, pawns: int, metric: Metric) -> tuple[Any, ...]:
    """One thread's own arguments of the kernel: its sets for one slice, and scratch."""
    row_count = men.size0 * men.size1
    state = State(
        undecided=np.zeros(2 * row_count * 64, np.uint64),
        not_won=np.zeros(2 * row_count * 64, np.uint64),
        codes=np.zeros(2 * row_count * 4096, np.uint8),
        due=np.zeros(2 * men.size0 * 256, np.uint64),
        pawns=np.zeros(1, np.uint64),
    )
    lost, before, won = (
        Layer(
            np.zeros(2 * row_count * 64, np.uint64),
            np.zeros(2 * row_count, np.uint8),
            np.zeros(2 * men.size0, np.uint64),
        )
        for _ in range(3)
    )
    if metric == "dtm":
        before = lost
    now = _men_now(pawns)
    exits = np.zeros(MOST_EXITS * len(Exit._fields), np.int64)
    return state, lost, before, won, np.zeros(2 * men.size0, np.uint64), now, exits, np.zeros(64 * 64 + 8, np.uint64)


def _counted(ending: str, metric: Metric) -> Counted:
    draws = [draw(ending, side, metric) for side in (0, 1)]
    worths = [*worth(ending, 0, metric), *worth(ending, 1, metric), *answered(metric)]
    return Counted(int(metric == "dtz"), np.array(draws, np.uint8), np.array(worths, np.uint8))


def solve(
    ending: str,
    lookup: Lookup,
    threads: int,
    on_progress: Callable[[Progress], None],
    metric: Metric = "dtm",
) -> Solved:
    """Solves an ending with pawns of three to five men.

    Args:
        ending: Canonical name.
        lookup: Gives the codes of one side of a finished sub-ending, uint8 of shape (slots,).
        threads: Threads to work with, at least 1.
        on_progress: Told now and then how many slices are done; an exception it raises stops the solve.
        metric: What codes mean, of this ending and of its sub-endings.

    Returns:
        Codes and counts.

    Raises:
        EndingError: The ending has values that a byte cannot hold.
    """
    men = _slice_men(ending)
    white, black = pawns_of(ending)
    colors = [True] * white + [False] * black
    places = placements(white, black)
    pieces = [(int(piece), bool(color)) for piece, color in men_of(ending) if piece != chess.PAWN]
    pawns, counted = _pawns(ending), _counted(ending, metric)
    count = slots(ending)
    codes = np.empty(2 * count, np.uint8)
    kept = np.zeros(2 * count // 64, np.uint64)
    stale = np.zeros(2 * count // 64 if white and black else 0, np.uint64)
    stop = np.zeros(3, np.int64)
    workers = Workers(threads)
    finished = 0

    def look(dealt: int) -> None:
        on_progress(Progress(done=finished + max(0, dealt - threads), total=len(places)))

    def gone(place: int) -> int:
        return advancement(white, places[place])

    try:
        banks = unfold_banks(pieces, colors, lookup, metric, workers)
        rooms = [_room(men, len(colors), metric) for _ in range(threads)]
        for _, wave in groupby(sorted(range(len(places)), key=gone, reverse=True), key=gone):
            chosen = np.array(list(wave), np.int64)
            workers.run(
                kernels.solve_slices, men, counted, pawns, banks, codes, kept, stale, chosen, stop,
                own=rooms, look=look,
            )  # fmt: skip
            if stop[0]:
                check_range(ending, metric, int(stop[1]), int(stop[2]))
            finished += len(chosen)
            look(threads)
    finally:
        stop[0] = 1
        workers.close()
    none = np.zeros((2, 256), np.int64)
    return Solved(codes=codes.reshape(2, -1), kept=kept.reshape(2, -1), copies=2, missing=none)


def warm_up(report: Callable[[str], None]) -> None:
    """Compiles the kernels of endings with pawns, or loads them from the cache of an earlier run.

    Args:
        report: Told in one line what is being compiled.
    """
    report("endings with pawns")
    nothing = np.full(40960, 128, np.uint8)
    kept("KPvK", 0, 1)
    solve("KPvK", lambda name, side, wanted=(): nothing, 1, lambda progress: None)

"""Solves a pawnless chess ending by bit-sliced retrograde analysis.

:func:`solve` allocates the sets, turns captures into lower bounds, and then runs one layer after
another over a few threads. The ideas are told in ``docs/solver.md``; the loops are in the ``_kernels`` modules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import chess
import numpy as np
from numpy.typing import NDArray

from endgame_core.chess.index import men_of, order
from endgame_core.chess.metrics import Metric, check_range, draw
from endgame_core.chess.solver import _kernels_exits as exits
from endgame_core.chess.solver import _kernels_layers as layers
from endgame_core.chess.solver import _kernels_slices as slices
from endgame_core.chess.solver._kernels_board import Layer, Men, State
from endgame_core.chess.solver.exits import unfold_exit
from endgame_core.game import Lookup, Progress, Solved, Wanted
from endgame_core.tables.kernels import Workers

_Men = Iterable[tuple[chess.PieceType, chess.Color]]
_SCRATCH = 64 * 64 + 8


def _dimensions(men: _Men) -> Men:
    """Lays one to three men out on the index's dimensions, the last man last."""
    rows = [(0, 0, 1)] * 3 + [(int(piece), int(white), 64) for piece, white in men]
    (piece0, white0, size0), (piece1, white1, size1), (piece2, white2, _) = rows[-3:]
    return Men(
        piece0, piece1, piece2, white0, white1, white2, size0, size1,
        int((piece0, white0) == (piece1, white1) and piece0 > 0),
        int((piece1, white1) == (piece2, white2) and piece1 > 0),
        0,
    )  # fmt: skip


def _promises(ending: str, victim: int, lookup: Lookup, metric: Metric, workers: Workers) -> NDArray[np.uint8]:
    """What each capture of one man is worth to the side that takes, by parent placement after it."""
    men = men_of(ending)
    left = [(int(piece), bool(color)) for i, (piece, color) in enumerate(men) if i != victim]
    out = np.zeros(64 ** (len(left) + 2), np.uint8)
    side = 0 if men[victim][1] else 1
    steps = (64, 64 ** (len(left) + 1))
    unfold_exit(left, np.zeros((1, 0), np.int64), side, lookup, metric, out, 0, steps, workers)
    return out


def _draws(ending: str, metric: Metric) -> NDArray[np.uint8]:
    return np.array([draw(ending, side, metric) for side in (0, 1)], np.uint8)


def _new_layer(men: Men, rows: int) -> Layer:
    return Layer(
        np.zeros(2 * rows * 64, np.uint64),
        np.zeros(2 * rows, np.uint8),
        np.zeros(2 * 10 * men.size0, np.uint64),
    )


def solve(
    ending: str,
    lookup: Lookup,
    threads: int,
    on_progress: Callable[[Progress], None],
    metric: Metric = "dtm",
) -> Solved:
    """Solves a pawnless ending of three to five men.

    Args:
        ending: Canonical name.
        lookup: Gives the codes of a finished sub-ending with one side to move, uint8 of shape (slots,).
        threads: Threads to work with, at least 1.
        on_progress: Told of each finished layer; an exception it raises stops the solve.
        metric: What codes mean, of this ending and of its sub-endings.

    Returns:
        Codes and counts.

    Raises:
        EndingError: It has values that a byte cannot hold.
    """
    men = _dimensions(men_of(ending))
    rows = 10 * men.size0 * men.size1
    tasks = 10 * men.size0
    workers = Workers(1 if men.size1 == 1 else max(1, threads))
    try:
        state = State(
            np.zeros(2 * rows * 64, np.uint64),
            np.zeros(2 * rows * 64, np.uint64),
            np.zeros(2 * rows * 4096, np.uint8),
            np.zeros(2 * tasks * 256, np.uint64),
            np.zeros(1, np.uint64),
        )
        count = len(order(ending))
        nothing = np.zeros(0, np.uint8)
        bounds = [nothing] * (3 - count) + [
            _promises(ending, victim, lookup, metric, workers) for victim in range(count)
        ]
        lost, won = _new_layer(men, rows), _new_layer(men, rows)
        workers.run(exits.prepare, men, state, *bounds, won)
        del bounds
        before = _new_layer(men, rows) if metric == "dtz" else lost
        _solve_layers(_Solve(ending, metric, men, state, workers), lost, before, won, on_progress)
        alone = [(np.zeros(512, np.int64),) for _ in range(workers.threads)]
        workers.run(slices.finish, men, state, _draws(ending, metric), own=alone)
    finally:
        workers.close()
    return Solved(
        codes=state.codes.reshape(2, -1),
        kept=state.undecided.reshape(2, -1),
        copies=8,
        missing=4 * np.sum([counts for (counts,) in alone], axis=0).reshape(2, 256),
    )


def kept(ending: str, side: int, threads: int) -> NDArray[np.uint64]:
    """Bits of the legal canonical slots of one side to move: uint64 of shape (slots / 64,)."""
    men = _dimensions(men_of(ending))
    found = np.zeros(640 * men.size0 * men.size1, np.uint64)
    workers = Workers(threads)
    workers.run(slices.keep, men, side, found)
    workers.close()
    return found


@dataclass(frozen=True, slots=True)
class _Solve:
    """What all passes of a solve share."""

    ending: str
    metric: Metric
    men: Men
    state: State
    workers: Workers

    def run(self, number: int, source: Layer, out: Layer) -> list[int]:
        """Runs one pass; returns how many positions of each side to move are new, and checks that a byte holds them."""
        own = [(np.zeros(_SCRATCH, np.uint64), np.zeros(2, np.int64)) for _ in range(self.workers.threads)]
        if self.men.same01 and number:
            symmetric = np.empty_like(source.rows)
            layers.mirror_rows(source.rows, symmetric)
            source = source._replace(rows=symmetric)
        dtz = int(self.metric == "dtz")
        coded = _draws(self.ending, self.metric)
        self.workers.run(layers.solve_layer, self.men, self.state, source, out, number, dtz, coded, own=own)
        new = [sum(int(found[side]) for _, found in own) for side in (0, 1)]
        for side in (0, 1):
            if new[side]:
                check_range(self.ending, self.metric, number, side)
        return new


def _solve_layers(
    solve: _Solve, lost: Layer, before: Layer, won: Layer, on_progress: Callable[[Progress], None]
) -> None:
    """Runs pass after pass until nothing is new and no exit is due.

    Args:
        solve: What is solved.
        lost: Room for the newest losses.
        before: Room for the losses before; by DTM the same room.
        won: Room for the newest wins; now the positions in check.
        on_progress: Told of each layer.
    """
    dtz = solve.metric == "dtz"
    last = layers.last_due(solve.state, int(dtz))
    last = last // 2 if dtz else last
    n = 0
    while True:
        new = [0, 0]
        for number in (2 * n, 2 * n + 1) if dtz else (n,):
            if number % 2:
                found = solve.run(number, before, won)
            else:
                found = solve.run(number, won, before)
                lost, before = before, lost
            if number == 0:
                won.words[:] = 0
                won.rows[:] = 0
            new = [a + b for a, b in zip(new, found, strict=True)]
        if not any(new) and n >= last:
            return
        on_progress(Progress(n, *new))
        n = n + 1 if any(new) or not n or not dtz else last


def warm_up(report: Callable[[str], None]) -> None:
    """Compiles every kernel, or loads it from the cache of an earlier run.

    Args:
        report: Told in one line what is being compiled, before each kernel.
    """
    codes = {"KQvK": np.zeros((2, 0), np.uint8)}

    def look(name: str, side: int, _: Wanted = ()) -> NDArray[np.uint8]:
        return codes[name][side]

    def quiet(_: Progress) -> None:
        return

    report("layers")
    codes["KQvK"] = solve("KQvK", look, 1, quiet).codes
    report("sub-endings")
    _promises("KQQvK", 0, look, "dtm", Workers(1))
    kept("KQvK", 0, 1)
    report("identical men")
    layers.mirror_rows(np.zeros(64, np.uint64), np.zeros(64, np.uint64))

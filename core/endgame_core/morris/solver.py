"""Solves a pair of Nine Men's Morris by retrograde analysis over successor counts.

:func:`solve` turns captures into lower bounds, counts quiet moves, and then runs one layer after another over a few
threads; the loops are in ``_kernels.py``.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from endgame_core.game import Lookup, Solved, SolveProgress, Wanted
from endgame_core.morris import _kernels as kernels
from endgame_core.morris import arrays, index
from endgame_core.morris._kernels import MorrisLayer, MorrisSolverState, Pair, RowScratch
from endgame_core.morris.rules import FEWEST
from endgame_core.tables.kernels import KernelThreads
from endgame_core.values import OF_BYTES, value_of

_BEGUN, _READ, _TAKEN, _COUNTED = 0.1, 0.1, 0.05, 0.1
"""Parts of the work: the moves of the stones, reading a sub-ending, one run over captures, counting moves."""


def solve(
    ending: str,
    lookup: Lookup,
    threads: int,
    on_progress: Callable[[SolveProgress], None],
) -> Solved:
    """Solves a pair.

    Args:
        ending: Canonical name, such as ``4-3``.
        lookup: Gives the codes of a finished pair with one side to move, uint8 of shape (slots,).
        threads: Threads to work with, at least 1.
        on_progress: Told of each finished layer; an exception it raises stops the solve.

    Returns:
        Codes and counts; for equal numbers of stones, only those with White to move are kept.
    """
    on_progress(SolveProgress(phase="moves of the stones", ahead=_BEGUN))
    begun = _Solve(ending, lookup, threads, on_progress)
    state, sides, slots = begun.state, begun.sides, index.slots(ending)
    try:
        begun.offer_white()
        if sides > 1:
            begun.offer_black()
        for side in range(sides):
            begun.run("counting moves", side, sides, kernels.count_moves, state, side)
        begun.layers()
        begun.workers.run(kernels.finish, state)
    finally:
        begun.workers.close()
    codes = np.zeros((2, slots), np.uint8) if sides == 1 else state.codes.reshape(2, slots)
    codes[0] = state.codes[:slots]
    return Solved(
        codes=codes,
        kept=np.array([arrays.kept(ending, side) for side in range(2)]),
        missing=np.array([arrays.missing(ending, codes[side]) * (side < sides) for side in range(2)]),
        copies=16,
    )


def warm_up(report: Callable[[str], None]) -> None:
    """Compiles every kernel, or loads it from the cache of an earlier run.

    Args:
        report: Told in one line what is being compiled, before each kernel.
    """
    codes = np.zeros(index.slots("4-3"), np.uint8)

    def look(name: str, side: int, _: Wanted = ()) -> NDArray[np.uint8]:
        return codes[: index.slots(name)]

    for what, ending in (("moves of both sides", "3-3"), ("captures", "4-3")):
        report(what)
        solve(ending, look, 1, lambda _: None)


class _Solve:
    """A pair while it is solved, in the order of the methods."""

    def __init__(self, ending: str, lookup: Lookup, threads: int, on_progress: Callable[[SolveProgress], None]) -> None:
        white, black = self.stones = index.stones_of(ending)
        self.sides = index.sides(ending)
        self._lookup, self._on_progress = lookup, on_progress
        self._longest, self._part = index.LONGEST[ending], _BEGUN
        whites, masks = arrays.orbits(white).masks, arrays.placements(24 - white, black)
        stride = index.stride(white, black)
        self.pair = Pair(whites, masks, *arrays.rank_tables(), *arrays.moves(white), 24 - white, black, stride)
        self.rows = len(whites)
        slots = self.sides * self.rows * stride
        due = np.zeros(8 * self.rows, np.uint64)
        self.state = MorrisSolverState(np.zeros(slots, np.uint8), np.zeros(slots, np.uint8), due, self.rows)
        self.workers = KernelThreads(threads)

    def _own(self) -> list[tuple[RowScratch]]:
        """Room for the row that each thread is at."""
        sizes = (24, 24, 24, 24, 16, 2, 9 * 384)
        return [(RowScratch(*(np.zeros(size, np.int64) for size in sizes)),) for _ in range(self.workers.threads)]

    def run(self, phase: str, part: int, parts: int, kernel: Callable[..., None], *shared: object) -> None:
        """Runs a kernel row by row, as one of the parts of a phase, and tells how far it has come."""
        rows, share = self.rows, _COUNTED / parts if kernel is kernels.count_moves else _TAKEN

        def look(done: int) -> None:
            here, done = self._part + share * min(done, rows) / rows, part * rows + min(done, rows)
            self._on_progress(
                SolveProgress(phase=phase, done=done, total=parts * rows, part=here, ahead=self._part + share)
            )

        look(0)
        self.workers.run(kernel, self.pair, *shared, own=self._own(), look=look)
        self._part += share

    def _codes(self, white: int, black: int, side: int) -> NDArray[np.uint8]:
        """The codes of every slot of a finished pair."""
        ending = f"{white}-{black}"
        self._on_progress(SolveProgress(phase=f"reading {ending}", part=self._part, ahead=self._part + _READ))
        self._part += _READ
        return arrays.filled(ending, self._lookup(ending, side)).reshape(-1)

    def offer_white(self) -> None:
        """Turns White's captures into promises."""
        white, black = self.stones
        worth = np.zeros(self.rows * self.pair.stride, np.uint8)
        sub = self._codes(white, black - 1, 1) if black > FEWEST else np.zeros(0, np.uint8)
        self.run("captures by White", 0, 2, kernels.white_takes, sub, index.stride(white, black - 1), worth)
        del sub
        self.run("captures by White", 1, 2, kernels.white_offers, worth, self.state.codes)

    def offer_black(self) -> None:
        """Turns Black's captures into promises."""
        white, black = self.stones
        sub = self._codes(white - 1, black, 0)
        rows = arrays.losses(white), arrays.orbits(white - 1).masks
        shared = (*rows, sub, index.stride(white - 1, black), self.state.codes)
        self.run("captures by Black", 0, 1, kernels.black_offers, *shared)

    def layers(self) -> None:
        """Runs layer after layer until nothing is new and no promise is due."""
        pair, state, workers = self.pair, self.state, self.workers
        due = np.bitwise_or.reduce(state.due.reshape(-1, 4), axis=0)
        codes = [code for code in range(256) if int(due[code >> 6]) >> (code & 63) & 1]
        last_due = max((value_of(OF_BYTES[code])[1] or 0 for code in codes), default=0)
        words, rows = 2 * self.rows * pair.stride >> 6, 2 * self.rows
        last, out = (MorrisLayer(np.zeros(words, np.uint64), np.zeros(rows, np.uint8)) for _ in range(2))
        own = [(row, np.zeros(2, np.int64)) for (row,) in self._own()]
        depth, layers = 0, max(self._longest, last_due) + 1
        while True:
            for _, new in own:
                new[:] = 0
            workers.run(kernels.solve_layer, pair, state, last, out, depth, self.sides, own=own)
            new_white, new_black = (sum(int(new[side]) for _, new in own) for side in (0, 1))
            if not new_white and not new_black and depth >= last_due:
                return
            part, ahead = (self._part + (1 - self._part) * min(1.0, (depth + n) / layers) for n in (1, 2))
            self._on_progress(SolveProgress(depth, new_white, new_black, part=part, ahead=ahead))
            if self.sides == 1:
                out.words[len(out.words) // 2 :] = 0
                workers.run(kernels.exchange, pair, state, out, *arrays.canonicals(self.stones[0]), own=self._own())
                workers.run(kernels.count_rows, pair, out)
            last, out = out, last
            depth += 1

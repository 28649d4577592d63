"""Solves a pair of Nine Men's Morris by retrograde analysis over successor counts.

A move either closes a mill and takes a stone (a capture, into a smaller pair that is solved already) or is *quiet* and
stays in the pair. So a solve has three steps:

1. Captures become *promises*: for each position the best code that a capture is worth, a lower bound of its value.
2. For each position its quiet moves are counted.
3. One layer after the other, from the newest positions backwards. A position with a move into a loss is won. Each move
   into a win takes one off its count, and at 0 it is lost, unless a promise is better. A promise is due in its layer.

The loops are in ``_kernels.py``.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from endgame_core.game import DigitFilter, Lookup, SolvedEnding, SolveProgress
from endgame_core.morris import _kernels as kernels
from endgame_core.morris import arrays, index
from endgame_core.morris._kernels import MorrisLayer, MorrisSolverState, Pair, RowScratch
from endgame_core.morris.rules import FEWEST
from endgame_core.tables.kernels import KernelThreads
from endgame_core.values import CODES_OF_BYTES, value_of

_LINKING = 0.1
"""Share of the work that is finding the moves of White's stones."""
_READING = 0.1
"""Share of reading a sub-ending."""
_CAPTURING = 0.05
"""Share of one run over captures."""
_COUNTING = 0.1
"""Share of counting moves."""


def solve(
    ending: str,
    lookup: Lookup,
    threads: int,
    on_progress: Callable[[SolveProgress], None],
) -> SolvedEnding:
    """Solves a pair.

    Args:
        ending: Canonical name, such as ``4-3``.
        lookup: Reads the codes of a finished pair with one side to move, uint8 of shape (slots,).
        threads: Threads to work with, at least 1.
        on_progress: Called after each layer; an exception it raises stops the solve.

    Returns:
        Codes and counts; for equal numbers of stones only White to move is stored.
    """
    on_progress(SolveProgress(phase="moves of the stones", ahead=_LINKING))
    solver = _Solve(ending, lookup, threads, on_progress)
    state, sides, slots = solver.state, solver.sides, index.slots(ending)
    try:
        solver.offer_white()
        if sides > 1:
            solver.offer_black()
        for side in range(sides):
            solver.run("counting moves", side, sides, kernels.count_moves, state, side)
        solver.layers()
        solver.workers.run(kernels.finish, state)
    finally:
        solver.workers.close()
    codes = np.zeros((2, slots), np.uint8) if sides == 1 else state.codes.reshape(2, slots)
    codes[0] = state.codes[:slots]
    return SolvedEnding(
        codes=codes,
        canonical=np.array([arrays.kept(ending, side) for side in range(2)]),
        missing=np.array([arrays.missing(ending, codes[side]) * (side < sides) for side in range(2)]),
        copies=16,
    )


def warm_up(report: Callable[[str], None]) -> None:
    """Compiles every kernel, or loads it from the cache of an earlier run.

    Args:
        report: Called with one line on what is being compiled, before each kernel.
    """
    codes = np.zeros(index.slots("4-3"), np.uint8)

    def look(name: str, side: int, _: DigitFilter = ()) -> NDArray[np.uint8]:
        return codes[: index.slots(name)]

    for what, ending in (("moves of both sides", "3-3"), ("captures", "4-3")):
        report(what)
        solve(ending, look, 1, lambda _: None)


class _Solve:
    """A pair that is being solved; its methods are called in order."""

    def __init__(self, ending: str, lookup: Lookup, threads: int, on_progress: Callable[[SolveProgress], None]) -> None:
        white, black = self.stones = index.stones_of(ending)
        self.sides = index.sides(ending)
        self._lookup, self._on_progress = lookup, on_progress
        self._longest, self._part = index.LONGEST[ending], _LINKING
        whites, masks = arrays.orbits(white).masks, arrays.placements(24 - white, black)
        stride = index.stride(white, black)
        self.pair = Pair(whites, masks, *arrays.rank_tables(), *arrays.moves(white), 24 - white, black, stride)
        self.rows = len(whites)
        slots = self.sides * self.rows * stride
        due = np.zeros(8 * self.rows, np.uint64)
        self.state = MorrisSolverState(np.zeros(slots, np.uint8), np.zeros(slots, np.uint8), due, self.rows)
        self.workers = KernelThreads(threads)

    def _own(self) -> list[tuple[RowScratch]]:
        """For each thread room for the row that it works on."""
        sizes = (24, 24, 24, 24, 16, 2, 9 * 384)
        return [(RowScratch(*(np.zeros(size, np.int64) for size in sizes)),) for _ in range(self.workers.threads)]

    def run(self, phase: str, part: int, parts: int, kernel: Callable[..., None], *shared: object) -> None:
        """Runs a kernel row by row, as one part of a phase, and reports its progress.

        Args:
            phase: Name of the phase.
            part: Number of the part.
            parts: Number of parts.
            kernel: The kernel.
            shared: Its arguments between the pair and the task counter.
        """
        rows, share = self.rows, _COUNTING / parts if kernel is kernels.count_moves else _CAPTURING

        def look(done: int) -> None:
            rows_done = min(done, rows)
            work_done = self._part + share * rows_done / rows
            self._on_progress(
                SolveProgress(
                    phase=phase, done=part * rows + rows_done, total=parts * rows, part=work_done,
                    ahead=self._part + share,
                )
            )  # fmt: skip

        look(0)
        self.workers.run(kernel, self.pair, *shared, own=self._own(), look=look)
        self._part += share

    def _codes(self, white: int, black: int, side: int) -> NDArray[np.uint8]:
        """Reads the codes of every slot of a finished pair."""
        ending = f"{white}-{black}"
        self._on_progress(SolveProgress(phase=f"reading {ending}", part=self._part, ahead=self._part + _READING))
        self._part += _READING
        return arrays.filled(ending, self._lookup(ending, side)).reshape(-1)

    def offer_white(self) -> None:
        """Turns White's captures into promises."""
        white, black = self.stones
        values = np.zeros(self.rows * self.pair.stride, np.uint8)
        sub = self._codes(white, black - 1, 1) if black > FEWEST else np.zeros(0, np.uint8)
        # First the value of taking, for each slot with a mill of White's; then each slot gets the best of those that it
        # can reach by closing a mill. Taking has its own run because many moves lead to one slot.
        self.run("captures by White", 0, 2, kernels.white_takes, sub, index.stride(white, black - 1), values)
        del sub
        self.run("captures by White", 1, 2, kernels.white_offers, values, self.state.codes)

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
        last_due = max((value_of(CODES_OF_BYTES[code])[1] or 0 for code in codes), default=0)
        words = 2 * self.rows * pair.stride >> 6
        rows = 2 * self.rows
        last, out = (MorrisLayer(np.zeros(words, np.uint64), np.zeros(rows, np.uint8)) for _ in range(2))
        own = [(row, np.zeros(2, np.int64)) for (row,) in self._own()]
        depth = 0
        layers = max(self._longest, last_due) + 1
        while True:
            for _, new in own:
                new[:] = 0
            workers.run(kernels.solve_layer, pair, state, last, out, depth, self.sides, own=own)
            new_white, new_black = (sum(int(new[side]) for _, new in own) for side in (0, 1))
            if not new_white and not new_black and depth >= last_due:
                return
            part, ahead = (self._part + (1 - self._part) * min(1.0, (depth + n) / layers) for n in (1, 2))
            self._on_progress(SolveProgress(depth, new_white, new_black, part=part, ahead=ahead))
            # With equal numbers only White to move is solved: the new positions, with colours exchanged, are those with
            # Black to move.
            if self.sides == 1:
                out.words[len(out.words) // 2 :] = 0
                workers.run(kernels.exchange, pair, state, out, *arrays.canonicals(self.stones[0]), own=self._own())
                workers.run(kernels.count_rows, pair, out)
            last, out = out, last
            depth += 1

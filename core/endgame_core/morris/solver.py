"""Solves a pair of Nine Men's Morris by retrograde analysis with successor counts.

A move either closes a mill and takes a stone (a capture, into a smaller pair that is already solved) or is *quiet* and
stays in the pair. A solve has three steps:

1. Turn captures into *promises*: for each position the code of its best capture, a lower bound of its value.
2. Count the quiet moves of each position.
3. Solve layer after layer, going back from the positions solved last. A position with a move into a loss is won. Each
   move into a win lowers its count by one; at 0 it is lost, unless it has a better promise. A promise is fulfilled in
   the layer of its depth.

The loops are in ``_kernels.py``.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from endgame_core.game import DigitFilter, Lookup, SolvedEnding, SolveProgress
from endgame_core.language import _
from endgame_core.morris import _kernels as kernels
from endgame_core.morris import arrays, index
from endgame_core.morris._kernels import MorrisLayer, MorrisSolverState, Pair, RowScratch
from endgame_core.morris.rules import FEWEST
from endgame_core.tables.kernels import KernelThreads
from endgame_core.values import CODES_OF_BYTES, value_of

# Shares of the whole work, for the progress.
_LINKING = 0.1
"""Generating the moves of White's stones."""
_READING = 0.1
"""Reading one smaller pair."""
_CAPTURING = 0.05
"""One pass over captures."""
_COUNTING = 0.1
"""Counting moves."""


def solve(
    ending: str,
    lookup: Lookup,
    threads: int,
    on_progress: Callable[[SolveProgress], None],
) -> SolvedEnding:
    """Solve a pair.

    Args:
        ending: Canonical name, e.g. ``4-3``.
        lookup: Reads the codes of a solved pair with one side to move, uint8 of shape (slots,).
        threads: Number of threads, at least 1.
        on_progress: Called at each step and layer; its exceptions stop the solve.

    Returns:
        Codes and counts. For equal numbers of stones only White to move is solved and stored.
    """
    on_progress(SolveProgress(phase=_("moves of the stones"), ahead=_LINKING))
    solver = _Solve(ending, lookup, threads, on_progress)
    state = solver.state
    sides = solver.sides
    slots = index.slots(ending)
    try:
        solver.offer_white()
        # For equal numbers of stones a position with Black to move is one with White to move and exchanged colours.
        if sides > 1:
            solver.offer_black()
        for side in range(sides):
            solver.run(_("counting moves"), side, sides, kernels.count_moves, state, side)
        solver.layers()
        solver.workers.run(kernels.finish, state)
    finally:
        solver.workers.close()
    if sides == 1:
        codes = np.zeros((2, slots), np.uint8)
        codes[0] = state.codes[:slots]
    else:
        codes = state.codes.reshape(2, slots)
    return SolvedEnding(
        codes=codes,
        canonical=np.array([arrays.find_stored_slots(ending, side) for side in range(2)]),
        missing=np.array([arrays.missing(ending, codes[side]) * (side < sides) for side in range(2)]),
        copies=16,
    )


def warm_up(report: Callable[[str], None]) -> None:
    """Compile every kernel, or load it from the cache of an earlier run, by solving two small pairs.

    Args:
        report: Called before each group of kernels with its name.
    """
    codes = np.zeros(index.slots("4-3"), np.uint8)

    def lookup(name: str, side: int, __: DigitFilter = ()) -> NDArray[np.uint8]:
        """Return codes of a smaller pair; their values do not matter for compiling."""
        return codes[: index.slots(name)]

    for kernel_names, ending in (("moves of both sides", "3-3"), ("captures", "4-3")):
        report(kernel_names)
        solve(ending, lookup, 1, lambda __: None)


class _Solve:
    """The solve of one pair. :func:`solve` calls its public methods in order."""

    def __init__(self, ending: str, lookup: Lookup, threads: int, on_progress: Callable[[SolveProgress], None]) -> None:
        white, black = self.stones = index.stones_of(ending)
        self.sides = index.sides(ending)
        self._lookup = lookup
        self._on_progress = on_progress
        self._longest = index.LONGEST[ending]
        self._part = _LINKING  # of the whole work, done so far
        whites = arrays.orbits(white).masks
        masks = arrays.placements(24 - white, black)
        stride = index.stride(white, black)
        self.pair = Pair(whites, masks, *arrays.rank_tables(), *arrays.moves(white), 24 - white, black, stride)
        self.rows = len(whites)
        slots = self.sides * self.rows * stride
        due = np.zeros(8 * self.rows, np.uint64)
        self.state = MorrisSolverState(np.zeros(slots, np.uint8), np.zeros(slots, np.uint8), due, self.rows)
        self.workers = KernelThreads(threads)

    def _scratch(self) -> list[tuple[RowScratch]]:
        """Return scratch arrays for the row in work, one set for each thread."""
        sizes = (24, 24, 24, 24, 16, 2, 9 * 384)
        return [(RowScratch(*(np.zeros(size, np.int64) for size in sizes)),) for __ in range(self.workers.threads)]

    def run(self, phase: str, part: int, parts: int, kernel: Callable[..., None], *shared: object) -> None:
        """Run a kernel row by row, as one part of a phase, and report progress.

        Args:
            phase: Name of the phase.
            part: Number of this part, from 0.
            parts: Number of parts of the phase.
            kernel: The kernel.
            shared: The arguments of the kernel between the pair and the task counter.
        """
        rows = self.rows
        if kernel is kernels.count_moves:
            share = _COUNTING / parts
        else:
            share = _CAPTURING

        def report(tasks_done: int) -> None:
            rows_done = min(tasks_done, rows)
            work_done = self._part + share * rows_done / rows
            self._on_progress(
                SolveProgress(
                    phase=phase, done=part * rows + rows_done, total=parts * rows, part=work_done,
                    ahead=self._part + share,
                )
            )  # fmt: skip

        report(0)
        self.workers.run(kernel, self.pair, *shared, own=self._scratch(), look=report)
        self._part += share

    def _codes(self, white: int, black: int, side: int) -> NDArray[np.uint8]:
        """Read the codes of a solved pair, for every slot including symmetric copies."""
        ending = f"{white}-{black}"
        self._on_progress(
            SolveProgress(
                phase=_("reading {ending}").format(ending=ending), part=self._part, ahead=self._part + _READING
            )
        )
        self._part += _READING
        return arrays.filled(ending, self._lookup(ending, side)).reshape(-1)

    def offer_white(self) -> None:
        """Turn White's captures into promises."""
        white, black = self.stones
        values = np.zeros(self.rows * self.pair.stride, np.uint8)
        if black > FEWEST:
            sub = self._codes(white, black - 1, 1)
        else:
            sub = np.zeros(0, np.uint8)
        # First pass: the value of the best capture after a mill was closed, for each slot in which White has a mill.
        # Second pass: the best of these among the slots that a move reaches by closing a mill. Many moves lead to the
        # same slot, so that the first pass saves evaluating its captures again and again.
        self.run(_("captures by White"), 0, 2, kernels.find_white_captures, sub, index.stride(white, black - 1), values)
        del sub
        self.run(_("captures by White"), 1, 2, kernels.offer_white_captures, values, self.state.codes)

    def offer_black(self) -> None:
        """Turn Black's captures into promises."""
        white, black = self.stones
        sub = self._codes(white - 1, black, 0)
        self.run(
            _("captures by Black"), 0, 1, kernels.offer_black_captures,
            arrays.losses(white), arrays.orbits(white - 1).masks, sub, index.stride(white - 1, black), self.state.codes,
        )  # fmt: skip

    def layers(self) -> None:
        """Solve layer after layer, until a layer is empty and no promise is left."""
        pair = self.pair
        state = self.state
        workers = self.workers

        # The depths of promises: one bit for each code.
        due = np.bitwise_or.reduce(state.due.reshape(-1, 4), axis=0)
        codes = [code for code in range(256) if int(due[code >> 6]) >> (code & 63) & 1]
        last_due = max((value_of(CODES_OF_BYTES[code])[1] or 0 for code in codes), default=0)

        words = 2 * self.rows * pair.stride >> 6
        rows = 2 * self.rows
        previous, out = (MorrisLayer(np.zeros(words, np.uint64), np.zeros(rows, np.uint8)) for __ in range(2))
        scratch = [(row, np.zeros(2, np.int64)) for (row,) in self._scratch()]
        depth = 0
        layers = max(self._longest, last_due) + 1
        while True:
            for __, new_by_side in scratch:
                new_by_side[:] = 0
            workers.run(kernels.solve_layer, pair, state, previous, out, depth, self.sides, own=scratch)
            new_white = sum(int(new_by_side[0]) for __, new_by_side in scratch)
            new_black = sum(int(new_by_side[1]) for __, new_by_side in scratch)
            if not new_white and not new_black and depth >= last_due:
                return
            part, ahead = (self._part + (1 - self._part) * min(1.0, (depth + n) / layers) for n in (1, 2))
            self._on_progress(SolveProgress(depth, new_white, new_black, part=part, ahead=ahead))
            # With equal numbers only White to move is solved: the new positions, with colours exchanged, are those with
            # Black to move.
            if self.sides == 1:
                out.words[len(out.words) // 2 :] = 0
                workers.run(kernels.exchange, pair, state, out, *arrays.canonicals(self.stones[0]), own=self._scratch())
                workers.run(kernels.count_rows, pair, out)
            previous, out = out, previous
            depth += 1

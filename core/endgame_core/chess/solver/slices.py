"""Solves an ending with one pawn in bounded memory: slice by slice, each plane by plane.

A slice (the pawn on one square) is solved as an ending without pawns is (see ``blocks``), with the white king in the
place of the last piece. Its records stay in the work file. The codes of a plane of a solved slice are put together from
them when a push leads there, and again when the table is written, so that no array of all codes exists.

By DTM an exit may have a value that no byte holds, if a sub-ending or a slice that was solved before is that deep. The
solve then ends, and begins again with exits as codes; what is in the work file stays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from endgame_core.chess import metrics
from endgame_core.chess.solver import _kernels_exits as exit_kernels
from endgame_core.chess.solver import _kernels_slices as slice_kernels
from endgame_core.chess.solver._kernels_board import LayerBits
from endgame_core.chess.solver.blocks import Bounds, Planes, empty_counts
from endgame_core.chess.solver.workfile import SOLVED, Words
from endgame_core.game import SolvedEnding
from endgame_core.metric import DTM, DTZ
from endgame_core.values import DRAW

CHUNK = 1 << 18
"""Slots of the parts in which a table is handed to the writer, at least: no frame is larger."""
_NOTHING = np.zeros(0, np.uint8)


def men_now(pawns: int) -> exit_kernels.MenNow:
    """Room for all pieces of a slice with some number of pawns."""
    return exit_kernels.MenNow(*(np.zeros(3 + pawns, np.int64) for _ in range(3)))


@dataclass(slots=True)
class Slices(Planes):
    """A solve slice by slice, plane by plane; ``part`` is the number of the current slice.

    Attributes:
        pawns: All placements of the pawn.
        metric_values: What the metric makes of moves.
        order: The slices, the most advanced first.
        banks: Unfolds the values of captures and promotions in a slice.
        begin: Called with each slice before it is solved.
        now: The banks of the current slice.
    """

    pawns: exit_kernels.Pawns = field(kw_only=True)
    metric_values: exit_kernels.MetricValues = field(kw_only=True)
    order: Sequence[int] = field(kw_only=True)
    banks: Callable[[int], exit_kernels.Banks] = field(kw_only=True)
    begin: Callable[[int], None] = field(kw_only=True)
    now: exit_kernels.Banks = field(init=False)

    def solve_all(self, shares: Sequence[float]) -> SolvedEnding | None:
        """Solves the ending.

        Args:
            shares: Work of a slice before its first pass, and of its passes.

        Returns:
            The result; None at a slice whose exits have to be codes, if ``wide_exits`` does not say so. Solved
            slices stay.
        """
        self.start()
        for slice_number in self.order:
            self.part = slice_number
            self.begin(slice_number)
            if not self.records.is_committed(slice_number, SOLVED):
                if not self.wide_exits and any(map(self._may_exceed_bytes, self._pushes())):
                    self.records.log.close()
                    self.pool.shutdown()
                    return None
                self._empty()
                self.state.pawns[0] = 1 << int(self.pawns.squares[slice_number])
                self.solve_part(self._unfolded, shares)
                self.records.commit(slice_number, SOLVED)
        wide = self.records.is_wide(range(len(self.order)))
        return SolvedEnding(
            copies=2, missing=empty_counts(wide), chunks=partial(self._chunks, wide), wide=wide, done=self.done
        )

    def _may_exceed_bytes(self, slice_number: int) -> bool:
        """Whether a push into a solved slice may have a value, one ply more than there, that a byte does not hold."""
        if self.metric != DTM:
            return False
        return not all(metrics.is_held(self.ending, DTM, number + 1, 0) for number in self.records.passes(slice_number))

    def _empty(self) -> None:
        """Empties the sets and layers of the slice before."""
        self.state.due[:] = 0
        for layer in self.layers:
            layer.rows[:] = 0
            layer.lines[:] = 0
        for array in (self.state.undecided, self.state.not_won, self.state.better, *(la.words for la in self.layers)):
            for first in range(0, len(array), self.men.words):
                array[first : first + self.men.words] = 0
                self.sets.evict(array, first, self.men.words)

    def _unfolded(self) -> Bounds:
        self.now = self.banks(self.part)
        return _NOTHING, _NOTHING, _NOTHING, _NOTHING

    def _pushes(self) -> list[int]:
        """Lists the slices that pushes of the pawn lead to."""
        square = int(self.pawns.squares[self.part])
        white = bool(self.pawns.white[0])
        step, home = (8, 1) if white else (-8, 6)
        targets = [square + step, *([square + 2 * step] if square >> 3 == home else [])]
        return [int(self.pawns.numbers[target]) >> 1 for target in targets if 8 <= target < 56]

    def legal(self, checks: LayerBits, q: int, codes: NDArray[Any], bounds: Bounds) -> None:
        """Fills U and R of one plane, its exits, and the positions in check."""
        targets = self._pushes()
        metric_values = self.metric_values
        # By DTZ an exit has one of five values whatever it leads to, so that D stays in bytes; what is read from the
        # slice of the push may still be codes.
        wide = self.wide_exits or (self.metric == DTZ and self.records.is_wide(targets))
        if wide:
            metric_values = metric_values._replace(draws=np.full(2, DRAW, np.uint16))
        # Only this plane of the slices that pushes lead to is there: they are numbered 0 and 1.
        pawns = self.pawns._replace(where=np.full(len(self.pawns.squares), -1, np.int64))
        pawns.where[targets] = range(len(targets))
        pushed = np.zeros((2, len(targets), self.men.words * 64), np.uint16 if wide else np.uint8)
        places = [(side, i) for side in (0, 1) for i in range(len(targets))]
        work = [self.pool.submit(self._put_together, targets[i], side, q, pushed[side, i]) for side, i in places]
        for done in work:
            done.result()
        own = [(men_now(1), np.zeros(exit_kernels.MOST_EXITS * 8, np.int64)) for _ in range(self.workers.threads)]
        first = q * self.men.tasks
        self.workers.run(
            slice_kernels.prepare_plane, self.men, metric_values, pawns, self.now, pushed.reshape(-1), self.state,
            checks, self.part, codes, first, first + self.men.tasks, own=own,
        )  # fmt: skip

    def _put_together(self, slice_number: int, side: int, q: int, codes: NDArray[Any]) -> None:
        """Writes the codes of a plane of a solved slice to ``codes``; illegal slots get any code."""
        codes[:] = self.records.draw_code(side, codes.itemsize > 1)
        self.records.codes(slice_number, side, q, codes)

    def _chunks(self, wide: bool, side: int) -> Iterator[tuple[NDArray[Any], Words]]:
        """Yields the codes of the table with one side to move, and the bits of its stored slots, part by part."""
        planes = min(self.men.sizeq, -(-CHUNK // (64 * self.men.words)))
        codes = np.zeros((planes, self.men.words * 64), np.uint16 if wide else np.uint8)
        stored_bits = np.zeros(planes * self.men.words, np.uint64)
        own = [(men_now(1),) for _ in range(self.workers.threads)]
        for slice_number in range(len(self.pawns.squares)):
            for q in range(0, self.men.sizeq, planes):
                for i in range(planes):
                    self._put_together(slice_number, side, q + i, codes[i])
                first, end = ((slice_number * self.men.sizeq + plane) * self.men.tasks for plane in (q, q + planes))
                stored_bits[:] = 0
                self.workers.run(
                    slice_kernels.mark_stored_slots_of_slices,
                    self.men,
                    self.pawns,
                    side,
                    slice_kernels.EVERYWHERE,
                    stored_bits,
                    first,
                    end,
                    own=own,
                )
                yield codes.reshape(-1), stored_bits

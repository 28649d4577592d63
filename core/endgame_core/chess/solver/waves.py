"""Solves an ending with pawns: its slices on all threads, one *wave* after the other.

Slices whose pawns have gone equally far, all together, do not need each other: they are a wave. A slice reads those
that its pushes lead into, one or two waves before. So not all have to be *held* in memory: where they do not fit, a
wave is solved in batches, and each finished slice is written to a work file, from which those that a batch reads come
back. What the work file has is not solved again.

Slices are solved in bytes until one comes to a value that no byte holds; those that are left are then solved in codes.
A work file may have slices of either kind. The table is wide where bytes do not hold what passes have found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from endgame_core.chess import metrics
from endgame_core.chess.solver import _kernels_exits as exits
from endgame_core.chess.solver import _kernels_slices as slices
from endgame_core.chess.solver._kernels_board import Men
from endgame_core.chess.solver.blocks import empty_counts
from endgame_core.chess.solver.slices import CHUNK, men_now
from endgame_core.chess.solver.workfile import zstd
from endgame_core.game import Solved
from endgame_core.tables.checkpoint import WorkLog
from endgame_core.tables.kernels import KernelThreads
from endgame_core.values import OF_BYTES

_SLICE = 0
"""The kind of the records of a work file; their number is that of the slice."""
_PASSES = 1 << 17
"""No pass has such a number."""


@dataclass(slots=True)
class Waves:
    """What is solved wave by wave.

    Attributes:
        ending: Canonical name.
        metric: What codes mean.
        men: The men of a slice, laid out.
        workers: The threads.
        pawns: All placements; ``where`` becomes that of the slices that are held.
        counted: What is counted.
        banks: What captures and promotions are worth in some slices, int64 numbers of placements.
        rooms: For each thread its own arguments of the kernel.
        tell: Told how many slices are done, and how many are in hand.
        held: How many slices are held.
        log: The work file; None where all slices are held.
        wide: Whether codes are held, not bytes.
        latest: The first pass that may find nothing: a move into that could be worth what a byte does not hold.
    """

    ending: str
    metric: metrics.Metric
    men: Men
    workers: KernelThreads
    pawns: exits.Pawns
    counted: exits.Counted
    banks: Callable[[NDArray[np.int64]], exits.Banks]
    rooms: list[tuple[Any, ...]]
    tell: Callable[[int, int], None]
    held: int
    log: WorkLog | None = None
    wide: bool = False
    latest: int = 1 << 62
    pool: ThreadPoolExecutor = field(init=False)
    codes: NDArray[Any] = field(init=False)
    kept: NDArray[np.uint64] = field(init=False)
    stale: NDArray[np.uint64] = field(init=False)
    stop: NDArray[np.int64] = field(init=False)
    holders: NDArray[np.int64] = field(init=False)
    gone: NDArray[np.int64] = field(init=False)
    pushes: NDArray[np.int64] = field(init=False)
    passes: NDArray[np.uint8] = field(init=False)
    finished: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        words = 2 * self.held * self.slots // 64
        self.pool = ThreadPoolExecutor(self.workers.threads)
        self.codes = np.empty(64 * words, np.uint16 if self.wide else np.uint8)
        self.passes = np.zeros(2 * _PASSES, np.uint8)
        self.kept = np.zeros(0 if self.log else words, np.uint64)
        self.stale = np.zeros(words if len(set(self.pawns.white.tolist())) > 1 else 0, np.uint64)
        self.stop = np.array([0, 0, 0, self.latest], np.int64)
        self.gone = gone(self.pawns)
        self.pushes = pushes(self.pawns)
        self.holders = np.full(self.held, -1, np.int64) if self.log else np.arange(self.held)
        where = np.full(len(self.gone), -1, np.int64) if self.log else np.arange(self.held)
        self.pawns = self.pawns._replace(where=where)

    @property
    def slots(self) -> int:
        """Slots of a slice, of one side to move."""
        return self.men.size0 * self.men.size1 * 4096

    def solve_all(self) -> Solved | None:
        """Solves the ending; None where bytes do not hold a value, or have not before: what is done stays."""
        try:
            if not self._solve_waves():
                self._let_go()
                return None
        except BaseException:
            self._close()
            raise
        wide = self.wide and not self._are_held()
        none = empty_counts(wide)
        if self.log is None:
            self._close()
            codes = self.codes.reshape(2, -1)
            if wide < self.wide:
                codes = np.stack([self._bytes(side)[codes[side]] for side in (0, 1)])
            return Solved(codes=codes, kept=self.kept.reshape(2, -1), copies=2, missing=none, wide=wide)
        self.codes, self.stale = self.codes[:0].copy(), self.stale[:0].copy()
        return Solved(copies=2, missing=none, chunks=partial(self._chunks, wide), wide=wide, done=self._done)

    def _are_held(self) -> bool:
        """Whether bytes hold what passes have found."""
        return all(
            metrics.is_held(self.ending, self.metric, number, side)
            for side in (0, 1)
            for number in np.flatnonzero(self.passes[side * _PASSES : (side + 1) * _PASSES]).tolist()
        )

    def _meaning(self, side: int) -> NDArray[np.uint16]:
        """The code of each byte."""
        result = metrics.codes(metrics.draw_byte(self.ending, side)) if self.metric == "dtz" else OF_BYTES
        return np.array(result, np.uint16)

    def _bytes(self, side: int) -> NDArray[np.uint8]:
        """The byte of each code that has one."""
        result = np.zeros(1 << 16, np.uint8)
        result[self._meaning(side)] = range(256)
        return result

    def _solve_waves(self) -> bool:
        """Returns whether all is solved."""
        known = np.zeros(len(self.gone), np.bool_)
        if self.log is not None:
            known[self.log.numbers(_SLICE)] = True
            result = b"".join(self.log.commits.values())
            if result and not self.wide:
                return False
            if result:
                self.passes[np.frombuffer(result, np.uint32)] = 1
        self.finished = int(np.count_nonzero(known))
        for far in range(int(self.gone.max()), int(self.gone.min()) - 1, -1):
            wave = np.flatnonzero(self.gone == far)
            if not self._solve_wave(wave[~known[wave]]):
                return False
            self.tell(self.finished, 0)
        return True

    def _solve_wave(self, left: NDArray[np.int64]) -> bool:
        """Returns whether all of it is solved."""
        if not left.size:
            return True
        banks = self.banks(left)
        while left.size:
            batch = left[: self._fitting(left)]
            self._hold(batch)
            self.workers.run(
                slices.solve_slices, self.men, self.counted, self.pawns, banks, self.codes, self.kept, self.stale,
                batch, self.stop, self.passes, own=self.rooms,
                look=lambda dealt, count=batch.size: self._look(dealt, count),
            )  # fmt: skip
            if self.stop[0]:
                return False
            self._keep(batch)
            self.finished += batch.size
            left = left[batch.size :]
        return True

    def _look(self, dealt: int, count: int) -> None:
        """Tells how far a batch is; what that raises stops the slices in hand, too."""
        at_work = min(self.workers.threads, count)
        done = self.finished + min(count, max(0, dealt - at_work))
        try:
            self.tell(done, min(at_work, self.finished + count - done))
        except BaseException:
            self.stop[0] = 1
            raise

    # Slices in memory and in the work file.

    def _read_by(self, batch: NDArray[np.int64]) -> NDArray[np.int64]:
        """The slices that pushes lead into from some others."""
        result = np.unique(self.pushes[batch])
        return result[result >= 0]

    def _fitting(self, left: NDArray[np.int64]) -> int:
        """How many of some slices can be held with all that they read: one at least."""
        if self.log is None:
            return left.size
        least, most = 1, min(left.size, self.held)
        while least < most:
            middle = (least + most + 1) // 2
            if middle + self._read_by(left[:middle]).size <= self.held:
                least = middle
            else:
                most = middle - 1
        return least

    def _hold(self, batch: NDArray[np.int64]) -> None:
        """Makes room for a batch, and for what it reads; of the slices that go the most advanced are the first."""
        if self.log is None:
            return
        where, needed = self.pawns.where, self._read_by(batch)
        missing = needed[where[needed] < 0]
        free = np.flatnonzero(~np.isin(self.holders, needed))
        age = np.where(self.holders[free] < 0, self.gone.max() + 1, self.gone[self.holders[free]])
        free = free[np.argsort(-age, kind="stable")][: missing.size + batch.size]
        leaving = self.holders[free]
        where[leaving[leaving >= 0]] = -1
        self.holders[free] = np.concatenate([missing, batch])
        where[self.holders[free]] = free
        list(self.pool.map(self._read, missing.tolist()))

    def _parts(self, place: int) -> list[NDArray[Any]]:
        """Views of what is held of a slice: codes with White and with Black to move, and positions without a move."""
        room = int(self.pawns.where[place])
        arrays = [array.reshape(2, self.held, -1) for array in (self.codes, self.stale) if array.size]
        return [array[side, room] for array in arrays for side in (0, 1)]

    def _parts_of(self, place: int) -> list[NDArray[Any]]:
        """What the work file has of a slice: the same parts, but bytes where it was solved in these."""
        data = self.log.get(_SLICE, place, 0) if self.log is not None else None
        assert data is not None, "a slice is read before it is solved"
        plain = zstd.decompress(data)
        kind = np.dtype(np.uint16 if len(plain) >= 4 * self.slots else np.uint8)
        codes = np.frombuffer(plain, kind, 2 * self.slots).reshape(2, -1)
        stale = np.frombuffer(plain, np.uint64, offset=codes.nbytes)
        return [*codes, *(stale.reshape(2, -1) if stale.size else ())]

    def _lifted(self, side: int, codes: NDArray[Any]) -> NDArray[Any]:
        """What a work file has of one side to move, as codes where these are held."""
        return self._meaning(side)[codes] if self.wide and codes.itemsize == 1 else codes

    def _read(self, place: int) -> None:
        parts, result = self._parts(place), self._parts_of(place)
        for side in (0, 1):
            result[side] = self._lifted(side, result[side])
        for part, there in zip(parts, result, strict=True):
            part[:] = there

    def _write(self, place: int) -> None:
        assert self.log is not None
        packer = zstd.ZstdCompressor(1)
        packed = [packer.compress(part.data) for part in self._parts(place)]  # one by one, for they are large
        self.log.put(_SLICE, place, 0, b"".join([*packed, packer.flush()]))

    def _keep(self, batch: NDArray[np.int64]) -> None:
        """Writes finished slices to the work file."""
        if self.log is not None:
            list(self.pool.map(self._write, batch.tolist()))
            # Pass 0 stands there in any case: a later solve knows by it that codes are held, though all be drawn.
            passes = np.union1d(np.flatnonzero(self.passes), 0).astype(np.uint32) if self.wide else np.zeros(0)
            self.log.commit(int(batch[0]), passes.tobytes())

    # The table.

    def _chunks(self, wide: bool, side: int) -> Iterator[tuple[NDArray[Any], NDArray[np.uint64]]]:
        together = -(-CHUNK // self.slots)
        codes = np.zeros((together, self.slots), np.uint16 if wide else np.uint8)
        bytes_ = self._bytes(side)
        kept = np.zeros(together * self.slots // 64, np.uint64)
        own = [(men_now(len(self.pawns.white)),) for _ in range(self.workers.threads)]

        def read(place: int) -> None:
            result = self._lifted(side, self._parts_of(place)[side])
            codes[place % together] = result if result.itemsize == codes.itemsize else bytes_[result]

        for first in range(0, len(self.gone), together):
            end = min(first + together, len(self.gone))
            list(self.pool.map(read, range(first, end)))
            kept[:] = 0
            self.workers.run(
                slices.keep_slices,
                self.men,
                self.pawns,
                side,
                slices.EVERYWHERE,
                kept,
                first * self.men.size0,
                end * self.men.size0,
                own=own,
            )
            size = (end - first) * self.slots
            yield codes.reshape(-1)[:size], kept[: size // 64]

    def _done(self) -> None:
        """The table is safe."""
        if self.log is not None:
            self.log.remove()
        self._close()

    def _close(self) -> None:
        """Lets go of everything; the work file stays."""
        self._let_go()
        self.workers.close()

    def _let_go(self) -> None:
        """The same, but for the threads that it was given."""
        self.stop[0] = 1
        if self.log is not None:
            self.log.close()
        self.pool.shutdown()


def _squares(pawns: exits.Pawns) -> NDArray[np.int64]:
    return pawns.squares.reshape(-1, len(pawns.white))


def gone(pawns: exits.Pawns) -> NDArray[np.int64]:
    """For each placement the ranks that its pawns have gone, all together; see :func:`index.advancement`."""
    ranks = _squares(pawns) >> 3
    return np.where(pawns.white, ranks, 7 - ranks).sum(axis=1)


def pushes(pawns: exits.Pawns) -> NDArray[np.int64]:
    """The placements that pushes lead to, int64 of shape (placements, 2 * pawns); -1 where there is no push."""
    squares = _squares(pawns)
    result = np.full((len(squares), 2 * len(pawns.white)), -1, np.int64)
    for pawn, white in enumerate(pawns.white.tolist()):
        free = np.ones(len(squares), np.bool_)
        for steps in (1, 2):
            target = squares[:, pawn] + (8 * steps if white else -8 * steps)
            free &= (target >= 8) & (target < 56) & (squares != target[:, None]).all(axis=1)
            here = free if steps == 1 else free & (squares[:, pawn] >> 3 == (1 if white else 6))
            key = np.zeros(np.count_nonzero(here), np.int64)
            for other in range(len(pawns.white)):
                key = key * 64 + (target if other == pawn else squares[:, other])[here]
            result[here, 2 * pawn + steps - 1] = pawns.numbers[key] >> 1
    return result

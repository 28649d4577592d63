"""Solves an ending with pawns: its slices on all threads, one *wave* after the other.

Slices whose pawns have advanced equally far, all together, never lead into each other: they are a *wave*. In KPvKP all
slices with the pawns on a4 and b6 (3 + 1 ranks), a5 and b7 (4 + 0) … are in one wave. The most advanced wave is solved
first; its slices are dealt out to the threads, each of which solves one slice after another by itself.

A slice reads those that its pushes lead into, one or two waves before. So not all have to be in memory: where they do
not fit, a wave is solved in *batches*. A batch is as many slices as fit with all that they read. Each finished slice
is written to a work file, and every batch ends with a commit. What a batch reads and is no longer in memory comes back
from there. A solve that is resumed skips the slices that the work file has.

Slices are solved in bytes until one finds a value that no byte holds; the remaining ones are then solved in codes. A
work file may have slices of either kind. The table is wide if bytes do not hold the values that passes have found.
"""

from __future__ import annotations

import mmap
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from endgame_core.chess import metrics
from endgame_core.chess.solver import _kernels_exits as exit_kernels
from endgame_core.chess.solver import _kernels_slices as slice_kernels
from endgame_core.chess.solver._kernels_board import Men
from endgame_core.chess.solver.blocks import empty_counts
from endgame_core.chess.solver.slices import CHUNK, men_now
from endgame_core.chess.solver.workfile import zstd
from endgame_core.game import FinishedParts, SolvedEnding
from endgame_core.metric import DTZ, Metric
from endgame_core.tables.kernels import KernelThreads
from endgame_core.tables.work_log import WorkLog
from endgame_core.values import CODES_OF_BYTES

_SLICE = 0
"""Kind of the records of the work file. The number of a record is that of its slice; their place is 0.

Two numbers of a slice must not be confused: the *slice number*, which is that of its pawns' placement in the index, and
its *memory index*, which says where its codes are while they are in memory (``pawns.where``).
"""
_LEAST_RELEASED = 1 << 28
"""Bytes of codes from which the memory of finished slices is released before the others are solved."""
_PASSES = 1 << 17
"""Elements of ``passes`` for each side to move; no pass has such a number."""


@dataclass(slots=True)
class Waves:
    """A solve wave by wave.

    Attributes:
        ending: Canonical name.
        metric: What codes mean.
        men: The pieces of a slice, laid out.
        workers: The threads.
        pawns: All placements; ``where`` becomes the place of each slice in memory, -1 for none.
        metric_values: What the metric makes of moves.
        banks: Unfolds the values of captures and promotions in some slices, given as int64 numbers of placements.
        thread_args: For each thread its own arguments of the kernel.
        report: Called with the number of slices that are done, and of those that are being solved.
        capacity: Number of slices that memory has room for.
        log: The work file; None where all slices are in memory.
        wide: Whether codes are in memory, not bytes.
        pass_limit: The first pass that must find nothing in bytes: a move into its positions could have a value that no
            byte holds.
        finished_parts: Takes the slices that no push of the remaining ones leads to; see :class:`SolverBudget`.
        codes: Bytes, or codes, of the slices in memory, White to move first.
        stored_bits: Bits of their legal canonical slots; empty where there is a work file, as these are found again in
            the end.
        no_move_bits: Bits of their positions without a move; empty where no pawn can be taken en passant.
        stop: See :func:`endgame_core.chess.solver._kernels_slices.solve_slices`.
        slice_at: For each memory index the number of the slice that is there, -1 for none.
        advancements: For each slice the ranks that its pawns have advanced.
        pushes: For each slice those that its pushes lead to.
        passes: The passes that have found anything.
        finished: Number of slices that are solved.
    """

    ending: str
    metric: Metric
    men: Men
    workers: KernelThreads
    pawns: exit_kernels.Pawns
    metric_values: exit_kernels.MetricValues
    banks: Callable[[NDArray[np.int64]], exit_kernels.Banks]
    thread_args: list[tuple[Any, ...]]
    report: Callable[[int, int], None]
    capacity: int
    log: WorkLog | None = None
    wide: bool = False
    pass_limit: int = 1 << 62
    finished_parts: FinishedParts | None = None
    pool: ThreadPoolExecutor = field(init=False)
    codes: NDArray[Any] = field(init=False)
    stored_bits: NDArray[np.uint64] = field(init=False)
    no_move_bits: NDArray[np.uint64] = field(init=False)
    stop: NDArray[np.int64] = field(init=False)
    slice_at: NDArray[np.int64] = field(init=False)
    advancements: NDArray[np.int64] = field(init=False)
    pushes: NDArray[np.int64] = field(init=False)
    passes: NDArray[np.uint8] = field(init=False)
    _is_released: NDArray[np.bool_] = field(init=False)
    _memory: tuple[mmap.mmap, mmap.mmap] | None = field(init=False)
    """The memory of ``codes`` and of ``stored_bits``, if parts of it can be released."""
    finished: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        # Without a work file the memory index of a slice is its number; with one, memory is given to slices batch by
        # batch.
        words = 2 * self.capacity * self.slots // 64
        self.pool = ThreadPoolExecutor(self.workers.threads)
        self.codes = np.empty(64 * words, np.uint16 if self.wide else np.uint8)
        self.stored_bits = np.zeros(0 if self.log else words, np.uint64)
        self._memory = None
        if self.finished_parts is not None and hasattr(mmap, "MADV_DONTNEED"):
            self.finished_parts.clear()
            if self.log is None and not self.wide and self.codes.nbytes >= _LEAST_RELEASED:
                self._memory = _releasable(self.codes.nbytes), _releasable(self.stored_bits.nbytes)
                self.codes = np.frombuffer(self._memory[0], np.uint8)
                self.stored_bits = np.frombuffer(self._memory[1], np.uint64)
        self.passes = np.zeros(2 * _PASSES, np.uint8)
        self.no_move_bits = np.zeros(words if len(set(self.pawns.white.tolist())) > 1 else 0, np.uint64)
        self.stop = np.array([0, self.pass_limit], np.int64)
        self._is_released = np.zeros(len(self.pawns.squares) // len(self.pawns.white), np.bool_)
        self.advancements = advancements(self.pawns)
        self.pushes = pushes(self.pawns)
        if self.log:
            self.slice_at = np.full(self.capacity, -1, np.int64)
            where = np.full(len(self.advancements), -1, np.int64)
        else:
            self.slice_at = np.arange(self.capacity)
            where = np.arange(self.capacity)
        self.pawns = self.pawns._replace(where=where)

    @property
    def slots(self) -> int:
        """Slots of a slice, with one side to move."""
        return self.men.size0 * self.men.size1 * 4096

    def solve_all(self) -> SolvedEnding | None:
        """Solves the ending; None where bytes do not hold a value, now or in a solve before. Solved slices stay."""
        try:
            if not self._solve_waves():
                self._release()
                return None
        except BaseException:
            self._close()
            raise
        wide = self.wide and not self._bytes_suffice()
        none = empty_counts(wide)
        if self.log is None:
            self._close()
            codes = self.codes.reshape(2, -1)
            if wide < self.wide:
                codes = np.stack([self._bytes_of_codes(side)[codes[side]] for side in (0, 1)])
            return SolvedEnding(
                codes=codes, canonical=self.stored_bits.reshape(2, -1), copies=2, missing=none, wide=wide
            )
        self.codes, self.no_move_bits = self.codes[:0].copy(), self.no_move_bits[:0].copy()
        return SolvedEnding(copies=2, missing=none, chunks=partial(self._chunks, wide), wide=wide, done=self._finish)

    def _bytes_suffice(self) -> bool:
        """Whether bytes hold the values that passes have found."""
        return all(
            metrics.is_held(self.ending, self.metric, number, side)
            for side in (0, 1)
            for number in np.flatnonzero(self.passes[side * _PASSES : (side + 1) * _PASSES]).tolist()
        )

    def _codes_of_bytes(self, side: int) -> NDArray[np.uint16]:
        """The code of each byte, uint16 of shape (256,)."""
        if self.metric == DTZ:
            result = metrics.codes(metrics.draw_byte(self.ending, side))
        else:
            result = CODES_OF_BYTES
        return np.array(result, np.uint16)

    def _bytes_of_codes(self, side: int) -> NDArray[np.uint8]:
        """The byte of each code that has one, uint8 of shape (65536,)."""
        result = np.zeros(1 << 16, np.uint8)
        result[self._codes_of_bytes(side)] = range(256)
        return result

    def _solve_waves(self) -> bool:
        """Solves all waves, the most advanced first; False where codes are needed."""
        is_solved = np.zeros(len(self.advancements), np.bool_)
        if self.log is not None:
            is_solved[self.log.numbers(_SLICE)] = True
            pass_numbers = b"".join(self.log.commits.values())
            # Commits name the passes only in a solve by codes: a solve before this one has needed them.
            if pass_numbers and not self.wide:
                return False
            if pass_numbers:
                self.passes[np.frombuffer(pass_numbers, np.uint32)] = 1
        self.finished = int(np.count_nonzero(is_solved))
        for advancement in range(int(self.advancements.max()), int(self.advancements.min()) - 1, -1):
            wave = np.flatnonzero(self.advancements == advancement)
            if not self._solve_wave(wave[~is_solved[wave]]):
                return False
            is_solved[wave] = True
            self._release_slices(is_solved)
            self.report(self.finished, 0)
        return True

    def _release_slices(self, is_solved: NDArray[np.bool_]) -> None:
        """Hand over the solved slices that the remaining ones do not read, and release their memory."""
        if self._memory is None or self.finished_parts is None or is_solved.all():
            return
        is_done = is_solved & ~self._is_released
        is_done[self._slices_read_by(np.flatnonzero(~is_solved))] = False
        words = self.slots // 64
        for slice_number in np.flatnonzero(is_done).tolist():
            start = slice_number * self.slots
            for side in (0, 1):
                first = (side * self.capacity + slice_number) * self.slots
                codes = self.codes[first : first + self.slots]
                bits = self.stored_bits[first // 64 : first // 64 + words]
                if self.finished_parts.take(side, start, codes, bits):
                    self._memory[0].madvise(mmap.MADV_DONTNEED, first, self.slots)
                    self._memory[1].madvise(mmap.MADV_DONTNEED, first // 8, self.slots // 8)
        self._is_released |= is_done

    def _solve_wave(self, remaining: NDArray[np.int64]) -> bool:
        """Solves a wave, batch by batch; False where codes are needed."""
        if not remaining.size:
            return True
        banks = self.banks(remaining)
        while remaining.size:
            batch = remaining[: self._batch_size(remaining)]
            self._load_batch(batch)
            self.workers.run(
                slice_kernels.solve_slices, self.men, self.metric_values, self.pawns, banks, self.codes,
                self.stored_bits, self.no_move_bits, batch, self.stop, self.passes, own=self.thread_args,
                look=lambda dealt, count=batch.size: self._look(dealt, count),
            )  # fmt: skip
            if self.stop[slice_kernels.STOPPED]:
                return False
            self._keep(batch)
            self.finished += batch.size
            remaining = remaining[batch.size :]
        return True

    def _look(self, dealt: int, count: int) -> None:
        """Reports the progress of a batch; an exception of ``report`` stops the slices that are being solved."""
        # Slices that were dealt out are done, but for one on each thread.
        at_work = min(self.workers.threads, count)
        done = self.finished + min(count, max(0, dealt - at_work))
        try:
            self.report(done, min(at_work, self.finished + count - done))
        except BaseException:
            self.stop[slice_kernels.STOPPED] = 1
            raise

    # Slices in memory and in the work file.

    def _slices_read_by(self, batch: NDArray[np.int64]) -> NDArray[np.int64]:
        """Lists the slices that pushes lead into from some others."""
        result = np.unique(self.pushes[batch])
        return result[result >= 0]

    def _batch_size(self, remaining: NDArray[np.int64]) -> int:
        """How many of the remaining slices fit into memory with all that they read: one at least."""
        if self.log is None:
            return remaining.size
        lower = 1
        upper = min(remaining.size, self.capacity)
        # Neighbouring slices share what they read, so the number is found by bisection, not by a division.
        while lower < upper:
            middle = (lower + upper + 1) // 2
            if middle + self._slices_read_by(remaining[:middle]).size <= self.capacity:
                lower = middle
            else:
                upper = middle - 1
        return lower

    def _load_batch(self, batch: NDArray[np.int64]) -> None:
        """Makes room for a batch and what it reads, of which some comes from the work file.

        Of the slices that leave, the most advanced go first.
        """
        if self.log is None:
            return
        where = self.pawns.where
        slices_read = self._slices_read_by(batch)
        absent = slices_read[where[slices_read] < 0]
        free = np.flatnonzero(~np.isin(self.slice_at, slices_read))
        # No later wave reads the most advanced slices, so their memory is taken first, and what is empty before it.
        age = np.where(self.slice_at[free] < 0, self.advancements.max() + 1, self.advancements[self.slice_at[free]])
        assigned = free[np.argsort(-age, kind="stable")][: absent.size + batch.size]
        evicted = self.slice_at[assigned]
        where[evicted[evicted >= 0]] = -1
        self.slice_at[assigned] = np.concatenate([absent, batch])
        where[self.slice_at[assigned]] = assigned
        list(self.pool.map(self._read, absent.tolist()))

    def _parts(self, slice_number: int) -> list[NDArray[Any]]:
        """Views of a slice in memory: codes with White and with Black to move, and bits of positions without a move."""
        memory_index = int(self.pawns.where[slice_number])
        arrays = [array.reshape(2, self.capacity, -1) for array in (self.codes, self.no_move_bits) if array.size]
        return [array[side, memory_index] for array in arrays for side in (0, 1)]

    def _stored_parts(self, slice_number: int) -> list[NDArray[Any]]:
        """The same parts of a slice as the work file has them: bytes where it was solved in bytes."""
        data = None
        if self.log is not None:
            data = self.log.get(_SLICE, slice_number, 0)
        assert data is not None, "a slice is read before it is solved"
        plain = zstd.decompress(data)
        kind = np.dtype(np.uint16 if len(plain) >= 4 * self.slots else np.uint8)
        codes = np.frombuffer(plain, kind, 2 * self.slots).reshape(2, -1)
        no_move_bits = np.frombuffer(plain, np.uint64, offset=codes.nbytes)
        return [*codes, *(no_move_bits.reshape(2, -1) if no_move_bits.size else ())]

    def _widened(self, side: int, codes: NDArray[Any]) -> NDArray[Any]:
        """The values of a slice with one side to move, as this solve has them in memory: codes where it has codes.

        A solve by codes may read slices that a solve before it has stored as bytes.
        """
        if self.wide and codes.itemsize == 1:
            return self._codes_of_bytes(side)[codes]
        return codes

    def _read(self, slice_number: int) -> None:
        parts = self._parts(slice_number)
        stored_parts = self._stored_parts(slice_number)
        for side in (0, 1):
            stored_parts[side] = self._widened(side, stored_parts[side])
        for part, stored in zip(parts, stored_parts, strict=True):
            part[:] = stored

    def _write(self, slice_number: int) -> None:
        assert self.log is not None
        packer = zstd.ZstdCompressor(1)
        packed = [packer.compress(part.data) for part in self._parts(slice_number)]  # one by one, as they are large
        self.log.put(_SLICE, slice_number, 0, b"".join([*packed, packer.flush()]))

    def _keep(self, batch: NDArray[np.int64]) -> None:
        """Writes the finished slices of a batch to the work file, and commits them."""
        if self.log is not None:
            list(self.pool.map(self._write, batch.tolist()))
            # Pass 0 is named in any case: it tells a later solve that this one was by codes, even if all is drawn.
            if self.wide:
                passes = np.union1d(np.flatnonzero(self.passes), 0).astype(np.uint32)
            else:
                passes = np.zeros(0)
            self.log.commit(int(batch[0]), passes.tobytes())

    # The table.

    def _chunks(self, wide: bool, side: int) -> Iterator[tuple[NDArray[Any], NDArray[np.uint64]]]:
        """Yields the codes of the table with one side to move, and the bits of its stored slots, part by part."""
        slices_at_once = -(-CHUNK // self.slots)
        codes = np.zeros((slices_at_once, self.slots), np.uint16 if wide else np.uint8)
        byte_of = self._bytes_of_codes(side)
        stored_bits = np.zeros(slices_at_once * self.slots // 64, np.uint64)
        own = [(men_now(len(self.pawns.white)),) for _ in range(self.workers.threads)]

        def read(slice_number: int) -> None:
            result = self._widened(side, self._stored_parts(slice_number)[side])
            codes[slice_number % slices_at_once] = result if result.itemsize == codes.itemsize else byte_of[result]

        for first in range(0, len(self.advancements), slices_at_once):
            end = min(first + slices_at_once, len(self.advancements))
            list(self.pool.map(read, range(first, end)))
            stored_bits[:] = 0
            self.workers.run(
                slice_kernels.mark_stored_slots_of_slices,
                self.men,
                self.pawns,
                side,
                slice_kernels.EVERYWHERE,
                stored_bits,
                first * self.men.size0,
                end * self.men.size0,
                own=own,
            )
            size = (end - first) * self.slots
            yield codes.reshape(-1)[:size], stored_bits[: size // 64]

    def _finish(self) -> None:
        """Deletes the work file, as the table is written, and ends the threads."""
        if self.log is not None:
            self.log.remove()
        self._close()

    def _close(self) -> None:
        """Closes the work file, which stays, and ends all threads."""
        self._release()
        self.workers.close()

    def _release(self) -> None:
        """Closes the work file, and ends the threads of its own."""
        self.stop[slice_kernels.STOPPED] = 1
        if self.log is not None:
            self.log.close()
        self.pool.shutdown()


def _releasable(size: int) -> mmap.mmap:
    """Zeros of which whole pages can be released."""
    memory = mmap.mmap(-1, size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    if hasattr(mmap, "MADV_HUGEPAGE"):
        with suppress(OSError):  # a kernel may have no huge pages
            memory.madvise(mmap.MADV_HUGEPAGE)
    return memory


def _squares(pawns: exit_kernels.Pawns) -> NDArray[np.int64]:
    return pawns.squares.reshape(-1, len(pawns.white))


def advancements(pawns: exit_kernels.Pawns) -> NDArray[np.int64]:
    """For each placement the ranks that its pawns have advanced, all together; see :func:`index.advancement`."""
    ranks = _squares(pawns) >> 3
    return np.where(pawns.white, ranks, 7 - ranks).sum(axis=1)


def pushes(pawns: exit_kernels.Pawns) -> NDArray[np.int64]:
    """Finds the placements that pushes lead to.

    Returns:
        int64 of shape (placements, 2 * pawns): for each pawn a single and a double push; -1 where it is impossible.
    """
    squares = _squares(pawns)
    result = np.full((len(squares), 2 * len(pawns.white)), -1, np.int64)
    for pawn, white in enumerate(pawns.white.tolist()):
        free = np.ones(len(squares), np.bool_)
        for steps in (1, 2):
            target = squares[:, pawn] + (8 * steps if white else -8 * steps)
            # A double push needs the square that it passes to be free as well: `free` still knows of the first step.
            free &= (target >= 8) & (target < 56) & (squares != target[:, None]).all(axis=1)
            if steps == 1:
                allowed = free
            else:
                allowed = free & (squares[:, pawn] >> 3 == (1 if white else 6))
            key = np.zeros(np.count_nonzero(allowed), np.int64)
            for other in range(len(pawns.white)):
                key = key * 64 + (target if other == pawn else squares[:, other])[allowed]
            result[allowed, 2 * pawn + steps - 1] = pawns.numbers[key] >> 1
    return result

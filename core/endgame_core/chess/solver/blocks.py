"""Solves an ending without pawns in bounded memory, and resumes a solve that was ended early.

The passes are those of ``solve``; what is different is where the data is.

*Planes.* The positions with the outermost piece (dimension q) on one square are a plane. A pass works on one plane
after another. For the moves of the outermost piece it reads the newest layer and R (the positions not yet won) of one
side to move in all planes: that is the least memory a solve needs. An ending of six different pieces has 64 planes;
each of its sets (one bit for each slot of both sides to move) takes 2.7 GB, and its bytes would take 21 GB.

*Sets.* U (undecided), R, the positions with a good exit and the layers are sets, one bit for each slot. They are in
memory as far as it suffices. The others are mapped files, and after each plane its pages are evicted, so that they do
not count.

*Codes* are not in memory at all. What a pass finds in a plane is a record of the work file; when the table is
written, the codes of a plane are put together from the records of all passes (see ``workfile``). So nothing here is
limited to what a byte holds: a table is wide if its passes found values beyond that.

*Exits*, the captures, are unfolded once. Each plane's are records of the work file, sorted by the pass in which they
are due: an exit that loses in n plies matters only in the pass that finds losses in n.

*Resuming.* A pass is committed when all of its records are on disk. A committed pass is not solved again: the sets
are restored from the records of all committed passes, plane by plane, and the solve continues with the next one.
"""

from __future__ import annotations

import mmap
import os
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from endgame_core.chess.solver import _kernels_blocks as block_kernels
from endgame_core.chess.solver import _kernels_exits as exit_kernels
from endgame_core.chess.solver import _kernels_layers as layer_kernels
from endgame_core.chess.solver import _kernels_slices as slice_kernels
from endgame_core.chess.solver._kernels_board import LayerBits, Men, SolverState
from endgame_core.chess.solver.needs import Needs
from endgame_core.chess.solver.workfile import (
    EXIT_PASSES,
    FEW_EXIT_PASSES,
    PREPARED,
    Packed,
    Records,
    Words,
    by_pass,
)
from endgame_core.game import SolvedEnding, SolveProgress, SolverBudget
from endgame_core.language import _
from endgame_core.metric import DTM, DTZ, Metric
from endgame_core.paths import storage_errors
from endgame_core.system import BINARY, DELETED_WHEN_CLOSED, reserve
from endgame_core.tables.kernels import KernelThreads
from endgame_core.tables.work_log import WorkLog
from endgame_core.values import BYTE_DRAW, CODES_OF_BYTES, DRAW, HORIZON

_SCRATCH = 64 * 64 + 8
_CACHED_TASKS = 8
"""Tasks of which exits are packed at a time: the cache of a core holds their codes."""
_RECORDS_AT_ONCE = 16
"""Records of exits that are packed at a time: each has room for a plane, of which it fills a part."""
_SET_FLAGS = os.O_RDWR | os.O_CREAT | os.O_TRUNC | BINARY | DELETED_WHEN_CLOSED
"""Flags with which the file of a set is opened."""

_HUGE = 1 << 21
"""Bytes of a huge page."""
_LAYERS_READ = 3
"""The last passes whose layers the next pass may read."""

Bounds = tuple[NDArray[np.uint8], NDArray[np.uint8], NDArray[np.uint8], NDArray[np.uint8]]
"""The values of captures of p0, p1, the last piece and q, uint8; empty where there is no such piece."""


class Sets:
    """Arrays of words, in memory or in mapped files that have no name any more.

    Args:
        budget: How much memory may be used.
        needs: What the solve needs.
        men: The pieces, laid out.

    Attributes:
        spare: Bytes of memory that are allowed and not used.
    """

    def __init__(self, budget: SolverBudget, needs: Needs, men: Men) -> None:
        self._budget = budget
        self._men = men
        self.spare = budget.memory - needs.least
        self._mapped: dict[int, mmap.mmap] = {}
        self._count = 0
        self._set = needs.set

    def words(self) -> Words:
        """Makes an empty set of both sides to move, uint64: in memory if there is room, otherwise as a mapped file.

        Raises:
            StorageError: There is no room on the disk.
        """
        count = 2 * self._men.sizeq * self._men.words
        if self.spare >= self._set:
            self.spare -= self._set
            if self._set == 8 * count:
                return np.zeros(count, np.uint64)
            return _partly(self._men)
        self._count += 1
        # The file has no name any more once it is mapped, so it disappears with the process however that ends. Its
        # space is reserved: writing to a mapped page without any would kill the process by a signal.
        path = self._budget.work_file.with_name(f"{self._budget.work_file.name}.{os.getpid()}.{self._count}.part")
        with storage_errors(path.parent):
            handle = os.open(path, _SET_FLAGS, 0o644)
            try:
                with suppress(OSError):
                    path.unlink()
                reserve(handle, 0, 8 * count)
                mapped = mmap.mmap(handle, 8 * count)
            finally:
                os.close(handle)
        result = np.frombuffer(mapped, np.uint64)
        self._mapped[result.ctypes.data] = mapped
        return result

    def keep_only(self, array: Words) -> None:
        """Unmaps the files of all other sets, whose arrays must not be used any more."""
        at = array.ctypes.data
        self._mapped = {start: mapped for start, mapped in self._mapped.items() if start == at}

    def evict(self, array: Words, first: int = 0, count: int | None = None) -> None:
        """Releases the pages of a set that is a mapped file: they stop counting as memory until they are read again.

        Args:
            array: The set.
            first: The first word.
            count: Number of words; all from the first on by default.
        """
        mapped = self._mapped.get(array.ctypes.data)
        if mapped is None or not hasattr(mmap, "MADV_DONTNEED"):
            return
        end = 8 * (len(array) if count is None else first + count)
        # Only whole pages: a page that is shared with the plane before stays.
        start = -(-8 * first // mmap.PAGESIZE) * mmap.PAGESIZE
        length = end // mmap.PAGESIZE * mmap.PAGESIZE - start
        if length > 0:
            mapped.madvise(mmap.MADV_DONTNEED, start, length)


def _partly(men: Men) -> Words:
    """Makes an empty set in memory of which half is never written and takes no memory: words with p0 up to q.

    A huge page takes memory as a whole with the first word that is written; so huge pages are allowed only where all of
    a page is used.
    """
    count = 2 * men.sizeq * men.words
    if not hasattr(mmap, "MADV_NOHUGEPAGE"):
        return np.zeros(count, np.uint64)
    mapped = mmap.mmap(-1, 8 * count, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    result = np.frombuffer(mapped, np.uint64)
    address = result.ctypes.data
    with suppress(OSError):  # where there are no huge pages
        mapped.madvise(mmap.MADV_NOHUGEPAGE)
        for side, q in product((0, 1), range(men.sizeq)):
            plane = address + 8 * men.first_word(side, q)
            first = -(-(plane + 8 * (q + 1) * men.words // men.size0) // _HUGE) * _HUGE
            if (length := (plane + 8 * men.words) // _HUGE * _HUGE - first) > 0:
                mapped.madvise(mmap.MADV_HUGEPAGE, first - address, length)
    return result


@dataclass(slots=True)
class Planes:
    """A solve plane by plane.

    Attributes:
        ending: Canonical name.
        metric: What codes mean.
        men: The pieces, laid out.
        workers: The threads.
        draws: The bytes of a draw with White and with Black to move.
        budget: How much memory there is, and where the work file is.
        report: Called with the work done and the progress.
        expected: Estimates the number of layers, from the current one and the last with an exit that is due.
        needs: What the solve needs.
        part: Number of the slice that is being solved, where an ending has several.
        wide_exits: Whether exits are codes, as bytes do not hold them.
        marked: (pass, side, plane) of all exits.
        large: (side, group of passes) of which the exits have to be divided over several records.
        fallen_rows: The rows of ``state.fallen`` that are not empty, one word for each task.
    """

    ending: str
    metric: Metric
    men: Men
    workers: KernelThreads
    draws: NDArray[np.uint8]
    budget: SolverBudget
    report: Callable[[float, SolveProgress], None]
    expected: Callable[[int, int], int]
    needs: Needs
    part: int = 0
    wide_exits: bool = False
    records: Records = field(init=False)
    sets: Sets = field(init=False)
    state: SolverState = field(init=False)
    layers: tuple[LayerBits, LayerBits, LayerBits] = field(init=False)
    marked: set[tuple[int, int, int]] = field(init=False, default_factory=set[tuple[int, int, int]])
    large: set[tuple[int, int]] = field(init=False, default_factory=set[tuple[int, int]])
    fallen_rows: Words = field(init=False)
    pool: ThreadPoolExecutor = field(init=False)

    def layer(self) -> LayerBits:
        """Makes an empty layer."""
        tasks = 2 * self.men.sizeq * self.men.tasks
        rows = tasks * self.men.size1
        return LayerBits(self.sets.words(), np.zeros(rows, np.uint8), np.zeros(tasks, np.uint64))

    # Before the first pass.

    def legal(self, checks: LayerBits, q: int, codes: NDArray[Any], bounds: Bounds) -> None:
        """Fills U and R of one plane, its exits, and the positions in check."""
        first = q * self.men.tasks
        self.workers.run(
            exit_kernels.prepare, self.men, self.state, codes, bounds, checks, first, first + self.men.tasks
        )

    def prepare(self, checks: LayerBits, bounds: Callable[[], Bounds], share: float) -> None:
        """Fills the sets and writes the exits; a solve that is resumed also repeats what the committed passes decided.

        Args:
            checks: A layer for the positions in check.
            bounds: Unfolds the values of captures.
            share: Work of this step.
        """
        unfolded = bounds()
        codes = np.zeros(2 * self.men.words * 64, np.uint16 if self.wide_exits else np.uint8)
        self.marked.clear()
        self.large.clear()
        # One plane at a time: all codes together would take eight times the bytes of a set and more.
        for q in range(self.men.sizeq):
            codes[:] = 0
            self.legal(checks, q, codes, unfolded)
            list(self.pool.map(self._keep_exits, (0, 1), (q, q), np.split(codes, 2)))
            self.release(q, checks.words)
            self.report(share * (q + 1) / self.men.sizeq, SolveProgress(phase="captures"))
        if not self.records.is_committed(self.part, PREPARED):
            self.records.commit(self.part, PREPARED)
        else:
            self._put_back()

    def _keep_exits(self, side: int, q: int, codes: NDArray[Any]) -> None:
        """Marks the passes in which exits of a plane are due, and writes the exits unless a solve before this one has.

        Args:
            side: Side to move.
            q: The plane.
            codes: The best exits of its slots.
        """
        first = (side * self.men.sizeq + q) * self.men.tasks
        due = self.state.due[first * 256 : (first + self.men.tasks) * 256].reshape(-1, 256)
        # `due` has a column for each low byte; where exits are codes, the plane itself says which of them occur.
        low = np.flatnonzero(due.any(axis=0)).tolist()
        if self.wide_exits:
            present = np.zeros(1 << 16, np.uint8)
            block_kernels.note_codes(codes, present)
            # 0 is no exit, though one with its low byte may be due.
            codes_due = [
                code for code in np.flatnonzero(present).tolist() if code and code & 255 in low and code != DRAW
            ]
        else:
            codes_due = [CODES_OF_BYTES[byte] for byte in low]
        passes = sorted((self._pass_of(code), code) for code in codes_due)
        self.marked.update((due, side, q) for due, __ in passes)
        is_known = self.records.is_committed(self.part, PREPARED)
        groups = []
        if not is_known:
            groups = [*self._groups(side, passes, EXIT_PASSES)]
        note = partial(block_kernels.note_better, self.men, self.state, codes, side, q, self._limit)
        for which, data in zip(groups, self._packed(side, q, codes, groups, note), strict=True):
            if not self.records.keep_exits(self.part, side, q, [due for due, __ in which], data):
                self.large.add((side, which[0][0] // EXIT_PASSES))
                smaller = [*self._groups(side, which, FEW_EXIT_PASSES)]
                for group, packed in zip(smaller, self._packed(side, q, codes, smaller), strict=True):
                    self.records.keep_exits(self.part, side, q, [due for due, __ in group], packed)

    def _groups(self, side: int, passes: list[tuple[int, int]], size: int) -> Iterator[list[tuple[int, int]]]:
        """Divides (pass, code) pairs into groups of ``size`` successive passes; fewer where records would be large."""
        for number, group in groupby(passes, lambda pair: pair[0] // size):
            # Planes are alike: what was too large in one is not tried again in the next.
            if size == EXIT_PASSES and (side, number) in self.large:  # in the plane before
                yield from self._groups(side, list(group), FEW_EXIT_PASSES)
            else:
                yield list(group)

    def _packed(
        self,
        side: int,
        q: int,
        codes: NDArray[Any],
        records: list[list[tuple[int, int]]],
        before_tasks: Callable[[int, int], None] = lambda before_tasks, end: None,
    ) -> Iterator[bytes]:
        """Packs the exits of a plane into records.

        All records of a batch are packed task by task, so that the codes of a task are read from memory once.

        Args:
            side: Side to move.
            q: The plane.
            codes: The best exits of its slots.
            records: For each record its (pass, code) pairs.
            before_tasks: Called with the first and the end of some tasks before they are packed, while their codes are
                near.

        Yields:
            The records, in order.
        """
        for begin in range(0, max(1, len(records)), _RECORDS_AT_ONCE):
            batch = records[begin : begin + _RECORDS_AT_ONCE]
            builders = deque(self.records.begin([due for due, __ in record]) for record in batch)
            packers = [self._packer(side, q, codes, np.array([code for __, code in record])) for record in batch]
            for task in range(0, self.men.tasks, _CACHED_TASKS):
                end = min(task + _CACHED_TASKS, self.men.tasks)
                # The callback needs each task once, however many batches of records there are.
                if not begin:
                    before_tasks(task, end)
                for builder, pack in zip(builders, packers, strict=True):
                    builder.add(task, end, pack)
            # Each record is released as soon as it has been taken.
            while builders:
                yield builders.popleft().data()

    def _packer(self, side: int, q: int, codes: NDArray[Any], due_codes: NDArray[np.int64]) -> Callable[..., int]:
        """Makes the function that packs the exits of a plane with some codes."""
        numbers = np.zeros(1 << 8 * codes.itemsize, np.uint8)
        numbers[due_codes & (len(numbers) - 1)] = range(1, len(due_codes) + 1)
        # The codes that lose are consecutive among those of the plane, and so are those that win: two ranges (least,
        # span) say which positions to pack. Without one of them the other stands twice.
        losing = due_codes[due_codes < DRAW]
        winning = due_codes[due_codes > DRAW]
        ends = [(group.min(), group.max() - group.min()) for group in (losing, winning) if group.size]
        bounds = np.array([*ends[0], *ends[-1]])
        line = np.empty(8, np.uint64)
        return partial(block_kernels.pack_exits, self.men, self.state, codes, side, q, due_codes, bounds, numbers, line)

    def _pass_of(self, code: int) -> int:
        """The pass in which an exit with a code is due."""
        if self.metric == DTM:
            if code < DRAW:
                return 2 * code
            return 2 * (0xFFFF - code) + 1
        n = 1 if code in (1, 0xFFFF) else HORIZON + 1
        return 2 * n if code < DRAW else 2 * n + 1

    @property
    def _limit(self) -> int:
        """The best exit that a loss may have that the committed passes have found."""
        dtz = int(self.metric == DTZ)
        passes = (number for number in self.records.done(self.part) if not number % 2)
        limits = (layer_kernels.plain_pass(number, dtz, DRAW).limit for number in passes)
        limit = max(limits, default=0)
        if self.wide_exits:
            return limit
        return min(limit, BYTE_DRAW - 1)

    def due(self, number: int, losing: int, side: int, q: int) -> bool:
        """Unpacks the exits of a plane that are due in a pass, for its kernel to read.

        If the pass finds losses, these exits leave the set ``better``: from now on they are no better than a loss.

        Returns:
            Whether there are any.
        """
        if (number, side, q) not in self.marked:
            return False
        self._empty_fallen()
        if result := self.records.exits(self.part, number, side, q):
            passes, record = result
            if number in passes:
                first = self.men.first_word(side, q)
                block_kernels.pick(
                    self.men, 1 + passes.index(number), *record,
                    self.state.fallen, self.fallen_rows, self.state.better, first, losing,
                )  # fmt: skip
        return True

    def _empty_fallen(self) -> None:
        """Empties the positions whose exit is due."""
        block_kernels.empty(self.men, self.fallen_rows, self.state.fallen)

    def _put_back(self) -> None:
        """Takes everything that passes have decided out of the sets."""
        for side in (0, 1):
            for q in range(self.men.sizeq):
                self._restore(side, q, self.layers[0])
                self.release_side(side, q)
                self._evict_layer(side, q, self.layers[0])
            self.sets.evict(self.state.not_won)

    def _restore(self, side: int, q: int, out: LayerBits, number: int = -1) -> None:
        """Does so in one plane; the positions of pass ``number`` go into an empty layer."""
        for passes, record in self.records.positions(self.part, side, q, None if number < 0 else number):
            if number < 0 or number in passes:
                picks = by_pass([its_number == number for its_number in passes])
                won = by_pass([its_number % 2 for its_number in passes])
                block_kernels.restore(self.men, self.state, out, side, q, picks, won, *record)

    def release(self, q: int, *more: Words) -> None:
        """Evicts a plane of the sets, and of some more."""
        for array in (self.state.undecided, self.state.not_won, self.state.better, *more):
            for side in (0, 1):
                self.sets.evict(array, self.men.first_word(side, q), self.men.words)

    # Passes.

    def run_pass(self, number: int, source: LayerBits, out: LayerBits) -> list[int]:
        """Runs one pass, or repeats it if it is committed.

        Args:
            number: The pass.
            source: The layer that it reads.
            out: The layer that it writes.

        Returns:
            How many positions of each side to move are new.
        """
        if self.records.is_committed(self.part, number):
            self._repeat_pass(number, source, out)
            return self.records.new(self.part, number)
        size_before, __ = self.records.log.size
        own = [(np.zeros(_SCRATCH, np.uint64), np.zeros(2, np.int64)) for __ in range(self.workers.threads)]
        dtz = int(self.metric == DTZ)
        packing = list[Future[None]]()
        for side in (0, 1):
            now = layer_kernels.plain_pass(number, dtz, int(self.draws[side]))
            for q in range(self.men.sizeq):
                is_due = now.due and self.due(number, now.losing, side, q)
                # `due` names low bytes only, so the kernel may look for an exit that another pass has left there.
                if not is_due and (self.wide_exits or number > 255):
                    self._empty_fallen()
                first = (side * self.men.sizeq + q) * self.men.tasks
                before_plane = _new(own, side)
                self.workers.run(
                    layer_kernels.solve_layer, self.men, self.state, source, out, number, dtz, self.draws,
                    first, first + self.men.tasks, own=own,
                )  # fmt: skip
                self.release_side(side, q)
                if _new(own, side) > before_plane:  # packed by the pool while it is in memory
                    packing.append(self.pool.submit(self._keep_positions, number, out, side, q))
                else:
                    self._evict_layer(side, q, out)
            # Half a pass is done: the other side to move reads other halves of these sets.
            self.sets.evict(source.words)
            self.sets.evict(self.state.not_won)
        for packed in packing:
            packed.result()
        new = [_new(own, side) for side in (0, 1)]
        self.records.commit(self.part, number, new)
        growth = self.records.log.size[0] - size_before
        while self.records.has_grown(self.needs.set // 32, self.budget.disk - growth):  # as the next pass will be
            self._fold()
        return new

    def _fold(self) -> None:
        """Folds a file of the work file; all threads together take no more memory than a set that a pass reads.

        Each thread has the records of a plane, of up to 255 passes, unpacked: at most 164 bytes a word (a byte, and
        those that are not 0, for each pass that has decided something there), the numbers of passes, and the merged
        record.
        """
        threads = max(1, min(self.workers.threads, self.needs.set // (256 * self.men.words)))
        self.records.fold(threads, self._undecided)

    @contextmanager
    def _undecided(self, place: int) -> Generator[Words]:
        first = self.men.first_word(place >> 6, place % 64)
        yield self.state.undecided[first : first + self.men.words]
        self.sets.evict(self.state.undecided, first, self.men.words)

    def _repeat_pass(self, number: int, source: LayerBits, out: LayerBits) -> None:
        """Puts the positions of a committed pass into its layer, if a pass to come reads it."""
        # Older layers are not read any more.
        for side in (0, 1) if number in self.records.done(self.part)[-_LAYERS_READ:] else ():
            for q in range(self.men.sizeq):
                block_kernels.clear(self.men, out, side, q)
                self._restore(side, q, out, number)
                self.release_side(side, q)
                self._evict_layer(side, q, out)
            self.sets.evict(source.words)
            self.sets.evict(self.state.not_won)

    def release_side(self, side: int, q: int) -> None:
        """Evicts a plane of the sets that a pass reads of one side to move."""
        first = self.men.first_word(side, q)
        for array in (self.state.undecided, self.state.better):
            self.sets.evict(array, first, self.men.words)

    def _evict_layer(self, side: int, q: int, out: LayerBits) -> None:
        """Evicts a plane of a layer."""
        self.sets.evict(out.words, self.men.first_word(side, q), self.men.words)

    def _keep_positions(self, number: int, out: LayerBits, side: int, q: int) -> None:
        def pack(buffers: Packed) -> int:
            return int(block_kernels.pack(self.men, out, side, q, *buffers))

        self.records.keep_positions(self.part, number, side, q, pack)
        self._evict_layer(side, q, out)

    def solve(self, bounds: Callable[[], Bounds], shares: Sequence[float]) -> SolvedEnding:
        """Solves the ending.

        Args:
            bounds: Unfolds the values of captures.
            shares: Work before the first pass, and of the passes.
        """
        self.start()
        self.solve_part(bounds, shares)
        return self._solved()

    def start(self) -> None:
        """Opens the work file, and makes the sets.

        Those that a pass reads everywhere are made first: what does not fit into memory is a file.
        """
        self.pool = ThreadPoolExecutor(self.workers.threads)
        log = opened_log(self.ending, self.metric, self.budget)
        self.records = Records(self.ending, self.metric, self.men, self.draws, log)
        self.sets = Sets(self.budget, self.needs, self.men)
        self.fallen_rows = np.zeros(self.men.tasks, np.uint64)
        # What is made first is in memory first: the layers and R are read in all planes.
        won = self.layer()
        lost = self.layer()
        before = self.layer() if self.metric == DTZ else lost
        self.state = SolverState(
            not_won=self.sets.words(), undecided=self.sets.words(), better=self.sets.words(),
            codes=np.zeros(0, np.uint8), due=np.zeros(2 * self.men.sizeq * self.men.tasks * 256, np.uint64),
            pawns=np.zeros(1, np.uint64), fallen=np.zeros(self.men.words, np.uint64),
        )  # fmt: skip
        self.layers = won, lost, before
        self.records.spare = self.needs.spare + max(0, self.sets.spare)

    def solve_part(self, bounds: Callable[[], Bounds], shares: Sequence[float]) -> None:
        """Fills the sets and runs all passes; see :meth:`solve`."""
        won, lost, before = self.layers
        self.prepare(won, bounds, shares[0])
        dtz = self.metric == DTZ
        last = max((due for due, *__ in self.marked), default=0) // (2 if dtz else 1)
        n = 0
        while True:
            new = [0, 0]
            for number in (2 * n, 2 * n + 1) if dtz else (n,):
                if number % 2:
                    result = self.run_pass(number, before, won)
                else:
                    result = self.run_pass(number, won, before)
                    lost, before = before, lost
                if number == 0:
                    self._empty_checks(won)
                new = [a + b for a, b in zip(new, result, strict=True)]
            if not any(new) and n >= last:
                return
            # A layer takes half as long as those before, on average.
            to_come = 1 - (n + 1) / (self.expected(n, last) + 1)
            self.report(shares[0] + shares[1] * (1 - to_come**2), SolveProgress(n, *new))
            # By DTZ nothing can be new at a depth after one without news, until the exits behind the horizon are due.
            n = n + 1 if any(new) or not n or not dtz else last

    def _empty_checks(self, checks: LayerBits) -> None:
        """Empties the positions in check, which have no lines."""
        for side in (0, 1):
            for q in range(self.men.sizeq):
                first = self.men.first_word(side, q)
                words = checks.words[first : first + self.men.words]
                words[words != 0] = 0  # what was never written takes no memory, and shall take none
                self.sets.evict(checks.words, first, self.men.words)
        checks.rows[:] = 0

    # The table.

    def _keep_only_undecided(self) -> None:
        """Releases all other sets: the writer needs their memory for the codes of planes."""
        # U holds what is drawn, and later which slots are stored.
        self.state = self.state._replace(not_won=self.state.codes, better=self.state.codes)
        del self.layers
        self.sets.keep_only(self.state.undecided)

    def _solved(self) -> SolvedEnding:
        self._keep_only_undecided()
        wide = self.records.is_wide([0])
        missing = empty_counts(wide)

        def chunks(side: int) -> Iterator[tuple[NDArray[Any], Words]]:
            own = [(empty_counts(wide).reshape(-1),) for __ in range(self.workers.threads)]
            half = self.state.undecided[side * self.men.sizeq * self.men.words :][: self.men.sizeq * self.men.words]
            codes = np.zeros(self.men.words * 64, np.uint16 if wide else np.uint8)
            for q in range(self.men.sizeq):
                codes[:] = 0
                self.records.codes(0, side, q, codes)
                first = q * self.men.tasks
                self.workers.run(
                    slice_kernels.finish,
                    self.men,
                    half,
                    codes,
                    side,
                    self.records.draw_code(side, wide),
                    first,
                    first + self.men.tasks,
                    own=own,
                )
                yield codes, half[q * self.men.words : (q + 1) * self.men.words]
                self.sets.evict(self.state.undecided, self.men.first_word(side, q), self.men.words)
            missing[:] += 4 * np.sum([counts for (counts,) in own], axis=0).reshape(missing.shape)

        return SolvedEnding(copies=8, missing=missing, chunks=chunks, wide=wide, done=self.done)

    def done(self) -> None:
        """Deletes the work file, as the table is written, and ends the threads."""
        self.records.log.remove()
        self.pool.shutdown()
        self.workers.close()


def _new(own: Sequence[tuple[Words, NDArray[np.int64]]], side: int) -> int:
    """How many positions the threads have decided with one side to move."""
    return sum(int(counts[side]) for __, counts in own)


def empty_counts(wide: bool) -> NDArray[np.int64]:
    """Counts of 0 by side to move and by byte (or code), int64."""
    return np.zeros((2, 1 << 16 if wide else 1 << 8), np.int64)


def opened_log(ending: str, metric: Metric, budget: SolverBudget) -> WorkLog:
    """Opens the work file of an ending; its stamp names the sub-endings from which the ending is built.

    Raises:
        StorageError: It cannot be read or written.
    """
    log = WorkLog(budget.work_file, " ".join(["blocks-9", ending, metric, *budget.sources]))
    if log.restart_reason:
        budget.on_restart(
            _("the work file {work_file} {restart_reason}").format(
                work_file=budget.work_file.name, restart_reason=log.restart_reason
            )
        )
    return log

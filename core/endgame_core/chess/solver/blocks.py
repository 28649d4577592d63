"""Solves an ending without pawns in bounded memory, and goes on where an earlier solve of it has ended.

The passes are those of ``solve``, but D is not held: what a pass finds is written to a work file, plane by plane, and
the codes of a plane are put together when its table is written. The exits, too, are there by code. The sets are held in
memory as far as it is allowed; the rest are mapped files, of which only the planes in hand count. A pass reads the
newest layer and R of one side to move at a time, wherever the outermost man stands: that is the least there must be
room for.

Nothing here is bound to what a byte holds: a table whose passes have found more is wide.

A pass that the work file knows is not solved, but put back from there.
"""

from __future__ import annotations

import mmap
import os
import struct
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from endgame_core.chess import metrics
from endgame_core.chess.solver import _kernels_blocks as blocks
from endgame_core.chess.solver import _kernels_exits as exits
from endgame_core.chess.solver import _kernels_layers as layers
from endgame_core.chess.solver import _kernels_slices as slices
from endgame_core.chess.solver._kernels_board import Layer, Men, State
from endgame_core.chess.solver.needs import Needs
from endgame_core.game import Progress, Room, Solved
from endgame_core.paths import storage_errors
from endgame_core.tables.kernels import Workers
from endgame_core.tables.worklog import WorkLog
from endgame_core.values import DRAW, HORIZON, OF_BYTES, value_of

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

_EXITS, _FOUND = 0, 1
"""Kinds of records: their number is the code of the exits, or the pass; their place ``side * 64 + plane``."""
_PREPARED = 1 << 20
"""Number of the commit after which all exits are there."""
PART = 1 << 21
"""Numbers of the commits of one part."""
_NEW = struct.Struct("<qq")
_SCRATCH = 64 * 64 + 8

Words = NDArray[np.uint64]
Record = tuple[Words, NDArray[np.uint8], Words]
"""Active rows, lines and words of a plane; see ``_kernels_blocks``."""
Bounds = tuple[NDArray[np.uint8], NDArray[np.uint8], NDArray[np.uint8], NDArray[np.uint8]]
"""What captures of p0, p1, the last man and q are worth; empty where there is no such man."""


class Sets:
    """Arrays of words, in memory or in mapped files that have no name any more.

    Args:
        room: How much memory may be used.
        needs: How much is needed for what.
    """

    def __init__(self, room: Room, needs: Needs) -> None:
        self._room = room
        self._left = room.memory - needs.least
        self._mapped: dict[int, mmap.mmap] = {}
        self._count = 0
        self._set = needs.set

    def words(self, count: int) -> Words:
        """So many words, all 0."""
        if self._left >= self._set:
            self._left -= self._set
            return np.zeros(count, np.uint64)
        self._count += 1
        path = self._room.work.with_name(f"{self._room.work.name}.{os.getpid()}.{self._count}.part")
        with storage_errors(path.parent):
            handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o644)
            try:
                with suppress(OSError):
                    path.unlink()
                if hasattr(os, "posix_fallocate"):
                    os.posix_fallocate(handle, 0, 8 * count)
                else:
                    os.ftruncate(handle, 8 * count)
                mapped = mmap.mmap(handle, 8 * count)
            finally:
                os.close(handle)
        found = np.frombuffer(mapped, np.uint64)
        self._mapped[found.ctypes.data] = mapped
        return found

    def let_go(self, array: Words, first: int = 0, count: int | None = None) -> None:
        """These words are not needed for now: where they are in a file their pages count as memory no longer."""
        mapped = self._mapped.get(array.ctypes.data)
        if mapped is None or not hasattr(mmap, "MADV_DONTNEED"):
            return
        end = 8 * (len(array) if count is None else first + count)
        start = -(-8 * first // mmap.PAGESIZE) * mmap.PAGESIZE
        length = end // mmap.PAGESIZE * mmap.PAGESIZE - start
        if length > 0:
            mapped.madvise(mmap.MADV_DONTNEED, start, length)


@dataclass(slots=True)
class Planes:
    """What is solved plane by plane.

    Attributes:
        ending: Canonical name.
        metric: What codes mean.
        men: The men, laid out.
        workers: The threads.
        draws: The bytes of a draw with White and with Black to move.
        room: How much memory there is, and where the work file stands.
        tell: Told how far the solve has come.
        expected: How many layers there will be, seen from a layer with exits due up to the last.
        needs: How much memory is needed for what.
        part: The number of the slice in hand, of an ending that is solved in several.
        deep: Whether bytes do not hold what exits are worth.
    """

    ending: str
    metric: metrics.Metric
    men: Men
    workers: Workers
    draws: NDArray[np.uint8]
    room: Room
    tell: Callable[[float, Progress], None]
    expected: Callable[[int, int], int]
    needs: Needs
    part: int = 0
    deep: bool = False
    log: WorkLog = field(init=False)
    sets: Sets = field(init=False)
    state: State = field(init=False)
    layers: tuple[Layer, Layer, Layer] = field(init=False)
    pool: ThreadPoolExecutor = field(init=False)

    @property
    def planes(self) -> int:
        """Squares of the outermost man."""
        return self.men.sizeq

    @property
    def tasks(self) -> int:
        """Tasks of a plane, of one side to move."""
        return (1 if self.men.pawned else 10) * self.men.size0

    @property
    def rows(self) -> int:
        """Rows of a plane, of one side to move."""
        return self.tasks * self.men.size1

    @property
    def words(self) -> int:
        """Words of a plane, of one side to move."""
        return 64 * self.rows

    def first_word(self, side: int, q: int) -> int:
        """Where a plane begins in a set."""
        return (side * self.planes + q) * self.words

    def layer(self) -> Layer:
        """An empty layer."""
        rows = 2 * self.planes * self.rows
        return Layer(
            self.sets.words(64 * rows), np.zeros(rows, np.uint8), np.zeros(2 * self.planes * self.tasks, np.uint64)
        )

    # Records.

    def buffers(self) -> Record:
        """Room for one packed plane."""
        return np.zeros(self.tasks, np.uint64), np.zeros(self.rows, np.uint8), np.zeros(self.words, np.uint64)

    def record(self, kind: int, number: int, side: int, q: int, part: int | None = None) -> Record | None:
        """A packed plane, None where nothing is in it; of the part in hand by default."""
        data = self.log.get(kind + 2 * (self.part if part is None else part), number, 64 * side + q)
        if data is None:
            return None
        plain = zstd.decompress(data)
        rows = np.frombuffer(plain, np.uint64, self.tasks)
        count = int(np.bitwise_count(rows).sum())
        lines = np.frombuffer(plain, np.uint8, count, 8 * self.tasks)
        words = np.frombuffer(plain, np.uint64, offset=8 * self.tasks + -(-count // 8) * 8)
        return rows, lines, words

    def keep(self, kind: int, number: int, side: int, q: int, packed: Record, size: tuple[int, int]) -> None:
        """Writes a packed plane, unless nothing is in it."""
        if size[0]:
            rows, lines, words = packed
            pad = -size[0] % 8
            plain = b"".join((rows.tobytes(), lines[: size[0]].tobytes(), bytes(pad), words[: size[1]].tobytes()))
            self.log.put(kind + 2 * self.part, number, 64 * side + q, zstd.compress(plain, 1))

    def passes(self, part: int) -> list[int]:
        """The passes of a part that have found something."""
        return self.log.numbers(_FOUND + 2 * part)

    def commit(self, number: int, data: bytes = b"") -> None:
        """What has been kept of the part in hand belongs together."""
        self.log.commit(number + PART * self.part, data)

    def committed(self, number: int) -> bytes | None:
        """What was said when that was committed, None where it was not."""
        return self.log.commits.get(number + PART * self.part)

    def codes_of(self, part: int, side: int, q: int, codes: NDArray[Any]) -> None:
        """Writes to ``codes`` what the passes of a part have found in a plane: bytes, or codes."""
        dtz, draw = int(self.metric == "dtz"), self.drawn(side, codes.itemsize > 1)
        for number in self.passes(part):
            record = self.record(_FOUND, number, side, q, part)
            if record is not None:
                now = layers.plain_pass(number, dtz, draw)
                blocks.set_codes(self.men, q, *record, codes, now.code)

    def drawn(self, side: int, wide: bool) -> int:
        """The code of a draw, or its byte."""
        return DRAW if wide else int(self.draws[side])

    def is_wide(self, parts: Sequence[int]) -> bool:
        """Whether bytes do not hold what the passes of some parts have found."""
        return any(
            new and not metrics.is_held(self.ending, self.metric, number, side)
            for part in parts
            for number in self.passes(part)
            for side, new in enumerate(_NEW.unpack(self.log.commits[number + PART * part]))
        )

    # Before the first pass.

    def legal(self, checks: Layer, q: int, codes: NDArray[Any], bounds: Bounds) -> None:
        """Fills U and R of one plane, its exits, and the positions in check."""
        first = q * self.tasks
        self.workers.run(exits.prepare, self.men, self.state, codes, bounds, checks, first, first + self.tasks)

    def prepare(self, checks: Layer, bounds: Callable[[], Bounds], share: float) -> None:
        """Fills the sets, from the work file where it has the exits."""
        empty = np.zeros(0, np.uint8)
        none = empty, empty, empty, empty
        if self.committed(_PREPARED) is not None:
            for q in range(self.planes):
                self.legal(checks, q, np.zeros(0, np.uint8), none)
                self.release(q)
                self.tell(share * (q + 1) / self.planes, Progress(phase="captures"))
            self._exits_again()
            return
        found = bounds()
        codes = np.zeros(2 * self.words * 64, np.uint16 if self.deep else np.uint8)
        for q in range(self.planes):
            codes[:] = 0
            self.legal(checks, q, codes, found)
            list(self.pool.map(self._keep_exits, (0, 1), (q, q), np.split(codes, 2)))
            self.release(q)
            self.tell(share * (q + 1) / self.planes, Progress(phase="captures"))
        self.commit(_PREPARED)

    def _keep_exits(self, side: int, q: int, codes: NDArray[Any]) -> None:
        first = (side * self.planes + q) * self.tasks
        due = self.state.due[first * 256 : (first + self.tasks) * 256].reshape(-1, 256)
        packed, low = self.buffers(), np.flatnonzero(due.any(axis=0)).tolist()
        if self.deep:
            known = np.flatnonzero(np.bincount(codes)).tolist()
            # 0 is no exit, though one with its low byte may be due.
            found = [code for code in known if code and code & 255 in low and code != DRAW]
        else:
            found = [OF_BYTES[byte] for byte in low]
        for code in [*found, DRAW]:
            size = blocks.pack_exits(self.men, self.state, codes, side, q, code, *packed)
            self.keep(_EXITS, code, side, q, packed, size)

    def _exits_again(self) -> None:
        for code in self.log.numbers(_EXITS + 2 * self.part):
            for side in (0, 1):
                for q in range(self.planes):
                    record = self.record(_EXITS, code, side, q)
                    if record is None:
                        continue
                    if code != DRAW:
                        blocks.note_rows((side * self.planes + q) * self.tasks, code, record[0], self.state.due)
                    self.spread(q, record)
                    blocks.join(self.first_word(side, q), self.state.fallen, self.state.better, False)
                    self.release(q)

    @property
    def last_due(self) -> int:
        """The last layer in which an exit is due, 0 when none is."""
        found = [code for code in self.log.numbers(_EXITS + 2 * self.part) if code != DRAW]
        if self.metric == "dtz":
            return max((1 if code in (1, 0xFFFF) else HORIZON + 1 for code in found), default=0)
        return max((value_of(code)[1] or 0 for code in found), default=0)

    def spread(self, q: int, record: Record) -> None:
        """Puts a record of exits to where passes look for those that are due."""
        self.state.fallen[:] = 0
        blocks.spread(self.men, q, *record, self.state.fallen)

    def release(self, q: int, *more: Words) -> None:
        """A plane is done with for now."""
        for array in (self.state.undecided, self.state.not_won, self.state.better, *more):
            for side in (0, 1):
                self.sets.let_go(array, self.first_word(side, q), self.words)

    # Passes.

    def run_pass(self, number: int, source: Layer, out: Layer) -> list[int]:
        """Runs one pass, or puts it back; returns how many positions of each side to move are new."""
        known = self.committed(number)
        own = [(np.zeros(_SCRATCH, np.uint64), np.zeros(2, np.int64)) for _ in range(self.workers.threads)]
        dtz = int(self.metric == "dtz")
        for side in (0, 1):
            now = layers.plain_pass(number, dtz, int(self.draws[side]))
            for q in range(self.planes):
                record = self.record(_EXITS, now.due, side, q) if now.due else None
                if record is not None:
                    self.spread(q, record)
                    if now.losing:
                        blocks.join(self.first_word(side, q), self.state.fallen, self.state.better, True)
                elif self.deep or number > 255:  # another exit with the same low byte may stand there
                    self.state.fallen[:] = 0
                if known is not None:
                    self._put_back(number, side, q, out)
                else:
                    first = (side * self.planes + q) * self.tasks
                    self.workers.run(
                        layers.solve_layer, self.men, self.state, source, out, number, dtz, self.draws,
                        first, first + self.tasks, own=own,
                    )  # fmt: skip
                self.release_side(side, q, out)
            self.sets.let_go(source.words)
            self.sets.let_go(self.state.not_won)
        if known is not None:
            return list(_NEW.unpack(known))
        new = [sum(int(found[side]) for _, found in own) for side in (0, 1)]
        places = [(side, q) for side in (0, 1) if new[side] for q in range(self.planes)]
        list(self.pool.map(self._keep_found, [(number, out, *place) for place in places]))
        self.commit(number, _NEW.pack(*new))
        return new

    def release_side(self, side: int, q: int, out: Layer) -> None:
        """A plane with one side to move is done with in this pass."""
        first = self.first_word(side, q)
        for array in (self.state.undecided, self.state.better, out.words):
            self.sets.let_go(array, first, self.words)

    def _put_back(self, number: int, side: int, q: int, out: Layer) -> None:
        blocks.clear(self.men, out, side, q)
        record = self.record(_FOUND, number, side, q)
        if record is not None:
            blocks.restore(self.men, self.state, out, side, q, number & 1, *record)

    def _keep_found(self, what: tuple[int, Layer, int, int]) -> None:
        number, out, side, q = what
        packed = self.buffers()
        size = blocks.pack(self.men, out, side, q, *packed)
        self.keep(_FOUND, number, side, q, packed, size)
        self.sets.let_go(out.words, self.first_word(side, q), self.words)

    def solve(self, bounds: Callable[[], Bounds], shares: Sequence[float]) -> Solved:
        """Solves the ending.

        Args:
            bounds: What captures are worth.
            shares: Work before the first pass, and of the passes.
        """
        self.start()
        self.solve_part(bounds, shares)
        return self._solved()

    def start(self) -> None:
        """Opens the work file, and makes room for the sets."""
        self.pool = ThreadPoolExecutor(self.workers.threads)
        self.log = WorkLog(self.room.work, stamp(self.ending, self.metric, self.room.sources))
        self.sets = Sets(self.room, self.needs)
        words = 2 * self.planes * self.words
        won, lost = self.layer(), self.layer()
        before = self.layer() if self.metric == "dtz" else lost
        self.state = State(
            not_won=self.sets.words(words), undecided=self.sets.words(words), better=self.sets.words(words),
            codes=np.zeros(0, np.uint8), due=np.zeros(2 * self.planes * self.tasks * 256, np.uint64),
            pawns=np.zeros(1, np.uint64), fallen=np.zeros(self.words, np.uint64),
        )  # fmt: skip
        self.layers = won, lost, before

    def solve_part(self, bounds: Callable[[], Bounds], shares: Sequence[float]) -> None:
        """Fills the sets and runs all passes; see :meth:`solve`."""
        won, lost, before = self.layers
        self.prepare(won, bounds, shares[0])
        dtz = self.metric == "dtz"
        last = self.last_due
        n = 0
        while True:
            new = [0, 0]
            for number in (2 * n, 2 * n + 1) if dtz else (n,):
                if number % 2:
                    found = self.run_pass(number, before, won)
                else:
                    found = self.run_pass(number, won, before)
                    lost, before = before, lost
                if number == 0:
                    self._forget(won)
                new = [a + b for a, b in zip(new, found, strict=True)]
            if not any(new) and n >= last:
                return
            to_come = 1 - (n + 1) / (self.expected(n, last) + 1)
            self.tell(shares[0] + shares[1] * (1 - to_come**2), Progress(n, *new))
            n = n + 1 if any(new) or not n or not dtz else last

    def _forget(self, checks: Layer) -> None:
        """Empties the positions in check, which have no lines."""
        for side in (0, 1):
            for q in range(self.planes):
                first = self.first_word(side, q)
                checks.words[first : first + self.words] = 0
                self.sets.let_go(checks.words, first, self.words)
        checks.rows[:] = 0

    # The table.

    def _solved(self) -> Solved:
        wide = self.is_wide([0])
        missing = empty_counts(wide)

        def chunks(side: int) -> Iterator[tuple[NDArray[Any], Words]]:
            own = [(empty_counts(wide).reshape(-1),) for _ in range(self.workers.threads)]
            half = self.state.undecided[side * self.planes * self.words :][: self.planes * self.words]
            codes = np.zeros(self.words * 64, np.uint16 if wide else np.uint8)
            for q in range(self.planes):
                codes[:] = 0
                self.codes_of(0, side, q, codes)
                first = q * self.tasks
                self.workers.run(
                    slices.finish,
                    self.men,
                    half,
                    codes,
                    side,
                    self.drawn(side, wide),
                    first,
                    first + self.tasks,
                    own=own,
                )
                yield codes, half[q * self.words : (q + 1) * self.words]
                self.sets.let_go(self.state.undecided, self.first_word(side, q), self.words)
            missing[:] += 4 * np.sum([counts for (counts,) in own], axis=0).reshape(missing.shape)

        return Solved(copies=8, missing=missing, chunks=chunks, wide=wide, done=self.done)

    def done(self) -> None:
        """The table is safe: lets go of everything."""
        self.log.remove()
        self.pool.shutdown()
        self.workers.close()


def empty_counts(wide: bool) -> NDArray[np.int64]:
    """Counts by side to move and by byte, or by code."""
    return np.zeros((2, 1 << 16 if wide else 1 << 8), np.int64)


def stamp(ending: str, metric: str, sources: Sequence[str]) -> str:
    """What a work file is for: an ending, and the sub-endings that it is made from."""
    return " ".join(["blocks-2", ending, metric, *sources])

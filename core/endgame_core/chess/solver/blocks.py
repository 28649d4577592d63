"""Solves an ending without pawns in bounded memory, and goes on where an earlier solve of it has ended.

The passes are those of ``solve``, but D is not held: what a pass finds is written to a work file, plane by plane, and
the codes of a plane are put together when its table is written. The exits are there, too, by the passes in which they
are due. The sets are held in memory as far as it is allowed; the rest are mapped files, of which only the planes in
hand count. A pass reads the newest layer and R of one side to move at a time, wherever the outermost man stands: that
is the least there must be room for.

Nothing here is bound to what a byte holds: a table whose passes have found more is wide.

A pass that the work file knows is not solved: what all of them have found is put back from there at once.

What passes have found apart takes several times as much as their codes together. So the work file is *folded* whenever
it has grown by a part of what it holds (see ``worklog``): the newest passes of a plane become one record of codes, with
such older ones as are no larger than they, and the exits that have been due are dropped.
"""

from __future__ import annotations

import mmap
import os
import struct
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
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
from endgame_core.values import BYTE_DRAW, DRAW, HORIZON, OF_BYTES

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

_EXITS, _FOUND, _FOLDED = 0, 1, 2
"""Kinds of records: exits that are due in some passes that follow each other, what a pass has found, and what several
have. Their number is the first of the passes, but of exits how often there are :data:`_TOGETHER` before it; their place
is ``side * 64 + plane``."""
_TOGETHER = 32
"""Passes whose exits are one record: a pass reads those of all."""
_KINDS = 3
"""Kinds of records of one part."""
PREPARED = 1 << 20
"""Number of the commit after which all exits are there."""
SOLVED = PREPARED + 1
"""Number of the commit after which a part is solved."""
PART = 1 << 21
"""Numbers of the commits of one part."""
_NEW = struct.Struct("<qq")
_SIZES = struct.Struct("<HQ")
"""How many passes a record is of, and the bytes of its rows, lines and words, compressed; the passes follow."""
_MOST_TOGETHER = 255
"""Passes that one record can be of."""
_GROWN = 3
"""The work file is folded when it is as large as this part of what has been folded."""
_PRUNED = 3
"""Of so many folds one looks for exits of positions that are decided."""
_SCRATCH = 64 * 64 + 8
_READ = 3
"""Passes that a pass to come may read: those whose layers are alive."""

Words = NDArray[np.uint64]
_NO_WORDS: Words = np.zeros(0, np.uint64)
Packed = tuple[Words, NDArray[np.uint8], Words]
"""Active rows, lines and words of a plane; see ``_kernels_blocks``."""
Record = tuple[Words, NDArray[np.uint8], Words, NDArray[np.uint8]]
"""The same, and which of several passes each position is of."""
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
        last: The last pass in which an exit is due.
        solving: The part whose undecided positions the sets hold; -1 while they hold those of none.
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
    last: int = field(init=False, default=0)
    solving: int = field(init=False, default=-1)
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

    def buffers(self) -> Packed:
        """Room for one packed plane."""
        return np.zeros(self.tasks, np.uint64), np.zeros(self.rows, np.uint8), np.zeros(self.words, np.uint64)

    def packed(self, data: bytes) -> Packed:
        """Rows, lines and words of a compressed record."""
        plain = zstd.decompress(data)
        rows = np.frombuffer(plain, np.uint64, self.tasks)
        count = int(np.bitwise_count(rows).sum())
        lines = np.frombuffer(plain, np.uint8, count, 8 * self.tasks)
        words = np.frombuffer(plain, np.uint64, offset=8 * self.tasks + -(-count // 8) * 8)
        return rows, lines, words

    def compressed(self, packed: Packed, size: tuple[int, int]) -> bytes:
        """A packed plane of so many rows and words, as a record has it."""
        rows, lines, words = packed
        pad = bytes(-size[0] % 8)
        return zstd.compress(b"".join((rows.tobytes(), lines[: size[0]].tobytes(), pad, words[: size[1]].tobytes())), 1)

    def keep(self, kind: int, number: int, side: int, q: int, data: bytes) -> None:
        """Writes a record of the part in hand."""
        self.log.put(kind + _KINDS * self.part, number, 64 * side + q, data)

    def several(
        self, passes: Sequence[int], out: Packed, pack: Callable[[int, int, NDArray[np.int64], NDArray[np.uint8]], int]
    ) -> bytes:
        """One record of several passes, empty where nothing is in it.

        Args:
            passes: The passes.
            out: What is packed.
            pack: Packs some tasks, from one to another: is given how many lines and words there are already, and room
                for the numbers of the passes, of which it returns how many there are.
        """
        size, packer, which = np.zeros(2, np.int64), zstd.ZstdCompressor(1), list[bytes]()
        some = min(self.tasks, 64)
        room = np.empty(some * self.men.size1 * 4096, np.uint8)
        for first in range(0, self.tasks, some):
            count = pack(first, min(first + some, self.tasks), size, room)
            which.append(packer.compress(room[:count].tobytes()))
        if not size[0]:
            return b""
        which.append(packer.flush())
        packed = self.compressed(out, (int(size[0]), int(size[1])))
        head = _SIZES.pack(len(passes), len(packed)) + np.array(passes, np.int32).tobytes()
        return b"".join((head, packed, *which))

    def passes(self, part: int) -> list[int]:
        """The passes of a part that have found something."""
        return [number for number in self.done_of(part) if any(_NEW.unpack(self.log.commits[number + PART * part]))]

    def done_of(self, part: int) -> list[int]:
        """The passes of a part that are done, ascending."""
        first = PART * part
        return sorted(number - first for number in self.log.commits if first <= number < first + PREPARED)

    def commit(self, number: int, data: bytes = b"") -> None:
        """What has been kept of the part in hand belongs together."""
        self.log.commit(number + PART * self.part, data)

    def committed(self, number: int) -> bytes | None:
        """What was said when that was committed, None where it was not."""
        return self.log.commits.get(number + PART * self.part)

    def found(self, part: int, side: int, q: int) -> Iterator[tuple[list[int], Record]]:
        """What passes of a part have found in a plane: records, and the passes that each is of."""
        place = 64 * side + q
        for kind in (_FOLDED, _FOUND):
            for number in self.log.numbers(kind + _KINDS * part, place):
                yield self._read(kind, number, self.log.get(kind + _KINDS * part, number, place) or b"")

    def _read(self, kind: int, number: int, data: bytes) -> tuple[list[int], Record]:
        if kind % _KINDS == _FOUND:
            return [number], (*self.packed(data), np.zeros(0, np.uint8))
        passes, (count, length) = passes_of(data), _SIZES.unpack_from(data)
        at = _SIZES.size + 4 * count
        which = np.frombuffer(zstd.decompress(data[at + length :]), np.uint8)
        return passes, (*self.packed(data[at : at + length]), which)

    def codes_of(self, part: int, side: int, q: int, codes: NDArray[Any]) -> None:
        """Writes to ``codes`` what the passes of a part have found in a plane: bytes, or codes."""
        dtz, draw = int(self.metric == "dtz"), self.drawn(side, codes.itemsize > 1)
        for passes, record in self.found(part, side, q):
            means = by_pass([layers.plain_pass(number, dtz, draw).code for number in passes], np.uint16)
            blocks.set_codes(self.men, q, *record, means.astype(codes.dtype), codes)

    # Folding.

    @property
    def folders(self) -> int:
        """Threads that fold at the same time: all of them take no more than a set that a pass reads.

        Each has the codes of a plane twice, and its words three times.
        """
        return max(1, min(self.workers.threads, self.needs.set // (152 * self.words)))

    def fold(self) -> None:
        """Folds the work file."""

        def fold_place(place: int) -> list[tuple[int, int, int, bytes]]:
            return list(self._fold_place(place))

        with ThreadPoolExecutor(self.folders) as pool:

            def records(places: Iterable[int]) -> Iterator[tuple[int, int, int, bytes]]:
                for some in pool.map(fold_place, places):
                    yield from some

            self.log.fold(records)

    def _fold_place(self, place: int) -> Iterator[tuple[int, int, int, bytes]]:
        """All records of a place as they are after a fold."""
        for kind in self.log.kinds(place):
            part, what = divmod(kind, _KINDS)
            if what == _EXITS and part * PART + SOLVED not in self.log.commits:
                due = [-1, *self.done_of(part)][-1] + 1
                for number in self.log.numbers(kind, place):
                    if due < (number + 1) * _TOGETHER:
                        data = self.log.get(kind, number, place) or b""
                        yield kind, number, place, self._open_exits(part, place, data)
        for part in sorted({kind // _KINDS for kind in self.log.kinds(place)}):
            yield from self._fold_found(part, place)

    def _open_exits(self, part: int, place: int, data: bytes) -> bytes:
        """A record of exits without those of positions that are decided, where the sets tell of them."""
        if self.solving != part or (self.log.folds + 1) % _PRUNED:
            return data
        first = self.first_word(place >> 6, place % 64)
        only = self.state.undecided[first : first + self.words]
        _, some = self._together(place % 64, [self._read(_EXITS, 0, data)], only)
        self.sets.let_go(self.state.undecided, first, self.words)
        return some

    def _fold_found(self, part: int, place: int) -> Iterator[tuple[int, int, int, bytes]]:
        old, new = (
            [(kind, number, self.log.get(kind + _KINDS * part, number, place) or b"") for number in numbers]
            for kind in (_FOLDED, _FOUND)
            for numbers in [self.log.numbers(kind + _KINDS * part, place)]
        )
        size, passes = sum(len(data) for *_, data in new), len(new)
        while old and new and len(old[-1][2]) <= size:
            passes += _SIZES.unpack_from(old[-1][2])[0]
            if passes > _MOST_TOGETHER:
                break
            size += len(old[-1][2])
            new.insert(0, old.pop())
        new, left = new[:_MOST_TOGETHER], new[_MOST_TOGETHER:]
        if len(new) == 1:
            new, left = [], new + left
        for kind, number, data in old + left:
            yield kind + _KINDS * part, number, place, data
        if new:
            number, data = self._together(place % 64, (self._read(*record) for record in new))
            yield _FOLDED + _KINDS * part, number, place, data

    def _together(
        self, q: int, found: Iterable[tuple[list[int], Record]], only: Words = _NO_WORDS
    ) -> tuple[int, bytes]:
        """One record of several of a plane, of all positions or of some ``only``; and the first of its passes."""
        (rows, lines, words), out = self.buffers(), self.buffers()
        codes, passes = np.empty(64 * self.words, np.uint8), list[int]()
        for some, record in found:
            means = np.arange(len(passes), len(passes) + 256, dtype=np.uint16).astype(np.uint8)
            passes += some
            blocks.gather_rows(self.men, q, *record[:3], rows, lines, words)
            blocks.set_codes(self.men, q, *record, means, codes)

        def pack(first: int, end: int, size: NDArray[np.int64], room: NDArray[np.uint8]) -> int:
            return blocks.pack_codes(
                self.men, q, first, end, size, rows, lines, words, codes, only, out[1], out[2], room
            )

        return passes[0], self.several(passes, (rows, *out[1:]), pack)

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
        """Fills the sets; as they are after the passes that the work file knows."""
        found = bounds()
        codes = np.zeros(2 * self.words * 64, np.uint16 if self.deep else np.uint8)
        self.last = 0
        for q in range(self.planes):
            codes[:] = 0
            self.legal(checks, q, codes, found)
            self.last = max(self.last, *self.pool.map(self._keep_exits, (0, 1), (q, q), np.split(codes, 2)))
            self.release(q)
            self.tell(share * (q + 1) / self.planes, Progress(phase="captures"))
        if self.committed(PREPARED) is None:
            self.commit(PREPARED)
        else:
            self._put_back()

    def _keep_exits(self, side: int, q: int, codes: NDArray[Any]) -> int:
        """Writes the exits of a plane, where they are not known; returns the last pass in which one is due."""
        first = (side * self.planes + q) * self.tasks
        due = self.state.due[first * 256 : (first + self.tasks) * 256].reshape(-1, 256)
        low = np.flatnonzero(due.any(axis=0)).tolist()
        if self.deep:
            known = np.flatnonzero(np.bincount(codes)).tolist()
            # 0 is no exit, though one with its low byte may be due.
            found = [code for code in known if code and code & 255 in low and code != DRAW]
        else:
            found = [OF_BYTES[byte] for byte in low]
        blocks.note_better(self.first_word(side, q), self.state.undecided, codes, self._limit, self.state.better)
        passes = sorted((self._pass_of(code), code) for code in found)
        for number in sorted({due // _TOGETHER for due, _ in passes}) if self.committed(PREPARED) is None else ():
            here = [(due, code) for due, code in passes if due // _TOGETHER == number]
            numbers = np.zeros(1 << 8 * codes.itemsize, np.uint8)
            some = np.array([code for _, code in here], np.int64)
            numbers[some & (len(numbers) - 1)] = range(1, len(some) + 1)
            data = self._packed_exits(side, q, codes, [due for due, _ in here], some, numbers)
            if data:
                self.keep(_EXITS, number, side, q, data)
        return max((due for due, _ in passes), default=0)

    def _packed_exits(
        self, side: int, q: int, codes: NDArray[Any], passes: list[int], some: NDArray[np.int64],
        numbers: NDArray[np.uint8],
    ) -> bytes:  # fmt: skip
        """A record of exits that are worth some codes, and due in some passes."""
        out = self.buffers()

        def pack(first: int, end: int, size: NDArray[np.int64], room: NDArray[np.uint8]) -> int:
            return blocks.pack_exits(self.men, self.state, codes, side, q, some, numbers, first, end, size, *out, room)

        return self.several(passes, out, pack)

    def _pass_of(self, code: int) -> int:
        """The pass in which an exit that is worth a code is due."""
        if self.metric == "dtm":
            return 2 * code if code < DRAW else 2 * (0xFFFF - code) + 1
        n = 1 if code in (1, 0xFFFF) else HORIZON + 1
        return 2 * n if code < DRAW else 2 * n + 1

    @property
    def _limit(self) -> int:
        """The best exit that a loss may have that is found by now."""
        dtz = int(self.metric == "dtz")
        limits = (layers.plain_pass(number, dtz, DRAW).limit for number in self.done_of(self.part) if not number % 2)
        limit = max(limits, default=0)
        return limit if self.deep else min(limit, BYTE_DRAW - 1)

    def due(self, number: int, side: int, q: int) -> bool:
        """Whether a pass has exits in a plane; puts them to where it looks for them."""
        kind, place = _EXITS + _KINDS * self.part, 64 * side + q
        data = self.log.get(kind, number // _TOGETHER, place)
        passes = [] if data is None else passes_of(data)
        if number not in passes:
            return False
        _, record = self._read(kind, number, data or b"")
        self.state.fallen[:] = 0
        blocks.spread(self.men, q, by_pass([due == number for due in passes]), *record, self.state.fallen)
        return True

    def _put_back(self) -> None:
        """Takes from the sets all that passes have found."""
        for side in (0, 1):
            for q in range(self.planes):
                self._restore(side, q, self.layers[0])
                self.release_side(side, q, self.layers[0])
            self.sets.let_go(self.state.not_won)

    def _restore(self, side: int, q: int, out: Layer, number: int = -1) -> None:
        """The same in one plane; the positions of one pass go to an empty layer."""
        for passes, record in self.found(self.part, side, q):
            if number < 0 or number in passes:
                picks, won = by_pass([some == number for some in passes]), by_pass([some % 2 for some in passes])
                blocks.restore(self.men, self.state, out, side, q, picks, won, *record)

    def release(self, q: int, *more: Words) -> None:
        """A plane is done with for now."""
        for array in (self.state.undecided, self.state.not_won, self.state.better, *more):
            for side in (0, 1):
                self.sets.let_go(array, self.first_word(side, q), self.words)

    # Passes.

    def run_pass(self, number: int, source: Layer, out: Layer) -> list[int]:
        """Runs one pass, or puts it back; returns how many positions of each side to move are new."""
        known = self.committed(number)
        if known is not None:
            self._known_pass(number, source, out)
            return list(_NEW.unpack(known))
        own = [(np.zeros(_SCRATCH, np.uint64), np.zeros(2, np.int64)) for _ in range(self.workers.threads)]
        dtz = int(self.metric == "dtz")
        for side in (0, 1):
            now = layers.plain_pass(number, dtz, int(self.draws[side]))
            for q in range(self.planes):
                if now.due and self.due(number, side, q):
                    if now.losing:
                        blocks.take(self.first_word(side, q), self.state.fallen, self.state.better)
                elif self.deep or number > 255:  # another exit with the same low byte may stand there
                    self.state.fallen[:] = 0
                first = (side * self.planes + q) * self.tasks
                self.workers.run(
                    layers.solve_layer, self.men, self.state, source, out, number, dtz, self.draws,
                    first, first + self.tasks, own=own,
                )  # fmt: skip
                self.release_side(side, q, out)
            self.sets.let_go(source.words)
            self.sets.let_go(self.state.not_won)
        self.solving = self.part
        new = [sum(int(found[side]) for _, found in own) for side in (0, 1)]
        places = [(side, q) for side in (0, 1) if new[side] for q in range(self.planes)]
        list(self.pool.map(self._keep_found, [(number, out, *place) for place in places]))
        self.commit(number, _NEW.pack(*new))
        grown, folded = self.log.size
        if grown > max(self.needs.set // 16, folded // _GROWN):
            self.fold()
        return new

    def _known_pass(self, number: int, source: Layer, out: Layer) -> None:
        """Puts back what a pass has found that is known, if a pass to come reads it."""
        for side in (0, 1) if number in self.done_of(self.part)[-_READ:] else ():
            for q in range(self.planes):
                blocks.clear(self.men, out, side, q)
                self._restore(side, q, out, number)
                self.release_side(side, q, out)
            self.sets.let_go(source.words)
            self.sets.let_go(self.state.not_won)

    def release_side(self, side: int, q: int, out: Layer) -> None:
        """A plane with one side to move is done with in this pass."""
        first = self.first_word(side, q)
        for array in (self.state.undecided, self.state.better, out.words):
            self.sets.let_go(array, first, self.words)

    def _keep_found(self, what: tuple[int, Layer, int, int]) -> None:
        number, out, side, q = what
        packed = self.buffers()
        size = blocks.pack(self.men, out, side, q, *packed)
        if size[0]:
            self.keep(_FOUND, number, side, q, self.compressed(packed, size))
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
        if self.log.is_folding:
            self.fold()
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
        last = self.last // 2 if dtz else self.last
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


def passes_of(data: bytes) -> list[int]:
    """The passes of a record of several."""
    return np.frombuffer(data, np.int32, _SIZES.unpack_from(data)[0], _SIZES.size).tolist()


def by_pass(told: Sequence[int], kind: type[np.integer[Any]] = np.uint8) -> NDArray[Any]:
    """What is told of each of some passes, in its place among them from 1 on; 0 in all other of 256 places."""
    found = np.zeros(256, kind)
    found[1 : len(told) + 1] = told
    return found


def stamp(ending: str, metric: str, sources: Sequence[str]) -> str:
    """What a work file is for: an ending, and the sub-endings that it is made from."""
    return " ".join(["blocks-3", ending, metric, *sources])

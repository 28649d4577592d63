"""The records of a solve in bounded memory: exits by the pass in which they are due, and what each pass decided.

A record belongs to a side to move and a plane. Of a plane it stores the rows, lines, words and bytes that are not empty
(see ``_kernels_blocks``), compressed by zstd. There are three kinds:

- *exits* that are due in up to 32 consecutive passes, written once before the first pass;
- the *positions* that one pass has decided in this plane;
- *folded* positions, those of several passes in one record.

**The key of a record** is (kind, number, place): the number is the first of its passes, the place is ``side * 64 +
plane``. An ending with one pawn has all of its slices in one work file: each is a *part*, and part p has the kinds from
3 p on. Commits are numbered ``pass + (part << 21)``; behind the passes come ``PREPARED`` (all exits of the part are
written) and ``SOLVED``.

**Resuming** needs nothing else. A committed pass is not solved again: its positions are taken out of U and R. Those of
the last passes, which the next one reads, go into the layers as well.

**Folding.** The records of all passes together take more space than the final codes, as each names its rows and lines
again. So a work file is *folded* as it grows, one of its sixteen files at a time (see ``work_log``), the one first
that has grown most. A fold merges the newest records of a plane into one, together with older ones that are not much
larger: as in a log-structured merge tree, each position is copied a few times only. It also drops exits that have been
due, and now and then those of positions that have been decided.
"""

from __future__ import annotations

import struct
import sys
from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from endgame_core.chess import metrics
from endgame_core.chess.solver import _kernels_blocks as block_kernels
from endgame_core.chess.solver import _kernels_layers as layer_kernels
from endgame_core.chess.solver._kernels_board import Men
from endgame_core.metric import DTZ, Metric
from endgame_core.tables.work_log import WorkLog
from endgame_core.values import DRAW

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

_EXITS = 0
"""Kind of the records of exits."""
_POSITIONS = 1
"""Kind of the records of positions that one pass has decided."""
_FOLDED = 2
"""Kind of the records of positions that several passes have decided."""
_KINDS = 3
"""Kinds of records of one part."""
EXIT_PASSES = 32
"""Passes whose exits are one record: a pass that reads its exits reads those of all."""
FEW_EXIT_PASSES = 2
"""The same where that record would be large."""
_LARGE = 1 << 22
"""Bytes of a record of exits from which on it is divided."""
_ROW_BYTES = 1 + 8 + 64 + 512
"""Bytes that a row takes at most: the bits of its lines, of their words and of their bytes, and all bytes."""
_FAST, _SMALL = 1, 3
"""Levels of zstd: of records that are soon read or folded, and of those that stay to the end."""
_MERGED_TASKS = 64
"""Tasks whose records are merged at a time."""
PREPARED = 1 << 20
"""Number of the commit after which all exits of a part are written."""
SOLVED = PREPARED + 1
"""Number of the commit after which a part is solved."""
_PART = 1 << 21
"""Numbers of the commits of one part."""
_NEW = struct.Struct("<qq")
"""The data of the commit of a pass: how many positions of each side to move it has decided."""
_SIZES = struct.Struct("<HQ")
"""The head of a record of several passes: how many, and the compressed bytes of its rows and lines.

The passes follow as int32, then rows and lines, then the numbers of the passes, both compressed by zstd.
"""
_MAX_PASSES = 255
"""Passes that one record can have: their numbers are bytes, and 0 is none."""
_GROWN = 12
"""A work file is folded when it has grown by this part (a twelfth) of its folded bytes."""
_LARGER = 4
"""A fold merges an older record with newer ones if it is at most this many times larger than these together."""
_FEWER = 0.95
"""Exits of decided positions are dropped once this part of the positions is left that were undecided the last time."""

Words = NDArray[np.uint64]
Packed = tuple[Words, NDArray[np.uint8]]
"""Rows and lines of a packed plane; see ``_kernels_blocks``."""
Record = tuple[Words, NDArray[np.uint8], NDArray[np.uint8]]
"""Rows, lines, and the number of the pass of each position (empty where there is one pass)."""
Undecided = Callable[[int], AbstractContextManager[Words]]
"""Opens the undecided positions at a place, of the part that is being solved; all parts before it are solved."""


@dataclass(slots=True)
class Records:
    """The records of an ending, or of its parts, the slices.

    Attributes:
        ending: Canonical name.
        metric: What codes mean.
        men: The pieces, laid out.
        draws: The bytes of a draw with White and with Black to move.
        log: The work file.
        undecided_counts: By part and place, how many positions were undecided when decided ones were last dropped from
            its exits.
        spare: Bytes that unpacked exits may still take: a record is read by several passes, one after another.
    """

    ending: str
    metric: Metric
    men: Men
    draws: NDArray[np.uint8]
    log: WorkLog
    undecided_counts: dict[tuple[int, int], int] = field(default_factory=dict[tuple[int, int], int])
    spare: int = 0
    _cached: dict[int, tuple[tuple[int, int], tuple[list[int], Record]]] = field(
        init=False, default_factory=dict[int, Any]
    )

    # Passes.

    def commit(self, part: int, number: int, new: Sequence[int] = ()) -> None:
        """Commits the records that were written; ``new`` has a pass's counts of positions by side to move."""
        self.log.commit(number + _PART * part, _NEW.pack(*new) if new else b"")

    def is_committed(self, part: int, number: int) -> bool:
        """Whether a pass, ``PREPARED`` or ``SOLVED`` has been committed."""
        return number + _PART * part in self.log.commits

    def new(self, part: int, number: int) -> list[int]:
        """How many positions of each side to move a committed pass has decided."""
        return list(_NEW.unpack(self.log.commits[number + _PART * part]))

    def done(self, part: int) -> list[int]:
        """Lists the committed passes of a part, ascending."""
        first = _PART * part
        return sorted(number - first for number in self.log.commits if first <= number < first + PREPARED)

    def passes(self, part: int) -> list[int]:
        """Lists the passes of a part that have decided any positions."""
        return [number for number in self.done(part) if any(self.new(part, number))]

    def is_wide(self, parts: Sequence[int]) -> bool:
        """Whether the passes of some parts have found values that a byte does not hold."""
        return any(
            new and not metrics.is_held(self.ending, self.metric, number, side)
            for part in parts
            for number in self.passes(part)
            for side, new in enumerate(self.new(part, number))
        )

    # Exits.

    def keep_exits(self, part: int, side: int, q: int, passes: Sequence[int], data: bytes) -> bool:
        """Writes the exits of a plane that are due in some passes as one record, unless it should be divided.

        Args:
            part: The part.
            side: Side to move.
            q: The plane.
            passes: The passes, ascending.
            data: The record; empty where there are no exits.

        Returns:
            Whether they are written: False where the record is large and its passes reach over :data:`FEW_EXIT_PASSES`.
        """
        # Divided records end at fixed passes, so that those of all planes are read by the same passes.
        if len(data) > _LARGE and passes[0] // FEW_EXIT_PASSES != passes[-1] // FEW_EXIT_PASSES:
            return False
        if data:
            self.log.put(_EXITS + _KINDS * part, passes[0], 64 * side + q, data)
        return True

    def exits(self, part: int, number: int, side: int, q: int) -> tuple[list[int], Record] | None:
        """Reads the record of a plane's exits that may have those due in a pass.

        It may also have positions that were decided since it was written.

        Returns:
            Its passes, and the record; None where there is none.
        """
        kind = _EXITS + _KINDS * part
        place = 64 * side + q
        numbers = self.log.numbers(kind, place)
        # A record is found by the first of its passes: the last one that does not begin behind the pass.
        at = bisect_right(numbers, number)
        if not at:
            return None
        key = kind, numbers[at - 1]
        if place in self._cached and self._cached[place][0] != key:
            self._evict(place)
        if place not in self._cached:
            data = self.log.get(*key, place)
            if not data:
                return None
            self._cached[place] = key, self._read(_EXITS, number, data)
            self.spare -= self._size(place)
        passes, record = self._cached[place][1]
        # No later pass reads it, or there is no memory to keep it unpacked.
        if number == passes[-1] or self.spare < 0:
            self._evict(place)
        return passes, record

    def _size(self, place: int) -> int:
        """Bytes of the unpacked exits of a place."""
        return sum(array.nbytes for array in self._cached[place][1][1])

    def _evict(self, place: int) -> None:
        self.spare += self._size(place)
        del self._cached[place]

    # Positions.

    def keep_positions(self, part: int, number: int, side: int, q: int, pack: Callable[[Packed], int]) -> None:
        """Writes the positions that a pass has decided in a plane.

        Args:
            part: The part.
            number: The pass.
            side: Side to move.
            q: The plane.
            pack: Packs them into rows and lines; returns how many bytes of lines are used.
        """
        out = self._buffers()
        if size := pack(out):
            self.log.put(_POSITIONS + _KINDS * part, number, 64 * side + q, _compressed(out, size))

    def positions(self, part: int, side: int, q: int, only: int | None = None) -> Iterator[tuple[list[int], Record]]:
        """Reads the positions that passes of a part have decided in a plane.

        Args:
            part: The part.
            side: Side to move.
            q: The plane.
            only: Read only the records that may have this pass: one of each kind, as records hold consecutive passes.

        Yields:
            The passes of a record, and the record.
        """
        place = 64 * side + q
        for kind in (_FOLDED, _POSITIONS):
            numbers = self.log.numbers(kind + _KINDS * part, place)
            if only is not None:
                # The last record that begins with this pass or before.
                numbers = numbers[: bisect_right(numbers, only)][-1:]
            for number in numbers:
                yield self._read(kind, number, self.log.get(kind + _KINDS * part, number, place) or b"")

    def codes(self, part: int, side: int, q: int, codes: NDArray[Any]) -> None:
        """Writes the values of all positions that a part has decided in a plane to ``codes``: bytes, or codes."""
        dtz = int(self.metric == DTZ)
        draw = self.draw_code(side, codes.itemsize > 1)
        for passes, record in self.positions(part, side, q):
            codes_by_number = by_pass(
                [layer_kernels.plain_pass(number, dtz, draw).code for number in passes], np.uint16
            )
            block_kernels.set_codes(self.men, *record, codes_by_number.astype(codes.dtype), codes)

    def draw_code(self, side: int, wide: bool) -> int:
        """The code of a draw, or its byte."""
        if wide:
            return DRAW
        return int(self.draws[side])

    # What a record is.

    def _buffers(self) -> Packed:
        """Room for one packed plane, of its largest size."""
        men = self.men
        return np.empty(men.tasks, np.uint64), np.empty(men.rows * _ROW_BYTES, np.uint8)

    def begin(self, passes: Sequence[int], level: int = _FAST) -> RecordBuilder:
        """Begins a record of several passes of a plane."""
        return RecordBuilder(self.men, passes, *self._buffers(), level)

    def _packed(self, packed: bytes) -> Packed:
        plain = zstd.decompress(packed)
        tasks = self.men.tasks
        return np.frombuffer(plain, np.uint64, tasks), np.frombuffer(plain, np.uint8, offset=8 * tasks)

    def _read(self, kind: int, number: int, data: bytes) -> tuple[list[int], Record]:
        passes, packed, which = _split(kind, number, data)
        return passes, (*self._packed(packed), np.frombuffer(which, np.uint8))

    # Folding.

    def has_grown(self, least: int, disk: int) -> bool:
        """Whether it is time to fold.

        Args:
            least: Bytes that must be new in any case.
            disk: Bytes that the work file may have: up to these it grows without folding.
        """
        grown, folded = self.log.size
        # Not below `least`; not while the disk has room; and not until a twelfth of the folded bytes is new, so that
        # folding costs a fixed share of the bytes written.
        return grown > max(least, folded // _GROWN, disk - folded)

    def fold(self, threads: int, undecided: Undecided) -> None:
        """Folds one file.

        Args:
            threads: Places that are folded at the same time; at most this number of results waits to be written.
            undecided: Opens the undecided positions of a place.
        """

        def fold_place(place: int) -> list[tuple[int, int, int, bytes]]:
            return list(self._fold_place(place, undecided))

        with ThreadPoolExecutor(threads) as pool:

            def records(places: Iterable[int]) -> Iterator[tuple[int, int, int, bytes]]:
                pending: deque[Future[list[tuple[int, int, int, bytes]]]] = deque()
                for place in places:
                    if place in self._cached:  # unpacked, with positions that the fold drops
                        self._evict(place)
                    # Results are written in the order of the places; at most this number of them waits.
                    if len(pending) == threads:
                        yield from pending.popleft().result()
                    pending.append(pool.submit(fold_place, place))
                while pending:
                    yield from pending.popleft().result()

            self.log.fold(records)

    def _fold_place(self, place: int, undecided: Undecided) -> Iterator[tuple[int, int, int, bytes]]:
        """Makes the records that a place has after a fold."""
        for kind in self.log.kinds(place):
            part, what = divmod(kind, _KINDS)
            # Nobody reads the exits of a part that is solved.
            if what == _EXITS and not self.is_committed(part, SOLVED):
                with undecided(place) as only:
                    for number, data in self._open_exits(part, place, only):
                        yield kind, number, place, data
        for part in sorted({kind // _KINDS for kind in self.log.kinds(place)}):
            yield from self._fold_positions(part, place)

    def _open_exits(self, part: int, place: int, only: Words) -> Iterator[tuple[int, bytes]]:
        """Makes the records of exits that are still to come.

        Decided positions are dropped from them once these have become many: to look for them takes time.
        """
        # The pass after the last committed one; 0 before the first.
        next_pass = [-1, *self.done(part)][-1] + 1
        undecided_count = int(np.bitwise_count(only).sum())
        kind = _EXITS + _KINDS * part
        drops_decided = undecided_count <= _FEWER * self.undecided_counts.get((part, place), 64 * only.size)
        if drops_decided:
            self.undecided_counts[part, place] = undecided_count
        for number in self.log.numbers(kind, place):
            data = self.log.get(kind, number, place) or b""
            # All of its passes are over.
            if _passes_of(data)[-1] < next_pass:
                continue
            if drops_decided:
                data = self._without_decided(data, only)
            if data:
                yield number, data

    def _without_decided(self, data: bytes, only: Words) -> bytes:
        """A record of exits without the positions that are not in ``only``; empty where none remains."""
        passes, record = self._read(_EXITS, 0, data)
        rows = np.empty_like(record[0])
        lines = np.empty_like(record[1])
        which = np.empty_like(record[2])
        size, count = block_kernels.leave_out(self.men, only, *record, rows, lines, which)
        if not count:
            return b""
        which[count : count + block_kernels.AFTER] = 0
        numbers = zstd.compress(which[: count + block_kernels.AFTER].data, _FAST)
        return _record(passes, _compressed((rows, lines), size), [numbers])

    def _fold_positions(self, part: int, place: int) -> Iterator[tuple[int, int, int, bytes]]:
        """Merges the newest records of positions of a place, and older ones that are not much larger."""

        def records_of(kind: int) -> list[tuple[int, int, bytes]]:
            numbers = self.log.numbers(kind + _KINDS * part, place)
            return [(kind, number, self.log.get(kind + _KINDS * part, number, place) or b"") for number in numbers]

        old = records_of(_FOLDED)
        new = records_of(_POSITIONS)
        size = sum(len(data) for *_, data in new)
        passes = len(new)
        # Records have to stay in the order of their passes, so only the last of the old ones can join the new.
        while old and new and len(old[-1][2]) <= _LARGER * size:
            passes += _SIZES.unpack_from(old[-1][2])[0]
            if passes > _MAX_PASSES:
                break
            size += len(old[-1][2])
            new.insert(0, old.pop())
        rest = new[_MAX_PASSES:]
        new = new[:_MAX_PASSES]
        if len(new) == 1:  # nothing to merge it with
            rest = new + rest
            new = []
        for kind, number, data in old + rest:
            yield kind + _KINDS * part, number, place, data
        if new:
            number, data = self._merged(new)
            yield _FOLDED + _KINDS * part, number, place, data

    def _merged(self, records: Sequence[tuple[int, int, bytes]]) -> tuple[int, bytes]:
        """Merges some records of a plane.

        Args:
            records: Kind, number and data of each.

        Returns:
            The first of their passes, and the record.
        """
        rows = np.empty((len(records), self.men.tasks), np.uint64)
        lines = bytearray()
        which = bytearray()
        passes = list[int]()
        ends = list[tuple[int, ...]]()
        for at, record in enumerate(records):
            record_passes, packed, numbers = _split(*record)
            # -1: a record of one pass has no numbers.
            ends.append((len(lines), len(which) if numbers else -1, len(passes)))
            rows[at], packed_lines = self._packed(packed)
            lines += packed_lines.data
            which += numbers
            passes += record_passes
        packed_records = rows, np.frombuffer(lines, np.uint8), np.frombuffer(which, np.uint8)
        row = np.empty(64, np.uint64), np.empty(4096, np.uint8)
        progress = np.array(ends)
        merged = self.begin(passes, _SMALL)

        def pack(first: int, end: int, size: NDArray[np.int64], *out: NDArray[Any]) -> int:
            return block_kernels.merge(first, end, size, progress, *packed_records, *row, *out)

        for first in range(0, self.men.tasks, _MERGED_TASKS):
            merged.add(first, min(first + _MERGED_TASKS, self.men.tasks), pack)
        return passes[0], merged.data()


@dataclass(slots=True)
class RecordBuilder:
    """A record of several passes of a plane, while it is packed task by task.

    Attributes:
        men: The pieces, laid out.
        passes: The passes.
        rows: Rows of the record.
        lines: Lines of the record.
        level: Level of compression.
        size: How many bytes of lines are used, int64 of shape (1,).
    """

    men: Men
    passes: Sequence[int]
    rows: Words
    lines: NDArray[np.uint8]
    level: int
    size: NDArray[np.int64] = field(init=False, default_factory=partial(np.zeros, 1, np.int64))
    _packer: zstd.ZstdCompressor = field(init=False)
    _which: list[bytes] = field(init=False, default_factory=list[bytes])

    def __post_init__(self) -> None:
        self._packer = zstd.ZstdCompressor(self.level)

    def add(self, first: int, end: int, pack: Callable[..., int]) -> None:
        """Packs some tasks.

        Args:
            first: The first task.
            end: The task after the last.
            pack: Called as ``pack(first, end, size, rows, lines, which)``: raises ``size``, and returns how many
                numbers of passes it has written to ``which``.
        """
        # A byte for each position that the tasks can have.
        which = np.empty((end - first) * self.men.size1 * 4096, np.uint8)
        if count := pack(first, end, self.size, self.rows, self.lines, which):
            self._which.append(self._packer.compress(which[:count].data))

    def data(self) -> bytes:
        """The finished record; empty where no position is in it."""
        if not self.size[0]:
            return b""
        self._which += self._packer.compress(bytes(block_kernels.AFTER)), self._packer.flush()
        return _record(self.passes, _compressed((self.rows, self.lines), int(self.size[0]), self.level), self._which)


def by_pass(values: Sequence[int], kind: type[np.integer[Any]] = np.uint8) -> NDArray[Any]:
    """Makes the array that kernels look up by the number of a pass in its record.

    Args:
        values: A value for each pass of the record.
        kind: Type of the array.

    Returns:
        An array of shape (256,): the values from element 1 on, 0 elsewhere.
    """
    result = np.zeros(256, kind)
    result[1 : len(values) + 1] = values
    return result


def _record(passes: Sequence[int], packed: bytes, which: Sequence[bytes]) -> bytes:
    """Joins the parts of a record of several passes: compressed rows and lines, and compressed numbers of passes."""
    return b"".join((_SIZES.pack(len(passes), len(packed)), np.array(passes, np.int32).tobytes(), packed, *which))


def _split(kind: int, number: int, data: bytes) -> tuple[list[int], bytes, bytes]:
    """Splits a record: its passes, its compressed rows and lines, and the numbers of passes, if these are several."""
    if kind == _POSITIONS:
        return [number], data, b""
    count, length = _SIZES.unpack_from(data)
    at = _SIZES.size + 4 * count
    return _passes_of(data), data[at : at + length], zstd.decompress(data[at + length :])


def _passes_of(data: bytes) -> list[int]:
    return np.frombuffer(data, np.int32, _SIZES.unpack_from(data)[0], _SIZES.size).tolist()


def _compressed(packed: Packed, size: int, level: int = _FAST) -> bytes:
    """Compresses rows and ``size`` bytes of lines of a packed plane."""
    return zstd.compress(b"".join((packed[0].data, packed[1][:size].data)), level)

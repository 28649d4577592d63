"""The records of a solve in bounded memory: exits by the pass in which they are due, and what each pass found.

A record belongs to a side to move and a plane. Of a plane it stores the rows, lines, words and bytes that are not empty
(see ``_kernels_blocks``), compressed by zstd.

The records of all passes take more space than the final codes. So a large work file is *folded* as it grows, one of its
sixteen files at a time (see ``checkpoint``), the one first that has grown most. A fold merges the newest records of a
plane into one, together with older ones that are not much larger, and drops exits that have been due.
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
from endgame_core.chess.solver import _kernels_blocks as blocks
from endgame_core.chess.solver import _kernels_layers as layers
from endgame_core.chess.solver._kernels_board import Men
from endgame_core.tables.checkpoint import WorkLog
from endgame_core.values import DRAW

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

_EXITS, _FOUND, _FOLDED = 0, 1, 2
"""Kinds of records: exits that are due in some passes that follow each other, what a pass has found, and what several
have. Their number is the first of the passes; their place is ``side * 64 + plane``."""
TOGETHER, APART = 32, 2
"""Passes whose exits are one record, and are where it would be large: a pass reads those of all."""
_LARGE = 1 << 22
"""Bytes of a record of exits beyond which it is several."""
_ROW = 1 + 8 + 64 + 512
"""Bytes that a row takes at most: which of its lines, of their words and of their bytes there are; and these."""
_FAST, _SMALL = 1, 3
"""Levels of compression: of records that are soon read or folded, and of those that stay to the end."""
_KINDS = 3
"""Kinds of records of one part."""
_SOME = 64
"""Tasks whose records are merged at a time."""
PREPARED = 1 << 20
"""Number of the commit after which all exits are there."""
SOLVED = PREPARED + 1
"""Number of the commit after which a part is solved."""
_PART = 1 << 21
"""Numbers of the commits of one part."""
_NEW = struct.Struct("<qq")
_SIZES = struct.Struct("<HQ")
"""How many passes a record is of, and the bytes of its rows and lines, compressed; the passes follow."""
_MOST_TOGETHER = 255
"""Passes that one record can be of."""
_GROWN = 12
"""A file is folded when all together have grown by this part of what has been folded: it by about twice of it."""
_LARGER = 4
"""Records of passes before go into that of the newest if they are no more than so many times larger."""
_FEWER = 0.95
"""Exits of decided positions go, where of the undecided ones this part is left since exits went for the last time."""

Words = NDArray[np.uint64]
Packed = tuple[Words, NDArray[np.uint8]]
"""Rows and lines of a plane; see ``_kernels_blocks``."""
Record = tuple[Words, NDArray[np.uint8], NDArray[np.uint8]]
"""The same, and which of several passes each position is of."""
Undecided = Callable[[int], AbstractContextManager[Words]]
"""The undecided positions of the part in hand at a place; all parts before it are solved."""


@dataclass(slots=True)
class Records:
    """The records of an ending, or of its *parts*, the slices.

    Attributes:
        ending: Canonical name.
        metric: What codes mean.
        men: The men, laid out.
        draws: The bytes of a draw with White and with Black to move.
        log: The work file.
        left: How many positions of a part at a place were undecided when their exits were last looked through.
        spare: Bytes that exits may take while they are at hand: a pass that reads a record is followed by others.
    """

    ending: str
    metric: metrics.Metric
    men: Men
    draws: NDArray[np.uint8]
    log: WorkLog
    left: dict[tuple[int, int], int] = field(default_factory=dict[tuple[int, int], int])
    spare: int = 0
    _at_hand: dict[int, tuple[tuple[int, int], tuple[list[int], Record]]] = field(
        init=False, default_factory=dict[int, Any]
    )

    # Passes.

    def commit(self, part: int, number: int, new: Sequence[int] = ()) -> None:
        """What has been kept belongs together; a pass has found so many ``new`` positions with each side to move."""
        self.log.commit(number + _PART * part, _NEW.pack(*new) if new else b"")

    def is_committed(self, part: int, number: int) -> bool:
        """Whether that has been committed."""
        return number + _PART * part in self.log.commits

    def new(self, part: int, number: int) -> list[int]:
        """How many positions of each side to move a pass that is done has found."""
        return list(_NEW.unpack(self.log.commits[number + _PART * part]))

    def done(self, part: int) -> list[int]:
        """The passes of a part that are done, ascending."""
        first = _PART * part
        return sorted(number - first for number in self.log.commits if first <= number < first + PREPARED)

    def passes(self, part: int) -> list[int]:
        """The passes of a part that have found something."""
        return [number for number in self.done(part) if any(self.new(part, number))]

    def is_wide(self, parts: Sequence[int]) -> bool:
        """Whether bytes do not hold what the passes of some parts have found."""
        return any(
            new and not metrics.is_held(self.ending, self.metric, number, side)
            for part in parts
            for number in self.passes(part)
            for side, new in enumerate(self.new(part, number))
        )

    # Exits.

    def keep_exits(self, part: int, side: int, q: int, passes: Sequence[int], data: bytes) -> bool:
        """Writes the exits of a plane that are due in some passes as one record, unless that would better be several.

        Args:
            part: The part.
            side: Side to move.
            q: The plane.
            passes: The passes, none twice.
            data: The record; empty where there is none.

        Returns:
            Whether they are written: False where the record is large and its passes reach over :data:`APART`.
        """
        if len(data) > _LARGE and passes[0] // APART != passes[-1] // APART:
            return False
        if data:
            self.log.put(_EXITS + _KINDS * part, passes[0], 64 * side + q, data)
        return True

    def exits(self, part: int, number: int, side: int, q: int) -> tuple[list[int], Record] | None:
        """Exits of a plane that are due in passes near one, and these passes; None where there is none.

        They may have positions that were decided since.
        """
        kind, place = _EXITS + _KINDS * part, 64 * side + q
        numbers = self.log.numbers(kind, place)
        at = bisect_right(numbers, number)
        if not at:
            return None
        key = kind, numbers[at - 1]
        if place in self._at_hand and self._at_hand[place][0] != key:
            self._evict(place)
        if place not in self._at_hand:
            data = self.log.get(*key, place)
            if not data:
                return None
            self._at_hand[place] = key, self._read(_EXITS, number, data)
            self.spare -= self._size(place)
        passes, record = self._at_hand[place][1]
        if number == passes[-1] or self.spare < 0:
            self._evict(place)
        return passes, record

    def _size(self, place: int) -> int:
        """Bytes of the exits of a place that are at hand."""
        return sum(array.nbytes for array in self._at_hand[place][1][1])

    def _evict(self, place: int) -> None:
        """They are no longer."""
        self.spare += self._size(place)
        del self._at_hand[place]

    # Positions.

    def keep_found(self, part: int, number: int, side: int, q: int, pack: Callable[[Packed], int]) -> None:
        """Writes what a pass has found in a plane.

        Args:
            part: The part.
            number: The pass.
            side: Side to move.
            q: The plane.
            pack: Packs it, into rows and lines; returns how many bytes of lines there are.
        """
        out = self._buffers()
        if size := pack(out):
            self.log.put(_FOUND + _KINDS * part, number, 64 * side + q, _compressed(out, size))

    def found(self, part: int, side: int, q: int, only: int | None = None) -> Iterator[tuple[list[int], Record]]:
        """What passes of a part have found in a plane: records, and the passes that each is of.

        Of one pass ``only`` that record is read which may have it: those of several follow each other.
        """
        place = 64 * side + q
        for kind in (_FOLDED, _FOUND):
            numbers = self.log.numbers(kind + _KINDS * part, place)
            for number in numbers if only is None else numbers[: bisect_right(numbers, only)][-1:]:
                yield self._read(kind, number, self.log.get(kind + _KINDS * part, number, place) or b"")

    def codes(self, part: int, side: int, q: int, codes: NDArray[Any]) -> None:
        """Writes to ``codes`` what the passes of a part have found in a plane: bytes, or codes."""
        dtz, draw = int(self.metric == "dtz"), self.drawn(side, codes.itemsize > 1)
        for passes, record in self.found(part, side, q):
            means = by_pass([layers.plain_pass(number, dtz, draw).code for number in passes], np.uint16)
            blocks.set_codes(self.men, *record, means.astype(codes.dtype), codes)

    def drawn(self, side: int, wide: bool) -> int:
        """The code of a draw, or its byte."""
        return DRAW if wide else int(self.draws[side])

    # What a record is.

    def _buffers(self) -> Packed:
        """Room for one packed plane."""
        men = self.men
        return np.empty(men.tasks, np.uint64), np.empty(men.rows * _ROW, np.uint8)

    def begin(self, passes: Sequence[int], level: int = _FAST) -> Several:
        """A record of several passes of a plane, of which nothing is packed yet."""
        return Several(self.men, passes, *self._buffers(), level)

    def _packed(self, packed: bytes) -> Packed:
        """Rows and lines of a record, which are compressed."""
        plain, tasks = zstd.decompress(packed), self.men.tasks
        return np.frombuffer(plain, np.uint64, tasks), np.frombuffer(plain, np.uint8, offset=8 * tasks)

    def _read(self, kind: int, number: int, data: bytes) -> tuple[list[int], Record]:
        passes, packed, which = _parts(kind, number, data)
        return passes, (*self._packed(packed), np.frombuffer(which, np.uint8))

    # Folding.

    def has_grown(self, least: int, disk: int) -> bool:
        """Whether it is time to fold: all have ``disk`` bytes, and ``least`` and a part of what was folded are new."""
        grown, folded = self.log.size
        return grown > max(least, folded // _GROWN, disk - folded)

    def fold(self, threads: int, undecided: Undecided) -> None:
        """Folds one file, so many places at the same time; records of no more of them wait to be written."""

        def fold_place(place: int) -> list[tuple[int, int, int, bytes]]:
            return list(self._fold_place(place, undecided))

        with ThreadPoolExecutor(threads) as pool:

            def records(places: Iterable[int]) -> Iterator[tuple[int, int, int, bytes]]:
                in_hand: deque[Future[list[tuple[int, int, int, bytes]]]] = deque()
                for place in places:
                    if place in self._at_hand:  # with positions that a fold leaves out
                        self._evict(place)
                    if len(in_hand) == threads:
                        yield from in_hand.popleft().result()
                    in_hand.append(pool.submit(fold_place, place))
                while in_hand:
                    yield from in_hand.popleft().result()

            self.log.fold(records)

    def _fold_place(self, place: int, undecided: Undecided) -> Iterator[tuple[int, int, int, bytes]]:
        """All records of a place as they are after a fold."""
        for kind in self.log.kinds(place):
            part, what = divmod(kind, _KINDS)
            if what == _EXITS and not self.is_committed(part, SOLVED):
                with undecided(place) as only:
                    for number, data in self._open_exits(part, place, only):
                        yield kind, number, place, data
        for part in sorted({kind // _KINDS for kind in self.log.kinds(place)}):
            yield from self._fold_found(part, place)

    def _open_exits(self, part: int, place: int, only: Words) -> Iterator[tuple[int, bytes]]:
        """Records of exits that will be due, without those of decided positions where these have become many."""
        due, left, kind = [-1, *self.done(part)][-1] + 1, int(np.bitwise_count(only).sum()), _EXITS + _KINDS * part
        fewer = left <= _FEWER * self.left.get((part, place), 64 * only.size)
        if fewer:
            self.left[part, place] = left
        for number in self.log.numbers(kind, place):
            data = self.log.get(kind, number, place) or b""
            if due <= _passes_of(data)[-1] and (kept := self._without_decided(data, only) if fewer else data):
                yield number, kept

    def _without_decided(self, data: bytes, only: Words) -> bytes:
        """A record of exits without those of positions that are decided; empty where none is left."""
        passes, record = self._read(_EXITS, 0, data)
        rows, lines, which = np.empty_like(record[0]), np.empty_like(record[1]), np.empty_like(record[2])
        size, count = blocks.leave_out(self.men, only, *record, rows, lines, which)
        if not count:
            return b""
        which[count : count + blocks.AFTER] = 0
        numbers = zstd.compress(which[: count + blocks.AFTER].data, _FAST)
        return _record(passes, _compressed((rows, lines), size), [numbers])

    def _fold_found(self, part: int, place: int) -> Iterator[tuple[int, int, int, bytes]]:
        old, new = (
            [(kind, number, self.log.get(kind + _KINDS * part, number, place) or b"") for number in numbers]
            for kind in (_FOLDED, _FOUND)
            for numbers in [self.log.numbers(kind + _KINDS * part, place)]
        )
        size, passes = sum(len(data) for *_, data in new), len(new)
        while old and new and len(old[-1][2]) <= _LARGER * size:
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
            number, data = self._together(new)
            yield _FOLDED + _KINDS * part, number, place, data

    def _together(self, found: Sequence[tuple[int, int, bytes]]) -> tuple[int, bytes]:
        """One record of several of a plane; and the first of its passes."""
        rows, lines, which = np.empty((len(found), self.men.tasks), np.uint64), bytearray(), bytearray()
        passes, ends = list[int](), list[tuple[int, ...]]()
        for at, record in enumerate(found):
            some, packed, numbers = _parts(*record)
            ends.append((len(lines), len(which) if numbers else -1, len(passes)))
            rows[at], more = self._packed(packed)
            lines += more.data
            which += numbers
            passes += some
        told = rows, np.frombuffer(lines, np.uint8), np.frombuffer(which, np.uint8)
        row, begun = (np.empty(64, np.uint64), np.empty(4096, np.uint8)), np.array(ends)
        merged = self.begin(passes, _SMALL)

        def pack(first: int, end: int, size: NDArray[np.int64], *out: NDArray[Any]) -> int:
            return blocks.merge(first, end, size, begun, *told, *row, *out)

        for first in range(0, self.men.tasks, _SOME):
            merged.add(first, min(first + _SOME, self.men.tasks), pack)
        return passes[0], merged.data()


@dataclass(slots=True)
class Several:
    """A record of several passes of a plane, while it is packed.

    Attributes:
        men: The men, laid out.
        passes: The passes.
        rows: Rows of the record.
        lines: Lines of the record.
        level: How hard it is compressed.
        size: How many bytes of lines there are.
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
        """Packs the tasks from one up to another: calls ``pack(first, end, size, rows, lines, which)``.

        ``size`` becomes more; of ``which``, the numbers of the passes, it returns how many there are.
        """
        which = np.empty((end - first) * self.men.size1 * 4096, np.uint8)
        if count := pack(first, end, self.size, self.rows, self.lines, which):
            self._which.append(self._packer.compress(which[:count].data))

    def data(self) -> bytes:
        """The record; empty where nothing is in it."""
        if not self.size[0]:
            return b""
        self._which += self._packer.compress(bytes(blocks.AFTER)), self._packer.flush()
        return _record(self.passes, _compressed((self.rows, self.lines), int(self.size[0]), self.level), self._which)


def by_pass(told: Sequence[int], kind: type[np.integer[Any]] = np.uint8) -> NDArray[Any]:
    """What is told of each of some passes, in its place among them from 1 on; 0 in all other of 256 places."""
    result = np.zeros(256, kind)
    result[1 : len(told) + 1] = told
    return result


def _record(passes: Sequence[int], packed: bytes, which: Sequence[bytes]) -> bytes:
    """A record of several passes: of compressed rows and lines, and of the compressed numbers of the passes."""
    return b"".join((_SIZES.pack(len(passes), len(packed)), np.array(passes, np.int32).tobytes(), packed, *which))


def _parts(kind: int, number: int, data: bytes) -> tuple[list[int], bytes, bytes]:
    """The passes of a record, its packed plane, compressed, and the numbers of the passes, if these are several."""
    if kind == _FOUND:
        return [number], data, b""
    passes, (count, length) = _passes_of(data), _SIZES.unpack_from(data)
    at = _SIZES.size + 4 * count
    return passes, data[at : at + length], zstd.decompress(data[at + length :])


def _passes_of(data: bytes) -> list[int]:
    """The passes of a record of several."""
    return np.frombuffer(data, np.int32, _SIZES.unpack_from(data)[0], _SIZES.size).tolist()


def _compressed(packed: Packed, size: int, level: int = _FAST) -> bytes:
    """A packed plane, as a record has it, of so many bytes of lines."""
    return zstd.compress(b"".join((packed[0].data, packed[1][:size].data)), level)

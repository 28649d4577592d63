"""Writes table files: fast as a build does, or as small as possible; see ``file`` for the layout.

A frame is written in two steps. It is *packed*: the stored values of its legal slots, in the stored order of its
tiling. Then it is *encoded*: compressed by the coder of its side to move.
"""

from __future__ import annotations

import random
import shutil
import struct
import zlib
from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import replace
from itertools import islice
from math import prod
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any, BinaryIO, TypeVar

from endgame_core.game import SolvedEnding
from endgame_core.paths import atomic_write, storage_errors, temporary_file
from endgame_core.tables.coders import QUICK, SMALL, TRIAL, Coder, zstd
from endgame_core.tables.counts import Counts, Tally, tally_of_counts
from endgame_core.tables.file import Table, silent
from endgame_core.tables.header import MAGIC, PREFIX, Header, Totals, sparse
from endgame_core.tables.numeric import np
from endgame_core.tables.tiling import Tiling, candidate_tilings, consecutive_tiles

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from numpy.typing import NDArray

T = TypeVar("T")

_HEADER_LEVEL = 19
_COUNTS_LEVEL = 6
"""Levels of zstd for the header and the counts; those of frames are in their :class:`Coder`."""
_BATCH = 64
"""Frames that are compressed before they are written."""
_SAMPLE = 24
"""Frames of a side that are compressed to compare tilings and coders."""
_FINALISTS = 4
"""Tilings that take part in the second comparison."""
_CODERS = (Coder("lzma", 0), Coder("lzma", 2), Coder("lzma", 4), Coder("zstd", 19))
"""Coders that are tried with the best tiling."""

PackedFrame = tuple[bytes, Tally]
"""The stored values of a frame's legal slots, in the stored order, and their tally."""

EncodedFrame = tuple[bytes, Tally]
"""The same, compressed: what the file stores of a frame."""

Pack = Callable[[Tiling, int], PackedFrame]
"""Packs a frame of a tiling of one side to move."""


def pack_frame(
    values: NDArray[Any], legal: NDArray[np.uint64], tiling: Tiling, frame: int, start: int = 0
) -> PackedFrame:
    """The values of a frame's legal slots in the stored order, and their tally, by compiled code.

    Args:
        values: Stored values of consecutive slots.
        legal: Bitmap of the legal ones of these slots.
        tiling: The tiling.
        frame: The frame.
        start: The first of these slots.
    """
    from endgame_core.tables.kernels import pack

    out = np.empty(prod(tiling.box), values.dtype)
    counts = np.zeros(1 << 8 * values.itemsize, np.uint32)
    first, lengths, strides = tiling.loops(frame)
    length = pack(values, legal, first - start, lengths, strides, out, counts)
    return out[:length].tobytes(), tally_of_counts(counts, values.dtype)


def packer(table: Table, side: int) -> Pack:
    """A function that packs frames of one side of a table without compiled code; checks all frames of the table."""
    values = table.all_stored(side, 0)

    def pack(tiling: Tiling, frame: int) -> PackedFrame:
        legal = table.copies(side, tiling.ranges(frame)) > 0
        ordered = tiling.in_stored_order(tiling.cut(values, frame), frame)
        result = ordered[tiling.in_stored_order(legal, frame)]
        return result.tobytes(), tally_of_counts(np.bincount(result), values.dtype)

    return pack


class EarlyFrames:
    """The encoded frames of parts of an ending that are finished while the others are still being solved.

    They are in a file without a name, so that they take no memory either.

    Args:
        axes: Length of each axis of the index.
        directory: Directory of the file, which need not exist yet.
    """

    def __init__(self, axes: Sequence[int], directory: Path) -> None:
        self._tiling = consecutive_tiles(axes)
        self._size = prod(self._tiling.box)
        self._directory = directory
        self._file: BinaryIO | None = None
        self._pool: Executor | None = None
        self._frames: dict[tuple[int, int], tuple[int, int, Tally]] = {}
        """Of each side to move and frame: offset and length in the file, and the tally."""

    @property
    def size(self) -> int:
        """Bytes of the frames in the file."""
        return sum(length for __, length, __ in self._frames.values())

    def clear(self) -> None:
        """Forget all frames: the solve begins again, or the table is written."""
        self._frames.clear()
        if self._file is not None:
            self._file.close()
            self._file = None
        if self._pool is not None:
            self._pool.shutdown()
            self._pool = None

    def take(self, side: int, start: int, codes: NDArray[Any], canonical: NDArray[np.uint64]) -> bool:
        """Encode the frames of a part; return False if it does not consist of whole frames.

        Args:
            side: The side to move.
            start: The first slot of the part.
            codes: The bytes of its slots.
            canonical: The bits of its legal canonical positions.

        Raises:
            StorageError: The disk is full or the directory cannot be written.
        """
        end = start + len(codes)
        # A part that is the whole ending is not early: the table is written at once.
        if start % self._size or end % self._size or len(codes) == prod(self._tiling.axes):
            return False

        def encode(frame: int) -> EncodedFrame:
            values, tally = pack_frame(codes, canonical, self._tiling, frame, start)
            return QUICK.encode(values), tally

        if self._pool is None:
            from concurrent.futures import ThreadPoolExecutor

            self._pool = ThreadPoolExecutor()
        frames = range(start // self._size, end // self._size)
        with storage_errors(self._directory):
            if self._file is None:
                self._directory.mkdir(parents=True, exist_ok=True)
                self._file = TemporaryFile(dir=self._directory)  # noqa: SIM115 - it is open until the table is written
            for frame, (block, tally) in zip(frames, _mapped_in_batches(self._pool, encode, frames), strict=True):
                self._frames[side, frame] = self._file.tell(), len(block), tally
                self._file.write(block)
            self._file.flush()
        return True

    def get(self, side: int, frame: int) -> EncodedFrame | None:
        """Return a frame; None if its part was not taken."""
        place = self._frames.get((side, frame))
        if place is None or self._file is None:
            return None
        offset, length, tally = place
        self._file.seek(offset)
        return self._file.read(length), tally


def _frames_to_write(
    solved: SolvedEnding, tiling: Tiling, early: EarlyFrames | None
) -> Generator[tuple[PackedFrame | None, EncodedFrame | None]]:
    """The frames of a solved ending, White's first: packed ones, or encoded ones where these are there already.

    The solved ending comes in parts; every frame lies within one of them.
    """
    for side in range(2):
        frame = 0
        start = 0
        # The first of ``loops`` is the first slot of a frame.
        for values, legal in solved.parts(side):
            end = start + len(values)
            while frame < tiling.frame_count and tiling.loops(frame)[0] < end:
                encoded = None if early is None else early.get(side, frame)
                packed = pack_frame(values, legal, tiling, frame, start) if encoded is None else None
                yield packed, encoded
                frame += 1
            start = end


Check = Callable[[Path], None]
"""Called with a finished file before it becomes the table; its exceptions prevent that."""


def write_table(
    path: Path,
    solved: SolvedEnding,
    axes: Sequence[int],
    check: Check | None = None,
    progress: Callable[[float], None] = silent,
    early: EarlyFrames | None = None,
    **fields: Any,
) -> int:
    """Write a solved ending, fast.

    Args:
        path: Final path; temporary files are created next to it.
        solved: The solved ending.
        axes: Length of each axis of the index.
        check: See :data:`Check`.
        progress: Called with the part of the frames that is written, 0 to 1.
        early: Frames that were encoded before; cleared when all frames are read.
        fields: ``game``, ``ending``, ``rules``, ``metric``, ``scheme`` and ``draws`` of the header.

    Returns:
        The file's size in bytes.

    Raises:
        StorageError: The disk is full or the directory cannot be written.
    """
    tiling = consecutive_tiles(axes)
    coder = SMALL if tiling.frame_count == 1 else QUICK
    header = Header(
        **fields,
        axes=list(axes),
        sides=[_side_fields(tiling, coder)] * 2,
        sections=[],
        canonical=[],
        boards=[],
    )

    def encode(frame: tuple[PackedFrame | None, EncodedFrame | None]) -> EncodedFrame:
        packed, encoded = frame
        if encoded is not None:
            return encoded
        assert packed is not None
        values, tally = packed
        return coder.encode(values), tally

    def totals(counts: Counts) -> Totals:
        canonical = np.stack(
            [counts.total(0, tiling.frame_count), counts.total(tiling.frame_count, 2 * tiling.frame_count)]
        )
        # Every position is on as many boards as it has symmetric copies, which are fewer where copies are the same.
        boards = solved.copies * canonical - solved.missing
        return [sparse(side) for side in canonical.tolist()], [sparse(side) for side in boards.tolist()]

    def encoded() -> Generator[EncodedFrame]:
        for done, encoded_frame in enumerate(_in_batches(encode, _frames_to_write(solved, tiling, early)), 1):
            yield encoded_frame
            progress(done / (2 * tiling.frame_count))
        if early is not None:
            early.clear()  # before the frames are copied into the table: else the disk would hold them three times

    return _write(path, header, encoded(), totals, check)


def _in_batches(work: Callable[[T], EncodedFrame], items: Iterable[T]) -> Generator[EncodedFrame]:
    """Map ``work`` over the items by several threads, in order; only one batch at a time is in memory."""
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor() as pool:
        yield from _mapped_in_batches(pool, work, items)


def _mapped_in_batches(
    pool: Executor, work: Callable[[T], EncodedFrame], items: Iterable[T]
) -> Generator[EncodedFrame]:
    """Map ``work`` over the items by the threads of a pool, in order; only one batch at a time is in memory."""
    remaining = iter(items)
    while batch := list(islice(remaining, _BATCH)):
        yield from pool.map(work, batch)


def _side_fields(tiling: Tiling, coder: Coder) -> list[Any]:
    """An entry of :attr:`Header.sides`."""
    return [list(tiling.box), list(tiling.order), coder.name, coder.level]


def _write(
    path: Path,
    header: Header,
    encoded: Iterable[EncodedFrame],
    totals: Callable[[Counts], Totals],
    check: Check | None,
) -> int:
    """Write header, frame directory, counts and encoded frames; return the file's size in bytes.

    The frames go to a temporary file first, because directory and counts, which come before them, are not known yet.
    """
    frame_directory: list[int] = []
    tallies: list[Tally] = []
    with storage_errors(path.parent):
        path.parent.mkdir(parents=True, exist_ok=True)
        with temporary_file(path, "body") as (_, body):
            for block, tally in encoded:
                body.write(block)
                frame_directory += [len(block), zlib.crc32(block)]
                tallies.append(tally)

            compressed_counts = b""
            # A table with one frame for each side has no counts: readers count that frame instead.
            if len(tallies) > 2:
                counts = Counts.from_tallies(tallies)
                canonical, boards = totals(counts)
                header = replace(header, canonical=canonical, boards=boards)
                compressed_counts = zstd.compress(counts.to_bytes(), _COUNTS_LEVEL)

            body.seek(0)
            with atomic_write(path, check) as out:
                out.write(_head(header, frame_directory, compressed_counts))
                shutil.copyfileobj(body, out, 1 << 20)
        return path.stat().st_size


def _head(header: Header, frame_directory: list[int], counts: bytes) -> bytes:
    """All that comes before the frames."""
    # The header is encoded last, since it has the lengths and checksums of the sections behind it.
    section = struct.pack(f"<{len(frame_directory)}I", *frame_directory)
    sections = [len(section), zlib.crc32(section), len(counts), zlib.crc32(counts)]
    compressed = zstd.compress(replace(header, sections=sections).to_json(), _HEADER_LEVEL)
    return PREFIX.pack(MAGIC, len(compressed), zlib.crc32(compressed)) + compressed + section + counts


SideFormat = tuple[Tiling, Coder]
"""How the stored values of one side to move are cut and compressed."""


def _smallest(axes: Sequence[int], pack: Pack) -> SideFormat:
    """The tiling and the coder that compress a sample of frames best, in bytes per value.

    All tilings are compared by a fast coder; the best of them by a slow one; then all coders with the best tiling.
    """
    samples: dict[Tiling, list[bytes]] = {}
    for tiling in candidate_tilings(axes):
        # A fixed seed: the same table always gets the same format, so it becomes the same file.
        chosen = random.Random(0).sample(range(tiling.frame_count), min(_SAMPLE, tiling.frame_count))
        samples[tiling] = [pack(tiling, frame)[0] for frame in chosen]

    def ratio(tiling: Tiling, coder: Coder) -> float:
        frames = samples[tiling]
        return sum(len(coder.encode(frame)) for frame in frames) / max(1, sum(map(len, frames)))

    finalists = sorted(samples, key=lambda tiling: ratio(tiling, TRIAL))[:_FINALISTS]
    best = min(finalists, key=lambda tiling: ratio(tiling, SMALL))
    return best, min(_CODERS, key=lambda coder: ratio(best, coder))


def compact_format(table: Table, side: int, pack: Pack) -> tuple[SideFormat, float]:
    """The smallest format of one side of a table, and its size in bytes, estimated from a sample of frames.

    A table that is compact already keeps its format.
    """
    tiling = table.tilings[side]
    coder = table.coders[side]
    if coder == QUICK:
        tiling, coder = _smallest(table.header.axes, pack)
    chosen = random.Random(1).sample(range(tiling.frame_count), min(_SAMPLE, tiling.frame_count))
    sample = [pack(tiling, frame)[0] for frame in chosen]
    ratio = len(b"".join(map(coder.encode, sample))) / max(1, sum(map(len, sample)))
    return (tiling, coder), ratio * sum(table.totals[0][side].values())


def write_compact(
    table: Table,
    path: Path,
    progress: Callable[[float], None] = silent,
    formats: Sequence[SideFormat | None] = (None, None),
    packers: Callable[[Table, int], Pack] = packer,
    check: Check | None = None,
) -> int:
    """Write a table as small as possible; the values stay the same.

    Args:
        table: An open table; every frame is checked on the way.
        path: Final path, possibly the table's own.
        progress: Called with the part done, 0 to 1.
        formats: The format of each side, None for the smallest; nothing is stored of a side that is ``DERIVED``.
        packers: Creates the function that packs the frames of a side.
        check: See :data:`Check`.

    Returns:
        The file's size in bytes.

    Raises:
        TableError: A frame of the table is corrupt.
        StorageError: The disk is full or the directory cannot be written.
    """
    # ``sides`` is filled below while ``_write`` reads the frames, which it does before it writes the header.
    header = replace(table.header, sides=[], sections=[], canonical=[], boards=[])

    def encoded() -> Generator[EncodedFrame]:
        for side in range(2):
            pack = packers(table, side)
            tiling, coder = formats[side] or _smallest(table.header.axes, pack)
            header.sides.append(_side_fields(tiling, coder))

            # The defaults bind the values of this round: other threads call it while the loop goes on.
            def encode(frame: int, pack: Pack = pack, tiling: Tiling = tiling, coder: Coder = coder) -> EncodedFrame:
                values, tally = pack(tiling, frame)
                return coder.encode(values), tally

            for done, encoded_frame in enumerate(_in_batches(encode, range(tiling.frame_count)), 1):
                yield encoded_frame
                if done % _BATCH == 0 or done == tiling.frame_count:
                    progress((side + done / tiling.frame_count) / 2)
            del pack, encode  # before the other side is read: each of them may use up most of the memory

    return _write(path, header, encoded(), lambda counts: table.totals, check)

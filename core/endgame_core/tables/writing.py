"""Writing tables: so that they appear whole or not at all, quickly at first, and small for good later."""

from __future__ import annotations

import os
import random
import shutil
import struct
import zlib
from collections.abc import Callable, Generator, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from endgame_core.game import Solved
from endgame_core.paths import storage_errors, whole
from endgame_core.tables.file import Table
from endgame_core.tables.format import (
    MAGIC,
    PREFIX,
    QUICK,
    SMALL,
    TRIAL,
    Coder,
    Header,
    Tiling,
    Totals,
    plain,
    sparse,
    tilings,
    zstd,
)  # fmt: skip

_BATCH = 64
"""Frames that are compressed before they are written."""
_SAMPLE = 24
"""Frames of a side on which the settings of a compact table are tried."""
_FINALISTS = 4
"""Tilings that come to a second trial."""
_CODERS = (Coder("lzma", 0), Coder("lzma", 2), Coder("lzma", 4), Coder("zstd", 19))
"""Coders that are tried on the best of them."""

Packed = tuple[bytes, NDArray[np.uint32]]
"""The kept codes of one frame, as they are stored or not yet, and how many there are of each."""


def _frames(solved: Solved, tiling: Tiling) -> Generator[Packed]:
    """The packed frames of a solved ending, White's first."""
    from endgame_core.tables.kernels.packing import pack

    out = np.empty(prod(tiling.box), np.uint8)
    for codes, kept in zip(solved.codes, solved.kept, strict=True):
        for frame in range(tiling.frames):
            counts = np.zeros(256, np.uint32)
            length = pack(codes, kept, *tiling.loops(frame), out, counts)
            yield out[:length].tobytes(), counts


def write_table(path: Path, solved: Solved, axes: Sequence[int], **named: Any) -> int:
    """Writes a solved ending, quickly.

    Args:
        path: Final path; temporary files stand beside it meanwhile.
        solved: The solved ending.
        axes: How many values each digit of a slot takes.
        named: ``game``, ``ending``, ``rules``, ``metric``, ``scheme`` and ``draws``, as in the header.

    Returns:
        The file's size in bytes.

    Raises:
        StorageError: The disk is full or the directory cannot be written.
    """
    tiling = plain(axes)
    coder = SMALL if tiling.frames == 1 else QUICK
    header = Header(
        **named, axes=list(axes), sides=[_setting(tiling, coder)] * 2,
        sections=[], canonical=[], boards=[],
    )  # fmt: skip
    rows: list[NDArray[np.uint32]] = []
    encoded = ((coder.encode(codes), counts) for codes, counts in _frames(solved, tiling))

    def totals() -> Totals:
        canonical = np.array(rows).reshape(2, -1, 256).sum(axis=1, dtype=np.int64)
        boards = solved.copies * canonical - solved.missing
        return [sparse(side) for side in canonical.tolist()], [sparse(side) for side in boards.tolist()]

    return _write(path, header, encoded, rows, totals)


def _setting(tiling: Tiling, coder: Coder) -> list[Any]:
    return [list(tiling.box), list(tiling.order), coder.name, coder.level]


def _write(
    path: Path,
    header: Header,
    encoded: Iterable[Packed],
    rows: list[NDArray[np.uint32]],
    totals: Callable[[], Totals],
) -> int:
    """Writes header, index, counts and encoded frames, whose counts end up in ``rows``."""
    body = path.with_name(f".{path.name}.{os.getpid()}.body")
    index: list[int] = []
    with storage_errors(path.parent):
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with body.open("w+b") as frames:
                for frame, counts in encoded:
                    frames.write(frame)
                    index += [len(frame), zlib.crc32(frame)]
                    rows.append(counts)
                if len(rows) > 2:
                    canonical, boards = totals()
                    header = replace(header, canonical=canonical, boards=boards)
                frames.seek(0)
                with whole(path) as out:
                    out.write(_head(header, index, rows))
                    shutil.copyfileobj(frames, out, 1 << 20)
        finally:
            body.unlink(missing_ok=True)
        return path.stat().st_size


def _counts_section(rows: list[NDArray[np.uint32]]) -> bytes:
    """For each frame the number of codes, then all codes, then their counts byte by byte."""
    if len(rows) == 2:
        return b""
    flat = np.array(rows)
    where, code = np.nonzero(flat)
    heads = np.count_nonzero(flat, axis=1).astype("<u2")
    numbers = flat[where, code]
    parts = [code, *(numbers >> 8 * i & 255 for i in range(3))]
    return zstd.compress(heads.tobytes() + np.array(parts, np.uint8).tobytes(), 6)


def _head(header: Header, index: list[int], rows: list[NDArray[np.uint32]]) -> bytes:
    """All that stands before the frames."""
    section = struct.pack(f"<{len(index)}I", *index)
    counts = _counts_section(rows)
    sections = [len(section), zlib.crc32(section), len(counts), zlib.crc32(counts)]
    packed = zstd.compress(replace(header, sections=sections).written(), 19)
    return PREFIX.pack(MAGIC, len(packed), zlib.crc32(packed)) + packed + section + counts


def _packed(table: Table, side: int, codes: NDArray[np.uint8], tiling: Tiling, frame: int) -> bytes:
    """The kept codes of a frame of some tiling, in its order."""
    kept = table.copies(side, tiling.ranges(frame)) > 0
    return tiling.turned(tiling.cut(codes, frame), frame)[tiling.turned(kept, frame)].tobytes()


def _smallest(table: Table, side: int, codes: NDArray[np.uint8]) -> tuple[Tiling, Coder]:
    """The tiling and the coder that make a sample of frames smallest, per code."""
    trial: dict[Tiling, list[bytes]] = {}
    for tiling in tilings(table.header.axes):
        chosen = random.Random(0).sample(range(tiling.frames), min(_SAMPLE, tiling.frames))
        trial[tiling] = [_packed(table, side, codes, tiling, frame) for frame in chosen]

    def size(tiling: Tiling, coder: Coder) -> float:
        samples = trial[tiling]
        return sum(len(coder.encode(sample)) for sample in samples) / max(1, sum(map(len, samples)))

    finalists = sorted(trial, key=lambda tiling: size(tiling, TRIAL))[:_FINALISTS]
    best = min(finalists, key=lambda tiling: size(tiling, SMALL))
    return best, min(_CODERS, key=lambda coder: size(best, coder))


def write_compact(table: Table, path: Path, progress: Callable[[float], None] | None = None) -> int:
    """Writes a table as small as this program can; the codes stay the same.

    Args:
        table: An open table; every frame is checked on the way.
        path: Final path, possibly the table's own.
        progress: Told the part done, 0 to 1, now and then.

    Returns:
        The file's size in bytes.

    Raises:
        TableError: A frame of the table is corrupt.
        StorageError: The disk is full or the directory cannot be written.
    """
    rows: list[NDArray[np.uint32]] = []
    header = replace(table.header, sides=[], sections=[], canonical=[], boards=[])

    def encoded() -> Generator[Packed]:
        for side in range(2):
            codes = table.all_codes(side, 0)
            tiling, coder = _smallest(table, side, codes)
            header.sides.append(_setting(tiling, coder))

            def encode(
                frame: int,
                side: int = side,
                codes: NDArray[np.uint8] = codes,
                tiling: Tiling = tiling,
                coder: Coder = coder,
            ) -> Packed:
                packed = _packed(table, side, codes, tiling, frame)
                counts = np.bincount(np.frombuffer(packed, np.uint8), minlength=256)
                return coder.encode(packed), counts.astype(np.uint32)

            with ThreadPoolExecutor() as pool:
                for start in range(0, tiling.frames, _BATCH):
                    yield from pool.map(encode, range(start, min(start + _BATCH, tiling.frames)))
                    if progress is not None:
                        progress((side + min(1.0, (start + _BATCH) / tiling.frames)) / 2)

    return _write(path, header, encoded(), rows, lambda: table.totals)

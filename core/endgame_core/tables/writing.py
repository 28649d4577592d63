"""Writing tables: so that they appear whole or not at all, quickly at first, and small for good later."""

from __future__ import annotations

import json
import os
import struct
import sys
import zlib
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from endgame_core.game import Solved
from endgame_core.tables.coding import ORDERS, QUICK, SMALL, Coder, axes
from endgame_core.tables.file import MAGIC, PREFIX, Header, Table
from endgame_core.tables.storage import storage_errors

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

_ORDER = ORDERS.index((1, 2, 0))
_TRIED = 6
"""Frames of a side on which the settings of a compact table are tried."""

_TRIALS = (Coder("lzma", 0), Coder("lzma", 2), Coder("lzma", 4), Coder("zstd", 19))

Packed = tuple[bytes, NDArray[np.uint16]]
"""The kept codes of one frame, and how many there are of each."""


def _frames(solved: Solved, shape: tuple[int, int, int], order: int) -> Generator[Packed]:
    """The packed frames of a solved ending, White's first."""
    from endgame_core.tables._kernels_pack import pack

    size = shape[0] * shape[1] * shape[2]
    out = np.empty(size, np.uint8)
    sizes, strides = axes(shape, order)
    for side in range(2):
        slots = len(solved.codes[side])
        for first in range(0, slots, size):
            counts = np.zeros(256, np.uint16)
            length = pack(
                solved.codes[side], solved.kept[side], first, min(size, slots - first), sizes, strides, out, counts
            )
            yield out[:length].tobytes(), counts


def write_table(path: Path, solved: Solved, shape: tuple[int, int, int], **named: str) -> int:
    """Writes a solved ending.

    Args:
        path: Final path; temporary files stand beside it meanwhile.
        solved: The solved ending.
        shape: How the slots of a frame are arranged.
        named: ``game``, ``ending``, ``rules`` and ``scheme``, as in the header.

    Returns:
        The file's size in bytes.

    Raises:
        StorageError: The disk is full or the directory cannot be written.
    """
    slots = int(solved.codes.shape[1])
    coder = SMALL if slots <= shape[0] * shape[1] * shape[2] else QUICK
    header = Header(
        **named, metric="dtm", slots=slots, shape=list(shape), orders=[_ORDER, _ORDER],
        coder=[coder.name, coder.level], sections=[], canonical=[], boards=[],
    )  # fmt: skip
    encoded = ((coder.encode(codes), counts) for codes, counts in _frames(solved, shape, _ORDER))
    return _write(path, header, encoded, solved.copies, solved.alone)


def _write(
    path: Path,
    header: Header,
    encoded: Iterable[Packed],
    copies: int,
    alone: NDArray[np.int64] | None,
) -> int:
    """Writes header, index, counts and encoded frames; without ``alone`` the header keeps its own totals."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    body = path.with_name(f".{path.name}.{os.getpid()}.body")
    index: list[int] = []
    rows: list[NDArray[np.uint16]] = []
    try:
        with storage_errors(path.parent):
            path.parent.mkdir(parents=True, exist_ok=True)
            with body.open("w+b") as out:
                for frame, counts in encoded:
                    out.write(frame)
                    index += [len(frame), zlib.crc32(frame)]
                    rows.append(counts)
                _assemble(temporary, _complete(header, rows, copies, alone), index, rows, out)
            temporary.replace(path)
            _sync_directory(path.parent)
            return path.stat().st_size
    finally:
        body.unlink(missing_ok=True)
        temporary.unlink(missing_ok=True)


def _complete(header: Header, rows: list[NDArray[np.uint16]], copies: int, alone: NDArray[np.int64] | None) -> Header:
    """Adds the totals, unless a side is one frame, which tells them."""
    if alone is None or len(rows) == 2:
        return header
    canonical = np.array(rows).reshape(2, -1, 256).sum(axis=1, dtype=np.int64)
    boards = copies * canonical - copies // 2 * alone
    return replace(header, canonical=_sparse_totals(canonical), boards=_sparse_totals(boards))


def _sparse_totals(totals: NDArray[np.int64]) -> list[dict[str, int]]:
    return [{str(c): int(n) for c, n in enumerate(side) if n} for side in totals.tolist()]


def _sparse(rows: list[NDArray[np.uint16]]) -> bytes:
    """The counts section: for each frame the number of codes, then all codes, then their counts."""
    if len(rows) == 2:
        return b""
    flat = np.array(rows)
    where, code = np.nonzero(flat)
    heads = np.count_nonzero(flat, axis=1).astype("<u2")
    data = heads.tobytes() + code.astype(np.uint8).tobytes() + flat[where, code].astype("<u2").tobytes()
    return zstd.compress(data, 6)


def _assemble(path: Path, header: Header, index: list[int], rows: list[NDArray[np.uint16]], body: Any) -> None:
    section = struct.pack(f"<{len(index)}I", *index)
    counts = _sparse(rows)
    sections = [len(section), zlib.crc32(section), len(counts), zlib.crc32(counts)]
    text = json.dumps(asdict(replace(header, sections=sections)), separators=(",", ":")).encode()
    packed = zstd.compress(text, 19)
    with path.open("wb") as out:
        out.write(PREFIX.pack(MAGIC, len(packed), zlib.crc32(packed)) + packed + section + counts)
        body.seek(0)
        while chunk := body.read(1 << 20):
            out.write(chunk)
        out.flush()
        os.fsync(out.fileno())


def _sync_directory(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _reordered(table: Table, side: int, frame: int, order: int) -> bytes:
    """The packed codes of a frame in another order of its axes."""
    codes, kept = table.unpacked(side, frame)
    shape = table.header.shape
    turned = [array.reshape(shape).transpose(ORDERS[order]) for array in (codes, kept)]
    return turned[0][turned[1]].tobytes()


def _smallest(table: Table) -> tuple[Coder, list[int]]:
    """The coder and the order of each side's axes that make a sample of the frames smallest."""
    step = -(-table.frames // _TRIED)
    sizes: dict[Coder, list[list[int]]] = {coder: [] for coder in _TRIALS}
    for side in range(2):
        for trials in sizes.values():
            trials.append([])
        for order in range(len(ORDERS)):
            samples = [_reordered(table, side, frame, order) for frame in range(step // 2, table.frames, step)]
            for coder, trials in sizes.items():
                trials[side].append(sum(len(coder.encode(sample)) for sample in samples))
    best = min(sizes, key=lambda coder: sum(min(side) for side in sizes[coder]))
    return best, [side.index(min(side)) for side in sizes[best]]


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
    coder, orders = _smallest(table)
    header = replace(table.header, orders=orders, coder=[coder.name, coder.level])

    def encode(number: int) -> Packed:
        side, frame = divmod(number, table.frames)
        return coder.encode(_reordered(table, side, frame, orders[side])), table.counts[number]

    def encoded() -> Generator[Packed]:
        batch = 64
        with ThreadPoolExecutor() as pool:
            for start in range(0, 2 * table.frames, batch):
                yield from pool.map(encode, range(start, min(start + batch, 2 * table.frames)))
                if progress is not None:
                    progress(min(1.0, (start + batch) / (2 * table.frames)))

    return _write(path, header, encoded(), 1, None)

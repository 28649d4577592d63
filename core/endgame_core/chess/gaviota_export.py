"""Writes a DTM table as a Gaviota file; see :mod:`endgame_core.chess.gaviota_layout` for the format."""

from __future__ import annotations

import lzma
import struct
from collections.abc import Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from endgame_core.chess import material
from endgame_core.chess.arrays import canonical_slots_at
from endgame_core.chess.gaviota_layout import BLOCK, HEADER_NUMBERS, ILLEGAL, MOST_PIECES, Group, byte_of, groups, size
from endgame_core.errors import EndingError
from endgame_core.language import _
from endgame_core.paths import atomic_write, new_file, prepare_kernels, storage_errors
from endgame_core.system import cores
from endgame_core.tables.archive import Report
from endgame_core.tables.build import memory_for
from endgame_core.tables.file import silent
from endgame_core.tables.library import Library
from endgame_core.values import CODES_OF_BYTES, value_of

_CP4 = 4
"""The number of the compression, LZMA."""

_PROPERTIES = bytes.fromhex("5d00100000")
"""Properties of an LZMA stream: lc=3, lp=0, pb=2, and a dictionary of 4096 bytes."""

_FILTER = {
    "id": lzma.FILTER_LZMA1, "dict_size": 4096, "lc": 3, "lp": 0, "pb": 2,
    "mode": lzma.MODE_NORMAL, "nice_len": 32, "mf": lzma.MF_BT4,
}  # fmt: skip

_BLOCKS_AT_ONCE = 16
"""Blocks that a thread computes together."""


@dataclass(frozen=True, slots=True)
class GaviotaExport:
    """The result of an export.

    Attributes:
        ending: The ending.
        positions: Legal positions that the file covers; some of them are copies of each other.
        size: Bytes of the file.
    """

    ending: str
    positions: int
    size: int


def export_gaviota(
    library: Library,
    ending: str,
    path: Path,
    *,
    force: bool = False,
    memory: int | None = None,
    report: Report = silent,
) -> GaviotaExport:
    """Write a built ending as a Gaviota file, as a whole or not at all.

    Args:
        library: The tables by DTM.
        ending: A built ending.
        path: The file to write; other programs find it by its name only, see :func:`gaviota_layout.file_name`.
        force: Replace an existing file.
        memory: Memory limit in bytes; 75 % of the free memory by default.
        report: Called with the progress.

    Raises:
        EndingError: Gaviota files do not cover the ending.
        NotBuiltError: There is no table.
        TableError: The table is damaged.
        StorageError: The file exists already, or cannot be written.
    """
    pieces = material.men_count(ending)
    if pieces > MOST_PIECES:
        raise EndingError(
            _("Gaviota files have at most {most} pieces").format(most=MOST_PIECES),
            _("{ending} has {number}").format(ending=ending, number=pieces),
        )
    new_file(path, force)
    prepare_kernels()
    library.table(ending)

    with (
        memory_for(library, ending, _("a Gaviota file of {ending}").format(ending=ending), memory, follows_moves=False),
        storage_errors(path),
        atomic_write(path) as out,
    ):
        positions = _write(library, ending, out, report)
    return GaviotaExport(ending, positions, path.stat().st_size)


def _write(library: Library, ending: str, out: Any, report: Report) -> int:
    """Write the file; return the number of legal positions."""
    indices = size(ending)
    blocks_per_side = -(-indices // BLOCK)
    blocks = 2 * blocks_per_side
    header_bytes = 4 * (HEADER_NUMBERS + blocks + 1)
    out.write(bytes(header_bytes))

    offsets = [header_bytes]
    positions = 0
    done = 0
    for side in range(2):
        for block, legal in _compressed_blocks(library, ending, side):
            out.write(block)
            offsets.append(offsets[-1] + len(block))
            positions += legal
            done += 1
            report(_("writing"), done / blocks)

    last_block = indices % BLOCK
    header = [0, 0, BLOCK, 0, last_block, 0, last_block, 0, header_bytes, _CP4]
    out.seek(0)
    out.write(struct.pack(f"<{len(header) + len(offsets)}I", *header, *offsets))
    return positions


def _compressed_blocks(library: Library, ending: str, side: int) -> Generator[tuple[bytes, int]]:
    """Yield the blocks of one side to move in order, each with its number of legal positions."""
    indices = size(ending)
    threads = cores()
    legal = library.game.solver.canonical_bits(ending, side, threads)
    values = library.table(ending).read_side(side, legal, threads)
    step = BLOCK * _BLOCKS_AT_ONCE
    starts = range(0, indices, step)
    compress = partial(_compressed, ending, side, legal, values, _bytes_of_values(side, values.itemsize > 1))

    with ThreadPoolExecutor(threads) as pool:
        # A few at a time: what is compressed waits in memory until it is written.
        for first in range(0, len(starts), 2 * threads):
            batch = starts[first : first + 2 * threads]
            ranges = [range(start, min(start + step, indices)) for start in batch]
            for blocks in pool.map(compress, ranges):
                yield from blocks


def _bytes_of_values(side: int, is_wide: bool) -> NDArray[np.uint8]:
    """Return the byte of a Gaviota file for each value that our table may store."""
    codes: Sequence[int] = range(0x10000) if is_wide else CODES_OF_BYTES
    result = np.full(len(codes), ILLEGAL, np.uint8)
    for stored, code in enumerate(codes):
        try:
            result[stored] = byte_of(side, value_of(code)[1])
        except ValueError:  # a depth that no ending of five pieces has
            continue
    return result


def _compressed(
    ending: str,
    side: int,
    legal: NDArray[np.uint64],
    values: NDArray[Any],
    bytes_of_values: NDArray[np.uint8],
    indices: range,
) -> list[tuple[bytes, int]]:
    """Return the blocks of a range of indices, each with its number of legal positions."""
    slots = _slots(ending, np.arange(indices.start, indices.stop, dtype=np.int64))
    is_legal = (legal[slots >> 6] >> (slots & 63).astype(np.uint64) & np.uint64(1)).astype(bool)
    is_legal &= slots >= 0  # -1 is no index of the bitmap, but of its last word
    data = np.where(is_legal, bytes_of_values[values[slots]], np.uint8(ILLEGAL))

    result: list[tuple[bytes, int]] = []
    for start in range(0, len(data), BLOCK):
        block = data[start : start + BLOCK]
        result.append((_packed(block.tobytes(), side), int(np.count_nonzero(is_legal[start : start + BLOCK]))))
    return result


def _slots(ending: str, indices: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the canonical slots of our table for indices of a Gaviota file; -1 where pawns share a square."""
    squares: dict[int, NDArray[np.int64]] = {}
    for group in reversed(groups(ending)):
        indices, digits = np.divmod(indices, len(group[1]))
        squares.update(_squares(group, digits))
    return canonical_slots_at(ending, [squares[place] for place in range(len(squares))])


def _squares(group: Group, digits: NDArray[np.int64]) -> dict[int, NDArray[np.int64]]:
    """Return the squares of the pieces of a digit, by their places in the ending's name."""
    places, placements = group
    if len(places) == 1 and len(placements) == 64:
        return {places[0]: digits}
    columns = np.array(placements, np.int64).T
    return {place: column[digits] for place, column in zip(places, columns, strict=True)}


def _packed(data: bytes, side: int) -> bytes:
    """Compress a block. Its first byte is 0, in a last block that is shorter 1 or 2 by the side to move."""
    mark = 0 if len(data) == BLOCK else 1 + side
    stream = lzma.compress(data, lzma.FORMAT_RAW, filters=[_FILTER])
    return bytes((mark, 0)) + _PROPERTIES + struct.pack("<Q", len(data)) + stream

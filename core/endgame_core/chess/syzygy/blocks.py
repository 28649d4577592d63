"""An open Syzygy file: proved to be one when it is opened, and read a block at a time.

:mod:`chess.syzygy` knows the format. It decodes a block from its start for every value, which takes most of the time
of a probe; here a block is decoded once, and what lies where in it is kept.
"""

from __future__ import annotations

import struct
from array import array
from bisect import bisect_right
from pathlib import Path
from threading import Lock

import chess
import chess.syzygy
from chess.syzygy import PairsData, recalc_key

from endgame_core.errors import TableError

AGAIN = "get it again"
"""What to do about a file that is not whole."""

DAMAGE = (OSError, ValueError, IndexError, KeyError, AssertionError, RecursionError, MemoryError, struct.error)
"""What reading a damaged file may raise."""

CHECKSUM = 16
"""Bytes of the checksum at the end of a file."""

_BLOCK = 64
_ALL = 0xFFFF_FFFF_FFFF_FFFF
_KEPT = 1 << 22
"""Symbols of decoded blocks that are kept, of all files together: some 25 MB."""


class Blocks:
    """Decoded blocks, the oldest forgotten first: where each symbol begins, and which it is."""

    def __init__(self) -> None:
        self._kept: dict[tuple[int, int], tuple[array[int], array[int]]] = {}
        self._symbols = 0
        self._lock = Lock()

    def get(self, file: _File, d: PairsData, block: int) -> tuple[array[int], array[int]]:
        """The block of a file."""
        key = (id(d), block)
        known = self._kept.get(key)
        if known is None:
            known = file.decoded(d, block)
            with self._lock:
                if key not in self._kept:
                    self._kept[key] = known
                    self._symbols += len(known[0])
                while self._symbols > _KEPT:
                    self._symbols -= len(self._kept.pop(next(iter(self._kept)))[0])
        return known


class _File(chess.syzygy.Table):
    """What both kinds share."""

    magic: bytes
    blocks: Blocks

    def read_value(self, symbol: int) -> int:
        """The value of a symbol that is no pair, given where it is described."""
        raise NotImplementedError

    def decompress_pairs(self, d: PairsData, idx: int) -> int:
        """The value at an index."""
        if not d.idxbits:
            return d.min_len
        data = self.data
        assert data is not None
        entry = d.indextable + 6 * (idx >> d.idxbits)
        block = self.read_uint32(entry)
        place = (idx & (1 << d.idxbits) - 1) - (1 << d.idxbits - 1) + self.read_uint16(entry + 4)
        while place < 0:
            block -= 1
            place += self.read_uint16(d.sizetable + 2 * block) + 1
        while place >= (held := self.read_uint16(d.sizetable + 2 * block) + 1):
            place -= held
            block += 1
        starts, symbols = self.blocks.get(self, d, block)
        i = bisect_right(starts, place) - 1
        place -= starts[i]
        symbol = symbols[i]
        lengths = d.symlen
        while lengths[symbol]:
            at = d.sympat + 3 * symbol
            first = (data[at + 1] & 15) << 8 | data[at]
            if place <= lengths[first]:
                symbol = first
            else:
                place -= lengths[first] + 1
                symbol = data[at + 2] << 4 | data[at + 1] >> 4
        return self.read_value(d.sympat + 3 * symbol)

    def decoded(self, d: PairsData, block: int) -> tuple[array[int], array[int]]:
        """Where each symbol of a block begins, and which it is: a canonical Huffman code, the first bit highest."""
        data = self.data
        assert data is not None
        held = self.read_uint16(d.sizetable + 2 * block) + 1
        at, size = d.data + (block << d.blocksize), 1 << d.blocksize
        bits = int.from_bytes(data[at : at + size], "big") << 64
        left = 8 * size
        starts, symbols = array("I"), array("H")
        start = 0
        while start < held:
            if left <= 0:
                raise ValueError("a block ends too early")
            code = bits >> left & _ALL
            length = d.min_len
            while code < d.base[length - d.min_len]:
                length += 1
            symbol = self.read_uint16(d.offset + 2 * length) + (code - d.base[length - d.min_len] >> 64 - length)
            starts.append(start)
            symbols.append(symbol)
            start += d.symlen[symbol] + 1
            left -= length
        return starts, symbols


class WdlFile(_File, chess.syzygy.WdlTable):
    """A win/draw/loss file."""

    magic = chess.Board.tbw_magic or b""

    def read_value(self, symbol: int) -> int:
        """The value of a symbol that is no pair."""
        assert self.data is not None
        return self.data[symbol]

    def opened(self) -> tuple[int, list[list[int]]]:
        """Reads what precedes the blocks; returns where they end, and the men that each part is about."""
        self.init_table_wdl()
        if not self.has_pawns:
            ends = [pairs.data + self.size[3 * i + 2] for i, pairs in self.precomp.items()]
            return max(ends), [self.pieces[side] for side in self.precomp]
        ends = [
            pairs.data + self.size[6 * i + 3 * side + 2]
            for i, file in enumerate(self.files)
            for side, pairs in file.precomp.items()
        ]
        return max(ends), [file.pieces[side] for file in self.files for side in file.precomp]


class DtzFile(_File, chess.syzygy.DtzTable):
    """A DTZ file."""

    magic = chess.Board.tbz_magic or b""

    def read_value(self, symbol: int) -> int:
        """The value of a symbol that is no pair."""
        assert self.data is not None
        return (self.data[symbol + 1] & 15) << 8 | self.data[symbol]

    def opened(self) -> tuple[int, list[list[int]]]:
        """Reads what precedes the blocks; returns where they end, and the men that each part is about."""
        self.init_table_dtz()
        if not self.has_pawns:
            return self.precomp.data + self.size[2], [self.pieces]
        count = 4 if self.data is not None and self.data[4] & 2 else 1
        ends = [self.files[i].precomp.data + self.size[3 * i + 2] for i in range(count)]
        return max(ends), [file.pieces for file in self.files[:count]]

    def in_plies(self, flag: int) -> bool:
        """Whether the phase of a flag is counted in plies, for pawns on every file."""
        return all(flags & flag for flags in (self.flags if isinstance(self.flags, list) else (self.flags,)))


def opened(path: Path, blocks: Blocks | None = None) -> WdlFile | DtzFile:
    """An open file whose kind, length and structure are right.

    Args:
        path: The file.
        blocks: Keeps its decoded blocks, and those of others.

    Raises:
        TableError: It is not right, and why.
    """
    kind = KINDS[path.suffix]
    try:
        size = path.stat().st_size
        with path.open("rb") as stream:
            magic = stream.read(len(kind.magic))
    except OSError as error:
        raise TableError(f"{path.name} cannot be read ({error.strerror})", "check its permissions") from None
    if not size:
        raise TableError(f"{path.name} is empty", AGAIN)
    if magic != kind.magic:
        raise TableError(f"{path.name} is no Syzygy file of its kind: it begins with {magic.hex()}", AGAIN)
    if size % _BLOCK != CHECKSUM:
        raise TableError(f"{path.name} is truncated: {size:,} bytes are no whole number of blocks", AGAIN)
    table = kind(str(path))
    table.blocks = blocks or Blocks()
    try:
        end, parts = table.opened()
        name = chess.syzygy.normalize_tablename(recalc_key(parts[0]))
    except DAMAGE as error:
        table.close()
        raise TableError(f"{path.name} is truncated or damaged ({error or type(error).__name__})", AGAIN) from None
    expected = -(-end // _BLOCK) * _BLOCK + CHECKSUM
    problem = ""
    if name != chess.syzygy.normalize_tablename(path.stem):
        problem = f"is a table of {name}" if chess.syzygy.is_tablename(name) else "is damaged: it names no ending"
    elif any(sorted(men) != sorted(parts[0]) for men in parts):
        problem = "is damaged: its parts are about different men"
    elif size != expected:
        what = "truncated" if size < expected else "damaged"
        problem = f"is {what}: it has {size:,} bytes instead of {expected:,}"
    if problem:
        table.close()
        raise TableError(f"{path.name} {problem}", AGAIN)
    return table


KINDS: dict[str, type[WdlFile] | type[DtzFile]] = {".rtbw": WdlFile, ".rtbz": DtzFile}
"""By the ending of a file's name."""

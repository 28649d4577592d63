"""The user's Gaviota files: find them, and read the DTM of a position from them.

The index of a position is computed by :mod:`chess.gaviota`. Its reader is not used, because it trusts the files, opens
them for writing, and unpacks a whole block for each value; here the header of a file is checked when it is first read,
and the length of a block when it is decompressed.

Gaviota files do not know en passant, as our own tables do not: :meth:`Gaviota.code` is about what is stored, and the
explorer adds the captures.
"""

from __future__ import annotations

import lzma
import os
import struct
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from threading import Lock
from typing import BinaryIO

import chess
from chess.gaviota import EGKEY, Request

from endgame_core import paths
from endgame_core.chess import material
from endgame_core.chess.gaviota_layout import (
    BLOCK,
    HEADER_NUMBERS,
    ILLEGAL,
    MOST_PIECES,
    SUFFIX,
    file_name,
    plies_of_bytes,
)
from endgame_core.chess.index import squares_at
from endgame_core.errors import EndgameError, StorageError, TableError, system_reason
from endgame_core.game import Slot
from endgame_core.language import _, ngettext
from endgame_core.untrusted import open_regular
from endgame_core.values import DRAW, Category, code_of

VARIABLE = paths.GAVIOTA_VARIABLE
"""The environment variable that names a directory of Gaviota files."""

_THEN = _("check --gaviota, ${variable} or the gaviota setting").format(variable=VARIABLE)
_AGAIN = _("download it again")

_NUMBER = struct.Struct("<I")
_CACHED_BLOCKS = 1 << 9
"""Size of the cache of decompressed blocks, shared by all files; 8 MB."""

_MAX_PACKED_BYTES = 1 << 16
"""Length of the longest compressed block; a sound one takes less than it has bytes uncompressed."""

_MAX_DICTIONARY_BYTES = 1 << 24
"""Memory that a damaged block may claim for decompression."""

_WARNINGS = 3
"""Problems of directories that are reported one by one."""

_ENDINGS = {file_name(ending): ending for ending in material.ENDINGS if material.men_count(ending) <= MOST_PIECES}


@dataclass(frozen=True, slots=True)
class GaviotaFile:
    """A Gaviota file.

    Attributes:
        ending: Its ending, as this program calls it.
        path: Its path.
        size: Its size in bytes.
    """

    ending: str
    path: Path
    size: int


def usable(path: str, warn: Callable[[EndgameError], object]) -> str | None:
    """Return those of some directories that have Gaviota files, as in PATH; None if there are none.

    Args:
        path: A directory, or several as in PATH.
        warn: Called with the problems of the first few other directories, and once for all the rest.
    """
    result: list[str] = []
    problems: list[EndgameError] = []
    for name in dict.fromkeys(filter(None, path.split(os.pathsep))):
        try:
            files_in(name)
        except EndgameError as problem:
            problems.append(problem)
        else:
            result.append(name)
    for problem in problems[:_WARNINGS]:
        warn(problem)
    rest = len(problems) - _WARNINGS
    if rest > 0:
        problem = ngettext(
            "{number} more directory contains no Gaviota files",
            "{number} more directories contain no Gaviota files",
            rest,
        ).format(number=rest)
        warn(StorageError(problem, _THEN))
    return os.pathsep.join(result) or None


def files_in(path: str) -> list[GaviotaFile]:
    """Return the files in directories, fewest pieces first; the first of several files of the same name counts.

    Args:
        path: A directory, or several as in PATH.

    Raises:
        StorageError: A directory is missing or unreadable, or none has a Gaviota file.
    """
    result: dict[str, GaviotaFile] = {}
    for name in dict.fromkeys(filter(None, path.split(os.pathsep))):
        for file in _contents(name):
            ending = _ENDINGS.get(file.name)
            if ending is not None and ending not in result and file.is_file():
                result[ending] = GaviotaFile(ending, file, file.stat().st_size)
    if not result:
        problem = _("there is no Gaviota file ({suffix}) in {path}").format(suffix=SUFFIX, path=path)
        raise StorageError(problem, _THEN)
    return sorted(result.values(), key=lambda file: material.ENDINGS.index(file.ending))


def _contents(name: str) -> Iterator[Path]:
    """Yield the sorted contents of a directory; raises StorageError."""
    try:
        yield from sorted(Path(name).expanduser().iterdir())
    except (OSError, RuntimeError, ValueError) as error:
        reason = system_reason(error)
        problem = _("the Gaviota directory {name} cannot be read ({reason})").format(name=name, reason=reason)
        raise StorageError(problem, _THEN) from None


class _BlockReader:
    """Reads the blocks of a file; it is open only while a block is read.

    Args:
        path: The file.
        indices: The number of indices of each side to move.
    """

    def __init__(self, path: Path, indices: int) -> None:
        self._path = path
        self._indices = indices
        self._blocks_per_side = -(-indices // BLOCK)
        self._offsets: list[int] = []

    def block(self, side: int, index: int) -> bytes:
        """Return the decompressed block with an index; raises TableError."""
        try:
            with open_regular(self._path) as stream:
                if not self._offsets:
                    self._offsets = self._read_offsets(stream)
                return self._read_block(stream, side, index // BLOCK)
        except OSError as error:
            problem = _("{name} cannot be read ({reason})").format(name=self._path.name, reason=system_reason(error))
            raise TableError(problem, _AGAIN) from None

    def number(self, side: int, index: int) -> int:
        """Return the number of the block with an index."""
        return side * self._blocks_per_side + index // BLOCK

    def _read_block(self, stream: BinaryIO, side: int, number: int) -> bytes:
        length = min(BLOCK, self._indices - number * BLOCK)
        number += side * self._blocks_per_side
        start, end = self._offsets[number : number + 2]
        stream.seek(start)
        packed = stream.read(end - start)
        try:
            # The first byte says nothing of use, the second that the data were not filtered.
            decompressor = lzma.LZMADecompressor(lzma.FORMAT_ALONE, memlimit=_MAX_DICTIONARY_BYTES)
            block = decompressor.decompress(packed[2:], max_length=length)
        except (lzma.LZMAError, EOFError) as error:
            reason = _("block {number} cannot be read: {error}").format(number=number, error=error)
            raise _damaged(self._path, reason) from None
        if len(block) != length:
            raise _damaged(self._path, _("block {number} is truncated").format(number=number))
        return block

    def _read_offsets(self, stream: BinaryIO) -> list[int]:
        """Return the offsets of the blocks after checking the header; raises TableError."""
        expected_start = _NUMBER.size * (HEADER_NUMBERS + 2 * self._blocks_per_side + 1)
        head = stream.read(expected_start)
        if len(head) < expected_start:
            raise _damaged(self._path, _("it is truncated"))
        numbers = [value for (value,) in _NUMBER.iter_unpack(head)]
        if numbers[2] != BLOCK or numbers[8] != expected_start:
            problem = _("{name} is not a Gaviota file for its ending").format(name=self._path.name)
            raise TableError(problem, _AGAIN)
        offsets = numbers[HEADER_NUMBERS:]
        if offsets[0] != expected_start or offsets[-1] > os.fstat(stream.fileno()).st_size:
            raise _damaged(self._path, _("it is truncated"))
        if not all(0 < end - start <= _MAX_PACKED_BYTES for start, end in pairwise(offsets)):
            raise _damaged(self._path, _("its blocks are not contiguous"))
        return offsets


def _damaged(path: Path, reason: str) -> TableError:
    return TableError(_("{name} is damaged ({reason})").format(name=path.name, reason=reason), _AGAIN)


class Gaviota:
    """The Gaviota files in directories, tables by DTM; safe to use from several threads.

    Args:
        path: A directory, or several as in PATH.

    Raises:
        StorageError: A directory is missing or unreadable, or none has a Gaviota file.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.files = {file.ending: file for file in files_in(path)}
        self._readers = {
            ending: _BlockReader(file.path, EGKEY[_key(ending)].maxindex) for ending, file in self.files.items()
        }
        self._blocks: OrderedDict[tuple[str, int], bytes] = OrderedDict()
        self._lock = Lock()

    def code(self, slot: Slot) -> int | None:
        """Return the code by DTM of a canonical slot, without en passant captures; None if there is no file.

        Raises:
            TableError: The file is damaged.
        """
        if slot.ending not in self.files:
            return None
        byte = self._byte(slot.ending, slot.side, _index_of(slot))
        plies = plies_of_bytes(slot.side)[byte]
        if plies is not None:
            return code_of(Category.WIN if plies % 2 else Category.LOSS, plies)
        if byte:
            path = self.files[slot.ending].path
            if byte == ILLEGAL:
                raise _damaged(path, _("it marks a legal position as illegal"))
            raise _damaged(path, _("{byte} is not a valid value").format(byte=byte))
        return DRAW

    def _byte(self, ending: str, side: int, index: int) -> int:
        """Return the byte of an index; raises TableError."""
        reader = self._readers[ending]
        key = ending, reader.number(side, index)
        with self._lock:
            block = self._blocks.get(key)
            if block is not None:
                self._blocks.move_to_end(key)
        if block is None:
            # Without the lock, so that threads read at the same time; two of them may read the same block.
            block = reader.block(side, index)
            with self._lock:
                self._blocks[key] = block
                if len(self._blocks) > _CACHED_BLOCKS:
                    self._blocks.popitem(last=False)
        return block[index % BLOCK]


def _index_of(slot: Slot) -> int:
    """Return the index of a slot's position in a Gaviota file, as python-chess computes it."""
    squares = squares_at(slot.ending, slot.index)
    white_count = slot.ending.index("v")
    # The computation of the index reads the lists of squares that are set below; the arguments only have to be valid.
    request = Request([chess.A1], [chess.KING], [chess.A1], [chess.KING], slot.side)
    request.white_piece_squares = squares[:white_count]
    request.black_piece_squares = squares[white_count:]
    return EGKEY[_key(slot.ending)].pctoi(request)


def _key(ending: str) -> str:
    """Return the key of an ending in python-chess."""
    return file_name(ending).removesuffix(SUFFIX)

r"""The table file: one solved ending, in zstd frames that can be read one by one.

Layout, integers little-endian::

    magic     8 bytes  b"ENDGTAB\x01" (the last byte is the version)
    length    uint32   bytes of the header
    checksum  uint32   CRC-32 of the header
    header    JSON     see Header
    counts    zstd     canonical positions per (side, frame, code), sparse
    frames    zstd     65 536 codes each, White to move first

The header holds the offset of each frame and its CRC-32; nothing is trusted before its checksum and length agree.
"""

from __future__ import annotations

import errno
import json
import mmap
import os
import struct
import sys
import threading
import zlib
from collections import OrderedDict
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, cast

from endgame_core.errors import StorageError, TableError
from endgame_core.game import Solved

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

MAGIC = b"ENDGTAB\x01"
SUFFIX = ".egt"
FRAME = 1 << 16
FAST_LEVEL = 1
"""Compression level of a build; ``write_table`` takes any zstd level."""

_PREFIX = struct.Struct("<8sII")
_CACHED_FRAMES = 64
_LARGEST_HEADER = 1 << 24


@dataclass(frozen=True, slots=True)
class Header:
    """What a table says of itself.

    Attributes:
        game: Name of the game.
        ending: Name of the ending.
        rules: Fingerprint of the rules.
        metric: ``dtm``.
        scheme: Name of the index scheme.
        slots: Slots per side.
        canonical: Positions per side and code, symmetric copies once: ``[{"code": count}, …]``.
        boards: The same over all placements on the board.
        longest: FEN of one longest win per winner: ``{"white": [n, fen], …}``.
        counts: Length and CRC-32 of the counts section.
        offsets: End of each frame, counted from the end of the counts section; White's frames first.
        checksums: CRC-32 of each compressed frame.
    """

    game: str
    ending: str
    rules: str
    metric: str
    scheme: str
    slots: int
    canonical: list[dict[str, int]]
    boards: list[dict[str, int]]
    longest: dict[str, list[Any]]
    counts: list[int]
    offsets: list[int]
    checksums: list[int]


@contextmanager
def storage_errors(path: Path) -> Generator[None]:
    """Turns the system's errors while writing below ``path`` into StorageErrors."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise StorageError(
                f"the disk is full at {path}", "free some space or use --data-dir; finished tables are kept"
            ) from None
        if error.errno in (errno.EACCES, errno.EROFS, errno.EPERM, errno.ENOTDIR, errno.EEXIST):
            raise StorageError(
                f"{path} cannot be written", "make it writable or choose another place with --data-dir"
            ) from None
        raise StorageError(f"{path} cannot be written ({error.strerror})", "check the disk") from None


def _sparse(frames: Any) -> bytes:
    """The counts section: for each (side, frame) the number of codes, then code and count pairs."""
    import numpy as np

    flat = frames.reshape(-1, 256)
    where, code = np.nonzero(flat)
    heads = np.count_nonzero(flat, axis=1).astype("<u2")
    pairs = code.astype(np.uint8).tobytes() + flat[where, code].astype("<u4").tobytes()
    return heads.tobytes() + pairs


def _counts(table: Any) -> list[dict[str, int]]:
    return [{str(c): int(n) for c, n in enumerate(side) if n} for side in table.tolist()]


def write_table(
    path: Path,
    solved: Solved,
    *,
    game: str,
    ending: str,
    rules: str,
    scheme: str,
    metric: str = "dtm",
    longest: dict[str, list[Any]] | None = None,
    level: int = FAST_LEVEL,
) -> int:
    """Writes a table so that it appears whole or not at all.

    Args:
        path: Final path; a temporary file stands beside it meanwhile.
        solved: The solved ending.
        game: Name of the game.
        ending: Name of the ending.
        rules: Fingerprint of the rules.
        scheme: Name of the index scheme.
        metric: What depth counts.
        longest: One longest win per winner, as [n, text of the position].
        level: zstd level.

    Returns:
        The file's size in bytes.

    Raises:
        StorageError: The disk is full or the directory cannot be written.
    """
    slots = int(solved.codes.shape[1])
    counts = zstd.compress(_sparse(solved.frames), 9)
    offsets: list[int] = []
    checksums: list[int] = []
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    body = path.with_name(f".{path.name}.{os.getpid()}.body")
    try:
        with storage_errors(path.parent):
            path.parent.mkdir(parents=True, exist_ok=True)
            with body.open("w+b") as out:
                compressor = zstd.ZstdCompressor(level)
                for side in range(2):
                    codes = memoryview(solved.codes[side])
                    for start in range(0, slots, FRAME):
                        frame = compressor.compress(codes[start : start + FRAME], zstd.ZstdCompressor.FLUSH_FRAME)
                        out.write(frame)
                        checksums.append(zlib.crc32(frame))
                        offsets.append((offsets[-1] if offsets else 0) + len(frame))
                header = Header(
                    game, ending, rules, metric, scheme, slots, _counts(solved.canonical),
                    _counts(solved.boards), longest or {}, [len(counts), zlib.crc32(counts)],
                    offsets, checksums,
                )  # fmt: skip
                _assemble(temporary, header, counts, out)
            temporary.replace(path)
            _sync_directory(path.parent)
            return path.stat().st_size
    finally:
        body.unlink(missing_ok=True)
        temporary.unlink(missing_ok=True)


def _assemble(path: Path, header: Header, counts: bytes, body: Any) -> None:
    text = json.dumps(asdict(header), separators=(",", ":")).encode()
    with path.open("wb") as out:
        out.write(_PREFIX.pack(MAGIC, len(text), zlib.crc32(text)) + text + counts)
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


class Table:
    """A table file open for reading, safe from several threads.

    Args:
        path: The file.
        on_damage: Called before a TableError about a corrupt frame is raised.

    Raises:
        TableError: The file is unreadable, truncated or foreign, or its header is corrupt.
    """

    def __init__(self, path: Path, on_damage: Callable[[], None] | None = None) -> None:
        self.path = path
        self._on_damage = on_damage
        self._lock = threading.Lock()
        self._cache: OrderedDict[int, bytes] = OrderedDict()
        self._occurrences: list[dict[int, int]] | None = None
        try:
            with path.open("rb") as file:
                self.size = os.fstat(file.fileno()).st_size
                self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except (OSError, ValueError) as error:
            raise self._broken("cannot be read" if isinstance(error, OSError) else "is empty") from None
        self.header = self._read_header()
        self.frames = -(-self.header.slots // FRAME)
        if len(self.header.offsets) != 2 * self.frames or len(self.header.checksums) != 2 * self.frames:
            raise self._broken("has a header that does not fit its size")
        if self._start + self.header.offsets[-1] != self.size:
            raise self._broken("is truncated")

    def _broken(self, what: str) -> TableError:
        return TableError(f"the table {self.path.name} {what}", "build it again")

    def _read_header(self) -> Header:
        if len(self._map) < _PREFIX.size:
            raise self._broken("is truncated")
        magic, length, checksum = _PREFIX.unpack_from(self._map)
        if magic[:7] != MAGIC[:7]:
            raise self._broken("is no table of this program")
        if magic != MAGIC:
            raise self._broken("was written by another version")
        end = _PREFIX.size + length
        text = self._map[_PREFIX.size : end]
        if length > _LARGEST_HEADER or len(text) != length or zlib.crc32(text) != checksum:
            raise self._broken("has a corrupt header")
        try:
            header = Header(**cast("dict[str, Any]", json.loads(text)))
        except (ValueError, TypeError):
            raise self._broken("has a corrupt header") from None
        self._counts_at = end
        self._start = end + header.counts[0]
        return header

    @property
    def ending(self) -> str:
        """Name of the ending."""
        return self.header.ending

    @property
    def slots(self) -> int:
        """Slots per side."""
        return self.header.slots

    def canonical(self, side: int, code: int) -> int:
        """Positions of one side with one code, symmetric copies counted once."""
        return self.header.canonical[side].get(str(code), 0)

    def boards(self, side: int, code: int) -> int:
        """Positions of one side with one code, over all placements on the board."""
        return self.header.boards[side].get(str(code), 0)

    def _compressed(self, frame: int) -> memoryview:
        start = self._start + (self.header.offsets[frame - 1] if frame else 0)
        return memoryview(self._map)[start : self._start + self.header.offsets[frame]]

    def _corrupt(self, where: str) -> TableError:
        if self._on_damage is not None:
            self._on_damage()
        return self._broken(f"is corrupt in {where}")

    def _unpack(self, frame: int) -> bytes:
        block = self._compressed(frame)
        length = min(FRAME, self.slots - frame % self.frames * FRAME)
        if zlib.crc32(block) != self.header.checksums[frame]:
            raise self._corrupt(f"frame {frame}")
        try:
            codes = zstd.ZstdDecompressor().decompress(block, max_length=length + 1)
        except zstd.ZstdError:
            raise self._corrupt(f"frame {frame}") from None
        if len(codes) != length:
            raise self._corrupt(f"frame {frame}")
        return codes

    def codes(self, side: int, frame: int) -> bytes:
        """The codes of one frame of one side; raises TableError when it is corrupt."""
        number = side * self.frames + frame
        with self._lock:
            if number in self._cache:
                self._cache.move_to_end(number)
                return self._cache[number]
        codes = self._unpack(number)
        with self._lock:
            self._cache[number] = codes
            if len(self._cache) > _CACHED_FRAMES:
                self._cache.popitem(last=False)
        return codes

    def value(self, side: int, index: int) -> int:
        """The code of one slot."""
        return self.codes(side, index // FRAME)[index % FRAME]

    def read_all(self) -> Any:
        """All codes as a uint8 numpy array of shape (2, slots)."""
        import numpy as np

        out = np.empty((2, self.slots), np.uint8)
        for frame in range(2 * self.frames):
            start = frame % self.frames * FRAME
            codes = np.frombuffer(self._unpack(frame), np.uint8)
            out[frame // self.frames, start : start + len(codes)] = codes
        return out

    def read_side(self, side: int) -> Any:
        """The codes of one side to move as a uint8 numpy array of shape (slots,)."""
        import numpy as np

        out = np.empty(self.slots, np.uint8)
        for frame in range(self.frames):
            codes = np.frombuffer(self._unpack(side * self.frames + frame), np.uint8)
            out[frame * FRAME : frame * FRAME + len(codes)] = codes
        return out

    def frame_counts(self, side: int, code: int) -> list[int]:
        """Canonical positions with a code, frame by frame."""
        if self._occurrences is None:
            self._occurrences = self._read_counts()
        first = side * self.frames
        return [counts.get(code, 0) for counts in self._occurrences[first : first + self.frames]]

    def _read_counts(self) -> list[dict[int, int]]:
        length, checksum = self.header.counts
        section = self._map[self._counts_at : self._counts_at + length]
        if len(section) != length or zlib.crc32(section) != checksum:
            raise self._corrupt("its counts")
        data = zstd.decompress(section)
        heads = struct.unpack_from(f"<{2 * self.frames}H", data)
        total = sum(heads)
        codes = data[4 * self.frames : 4 * self.frames + total]
        counts = struct.unpack_from(f"<{total}I", data, 4 * self.frames + total)
        found: list[dict[int, int]] = []
        at = 0
        for head in heads:
            found.append(dict(zip(codes[at : at + head], counts[at : at + head], strict=True)))
            at += head
        return found

    def check(self) -> int:
        """Checks every checksum; returns the number of frames. Raises TableError."""
        self._read_counts()
        for frame in range(2 * self.frames):
            self._unpack(frame)
        return 2 * self.frames

    def close(self) -> None:
        """Closes the file."""
        self._map.close()

"""What a long build has done so far, on disk: a build that is cancelled, killed or loses power goes on from there.

A work file is a row of records, each with its key, length and checksum; records up to a *commit* belong together. A
file is read from its beginning when it is opened; whatever does not agree with its checksum, and all after the last
commit before it, is cut off. Nothing else is trusted.
"""

from __future__ import annotations

import os
import struct
import threading
import zlib
from pathlib import Path

from endgame_core.errors import StorageError
from endgame_core.paths import storage_errors

_RECORD = struct.Struct("<4siiiIQ")
"""Mark, key, checksum of key and data, and their length."""
_MARK = b"work"
_COMMIT = -1
_STAMP = -2

Key = tuple[int, int, int]


class WorkLog:
    """The work file of one build, open for reading and appending; safe from several threads.

    Args:
        path: The file; it is made where it is not there.
        stamp: What is built, from what. A file of another stamp is begun anew.

    Raises:
        StorageError: The file cannot be read or written.
    """

    def __init__(self, path: Path, stamp: str) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._where: dict[Key, tuple[int, int, int]] = {}
        self.commits: dict[int, bytes] = {}
        """The data of each commit, by its number."""
        with storage_errors(path.parent):
            path.parent.mkdir(parents=True, exist_ok=True)
            self._handle = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o644)
            self._end = self._scan(stamp.encode())
            os.ftruncate(self._handle, self._end)
        if not self._end:
            self._append((_STAMP, 0, 0), stamp.encode())

    def _scan(self, stamp: bytes) -> int:
        """Reads all records; returns where those end that count."""
        found: list[tuple[Key, tuple[int, int, int]]] = []
        at = good = 0
        size = os.fstat(self._handle).st_size
        while at + _RECORD.size <= size:
            mark, *key, checksum, length = _RECORD.unpack(os.pread(self._handle, _RECORD.size, at))
            kind, number, place = key
            if mark != _MARK or length > size - at:
                break
            data = os.pread(self._handle, length, at + _RECORD.size)
            if len(data) != length or _sum((kind, number, place), data) != checksum:
                break
            if (at == 0) != (kind == _STAMP) or (kind == _STAMP and data != stamp):
                break
            found.append(((kind, number, place), (at + _RECORD.size, length, checksum)))
            at += _RECORD.size + length
            if kind in (_COMMIT, _STAMP):
                good = at
                if kind == _COMMIT:
                    self.commits[number] = data
                self._where.update(found)
                found.clear()
        return good

    def _append(self, key: Key, data: bytes) -> None:
        record = _RECORD.pack(_MARK, *key, _sum(key, data), len(data)) + data
        with self._lock, storage_errors(self.path.parent):
            done = 0
            while done < len(record):
                done += os.pwrite(self._handle, record[done:], self._end + done)
            self._where[key] = self._end + _RECORD.size, len(data), _sum(key, data)
            self._end += len(record)

    def put(self, kind: int, number: int, place: int, data: bytes) -> None:
        """Appends a record; it counts from the next commit on."""
        self._append((kind, number, place), data)

    def commit(self, number: int, data: bytes = b"") -> None:
        """All that was put belongs together, and is on disk when this returns."""
        with storage_errors(self.path.parent):
            os.fsync(self._handle)
        self._append((_COMMIT, number, 0), data)
        with storage_errors(self.path.parent):
            os.fsync(self._handle)
        self.commits[number] = data

    def get(self, kind: int, number: int, place: int) -> bytes | None:
        """A record, None where there is none; raises StorageError when it is not what it was."""
        known = self._where.get((kind, number, place))
        if known is None:
            return None
        at, length, checksum = known
        with storage_errors(self.path.parent):
            data = os.pread(self._handle, length, at)
        if _sum((kind, number, place), data) != checksum:
            self.remove()
            raise StorageError(f"the work file {self.path.name} is damaged", "build again: it begins anew")
        return data

    @property
    def size(self) -> int:
        """Bytes of the file."""
        return self._end

    def numbers(self, kind: int) -> list[int]:
        """The numbers that records of a kind have, ascending."""
        return sorted({number for of, number, _ in self._where if of == kind})

    def close(self) -> None:
        """Lets go of the file, which stays."""
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1

    def remove(self) -> None:
        """Deletes the file: what was built is safe elsewhere."""
        self.close()
        self.path.unlink(missing_ok=True)


def _sum(key: Key, data: bytes) -> int:
    return zlib.crc32(data, zlib.crc32(struct.pack("<iii", *key)))

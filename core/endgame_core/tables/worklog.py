"""What a long build has done so far, on disk: a build that is cancelled, killed or loses power goes on from there.

A work file is a row of records, each with its key, length and checksum; records up to a *commit* belong together. A
file is read from its beginning when it is opened; whatever does not agree with its checksum, and all after the last
commit before it, is cut off. Nothing else is trusted.

What is no longer needed one by one can be *folded*: records are written anew, as who builds makes them of those that
are there, into files beside the work file, each for some of the places; then the work file begins again, with its
commits. Each of these files takes the place of the one before as a whole, and what it was made from stays until then,
so a fold that is ended early is not lost: it goes on with the files that are left. At no time do more records stand
twice than those of one file.
"""

from __future__ import annotations

import os
import struct
import threading
import zlib
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from endgame_core.errors import StorageError
from endgame_core.paths import storage_errors

_RECORD = struct.Struct("<4siiiIQ")
"""Mark, key, checksum of key and data, and their length."""
_MARK = b"work"
_COMMIT = -1
_STAMP = -2
"""Kind of the first record; its number is how often the file has been folded, its place how many commits that held."""
_END = -3
"""Kind of the last record of a folded file."""
_KEPT = struct.Struct("<iI")
"""Number and length of a commit that the first record tells of."""
FOLDED: Final = 16
"""Files of folded records; one holds the places that leave the same remainder."""

Key = tuple[int, int, int]


@dataclass(slots=True)
class _File:
    """A file of records.

    Attributes:
        handle: The open file.
        end: Where the next record begins.
        fold: How many folds there had been when it was begun.
        commits: How many commits there had been.
        where: Place, length and checksum of each record, by kind and place, and by number.
    """

    handle: int
    end: int = 0
    fold: int = 0
    commits: int = 0
    where: dict[tuple[int, int], dict[int, tuple[int, int, int]]] = field(
        default_factory=dict[tuple[int, int], dict[int, tuple[int, int, int]]]
    )

    def append(self, key: Key, data: bytes) -> None:
        """Writes a record behind the others."""
        record = _RECORD.pack(_MARK, *key, _sum(key, data), len(data)) + data
        done = 0
        while done < len(record):
            done += os.pwrite(self.handle, record[done:], self.end + done)
        self.note(key, self.end + _RECORD.size, len(data), _sum(key, data))
        self.end += len(record)

    def note(self, key: Key, *where: int) -> None:
        """A record stands there."""
        kind, number, place = key
        at, length, checksum = where
        if kind >= 0:
            self.where.setdefault((kind, place), {})[number] = at, length, checksum

    def next(self, at: int, size: int) -> tuple[Key, bytes, int] | None:
        """Key and data of the sound record at some place, and its checksum; None where there is none."""
        if at + _RECORD.size > size:
            return None
        mark, kind, number, place, checksum, length = _RECORD.unpack(os.pread(self.handle, _RECORD.size, at))
        if mark != _MARK or length > size - at:
            return None
        data = os.pread(self.handle, length, at + _RECORD.size)
        if len(data) != length or _sum((kind, number, place), data) != checksum:
            return None
        return (kind, number, place), data, checksum


class WorkLog:
    """The work file of one build, open for reading and appending; safe from several threads.

    Args:
        path: The file; it is made where it is not there. Folded records stand beside it.
        stamp: What is built, from what. A file of another stamp is begun anew.

    Raises:
        StorageError: The file cannot be read or written.
    """

    def __init__(self, path: Path, stamp: str) -> None:
        self.path = path
        self._stamp = stamp.encode()
        self._lock = threading.Lock()
        self.commits: dict[int, bytes] = {}
        """The data of each commit, by its number."""
        self._folded: list[_File | None] = [None] * FOLDED
        with storage_errors(path.parent):
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = _File(_opened(path, os.O_CREAT))
            self._scan()
            os.ftruncate(self._file.handle, self._file.end)
            sound = self._file.end > 0 and all(map(self._open_folded, range(FOLDED)))
            if not sound:
                self._begin_anew()

    def _scan(self) -> None:
        """Reads the records of the work file up to its last commit."""
        file, at = self._file, 0
        size = os.fstat(file.handle).st_size
        found: list[tuple[Key, int, int, int]] = []
        while (record := file.next(at, size)) is not None:
            key, data, checksum = record
            kind, number, place = key
            if (at == 0) != (kind == _STAMP):
                break
            if kind == _STAMP:
                if not self._take_stamp(data):
                    break
                file.fold, file.commits = number, place
            found.append((key, at + _RECORD.size, len(data), checksum))
            at += _RECORD.size + len(data)
            if kind in (_COMMIT, _STAMP):
                file.end = at
                if kind == _COMMIT:
                    self.commits[number] = data
                for known in found:
                    file.note(*known)
                found.clear()

    def _take_stamp(self, data: bytes) -> bool:
        """Whether the first record is for what is built; takes the commits that it tells of."""
        at = len(self._stamp) + 1
        if data[:at] != self._stamp + b"\0":
            return False
        while at < len(data):
            number, length = _KEPT.unpack_from(data, at)
            at += _KEPT.size + length
            self.commits[number] = data[at - length : at]
        return True

    def _stamped(self) -> bytes:
        commits = (_KEPT.pack(number, len(data)) + data for number, data in self.commits.items())
        return self._stamp + b"\0" + b"".join(commits)

    def _begin_anew(self) -> None:
        for place, file in enumerate(self._folded):
            if file is not None:
                os.close(file.handle)
            self._folded[place] = None
        for path in files_of(self.path)[1:]:
            path.unlink(missing_ok=True)
        self.commits.clear()
        os.ftruncate(self._file.handle, 0)
        self._file = _File(self._file.handle)
        self._file.append((_STAMP, 0, 0), self._stamped())

    # Folded records.

    def _path_of(self, place: int) -> Path:
        return self.path.with_name(f"{self.path.name}.{place}")

    def _open_folded(self, place: int) -> bool:
        """Whether folded records are as they should be: of the fold of the work file, or of one that was under way."""
        path, now = self._path_of(place), self._file
        if not path.exists():
            return now.fold == 0
        file = self._folded[place] = _File(_opened(path))
        size, done = os.fstat(file.handle).st_size, False
        while (record := file.next(file.end, size)) is not None:
            key, data, checksum = record
            if file.end == 0:
                if key[0] != _STAMP or data != self._stamp:
                    return False
                _, file.fold, file.commits = key
            file.note(key, file.end + _RECORD.size, len(data), checksum)
            file.end += _RECORD.size + len(data)
            done = key[0] == _END
        if not done or file.end != size:
            return False
        if file.fold == now.fold + 1:
            return file.commits == len(self.commits)
        return file.fold == now.fold and file.commits <= len(self.commits)

    @property
    def is_folding(self) -> bool:
        """Whether a fold has been ended early: it must come to its end before anything is put."""
        return any(file is not None and file.fold > self._file.fold for file in self._folded)

    def fold(self, records: Callable[[Iterable[int]], Iterable[tuple[int, int, int, bytes]]]) -> None:
        """Writes all records anew, and begins the work file again; all that was put must have been committed.

        Args:
            records: Given the places of a file (0 to 127, of those that there are), all the records that it shall have:
                kind, number, place, data. They are asked for while the old ones can still be read.
        """
        for place in range(FOLDED):
            file = self._folded[place]
            if file is not None and file.fold > self._file.fold:
                continue  # it was written before the fold was ended early
            self._fold_file(place, records(self._places(place)))
        with self._lock, self._next(self.path, self._stamped()) as new:
            pass
        os.close(self._file.handle)
        self._file = new

    def _places(self, remainder: int) -> list[int]:
        files = self._file, self._folded[remainder]
        found = {place for file in files if file is not None for _, place in file.where}
        return sorted(place for place in found if place % FOLDED == remainder)

    def _fold_file(self, place: int, records: Iterable[tuple[int, int, int, bytes]]) -> None:
        with self._next(self._path_of(place), self._stamp) as new:
            for kind, number, at, data in records:
                new.append((kind, number, at), data)
            new.append((_END, 0, 0), b"")
        old, self._folded[place] = self._folded[place], new
        if old is not None:
            os.close(old.handle)

    @contextmanager
    def _next(self, path: Path, data: bytes) -> Generator[_File]:
        """A file of the next fold, begun with a stamp; when it is written it takes the place of another for good."""
        unfinished, commits = _unfinished(path), len(self.commits)
        with storage_errors(path.parent):
            new = _File(_opened(unfinished, os.O_CREAT | os.O_TRUNC), 0, self._file.fold + 1, commits)
            try:
                new.append((_STAMP, new.fold, commits), data)
                yield new
                os.fsync(new.handle)
                unfinished.replace(path)
            except BaseException:
                os.close(new.handle)
                unfinished.unlink(missing_ok=True)
                raise
            directory = os.open(path.parent, os.O_RDONLY)
            try:
                os.fsync(directory)
            finally:
                os.close(directory)

    # Records.

    def _append(self, key: Key, data: bytes) -> None:
        with self._lock, storage_errors(self.path.parent):
            self._file.append(key, data)

    def put(self, kind: int, number: int, place: int, data: bytes) -> None:
        """Appends a record; it counts from the next commit on."""
        self._append((kind, number, place), data)

    def commit(self, number: int, data: bytes = b"") -> None:
        """All that was put belongs together, and is on disk when this returns."""
        with storage_errors(self.path.parent):
            os.fsync(self._file.handle)
        self._append((_COMMIT, number, 0), data)
        with storage_errors(self.path.parent):
            os.fsync(self._file.handle)
        self.commits[number] = data

    def _files(self, place: int) -> list[_File]:
        """The files that may hold records of a place; of a fold ended early what was made of others counts alone."""
        folded = self._folded[place % FOLDED]
        if folded is None:
            return [self._file]
        return [folded] if folded.fold > self._file.fold else [folded, self._file]

    def get(self, kind: int, number: int, place: int) -> bytes | None:
        """A record, None where there is none; raises StorageError when it is not what it was."""
        for file in self._files(place):
            known = file.where.get((kind, place), {}).get(number)
            if known is None:
                continue
            at, length, checksum = known
            with storage_errors(self.path.parent):
                data = os.pread(file.handle, length, at)
            if _sum((kind, number, place), data) != checksum:
                self.remove()
                raise StorageError(f"the work file {self.path.name} is damaged", "build again: it begins anew")
            return data
        return None

    @property
    def size(self) -> tuple[int, int]:
        """Bytes of the work file, and of what is folded."""
        return self._file.end, sum(file.end for file in self._folded if file is not None)

    def numbers(self, kind: int, place: int | None = None) -> list[int]:
        """The numbers that records of a kind have, at a place or anywhere, ascending."""
        if place is not None:
            return sorted({number for file in self._files(place) for number in file.where.get((kind, place), {})})
        places = {at for file in [self._file, *self._folded] if file is not None for of, at in file.where if of == kind}
        return sorted({number for at in places for number in self.numbers(kind, at)})

    def kinds(self, place: int) -> list[int]:
        """The kinds of records at a place, ascending."""
        return sorted({kind for file in self._files(place) for kind, at in file.where if at == place})

    def close(self) -> None:
        """Lets go of the files, which stay."""
        for file in (self._file, *self._folded):
            if file is not None and file.handle >= 0:
                os.close(file.handle)
                file.handle = -1

    def remove(self) -> None:
        """Deletes the files: what was built is safe elsewhere."""
        self.close()
        for path in files_of(self.path):
            path.unlink(missing_ok=True)


def files_of(path: Path) -> list[Path]:
    """The files that a work file consists of, those that are there, and itself the first."""
    names = [path, *(path.with_name(f"{path.name}.{place}") for place in range(FOLDED))]
    return [file for name in names for file in (name, _unfinished(name)) if file.is_file()]


def _unfinished(path: Path) -> Path:
    return path.with_name(f"{path.name}.part")


def _opened(path: Path, flags: int = 0) -> int:
    return os.open(path, os.O_RDWR | flags | getattr(os, "O_BINARY", 0), 0o644)


def _sum(key: Key, data: bytes) -> int:
    return zlib.crc32(data, zlib.crc32(struct.pack("<iii", *key)))

"""The work file of a long build, from which a build that was cancelled, killed or lost power is resumed.

It consists of a file of commits and sixteen files of records, each for some of the places. A record has a key, a
length and a checksum; the first record of a file, its stamp, names what is built and the number of the file. A
*commit* holds a :class:`_Mark` of each file: where it ended, how many records it had, and a checksum of all their
keys and checksums.

When a work file is opened, the last commit counts whose marks agree with all files. What follows it is cut off;
nothing else is trusted. Where no commit is left the build restarts, and :attr:`WorkLog.restarted` says why.

Records that are no longer needed one by one can be *folded*: a file is written again with the records that its owner
makes of the old ones, and replaces the old file as a whole. Its stamp has the number of commits at that time. So
never more than one file of sixteen is on the disk twice.
"""

from __future__ import annotations

import os
import struct
import threading
import zlib
from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from endgame_core.errors import StorageError
from endgame_core.paths import storage_errors, sync_directory

_RECORD = struct.Struct("<4siiiIQ")
"""Mark, key, checksum of key and data, and their length."""
_MARK = b"work"
_COMMIT = -1
_STAMP = -2
"""Kind of the first record; in a folded file its number is how many commits there were."""
_END = -3
"""Kind of the last record that a fold writes."""
FILES: Final = 16
"""Files of records; one holds the places that leave the same remainder."""
_MARKS = struct.Struct("<" + FILES * "QII")
"""The marks of all files: the first bytes of a commit."""

Key = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class _Mark:
    """What a file of records was when a commit was made; all 0 where it was not there.

    Attributes:
        end: Where it ended, in bytes.
        records: How many records it had.
        digest: CRC-32 of the keys and checksums of all of them, in order.
    """

    end: int = 0
    records: int = 0
    digest: int = 0

    def after(self, key: Key, checksum: int, end: int) -> _Mark:
        """The mark after one more record."""
        return _Mark(end, self.records + 1, zlib.crc32(struct.pack("<iiiI", *key, checksum), self.digest))


def _packed_marks(files: Iterable[_RecordFile | None]) -> bytes:
    marks = [_Mark() if file is None else file.mark for file in files]
    return _MARKS.pack(*(number for mark in marks for number in (mark.end, mark.records, mark.digest)))


def _read_marks(data: bytes) -> list[_Mark]:
    numbers = _MARKS.unpack_from(data)
    return [_Mark(*numbers[first : first + 3]) for first in range(0, len(numbers), 3)]


@dataclass(slots=True)
class _RecordFile:
    """A file of records.

    Attributes:
        handle: The open file.
        commits: How many commits there were when it was folded; 0 where it has not been.
        base: Where what was put since then begins.
        mark: What it is now; its end is where the next record begins.
        is_new: Whether something was written that may not be on disk.
        where: Place, length and checksum of each record, by kind and place, and by number.
    """

    handle: int
    commits: int = 0
    base: int = 0
    mark: _Mark = _Mark()
    is_new: bool = False
    where: dict[tuple[int, int], dict[int, tuple[int, int, int]]] = field(
        default_factory=dict[tuple[int, int], dict[int, tuple[int, int, int]]]
    )

    @property
    def end(self) -> int:
        """Where the next record begins."""
        return self.mark.end

    @property
    def grown(self) -> int:
        """Bytes that were put since it was folded."""
        return self.end - self.base

    def append(self, key: Key, data: bytes) -> None:
        """Writes a record behind the others."""
        checksum = _sum(key, data)
        record = _RECORD.pack(_MARK, *key, checksum, len(data)) + data
        done = 0
        while done < len(record):
            done += os.pwrite(self.handle, record[done:], self.end + done)
        self.note(key, self.end + _RECORD.size, len(data), checksum)
        self.mark = self.mark.after(key, checksum, self.end + len(record))
        self.is_new = True

    def note(self, key: Key, *where: int) -> None:
        """A record stands there."""
        kind, number, place = key
        at, length, checksum = where
        if kind >= 0:
            self.where.setdefault((kind, place), {})[number] = at, length, checksum

    def sound(self) -> Generator[tuple[Key, bytes, int, int]]:
        """The records from the first on that are sound: key, data, checksum, and where each of them ends."""
        at, size = 0, os.fstat(self.handle).st_size
        while at + _RECORD.size <= size:
            mark, kind, number, place, checksum, length = _RECORD.unpack(os.pread(self.handle, _RECORD.size, at))
            if mark != _MARK or length > size - at:
                return
            data = os.pread(self.handle, length, at + _RECORD.size)
            if len(data) != length or _sum((kind, number, place), data) != checksum:
                return
            at += _RECORD.size + length
            yield (kind, number, place), data, checksum, at

    def cut(self, mark: _Mark) -> None:
        """Deletes the records behind a mark."""
        os.ftruncate(self.handle, mark.end)
        self.mark = mark

    def fsync(self) -> None:
        """What was written is on disk when this returns."""
        if self.is_new:
            os.fsync(self.handle)
            self.is_new = False


_Known = tuple[Key, int, int, _Mark]
"""A sound record: its key, length and checksum, and the mark of its file after it."""


class WorkLog:
    """The work file of one build, open for reading and appending; safe from several threads.

    Args:
        path: The file of commits; it is made where it is not there. The records stand beside it.
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
        self.restarted = ""
        """Why the work file that was there cannot be used, one clause; empty where it can, or there was none."""
        self._count = 0
        """How many commits the work file has."""
        self._files: list[_RecordFile | None] = [None] * FILES
        with storage_errors(path.parent):
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = _RecordFile(_opened(path, os.O_CREAT))
            if not self._recovered():
                self._begin_anew()

    def _recovered(self) -> bool:
        """Restores the last commit that agrees with all files; False where there is none."""
        commits = list[tuple[int, bytes, _Mark]]()
        mark = _Mark()
        for key, data, checksum, end in self._file.sound():
            mark = mark.after(key, checksum, end)
            if key[0] == _STAMP and data != self._stamp:
                self.restarted = "was made from other tables or by another version"
                return False
            if key[0] == _COMMIT:
                commits.append((key[1], data, mark))
        if commits or mark.end < os.fstat(self._file.handle).st_size:
            self.restarted = "is damaged"
        known = [self._open(place) for place in range(FILES)]
        for count in range(len(commits), 0, -1):
            _, data, mark = commits[count - 1]
            ends = [
                self._end_at(place, count, *at) for place, at in enumerate(zip(_read_marks(data), known, strict=True))
            ]
            if None in ends:
                continue
            self.commits = {number: data[_MARKS.size :] for number, data, _ in commits[:count]}
            self._count = count
            self._file.cut(mark)
            for file, end, records in zip(self._files, ends, known, strict=True):
                if file is not None and end is not None:
                    file.cut(end)
                    for key, length, checksum, after in records:
                        if after.end <= end.end:
                            file.note(key, after.end - length, length, checksum)
            self.restarted = ""
            return True
        return False

    def _end_at(self, place: int, count: int, mark: _Mark, records: Sequence[_Known]) -> _Mark | None:
        """What a file must be cut to for a commit; None where it does not agree with it.

        Args:
            place: The number of the file.
            count: The number of the commit, from 1.
            mark: The mark of the file in this commit.
            records: Its sound records.
        """
        file, absent = self._files[place], _Mark()
        if file is None:
            return mark if mark == absent else None
        at_base = next((after for *_, after in records if after.end == file.base), None)
        if file.commits == count:  # folded right after this commit
            return at_base
        if mark == absent and not file.commits:  # made after it
            return at_base
        if file.commits < count and any(after == mark for *_, after in records):
            return mark
        return None

    def _begin_anew(self) -> None:
        for place, file in enumerate(self._files):
            if file is not None:
                os.close(file.handle)
            self._files[place] = None
        for path in files_of(self.path)[1:]:
            path.unlink(missing_ok=True)
        self.commits.clear()
        self._count = 0
        self._file.cut(_Mark())
        self._file.append((_STAMP, 0, 0), self._stamp)

    # Files of records.

    def _path_of(self, place: int) -> Path:
        return self.path.with_name(f"{self.path.name}.{place}")

    def _stamp_of(self, place: int) -> bytes:
        """The stamp of a file of records: a file in the place of another one is not taken for it."""
        return self._stamp + f" file {place}".encode()

    def _open(self, place: int) -> list[_Known]:
        """Opens a file of records, where it is there; returns its sound ones."""
        path, known = self._path_of(place), list[_Known]()
        if not path.exists():
            return known
        file, mark = _RecordFile(_opened(path)), _Mark()
        for key, data, checksum, end in file.sound():
            if key[0] == _STAMP:
                if data != self._stamp_of(place):
                    break
                file.commits = key[1]
            mark = mark.after(key, checksum, end)
            if key[0] == _END or (key[0] == _STAMP and not file.commits):
                file.base = end
            known.append((key, len(data), checksum, mark))
        if not file.base:
            os.close(file.handle)
            return []
        self._files[place] = file
        return known

    def fold(self, records: Callable[[Iterable[int]], Iterable[tuple[int, int, int, bytes]]]) -> None:
        """Writes the records of one file anew, of that to which most was put; all of it must have been committed.

        Args:
            records: Given the places of the file (0 to 127, of those that there are), all the records that it shall
                have: kind, number, place, data. They are asked for while the old ones can still be read.
        """
        grown = [-1 if file is None else file.grown for file in self._files]
        place = max(range(FILES), key=grown.__getitem__)
        if (file := self._files[place]) is not None:
            self._files[place] = self._written(place, records(sorted({at for _, at in file.where})))
            os.close(file.handle)

    def _written(self, place: int, records: Iterable[tuple[int, int, int, bytes]]) -> _RecordFile:
        """A file of these records, which replaces the one that is there when it is written."""
        path = self._path_of(place)
        unfinished = _unfinished(path)
        with storage_errors(path.parent):
            new = _RecordFile(_opened(unfinished, os.O_CREAT | os.O_TRUNC), self._count)
            try:
                new.append((_STAMP, new.commits, 0), self._stamp_of(place))
                for *key, data in records:
                    new.append((key[0], key[1], key[2]), data)
                new.append((_END, 0, 0), b"")
                new.base = new.end
                new.fsync()
                unfinished.replace(path)
            except BaseException:
                os.close(new.handle)
                unfinished.unlink(missing_ok=True)
                raise
            sync_directory(path.parent)
        return new

    # Records.

    def put(self, kind: int, number: int, place: int, data: bytes) -> None:
        """Appends a record; it counts from the next commit on."""
        with self._lock, storage_errors(self.path.parent):
            file = self._files[place % FILES]
            if file is None:
                file = self._files[place % FILES] = _RecordFile(
                    _opened(self._path_of(place % FILES), os.O_CREAT | os.O_TRUNC)
                )
                sync_directory(self.path.parent)
                file.append((_STAMP, 0, 0), self._stamp_of(place % FILES))
                file.base = file.end
            file.append((kind, number, place), data)

    def commit(self, number: int, data: bytes = b"") -> None:
        """All that was put belongs together, and is on disk when this returns."""
        with self._lock, storage_errors(self.path.parent):
            for file in self._files:
                if file is not None:
                    file.fsync()
            self._file.append((_COMMIT, number, 0), _packed_marks(self._files) + data)
            self._file.fsync()
            self._count += 1
        self.commits[number] = data

    def _known(self, place: int) -> dict[tuple[int, int], dict[int, tuple[int, int, int]]]:
        file = self._files[place % FILES]
        return {} if file is None else file.where

    def get(self, kind: int, number: int, place: int) -> bytes | None:
        """A record, None where there is none; raises StorageError when it is not what it was."""
        file, known = self._files[place % FILES], self._known(place).get((kind, place), {}).get(number)
        if file is None or known is None:
            return None
        at, length, checksum = known
        with storage_errors(self.path.parent):
            data = os.pread(file.handle, length, at)
        if _sum((kind, number, place), data) != checksum:
            self.remove()
            raise StorageError(f"the work file {self.path.name} is damaged", "build again: it begins anew")
        return data

    @property
    def size(self) -> tuple[int, int]:
        """Bytes that were put since the last fold, and of what is folded."""
        files = [file for file in self._files if file is not None]
        return sum(file.grown for file in files), sum(file.base for file in files)

    def numbers(self, kind: int, place: int | None = None) -> list[int]:
        """The numbers that records of a kind have, at a place or anywhere, ascending."""
        if place is not None:
            return sorted(self._known(place).get((kind, place), {}))
        every = (records for at in range(FILES) for (of, _), records in self._known(at).items() if of == kind)
        return sorted({number for records in every for number in records})

    def kinds(self, place: int) -> list[int]:
        """The kinds of records at a place, ascending."""
        return sorted(kind for (kind, at), records in self._known(place).items() if at == place and records)

    def close(self) -> None:
        """Lets go of the files, which stay."""
        for file in (self._file, *self._files):
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
    names = [path, *(path.with_name(f"{path.name}.{place}") for place in range(FILES))]
    return [file for name in names for file in (name, _unfinished(name)) if file.is_file()]


def _unfinished(path: Path) -> Path:
    return path.with_name(f"{path.name}.part")


def _opened(path: Path, flags: int = 0) -> int:
    return os.open(path, os.O_RDWR | flags | getattr(os, "O_BINARY", 0), 0o644)


def _sum(key: Key, data: bytes) -> int:
    return zlib.crc32(data, zlib.crc32(struct.pack("<iii", *key)))

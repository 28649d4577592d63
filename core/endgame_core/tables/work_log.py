"""The work file of a long build, from which a build that was cancelled, killed or lost power is resumed.

It consists of a file of commits, ``NAME.work``, and sixteen files of records, ``NAME.work.0`` to ``NAME.work.15``. The
records of a place are in the file with the number ``place % 16``.

**Format.** All files are sequences of records, and are only appended to::

    "work" | kind, number, place (int32 each) | CRC-32 of key and data | length (uint64) | data

The first record of a file, its *stamp*, names what is built and the number of the file. A *commit* is a record of the
file of commits. It has a :class:`_Mark` of each of the sixteen files: where it ended, how many records it had, and a
CRC-32 of all their keys and checksums.

**Resuming.** Records are written first, all files are synced, then the commit is written and synced. Whenever the
process ends, the disk has all that the last commit names, and perhaps more records after it. When a work file is
opened, each file is read up to its first damaged record; then the last commit counts whose marks agree with all sixteen
files. What follows it is cut off; nothing else is trusted. If no commit is left the build restarts, and
:attr:`WorkLog.restart_reason` says why.

Suppose a pass writes records to files 3 and 7, and the power fails while it commits. The commit is torn, so the one
before it counts, and both files are cut to where they ended then. The pass runs again.

**Folding.** Records that are no longer needed one by one can be *folded*: the owner merges them, and a file with the
merged records replaces the old one by a rename. Never more than one file of sixteen is on the
disk twice. A folded file agrees with no mark of an earlier commit. So its stamp has the number of commits at that time:
it belongs to the last of them, and its records up to the end of the fold are what that commit had, in another form.
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

from endgame_core.errors import WorkFileError
from endgame_core.language import _
from endgame_core.paths import storage_errors
from endgame_core.system import BINARY, RENAMES_OPEN_FILES, read_at, sync_directory, write_at

_RECORD = struct.Struct("<4siiiIQ")
"""Header of a record: mark, key, checksum of key and data, and the length of the data."""
_MARK = b"work"
_COMMIT = -1
_STAMP = -2
"""Kind of the first record; in a folded file its number is the number of commits at that time."""
_END = -3
"""Kind of the last record that a fold writes."""
FILES: Final = 16
"""Number of files of records; the records of a place are in the file with the *file number* ``place % FILES``."""
_MARKS = struct.Struct("<" + FILES * "QII")
"""The marks of all files: the first bytes of a commit."""

Key = tuple[int, int, int]
"""Kind, number and place of a record. The owner of the work file chooses them; the place decides in which file it is:
the solver of chess has a place for each side to move and plane.
"""


@dataclass(frozen=True, slots=True)
class _Mark:
    """The state of a file of records when a commit was made; all 0 if the file did not exist.

    Attributes:
        end: Its length in bytes.
        records: Its number of records.
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
        handle: The open file, -1 when it is closed.
        commits: Number of commits when it was folded; 0 if it was not.
        base: Length of its folded records; later records follow.
        mark: Its current state; the next record begins at its end.
        is_new: Whether something was written that may not be on disk.
        index: By kind and place, and by number: offset, length and checksum of the data of each record.
    """

    handle: int
    commits: int = 0
    base: int = 0
    mark: _Mark = _Mark()
    is_new: bool = False
    index: dict[tuple[int, int], dict[int, tuple[int, int, int]]] = field(
        default_factory=dict[tuple[int, int], dict[int, tuple[int, int, int]]]
    )

    @property
    def end(self) -> int:
        """The offset at which the next record begins."""
        return self.mark.end

    @property
    def growth(self) -> int:
        """Bytes that were appended after it was folded."""
        return self.end - self.base

    def append(self, key: Key, data: bytes) -> None:
        """Append a record."""
        checksum = _checksum(key, data)
        record = _RECORD.pack(_MARK, *key, checksum, len(data)) + data
        written = 0
        while written < len(record):
            written += write_at(self.handle, record[written:], self.end + written)
        self.note(key, self.end + _RECORD.size, len(data), checksum)
        self.mark = self.mark.after(key, checksum, self.end + len(record))
        self.is_new = True

    def note(self, key: Key, offset: int, length: int, checksum: int) -> None:
        """Add a record to the index; stamps and commits are not looked up, and left out."""
        kind, number, place = key
        if kind >= 0:
            self.index.setdefault((kind, place), {})[number] = (offset, length, checksum)

    def read_records(self) -> Generator[tuple[Key, bytes, int, int]]:
        """Yield key, data, checksum and end of each record, up to the first damaged one."""
        at = 0
        size = os.fstat(self.handle).st_size
        while at + _RECORD.size <= size:
            mark, kind, number, place, checksum, length = _RECORD.unpack(read_at(self.handle, _RECORD.size, at))
            if mark != _MARK or length > size - at:
                return
            data = read_at(self.handle, length, at + _RECORD.size)
            if len(data) != length or _checksum((kind, number, place), data) != checksum:
                return
            at += _RECORD.size + length
            yield (kind, number, place), data, checksum, at

    def cut(self, mark: _Mark) -> None:
        """Delete the records after a mark."""
        os.ftruncate(self.handle, mark.end)
        self.mark = mark

    def fsync(self) -> None:
        """Return when everything that was written is on disk."""
        if self.is_new:
            os.fsync(self.handle)
            self.is_new = False


_SoundRecord = tuple[Key, int, int, _Mark]
"""A sound record: its key, length and checksum, and the mark of its file after it."""


class WorkLog:
    """The work file of one build, open for reading and appending; thread-safe.

    Args:
        path: The file of commits, which is created if it does not exist. The files of records are next to it.
        stamp: What is built, from what. A work file with another stamp is discarded.

    Attributes:
        commits: The data of each commit, by its number.
        restart_reason: Why the existing work file cannot be used, one clause; empty if it can, or there was none.

    Raises:
        StorageError: A file cannot be read or written.
    """

    def __init__(self, path: Path, stamp: str) -> None:
        self.path = path
        self._stamp = stamp.encode()
        self._lock = threading.Lock()
        self.commits: dict[int, bytes] = {}
        self.restart_reason = ""
        self._count = 0
        """Number of commits in the file of commits."""
        self._files: list[_RecordFile | None] = [None] * FILES
        with storage_errors(path.parent):
            path.parent.mkdir(parents=True, exist_ok=True)
            # Records without their commits. Looked up before the file of commits is opened, which creates it.
            has_lost_commits = bool(files_of(path)) and not (path.is_file() and path.stat().st_size)
            self._file = _RecordFile(_open_file(path, os.O_CREAT))
            if has_lost_commits:
                self.restart_reason = _("is damaged")
            if not self._recover():
                self._restart()

    def _recover(self) -> bool:
        """Restore the last commit that agrees with all files; return False if there is none."""
        commits: list[tuple[int, bytes, _Mark]] = []
        mark = _Mark()
        for key, data, checksum, end in self._file.read_records():
            mark = mark.after(key, checksum, end)
            if key[0] == _STAMP and data != self._stamp:
                self.restart_reason = _("was made from different tables or by a different version")
                return False
            if key[0] == _COMMIT:
                commits.append((key[1], data, mark))
        # Cleared below once a commit agrees with all files; an empty file of commits is just a new build.
        if commits or mark.end < os.fstat(self._file.handle).st_size:
            self.restart_reason = _("is damaged")
        sound_records = [self._open(file_number) for file_number in range(FILES)]
        # From the last commit back to the first: one whose marks do not agree with some file is skipped.
        for count in range(len(commits), 0, -1):
            __, data, mark = commits[count - 1]
            ends = [
                self._end_at(file_number, count, file_mark, records)
                for file_number, (file_mark, records) in enumerate(zip(_read_marks(data), sound_records, strict=True))
            ]
            if None in ends:
                continue
            self.commits = {number: data[_MARKS.size :] for number, data, __ in commits[:count]}
            self._count = count
            self._file.cut(mark)
            for file, end, records in zip(self._files, ends, sound_records, strict=True):
                if file is not None and end is not None:
                    file.cut(end)
                    for key, length, checksum, after in records:
                        if after.end <= end.end:
                            file.note(key, after.end - length, length, checksum)
            self.restart_reason = ""
            return True
        return False

    def _end_at(self, file_number: int, count: int, mark: _Mark, records: Sequence[_SoundRecord]) -> _Mark | None:
        """The mark to which a file has to be cut for a commit; None if the file does not agree with the commit.

        Args:
            file_number: The number of the file.
            count: The number of the commit, from 1.
            mark: The mark of the file in this commit.
            records: The sound records of the file.
        """
        file = self._files[file_number]
        is_absent = mark == _Mark()
        if file is None:
            return mark if is_absent else None
        # The record at which the folded part ends, or the stamp of a file that was never folded.
        at_base = next((after for *__, after in records if after.end == file.base), None)
        if file.commits == count:  # folded right after this commit: later records are newer
            return at_base
        if is_absent and not file.commits:  # made after this commit: cut to its stamp
            return at_base
        if file.commits < count and any(after == mark for *__, after in records):
            return mark
        return None

    def _restart(self) -> None:
        """Delete the files of records, and begin the file of commits again."""
        for file_number, file in enumerate(self._files):
            if file is not None:
                os.close(file.handle)
            self._files[file_number] = None
        # The first is the file of commits, which is open.
        for path in files_of(self.path)[1:]:
            path.unlink(missing_ok=True)
        self.commits.clear()
        self._count = 0
        self._file.cut(_Mark())
        self._file.append((_STAMP, 0, 0), self._stamp)

    # Files of records.

    def _path_of(self, file_number: int) -> Path:
        return self.path.with_name(f"{self.path.name}.{file_number}")

    def _stamp_of(self, file_number: int) -> bytes:
        """The stamp of a file of records: it has the file's number, so that exchanged files are noticed."""
        return self._stamp + f" file {file_number}".encode()

    def _open(self, file_number: int) -> list[_SoundRecord]:
        """Open a file of records, if it exists; return its sound records."""
        path = self._path_of(file_number)
        sound_records: list[_SoundRecord] = []
        if not path.exists():
            return sound_records
        file = _RecordFile(_open_file(path))
        mark = _Mark()
        for key, data, checksum, end in file.read_records():
            if key[0] == _STAMP:
                if data != self._stamp_of(file_number):
                    break
                file.commits = key[1]
            mark = mark.after(key, checksum, end)
            if key[0] == _END or (key[0] == _STAMP and not file.commits):
                file.base = end
            sound_records.append((key, len(data), checksum, mark))
        # Without a sound stamp or a whole fold nothing in it can be trusted: it counts as missing.
        if not file.base:
            os.close(file.handle)
            return []
        self._files[file_number] = file
        return sound_records

    def fold(self, records: Callable[[Iterable[int]], Iterable[tuple[int, int, int, bytes]]]) -> None:
        """Fold the file with the most new records; all its records must be committed.

        Args:
            records: Called with the places of the file that have records, ascending. Returns all records of the new
                file: kind, number, place, data. Meanwhile the old records can be read.

        Folding saves space only; nothing is folded where the open files cannot be replaced.
        """
        growth = [-1 if file is None else file.growth for file in self._files]
        file_number = max(range(FILES), key=growth.__getitem__)
        file = self._files[file_number]
        if file is not None and RENAMES_OPEN_FILES:
            self._files[file_number] = self._rewrite(file_number, records(sorted({at for __, at in file.index})))
            os.close(file.handle)

    def _rewrite(self, file_number: int, records: Iterable[tuple[int, int, int, bytes]]) -> _RecordFile:
        """Write a file of records, which replaces the existing one when it is complete."""
        path = self._path_of(file_number)
        unfinished = _unfinished(path)
        with storage_errors(path.parent):
            new = _RecordFile(_open_file(unfinished, os.O_CREAT | os.O_TRUNC), self._count)
            try:
                new.append((_STAMP, new.commits, 0), self._stamp_of(file_number))
                for *key, data in records:
                    new.append((key[0], key[1], key[2]), data)
                new.append((_END, 0, 0), b"")
                new.base = new.end
                new.fsync()
                # Until here the old file is used; from here on a build resumes with the new one.
                unfinished.replace(path)
            except BaseException:
                os.close(new.handle)
                unfinished.unlink(missing_ok=True)
                raise
            # The rename itself has to reach the disk before the next commit relies on it.
            sync_directory(path.parent)
        return new

    # Records.

    def put(self, kind: int, number: int, place: int, data: bytes) -> None:
        """Append a record; it counts from the next commit on."""
        with self._lock, storage_errors(self.path.parent):
            file = self._files[place % FILES]
            if file is None:
                file = _RecordFile(_open_file(self._path_of(place % FILES), os.O_CREAT | os.O_TRUNC))
                self._files[place % FILES] = file
                # A commit that names the records must not survive a power failure that loses the file's name.
                sync_directory(self.path.parent)
                file.append((_STAMP, 0, 0), self._stamp_of(place % FILES))
                file.base = file.end
            file.append((kind, number, place), data)

    def commit(self, number: int, data: bytes = b"") -> None:
        """Commit everything that was put before; it is on disk when this returns."""
        with self._lock, storage_errors(self.path.parent):
            # The order matters: a commit on disk must not name records that are not.
            for file in self._files:
                if file is not None:
                    file.fsync()
            self._file.append((_COMMIT, number, 0), _packed_marks(self._files) + data)
            self._file.fsync()
            self._count += 1
        self.commits[number] = data

    def _index_of(self, place: int) -> dict[tuple[int, int], dict[int, tuple[int, int, int]]]:
        """The index of the file with the records of a place."""
        file = self._files[place % FILES]
        return {} if file is None else file.index

    def get(self, kind: int, number: int, place: int) -> bytes | None:
        """Read a record; None if there is none.

        Raises:
            WorkFileError: The record is damaged; the work file is deleted.
            StorageError: It cannot be read.
        """
        file = self._files[place % FILES]
        entry = self._index_of(place).get((kind, place), {}).get(number)
        if file is None or entry is None:
            return None
        offset, length, checksum = entry
        with storage_errors(self.path.parent):
            data = read_at(file.handle, length, offset)
        if _checksum((kind, number, place), data) != checksum:
            self.remove()
            raise WorkFileError(_("the work file {path} is damaged").format(path=self.path.name), _("build again"))
        return data

    @property
    def size(self) -> tuple[int, int]:
        """Bytes of records that are not folded, and bytes that are."""
        files = [file for file in self._files if file is not None]
        return sum(file.growth for file in files), sum(file.base for file in files)

    def numbers(self, kind: int, place: int | None = None) -> list[int]:
        """The numbers of the records of a kind, at a place or anywhere, ascending."""
        if place is not None:
            return sorted(self._index_of(place).get((kind, place), {}))
        numbers: set[int] = set()
        for file in range(FILES):
            for (record_kind, __), records in self._index_of(file).items():
                if record_kind == kind:
                    numbers.update(records)
        return sorted(numbers)

    def kinds(self, place: int) -> list[int]:
        """The kinds of records at a place, ascending."""
        return sorted(kind for (kind, at), records in self._index_of(place).items() if at == place and records)

    def close(self) -> None:
        """Close the files, without deleting them."""
        for file in (self._file, *self._files):
            if file is not None and file.handle >= 0:
                os.close(file.handle)
                file.handle = -1

    def remove(self) -> None:
        """Delete the files: the build is finished."""
        self.close()
        for path in files_of(self.path):
            path.unlink(missing_ok=True)


def files_of(path: Path) -> list[Path]:
    """The existing files of a work file, the file of commits first."""
    names = [path, *(path.with_name(f"{path.name}.{file_number}") for file_number in range(FILES))]
    return [file for name in names for file in (name, _unfinished(name)) if file.is_file()]


def _unfinished(path: Path) -> Path:
    return path.with_name(f"{path.name}.part")


def _open_file(path: Path, flags: int = 0) -> int:
    return os.open(path, os.O_RDWR | flags | BINARY, 0o644)


def _checksum(key: Key, data: bytes) -> int:
    return zlib.crc32(data, zlib.crc32(struct.pack("<iii", *key)))

"""Arrays that are too large to be held in memory: files without a name that are mapped, and gone with the array.

The codes of an ending of six men with one side to move take ten gigabytes and more. Of a mapped file only what is
looked at counts as memory, and the system takes that back when it needs it. The room on the disk is taken at once, so
that a full disk is told of at the beginning, and not by a signal in the middle.

Where somebody has said how much memory may be taken (:func:`limited`), arrays are held as far as that goes, the rest
are files, and of these what has been looked at is let go whenever the process comes near its limit.
"""

from __future__ import annotations

import mmap
import os
import sys
import tempfile
import threading
import weakref
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from endgame_core.paths import storage_errors
from endgame_core.tables.numeric import np

if TYPE_CHECKING:
    from numpy.typing import NDArray

HELD: Final = 3 << 29
"""Bytes of an array that are held in memory however little there is."""
_SHARE = 3
"""A larger one is held, too, where it takes no more than this part of what is free: a file waits for the disk."""

_NO_RESERVE = 0x4000
"""Linux takes memory for what is written only; Python tells of this flag from 3.13 on."""

ENDLESS: Final = 1 << 62
"""More memory than any machine has."""
LEAST: Final = 800_000_000
"""Bytes of memory without which nobody works with arrays that are files: the program, and what is at hand of them."""
_SMALL = 1 << 26
"""Bytes of an array that is not counted where memory is limited."""
APART = 600_000_000
"""Bytes that are not for arrays where memory is limited: the program, and small arrays."""
_NEAR = 0.9
"""Part of what is allowed at which files are let go."""
_LOOK = 0.01
"""Seconds between two looks at how much memory is taken, where there are files."""

_places: list[Path] = []
"""Where the files of this process lie."""


def cores() -> int:
    """As many threads as the machine runs at once."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def free_memory() -> int | None:
    """Bytes of memory that can be had without swapping; None where the system does not tell."""
    try:
        with Path("/proc/meminfo").open() as lines:
            return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:"))
    except (OSError, StopIteration, ValueError):
        return None


def default_memory() -> int:
    """Bytes of memory that are taken where nobody has said how many may be: three quarters of what is free."""
    free = free_memory()
    return ENDLESS if free is None else free * 3 // 4


def set_scratch_dir(directory: Path) -> None:
    """From now on the files of this process lie in a directory, which need not exist yet."""
    _places[:] = [directory]


class Limit:
    """So many bytes as this process may take.

    Args:
        most: They.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self._held = 0
        self._files: weakref.WeakSet[mmap.mmap] = weakref.WeakSet()
        self._saying = threading.Lock()
        self._over = threading.Event()

    @property
    def left(self) -> int:
        """Bytes of arrays that may still be held."""
        return max(0, self.most - APART - self._held)

    def hold(self, array: mmap.mmap, size: int) -> None:
        """An array is held, for as long as it is there."""
        self._held += size
        weakref.finalize(array, self._release, size)

    def _release(self, size: int) -> None:
        self._held -= size

    def watch(self, array: mmap.mmap) -> None:
        """An array is a file, of which pages are let go whenever there are too many."""
        with self._saying:
            if not self._files:
                threading.Thread(target=self._look, daemon=True).start()
            self._files.add(array)

    def end(self) -> None:
        """Nobody looks any more."""
        self._over.set()

    def evict(self) -> bool:
        """Lets pages of files go if too much is taken; whether there are files."""
        with self._saying:
            if hasattr(mmap, "MADV_DONTNEED") and (resident_bytes() or 0) > _NEAR * self.most:
                for array in self._files:
                    with suppress(ValueError, OSError):
                        array.madvise(mmap.MADV_DONTNEED)  # the file keeps what was written
            return bool(self._files)

    def _look(self) -> None:
        while not self._over.wait(_LOOK) and self.evict():
            pass


_limits: list[Limit] = []
"""How much this process may take; none where nobody has said."""


@contextmanager
def memory_limit(most: int) -> Generator[Limit]:
    """Meanwhile this process takes so many bytes of memory at most; else it takes as many as there are."""
    limit = Limit(most)
    _limits[:] = [limit]
    try:
        yield limit
    finally:
        _limits.clear()
        limit.end()


def resident_bytes() -> int | None:
    """Bytes of memory that this process takes; None where the system does not tell."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * mmap.PAGESIZE
    except (OSError, ValueError, IndexError):
        return None


def zeros(count: int, kind: Any, parts: Sequence[tuple[int, int]] | None = None) -> NDArray[Any]:
    """An array of so many zeros.

    Args:
        count: How many.
        kind: Their dtype.
        parts: First and end of what is written of it; all of it by default.

    Raises:
        StorageError: It is large, and there is no room for it on the disk, or the directory cannot be written.
    """
    each = np.dtype(kind).itemsize
    parts = [(0, count)] if parts is None else parts
    size, written = count * each, [(each * first, each * end) for first, end in parts]
    limit = _limits[0] if _limits else None
    counted = limit is not None and sys.platform == "linux"  # elsewhere nothing but a file takes memory when it is used
    if size <= (_SMALL if counted else HELD):
        return np.zeros(count, kind)
    room = sum(end - first for first, end in written)
    most = max(HELD, (free_memory() or 0) // _SHARE) if limit is None else limit.left
    if room <= most and sys.platform == "linux":
        with suppress(OSError):  # the process may have no more addresses
            held = mmap.mmap(-1, size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _NO_RESERVE)
            if limit is not None:
                limit.hold(held, room)
            return np.frombuffer(held, kind)
    place = _places[0] if _places else Path(tempfile.gettempdir())
    with storage_errors(place):
        place.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=place) as file:
            os.ftruncate(file.fileno(), size)
            if hasattr(os, "posix_fallocate"):
                for first, end in written:
                    os.posix_fallocate(file.fileno(), first, end - first)
            mapped = mmap.mmap(file.fileno(), size)
            if limit is not None:
                limit.watch(mapped)
            return np.frombuffer(mapped, kind)

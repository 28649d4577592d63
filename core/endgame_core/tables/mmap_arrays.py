"""Arrays that may be too large for memory: mapped temporary files without a name, which vanish with the array.

The codes of a six-man ending with one side to move take ten gigabytes and more. Only the pages of a mapped file that
are used count as memory, and the system can reclaim them. The disk space is allocated at once, so that a full disk is
reported at the beginning, and not by a signal in the middle.

Inside :func:`memory_limit` arrays are in memory as far as the limit allows, the rest are files, and pages of files are
evicted whenever the process comes near its limit.
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
from endgame_core.system import reserve
from endgame_core.tables.numeric import np

if TYPE_CHECKING:
    from numpy.typing import NDArray

IN_MEMORY_BYTES: Final = 3 << 29
"""Bytes up to which an array is always in memory, however little there is."""
_FREE_SHARE = 3
"""A larger array is also kept in memory if it takes at most 1/3 of the free memory: files wait for the disk."""

_NO_RESERVE = 0x4000
"""Linux allocates memory on the first write only; Python has a name for this flag from 3.13 on."""

UNLIMITED: Final = 1 << 62
"""More memory than any machine has."""
MIN_MEMORY: Final = 800_000_000
"""Bytes of memory that work with mapped arrays requires: the program, and the pages in use."""
_UNCOUNTED_BYTES = 1 << 26
"""Bytes up to which an array does not count against a limit."""
RESERVED_MEMORY: Final = 600_000_000
"""Bytes of a limit that are not for arrays: the program, and small arrays."""
_EVICTION_SHARE = 0.9
"""Part of the limit at which pages of files are evicted."""
_POLL = 0.01
"""Seconds between two looks at the memory in use while there are files."""

_scratch_dirs: list[Path] = []
"""The directory for the files of this process, if it is set."""


def free_memory() -> int | None:
    """Bytes of memory that are available without swapping; None if the system does not say."""
    try:
        with Path("/proc/meminfo").open(encoding="ascii") as lines:
            return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:"))
    except (OSError, StopIteration, ValueError):
        return None


def default_memory() -> int:
    """The default memory limit in bytes: 75 % of the free memory."""
    free = free_memory()
    if free is None:
        return UNLIMITED
    return free * 3 // 4


def set_scratch_dir(directory: Path) -> None:
    """Set the directory for the files of this process; it need not exist yet."""
    _scratch_dirs[:] = [directory]


class Limit:
    """A memory limit of this process.

    Args:
        memory: The limit in bytes.
    """

    def __init__(self, memory: int) -> None:
        self.memory = memory
        self._allocated = 0
        self._files: weakref.WeakSet[mmap.mmap] = weakref.WeakSet()
        self._guard = threading.Lock()
        self._is_over = threading.Event()

    @property
    def available(self) -> int:
        """Bytes that are left for arrays in memory."""
        return max(0, self.memory - RESERVED_MEMORY - self._allocated)

    def count(self, array: mmap.mmap, size: int) -> None:
        """Count an array in memory against the limit until it is garbage-collected."""
        self._allocated += size
        weakref.finalize(array, self._release, size)

    def _release(self, size: int) -> None:
        self._allocated -= size

    def watch(self, file: mmap.mmap) -> None:
        """Evict pages of a mapped file from now on whenever too much memory is used."""
        with self._guard:
            # The thread ends when there are no files left, so the first file starts it (again).
            if not self._files:
                threading.Thread(target=self._poll, daemon=True).start()
            self._files.add(file)

    def end(self) -> None:
        """Stop watching."""
        self._is_over.set()

    def evict(self) -> bool:
        """Evict the pages of all files if too much memory is used; return whether there are files."""
        with self._guard:
            used = resident_bytes() or 0
            if hasattr(mmap, "MADV_DONTNEED") and used > _EVICTION_SHARE * self.memory:
                for file in self._files:
                    with suppress(ValueError, OSError):
                        file.madvise(mmap.MADV_DONTNEED)  # what was written stays in the file
            return bool(self._files)

    def _poll(self) -> None:
        while not self._is_over.wait(_POLL) and self.evict():
            pass


_limits: list[Limit] = []
"""The memory limit of this process, if there is one."""


@contextmanager
def memory_limit(memory: int) -> Generator[Limit]:
    """Limit the memory of arrays to this number of bytes inside this block."""
    limit = Limit(memory)
    _limits[:] = [limit]
    try:
        yield limit
    finally:
        _limits.clear()
        limit.end()


def resident_bytes() -> int | None:
    """Bytes of memory that this process uses; None if the system does not say."""
    try:
        return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * mmap.PAGESIZE
    except (OSError, ValueError, IndexError):
        return None


def zeros(count: int, kind: Any, parts: Sequence[tuple[int, int]] | None = None) -> NDArray[Any]:
    """An array of zeros, in memory or as a mapped file.

    Args:
        count: Number of elements.
        kind: Their dtype.
        parts: (first, end) of the parts that will be written; the whole array by default. Only these take memory or
            disk space.

    Raises:
        StorageError: It is large, and the disk has no space for it, or the directory cannot be written.
    """
    item_size = np.dtype(kind).itemsize
    parts = [(0, count)] if parts is None else parts
    size = count * item_size
    written = [(item_size * first, item_size * end) for first, end in parts]

    limit = _limits[0] if _limits else None
    is_limited = limit is not None and sys.platform == "linux"  # elsewhere even an array of zeros takes memory at once
    if size <= (_UNCOUNTED_BYTES if is_limited else IN_MEMORY_BYTES):
        return np.zeros(count, kind)

    # Pages that are never written take neither memory nor disk space.
    used = sum(end - first for first, end in written)
    available = max(IN_MEMORY_BYTES, (free_memory() or 0) // _FREE_SHARE)
    if limit is not None:
        available = limit.available
    if used <= available and sys.platform == "linux":
        with suppress(OSError):  # the address space of the process may be limited
            memory = mmap.mmap(-1, size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _NO_RESERVE)
            if limit is not None:
                limit.count(memory, used)
            return np.frombuffer(memory, kind)

    if _scratch_dirs:
        directory = _scratch_dirs[0]
    else:
        directory = Path(tempfile.gettempdir())
    with storage_errors(directory):
        directory.mkdir(parents=True, exist_ok=True)
        # The file has no name, and the mapping outlives its descriptor: the disk space is freed with the array.
        with tempfile.TemporaryFile(dir=directory) as file:
            os.ftruncate(file.fileno(), size)
            for first, end in written:
                reserve(file.fileno(), first, end - first)
            mapped = mmap.mmap(file.fileno(), size)
            if limit is not None:
                limit.watch(mapped)
            return np.frombuffer(mapped, kind)

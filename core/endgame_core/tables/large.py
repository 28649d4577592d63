"""Arrays that are too large to be held in memory: files without a name that are mapped, and gone with the array.

The codes of an ending of six men with one side to move take ten gigabytes and more. Of a mapped file only what is
looked at counts as memory, and the system takes that back when it needs it. The room on the disk is taken at once, so
that a full disk is told of at the beginning, and not by a signal in the middle.
"""

from __future__ import annotations

import mmap
import os
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from endgame_core.paths import storage_errors

if TYPE_CHECKING:
    from numpy.typing import NDArray

HELD: Final = 3 << 29
"""Bytes of an array that are held in memory however little there is."""
_SHARE = 3
"""A larger one is held, too, where it takes no more than this part of what is free: a file waits for the disk."""

_NO_RESERVE = 0x4000
"""Linux takes memory for what is written only; Python tells of this flag from 3.13 on."""

_places: list[Path] = []
"""Where the files of this process lie."""


def free_memory() -> int | None:
    """Bytes of memory that can be had without swapping; None where the system does not tell."""
    try:
        with Path("/proc/meminfo").open() as lines:
            return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:"))
    except (OSError, StopIteration, ValueError):
        return None


def lie_in(directory: Path) -> None:
    """From now on the files of this process lie in a directory, which need not exist yet."""
    _places[:] = [directory]


def zeros(count: int, kind: Any, parts: Sequence[tuple[int, int]] | None = None) -> NDArray[Any]:
    """An array of so many zeros.

    Args:
        count: How many.
        kind: Their dtype.
        parts: First and end of what is written of it; all of it by default.

    Raises:
        StorageError: It is large, and there is no room for it on the disk, or the directory cannot be written.
    """
    import numpy as np

    each = np.dtype(kind).itemsize
    parts = [(0, count)] if parts is None else parts
    size, written = count * each, [(each * first, each * end) for first, end in parts]
    if size <= HELD:
        return np.zeros(count, kind)
    most = max(HELD, (free_memory() or 0) // _SHARE)
    if sum(end - first for first, end in written) <= most and sys.platform == "linux":
        with suppress(OSError):  # the process may have no more addresses
            return np.frombuffer(mmap.mmap(-1, size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _NO_RESERVE), kind)
    place = _places[0] if _places else Path(tempfile.gettempdir())
    with storage_errors(place):
        place.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=place) as file:
            os.ftruncate(file.fileno(), size)
            if hasattr(os, "posix_fallocate"):
                for first, end in written:
                    os.posix_fallocate(file.fileno(), first, end - first)
            return np.frombuffer(mmap.mmap(file.fileno(), size), kind)

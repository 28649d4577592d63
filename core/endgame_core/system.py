"""Differences between operating systems: one function each, with a portable fallback where a system lacks a call.

Nothing else in the program uses calls that only POSIX systems have, except for suspending the app
(``endgame_tui.job_control``), which Windows cannot do.
"""

from __future__ import annotations

import errno
import io
import os
import signal
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

# Files

BINARY = getattr(os, "O_BINARY", 0)
"""Flag of :func:`os.open`: Windows would otherwise replace line feeds."""

DELETED_WHEN_CLOSED = getattr(os, "O_TEMPORARY", 0)
"""Flag of :func:`os.open`: the file is deleted with its last handle. Elsewhere it can be unlinked while it is open."""

RENAMES_OPEN_FILES = sys.platform != "win32"
"""Whether a file can get the name of another while either is open."""

_seek_lock = threading.Lock()
"""Held between a seek and the read or write at that offset, where there is no call for both."""


def read_at(handle: int, length: int, offset: int) -> bytes:
    """Return up to ``length`` bytes of an open file from an offset on; thread-safe. Raises OSError."""
    if hasattr(os, "pread"):
        return os.pread(handle, length, offset)
    with _seek_lock:
        os.lseek(handle, offset, os.SEEK_SET)
        return os.read(handle, length)


def write_at(handle: int, data: bytes, offset: int) -> int:
    """Write to an open file at an offset; return how many bytes were written. Thread-safe. Raises OSError."""
    if hasattr(os, "pwrite"):
        return os.pwrite(handle, data, offset)
    with _seek_lock:
        os.lseek(handle, offset, os.SEEK_SET)
        return os.write(handle, data)


def reserve(handle: int, offset: int, length: int) -> None:
    """Make an open file reach to ``offset + length``, on systems that can do so with room on the disk; raises OSError.

    Writing to a mapped page of a file on a full disk would kill the process by a signal.
    """
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(handle, offset, length)
    elif os.fstat(handle).st_size < offset + length:
        os.ftruncate(handle, offset + length)


def lock_file(file: IO[Any], wait: bool = False) -> bool | None:
    """Lock an open file until it is closed or its process ends.

    Args:
        file: The file.
        wait: Whether to wait while another process holds the lock.

    Returns:
        True if it is locked now, False if another process holds the lock; None if files cannot be locked here.
    """
    try:
        import fcntl
    except ImportError:
        return None
    try:
        fcntl.flock(file, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return False if error.errno in (errno.EAGAIN, errno.EACCES) else None
    return True


def rename_to_free_name(path: Path, new_path: Path) -> None:
    """Give a small file another name, which nothing may have; raises OSError, e.g. FileExistsError."""
    if hasattr(os, "link"):
        os.link(path, new_path)
    else:
        with new_path.open("xb") as file:
            file.write(path.read_bytes())
    path.unlink()


def sync_directory(directory: Path) -> None:
    """Sync the entries of a directory to disk, except on Windows, which opens no directories; raises OSError."""
    if sys.platform == "win32":
        return
    handle = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


# Users


def user_id() -> int:
    """Return the number of the user; 0 on systems without user numbers, where files have no owner to compare."""
    if hasattr(os, "getuid"):
        return os.getuid()
    return 0


def is_own(path: Path) -> bool:
    """Return whether a file, not what it links to, belongs to the user; raises OSError."""
    return path.lstat().st_uid == user_id()


# Processes and signals


def process_is_alive(pid: int) -> bool | None:
    """Return whether a process with this number runs on this machine; None if that cannot be known."""
    if sys.platform == "win32":  # there, signal 0 is Ctrl-C
        return None
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # it belongs to another user
        return True
    except (OSError, OverflowError):
        return None
    return True


def kill_session(pid: int) -> None:
    """Kill a process that was started in a session of its own, with its child processes where that is possible.

    Raises:
        OSError: It has ended.
    """
    if hasattr(os, "killpg") and hasattr(signal, "SIGKILL"):
        os.killpg(pid, signal.SIGKILL)
    else:
        os.kill(pid, signal.SIGTERM)  # on Windows this ends a process at once


def hangup_signal() -> signal.Signals | None:
    """Return the signal that a process gets when its terminal is closed; None where there is none."""
    return getattr(signal, "SIGHUP", None)


@contextmanager
def sigint_blocked() -> Generator[None]:
    """Delay Ctrl-C in this thread; a process that is started meanwhile never gets it.

    Where signals cannot be blocked, Ctrl-C arrives as always.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def input_is_ready(source: io.BufferedIOBase, timeout: float) -> bool:
    """Return whether a pipe has input within ``timeout`` seconds; False where only sockets can be waited for."""
    import select  # most commands read no stream

    with suppress(OSError, ValueError):
        return bool(select.select([source], [], [], timeout)[0])
    return False


# Machine


def cores() -> int:
    """Return the number of threads that can run at once."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def load() -> float:
    """Return how many processes ran or waited on average in the last minute; 0 where the system does not say."""
    if hasattr(os, "getloadavg"):
        return os.getloadavg()[0]
    return 0.0


def lower_priority(by: int) -> None:
    """Let other processes run before this one, where the system can do so; ``by`` is as for ``nice``."""
    if hasattr(os, "nice"):
        os.nice(by)

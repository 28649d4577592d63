"""Locks on tables, by files alone, for the builders of all machines that share a data directory.

A lock is a file that is created exclusively, as even network file systems can. Its owner changes a number in it
every few seconds: the heartbeat. Whether an owner is alive is judged by its process if it runs on this machine, else by
the heartbeat alone: the number must be seen to change, whatever the clocks say. The lock of a dead owner is taken over.
If an owner that was taken for dead wakes up again, it finds its lock gone and gives up; and since a table is the same
whoever builds it, and appears as a whole or not at all, two builders do no harm.
"""

from __future__ import annotations

import json
import os
import threading
import time
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from endgame_core.language import _
from endgame_core.system import BINARY, process_is_alive, rename_to_free_name, write_at
from endgame_core.untrusted import has_shape, read_regular, visible

BEAT = 2.0
"""Seconds between two heartbeats."""
PATIENCE = 60.0
"""Seconds without a heartbeat after which an owner on another machine is taken for dead."""

_SUFFIX = ".lock"
_DEAD = ".dead"
"""Suffix of a dead owner's lock while it is being deleted."""
_LENGTH = 4096
"""Bytes of a lock, always the same, so that a heartbeat is one write in place."""


@dataclass(frozen=True, slots=True)
class LockOwner:
    """The owner of a lock, and its purpose.

    Attributes:
        what: The purpose, e.g. ``the build of KRPvKR``.
        host: Name of the machine.
        machine: Identity of the machine since it was booted, and of the process namespace.
        pid: The process.
        started: When the process was started, by the kernel's count; tells it from a later process with the same pid.
        since: When it acquired the lock, by its own clock.
        token: Tells this lock from all others.
        beat: Changes with every heartbeat.
        share: Part of the work that is done, 0 to 1; negative if it is not known.
    """

    what: str = _("another program")
    host: str = ""
    machine: str = ""
    pid: int = 0
    started: str = ""
    since: str = ""
    token: str = ""
    beat: int = 0
    share: float = -1.0

    def __str__(self) -> str:
        """The owner in words: ``the build of KRPvKR (process 123 on node7, since 23:29)``."""
        if not self.pid:
            return self.what
        place = ""
        if self.host and self.host != _host_name():
            place = _(" on {host}").format(host=self.host)
        return _("{what} (process {pid}{place}, since {since})").format(
            what=self.what, pid=self.pid, place=place, since=self.since
        )

    @property
    def is_alive(self) -> bool | None:
        """Whether its process is running; None if that cannot be known, e.g. because it is on another machine."""
        if not self.pid or self.machine != _machine():
            return None
        # None: the process has ended. Another start: its pid now belongs to a different process.
        started = _started(self.pid)
        if started != self.started:
            return False
        return True if started else None

    def to_bytes(self) -> bytes:
        """The content of the lock file."""
        return json.dumps(asdict(self)).encode()[: _LENGTH - 1].ljust(_LENGTH - 1) + b"\n"


_SHAPE = {name: type(value) for name, value in asdict(LockOwner()).items()}


def _host_name() -> str:
    import socket  # costs a hundredth of a second, and most runs lock nothing

    return socket.gethostname()


@cache
def _machine() -> str:
    """The identity of this machine since it was booted, and of this process's pid namespace."""
    parts = [_host_name()]
    with suppress(OSError):
        parts.append(Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip())
        parts.append(str(Path("/proc/self/ns/pid").readlink()))
    return " ".join(parts)


def _started(pid: int) -> str | None:
    """When a process of this machine was started; empty if the system does not say, None if it has ended."""
    try:
        # The name of the program comes before, in parentheses, and may itself contain spaces and parentheses. After the
        # state, number 18 of the fields is the start, in clock ticks since boot.
        state, *fields = (
            Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        )
        return None if state in "ZX" else fields[18]
    except (OSError, ValueError, IndexError):
        # The system has such files, but not for this process.
        if Path("/proc/self/stat").exists():
            return None
    if process_is_alive(pid) is False:
        return None
    return ""


class Lock:
    """A lock of this process.

    Args:
        path: Its file, which must not exist.
        owner: This process.

    Raises:
        FileExistsError: Somebody else holds the lock.
        OSError: The file cannot be created.

    Attributes:
        path: Its file.
        lost: Whether somebody else took this process for dead, and has taken over the lock.
        share: Part of the work that is done, 0 to 1; others see it after the next heartbeat.
    """

    def __init__(self, path: Path, owner: LockOwner) -> None:
        self.path = path
        self.lost = False
        self.share = owner.share
        self._owner = owner
        # O_EXCL: of all processes that try, on all machines, only one creates the file.
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | BINARY, 0o666)
        try:
            write_at(self._file, owner.to_bytes(), 0)
            os.fsync(self._file)  # now other machines see it on a network file system
        except OSError:
            os.close(self._file)
            path.unlink()
            raise

    def beat(self) -> None:
        """Write a heartbeat, and check that the lock was not taken over."""
        self._owner = replace(self._owner, beat=self._owner.beat + 1, share=round(float(self.share), 4))
        with suppress(OSError):  # the next heartbeat may succeed
            write_at(self._file, self._owner.to_bytes(), 0)
            os.fsync(self._file)
        self.lost = self.lost or not self._is_mine()

    def _is_mine(self) -> bool:
        try:
            return _parse(read_regular(self.path)).token == self._owner.token
        except FileNotFoundError:
            return False
        except OSError:  # not known at the moment
            return True

    def release(self) -> None:
        """Release the lock, unless somebody else has taken it over."""
        with suppress(OSError):
            os.close(self._file)
        if not self.lost and self._is_mine():
            with suppress(OSError):
                self.path.unlink()


def _parse(data: bytes) -> LockOwner:
    """The owner of a lock with this content; an anonymous one if it cannot be read."""
    try:
        fields: Any = json.loads(data)
    except ValueError:
        return LockOwner()
    if not has_shape(fields, _SHAPE):
        return LockOwner()
    owner = LockOwner(**fields)
    return replace(owner, what=visible(owner.what), host=visible(owner.host), since=visible(owner.since))


class Locks:
    """The locks in a directory, by name.

    Args:
        directory: The directory; it is created with the first lock.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._observed: dict[str, tuple[bytes, float]] = {}
        """For each lock its last content, and the monotonic time when that content was first seen."""
        self._acquired: list[Lock] = []
        self._guard = threading.Lock()
        self._is_beating = False

    def acquire(self, name: str, what: str) -> Lock | None:
        """Acquire a lock, from a dead owner if need be; return None if somebody holds it.

        Args:
            name: Its name.
            what: The purpose, as others read it.

        Raises:
            OSError: The file cannot be created.
        """
        # This also deletes the lock of a dead owner, so that the file can be created below.
        if self.holder(name) is not None:
            return None
        pid = os.getpid()
        owner = LockOwner(
            what=visible(what)[:200],
            host=_host_name()[:200],
            machine=_machine(),
            pid=pid,
            started=_started(pid) or "",
            since=time.strftime("%H:%M"),
            token=os.urandom(8).hex(),
        )
        self._directory.mkdir(parents=True, exist_ok=True)
        try:
            lock = Lock(self._directory / f"{name}{_SUFFIX}", owner)
        except FileExistsError:  # somebody was faster
            return None
        with self._guard:
            self._acquired.append(lock)
            if not self._is_beating:
                self._is_beating = True
                threading.Thread(target=self._beat, daemon=True).start()
        return lock

    def release(self, lock: Lock | None = None) -> None:
        """Release a lock, or all locks of this process."""
        with self._guard:
            for acquired in [lock] if lock is not None else list(self._acquired):
                if acquired in self._acquired:
                    self._acquired.remove(acquired)
                    acquired.release()

    def _beat(self) -> None:
        """Write the heartbeats as long as there are locks. Runs in a thread."""
        while True:
            time.sleep(BEAT)
            # Under the guard, so that a lock acquired at this moment is either seen here or starts a new thread.
            with self._guard:
                self._is_beating = bool(self._acquired)
                if not self._is_beating:
                    return
                for lock in self._acquired:
                    lock.beat()

    def holder(self, name: str) -> LockOwner | None:
        """The owner of a lock, or None if it is free; the lock of a dead owner is deleted."""
        path = self._directory / f"{name}{_SUFFIX}"
        try:
            data = read_regular(path)
        # If the file exists but cannot be read, it seems to be free here, and creating it fails.
        except OSError:
            self._observed.pop(name, None)
            return None

        owner = _parse(data)
        now = time.monotonic()
        # Only this process's own clock counts: the clocks of two machines may differ by more than the patience.
        last_data, unchanged_since = self._observed.get(name, (b"", now))
        if last_data != data:
            unchanged_since = now
        self._observed[name] = (data, unchanged_since)
        if owner.is_alive or (owner.is_alive is None and now - unchanged_since < PATIENCE):
            return owner

        self._observed.pop(name, None)
        with suppress(OSError):
            _delete_dead(path, data)
        return None

    def holders(self) -> dict[str, LockOwner]:
        """The owners of all locks, by the name of the lock; also deletes what killed processes have left behind."""
        try:
            names = sorted(path.name for path in self._directory.iterdir())
        except OSError:
            return {}
        owners: dict[str, LockOwner] = {}
        for name in names:
            if name.endswith(_DEAD):
                self._delete_leftover(name)
            elif name.endswith(_SUFFIX):
                lock_name = name.removesuffix(_SUFFIX)
                owner = self.holder(lock_name)
                if owner is not None:
                    owners[lock_name] = owner
        return owners

    def _delete_leftover(self, name: str) -> None:
        """Delete a renamed lock, once the process that was about to delete it cannot be alive any more."""
        now = time.monotonic()
        __, first_seen = self._observed.setdefault(name, (b"", now))
        with suppress(OSError):
            path = self._directory / name
            if now - first_seen >= PATIENCE or _parse(read_regular(path)).is_alive is False:
                path.unlink()
                self._observed.pop(name, None)


def _delete_dead(path: Path, expected: bytes) -> None:
    """Delete the lock of a dead owner, but not one that somebody has just created in its place.

    The file is renamed first: only one process can succeed in that. If its content is not the expected one, it is a new
    lock, and gets its name back.
    """
    dead = path.with_name(f".{path.name}.{os.urandom(8).hex()}{_DEAD}")
    path.rename(dead)
    if read_regular(dead) != expected:
        with suppress(OSError):
            rename_to_free_name(dead, path)
    dead.unlink(missing_ok=True)

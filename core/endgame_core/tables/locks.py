"""Who has which table in hand: told by files alone to the builders of all machines that share a data directory.

A lock is a file that is made by an exclusive creation, which network file systems do as well. Its holder changes a
number in it every few seconds. Whether a holder still lives is judged on its own machine by its process, elsewhere by
that number alone: it has to be seen to change, whatever the clocks say. The lock of a dead holder is taken over. Should
a holder that was taken for dead wake up again, it finds its lock gone and leaves off; and since a table is the same
whoever makes it, and appears whole or not at all, two of them do no harm.
"""

from __future__ import annotations

import json
import os
import secrets
import socket
import threading
import time
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from endgame_core.tables.file import fits
from endgame_core.untrusted import read_regular, visible

BEAT = 2.0
"""Seconds between two signs of life."""
PATIENCE = 60.0
"""Seconds without a sign of life after which a holder on another machine is taken for dead."""

_SUFFIX = ".lock"
_DEAD = ".dead"
"""What a lock is called while it is taken away from who has died."""
_LENGTH = 4096
"""Bytes of a lock, always the same, so that a sign of life is one write in place."""


@dataclass(frozen=True, slots=True)
class LockOwner:
    """Who holds a lock, and what for.

    Attributes:
        what: ``the build of KRPvKR``.
        host: The machine, as people call it.
        machine: The machine since it was started, and which of its processes see each other.
        pid: The process.
        started: When it was started, as the machine counts; tells it from a later one of the same number.
        since: When it took the lock, by its own clock.
        token: Tells this lock from all others.
        beat: Changes as long as the holder lives.
        share: How much of the work is done, 0 to 1; negative where nobody counts.
    """

    what: str = "another program"
    host: str = ""
    machine: str = ""
    pid: int = 0
    started: str = ""
    since: str = ""
    token: str = ""
    beat: int = 0
    share: float = -1.0

    def __str__(self) -> str:
        """The holder in words: ``the build of KRPvKR (process 123 on node7, since 23:29)``."""
        where = f" on {self.host}" if self.host and self.host != socket.gethostname() else ""
        return f"{self.what} (process {self.pid}{where}, since {self.since})" if self.pid else self.what

    @property
    def lives(self) -> bool | None:
        """Whether it is a process of this machine that runs, or one that has ended; None where nobody can tell."""
        if not self.pid or self.machine != _machine():
            return None
        started = _started(self.pid)
        return started == self.started and (bool(started) or None)

    def written(self) -> bytes:
        """The lock's content."""
        return json.dumps(asdict(self)).encode()[: _LENGTH - 1].ljust(_LENGTH - 1) + b"\n"


_SHAPE = {name: type(value) for name, value in asdict(LockOwner()).items()}


@cache
def _machine() -> str:
    """This machine since it was started, with the space of processes that this one sees."""
    parts = [socket.gethostname()]
    with suppress(OSError):
        parts.append(Path("/proc/sys/kernel/random/boot_id").read_text().strip())
        parts.append(str(Path("/proc/self/ns/pid").readlink()))
    return " ".join(parts)


def _started(pid: int) -> str | None:
    """When a process of this machine was started; empty where the system does not tell, None when it has ended."""
    try:
        state, *facts = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return None if state in "ZX" else facts[18]
    except (OSError, ValueError, IndexError):
        if Path("/proc/self/stat").exists():
            return None
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return None
    except OSError:  # somebody else's
        return ""
    return ""


class Lock:
    """A lock that this process takes, and holds.

    Args:
        path: Its file, which must not be there.
        holder: Who this process is.

    Raises:
        FileExistsError: Somebody else has it.
        OSError: It cannot be made.

    Attributes:
        path: Its file.
        lost: Whether somebody else has it now, who took this process for dead.
        share: How much of the work is done, told to others with the next sign of life.
    """

    def __init__(self, path: Path, holder: LockOwner) -> None:
        self.path, self.lost, self.share = path, False, holder.share
        self._holder = holder
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666)
        try:
            os.pwrite(self._file, holder.written(), 0)
            os.fsync(self._file)  # a network file system shows others all of it
        except OSError:
            os.close(self._file)
            path.unlink()
            raise

    def beat(self) -> None:
        """Gives a sign of life, and looks whether the lock is still there."""
        self._holder = replace(self._holder, beat=self._holder.beat + 1, share=round(float(self.share), 4))
        with suppress(OSError):  # the next one may come through
            os.pwrite(self._file, self._holder.written(), 0)
            os.fsync(self._file)
        self.lost = self.lost or not self._is_mine()

    def _is_mine(self) -> bool:
        try:
            return _read(read_regular(self.path)).token == self._holder.token
        except FileNotFoundError:
            return False
        except OSError:  # nobody can tell now
            return True

    def release(self) -> None:
        """Gives it back, unless it is another's by now."""
        with suppress(OSError):
            os.close(self._file)
        if not self.lost and self._is_mine():
            with suppress(OSError):
                self.path.unlink()


def _read(data: bytes) -> LockOwner:
    """Who holds a lock with this content; nobody in particular where it cannot be read."""
    try:
        told: Any = json.loads(data)
    except ValueError:
        return LockOwner()
    if not fits(told, _SHAPE):
        return LockOwner()
    holder = LockOwner(**told)
    return replace(holder, what=visible(holder.what), host=visible(holder.host), since=visible(holder.since))


class Locks:
    """The locks in a directory, by name.

    Args:
        directory: Where they are; it is made when the first is taken.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._seen: dict[str, tuple[bytes, float]] = {}
        self._held: list[Lock] = []
        self._guard = threading.Lock()
        self._is_beating = False

    def acquire(self, name: str, what: str) -> Lock | None:
        """Takes a lock, from a dead holder too; None when somebody has it. Raises OSError where nothing can be made.

        Args:
            name: Its name.
            what: What for, told to others.
        """
        if self.holder(name) is not None:
            return None
        host, pid = socket.gethostname(), os.getpid()
        holder = LockOwner(
            visible(what)[:200], host[:200], _machine(), pid, _started(pid) or "", time.strftime("%H:%M"),
            secrets.token_hex(8),
        )  # fmt: skip
        self._directory.mkdir(parents=True, exist_ok=True)
        try:
            hold = Lock(self._directory / f"{name}{_SUFFIX}", holder)
        except FileExistsError:  # somebody has been faster
            return None
        with self._guard:
            self._held.append(hold)
            if not self._is_beating:
                self._is_beating = True
                threading.Thread(target=self._beat, daemon=True).start()
        return hold

    def release(self, hold: Lock | None = None) -> None:
        """Gives a lock back, or all that this process holds."""
        with self._guard:
            for one in [hold] if hold is not None else list(self._held):
                if one in self._held:
                    self._held.remove(one)
                    one.release()

    def _beat(self) -> None:
        """Runs in a thread as long as there are locks to keep."""
        while True:
            time.sleep(BEAT)
            with self._guard:
                self._is_beating = bool(self._held)
                if not self._is_beating:
                    return
                for hold in self._held:
                    hold.beat()

    def holder(self, name: str) -> LockOwner | None:
        """Who holds a lock; None when nobody does. One whose holder is dead is cleared away."""
        path = self._directory / f"{name}{_SUFFIX}"
        try:
            data = read_regular(path)
        except OSError:
            self._seen.pop(name, None)
            return None
        holder, now = _read(data), time.monotonic()
        before, since = self._seen.get(name, (b"", now))
        if before != data:
            since = now
        self._seen[name] = data, since
        if holder.lives or (holder.lives is None and now - since < PATIENCE):
            return holder
        self._seen.pop(name, None)
        with suppress(OSError):
            _clear(path, data)
        return None

    def holders(self) -> dict[str, LockOwner]:
        """Who holds which lock, by name; also clears away what those that were killed have left."""
        try:
            names = sorted(path.name for path in self._directory.iterdir())
        except OSError:
            return {}
        result: dict[str, LockOwner] = {}
        for name in names:
            if name.endswith(_DEAD):
                self._clear_leftover(name)
            elif name.endswith(_SUFFIX) and (holder := self.holder(name.removesuffix(_SUFFIX))) is not None:
                result[name.removesuffix(_SUFFIX)] = holder
        return result

    def _clear_leftover(self, name: str) -> None:
        """Deletes what is no lock any longer, once nobody can be at work on it."""
        now = time.monotonic()
        _, since = self._seen.setdefault(name, (b"", now))
        with suppress(OSError):
            path = self._directory / name
            if now - since >= PATIENCE or _read(read_regular(path)).lives is False:
                path.unlink()
                self._seen.pop(name, None)


def _clear(path: Path, judged: bytes) -> None:
    """Takes a lock away whose holder is dead; only what has been judged, not what another may just have made there."""
    dead = path.with_name(f".{path.name}.{secrets.token_hex(8)}{_DEAD}")
    path.rename(dead)
    if read_regular(dead) != judged:
        with suppress(OSError):
            os.link(dead, path)
    dead.unlink()

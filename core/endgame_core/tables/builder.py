"""Builds endings in a child process, so that no screen stalls and memory goes back to the system."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO

from endgame_core import errors, paths
from endgame_core.errors import BuildCancelledError, EndgameError, NotBuiltError
from endgame_core.tables.events import Event
from endgame_core.tables.library import Library


class Build:
    """One build of some endings and their missing sub-endings.

    Args:
        library: Where the tables go.
        endings: Canonical names.
        threads: Threads to solve with; as many as the machine has cores by default.

    Raises:
        EndingError: An ending cannot be built.
    """

    def __init__(self, library: Library, endings: Sequence[str], threads: int | None = None) -> None:
        library.check_buildable(endings)
        self.library = library
        self.endings = tuple(endings)
        self.threads = threads or _cores()
        self.cancelled = False
        self._child: subprocess.Popen[str] | None = None

    def events(self) -> Iterator[Event]:
        """Starts the build and yields its events until it is finished (blocking).

        Raises:
            EndgameError: The build failed (StorageError, BusyError …) or was cancelled.
        """
        if self.cancelled:
            raise BuildCancelledError("the build was cancelled", "finished tables are kept")
        with tempfile.TemporaryFile("w+") as complaints:
            child = self._child = subprocess.Popen(
                [sys.executable, "-m", "endgame_core.tables.worker"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=complaints,
                text=True,
                env=environment(),
                start_new_session=True,
            )
            assert child.stdin is not None and child.stdout is not None
            if self.cancelled:  # from another thread, while the child was started
                self._stop()
            request = {
                "game": self.library.game.entry,
                "root": str(self.library.root),
                "endings": self.endings,
                "threads": self.threads,
            }
            finished = False
            try:
                child.stdin.write(json.dumps(request) + "\n")
                child.stdin.flush()
                for line in child.stdout:
                    event = Event.from_json(line)
                    if event.event == "error":
                        raise _error(event)
                    finished = event.event == "finished"
                    yield event
            except (BrokenPipeError, ValueError):
                pass
            finally:
                self._stop()
                child.stdout.close()
            if not finished:
                raise self._died(complaints)

    def _died(self, complaints: IO[str]) -> EndgameError:
        if self.cancelled:
            return BuildCancelledError("the build was cancelled", "finished tables are kept")
        complaints.seek(0)
        lines = complaints.read().strip().splitlines()
        why = f" ({lines[-1][:200]})" if lines else ""
        return EndgameError(f"the building process ended early{why}", "finished tables are kept; start the build again")

    def cancel(self) -> None:
        """Stops the build from any thread; finished tables stay."""
        self.cancelled = True
        if self._child is not None:
            self._stop()

    def _stop(self) -> None:
        child = self._child
        if child is None:
            return
        if child.stdin is not None and not child.stdin.closed:
            with contextlib.suppress(BrokenPipeError):
                child.stdin.close()
        try:
            child.wait(timeout=5)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()


def _error(event: Event) -> EndgameError:
    """The child's error, made again from its words."""
    if event.error == NotBuiltError.__name__:
        return NotBuiltError(event.ending, event.then)
    kind: type[EndgameError] = getattr(errors, event.error, EndgameError)
    return kind(event.what, event.then)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _fingerprint() -> str:
    """Of all sources whose code is compiled: numba's cache looks at the file of the called kernel alone."""
    digest = hashlib.blake2b(digest_size=8)
    for path in sorted(Path(paths.__file__).parent.rglob("*.py")):
        if path.name.startswith("_") or path.name in ("geometry.py", "index.py"):
            digest.update(path.read_bytes())
    return digest.hexdigest()


def environment() -> dict[str, str]:
    """The child's environment: compiled kernels are cached where the user may write."""
    environment = dict(os.environ)
    if "NUMBA_CACHE_DIR" not in environment:
        directory = paths.kernel_cache_dir() / _fingerprint()
        try:
            directory.mkdir(parents=True, exist_ok=True)
        except OSError:
            directory = _temporary(f"{paths.APP}-kernels-{os.getuid()}-{directory.name}")
        environment["NUMBA_CACHE_DIR"] = str(directory)
    return environment


def _temporary(name: str) -> Path:
    """A directory among temporary files that is the user's own: what lies in it is run."""
    directory = Path(tempfile.gettempdir()) / name
    with contextlib.suppress(OSError):
        directory.mkdir(0o700, exist_ok=True)
        if directory.stat().st_uid == os.getuid():
            return directory
    return Path(tempfile.mkdtemp(prefix=name))

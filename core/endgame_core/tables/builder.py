"""Builds endings in a child process, so that no screen stalls and memory goes back to the system."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO

from endgame_core import errors, paths
from endgame_core.errors import BuildCancelledError, EndgameError
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
                        kind = getattr(errors, event.error, EndgameError)
                        raise _error(kind, event)
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


def _error(kind: type[EndgameError], event: Event) -> EndgameError:
    error = EndgameError(event.what, event.then)
    error.__class__ = kind
    return error


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def environment() -> dict[str, str]:
    """The child's environment: compiled kernels are cached where the user may write."""
    environment = dict(os.environ)
    if "NUMBA_CACHE_DIR" not in environment:
        directory = paths.kernel_cache_dir()
        try:
            directory.mkdir(parents=True, exist_ok=True)
        except OSError:
            directory = Path(tempfile.gettempdir()) / f"{paths.APP}-kernels-{os.getuid()}"
        environment["NUMBA_CACHE_DIR"] = str(directory)
    return environment

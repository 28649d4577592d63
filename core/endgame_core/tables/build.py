"""Builds endings in a child process, so that no screen stalls and memory goes back to the system."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, fields
from typing import IO, Any

from endgame_core.child import Child, as_error
from endgame_core.errors import BuildCancelledError, EndgameError
from endgame_core.paths import kernel_environment
from endgame_core.tables.library import Library

WORKER = "endgame_core.tables.worker"
_PATIENCE = 5.0
"""Seconds until a building process that does not end is killed."""


@dataclass(frozen=True, slots=True)
class Event:
    """One step of a build.

    Attributes:
        event: ``plan``, ``compile``, ``start``, ``phase``, ``layer``, ``slices``, ``write``, ``done`` or ``finished``.
        ending: The ending in hand.
        endings: All endings of the plan, or those built (``finished``).
        step: Number of the ending in the plan, from 1.
        steps: Endings in the plan.
        n: Layer just finished.
        white: New positions (slots) with White to move in that layer.
        black: The same with Black to move.
        done: Slices (pawn placements) finished; of a phase, parts of any size.
        total: All slices of the ending; all parts of the phase, 0 where they are not counted.
        fraction: Estimated part of the whole build that is done, 0 to 1.
        left: Estimated seconds left.
        size: Bytes written.
        seconds: Seconds the ending took.
        what: What is being compiled or, before the first layer, done.
    """

    event: str
    ending: str = ""
    endings: tuple[str, ...] = ()
    step: int = 0
    steps: int = 0
    n: int | None = None
    white: int = 0
    black: int = 0
    done: int = 0
    total: int = 0
    fraction: float = 0.0
    left: float = 0.0
    size: int = 0
    seconds: float = 0.0
    what: str = ""

    def to_message(self) -> dict[str, Any]:
        """The fields that are not at their default."""
        given = asdict(self)
        return {f.name: given[f.name] for f in fields(self) if given[f.name] != f.default}

    @classmethod
    def from_message(cls, message: Mapping[str, Any]) -> Event:
        """The event of a message."""
        given: dict[str, Any] = {**message, "endings": tuple(message.get("endings", ()))}
        return cls(**given)


class Build:
    """One build of some endings and their missing sub-endings.

    Args:
        library: Where the tables go.
        endings: Canonical names.
        threads: Threads to solve with; as many as the machine has cores by default.

    Attributes:
        child: The building process, once it has been started.
    """

    def __init__(self, library: Library, endings: Sequence[str], threads: int | None = None) -> None:
        self.library = library
        self.endings = tuple(endings)
        self.threads = threads or _cores()
        self.cancelled = False
        self.child: Child | None = None

    def events(self) -> Iterator[Event]:
        """Starts the build and yields its events until it is finished (blocking).

        Raises:
            EndgameError: The build failed (StorageError, BusyError …) or was cancelled.
        """
        if self.cancelled:
            raise BuildCancelledError()
        request = {
            "game": self.library.game.entry,
            "root": str(self.library.root),
            "endings": self.endings,
            "threads": self.threads,
        }
        with tempfile.TemporaryFile("w+") as complaints:
            child = self.child = Child(WORKER, request, {**os.environ, **kernel_environment()}, complaints)
            finished = False
            with closing(child.messages()) as messages:
                try:
                    if self.cancelled:  # from another thread, while the child was started
                        child.end(_PATIENCE)
                    for message in messages:
                        if "error" in message:
                            raise as_error(message)
                        event = Event.from_message(message)
                        finished = event.event == "finished"
                        yield event
                finally:
                    child.end(_PATIENCE)
            if not finished:
                raise BuildCancelledError() if self.cancelled else _died(complaints)

    def cancel(self) -> None:
        """Stops the build from any thread; finished tables stay."""
        self.cancelled = True
        if self.child is not None:
            self.child.end(_PATIENCE)


def _died(complaints: IO[str]) -> EndgameError:
    complaints.seek(0)
    lines = complaints.read().strip().splitlines()
    why = f" ({lines[-1][:200]})" if lines else ""
    return EndgameError(f"the building process ended early{why}", "finished tables are kept; start the build again")


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1

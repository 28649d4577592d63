"""The building process: reads one request from stdin, writes events to stdout as JSON lines.

It stops as soon as its stdin closes, so it never outlives the process that started it. Each table appears whole
or not at all; being killed at any instant loses the ending in hand and nothing else.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from endgame_core import child
from endgame_core.errors import BuildCancelledError, EndgameError
from endgame_core.game import Game, Progress, Wanted
from endgame_core.tables.build import Event
from endgame_core.tables.library import Library

_PATIENCE = 0.8
"""Seconds from the wish to cancel to the end, whatever is being done; who wishes it waits, and kills after 5."""


def _free_memory() -> int | None:
    """Bytes of memory that can be had without swapping; None where the system does not tell."""
    try:
        with Path("/proc/meminfo").open() as lines:
            return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:"))
    except (OSError, StopIteration, ValueError):
        return None


def _say(event: Event) -> None:
    child.say(event.to_message())


class Builder:
    """Builds a plan, ending by ending."""

    def __init__(self, library: Library, endings: list[str], threads: int) -> None:
        self.library = library
        self.game: Game[Any, Any] = library.game
        self.plan = library.plan(endings)
        self.threads = threads
        self.cancelled = threading.Event()
        self.seconds = [library.estimate(ending).seconds for ending in self.plan]
        self.pace = 1.0

    def run(self) -> None:
        """Builds all; raises EndgameError."""
        _say(Event("plan", endings=tuple(self.plan), steps=len(self.plan), left=sum(self.seconds)))
        if self.plan:
            self.game.solver.warm_up(self.plan, self._compiling)
        for step, ending in enumerate(self.plan, 1):
            self._build(step, ending)
        _say(Event("finished", endings=tuple(self.plan), steps=len(self.plan), fraction=1.0))

    def _compiling(self, what: str) -> None:
        if self.cancelled.is_set():
            raise BuildCancelledError()
        _say(Event("compile", what=what, steps=len(self.plan), left=sum(self.seconds)))

    def _check_memory(self, ending: str) -> None:
        need, free = self.library.estimate(ending).memory, _free_memory()
        if free is not None and need > free:
            raise EndgameError(
                f"{ending} needs about {need / 1e9:.1f} GB of memory and {free / 1e9:.1f} GB are free",
                "close other programs or build a smaller ending; finished tables are kept",
            )

    def _build(self, step: int, ending: str) -> None:
        self._check_memory(ending)
        began = time.monotonic()
        steps = len(self.plan)
        _say(self._progress(Event("start", ending=ending, step=step, steps=steps), began))

        def on_progress(found: Progress) -> None:
            if self.cancelled.is_set():
                raise BuildCancelledError()
            kind = "phase" if found.phase else "slices" if found.n is None else "layer"
            event = Event(
                kind, ending=ending, step=step, steps=steps, n=found.n, white=found.new_white, black=found.new_black,
                done=found.done, total=found.total, what=found.phase,
            )  # fmt: skip
            _say(self._progress(event, began))

        def lookup(name: str, side: int, wanted: Wanted = ()) -> Any:
            return self.library.read_side(name, side, self.threads, wanted)

        solved = self.game.solver.solve(ending, lookup, self.threads, on_progress)
        _say(self._progress(Event("write", ending=ending, step=step, steps=steps), began))
        size = self.library.write(ending, solved)
        took = time.monotonic() - began
        self.pace = 0.5 * self.pace + 0.5 * took / max(1e-3, self.seconds[step - 1])
        done = Event("done", ending=ending, step=step, steps=steps, size=size, seconds=round(took, 3))
        _say(self._progress(done, began))

    def _progress(self, event: Event, began: float) -> Event:
        """Adds the estimated fraction done and seconds left."""
        here = self.seconds[event.step - 1]
        finished = event.event == "done"
        spent = here if finished else min(0.98 * here, (time.monotonic() - began) / self.pace)
        total = sum(self.seconds)
        left = max(0.0, sum(self.seconds[event.step - 1 :]) - spent)
        return replace(event, fraction=round(1 - left / total, 4), left=round(left * self.pace, 2))


def watch(builder: Builder) -> None:
    """Cancels when the input closes; ends the process if it does not come round within seconds."""
    for _ in child.heard():
        pass
    builder.cancelled.set()
    time.sleep(_PATIENCE)
    builder.library.sweep()
    os._exit(3)


def _serve(request: dict[str, Any]) -> None:
    library = Library(child.loaded(request["game"]), Path(request["root"]))
    with library.locked():
        library.sweep()
        builder = Builder(library, request["endings"], request["threads"])
        threading.Thread(target=watch, args=(builder,), daemon=True).start()
        try:
            builder.run()
        except MemoryError:
            raise EndgameError("there is not enough memory", "close other programs or build a smaller ending") from None


def main() -> int:
    """Serves one request; returns the exit code."""
    try:
        _serve(next(child.heard()))
    except EndgameError as error:
        child.say(child.as_message(error))
        return 1
    return 0


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    os._exit(code)

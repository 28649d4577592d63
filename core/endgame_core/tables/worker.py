"""The building process: reads one request from stdin, writes events to stdout as JSON lines.

It stops as soon as its stdin closes, so it never outlives the process that started it. Each table appears whole
or not at all; being killed at any instant loses the ending in hand and nothing else.
"""

from __future__ import annotations

import os
import sys
import threading
import time
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
        self._seconds = [library.estimate(ending).seconds for ending in self.plan]
        self._pace = 1.0

    def run(self) -> None:
        """Builds all; raises EndgameError."""
        everything: dict[str, Any] = {"endings": tuple(self.plan), "steps": len(self.plan)}
        _say(Event("plan", **everything, left=sum(self._seconds)))
        if self.plan:
            self.game.solver.warm_up(self.plan, self._compiling)
        for step, ending in enumerate(self.plan, 1):
            self._build(step, ending)
        _say(Event("finished", **everything, fraction=1.0))

    def _go_on(self) -> None:
        if self.cancelled.is_set():
            raise BuildCancelledError()

    def _compiling(self, what: str) -> None:
        self._go_on()
        _say(Event("compile", what=what, steps=len(self.plan), left=sum(self._seconds)))

    def _check_memory(self, ending: str) -> None:
        need, free = self.library.estimate(ending).memory, _free_memory()
        if free is not None and need > free:
            raise EndgameError(
                f"{ending} needs about {need / 1e9:.1f} GB of memory and {free / 1e9:.1f} GB are free",
                "close other programs or build a smaller ending; finished tables are kept",
            )

    def _build(self, step: int, ending: str) -> None:
        self._check_memory(ending)
        began, here, total = time.monotonic(), self._seconds[step - 1], sum(self._seconds)

        def tell(kind: str, **found: Any) -> None:
            """With the estimated part done of the whole build, and the seconds left."""
            spent = here if kind == "done" else min(0.98 * here, (time.monotonic() - began) / self._pace)
            left = max(0.0, sum(self._seconds[step - 1 :]) - spent)
            reached: dict[str, Any] = {"fraction": round(1 - left / total, 4), "left": round(left * self._pace, 2)}
            _say(Event(kind, ending=ending, step=step, steps=len(self.plan), **reached, **found))

        def on_progress(found: Progress) -> None:
            self._go_on()
            kind = "phase" if found.phase else "slices" if found.n is None else "layer"
            tell(
                kind, n=found.n, white=found.new_white, black=found.new_black, done=found.done, total=found.total,
                what=found.phase,
            )  # fmt: skip

        def lookup(name: str, side: int, wanted: Wanted = ()) -> Any:
            return self.library.read_side(name, side, self.threads, wanted)

        tell("start")
        solved = self.game.solver.solve(ending, lookup, self.threads, on_progress)
        tell("write")
        size = self.library.write(ending, solved)
        took = time.monotonic() - began
        self._pace = 0.5 * self._pace + 0.5 * took / max(1e-3, here)
        tell("done", size=size, seconds=round(took, 3))


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

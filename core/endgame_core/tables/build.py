"""Builds endings in a child process, so that no screen stalls and memory goes back to the system.

The process runs this module: it reads one request from stdin and writes events to stdout as JSON lines. It stops as
soon as its stdin closes, so it never outlives the process that started it. Each table appears whole or not at all;
being killed at any instant loses the ending in hand and nothing else.
"""

from __future__ import annotations

import os
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import IO, Any

from endgame_core import child
from endgame_core.child import Child, as_error
from endgame_core.errors import BuildCancelledError, EndgameError, TableError
from endgame_core.game import Progress, Wanted
from endgame_core.paths import kernel_environment
from endgame_core.tables import survey
from endgame_core.tables.library import Library

_MODULE = "endgame_core.tables.build"
_PATIENCE = 5.0
"""Seconds until a building process that does not end is killed."""
_LAST = 0.8
"""Seconds from the wish to cancel to its end, whatever is being done."""
_SOLVED = 0.87
"""Part of the work on an ending that is done when it is solved, and not yet written."""
_LOOKING = 2.0
"""How many times as long as solving it takes to look at all moves of an ending."""
_LOADING = 0.3
"""Seconds in which kernels are loaded that have been compiled before."""
_LATE = 3.0
"""Seconds after which what is loaded is no longer believed to have been compiled before."""
_LEAST = 0.001
"""Seconds of the smallest part of a build."""
_TICK = 0.5
"""Seconds without news after which the time is told."""


@dataclass(frozen=True, slots=True)
class Event:
    """One step of a build.

    Attributes:
        event: ``plan``, ``compile``, ``start``, ``phase``, ``layer``, ``slices``, ``write``, ``done``, ``about`` (the
            survey of an ending is made) or ``finished``; ``tick`` where nothing is new but the time.
        ending: The ending in hand.
        endings: All endings of the plan, or those built (``finished``).
        step: Number of the ending in the plan, from 1.
        steps: Endings in the plan.
        n: Layer just finished.
        white: New positions (slots) with White to move in that layer.
        black: The same with Black to move.
        done: Slices (pawn placements) finished; of a phase, parts of any size; the part that is being compiled.
        total: All slices of the ending; all parts of the phase, 0 where they are not counted; all that is compiled.
        fraction: Part of the whole build's work that is done, 0 to 1.
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


class Work:
    """Work in a process of its own, which can be cancelled from any thread.

    Attributes:
        cancelled: Whether somebody has said so.
        child: The process, once it has been started.
    """

    died = "the building process ended early", "finished tables are kept; start the build again"
    """What is said where the process has ended by itself, and what to do then."""

    def __init__(self) -> None:
        self.cancelled = False
        self.child: Child | None = None

    def told(self, module: str, request: Mapping[str, Any], last: str = "finished") -> Iterator[dict[str, Any]]:
        """Starts a process and yields what it says (blocking).

        Args:
            module: What is run.
            request: What it is to do.
            last: The event that ends it.

        Raises:
            EndgameError: It failed (StorageError, BusyError …) or was cancelled.
        """
        if self.cancelled:
            raise BuildCancelledError()
        with tempfile.TemporaryFile("w+") as complaints:
            self.child = process = Child(module, request, {**os.environ, **kernel_environment()}, complaints)
            finished = False
            with closing(process.messages()) as messages:
                try:
                    if self.cancelled:  # from another thread, while the child was started
                        process.end(_PATIENCE)
                    for message in messages:
                        if "error" in message:
                            raise as_error(message)
                        finished = message["event"] == last
                        yield message
                finally:
                    process.end(_PATIENCE)
            if not finished:
                raise BuildCancelledError() if self.cancelled else self._died(complaints)

    def _died(self, complaints: IO[str]) -> EndgameError:
        complaints.seek(0)
        lines = complaints.read().strip().splitlines()
        why = f" ({lines[-1][:200]})" if lines else ""
        return EndgameError(f"{self.died[0]}{why}", self.died[1])

    def cancel(self) -> None:
        """Stops it from any thread; what is finished stays."""
        self.cancelled = True
        if self.child is not None:
            self.child.end(_PATIENCE)


class Build(Work):
    """One build of some endings and their missing sub-endings.

    Args:
        library: Where the tables go.
        endings: Canonical names.
        threads: Threads to solve with; as many as the machine has cores by default.
        about: Whether to look at the moves of these endings, too, where that has not been done.
    """

    def __init__(
        self, library: Library, endings: Sequence[str], threads: int | None = None, about: bool = False
    ) -> None:
        super().__init__()
        self.library = library
        self.endings = tuple(endings)
        self.about = about
        self.threads = threads or cores()

    def events(self) -> Iterator[Event]:
        """Starts the build and yields its events until it is finished (blocking); raises as :meth:`told`."""
        request = {
            "game": self.library.game.entry,
            "root": str(self.library.root),
            "endings": self.endings,
            "threads": self.threads,
            "about": self.about,
        }
        yield from map(Event.from_message, self.told(_MODULE, request))


def cores() -> int:
    """As many threads as the machine runs at once."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


# In the building process


def _free_memory() -> int | None:
    """Bytes of memory that can be had without swapping; None where the system does not tell."""
    try:
        with Path("/proc/meminfo").open() as lines:
            return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:"))
    except (OSError, StopIteration, ValueError):
        return None


class Count:
    """How much of some work is done and how long the rest takes, judged by what has been done.

    Args:
        parts: About how many seconds each part takes on two cores.
        pace: How many times as long it takes here, before anything is known.
        clock: Tells seconds that pass.
    """

    def __init__(self, parts: Sequence[float], pace: float = 1.0, clock: Callable[[], float] = time.monotonic) -> None:
        self._parts = [max(seconds, _LEAST) for seconds in parts]
        self._total = sum(self._parts) or _LEAST
        self._first, self._clock = pace, clock
        self._before = 0.0
        self._sure = self._ahead = self._from = self._shown = 0.0
        self._began = self._since = clock()
        self.begin(0)

    def begin(self, number: int, anew: bool = False) -> None:
        """All parts before this one are done; ``anew`` when what was done before tells nothing of the pace to come."""
        self._number, self._before = number, sum(self._parts[:number])
        self._here = self._parts[number] if number < len(self._parts) else 0.0
        self.reach(0.0, 1.0)
        if anew:
            self._began, self._from = self._clock(), self._before

    def price(self, number: int, seconds: float) -> None:
        """A part that is in hand or to come takes so many seconds on two cores instead."""
        self._total += seconds - self._parts[number]
        self._parts[number] = seconds
        if number == self._number:
            self._here = seconds
            self.reach(0.0, 1.0)

    def reach(self, part: float, ahead: float) -> None:
        """So much of the part in hand is done, and so much will be once what is in hand is."""
        sure = self._before + part * self._here
        if sure > self._sure:
            self._sure, self._since = sure, self._clock()
        self._ahead = max(self._sure, self._before + ahead * self._here)

    @property
    def now(self) -> tuple[float, float]:
        """Part of all that is done, never less than before and 98 % only when they are done; and the seconds left."""
        now, known = self._clock(), 0.02 * self._total
        pace = (self._since - self._began + known * self._first) / (max(0.0, self._sure - self._from) + known)
        reached = self._sure + min(0.9 * (self._ahead - self._sure), (now - self._since) / pace)
        pace = max(pace, (now - self._began + known * self._first) / (max(0.0, reached - self._from) + known))
        share = reached / self._total
        self._shown = max(self._shown, share if self._sure >= 0.98 * self._total else min(share, 0.97))
        return min(1.0, self._shown), (1 - min(1.0, self._shown)) * self._total * pace


class Builder:
    """Builds a plan, ending by ending, and looks at the moves of those that were asked for, if wanted."""

    def __init__(self, library: Library, endings: list[str], threads: int, about: bool = False) -> None:
        self.library = library
        self.game = library.game
        self.about = [ending for ending in dict.fromkeys(endings) if not _is_known(library, ending)] if about else []
        needs = [need for ending in self.about for need in self.game.needs(ending)]
        self.plan = library.plan([*needs, *endings])
        self._steps = len(self.plan) + len(self.about)
        self.threads = threads
        self.cancelled = threading.Event()
        looks = bool(self.about)
        missing = library.to_compile(self.plan, looks)
        compiled = self.game.solver.compiled(self.plan, looks) if self.plan or looks else {}
        self._kernels = {what: missing.get(what, _LOADING) for what in compiled}
        seconds = [library.estimate(ending).seconds for ending in self.plan]
        seconds += [_LOOKING * library.estimate(ending).seconds for ending in self.about]
        self._count = Count([*self._kernels.values(), *seconds], 2 / min(2, threads))
        self._prices, self._missing = compiled, list(missing)
        self._kernel, self._kernel_since = "", 0.0
        self._saying = threading.Lock()
        self._said, self._over = 0.0, False

    def run(self) -> None:
        """Builds all; raises EndgameError."""
        everything: dict[str, Any] = {"endings": tuple(self.plan), "steps": self._steps}
        self._say("plan", **everything)
        threading.Thread(target=self._tick, daemon=True).start()
        if self._steps:
            self.game.solver.warm_up(self.plan, self._compiling, bool(self.about))
        self._kernel = ""
        for what in self._kernels:
            self.library.compiled(what)
        self._count.begin(len(self._kernels), anew=True)
        work: list[tuple[Callable[..., dict[str, Any]], str]] = [(self._build, ending) for ending in self.plan]
        work += [(self._survey, ending) for ending in self.about]
        for step, (do, ending) in enumerate(work):
            self._check_memory(ending)
            self._count.begin(len(self._kernels) + step)
            where: dict[str, Any] = {"ending": ending, "step": step + 1, "steps": self._steps}
            self._say("start", **where)
            began, done = time.monotonic(), do(ending, where)
            self._say(**done, **where, seconds=round(time.monotonic() - began, 3))
        self._count.begin(len(self._kernels) + self._steps)
        self._say("finished", **everything)

    def _go_on(self) -> None:
        if self.cancelled.is_set():
            raise BuildCancelledError()

    def _say(self, kind: str, **found: Any) -> None:
        """With the part done of the whole build, and the seconds left."""
        with self._saying:
            if self._over:
                return
            self._said, self._over = time.monotonic(), kind == "finished"
            fraction, left = self._count.now
            if self._over:
                fraction, left = 1.0, 0.0
            child.say(Event(kind, fraction=round(fraction, 4), left=round(left, 2), **found).to_message())

    def _tick(self) -> None:
        """Runs in a thread: tells of the time where nothing else is told for long."""
        while not self.cancelled.wait(_TICK) and not self._over:
            if self._kernel and time.monotonic() - self._kernel_since > _LATE:
                self._doubt(self._kernel)
            if time.monotonic() - self._said >= _TICK:
                self._say("tick", steps=self._steps)

    def _compiling(self, what: str) -> None:
        self._go_on()
        self._count.begin(list(self._kernels).index(what))
        self._kernel, self._kernel_since = what, time.monotonic()
        self._say_compiling(what)

    def _doubt(self, what: str) -> None:
        """What should only be loaded takes too long: this and what comes after it is compiled, which has its price."""
        if what in self._missing:
            return
        kernels = list(self._kernels)
        first = kernels.index(what)
        for number, kernel in enumerate(kernels[first:], first):
            self._count.price(number, self._prices[kernel])
        self._missing = [kernel for kernel in kernels[:first] if kernel in self._missing] + kernels[first:]
        self._say_compiling(what)

    def _say_compiling(self, what: str) -> None:
        if what in self._missing:
            number = self._missing.index(what) + 1
            self._say("compile", what=what, done=number, total=len(self._missing), steps=self._steps)

    def _check_memory(self, ending: str) -> None:
        need, free = self.library.estimate(ending).memory, _free_memory()
        if free is not None and need > free:
            raise EndgameError(
                f"{ending} needs about {need / 1e9:.1f} GB of memory and {free / 1e9:.1f} GB are free",
                "close other programs or build a smaller ending; finished tables are kept",
            )

    def _build(self, ending: str, where: dict[str, Any]) -> dict[str, Any]:
        """Solves an ending and writes its table; what there is to say of it."""

        def on_progress(found: Progress) -> None:
            self._go_on()
            self._count.reach(_SOLVED * found.part, _SOLVED * found.ahead)
            kind = "phase" if found.phase else "slices" if found.n is None else "layer"
            self._say(
                kind, **where, n=found.n, white=found.new_white, black=found.new_black, done=found.done,
                total=found.total, what=found.phase,
            )  # fmt: skip

        def lookup(name: str, side: int, wanted: Wanted = ()) -> Any:
            return self.library.read_side(name, side, self.threads, wanted)

        solved = self.game.solver.solve(ending, lookup, self.threads, on_progress)
        self._count.reach(_SOLVED, 1.0)
        self._say("write", **where)
        size = self.library.write(ending, solved)
        self._count.reach(1.0, 1.0)
        return {"kind": "done", "size": size}

    def _survey(self, ending: str, where: dict[str, Any]) -> dict[str, Any]:
        """Looks at all moves of an ending; what there is to say of it."""

        def on_progress(found: Progress) -> None:
            self._go_on()
            self._count.reach(found.part, found.ahead)
            self._say("phase", **where, done=found.done, total=found.total, what=found.phase)

        survey.make(self.library, ending, self.threads, on_progress)
        return {"kind": "about"}


def _is_known(library: Library, ending: str) -> bool:
    """Whether an ending has been looked at as its table is now."""
    try:
        return library.is_built(ending) and survey.known(library, ending) is not None
    except TableError:  # put aside: it is built anew
        return False


def watch(builder: Builder) -> None:
    """Cancels when the input closes; ends the process if it does not come round within seconds."""
    for _ in child.heard():
        pass
    builder.cancelled.set()
    time.sleep(_LAST)
    builder.library.sweep()
    os._exit(3)


def _serve(request: dict[str, Any]) -> None:
    library = Library(child.loaded(request["game"]), Path(request["root"]))
    wanted = request["endings"]
    others = f" and {len(wanted) - 1} more" if len(wanted) > 1 else ""
    with library.locked(f"the build of {wanted[0]}{others}"):
        library.sweep()
        builder = Builder(library, wanted, request["threads"], request["about"])
        threading.Thread(target=watch, args=(builder,), daemon=True).start()
        try:
            builder.run()
        except MemoryError:
            raise EndgameError("there is not enough memory", "close other programs or build a smaller ending") from None


if __name__ == "__main__":
    child.serve(_serve)

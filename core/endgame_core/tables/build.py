"""Builds endings in a child process, so that no screen stalls and memory goes back to the system.

The process runs this module: it reads one request from stdin and writes events to stdout as JSON lines. It stops as
soon as its stdin closes, so it never outlives the process that started it. Each table appears whole or not at all;
being killed at any instant loses the ending in hand and nothing else. Any number of them, on any number of machines,
work on one directory: each leaves to the others what they have in hand, and waits for what it needs of them.
"""

from __future__ import annotations

import gc
import os
import tempfile
import threading
import time
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import asdict, dataclass, fields
from typing import IO, Any, TypedDict, Unpack

from endgame_core import jsonl_process
from endgame_core.errors import (
    BuildCancelledError,
    BusyError,
    EndgameError,
    ProofError,
    StorageError,
    TableError,
    WorkerDiedError,
    WorkFileError,
    format_memory,
)
from endgame_core.game import DEEP, DigitFilter, SolveProgress, SolverBudget, work_file_limit
from endgame_core.jsonl_process import Child, as_error
from endgame_core.paths import check_writable, is_writable, kernel_environment, storage_errors
from endgame_core.tables import mmap_arrays, survey
from endgame_core.tables.library import Library
from endgame_core.tables.locks import Lock
from endgame_core.tables.mmap_arrays import cores

_MODULE = "endgame_core.tables.build"
_PATIENCE = 5.0
"""Seconds until a building process that does not end is killed."""
_LAST = 0.8
"""Seconds from the wish to cancel to its end, whatever is being done."""
_SOLVED = 0.87
"""Part of the work on an ending that is done when it is solved, and not yet written."""
_LOADING = 0.3
"""Seconds in which kernels are loaded that have been compiled before."""
_LATE = 3.0
"""Seconds after which what is loaded is no longer believed to have been compiled before."""
_LEAST = 0.001
"""Seconds of the smallest part of a build."""
_TICK = 0.5
"""Seconds without news after which the time is told."""
_LOOK = 0.5
"""Seconds between two looks at what other builders have in hand, where all is waited for."""


@dataclass(frozen=True, slots=True)
class Event:
    """One step of a build.

    Attributes:
        event: ``plan``, ``compile``, ``start``, ``phase``, ``layer``, ``slices``, ``write``, ``done``, ``about`` (the
            survey of an ending is made), ``there`` (another builder has made its table meanwhile), ``wait`` (others
            have in hand all that is left, or what it needs) or ``finished``; ``restart`` where an unfinished build
            of an ending cannot be resumed; ``tick`` where nothing is new but the time; ``hands`` how far the workers
            of a cluster are; ``open`` where the scheduler of a cluster lets anybody in.
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
        what: What is being compiled or, before the first layer, done; who is waited for; why an ending is restarted;
            the address of the scheduler.
        hands: What the workers of a cluster have in hand: the ending, how much of it is done, and on which machine.
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
    hands: tuple[tuple[str, float, str], ...] = ()

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

    stopped = "the build was cancelled", "finished tables are kept"
    """What is said where it was cancelled, and what has become of it."""

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
            raise BuildCancelledError(*self.stopped)
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
                raise BuildCancelledError(*self.stopped) if self.cancelled else self._died(complaints)

    def _died(self, complaints: IO[str]) -> WorkerDiedError:
        complaints.seek(0)
        lines = complaints.read().strip().splitlines()
        why = f" ({lines[-1][:200]})" if lines else ""
        return WorkerDiedError(f"{self.died[0]}{why}", self.died[1])

    def cancel(self) -> None:
        """Stops it from any thread; what is finished stays."""
        self.cancelled = True
        if self.child is not None:
            self.child.end(_PATIENCE)


class Terms(TypedDict, total=False):
    """On which terms endings are built.

    Attributes:
        about: Whether to look at the moves of these endings, too, where that has not been done.
        memory: Bytes of memory that may be used; three quarters of what is free by default.
        keep_requested_only: Whether to delete sub-endings that were built only for these as soon as nothing needs them.
    """

    about: bool
    memory: int | None
    keep_requested_only: bool


class Build(Work):
    """One build of some endings and their missing sub-endings.

    Args:
        library: Where the tables go.
        endings: Canonical names.
        threads: Threads to solve with; as many as the machine has cores by default.
        terms: See :class:`Terms`.
    """

    def __init__(
        self, library: Library, endings: Sequence[str], threads: int | None = None, **terms: Unpack[Terms]
    ) -> None:
        super().__init__()
        self.library, self.endings, self.threads, self.terms = library, tuple(endings), threads or cores(), terms

    def events(self) -> Iterator[Event]:
        """Starts the build and yields its events until it is finished (blocking); raises as :meth:`told`."""
        request = {
            "game": self.library.game.entry, "places": self.library.places, "endings": self.endings,
            "threads": self.threads, "terms": self.terms,
        }  # fmt: skip
        yield from map(Event.from_message, self.told(_MODULE, request))


def remove_intermediates(library: Library, plan: Iterable[str], asked: Collection[str], to_come: Iterable[str]) -> None:
    """Deletes what was built only as a sub-ending, and is needed by nothing that is still to be built.

    Args:
        library: The tables.
        plan: All that is built.
        asked: What stays.
        to_come: What is still to be built.
    """
    needed = {need for ending in to_come for need in (ending, *library.game.needs(ending))}
    for ending in plan:
        if ending not in needed and ending not in asked and library.path(ending).is_file():
            if library.one_sided_dependents(ending):
                continue
            with suppress(BusyError):  # another builder needs it
                library.remove(ending)


# In the building process


def refusal(
    library: Library, ending: str, memory: int | None, free: int | None = None, looks: bool = False
) -> EndgameError | None:
    """Why an ending cannot be built in the memory that is allowed, or is free; None where it can.

    Args:
        library: Where it would be built.
        ending: Canonical name.
        memory: Bytes that may be used at most, None where nobody has said.
        free: Bytes that are free; what the system tells by default.
        looks: Whether all its moves are looked at instead.
    """
    if looks:
        need, what = survey.memory(library, ending), f"looking at all moves of {ending}"
        return short_of(what, need, memory, free, "look at a smaller ending")
    cost = library.estimate(ending)
    return short_of(ending, cost.enough, memory, free, "build a smaller ending", cost.deep)


def short_of(
    what: str, need: int, memory: int | None, free: int | None, or_else: str, deep: int = 0
) -> EndgameError | None:
    """That there is too little memory for something; None where there is enough.

    Args:
        what: What is to be done.
        need: Bytes that it takes at least.
        memory: Bytes that may be used at most, None where nobody has said.
        free: Bytes that are free; what the system tells by default.
        or_else: What one can do instead.
        deep: Bytes that it takes where wins are longer than bytes hold, if that is not known yet.
    """
    free = free or mmap_arrays.free_memory() or mmap_arrays.ENDLESS
    if memory is not None and need > memory:
        return EndgameError(
            f"{what} needs at least {format_memory(need)} of memory, and {format_memory(memory)} are allowed",
            f"allow more with --memory{f' ({format_memory(deep)} {DEEP})' if deep else ''}, or {or_else}",
        )
    if need > free:
        return EndgameError(
            f"{what} needs about {format_memory(need)} of memory and {format_memory(free)} are free",
            f"close other programs or {or_else}; finished tables are kept",
        )
    return None


@contextmanager
def memory_for(library: Library, ending: str, what: str, memory: int | None, leads: bool = True) -> Generator[None]:
    """Meanwhile no more memory is taken than may be: so much, or three quarters of what is free.

    Args:
        library: The tables.
        ending: Canonical name.
        what: What is done.
        memory: Bytes that may be used at most, None where nobody has said.
        leads: Whether it needs the ending's codes wherever a move leads; those of a large one are files, but not all
            else.

    Raises:
        EndgameError: That is too little.
    """
    is_large = leads and library.game.index.slots(ending) > mmap_arrays.HELD
    if is_large and (why := short_of(what, mmap_arrays.LEAST, memory, None, "take a smaller ending")):
        raise why
    with mmap_arrays.memory_limit(memory or mmap_arrays.default_memory()):
        yield


class ProgressEstimator:
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
    def share(self) -> float:
        """The sure part of what is in hand that is done."""
        return min(1.0, max(0.0, self._sure - self._before) / (self._here or _LEAST))

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


@dataclass(frozen=True, slots=True)
class _Step:
    """One piece of work: an ending, whether its moves are looked at or its table is built, and the price in seconds."""

    ending: str
    looks: bool
    seconds: float

    @property
    def what(self) -> str:
        """What is done, told to others."""
        return f"the {'look at all moves' if self.looks else 'build'} of {self.ending}"


class _LostError(Exception):
    """Another builder has taken this one for dead, and has the ending in hand now."""


class Builder:
    """Builds a plan, ending by ending, and looks at the moves of those that were asked for, if wanted."""

    def __init__(self, library: Library, endings: list[str], threads: int, **terms: Unpack[Terms]) -> None:
        self.library = library
        self.game = library.game
        self.asked = frozenset(endings)
        self.memory, self.keep_requested_only = terms.get("memory"), terms.get("keep_requested_only", False)
        unknown = [ending for ending in dict.fromkeys(endings) if not _is_known(library, ending)]
        self.about = unknown if terms.get("about") else []
        needs = [need for ending in self.about for need in self.game.needs(ending)]
        self.plan = library.plan([*needs, *endings])
        self._steps = [_Step(ending, False, library.estimate(ending).seconds) for ending in self.plan]
        self._steps += [_Step(ending, True, survey.seconds(self.game, ending)) for ending in self.about]
        self._done = 0
        self._hold: Lock | None = None
        self._is_claimed = False
        """Whether this process does the step at hand, rather than another one that has done it meanwhile."""
        self._waits_for = "", ""
        self.threads = threads
        self.cancelled = threading.Event()
        looks = bool(self.about)
        missing = library.to_compile(self.plan, looks)
        compiled = self.game.solver.compile_times(self.plan, looks) if self.plan or looks else {}
        self._kernels = {what: missing.get(what, _LOADING) for what in compiled}
        seconds = [step.seconds for step in self._steps]
        self._count = ProgressEstimator([*self._kernels.values(), *seconds], 2 / min(2, threads))
        self._prices, self._missing = compiled, list(missing)
        self._kernel, self._kernel_since = "", 0.0
        self._saying = threading.Lock()
        self._said, self._over = 0.0, False

    def run(self) -> None:
        """Builds all; raises EndgameError."""
        if self.plan:
            with storage_errors(self.library.directory):
                check_writable(self.library.directory)  # before minutes of compiling and solving
            self._check_memory(
                max(self.plan, key=lambda ending: self.library.estimate(ending).enough), mmap_arrays.ENDLESS
            )
        if self.about:
            largest = max(self.about, key=lambda ending: survey.memory(self.library, ending))
            self._check_memory(largest, mmap_arrays.ENDLESS, looks=True)
        everything: dict[str, Any] = {"endings": tuple(self.plan), "steps": len(self._steps)}
        self._say("plan", **everything)
        threading.Thread(target=self._tick, daemon=True).start()
        if self._steps:
            self._warm_up()
        self._kernel = ""
        for what in self._kernels:
            self.library.compiled(what)
        self._count.begin(len(self._kernels), anew=True)
        while self._done < len(self._steps):
            self._go_on()
            step = self._taken()
            if step is None:
                self._wait()
            elif self._is_claimed:
                self._do(step)
        self._say("finished", **everything)

    def give_up(self) -> None:
        """Cancels, and lets go of what is in hand when the build has not come round within seconds."""
        self.cancelled.set()
        time.sleep(_LAST)
        self.library.give_up()

    def _warm_up(self) -> None:
        """Compiles, or loads what has been compiled; what that makes stays, and is not looked through for garbage."""
        gc.disable()
        try:
            self.game.solver.warm_up(self.plan, self._compiling, bool(self.about))
        finally:
            gc.enable()

    def _taken(self) -> _Step | None:
        """Takes a step in hand that nobody else has, all that it needs being built; None where all have to wait.

        A step that others have done meanwhile is told as such, and nothing is in hand.
        """
        self._is_claimed = False
        to_do = self._steps[self._done :]
        missing = {step.ending for step in to_do if not step.looks}
        for step in to_do:
            if not step.looks and self.library.is_built(step.ending):
                return self._others_did(step)
            needs = [*self.game.needs(step.ending), *([step.ending] if step.looks else [])]
            if not missing.isdisjoint(needs):
                continue
            if step.looks and not is_writable(self.library.directory):
                # No lock can be made there. None is needed: nobody can replace the table, and the survey is elsewhere.
                if self._is_done(step):
                    return self._others_did(step)
                self._is_claimed = True
                return step
            if (hold := self.library.acquire(step.ending, step.what)) is not None:
                self._hold = hold
                if self._is_done(step):
                    return self._others_did(step)
                self._is_claimed = True
                return step
        return None

    def _is_done(self, step: _Step) -> bool:
        """Whether others have done a step that is in hand now; asks the disk, for a list may be of a moment ago."""
        if step.looks:
            return _is_known(self.library, step.ending)
        return self.library.path(step.ending).is_file()

    def _others_did(self, step: _Step) -> _Step:
        self._release()
        self._begin(step)
        self._done += 1
        self._count.begin(len(self._kernels) + self._done)
        self._say("there", ending=step.ending, step=self._done, steps=len(self._steps))
        return step

    def _begin(self, step: _Step) -> None:
        """A step comes now, before others that were to come first."""
        at = self._steps.index(step)
        self._steps.insert(self._done, self._steps.pop(at))
        first = len(self._kernels)
        for number in range(self._done, at + 1 if at > self._done else at):
            self._count.price(first + number, self._steps[number].seconds)
        self._count.begin(first + self._done)

    def _do(self, step: _Step) -> None:
        """Does a step that is in hand; nothing, where another builder has taken it away meanwhile."""
        self._check_memory(step.ending, mmap_arrays.free_memory() or mmap_arrays.ENDLESS, step.looks)
        self._begin(step)
        self._waits_for = "", ""
        where: dict[str, Any] = {"ending": step.ending, "step": self._done + 1, "steps": len(self._steps)}
        self._say("start", **where)
        began = time.monotonic()
        try:
            result = (self._survey if step.looks else self._build)(step.ending, where)
        except _LostError:
            return
        except StorageError:  # half of it may have been swept
            if self._hold is not None and self._hold.lost:
                return
            raise
        finally:
            self._release()
        self._done += 1
        self._count.begin(len(self._kernels) + self._done)
        self._say(**result, **where, seconds=round(time.monotonic() - began, 3))
        if self.keep_requested_only:
            remove_intermediates(
                self.library, self.plan, self.asked, [step.ending for step in self._steps[self._done :]]
            )

    def _release(self) -> None:
        hold, self._hold = self._hold, None
        if hold is not None:
            self.library.locks.release(hold)

    def _wait(self) -> None:
        """Waits a moment for those who have in hand what is left."""
        left, held = self._steps[self._done :], self.library.in_hand()
        ending = next((step.ending for step in left if step.ending in held), left[0].ending)
        told = ending, str(held.get(ending, "another build"))
        if told != self._waits_for:
            self._waits_for = told
            self._say("wait", ending=ending, steps=len(self._steps), what=told[1])
        self.cancelled.wait(_LOOK)
        self._count.begin(len(self._kernels) + self._done, anew=True)

    def _go_on(self) -> None:
        if self.cancelled.is_set():
            raise BuildCancelledError()
        if self._hold is not None and self._hold.lost:
            raise _LostError

    def _say(self, kind: str, **found: Any) -> None:
        """With the part done of the whole build, and the seconds left."""
        with self._saying:
            if self._over:
                return
            self._said, self._over = time.monotonic(), kind == "finished"
            fraction, left = self._count.now
            if self._over:
                fraction, left = 1.0, 0.0
            if self._hold is not None and "step" in found:
                self._hold.share = self._count.share
            jsonl_process.send(Event(kind, fraction=round(fraction, 4), left=round(left, 2), **found).to_message())

    def _tick(self) -> None:
        """Runs in a thread: tells of the time where nothing else is told for long."""
        while not self.cancelled.wait(_TICK) and not self._over:
            if self._kernel and time.monotonic() - self._kernel_since > _LATE:
                self._doubt(self._kernel)
            if time.monotonic() - self._said >= _TICK:
                self._say("tick", steps=len(self._steps))

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
            self._say("compile", what=what, done=number, total=len(self._missing), steps=len(self._steps))

    @property
    def _allowed(self) -> int:
        """Bytes of memory that may be used now."""
        return self.memory or mmap_arrays.default_memory()

    def _check_memory(self, ending: str, free: int, looks: bool = False) -> None:
        """Raises EndgameError where an ending takes more memory than is free, or than is allowed."""
        error = refusal(self.library, ending, self.memory, free, looks)
        if error is not None:
            raise error

    def _build(self, ending: str, where: dict[str, Any]) -> dict[str, Any]:
        """Solves an ending and writes its table; returns the fields of the event.

        A work file that turns out to be damaged restarts the solver, once.
        """
        began = time.monotonic()

        def on_progress(found: SolveProgress) -> None:
            self._go_on()
            self._count.reach(_SOLVED * found.part, _SOLVED * found.ahead)
            kind = "phase" if found.phase else "slices" if found.n is None else "layer"
            self._say(
                kind, **where, n=found.n, white=found.new_white, black=found.new_black, done=found.done,
                total=found.total, what=found.phase,
            )  # fmt: skip

        def lookup(name: str, side: int, wanted: DigitFilter = ()) -> Any:
            return self.library.read_side(name, side, self.threads, wanted)

        needs = self.game.needs(ending)
        sources = tuple(self._fingerprint(need) for need in needs)
        work, disk = self.library.work_file(ending), work_file_limit(self.game.cost(ending).size)

        def on_restart(why: str) -> None:
            self._say("restart", **where, what=why)

        def solve_and_write() -> int:
            budget = SolverBudget(self._allowed, work, sources, self.library.is_deep(needs), disk, on_restart)
            solved = self.game.solver.solve(ending, lookup, self.threads, on_progress, budget)
            self._count.reach(_SOLVED, 1.0)
            self._say("write", **where)
            self._go_on()
            try:
                size = self.library.write(ending, solved, began, self.threads)
            except ProofError:
                solved.done()  # its work file would lead to the same table
                raise
            solved.done()
            return size

        try:
            size = solve_and_write()
        except WorkFileError as error:
            on_restart(error.what)
            self._count.begin(len(self._kernels) + self._done, anew=True)
            size = solve_and_write()
        self._count.reach(1.0, 1.0)
        return {"kind": "done", "size": size}

    def _fingerprint(self, ending: str) -> str:
        size, checksum = self.library.table(ending).fingerprint
        return f"{ending}:{size}:{checksum}"

    def _survey(self, ending: str, where: dict[str, Any]) -> dict[str, Any]:
        """Looks at all moves of an ending; what there is to say of it."""

        def on_progress(found: SolveProgress) -> None:
            self._go_on()
            self._count.reach(found.part, found.ahead)
            self._say("phase", **where, done=found.done, total=found.total, what=found.phase)

        with mmap_arrays.memory_limit(max(self._allowed, survey.memory(self.library, ending))):
            survey.make(self.library, ending, self.threads, on_progress)
        return {"kind": "about"}


def _is_known(library: Library, ending: str) -> bool:
    """Whether an ending has been looked at as its table is now."""
    try:
        return library.is_built(ending) and survey.known(library, ending) is not None
    except TableError:  # put aside: it is built anew
        return False


def _serve(request: dict[str, Any]) -> None:
    library = Library.at(jsonl_process.load_object(request["game"]), request["places"])
    library.sweep()
    builder = Builder(library, request["endings"], request["threads"], **request["terms"])
    jsonl_process.end_with_input(builder.give_up)
    try:
        builder.run()
    finally:
        library.locks.release()


if __name__ == "__main__":
    jsonl_process.serve(_serve)

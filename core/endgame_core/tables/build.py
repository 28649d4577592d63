"""Builds endings in a child process, so that the screen never stalls and memory goes back to the system.

The process runs this module: it reads one request from stdin and writes events to stdout as JSON lines. It stops as
soon as its stdin closes, so it never outlives the process that started it. Each table appears as a whole or not at all;
a kill at any instant loses at most the ending that is being built, and a long build resumes from its work file. Any
number of builders, on any number of machines, can share one data directory: each locks the ending that it builds, and
waits for the others where it requires their endings.
"""

from __future__ import annotations

import gc
import math
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
    format_required_memory,
)
from endgame_core.game import DEEP, DigitFilter, SolveProgress, SolverBudget, work_file_limit
from endgame_core.jsonl_process import Child, as_error
from endgame_core.language import _
from endgame_core.paths import check_writable, is_writable, kernel_environment, storage_errors
from endgame_core.system import cores
from endgame_core.tables import mmap_arrays, survey
from endgame_core.tables.kernel_marks import CompilationLock
from endgame_core.tables.library import Library
from endgame_core.tables.locks import Lock
from endgame_core.tables.plan import SECONDS_PER_TABLE
from endgame_core.tables.writing import EarlyFrames

_MODULE = "endgame_core.tables.build"
_PATIENCE = 5.0
"""Seconds until a build process that does not end is killed."""
_CANCEL_SECONDS = 0.8
"""Seconds after a cancellation until the process ends, whatever it is doing."""
_SOLVED = 0.68
"""Part of the measured seconds of an ending after which it is solved."""
_WRITTEN = 0.85
"""Part of them after which it is also written. The proof takes the rest, and ``SECONDS_PER_TABLE``."""
_LOAD_SECONDS = 0.3
"""Seconds to load a kernel that was compiled before."""
_MAX_LOAD_SECONDS = 3.0
"""Seconds after which a kernel is not being loaded but compiled, although it was compiled before."""
_MIN_SECONDS = 0.001
"""Seconds of the smallest part of a build."""
_TICK = 0.5
"""Seconds without an event after which the time is reported."""
_LONGEST_RISE = 10.0
"""Seconds for which the time left may rise; then it keeps its value as long, unless it falls."""
_RISE_SECONDS = 5.0
"""The time left rises at the speed that would reach a higher estimate in these seconds; at least by one per second."""
_LOCK_POLL = 0.5
"""Seconds between two looks at the locks of other builders when every remaining ending has to wait."""


@dataclass(frozen=True, slots=True)
class Event:
    """One step of a build.

    Attributes:
        event: The kind of the event:

            * ``plan``: the build begins; ``finished``: it is complete.
            * ``compile``: a kernel is being compiled.
            * ``start``: work on an ending begins; ``phase``, ``layer``, ``slices``: it has come so far; ``write``: its
              table is being written; ``done``: its table is built; ``about``: its survey is made.
            * ``restart``: an unfinished build of an ending cannot be resumed and begins again.
            * ``there``: another builder has made its table meanwhile.
            * ``wait``: other builders have locked all remaining endings, or their requirements.
            * ``tick``: only time has passed.
            * ``hands``: progress of the workers of a cluster; ``open``: the cluster's scheduler admits everybody.
        ending: The ending of the current step.
        endings: All endings of the plan (``plan`` and ``finished``).
        step: Number of the step, from 1.
        steps: Number of steps of the build.
        n: Number of the layer just finished.
        white: New positions (slots) with White to move in that layer.
        black: The same with Black to move.
        done: Slices (pawn placements) finished; of a phase, parts of any size; the number of the kernel.
        total: All slices of the ending; all parts of the phase, 0 if they are not counted; all kernels to compile.
        fraction: Part of the whole build's work that is done, 0 to 1.
        left: Estimated seconds left.
        size: Bytes of the table.
        seconds: Seconds that the step took.
        what: The kernel, or the phase before the first layer; the lock's owner that is waited for; why an ending is
            restarted; the address of the scheduler.
        hands: What the workers of a cluster are building: the ending, the part of it that is done, and the machine.
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
        """The fields that differ from their defaults."""
        values = asdict(self)
        return {f.name: values[f.name] for f in fields(self) if values[f.name] != f.default}

    @classmethod
    def from_message(cls, message: Mapping[str, Any]) -> Event:
        """The event that :meth:`to_message` has turned into a message."""
        values: dict[str, Any] = {**message, "endings": tuple(message.get("endings", ()))}
        return cls(**values)


class Work:
    """Work in a child process, which can be cancelled from any thread.

    Attributes:
        cancelled: Whether it was cancelled.
        child: The process once it is started.
    """

    death_notice = _("the build process stopped unexpectedly"), _("finished tables are kept; start the build again")
    """Message and advice if the process ends by itself."""

    cancel_notice = _("the build was cancelled"), _("finished tables are kept")
    """Message and advice if it was cancelled."""

    def __init__(self) -> None:
        self.cancelled = False
        self.child: Child | None = None

    def messages(
        self, module: str, request: Mapping[str, Any], final_event: str = "finished"
    ) -> Iterator[dict[str, Any]]:
        """Start a process and yield its messages (blocking).

        Args:
            module: The module to run.
            request: What it is to do.
            final_event: The event of its last message.

        Raises:
            EndgameError: It failed (StorageError, BusyError …) or was cancelled.
        """
        if self.cancelled:
            raise BuildCancelledError(*self.cancel_notice)
        with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as stderr:
            # The threads of a library for linear algebra, which numpy starts, would only take time and memory.
            environment = {**os.environ, **kernel_environment(), "OPENBLAS_NUM_THREADS": "1"}
            process = Child(module, request, environment, stderr)
            self.child = process
            is_finished = False
            with closing(process.messages()) as messages:
                try:
                    if self.cancelled:  # from another thread, while the child was started
                        process.end(_PATIENCE)
                    for message in messages:
                        if "error" in message:
                            raise as_error(message)
                        # A process that was killed ends its messages without this one.
                        is_finished = message["event"] == final_event
                        yield message
                # Also when the caller stops reading: nobody would see the rest of the work.
                finally:
                    process.end(_PATIENCE)
            if not is_finished:
                if self.cancelled:
                    error = BuildCancelledError(*self.cancel_notice)
                else:
                    error = self._death(stderr)
                raise error

    def _death(self, stderr: IO[str]) -> WorkerDiedError:
        """The error for a process that ended by itself, with the last line that it wrote to stderr."""
        stderr.seek(0)
        lines = stderr.read().strip().splitlines()
        message, advice = self.death_notice
        reason = f" ({lines[-1][:200]})" if lines else ""
        return WorkerDiedError(f"{message}{reason}", advice)

    def cancel(self) -> None:
        """Stop the process, from any thread; finished tables stay."""
        self.cancelled = True
        if self.child is not None:
            self.child.end(_PATIENCE)


class Terms(TypedDict, total=False):
    """Options of a build.

    Attributes:
        with_surveys: Whether to make missing surveys of the requested endings as well.
        memory: Memory limit in bytes; 75 % of the free memory by default.
        keep_requested_only: Whether to delete intermediate tables as soon as the build no longer requires them.
    """

    with_surveys: bool
    memory: int | None
    keep_requested_only: bool


class Build(Work):
    """A build of some endings and their missing sub-endings.

    Args:
        library: Where the tables go.
        endings: Canonical names.
        threads: Number of threads; the number of cores by default.
        terms: See :class:`Terms`.
    """

    def __init__(
        self, library: Library, endings: Sequence[str], threads: int | None = None, **terms: Unpack[Terms]
    ) -> None:
        super().__init__()
        self.library = library
        self.endings = tuple(endings)
        self.threads = threads or cores()
        self.terms = terms

    def events(self) -> Iterator[Event]:
        """Start the build and yield its events until it is finished (blocking); raises like :meth:`messages`."""
        request = {
            "game": self.library.game.entry, "places": self.library.places, "endings": self.endings,
            "threads": self.threads, "terms": self.terms,
        }  # fmt: skip
        yield from map(Event.from_message, self.messages(_MODULE, request))


def remove_intermediates(
    library: Library, plan: Iterable[str], requested: Collection[str], remaining: Iterable[str]
) -> None:
    """Delete the tables that were built only as sub-endings and that no remaining ending requires.

    Args:
        library: The tables.
        plan: All endings of the build.
        requested: The endings to keep.
        remaining: The endings that are still to be built.
    """
    # Direct requirements suffice: those of a sub-ending that is not built yet are listed with it among the remaining
    # ones.
    required = {need for ending in remaining for need in (ending, *library.game.needs(ending))}
    for ending in plan:
        if ending in required or ending in requested or not library.path(ending).is_file():
            continue
        # A one-sided table is read together with its sub-endings.
        if library.disk.one_sided_dependents(ending):
            continue
        with suppress(BusyError):  # another builder requires it
            library.disk.remove(ending)


# In the build process; the commands also use the next functions


def memory_error(
    library: Library, ending: str, memory: int | None, free: int | None = None, is_survey: bool = False
) -> EndgameError | None:
    """The error that the allowed or the free memory does not suffice for an ending, or None if it does.

    Args:
        library: Where it would be built.
        ending: Canonical name.
        memory: Memory limit in bytes; None for no limit.
        free: Free bytes; asked from the system by default.
        is_survey: Whether its survey is to be made instead of its table.
    """
    if is_survey:
        required = survey.required_memory(library, ending)
        what = _("examining all moves of {ending}").format(ending=ending)
        return memory_shortage(what, required, memory, free, _("examine a smaller ending"))
    cost = library.planner.estimate(ending)
    return memory_shortage(ending, cost.enough, memory, free, _("build a smaller ending"), cost.deep)


def memory_shortage(
    what: str, required: int, memory: int | None, free: int | None, alternative: str, deep: int = 0
) -> EndgameError | None:
    """The error that there is too little memory for something, or None if there is enough.

    Args:
        what: What is to be done.
        required: Bytes that it requires at least.
        memory: Memory limit in bytes; None for no limit.
        free: Free bytes; asked from the system by default.
        alternative: What the user can do instead.
        deep: Bytes that it requires if wins turn out to be longer than bytes can store; 0 if that is known.
    """
    free = free or mmap_arrays.free_memory() or mmap_arrays.UNLIMITED
    if memory is not None and required > memory:
        if_deep = ""
        if deep:
            if_deep = f" ({format_required_memory(deep)} {DEEP})"
        return EndgameError(
            _("{what} needs at least {required} of memory, but only {memory} is allowed").format(
                what=what, required=format_required_memory(required), memory=format_memory(memory)
            ),
            _("allow more with --memory{if_deep}, or {alternative}").format(if_deep=if_deep, alternative=alternative),
        )
    if required > free:
        return EndgameError(
            _("{what} needs about {required} of memory, but only {free} is free").format(
                what=what, required=format_memory(required), free=format_memory(free)
            ),
            _("close other programs or {alternative}; finished tables are kept").format(alternative=alternative),
        )
    return None


@contextmanager
def memory_for(
    library: Library, ending: str, what: str, memory: int | None, follows_moves: bool = True
) -> Generator[None]:
    """Limit array memory to ``memory`` bytes (default: 75 % of the free memory) inside this block.

    Args:
        library: The tables.
        ending: Canonical name.
        what: What is done.
        memory: Memory limit in bytes, or None.
        follows_moves: Whether it requires the codes of all positions that moves lead to. Those of a large ending are
            in mapped files, but some memory is required even then.

    Raises:
        EndgameError: That is too little.
    """
    is_large = follows_moves and library.game.index.slots(ending) > mmap_arrays.IN_MEMORY_BYTES
    if is_large:
        error = memory_shortage(what, mmap_arrays.MIN_MEMORY, memory, None, _("choose a smaller ending"))
        if error is not None:
            raise error
    with mmap_arrays.memory_limit(memory or mmap_arrays.default_memory()):
        yield


class ProgressEstimator:
    """Estimates the done part of some work and the time left, from the expected seconds of its parts.

    The *pace* is the ratio of real to expected seconds. It is measured as the work goes on; the pace given at first
    counts as much as 2 % of the work.

    Args:
        parts: Expected seconds of each part on two cores.
        pace: The pace to assume at first.
        clock: Returns the time in seconds.
    """

    def __init__(self, parts: Sequence[float], pace: float = 1.0, clock: Callable[[], float] = time.monotonic) -> None:
        self._parts = [max(seconds, _MIN_SECONDS) for seconds in parts]
        self._total = sum(self._parts) or _MIN_SECONDS
        self._first_pace = pace
        self._clock = clock
        # All in expected seconds:
        self._finished_parts = 0.0  # work of the parts before the current one
        self._done = 0.0  # work that is done for sure
        self._ahead = 0.0  # work that will be done once the current unit is
        self._pace_start = 0.0  # work that was done when the measurement of the pace began
        self._shown = 0.0  # the largest fraction that was ever reported
        # In real seconds:
        self._began = clock()  # when the measurement of the pace began
        self._done_at = self._began  # when the sure work last grew
        self._seconds_left = math.inf  # the time left that was estimated last
        self._left_at = self._began  # when that was
        self._rise_began: float | None = None  # when it began to rise, if it is rising
        self.begin(0)

    def begin(self, number: int, new_pace: bool = False) -> None:
        """Begin a part; all parts before it are done.

        Args:
            number: The number of the part, from 0; the number of parts once all are done.
            new_pace: Whether the work so far says nothing about the pace of the parts to come.
        """
        self._number = number
        self._finished_parts = sum(self._parts[:number])
        if number < len(self._parts):
            self._current_part = self._parts[number]
        else:
            self._current_part = 0.0
        self.reach(0.0, 1.0)
        if new_pace:
            self._began = self._clock()
            self._pace_start = self._finished_parts

    def set_price(self, number: int, seconds: float) -> None:
        """Change the expected seconds of the current part or of one to come."""
        if seconds > self._parts[number]:
            self._seconds_left = math.inf  # this is certain: the time left may rise at once
        self._total += seconds - self._parts[number]
        self._parts[number] = seconds
        if number == self._number:
            self._current_part = seconds
            self.reach(0.0, 1.0)

    def reach(self, part: float, ahead: float) -> None:
        """Set the progress of the current part, 0 to 1; ``ahead`` counts the unit that is being worked on."""
        done = self._finished_parts + part * self._current_part
        if done > self._done:
            self._done = done
            self._done_at = self._clock()
        self._ahead = max(self._done, self._finished_parts + ahead * self._current_part)

    @property
    def share(self) -> float:
        """The part of the current part that is done for sure, 0 to 1."""
        return min(1.0, max(0.0, self._done - self._finished_parts) / (self._current_part or _MIN_SECONDS))

    @property
    def estimate(self) -> tuple[float, float]:
        """The done part of all work, 0 to 1, and the estimated seconds left.

        The part never decreases, and exceeds 97 % only when 98 % are done for sure. Between two reports it goes on with
        the time, through at most nine tenths of the current unit. The seconds rise gradually, and never for more than
        ten seconds on end: while a unit takes much longer than expected, they keep the last value.
        """
        now = self._clock()
        prior = 0.02 * self._total
        real_seconds = self._done_at - self._began
        pace = (real_seconds + prior * self._first_pace) / (max(0.0, self._done - self._pace_start) + prior)
        reached = self._done + min(0.9 * (self._ahead - self._done), (now - self._done_at) / pace)

        # The pace drops while the current unit takes longer than expected.
        real_seconds = now - self._began
        pace = max(pace, (real_seconds + prior * self._first_pace) / (max(0.0, reached - self._pace_start) + prior))

        fraction = reached / self._total
        if self._done < 0.98 * self._total:
            fraction = min(fraction, 0.97)
        self._shown = max(self._shown, fraction)
        fraction_to_report = min(1.0, self._shown)
        seconds_left = (1 - fraction_to_report) * self._total * pace
        return fraction_to_report, self._with_gentle_rises(seconds_left, now)

    def _with_gentle_rises(self, seconds_left: float, now: float) -> float:
        """The seconds left to report: they rise gradually, see :data:`_RISE_SECONDS`, and not for long.

        See also :data:`_LONGEST_RISE`.
        """
        # Falling at any speed is fine. A rise is followed for ``_LONGEST_RISE`` seconds; then the value stands still
        # for as long, and if the estimate is still higher, the next rise begins.
        if seconds_left <= self._seconds_left:
            self._rise_began = None
        elif self._rise_began is not None and _LONGEST_RISE < now - self._rise_began < 2 * _LONGEST_RISE:
            seconds_left = self._seconds_left
        else:
            if self._rise_began is None or now - self._rise_began > _LONGEST_RISE:
                self._rise_began = self._left_at
            rise_per_second = max((seconds_left - self._seconds_left) / _RISE_SECONDS, 1.0)
            seconds_left = min(seconds_left, self._seconds_left + rise_per_second * (now - self._left_at))
        self._seconds_left = seconds_left
        self._left_at = now
        return seconds_left


@dataclass(frozen=True, slots=True)
class _Step:
    """One piece of work: the table or the survey of an ending.

    Attributes:
        ending: The ending.
        is_survey: Whether its survey is made, not its table.
        seconds: Expected seconds on two cores.
    """

    ending: str
    is_survey: bool
    seconds: float

    @property
    def what(self) -> str:
        """The purpose of its lock, as other builders report it."""
        if self.is_survey:
            what = _("the examination of all moves in {ending}")
        else:
            what = _("the build of {ending}")
        return what.format(ending=self.ending)


class _LostLockError(Exception):
    """Another builder took this one for dead, and has taken over its lock."""


class Builder:
    """Builds the tables of a plan one by one, then the surveys of the requested endings if they are wanted.

    Args:
        library: Where the tables go.
        endings: The requested endings.
        threads: Number of threads.
        terms: See :class:`Terms`.
    """

    def __init__(self, library: Library, endings: list[str], threads: int, **terms: Unpack[Terms]) -> None:
        self.library = library
        self.game = library.game
        self.threads = threads
        self.cancelled = threading.Event()
        self.requested = frozenset(endings)
        self.memory = terms.get("memory")
        self.keep_requested_only = terms.get("keep_requested_only", False)

        self.surveys: list[str] = []
        if terms.get("with_surveys"):
            self.surveys = [ending for ending in dict.fromkeys(endings) if not _has_survey(library, ending)]
        # The moves of an ending to survey lead there, also from a table that is built already.
        needs = [need for ending in self.surveys for need in self.game.needs(ending)]
        self.plan = library.planner.plan([*needs, *endings])
        self._steps = [_Step(ending, False, library.planner.estimate(ending).seconds) for ending in self.plan]
        self._steps += [_Step(ending, True, survey.estimated_seconds(self.game, ending)) for ending in self.surveys]
        self._steps_done = 0
        self._lock: Lock | None = None
        self._waits_for = ("", "")
        """The ending that is waited for, and the owner of its lock."""

        with_surveys = bool(self.surveys)
        missing = library.kernels.missing(self.plan, with_surveys)
        self._kernel_prices: Mapping[str, float] = {}
        if self.plan or with_surveys:
            self._kernel_prices = self.game.solver.compile_times(self.plan, with_surveys)
        self._kernels = {kernel: missing.get(kernel, _LOAD_SECONDS) for kernel in self._kernel_prices}
        """Expected seconds to compile or load each kernel."""
        self._kernels_to_compile = list(missing)
        self._current_kernel = ""
        self._kernel_began = 0.0
        self._compilation_lock = CompilationLock(library.kernels)

        seconds = [step.seconds for step in self._steps]
        # Expected seconds are those of two cores.
        self._progress = ProgressEstimator([*self._kernels.values(), *seconds], 2 / min(2, threads))
        self._report_guard = threading.Lock()
        self._last_report = 0.0
        self._is_finished = False

    def run(self) -> None:
        """Do all steps; raises EndgameError."""
        if self.plan:
            with storage_errors(self.library.directory):
                check_writable(self.library.directory)  # before minutes of compiling and solving
            # If the limit is too small for the largest ending, the build fails now, and not hours later. What is free
            # is checked before each step.
            largest = max(self.plan, key=lambda ending: self.library.planner.estimate(ending).enough)
            self._check_memory(largest, mmap_arrays.UNLIMITED)
        if self.surveys:
            largest = max(self.surveys, key=lambda ending: survey.required_memory(self.library, ending))
            self._check_memory(largest, mmap_arrays.UNLIMITED, is_survey=True)

        overview: dict[str, Any] = {"endings": tuple(self.plan), "steps": len(self._steps)}
        self._report("plan", **overview)
        # After the plan, which has to be the first event.
        threading.Thread(target=self._tick, daemon=True).start()
        if self._steps:
            self._warm_up()
        self._current_kernel = ""
        for kernel in self._kernels:
            self.library.kernels.mark_compiled(kernel)
        # How long compiling took says nothing about solving.
        self._progress.begin(len(self._kernels), new_pace=True)

        while self._steps_done < len(self._steps):
            self._check_cancelled()
            step, is_claimed = self._next_step()
            if step is None:
                self._wait()
            elif is_claimed:
                self._do(step)
        self._report("finished", **overview)

    def abort(self) -> None:
        """Cancel; release all locks by force if the build does not stop within a second."""
        self.cancelled.set()
        time.sleep(_CANCEL_SECONDS)
        self.library.locks.abandon()

    def _warm_up(self) -> None:
        """Compile or load the kernels. The objects that this creates stay, so garbage collection would be in vain."""
        gc.disable()
        try:
            self.game.solver.warm_up(self.plan, self._on_kernel, bool(self.surveys))
        finally:
            self._compilation_lock.release()
            gc.freeze()
            gc.enable()

    def _next_step(self) -> tuple[_Step | None, bool]:
        """Lock the next unlocked step whose requirements are built.

        Returns:
            The step, or None if all steps have to wait; and whether this process has to do it: not if another builder
            has done it meanwhile.
        """
        steps = self._steps[self._steps_done :]
        # Endings that still have to be built, here or by another builder.
        missing = {step.ending for step in steps if not step.is_survey}
        for step in steps:
            if not step.is_survey and self.library.is_built(step.ending):
                self._skip(step)
                return step, False

            required = [*self.game.needs(step.ending)]
            if step.is_survey:
                required.append(step.ending)
            if not missing.isdisjoint(required):
                continue

            if step.is_survey and not is_writable(self.library.directory):
                # No lock can be created there, and none is needed: nobody can replace the table, and the survey is
                # stored elsewhere.
                if self._is_done(step):
                    self._skip(step)
                    return step, False
                return step, True

            lock = self.library.locks.acquire_table(step.ending, step.what)
            if lock is not None:
                self._lock = lock
                # Checked again now that nobody else can finish it.
                if self._is_done(step):
                    self._skip(step)
                    return step, False
                return step, True
        return None, False

    def _is_done(self, step: _Step) -> bool:
        """Whether another builder has done a step that is locked now; checks the disk, not a listing made before."""
        if step.is_survey:
            return _has_survey(self.library, step.ending)
        return self.library.path(step.ending).is_file()

    def _skip(self, step: _Step) -> None:
        """Count a step that another builder has done as done."""
        self._release()
        self._begin(step)
        self._steps_done += 1
        self._progress.begin(len(self._kernels) + self._steps_done)
        self._report("there", ending=step.ending, step=self._steps_done, steps=len(self._steps))

    def _begin(self, step: _Step) -> None:
        """Make a step the current one: move it before the others that are not done, and their prices with it."""
        at = self._steps.index(step)
        self._steps.insert(self._steps_done, self._steps.pop(at))
        first = len(self._kernels)
        # Only the steps up to the old place have moved.
        end = at + 1 if at > self._steps_done else at
        for number in range(self._steps_done, end):
            self._progress.set_price(first + number, self._steps[number].seconds)
        self._progress.begin(first + self._steps_done)

    def _do(self, step: _Step) -> None:
        """Do a step that is locked; give up silently if another builder has taken over the lock."""
        # Where the system does not say what is free, nothing is refused.
        self._check_memory(step.ending, mmap_arrays.free_memory() or mmap_arrays.UNLIMITED, step.is_survey)
        self._begin(step)
        self._waits_for = ("", "")
        place: dict[str, Any] = {"ending": step.ending, "step": self._steps_done + 1, "steps": len(self._steps)}
        self._report("start", **place)
        began = time.monotonic()
        cpu_began = time.process_time()
        try:
            if step.is_survey:
                result = self._survey(step.ending, place)
            else:
                result = self._build(step.ending, place)
        except _LostLockError:
            return
        except StorageError:  # the new owner of the lock may have deleted the half-written files
            if self._lock is not None and self._lock.lost:
                return
            raise
        finally:
            self._release()

        # In little memory, plane by plane, a build takes several times as long: that says nothing about others.
        if not step.is_survey and not self.game.scratch(step.ending, self._allowed_memory):
            expected = self.game.cost(step.ending).seconds + SECONDS_PER_TABLE
            self.library.pace.add(expected, time.process_time() - cpu_began)
        self._steps_done += 1
        self._progress.begin(len(self._kernels) + self._steps_done)
        self._report(**result, **place, seconds=round(time.monotonic() - began, 3))
        if self.keep_requested_only:
            remaining = [step.ending for step in self._steps[self._steps_done :]]
            remove_intermediates(self.library, self.plan, self.requested, remaining)

    def _release(self) -> None:
        lock = self._lock
        self._lock = None
        if lock is not None:
            self.library.locks.release(lock)

    def _wait(self) -> None:
        """Wait a moment for the builders that have locked the remaining endings or their requirements."""
        remaining = self._steps[self._steps_done :]
        owners = self.library.locks.locked_endings()
        ending = next((step.ending for step in remaining if step.ending in owners), remaining[0].ending)
        owner = str(owners.get(ending, _("another build")))
        # One event for each change, not for each look.
        if (ending, owner) != self._waits_for:
            self._waits_for = (ending, owner)
            self._report("wait", ending=ending, steps=len(self._steps), what=owner)
        self.cancelled.wait(_LOCK_POLL)
        # The time of waiting says nothing about the pace.
        self._progress.begin(len(self._kernels) + self._steps_done, new_pace=True)

    def _check_cancelled(self) -> None:
        if self.cancelled.is_set():
            raise BuildCancelledError()
        if self._lock is not None and self._lock.lost:
            raise _LostLockError

    def _report(self, kind: str, **values: Any) -> None:
        """Write an event, with the done part of the whole build and the seconds left."""
        # The ticking thread reports as well; after the last event nothing may follow.
        with self._report_guard:
            if self._is_finished:
                return
            self._last_report = time.monotonic()
            self._is_finished = kind == "finished"
            fraction, seconds_left = self._progress.estimate
            if self._is_finished:
                fraction = 1.0
                seconds_left = 0.0
            if self._lock is not None and "step" in values:
                self._lock.share = self._progress.share
            event = Event(kind, fraction=round(fraction, 4), left=round(seconds_left, 2), **values)
            jsonl_process.send(event.to_message())

    def _tick(self) -> None:
        """Report the time when nothing else has been reported for long. Runs in a thread."""
        while not self.cancelled.wait(_TICK) and not self._is_finished:
            # Loading takes a moment; if it takes longer, the kernel is being compiled after all.
            if self._current_kernel and time.monotonic() - self._kernel_began > _MAX_LOAD_SECONDS:
                self._expect_compilation(self._current_kernel)
            if time.monotonic() - self._last_report >= _TICK:
                self._report("tick", steps=len(self._steps))

    def _on_kernel(self, kernel: str) -> None:
        """Called before each kernel is compiled or loaded."""
        self._check_cancelled()
        self._progress.begin(list(self._kernels).index(kernel))
        self._current_kernel = kernel
        self._kernel_began = time.monotonic()
        self._report_compilation(kernel)
        self._compilation_lock.acquire(kernel)

    def _expect_compilation(self, kernel: str) -> None:
        """Expect this kernel and those after it to be compiled, because loading this one takes too long."""
        if kernel in self._kernels_to_compile:
            return
        kernels = list(self._kernels)
        first = kernels.index(kernel)
        for number in range(first, len(kernels)):
            self._progress.set_price(number, self._kernel_prices[kernels[number]])
        before = [name for name in kernels[:first] if name in self._kernels_to_compile]
        self._kernels_to_compile = before + kernels[first:]
        self._report_compilation(kernel)

    def _report_compilation(self, kernel: str) -> None:
        if kernel in self._kernels_to_compile:
            number = self._kernels_to_compile.index(kernel) + 1
            total = len(self._kernels_to_compile)
            self._report("compile", what=kernel, done=number, total=total, steps=len(self._steps))

    @property
    def _allowed_memory(self) -> int:
        """Bytes of memory that may be used now."""
        return self.memory or mmap_arrays.default_memory()

    def _check_memory(self, ending: str, free: int, is_survey: bool = False) -> None:
        """Raise EndgameError if a step requires more memory than is free, or than is allowed."""
        error = memory_error(self.library, ending, self.memory, free, is_survey)
        if error is not None:
            raise error

    def _build(self, ending: str, place: dict[str, Any]) -> dict[str, Any]:
        """Solve an ending and write its table; return the fields of the event.

        A work file that turns out to be damaged restarts the solver, once.
        """
        began = time.monotonic()
        measured = self.game.cost(ending).seconds
        solving_share = measured / (measured + SECONDS_PER_TABLE)
        solved_part = _SOLVED * solving_share
        written_part = _WRITTEN * solving_share

        def on_progress(progress: SolveProgress) -> None:
            self._check_cancelled()
            self._progress.reach(solved_part * progress.part, solved_part * progress.ahead)
            if progress.phase:
                kind = "phase"
            elif progress.n is None:
                kind = "slices"
            else:
                kind = "layer"
            self._report(
                kind, **place, n=progress.n, white=progress.new_white, black=progress.new_black, done=progress.done,
                total=progress.total, what=progress.phase,
            )  # fmt: skip

        def on_write(part: float) -> None:
            done = solved_part + part * (written_part - solved_part)
            is_proof_next = part == 1.0
            self._progress.reach(done, 1.0 if is_proof_next else written_part)

        def lookup(name: str, side: int, slot_digits: DigitFilter = ()) -> Any:
            return self.library.read_side(name, side, self.threads, slot_digits)

        needs = self.game.needs(ending)
        sources = tuple(self._fingerprint(need) for need in needs)
        work_file = self.library.files.work_file(ending)
        disk = work_file_limit(self.game.cost(ending).size)

        def on_restart(reason: str) -> None:
            self._report("restart", **place, what=reason)

        def solve_and_write() -> int:
            is_deep = self.library.planner.is_deep(needs)
            early = EarlyFrames(self.game.index.axes(ending), self.library.directory)
            budget = SolverBudget(self._allowed_memory, work_file, sources, is_deep, disk, on_restart, early)
            try:
                solved = self.game.solver.solve(ending, lookup, self.threads, on_progress, budget)
                self._progress.reach(solved_part, written_part)
                self._report("write", **place)
                self._check_cancelled()
                try:
                    size = self.library.write(ending, solved, began, self.threads, on_write, early)
                except ProofError:
                    solved.done()  # its work file would lead to the same table
                    raise
                solved.done()
                return size
            finally:
                early.clear()

        try:
            size = solve_and_write()
        except WorkFileError as error:
            on_restart(error.what)
            self._progress.begin(len(self._kernels) + self._steps_done, new_pace=True)
            size = solve_and_write()
        self._progress.reach(1.0, 1.0)
        return {"kind": "done", "size": size}

    def _fingerprint(self, ending: str) -> str:
        """Distinguishes the table of a sub-ending from another one of the same name."""
        size, checksum = self.library.table(ending).fingerprint
        return f"{ending}:{size}:{checksum}"

    def _survey(self, ending: str, place: dict[str, Any]) -> dict[str, Any]:
        """Make the survey of an ending; return the fields of the event."""

        def on_progress(progress: SolveProgress) -> None:
            self._check_cancelled()
            self._progress.reach(progress.part, progress.ahead)
            self._report("phase", **place, done=progress.done, total=progress.total, what=progress.phase)

        required = survey.required_memory(self.library, ending)
        # It may require more than the default limit, 75 % of what is free: ``_check_memory`` has found that it fits.
        with mmap_arrays.memory_limit(max(self._allowed_memory, required)):
            survey.make(self.library, ending, self.threads, on_progress)
        return {"kind": "about"}


def _has_survey(library: Library, ending: str) -> bool:
    """Whether there is a survey of an ending's current table."""
    try:
        return library.is_built(ending) and survey.load(library, ending) is not None
    except TableError:  # the table was renamed, and will be built again
        return False


def _serve(request: dict[str, Any]) -> None:
    library = Library.at(jsonl_process.load_object(request["game"]), request["places"])
    library.locks.sweep()
    builder = Builder(library, request["endings"], request["threads"], **request["terms"])
    jsonl_process.end_with_input(builder.abort)
    try:
        builder.run()
    finally:
        library.locks.release()


if __name__ == "__main__":
    jsonl_process.serve(_serve)

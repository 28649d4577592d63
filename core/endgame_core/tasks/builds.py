"""The queue of builds, their progress, and the builds of other processes in the same data directory."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, Unpack

from endgame_core.app_context import AppContext
from endgame_core.app_state import AppState
from endgame_core.errors import BuildCancelledError, EndgameError
from endgame_core.games import metric_named
from endgame_core.metric import DTM, Metric
from endgame_core.tables.cluster_address import is_encrypted, local_workers
from endgame_core.tables.library import Library
from endgame_core.tables.locks import LockOwner
from endgame_core.untrusted import quoted

if TYPE_CHECKING:
    from endgame_core.tables.build import Build, Event, Terms
    from endgame_core.tables.cluster import Cluster
    from endgame_core.tables.cluster_address import Certificates
    from endgame_core.tables.local_workers import LocalWorkers

PAUSE = 0.1
"""Minimum time between two progress reports, in seconds."""

_STAGES = frozenset(("plan", "compile", "start", "phase", "layer", "slices", "hands", "wait", "write"))
"""The events that begin a new stage of a build."""


@dataclass(frozen=True, slots=True)
class BuildRequest:
    """A request to build endings.

    Attributes:
        endings: Names of the endings.
        metric: Metric of the tables.
        about: Whether to make the surveys of the endings, too, if they are missing.
        keep_requested_only: Whether to delete intermediate tables as soon as the build no longer requires them.
    """

    endings: tuple[str, ...]
    metric: Metric = DTM
    about: bool = False
    keep_requested_only: bool = False


UNFINISHED: Final = "build"
"""The name of an unfinished build in the state of the app, beside unfinished games and drills."""


def remember_build(memory: AppState, request: BuildRequest) -> None:
    """Keep a build that begins, so that it can be offered again if it is cancelled or the program ends."""
    kept = {
        "endings": list(request.endings), "metric": request.metric, "about": request.about,
        "keep": request.keep_requested_only,
    }  # fmt: skip
    memory.note(kept, "left", UNFINISHED)


def forget_build(memory: AppState, request: BuildRequest | None = None) -> None:
    """Forget the unfinished build; with ``request``, only if it is that one."""
    if request is None or build_of(memory.get(dict, "left", UNFINISHED)) == request:
        memory.note(None, "left", UNFINISHED)


def build_of(kept: Mapping[str, Any] | None) -> BuildRequest | None:
    """The build that was kept; None where it cannot be read."""
    if kept is None:
        return None
    endings = kept.get("endings")
    metric = metric_named(str(kept.get("metric")))
    if not isinstance(endings, list) or not endings or metric is None:
        return None
    return BuildRequest(tuple(map(str, endings)), metric, kept.get("about") is True, kept.get("keep") is True)


@dataclass(slots=True)
class Job:
    """The build under way.

    Attributes:
        wish: What was asked for.
        at: The event that tells what is being done; None at first.
        ending: The ending in hand.
        step: Its number in the plan.
        steps: Endings in the plan.
        n: Layer reached, None before the first.
        white: Layer reached with White to move.
        black: Layer reached with Black to move.
        slices: Pawn placements done, and all of them; for endings with pawns, which have no layers on the way.
        sizes: New positions of each layer.
        plan: All that is built, in this order.
        share: Part of the whole done.
        left: Seconds left.
        is_cancelled: Whether somebody has said so.
        restarts: Endings whose build started again, and why, in order.
        open_scheduler: The address of a scheduler that lets anybody in; empty if there is none.
    """

    wish: BuildRequest
    at: Event | None = None
    ending: str = ""
    step: int = 0
    steps: int = 0
    n: int | None = None
    white: int | None = None
    black: int | None = None
    slices: tuple[int, int] | None = None
    sizes: list[int] = field(default_factory=list[int])
    plan: tuple[str, ...] = ()
    share: float | None = None
    left: float | None = None
    is_cancelled: bool = False
    restarts: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    open_scheduler: str = ""

    @property
    def waits(self) -> bool:
        """Whether it waits for an ending that another builder has in hand."""
        return self.at is not None and self.at.event == "wait"

    def take(self, event: Event) -> None:
        """Follows an event of the building process."""
        self.share, self.left = event.fraction, event.left
        self.steps = event.steps or self.steps
        self.step = event.step or self.step
        if event.event in _STAGES:
            self.at, self.ending = event, event.ending or self.ending
        if event.event == "plan":
            self.plan = event.endings
        elif event.event == "start":
            self.n = self.white = self.black = self.slices = None
            self.sizes = []
        elif event.event == "layer":
            self.n = event.n
            self.white = event.n if event.white else self.white
            self.black = event.n if event.black else self.black
            self.sizes.append(event.white + event.black)
        elif event.event == "slices":
            self.slices = event.done, event.total
        elif event.event == "restart":
            self.restarts.append((event.ending, event.what))
        elif event.event == "open":
            self.open_scheduler = event.what


@dataclass(frozen=True, slots=True)
class BuildFinished:
    """A build is no longer under way.

    Attributes:
        wish: What had been asked for.
        problem: Why it ended early, if it did.
        plan: All that was to be built.
        waiting: Endings that wait behind it; after a failure, those that are given up with it.
    """

    wish: BuildRequest
    problem: EndgameError | None = None
    plan: tuple[str, ...] = ()
    waiting: int = 0

    @property
    def is_cancelled(self) -> bool:
        """Whether the user said so."""
        return isinstance(self.problem, BuildCancelledError)


def in_thread(work: Callable[[], object]) -> None:
    """Does something beside the program, whose end does not wait for it."""
    threading.Thread(target=work, daemon=True).start()


class Builds:
    """Builds one wish after the other, each in a process of its own; asked in any thread.

    Args:
        lab: The tables.
        told: Told, in any thread, that a build has ended, and with None that something else is new.
        where: The cluster on which tables are built; empty for this machine.
        start: Begins the work that follows the processes, in a thread.
    """

    def __init__(
        self,
        lab: AppContext,
        told: Callable[[BuildFinished | None], object],
        where: Callable[[], str] = str,
        start: Callable[[Callable[[], None]], object] = in_thread,
    ) -> None:
        self._lab, self._told, self._where, self._start = lab, told, where, start
        self.job: Job | None = None
        """The build under way."""
        self.changes = 0
        """How often tables have come or gone."""
        self._queue: deque[BuildRequest] = deque()
        self._build: Build | Cluster | LocalWorkers | None = None
        self._pid = 0
        """The process that builds, or did last."""
        self._twice = False
        self._files: frozenset[tuple[Path, str]] | None = None
        self._changing = threading.Condition(threading.RLock())
        self._followed = 0
        self.held: Mapping[str, LockOwner] = {}
        """Who has which table in hand, by the name of its file; ourselves included."""

    # What waits

    @property
    def waiting(self) -> tuple[BuildRequest, ...]:
        """What waits behind the build under way."""
        with self._changing:
            return tuple(self._queue)

    def places(self, metric: Metric) -> dict[str, int]:
        """The endings that wait, with their places, from 1: those of the set that is being built, then the queue."""
        job, result = self.job, list[tuple[str, str]]()
        if job is not None and len(job.wish.endings) > 1:
            result = [(ending, job.wish.metric) for ending in job.plan[job.step :] if ending in job.wish.endings]
        result += [(ending, wish.metric) for wish in self.waiting for ending in wish.endings]
        return {ending: place for place, (ending, how) in reversed(list(enumerate(result, 1))) if how == metric}

    def _place(self, ending: str, metric: Metric) -> int | None:
        """Where in the queue an ending is."""
        result = (n for n, wish in enumerate(self._queue) if wish.metric == metric and ending in wish.endings)
        return next(result, None)

    def drop(self, ending: str, metric: Metric) -> bool:
        """Takes an ending out of the queue; False when it is not in it."""
        with self._changing:
            place = self._place(ending, metric)
            if place is None:
                return False
            rest = tuple(name for name in self._queue[place].endings if name != ending)
            self._queue[place] = replace(self._queue[place], endings=rest)
            if not rest:
                del self._queue[place]
        self._told(None)
        return True

    def move(self, ending: str, metric: Metric, step: int) -> bool:
        """Moves what an ending was wanted with so many places in the queue; False when it cannot go there."""
        with self._changing:
            place = self._place(ending, metric)
            if place is None or not 0 <= place + step < len(self._queue):
                return False
            wish = self._queue[place]
            del self._queue[place]
            self._queue.insert(place + step, wish)
        self._told(None)
        return True

    # What others do

    def changed(self) -> None:
        """Tables have come or gone."""
        with self._changing:
            self.changes += 1

    def watch(self) -> None:
        """Notices what others do: tables that come and go, what they have in hand in the same data directory."""
        library, before, held = self._lab.library(DTM), self._files, self.held
        self._files, self.held = library.files.listing(), library.locks.holders()
        if changed := before is not None and self._files != before:
            self.changed()
        if changed or _shares(held) != _shares(self.held):
            self._told(None)

    def others(self, library: Library) -> dict[str, LockOwner]:
        """The endings that other builders have in hand, and who they are."""
        job = self.job
        mine = job.ending if job is not None and job.wish.metric == library.game.metric and not job.waits else ""
        held = {
            name.removesuffix(library.files.suffix): holder
            for name, holder in self.held.items()
            if holder.pid != self._pid  # whose locks are ahead of what it tells, or are gone by now
        }
        return {ending: held[ending] for ending in library.game.endings() if ending in held and ending != mine}

    # Builds

    def build(
        self, endings: Sequence[str], metric: Metric = DTM, about: bool = False, keep_requested_only: bool = False
    ) -> bool:
        """Begins to build, or to look at moves; False where that waits behind another build, or is wanted already.

        With ``keep_requested_only`` what is built only for these endings is deleted as soon as nothing needs it.
        """
        wish = BuildRequest(tuple(endings), metric, about, keep_requested_only)
        self._lab.library(metric)  # which is made in this thread
        with self._changing:
            self._twice = False
            begins = self.job is None
            if self.job is None:
                job = self.job = Job(wish)
                self._followed += 1
                self._start(partial(self._work, job))
            elif (wish != self.job.wish or self.job.is_cancelled) and wish not in self._queue:
                self._queue.append(wish)
        self._told(None)
        return begins

    def _work(self, job: Job | None) -> None:
        """Runs in a thread."""
        while job is not None:
            problem: EndgameError | None = None
            try:
                self._follow(job)
            except EndgameError as error:
                problem = error
            except OSError as error:
                problem = EndgameError(f"the build could not run ({error})", "try again")
            except Exception as error:  # what waits behind it must not wait for ever
                problem = EndgameError(f"the build has failed ({type(error).__name__}: {error})", "try again")
            with self._changing:
                self.changes += 1
                end = BuildFinished(job.wish, problem, job.plan, sum(len(wish.endings) for wish in self._queue))
                if problem is None:
                    self._twice = False
                elif not end.is_cancelled:
                    self._queue.clear()
                self._build = None
                self.job = job = Job(self._queue.popleft()) if self._queue else None
            self._told(end)
        with self._changing:
            self._followed -= 1
            self._changing.notify_all()

    @property
    def _scheduler(self) -> str:
        """Where the settings say that tables are built; empty where that is not allowed."""
        return "" if self._lab.access.locked else self._where()

    @property
    def workers(self) -> int:
        """How many endings are built at the same time on this machine."""
        try:
            return (local_workers(self._scheduler) if self._scheduler else None) or 1
        except EndgameError:
            return 1  # the build says what is wrong with the setting

    def _follow(self, job: Job) -> None:
        """Builds what is wanted; raises EndgameError."""
        wish, told = job.wish, 0.0
        build = self._build = work_for(
            self._lab.library(wish.metric),
            wish.endings,
            self._scheduler,
            about=wish.about,
            keep_requested_only=wish.keep_requested_only,
        )
        if job.is_cancelled:  # before it had begun
            build.cancel()
        for event in build.events():
            self._pid = getattr(getattr(build, "child", None), "pid", 0)  # a cluster has none here
            job.take(event)
            if event.event in ("done", "there", "about"):
                self.changed()
            if event.event not in ("layer", "slices", "phase") or monotonic() - told > PAUSE:
                told = monotonic()
                self._told(None)

    def cancel(self, everything: bool = False) -> None:
        """Cancel the current build; a second call in a row, or ``everything``, also clears the queue."""
        with self._changing:
            if self.job is None:
                return
            if self._twice or everything:
                self._queue.clear()
            self._twice = self.job.is_cancelled = True
            build = self._build
        self._told(None)
        if build is not None:
            in_thread(build.cancel)

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until no build is running or queued; False if that takes longer than ``seconds``."""
        with self._changing:
            return self._changing.wait_for(lambda: not self._followed, seconds)


def _shares(held: Mapping[str, LockOwner]) -> dict[str, int]:
    """Progress of the locked tables, in percent."""
    return {name: round(100 * holder.share) for name, holder in held.items()}


def work_for(
    library: Library,
    endings: Sequence[str],
    where: str = "",
    threads: int | None = None,
    certificates: Certificates | None = None,
    **terms: Unpack[Terms],
) -> Build | Cluster | LocalWorkers:
    """Create a build of endings: in one process, in several local ones, or on a cluster.

    A build with surveys (the option ``about``) always runs in one process.

    Args:
        library: Library that stores the tables.
        endings: Canonical names of the endings.
        where: Address of a scheduler, or e.g. ``local:4`` for four local processes; empty for one process.
        threads: Number of solver threads in each process.
        certificates: Certificates for an encrypted scheduler (default: those of Dask's configuration).
        terms: Further options of the build.

    Raises:
        EndgameError: The address is invalid, certificates are given for an unencrypted one, or Dask is missing.
    """
    from endgame_core.tables.build import Build

    if not where or terms.get("about"):
        return Build(library, endings, threads, **terms)

    number = local_workers(where)
    if certificates is not None and not is_encrypted(where):
        raise EndgameError(
            f"certificates are not for {quoted(where)}", "write tls://host:8786, or leave --cluster-ca away"
        )
    if number is not None:
        from endgame_core.tables.local_workers import LocalWorkers

        return LocalWorkers(library, endings, number, threads, **terms)

    try:
        from endgame_core.tables.cluster import Cluster
    except ImportError:
        raise EndgameError("Dask is not installed", 'run in the clone: .venv/bin/pip install ".[cluster]"') from None
    return Cluster(library, endings, where, threads, certificates, **terms)

"""The queue of builds, their progress, and the builds of other processes in the same data directory."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Final, Unpack

from endgame_core.app_context import AppContext
from endgame_core.app_state import AppState
from endgame_core.errors import BuildCancelledError, EndgameError
from endgame_core.games import metric_named
from endgame_core.installation import install_advice
from endgame_core.language import _
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
        with_surveys: Whether to make missing surveys of the endings as well.
        keep_requested_only: Whether to delete intermediate tables as soon as the build no longer requires them.
        was_cancelled: Whether the user cancelled the build, so that it is offered again.
    """

    endings: tuple[str, ...]
    metric: Metric = DTM
    with_surveys: bool = False
    keep_requested_only: bool = False
    was_cancelled: bool = field(default=False, compare=False)


UNFINISHED: Final = "build"
"""The name of the unfinished builds in the state of the app, beside unfinished games and drills."""


def remember_build(memory: AppState, request: BuildRequest) -> None:
    """Keep a build that begins or is queued, so that it can be offered again if it is cancelled or the program ends."""
    others = [other for other in unfinished_builds(memory) if other != request]
    _keep_builds(memory, [request, *others])


def forget_build(memory: AppState, request: BuildRequest) -> None:
    """Forget an unfinished build."""
    _keep_builds(memory, [other for other in unfinished_builds(memory) if other != request])


def note_cancelled(memory: AppState, request: BuildRequest) -> None:
    """Note that an unfinished build was cancelled by the user."""
    requests = unfinished_builds(memory)
    _keep_builds(memory, [replace(other, was_cancelled=True) if other == request else other for other in requests])


def unfinished_builds(memory: AppState) -> list[BuildRequest]:
    """Return the builds that were not finished, the newest first; those that cannot be read are left out."""
    saved = memory.get(list, "left", UNFINISHED, "requests") or []
    requests = map(_build_of, saved)
    return [request for request in requests if request is not None]


def _keep_builds(memory: AppState, requests: Sequence[BuildRequest]) -> None:
    saved = [
        {
            "endings": list(request.endings),
            "metric": request.metric,
            "about": request.with_surveys,
            "keep_requested_only": request.keep_requested_only,
            "cancelled": request.was_cancelled,
        }
        for request in requests
    ]
    memory.note({"requests": saved} if saved else None, "left", UNFINISHED)


def _build_of(saved: object) -> BuildRequest | None:
    """The build that was saved; None where it cannot be read."""
    if not isinstance(saved, dict):
        return None
    endings = saved.get("endings")
    metric = metric_named(str(saved.get("metric")))
    if not isinstance(endings, list) or not endings or metric is None:
        return None
    names = tuple(map(str, endings))
    flags = (saved.get(name) is True for name in ("about", "keep_requested_only", "cancelled"))
    return BuildRequest(names, metric, *flags)


@dataclass(slots=True)
class Job:
    """The running build.

    Attributes:
        request: The request that it carries out.
        event: The event that began the current stage; None at first.
        ending: The ending that is being built.
        step: Its number in the plan, from 1.
        steps: Number of endings in the plan.
        n: Layer reached, in plies; None before the first.
        white: Layer reached with White to move.
        black: Layer reached with Black to move.
        slices: Pawn placements solved, and all of them; for endings with pawns, which report no layers.
        sizes: New positions of each layer.
        plan: All endings that are built, in this order.
        share: Part of the whole build that is done, 0 to 1.
        seconds_left: Seconds left.
        is_cancelled: Whether the user cancelled it.
        restarts: Endings whose build started again, and the reasons, in order.
        open_scheduler: Address of the scheduler if anybody may connect to it; otherwise empty.
    """

    request: BuildRequest
    event: Event | None = None
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
    seconds_left: float | None = None
    is_cancelled: bool = False
    restarts: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    open_scheduler: str = ""

    @property
    def waits(self) -> bool:
        """Whether it waits for an ending that another process is building."""
        return self.event is not None and self.event.event == "wait"

    def take(self, event: Event) -> None:
        """Update the progress by an event of the building process."""
        self.share = event.fraction
        self.seconds_left = event.left
        self.steps = event.steps or self.steps
        self.step = event.step or self.step
        if event.event in _STAGES:
            self.event = event
            self.ending = event.ending or self.ending

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
    """A build has finished, failed or been cancelled.

    Attributes:
        request: The request that it carried out.
        problem: Why it ended early; None if it did not.
        plan: All endings that were to be built.
        waiting: Number of endings in the queue; after a failure, those that are given up with it.
    """

    request: BuildRequest
    problem: EndgameError | None = None
    plan: tuple[str, ...] = ()
    waiting: int = 0

    @property
    def is_cancelled(self) -> bool:
        """Whether the user cancelled it."""
        return isinstance(self.problem, BuildCancelledError)


def in_thread(work: Callable[[], object]) -> None:
    """Run a function in a thread that does not keep the program alive."""
    threading.Thread(target=work, daemon=True).start()


class Builds:
    """The running build and the queue behind it; each build has a process of its own. May be called in any thread.

    Args:
        lab: The tables.
        on_change: Called in any thread: with a build that has ended, or with None if anything else has changed.
        scheduler: Returns the address of the cluster that builds, as in the settings; empty for this machine.
        start: Starts the function that follows the building processes, in a thread.
    """

    def __init__(
        self,
        lab: AppContext,
        on_change: Callable[[BuildFinished | None], object],
        scheduler: Callable[[], str] = str,
        start: Callable[[Callable[[], None]], object] = in_thread,
    ) -> None:
        self._lab = lab
        self._on_change = on_change
        self._scheduler_setting = scheduler
        self._start = start
        self.job: Job | None = None
        """The running build."""
        self.changes = 0
        """How often tables were built or deleted."""
        self._queue: deque[BuildRequest] = deque()
        self._build: Build | Cluster | LocalWorkers | None = None
        self._pid = 0
        """The latest building process."""
        self._cancelled_before = False
        """Whether the latest call was :meth:`cancel`, too: a second one in a row clears the queue."""
        self._files: frozenset[tuple[Path, str]] | None = None
        """The table files at the latest poll."""
        self._changing = threading.Condition(threading.RLock())
        self._followers = 0
        """Number of threads that follow building processes."""
        self.holders: Mapping[str, LockOwner] = {}
        """The owners of the locks of tables, this program included, by the name of the table's file."""

    # The queue

    @property
    def waiting(self) -> tuple[BuildRequest, ...]:
        """The queued builds."""
        with self._changing:
            return tuple(self._queue)

    def places(self, metric: Metric) -> dict[str, int]:
        """Places of the endings that wait, from 1: the rest of the set that is being built, then the queue."""
        waiting: list[tuple[str, str]] = []
        job = self.job
        if job is not None and len(job.request.endings) > 1:
            rest = [ending for ending in job.plan[job.step :] if ending in job.request.endings]
            waiting += [(ending, job.request.metric) for ending in rest]
        for request in self.waiting:
            waiting += [(ending, request.metric) for ending in request.endings]

        places: dict[str, int] = {}
        for place, (ending, ending_metric) in enumerate(waiting, 1):
            if ending_metric == metric:
                places.setdefault(ending, place)
        return places

    def _queue_index(self, ending: str, metric: Metric) -> int | None:
        for index, request in enumerate(self._queue):
            if request.metric == metric and ending in request.endings:
                return index
        return None

    def drop(self, ending: str, metric: Metric) -> bool:
        """Remove an ending from the queue; return False if it is not in it."""
        with self._changing:
            index = self._queue_index(ending, metric)
            if index is None:
                return False
            rest = tuple(name for name in self._queue[index].endings if name != ending)
            self._queue[index] = replace(self._queue[index], endings=rest)
            if not rest:
                del self._queue[index]
        self._on_change(None)
        return True

    def move(self, ending: str, metric: Metric, step: int) -> bool:
        """Move the request with an ending by ``step`` places in the queue; return False if it cannot go there."""
        with self._changing:
            index = self._queue_index(ending, metric)
            if index is None or not 0 <= index + step < len(self._queue):
                return False
            request = self._queue[index]
            del self._queue[index]
            self._queue.insert(index + step, request)
        self._on_change(None)
        return True

    # Other processes

    def changed(self) -> None:
        """Count a change: tables were built or deleted."""
        with self._changing:
            self.changes += 1

    def watch(self) -> None:
        """Poll what other processes do in the data directory: tables they built or deleted, and their locks."""
        library = self._lab.library(DTM)
        files_before = self._files
        holders_before = self.holders
        self._files = library.files.listing()
        self.holders = library.locks.holders()

        # The first poll has nothing to compare with.
        files_changed = files_before is not None and self._files != files_before
        if files_changed:
            self.changed()
        if files_changed or _shares(holders_before) != _shares(self.holders):
            self._on_change(None)

    def others(self, library: Library) -> dict[str, LockOwner]:
        """The endings that other processes are building, and the owners of their locks."""
        job = self.job
        own_ending = ""
        if job is not None and job.request.metric == library.game.metric and not job.waits:
            own_ending = job.ending

        # The locks of our own process may be ahead of its events, or gone by now.
        foreign = {
            name.removesuffix(library.files.suffix): owner
            for name, owner in self.holders.items()
            if owner.pid != self._pid
        }
        return {
            ending: foreign[ending] for ending in library.game.endings() if ending in foreign and ending != own_ending
        }

    # Builds

    def build(
        self,
        endings: Sequence[str],
        metric: Metric = DTM,
        with_surveys: bool = False,
        keep_requested_only: bool = False,
    ) -> bool:
        """Start a build, or queue it behind the running one, unless it is running or queued already.

        Args:
            endings: Names of the endings.
            metric: Metric of the tables.
            with_surveys: Whether to make the surveys of the endings as well.
            keep_requested_only: Whether to delete intermediate tables as soon as the build no longer requires them.

        Returns:
            Whether it was started at once.
        """
        request = BuildRequest(tuple(endings), metric, with_surveys, keep_requested_only)
        self._lab.library(metric)  # creates the library in this thread
        with self._changing:
            self._cancelled_before = False
            starts = self.job is None
            if self.job is None:
                self.job = Job(request)
                self._followers += 1
                self._start(partial(self._work, self.job))
            # A build that is being cancelled may be requested again, behind itself.
            elif (request != self.job.request or self.job.is_cancelled) and request not in self._queue:
                self._queue.append(request)
        self._on_change(None)
        return starts

    def _work(self, job: Job | None) -> None:
        """Run the builds until the queue is empty; runs in a thread."""
        while job is not None:
            problem: EndgameError | None = None
            try:
                self._follow(job)
            except EndgameError as error:
                problem = error
            except OSError as error:
                problem = EndgameError(_("the build could not run ({error})").format(error=error), _("try again"))
            except Exception as error:  # the queue must not wait for ever
                problem = EndgameError(
                    _("the build failed ({name__}: {error})").format(name__=type(error).__name__, error=error),
                    _("try again"),
                )
            with self._changing:
                self.changes += 1
                waiting = sum(len(request.endings) for request in self._queue)
                end = BuildFinished(job.request, problem, job.plan, waiting)
                if problem is None:
                    self._cancelled_before = False
                # A failure gives up the whole queue, a cancelled build does not.
                elif not end.is_cancelled:
                    self._queue.clear()
                self._build = None
                # Under the lock, so that ``build`` never finds neither a running build nor a thread that would start
                # the next one.
                job = None
                if self._queue:
                    job = Job(self._queue.popleft())
                self.job = job
            self._on_change(end)
        with self._changing:
            self._followers -= 1
            self._changing.notify_all()

    @property
    def _scheduler(self) -> str:
        """The address of the cluster that builds; empty for this machine, and where a cluster is not allowed."""
        if self._lab.access.locked:
            return ""
        return self._scheduler_setting()

    @property
    def workers(self) -> int:
        """Number of endings that are built at the same time on this machine."""
        try:
            return (local_workers(self._scheduler) if self._scheduler else None) or 1
        except EndgameError:
            return 1  # the build reports what is wrong with the setting

    def _follow(self, job: Job) -> None:
        """Run a build to its end; raises EndgameError."""
        request = job.request
        build = work_for(
            self._lab.library(request.metric),
            request.endings,
            self._scheduler,
            with_surveys=request.with_surveys,
            keep_requested_only=request.keep_requested_only,
        )
        self._build = build
        if job.is_cancelled:  # before there was anything to cancel
            build.cancel()

        reported = 0.0
        for event in build.events():
            self._pid = getattr(getattr(build, "child", None), "pid", 0)  # a cluster has no child here
            job.take(event)
            if event.event in ("done", "there", "about"):
                self.changed()
            is_frequent = event.event in ("layer", "slices", "phase")
            if not is_frequent or monotonic() - reported > PAUSE:
                reported = monotonic()
                self._on_change(None)

    def cancel(self, everything: bool = False) -> None:
        """Cancel the running build; a second call in a row, or ``everything``, also clears the queue."""
        with self._changing:
            if self.job is None:
                return
            if self._cancelled_before or everything:
                self._queue.clear()
            self._cancelled_before = True
            self.job.is_cancelled = True
            build = self._build
        self._on_change(None)
        if build is not None:
            in_thread(build.cancel)

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until no build is running or queued; return False if that takes longer than ``seconds``."""
        with self._changing:
            return self._changing.wait_for(lambda: not self._followers, seconds)


def _shares(holders: Mapping[str, LockOwner]) -> dict[str, int]:
    """Progress of the locked tables, in percent."""
    return {name: round(100 * owner.share) for name, owner in holders.items()}


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

    if not where or terms.get("with_surveys"):
        return Build(library, endings, threads, **terms)

    number = local_workers(where)
    if certificates is not None and not is_encrypted(where):
        raise EndgameError(
            _("{where} does not use certificates").format(where=quoted(where)),
            _("write tls://host:8786, or leave out --cluster-ca"),
        )
    if number is not None:
        from endgame_core.tables.local_workers import LocalWorkers

        return LocalWorkers(library, endings, number, threads, **terms)

    try:
        from endgame_core.tables.cluster import Cluster
    except ImportError:
        raise EndgameError(_("Dask is not installed"), install_advice("cluster")) from None
    return Cluster(library, endings, where, threads, certificates, **terms)

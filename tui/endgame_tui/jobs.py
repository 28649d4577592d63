"""The build under way, and those that wait behind it: started, followed and cancelled; told as messages."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from time import monotonic
from typing import TYPE_CHECKING, Any

from textual.message import Message

from endgame_core.errors import BuildCancelledError, BusyError, EndgameError
from endgame_core.words import tables as words
from endgame_core.words.about import looked_at
from endgame_core.words.find import looking

if TYPE_CHECKING:
    from textual.app import App

    from endgame_core.tables.build import Build, Event
    from endgame_core.tables.find import Find, Found, Query
    from endgame_core.tables.library import Library

PAUSE = 0.1
"""Seconds between two reports of layers: faster than this nobody reads."""

LOOK = 1.0
"""Seconds between two looks at what another program does in the same data directory."""


@dataclass(frozen=True, slots=True)
class Wish:
    """Endings that somebody wants built, and the metric of the tables; whether their moves are to be looked at, too."""

    endings: tuple[str, ...]
    metric: str = "dtm"
    about: bool = False


@dataclass(slots=True)
class Job:
    """The build under way.

    Attributes:
        wish: What was asked for.
        ending: The ending in hand.
        step: Its number in the plan.
        steps: Endings in the plan.
        stage: What is being done besides layers.
        n: Layer reached, None before the first.
        white: Layer reached with White to move.
        black: Layer reached with Black to move.
        slices: Pawn placements done, and all of them; for endings with pawns, which have no layers on the way.
        sizes: New positions of each layer.
        plan: All that is built, in this order.
        share: Part of the whole done.
        left: Seconds left.
    """

    wish: Wish
    ending: str = ""
    step: int = 0
    steps: int = 0
    stage: str = "starting"
    n: int | None = None
    white: int | None = None
    black: int | None = None
    slices: tuple[int, int] | None = None
    sizes: list[int] = field(default_factory=list[int])
    plan: tuple[str, ...] = ()
    share: float | None = None
    left: float | None = None

    def take(self, event: Event) -> None:
        """Follows an event of the building process."""
        self.share, self.left = event.fraction, event.left
        self.steps = event.steps or self.steps
        self.step = event.step or self.step
        if event.event == "plan":
            self.plan, self.stage = event.endings, "starting"
        elif event.event == "compile":
            self.stage = f"compiling {event.done}/{event.total}"
        elif event.event == "start":
            self.ending, self.stage, self.n = event.ending, "starting", None
            self.white = self.black = self.slices = None
            self.sizes = []
        elif event.event == "phase":
            self.ending, self.stage = event.ending, words.phase(event.what, event.done, event.total)
        elif event.event == "layer" and event.n is not None:
            self.ending, self.stage, self.n = event.ending, "", event.n
            self.white = event.n if event.white else self.white
            self.black = event.n if event.black else self.black
            self.sizes.append(event.white + event.black)
        elif event.event == "slices":
            self.ending, self.stage, self.slices = event.ending, "", (event.done, event.total)
        elif event.event == "write":
            self.stage = "writing"

    @property
    def name(self) -> str:
        """The ending in hand; with its metric when that is not the usual one."""
        return f"{self.ending or self.wish.endings[-1]}{' DTZ' if self.wish.metric == 'dtz' else ''}"

    @property
    def layer_words(self) -> str:
        """The layer reached, or the pawn placements, in a few words of constant length."""
        if self.stage:
            return self.stage
        if self.slices is not None:
            done, total = self.slices
            return f"pawns {done:{len(str(total))}}/{total}"
        side = "White" if self.white == self.n else "Black"
        return f"{side} S{self.n}"


class News(Message):
    """Something about builds and tables that concerns every screen."""


class Progressed(News):
    """The build under way has got on; an ending may have been built."""

    def can_replace(self, message: Message) -> bool:
        """Progress still in the queue is out of date."""
        return isinstance(message, Progressed)


@dataclass
class Ended(News):
    """No build is under way any more.

    Attributes:
        wish: What had been asked for.
        problem: Why it ended early, if it did.
        plan: All that was to be built.
        waiting: Endings that wait behind it.
    """

    wish: Wish
    problem: EndgameError | None
    plan: tuple[str, ...] = ()
    waiting: int = 0

    @property
    def is_cancelled(self) -> bool:
        """Whether the user said so."""
        return isinstance(self.problem, BuildCancelledError)

    @property
    def words(self) -> str:
        """How it ended."""
        if self.is_cancelled:
            return words.cancelled(self.wish.endings, self.waiting)
        if self.problem is None and self.wish.about:
            return looked_at(self.wish.endings)
        return (
            words.built(self.wish.endings, self.plan, self.wish.metric) if self.problem is None else str(self.problem)
        )


@dataclass
class Trouble(News):
    """Something is not as it was wanted, and the app goes on without."""

    problem: EndgameError


class Jobs:
    """Builds one wish after the other, each in a process of its own.

    Args:
        app: Runs the thread that follows the process.
        library: The tables of a metric.
    """

    def __init__(self, app: App[Any], library: Callable[[str], Library]) -> None:
        self._app, self._library = app, library
        self.job: Job | None = None
        """The build under way."""
        self.queue: deque[Wish] = deque()
        """What waits behind it."""
        self.changes = 0
        """How often tables have come or gone."""
        self._build: Build | None = None
        self._search: Find | None = None
        self._cancelled = threading.Event()
        self._twice = False
        self._files: frozenset[str] | None = None

    def places(self, metric: str) -> dict[str, int]:
        """The endings that wait, with their places, from 1: those of the set that is being built, then the queue."""
        wishes, found = list(self.queue), list[tuple[str, str]]()
        if self.job is not None and len(self.job.wish.endings) > 1:
            mine, job = set(self.job.wish.endings), self.job
            found = [(ending, job.wish.metric) for ending in job.plan[job.step :] if ending in mine]
        found += [(ending, wish.metric) for wish in wishes for ending in wish.endings]
        return {ending: place for place, (ending, how) in reversed(list(enumerate(found, 1))) if how == metric}

    def _waiting(self, ending: str, metric: str) -> int | None:
        """Where in the queue an ending is."""
        found = (n for n, wish in enumerate(self.queue) if wish.metric == metric and ending in wish.endings)
        return next(found, None)

    def drop(self, ending: str, metric: str) -> bool:
        """Takes an ending out of the queue; False when it is not in it."""
        place = self._waiting(ending, metric)
        if place is None:
            return False
        rest = tuple(name for name in self.queue[place].endings if name != ending)
        self.queue[place] = replace(self.queue[place], endings=rest)
        if not rest:
            del self.queue[place]
        self.post(Progressed())
        return True

    def move(self, ending: str, metric: str, step: int) -> bool:
        """Moves what an ending was wanted with so many places in the queue; False when it cannot go there."""
        place = self._waiting(ending, metric)
        if place is None or not 0 <= place + step < len(self.queue):
            return False
        wish = self.queue[place]
        del self.queue[place]
        self.queue.insert(place + step, wish)
        self.post(Progressed())
        return True

    def watch(self) -> None:
        """Notices tables that another program has built or removed in the same data directory."""
        files, before = self._library("dtm").own_files, self._files
        self._files = files
        if before is not None and files != before:
            self.changes += 1
            self.post(Progressed())

    def build(self, endings: Sequence[str], metric: str = "dtm", about: bool = False) -> None:
        """Starts building, or looking at moves, or queues behind the build under way."""
        wish = Wish(tuple(endings), metric, about)
        self._twice = False
        if self.job is not None:
            if wish != self.job.wish and wish not in self.queue:
                self.queue.append(wish)
            self.post(Progressed())
            return
        self._start(wish)

    def _start(self, wish: Wish) -> None:
        from endgame_core.tables.build import Build

        build = self._build = Build(self._library(wish.metric), wish.endings, about=wish.about)
        self.job = Job(wish)
        self._cancelled.clear()
        self._app.run_worker(lambda: self._follow(build), name="build", group="build", thread=True, exit_on_error=False)
        self.post(Progressed())

    def _follow(self, build: Build) -> None:
        """Runs in a thread: turns events into messages."""
        problem: EndgameError | None = None
        told = 0.0
        try:
            while True:
                try:
                    for event in build.events():
                        if self.job is not None:
                            self.job.take(event)
                        self.changes += event.event in ("done", "about")
                        if event.event not in ("layer", "slices", "phase") or monotonic() - told > PAUSE:
                            told = monotonic()
                            self.post(Progressed())
                    break
                except BusyError:
                    if self.job is not None:
                        self.job.stage = f"waits for {build.library.holder or 'another build'}"
                        self.post(Progressed())
                    if self._cancelled.wait(LOOK):
                        raise BuildCancelledError() from None
        except EndgameError as error:
            problem = error
        except OSError as error:
            problem = EndgameError(f"the build could not run ({error})", "try again")
        if self._app.is_running:
            self._app.call_from_thread(self._end, build, problem)

    def _end(self, build: Build, problem: EndgameError | None) -> None:
        if build is not self._build:
            return
        wish = Wish(build.endings, build.library.game.metric, build.about)
        plan = self.job.plan if self.job is not None else ()
        self.job = self._build = None
        self.changes += 1
        if problem is None:
            self._twice = False
        elif not isinstance(problem, BuildCancelledError):
            self.queue.clear()
        self.post(Ended(wish, problem, plan, sum(len(wish.endings) for wish in self.queue)))
        if self.queue:
            self._start(self.queue.popleft())

    def post(self, message: Message) -> None:
        """Tells the lowest screen of the current mode, which tells those above; the others look when they come back."""
        stack = self._app.screen_stack
        if stack:
            stack[0].post_message(message)

    def cancel(self) -> None:
        """Cancels the build under way; the second time in turn what waits behind it, too."""
        build = self._build
        if build is None:
            return
        if self._twice:
            self.queue.clear()
        self._twice = True
        self._cancelled.set()
        if self.job is not None:
            self.job.stage = "cancelling"
            self.post(Progressed())
        self._app.run_worker(build.cancel, name="cancel", thread=True, exit_on_error=False)

    def close(self) -> None:
        """Stops the build under way, and what waits behind it: nothing is left that would keep a closed app alive."""
        self.queue.clear()
        self._cancelled.set()
        for work in (self._build, self._search):
            if work is not None:
                threading.Thread(target=work.cancel).start()

    # Searches

    def find(self, query: Query, told: Callable[[str], None], ended: Callable[[Found | EndgameError], None]) -> None:
        """Finds the positions that a query asks for, in a process of its own; one search at a time.

        Args:
            query: The query.
            told: Told now and then how far it has come.
            ended: Called with what was found, or why nothing is; never when it was stopped.
        """
        from endgame_core.tables.find import Find

        self.stop_search()
        work = self._search = Find(query)

        def follow() -> None:
            """Runs in a thread."""
            found: Found | EndgameError
            try:
                found = work.run(lambda what, part: self._from_search(work, told, looking(what, part)))
            except EndgameError as problem:
                found = problem
            except OSError as error:
                found = EndgameError(f"the search could not run ({error})", "try again")
            self._from_search(work, ended, found)

        self._app.run_worker(follow, name="find", group="find", thread=True, exit_on_error=False)

    def _from_search(self, work: Find, tell: Callable[[Any], None], what: Any) -> None:
        """Tells something in the thread of the app, unless the search was stopped."""

        def say() -> None:
            if work is self._search:
                tell(what)

        if self._app.is_running and work is self._search:
            self._app.call_from_thread(say)

    def stop_search(self) -> bool:
        """Stops the search under way; False where there is none."""
        work, self._search = self._search, None
        if work is not None:
            threading.Thread(target=work.cancel).start()
        return work is not None

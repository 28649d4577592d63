"""The build under way, and those that wait behind it: started, followed and cancelled; told as messages."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import TYPE_CHECKING, Any

from textual.message import Message

from endgame_core.errors import BuildCancelledError, EndgameError

if TYPE_CHECKING:
    from textual.app import App

    from endgame_core.tables.build import Build, Event
    from endgame_core.tables.library import Library

PAUSE = 0.1
"""Seconds between two reports of layers: faster than this nobody reads."""


@dataclass(frozen=True, slots=True)
class Wish:
    """Endings that somebody wants built, and the metric of the tables."""

    endings: tuple[str, ...]
    metric: str = "dtm"


@dataclass(slots=True)
class Job:
    """The build under way.

    Attributes:
        wanted: The endings asked for.
        metric: What the tables tell: ``dtm``, ``dtz`` or ``depth``.
        ending: The ending in hand.
        step: Its number in the plan.
        steps: Endings in the plan.
        stage: What is being done besides layers.
        n: Layer reached, None before the first.
        white: Layer reached with White to move.
        black: Layer reached with Black to move.
        slices: Pawn placements done, and all of them; for endings with pawns, which have no layers on the way.
        sizes: New positions of each layer.
        share: Part of the whole done.
        left: Seconds left.
    """

    wanted: tuple[str, ...]
    metric: str = "dtm"
    ending: str = ""
    step: int = 0
    steps: int = 0
    stage: str = "starting"
    n: int | None = None
    white: int | None = None
    black: int | None = None
    slices: tuple[int, int] | None = None
    sizes: list[int] = field(default_factory=list[int])
    share: float | None = None
    left: float | None = None

    def take(self, event: Event) -> None:
        """Follows an event of the building process."""
        self.share, self.left = event.fraction, event.left
        self.steps = event.steps or self.steps
        self.step = event.step or self.step
        if event.event == "compile":
            self.stage, self.share = f"compiling the solver, once: {event.what}", None
        elif event.event == "start":
            self.ending, self.stage, self.n = event.ending, "starting", None
            self.white = self.black = self.slices = None
            self.sizes = []
        elif event.event == "phase":
            self.ending, self.stage = event.ending, _phase(event)
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
    def wish(self) -> Wish:
        """What was asked for."""
        return Wish(self.wanted, self.metric)

    @property
    def name(self) -> str:
        """The ending in hand; with its metric when that is not the usual one."""
        return f"{self.ending or self.wanted[-1]}{' DTZ' if self.metric == 'dtz' else ''}"

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
    """

    wish: Wish
    problem: EndgameError | None

    @property
    def is_cancelled(self) -> bool:
        """Whether the user said so."""
        return isinstance(self.problem, BuildCancelledError)


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

    def build(self, endings: Sequence[str], metric: str = "dtm") -> None:
        """Starts building, or queues behind the build under way."""
        wish = Wish(tuple(endings), metric)
        if self.job is not None:
            if wish != self.job.wish and wish not in self.queue:
                self.queue.append(wish)
            self.post(Progressed())
            return
        self._start(wish)

    def _start(self, wish: Wish) -> None:
        from endgame_core.tables.build import Build

        build = self._build = Build(self._library(wish.metric), wish.endings)
        self.job = Job(wish.endings, wish.metric)
        self._app.run_worker(lambda: self._follow(build), name="build", group="build", thread=True, exit_on_error=False)
        self.post(Progressed())

    def _follow(self, build: Build) -> None:
        """Runs in a thread: turns events into messages."""
        problem: EndgameError | None = None
        told = 0.0
        try:
            for event in build.events():
                if self.job is not None:
                    self.job.take(event)
                self.changes += event.event == "done"
                if event.event not in ("layer", "slices") or monotonic() - told > PAUSE:
                    told = monotonic()
                    self.post(Progressed())
        except EndgameError as error:
            problem = error
        except OSError as error:
            problem = EndgameError(f"the build could not run ({error})", "try again")
        if self._app.is_running:
            self._app.call_from_thread(self._end, build, problem)

    def _end(self, build: Build, problem: EndgameError | None) -> None:
        if build is not self._build:
            return
        wish = Wish(build.endings, build.library.game.metric)
        self.job = self._build = None
        self.changes += 1
        if problem is not None:
            self.queue.clear()
        self.post(Ended(wish, problem))
        if self.queue:
            self._start(self.queue.popleft())

    def post(self, message: Message) -> None:
        """Tells the lowest screen of the current mode, which tells those above; the others look when they come back."""
        stack = self._app.screen_stack
        if stack:
            stack[0].post_message(message)

    def cancel(self) -> None:
        """Cancels the build under way, and what waits behind it."""
        build = self._build
        if build is None:
            return
        self.queue.clear()
        if self.job is not None:
            self.job.stage = "cancelling"
            self.post(Progressed())
        self._app.run_worker(build.cancel, name="cancel", thread=True, exit_on_error=False)


def _phase(event: Event) -> str:
    """What is done before the first layer, and how much of it, in words of constant length."""
    return f"{event.what} {event.done / event.total:4.0%}" if event.total else event.what

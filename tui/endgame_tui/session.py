"""What the screens share: the library, the explorer, the build under way and what it last said."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from random import Random
from time import monotonic
from typing import TYPE_CHECKING, Any

from textual.message import Message

from endgame_core import paths
from endgame_core.errors import BuildCancelledError, EndgameError
from endgame_core.morris.texts import is_morris

if TYPE_CHECKING:
    import chess
    from textual.app import App

    from endgame_core.chess.fifty.rule import FiftyMoves
    from endgame_core.chess.syzygy.reader import Syzygy
    from endgame_core.estimate import Thinker
    from endgame_core.morris.rules import Position
    from endgame_core.practice.journal import Journal
    from endgame_core.practice.schedule import Schedule
    from endgame_core.practice.studies import Studies
    from endgame_core.tables.build import Build, Event
    from endgame_core.tables.explorer import Explorer
    from endgame_core.tables.library import Library
    from endgame_tui.clocks import Clerk
    from endgame_tui.judging import Judge
    from endgame_tui.morris_walk import MorrisExplorer
    from endgame_tui.walk import ChessExplorer

_PAUSE = 0.1
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
        metric: What the tables tell: ``dtm`` or ``dtz``.
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
        """The ending in hand; with its metric when that is not DTM."""
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


class Session:
    """Library, explorer and builds of one run of the app.

    Args:
        app: Where messages are posted.
        data_dir: Where tables are kept; the user's data directory by default.
        fen: Position to open first.
        syzygy: Directory of Syzygy files; as the environment or the settings file says by default.
    """

    class Progressed(Message):
        """The build under way has got on."""

        def can_replace(self, message: Message) -> bool:
            """Progress still in the queue is out of date."""
            return isinstance(message, Session.Progressed)

    @dataclass
    class Built(Message):
        """An ending has been built."""

        ending: str
        metric: str = "dtm"

    @dataclass
    class Ended(Message):
        """No build is under way any more.

        Attributes:
            wish: What had been asked for.
            problem: Why it ended early, if it did.
        """

        wish: Wish
        problem: EndgameError | None

    @dataclass
    class Trouble(Message):
        """Something is not as it was wanted, and the app goes on without."""

        problem: EndgameError

    def __init__(self, app: App[None], data_dir: Path | None, fen: str | None, syzygy: str | None = None) -> None:
        from endgame_core.chess.dtz_game import CHESS_DTZ
        from endgame_core.chess.game import CHESS
        from endgame_core.tables.explorer import Explorer
        from endgame_core.tables.library import Library

        self._app = app
        self.fen = fen
        self.library: Library = Library(CHESS, data_dir)
        self.explorer: ChessExplorer = Explorer(CHESS, self.library)
        self.by_dtz: ChessExplorer = Explorer(CHESS_DTZ, Library(CHESS_DTZ, data_dir))
        """Asks the tables of the metric DTZ, which lie beside the others."""
        self.game = "chess"
        """The game that Explore and Library show: ``chess`` or ``morris``."""
        self.morris_text: str | None = None
        """A position or ending of Nine Men's Morris to open first."""
        if fen is not None and is_morris(fen):
            self.game, self.morris_text, self.fen = "morris", fen, None
        self._syzygy = syzygy
        self.syzygy_problem: EndgameError | None = None
        """Why there are no Syzygy files although some were named."""
        self.job: Job | None = None
        self.queue: deque[Wish] = deque()
        self.wish: str | None = None
        """An ending to open in Explore as soon as it is built."""
        self.ask: str | None = None
        """A position or ending another screen wants Explore to show."""
        self.ask_metric: str | None = None
        """Of which metric it wants the layers; None leaves them as they are."""
        self.here: chess.Board | None = None
        """The position Explore shows: what the Play screen begins with."""
        self.sent: chess.Board | None = None
        """A position another screen wants Play to set up."""
        self.sent_stones: Position | None = None
        """The same with a Morris board."""
        self.stones: Position | None = None
        """The Morris position Explore shows: what the Play screen of that game begins with."""
        self.rng = Random()
        """What is left to chance on the screens."""
        self.clock: Callable[[], float] = monotonic
        """Tells the seconds that pass in a drill."""
        self.trouble: EndgameError | None = None
        """Why the drill just left could not go on; said by the screen below it."""
        self.drill: str | None = None
        """The key of a theme another screen wants Practise to drill; empty for what is due."""
        self.changes = 0
        """How often tables have come or gone."""
        self._build: Build | None = None
        self._thinker: Thinker | None = None

    @property
    def thinker(self) -> Thinker:
        """Thinks about positions that no table covers; nothing is started before it is asked."""
        if self._thinker is None:
            from endgame_core.thinking import thinker

            self._thinker = thinker(self.library, lambda problem: self._post(self.Trouble(problem)))
        return self._thinker

    @thinker.setter
    def thinker(self, thinker: Thinker) -> None:
        self._thinker = thinker

    def close(self) -> None:
        """Ends what runs beside the app, and writes what waits."""
        self.cancel()
        if self._thinker is not None:
            self._thinker.close()
        if "morris_thinker" in vars(self):
            self.morris_thinker.close()
        if "clerk" in vars(self):
            self.clerk.close()
        if "journal" in vars(self):
            self.journal.close()

    @cached_property
    def judge(self) -> Judge:
        """Grades and chooses moves by the 50-move rule."""
        from endgame_tui.judging import Judge

        return Judge(self.explorer, self._fifty)

    @cached_property
    def clerk(self) -> Clerk:
        """Finds out what the 50-move rule makes of a position."""
        from endgame_tui.clocks import Clerk

        return Clerk(self._fifty)

    def _fifty(self) -> FiftyMoves:
        """Own tables first, then Syzygy files; called in the clerk's thread, too."""
        from endgame_core.chess.fifty.rule import FiftyMoves, OwnSource, Source, Sources, SyzygySource

        sources: list[Source] = [OwnSource(self.by_dtz.library)]
        if (syzygy := self.syzygy) is not None:
            sources.append(SyzygySource(syzygy))
        return FiftyMoves(Sources(sources), self.explorer.probe)

    @cached_property
    def syzygy(self) -> Syzygy | None:
        """The Syzygy files, where some are named and there."""
        from endgame_core.chess.syzygy.files import find_directories, usable
        from endgame_core.chess.syzygy.reader import Syzygy

        try:
            path = usable(find_directories(self._syzygy, self.library.root), self._no_syzygy)
        except EndgameError as problem:
            self._no_syzygy(problem)
            return None
        return None if path is None else Syzygy(path)

    def _no_syzygy(self, problem: EndgameError) -> None:
        self.syzygy_problem = problem
        self._post(self.Trouble(problem))

    def tells_dtz(self, ending: str) -> bool:
        """Whether anything may tell DTZ: a table of ours, or Syzygy files."""
        return self.by_dtz.library.is_built(ending) or self.syzygy is not None

    @cached_property
    def journal(self) -> Journal:
        """What has been practised; opening it never fails, see its notice."""
        from endgame_core.practice.journal import Journal

        return Journal(paths.journal_file(self.library.root))

    @cached_property
    def schedule(self) -> Schedule:
        """What is to be practised when."""
        from endgame_core.practice.schedule import Schedule

        return Schedule(self.journal)

    @cached_property
    def studies(self) -> Studies:
        """The sets of studies of chess."""
        return self.studies_of("chess")

    def studies_of(self, game: str) -> Studies:
        """The sets of studies of a game, ``chess`` or ``morris``."""
        from endgame_core.practice.studies import Studies

        return Studies(self.explorer_of(game).game, paths.studies_dir(self.library.root))

    def explorer_of(self, game: str) -> Explorer[Any, Any]:
        """Asks the tables of a game, in chess those by DTM."""
        return self.morris if game == "morris" else self.explorer

    def forget(self) -> None:
        """Asks anew what the 50-move rule makes of positions, for tables have come or gone."""
        self.clerk.forget()
        self.judge.forget()

    def library_of(self, metric: str) -> Library:
        """The tables of a metric."""
        if metric == "depth":
            return self.morris.library
        return self.by_dtz.library if metric == "dtz" else self.library

    @cached_property
    def morris_thinker(self) -> Thinker:
        """Thinks about Morris positions that no table covers; nothing is started before it is asked."""
        from endgame_core.thinking import thinker

        return thinker(self.morris.library, lambda problem: self._post(self.Trouble(problem)))

    @cached_property
    def morris(self) -> MorrisExplorer:
        """Asks the tables of Nine Men's Morris, which lie beside those of chess."""
        from endgame_core.morris.game import MORRIS
        from endgame_core.tables.explorer import Explorer
        from endgame_core.tables.library import Library

        return Explorer(MORRIS, Library(MORRIS, self.library.root))

    def build(self, endings: Sequence[str], metric: str = "dtm") -> None:
        """Starts building, or queues behind the build under way.

        Raises:
            EndingError: One of them cannot be built.
        """
        wish = Wish(tuple(endings), metric)
        self.library_of(metric).check_buildable(wish.endings)
        if self.job is not None:
            if wish != self.job.wish and wish not in self.queue:
                self.queue.append(wish)
            self._post(self.Progressed())
            return
        self._start(wish)

    def _start(self, wish: Wish) -> None:
        from endgame_core.tables.build import Build

        self._build = Build(self.library_of(wish.metric), wish.endings)
        self.job = Job(wish.endings, wish.metric)
        build = self._build
        self._app.run_worker(lambda: self._follow(build), name="build", group="build", thread=True, exit_on_error=False)
        self._post(self.Progressed())

    def _follow(self, build: Build) -> None:
        """Runs in a thread: turns events into messages."""
        problem: EndgameError | None = None
        told = 0.0
        try:
            for event in build.events():
                if self.job is not None:
                    self.job.take(event)
                if event.event == "done":
                    self.changes += 1
                    self._post(self.Built(event.ending, build.library.game.metric))
                elif event.event not in ("layer", "slices") or monotonic() - told > _PAUSE:
                    told = monotonic()
                    self._post(self.Progressed())
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
        self._post(self.Ended(wish, problem))
        if self.queue:
            self._start(self.queue.popleft())

    def _post(self, message: Message) -> None:
        """Tells the screen of the current mode; the others look when they come back."""
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
            self._post(self.Progressed())
        self._app.run_worker(build.cancel, name="cancel", thread=True, exit_on_error=False)


def _phase(event: Event) -> str:
    """What is done before the first layer, and how much of it, in words of constant length."""
    return f"{event.what} {event.done / event.total:4.0%}" if event.total else event.what


def is_cancel(problem: EndgameError | None) -> bool:
    """Whether a build ended because the user said so."""
    return isinstance(problem, BuildCancelledError)

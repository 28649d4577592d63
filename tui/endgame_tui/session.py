"""What the screens share: the library, the explorer, the build under way and what it last said."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from random import Random
from time import monotonic
from typing import TYPE_CHECKING, Any

from endgame_core.errors import BuildCancelledError, EndgameError
from endgame_core.games import spelled
from endgame_tui.jobs import Built, Ended, Job, Progressed, Trouble, Wish

if TYPE_CHECKING:
    import chess

    from endgame_core.chess.syzygy.reader import Syzygy
    from endgame_core.estimate import Thinker
    from endgame_core.morris.rules import Position
    from endgame_core.practice.journal import Journal
    from endgame_core.practice.schedule import Schedule
    from endgame_core.practice.studies import Studies
    from endgame_core.tables.explorer import Explorer
    from endgame_core.tables.library import Library
    from endgame_tui.host import Host


class Session:
    """Library, explorer and builds of one run of the app.

    Args:
        app: Has the laboratory, the builds and the game at hand.
        fen: Position to open first.
    """

    Progressed = Progressed
    Built = Built
    Ended = Ended
    Trouble = Trouble

    def __init__(self, app: Host, fen: str | None) -> None:
        self._app = app
        self.lab, self.jobs = app.lab, app.jobs
        self.fen = fen
        self.explorer: Explorer[Any, Any] = self.lab.explorer("dtm")
        self.by_dtz: Explorer[Any, Any] = self.lab.explorer("dtz")
        """Asks the tables of the metric DTZ, which lie beside the others."""
        self.library = self.explorer.library
        self.morris_text: str | None = None
        """A position or ending of Nine Men's Morris to open first."""
        if fen is not None and spelled(fen) == "morris":
            self.morris_text, self.fen = fen, None
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

    @property
    def game(self) -> str:
        """The game that Explore and Library show: ``chess`` or ``morris``."""
        return self._app.game

    @game.setter
    def game(self, game: str) -> None:
        self._app.game = game

    @property
    def thinker(self) -> Thinker:
        """Thinks about positions that no table covers; nothing is started before it is asked."""
        return self.lab.thinker("chess")

    @thinker.setter
    def thinker(self, thinker: Thinker) -> None:
        self.lab.use_thinker("chess", thinker)

    @property
    def morris_thinker(self) -> Thinker:
        """The same for Nine Men's Morris."""
        return self.lab.thinker("morris")

    def close(self) -> None:
        """Ends what runs beside the app, and writes what waits."""
        self.cancel()

    @property
    def syzygy(self) -> Syzygy | None:
        """The Syzygy files, where some are named and there."""
        return self.lab.syzygy

    @property
    def syzygy_problem(self) -> EndgameError | None:
        """Why there are no Syzygy files although some were named."""
        return self.lab.syzygy_problem

    def tells_dtz(self, ending: str) -> bool:
        """Whether anything may tell DTZ: a table of ours, or Syzygy files."""
        return self.lab.tells_dtz(ending)

    @property
    def journal(self) -> Journal:
        """What has been practised; opening it never fails, see its notice."""
        return self.lab.journal

    @journal.setter
    def journal(self, journal: Journal) -> None:
        self.lab.journal = journal

    @property
    def schedule(self) -> Schedule:
        """What is to be practised when."""
        return self.lab.schedule

    @schedule.setter
    def schedule(self, schedule: Schedule) -> None:
        self.lab.schedule = schedule

    @property
    def studies(self) -> Studies:
        """The sets of studies of chess."""
        return self.lab.studies("chess")

    def studies_of(self, game: str) -> Studies:
        """The sets of studies of a game, ``chess`` or ``morris``."""
        return self.lab.studies(game)

    def explorer_of(self, game: str) -> Explorer[Any, Any]:
        """Asks the tables of a game, in chess those by DTM."""
        return self.lab.explorer_of(game)

    def forget(self) -> None:
        """Asks anew what the 50-move rule makes of positions, for tables have come or gone."""
        self.lab.forget()

    def library_of(self, metric: str) -> Library:
        """The tables of a metric."""
        return self.lab.library(metric)

    @property
    def morris(self) -> Explorer[Any, Any]:
        """Asks the tables of Nine Men's Morris, which lie beside those of chess."""
        return self.lab.explorer("depth")

    def build(self, endings: Sequence[str], metric: str = "dtm") -> None:
        """Starts building, or queues behind the build under way; raises EndingError."""
        self.jobs.build(endings, metric)

    @property
    def job(self) -> Job | None:
        """The build under way."""
        return self.jobs.job

    @job.setter
    def job(self, job: Job | None) -> None:
        self.jobs.job = job

    @property
    def queue(self) -> deque[Wish]:
        """What waits behind it."""
        return self.jobs.queue

    @property
    def changes(self) -> int:
        """How often tables have come or gone."""
        return self.jobs.changes

    @changes.setter
    def changes(self, changes: int) -> None:
        self.jobs.changes = changes

    def cancel(self) -> None:
        """Cancels the build under way, and what waits behind it."""
        self.jobs.cancel()


def is_cancel(problem: EndgameError | None) -> bool:
    """Whether a build ended because the user said so."""
    return isinstance(problem, BuildCancelledError)

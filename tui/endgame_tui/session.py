"""What the screens share: the library, the explorer, the build under way and what it last said."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from random import Random
from time import monotonic
from typing import TYPE_CHECKING, Any

from endgame_core import paths
from endgame_core.errors import BuildCancelledError, EndgameError
from endgame_core.morris.texts import is_morris
from endgame_tui.jobs import Built, Ended, Job, Jobs, Progressed, Trouble, Wish

if TYPE_CHECKING:
    import chess
    from textual.app import App

    from endgame_core.chess.fifty.rule import FiftyMoves
    from endgame_core.chess.syzygy.reader import Syzygy
    from endgame_core.estimate import Thinker
    from endgame_core.laboratory import Laboratory
    from endgame_core.morris.rules import Position
    from endgame_core.practice.journal import Journal
    from endgame_core.practice.schedule import Schedule
    from endgame_core.practice.studies import Studies
    from endgame_core.tables.explorer import Explorer
    from endgame_core.tables.library import Library
    from endgame_tui.clocks import Clerk
    from endgame_tui.judging import Judge
    from endgame_tui.morris_walk import MorrisExplorer
    from endgame_tui.walk import ChessExplorer


class Session:
    """Library, explorer and builds of one run of the app.

    Args:
        app: Where messages are posted.
        data_dir: Where tables are kept; the user's data directory by default.
        fen: Position to open first.
        syzygy: Directory of Syzygy files; as the environment or the settings file says by default.
    """

    Progressed = Progressed
    Built = Built
    Ended = Ended
    Trouble = Trouble

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
        self.jobs = Jobs(app, self.library_of)
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
        self._thinker: Thinker | None = None

    @property
    def thinker(self) -> Thinker:
        """Thinks about positions that no table covers; nothing is started before it is asked."""
        if self._thinker is None:
            from endgame_core.thinking import thinker

            self._thinker = thinker(self.library, lambda problem: self.jobs.post(self.Trouble(problem)))
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
    def lab(self) -> Laboratory:
        """Tables and judges of both games."""
        from endgame_core.laboratory import Laboratory

        return Laboratory(self.library.root, self._syzygy)

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
        self.jobs.post(self.Trouble(problem))

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
        self.lab.forget()

    def library_of(self, metric: str) -> Library:
        """The tables of a metric."""
        if metric == "depth":
            return self.morris.library
        return self.by_dtz.library if metric == "dtz" else self.library

    @cached_property
    def morris_thinker(self) -> Thinker:
        """Thinks about Morris positions that no table covers; nothing is started before it is asked."""
        from endgame_core.thinking import thinker

        return thinker(self.morris.library, lambda problem: self.jobs.post(self.Trouble(problem)))

    @cached_property
    def morris(self) -> MorrisExplorer:
        """Asks the tables of Nine Men's Morris, which lie beside those of chess."""
        from endgame_core.morris.game import MORRIS
        from endgame_core.tables.explorer import Explorer
        from endgame_core.tables.library import Library

        return Explorer(MORRIS, Library(MORRIS, self.library.root))

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

"""Shared objects of one run of the program: tables, judges, engines and the journal; independent of any screen."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from endgame_core import paths
from endgame_core.errors import EndgameError
from endgame_core.games import by_metric, by_name
from endgame_core.judge import Judge
from endgame_core.metric import DTM, Metric
from endgame_core.settings import gaviota_directories, syzygy_directories
from endgame_core.tables.explorer import Explorer
from endgame_core.tables.file import FrameCache
from endgame_core.tables.library import Library

if TYPE_CHECKING:
    from endgame_core.chess.gaviota import Gaviota
    from endgame_core.chess.syzygy import Syzygy
    from endgame_core.practice.journal import Journal
    from endgame_core.practice.studies import Studies
    from endgame_core.search_estimate import Engine


class AppContext:
    """Creates each shared object on first use and keeps it.

    Args:
        root: The data directory; the user's own by default.
        syzygy: Directories of Syzygy files, as in PATH; by default from the environment or the settings.
        on_problem: Called from any thread with non-fatal problems; its exceptions propagate.
        memory: Bytes of decompressed tables to cache for each game.
        access: What may be used outside the data directory.
        gaviota: Directories of Gaviota files, as in PATH; by default from the environment or the settings.
    """

    def __init__(
        self,
        root: Path | None = None,
        syzygy: str | None = None,
        on_problem: Callable[[EndgameError], None] = lambda _: None,
        memory: int | None = None,
        access: paths.AccessPolicy = paths.UNRESTRICTED,
        gaviota: str | None = None,
    ) -> None:
        self.root = root or paths.data_dir()
        self.access = access
        self.on_problem = on_problem
        self.syzygy_problem: EndgameError | None = None
        """Why no Syzygy files are used although a directory is configured."""
        self._syzygy_path = syzygy
        self._gaviota_path = gaviota
        self._frames: dict[str, FrameCache] = defaultdict(lambda: FrameCache(memory))
        self._explorers: dict[str, Explorer[Any, Any]] = {}
        self._judges: dict[str, Judge[Any, Any]] = {}
        self._engines: dict[str, Engine] = {}
        self._failed_engines: list[Engine] = []
        self._studies: dict[str, Studies] = {}

    # Tables

    def explorer(self, metric: Metric) -> Explorer[Any, Any]:
        """Return the explorer of a metric's tables: ``dtm`` or ``dtz`` of chess, ``depth`` of Nine Men's Morris."""
        if metric not in self._explorers:
            game = by_metric(metric)
            library = Library(game, self.root, self._frames[game.name], self.access.tables)
            if metric == DTM:
                self._explorers[metric] = Explorer(game, library, lambda: self.gaviota)
            else:
                self._explorers[metric] = Explorer(game, library)
        return self._explorers[metric]

    def library(self, metric: Metric) -> Library:
        """Return the tables of a metric."""
        return self.explorer(metric).library

    def explorer_of(self, game: str) -> Explorer[Any, Any]:
        """Return the explorer of a game's tables by the metric of its layers."""
        return self.explorer(by_name(game).metric)

    def judge(self, game: str) -> Judge[Any, Any]:
        """Return the judge of a game, which uses all its tables."""
        if game not in self._judges:
            explorer = self.explorer_of(game)
            library = self.rule_library(game)
            if library is None:
                self._judges[game] = Judge(explorer)
            else:
                self._judges[game] = Judge(explorer, lambda: explorer.game.move_limit(library, lambda: self.syzygy))
        return self._judges[game]

    def rule_library(self, game: str) -> Library | None:
        """Return the tables that know the move limit of a game, by DTZ in chess; None if it has no such tables."""
        metric = by_name(game).rule_metric
        if metric is None:
            return None
        return self.library(metric)

    @cached_property
    def syzygy(self) -> Syzygy | None:
        """The Syzygy files; None if no directory is configured or usable."""
        trusted = None
        # None: ignore the directories in the user's settings
        if not self.access.locked:
            trusted = self.root
        try:
            directories = syzygy_directories(self._syzygy_path, trusted)
            if directories is None:
                return None
            from endgame_core.chess.syzygy import Syzygy, usable

            path = usable(directories, self._report_syzygy_problem)
            if path is None:
                return None
            return Syzygy(path)
        except EndgameError as problem:
            if problem is self.syzygy_problem:
                raise
            self._report_syzygy_problem(problem)
            return None

    @cached_property
    def gaviota(self) -> Gaviota | None:
        """The Gaviota files; None if no directory is configured or usable."""
        trusted = None
        if not self.access.locked:
            trusted = self.root
        try:
            directories = gaviota_directories(self._gaviota_path, trusted)
            if directories is None:
                return None
            from endgame_core.chess.gaviota import Gaviota, usable

            path = usable(directories, self.on_problem)
            if path is None:
                return None
            return Gaviota(path)
        except EndgameError as problem:
            self.on_problem(problem)
            return None

    def _report_syzygy_problem(self, problem: EndgameError) -> None:
        self.syzygy_problem = problem
        self.on_problem(problem)

    def forget(self) -> None:
        """Clear the caches of all judges, because tables were built or deleted."""
        for judge in self._judges.values():
            judge.forget()

    # Engines

    def engine(self, game: str) -> Engine:
        """Return the engine for positions that no table covers: an external one if configured, else our own search.

        Nothing is started before the first request.
        """
        if game not in self._engines:
            self._engines[game] = self._external_engine(game) or self._own_search(game)
        return self._engines[game]

    def _own_search(self, game: str) -> Engine:
        from endgame_core.thinking import SearchEngine

        library = self.explorer_of(game).library
        return SearchEngine(library.game, library.places)

    def _external_engine(self, game: str) -> Engine | None:
        try:
            return (
                None if self.access.locked else by_name(game).engine(self.root)
            )  # an engine is a program outside the data directory
        except EndgameError as problem:
            self.on_problem(problem)
            return None

    def fall_back_to_search(self, game: str, failed: Engine, problem: EndgameError) -> bool:
        """Replace an engine that failed by our own search; return False if it was the search itself that failed."""
        from endgame_core.thinking import SearchEngine

        if self._engines.get(game) is not failed:  # replaced in the meantime, because the settings changed
            return True
        if isinstance(failed, SearchEngine):
            return False
        self._engines[game] = self._own_search(game)
        self._failed_engines.append(failed)
        self.on_problem(problem)
        return True

    def reset_engines(self) -> None:
        """Close all engines; the next ones are created from the current settings."""
        while self._engines:
            _, engine = self._engines.popitem()
            engine.close()

    # Practice

    @cached_property
    def journal(self) -> Journal:
        """The practice journal; opening it never fails, see its notice."""
        from endgame_core.practice.journal import Journal

        return Journal(paths.journal_file(self.root))

    def studies(self, game: str) -> Studies:
        """Return the sets of studies of a game."""
        if game not in self._studies:
            from endgame_core.practice.studies import Studies

            self._studies[game] = Studies(self.explorer_of(game).game, paths.studies_dir(self.root))
        return self._studies[game]

    def file(self, text: str) -> Path:
        """Return the path that a user typed; raises StorageError if :class:`AccessPolicy` forbids it."""
        return self.access.file(text, self.root)

    def close(self) -> None:
        """Stop engines and background probes, and write pending journal entries."""
        for engine in (*self._engines.values(), *self._failed_engines):
            engine.close()
        for judge in self._judges.values():
            judge.prober.close()
        if "journal" in vars(self):
            self.journal.close()

"""What every command shares: the games, their libraries and explorers."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import chess
import click

from endgame_core import paths
from endgame_core.chess.dtz_game import CHESS_DTZ
from endgame_core.chess.game import CHESS, ChessGame
from endgame_core.chess.syzygy_files import VARIABLE, find_directories
from endgame_core.game import Game
from endgame_core.practice.studies import Studies
from endgame_core.tables.explorer import Explorer
from endgame_core.tables.library import Library

if TYPE_CHECKING:
    from endgame_core.chess.answers import Answers

GAMES: tuple[Game[Any, Any], ...] = (CHESS, CHESS_DTZ)
"""Every game, once for each metric of its tables."""

METRICS = tuple(game.metric for game in GAMES)

metric_option = click.option("--metric", type=click.Choice(METRICS), default=CHESS.metric, help="What depth counts.")
syzygy_option = click.option(
    "--syzygy", metavar="DIR", help=f"Directory of Syzygy files; ${VARIABLE}, or the setting syzygy, by default."
)


class Session:
    """One run of the program.

    Args:
        root: The data directory; the user's own by default.
        ascii_: ASCII on (True), off (False), or as the locale says (None).
        syzygy: Directory of Syzygy files for the app, when one was given.
    """

    def __init__(self, root: Path | None, ascii_: bool | None, syzygy: str | None = None) -> None:
        self.root = root or paths.data_dir()
        self.ascii = ascii_
        self.syzygy = syzygy
        self.game: ChessGame = CHESS
        self._explorers: dict[str, Explorer[Any, Any]] = {}

    @property
    def library(self) -> Library:
        """The tables by DTM."""
        return self.explorer.library

    @property
    def explorer(self) -> Explorer[chess.Board, chess.Move]:
        """Probes and walks them."""
        return self.by(self.game.metric)

    def by(self, metric: str) -> Explorer[Any, Any]:
        """The explorer of the tables of a metric."""
        if metric not in self._explorers:
            game = next(game for game in GAMES if game.metric == metric)
            self._explorers[metric] = Explorer(game, Library(game, self.root))
        return self._explorers[metric]

    def answers(self, syzygy: str | None) -> Answers:
        """Answers about positions by DTM and DTZ, from our tables and Syzygy files.

        Args:
            syzygy: Directories of Syzygy files; by default those of the environment or the settings.

        Raises:
            StorageError: A directory cannot be read, or has no Syzygy file.
        """
        from endgame_core.chess.answers import Answers

        return Answers.of(self.root, find_directories(syzygy, self.root))

    @cached_property
    def studies(self) -> Studies:
        """The shipped studies, and the user's own."""
        return Studies(self.game, paths.studies_dir(self.root))

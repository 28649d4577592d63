"""What every command shares: the games, their libraries and explorers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import chess
import click

from endgame_core import paths
from endgame_core.chess import material
from endgame_core.chess.dtz_game import CHESS_DTZ
from endgame_core.chess.game import CHESS, ChessGame
from endgame_core.chess.syzygy.files import VARIABLE, find_directories, usable
from endgame_core.errors import EndgameError, EndingError
from endgame_core.game import Game
from endgame_core.morris.game import MORRIS
from endgame_core.morris.texts import is_morris
from endgame_core.tables.explorer import Explorer
from endgame_core.tables.library import Library

if TYPE_CHECKING:
    from endgame_core.judge import Judge

GAMES: tuple[Game[Any, Any], ...] = (CHESS, CHESS_DTZ, MORRIS)
"""Every game, once for each metric of its tables."""

NAMES = (CHESS.name, MORRIS.name)
"""The games."""

METRICS = (CHESS.metric, CHESS_DTZ.metric)
"""What depth may count in chess."""

metric_option = click.option("--metric", type=click.Choice(METRICS), help="What depth counts in chess; dtm by default.")
game_option = click.option("--game", type=click.Choice(NAMES), help="By default as an ending or position is spelled.")
syzygy_option = click.option(
    "--syzygy", metavar="DIR", help=f"Directory of Syzygy files; ${VARIABLE}, or the setting syzygy, by default."
)


def is_spelled(text: str) -> bool:
    """Whether an ending or a position shows by its spelling of which game it is."""
    return is_morris(text) or text.count("/") == 7 or material.is_meant(text)


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

    def chosen(self, texts: Sequence[str], metric: str | None, game: str | None = None) -> Explorer[Any, Any]:
        """The explorer for some endings or positions as they are spelled, or for a game that is named.

        Raises:
            EndingError: They are of two games, or not of the one that is named.
            UsageError: Depth in Nine Men's Morris has one meaning only.
        """
        morris = {is_morris(text) if is_spelled(text) else game == MORRIS.name for text in texts}
        morris |= {game == MORRIS.name} if game or not texts else set[bool]()
        if len(morris) > 1:
            raise EndingError("these are of two games", "name endings of one game at a time, such as KQvKR or 4-3")
        if morris == {False}:
            return self.by(metric or CHESS.metric)
        if metric is not None:
            raise click.UsageError("--metric is for chess; depth in Nine Men's Morris is plies to the end")
        return self.by(MORRIS.metric)

    def directories(self, syzygy: str | None) -> str | None:
        """The directories of Syzygy files; a warning goes before what is wrong in the environment or the settings.

        Args:
            syzygy: Those named for this once, which whoever uses them must be able to read.
        """
        if syzygy:
            return syzygy
        try:
            return usable(find_directories(None, self.root), _warn)
        except EndgameError as problem:
            _warn(problem)
            return None

    def judge(self, syzygy: str | None) -> Judge[chess.Board, chess.Move]:
        """Knows all about chess positions, from our tables and Syzygy files.

        Args:
            syzygy: Directories of Syzygy files; by default those of the environment or the settings.

        Raises:
            StorageError: A directory named here cannot be read, or has no Syzygy file.
        """
        from endgame_core.answers import Answers

        return Answers.of(self.root, self.directories(syzygy)).judge


def _warn(problem: EndgameError) -> None:
    click.echo(f"endgame-tui: warning: {problem}", err=True)

"""What every command shares: the game, its library and its explorer."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

import chess

from endgame_core import paths
from endgame_core.chess.game import CHESS, ChessGame
from endgame_core.practice.studies import Studies
from endgame_core.tables.explorer import Explorer
from endgame_core.tables.library import Library


class Session:
    """One run of the program.

    Args:
        root: The data directory; the user's own by default.
        ascii_: ASCII on (True), off (False), or as the locale says (None).
    """

    def __init__(self, root: Path | None, ascii_: bool | None) -> None:
        self.root = root or paths.data_dir()
        self.ascii = ascii_
        self.game: ChessGame = CHESS

    @cached_property
    def library(self) -> Library:
        """The tables."""
        return Library(self.game, self.root)

    @cached_property
    def explorer(self) -> Explorer[chess.Board, chess.Move]:
        """Probes and walks them."""
        return Explorer(self.game, self.library)

    @cached_property
    def studies(self) -> Studies:
        """The shipped studies, and the user's own."""
        return Studies(self.game, paths.studies_dir(self.root))

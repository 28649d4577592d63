"""Perfect endgame tablebases, made by retrograde analysis and walked layer by layer.

The parts most programs need: :class:`Library` (which tables are there, and making them), :class:`Explorer` (verdicts,
layers), :class:`Judge` (rated moves, lines), :class:`Prober` (values, one or many at a time), :class:`Answers` (the
50-move rule, with Syzygy files), :class:`Build`, the chess game :data:`CHESS`, and the errors.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from endgame_core.chess.game import CHESS
from endgame_core.chess.probing import Prober, Values
from endgame_core.errors import (
    ArchiveError,
    BuildCancelledError,
    BusyError,
    EndgameError,
    EndingError,
    LayerError,
    MissingError,
    NotBuiltError,
    PositionError,
    StorageError,
    TableError,
)
from endgame_core.game import Game
from endgame_core.tables.explorer import Explorer, Layers, Place, Previous, RatedMove
from endgame_core.tables.library import CatalogueEntry, Library
from endgame_core.values import Category, Verdict

if TYPE_CHECKING:
    from endgame_core.answers import Answers
    from endgame_core.judge import Judge
    from endgame_core.tables.build import Build

__all__ = [
    "CHESS",
    "Answers",
    "ArchiveError",
    "Build",
    "BuildCancelledError",
    "BusyError",
    "CatalogueEntry",
    "Category",
    "EndgameError",
    "EndingError",
    "Explorer",
    "Game",
    "Judge",
    "LayerError",
    "Layers",
    "Library",
    "MissingError",
    "NotBuiltError",
    "Place",
    "PositionError",
    "Previous",
    "Prober",
    "RatedMove",
    "StorageError",
    "TableError",
    "Values",
    "Verdict",
]


_LATER = {"Answers": "answers", "Build": "tables.build", "Judge": "judge"}
"""What is imported when first wanted: answers bring the readers of Syzygy files along, and a build runs its module."""


def __getattr__(name: str) -> Any:
    if name in _LATER:
        return getattr(import_module(f"endgame_core.{_LATER[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

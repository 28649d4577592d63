"""Perfect endgame tablebases, made by retrograde analysis and walked layer by layer.

The parts most programs need: :class:`Library` (which tables are there, and making them), :class:`Explorer` (verdicts,
layers), :class:`Judge` (rated moves, lines), :class:`Prober` (values, one or many at a time), :class:`Answers` (the
50-move rule, with Syzygy files), :class:`Build`, the games :data:`CHESS`, :data:`CHESS_DTZ` and :data:`MORRIS`, and the
errors. ``__version__`` is the version of the program.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from endgame_core.answers import Answers
    from endgame_core.chess.game import CHESS, CHESS_DTZ
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
    from endgame_core.judge import Judge
    from endgame_core.morris.game import MORRIS
    from endgame_core.probe_result import ProbeResult
    from endgame_core.tables.build import Build
    from endgame_core.tables.explorer import Explorer, Layers, Place, Previous, RatedMove
    from endgame_core.tables.library import CatalogueEntry, Library
    from endgame_core.values import Category, Verdict

    __version__: str

__all__ = [
    "CHESS",
    "CHESS_DTZ",
    "MORRIS",
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
    "ProbeResult",
    "Prober",
    "RatedMove",
    "StorageError",
    "TableError",
    "Values",
    "Verdict",
    "__version__",
]

_MODULES = {
    "answers": ("Answers",),
    "chess.game": ("CHESS", "CHESS_DTZ"),
    "chess.probing": ("Prober", "Values"),
    "game": ("Game",),
    "judge": ("Judge", "ProbeResult"),
    "morris.game": ("MORRIS",),
    "tables.build": ("Build",),
    "tables.explorer": ("Explorer", "Layers", "Place", "Previous", "RatedMove"),
    "tables.library": ("CatalogueEntry", "Library"),
    "values": ("Category", "Verdict"),
}
"""The modules of the public names; those of no other module are errors. A module is imported when a name is first used:
``endgame-tui --version`` needs none of them, and most programs need few."""

_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name == "__version__":
        return _version()
    module = import_module(f"endgame_core.{_MODULE_OF.get(name, 'errors')}")
    value = globals()[name] = getattr(module, name)
    return value


def _version() -> str:
    from importlib import metadata

    try:
        return metadata.version("endgame-tui")
    except metadata.PackageNotFoundError:  # it runs from a checkout
        return "0+checkout"


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

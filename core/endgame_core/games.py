"""Which games there are: found by name, by the metric of their tables, or by how a text is spelled."""

from __future__ import annotations

from typing import Any

from endgame_core.chess.dtz_game import CHESS_DTZ
from endgame_core.chess.game import CHESS
from endgame_core.game import Game, Spelling
from endgame_core.morris.game import MORRIS

GAMES: tuple[Game[Any, Any], ...] = (CHESS, CHESS_DTZ, MORRIS)
"""Every game, once for each metric of its tables; first by that of its layers."""

NAMES = tuple(dict.fromkeys(game.name for game in GAMES))
"""The games."""


def by_metric(metric: str) -> Game[Any, Any]:
    """The game whose tables have a metric; the metric of no two games is the same."""
    return next(game for game in GAMES if game.metric == metric)


def by_name(name: str) -> Game[Any, Any]:
    """The game of a name, by the metric of its layers."""
    return next(game for game in GAMES if game.name == name)


def metrics_of(name: str) -> tuple[str, ...]:
    """The metrics of a game's tables, that of its layers first."""
    return tuple(game.metric for game in GAMES if game.name == name)


def meant(text: str) -> tuple[str, Spelling] | None:
    """The game an ending or a position shows by its spelling to be of, and which of these it is; None for neither."""
    return next(((game.name, found) for game in GAMES if (found := game.meant(text))), None)


def spelled(text: str) -> str | None:
    """The game that a text is spelled as; None where it may be of any, such as a key."""
    found = meant(text)
    return None if found is None else found[0]

"""The registry of games: by name, by the metric of their tables, or by the spelling of a text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from endgame_core.errors import PositionError
from endgame_core.jsonl_process import load_object

if TYPE_CHECKING:
    from endgame_core.game import Game, Spelling


class RegisteredGame(NamedTuple):
    """A game with one metric of its tables.

    Attributes:
        name: The game.
        metric: The metric of the tables.
        entry: ``module:name`` of the object, imported only when it is needed.
        spelling: ``module:name`` of its ``spelling_of``, in a module that can be imported without the rules of the
            game; by default the method of the game.
    """

    name: str
    metric: str
    entry: str
    spelling: str = ""

    def load(self) -> Game[Any, Any]:
        """Import and return the game."""
        return load_object(self.entry)

    def spelling_of(self, text: str) -> Spelling | None:
        """Return whether a text is spelled like an ending or a position of the game; None for neither."""
        if self.spelling:
            return load_object(self.spelling)(text)
        return self.load().spelling_of(text)


_CHESS_SPELLING = "endgame_core.chess.spelling:spelling_of"
_MORRIS_SPELLING = "endgame_core.morris.spelling:spelling_of"

GAMES = (
    RegisteredGame("chess", "dtm", "endgame_core.chess.game:CHESS", _CHESS_SPELLING),
    RegisteredGame("chess", "dtz", "endgame_core.chess.game:CHESS_DTZ", _CHESS_SPELLING),
    RegisteredGame("morris", "depth", "endgame_core.morris.game:MORRIS", _MORRIS_SPELLING),
)
"""Every game, once per metric of its tables; first with that of its layers."""

NAMES = tuple(dict.fromkeys(game.name for game in GAMES))
"""The names of the games."""


def by_metric(metric: str) -> Game[Any, Any]:
    """Return the game whose tables have a metric; no two games share one."""
    return next(game.load() for game in GAMES if game.metric == metric)


def by_name(name: str) -> Game[Any, Any]:
    """Return a game by name, with the metric of its layers."""
    return next(game.load() for game in GAMES if game.name == name)


def metrics_of(name: str) -> tuple[str, ...]:
    """Return the metrics of a game's tables, that of its layers first."""
    return tuple(game.metric for game in GAMES if game.name == name)


def identify(text: str) -> tuple[str, Spelling] | None:
    """Return the game whose spelling of an ending or a position a text has, and which of the two; None for neither.

    The rules of a game are not imported for that.
    """
    for game in GAMES:
        spelling = game.spelling_of(text)
        if spelling:
            return game.name, spelling
    return None


def foreign_game(text: str, game: str) -> str | None:
    """Return the game to which a text belongs if that is not ``game``: as an ending or a valid position; else None."""
    result = identify(text)
    if result is None or result[0] == game:
        return None
    name, spelling = result
    if spelling == "ending":
        return name
    try:
        by_name(name).parse(text)
    except PositionError:
        return None
    return name


def game_by_spelling(text: str) -> str | None:
    """Return the game whose spelling a text has; None if it may belong to any, as a key does."""
    result = identify(text)
    return None if result is None else result[0]

"""Which games there are: found by name, by the metric of their tables, or by how a text is spelled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from endgame_core.errors import PositionError

if TYPE_CHECKING:
    from endgame_core.game import Game, Spelling


class RegisteredGame(NamedTuple):
    """A game by one metric of its tables.

    Attributes:
        name: The game.
        metric: What its tables tell.
        entry: Where it is: what a user of another game need not wait for.
    """

    name: str
    metric: str
    entry: str

    def load(self) -> Game[Any, Any]:
        """The game; its rules are imported now."""
        from endgame_core.jsonl_process import load_object

        return load_object(self.entry)


GAMES = (
    RegisteredGame("chess", "dtm", "endgame_core.chess.game:CHESS"),
    RegisteredGame("chess", "dtz", "endgame_core.chess.game:CHESS_DTZ"),
    RegisteredGame("morris", "depth", "endgame_core.morris.game:MORRIS"),
)
"""Every game, once for each metric of its tables; first by that of its layers."""

NAMES = tuple(dict.fromkeys(game.name for game in GAMES))
"""The games."""


def by_metric(metric: str) -> Game[Any, Any]:
    """The game whose tables have a metric; the metric of no two games is the same."""
    return next(game.load() for game in GAMES if game.metric == metric)


def by_name(name: str) -> Game[Any, Any]:
    """The game of a name, by the metric of its layers."""
    return next(game.load() for game in GAMES if game.name == name)


def metrics_of(name: str) -> tuple[str, ...]:
    """The metrics of a game's tables, that of its layers first."""
    return tuple(game.metric for game in GAMES if game.name == name)


def identify(text: str) -> tuple[str, Spelling] | None:
    """The game an ending or a position shows by its spelling to be of, and which of these it is; None for neither."""
    return next(((game.name, spelling) for game in GAMES if (spelling := game.load().spelling_of(text))), None)


def foreign_game(text: str, game: str) -> str | None:
    """The game of which a text is an ending, or a position that can be read, when that is not the one at hand."""
    result = identify(text)
    if result is None or result[0] == game:
        return None
    try:
        return result[0] if result[1] == "ending" or by_name(result[0]).parse(text) else None
    except PositionError:
        return None


def game_by_spelling(text: str) -> str | None:
    """The game that a text is spelled as; None where it may be of any, such as a key."""
    result = identify(text)
    return None if result is None else result[0]

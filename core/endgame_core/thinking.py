"""Who thinks about positions that no table covers: an engine where there is one, else our own search."""

from __future__ import annotations

from collections.abc import Callable

from endgame_core.errors import EndgameError
from endgame_core.estimate import Thinker
from endgame_core.search.fallback import Fallback
from endgame_core.search.thinker import SearchThinker
from endgame_core.tables.library import Library


def thinker(library: Library, on_trouble: Callable[[EndgameError], None]) -> Thinker:
    """The thinker for a library's game; nothing is started before it is first asked.

    Args:
        library: The tables our own search looks into; its data directory has the user's settings.
        on_trouble: Told why an engine that was to be used is not; by another thread, or during the call.
    """
    own = SearchThinker(library.game, library.root)
    if library.game.name != "chess":
        return own
    from endgame_core.chess.engine import EngineThinker, find_engine

    try:
        path = find_engine(library.root)
    except EndgameError as problem:
        on_trouble(problem)
        return own
    return own if path is None else Fallback(EngineThinker(path), own, on_trouble)

"""Who thinks about positions that no table covers: an engine where there is one, else our own search."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from endgame_core.errors import EndgameError
from endgame_core.estimate import Estimate, Limits, Thinker
from endgame_core.search.thinker import SearchThinker
from endgame_core.tables.library import Library
from endgame_core.tracked import Tracked


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


class Fallback:
    """Uses one thinker until it fails, and another one from then on. A :class:`~endgame_core.estimate.Thinker`.

    Args:
        first: The thinker to use.
        second: The thinker that takes over, in the middle of a thought if need be.
        on_trouble: Told, once and in another thread, why the first one is not used any more.
    """

    def __init__(self, first: Thinker, second: Thinker, on_trouble: Callable[[EndgameError], None]) -> None:
        self._first = first
        self._second = second
        self._on_trouble = on_trouble
        self._lock = threading.Lock()
        self._failed = False
        self._thought = 0

    @property
    def name(self) -> str:
        """Who is thinking now."""
        return self._now().name

    def _now(self) -> Thinker:
        return self._second if self._failed else self._first

    def warm(self) -> None:
        """Starts what the next thought needs."""
        self._now().warm()

    def think(
        self,
        game: Tracked[Any, Any],
        limits: Limits,
        on_estimate: Callable[[Estimate[Any]], None],
        on_end: Callable[[EndgameError | None], None],
    ) -> None:
        """Starts thinking, after cancelling what was under way; see :class:`~endgame_core.estimate.Thinker`."""
        with self._lock:
            self._thought += 1
            number, failed = self._thought, self._failed
        if failed:
            self._second.think(game, limits, on_estimate, on_end)
            return
        same = game.copy()

        def ended(problem: EndgameError | None) -> None:
            if problem is None:
                on_end(None)
                return
            self._give_up(problem)
            try:
                with self._lock:  # a cancel, or another thought, comes before this or after it, not between
                    if number == self._thought:
                        self._second.think(same, limits, on_estimate, on_end)
            except EndgameError as worse:
                on_end(worse)

        try:
            self._first.think(game, limits, on_estimate, ended)
        except EndgameError as problem:
            ended(problem)

    def _give_up(self, problem: EndgameError) -> None:
        """Notes that the first thinker has failed, and tells it once."""
        with self._lock:
            told, self._failed = self._failed, True
        if not told:
            self._on_trouble(problem)

    def cancel(self) -> None:
        """Stops thinking."""
        with self._lock:
            self._thought += 1
        self._first.cancel()
        self._second.cancel()

    def close(self) -> None:
        """Stops, and closes both."""
        self.cancel()
        self._first.close()
        self._second.close()

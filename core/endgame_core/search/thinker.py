"""Thinks in a process of its own, so that the screen has its own to itself.

A search is Python through and through: in a thread it holds the interpreter, and every answer to a key waits for it
again and again (see ``docs/search.md`` for what was measured). The process is kept from one thought to the next, with
all that the search remembers.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from endgame_core.child import Child, as_error
from endgame_core.errors import EndgameError, PositionError
from endgame_core.estimate import Estimate, Limits
from endgame_core.game import Game
from endgame_core.search.worker import answered, request
from endgame_core.tracked import Tracked

WORKER = "endgame_core.search.worker"
_PATIENCE = 2.0
"""Seconds until a searching process that does not end is killed."""


@dataclass(slots=True)
class _Thought:
    """What is being thought about, and who wants to know."""

    number: int
    game: Tracked[Any, Any]
    on_estimate: Callable[[Estimate[Any]], None]
    on_end: Callable[[EndgameError | None], None]


class SearchThinker:
    """Our own search, in a child process. A :class:`~endgame_core.estimate.Thinker`.

    Args:
        game: The game.
        root: The data directory whose tables the search looks into.

    Attributes:
        child: The searching process, while there is one.
    """

    name = "search"

    def __init__(self, game: Game[Any, Any], root: Path) -> None:
        self._game = game
        self._root = root
        self._lock = threading.Lock()
        self._number = 0
        self._thought: _Thought | None = None
        self.child: Child | None = None

    def warm(self) -> None:
        """Starts the process, so that the first thought need not wait for it."""
        with self._lock:
            self._started()

    def _started(self) -> Child:
        """The child, started if need be."""
        child = self.child
        if child is None or not child.is_alive:
            child = self.child = Child(WORKER, {"game": self._game.entry, "root": str(self._root)})
            threading.Thread(target=self._follow, args=(child,), name="search", daemon=True).start()
        return child

    def think(
        self,
        game: Tracked[Any, Any],
        limits: Limits,
        on_estimate: Callable[[Estimate[Any]], None],
        on_end: Callable[[EndgameError | None], None],
    ) -> None:
        """Starts thinking, after cancelling what was under way; returns at once.

        Args:
            game: The game so far; looked at only during the call.
            limits: When to stop.
            on_estimate: Told every finished depth, in another thread.
            on_end: Told once when thinking ends, with what went wrong, if anything did.

        Raises:
            EndgameError: No process can be started.
        """
        with self._lock:
            self._number += 1
            self._thought = _Thought(self._number, game.copy(), on_estimate, on_end)
            try:
                self._started().tell(request(self._number, self._game, game, limits))
            except OSError as error:
                self._thought = None
                raise EndgameError(
                    f"the search could not start ({error})", "close other programs and try again"
                ) from None

    def cancel(self) -> None:
        """Stops thinking; returns at once. Only a callback that has already begun can still come to its end."""
        with self._lock:
            thought, self._thought = self._thought, None
            if thought is not None and self.child is not None:
                self.child.tell({"cancel": thought.number})

    def close(self) -> None:
        """Stops, and ends the process."""
        with self._lock:
            self._thought = None
            child, self.child = self.child, None
        if child is not None:
            child.end(_PATIENCE)

    def _follow(self, child: Child) -> None:
        """Runs in a thread: passes on what the child says, and notices when it dies."""
        with closing(child.messages()) as messages:
            try:
                for message in messages:
                    self._take(message)
            except (KeyError, TypeError, PositionError):
                pass  # no estimate of ours
        child.end(0)
        with self._lock:
            mine = self.child is child
            thought = self._thought if mine else None
            if mine:
                self._thought = self.child = None
        if thought is not None:
            thought.on_end(EndgameError("the searching process ended early", "start the search again"))

    def _take(self, message: dict[str, Any]) -> None:
        number = message.get("estimate", message.get("end"))
        with self._lock:
            thought = self._thought
            if thought is None or thought.number != number:
                return
            if "end" in message:
                self._thought = None
        if "end" in message:
            thought.on_end(as_error(message) if "error" in message else None)
        else:
            thought.on_estimate(answered(message, self._game, thought.game))

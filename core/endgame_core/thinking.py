"""Our own search as an engine, used for positions that no table covers if there is no external engine.

It runs in a process of its own: it is pure Python, and in a thread it would hold the interpreter and delay every key
press (``docs/search.md`` has measurements). The process and its transposition table are reused. Requests and estimates
are JSON
lines: first ``{"game": ENTRY, "places": DIRECTORIES}``, then any number of ``{"think": NUMBER, ...}`` and ``{"cancel":
NUMBER}``. A new request cancels the previous one. The process runs this module and exits as soon as its stdin closes.
"""

from __future__ import annotations

import os
import queue
import threading
import time
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from endgame_core import jsonl_process
from endgame_core.errors import EndgameError, NotBuiltError, PositionError
from endgame_core.game import Game
from endgame_core.game_state import GameState
from endgame_core.jsonl_process import Child, as_error
from endgame_core.language import _
from endgame_core.search import Probe, Searcher
from endgame_core.search_estimate import Limits, OnEnd, OnEstimate, SearchEstimate
from endgame_core.tables.library import Library

WORKER = "endgame_core.thinking"
_KILL_AFTER = 2.0
"""Seconds after which a search process that does not exit is killed."""


@dataclass(slots=True)
class _SearchTask:
    """The running analysis and its callbacks."""

    number: int
    game: GameState[Any, Any]
    on_estimate: OnEstimate
    on_end: OnEnd


class SearchEngine:
    """Our own search in a child process. A :class:`~endgame_core.search_estimate.Engine`.

    Args:
        game: The game.
        places: Directories of the tables to probe; see :attr:`Library.places`.
        entries: The most positions to keep from one search to the next; None for the default.

    Attributes:
        child: The search process, None while there is none.
    """

    name = "search"

    def __init__(self, game: Game[Any, Any], places: Sequence[str], entries: int | None = None) -> None:
        self._game = game
        self._places = places
        self._entries = entries
        self._lock = threading.Lock()
        self._number = 0
        self._task: _SearchTask | None = None
        self.child: Child | None = None

    def _running_child(self) -> Child:
        """Return the child process, started if necessary."""
        child = self.child
        if child is None or not child.is_alive:
            child = self.child = Child(
                WORKER, {"game": self._game.entry, "places": self._places, "entries": self._entries}
            )
            threading.Thread(target=self._follow, args=(child,), name="search", daemon=True).start()
        return child

    def think(self, game: GameState[Any, Any], limits: Limits, on_estimate: OnEstimate, on_end: OnEnd) -> None:
        """Cancel the running analysis and start a new one; see :class:`~endgame_core.search_estimate.Engine`.

        Raises:
            EndgameError: The process cannot be started.
        """
        with self._lock:
            self._number += 1
            self._task = _SearchTask(self._number, game.copy(), on_estimate, on_end)
            try:
                self._running_child().send(
                    {
                        "think": self._number,
                        "start": dict(self._game.file_notation.headers(game.start)),
                        "made": [self._game.uci(move) for move in game.history],
                        "limits": vars(limits),
                    }
                )
            except OSError as error:
                self._task = None
                raise EndgameError(
                    _("the search could not start ({error})").format(error=error),
                    _("close other programs and try again"),
                ) from None

    def cancel(self) -> None:
        """Stop the analysis; returns at once. Only a callback that is already running can still finish."""
        with self._lock:
            task = self._task
            self._task = None
            if task is not None and self.child is not None:
                self.child.send({"cancel": task.number})

    def close(self) -> None:
        """Stop the analysis and the process."""
        with self._lock:
            self._task = None
            child = self.child
            self.child = None
        if child is not None:
            child.end(_KILL_AFTER)

    def _follow(self, child: Child) -> None:
        """Run in a thread: dispatch the child's messages, and report when it dies."""
        with closing(child.messages()) as messages:
            try:
                for message in messages:
                    self._handle(message)
            except (KeyError, TypeError, PositionError):
                pass  # not a message of ours
        # The messages have ended, so the process is dead or useless. A new one may have been started since.
        child.end(0)
        with self._lock:
            is_current = self.child is child
            task = self._task if is_current else None
            if is_current:
                self._task = self.child = None
        if task is not None:
            task.on_end(EndgameError(_("the search process stopped unexpectedly"), _("start the search again")))

    def _handle(self, message: dict[str, Any]) -> None:
        number = message.get("estimate", message.get("end"))
        with self._lock:
            task = self._task
            # A message of a search that has been cancelled meanwhile.
            if task is None or task.number != number:
                return
            if "end" in message:
                self._task = None
        if "end" in message:
            task.on_end(as_error(message) if "error" in message else None)
        else:
            line = _replay(self._game, task.game, message["line"])
            # The moves were made on the game to read them, and are taken back.
            for __ in line:
                task.game.pop()
            facts: dict[str, Any] = {name: value for name, value in message.items() if name != "estimate"}
            facts["line"] = tuple(line)
            task.on_estimate(SearchEstimate(**facts))


def _replay(game: Game[Any, Any], state: GameState[Any, Any], history: Iterable[str]) -> list[Any]:
    """Make moves in UCI notation on a game and return them; raises PositionError for an illegal one."""
    moves: list[Any] = []
    for text in history:
        move = next((move for move in state.moves() if game.uci(move) == text), None)
        if move is None:
            raise PositionError(_("{text} is not a legal move here").format(text=text), _("start the search again"))
        state.push(move)
        moves.append(move)
    return moves


_RETRY_AFTER = 1.0
"""Seconds after which a missing table is looked up again."""


def table_probe(library: Library) -> Probe:
    """Return a probe of a library's tables; it gives None if a table is missing, damaged, or not applicable."""
    ending_of = library.game.ending_of
    missing = dict[str, float]()

    def probe(position: Any) -> int | None:
        try:
            if missing and missing.get(ending_of(position), 0.0) > time.monotonic():
                return None
            return library.code(position)
        except NotBuiltError as error:
            missing[error.ending] = time.monotonic() + _RETRY_AFTER
            return None
        except (EndgameError, OSError):
            return None

    return probe


def main() -> None:
    """Answer requests until the input closes."""
    messages = jsonl_process.read_messages()
    setup = next(messages)
    game: Game[Any, Any] = jsonl_process.load_object(setup["game"])
    requests: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
    current = 0

    def read() -> None:
        nonlocal current
        for message in messages:
            if "think" in message:
                current = message["think"]
                requests.put(message)
            # A late cancel of an earlier search must not stop this one.
            elif message.get("cancel") == current:
                current = 0
        # The parent process is gone; a search may be running in the main thread.
        os._exit(0)

    threading.Thread(target=read, daemon=True).start()
    game.index.arrays()  # imports numpy now rather than during the first search
    searcher: Searcher[Any] = Searcher(table_probe(Library.at(game, setup["places"])), setup.get("entries"))
    while True:
        request = requests.get()
        number = request["think"]
        try:
            state = game.start_game(game.file_notation.start_of(request["start"]))
            _replay(game, state, request["made"])
            limits = Limits(**request["limits"])
            only = [move for move in state.moves() if game.uci(move) in limits.moves]
            for estimate in searcher.estimates(state, limits, lambda number=number: current != number, only):
                line = [game.uci(move) for move in estimate.line]
                jsonl_process.send({"estimate": number, **vars(estimate), "line": line})
            jsonl_process.send({"end": number})
        except EndgameError as error:
            jsonl_process.send({"end": number, **jsonl_process.as_message(error)})


if __name__ == "__main__":
    main()

"""Our own search, which thinks about positions that no table covers where there is no engine.

It thinks in a process of its own, so that the screen has its own to itself: it is Python through and through,
and in a thread it holds the interpreter, so that every answer to a key waits for it again and again (see
``docs/search.md`` for what was measured). The process is kept from one thought to the next, with all that the search
remembers. Requests and estimates are JSON lines: first comes ``{"game": ENTRY, "places": DIRECTORIES}``, then any
number of ``{"think": NUMBER, ...}`` and ``{"cancel": NUMBER}``. A new thought cancels the one before. This module is
what the process runs; it ends as soon as its stdin closes.
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
from endgame_core.estimate import Estimate, Limits, OnEnd, OnEstimate
from endgame_core.game import Game
from endgame_core.game_state import GameState
from endgame_core.jsonl_process import Child, as_error
from endgame_core.search import Probe, Searcher
from endgame_core.tables.library import Library

WORKER = "endgame_core.thinking"
_KILL_AFTER = 2.0
"""Seconds until a searching process that does not end is killed."""


@dataclass(slots=True)
class _SearchTask:
    """What is being thought about, and who wants to know."""

    number: int
    game: GameState[Any, Any]
    on_estimate: OnEstimate
    on_end: OnEnd


class SearchEngine:
    """Our own search, in a child process. A :class:`~endgame_core.estimate.Engine`.

    Args:
        game: The game.
        places: Those of the tables that the search looks into; see :attr:`Library.places`.

    Attributes:
        child: The searching process, while there is one.
    """

    name = "search"

    def __init__(self, game: Game[Any, Any], places: Sequence[str]) -> None:
        self._game = game
        self._places = places
        self._lock = threading.Lock()
        self._number = 0
        self._task: _SearchTask | None = None
        self.child: Child | None = None

    def _running_child(self) -> Child:
        """The child, started if need be."""
        child = self.child
        if child is None or not child.is_alive:
            child = self.child = Child(WORKER, {"game": self._game.entry, "places": self._places})
            threading.Thread(target=self._follow, args=(child,), name="search", daemon=True).start()
        return child

    def think(self, game: GameState[Any, Any], limits: Limits, on_estimate: OnEstimate, on_end: OnEnd) -> None:
        """Starts thinking, after cancelling what was under way; see :class:`~endgame_core.estimate.Engine`.

        Raises:
            EndgameError: No process can be started.
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
                    f"the search could not start ({error})", "close other programs and try again"
                ) from None

    def cancel(self) -> None:
        """Stops thinking; returns at once. Only a callback that has already begun can still come to its end."""
        with self._lock:
            task, self._task = self._task, None
            if task is not None and self.child is not None:
                self.child.send({"cancel": task.number})

    def close(self) -> None:
        """Stops, and ends the process."""
        with self._lock:
            self._task = None
            child, self.child = self.child, None
        if child is not None:
            child.end(_KILL_AFTER)

    def _follow(self, child: Child) -> None:
        """Runs in a thread: passes on what the child says, and notices when it dies."""
        with closing(child.messages()) as messages:
            try:
                for message in messages:
                    self._handle(message)
            except (KeyError, TypeError, PositionError):
                pass  # no estimate of ours
        child.end(0)
        with self._lock:
            is_current = self.child is child
            task = self._task if is_current else None
            if is_current:
                self._task = self.child = None
        if task is not None:
            task.on_end(EndgameError("the searching process ended early", "start the search again"))

    def _handle(self, message: dict[str, Any]) -> None:
        number = message.get("estimate", message.get("end"))
        with self._lock:
            task = self._task
            if task is None or task.number != number:
                return
            if "end" in message:
                self._task = None
        if "end" in message:
            task.on_end(as_error(message) if "error" in message else None)
        else:
            line = _replay(self._game, task.game, message["line"])
            for _ in line:
                task.game.pop()
            facts: dict[str, Any] = {name: value for name, value in message.items() if name != "estimate"}
            facts["line"] = tuple(line)
            task.on_estimate(Estimate(**facts))


def _replay(game: Game[Any, Any], state: GameState[Any, Any], history: Iterable[str]) -> list[Any]:
    """Makes moves, as programs write them, on a game; returns them. Raises PositionError for one that is not legal."""
    moves: list[Any] = []
    for text in history:
        move = next((move for move in state.moves() if game.uci(move) == text), None)
        if move is None:
            raise PositionError(f"{text} is no legal move here", "start the search again")
        state.push(move)
        moves.append(move)
    return moves


_RETRY_AFTER = 1.0
"""Seconds after which a table that was missing is looked for again."""


def table_probe(library: Library) -> Probe:
    """Probes the tables of a library; None where one is missing, damaged, or cannot cover the position."""
    ending_of, missing = library.game.ending_of, dict[str, float]()

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
    """Thinks about one request after the other, until the input closes."""
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
            elif message.get("cancel") == current:
                current = 0
        os._exit(0)

    threading.Thread(target=read, daemon=True).start()
    game.index.arrays()  # the first look into a table would import it
    searcher: Searcher[Any] = Searcher(table_probe(Library.at(game, setup["places"])))
    while True:
        request = requests.get()
        number = request["think"]
        try:
            state = game.start_game(game.file_notation.start_of(request["start"]))
            _replay(game, state, request["made"])
            limits = Limits(**request["limits"])
            for estimate in searcher.estimates(state, limits, lambda number=number: current != number):
                line = [game.uci(move) for move in estimate.line]
                jsonl_process.send({"estimate": number, **vars(estimate), "line": line})
            jsonl_process.send({"end": number})
        except EndgameError as error:
            jsonl_process.send({"end": number, **jsonl_process.as_message(error)})


if __name__ == "__main__":
    main()

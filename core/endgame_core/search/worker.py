"""The thinking process: reads requests from stdin, writes estimates to stdout, both as JSON lines.

First comes ``{"game": ENTRY, "root": DATA_DIR}``, then any number of ``{"think": NUMBER, ...}`` and
``{"cancel": NUMBER}``. A new thought cancels the one before. The process ends as soon as its stdin closes.
"""

from __future__ import annotations

import os
import queue
import threading
import time
from collections.abc import Iterable
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from endgame_core import child
from endgame_core.errors import EndgameError, NotBuiltError, PositionError
from endgame_core.estimate import Estimate, Limits
from endgame_core.game import Game
from endgame_core.search.alphabeta import Probe, Searcher
from endgame_core.tables.library import Library
from endgame_core.tracked import Tracked


def request(number: int, game: Game[Any, Any], tracked: Tracked[Any, Any], limits: Limits) -> dict[str, Any]:
    """What to write to the process to make it think."""
    return {
        "think": number,
        "start": game.format(tracked.start),
        "made": [game.uci(move) for move in tracked.made],
        "limits": asdict(limits),
    }


def answer(number: int, game: Game[Any, Any], estimate: Estimate[Any]) -> dict[str, Any]:
    """An estimate as it is written."""
    facts = {each.name: getattr(estimate, each.name) for each in fields(estimate)}
    return {"estimate": number, **facts, "line": [game.uci(move) for move in estimate.line]}


def answered(message: dict[str, Any], game: Game[Any, Any], tracked: Tracked[Any, Any]) -> Estimate[Any]:
    """The estimate of an answer about the end of a game; raises PositionError for moves that are not legal there."""
    facts: dict[str, Any] = {name: value for name, value in message.items() if name != "estimate"}
    line = replayed(game, tracked, facts["line"])
    for _ in line:
        tracked.pop()
    facts["line"] = tuple(line)
    return Estimate(**facts)


def replayed(game: Game[Any, Any], tracked: Tracked[Any, Any], made: Iterable[str]) -> list[Any]:
    """Makes moves, as programs write them, on a game; returns them. Raises PositionError for one that is not legal."""
    moves: list[Any] = []
    for text in made:
        move = next((move for move in tracked.moves() if game.uci(move) == text), None)
        if move is None:
            raise PositionError(f"{text} is no legal move here", "start the search again")
        tracked.push(move)
        moves.append(move)
    return moves


_LOOK_AGAIN = 1.0
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
            missing[error.ending] = time.monotonic() + _LOOK_AGAIN
            return None
        except (EndgameError, OSError):
            return None

    return probe


class _Inbox:
    """What has been asked for: the reading thread puts it in, the thinking one takes it out."""

    def __init__(self) -> None:
        self.waiting: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
        self.wanted = 0

    def read(self) -> None:
        """Reads until the input closes, then ends the process."""
        for message in child.heard():
            if "think" in message:
                self.wanted = message["think"]
                self.waiting.put(message)
            elif message.get("cancel") == self.wanted:
                self.wanted = 0
        os._exit(0)


def _serve(game: Game[Any, Any], root: Path, inbox: _Inbox) -> None:
    """Thinks about one request after the other."""
    searcher: Searcher[Any] = Searcher(table_probe(Library(game, root)))
    while True:
        wanted = inbox.waiting.get()
        number = wanted["think"]
        try:
            tracked = game.tracked(game.parse(wanted["start"]))
            replayed(game, tracked, wanted["made"])
            limits = Limits(**wanted["limits"])
            for estimate in searcher.estimates(tracked, limits, lambda number=number: inbox.wanted != number):
                child.say(answer(number, game, estimate))
            child.say({"end": number})
        except EndgameError as error:
            child.say({"end": number, **child.as_message(error)})


def main() -> None:
    """Serves until the input closes."""
    opened = next(child.heard())
    game: Game[Any, Any] = child.loaded(opened["game"])
    inbox = _Inbox()
    threading.Thread(target=inbox.read, daemon=True).start()
    game.index.arrays()  # the first look into a table would import it
    _serve(game, Path(opened["root"]), inbox)


if __name__ == "__main__":
    main()

"""The thinking process: reads requests from stdin, writes estimates to stdout, both as JSON lines.

First comes ``{"game": ENTRY, "root": DATA_DIR}``, then any number of ``{"think": NUMBER, ...}`` and
``{"cancel": NUMBER}``. A new thought cancels the one before. The process ends as soon as its stdin closes.
"""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from endgame_core import child
from endgame_core.errors import EndgameError, PositionError
from endgame_core.estimate import Estimate, Limits
from endgame_core.game import Game
from endgame_core.search.alphabeta import Searcher
from endgame_core.search.probing import table_probe
from endgame_core.tables.library import Library
from endgame_core.tracked import Tracked


def request(number: int, game: Game[Any, Any], tracked: Tracked[Any, Any], limits: Limits) -> dict[str, Any]:
    """What to write to the process to make it think."""
    return {
        "think": number,
        "start": game.format(tracked.start),
        "made": [game.uci(move) for move in tracked.made],
        "seconds": limits.seconds,
        "depth": limits.depth,
        "nodes": limits.nodes,
    }


def answer(number: int, game: Game[Any, Any], estimate: Estimate[Any]) -> dict[str, Any]:
    """An estimate as it is written."""
    return {
        "estimate": number,
        "depth": estimate.depth,
        "score": estimate.score,
        "mate": estimate.mate,
        "line": [game.uci(move) for move in estimate.line],
        "nodes": estimate.nodes,
        "seconds": estimate.seconds,
        "source": estimate.source,
        "looked_up": estimate.looked_up,
        "exact": estimate.exact,
    }


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
            limits = Limits(wanted["seconds"], wanted["depth"], wanted["nodes"])
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
    game.arrays()  # the first look into a table would import it
    _serve(game, Path(opened["root"]), inbox)


if __name__ == "__main__":
    main()

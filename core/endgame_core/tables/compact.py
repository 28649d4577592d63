"""Verifies a table, or makes it smaller for good, in a process of its own: what derives a side to move is compiled.

So no screen waits for it, however large the table is, and it is stopped by closing the input of the process.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any, Generic, TypeVar

from endgame_core import jsonl_process
from endgame_core.errors import EndgameError
from endgame_core.tables.build import Work, memory_for
from endgame_core.tables.library import Form, Library, Verified

_MODULE = "endgame_core.tables.compact"


T = TypeVar("T")


class Task(Work, Generic[T]):
    """Work on one table, which comes to a ``T``; see :func:`compacting` and :func:`verifying`.

    Args:
        library: The tables.
        ending: A built ending.
        what: What is done, told where it fails.
        wish: What the process is asked for.
        of: What the last word of the process comes to.
    """

    def __init__(
        self, library: Library, ending: str, what: str, wish: Mapping[str, Any], of: Callable[[dict[str, Any]], T]
    ) -> None:
        super().__init__()
        self.library, self.ending = library, ending
        self._what, self._wish, self._of = what, wish, of
        self.died = f"the {what} ended early", "the table is as it was; try again"
        self.stopped = f"the {what} was cancelled", "the table is as it was"

    def run(self, on_progress: Callable[[float], None]) -> T:
        """Does it (blocking); told the part done, 0 to 1, now and then.

        Raises:
            EndgameError: As the library does, or it was cancelled.
        """
        game, places = self.library.game.entry, self.library.places
        result: dict[str, Any] = {}
        try:
            for message in self.told(_MODULE, {"game": game, "places": places, "ending": self.ending, **self._wish}):
                if message["event"] == "finished":
                    result = message
                else:
                    on_progress(message["part"])
        except OSError as error:
            raise EndgameError(f"the {self._what} could not run ({error})", "try again") from None
        return self._of(result)


def compacting(library: Library, ending: str, form: Form) -> Task[tuple[int, int]]:
    """Gives a table of the user another form, one of :meth:`Library.forms`; comes to its bytes before and after."""
    return Task(library, ending, "compacting", {"form": form}, lambda found: (found["sizes"][0], found["sizes"][1]))


def verifying(library: Library, ending: str, samples: int = 1000) -> Task[Verified]:
    """Proves a table with so many positions: see :meth:`Library.verify`."""
    return Task(library, ending, "verification", {"samples": samples}, lambda found: Verified(**found["found"]))


def _serve(request: dict[str, Any]) -> None:
    library = Library.at(jsonl_process.load_object(request["game"]), request["places"])
    jsonl_process.end_with_input(library.give_up)
    last = 0.0

    def told(part: float) -> None:
        nonlocal last
        if round(part, 2) != last:
            last = round(part, 2)
            jsonl_process.send({"event": "progress", "part": last})

    ending = request["ending"]
    if "form" in request:
        with memory_for(library, ending, f"making {ending} smaller", None):
            jsonl_process.send({"event": "finished", "sizes": library.compact(ending, told, request["form"])})
        return
    with memory_for(library, ending, f"verifying {ending}", None, library.table(ending).form == "lean"):
        result = library.verify(ending, request["samples"], progress=told)
    jsonl_process.send({"event": "finished", "found": asdict(result)})


if __name__ == "__main__":
    jsonl_process.serve(_serve)

"""Compacts and verifies tables in a process of its own.

So no screen waits for it, however large the table is, and it stops as soon as the input of the process is closed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any, Generic, TypeVar

from endgame_core import jsonl_process
from endgame_core.errors import EndgameError
from endgame_core.language import _
from endgame_core.tables.build import Work, memory_for
from endgame_core.tables.disk import Form
from endgame_core.tables.library import Library
from endgame_core.tables.verification import Verified, verify

_MODULE = "endgame_core.tables.table_task"


T = TypeVar("T")


class Task(Work, Generic[T]):
    """Work on one table with a result of type ``T``; see :func:`compacting` and :func:`verifying`.

    Args:
        library: The tables.
        ending: A built ending.
        what: The name of the work, for errors.
        options: Options for the process, besides game, tables and ending.
        parse: Returns the result, given the last message of the process.
    """

    def __init__(
        self, library: Library, ending: str, what: str, options: Mapping[str, Any], parse: Callable[[dict[str, Any]], T]
    ) -> None:
        super().__init__()
        self.library = library
        self.ending = ending
        self._what = what
        self._options = options
        self._parse = parse
        self.death_notice = (
            _("the {what} stopped unexpectedly").format(what=what),
            _("the table is unchanged; try again"),
        )
        self.cancel_notice = _("the {what} was cancelled").format(what=what), _("the table is unchanged")

    def run(self, on_progress: Callable[[float], None]) -> T:
        """Do the work (blocking); ``on_progress`` is called with the part done, 0 to 1.

        Raises:
            EndgameError: It failed like the method of the library, or was cancelled.
        """
        request = {
            "game": self.library.game.entry, "places": self.library.places, "ending": self.ending, **self._options,
        }  # fmt: skip
        last_message: dict[str, Any] = {}
        try:
            for message in self.messages(_MODULE, request):
                if message["event"] == "finished":
                    last_message = message
                else:
                    on_progress(message["part"])
        except OSError as error:
            raise EndgameError(
                _("the {what} could not run ({error})").format(what=self._what, error=error), _("try again")
            ) from None
        return self._parse(last_message)


def compacting(library: Library, ending: str, form: Form) -> Task[tuple[int, int]]:
    """A task that gives a table of the user another form; its result is the bytes before and after."""

    def parse(message: dict[str, Any]) -> tuple[int, int]:
        before, after = message["sizes"]
        return before, after

    return Task(library, ending, "compacting", {"form": form}, parse)


def verifying(library: Library, ending: str, samples: int = 1000) -> Task[Verified]:
    """A task that verifies a table with this number of random positions, see ``verification.py``."""

    def parse(message: dict[str, Any]) -> Verified:
        return Verified(**message["result"])

    return Task(library, ending, "verification", {"samples": samples}, parse)


def _serve(request: dict[str, Any]) -> None:
    library = Library.at(jsonl_process.load_object(request["game"]), request["places"])
    jsonl_process.end_with_input(library.locks.abandon)
    reported = 0.0

    def on_progress(part: float) -> None:
        nonlocal reported
        percent = round(part, 2)
        if percent != reported:
            reported = percent
            jsonl_process.send({"event": "progress", "part": percent})

    ending = request["ending"]
    if "form" in request:
        with memory_for(library, ending, _("compacting {ending}").format(ending=ending), None):
            sizes = library.disk.compact(ending, on_progress, request["form"])
        jsonl_process.send({"event": "finished", "sizes": sizes})
        return

    derives = library.table(ending).form == "lean"
    with memory_for(library, ending, _("verifying {ending}").format(ending=ending), None, derives):
        result = verify(library, ending, request["samples"], progress=on_progress)
    jsonl_process.send({"event": "finished", "result": asdict(result)})


if __name__ == "__main__":
    jsonl_process.serve(_serve)

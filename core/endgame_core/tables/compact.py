"""Verifies a table, or makes it smaller for good, in a process of its own: what derives a side to move is compiled.

So no screen waits for it, however large the table is, and it is stopped by closing the input of the process.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any, Generic, TypeVar

from endgame_core import child
from endgame_core.errors import EndgameError
from endgame_core.tables.build import Work, sparing
from endgame_core.tables.library import Form, Library, Verified

_MODULE = "endgame_core.tables.compact"


T = TypeVar("T")


class Task(Work, Generic[T]):
    """Work on one table, which comes to a ``T``.

    Args:
        library: The tables.
        ending: A built ending.
    """

    failed = ""
    """What is said where no process can be started."""

    def __init__(self, library: Library, ending: str) -> None:
        super().__init__()
        self.library, self.ending = library, ending

    def run(self, on_progress: Callable[[float], None]) -> T:
        """Does it (blocking); told the part done, 0 to 1, now and then. Raises where it is cancelled, too."""
        raise NotImplementedError

    def _result(self, wish: Mapping[str, Any], on_progress: Callable[[float], None]) -> dict[str, Any]:
        """What the process says last (blocking); raises EndgameError."""
        request = {"game": self.library.game.entry, "places": self.library.places, "ending": self.ending, **wish}
        found: dict[str, Any] = {}
        try:
            for message in self.told(_MODULE, request):
                if message["event"] == "finished":
                    found = message
                else:
                    on_progress(message["part"])
        except OSError as error:
            raise EndgameError(f"{self.failed} ({error})", "try again") from None
        return found


class Compact(Task[tuple[int, int]]):
    """Gives a table of the user another form.

    Args:
        library: The tables.
        ending: A built ending.
        form: The form, one of :meth:`Library.forms`.
    """

    died = "the compacting ended early", "the table is as it was; try again"
    stopped = "the compacting was cancelled", "the table is as it was"
    failed = "the compacting could not run"

    def __init__(self, library: Library, ending: str, form: Form) -> None:
        super().__init__(library, ending)
        self.form = form

    def run(self, on_progress: Callable[[float], None]) -> tuple[int, int]:
        """Writes the table anew (blocking); bytes before and after; raises as :meth:`Library.compact`."""
        before, after = self._result({"form": self.form}, on_progress)["sizes"]
        return before, after


class Verify(Task[Verified]):
    """Proves a table: see :meth:`Library.verify`.

    Args:
        library: The tables.
        ending: A built ending.
        samples: Positions to compare.
    """

    died = "the verification ended early", "try again"
    stopped = "the verification was cancelled", "the table is as it was"
    failed = "the verification could not run"

    def __init__(self, library: Library, ending: str, samples: int = 1000) -> None:
        super().__init__(library, ending)
        self.samples = samples

    def run(self, on_progress: Callable[[float], None]) -> Verified:
        """What it has found (blocking); raises as :meth:`Library.verify`, and where it is cancelled."""
        return Verified(**self._result({"samples": self.samples}, on_progress)["found"])


def _serve(request: dict[str, Any]) -> None:
    library = Library.at(child.loaded(request["game"]), request["places"])
    threading.Thread(target=_watch, args=(library,), daemon=True).start()
    last = 0.0

    def told(part: float) -> None:
        nonlocal last
        if round(part, 2) != last:
            last = round(part, 2)
            child.say({"event": "progress", "part": last})

    ending = request["ending"]
    if "form" in request:
        with sparing(library, ending, f"making {ending} smaller", None):
            child.say({"event": "finished", "sizes": library.compact(ending, told, request["form"])})
        return
    with sparing(library, ending, f"verifying {ending}", None, library.table(ending).form == "lean"):
        found = library.verify(ending, request["samples"], progress=told)
    child.say({"event": "finished", "found": asdict(found)})


def _watch(library: Library) -> None:
    """Ends the process when the input closes, and leaves nothing half written."""
    for _ in child.heard():
        pass
    library.locks.release()
    library.sweep()
    os._exit(3)


if __name__ == "__main__":
    child.serve(_serve)

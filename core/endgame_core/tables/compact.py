"""Makes a table smaller for good, in a process of its own: what derives a side to move is compiled."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import Any

from endgame_core import child
from endgame_core.errors import EndgameError
from endgame_core.tables.build import Work
from endgame_core.tables.library import Form, Library

_MODULE = "endgame_core.tables.compact"


class Compact(Work):
    """Gives a table of the user another form.

    Args:
        library: The tables.
        ending: A built ending.
        form: The form, one of :meth:`Library.forms`.
    """

    died = "the compacting ended early", "the table is as it was; try again"
    stopped = "the compacting was cancelled", "the table is as it was"

    def __init__(self, library: Library, ending: str, form: Form) -> None:
        super().__init__()
        self.library, self.ending, self.form = library, ending, form

    def run(self, on_progress: Callable[[float], None]) -> tuple[int, int]:
        """Writes the table anew (blocking); bytes before and after; raises as :meth:`Library.compact`."""
        request = {
            "game": self.library.game.entry, "places": self.library.places, "ending": self.ending, "form": self.form,
        }  # fmt: skip
        sizes = 0, 0
        try:
            for message in self.told(_MODULE, request, "compacted"):
                if message["event"] == "compacted":
                    sizes = message["before"], message["after"]
                else:
                    on_progress(message["part"])
        except OSError as error:
            raise EndgameError(f"the compacting could not run ({error})", "try again") from None
        return sizes


def _serve(request: dict[str, Any]) -> None:
    library = Library.at(child.loaded(request["game"]), request["places"])
    threading.Thread(target=_watch, args=(library,), daemon=True).start()

    def told(part: float) -> None:
        child.say({"event": "progress", "part": round(part, 3)})

    before, after = library.compact(request["ending"], told, request["form"])
    child.say({"event": "compacted", "before": before, "after": after})


def _watch(library: Library) -> None:
    """Ends the process when the input closes, and leaves nothing half written."""
    for _ in child.heard():
        pass
    library.locks.release()
    library.sweep()
    os._exit(3)


if __name__ == "__main__":
    child.serve(_serve)

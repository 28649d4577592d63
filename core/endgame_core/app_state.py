"""What the program remembers from one run to the next: where the user was, what was typed, what was left open.

What a user chooses for good stands in the settings instead (:mod:`endgame_core.settings`).
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from endgame_core.errors import EndgameError
from endgame_core.untrusted import open_regular, read_json

_VERSION: Final = 1
_MAX_BYTES: Final = 1 << 20
"""Bytes of a file that may be ours."""

MAX_RECENT: Final = 50
"""How much is remembered of what was typed at one prompt."""


class AppState:
    """What is remembered, as JSON values by name. A damaged file is as none, but for its problem.

    Args:
        file: Where it is kept; None remembers nothing beyond this run.
    """

    def __init__(self, file: Path | None = None) -> None:
        self._file = file
        self._values: dict[str, Any] = {}
        self._saved_text = ""
        self.problem: EndgameError | None = None
        """What was wrong with the file, if anything was."""
        self.is_new = False
        """Whether the program has never run before, with this data directory."""
        self.on_change: Callable[[], object] = lambda: None
        """Called when there is something new to write."""
        if file is not None:
            self._read(file)

    @property
    def is_persistent(self) -> bool:
        """Whether it is kept beyond this run."""
        return self._file is not None

    def _read(self, file: Path) -> None:
        try:
            with open_regular(file) as stream:
                result = read_json(stream.read(_MAX_BYTES))
            if not isinstance(result, dict) or result.pop("version", None) != _VERSION:
                raise EndgameError("it is of another version")
        except FileNotFoundError:
            self.is_new = True
        except (OSError, EndgameError) as problem:
            reason = problem.strerror if isinstance(problem, OSError) else problem.what
            self.problem = EndgameError(f"{file.name} cannot be read ({reason})", "the app starts on its first screen")
        else:
            self._values = result

    def get(self, kind: type[Any], *names: str) -> Any:
        """What is remembered by some names, the later ones within what the first ones name; None where that is nothing.

        Args:
            kind: Of which type it has to be: what is of another one was not written by us.
            names: One name or more.
        """
        result: Any = self._values
        for name in names:
            result = result.get(name) if isinstance(result, dict) else None
        return result if isinstance(result, kind) else None

    def note(self, value: Any, *names: str) -> None:
        """Remembers a value by some names, the newest last; None forgets it."""
        place: Any = self._values
        for name in names[:-1]:
            if not isinstance(place.get(name), dict):
                place[name] = {}
            place = place[name]
        if place.get(names[-1]) == value:
            return
        place.pop(names[-1], None)
        if value is not None:
            place[names[-1]] = value
        self.on_change()

    def add(self, text: str, *names: str) -> None:
        """Puts a text before all others that were remembered there."""
        self.note([text, *(one for one in self.texts(*names) if one != text)][:MAX_RECENT], *names)

    def texts(self, *names: str) -> Sequence[str]:
        """The texts that are remembered there, the newest first."""
        return [one for one in self.get(list, *names) or () if isinstance(one, str)]

    def write(self) -> None:
        """Writes it, whole or not at all, if it has changed; where it cannot be written, nobody need know."""
        text = json.dumps({"version": _VERSION, **self._values}, ensure_ascii=False)
        if self._file is None or text == self._saved_text:
            return
        part = self._file.with_name(f".{self._file.name}.{os.getpid()}.part")
        with suppress(OSError):
            self._file.parent.mkdir(parents=True, exist_ok=True)
            part.write_bytes(text.encode("utf-8", "replace"))
            part.replace(self._file)
            self._saved_text = text

"""State that the program remembers between runs: the last screen, typed texts, unfinished games and drills.

Choices that the user makes permanently are settings instead (:mod:`endgame_core.settings`).
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from endgame_core.errors import EndgameError, system_reason
from endgame_core.language import _
from endgame_core.untrusted import open_regular, read_json

_VERSION: Final = 1
_MAX_BYTES: Final = 1 << 20
"""Largest size of a file that may be ours."""

MAX_RECENT: Final = 50
"""Number of texts remembered per prompt."""


class AppState:
    """A store of JSON values by name, kept in a file. A damaged file counts as empty and sets :attr:`problem`.

    Args:
        file: The file; None remembers nothing beyond this run.
    """

    def __init__(self, file: Path | None = None) -> None:
        self._file = file
        self._values: dict[str, Any] = {}
        self._saved_text = ""
        self.problem: EndgameError | None = None
        """The problem with the file, if there is one."""
        self.is_new = False
        """Whether this is the first run with this data directory."""
        self.on_change: Callable[[], object] = lambda: None
        """Called when there is something new to write."""
        if file is not None:
            self._read(file)

    @property
    def is_persistent(self) -> bool:
        """Whether the state is kept beyond this run."""
        return self._file is not None

    def _read(self, file: Path) -> None:
        try:
            with open_regular(file) as stream:
                # A longer file is cut here and so is no JSON.
                result = read_json(stream.read(_MAX_BYTES))
            if not isinstance(result, dict) or result.pop("version", None) != _VERSION:
                raise EndgameError(_("it was written by a different version"))
        except FileNotFoundError:
            self.is_new = True
        except (OSError, EndgameError) as problem:
            if isinstance(problem, OSError):
                reason = system_reason(problem)
            else:
                reason = problem.what
            self.problem = EndgameError(
                _("{file} cannot be read ({reason})").format(file=file.name, reason=reason),
                _("the app starts on its first screen"),
            )
        else:
            self._values = result

    def get(self, kind: type[Any], *names: str) -> Any:
        """Return the value at a path of names; None if there is none of that type.

        Args:
            kind: Type of the value; a value of another type was not written by us and is ignored.
            names: One name or more; each names a value within that of the previous one.
        """
        result: Any = self._values
        for name in names:
            if isinstance(result, dict):
                result = result.get(name)
            else:
                result = None
        if isinstance(result, kind):
            return result
        return None

    def note(self, value: Any, *names: str) -> None:
        """Store a value at a path of names, as the newest; None deletes it."""
        # What a path leads through becomes a dict, whatever was stored there.
        place: Any = self._values
        for name in names[:-1]:
            if not isinstance(place.get(name), dict):
                place[name] = {}
            place = place[name]
        if place.get(names[-1]) == value:
            return
        # Removed first, so that it goes to the end: a dict keeps its order, and the newest is last.
        place.pop(names[-1], None)
        if value is not None:
            place[names[-1]] = value
        self.on_change()

    def add(self, text: str, *names: str) -> None:
        """Put a text before all others in the list at a path of names."""
        older = [other for other in self.texts(*names) if other != text]
        self.note([text, *older][:MAX_RECENT], *names)

    def texts(self, *names: str) -> Sequence[str]:
        """Return the texts in the list at a path of names, newest first."""
        return [text for text in self.get(list, *names) or () if isinstance(text, str)]

    def write(self) -> None:
        """Write the file atomically if anything changed; write errors are ignored."""
        text = json.dumps({"version": _VERSION, **self._values}, ensure_ascii=False)
        if self._file is None or text == self._saved_text:
            return
        # With the pid: two processes may write at the same time.
        part = self._file.with_name(f".{self._file.name}.{os.getpid()}.part")
        with suppress(OSError):
            self._file.parent.mkdir(parents=True, exist_ok=True)
            part.write_bytes(text.encode("utf-8", "replace"))
            part.replace(self._file)
            self._saved_text = text

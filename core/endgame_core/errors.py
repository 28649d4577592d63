"""Every error a user can meet: what was wrong, and what to do next."""

from __future__ import annotations

import re
from typing import Final

MAX_QUOTE: Final = 60
"""So much an error quotes at most of what it complains about."""


def shorten(text: str) -> str:
    """The beginning of a text that is too long to be quoted."""
    return text if len(text) <= MAX_QUOTE else f"{text[: MAX_QUOTE - 1]}…"


def format_size(count: int) -> str:
    """Bytes in words, as the command line has them: ``310 B``, ``7.5 KB``, ``437 KB``, ``1.3 MB``, ``4.0 GB``."""
    for unit, name in ((1_000_000_000, "GB"), (1_000_000, "MB"), (1000, "KB")):
        if count >= unit:
            value = count / unit
            return f"{value:.1f} {name}" if value < 10 else f"{value:.0f} {name}"
    return f"{count} B"


def format_memory(count: float) -> str:
    """Bytes of memory, of which what is needed is held against what there is: gigabytes with tenths."""
    return f"{count / 1e9:.1f} GB" if count >= 1e9 else format_size(int(count))


_LONG_WORD: Final = re.compile(rf"[^\s/]{{{MAX_QUOTE + 1},}}")
"""A word that nobody has written here; of a path only its names count."""


class EndgameError(Exception):
    """Base of all errors meant for a user's eyes.

    Args:
        what: One clause saying what was wrong, without a full stop.
        then: One clause saying what to do next, without a full stop; may be empty.
    """

    def __init__(self, what: str, then: str = "") -> None:
        what = _LONG_WORD.sub(lambda word: shorten(word[0]), what)
        super().__init__(f"{what}; {then}." if then else f"{what}.")
        self.what = what
        self.then = then


class PositionError(EndgameError):
    """A position or move that cannot be read or cannot occur."""


class EndingError(EndgameError):
    """A name that is no ending, or an ending that cannot be built."""


class NotBuiltError(EndgameError):
    """A position whose table has not been built yet."""

    def __init__(self, ending: str, then: str | None = None, by: str = "") -> None:
        name, option = (f"{ending} by {by.upper()}", f" --metric {by}") if by else (ending, "")
        super().__init__(f"{name} is not built", f"run: endgame-tui build {ending}{option}" if then is None else then)
        self.ending = ending


class MissingError(EndgameError):
    """A table that a value needs and that is not there.

    Args:
        ending: The ending it is of.
        name: The table as its user knows it, such as the name of a file.
        then: One clause saying what to do next.
        line: The moves after which it is needed, as people write them.
        state: What is the matter with it.
    """

    def __init__(
        self, ending: str, name: str, then: str = "", line: tuple[str, ...] = (), state: str = "is not there"
    ) -> None:
        super().__init__(f"{name} is needed after {' '.join(line)} and {state}" if line else f"{name} {state}", then)
        self.ending = ending
        self.name = name
        self.line = line
        self.state = state

    def after(self, move: str) -> MissingError:
        """The same, told from before a move."""
        return MissingError(self.ending, self.name, self.then, (move, *self.line), self.state)


class LayerError(EndgameError):
    """A layer, or a place in a layer, that does not exist."""


class TableError(EndgameError):
    """A table file that is unreadable, truncated or corrupt."""


class ProofError(EndgameError):
    """A new table that is wrong, and is therefore not published.

    Args:
        ending: The ending it is of.
        why: What is wrong with it, one clause.
        kept: The file that it was moved to; empty where it was not.
    """

    def __init__(self, ending: str, reason: str, moved_to: str = "") -> None:
        then = "please report this, with the command"
        if moved_to:
            then += f" and the file {moved_to}"
        super().__init__(f"the new table of {ending} is wrong ({reason}), so it was not published", then)
        self.ending = ending
        self.reason = reason


class ArchiveError(EndgameError):
    """A layers archive that cannot be read, contradicts itself, or breaks the rules."""


class StudyError(EndgameError):
    """A study, or a set of studies, that is not there, cannot be read, or cannot be changed."""


class StorageError(EndgameError):
    """The disk is full, or a directory cannot be written."""


class BusyError(EndgameError):
    """Another process is building in the same data directory."""


class WorkerDiedError(EndgameError):
    """A process that worked for this one ended early: it was killed, or ran out of memory."""


class WorkFileError(StorageError):
    """The work file of a build was damaged while it was in use; it has been deleted."""


class InterruptedByUserError(EndgameError):
    """The user pressed Ctrl-C."""

    def __init__(self, what: str = "interrupted", then: str = "") -> None:
        super().__init__(what, then)


class BuildCancelledError(EndgameError):
    """The user cancelled a build, or other work on a table."""

    def __init__(self, what: str = "the build was cancelled", then: str = "finished tables are kept") -> None:
        super().__init__(what, then)

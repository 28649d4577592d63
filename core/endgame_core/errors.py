"""All errors that a user can meet; each says what is wrong and what to do next."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Final

from endgame_core.language import N_, _, decimal

if TYPE_CHECKING:
    from pathlib import Path

MAX_QUOTE: Final = 60
"""Longest quotation in an error message, in characters."""


def shorten(text: str) -> str:
    """Return a text cut to a length that can be quoted."""
    if len(text) <= MAX_QUOTE:
        return text
    return f"{text[: MAX_QUOTE - 1]}…"


def format_size(count: int) -> str:
    """Format a number of bytes: ``310 B``, ``7.5 KB``, ``437 KB``, ``1.3 MB``, ``4.0 GB``."""
    for unit, name in ((1_000_000_000, "GB"), (1_000_000, "MB"), (1000, "KB")):
        if count >= unit:
            value = count / unit
            if value < 10:
                return f"{decimal(value)} {name}"
            return f"{value:.0f} {name}"
    return f"{count} B"


def format_memory(count: float) -> str:
    """Format bytes of memory, with tenths of gigabytes so that required and available memory can be compared."""
    if count >= 1e9:
        return _("{count} GB").format(count=decimal(count / 1e9))
    return format_size(int(count))


def format_required_memory(count: float) -> str:
    """Format bytes of required memory, rounded up, so that the printed number is enough."""
    unit = 1e8 if count >= 1e9 else 1e6
    return format_memory(math.ceil(count / unit) * unit)


_SYSTEM_REASONS: Final = (
    N_("No such file or directory"),
    N_("Permission denied"),
    N_("Operation not permitted"),
    N_("Is a directory"),
    N_("Not a directory"),
    N_("File exists"),
    N_("File name too long"),
    N_("No space left on device"),
    N_("Read-only file system"),
    N_("Input/output error"),
    N_("Too many open files"),
    N_("Connection refused"),
)
"""The reasons of operating systems that are translated."""


def system_reason(error: BaseException) -> str:
    """Return why the operating system failed, in the language in use where it is one of the common reasons."""
    return _(getattr(error, "strerror", None) or "") or str(error)


_LONG_WORD: Final = re.compile(rf"[^\s/]{{{MAX_QUOTE + 1},}}")
"""A word too long to have been written in this program; in a path each name counts separately."""


class EndgameError(Exception):
    """Base class of all errors that are shown to the user.

    Args:
        what: One clause that says what is wrong, without a full stop.
        then: One clause that says what to do next, without a full stop, or a question; may be empty.
    """

    def __init__(self, what: str, then: str = "") -> None:
        what = _LONG_WORD.sub(lambda word: shorten(word[0]), what)
        if not then:
            message = f"{what}."
        elif then.endswith("?"):
            message = f"{what}; {then}"
        else:
            message = f"{what}; {then}."
        super().__init__(message)
        self.what = what
        self.then = then


class PositionError(EndgameError):
    """A position or move that cannot be read or is illegal."""


class EndingError(EndgameError):
    """A name that is not an ending, or an ending that cannot be built."""


class NotBuiltError(EndgameError):
    """The table of a position is not built."""

    def __init__(self, ending: str, then: str | None = None, by: str = "") -> None:
        if by:
            name = _("{ending} by {by}").format(ending=ending, by=by.upper())
            option = f" --metric {by}"
        else:
            name = ending
            option = ""
        if then is None:
            advice = _("run: endgame-tui build {ending}{option}").format(ending=ending, option=option)
        else:
            advice = then
        super().__init__(
            _("{name} is not built").format(name=name),
            advice,
        )
        self.ending = ending


class MissingError(EndgameError):
    """A table that a value requires is missing.

    Args:
        ending: Its ending.
        name: The table as the user knows it, e.g. a file name.
        then: One clause that says what to do next.
        line: The moves in SAN after which the table is needed.
        state: Why it cannot be used.
    """

    def __init__(
        self, ending: str, name: str, then: str = "", line: tuple[str, ...] = (), state: str = _("is missing")
    ) -> None:
        what = f"{name} {state}"
        if line:
            what = _("{name} is needed after {line} but {state}").format(name=name, line=" ".join(line), state=state)
        super().__init__(what, then)
        self.ending = ending
        self.name = name
        self.line = line
        self.state = state

    def after(self, move: str) -> MissingError:
        """Return the same error as seen from the position before a move."""
        return MissingError(self.ending, self.name, self.then, (move, *self.line), self.state)


class LayerError(EndgameError):
    """A layer, or a position in a layer, that does not exist."""


class TableError(EndgameError):
    """A table file that is unreadable, truncated or corrupt.

    Args:
        what: As in every error.
        then: As in every error.
        file: The path of the file at fault, also across processes; None where the message blames no single file.
        problem: What is wrong with the file, without its name.
    """

    def __init__(self, what: str, then: str = "", file: str | None = None, problem: str = "") -> None:
        super().__init__(what, then)
        self.file = file
        self.problem = problem

    @classmethod
    def of_file(cls, file: Path, problem: str, then: str) -> TableError:
        """Return the error that blames a file, e.g. with the problem "is truncated"."""
        what = _("the table {path} {problem}").format(path=file.name, problem=problem)
        return cls(what, then, str(file), problem)


class ProofError(EndgameError):
    """A new table that failed verification and is therefore not published.

    Args:
        ending: Its ending.
        reason: The damage, one clause.
        moved_to: The file that it was moved to; empty if it was not moved.
    """

    def __init__(self, ending: str, reason: str, moved_to: str = "") -> None:
        then = _("please report this and include the command")
        if moved_to:
            then += _(" and the file {moved_to}").format(moved_to=moved_to)
        super().__init__(
            _("the new table of {ending} is wrong ({reason}), so it was not added to your tables").format(
                ending=ending, reason=reason
            ),
            then,
        )
        self.ending = ending
        self.reason = reason


class ArchiveError(EndgameError):
    """A layers archive that cannot be read, contradicts itself, or violates the format."""


class StudyError(EndgameError):
    """A study or a set of studies that does not exist, or cannot be read or changed."""


class StorageError(EndgameError):
    """The disk is full, or a directory is not writable."""


class BusyError(EndgameError):
    """Another process is building in the same data directory."""


class WorkerDiedError(EndgameError):
    """A worker process ended early: it was killed, or ran out of memory."""


class WorkFileError(StorageError):
    """The checkpoint of a build was damaged while in use; it has been deleted."""


class InterruptedByUserError(EndgameError):
    """The user pressed Ctrl-C."""

    def __init__(self, what: str = _("interrupted"), then: str = "") -> None:
        super().__init__(what, then)


class BuildCancelledError(EndgameError):
    """The user cancelled a build or another task on a table."""

    def __init__(self, what: str = _("the build was cancelled"), then: str = _("finished tables are kept")) -> None:
        super().__init__(what, then)

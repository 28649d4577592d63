"""Collections of positions: a text file with one of them in each line, in any notation, and a note after ``;``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from endgame_core.collected import Record
from endgame_core.errors import EndgameError, StudyError
from endgame_core.morris.game import MORRIS
from endgame_core.morris.texts import parse

_SHOWN = 80


def read(path: Path) -> Iterator[Record]:
    """Reads a file of positions; every line that is not blank becomes a record, good or bad.

    Raises:
        StudyError: The file cannot be read at all.
    """
    try:
        text = path.read_text("utf-8-sig", errors="replace")
    except OSError as error:
        raise StudyError(
            f"{path} cannot be read ({error.strerror})", "name a file with a position in each line"
        ) from None
    return (
        _record(line, f"line {number}", path.name) for number, line in enumerate(text.splitlines(), 1) if line.strip()
    )


def _record(line: str, where: str, file: str) -> Record:
    position, _, note = line.partition(";")
    shown = " ".join(line.split())[:_SHOWN]
    try:
        found = MORRIS.format(parse(position))
    except EndgameError as error:
        return Record(where, shown, error.what)
    return Record(where, shown, position=found, note=note.strip(), source=f"{file}, {where}")

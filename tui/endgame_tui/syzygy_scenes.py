"""The Syzygy files as rows, and what is missing among them, in words. No Textual here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from endgame_core.chess.syzygy.blocks import AGAIN
from endgame_core.chess.syzygy.files import SyzygyTable, missing
from endgame_core.errors import EndgameError
from endgame_core.words.numbers import count, size
from endgame_tui.widgets.files import FileRow

SPARE = "They are not needed: our own tables by DTZ (z in the Library) tell the same."

NONE = (
    "No Syzygy files are named. Start with --syzygy DIR, set SYZYGY_PATH, or write a line "
    f'syzygy = "DIR" into settings.toml in the data directory. {SPARE}'
)


def unread(problem: str) -> str:
    """Why a directory that is named is not used."""
    return f"{problem[:1].upper()}{problem[1:]} {SPARE}"


def short(problem: EndgameError) -> EndgameError:
    """What is wrong with a file, without the sums, and that it is not read any more."""
    what, _, _ = problem.what.partition(": ")
    return EndgameError(f"{what}: it is left out" if problem.then == AGAIN else what, problem.then)


def rows(tables: Sequence[SyzygyTable], sound: Mapping[str, bool], checking: str | None) -> tuple[FileRow, ...]:
    """One row for each ending.

    Args:
        tables: The endings.
        sound: What checking has found.
        checking: The ending being checked.
    """
    by_name = {table.ending: table for table in tables}
    return tuple(
        FileRow(
            table.ending,
            table.wdl.size if table.wdl else None,
            table.dtz.size if table.dtz else None,
            sound.get(table.ending),
            bool(missing(table, by_name)),
            table.ending == checking,
        )
        for table in tables
    )


def summary(tables: Sequence[SyzygyTable]) -> tuple[str, str, str]:
    """How many endings, files and bytes, and where."""
    files = [file for table in tables for file in table.files]
    if not files:
        return "0", " endings with Syzygy files", ""
    return (
        str(len(tables)),
        f" {'ending' if len(tables) == 1 else 'endings'} with Syzygy files",
        f"{count(len(files), 'file', 'files')}, {size(sum(file.size for file in files))} in {directories(tables)}",
    )


def directories(tables: Sequence[SyzygyTable]) -> str:
    """Where the files are."""
    return ", ".join(dict.fromkeys(str(file.path.parent) for table in tables for file in table.files))

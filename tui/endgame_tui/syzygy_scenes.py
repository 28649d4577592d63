"""The Syzygy files as rows, and what is missing among them, in words. No Textual here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from endgame_core.chess import material
from endgame_core.chess.syzygy_files import SyzygyTable
from endgame_core.errors import EndgameError
from endgame_tui.widgets.files import FileRow
from endgame_tui.wording import count, size

NONE = (
    "No Syzygy files are named. Start with --syzygy DIR, set SYZYGY_PATH, or write a line "
    'syzygy = "DIR" into settings.toml. They are not needed: our own tables by DTZ (z in the Library) tell the same.'
)


def missing(table: SyzygyTable, tables: Mapping[str, SyzygyTable]) -> list[str]:
    """What is not there and what it is needed for, a sentence each.

    Args:
        table: An ending.
        tables: All that there are, by the names of their endings.
    """
    ending = table.ending
    found: list[str] = []
    if table.wdl is None:
        found.append(f"{ending}.rtbw is not there: nothing can be told of {ending} without it.")
    if table.dtz is None:
        found.append(f"{ending}.rtbz is not there: DTZ of {ending} needs it.")
    for need in _needs(ending):
        other = tables.get(need)
        names = [f"{need}.{suffix}" for suffix, file in (("rtbw", other and other.wdl), ("rtbz", other and other.dtz))
                 if file is None]  # fmt: skip
        if names:
            are = "is" if len(names) == 1 else "are"
            found.append(f"{' and '.join(names)} {are} not there: {ending} needs {need} after {_change(ending, need)}.")
    return found


def _needs(ending: str) -> Sequence[str]:
    """The endings one capture or promotion away; none for more men than we know."""
    try:
        return material.needs(material.parse_material(ending)[0])
    except EndgameError:
        return ()


def _change(ending: str, need: str) -> str:
    return "a capture" if material.men_count(need) < material.men_count(ending) else "a promotion"


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
    """How many endings, files and bytes."""
    files = [file for table in tables for file in table.files]
    return (
        str(len(tables)),
        " endings with Syzygy files",
        f"{count(len(files), 'file', 'files')}, " + size(sum(file.size for file in files)),
    )

"""The user's Syzygy files, one ending in a row: size of each file, and whether it is whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from textual.strip import Strip

from endgame_core.chess.syzygy.files import SyzygyTable, missing
from endgame_core.words.numbers import size
from endgame_tui.widgets.canvas import Row
from endgame_tui.widgets.panel import RowsPanel

_WDL, _DTZ, _STATE = 18, 28, 30
"""Right ends of the sizes, and where the state begins."""


@dataclass(frozen=True, slots=True)
class FileRow:
    """An ending.

    Attributes:
        ending: Its name.
        wdl: Bytes of the win/draw/loss file, None where it is missing.
        dtz: Bytes of the DTZ file, None where it is missing.
        sound: Whether the checksums are right; None before they are checked.
        missing: Whether something is missing, here or after a move.
        checking: Whether it is being checked.
    """

    ending: str
    wdl: int | None
    dtz: int | None
    sound: bool | None = None
    missing: bool = False
    checking: bool = False


class FilesPanel(RowsPanel[tuple[FileRow, ...]]):
    """The endings that have files."""

    title: str = "Syzygy files"

    @property
    def count(self) -> int:
        """Endings."""
        return len(self.view)

    def head(self) -> Row:
        """The headings of the columns."""
        pen = self.look.palette
        row = self.row().to(1).put("Ending", pen.title(True) if self.has_focus else pen("dim"))
        row.put(self.hidden(), pen("faint"))
        row.right("WDL", pen("dim"), _WDL).right("DTZ", pen("dim"), _DTZ)
        return row.to(_STATE).put("checksum", pen("dim"))

    def item(self, number: int, here: bool) -> Strip:
        """Name, sizes, state."""
        pen, glyphs, width = self.look.palette, self.look.glyphs, self.size.width
        file = self.view[number]
        ground = "selected" if here else "ground"
        row = self.row(ground).put(glyphs.pointer if here else " ", pen("amber", ground))
        row.put(file.ending, self.ink("text", here))
        for bytes_, end in ((file.wdl, _WDL), (file.dtz, _DTZ)):
            words = "missing" if bytes_ is None else size(bytes_)
            row.right(words, pen("loss" if bytes_ is None else "text", ground), end)
        sign, words, role = glyphs.nothing, "", "faint"
        if file.checking:
            sign, words, role = glyphs.pointer, "", "amber"
        elif file.sound is not None:
            sign, words, role = (glyphs.check, "right", "win") if file.sound else (glyphs.cross, "wrong", "loss")
        row.to(_STATE).put(sign, pen(role, ground)).put(f" {words}", pen("text", ground))
        if file.missing and width >= _STATE + 18:
            row.to(_STATE + 8).put("incomplete", pen("dim", ground))
        return row.strip(width)


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

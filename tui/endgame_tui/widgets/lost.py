"""Plies lost a drill, as columns: the last drills, newest at the right.

Heights grow with the square root, so that one drill that went badly wrong does not flatten all others.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

from textual.strip import Strip

from endgame_tui.widgets.canvas import Row
from endgame_tui.widgets.panel import ColumnsPanel


@dataclass(frozen=True, slots=True)
class Column:
    """A drill: plies lost, and whether it was solved."""

    plies: int
    solved: bool


LostView = tuple[Column, ...]


class LostPanel(ColumnsPanel[LostView]):
    """A column for each drill; flat where nothing was lost, red where it was not solved."""

    title: str = "Plies lost a drill"

    @property
    def count(self) -> int:
        """Drills."""
        return len(self.view)

    def _first(self) -> int:
        """The first drill shown; that under the cursor is among them."""
        return min(max(self.count - self.size.width, 0), self.cursor)

    def item_at(self, x: int, y: int) -> int | None:
        """The drill whose column is drawn at a cell."""
        number = self._first() + x
        return number if 0 < y < self.size.height and number < self.count else None

    def draw(self) -> list[Strip]:
        """Title, columns, what they mean; without colours a row of crosses below drills not solved."""
        pen, glyphs, (width, height) = self.look.palette, self.look.glyphs, self.size
        first = self._first()
        shown = self.view[first : first + width]
        many = f"last {len(shown)} drills" if len(shown) > 1 else "last drill"
        strips = [self.heading(many if shown else "").strip(width)]
        signs = not pen.coloured
        legend = height >= 4 + signs
        rows = max(height - 1 - legend - signs, 1)
        most = max((column.plies for column in shown), default=0)
        for level in range(rows - 1, -1, -1):
            strips.append(self._level(shown, first, level, rows, max(most, 1)).strip(width))
        if signs:
            row = self.row()
            for column in shown:
                row.put(" " if column.solved else glyphs.cross, pen("loss"))
            strips.append(row.strip(width))
        if legend:
            strips.append(self._legend(most).strip(width))
        return strips

    def _level(self, shown: LostView, first: int, level: int, rows: int, most: int) -> Row:
        """One row of the columns; ``level`` counts from the lowest."""
        pen, glyphs = self.look.palette, self.look.glyphs
        row = self.row()
        for number, column in enumerate(shown, first):
            here = self.on_item(number)
            ground = "selected" if here else "ground"
            role = "amber" if here else "winner_bar" if column.solved else "loss"
            style = pen(role, ground, underline=here and not pen.coloured)
            eighths = 1 if not column.plies else max(round(8 * rows * sqrt(column.plies / most)), 2)
            filled = min(max(eighths - 8 * level, 0), 8)
            row.put(glyphs.levels[filled - 1] if glyphs.unicode and filled else _block(filled), style)
        return row

    def _legend(self, most: int) -> Row:
        pen, glyphs, width = self.look.palette, self.look.glyphs, self.size.width
        row = self.row().put("flat: perfect  ", pen("dim"))
        row.put("■" if pen.coloured and glyphs.unicode else glyphs.cross, pen("loss")).put(" not solved", pen("dim"))
        tallest = f"tallest {most}"
        if most and row.width + 2 + len(tallest) <= width:
            row.right(tallest, pen("dim"), width)
        return row


def _block(eighths: int) -> str:
    """A part of a column in ASCII."""
    return " " if not eighths else "_" if eighths == 1 else "." if eighths < 5 else "#"

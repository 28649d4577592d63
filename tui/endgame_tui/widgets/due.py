"""Due: how many themes are to be met today and on each of the next days."""

from __future__ import annotations

from dataclasses import dataclass

from textual.strip import Strip

from endgame_core.words.numbers import grouped
from endgame_tui.widgets.panel import ColumnsPanel


@dataclass(frozen=True, slots=True)
class DueDay:
    """A day: what it is called, and how many themes are due."""

    name: str
    themes: int


DueView = tuple[DueDay, ...]


class DuePanel(ColumnsPanel[DueView]):
    """A number over the name of each day; the first is now."""

    title: str = "Due"

    @property
    def count(self) -> int:
        """Days."""
        return len(self.view)

    def _cell(self) -> int:
        """Columns of one day."""
        return min(max(self.size.width // max(self.count, 1), 5), 8)

    def item_at(self, x: int, y: int) -> int | None:
        """The day drawn at a cell."""
        number = x // self._cell()
        return number if y > 0 and number < self.count else None

    def draw(self) -> list[Strip]:
        """The title, the numbers, the names."""
        pen, cell, width = self.look.palette, self._cell(), self.size.width
        numbers, names = self.row(), self.row()
        for at, day in enumerate(self.view):
            here = self.on_item(at)
            role = "amber" if at == 0 and day.themes else "text" if day.themes else "faint"
            ground = "selected" if here else "ground"
            bold = (at == 0 and day.themes > 0) or here
            count = pen("amber" if here else role, ground, bold=bold, underline=here and not pen.coloured)
            end = at * cell + 4
            if end <= width:
                numbers.to(at * cell).put(f"{grouped(day.themes):>4}", count)
                name = pen("amber" if here or role == "amber" else "dim", ground)
                names.to(at * cell).put(f"{day.name:>4}", name)
        return [self.heading().strip(width), numbers.strip(width), names.strip(width)]

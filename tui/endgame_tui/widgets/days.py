"""Days: how many drills on each day of the last weeks, by height."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rich.style import Style
from textual.binding import Binding, BindingType
from textual.strip import Strip

from endgame_core.words.numbers import grouped
from endgame_core.words.progress import WEEKDAYS
from endgame_tui.widgets.panel import Panel

STEPS = ((0, "none"), (1, "1–3"), (4, "4–6"), (7, "7+"))
"""Least number of drills for each height, and what the legend says."""

LEGEND = 9
"""Columns of the legend."""


def height_of(drills: int) -> int:
    """Which of the heights a number of drills has."""
    return sum(drills >= least for least, _ in STEPS) - 1


@dataclass(frozen=True, slots=True)
class DaysView:
    """What the panel shows.

    Attributes:
        drills: Drills of each day, the first a Monday.
        longest: The longest run of days with a drill.
        today: Whether the last day is today.
    """

    drills: tuple[int, ...] = ()
    longest: int = 0
    today: bool = True

    @property
    def weeks(self) -> int:
        """Weeks begun."""
        return -(-len(self.drills) // 7)


class DaysPanel(Panel[DaysView]):
    """A column for each week, a row for each day of the week."""

    title: str = "Days"

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "step(-1)", "Day before", show=False, id="days.up"),
        Binding("down,j", "step(1)", "Day after", show=False, id="days.down"),
        Binding("left,h", "step(-7)", "Week before", show=False, id="days.left"),
        Binding("right,l", "step(7)", "Week after", show=False, id="days.right"),
        Binding("home", "step(-999999)", "First day", show=False, id="days.home"),
        Binding("end", "step(999999)", "Today", show=False, id="days.end"),
    ]

    @property
    def count(self) -> int:
        """Days."""
        return len(self.view.drills)

    def _cell(self) -> int:
        """Columns a week takes, its gap included."""
        return 6 if self.size.width >= 50 else 4

    def shown_weeks(self, width: int) -> int:
        """Weeks a panel of this width has room for."""
        return max((width - 5 - LEGEND) // (6 if width >= 50 else 4), 1)

    def _first_week(self) -> int:
        """The first week shown; that of the cursor is among them."""
        newest = max(self.view.weeks - self.shown_weeks(self.size.width), 0)
        return min(newest, self.cursor // 7) if self.count else 0

    def item_at(self, x: int, y: int) -> int | None:
        """The day drawn at a cell."""
        week = self._first_week() + (x - 5) // self._cell()
        day = 7 * week + y - 1
        return day if x >= 5 and 0 < y < 8 and day < self.count else None

    def draw(self) -> list[Strip]:
        """The title, then a row for each day of the week, with the legend at the right end."""
        pen, width = self.look.palette, self.size.width
        strips = [self.heading(f"longest run {grouped(self.view.longest)}" if self.view.longest else "").strip(width)]
        first, cell = self._first_week(), self._cell()
        weeks = range(first, min(self.view.weeks, first + self.shown_weeks(width)))
        legend = 5 + self.shown_weeks(width) * cell
        for day, name in enumerate(WEEKDAYS):
            row = self.row().put(name, pen("dim"))
            for at, week in enumerate(weeks):
                number = 7 * week + day
                if number < self.count:
                    today = self.view.today and number == self.count - 1
                    glyphs = self._glyph(height_of(self.view.drills[number])) * (cell - 2)
                    row.to(5 + at * cell).put(glyphs, self._style(number, today, self.view.drills[number]))
            if day < len(STEPS):
                words = self.look.glyphs.plain(STEPS[day][1])
                row.to(legend).put(2 * self._glyph(day), pen("winner_bar" if day else "faint")).put(
                    f" {words}", pen("faint")
                )
            elif day == 5:
                row.to(legend).put(2 * self._glyph(1), pen("amber", bold=True)).put(" today", pen("faint"))
            strips.append(row.strip(width))
        return strips

    def _style(self, number: int, today: bool, drills: int) -> Style:
        pen = self.look.palette
        if self.on_item(number):
            return pen("amber", "selected", bold=True, underline=not pen.coloured)
        return pen("amber" if today else "winner_bar" if drills else "faint", bold=today)

    def _glyph(self, height: int) -> str:
        return "·▂▄▆"[height] if self.look.glyphs.unicode else ".-=#"[height]

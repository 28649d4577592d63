"""Solved, by ending: a bar, percents and the number of drills for each ending."""

from __future__ import annotations

from dataclasses import dataclass

from textual.strip import Strip

from endgame_core.words.numbers import grouped
from endgame_tui.widgets.canvas import Row
from endgame_tui.widgets.panel import RowsPanel

GOOD = 0.8
"""From this share on a bar is in the colour of success."""

BARS = 9
"""Where the bars begin."""


@dataclass(frozen=True, slots=True)
class SolvedRow:
    """An ending: drills, and how many of them were solved."""

    ending: str
    drills: int
    solved: int

    @property
    def share(self) -> float:
        """Part solved, 0 to 1."""
        return self.solved / self.drills if self.drills else 0.0


SolvedView = tuple[SolvedRow, ...]


class SolvedPanel(RowsPanel[SolvedView]):
    """Endings with bars."""

    title: str = "Solved, by ending"

    @property
    def count(self) -> int:
        """Endings."""
        return len(self.view)

    def head(self) -> Row:
        """The title, and what the last column counts."""
        return self.heading("drills")

    def item(self, number: int, here: bool) -> Strip:
        """Name, bar, percents, drills."""
        pen, glyphs, width = self.look.palette, self.look.glyphs, self.size.width
        solved = self.view[number]
        ground = "selected" if here and pen.coloured else "ground"
        row = self.row(ground).put(f"{solved.ending:<{BARS - 1}}", self.ink("text", here)).to(BARS - 1)
        drills = max(len(grouped(each.drills)) for each in self.view)
        end = width - max(drills + 3, 5) - 6
        role = "amber" if here else "win" if solved.share >= GOOD else "winner_bar"
        halves = round(2 * (end - BARS) * solved.share)
        full, half = glyphs.bar * (halves // 2), glyphs.half_bar if halves % 2 else ""
        if end - BARS >= 4:
            row.put(full + half, pen(role, ground))
            rest = end - row.width - 1
            if pen.coloured or not glyphs.unicode:
                rail = glyphs.bar if glyphs.unicode else glyphs.nothing
                row.put(rail * rest, pen("bar", ground) if pen.coloured else pen("faint", ground))
            else:
                row.put(glyphs.thin * rest, pen("faint", ground))
        ink = self.ink("text", here) if pen.coloured else pen("text")
        row.right(f"{100 * solved.share:.0f} %", ink, end + 5)
        row.right(grouped(solved.drills), pen("dim", ground), width)
        return row.strip(width)

"""Hardest: the themes with the smallest part solved, hardest first."""

from __future__ import annotations

from dataclasses import dataclass

from textual.strip import Strip

from endgame_core.words.numbers import grouped
from endgame_tui.widgets.canvas import Row
from endgame_tui.widgets.panel import RowsPanel


@dataclass(frozen=True, slots=True)
class ThemeRow:
    """A theme: its ending, its words, drills, and how many were solved."""

    ending: str
    label: str
    drills: int
    solved: int


HardestView = tuple[ThemeRow, ...]


class HardestPanel(RowsPanel[HardestView]):
    """Themes with *solved n of m*."""

    title: str = "Hardest"

    @property
    def count(self) -> int:
        """Themes."""
        return len(self.view)

    def head(self) -> Row:
        """The title, and what the numbers count."""
        return self.heading("solved")

    def item(self, number: int, here: bool) -> Strip:
        """Ending, theme, numbers."""
        pen, glyphs, width = self.look.palette, self.look.glyphs, self.size.width
        theme = self.view[number]
        ground = "selected" if here else "ground"
        row = self.row(ground).put(glyphs.pointer if here else " ", pen("amber", ground)).put(" ", pen("text", ground))
        row.put(theme.ending, pen("amber", ground) if here else pen("text")).to(10)
        solved = f"{grouped(theme.solved)} of {grouped(theme.drills)}"
        label = shortened(glyphs.plain(theme.label), width - max(row.width, 10) - len(solved) - 1, glyphs.more)
        row.put(label, pen("amber" if here else "dim", ground))
        row.right(solved, pen("text", ground, bold=here), width)
        return row.strip(width)


def shortened(words: str, space: int, more: str) -> str:
    """Words cut to a space, with an ellipsis where something is missing."""
    if len(words) <= space:
        return words
    return words[: max(space - len(more), 0)] + more if space > len(more) else ""

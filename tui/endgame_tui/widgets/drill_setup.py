"""How to drill: the mode and what goes with it, as rows of choices."""

from __future__ import annotations

from textual.reactive import reactive
from textual.strip import Strip

from endgame_core.words.told import Choices
from endgame_tui.widgets.canvas import Row
from endgame_tui.widgets.setup import SetupPanel

_VALUES = 9
"""Column where the values begin."""


class DrillSetup(SetupPanel):
    """Title and choices; where there is room all modes are named."""

    right: reactive[str] = reactive("", repaint=False)
    """Words at the right end of the title."""

    def watch_right(self) -> None:
        """Shows the words."""
        self.redraw()

    def draw(self) -> list[Strip]:
        """The title, a blank row, the choices."""
        pen, glyphs, width, view = self.look.palette, self.look.glyphs, self.size.width, self.view
        room = width - len(self.right) - 2 if self.right else width
        name = view.title if len(view.title) <= room else view.title[: max(room - len(glyphs.more), 0)] + glyphs.more
        title = self.row().put(name, pen.title(self.has_focus))
        title.right(glyphs.plain(self.right), pen("text"), width)
        rows = [title, self.row()]
        for number, choice in enumerate(view.rows):
            row = self._wide(choice, number) if number == 0 else None
            rows.append(row or self._choice(choice, number))
        return [row.strip(width) for row in rows]

    def _ink(self, number: int) -> str:
        """The role of a row's value: the one that left and right change is amber."""
        return "amber" if number == self.view.cursor else "text"

    def _choice(self, choice: Choices, number: int) -> Row:
        pen, glyphs, width = self.look.palette, self.look.glyphs, self.size.width
        here = number == self.view.cursor
        row = self.row().put(choice.label, pen("dim")).to(_VALUES)
        value = glyphs.plain(choice.options[choice.chosen])
        if here and len(choice.options) > 1:
            around = ("‹ ", " ›") if glyphs.unicode else ("< ", " >")
            value = f"{around[0]}{value}{around[1]}"
        row.put(value, pen(self._ink(number), bold=here))
        count = f"{choice.chosen + 1} of {len(choice.options)}"
        if len(choice.options) > 2 and here and row.width + 2 + len(count) <= width:
            row.right(count, pen("faint"), width)
        return row

    def _wide(self, choice: Choices, number: int) -> Row | None:
        """All options beside one another, or None where there is no room for them."""
        pen, glyphs, width = self.look.palette, self.look.glyphs, self.size.width
        options = [glyphs.plain(option) for option in choice.options]
        if _VALUES + sum(map(len, options)) + len(options) - 1 > width or len(options) < 2:
            return None
        gap = 2 if _VALUES + sum(map(len, options)) + 2 * (len(options) - 1) <= width else 1
        row = self.row().put(choice.label, pen("dim")).to(_VALUES)
        for at, option in enumerate(options):
            row.put(" " * gap if at else "", pen("text"))
            chosen = at == choice.chosen
            here = chosen and number == self.view.cursor
            row.put(option, pen("amber" if here else "text" if chosen else "dim", bold=chosen, underline=chosen))
        return row

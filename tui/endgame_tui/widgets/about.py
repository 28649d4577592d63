"""What is said about the item under the cursor: in one row, or beside a board."""

from __future__ import annotations

from dataclasses import dataclass

from textual.reactive import reactive
from textual.strip import Strip

from endgame_tui.widgets.canvas import Canvas
from endgame_tui.widgets.hardest import shortened
from endgame_tui.widgets.squares import SquaresView
from endgame_tui.widgets.stones import StonesView
from endgame_tui.widgets.welcome import wrapped


@dataclass(frozen=True, slots=True)
class AboutView:
    """What is said.

    Attributes:
        title: What it is about.
        lines: Facts.
        board: A position to show beside it.
        keys: What Enter and r do here; empty where they do nothing.
    """

    title: str = ""
    lines: tuple[str, ...] = ()
    board: SquaresView | StonesView | None = None
    keys: tuple[str, str] = ("", "")


class About(Canvas):
    """A title and facts; these stand side by side when it is one row high."""

    view: reactive[AboutView] = reactive(AboutView(), repaint=False)
    """What to show."""

    def draw(self) -> list[Strip]:
        """One row, or a row for each fact and key."""
        pen, glyphs, (width, height), view = self.look.palette, self.look.glyphs, self.size, self.view
        lines = [glyphs.plain(line) for line in view.lines]
        if height == 1:
            row = self.row().put(glyphs.plain(view.title), pen("text", bold=True))
            words = shortened(f" {glyphs.middle} ".join(lines), width - row.width - 2, glyphs.more)
            return [row.put(f"  {words}" if words else "", pen("dim")).strip(width)]
        rows = [self.row().put(shortened(glyphs.plain(view.title), width, glyphs.more), pen("text", bold=True))]
        for number, line in enumerate(lines):
            for piece in wrapped(line, width):
                rows.append(self.row().put(piece, pen("dim" if number or view.board is None else "text")))
        rows.append(self.row())
        for key, does in zip(("Enter", "r"), view.keys, strict=True):
            if does:
                rows.append(self.row().put(key, pen("text", bold=True)).put(f" {does}", pen("dim")))
        return [row.strip(width) for row in rows]

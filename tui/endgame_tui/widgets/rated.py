"""The moves by DTZ: one below the other, with DTM and DTZ after each, its category, and whether it zeroes the clock."""

from __future__ import annotations

from dataclasses import dataclass

from textual.strip import Strip

from endgame_tui.widgets.canvas import Row
from endgame_tui.widgets.old_moves import shortened
from endgame_tui.widgets.panel import RowsPanel

_DTM, _DTZ, _MARK = 12, 16, 17
"""Right ends of the numbers, and where the mark begins."""

ZEROING = "z"
"""Marks a move that sets the clock to 0."""


@dataclass(frozen=True, slots=True)
class RatedRow:
    """A move.

    Attributes:
        san: As people write it.
        zeroing: Whether it sets the clock to 0.
        dtm: DTM after it, as printed.
        dtz: DTZ after it, as printed.
        mark: The category for its mover in a character or two.
        role: Role of the category's colour.
        best: Whether it is as good as the best.
        words: The category in words.
    """

    san: str
    zeroing: bool
    dtm: str
    dtz: str
    mark: str
    role: str
    best: bool
    words: str = ""


@dataclass(frozen=True, slots=True)
class RatedView:
    """The moves, best first; or words in their place."""

    rows: tuple[RatedRow, ...] = ()
    notice: tuple[str, ...] = ()


class RatedPanel(RowsPanel[RatedView]):
    """All legal moves in the order in which the 50-move rule wants them."""

    title: str = "Moves"

    @property
    def count(self) -> int:
        """Moves."""
        return len(self.view.rows)

    def head(self) -> Row:
        """The title, and what the numbers are."""
        pen, width = self.look.palette, self.size.width
        if width < _DTM:
            return self.heading()
        row = self.row().put(self.title, pen.title(self.has_focus))
        row.put(self.hidden(), pen("faint"))
        if self.count:
            row.right("DTM", pen("dim"), _DTM).right("DTZ", pen("dim"), _DTZ)
        return row

    def draw(self) -> list[Strip]:
        """The moves, or the words in their place."""
        if self.view.rows:
            return super().draw()
        pen, width = self.look.palette, self.size.width
        words = [self.row().put(line, pen("dim")).strip(width) for line in self.view.notice]
        return [self.head().strip(width), *words]

    def item(self, number: int, here: bool) -> Strip:
        """Move, zeroing mark, DTM, DTZ, category."""
        pen, glyphs, width = self.look.palette, self.look.glyphs, self.size.width
        move = self.view.rows[number]
        ground = "selected" if here else "ground"
        row = self.row(ground)
        ink = self.ink("text" if move.best else "dim", here, bold=move.best)
        if width < _DTM:
            row.put(shortened(move.san, width), ink if here else pen(move.role, bold=move.best))
            return row.strip(width)
        row.put(glyphs.pointer if here else " ", pen("amber", ground))
        row.put(move.san, ink)
        if move.zeroing:
            row.to(8).put(ZEROING, pen("text", ground, bold=True))
        plain = pen("text" if move.best else "dim", ground)
        row.right(glyphs.plain(move.dtm), plain, _DTM).right(glyphs.plain(move.dtz), plain, _DTZ)
        mark = glyphs.plain(move.mark)
        if width >= _MARK + 3 + len(mark) + len(move.words):
            mark = f"{mark:<2} {move.words}"
        row.to(_MARK).put(mark, pen(move.role, ground, bold=True))
        return row.strip(width)

"""The layers of an ending as columns, and the window of them that is drilled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.events import Click
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip

from endgame_tui.widgets.canvas import Canvas, Row


@dataclass(frozen=True, slots=True)
class WindowView:
    """What the panel shows.

    Attributes:
        counts: Boards of each layer, the one nearest to the end first.
        names: The layers' names, ``S1``.
        low: Number of the first layer of the window.
        high: Number of the last one.
        right: Whose move it is in these layers.
        note: What is shown instead when there are no layers to choose from.
    """

    counts: tuple[int, ...] = ()
    names: tuple[str, ...] = ()
    low: int = 0
    high: int = 0
    right: str = ""
    note: str = ""


class WindowPanel(Canvas, can_focus=True):
    """The histogram; keys move its window."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left,h", "move(-1)", "Window nearer to mate", show=False, id="window.left"),
        Binding("right,l", "move(1)", "Window farther from mate", show=False, id="window.right"),
        Binding("up,k", "widen(1)", "Widen the window", show=False, id="window.up"),
        Binding("down,j", "widen(-1)", "Narrow the window", show=False, id="window.down"),
        Binding("home", "move(-9999)", "Window to the first layer", show=False, id="window.home"),
        Binding("end", "move(9999)", "Window to the last layer", show=False, id="window.end"),
        Binding("enter", "choose", "Start", show=False, id="window.choose"),
    ]

    view: reactive[WindowView] = reactive(WindowView(), repaint=False)
    """What to show."""

    @dataclass
    class Moved(Message):
        """The window is to be moved by so many layers."""

        by: int

    @dataclass
    class Widened(Message):
        """The window is to hold so many layers more."""

        by: int

    class Chosen(Message):
        """Enter was pressed."""

    def action_move(self, by: int) -> None:
        """Moves the window."""
        self.post_message(self.Moved(by))

    def action_widen(self, by: int) -> None:
        """Widens the window, or narrows it."""
        self.post_message(self.Widened(by))

    def action_choose(self) -> None:
        """Starts."""
        self.post_message(self.Chosen())

    def on_click(self, event: Click) -> None:
        """Moves the middle of the window to the layer under the mouse."""
        self.focus()
        wide, gap, each = self._columns()
        bar = event.x // (wide + gap)
        if self.view.counts and event.y and bar * each < len(self.view.counts):
            middle = (self.view.low + self.view.high) // 2
            self.post_message(self.Moved(bar * each - middle))

    def _columns(self) -> tuple[int, int, int]:
        """Cells of a column, of the gap behind it, and how many layers one column stands for."""
        count, width = max(len(self.view.counts), 1), self.size.width
        for wide, gap in ((2, 1), (1, 1), (1, 0)):
            if count * (wide + gap) - gap <= width:
                return wide, gap, 1
        return 1, 0, -(-count // width)

    def draw(self) -> list[Strip]:
        """Title, columns, the window below them, its layers by name."""
        pen, (width, height), view = self.look.palette, self.size, self.view
        title = self.row().put("Layers", pen.title(self.has_focus))
        title.right(view.right, pen("faint"), width)
        if not view.counts:
            return [title.strip(width), self.row().put(self.look.glyphs.plain(view.note), pen("dim")).strip(width)]
        rows = [title, *self._bars(max(height - 3, 1)), self._line(), self._names()]
        return [row.strip(width) for row in rows]

    def _piles(self) -> list[tuple[int, bool]]:
        """Boards of each column, and whether the window touches it."""
        _, _, each = self._columns()
        view, found = self.view, list[tuple[int, bool]]()
        for first in range(0, len(view.counts), each):
            inside = first <= view.high and first + each > view.low
            found.append((sum(view.counts[first : first + each]), inside))
        return found

    def _bars(self, height: int) -> list[Row]:
        pen, glyphs = self.look.palette, self.look.glyphs
        wide, gap, _ = self._columns()
        piles = self._piles()
        most = max(count for count, _ in piles) or 1
        rows: list[Row] = []
        for level in range(height - 1, -1, -1):
            row = self.row()
            for count, inside in piles:
                eighths = max(round(8 * height * count / most), 1) if count else 0
                part = min(max(eighths - 8 * level, 0), 8)
                style = pen("amber" if inside else "loser_bar" if pen.coloured else "text")
                glyph = glyphs.levels[part - 1] if part else " "
                if part and not glyphs.unicode:
                    glyph = "#" if part > 4 or level else "."
                row.put(glyph * wide, style).put(" " * gap, pen("text"))
            rows.append(row)
        return rows

    def _line(self) -> Row:
        pen, glyphs = self.look.palette, self.look.glyphs
        start, end = self._span()
        return self.row().to(start).put(glyphs.bar * (end - start), pen("amber"))

    def _span(self) -> tuple[int, int]:
        """Columns the window begins at and ends before."""
        wide, gap, each = self._columns()
        return self.view.low // each * (wide + gap), self.view.high // each * (wide + gap) + wide

    def _names(self) -> Row:
        pen, glyphs, view, width = self.look.palette, self.look.glyphs, self.view, self.size.width
        low, high = view.names[view.low], view.names[view.high]
        start, end = self._span()
        wide = end - start >= len(low) + len(high) + 2
        middle = low if low == high else f"{low}{' ' * (end - start - len(low) - len(high))}{high}" if wide else ""
        middle = middle or f"{low}{glyphs.dash}{high}"
        start = max(min(start, width - len(middle)), 0)
        row = self.row()
        if start > len(view.names[0]):
            row.put(view.names[0], pen("dim"))
        row.to(start).put(middle, pen("amber"))
        columns, gap, each = self._columns()
        right = min(-(-len(view.counts) // each) * (columns + gap) - gap, width)
        last = view.names[-1]
        if view.high < len(view.names) - 1 and row.width + 1 <= right - len(last):
            row.right(last, pen("dim"), right)
        elif view.high < len(view.names) - 1 and row.width + 1 + len(last) <= width:
            row.to(row.width + 1).put(last, pen("dim"))
        return row

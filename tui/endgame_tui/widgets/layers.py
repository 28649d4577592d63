"""The Layers panel: every layer with its size, a bar, and where we are."""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from typing import ClassVar

from textual.binding import BindingType
from textual.events import Click
from textual.message import Message
from textual.strip import Strip

from endgame_core.words.position import LayerRow, LayerRows
from endgame_core.words.told import grouped
from endgame_tui.widgets.bars import Key
from endgame_tui.widgets.canvas import Canvas

BAR = 6
"""Cells of the longest bar."""


BOARDS = 19
"""Right end of the column that counts every placement."""

UNIQUE = 27
"""Right end of the column that counts symmetric copies once."""


def counted(number: int, limit: int) -> str:
    """A number in full, from ``limit`` on in millions."""
    if number < limit:
        return grouped(number)
    return f"{number / 1_000_000:.{2 if number < 1_000_000 else 1}f} M"


class LayersPanel(Canvas, can_focus=True):
    """The layers of an ending; the cursor walks from layer to layer."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Key("up,k", "step(-1)", "Layer nearer to the end", id="layers.up"),
        Key("down,j", "step(1)", "Layer farther from it", id="layers.down"),
        Key("pageup", "step(-10)", "Ten layers nearer", id="layers.page-up"),
        Key("pagedown", "step(10)", "Ten layers farther", id="layers.page-down"),
        Key("home", "step(-999)", "First layer", id="layers.home"),
        Key("end", "step(999)", "Last layer", id="layers.end"),
    ]

    @dataclass
    class Chosen(Message):
        """A layer was chosen: its row."""

        row: int

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.stretched = False
        """Whether the bars take all the room there is."""
        self._view = LayerRows()
        self._first = 0

    def show(self, view: LayerRows) -> None:
        """Shows other layers."""
        self._view = view
        self.redraw()

    def action_step(self, rows: int) -> None:
        """Chooses a layer some rows away."""
        view = self._view
        if view.rows:
            here = view.here if view.here is not None else 0
            row = min(max(here + rows, 0), len(view.rows) - 1)
            self.post_message(self.Chosen(row))

    def on_click(self, event: Click) -> None:
        """Chooses the layer under the mouse."""
        self.focus()
        above, first, last, _ = self._window()
        row = first + event.y - 1 - above
        if first <= row < last:
            self.post_message(self.Chosen(row))

    def _window(self) -> tuple[int, int, int, int]:
        """Rows of words above (0 or 1), first layer shown, the one after the last, words below.

        The window stays where it is as long as it holds the layer and its neighbours.
        """
        total, space = len(self._view.rows), max(self.size.height - 1, 1)
        if total <= space or space < 4:
            first = 0 if total <= space else min(self._view.here or 0, total - space)
            return 0, first, min(first + space, total), 0
        here = self._view.here or 0
        first = self._first
        if not first < here < first + space - 3 or first + space - 1 > total:
            first = min(max(here - space // 2 + 1, 0), total - space + 1)
        if here < space - 2:
            first = 0
        elif here >= total - space + 3:
            first = total - space + 1
        self._first = first
        last = min(first + space - 1, total)
        above, below = int(first > 0), int(last < total)
        return above, first, last - (above and below), below

    def draw(self) -> list[Strip]:
        """The title, the window of rows, and what lies outside it."""
        look, width, view = self.look, self.size.width, self._view
        pen, glyphs = look.palette, look.glyphs
        boards, unique = self._ends()
        title = self.row().put(view.title, pen.title(self.has_focus))
        if view.notice:
            words = [self.row().put(line, pen("dim")).strip(width) for line in view.notice]
            return [title.strip(width), *words]
        title.right("boards", pen("dim"), boards)
        if unique:
            title.right("unique", pen("dim"), unique)
        strips = [title.strip(width)]
        above, first, last, below = self._window()
        top = max((log(row.boards + 1) for row in view.rows), default=1.0) or 1.0
        if above:
            strips.append(self._rest(glyphs.up, 0, first - 1))
        for number in range(first, last):
            strips.append(self._layer(view.rows[number], number == view.here, top))
        if below:
            strips.append(self._rest(glyphs.down, last, len(view.rows) - 1))
        return strips

    def _rest(self, arrow: str, first: int, last: int) -> Strip:
        rows = self._view.rows
        text = rows[first].name.removesuffix("=")  # not all of them need be beyond the 50-move rule
        if last > first:
            text += self.look.glyphs.dash + rows[last].name.removesuffix("=")
        return self.row().put(arrow + text, self.look.palette("faint")).strip(self.size.width)

    def _layer(self, row: LayerRow, here: bool, top: float) -> Strip:
        pen, glyphs = self.look.palette, self.look.glyphs
        ground = "selected" if here else "ground"
        line = self.row(ground)
        line.put(glyphs.pointer if here else " ", pen("amber", ground))
        name = "amber" if here else row.role if row.strong else "dim"
        line.put(row.name, pen(name, ground, bold=here))
        ink = "amber" if here else "winner_bar" if row.strong else "loser_bar"
        start, cells = self._bars()
        line.to(start).put(self._bar(row.boards, top, cells), pen(ink, ground))
        count = pen("text" if here else "dim", ground, bold=here)
        boards, unique = self._ends()
        line.right(counted(row.boards, 10_000_000), count, boards)
        if unique:
            line.right(counted(row.unique, 100_000), count, unique)
        return line.strip(self.size.width)

    def _ends(self) -> tuple[int, int]:
        """Right ends of the two columns of numbers; 0 where there is no room for the second."""
        width = self.size.width
        if not self.stretched:
            return BOARDS, UNIQUE if width >= UNIQUE else 0
        return (width - 8, width) if width >= 40 else (width, 0)

    def _bars(self) -> tuple[int, int]:
        """Where the bars begin, and the cells that long names and numbers leave for them."""
        rows = self._view.rows
        start = max(5, max(len(row.name) for row in rows) + 2)
        widest = max(len(counted(row.boards, 10_000_000)) for row in rows)
        return start, min(99 if self.stretched else BAR, self._ends()[0] - 1 - widest - start)

    def _bar(self, boards: int, top: float, cells: int) -> str:
        """A logarithmic bar in steps of half a cell."""
        glyphs = self.look.glyphs
        if not boards or cells <= 0:
            return ""
        share = log(boards + 1) / top
        if not glyphs.half_bar:
            return glyphs.bar * max(round(cells * share), 1)
        halves = max(round(2 * cells * share), 1)
        return glyphs.bar * (halves // 2) + glyphs.half_bar * (halves % 2)

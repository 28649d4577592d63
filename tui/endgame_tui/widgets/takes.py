"""The Take panel: the stones that a closed mill may take, and what taking each leads to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.events import Click
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip

from endgame_tui.widgets.canvas import Canvas


@dataclass(frozen=True, slots=True)
class TakeRow:
    """A stone that may be taken.

    Attributes:
        point: Its point.
        name: The same as shown: ``×d6``.
        layer: The layer that taking it leads to; empty when not known.
        note: What that means.
        role: Role of the colour of both.
        best: Whether it is a best one.
    """

    point: int
    name: str
    layer: str = ""
    note: str = ""
    role: str = "text"
    best: bool = False


@dataclass(frozen=True, slots=True)
class TakesView:
    """What the panel shows: the stones, the one the cursor is on, and the move that closed the mill."""

    rows: tuple[TakeRow, ...] = ()
    cursor: int | None = None
    move: str = ""


class TakesPanel(Canvas, can_focus=True):
    """The stones to choose from, best first; the cursor is that of the board."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,left,k,h", "step(-1)", "Stone above", show=False, id="takes.up"),
        Binding("down,right,j,l", "step(1)", "Stone below", show=False, id="takes.down"),
        Binding("enter,space", "choose", "Take it", show=False, id="takes.choose"),
    ]

    view: reactive[TakesView] = reactive(TakesView(), repaint=False)
    """What to show."""

    slim = False
    """Whether there is no title, for the smallest screens."""

    @dataclass
    class Pointed(Message):
        """The cursor was moved to a stone: its point."""

        point: int

    @dataclass
    class Chosen(Message):
        """A stone was chosen: its point."""

        point: int

    def _at(self) -> int:
        return next((n for n, row in enumerate(self.view.rows) if row.point == self.view.cursor), -1)

    def _first(self) -> int:
        """The first row shown, so that the cursor's is among them."""
        space = max(self.size.height - (not self.slim), 1)
        return min(max(self._at() - space + 1, 0), max(len(self.view.rows) - space, 0))

    def action_step(self, rows: int) -> None:
        """Moves the cursor."""
        if self.view.rows:
            at = min(max(self._at() + rows, 0), len(self.view.rows) - 1)
            self.post_message(self.Pointed(self.view.rows[at].point))

    def action_choose(self) -> None:
        """Takes the stone under the cursor."""
        if (at := self._at()) >= 0:
            self.post_message(self.Chosen(self.view.rows[at].point))

    def on_click(self, event: Click) -> None:
        """Takes the stone under the mouse."""
        at = self._first() + event.y - (not self.slim)
        if event.y >= (not self.slim) and at < len(self.view.rows):
            self.post_message(self.Chosen(self.view.rows[at].point))

    def draw(self) -> list[Strip]:
        """The title, then the stones."""
        pen, width, height = self.look.palette, self.size.width, self.size.height
        strips: list[Strip] = []
        if not self.slim:
            title = self.row().put("Take", pen.title(self.has_focus))
            strips.append(title.right(self.view.move, pen("faint"), width).strip(width))
        strips += [self._row(row) for row in self.view.rows[self._first() :]]
        return strips[:height]

    def _row(self, row: TakeRow) -> Strip:
        pen, glyphs, width = self.look.palette, self.look.glyphs, self.size.width
        here = row.point == self.view.cursor
        ground = "selected" if here else "ground"
        line = self.row(ground).put(glyphs.pointer if here else " ", pen("amber", ground))
        line.put(glyphs.plain(row.name), pen("amber" if here else "text", ground, bold=here or row.best))
        if width >= 12:
            line.to(6).put(row.layer, pen(row.role, ground, bold=row.best))
            line.to(11).put(row.note, pen(row.role if row.best else "dim", ground))
        return line.strip(width)

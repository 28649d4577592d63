"""The Morris board: points and lines, a cursor that follows them. It shows a view and reports points."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rich.style import Style
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.events import Click
from textual.geometry import NULL_OFFSET, Region, Size, Spacing
from textual.layout import ArrangeResult, Layout, WidgetPlacement
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from endgame_tui.look import Look
from endgame_tui.widgets.canvas import Canvas, Ink, Row
from endgame_tui.widgets.stones import COLUMNS, Pitch, StonesView, paint

FIRST = 6
"""Where the cursor begins when it is nowhere: a1."""


class _Beside(Layout):
    """Row names, then seven strips, side by side."""

    name = "beside"

    def arrange(self, parent: Widget, children: list[Widget], size: Size, greedy: bool = True) -> ArrangeResult:
        assert isinstance(parent, MorrisBoard)
        left = parent.margin_left
        spans = [(-left, 0), *parent.pitch.split()]
        return [
            WidgetPlacement(Region(left + start, 0, end - start, size.height), NULL_OFFSET, Spacing(), child)
            for child, (start, end) in zip(children, spans, strict=True)
        ]


class MorrisBoard(Widget, can_focus=True):
    """The board. Eight thin children, so that a changed point repaints little.

    The arrow keys follow the lines; where no line goes that way, the cursor jumps to the nearest point there is.

    Args:
        id: DOM id.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "point(0,-1)", "Along the line up", show=False, id="morris.up"),
        Binding("down,j", "point(0,1)", "Along the line down", show=False, id="morris.down"),
        Binding("left,h", "point(-1,0)", "Along the line left", show=False, id="morris.left"),
        Binding("right,l", "point(1,0)", "Along the line right", show=False, id="morris.right"),
        Binding("enter,space", "choose", "Pick a stone, put it down, take one", show=False, id="morris.choose"),
    ]

    view: reactive[StonesView] = reactive(StonesView(), repaint=False)
    """What to show."""

    @dataclass
    class Pointed(Message):
        """The cursor was moved to a point."""

        point: int

    @dataclass
    class Chosen(Message):
        """A point was chosen, by Enter or by a click."""

        point: int

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._beside = _Beside()
        self.pitch = Pitch(6, 3)
        self.margin_left = 3
        self._painted: tuple[Look, list[list[Ink]]] | None = None
        self._rows = _Rows()
        self._strips = [_Strip(column) for column in range(7)]

    @property
    def layout(self) -> Layout:
        """Row names and strips side by side."""
        return self._beside

    def compose(self) -> ComposeResult:
        """The row names and the strips."""
        yield self._rows
        yield from self._strips

    def resize_pitch(self, pitch: Pitch, margin_left: int) -> None:
        """Changes the distances between points."""
        if (pitch, margin_left) != (self.pitch, self.margin_left):
            self.pitch, self.margin_left = pitch, margin_left
            self._rows.refresh(repaint=False, layout=True)
            self._redraw()

    def watch_view(self) -> None:
        """Shows a new view."""
        self._redraw()

    def _redraw(self) -> None:
        self._painted = None
        self._rows.redraw()
        for strip in self._strips:
            strip.redraw()

    def painted(self, look: Look) -> list[list[Ink]]:
        """The board cell by cell, drawn once for all its strips."""
        if self._painted is None or self._painted[0] is not look:
            self._painted = (look, paint(self.view, self.pitch, look))
        return self._painted[1]

    def action_point(self, columns: int, rows: int) -> None:
        """Moves the cursor."""
        cursor = self.view.cursor
        point = FIRST if cursor is None else self.view.towards(cursor, columns, rows)
        self.post_message(self.Pointed(point))

    def action_choose(self) -> None:
        """Chooses the point under the cursor."""
        if self.view.cursor is not None:
            self.post_message(self.Chosen(self.view.cursor))


class _Rows(Canvas):
    """The names of the rows."""

    def draw(self) -> list[Strip]:
        board = self.parent
        assert isinstance(board, MorrisBoard)
        width, style = self.size.width, self.look.palette("dim")
        rows = [self.row().strip(width)] * board.pitch.rows
        for row in range(7):
            _, y = board.pitch.cell(0, row)
            name = str(row + 1 if board.view.flipped else 7 - row)
            rows[y] = self.row().to(width - 2).put(name, style).strip(width)
        return rows


class _Strip(Canvas):
    """A column of points and what is left and right of it, its name below."""

    def __init__(self, column: int) -> None:
        super().__init__()
        self._column = column

    def draw(self) -> list[Strip]:
        board = self.parent
        assert isinstance(board, MorrisBoard)
        start, end = board.pitch.split()[self._column]
        strips = [Row(Style.null()).write(row[start:end]).strip(end - start) for row in board.painted(self.look)]
        x, _ = board.pitch.cell(self._column, 0)
        name = COLUMNS[6 - self._column if board.view.flipped else self._column]
        return [*strips, self.row().to(x - start).put(name, self.look.palette("dim")).strip(end - start)]

    def on_click(self, event: Click) -> None:
        board = self.parent
        assert isinstance(board, MorrisBoard)
        row = board.pitch.row_at(event.y)
        point = None if row is None else board.view.point(self._column, row)
        if point is not None:
            board.focus()
            board.post_message(MorrisBoard.Chosen(point))

"""The base of every drawn widget: rows of cells, of which only the changed ones are repainted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol, cast

from rich.segment import Segment
from rich.style import Style
from textual.events import MouseScrollDown, MouseScrollUp, Resize
from textual.geometry import Offset, Region, Size
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from endgame_core.foreign import visible
from endgame_tui.look import MARK, Ink, Look

NEAR = 4
"""Cells that have not changed and are sent all the same, where there are so few between some that have."""


class Looking(Protocol):
    """An app that knows how to draw."""

    @property
    def look(self) -> Look:
        """The palette and glyphs."""
        ...


class Row:
    """One row of cells being written from left to right.

    Args:
        blank: Style of the cells nobody writes to.
        ascii: Whether what nobody may see is marked in ASCII.
    """

    def __init__(self, blank: Style, ascii: bool = False) -> None:
        self._blank = blank
        self._ascii = ascii
        self._segments: list[Segment] = []
        self.width = 0

    def put(self, text: str, style: Style) -> Row:
        """Writes at the current column."""
        if text:
            segment = Segment(text if text.isprintable() else visible(text, ascii=self._ascii), style)
            self._segments.append(segment)
            self.width += segment.cell_length
        return self

    def write(self, inks: Iterable[Ink]) -> Row:
        """Writes several pieces."""
        for text, style in inks:
            self.put(text, style)
        return self

    def to(self, column: int) -> Row:
        """Moves on to a column, leaving blanks."""
        if column > self.width:
            self.put(" " * (column - self.width), self._blank)
        return self

    def right(self, text: str, style: Style, end: int) -> Row:
        """Writes so that the last cell is the one before ``end``."""
        return self.to(end - Segment(text).cell_length).put(text, style)

    def strip(self, width: int, *, joined: bool = True) -> Strip:
        """The finished row, cut or filled to ``width`` cells; pieces of one style become one unless told otherwise."""
        self.to(width)
        strip = Strip(Segment.simplify(self._segments) if joined else self._segments, self.width)
        return strip if self.width == width else strip.crop(0, width)


@dataclass
class OfItem(Message):
    """Something was done with an item that is drawn.

    Attributes:
        canvas: Where.
        key: What the item is known by.
        entered: Whether the widget was entered there, and nothing else done.
    """

    canvas: Canvas
    key: Any
    entered: bool = False

    @property
    def control(self) -> Canvas:
        """The widget."""
        return self.canvas


class Canvas(Widget):
    """A widget that draws itself as rows and sends only what has changed.

    Subclasses implement :meth:`draw`, and call :meth:`redraw` when what they show has changed; where that is a reactive
    ``view``, or the focus, it is done here. What stands in it is known by keys; what is done with it is told by them.
    """

    class Pointed(OfItem):
        """The cursor was moved to an item, or the widget was entered there."""

    class Chosen(OfItem):
        """An item was chosen."""

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._strips: list[Strip] = []
        self._drawn_for: tuple[Look, Size] | None = None

    @property
    def look(self) -> Look:
        """The palette and glyphs of the app."""
        return cast("Looking", self.app).look

    def draw(self) -> list[Strip]:
        """Draws all rows for the current size."""
        raise NotImplementedError

    def place(self) -> Offset:
        """The cell of what is pointed at, where the terminal's cursor stands while this has the focus."""
        return Offset()

    def wheel(self, turns: int) -> None:
        """The wheel was turned over it, down or up."""

    def on_mouse_scroll_down(self, _event: MouseScrollDown) -> None:
        """Goes down."""
        self.wheel(1)

    def on_mouse_scroll_up(self, _event: MouseScrollUp) -> None:
        """Goes up."""
        self.wheel(-1)

    def watch_view(self) -> None:
        """Shows a new view."""
        self.redraw()

    def watch_has_focus(self, _has_focus: bool) -> None:
        """Shows the focus in the title, and the cursor."""
        super().watch_has_focus(_has_focus)
        self.redraw()

    def row(self, ground: str = "ground") -> Row:
        """An empty row."""
        look = self.look
        return Row(look.palette("text", ground), not look.glyphs.unicode)

    def redraw(self) -> None:
        """Draws anew and repaints the cells that differ."""
        if not self.is_attached or not self.size:
            self._drawn_for = None
            return
        rows = self._fitted()
        regions = [
            region
            for y, (old, new) in enumerate(zip(self._strips, rows, strict=False))
            for region in _differences(old, new, y)
        ]
        resized = len(rows) != len(self._strips)
        self._strips = rows
        if resized:
            self.refresh()
        elif regions:
            self.refresh(*regions)

    def _fitted(self) -> list[Strip]:
        self._drawn_for = _, (width, height) = self.look, self.size
        rows = self.draw()[:height]
        if len(rows) < height:
            rows += [self.row().strip(width)] * (height - len(rows))
        return rows

    def _on_resize(self, event: Resize) -> None:
        if self._drawn_for != (self.look, self.size):
            self._strips = self._fitted()
            self.refresh()

    def notify_style_update(self) -> None:
        """Redraws everything after a change of theme."""
        super().notify_style_update()
        if self.is_attached and self._drawn_for and self.look is not self._drawn_for[0]:
            self._strips = self._fitted()
            self.refresh()

    def render_line(self, y: int) -> Strip:
        """A row as drawn last."""
        if y < len(self._strips):
            return self._strips[y]
        return Strip.blank(self.size.width, self.look.palette("text"))


def _differences(old: Strip, new: Strip, y: int) -> Iterator[Region]:
    """The cells of row ``y`` that differ, as runs with more than a few equal ones between them."""
    if old is new or list(old) == list(new):
        return
    before, after = _cells(old), _cells(new)
    if len(before) != len(after):
        yield Region(0, y, max(len(before), len(after)), 1)
        return
    differing = [x for x, (was, now) in enumerate(zip(before, after, strict=True)) if was != now]
    starts = [x for at, x in enumerate(differing) if not at or x - differing[at - 1] > NEAR]
    for start, following in zip(starts, [*starts, len(after) + NEAR][1:], strict=False):
        last = max(x for x in differing if x < following)
        start -= _is_marked(after, start - 1)
        last += _is_marked(after, last) and last + 1 < len(after)
        yield Region(start, y, last - start + 1, 1)


def _is_marked(cells: list[Ink], x: int) -> bool:
    """Whether a cell is followed by what has no width and must not be parted from it."""
    return x >= 0 and cells[x][0].endswith(MARK)


def _cells(strip: Strip) -> list[Ink]:
    """The row cell by cell; what has no width goes with the cell before it."""
    cells: list[Ink] = []
    for text, style, _ in strip:
        for char in text:
            if char == MARK:
                cells[-1] = (cells[-1][0] + char, cells[-1][1])
            else:
                cells.append((char, style or Style.null()))
    return cells

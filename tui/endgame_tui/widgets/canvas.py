"""The base of every drawn widget: rows of cells, of which only the changed ones are repainted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, cast

from rich.segment import Segment
from rich.style import Style
from textual.events import MouseScrollDown, MouseScrollUp, Resize
from textual.geometry import Offset, Region, Size
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from endgame_core.untrusted import visible
from endgame_tui.look import MARK, Ink, Look

NEAR = 4
"""Cells that have not changed and are sent all the same, where there are so few between some that have."""


class CanvasRow:
    """One row of cells being written from left to right, and what stands where.

    Args:
        look: Colours and glyphs to write with.
        ground: Role of the paper.
    """

    def __init__(self, look: Look, ground: str = "ground") -> None:
        self.look, self._ground = look, ground
        self._segments: list[Segment] = []
        self._items: list[tuple[int, Any]] = []
        self._strip: Strip | None = None
        self.width = 0

    def style(self, role: str, on: str = "", *, bold: bool = False, underline: bool = False) -> Style:
        """The style of a role on the row's paper, or on another one."""
        return self.look.palette(role, on or self._ground, bold=bold, underline=underline)

    def put(
        self, text: str, role: str = "text", on: str = "", *, bold: bool = False, underline: bool = False
    ) -> CanvasRow:
        """Writes at the current column, as this terminal can print it."""
        ink = self.style(role, on, bold=bold, underline=underline)
        return self.write([(self.look.glyphs.plain(text), ink)])

    def write(self, inks: Iterable[Ink]) -> CanvasRow:
        """Writes pieces that have their style."""
        for text, style in inks:
            if text:
                shown = text if text.isprintable() else visible(text, ascii=not self.look.glyphs.unicode)
                segment = Segment(shown, style)
                self._segments.append(segment)
                self.width += segment.cell_length
        return self

    def to(self, column: int) -> CanvasRow:
        """Moves on to a column, leaving blanks."""
        return self.put(" " * (column - self.width)) if column > self.width else self

    def right(self, text: str, end: int, role: str = "text", *, bold: bool = False) -> CanvasRow:
        """Writes so that the last cell is the one before ``end``."""
        return self.to(end - Segment(self.look.glyphs.plain(text)).cell_length).put(text, role, bold=bold)

    def item(self, key: Any) -> CanvasRow:
        """What follows belongs to an item, until another one begins; with None to nothing."""
        self._items.append((self.width, key))
        return self

    def at(self, column: int) -> Any:
        """The item to which a cell belongs; None where there is none."""
        return next((key for start, key in reversed(self._items) if start <= column), None)

    def begin(self, key: Any) -> int | None:
        """Where the name of an item begins, which is the last that belongs to it; None where it is not here."""
        start = next((start for start, item in reversed(self._items) if item == key), None)
        if start is None:
            return None
        text, blank = "".join(segment.text for segment in self._segments)[start:], f" {self.look.glyphs.pointer}"
        first = start + len(text) - len(text.lstrip(blank))
        return first if self.at(first) == key else start

    def strip(self, width: int) -> Strip:
        """The finished row, cut or filled to ``width`` cells; neighbouring pieces of one style become one."""
        if self._strip is None or self._strip.cell_length != width:
            self.to(width)
            strip = Strip(Segment.simplify(self._segments), self.width)
            self._strip = strip if self.width == width else strip.crop(0, width)
        return self._strip


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

    cursor: Any = None
    """The key of the item with the cursor."""

    class Pointed(OfItem):
        """The cursor was moved to an item, or the widget was entered there."""

    class Chosen(OfItem):
        """An item was chosen."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._rows: list[CanvasRow] = []
        self._strips: list[Strip] = []
        self._drawn_for: tuple[Look, Size] | None = None
        self._needed = 0

    @property
    def look(self) -> Look:
        """The palette and glyphs of the app."""
        return cast("Any", self.app).look

    def draw(self) -> list[CanvasRow]:
        """Draws all rows for the current size."""
        raise NotImplementedError

    def high(self, size: Size) -> int:
        """How many rows it takes in a size, where its height is ``auto``."""
        raise NotImplementedError

    def item_at(self, x: int, y: int) -> Any:
        """The key of the item drawn at a cell; None where there is none."""
        return self._rows[y].at(x) if 0 <= y < len(self._rows) else None

    def place(self) -> Offset:
        """The cell of what is pointed at, where the terminal's cursor stands while this has the focus."""
        begins = ((row.begin(self.cursor), y) for y, row in enumerate(self._rows) if self.cursor is not None)
        return next((Offset(x, y) for x, y in begins if x is not None), Offset())

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

    def row(self, ground: str = "ground") -> CanvasRow:
        """An empty row."""
        return CanvasRow(self.look, ground)

    def heading(self, title: str, right: str = "") -> CanvasRow:
        """A row with a title, and faint words at the right end where there is room for them."""
        row, width = self.row(), self.size.width
        row.put(title, "amber" if self.has_focus else "text", bold=True,
                underline=self.has_focus and not self.look.palette.coloured)  # fmt: skip
        fits = right and row.width + 2 + len(self.look.glyphs.plain(right)) <= width
        return row.right(right, width, "faint") if fits else row

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """As many rows as it takes."""
        self._needed = self.high(Size(width, viewport.height))
        return self._needed

    def redraw(self) -> None:
        """Draws anew and repaints the cells that differ; makes room for more rows where its height is ``auto``."""
        if self.is_attached and self.styles.is_auto_height:
            before = self._needed
            if self.get_content_height(self.size, self.app.size, self.size.width) != before:
                self.refresh(layout=True)
        if not self.is_attached or not self.size:
            self._drawn_for = None
            self.refresh()  # Textual keeps the lines that it rendered before, and would show them once there is room
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
        self._rows = self.draw()[:height]
        blank = [self.row()] if len(self._rows) < height else []
        self._rows += blank * (height - len(self._rows))
        return [row.strip(width) for row in self._rows]

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
        """A row as drawn last; all rows are drawn first if the widget has got another size since then.

        The Resize event comes later, or never: Textual leaves it out for a widget that was shown while something asked
        where widgets are, since its map of them is up to date then, and the layout finds nothing new.
        """
        if self._drawn_for != (self.look, self.size):
            self._strips = self._fitted()
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

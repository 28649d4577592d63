"""The base of every drawn widget: rows of cells, of which only the changed ones are repainted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
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

_RULED_WIDTH = 100
"""Columns of a screen from which the titles of panels have a rule."""

_LEAST_RULE = 6
"""The fewest blanks in a heading that a line replaces: fewer only separate columns."""

NEAR = 4
"""The longest run of unchanged cells that is sent again to join two changed runs: moving the cursor costs as much."""


class CanvasRow:
    """One row of cells that is written from left to right, and the items to which its cells belong.

    Args:
        look: Colours and glyphs to write with.
        ground: Role of the background colour.
    """

    def __init__(self, look: Look, ground: str = "ground") -> None:
        self.look = look
        self._ground = ground
        self._segments: list[Segment] = []
        self._items: list[tuple[int, Any]] = []
        self._strip: Strip | None = None
        self.width = 0

    def style(self, role: str, on: str = "", *, bold: bool = False, underline: bool = False) -> Style:
        """The style of a role on the background of the row, or on another one."""
        return self.look.palette(role, on or self._ground, bold=bold, underline=underline)

    def put(
        self, text: str, role: str = "text", on: str = "", *, bold: bool = False, underline: bool = False
    ) -> CanvasRow:
        """Write text at the end of the row, in characters that the terminal can print."""
        style = self.style(role, on, bold=bold, underline=underline)
        return self.write([(self.look.glyphs.plain(text), style)])

    def write(self, inks: Iterable[Ink], *, is_drawing: bool = False) -> CanvasRow:
        """Write styled text at the end of the row; control characters are made visible, unless it is a drawing."""
        for text, style in inks:
            if text:
                printable = text
                if not is_drawing and not text.isprintable():
                    # Names and paths come from files: an escape sequence in one would be carried out by the terminal.
                    printable = visible(text, ascii=not self.look.glyphs.unicode)
                segment = Segment(printable, style)
                self._segments.append(segment)
                self.width += segment.cell_length
        return self

    def pad_to(self, column: int) -> CanvasRow:
        """Write blanks up to a column (exclusive)."""
        if column > self.width:
            return self.put(" " * (column - self.width))
        return self

    def put_right(self, text: str, end: int, role: str = "text", *, bold: bool = False) -> CanvasRow:
        """Write text so that it ends before column ``end``."""
        length = Segment(self.look.glyphs.plain(text)).cell_length
        return self.pad_to(end - length).put(text, role, bold=bold)

    def ruled(self, width: int) -> CanvasRow:
        """The row with a thin line in place of its longest blanks, and after its end up to column ``width``."""
        result = CanvasRow(self.look, self._ground)
        self.pad_to(width)
        # Simplified, so that blanks written one after the other are one gap.
        for text, style, __ in Segment.simplify(self._segments):
            is_gap = result.width and text.isspace() and len(text) >= _LEAST_RULE
            if not is_gap:
                result.write([(text, style or Style.null())])
                continue
            is_end = result.width + len(text) >= width
            # A blank keeps the line off the text on either side; at the end of the row there is none.
            if is_end:
                line = self.look.glyphs.thin * (len(text) - 1)
                result.put(" ").put(line, "loser_bar")
            else:
                line = self.look.glyphs.thin * (len(text) - 2)
                result.put(" ").put(line, "loser_bar").put(" ")
        return result

    def item(self, key: Any) -> CanvasRow:
        """Start an item: the following cells belong to it until the next one starts; None for no item."""
        self._items.append((self.width, key))
        return self

    def item_at(self, column: int) -> Any:
        """The key of the item to which a cell belongs; None if it belongs to none."""
        # The last item that starts at this column or before.
        return next((key for start, key in reversed(self._items) if start <= column), None)

    def start_of(self, key: Any) -> int | None:
        """The column where the name of an item starts, after blanks and the pointer; None if it is not in this row."""
        start = next((start for start, item in reversed(self._items) if item == key), None)
        if start is None:
            return None
        text = "".join(segment.text for segment in self._segments)[start:]
        blanks = len(text) - len(text.lstrip(f" {self.look.glyphs.pointer}"))
        if self.item_at(start + blanks) == key:
            return start + blanks
        return start

    def strip(self, width: int) -> Strip:
        """The finished row, cropped or filled to ``width`` cells; neighbouring segments of equal style are joined."""
        if self._strip is None or self._strip.cell_length != width:
            self.pad_to(width)
            strip = Strip(Segment.simplify(self._segments), self.width)
            if self.width == width:
                self._strip = strip
            else:
                self._strip = strip.crop(0, width)
        return self._strip


@dataclass
class ItemMessage(Message):
    """A message about an item of a canvas.

    Attributes:
        canvas: The widget.
        key: The key of the item.
        entered: Whether the widget got the focus with the cursor on this item, without any other action.
    """

    canvas: Canvas
    key: Any
    entered: bool = False

    @property
    def control(self) -> Canvas:
        """The widget that ``on`` matches with a selector."""
        return self.canvas


class Canvas(Widget):
    """A widget that draws itself as rows and repaints only the cells that have changed.

    Subclasses implement :meth:`draw` and call :meth:`redraw` when their content has changed; changes of the focus and
    of a reactive ``view`` are handled here. Each item has a key, by which messages name it.
    """

    cursor: Any = None
    """The key of the item with the cursor."""

    class Pointed(ItemMessage):
        """The cursor was moved to an item, or the widget got the focus."""

    class Chosen(ItemMessage):
        """An item was chosen."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._rows: list[CanvasRow] = []
        self._strips: list[Strip] = []
        self._drawn_for: tuple[Look, Size] | None = None
        """The look and size for which the rows were drawn; None if they have to be drawn again."""
        self._auto_height = 0

    @property
    def look(self) -> Look:
        """The palette and glyphs of the app."""
        return cast("Any", self.app).look

    def draw(self) -> list[CanvasRow]:
        """Draw all rows for the current size."""
        raise NotImplementedError

    def content_rows(self, size: Size) -> int:
        """The number of rows that the content needs in a size; called if the height is ``auto``."""
        raise NotImplementedError

    def item_at(self, x: int, y: int) -> Any:
        """The key of the item drawn at a cell; None if there is none."""
        if 0 <= y < len(self._rows):
            return self._rows[y].item_at(x)
        return None

    def cursor_offset(self) -> Offset:
        """The cell for the terminal's cursor while the widget has the focus: that of the item with the cursor."""
        if self.cursor is not None:
            for y, row in enumerate(self._rows):
                x = row.start_of(self.cursor)
                if x is not None:
                    return Offset(x, y)
        return Offset()

    def wheel(self, turns: int) -> None:
        """Called when the mouse wheel is turned over the widget: 1 for down, -1 for up."""

    def on_mouse_scroll_down(self, _event: MouseScrollDown) -> None:
        """Scroll down."""
        self.wheel(1)

    def on_mouse_scroll_up(self, _event: MouseScrollUp) -> None:
        """Scroll up."""
        self.wheel(-1)

    def watch_view(self) -> None:
        """Show a new view."""
        self.redraw()

    def watch_has_focus(self, _has_focus: bool) -> None:
        """Show or hide the focus in the title, and the cursor."""
        super().watch_has_focus(_has_focus)
        self.redraw()

    def row(self, ground: str = "ground") -> CanvasRow:
        """A new, empty row."""
        return CanvasRow(self.look, ground)

    def heading(self, title: str, right: str = "") -> CanvasRow:
        """A row with a title and, if there is room, a faint text at the right end; on wide screens with a rule."""
        row = self._title_row(title, right)
        if self.has_rules:
            return row.ruled(self.size.width)
        return row

    @property
    def has_rules(self) -> bool:
        """Whether the titles of panels have a rule."""
        return self.app.size.width >= _RULED_WIDTH

    def _title_row(self, title: str, right: str = "") -> CanvasRow:
        row = self.row()
        width = self.size.width
        role = "amber" if self.has_focus else "text"
        is_underlined = self.has_focus and not self.look.palette.has_colours
        row.put(title, role, bold=True, underline=is_underlined)
        if right and row.width + 2 + len(self.look.glyphs.plain(right)) <= width:
            row.put_right(right, width, "faint")
        return row

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """The number of rows that the content needs."""
        self._auto_height = self.content_rows(Size(width, viewport.height))
        return self._auto_height

    def redraw(self) -> None:
        """Draw all rows and repaint the cells that differ; with ``height: auto``, also adjust the height."""
        # The height depends on the content, which Textual does not know: compare it with the one laid out last.
        if self.is_attached and self.styles.is_auto_height:
            height_before = self._auto_height
            if self.get_content_height(self.size, self.app.size, self.size.width) != height_before:
                self.refresh(layout=True)
        if not self.is_attached or not self.size:
            self._drawn_for = None
            self.refresh()  # Textual caches rendered lines, and would show the old ones once there is room
            return
        # Another size or look: there are no comparable strips, so everything is drawn when it is rendered.
        if self._drawn_for != (self.look, self.size):
            self._draw_later()
            return

        strips = self._draw_strips()
        regions: list[Region] = []
        for y, (old, new) in enumerate(zip(self._strips, strips, strict=False)):
            regions += _differences(old, new, y)
        # The strips are exchanged before Textual is told to repaint: render_line returns the new ones.
        is_resized = len(strips) != len(self._strips)
        self._strips = strips
        if is_resized:
            self.refresh()
        elif regions:
            self.refresh(*regions)

    def _draw_strips(self) -> list[Strip]:
        """Draw all rows, cropped or filled to the size of the widget."""
        width, height = self.size
        self._drawn_for = self.look, self.size
        self._rows = self.draw()[:height]
        missing = height - len(self._rows)
        if missing > 0:
            # One blank row, many times: its strip is made once, and compared with itself by identity.
            self._rows += [self.row()] * missing
        return [row.strip(width) for row in self._rows]

    def _draw_later(self) -> None:
        """Draw all rows when they are rendered; until then the size may change several times."""
        self._drawn_for = None
        self.refresh()

    def _on_resize(self, event: Resize) -> None:
        if self._drawn_for != (self.look, self.size):
            self._draw_later()

    def notify_style_update(self) -> None:
        """Redraw everything after a change of theme."""
        super().notify_style_update()
        if self.is_attached and self._drawn_for and self.look is not self._drawn_for[0]:
            self._draw_later()

    def render_line(self, y: int) -> Strip:
        """Return a row as last drawn; if the widget has changed its size since then, all rows are drawn first.

        The Resize event comes later, or never: Textual omits it for a widget that was shown while something looked up
        where widgets are, since its map of them is up to date then, and the layout finds nothing new.
        """
        if self._drawn_for != (self.look, self.size):
            self._strips = self._draw_strips()
        if y < len(self._strips):
            return self._strips[y]
        return Strip.blank(self.size.width, self.look.palette("text"))


def _differences(old: Strip, new: Strip, y: int) -> Iterator[Region]:
    """The changed cells of row ``y``, as runs with more than ``NEAR`` unchanged cells between them."""
    # Most rows have not changed, and an unchanged row may be the same object.
    if old is new or list(old) == list(new):
        return
    cells_before = _cells(old)
    cells = _cells(new)
    if len(cells_before) != len(cells):
        yield Region(0, y, max(len(cells_before), len(cells)), 1)
        return

    changed = [x for x, (before, after) in enumerate(zip(cells_before, cells, strict=True)) if before != after]
    if not changed:
        return
    first = changed[0]
    # A cell far behind the end closes the last run.
    for x, next_x in pairwise([*changed, len(cells) + NEAR + 1]):
        if next_x - x <= NEAR:
            continue
        # The run ends here. Cells next to a chess glyph with a variation selector are sent together with it.
        start = first - _has_mark(cells, first - 1)
        end = x + 1
        if _has_mark(cells, x) and end < len(cells):
            end += 1
        yield Region(start, y, end - start, 1)
        first = next_x


def _has_mark(cells: list[Ink], x: int) -> bool:
    """Whether a cell ends in a character of no width, which Textual would otherwise part from it."""
    return x >= 0 and cells[x][0].endswith(MARK)


def _cells(strip: Strip) -> list[Ink]:
    """The row cell by cell; a character of no width belongs to the cell before it."""
    cells: list[Ink] = []
    for text, style, _ in strip:
        for char in text:
            if char == MARK:
                cells[-1] = (cells[-1][0] + char, cells[-1][1])
            else:
                cells.append((char, style or Style.null()))
    return cells

"""The base of panels with a title and a cursor: rows one below the other, or columns side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar

from rich.style import Style
from textual.binding import Binding, BindingType
from textual.events import Click, MouseScrollDown, MouseScrollUp
from textual.message import Message
from textual.strip import Strip

from endgame_tui.widgets.canvas import Canvas, Row

V = TypeVar("V")


class Panel(Canvas, Generic[V], can_focus=True):
    """Shows a view with items, one of which the cursor is on while the panel has the focus.

    Subclasses say how many items there are (:attr:`count`), where they stand (:meth:`item_at`), and draw them.

    Args:
        view: What to show first.
        id: DOM id.
    """

    title: str = ""
    """The first row's bold words."""

    @dataclass
    class Pointed(Message):
        """The cursor was moved to an item, or the panel was entered there."""

        panel: Panel[Any]
        number: int
        entered: bool = False

    @dataclass
    class Chosen(Message):
        """An item was chosen."""

        panel: Panel[Any]
        number: int

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,space", "choose", "Do it", show=False, id="panel.choose"),
    ]

    def __init__(self, view: V, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.view = view
        self.cursor = 0
        """The item the cursor is on."""
        self._entered = False

    @property
    def count(self) -> int:
        """How many items there are."""
        raise NotImplementedError

    def item_at(self, x: int, y: int) -> int | None:
        """The item drawn at a cell."""
        raise NotImplementedError

    def show(self, view: V, cursor: int | None = None) -> None:
        """Shows a view; the cursor stays unless it is given, and never leaves the items."""
        self.view = view
        self.cursor = min(self.cursor if cursor is None else cursor, max(self.count - 1, 0))
        self.redraw()

    def watch_has_focus(self, _has_focus: bool) -> None:
        """Shows the cursor, and tells where it is."""
        super().watch_has_focus(_has_focus)
        self._entered = _has_focus
        if _has_focus:
            self.post_message(self.Pointed(self, self.cursor, entered=True))

    def point(self, number: int) -> None:
        """Moves the cursor, as far as there are items."""
        if self.count:
            self.cursor = min(max(number, 0), self.count - 1)
            self.redraw()
            self.post_message(self.Pointed(self, self.cursor))

    def action_step(self, items: int) -> None:
        """Moves the cursor by so many items."""
        self.point(self.cursor + items)

    def action_choose(self) -> None:
        """Chooses the item under the cursor."""
        if self.count:
            self.post_message(self.Chosen(self, self.cursor))

    def on_click(self, event: Click) -> None:
        """Points at the item under the mouse; a second click chooses it."""
        known, self._entered = self.has_focus and not self._entered, False
        self.focus()
        number = self.item_at(event.x, event.y)
        if number is not None and number == self.cursor and known:
            self.action_choose()
        elif number is not None:
            self.point(number)

    def heading(self, right: str = "") -> Row:
        """The first row: the title, and faint words at the right end when they fit."""
        pen, glyphs = self.look.palette, self.look.glyphs
        row = self.row().put(self.title, pen.title(self.has_focus))
        if hidden := self.hidden():
            row.put(f" {hidden}", pen("faint"))
        right = glyphs.plain(right)
        if row.width + 2 + len(right) <= self.size.width:
            row.right(right, pen("faint"), self.size.width)
        return row

    def hidden(self) -> str:
        """Arrows towards items that are out of sight."""
        return ""

    def on_item(self, number: int) -> bool:
        """Whether the cursor is shown on an item."""
        return self.has_focus and number == self.cursor

    def ink(self, role: str, here: bool, *, bold: bool = False) -> Style:
        """The style of an item's words; reversed under the cursor where there are no colours."""
        pen = self.look.palette
        if not here:
            return pen(role, bold=bold)
        return pen("amber", "selected", bold=True, underline=not pen.coloured)


class RowsPanel(Panel[V]):
    """Items one below the other; those that do not fit scroll."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "step(-1)", "Row above", show=False, id="rows.up"),
        Binding("down,j", "step(1)", "Row below", show=False, id="rows.down"),
        Binding("pageup", "step(-10)", "Ten rows up", show=False, id="rows.page-up"),
        Binding("pagedown", "step(10)", "Ten rows down", show=False, id="rows.page-down"),
        Binding("home", "step(-999999)", "First row", show=False, id="rows.home"),
        Binding("end", "step(999999)", "Last row", show=False, id="rows.end"),
    ]

    _top = 0

    def on_mouse_scroll_down(self, _event: MouseScrollDown) -> None:
        """Moves down."""
        self.action_step(3)

    def on_mouse_scroll_up(self, _event: MouseScrollUp) -> None:
        """Moves up."""
        self.action_step(-3)

    def item_at(self, x: int, y: int) -> int | None:
        """The row drawn at a cell."""
        del x
        first, last = self.window()
        number = first + y - 1
        return number if y > 0 and first <= number < last else None

    def window(self) -> tuple[int, int]:
        """First item shown, and the one after the last; the one under the cursor is among them."""
        space = max(self.size.height - 1, 1)
        if self.count <= space:
            self._top = 0
        else:
            self._top = min(max(self._top, self.cursor - space + 1), self.cursor, self.count - space)
        return self._top, min(self._top + space, self.count)

    def item(self, number: int, here: bool) -> Strip:
        """Draws one item."""
        raise NotImplementedError

    def head(self) -> Row:
        """Draws the first row."""
        return self.heading()

    def hidden(self) -> str:
        """Arrows up and down."""
        glyphs, (first, last) = self.look.glyphs, self.window()
        return glyphs.up * (first > 0) + glyphs.down * (last < self.count)

    def draw(self) -> list[Strip]:
        """The title, then the items in the window."""
        head = self.head().strip(self.size.width)
        return [head, *(self.item(number, self.on_item(number)) for number in range(*self.window()))]


class ColumnsPanel(Panel[V]):
    """Items side by side."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left,h", "step(-1)", "Left", show=False, id="columns.left"),
        Binding("right,l", "step(1)", "Right", show=False, id="columns.right"),
        Binding("home", "step(-999999)", "First", show=False, id="columns.home"),
        Binding("end", "step(999999)", "Last", show=False, id="columns.end"),
    ]

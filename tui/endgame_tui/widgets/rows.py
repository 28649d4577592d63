"""Lists, and the base of every widget with a cursor on one of several items: keys move it, Enter or a click chooses."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from rich.style import Style
from textual.binding import BindingType
from textual.dom import DOMNode
from textual.events import Click
from textual.geometry import Size
from textual.message import Message
from textual.screen import Screen

from endgame_core.language import _
from endgame_core.words.text_model import TextRow, TextSpan
from endgame_tui.keys import (
    BEGIN,
    CHOOSE,
    CURSOR_DOWN,
    CURSOR_UP,
    FIRST,
    LAST,
    NEXT_VALUE,
    PAGE_DOWN,
    PAGE_UP,
    PREVIOUS_VALUE,
    Key,
)
from endgame_tui.look import Look
from endgame_tui.widgets.canvas import Canvas, CanvasRow
from endgame_tui.widgets.lines import write


@dataclass(frozen=True, slots=True)
class RowItem(TextRow):
    """One row of a list.

    Attributes:
        key: The key of the item; None for a row without one: a heading, a blank or a notice.
        sticky: Whether the row stays in sight above the rows that follow it, up to the next sticky one.
        make_spans: Returns the spans of the row when it comes into sight; for long lists whose rows are costly.
    """

    key: object = None
    sticky: bool = False
    make_spans: Callable[[], tuple[TextSpan, ...]] | None = None


Items = Sequence[RowItem] | Callable[[Size], Sequence[RowItem]]
"""The rows of a list, or a function that returns them for the size of the widget."""


Head = TextRow | Callable[[Size], TextRow]
"""The text beside the title, or a function that returns it for the size of the widget."""


class Picker(Canvas, can_focus=True):
    """A widget with a cursor on one of its items. Subclasses bind the keys that move it."""

    title = ""
    """The bold text of the first row."""
    _just_entered = False
    """Whether the widget got the focus after the last click: then the click that gave it does not choose."""

    @property
    def keys(self) -> Sequence[Any]:
        """The keys of all items, in order."""
        raise NotImplementedError

    def move_cursor(self, key: Any) -> None:
        """Move the cursor to an item; it is drawn in one frame with what other widgets show of that item."""
        # No redraw yet: other widgets show the item only once the message has reached the screen.
        self.cursor = key
        self.post_message(self.Pointed(self, key))
        self._redraw_after_message(self)

    def _redraw_after_message(self, node: DOMNode) -> None:
        """Redraw when the message just posted has bubbled up to the screen: queue behind it in each node's queue."""
        if isinstance(node, Screen) or node.parent is None:
            self.redraw()
        else:
            node.call_later(self._redraw_after_message, node.parent)

    def action_step(self, items: int) -> None:
        """Move the cursor by a number of items, at most to the first or the last one."""
        keys = self.keys
        if keys:
            at = 0
            if self.cursor in keys:
                at = keys.index(self.cursor)
            self.move_cursor(keys[min(max(at + items, 0), len(keys) - 1)])

    def action_choose(self) -> None:
        """Choose the item under the cursor."""
        if self.cursor in self.keys:
            self.post_message(self.Chosen(self, self.cursor))

    def watch_has_focus(self, _has_focus: bool) -> None:
        """Show or hide the cursor, and post where it is."""
        super().watch_has_focus(_has_focus)
        # A click gives the focus before on_click is called, which could not tell it from an earlier focus.
        self._just_entered = _has_focus
        if _has_focus:
            self.post_message(self.Pointed(self, self.cursor, entered=True))

    def on_click(self, event: Click) -> None:
        """Move the cursor to the item under the mouse; a second click chooses it."""
        had_focus = self.has_focus and not self._just_entered
        self._just_entered = False
        self.focus()
        key = self.item_at(event.x, event.y)
        if key is None:
            return
        if key == self.cursor and had_focus:
            self.action_choose()
        else:
            self.move_cursor(key)


class Rows(Picker):
    """A list.

    It is not the ``OptionList`` of Textual 8.2, which repaints all of its rows when the cursor moves. Each in an app of
    its own with our driver, 30 rows at 80x24, that one sent 4,600 bytes for a key and took 5 ms of CPU time (with a
    ``Footer`` below it 4,750 and 6); this one sends 300 and takes 2.5.

    Args:
        title: The bold text of the first row; without it and without a head there is no such row.
        id: DOM id.
        pointer: Whether a column at the left end points to the row with the cursor.
        steady: Whether the cursor is also shown without the focus.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        CURSOR_UP.adapted(_("Row above"), system=True),
        CURSOR_DOWN.adapted(_("Row below"), system=True),
        PAGE_UP.adapted(_("Ten rows up"), action="step(-10)", system=True),
        PAGE_DOWN.adapted(_("Ten rows down"), action="step(10)", system=True),
        FIRST.adapted(_("First row")),
        LAST.adapted(_("Last row")),
        CHOOSE.adapted(_("Choose"), rank=1),
    ]
    tinted: ClassVar[bool] = True
    """Whether the row with the cursor is amber where its colours have no meaning, and its first span bold."""

    def __init__(self, title: str = "", *, id: str | None = None, pointer: bool = True, steady: bool = False) -> None:
        super().__init__(id=id)
        self.title = title
        self._pointer = pointer
        self._steady = steady
        self._items: Items = ()
        self._cached_items: tuple[Size, Sequence[RowItem]] | None = None
        self._head: Head | None = None
        self._top = 0
        """The number of the first row in sight."""
        self._drawn: dict[tuple[Any, bool], CanvasRow] = {}
        """The rows drawn so far by their key, without and with the cursor."""
        self._cache_drawn_for: tuple[Size, Look] | None = None

    def show(self, rows: Items, *, cursor: object = None, head: Head | None = None, title: str | None = None) -> None:
        """Show other rows.

        Args:
            rows: The rows.
            cursor: The key of the row for the cursor; by default it stays on its item or, if that is gone, near it.
            head: Text beside the title and at the right end of its row.
            title: Another title.
        """
        # The place of the cursor before the change, in case its item is gone afterwards.
        keys_before = [item.key for item in self._current_items()]
        cursor_row = 0
        if self.cursor in keys_before:
            cursor_row = keys_before.index(self.cursor)

        self._items = rows
        self._cached_items = None
        self._head = head
        self._drawn.clear()
        if title is not None:
            self.title = title
        if cursor is not None:
            self.cursor = cursor

        keys = [item.key for item in self._current_items()]
        if self.cursor is None or self.cursor not in keys:
            # Its item is gone: the next one takes its place, or the last of all.
            following = (key for key in keys[cursor_row:] if key is not None)
            last = next((key for key in reversed(keys) if key is not None), None)
            self.cursor = next(following, last)
        self.redraw()

    def _current_items(self) -> Sequence[RowItem]:
        """The rows for the current size; a function is called only once for each size."""
        if not callable(self._items):
            return self._items
        size = self.size
        if self._cached_items is None or self._cached_items[0] != size:
            self._cached_items = size, self._items(size)
        return self._cached_items[1]

    # The cursor

    @property
    def keys(self) -> list[object]:
        """The keys of the rows that have one."""
        return [item.key for item in self._current_items() if item.key is not None]

    @property
    def shows_all(self) -> bool:
        """Whether there is room for all rows."""
        return len(self._current_items()) <= self.size.height - self._heading_rows

    def action_page(self, pages: int) -> None:
        """Move the cursor by pages; bound by longer lists."""
        self.action_step(pages * max(self.size.height - 3, 1))

    def wheel(self, turns: int) -> None:
        """Move the cursor by three rows."""
        self.action_step(3 * turns)

    # Drawing

    def content_rows(self, size: Size) -> int:
        """The number of rows, with the heading."""
        return len(self._current_items()) + self._heading_rows

    @property
    def _heading_rows(self) -> int:
        """The number of rows above the list: 0 or 1."""
        if self.title or self._head is not None:
            return 1
        return 0

    def _window(self) -> list[RowItem]:
        """The rows in sight: that with the cursor and, if they are near, the headings above it."""
        items = self._current_items()
        space = max(self.size.height - self._heading_rows, 1)
        at = next((number for number, item in enumerate(items) if item.key is not None and item.key == self.cursor), 0)
        # The cursor reaches no heading without a key: such rows scroll into sight with the first row below them.
        first_heading = at
        while first_heading and (items[first_heading - 1].key is None or items[first_heading - 1].sticky):
            first_heading -= 1

        # Scroll no further than needed, and leave no free rows below the last one.
        if at - first_heading < space:
            lowest_top = first_heading
        else:
            lowest_top = at
        top = min(max(self._top, at - space + 1), lowest_top, max(len(items) - space, 0))
        self._top = top
        window = list(items[top : top + space])
        # The heading of the rows in sight takes the place of the first one.
        if window and not window[0].sticky and at > top:
            window[0] = next((item for item in reversed(items[:top]) if item.sticky), window[0])
        return window

    def draw(self) -> list[CanvasRow]:
        """The heading, then the rows in sight; without a heading, arrows at the right end mark that there are more."""
        window = self._window()
        size = self.size
        look = self.look
        # Cached rows have the width and the colours with which they were drawn.
        if self._cache_drawn_for != (size, look):
            self._drawn.clear()
            self._cache_drawn_for = size, look
        rows = [self._row(item) for item in window]

        if self._heading_rows:
            if callable(self._head):
                head = self._head(size)
            else:
                head = self._head or TextRow()
            arrows = self._arrows(len(window))
            if arrows and self.title:
                arrows = f" {arrows}"
            heading = self._title_row(self.title).put(arrows, "faint")
            heading = write(heading, head, size.width)
            if self.title and self.has_rules:
                heading = heading.ruled(size.width)
            return [heading, *rows]

        edges = (
            (0, look.glyphs.up, self._top),
            (len(rows) - 1, look.glyphs.down, self._hidden_below(len(window))),
        )
        for at, arrow, hidden in edges:
            if hidden:
                # The arrow replaces the last cell.
                strip = rows[at].strip(size.width).crop(0, size.width - 1)
                inks = ((text, style or Style()) for text, style, __ in strip)
                rows[at] = self.row().item(window[at].key).write(inks).put(arrow, "amber")
        return rows

    def _hidden_below(self, in_sight: int) -> int:
        """The number of rows below the window of ``in_sight`` rows."""
        return max(len(self._current_items()) - self._top - in_sight, 0)

    def _arrows(self, in_sight: int) -> str:
        """Arrows towards rows out of sight."""
        glyphs = self.look.glyphs
        return glyphs.up * (self._top > 0) + glyphs.down * (self._hidden_below(in_sight) > 0)

    def _row(self, item: RowItem) -> CanvasRow:
        """Draw one row; rows with a key are cached, so that moving the cursor draws two rows only."""
        has_cursor = (self.has_focus or self._steady) and item.key is not None and item.key == self.cursor
        # Rows without a key all have None as theirs, so that they cannot be told apart in the cache.
        cached = self._drawn.get((item.key, has_cursor))
        if cached is not None and item.key is not None:
            return cached

        row = self.row("selected" if has_cursor else "ground").item(item.key)
        self._drawn[item.key, has_cursor] = row
        if self._pointer:
            pointer = self.look.glyphs.pointer if has_cursor else " "
            row.put(pointer, "amber")
        if item.make_spans is None:
            text_row = item
        else:
            text_row = TextRow(item.make_spans())
        first_span = None
        if text_row.left:
            first_span = text_row.left[0]
        is_tinted = has_cursor and self.tinted

        def style_of(span: TextSpan) -> Style:
            # The colours of results keep their meaning under the cursor.
            if is_tinted and span.role in ("text", "dim", "faint"):
                role = "amber"
            else:
                role = span.role
            is_name = is_tinted and span is first_span
            return row.style(role, bold=span.bold or is_name, underline=is_name and not self.look.palette.has_colours)

        return write(row, text_row, self.size.width, style_of)


class ChoiceList(Rows, inherit_bindings=False):
    """Settings, keyed by their numbers: left, right and a click change the value of the one with the cursor."""

    BINDINGS: ClassVar[list[BindingType]] = [
        BEGIN,
        CURSOR_UP.adapted(_("Previous setting"), rank=3),
        CURSOR_DOWN.adapted(_("Next setting"), rank=3),
        PREVIOUS_VALUE,
        NEXT_VALUE,
        Key("space", "change(1)", _("Next value"), id="cycle_value"),
    ]

    @dataclass
    class Changed(Message):
        """The user changes a setting by a number of values, forwards or (negative) backwards."""

        row: int
        by: int

    def action_step(self, items: int) -> None:
        """Move the cursor, wrapping around."""
        keys = self.keys
        if keys:
            self.move_cursor(keys[(keys.index(self.cursor) + items) % len(keys)])

    def action_begin(self) -> None:
        """Begin with the chosen settings."""
        self.action_choose()

    def action_change(self, by: int) -> None:
        """Change the setting under the cursor."""
        self.post_message(self.Changed(self.cursor, by))

    def on_click(self, event: Click) -> None:
        """Move the cursor to the setting under the mouse, and change it."""
        # Textual calls the handlers of base classes, too; that of Picker would choose on a second click.
        event.prevent_default()
        self.focus()
        key = self.item_at(event.x, event.y)
        if key is not None:
            self.move_cursor(key)
            self.action_change(1)

"""Lists, and all else with a cursor on one of several items: it moves, and Enter or a click chooses."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from rich.style import Style
from textual.binding import Binding, BindingType
from textual.dom import DOMNode
from textual.events import Click
from textual.geometry import Size
from textual.message import Message
from textual.screen import Screen

from endgame_core.words.text_model import TextRow, TextSpan
from endgame_tui.look import Look
from endgame_tui.widgets.bars import Key
from endgame_tui.widgets.canvas import Canvas, CanvasRow
from endgame_tui.widgets.lines import write


@dataclass(frozen=True, slots=True)
class RowItem(TextRow):
    """One row of a list.

    Attributes:
        key: What the cursor knows it by; a row with None is a heading, a blank or a notice.
        sticky: Whether it stays in sight above the rows that belong to it, down to the next such row.
        words: Makes its words once it is in sight, where that costs something and there are many rows.
    """

    key: object = None
    sticky: bool = False
    words: Callable[[], tuple[TextSpan, ...]] | None = None


Items = Sequence[RowItem] | Callable[[Size], Sequence[RowItem]]
"""Rows; or what makes them for a size, asked again whenever that changes."""


Head = TextRow | Callable[[Size], TextRow]
"""Words of the first row; or what makes them for a size."""


class Picker(Canvas, can_focus=True):
    """A widget with a cursor on one of its items. Subclasses bind the keys that move it."""

    title = ""
    """The first row's bold words."""
    _entered = False

    @property
    def keys(self) -> Sequence[Any]:
        """What the items are known by, in their order."""
        raise NotImplementedError

    def point(self, key: Any) -> None:
        """Moves the cursor to an item; it is drawn together with what others show of that item, in one frame."""
        self.cursor = key
        self.post_message(self.Pointed(self, key))
        self._redraw_behind(self)

    def _redraw_behind(self, node: DOMNode) -> None:
        """Draws when the message that was posted before has been where it bubbles to: after it in each queue."""
        if isinstance(node, Screen) or node.parent is None:
            self.redraw()
        else:
            node.call_later(self._redraw_behind, node.parent)

    def action_step(self, items: int) -> None:
        """Moves the cursor, as far as there are items."""
        if keys := self.keys:
            at = keys.index(self.cursor) if self.cursor in keys else 0
            self.point(keys[min(max(at + items, 0), len(keys) - 1)])

    def action_choose(self) -> None:
        """Chooses the item under the cursor."""
        if self.cursor in self.keys:
            self.post_message(self.Chosen(self, self.cursor))

    def watch_has_focus(self, _has_focus: bool) -> None:
        """Shows the cursor, and tells where it is."""
        super().watch_has_focus(_has_focus)
        self._entered = _has_focus
        if _has_focus:
            self.post_message(self.Pointed(self, self.cursor, entered=True))

    def on_click(self, event: Click) -> None:
        """Points at the item under the mouse; a second click chooses it."""
        known, self._entered = self.has_focus and not self._entered, False
        self.focus()
        key = self.item_at(event.x, event.y)
        if key is not None and key == self.cursor and known:
            self.action_choose()
        elif key is not None:
            self.point(key)


class Rows(Picker):
    """A list.

    Args:
        title: The first row's bold words; without them and without a head there is no such row.
        id: DOM id.
        pointer: Whether a column at the left end points to the row with the cursor.
        steady: Whether the cursor is shown without the focus, too.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "step(-1)", "Row above", show=False, id="rows.up"),
        Binding("down,j", "step(1)", "Row below", show=False, id="rows.down"),
        Binding("pageup", "step(-10)", "Ten rows up", show=False, id="rows.page-up"),
        Binding("pagedown", "step(10)", "Ten rows down", show=False, id="rows.page-down"),
        Key("home", "step(-999999)", "First row", id="rows.home"),
        Key("end", "step(999999)", "Last row", id="rows.end"),
        Key("enter,space", "choose", "Choose", id="rows.choose", rank=1),
    ]
    tinted: ClassVar[bool] = True
    """Whether the first word under the cursor is bold, and all are amber whose colour has no meaning of its own."""

    def __init__(self, title: str = "", *, id: str | None = None, pointer: bool = True, steady: bool = False) -> None:
        super().__init__(id=id)
        self.title = title
        self._pointer, self._steady = pointer, steady
        self._items: Items = ()
        self._kept: tuple[Size, Sequence[RowItem]] | None = None
        self._head: Head | None = None
        self._top = 0
        self._drawn: dict[tuple[Any, bool], CanvasRow] = {}
        self._drawn_at: tuple[Size, Look] | None = None

    def show(self, rows: Items, *, cursor: object = None, head: Head | None = None, title: str | None = None) -> None:
        """Shows other rows.

        Args:
            rows: The rows.
            cursor: The key of the row to put the cursor on; without it the cursor stays where it is.
            head: Words behind the title, and at the right end of its row.
            title: Another title.
        """
        keys = [item.key for item in self._made()]
        before = keys.index(self.cursor) if self.cursor in keys else 0
        self._items, self._head, self._kept = rows, head, None
        self._drawn.clear()
        self.title = self.title if title is None else title
        keys = [item.key for item in self._made()]
        self.cursor = self.cursor if cursor is None else cursor
        if self.cursor is None or self.cursor not in keys:
            there = [key for key in keys[before:] if key is not None]
            self.cursor = next(iter(there), next((key for key in reversed(keys) if key is not None), None))
        self.redraw()

    def _made(self) -> Sequence[RowItem]:
        """The rows for this size, made once."""
        if not callable(self._items):
            return self._items
        size = self.size
        if self._kept is None or self._kept[0] != size:
            self._kept = size, self._items(size)
        return self._kept[1]

    # The cursor

    @property
    def keys(self) -> list[object]:
        """The keys of the rows that have one."""
        return [item.key for item in self._made() if item.key is not None]

    @property
    def shows_all(self) -> bool:
        """Whether there is room for all of them."""
        return len(self._made()) <= self.size.height - self._headed

    def action_page(self, pages: int) -> None:
        """Moves the cursor by pages, where a longer list binds it."""
        self.action_step(pages * max(self.size.height - 3, 1))

    def wheel(self, turns: int) -> None:
        """Moves the cursor."""
        self.action_step(3 * turns)

    # Drawing

    def high(self, size: Size) -> int:
        """A row for each, and the title."""
        return len(self._made()) + self._headed

    @property
    def _headed(self) -> int:
        """Rows above the list."""
        return 1 if self.title or self._head is not None else 0

    def _window(self) -> list[RowItem]:
        """The rows in sight: that of the cursor is, with its heading where that is near."""
        made, space = self._made(), max(self.size.height - self._headed, 1)
        at = next((number for number, item in enumerate(made) if item.key is not None and item.key == self.cursor), 0)
        first = at
        while first and (made[first - 1].key is None or made[first - 1].sticky):
            first -= 1
        top = min(max(self._top, at - space + 1), first if at - first < space else at, max(len(made) - space, 0))
        self._top = top
        shown = list(made[top : top + space])
        if shown and not shown[0].sticky and at > top:
            shown[0] = next((item for item in reversed(made[:top]) if item.sticky), shown[0])
        return shown

    def draw(self) -> list[CanvasRow]:
        """The title, then the rows in sight."""
        shown, size, look = self._window(), self.size, self.look
        if self._drawn_at != (size, look):
            self._drawn.clear()
            self._drawn_at = size, look
        body = [self._row(item) for item in shown]
        if self._headed:
            head = self._head(size) if callable(self._head) else self._head or TextRow()
            arrows = self._arrows(len(shown))
            row = self.heading(self.title).put(f" {arrows}" if arrows and self.title else arrows, "faint")
            return [write(row, head, size.width), *body]
        ends = ((0, look.glyphs.up, self._top), (len(body) - 1, look.glyphs.down, self._below(len(shown))))
        for at, sign, goes_on in ends:
            if goes_on:
                cut = body[at].strip(size.width).crop(0, size.width - 1)
                inks = ((text, style or Style()) for text, style, _ in cut)
                body[at] = self.row().item(shown[at].key).write(inks).put(sign, "amber")
        return body

    def _below(self, shown: int) -> int:
        """Rows that are out of sight below."""
        return max(len(self._made()) - self._top - shown, 0)

    def _arrows(self, shown: int) -> str:
        """Arrows towards rows that are out of sight."""
        glyphs = self.look.glyphs
        return glyphs.up * (self._top > 0) + glyphs.down * (self._below(shown) > 0)

    def _row(self, item: RowItem) -> CanvasRow:
        """One row, with the cursor or without; those that stay as they are when the cursor moves are drawn once."""
        here = (self.has_focus or self._steady) and item.key is not None and item.key == self.cursor
        if (result := self._drawn.get((item.key, here))) is not None and item.key is not None:
            return result
        row = self._drawn[item.key, here] = self.row("selected" if here else "ground").item(item.key)
        if self._pointer:
            row.put(self.look.glyphs.pointer if here else " ", "amber")
        note = item if item.words is None else TextRow(item.words())
        first, tinted = note.left[0] if note.left else None, here and self.tinted

        def ink(word: TextSpan) -> Style:
            role = "amber" if tinted and word.role in ("text", "dim", "faint") else word.role
            named = tinted and word is first
            return row.style(role, bold=word.bold or named, underline=named and not self.look.palette.coloured)

        return write(row, note, self.size.width, ink)


class ChoiceList(Rows, inherit_bindings=False):
    """Rows of choices, known by their numbers: left and right change the one with the cursor, and so does a click."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Key("enter", "begin", "Begin", id="setup.begin", short="start", rank=1),
        Key("up,k", "step(-1)", "Previous setting", id="setup.up", rank=3),
        Key("down,j", "step(1)", "Next setting", id="setup.down", rank=3),
        Key("left,h", "change(-1)", "Previous value", id="setup.left", short="change"),
        Key("right,l,space", "change(1)", "Next value", id="setup.right", short="change"),
    ]

    @dataclass
    class Changed(Message):
        """A choice is to be changed by so many steps."""

        row: int
        by: int

    def action_step(self, items: int) -> None:
        """Moves the cursor, round and round."""
        if keys := self.keys:
            self.point(keys[(keys.index(self.cursor) + items) % len(keys)])

    def action_begin(self) -> None:
        """What was chosen is to begin."""
        self.action_choose()

    def action_change(self, by: int) -> None:
        """Changes the choice under the cursor."""
        self.post_message(self.Changed(self.cursor, by))

    def on_click(self, event: Click) -> None:
        """Points at the choice under the mouse, and changes it."""
        event.prevent_default()
        self.focus()
        if (key := self.item_at(event.x, event.y)) is not None:
            self.point(key)
            self.action_change(1)

"""The list of what can be practised: all that is due, the sets, the themes by ending."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.events import Click, MouseScrollDown, MouseScrollUp
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip

from endgame_tui.widgets.canvas import Canvas, Row

NARROW = 40
"""Below this width the numbers of drills go."""


@dataclass(frozen=True, slots=True)
class CourseRow:
    """One row; one without a key is a heading, or blank.

    Attributes:
        key: What the cursor knows it by; empty where the cursor cannot be.
        name: Its name, of an ending for a theme.
        label: What stands behind the name: the theme in words.
        drills: Its drills; None where they are not counted.
        due: What is due today.
        right: Solved in percent, or a word instead.
        right_role: The role of that.
        indent: Whether it stands below the set it belongs to.
        opened: Whether a set's studies are shown; None where there are none.
        built: Whether it can be drilled.
    """

    key: str = ""
    name: str = ""
    label: str = ""
    drills: int | None = None
    due: int = 0
    right: str = ""
    right_role: str = "dim"
    indent: bool = False
    opened: bool | None = None
    built: bool = True


@dataclass(frozen=True, slots=True)
class CoursesView:
    """The rows, and the key of the row with the cursor."""

    rows: tuple[CourseRow, ...] = ()
    cursor: str = ""


class CourseList(Canvas, can_focus=True):
    """The list; up and down point, left and right change how to drill."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "point(-1)", "Row above", show=False, id="courses.up"),
        Binding("down,j", "point(1)", "Row below", show=False, id="courses.down"),
        Binding("pageup", "page(-1)", "Page up", show=False, id="courses.page-up"),
        Binding("pagedown", "page(1)", "Page down", show=False, id="courses.page-down"),
        Binding("home", "point(-9999)", "First row", show=False, id="courses.home"),
        Binding("end", "point(9999)", "Last row", show=False, id="courses.end"),
        Binding("left,h", "change(-1)", "Mode before", show=False, id="courses.left"),
        Binding("right,l", "change(1)", "Next mode", show=False, id="courses.right"),
        Binding("space", "open", "Open or close a set", show=False, id="courses.open"),
        Binding("enter", "choose", "Start", show=False, id="courses.choose"),
    ]

    view: reactive[CoursesView] = reactive(CoursesView(), repaint=False)
    """What to show."""

    @dataclass
    class Pointed(Message):
        """The cursor was moved to a row."""

        key: str

    @dataclass
    class Changed(Message):
        """The mode is to be changed by so many steps."""

        by: int

    class Opened(Message):
        """The set under the cursor is to be opened, or closed."""

    class Chosen(Message):
        """The row under the cursor is to be drilled."""

    _top = 0

    def _keys(self) -> list[str]:
        return [row.key for row in self.view.rows if row.key]

    def action_point(self, by: int) -> None:
        """Moves the cursor."""
        keys = self._keys()
        if keys:
            at = keys.index(self.view.cursor) if self.view.cursor in keys else 0
            self.post_message(self.Pointed(keys[min(max(at + by, 0), len(keys) - 1)]))

    def action_page(self, pages: int) -> None:
        """Moves the cursor by pages."""
        self.action_point(pages * max(self.size.height - 3, 1))

    def action_change(self, by: int) -> None:
        """Changes the mode."""
        self.post_message(self.Changed(by))

    def action_open(self) -> None:
        """Opens or closes the set."""
        self.post_message(self.Opened())

    def action_choose(self) -> None:
        """Starts."""
        self.post_message(self.Chosen())

    def on_mouse_scroll_down(self, _event: MouseScrollDown) -> None:
        """Moves down."""
        self.action_point(3)

    def on_mouse_scroll_up(self, _event: MouseScrollUp) -> None:
        """Moves up."""
        self.action_point(-3)

    def on_click(self, event: Click) -> None:
        """Points at a row; a second click starts it."""
        self.focus()
        number = self._top + event.y
        if 0 <= number < len(self.view.rows) and (key := self.view.rows[number].key):
            self.post_message(self.Chosen() if key == self.view.cursor else self.Pointed(key))

    def _scroll(self) -> int:
        """The first row shown; the row of the cursor is always in sight, with its heading where that is near."""
        rows, height = self.view.rows, self.size.height
        at = next((number for number, row in enumerate(rows) if row.key == self.view.cursor), 0)
        if at <= 2:
            return 0
        first = min(self._top, max(len(rows) - height, 0))
        if at < first + 1:
            first = at - 1
        return max(first, at - height + 2 if at + 1 < len(rows) else at - height + 1)

    def draw(self) -> list[Strip]:
        """The window of rows."""
        self._top = self._scroll()
        return [self._row(row).strip(self.size.width) for row in self.view.rows[self._top :][: self.size.height]]

    def _row(self, view: CourseRow) -> Row:
        if not view.key:
            return self._heading(view)
        pen, glyphs, width = self.look.palette, self.look.glyphs, self.size.width
        here = view.key == self.view.cursor
        ground = "selected" if here else "ground"
        ink = "amber" if here else "text" if view.built else "dim"
        row = self.row(ground).put(" ", pen("text")) if width >= NARROW else self.row(ground)
        row.put(glyphs.pointer if here else " ", pen("amber", ground)).put(" ", pen("text", ground))
        end = width - (19 if view.drills is not None else 13) if width >= NARROW else width - 10
        if view.opened is not None:
            name = f"{view.name} {glyphs.opened if view.opened else glyphs.closed}"
        else:
            name = view.name
        row.put("  " if view.indent else "", pen("text", ground))
        row.put(self._cut(name, end - row.width), pen(ink, ground, bold=here))
        if view.label and row.width + 2 < end:
            row.put(" " * max(7 - len(name), 1), pen("text", ground))
            row.put(self._cut(view.label, end - row.width), pen("amber" if here else "dim", ground))
        if view.drills is not None and width >= NARROW:
            row.right(str(view.drills), pen("amber" if here else "dim", ground), width - 17)
        if view.due:
            row.right(str(view.due), pen("amber" if here else "text", ground), width - 10)
        if view.right:
            role = "amber" if here else view.right_role
            row.right(glyphs.plain(view.right), pen(role, ground), width - 1)
        return row

    def _heading(self, view: CourseRow) -> Row:
        pen, width = self.look.palette, self.size.width
        row = self.row().to(3 if width >= NARROW else 2)
        row.put(view.name, pen.title(self.has_focus and bool(view.right)))
        if view.label and width >= NARROW:
            row.right(view.label, pen("dim"), width - 17)
        if view.right:
            row.right("due", pen("dim"), width - 10)
            row.right(view.right, pen("dim"), width - 1)
        return row

    def _cut(self, text: str, room: int) -> str:
        glyphs = self.look.glyphs
        text = glyphs.plain(text)
        return text if len(text) <= room else text[: max(room - len(glyphs.more), 0)] + glyphs.more

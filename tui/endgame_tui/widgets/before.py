"""The Before panel: positions from which one move leads here, to walk away from the end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.events import Click
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip

from endgame_tui.widgets.canvas import Canvas
from endgame_tui.widgets.groups import Group

LABELLED = 40
"""From this width on, every group says in words what the move before it was worth."""


@dataclass(frozen=True, slots=True)
class BeforeView:
    """The previous positions by layer, best play first, and the selected one."""

    groups: tuple[Group, ...] = ()
    cursor: int | None = None
    notice: str = ""


class BeforePanel(Canvas, can_focus=True):
    """Previous positions; the cursor walks through them and Enter goes there."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,left,k,h", "point(-1)", "Previous one", show=False, id="before.up"),
        Binding("down,right,j,l", "point(1)", "Next one", show=False, id="before.down"),
        Binding("home", "point(-999)", "First one", show=False, id="before.home"),
        Binding("end", "point(999)", "Last one", show=False, id="before.end"),
        Binding("enter,space", "choose", "Go there", show=False, id="before.choose"),
    ]

    view: reactive[BeforeView] = reactive(BeforeView(), repaint=False)
    """What to show."""

    @dataclass
    class Pointed(Message):
        """The cursor was moved to a previous position."""

        number: int

    @dataclass
    class Chosen(Message):
        """A previous position was chosen."""

        number: int

    @property
    def _count(self) -> int:
        return sum(len(group.moves) for group in self.view.groups)

    def action_point(self, steps: int) -> None:
        """Moves the cursor."""
        if self._count:
            number = min(max((self.view.cursor or 0) + steps, 0), self._count - 1)
            self.post_message(self.Pointed(number))

    def action_choose(self) -> None:
        """Chooses the position under the cursor."""
        if self._count:
            self.post_message(self.Chosen(self.view.cursor or 0))

    def on_click(self, event: Click) -> None:
        """Chooses the position under the mouse."""
        self.focus()
        rows = self._rows()
        if not 1 <= event.y <= len(rows):
            return
        _, first, names = rows[event.y - 1]
        column = event.x - self._start
        for number, name in enumerate(names, start=first):
            if 0 <= column < len(name):
                self.post_message(self.Chosen(number))
                return
            column -= len(name) + 1

    @property
    def _start(self) -> int:
        """The column where the positions begin."""
        titles = max((len(self._label(group)) for group in self.view.groups), default=3)
        return 19 if self.size.width >= LABELLED else max(titles, 3) + 1

    def _label(self, group: Group) -> str:
        """The layer; where two groups share it and no words tell them apart, with the plies that were given up."""
        shared = sum(other.title == group.title for other in self.view.groups) > 1
        plies = group.note.removeprefix("gave up ")
        told = not shared or self.size.width >= LABELLED or plies == group.note
        return group.title if told else f"{group.title}+{plies}"

    def _rows(self) -> list[tuple[int | None, int, list[str]]]:
        """The window of rows: number of the group on its first row, first position, names."""
        width = self.size.width - self._start
        rows: list[tuple[int | None, int, list[str]]] = []
        first = 0
        for number, group in enumerate(self.view.groups):
            row: list[str] = []
            heading: int | None = number
            for name in group.moves:
                if row and len(" ".join([*row, name])) > width:
                    rows.append((heading, first, row))
                    first, heading, row = first + len(row), None, []
                row.append(name)
            rows.append((heading, first, row))
            first += len(row)
        space = max(self.size.height - 1, 1)
        cursor = self.view.cursor if self.has_focus else None
        at = next(
            (
                at
                for at, (_, start, names) in enumerate(rows)
                if cursor is not None and start <= cursor < start + len(names)
            ),
            0,
        )
        skip = min(max(at - space + 1, 0), max(len(rows) - space, 0))
        return rows[skip : skip + space]

    def draw(self) -> list[Strip]:
        """The title, then the positions by layer."""
        pen, width, view = self.look.palette, self.size.width, self.view
        title = self.row().put("Before", pen.title(self.has_focus))
        if self._count:
            title.right(str(self._count), pen("faint"), width)
        strips = [title.strip(width)]
        if view.notice:
            strips.append(self.row().put(view.notice, pen("dim")).strip(width))
        labelled = width >= LABELLED
        owners = self._owners()
        for heading, first, names in self._rows():
            group = view.groups[owners[first]]
            row = self.row()
            if heading is not None:
                row.put(self._label(group), pen("text" if group.best else "dim", bold=group.best))
                if labelled:
                    row.to(5).put(group.note, pen("dim"))
            row.to(self._start)
            plain = pen("text" if group.best and labelled else "dim")
            for number, name in enumerate(names, start=first):
                here = self.has_focus and number == view.cursor
                row.put(name, pen("amber", "selected", bold=True, underline=not pen.coloured) if here else plain)
                row.put(" ", pen("text"))
            strips.append(row.strip(width))
        return strips

    def _owners(self) -> dict[int, int]:
        """The group of every position."""
        owners: dict[int, int] = {}
        for number, group in enumerate(self.view.groups):
            for _ in group.moves:
                owners[len(owners)] = number
        return owners

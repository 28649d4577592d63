"""The board of any game: it shows a picture, moves a cursor over its points, and reports which was chosen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

from textual.binding import BindingType
from textual.events import Click
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip

from endgame_tui.look import Look
from endgame_tui.widgets.bars import Key
from endgame_tui.widgets.canvas import Canvas, Ink


@dataclass(frozen=True, slots=True)
class Label:
    """What a move to a point leads to: a layer, ``=``, or nothing known; and whether it is a best move."""

    text: str = ""
    best: bool = False


class Scale(Protocol):
    """How large a board is drawn."""

    @property
    def columns(self) -> int:
        """Columns of the whole board."""
        ...

    @property
    def rows(self) -> int:
        """Rows of the whole board."""
        ...

    @property
    def large(self) -> bool:
        """Whether there is room to show where the man under the cursor can go."""
        ...


class Picture(Protocol):
    """Everything a board shows. Points are numbered as in the rules of the game."""

    @property
    def cursor(self) -> int | None:
        """The point with the cursor."""
        ...

    def paint(self, scale: Scale, look: Look) -> Sequence[Sequence[Ink]]:
        """The board row by row, in pieces that are repainted alone."""
        ...

    def names(self, scale: Scale) -> tuple[Sequence[tuple[int, str]], Sequence[tuple[int, str]]]:
        """What is written left of some rows, and below some columns."""
        ...

    def at(self, x: int, y: int, scale: Scale) -> int | None:
        """The point drawn at a cell."""
        ...

    def towards(self, point: int | None, columns: int, rows: int) -> int:
        """Where the cursor goes from a point by an arrow key."""
        ...


class Board(Canvas, can_focus=True):
    """The board. With ``width: auto`` and ``height: auto`` it is as large as its scale says.

    Args:
        view: What to show first.
        scale: How large.
        id: DOM id.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        *(
            Key(
                f"{way},{letter}", f"point({step})", f"Cursor {way}", id=f"board.{way}",
                words={"morris": f"Along the line {way}"},
            )
            for way, letter, step in (
                ("up", "k", "0,-1"), ("down", "j", "0,1"), ("left", "h", "-1,0"), ("right", "l", "1,0")
            )
        ),
        Key(
            "enter,space", "choose", "Pick a man, drop it", id="board.choose",
            words={"morris": "Pick a stone, put it down, take one"},
        ),
    ]  # fmt: skip

    view: reactive[Any] = reactive(None, repaint=False)
    """The picture to show."""

    @dataclass
    class Pointed(Message):
        """The cursor was moved to a point."""

        point: int

    @dataclass
    class Chosen(Message):
        """A point was chosen, by Enter or by a click."""

        point: int

    def __init__(self, view: Picture | None = None, scale: Any = None, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.scale = scale
        self.margin = 3
        self.set_reactive(Board.view, view)

    def resize(self, scale: Scale, margin: int) -> None:
        """Changes how large the board is drawn, and how many columns are left of it."""
        if (scale, margin) != (self.scale, self.margin):
            self.scale, self.margin = scale, margin
            self.redraw()
            self.refresh(layout=True)

    def get_content_width(self, container: Size, viewport: Size) -> int:
        """The board and what names its rows."""
        del container, viewport
        return self.margin + (self.scale.columns if self.scale else 0)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """The board and what names its columns."""
        del container, viewport, width
        return 1 + (self.scale.rows if self.scale else 0)

    def action_point(self, columns: int, rows: int) -> None:
        """Moves the cursor."""
        if self.view is not None:
            self.post_message(self.Pointed(self.view.towards(self.view.cursor, columns, rows)))

    def action_choose(self) -> None:
        """Chooses the point under the cursor."""
        if self.view is not None and self.view.cursor is not None:
            self.post_message(self.Chosen(self.view.cursor))

    def on_click(self, event: Click) -> None:
        """Chooses the point under the mouse."""
        if self.view is None or self.scale is None or not self.can_focus:
            return
        point = self.view.at(event.x - self.margin, event.y, self.scale)
        if point is not None:
            self.focus()
            self.post_message(self.Chosen(point))

    def draw(self) -> list[Strip]:
        """Row names, the board, column names."""
        view, scale, margin, width = self.view, self.scale, self.margin, self.size.width
        if view is None or scale is None:
            return []
        dim = self.look.palette("dim")
        beside, below = view.names(scale)
        names = dict(beside)
        strips: list[Strip] = []
        for y, pieces in enumerate(view.paint(scale, self.look)):
            row = self.row().to(margin - 2).put(names.get(y, ""), dim).to(margin)
            strips.append(row.write(pieces).strip(width, joined=False))
        row = self.row()
        for x, name in below:
            row.to(margin + x).put(name, dim)
        return [*strips, row.strip(width)]

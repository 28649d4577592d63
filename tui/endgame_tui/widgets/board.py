"""The chess board: ranks, files, a cursor. It shows a view and reports squares."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
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

from endgame_tui.widgets.canvas import Canvas, Ink, Row
from endgame_tui.widgets.cells import Cells, Face, paint
from endgame_tui.widgets.men import Man


@dataclass(frozen=True, slots=True)
class Label:
    """What a move to a square leads to."""

    text: str
    best: bool


@dataclass(frozen=True, slots=True)
class BoardView:
    """Everything the board shows. Squares are numbered 0 (a1) to 63 (h8).

    Attributes:
        men: The men by square.
        cursor: Square of the cursor.
        picked: Square of the man picked up.
        moved: From and to of the last move.
        labels: Where the man in question can go.
        flipped: Black's side is below.
    """

    men: Mapping[int, Man] = field(default_factory=dict[int, Man])
    cursor: int | None = None
    picked: int | None = None
    moved: tuple[int, int] | None = None
    labels: Mapping[int, Label] = field(default_factory=dict[int, Label])
    flipped: bool = False

    def square(self, column: int, row: int) -> int:
        """The square ``column`` from the left and ``row`` from the top."""
        return row * 8 + 7 - column if self.flipped else (7 - row) * 8 + column

    def face(self, square: int) -> Face:
        """How a square looks."""
        shade = "light" if (square + square // 8) % 2 else "dark"
        label = self.labels.get(square)
        ground = f"square_{shade}"
        if square == self.picked or (self.moved is not None and square in self.moved):
            ground = f"moved_{shade}"
        if label is not None and label.best:
            ground = "best_target"
        left = square == self.picked or (self.moved is not None and square == self.moved[0])
        return Face(
            ground,
            self.men.get(square),
            label.text if label else "",
            label.best if label else False,
            square == self.cursor,
            left,
        )


class _Beside(Layout):
    """Rank names, then eight files, side by side."""

    name = "beside"

    def arrange(self, parent: Widget, children: list[Widget], size: Size, greedy: bool = True) -> ArrangeResult:
        assert isinstance(parent, Board)
        x, placements = 0, list[WidgetPlacement]()
        for number, child in enumerate(children):
            width = parent.cells.width if number else parent.margin_left
            region = Region(x, 0, width, size.height)
            placements.append(WidgetPlacement(region, NULL_OFFSET, Spacing(), child))
            x += width
        return placements


class Board(Widget, can_focus=True):
    """The board. Nine thin children, so that a changed square repaints little.

    Args:
        id: DOM id.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "point(0,-1)", "Cursor up", show=False, id="board.up"),
        Binding("down,j", "point(0,1)", "Cursor down", show=False, id="board.down"),
        Binding("left,h", "point(-1,0)", "Cursor left", show=False, id="board.left"),
        Binding("right,l", "point(1,0)", "Cursor right", show=False, id="board.right"),
        Binding("enter,space", "choose", "Pick a man, drop it", show=False, id="board.choose"),
    ]

    view: reactive[BoardView] = reactive(BoardView(), repaint=False)
    """What to show."""

    @dataclass
    class Pointed(Message):
        """The cursor was moved to a square."""

        square: int

    @dataclass
    class Chosen(Message):
        """A square was chosen, by Enter or by a click."""

        square: int

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._beside = _Beside()
        self.cells = Cells(2, 4, shifted=True)
        self.margin_left = 3
        self._ranks = _Ranks()
        self._files = [_File(column) for column in range(8)]

    @property
    def layout(self) -> Layout:
        """Ranks and files side by side."""
        return self._beside

    def compose(self) -> ComposeResult:
        """The rank names and the files."""
        yield self._ranks
        yield from self._files

    def resize_cells(self, cells: Cells, margin_left: int) -> None:
        """Changes the size of the squares."""
        if (cells, margin_left) != (self.cells, self.margin_left):
            self.cells, self.margin_left = cells, margin_left
            self._ranks.refresh(repaint=False, layout=True)
            self._redraw()

    def watch_view(self) -> None:
        """Shows a new view."""
        self._redraw()

    def _redraw(self) -> None:
        self._ranks.redraw()
        for file in self._files:
            file.redraw()

    def action_point(self, columns: int, rows: int) -> None:
        """Moves the cursor."""
        cursor = self.view.cursor if self.view.cursor is not None else 0
        column, row = cursor % 8, 7 - cursor // 8
        if self.view.flipped:
            column, row = 7 - column, 7 - row
        square = self.view.square((column + columns) % 8, (row + rows) % 8)
        self.post_message(self.Pointed(square))

    def action_choose(self) -> None:
        """Chooses the square under the cursor."""
        if self.view.cursor is not None:
            self.post_message(self.Chosen(self.view.cursor))


class _Ranks(Canvas):
    """The names of the ranks."""

    def draw(self) -> list[Strip]:
        board = self.parent
        assert isinstance(board, Board)
        cells, look = board.cells, self.look
        width = self.size.width
        blank = self.row().strip(width)
        rows = [blank] * cells.rows
        for rank in range(8):
            name = str(board.view.square(0, rank) // 8 + 1)
            y = rank * cells.height + cells.man_row + cells.shifted
            style = look.palette("dim")
            rows[y] = self.row().to(width - 2).put(name, style).strip(width)
        return rows


class _File(Canvas):
    """One file of squares, its name below."""

    def __init__(self, column: int) -> None:
        super().__init__()
        self._column = column

    def draw(self) -> list[Strip]:
        board = self.parent
        assert isinstance(board, Board)
        cells, view, look = board.cells, board.view, self.look
        faces = [view.face(view.square(self._column, rank)) for rank in range(8)]
        rows: list[tuple[Ink, ...]] = []
        for rank, face in enumerate(faces):
            if cells.shifted:
                above = faces[rank - 1].ground if rank else "ground"
                rows.append((("▄" * cells.width, look.palette(face.ground, above)),))
            rows.extend(paint(face, cells, look))
        if cells.shifted:
            rows.append((("▀" * cells.width, look.palette(faces[7].ground)),))
        strips = [Row(Style.null()).write(row).strip(cells.width) for row in rows]
        name = "abcdefgh"[view.square(self._column, 0) % 8]
        letters = self.row().to((cells.width - 1) // 2).put(name, look.palette("dim"))
        return [*strips, letters.strip(cells.width)]

    def on_click(self, event: Click) -> None:
        board = self.parent
        assert isinstance(board, Board)
        rank = board.cells.rank_at(event.y)
        if rank is not None:
            board.focus()
            square = board.view.square(self._column, rank)
            board.post_message(Board.Chosen(square))

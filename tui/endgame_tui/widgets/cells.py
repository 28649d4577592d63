"""The squares of the board: what one of them looks like at every size of cell."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from rich.style import Style

from endgame_tui.look import Look
from endgame_tui.widgets.canvas import Ink
from endgame_tui.widgets.men import BLACK_MARK, DRAWINGS, Man


@dataclass(frozen=True, slots=True)
class Cells:
    """The size of a square in terminal cells.

    Attributes:
        height: Rows.
        width: Columns.
        shifted: Squares lie half a row lower, so that a man two rows high stands in the middle;
            the board is one row higher for it.
    """

    height: int
    width: int
    shifted: bool = False

    @property
    def rows(self) -> int:
        """Rows of the whole board."""
        return 8 * self.height + self.shifted

    @property
    def man_row(self) -> int:
        """The row of a square on which a glyph or a label stands."""
        return (self.height - 1) // 2

    def rank_at(self, row: int) -> int | None:
        """The rank (0 at the top) under a row of the board."""
        rank = (row - self.shifted) // self.height
        return rank if 0 <= rank < 8 and row >= 0 else None


@dataclass(frozen=True, slots=True)
class Face:
    """All that decides how a square looks.

    Attributes:
        ground: Role of its colour.
        man: The man on it.
        label: Layer a move to it reaches, or ``=``.
        best: Whether that move is a best one.
        cursor: Whether the cursor is here.
        left: Whether the last move started here, or the man was picked up.
    """

    ground: str
    man: Man | None = None
    label: str = ""
    best: bool = False
    cursor: bool = False
    left: bool = False


@lru_cache(maxsize=512)
def paint(face: Face, cells: Cells, look: Look) -> tuple[tuple[Ink, ...], ...]:
    """Draws a square: its rows, each as pieces of text.

    A shifted square is drawn as its middle row alone; the rows between squares are half and half.
    """
    height = 1 if cells.shifted else cells.height
    grid = _Grid(face, height, cells.width, look)
    row = 0 if cells.shifted else cells.man_row
    if face.man is not None:
        drawn = height >= 4 and cells.width >= 8 and look.palette.coloured and look.glyphs.unicode
        if drawn:
            grid.draw_man(face.man)
        else:
            grid.put_man(face.man, row)
    elif face.label:
        grid.put_label(row)
    elif face.left and not look.palette.coloured:
        grid.halo(row, (cells.width - 2) // 2, "()")
    if face.cursor:
        grid.put_cursor(row)
    return tuple(grid.inks(y) for y in range(height))


class _Grid:
    """A square being drawn, cell by cell."""

    def __init__(self, face: Face, height: int, width: int, look: Look) -> None:
        self.face, self.look, self.height, self.width = face, look, height, width
        self._blank = look.palette("text", face.ground)
        shade = " "
        if not look.palette.coloured and face.ground.endswith("dark"):
            shade = "░" if look.glyphs.unicode else "."
        self._cells = [[(shade, self._blank) for _ in range(width)] for _ in range(height)]

    def style(self, role: str, bold: bool = False) -> Style:
        return self.look.palette(role, self.face.ground, bold=bold)

    def put(self, row: int, column: int, chars: str | tuple[str, ...], style: Style) -> None:
        for offset, char in enumerate(chars):
            if 0 <= column + offset < self.width:
                self._cells[row][column + offset] = (char, style)

    def halo(self, row: int, column: int, chars: str | tuple[str, ...], style: Style | None = None) -> None:
        """Puts text with a blank on either side, so that shading does not touch it."""
        self.put(row, column - 1, " " * (len(chars) + 2), self._blank)
        self.put(row, column, chars, style or self._blank)

    def put_man(self, man: Man, row: int) -> None:
        style = self.style("white_man" if man.white else "black_man", not self.look.palette.coloured)
        self.halo(row, (self.width - 2) // 2, man.glyph(self.look.glyphs.unicode), style)

    def draw_man(self, man: Man) -> None:
        style = self.style("white_man" if man.white else "black_man")
        left = (self.width - 6) // 2
        for row, line in enumerate(DRAWINGS[man.letter], start=self.height - 4):
            for column, char in enumerate(line, start=left):
                if char != " ":
                    self.put(row, column, char, style)
        if not man.white:
            self.put(self.height - 1, left + 5, BLACK_MARK, style)

    def put_label(self, row: int) -> None:
        face = self.face
        style = self.style("white_man" if face.best else "square_label", face.best)
        column = max(0, (self.width - len(face.label)) // 2)
        if self.look.palette.coloured:
            self.put(row, column, face.label, style)
            return
        self.put(row, 0, " " * self.width, self._blank)
        text = face.label
        if face.best and self.width > len(text):
            text, column = self.look.glyphs.pointer + text, max(0, column - 1)
        self.put(row, column, text, style)

    def put_cursor(self, row: int) -> None:
        style = self.style("cursor", bold=True)
        last = self.width - 1
        if self.width < 4 or len(self.face.label) > self.width - 2:
            style = self.look.palette(self.face.ground, "cursor", bold=True)
            if not self.look.palette.coloured:
                style = self.look.palette("text", underline=True)
            elif self.face.man is not None:
                style = self.look.palette("black_man", "cursor", bold=True)
            chars = [char for char, _ in self._cells[row]]
            self.put(row, 0, tuple(chars), style)
        elif self.height >= 4 and self.look.glyphs.unicode and self.look.palette.coloured:
            self.put(0, 0, "┏", style)
            self.put(0, last, "┓", style)
            self.put(self.height - 1, 0, "┗", style)
            self.put(self.height - 1, last, "┛", style)
        else:
            if not self.look.palette.coloured and self.face.man is None and not self.face.label:
                self.put(row, 0, " " * self.width, self._blank)
            self.put(row, 0, "[", style)
            self.put(row, last, "]", style)

    def inks(self, row: int) -> tuple[Ink, ...]:
        """The row as pieces of one style each."""
        pieces: list[Ink] = []
        for char, style in self._cells[row]:
            if pieces and pieces[-1][1] is style:
                pieces[-1] = (pieces[-1][0] + char, style)
            else:
                pieces.append((char, style))
        return tuple(pieces)

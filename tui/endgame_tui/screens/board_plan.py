"""What all screens with a board and panels share of their plans: the largest cells, and the smallest screens."""

from __future__ import annotations

from dataclasses import dataclass

from textual.geometry import Region

from endgame_tui.widgets.squares import Cells
from endgame_tui.widgets.stones import Pitch

PANELS = 41
"""Columns the panels take beside the board at least."""

WIDE = 48
"""Columns the panels take when there is room to spare."""

SMALL = 76
"""Below this width there is room for one column beside the board, but not for panels."""

STONES = 44
"""Columns beside a board of stones that is larger than it must be."""

SLIM = 14
"""A column of moves narrower than this shows one move in a row."""


@dataclass(frozen=True, slots=True)
class BoardSize:
    """How large a board is drawn.

    Attributes:
        cells: The cells of a square, or how far the points of a board of stones stand apart.
        margin: Columns left of it.
    """

    cells: Cells | Pitch
    margin: int = 3

    @property
    def columns(self) -> int:
        """Columns of the board with what names its rows."""
        return self.margin + (self.cells.columns if isinstance(self.cells, Pitch) else 8 * self.cells.width)

    @property
    def rows(self) -> int:
        """Rows of the board without what names its files."""
        return self.cells.rows


@dataclass(frozen=True, slots=True)
class Plan:
    """Regions by widget id, and how the board is drawn."""

    cells: Cells
    margin: int
    regions: dict[str, Region]

    @property
    def small(self) -> bool:
        """Whether the panels are folded away."""
        return self.margin < 3

    @property
    def slim(self) -> bool:
        """Whether the moves have room for one in a row only."""
        return "moves" in self.regions and self.regions["moves"].width < SLIM


@dataclass(frozen=True, slots=True)
class Arranged:
    """Regions by widget id around a board of either game.

    Attributes:
        board: How the board is drawn.
        small: Whether the panels are folded away.
        regions: Where everything stands.
    """

    board: BoardSize
    small: bool
    regions: dict[str, Region]


def board_size(game: str, width: int, height: int, coloured: bool) -> BoardSize:
    """How the board of a game is drawn on a screen with panels beside it.

    Args:
        game: Its name.
        width: Columns of the terminal.
        height: Rows of the terminal.
        coloured: Whether half-block characters in colour can be used.
    """
    small = width < SMALL
    if game == "morris":
        pitch = stones_pitch(width, height)
        return BoardSize(pitch, 2 if small else 4 if pitch.large else 3)
    if small:
        return BoardSize(small_cells(width, height, coloured and height > 21), 2)
    return BoardSize(largest(width, height, coloured, coloured), 3)


def stones_pitch(width: int, height: int) -> Pitch:
    """The largest board of stones that leaves room for the panels and the words."""
    if width < SMALL:
        return Pitch(4, 2) if height >= 16 else Pitch(4, 1)
    for pitch, margin in ((Pitch(9, 5), 4), (Pitch(8, 4), 3)):
        if width >= margin + pitch.columns + STONES and height >= pitch.rows + 7:
            return pitch
    return Pitch(6, 3) if height >= 22 else Pitch(4, 2)


def largest(width: int, height: int, half_rows: bool, drawn: bool) -> Cells:
    """The largest cells that leave room for the panels and the words."""
    if drawn and width - 3 - 64 >= PANELS + 8 and height >= 38:
        return Cells(4, 8)
    if width - 3 - 48 >= PANELS and height >= 30:
        return Cells(3, 6)
    if height >= 22:
        return Cells(2, 4, shifted=half_rows)
    return Cells(1, 2)


def small_cells(width: int, height: int, half_rows: bool) -> Cells:
    """The cells of the smallest screens."""
    return Cells(2, 4, shifted=half_rows) if width >= 34 and height >= 19 else Cells(1, 2)


def small(width: int, height: int, half_rows: bool, strip: bool) -> Plan:
    """The smallest screens: the board, one column of moves, verdict and layer in the header."""
    cells = small_cells(width, height, half_rows)
    return Plan(cells, 2, small_regions(BoardSize(cells, 2), width, height, strip))


def small_regions(size: BoardSize, width: int, height: int, strip: bool) -> dict[str, Region]:
    """Where everything stands on the smallest screens, for a board of a size."""
    regions, bottom = frame(width, height, strip)
    board = Region(0, 1, min(size.columns, width), min(size.rows + 1, max(bottom - 1, 0)))
    regions["board"] = board
    rows = bottom - board.bottom
    if rows > 0:
        regions["reason"] = Region(0, board.bottom, width, 1)
    if rows > 1:
        regions["line"] = Region(0, board.bottom + 1, width, min(rows - 1, 2))
    if rows > 3:
        regions["fen"] = Region(0, board.bottom + 3, width, 1)
    left = board.right + 1
    if width - left >= SLIM:
        regions["verdict"] = Region(left + 1, 1, width - left - 2, 1)
        regions["moves"] = Region(left + 1, 3, width - left - 2, max(board.height - 2, 1))
    elif width - left >= 4:
        rows = min(16, board.height) if size.rows > 8 else board.height
        regions["moves"] = Region(left, 1, width - left, rows)
    return regions


def frame(width: int, height: int, strip: bool) -> tuple[dict[str, Region], int]:
    """Top bar, strip and keys; and the row where the room above them ends."""
    regions = {"top": Region(0, 0, width, 1), "keys": Region(0, height - 1, width, 1)}
    bottom = height - 1
    if strip:
        bottom -= 1
        regions["strip"] = Region(0, bottom, width, 1)
    return regions, bottom


def within(regions: dict[str, Region], bottom: int) -> dict[str, Region]:
    """The regions as far as they are above a row; what the frame is made of stays, what would be empty goes."""
    framed = ("top", "keys", "strip")
    return {
        name: cut
        for name, region in regions.items()
        if (cut := region if name in framed else region.crop_size((region.width, max(bottom - region.y, 0)))).area
    }


def panels_left(width: int, cells: Cells) -> int:
    """The column where the panels begin, beside a board of such cells."""
    return beside(width, 3 + 8 * cells.width)


def beside(width: int, columns: int) -> int:
    """The column where the panels begin, beside a board of so many columns."""
    left = columns + (3 if width < 100 else 4)
    return min(width - 1 - WIDE, 71) if width - 1 - WIDE >= left else left

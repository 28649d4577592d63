"""What all screens with a board and panels share of their plans: the largest cells, and the smallest screens."""

from __future__ import annotations

from dataclasses import dataclass

from textual.geometry import Region

from endgame_tui.widgets.cells import Cells

PANELS = 41
"""Columns the panels take beside the board at least."""

WIDE = 48
"""Columns the panels take when there is room to spare."""

SMALL = 76
"""Below this width there is room for one column beside the board, but not for panels."""

SLIM = 14
"""A column of moves narrower than this shows one move in a row."""


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


def largest(width: int, height: int, half_rows: bool, drawn: bool) -> Cells:
    """The largest cells that leave room for the panels and the words."""
    if drawn and width - 3 - 64 >= PANELS + 8 and height >= 38:
        return Cells(4, 8)
    if width - 3 - 48 >= PANELS and height >= 30:
        return Cells(3, 6)
    if height >= 22:
        return Cells(2, 4, shifted=half_rows)
    return Cells(1, 2)


def small(width: int, height: int, half_rows: bool, strip: bool) -> Plan:
    """The smallest screens: the board, one column of moves, verdict and layer in the header."""
    cells = Cells(2, 4, shifted=half_rows) if width >= 34 and height >= 19 else Cells(1, 2)
    margin = 2
    regions, bottom = frame(width, height, strip)
    board = Region(0, 1, margin + 8 * cells.width, min(cells.rows + 1, max(bottom - 1, 0)))
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
        rows = min(16, board.height) if cells.height > 1 else board.height
        regions["moves"] = Region(left, 1, width - left, rows)
    return Plan(cells, margin, regions)


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
    left = 3 + 8 * cells.width + (3 if width < 100 else 4)
    return min(width - 1 - WIDE, 71) if width - 1 - WIDE >= left else left

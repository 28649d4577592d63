"""Where everything stands on the Explore screen, as a function of the terminal's size.

The board wins over every panel. The regions at 80x24, 120x40 and 40x20 are those of the design; the
sizes in between and beyond follow from the same rules.
"""

from __future__ import annotations

from dataclasses import dataclass

from textual.geometry import Region

from endgame_tui.widgets.cells import Cells

PANELS = 41
"""Columns the panels take beside the board at least."""

WIDE = 48
"""Columns the panels take when both counts of the layers are shown."""

SMALL = 76
"""Below this width there is room for the moves beside the board, but not for the layers."""

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
        return "layers" not in self.regions

    @property
    def slim(self) -> bool:
        """Whether the moves have room for one in a row only."""
        return "moves" in self.regions and self.regions["moves"].width < SLIM


def plan(width: int, height: int, *, half_rows: bool, drawn: bool, strip: bool) -> Plan:
    """Arranges the screen.

    Args:
        width: Columns of the terminal.
        height: Rows of the terminal.
        half_rows: Whether half-block characters in colour can be used.
        drawn: Whether men can be drawn in large cells.
        strip: Whether the strip above the keys is in use.
    """
    if width < SMALL:
        return _small(width, height, half_rows, strip)
    cells = _largest(width, height, half_rows, drawn)
    top = 2 if height >= 30 else 1
    regions = {"top": Region(0, 0, width, 1), "keys": Region(0, height - 1, width, 1)}
    bottom = height - 1
    if strip:
        bottom -= 1
        regions["strip"] = Region(0, bottom, width, 1)
    board_height = cells.rows + 1
    room = bottom - top - board_height - 1
    lines = max(min(1 if width >= 100 else 2, room), 0)
    if room > lines:
        bottom -= 1
        regions["fen"] = Region(0, bottom, width, 1)
    if lines:
        bottom -= lines
        regions["line"] = Region(0, bottom, width, lines)
    bottom -= 1
    regions["reason"] = Region(0, bottom, width, 1)
    margin = 3
    regions["board"] = Region(0, top, margin + 8 * cells.width, min(board_height, bottom - top))
    left = margin + 8 * cells.width + (3 if width < 100 else 4)
    if width - 1 - WIDE >= left:
        left = min(width - 1 - WIDE, 71)
    _panels(regions, left, top, width, bottom, spacious=top == 2)
    return Plan(cells, margin, regions)


def _panels(regions: dict[str, Region], left: int, top: int, width: int, bottom: int, *, spacious: bool) -> None:
    """The panels right of the board: verdict above, layers and moves below, Before at the end."""
    right = min(width - 1, left + WIDE + 8)
    bottom -= 1
    layers = 27 if right - left >= 48 else 19
    regions["verdict"] = Region(left, top, right - left, 1)
    start = top + 2
    moves = left + layers + 2
    if spacious:
        before = min(7, max(bottom - start - 12, 3))
        before = before if bottom - start >= 14 else 0
        regions["layers"] = Region(left, start, layers, bottom - start - before - (before > 0))
        regions["moves"] = Region(
            moves, start, right - moves + (right - moves < 19), bottom - start - before - (before > 0)
        )
        if before:
            regions["before"] = Region(left, bottom - before, right - left, before)
        return
    before = 3 if bottom - start >= 12 else 0
    regions["layers"] = Region(left, start, layers, bottom - start)
    regions["moves"] = Region(moves, start, right - moves, bottom - start - before - (before > 0))
    if before:
        regions["before"] = Region(moves, bottom - before, right - moves, before)


def _largest(width: int, height: int, half_rows: bool, drawn: bool) -> Cells:
    """The largest cells that leave room for the panels and the words."""
    if drawn and width - 3 - 64 >= PANELS + 8 and height >= 38:
        return Cells(4, 8)
    if width - 3 - 48 >= PANELS and height >= 30:
        return Cells(3, 6)
    if height >= 22:
        return Cells(2, 4, shifted=half_rows)
    return Cells(1, 2)


def _small(width: int, height: int, half_rows: bool, strip: bool) -> Plan:
    """The smallest screens: the board, one column of moves, verdict and layer in the header."""
    cells = Cells(2, 4, shifted=half_rows) if width >= 34 and height >= 19 else Cells(1, 2)
    margin = 2
    regions = {"top": Region(0, 0, width, 1), "keys": Region(0, height - 1, width, 1)}
    bottom = height - 1
    if strip:
        bottom -= 1
        regions["strip"] = Region(0, bottom, width, 1)
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

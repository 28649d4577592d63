"""Where everything stands on the Explore screen, as a function of the terminal's size.

The board wins over every panel. The regions at 80x24, 120x40 and 40x20 are those of the design; the
sizes in between and beyond follow from the same rules.
"""

from __future__ import annotations

from textual.geometry import Region

from endgame_tui.screens.board_plan import PANELS, SLIM, SMALL, WIDE, Plan, frame, largest, panels_left, small

__all__ = ["PANELS", "SLIM", "SMALL", "WIDE", "Plan", "plan"]


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
    cells = largest(width, height, half_rows, drawn)
    top = 2 if height >= 30 else 1
    regions, bottom = frame(width, height, strip)
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
    left = panels_left(width, cells)
    _panels(regions, left, top, width, bottom, spacious=top == 2)
    return Plan(cells, margin, regions)


def _small(width: int, height: int, half_rows: bool, strip: bool) -> Plan:
    """The smallest screens; the clocks take the second row of the line, where there is one."""
    made = small(width, height, half_rows, strip)
    if (line := made.regions.get("line")) is not None and line.height > 1:
        made.regions["clocks"] = Region(1, line.y, width - 2, 1)
        made.regions["line"] = Region(0, line.y + 1, width, line.height - 1)
    return made


def _panels(regions: dict[str, Region], left: int, top: int, width: int, bottom: int, *, spacious: bool) -> None:
    """The panels right of the board: verdict above, layers and moves below, Before at the end."""
    right = min(width - 1, left + WIDE + 8)
    bottom -= 1
    layers = 27 if right - left >= 48 else 19
    regions["verdict"] = Region(left, top, right - left, 1)
    regions["clocks"] = Region(left, top + 1, right - left, 1)
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

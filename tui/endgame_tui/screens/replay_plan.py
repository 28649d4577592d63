"""Where everything stands when an attempt is looked at, as a function of the terminal's size."""

from __future__ import annotations

from textual.geometry import Region

from endgame_tui.screens.board_plan import SMALL, Plan, frame, largest, panels_left, small

CHART = 7
"""Rows of the chart where there is room beside the board."""


def plan(width: int, height: int, *, half_rows: bool, drawn: bool, strip: bool) -> Plan:
    """Arranges the screen: board left; result, moves and chart right; a sentence below.

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
    spacious = height >= 30
    top = 2 if spacious else 1
    regions, bottom = frame(width, height, strip)
    rows = min(max(bottom - top - cells.rows - 3, 0), 2)
    if rows and not spacious:
        bottom -= rows
        regions["chart"] = Region(0, bottom, width, rows)
    bottom -= 1
    regions["reason"] = Region(0, bottom, width, 1)
    regions["board"] = Region(0, top, 3 + 8 * cells.width, min(cells.rows + 1, bottom - top))
    left = panels_left(width, cells)
    right, end = min(width - 1, left + 56) - left, bottom - (bottom - top > cells.rows + 1)
    regions["result"] = Region(left, top, right, 2)
    top += 2 + spacious
    if spacious:
        regions["chart"] = Region(left, end - CHART, right, CHART)
        end -= CHART + 1
    regions["score"] = Region(left, top, right, max(end - top, 0))
    return Plan(cells, 3, {name: region for name, region in regions.items() if region.area})


def _small(width: int, height: int, half_rows: bool, strip: bool) -> Plan:
    """The smallest screens: the board and one column of moves."""
    made = small(width, height, half_rows and height > 21, strip)
    regions = {name: region for name, region in made.regions.items() if name not in ("fen", "verdict")}
    if "moves" in regions:
        regions["score"] = regions.pop("moves")
    if "line" in regions:
        regions["chart"] = regions.pop("line")
    return Plan(made.cells, made.margin, regions)

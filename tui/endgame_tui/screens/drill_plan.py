"""Where everything stands on the Drill screen, as a function of the terminal's size."""

from __future__ import annotations

from textual.geometry import Region

from endgame_tui.screens.board_plan import SMALL, Plan, frame, largest, panels_left, small, within

FACTS = 5
"""Rows of facts."""


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
    spacious = height >= 30
    top = 2 if spacious else 1
    regions, bottom = frame(width, height, strip)
    if height >= 24 and not strip:
        bottom -= 1
    words = max(min(2, bottom - top - cells.rows - 1), 1)
    bottom -= words
    regions["comment"] = Region(1, bottom, width - 2, words)
    board_height = min(cells.rows + 1, bottom - top)
    regions["board"] = Region(0, top, 3 + 8 * cells.width, board_height)
    left = panels_left(width, cells)
    right = min(width - 1, left + 48)
    room = right - left
    last = top + board_height
    regions["title"] = Region(left, top, room, 1)
    regions["ticks"] = Region(left, top + 2, room, 1)
    regions["facts"] = Region(left, top + 4, room, FACTS)
    below = top + 4 + FACTS + spacious
    regions["score"] = Region(left, below, room, max(last - below, 0))
    regions["summary"] = Region(left, top, room, max(last - top, 1))
    comment = regions.pop("comment")
    return Plan(cells, 3, {**within(regions, bottom), "comment": comment})


def _small(width: int, height: int, half_rows: bool, strip: bool) -> Plan:
    """The smallest screens: the board, one column of moves, one row of words."""
    made = small(width, height, half_rows and height > 21, strip)
    regions = {name: region for name, region in made.regions.items() if name not in ("fen", "line", "verdict")}
    if "reason" in regions:
        reason = regions.pop("reason")
        rows = 1 + (made.regions["line"].height if "line" in made.regions else 0)
        regions["comment"] = Region(0, reason.y, width, rows)
    if "moves" in regions:
        regions["score"] = regions.pop("moves")
    board = regions["board"]
    regions["summary"] = Region(1, board.y, max(width - 2, 1), board.height)
    return Plan(made.cells, made.margin, regions)


PANELS = {
    "drill": ("title", "ticks", "facts", "score", "comment", "board"),
    "question": ("title", "ticks", "facts", "asked", "comment", "board"),
    "summary": ("summary", "comment"),
}
"""The widgets of each stage."""

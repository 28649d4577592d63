"""Where everything stands on the Progress screen, as a function of the terminal's size."""

from __future__ import annotations

from textual.geometry import Region

SMALL = 76
"""Below this width the panels stand in one column."""

BOARD = 17
"""Rows of the board beside the facts."""

DAYS = 8
"""Rows of the days: a title and a week."""

Regions = dict[str, Region]


def plan(width: int, height: int, *, strip: bool) -> Regions:
    """Arranges the screen: figures on top, two columns of panels, facts about the item under the cursor.

    The row above the keys is kept free for the strip, so that nothing moves when something is said.
    """
    regions = {"top": Region(0, 0, width, 1), "keys": Region(0, height - 1, width, 1)}
    bottom = max(height - 2, 1)
    if strip:
        regions["strip"] = Region(0, bottom, width, 1)
    spacious = height >= 36
    top = 2 if spacious and width >= SMALL else 1
    if bottom > top:
        regions["figures"] = Region(0, top, width, 1)
    top += 2 if width >= SMALL else 1
    if width < SMALL:
        _one_column(regions, width, top, bottom)
        return regions
    left = width // 2 - (2 if width < 100 else 3)
    right = left + (5 if width < 100 else 4)
    if width >= 100 and height >= 38:
        board = Region(1, bottom - BOARD, 32, BOARD)
        regions["board"] = board
        regions["about"] = Region(36, board.y + 1, left - 35, BOARD - 1)
        _left(regions, left, top, board.y)
        _right(regions, right, width - 1 - right, top, bottom)
        return regions
    if bottom - top >= 6:
        bottom -= 1
        regions["about"] = Region(1, bottom, width - 2, 1)
        bottom -= 1
    _left(regions, left, top, bottom)
    _right(regions, right, width - 1 - right, top, bottom)
    return regions


def _left(regions: Regions, width: int, top: int, bottom: int) -> None:
    """Solved by ending above, days below."""
    if bottom - top >= DAYS + 5:
        bottom -= DAYS
        regions["days"] = Region(1, bottom, width, DAYS)
        bottom -= 1
    if bottom > top:
        regions["solved"] = Region(1, top, width, bottom - top)


def _right(regions: Regions, left: int, width: int, top: int, bottom: int) -> None:
    """Plies lost, due, hardest, and where there is room the last drills."""
    rows = bottom - top
    high = 8 if rows >= 30 else 5 if rows >= 15 else 4
    if rows >= 9:
        regions["lost"] = Region(left, top, width, high)
        top += high + 1
    if rows >= 14:
        regions["due"] = Region(left, top, width, 3)
        top += 4
    if rows >= 30:
        rest = bottom - top - 1
        hardest = rest * 9 // 20
        regions["last"] = Region(left, top + hardest + 1, width, rest - hardest)
        bottom = top + hardest
    if bottom > top:
        regions["hardest"] = Region(left, top, width, bottom - top)


def _one_column(regions: Regions, width: int, top: int, bottom: int) -> None:
    """Hardest first; then plies lost, endings, and what is due, as far as there is room."""
    if bottom - top >= 6:
        bottom -= 1
        regions["about"] = Region(1, bottom, width - 2, 1)
    shown: dict[str, int] = {}
    left = bottom - top
    for name, rows in (("hardest", 3), ("lost", 3), ("solved", 4), ("due", 3), ("days", DAYS)):
        need = rows + bool(shown)
        if need > left:
            break
        shown[name] = rows
        left -= need
    for name in ("solved", "lost", "due", "hardest", "days"):
        if name in shown:
            rows = shown[name] + (left if name == "hardest" else 0)
            regions[name] = Region(1, top, width - 2, rows)
            top += rows + 1

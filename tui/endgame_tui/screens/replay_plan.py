"""Where everything stands when an attempt is looked at, as a function of the terminal's size."""

from __future__ import annotations

from textual.geometry import Region

from endgame_tui.screens.board_plan import SMALL, Arranged, BoardSize, beside, frame, small_regions

CHART = 7
"""Rows of the chart where there is room beside the board."""


def plan(width: int, height: int, board: BoardSize, *, strip: bool) -> Arranged:
    """Arranges the screen: board left; result, moves and chart right; a sentence below.

    Args:
        width: Columns of the terminal.
        height: Rows of the terminal.
        board: How the board is drawn.
        strip: Whether the strip above the keys is in use.
    """
    if width < SMALL:
        return Arranged(board, True, _small(width, height, board, strip))
    spacious = height >= 30
    top = 2 if spacious else 1
    regions, bottom = frame(width, height, strip)
    rows = min(max(bottom - top - board.rows - 3, 0), 2)
    if rows and not spacious:
        bottom -= rows
        regions["chart"] = Region(0, bottom, width, rows)
    bottom -= 1
    regions["reason"] = Region(0, bottom, width, 1)
    regions["board"] = Region(0, top, board.columns, min(board.rows + 1, bottom - top))
    left = beside(width, board.columns)
    right, end = min(width - 1, left + 56) - left, bottom - (bottom - top > board.rows + 1)
    regions["result"] = Region(left, top, right, 2)
    top += 2 + spacious
    if spacious:
        regions["chart"] = Region(left, end - CHART, right, CHART)
        end -= CHART + 1
    regions["score"] = Region(left, top, right, max(end - top, 0))
    return Arranged(board, False, {name: region for name, region in regions.items() if region.area})


def _small(width: int, height: int, size: BoardSize, strip: bool) -> dict[str, Region]:
    """The smallest screens: the board and one column of moves."""
    made = small_regions(size, width, height, strip)
    regions = {name: region for name, region in made.items() if name not in ("fen", "verdict")}
    if "moves" in regions:
        regions["score"] = regions.pop("moves")
    if "line" in regions:
        regions["chart"] = regions.pop("line")
    return regions

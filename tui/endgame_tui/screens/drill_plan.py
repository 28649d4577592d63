"""Where everything stands on the Drill screen, as a function of the terminal's size."""

from __future__ import annotations

from textual.geometry import Region

from endgame_tui.screens.board_plan import SMALL, Arranged, BoardSize, beside, frame, small_regions, within

FACTS = 5
"""Rows of facts."""


def plan(width: int, height: int, board: BoardSize, *, strip: bool) -> Arranged:
    """Arranges the screen.

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
    if height >= 24 and not strip and bottom - top - board.rows > 3:
        bottom -= 1
    words = max(min(2, bottom - top - board.rows - 1), 1)
    bottom -= words
    comment = Region(1, bottom, width - 2, words)
    board_height = min(board.rows + 1, bottom - top)
    regions["board"] = Region(0, top, board.columns, board_height)
    left = beside(width, board.columns)
    right = min(width - 1, left + 48)
    room = right - left
    last = top + board_height
    regions["title"] = Region(left, top, room, 1)
    regions["ticks"] = Region(left, top + 2, room, 1)
    regions["facts"] = Region(left, top + 4, room, FACTS)
    below = top + 4 + FACTS + spacious
    regions["score"] = Region(left, below, room, max(last - below, 0))
    regions["summary"] = Region(left, top, room, max(last - top, 1))
    return Arranged(board, False, {**within(regions, bottom), "comment": comment})


def _small(width: int, height: int, size: BoardSize, strip: bool) -> dict[str, Region]:
    """The smallest screens: the board, one column of moves, words in the rows below it."""
    made = small_regions(size, width, height, strip)
    regions = {name: region for name, region in made.items() if name not in ("fen", "line", "verdict")}
    if "reason" in regions:
        reason = regions.pop("reason")
        rows = 1 + (made["line"].height if "line" in made else 0)
        regions["comment"] = Region(0, reason.y, width, rows)
    if "moves" in regions:
        regions["score"] = regions.pop("moves")
    board = regions["board"]
    regions["summary"] = Region(1, board.y, max(width - 2, 1), board.height)
    return regions


PANELS = {
    "drill": ("title", "ticks", "facts", "score", "comment", "board"),
    "question": ("title", "ticks", "facts", "asked", "comment", "board"),
    "summary": ("summary", "comment"),
}
"""The widgets of each stage."""

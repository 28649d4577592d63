"""Where everything stands on the Play screen with a Morris board, as a function of the terminal's size and stage."""

from __future__ import annotations

from textual.geometry import Region

from endgame_tui.screens.board_plan import SMALL, frame, stones_pitch
from endgame_tui.screens.morris_plan import StonesPlan
from endgame_tui.screens.play_plan import HIDDEN, REVIEW, SETUP, SHOWN
from endgame_tui.widgets.stones import Pitch

MOST = 56
"""Columns of the panels where there is room to spare."""

FACTS = 7
"""Rows of the facts: two sections, one below the other."""

YOU = 12
"""Columns of the facts about you, beside the others."""


def plan(width: int, height: int, stage: str, *, strip: bool, takes: int, groups: int) -> StonesPlan:
    """Arranges the screen.

    Args:
        width: Columns of the terminal.
        height: Rows of the terminal.
        stage: Which panels are wanted.
        strip: Whether the strip above the keys is in use.
        takes: How many stones there are to take.
        groups: How many groups of moves there are.
    """
    if width < SMALL:
        return _small(width, height, stage, strip, takes)
    pitch = stones_pitch(width, height)
    margin = 4 if pitch.large else 3
    regions, bottom = frame(width, height, strip)
    spacious = height >= 30
    top = 3 if height >= 38 else 1
    bottom = _words(regions, bottom, bottom - top - pitch.rows - 1, width)
    regions["board"] = Region(0, top, margin + pitch.columns, min(pitch.rows + 1, bottom - top))
    left = margin + pitch.columns + (3 if width < 100 else 6)
    room = Region(left, top, min(width - 1, left + MOST) - left, max(bottom - top, 0))
    regions.update(_panels(stage, room, takes, groups, spacious=spacious))
    return StonesPlan(pitch, margin, {name: region for name, region in regions.items() if region.area})


def _words(regions: dict[str, Region], bottom: int, rows: int, width: int) -> int:
    """The sentence and the line, as many rows as there are; returns where the room above them ends."""
    if rows > 1:
        line = min(rows - 1, 2)
        bottom -= line
        regions["line"] = Region(0, bottom, width, line)
    if rows > 0:
        bottom -= 1
        regions["reason"] = Region(0, bottom, width, 1)
    return bottom


def _panels(stage: str, room: Region, takes: int, groups: int, *, spacious: bool) -> dict[str, Region]:
    """The panels right of the board."""
    x, y, width, height = room
    if stage == SETUP:
        return {"setup": room}
    if stage == REVIEW:
        return _review(room, spacious=spacious)
    regions = {"verdict": Region(x, y, width, 2)}
    y, height = y + 3, height - 3
    if stage == HIDDEN or spacious:
        end = y + height
        regions["facts"] = Region(x, end - FACTS, width - YOU - 1, FACTS)
        regions["you"] = Region(x + width - YOU, end - FACTS, YOU, FACTS)
        height -= FACTS + 1
    low = min(takes, max(height - 5, 1)) + 1 if takes else 0
    if stage == SHOWN and not takes:
        low = min(max(groups, 4) + 1, height // 2)
    if low:
        regions["takes" if takes else "moves"] = Region(x, y + height - low, width, low)
        height -= low + 1
    regions["score"] = Region(x, y, width, max(height, 0))
    return regions


def _review(room: Region, *, spacious: bool) -> dict[str, Region]:
    """Result, moves, chart, and where there is room what to do next."""
    x, y, width, height = room
    regions = {"result": Region(x, y, width, 2)}
    y, height = y + 2 + spacious, height - 2 - spacious
    if spacious:
        study = 4
        regions["study"] = Region(x, y + height - study, width, study)
        height -= study + 1
    chart = 7 if spacious else 5
    if height >= chart + 6:
        regions["chart"] = Region(x, y + height - chart, width, chart)
        height -= chart + spacious
    regions["score"] = Region(x, y, width, height)
    return regions


def _small(width: int, height: int, stage: str, strip: bool, takes: int) -> StonesPlan:
    """The smallest screens: the board and one column of moves; choosing a game takes the place of both."""
    pitch, margin = Pitch(4, 2) if height >= 16 else Pitch(4, 1), 2
    regions, bottom = frame(width, height, strip)
    if stage == SETUP:
        bottom = _words(regions, bottom, 1, width)
        regions["setup"] = Region(1, 1, max(width - 2, 1), max(bottom - 1, 1))
        return StonesPlan(pitch, margin, regions)
    board = Region(0, 1, min(margin + pitch.columns, width), min(pitch.rows + 1, max(bottom - 1, 0)))
    rows = bottom - board.bottom
    for number, name in enumerate(("reason", "line")[: max(rows, 0)]):
        regions[name] = Region(0, board.bottom + number, width, 1 if name == "reason" else min(rows - 1, 2))
    left = board.right + 1
    if width - left >= 4:
        regions["takes" if takes else "score"] = Region(left, 1, width - left, board.height)
    regions["board"] = board
    return StonesPlan(pitch, margin, regions)

"""Where everything stands on the Play screen, as a function of the terminal's size and of the stage of the game."""

from __future__ import annotations

from textual.geometry import Region

from endgame_tui.screens.board_plan import SMALL, Plan, frame, largest, panels_left, small

FACTS = 20
"""Columns of the facts beside the game."""

SETUP, HIDDEN, SHOWN, REVIEW = "setup", "hidden", "shown", "review"
"""The stages: choosing a game, playing with the verdict hidden or shown, looking at it afterwards."""


def plan(width: int, height: int, stage: str, *, half_rows: bool, drawn: bool, strip: bool) -> Plan:
    """Arranges the screen.

    Args:
        width: Columns of the terminal.
        height: Rows of the terminal.
        stage: Which panels are wanted.
        half_rows: Whether half-block characters in colour can be used.
        drawn: Whether men can be drawn in large cells.
        strip: Whether the strip above the keys is in use.
    """
    if width < SMALL:
        return _small(width, height, stage, half_rows, strip)
    cells = largest(width, height, half_rows, drawn)
    spacious = height >= 30
    top = 2 if spacious else 1
    regions, bottom = frame(width, height, strip)
    lines = min(max(bottom - top - cells.rows - 3, 0), 2)
    if lines:
        bottom -= lines
        low_chart = stage == REVIEW and not spacious
        regions["chart" if low_chart else "line"] = Region(0, bottom, width, lines)
    bottom -= 1
    regions["reason"] = Region(0, bottom, width, 1)
    regions["board"] = Region(0, top, 3 + 8 * cells.width, min(cells.rows + 1, bottom - top))
    left = panels_left(width, cells)
    room = Region(left, top, min(width - 1, left + 56) - left, max(bottom - top, 0))
    if bottom - top > cells.rows + 1:
        room = room.shrink((0, 0, 1, 0))
    regions.update(_panels(stage, room, spacious=spacious))
    return Plan(cells, 3, {name: region for name, region in regions.items() if region.area})


def _panels(stage: str, room: Region, *, spacious: bool) -> dict[str, Region]:
    """The panels right of the board."""
    x, y, width, height = room
    if stage == SETUP:
        return {"setup": room}
    if stage == REVIEW:
        return _review(room, spacious=spacious)
    regions = {"verdict": Region(x, y, width, 1), "clocks": Region(x, y + 1, width, 1)}
    y, height = y + 2, height - 2
    if stage == HIDDEN:
        facts = FACTS if width >= 41 + FACTS // 2 else FACTS - 1
        regions["score"] = Region(x, y, width - facts - 2, height)
        regions["facts"] = Region(x + width - facts, y, facts, height)
        return regions
    facts = 7 if spacious else 0
    moves = min(10, height // 3)
    regions["facts"] = Region(x, y + height - facts, width, facts)
    height -= facts + (facts > 0)
    regions["moves"] = Region(x, y + height - moves, width, moves)
    regions["score"] = Region(x, y, width, height - moves - 1)
    return regions


def _review(room: Region, *, spacious: bool) -> dict[str, Region]:
    """Result, moves, and where there is room chart and what to do next."""
    x, y, width, height = room
    regions = {"result": Region(x, y, width, 2)}
    y, height = y + 2 + spacious, height - 2 - spacious
    if not spacious:
        regions["score"] = Region(x, y, width, height)
        return regions
    study, chart = 4, 7
    regions["study"] = Region(x, y + height - study, width, study)
    height -= study + 1
    regions["chart"] = Region(x, y + height - chart, width, chart)
    regions["score"] = Region(x, y, width, height - chart - 1)
    return regions


def _small(width: int, height: int, stage: str, half_rows: bool, strip: bool) -> Plan:
    """The smallest screens: the board and one column of moves; choosing a game takes the place of both."""
    made = small(width, height, half_rows and height > 21, strip)
    regions = {name: region for name, region in made.regions.items() if name != "fen"}
    if "moves" in regions:
        regions["score"] = regions.pop("moves")
    if stage == SETUP:
        board = regions["board"]
        regions = {name: region for name, region in regions.items() if name not in ("board", "score", "verdict")}
        regions["setup"] = Region(1, board.y, max(width - 2, 1), board.height)
    return Plan(made.cells, made.margin, regions)

"""Where everything stands on the Explore screen with a Morris board, as a function of the terminal's size.

The board wins over every panel; the panels stand in one column beside it. First the layers shrink, then the moves.
"""

from __future__ import annotations

from dataclasses import dataclass

from textual.geometry import Region

from endgame_tui.screens.board_plan import SMALL, STONES, frame, stones_pitch
from endgame_tui.widgets.stones import Pitch

PANELS = 30
"""Columns of the panels at least."""

MARKS = 2
"""Rows of the legend."""


@dataclass(frozen=True, slots=True)
class StonesPlan:
    """Regions by widget id, and how the board is drawn."""

    pitch: Pitch
    margin: int
    regions: dict[str, Region]

    @property
    def small(self) -> bool:
        """Whether the panels are folded away."""
        return self.margin < 3

    @property
    def slim(self) -> bool:
        """Whether the moves have room for one in a row only."""
        return self.small


def plan(width: int, height: int, *, strip: bool, takes: int, groups: int) -> StonesPlan:
    """Arranges the screen.

    Args:
        width: Columns of the terminal.
        height: Rows of the terminal.
        strip: Whether the strip above the keys is in use.
        takes: How many stones there are to take.
        groups: How many groups of moves there are.
    """
    if width < SMALL:
        return _small(width, height, strip, takes)
    pitch = stones_pitch(width, height)
    margin = 4 if pitch.large else 3
    regions, bottom = frame(width, height, strip)
    spacious = height >= 30
    top = 3 if height >= 38 else 1
    room = bottom - top - pitch.rows - 1
    words = ("reason", "line", "fen") if room > 2 else ("reason", "line")[: max(room, 0)]
    for name in reversed(words):
        bottom -= 1
        regions[name] = Region(0, bottom, width, 1)
    regions["board"] = Region(0, top, margin + pitch.columns, min(pitch.rows + 1, bottom - top))
    left = margin + pitch.columns + (3 if width < 100 else 6)
    right = min(width - 1, left + STONES)
    _panels(regions, Region(left, 1, right - left, bottom - 1), takes, groups, spacious)
    return StonesPlan(pitch, margin, regions)


def _panels(regions: dict[str, Region], room: Region, takes: int, groups: int, spacious: bool) -> None:
    """Verdict, what may be taken, moves, layers, the positions before, the legend."""
    x, y, width, height = room
    end = y + height
    gap = int(spacious)
    y += gap
    rows = 1 if width >= 40 else 2
    regions["verdict"] = Region(x, y, width, rows)
    y += rows + 1
    if takes:
        takes = min(takes + 1, max(end - y - 6, 2))
        regions["takes"] = Region(x, y, width, takes)
        y += takes + gap
    moves = min(max(groups, 1) + 1, max((end - y) // 2, 3))
    regions["moves"] = Region(x, y, width, moves)
    y += moves + gap
    if spacious and end - y >= 16:
        regions["marks"] = Region(x, end - MARKS, width, MARKS)
        regions["before"] = Region(x, end - MARKS - 5, width, 4)
        end -= MARKS + 6
    elif end - y >= 11:
        regions["before"] = Region(x, end - 3, width, 3)
        end -= 3 + gap
    if end - y >= 2:
        regions["layers"] = Region(x, y, width, end - y)


def _small(width: int, height: int, strip: bool, takes: int) -> StonesPlan:
    """The smallest screens: the board, one column of moves, verdict and layer in the header."""
    pitch = stones_pitch(width, height)
    margin = 2
    regions, bottom = frame(width, height, strip)
    board = Region(0, 1, min(margin + pitch.columns, width), min(pitch.rows + 1, max(bottom - 1, 0)))
    regions["board"] = board
    rows = bottom - board.bottom
    for number, name in enumerate(("reason", "line", "fen")[: max(rows, 0)]):
        extra = name == "line" and rows > 3
        regions[name] = Region(0, board.bottom + number + (number == 2 and rows > 3), width, 1 + extra)
    left = board.right + 1
    if width - left >= 4:
        regions["takes" if takes else "moves"] = Region(left, 1, width - left, board.height)
    return StonesPlan(pitch, margin, regions)

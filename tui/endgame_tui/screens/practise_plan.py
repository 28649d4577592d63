"""Where everything stands on the Practise screen, as a function of the terminal's size."""

from __future__ import annotations

from textual.geometry import Region

from endgame_tui.screens.board_plan import SMALL, frame, within

WIDE = 110
"""From this width on there is room for all modes with what they mean."""

SAMPLE = 18
"""Rows of the board that shows one start."""


def plan(width: int, height: int, *, strip: bool, rows: int, window: bool, list_first: bool) -> dict[str, Region]:
    """Arranges the screen.

    Args:
        width: Columns of the terminal.
        height: Rows of the terminal.
        strip: Whether the strip above the keys is in use.
        rows: Rows of choices.
        window: Whether there are layers to choose from.
        list_first: On the smallest screens: whether the list is shown, else the choices.
    """
    regions, bottom = frame(width, height, strip)
    roomy = height >= 22
    regions["header"] = Region(0, 1, width, 1)
    top = 3 if roomy else 2
    if height >= 24 and not strip:
        bottom -= 1
    if width < SMALL:
        if list_first:
            regions["courses"] = Region(0, top, width, max(bottom - top, 1))
        else:
            _choices(regions, Region(1, top, width - 2, max(bottom - top, 1)), rows, window, modes=False)
        return within(regions, bottom)
    wide = width >= WIDE
    list_width = 63 if wide else 43
    left = 67 if wide else 46
    list_bottom = bottom
    if wide and height >= 38:
        list_bottom = height - 2 - SAMPLE
        regions["board"] = Region(0, list_bottom + 1, 35, SAMPLE)
        regions["start"] = Region(38, list_bottom + 2, list_width - 38, 8)
    regions["courses"] = Region(0, top, list_width, max(list_bottom - top, 1))
    right = Region(left, top, min(width - 1 - left, 52), max(bottom - top, 1))
    _choices(regions, right, rows, window, modes=wide and height >= 34)
    return within(regions, bottom)


def _choices(regions: dict[str, Region], room: Region, rows: int, window: bool, *, modes: bool) -> None:
    """Choices above, layers below them, then figures; what the modes mean at the end."""
    x, y, width, height = room
    bottom = y + height
    regions["setup"] = Region(x, y, width, min(rows + 2, height))
    y += rows + 3
    if window and bottom - y >= 4:
        bars = 6 if height >= 30 else 3 if height >= 16 else 1
        regions["window"] = Region(x, y, width, bars + 3)
        y += bars + 4
    if modes and bottom - y >= 14:
        regions["modes"] = Region(x, bottom - 8, width, 6)
        bottom -= 9
    if bottom > y:
        regions["facts"] = Region(x, y, width, bottom - y)

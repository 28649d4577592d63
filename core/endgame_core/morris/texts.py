"""Tells texts of Nine Men's Morris from those of other games, and reads positions in any notation."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from endgame_core.morris.rules import Position

_ENDING = re.compile(r"\d+[-–]\d+")
_POSITION = re.compile(r"[^/]+/[^/]+/[^/]+|[1-9][0-9]?-[1-9][0-9]?:\d+|\[\[.*", re.DOTALL)


def is_ending(text: str) -> bool:
    """Whether a text is the name of an ending, there or not."""
    return bool(_ENDING.fullmatch(text.strip()))


def is_position(text: str) -> bool:
    """Whether a text looks like a line, a key or a nested state."""
    return bool(_POSITION.fullmatch(text.strip()))


def is_morris(text: str) -> bool:
    """Whether a text is of this game."""
    return is_ending(text) or is_position(text)


def parse(text: str) -> Position:
    """Reads a position in any notation of the game; raises PositionError."""
    from endgame_core.morris.game import MORRIS

    return MORRIS.parse(text)

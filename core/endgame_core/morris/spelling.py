"""How endings and positions of Nine Men's Morris are spelled; imports none of the rules."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from endgame_core.game import Spelling

_ENDING = re.compile(r"\d+[-–]\d+")
_POSITION = re.compile(r"[^/]+/[^/]+/[^/]+|[1-9][0-9]?-[1-9][0-9]?:\d+|\[\[.*", re.DOTALL)


def spelling_of(text: str) -> Spelling | None:
    """Return whether a text looks like a pair or like a position (line, key or nested state); None for neither."""
    text = text.strip()
    if _ENDING.fullmatch(text):
        return "ending"
    if _POSITION.fullmatch(text):
        return "position"
    return None

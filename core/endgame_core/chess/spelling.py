"""How endings and positions of chess are spelled; imports none of the rules."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from endgame_core.game import Spelling

_ENDING = re.compile(r"[A-Z]+v[A-Z]+|(?i:k[a-z]*vk[a-z]*|k[qrbnp]*k[qrbnp]*)")
"""An ending in long or short form, valid or not."""


def spelling_of(text: str) -> Spelling | None:
    """Recognize an ending, in long or short form, or a FEN with or without its fields."""
    if _ENDING.fullmatch(text.strip()):
        return "ending"
    if text.count("/") == 7:
        return "position"
    return None

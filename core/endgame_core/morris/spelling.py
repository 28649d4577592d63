"""How endings and positions of Nine Men's Morris are spelled; imports none of the rules."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from endgame_core.game import Spelling

_ENDING = re.compile(r"\d+[-–]\d+")
_POSITION = re.compile(r"[^/]+/[^/]+/[^/]+|[1-9][0-9]?-[1-9][0-9]?:\d+|\[\[.*", re.DOTALL)

_TAG = re.compile(r'\[\s*(\w+)\s+"([^"\]]*)"\s*\]')
"""A PGN tag: its name and value."""

_POINT = r"[a-g][1-7]"
_MOVE = rf"{_POINT}(?:-{_POINT})?(?:x{_POINT})*|x{_POINT}"
_MOVE_LIST = re.compile(rf"1\.\s*(?:{_MOVE})(?:\s+(?:\d+\.+\s*)?(?:{_MOVE}))+(?:\s+(?:\*|1-0|0-1|1/2-1/2))?")
"""Moves as in a game of Sanmill, at least two: ``1. d6 f4 2. d7-d6 xa1``."""


def tags_of(text: str) -> dict[str, str]:
    """Return the PGN tags in a text, their names in lower case."""
    return {name.lower(): value for name, value in _TAG.findall(text)}


def without_tags(text: str) -> str:
    """Return a text without its PGN tags and its comments in braces."""
    return re.sub(r"\{[^}]*\}", " ", _TAG.sub(" ", text)).strip()


def is_move_list(text: str) -> bool:
    """Return whether a text is a list of numbered moves, with or without PGN tags."""
    return _MOVE_LIST.fullmatch(without_tags(text)) is not None


def spelling_of(text: str) -> Spelling | None:
    """Return whether a text looks like a pair or like a position (line, key or nested state); None for neither.

    A game counts as its last position, see :mod:`endgame_core.morris.sanmill`.
    """
    text = text.strip()
    if _ENDING.fullmatch(text):
        return "ending"
    if _POSITION.fullmatch(text) or is_move_list(text):
        return "position"
    position = tags_of(text).get("fen", "")
    if _POSITION.fullmatch(position):
        return "position"
    return None

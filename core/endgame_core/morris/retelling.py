"""Words about a position, told anew for a symmetric copy of it."""

from __future__ import annotations

import re

from endgame_core.morris.game import MORRIS
from endgame_core.morris.geometry import NUMBERS, POINTS, image, points_of
from endgame_core.morris.rules import Position

_TOLD = re.compile(r"\b(?:[a-g][1-7]|White|Black|white|black)\b")
_OTHER = {"White": "Black", "Black": "White", "white": "black", "black": "white"}


def retold(text: str, told_of: Position, copy: Position) -> str:
    """A text about one position, with the points and sides of a symmetric copy of it.

    Args:
        text: The words; names of points (``a7``) and colours are changed.
        told_of: The position that the words are about.
        copy: A copy of it: turned, mirrored, its rings or its colours exchanged.

    Returns:
        The text for the copy; as it is if that is no copy of the position.
    """
    for swapped in (False, True):
        start = MORRIS.swapped(told_of) if swapped else told_of
        for turn in range(16):
            if (image(turn, start.white), image(turn, start.black), start.turn) == (copy.white, copy.black, copy.turn):
                return _renamed(text, turn, swapped)
    return text


def _renamed(text: str, turn: int, swapped: bool) -> str:
    """A text with its points turned, and its sides exchanged."""

    def other(found: re.Match[str]) -> str:
        word = found[0]
        if word in NUMBERS:
            return POINTS[points_of(image(turn, 1 << NUMBERS[word]))[0]]
        return _OTHER.get(word, word) if swapped else word

    return _TOLD.sub(other, text)

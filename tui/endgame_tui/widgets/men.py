"""The chessmen: glyphs, letters, and drawings of 16x8 dots for the largest cells."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

TEXT_STYLE: Final = "\ufe0e"
"""Follows every chess glyph: without it some terminals show the pawn as an emoji."""

BLACK_MARK: Final = "•"
"""Follows every black man, so that the sides differ without colour too."""

_GLYPHS: Final = {"K": "♚", "Q": "♛", "R": "♜", "B": "♝", "N": "♞", "P": "♟"}

DRAWINGS: Final = {
    "K": (" ▗▟▙▖ ", "▄▄▞▚▄▄", "▀████▀", "▝▀▀▀▀▘"),
    "Q": ("▄ ▐▌ ▄", "▜█▟▙█▛", " ▜██▛ ", "▝▀▀▀▀▘"),
    "R": ("▄ ▄▄ ▄", "▜████▛", " ████ ", "▝▀▀▀▀▘"),
    "B": ("  ▟▙  ", " ▟█▞▙ ", " ▝██▘ ", "▝▀▀▀▀▘"),
    "N": (" ▗▟▙▖ ", "▟█▜██▌", " ▗███▌", "▝▀▀▀▀▘"),
    "P": ("      ", " ▗██▖ ", " ▗██▖ ", "▝▀▀▀▀▘"),
}
"""Quadrant blocks, six cells wide and four high, base on the lowest row."""


@dataclass(frozen=True, slots=True)
class Man:
    """A chessman: its letter (``K`` … ``P``) and its side."""

    letter: str
    white: bool

    def glyph(self, unicode: bool) -> tuple[str, str]:
        """The man as two cells."""
        if not unicode:
            return (self.letter if self.white else self.letter.lower(), " ")
        return _GLYPHS[self.letter] + TEXT_STYLE, " " if self.white else BLACK_MARK

"""How endings and positions of chess are spelled; imports none of the rules."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import unquote

if TYPE_CHECKING:
    from endgame_core.game import Spelling

_ENDING = re.compile(r"[A-Z]+v[A-Z]+|(?i:k[a-z]*vk[a-z]*|k[qrbnp]*k[qrbnp]*)")
"""An ending in long or short form, valid or not."""

_FEN_TAG = re.compile(r'\[\s*FEN\s+"([^"\]]*)"\s*\]', re.IGNORECASE)
"""A PGN tag with a position, alone or among others."""

_FEN_LABEL = re.compile(r"(?:position\s+)?fen\s*[:=]?\s+(?=\S*/)", re.IGNORECASE)
"""The label before a position in other programs: ``FEN:`` or ``position fen``."""

_LINK = re.compile(r"https?://\S+|(?:www\.)?(?:[a-z0-9-]+\.)+[a-z]{2,}/\S+", re.IGNORECASE)

_FEN_IN_LINK = re.compile(
    r"(?<![A-Za-z0-9])(?:[KQRBNPkqrbnp1-8~]{1,16}/){7}[KQRBNPkqrbnp1-8~]{1,16}"
    r"(?: [wb](?: (?:[KQkq]{1,4}|-)(?: (?:[a-h][36]|-)(?: \d+){0,2})?)?)?"
)


def text_of(text: str) -> str:
    """Return the position in a text as people copy it, with single spaces; other texts almost unchanged.

    Understood are links to pages with a position in their path or query (lichess, syzygy-tables.info), PGN tags such as
    ``[FEN "…"]``, the label ``FEN:``, and a FEN that was broken into two lines.
    """
    text = text.strip()
    if tag := _FEN_TAG.search(text):
        return text_of(tag[1])
    if _LINK.match(text):
        readable = re.sub(r"[_+\s]+", " ", unquote(text))
        if fen := _FEN_IN_LINK.search(readable):
            return fen[0]
    if label := _FEN_LABEL.match(text):
        return text_of(text[label.end() :])
    # A board of eight ranks may have been wrapped between two of them.
    if text.count("/") == 7:
        return re.sub(r"/\s+(?=[KQRBNPkqrbnp1-8])", "/", text)
    return text


def spelling_of(text: str) -> Spelling | None:
    """Recognize an ending, in long or short form, or a FEN with or without its fields; also in a link or a PGN tag."""
    text = text.strip()
    if _ENDING.fullmatch(text):
        return "ending"
    first_field = text_of(text).partition(" ")[0]
    if text.count("/") == 7 or first_field.count("/") == 7:
        return "position"
    return None

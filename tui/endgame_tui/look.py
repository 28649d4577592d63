"""Colours by meaning, glyphs by terminal: the two tables every drawing reads.

Colour never speaks alone, so a palette without any colour is as complete as the dark one; a glyph
set without any character beyond ASCII likewise.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from types import MappingProxyType
from typing import Final

from rich.style import Style

Ink = tuple[str, Style]
"""Some text and its style."""

MARK = "\ufe0e"
"""Follows every chess glyph: without it some terminals show the pawn as an emoji."""

_SQUARES = {
    "square_light": "#8194a6",
    "square_dark": "#536474",
    "moved_light": "#9c9465",
    "moved_dark": "#757043",
    "best_target": "#7f8f6b",
    "white_man": "#ffffff",
    "black_man": "#0a0c0f",
    "cursor": "#eee5d2",
    "square_label": "#e6ebf0",
    "morris_line": "#a9b8c6",
    "morris_mark": "#ffe2a6",
    "take_white": "#b3352b",
    "take_black": "#e5837a",
}

DARK: Final = MappingProxyType(
    {
        "ground": "#15181c",
        "bar": "#20252b",
        "text": "#d8dce1",
        "dim": "#8f97a1",
        "faint": "#6d7681",
        "amber": "#e3ad4e",
        "selected": "#4a3d22",
        "win": "#86bd83",
        "draw": "#86b4e0",
        "loss": "#e5837a",
        "cursed": "#5cc8bc",
        "blessed": "#c9a0e4",
        "winner_bar": "#6f7f8f",
        "loser_bar": "#4b5763",
        **_SQUARES,
    }
)
"""Colours of the dark theme by role."""

LIGHT: Final = MappingProxyType(
    {
        "ground": "#f7f6f2",
        "bar": "#e8e6df",
        "text": "#23282e",
        "dim": "#5d656e",
        "faint": "#7a828a",
        "amber": "#9a5f00",
        "selected": "#f0ddb4",
        "win": "#2c7a3a",
        "draw": "#2763a8",
        "loss": "#b3352b",
        "cursed": "#0c7468",
        "blessed": "#7d3c98",
        "winner_bar": "#7d8c9b",
        "loser_bar": "#b4bec8",
        **_SQUARES,
        "square_light": "#8598aa",
        "square_dark": "#586a7b",
    }
)
"""Colours of the light theme by role."""


class Palette:
    """Hands out styles by role; the only place where a role becomes a colour.

    Args:
        colours: Colour of each role; None for a terminal without colours.
    """

    def __init__(self, colours: MappingProxyType[str, str] | None) -> None:
        self._colours = colours
        self._styles: dict[tuple[str, str, bool, bool], Style] = {}

    @property
    def coloured(self) -> bool:
        """Whether there is any colour."""
        return self._colours is not None

    def __call__(self, role: str, ground: str = "ground", *, bold: bool = False, underline: bool = False) -> Style:
        """The style that writes in the colour of ``role`` on the colour of ``ground``.

        Args:
            role: Role of the ink.
            ground: Role of the paper.
            bold: Bold type.
            underline: Underlined type; reverse video where there are no colours.
        """
        key = (role, ground, bold, underline)
        style = self._styles.get(key)
        if style is None:
            style = self._styles[key] = self._make(*key)
        return style

    def title(self, focused: bool) -> Style:
        """The style of a panel's title; of the one with the focus in reverse video where there are no colours."""
        return self("amber" if focused else "text", bold=True, underline=focused and not self.coloured)

    def _make(self, role: str, ground: str, bold: bool, underline: bool) -> Style:
        if self._colours is None:
            return Style(bold=bold or None, reverse=underline or None)
        return Style(
            color=self._colours[role],
            bgcolor=self._colours[ground],
            bold=bold or None,
            underline=underline or None,
        )


@dataclass(frozen=True, slots=True)
class Glyphs:
    """The characters of one terminal.

    Attributes:
        unicode: Whether anything beyond ASCII may be printed.
    """

    unicode: bool
    pointer: str
    arrow: str
    up: str
    down: str
    more: str
    middle: str
    dash: str
    about: str
    white: str
    black: str
    bar: str
    half_bar: str
    thin: str
    check: str
    cross: str
    opened: str
    closed: str
    levels: str
    nothing: str

    def plain(self, text: str) -> str:
        """The text as this terminal can print it."""
        return text if self.unicode else text.translate(_TO_ASCII)


_TO_ASCII = str.maketrans("–−·≈▸✓✗↑↓▴‹›×○●’▼▶━─▁▂▃▄▅▆▇█\u00a0\u202f", "--.~>+x^v^<>xOX'v>=-12345678  ") | str.maketrans(
    {"→": "->", "←": "<-", "…": "...", "≤": "<=", "≥": ">=", "╸": ""}
)

UNICODE: Final = Glyphs(
    unicode=True,
    pointer="▸",
    arrow="→",
    up="↑",
    down="↓",
    more="…",
    middle="·",
    dash="–",
    about="≈",
    white="○",
    black="●",
    bar="━",
    half_bar="╸",
    thin="─",
    check="✓",
    cross="✗",
    opened="▼",
    closed="▶",
    levels="▁▂▃▄▅▆▇█",
    nothing="·",
)
"""Characters for UTF-8 terminals."""

ASCII: Final = replace(
    UNICODE,
    **{name: text.translate(_TO_ASCII) for name, text in asdict(UNICODE).items() if isinstance(text, str)},
    unicode=False,
)
"""Characters for every other terminal."""


@dataclass(frozen=True, slots=True)
class Look:
    """How to draw: a palette and a glyph set."""

    palette: Palette
    glyphs: Glyphs

    @property
    def drawn(self) -> bool:
        """Whether large men can be drawn: there are colours and blocks."""
        return self.palette.coloured and self.glyphs.unicode

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

_MAP = {
    "map_win_light": "#5f875f",
    "map_win_dark": "#008700",
    "map_draw_light": "#5f87d7",
    "map_draw_dark": "#005faf",
    "map_loss_light": "#d75f5f",
    "map_loss_dark": "#af5f5f",
    "map_cursed_light": "#5f8787",
    "map_cursed_dark": "#2b7d74",
    "map_blessed_light": "#af5faf",
    "map_blessed_dark": "#875faf",
    "map_key_light": "#af8700",
    "map_key_dark": "#875f00",
    "map_none_light": "#878787",
    "map_none_dark": "#626262",
}
"""Grounds of a map: nearly all are colours of the 256 that are the same everywhere, sent in half the bytes."""

_SQUARES = {
    **_MAP,
    "square_light": "#8194a6",
    "square_dark": "#536474",
    "moved_light": "#9c9465",
    "moved_dark": "#757043",
    "best_target": "#7f8f6b",
    "white_man": "#ffffff",
    "black_man": "#0a0c0f",
    "cursor": "#ffffff",
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
    }
)
"""Colours of the light theme by role."""


_MARKS_256 = {
    **_MAP,
    "square_light": "#8a8a8a",
    "square_dark": "#626262",
    "moved_light": "#87875f",
    "moved_dark": "#5f5f00",
    "best_target": "#5f875f",
    "white_man": "#ffffff",
    "black_man": "#000000",
    "cursor": "#ffffd7",
    "morris_line": "#d7d7d7",
    "morris_mark": "#ffffaf",
    "take_white": "#af0000",
    "take_black": "#ff8787",
}

DARK_256: Final = MappingProxyType(
    {
        "ground": "#1c1c1c",
        "bar": "#303030",
        "text": "#e4e4e4",
        "dim": "#a8a8a8",
        "faint": "#8a8a8a",
        "amber": "#ffaf5f",
        "selected": "#444444",
        "win": "#87d787",
        "draw": "#87d7ff",
        "loss": "#ff8787",
        "cursed": "#5fd7af",
        "blessed": "#d7afff",
        "winner_bar": "#8a8a8a",
        "loser_bar": "#767676",
        **_MARKS_256,
    }
)
"""The dark theme where there are 256 colours: greys that are there, so that none turns to lilac."""

LIGHT_256: Final = MappingProxyType(
    {
        "ground": "#ffffff",
        "bar": "#e4e4e4",
        "text": "#262626",
        "dim": "#585858",
        "faint": "#6c6c6c",
        "amber": "#875f00",
        "selected": "#ffd7af",
        "win": "#005f00",
        "draw": "#005faf",
        "loss": "#af0000",
        "cursed": "#005f5f",
        "blessed": "#87005f",
        "winner_bar": "#767676",
        "loser_bar": "#8a8a8a",
        **_MARKS_256,
    }
)
"""The light theme where there are 256 colours."""

_BLACK, _RED, _GREEN, _BLUE, _MAGENTA, _GREY = "#000000", "#aa0000", "#00aa00", "#0000aa", "#aa00aa", "#aaaaaa"
_CYAN, _BROWN, _BRIGHT_RED, _BRIGHT_GREEN, _YELLOW = "#00aaaa", "#aa5500", "#ff5555", "#55ff55", "#ffff55"
_BRIGHT_BLUE, _BRIGHT_MAGENTA, _BRIGHT_CYAN, _WHITE = "#5555ff", "#ff55ff", "#55ffff", "#ffffff"
_DARK_GREY = "#555555"

_MARKS_16 = {
    "square_light": _GREEN,
    "square_dark": _BRIGHT_BLUE,
    "moved_light": _BROWN,
    "moved_dark": _BROWN,
    "best_target": _MAGENTA,
    "white_man": _WHITE,
    "black_man": _BLACK,
    "cursor": _WHITE,
    "morris_line": _WHITE,
    "morris_mark": _YELLOW,
    "take_white": _RED,
    "take_black": _BRIGHT_RED,
    "map_win_light": _GREEN,
    "map_win_dark": _GREEN,
    "map_draw_light": _BRIGHT_BLUE,
    "map_draw_dark": _BRIGHT_BLUE,
    "map_loss_light": _BRIGHT_RED,
    "map_loss_dark": _BRIGHT_RED,
    "map_cursed_light": _MAGENTA,
    "map_cursed_dark": _MAGENTA,
    "map_blessed_light": _MAGENTA,
    "map_blessed_dark": _MAGENTA,
    "map_key_light": _GREEN,
    "map_key_dark": _GREEN,
    "map_none_light": _BROWN,
    "map_none_dark": _BROWN,
}

DARK_16: Final = MappingProxyType(
    {
        "ground": _BLACK,
        "bar": _BLUE,
        "text": _WHITE,
        "dim": _GREY,
        "faint": _GREY,
        "amber": _YELLOW,
        "selected": _BLUE,
        "win": _BRIGHT_GREEN,
        "draw": _BRIGHT_CYAN,
        "loss": _BRIGHT_RED,
        "cursed": _CYAN,
        "blessed": _BRIGHT_MAGENTA,
        "winner_bar": _GREY,
        "loser_bar": _CYAN,
        **_MARKS_16,
    }
)
"""The dark theme where there are 16 colours, on whose squares both black and white can be seen."""

LIGHT_16: Final = MappingProxyType(
    {
        "ground": _WHITE,
        "bar": _GREY,
        "text": _BLACK,
        "dim": _DARK_GREY,
        "faint": _DARK_GREY,
        "amber": _BLUE,
        "selected": _YELLOW,
        "win": _BLUE,
        "draw": _DARK_GREY,
        "loss": _RED,
        "cursed": _BLUE,
        "blessed": _RED,
        "winner_bar": _DARK_GREY,
        "loser_bar": _MAGENTA,
        **_MARKS_16,
    }
)
"""The light theme where there are 16 colours."""

PALETTES: Final = {
    "dark": {"256": DARK_256, "standard": DARK_16, "windows": DARK_16},
    "light": {"256": LIGHT_256, "standard": LIGHT_16, "windows": LIGHT_16},
}
"""By theme, and by what the terminal can show where that is not any colour."""


def colours_of(theme: str, system: str | None) -> MappingProxyType[str, str]:
    """The colours of a theme for a terminal.

    Args:
        theme: ``dark`` or ``light``.
        system: Rich's name of what the terminal can show; None where it is not known.
    """
    return PALETTES[theme].get(system or "", {"dark": DARK, "light": LIGHT}[theme])


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


_TO_ASCII = str.maketrans(
    {
        **dict(zip("–−·≈▸✓✗↑↓▴‹›×★○●’▼▶━─▁▂▃▄▅▆▇█\u00a0\u202f", "--.~>+x^v^<>x*OX'v>=-12345678  ", strict=True)),
        **{"→": "->", "←": "<-", "…": "...", "≤": "<=", "≥": ">=", "╸": ""},
    }
)

UNICODE: Final = Glyphs(
    unicode=True,
    pointer="▸",
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

"""Colours by role and glyphs by terminal: the two tables with which every widget draws.

No meaning depends on colour alone, so that the app is complete without colours, and also with ASCII glyphs.
"""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass, replace
from types import MappingProxyType
from typing import Final

from rich.style import Style

Ink = tuple[str, Style]
"""A text and its style."""

MARK = "\ufe0e"
"""The variation selector after every chess glyph: without it some terminals show the pawn as an emoji."""

_BLACK, _RED, _GREEN, _BLUE, _MAGENTA, _GREY = "#000000", "#aa0000", "#00aa00", "#0000aa", "#aa00aa", "#aaaaaa"
_CYAN, _BROWN, _BRIGHT_RED, _BRIGHT_GREEN, _YELLOW = "#00aaaa", "#aa5500", "#ff5555", "#55ff55", "#ffff55"
_BRIGHT_BLUE, _BRIGHT_MAGENTA, _BRIGHT_CYAN, _WHITE = "#5555ff", "#ff55ff", "#55ffff", "#ffffff"
_DARK_GREY = "#555555"

_COLOURS: Final = {
    # role                dark       light      256: dark  light      16: dark         light
    "ground":            ("#15181c", "#f7f6f2", "#1c1c1c", "#ffffff", _BLACK,          _WHITE),
    "bar":               ("#20252b", "#e8e6df", "#303030", "#e4e4e4", _BLUE,           _BRIGHT_CYAN),
    "text":              ("#d8dce1", "#23282e", "#e4e4e4", "#262626", _WHITE,          _BLACK),
    "dim":               ("#8f97a1", "#5d656e", "#a8a8a8", "#585858", _GREY,           _DARK_GREY),
    "faint":             ("#6d7681", "#7a828a", "#8a8a8a", "#6c6c6c", _GREY,           _DARK_GREY),
    "amber":             ("#e3ad4e", "#9a5f00", "#ffaf5f", "#875f00", _YELLOW,         _BROWN),
    "selected":          ("#4a3d22", "#f0ddb4", "#444444", "#ffd7af", _BLUE,           _YELLOW),
    "win":               ("#86bd83", "#2c7a3a", "#87d787", "#005f00", _BRIGHT_GREEN,   _BLUE),
    "draw":              ("#86b4e0", "#2763a8", "#87d7ff", "#005faf", _BRIGHT_CYAN,    _DARK_GREY),
    "loss":              ("#e5837a", "#b3352b", "#ff8787", "#af0000", _BRIGHT_RED,     _RED),
    "cursed":            ("#5cc8bc", "#0c7468", "#5fd7af", "#005f5f", _CYAN,           _BLUE),
    "blessed":           ("#c9a0e4", "#7d3c98", "#d7afff", "#87005f", _BRIGHT_MAGENTA, _RED),
    "winner_bar":        ("#6f7f8f", "#7d8c9b", "#8a8a8a", "#767676", _GREY,           _DARK_GREY),
    "loser_bar":         ("#4b5763", "#b4bec8", "#767676", "#8a8a8a", _CYAN,           _MAGENTA),
    "map_win_light":     ("#5f875f", "#5f875f", "#5f875f", "#5f875f", _GREEN,          _GREEN),
    "map_win_dark":      ("#008700", "#008700", "#008700", "#008700", _GREEN,          _GREEN),
    "map_draw_light":    ("#5f87d7", "#5f87d7", "#5f87d7", "#5f87d7", _BRIGHT_BLUE,    _BRIGHT_BLUE),
    "map_draw_dark":     ("#005faf", "#005faf", "#005faf", "#005faf", _BRIGHT_BLUE,    _BRIGHT_BLUE),
    "map_loss_light":    ("#d75f5f", "#d75f5f", "#d75f5f", "#d75f5f", _BRIGHT_RED,     _BRIGHT_RED),
    "map_loss_dark":     ("#af5f5f", "#af5f5f", "#af5f5f", "#af5f5f", _BRIGHT_RED,     _BRIGHT_RED),
    "map_cursed_light":  ("#5f8787", "#5f8787", "#5f8787", "#5f8787", _MAGENTA,        _MAGENTA),
    "map_cursed_dark":   ("#2b7d74", "#2b7d74", "#2b7d74", "#2b7d74", _MAGENTA,        _MAGENTA),
    "map_blessed_light": ("#af5faf", "#af5faf", "#af5faf", "#af5faf", _MAGENTA,        _MAGENTA),
    "map_blessed_dark":  ("#875faf", "#875faf", "#875faf", "#875faf", _MAGENTA,        _MAGENTA),
    "map_key_light":     ("#af8700", "#af8700", "#af8700", "#af8700", _GREEN,          _GREEN),
    "map_key_dark":      ("#875f00", "#875f00", "#875f00", "#875f00", _GREEN,          _GREEN),
    "map_none_light":    ("#878787", "#878787", "#878787", "#878787", _BROWN,          _BROWN),
    "map_none_dark":     ("#626262", "#626262", "#626262", "#626262", _BROWN,          _BROWN),
    "square_light":      ("#8194a6", "#8194a6", "#8a8a8a", "#8a8a8a", _GREEN,          _GREEN),
    "square_dark":       ("#536474", "#536474", "#626262", "#626262", _BRIGHT_BLUE,    _BRIGHT_BLUE),
    "moved_light":       ("#9c9465", "#9c9465", "#87875f", "#87875f", _BROWN,          _BROWN),
    "moved_dark":        ("#757043", "#757043", "#5f5f00", "#5f5f00", _BROWN,          _BROWN),
    "best_target":       ("#7f8f6b", "#7f8f6b", "#5f875f", "#5f875f", _MAGENTA,        _MAGENTA),
    "white_man":         ("#ffffff", "#ffffff", "#ffffff", "#ffffff", _WHITE,          _WHITE),
    "black_man":         ("#0a0c0f", "#0a0c0f", "#000000", "#000000", _BLACK,          _BLACK),
    "cursor":            ("#ffffff", "#ffffff", "#ffffd7", "#ffffd7", _WHITE,          _WHITE),
    "morris_line":       ("#a9b8c6", "#a9b8c6", "#d7d7d7", "#d7d7d7", _WHITE,          _WHITE),
    "morris_mark":       ("#ffe2a6", "#ffe2a6", "#ffffaf", "#ffffaf", _YELLOW,         _YELLOW),
    "take_white":        ("#b3352b", "#b3352b", "#af0000", "#af0000", _RED,            _RED),
    "take_black":        ("#e5837a", "#e5837a", "#ff8787", "#ff8787", _BRIGHT_RED,     _BRIGHT_RED),
}  # fmt: skip
"""Colours by role in the dark and the light theme, for terminals with true colour, 256 and 16 colours.

The greys of 256 colours are in that palette: others would turn to lilac. Of the 16 colours, the squares have some on
which both black and white pieces are visible. Nearly all backgrounds of a map are in the palette of 256 colours even
for true colour: these look the same everywhere and take half the bytes.
"""

DARK, LIGHT, DARK_256, LIGHT_256, DARK_16, LIGHT_16 = (
    MappingProxyType(dict(zip(_COLOURS, colours, strict=True))) for colours in zip(*_COLOURS.values(), strict=True)
)

PALETTES: Final = {
    "dark": {"256": DARK_256, "standard": DARK_16, "windows": DARK_16},
    "light": {"256": LIGHT_256, "standard": LIGHT_16, "windows": LIGHT_16},
}
"""By theme and Rich's name of a colour system without true colour."""


def colours_of(theme: str, system: str | None) -> MappingProxyType[str, str]:
    """The colours of a theme for a terminal.

    Args:
        theme: ``dark`` or ``light``.
        system: Rich's name of the terminal's colour system; None if it is unknown.
    """
    return PALETTES[theme].get(system or "", {"dark": DARK, "light": LIGHT}[theme])


class StylePalette:
    """Creates styles by role; the only place where a role becomes a colour.

    Args:
        colours: Colour of each role; None for a terminal without colours.
    """

    def __init__(self, colours: MappingProxyType[str, str] | None) -> None:
        self._colours = colours
        self._styles: dict[tuple[str, str, bool, bool], Style] = {}

    @property
    def has_colours(self) -> bool:
        """Whether there are colours."""
        return self._colours is not None

    def __call__(self, role: str, ground: str = "ground", *, bold: bool = False, underline: bool = False) -> Style:
        """The style with the colour of ``role`` on that of ``ground``.

        Args:
            role: Role of the text.
            ground: Role of the background.
            bold: Whether the text is bold.
            underline: Whether it is underlined; without colours it is in reverse video instead.
        """
        key = (role, ground, bold, underline)
        style = self._styles.get(key)
        if style is None:
            style = self._styles[key] = self._make(*key)
        return style

    def title(self, focused: bool) -> Style:
        """The style of a panel's title; without colours, that of the focused panel is in reverse video."""
        return self("amber" if focused else "text", bold=True, underline=focused and not self.has_colours)

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
    """The characters of a kind of terminal; by default of one with UTF-8.

    Attributes:
        unicode: Whether characters beyond ASCII may be printed.
    """

    unicode: bool = True
    pointer: str = "▸"
    up: str = "↑"
    down: str = "↓"
    ellipsis: str = "…"
    middle_dot: str = "·"
    dash: str = "–"
    approx: str = "≈"
    white: str = "○"
    black: str = "●"
    bar: str = "━"
    half_bar: str = "╸"
    thin: str = "─"
    check: str = "✓"
    cross: str = "✗"
    opened: str = "▼"
    closed: str = "▶"
    levels: str = "▁▂▃▄▅▆▇█"
    dot: str = "·"
    """Marks an empty cell of a chart or a target without a label."""

    def plain(self, text: str) -> str:
        """The text in characters that the terminal can print."""
        return text if self.unicode else _HALF_ALONE.sub("0½", text).translate(_TO_ASCII)


_TO_ASCII = str.maketrans(
    {
        **dict(zip("–−·≈▸✓✗↑↓▴‹›×★☆○●’▼▶━─▁▂▃▄▅▆▇█\u00a0\u202f", "--.~>+x^v^<>x*.OX'v>=-12345678  ", strict=True)),
        **{"→": "->", "←": "<-", "…": "...", "½": ".5", "≤": "<=", "≥": ">=", "╸": ""},
    }
)

_HALF_ALONE: Final = re.compile(r"(?<!\d)½")
"""Half a move that follows no number: ``0.5`` in ASCII."""

UNICODE: Final = Glyphs()
"""Characters for UTF-8 terminals."""

ASCII: Final = replace(
    UNICODE,
    **{name: text.translate(_TO_ASCII) for name, text in asdict(UNICODE).items() if isinstance(text, str)},
    unicode=False,
)
"""Characters for every other terminal."""


@dataclass(frozen=True, slots=True)
class Look:
    """How to draw: a palette, a glyph set, and whether the rows and columns of boards are labelled."""

    palette: StylePalette
    glyphs: Glyphs
    coordinates: bool = True

    @property
    def can_draw_pieces(self) -> bool:
        """Whether pieces can be drawn as pictures, which needs colours and block characters."""
        return self.palette.has_colours and self.glyphs.unicode

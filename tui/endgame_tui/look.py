"""Colours by role and glyphs by terminal: the two tables with which every widget draws.

No meaning depends on colour alone, so that the app is complete without colours, and also with ASCII glyphs.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from functools import cache
from types import MappingProxyType
from typing import Final

from rich.style import Style

from endgame_tui.piece_pictures import PiecePictures

Ink = tuple[str, Style]
"""A text and its style."""

MARK = "\ufe0e"
"""The variation selector after every chess glyph: without it some terminals show the pawn as an emoji."""

_BLACK = "#000000"
_RED = "#aa0000"
_GREEN = "#00aa00"
_BLUE = "#0000aa"
_MAGENTA = "#aa00aa"
_GREY = "#aaaaaa"
_CYAN = "#00aaaa"
_BROWN = "#aa5500"
_BRIGHT_RED = "#ff5555"
_BRIGHT_GREEN = "#55ff55"
_YELLOW = "#ffff55"
_BRIGHT_BLUE = "#5555ff"
_BRIGHT_MAGENTA = "#ff55ff"
_BRIGHT_CYAN = "#55ffff"
_WHITE = "#ffffff"
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
    "map_win_near_light":("#5faf5f", "#5faf5f", "#5faf5f", "#5faf5f", _BRIGHT_GREEN,   _BRIGHT_GREEN),
    "map_win_near_dark": ("#5f875f", "#5f875f", "#5f875f", "#5f875f", _BRIGHT_GREEN,   _BRIGHT_GREEN),
    "map_win_middle_light":("#87d787", "#87d787", "#87d787", "#87d787", _BRIGHT_GREEN,   _BRIGHT_GREEN),
    "map_win_middle_dark":("#87af87", "#87af87", "#87af87", "#87af87", _BRIGHT_GREEN,   _BRIGHT_GREEN),
    "map_win_far_light": ("#d7ffd7", "#d7ffd7", "#d7ffd7", "#d7ffd7", _BRIGHT_GREEN,   _BRIGHT_GREEN),
    "map_win_far_dark":  ("#afd7af", "#afd7af", "#afd7af", "#afd7af", _BRIGHT_GREEN,   _BRIGHT_GREEN),
    "map_loss_near_light":("#ff8787", "#ff8787", "#ff8787", "#ff8787", _BRIGHT_RED,     _BRIGHT_RED),
    "map_loss_near_dark":("#d75f5f", "#d75f5f", "#d75f5f", "#d75f5f", _BRIGHT_RED,     _BRIGHT_RED),
    "map_loss_middle_light":("#ffafaf", "#ffafaf", "#ffafaf", "#ffafaf", _BRIGHT_RED,     _BRIGHT_RED),
    "map_loss_middle_dark":("#d78787", "#d78787", "#d78787", "#d78787", _BRIGHT_RED,     _BRIGHT_RED),
    "map_loss_far_light":("#ffd7d7", "#ffd7d7", "#ffd7d7", "#ffd7d7", _BRIGHT_RED,     _BRIGHT_RED),
    "map_loss_far_dark": ("#ffafaf", "#ffafaf", "#ffafaf", "#ffafaf", _BRIGHT_RED,     _BRIGHT_RED),
    "map_draw_light":    ("#afd7ff", "#afd7ff", "#afd7ff", "#afd7ff", _BRIGHT_CYAN,    _BRIGHT_CYAN),
    "map_draw_dark":     ("#87afd7", "#87afd7", "#87afd7", "#87afd7", _BRIGHT_CYAN,    _BRIGHT_CYAN),
    "map_cursed_light":  ("#87d7d7", "#87d7d7", "#87d7d7", "#87d7d7", _BRIGHT_MAGENTA, _BRIGHT_MAGENTA),
    "map_cursed_dark":   ("#5fafaf", "#5fafaf", "#5fafaf", "#5fafaf", _BRIGHT_MAGENTA, _BRIGHT_MAGENTA),
    "map_blessed_light": ("#d7afff", "#d7afff", "#d7afff", "#d7afff", _BRIGHT_MAGENTA, _BRIGHT_MAGENTA),
    "map_blessed_dark":  ("#af87d7", "#af87d7", "#af87d7", "#af87d7", _BRIGHT_MAGENTA, _BRIGHT_MAGENTA),
    "map_key_light":     ("#ffd787", "#ffd787", "#ffd787", "#ffd787", _YELLOW,         _YELLOW),
    "map_key_dark":      ("#d7af5f", "#d7af5f", "#d7af5f", "#d7af5f", _YELLOW,         _YELLOW),
    "map_none_light":    ("#bcbcbc", "#bcbcbc", "#bcbcbc", "#bcbcbc", _GREY,           _GREY),
    "map_none_dark":     ("#9e9e9e", "#9e9e9e", "#9e9e9e", "#9e9e9e", _GREY,           _GREY),
    "square_light":      ("#bcc8d3", "#d6dee4", "#d0d0d0", "#d0d0d0", _GREY,           _GREY),
    "square_dark":       ("#8398ad", "#92a8b8", "#87afaf", "#87afaf", _GREEN,          _GREEN),
    "moved_light":       ("#d9d38a", "#d9d38a", "#d7d787", "#d7d787", _YELLOW,         _YELLOW),
    "moved_dark":        ("#b3ad58", "#b3ad58", "#afaf5f", "#afaf5f", _YELLOW,         _YELLOW),
    "best_target":       ("#9cc77f", "#9cc77f", "#87d787", "#87d787", _BRIGHT_GREEN,   _BRIGHT_GREEN),
    "white_man":         ("#ffffff", "#ffffff", "#ffffff", "#ffffff", _WHITE,          _WHITE),
    "black_man":         ("#080808", "#080808", "#000000", "#000000", _BLACK,          _BLACK),
    "cursor":            ("#080808", "#080808", "#000000", "#000000", _BLACK,          _BLACK),
    "morris_board":      ("#657a8d", "#657a8d", "#767676", "#767676", _BRIGHT_BLUE,    _BRIGHT_BLUE),
    "morris_line":       ("#dbe3ea", "#dbe3ea", "#e4e4e4", "#e4e4e4", _WHITE,          _WHITE),
    "morris_mark":       ("#ffe2a6", "#ffe2a6", "#ffffaf", "#ffffaf", _YELLOW,         _YELLOW),
    "take_white":        ("#b3352b", "#b3352b", "#af0000", "#af0000", _RED,            _RED),
    "take_black":        ("#e5837a", "#e5837a", "#ff8787", "#ff8787", _BRIGHT_RED,     _BRIGHT_RED),
}  # fmt: skip
"""Colours by role in the dark and the light theme, for terminals with true colour, 256 and 16 colours.

All squares are so light that a black piece and the black outline of a white one have a contrast of 4.5:1 to them; two
shades on which both white and black letters have it do not exist. The greys of 256 colours are in that palette: others
would turn to lilac. The backgrounds of a map are in the palette of 256 colours even for true colour: these look the
same everywhere and take half the bytes. On a map, wins and losses are the lighter the farther the end is.
"""

DARK, LIGHT, DARK_256, LIGHT_256, DARK_16, LIGHT_16 = (
    MappingProxyType(dict(zip(_COLOURS, colours, strict=True))) for colours in zip(*_COLOURS.values(), strict=True)
)

PALETTES: Final = {
    "dark": {"256": DARK_256, "standard": DARK_16, "windows": DARK_16},
    "light": {"256": LIGHT_256, "standard": LIGHT_16, "windows": LIGHT_16},
}
"""By theme and Rich's name of a colour system without true colour."""

_THEME_ROLES: Final = (
    "ground", "bar", "text", "dim", "faint", "amber", "selected", "win", "draw", "loss", "cursed", "blessed",
    "winner_bar", "loser_bar", "square_light", "square_dark",
)  # fmt: skip

_GROUNDS: Final = ("ground", "bar", "selected")

_THEMES: Final = {
    "nord": ("dark", "2e3440 3b4252 eceff4 c3ccda a9b5c8 ebcb8b 4c566a b3d39f 9bd0e0 f2b0b6 9bdad0 d9b8d5 "
                     "81a1c1 66788f d8dee9 81a1c1"),
    "gruvbox": ("dark", "282828 3c3836 ebdbb2 bdae93 a89984 fabd2f 504945 b8bb26 93b8aa fb8073 8ec07c e3a0b4 "
                        "a89984 7c6f64 d5c4a1 a89984"),
    "catppuccin": ("dark", "1e1e2e 313244 cdd6f4 a6adc8 8f95b0 f9e2af 45475a a6e3a1 89b4fa f38ba8 94e2d5 cba6f7 "
                           "8f95b0 6c7086 c6cfee 8c98c4"),
    "solarized-dark": ("dark", "002b36 073642 eee8d5 a3b1b1 839899 d9a62b 0f4b5a a9bb32 5cb0ee f28a80 45c4ba b3b6f2 "
                               "839496 5f7a82 eee8d5 93a1a1"),
    "solarized-light": ("light", "fdf6e3 eee8d5 073642 4f646b 657b83 8a6500 e7dcb5 586900 1d69a8 bb2623 1b716c 5459ab "
                                 "839496 aab8b8 e3dcc6 9fb0b0"),
    "high-contrast": ("dark", "000000 1c1c1c ffffff e4e4e4 c6c6c6 ffd700 00387a 87ff87 87d7ff ffafaf 5fffd7 ffafff "
                              "ffffff a8a8a8 eeeeee 9e9e9e"),
}  # fmt: skip
"""The other themes: dark or light, the base of all their colours, and the colours of ``_THEME_ROLES``."""


def is_dark(theme: str) -> bool:
    """Whether the background of a theme is dark."""
    if theme in _THEMES:
        return _THEMES[theme][0] == "dark"
    return theme == "dark"


@cache
def colours_of(theme: str, system: str | None) -> MappingProxyType[str, str]:
    """The colours of a theme for a terminal. With 16 colours, all dark and all light themes are the same.

    Args:
        theme: A value of the setting ``theme``.
        system: Rich's name of the terminal's colour system; None if it is unknown.
    """
    base = "dark" if is_dark(theme) else "light"
    colours = PALETTES[base].get(system or "", {"dark": DARK, "light": LIGHT}[base])
    # The colours of the other themes have no equivalents among 16.
    if theme == base or system in ("standard", "windows"):
        return colours
    own = {role: f"#{colour}" for role, colour in zip(_THEME_ROLES, _THEMES[theme][1].split(), strict=True)}
    if system == "256":  # the dark tints of a theme are far from all of these colours, their greys are not
        for role in _GROUNDS:
            del own[role]
    return MappingProxyType({**colours, **own})


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
        role = "amber" if focused else "text"
        return self(role, bold=True, underline=focused and not self.has_colours)

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
        if self.unicode:
            return text
        # A bare ½ would become .5; 12½ becomes 12.5.
        return _HALF_ALONE.sub("0½", text).translate(_TO_ASCII)


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
    """How to draw.

    Attributes:
        palette: The colours.
        glyphs: The characters.
        coordinates: Whether the rows and columns of boards are labelled.
        pieces: How chess pieces are drawn on large squares: ``glyphs``, ``quadrants`` or ``sextants``.
        pictures: The pictures that are drawn instead; None if the terminal shows none.
    """

    palette: StylePalette
    glyphs: Glyphs
    coordinates: bool = True
    pieces: str = "quadrants"
    pictures: PiecePictures | None = None

    @property
    def can_draw_pieces(self) -> bool:
        """Whether pieces can be drawn as pictures, which needs colours and block characters."""
        return self.palette.has_colours and self.glyphs.unicode


def pieces_of(terminal: Mapping[str, str]) -> str:
    """The finest block characters that a terminal draws itself, without a font that has them.

    Args:
        terminal: The environment variables.
    """
    program = terminal.get("TERM_PROGRAM", "").lower()
    name = terminal.get("TERM", "")
    version = terminal.get("VTE_VERSION", "")
    draws_sextants = (
        program in ("wezterm", "ghostty")
        or name in ("xterm-kitty", "xterm-ghostty", "wezterm")
        or name.partition("-")[0] == "foot"
        or (version.isdecimal() and int(version) >= _VTE_WITH_SEXTANTS)
    )
    if draws_sextants:
        return "sextants"
    return "quadrants"


_VTE_WITH_SEXTANTS = 6200
"""The first version of the library of GNOME's terminals that draws sextants, as its variable has it."""

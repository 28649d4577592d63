"""The settings in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from endgame_core import language, settings
from endgame_core.errors import EndgameError
from endgame_core.language import _, shortest
from endgame_core.settings import Setting, Settings
from endgame_core.words.text_model import in_words

LABELS: Final[Mapping[str, str]] = {
    "theme": _("Theme"), "glyphs": _("Characters"), "coordinates": _("Coordinates"), "cursor": _("Cursor"),
    "defence": _("Defence"), "autoplay": _("Autoplay"), "cluster": _("Cluster"), "syzygy": _("Syzygy files"),
    "gaviota": _("Gaviota files"), "engine": _("Engine"),
    "player": _("Your name"), "pieces": _("Pieces"), "language": _("Language"),
    "piece_letters": _("Piece letters"), "motion": _("Motion"),
}  # fmt: skip
"""The names of the settings on the screen."""

_VALUES: Final[Mapping[str, Mapping[object, str]]] = {
    "theme": {"dark": _("dark"), "light": _("light"), "high-contrast": _("high contrast")},
    "glyphs": {"auto": _("auto (from the terminal)"), "unicode": "Unicode", "ascii": "ASCII"},
    "pieces": {
        "auto": _("auto (from the terminal)"),
        "quadrants": _("blocks"),
        "sextants": _("fine blocks"),
        "image": _("pictures"),
    },
    "coordinates": {True: _("shown"), False: _("hidden")},
    "cursor": {True: _("shown"), False: _("hidden")},
    "motion": {True: _("on"), False: _("off")},
    "defence": {"usual": _("default"), **{name: in_words(name) for name in ("perfect", "varied", "tricky", "human")}},
    "cluster": {"": _("none (this machine)")},
    "syzygy": {"": _("none")},
    "gaviota": {"": _("none")},
    "engine": {"": _("stockfish, if installed"), "off": _("none")},
    "player": {"": _("not set")},
    "language": {**language.NAMES, language.AUTO: _("auto (from the locale)")},
    "piece_letters": {
        "auto": _("auto (by language)"),
        "english": _("English (K Q R B N)"),
        "german": _("German (K D T L S)"),
        "figurine": _("figurines"),
    },
}
MEANINGS: Final[Mapping[str, str]] = {
    "theme": _(
        "Light text on a dark background, or dark text on a light one. If NO_COLOR is set, no colours are used."
    ),
    "glyphs": _(
        "Chess symbols and lines, or plain letters for terminals that cannot show symbols. --ascii and --unicode "
        "override this for one run."
    ),
    "pieces": _(
        "How chess pieces are drawn on squares at least three rows high. Every font has blocks. Fine blocks "
        "(sextants) need a terminal or font that has them: if pieces look like boxes, choose blocks. Pictures "
        "need kitty or Ghostty."
    ),
    "language": _(
        "The language of the app, plain mode and the command line. --lang and $ENDGAME_TUI_LANGUAGE take "
        "precedence. Changes take effect at the next start."
    ),
    "piece_letters": _(
        "Letters for the pieces in moves on the screen. You can type any of these letters; files "
        "always use the English letters. Changes take effect at the next start."
    ),
    "coordinates": _("The letters and numbers at the edge of the board."),
    "cursor": _(
        "The terminal cursor, which follows the focus: a square, a row of a list, or the end of your "
        "input. Braille displays and screen readers follow the cursor even if it is hidden."
    ),
    "motion": _(
        "A played move lights up for a tenth of a second. The app turns this off if the terminal "
        "responds slowly at the start."
    ),
    "defence": _(
        "How the defender plays in new games and drills. Default: perfect in games; tricky (chess) or"
        " varied (Nine Men’s Morris) in drills. A choice on the Play or Practise screen takes "
        "precedence."
    ),
    "autoplay": _(
        "How long each move is shown when moves are played automatically: {autoplay} in Explore, {show} in Play."
    ),
    "cluster": _(
        "Where tables are built: the address of a Dask scheduler, such as tcp://host:8786, or local:4 for four "
        "workers on this machine. {change} changes it. See docs/cluster.md."
    ),
    "syzygy": _(
        "The directories with Syzygy files, separated as in PATH; {change} changes them. --syzygy and $SYZYGY_PATH "
        "take precedence. Changes take effect at the next start."
    ),
    "gaviota": _(
        "The directories with Gaviota files, separated as in PATH; {change} changes them. --gaviota and $GAVIOTA_PATH "
        "take precedence. Changes take effect at the next start."
    ),
    "engine": _(
        "A UCI engine for positions that are not in any table; {change} chooses a different engine. "
        "$ENDGAME_TUI_ENGINE takes precedence. Without an engine, the built-in search is used."
    ),
    "player": _(
        "Your name in PGN files. {open_games} in Play and the command games count only your moves, "
        "and turn each of your errors into a drill."
    ),
}
"""The descriptions of the settings."""


_LOCKED: Final[Mapping[str, str]] = {
    "cluster": _("locked: on this machine"), "syzygy": _("locked: set at startup"),
    "gaviota": _("locked: set at startup"), "engine": _("locked: none"),
}  # fmt: skip
"""The values in a locked program, which ignores settings for paths outside the data directory."""


_READ_AT_START: Final = (settings.SYZYGY, settings.GAVIOTA, settings.LANGUAGE, settings.PIECE_LETTERS)


def value(setting: Setting[Any], chosen: Any, locked: bool = False) -> str:
    """A value as the screen says it."""
    if locked and setting.name in _LOCKED:
        return _LOCKED[setting.name]
    if isinstance(chosen, float):
        return _("{chosen} s per move").format(chosen=shortest(chosen))
    return _VALUES.get(setting.name, {}).get(chosen, str(chosen))


def allowed(setting: Setting[Any]) -> str:
    """Return the values that the file can have."""
    return _("In settings.toml, {setting} can be {allowed}.").format(setting=setting.name, allowed=setting.allowed)


def written(setting: Setting[Any], settings: Settings) -> str:
    """Return the message after a change."""
    later = ""
    if setting in _READ_AT_START:
        later = _(", after a restart")
    return f"{LABELS[setting.name]}{later}: {value(setting, settings[setting])}."


def locked(setting: Setting[Any]) -> EndgameError:
    """Why what lies outside the data directory cannot be named in a locked program."""
    if setting.name in (settings.SYZYGY.name, settings.GAVIOTA.name):
        then = _("set them when you start the program")
    else:
        then = _("no files outside the data directory are used")
    return EndgameError(_("locked: {labels} cannot be changed here").format(labels=LABELS[setting.name]), then)

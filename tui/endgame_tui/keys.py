"""Keys: what a binding declares about an action, the actions that several screens have, and how keys are named.

An action is declared once, as a :class:`Key`: beside the only screen or widget that has it, or in the second half of
this module if several have it. Everything that names a key asks :func:`control`, or reads the declarations with the
user's own keys.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import import_module
from typing import Any, ClassVar, Final

from textual.actions import parse
from textual.binding import Binding
from textual.dom import DOMNode
from textual.keys import KEY_NAME_REPLACEMENTS, REPLACED_KEYS, Keys, key_to_character

from endgame_core import controls
from endgame_core.language import _, pgettext

Keymap = Mapping[str, str]
"""The user's own keys: for the identifiers of actions, Textual's names of their keys, separated by commas."""

NO_KEYMAP: Final[Keymap] = {}

_KEY_NAMES: Final = {
    "full_stop": ".", "left_square_bracket": "[", "right_square_bracket": "]", "colon": ":",
    "slash": "/", "equals_sign": "=", "plus": "+", "question_mark": "?", "enter": "Enter", "escape": "Esc",
    "space": "Space",
    "up": "↑", "down": "↓", "left": "←", "right": "→", "pageup": "PgUp", "pagedown": "PgDn",
    "delete": "Del", "backspace": "Bksp", "home": "Home", "end": "End", "ctrl+p": "Ctrl+P", "ctrl+z": "Ctrl+Z",
    "f1": "F1", "tab": "Tab", "shift+tab": "Shift+Tab", "less_than_sign": "<", "greater_than_sign": ">",
    "comma": ",",
}  # fmt: skip
"""The names printed on keys for which Textual has another name."""


@dataclass(frozen=True)
class Key(Binding):
    """An action, its key, and everything that is shown about it: in Help, in the last row and in the command palette.

    Attributes:
        id: The identifier of the action, in sentences and in the user's settings; by default the name of its method.
            Two keys with the same identifier are the same action, on two screens.
        show: Whether Textual's own footer would show it.
        short: The label in the last row; after a bar, the one on wide screens. Empty to leave it out there.
        rank: Importance in the last row: 1 on all screens, 2 from :data:`.MEDIUM` columns on, 3 from :data:`.WIDE` on.
        words: Other descriptions, by game.
        shorts: Other labels, by game.
        games: The games in which the key does something; empty for all.
        typing: Whether it opens a prompt: then it may answer a question with no, and what is typed next goes into the
            prompt.
        system: Whether it is left out of Help and the command palette.
        grouped: Whether Help describes it together with others, such as the letters of all pieces.
    """

    show: bool = False
    short: str = ""
    rank: int = 2
    words: Mapping[str, str] = field(default_factory=dict[str, str])
    shorts: Mapping[str, str] = field(default_factory=dict[str, str])
    games: tuple[str, ...] = ()
    typing: bool = False
    grouped: bool = False

    DECLARED: ClassVar[dict[str, Key]] = {}
    """The first declaration of each action in the modules that are imported, by identifier."""

    def __post_init__(self) -> None:
        if self.id is None:
            # The class is frozen. parse returns namespace, method and parameters of an action.
            object.__setattr__(self, "id", parse(self.action)[1])
        Key.DECLARED.setdefault(self.action_id, self)

    @property
    def action_id(self) -> str:
        """The identifier, which is always set."""
        assert self.id is not None
        return self.id

    def adapted(self, description: str | None = None, **changes: Any) -> Key:
        """The same action under the same key, with the words, labels or method of one screen."""
        if description is not None:
            changes["description"] = description
        return replace(self, **changes)

    def description_in(self, game: str) -> str:
        """The description in a game."""
        return self.words.get(game, self.description)

    def applies_to(self, game: str) -> bool:
        """Whether the key does something in a game."""
        return not self.games or game in self.games

    def label_in(self, game: str) -> str:
        """The label in the last row in a game."""
        return self.shorts.get(game, self.short)


# Declarations


def own_keys(owner: type[Any]) -> list[Key]:
    """The keys that a class itself declares."""
    return [key for key in owner.__dict__.get("BINDINGS", ()) if isinstance(key, Key)]


@cache
def _keys_by_method(owner: type[Any]) -> tuple[tuple[Key, ...], ...]:
    """The keys of a class by the method and games that they are for, before those of its bases, which they replace."""
    result: list[tuple[Key, ...]] = []
    known_methods: set[tuple[str, tuple[str, ...]]] = set()
    replaced: set[str] = set()
    for cls in owner.__mro__:
        keys = own_keys(cls)
        methods: dict[tuple[str, tuple[str, ...]], list[Key]] = {}
        for key in keys:
            method = key.action, key.games
            if method not in known_methods and key.key not in replaced:
                methods.setdefault(method, []).append(key)
        result += map(tuple, methods.values())
        known_methods.update(methods)
        replaced.update(key.key for key in keys)
        if not cls.__dict__.get("_inherit_bindings", True):
            break
    return tuple(result)


def declared_keys(owner: type[Any], keymap: Keymap = NO_KEYMAP) -> Iterator[Key]:
    """The keys of a class, one entry for each method, before those of its bases, which they may replace.

    If a class binds two actions to one method, such as the key that opened a screen and Escape to close it, the entry
    has the keys of both.

    Args:
        owner: A screen, a widget or the app.
        keymap: The user's own keys.
    """
    for keys in _keys_by_method(owner):
        bound = ",".join(keymap.get(key.action_id, key.key) for key in keys)
        key = keys[0]
        if bound != key.key:
            key = replace(key, key=bound)
        yield key


def describe_keys(node: DOMNode, game: str) -> None:
    """Set the bindings of a screen or widget to those of a game, with their descriptions in it."""
    # Bases first, so that the declarations of subclasses replace theirs.
    keys = {(key.id, key.action): key for cls in type(node).__mro__[::-1] for key in own_keys(cls)}
    bindings_of: dict[str, list[Binding]] = {}
    for name, bindings in type(node)._merge_bindings().key_to_bindings.items():  # pyright: ignore[reportPrivateUsage]
        for binding in bindings:
            key = keys.get((binding.id, binding.action))
            if key is None:
                bindings_of.setdefault(name, []).append(binding)
            elif key.applies_to(game):
                described = replace(binding, description=key.description_in(game))
                bindings_of.setdefault(name, []).append(described)
    node._bindings.key_to_bindings = bindings_of  # pyright: ignore[reportPrivateUsage]


# Names of keys


def printed(key: str) -> str:
    """A key as printed on it, for Textual's name of it: ``.`` for full_stop, ``Ctrl+B`` for ctrl+b."""
    if key in _KEY_NAMES:
        return _KEY_NAMES[key]
    *modifiers, plain = key.split("+")
    if modifiers:
        name = printed(plain)
        # Not capitalize() for the name: it would turn PgUp into Pgup.
        return "+".join([*map(str.capitalize, modifiers), name[0].upper() + name[1:]])
    return key_to_character(REPLACED_KEYS.get(key, key)) or key.capitalize()


def key_names(binding: Binding) -> str:
    """The keys of a binding as printed on them; a letter that is bound in both cases is named once, in lower case."""
    names = [printed(key) for key in binding.key.split(",")]
    return " ".join(dict.fromkeys(name.lower() if name.lower() in names else name for name in names))


_NAMED_KEYS: Final = {
    **{key.value: key.value for key in Keys if not key.value.startswith("<")},
    **{name.lower(): key for key, name in _KEY_NAMES.items()},
    "del": "delete", "esc": "escape", "ins": "insert", "return": "enter", "pgup": "pageup", "pgdn": "pagedown",
}  # fmt: skip
"""Textual's names of keys without a character, by names that a user may write, in lower case."""

_MODIFIERS: Final = ("ctrl", "alt", "shift")


def key_named(text: str) -> str | None:
    """Textual's name of a key that a user has written: ``.``, ``backspace``, ``PgUp``, ``Ctrl+B``; None for none."""
    if len(text) == 1:
        return _key_of_character(text)
    name = text.lower()
    *modifiers, plain = name.split("+")
    if not modifiers:
        if name in _NAMED_KEYS:
            return _NAMED_KEYS[name]
        return name if key_to_character(name) else None
    base = key_named(plain)
    if base is None or not set(modifiers) <= set(_MODIFIERS):
        return None
    # Terminals send a capital letter for shift and a letter, and another character for shift and a sign.
    if modifiers == ["shift"] and len(base) == 1:
        if base.isalpha():
            return base.upper()
        return None
    return "+".join([*modifiers, base])


def _key_of_character(character: str) -> str | None:
    """Textual's name of the key of a character; None for one that cannot be printed."""
    if character.isalnum():
        return character
    name = next((key for key, printed_name in _KEY_NAMES.items() if printed_name == character), None)
    if name is None and character.isprintable():
        import unicodedata

        name = unicodedata.name(character, "").lower().replace("-", "_").replace(" ", "_")
        name = KEY_NAME_REPLACEMENTS.get(name, name)
    return name or None


# Keys of actions

_SCREENS: Final = "endgame_tui.screens.help"
"""The module that imports all screens."""


def declaration(action: str) -> Key:
    """The declaration of an action; the screens are imported if those in use do not have it. Raises KeyError."""
    if action not in Key.DECLARED:
        import_module(_SCREENS)
    return Key.DECLARED[action]


def first_key(action: str, keymap: Keymap = NO_KEYMAP) -> str:
    """Textual's name of the first key of an action; raises KeyError."""
    return (keymap.get(action) or declaration(action).key).partition(",")[0]


PHRASES: Final[Mapping[str, str]] = {
    "press": _("press"),
    "make_move": _("type it with {prompt}, or {choose} on a piece"),
    "to_layers": "{leave}",
    "cancel_take": "{leave}",
    "change": "{begin}",
    "build": "{best}",
    "build_layers": _("{next_position} or {near}"),
    "build_dtz": "{metric}",
    "build_alone": "k",  # an answer to a question, which has no key of its own
    "step": "{step_back} {step_forward}",
    "forward": "{drill_forward}",
    "yes_or_no": _("{yes} or {no}"),
    "next_drill": "{no}",  # Enter picks up a piece while one tries again
    "offer_retry": _("{again}: retry"),
    "offer_steps": _("  {forward}: step, {again}: retry"),
    "offer_copy": _("{again}: new position"),
    "offer_copy_or_next": _("{again}: new position, {next_drill}: next drill"),
    "call_win": "{show}",
    "call": _("{call_win} wins, {call_draw} draws, {call_loss} loses?"),
}
"""Phrases of the screens that are not the name of one action: verbs before a key, and choices between actions."""


class KeyNames(Mapping[str, str]):
    """The key of each action as printed on it, for sentences.

    Args:
        keymap: The user's own keys.
    """

    def __init__(self, keymap: Keymap = NO_KEYMAP) -> None:
        self._keymap = keymap

    def __getitem__(self, action: str) -> str:
        phrase = PHRASES.get(action)
        if phrase is None:
            return printed(first_key(action, self._keymap))
        return phrase.format_map(self)

    def __iter__(self) -> Iterator[str]:
        import_module(_SCREENS)
        return iter((*PHRASES, *Key.DECLARED))

    def __len__(self) -> int:
        return sum(1 for __ in self)


def name_controls(keymap: Keymap) -> None:
    """Let all sentences name keys: the user's own ones, otherwise the declared ones."""
    controls.use(KeyNames(keymap))


# The actions that several screens or widgets have

CHESS: Final = ("chess",)
"""The games that have a key about castling, en passant, DTZ or the 50-move counter."""

STONES: Final = ("morris",)
"""The games that have a key about stones."""

CURSOR_UP: Final = Key("up,k", "step(-1)", _("Cursor up"), id="cursor_up")
CURSOR_DOWN: Final = Key("down,j", "step(1)", _("Cursor down"), id="cursor_down")
CURSOR_LEFT: Final = Key("left,h", "step(-1)", _("Cursor left"), id="cursor_left")
CURSOR_RIGHT: Final = Key("right,l", "step(1)", _("Cursor right"), id="cursor_right")
PAGE_UP: Final = Key("pageup", "page(-1)", _("Page up"), id="page_up")
PAGE_DOWN: Final = Key("pagedown", "page(1)", _("Page down"), id="page_down")
FAR: Final = 999_999
"""More steps than any game, list or chart has."""
FIRST: Final = Key("home", f"step({-FAR})", _("Go to the start"), id="first")
LAST: Final = Key("end", f"step({FAR})", _("Go to the end"), id="last")
CHOOSE: Final = Key("enter,space", "choose", _("Choose: pick, play, open, build"))
BEGIN: Final = Key("enter", "begin", _("Begin"), short=_("start"), rank=1)
PREVIOUS_VALUE: Final = Key("left,h", "change(-1)", _("Previous value"), id="previous_value", short=_("change"))
NEXT_VALUE: Final = Key("right,l", "change(1)", _("Next value"), id="next_value", short=_("change"))
NEXT_PANEL: Final = Key("tab", "panel(1)", _("Next panel"), id="next_panel", rank=1)
PREVIOUS_PANEL: Final = Key("shift+tab", "panel(-1)", _("Previous panel"), id="previous_panel")
STEP_BACK: Final = Key("left,h", "step(-1)", _("Previous move"), id="step_back", short=_("step"), rank=1)
STEP_FORWARD: Final = Key("right,l", "step(1)", _("Next move"), id="step_forward", short=_("step"), rank=1)

LEAVE: Final = Key("escape", "leave", _("Cancel; leave the screen"), rank=1)
PROMPT: Final = Key("colon", "prompt", _("Type a move, a position or a command"), priority=True, typing=True)
FIND: Final = Key("slash", "find", _("Find"), short=_("find"), priority=True, typing=True)
ADD: Final = Key("plus", "add", _("Add to your studies"))
TAKE_BACK: Final = Key("u", "take_back", _("Take back, undo"))
REDO: Final = Key("U", "redo", _("Redo"))
HINT: Final = Key("i", "hint", _("Hint"), rank=1)
SHOW: Final = Key("w", "show", _("Show the solution"), priority=True)
FLIP: Final = Key("f", "flip", _("Flip the board"))
COPY: Final = Key("c", "copy", _("Copy the FEN"))
EXPLORE_HERE: Final = Key("s", "explore_here", _("Open in Explore"))
EDIT: Final = Key("E", "edit", _("Open the board editor"))
ALL_MOVES: Final = Key("m", "all_moves", _("Show all moves"))
METRIC: Final = Key("z", "metric", _("Switch between DTM and DTZ"), short="DTZ", games=CHESS)
SIDE_TO_MOVE: Final = Key("t", "side_to_move", _("Change the side to move"), short=_("side|side to move"), rank=1)
NEXT_ERROR: Final = Key("e", "next_error", _("Go to your next error"), rank=1)
LESSON: Final = Key("L", "lesson", _("Read the lesson"))
DELETE: Final = Key("d", "delete", _("Delete the table, position or set"), priority=True)
DRILL: Final = Key("d", "drill", _("Practise these positions"), short=pgettext("key", "drill"))
BUILD_SET: Final = Key("b", "build_set", _("Build the missing tables"), priority=True)
VERIFY: Final = Key("v", "verify", _("Verify the table"))
SYZYGY: Final = Key("y", "syzygy", _("Syzygy files"))
MAP: Final = Key("equals_sign", "map", _("Map: one piece, all squares"))

HELP: Final = Key("question_mark,f1", "help", _("Help: this screen, all keys"))
SETTINGS: Final = Key("comma", "settings", _("Settings"))
QUIT: Final = Key("q", "quit", _("Quit"))

SHARED: Final[Sequence[Key]] = tuple(value for value in globals().values() if isinstance(value, Key))
"""All of these, in the order above."""

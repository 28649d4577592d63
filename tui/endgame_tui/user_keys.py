"""The user's own keys: checks the table ``[keys]`` of the settings against the declared actions.

Textual's ``App.set_keymap`` would take the key of another action of the same screen without a word: its
``handle_bindings_clash`` is called only for bindings without an identifier, and for an action that moves from two keys
to one, which is no clash. So an entry that clashes is found here, and its action keeps the keys that it has.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from textual.binding import Binding
from textual.keys import key_to_character

from endgame_core.games import NAMES
from endgame_core.language import _
from endgame_core.settings import KeyProblem
from endgame_core.untrusted import quoted
from endgame_tui.keys import SHARED, Key, Keymap, key_named, own_keys, printed
from endgame_tui.screens.help import SCREENS_BY_TITLE, HelpScreen
from endgame_tui.widgets.ask import LastRow, PromptField

_DOCS = _("docs/keys.md lists them")


@dataclass(frozen=True, slots=True)
class KeyContext:
    """Objects whose keys are active together: a focused widget, the screen around it, and the app.

    Attributes:
        title: The name of the screen.
        owners: The classes that bind the keys, the widget first.
    """

    title: str
    owners: tuple[type[Any], ...]

    def keys(self, game: str) -> Iterator[tuple[type[Any], Key]]:
        """The keys in a game and their owners; of a class and its bases, those that are in effect."""
        for owner in self.owners:
            for key in _bound_keys(owner, game):
                yield owner, key

    def stock_bindings(self) -> dict[str, Binding]:
        """Textual's own bindings by their keys, such as Tab for the next widget."""
        result: dict[str, Binding] = {}
        for owner in self.owners:
            for cls in owner.__mro__:
                for binding in cls.__dict__.get("BINDINGS", ()):
                    if isinstance(binding, Binding) and not isinstance(binding, Key):
                        # What a subclass binds comes first in its order of classes, and must not be replaced by what
                        # its bases bind.
                        result.update(dict.fromkeys(binding.key.split(","), binding) | result)
        return result


def _bound_keys(owner: type[Any], game: str) -> Iterator[Key]:
    """The actions that a class binds in a game, each with the keys that its subclasses leave to it."""
    bound: set[str] = set()
    for cls in owner.__mro__:
        keys = [key for key in own_keys(cls) if key.applies_to(game)]
        for key in keys:
            # A key with several names is left out only if subclasses bind all of them.
            if set(key.key.split(",")) - bound:
                yield key
        bound.update(*(key.key.split(",") for key in keys))
        if not cls.__dict__.get("_inherit_bindings", True):
            return


def all_places(app: type[Any]) -> list[KeyContext]:
    """Every place where keys are active together."""
    result = [KeyContext(_("a prompt"), (PromptField, LastRow))]
    for title, screen in {**SCREENS_BY_TITLE, "Help": HelpScreen}.items():
        if screen.FOCUSABLE:
            result += [KeyContext(title, (widget, screen, app)) for widget in screen.FOCUSABLE]
        else:
            result.append(KeyContext(title, (screen, app)))
    return result


def listed_actions(app: type[Any]) -> list[tuple[str, list[Key]]]:
    """All actions: those that several screens have, those of the app, then those of each screen, under its name."""
    sections: list[tuple[str, list[Key]]] = [(_("Several screens"), list(SHARED)), (_("Every screen"), own_keys(app))]
    for title, screen in {**SCREENS_BY_TITLE, "Help": HelpScreen}.items():
        owners = [screen, *screen.FOCUSABLE]
        sections.append((title, [key for owner in owners for cls in owner.__mro__ for key in own_keys(cls)]))
    sections.append((_("Prompts"), [*own_keys(PromptField), *own_keys(LastRow)]))

    listed: set[str] = set()
    result: list[tuple[str, list[Key]]] = []
    for title, keys in sections:
        # Of several keys of an action the first one counts. A dict keeps the last, hence in reverse, and back below.
        new_keys = {key.action_id: key for key in reversed(keys) if key.action_id not in listed}
        listed.update(new_keys)
        if new_keys:
            result.append((title, [*reversed(new_keys.values())]))
    return result


def check_keys(entries: Mapping[str, str], app: type[Any]) -> tuple[Keymap, list[KeyProblem]]:
    """Check the user's own keys.

    Args:
        entries: The keys of actions as the user wrote them.
        app: The class of the app, whose keys work on every screen.

    Returns:
        Return the keys to use, by action, and the problems of the other entries.
    """
    known_actions = set(Key.DECLARED)
    keymap: dict[str, str] = {}
    problems: list[KeyProblem] = []
    for action, text in entries.items():
        if action not in known_actions:
            problems.append(
                KeyProblem(action, _("there is no action {action}").format(action=quoted(action)), _suggestion(action))
            )
            continue
        keys, problem = _parsed(action, text, app)
        if problem is None:
            keymap[action] = ",".join(keys)
        else:
            problems.append(problem)

    places = all_places(app)
    # One at a time: without the entry that was just removed, others may not clash any more.
    while (clash := first_clash(keymap, places)) is not None:
        del keymap[clash.action]
        problems.append(clash)
    return keymap, problems


def _suggestion(action: str) -> str:
    """What to do about an action that does not exist."""
    similar = get_close_matches(action.lower().replace("-", "_"), Key.DECLARED, n=1)
    if similar:
        return _("did you mean {name}?").format(name=quoted(similar[0]))
    return _DOCS


def _parsed(action: str, text: str, app: type[Any]) -> tuple[Sequence[str], KeyProblem | None]:
    """Return Textual's names of the keys in a text, and the problem with it."""
    keys: list[str] = []
    for part in text.split(","):
        key = key_named(part.strip())
        if key is None:
            problem = _("{action} cannot be {part}, which is not a key").format(
                action=action, part=quoted(part.strip())
            )
            advice = _("write a letter, or a name such as backspace, f5, ctrl+b or comma")
            return (), KeyProblem(action, problem, advice)
        if key_to_character(key) and _works_while_typing(action, app):
            problem = _("{action} cannot be {printed}, which is typed in prompts").format(
                action=action, printed=printed(key)
            )
            return (), KeyProblem(action, problem, _("choose a key with ctrl, or a key that types no character"))
        if key not in keys:
            keys.append(key)
    return keys, None


def _works_while_typing(action: str, app: type[Any]) -> bool:
    """Whether an action works while a prompt is open: then no letter can be its key."""
    owners = (PromptField, LastRow)
    is_of_prompt = any(key.id == action for owner in owners for key in own_keys(owner))
    return is_of_prompt or any(key.id == action and key.priority for key in own_keys(app))


def first_clash(keymap: Keymap, places: Sequence[KeyContext]) -> KeyProblem | None:
    """The first key that the user gave to an action although another action has it in the same place.

    Of two entries that clash, the later one in the file is reported.
    """
    order = list(keymap)
    for place in places:
        stock = place.stock_bindings()
        for game in NAMES:
            keys_of: dict[str, list[Key]] = {}
            for owner, key in place.keys(game):
                for name in keymap.get(key.action_id, key.key).split(","):
                    # The letters of pieces come before the keys of the app, as q does before quit.
                    is_letter = any(other.grouped for other in keys_of.get(name, ()))
                    if not (is_letter and owner is place.owners[-1]):
                        keys_of.setdefault(name, []).append(key)
            for name, keys in keys_of.items():
                # Actions that share a key by default are no clash: the user must have moved one of them to it.
                moved = {key.action_id for key in keys if name in _new_keys(key, keymap)}
                if not moved:
                    continue
                # The keymap has the order of the file.
                action = max(moved, key=order.index)
                others = {key.action_id for key in keys} - {action}
                if name in stock and all(key.action != stock[name].action for key in keys):
                    others.add(stock[name].description or stock[name].action)
                if not others:
                    continue
                other = min(others)
                return KeyProblem(
                    action,
                    _("{action} cannot be {printed}, which is the key of {other} in {title}").format(
                        action=action, printed=printed(name), other=other, title=place.title
                    ),
                    _("choose a different key, or change the key of that action"),
                )
    return None


def _new_keys(key: Key, keymap: Keymap) -> set[str]:
    """The keys of an action that it has not by default."""
    return set(keymap.get(key.action_id, "").split(",")) - {""} - set(key.key.split(","))

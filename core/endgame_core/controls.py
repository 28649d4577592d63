"""How the user invokes an action: with a key on the screens, by typing a command in plain mode.

A sentence never names a key. It names an action by a placeholder, and :func:`instruct` fills in the name that the front
end has for it::

    instruct("{press} {take_back} to go back.")

reads "press u to go back." on the screens and "type back to go back." in plain mode. A front end that starts calls
:func:`use`; until then the commands of plain mode are named.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from endgame_core.actions import ACTIONS
from endgame_core.language import _

PHRASES: Final[Mapping[str, str]] = {
    "press": _("type"),
    "make_move": _("type it"),
    "to_layers": "{take_back}",
    "cancel_take": "{take_back}",
    "play_here": "{play_screen}",
    "build_layers": "{build}",
    "build_dtz": "{build} dtz",
    "step": _("{take_back} and {forward}"),
    "explore_here": "{explore_screen} here",
    "yes_or_no": _("{yes} or {no}"),
    "next_drill": "{next}",
    "learn_next": _("learn next"),
    "offer_retry": _("Type {again} to retry"),
    "offer_steps": _(". Type {forward} to step through it, {again} to retry"),  # follows moves
    "offer_copy": _("Type {again} for a new position"),
    "offer_copy_or_next": _("Type {again} for a new position, {next} for the next drill"),
    "call": _("{call_win}, {call_draw} or {call_loss}?"),
}
"""Phrases of plain mode that are not the name of one action: verbs before a name, and choices between actions."""


class _Fields(dict[str, Any]):
    """The values of placeholders; those without a value are actions."""

    def __missing__(self, action: str) -> str:
        return control(action)


COMMANDS: Final[Mapping[str, str]] = {action.id: action.name for action in ACTIONS}
"""The name of the command of each action."""

_names: Mapping[str, str] = {}


def use(names: Mapping[str, str]) -> None:
    """Name actions as the front end that starts now does.

    Args:
        names: The name of every action and phrase; ``press`` is the verb before a name.
    """
    global _names
    _names = names


def control(action: str) -> str:
    """Return the key or command for an action; an action that the front end lacks keeps its identifier."""
    return _names.get(action, action)


def instruct(sentence: str, **values: object) -> str:
    """Fill in a sentence's placeholders.

    Args:
        sentence: The sentence; ``{build}`` stands for the key or command of that action.
        values: What other placeholders stand for.
    """
    return sentence.format_map(_Fields(values))


def with_phrases(names: Mapping[str, str], phrases: Mapping[str, str]) -> dict[str, str]:
    """Return the names of actions, and the phrases that are composed of them."""
    return {**names, **{phrase: text.format_map(names) for phrase, text in phrases.items()}}


PLAIN_NAMES: Final = with_phrases(COMMANDS, PHRASES)
"""The names in plain mode."""

use(PLAIN_NAMES)

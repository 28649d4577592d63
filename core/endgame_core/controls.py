"""How the user invokes an action: with a key on the screens, by typing a command in plain mode.

A sentence never names a key. It names an action by a placeholder, and :func:`instruct` fills in the name that the front
end has for it::

    instruct("{press} {build} to build {ending}.", ending="KQvKR")

reads "press . to build KQvKR." on the screens and "type build to build KQvKR." in plain mode. A front end that starts
calls :func:`use`; until then the commands of plain mode are named.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

COMMANDS: Final[Mapping[str, str]] = {
    "press": "type",
    # Boards
    "back": "back",
    "make_move": "type it",
    "near": "near",
    "far": "far",
    "next_position": "next",
    "previous_position": "previous",
    "to_layers": "back",
    "counter": "clock",
    "best": "best",
    "hint": "hint",
    "play": "play",
    "build": "build",
    "build_layers": "build",
    "build_dtz": "build dtz",
    "add": "add",
    "cancel_take": "back",
    # Games
    "new": "new",
    "retry_game": "retry",
    "error": "error",
    "draw": "draw",
    "verdict": "verdict",
    "step": "back and forward",
    "forward": "forward",
    # Drills
    "show": "show",
    "next": "next",
    "again": "again",
    "leave": "leave",
    "begin": "begin",
    "lesson": "lesson",
    "yes_or_no": "yes or no",
    "call": "win, draw or loss?",
    # Everywhere
    "game": "game",
    "cancel": "cancel",
    "about": "about",
    "help": "help",
}
"""The actions that sentences name, and the command of plain mode for each."""

SCREEN_ACTIONS: Final = (
    "choose",
    "change",
    "random",
    "metric",
    "explore",
    "library",
    "practice",
    "play_screen",
    "progress",
    "list_previous",
    "autoplay",
    "build_all",
    "build_set",
    "build_alone",
    "review",
    "open_set",
    "statistics",
    "open_games",
    "name",
    "import",
    "export",
    "en_passant",
    "prompt",
    "edit",
    "complete",
)
"""Actions that only sentences of screens name."""

_names: Mapping[str, str] = COMMANDS


def use(names: Mapping[str, str]) -> None:
    """Name actions as the front end that starts now does.

    Args:
        names: The name of every action of :data:`COMMANDS`; ``press`` is the verb before a name.
    """
    global _names
    _names = names


def control(action: str) -> str:
    """What the user presses or types for an action."""
    return _names.get(action, action)


def instruct(sentence: str, **values: object) -> str:
    """Fill in a sentence's placeholders.

    Args:
        sentence: The sentence; ``{build}`` stands for the key or command of that action.
        values: What other placeholders stand for.
    """
    return sentence.format_map({**dict(zip(SCREEN_ACTIONS, SCREEN_ACTIONS, strict=True)), **_names, **values})

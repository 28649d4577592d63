"""How somebody wanted to play or to drill last, and what the settings say of it."""

from __future__ import annotations

from typing import Any

from endgame_core.memory import Memory
from endgame_core.practice.defence import Defence
from endgame_core.settings import DEFENCE, Settings


def defence_of(memory: Memory, settings: Settings, place: str, game: str, usual: Defence) -> Defence:
    """Who defends: who was chosen last, unless the settings have said something else since.

    Args:
        memory: What is remembered.
        settings: The settings.
        place: ``play`` or ``practise``.
        game: The name of the game.
        usual: Who defends where nobody has said anything.
    """
    said = settings[DEFENCE]
    last = memory.get(str, place, game, "defence") if memory.get(str, place, game, "under") == said else said
    return Defence(last) if last in list(Defence) else usual


def note_choices(memory: Memory, settings: Settings, place: str, game: str, **choices: Any) -> None:
    """Remembers what was chosen at a place; a defender under what the settings said then."""
    memory.note({"under": settings[DEFENCE], **choices}, place, game)

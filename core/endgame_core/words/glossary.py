"""Finds the words of a game."""

from __future__ import annotations

from functools import cache

from endgame_core.games import by_name
from endgame_core.jsonl_process import load_object
from endgame_core.words.text_model import Speech


@cache
def speech_of(game: str) -> Speech:
    """The words for a game, by its name; the words of other games are not imported."""
    return load_object(by_name(game).speech)()

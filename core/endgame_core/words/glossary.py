"""Where the words of a game are found."""

from __future__ import annotations

from functools import cache

from endgame_core.words.text_model import Speech


@cache
def speech_of(game: str) -> Speech:
    """How a game is told, by its name; the words of other games are not imported."""
    if game == "chess":
        from endgame_core.words.speech_chess import ChessSpeech

        return ChessSpeech()
    if game == "morris":
        from endgame_core.words.speech_stones import MorrisSpeech

        return MorrisSpeech()
    return Speech()

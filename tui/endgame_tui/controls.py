"""The keys of the actions that sentences of the core name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

KEYS: Final[Mapping[str, str]] = {
    "press": "press",
    # Boards
    "back": "u",
    "make_move": "type it with :, or Enter on a piece",
    "near": "[",
    "far": "]",
    "next_position": "n",
    "previous_position": "p",
    "to_layers": "Esc",
    "counter": "C",
    "best": ".",
    "hint": "i",
    "play": "s",
    "build": ".",
    "build_layers": "n or [",
    "build_dtz": "z",
    "add": "+",
    "cancel_take": "Esc",
    # Games
    "new": "n",
    "retry_game": "r",
    "error": "e",
    "draw": "D",
    "verdict": "v",
    "step": "← →",
    "forward": "→",
    # Drills
    "show": "w",
    "next": "Enter",
    "again": "r",
    "leave": "Esc",
    "begin": "Enter",
    "yes_or_no": "y or n",
    "call": "w wins, d draws, l loses?",
    # Everywhere
    "game": "G",
    "cancel": "x",
    "about": "a",
    "help": "?",
    "choose": "Enter",
    "change": "Enter",
    "random": "r",
    "metric": "z",
    "explore": "1",
    "library": "2",
    "play_screen": "3",
    "practice": "4",
    "progress": "5",
    "list_previous": "b",
    "autoplay": "a",
    "build_all": "m",
    "build_set": "b",
    "build_alone": "k",
    "review": "r",
    "open_set": "Space",
    "statistics": "v",
    "open_games": "O",
    "name": "n",
    "import": "O",
    "export": "o",
    "en_passant": "e",
    "prompt": ":",
    "edit": "E",
    "complete": "Tab",
}
"""The key of each action, as printed on it; a test holds it against the keys that the screens declare."""

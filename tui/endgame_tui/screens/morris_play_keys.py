"""The keys of the Play screen of Nine Men's Morris: what they do, and which the last row names at each stage."""

from __future__ import annotations

from typing import Final

from textual.binding import Binding, BindingType

from endgame_tui.screens.play_keys import BINDINGS as CHESS
from endgame_tui.screens.play_keys import Keys

_OTHER = {
    "hint": "Hint: stone, then move",
    "draw": "Offer a draw",
    "save": "Save the game, with grades",
    "load": "Open a game from a file",
    "copy": "Copy the position",
    "back": "One step back, to the board",
}
"""What is said of a key in words of its own."""

BINDINGS: Final[list[BindingType]] = [
    Binding(
        known.key,
        known.action,
        _OTHER.get(known.action, known.description),
        show=False,
        priority=known.priority,
        id=(known.id or "").replace("play.", "morris-play."),
    )
    for known in CHESS
    if isinstance(known, Binding)
]
"""The keys of the other Play screen, as far as they mean something here."""

PLAYING: Final[tuple[Keys, Keys, Keys]] = (
    (
        ("Enter", "pick, drop"), ("u", "take back"), ("i", "hint"), ("v", "verdict"), ("w", "show me"), ("D", "draw"),
        (":", "type"), ("f", "flip"), ("n", "new game"), ("o", "save"),
    ),
    (
        ("Enter", "pick, drop"), ("u", "take back"), ("i", "hint"), ("v", "verdict"), ("w", "show me"), (":", "type"),
    ),
    (("u", "back"), ("i", "hint"), ("v", "verdict")),
)  # fmt: skip
PLACING: Final[tuple[Keys, Keys, Keys]] = (
    (("Enter", "place"), *PLAYING[0][1:]),
    (("Enter", "place"), *PLAYING[1][1:]),
    PLAYING[2],
)
TAKING: Final[tuple[Keys, Keys, Keys]] = (
    (("Enter", "take"), ("Esc", "other move"), *PLAYING[0][1:5], (":", "type")),
    (("Enter", "take"), ("Esc", "other move"), ("i", "hint"), ("v", "verdict"), (":", "type")),
    (("Enter", "take"), ("Esc", "back"), ("i", "hint")),
)
REVIEW: Final[tuple[Keys, Keys, Keys]] = (
    (
        ("← →", "step"), ("home end", "first, last"), ("e", "next error"), ("r", "retry here"), ("o", "save"),
        ("n", "new game"), ("s", "send"), ("+", "add to studies"),
    ),
    (("← →", "step"), ("e", "next error"), ("r", "retry here"), ("o", "save"), ("n", "new game")),
    (("← →", "step"), ("e", "error"), ("r", "retry")),
)  # fmt: skip
SETUP: Final[tuple[Keys, Keys, Keys]] = (
    (
        ("Enter", "begin"), ("↑ ↓", "choose"), ("← →", "change"), (":", "position"), ("r", "random"), ("E", "board"),
        ("O", "open a game"), ("f", "flip"), ("G", "chess"),
    ),
    (("Enter", "begin"), ("← →", "change"), (":", "position"), ("r", "random"), ("E", "board"), ("O", "open")),
    (("Enter", "begin"), (":", "position")),
)  # fmt: skip

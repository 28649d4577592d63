"""The keys of the Play screen of Nine Men's Morris: what they do, and which the last row names at each stage."""

from __future__ import annotations

from typing import Final

from textual.binding import BindingType

from endgame_tui.screens import play_plan as plan
from endgame_tui.screens.play_keys import BINDINGS as CHESS
from endgame_tui.screens.play_keys import PLAYING
from endgame_tui.screens.play_keys import REVIEW as CHESS_REVIEW
from endgame_tui.screens.rebound import Keys, rebound

_OTHER = {
    "hint": "Hint: stone, then move",
    "draw": "Offer a draw",
    "save": "Save the game, with grades",
    "load": "Open a game from a file",
    "copy": "Copy the position",
    "back": "One step back, to the board",
}
"""What is said of a key in words of its own."""

BINDINGS: Final[list[BindingType]] = rebound(CHESS, "morris-", _OTHER)
"""The keys of the other Play screen, as far as they mean something here."""

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
    tuple((key, "save" if key == "o" else does) for key, does in CHESS_REVIEW[0]),
    *CHESS_REVIEW[1:],
)
SETUP: Final[tuple[Keys, Keys, Keys]] = (
    (
        ("Enter", "begin"), ("↑ ↓", "choose"), ("← →", "change"), (":", "position"), ("r", "random"), ("E", "board"),
        ("O", "open a game"), ("f", "flip"), ("G", "chess"),
    ),
    (("Enter", "begin"), ("← →", "change"), (":", "position"), ("r", "random"), ("E", "board"), ("O", "open")),
    (("Enter", "begin"), (":", "position")),
)  # fmt: skip

STAGES: Final = {plan.SETUP: SETUP, plan.HIDDEN: PLAYING, plan.SHOWN: PLAYING, plan.REVIEW: REVIEW}
"""What the last row names at each stage."""

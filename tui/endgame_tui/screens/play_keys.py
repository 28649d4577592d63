"""The keys of the Play screen: what they do, and which of them the last row names at each stage."""

from __future__ import annotations

from typing import Final

from textual.binding import Binding, BindingType

from endgame_tui.screens import play_plan as plan
from endgame_tui.screens.rebound import Keys

BINDINGS: Final[list[BindingType]] = [
    Binding("u", "take_back", "Take your move back", show=False, id="play.take-back"),
    Binding("i", "hint", "Hint: first man, then move", show=False, id="play.hint"),
    Binding("v", "verdict", "Show or hide the verdict", show=False, id="play.verdict"),
    Binding("w", "show_me", "Give up: the table shows it", show=False, priority=True, id="play.show-me"),
    Binding("D", "draw", "Claim or offer a draw", show=False, id="play.draw"),
    Binding("n", "new", "New game", show=False, priority=True, id="play.new"),
    Binding("r", "retry", "Retry here; random position", show=False, id="play.retry"),
    Binding("e", "next_error", "Your next error", show=False, id="play.next-error"),
    Binding("home", "step(-9999)", "To the start of the game", show=False, id="play.home"),
    Binding("end", "step(9999)", "To its end", show=False, id="play.end"),
    Binding("m", "moves", "All moves, or the game", show=False, id="play.moves"),
    Binding("E", "edit", "Set up the board by hand", show=False, id="play.edit"),
    Binding("o", "save", "Save as PGN, with grades", show=False, priority=True, id="play.save"),
    Binding("O", "load", "Open a game from PGN", show=False, priority=True, id="play.load"),
    Binding("s", "send", "Send the position elsewhere", show=False, priority=True, id="play.send"),
    Binding("f", "flip", "Turn the board", show=False, id="play.flip"),
    Binding("c", "copy", "Copy the FEN", show=False, id="play.copy"),
    Binding("colon", "type", "Type a move or a position", show=False, priority=True, id="play.type"),
    Binding("escape", "back", "Drop the man, to the board", show=False, id="play.back"),
]
"""Every key of the screen; the panels have their own for the cursor."""

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
REVIEW: Final[tuple[Keys, Keys, Keys]] = (
    (
        ("← →", "step"), ("home end", "first, last"), ("e", "next error"), ("r", "retry here"), ("o", "save PGN"),
        ("n", "new game"), ("s", "send"), ("+", "add to studies"),
    ),
    (("← →", "step"), ("e", "next error"), ("r", "retry here"), ("o", "save"), ("n", "new game")),
    (("← →", "step"), ("e", "error"), ("r", "retry")),
)  # fmt: skip
SETUP: Final[tuple[Keys, Keys, Keys]] = (
    (
        ("Enter", "begin"), ("↑ ↓", "choose"), ("← →", "change"), (":", "position"), ("r", "random"), ("E", "board"),
        ("O", "open PGN"), ("f", "flip"),
    ),
    (("Enter", "begin"), ("← →", "change"), (":", "position"), ("r", "random"), ("E", "board"), ("O", "open")),
    (("Enter", "begin"), (":", "position")),
)  # fmt: skip

STAGES: Final = {plan.SETUP: SETUP, plan.HIDDEN: PLAYING, plan.SHOWN: PLAYING, plan.REVIEW: REVIEW}
"""What the last row names at each stage."""

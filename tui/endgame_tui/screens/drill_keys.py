"""The keys of the Drill screen: what they do, and which of them the last row names at each stage."""

from __future__ import annotations

from typing import Final

from textual.binding import Binding, BindingType

BINDINGS: Final[list[BindingType]] = [
    Binding("enter", "next", "Next drill", show=False, id="drill.next"),
    Binding("r", "again", "Again, another random copy", show=False, id="drill.again"),
    Binding("i", "hint", "Hint: first man, then move", show=False, id="drill.hint"),
    Binding("u", "take_back", "Take back (it counts)", show=False, id="drill.take-back"),
    Binding("w", "show_me", "Show me; question: a win", show=False, priority=True, id="drill.show-me"),
    Binding("d", "call('draw')", "Question: a draw", show=False, id="drill.draw"),
    Binding("l", "call('loss')", "Question: a loss", show=False, id="drill.loss"),
    Binding("y", "decides", "Question: the move decides", show=False, id="drill.decides"),
    Binding("n", "no", "It does not; or next drill", show=False, id="drill.no"),
    Binding("left", "step(-1)", "Afterwards: move before", show=False, id="drill.left"),
    Binding("right", "step(1)", "Afterwards: move after", show=False, id="drill.right"),
    Binding("home", "step(-9999)", "Afterwards: to the start", show=False, id="drill.home"),
    Binding("end", "step(9999)", "Afterwards: to the end", show=False, id="drill.end"),
    Binding("s", "send", "See it in Explore", show=False, id="drill.send"),
    Binding("f", "flip", "Turn the board", show=False, id="drill.flip"),
    Binding("c", "copy", "Copy the FEN", show=False, id="drill.copy"),
    Binding("colon", "type", "Type a move", show=False, priority=True, id="drill.type"),
    Binding("tab,shift+tab", "home", "To the board", show=False, priority=True, id="drill.home-panel"),
    Binding("escape", "leave", "Leave the drill", show=False, id="drill.leave"),
]
"""Every key of the screen; the board has its own for the cursor."""

Keys = tuple[tuple[str, str], ...]

PLAYING: Final[tuple[Keys, Keys, Keys]] = (
    (
        ("Enter", "pick, drop"), ("i", "hint"), ("u", "take back (counts)"), ("w", "show me"), (":", "type a move"),
        ("f", "flip"), ("Esc", "leave"),
    ),
    (("Enter", "pick, drop"), ("i", "hint"), ("u", "take back (counts)"), ("w", "show me"), (":", "type")),
    (("i", "hint"), ("u", "back"), ("w", "show")),
)  # fmt: skip
STREAK: Final[tuple[Keys, Keys, Keys]] = (
    (("Enter", "pick, drop"), (":", "type a move"), ("f", "flip"), ("Esc", "leave")),
    (("Enter", "pick, drop"), (":", "type a move"), ("f", "flip"), ("Esc", "leave")),
    (("Enter", "pick, drop"), (":", "type")),
)
QUESTION: Final[tuple[Keys, Keys, Keys]] = (
    (("w", "a win"), ("d", "a draw"), ("l", "a loss"), ("f", "flip"), ("Esc", "leave")),
    (("w", "a win"), ("d", "a draw"), ("l", "a loss"), ("Esc", "leave")),
    (("w", "win"), ("d", "draw"), ("l", "loss")),
)
DECIDES: Final[tuple[Keys, Keys, Keys]] = (
    (("y", "the move decides"), ("n", "the same, whoever moves"), ("w d l", "change the answer"), ("Esc", "leave")),
    (("y", "the move decides"), ("n", "the same, whoever moves"), ("Esc", "leave")),
    (("y", "decides"), ("n", "the same")),
)
OVER: Final[tuple[Keys, Keys, Keys]] = (
    (
        ("Enter", "next"), ("r", "again"), ("← →", "step through"), ("u", "take back, try again"), ("w", "show me"),
        ("s", "look in Explore"), ("Esc", "leave"),
    ),
    (("Enter", "next"), ("r", "again"), ("← →", "step"), ("u", "try again"), ("w", "show me"), ("Esc", "leave")),
    (("Enter", "next"), ("r", "again"), ("u", "back")),
)  # fmt: skip
ANSWERED: Final[tuple[Keys, Keys, Keys]] = (
    (("Enter", "next"), ("r", "again"), ("s", "look in Explore"), ("+", "keep the position"), ("Esc", "leave")),
    (("Enter", "next"), ("r", "again"), ("s", "look in Explore"), ("Esc", "leave")),
    (("Enter", "next"), ("r", "again")),
)
SUMMARY: Final[tuple[Keys, Keys, Keys]] = (
    (("Enter", "to the list"), ("r", "all of it again"), ("5", "progress")),
    (("Enter", "to the list"), ("r", "all of it again"), ("5", "progress")),
    (("Enter", "to the list"), ("r", "again")),
)

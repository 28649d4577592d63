"""The keys of the Explore screen of Nine Men's Morris: what they do, and which of them the last row names."""

from __future__ import annotations

from typing import Final

from textual.binding import Binding, BindingType

from endgame_tui.screens.explore_keys import BINDINGS as CHESS
from endgame_tui.screens.rebound import Keys, rebound

_OTHER = {
    "layer(-1)": "Layer nearer to the end",
    "layer(1)": "Layer farther from the end",
    "copy": "Copy the position",
    "type": "Type: move, line, S12, 4-3",
    "back": "One step back, to the board",
}
"""What is said of a key in words of its own."""

BINDINGS: Final[list[BindingType]] = [
    *rebound(CHESS, "morris-", _OTHER, ("metric", "clock")),
    Binding("E", "edit", "Set up the board by hand", show=False, id="morris-explore.edit"),
]
"""The keys of the other Explore screen, as far as they mean something here."""

WALKING: tuple[Keys, Keys, Keys] = (
    (
        (".", "best"), ("u U", "undo redo"), ("[ ]", "layer"), ("n p", "position"), ("r", "random"), ("a", "auto"),
        ("b", "before"), ("w", "wins"), (":", "type"), ("G", "chess"),
    ),
    (
        (".", "best"), ("u", "undo"), ("[ ]", "layer"), ("n p", "position"), ("b", "before"), (":", "type"),
        ("G", "chess"),
    ),
    ((".", "best"), ("u", "undo"), ("[ ]", "S"), ("m", "moves")),
)  # fmt: skip
"""The last row, from the widest screens to the smallest."""

TAKING: tuple[Keys, Keys, Keys] = (
    (("Enter", "take"), ("Esc", "other move"), *WALKING[0][:5], ("b", "before"), (":", "type")),
    (("Enter", "take"), ("Esc", "other move"), (".", "best"), ("u", "undo"), ("[ ]", "layer"), (":", "type")),
    (("Enter", "take"), ("Esc", "back"), ("u", "undo")),
)
"""The same while a stone is to be taken."""

"""The keys of the Explore screen: what they do, and which of them the last row names."""

from __future__ import annotations

from typing import Final

from textual.binding import Binding, BindingType

BINDINGS: Final[list[BindingType]] = [
    Binding("full_stop", "best", "Play the best move", show=False, id="explore.best"),
    Binding("u", "undo", "Undo", show=False, id="explore.undo"),
    Binding("U", "redo", "Redo", show=False, id="explore.redo"),
    Binding("left_square_bracket", "layer(-1)", "Layer nearer to mate", show=False, id="explore.nearer"),
    Binding("right_square_bracket", "layer(1)", "Layer farther from mate", show=False, id="explore.farther"),
    Binding("n", "position(1)", "Next position in the layer", show=False, id="explore.next"),
    Binding("p", "position(-1)", "Previous position", show=False, id="explore.previous"),
    Binding("r", "random", "Random position", show=False, id="explore.random"),
    Binding("g", "go_to", "Go to a layer or position", show=False, priority=True, id="explore.go-to"),
    Binding("w", "family", "White or Black wins, draws", show=False, id="explore.family"),
    Binding("z", "metric", "Layers by DTM or by DTZ", show=False, id="explore.metric"),
    Binding("C", "clock", "Set the half-move clock", show=False, priority=True, id="explore.clock"),
    Binding("a", "autoplay", "Play on by itself, or stop", show=False, id="explore.autoplay"),
    Binding("b", "before", "Positions before this one", show=False, id="explore.before"),
    Binding("m", "moves", "All moves", show=False, id="explore.moves"),
    Binding("f", "flip", "Turn the board", show=False, id="explore.flip"),
    Binding("c", "copy", "Copy the FEN", show=False, id="explore.copy"),
    Binding("s", "send", "Send the position to Play", show=False, priority=True, id="explore.send"),
    Binding("colon", "type", "Type: move, FEN, S12, KBNvK", show=False, priority=True, id="explore.type"),
    Binding("escape", "back", "Drop the man, to the board", show=False, id="explore.back"),
]
"""Every key of the screen; the panels have their own for the cursor.

Keys that ask for something come before all others, so that what is typed right after them is not lost.
"""

WIDE_KEYS = (
    (".", "best"), ("u U", "undo redo"), ("[ ]", "layer"), ("n p", "position"), ("r", "random"),
    ("z", "DTZ"), ("a", "auto"), ("b", "before"), ("w", "wins"), (":", "type"), ("G", "Morris"),
)  # fmt: skip
KEYS = (
    (".", "best"), ("u", "undo"), ("[ ]", "layer"), ("n p", "next"), ("z", "DTZ"), ("b", "before"), (":", "type"),
    ("G", "Morris"),
)  # fmt: skip
SMALL_KEYS = ((".", "best"), ("u", "undo"), ("[ ]", "S"), ("m", "moves"))

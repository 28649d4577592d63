"""The keys of the Practise screen: what they do, and which of them the last row names."""

from __future__ import annotations

from typing import Final

from textual.binding import Binding, BindingType

BINDINGS: Final[list[BindingType]] = [
    Binding("tab", "panel(1)", "List, mode, layers", show=False, priority=True, id="practise.next-panel"),
    Binding("shift+tab", "panel(-1)", "Panel before", show=False, priority=True, id="practise.previous-panel"),
    Binding("less_than_sign", "widen(-1)", "Narrow the window of layers", show=False, id="practise.narrow"),
    Binding("greater_than_sign", "widen(1)", "Widen the window of layers", show=False, id="practise.widen"),
    Binding("n", "another", "Another start", show=False, id="practise.another"),
    Binding("s", "send", "See the start in Explore", show=False, id="practise.send"),
    Binding("plus", "add", "Add a position or a file", show=False, priority=True, id="practise.add"),
    Binding("slash,colon", "find", "Find a set, study, ending", show=False, priority=True, id="practise.find"),
    Binding("d", "delete", "Delete your own", show=False, priority=True, id="practise.delete"),
    Binding("b", "build", "Build what is missing", show=False, priority=True, id="practise.build"),
    Binding("escape", "back", "Back to the list", show=False, id="practise.back"),
]
"""Every key of the screen; the panels have their own for the cursor."""

WIDE_KEYS = (
    ("Enter", "start"), ("tab", "set, mode, layers"), ("‹ ›", "change"), ("+", "add a position"), ("/", "find"),
    ("n", "another start"),
)  # fmt: skip
KEYS = (("Enter", "start"), ("tab", "set, mode, layers"), ("‹ ›", "change"), ("+", "add a position"))
SMALL_KEYS = (("Enter", "start"), ("tab", "how"), ("+", "add"))

"""The keys of the Progress screen: what they do, and which of them the last row names."""

from __future__ import annotations

from typing import Final

from textual.binding import Binding, BindingType

from endgame_tui.widgets.frame import Key

BINDINGS: Final[list[BindingType]] = [
    Binding("r", "review", "Review attempts", show=False, id="progress.review"),
    Binding("less_than_sign", "widen(-1)", "Fewer weeks", show=False, id="progress.narrower"),
    Binding("greater_than_sign", "widen(1)", "More weeks", show=False, id="progress.wider"),
    Binding("left_square_bracket", "weeks_back(1)", "Weeks before", show=False, id="progress.earlier"),
    Binding("right_square_bracket", "weeks_back(-1)", "Weeks after", show=False, id="progress.later"),
    Binding("o", "export", "Export the journal", show=False, priority=True, id="progress.export"),
    Binding("O", "import", "Import a journal", show=False, priority=True, id="progress.import"),
    Binding("tab", "next_panel(1)", "Next panel", show=False, id="progress.next-panel"),
    Binding("shift+tab", "next_panel(-1)", "Panel before", show=False, id="progress.panel-before"),
    Binding("escape", "back", "To the hardest themes", show=False, id="progress.back"),
]
"""Every key of the screen; the panels have their own for the cursor.

Keys that ask for something come before all others, so that what is typed right after them is not lost.
"""

EMPTY_KEYS = ((("4", "practise"), ("3", "play"), ("O", "import a journal")),) * 3
"""Where nothing was practised yet."""

SMALL_KEYS = (("Enter", "drill"), ("r", "review"), ("tab", "panel"))


def keys_for(enter: str, review: str) -> tuple[tuple[Key, ...], tuple[Key, ...]]:
    """The keys of the last row, for wide and for normal screens, when Enter and r do this; empty: nothing."""
    here = tuple((key, does) for key, does in (("Enter", enter), ("r", review)) if does)
    panels, export = ("tab", "next panel"), ("o", "export")
    return (
        (*here, panels, ("< >", "weeks"), ("[ ]", "before, after"), export, ("O", "import")),
        (*here, panels, export),
    )

"""Library of Nine Men's Morris: the pairs of stones, their prices, and what has been built."""

from __future__ import annotations

from typing import ClassVar

from endgame_tui.morris_scenes import NAME
from endgame_tui.screens.library import LibraryScreen
from endgame_tui.widgets.frame import KeyBar

KEYS = (
    ("Enter", "open or build"), ("v", "verify"), ("d", "delete"), ("m", "build a set"), ("/", "find"), ("G", "chess"),
)  # fmt: skip
SHORT_KEYS = (
    ("Enter", "open, build"), ("v", "verify"), ("d", "delete"), ("m", "set"), ("/", "find"), ("G", "chess"),
)  # fmt: skip
SMALL_KEYS = (("Enter", "open, build"), ("/", "find"), ("x", "cancel"))


class MorrisLibraryScreen(LibraryScreen):
    """The catalogue of pairs."""

    METRICS: ClassVar[tuple[str, ...]] = ("depth",)

    def key_bar(self) -> KeyBar:
        """The keys worth naming."""
        return KeyBar(KEYS, SHORT_KEYS, SMALL_KEYS, id="keys")

    def first_wish(self) -> str | None:
        """Explore opens what it has asked for by itself."""
        return None

    def crumbs(self) -> tuple[str, ...]:
        """What the list is of."""
        return self.look.glyphs.plain(NAME), "all endings"

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """No other metric, no Syzygy files."""
        return False if action in ("metric", "syzygy") else super().check_action(action, parameters)

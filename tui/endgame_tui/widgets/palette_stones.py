"""The stones of the board editor, like the men of the other: which one Enter puts down, and how the position stands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual.events import Click
from textual.message import Message

from endgame_tui.widgets.canvas import Ink, Row
from endgame_tui.widgets.palette_men import MenPalette

NAMES = ("White", "Black")
_FIRST = 2
"""The row of White's stone; Black's and the hand follow, then a blank, then the facts."""
_FACTS = _FIRST + 4


class StonesPalette(MenPalette):
    """A stone of either colour and the hand, the facts of the position, the keys."""

    MAN: ClassVar[str] = "stone"

    @dataclass
    class Pressed(Message):
        """A fact was clicked: it is to change."""

        fact: int

    def on_click(self, event: Click) -> None:
        """Chooses the stone under the mouse, or changes a fact."""
        event.prevent_default()  # the men of the other palette stand elsewhere
        row = event.y - _FIRST
        if row in (0, 1, 2):
            self.post_message(self.Chosen(row if row < 2 else None))
        elif 0 <= event.y - _FACTS < len(self.view.facts):
            self.post_message(self.Pressed(event.y - _FACTS))

    def choices(self) -> list[Row]:
        """A heading, a blank, a stone of either colour with its key."""
        pen = self.look.palette
        rows = [self.row().put("Stones", pen("text", bold=True)), self.row()]
        for side, (name, key) in enumerate(zip(NAMES, "ox", strict=True)):
            here = self.view.chosen == side
            row = self.row().put("[" if here else " ", pen("cursor", bold=True)).write(self._stone(side))
            row.put("]" if here else " ", pen("cursor", bold=True))
            rows.append(row.put(f" {name}", pen("text" if here else "dim")).to(13).put(key, pen("text", bold=True)))
        return rows

    def _stone(self, side: int) -> list[Ink]:
        """A stone as it is on the board."""
        pen, glyphs = self.look.palette, self.look.glyphs
        role, other = ("white_man", "black_man")[side], ("black_man", "white_man")[side]
        if not (glyphs.unicode and pen.coloured):
            stone = (("○", "●") if glyphs.unicode else ("O", "X"))[side]
            return [(f"({stone})", pen(role, bold=True))]
        return [("▐", pen(role)), ("○●"[side], pen(other, role)), ("▌", pen(role))]

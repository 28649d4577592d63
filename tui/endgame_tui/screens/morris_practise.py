"""Practise, with a board of stones."""

from __future__ import annotations

from typing import ClassVar

from endgame_tui.order import Order
from endgame_tui.screens.drilling import Drilling
from endgame_tui.screens.practise import PractiseScreen


class MorrisPractiseScreen(PractiseScreen):
    """Sets, themes and positions of Nine Men's Morris."""

    GAME: ClassVar[str] = "morris"

    def drill_screen(self, order: Order) -> Drilling:
        """The screen of a sitting."""
        from endgame_tui.screens.morris_drill import MorrisDrillScreen

        return MorrisDrillScreen(order, self.chooser.course)

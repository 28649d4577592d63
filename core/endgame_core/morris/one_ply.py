"""Derives the codes of a pair's positions from those one ply later, by the rules alone, position by position."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from endgame_core.game import Codes, Game, Slot, derived_code, position_code
from endgame_core.morris import arrays


class OnePly:
    """The codes of one pair's positions, derived.

    Args:
        game: The game.
        ending: The pair.
        codes: Gives the codes of the pair and of those that captures lead to.
    """

    def __init__(self, game: Game[Any, Any], ending: str, codes: Codes) -> None:
        self.game, self.ending = game, ending
        self._codes = codes
        self._known: dict[tuple[str, int], NDArray[np.uint8]] = {}

    def _look(self, slot: Slot) -> int:
        key = slot.ending, slot.side
        if key not in self._known:
            self._known[key] = self._codes(*key)
        return int(self._known[key][slot.index])

    def _code(self, position: Any) -> int:
        return position_code(self.game, position, self._look)

    def derived(self, side: int, start: int, count: int) -> tuple[NDArray[np.int64], NDArray[np.int16]]:
        """The canonical slots of a range, and the codes they must have."""
        slots = start + np.flatnonzero(arrays.copies(self.ending, side, start, count))
        positions = (self.game.position_at(self.ending, side, slot) for slot in slots.tolist())
        found = [derived_code(self.game, position, self._code) for position in positions]
        return slots, np.array(found, np.int16)

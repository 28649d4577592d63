"""Derives the codes of a pair's positions from those one ply later, by the rules alone, many positions at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from endgame_core.game import Codes
from endgame_core.morris import arrays, orbits
from endgame_core.morris.geometry import ALL, MILLS, NEIGHBOURS
from endgame_core.morris.index import name_of, stones_of
from endgame_core.morris.orbits import Masks
from endgame_core.morris.rules import FEWEST

_WON = 255
"""What a move is worth that leaves two stones."""

_BEFORE = np.array([255 - code if code < 128 else 256 - code for code in range(256)], np.int16)
"""What a move is worth to its mover, by the code of the position it leads to; see :func:`endgame_core.game.before`."""


class OnePly:
    """The codes of one pair's positions, derived.

    Args:
        ending: The pair.
        codes: Gives the codes of the pair and of those that captures lead to.
    """

    def __init__(self, ending: str, codes: Codes) -> None:
        self.ending = ending
        self._codes = codes
        self._known: dict[tuple[str, int], NDArray[np.uint8]] = {}

    def _look(self, own: int, other: int, movers: Masks, others: Masks) -> NDArray[np.uint8]:
        """The codes of positions in which ``own`` stones are to move against ``other``."""
        name, side = name_of(own, other), int(own < other)
        key = name, side
        if key not in self._known:
            self._known[key] = arrays.filled(name, self._codes(name, side)).reshape(-1)
        return self._known[key][arrays.slots_of(name, *((others, movers) if side else (movers, others)))]

    def derived(self, side: int, start: int, count: int) -> tuple[NDArray[np.int64], NDArray[np.int16]]:
        """The canonical slots of a range, and the codes they must have."""
        slots = start + np.flatnonzero(arrays.copies(self.ending, side, start, count))
        whites, blacks = arrays.stones(self.ending, slots)
        movers, others = (blacks, whites) if side else (whites, blacks)
        free, takeable = ALL & ~(whites | blacks), _takeable(others)
        best = np.zeros(len(slots), np.int16)  # without a move, lost
        flying = stones_of(self.ending)[side] == FEWEST
        for source in range(24):
            for end in range(24) if flying else NEIGHBOURS[source]:
                chosen = np.flatnonzero((movers >> source & 1) & (free >> end & 1))
                moved = movers[chosen] ^ (1 << source | 1 << end)
                closed = orbits.in_mill(moved, end)
                self._quiet(side, chosen[~closed], moved[~closed], others, best)
                self._taking(side, chosen[closed], moved[closed], others, takeable, best)
        return slots, best

    def _quiet(self, side: int, chosen: Masks, moved: Masks, others: Masks, best: NDArray[np.int16]) -> None:
        """Raises what is best for some positions to what a move is worth that takes nothing."""
        own, other = _in_order(self.ending, side)
        worth = _BEFORE[self._look(other, own, others[chosen], moved)]
        best[chosen] = np.maximum(best[chosen], worth)

    def _taking(
        self, side: int, chosen: Masks, moved: Masks, others: Masks, takeable: Masks, best: NDArray[np.int16]
    ) -> None:
        """The same for a move that closes a mill, whatever it takes."""
        own, other = _in_order(self.ending, side)
        if other == FEWEST:
            best[chosen] = _WON
            return
        for point in range(24):
            which = takeable[chosen] >> point & 1 == 1
            here = chosen[which]
            worth = _BEFORE[self._look(other - 1, own, others[here] ^ 1 << point, moved[which])]
            best[here] = np.maximum(best[here], worth)


def _in_order(ending: str, side: int) -> tuple[int, int]:
    """The stones of the side to move, and of the other."""
    white, black = stones_of(ending)
    return (black, white) if side else (white, black)


def _takeable(masks: Masks) -> Masks:
    """The stones in no mill; all of them where every one is in a mill."""
    guarded = np.zeros_like(masks)
    for mill in MILLS:
        guarded |= np.where(masks & mill == mill, mill, 0)
    return np.where(guarded == masks, masks, masks & ~guarded)

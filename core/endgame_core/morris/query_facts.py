"""What queries ask of positions of stones, many at once: where they stand, and what their moves are like."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from endgame_core.game import Lookup, QueryFacts
from endgame_core.morris import arrays
from endgame_core.morris.geometry import INVERSES, MILLS, image
from endgame_core.morris.index import axes, stones_of
from endgame_core.query import Condition
from endgame_core.values import BYTE_DRAW

Masks = NDArray[np.int64]
_KINDS: Final = {"capture": 1, "quiet": 2}


class MorrisQueryFacts(QueryFacts):
    """Answers queries about a pair with one side to move.

    Args:
        ending: The pair.
        side: Side to move, 0 for the side named first.
        codes: Gives the codes of the pair and of those that captures lead to.
    """

    symmetries = 16
    kinds: Mapping[str, int] = _KINDS

    def __init__(self, ending: str, side: int, codes: Lookup) -> None:
        self.ending, self.side = ending, side
        self._ply = arrays.MorrisOnePly(ending, codes)

    def men_in_box(self, box: Sequence[range]) -> Sequence[Masks]:
        """White's stones and Black's, as masks."""
        rows, ranks = (np.arange(axis.start, axis.stop) for axis in box)
        slots = rows[:, None] * axes(self.ending)[1] + ranks
        shape = [len(axis) for axis in box]
        return [masks.reshape(shape) for masks in arrays.stones(self.ending, slots.reshape(prod(shape)))]

    def men_at(self, slots: Masks) -> Sequence[Masks]:
        """The same of some slots."""
        return arrays.stones(self.ending, slots)

    def is_symmetric(self, condition: Condition) -> bool:
        """Whether a fact about stones is the same in all copies."""
        return condition.name != "on" or all(
            image(turn, condition.args[1]) == condition.args[1] for turn in range(self.symmetries)
        )

    def evaluate(self, condition: Condition, men: Sequence[Masks], symmetry: int) -> Any:
        """A fact or a number that stones alone tell, in one of their copies."""
        if condition.name == "on":
            man, mask = condition.args
            return men[man.color == "black"] & image(INVERSES[symmetry], mask) != 0
        stones = men[condition.args[0] == "black"]
        return sum((stones & mill == mill).astype(np.int64) for mill in MILLS)

    def opposite_codes(self, codes: Any) -> Any:
        """Where both have as many stones, the player to move is always called White."""
        white, black = stones_of(self.ending)
        return arrays.exchanged(self.ending, codes) if white == black else None

    def move_facts(self, slots: Masks, codes: NDArray[np.uint8], enough: int) -> Masks:
        """What the moves of some positions are like; all are looked at."""
        result = np.zeros((len(slots), 7), np.int64)
        legal, keeping, best, kinds, best_kinds, _, _ = result.T
        value = codes.astype(np.int64)
        for rows, worth, number, takes in self._ply.worths(self.side, slots):
            kind = _KINDS["capture" if takes else "quiet"]
            legal[rows] += number
            same = np.sign(worth.astype(np.int64) - BYTE_DRAW) == np.sign(value[rows] - BYTE_DRAW)
            top = same & (worth == value[rows])
            for count, of, which in ((keeping, kinds, same), (best, best_kinds, top)):
                count[rows] += np.where(which, number, 0)
                of[rows] |= np.where(which, kind, 0)
        return result

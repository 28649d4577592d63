"""The facts that queries filter Morris positions by, vectorised: where stones stand, and what moves there are."""

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
    """Evaluates query terms for a pair with one side to move.

    Args:
        ending: The pair.
        side: Side to move, 0 for the side named first.
        codes: Returns the codes of the pair and of those that captures lead to.
    """

    symmetries = 16
    kinds: Mapping[str, int] = _KINDS

    def __init__(self, ending: str, side: int, codes: Lookup) -> None:
        self.ending = ending
        self.side = side
        self._one_ply = arrays.MorrisOnePly(ending, codes)

    def men_in_box(self, box: Sequence[range]) -> Sequence[Masks]:
        """Return the masks of White's and of Black's stones, each of the shape of the box."""
        rows, ranks = (np.arange(axis.start, axis.stop) for axis in box)
        slots = rows[:, None] * axes(self.ending)[1] + ranks
        shape = [len(axis) for axis in box]
        return [masks.reshape(shape) for masks in arrays.stones(self.ending, slots.reshape(prod(shape)))]

    def men_at(self, slots: Masks) -> Sequence[Masks]:
        """Return the masks of White's and of Black's stones in slots."""
        return arrays.stones(self.ending, slots)

    def is_symmetric(self, condition: Condition) -> bool:
        """Return whether a condition holds in all symmetric copies of a position or in none."""
        if condition.name != "on":  # the number of mills
            return True
        mask = condition.args[1]
        return all(image(symmetry, mask) == mask for symmetry in range(self.symmetries))

    def evaluate(self, condition: Condition, men: Sequence[Masks], symmetry: int) -> Any:
        """Evaluate ``on`` (bool) or the number of mills (int64) in one symmetric copy of each position.

        For ``on`` the mask of the condition is mapped back rather than all stones forward.
        """
        if condition.name == "on":
            man, mask = condition.args
            return men[man.color == "black"] & image(INVERSES[symmetry], mask) != 0
        stones = men[condition.args[0] == "black"]
        return sum((stones & mill == mill).astype(np.int64) for mill in MILLS)

    def opposite_codes(self, codes: Any) -> Any:
        """Return the codes with the other side to move for a pair of equal numbers, whose table lacks them."""
        white, black = stones_of(self.ending)
        if white == black:
            return arrays.exchanged(self.ending, codes)
        return None

    def move_facts(self, slots: Masks, codes: NDArray[np.uint8], enough: int) -> Masks:
        """Count the moves of positions; all moves are always evaluated, so ``enough`` is ignored.

        Returns:
            int64 array of shape (slots, 7): the numbers of legal moves, of moves that keep the result and of best
            moves, the kinds of the latter two as bitmasks, and two columns that are 0.
        """
        result = np.zeros((len(slots), 7), np.int64)
        legal, keeping, best, kinds, best_kinds, _, _ = result.T
        value = codes.astype(np.int64)
        for rows, move_values, number, takes in self._one_ply.worths(self.side, slots):
            kind = _KINDS["capture" if takes else "quiet"]
            legal[rows] += number
            # Seen from a draw, wins are above and losses below.
            keeps_result = np.sign(move_values.astype(np.int64) - BYTE_DRAW) == np.sign(value[rows] - BYTE_DRAW)
            is_best = keeps_result & (move_values == value[rows])
            for counts, kind_bits, selected in ((keeping, kinds, keeps_result), (best, best_kinds, is_best)):
                counts[rows] += np.where(selected, number, 0)
                kind_bits[rows] |= np.where(selected, kind, 0)
        return result

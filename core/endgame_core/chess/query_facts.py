"""Query conditions on chess positions, evaluated for many positions at once: places of men and properties of moves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property, reduce
from itertools import product
from operator import or_
from typing import Any, Final

import chess
import numpy as np
from numpy.typing import NDArray

from endgame_core.chess import arrays
from endgame_core.chess.index import TURNS, men_of
from endgame_core.chess.material import Man
from endgame_core.game import Lookup, QueryFacts
from endgame_core.query import Condition, PieceKind

Squares = NDArray[np.int64]

_KINDS: Final = {
    "capture": 1, "promotion": 30, "promotion to queen": 2, "promotion to rook": 4, "promotion to bishop": 8,
    "promotion to knight": 16, "underpromotion": 28, "check": 32, "king move": 64, "retreat": 128, "quiet": 256,
}  # fmt: skip
"""Bit of each kind of move, as in the kernel."""


class ChessQueryFacts(QueryFacts):
    """Evaluates queries about an ending with one side to move.

    Args:
        ending: Canonical name.
        side: Side to move, 0 for the side named first.
        codes: Returns the codes of the ending and of its sub-endings.
    """

    kinds: Mapping[str, int] = _KINDS

    def __init__(self, ending: str, side: int, codes: Lookup) -> None:
        self.ending = ending
        self.side = side
        self._codes = codes
        self.symmetries = arrays.most_copies(ending)
        men = (Man(chess.KING, chess.WHITE), *men_of(ending), Man(chess.KING, chess.BLACK))
        self._men = [PieceKind(chess.COLOR_NAMES[color], chess.piece_name(piece)) for piece, color in men]
        self._hanging = False

    # Men

    def men_in_box(self, box: Sequence[range]) -> Sequence[Squares]:
        """Return the squares of the men of a box of slots, with the kings first and last."""
        king, others, _, black = arrays.squares_in(self.ending, box)
        return [king, *others, black]

    def men_at(self, slots: Squares) -> Sequence[Squares]:
        """Return the squares of the men of slots, with the kings first and last."""
        return arrays.squares_of(self.ending, slots)

    def is_symmetric(self, condition: Condition) -> bool:
        """Return whether a condition about men has the same value in all symmetric copies."""
        if condition.name == "on":
            places = set(chess.SquareSet(condition.args[1]))
            return all({turn[square] for square in places} == places for turn in TURNS[: self.symmetries])
        if condition.name == "aligned":
            return self.symmetries == 2 or condition.args[1] in ("diagonal", "colour")
        return not any(isinstance(end, int) for end in condition.args)

    def evaluate(self, condition: Condition, men: Sequence[Any], symmetry: int) -> Any:
        """Return a condition or number that depends on the men only, in one symmetric copy."""
        turns = arrays.TURNED[symmetry]
        if condition.name == "on":
            is_target = np.array([condition.args[1] >> square & 1 for square in turns.tolist()], np.bool_)
            return reduce(or_, (is_target[square] for square in self._squares_of(condition.args[0], men)))
        if condition.name == "opposition":
            return self._opposition(men[0], men[-1], *condition.args)
        ends: list[list[Any]] = [
            [np.int64(end)] if isinstance(end, int) else [turns[square] for square in self._squares_of(end, men)]
            for end in condition.args
            if not isinstance(end, str)
        ]
        pairs = [(a, b) for (i, a), (j, b) in product(enumerate(ends[0]), enumerate(ends[1]))
                 if i < j or condition.args[0] != condition.args[-1]]  # fmt: skip
        if condition.name == "aligned":
            return reduce(or_, (_aligned(condition.args[1], a, b) for a, b in pairs))
        if condition.name == "in square":
            return reduce(
                or_, (self._in_square(condition.args[1].color == "white", king, pawn) for king, pawn in pairs)
            )
        return reduce(np.minimum, (_distance(a, b) for a, b in pairs))

    def _squares_of(self, man: PieceKind, men: Sequence[Squares]) -> list[Squares]:
        return [square for name, square in zip(self._men, men, strict=True) if name == man]

    def _in_square(self, white: bool, king: Any, pawn: Any) -> Any:
        """Return whether a king catches an unsupported pawn if the pawn moves, or the king's side if it is to move."""
        rank = pawn >> 3 if white else 7 - (pawn >> 3)
        steps = 7 - np.maximum(rank, 2)  # from its first square a pawn can move two squares
        last = pawn & 7 | (56 if white else 0)
        return _distance(king, last) <= steps + int((self.side == 0) != white)

    def _opposition(self, white: Squares, black: Squares, color: str | None, reach: str) -> Any:
        """Return whether the kings face each other at an even distance; the side not to move has the opposition."""
        if color is not None and (color == "white") == (self.side == 0):
            return np.bool_(False)
        files = np.abs((white & 7) - (black & 7))
        ranks = np.abs((white >> 3) - (black >> 3))
        far = np.maximum(files, ranks)
        even = (far > 0) & (far % 2 == 0)
        if reach == "diagonal":
            return even & (files == ranks)
        facing = even & (np.minimum(files, ranks) == 0)
        return facing & {"direct": far == 2, "distant": far > 2}.get(reach, np.bool_(True))

    # Moves

    def prepare(self, hanging: bool) -> None:
        """Load the values that moves lead to and compile the kernel."""
        self._hanging = hanging
        self.move_facts(np.zeros(0, np.int64), self._moves.codes[:0], 1)

    @cached_property
    def _moves(self) -> Any:
        from endgame_core.chess.solver.examine import EndingMoves

        return EndingMoves(self.ending, self.side, self._codes)

    @cached_property
    def _next_canonical(self) -> Any:
        from endgame_core.chess.solver.stored_slots import find_stored_slots

        return find_stored_slots(self.ending, 1 - self.side, 1)

    def move_facts(self, slots: Squares, codes: NDArray[Any], enough: int) -> Squares:
        """Return facts about the moves of positions; see the kernel for the columns."""
        return self._moves.find_facts(slots, codes, self._next_canonical, enough, self._hanging)


def _distance(a: Any, b: Any) -> Any:
    """Return the number of king moves between two squares."""
    return np.maximum(np.abs((a & 7) - (b & 7)), np.abs((a >> 3) - (b >> 3)))


def _aligned(line: str, a: Any, b: Any) -> Any:
    files = np.abs((a & 7) - (b & 7))
    ranks = np.abs((a >> 3) - (b >> 3))
    if line == "colour":
        return (files + ranks) % 2 == 0
    return {"file": files == 0, "rank": ranks == 0, "diagonal": files == ranks}[line]

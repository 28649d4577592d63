"""Every position of an ending derived again from the positions one ply later, in numpy and without the solver.

Moves are generated man by man and direction by direction for many positions at once. What a move leads to is looked
up in the codes of its ending; the move is legal when that position is.
"""

# The other half of arrays.py, whose geometry it shares.
# pyright: reportPrivateUsage=false

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

import chess
import numpy as np
from numpy.typing import NDArray

from endgame_core.chess import arrays, dtz, material
from endgame_core.chess.arrays import Squares, Words
from endgame_core.chess.index import men_of, slots
from endgame_core.chess.solver.metrics import Metric, draws
from endgame_core.game import Codes
from endgame_core.values import before

Man = tuple[chess.PieceType, chess.Color]
Values = NDArray[np.int16]

_ONE = np.uint64(1)
_ROOK, _BISHOP = (8, 1, -8, -1), (9, 7, -9, -7)
_STEPS = {
    chess.KNIGHT: (17, 15, 10, 6, -17, -15, -10, -6),
    chess.BISHOP: _BISHOP,
    chess.ROOK: _ROOK,
    chess.QUEEN: _ROOK + _BISHOP,
    chess.KING: _ROOK + _BISHOP,
}
_PROMOTIONS = (chess.QUEEN, chess.ROOK, chess.BISHOP, chess.KNIGHT)


@cache
def _next(step: int) -> Squares:
    """int64 array of shape (64,): the square one step on, -1 off the board."""
    found = np.full(64, -1, np.int64)
    for square in range(64):
        target = square + step
        if 0 <= target < 64 and chess.square_distance(square, target) <= 2:
            found[square] = target
    return found


def _has(words: Words, squares: Squares) -> NDArray[np.bool_]:
    return (words >> squares.astype(np.uint64)) & _ONE != 0


@cache
def _fitted(men: tuple[Man, ...]) -> tuple[str, bool, tuple[int, ...], int, int] | None:
    """The ending of some men: its name, whether colours are exchanged, and which man stands in each place of the index.

    Returns:
        Name, exchange, numbers of the men other than kings in index order, and of the white and black king as the name
        has them; None for bare kings.
    """
    if len(men) == 2:
        return None
    letters = {True: "", False: ""}
    for piece, color in sorted(men, key=lambda man: -man[0]):
        letters[color] += chess.piece_symbol(piece).upper()
    name, swapped = material.parse_material(f"{letters[True]}v{letters[False]}")
    free = list(range(len(men)))
    order: list[int] = []
    for piece, color in (*men_of(name), (chess.KING, True), (chess.KING, False)):
        order.append(next(i for i in free if men[i] == (piece, color != swapped)))
        free.remove(order[-1])
    return name, swapped, tuple(order[:-2]), order[-2], order[-1]


@cache
def _worth(metric: Metric, ending: str, side: int, zeroing: bool, draw: int) -> Values:
    """What a move into each code of an ending with one side to move is worth: int16 of shape (256,).

    ``draw`` is the mover's code of a draw.
    """
    if metric == "dtm":
        return np.array([before(code) for code in range(256)], np.int16)
    there = int(draws(ending, metric)[side])
    found: list[int] = []
    for code in range(256):
        found.append(dtz.code_of(*(dtz.zeroed if zeroing else dtz.quietly)(code, there), draw))
    return np.array(found, np.int16)


class OnePly:
    """Derives the codes of an ending's positions from the codes of the positions one ply later.

    Args:
        ending: A canonical ending name.
        codes: Gives the codes of an ending with one side to move; of this one, too.
        metric: What they mean.
    """

    def __init__(self, ending: str, codes: Codes, metric: Metric = "dtm") -> None:
        self.ending = ending
        self.metric: Metric = metric
        self._given = codes
        self._known: dict[tuple[str, int], tuple[NDArray[np.uint8], Words]] = {}

    def _codes(self, ending: str, side: int) -> tuple[NDArray[np.uint8], Words]:
        """Codes by slot, and legal black king squares by word."""
        if (ending, side) not in self._known:
            king, others, _ = arrays._word_squares(ending, np.arange(slots(ending) // 64))
            self._known[ending, side] = self._given(ending, side), arrays._legal(ending, side, king, others)
        return self._known[ending, side]

    def derived(self, side: int, start: int, count: int) -> tuple[Squares, Values]:
        """The codes that the canonical positions of a range must have.

        Args:
            side: 0 when White (named first) is to move, else 1.
            start: First slot, a multiple of 64.
            count: Number of slots, a multiple of 64.

        Returns:
            int64 array of slots, and an int16 array of their codes; -1 where an en passant capture, of which the slots
            know nothing, may matter.
        """
        where = start + np.flatnonzero(arrays.copies(self.ending, side, start, count))
        king, others, _ = arrays._word_squares(self.ending, where >> 6)
        men = ((chess.KING, True), *men_of(self.ending), (chess.KING, False))
        return where, _Range(men, np.stack([king, *others, where & 63]), side == 0, self).best()

    def draw(self, mover: chess.Color) -> int:
        """The code of a draw with one side to move."""
        return int(draws(self.ending, self.metric)[0 if mover else 1])

    def value(self, men: tuple[Man, ...], squares: Squares, mover: chess.Color, zeroing: bool) -> Values:
        """What a move is worth to ``mover``, given the placements after it; -1 where it is illegal."""
        fitted = _fitted(men)
        if fitted is None:
            apart = ~_has(arrays._attacks(men[0], squares[0], []), squares[1])
            return np.where(apart, self.draw(mover), -1).astype(np.int16)
        name, swapped, order, white_king, black_king = fitted
        squares = squares ^ 56 if swapped else squares
        home = arrays._pawned_home if material.has_pawns(name) else arrays._triangle_home
        slots = home(name, squares[white_king], [squares[i] for i in order], squares[black_king])
        side = int((not mover) == swapped)
        codes, legal = self._codes(name, side)
        worth = _worth(self.metric, name, side, zeroing, self.draw(mover))
        return np.where(_has(legal[slots >> 6], slots & 63), worth[codes[slots]], np.int16(-1))


class _Range:
    """Some positions of one ending and side to move.

    Args:
        men: The men, kings included.
        squares: int64 array of shape (men, positions).
        mover: The side to move.
        after: Knows the values after a move.
    """

    def __init__(self, men: tuple[Man, ...], squares: Squares, mover: chess.Color, after: OnePly) -> None:
        self.men = men
        self.squares = squares
        self.mover = mover
        self.after = after
        self.own, self.enemy = (self._occupied(color) for color in (mover, not mover))
        self.values: Values = np.full(squares.shape[1], -1, np.int16)

    def _occupied(self, color: chess.Color) -> Words:
        bits = np.zeros(self.squares.shape[1], np.uint64)
        for (_, man_color), square in zip(self.men, self.squares, strict=True):
            if man_color == color:
                bits |= _ONE << square.astype(np.uint64)
        return bits

    def best(self) -> Values:
        """The best value over all moves; see :meth:`OnePly.derived`."""
        unsure = np.zeros(len(self.values), bool)
        for i, (piece, color) in enumerate(self.men):
            if color != self.mover:
                continue
            if piece == chess.PAWN:
                self._pawn(i, unsure)
                continue
            for rows, targets in self._walks(piece, self.squares[i]):
                self._play(i, piece, rows, targets)
        stuck = np.flatnonzero(self.values < 0)
        self.values[stuck] = np.where(self._checked(self.squares[:, stuck]), 0, self.after.draw(self.mover))
        self.values[unsure] = -1
        return self.values

    def _walks(self, piece: chess.PieceType, square: Squares) -> Iterator[tuple[Squares, Squares]]:
        """Positions and targets of a man other than a pawn, one step of one direction at a time."""
        for step in _STEPS[piece]:
            rows, at = np.arange(len(square)), square
            for _ in range(7 if piece in (chess.BISHOP, chess.ROOK, chess.QUEEN) else 1):
                at = _next(step)[at]
                free = (at >= 0) & ~_has(self.own[rows], np.maximum(at, 0))
                rows, at = rows[free], at[free]
                if not len(rows):
                    break
                yield rows, at
                on = ~_has(self.enemy[rows], at)
                rows, at = rows[on], at[on]

    def _pawn(self, i: int, unsure: NDArray[np.bool_]) -> None:
        """Plays all moves of one pawn but en passant captures, which an enemy's slot may have to reckon with."""
        forward = 8 if self.mover else -8
        square = self.squares[i]
        occupied = self.own | self.enemy
        rows = np.flatnonzero(~_has(occupied, square + forward))
        self._advance(i, rows, square[rows] + forward)
        rows = rows[square[rows] >> 3 == (1 if self.mover else 6)]
        targets = square[rows] + 2 * forward
        free = ~_has(occupied[rows], targets)
        rows, targets = rows[free], targets[free]
        self._advance(i, rows, targets)
        for man, other in zip(self.men, self.squares, strict=True):
            if man == (chess.PAWN, not self.mover):
                beside = (np.abs(other[rows] - targets) == 1) & (other[rows] >> 3 == targets >> 3)
                unsure[rows[beside]] = True
        for step in (forward - 1, forward + 1):
            targets = _next(step)[square]
            rows = np.flatnonzero((targets >= 0) & _has(self.enemy, np.maximum(targets, 0)))
            self._advance(i, rows, targets[rows])

    def _advance(self, i: int, rows: Squares, targets: Squares) -> None:
        last = (targets >> 3 == 7) | (targets >> 3 == 0)
        self._play(i, chess.PAWN, rows[~last], targets[~last])
        if last.any():
            for piece in _PROMOTIONS:
                self._play(i, piece, rows[last], targets[last])

    def _play(self, i: int, piece: chess.PieceType, rows: Squares, targets: Squares) -> None:
        """Moves man ``i``, which may become another ``piece``, and takes what stands there."""
        men = (*self.men[:i], (piece, self.mover), *self.men[i + 1 :])
        squares = self.squares[:, rows]
        squares[i] = targets
        taking = _has(self.enemy[rows], targets)
        self._offer(men, squares, rows, ~taking, self.men[i][0] == chess.PAWN)
        if not taking.any():
            return
        for j, (_, color) in enumerate(men):
            if color != self.mover:
                left = [k for k in range(len(men)) if k != j]
                self._offer([men[k] for k in left], squares[left], rows, self.squares[j, rows] == targets, True)

    def _offer(
        self, men: Sequence[Man], squares: Squares, rows: Squares, which: NDArray[np.bool_], zeroing: bool
    ) -> None:
        if which.any():
            rows = rows[which]
            value = self.after.value(tuple(men), squares[:, which], self.mover, zeroing)
            self.values[rows] = np.maximum(self.values[rows], value)

    def _checked(self, squares: Squares) -> NDArray[np.bool_]:
        """Whether the side to move is in check."""
        king = squares[self.men.index((chess.KING, self.mover))]
        found = np.zeros(squares.shape[1], bool)
        for man, square in zip(self.men, squares, strict=True):
            if man[1] != self.mover:
                found |= _has(arrays._attacks(man, square, list(squares)), king)
        return found

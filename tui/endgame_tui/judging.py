"""What the 50-move rule makes of moves by DTM: which to play, and what a played one was worth. No Textual here."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import chess

from endgame_core.practice.grading import Grade, Kind
from endgame_core.values import Category
from endgame_tui.clocks import Known, find_out
from endgame_tui.fifty_scenes import FOR_MOVER, spoils
from endgame_tui.walk import MOST_CLOCK, ChessExplorer, Move

if TYPE_CHECKING:
    from endgame_core.chess.fifty import FiftyMoves

_KEPT = 400
_LONGEST = 600
_ORDER: Final = tuple(Category)

_WORTH: Final[Mapping[Category, int]] = {
    Category.WIN: 1, Category.MAYBE_WIN: 1, Category.CURSED_WIN: 0, Category.DRAW: 0, Category.BLESSED_LOSS: 0,
    Category.LOSS: -1,
}  # fmt: skip
"""The result that a category is under the rule; what may be a loss is not proved to be one."""


class Judge:
    """Judges by the 50-move rule where DTZ is known, and by DTM where it is not.

    Args:
        explorer: The tables by DTM.
        fifty: Makes what asks the tables by DTZ; called when first needed.
    """

    def __init__(self, explorer: ChessExplorer, fifty: Callable[[], FiftyMoves]) -> None:
        self._explorer = explorer
        self._make = fifty
        self._fifty: FiftyMoves | None = None
        self._known: dict[str, Known] = {}
        self._lines: dict[str, Move | None] = {}

    def forget(self) -> None:
        """Asks the tables anew."""
        self._fifty = None
        self._known.clear()
        self._lines.clear()

    def known(self, position: chess.Board) -> Known:
        """What the 50-move rule makes of a position; its verdict is None where DTZ is not known."""
        fen = position.fen()
        if fen not in self._known:
            if len(self._known) > _KEPT:
                self._known.clear()
            if self._fifty is None:
                self._fifty = self._make()
            self._known[fen] = find_out(self._fifty, position)
        return self._known[fen]

    def category(self, position: chess.Board) -> Category | None:
        """Of the position with its clock, None where DTZ is not known."""
        verdict = self.known(position).verdict
        return None if verdict is None else verdict.category

    def minding(self, position: chess.Board, move: chess.Move) -> chess.Move:
        """The move, or the best by DTZ when the move spoils the result under the rule."""
        known = self.known(position)
        return move if not known.moves or move in _keeping(known) else known.moves[0].move

    def rated(self, position: chess.Board, moves: Sequence[Move]) -> list[Move]:
        """Moves graded by DTM, graded anew: plies are counted among those that keep the category, which come first.

        Args:
            position: Where.
            moves: All its moves by DTM, best first; none where DTM is not known.
        """
        known = self.known(position)
        worth = {rated.move: FOR_MOVER[rated.category] for rated in known.moves}
        if not moves or len(worth) != len(moves):
            return list(moves)
        keeping = _keeping(known)
        kept = [move for move in moves if move.move in keeping]
        rest = [_spoiling(move, worth[move.move]) for move in moves if move.move not in keeping]
        first = kept[0].later
        counted = [
            replace(move, grade="best" if move.later == first else move.grade, later=move.later - first)
            for move in kept
        ]
        return (counted if first else kept) + sorted(rest, key=lambda move: _ORDER.index(worth[move.move]))

    def spoilt(self, position: chess.Board) -> Move | None:
        """The first of the best moves by DTM, when all of these spoil the result under the rule.

        Raises:
            EndgameError: The tables by DTM do not reach.
        """
        known = self.known(position)
        best = [rated for rated in self._explorer.moves(position) if rated.grade == "best"]
        return best[0] if best and all(spoils(known, rated.move) is not None for rated in best) else None

    def line(self, position: chess.Board, most: int = _LONGEST) -> list[chess.Move]:
        """The best moves of both sides: to mate or to the first claim of a draw; a single one in a drawn position.

        Raises:
            EndgameError: The tables by DTM do not reach.
        """
        line: list[chess.Move] = []
        while len(line) < most and (best := self._best(position)) is not None:
            line.append(best.move)
            position = best.after
            if best.verdict.depth in (0, None) or position.halfmove_clock >= MOST_CLOCK:
                break
        return line

    def _best(self, position: chess.Board) -> Move | None:
        """The first of the best moves, None where there is none."""
        fen = position.fen()
        if fen not in self._lines:
            if len(self._lines) > _KEPT:
                self._lines.clear()
            moves = self.rated(position, self._explorer.moves(position))
            self._lines[fen] = moves[0] if moves else None
        return self._lines[fen]

    def grade(self, position: chess.Board, move: chess.Move, by_dtm: Grade) -> Grade:
        """The grade of a move, given that by DTM."""
        known = self.known(position)
        played = next((rated for rated in known.moves if rated.move == move), None)
        if played is None or played.checkmate:
            return by_dtm
        was, now = (_WORTH.get(FOR_MOVER[rated.category]) for rated in (known.moves[0], played))
        if was is None or now is None:
            return by_dtm
        if now < was:
            return Grade(_lost(played.category, now))
        if was == 0:
            is_cursed = known.moves[0].category is Category.BLESSED_LOSS
            if is_cursed and played.category is not Category.BLESSED_LOSS:
                return Grade(Kind.WIN_GONE)
            return Grade(Kind.CURSED if is_cursed and move not in _keeping(known) else Kind.HOLDS)
        moves = self.rated(position, self._explorer.moves(position))
        found = next(rated for rated in moves if rated.move == move)
        if was < 0 or found.grade not in ("best", "slower"):
            return by_dtm
        return Grade(Kind.SLOWER if found.later else Kind.BEST, found.later)


def _keeping(known: Known) -> set[chess.Move]:
    """The moves that keep the category; once a draw can be claimed, also what it will be if nobody claims."""
    best = known.moves[0]
    return {
        rated.move
        for rated in known.moves
        if (rated.category, rated.after.category) == (best.category, best.after.category)
    }


def _lost(after: Category, worth: int) -> Kind:
    """What was done to a better result by a move that leads to a category."""
    if worth < 0:
        return Kind.LOSES
    return Kind.CURSED if after is Category.BLESSED_LOSS else Kind.WIN_GONE


def _spoiling(move: Move, worth: Category) -> Move:
    """A move that does not keep the category, graded by the one it is worth."""
    plain = {Category.DRAW: "draw", Category.LOSS: "loss"}
    return replace(move, grade=plain.get(worth, worth.value), later=0)

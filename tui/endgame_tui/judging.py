"""What the 50-move rule makes of moves by DTM: which to play, and what a played one was worth. No Textual here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Final

import chess

from endgame_core.errors import EndgameError
from endgame_core.grading import Grade, Kind
from endgame_core.judge import DTZ
from endgame_core.judge import Judge as CoreJudge
from endgame_core.values import Category
from endgame_tui.clocks import Known, find_out
from endgame_tui.fifty_scenes import spoils
from endgame_tui.walk import MOST_CLOCK, ChessExplorer, Move

_KEPT = 400
_LONGEST = 600
_ORDER: Final = tuple(Category)

_WORTH: Final[Mapping[Category, int]] = {
    Category.WIN: 1, Category.MAYBE_WIN: 1, Category.CURSED_WIN: 0, Category.DRAW: 0, Category.BLESSED_LOSS: 0,
    Category.LOSS: -1,
}  # fmt: skip
"""The result that a category is under the rule; what may be a loss is not proved to be one."""

_POSSIBLE: Final[Mapping[Category, tuple[Category, ...]]] = {
    Category.MAYBE_WIN: (Category.WIN, Category.CURSED_WIN),
    Category.MAYBE_LOSS: (Category.LOSS, Category.BLESSED_LOSS),
}
"""What a category may turn out to be."""


class Judge:
    """Judges by the 50-move rule where DTZ is known, and by DTM where it is not.

    Args:
        explorer: The tables by DTM.
        judge: Asks the tables by DTZ, too.
    """

    def __init__(self, explorer: ChessExplorer, judge: CoreJudge[chess.Board, chess.Move]) -> None:
        self._explorer = explorer
        self._judge = judge
        self._known: dict[str, Known] = {}
        self._lines: dict[str, Move | None] = {}

    def forget(self) -> None:
        """Asks the tables anew."""
        self._known.clear()
        self._lines.clear()

    def known(self, position: chess.Board) -> Known:
        """What the 50-move rule makes of a position; its verdict is None where DTZ is not known."""
        fen = position.fen()
        if fen not in self._known:
            if len(self._known) > _KEPT:
                self._known.clear()
            self._known[fen] = find_out(self._judge, position)
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
        worth = {rated.move: rated.category.turned for rated in known.moves}
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

    def line_by_dtz(self, position: chess.Board, most: int = _LONGEST) -> list[chess.Move]:
        """The best moves of both sides by DTZ alone; none where it is not known, or from a drawn position."""
        return self._judge.line(position, most, DTZ).moves

    def _best(self, position: chess.Board) -> Move | None:
        """The first of the best moves, None where there is none."""
        fen = position.fen()
        if fen not in self._lines:
            if len(self._lines) > _KEPT:
                self._lines.clear()
            moves = self.rated(position, self._explorer.moves(position))
            self._lines[fen] = moves[0] if moves else None
        return self._lines[fen]

    def keeping(self, position: chess.Board) -> list[str]:
        """The moves that keep the result by DTZ, as people write them; none where that is not certain."""
        known, found = self.known(position), list[str]()
        for name, rated in zip(known.names, known.moves, strict=True):
            if (grade := self._by_dtz(position, rated.move)) is None:
                return []
            if not grade.kind.is_error:
                found.append(name)
        return found

    def grade(self, position: chess.Board, move: chess.Move, by_dtm: Grade | None) -> Grade | None:
        """The grade of a move, given that by DTM; without one, by DTZ alone as far as that is certain."""
        if by_dtm is None:
            return self._by_dtz(position, move)
        known = self.known(position)
        played = next((rated for rated in known.moves if rated.move == move), None)
        if played is None or played.checkmate:
            return by_dtm
        was, now = (_WORTH.get(rated.category.turned) for rated in (known.moves[0], played))
        if was is None or now is None:
            return by_dtm
        kind = _result(known.moves[0].category.turned, played.category.turned, move in _keeping(known))
        if kind is Kind.STILL_LOST:
            return by_dtm
        return self._counted(position, move, by_dtm) if kind is Kind.KEEPS else Grade(kind)

    def _counted(self, position: chess.Board, move: chess.Move, by_dtm: Grade) -> Grade:
        """A move that keeps the win: plies lost against the best by DTM that does."""
        try:
            moves = self.rated(position, self._explorer.moves(position))
        except EndgameError:
            return by_dtm if by_dtm.kind is Kind.BEST else Grade(Kind.KEEPS)
        found = next(rated for rated in moves if rated.move == move)
        if found.grade not in ("best", "slower"):
            return by_dtm
        return Grade(Kind.SLOWER if found.later else Kind.BEST, found.later)

    def _by_dtz(self, position: chess.Board, move: chess.Move) -> Grade | None:
        """What a move made of the result; None where tables are missing, or rounded where a ply decides."""
        known, after = self.known(position), position.copy(stack=False)
        if known.verdict is None:
            return None
        after.push(move)
        if after.is_checkmate():
            return Grade(Kind.BEST)
        was, claimable = known.verdict.category, position.halfmove_clock >= MOST_CLOCK
        if played := next((rated for rated in known.moves if rated.move == move), None):
            best, now = known.moves[0].category.turned, played.category.turned
            was = was if was in _POSSIBLE.get(best, ()) else best
        elif (verdict := self.known(after).verdict) is not None and not claimable:
            now = verdict.category.turned
        else:
            return None
        keeps = not claimable or move in _keeping(known)
        possible = product(_POSSIBLE.get(was, (was,)), _POSSIBLE.get(now, (now,)))
        kinds = {_result(was, now, keeps) for was, now in possible if _ORDER.index(was) <= _ORDER.index(now)}
        return Grade(kinds.pop()) if len(kinds) == 1 else None


def _keeping(known: Known) -> set[chess.Move]:
    """The moves that keep the category; once a draw can be claimed, also what it will be if nobody claims."""
    best = known.moves[0]
    return {
        rated.move
        for rated in known.moves
        if (rated.category, rated.fifty.category) == (best.category, best.fifty.category)
    }


def _result(was: Category, now: Category, keeps: bool) -> Kind:
    """What became of the result: a category before a move and after it, and whether no other move keeps more."""
    if _WORTH[now] < _WORTH[was]:
        if _WORTH[now] < 0:
            return Kind.LOSES
        return Kind.CURSED if now is Category.CURSED_WIN else Kind.WIN_GONE
    if _WORTH[was]:
        return Kind.KEEPS if _WORTH[was] > 0 else Kind.STILL_LOST
    if was is not Category.CURSED_WIN:
        return Kind.HOLDS
    if now is not was:
        return Kind.WIN_GONE
    return Kind.HOLDS if keeps else Kind.CURSED


def _spoiling(move: Move, worth: Category) -> Move:
    """A move that does not keep the category, graded by the one it is worth."""
    plain = {Category.DRAW: "draw", Category.LOSS: "loss"}
    return replace(move, grade=plain.get(worth, worth.value), later=0)

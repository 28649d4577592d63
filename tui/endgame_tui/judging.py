"""What the 50-move rule makes of moves by DTM: which to play, and what a played one was worth. No Textual here."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

import chess

from endgame_core.game import Category
from endgame_core.practice.grading import Grade, Kind
from endgame_tui.clocks import Known, find_out
from endgame_tui.fifty_scenes import FOR_MOVER, keeping, spoils
from endgame_tui.walk import MOST_CLOCK, ChessExplorer, Move

if TYPE_CHECKING:
    from endgame_core.chess.fifty import FiftyMove, FiftyMoves

_KEPT = 400
_LONGEST = 600

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

    def forget(self) -> None:
        """Asks the tables anew."""
        self._fifty = None
        self._known.clear()

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
        return move if spoils(known, move) is None else known.moves[0].move

    def best(self, position: chess.Board, moves: Sequence[Move]) -> chess.Move:
        """A best move by DTM, unless all of those spoil the result under the rule.

        Args:
            position: Where.
            moves: Its moves by DTM, best first; at least one.
        """
        return self.minding(position, keeping(self.known(position), moves))

    def names(self, position: chess.Board, moves: Sequence[Move]) -> list[str]:
        """The names of the best moves: those by DTM that spoil nothing, else the best by DTZ."""
        known = self.known(position)
        best = [rated.san for rated in moves if rated.grade == "best" and spoils(known, rated.move) is None]
        return best or list(known.names[:1])

    def spoilt(self, position: chess.Board) -> str:
        """The first of the best moves by DTM, when all of these spoil the result under the rule; else empty."""
        known, moves = self.known(position), self._explorer.moves(position)
        best = [rated for rated in moves if rated.grade == "best"]
        return best[0].san if best and all(spoils(known, rated.move) is not None for rated in best) else ""

    def line(self, position: chess.Board) -> list[chess.Move]:
        """The best moves of both sides: to mate or to the first claim of a draw; a single one in a drawn position.

        Raises:
            EndgameError: The tables by DTM do not reach.
        """
        line: list[chess.Move] = []
        while len(line) < _LONGEST and (moves := self._explorer.moves(position)):
            move = self.best(position, moves)
            line.append(move)
            position = self._explorer.game.play(position, move)
            if self._explorer.probe(position).depth in (0, None) or position.halfmove_clock >= MOST_CLOCK:
                break
        return line

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
            return Grade(Kind.HOLDS)
        return by_dtm if was < 0 else _measured(known, played, by_dtm)


def _lost(after: Category, worth: int) -> Kind:
    """What was done to a better result by a move that leads to a category."""
    if worth < 0:
        return Kind.LOSES
    return Kind.CURSED if after is Category.BLESSED_LOSS else Kind.WIN_GONE


def _measured(known: Known, played: FiftyMove, by_dtm: Grade) -> Grade:
    """The grade of a move that keeps a win: plies are counted from the best that does so."""
    chosen = known.moves[0]
    if any(rated.after.dtm is None for rated in known.moves):
        return by_dtm
    mates = [rated for rated in known.moves if rated.checkmate or (rated.after.dtm or 0) < 0]
    quickest = min((_mate(rated) for rated in mates), default=0)
    if any(_mate(rated) == quickest and rated.category is chosen.category for rated in mates):
        return by_dtm
    lost = max(_mate(played) - _mate(chosen), 0)
    return Grade(Kind.SLOWER if lost else Kind.BEST, lost)


def _mate(rated: FiftyMove) -> int:
    """Plies to mate after a winning move."""
    return abs(rated.after.dtm or 0)

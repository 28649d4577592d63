"""Chess endings by DTZ: the same positions and moves, other tables; see :mod:`endgame_core.chess.dtz`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache

import chess

from endgame_core import paths
from endgame_core.chess import dtz
from endgame_core.chess.game import WINNERS, ChessGame, ChessIndex
from endgame_core.chess.solver.entry import ChessSolver
from endgame_core.errors import LayerError
from endgame_core.game import Index, Part
from endgame_core.values import Category, Winner


class DtzIndex(ChessIndex):
    """The same slots; what their codes mean is told by ending and side to move."""

    def drawn(self, position: chess.Board) -> int:
        """The code of a draw where a board stands."""
        if position.occupied == position.kings:
            return dtz.draw_code("", 0)
        slot = self.slot_of(position)
        return dtz.draw_code(slot.ending, slot.side)

    def value(self, position: chess.Board, code: int) -> tuple[Category, int | None]:
        """Category of five, and DTZ in plies."""
        return dtz.value_of(code, self.drawn(position))

    def value_at(self, table: str, side: int, code: int) -> tuple[Category, int | None]:
        """The same for a table and a side to move."""
        return dtz.value_of(code, dtz.draw_code(table, side))

    def worth(self, position: chess.Board, move: chess.Move, after: chess.Board, code: int) -> int:
        """The code that a move is worth to its mover."""
        here, there = self.drawn(position), self.drawn(after)
        if position.is_zeroing(move):
            return dtz.code_of(*dtz.zeroed(code, there), here)
        return dtz.code_of(*dtz.quietly(code, there), here)

    def parts(self, ending: str, winner: Winner | None, n: int | None, side: int = 0) -> Sequence[Part]:
        """Where layer S_n of a winner is, with each side to move; without a winner, the draws of one side to move."""
        if winner is None or n is None:
            return [Part(ending, side, dtz.draw_code(ending, side))]
        if n < 0:
            raise LayerError(f"there is no layer S{n}", "layers go from S0 up to the longest win")
        won_by = WINNERS.index(winner)
        found: list[Part] = []
        won, lost = (dtz.draw_code(ending, side) for side in (won_by, 1 - won_by))
        if n and dtz.fits(n, 256 - won):
            found.append(Part(ending, won_by, dtz.code_of(Category.WIN, n, won)))
        if dtz.fits(n, lost):
            found.append(Part(ending, 1 - won_by, dtz.code_of(Category.LOSS, n, lost)))
        return found


class DtzGame(ChessGame):
    """Chess endings whose depth is DTZ. Layer S_n of a winner holds positions of both sides to move."""

    entry = "endgame_core.chess.dtz_game:CHESS_DTZ"
    metric = "dtz"
    index: Index[chess.Board, chess.Move] = DtzIndex()
    solver = ChessSolver("dtz")

    def measured(self, ending: str) -> tuple[float, int] | None:
        """Seconds of the table by DTM, which never takes less; bytes as measured once."""
        by_dtm, size = super().measured(ending), _sizes().get(ending)
        return None if by_dtm is None or size is None else (by_dtm[0], size)

    def longest_known(self, ending: str) -> int | None:
        """Nothing is known before a table is built."""
        return None


@cache
def _sizes() -> dict[str, int]:
    return json.loads(paths.dtz_sizes_file().read_text())


CHESS_DTZ = DtzGame()
"""The one instance."""

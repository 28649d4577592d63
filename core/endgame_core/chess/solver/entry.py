"""The way into the solver: which part of it builds an ending. What that imports waits until it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from endgame_core.chess import material
from endgame_core.game import Codes, Lookup, OnePly, Progress, Solved

if TYPE_CHECKING:
    from endgame_core.chess.solver.metrics import Metric


class ChessSolver:
    """Builds and proves endings of chess. A :class:`~endgame_core.game.Solver`.

    Args:
        metric: What depth counts.
    """

    def __init__(self, metric: Metric) -> None:
        self.metric: Metric = metric

    def warm_up(self, endings: Sequence[str], report: Callable[[str], None]) -> None:
        """Compiles what these endings need for this machine, once; tells ``report`` what it is at."""
        from endgame_core.chess.solver import pawnless, pawns

        if any(not material.has_pawns(ending) for ending in endings):
            pawnless.warm_up(report)
        if any(material.has_pawns(ending) for ending in endings):
            pawns.warm_up(report)

    def kept(self, ending: str, side: int, threads: int) -> Any:
        """Which slots of one side to move are kept in a table: uint64 of shape (slots / 64,); imports numba."""
        from endgame_core.chess.solver import pawnless, pawns

        return (pawns if material.has_pawns(ending) else pawnless).kept(ending, side, threads)

    def solve(self, ending: str, lookup: Lookup, threads: int, on_progress: Callable[[Progress], None]) -> Solved:
        """Solves an ending; imports numba."""
        if material.has_pawns(ending):
            from endgame_core.chess.solver.pawns import solve
        else:
            from endgame_core.chess.solver.pawnless import solve

        return solve(ending, lookup, threads, on_progress, self.metric)

    def one_ply(self, ending: str, codes: Codes) -> OnePly:
        """Derives values one ply deep, many at once; imports numpy."""
        from endgame_core.chess.solver.one_ply import OnePly

        return OnePly(ending, codes, self.metric)

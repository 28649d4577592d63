"""The way into the solver. What it imports waits until it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from endgame_core.game import Codes, Lookup, OnePly, Progress, Solved


class MorrisSolver:
    """Builds and proves pairs of Nine Men's Morris. A :class:`~endgame_core.game.Solver`."""

    def warm_up(self, endings: Sequence[str], report: Callable[[str], None]) -> None:
        """Compiles what these pairs need for this machine, once; tells ``report`` what it is at."""
        from endgame_core.morris.solver.pairs import warm_up

        warm_up(report)

    def kept(self, ending: str, side: int, threads: int) -> Any:
        """Which slots of one side to move are kept in a table: uint64 of shape (slots / 64,); imports numpy."""
        from endgame_core.morris.arrays import kept

        return kept(ending, side)

    def solve(self, ending: str, lookup: Lookup, threads: int, on_progress: Callable[[Progress], None]) -> Solved:
        """Solves a pair; imports numba, which nothing else here does."""
        from endgame_core.morris.solver.pairs import solve

        return solve(ending, lookup, threads, on_progress)

    def one_ply(self, ending: str, codes: Codes) -> OnePly:
        """Derives values one ply deep, many at once; imports numpy."""
        from endgame_core.morris.solver.one_ply import OnePly

        return OnePly(ending, codes)

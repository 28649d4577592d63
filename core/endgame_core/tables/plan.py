"""The plan of a build: which endings it builds in which order, and what each of them costs."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from typing import Any, Protocol

from endgame_core.errors import EndgameError
from endgame_core.game import Cost, Game
from endgame_core.tables import mmap_arrays
from endgame_core.tables.pace import MachinePace
from endgame_core.values import LAST_BYTE_LAYER

SECONDS_PER_TABLE = 0.25
"""Overhead of each table besides solving: 33 endings of 3 and 4 pieces took 10.4 s on two idle cores, solving 2.1 s."""


class BuiltTables(Protocol):
    """The facts about built tables that a planner needs; a :class:`~endgame_core.tables.library.Library`."""

    game: Game[Any, Any]

    def is_built(self, ending: str) -> bool:
        """Return whether the ending has a table."""
        ...

    def deepest(self, ending: str) -> int:
        """Return the number of the deepest layer of a built ending; -1 if all is drawn."""
        ...


class BuildPlanner:
    """Plans builds of endings, given the tables that are there.

    Args:
        tables: These tables.
        pace: How fast this machine is.
    """

    def __init__(self, tables: BuiltTables, pace: MachinePace) -> None:
        self._tables = tables
        self._pace = pace
        self.game = tables.game

    def plan(self, endings: Iterable[str]) -> list[str]:
        """The endings to build, missing sub-endings first, without those that are built."""
        order: dict[str, None] = {}
        visited: set[str] = set()

        def add(ending: str) -> None:
            if ending in visited:
                return
            visited.add(ending)
            if self._tables.is_built(ending):
                return
            for need in self.game.needs(ending):
                add(need)
            order[ending] = None

        for ending in endings:
            add(ending)
        return list(order)

    def estimate(self, ending: str, memory: int | None = None) -> Cost:
        """The cost of building an ending, sub-endings not included; more exact if its sub-endings are built.

        Args:
            ending: Its name.
            memory: Memory limit in bytes; 75 % of the free memory by default.
        """
        allowed = memory or mmap_arrays.default_memory()
        cost = self.game.cost(ending)
        seconds = (cost.seconds + SECONDS_PER_TABLE) * self._pace.factor()
        cost = replace(cost, seconds=seconds, scratch=self.game.scratch(ending, allowed))
        if cost.deep:
            with suppress(EndgameError):  # a sub-ending is damaged, or was just deleted
                if self.is_deep(need for need in self.game.needs(ending) if self._tables.is_built(need)):
                    return replace(cost, least=cost.deep, deep=0)
        return cost

    def is_deep(self, endings: Iterable[str]) -> bool:
        """Whether a move into one of these built endings may get a depth that a byte cannot store.

        Raises:
            NotBuiltError: One is not built.
            TableError: A table cannot be read.
        """
        return any(self._tables.deepest(ending) >= LAST_BYTE_LAYER for ending in endings)

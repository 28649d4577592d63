"""What tables tell a search, as a callable that never raises."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from endgame_core.errors import EndgameError
from endgame_core.tables.library import Library

Probe = Callable[[Any], int | None]
"""Gives the code of a position, or None where no table knows it."""


def table_probe(library: Library) -> Probe:
    """Probes the tables of a library; None where one is missing, damaged, or cannot cover the position."""

    def probe(position: Any) -> int | None:
        try:
            return library.code(position)
        except (EndgameError, OSError):
            return None

    return probe


def nothing(position: Any) -> int | None:
    """Knows no position."""
    return None

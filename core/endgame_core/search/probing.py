"""What tables tell a search, as a callable that never raises."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from endgame_core.errors import EndgameError, NotBuiltError
from endgame_core.tables.library import Library

Probe = Callable[[Any], int | None]
"""Gives the code of a position, or None where no table knows it."""

_LOOK_AGAIN = 1.0
"""Seconds after which a table that was missing is looked for again."""


def table_probe(library: Library) -> Probe:
    """Probes the tables of a library; None where one is missing, damaged, or cannot cover the position."""
    ending_of, missing = library.game.ending_of, dict[str, float]()

    def probe(position: Any) -> int | None:
        try:
            if missing and missing.get(ending_of(position), 0.0) > time.monotonic():
                return None
            return library.code(position)
        except NotBuiltError as error:
            missing[error.ending] = time.monotonic() + _LOOK_AGAIN
            return None
        except (EndgameError, OSError):
            return None

    return probe


def nothing(position: Any) -> int | None:
    """Knows no position."""
    return None

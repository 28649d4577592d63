"""What a solve may count, plies to mate (DTM) or to the next zeroing move (DTZ), and what that makes of codes.

An exit is a zeroing move, so that by DTZ it is worth one of five things only. As bytes they are in the order of all
codes: bigger is better for the side that moves. 0 is left for "no exit".
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from endgame_core.chess import dtz
from endgame_core.errors import EndingError
from endgame_core.values import DRAW, Category, before

Metric = Literal["dtm", "dtz"]

_EXITS = {
    Category.WIN: 255,
    Category.CURSED_WIN: 254,
    Category.DRAW: DRAW,
    Category.BLESSED_LOSS: 2,
    Category.LOSS: 1,
}


def draws(ending: str, metric: Metric) -> NDArray[np.uint8]:
    """The codes of a draw with White and with Black to move: uint8 of shape (2,). Bare kings are the ending ""."""
    return np.array([dtz.draw_code(ending, side) if metric == "dtz" else DRAW for side in (0, 1)], np.uint8)


def worth(ending: str, side: int, metric: Metric) -> NDArray[np.uint8]:
    """What an exit into each code of an ending with one side to move is worth: uint8 of shape (256,)."""
    if metric == "dtm":
        return np.array([before(code) for code in range(256)], np.uint8)
    draw = int(draws(ending, metric)[side])
    return np.array([_EXITS[dtz.zeroed(code, draw)[0]] for code in range(256)], np.uint8)


def answered(metric: Metric) -> NDArray[np.uint8]:
    """What a move is worth that lets the other side have an exit of each worth: uint8 of shape (256,)."""
    return np.array([before(code) if metric == "dtm" else -code & 255 for code in range(256)], np.uint8)


def check_range(ending: str, metric: Metric, number: int, side: int) -> None:
    """Raises EndingError when a byte cannot hold what pass ``number`` of a solve has found for a side to move."""
    n, draw = number >> 1, int(draws(ending, metric)[side])
    wins = number % 2
    room = 256 - draw if wins else draw
    if not (dtz.fits(n, room) if metric == "dtz" else n < room - wins):
        what = "wins" if wins else "losses"
        raise EndingError(
            f"{ending} has {what} in {n} by {metric.upper()} with {'black' if side else 'white'} to move",
            "its tables have no code for that",
        )

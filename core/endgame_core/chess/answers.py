"""What is known of a position, in the shape of the lichess tablebase API; see docs/server.md.

Depths are signed: positive when the side to move wins, negative when it loses, 0 in a draw. Of a move they tell the
position after it, seen by the side then to move.
"""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import Any

import chess

from endgame_core.chess import notation
from endgame_core.chess.dtz import HORIZON
from endgame_core.chess.dtz_game import CHESS_DTZ
from endgame_core.chess.fifty import FiftyMoves
from endgame_core.chess.game import CHESS
from endgame_core.errors import EndgameError, EndingError, NotBuiltError, PositionError
from endgame_core.game import Category, Verdict
from endgame_core.tables.explorer import Explorer
from endgame_core.tables.library import Library

LONGEST_LINE = 600
"""Plies of a main line at most; the longest win of five men to a 50-move claim or to mate has fewer."""

_CASTLING = re.compile(r"[KQkqA-Ha-h]{1,4}")


def signed(verdict: Verdict) -> int:
    """DTM, positive when the side to move wins and negative when it loses."""
    depth = verdict.depth or 0
    return depth if verdict.category is Category.WIN else -depth


def category_by_dtm(verdict: Verdict, clock: int) -> Category:
    """What DTM and the half-move clock prove under the 50-move rule.

    A mate that comes before anybody can claim is certain; of a later one DTM does not tell whether a zeroing move comes
    in time.
    """
    if verdict.depth is None:
        return Category.DRAW
    wins = verdict.category is Category.WIN
    if clock + verdict.depth <= HORIZON:
        return Category.WIN if wins else Category.LOSS
    return Category.MAYBE_WIN if wins else Category.MAYBE_LOSS

"""Values one ply deep, computed for many positions at once, equal those from python-chess."""

from __future__ import annotations

import random

import chess
import numpy as np
import pytest
from numpy.typing import NDArray

from endgame_core.chess import index
from endgame_core.chess.arrays import ChessOnePly
from endgame_core.chess.game import CHESS, CHESS_DTZ, ChessGame
from endgame_core.game import derived_code, position_code
from endgame_core.metric import DTM, DTZ, Metric
from endgame_core.values import BYTE_DRAW

from .conftest import fast


@pytest.mark.parametrize("ending", fast(["KQvK", "KRvKN", "KPvKP", "KBBvK", "KPvK", "KRvKP", "KBPvK"], 3))
def test_values_follow_from_moves_of_python_chess(ending: str) -> None:
    """Of arbitrary codes, so that no agreement comes from the solver."""
    _compare(CHESS, DTM, ending, np.arange(256))


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["KRvKN", "KPvKP", "KBPvK"])
def test_values_by_dtz_follow_from_moves_of_python_chess(ending: str) -> None:
    """Of codes that leave room for one ply more."""
    _compare(CHESS_DTZ, DTZ, ending, np.r_[0:126, 128, 131:256])


def _compare(game: ChessGame, metric: Metric, ending: str, choice: NDArray[np.int64]) -> None:
    codes: dict[tuple[str, int], NDArray[np.uint8]] = {}
    meaning = game.index.codes(BYTE_DRAW)

    def lookup(name: str, side: int) -> NDArray[np.uint8]:
        if (name, side) not in codes:
            codes[name, side] = np.random.default_rng(len(codes)).choice(choice, index.slots(name)).astype(np.uint8)
        return codes[name, side]

    def code(board: chess.Board) -> int:
        return position_code(game, board, lambda slot: meaning[lookup(slot.ending, slot.side)[slot.index]])

    one_ply = ChessOnePly(ending, lookup, metric)
    rng = random.Random(5)
    for side in (0, 1):
        for _ in range(6):
            start = rng.randrange(index.slots(ending) // 4096) * 4096
            slots, derived = one_ply.derived(side, start, 4096)
            for at in rng.sample(range(len(slots)), min(40, len(slots))):
                board = CHESS.index.position_at(ending, side, int(slots[at]))
                if derived[at] >= 0:
                    assert derived[at] == derived_code(game, board, code), board.fen()
                else:
                    after = [CHESS.play(board, move) for move in board.pseudo_legal_moves]
                    assert any(board.has_pseudo_legal_en_passant() for board in after)

"""Values one ply deep, many at once, are those that python-chess gives one by one."""

from __future__ import annotations

import random

import chess
import numpy as np
import pytest
from numpy.typing import NDArray

from endgame_core.chess import index
from endgame_core.chess.game import CHESS
from endgame_core.chess.one_ply import OnePly
from endgame_core.game import derived_code, position_code


@pytest.mark.parametrize("ending", ["KQvK", "KRvKN", "KBBvK", "KPvK", "KPvKP", "KRvKP", "KBPvK"])
def test_values_one_ply_deep_are_those_of_python_chess(ending: str) -> None:
    """Of arbitrary codes, so that no agreement comes from the solver."""
    codes: dict[tuple[str, int], NDArray[np.uint8]] = {}

    def lookup(name: str, side: int) -> NDArray[np.uint8]:
        if (name, side) not in codes:
            codes[name, side] = np.random.default_rng(len(codes)).integers(0, 256, index.slots(name)).astype(np.uint8)
        return codes[name, side]

    def code(board: chess.Board) -> int:
        return position_code(CHESS, board, lambda slot: int(lookup(slot.ending, slot.side)[slot.index]))

    one_ply = OnePly(ending, lookup)
    rng = random.Random(5)
    for side in (0, 1):
        for _ in range(6):
            start = rng.randrange(index.slots(ending) // 4096) * 4096
            slots, derived = one_ply.derived(side, start, 4096)
            for at in rng.sample(range(len(slots)), min(40, len(slots))):
                board = CHESS.position_at(ending, side, int(slots[at]))
                if derived[at] >= 0:
                    assert derived[at] == derived_code(CHESS, board, code), board.fen()
                else:
                    after = [CHESS.play(board, move) for move in board.pseudo_legal_moves]
                    assert any(board.has_pseudo_legal_en_passant() for board in after)

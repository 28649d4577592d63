"""The reason why a typed move is illegal."""

from __future__ import annotations

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from endgame_core.chess.notation import why_not

from .positions import is_legal, placed

squares = st.integers(0, 63)


@given(placed().filter(lambda found: is_legal(found[1])), squares, squares)
def test_every_illegal_move_has_its_reason(found: tuple[str, chess.Board], source: int, target: int) -> None:
    board = found[1]
    names = chess.square_name(source) + chess.square_name(target)
    if any((move.from_square, move.to_square) == (source, target) for move in board.legal_moves):
        return
    reason = why_not(board, names)
    assert reason and "\n" not in reason and not reason.endswith(".")


@pytest.mark.parametrize(
    ("fen", "typed", "reason"),
    [
        ("8/8/8/3k4/8/8/8/R3K3 w - - 0 1", "Rb5", "the rook on a1 cannot move to b5"),
        ("8/8/8/3k4/8/8/8/R3K3 w - - 0 1", "Ra1", ""),
        ("8/8/8/3k4/8/8/8/R3K3 w - - 0 1", "Re1", "the rook on a1 cannot capture your own king on e1"),
        ("4r3/8/8/3k4/8/8/4R3/4K3 w - - 0 1", "Ra2", "the rook on e2 cannot move: the king would be in check"),
        ("4r3/8/8/3k4/8/8/8/R3K3 w - - 0 1", "Ra2", "this move leaves the king in check"),
        ("8/8/8/8/8/3k4/8/R3K3 w - - 0 1", "Kd2", "d2 is attacked"),
        ("8/8/8/3k4/8/8/8/R3K3 w - - 0 1", "d5d4", "the king on d5 belongs to Black, but the other side is to move"),
        ("8/8/8/3k4/8/8/8/R3K3 w - - 0 1", "c4c5", "there is no piece on c4"),
        ("8/8/8/3k4/8/8/4P3/4K3 w - - 0 1", "e5", "the pawn on e2 cannot move to e5"),
        ("8/8/8/3k4/8/8/8/R3K3 w - - 0 1", "nonsense", ""),
    ],
)
def test_the_reason_of_an_illegal_move_is_named(fen: str, typed: str, reason: str) -> None:
    assert why_not(chess.Board(fen), typed) == reason

"""Un-moves: each of them, played, leads back; and no move that could be undone is left out."""

from __future__ import annotations

import chess
from hypothesis import given
from hypothesis import strategies as st

from endgame_core.chess.game import CHESS
from endgame_core.tables.explorer import Explorer

from .positions import is_legal, passed, placed

Chess = Explorer[chess.Board, chess.Move]


def _same(one: chess.Board, other: chess.Board) -> bool:
    """The same men, mover and en passant captures."""
    return (one.board_fen(), one.turn, set(one.generate_legal_ep())) == (
        other.board_fen(), other.turn, set(other.generate_legal_ep()),
    )  # fmt: skip


def _check_both_ways(board: chess.Board) -> None:
    for earlier, move in CHESS.previous(board):
        assert is_legal(earlier) and earlier.turn != board.turn
        assert move in earlier.legal_moves and _same(CHESS.play(earlier, move), board), (board.fen(), move)
    for move in board.legal_moves:
        if not board.is_capture(move) and not move.promotion:
            after = CHESS.play(board, move)
            found = [(earlier.board_fen(), back) for earlier, back in CHESS.previous(after)]
            assert found.count((board.board_fen(), move)) == 1, (board.fen(), move)


@given(placed())
def test_quiet_moves_and_un_moves_are_inverse(example: tuple[str, chess.Board]) -> None:
    _, board = example
    if is_legal(board):
        _check_both_ways(board)


@given(st.sampled_from(["KPvK", "KPPvK", "KPvKP", "KPPvKP"]).flatmap(lambda ending: placed([ending])))
def test_pawns_go_back_one_square_or_two(example: tuple[str, chess.Board]) -> None:
    _, board = example
    if is_legal(board):
        _check_both_ways(board)


@given(passed())
def test_where_a_pawn_can_be_taken_en_passant_only_its_push_led(example: tuple[str, chess.Board]) -> None:
    _, board = example
    if not is_legal(board):
        return
    _check_both_ways(board)
    if board.has_legal_en_passant():
        assert board.ep_square is not None
        back = 8 if board.turn == chess.WHITE else -8
        pushes = [chess.Move(board.ep_square + back, board.ep_square - back)]
        assert [move for _, move in CHESS.previous(board)] in (pushes, [])


def test_of_two_pawns_beside_a_third_only_the_one_that_passed_goes_back() -> None:
    board = chess.Board("8/8/8/8/PpP5/8/8/k1K5 b - a3 0 1")
    assert [move.uci() for _, move in CHESS.previous(board)] == ["a2a4"]


def test_previous_positions_of_a_pawn(explorer: Chess) -> None:
    board = chess.Board("8/8/8/8/1P4k1/8/6K1/8 b - - 0 1")
    found = {(p.san, chess.square_name(p.move.from_square)) for p in explorer.previous(board)}
    assert {("b4", "b3"), ("b4", "b2")} < found

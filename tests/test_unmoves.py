"""Un-moves: each leads back when played, and none is left out."""

from __future__ import annotations

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from endgame_core.chess import notation
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
    for earlier, move in CHESS.unmoves(board):
        assert is_legal(earlier) and earlier.turn != board.turn
        assert move in earlier.legal_moves and _same(CHESS.play(earlier, move), board), (board.fen(), move)
    for move in board.legal_moves:
        if not board.is_capture(move) and not move.promotion:
            after = CHESS.play(board, move)
            found = [(earlier.board_fen(), back) for earlier, back in CHESS.unmoves(after)]
            assert found.count((board.board_fen(), move)) == 1, (board.fen(), move)


@pytest.mark.slow
@given(placed())
def test_quiet_moves_and_un_moves_are_inverse(example: tuple[str, chess.Board]) -> None:
    _, board = example
    if is_legal(board):
        _check_both_ways(board)


@pytest.mark.slow
@given(st.sampled_from(["KPvK", "KPPvK", "KPvKP", "KPPvKP"]).flatmap(lambda ending: placed([ending])))
def test_a_pawn_un_moves_one_square_or_two(example: tuple[str, chess.Board]) -> None:
    _, board = example
    if is_legal(board):
        _check_both_ways(board)


@pytest.mark.slow
@given(passed())
def test_before_en_passant_only_the_double_push_is_possible(example: tuple[str, chess.Board]) -> None:
    _, board = example
    if not is_legal(board):
        return
    _check_both_ways(board)
    if board.has_legal_en_passant():
        assert board.ep_square is not None
        back = 8 if board.turn == chess.WHITE else -8
        pushes = [chess.Move(board.ep_square + back, board.ep_square - back)]
        assert [move for _, move in CHESS.unmoves(board)] in (pushes, [])


def test_only_the_pawn_that_passed_can_un_move() -> None:
    board = chess.Board("8/8/8/8/PpP5/8/8/k1K5 b - a3 0 1")
    assert [move.uci() for _, move in CHESS.unmoves(board)] == ["a2a4"]


def test_previous_positions_include_pawn_moves(explorer: Chess) -> None:
    board = chess.Board("8/8/8/8/1P4k1/8/6K1/8 b - - 0 1")
    found = {(p.san, chess.square_name(p.move.from_square)) for p in explorer.previous(board)}
    assert {("b4", "b3"), ("b4", "b2")} < found


def _check_conversions(board: chess.Board) -> None:
    """Un-promotions and un-captures, played, lead back; and those of every promotion and capture are found."""
    for earlier, move, kind in CHESS.converting_unmoves(board, True):
        notation.check(earlier)
        assert earlier.turn != board.turn and move in earlier.legal_moves
        assert _same(CHESS.play(earlier, move), board), (board.fen(), move)
        taking = earlier.is_capture(move)
        assert kind == ("en-passant" if earlier.is_en_passant(move) else "uncapture" if taking else "unpromotion")
        assert taking or move.promotion
    for move in board.legal_moves:
        if board.is_capture(move) or move.promotion:
            found = [
                (earlier.board_fen(), earlier.ep_square if board.is_en_passant(move) else None, back)
                for earlier, back, _ in CHESS.converting_unmoves(CHESS.play(board, move), True)
            ]
            here = board.board_fen(), board.ep_square if board.is_en_passant(move) else None, move
            assert found.count(here) == 1, (board.fen(), move)


@pytest.mark.slow
@given(placed())
def test_conversions_and_their_un_moves_are_inverse(example: tuple[str, chess.Board]) -> None:
    _, board = example
    if is_legal(board):
        _check_conversions(board)


@pytest.mark.slow
@given(passed())
def test_captures_en_passant_and_their_un_moves_are_inverse(example: tuple[str, chess.Board]) -> None:
    _, board = example
    if is_legal(board):
        _check_conversions(board)


def test_a_queen_becomes_a_pawn_again(explorer: Chess) -> None:
    board = chess.Board("Q6k/8/1K6/8/8/8/8/8 b - - 0 1")
    (pawn,) = [back for back in explorer.previous(board) if back.kind != "quiet"]
    assert (pawn.position.fen(), pawn.san, pawn.kind) == ("7k/P7/1K6/8/8/8/8/8 w - - 0 1", "a8=Q+", "unpromotion")
    assert (pawn.layer, pawn.best) == (15, True)


def test_un_captures_are_listed_as_far_as_tables_reach(explorer: Chess) -> None:
    """Not a fifth man: there is no table of five here."""
    board = chess.Board("Q6k/8/1K6/8/8/8/8/8 b - - 0 1")
    taken = [back for back in explorer.previous(board, captures=True) if back.kind == "uncapture"]
    assert len(taken) > 40 and not any(back.position.turn == board.turn for back in taken)
    assert {back.position.piece_at(chess.A8) for back in taken} == {
        chess.Piece.from_symbol(letter) for letter in "qrbn"
    }
    assert explorer.previous(taken[0].position, captures=True)
    assert all(chess.popcount(back.position.occupied) == 4 for back in taken)


def test_a_running_counter_excludes_captures_and_pawn_moves(explorer: Chess) -> None:
    men = "1Q6/8/1K3k2/8/7P/8/8/8 b - -"
    begun, run = (explorer.previous(chess.Board(f"{men} {clock} 9"), captures=True) for clock in (0, 1))
    assert {back.kind for back in run} == {"quiet"} < {back.kind for back in begun}
    quiet = [back for back in begun if back.kind == "quiet"]
    pieces = [back for back in quiet if back.position.piece_type_at(back.move.from_square) != chess.PAWN]
    assert [back.san for back in run] == [back.san for back in pieces] != [back.san for back in quiet]

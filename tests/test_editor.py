"""The board editor without a screen."""

from __future__ import annotations

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from endgame_core.chess.editor import MEN, ChessEdit
from endgame_core.chess.game import CHESS

from .positions import is_legal, passed, placed

squares = st.integers(0, 63)
changes = st.lists(
    st.one_of(
        st.tuples(st.just("put"), squares, st.sampled_from([None, *MEN])),
        st.tuples(st.just("move"), squares, squares),
        st.sampled_from([("clear",), ("turn",), ("exchange",), ("next_passed",)]),
    ),
    max_size=25,
)


@pytest.mark.slow
@given(placed(), changes)
def test_every_edit_gives_a_position_or_a_reason(found: tuple[str, chess.Board], todo: list[tuple]) -> None:
    edit = ChessEdit.of(found[1])
    for name, *arguments in todo:
        edit = getattr(edit, name)(*arguments)
        assert edit.passed is None or edit.passed in edit.passable()
    if edit.problem:
        assert edit.problem.endswith(".") and "\n" not in edit.problem
    else:
        board = edit.checked_position()
        assert CHESS.parse(CHESS.format(board)) == board
        assert ChessEdit.of(board) == edit or edit.passed is not None


@given(placed().filter(lambda found: is_legal(found[1])))
def test_a_board_built_piece_by_piece_is_the_position(found: tuple[str, chess.Board]) -> None:
    board = found[1]
    edit = ChessEdit()
    for square, man in board.piece_map().items():
        edit = edit.put(square, man)
    edit = edit if edit.preview.turn == board.turn else edit.turn()
    assert edit.checked_position() == board


@pytest.mark.slow
@given(passed().filter(lambda found: is_legal(found[1])))
def test_en_passant_rights_can_be_set_and_cleared_in_turn(found: tuple[str, chess.Board]) -> None:
    board = found[1]
    edit = ChessEdit.of(board)
    assert edit.passed in edit.passable()
    seen = [edit := edit.next_passed() for _ in range(len(edit.passable()) + 1)]
    assert {one.passed for one in seen} == {None, *edit.passable()} and seen[-1] == ChessEdit.of(board)
    assert edit.turn().passed is None and edit.exchange().exchange() == edit
    assert edit.exchange().checked_position() == board.mirror()
    pawn = edit.passed + (-8 if edit.preview.turn else 8) if edit.passed is not None else 0
    assert edit.put(pawn, None).passed is None


def test_the_50_move_counter_stays_until_the_pieces_change() -> None:
    board = chess.Board("8/8/8/2k5/1pPp4/8/8/4K2R b - - 43 60")
    edit = ChessEdit.of(board)
    assert edit.checked_position().halfmove_clock == 43 and edit.turn().exchange().preview.halfmove_clock == 43
    assert edit.next_passed().passed is not None and edit.next_passed().preview.halfmove_clock == 0
    for changed in (edit.put(chess.A8, MEN[1]), edit.put(chess.H1, None), edit.move(chess.H1, chess.H2), edit.clear()):
        assert changed.preview.halfmove_clock == 0
    assert edit.move(chess.A8, chess.A7) is edit


def test_placing_a_king_moves_it() -> None:
    king = chess.Piece.from_symbol("K")
    edit = ChessEdit().put(chess.A1, king).put(chess.H8, king)
    assert edit.preview.piece_map() == {chess.H8: king}


@pytest.mark.parametrize(
    ("fen", "words"),
    [
        ("8/8/8/8/8/8/8/K7 w - - 0 1", "Black has no king"),
        ("8/8/8/8/8/8/8/Kk6 w - - 0 1", "adjacent squares"),
        ("8/8/8/8/8/8/7k/K6P w - - 0 1", "first or eighth rank"),
        ("7k/8/8/8/8/8/8/K6R w - - 0 1", "Black is in check"),
    ],
)
def test_a_problem_is_one_sentence(fen: str, words: str) -> None:
    problem = ChessEdit.of(chess.Board(fen)).problem
    assert words in problem and problem.endswith(".")


def test_clear_keeps_the_kings() -> None:
    edit = ChessEdit.of(chess.Board()).clear()
    assert sorted(str(man) for man in edit.preview.piece_map().values()) == ["K", "k"]

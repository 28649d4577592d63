"""Notation is read as it is written, and a fault in it is named."""

from __future__ import annotations

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from endgame_core.chess import notation
from endgame_core.chess.game import CHESS
from endgame_core.errors import EndgameError, PositionError

from .positions import passed, placed


def _legal(board: chess.Board) -> bool:
    try:
        notation.check(board)
    except PositionError:
        return False
    return True


@given(placed())
def test_four_notations_round_trip(example: tuple[str, chess.Board]) -> None:
    _, board = example
    if not _legal(board):
        return
    name = notation.plain_name(board)
    texts = [
        board.fen(),
        f"{board.board_fen()} {'w' if board.turn else 'b'}",
        f"{'White' if board.turn else 'Black'} to move\n{board}",
        f"{name}:{notation.key(board)}",
    ]
    for text in texts:
        again = notation.parse_position(text)
        assert (again.board_fen(), again.turn) == (board.board_fen(), board.turn)


@pytest.mark.slow
@given(placed())
def test_san_and_uci_name_the_same_move(example: tuple[str, chess.Board]) -> None:
    _, board = example
    if not _legal(board):
        return
    for move in board.legal_moves:
        assert notation.parse_move(board, board.san(move)) == move
        assert notation.parse_move(board, move.uci()) == move


@given(placed())
def test_moves_sort_by_what_their_writing_begins_with_as_by_all_of_it(example: tuple[str, chess.Board]) -> None:
    _, board = example
    if not _legal(board):
        return
    spelled = {move: board.san(move) for move in board.legal_moves}
    assert all(name.startswith(notation.writing(board, move)) for move, name in spelled.items())
    by_both = sorted(spelled, key=lambda move: (notation.writing(board, move), spelled[move]))
    assert by_both == sorted(spelled, key=lambda move: spelled[move])


@pytest.mark.slow
@given(passed())
def test_en_passant_is_written_and_read(example: tuple[str, chess.Board]) -> None:
    _, board = example
    if not _legal(board):
        return
    again = notation.parse_position(board.fen())
    assert list(again.legal_moves) == list(board.legal_moves)
    for move in board.legal_moves:
        assert notation.parse_move(again, board.san(move)) == move
        if board.is_en_passant(move):
            assert notation.parse_move(again, f"{board.san(move)} e.p.") == move


PROMOTIONS = "1n5k/P7/8/8/8/8/8/1K6 w - - 0 1"


@pytest.mark.parametrize(
    ("typed", "uci"),
    [
        ("a8=Q", "a7a8q"), ("a8Q", "a7a8q"), ("a8=n", "a7a8n"), ("a7a8R", "a7a8r"), ("a7-a8=B", "a7a8b"),
        ("axb8=Q+", "a7b8q"), ("ab8N", "a7b8n"), ("a7xb8=N", "a7b8n"),
    ],
)  # fmt: skip
def test_a_typed_promotion_may_be_short(typed: str, uci: str) -> None:
    assert notation.parse_move(chess.Board(PROMOTIONS), typed).uci() == uci


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("a8", "a8=Q, a8=R, a8=B or a8=N"), ("a7a8", "a8=Q, a8=R, a8=B or a8=N"),
        ("axb8", "axb8=Q, axb8=R, axb8=B or axb8=N"), ("a7b8", "axb8=Q, axb8=R, axb8=B or axb8=N"),
    ],
)  # fmt: skip
def test_a_promotion_without_its_piece_is_asked_for(typed: str, expected: str) -> None:
    board = chess.Board(PROMOTIONS)
    assert [move.promotion for move in notation.promotions(board, typed)] == [5, 4, 3, 2]
    with pytest.raises(PositionError, match=f"add the new piece: {expected}"):
        notation.parse_move(board, typed)


@pytest.mark.parametrize(
    ("fen", "spoken", "uci"),
    [
        ("8/8/3k4/5Q2/8/8/8/7K w - - 0 1", "queen b5", "f5b5"),
        ("8/8/3k4/5Q2/8/8/8/7K w - - 0 1", "Queen to f4 with check", "f5f4"),
        ("r6k/8/8/R7/8/8/8/R6K w - - 0 1", "rook a5 takes a8 with check", "a5a8"),
        ("8/4P3/8/8/8/k7/8/7K w - - 0 1", "e8 becomes a rook", "e7e8r"),
        ("2b1k3/1P6/8/8/8/8/6B1/4K3 w - - 0 1", "Bb7", ""),
    ],
)
def test_a_move_in_words_can_be_typed(fen: str, spoken: str, uci: str) -> None:
    board = chess.Board(fen)
    if uci:
        assert notation.parse_move(board, spoken).uci() == uci
    else:
        with pytest.raises(PositionError):
            notation.parse_move(board, spoken)


def test_a_typed_b_distinguishes_bishop_and_pawn() -> None:
    board = chess.Board("2n4k/1P6/4B3/8/8/8/8/1K6 w - - 0 1")
    assert notation.promotions(board, "Bxc8") == []
    assert notation.parse_move(board, "Bxc8").uci() == "e6c8"
    assert len(notation.promotions(board, "bxc8")) == 4
    assert notation.parse_move(board, "bxc8=R").uci() == "b7c8r"


@given(st.text(max_size=80))
def test_any_text_is_read_or_refused_in_a_sentence(text: str) -> None:
    try:
        CHESS.parse(text)
    except EndgameError as error:
        assert str(error).endswith(".") and "\n" not in str(error)


@given(st.text(alphabet="KQRBNPkqrbnp12345678/ wb-", max_size=60))
def test_any_near_fen_is_read_or_refused_in_a_sentence(text: str) -> None:
    try:
        notation.check(CHESS.parse(text))
    except EndgameError as error:
        assert error.what


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("8/8/8/8/8/8/8/8 w", "White has no king"),
        ("KK6/8/8/8/8/8/8/k7 w", "White has 2 kings"),
        ("Kk6/8/8/8/8/8/8/8 w", "adjacent squares"),
        ("k7/8/8/8/8/8/8/K6Q w - - 0 1", "Black is in check"),
        ("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1", "castling rights"),
        ("P3k3/8/8/8/8/8/8/4K3 w", "pawn is on"),
        ("4k3/8/8/8/8/8/8/4K3 w - e3 0 1", "passed e3"),
        ("8/8/7k/8/3Pp3/8/7K/8 b - e3 0 1", "passed e3"),
        ("8/8/7k/8/3Pp3/8/3R3K/8 b - d3 0 1", "passed d3"),
        ("8/8/8/8 w", "eight ranks"),
        ("4k3/8/8/8/8/8/8/4K3 x", "neither w nor b"),
        ("4k3/8/8/8/8/8/7/4K3 w", "rank 2 of the FEN is not valid: '7'; describe eight squares"),
        ("4k4/8/8/8/8/8/8/4K3 w", "rank 8 of the FEN is not valid: '4k4'"),
        ("4k3/8/8/8/44/8/8/4K3 w", "rank 4 of the FEN is not valid: '44'"),
        ("4k3/8/8/8/8//8/4K3 w", "rank 3 of the FEN is not valid: ''"),
        ("4k3/8/x7/8/8/8/8/4K3 w", "rank 6 of the FEN is not valid: 'x7'"),
        ("4k3/8/8/8/8/8/8/4K3 w - e9", "'e9' is not an en passant square"),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 1 5", "six fields, but '5' is a seventh"),
        ("KQvK:3", "is occupied or off the board"),
        ("KQvKvK:3", "is not the name of an ending"),
        pytest.param(f"KQvK:{'1' * 5000}", "is not a FEN", id="a very long key"),
        ("White to move\n. . .", "not a FEN"),
    ],
)
def test_the_reason_of_an_invalid_position_is_named(text: str, reason: str) -> None:
    with pytest.raises(PositionError, match=reason):
        notation.parse_position(text)


def test_a_promoted_piece_may_be_marked() -> None:
    assert notation.parse_position("4k3/8/8/8/8/8/8/Q~3K~3 w").fen() == "4k3/8/8/8/8/8/8/Q3K3 w - - 0 1"
    assert CHESS.file_notation.start_of({"FEN": "4k3/8/8/8/8/8/8/4K~3 w - - 0 1"}).king(chess.WHITE) == chess.E1


def test_impossible_double_checks_are_legal_as_in_every_tablebase() -> None:
    board = notation.parse_position("8/8/8/3k4/8/5B2/8/K2R4 b - - 0 1")
    assert board.is_check()


@pytest.mark.parametrize(
    ("typed", "uci"),
    [("Qd4", "g7d4"), ("qd4", "g7d4"), ("g7d4", "g7d4"), ("Qd4+!", "g7d4"), ("1.Kg8", "h8g8"), ("G7D4", "g7d4")],
)
def test_typed_moves_are_forgiving(typed: str, uci: str) -> None:
    board = chess.Board("7K/6Q1/8/8/2k5/8/8/8 w - - 0 1")
    assert notation.parse_move(board, typed).uci() == uci


def test_an_ambiguous_move_lists_the_candidates() -> None:
    board = chess.Board("7k/8/8/R7/8/8/8/R3K3 w - - 0 1")
    with pytest.raises(PositionError, match=r"ambiguous.*R1a3 or R5a3|ambiguous.*R5a3 or R1a3"):
        notation.parse_move(board, "Ra3")

"""The note of a study fits the symmetric copy that a drill starts from."""

from __future__ import annotations

import chess
import pytest

from endgame_core.chess.game import CHESS
from endgame_core.chess.notation import retold

BARE = chess.Board("k7/8/1Q6/8/8/8/8/K7 w - - 0 1")
PAWN = chess.Board("8/8/1k6/8/P7/8/8/3K4 w - - 0 1")


def test_a_note_on_the_position_itself_is_unchanged() -> None:
    assert retold("Qb6 and the a-file, says White.", BARE, BARE) == "Qb6 and the a-file, says White."


@pytest.mark.parametrize("copy", CHESS.copies_of(BARE))
def test_a_note_names_the_squares_of_the_copy(copy: chess.Board) -> None:
    queen = chess.square_name(copy.pieces(chess.QUEEN, chess.WHITE).pop())
    king = chess.square_name(copy.pieces(chess.KING, chess.BLACK).pop())
    assert retold("The queen on b6, the king on a8.", BARE, copy) == f"The queen on {queen}, the king on {king}."


def test_a_note_names_the_mirrored_files() -> None:
    copy = PAWN.transform(chess.flip_horizontal)
    text = "The a-pawn runs from a4 by a5-a6; White wins on the b-file."
    assert retold(text, PAWN, copy) == "The h-pawn runs from h4 by h5-h6; White wins on the g-file."


def test_a_note_names_the_exchanged_colours() -> None:
    text = "White pushes to a5, and the black king on b6 is late."
    assert retold(text, PAWN, PAWN.mirror()) == "Black pushes to a4, and the white king on b3 is late."


def test_a_note_names_a_rank_where_a_file_became_one() -> None:
    copy = BARE.transform(chess.flip_diagonal)
    assert retold("Keep to the g-file.", BARE, copy) == "Keep to the seventh rank."


def test_a_note_on_an_unrelated_position_is_unchanged() -> None:
    assert retold("The queen on b6.", BARE, PAWN) == "The queen on b6."

"""Index and position are inverse; symmetric copies share a slot; both ways to count agree."""

from __future__ import annotations

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from endgame_core.chess import index, material
from endgame_core.chess.game import CHESS
from endgame_core.chess.notation import squares_of

PAWNLESS = [name for name in material.ENDINGS if material.obstacle(name) is None]


@st.composite
def placed(draw: st.DrawFn) -> tuple[str, chess.Board]:
    ending = draw(st.sampled_from(PAWNLESS))
    letters = ending.replace("v", "")
    squares = draw(st.permutations(range(64)).map(lambda order: order[: len(letters)]))
    white, black = ending.split("v")
    board = chess.Board(None)
    for square, letter in zip(squares, white + black.lower(), strict=True):
        board.set_piece_at(square, chess.Piece.from_symbol(letter))
    board.turn = draw(st.booleans())
    return ending, board


@given(placed())
def test_index_and_squares_are_inverse(example: tuple[str, chess.Board]) -> None:
    ending, board = example
    slot = index.index_of(ending, squares_of(board, ending))
    assert 0 <= slot < index.slots(ending)
    assert index.index_of(ending, index.squares_at(ending, slot)) == slot


@given(placed(), st.sampled_from([chess.flip_vertical, chess.flip_horizontal, chess.flip_diagonal]))
def test_symmetric_copies_share_a_slot(example: tuple[str, chess.Board], turn: object) -> None:
    _ending, board = example
    assert callable(turn)
    assert CHESS.slot_of(board).index == CHESS.slot_of(board.transform(turn)).index


@given(placed())
def test_exchanged_colours_share_a_slot(example: tuple[str, chess.Board]) -> None:
    _ending, board = example
    here, there = CHESS.slot_of(board), CHESS.slot_of(board.mirror())
    if here.swapped != there.swapped:
        assert (here.ending, here.side, here.index) == (there.ending, there.side, there.index)


@given(placed())
def test_a_canonical_slot_is_selected_exactly_when_legal(example: tuple[str, chess.Board]) -> None:
    ending, board = example
    slot = index.index_of(ending, squares_of(board, ending))
    kings = board.king(chess.WHITE), board.king(chess.BLACK)
    assert kings[0] is not None and kings[1] is not None
    legal = chess.square_distance(kings[0], kings[1]) > 1 and not board.was_into_check()
    start = slot & ~63
    codes = bytes(1 if start + i == slot else 0 for i in range(64))
    side = 0 if board.turn else 1
    assert index.select(ending, side, start, codes, 1) == ([slot] if legal else [])


def test_the_catalogue() -> None:
    assert len(material.ENDINGS) == len(set(material.ENDINGS)) == 145
    seen: set[str] = set()
    for ending in material.ENDINGS:
        assert set(material.needs(ending)) <= seen, ending
        assert material.parse_material(ending) == (ending, False)
        seen.add(ending)
    assert len(PAWNLESS) == 4 + 20 + 60


@pytest.mark.parametrize(
    ("text", "name", "swapped"),
    [("kqkr", "KQvKR", False), ("KvKQ", "KQvK", True), ("KNKBB", "KBBvKN", True), ("KRKP", "KRvKP", False)],
)
def test_spellings(text: str, name: str, swapped: bool) -> None:
    assert material.parse_material(text) == (name, swapped)

"""Index and position are inverse; symmetric copies share a slot; both ways to count agree."""

from __future__ import annotations

import itertools

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from endgame_core.chess import index, material
from endgame_core.chess.game import CHESS
from endgame_core.chess.notation import squares_of

from .positions import PAWNLESS, WITH_PAWNS, passed, placed


@given(placed())
def test_index_and_squares_are_inverse(example: tuple[str, chess.Board]) -> None:
    ending, board = example
    slot = index.index_of(ending, squares_of(board, ending))
    assert 0 <= slot < index.slots(ending)
    assert index.index_of(ending, index.squares_at(ending, slot)) == slot


@given(placed(PAWNLESS), st.sampled_from([chess.flip_vertical, chess.flip_horizontal, chess.flip_diagonal]))
def test_symmetric_copies_share_a_slot(example: tuple[str, chess.Board], turn: object) -> None:
    _ending, board = example
    assert callable(turn)
    assert CHESS.index.slot_of(board).index == CHESS.index.slot_of(board.transform(turn)).index


@given(placed(WITH_PAWNS))
def test_positions_with_pawns_are_mirrored_only_by_files(example: tuple[str, chess.Board]) -> None:
    _ending, board = example
    assert CHESS.index.slot_of(board) == CHESS.index.slot_of(board.transform(chess.flip_horizontal))


@given(placed(WITH_PAWNS))
def test_a_slot_gives_back_the_position_or_its_mirror(example: tuple[str, chess.Board]) -> None:
    ending, board = example
    slot = CHESS.index.slot_of(board)
    back = CHESS.index.position_at(slot.ending, slot.side, slot.index)
    here = board.mirror() if slot.swapped else board
    assert (slot.ending, back.turn) == (ending, here.turn)
    assert back.board_fen() in (here.board_fen(), here.transform(chess.flip_horizontal).board_fen())


@given(placed(WITH_PAWNS))
def test_identical_pieces_are_interchangeable(example: tuple[str, chess.Board]) -> None:
    """Every order of identical men, on either side of the mirror, is numbered as the canonical slot."""
    ending, board = example
    squares = squares_of(board, ending)
    numbers = {
        index.index_of(ending, [squares[place] ^ mirror for place in order])
        for order in _exchanges(ending)
        for mirror in (0, 7)
    }
    assert len(numbers) == 1


def _exchanges(ending: str) -> list[list[int]]:
    """The orders of an ending's men in which only identical men have changed places."""
    white, black = ending.split("v")
    men = white + black.lower()
    orders = itertools.permutations(range(len(men)))
    return [list(order) for order in orders if all(men[place] == men[at] for at, place in enumerate(order))]


@given(placed())
def test_exchanged_colours_share_a_slot(example: tuple[str, chess.Board]) -> None:
    _ending, board = example
    here, there = CHESS.index.slot_of(board), CHESS.index.slot_of(board.mirror())
    if here.swapped != there.swapped:
        assert (here.ending, here.side, here.index) == (there.ending, there.side, there.index)


@given(passed())
def test_a_slot_does_not_include_en_passant(example: tuple[str, chess.Board]) -> None:
    _ending, board = example
    without = board.copy(stack=False)
    without.ep_square = None
    assert CHESS.index.slot_of(board) == CHESS.index.slot_of(without)
    captures = [move for move in board.legal_moves if board.is_en_passant(move)]
    assert list(CHESS.index.extra_moves(board)) == captures and list(CHESS.index.extra_moves(without)) == []


def test_the_catalogue_has_510_endings_each_after_its_sub_endings() -> None:
    assert len(material.ENDINGS) == len(set(material.ENDINGS)) == 510
    seen: set[str] = set()
    for ending in material.ENDINGS:
        assert set(material.needs(ending)) <= seen, ending
        assert material.parse_material(ending) == (ending, False)
        seen.add(ending)
    assert len(PAWNLESS) == 4 + 20 + 60 and len(WITH_PAWNS) == 1 + 10 + 50


@pytest.mark.parametrize(
    ("text", "name", "swapped"),
    [("kqkr", "KQvKR", False), ("KvKQ", "KQvK", True), ("KNKBB", "KBBvKN", True), ("KRKP", "KRvKP", False)],
)
def test_an_ending_may_be_spelled_in_any_order(text: str, name: str, swapped: bool) -> None:
    assert material.parse_material(text) == (name, swapped)


def test_the_worked_example_of_the_index_is_right() -> None:
    """White Kf3, Rh5, Black Kd6 in KRvK, as the documentation of the module goes through it."""
    squares = [chess.F3, chess.H5, chess.D6]
    assert index.index_of("KRvK", squares) == (7 * 64 + chess.E1) * 64 + chess.F5 == 28965


def test_the_worked_examples_of_like_pieces_and_pawns_are_right() -> None:
    """KRRvK with Kb1, Rh8, Rc4, ke5, and KPvK with Ke3, Pg4, kc7, as the documentation of the module has them."""
    rooks = [chess.B1, chess.H8, chess.C4, chess.E5]
    assert index.index_of("KRRvK", rooks) == ((26 * 10 + 1) * 64 + 63) * 64 + 36 == 1073124
    assert index.index_of("KPvK", [chess.E3, chess.G4, chess.C7]) == (9 * 64 + 19) * 64 + 53 == 38133

"""The index in NumPy agrees with the index in pure Python, word by word, with and without pawns."""

from __future__ import annotations

import chess
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from endgame_core.chess import arrays, index, material, notation
from endgame_core.chess.game import CHESS
from endgame_core.errors import PositionError

from .positions import is_legal, placed

ENDINGS = [ending for ending in material.ENDINGS if ending.count("P") < 3 or material.men_count(ending) < 6]


@st.composite
def words(draw: st.DrawFn) -> tuple[str, int]:
    """An ending and the first slot of one of its words, with the likely collisions and twins made likelier."""
    ending = draw(st.sampled_from(ENDINGS))
    count = index.slots(ending) // 64
    word = draw(st.integers(0, count - 1))
    if draw(st.booleans()):
        word = word // 64 * 64 + word // 64 % 64
    return ending, word * 64


@pytest.mark.slow
@given(words(), st.sampled_from([0, 1]))
@settings(max_examples=300)
def test_a_slot_is_stored_exactly_if_it_is_canonical_and_legal(example: tuple[str, int], side: int) -> None:
    ending, start = example
    kept = arrays.copies(ending, side, start, 64) > 0
    for king in range(64):
        squares = index.squares_at(ending, start + king)
        counts = len(set(squares)) == len(squares) and index.index_of(ending, squares) == start + king
        assert bool(kept[king]) == (counts and is_legal(CHESS.index.position_at(ending, side, start + king)))


@pytest.mark.slow
@given(placed())
def test_any_copy_of_a_position_has_its_canonical_slot(example: tuple[str, chess.Board]) -> None:
    ending, board = example
    side, slot = (int(array[0]) for array in arrays.canonical_slots(ending, np.array([notation.key(board)], np.uint64)))
    expected = CHESS.index.slot_of(board)
    if is_legal(board):
        assert (side, slot) == (expected.side, expected.index)
    else:
        assert slot == -1


@pytest.mark.slow
@given(st.sampled_from(ENDINGS), st.integers(0, 2**64 - 1))
@settings(max_examples=300)
def test_a_key_of_no_legal_position_has_no_canonical_slot(ending: str, key: int) -> None:
    key &= (1 << 7 * material.men_count(ending) + 1) - 1
    slot = int(arrays.canonical_slots(ending, np.array([key], np.uint64))[1][0])
    if slot >= 0:
        assert notation.from_key(ending, key).is_valid() or slot < index.slots(ending)
    elif all(key >> (1 + 7 * i) & 127 != notation.GONE for i in range(material.men_count(ending))):
        with pytest.raises(PositionError):
            notation.from_key(ending, key)


@pytest.mark.slow
@given(words(), st.sampled_from([0, 1]), st.integers(0, 63))
@settings(max_examples=400)
def test_keys_agree_and_come_back(example: tuple[str, int], side: int, king: int) -> None:
    ending, start = example
    slot = start + king
    if not arrays.copies(ending, side, start, 64)[king]:
        return
    found = arrays.keys(ending, side, np.array([slot]))
    board = CHESS.index.position_at(ending, side, slot)
    assert int(found[0]) == notation.key(board)
    back = arrays.slots_of_keys(ending, found)
    assert [int(array[0]) for array in back] == [side, slot]


@pytest.mark.slow
@given(st.sampled_from(ENDINGS), st.integers(0, 2**64 - 1))
@settings(max_examples=400)
def test_a_key_has_a_slot_only_in_its_canonical_form(ending: str, key: int) -> None:
    if key % 3:
        key &= (1 << 7 * material.men_count(ending) + 1) - 1
        key &= ~sum(1 << 7 * (i + 1) for i in range(material.men_count(ending)))
    side, slot = (int(array[0]) for array in arrays.slots_of_keys(ending, np.array([key], np.uint64)))
    assert -1 <= slot < index.slots(ending)
    if slot >= 0:
        assert int(arrays.keys(ending, side, np.array([slot]))[0]) == key


def _turned(board: chess.Board, squares: list[int]) -> set[tuple[int, ...]]:
    """All symmetric copies of a placement, identical men sorted."""
    turns = [lambda s: s, lambda s: s ^ 7]
    if not board.pawns:
        turns += [lambda s: s ^ 56, lambda s: s ^ 63]
        turns += [lambda s, t=t: index.transpose(t(s)) for t in turns]
    ending = notation.plain_name(board)
    men = [(man.piece_type, man.color) for man in notation.ending_men(ending)]
    return {tuple(index.fold(men, [turn(square) for square in squares])) for turn in turns}


@pytest.mark.slow
@given(words(), st.sampled_from([0, 1]), st.integers(0, 63))
@settings(max_examples=400)
def test_arrays_count_symmetric_copies_as_the_index_does(example: tuple[str, int], side: int, king: int) -> None:
    ending, start = example
    counted = int(arrays.copies(ending, side, start, 64)[king])
    if counted:
        board = CHESS.index.position_at(ending, side, start + king)
        assert counted == len(_turned(board, index.squares_at(ending, start + king)))

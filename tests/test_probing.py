"""Probing as a library: keys and boards with either colour to move, and what is refused."""

from __future__ import annotations

import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import chess
import numpy as np
import pytest
from numpy.typing import NDArray

from endgame_core.chess import notation
from endgame_core.chess.probing import Prober
from endgame_core.errors import EndgameError, EndingError, NotBuiltError, PositionError
from endgame_core.tables.library import Library
from endgame_core.values import Category

Boards = Callable[[str], chess.Board]
SIGN = {Category.WIN: 1, Category.DRAW: 0, Category.LOSS: -1}


@pytest.fixture
def prober(library: Library) -> Prober:
    return Prober(library)


def _keys(boards: list[chess.Board]) -> NDArray[np.uint64]:
    return np.array([notation.key(board) for board in boards], np.uint64)


@pytest.mark.parametrize("ending", ["KQvK", "KQvKR", "KQvKQ", "KPvKP", "KRPvK", "KNNvK"])
def test_bulk_keys_of_both_colours_agree_with_single_probes(ending: str, prober: Prober, random_board: Boards) -> None:
    drawn = [random_board(ending) for _ in range(100)]
    for name in {notation.plain_name(board) for board in drawn}:
        boards = [board for board in drawn if notation.plain_name(board) == name]
        found = prober.probe_many(_keys(boards), name)
        alone = [prober.probe(board) for board in boards]
        assert found.result.tolist() == [SIGN[verdict.category] for verdict in alone]
        assert found.depth.tolist() == [verdict.depth or 0 for verdict in alone]
        texts = prober.probe_many([board.fen() for board in boards])
        assert texts.depth.tolist() == found.depth.tolist()


def test_an_empty_query_has_an_empty_answer(prober: Prober) -> None:
    assert prober.probe_many(np.zeros(0, np.uint64), "KQvK").depth.shape == (0,)
    assert prober.probe_many([]).result.shape == (0,)


@pytest.mark.parametrize("ending", ["KQvKR", "KRvKQ", "KvKQ"])
def test_a_key_with_an_extra_bit_is_refused(ending: str, prober: Prober, random_board: Boards) -> None:
    board = random_board("KQvKR" if "R" in ending else "KQvK")
    if notation.plain_name(board) != ending:
        board = board.mirror()
    for bit in range(1 + 7 * (len(ending) - 1), 64):
        key = notation.key(board) | 1 << bit
        with pytest.raises(PositionError, match=f"key {key} "):
            prober.probe_many(np.array([notation.key(board), key], np.uint64), ending)


@pytest.mark.parametrize(
    "fen",
    [
        "8/8/8/8/8/8/8/k2Q2K1 w - - 0 1",
        "8/8/8/8/8/8/8/3Q2K1 w - - 0 1",
        "P7/8/8/8/3k4/8/8/K7 w - - 0 1",
        "4k3/8/8/8/8/8/8/4K2R w K - 0 1",
    ],
)
def test_a_board_that_cannot_occur_has_no_value(fen: str, prober: Prober) -> None:
    with pytest.raises(PositionError):
        prober.probe(chess.Board(fen))


def test_a_refusal_names_the_query(prober: Prober, empty_library: Library) -> None:
    with pytest.raises(PositionError, match=re.escape("position 1, '8/8 w': ")):
        prober.probe_many(["7K/6Q1/8/8/2k5/8/8/8 w - - 0 1", "8/8 w"])
    for ending in ("KQQQvKQQ", "KvK", "nonsense"):
        with pytest.raises(EndingError):
            prober.probe_many(np.zeros(1, np.uint64), ending)
    with pytest.raises(EndingError, match="pass one"):
        prober.probe_many(np.zeros(1, np.uint64))
    with pytest.raises(NotBuiltError, match="build KQvKR"):
        Prober(empty_library).probe_many(np.zeros(1, np.uint64), "KRvKQ")
    with pytest.raises(EndgameError, match="7 pieces"):
        prober.probe("4k3/8/8/8/8/8/PPPPP3/4K3 w - - 0 1")


def test_several_threads_get_the_same_values(prober: Prober, random_board: Boards) -> None:
    boards = [random_board(ending) for ending in ("KQvKR", "KPvKP", "KRvKN") * 20]
    expected = [prober.probe(board) for board in boards]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(prober.probe, boards)) == expected


@pytest.mark.parametrize("positions", [[5, 7], np.zeros((2, 2), np.uint64), np.zeros(3)])
def test_input_other_than_keys_or_fens_is_refused(prober: Prober, positions: Any) -> None:
    with pytest.raises(PositionError, match="uint64 array"):
        prober.probe_many(positions, "KQvK")

"""DTZ tables against independent truth: Syzygy files, our DTM tables, and the rules alone."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path

import chess
import chess.syzygy
import numpy as np
import pytest
from numpy.typing import NDArray

from endgame_core.chess import material, metrics
from endgame_core.chess.arrays import ChessOnePly, SomePlies
from endgame_core.chess.game import CHESS, CHESS_DTZ
from endgame_core.game import derived_code
from endgame_core.metric import DTZ
from endgame_core.tables.library import Library
from endgame_core.values import BYTE_DRAW, HORIZON, Category

from .conftest import UP_TO_FOUR, Five, fast
from .test_truth import SYZYGY

Boards = Callable[[str], chess.Board]

WDL = {Category.LOSS: -2, Category.BLESSED_LOSS: -1, Category.DRAW: 0, Category.CURSED_WIN: 1, Category.WIN: 2}


class _Files(chess.syzygy.Tablebase):
    """The reference reader, which here remembers what its files say: a position comes after many others."""

    def __init__(self, directory: Path) -> None:
        super().__init__()
        self.add_directory(str(directory))
        self._told: dict[tuple[object, ...], int] = {}

    def probe_wdl_table(self, board: chess.Board) -> int:
        men = (board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings)
        here = (board.turn, board.occupied_co[chess.WHITE], board.occupied_co[chess.BLACK], *men)
        if (told := self._told.get(here)) is None:
            told = self._told[here] = super().probe_wdl_table(board)
        return told


def _compare(library: Library, truth: Path, ending: str, boards: Iterable[chess.Board]) -> Counter[str]:
    """WDL must be equal; DTZ must be, too, or be one ply more, where the file rounded. Counts and prints."""
    seen: Counter[str] = Counter()
    with _Files(truth / "syzygy") as syzygy:
        for board in boards:
            category, n = CHESS_DTZ.index.value(library.code(board))
            assert WDL[category] == syzygy.probe_wdl(board), board.fen()
            try:
                theirs = syzygy.probe_dtz(board)
            except chess.syzygy.MissingTableError:
                seen["a file for a promotion missing"] += 1
                continue
            if n == 0:
                assert theirs == -1 and board.is_checkmate()
                continue
            wins = category in (Category.WIN, Category.CURSED_WIN)
            assert n is None or (theirs > 0) == wins, board.fen()
            more = (n or 0) - abs(theirs)
            assert more in (0, 1), board.fen()
            seen["a ply more" if more else "equal"] += 1
    print(ending, dict(seen))
    return seen


@pytest.mark.parametrize("ending", fast(SYZYGY, 6))
def test_wdl_and_dtz_equal_syzygy(ending: str, dtz_library: Library, truth: Path, random_board: Boards) -> None:
    _compare(dtz_library, truth, ending, (random_board(ending) for _ in range(150)))


def test_en_passant_equals_syzygy(dtz_library: Library, truth: Path, passed_board: Boards) -> None:
    seen = _compare(dtz_library, truth, "KPvKP", (passed_board("KPvKP") for _ in range(400)))
    assert seen["equal"] > 200


@pytest.mark.exhaustive
@pytest.mark.parametrize("ending", SYZYGY)
def test_wdl_and_dtz_equal_syzygy_on_many(ending: str, dtz_library: Library, truth: Path, random_board: Boards) -> None:
    """On every position of three men, and on 3 000 of four; ``benchmarks.syzygy`` takes them all."""
    if material.men_count(ending) == 3:
        boards = _all_boards(dtz_library, ending)
    else:
        boards = (random_board(ending) for _ in range(3_000))
    _compare(dtz_library, truth, ending, boards)


def _all_boards(library: Library, ending: str) -> Iterator[chess.Board]:
    for side in (0, 1):
        for slot in np.flatnonzero(CHESS.index.arrays().copies(ending, side, 0, CHESS.index.slots(ending))):
            yield CHESS_DTZ.index.position_at(ending, side, int(slot))


def _same_winners(dtm: Library, dtz_library: Library, ending: str) -> None:
    for side in (0, 1):
        kept = CHESS.index.arrays().copies(ending, side, 0, CHESS.index.slots(ending)) > 0
        draw = metrics.draw_byte(ending, side)
        mate, zero = (np.asarray(found.read_side(ending, side, 2))[kept] for found in (dtm, dtz_library))
        assert np.array_equal(mate > BYTE_DRAW, zero > draw) and np.array_equal(mate < BYTE_DRAW, zero < draw)
        assert np.array_equal(mate == 0, zero == 0)


@pytest.mark.parametrize("ending", fast(UP_TO_FOUR, 12))
def test_who_wins_is_the_same_by_dtm(ending: str, library: Library, dtz_library: Library) -> None:
    _same_winners(library, dtz_library, ending)


@pytest.mark.parametrize("ending", ["KRvK", "KQvKR", "KPvKP", "KBPvK"])
def test_dtz_follows_from_the_values_one_ply_deeper(ending: str, dtz_library: Library, random_board: Boards) -> None:
    for board in (random_board(ending) for _ in range(150)):
        assert dtz_library.code(board) == derived_code(CHESS_DTZ, board, dtz_library.code), board.fen()


def test_every_position_follows_from_those_one_ply_later(dtz_library: Library) -> None:
    """By code that shares nothing with the solver."""
    _rederive(dtz_library, "KRvK", range(0, CHESS.index.slots("KRvK"), _RANGE))


@pytest.mark.exhaustive
@pytest.mark.parametrize("ending", UP_TO_FOUR)
def test_every_position_of_four_pieces_follows_from_those_one_ply_later(ending: str, dtz_library: Library) -> None:
    _rederive(dtz_library, ending, range(0, CHESS.index.slots(ending), _RANGE))


_RANGE, _FEW = 1 << 16, 1 << 12


def _rederive(library: Library, ending: str, starts: Iterable[int], length: int = _RANGE) -> None:
    """Derives stretches of slots from those one ply later; of short ones, no more is looked at than is asked for."""

    @cache
    def codes(name: str, side: int) -> NDArray[np.uint8]:
        return np.asarray(library.read_side(name, side, 2))

    def some(name: str, side: int, slots: NDArray[np.int64]) -> NDArray[np.uint16]:
        return np.array(metrics.codes(metrics.draw_byte(name, side)), np.uint16)[codes(name, side)[slots]]

    one_ply = ChessOnePly(ending, codes, DTZ) if length == _RANGE else SomePlies(ending, some)
    one_ply.metric = DTZ
    for start in starts:
        for side in (0, 1):
            slots, derived = one_ply.derived(side, start, min(length, CHESS.index.slots(ending) - start))
            given = np.array(metrics.codes(metrics.draw_byte(ending, side)))[codes(ending, side)[slots]]
            assert ((derived < 0) | (derived == given)).all()


LONGEST = {
    "KBBvKN": ((0, 131), (132, 1)), "KBNvKN": ((0, 153), (152, 1)), "KBBvKQ": ((142, 7), (6, 141)),
    "KNNvKP": ((108, 164), (163, 107)), "KQPvKQ": ((30, 141), (140, 31)), "KRPvKQ": ((150, 103), (102, 151)),
}  # fmt: skip
"""Most plies of a loss and of a win, with White and with Black to move, where the draw's code is not in the middle."""


@pytest.mark.exhaustive
@pytest.mark.parametrize(("ending", "longest"), LONGEST.items())
def test_the_longest_wins_by_dtz_are_the_published_ones(
    ending: str,
    longest: tuple[tuple[int, int], tuple[int, int]],
    five: Five,
    random_board: Boards,
) -> None:
    """And one ply deep: 2 000 positions by python-chess, 160 stretches of slots by arrays, the same in every run."""
    library = five(CHESS_DTZ, [ending])
    assert [_longest(library, ending, side) for side in (0, 1)] == list(longest)
    for board in (random_board(ending) for _ in range(2_000)):
        assert library.code(board) == derived_code(CHESS_DTZ, board, library.code), board.fen()
    _rederive(library, ending, random.Random(1).sample(range(0, CHESS.index.slots(ending), _FEW), 160), _FEW)


def _longest(library: Library, ending: str, side: int) -> tuple[int, int]:
    codes, found = np.asarray(library.read_side(ending, side, 2)), np.zeros(256, np.int64)
    for start in range(0, len(codes), _RANGE):
        here = codes[start : start + _RANGE]
        found += np.bincount(here[CHESS.index.arrays().copies(ending, side, start, len(here)) > 0], minlength=256)
    values = [
        CHESS_DTZ.index.value(library.table(ending).stored_codes(side)[int(stored)]) for stored in np.flatnonzero(found)
    ]
    lost = [n for category, n in values if n is not None and WDL[category] < 0]
    won = [n for category, n in values if n is not None and WDL[category] > 0]
    assert max(lost + won) > HORIZON
    return max(lost, default=0), max(won, default=0)


def test_a_divided_range_of_codes_holds_exactly_the_depths_that_fit() -> None:
    for draw in range(2, 255):
        codes = [metrics.stored(metrics.code_of(Category.LOSS, n), draw) for n in range(256) if metrics.fits(n, draw)]
        assert codes == list(range(draw))
        codes = [
            metrics.stored(metrics.code_of(Category.WIN, n), draw) for n in range(1, 256) if metrics.fits(n, 256 - draw)
        ]
        assert codes == list(range(255, draw, -1))

"""Endings solved on made-up sub-endings: every exit counts, and each value follows from one ply of the rules."""

from __future__ import annotations

import itertools
import math
import random
from pathlib import Path
from typing import Any

import chess
import numpy as np
import pytest
from numpy.typing import NDArray

from endgame_core.chess.game import CHESS, CHESS_DTZ, ChessGame
from endgame_core.chess.solver import waves
from endgame_core.errors import EndingError
from endgame_core.game import DigitFilter, Slot, SolvedEnding, SolverBudget, derived_code, position_code
from endgame_core.tables.library import Library
from endgame_core.tables.writing import EarlyFrames
from endgame_core.values import BYTE_DRAW, DRAW

from . import positions

pytestmark = pytest.mark.usefixtures("library")  # what solves is compiled once

PRIME = 1_000_003
"""Made-up codes repeat after so many slots, in step with no axis of an index."""
DECIDED = {"dtm": (range(1, 30), range(226, 256)), "dtz": (range(90, 112), range(145, 167))}
"""By DTZ, losses and wins on both sides of the horizon: exits lead to cursed and to plain results."""


class MadeUp:
    """An ending solved with sub-endings whose codes are random."""

    def __init__(self, game: ChessGame, ending: str) -> None:
        self.game = game
        self.ending = ending
        self.codes: dict[tuple[str, int], NDArray[Any]] = {}
        self.rng = np.random.default_rng(3)
        self.solved = self._solve()

    def _solve(self) -> SolvedEnding:
        """Solves it; by DTZ on sub-endings with many draws or none, until no exit takes too long."""
        for draws in (40,) if self.game.metric == "dtm" else (200, 2_000, 0):
            lost, won = DECIDED[self.game.metric]
            self.choice = np.concatenate([lost, np.full(draws, BYTE_DRAW), won]).astype(np.uint8)
            self.codes.clear()
            try:
                return self.game.solver.solve(self.ending, self._whole, 2, lambda progress: None)
            except EndingError as error:
                assert "losses in 128 moves by DTZ" in str(error) or "wins in 128 moves by DTZ" in str(error)
        pytest.fail(f"{self.ending}: exits are always too far away")

    def _some(self, ending: str, side: int) -> NDArray[Any]:
        if (ending, side) not in self.codes:
            self.codes[ending, side] = self.rng.choice(self.choice, PRIME)
        return self.codes[ending, side]

    def _whole(self, ending: str, side: int, wanted: DigitFilter = ()) -> NDArray[Any]:
        """The codes of a sub-ending; what is not wanted is mate, which no made-up code is."""
        some, axes = self._some(ending, side), CHESS.index.axes(ending)
        found = np.zeros(CHESS.index.slots(ending), some.dtype)
        outer = len(wanted)
        while outer and len(wanted[outer - 1]) == axes[outer - 1]:
            outer -= 1
        length = math.prod(axes[outer:])
        repeated = np.resize(some, PRIME + length)
        for digits in itertools.product(*map(sorted, wanted[:outer])):
            first = 0
            for digit, axis in zip(digits, axes, strict=False):
                first = first * axis + digit
            at = first * length
            found[at : at + length] = repeated[at % PRIME :][:length]
        return found

    def _look(self, slot: Slot) -> int:
        if slot.ending == self.ending:
            byte = self.solved.codes[slot.side, slot.index]
            if self.solved.codes.itemsize > 1:  # what bytes do not hold is told in codes
                return int(byte)
        else:
            byte = self._some(slot.ending, slot.side)[slot.index % PRIME]
        index = self.game.index
        return index.codes(index.draw_byte(slot.ending, slot.side))[byte]

    def code(self, board: chess.Board) -> int:
        return position_code(self.game, board, self._look)

    def check(self, board: chess.Board) -> None:
        assert self.code(board) == derived_code(self.game, board, self.code), board.fen()


class MadeUpInCodes(MadeUp):
    """An ending solved with sub-endings whose codes need two bytes; some are deeper than any byte can hold."""

    def _solve(self) -> SolvedEnding:
        wins = [0xFF00, 0xFEFF, *range(0xFFE0, 0x10000)]
        self.choice = np.array([*range(1, 30), 0x0100, 0x0101, *[DRAW] * 40, *wins], np.uint16)
        budget = SolverBudget(1 << 40, Path("unused"), may_exceed_bytes=True)
        return self.game.solver.solve(self.ending, self._whole, 2, lambda progress: None, budget)

    def _look(self, slot: Slot) -> int:
        if slot.ending == self.ending:
            return int(self.solved.codes[slot.side, slot.index])
        return int(self._some(slot.ending, slot.side)[slot.index % PRIME])


def _before(board: chess.Board) -> chess.Board:
    """The position before the double push that a board's en passant square tells of."""
    assert board.ep_square is not None
    step = -8 if board.turn else 8
    before = board.copy(stack=False)
    before.turn, before.ep_square = not board.turn, None
    before.set_piece_at(board.ep_square - step, before.remove_piece_at(board.ep_square + step))
    return before


SLOW = ("KPPvKP", "KRPvKP", "KQPvKP", "KQPPvK", "KNNvKN", "KRRvKR", "KNNPvK")


FAST = ("KQvKR", "KPvKP")


@pytest.mark.parametrize("ending", [*FAST, *(pytest.param(name, marks=pytest.mark.exhaustive) for name in SLOW)])
def test_every_value_follows_from_those_one_ply_later(ending: str) -> None:
    _check(CHESS, ending)


# KRPvKP takes too long on exits of any mixture.
@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "ending",
    [
        pytest.param(name, marks=() if name == "KQvKR" else pytest.mark.slow)
        for name in (*FAST, *SLOW)
        if name != "KRPvKP"
    ],
)
def test_every_value_by_dtz_follows_from_those_one_ply_later(ending: str) -> None:
    _check(CHESS_DTZ, ending)


def _check(game: ChessGame, ending: str) -> None:
    made_up, rng = MadeUp(game, ending), random.Random(5)
    men = positions.men_of(ending)
    checked = 0
    while checked < 1500:
        board = positions.place(chess.Board(None), men, rng.choice)
        board.turn = rng.random() < 0.5
        if positions.is_legal(board):
            made_up.check(board)
            checked += 1
    kinds = {"two": 0, "pinned": 0, "check": 0}
    while ending in positions.PASSABLE and checked < 5_000:
        board = positions.just_passed(ending, rng.choice)
        if positions.is_legal(board):
            able, willing = len(list(board.generate_legal_ep())), len(list(board.generate_pseudo_legal_ep()))
            kinds["two"] += able == 2
            kinds["pinned"] += able < willing
            kinds["check"] += able > 0 and board.is_check()
            made_up.check(board)
            if positions.is_legal(before := _before(board)):
                made_up.check(before)
            checked += 1
    if ending == "KPPvKP":
        assert all(kinds.values()), kinds


def test_a_stalemate_beside_an_exit_of_256_passes_is_not_mate() -> None:
    """The low byte of such an exit is 0, as where there is no exit: ``due`` must not take one for the other."""
    made_up = MadeUpInCodes(CHESS, "KPvKP")
    stalemate = chess.Board("7k/5K1p/7P/8/8/8/8/8 b - - 0 1")
    assert made_up.solved.codes.itemsize == 2 and made_up.code(stalemate) == DRAW
    rng = random.Random(5)
    for number in range(1500):
        board = positions.place(chess.Board(None), positions.men_of("KPvKP"), rng.choice)
        board.turn = number % 2 == 0
        if positions.is_legal(board):
            made_up.check(board)


@pytest.mark.parametrize("ending", ["KQvK", "KRvKB", "KNNvK", "KBPvK", "KPvKP", "KBBvKN"])
def test_requested_slots_are_complete_and_other_slots_are_never_wrong(ending: str) -> None:
    rng, axes = random.Random(ending), CHESS.index.axes(ending)
    for side in (0, 1):
        whole = CHESS.solver.canonical_bits(ending, side, 2).reshape(axes[:-1])
        wanted = [sorted(rng.sample(range(length), rng.randint(1, length))) for length in axes]
        some = CHESS.solver.canonical_bits(ending, side, 2, wanted).reshape(axes[:-1])
        here = np.ix_(*wanted[:-1])
        assert np.array_equal(some[here], whole[here]) and not (some & ~whole).any()


@pytest.mark.parametrize(("ending", "taken"), [("KRPvK", 12), ("KRvKP", 12), ("KPPvK", 0)])
def test_slices_that_are_encoded_early_give_the_same_file(
    ending: str, taken: int, library: Library, empty_library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those with the pawn on the fifth rank or higher are released: a double push leads to the fourth."""
    monkeypatch.setattr(waves, "_LEAST_RELEASED", 0)
    early = EarlyFrames(CHESS.index.axes(ending), empty_library.directory)
    starts = set[int]()

    class Parts:
        """Notes the first slots of the parts that are taken."""

        def clear(self) -> None:
            early.clear()

        def take(self, side: int, start: int, codes: Any, canonical: Any) -> bool:
            is_taken = early.take(side, start, codes, canonical)
            if is_taken:
                starts.add(start)
            return is_taken

    budget = SolverBudget(1 << 40, empty_library.directory / "work", finished_parts=Parts())

    def lookup(name: str, side: int, wanted: DigitFilter = ()) -> Any:
        return library.read_side(name, side, 1, wanted)

    solved = CHESS.solver.solve(ending, lookup, 2, lambda _: None, budget)
    assert len(starts) == taken
    sizes: list[int] = []
    monkeypatch.setattr(empty_library, "proof", lambda *_: lambda _: sizes.append(early.size))
    assert (early.size > 0) == (taken > 0)
    empty_library.write(ending, solved, early=early)
    assert sizes == [0], "the disk would hold frames three times, which no price counts"
    assert empty_library.path(ending).read_bytes() == library.path(ending).read_bytes()
    assert not list(empty_library.directory.glob("tmp*"))

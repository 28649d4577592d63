"""Moves of six pieces: generated as by python-chess, and looked up where the index says."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from random import Random
from typing import Any

import chess
import numpy as np
import pytest
from click.testing import CliRunner
from numpy.typing import NDArray

from endgame_core.chess import arrays, index
from endgame_core.chess.game import CHESS
from endgame_core.chess.solver import _kernels_derive, examine, exits, layout
from endgame_core.cli.main import main
from endgame_core.errors import EndgameError
from endgame_core.game import DigitFilter, Slot, position_code
from endgame_core.tables import mmap_arrays
from endgame_core.tables.build import memory_for
from endgame_core.tables.kernels import KernelThreads
from endgame_core.tables.library import Library
from endgame_core.values import BYTE_DRAW, CODES_OF_BYTES, byte_of, code_before

from .conftest import give
from .test_survey import described

ENDINGS = ["KRRvKRB", "KBBvKNN", "KNNNNvK", "KQRBNvK", "KBPvKNN", "KRRPvKN", "KRPvKRP", "KBBvKPP", "KPPvKPP", "KPPPPvK"]


def byte_in(slot: Slot) -> int:
    """A byte that nobody could guess, the same whenever it is asked for."""
    made = hash((slot.ending, slot.side, slot.index)) & 0xFFFF
    return (made % 60, BYTE_DRAW, 255 - made % 60)[made >> 8 & 1 if made & 1 else made >> 8 & 2]


class Made:
    """Tables of six men that hold a code where it is written, and nothing elsewhere: they take hardly any memory."""

    def __init__(self, ending: str) -> None:
        self.ending = ending
        self._codes: dict[tuple[str, int], NDArray[np.uint8]] = {}

    def codes(self, ending: str, side: int, wanted: DigitFilter = ()) -> NDArray[np.uint8]:
        if (ending, side) not in self._codes:
            self._codes[ending, side] = mmap_arrays.zeros(index.slots(ending), np.uint8, [(0, 0)])
        return self._codes[ending, side]

    def worth(self, board: chess.Board) -> int:
        """The code of a position, which is in its table from now on."""

        def look(slot: Slot) -> int:
            self.codes(slot.ending, slot.side)[slot.index] = byte_in(slot)
            return CODES_OF_BYTES[byte_in(slot)]

        return position_code(CHESS, board, look)

    def kept(self, side: int, slot: int) -> NDArray[np.uint64]:
        """The legal canonical slots to which a quiet move may lead."""
        found = mmap_arrays.zeros(index.slots(self.ending) // 64, np.uint64, [(0, 0)])
        axes, digits = index.axes(self.ending)[:-1], []
        rest = slot >> 6
        for length in reversed(axes):
            rest, digit = divmod(rest, length)
            digits.insert(0, digit)
        words = {slot >> 6}
        for axis, length in enumerate(axes):
            stride = int(np.prod(axes[axis + 1 :], dtype=np.int64))
            words |= {(slot >> 6) + (to - digits[axis]) * stride for to in range(length)}
        there = np.array(sorted(words), np.int64)
        found[there] = arrays._stored(self.ending, side, *arrays._word_squares(self.ending, there))[0]  # pyright: ignore
        return found


def boards_of(ending: str, rng: Random, count: int) -> Iterator[chess.Board]:
    """Random legal positions in their canonical copies."""
    while count:
        squares = rng.sample(range(64), 6)
        board = chess.Board(None)
        for (piece, color), square in zip(_men(ending), squares, strict=True):
            if piece == chess.PAWN and not 8 <= square < 56:
                break
            board.set_piece_at(square, chess.Piece(piece, color))
        else:
            board.turn = rng.random() < 0.5
            if not board.was_into_check() and not board.status() & chess.STATUS_OPPOSITE_CHECK:
                slot = CHESS.index.slot_of(board)
                yield CHESS.index.position_at(ending, slot.side, slot.index)
                count -= 1


def _men(ending: str) -> list[tuple[int, bool]]:
    white, black = ending.split("v")
    return [
        (chess.PIECE_SYMBOLS.index(letter.lower()), color)
        for color, letters in ((chess.WHITE, white), (chess.BLACK, black))
        for letter in letters
    ]


@pytest.fixture(autouse=True)
def placed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Placements of pawns are numbered once, not for each position."""
    numbers_of = cache(layout.numbers_of)
    for module in (layout, exits, examine):
        monkeypatch.setattr(module, "numbers_of", numbers_of)


def _compare(ending: str, count: int) -> None:
    made, rng = Made(ending), Random(ending)
    for board in boards_of(ending, rng, count):
        slot = CHESS.index.slot_of(board)
        worths = [byte_of(code_before(made.worth(CHESS.play(board, move)))) for move in board.legal_moves]
        best = max(worths, default=0 if board.is_check() else BYTE_DRAW)
        for code in {best, rng.choice([20, BYTE_DRAW, 230])}:
            made.codes(ending, slot.side)[slot.index] = code
            then = made.kept(1 - slot.side, slot.index)
            moves = examine.EndingMoves(ending, slot.side, made.codes, _part(ending, slot.index))
            told = moves.describe(np.array([slot.index], np.int64), then)[0].tolist()
            expected = described(board, CODES_OF_BYTES[code], made.worth)
            if code < BYTE_DRAW:  # the trick is told of draws
                expected[6] = told[6]
            assert told == expected, board.fen()
        assert _derived(made, slot, then) == best, board.fen()


def _part(ending: str, slot: int) -> list[int]:
    """The placement of the pawns alone, as a large ending is looked at."""
    each = index.slots(ending) // index.axes(ending)[0]
    return [slot // each] if any(index.pawns_of(ending)) else []


def _derived(made: Made, slot: Slot, then: NDArray[np.uint64]) -> int:
    """What the position is worth by the kernel that derives it."""
    moves = examine.EndingMoves(made.ending, slot.side, made.codes, _part(made.ending, slot.index))
    word = slot.index >> 6
    here, found = (
        mmap_arrays.zeros(len(then), np.uint64, [(0, 0)]),
        mmap_arrays.zeros(64 * len(then), np.uint8, [(0, 0)]),
    )
    here[word] = np.uint64(1 << (slot.index & 63))
    workers = KernelThreads(1)
    workers.run(
        _kernels_derive.derive, moves.field, slot.side, made.codes(made.ending, 1 - slot.side), here, then, found,
        word, word + 1, own=moves.own(1),
    )  # fmt: skip
    workers.close()
    return int(found[slot.index])


@pytest.mark.exhaustive
@pytest.mark.parametrize("ending", ENDINGS[:3])
def test_moves_of_six_pieces_are_those_of_python_chess(ending: str) -> None:
    _compare(ending, 15)


@pytest.mark.exhaustive
@pytest.mark.parametrize("ending", ENDINGS[3:])
def test_moves_of_more_different_pieces_are_those_of_python_chess(ending: str) -> None:
    _compare(ending, 8)


@pytest.mark.parametrize("ending", ["KBPvKNN", "KRPvKRP", "KBPPvKP"])
def test_pushes_lead_into_placements_that_are_read(ending: str) -> None:
    """The parts of a large ending are all of it, and what a pawn can reach is read with each."""
    parts, length, slots = examine.parts_of(ending), index.axes(ending)[0], index.slots(ending)
    assert [place for part in parts for place in part] == list(range(length))
    assert all(len(one) * slots // length <= 1 << 30 for one in parts)
    first = Random(ending).randrange(length - 3)
    part = range(first, first + 3)
    colors = index.pawns_of(ending)
    expected = set(part)
    for place in part:
        board = chess.Board(None)
        for i, square in enumerate(index.placements(*colors)[place]):
            board.set_piece_at(square, chess.Piece(chess.PAWN, i < colors[0]))
        for board.turn in (chess.WHITE, chess.BLACK):
            for move in board.generate_pseudo_legal_moves():
                if move.promotion or board.is_capture(move):
                    continue
                after = CHESS.play(board, move)
                pawns = [*after.pieces(chess.PAWN, chess.WHITE), *after.pieces(chess.PAWN, chess.BLACK)]
                expected.add(index.number_of(*colors, pawns)[0])
    assert examine.reached(ending, part) == sorted(expected)


def test_an_array_that_is_too_large_for_memory_is_a_file(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mmap_arrays, "IN_MEMORY_BYTES", 1 << 12)
    monkeypatch.setattr(mmap_arrays, "free_memory", lambda: 1 << 20)
    mmap_arrays.set_scratch_dir(tmp_path / "work")
    found = mmap_arrays.zeros(1 << 20, np.uint64)
    assert not found.any() and not list((tmp_path / "work").iterdir()), "the file has no name"
    found[-1] = 7
    assert found.dtype == np.uint64 and found.sum() == 7


def test_the_memory_limit_lasts_as_long_as_the_command(
    library: Library, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where it was a moment ago, this array would be too small to be a file."""
    own = Library(CHESS, tmp_path)
    give(library, own, "KBvK")
    for words in (["verify", "KBvK", "--samples", "1"], ["compact", "KBvK"]):
        assert CliRunner().invoke(main, ["--data-dir", str(tmp_path), *words, "--memory", "2G"]).exit_code == 0
        here = tmp_path / words[0]
        with monkeypatch.context() as patched:
            patched.setattr(mmap_arrays, "IN_MEMORY_BYTES", 1 << 12)
            patched.setattr(mmap_arrays, "free_memory", lambda: 0)
            mmap_arrays.set_scratch_dir(here)
            mmap_arrays.zeros(1 << 14, np.uint64)
        assert here.is_dir()


def test_arrays_use_as_much_memory_as_allowed(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """What goes beyond is a file, of which pages are let go; nothing that was written is lost."""
    monkeypatch.setattr(mmap_arrays, "_UNCOUNTED_BYTES", 1 << 12)
    mmap_arrays.set_scratch_dir(tmp_path / "work")
    with mmap_arrays.memory_limit(mmap_arrays.RESERVED_MEMORY + (3 << 20)) as limit:
        first = mmap_arrays.zeros(1 << 18, np.uint64)
        assert limit.available == 1 << 20
        second, third = mmap_arrays.zeros(1 << 18, np.uint64), mmap_arrays.zeros(1 << 10, np.uint64)
        assert limit.available == (1 << 20) - (1 << 13), "the second is a file"
        second[:] = np.arange(len(second), dtype=np.uint64)
        monkeypatch.setattr(mmap_arrays, "resident_bytes", lambda: mmap_arrays.UNLIMITED)
        limit.evict()
        assert np.array_equal(second, np.arange(len(second)))
        del first, third
        assert limit.available == 3 << 20
    assert mmap_arrays.zeros(1 << 10, np.uint64).base is None, "nothing is limited any more"


def test_work_on_a_large_table_uses_only_free_memory(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three quarters of it where nobody has said how much; it is refused where too little is, and that ends with it."""
    free = 8 * mmap_arrays.MIN_MEMORY
    monkeypatch.setattr(mmap_arrays, "IN_MEMORY_BYTES", 1 << 10)
    monkeypatch.setattr(mmap_arrays, "free_memory", lambda: free)
    with memory_for(library, "KQvK", "verifying KQvK", None):
        assert [limit.memory for limit in mmap_arrays._limits] == [6 * mmap_arrays.MIN_MEMORY]
    with memory_for(library, "KQvK", "verifying KQvK", 2 * mmap_arrays.MIN_MEMORY):
        assert [limit.memory for limit in mmap_arrays._limits] == [2 * mmap_arrays.MIN_MEMORY]
    assert not mmap_arrays._limits
    free = mmap_arrays.MIN_MEMORY // 2
    with pytest.raises(EndgameError, match=r"^verifying KQvK needs about .* is free;"):
        memory_for(library, "KQvK", "verifying KQvK", None).__enter__()
    with memory_for(library, "KQvK", "verifying KQvK", None, follows_moves=False):
        pass

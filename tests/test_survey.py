"""Statistics of an ending: its moves are those of python-chess, its zugzwangs those of independent tables."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import chess
import chess.syzygy
import numpy as np
import pytest
from click.testing import CliRunner
from numpy.typing import NDArray

from endgame_core.chess import arrays, index
from endgame_core.chess.game import CHESS, CHESS_DTZ
from endgame_core.cli.main import main
from endgame_core.errors import BuildCancelledError, NotBuiltError
from endgame_core.game import DigitFilter, SolveProgress, position_code
from endgame_core.morris.game import MORRIS
from endgame_core.morris.rules import MorrisMove, Position
from endgame_core.tables import mmap_arrays, survey
from endgame_core.tables.build import Build, memory_error
from endgame_core.tables.explorer import Explorer
from endgame_core.tables.library import Library
from endgame_core.tables.survey import EndingProfile
from endgame_core.values import CODES_OF_BYTES, DRAW, Category, code_before, opposite_side, result_bits
from endgame_core.words import about as words

from .conftest import SHARED, fast

pytestmark = pytest.mark.usefixtures("looking")

CAPTURE, QUEEN, CHECK, KING_MOVE, RETREAT, QUIET = 1, 2, 32, 64, 128, 256
FOUR = [
    "KQvK", "KPvK", "KNNvK", "KPPvK", "KBPvK", "KQvKR", "KRvKN", "KPvKP", "KRvKP", "KBvKP", "KNvKN", "KRPvK",
]  # fmt: skip
SAMPLED = ["KNNvKP", "KRPvKR", "KQQvKQ", "KBPvKB", "KQPvKQ", "KRRvKN"]


class Tables:
    """Codes and kept slots as the building process has them."""

    def __init__(self, library: Library) -> None:
        self.library = library
        self._known: dict[tuple[str, int], Any] = {}

    def kept(self, ending: str, side: int) -> NDArray[np.uint64]:
        return CHESS.solver.canonical_bits(ending, side, 2)

    def codes(self, ending: str, side: int, wanted: DigitFilter = ()) -> NDArray[np.uint8]:
        if (ending, side) not in self._known:
            self._known[ending, side] = self.library.read_side(ending, side, 2, wanted)
        return self._known[ending, side]

    def slots(self, ending: str, side: int) -> NDArray[np.int64]:
        bits = np.unpackbits(self.kept(ending, side).astype("<u8").view(np.uint8), bitorder="little")
        return np.flatnonzero(bits)

    def moves(self, ending: str, side: int) -> Any:
        from endgame_core.chess.solver.examine import EndingMoves

        return EndingMoves(ending, side, self.codes)


def _kinds(board: chess.Board, move: chess.Move) -> int:
    """By python-chess alone, as the kernel's words define them."""
    king = board.king(not board.turn)
    assert king is not None
    kinds = CAPTURE if board.is_capture(move) else 0
    if move.promotion:
        kinds |= QUEEN << (chess.QUEEN - move.promotion)
    if board.gives_check(move):
        kinds |= CHECK
    kinds = kinds or QUIET
    if board.kings & chess.BB_SQUARES[move.from_square]:
        kinds |= KING_MOVE
    farther = chess.square_distance(move.to_square, king) > chess.square_distance(move.from_square, king)
    return kinds | (RETREAT if farther and not kinds & CAPTURE else 0)


def _saves_by_stalemate(board: chess.Board, move: chess.Move) -> bool:
    after = CHESS.play(board, move)
    after.ep_square = None
    return after.is_stalemate() or any(
        CHESS.play(after, take).is_stalemate() for take in after.generate_legal_captures()
    )


def described(board: chess.Board, code: int, worth: Callable[[chess.Board], int]) -> list[int]:
    """What the kernel tells of a position, one move after the other."""
    legal, keeping, best = 0, list[chess.Move](), list[chess.Move]()
    for move in board.legal_moves:
        value = code_before(worth(CHESS.play(board, move)))
        legal += 1
        if np.sign(value - DRAW) == np.sign(code - DRAW):
            keeping.append(move)
            if value == code:
                best.append(move)
    kinds = [0, 0]
    for at, moves in enumerate((keeping, best)):
        for move in moves:
            kinds[at] |= _kinds(board, move)
    trick = len(keeping) == 1 and _saves_by_stalemate(board, keeping[0])
    return [legal, len(keeping), len(best), *kinds, int(bool(CHESS.free_captures(board))), int(trick)]


def _compare(library: Library, ending: str, samples: int, pushes: bool = False) -> None:
    """With ``pushes`` among the positions in which a double push can be answered en passant."""
    tables, rng = Tables(library), Random(ending)
    for side in (0, 1):
        slots = tables.slots(ending, side)
        if pushes:
            beside = [at for at, men in enumerate(index.placements(*index.pawns_of(ending))) if _may_pass(men, side)]
            slots = slots[np.isin(slots >> 12, beside)]
        slots = slots[rng.sample(range(len(slots)), min(samples, len(slots)))]
        found = tables.moves(ending, side).describe(slots, tables.kept(ending, 1 - side))
        for slot, told in zip(slots.tolist(), found.tolist(), strict=True):
            board = CHESS.index.position_at(ending, side, slot)
            code = position_code(CHESS, board, lambda where: library.table(where.ending).code(where.side, where.index))
            expected = described(board, code, library.code)
            if code < DRAW:  # the trick is told of draws
                expected[6] = told[6]
            assert told == expected, board.fen()


def _may_pass(pawns: tuple[int, ...], side: int) -> bool:
    """Whether a pawn of a side, of one each, could pass the other by a double push."""
    own, other = pawns if side == 0 else (pawns[1] ^ 56, pawns[0] ^ 56)
    return own >> 3 == 1 and other >> 3 == 3 and abs((own & 7) - (other & 7)) == 1


@pytest.mark.slow
def test_the_value_of_a_double_push_includes_en_passant(library: Library) -> None:
    _compare(library, "KPvKP", 400, pushes=True)


@pytest.mark.parametrize("ending", fast(FOUR, 6))
def test_moves_are_those_of_python_chess(library: Library, ending: str) -> None:
    _compare(library, ending, 60)


@pytest.mark.exhaustive
@pytest.mark.parametrize("ending", SAMPLED)
def test_moves_of_five_men_are_those_of_python_chess(five: Any, ending: str) -> None:
    _compare(five(CHESS, [ending]), ending, 400)


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "ending",
    ["KPvK", "KNNvK", *(pytest.param(name, marks=pytest.mark.exhaustive) for name in ("KRvKN", "KPvKP", "KRPvK"))],
)
def test_a_survey_counts_positions_by_their_moves(library: Library, ending: str) -> None:
    """The survey finds in words of 64 positions what is known of each one by itself."""
    tables = Tables(library)
    for side in (0, 1):
        moves, slots = tables.moves(ending, side), tables.slots(ending, side)
        then = tables.kept(ending, 1 - side)
        legal, keeping, _, kinds, _, loose, trick = moves.describe(slots, then).T
        codes = tables.codes(ending, side)[slots]
        boards = arrays.copies(ending, side, 0, CHESS.index.slots(ending))[slots]
        won, drawn = codes > 128, codes == 128
        hanging = [int(boards[(loose > 0) & which].sum()) for which in (won, drawn, codes < 128)]
        single = (keeping == 1) & (legal > 1)
        expected = {
            "win": single & won, "draw": single & drawn, "retreat": single & won & (kinds & RETREAT > 0),
            "quiet": single & won & (kinds & QUIET > 0), "stalemate": single & drawn & (trick > 0),
        }  # fmt: skip
        tally = _tally(tables, ending, side)
        assert tally.hanging == hanging
        told = {one.kind: one for one in tally.kinds(side)}
        for kind, mask in expected.items():
            assert (told[kind].count if kind in told else 0) == int(mask.sum()), kind
            if mask.any():
                depths = np.where(mask & won, 2 * (255 - codes.astype(int)) + 1, np.where(mask, 0, -1))
                assert (told[kind].depth, told[kind].slot) == (int(depths.max()), int(slots[depths.argmax()]))


@pytest.mark.slow
def test_only_an_underpromotion_wins_where_python_chess_says_so(library: Library) -> None:
    made = _made(library, "KPvK")
    (under,) = [one for one in made.kinds if one.kind == "underpromotion"]
    expected = 0
    seventh = [at for at, (pawn,) in enumerate(index.placements(1, 0)) if pawn >> 3 == 6]
    for slot in Tables(library).slots("KPvK", 0).tolist():
        if slot >> 12 not in seventh or library.table("KPvK").code(0, slot) <= DRAW:
            continue
        board = CHESS.index.position_at("KPvK", 0, slot)
        wins = [move for move in board.legal_moves if library.code(CHESS.play(board, move)) < DRAW]
        expected += all(move.promotion not in (None, chess.QUEEN) for move in wins)
    assert (under.side, under.count) == (0, expected)


def _tally(tables: Tables, ending: str, side: int) -> Any:
    """What is counted of one side to move."""
    from endgame_core.chess.solver.examine import EndingMoves, Side

    there = Side(ending, 1 - side, tables.codes, 2).results()

    def known(name: str, mover: int, wanted: DigitFilter = ()) -> Any:
        return there if name == ending else tables.codes(name, mover, wanted)

    kept = tables.kept(ending, side)
    return EndingMoves(ending, side, known).survey(
        tables.codes(ending, side), kept, range(len(kept)), 2, lambda _: None
    )


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "ending", ["KPvK", *(pytest.param(name, marks=pytest.mark.slow) for name in ("KRvKN", "KPvKP"))]
)
def test_a_survey_block_by_block_equals_that_of_the_whole(
    library: Library, ending: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As endings of six men are looked at: in parts with pawns, in blocks that have a few digits of an axis."""
    from endgame_core.chess.solver import examine

    whole, asked = _made(library, ending), list[SolveProgress]()
    monkeypatch.setattr(examine, "BLOCK", index.slots(ending) // index.axes(ending)[0] // 3)
    monkeypatch.setattr(examine, "PART", index.slots(ending) // 5)
    monkeypatch.setattr(mmap_arrays, "IN_MEMORY_BYTES", 1 << 16)
    assert len(list(examine.blocks_of(ending))) > 2 * index.axes(ending)[0]
    assert survey.make(library, ending, 2, asked.append) == whole
    parts = [told.part for told in asked if told.phase == "examining moves"]
    assert parts == sorted(parts) and len(set(parts)) > 100, "progress never goes back"
    monkeypatch.setattr(examine, "BLOCK", 3 * index.slots(ending) // index.axes(ending)[0])
    assert survey.make(library, ending, 2, lambda _: None) == whole


def test_blocks_contain_the_requested_slots_and_few_others() -> None:
    from endgame_core.chess.solver import examine

    for ending, wanted in (
        ("KBBvKNN", ()),
        ("KBPvKNN", [[3, 4, 9], [5, 6, 60], *map(range, index.axes("KBPvKNN")[2:])]),
    ):
        lengths, found = index.axes(ending), list(examine.blocks_of(ending, wanted))
        outer, inner = (wanted[0], wanted[1]) if wanted else (range(lengths[0]), range(lengths[1]))
        each = index.slots(ending) // lengths[0]
        part = each // lengths[1]
        firsts = {digit * each + second * part for digit in outer for second in inner}
        held = [first for block in found for first in firsts if first in block.slots]
        assert sorted(held) == sorted(firsts) and all(len(block.slots) <= examine.BLOCK for block in found)
        assert [block.slots.start for block in found] == sorted(block.slots.start for block in found)


def test_bytes_and_codes_give_the_same_results() -> None:
    rng = np.random.default_rng(3)
    stored = rng.choice(np.array([0, 1, 127, 128, 129, 255], np.uint8), 640)
    kept = rng.integers(0, 1 << 63, 10, np.uint64)
    found = result_bits(stored, kept)
    assert np.array_equal(found, result_bits(np.array(CODES_OF_BYTES, np.uint16)[stored], kept))
    bits = np.unpackbits(kept.view(np.uint8), bitorder="little").astype(bool)
    for column, mask in enumerate((stored <= 128, stored >= 128)):
        told = np.unpackbits(np.ascontiguousarray(found[:, column]).view(np.uint8), bitorder="little")
        assert np.array_equal(told.astype(bool), mask & bits)


@pytest.mark.slow
def test_an_examination_of_moves_refuses_too_little_memory(shelf: Library) -> None:
    survey.file_of(shelf, "KPvK").unlink(missing_ok=True)
    for words_ in (["about", "KPvK"], ["build", "KPvK", "--about"]):
        found = _run(shelf.root, *words_, "--memory", "100M")
        assert found.exit_code == 1 and not found.stdout
        refusal = str(memory_error(shelf, "KPvK", 100_000_000, is_survey=True))
        assert refusal == found.stderr.splitlines()[-1].removeprefix("endgame-tui: ")
    assert not survey.file_of(shelf, "KPvK").exists()


def test_the_memory_estimate_for_examining_moves_is_close() -> None:
    """Less than the codes of one side take, from which moves of six men were looked up before; all in bytes."""
    figures = {ending: CHESS.solver.survey_memory(ending, True) for ending in CHESS.endings()}
    assert all(figures[ending] < 1_500_000_000 for ending in figures if len(ending) <= 6)
    assert figures["KBBvKNN"] < figures["KQRvKBN"] < index.slots("KQRvKBN") // 2, "the bishops stand in order"
    assert figures["KRBvKNN"] - CHESS.solver.survey_memory("KRBvKNN", False) == 1 << 28
    assert max(figures.values()) < 16_000_000_000


def _made(library: Library, ending: str) -> survey.Survey:
    return survey.make(library, ending, 2, lambda _: None)


# Zugzwangs


def test_pawn_against_king_has_eighty_zugzwangs(library: Library) -> None:
    """A published number: G. McC. Haworth, Reciprocal Zugzwang (mutual zugzwangs of KPK)."""
    found = _made(library, "KPvK").zugzwangs
    assert {kind: len(slots) for kind, slots in found.items()} == {"white": 80, "black": 0, "full_point": 0}


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["KQvKR", "KRvKB", "KRvKP", "KPvKP", "KNNvK"])
def test_zugzwangs_agree_with_syzygy(library: Library, ending: str) -> None:
    """Of some placements, all that may be zugzwangs and as many others."""
    path = SHARED / "truth" / "syzygy"
    if not path.is_dir():
        pytest.skip("the Syzygy files of the independent truth are not on this machine")
    listed = {slot: kind for kind, slots in _made(library, ending).zugzwangs.items() for slot in slots}
    kinds = {(0, -1): "white", (-1, 0): "black", (-1, -1): "full_point"}
    tables, rng = Tables(library), Random(3)
    legal = sorted(set(tables.slots(ending, 0).tolist()) & set(tables.slots(ending, 1).tolist()))
    with chess.syzygy.open_tablebase(str(path)) as syzygy:
        for slot in {*rng.sample(legal, 150), *rng.sample(sorted(listed), min(50, len(listed)))}:
            boards = [CHESS.index.position_at(ending, side, slot) for side in (0, 1)]
            wdl = [int(np.sign(syzygy.probe_wdl(board))) for board in boards]
            kind = kinds.get((wdl[0], wdl[1]))
            if ending == "KPvKP" and kind != "white":  # copies of those told under white, or with colours exchanged
                assert slot not in listed or listed[slot] == kind
            else:
                assert listed.get(slot) == kind, boards[0].fen()


@pytest.mark.slow
@pytest.mark.parametrize("ending", fast(["KPvK", "KPvKP", "KQvKR", "KNvKN", "KBvKN"], 2))
def test_zugzwangs_are_counted_alike_from_both_sides(library: Library, ending: str) -> None:
    """By numpy from the frames of the table, each arrangement known by its smallest copy of all symmetries."""
    table = library.table(ending)
    codes = [table.all_stored(side, 255) for side in (0, 1)]
    kept = [arrays.copies(ending, side, 0, CHESS.index.slots(ending)) > 0 for side in (0, 1)]
    results = [np.sign(side.astype(int) - 128) for side in codes]
    seen: dict[str, set[str]] = {"white": set(), "black": set(), "full_point": set()}
    every: dict[str, set[str]] = {kind: set() for kind in seen}
    for kind, wanted in (("white", (0, -1)), ("black", (-1, 0)), ("full_point", (-1, -1))):
        mask = (results[0] == wanted[0]) & (results[1] == wanted[1]) & kept[0] & kept[1]
        for slot in np.flatnonzero(mask).tolist():
            board = CHESS.index.position_at(ending, 0, slot)
            copies = [copy.board_fen() for copy in CHESS.copies_of(board)]
            every[kind].add(min(copies))
            white, black = ending.split("v")
            if white == black:
                copies += [copy.board_fen() for copy in CHESS.copies_of(board.mirror())]
                seen["white" if kind == "black" else kind].add(min(copies))
            else:
                seen[kind].add(min(copies))
    about = EndingProfile(library, ending)
    about.survey = _made(library, ending)
    stored = about.survey.zugzwangs
    assert {kind: len(slots) for kind, slots in stored.items()} == {kind: len(seen[kind]) for kind in seen}
    assert words.document(about)["zugzwangs"] == {kind: len(every[kind]) for kind in every}


@pytest.mark.exhaustive
def test_rook_and_pawn_against_rook_has_209_zugzwangs(five: Any) -> None:
    """A published number: J. Nunn, Secrets of Rook Endings."""
    found = _made(five(CHESS, ["KRPvKR"]), "KRPvKR").zugzwangs
    assert {kind: len(slots) for kind, slots in found.items()} == {"white": 209, "black": 0, "full_point": 0}


_COUNTED = json.loads((Path(__file__).parent / "data" / "about.json").read_text())
"""Counted by a program of its own: its own rules of chess, over all placements, the values alone from our tables.

Zugzwangs of equal sides are counted as files store them: a position and its copy with the colours exchanged once.
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "ending", [e if e in ("KPvK", "KQvKR", "KPvKP") else pytest.param(e, marks=pytest.mark.slow) for e in _COUNTED]
)
def test_counts_equal_an_independent_count(shelf: Library, library: Library, ending: str) -> None:
    for name in (ending, *CHESS.needs(ending)):
        shelf.path(name).write_bytes(library.table(name).path.read_bytes())
    stored = {kind: len(slots) for kind, slots in _made(shelf, ending).zugzwangs.items()}
    told = words.document(EndingProfile(shelf, ending))
    depths = {
        kind: {side: {"count": one["count"], "depth": one["depth"] or 0} for side, one in sides.items()}
        for kind, sides in told["positions"].items()
    }
    assert _COUNTED[ending] == {"results": told["results"], "zugzwangs": stored, "positions": depths}


# En passant


@pytest.mark.exhaustive
def test_positions_with_only_en_passant_are_all_counted(library: Library) -> None:
    """Every position of KPvKP in which a pawn has just gone two squares beside another, by the rules alone."""
    expected: Counter[int] = Counter()
    for side in (0, 1):
        for file in range(8):
            for beside in {file - 1, file + 1} & set(range(8)):
                expected[side] += _only_en_passant(library, side, file, beside)
    about = {one.side: one for one in _made(library, "KPvKP").kinds if one.kind == "en_passant"}
    assert {side: 2 * one.count for side, one in about.items()} == dict(expected)  # each with its mirror copy
    for one in about.values():
        board = EndingProfile(library, "KPvKP").deepest(one)
        assert board.is_valid() and board.has_legal_en_passant()
        assert abs(_depth(library, board)) == one.depth


def _depth(library: Library, board: chess.Board) -> int:
    return CHESS.index.value(library.code(board))[1] or 0


def _only_en_passant(library: Library, side: int, file: int, beside: int) -> int:
    """How many positions there are with such pawns in which nothing but en passant keeps the result."""
    mover = side == 0
    rank, target, origin = (4, 5, 6) if mover else (3, 2, 1)
    found = 0
    rng = range(64)
    base = chess.BaseBoard.empty()
    base.set_piece_at(chess.square(file, rank), chess.Piece(chess.PAWN, not mover))
    base.set_piece_at(chess.square(beside, rank), chess.Piece(chess.PAWN, mover))
    closed = base.occupied | chess.BB_SQUARES[chess.square(file, target)] | chess.BB_SQUARES[chess.square(file, origin)]
    for white in rng:
        for black in rng:
            if chess.square_distance(white, black) < 2 or closed & (chess.BB_SQUARES[white] | chess.BB_SQUARES[black]):
                continue
            board = chess.Board(None)
            board.set_board_fen(base.board_fen())
            board.set_piece_at(white, chess.Piece(chess.KING, chess.WHITE))
            board.set_piece_at(black, chess.Piece(chess.KING, chess.BLACK))
            board.turn = mover
            board.ep_square = chess.square(file, target)
            if board.was_into_check() or not any(board.generate_legal_ep()):
                continue
            earlier = board.copy(stack=False)
            earlier.ep_square, earlier.turn = None, not mover
            man = earlier.remove_piece_at(chess.square(file, rank))
            earlier.set_piece_at(chess.square(file, origin), man)
            if earlier.was_into_check():
                continue
            plain = board.copy(stack=False)
            plain.ep_square = None
            if not any(plain.legal_moves):
                continue
            with_right, without = (np.sign(library.code(one) - DRAW) for one in (board, plain))
            found += bool(with_right > without)
    return found


# What is kept and told


@pytest.mark.slow
def test_results_and_depths_are_those_of_the_layers(library: Library, explorer: Explorer[Any, Any]) -> None:
    about = EndingProfile(library, "KQvKR")
    layers = explorer.layers("KQvKR")
    for side in ("white", "black"):
        found = about.results[side]
        assert found["draw"] == layers.draws[side].boards
        won = sum(layer.boards for layer in layers.families[side])
        depths = about.depths[side]
        assert won == sum(depths.counts.values())
        plies = np.repeat(*np.array(sorted(depths.counts.items())).T)
        assert depths.mean == pytest.approx(plies.mean())
        assert depths.share(0.5) == int(np.quantile(plies, 0.5, method="inverted_cdf"))
        assert depths.share(0.9) == int(np.quantile(plies, 0.9, method="inverted_cdf"))
        assert depths.deepest == layers.deepest[side][0]
    deepest = [CHESS.format(board) for board in about.deepest_wins("white")]
    n = about.depths["white"].deepest
    assert deepest == [
        CHESS.format(explorer.nth("KQvKR", "white", n, number))
        for number in range(1, explorer.count("KQvKR", "white", n) + 1)
    ]


def test_a_cursed_share_needs_a_table_by_dtz(library: Library, dtz_library: Library) -> None:
    assert EndingProfile(library, "KBBvK").cursed is None
    late = EndingProfile(library, "KRvKN", dtz_library).cursed
    assert late is not None
    dtz = dtz_library.table("KRvKN")
    cursed = won = 0
    for side, wins in ((0, Category.CURSED_WIN), (1, Category.BLESSED_LOSS)):
        for code in dtz.used_codes(side):
            category, _ = CHESS_DTZ.index.value(code)
            won += dtz.boards(side, code) * (category in (wins, Category.WIN if side == 0 else Category.LOSS))
            cursed += dtz.boards(side, code) * (category is wins)
    assert late["white"] == cursed / won


@pytest.mark.slow
def test_a_survey_is_stored_and_made_again_when_the_table_changes(shelf: Library) -> None:
    assert survey.load(shelf, "KPvK") is None
    made = _made(shelf, "KPvK")
    assert survey.load(shelf, "KPvK") == made
    shelf.disk.compact("KPvK")
    assert survey.load(Library(CHESS, shelf.root), "KPvK") is None
    again = _made(Library(CHESS, shelf.root), "KPvK")
    assert (again.zugzwangs, again.kinds, again.hanging) == (made.zugzwangs, made.kinds, made.hanging)


@pytest.mark.parametrize("harm", ["torn", "flipped", "foreign", "empty", "another", "shape"])
def test_a_damaged_survey_file_is_not_used(shelf: Library, harm: str) -> None:
    _made(shelf, "KPvK")
    path = survey.file_of(shelf, "KPvK")
    data = path.read_bytes()
    if harm == "another":
        _made(shelf, "KQvK")
        data = survey.file_of(shelf, "KQvK").read_bytes()
    if harm == "shape":
        body = survey.zstd.compress(json.dumps({"table": list(shelf.table("KPvK").fingerprint)}).encode())
        data = survey.PREFIX.pack(survey.MAGIC, len(body), survey.zlib.crc32(body)) + body
    harmed = {
        "torn": data[:-3], "flipped": data[:40] + bytes([data[40] ^ 1]) + data[41:], "foreign": b"x" * 100,
        "empty": b"", "another": data, "shape": data,
    }  # fmt: skip
    path.write_bytes(harmed[harm])
    assert survey.load(shelf, "KPvK") is None
    assert EndingProfile(shelf, "KPvK").steady is None


def test_a_survey_is_deleted_with_its_table(shelf: Library) -> None:
    _made(shelf, "KPvK")
    shelf.disk.remove("KPvK")
    assert not survey.file_of(shelf, "KPvK").exists()


@pytest.mark.slow
def test_a_build_examines_moves_once(shelf: Library) -> None:
    def told() -> list[str]:
        return [event.event for event in Build(shelf, ["KPvK"], with_surveys=True).events()]

    events = told()
    assert events[-2:] == ["about", "finished"] and "done" not in events
    assert "about" not in told()
    assert not list(shelf.directory.glob(".*"))


@pytest.mark.slow
def test_an_examination_of_moves_can_be_cancelled(shelf: Library) -> None:
    build = Build(shelf, ["KPvK"], with_surveys=True)
    with pytest.raises(BuildCancelledError):
        for event in build.events():
            if event.event == "phase":
                build.cancel()
    assert survey.load(shelf, "KPvK") is None and not list(shelf.directory.glob(".*"))


# The command


def _run(root: Path, *words: str) -> Any:
    return CliRunner().invoke(main, ["--data-dir", str(root), *words])


@pytest.mark.slow
def test_about_prints_json(shelf: Library) -> None:
    found = _run(shelf.root, "about", "kpk", "--json")
    assert found.exit_code == 0, found.output
    told = json.loads(found.stdout)
    results = EndingProfile(shelf, "KPvK").results
    assert told["ending"] == "KPvK"
    assert {side: told["results"][side] for side in ("white", "black")} == results
    steady = told["results"]["without_hanging_men"]
    assert steady["black"]["draw"] < results["black"]["draw"] and steady["black"]["loss"] == results["black"]["loss"]
    assert told["zugzwangs"] == {"white": 80, "black": 0, "full_point": 0}
    assert told["depths"]["black"] is None and told["depths"]["white"]["max"] == 56
    assert {"mean", "median", "p90", "max"} <= told["depths"]["white"].keys()
    assert told["longest"][0]["positions"]
    assert told["positions"]["underpromotion"]["white"]["count"] == 3


@pytest.mark.slow
def test_about_lists_every_zugzwang(shelf: Library) -> None:
    lines = _run(shelf.root, "about", "KPvK", "--zugzwangs").stdout.splitlines()
    assert len(lines) == len(set(lines)) == 80
    for line in lines:
        board = chess.Board(line)
        assert board.turn == chess.BLACK and shelf.code(board) < DRAW
        turned = CHESS.with_side_switched(board)
        assert turned is not None and shelf.code(turned) == DRAW
    epd = _run(shelf.root, "about", "KPvK", "--zugzwangs", "--format", "epd").stdout.splitlines()
    assert chess.Board.from_epd(epd[0])[1]["id"] == "KPvK white"
    none = _run(shelf.root, "about", "KNvK", "--zugzwangs")
    assert (none.exit_code, none.stdout) == (0, "") and "KNvK has no mutual zugzwang" in none.stderr


@pytest.mark.slow
def test_zugzwangs_exported_as_epd_are_drilled_from_the_winning_side(shelf: Library) -> None:
    lines = _run(shelf.root, "about", "KPvK", "--zugzwangs", "--format", "epd").stdout
    (shelf.root / "z.epd").write_text(lines)
    assert _run(shelf.root, "studies", "import", str(shelf.root / "z.epd"), "--set", "zug").exit_code == 0
    found = json.loads(_run(shelf.root, "studies", "show", "zug", "--json").stdout)
    studies = found["studies"] if isinstance(found, dict) else found
    assert len(studies) == 80 and {one["side"] for one in studies} == {"white"}


def test_a_build_by_dtz_examines_no_moves(shelf: Library) -> None:
    found = _run(shelf.root, "build", "KPvK", "--metric", "dtz", "--about")
    assert found.exit_code == 2 and "--about requires tables by DTM" in found.stderr
    assert not survey.file_of(shelf, "KPvK").exists()


@pytest.mark.slow
def test_the_text_of_about_fits_80_columns(shelf: Library) -> None:
    found = _run(shelf.root, "--ascii", "about", "KPvK")
    assert all(len(line) <= 80 for line in found.stdout.splitlines())
    assert found.stdout.isascii()
    for told in ("all placements", "no piece hangs", "80  White wins if Black is to move", "only a quiet move wins"):
        assert told in found.stdout


def _check_zugzwangs_of_equal_sides(about: EndingProfile) -> dict[str, int]:
    """White and Black have as many, and what is listed is as many as is counted: no position twice, all copies."""
    game = about.game
    counts = words.document(about)["zugzwangs"]
    assert counts["white"] == counts["black"]
    listed: dict[str, set[str]] = {}
    for kind, count in counts.items():
        shown = about.zugzwangs(kind)
        listed[kind] = {game.format(one.position) for one in shown}
        assert len(shown) == len(listed[kind]) == count
        for one in shown:
            loser = game.mover(one.position)
            assert one.learner == opposite_side(loser) and kind in (one.learner, "full_point")
            verdicts = [
                Explorer(game, about.library).probe(at) for at in (one.position, game.with_side_switched(one.position))
            ]
            assert verdicts[0].winner == one.learner
            assert verdicts[1].winner == (loser if kind == "full_point" else None)
    swapped = {_slot_text(about, game.with_colours_swapped(one.position)) for one in about.zugzwangs("white")}
    assert swapped == {_slot_text(about, one.position) for one in about.zugzwangs("black")}
    turned = [game.with_side_switched(game.with_colours_swapped(one.position)) for one in about.zugzwangs("full_point")]
    assert {_slot_text(about, at) for at in turned} == {
        _slot_text(about, one.position) for one in about.zugzwangs("full_point")
    }
    for what, number in words.zugzwangs(about):
        assert f"{number:,}".replace(",", " ") in " ".join(words.report(about, " #"))
        assert f"Mutual zugzwang, {what}: {number}." in words.in_sentences(about)
    return counts


def _slot_text(about: EndingProfile, position: Any) -> str:
    """A position as the table has it, one for all symmetric copies."""
    slot = about.game.index.slot_of(position)
    return about.game.format(about.game.index.position_at(about.ending, slot.side, slot.index))


@pytest.mark.slow
@pytest.mark.parametrize("ending", fast(["KPvKP", "KQvKQ", "KRvKR", "KBvKB", "KNvKN"]))
def test_equal_sides_have_as_many_zugzwangs(library: Library, ending: str) -> None:
    about = EndingProfile(library, ending)
    about.survey = _made(library, ending)
    counts = _check_zugzwangs_of_equal_sides(about)
    if ending == "KPvKP":
        assert counts == {"white": 106, "black": 106, "full_point": 30}
    document = words.document(about)
    assert document["results"]["white"] == document["results"]["black"]
    assert document["depths"]["white"] == document["depths"]["black"]
    for both in document["positions"].values():
        assert both["white"]["count"] == both["black"]["count"]


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["3-3", "4-4"])
def test_equal_stones_have_as_many_zugzwangs(morris: Explorer[Position, MorrisMove], ending: str) -> None:
    about = EndingProfile(morris.library, ending)
    about.survey = _made(morris.library, ending)
    _check_zugzwangs_of_equal_sides(about)


@pytest.mark.slow
def test_a_query_finds_the_counted_zugzwangs(library: Library) -> None:
    """A query lists a zugzwang of both sides with either of them to move."""
    about = EndingProfile(library, "KPvKP")
    about.survey = _made(library, "KPvKP")
    white, black, full = (len(about.zugzwangs(kind)) for kind in survey.ZUGZWANGS)
    counted = {
        "zugzwang and white wins and black to move": white + full,
        "zugzwang and black wins and white to move": black + full,
        "zugzwang": 2 * (white + black + full),
    }
    assert {text: _run(library.root, "find", "KPvKP", text, "--count").stdout.strip() for text in counted} == {
        text: str(number) for text, number in counted.items()
    }


def test_shares_of_a_row_add_up(library: Library) -> None:
    for ending in ("KQvKR", "KPvK", "KNvKN"):
        for _, by_side in words.results(EndingProfile(library, ending)):
            for _, shares in by_side:
                told = [float(share.strip("<> %")) for share in shares]
                assert abs(sum(told) - 100) < 0.11 * len(told), shares


def test_about_prints_the_number_of_longest_wins(library: Library) -> None:
    for ending in ("KQvKR", "KPvKP", "KNvKN"):
        about = EndingProfile(library, ending)
        lines = words.report(about, " #")
        for side in about.depths:
            found = [*about.deepest_wins(side)]
            assert len(about.deepest_wins(side)) == len({CHESS.format(one) for one in found})
            more = f"   and {len(found) - 1} more" if len(found) > 1 else ""
            assert f"  {CHESS.format(found[0])}{more}" in lines


def test_about_requires_a_table(tmp_path: Path) -> None:
    with pytest.raises(NotBuiltError):
        EndingProfile(Library(CHESS, tmp_path), "KQvKR")
    found = _run(tmp_path, "about", "KQvKR")
    assert found.exit_code == 1 and "endgame-tui build KQvKR" in found.stderr


# Stones


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["3-3", "4-3", "4-4"])
def test_zugzwangs_of_morris_are_all_listed(morris: Explorer[Position, MorrisMove], ending: str) -> None:
    """Drawn at random among all placements: each is one of those listed, or none."""
    listed = set[int]()
    found = _made(morris.library, ending)
    for slots in found.zugzwangs.values():
        listed |= set(slots)
    rng, index = Random(1), MORRIS.index
    table = morris.library.table(ending)
    checked = 0
    for _ in range(400):
        _, slot = table.nth(rng.randrange(table.positions))
        position = index.position_at(ending, 0, slot)
        turned = MORRIS.with_side_switched(position)
        assert turned is not None
        lost = [morris.probe(one).category for one in (position, turned)]
        is_one = Category.LOSS in lost and Category.WIN not in lost
        if ending in ("3-3", "4-4"):
            swapped = MORRIS.with_side_switched(MORRIS.with_colours_swapped(position))
            assert swapped is not None
            assert ({slot, index.slot_of(swapped).index} & listed != set()) == is_one
        else:
            assert (slot in listed) == is_one
        checked += is_one
    assert not found.kinds and not found.hanging


def test_with_equal_stones_both_sides_have_the_same_results(morris: Explorer[Position, MorrisMove]) -> None:
    found = EndingProfile(morris.library, "4-4").results
    assert found["white"] == found["black"] and sum(found["white"].values()) > 0


@pytest.mark.slow
@pytest.mark.parametrize("ending", fast(["4-3", "3-3", "4-4"]))
def test_the_longest_wins_of_stones_are_printed_for_both_sides(
    morris: Explorer[Position, MorrisMove], ending: str
) -> None:
    """The table of equal stones has one side to move only."""
    about = EndingProfile(morris.library, ending)
    numbers: list[int] = []
    for winner, depths in about.depths.items():
        found = [*about.deepest_wins(winner)]
        numbers.append(len(found))
        for position in found[:: len(found) // 20 + 1]:
            verdict = morris.probe(position)
            assert (verdict.winner, verdict.depth) == (winner, depths.deepest)
    assert all(numbers) and (ending == "4-3" or numbers[0] == numbers[1])
    told = _run(morris.library.root, "about", ending)
    assert told.exit_code == 0 and f", deepest {about.depths['white'].deepest}:" in told.stdout
    assert "longest" not in told.stdout, "that is the longest win, the winner to move, in tables"

"""DTM tables against independent truth: Gaviota and Syzygy files, published counts, python-chess alone."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import chess
import chess.gaviota
import chess.syzygy
import pytest

from endgame_core.chess.game import CHESS
from endgame_core.tables.explorer import Explorer
from endgame_core.tables.library import Library
from endgame_core.values import CODES_OF_BYTES, DRAW, code_before, value_of

from .conftest import SHARED, Five, fast

Boards = Callable[[str], chess.Board]
Chess = Explorer[chess.Board, chess.Move]

SYZYGY = [
    "KQvK", "KRvK", "KBvK", "KNvK", "KBBvK", "KBNvK", "KNNvK", "KQvKQ", "KQvKR", "KRvKB", "KPvK",
    "KPPvK", "KPvKP", "KRPvK", "KRvKP",
]  # fmt: skip
DTM = SHARED / "truth" / "gaviota" / "dtm-4-men.epd"
DTM_LINES = [line for line in DTM.read_text().splitlines() if " dm " in line] if DTM.is_file() else ["absent"]

# Longest wins in moves, winner to move: ../shared/truth/README.md.
LONGEST = {
    "KQvK": 10, "KRvK": 16, "KBNvK": 33, "KBBvK": 19, "KQvKR": 35, "KRvKN": 40, "KRvKB": 29,
    "KQvKN": 21, "KQvKQ": 13, "KBvK": None, "KNvK": None, "KPvK": 28, "KPvKP": 33, "KRvKP": 43,
}  # fmt: skip
LONGEST_OF_EACH = [
    ("KPvK", "white", 28), ("KPvKP", "white", 33), ("KPvKP", "black", 33), ("KRvKP", "white", 26),
    ("KRvKP", "black", 43),
]  # fmt: skip
LONGEST_FIVE = {"KRRvKR": 31, "KQRvKQ": 67, "KRBvKR": 65, "KBBvKN": 78, "KRPvKR": 74, "KQPvKQ": 124}


@pytest.mark.parametrize("ending", ["KQvK", "KRvK", "KPvK"])
def test_layer_sizes_equal_those_of_gaviota(ending: str, explorer: Chess, truth: Path) -> None:
    path = truth / "gaviota" / f"{ending.replace('v', '').lower()}_dtm_counts.json"
    given: dict[str, dict[str, int]] = json.loads(path.read_text())
    expected = {**given["white_to_move"], **given["black_to_move"]}
    del expected["draw"]
    found = explorer.layers(ending)
    assert {str(c.n): c.boards for c in found.families["white"] if c.boards} == expected
    assert [found.draws["white"].boards, found.draws["black"].boards] == [
        given["white_to_move"]["draw"],
        given["black_to_move"]["draw"],
    ]
    assert list(found.families) == ["white"]


@pytest.mark.parametrize("ending", fast(["KPvK", "KQvK", "KRvK", "KBvK", "KNvK"]))
def test_every_value_equals_gaviota(ending: str, library: Library, truth: Path) -> None:
    table = library.table(ending)
    seen = 0
    with chess.gaviota.PythonTablebase() as gaviota:
        gaviota.add_directory(str(truth / "gaviota"))
        frames = [(side, frame) for side, tiling in enumerate(table.tilings) for frame in range(tiling.frame_count)]
        for side, frame in frames:
            for code in map(CODES_OF_BYTES.__getitem__, set(table.unpacked_frame(side, frame)[0].tolist())):
                category, depth = value_of(code)
                for slot in table.select(side, frame, code):
                    board = CHESS.index.position_at(ending, side, slot)
                    dtm = gaviota.probe_dtm(board)
                    seen += 1
                    if depth == 0:
                        assert board.is_checkmate()
                    elif depth is None:
                        assert dtm == 0 and not board.is_checkmate()
                    else:
                        assert dtm == (depth if category.value == "win" else -depth), board.fen()
    assert seen == table.positions


def _compare_wdl(library: Library, truth: Path, boards: list[chess.Board]) -> None:
    with chess.syzygy.open_tablebase(str(truth / "syzygy")) as syzygy:
        for board in boards:
            code, wdl = library.code(board), syzygy.probe_wdl(board)
            assert (code > DRAW) - (code < DRAW) == (wdl > 0) - (wdl < 0), board.fen()


@pytest.mark.parametrize("ending", fast(SYZYGY, 6))
def test_win_draw_loss_equals_syzygy_files(ending: str, library: Library, truth: Path, random_board: Boards) -> None:
    _compare_wdl(library, truth, [random_board(ending) for _ in range(2_000)])


@pytest.mark.exhaustive
@pytest.mark.parametrize("ending", SYZYGY)
def test_wdl_equals_syzygy_on_many(ending: str, library: Library, truth: Path, random_board: Boards) -> None:
    _compare_wdl(library, truth, [random_board(ending) for _ in range(20_000)])


@pytest.mark.parametrize(("ending", "moves"), LONGEST.items())
def test_longest_wins_are_the_published_ones(ending: str, moves: int | None, library: Library) -> None:
    assert library.entry(ending).longest == moves


@pytest.mark.parametrize(("ending", "winner", "moves"), LONGEST_OF_EACH)
def test_the_longest_win_of_each_side_is_the_published_one(
    ending: str, winner: str, moves: int, explorer: Chess
) -> None:
    family = explorer.layers(ending).families[winner]
    assert max(layer.n for layer in family if layer.n % 2 and layer.canonical) == 2 * moves - 1


@pytest.mark.parametrize("line", DTM_LINES, ids=lambda line: line.partition(" dm")[0].replace("/", "|"))
def test_published_positions_have_the_published_depth(line: str, explorer: Chess, truth: Path) -> None:
    board, operations = chess.Board.from_epd(line)
    moves = operations["dm"]
    assert isinstance(moves, int)
    verdict = explorer.probe(board)
    assert verdict.category.value == ("win" if moves > 0 else "loss" if moves < 0 else "draw")
    assert verdict.depth == (None if not moves else 2 * moves - 1 if moves > 0 else -2 * moves)


@pytest.mark.exhaustive
@pytest.mark.parametrize(("ending", "moves"), LONGEST_FIVE.items())
def test_the_longest_win_of_five_pieces_is_the_published_one(
    ending: str, moves: int, five: Five, random_board: Boards
) -> None:
    library = five(CHESS, [ending])
    assert library.entry(ending).longest == moves
    _check_one_ply(library, [random_board(ending) for _ in range(2_000)])


def _derived(library: Library, board: chess.Board) -> int:
    """The value by one ply of python-chess alone."""
    if board.is_checkmate():
        return 0
    best = DRAW if board.is_stalemate() else 0
    for move in list(board.legal_moves):
        board.push(move)
        best = max(best, code_before(library.code(board)))
        board.pop()
    return best


def _check_one_ply(library: Library, boards: list[chess.Board]) -> None:
    for board in boards:
        assert library.code(board) == _derived(library, board), board.fen()


@pytest.mark.parametrize("ending", ["KBNvK", "KQvKR", "KRvKB", "KQvKQ", "KRvKN", "KRRvK"])
def test_values_follow_from_the_values_one_ply_deeper(ending: str, library: Library, random_board: Boards) -> None:
    _check_one_ply(library, [random_board(ending) for _ in range(500)])


@pytest.mark.slow
def test_values_with_pawns_follow_from_one_ply_deeper(
    library: Library, random_board: Boards, passed_board: Boards
) -> None:
    _check_one_ply(
        library, [random_board(ending) for ending in ("KPvK", "KPPvK", "KRvKP", "KRPvK") for _ in range(250)]
    )
    boards = [passed_board("KPvKP") for _ in range(1_500)]
    assert sum(board.has_legal_en_passant() for board in boards) > 1_000
    _check_one_ply(library, [random_board("KPvKP") for _ in range(500)] + boards)


@pytest.mark.slow
def test_en_passant_positions_equal_syzygy(library: Library, truth: Path, passed_board: Boards) -> None:
    boards = [passed_board("KPvKP") for _ in range(2_000)]
    _compare_wdl(library, truth, boards)
    without = [board.copy(stack=False) for board in boards]
    for board in without:
        board.ep_square = None
    assert any(library.code(a) != library.code(b) for a, b in zip(boards, without, strict=True))


@pytest.mark.parametrize("ending", ["KPvK", "KPPvK", "KPvKP", "KRPvK", "KRvKP"])
def test_mirrored_and_colour_exchanged_boards_have_the_same_value(
    ending: str, library: Library, random_board: Boards, passed_board: Boards
) -> None:
    boards = [random_board(ending) for _ in range(300)]
    if ending == "KPvKP":
        boards += [passed_board(ending) for _ in range(300)]
    for board in boards:
        code = library.code(board)
        assert code == library.code(board.mirror()) == library.code(board.transform(chess.flip_horizontal)), board.fen()


@pytest.mark.exhaustive
def test_values_of_identical_pieces_follow_from_one_ply_deeper(five: Five, random_board: Boards) -> None:
    for ending in ("KQQQvK", "KRRvKN", "KNNvKQ", "KQRRvK"):
        name = CHESS.canonical_name(ending)
        _check_one_ply(five(CHESS, [name]), [random_board(name) for _ in range(500)])

"""Answers in the format of the lichess tablebase API, compared with its documentation and with Syzygy files."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import chess
import chess.syzygy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from endgame_core.answers import Answers, with_api_categories
from endgame_core.chess.fifty import FiftyMoves
from endgame_core.chess.game import CHESS
from endgame_core.chess.syzygy import Syzygy
from endgame_core.errors import EndingError, MissingError, PositionError
from endgame_core.judge import Judge
from endgame_core.metric import DTZ
from endgame_core.server import reply
from endgame_core.server_description import description
from endgame_core.tables.explorer import Explorer
from endgame_core.tables.library import Library
from endgame_core.values import Category
from endgame_core.words import position as words

POSITION = "4k3/6KP/8/8/8/8/7p/8 w - - 0 1"
"""The example in the API's documentation; here is what that says of it.

Source: lichess-org/api, doc/specs/examples/tablebase-lookupStandard.json; lichess-org/lila-tablebase, README.md.
"""

FIELDS = {
    "checkmate", "stalemate", "variant_win", "variant_loss", "insufficient_material", "dtz", "precise_dtz", "dtm",
    "dtw", "dtc", "category", "wdl",
}  # fmt: skip
MOVE_FIELDS = FIELDS | {"uci", "san", "zeroing", "conversion"}
MOVES = [
    ("h7h8q", "h8=Q+", True, -2, -16, "loss"),
    ("h7h8r", "h8=R+", True, -2, -26, "loss"),
    ("g7g8", "Kg8", False, 0, 0, "draw"),
    ("g7f6", "Kf6", False, 1, 19, "win"),
    ("g7g6", "Kg6", False, 1, 19, "win"),
    ("g7h6", "Kh6", False, 1, 19, "win"),
    ("g7h8", "Kh8", False, 1, 19, "win"),
    ("h7h8n", "h8=N", True, 1, 19, "win"),
    ("h7h8b", "h8=B", True, 1, 15, "win"),
]
MAINLINE = [-2, 1, -14, 13, -12, 11, -10, 9, -8, 7, -6, 5, -4, 3, -2, 1, -1]


@pytest.fixture(scope="session")
def answers(dtz_library: Library) -> Answers:
    return Answers.of(dtz_library.root, None)


@pytest.fixture(scope="session")
def by_dtm(library: Library) -> Answers:
    return Answers.of(library.root, None)


@pytest.mark.exhaustive
def test_standard_answers_the_example_that_lichess_documents(answers: Answers) -> None:
    found = answers.standard(answers.read(POSITION))
    assert set(found) == FIELDS | {"moves"} and all(set(move) == MOVE_FIELDS for move in found["moves"])
    assert (found["dtz"], found["precise_dtz"], found["dtm"], found["category"]) == (1, 1, 17, "win")
    keys = ("uci", "san", "zeroing", "dtz", "dtm", "category")
    assert [tuple(move[key] for key in keys) for move in found["moves"]] == MOVES
    assert all(move["precise_dtz"] == move["dtz"] and move["dtw"] is move["dtc"] is None for move in found["moves"])
    assert [move["conversion"] for move in found["moves"]] == [move[2] for move in MOVES]


def test_mainline_answers_the_example_that_lichess_documents(answers: Answers) -> None:
    found = answers.mainline(answers.read(POSITION.replace(" ", "_")))
    assert set(found) == {"dtz", "precise_dtz", "mainline", "winner"} and (found["dtz"], found["winner"]) == (1, "w")
    assert [set(step) for step in found["mainline"]] == [{"uci", "san", "dtz", "precise_dtz"}] * 17
    assert [step["dtz"] for step in found["mainline"]] == MAINLINE
    assert (found["mainline"][0]["san"], found["mainline"][-1]["san"][-1]) == ("h8=Q+", "#")


def test_the_description_fits_the_answers(answers: Answers) -> None:
    schemas = description(9)["components"]["schemas"]
    kinds = {"string": str, "boolean": bool, "integer": int, "array": list, "null": type(None)}

    def check(name: str, found: dict[str, Any]) -> None:
        schema = schemas[name]
        assert {*schema["required"]} <= {*found} <= {*schema["properties"]}, name
        for field, value in found.items():
            expected = schema["properties"][field]
            types = expected["type"] if isinstance(expected["type"], list) else [expected["type"]]
            assert any(type(value) is kinds[kind] for kind in types), field
            assert value in expected.get("enum", [value]), field
            for item in value if isinstance(value, list) else []:
                check(expected["items"]["$ref"].rpartition("/")[2], item)

    for fen in (POSITION, "8/8/8/8/8/1k6/7p/K7 w - - 0 1", "k7/8/1K6/8/8/8/8/8 b - - 0 1"):
        board = answers.read(fen)
        check("Position", with_api_categories(answers.standard(board), board.halfmove_clock))
        check("Mainline", answers.mainline(board))


@pytest.mark.slow
def test_a_mainline_can_be_played_and_ends_as_it_says(
    answers: Answers, random_board: Callable[[str], chess.Board]
) -> None:
    for ending in ("KBBvK", "KBNvK", "KQvKR", "KRvKB", "KPvKP", "KNNvK"):
        board = random_board(ending)
        first, found = answers.standard(board), answers.mainline(board)
        assert found["dtz"] == first["dtz"]
        for step in found["mainline"]:
            assert board.san(chess.Move.from_uci(step["uci"])) == step["san"]
            board.push_uci(step["uci"])
        winner = "w" if first["category"] == ("win" if board.root().turn else "loss") else "b"
        assert found["winner"] == (None if first["category"] == "draw" else winner)
        assert board.is_checkmate() is (found["winner"] is not None) and bool(found["mainline"]) is bool(first["dtz"])


@pytest.mark.parametrize("clock", [0, 60, 99, 100])
def test_a_mainline_ends_with_the_first_claim(answers: Answers, clock: int) -> None:
    found = answers.mainline(answers.read(f"8/8/8/4k3/8/8/8/K1BN4 w - - {clock} 80"))
    if clock == 0:
        assert found["winner"] == "w" and found["dtz"] > 40
    else:
        assert found["winner"] is None and len(found["mainline"]) == 100 - clock


def test_the_50_move_counter_turns_wins_into_draws(answers: Answers) -> None:
    categories: list[tuple[str, str]] = []
    for clock in (0, 80, 81, 82, 99, 100, 101):
        found = answers.standard(answers.read(f"7K/6Q1/8/8/2k5/8/8/8 w - - {clock} 90"))
        best = found["moves"][0]
        assert (found["dtz"], best["dtz"], found["dtm"]) == (19, -18, 19)
        categories.append((found["category"], best["category"]))
    assert categories == [("win", "loss")] * 3 + [("cursed-win", "blessed-loss")] * 4


def test_a_mate_after_a_draw_could_be_claimed_is_blessed(answers: Answers, by_dtm: Answers) -> None:
    # As lila-tablebase has it (test.py, test_six_piece_mate): at 99 a mate still comes in time, at 100 no more.
    for source in (answers, by_dtm):
        for clock, here, after in ((99, "win", "loss"), (100, "cursed-win", "blessed-loss")):
            found = source.standard(source.read(f"k7/8/1K6/8/8/8/8/2Q5 w - - {clock} 90"))
            best = found["moves"][0]
            assert (found["category"], best["category"], best["checkmate"]) == (here, after, True)


def test_a_zeroing_move_after_a_draw_could_be_claimed_is_no_win(answers: Answers, by_dtm: Answers) -> None:
    # As lila-tablebase has it (response.rs): what counts is the clock before the move.
    for source in (answers, by_dtm):
        for clock, here, after in ((99, "win", "loss"), (100, "cursed-win", "blessed-loss")):
            found = source.standard(source.read(f"8/P6k/8/8/8/8/8/1K6 w - - {clock} 80"))
            best = found["moves"][0]
            assert (found["category"], best["category"]) == (here, after)
    chosen = answers.judge.probe(answers.read("8/P6k/8/8/8/8/8/1K6 w - - 100 80")).best
    assert chosen is not None and chosen.zeroing
    assert chosen.fifty is not None
    assert (chosen.category_after, chosen.fifty.category) == (Category.BLESSED_LOSS, Category.LOSS)
    assert words.fifty_move(chosen).startswith("resets the 50-move counter before a draw is claimed")


def test_mate_and_stalemate_have_no_moves_and_dtz_1_or_0(answers: Answers, by_dtm: Answers) -> None:
    mate = answers.standard(answers.read("k7/1Q6/1K6/8/8/8/8/8 b"))
    assert (mate["checkmate"], mate["dtz"], mate["dtm"], mate["category"], mate["moves"]) == (True, -1, 0, "loss", [])
    assert answers.mainline(answers.read("k7/1Q6/1K6/8/8/8/8/8 b")) == {
        "dtz": -1, "precise_dtz": -1, "mainline": [], "winner": "w",
    }  # fmt: skip
    stalemate = answers.standard(answers.read("k7/2Q5/1K6/8/8/8/8/8 b"))
    assert (stalemate["stalemate"], stalemate["dtz"], stalemate["category"]) == (True, 0, "draw")
    for source in (answers, by_dtm):
        bare = source.standard(source.read("k7/8/1K6/8/8/8/8/8 b"))
        assert (bare["insufficient_material"], bare["category"], bare["dtm"]) == (True, "draw", 0)
        assert source.mainline(source.read("k7/8/1K6/8/8/8/8/8 b"))["mainline"] == []
    wins = {move["san"]: move for move in answers.standard(answers.read("k7/8/1K6/8/8/8/8/2Q5 w"))["moves"]}
    assert wins["Qc8#"]["checkmate"] is True and wins["Qc7"]["stalemate"] is True
    assert (wins["Qc8#"]["dtz"], wins["Qc8#"]["dtm"], wins["Qc7"]["dtz"]) == (-1, 0, 0)


def test_dtm_alone_leaves_late_wins_open(by_dtm: Answers) -> None:
    categories: list[tuple[str, str]] = []
    for clock in (0, 83, 84, 99, 100):
        found = by_dtm.standard(by_dtm.read(f"8/8/8/8/8/2k5/1r6/K2Q4 w - - {clock} 90"))
        best = found["moves"][0]
        assert (
            [value["dtz"] for value in (found, best)] == [value["precise_dtz"] for value in (found, best)] == [None] * 2
        )
        assert (found["dtm"], best["dtm"]) == (17, -16)
        categories.append((found["category"], best["category"]))
    late = [("maybe-win", "maybe-loss")] + [("cursed-win", "blessed-loss")] * 2
    assert categories == [("win", "loss")] * 2 + late


def test_by_dtm_alone_a_zeroing_move_saves_a_win(by_dtm: Answers) -> None:
    found = by_dtm.standard(by_dtm.read("8/P6k/8/8/8/8/8/1K6 w - - 99 80"))
    assert (found["category"], found["moves"][0]["san"], found["moves"][0]["category"]) == ("win", "a8=Q", "loss")
    assert {move["category"] for move in found["moves"] if not move["zeroing"]} <= {"blessed-loss", "draw"}


@pytest.mark.slow
def test_the_categories_that_dtm_proves_are_those_by_dtz(
    answers: Answers, by_dtm: Answers, random_board: Callable[[str], chess.Board]
) -> None:
    rng = random.Random(5)
    for ending in ("KBNvK", "KQvKR", "KPvKP", "KRvKP", "KNvKP") * 8:
        board = random_board(ending)
        board.halfmove_clock = rng.choice([0, 30, 60, 90, 99, 100, 148, 149, 150])
        known, proved = answers.standard(board), by_dtm.standard(board)
        by_san = {move["san"]: move for move in known["moves"]}
        assert board.halfmove_clock < 100 or "maybe" not in str(proved)
        for exact, found in [(known, proved)] + [(by_san[move["san"]], move) for move in proved["moves"]]:
            assert found["dtm"] == exact["dtm"]
            if not found["category"].startswith("maybe"):
                assert found["category"] == exact["category"], (board.fen(), found)
            else:
                assert (found["category"][-3:] == "win") is (exact["dtz"] > 0), (board.fen(), found)


@pytest.mark.slow
def test_syzygy_files_alone_give_dtz_and_no_dtm(
    truth: Path, tmp_path: Path, random_board: Callable[[str], chess.Board]
) -> None:
    answers = Answers.of(tmp_path, str(truth / "syzygy"))
    with chess.syzygy.open_tablebase(str(truth / "syzygy")) as tables:
        for ending in ("KBNvK", "KRvKB", "KQvKR") * 3:
            board = random_board(ending)
            found = answers.standard(board)
            assert found["dtm"] is None and abs(found["dtz"] - tables.probe_dtz(board)) <= (not board.is_checkmate())
            assert found["precise_dtz"] in (None, found["dtz"])
            for move in found["moves"]:
                board.push_uci(move["uci"])
                dtz = tables.probe_dtz(board)
                assert abs(move["dtz"] - dtz) <= 1 and (move["dtz"] > 0) - (move["dtz"] < 0) == (dtz > 0) - (dtz < 0)
                board.pop()


def test_missing_tables_are_named(tmp_path: Path) -> None:
    answers = Answers.of(tmp_path, None)
    for ask in (answers.standard, answers.mainline):
        with pytest.raises(MissingError, match="build KRPvKP --metric dtz"):
            ask(answers.read("k7/8/2KP4/8/8/4r1p1/8/8 w - - 0 1"))
        with pytest.raises(EndingError, match="7 pieces"):
            ask(answers.read("4k3/8/8/8/8/8/PPPPP3/4K3 w - - 0 1"))


@pytest.mark.parametrize(
    ("fen", "error", "words"),
    [
        ("nonsense", PositionError, "is not a FEN"),
        ("4k3/8/8/8/8/8/4P3/4K3 w - e3 0 1", PositionError, "passed e3"),
        ("4k3/8/8/8/8/8/8/4K2R w Z - 0 1", PositionError, "castling"),
        ("4kK2/8/8/8/8/8/8/7R w K - 0 1", PositionError, "adjacent squares"),
        ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", EndingError, "castling rights"),
        (chess.STARTING_FEN, EndingError, "castling rights"),
        ("4k3/8/8/8/8/8/8/4K2R w - - -1 1", PositionError, "half-?move"),
    ],
)
def test_a_bad_position_is_refused_with_its_reason(
    answers: Answers, fen: str, error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        answers.read(fen)


@given(st.text(alphabet="kKqQrRpP12345678/ wb-_KQkqe36909", max_size=90) | st.text(max_size=60))
def test_any_text_is_read_or_refused(answers: Answers, text: str) -> None:
    try:
        json.dumps(answers.standard(answers.read(text)))
    except (PositionError, EndingError, MissingError) as error:
        assert str(error).endswith(".")


def test_digits_of_other_scripts_are_not_read_as_a_counter(answers: Answers) -> None:
    for clock in ("٣", "+5"):
        with pytest.raises(PositionError, match="whole number"):
            answers.read(f"7K/6Q1/8/8/2k5/8/8/8 w - - {clock} 1")


@pytest.mark.slow
def test_where_a_file_is_missing_the_other_moves_are_answered(
    answers: Answers, truth: Path, tmp_path: Path, random_board: Callable[[str], chess.Board]
) -> None:
    """Held against tables of all endings: what is told is right, and what is not names a file that is not there."""
    there = {path.stem for path in (truth / "syzygy").glob("*.rtbw")}
    some = Answers.of(tmp_path, str(truth / "syzygy"))
    partly = 0
    boards = [random_board(ending) for ending in ("KRvKP", "KPvKP") * 40]
    boards.append(some.read("8/7P/8/8/8/4kr2/8/3K4 w - - 57 1"))
    for board in boards:
        try:
            found = some.standard(board)
        except MissingError as missing:
            assert missing.ending not in there, board.fen()
            continue
        exact = answers.standard(board)
        assert found["category"] in (exact["category"], f"maybe-{exact['category']}"), board.fen()
        assert abs(found["dtz"] - exact["dtz"]) <= 1
        rightly = {move["uci"]: move for move in exact["moves"]}
        assert rightly.keys() == {move["uci"] for move in found["moves"]}
        unknown = [move for move in found["moves"] if move["category"] == "unknown"]
        assert found["moves"][len(found["moves"]) - len(unknown) :] == unknown
        for move in unknown:
            assert move["dtz"] is None and move["missing"].endswith("--metric dtz.")
            assert not any(f"{name}.rtbw" in move["missing"] for name in there)
        for move in found["moves"]:
            if move not in unknown:
                assert abs(move["dtz"] - rightly[move["uci"]]["dtz"]) <= 1
        partly += bool(unknown)
    assert partly


@pytest.mark.parametrize(
    ("missing", "fen", "line"),
    [
        ("KQvK", "8/4P3/K7/8/8/8/8/4k3 w - - 0 1", "e8=R+ Kf1"),
        ("KRvK", "8/R7/6k1/1p6/6K1/8/8/8 b - - 0 1", "Kh6 Kf5 Kh5 Rh7#"),
        ("KQvKP", "5K2/8/8/8/p3P3/5k2/8/8 b - - 0 1", "a3 Ke7 Kxe4 Kd6"),
    ],
)
def test_a_line_ends_where_a_file_is_missing(truth: Path, tmp_path: Path, missing: str, fen: str, line: str) -> None:
    """Moves as good by DTZ lead to files that are not there, first or as they are written."""
    for path in (truth / "syzygy").iterdir():
        if path.stem != missing:
            (tmp_path / path.name).symlink_to(path)
    rule = FiftyMoves(Syzygy(str(tmp_path)))
    judge = Judge(Explorer(CHESS, Library(CHESS, tmp_path / "none")), lambda: rule)
    found = judge.line(chess.Board(fen), metric=DTZ)
    assert " ".join(found.sans).startswith(line) and found.problem is None and found.steps[-1].checkmate
    drawn = judge.line(chess.Board("8/8/8/8/8/1k6/8/K2b4 w - - 0 1"), metric=DTZ)
    assert not drawn.steps and drawn.problem is None


def test_a_pawn_move_that_wins_is_enough(truth: Path, tmp_path: Path) -> None:
    """The files of what d7-d8=Q leads to are not there."""
    some = Answers.of(tmp_path, str(truth / "syzygy"))
    found = some.standard(some.read("8/3P4/8/3k4/8/4K3/3P4/8 w - - 26 1"))
    assert (found["category"], found["dtz"], found["precise_dtz"]) == ("win", 1, 1)
    told = {move["san"]: (move["category"], move["dtz"]) for move in found["moves"]}
    assert told["d4"] == ("loss", -2) and told["d8=Q+"] == ("unknown", None)


def served(answers: Answers, fen: str) -> dict[str, Any]:
    return json.loads(reply(answers, "/standard", fen).body)


def test_the_server_uses_the_categories_of_the_lichess_api(by_dtm: Answers, truth: Path, tmp_path: Path) -> None:
    """As lila-tablebase has it: test.py (test_syzygy_win) and response.rs, PartialPositionInfo::with_dtc."""
    rounded = Answers.of(tmp_path, str(truth / "syzygy"))
    assert served(rounded, "K7/2k5/3n4/8/2b5/8/8/8 w - - 97 128")["category"] in ("syzygy-loss", "blessed-loss")
    found = served(rounded, "8/4k3/8/1N3B2/1K6/8/8/8 w - - 50 1")
    assert (found["category"], found["moves"][0]["category"]) == ("syzygy-win", "syzygy-loss")
    lost = served(rounded, "8/k7/2B5/3N4/8/8/8/5K2 b - - 75 1")
    assert [told["category"] for told in (lost, *lost["moves"])] == ["syzygy-loss", "syzygy-win", "win"]
    assert "maybe" not in str(found)
    late = served(by_dtm, "8/8/8/8/8/2k5/1r6/K2Q4 w - - 84 90")
    assert (late["category"], late["moves"][0]["category"]) == ("maybe-win", "maybe-loss")


@pytest.mark.parametrize(
    ("clock", "category"), [(0, "loss"), (100, "loss"), (101, "blessed-loss"), (150, "blessed-loss")]
)
def test_the_server_calls_a_mate_after_a_claim_a_blessed_loss(
    answers: Answers, by_dtm: Answers, clock: int, category: str
) -> None:
    for source in (answers, by_dtm):
        found = served(source, f"K7/8/1r6/8/8/8/4k3/r7 w - - {clock} 200")
        assert (found["checkmate"], found["category"]) == (True, category)
        assert source.standard(source.read(f"K7/8/1r6/8/8/8/4k3/r7 w - - {clock} 200"))["category"] == "loss"

"""Files, library, explorer: damage is named, layers are walked, lines fall by one."""

from __future__ import annotations

import random
from pathlib import Path

import chess
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from endgame_core import paths
from endgame_core.chess.game import CHESS
from endgame_core.errors import EndgameError, LayerError, NotBuiltError, TableError
from endgame_core.game import Category, Solved, before, code_of, value_of
from endgame_core.tables.explorer import Explorer
from endgame_core.tables.file import Table, write_table
from endgame_core.tables.library import DAMAGED, Library

from .conftest import build

Chess = Explorer[chess.Board, chess.Move]


@given(st.integers(0, 255))
def test_codes_round_trip(code: int) -> None:
    assert code_of(*value_of(code)) == code


@given(st.integers(1, 253))
def test_a_move_costs_one_ply(depth: int) -> None:
    category, n = value_of(before(code_of(Category.WIN if depth % 2 else Category.LOSS, depth)))
    assert n == depth + 1 and category is (Category.LOSS if depth % 2 else Category.WIN)


def _solved(seed: int, slots: int) -> Solved:
    rng = np.random.default_rng(seed)
    frames = -(-slots // 65536)
    counts = rng.integers(0, 3, (2, frames, 256)).astype(np.uint32)
    total = counts.sum(axis=1).astype(np.int64)
    return Solved(rng.integers(0, 256, (2, slots)).astype(np.uint8), total, total * 8, counts)


@given(st.integers(0, 99), st.integers(1, 200_000))
@settings(max_examples=20)
def test_a_table_holds_what_was_written(tmp_path: Path, seed: int, slots: int) -> None:
    solved = _solved(seed, slots)
    path = tmp_path / "a.egt"
    size = write_table(path, solved, game="chess", ending="KQvK", rules="r", scheme="s")
    table = Table(path)
    assert size == path.stat().st_size == table.size
    assert np.array_equal(table.read_all(), solved.codes)
    assert [table.value(1, i) for i in (0, slots - 1)] == [solved.codes[1][0], solved.codes[1][-1]]
    assert table.frame_counts(1, 7) == solved.frames[1, :, 7].tolist()
    assert table.canonical(0, 200) == solved.canonical[0, 200]
    assert list(tmp_path.iterdir()) == [path], "no debris"
    table.close()


@given(st.data())
@settings(max_examples=150)
def test_no_damage_goes_unnoticed(tmp_path: Path, data: st.DataObject) -> None:
    whole = (paths.starter_dir() / "KQvK.egt").read_bytes()
    path = tmp_path / "KQvK.egt"
    if data.draw(st.booleans()):
        path.write_bytes(whole[: data.draw(st.integers(0, len(whole) - 1))])
    else:
        at = data.draw(st.integers(0, len(whole) - 1))
        flipped = bytearray(whole)
        flipped[at] ^= 1 << data.draw(st.integers(0, 7))
        path.write_bytes(bytes(flipped))
    with pytest.raises(TableError, match="build it again"):
        Table(path).check()


def test_starter_tables_are_what_the_solver_makes(empty_library: Library) -> None:
    for ending in ("KQvK", "KRvK"):
        empty_library.write(ending, CHESS.solve(ending, lambda name: None, 1, lambda layer: None))
        shipped = paths.starter_dir() / f"{ending}.egt"
        assert empty_library.path(ending).read_bytes() == shipped.read_bytes()


def test_a_damaged_table_is_put_aside_and_rebuilt(empty_library: Library) -> None:
    build(empty_library, ["KBvK"])
    path = empty_library.path("KBvK")
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(TableError, match="truncated"):
        empty_library.table("KBvK")
    assert path.with_name(path.name + DAMAGED).is_file() and not path.exists()
    assert empty_library.entry("KBvK").state == "damaged"
    build(empty_library, ["KBvK"])
    assert empty_library.entry("KBvK").state == "built"
    assert not path.with_name(path.name + DAMAGED).exists()


def test_verify_finds_a_wrong_value(empty_library: Library) -> None:
    solved = CHESS.solve("KQvK", lambda name: None, 1, lambda layer: None)
    solved.codes[1][solved.codes[1] == 3] = 4
    empty_library.write("KQvK", solved)
    assert empty_library.verify("KQvK", samples=400).mismatch is not None


def test_verify_passes_true_tables(library: Library) -> None:
    for ending in ("KQvK", "KBNvK", "KQvKR"):
        found = library.verify(ending, samples=200)
        assert (found.positions, found.mismatch) == (200, None)


def test_a_plan_has_sub_endings_first(empty_library: Library) -> None:
    plan = empty_library.plan(["KQRvKQ"])
    assert plan[-1] == "KQRvKQ" and "KQvK" not in plan
    for place, ending in enumerate(plan):
        assert set(CHESS.needs(ending)) <= {*plan[:place], "KQvK", "KRvK"}


@pytest.mark.parametrize("ending", ["KQvK", "KQvKR", "KBBvK", "KRvKN", "KNNvK", "KPvK", "KPvKP", "KPPvK"])
def test_every_place_of_a_layer_is_found_again(ending: str, explorer: Chess) -> None:
    rng = random.Random(7)
    for winner, family in explorer.layers(ending).families.items():
        for layer in family:
            if layer.canonical:
                number = rng.randint(1, layer.canonical)
                board = explorer.nth(ending, winner, layer.n, number)
                place = explorer.locate(board)
                assert (place.winner, place.n, place.number, place.total) == (
                    winner, layer.n, number, layer.canonical,
                )  # fmt: skip
                assert explorer.probe(board).depth == layer.n


@pytest.mark.parametrize(
    "fen",
    [
        "7K/6Q1/8/8/2k5/8/8/8 w - - 0 1",
        "8/8/1r6/8/3k4/8/8/K1Q5 b - - 0 1",
        "8/8/8/8/8/1r6/6Q1/k1K5 b - - 0 1",
        "8/8/8/3k4/8/3K4/8/B6N w - - 0 1",
        "8/8/8/6k1/8/8/1P4K1/8 w - - 0 1",
        "8/8/7k/8/3Pp3/8/7K/8 b - d3 0 1",
    ],
)
def test_depths_of_a_line_fall_by_one_and_end_in_mate(fen: str, explorer: Chess) -> None:
    board = chess.Board(fen)
    depth = explorer.probe(board).depth
    line = explorer.line(board)
    assert depth is not None
    assert [step.verdict.depth for step in line] == list(range(depth - 1, -1, -1))
    assert line[-1].after.is_checkmate()


def test_moves_are_graded_best_first(explorer: Chess) -> None:
    moves = explorer.moves(chess.Board("8/7K/5k2/8/8/4Q3/8/8 w - - 0 1"))
    assert [(m.san, m.layer, m.grade) for m in moves[:2]] == [("Qe4", 6, "best"), ("Kg8", 8, "slower")]
    assert moves[1].later == 2 and moves[-1].grade == "draw"
    assert len([m for m in moves if m.grade == "slower"]) == 23


def test_previous_positions_lead_here(explorer: Chess) -> None:
    board = chess.Board("8/7K/5k2/8/8/4Q3/8/8 w - - 0 1")
    found = explorer.previous(board)
    assert [(p.layer, p.best, p.gave_up) for p in found] == [(8, True, 0)] * 3 + [(16, False, 8)] * 3
    for p in found:
        assert CHESS.play(p.position, p.move).board_fen() == board.board_fen()


@pytest.mark.parametrize(
    ("fen", "place"),
    [
        ("8/8/7k/8/3Pp3/8/7K/8 b - d3 0 1", ("black", 19, 0)),
        ("8/8/7k/8/3Pp3/8/7K/8 b - - 0 1", (None, None, 1)),
        ("8/7k/8/3pP3/8/7K/8/8 w - d6 0 1", ("white", 19, 0)),
        ("8/8/8/8/1pP5/1K6/8/7k b - c3 0 1", (None, None, 0)),
    ],
)
def test_en_passant_decides_the_layer(fen: str, place: tuple[str | None, int | None, int], explorer: Chess) -> None:
    board = chess.Board(fen)
    found, verdict = explorer.locate(board), explorer.probe(board)
    assert (found.winner, found.n, min(found.number, 1)) == place
    assert (found.winner, found.n) == (verdict.winner, verdict.depth)
    assert found.total == explorer.count("KPvKP", found.winner, found.n, found.side)


def test_en_passant_that_changes_nothing_keeps_the_place(explorer: Chess) -> None:
    board = chess.Board("8/8/8/1k6/3Pp3/8/8/4K3 b - d3 0 1")
    without = chess.Board("8/8/8/1k6/3Pp3/8/8/4K3 b - - 0 1")
    assert board.has_legal_en_passant() and explorer.code(board) == explorer.code(without)
    assert explorer.locate(board) == explorer.locate(without) and explorer.locate(board).number


def test_reasons(explorer: Chess) -> None:
    assert explorer.reason(chess.Board("7K/6Q1/8/8/2k5/8/8/8 w - - 0 1")) == (
        "S19 → S18  22 of 24 moves tie; only Qc3+ and Qd4+ give the win away."
    )
    assert explorer.reason(chess.Board("8/8/8/8/8/8/8/K1Qk4 b - - 0 1")) == "Draw  Only Kxc1 holds, Ke2 loses."
    assert "Checkmate: White has won" in explorer.reason(chess.Board("k7/1Q6/1K6/8/8/8/8/8 b - - 0 1"))


def test_wrong_places_are_refused(explorer: Chess) -> None:
    for n, number in ((99, 1), (19, 2), (19, 0), (-3, 1), (999, 1)):
        with pytest.raises(LayerError):
            explorer.nth("KQvK", "white", n, number)


def test_what_is_not_built_names_the_command(empty_library: Library) -> None:
    with pytest.raises(NotBuiltError, match="endgame-tui build KQvKR"):
        Explorer(CHESS, empty_library).probe(chess.Board("8/8/1r6/8/3k4/8/8/K1Q5 b - - 0 1"))
    with pytest.raises(EndgameError, match="6 men"):
        Explorer(CHESS, empty_library).probe(chess.Board("8/8/1r6/8/3k4/8/QQQ5/K7 w - - 0 1"))

"""Syzygy files are read right and agree with our tables, and bad ones are named."""

from __future__ import annotations

import json
import os
import random
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import chess
import chess.syzygy
import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st

from endgame_core.chess.game import CHESS
from endgame_core.chess.syzygy import VARIABLE, Syzygy, SyzygyFile, check, opened, tables_in
from endgame_core.cli.main import main
from endgame_core.errors import EndgameError, EndingError, MissingError, PositionError, StorageError, TableError
from endgame_core.settings import syzygy_directories
from endgame_core.tables.library import Library
from endgame_core.tables.verification import verify

from . import positions

Run = Callable[..., Result]


@pytest.fixture
def run(library: Library) -> Run:
    def call(*args: str, environment: dict[str, str] | None = None) -> Result:
        return CliRunner(env=environment).invoke(main, ["--data-dir", str(library.root), *args])

    return call


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["KQvK", "KQvKR", "KBNvK", "KPvKP", "KRvKP"])
def test_tables_agree_with_syzygy(ending: str, run: Run, truth: Path) -> None:
    result = run("verify", ending, "--samples", "300", "--syzygy", str(truth / "syzygy"), "--json")
    found = json.loads(result.stdout)
    assert (found["ok"], found["positions"], found["syzygy"]) == (True, 300, 300)


def test_positions_without_a_file_are_not_compared(run: Run, truth: Path) -> None:
    variable = {VARIABLE: str(truth / "syzygy")}
    out = run("verify", "KRvKN", "KQvKR", "--samples", "50", environment=variable).stdout.splitlines()
    assert "50 positions compared, 0 of them with Syzygy: no errors found" in out[0]
    assert "50 positions compared, 50 of them with Syzygy: no errors found" in out[1]
    assert json.loads(run("verify", "KRvKN", "--samples", "5", "--json").stdout)["syzygy"] is None


def test_a_difference_from_syzygy_is_reported(library: Library) -> None:
    found = verify(library, "KQvK", samples=100, second_opinion=lambda board: 0)
    assert found.mismatch is not None and "win stored, draw according to the second opinion" in found.mismatch


def test_every_result_has_its_sign(truth: Path) -> None:
    syzygy = Syzygy(str(truth / "syzygy"))
    for fen, expected in (
        ("7K/6Q1/8/8/2k5/8/8/8 w - - 0 1", 1),
        ("7K/6Q1/8/8/2k5/8/8/8 b - - 0 1", -1),
        ("8/8/8/8/8/8/8/K1Qk4 b - - 0 1", 0),
        ("8/8/1r6/8/3k4/8/8/K1QB4 b - - 0 1", None),
        ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", None),
    ):
        assert syzygy.opinion(chess.Board(fen)) == expected, fen
    syzygy.close()


def test_directories_without_syzygy_files_are_named(run: Run, tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="no Syzygy file"):
        Syzygy(str(tmp_path))
    for place in (tmp_path, tmp_path / "none"):
        result = run("verify", "KQvK", "--syzygy", str(place))
        assert result.exit_code == 1 and len(result.stderr.strip().splitlines()) == 1
        assert "--syzygy" in result.stderr


@pytest.mark.parametrize(
    ("damage", "said"),
    [("truncated", "is truncated"), ("block", "is truncated( or damaged)?"), ("cut", "is truncated: it has"),
     ("foreign", "is not a Syzygy file"), ("empty", "is empty"),
     ("renamed", "is (a table of KRvK|damaged: its pieces do not form an ending)"),
      ("header", "is (truncated or )?damaged")],
)  # fmt: skip
@pytest.mark.parametrize("ending", ["KQvKR", "KPvKP"])
@pytest.mark.parametrize("suffix", [".rtbw", ".rtbz"])
def test_damaged_files_are_named(damage: str, said: str, ending: str, suffix: str, truth: Path, tmp_path: Path) -> None:
    copy_all(truth, tmp_path)
    path = tmp_path / (ending + suffix)
    damaged(path, damage)
    with pytest.raises(TableError, match=f"^{path.name} {said}"):
        opened(path)
    board = CHESS.parse("8/8/1r6/8/3k4/8/8/K1Q5 b" if ending == "KQvKR" else "8/7p/8/8/3k4/8/P7/K7 w")
    with pytest.raises(TableError, match=said):
        Syzygy(str(tmp_path)).look(board)


def test_verify_names_a_damaged_file_in_a_line(run: Run, truth: Path, tmp_path: Path) -> None:
    copy_all(truth, tmp_path)
    damaged(tmp_path / "KQvKR.rtbw", "block")
    result = run("verify", "KQvKR", "--samples", "9", "--syzygy", str(tmp_path))
    assert result.exit_code == 1 and len(result.stderr.strip().splitlines()) == 1


def copy_all(truth: Path, to: Path) -> None:
    for path in (truth / "syzygy").iterdir():
        (to / path.name).write_bytes(path.read_bytes())


def damaged(path: Path, how: str) -> None:
    whole = path.read_bytes()
    path.write_bytes(
        {
            "truncated": whole[:-100],
            "block": whole[: 64 * 20 + 16],
            "cut": whole[: len(whole) // 64 * 48 // 64 * 64] + whole[-16:],
            "foreign": b"x" * (64 * 5 + 16),
            "empty": b"",
            "renamed": (path.parent / f"K{'R' if 'Q' in path.name else 'B'}vK{path.suffix}").read_bytes(),
            "header": whole[:5] + bytes(64) + whole[69:],
        }[how]
    )


@pytest.mark.parametrize("name", ["KPvKP.rtbz", "KPPvK.rtbz", "KRPvK.rtbw"])
def test_a_file_with_other_pieces_than_its_name_is_damaged(name: str, truth: Path, tmp_path: Path) -> None:
    whole, path = (truth / "syzygy" / name).read_bytes(), tmp_path / name
    told: list[str] = []
    for i in range(5, 48):
        path.write_bytes(whole[:i] + bytes([whole[i] ^ 0x22]) + whole[i + 1 :])
        try:
            opened(path).close()
        except TableError as error:
            told.append(str(error))
    assert f"{name} is damaged: its parts have different pieces; download it again." in told


def test_damage_inside_a_file_is_reported_when_it_is_read(truth: Path, tmp_path: Path) -> None:
    copy_all(truth, tmp_path)
    path = tmp_path / "KQvKR.rtbz"
    whole = path.read_bytes()
    path.write_bytes(whole[:150_000] + bytes(100_000) + whole[250_000:])
    syzygy, rng = Syzygy(str(tmp_path)), random.Random(5)
    met = 0
    for _ in range(200):
        board = drawn(rng, "KQvKR")
        try:
            syzygy.look(board)
        except TableError as error:
            met += "KQvKR or a file that it depends on is damaged" in str(error)
    assert met


@pytest.mark.slow
def test_checksums_of_all_files_are_right(truth: Path, tmp_path: Path) -> None:
    tables = tables_in(str(truth / "syzygy"))
    assert len(tables) == 15 and sum(len(table.files) for table in tables) == 30
    assert [table.ending for table in tables[:3]] == ["KBvK", "KNvK", "KPvK"]
    told = sum(file.size for table in tables for file in table.files)
    assert told == sum(path.stat().st_size for path in (truth / "syzygy").iterdir())
    for table in tables:
        for file in table.files:
            told: list[float] = []
            check(file, told.append)
            assert told == [1.0]


@pytest.mark.slow
@settings(max_examples=40)
@given(st.data())
def test_a_flipped_bit_fails_the_checksum(truth: Path, data: st.DataObject) -> None:
    tables = tables_in(str(truth / "syzygy"))
    file = data.draw(st.sampled_from([file for table in tables for file in table.files]))
    whole = bytearray(file.path.read_bytes())
    bit = data.draw(st.integers(0, 8 * len(whole) - 1))
    whole[bit // 8] ^= 1 << bit % 8
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / file.path.name
        path.write_bytes(whole)
        with pytest.raises(TableError, match=path.name):
            check(SyzygyFile(path, len(whole)))


@pytest.mark.slow
def test_a_failed_checksum_shows_both_sums(truth: Path, tmp_path: Path) -> None:
    whole = bytearray((truth / "syzygy" / "KQvK.rtbz").read_bytes())
    whole[-17] ^= 1
    path = tmp_path / "KQvK.rtbz"
    path.write_bytes(whole)
    with pytest.raises(
        TableError,
        match=f"the checksum of KQvK.rtbz does not match: [0-9a-f]{{32}} calculated, {whole[-16:].hex()} stored",
    ):
        check(SyzygyFile(path, len(whole)))


def test_option_variable_and_setting_name_the_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    assert syzygy_directories(root=tmp_path) is None
    (tmp_path / "settings.toml").write_text('engine = "off"\nsyzygy = "/setting"\n')
    assert syzygy_directories(root=tmp_path) == "/setting"
    monkeypatch.setenv(VARIABLE, "/variable")
    assert syzygy_directories(root=tmp_path) == "/variable"
    assert syzygy_directories("/given", tmp_path) == "/given"
    monkeypatch.setenv(VARIABLE, "")
    (tmp_path / "settings.toml").write_text("syzygy = 3\n")
    with pytest.raises(EndgameError, match="syzygy cannot be '3'"):
        syzygy_directories(root=tmp_path)


def test_of_several_directories_the_first_one_is_used(truth: Path, tmp_path: Path) -> None:
    (tmp_path / "KQvK.rtbw").write_bytes((truth / "syzygy" / "KQvK.rtbw").read_bytes())
    (tmp_path / "notes.txt").write_text("KQvK.rtbw")
    tables = tables_in(os.pathsep.join((str(tmp_path), str(truth / "syzygy"))))
    (queen,) = [table for table in tables if table.ending == "KQvK"]
    assert queen.wdl is not None and queen.wdl.path.parent == tmp_path
    assert queen.dtz is not None and queen.dtz.path.parent == truth / "syzygy"


@pytest.mark.parametrize(
    ("fen", "said"),
    [
        ("8/8/8/8/8/k1K5/p7/8 w - - 0 1", "KQvK.rtbw is needed after Kd4 a1=Q+ but is missing"),
        ("8/8/8/4k3/8/1r6/8/K1R5 w - - 0 1", "KRvKR.rtbw is missing"),
        ("7k/8/8/8/8/8/8/KQ4r1 w - - 0 1", "KQvK.rtbw is needed after Qxg1 but is missing"),
    ],
)
def test_missing_files_are_named_with_their_use(fen: str, said: str, truth: Path, tmp_path: Path) -> None:
    copy_all(truth, tmp_path)
    for file in ("KQvK.rtbw", "KQvK.rtbz", "KRvK.rtbw", "KRvK.rtbz"):
        (tmp_path / file).unlink()
    with pytest.raises(MissingError) as met:
        Syzygy(str(tmp_path)).look(chess.Board(fen))
    assert str(met.value) == f"{said}; add it to the Syzygy directory."


def test_a_missing_dtz_file_is_named(truth: Path, tmp_path: Path) -> None:
    copy_all(truth, tmp_path)
    (tmp_path / "KQvKR.rtbz").unlink()
    syzygy, board = Syzygy(str(tmp_path)), chess.Board("8/8/1r6/8/3k4/8/8/K1Q5 w - - 0 1")
    assert syzygy.result(board) == 2
    with pytest.raises(MissingError, match=r"^KQvKR\.rtbz is missing"):
        syzygy.look(board)


def test_no_file_is_requested_beyond_the_pieces_that_files_cover(truth: Path) -> None:
    board = chess.Board("rnbqkb2/8/8/8/8/8/8/RNBQKBN1 w - - 0 1")
    with pytest.raises(EndingError, match=r"13 pieces .* at most 7"):
        Syzygy(str(truth / "syzygy")).look(board)


def test_castling_rights_are_refused(truth: Path) -> None:
    with pytest.raises(PositionError, match="Syzygy files do not cover castling rights"):
        Syzygy(str(truth / "syzygy")).look(chess.Board("4k3/8/8/8/8/8/8/4K2R w K - 0 1"))


def drawn(rng: random.Random, ending: str) -> chess.Board:
    """A legal board of an ending, either side to move, in either colours; sometimes with en passant."""
    while True:
        if ending in positions.PASSABLE and rng.random() < 0.4:
            board = positions.just_passed(ending, rng.choice)
        else:
            board = positions.place(chess.Board(None), positions.men_of(ending), rng.choice)
            board.turn = rng.random() < 0.5
        if positions.is_legal(board):
            return board.mirror() if rng.random() < 0.5 else board


def compare(truth: Path, ending: str, count: int) -> None:
    """The reader says what :mod:`chess.syzygy` says; mate on the board is 0 plies away."""
    ours, rng = Syzygy(str(truth / "syzygy")), random.Random(ending)
    with chess.syzygy.open_tablebase(str(truth / "syzygy")) as theirs:
        for _ in range(count):
            board = drawn(rng, ending)
            try:
                found = ours.look(board)
            except MissingError:
                with pytest.raises(chess.syzygy.MissingTableError):
                    theirs.probe_dtz(board)
                continue
            try:
                expected = 0 if board.is_checkmate() else theirs.probe_dtz(board)
            except chess.syzygy.MissingTableError:  # after one pawn move; another one that wins is enough for us
                continue
            assert (found.category.wdl, found.dtz) == (theirs.probe_wdl(board), expected), board.fen()
            assert ours.result(board) == found.category.wdl


ENDINGS = ["KBvK", "KNvK", "KPvK", "KQvK", "KRvK", "KBBvK", "KBNvK", "KNNvK", "KPPvK", "KPvKP", "KQvKQ", "KQvKR",
           "KRPvK", "KRvKB", "KRvKP"]  # fmt: skip


@pytest.mark.parametrize("ending", ENDINGS)
def test_values_are_those_of_the_reference_reader(ending: str, truth: Path) -> None:
    compare(truth, ending, 20)


@pytest.mark.exhaustive
@pytest.mark.parametrize("ending", ENDINGS)
def test_many_values_are_those_of_the_reference_reader(ending: str, truth: Path) -> None:
    compare(truth, ending, 5000)


@pytest.mark.slow
def test_threads_that_share_files_read_the_same_values(truth: Path) -> None:
    rng = random.Random(9)
    boards = [drawn(rng, ending) for ending in ("KQvKR", "KRvKB", "KBNvK") for _ in range(12)]
    alone = [Syzygy(str(truth / "syzygy")).look(board) for board in boards]
    shared = Syzygy(str(truth / "syzygy"))
    with ThreadPoolExecutor(8) as pool:
        for found in pool.map(lambda _: [shared.look(board) for board in boards], range(16)):
            assert found == alone
    shared.close()
    assert shared.look(boards[0]) == alone[0]


def test_a_skipped_file_answers_nothing_until_it_is_included_again(truth: Path) -> None:
    syzygy, board = Syzygy(str(truth / "syzygy")), chess.Board("8/8/8/8/1k2r3/8/2K5/3Q4 w - - 0 1")
    before = syzygy.look(board)
    table = next(table for table in syzygy.tables if table.ending == "KQvKR")
    assert table.dtz is not None
    assert not syzygy.leave_out(table.dtz, None) and syzygy.look(board) == before
    assert syzygy.leave_out(table.dtz, TableError("wrong", "download it again"))
    with pytest.raises(TableError, match=r"KQvKR\.rtbz is skipped"):
        syzygy.look(board)
    assert syzygy.result(board) == before.category.wdl
    assert syzygy.leave_out(table.dtz, None) and syzygy.look(board) == before
    syzygy.close()

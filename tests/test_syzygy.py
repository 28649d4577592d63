"""The second opinion of ``verify``: Syzygy files agree, and bad ones are named."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import chess
import pytest
from click.testing import CliRunner, Result

from endgame_core.chess.game import CHESS
from endgame_core.chess.syzygy import VARIABLE, Syzygy
from endgame_core.cli.main import main
from endgame_core.errors import StorageError, TableError
from endgame_core.tables.library import Library

Run = Callable[..., Result]


@pytest.fixture
def run(library: Library) -> Run:
    def call(*args: str, environment: dict[str, str] | None = None) -> Result:
        return CliRunner(env=environment).invoke(main, ["--data-dir", str(library.root), *args])

    return call


@pytest.mark.parametrize("ending", ["KQvK", "KQvKR", "KBNvK", "KPvKP", "KRvKP"])
def test_tables_agree_with_syzygy(ending: str, run: Run, truth: Path) -> None:
    result = run("verify", ending, "--samples", "300", "--syzygy", str(truth / "syzygy"), "--json")
    found = json.loads(result.stdout)
    assert (found["ok"], found["positions"], found["syzygy"]) == (True, 300, 300)


def test_what_has_no_file_is_not_compared(run: Run, truth: Path) -> None:
    variable = {VARIABLE: str(truth / "syzygy")}
    out = run("verify", "KRvKN", "KQvKR", "--samples", "50", environment=variable).stdout.splitlines()
    assert "50 positions compared, 0 of them with Syzygy: all right" in out[0]
    assert "50 positions compared, 50 of them with Syzygy: all right" in out[1]
    assert json.loads(run("verify", "KRvKN", "--samples", "5", "--json").stdout)["syzygy"] is None


def test_a_difference_is_told(library: Library) -> None:
    found = library.verify("KQvK", samples=100, second_opinion=lambda board: 0)
    assert found.mismatch is not None and "win stored, draw by the second opinion" in found.mismatch


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


def test_directories_without_tables_are_named(run: Run, tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="no Syzygy file"):
        Syzygy(str(tmp_path))
    for place in (tmp_path, tmp_path / "none"):
        result = run("verify", "KQvK", "--syzygy", str(place))
        assert result.exit_code == 1 and len(result.stderr.strip().splitlines()) == 1
        assert "--syzygy" in result.stderr


@pytest.mark.parametrize("damage", ["truncated", "block", "foreign", "empty"])
def test_damaged_files_are_named(damage: str, run: Run, truth: Path, tmp_path: Path) -> None:
    for path in (truth / "syzygy").glob("*.rtbw"):
        shutil.copy(path, tmp_path / path.name)
    path = tmp_path / "KQvKR.rtbw"
    whole = path.read_bytes()
    path.write_bytes(
        {"truncated": whole[:-100], "block": whole[: 64 * 20 + 16], "foreign": b"x" * (64 * 5 + 16), "empty": b""}[
            damage
        ]
    )
    board = CHESS.parse("8/8/1r6/8/3k4/8/8/K1Q5 b")
    with pytest.raises(TableError, match=r"KQvKR, or one it leads to, is damaged"):
        Syzygy(str(tmp_path)).opinion(board)
    result = run("verify", "KQvKR", "--samples", "9", "--syzygy", str(tmp_path))
    assert result.exit_code == 1 and len(result.stderr.strip().splitlines()) == 1

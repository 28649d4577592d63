"""A home that became read-only: compiled kernels and surveys go into a temporary directory."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from endgame_core import paths
from endgame_core.chess.game import CHESS
from endgame_core.tables import survey
from endgame_core.tables.library import Library

READ_ONLY = Path("/sys/kernel")
"""A directory in which not even root can create a file."""

pytestmark = pytest.mark.skipif(not READ_ONLY.is_dir(), reason="there is no directory here that even root cannot write")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home whose directories of kernels and tables exist, but are read-only."""
    home = tmp_path / "home"
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setenv("ENDGAME_TUI_HOME", str(home))
    monkeypatch.setenv("XDG_CACHE_HOME", str(READ_ONLY))
    monkeypatch.setenv("TMPDIR", str(temporary))
    monkeypatch.setattr("tempfile.tempdir", None)
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    kernels = Path(paths.kernel_environment()["NUMBA_CACHE_DIR"])
    assert kernels.is_relative_to(home), "as long as it can be written"
    shutil.rmtree(kernels)
    kernels.symlink_to(READ_ONLY)
    (home / "tables").symlink_to(READ_ONLY)
    return home


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "endgame_core.cli.main", *map(str, arguments)],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip


def test_kernels_go_into_a_temporary_directory(home: Path, tmp_path: Path) -> None:
    kernels = Path(paths.kernel_environment()["NUMBA_CACHE_DIR"])
    assert kernels.parent == tmp_path / "temporary" and kernels.stat().st_mode & 0o777 == 0o700
    assert paths.kernel_mark("chess-layers").parent == kernels


def test_kernels_go_elsewhere_if_the_configured_directory_is_read_only(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(READ_ONLY))
    assert Path(paths.kernel_environment()["NUMBA_CACHE_DIR"]).parent == tmp_path / "temporary"


def test_without_a_writable_directory_the_error_says_what_to_do(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(READ_ONLY))
    with pytest.raises(paths.StorageError, match="nor a temporary directory is writable; set TMPDIR"):
        paths.kernel_environment()


@pytest.mark.slow
def test_a_build_is_refused_before_anything_is_compiled(home: Path) -> None:
    result = run("build", "KNvK", "--yes")
    assert result.returncode == 1
    assert result.stderr.splitlines()[-1] == (
        f"endgame-tui: {home / 'tables'} cannot be written; make it writable or choose a "
        "different directory, e.g. with --data-dir."
    )
    assert "preparing the solver" not in result.stderr


@pytest.mark.exhaustive
def test_moves_of_an_ending_are_examined_only_once(home: Path) -> None:
    first = run("about", "KRvK")
    assert first.returncode == 0, first.stderr
    assert "positions by kind" in first.stdout and "preparing the solver" in first.stderr
    again = run("about", "KRvK")
    assert again.stdout == first.stdout and not again.stderr
    assert len(list((home / "cache" / "surveys").iterdir())) == 1


def test_statistics_are_shown_where_nothing_can_be_written(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(READ_ONLY))
    (home / "cache" / "surveys").symlink_to(READ_ONLY)
    with pytest.raises(paths.StorageError):
        paths.surveys_dir()
    assert survey.load(Library(CHESS, home), "KRvK") is None

"""Failures during a build lose nothing and end in one sentence that says what to do."""

from __future__ import annotations

import errno
import io
import os
import signal
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from endgame_core import jsonl_process, paths
from endgame_core.chess.game import CHESS
from endgame_core.errors import (
    BuildCancelledError,
    EndgameError,
    NotBuiltError,
    StorageError,
    TableError,
)
from endgame_core.tables import build as builder
from endgame_core.tables.build import Build
from endgame_core.tables.library import Library
from endgame_core.tables.verification import verify

from .conftest import build, give


def _debris(library: Library) -> list[str]:
    return [path.name for path in library.directory.iterdir() if path.name.startswith(".")]


@pytest.mark.slow
def test_cancelling_keeps_finished_tables(empty_library: Library) -> None:
    work = Build(empty_library, ["KRRvKR"], 1)
    with pytest.raises(BuildCancelledError, match="kept"):
        for event in work.events():
            if event.event == "layer" and event.ending == "KRRvKR" and event.n == 2:
                work.cancel()
    assert empty_library.is_built("KRvKR") and not empty_library.is_built("KRRvKR")
    assert _debris(empty_library) == []


@pytest.mark.slow
def test_kill_9_loses_only_the_ending_under_construction(empty_library: Library) -> None:
    work = Build(empty_library, ["KRRvKR"], 1)
    with pytest.raises(EndgameError, match="stopped unexpectedly"):
        for event in work.events():
            if event.ending == "KRRvKR" and event.event == "layer" and event.n == 1:
                assert work.child is not None
                os.kill(work.child.pid, signal.SIGKILL)
    assert empty_library.is_built("KRvKR")
    (empty_library.directory / ".KRRvKR.egt.1.part").write_bytes(b"debris")
    build(empty_library, ["KRvKN"])
    assert _debris(empty_library) == []
    assert verify(empty_library, "KRvKR", samples=50).mismatch is None


@pytest.fixture
def tiny_disk(tmp_path: Path) -> Iterator[Path]:
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=600k", "tmpfs", str(disk)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("only root may mount a tiny disk")
    yield disk
    subprocess.run(["umount", "-l", str(disk)], check=False)


@pytest.mark.slow
def test_a_build_deletes_the_work_file_of_an_earlier_one(empty_library: Library) -> None:
    """As a build in less memory leaves it when it is killed; in more memory, none is needed."""
    work_file = empty_library.files.work_file("KNvK")
    work_file.parent.mkdir(parents=True)
    for name in ("", ".0", ".15", ".3.part"):
        work_file.with_name(work_file.name + name).write_bytes(b"work")
    list(Build(empty_library, ["KNvK"]).events())
    assert empty_library.is_built("KNvK") and not list(work_file.parent.iterdir())


@pytest.mark.slow
def test_a_full_disk_ends_a_build_without_leftovers(tiny_disk: Path) -> None:
    library = Library(CHESS, tiny_disk)
    with pytest.raises(StorageError, match="disk is full"):
        build(library, ["KQvKR"])
    assert not library.is_built("KQvKR") and _debris(library) == []
    build(library, ["KBvK"])
    assert library.is_built("KBvK")


@pytest.mark.slow
def test_a_directory_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    with pytest.raises(StorageError, match=r"cannot be written.*--data-dir"):
        build(Library(CHESS, blocked), ["KBvK"])


def test_without_a_compiler_a_build_says_how_to_get_one(
    empty_library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paths, "find_spec", lambda name: None)
    with pytest.raises(EndgameError, match=r"numba, which is not installed; run: pip install numba"):
        build(empty_library, ["KBvK"])
    assert not empty_library.is_built("KBvK")


@pytest.mark.slow
def test_a_corrupt_sub_ending_stops_the_build_with_its_name(library: Library, empty_library: Library) -> None:
    give(library, empty_library, "KBvK", "KRvKB")
    path = empty_library.path("KBvK")
    whole = bytearray(path.read_bytes())
    whole[-20] ^= 255
    path.write_bytes(bytes(whole))
    empty_library.disk.remove("KRvKB")
    with pytest.raises(EndgameError, match=r"KBvK\.egt is corrupt"):
        build(empty_library, ["KRvKB"])
    build(empty_library, ["KRvKB"])
    assert verify(empty_library, "KRvKB", samples=50).mismatch is None


@pytest.mark.slow
def test_a_build_can_be_cancelled_while_its_process_starts(
    empty_library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = Build(empty_library, ["KRvKR"], 1)
    start = subprocess.Popen

    def popen(*args: Any, **kwargs: Any) -> Any:
        work.cancel()
        return start(*args, **kwargs)

    monkeypatch.setattr(subprocess, "Popen", popen)
    with pytest.raises(BuildCancelledError):
        list(work.events())
    assert not empty_library.is_built("KRvKR")


@pytest.mark.slow
def test_a_sub_ending_that_disappears_is_named(library: Library, empty_library: Library) -> None:
    give(library, empty_library, "KBvK", "KNvK")
    work = Build(empty_library, ["KBvKN"], 1)
    with pytest.raises(NotBuiltError, match="build KNvK") as caught:
        for event in work.events():
            if event.event == "plan":
                empty_library.disk.remove("KNvK")
    assert caught.value.ending == "KNvK"


def test_an_aborted_builder_leaves_no_files(empty_library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    directory = empty_library.directory
    directory.mkdir(parents=True)
    for name in (".KQvK.egt.1.part", ".KQvK.egt.1.body", "KQvK.egt"):
        (directory / name).write_bytes(b"half")
    ended = threading.Event()
    monkeypatch.setattr(builder, "_CANCEL_SECONDS", 0)
    monkeypatch.setattr("sys.stdin", io.StringIO())
    monkeypatch.setattr(os, "_exit", lambda code: ended.set() if code == 3 else None)
    jsonl_process.end_with_input(builder.Builder(empty_library, ["KQvKR"], 1).abort)
    assert ended.wait(60) and [path.name for path in directory.iterdir()] == ["KQvK.egt"]


def _refuse(*_: Any) -> None:
    raise PermissionError(errno.EACCES, "Permission denied")


def test_a_damaged_table_that_cannot_be_put_aside_is_still_named(
    empty_library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    empty_library.directory.mkdir(parents=True)
    empty_library.path("KBvK").write_bytes(b"damaged")
    monkeypatch.setattr(Path, "replace", _refuse)
    assert "KBvK.egt is truncated" in empty_library.entry("KBvK").reason


def test_an_unreadable_table_is_not_treated_as_damaged(empty_library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    empty_library.directory.mkdir(parents=True)
    path = empty_library.path("KQvK")
    path.write_bytes((paths.starter_dir() / path.name).read_bytes())
    with monkeypatch.context() as patch, pytest.raises(TableError, match=r"cannot be read \(Permission denied\)"):
        patch.setattr(os, "open", _refuse)
        empty_library.table("KQvK")
    assert path.is_file() and empty_library.entry("KQvK").state == "built"


def test_kernels_go_elsewhere_if_the_cache_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "cache").write_text("in the way")
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setattr(paths, "cache_dir", lambda: tmp_path / "cache")
    monkeypatch.setattr(paths, "user_cache_dir", lambda: tmp_path / "cache")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(paths, "source_fingerprint", lambda: "old")
    old = Path(paths.kernel_environment()["NUMBA_CACHE_DIR"])
    monkeypatch.setattr(paths, "source_fingerprint", lambda: "new")
    new = Path(paths.kernel_environment()["NUMBA_CACHE_DIR"])
    assert old != new == Path(paths.kernel_environment()["NUMBA_CACHE_DIR"])
    assert new.stat().st_mode & 0o777 == 0o700
    if os.getuid() == 0:
        os.chown(new, 1, -1)  # somebody else's: what lies in it is not run
        other = Path(paths.kernel_environment()["NUMBA_CACHE_DIR"])
        assert other != new and other.stat().st_mode & 0o777 == 0o700
        paths._new_temporary.cache_clear()  # pyright: ignore[reportPrivateUsage] - the next run takes it again
        assert Path(paths.kernel_environment()["NUMBA_CACHE_DIR"]) == other

"""Faults while building: nothing is lost, and one sentence says what to do."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from endgame_core.chess.game import CHESS
from endgame_core.errors import BuildCancelledError, BusyError, EndgameError, StorageError
from endgame_core.tables.builder import Build
from endgame_core.tables.library import Library

from .conftest import build


def _debris(library: Library) -> list[str]:
    return [path.name for path in library.directory.iterdir() if path.name.startswith(".")]


def test_cancelling_keeps_finished_tables(empty_library: Library) -> None:
    work = Build(empty_library, ["KRRvKR"], 1)
    with pytest.raises(BuildCancelledError, match="kept"):
        for event in work.events():
            if event.event == "layer" and event.ending == "KRRvKR" and event.n == 2:
                work.cancel()
    assert empty_library.is_built("KRvKR") and not empty_library.is_built("KRRvKR")
    assert _debris(empty_library) == []


def test_kill_9_loses_only_the_ending_in_hand(empty_library: Library) -> None:
    work = Build(empty_library, ["KRRvKR"], 1)
    with pytest.raises(EndgameError, match="ended early"):
        for event in work.events():
            if event.ending == "KRRvKR" and event.event == "layer" and event.n == 1:
                assert work._child is not None
                os.kill(work._child.pid, signal.SIGKILL)
    assert empty_library.is_built("KRvKR")
    (empty_library.directory / ".KRRvKR.egt.1.part").write_bytes(b"debris")
    build(empty_library, ["KRvKN"])
    assert _debris(empty_library) == []
    assert empty_library.verify("KRvKR", samples=50).mismatch is None


def test_two_builders_at_once(empty_library: Library) -> None:
    first = Build(empty_library, ["KRvKR"])
    events = first.events()
    next(events)
    with pytest.raises(BusyError, match="another build"):
        build(empty_library, ["KQvKQ"])
    list(events)
    assert empty_library.is_built("KRvKR")


@pytest.fixture
def tiny_disk(tmp_path: Path) -> Iterator[Path]:
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=600k", "tmpfs", str(disk)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("only root may mount a tiny disk")
    yield disk
    subprocess.run(["umount", "-l", str(disk)], check=False)


def test_a_full_disk(tiny_disk: Path, kernels: None) -> None:
    library = Library(CHESS, tiny_disk)
    with pytest.raises(StorageError, match="disk is full"):
        build(library, ["KQvKR"])
    assert not library.is_built("KQvKR") and _debris(library) == []
    build(library, ["KBvK"])
    assert library.is_built("KBvK")


def test_a_directory_that_cannot_be_written(tmp_path: Path, kernels: None) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    with pytest.raises(StorageError, match=r"cannot be written.*--data-dir"):
        build(Library(CHESS, blocked), ["KBvK"])


def test_a_corrupt_sub_ending_stops_the_build_with_its_name(empty_library: Library) -> None:
    build(empty_library, ["KRvKB"])
    path = empty_library.path("KBvK")
    whole = bytearray(path.read_bytes())
    whole[-20] ^= 255
    path.write_bytes(bytes(whole))
    empty_library.remove("KRvKB")
    with pytest.raises(EndgameError, match=r"KBvK\.egt is corrupt"):
        build(empty_library, ["KRvKB"])
    build(empty_library, ["KRvKB"])
    assert empty_library.verify("KRvKB", samples=50).mismatch is None

"""Files appear whole or not at all, and leftovers of a killed program are removed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from endgame_core.paths import atomic_write
from endgame_core.system import process_is_alive

_WRITER = """
import sys
from pathlib import Path
from endgame_core.paths import atomic_write
with atomic_write(Path(sys.argv[1])) as file:
    file.write(b"half")
    file.flush()
    print("begun", flush=True)
    sys.stdin.read()
"""


def writer(path: Path) -> subprocess.Popen[str]:
    """A process that has written half of a file."""
    process = subprocess.Popen(
        [sys.executable, "-c", _WRITER, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None and process.stdout.readline() == "begun\n"
    return process


def names(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.iterdir())


@pytest.mark.parametrize("name", ["KQvK.zip", "a[b].zip"])
def test_the_next_writer_deletes_files_of_a_killed_writer(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    with writer(path) as killed:
        killed.send_signal(signal.SIGKILL)
    assert process_is_alive(killed.pid) is False and names(tmp_path) == [f".{name}.{killed.pid}.part"]
    with atomic_write(path) as file:
        file.write(b"all")
    assert names(tmp_path) == [name] and path.read_bytes() == b"all"


def test_files_of_living_writers_and_of_other_names_stay(tmp_path: Path) -> None:
    path = tmp_path / "KQvK.zip"
    with writer(path) as killed:
        killed.send_signal(signal.SIGKILL)
    others = [f".KQvKR.zip.{killed.pid}.part", ".KQvK.zip.notes.part"]
    for other in others:
        (tmp_path / other).touch()
    with writer(path) as living:
        with atomic_write(path) as file:
            file.write(b"mine")
        assert names(tmp_path) == sorted([*others, f".KQvK.zip.{living.pid}.part", "KQvK.zip"])
        living.communicate()
    assert path.read_bytes() == b"half" and names(tmp_path) == sorted([*others, "KQvK.zip"])


def test_a_file_written_by_another_machine_stays(tmp_path: Path) -> None:
    """Its process is none of this machine, or another one; but its file is locked."""
    path = tmp_path / "KQvK.zip"
    with writer(path) as killed:
        killed.send_signal(signal.SIGKILL)
    with writer(path) as living:
        elsewhere = (tmp_path / f".KQvK.zip.{living.pid}.part").rename(tmp_path / f".KQvK.zip.{killed.pid}.part")
        with atomic_write(path) as file:
            file.write(b"mine")
        assert elsewhere.exists()
        living.kill()


def test_a_leftover_is_deleted_although_its_process_id_is_in_use_again(tmp_path: Path) -> None:
    """Nobody holds its lock, and it is too old for one that has just been created."""
    leftover = tmp_path / f".KQvK.zip.{os.getppid()}.part"
    leftover.touch()
    with atomic_write(tmp_path / "KQvK.zip") as file:
        file.write(b"new")
    assert leftover.exists(), "it may have been created just now, and not locked yet"
    os.utime(leftover, (0, 0))
    with atomic_write(tmp_path / "KQvK.zip") as file:
        file.write(b"new")
    assert names(tmp_path) == ["KQvK.zip"]


def test_an_old_file_that_is_still_being_written_stays(tmp_path: Path) -> None:
    path = tmp_path / "KQvK.zip"
    with writer(path) as living:
        unfinished = tmp_path / f".KQvK.zip.{living.pid}.part"
        os.utime(unfinished, (0, 0))
        with atomic_write(path) as file:
            file.write(b"mine")
        assert unfinished.exists()
        living.communicate()

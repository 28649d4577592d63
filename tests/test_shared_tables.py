"""Read-only tables of others: used where ours are missing, and never changed."""

from __future__ import annotations

import json
import os
import shutil
import socket
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from endgame_core.answers import Answers
from endgame_core.chess.game import CHESS
from endgame_core.cli.main import main
from endgame_core.errors import EndgameError, StorageError, TableError
from endgame_core.paths import AccessPolicy, shared_tables
from endgame_core.tables import survey
from endgame_core.tables.find import Find, Query
from endgame_core.tables.library import Library
from endgame_core.tables.verification import verify

from .conftest import build

NEEDED = ("KQvK", "KRvK", "KBvK", "KNvK")
FEN = "8/8/8/8/8/1r6/6Q1/k1K5 b - - 0 1"


@pytest.fixture
def theirs(library: Library, tmp_path: Path) -> Path:
    """A data directory of somebody else, with KQvKR and what KPvK needs."""
    found = tmp_path / "theirs" / "tables"
    found.mkdir(parents=True)
    for ending in (*NEEDED, "KQvKR"):
        shutil.copy(library.table(ending).path, found / f"{ending}.egt")
    return found


@pytest.fixture
def behind(theirs: Path, tmp_path: Path) -> Library:
    return Library(CHESS, tmp_path / "mine", shared=[theirs])


def stand(directory: Path) -> dict[str, tuple[int, int]]:
    """What there is in a directory, how large it is, and since when."""
    return {path.name: (path.stat().st_size, path.stat().st_mtime_ns) for path in directory.iterdir()}


def run(tmp_path: Path, theirs: Path, *args: str) -> Result:
    return CliRunner().invoke(main, ["--data-dir", str(tmp_path / "mine"), "--tables", str(theirs), *args])


def test_read_only_tables_are_read_and_not_changed(behind: Library, theirs: Path) -> None:
    before = stand(theirs)
    assert behind.code(CHESS.parse(FEN)) == Library(CHESS, theirs.parent).code(CHESS.parse(FEN))
    assert behind.entry("KQvKR").owner == "shared" and behind.planner.plan(["KQvKR"]) == []
    with pytest.raises(StorageError, match=r"KQvKR is shared and read-only here; only its owner can delete it\."):
        behind.disk.remove("KQvKR")
    with pytest.raises(StorageError, match="only its owner can compact it"):
        behind.disk.compact("KQvKR")
    assert verify(behind, "KQvKR", 20).mismatch is None
    assert stand(theirs) == before and not behind.root.exists() and behind.disk.used_bytes() == 0


def test_own_tables_come_first_and_starter_tables_last(behind: Library, theirs: Path) -> None:
    assert behind.entry("KQvK").owner == "shared" and behind.table("KQvK").path == theirs / "KQvK.egt"
    (theirs / "KQvK.egt").unlink()
    assert behind.entry("KQvK").owner == "shipped"
    behind.directory.mkdir(parents=True)
    os.link(theirs / "KQvKR.egt", behind.path("KQvKR"))
    assert behind.entry("KQvKR").owner == "own" and behind.disk.remove("KQvKR") > 0
    assert behind.entry("KQvKR").owner == "shared"


@pytest.mark.slow
def test_a_build_skips_sub_endings_in_read_only_tables(behind: Library, theirs: Path) -> None:
    before = stand(theirs)
    build(behind, ["KPvK"])
    assert [path.name for path in behind.directory.iterdir()] == ["KPvK.egt"] and stand(theirs) == before


@pytest.mark.slow
def test_a_query_searches_read_only_tables(behind: Library) -> None:
    assert Find(Query(behind, "KQvKR", "white wins and depth < 8")).run(lambda *_: None).count > 0


@pytest.mark.slow
def test_the_statistics_of_a_read_only_table_are_stored_in_the_own_directory(behind: Library, theirs: Path) -> None:
    before = stand(theirs)
    made = survey.make(behind, "KQvK", 1, lambda _: None)
    assert stand(theirs) == before and [path.name for path in behind.directory.iterdir()] == ["KQvK.about"]
    other = Library(CHESS, behind.root.parent / "other", shared=[behind.directory, theirs])
    assert survey.load(other, "KQvK") is None, "it lies beside no table of theirs"
    behind.directory.joinpath("KQvK.about").replace(theirs / "KQvK.about")
    assert survey.load(other, "KQvK") == made


def test_a_damaged_read_only_table_is_not_put_aside(behind: Library, theirs: Path) -> None:
    path, whole = theirs / "KQvKR.egt", (theirs / "KQvKR.egt").read_bytes()
    path.unlink()
    path.write_bytes(whole[:-9])
    before = stand(theirs)
    with pytest.raises(TableError, match="build it again"):
        behind.table("KQvKR")
    assert behind.entry("KQvKR").state == "damaged" and behind.planner.plan(["KQvKR"]) == ["KQvKR"]
    assert stand(theirs) == before
    path.write_bytes(whole)
    later = path.stat().st_mtime + 5
    os.utime(path, (later, later))
    assert behind.entry("KQvKR").state == "built", "it has been mended"


def test_a_read_only_directory_may_be_a_data_directory_or_its_tables(theirs: Path, tmp_path: Path) -> None:
    assert shared_tables(theirs) == shared_tables(theirs.parent) == theirs
    with pytest.raises(EndgameError, match=r"the table directory .*nowhere does not exist; name a data directory"):
        shared_tables(tmp_path / "nowhere")
    result = run(tmp_path, tmp_path / "nowhere", "tables")
    assert result.exit_code == 1 and "nowhere does not exist" in result.stderr


def test_commands_print_the_owner_of_a_table(theirs: Path, tmp_path: Path) -> None:
    listed = {row.split()[0]: row for row in run(tmp_path, theirs, "tables").stdout.splitlines()}
    assert listed["KQvKR"].endswith("built (shared)") and "KPvK" not in listed
    told = {row["ending"]: row["owner"] for row in json.loads(run(tmp_path, theirs, "tables", "--json").stdout)}
    assert (told["KQvKR"], told["3-3"]) == ("shared", "shipped")
    assert json.loads(run(tmp_path, theirs, "paths", "--json").stdout)["shared"] == str(theirs)
    refused = run(tmp_path, theirs.parent, "remove", "KQvKR")
    assert (refused.exit_code, "is shared and read-only here" in refused.stderr) == (1, True)


def test_the_server_uses_read_only_tables(theirs: Path, tmp_path: Path) -> None:
    answers = Answers.of(tmp_path / "mine", access=AccessPolicy((theirs,)))
    assert answers.standard(answers.read(FEN))["category"] == "win"


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["pipe", "socket", "device", "link to a pipe", "directory"])
def test_a_special_file_is_not_a_table(theirs: Path, tmp_path: Path, kind: str) -> None:
    """Opening a pipe waits for a writer, for ever."""
    path = theirs / "KQvKR.egt"
    path.unlink()
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "socket":
        with socket.socket(socket.AF_UNIX) as listening:
            os.chdir(theirs)  # its name must be short
            listening.bind(path.name)
    elif kind == "device":
        path.symlink_to("/dev/tty")
    elif kind == "directory":
        path.mkdir()
    else:
        os.mkfifo(tmp_path / "pipe")
        path.symlink_to(tmp_path / "pipe")
    os.mkfifo(theirs / "KRvK.about")
    listed = run(tmp_path, theirs, "tables")
    assert listed.exit_code == 0 and "KQvKR" not in listed.output
    probed = run(tmp_path, theirs, "probe", FEN)
    assert probed.exit_code == 1 and "KQvKR is not built" in probed.output
    assert run(tmp_path, theirs, "about", "KRvK").exit_code == 0

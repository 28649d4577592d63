"""FIFOs, sockets and devices with the names of our files are never opened."""

from __future__ import annotations

import os
import signal
import stat
from collections.abc import Callable, Generator
from functools import partial
from pathlib import Path
from types import FrameType

import pytest
from click.testing import CliRunner, Result

from endgame_core.app_state import AppState
from endgame_core.chess import syzygy
from endgame_core.chess.game import CHESS
from endgame_core.cli.main import main
from endgame_core.errors import EndgameError, StorageError, TableError
from endgame_core.practice.journal import Journal
from endgame_core.practice.records import JournalError
from endgame_core.practice.studies import Studies
from endgame_core.settings import Settings
from endgame_core.tables import survey
from endgame_core.tables.archive import import_archive
from endgame_core.tables.file import Table
from endgame_core.tables.library import Library
from endgame_core.tables.locks import Locks
from endgame_core.tasks.saved_games import read_games_file
from endgame_core.untrusted import open_regular

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no FIFOs")


def _fifo(path: Path) -> None:
    os.mkfifo(path)


def _socket(path: Path) -> None:
    os.mknod(path, 0o600 | stat.S_IFSOCK)  # a bound one stays after its process in the same way


def _device(path: Path) -> None:
    path.symlink_to("/dev/zero")


@pytest.fixture(params=[_fifo, _socket, _device])
def put(request: pytest.FixtureRequest) -> Callable[[Path], None]:
    """Puts something that is no file somewhere."""
    return request.param


@pytest.fixture(autouse=True)
def _no_waiting() -> Generator[None]:
    """Fails a test that waits for somebody to write into a FIFO."""

    def fail(_signal: int, _frame: FrameType | None) -> None:
        raise AssertionError("it waits for ever")

    before = signal.signal(signal.SIGALRM, fail)
    signal.alarm(60)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def run(root: Path, *arguments: object) -> Result:
    return CliRunner().invoke(main, ["--data-dir", str(root), *map(str, arguments)])


class TestTables:
    def test_special_files_are_not_tables(self, put: Callable[[Path], None], tmp_path: Path) -> None:
        shared = tmp_path / "shared"
        shared.mkdir()
        put(shared / "KPvK.egt")
        put(shared / "KRPvKR.egt")
        listed = run(tmp_path, "--tables", shared, "tables")
        assert listed.exit_code == 0 and "KRvK" in listed.stdout and "KPvK" not in listed.stdout
        asked = run(tmp_path, "--tables", shared, "probe", "8/8/8/8/8/2k5/4P3/4K3 w - - 0 1")
        assert asked.exit_code == 1 and "KPvK is not built" in asked.stderr

    def test_a_build_replaces_a_special_file(self, put: Callable[[Path], None], empty_library: Library) -> None:
        empty_library.directory.mkdir(parents=True, exist_ok=True)
        path = empty_library.path("KPvK")
        put(path)
        assert not empty_library.is_built("KPvK") and "KPvK" in empty_library.planner.plan(["KPvK"])

    def test_a_special_file_in_place_of_a_table_is_refused(self, put: Callable[[Path], None], tmp_path: Path) -> None:
        put(tmp_path / "KQvK.egt")
        with pytest.raises(TableError, match="cannot be read"):
            Table(tmp_path / "KQvK.egt", partial(CHESS.index.arrays().copies_in, "KQvK"))

    def test_a_special_file_in_place_of_a_survey_is_ignored(
        self, put: Callable[[Path], None], empty_library: Library
    ) -> None:
        empty_library.directory.mkdir(parents=True, exist_ok=True)
        put(survey.file_of(empty_library, "KQvK"))
        assert survey.load(empty_library, "KQvK") is None

    def test_a_special_file_in_place_of_an_archive_is_refused(
        self, put: Callable[[Path], None], empty_library: Library, tmp_path: Path
    ) -> None:
        put(tmp_path / "KQvK.zip")
        with pytest.raises(EndgameError, match=r"KQvK\.zip"):
            import_archive(empty_library, tmp_path / "KQvK.zip")

    def test_a_special_file_in_place_of_a_lock_is_ignored(self, put: Callable[[Path], None], tmp_path: Path) -> None:
        put(tmp_path / "KQvK.egt.lock")
        assert Locks(tmp_path).holders() == {}

    def test_a_special_file_in_place_of_a_syzygy_file_is_refused(
        self, put: Callable[[Path], None], tmp_path: Path
    ) -> None:
        put(tmp_path / "KQvK.rtbw")
        with pytest.raises(StorageError, match="there is no Syzygy file"):
            syzygy.tables_in(str(tmp_path))
        with pytest.raises(TableError, match="cannot be read"):
            syzygy.opened(tmp_path / "KQvK.rtbw")


class TestDataDirectory:
    def test_a_special_file_in_place_of_the_settings_is_refused(
        self, put: Callable[[Path], None], tmp_path: Path
    ) -> None:
        put(tmp_path / "settings.toml")
        (problem,) = Settings(tmp_path).problems
        assert "cannot be read" in str(problem)

    def test_a_special_file_in_place_of_the_app_state_is_refused(
        self, put: Callable[[Path], None], tmp_path: Path
    ) -> None:
        put(tmp_path / "memory.json")
        assert "cannot be read" in str(AppState(tmp_path / "memory.json").problem)

    def test_a_special_file_in_place_of_the_journal_is_refused(
        self, put: Callable[[Path], None], tmp_path: Path
    ) -> None:
        put(tmp_path / "journal.sqlite3")
        with pytest.raises(JournalError):
            Journal(tmp_path / "journal.sqlite3").attempts()

    def test_a_special_file_in_place_of_a_set_of_studies_is_ignored(
        self, put: Callable[[Path], None], tmp_path: Path
    ) -> None:
        (tmp_path / "studies").mkdir()
        put(tmp_path / "studies" / "mine.json")
        assert Studies(CHESS, tmp_path / "studies").own() == ()

    def test_a_special_file_in_place_of_a_game_is_refused(self, put: Callable[[Path], None], tmp_path: Path) -> None:
        put(tmp_path / "game.pgn")
        with pytest.raises(StorageError, match="not a regular file"):
            read_games_file(tmp_path / "game.pgn")


def test_a_missing_file_is_reported_as_missing(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        open_regular(tmp_path / "nothing")


def test_a_file_that_the_user_names_may_be_a_stream(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.write(writing, b"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\n")
    os.close(writing)
    result = run(tmp_path, "studies", "import", f"/dev/fd/{reading}", "--set", "mine")
    os.close(reading)
    assert result.exit_code == 0, result.output

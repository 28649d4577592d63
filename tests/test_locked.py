"""``--locked``: no file outside the data directory is reached, whatever is typed or set."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from endgame_core import paths
from endgame_core.app_context import AppContext
from endgame_core.cli.main import main
from endgame_core.errors import StorageError
from endgame_core.paths import UNRESTRICTED, AccessPolicy
from endgame_core.plain.console import Console
from endgame_core.plain.dialogue import Dialogue
from endgame_core.plain.terminal import Terminal
from endgame_core.thinking import SearchEngine
from tests.tui.test_locked_prompts import outside_names

SOURCES = Path(__file__).parents[1]
LOCKED = AccessPolicy(locked=True)


@pytest.fixture
def outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory that is not to be reached, which is the home directory, too."""
    found = tmp_path / "outside"
    found.mkdir()
    monkeypatch.setenv("HOME", str(found))
    (found / "there.epd").write_text('7K/6Q1/8/8/2k5/8/8/8 w - - id "theirs";\n')
    (found / "there.jsonl").write_text("")
    return found


def test_a_bare_file_name_goes_to_the_exports(tmp_path: Path) -> None:
    root = tmp_path / "data"
    assert LOCKED.file("a.pgn", root) == root / "exports" / "a.pgn" and (root / "exports").is_dir()
    assert LOCKED.file(str(root / "games" / "b.pgn"), root) == root / "games" / "b.pgn"
    assert LOCKED.file("../games/b.pgn", root) == root / "games" / "b.pgn"
    assert UNRESTRICTED.file("/somewhere/else", root) == Path("/somewhere/else")


def test_a_locked_program_reaches_no_other_files(tmp_path: Path, outside: Path) -> None:
    root = tmp_path / "data"
    (root / "exports").mkdir(parents=True)
    (root / "exports" / "link").symlink_to(outside)
    own = ["../settings.toml", "../tables/KQvK.egt", str(root / "journal.sqlite3"), "..", "link/there.epd"]
    for text in (*outside_names(outside), *own):
        with pytest.raises(StorageError, match=r"^locked: .* is outside the data directory; type only a file name"):
            LOCKED.file(text, root)


def test_a_locked_program_starts_no_program_from_the_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SYZYGY_PATH", raising=False)
    monkeypatch.setenv("ENDGAME_TUI_ENGINE", "/bin/sh")
    paths.settings_file(tmp_path).write_text('syzygy = "/nowhere"\nengine = "/bin/sh"\n')
    troubles: list[object] = []
    locked = AppContext(tmp_path, on_problem=troubles.append, access=LOCKED)
    assert locked.syzygy is None and type(locked.engine("chess")) is SearchEngine and not troubles
    free = AppContext(tmp_path, on_problem=troubles.append)
    assert free.syzygy is None and type(free.engine("chess")) is not SearchEngine and len(troubles) == 1


def test_a_link_among_the_saved_games_is_not_followed(tmp_path: Path, outside: Path) -> None:
    games = tmp_path / "data" / "games"
    games.mkdir(parents=True)
    (games / "link.pgn").symlink_to(outside / "there.epd")
    (games / "there").symlink_to(outside)
    told = io.StringIO()
    dialogue = Dialogue(Console(AppContext(tmp_path / "data", access=LOCKED), Terminal(True, io.StringIO(), told)))
    for line in ("play", "load link.pgn", "load there", "load there/there.epd", "load there/new.pgn"):
        dialogue.obey(line)
    dialogue.close()
    written = " ".join(told.getvalue().split())
    assert written.count("is outside the data directory") == 3 and "new.pgn" in told.getvalue()
    assert "theirs" not in told.getvalue()


def test_every_typed_file_name_passes_through_one_function() -> None:
    """Whatever turns what was typed into a file asks it."""
    callers = [
        path.name
        for path in SOURCES.glob("*/endgame_*/**/*.py")
        if re.search(r"\bfile_named\(", path.read_text("utf-8"))
    ]
    assert sorted(callers) == ["paths.py", "untrusted.py"]
    typed = [path.name for path in SOURCES.glob("tui/**/*.py") if "expanduser" in path.read_text("utf-8")]
    assert not typed


class TestCommands:
    @staticmethod
    def run(tmp_path: Path, *args: str) -> Result:
        return CliRunner().invoke(main, ["--data-dir", str(tmp_path / "data"), "--locked", *args])

    @pytest.mark.parametrize(
        "command",
        [
            ("export", "KQvK", "FILE"), ("import", "FILE"), ("journal", "export", "FILE"),
            ("journal", "import", "FILE"), ("studies", "import", "FILE"), ("studies", "export", "first-mates", "FILE"),
            ("syzygy", "--syzygy", "FILE"),
            ("build", "KPvK", "--cluster", "FILE"), ("probe", "--syzygy", "FILE", "7K/6Q1/8/8/2k5/8/8/8 w"),
        ],
    )  # fmt: skip
    @pytest.mark.parametrize("name", ["new", "there.epd"])
    def test_commands_with_files_elsewhere_are_refused_and_change_nothing(
        self, command: tuple[str, ...], name: str, tmp_path: Path, outside: Path
    ) -> None:
        self.run(tmp_path, "studies", "add", "7K/6Q1/8/8/2k5/8/8/8 w", "--set", "First mates")
        before = sorted(outside.iterdir())
        result = self.run(tmp_path, *(str(outside / name) if word == "FILE" else word for word in command))
        assert result.exit_code == 1 and not result.stdout, result.output
        assert result.stderr.count("\n") == 1 and "locked: " in result.stderr, result.stderr
        assert sorted(outside.iterdir()) == before

    def test_a_locked_program_refuses_a_cluster(self, tmp_path: Path) -> None:
        for where in ("tcp://x:1", "local:2"):
            told = self.run(tmp_path, "build", "KPvK", "--cluster", where).stderr
            assert told == "endgame-tui: locked: clusters cannot be used; leave out --cluster.\n"

    @pytest.mark.slow
    def test_commands_of_a_locked_program_write_and_read_among_the_exports(self, tmp_path: Path) -> None:
        assert self.run(tmp_path, "export", "KQvK", "KQvK.zip").exit_code == 0
        assert (tmp_path / "data" / "exports" / "KQvK.zip").stat().st_size > 1000
        assert self.run(tmp_path, "import", "--force", "KQvK.zip").exit_code == 0

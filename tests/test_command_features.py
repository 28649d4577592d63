"""Features of all commands: JSON, CSV, standard input, quiet runs, progress and exit statuses."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from endgame_core.cli.main import main
from endgame_core.cli.progress import BYTES, ProgressText
from endgame_core.tables.library import Library

from .conftest import give

FEN = "7K/6Q1/8/8/2k5/8/8/8 w - - 0 1"
ROOK = "8/8/8/8/8/1k6/1n6/K1R5 w - - 0 1"
Run = Callable[..., Result]

DATA_COMMANDS = {
    "about", "build", "compact", "convert", "export", "find", "games", "import", "journal export", "journal import",
    "layers", "line", "paths", "positions", "previous", "probe", "remove", "stats", "studies", "studies add",
    "studies check", "studies export", "studies import", "studies remove", "studies show", "syzygy", "tables", "verify",
}  # fmt: skip
"""The commands that print data; the others are a group, draw a picture, or speak a protocol."""

LIST_COMMANDS = {
    "about", "build", "compact", "find", "games", "layers", "line", "positions", "previous", "probe", "studies",
    "studies check", "studies show", "syzygy", "tables", "verify",
}  # fmt: skip

OTHER_COMMANDS = {"diagram", "journal", "open", "serve", "uci"}


def commands(group: click.Group = main, above: str = "") -> Iterator[tuple[str, click.Command]]:
    with click.Context(group) as context:
        for name in group.list_commands(context):
            command = group.get_command(context, name)
            assert command is not None
            yield above + name, command
            if isinstance(command, click.Group):
                yield from commands(command, f"{above}{name} ")


def options_of(command: click.Command) -> set[str]:
    return {name for parameter in command.params for name in parameter.opts}


@pytest.fixture
def run(library: Library) -> Run:
    def call(*args: str, stdin: str | bytes | None = None, root: Path | None = None) -> Result:
        return CliRunner().invoke(main, ["--data-dir", str(root or library.root), *args], input=stdin)

    return call


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_every_command_has_the_options_of_its_kind() -> None:
    options = {name: options_of(command) for name, command in commands()}
    assert options.keys() == DATA_COMMANDS | OTHER_COMMANDS
    assert {name for name, found in options.items() if "--json" in found} == DATA_COMMANDS
    assert {name for name, found in options.items() if "--csv" in found} == LIST_COMMANDS
    assert {name for name, found in options.items() if {"--quiet", "--no-color"} <= found} == options.keys()
    assert {"--quiet", "--no-color"} <= options_of(main)


@pytest.mark.parametrize("name", sorted(DATA_COMMANDS | OTHER_COMMANDS - {"open"}))
def test_wrong_usage_of_any_command_exits_with_2(run: Run, name: str) -> None:
    result = run(*name.split(), "--no-such-option")
    assert (result.exit_code, result.stdout) == (2, "") and "No such option" in result.stderr


PROBLEMS = {
    "about": ["KQvQ"], "build": ["KQvQ"], "compact": ["KRRRvK"], "convert": ["nonsense"], "diagram": ["nonsense"],
    "export": ["KRRRvK", "FILE"], "find": ["KRRRvK", "white wins"], "games": ["FILE"], "import": ["FILE"],
    "journal import": ["FILE"], "layers": ["KRRRvK"], "line": ["nonsense"], "positions": ["KRRRvK"],
    "previous": ["nonsense"], "probe": ["nonsense"], "remove": ["KRRRvK"], "serve": ["--http", "192.0.2.1:1"],
    "studies add": ["nonsense"], "studies check": ["no such set"], "studies export": ["no such set", "FILE"],
    "studies import": ["FILE"], "studies remove": ["no such set"], "studies show": ["no such set"],
    "syzygy": ["--syzygy", "FILE"], "verify": ["KRRRvK"],
}  # fmt: skip
"""Arguments with which a command cannot do what it is asked; ``FILE`` is a file that is not there."""


@pytest.mark.parametrize("name", PROBLEMS)
def test_a_problem_of_any_command_exits_with_1_and_is_printed_when_quiet(
    library: Library, tmp_path: Path, run: Run, name: str
) -> None:
    arguments = [str(tmp_path / "missing") if argument == "FILE" else argument for argument in PROBLEMS[name]]
    result = run("--quiet", *name.split(), *arguments, root=tmp_path)
    assert (result.exit_code, result.stdout) == (1, "") and result.stderr
    assert not isinstance(result.exception, Exception)


def test_commands_exit_with_0_print_json_and_nothing_else_when_quiet(
    library: Library, tmp_path: Path, run: Run
) -> None:
    root = tmp_path / "data"
    (tmp_path / "game.pgn").write_text(f'[FEN "{ROOK}"]\n[SetUp "1"]\n\n1. Rc3+ *\n', encoding="utf-8")
    (tmp_path / "list.fen").write_text(f"{ROOK}\n", encoding="utf-8")
    give(library, Library(library.game, root), "KNvK", "KRvKN")
    archive = str(tmp_path / "KRvKN.zip")
    calls = {
        "paths": [], "tables": [], "layers": ["KRvKN"], "positions": ["KRvKN", "--layer", "1", "--winner", "white"],
        "probe": [ROOK], "line": [ROOK], "previous": [ROOK], "convert": [ROOK], "stats": [],
        "find": ["KRvKN", "white wins and depth = 1"], "games": [str(tmp_path / "game.pgn")],
        "export": ["KRvKN", archive], "import": [archive, "--force"], "verify": ["KRvKN"], "compact": ["KRvKN"],
        "build": ["KBvK", "--dry-run"], "studies": [], "studies add": [ROOK],
        "studies import": [str(tmp_path / "list.fen")], "studies show": ["list"], "studies check": ["list"],
        "studies export": ["list", str(tmp_path / "list.epd")], "studies remove": ["list"],
        "journal export": [str(tmp_path / "journal.jsonl")], "journal import": [str(tmp_path / "journal.jsonl")],
        "about": ["KRvKN"], "remove": ["KRvKN"],
    }  # fmt: skip
    assert calls.keys() == DATA_COMMANDS - {"syzygy"}
    for name, arguments in calls.items():
        result = run(*name.split(), *arguments, "--json", "--quiet", root=root)
        assert (name, result.exit_code, result.stderr) == (name, 0, "")
        assert result.stdout and all(json.loads(line) is not None for line in result.stdout.splitlines())


def test_lists_are_printed_as_csv_with_the_names_of_json(run: Run) -> None:
    layers = rows(run("layers", "KQvK", "--csv").stdout)
    assert [(row["winner"], row["side"]) for row in layers[-2:]] == [("", "white"), ("", "black")]
    longest_win = {"ending": "KQvK", "winner": "white", "n": "19", "canonical": "1", "all": "8"}
    assert any(longest_win.items() <= row.items() for row in layers)

    moves = rows(run("probe", FEN, "--csv").stdout)
    document = json.loads(run("probe", FEN, "--json").stdout)
    assert [move["uci"] for move in moves] == [move["uci"] for move in document["moves"]]
    assert moves[0]["dtm"] == "-18" and moves[0]["zeroing"] == "false"

    listed = rows(run("positions", "KQvK", "--layer", "19", "--csv").stdout)
    documents = run("positions", "KQvK", "--layer", "19", "--json").stdout.splitlines()
    assert [row["fen"] for row in listed] == [json.loads(line)["fen"] for line in documents]

    tables = rows(run("tables", "--csv").stdout)
    assert {"ending": "KQvKR", "state": "built", "longest": "35", "needs": "KRvK KQvK"}.items() <= next(
        row for row in tables if (row["ending"], row["metric"]) == ("KQvKR", "dtm")
    ).items()
    assert rows(run("previous", FEN, "--csv").stdout)[0].keys() == {"fen", "move", "san", "kind", "layer", "best"}
    steps = json.loads(run("line", FEN, "--json").stdout)["line"]
    expected = [{name: str(value) for name, value in step.items()} for step in steps]
    assert rows(run("line", FEN, "--csv").stdout) == expected and expected[0]["dtm"]
    for name in ("line", "previous"):
        refused = run(name, "-", "--csv", stdin=FEN)
        assert refused.exit_code == 2 and "--csv is for one position" in refused.stderr
    found = run("find", "KQvK", "depth = 19", "--csv", "--quiet")
    assert rows(found.stdout)[0]["best"] and not found.stderr
    assert found.stdout == run("find", "KQvK", "depth = 19", "--format", "csv").stdout
    both = run("layers", "KQvK", "--csv", "--json")
    assert both.exit_code == 2 and "--json and --csv cannot be combined" in both.stderr


def test_positions_are_read_from_standard_input(run: Run, tmp_path: Path) -> None:
    stdin = f"{FEN}\nnonsense\n"
    for name in ("line", "previous", "probe", "convert"):
        result = run(name, "-", "--json", stdin=stdin)
        answers = [json.loads(line) for line in result.stdout.splitlines()]
        assert (name, result.exit_code, len(answers)) == (name, 1, 2)
        assert answers[0]["fen"] == FEN and answers[1]["fen"] == "nonsense" and answers[1]["error"]
    assert [row["fen"] for row in rows(run("probe", "-", "--csv", stdin=stdin).stdout)] == [FEN, "nonsense"]

    assert run("diagram", "-", stdin=FEN).stdout == run("diagram", FEN).stdout
    several = run("diagram", "-", stdin=f"{FEN}\n{FEN}\n")
    assert several.exit_code == 1 and "several positions" in several.stderr
    added = run("studies", "add", "-", "--json", stdin=f"{FEN}\n{ROOK}\n", root=tmp_path)
    assert [json.loads(line)["fen"] for line in added.stdout.splitlines()] == [FEN, ROOK]


def test_files_are_read_from_standard_input(library: Library, run: Run, tmp_path: Path) -> None:
    root = tmp_path / "data"
    give(library, Library(library.game, root), "KNvK", "KRvKN")
    assert run("export", "KRvKN", str(tmp_path / "KRvKN.zip"), root=root).exit_code == 0
    data = (tmp_path / "KRvKN.zip").read_bytes()
    imported = json.loads(run("import", "-", "--force", "--json", stdin=data, root=root).stdout)
    assert (imported["file"], imported["ending"]) == ("-", "KRvKN")
    assert run("import", "-", stdin=b"PK", root=root).exit_code == 1

    pgn = f'[White "Ann"]\n[FEN "{FEN}"]\n[SetUp "1"]\n\n1. Qg2 Kd4 2. Qf1 *\n'
    graded = json.loads(run("games", "-", "--json", stdin=pgn, root=root).stdout)
    assert (graded["games"], graded["graded"]) == (1, 1)
    added = json.loads(run("studies", "import", "-", "--json", stdin=f"{FEN}\n", root=root).stdout)
    assert (added["set"], len(added["added"])) == ("My positions", 1)


def test_a_locked_run_reads_standard_input_but_no_files(run: Run, tmp_path: Path) -> None:
    (tmp_path / "list.fen").write_text(f"{FEN}\n", encoding="utf-8")
    root = tmp_path / "data"
    assert run("--locked", "studies", "import", "-", stdin=f"{FEN}\n", root=root).exit_code == 0
    assert run("--locked", "studies", "import", str(tmp_path / "list.fen"), root=root).exit_code == 1


def test_quiet_leaves_out_notes_but_not_the_problems_of_parts(run: Run, tmp_path: Path) -> None:
    noted = run("find", "KQvK", "depth = 19")
    assert "1 position found in KQvK" in noted.stderr and not run("find", "KQvK", "depth = 19", "-q").stderr
    assert noted.stdout == run("find", "KQvK", "depth = 19", "-q").stdout
    refused = run("-q", "studies", "import", "-", stdin=f"{FEN}\nnonsense\n", root=tmp_path)
    assert refused.exit_code == 1 and "nonsense" in refused.stderr


def test_no_color_is_heeded_by_screens_and_child_processes(tmp_path: Path) -> None:
    code = "import os, sys; from endgame_core.cli.main import main\nmain(sys.argv[1:], standalone_mode=False)\n"
    environment = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    for arguments in (["--no-color", "paths"], ["paths", "--no-color"], ["paths"]):
        result = subprocess.run(
            [sys.executable, "-P", "-c", f"{code}print(os.environ.get('NO_COLOR'))", *arguments],
            env={**environment, "ENDGAME_TUI_HOME": str(tmp_path)}, capture_output=True, text=True, check=True,
        )  # fmt: skip
        assert result.stdout.splitlines()[-1] == ("1" if "--no-color" in arguments else "None")


# Progress


def test_progress_has_rate_and_time_left_in_each_phase() -> None:
    now = 0.0
    progress = ProgressText(2_000_000, "positions", clock=lambda: now)
    assert progress.update("reading", 0) == "reading   0%"
    now = 0.5
    assert progress.update("reading", 0.1) == "reading  10%"  # too early to tell
    now = 10.0
    assert progress.update("reading", 0.5) == "reading  50%  100 000 positions/s  about 10 s left"
    assert progress.update("comparing", 0) == "comparing   0%"
    now = 30.0
    assert progress.update("comparing", 0.25) == "comparing  25%  25 000 positions/s  about 60 s left"
    assert ProgressText().update("a\x1b[2Jb", 0.5) == "a␛[2Jb  50%"


@pytest.mark.parametrize(("total", "rate"), [(0, "5.0 %/s"), (40_000_000, "2.0 MB/s")])
def test_progress_without_a_total_has_a_rate_in_percent_and_bytes_have_prefixes(total: int, rate: str) -> None:
    now = 0.0
    progress = ProgressText(total, BYTES, clock=lambda: now)
    progress.update("writing", 0)
    now = 10.0
    assert progress.update("writing", 0.5) == f"writing  50%  {rate}  about 10 s left"


_TERMINAL = """
import os, pty, sys
read, write = pty.openpty()
pid = os.fork()
if not pid:
    os.close(read)
    os.dup2(write, 2)
    os.execv(sys.executable, [sys.executable, "-P", "-m", "endgame_core.cli.main", *sys.argv[1:]])
os.close(write)
output = b""
while True:
    try:
        chunk = os.read(read, 4096)
    except OSError:
        break
    if not chunk:
        break
    output += chunk
os.waitpid(pid, 0)
sys.stderr.buffer.write(output)
"""
"""Runs a command with a terminal for standard error, whose content is printed."""


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_progress_is_shown_on_a_terminal_only(library: Library, tmp_path: Path) -> None:
    arguments = ["--data-dir", str(library.root), "verify", "KQvKR", "--samples", "300"]

    def stderr_of(*command: str) -> bytes:
        return subprocess.run([sys.executable, *command], capture_output=True, check=True).stderr

    shown = stderr_of("-c", _TERMINAL, *arguments)
    assert b"KQvKR" in shown and b"%" in shown and shown.endswith(b"\r\x1b[K")
    assert stderr_of("-c", _TERMINAL, *arguments, "--quiet") == b""
    assert stderr_of("-P", "-m", "endgame_core.cli.main", *arguments) == b""

    # Positions in a file have progress; a message takes the place of its line.
    positions = tmp_path / "positions.fen"
    positions.write_text(f"{FEN}\nnonsense\n{FEN}\n", encoding="utf-8")
    command = [sys.executable, "-c", _TERMINAL, "--data-dir", str(library.root), "convert", "-"]
    with positions.open("rb") as file:
        of_file = subprocess.run(command, stdin=file, capture_output=True, check=True)
    of_pipe = subprocess.run(command, input=positions.read_bytes(), capture_output=True, check=True)
    for result, is_shown in ((of_file, True), (of_pipe, False)):
        assert (b"reading" in result.stderr) == is_shown
        assert b"line 2: " in result.stderr and result.stdout.count(b"\n") == 2

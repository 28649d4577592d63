"""Closed standard streams, as under some daemons, and Ctrl-C while the program starts."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

import pytest
from click.testing import CliRunner

from endgame_core.cli.main import main
from endgame_core.tables.build import Build

MATE = "7K/6Q1/8/8/2k5/8/8/8 w - - 0 1"
PROGRAM = [sys.executable, "-m", "endgame_tui.start"]


def run(root: Path, redirection: str, *words: str) -> subprocess.CompletedProcess[str]:
    """Runs a command with streams redirected as a shell does it."""
    command = [*PROGRAM, "--data-dir", str(root), *words]
    return subprocess.run(["sh", "-c", f'"$@" {redirection}', "sh", *command], capture_output=True, text=True)


@pytest.mark.parametrize("words", [["probe", MATE], ["tables"], ["--version"], ["--plain"]], ids=" ".join)
def test_without_standard_input_a_command_works(tmp_path: Path, words: list[str]) -> None:
    done = run(tmp_path, "<&-", *words)
    assert done.returncode == 0 and done.stdout and not done.stderr


@pytest.mark.parametrize("words", [["probe", MATE], ["tables"], ["--version"], ["--help"], ["--plain"]], ids=" ".join)
def test_without_standard_output_a_command_that_prints_says_so(tmp_path: Path, words: list[str]) -> None:
    done = run(tmp_path, ">&-", *words)
    assert done.returncode == 1
    assert done.stderr == "endgame-tui: standard output is closed; redirect it to a file, or to /dev/null.\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    "words", [["build", "KBvK"], ["verify", "KNvK"], ["compact", "KNvK"], ["export", "KNvK", "KNvK.zip"]], ids=" ".join
)
def test_without_standard_output_a_command_that_acts_succeeds(tmp_path: Path, words: list[str]) -> None:
    run(tmp_path, "", "build", "KNvK")
    done = run(tmp_path, ">&-", *[str(tmp_path / word) if word.endswith(".zip") else word for word in words])
    assert done.returncode == 0 and "standard output" not in done.stderr, done.stderr


@pytest.mark.parametrize("words", [["serve", "bad\x1b]0;X"], ["build", "--men", "\x9bx"], ["--\x1bx"]], ids=repr)
def test_no_typed_control_character_is_printed(tmp_path: Path, words: list[str]) -> None:
    done = run(tmp_path, "", *words)
    assert done.returncode == 2 and "Usage" in done.stderr
    assert all(sign.isprintable() or sign == "\n" for sign in done.stderr)


@pytest.mark.parametrize("format_", ["layers", "gaviota"])
def test_an_export_goes_to_standard_output(tmp_path: Path, format_: str) -> None:
    file = tmp_path / "kqk.gtb.cp4"
    run(tmp_path, "", "export", "KQvK", str(file), "--format", format_)
    command = [*PROGRAM, "--data-dir", str(tmp_path), "export", "KQvK", "-", "--format", format_]
    done = subprocess.run(command, capture_output=True, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, b"") and not (tmp_path / "-").exists()
    assert len(done.stdout) == file.stat().st_size
    assert format_ == "layers" or done.stdout == file.read_bytes()
    done = subprocess.run([*command, "--json"], capture_output=True)
    assert done.returncode == 2 and b"--json requires a FILE" in done.stderr


def test_an_export_to_a_directory_is_refused(tmp_path: Path) -> None:
    done = run(tmp_path, "", "export", "KQvK", ".", "--force")
    assert done.returncode == 2 and "is a directory; name the FILE to write" in done.stderr


def test_ctrl_c_ends_a_command_with_the_exit_code_of_shells(tmp_path: Path) -> None:
    program = [*PROGRAM, "--data-dir", str(tmp_path), "build", "KRPvKR"]
    with subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as build:
        assert build.stderr is not None and build.stderr.readline()
        build.send_signal(signal.SIGINT)
        _, complaints = build.communicate()
    assert build.returncode == 128 + signal.SIGINT
    assert complaints.splitlines()[-1] in (
        "endgame-tui: interrupted.",  # before the building process has started
        "endgame-tui: the build was cancelled; finished tables are kept.",
    )


def test_ctrl_c_during_about_cancels_no_build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def events(_build: Build) -> NoReturn:
        raise KeyboardInterrupt

    monkeypatch.setattr(Build, "events", events)
    result = CliRunner().invoke(main, ["--data-dir", str(tmp_path), "about", "KQvK"])
    assert result.stderr.strip().splitlines()[-1] == "endgame-tui: the examination was cancelled."


@pytest.mark.slow
def test_without_standard_error_a_command_works_and_fails_as_always(tmp_path: Path) -> None:
    done = run(tmp_path, "2>&-", "probe", MATE)
    assert done.returncode == 0 and "mates in 10" in done.stdout
    assert run(tmp_path, "2>&-", "probe", "nonsense").returncode == 1


@pytest.mark.slow
def test_without_any_stream_a_table_is_built(tmp_path: Path) -> None:
    """What is opened next gets no number of a stream, into which something would be printed."""
    run(tmp_path, "<&- >&- 2>&-", "build", "KNvK")
    assert run(tmp_path, "", "verify", "KNvK").returncode == 0


def test_ctrl_c_while_the_program_starts_ends_it_without_a_traceback(tmp_path: Path) -> None:
    """It is sent while the first module after the start is imported, and at ten later moments."""
    (tmp_path / "sitecustomize.py").write_text(
        "import os, signal, sys\n"
        "class Interrupt:\n"
        "    count = 0\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name.startswith('endgame_core') or name in ('chess', 'click', 'numpy'):\n"
        "            Interrupt.count += 1\n"
        "            if Interrupt.count == int(os.environ['AT']):\n"
        "                os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.meta_path.insert(0, Interrupt())\n"
    )
    for moment in (1, 2, 3, 5, 8, 13):
        path = os.pathsep.join([str(tmp_path), *filter(None, sys.path)])
        done = subprocess.run(
            [*PROGRAM, "--data-dir", str(tmp_path / "data"), "tables"],
            capture_output=True, text=True, env={**os.environ, "AT": str(moment), "PYTHONPATH": path},
        )  # fmt: skip
        if done.returncode == 128 + signal.SIGINT:  # a command has begun, and imports what it needs
            assert done.stderr.strip() == "endgame-tui: interrupted."
        else:
            assert done.returncode == -signal.SIGINT and not done.stderr, done.stderr


def ended(code: str) -> subprocess.CompletedProcess[str]:
    """Runs code that sends itself Ctrl-C."""
    preamble = "import os, signal, threading, time\n"
    return subprocess.run([sys.executable, "-c", preamble + code], capture_output=True, text=True)


def test_ctrl_c_again_while_a_cancelled_command_ends_prints_no_traceback() -> None:
    done = ended(
        "from endgame_core.cli.main import main\n"
        "from endgame_core.errors import BuildCancelledError\n"
        "def late():\n"
        "    time.sleep(0.5)\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "    time.sleep(0.5)\n"
        "@main.command('stop')\n"
        "def stop():\n"
        "    threading.Thread(target=late).start()\n"
        "    raise BuildCancelledError\n"
        "main(['stop'])\n"
    )
    assert done.returncode == -signal.SIGINT, done.stderr
    assert done.stderr == "endgame-tui: the build was cancelled; finished tables are kept.\n"


def test_ctrl_c_before_the_screens_run_ends_the_app_without_a_warning(tmp_path: Path) -> None:
    done = ended(
        "import asyncio\n"
        "from pathlib import Path\n"
        "from endgame_tui import app\n"
        "asyncio.run = lambda coroutine: os.kill(os.getpid(), signal.SIGINT)\n"
        f"app.run(data_dir=Path({str(tmp_path)!r}))\n"
    )
    assert done.returncode == -signal.SIGINT and not done.stderr, done.stderr

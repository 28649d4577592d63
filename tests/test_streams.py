"""Standard streams that are closed, as for some daemons, and Ctrl-C while the program starts."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

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


def test_without_standard_error_a_command_works_and_fails_as_always(tmp_path: Path) -> None:
    done = run(tmp_path, "2>&-", "probe", MATE)
    assert done.returncode == 0 and "mates in 10" in done.stdout
    assert run(tmp_path, "2>&-", "probe", "nonsense").returncode == 1


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
        assert done.returncode == -signal.SIGINT and not done.stderr, done.stderr

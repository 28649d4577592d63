"""The program without the calls that only POSIX systems have, in child processes too."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from endgame_core import system
from endgame_core.practice.studies import slug

ROOT = Path(__file__).parents[1]

POSIX_CALLS = (
    "chown", "fork", "getegid", "geteuid", "getgid", "getloadavg", "getpgid", "getpgrp", "getpriority", "getsid",
    "getuid", "killpg", "lchown", "link", "mkfifo", "nice", "posix_fadvise", "posix_fallocate", "pread", "preadv",
    "pwrite", "pwritev", "sched_getaffinity", "sched_setaffinity", "setpgid", "setpriority", "setsid",
    "sysconf", "tcgetpgrp", "ttyname",
)  # fmt: skip
POSIX_SIGNALS = ("SIGALRM", "SIGCONT", "SIGHUP", "SIGSTOP", "SIGTSTP", "SIGTTIN", "SIGTTOU", "SIGUSR1", "SIGUSR2",
                 "SIGWINCH", "pthread_kill", "pthread_sigmask", "setitimer", "sigwait")  # fmt: skip
POSIX_MODULES = ("fcntl", "grp", "pty", "pwd", "readline", "resource", "syslog", "termios", "tty")

SITE_CUSTOMIZE = f"""
import os, signal, sys
import platformdirs  # for this system, it needs what is removed

class _Missing:
    def find_spec(self, name, path=None, target=None):
        if name in {POSIX_MODULES!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

for name in {POSIX_MODULES!r}:
    sys.modules.pop(name, None)
sys.meta_path.insert(0, _Missing())
for name in {POSIX_CALLS!r}:
    vars(os).pop(name, None)
for name in {POSIX_SIGNALS!r}:
    vars(signal).pop(name, None)
"""
"""Runs first in every Python process that finds it on its path. What libraries need on this system stays."""

FEN = "8/8/8/8/8/1k6/1n6/K1R5 w - - 0 1"
GUARD = "import os, signal; assert not hasattr(os, 'pread') and not hasattr(signal, 'SIGHUP')\n"


class Machine:
    """A machine without the POSIX calls, and with blanks in all its paths."""

    def __init__(self, directory: Path) -> None:
        site = directory / "site dir"
        site.mkdir()
        (site / "sitecustomize.py").write_text(SITE_CUSTOMIZE, encoding="utf-8")
        self.root = directory / "data dir"
        path = os.pathsep.join([str(site), *(str(ROOT / name) for name in ("core", "tui", "data"))])
        self._environment = {**os.environ, "PYTHONPATH": path, "ENDGAME_TUI_HOME": str(self.root)}

    def python(self, code: str, *arguments: str, stdin: str | bytes = "") -> subprocess.CompletedProcess[bytes]:
        data = stdin if isinstance(stdin, bytes) else stdin.encode()
        return subprocess.run(
            [sys.executable, "-P", "-c", GUARD + code, *arguments],
            input=data, capture_output=True, env=self._environment, timeout=1200, check=False,
        )  # fmt: skip

    def run(self, *arguments: str, stdin: str = "") -> str:
        """The output of a command, which must succeed."""
        code = "from endgame_core.cli.main import main; main()"
        result = self.python(code, *arguments, stdin=stdin)
        assert result.returncode == 0, result.stderr.decode()
        return result.stdout.decode()


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


@pytest.mark.slow
def test_tables_are_built_probed_verified_and_moved(machine: Machine) -> None:
    built = machine.run("build", "KRvKN", "--json", "--quiet")
    assert json.loads(built.splitlines()[-1])["event"] == "finished"
    assert json.loads(machine.run("probe", FEN, "--json"))["ending"] == "KRvKN"
    answers = machine.run("probe", "-", "--brief", stdin=f"{FEN}\n" * 2000).splitlines()
    assert len(answers) == 2000 and {json.loads(line)["category"] for line in answers} == {"win"}
    assert [json.loads(line)["ok"] for line in machine.run("verify", "KRvKN", "KNvK", "--json").splitlines()] == [
        True
    ] * 2
    archive = machine.root / "my tables" / "KRvKN.zip"
    archive.parent.mkdir()
    machine.run("export", "KRvKN", str(archive))
    machine.run("compact", "KRvKN")
    machine.run("remove", "KRvKN")
    assert json.loads(machine.run("import", str(archive), "--json"))["ending"] == "KRvKN"
    assert machine.run("find", "KRvKN", "white wins and depth = 1", "--count").strip().isdecimal()


def test_practice_works_in_plain_mode(machine: Machine) -> None:
    said = machine.run("--plain", stdin="practise\nbegin\nhint\nquit\ny\n")
    assert "Goal: " in said and "counts as unsolved" in said
    assert json.loads(machine.run("studies", "add", FEN, "--set", "con", "--json"))["id"].startswith("con-set/")
    assert machine.run("journal", "export", "-").startswith("{")


def test_the_screens_run_without_posix_calls(machine: Machine) -> None:
    code = """
import asyncio
from pathlib import Path
os.environ["TEXTUAL_DRIVER"] = "textual.drivers.headless_driver:HeadlessDriver"  # the one for Linux needs termios
from endgame_tui.app import EndgameApp

async def run():
    app = EndgameApp(data_dir=Path(os.environ["ENDGAME_TUI_HOME"]))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("full_stop")
        await pilot.pause()
        print(type(app.screen).__name__)

asyncio.run(run())
"""
    result = machine.python(code)
    assert result.returncode == 0, result.stderr.decode()[-3000:]
    assert result.stdout.split() == [b"ExploreScreen"]


def test_no_other_module_uses_posix_calls() -> None:
    calls = "|".join(POSIX_CALLS)
    pattern = re.compile(rf"\bos\.({calls})\b|\bsignal\.({'|'.join(POSIX_SIGNALS)}|SIGKILL)\b|"
                         rf"^\s*(?:import|from) ({'|'.join(POSIX_MODULES)})\b", re.MULTILINE)  # fmt: skip
    allowed = {"system.py", "job_control.py"}
    for folder in ("core", "tui", "data"):
        for path in (ROOT / folder).rglob("*.py"):
            found = {match[0].strip() for match in pattern.finditer(path.read_text(encoding="utf-8"))}
            if path.name == "terminal.py":
                found.discard("import readline")  # in a try statement: there is no line editing without it
            assert not found or path.name in allowed, (path, found)


# Each function with and without the call


@pytest.mark.parametrize("missing", [(), ("pread", "pwrite", "link", "posix_fallocate", "getuid", "sched_getaffinity")])
def test_the_portable_alternative_does_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, missing: tuple[str, ...]
) -> None:
    for name in missing:
        monkeypatch.delattr(os, name)
    path = tmp_path / "file"
    handle = os.open(path, os.O_RDWR | os.O_CREAT | system.BINARY)
    try:
        assert system.write_at(handle, b"0123456789", 0) == 10 and system.write_at(handle, b"ab\n", 4) == 3
        assert system.read_at(handle, 4, 3) == b"3ab\n" and system.read_at(handle, 4, 8) == b"89"
        system.reserve(handle, 4, 96)
        system.reserve(handle, 0, 10)
        assert path.stat().st_size == 100 and system.read_at(handle, 4, 3) == b"3ab\n"
    finally:
        os.close(handle)

    other = tmp_path / "other"
    system.rename_to_free_name(path, other)
    assert other.stat().st_size == 100 and not path.exists()
    path.write_bytes(b"new")
    with pytest.raises(FileExistsError):
        system.rename_to_free_name(path, other)
    assert path.read_bytes() == b"new" and other.stat().st_size == 100
    assert system.cores() >= 1


def test_no_set_has_a_name_that_no_file_can_have_on_windows() -> None:
    names = {name: slug(name) for name in ("CON", "Aux.", "com1", "LPT9", "console", "com12")}
    assert names == {
        "CON": "con-set", "Aux.": "aux-set", "com1": "com1-set", "LPT9": "lpt9-set", "console": "console",
        "com12": "com12",
    }  # fmt: skip
    assert all(slug(identifier) == identifier for identifier in names.values())
    assert ":" not in slug("a: b\\c/d*?")

"""The app in a terminal of its own: ended by signals, and left without a terminal."""

from __future__ import annotations

import os
import select
import shutil
import signal
import sys
import termios
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.tui.test_ssh import Terminal

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="what ends is waited for as Linux has it"),
]


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    """A terminal that shows the Library, begun where hangups are ignored."""
    app = [sys.executable, "-m", "endgame_core.cli.main", "--data-dir", str(tmp_path)]
    found = Terminal(["sh", "-c", "trap '' HUP; exec \"$@\"", "sh", *app])
    try:
        found.settle("KQvK")
        found.press("2", "all endings")
        yield found
    finally:
        found.cut()


def ended(terminal: Terminal, most: float) -> int:
    """The exit code, once the app has ended; so many seconds are given."""
    assert select.select([os.pidfd_open(terminal.pid)], [], [], most)[0], "it has not ended"
    status = os.waitpid(terminal.pid, 0)[1]
    terminal.pid = 0  # another process may get this number from now on
    return os.waitstatus_to_exitcode(status)


def remembered(room: Path) -> bool:
    with suppress(FileNotFoundError):
        return '"screen": "library"' in (room / "memory.json").read_text()
    return False


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_app_and_leaves_the_terminal_as_it_was(
    terminal: Terminal, tmp_path: Path, number: signal.Signals
) -> None:
    os.kill(terminal.pid, number)
    said = b""
    while True:
        try:
            data = os.read(terminal.fd, 1 << 16)
        except OSError:
            break
        if not data:
            break
        said += data
    assert b"\x1b[?1049l" in said and b"\x1b[?1000l" in said, "the other screen, and the mouse, are left"
    assert ended(terminal, 60) == 128 + number and remembered(tmp_path)


def test_a_terminal_that_goes_while_the_app_ends_takes_nothing_with_it(terminal: Terminal, tmp_path: Path) -> None:
    os.kill(terminal.pid, signal.SIGTERM)
    select.select([terminal.fd], [], [])  # it has begun to leave the screen
    os.close(terminal.fd)
    assert ended(terminal, 60) == 128 + signal.SIGTERM and remembered(tmp_path)


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="there is no /proc here")
def test_the_app_ends_although_the_terminal_accepts_no_output(terminal: Terminal) -> None:
    filler = os.open(f"/proc/{terminal.pid}/fd/1", os.O_WRONLY | os.O_NOCTTY | os.O_NONBLOCK)
    with suppress(BlockingIOError):
        while True:  # nobody reads: until not one byte fits
            os.write(filler, b" ")
    os.kill(terminal.pid, signal.SIGTERM)
    assert ended(terminal, 60) == -signal.SIGTERM
    os.close(filler)


def test_the_app_ends_with_its_terminal(terminal: Terminal, tmp_path: Path) -> None:
    for _ in range(600):  # it is written after a moment's rest, and nothing ends more abruptly than this
        if remembered(tmp_path):
            break
        select.select([], [], [], 0.1)
    os.close(terminal.fd)
    assert ended(terminal, 60) == -signal.SIGHUP and remembered(tmp_path)


@pytest.fixture
def shell() -> Iterator[Terminal]:
    """An interactive shell, which controls jobs."""
    bash = Terminal(["bash", "--norc", "--noprofile", "-i"])
    try:
        bash.press("PS1='READY> '\r", "READY> ")
        yield bash
    finally:
        os.write(bash.fd, b"\x03\rkill -9 %1; exit\r")  # a suspended job does not end with its shell
        bash.cut()


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash here")
class TestSuspending:
    @pytest.mark.parametrize("script", ["{}", "sh -c '{}; echo the script goes on'"])
    def test_ctrl_z_suspends_the_job_and_fg_repaints_the_app(
        self, script: str, shell: Terminal, tmp_path: Path
    ) -> None:
        app = f"{sys.executable} -m endgame_tui.start --data-dir {tmp_path}"
        shell.press(script.format(app) + "\r", "mate in")
        shell.press("\x1a", "Stopped")
        shell.press("stty -a | grep -wo -e -echo -e echo\r", "\recho\r\n")
        shell.press("fg\r", "mate in 10")
        assert "1 Expl" in shell.seen, "the whole screen is sent again"
        shell.press("2", "all endings")
        shell.press("q", "READY> ")

    def test_bg_leaves_the_app_suspended(self, shell: Terminal, tmp_path: Path) -> None:
        shell.press(f"{sys.executable} -m endgame_tui.start --data-dir {tmp_path}\r", "mate in")
        shell.press("\x1a", "Stopped")
        shell.press("bg\r", "&")
        shell.press("\r", "Stopped")
        shell.press("fg\r", "mate in 10")
        shell.press("q", "READY> ")

    def test_a_locked_app_cannot_be_suspended(self, shell: Terminal, tmp_path: Path) -> None:
        """Nobody gets a shell by it."""
        shell.press(f"{sys.executable} -m endgame_tui.start --locked --data-dir {tmp_path}\r", "mate in")
        os.write(shell.fd, b"\x1a")
        shell.press("2", "all endings")
        assert "Stopped" not in shell.seen
        shell.press("q", "READY> ")


@pytest.mark.parametrize("signals", [(signal.SIGSTOP, signal.SIGCONT), (signal.SIGCONT,)], ids=["stopped", "running"])
def test_an_app_that_continues_without_having_left_the_terminal_restores_it_at_the_end(
    signals: tuple[signal.Signals, ...], terminal: Terminal
) -> None:
    """SIGSTOP cannot be handled, and SIGCONT reaches apps that run as well."""
    terminal.seen = ""
    for number in signals:
        os.kill(terminal.pid, number)
    terminal.settle("all endings")
    terminal.press("1", "Line")
    terminal.press("q")
    assert termios.tcgetattr(terminal.fd)[3] & termios.ECHO
    assert ended(terminal, 60) == 0


def test_without_a_shell_the_app_cannot_be_suspended(terminal: Terminal) -> None:
    """Nobody could resume it."""
    terminal.press("\x1a", "was not started from a shell")
    terminal.press("1", "Line")


@pytest.mark.parametrize("redirection", ["2>/dev/null", "2>&-"])
def test_the_app_is_drawn_without_a_terminal_for_errors(shell: Terminal, tmp_path: Path, redirection: str) -> None:
    shell.press(f"{sys.executable} -m endgame_tui.start --data-dir {tmp_path} {redirection}\r", "mate in 10")
    shell.press("q", "READY> ")

"""The app over SSH, as docs/ssh.md sets it up: a real server on the loopback, an account that can do nothing else."""

from __future__ import annotations

import getpass
import os
import pty
import re
import select
import shutil
import signal
import socket
import sqlite3
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Generator
from contextlib import closing, contextmanager, suppress
from fcntl import ioctl
from pathlib import Path

import pytest

from endgame_core.tables.library import Library
from tests.tui.test_web import children, lives

SSHD = shutil.which("sshd", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not (SSHD and shutil.which("ssh") and shutil.which("ssh-keygen")), reason="OpenSSH is not here"),
]
SETTINGS = """\
Port {port}
ListenAddress 127.0.0.1
HostKey {room}/host
AuthorizedKeysFile {room}/user.pub
PidFile none
StrictModes no
UsePAM no
PasswordAuthentication no
Match User {user}
    ForceCommand {command}
    DisableForwarding yes
    PermitTTY yes
    PermitUserRC no
    ClientAliveInterval 15
    ClientAliveCountMax 2
"""


class Terminal:
    """A terminal of 80 by 24 with an SSH client in it."""

    def __init__(self, command: list[str]) -> None:
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.execvpe(command[0], command, {**os.environ, "TERM": "xterm-256color"})
        ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        self.seen = ""

    def settle(self, wanted: str = "", quiet: float = 0.6, most: float = 300.0) -> tuple[int, float]:
        """Reads until some text is there and nothing more comes: how many bytes, and after how long the last came."""
        begun = last = time.monotonic()
        count = 0
        while time.monotonic() - begun < most:
            if select.select([self.fd], [], [], 0.05)[0]:
                try:
                    data = os.read(self.fd, 1 << 16)
                except OSError:
                    break
                if not data:
                    break
                count, last = count + len(data), time.monotonic()
                self.seen += re.sub(r"\x1b\[[0-9;?<>=$]*[a-zA-Z]", "", data.decode(errors="replace"))
            elif count and wanted in self.seen and time.monotonic() - last > quiet:
                break
        assert wanted in self.seen, (wanted, self.seen[-2000:])
        return count, last - begun

    def press(self, keys: str, wanted: str = "") -> tuple[int, float]:
        self.seen = ""
        os.write(self.fd, keys.encode())
        return self.settle(wanted)

    def cut(self) -> None:
        """The client is gone, without a word."""
        if self.pid:
            with suppress(OSError):
                os.kill(self.pid, signal.SIGKILL)
                os.waitpid(self.pid, 0)
        with suppress(OSError):
            os.close(self.fd)


@contextmanager
def connected(room: Path, *options: str, remote: str = "") -> Generator[tuple[Terminal, int]]:
    """A client's terminal, and the process of the server."""
    for name in ("host", "user"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", room / name], check=True)
    if os.getuid() == 0:
        Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    path = os.pathsep.join(filter(None, sys.path))
    command = (
        f"env PYTHONPATH={path} LANG=C.UTF-8 {sys.executable} -m endgame_core.cli.main --locked {' '.join(options)}"
    )
    (room / "sshd").write_text(SETTINGS.format(port=port, room=room, user=getpass.getuser(), command=command))
    server = subprocess.Popen([SSHD or "", "-D", "-E", room / "said", "-f", room / "sshd"])
    client = ["ssh", "-F", "none", "-tt", "-p", str(port), "-i", str(room / "user"), "127.0.0.1"]
    for option in ("StrictHostKeyChecking=no", "UserKnownHostsFile=/dev/null", "LogLevel=ERROR", "IdentitiesOnly=yes"):
        client[1:1] = ["-o", option]
    for _ in range(100):
        with socket.socket() as trial:
            if trial.connect_ex(("127.0.0.1", port)) == 0:
                break
        time.sleep(0.1)
    terminal = Terminal([*client, *([remote] if remote else [])])
    try:
        yield terminal, server.pid
    finally:
        terminal.cut()
        left = children(server.pid)
        server.kill()
        server.wait()
        for pid in left:
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)


def gone(pids: list[int], most: float = 120.0) -> float:
    """Seconds until some processes have ended."""
    begun = time.monotonic()
    while any(map(lives, pids)) and time.monotonic() - begun < most:
        time.sleep(0.02)
    assert not any(map(lives, pids)), "something is left"
    return time.monotonic() - begun


def test_an_ssh_session_starts_the_app_and_ends_with_it(
    tmp_path: Path, library: Library, capsys: pytest.CaptureFixture[str]
) -> None:
    root = tmp_path / "data"
    shared = tmp_path / "shared"
    shared.mkdir()
    shutil.copy(library.table("KQvKR").path, shared / "KQvKR.egt")
    with connected(tmp_path, "--data-dir", str(root), "--tables", str(shared)) as (terminal, server):
        paint = terminal.settle("KQvK")
        steps = [terminal.press("[") for _ in range(10)]
        assert paint[0] < 20_000 and max(count for count, _ in steps) < 8_000
        (app,) = [pid for pid in children(server) if "endgame_core" in _command(pid) and "sh -c" not in _command(pid)]
        fields = Path(f"/proc/{app}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        cpu = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        terminal.press("4", "Practise")
        for key in ("\r", "w", "\r"):  # a drill that is given up
            terminal.press(key)
        terminal.press("\x1b")
        terminal.press("2", "all endings")
        terminal.press("/", "a name, such as")
        terminal.press("KQvKR\r", "shared")
        terminal.press("/", "a name, such as")
        terminal.press("KBNvK\r", "builds it")
        os.write(terminal.fd, b"\r")
        end = time.monotonic() + 300
        while not any("tables.build" in _command(pid) for pid in children(server)) and time.monotonic() < end:
            time.sleep(0.1)
        apps = [pid for pid in children(server) if "endgame_core" in _command(pid)]
        assert any("tables.build" in _command(pid) for pid in apps) and len(apps) >= 2
        terminal.cut()
        seconds = gone(apps)
    with closing(sqlite3.connect(root / "journal.sqlite3")) as journal:
        assert journal.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert journal.execute("SELECT count(*) FROM attempts").fetchone() == (1,)
    with capsys.disabled():
        keys = sorted(count for count, _ in steps)
        print(
            f"\nfirst paint {paint[0]} bytes, {cpu:.2f} s of CPU with ten keys; ten keys {keys[0]}-{keys[-1]} bytes, "
            f"{sum(keys)} in all, "
            f"{sorted(last for _, last in steps)[5]:.3f} s each; all ended {seconds:.2f} s after the client"
        )


def test_the_account_can_do_nothing_else(tmp_path: Path) -> None:
    made = tmp_path / "made"
    asked = f"touch '{made}'; sh"
    with connected(tmp_path, "--data-dir", str(tmp_path / "data"), remote=asked) as (terminal, _):
        terminal.settle("KQvK")
        assert not made.exists()
        terminal.press("q")
        assert _ended(terminal.pid), "with the app the connection ends: there is no shell behind it"


def _ended(pid: int) -> bool:
    end = time.monotonic() + 300
    while time.monotonic() < end:
        if os.waitpid(pid, os.WNOHANG)[0]:
            return True
        time.sleep(0.1)
    return False


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    except OSError:
        return ""

"""The app in a terminal of its own, told to end."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import pytest

from tests.tui.test_ssh import Terminal


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_app_and_leaves_the_terminal_as_it_was(tmp_path: Path, number: int) -> None:
    terminal = Terminal([sys.executable, "-m", "endgame_core.cli.main", "--data-dir", str(tmp_path)])
    try:
        terminal.settle("KQvK")
        terminal.press("2", "all endings")
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
        assert os.waitstatus_to_exitcode(os.waitpid(terminal.pid, 0)[1]) == 128 + number
        assert '"screen": "library"' in (tmp_path / "memory.json").read_text(), "what there was to remember is written"
    finally:
        terminal.cut()

"""Measures the Practise and Drill screens from outside, through a pseudo-terminal, as a user meets them.

    python -m benchmarks.drilling --data-dir DIR [--size 80x24] [--theme KRvK] [--json]

DIR has the tables; its journal is left alone. Milliseconds from the key to the last byte of its answer, and the bytes
of the answer: opening Practise, walking through its list, starting a drill, a move with the reply to it (made by taking
a hint in both steps and dropping the man), and the second in which only the clock changes.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.screens import Answers, Terminal

DRILLS = 5
MOVES = 4


def measure(columns: int, rows: int, tables: Path, theme: str) -> dict[str, Any]:
    """Runs the app on a data directory of its own and drills."""
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        (root / "tables").symlink_to(tables / "tables", target_is_directory=True)
        code = f"from pathlib import Path; from endgame_tui.app import run; run(None, Path({str(root)!r}))"
        env = {"TERM": "xterm-256color", "COLORTERM": "truecolor", "LC_ALL": "C.UTF-8"}
        terminal = Terminal([sys.executable, "-c", code], columns, rows, env)
        try:
            return _drill(terminal, theme)
        finally:
            terminal.close()


def _drill(terminal: Terminal, theme: str) -> dict[str, Any]:
    terminal.read(10, b"mate in")
    terminal.read(0.5)
    answers: dict[str, Answers] = {}
    terminal.press(b"4", "open Practise", answers)
    for key in [b"j"] * 8:
        terminal.press(key, "cursor in the list", answers)
    os.write(terminal.fd, b"/")
    terminal.read(0.3)
    os.write(terminal.fd, theme.encode() + b"\r")
    terminal.read(0.5)
    for _ in range(DRILLS):
        terminal.press(b"\r", "start a drill", answers)
        for _ in range(MOVES):
            for key in (b"i", b"i"):
                os.write(terminal.fd, key)
                terminal.read(0.2)
            terminal.press(b"\r", "move and reply", answers)
        os.write(terminal.fd, b"\x1b")
        terminal.read(0.3)
        os.write(terminal.fd, b"\r")  # yes, leave
        terminal.read(0.3)
        os.write(terminal.fd, b"\r")  # to the list
        terminal.read(0.5)
    terminal.press(b"\r", "start a drill", answers)
    terminal.read(0.5)
    seconds = 3.0
    ticks = _unasked(terminal, seconds)
    return {
        "theme": theme,
        "keys": {name: answer.report() for name, answer in answers.items()},
        "clock_bytes_per_s": round(ticks / seconds),
    }


def _unasked(terminal: Terminal, seconds: float) -> int:
    """Bytes that come within so many seconds without any key."""
    until, size = time.perf_counter() + seconds, 0
    while (left := until - time.perf_counter()) > 0:
        data, _ = terminal.read(min(left, 0.2))
        size += len(data)
    return size


def main() -> None:
    """Prints the figures."""
    parser = argparse.ArgumentParser(description="Measures Practise and Drill through a pseudo-terminal.")
    parser.add_argument("--data-dir", type=Path, required=True)
    parser.add_argument("--size", default="80x24")
    parser.add_argument("--theme", default="KRvK")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    columns, rows = map(int, options.size.split("x"))
    figures = measure(columns, rows, options.data_dir, options.theme)
    print(json.dumps(figures, indent=None if options.json else 1))


if __name__ == "__main__":
    main()

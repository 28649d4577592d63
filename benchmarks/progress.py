"""Times how fast Progress opens with a large journal, through a pseudo-terminal, as a user meets it; prints JSON.

Run: ``python -m benchmarks.progress [--attempts 100000] [--size 80x24]``. Milliseconds from the key to the last panel:
the first time, when the modules are loaded, and later; all attempts in the last 30 days, or spread over 3000.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.practice import fill, quantiles
from benchmarks.screens import QUIET, Terminal
from endgame_core import paths
from endgame_core.practice.journal import Journal

SHOWN = b"Hardest"
"""The title of a panel that comes with the figures."""

AGAIN = 8


def opened(terminal: Terminal) -> float:
    """Presses 5; milliseconds until the panels are there."""
    pressed = time.perf_counter()
    os.write(terminal.fd, b"5")
    _, last = terminal.read(3, SHOWN)
    terminal.read(QUIET)
    return 1000 * (last - pressed)


def measure(columns: int, rows: int, attempts: int, days: int) -> dict[str, Any]:
    """Fills a journal and opens it."""
    with tempfile.TemporaryDirectory() as name:
        journal = Journal(paths.journal_file(Path(name)))
        fill(journal, attempts, days, random.Random(1))
        journal.close()
        code = f"from pathlib import Path; from endgame_tui.app import run; run(None, Path({name!r}))"
        env = {"TERM": "xterm-256color", "COLORTERM": "truecolor", "LC_ALL": "C.UTF-8"}
        terminal = Terminal([sys.executable, "-c", code], columns, rows, env)
        terminal.read(10, b"mate in")
        terminal.read(1)
        first, later = opened(terminal), list[float]()
        for _ in range(AGAIN):
            os.write(terminal.fd, b"1")
            terminal.read(0.3)
            later.append(opened(terminal))
        terminal.close()
    return {"attempts": attempts, "days": days, "first_ms": round(first), "later_ms": quantiles(later)}


def main() -> None:
    """Prints the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--attempts", type=int, default=100_000)
    parser.add_argument("--size", default="80x24")
    options = parser.parse_args()
    columns, rows = map(int, options.size.split("x"))
    print(json.dumps([measure(columns, rows, options.attempts, days) for days in (30, 3000)], indent=1))


if __name__ == "__main__":
    main()

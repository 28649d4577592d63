"""Measures the screens from outside, through a pseudo-terminal, as a user meets them.

    python benchmarks/screens.py [--size 80x24] [--data-dir DIR] [--fen FEN] [--json]

First paint: CPU seconds of the process from launch until the board and its verdict are on the terminal.
Keys: milliseconds from the key press to the last byte of its answer, and the bytes of the answer.
Idle: CPU seconds spent in a while without any key.
"""

from __future__ import annotations

import argparse
import fcntl
import json
import os
import pty
import select
import signal
import struct
import sys
import termios
import time
from dataclasses import dataclass, field
from pathlib import Path

QUIET = 0.12
"""Seconds without output after which an answer counts as complete."""

KEYS = {
    "best": [b"."] * 12,
    "undo": [b"u"] * 12,
    "next position": [b"]", *[b"n"] * 20],
    "layer": [b"["] * 12,
    "random": [b"r"] * 20,
    "cursor": [b"h", b"k", b"l", b"j"] * 5,
    "flip": [b"f"] * 4,
    "map": [b"="],
    "map, next man": [b"\t"] * 12,
    "map, cursor": [b"\r", *[b"h", b"k", b"l", b"j"] * 5],
    "map, side to move": [b"t"] * 6,
    "map closed": [b"\x1b", b"="],
}
"""What is pressed, in this order."""


@dataclass
class Answers:
    """Milliseconds and bytes of the answers to one kind of key."""

    milliseconds: list[float] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)

    def report(self) -> dict[str, float]:
        """Median and 95th percentile."""
        return {
            "ms_median": round(quantile(self.milliseconds, 0.5), 1),
            "ms_p95": round(quantile(self.milliseconds, 0.95), 1),
            "bytes_median": quantile(self.sizes, 0.5),
            "bytes_max": max(self.sizes),
        }


def quantile(values: list[float] | list[int], share: float) -> float:
    """The value below which ``share`` of the values lie."""
    ordered = sorted(values)
    return ordered[min(int(share * len(ordered)), len(ordered) - 1)]


class Terminal:
    """A child process with a terminal of its own."""

    def __init__(self, command: list[str], columns: int, rows: int, env: dict[str, str]) -> None:
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            variables = {**os.environ, **env}
            variables.pop("PYTHONDONTWRITEBYTECODE", None)  # otherwise every start compiles all modules
            os.execvpe(command[0], command, variables)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def read(self, quiet: float, needle: bytes | None = None) -> tuple[bytes, float]:
        """Reads until nothing comes any more, or ``needle`` has come; data and time of the last byte."""
        data, last = b"", time.perf_counter()
        while select.select([self.fd], [], [], quiet)[0]:
            try:
                data += os.read(self.fd, 65536)
            except OSError:
                break
            last = time.perf_counter()
            if needle is not None and needle in data:
                break
        return data, last

    def press(self, key: bytes, name: str, answers: dict[str, Answers]) -> None:
        """Presses a key and records its answer."""
        pressed = time.perf_counter()
        os.write(self.fd, key)
        data, last = self.read(QUIET)
        if data:
            answer = answers.setdefault(name, Answers())
            answer.milliseconds.append(1000 * (last - pressed))
            answer.sizes.append(len(data))

    def cpu(self) -> float:
        """CPU seconds of the process so far."""
        fields = Path(f"/proc/{self.pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def close(self) -> None:
        """Ends the process."""
        os.kill(self.pid, signal.SIGTERM)
        os.waitpid(self.pid, 0)
        os.close(self.fd)


def measure(columns: int, rows: int, data_dir: Path | None, fen: str | None = None) -> dict[str, object]:
    """Runs the app and presses keys."""
    command = [sys.executable, "-m", "endgame_core.cli.main"]  # as endgame-tui does, imports of the commands included
    command += [*([] if data_dir is None else ["--data-dir", str(data_dir)]), *([] if fen is None else [fen])]
    env = {"TERM": "xterm-256color", "COLORTERM": "truecolor", "LC_ALL": "C.UTF-8"}
    started = time.perf_counter()
    terminal = Terminal(command, columns, rows, env)
    _, painted = terminal.read(10, b"mate in")
    first = {"cpu_s": round(terminal.cpu(), 2), "wall_s": round(painted - started, 2)}
    terminal.read(0.5)
    answers: dict[str, Answers] = {}
    for name, keys in KEYS.items():
        for key in keys:
            terminal.press(key, name, answers)
    terminal.press(b"2", "library", answers)
    for key in [b"j"] * 10 + [b"\x1b[6~"] * 4:
        terminal.press(key, "library cursor", answers)
    before = terminal.cpu()
    time.sleep(5)
    idle = terminal.cpu() - before
    terminal.close()
    everything = [ms for answer in answers.values() for ms in answer.milliseconds]
    return {
        "size": f"{columns}x{rows}",
        "first_paint": first,
        "key_ms_p95": round(quantile(everything, 0.95), 1),
        "keys": {name: answer.report() for name, answer in answers.items()},
        "idle_cpu_s_in_5_s": round(idle, 2),
    }


def main() -> None:
    """Prints the figures."""
    parser = argparse.ArgumentParser(description="Measures the screens through a pseudo-terminal.")
    parser.add_argument("--size", default="80x24")
    parser.add_argument("--data-dir", type=Path)
    parser.add_argument("--fen")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    columns, rows = map(int, options.size.split("x"))
    figures = measure(columns, rows, options.data_dir, options.fen)
    if options.json:
        print(json.dumps(figures))
        return
    print(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()

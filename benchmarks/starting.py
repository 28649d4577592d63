"""Measures what a start costs: CPU seconds of whole processes, system time included.

    python -m benchmarks.starting [--runs 20] [--against CHECKOUT] [--data-dir DIR] [--ending KQvKR] [--json]

Commands run in turn, first as in ``CHECKOUT``, then as in this one, so that both meet the same machine. Beside them
stands what cannot be avoided: the interpreter alone, and with the libraries that a command needs. Bytecode is cached as
in an installation. The first screen is the app in a terminal of 80 columns and 24 rows, from its launch until the value
of its position is on the screen; ``--data-dir`` should have the table of its ending.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.screens import Terminal

HERE = Path(__file__).parents[1]
PROGRAM = [sys.executable, "-c", "from endgame_tui.start import main; main()"]
COMMANDS = {
    "--version": ["--version"],
    "paths": ["paths"],
    "probe, KRvK": ["probe", "8/8/8/3k4/8/8/8/1K5R w - - 0 1"],
    "probe, 3-3 of Morris": ["probe", "OXOOXX2/8/8 w"],
}
LIBRARIES = (
    "pass",
    "import click",
    "import click, chess",
    "import click, chess, numpy",
    "import click, chess, textual.app",
)
FIRST_SCREEN = "first screen"
VALUE = b"mate in"
"""Text of the first screen once the value of its position is there."""


def environment(checkout: Path, scratch: str) -> dict[str, str]:
    """The environment of a run of a checkout: an empty data directory, and bytecode, below ``scratch``."""
    variables = dict(os.environ)
    variables.pop("PYTHONDONTWRITEBYTECODE", None)
    variables["PYTHONPATH"] = os.pathsep.join(str(checkout / package) for package in ("core", "tui", "data"))
    variables["PYTHONPYCACHEPREFIX"] = f"{scratch}/bytecode"
    variables["ENDGAME_TUI_HOME"] = f"{scratch}/data"
    return variables


def cpu_seconds(command: list[str], variables: dict[str, str]) -> float:
    """CPU seconds of a process, and of those that it has waited for."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, env=variables, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def first_screen(variables: dict[str, str], data_dir: Path | None, ending: str) -> float:
    """CPU seconds of the app until the value of its position is on the screen."""
    options = [] if data_dir is None else ["--data-dir", str(data_dir)]
    variables = {**variables, "TERM": "xterm-256color", "COLORTERM": "truecolor", "LC_ALL": "C.UTF-8"}
    terminal = Terminal([*PROGRAM, *options, ending], 80, 24, variables)
    terminal.read(20, VALUE)
    threads = Path(f"/proc/{terminal.pid}/task").iterdir()
    nanoseconds = sum(int((thread / "schedstat").read_text().split()[0]) for thread in threads)
    terminal.close()
    return nanoseconds / 1e9


def measure(checkouts: list[Path], runs: int, data_dir: Path | None, ending: str) -> dict[str, list[float]]:
    """The median of each command, in each checkout; one run of each is not counted."""
    seconds: dict[str, list[list[float]]] = {}

    def note(name: str, number: int, result: float) -> None:
        seconds.setdefault(name, [[] for _ in checkouts])[number].append(result)

    with tempfile.TemporaryDirectory() as scratch:
        for _ in range(runs + 1):
            for statement in LIBRARIES:
                variables = {**environment(HERE, scratch), "OPENBLAS_NUM_THREADS": "1"}
                result = cpu_seconds([sys.executable, "-c", statement], variables)
                for number in range(len(checkouts)):
                    note(statement, number, result)
            for name, words in COMMANDS.items():
                for number, checkout in enumerate(checkouts):
                    note(name, number, cpu_seconds([*PROGRAM, *words], environment(checkout, scratch)))
            for number, checkout in enumerate(checkouts):
                note(FIRST_SCREEN, number, first_screen(environment(checkout, scratch), data_dir, ending))
    return {name: [round(statistics.median(each[1:]), 3) for each in results] for name, results in seconds.items()}


def main() -> None:
    """Prints the figures: CPU seconds, those of ``--against`` first."""
    parser = argparse.ArgumentParser(description="Measures what a start costs.")
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--against", type=Path)
    parser.add_argument("--data-dir", type=Path)
    parser.add_argument("--ending", default="KRvK")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    checkouts = [HERE] if options.against is None else [options.against.resolve(), HERE]
    figures = measure(checkouts, options.runs, options.data_dir, options.ending)
    if options.json:
        print(json.dumps(figures))
        return
    for name, medians in figures.items():
        print(f"{name:<34}" + "".join(f"{median:8.3f}" for median in medians))


if __name__ == "__main__":
    main()

"""Compares a solve with the time that memory needs for the bytes which the solver must touch.

Run: ``python -m benchmarks.limit --library DIR [ENDING …]``, endings without pawns that are solved as a whole, whose
sub-endings are in DIR. The bytes are counted while the ending is solved, each at least once:

* preparing writes D, U and R, and reads the unfolded values of captures;
* a pass reads the rows of X that hold a position, and those of U that hold one; of each row with a new position it
  writes X and U, after wins also R, and one byte of D for each new position;
* the end reads D and U.

What a pass reads twice, as moves lead to the same row from several others, and the rows of R that losses are tested
with, do not count: a machine with unlimited caches would read them once. Bandwidth is that of copying 256 MB, bytes
read and bytes written, by one thread, in the same process before and after the solve. All times are CPU seconds, so
that other programs disturb them little, and the best of ``--rounds``.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from collections import defaultdict
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

from endgame_core.chess.game import CHESS
from endgame_core.chess.solver import solve as solver
from endgame_core.game import DigitFilter
from endgame_core.tables.kernels import KernelThreads
from endgame_core.tables.library import Library

ROW = 512
"""Bytes of a row of U, R or X: 64 words."""

COPIED = 256_000_000
PHASES = {"unfold": "unfolding", "prepare": "captures", "solve_layer": "passes", "finish": "end"}
"""What kernels do, by their names; all others unfold."""


def bandwidth() -> float:
    """Bytes read and written in a CPU second by copying."""
    source = np.ones(COPIED, np.uint8)
    target = np.zeros_like(source)
    target[:] = source  # pages are there from now on
    best = min(copy_seconds(source, target) for _ in range(3))
    return 2 * COPIED / best


def copy_seconds(source: Any, target: Any) -> float:
    """CPU seconds of a copy."""
    began = time.thread_time()
    np.copyto(target, source)
    return time.thread_time() - began


def measure(root: str, ending: str, threads: int) -> dict[str, Any]:
    """Solves an ending; returns its CPU seconds, by kernels too, the bytes that it must touch, and the bandwidth."""
    library = Library(CHESS, Path(root))
    CHESS.solver.warm_up([ending], lambda what: None)
    first_bandwidth = bandwidth()
    spent: dict[str, float] = defaultdict(float)
    touched: dict[str, int] = defaultdict(int)
    original_run = KernelThreads.run
    original_pass = solver._run_pass  # pyright: ignore[reportPrivateUsage]
    counting = 0.0

    def run(workers: KernelThreads, kernel: Any, *shared: Any, **options: Any) -> None:
        nonlocal counting
        name = getattr(kernel, "__name__", "")
        began = time.process_time()
        original_run(workers, kernel, *shared, **options)
        spent[PHASES.get(name, "unfolding")] += time.process_time() - began
        began = time.process_time()
        if name == "prepare":
            __, state, codes, bounds = shared[:4]
            touched["captures"] += codes.nbytes + state.undecided.nbytes + state.not_won.nbytes
            touched["captures"] += sum(array.nbytes for group in bounds for array in group_arrays(group))
        elif name == "finish":
            touched["end"] += shared[1].nbytes + shared[2].nbytes
        counting += time.process_time() - began

    def run_pass(work: Any, men: Any, state: Any, number: int, source: Any, out: Any) -> list[int]:
        nonlocal counting
        began = time.process_time()
        rows = np.count_nonzero(source.rows) + np.count_nonzero(state.undecided.reshape(-1, 64).any(1))
        counting += time.process_time() - began
        new = original_pass(work, men, state, number, source, out)
        began = time.process_time()
        sets_written = 3 if number % 2 else 2
        touched["passes"] += ROW * (int(rows) + sets_written * int(np.count_nonzero(out.rows))) + sum(new)
        counting += time.process_time() - began
        return new

    def lookup(name: str, side: int, wanted: DigitFilter = ()) -> Any:
        return library.read_side(name, side, threads, wanted)

    with patch.object(KernelThreads, "run", run), patch.object(solver, "_run_pass", run_pass):
        system = resource.getrusage(resource.RUSAGE_SELF).ru_stime
        began = time.process_time()
        CHESS.solver.solve(ending, lookup, threads, lambda _: None).done()
        total = time.process_time() - began - counting
        system = resource.getrusage(resource.RUSAGE_SELF).ru_stime - system
    return {
        "cpu": total, "system": system, "kernels": dict(spent), "bytes": dict(touched),
        "bandwidth": max(first_bandwidth, bandwidth()),
    }  # fmt: skip


def group_arrays(group: Any) -> list[Any]:
    """The arrays of a tuple, or an array in a list."""
    return [array for array in group if isinstance(array, np.ndarray)] if isinstance(group, tuple) else [group]


def ask(rounds: int, root: Path, ending: str, threads: int) -> dict[str, Any]:
    """The best of some rounds, each in a process of its own."""
    results: list[dict[str, Any]] = []
    for _ in range(rounds):
        command = [sys.executable, "-m", "benchmarks.limit", "--library", str(root), "--measure", str(threads), ending]
        results.append(json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout))
    best = min(results, key=lambda result: result["cpu"])
    best["bandwidth"] = max(result["bandwidth"] for result in results)
    return best


def main() -> None:
    """Prints a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("endings", nargs="*", default=["KRRvKR", "KBBvKN", "KQRvKR"])
    parser.add_argument("--library", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--measure", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(measure(str(options.library), options.endings[0], options.measure)))
        return

    phases = list(PHASES.values())
    print(f"{'':10}{'bytes GB':>9}{'GB/s':>7}{'limit s':>9}{'CPU s':>7}{'ratio':>7}{'2 threads':>11}", end="")
    print("".join(f"{phase:>11}" for phase in phases) + f"{'rest':>7}{'of it system':>14}")
    for ending in options.endings:
        one = ask(options.rounds, options.library, ending, 1)
        two = ask(options.rounds, options.library, ending, 2)
        touched = sum(one["bytes"].values())
        rate = max(one["bandwidth"], two["bandwidth"])
        limit = touched / rate
        kernels = [one["kernels"].get(phase, 0.0) for phase in phases]
        print(
            f"{ending:10}{touched / 1e9:9.2f}{rate / 1e9:7.1f}{limit:9.2f}{one['cpu']:7.2f}{one['cpu'] / limit:7.1f}"
            f"{two['cpu']:11.2f}" + "".join(f"{seconds:11.2f}" for seconds in kernels)
            + f"{one['cpu'] - sum(kernels):7.2f}{one['system']:14.2f}",
            flush=True,
        )  # fmt: skip
        print(
            f"{'':10}" + ", ".join(f"{name} {count / 1e9:.2f} GB" for name, count in one["bytes"].items()), flush=True
        )


if __name__ == "__main__":
    main()

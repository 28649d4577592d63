"""Solves pairs of Nine Men's Morris, each in a process of its own, and reckons what all 28 cost.

Run: ``python -m benchmarks.morris [--stones 10] [--threads 2] [--library DIR]``. Pairs that are built in DIR already
are solved again but not written. With ``--probe`` single positions of what is built are probed, too.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from endgame_core.game import DigitFilter
from endgame_core.morris import index
from endgame_core.morris.game import MORRIS
from endgame_core.tables.explorer import Explorer
from endgame_core.tables.library import Library

from .measure import peak

HOUSE = Path(__file__).resolve().parents[1]
PROBED = 20_000


def solve(root: str, ending: str, threads: int) -> dict[str, Any]:
    """Solves one pair whose sub-endings are in ``root``, and writes it."""
    library = Library(MORRIS, Path(root))
    compiling = time.process_time()
    MORRIS.solver.warm_up([ending], lambda what: None)
    compiling = time.process_time() - compiling
    layers: list[Any] = []

    def lookup(name: str, side: int, wanted: DigitFilter = ()) -> Any:
        return library.read_side(name, side, threads, wanted)

    wall, cpu = time.perf_counter(), time.process_time()
    solved = MORRIS.solver.solve(ending, lookup, threads, layers.append)
    found: dict[str, Any] = {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}
    cpu = time.process_time()
    if not library.is_built(ending):
        library.write(ending, solved)
    size = library.table(ending).size
    sides = index.sides(ending)
    return found | {
        "write": time.process_time() - cpu, "size": size, "slots": sides * MORRIS.index.slots(ending),
        "layers": sum(told.n is not None for told in layers), "peak": peak(), "compiling": compiling,
    }  # fmt: skip


def ask(root: str, ending: str, threads: int) -> dict[str, Any]:
    """The same in a process of its own."""
    found = subprocess.run(
        [sys.executable, "-m", "benchmarks.morris", "--one", ending, "--library", root, "--threads", str(threads)],
        stdout=subprocess.PIPE, text=True, cwd=HOUSE, check=True,
    )  # fmt: skip
    return json.loads(found.stdout)


def show(title: str, row: dict[str, Any]) -> None:
    print(
        f"{title:10}{row['slots'] / 1e6:9.1f}{row['layers']:8}{row['cpu']:9.2f}{row['wall']:9.2f}{row['write']:9.2f}"
        f"{row['slots'] / row['cpu'] / 1e6:9.1f}{row['size'] / 1e6:9.2f}{row['peak'] / 1e6:9.0f}",
        flush=True,
    )


def probe(root: str, ending: str) -> tuple[float, float]:
    """Microseconds to probe a random position of a built pair, first and second time."""
    library = Library(MORRIS, Path(root))
    explorer, rng = Explorer(MORRIS, library), random.Random(1)
    first, second = map(int, ending.split("-"))
    chosen: list[Any] = []
    for _ in range(PROBED):
        points = rng.sample(range(24), first + second)
        white, black = (sum(1 << at for at in part) for part in (points[:first], points[first:]))
        chosen.append(MORRIS.index.from_key(ending, white << 1 | black << 25 | rng.randrange(2)))
    times: list[float] = []
    for _ in range(2):
        began = time.perf_counter()
        for position in chosen:
            explorer.probe(position)
        times.append((time.perf_counter() - began) / PROBED * 1e6)
    return times[0], times[1]


def main() -> None:
    """Measures and prints a table."""
    options = argparse.ArgumentParser(prog="python -m benchmarks.morris", description=__doc__)
    options.add_argument("--stones", type=int, default=10, help="pairs of up to so many stones")
    options.add_argument("--threads", type=int, default=2)
    options.add_argument("--library", type=Path, help="a data directory to build in and to reuse")
    options.add_argument("--probe", action="store_true", help="also probe single positions")
    options.add_argument("--one", help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.one:
        print(json.dumps(solve(str(given.library), given.one, given.threads)))
        return
    with tempfile.TemporaryDirectory() as name:
        root = str(given.library or name)
        print(f"{'pair':10}{'M slots':>9}{'layers':>8}{'CPU s':>9}{'wall s':>9}{'write s':>9}", end="")
        print(f"{'M/CPU s':>9}{'MB':>9}{'peak MB':>9}")
        chosen = [ending for ending in MORRIS.endings() if int(ending[0]) + int(ending[2]) <= given.stones]
        rows: dict[str, dict[str, Any]] = {}
        for ending in chosen:
            rows[ending] = ask(root, ending, given.threads)
            show(ending, rows[ending])
        total = {key: sum(row[key] for row in rows.values()) for key in ("slots", "cpu", "wall", "write", "size")}
        show("together", total | {"layers": "", "peak": max(row["peak"] for row in rows.values())})
        print(
            f"compiling for the first time, or loading: {max(row['compiling'] for row in rows.values()):.1f} s of CPU"
        )
        reckon(rows)
        if given.probe:
            for ending in chosen:
                cold, cached = probe(root, ending)
                print(f"{ending}: {cold:.1f} µs a probe, {cached:.1f} µs once its frames are cached")


def reckon(rows: dict[str, dict[str, Any]]) -> None:
    """Prints what all 28 pairs cost at the pace of the largest of those measured: the least, larger ones are slower."""
    largest = sorted(rows.values(), key=lambda row: row["slots"])[-3:]
    left = [ending for ending in MORRIS.endings() if ending not in rows]
    slots = sum(index.sides(ending) * MORRIS.index.slots(ending) for ending in left)
    per = {key: statistics.mean(row[key] / row["slots"] for row in largest) for key in ("cpu", "wall", "size")}
    whole = {key: sum(row[key] for row in rows.values()) + per[key] * slots for key in per}
    print(
        f"all 28, were the other {len(left)} as fast as the three largest here: {whole['cpu'] / 60:.0f} min of CPU, "
        f"{whole['wall'] / 60:.0f} on the clock, {whole['size'] / 1e9:.1f} GB on disk; large ones are slower"
    )


if __name__ == "__main__":
    main()

"""Times solving and writing, with one thread and with two; prints a table, or JSON with --json.

Run: ``python benchmarks/solving.py``. Each five-men ending is measured in a process of its own, so that its peak of
resident memory is its own; kernels are compiled, or loaded, before the clock starts.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from endgame_core.chess import material
from endgame_core.chess.game import CHESS
from endgame_core.tables.builder import Build
from endgame_core.tables.library import Library

FIVE = ["KRRvKR", "KQRvKQ", "KBBvKN"]
FOUR = [n for n in material.ENDINGS if material.men_count(n) == 4 and not material.has_pawns(n)]


def measure(endings: list[str], root: Path, threads: int) -> dict[str, Any]:
    """Solves and writes the endings in this process; sub-endings come from the library in ``root``."""
    library = Library(CHESS, root)
    CHESS.warm_up(material.ENDINGS, lambda what: None)
    solving = writing = wall = 0.0
    size = 0
    for ending in endings:
        began, cpu = time.perf_counter(), time.process_time()
        solved = CHESS.solve(ending, lambda name: library.table(name).read_all(), threads, lambda layer: None)
        wall += time.perf_counter() - began
        solving += time.process_time() - cpu
        cpu = time.process_time()
        size += library.write(ending, solved)
        writing += time.process_time() - cpu
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return {"cpu": solving, "wall": wall, "write": writing, "size": size, "peak": peak}


def compile_cold() -> float:
    """CPU seconds to compile all kernels into an empty cache, in a new process."""
    with tempfile.TemporaryDirectory() as cache:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        code = "from endgame_core.chess.game import CHESS; CHESS.warm_up(material.ENDINGS, lambda what: None)"
        subprocess.run([sys.executable, "-c", code], env={**os.environ, "NUMBA_CACHE_DIR": cache}, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def apart(endings: list[str], root: Path, threads: int) -> dict[str, Any]:
    """:func:`measure` in a process of its own."""
    found = subprocess.run(
        [sys.executable, __file__, "--one", ",".join(endings), "--root", str(root), "--threads", str(threads)],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return json.loads(found.stdout)


def main() -> None:
    """Runs all measurements."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--json", action="store_true")
    options.add_argument("--one", help=argparse.SUPPRESS)
    options.add_argument("--root", type=Path, help=argparse.SUPPRESS)
    options.add_argument("--threads", type=int, help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.one:
        print(json.dumps(measure(given.one.split(","), given.root, given.threads)))
        return
    rows: dict[str, dict[str, Any]] = {}
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        for _ in Build(Library(CHESS, root), FOUR).events():
            pass
        for title, endings in [("20 pawnless of 4 men", FOUR), *((ending, [ending]) for ending in FIVE)]:
            one, two = apart(endings, root, 1), apart(endings, root, 2)
            rows[title] = {**one, "wall2": two["wall"], "speedup": one["wall"] / two["wall"]}
    cold = compile_cold()
    if given.json:
        print(json.dumps({"compile_cpu": cold, "endings": rows}))
        return
    print(f"{'':22}{'solve CPU s':>12}{'2 threads s':>12}{'speed-up':>10}{'write CPU s':>12}{'MB':>8}{'peak MB':>9}")
    for title, row in rows.items():
        print(
            f"{title:22}{row['cpu']:12.2f}{row['wall2']:12.2f}{row['speedup']:10.2f}{row['write']:12.2f}"
            f"{row['size'] / 1e6:8.1f}{row['peak'] / 1e6:9.0f}"
        )
    print(f"cold compilation of all kernels: {cold:.1f} s CPU")


if __name__ == "__main__":
    main()

"""Times queries over a whole ending, as ``find --count`` answers them; prints a table, or JSON with --json.

Run: ``python -m benchmarks.finding [ENDING]``. What is missing is built first, into a directory of its own or that of
``--library``. Each query is answered in a process of its own; the first is asked twice, for kernels may be compiled.
"""

from __future__ import annotations

import argparse
import json
import resource
import tempfile
import time
from pathlib import Path

from benchmarks.__main__ import build
from endgame_core.chess.game import CHESS
from endgame_core.tables.find import Find, Query
from endgame_core.tables.library import Library

QUERIES = [
    "white wins",
    "depth >= 60 and black king on corner",
    "white wins and depth >= 40 and black king on edge",
    "zugzwang and black to move",
    "white wins and depth >= 40 and only move and black king on edge",
]


def _seconds(query: Query, threads: int) -> tuple[int, float, float]:
    """How many positions there are, seconds, and seconds of CPU."""
    began, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    count = Find(query, False, threads).run(lambda _what, _part: None).count
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return count, time.monotonic() - began, cpu


def main() -> None:
    """Builds what is needed and measures."""
    options = argparse.ArgumentParser(prog="python -m benchmarks.finding", description=__doc__)
    options.add_argument("ending", nargs="?", default="KRPvKR")
    options.add_argument("--json", action="store_true", help="print JSON")
    options.add_argument("--threads", type=int, default=2)
    options.add_argument("--library", type=Path, help="a data directory to build in and to reuse")
    given = options.parse_args()
    found: dict[str, tuple[int, float, float]] = {}
    with tempfile.TemporaryDirectory() as name:
        root = given.library or Path(name)
        build(root, [*CHESS.needs(given.ending), given.ending], dtz=False)
        library = Library(CHESS, root)
        for text in [QUERIES[-1], *QUERIES]:
            found[text] = _seconds(Query(library, given.ending, text), given.threads)
    if given.json:
        print(json.dumps({"ending": given.ending, "queries": found}))
        return
    for text, (count, wall, cpu) in found.items():
        print(f"{count:14,}{wall:8.2f} s{cpu:8.2f} s CPU  {text}")


if __name__ == "__main__":
    main()

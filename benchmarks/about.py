"""Times looking at all moves of endings, and what it takes of memory; prints a table, or JSON with --json.

Run: ``python -m benchmarks.about [ENDING …]``. What is missing is built first, into a directory of its own or that of
``--library``. Each ending is looked at in a process of its own, its kernels being loaded before the clock starts.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.__main__ import ask, build
from endgame_core.chess.game import CHESS

ENDINGS = ["KPvK", "KRvKP", "KPvKP", "KRRvKR", "KRPvKR"]


def show(scale: float, found: dict[str, dict[str, Any]]) -> None:
    """Prints what was measured."""
    print(f"reference workload: {scale:.3f} s CPU; × is a multiple of it\n")
    print(f"{'about':12}{'positions':>14}{'s':>8}{'CPU s':>8}{'×':>8}{'reading':>9}{'peak MB':>9}{'kB':>7}")
    for ending, row in found.items():
        print(
            f"{ending:12}{row['positions']:14,}{row['wall']:8.2f}{row['cpu']:8.2f}{row['cpu'] / scale:8.1f}"
            f"{row['reading']:9.2f}{row['peak'] / 1e6:9.0f}{row['size'] / 1e3:7.0f}"
        )


def main() -> None:
    """Builds what is needed and measures."""
    options = argparse.ArgumentParser(prog="python -m benchmarks.about", description=__doc__)
    options.add_argument("endings", nargs="*", default=ENDINGS, help="by default " + ", ".join(ENDINGS))
    options.add_argument("--json", action="store_true", help="print JSON")
    options.add_argument("--threads", type=int, default=2)
    options.add_argument("--library", type=Path, help="a data directory to build in and to reuse")
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as name:
        root = given.library or Path(name)
        build(root, [name for ending in given.endings for name in (*CHESS.needs(ending), ending)], dtz=False)
        scale = ask("reference")["cpu"]
        found = {ending: ask("about", root=str(root), ending=ending, threads=given.threads) for ending in given.endings}
    if given.json:
        print(json.dumps({"reference_cpu": scale, "about": found}))
    else:
        show(scale, found)


if __name__ == "__main__":
    main()

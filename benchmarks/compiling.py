"""What it costs to compile each kernel, from an empty cache: CPU seconds, numba's own share, and the size of the code.

Kernels are compiled in the order in which a first build, a survey and a query need them. A kernel's seconds contain
those of the functions that it calls, as far as no kernel before has compiled them.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from typing import Any

GROUPS = {
    "a build without pawns": ["KQvKR"],
    "a build with pawns": ["KPvKR"],
}


def measure() -> list[dict[str, Any]]:
    """A row for each compiled kernel: group, name, arguments, CPU seconds."""
    from numba.core import event
    from numba.core.dispatcher import Dispatcher

    rows: list[dict[str, Any]] = []

    class _Listener(event.Listener):
        """Notes the outermost compilations."""

        def __init__(self) -> None:
            self.depth = 0
            self.began = 0.0
            self.group = ""

        def on_start(self, event: Any) -> None:
            if not self.depth:
                self.began = time.process_time()
            self.depth += 1

        def on_end(self, event: Any) -> None:
            self.depth -= 1
            if self.depth:
                return
            dispatcher: Dispatcher = event.data["dispatcher"]
            function = dispatcher.py_func
            rows.append({
                "group": self.group,
                "kernel": f"{function.__module__.rsplit('.', 1)[-1]}.{function.__name__}",
                "seconds": time.process_time() - self.began,
            })  # fmt: skip

    from endgame_core.chess.game import CHESS
    from endgame_core.games import by_name

    def quiet(_: str) -> None:
        return

    listener = _Listener()
    with event.install_listener("numba:compile", listener):
        for listener.group, endings in GROUPS.items():
            CHESS.solver.warm_up(endings, quiet)
        listener.group = "a survey"
        CHESS.solver.warm_up([], quiet, True)
        listener.group = "Morris"
        by_name("morris").solver.warm_up(["3-3"], quiet)
    return rows


def main() -> None:
    """Prints the seconds of each kernel, and the sum of each group."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        os.environ["NUMBA_CACHE_DIR"] = directory
        rows = measure()
    if options.json:
        print(json.dumps(rows))
        return
    for group in dict.fromkeys(row["group"] for row in rows):
        chosen = [row for row in rows if row["group"] == group]
        print(f"\n{group}: {sum(row['seconds'] for row in chosen):.1f} s")
        for row in sorted(chosen, key=lambda row: -row["seconds"]):
            print(f"  {row['kernel']:<40}{row['seconds']:7.2f}")


if __name__ == "__main__":
    main()

"""Times the replies of the defenders, and the grading of a move; prints JSON.

Run: ``python -m benchmarks.playing [--data-dir DIR] [ENDING…]``; the endings must be built in DIR.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from endgame_core.chess.game import CHESS
from endgame_core.judge import Judge
from endgame_core.practice.defence import Defence, reply
from endgame_core.tables.explorer import Explorer
from endgame_core.tables.library import Library

ENDINGS = ("KRvK", "KBNvK", "KQvKR", "KRPvKR")


def milliseconds(work: Callable[[], Any]) -> float:
    began = time.perf_counter()
    work()
    return 1000 * (time.perf_counter() - began)


def measured(root: Path | None, ending: str, positions: int) -> dict[str, dict[str, float]]:
    """Median and most, per defender; every position is asked about for the first time, as in a game."""
    found: dict[str, list[float]] = {defence.value: [] for defence in Defence} | {"grade": []}
    for defence in Defence:
        explorer = Explorer(CHESS, Library(CHESS, root))
        table, rng = explorer.library.table(ending), random.Random(4)
        while len(found[defence.value]) < positions:
            board = CHESS.index.position_at(ending, *table.nth(rng.randrange(table.positions)))
            if CHESS.terminal(board) is not None:
                continue
            found[defence.value].append(
                milliseconds(lambda b=board, e=explorer, d=defence, r=rng: reply(Judge(e), b, d, r))
            )
            if defence is Defence.PERFECT:
                move = CHESS.moves(board)[0]
                found["grade"].append(milliseconds(lambda b=board, e=explorer, m=move: Judge(e).grade(b, m)))
    return {
        name: {"median ms": round(statistics.median(times), 2), "most ms": round(max(times), 2)}
        for name, times in found.items()
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-dir", type=Path)
    parser.add_argument("--positions", type=int, default=300)
    parser.add_argument("endings", nargs="*", default=ENDINGS)
    given = parser.parse_args()
    print(json.dumps({name: measured(given.data_dir, name, given.positions) for name in given.endings}, indent=2))


if __name__ == "__main__":
    main()

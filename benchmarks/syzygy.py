"""Compares every position of our tables by DTZ with Syzygy files: the result, and DTZ to the ply.

Run: ``python -m benchmarks.syzygy --library DIR --syzygy DIR [ENDING …]``. Four men take minutes to an hour an ending;
``--every 100`` looks at each hundredth position. Where DTZ needs a file that is not there, such as that after a
promotion, the result alone is compared, and so it is everywhere with ``--results``; where that needs one, too, nothing.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import chess

from endgame_core.chess import arrays
from endgame_core.chess.fifty import OwnSource
from endgame_core.chess.game import CHESS_DTZ
from endgame_core.chess.metrics import Zeroing
from endgame_core.chess.syzygy import Syzygy
from endgame_core.errors import MissingError
from endgame_core.tables.library import Library
from endgame_core.values import Category

STEP = 64_000
"""Slots of a piece of work."""

Work = tuple[Path, Path, str, int, int, int, bool]

_WDL = dict(zip((2, 1, 0, -1, -2), (category for category in Category if "maybe" not in category), strict=True))


def compared(work: Work) -> Counter[str]:
    """Compares the canonical positions of some slots: how many, and how they differ."""
    root, directory, ending, side, start, every, results = work
    syzygy = Syzygy(str(directory))
    ours, theirs = OwnSource(Library(CHESS_DTZ, root)), syzygy
    count = min(STEP, CHESS_DTZ.index.slots(ending) - start)
    found: Counter[str] = Counter()
    kept = arrays.copies(ending, side, start, count).nonzero()[0][::every]
    for slot in (kept + start).tolist():
        board = CHESS_DTZ.index.position_at(ending, side, slot)
        found["positions"] += 1
        here, there = ours.look(board), _looked(theirs, board) if not results else None
        if there is None:
            try:
                result = _WDL[syzygy.result(board)]
            except MissingError:
                found["no file"] += 1
                continue
            found["result alone"] += 1
        else:
            result, further = there.category, abs(here.dtz) - abs(there.dtz)
            if further:
                found["one ply rounded" if further == 1 and not there.exact else "other DTZ"] += 1
        found["other result"] += here.category is not result
    return found


def _looked(source: Syzygy, board: chess.Board) -> Zeroing | None:
    """The value; None where a file is missing."""
    try:
        return source.look(board)
    except MissingError:
        return None


def main() -> None:
    """Prints a row for each ending; exits with 1 when a result, or DTZ by more than the rounding, differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("endings", nargs="*")
    parser.add_argument("--library", type=Path, required=True)
    parser.add_argument("--syzygy", type=Path, required=True)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--results", action="store_true", help="leave DTZ out")
    parser.add_argument("--processes", type=int)
    given = parser.parse_args()
    tables = {table.ending for table in Syzygy(str(given.syzygy)).tables if table.wdl and table.dtz}
    columns = ("positions", "result alone", "no file", "other result", "one ply rounded", "other DTZ")
    print("ending  ", *(f"{column:>15}" for column in columns))
    bad = False
    with ProcessPoolExecutor(given.processes) as pool:
        for ending in given.endings or [name for name in CHESS_DTZ.endings() if name in tables]:
            work: list[Work] = [
                (given.library, given.syzygy, ending, side, start, given.every, given.results)
                for side in range(2)
                for start in range(0, CHESS_DTZ.index.slots(ending), STEP)
            ]
            total: Counter[str] = sum(pool.map(compared, work), Counter[str]())
            print(f"{ending:8}", *(f"{total[column]:15,}" for column in columns), flush=True)
            bad = bad or total["other result"] > 0 or total["other DTZ"] > 0
    sys.exit(bad)


if __name__ == "__main__":
    main()

"""Measures the 50-move rule: a panel's update, a request's work, and the checksum test of Syzygy files.

Run: ``python -m benchmarks.fifty --syzygy DIR --library DIR``; both are optional.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import chess

from benchmarks.exactness import draw
from endgame_core.answers import Answers
from endgame_core.chess import material
from endgame_core.chess.game import CHESS_DTZ
from endgame_core.chess.syzygy import Syzygy, check
from endgame_core.errors import MissingError
from endgame_core.tables.library import Library
from endgame_core.words import position as words

POSITIONS = 400
"""For each ending; as many others are looked at before, so that files and caches are warm."""


def panel(answers: Answers, board: chess.Board) -> None:
    """Verdict, all moves, and what is said of them."""
    known = answers.judge.probe(board)
    if known.fifty_problem is not None:
        raise known.fifty_problem
    assert known.fifty is not None
    [words.fifty_verdict(known.fifty), words.difference(known), *(words.fifty_move(rated) for rated in known.by_dtz)]


def request(answers: Answers, board: chess.Board) -> None:
    """Verdict and moves, as a server tells them."""
    answers.standard(board)


def timed(answers: Answers, ending: str, work: Callable[[Answers, chess.Board], None]) -> list[float]:
    """Sorted seconds of CPU for each of many positions."""
    rng, found = random.Random(ending), list[float]()
    for i in range(2 * POSITIONS):
        board = draw(ending, rng)
        start = time.process_time()
        try:
            work(answers, board)
        except MissingError:
            continue
        if i >= POSITIONS:
            found.append(time.process_time() - start)
    return sorted(found)


def show(title: str, answers: Answers, endings: list[str], work: Callable[[Answers, chess.Board], None]) -> None:
    """One line for each ending."""
    print(f"{title:30}{'mean ms':>10}{'p95':>8}{'most':>8}{'of':>6}")
    for ending in endings:
        found = [1e3 * seconds for seconds in timed(answers, ending, work)]
        if found:
            mean, late = sum(found) / len(found), found[len(found) * 95 // 100]
            print(f"{ending:30}{mean:10.2f}{late:8.2f}{found[-1]:8.2f}{len(found):6}")


def main() -> None:
    """Measures what there are files for."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--syzygy", help="a directory of Syzygy files")
    parser.add_argument("--library", type=Path, help="a data directory with tables by DTZ")
    asked = parser.parse_args()
    if asked.library:
        library = Library(CHESS_DTZ, asked.library)
        four = [ending for ending in library.built() if material.men_count(ending) == 4]
        show("a request, our own tables", Answers.of(asked.library), four, request)
    if asked.syzygy:
        syzygy = Syzygy(asked.syzygy)
        four = [table.ending for table in syzygy.tables if material.men_count(table.ending) == 4]
        with TemporaryDirectory() as nothing:
            show("a panel, Syzygy files", Answers.of(Path(nothing), asked.syzygy), four, panel)
        files = [file for table in syzygy.tables for file in table.files]
        check(files[0])
        start = time.perf_counter()
        for file in files:
            check(file)
        seconds, size = time.perf_counter() - start, sum(file.size for file in files)
        print(f"checksums: {len(files)} files, {size / 1e6:.1f} MB, {size / 1e6 / seconds:.0f} MB/s")


if __name__ == "__main__":
    main()

"""A program that uses the library as its documentation says; checked by mypy --strict and run by a test.

Run: ``python library_client.py DATA_DIR``; needs KRvK and KQvK, which are shipped.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

import chess
import numpy as np

import endgame_core
from endgame_core import (
    CHESS,
    Answers,
    Category,
    EndgameError,
    Explorer,
    Judge,
    Library,
    NotBuiltError,
    Prober,
    Verdict,
)


def main(root: Path) -> None:
    library = Library(CHESS, root)
    explorer: Explorer[chess.Board, chess.Move] = Explorer(CHESS, library)

    prober = Prober(library)
    verdict: Verdict = prober.probe("8/8/8/4k3/8/8/8/R3K3 w - - 0 1")
    assert verdict.category is Category.WIN and verdict.depth == 27

    board = explorer.random("KRvK", "white", 27, random.Random(1))
    keys = np.array([CHESS.index.key(board)], np.uint64)
    values = prober.probe_many(keys, "KRvK")
    print(int(values.result[0]), int(values.depth[0]))

    layers = explorer.layers("KRvK")
    deepest = layers.families["white"][-1]
    print(deepest.n, deepest.boards, deepest.canonical)

    judge: Judge[chess.Board, chess.Move] = Judge(explorer)
    probe = judge.probe(board)
    best = probe.best
    assert best is not None
    print(best.san, [rated.san for rated in probe.moves if rated.grade == "best"])
    print(len(judge.line(board).moves))

    answer = Answers(judge).standard(board)
    print(answer["category"])
    try:
        prober.probe("8/8/8/4k3/8/8/PP6/R3K3 w - - 0 1")
    except NotBuiltError as error:
        print(error.ending, isinstance(error, EndgameError))
    print(endgame_core.__version__)


if __name__ == "__main__":
    main(Path(sys.argv[1]))

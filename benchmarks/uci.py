"""Plays the UCI engine against another one from positions that tables know, and counts lost half points.

Run: ``python -m benchmarks.uci --data-dir DIR [--opponent PROGRAM] [--games N] ENDING…``; the endings must be built in
DIR. Half of the positions are won, half drawn; our engine is the side that wins, and either side of the draws. It must
win all of the former and lose none of the latter. An illegal move ends the run with an error; late moves are reported.
The answers to ``stop`` are timed as well.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import time
from collections import Counter
from pathlib import Path

import chess
import chess.engine

from endgame_core.chess.game import CHESS
from endgame_core.tables.explorer import Explorer
from endgame_core.tables.library import Library
from endgame_core.values import Category

MOST_PLIES = 300


def position(explorer: Explorer[chess.Board, chess.Move], ending: str, won: bool, rng: random.Random) -> chess.Board:
    """A random position that the side to move wins, or a drawn one in which it can go wrong."""
    table = explorer.library.table(ending)
    while True:
        board = CHESS.index.position_at(ending, *table.nth(rng.randrange(table.positions)))
        if board.is_game_over():
            continue
        category = explorer.probe(board).category
        if won and category is Category.WIN:
            return board
        if not won and category is Category.DRAW:
            after = [explorer.probe(CHESS.play(board, move)).category for move in board.legal_moves]
            if any(one is Category.WIN for one in after):
                return board


def game(
    ours: chess.engine.SimpleEngine, theirs: chess.engine.SimpleEngine, board: chess.Board, side: chess.Color, ms: int
) -> chess.Board:
    """Play a game to its end, by the 50-move rule and threefold repetition as well."""
    limit = chess.engine.Limit(time=ms / 1000)
    while not board.is_game_over(claim_draw=True) and board.ply() < MOST_PLIES:
        engine = ours if board.turn is side else theirs
        began = time.perf_counter()
        move = engine.play(board, limit).move
        if engine is ours and time.perf_counter() - began > ms / 1000 + 0.1:
            print(f"late: {1000 * (time.perf_counter() - began):.0f} ms in {board.fen()}", file=sys.stderr)
        assert move is not None and board.is_legal(move)
        board.push(move)
    return board


def stop_times(engine: chess.engine.SimpleEngine, boards: list[chess.Board]) -> list[float]:
    """Milliseconds from ``stop`` to ``bestmove``."""
    times: list[float] = []
    for board in boards:
        with engine.analysis(board) as analysis:
            time.sleep(0.3)
            began = time.perf_counter()
            analysis.stop()
            analysis.wait()
            times.append(1000 * (time.perf_counter() - began))
    return times


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-dir", type=Path, required=True)
    parser.add_argument("--opponent", default="stockfish")
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--ms", type=int, default=100, help="milliseconds a move")
    parser.add_argument("endings", nargs="+")
    given = parser.parse_args()

    rng = random.Random(1)
    explorer = Explorer(CHESS, Library(CHESS, given.data_dir))
    command = [sys.executable, "-m", "endgame_core.cli.main", "--data-dir", str(given.data_dir), "uci"]
    results: Counter[tuple[str, str, str]] = Counter()
    with (
        chess.engine.SimpleEngine.popen_uci(command, timeout=120) as ours,
        chess.engine.SimpleEngine.popen_uci(given.opponent, timeout=120) as theirs,
    ):
        ours.ping()
        for number in range(given.games):
            ending = given.endings[number % len(given.endings)]
            won = number // len(given.endings) % 2 == 0
            board = position(explorer, ending, won, rng)
            side = board.turn if won else rng.choice(chess.COLORS)
            start = board.fen()
            outcome = game(ours, theirs, board, side, given.ms).outcome(claim_draw=True)
            winner = None if outcome is None else outcome.winner
            result = "drawn" if winner is None else "won" if winner is side else "LOST"
            results[ending, "won" if won else "drawn", result] += 1
            if result == "LOST" or (won and result != "won"):
                print(f"half point lost: {start}, we are {chess.COLOR_NAMES[side]}: {result}", file=sys.stderr)
        boards = [position(explorer, ending, True, rng) for ending in given.endings]
        times = stop_times(ours, [*boards, chess.Board(), chess.Board("8/8/8/4k3/8/4K3/PPPP4/8 w - - 0 1")])

    print(f"{'ending':10}{'table says':>12}{'we':>8}{'games':>8}")
    for (ending, said, result), count in sorted(results.items()):
        print(f"{ending:10}{said:>12}{result:>8}{count:>8}")
    print(f"stop answered within {statistics.median(times):.0f} ms (median), {max(times):.0f} ms at most")


if __name__ == "__main__":
    main()

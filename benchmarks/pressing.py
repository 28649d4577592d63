"""Measures how defenders press in drawn positions: whether they give material away, and how long a reply takes.

Run: ``python -m benchmarks.pressing --library DIR [ENDING...]``. What is not in DIR is built. From each of some random
drawn starts of a "hold the draw" drill, the defender plays against an opponent who chooses at random among the moves
that hold, until the drill would end. A game in which the defender is left with less material than it began with,
compared with the opponent, counts as given away.
"""

from __future__ import annotations

import argparse
import random
import time
from collections import Counter
from pathlib import Path

from endgame_core.chess.game import CHESS
from endgame_core.judge import Judge
from endgame_core.practice.defence import Defence
from endgame_core.practice.match import HOLD_MOVES, Match
from endgame_core.practice.theme import DrillMode, Starts, Theme
from endgame_core.tables.build import Build
from endgame_core.tables.explorer import Explorer
from endgame_core.tables.library import Library
from endgame_core.values import DRAW, code_before

ENDINGS = ["KRvKN", "KRvKB", "KRPvKR", "KQvKP", "KBPvKB"]


def balance(match: Match, side: str) -> int:
    """A side's material minus the other's, in pawns."""
    own, opposing = CHESS.material(match.position)
    return own - opposing if match.mover == side else opposing - own


def play(judge: Judge, start: object, learner: str, defence: Defence, rng: random.Random) -> tuple[int, int, float]:
    """Play one game; what the defender lost in material (pawns), the learner's moves, the longest reply in seconds."""
    explorer = judge.explorer
    match: Match = Match(judge, start, learner, defence)
    before_game = balance(match, match.opponent)
    slowest = 0.0
    moves = 0
    lost = 0
    while match.result is None and moves < HOLD_MOVES:
        if match.your_turn:
            replies = [
                move for move in CHESS.moves(match.position)
                if code_before(explorer.code(CHESS.play(match.position, move))) >= DRAW
            ]  # fmt: skip
            match.play(rng.choice(replies))
            moves += 1
        else:
            began = time.perf_counter()
            move = match.reply(rng)
            slowest = max(slowest, time.perf_counter() - began)
            match.play(move)
        lost = before_game - balance(match, match.opponent)
        if match.verdict is not None and match.verdict.depth is not None:
            break
    return lost, moves, slowest


def main() -> None:
    """Play and print a table."""
    options = argparse.ArgumentParser(prog="python -m benchmarks.pressing", description=__doc__)
    options.add_argument("endings", nargs="*", default=ENDINGS, metavar="ENDING")
    options.add_argument("--library", type=Path, required=True, help="a data directory to build in and to reuse")
    options.add_argument("--games", type=int, default=25, help="for each ending and defender")
    options.add_argument("--seed", type=int, default=1)
    given = options.parse_args()
    library = Library(CHESS, given.library)
    for _ in Build(library, given.endings).events():
        pass
    judge = Judge(Explorer(CHESS, library))
    print(f"{'ending':8} {'defender':9} {'given away':>10} {'moves':>6} {'slowest reply':>14}")
    for ending in given.endings:
        for defence in Defence:
            rng = random.Random(given.seed)
            starts = Starts(judge.explorer, rng)
            counts: Counter[str] = Counter()
            slowest = 0.0
            for _ in range(given.games):
                start = starts.draw(Theme(ending, DrillMode.HOLD))
                lost, moves, longest = play(judge, start.position, start.learner, defence, rng)
                counts["given away"] += lost > 0
                counts["moves"] += moves
                slowest = max(slowest, longest)
            print(
                f"{ending:8} {defence.value:9} {counts['given away']:7} /{given.games:2}"
                f" {counts['moves'] / given.games:6.1f} {slowest:12.2f} s",
                flush=True,
            )


if __name__ == "__main__":
    main()

"""Measures how defenders press in drawn positions: whether they give material away, and how long a reply takes.

Run: ``python -m benchmarks.pressing --library DIR [ENDING...]``. What is not in DIR is built. From each of some random
drawn starts of a "hold the draw" drill, the defender plays against an opponent who chooses at random among the moves
that hold, until the drill would end. In a lost game the defender is left with less material than it began with,
compared with the opponent, or without chances: a queen cannot stop every pawn. It was given away if the move before
could have been another one that keeps the draw and after which no reply does that.
"""

from __future__ import annotations

import argparse
import random
import time
from collections import Counter
from pathlib import Path

from endgame_core.chess.game import CHESS
from endgame_core.judge import Judge
from endgame_core.practice.defence import Defence, has_chances
from endgame_core.practice.goals import HOLD_MOVES
from endgame_core.practice.match import Match
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


def gain(position: object, move: object) -> int:
    """The change of the mover's material balance by a move, in pawns."""
    own, opposing = CHESS.material(position)
    opposing_after, own_after = CHESS.material(CHESS.play(position, move))
    return own_after - own + opposing - opposing_after


def gain_after_recapture(explorer: Explorer, position: object, move: object) -> int:
    """The change of the mover's material balance by a move and the recapture that keeps at least the draw, in pawns."""
    gained = gain(position, move)
    after = CHESS.play(position, move)
    if gained <= 0:
        return gained
    recaptures = (
        gain(after, reply)
        for reply in CHESS.moves(after)
        if code_before(explorer.code(CHESS.play(after, reply))) >= DRAW
    )
    return gained - max(recaptures, default=0)


def is_harmed(explorer: Explorer, position: object, side: str) -> bool:
    """Whether the side to move has a reply that keeps at least the draw and harms the other side.

    That is: it wins material that is not won back at once, or after it and any answer ``side`` can no longer win.
    """
    for reply in CHESS.moves(position):
        after = CHESS.play(position, reply)
        if code_before(explorer.code(after)) < DRAW:
            continue
        answers = list(CHESS.moves(after))
        won = gain(position, reply)
        if won > 0 and won > max((gain_after_recapture(explorer, after, answer) for answer in answers), default=0):
            return True
        if won > 0 and not any(has_chances(explorer, CHESS.play(after, answer), side) for answer in answers):
            return True
    return False


def could_keep(explorer: Explorer, position: object, side: str) -> bool:
    """Whether some move of the side to move keeps the draw, all material and chances to win."""
    after_moves = [CHESS.play(position, move) for move in CHESS.moves(position)]
    return any(
        code_before(explorer.code(after)) == DRAW and not is_harmed(explorer, after, side) for after in after_moves
    )


def play(
    judge: Judge, start: object, learner: str, defence: Defence, rng: random.Random
) -> tuple[bool, bool, int, float]:
    """Play one game.

    Returns:
        Whether the defender lost material or all chances, whether it gave them away, the learner's moves, the longest
        reply in seconds.
    """
    explorer = judge.explorer
    match: Match = Match(judge, start, learner, defence)
    side = match.opponent
    before_game = balance(match, side)
    slowest = 0.0
    moves = 0
    decisions: list[object] = []
    """The positions before the defender's moves."""
    while match.result is None and moves < HOLD_MOVES:
        if match.your_turn:
            replies = [
                move for move in CHESS.moves(match.position)
                if code_before(explorer.code(CHESS.play(match.position, move))) >= DRAW
            ]  # fmt: skip
            match.play(rng.choice(replies))
            moves += 1
        else:
            decisions.append(match.position)
            began = time.perf_counter()
            move = match.reply(rng)
            slowest = max(slowest, time.perf_counter() - began)
            match.play(move)
            # What the learner's last move took has been won back by now, if it could be.
            if balance(match, side) < before_game or (
                match.result is None and not has_chances(explorer, match.position, side)
            ):
                gave_away = len(decisions) > 1 and could_keep(explorer, decisions[-2], side)
                return True, gave_away, moves, slowest
        if match.verdict is not None and match.verdict.depth is not None:
            break
    return False, False, moves, slowest


def main() -> None:
    """Play and print a table."""
    options = argparse.ArgumentParser(prog="python -m benchmarks.pressing", description=__doc__)
    options.add_argument("endings", nargs="*", default=ENDINGS, metavar="ENDING")
    options.add_argument("--library", type=Path, required=True, help="a data directory to build in and to reuse")
    options.add_argument("--games", type=int, default=25, help="for each ending and defender")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument(
        "--defenders",
        nargs="+",
        type=Defence,
        default=list(Defence),
        metavar="DEFENDER",
        help="default: all; in drawn positions perfect plays like tricky, and varied like human",
    )
    given = options.parse_args()
    library = Library(CHESS, given.library)
    for _ in Build(library, given.endings).events():
        pass
    judge = Judge(Explorer(CHESS, library))
    print(f"{'ending':8} {'defender':9} {'lost':>7} {'given away':>12} {'moves':>6} {'slowest reply':>14}")
    for ending in given.endings:
        for defence in given.defenders:
            rng = random.Random(given.seed)
            starts = Starts(judge.explorer, rng)
            counts: Counter[str] = Counter()
            slowest = 0.0
            for _ in range(given.games):
                start = starts.draw(Theme(ending, DrillMode.HOLD))
                has_lost, gave_away, moves, longest = play(judge, start.position, start.learner, defence, rng)
                counts["lost"] += has_lost
                counts["given away"] += gave_away
                counts["moves"] += moves
                slowest = max(slowest, longest)
            print(
                f"{ending:8} {defence.value:9} {counts['lost']:7} {counts['given away']:9} /{given.games:2}"
                f" {counts['moves'] / given.games:6.1f} {slowest:12.2f} s",
                flush=True,
            )


if __name__ == "__main__":
    main()

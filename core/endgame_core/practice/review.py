"""A past attempt, move by move."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from endgame_core.errors import PositionError
from endgame_core.game import Game
from endgame_core.practice.records import Made, Record

P = TypeVar("P")
M = TypeVar("M")


@dataclass(frozen=True, slots=True)
class Reviewed(Generic[P, M]):
    """One move of a past attempt on the board.

    Attributes:
        made: What the journal has of it; ``made.taken`` tells that it was taken back.
        move: The move; None for an answer.
        before: The position it was made in.
        after: The position after it.
    """

    made: Made
    move: M | None
    before: P
    after: P


def replay(game: Game[P, M], record: Record, moves: Sequence[Made]) -> tuple[P, list[Reviewed[P, M]]]:
    """Puts an attempt on the board: its start, and every move in the order it was made, those taken back too.

    Args:
        game: Its game.
        record: The attempt.
        moves: Its moves, as the journal has them.

    Raises:
        PositionError: The start cannot be read. A move that cannot be made (of an attempt that was imported) ends it.
    """
    start = game.parse(record.start)
    line = [start]
    found: list[Reviewed[P, M]] = []
    for made in moves:
        if not made.uci:
            found.append(Reviewed(made, None, line[-1], line[-1]))
            continue
        if not 1 <= made.ply <= len(line):
            break
        before = line[made.ply - 1]
        try:
            move = game.parse_move(before, made.uci)
        except PositionError:
            break
        after = game.play(before, move)
        line[made.ply :] = [after]
        found.append(Reviewed(made, move, before, after))
    return start, found

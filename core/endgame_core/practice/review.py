"""Moves of a game that was played, or of a past attempt, to be looked at one by one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

from endgame_core.errors import PositionError
from endgame_core.game import Game
from endgame_core.practice.played import Ply
from endgame_core.practice.records import Made, Record
from endgame_core.values import Grade, Kind, Winner

P = TypeVar("P")
M = TypeVar("M")

UNKNOWN: Final = -1
"""The depth of a position that no table knows."""


@dataclass(frozen=True, slots=True)
class Item(Generic[P, M]):
    """A move that was made, or an answer that was given.

    Attributes:
        move: The move; None for an answer.
        san: The move as people write it, or the answer in words.
        before: The position it was made in.
        after: The position after it.
        mover: The side to move.
        own: Whether the person made it.
        number: Its number in the game, from 1; a move played after taking back has the number of the one before.
        grade: Its worth; None where no table knows, and for an answer.
        error: Whether it changed the result for the worse, or was a wrong answer.
        depth: Plies to the end after it; None for a draw, UNKNOWN where no table knows.
        seconds: Time taken for it.
        taken: Whether it was taken back later.
        shown: It was not played, but shown by the table.
    """

    move: M | None
    san: str
    before: P
    after: P
    mover: Winner
    own: bool
    number: int
    grade: Grade | None = None
    error: bool = False
    depth: int | None = UNKNOWN
    seconds: float = 0.0
    taken: bool = False
    shown: bool = False

    @property
    def is_slip(self) -> bool:
        """Whether a move of the person lost anything, or an answer was wrong."""
        return self.own and not self.shown and (self.error or (self.grade is not None and self.grade.plies > 0))


def items_of(plies: Iterable[Ply[P, M]], you: Winner) -> list[Item[P, M]]:
    """The moves of a game."""
    return [
        Item(
            ply.move, ply.san, ply.before, ply.after, ply.mover, ply.mover == you, number, ply.grade,
            ply.grade is not None and ply.grade.kind.is_error,
            UNKNOWN if ply.verdict is None else ply.verdict.depth, ply.seconds, shown=ply.shown,
        )
        for number, ply in enumerate(plies, start=1)
    ]  # fmt: skip


def replay(game: Game[P, M], record: Record, moves: Sequence[Made]) -> tuple[P, list[Item[P, M]]]:
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
    found: list[Item[P, M]] = []
    for made in moves:
        if not made.uci:
            found.append(_item(game, made, None, line[-1], line[-1]))
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
        found.append(_item(game, made, move, before, after))
    return start, found


def _item(game: Game[Any, M], made: Made, move: M | None, before: Any, after: Any) -> Item[Any, M]:
    """A move as the journal has it; a grade without plies tells no depth."""
    try:
        grade = Grade(Kind(made.grade), made.plies)
    except ValueError:
        grade = None
    drawn = made.layer is None and made.grade in (Kind.HOLDS, Kind.WIN_GONE)
    depth = UNKNOWN if not made.grade or (made.layer is None and not drawn) else made.layer
    return Item(
        move, made.san, before, after, game.mover(before), made.own, made.ply, grade, made.error, depth, made.seconds,
        made.taken,
    )  # fmt: skip

"""A game that is over, or a past attempt, looked at move by move."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

from endgame_core.errors import PositionError
from endgame_core.game import Game
from endgame_core.judge import Judge, Known
from endgame_core.practice.match import Match, Ply
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


class Review(Generic[P, M]):
    """Moves and answers, one of which is looked at: the board shows the position before it.

    Args:
        judge: Tells what would have been best.
        start: Where it started.
        items: Its moves and answers in the order they were made, those taken back too.
        you: The person's side.
        depth: Plies to the end at the start; None for a draw, UNKNOWN where no table knows.
        missing: Moves that could not be put on the board.
    """

    def __init__(
        self, judge: Judge[P, M], start: P, items: Sequence[Item[P, M]], you: Winner, depth: int | None = UNKNOWN,
        missing: int = 0,
    ) -> None:  # fmt: skip
        self.judge, self.start, self.items, self.you = judge, start, items, you
        self.missing = missing
        self.depths = (depth, *(item.depth for item in items if item.move is not None))
        """Plies to the end in every position in turn, from the start on."""
        self.at = 0
        """The item looked at; their number stands for the end."""

    @classmethod
    def of_match(cls, judge: Judge[P, M], match: Match[P, M]) -> Review[P, M]:
        """A game, at its end."""
        verdict = match.start_verdict
        depth = UNKNOWN if verdict is None else verdict.depth
        made = cls(judge, match.start, items_of(match.plies, match.you), match.you, depth)
        made.at = len(made.items)
        return made

    @classmethod
    def of_attempt(cls, judge: Judge[P, M], record: Record, moves: Sequence[Made]) -> Review[P, M]:
        """An attempt as the journal has it, at its start; raises PositionError when that cannot be read."""
        start, items = replay(judge.game, record, moves)
        depth = record.perfect if record.perfect is not None or record.goal == "draw" else UNKNOWN
        you = record.colour or judge.game.mover(start)
        return cls(judge, start, items, you, depth, missing=len(moves) - len(items))

    @property
    def item(self) -> Item[P, M] | None:
        """What is looked at, None at the end."""
        return self.items[self.at] if self.at < len(self.items) else None

    @property
    def position(self) -> P:
        """The position on the board."""
        if self.item is not None:
            return self.item.before
        return self.items[-1].after if self.items else self.start

    @property
    def known(self) -> Known[P, M]:
        """All that is known about the position on the board."""
        return self.judge.known(self.position)

    @property
    def came_by(self) -> M | None:
        """The move that led to the position on the board."""
        found = (item for item in reversed(self.items[: self.at]) if item.move is not None)
        item = next((item for item in found if item.after is self.position), None)
        return item.move if item is not None else None

    @property
    def begun_by(self) -> Winner:
        """The side to move at the start."""
        return self.judge.game.mover(self.start)

    @property
    def slips(self) -> list[int]:
        """Numbers, from 0, of the items by which the person lost anything."""
        return [number for number, item in enumerate(self.items) if item.is_slip]

    def go(self, number: int) -> None:
        """Goes to an item by its number, from 0."""
        self.at = min(max(number, 0), len(self.items))

    def step(self, items: int) -> None:
        """Steps on, or back."""
        self.go(self.at + items)

    def next_error(self) -> bool:
        """Goes to the person's next slip, round and round; False when there is none."""
        slips = self.slips
        if slips:
            self.at = next((number for number in slips if number > self.at), slips[0])
        return bool(slips)

    def number_of(self, item: Item[P, M]) -> int:
        """The move number of an item, from 1."""
        return (item.number - 1 + (self.begun_by == "black")) // 2 + 1

    def name_of(self, item: Item[P, M]) -> str:
        """A move with its number: ``3.Kd5``, ``3…Kd7``; an answer as it was given."""
        if item.move is None:
            return item.san
        return f"{self.number_of(item)}{'.' if item.mover == 'white' else '…'}{item.san}"

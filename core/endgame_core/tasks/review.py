"""A game that is over, or a past attempt, looked at move by move."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, TypeVar

from endgame_core.judge import Judge, Known
from endgame_core.practice.match import Match
from endgame_core.practice.records import Made, Record
from endgame_core.practice.review import UNKNOWN, Item, items_of, replay
from endgame_core.values import Winner

P = TypeVar("P")
M = TypeVar("M")


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

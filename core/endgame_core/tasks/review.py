"""A game that is over, or a past attempt, looked at move by move."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Generic, TypeVar

from endgame_core.errors import PositionError
from endgame_core.game import Game
from endgame_core.judge import Judge, ProbeResult
from endgame_core.practice.match import UNKNOWN, Match, Ply
from endgame_core.practice.records import Made, Record
from endgame_core.values import Grade, Kind, Winner

P = TypeVar("P")
M = TypeVar("M")


def replay(game: Game[P, M], record: Record, moves: Sequence[Made]) -> tuple[P, list[Ply[P, Any]]]:
    """Puts an attempt on the board: its start, and every move in the order it was made, those taken back too.

    Args:
        game: Its game.
        record: The attempt.
        moves: Its moves, as the journal has them.

    Raises:
        PositionError: The start cannot be read. A move that cannot be made (of an attempt that was imported) ends it.
    """
    start = game.file_notation.start_of({"FEN": record.start})  # a game may begin where no table reaches, with castling
    line = [start]
    result: list[Ply[P, Any]] = []
    for made in moves:
        if not 1 <= made.ply <= len(line) and made.uci:
            break
        before = line[made.ply - 1] if made.uci else line[-1]
        try:
            move = game.parse_move(before, made.uci) if made.uci else None
        except PositionError:
            break
        after = before if move is None else game.play(before, move)
        if move is not None:
            line[made.ply :] = [after]
        grade = Grade(Kind(made.grade), made.plies) if made.grade in list(Kind) else None
        drawn = made.layer is None and made.grade in (Kind.HOLDS, Kind.WIN_GONE)  # else it is a grade without plies
        result.append(
            Ply(
                move, made.san, before, after, game.mover(before), made.own, made.ply, grade, made.error,
                depth=made.layer if made.grade and (made.layer is not None or drawn) else UNKNOWN,
                seconds=made.seconds, taken=made.taken,
            )
        )  # fmt: skip
    return start, result


class ReviewSession(Generic[P, M]):
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
        self, judge: Judge[P, M], start: P, items: Sequence[Ply[P, Any]], you: Winner, depth: int | None = UNKNOWN,
        missing: int = 0,
    ) -> None:  # fmt: skip
        self.judge, self.start, self.items, self.you = judge, start, items, you
        self.missing = missing
        self.depths = (depth, *(item.depth for item in items if item.move is not None))
        """Plies to the end in every position in turn, from the start on."""
        self.at = 0
        """The item looked at; their number stands for the end."""

    @classmethod
    def of_match(
        cls, judge: Judge[P, M], match: Match[P, M], refutation: Sequence[Ply[P, M]] = ()
    ) -> ReviewSession[P, M]:
        """A game, at its end; behind its moves those that refute the last one."""
        verdict = match.start_verdict
        depth = UNKNOWN if verdict is None else verdict.depth
        made = cls(judge, match.start, [*match.plies, *refutation] if refutation else match.plies, match.you, depth)
        made.at = len(match.plies)
        return made

    @classmethod
    def of_attempt(cls, judge: Judge[P, M], record: Record, moves: Sequence[Made]) -> ReviewSession[P, M]:
        """An attempt as the journal has it, at its start; raises PositionError when that cannot be read."""
        start, items = replay(judge.game, record, moves)
        depth = record.perfect if record.perfect is not None or record.goal == "draw" else UNKNOWN
        you = record.colour or judge.game.mover(start)
        return cls(judge, start, items, you, depth, missing=len(moves) - len(items))

    @property
    def item(self) -> Ply[P, Any] | None:
        """What is looked at, None at the end."""
        return self.items[self.at] if self.at < len(self.items) else None

    @property
    def position(self) -> P:
        """The position on the board."""
        if self.item is not None:
            return self.item.before
        return self.items[-1].after if self.items else self.start

    @property
    def known(self) -> ProbeResult[P, M]:
        """All that is known about the position on the board."""
        return self.judge.probe(self.position)

    @property
    def came_by(self) -> M | None:
        """The move that led to the position on the board."""
        result = (item for item in reversed(self.items[: self.at]) if item.move is not None)
        item = next((item for item in result if item.after is self.position), None)
        return item.move if item is not None else None

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

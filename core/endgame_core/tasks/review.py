"""Move-by-move review of a finished game or of a past attempt."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Generic, TypeVar

from endgame_core.errors import PositionError
from endgame_core.game import Game
from endgame_core.judge import Judge
from endgame_core.practice.match import UNKNOWN, Match, Ply
from endgame_core.practice.records import Made, Record
from endgame_core.probe_result import ProbeResult
from endgame_core.values import Grade, Kind, Winner

P = TypeVar("P")
M = TypeVar("M")

TO_THE_END: Final = 9999
"""More plies than any game has: a step of this size goes to the end, or back to the start."""


def replay(game: Game[P, M], record: Record, moves: Sequence[Made]) -> tuple[P, list[Ply[P, Any]]]:
    """Replay an attempt from the journal.

    An illegal move, which an imported attempt may contain, ends the replay without an error.

    Args:
        game: Rules of the game.
        record: The attempt.
        moves: Its moves and answers in the order they were made, including those taken back.

    Returns:
        The start position, and the moves and answers that could be replayed.

    Raises:
        PositionError: The start position is not valid.
    """
    # Parsed like the start of a PGN game: it may be a position that no table covers, e.g. with castling rights.
    start = game.file_notation.start_of({"FEN": record.start})
    # The positions of the current line. A move with ply number n starts from line[n - 1]; it replaces all that follows
    # if the player took moves back before.
    line = [start]
    result: list[Ply[P, Any]] = []
    for made in moves:
        if not made.uci:  # an answer to a question
            result.append(_replayed_ply(game, made, None, made.san, line[-1], line[-1]))
            continue
        if not 1 <= made.ply <= len(line):
            break
        before = line[made.ply - 1]
        try:
            move = game.parse_move(before, made.uci)
        except PositionError:
            break
        after = game.play(before, move)
        san = game.san(before, move)  # in the user's letters; the journal has those of PGN
        line[made.ply :] = [after]
        result.append(_replayed_ply(game, made, move, san, before, after))
    return start, result


def _replayed_ply(game: Game[P, M], made: Made, move: M | None, san: str, before: P, after: P) -> Ply[P, Any]:
    """Return a move or an answer from the journal, with the grade that it got then."""
    grade = None
    if made.grade in list(Kind):
        grade = Grade(Kind(made.grade), made.plies)

    # The layer is None for draws, but also if the depth is unknown; only these grades mean a draw.
    is_draw = made.layer is None and made.grade in (Kind.HOLDS, Kind.WIN_GONE)
    depth = UNKNOWN
    if made.grade and (made.layer is not None or is_draw):
        depth = made.layer

    return Ply(
        move=move,
        san=san,
        before=before,
        after=after,
        mover=game.mover(before),
        own=made.own,
        number=made.ply,
        grade=grade,
        error=made.error,
        depth=depth,
        seconds=made.seconds,
        was_taken_back=made.taken,
    )


class ReviewSession(Generic[P, M]):
    """A list of moves and answers with a current item; the board shows the position before that item.

    Args:
        judge: Rates moves and positions.
        start: The start position.
        items: Moves and answers in the order they were made, including those taken back.
        you: The side of the learner.
        depth: Plies to the end at the start; None for a draw, UNKNOWN if no table covers it.
        missing: Number of moves that could not be replayed.
    """

    def __init__(
        self, judge: Judge[P, M], start: P, items: Sequence[Ply[P, Any]], you: Winner, depth: int | None = UNKNOWN,
        missing: int = 0,
    ) -> None:  # fmt: skip
        self.judge = judge
        self.start = start
        self.items = items
        self.you = you
        self.missing = missing
        moved = [item for item in items if item.move is not None]
        self.depths = (depth, *(item.depth for item in moved))
        """Plies to the end in each position, from the start on."""
        starts = [(start, depth), *((item.after, item.depth) for item in moved)]
        self.outcomes = tuple(self._outcome(position, plies) for position, plies in starts)
        """``win``, ``draw`` or ``loss`` of the learner in each of these positions; empty where no table covers it."""
        self.errors = frozenset(number for number, item in enumerate(moved, 1) if item.own and item.error)
        """Numbers of the positions, from 0 for the start, to which an error of the learner led."""
        self.at = 0
        """Index of the current item; the number of items stands for the end."""

    def _outcome(self, position: P, depth: int | None) -> str:
        """The result of a position for the learner, with best play by both sides."""
        if depth == UNKNOWN:
            return ""
        if depth is None:
            return "draw"
        # The side to move wins in an odd number of plies, and loses in an even one.
        mover_wins = depth % 2 == 1
        is_learner = self.judge.game.mover(position) == self.you
        if mover_wins == is_learner:
            return "win"
        return "loss"

    @classmethod
    def of_match(
        cls, judge: Judge[P, M], match: Match[P, M], refutation: Sequence[Ply[P, M]] = ()
    ) -> ReviewSession[P, M]:
        """Review a game, beginning at its end; the refutation of its last move follows the moves of the game."""
        verdict = match.start_verdict
        depth = UNKNOWN if verdict is None else verdict.depth
        # Without a refutation the list of the game itself is used, so that the review shows moves played later.
        if refutation:
            items = [*match.plies, *refutation]
        else:
            items = match.plies
        review = cls(judge, match.start, items, match.you, depth)
        review.at = len(match.plies)
        return review

    @classmethod
    def of_attempt(cls, judge: Judge[P, M], record: Record, moves: Sequence[Made]) -> ReviewSession[P, M]:
        """Review an attempt from the journal, beginning at its start; raises PositionError if that is not valid."""
        start, items = replay(judge.game, record, moves)
        if record.perfect is not None or record.goal == "draw":
            depth = record.perfect
        else:
            depth = UNKNOWN
        you = record.colour or judge.game.mover(start)
        return cls(judge, start, items, you, depth, missing=len(moves) - len(items))

    @property
    def item(self) -> Ply[P, Any] | None:
        """The current item; None at the end."""
        if self.at < len(self.items):
            return self.items[self.at]
        return None

    @property
    def position(self) -> P:
        """The position on the board."""
        if self.item is not None:
            return self.item.before
        if self.items:
            return self.items[-1].after
        return self.start

    @property
    def probe(self) -> ProbeResult[P, M]:
        """The probe result of the position on the board."""
        return self.judge.probe(self.position)

    @property
    def came_by(self) -> M | None:
        """The move that led to the position on the board; None at the start."""
        position = self.position
        for item in reversed(self.items[: self.at]):
            if item.move is not None and item.after is position:
                return item.move
        return None

    @property
    def slips(self) -> list[int]:
        """Indices of the learner's items that lost moves or the result."""
        return [number for number, item in enumerate(self.items) if item.is_slip]

    def go(self, number: int) -> None:
        """Go to the item with an index, limited to the available range."""
        self.at = min(max(number, 0), len(self.items))

    def step(self, items: int) -> None:
        """Step forward by a number of items, or back if it is negative."""
        self.go(self.at + items)

    def next_error(self) -> bool:
        """Go to the learner's next slip, wrapping around; False if there is none."""
        slips = self.slips
        if slips:
            self.at = next((number for number in slips if number > self.at), slips[0])
        return bool(slips)

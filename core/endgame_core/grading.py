"""What a played move was worth, against perfect play."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeVar

from endgame_core.tables.explorer import Explorer
from endgame_core.values import DRAW, Category, before, value_of

P = TypeVar("P")
M = TypeVar("M")


class Kind(StrEnum):
    """What a move did to the result."""

    BEST = "best"
    """Wins in the fewest plies, or resists for the most."""
    SLOWER = "slower"
    """Still wins, later than necessary."""
    FASTER = "faster"
    """Loses all the same, but sooner than necessary."""
    WIN_GONE = "win gone"
    """A won position became a draw."""
    CURSED = "cursed"
    """A win became a cursed one: a draw can be claimed before mate."""
    HOLDS = "holds"
    """A drawn position stays drawn."""
    LOSES = "loses"
    """A won or drawn position became a lost one."""
    KEEPS = "keeps"
    """Still wins; whether in the fewest plies is not known."""
    STILL_LOST = "still lost"
    """Loses all the same; whether as late as can be is not known."""

    @property
    def is_error(self) -> bool:
        """Whether the result changed for the worse."""
        return self in (Kind.WIN_GONE, Kind.CURSED, Kind.LOSES)

    @property
    def is_counted(self) -> bool:
        """Whether the plies lost are known."""
        return self not in (Kind.KEEPS, Kind.STILL_LOST)


@dataclass(frozen=True, slots=True)
class Grade:
    """The worth of one move.

    Attributes:
        kind: What it did to the result.
        plies: Plies lost against perfection: for a winner, by which the win became longer; for a loser, by which the
            end came nearer; 0 where the best was played, a draw was held, the result changed, or they are not known.
    """

    kind: Kind
    plies: int = 0

    @property
    def words(self) -> str:
        """The grade in a few words, such as ``4 plies later``."""
        plies = f"{self.plies} {'ply' if self.plies == 1 else 'plies'}"
        return {
            Kind.BEST: "best",
            Kind.SLOWER: f"{plies} later",
            Kind.FASTER: f"{plies} sooner",
            Kind.WIN_GONE: "lets the win go",
            Kind.CURSED: "lets the win become cursed",
            Kind.HOLDS: "holds",
            Kind.LOSES: "loses",
            Kind.KEEPS: "keeps the win",
            Kind.STILL_LOST: "still lost",
        }[self.kind]


def grade(explorer: Explorer[Any, M], position: Any, move: M) -> Grade:
    """Grades a legal move by the tables.

    The tables know neither the 50-move rule nor repetitions: a move is worth what it leads to on the board.

    Raises:
        NotBuiltError: The table of the position, or of what the move leads to, is missing.
        EndingError: No table can cover it.
    """
    return grade_of(explorer.code(position), before(explorer.code(explorer.game.play(position, move))))


def grade_of(best: int, played: int) -> Grade:
    """The grade of a move, given the codes, to its mover, of the best move and of the one played."""
    was, now = value_of(best)[0], value_of(played)[0]
    if was is not now:
        return Grade(Kind.WIN_GONE if now is Category.DRAW else Kind.LOSES)
    if best == DRAW:
        return Grade(Kind.HOLDS)
    if played == best:
        return Grade(Kind.BEST)
    return Grade(Kind.SLOWER if now is Category.WIN else Kind.FASTER, 2 * (best - played))


@dataclass(frozen=True, slots=True)
class Tally:
    """The grades of one side's moves, counted.

    Attributes:
        counts: How many moves of each kind; kinds that did not occur are left out.
        plies: Plies lost against perfection, all moves together, as far as known.
    """

    counts: dict[Kind, int]
    plies: int

    @classmethod
    def of(cls, grades: Iterable[Grade | None]) -> Tally:
        """Counts grades; moves that no table could grade are left out."""
        known = [grade for grade in grades if grade is not None]
        counts = {kind: sum(grade.kind is kind for grade in known) for kind in Kind}
        return cls({kind: count for kind, count in counts.items() if count}, sum(grade.plies for grade in known))

    @property
    def errors(self) -> int:
        """Moves that changed the result for the worse."""
        return sum(count for kind, count in self.counts.items() if kind.is_error)

    @property
    def moves(self) -> int:
        """Graded moves."""
        return sum(self.counts.values())

    @property
    def counted(self) -> int:
        """Graded moves of which it is known how many plies they lost."""
        return sum(count for kind, count in self.counts.items() if kind.is_counted)

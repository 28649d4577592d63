"""What a played game consists of: its moves, hints, claims, its clock and its end."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, TypeVar

from endgame_core.tracked import Draw, Win
from endgame_core.values import Grade, Verdict, Winner

P = TypeVar("P")
M = TypeVar("M")


class End(StrEnum):
    """How a game can end otherwise than on the board, in words that follow ``by``."""

    TIME = "time"
    AGREED = "agreement"
    SHOWN = "asking to be shown"


@dataclass(frozen=True, slots=True)
class Result:
    """How a game ended.

    Attributes:
        winner: ``white`` or ``black`` as on the board, None when nobody won.
        reason: By what.
    """

    winner: Winner | None
    reason: End | Win | Draw

    @property
    def score(self) -> str:
        """As PGN writes it; ``*`` for a game that was shown by the table instead of being played to its end."""
        if self.reason is End.SHOWN:
            return "*"
        return {"white": "1-0", "black": "0-1", None: "1/2-1/2"}[self.winner]


@dataclass(frozen=True, slots=True)
class Ply(Generic[P, M]):
    """A move that was made.

    Attributes:
        move: The move.
        san: As people write it.
        before: The position it was made in.
        after: The position after it.
        mover: Who made it.
        grade: Its worth; None where no table knows.
        verdict: The verdict after it, seen by the side then to move; None where no table knows.
        hints: Steps of hints taken for it: 1 the man, 2 the move.
        seconds: Time taken for it.
        shown: It was not played, but shown by the table.
    """

    move: M
    san: str
    before: P
    after: P
    mover: Winner
    grade: Grade | None
    verdict: Verdict | None
    hints: int = 0
    seconds: float = 0.0
    shown: bool = False


@dataclass(frozen=True, slots=True)
class Hint(Generic[M]):
    """A hint: at step 1 only the man of ``move`` is to be told, at step 2 the move."""

    move: M
    step: int


@dataclass(frozen=True, slots=True)
class Claim(Generic[M]):
    """A draw that the side to move may claim; ``move`` is the one to announce, None when it needs none."""

    draw: Draw
    move: M | None


@dataclass(frozen=True, slots=True)
class Control:
    """A clock: seconds for the whole game, and seconds added after each move."""

    seconds: float
    increment: float = 0.0

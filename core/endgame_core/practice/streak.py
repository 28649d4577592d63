"""Streaks: questions and only moves in a row, against the clock, and a rating that moves with them.

The rating is Glicko's (Glickman, *Example of the Glicko system*): the learner and each theme have a strength and a
deviation, an item is a game between them, and both move after it. See ``docs/practice.md``.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from endgame_core.judge import Judge
from endgame_core.practice.drills import Drill, Kept, Question, new_run
from endgame_core.practice.journal import Journal
from endgame_core.practice.records import JournalError, Outcome, Rating
from endgame_core.practice.starts import Starts
from endgame_core.practice.theme import DrillError, Mode, Theme

P = TypeVar("P")
M = TypeVar("M")

LEARNER = "you"


def learner_of(game: str) -> str:
    """The name of the learner's rating: in each game it is another."""
    return LEARNER if game == "chess" else f"{LEARNER} {game}"


FIRST_RATING, FIRST_DEVIATION = 1500.0, 350.0
LEAST_DEVIATION = 50.0
_FORGETTING = 18.1
"""Deviation that comes with the root of a day: what was sure (50) is quite unsure again (350) after a year."""
_Q = math.log(10) / 400
_DAY = 86_400.0
SECONDS = 180.0
"""The length of a streak."""


def expected(ours: Rating, theirs: Rating) -> float:
    """The chance that ``ours`` wins, 0 to 1."""
    g = _weight(theirs.deviation)
    return 1 / (1 + 10 ** (-g * (ours.rating - theirs.rating) / 400))


def _weight(deviation: float) -> float:
    return 1 / math.sqrt(1 + 3 * (_Q * deviation / math.pi) ** 2)


def fresh(name: str) -> Rating:
    """The rating of somebody, or something, that has not played yet."""
    return Rating(name=name, rating=FIRST_RATING, deviation=FIRST_DEVIATION)


def aged(rating: Rating, now: float) -> Rating:
    """A rating as it is at a moment: less sure, the longer it has not been used."""
    days = max(0.0, now - rating.updated) / _DAY if rating.games else 0.0
    deviation = math.sqrt(rating.deviation**2 + _FORGETTING**2 * days)
    return replace(rating, deviation=min(FIRST_DEVIATION, deviation))


def after(ours: Rating, theirs: Rating, won: bool, now: float) -> Rating:
    """Our rating after one game.

    Args:
        ours: Before it, of this moment (see :func:`aged`).
        theirs: The opponent's before it.
        won: Whether we won.
        now: Seconds since 1970.
    """
    g, chance = _weight(theirs.deviation), expected(ours, theirs)
    sureness = 1 / ours.deviation**2 + _Q**2 * g**2 * chance * (1 - chance)
    rating = ours.rating + _Q / sureness * g * (won - chance)
    deviation = max(LEAST_DEVIATION, math.sqrt(1 / sureness))
    return Rating(name=ours.name, rating=rating, deviation=deviation, games=ours.games + 1, updated=now)


@dataclass(frozen=True, slots=True)
class Scored:
    """What one item did.

    Attributes:
        solved: Whether it was solved.
        rating: The learner's rating after it.
        change: By how much it moved.
    """

    solved: bool
    rating: float
    change: float


class Streak(Generic[P, M]):
    """One streak: items until the first that is missed, or until time is up.

    Args:
        starts: Draws the positions.
        endings: The endings they are drawn from.
        journal: Where items and ratings are kept.
        rng: Decides.
        clock: Tells seconds that pass.
        seconds: The length.
    """

    def __init__(
        self,
        starts: Starts[P, M],
        endings: Sequence[str],
        journal: Journal,
        rng: random.Random,
        clock: Callable[[], float] = time.monotonic,
        seconds: float = SECONDS,
    ) -> None:
        if not endings:
            raise DrillError("no ending was chosen", "choose one that is built")
        self.starts = starts
        self.endings = tuple(endings)
        self.journal = journal
        self.count = 0
        """Items solved in a row."""
        self.missed = False
        self._learner = learner_of(starts.game.name)
        self._rng = rng
        self._clock = clock
        self._ends = clock() + seconds
        self._run = new_run()
        self._known: dict[str, Rating] = {}

    @property
    def left(self) -> float:
        """Seconds left."""
        return max(0.0, self._ends - self._clock())

    @property
    def over(self) -> bool:
        """Whether an item was missed, or time is up."""
        return self.missed or self.left <= 0

    @property
    def rating(self) -> Rating:
        """The learner's rating now."""
        return self._rating(self._learner)

    def next(self) -> Question[P, M] | Drill[P, M]:
        """The next item: a question, or an only move where the ending has one.

        Raises:
            NotBuiltError: An ending is not built.
            DrillError: The streak is over, or an ending has no positions to ask about.
        """
        if self.over:
            raise DrillError("the streak is over", "start another one")
        ending = self._rng.choice(self.endings)
        kept = Kept(self.journal, None, self._run, Mode.STREAK)
        explorer = self.starts.explorer
        if self._rng.random() < 0.5:
            theme = Theme(ending, Mode.ONLY)
            try:
                return Drill(Judge(explorer), theme, self.starts.draw(theme), kept=kept)
            except DrillError:
                pass
        theme = Theme(ending, Mode.CALL)
        return Question(explorer, theme, self.starts.draw(theme), kept)

    def done(self, item: Question[P, M] | Drill[P, M]) -> Scored:
        """Counts a finished item; one that was solved too late moves nothing, and counts in no figure.

        Raises:
            DrillError: The item goes on.
        """
        if item.outcome is None:
            raise DrillError("the item is not finished", "answer it first")
        solved, before = item.outcome is Outcome.SOLVED, self.rating
        if self.left <= 0 and solved:
            self.journal.finish(item.attempt, Outcome.LEFT, "too late")
            return Scored(False, before.rating, 0.0)
        self.count += solved
        self.missed |= not solved
        now, theme = self.journal.clock(), item.theme.key
        ours, theirs = aged(before, now), aged(self._rating(theme), now)
        if self._learner not in self._known or theme not in self._known:
            return Scored(solved, before.rating, 0.0)  # what cannot be read just now is not written over
        self._known[self._learner] = after(ours, theirs, solved, now)
        self._known[theme] = after(theirs, ours, not solved, now)
        self.journal.keep_ratings(self._known[self._learner], self._known[theme])
        rating = self._known[self._learner].rating
        return Scored(solved, rating, rating - before.rating)

    def _rating(self, name: str) -> Rating:
        """A rating as it is known; a fresh one, not kept, while the journal cannot be read."""
        if name not in self._known:
            try:
                self._known[name] = self.journal.rating(name) or fresh(name)
            except JournalError:
                return fresh(name)
        return self._known[name]

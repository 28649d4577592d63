"""Timed streaks of questions and only moves, which change the ratings of the learner and of the themes."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from endgame_core.judge import Judge
from endgame_core.language import _
from endgame_core.practice.drills import Drill, ResultQuestion
from endgame_core.practice.glicko import age_rating, initial_rating, learner_name, rate_game
from endgame_core.practice.journal import Journal
from endgame_core.practice.recorder import RecordingOptions, new_run
from endgame_core.practice.records import JournalError, Outcome, Rating
from endgame_core.practice.theme import DrillError, DrillMode, Starts, Theme

P = TypeVar("P")
M = TypeVar("M")

STREAK_SECONDS: Final = 180.0
"""The length of a streak."""

_ONLY_MOVE_SHARE: Final = 0.5
"""The share of items that are only moves, where the ending has any."""


@dataclass(frozen=True, slots=True)
class ItemScore:
    """The effect of one streak item.

    Attributes:
        solved: Whether the item was solved in time.
        change: The change of the learner's rating.
    """

    solved: bool
    change: float


class Streak(Generic[P, M]):
    """A timed run of questions and only moves that ends at the first mistake or when the time is up.

    Args:
        starts: Draws the positions.
        endings: The endings to draw from.
        journal: Stores the attempts and the ratings.
        rng: Chooses endings and kinds of items.
        clock: Returns monotonic seconds.
        seconds: The length of the streak.

    Raises:
        DrillError: No ending was given.
    """

    def __init__(
        self,
        starts: Starts[P, M],
        endings: Sequence[str],
        journal: Journal,
        rng: random.Random,
        clock: Callable[[], float] = time.monotonic,
        seconds: float = STREAK_SECONDS,
    ) -> None:
        if not endings:
            raise DrillError(_("no ending was chosen"), _("choose a built ending"))
        self.starts = starts
        self.endings = tuple(endings)
        self.journal = journal
        self.count = 0
        """Items solved in a row."""
        self.has_missed = False
        """Whether an item was missed."""
        self._judge = Judge(starts.explorer)
        self._learner = learner_name(starts.game.name)
        self._rng = rng
        self._clock = clock
        self._deadline = clock() + seconds
        self._run = new_run()
        self._ratings: dict[str, Rating] = {}
        """Ratings read from the journal, by name of the learner or key of the theme."""

    @property
    def seconds_left(self) -> float:
        """Seconds remaining."""
        return max(0.0, self._deadline - self._clock())

    @property
    def is_over(self) -> bool:
        """Whether an item was missed or the time is up."""
        return self.has_missed or self.seconds_left <= 0

    @property
    def rating(self) -> Rating:
        """The learner's rating now."""
        return self._rating(self._learner)

    def next(self) -> ResultQuestion[P, M] | Drill[P, M]:
        """Draw the next item: a question, or an only move if the ending has one.

        Raises:
            NotBuiltError: An ending is not built.
            DrillError: The streak is over, or an ending has no positions to ask about.
        """
        if self.is_over:
            raise DrillError(_("the streak is over"), _("start a new one"))
        ending = self._rng.choice(self.endings)
        recording = RecordingOptions(self.journal, schedules=False, run=self._run, mode=DrillMode.STREAK)

        if self._rng.random() < _ONLY_MOVE_SHARE:
            theme = Theme(ending, DrillMode.ONLY)
            try:
                return Drill(self._judge, theme, self.starts.draw(theme), recording)
            except DrillError:
                pass  # the ending has no only moves: ask for a result instead

        theme = Theme(ending, DrillMode.CALL)
        return ResultQuestion(self.starts.explorer, theme, self.starts.draw(theme), recording)

    def score(self, item: ResultQuestion[P, M] | Drill[P, M]) -> ItemScore:
        """Count a finished item and update the ratings of the learner and of its theme.

        An item that was solved after the time was up changes no rating and is excluded from the statistics.

        Raises:
            DrillError: The item is not finished.
        """
        if not item.is_decided:
            raise DrillError(_("the item is not finished"), _("answer it first"))
        solved = item.outcome is Outcome.SOLVED
        before = self.rating
        if self.seconds_left <= 0 and solved:
            self.journal.finish(item.attempt, Outcome.LEFT, "too late")
            return ItemScore(False, 0.0)

        if solved:
            self.count += 1
        else:
            self.has_missed = True

        now = self.journal.clock()
        theme = item.theme.key
        ours = age_rating(before, now)
        theirs = age_rating(self._rating(theme), now)
        if self._learner not in self._ratings or theme not in self._ratings:
            return ItemScore(solved, 0.0)  # never overwrite a stored rating that could not be read
        learner_rating = rate_game(ours, theirs, solved, now)
        theme_rating = rate_game(theirs, ours, not solved, now)
        self._ratings[self._learner] = learner_rating
        self._ratings[theme] = theme_rating
        self.journal.keep(learner_rating, theme_rating)
        return ItemScore(solved, learner_rating.rating - before.rating)

    def _rating(self, name: str) -> Rating:
        """Return a rating from the journal; an initial one, not cached, while the journal cannot be read."""
        if name not in self._ratings:
            try:
                self._ratings[name] = self.journal.rating(name) or initial_rating(name)
            except JournalError:
                return initial_rating(name)
        return self._ratings[name]

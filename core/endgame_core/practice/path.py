"""The learning path: the level of a learner, and what to practise next at that level.

The level is a Glicko rating, the same that a streak changes. A study, or a theme that has a rating, counts for it once,
at its first attempt, as a game against an opponent with that rating. See ``docs/practice.md``.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from endgame_core.practice.course import Course, DrillItem
from endgame_core.practice.glicko import INITIAL_RATING, age_rating, initial_rating, learner_name, rate_game
from endgame_core.practice.journal import Journal
from endgame_core.practice.records import COUNTED, JournalError, Rating
from endgame_core.practice.theme import ratings

PLACEMENT = 10
"""Positions of the placement test, which finds the level."""

_MOST_DUE = 5
_MOST_WEAK = 2
_MOST_NEW = 3
"""How many of each kind one session of the path has at most."""

_TOO_EASY = 300
"""A study or theme that is easier than the learner by more than this is left out."""

_LOOK_AHEAD = 12
"""Number of next items among which those with built tables come first."""

_CANDIDATES = 3
"""The next position of the placement test is one of this number whose rating is nearest to the learner's."""

_ITEM_DEVIATION = 80.0
"""How sure the rating of an item is: its author estimated it."""

WEAK_DRILLS = 2
WEAK_PERCENT = 60
"""An item is weak if it was drilled so often and less than this was solved."""


def learner_rating(journal: Journal, game: str) -> Rating | None:
    """Return the rating of the learner in a game; None before the first rated attempt, or for an unreadable journal."""
    try:
        return journal.rating(learner_name(game))
    except JournalError:
        return None


def rate_first_attempt(journal: Journal, game: str, item: DrillItem, solved: bool) -> float:
    """Change the learner's rating after a finished attempt of a rated item, unless it was attempted before.

    Args:
        journal: The journal, which has the attempt already.
        game: Name of the game.
        item: The item of the drill.
        solved: Whether it was solved.

    Returns:
        The change of the rating; 0 if the attempt is not rated, or the journal cannot be read.
    """
    rating = _rating_of(item)
    if not rating:
        return 0.0

    sql = f"SELECT count(*) FROM attempts WHERE theme = ? AND {COUNTED}"
    try:
        attempts = journal.query(sql, (item.theme.key,))[0][0]
        stored = journal.rating(learner_name(game))
    except JournalError:
        return 0.0
    # The journal already has this attempt, so the first one is number 1.
    if attempts != 1:
        return 0.0

    now = journal.clock()
    ours = age_rating(stored or initial_rating(learner_name(game)), now)
    theirs = Rating(name=item.theme.key, rating=float(rating), deviation=_ITEM_DEVIATION)
    changed = rate_game(ours, theirs, solved, now)
    journal.keep(changed)
    return changed.rating - ours.rating


class Placement:
    """Chooses the positions of the placement test, each near the level that the earlier ones have shown.

    Only studies that the learner has never tried are used: others say nothing new.

    Args:
        course: The studies, and which tables are built.
        rng: Chooses among studies of similar difficulty.
    """

    def __init__(self, course: Course, rng: random.Random) -> None:
        self._course = course
        self._rng = rng
        unseen = [item for item in rated_items(course) if course.is_built(item) and not course.figures([item]).drills]
        self._untried = unseen
        self.count = min(PLACEMENT, len(self._untried))
        """Number of positions of the test."""

    def next(self) -> DrillItem | None:
        """Return the next study that this test has not used yet; None if there is none."""
        if not self._untried:
            return None
        rating = learner_rating(self._course.journal, self._course.game.name)
        level = INITIAL_RATING if rating is None else rating.rating
        self._untried.sort(key=lambda item: abs(_rating_of(item) - level))
        item = self._rng.choice(self._untried[:_CANDIDATES])
        self._untried.remove(item)
        return item


@dataclass(frozen=True, slots=True)
class LearningPath:
    """What to practise next, in this order.

    Attributes:
        due: Items that are due today, the longest overdue first.
        weak: Items that the learner often misses, the weakest first.
        new: Rated studies or themes that the learner has not seen, from the learner's level upwards.
    """

    due: tuple[DrillItem, ...] = ()
    weak: tuple[DrillItem, ...] = ()
    new: tuple[DrillItem, ...] = ()

    @property
    def items(self) -> tuple[DrillItem, ...]:
        """All of them."""
        return (*self.due, *self.weak, *self.new)


def learning_path(course: Course) -> LearningPath:
    """Choose what to practise next, for one session.

    The rating of the learner decides which new items come next: none that is much too easy, then the easiest first.
    """
    due = course.due[:_MOST_DUE]
    weak = [item for item in course.weakest(WEAK_DRILLS, WEAK_PERCENT) if item not in course.due][:_MOST_WEAK]
    chosen = {item.theme.key for item in (*due, *weak)}
    new = [item for item in _unseen(course) if item.theme.key not in chosen][:_MOST_NEW]
    return LearningPath(due, tuple(weak), tuple(new))


def _unseen(course: Course) -> Sequence[DrillItem]:
    """The rated items that the learner has not tried, from the learner's level upwards.

    Of those that come next the ones whose tables are built come first.
    """
    rating = learner_rating(course.journal, course.game.name)
    least = 0.0 if rating is None else rating.rating - _TOO_EASY
    unseen = [item for item in rated_items(course) if not course.figures([item]).drills]
    ahead = sorted((item for item in unseen if _rating_of(item) >= least), key=_rating_of)
    near, far = ahead[:_LOOK_AHEAD], ahead[_LOOK_AHEAD:]
    return sorted(near, key=lambda item: not course.is_built(item)) + far


def rated_items(course: Course) -> Iterator[DrillItem]:
    """Yield the shipped studies and themes whose difficulty is known."""
    for collection in course.collections:
        yield from (item for item in collection.items if _rating_of(item))


def _rating_of(item: DrillItem) -> int:
    return ratings().get(item.theme.key, 0) if item.study is None else item.study.rating

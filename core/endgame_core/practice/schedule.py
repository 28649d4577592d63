"""When a theme is to be met again: one FSRS card per theme, and one rule from what happened to a rating.

The rule is in ``docs/practice.md``; :func:`rate` is it.
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import IntEnum

from endgame_core.practice.journal import Journal, day_of
from endgame_core.practice.records import Card, Review
from endgame_core.practice.theme import Theme

QUICK = 5.0
"""Seconds a move, or an answer, up to which a perfect drill is easy."""
SLOW = 30.0
"""Seconds a move from which on a drill was hard."""
MOST_HINTS = 2
"""With more hints, the drill was not the learner's."""
_UNREADABLE = (ArithmeticError, AssertionError, AttributeError, LookupError, TypeError, ValueError)
"""What the state of a card from elsewhere may bring about."""


class Mark(IntEnum):
    """FSRS ratings."""

    AGAIN = 1
    HARD = 2
    GOOD = 3
    EASY = 4


@dataclass(frozen=True, slots=True)
class Effort:
    """What a finished drill took.

    Attributes:
        reached: Whether its goal was reached.
        errors: Moves that changed the result for the worse, and wrong answers.
        plies_lost: By all moves together.
        allowed: Plies that may be lost, see :func:`endgame_core.practice.goals.allowed`.
        hints: Hints asked for.
        takebacks: Moves taken back.
        pace: Seconds for one of the learner's moves, on average.
    """

    reached: bool
    errors: int = 0
    plies_lost: int = 0
    allowed: int = 2
    hints: int = 0
    takebacks: int = 0
    pace: float = 0.0


def rate(effort: Effort) -> Mark:
    """The rating of a drill; more of anything bad never makes it better."""
    if not effort.reached or effort.errors or effort.hints > MOST_HINTS:
        return Mark.AGAIN
    helped = effort.hints or effort.takebacks
    if helped or effort.plies_lost > effort.allowed or effort.pace >= SLOW:
        return Mark.HARD
    return Mark.GOOD if effort.plies_lost or effort.pace > QUICK else Mark.EASY


class Schedule:
    """The cards of a journal.

    Args:
        journal: Where the cards are, and whose clock is used.
        fuzz: Whether to vary long intervals a little, so that themes begun together do not stay together.
    """

    def __init__(self, journal: Journal, fuzz: bool = True) -> None:
        self.journal = journal
        self._fuzz = fuzz

    def due(self) -> list[Card]:
        """The cards due today (until midnight where the learner is), the longest overdue first.

        Raises:
            JournalError: The journal cannot be read.
        """
        today = day_of(self.journal.clock())
        return [card for card in self.journal.cards() if day_of(card.due) <= today]

    def review(self, theme: Theme, mark: Mark, attempt: str = "") -> Card:
        """Schedules a theme anew after a drill of it; a theme that had no card gets one.

        Args:
            theme: The theme.
            mark: How well it went.
            attempt: The attempt's uuid.

        Raises:
            JournalError: The journal cannot be read.
        """
        now = self.journal.clock()
        due, state = self._reviewed(self.journal.card(theme.key), mark, datetime.fromtimestamp(now, UTC))
        kept = _card(theme, due, now, state)
        self.journal.keep_card(kept, Review(theme=theme.key, reviewed=now, rating=int(mark), attempt=attempt))
        return kept

    def _reviewed(self, known: Card | None, mark: Mark, moment: datetime) -> tuple[float, str]:
        """When a card is due after a review, and what is remembered then; what cannot be read counts as nothing."""
        import fsrs

        steps = (timedelta(minutes=10),)
        scheduler = fsrs.Scheduler(
            learning_steps=steps, relearning_steps=steps, maximum_interval=365, enable_fuzzing=self._fuzz
        )

        def reviewed(card: fsrs.Card) -> tuple[float, str]:
            card, _ = scheduler.review_card(card, fsrs.Rating(int(mark)), moment)
            return card.due.timestamp(), json.dumps(card.to_dict())

        if known is not None and known.state:
            with suppress(*_UNREADABLE):
                return reviewed(fsrs.Card.from_dict(json.loads(known.state)))
        return reviewed(fsrs.Card(card_id=1))

    def add(self, theme: Theme) -> Card:
        """Schedules a theme for now, if it has no card yet.

        Raises:
            JournalError: The journal cannot be read.
        """
        found = self.journal.card(theme.key)
        if found is None:
            found = _card(theme, self.journal.clock(), 0.0, "")
            self.journal.keep_card(found)
        return found

    def drop(self, theme: str) -> None:
        """Schedules a theme no more; its attempts stay."""
        self.journal.drop_card(theme)


def _card(theme: Theme, due: float, reviewed: float, state: str) -> Card:
    return Card(theme=theme.key, label=theme.label, ending=theme.ending, due=due, reviewed=reviewed, state=state)

"""Spaced repetition by FSRS: grades of drills, and the day on which a theme is due again (``docs/practice.md``)."""

from __future__ import annotations

import json
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from enum import IntEnum

from endgame_core.practice.journal import Journal
from endgame_core.practice.records import Card, CardReview
from endgame_core.practice.theme import Theme

QUICK = 5.0
"""Seconds per move, or per answer, up to which a perfect drill counts as easy."""
VARIES = True
"""Whether FSRS randomizes long intervals a little, so that themes begun together do not all fall due together."""
_UNREADABLE = (ArithmeticError, AssertionError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""The exceptions that decoding the state of a card can raise when another program wrote it."""


class FsrsRating(IntEnum):
    """How well a drill went, with the numbers of the FSRS scheduler."""

    AGAIN = 1
    HARD = 2
    GOOD = 3
    EASY = 4


def rate(
    reached: bool, errors: int = 0, plies_lost: int = 0, allowed: int = 2, hints: int = 0, takebacks: int = 0,
    pace: float = 0.0,
) -> FsrsRating:  # fmt: skip
    """Rate a finished drill for the schedule; more errors, hints or lost plies never improve the rating.

    Args:
        reached: Whether the learner reached the goal.
        errors: Moves that worsened the result, and wrong answers.
        plies_lost: Plies lost by all moves together.
        allowed: Plies that a good attempt may lose, see :func:`endgame_core.practice.stars.plies_allowed`.
        hints: Hint steps used.
        takebacks: Number of takebacks.
        pace: Average seconds per move of the learner.

    Returns:
        AGAIN if the goal was missed; HARD after an error or with help; EASY only for a perfect, quick attempt.
    """
    if not reached:
        return FsrsRating.AGAIN
    if errors or hints or takebacks or plies_lost > allowed:
        return FsrsRating.HARD
    if plies_lost or pace > QUICK:
        return FsrsRating.GOOD
    return FsrsRating.EASY


def review(journal: Journal, theme: Theme, mark: FsrsRating, attempt: str = "") -> Card:
    """Reschedule a theme after a drill of it and store its card; a theme without a card gets one.

    Args:
        journal: Stores the cards and supplies the current time.
        theme: The theme that was drilled.
        mark: How well the drill went.
        attempt: The UUID of the attempt in the journal.

    Returns:
        The card as stored, with its new due date.

    Raises:
        JournalError: The journal cannot be read.
    """
    now = journal.clock()
    due, state = _schedule(journal.card(theme.key), mark, datetime.fromtimestamp(now, UTC))
    card = Card(theme=theme.key, label=theme.label, ending=theme.ending, due=due, reviewed=now, state=state)
    journal.keep(card, CardReview(theme=theme.key, reviewed=now, rating=int(mark), attempt=attempt))
    return card


def _schedule(previous: Card | None, mark: FsrsRating, moment: datetime) -> tuple[float, str]:
    """Compute the due date of a reviewed card (seconds since 1970) and its FSRS state (JSON).

    A card whose stored state cannot be decoded is scheduled like a new one.
    """
    import fsrs  # slow to import, and needed only when a drill ends

    steps = (timedelta(minutes=10),)
    scheduler = fsrs.Scheduler(
        learning_steps=steps, relearning_steps=steps, maximum_interval=365, enable_fuzzing=VARIES
    )

    def review_card(card: fsrs.Card) -> tuple[float, str]:
        card, _ = scheduler.review_card(card, fsrs.Rating(int(mark)), moment)
        return card.due.timestamp(), json.dumps(card.to_dict())

    if previous is not None and previous.state:
        with suppress(*_UNREADABLE):
            return review_card(fsrs.Card.from_dict(json.loads(previous.state)))
    return review_card(fsrs.Card(card_id=1))

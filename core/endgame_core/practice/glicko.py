"""Ratings of learners and themes: Glicko-1 (http://www.glicko.net/glicko/glicko.pdf), updated after each single game.

An item of a streak is a game of the learner against its theme.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Final

from endgame_core.games import by_name
from endgame_core.practice.records import Rating

INITIAL_RATING: Final = 1500.0
INITIAL_DEVIATION: Final = 350.0
"""The deviation of a rating without games, which no other rating exceeds."""

MIN_DEVIATION: Final = 50.0
"""The deviation never falls below this, so that a rating can always change."""

LEARNER: Final = "you"
"""The name of the learner's chess rating, see :func:`learner_name`."""

_FORGETTING: Final = 18.1
"""Glicko's c per square root of a day: in a year a deviation of 50 grows to 350, as 50² + 18.1² · 365 ≈ 350²."""

_Q: Final = math.log(10) / 400
"""Glicko's q: the scale on which 400 points of rating are odds of 10 to 1."""

_DAY: Final = 86_400.0


def learner_name(game: str) -> str:
    """Return the name under which the journal stores the learner's rating in a game; each game has its own."""
    return f"{LEARNER} {by_name(game).storage_tag}".rstrip()


def initial_rating(name: str) -> Rating:
    """Return the rating of a learner or theme without games."""
    return Rating(name=name, rating=INITIAL_RATING, deviation=INITIAL_DEVIATION)


def expected_score(ours: Rating, theirs: Rating) -> float:
    """Return the probability, 0 to 1, that ``ours`` beats ``theirs``."""
    g = _g(theirs.deviation)
    return 1 / (1 + 10 ** (-g * (ours.rating - theirs.rating) / 400))


def _g(deviation: float) -> float:
    """Glicko's g(RD), 0 to 1: how much a result against an opponent of this deviation counts."""
    return 1 / math.sqrt(1 + 3 * (_Q * deviation / math.pi) ** 2)


def age_rating(rating: Rating, now: float) -> Rating:
    """Return a rating with the deviation grown since its last game; ``now`` in seconds since 1970."""
    days = 0.0
    if rating.games:
        days = max(0.0, now - rating.updated) / _DAY
    deviation = math.sqrt(rating.deviation**2 + _FORGETTING**2 * days)
    return replace(rating, deviation=min(INITIAL_DEVIATION, deviation))


def rate_game(ours: Rating, theirs: Rating, won: bool, now: float) -> Rating:
    """Return our rating after one game.

    Args:
        ours: Our rating before the game, already aged to ``now`` (see :func:`age_rating`).
        theirs: The opponent's rating before the game, likewise.
        won: Whether we won.
        now: Seconds since 1970.
    """
    g = _g(theirs.deviation)
    chance = expected_score(ours, theirs)
    # The precision is the inverse of the variance: what was known before, plus what this game tells (Glicko's 1/d²).
    precision = 1 / ours.deviation**2 + _Q**2 * g**2 * chance * (1 - chance)
    rating = ours.rating + _Q / precision * g * (won - chance)
    deviation = max(MIN_DEVIATION, math.sqrt(1 / precision))
    return Rating(name=ours.name, rating=rating, deviation=deviation, games=ours.games + 1, updated=now)

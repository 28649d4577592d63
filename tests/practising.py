"""Drills of either game, done with the best move and the worst."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, TypeVar

from endgame_core.practice.drills import Drill
from tests.positions import by_depth

M = TypeVar("M")


def best(found: Drill[Any, M]) -> M:
    """A best move."""
    return by_depth(found.match.explorer, found.match.position)[0].move


def worst(found: Drill[Any, M]) -> M:
    """A worst move."""
    return by_depth(found.match.explorer, found.match.position)[-1].move


def go(found: Drill[Any, M], choose: Callable[[Drill[Any, M]], M]) -> Drill[Any, M]:
    """Plays a drill to its end."""
    rng = random.Random(1)
    while not found.standing.over:
        if found.match.your_turn:
            found.play(choose(found), seconds=2.0)
        else:
            found.play(found.match.reply(rng))
    return found

"""How what studies state stands with the tables, and what they leave to them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from endgame_core.errors import NotBuiltError
from endgame_core.practice.study import Study, goal_of
from endgame_core.tables.explorer import Explorer
from endgame_core.values import Category, Verdict


class Outcome(StrEnum):
    """How what a study states stands with the tables."""

    RIGHT = "right"
    WRONG = "wrong"
    NOT_BUILT = "not built"
    NOTHING_STATED = "nothing stated"
    ESTIMATE = "estimate"


@dataclass(frozen=True, slots=True)
class Compared:
    """A study compared with the tables.

    Attributes:
        study: The study.
        outcome: How it stands.
        ending: Its ending, empty for an estimate.
        verdict: What the table says; None when it was not asked.
    """

    study: Study
    outcome: Outcome
    ending: str = ""
    verdict: Verdict | None = None


def compare(explorer: Explorer[Any, Any], study: Study) -> Compared:
    """Compares what a study states (value, depth, goal) with the table of its ending."""
    if study.estimate:
        return Compared(study, Outcome.ESTIMATE)
    position = explorer.game.parse(study.position)
    ending = explorer.game.ending_of(position)
    try:
        verdict = explorer.probe(position)
    except NotBuiltError as error:
        return Compared(study, Outcome.NOT_BUILT, error.ending)
    if study.expected is None and study.goal is None:
        return Compared(study, Outcome.NOTHING_STATED, ending, verdict)
    known = judged(explorer, replace(study, goal=None, expected=None, depth=None))
    right = study.goal in (None, known.goal) and study.expected in (None, known.expected)
    right = right and study.depth in (None, known.depth)
    return Compared(study, Outcome.RIGHT if right else Outcome.WRONG, ending, verdict)


def judged(explorer: Explorer[Any, Any], study: Study) -> Study:
    """The study with what it does not state (value, depth, goal) taken from the tables.

    Raises:
        NotBuiltError: Something is not stated, and the table is missing.
        EndingError: Something is not stated, and no table can cover the position.
    """
    decided = study.expected is Category.DRAW or study.depth is not None
    if study.goal is not None and study.expected is not None and decided:
        return study
    position = explorer.game.parse(study.position)
    verdict = explorer.probe(position)
    expected = study.expected or verdict.category
    return replace(
        study,
        goal=study.goal or goal_of(expected, study.side == explorer.game.mover(position)),
        expected=expected,
        depth=verdict.depth if study.depth is None else study.depth,
    )

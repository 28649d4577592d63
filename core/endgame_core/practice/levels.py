"""Levels, which control the difficulty of a theme's start positions, and mastered endings.

Both are computed from the attempts in the journal, so that nothing else has to be stored. See ``docs/practice.md``.
"""

from __future__ import annotations

from collections.abc import Iterable

from endgame_core.practice.journal import Journal
from endgame_core.practice.records import COUNTED, Outcome

LEVELS = 8
"""The highest level: starts from the whole window, with any number of good moves."""
_STEPS_PER_LEVEL = 2
"""Drills to solve in order to rise by one level."""
MASTERED = 5
"""The number of consecutive wins without help that masters an ending."""


def level_after(solved: Iterable[bool]) -> int:
    """Compute a level, 1 to LEVELS, from drill results, oldest first.

    Two solved drills raise the level by one, a failed drill lowers it by one.
    """
    steps = 0
    for is_solved in solved:
        steps += 1 if is_solved else -_STEPS_PER_LEVEL
        steps = min(max(steps, 0), LEVELS * _STEPS_PER_LEVEL - 1)
    return 1 + steps // _STEPS_PER_LEVEL


def layers_at(count: int, level: int) -> int:
    """Return how many of ``count`` layers, counted from the end of the game, a level uses: at least one."""
    return -(-count * level // LEVELS)  # rounded up


def least_acceptable(level: int) -> int:
    """Return the minimum number of acceptable moves in a start of a level, from 4 at level 1 to 1 at the highest."""
    return (LEVELS + 2 - level) // 2


def most_moves(level: int) -> int | None:
    """Return the maximum number of legal moves in an only-move start of a level; None for no maximum."""
    if level == LEVELS:
        return None
    return 4 * (level + 1)


def level_of(journal: Journal, theme: str, mode: str) -> int:
    """Compute the level of a theme from its attempts.

    Args:
        journal: The journal.
        theme: The key of the theme.
        mode: The mode of the theme.

    Raises:
        JournalError: The journal cannot be read.
    """
    sql = f"SELECT outcome FROM attempts WHERE theme = ? AND mode = ? AND {COUNTED} ORDER BY started, id"
    rows = journal.query(sql, (theme, mode))
    return level_after(outcome == Outcome.SOLVED for (outcome,) in rows)


def is_mastered(journal: Journal, game: str, ending: str) -> bool:
    """Whether an ending is mastered: its latest attempts with a winning goal were all solved without help or errors.

    Drills and games both count, and there must be :data:`MASTERED` of them.

    Raises:
        JournalError: The journal cannot be read.
    """
    sql = (
        f"SELECT outcome = '{Outcome.SOLVED}' AND hints = 0 AND takebacks = 0 AND errors = 0 FROM attempts"
        f" WHERE game = ? AND ending = ? AND goal IN ('win', 'fewest') AND {COUNTED}"
        " ORDER BY started DESC, id DESC LIMIT ?"
    )
    rows = journal.query(sql, (game, ending, MASTERED))
    return len(rows) == MASTERED and all(is_clean_win for (is_clean_win,) in rows)

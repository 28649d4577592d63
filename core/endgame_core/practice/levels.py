"""How hard the starts of a theme are (levels), and which endings are mastered.

Both follow from the attempts in the journal, so that nothing else has to be stored. ``docs/practice.md``
explains it.
"""

from __future__ import annotations

from collections.abc import Iterable

from endgame_core.practice.journal import Journal
from endgame_core.practice.records import COUNTED, Outcome

LEVELS = 8
"""The highest level: the whole window, whatever moves there are."""
_SOLVED = 2
"""Drills to be solved for a level; one that is missed takes a level away."""
MASTERED = 5
"""An ending is mastered when so many wins in a row were brought home without help."""


def level_after(solved: Iterable[bool]) -> int:
    """The level after some drills, the oldest first: one up for two solved, one down for one missed; from 1 on."""
    steps = 0
    for each in solved:
        steps = min(max(steps + (1 if each else -_SOLVED), 0), LEVELS * _SOLVED - 1)
    return 1 + steps // _SOLVED


def layers_at(count: int, level: int) -> int:
    """How many of so many layers a level has, the nearest to the end first; never none."""
    return -(-count * level // LEVELS)


def least_acceptable(level: int) -> int:
    """How many acceptable moves a start of a level has at least: four, then fewer, in the end one."""
    return (LEVELS + 2 - level) // 2


def most_moves(level: int) -> int | None:
    """How many moves there are at most to find the only one among; None for any number."""
    return None if level == LEVELS else 4 * (level + 1)


def level_of(journal: Journal, theme: str, mode: str) -> int:
    """The level of a theme of an ending, by its key and its mode.

    Raises:
        JournalError: The journal cannot be read.
    """
    sql = f"SELECT outcome FROM attempts WHERE theme = ? AND mode = ? AND {COUNTED} ORDER BY started, id"
    rows = journal.query(sql, (theme, mode))
    return level_after(outcome == Outcome.SOLVED for (outcome,) in rows)


def is_mastered(journal: Journal, game: str, ending: str) -> bool:
    """Whether the last wins to be brought home in an ending, in drills and in games, all were, and without help.

    Raises:
        JournalError: The journal cannot be read.
    """
    sql = (
        f"SELECT outcome = '{Outcome.SOLVED}' AND hints = 0 AND takebacks = 0 AND errors = 0 FROM attempts"
        f" WHERE game = ? AND ending = ? AND goal IN ('win', 'fewest') AND {COUNTED}"
        " ORDER BY started DESC, id DESC LIMIT ?"
    )
    rows = journal.query(sql, (game, ending, MASTERED))
    return len(rows) == MASTERED and all(alone for (alone,) in rows)

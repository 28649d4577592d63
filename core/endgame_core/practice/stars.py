"""How well an attempt went, in stars; ``docs/practice.md`` explains it."""

from __future__ import annotations

STARS = 3
"""The stars of a perfect attempt."""


def plies_allowed(perfect: int | None) -> int:
    """Plies that a good attempt may lose: a tenth of the perfect length, an even number, and at least 2."""
    return max(2, (perfect or 0) // 20 * 2)


def count_stars(perfect: int | None, plies_lost: int, hints: int = 0, takebacks: int = 0, errors: int = 0) -> int:
    """Rate a solved attempt: 3 stars if it was perfect, 2 if it was good, 1 with help or many moves lost.

    Args:
        perfect: Plies to the end under best play from the start; None for a draw or an unknown value.
        plies_lost: By all moves together.
        hints: Hints taken; a single one, which names only the kind of move, leaves two stars.
        takebacks: Moves taken back.
        errors: Moves that changed the result for the worse.
    """
    if errors or takebacks or hints > 1 or plies_lost > plies_allowed(perfect):
        return 1
    return 2 if hints or plies_lost else STARS

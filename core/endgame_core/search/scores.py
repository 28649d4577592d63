"""Scores inside the search: hundredths of a pawn, and mates as numbers beyond all of them.

A mate ``n`` plies after the root scores ``MATE - n`` for the side that gives it. In the transposition table mates are
counted from the position they are stored for.
"""

from __future__ import annotations

from endgame_core.values import Category, value_of

MATE = 1_000_000
INFINITE = MATE + 1
SURE = MATE - 2_000
"""Scores beyond this one are mates: a table's longest is 254 plies."""


def _codes() -> tuple[int, ...]:
    """The score of every code where it stands."""
    scores: list[int] = []
    for code in range(256):
        category, depth = value_of(code)
        distance = MATE - (depth or 0)
        scores.append(0 if category is Category.DRAW else distance if category is Category.WIN else -distance)
    return tuple(scores)


OF_CODE = _codes()


def from_here(score: int, ply: int) -> int:
    """A score counted from the root, counted from the position ``ply`` plies after it."""
    if score > SURE:
        return score + ply
    return score - ply if score < -SURE else score


def from_root(score: int, ply: int) -> int:
    """The inverse of :func:`from_here`."""
    if score > SURE:
        return score - ply
    return score + ply if score < -SURE else score


def mate_in(score: int) -> int | None:
    """Plies to the mate a root score tells of, positive for the side to move; None when it tells of none."""
    if score > SURE:
        return MATE - score
    return -(MATE + score) if score < -SURE else None

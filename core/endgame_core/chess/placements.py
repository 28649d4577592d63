"""Pawn placements: every way to put an ending's pawns on the board, mirror copies counted once.

Pawns only go forward, so each placement of the pawns is a small problem of its own: a *slice* of the table, solved
after the placements that its pawns can reach.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations

_SQUARES = range(8, 56)

Placement = tuple[int, ...]
"""Squares of White's pawns, ascending, then of Black's, ascending."""


def mirror(white: int, placement: Sequence[int]) -> Placement:
    """The placement with files a and h exchanged; ``white`` is the number of White's pawns."""
    squares = [square ^ 7 for square in placement]
    return (*sorted(squares[:white]), *sorted(squares[white:]))


@lru_cache(maxsize=16)
def placements(white: int, black: int) -> tuple[Placement, ...]:
    """All placements of so many pawns of each colour, the smaller of two mirror copies, in ascending order."""
    found: list[Placement] = []
    for first in combinations(_SQUARES, white):
        free = [square for square in _SQUARES if square not in first]
        for second in combinations(free, black):
            placement = first + second
            if placement <= mirror(white, placement):
                found.append(placement)
    return tuple(found)


@lru_cache(maxsize=16)
def _numbers(white: int, black: int) -> dict[Placement, int]:
    return {placement: number for number, placement in enumerate(placements(white, black))}


def number_of(white: int, black: int, squares: Sequence[int]) -> tuple[int, bool, bool]:
    """The number of a placement in :func:`placements`.

    Args:
        white: Number of White's pawns, which come first in ``squares``.
        black: Number of Black's pawns.
        squares: Squares of the pawns, in any order within a colour.

    Returns:
        The number, whether the placement was mirrored to find it, and whether it is its own mirror copy.
    """
    placement = (*sorted(squares[:white]), *sorted(squares[white:]))
    image = mirror(white, placement)
    return _numbers(white, black)[min(placement, image)], image < placement, image == placement


def advancement(white: int, placement: Placement) -> int:
    """Ranks the pawns of a placement have gone, all together: a pawn move makes it larger."""
    return sum((square >> 3) if i < white else 7 - (square >> 3) for i, square in enumerate(placement))

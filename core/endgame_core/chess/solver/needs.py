"""How much memory solving an ending takes; imports neither numpy nor numba."""

from __future__ import annotations

from dataclasses import dataclass

from endgame_core.chess import index, material

_PROGRAM = 300_000_000
"""Bytes of the program itself, with all that is compiled."""
_NEAR_KINGS = 22
"""Squares of White's king that what captures are worth is kept for."""


@dataclass(frozen=True, slots=True)
class Needs:
    """Bytes of memory that solving plane by plane takes.

    Attributes:
        set: A set of positions of both sides to move.
        sets: How many sets there are.
        least: What there must be, all sets being in mapped files.
        most: What is used at most.
    """

    set: int
    sets: int
    least: int
    most: int


def _divisible(ending: str) -> bool:
    """Whether an ending can be solved plane by plane."""
    men = index.men_of(ending)
    if material.has_pawns(ending):
        return len(men) > 1 and sum(index.pawns_of(ending)) == 1
    return len(men) > 1 and (len(men) > 2 or men[0] != men[1])


def needs(ending: str, metric: str) -> Needs:
    """The needs of an ending, which may have to be solved in memory as a whole."""
    if not _divisible(ending):
        whole = 200_000_000 + 2 * index.slots(ending) * 17 // 10
        return Needs(0, 0, whole, whole)
    men = index.men_of(ending)
    if material.has_pawns(ending):
        return _of_slices(ending, metric)
    slots = index.slots(ending)
    planes = 64
    folded = len(set(men[:2])) == 1
    whole = 2 * slots // 8
    held = whole // 2 if folded else whole
    sets = 6 if metric == "dtz" else 5
    tasks = 2 * slots // (64 * 64 * 64)
    small = _PROGRAM + tasks * 256 * 8 + (sets - 3) * 2 * slots // 4096
    plane = 2 * slots // planes
    smaller = material.needs(ending)
    below = max((index.slots(name) for name in smaller if len(name) < len(ending)), default=0)
    captures = len(set(men)) * _NEAR_KINGS * 64 ** len(men) + 2 * plane + 2 * below
    least = small + max(captures, held, plane)
    return Needs(held, sets, least, least + sets * held)


def _of_slices(ending: str, metric: str) -> Needs:
    """The needs of an ending with one pawn, solved slice by slice."""
    both = 2 * index.slots(ending) // index.axes(ending)[0]
    set_, plane = both // 8, both // 64
    sets = 6 if metric == "dtz" else 5
    small = _PROGRAM + both // (64 * 64 * 64) * 256 * 8 + (sets - 3) * both // 4096
    pieces = len(index.men_of(ending)) - 1
    banks = both + (6 * pieces * both) // 128
    below = max(_held(name) for name in material.needs(ending))
    least = small + set_ + banks + max(3 * plane, below)
    return Needs(set_, sets, least, least + sets * set_)


def _held(ending: str) -> int:
    """Bytes that are held to read a sub-ending with one side to move: all codes, or those of eight planes."""
    slots = index.slots(ending)
    some = slots // 8 if len(ending) > 6 else slots
    return some + some // 8


def in_planes(ending: str, memory: int) -> bool:
    """Whether an ending is solved plane by plane: one of six men, or one that does not fit into memory otherwise."""
    if not _divisible(ending):
        return False
    return len(index.men_of(ending)) > 3 or 2 * index.slots(ending) * 17 // 10 + 200_000_000 > memory

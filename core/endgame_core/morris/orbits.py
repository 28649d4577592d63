"""The ways to place stones, symmetric copies once, and where their moves and losses lead; in numpy."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from endgame_core.morris.geometry import IMAGES, MILLS_OF, NEIGHBOURS

Masks = NDArray[np.int64]

IMAGE_TABLES: Masks = np.array(IMAGES, np.int64)


def images(symmetry: int, masks: Masks) -> Masks:
    """Masks after a symmetry."""
    outer, middle, inner = IMAGE_TABLES[symmetry]
    return outer[masks & 255] | middle[masks >> 8 & 255] | inner[masks >> 16]


@cache
def placements(points: int, stones: int) -> Masks:
    """All masks of so many stones on so many points, ascending: the rank of a mask is its place."""
    if stones == 0:
        return np.zeros(1, np.int64)
    if points < stones:
        return np.zeros(0, np.int64)
    return np.concatenate([placements(points - 1, stones), placements(points - 1, stones - 1) | 1 << points - 1])


class Orbits(NamedTuple):
    """The ways to place some stones, symmetric copies once.

    Attributes:
        masks: The smallest mask of each orbit, ascending; int64.
        stabilisers: Which symmetries leave it as it is, one bit for each; int64.
    """

    masks: Masks
    stabilisers: Masks


@cache
def orbits(stones: int) -> Orbits:
    """The orbits of so many stones under the sixteen symmetries."""
    masks = placements(24, stones)
    smallest = masks.copy()
    for symmetry in range(1, 16):
        np.minimum(smallest, images(symmetry, masks), out=smallest)
    found = masks[smallest == masks]
    stabilisers = np.zeros_like(found)
    for symmetry in range(16):
        stabilisers |= (images(symmetry, found) == found).astype(np.int64) << symmetry
    return Orbits(found, stabilisers)


def canonical(stones: int, masks: Masks) -> tuple[Masks, Masks]:
    """The orbit number of some masks, and a symmetry that takes each to its orbit's own mask."""
    smallest, symmetry = masks.copy(), np.zeros_like(masks)
    for number in range(1, 16):
        turned = images(number, masks)
        symmetry[turned < smallest] = number
        np.minimum(smallest, turned, out=smallest)
    return np.searchsorted(orbits(stones).masks, smallest), symmetry


class Links(NamedTuple):
    """Where the moves, or the losses, of White's stones lead, orbit by orbit.

    Attributes:
        starts: Entries ``starts[2 * i]`` up to ``starts[2 * i + 1]`` are the quiet moves of orbit i, those from there
            up to ``starts[2 * i + 2]`` close a mill; int64.
        targets: Orbit afterwards; int64.
        turns: The symmetry that takes the stones afterwards to the mask of that orbit; int64.
        sources: The point that a stone left; int64.
        ends: The point that it went to; int64.
    """

    starts: Masks
    targets: Masks
    turns: Masks
    sources: Masks
    ends: Masks


def in_mill(masks: Masks, point: int) -> NDArray[np.bool_]:
    """Which masks have a mill through a point."""
    return np.any([masks & mill == mill for mill in MILLS_OF[point]], axis=0)


def _sorted(rows: int, found: list[tuple[Masks, ...]], stones: int) -> Links:
    """Brings rows, kinds, masks, sources and ends into the order of rows and kinds."""
    row, kind, masks, sources, ends = (np.concatenate(column) for column in zip(*found, strict=True))
    order = np.argsort(2 * row + kind, kind="stable")
    starts = np.zeros(2 * rows + 1, np.int64)
    np.cumsum(np.bincount(2 * row + kind, minlength=2 * rows), out=starts[1:])
    targets, turns = canonical(stones, masks[order])
    return Links(starts, targets, turns, sources[order], ends[order])


@cache
def moves(stones: int) -> Links:
    """The moves of each orbit of so many stones on an empty board; three of them fly."""
    masks = orbits(stones).masks
    found: list[tuple[Masks, ...]] = []
    for source in range(24):
        for end in range(24) if stones == 3 else NEIGHBOURS[source]:
            rows = np.flatnonzero((masks >> source & 1 == 1) & (masks >> end & 1 == 0))
            moved = masks[rows] ^ (1 << source | 1 << end)
            kind = in_mill(moved, end).astype(np.int64)
            found.append((rows, kind, moved, np.full_like(rows, source), np.full_like(rows, end)))
    return _sorted(len(masks), found, stones)


@cache
def losses(stones: int) -> Links:
    """What may be taken from each orbit of so many stones: all of them "close a mill"; ``ends`` mean nothing."""
    masks = orbits(stones).masks
    exposed = [(masks >> point & 1 == 1) & ~in_mill(masks, point) for point in range(24)]
    some = np.any(exposed, axis=0)
    found: list[tuple[Masks, ...]] = []
    for point in range(24):
        rows = np.flatnonzero(np.where(some, exposed[point], masks >> point & 1 == 1))
        there = np.full_like(rows, point)
        found.append((rows, np.ones_like(rows), masks[rows] ^ 1 << point, there, there))
    return _sorted(len(masks), found, stones - 1)


@cache
def canonicals(stones: int) -> tuple[Masks, Masks]:
    """By rank of a mask, sixteen times its orbit plus a symmetry that leads there; and the orbits' stabilisers."""
    numbers, symmetries = canonical(stones, placements(24, stones))
    return 16 * numbers + symmetries, orbits(stones).stabilisers

"""The index over many slots at once, in numpy; :mod:`endgame_core.morris.index` says what a slot means."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from endgame_core.morris.geometry import ALL, IMAGES, INVERSES, MILLS_OF, NEIGHBOURS, SYMMETRIES

Masks = NDArray[np.int64]

_IMAGES: Masks = np.array(IMAGES, np.int64)


def images(symmetry: int, masks: Masks) -> Masks:
    """Masks after a symmetry."""
    outer, middle, inner = _IMAGES[symmetry]
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

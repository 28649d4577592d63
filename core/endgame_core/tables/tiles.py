"""Tiles: how a side's slots are cut into the frames of a table file.

A slot is a number in mixed radix, one digit per *axis* of the game's index. A tile is a box in the space of the digits;
one tile makes one frame. A build cuts tiles of consecutive slots, which is quick; a compact table has the tiles, and
the order of axes within a tile, that compress best.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from functools import cached_property
from itertools import combinations, permutations, product
from math import prod
from typing import TYPE_CHECKING, Any

from endgame_core.game import Wanted

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_LEAST, _MOST = 1 << 15, 3 << 15
"""Slots of a tile: fewer compress worse, more take too long to read."""
_PART = 16
"""Length along an axis that a tile covers in part."""
_LONG = 3
"""Axes that a tile may extend along."""


class Tiling:
    """A way to cut a box of slots into tiles.

    Args:
        axes: Lengths of the axes of the index, the outermost first.
        box: Length of a tile along each axis; tiles at the end of an axis may be shorter.
        order: The axes along which a tile has more than one slot, in the order in which its codes are stored, the
            outermost first.

    Raises:
        ValueError: Box and order do not fit the axes.
    """

    def __init__(self, axes: Sequence[int], box: Sequence[int], order: Sequence[int]) -> None:
        self.axes, self.box, self.order = tuple(axes), tuple(box), tuple(order)
        long = [axis for axis, length in enumerate(box) if length > 1]
        if len(axes) != len(box) or sorted(order) != long or len(long) > _LONG:
            raise ValueError(f"no tiling of {axes}: {box}, {order}")
        if any(not 0 < length <= most for length, most in zip(box, axes, strict=True)):
            raise ValueError(f"no tiling of {axes}: {box}")
        if not min(_LEAST, prod(axes)) <= prod(box) <= _MOST:
            raise ValueError(f"tiles too small or too large: {box}")
        self.grid = tuple(-(-most // length) for length, most in zip(box, axes, strict=True))
        self.frames = prod(self.grid)
        self._across, self._within = self._digits()

    def _digits(self) -> tuple[list[list[int]], list[list[int]]]:
        """What the frame, and the place in it, are made of: (slots per step, steps, factor) of each digit."""
        across: list[list[int]] = []
        within: list[list[int]] = []
        slots = 1
        for axis in reversed(range(len(self.axes))):
            length = self.box[axis]
            for digits, step, steps in ((within, slots, length), (across, slots * length, self.grid[axis])):
                factor = digits[-1][1] * digits[-1][2] if digits else 1
                if digits and step == digits[-1][0] * digits[-1][1]:
                    digits[-1][1] *= steps
                elif steps > 1:
                    digits.append([step, steps, factor])
            slots *= self.axes[axis]
        return across, within

    def place(self, slot: Any) -> tuple[Any, Any]:
        """Frame of a slot, and its place in it; of many slots at once if given an array."""
        frame = place = slot * 0
        for step, steps, factor in self._across:
            frame = frame + slot // step % steps * factor
        for step, steps, factor in self._within:
            place = place + slot // step % steps * factor
        return frame, place

    @cached_property
    def strides(self) -> tuple[int, ...]:
        """Slots from one place on an axis to the next."""
        return tuple(prod(self.axes[axis + 1 :]) for axis in range(len(self.axes)))

    def ranges(self, frame: int) -> list[range]:
        """The digits of a frame's slots, axis by axis."""
        found: list[range] = []
        for length, most, count in zip(reversed(self.box), reversed(self.axes), reversed(self.grid), strict=True):
            frame, at = divmod(frame, count)
            found.insert(0, range(at * length, min((at + 1) * length, most)))
        return found

    def touched(self, wanted: Wanted) -> Sequence[int]:
        """The frames that hold a wanted slot, ascending."""
        found = range(self.frames)
        if wanted:
            found = [0]
            for digits, length, count in zip(wanted, self.box, self.grid, strict=True):
                tiles = sorted({digit // length for digit in digits})
                found = [frame * count + tile for frame in found for tile in tiles]
        return found

    def slots(self, frame: int) -> NDArray[np.int64]:
        """The slots of a frame, ascending."""
        import numpy as np

        found = np.zeros(1, np.int64)
        for digits, stride in zip(self.ranges(frame), self.strides, strict=True):
            found = (found[:, None] + np.arange(digits.start, digits.stop) * stride).reshape(-1)
        return found

    def turned(self, array: NDArray[Any], frame: int) -> NDArray[Any]:
        """A view of an array of a frame's slots, with axes in the stored order."""
        short = [axis for axis in range(len(self.axes)) if axis not in self.order]
        return array.reshape([len(digits) for digits in self.ranges(frame)]).transpose(*short, *self.order)

    def cut(self, array: NDArray[Any], frame: int) -> NDArray[Any]:
        """A view of the part of an array of all slots that is a frame's, axis by axis."""
        return array.reshape(self.axes)[tuple(slice(digits.start, digits.stop) for digits in self.ranges(frame))]

    def loops(self, frame: int) -> tuple[int, tuple[int, ...], tuple[int, ...]]:
        """First slot of a frame; lengths and strides of three nested loops over its slots in the stored order."""
        ranges = self.ranges(frame)
        first = sum(digits.start * stride for digits, stride in zip(ranges, self.strides, strict=True))
        pad = _LONG - len(self.order)
        sizes = (1,) * pad + tuple(len(ranges[axis]) for axis in self.order)
        return first, sizes, (0,) * pad + tuple(self.strides[axis] for axis in self.order)


def plain(axes: Sequence[int]) -> Tiling:
    """Tiles of consecutive slots; the first of their axes is stored innermost."""
    box: list[int] = []
    for length in reversed(axes):
        size = prod(box)
        box.insert(0, length if size * length <= _MOST else min(length, max(1, (1 << 16) // size)))
    order = [axis for axis, length in enumerate(box) if length > 1]
    return Tiling(axes, box, order[1:] + order[:1])


def tilings(axes: Sequence[int]) -> Generator[Tiling]:
    """All ways worth a try for a compact table."""
    boxes = {plain(axes).box}
    for long in combinations(range(len(axes)), min(_LONG, len(axes))):
        for lengths in product(*({axes[axis], _PART} for axis in long)):
            box = [1] * len(axes)
            for axis, length in zip(long, lengths, strict=True):
                box[axis] = min(length, axes[axis])
            if _LEAST <= prod(box) <= _MOST:
                boxes.add(tuple(box))
    for box in sorted(boxes):
        for order in permutations(axis for axis, length in enumerate(box) if length > 1):
            yield Tiling(axes, box, order)

"""Tilings: how the slots of an ending are cut into the frames of a table, and in which order a frame stores them."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from functools import cached_property
from itertools import combinations, permutations, product
from math import prod
from typing import TYPE_CHECKING, Any

from endgame_core.game import DigitFilter
from endgame_core.tables.numeric import np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_MIN_TILE, _MAX_TILE = 1 << 15, 3 << 15
"""Slots of a tile: smaller ones compress worse, larger ones take too long to read."""
_CONSECUTIVE_SLOTS = 1 << 16
"""Slots to which a tile of consecutive slots is filled up along the first axis that it cannot cover as a whole."""
_PARTIAL_LENGTH = 16
"""Length of a tile along an axis that it does not cover as a whole."""
_MAX_LONG_AXES = 3
"""Axes along which a tile may have more than one slot."""


class Tiling:
    """A way to cut the slots of an ending into tiles.

    ``box`` is the shape of a tile; a *box of slots* in a method is a range of digits on each axis.

    Args:
        axes: Lengths of the axes of the index, the outermost first.
        box: Length of a tile along each axis; the last tile along an axis may be shorter.
        order: The axes along which a tile has more than one slot, in the order in which its values are stored, the
            outermost first.

    Attributes:
        grid: Number of tiles along each axis.
        frame_count: Number of tiles.

    Raises:
        ValueError: Box and order do not fit the axes.
    """

    def __init__(self, axes: Sequence[int], box: Sequence[int], order: Sequence[int]) -> None:
        self.axes = tuple(axes)
        self.box = tuple(box)
        self.order = tuple(order)
        long_axes = [axis for axis, length in enumerate(box) if length > 1]
        if len(axes) != len(box) or sorted(order) != long_axes or len(long_axes) > _MAX_LONG_AXES:
            raise ValueError(f"no tiling of {axes}: {box}, {order}")
        if any(not 0 < length <= axis_length for length, axis_length in zip(box, axes, strict=True)):
            raise ValueError(f"no tiling of {axes}: {box}")
        if not min(_MIN_TILE, prod(axes)) <= prod(box) <= _MAX_TILE:
            raise ValueError(f"tiles too small or too large: {box}")
        # Rounded up: the last tile along an axis may be shorter.
        self.grid = tuple(-(-axis_length // length) for length, axis_length in zip(box, axes, strict=True))
        self.frame_count = prod(self.grid)

        tiles = [(self.strides[axis] * self.box[axis], self.grid[axis]) for axis in range(len(self.axes))]
        places = [(self.strides[axis], self.box[axis]) for axis in self.order]
        self._frame_digits = self._merged_digits(tiles)
        self._place_digits = self._merged_digits(places)

    @staticmethod
    def _merged_digits(digits: Sequence[tuple[int, int]]) -> list[tuple[int, int, int]]:
        """The formula of a frame number, or of a place in a frame, as a sum over digits of the slot.

        A digit is ``slot // step % steps`` and counts ``factor``. Neighbouring digits that are also neighbours in the
        slot are merged: with axes of 64 and 64, ``slot // 64 % 64 * 64 + slot % 64`` becomes ``slot % 4096``.

        Args:
            digits: (step, steps) of each digit, the outermost first.

        Returns:
            (step, steps, factor) of each merged digit, the innermost first.
        """
        merged: list[tuple[int, int, int]] = []
        for step, steps in reversed(digits):
            if not merged:
                if steps > 1:
                    merged.append((step, steps, 1))
                continue
            # The digits are merged if this one begins where the last one ends; a digit of one step is always 0 and adds
            # nothing.
            last_step, last_steps, last_factor = merged[-1]
            if step == last_step * last_steps:
                merged[-1] = (last_step, last_steps * steps, last_factor)
            elif steps > 1:
                merged.append((step, steps, last_steps * last_factor))
        return merged

    def place(self, slot: Any) -> tuple[Any, Any]:
        """Frame of a slot and its place in the stored order of that frame; arrays if ``slot`` is an array.

        Places count all slots of a whole tile, legal or not: those of a short tile at the end of an axis have gaps.
        """
        frame = place = slot * 0
        for step, steps, factor in self._frame_digits:
            frame = frame + slot // step % steps * factor
        for step, steps, factor in self._place_digits:
            place = place + slot // step % steps * factor
        return frame, place

    @cached_property
    def strides(self) -> tuple[int, ...]:
        """Slots from one digit of an axis to the next."""
        return tuple(prod(self.axes[axis + 1 :]) for axis in range(len(self.axes)))

    def ranges(self, frame: int) -> list[range]:
        """The digits of a frame's slots, axis by axis."""
        result: list[range] = []
        for length, axis_length, tiles in zip(
            reversed(self.box), reversed(self.axes), reversed(self.grid), strict=True
        ):
            frame, tile = divmod(frame, tiles)
            result.insert(0, range(tile * length, min((tile + 1) * length, axis_length)))
        return result

    def inside(self, box: Sequence[range], frame: int) -> tuple[slice, ...]:
        """The part of an array over a box of slots that is a frame's; the frame lies within the box."""
        return tuple(
            slice(digits.start - outer.start, digits.stop - outer.start)
            for digits, outer in zip(self.ranges(frame), box, strict=True)
        )

    def runs(self, most_slots: int) -> Iterator[tuple[range, Sequence[range]]]:
        """All frames in runs, each with the box of its slots: some ``most_slots`` slots, but at least one frame."""
        # Consecutive frames differ in their tile on the innermost axis that has several, so along it they form one box.
        axis = max((axis for axis, tiles in enumerate(self.grid) if tiles > 1), default=0)
        row = self.grid[axis]
        length = max(1, most_slots // prod(self.box))
        for first_of_row in range(0, self.frame_count, row):
            for first in range(first_of_row, first_of_row + row, length):
                frames = range(first, min(first + length, first_of_row + row))
                ends = zip(self.ranges(frames[0]), self.ranges(frames[-1]), strict=True)
                yield frames, [range(low.start, high.stop) for low, high in ends]

    def frames_with(self, slot_digits: DigitFilter) -> Sequence[int]:
        """The frames that have a wanted slot, ascending; all of them if ``slot_digits`` is empty."""
        if not slot_digits:
            return range(self.frame_count)
        result = [0]
        for digits, length, tiles in zip(slot_digits, self.box, self.grid, strict=True):
            # A frame's number is its tiles as mixed-radix digits; ascending tiles, outermost axis first, keep frames
            # ascending.
            wanted_tiles = sorted({digit // length for digit in digits})
            result = [frame * tiles + tile for frame in result for tile in wanted_tiles]
        return result

    def slot_ranges(self, frames: Sequence[int]) -> list[tuple[int, int]]:
        """Disjoint ranges (first slot, end) that cover all slots of some frames; the frames ascend.

        If the slots of a frame are not consecutive, whole rows of tiles along the first axis are covered.
        """
        # A tile is one run of slots if it covers all axes within its outermost long one. With a short tile at the end
        # of that axis, though, a frame's number times the size of a tile would not be its first slot.
        long_axis = next((axis for axis, length in enumerate(self.box) if length > 1), 0)
        covers_inner_axes = self.box[long_axis + 1 :] == self.axes[long_axis + 1 :]
        if covers_inner_axes and self.axes[long_axis] % self.box[long_axis] == 0:
            pieces = frames
            length = prod(self.box)
        else:
            tiles_per_row = prod(self.grid[1:])
            pieces = sorted({frame // tiles_per_row for frame in frames})
            length = self.strides[0] * self.box[0]

        result: list[tuple[int, int]] = []
        for piece in pieces:
            first = piece * length
            end = min((piece + 1) * length, prod(self.axes))
            # This piece continues the last range.
            if result and result[-1][1] == first:
                first = result.pop()[0]
            result.append((first, end))
        return result

    def slots(self, frame: int) -> NDArray[np.int64]:
        """The slots of a frame, ascending."""
        result = np.zeros(1, np.int64)
        for digits, stride in zip(self.ranges(frame), self.strides, strict=True):
            result = (result[:, None] + np.arange(digits.start, digits.stop) * stride).reshape(-1)
        return result

    def in_stored_order(self, array: NDArray[Any], frame: int) -> NDArray[Any]:
        """A view of an array over a frame's slots, with the axes in the stored order."""
        short_axes = [axis for axis in range(len(self.axes)) if axis not in self.order]
        return array.reshape([len(digits) for digits in self.ranges(frame)]).transpose(*short_axes, *self.order)

    def rank_bitmap(self, legal: NDArray[np.bool_], frame: int) -> bytes:
        """Which places of a frame are legal, and how many legal places come before each of them.

        Places are grouped by 32. If the places 0, 2 and 40 are legal, the words are ``0 << 32 | 0b101`` and
        ``2 << 32 | 0b1_0000_0000``: place 40 is bit 8 of the second word, two legal places come before that word, and
        none before bit 8 within it, so the value of place 40 is number 2 of the frame.

        Args:
            legal: bool array over the frame's slots.
            frame: The frame.

        Returns:
            uint64 words, little-endian: the low half has a bit for each of 32 places, the upper half is the number of
            legal places before these.
        """
        # A short tile leaves the places of the missing slots empty.
        whole_tile = np.zeros(-(-prod(self.box) // 32) * 32, np.bool_)
        shape = [1] * (len(self.axes) - len(self.order)) + [self.box[axis] for axis in self.order]
        ordered = self.in_stored_order(legal, frame)
        whole_tile[: prod(shape)].reshape(shape)[tuple(slice(length) for length in ordered.shape)] = ordered

        bits = np.packbits(whole_tile, bitorder="little").view("<u4").astype(np.uint64)
        counts = np.bitwise_count(bits)
        counts_before = counts.cumsum() - counts
        return (bits | (counts_before << np.uint64(32))).astype("<u8").tobytes()

    def cut(self, array: NDArray[Any], frame: int) -> NDArray[Any]:
        """A view of a frame's part of an array over all slots, axis by axis."""
        return array.reshape(self.axes)[tuple(slice(digits.start, digits.stop) for digits in self.ranges(frame))]

    def loops(self, frame: int) -> tuple[int, tuple[int, ...], tuple[int, ...]]:
        """First slot of a frame; lengths and strides of three nested loops over its slots in the stored order."""
        ranges = self.ranges(frame)
        first = sum(digits.start * stride for digits, stride in zip(ranges, self.strides, strict=True))
        padding = _MAX_LONG_AXES - len(self.order)
        lengths = (1,) * padding + tuple(len(ranges[axis]) for axis in self.order)
        strides = (0,) * padding + tuple(self.strides[axis] for axis in self.order)
        return first, lengths, strides


def consecutive_tiles(axes: Sequence[int]) -> Tiling:
    """Tiles of consecutive slots; the first of their axes is stored innermost."""
    box: list[int] = []
    for length in reversed(axes):
        size = prod(box)
        if size * length <= _MAX_TILE:
            box.insert(0, length)
        else:
            box.insert(0, min(length, max(1, _CONSECUTIVE_SLOTS // size)))
    order = [axis for axis, length in enumerate(box) if length > 1]
    return Tiling(axes, box, order[1:] + order[:1])


def candidate_tilings(axes: Sequence[int]) -> Generator[Tiling]:
    """All tilings that are tried for a compact table."""
    boxes = {consecutive_tiles(axes).box}
    for long_axes in combinations(range(len(axes)), min(_MAX_LONG_AXES, len(axes))):
        for lengths in product(*({axes[axis], _PARTIAL_LENGTH} for axis in long_axes)):
            box = [1] * len(axes)
            for axis, length in zip(long_axes, lengths, strict=True):
                box[axis] = min(length, axes[axis])
            if _MIN_TILE <= prod(box) <= _MAX_TILE:
                boxes.add(tuple(box))

    for box in sorted(boxes):
        for order in permutations(axis for axis, length in enumerate(box) if length > 1):
            yield Tiling(axes, box, order)

"""What a table file is made of: a header, and frames of codes.

A slot is a number in mixed radix, one digit per *axis* of the game's index. A tile is a box in the space of the digits;
one tile makes one frame. A build cuts tiles of consecutive slots, which is quick; a compact table has the tiles, and
the order of axes within a tile, that compress best. How the parts follow each other is told in :mod:`.file`.
"""

from __future__ import annotations

import json
import lzma
import struct
import sys
from collections.abc import Generator, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from itertools import combinations, permutations, product
from math import prod
from typing import TYPE_CHECKING, Any, cast

from endgame_core.game import Wanted
from endgame_core.values import DRAW

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MAGIC = b"ENDGTAB\x02"
PREFIX = struct.Struct("<8sII")

_NUMBER = range(1 << 32)
_MOST_AXES = 8
_CODES = frozenset(str(code) for code in range(256))

Totals = tuple[list[dict[str, int]], list[dict[str, int]]]
"""Canonical positions, and boards, per side and code: ``[{"code": count}, …]`` each."""


def fits(value: Any, shape: Any) -> bool:
    """Whether what JSON holds is of a shape.

    Args:
        value: Anything.
        shape: A type, exactly; a range of numbers; ``[shape]`` for a list of any length; a tuple of shapes for a list
            of that length; a dict of shapes for an object with these fields; or a function that tells.
    """
    if isinstance(shape, range):
        return type(value) is int and value in shape
    if isinstance(shape, type):
        return type(value) is shape
    if isinstance(shape, list):
        return isinstance(value, list) and all(fits(part, shape[0]) for part in cast("list[Any]", value))
    if isinstance(shape, tuple):
        parts = cast("tuple[Any, ...]", shape)
        return isinstance(value, list) and len(cast("list[Any]", value)) == len(parts) and all(map(fits, value, parts))
    if isinstance(shape, dict):
        fields = cast("dict[str, Any]", shape)
        return (
            isinstance(value, dict) and fields.keys() == value.keys() and all(fits(value[k], fields[k]) for k in fields)
        )
    return shape(value)


@dataclass(frozen=True, slots=True)
class Header:
    """What a table says of itself.

    Attributes:
        game: Name of the game.
        ending: Name of the ending.
        rules: Fingerprint of the rules.
        metric: What depths count: ``dtm`` or ``dtz`` in chess.
        scheme: Name of the index scheme.
        axes: How many values each digit of a slot takes.
        sides: For each side to move, box and order of its :class:`Tiling`, name and setting of its :class:`Coder`.
        sections: Length and CRC-32 of the index, and of the counts.
        canonical: Positions per side and code, symmetric copies once: ``[{"code": count}, …]``; empty when each side
            is one frame, which tells.
        boards: The same over all placements on the board.
        draws: The code of a draw, for each side to move; lower codes are losses, higher ones wins.
    """

    game: str
    ending: str
    rules: str
    metric: str
    scheme: str
    axes: list[int]
    sides: list[list[Any]]
    sections: list[int]
    canonical: list[dict[str, int]]
    boards: list[dict[str, int]]
    draws: list[int] = field(default_factory=lambda: [DRAW, DRAW])

    def written(self) -> bytes:
        """The header as its table has it; what goes without saying is left out."""
        fields = asdict(self)
        if self.draws == [DRAW, DRAW]:
            del fields["draws"]
        return json.dumps(fields, separators=(",", ":")).encode()

    @classmethod
    def parse(cls, text: bytes) -> Header:
        """Reads a header; raises ValueError or TypeError unless every field is of its kind."""
        found: dict[str, Any] = {"draws": [DRAW, DRAW], **json.loads(text)}
        if (
            not fits(found, _SHAPE)
            or len(found["axes"]) > _MOST_AXES
            or len(found["canonical"]) != len(found["boards"])
        ):
            raise ValueError("a field is not of its kind")
        return cls(**found)


def sparse(counts: Iterable[int]) -> dict[str, int]:
    """The counts of codes as a header tells them: ``{"code": count}``, without zeros."""
    return {str(code): int(number) for code, number in enumerate(counts) if number}


def _are_totals(value: Any) -> bool:
    """Whether there are totals of two sides, or none."""
    return value == [] or (
        fits(value, (dict, dict))
        and all(side.keys() <= _CODES and fits([*side.values()], [range((1 << 48) + 1)]) for side in value)
    )


_SIDE = ([_NUMBER], [_NUMBER], str, int)
_SHAPE = {
    **dict.fromkeys(("game", "ending", "rules", "metric", "scheme"), str),
    "axes": [_NUMBER], "sides": (_SIDE, _SIDE), "sections": (_NUMBER,) * 4, "canonical": _are_totals,
    "boards": _are_totals, "draws": (_NUMBER, _NUMBER),
}  # fmt: skip
"""What every field of a header is."""


_LEVELS = {"zstd": range(1, 23), "lzma": range(5)}
_DICTIONARY = 1 << 17
_EFFORT = {"preset": 9 | lzma.PRESET_EXTREME, "nice_len": 128}
"""Longer matches than this are not searched for: it would double the time and save a hundredth."""


@dataclass(frozen=True, slots=True)
class Coder:
    """An entropy coder and its setting.

    Attributes:
        name: ``zstd`` or ``lzma``.
        level: zstd's level, or how many bits of the last code lzma predicts from (its ``lc``).

    Raises:
        ValueError: There is no such coder or level.
    """

    name: str
    level: int

    def __post_init__(self) -> None:
        if type(self.level) is not int or self.level not in _LEVELS.get(self.name, ()):
            raise ValueError(f"no coder {self.name} {self.level}")

    def _filters(self, **effort: int) -> list[dict[str, Any]]:
        return [{"id": lzma.FILTER_LZMA1, "lc": self.level, "lp": 0, "pb": 0, "dict_size": _DICTIONARY, **effort}]

    def encode(self, data: bytes) -> bytes:
        """Compresses the codes of one frame."""
        if self.name == "zstd":
            return zstd.compress(data, self.level)
        return lzma.compress(data, lzma.FORMAT_RAW, filters=self._filters(**_EFFORT))

    def decode(self, data: bytes, length: int) -> bytes:
        """The codes of one frame; raises ValueError unless there are ``length`` of them."""
        try:
            if self.name == "zstd":
                found = zstd.ZstdDecompressor().decompress(data, max_length=length + 1)
            else:
                decoder = lzma.LZMADecompressor(lzma.FORMAT_RAW, filters=self._filters())
                found = decoder.decompress(data, max_length=length + 1)
        except (zstd.ZstdError, lzma.LZMAError, EOFError) as error:
            raise ValueError(str(error)) from None
        if len(found) != length:
            raise ValueError("the length differs")
        return found


QUICK = Coder("zstd", 1)
"""What a build writes."""
SMALL = Coder("lzma", 0)
"""What a build writes when a side is a single frame."""
TRIAL = Coder("zstd", 3)
"""Quick to tell which of many ways to cut a table compress well."""


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

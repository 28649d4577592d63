r"""The table file: one solved ending, in frames that can be read one by one.

Layout, integers little-endian::

    magic     8 bytes  b"ENDGTAB\x08" (the last byte is the version)
    length    uint32   bytes of the header
    checksum  uint32   CRC-32 of the header
    header    zstd     JSON, see :class:`Header`
    index     uint32   length and CRC-32 of every frame, White's frames first
    counts    zstd     canonical positions per (side, frame, code); left out when each side is one frame
    frames             the codes of each frame's legal canonical slots

The *stored value* of a position is a byte, or, in a *wide* table, its code, a uint16. The game knows the code of each
byte. A *one-sided* (lean) table stores the values of one side to move only. The header has a flag for either.

Versions 2 to 5 are still read. They differ from version 8 only in that their headers have no flags: each combination
has a version of its own, see ``_OLD_MAGICS``. There is no version 6 or 7, because one wrong bit could turn it into one
of them.

A slot is a number in mixed radix, one digit per *axis* of the game's index. A tile is a box in the space of the digits;
one tile makes one frame. A build cuts tiles of consecutive slots, which is fast; a compact table has the tiles, and the
order of axes within a tile, that compress best.

A frame stores the values of its *legal* slots only: those that hold a legal position, and of symmetric copies the
canonical one. Which slots these are is not stored; the game's index recomputes it when a frame is read.

Nothing is trusted before its checksum and length agree. A table is written as a whole or not at all: fast at first, and
compact later.
"""

from __future__ import annotations

import json
import lzma
import os
import random
import re
import shutil
import struct
import sys
import threading
import zlib
from array import array
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Callable, Generator, Hashable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from itertools import accumulate, combinations, count, islice, permutations, product
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast
from weakref import finalize

from endgame_core.errors import TableError
from endgame_core.game import DigitFilter, SolvedEnding
from endgame_core.paths import atomic_write, storage_errors, temporary_file
from endgame_core.system import read_at
from endgame_core.tables import mmap_arrays
from endgame_core.tables.numeric import np
from endgame_core.untrusted import open_regular, regular_handle
from endgame_core.values import BYTE_DRAW, CODES_OF_BYTES, DRAW

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

if TYPE_CHECKING:
    from numpy.typing import NDArray

T = TypeVar("T")

SUFFIX = ".egt"

MAGIC = b"ENDGTAB\x08"
_OLD_MAGICS = {
    b"ENDGTAB\x02": {"one_sided": False, "wide": False},
    b"ENDGTAB\x03": {"one_sided": True, "wide": False},
    b"ENDGTAB\x04": {"one_sided": False, "wide": True},
    b"ENDGTAB\x05": {"one_sided": True, "wide": True},
}
"""Magics of earlier versions, with the flags that each stands for."""
PREFIX = struct.Struct("<8sII")
"""Magic, length of what follows, and its CRC-32."""

_NUMBER = range(1 << 32)
_MAX_AXES = 8
_CODE = re.compile(r"0|[1-9][0-9]{0,4}")

Totals = tuple[list[dict[str, int]], list[dict[str, int]]]
"""Numbers of canonical positions, and of boards, per side and stored value: ``[{"value": count}, …]`` each."""


def fits(value: Any, shape: Any) -> bool:
    """Whether parsed JSON is of a shape.

    Args:
        value: Anything that ``json.loads`` returns.
        shape: A type, exactly; a range of numbers; ``[shape]`` for a list of any length; a tuple of shapes for a list
            of that length; a dict of shapes for an object with exactly these fields; or a predicate.
    """
    if isinstance(shape, range):
        return type(value) is int and value in shape
    if isinstance(shape, type):
        return type(value) is shape
    if isinstance(shape, list):
        return isinstance(value, list) and all(fits(part, shape[0]) for part in cast("list[Any]", value))
    if isinstance(shape, tuple):
        shapes = cast("tuple[Any, ...]", shape)
        return (
            isinstance(value, list) and len(cast("list[Any]", value)) == len(shapes) and all(map(fits, value, shapes))
        )
    if isinstance(shape, dict):
        fields = cast("dict[str, Any]", shape)
        has_fields = isinstance(value, dict) and fields.keys() == value.keys()
        return has_fields and all(fits(value[name], fields[name]) for name in fields)
    return shape(value)


@dataclass(frozen=True, slots=True)
class Header:
    """The header of a table.

    Attributes:
        game: Name of the game.
        ending: Name of the ending.
        rules: Fingerprint of the rules.
        metric: What depths count: ``dtm`` or ``dtz`` in chess.
        scheme: Name of the index scheme.
        axes: Length of each axis of the index: how many values the digit of a slot takes.
        sides: For each side to move, box and order of its :class:`Tiling`, name and level of its :class:`Coder`.
        sections: Length and CRC-32 of the index, and of the counts.
        canonical: Positions per side and stored value, symmetric copies counted once: ``[{"value": count}, …]``; empty
            when each side is one frame, which is counted when it is read.
        boards: The same over all placements on the board.
        draws: The stored value of a draw, for each side to move; losses are below, wins above. In a wide table it is
            ``DRAW``, the code.

    The flags :attr:`one_sided` and :attr:`wide` follow from ``sides`` and ``draws``. A file states them as well, for
    readers that look at nothing else; a header that contradicts itself is invalid.
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
    draws: list[int] = field(default_factory=lambda: [BYTE_DRAW, BYTE_DRAW])

    @property
    def one_sided(self) -> bool:
        """Whether the values of one side to move are not stored; see :mod:`endgame_core.tables.lean`."""
        return any(coder == DERIVED.name for _, _, coder, _ in self.sides)

    @property
    def wide(self) -> bool:
        """Whether codes are stored, not bytes."""
        return self.draws == [DRAW, DRAW]

    def to_json(self) -> bytes:
        """The header as the file stores it, uncompressed; the usual ``draws`` and flags that are off are left out."""
        fields = {**asdict(self), "one_sided": self.one_sided, "wide": self.wide}
        stored = {name: value for name, value in fields.items() if name not in _DEFAULTS or value != _DEFAULTS[name]}
        return json.dumps(stored, separators=(",", ":")).encode()

    @classmethod
    def parse(cls, text: bytes, old_flags: Mapping[str, bool] | None = None) -> Header:
        """Parse a header; raises ValueError or TypeError unless every field is valid.

        Args:
            text: The JSON.
            old_flags: The flags, if an earlier version wrote the header, which has none.
        """
        fields: dict[str, Any] = {**_DEFAULTS, **json.loads(text), **(old_flags or {})}
        if (
            not fits(fields, _SHAPE)
            or len(fields["axes"]) > _MAX_AXES
            or len(fields["canonical"]) != len(fields["boards"])
            or (max(fields["draws"]) > 255 and fields["draws"] != [DRAW, DRAW])
        ):
            raise ValueError("a field is not of its kind")
        flags = fields.pop("one_sided"), fields.pop("wide")
        header = cls(**fields)
        if flags != (header.one_sided, header.wide):
            raise ValueError("a flag contradicts the other fields")
        value_end = 1 << 16 if header.wide else 1 << 8
        if any(int(value) >= value_end for side in (*header.canonical, *header.boards) for value in side):
            raise ValueError("a field is not of its kind")
        return header


def sparse(counts: Iterable[int]) -> dict[str, int]:
    """Counts by stored value as a header has them: ``{"value": count}``, without zeros."""
    return {str(value): int(number) for value, number in enumerate(counts) if number}


def dtype(wide: bool) -> str:
    """The dtype of stored values: bytes or codes."""
    return "<u2" if wide else "u1"


def _are_totals(value: Any) -> bool:
    """Whether a value is ``[]``, or one ``{"value": count}`` for each side to move."""
    if value == []:
        return True
    if not fits(value, (dict, dict)):
        return False
    return all(all(map(_CODE.fullmatch, side)) and fits([*side.values()], [range((1 << 48) + 1)]) for side in value)


_DEFAULTS: dict[str, Any] = {"draws": [BYTE_DRAW, BYTE_DRAW], "one_sided": False, "wide": False}
"""Fields that a header leaves out if they have these values."""
_SIDE = ([_NUMBER], [_NUMBER], str, int)
_SHAPE = {
    **dict.fromkeys(("game", "ending", "rules", "metric", "scheme"), str),
    "axes": [_NUMBER], "sides": (_SIDE, _SIDE), "sections": (_NUMBER,) * 4, "canonical": _are_totals,
    "boards": _are_totals, "draws": (_NUMBER, _NUMBER), "one_sided": bool, "wide": bool,
}  # fmt: skip
"""The shape of a header for :func:`fits`."""


_LEVELS = {"zstd": range(1, 23), "lzma": range(5), "derived": range(1)}
_DICTIONARY_BYTES = 1 << 17
_LZMA_EFFORT = {"preset": 9 | lzma.PRESET_EXTREME, "nice_len": 128}
"""A search for matches longer than 128 bytes would double the time and save one percent."""


@dataclass(frozen=True, slots=True)
class Coder:
    """An entropy coder and its level.

    Attributes:
        name: ``zstd`` or ``lzma``; ``derived`` where nothing is stored.
        level: zstd's level, or how many bits of the previous value lzma predicts from (its ``lc``); else 0.

    Raises:
        ValueError: There is no such coder or level.
    """

    name: str
    level: int

    def __post_init__(self) -> None:
        if type(self.level) is not int or self.level not in _LEVELS.get(self.name, ()):
            raise ValueError(f"no coder {self.name} {self.level}")

    def _filters(self, **effort: int) -> list[dict[str, Any]]:
        return [{"id": lzma.FILTER_LZMA1, "lc": self.level, "lp": 0, "pb": 0, "dict_size": _DICTIONARY_BYTES, **effort}]

    def encode(self, data: bytes) -> bytes:
        """Compress the stored values of one frame."""
        if self == DERIVED:
            return b""
        if self.name == "zstd":
            return zstd.compress(data, self.level)
        return lzma.compress(data, lzma.FORMAT_RAW, filters=self._filters(**_LZMA_EFFORT))

    def decode(self, data: bytes, length: int) -> bytes:
        """Decompress one frame; raises ValueError unless the result has ``length`` bytes."""
        try:
            # One byte more than expected is enough to notice that there are too many.
            if self.name == "zstd":
                result = zstd.ZstdDecompressor().decompress(data, max_length=length + 1)
            else:
                decoder = lzma.LZMADecompressor(lzma.FORMAT_RAW, filters=self._filters())
                result = decoder.decompress(data, max_length=length + 1)
        except (zstd.ZstdError, lzma.LZMAError, EOFError) as error:
            raise ValueError(str(error)) from None
        if len(result) != length:
            raise ValueError("the length differs")
        return result


QUICK = Coder("zstd", 1)
"""Coder of a build."""
SMALL = Coder("lzma", 0)
"""Coder of a build when a side is a single frame."""
DERIVED = Coder("derived", 0)
"""Coder of the side to move that a one-sided table does not store."""
TRIAL = Coder("zstd", 3)
"""Fast coder by which many tilings are compared."""


_MIN_TILE, _MAX_TILE = 1 << 15, 3 << 15
"""Slots of a tile: smaller ones compress worse, larger ones take too long to read."""
_PARTIAL_LENGTH = 16
"""Length of a tile along an axis that it does not cover as a whole."""
_MAX_LONG_AXES = 3
"""Axes along which a tile may have more than one slot."""


class Tiling:
    """A way to cut the box of all slots into tiles.

    Args:
        axes: Lengths of the axes of the index, the outermost first.
        box: Length of a tile along each axis; the last tile along an axis may be shorter.
        order: The axes along which a tile has more than one slot, in the order in which its values are stored, the
            outermost first.

    Attributes:
        grid: Number of tiles along each axis.
        frames: Number of tiles.

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
        self.grid = tuple(-(-axis_length // length) for length, axis_length in zip(box, axes, strict=True))
        self.frames = prod(self.grid)

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

    def frames_with(self, wanted: DigitFilter) -> Sequence[int]:
        """The frames that have a wanted slot, ascending; all of them if ``wanted`` is empty."""
        if not wanted:
            return range(self.frames)
        result = [0]
        for digits, length, tiles in zip(wanted, self.box, self.grid, strict=True):
            wanted_tiles = sorted({digit // length for digit in digits})
            result = [frame * tiles + tile for frame in result for tile in wanted_tiles]
        return result

    def slot_ranges(self, frames: Sequence[int]) -> list[tuple[int, int]]:
        """Disjoint ranges (first slot, end) that cover all slots of some frames; the frames ascend.

        If the slots of a frame are not consecutive, whole rows of tiles along the first axis are covered.
        """
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
        return (bits | counts.cumsum() - counts << np.uint64(32)).astype("<u8").tobytes()

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
            box.insert(0, min(length, max(1, (1 << 16) // size)))
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


_MAX_HEADER_BYTES = 1 << 24
_CORRUPT_HEADER = "has a corrupt header"
_TABLE_NUMBERS = count()
_CACHE_BYTES = 160_000_000

Copies = Callable[[int, Sequence[range]], "NDArray[np.uint8]"]
"""Given a side to move and a box of slots: on how many boards each slot's position occurs, 0 if it is not legal."""


ByteCodes = Callable[[int], Sequence[int]]
"""Given the byte of a draw: the code of every byte."""


_FRAMES_AT_ONCE = 64
"""Frames in which many slots are looked up at once."""
_MAX_FRAMES_PER_THREAD = 4
"""Frames that are read without a thread pool."""


_MAX_CACHE_SHARE = 2
"""What is larger than this fraction of the budget, 1/2, is stored outside the cache."""
PROGRESS_INTERVAL = 256
"""Frames between two reports of progress."""


def silent(*_: object) -> None:
    """Ignore all progress."""


class FrameCache:
    """A cache of unpacked frames and counts, shared by many tables, with one budget; thread-safe.

    Args:
        budget: Size in bytes; 160 MB by default, because the counts alone of a six-man table have 40 MB.
    """

    def __init__(self, budget: int | None = None) -> None:
        self.budget = _CACHE_BYTES if budget is None else budget
        self._lock = threading.Lock()
        self._entries: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()
        self._size = 0
        self._large_entry: tuple[Hashable, Any] = (None, None)
        """The last entry that is too large for the cache, e.g. the counts of a wide table; it evicts nothing else."""

    def get(self, key: Hashable) -> Any:
        """The value of a key, or None if it is not cached."""
        with self._lock:
            large_key, large_value = self._large_entry
            if large_key == key:
                return large_value
            if key not in self._entries:
                return None
            self._entries.move_to_end(key)
            return self._entries[key][0]

    def put(self, key: Hashable, value: Any, size: int) -> None:
        """Store a value of ``size`` bytes; evict the least recently used ones if there is no room."""
        with self._lock:
            if size > self.budget // _MAX_CACHE_SHARE:
                self._large_entry = (key, value)
                return
            if key not in self._entries:
                self._entries[key] = (value, size)
                self._size += size
            while self._size > self.budget and len(self._entries) > 1:
                _, (_, evicted_size) = self._entries.popitem(last=False)
                self._size -= evicted_size


def is_table(path: Path) -> bool:
    """Whether a file begins like a table, of any version; False if it cannot be read."""
    try:
        with open_regular(path) as file:
            return file.read(len(MAGIC)).startswith(MAGIC[:-1])
    except OSError:
        return False


class NewerVersionError(ValueError):
    """A table of a version that this program does not know yet."""


def read_header(handle: int) -> tuple[Header, int, int]:
    """Read the header of a table file.

    Args:
        handle: Descriptor of the open file.

    Returns:
        The header, its checksum, and the offset of the index, which follows it.

    Raises:
        OSError: The file cannot be read.
        ValueError: It is no table, or damaged; the message goes on a sentence that begins with the name of the table.
    """
    prefix = read_at(handle, PREFIX.size, 0)
    if len(prefix) < PREFIX.size:
        raise ValueError("is truncated" if prefix else "is empty")
    magic, length, checksum = PREFIX.unpack(prefix)
    if magic[:-1] != MAGIC[:-1]:
        raise ValueError("is no table of this program")
    if magic[-1] > MAGIC[-1]:
        raise NewerVersionError("was written by a newer version")
    if magic != MAGIC and magic not in _OLD_MAGICS:
        raise ValueError("was written by another version")

    packed = read_at(handle, min(length, _MAX_HEADER_BYTES), PREFIX.size)
    if len(packed) != length or zlib.crc32(packed) != checksum:
        raise ValueError(_CORRUPT_HEADER)
    try:
        text = zstd.ZstdDecompressor().decompress(packed, max_length=_MAX_HEADER_BYTES)
        header = Header.parse(text, _OLD_MAGICS.get(magic))
    except (zstd.ZstdError, ValueError, TypeError, LookupError, RecursionError):
        raise ValueError(_CORRUPT_HEADER) from None
    return header, checksum, PREFIX.size + length


class Table:
    """A table file open for reading; thread-safe.

    Methods take and return codes unless they speak of stored values: bytes, or codes in a wide table.

    Args:
        path: The file.
        copies: See :data:`Copies`; for the ending and scheme of the header.
        cache: Cache of unpacked frames; a new one by default.
        on_damage: Called before a TableError is raised, unless the file merely cannot be read now.
        codes: See :data:`ByteCodes`.

    Attributes:
        size: Bytes of the file.
        fingerprint: Size of the file and checksum of its header, which contains the checksums of everything else.
        slots: Slots of one side to move.
        frames: Frames of both sides.
        coders: Coder of each side to move.
        tilings: Tiling of each side to move.
        wide: Whether codes are stored, not bytes.

    Raises:
        TableError: The file is unreadable, truncated or of another kind, or its header is corrupt.
    """

    one_sided = False
    """Whether the class reads tables that store one side to move, or those that store both."""

    def __init__(
        self,
        path: Path,
        copies: Copies,
        cache: FrameCache | None = None,
        on_damage: Callable[[], None] | None = None,
        codes: ByteCodes = lambda draw: CODES_OF_BYTES,
    ) -> None:
        self.path = path
        self.copies = copies
        self._cache = cache or FrameCache()
        self._on_damage = on_damage
        self._table_number = next(_TABLE_NUMBERS)  # tells the frames of tables apart in the cache
        try:
            self._handle = regular_handle(path)
            self.close = finalize(self, os.close, self._handle)
            self.size = os.fstat(self._handle).st_size
        except OSError as error:
            raise self._unreadable(error) from None

        self.header = self._read_header()
        self.wide = self.header.wide
        self._codes: list[Sequence[int]] = []
        self._values_of_codes: list[dict[int, int]] = []
        for draw in self.header.draws:
            if self.wide:
                self._codes.append(range(1 << 16))
                self._values_of_codes.append({})
            else:
                byte_codes = codes(draw)
                self._codes.append(byte_codes)
                self._values_of_codes.append({code: byte for byte, code in enumerate(byte_codes)})

        # Tables of the same ending with the same tiling share their rank bitmaps in the cache.
        self._bitmap_keys = [(self.ending, side, tiling.box, tiling.order) for side, tiling in enumerate(self.tilings)]
        self._read_index()

    def _read(self, start: int, end: int) -> bytes:
        """Bytes of the file; fewer if it is shorter. Reads, because mapped pages would count as used memory."""
        try:
            return read_at(self._handle, max(0, min(end, self.size) - start), start)
        except OSError as error:
            raise self._unreadable(error) from None

    def _unreadable(self, error: OSError) -> TableError:
        return TableError(f"the table {self.path.name} cannot be read ({error.strerror})", f"check {self.path}")

    def _broken(self, problem: str) -> TableError:
        """The error that reports a damaged file, after ``on_damage`` has been called."""
        if self._on_damage is not None:
            self._on_damage()
        return TableError(f"the table {self.path.name} {problem}", "build it again")

    def _read_header(self) -> Header:
        try:
            header, checksum, self._index_start = read_header(self._handle)
            if header.one_sided != self.one_sided:
                raise ValueError(_CORRUPT_HEADER)
        except OSError as error:
            raise self._unreadable(error) from None
        except NewerVersionError as error:  # nothing is wrong with the file: it stays where it is
            advice = "update endgame-tui, or remove the table and build it again"
            raise TableError(f"the table {self.path.name} {error}", advice) from None
        except ValueError as error:
            raise self._broken(str(error)) from None
        self.fingerprint = self.size, checksum

        try:
            self.slots = prod(header.axes)
            self.coders = [Coder(name, level) for _, _, name, level in header.sides]
            self.tilings = [Tiling(header.axes, box, order) for box, order, _, _ in header.sides]
            self.frames = sum(tiling.frames for tiling in self.tilings)
            self._counts_start = self._index_start + header.sections[0]
            self._frames_start = self._counts_start + header.sections[2]
            if self.frames > 2 and not header.canonical:
                raise ValueError("no totals")
        except (ValueError, TypeError, LookupError):
            raise self._broken(_CORRUPT_HEADER) from None
        return header

    def _read_index(self) -> None:
        length, checksum = self.header.sections[:2]
        section = self._read(self._index_start, self._counts_start)
        if length != 8 * self.frames or len(section) != length:
            raise self._broken("is truncated")
        if zlib.crc32(section) != checksum:
            raise self._broken("has a corrupt index")
        numbers = array("I", section)
        if sys.byteorder == "big":
            numbers.byteswap()
        self._checksums = numbers[1::2]
        self._frame_starts = array("Q", accumulate(numbers[::2], initial=self._frames_start))
        """Where each frame begins in the file, and where the last one ends."""
        if self._frame_starts[-1] != self.size:
            raise self._broken("is truncated")

    @property
    def ending(self) -> str:
        """Name of the ending."""
        return self.header.ending

    @property
    def dtype(self) -> str:
        """The dtype of stored values."""
        return dtype(self.wide)

    def stored_codes(self, side: int) -> Sequence[int]:
        """The code of each stored value with one side to move."""
        return self._codes[side]

    def stored_value(self, side: int, code: int) -> int:
        """The stored value of a code; -1 if no byte stands for it."""
        return code if self.wide else self._values_of_codes[side].get(code, -1)

    @property
    def form(self) -> str:
        """``built`` as by a build, ``compact`` or ``lean``."""
        if self.one_sided:
            return "lean"
        return "built" if QUICK in self.coders else "compact"

    def frame_number(self, side: int, frame: int) -> int:
        """The number of a side's frame among all frames of the table, White's first."""
        return frame + side * self.tilings[0].frames

    def place(self, side: int, slot: Any) -> tuple[Any, Any]:
        """Frame of a slot and its place in that frame; arrays if ``slot`` is an array."""
        return self.tilings[side].place(slot)

    def _boards(self, side: int, frame: int) -> NDArray[np.uint8]:
        """On how many boards the position of each slot of a frame occurs; 0 if it is not legal."""
        return self.copies(side, self.tilings[side].ranges(frame))

    def packed_frame(self, side: int, frame: int, positions: int) -> bytes:
        """The stored values of a frame with this number of legal slots; raises TableError if it is corrupt."""
        number = self.frame_number(side, frame)
        block = self._read(self._frame_starts[number], self._frame_starts[number + 1])
        if zlib.crc32(block) != self._checksums[number]:
            raise self._broken(f"is corrupt in frame {number}")
        try:
            return self.coders[side].decode(block, 2 * positions if self.wide else positions)
        except ValueError:
            raise self._broken(f"is corrupt in frame {number}") from None

    def unpacked_frame(self, side: int, frame: int) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        """The stored values of a frame slot by slot, 0 for slots that are not legal; and which slots are legal."""
        legal = self._boards(side, frame) > 0
        packed = self.packed_frame(side, frame, int(np.count_nonzero(legal)))
        values = np.zeros(len(legal), self.dtype)
        in_stored_order = self.tilings[side].in_stored_order
        in_stored_order(values, frame)[in_stored_order(legal, frame)] = np.frombuffer(packed, self.dtype)
        return values, legal

    def _rank_bitmaps(self, side: int, frames: Sequence[int]) -> list[bytes]:
        """The rank bitmaps of some frames, from the cache if they are in it."""
        tiling = self.tilings[side]
        key = self._bitmap_keys[side]
        bitmaps: dict[int, bytes] = {}
        missing: dict[int, list[range]] = {}
        for frame in frames:
            cached = self._cache.get((key, frame))
            if cached is not None:
                bitmaps[frame] = cached
            else:
                missing[frame] = tiling.ranges(frame)

        # The legality of many slots at once is cheaper. If the missing frames lie close together, the whole box that
        # encloses them is computed, up to twice the slots that are needed; else frame by frame.
        hull = [
            range(min(digits.start for digits in axis), max(digits.stop for digits in axis))
            for axis in zip(*missing.values(), strict=True)
        ]
        needed_slots = sum(prod(map(len, box)) for box in missing.values())
        if prod(map(len, hull)) <= 2 * needed_slots:
            boxes = [(hull, [*missing])]
        else:
            boxes = [(missing[frame], [frame]) for frame in missing]

        for box, frames_in_box in boxes:
            legal = np.reshape(self.copies(side, box), [len(digits) for digits in box]) > 0
            for frame in frames_in_box:
                inner = tuple(
                    slice(digits.start - outer.start, digits.stop - outer.start)
                    for digits, outer in zip(missing[frame], box, strict=True)
                )
                bitmap = tiling.rank_bitmap(legal[inner], frame)
                bitmaps[frame] = bitmap
                self._cache.put((key, frame), bitmap, len(bitmap))
        return [bitmaps[frame] for frame in frames]

    def _cached_frame(self, side: int, frame: int, bitmap: bytes) -> bytes:
        """The stored values of a frame, given its rank bitmap."""
        key = (self._table_number, self.frame_number(side, frame))
        values = self._cache.get(key)
        if values is None:
            last_word = int.from_bytes(bitmap[-8:], "little")
            positions = (last_word >> 32) + (last_word & 0xFFFFFFFF).bit_count()
            values = self.packed_frame(side, frame, positions)
            self._cache.put(key, values, len(values))
        return values

    def value(self, side: int, slot: int) -> int:
        """The code of one canonical slot; 0 if it is not legal."""
        frame, place = self.tilings[side].place(slot)
        bitmap = self._cache.get((self._bitmap_keys[side], frame)) or self._rank_bitmaps(side, [frame])[0]
        offset = place >> 5 << 3
        bit = 1 << (place & 31)
        word = int.from_bytes(bitmap[offset : offset + 8], "little")
        if not word & bit:
            return 0

        rank = (word >> 32) + (word & bit - 1).bit_count()
        values = self._cached_frame(side, frame, bitmap)
        if self.wide:
            return int.from_bytes(values[2 * rank : 2 * rank + 2], "little")
        return self._codes[side][values[rank]]

    def values(self, side: int, slots: NDArray[np.int64]) -> NDArray[np.uint16]:
        """The codes of many canonical slots with one side to move; 0 where a slot is not legal."""
        result = np.zeros(len(slots), np.uint16)
        frames, places = self.place(side, slots)

        # Sorted by frame, the slots of frame ``distinct[i]`` are order[bounds[i] : bounds[i + 1]].
        order = np.argsort(frames, kind="stable")
        distinct, starts = np.unique(frames[order], return_index=True)
        bounds = [*starts.tolist(), len(order)]
        for first in range(0, len(distinct), _FRAMES_AT_ONCE):
            batch = distinct[first : first + _FRAMES_AT_ONCE].tolist()
            chosen = order[bounds[first] : bounds[first + len(batch)]]
            bitmaps = self._rank_bitmaps(side, batch)
            packed = [self._cached_frame(side, frame, bitmap) for frame, bitmap in zip(batch, bitmaps, strict=True)]

            # The same arithmetic as in ``value``, for all chosen slots at once.
            row = np.searchsorted(batch, frames[chosen])
            place = places[chosen]
            words = np.frombuffer(b"".join(bitmaps), "<u8").reshape(len(batch), -1)[row, place >> 5]
            bit = np.uint64(1) << (place & 31).astype(np.uint64)
            legal = words & bit != 0
            rank = (words >> np.uint64(32)) + np.bitwise_count(words & bit - np.uint64(1))
            if self.wide:
                packed = [memoryview(values).cast("H") for values in packed]
            result[chosen[legal]] = [
                packed[at][number] for at, number in zip(row[legal].tolist(), rank[legal].tolist(), strict=True)
            ]
        if self.wide:
            return result
        return np.array(self._codes[side], np.uint16)[result]

    def select(self, side: int, frame: int, code: int) -> Sequence[int]:
        """The legal slots of a frame with a code, ascending."""
        key = (self._table_number, side, frame, code)
        selected = self._cache.get(key)
        if selected is None:
            values, legal = self.unpacked_frame(side, frame)
            selected = self.tilings[side].slots(frame)[legal & (values == self.stored_value(side, code))].data
            self._cache.put(key, selected, selected.nbytes)
        return selected

    def slot_with(self, side: int, code: int, number: int) -> int:
        """The number-th (from 0) canonical slot with a code."""
        ends = self.ends(side, code)
        frame = bisect_right(ends, number)
        first = ends[frame - 1] if frame else 0
        selected = self.select(side, frame, code)
        if number - first >= len(selected):  # e.g. what is derived for a lean table contradicts its counts
            raise self._broken(f"is corrupt in frame {self.frame_number(side, frame)}")
        return selected[number - first]

    def number_with(self, side: int, code: int, slot: int) -> int:
        """How many canonical slots with a code there are up to one of them, itself included."""
        frame, _ = self.place(side, slot)
        before = self.ends(side, code)[frame - 1] if frame else 0
        return before + bisect_right(self.select(side, frame, code), slot)

    def nth(self, number: int) -> tuple[int, int]:
        """Side and slot of the number-th (from 0) legal slot of both sides."""
        ends = self.lengths.cumsum()
        row = int(np.searchsorted(ends, number, "right"))
        side = int(row >= self.tilings[0].frames)
        frame = row - self.frame_number(side, 0)
        legal = np.flatnonzero(self._boards(side, frame))
        if len(legal) != self.lengths[row]:
            raise self._broken(f"is corrupt in frame {row}")
        # ends[row] is the end of this frame, so the index into its legal slots is negative.
        return side, int(self.tilings[side].slots(frame)[legal[number - int(ends[row])]])

    def frame_digits(self, side: int, wanted: DigitFilter) -> DigitFilter:
        """The digits of all slots of the frames with a wanted slot, axis by axis; empty when all are wanted."""
        result: list[list[int]] = []
        tiling = self.tilings[side]
        for digits, length, axis_length in zip(wanted, tiling.box, tiling.axes, strict=bool(wanted)):
            tiles = sorted({digit // length for digit in digits})
            result.append(
                [digit for tile in tiles for digit in range(tile * length, min((tile + 1) * length, axis_length))]
            )
        return result

    def read_side(self, side: int, legal: NDArray[np.uint64], threads: int, wanted: DigitFilter = ()) -> NDArray[Any]:
        """The stored values of one side, shape (slots,).

        They are 0 for slots that are not legal, and in frames without a wanted slot.

        Args:
            side: Side to move.
            legal: Bitmap of the legal slots, uint64 of shape (slots / 64,).
            threads: Number of threads.
            wanted: Digits of the wanted slots, axis by axis; all of them when empty.
        """
        from concurrent.futures import ThreadPoolExecutor

        tiling = self.tilings[side]
        lengths = self.lengths[self.frame_number(side, 0) :]
        frames = [frame for frame in tiling.frames_with(wanted) if lengths[frame]]
        values = mmap_arrays.zeros(self.slots, self.dtype, tiling.slot_ranges(frames))

        def read(share: Sequence[int]) -> None:
            for frame in share:
                self.read_frame(side, legal, values, frame)

        threads = threads if len(frames) > _MAX_FRAMES_PER_THREAD else 1
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(read, [frames[at::threads] for at in range(threads)]))
        return values

    def read_frame(self, side: int, legal: NDArray[np.uint64], out: NDArray[Any], frame: int) -> None:
        """Unpack a frame into an array over all slots of a side, by compiled code; raises TableError."""
        from endgame_core.tables.kernels import unpack

        positions = int(self.lengths[self.frame_number(side, frame)])
        packed = np.frombuffer(self.packed_frame(side, frame, positions), self.dtype)
        if unpack(packed, legal, *self.tilings[side].loops(frame), out) != len(packed):
            raise self._broken("is corrupt in its counts")

    @property
    def counts(self) -> Counts:
        """Canonical positions per frame and stored value, White's frames first."""
        key = (self._table_number, -1)
        counts: Counts | None = self._cache.get(key)
        if counts is None:
            counts = self._read_counts()
            self._cache.put(key, counts, counts.size)
        return counts

    @cached_property
    def lengths(self) -> NDArray[np.int64]:
        """Number of legal slots of each frame."""
        return self.counts.lengths

    def _read_counts(self) -> Counts:
        """Read the counts; a table with one frame per side has none, so its positions are counted."""
        if self.frames == 2:
            tallies: list[Tally] = []
            for side in range(2):
                values, legal = self.unpacked_frame(side, 0)
                tallies.append(_tally(np.bincount(values[legal]), self.dtype))
            return Counts.from_tallies(tallies)

        length, checksum = self.header.sections[2:]
        section = self._read(self._counts_start, self._frames_start)
        if len(section) != length or zlib.crc32(section) != checksum:
            raise self._broken("is corrupt in its counts")
        try:
            most_values = max(map(len, self.header.canonical))
            data = zstd.ZstdDecompressor().decompress(section, max_length=(2 + 5 * most_values) * self.frames)
            counts = Counts.parse(data, self.frames, self.wide)
        except (zstd.ZstdError, ValueError):
            raise self._broken("is corrupt in its counts") from None

        largest_tile = max(prod(tiling.box) for tiling in self.tilings)
        first_of_black = self.tilings[0].frames
        totals = [
            sparse(counts.total(0, first_of_black).tolist()),
            sparse(counts.total(first_of_black, self.frames).tolist()),
        ]
        if int(counts.lengths.max()) > largest_tile or self.header.canonical != totals:
            raise self._broken("is corrupt in its counts")
        return counts

    @cached_property
    def totals(self) -> Totals:
        """Canonical positions and boards per side and stored value."""
        if self.frames > 2:
            return self.header.canonical, self.header.boards
        canonical = [sparse(self.counts.total(side, side + 1).tolist()) for side in range(2)]
        boards: list[dict[str, int]] = []
        for side in range(2):
            values, _ = self.unpacked_frame(side, 0)
            sums = np.bincount(values, self._boards(side, 0), minlength=256)
            boards.append(sparse(sums.tolist()))
        return canonical, boards

    def canonical(self, side: int, code: int) -> int:
        """Positions of one side with one code, symmetric copies counted once."""
        return self.totals[0][side].get(str(self.stored_value(side, code)), 0)

    def boards(self, side: int, code: int) -> int:
        """Positions of one side with one code, over all placements on the board."""
        return self.totals[1][side].get(str(self.stored_value(side, code)), 0)

    @property
    def positions(self) -> int:
        """Canonical positions of both sides."""
        return sum(sum(side.values()) for side in self.totals[0])

    def used_codes(self, side: int) -> list[int]:
        """The codes that occur with one side to move."""
        values = map(int, self.totals[0][side])
        return list(values) if self.wide else [self._codes[side][byte] for byte in values]

    def all_stored(self, side: int, empty: int) -> NDArray[Any]:
        """The stored values of one side without compiled code, ``empty`` for slots that are not legal.

        Checks all frames; raises TableError.
        """
        tiling = self.tilings[side]
        result = mmap_arrays.zeros(self.slots, self.dtype)
        for frame in range(tiling.frames):
            part = tiling.cut(result, frame)
            values, legal = self.unpacked_frame(side, frame)
            part[:] = np.where(legal, values, empty).reshape(part.shape)
        return result

    def ends(self, side: int, code: int) -> Sequence[int]:
        """Cumulated numbers of canonical positions with a code: those up to the end of each frame."""
        key = (self._table_number, side, code)
        ends = self._cache.get(key)
        if ends is None:
            ends = np.cumsum(self.frame_counts(side, code), dtype=np.int64).data
            self._cache.put(key, ends, ends.nbytes)
        return ends

    def frame_counts(self, side: int, code: int) -> list[int]:
        """Canonical positions with a code, frame by frame."""
        first = self.frame_number(side, 0)
        counts = self.counts.per_frame(self.stored_value(side, code))
        return counts[first : first + self.tilings[side].frames].tolist()

    def expand(self, threads: int) -> None:
        """Derive all that is not stored before the whole table is read; only a lean table has something to derive."""

    def release(self) -> None:
        """Release the memory of what :meth:`expand` has derived."""

    def check(self, progress: Callable[[float], None] = silent) -> int:
        """Check every checksum, and that each frame holds as many positions as the counts say.

        Args:
            progress: Called with the part done, 0 to 1.

        Returns:
            The number of frames.

        Raises:
            TableError: The table is damaged.
        """
        lengths = self.lengths.tolist()
        stored_sides = [side for side in range(2) if self.coders[side] != DERIVED]
        total = sum(self.tilings[side].frames for side in stored_sides)
        done = 0
        for side in stored_sides:
            for frame in range(self.tilings[side].frames):
                if done % PROGRESS_INTERVAL == 0:
                    progress(done / total)
                self.packed_frame(side, frame, lengths[self.frame_number(side, frame)])
                done += 1
        return self.frames


_BATCH = 64
"""Frames that are compressed before they are written."""
_SAMPLE = 24
"""Frames of a side that are compressed to compare tilings and coders."""
_FINALISTS = 4
"""Tilings that take part in the second comparison."""
_CODERS = (Coder("lzma", 0), Coder("lzma", 2), Coder("lzma", 4), Coder("zstd", 19))
"""Coders that are tried with the best tiling."""


Tally = tuple["NDArray[Any]", "NDArray[np.uint32]"]
"""The stored values of a frame, ascending, and the number of positions with each."""


def _tally(counts: NDArray[Any], kind: Any) -> Tally:
    """The tally of a frame, given the number of positions with each possible value; ``kind`` is the values' dtype."""
    values = np.flatnonzero(counts)
    return values.astype(kind), counts[values].astype(np.uint32)


@dataclass(frozen=True, slots=True)
class Counts:
    """Canonical positions per frame and stored value, without zeros: all tallies one after the other.

    Attributes:
        starts: Where each frame's tally begins, and the end of the last one.
        values: Stored values, uint8 or uint16.
        numbers: Number of positions with each value.
    """

    starts: NDArray[np.int64]
    values: NDArray[Any]
    numbers: NDArray[np.uint32]

    @classmethod
    def from_tallies(cls, tallies: Sequence[Tally]) -> Counts:
        """Join the tallies of all frames."""
        values, numbers = (np.concatenate(column) for column in zip(*tallies, strict=True))
        return cls._from_lengths([len(frame_values) for frame_values, _ in tallies], values, numbers)

    @classmethod
    def _from_lengths(cls, lengths: Any, values: NDArray[Any], numbers: NDArray[np.uint32]) -> Counts:
        """Create the counts from the length of each frame's tally."""
        return cls(np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths, dtype=np.int64)]), values, numbers)

    @classmethod
    def parse(cls, data: bytes, frames: int, wide: bool) -> Counts:
        """Read what :meth:`to_bytes` returns; raises ValueError."""
        lengths = np.frombuffer(data, "<u2", frames)
        total = int(lengths.sum())
        rows = 5 if wide else 4  # one or two bytes of a value, three of its number of positions
        *value_bytes, low, middle, high = np.frombuffer(data, np.uint8, rows * total, 2 * frames).reshape(rows, total)
        numbers = np.zeros((total, 4), np.uint8)  # little-endian; joined without another array of that size
        for i, column in enumerate((low, middle, high)):
            numbers[:, i] = column
        values = value_bytes[0].copy()
        if wide:
            values = values | value_bytes[1].astype(np.uint16) << np.uint16(8)
        return cls._from_lengths(lengths, values, numbers.view("<u4").reshape(total))

    def to_bytes(self) -> bytes:
        """The counts as the file stores them, uncompressed.

        First the length of each frame's tally, uint16. Then all values and all numbers, byte by byte: the lowest bytes
        of all values come before their high bytes, which compresses better. A number has three bytes.
        """
        columns = (self.values.astype(f"<u{self.values.itemsize}", copy=False), self.numbers.astype("<u4", copy=False))
        *rows, _ = (row for column in columns for row in column.view(np.uint8).reshape(-1, column.itemsize).T)
        return np.diff(self.starts).astype("<u2").tobytes() + np.concatenate(rows).tobytes()

    @property
    def size(self) -> int:
        """Bytes of memory."""
        return self.starts.nbytes + self.values.nbytes + self.numbers.nbytes

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Number of positions of each frame."""
        result = np.zeros(len(self.starts) - 1, np.int64)
        nonempty = np.flatnonzero(np.diff(self.starts))
        if nonempty.size:
            result[nonempty] = np.add.reduceat(self.numbers, self.starts[nonempty], dtype=np.int64)
        return result

    def total(self, first: int, end: int) -> NDArray[np.int64]:
        """Positions of the frames from ``first`` to before ``end``, by stored value."""
        inside = slice(self.starts[first], self.starts[end])
        value_end = 1 << 8 * self.values.itemsize
        return np.bincount(self.values[inside], self.numbers[inside], minlength=value_end).astype(np.int64)

    def frames_with_any(self, marked: NDArray[np.bool_], first: int, end: int) -> list[int]:
        """The frames from ``first`` to before ``end`` that hold a marked value, numbered from ``first``.

        Args:
            marked: Whether each stored value is one to look for.
            first: The first frame.
            end: The end of the frames.
        """
        inside = slice(self.starts[first], self.starts[end])
        at = np.flatnonzero(marked[self.values[inside]]) + self.starts[first]
        return np.unique(np.searchsorted(self.starts, at, "right") - 1 - first).tolist()

    def tally_of(self, frame: int) -> Tally:
        """The tally of a frame."""
        inside = slice(self.starts[frame], self.starts[frame + 1])
        return self.values[inside], self.numbers[inside]

    def per_frame(self, value: int) -> NDArray[np.int64]:
        """Number of positions with a stored value, frame by frame."""
        result = np.zeros(len(self.starts) - 1, np.int64)
        at = np.flatnonzero(self.values == value)
        result[np.searchsorted(self.starts, at, "right") - 1] = self.numbers[at]
        return result


Packed = tuple[bytes, Tally]
"""The stored values of one frame, compressed or not, and their tally."""

Pack = Callable[[Tiling, int], Packed]
"""Packs a frame of a tiling of one side to move."""


def pack_frame(values: NDArray[Any], legal: NDArray[np.uint64], tiling: Tiling, frame: int, start: int = 0) -> Packed:
    """The values of a frame's legal slots in the stored order, and their tally, by compiled code.

    Args:
        values: Stored values of consecutive slots.
        legal: Bitmap of the legal ones of these slots.
        tiling: The tiling.
        frame: The frame.
        start: The first of these slots.
    """
    from endgame_core.tables.kernels import pack

    out = np.empty(prod(tiling.box), values.dtype)
    counts = np.zeros(1 << 8 * values.itemsize, np.uint32)
    first, lengths, strides = tiling.loops(frame)
    length = pack(values, legal, first - start, lengths, strides, out, counts)
    return out[:length].tobytes(), _tally(counts, values.dtype)


def packer(table: Table, side: int) -> Pack:
    """A function that packs frames of one side of a table without compiled code; checks all frames of the table."""
    values = table.all_stored(side, 0)

    def pack(tiling: Tiling, frame: int) -> Packed:
        legal = table.copies(side, tiling.ranges(frame)) > 0
        ordered = tiling.in_stored_order(tiling.cut(values, frame), frame)
        result = ordered[tiling.in_stored_order(legal, frame)]
        return result.tobytes(), _tally(np.bincount(result), values.dtype)

    return pack


def _frames(solved: SolvedEnding, tiling: Tiling) -> Generator[Packed]:
    """The packed frames of a solved ending, White's first.

    The solved ending comes in parts; every frame lies within one of them.
    """
    for side in range(2):
        frame = 0
        start = 0
        for values, legal in solved.parts(side):
            end = start + len(values)
            while frame < tiling.frames and tiling.loops(frame)[0] < end:
                yield pack_frame(values, legal, tiling, frame, start)
                frame += 1
            start = end


Check = Callable[[Path], None]
"""Called with a finished file before it becomes the table; its exceptions prevent that."""


def write_table(
    path: Path, solved: SolvedEnding, axes: Sequence[int], check: Check | None = None, **fields: Any
) -> int:
    """Write a solved ending, fast.

    Args:
        path: Final path; temporary files are created next to it.
        solved: The solved ending.
        axes: Length of each axis of the index.
        check: See :data:`Check`.
        fields: ``game``, ``ending``, ``rules``, ``metric``, ``scheme`` and ``draws`` of the header.

    Returns:
        The file's size in bytes.

    Raises:
        StorageError: The disk is full or the directory cannot be written.
    """
    tiling = consecutive_tiles(axes)
    coder = SMALL if tiling.frames == 1 else QUICK
    header = Header(
        **fields,
        axes=list(axes),
        sides=[_side_fields(tiling, coder)] * 2,
        sections=[],
        canonical=[],
        boards=[],
    )

    def encode(packed: Packed) -> Packed:
        data, tally = packed
        return coder.encode(data), tally

    def totals(counts: Counts) -> Totals:
        canonical = np.stack([counts.total(0, tiling.frames), counts.total(tiling.frames, 2 * tiling.frames)])
        boards = solved.copies * canonical - solved.missing
        return [sparse(side) for side in canonical.tolist()], [sparse(side) for side in boards.tolist()]

    return _write(path, header, _in_batches(encode, _frames(solved, tiling)), totals, check)


def _in_batches(work: Callable[[T], Packed], items: Iterable[T]) -> Generator[Packed]:
    """Map ``work`` over the items by several threads, in order; only one batch at a time is in memory."""
    from concurrent.futures import ThreadPoolExecutor

    remaining = iter(items)
    with ThreadPoolExecutor() as pool:
        while batch := list(islice(remaining, _BATCH)):
            yield from pool.map(work, batch)


def _side_fields(tiling: Tiling, coder: Coder) -> list[Any]:
    """An entry of :attr:`Header.sides`."""
    return [list(tiling.box), list(tiling.order), coder.name, coder.level]


def _write(
    path: Path,
    header: Header,
    encoded: Iterable[Packed],
    totals: Callable[[Counts], Totals],
    check: Check | None,
) -> int:
    """Write header, index, counts and encoded frames; return the file's size in bytes.

    The frames go to a temporary file first, because index and counts, which come before them, are not known yet.
    """
    index: list[int] = []
    tallies: list[Tally] = []
    with storage_errors(path.parent):
        path.parent.mkdir(parents=True, exist_ok=True)
        with temporary_file(path, "body") as (_, frames):
            for frame, tally in encoded:
                frames.write(frame)
                index += [len(frame), zlib.crc32(frame)]
                tallies.append(tally)

            packed_counts = b""
            if len(tallies) > 2:
                counts = Counts.from_tallies(tallies)
                canonical, boards = totals(counts)
                header = replace(header, canonical=canonical, boards=boards)
                packed_counts = zstd.compress(counts.to_bytes(), 6)

            frames.seek(0)
            with atomic_write(path, check) as out:
                out.write(_head(header, index, packed_counts))
                shutil.copyfileobj(frames, out, 1 << 20)
        return path.stat().st_size


def _head(header: Header, index: list[int], counts: bytes) -> bytes:
    """All that comes before the frames."""
    section = struct.pack(f"<{len(index)}I", *index)
    sections = [len(section), zlib.crc32(section), len(counts), zlib.crc32(counts)]
    packed = zstd.compress(replace(header, sections=sections).to_json(), 19)
    return PREFIX.pack(MAGIC, len(packed), zlib.crc32(packed)) + packed + section + counts


SideFormat = tuple[Tiling, Coder]
"""How the stored values of one side to move are cut and compressed."""


def _smallest(axes: Sequence[int], pack: Pack) -> SideFormat:
    """The tiling and the coder that compress a sample of frames best, in bytes per value.

    All tilings are compared by a fast coder; the best of them by a slow one; then all coders with the best tiling.
    """
    samples: dict[Tiling, list[bytes]] = {}
    for tiling in candidate_tilings(axes):
        chosen = random.Random(0).sample(range(tiling.frames), min(_SAMPLE, tiling.frames))
        samples[tiling] = [pack(tiling, frame)[0] for frame in chosen]

    def ratio(tiling: Tiling, coder: Coder) -> float:
        frames = samples[tiling]
        return sum(len(coder.encode(frame)) for frame in frames) / max(1, sum(map(len, frames)))

    finalists = sorted(samples, key=lambda tiling: ratio(tiling, TRIAL))[:_FINALISTS]
    best = min(finalists, key=lambda tiling: ratio(tiling, SMALL))
    return best, min(_CODERS, key=lambda coder: ratio(best, coder))


def compact_format(table: Table, side: int, pack: Pack) -> tuple[SideFormat, float]:
    """The smallest format of one side of a table, and its size in bytes, estimated from a sample of frames.

    A table that is compact already keeps its format.
    """
    tiling = table.tilings[side]
    coder = table.coders[side]
    if coder == QUICK:
        tiling, coder = _smallest(table.header.axes, pack)
    chosen = random.Random(1).sample(range(tiling.frames), min(_SAMPLE, tiling.frames))
    sample = [pack(tiling, frame)[0] for frame in chosen]
    ratio = len(b"".join(map(coder.encode, sample))) / max(1, sum(map(len, sample)))
    return (tiling, coder), ratio * sum(table.totals[0][side].values())


def write_compact(
    table: Table,
    path: Path,
    progress: Callable[[float], None] = silent,
    formats: Sequence[SideFormat | None] = (None, None),
    packers: Callable[[Table, int], Pack] = packer,
    check: Check | None = None,
) -> int:
    """Write a table as small as possible; the values stay the same.

    Args:
        table: An open table; every frame is checked on the way.
        path: Final path, possibly the table's own.
        progress: Called with the part done, 0 to 1.
        formats: The format of each side, None for the smallest; nothing is stored of a side that is ``DERIVED``.
        packers: Creates the function that packs the frames of a side.
        check: See :data:`Check`.

    Returns:
        The file's size in bytes.

    Raises:
        TableError: A frame of the table is corrupt.
        StorageError: The disk is full or the directory cannot be written.
    """
    header = replace(table.header, sides=[], sections=[], canonical=[], boards=[])

    def encoded() -> Generator[Packed]:
        for side in range(2):
            pack = packers(table, side)
            tiling, coder = formats[side] or _smallest(table.header.axes, pack)
            header.sides.append(_side_fields(tiling, coder))

            def encode(frame: int, pack: Pack = pack, tiling: Tiling = tiling, coder: Coder = coder) -> Packed:
                packed, tally = pack(tiling, frame)
                return coder.encode(packed), tally

            for done, packed in enumerate(_in_batches(encode, range(tiling.frames)), 1):
                yield packed
                if done % _BATCH == 0 or done == tiling.frames:
                    progress((side + done / tiling.frames) / 2)
            del pack, encode  # before the other side is read: each of them may use up most of the memory

    return _write(path, header, encoded(), lambda counts: table.totals, check)

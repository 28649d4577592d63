r"""The table file: one solved ending, in frames that can be read one by one.

Layout, integers little-endian::

    magic     8 bytes  b"ENDGTAB\x02" (the last byte is the version, 3 of a lean table, 4 of a wide one, 5 of both)
    length    uint32   bytes of the header
    checksum  uint32   CRC-32 of the header
    header    zstd     JSON, see :class:`Header`
    index     uint32   length and CRC-32 of every frame, White's frames first
    counts    zstd     canonical positions per (side, frame, code); left out when each side is one frame
    frames             the codes of each frame's legal canonical slots

A position is stored as a byte, or as its code, a uint16, in a *wide* table; what bytes mean is for the game to tell.

A slot is a number in mixed radix, one digit per *axis* of the game's index. A tile is a box in the space of the digits;
one tile makes one frame. A build cuts tiles of consecutive slots, which is quick; a compact table has the tiles, and
the order of axes within a tile, that compress best.

Nothing is trusted before its checksum and length agree. Which slots a frame keeps is for the game to tell. A table is
written whole or not at all, quickly at first, and small for good later.
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
from collections.abc import Callable, Generator, Hashable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from itertools import accumulate, combinations, islice, permutations, product
from itertools import count as numbers
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast
from weakref import finalize

from endgame_core.errors import TableError
from endgame_core.game import DigitFilter, SolvedEnding
from endgame_core.paths import storage_errors, temporary_file, whole
from endgame_core.tables import mmap_arrays
from endgame_core.tables.numeric import np
from endgame_core.untrusted import regular_handle
from endgame_core.values import BYTE_DRAW, CODES_OF_BYTES, DRAW

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

if TYPE_CHECKING:
    from numpy.typing import NDArray

T = TypeVar("T")

SUFFIX = ".egt"

MAGIC = b"ENDGTAB\x02"
LEAN = b"ENDGTAB\x03"
"""What a table begins with that stores one side to move; see :mod:`endgame_core.tables.lean`."""
WIDE = b"ENDGTAB\x04"
"""What a table begins with that stores codes, for want of bytes."""
LEAN_WIDE = b"ENDGTAB\x05"
"""What a lean table begins with that stores codes."""
_OF_CODES = (WIDE, LEAN_WIDE)
PREFIX = struct.Struct("<8sII")

_NUMBER = range(1 << 32)
_MOST_AXES = 8
_CODE = re.compile(r"0|[1-9][0-9]{0,4}")

Totals = tuple[list[dict[str, int]], list[dict[str, int]]]
"""Canonical positions, and boards, per side and what is stored: ``[{"code": count}, …]`` each."""


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
        canonical: Positions per side and what is stored, symmetric copies once: ``[{"code": count}, …]``; empty when
            each side is one frame, which tells.
        boards: The same over all placements on the board.
        draws: What is stored of a draw, for each side to move; losses are below, wins above. Of a wide table it is
            ``DRAW``, the code.
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
    def wide(self) -> bool:
        """Whether codes are stored, not bytes."""
        return self.draws == [DRAW, DRAW]

    def written(self) -> bytes:
        """The header as its table has it; what goes without saying is left out."""
        fields = asdict(self)
        if self.draws == [BYTE_DRAW, BYTE_DRAW]:
            del fields["draws"]
        return json.dumps(fields, separators=(",", ":")).encode()

    @classmethod
    def parse(cls, text: bytes) -> Header:
        """Reads a header; raises ValueError or TypeError unless every field is of its kind."""
        result: dict[str, Any] = {"draws": [BYTE_DRAW, BYTE_DRAW], **json.loads(text)}
        if (
            not fits(result, _SHAPE)
            or len(result["axes"]) > _MOST_AXES
            or len(result["canonical"]) != len(result["boards"])
            or (max(result["draws"]) > 255 and result["draws"] != [DRAW, DRAW])
        ):
            raise ValueError("a field is not of its kind")
        header = cls(**result)
        most = 1 << 16 if header.wide else 1 << 8
        if any(int(code) >= most for side in (*header.canonical, *header.boards) for code in side):
            raise ValueError("a field is not of its kind")
        return header


def sparse(counts: Iterable[int]) -> dict[str, int]:
    """The counts of codes as a header tells them: ``{"code": count}``, without zeros."""
    return {str(code): int(number) for code, number in enumerate(counts) if number}


def dtype(wide: bool) -> str:
    """How numpy calls what is stored of a position: a byte, or its code."""
    return "<u2" if wide else "u1"


def _are_totals(value: Any) -> bool:
    """Whether there are totals of two sides, or none."""
    return value == [] or (
        fits(value, (dict, dict))
        and all(all(map(_CODE.fullmatch, side)) and fits([*side.values()], [range((1 << 48) + 1)]) for side in value)
    )


_SIDE = ([_NUMBER], [_NUMBER], str, int)
_SHAPE = {
    **dict.fromkeys(("game", "ending", "rules", "metric", "scheme"), str),
    "axes": [_NUMBER], "sides": (_SIDE, _SIDE), "sections": (_NUMBER,) * 4, "canonical": _are_totals,
    "boards": _are_totals, "draws": (_NUMBER, _NUMBER),
}  # fmt: skip
"""What every field of a header is."""


_LEVELS = {"zstd": range(1, 23), "lzma": range(5), "derived": range(1)}
_DICTIONARY = 1 << 17
_EFFORT = {"preset": 9 | lzma.PRESET_EXTREME, "nice_len": 128}
"""Longer matches than this are not searched for: it would double the time and save a hundredth."""


@dataclass(frozen=True, slots=True)
class Coder:
    """An entropy coder and its setting.

    Attributes:
        name: ``zstd`` or ``lzma``; ``derived`` where nothing is stored.
        level: zstd's level, or how many bits of the last code lzma predicts from (its ``lc``); else 0.

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
        if self == DERIVED:
            return b""
        if self.name == "zstd":
            return zstd.compress(data, self.level)
        return lzma.compress(data, lzma.FORMAT_RAW, filters=self._filters(**_EFFORT))

    def decode(self, data: bytes, length: int) -> bytes:
        """The codes of one frame; raises ValueError unless there are ``length`` of them."""
        try:
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
"""What a build writes."""
SMALL = Coder("lzma", 0)
"""What a build writes when a side is a single frame."""
DERIVED = Coder("derived", 0)
"""Of the side to move that a lean table does not store."""
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
        tiles = [(axis, self.strides[axis] * self.box[axis], self.grid[axis]) for axis in range(len(self.axes))]
        places = [(axis, self.strides[axis], self.box[axis]) for axis in self.order]
        for digits, parts in ((across, tiles), (within, places)):
            for _, step, steps in reversed(parts):
                factor = digits[-1][1] * digits[-1][2] if digits else 1
                if digits and step == digits[-1][0] * digits[-1][1]:
                    digits[-1][1] *= steps
                elif steps > 1:
                    digits.append([step, steps, factor])
        return across, within

    def place(self, slot: Any) -> tuple[Any, Any]:
        """Frame of a slot, and its place in it as it is stored; of many slots at once if given an array.

        Places are those of a whole tile: one at the end of an axis leaves some out.
        """
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
        result: list[range] = []
        for length, most, count in zip(reversed(self.box), reversed(self.axes), reversed(self.grid), strict=True):
            frame, at = divmod(frame, count)
            result.insert(0, range(at * length, min((at + 1) * length, most)))
        return result

    def touched(self, wanted: DigitFilter) -> Sequence[int]:
        """The frames that hold a wanted slot, ascending."""
        result = range(self.frames)
        if wanted:
            result = [0]
            for digits, length, count in zip(wanted, self.box, self.grid, strict=True):
                tiles = sorted({digit // length for digit in digits})
                result = [frame * count + tile for frame in result for tile in tiles]
        return result

    def stretches(self, frames: Sequence[int]) -> list[tuple[int, int]]:
        """First and end of stretches in which all slots of some frames are; the frames ascend."""
        long = next((axis for axis, length in enumerate(self.box) if length > 1), 0)
        if self.box[long + 1 :] != self.axes[long + 1 :] or self.axes[long] % self.box[long]:  # frames mingle
            frames, length = sorted({frame // prod(self.grid[1:]) for frame in frames}), self.strides[0] * self.box[0]
        else:
            length = prod(self.box)
        result: list[tuple[int, int]] = []
        for frame in frames:
            first, end = frame * length, min((frame + 1) * length, prod(self.axes))
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

    def turned(self, array: NDArray[Any], frame: int) -> NDArray[Any]:
        """A view of an array of a frame's slots, with axes in the stored order."""
        short = [axis for axis in range(len(self.axes)) if axis not in self.order]
        return array.reshape([len(digits) for digits in self.ranges(frame)]).transpose(*short, *self.order)

    def marks(self, kept: NDArray[np.bool_], frame: int) -> bytes:
        """Which places of a frame are kept, and how many of them come before, by 32 places.

        Returns:
            uint64 numbers, little-endian: the low half has a bit for each of 32 places, the upper half says how many
            places before these are kept.
        """
        whole = np.zeros(-(-prod(self.box) // 32) * 32, np.bool_)
        shape = [1] * (len(self.axes) - len(self.order)) + [self.box[axis] for axis in self.order]
        turned = self.turned(kept, frame)
        whole[: prod(shape)].reshape(shape)[tuple(slice(length) for length in turned.shape)] = turned
        bits = np.packbits(whole, bitorder="little").view("<u4").astype(np.uint64)
        here = np.bitwise_count(bits)
        return (bits | here.cumsum() - here << np.uint64(32)).astype("<u8").tobytes()

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


_LARGEST_HEADER = 1 << 24
_NUMBERS = numbers()
_BUDGET = 160_000_000

Copies = Callable[[int, Sequence[range]], "NDArray[np.uint8]"]
"""Given side and a box of slots: on how many boards each slot's position stands, 0 if it is not kept."""


Meaning = Callable[[int], Sequence[int]]
"""Given the byte of a draw: the code of every byte."""


_TOGETHER = 64
"""Frames in which many slots are looked up at once."""
_FEW = 4
"""Frames that are read before another thread would begin."""


_PARTS = 2
"""What is larger than one part in so many of a cache is kept beside it."""
TOLD = 256
"""Frames after which it is told how many are done."""


def silent(*_: object) -> None:
    """Told of progress, tells nobody."""


class FrameCache:
    """What has been read of many tables, frame by frame, within one budget; safe from several threads.

    Args:
        budget: Bytes to keep at most; 160 MB by default: of a table of six men the counts alone are forty.
    """

    def __init__(self, budget: int | None = None) -> None:
        self.budget = _BUDGET if budget is None else budget
        self._lock = threading.Lock()
        self._frames: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()
        self._size = 0
        self._large: tuple[Hashable, Any] = (None, None)
        """The last of what is larger than a part of the budget, such as the counts of a wide table: all else stays."""

    def get(self, key: Hashable) -> Any:
        """What was kept, None when it is not at hand."""
        with self._lock:
            large, result = self._large
            if large == key:
                return result
            if key not in self._frames:
                return None
            self._frames.move_to_end(key)
            return self._frames[key][0]

    def put(self, key: Hashable, found: Any, size: int) -> None:
        """Keeps something of so many bytes; what was not used for longest makes room."""
        with self._lock:
            if size > self.budget // _PARTS:
                self._large = key, found
                return
            if key not in self._frames:
                self._frames[key] = found, size
                self._size += size
            while self._size > self.budget and len(self._frames) > 1:
                self._size -= self._frames.popitem(last=False)[1][1]


class Table:
    """A table file open for reading, safe from several threads.

    What is *stored* are bytes, or codes in a wide table; methods take and give codes unless they say otherwise.

    Args:
        path: The file.
        copies: Tells which slots are kept, for the ending and scheme of the header.
        cache: Where what has been read is kept.
        on_damage: Called before a TableError is raised, unless the file merely cannot be read now.
        codes: The codes of all bytes, given that of a draw.

    Raises:
        TableError: The file is unreadable, truncated or foreign, or its header is corrupt.
    """

    magics: tuple[bytes, ...] = (MAGIC, WIDE)

    def __init__(
        self,
        path: Path,
        copies: Copies,
        cache: FrameCache | None = None,
        on_damage: Callable[[], None] | None = None,
        codes: Meaning = lambda draw: CODES_OF_BYTES,
    ) -> None:
        self.path = path
        self.copies = copies
        self._cache = cache or FrameCache()
        self._on_damage = on_damage
        self._number = next(_NUMBERS)
        try:
            self._handle = regular_handle(path)
            self.close = finalize(self, os.close, self._handle)
            self.size = os.fstat(self._handle).st_size
        except OSError as error:
            raise self._unreadable(error) from None
        self.header = self._read_header()
        self.wide = self.header.wide
        self._meaning = [range(1 << 16) if self.wide else codes(draw) for draw in self.header.draws]
        self._bytes = [{} if self.wide else {c: byte for byte, c in enumerate(found)} for found in self._meaning]
        self._kinds = [(self.ending, side, tiling.box, tiling.order) for side, tiling in enumerate(self.tilings)]
        self._read_index()

    def _read(self, start: int, end: int) -> bytes:
        """Bytes of the file; fewer where it is shorter. A read, not a mapping: mapped pages would count as memory."""
        try:
            return os.pread(self._handle, max(0, min(end, self.size) - start), start)
        except OSError as error:
            raise self._unreadable(error) from None

    def _unreadable(self, error: OSError) -> TableError:
        return TableError(f"the table {self.path.name} cannot be read ({error.strerror})", f"check {self.path}")

    def _broken(self, what: str) -> TableError:
        if self._on_damage is not None:
            self._on_damage()
        return TableError(f"the table {self.path.name} {what}", "build it again")

    def _read_header(self) -> Header:
        if self.size < PREFIX.size:
            raise self._broken("is truncated" if self.size else "is empty")
        magic, length, checksum = PREFIX.unpack(self._read(0, PREFIX.size))
        if magic[:7] != MAGIC[:7]:
            raise self._broken("is no table of this program")
        if magic not in self.magics:
            raise self._broken("was written by another version")
        self.fingerprint = self.size, checksum
        """Size of the file, and the checksum of its header, which has those of all else."""
        self._index_at = PREFIX.size + length
        packed = self._read(PREFIX.size, min(self._index_at, _LARGEST_HEADER))
        if len(packed) != length or zlib.crc32(packed) != checksum:
            raise self._broken("has a corrupt header")
        try:
            header = Header.parse(zstd.ZstdDecompressor().decompress(packed, max_length=_LARGEST_HEADER))
            self.slots = prod(header.axes)
            self.coders = [Coder(name, level) for _, _, name, level in header.sides]
            self.tilings = [Tiling(header.axes, box, order) for box, order, _, _ in header.sides]
            self.frames = sum(tiling.frames for tiling in self.tilings)
            self._counts_at = self._index_at + header.sections[0]
            self._start = self._counts_at + header.sections[2]
            if self.frames > 2 and not header.canonical:
                raise ValueError("no totals")
            if header.wide != (magic in _OF_CODES):
                raise ValueError("bytes or codes")
        except (zstd.ZstdError, ValueError, TypeError, LookupError, RecursionError):
            raise self._broken("has a corrupt header") from None
        return header

    def _read_index(self) -> None:
        length, checksum = self.header.sections[:2]
        section = self._read(self._index_at, self._counts_at)
        if length != 8 * self.frames or len(section) != length:
            raise self._broken("is truncated")
        if zlib.crc32(section) != checksum:
            raise self._broken("has a corrupt index")
        numbers = array("I", section)
        if sys.byteorder == "big":
            numbers.byteswap()
        self._checksums = numbers[1::2]
        self._ends = array("Q", accumulate(numbers[::2], initial=self._start))
        if self._ends[-1] != self.size:
            raise self._broken("is truncated")

    @property
    def ending(self) -> str:
        """Name of the ending."""
        return self.header.ending

    @property
    def dtype(self) -> str:
        """How numpy calls what is stored."""
        return dtype(self.wide)

    def meaning(self, side: int) -> Sequence[int]:
        """The code of each byte with one side to move; of a wide table all codes."""
        return self._meaning[side]

    def stored(self, side: int, code: int) -> int:
        """What is stored of a code; -1 where no byte holds it."""
        return code if self.wide else self._bytes[side].get(code, -1)

    @property
    def form(self) -> str:
        """How small it is: ``built`` quickly, ``compact`` or ``lean``."""
        return "lean" if LEAN in self.magics else "built" if QUICK in self.coders else "compact"

    def number(self, side: int, frame: int) -> int:
        """The number of a side's frame among all frames of the table, White's first."""
        return frame + side * self.tilings[0].frames

    def place(self, side: int, slot: Any) -> tuple[Any, Any]:
        """Frame of a slot, and its place in it; of many slots at once if given an array."""
        return self.tilings[side].place(slot)

    def _boards(self, side: int, frame: int) -> NDArray[np.uint8]:
        return self.copies(side, self.tilings[side].ranges(frame))

    def packed(self, side: int, frame: int, kept: int) -> bytes:
        """What is stored of a frame that keeps so many slots; raises TableError when it is corrupt."""
        number = self.number(side, frame)
        block = self._read(self._ends[number], self._ends[number + 1])
        if zlib.crc32(block) != self._checksums[number]:
            raise self._broken(f"is corrupt in frame {number}")
        try:
            return self.coders[side].decode(block, 2 * kept if self.wide else kept)
        except ValueError:
            raise self._broken(f"is corrupt in frame {number}") from None

    def unpacked(self, side: int, frame: int) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        """What is stored of a frame, slot by slot (0 where none is kept), and which are kept."""
        kept = self._boards(side, frame) > 0
        packed = self.packed(side, frame, int(np.count_nonzero(kept)))
        out = np.zeros(len(kept), self.dtype)
        turned = self.tilings[side].turned
        turned(out, frame)[turned(kept, frame)] = np.frombuffer(packed, self.dtype)
        return out, kept

    def _marks(self, side: int, frames: Sequence[int]) -> list[bytes]:
        """The marks of some frames; tables of the same ending that are cut alike share them."""
        tiling, kind = self.tilings[side], self._kinds[side]
        at_hand = {frame: self._cache.get((kind, frame)) for frame in frames}
        known = {frame: marks for frame, marks in at_hand.items() if marks is not None}
        missing = {frame: tiling.ranges(frame) for frame in frames if frame not in known}
        hull = [range(min(r.start for r in on), max(r.stop for r in on)) for on in zip(*missing.values(), strict=True)]
        is_dense = prod(map(len, hull)) <= 2 * sum(prod(map(len, box)) for box in missing.values())
        for box, inside in [(hull, [*missing])] if is_dense else [(missing[frame], [frame]) for frame in missing]:
            kept = np.reshape(self.copies(side, box), [len(digits) for digits in box]) > 0
            for frame in inside:
                part = zip(missing[frame], box, strict=True)
                inner = kept[tuple(slice(i.start - o.start, i.stop - o.start) for i, o in part)]
                known[frame] = tiling.marks(inner, frame)
                self._cache.put((kind, frame), known[frame], len(known[frame]))
        return [known[frame] for frame in frames]

    def _frame(self, side: int, frame: int, marks: bytes) -> bytes:
        """What is stored of a frame with some marks."""
        key = (self._number, self.number(side, frame))
        result = self._cache.get(key)
        if result is None:
            last = int.from_bytes(marks[-8:], "little")
            result = self.packed(side, frame, (last >> 32) + (last & 0xFFFFFFFF).bit_count())
            self._cache.put(key, result, len(result))
        return result

    def value(self, side: int, slot: int) -> int:
        """The code of one canonical slot; 0 where it is not kept."""
        frame, place = self.tilings[side].place(slot)
        marks = self._cache.get((self._kinds[side], frame)) or self._marks(side, [frame])[0]
        at, bit = place >> 5 << 3, 1 << (place & 31)
        word = int.from_bytes(marks[at : at + 8], "little")
        if not word & bit:
            return 0
        number, stored = (word >> 32) + (word & bit - 1).bit_count(), self._frame(side, frame, marks)
        if self.wide:
            return int.from_bytes(stored[2 * number : 2 * number + 2], "little")
        return self._meaning[side][stored[number]]

    def values(self, side: int, slots: NDArray[np.int64]) -> NDArray[np.uint16]:
        """The same of many slots of one side to move."""
        codes = np.zeros(len(slots), np.uint16)
        frames, places = self.place(side, slots)
        order = np.argsort(frames, kind="stable")
        touched, starts = np.unique(frames[order], return_index=True)
        ends = [*starts.tolist(), len(order)]
        for first in range(0, len(touched), _TOGETHER):
            result = touched[first : first + _TOGETHER].tolist()
            chosen = order[ends[first] : ends[first + len(result)]]
            marks = self._marks(side, result)
            packed = [self._frame(side, frame, mark) for frame, mark in zip(result, marks, strict=True)]
            row, place = np.searchsorted(result, frames[chosen]), places[chosen]
            words = np.frombuffer(b"".join(marks), "<u8").reshape(len(result), -1)[row, place >> 5]
            bit = np.uint64(1) << (place & 31).astype(np.uint64)
            kept = words & bit != 0
            before = (words >> np.uint64(32)) + np.bitwise_count(words & bit - np.uint64(1))
            where = zip(row[kept].tolist(), before[kept].tolist(), strict=True)
            if self.wide:
                packed = [memoryview(stored).cast("H") for stored in packed]
            codes[chosen[kept]] = [packed[at][number] for at, number in where]
        return codes if self.wide else np.array(self._meaning[side], np.uint16)[codes]

    def select(self, side: int, frame: int, code: int) -> Sequence[int]:
        """The kept slots of a frame that hold a code, ascending."""
        key = (self._number, side, frame, code)
        selected = self._cache.get(key)
        if selected is None:
            result, kept = self.unpacked(side, frame)
            selected = self.tilings[side].slots(frame)[kept & (result == self.stored(side, code))].data
            self._cache.put(key, selected, selected.nbytes)
        return selected

    def slot_with(self, side: int, code: int, number: int) -> int:
        """The number-th (from 0) canonical slot with a code."""
        ends = self.ends(side, code)
        frame = bisect_right(ends, number)
        return self.select(side, frame, code)[number - (ends[frame - 1] if frame else 0)]

    def number_with(self, side: int, code: int, slot: int) -> int:
        """How many canonical slots with a code there are up to one of them, itself included."""
        frame, _ = self.place(side, slot)
        before = self.ends(side, code)[frame - 1] if frame else 0
        return before + bisect_right(self.select(side, frame, code), slot)

    def nth(self, number: int) -> tuple[int, int]:
        """Side and slot of the number-th (from 0) kept slot of both sides."""
        ends = self.lengths.cumsum()
        row = int(np.searchsorted(ends, number, "right"))
        side = int(row >= self.tilings[0].frames)
        frame = row - self.number(side, 0)
        kept = np.flatnonzero(self._boards(side, frame))
        return side, int(self.tilings[side].slots(frame)[kept[number - int(ends[row])]])

    def within(self, side: int, wanted: DigitFilter) -> DigitFilter:
        """The digits of all slots of the frames with a wanted slot, axis by axis; empty when all are wanted."""
        result = list[list[int]]()
        for digits, length, most in zip(wanted, self.tilings[side].box, self.tilings[side].axes, strict=bool(wanted)):
            tiles = sorted({digit // length for digit in digits})
            result.append([at for tile in tiles for at in range(tile * length, min((tile + 1) * length, most))])
        return result

    def read_side(self, side: int, kept: NDArray[np.uint64], threads: int, wanted: DigitFilter = ()) -> NDArray[Any]:
        """What is stored of one side, 0 for slots that are not kept; frames without a wanted slot are left 0, too.

        Args:
            side: Side to move.
            kept: Which slots are, bit by bit, uint64 of shape (slots / 64,).
            threads: Threads to work with.
            wanted: Digits of the wanted slots, axis by axis; all of them when empty.
        """
        tiling = self.tilings[side]
        lengths = self.lengths[self.number(side, 0) :]
        touched = [frame for frame in tiling.touched(wanted) if lengths[frame]]
        out = mmap_arrays.zeros(self.slots, self.dtype, tiling.stretches(touched))

        def read(frames: Sequence[int]) -> None:
            for frame in frames:
                self.read_frame(side, kept, out, frame)

        threads = threads if len(touched) > _FEW else 1
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(read, [touched[at::threads] for at in range(threads)]))
        return out

    def read_frame(self, side: int, kept: NDArray[np.uint64], out: NDArray[Any], frame: int) -> None:
        """Puts what is stored of a frame into an array of all slots of a side, by compiled code; raises TableError."""
        from endgame_core.tables.kernels import unpack

        packed = np.frombuffer(self.packed(side, frame, int(self.lengths[self.number(side, frame)])), self.dtype)
        if unpack(packed, kept, *self.tilings[side].loops(frame), out) != len(packed):
            raise self._broken("is corrupt in its counts")

    @property
    def counts(self) -> Counts:
        """Canonical positions per frame and what is stored, White's frames first."""
        key = (self._number, -1)
        result: Counts | None = self._cache.get(key)
        if result is None:
            result = self._read_counts()
            self._cache.put(key, result, result.size)
        return result

    @cached_property
    def lengths(self) -> NDArray[np.int64]:
        """Kept slots of each frame."""
        return self.counts.lengths

    def _read_counts(self) -> Counts:
        """The counts of the file; of a table of one frame a side they are counted."""
        if self.frames == 2:
            sides = (self.unpacked(side, 0) for side in range(2))
            return Counts.gathered([_tally(np.bincount(codes[kept]), self.dtype) for codes, kept in sides])
        length, checksum = self.header.sections[2:]
        section = self._read(self._counts_at, self._start)
        if len(section) != length or zlib.crc32(section) != checksum:
            raise self._broken("is corrupt in its counts")
        try:
            most = max(map(len, self.header.canonical))
            data = zstd.ZstdDecompressor().decompress(section, max_length=(2 + 5 * most) * self.frames)
            counts = Counts.of(data, self.frames, self.wide)
        except (zstd.ZstdError, ValueError):
            raise self._broken("is corrupt in its counts") from None
        most = max(prod(tiling.box) for tiling in self.tilings)
        split = self.tilings[0].frames
        if int(counts.lengths.max()) > most or self.header.canonical != [
            sparse(counts.total(0, split).tolist()), sparse(counts.total(split, self.frames).tolist())
        ]:  # fmt: skip
            raise self._broken("is corrupt in its counts")
        return counts

    @cached_property
    def totals(self) -> Totals:
        """Canonical positions and boards per side and what is stored."""
        if self.frames > 2:
            return self.header.canonical, self.header.boards
        canonical = [sparse(self.counts.total(side, side + 1).tolist()) for side in range(2)]
        boards: list[dict[str, int]] = []
        for side in range(2):
            codes, _ = self.unpacked(side, 0)
            sums = np.bincount(codes, self._boards(side, 0), minlength=256)
            boards.append(sparse(sums.tolist()))
        return canonical, boards

    def canonical(self, side: int, code: int) -> int:
        """Positions of one side with one code, symmetric copies counted once."""
        return self.totals[0][side].get(str(self.stored(side, code)), 0)

    def boards(self, side: int, code: int) -> int:
        """Positions of one side with one code, over all placements on the board."""
        return self.totals[1][side].get(str(self.stored(side, code)), 0)

    @property
    def positions(self) -> int:
        """Canonical positions of both sides."""
        return sum(sum(side.values()) for side in self.totals[0])

    def used(self, side: int) -> list[int]:
        """The codes that positions of one side have."""
        result = map(int, self.totals[0][side])
        return list(result) if self.wide else [self._meaning[side][byte] for byte in result]

    def all_stored(self, side: int, empty: int) -> NDArray[Any]:
        """What is stored of one side, ``empty`` for slots that are not kept, without kernels; checks all frames."""
        tiling = self.tilings[side]
        codes = mmap_arrays.zeros(self.slots, self.dtype)
        for frame in range(tiling.frames):
            part = tiling.cut(codes, frame)
            result, kept = self.unpacked(side, frame)
            part[:] = np.where(kept, result, empty).reshape(part.shape)
        return codes

    def ends(self, side: int, code: int) -> Sequence[int]:
        """Canonical positions with a code up to the end of each frame; they are worked out once."""
        key = (self._number, side, code)
        result = self._cache.get(key)
        if result is None:
            result = np.cumsum(self.frame_counts(side, code), dtype=np.int64).data
            self._cache.put(key, result, result.nbytes)
        return result

    def frame_counts(self, side: int, code: int) -> list[int]:
        """Canonical positions with a code, frame by frame."""
        first = self.number(side, 0)
        return self.counts.of_stored(self.stored(side, code))[first : first + self.tilings[side].frames].tolist()

    def expand(self, threads: int) -> None:
        """Works out what is not stored, before all of it is read: nothing, but in a lean table."""

    def release(self) -> None:
        """What has been worked out is held no longer."""

    def check(self, progress: Callable[[float], None] = silent) -> int:
        """Checks the checksum of all that is stored, and that each frame holds as many positions as the counts say.

        Args:
            progress: Told the part done, 0 to 1, now and then.

        Returns:
            The number of frames.
        """
        lengths = self.lengths.tolist()
        stored = [side for side in range(2) if self.coders[side] != DERIVED]
        done, total = 0, sum(self.tilings[side].frames for side in stored)
        for side in stored:
            for frame in range(self.tilings[side].frames):
                if done % TOLD == 0:
                    progress(done / total)
                self.packed(side, frame, lengths[self.number(side, frame)])
                done += 1
        return self.frames


_BATCH = 64
"""Frames that are compressed before they are written."""
_SAMPLE = 24
"""Frames of a side on which the settings of a compact table are tried."""
_FINALISTS = 4
"""Tilings that come to a second trial."""
_CODERS = (Coder("lzma", 0), Coder("lzma", 2), Coder("lzma", 4), Coder("zstd", 19))
"""Coders that are tried on the best of them."""


Tally = tuple["NDArray[Any]", "NDArray[np.uint32]"]
"""What is stored in a frame, ascending, and how many positions of each."""


def _tally(counts: NDArray[Any], kind: Any) -> Tally:
    """What is stored, given how many positions have each code, or byte."""
    codes = np.flatnonzero(counts)
    return codes.astype(kind), counts[codes].astype(np.uint32)


@dataclass(frozen=True, slots=True)
class Counts:
    """Canonical positions per frame and what is stored, those that there are.

    Attributes:
        starts: Where each frame's begin, and the end of the last one's.
        codes: Code after code, or byte after byte.
        numbers: How many positions.
    """

    starts: NDArray[np.int64]
    codes: NDArray[Any]
    numbers: NDArray[np.uint32]

    @classmethod
    def gathered(cls, frames: Sequence[Tally]) -> Counts:
        """The counts of some frames."""
        codes, numbers = (np.concatenate(column) for column in zip(*frames, strict=True))
        return cls._begun([len(codes) for codes, _ in frames], codes, numbers)

    @classmethod
    def _begun(cls, heads: Any, codes: NDArray[Any], numbers: NDArray[np.uint32]) -> Counts:
        """Given how many counts each frame has."""
        return cls(np.concatenate([np.zeros(1, np.int64), np.cumsum(heads, dtype=np.int64)]), codes, numbers)

    @classmethod
    def of(cls, data: bytes, frames: int, wide: bool) -> Counts:
        """Reads what :attr:`packed` gives; raises ValueError."""
        heads = np.frombuffer(data, "<u2", frames)
        total = int(heads.sum())
        size = 5 if wide else 4
        *codes, low, middle, high = np.frombuffer(data, np.uint8, size * total, 2 * frames).reshape(size, total)
        numbers = np.zeros((total, 4), np.uint8)  # little-endian, put together without arrays of that size besides
        for i, part in enumerate((low, middle, high)):
            numbers[:, i] = part
        result = codes[0] | codes[1].astype(np.uint16) << np.uint16(8) if wide else codes[0].copy()
        return cls._begun(heads, result, numbers.view("<u4").reshape(total))

    @property
    def packed(self) -> bytes:
        """For each frame the number of codes, then all codes and their counts, byte by byte, lowest bytes first."""
        columns = (self.codes.astype(f"<u{self.codes.itemsize}", copy=False), self.numbers.astype("<u4", copy=False))
        *parts, _ = (row for column in columns for row in column.view(np.uint8).reshape(-1, column.itemsize).T)
        return np.diff(self.starts).astype("<u2").tobytes() + np.concatenate(parts).tobytes()

    @property
    def size(self) -> int:
        """Bytes of memory."""
        return self.starts.nbytes + self.codes.nbytes + self.numbers.nbytes

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Positions of each frame."""
        result, held = np.zeros(len(self.starts) - 1, np.int64), np.flatnonzero(np.diff(self.starts))
        if held.size:
            result[held] = np.add.reduceat(self.numbers, self.starts[held], dtype=np.int64)
        return result

    def total(self, first: int, end: int) -> NDArray[np.int64]:
        """Positions of some frames, by what is stored."""
        inside = slice(self.starts[first], self.starts[end])
        most = 1 << 8 * self.codes.itemsize
        return np.bincount(self.codes[inside], self.numbers[inside], minlength=most).astype(np.int64)

    def with_any(self, codes: NDArray[np.bool_], first: int, end: int) -> list[int]:
        """Which of some frames hold any of what is marked in ``codes``, the first of them being 0."""
        inside = slice(self.starts[first], self.starts[end])
        at = np.flatnonzero(codes[self.codes[inside]]) + self.starts[first]
        return np.unique(np.searchsorted(self.starts, at, "right") - 1 - first).tolist()

    def at(self, frame: int) -> Tally:
        """What is stored in a frame, and how many positions of each."""
        inside = slice(self.starts[frame], self.starts[frame + 1])
        return self.codes[inside], self.numbers[inside]

    def of_stored(self, stored: int) -> NDArray[np.int64]:
        """Positions of which one thing is stored, frame by frame."""
        result = np.zeros(len(self.starts) - 1, np.int64)
        at = np.flatnonzero(self.codes == stored)
        result[np.searchsorted(self.starts, at, "right") - 1] = self.numbers[at]
        return result


Packed = tuple[bytes, Tally]
"""The kept codes or bytes of one frame, compressed or not yet, and how many there are of each."""

Pack = Callable[[Tiling, int], Packed]
"""Packs a frame of some tiling of one side to move."""


def pack_frame(codes: NDArray[Any], kept: NDArray[np.uint64], tiling: Tiling, frame: int, start: int = 0) -> Packed:
    """The kept codes of a frame, and how many there are of each, by compiled code; ``start`` is the first slot."""
    from endgame_core.tables.kernels import pack

    out, counts = np.empty(prod(tiling.box), codes.dtype), np.zeros(1 << 8 * codes.itemsize, np.uint32)
    first, sizes, strides = tiling.loops(frame)
    length = pack(codes, kept, first - start, sizes, strides, out, counts)
    return out[:length].tobytes(), _tally(counts, codes.dtype)


def packer(table: Table, side: int) -> Pack:
    """The same of one side to move of a table, without compiled code; every frame is checked on the way."""
    codes = table.all_stored(side, 0)

    def pack(tiling: Tiling, frame: int) -> Packed:
        kept = table.copies(side, tiling.ranges(frame)) > 0
        result = tiling.turned(tiling.cut(codes, frame), frame)[tiling.turned(kept, frame)]
        return result.tobytes(), _tally(np.bincount(result), codes.dtype)

    return pack


def _frames(solved: SolvedEnding, tiling: Tiling) -> Generator[Packed]:
    """The packed frames of a solved ending, White's first."""
    for side in range(2):
        frame = start = 0
        for codes, kept in solved.parts(side):
            while frame < tiling.frames and tiling.loops(frame)[0] < start + len(codes):
                yield pack_frame(codes, kept, tiling, frame, start)
                frame += 1
            start += len(codes)


Check = Callable[[Path], None]
"""Called with a finished file before it becomes the table; what it raises prevents that."""


def write_table(path: Path, solved: SolvedEnding, axes: Sequence[int], check: Check | None = None, **named: Any) -> int:
    """Writes a solved ending, quickly.

    Args:
        path: Final path; temporary files stand beside it meanwhile.
        solved: The solved ending.
        axes: How many values each digit of a slot takes.
        check: See :data:`Check`.
        named: ``game``, ``ending``, ``rules``, ``metric``, ``scheme`` and ``draws``, as in the header.

    Returns:
        The file's size in bytes.

    Raises:
        StorageError: The disk is full or the directory cannot be written.
    """
    tiling = plain(axes)
    coder = SMALL if tiling.frames == 1 else QUICK
    header = Header(
        **named, axes=list(axes), sides=[_setting(tiling, coder)] * 2,
        sections=[], canonical=[], boards=[],
    )  # fmt: skip

    def encode(packed: Packed) -> Packed:
        return coder.encode(packed[0]), packed[1]

    def totals(counts: Counts) -> Totals:
        canonical = np.stack([counts.total(0, tiling.frames), counts.total(tiling.frames, 2 * tiling.frames)])
        boards = solved.copies * canonical - solved.missing
        return [sparse(side) for side in canonical.tolist()], [sparse(side) for side in boards.tolist()]

    return _write(path, header, _in_batches(encode, _frames(solved, tiling)), totals, check)


def _in_batches(work: Callable[[T], Packed], some: Iterable[T]) -> Generator[Packed]:
    """What work on many makes of each, in order, by several threads; what is ahead is little."""
    left = iter(some)
    with ThreadPoolExecutor() as pool:
        while batch := list(islice(left, _BATCH)):
            yield from pool.map(work, batch)


def _setting(tiling: Tiling, coder: Coder) -> list[Any]:
    return [list(tiling.box), list(tiling.order), coder.name, coder.level]


def _write(
    path: Path,
    header: Header,
    encoded: Iterable[Packed],
    totals: Callable[[Counts], Totals],
    check: Check | None,
) -> int:
    """Writes header, index, counts and encoded frames."""
    index: list[int] = []
    tallies: list[Tally] = []
    with storage_errors(path.parent):
        path.parent.mkdir(parents=True, exist_ok=True)
        with temporary_file(path, "body") as (_, frames):
            for frame, tally in encoded:
                frames.write(frame)
                index += [len(frame), zlib.crc32(frame)]
                tallies.append(tally)

            packed = b""
            if len(tallies) > 2:
                counts = Counts.gathered(tallies)
                canonical, boards = totals(counts)
                header = replace(header, canonical=canonical, boards=boards)
                packed = zstd.compress(counts.packed, 6)

            frames.seek(0)
            with whole(path, check) as out:
                out.write(_head(header, index, packed))
                shutil.copyfileobj(frames, out, 1 << 20)
        return path.stat().st_size


def _head(header: Header, index: list[int], counts: bytes) -> bytes:
    """All that stands before the frames."""
    section = struct.pack(f"<{len(index)}I", *index)
    sections = [len(section), zlib.crc32(section), len(counts), zlib.crc32(counts)]
    packed = zstd.compress(replace(header, sections=sections).written(), 19)
    is_lean = DERIVED.name in (name for _, _, name, _ in header.sides)
    magic = (LEAN_WIDE if header.wide else LEAN) if is_lean else WIDE if header.wide else MAGIC
    return PREFIX.pack(magic, len(packed), zlib.crc32(packed)) + packed + section + counts


def _smallest(axes: Sequence[int], pack: Pack) -> Way:
    """The tiling and the coder that make a sample of frames smallest, per code."""
    trial: dict[Tiling, list[bytes]] = {}
    for tiling in tilings(axes):
        chosen = random.Random(0).sample(range(tiling.frames), min(_SAMPLE, tiling.frames))
        trial[tiling] = [pack(tiling, frame)[0] for frame in chosen]

    def size(tiling: Tiling, coder: Coder) -> float:
        samples = trial[tiling]
        return sum(len(coder.encode(sample)) for sample in samples) / max(1, sum(map(len, samples)))

    finalists = sorted(trial, key=lambda tiling: size(tiling, TRIAL))[:_FINALISTS]
    best = min(finalists, key=lambda tiling: size(tiling, SMALL))
    return best, min(_CODERS, key=lambda coder: size(best, coder))


Way = tuple[Tiling, Coder]
"""How the codes of one side to move are cut and compressed."""


def compact_way(table: Table, side: int, pack: Pack) -> tuple[Way, float]:
    """How one side to move of a table becomes smallest, and the bytes it takes then, judged by a sample."""
    way = table.tilings[side], table.coders[side]
    tiling, coder = _smallest(table.header.axes, pack) if way[1] == QUICK else way
    chosen = random.Random(1).sample(range(tiling.frames), min(_SAMPLE, tiling.frames))
    sample = [pack(tiling, frame)[0] for frame in chosen]
    ratio = len(b"".join(map(coder.encode, sample))) / max(1, sum(map(len, sample)))
    return (tiling, coder), ratio * sum(table.totals[0][side].values())


def write_compact(
    table: Table,
    path: Path,
    progress: Callable[[float], None] = silent,
    ways: Sequence[Way | None] = (None, None),
    packers: Callable[[Table, int], Pack] = packer,
    check: Check | None = None,
) -> int:
    """Writes a table as small as this program can; the codes stay the same.

    Args:
        table: An open table; every frame is checked on the way.
        path: Final path, possibly the table's own.
        progress: Told the part done, 0 to 1, now and then.
        ways: How each side is written, None for the smallest way; nothing is stored of a side that is ``DERIVED``.
        packers: Gives what packs the frames of a side.
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
            tiling, coder = ways[side] or _smallest(table.header.axes, pack)
            header.sides.append(_setting(tiling, coder))

            def encode(frame: int, pack: Pack = pack, tiling: Tiling = tiling, coder: Coder = coder) -> Packed:
                packed, tally = pack(tiling, frame)
                return coder.encode(packed), tally

            for done, packed in enumerate(_in_batches(encode, range(tiling.frames)), 1):
                yield packed
                if done % _BATCH == 0 or done == tiling.frames:
                    progress((side + done / tiling.frames) / 2)
            del pack, encode  # before the other side is read: each may be as large as memory

    return _write(path, header, encoded(), lambda counts: table.totals, check)

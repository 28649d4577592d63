r"""Reads table files: one solved ending each, in frames that can be read one by one.

Layout, integers little-endian::

    magic     8 bytes  b"ENDGTAB\x08" (the last byte is the version)
    length    uint32   bytes of the header
    checksum  uint32   CRC-32 of the header
    header    zstd     JSON, see ``header.Header``
    directory uint32   length and CRC-32 of every frame, White's frames first
    counts    zstd     canonical positions per (side, frame, stored value); left out when each side is one frame
    frames             the stored values of each frame's legal slots, compressed

The *code* of a position, a uint16, is its value in the whole program (see ``values``). Its *stored value* is what the
file has: a byte, or, in a *wide* table, the code itself. The game knows the code of each byte. A *one-sided* (lean)
table stores the values of one side to move only. The header has a flag for either.

Versions 2 to 5 are still read. They differ from version 8 only in that their headers have no flags: each combination
has a version of its own, see ``header._OLD_MAGICS``. There is no version 6 or 7, because one wrong bit could turn it
into one of them.

A slot is a number in mixed radix, one digit per *axis* of the game's index. A tile is a box in the space of the digits;
one tile makes one frame (see ``tiling``). A build cuts tiles of consecutive slots, which is fast; a compact table has
the tiles, and the order of axes within a tile, that compress best.

A frame stores the values of its *legal* slots only: those that hold a legal position, and of symmetric copies the
canonical one. Which slots these are is not stored; the game's index recomputes it when a frame is read. A *packed*
frame has the stored values of its legal slots, one after the other in the stored order; an *unpacked* one has a value
for each slot, 0 where it is not legal. The values of a packed frame are found by its *rank bitmap*, which says which
slots are legal and how many legal ones precede each (see :meth:`.tiling.Tiling.rank_bitmap`).

Nothing is trusted before its checksum and length agree. A table is written as a whole or not at all: fast by a build,
compactly by the command ``compact`` (see ``writing``).
"""

from __future__ import annotations

import os
import sys
import threading
import zlib
from array import array
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate, count, groupby
from math import prod
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import finalize

from endgame_core.errors import TableError, system_reason
from endgame_core.game import DigitFilter
from endgame_core.language import _
from endgame_core.system import read_at
from endgame_core.tables import mmap_arrays
from endgame_core.tables.coders import DERIVED, QUICK, Coder, zstd
from endgame_core.tables.counts import Counts, Tally, tally_of_counts
from endgame_core.tables.header import (
    CORRUPT_HEADER,
    Header,
    NewerVersionError,
    Totals,
    dtype,
    read_header,
    sparse,
)
from endgame_core.tables.numeric import np
from endgame_core.tables.tiling import Tiling
from endgame_core.untrusted import regular_handle
from endgame_core.values import CODES_OF_BYTES

if TYPE_CHECKING:
    from numpy.typing import NDArray


_TABLE_NUMBERS = count()
_CACHE_BYTES = 160_000_000

Copies = Callable[[int, Sequence[range]], "NDArray[np.uint8]"]
"""Given a side to move and a box of slots: on how many boards each slot's position occurs, 0 if it is not legal."""


ByteCodes = Callable[[int], Sequence[int]]
"""Given the byte of a draw: the code of every byte."""


_SLOTS_AT_ONCE = 1 << 22
"""Slots whose legality is computed at once while all of a table are read."""
_FRAMES_AT_ONCE = 64
"""Frames in which many slots are looked up at once."""
_MAX_FRAMES_PER_THREAD = 4
"""Frames that are read without a thread pool."""


_MAX_CACHE_SHARE = 2
"""A block that is larger than this fraction of the budget, 1/2, is stored outside the cache."""
PROGRESS_INTERVAL = 256
"""Frames between two reports of progress."""


def silent(*__: object) -> None:
    """Ignore all progress."""


class FrameCache:
    """A cache of data from many tables, with one budget for all of them; thread-safe.

    It holds packed frames (decompressed, legal slots only), their rank bitmaps, counts, and the slots of a frame that
    have some code.

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
            # Two threads may have computed the same value; its size counts once.
            if key not in self._entries:
                self._entries[key] = (value, size)
                self._size += size
            while self._size > self.budget and len(self._entries) > 1:
                __, (__, evicted_size) = self._entries.popitem(last=False)
                self._size -= evicted_size


class Table:
    """A table file open for reading; thread-safe.

    Methods take and return codes unless they speak of stored values: bytes, or codes in a wide table. A *frame* is
    numbered within its side to move; :meth:`frame_number` is its number in the file.

    Args:
        path: The file.
        copies: See :data:`Copies`; for the ending and scheme of the header.
        cache: The cache to use; a new one by default.
        on_damage: Called before a TableError is raised, unless the file merely cannot be read now.
        codes_of_bytes: See :data:`ByteCodes`.

    Attributes:
        size: Bytes of the file.
        fingerprint: Size of the file and checksum of its header, which contains the checksums of everything else.
        slots: Slots of one side to move.
        frame_count: Frames of both sides.
        coders: Coder of each side to move.
        tilings: Tiling of each side to move.
        wide: Whether the stored values are codes, not bytes.

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
        codes_of_bytes: ByteCodes = lambda draw: CODES_OF_BYTES,
    ) -> None:
        self.path = path
        self.copies = copies
        self._cache = cache or FrameCache()
        self._on_damage = on_damage
        self._table_number = next(_TABLE_NUMBERS)  # tells the frames of tables apart in the cache
        try:
            self._handle = regular_handle(path)
            # Closes the file when the table is garbage collected, or on ``close()``, and never twice.
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
                byte_codes = codes_of_bytes(draw)
                self._codes.append(byte_codes)
                self._values_of_codes.append({code: byte for byte, code in enumerate(byte_codes)})

        # Tables of the same ending with the same tiling share their rank bitmaps in the cache.
        self._bitmap_keys = [(self.ending, side, tiling.box, tiling.order) for side, tiling in enumerate(self.tilings)]
        self._read_frame_directory()

    def _read(self, start: int, end: int) -> bytes:
        """Bytes of the file; fewer if it is shorter. Reads, because mapped pages would count as used memory."""
        try:
            return read_at(self._handle, max(0, min(end, self.size) - start), start)
        except OSError as error:
            raise self._unreadable(error) from None

    def _unreadable(self, error: OSError) -> TableError:
        problem = _("cannot be read ({reason})").format(reason=system_reason(error))
        return TableError.of_file(self.path, problem, _("check {path}").format(path=self.path))

    def _broken(self, problem: str) -> TableError:
        """The error that reports a damaged file, after ``on_damage`` has been called."""
        if self._on_damage is not None:
            self._on_damage()
        return TableError.of_file(self.path, problem, _("build it again"))

    def _read_header(self) -> Header:
        try:
            header, checksum, self._directory_start = read_header(self._handle)
            if header.one_sided != self.one_sided:
                raise ValueError(CORRUPT_HEADER)
        except OSError as error:
            raise self._unreadable(error) from None
        except NewerVersionError as error:  # nothing is wrong with the file: it stays where it is
            advice = _("update endgame-tui, or remove the table and build it again")
            raise TableError.of_file(self.path, str(error), advice) from None
        except ValueError as error:
            raise self._broken(str(error)) from None
        self.fingerprint = self.size, checksum

        try:
            self.slots = prod(header.axes)
            self.coders = [Coder(name, level) for __, __, name, level in header.sides]
            self.tilings = [Tiling(header.axes, box, order) for box, order, __, __ in header.sides]
            self.frame_count = sum(tiling.frame_count for tiling in self.tilings)
            self._counts_start = self._directory_start + header.sections[0]
            self._frames_start = self._counts_start + header.sections[2]
            if self.frame_count > 2 and not header.canonical:
                raise ValueError("no totals")
        except (ValueError, TypeError, LookupError):
            raise self._broken(CORRUPT_HEADER) from None
        return header

    def _read_frame_directory(self) -> None:
        length, checksum = self.header.sections[:2]
        section = self._read(self._directory_start, self._counts_start)
        # For each frame its length and its CRC-32, uint32 each.
        if length != 8 * self.frame_count or len(section) != length:
            raise self._broken(_("is truncated"))
        if zlib.crc32(section) != checksum:
            raise self._broken(_("has a corrupt frame directory"))
        numbers = array("I", section)
        if sys.byteorder == "big":
            numbers.byteswap()
        self._checksums = numbers[1::2]
        self._frame_starts = array("Q", accumulate(numbers[::2], initial=self._frames_start))
        """The offset of each frame in the file, and the end of the last one."""
        # Frames are the last section, so the file must end with the last of them.
        if self._frame_starts[-1] != self.size:
            raise self._broken(_("is truncated"))

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
        if self.wide:
            return code
        return self._values_of_codes[side].get(code, -1)

    @property
    def form(self) -> str:
        """How small the file is: ``built`` as by a build, ``compact``, or ``lean`` (compact and one-sided)."""
        if self.one_sided:
            return "lean"
        if QUICK in self.coders:
            return "built"
        return "compact"

    def frame_number(self, side: int, frame: int) -> int:
        """The number of a side's frame among all frames of the table, White's first."""
        return frame + side * self.tilings[0].frame_count

    def place(self, side: int, slot: Any) -> tuple[Any, Any]:
        """Frame of a slot and its place in that frame; arrays if ``slot`` is an array."""
        return self.tilings[side].place(slot)

    def _boards(self, side: int, frame: int) -> NDArray[np.uint8]:
        """On how many boards the position of each slot of a frame occurs; 0 if it is not legal."""
        return self.copies(side, self.tilings[side].ranges(frame))

    def packed_frame(self, side: int, frame: int, positions: int) -> bytes:
        """Read a frame and decompress it: the stored values of its legal slots, in the stored order.

        Args:
            side: Side to move.
            frame: The frame.
            positions: Its number of legal slots.

        Raises:
            TableError: It is corrupt.
        """
        number = self.frame_number(side, frame)
        block = self._read(self._frame_starts[number], self._frame_starts[number + 1])
        if zlib.crc32(block) != self._checksums[number]:
            raise self._broken(_("is corrupt in frame {number}").format(number=number))
        try:
            return self.coders[side].decode(block, 2 * positions if self.wide else positions)
        except ValueError:
            raise self._broken(_("is corrupt in frame {number}").format(number=number)) from None

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
                bitmap = tiling.rank_bitmap(legal[tiling.inside(box, frame)], frame)
                bitmaps[frame] = bitmap
                self._cache.put((key, frame), bitmap, len(bitmap))
        return [bitmaps[frame] for frame in frames]

    def _cached_frame(self, side: int, frame: int, bitmap: bytes) -> bytes:
        """A packed frame, given its rank bitmap; from the cache if it is in it."""
        key = (self._table_number, self.frame_number(side, frame))
        packed = self._cache.get(key)
        if packed is None:
            # The last word counts the legal places before it; with its own bits that makes all of the frame.
            last_word = int.from_bytes(bitmap[-8:], "little")
            positions = (last_word >> 32) + (last_word & 0xFFFFFFFF).bit_count()
            packed = self.packed_frame(side, frame, positions)
            self._cache.put(key, packed, len(packed))
        return packed

    def code(self, side: int, slot: int) -> int:
        """The code of one canonical slot; 0 if it is not legal."""
        frame, place = self.tilings[side].place(slot)
        bitmap = self._cache.get((self._bitmap_keys[side], frame)) or self._rank_bitmaps(side, [frame])[0]
        offset = place >> 5 << 3  # the rank bitmap has a word of 8 bytes for every 32 places
        bit = 1 << (place & 31)
        word = int.from_bytes(bitmap[offset : offset + 8], "little")
        if not word & bit:
            return 0

        rank = (word >> 32) + (word & bit - 1).bit_count()
        packed = self._cached_frame(side, frame, bitmap)
        if self.wide:
            return int.from_bytes(packed[2 * rank : 2 * rank + 2], "little")
        return self._codes[side][packed[rank]]

    def codes(self, side: int, slots: NDArray[np.int64]) -> NDArray[np.uint16]:
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
            packed_frames = [
                self._cached_frame(side, frame, bitmap) for frame, bitmap in zip(batch, bitmaps, strict=True)
            ]

            # The same arithmetic as in ``code``, for all chosen slots at once.
            row = np.searchsorted(batch, frames[chosen])
            place = places[chosen]
            words = np.frombuffer(b"".join(bitmaps), "<u8").reshape(len(batch), -1)[row, place >> 5]
            bit = np.uint64(1) << (place & 31).astype(np.uint64)
            legal = words & bit != 0
            rank = (words >> np.uint64(32)) + np.bitwise_count(words & bit - np.uint64(1))
            if self.wide:
                packed_frames = [memoryview(packed).cast("H") for packed in packed_frames]
            result[chosen[legal]] = [
                packed_frames[at][number] for at, number in zip(row[legal].tolist(), rank[legal].tolist(), strict=True)
            ]
        if self.wide:
            return result
        return np.array(self._codes[side], np.uint16)[result]  # so far the result has bytes, 0 where not legal

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
            raise self._broken(
                _("is corrupt in frame {frame_number}").format(frame_number=self.frame_number(side, frame))
            )
        return selected[number - first]

    def number_with(self, side: int, code: int, slot: int) -> int:
        """How many canonical slots with a code there are up to one of them, itself included."""
        frame, __ = self.place(side, slot)
        before = 0
        if frame:
            before = self.ends(side, code)[frame - 1]
        return before + bisect_right(self.select(side, frame, code), slot)

    def nth(self, number: int) -> tuple[int, int]:
        """Side and slot of the number-th (from 0) legal slot of both sides."""
        return next(self.sample([number]))

    def sample(self, numbers: Sequence[int]) -> Iterator[tuple[int, int]]:
        """Side and slot of some legal slots by their numbers, ascending from 0; finds the slots of each frame once."""
        ends = self.positions_per_frame.cumsum()
        rows = np.searchsorted(ends, numbers, "right").tolist()
        for row, pairs in groupby(zip(rows, numbers, strict=True), key=itemgetter(0)):
            side = int(row >= self.tilings[0].frame_count)
            frame = row - self.frame_number(side, 0)
            legal = np.flatnonzero(self._boards(side, frame))
            if len(legal) != self.positions_per_frame[row]:
                raise self._broken(_("is corrupt in frame {row}").format(row=row))
            slots = self.tilings[side].slots(frame)[legal]
            for _row, number in pairs:
                # ends[row] is the end of this frame, so the index into its legal slots is negative.
                yield side, int(slots[number - int(ends[row])])

    def frame_digits(self, side: int, slot_digits: DigitFilter) -> DigitFilter:
        """The digits of all slots of the frames with a wanted slot, axis by axis; empty when all are wanted."""
        result: list[list[int]] = []
        tiling = self.tilings[side]
        # Without digits the zip is empty, and so is the result: all frames are wanted.
        for digits, length, axis_length in zip(slot_digits, tiling.box, tiling.axes, strict=bool(slot_digits)):
            tiles = sorted({digit // length for digit in digits})
            result.append(
                [digit for tile in tiles for digit in range(tile * length, min((tile + 1) * length, axis_length))]
            )
        return result

    def read_side(
        self, side: int, legal: NDArray[np.uint64], threads: int, slot_digits: DigitFilter = ()
    ) -> NDArray[Any]:
        """The stored values of one side, shape (slots,), by compiled code; :meth:`all_stored` needs none.

        They are 0 for slots that are not legal, and in frames without a wanted slot.

        Args:
            side: Side to move.
            legal: Bitmap of the legal slots, uint64 of shape (slots / 64,).
            threads: Number of threads.
            slot_digits: Digits of the wanted slots, axis by axis; all of them when empty.
        """
        from concurrent.futures import ThreadPoolExecutor

        tiling = self.tilings[side]
        lengths = self.positions_per_frame[self.frame_number(side, 0) :]
        frames = [frame for frame in tiling.frames_with(slot_digits) if lengths[frame]]
        values = mmap_arrays.zeros(self.slots, self.dtype, tiling.slot_ranges(frames))

        def read(share: Sequence[int]) -> None:
            for frame in share:
                self.read_frame(side, legal, values, frame)

        if len(frames) <= _MAX_FRAMES_PER_THREAD:
            threads = 1
        with ThreadPoolExecutor(threads) as pool:
            # Every n-th frame for each thread: neighbouring frames cost about the same, so the shares do, too.
            list(pool.map(read, [frames[at::threads] for at in range(threads)]))
        return values

    def read_frame(self, side: int, legal: NDArray[np.uint64], out: NDArray[Any], frame: int) -> None:
        """Unpack a frame into an array over all slots of a side, by compiled code; raises TableError."""
        from endgame_core.tables.kernels import unpack

        positions = int(self.positions_per_frame[self.frame_number(side, frame)])
        packed = np.frombuffer(self.packed_frame(side, frame, positions), self.dtype)
        if unpack(packed, legal, *self.tilings[side].loops(frame), out) != len(packed):
            raise self._broken(_("is corrupt in its counts"))

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
    def positions_per_frame(self) -> NDArray[np.int64]:
        """Number of legal slots of each frame."""
        return self.counts.positions_per_frame

    def _read_counts(self) -> Counts:
        """Read the counts; a table with one frame per side has none, so its positions are counted."""
        if self.frame_count == 2:
            tallies: list[Tally] = []
            for side in range(2):
                values, legal = self.unpacked_frame(side, 0)
                tallies.append(tally_of_counts(np.bincount(values[legal]), self.dtype))
            return Counts.from_tallies(tallies)

        length, checksum = self.header.sections[2:]
        section = self._read(self._counts_start, self._frames_start)
        if len(section) != length or zlib.crc32(section) != checksum:
            raise self._broken(_("is corrupt in its counts"))
        try:
            # The longest that sound counts can be: the length of each tally, and five bytes for each value.
            most_values = max(map(len, self.header.canonical))
            data = zstd.ZstdDecompressor().decompress(section, max_length=(2 + 5 * most_values) * self.frame_count)
            counts = Counts.parse(data, self.frame_count, self.wide)
        except (zstd.ZstdError, ValueError):
            raise self._broken(_("is corrupt in its counts")) from None

        largest_tile = max(prod(tiling.box) for tiling in self.tilings)
        first_of_black = self.tilings[0].frame_count
        totals = [
            sparse(counts.total(0, first_of_black).tolist()),
            sparse(counts.total(first_of_black, self.frame_count).tolist()),
        ]
        # The section was checked by its CRC. These checks find a file whose sections do not belong together.
        if int(counts.positions_per_frame.max()) > largest_tile or self.header.canonical != totals:
            raise self._broken(_("is corrupt in its counts"))
        return counts

    @cached_property
    def totals(self) -> Totals:
        """Canonical positions and boards per side and stored value."""
        if self.frame_count > 2:
            return self.header.canonical, self.header.boards
        canonical = [sparse(self.counts.total(side, side + 1).tolist()) for side in range(2)]
        boards: list[dict[str, int]] = []
        for side in range(2):
            values, __ = self.unpacked_frame(side, 0)
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
        if self.wide:
            return list(values)
        return [self._codes[side][byte] for byte in values]

    def all_stored(self, side: int, empty: int) -> NDArray[Any]:
        """The stored values of one side in numpy alone, ``empty`` for slots that are not legal.

        Checks all frames; raises TableError. A lean table derives its other side by compiled code all the same, and
        stays expanded until :meth:`release`.
        """
        tiling = self.tilings[side]
        result = mmap_arrays.zeros(self.slots, self.dtype)
        if empty:
            result.fill(empty)
        for frames, box in tiling.runs(_SLOTS_AT_ONCE):
            # The legality of many slots at once is cheaper.
            legal = np.reshape(self.copies(side, box), [len(digits) for digits in box]) > 0
            for frame in frames:
                inner = tiling.in_stored_order(legal[tiling.inside(box, frame)], frame)
                packed = self.packed_frame(side, frame, int(np.count_nonzero(inner)))
                tiling.in_stored_order(tiling.cut(result, frame), frame)[inner] = np.frombuffer(packed, self.dtype)
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
        return counts[first : first + self.tilings[side].frame_count].tolist()

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
        lengths = self.positions_per_frame.tolist()
        stored_sides = [side for side in range(2) if self.coders[side] != DERIVED]
        total = sum(self.tilings[side].frame_count for side in stored_sides)
        done = 0
        for side in stored_sides:
            for frame in range(self.tilings[side].frame_count):
                if done % PROGRESS_INTERVAL == 0:
                    progress(done / total)
                self.packed_frame(side, frame, lengths[self.frame_number(side, frame)])
                done += 1
        return self.frame_count

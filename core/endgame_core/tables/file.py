r"""The table file: one solved ending, in frames that can be read one by one.

Layout, integers little-endian::

    magic     8 bytes  b"ENDGTAB\x02" (the last byte is the version)
    length    uint32   bytes of the header
    checksum  uint32   CRC-32 of the header
    header    zstd     JSON, see format.py
    index     uint32   length and CRC-32 of every frame, White's frames first
    counts    zstd     canonical positions per (side, frame, code); left out when each side is one frame
    frames             the codes of each frame's legal canonical slots, see format.py

Nothing is trusted before its checksum and length agree. Which slots a frame keeps is for the game to tell.
"""

from __future__ import annotations

import os
import struct
import threading
import zlib
from array import array
from collections import OrderedDict
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from itertools import accumulate, count
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import finalize

from endgame_core.errors import TableError
from endgame_core.game import Wanted
from endgame_core.tables.format import MAGIC, PREFIX, Coder, Header, Tiling, Totals, sparse, zstd

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SUFFIX = ".egt"

_LARGEST_HEADER = 1 << 24
_NUMBERS = count()
_BUDGET = 64_000_000

Copies = Callable[[int, Sequence[range]], "NDArray[np.uint8]"]
"""Given side and a box of slots: on how many boards each slot's position stands, 0 if it is not kept."""


class FrameCache:
    """Unpacked frames of many tables within one budget, safe from several threads.

    Args:
        budget: Bytes to keep at most.
    """

    def __init__(self, budget: int = _BUDGET) -> None:
        self.budget = budget
        self._lock = threading.Lock()
        self._frames: OrderedDict[tuple[int, int], bytes] = OrderedDict()
        self._size = 0

    def get(self, key: tuple[int, int]) -> bytes | None:
        """A frame, None when it is not at hand."""
        with self._lock:
            found = self._frames.get(key)
            if found is not None:
                self._frames.move_to_end(key)
            return found

    def put(self, key: tuple[int, int], frame: bytes) -> None:
        """Keeps a frame; those not used for longest make room."""
        with self._lock:
            if key not in self._frames:
                self._frames[key] = frame
                self._size += len(frame)
            while self._size > self.budget and len(self._frames) > 1:
                self._size -= len(self._frames.popitem(last=False)[1])


class Table:
    """A table file open for reading, safe from several threads.

    Args:
        path: The file.
        copies: Tells which slots are kept, for the ending and scheme of the header.
        cache: Where unpacked frames are kept.
        on_damage: Called before a TableError is raised, unless the file merely cannot be read now.

    Raises:
        TableError: The file is unreadable, truncated or foreign, or its header is corrupt.
    """

    def __init__(
        self,
        path: Path,
        copies: Copies,
        cache: FrameCache | None = None,
        on_damage: Callable[[], None] | None = None,
    ) -> None:
        self.path = path
        self.copies = copies
        self._cache = cache or FrameCache()
        self._on_damage = on_damage
        self._number = next(_NUMBERS)
        try:
            self._handle = os.open(path, os.O_RDONLY)
            self.close = finalize(self, os.close, self._handle)
            self.size = os.fstat(self._handle).st_size
        except OSError as error:
            raise self._unreadable(error) from None
        self.header = self._read_header()
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
        if magic != MAGIC:
            raise self._broken("was written by another version")
        self._index_at = PREFIX.size + length
        packed = self._read(PREFIX.size, min(self._index_at, _LARGEST_HEADER))
        if len(packed) != length or zlib.crc32(packed) != checksum:
            raise self._broken("has a corrupt header")
        try:
            header = Header.parse(zstd.ZstdDecompressor().decompress(packed, max_length=_LARGEST_HEADER))
            self.slots = prod(header.axes)
            self._coders = [Coder(name, level) for _, _, name, level in header.sides]
            self.tilings = [Tiling(header.axes, box, order) for box, order, _, _ in header.sides]
            self.frames = sum(tiling.frames for tiling in self.tilings)
            self._counts_at = self._index_at + header.sections[0]
            self._start = self._counts_at + header.sections[2]
            if self.frames > 2 and not header.canonical:
                raise ValueError("no totals")
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
        numbers = struct.unpack(f"<{2 * self.frames}I", section)
        self._checksums = array("I", numbers[1::2])
        self._ends = array("Q", accumulate(numbers[::2], initial=self._start))
        if self._ends[-1] != self.size:
            raise self._broken("is truncated")

    @property
    def ending(self) -> str:
        """Name of the ending."""
        return self.header.ending

    def number(self, side: int, frame: int) -> int:
        """The number of a side's frame among all frames of the table, White's first."""
        return frame + side * self.tilings[0].frames

    def place(self, side: int, slot: Any) -> tuple[Any, Any]:
        """Frame of a slot, and its place in it; of many slots at once if given an array."""
        return self.tilings[side].place(slot)

    def _boards(self, side: int, frame: int) -> NDArray[np.uint8]:
        return self.copies(side, self.tilings[side].ranges(frame))

    def packed(self, side: int, frame: int, kept: int) -> bytes:
        """The stored codes of a frame that keeps so many slots; raises TableError when it is corrupt."""
        number = self.number(side, frame)
        block = self._read(self._ends[number], self._ends[number + 1])
        if zlib.crc32(block) != self._checksums[number]:
            raise self._broken(f"is corrupt in frame {number}")
        try:
            return self._coders[side].decode(block, kept)
        except ValueError:
            raise self._broken(f"is corrupt in frame {number}") from None

    def unpacked(self, side: int, frame: int) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
        """Codes of a frame, slot by slot (0 where none is kept), and which are kept."""
        import numpy as np

        kept = self._boards(side, frame) > 0
        packed = self.packed(side, frame, int(np.count_nonzero(kept)))
        out = np.zeros(len(kept), np.uint8)
        turned = self.tilings[side].turned
        turned(out, frame)[turned(kept, frame)] = np.frombuffer(packed, np.uint8)
        return out, kept

    def codes(self, side: int, frame: int) -> bytes:
        """The codes of one frame of one side, 0 for slots that are not kept; raises TableError when it is corrupt."""
        key = (self._number, self.number(side, frame))
        found = self._cache.get(key)
        if found is None:
            found = self.unpacked(side, frame)[0].tobytes()
            self._cache.put(key, found)
        return found

    def value(self, side: int, slot: int) -> int:
        """The code of one canonical slot."""
        frame, place = self.tilings[side].place(slot)
        return self.codes(side, frame)[place]

    def select(self, side: int, frame: int, code: int) -> list[int]:
        """The kept slots of a frame that hold a code, ascending."""
        import numpy as np

        codes = np.frombuffer(self.codes(side, frame), np.uint8)
        found = np.flatnonzero(codes == code)
        if code == 0:
            found = found[self._boards(side, frame)[found] > 0]
        return self.tilings[side].slots(frame)[found].tolist()

    def nth(self, number: int) -> tuple[int, int]:
        """Side and slot of the number-th (from 0) kept slot of both sides."""
        import numpy as np

        ends = self.counts.sum(axis=1).cumsum()
        row = int(np.searchsorted(ends, number, "right"))
        side = int(row >= self.tilings[0].frames)
        frame = row - self.number(side, 0)
        kept = np.flatnonzero(self._boards(side, frame))
        return side, int(self.tilings[side].slots(frame)[kept[number - int(ends[row])]])

    def read_side(self, side: int, kept: NDArray[np.uint64], threads: int, wanted: Wanted = ()) -> NDArray[np.uint8]:
        """The codes of one side, 0 for slots that are not kept; frames without a wanted slot are left 0, too.

        Args:
            side: Side to move.
            kept: Which slots are, bit by bit, uint64 of shape (slots / 64,).
            threads: Threads to work with.
            wanted: Digits of the wanted slots, axis by axis; all of them when empty.
        """
        import numpy as np

        from endgame_core.tables.kernels.packing import unpack

        out = np.zeros(self.slots, np.uint8)
        tiling = self.tilings[side]
        lengths = self.counts[self.number(side, 0) :].sum(axis=1)

        def read(frame: int) -> None:
            packed = np.frombuffer(self.packed(side, frame, int(lengths[frame])), np.uint8)
            if unpack(packed, kept, *tiling.loops(frame), out) != len(packed):
                raise self._broken("is corrupt in its counts")

        with ThreadPoolExecutor(threads) as pool:
            for _ in pool.map(read, tiling.touched(wanted)):
                pass
        return out

    @property
    def counts(self) -> NDArray[np.uint32]:
        """Canonical positions per frame and code, White's frames first: uint32 of shape (frames, 256)."""
        import numpy as np

        key = (self._number, -1)
        found = self._cache.get(key)
        if found is None:
            found = self._read_counts().tobytes()
            self._cache.put(key, found)
        return np.frombuffer(found, np.uint32).reshape(-1, 256)

    def _read_counts(self) -> NDArray[np.uint32]:
        import numpy as np

        found = np.zeros((self.frames, 256), np.uint32)
        if self.frames == 2:
            for side in range(2):
                kept = self._boards(side, 0) > 0
                found[side] = np.bincount(np.frombuffer(self.codes(side, 0), np.uint8)[kept], minlength=256)
            return found
        length, checksum = self.header.sections[2:]
        section = self._read(self._counts_at, self._start)
        if len(section) != length or zlib.crc32(section) != checksum:
            raise self._broken("is corrupt in its counts")
        try:
            data = zstd.ZstdDecompressor().decompress(section, max_length=(2 + 4 * 256) * self.frames)
            heads = np.frombuffer(data, "<u2", self.frames)
            total = int(heads.sum())
            codes, *parts = np.frombuffer(data, np.uint8, 4 * total, 2 * self.frames).reshape(4, total)
        except (zstd.ZstdError, ValueError):
            raise self._broken("is corrupt in its counts") from None
        numbers = sum(part.astype(np.uint32) << 8 * i for i, part in enumerate(parts))
        found[np.repeat(np.arange(self.frames), heads), codes] = numbers
        sides = np.split(found, [self.tilings[0].frames])
        most = max(prod(tiling.box) for tiling in self.tilings)
        if int(found.sum(axis=1).max()) > most or self.header.canonical != [
            sparse(side.sum(axis=0).tolist()) for side in sides
        ]:
            raise self._broken("is corrupt in its counts")
        return found

    @cached_property
    def totals(self) -> Totals:
        """Canonical positions and boards per side and code."""
        import numpy as np

        if self.frames > 2:
            return self.header.canonical, self.header.boards
        canonical = [sparse(row) for row in self.counts.tolist()]
        boards: list[dict[str, int]] = []
        for side in range(2):
            codes = np.frombuffer(self.codes(side, 0), np.uint8)
            sums = np.bincount(codes, self._boards(side, 0), minlength=256)
            boards.append(sparse(sums.tolist()))
        return canonical, boards

    def canonical(self, side: int, code: int) -> int:
        """Positions of one side with one code, symmetric copies counted once."""
        return self.totals[0][side].get(str(code), 0)

    def boards(self, side: int, code: int) -> int:
        """Positions of one side with one code, over all placements on the board."""
        return self.totals[1][side].get(str(code), 0)

    @property
    def positions(self) -> int:
        """Canonical positions of both sides."""
        return sum(sum(side.values()) for side in self.totals[0])

    def used(self, side: int) -> list[int]:
        """The codes that positions of one side have."""
        return [int(code) for code in self.totals[0][side]]

    def all_codes(self, side: int, empty: int) -> NDArray[np.uint8]:
        """All codes of one side, ``empty`` for slots that are not kept, without compiled code; checks every frame."""
        import numpy as np

        tiling = self.tilings[side]
        codes = np.empty(self.slots, np.uint8)
        for frame in range(tiling.frames):
            part = tiling.cut(codes, frame)
            found, kept = self.unpacked(side, frame)
            part[:] = np.where(kept, found, empty).reshape(part.shape)
        return codes

    def frame_counts(self, side: int, code: int) -> list[int]:
        """Canonical positions with a code, frame by frame."""
        first = self.number(side, 0)
        return self.counts[first : first + self.tilings[side].frames, code].tolist()

    def check(self) -> int:
        """Checks every checksum, and that each frame holds what the counts say; returns the number of frames."""
        lengths = self.counts.sum(axis=1).tolist()
        for side, tiling in enumerate(self.tilings):
            for frame in range(tiling.frames):
                self.packed(side, frame, lengths[self.number(side, frame)])
        return self.frames

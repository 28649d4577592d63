"""How many positions each frame of a table holds, by stored value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from endgame_core.tables.numeric import np

if TYPE_CHECKING:
    from numpy.typing import NDArray

Tally = tuple["NDArray[Any]", "NDArray[np.uint32]"]
"""The stored values of a frame, ascending, and the number of positions with each."""


def tally_of_counts(counts: NDArray[Any], value_dtype: Any) -> Tally:
    """The tally of a frame, given its number of positions with each possible stored value, which have that dtype."""
    values = np.flatnonzero(counts)
    return values.astype(value_dtype), counts[values].astype(np.uint32)


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
        return cls._from_tally_lengths([len(frame_values) for frame_values, _ in tallies], values, numbers)

    @classmethod
    def _from_tally_lengths(cls, tally_lengths: Any, values: NDArray[Any], numbers: NDArray[np.uint32]) -> Counts:
        """Create the counts from the length of each frame's tally."""
        return cls(np.concatenate([np.zeros(1, np.int64), np.cumsum(tally_lengths, dtype=np.int64)]), values, numbers)

    @classmethod
    def parse(cls, data: bytes, frame_count: int, wide: bool) -> Counts:
        """Read what :meth:`to_bytes` returns; raises ValueError."""
        tally_lengths = np.frombuffer(data, "<u2", frame_count)
        total = int(tally_lengths.sum())
        rows = 5 if wide else 4  # one or two bytes of a value, three of its number of positions
        *value_bytes, low, middle, high = np.frombuffer(data, np.uint8, rows * total, 2 * frame_count).reshape(
            rows, total
        )
        numbers = np.zeros((total, 4), np.uint8)  # little-endian; joined without another array of that size
        for i, column in enumerate((low, middle, high)):
            numbers[:, i] = column
        values = value_bytes[0].copy()
        if wide:
            values = values | value_bytes[1].astype(np.uint16) << np.uint16(8)
        return cls._from_tally_lengths(tally_lengths, values, numbers.view("<u4").reshape(total))

    def to_bytes(self) -> bytes:
        """The counts as the file stores them, uncompressed.

        First the length of each frame's tally, uint16. Then all values and all numbers, byte by byte: the lowest bytes
        of all values come before their high bytes, which compresses better. A number has three bytes.
        """
        # The highest byte of the numbers is dropped: a frame has at most 3 << 15 slots, far below 2 ** 24.
        columns = (self.values.astype(f"<u{self.values.itemsize}", copy=False), self.numbers.astype("<u4", copy=False))
        *rows, _ = (row for column in columns for row in column.view(np.uint8).reshape(-1, column.itemsize).T)
        return np.diff(self.starts).astype("<u2").tobytes() + np.concatenate(rows).tobytes()

    @property
    def size(self) -> int:
        """Bytes of memory."""
        return self.starts.nbytes + self.values.nbytes + self.numbers.nbytes

    @property
    def positions_per_frame(self) -> NDArray[np.int64]:
        """Number of positions of each frame."""
        result = np.zeros(len(self.starts) - 1, np.int64)
        # ``reduceat`` would give a frame without positions the first number of the next frame.
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
        # Positions in the list of all tallies; the frame of each is the last one that starts at or before it.
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

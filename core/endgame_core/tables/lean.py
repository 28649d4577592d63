"""Lean tables: one side to move is stored, the other is derived from it one ply deep.

The value of a position is one ply more than the best value among the positions after its moves. In these the other side
is to move, so one half of a table determines the other half, with the help of the sub-endings. The rules settle the
rest: checkmate, stalemate, and en passant captures, which slots do not represent.

The file is a compact table, see :mod:`endgame_core.tables.file`, with the flag ``one_sided`` in its header. The frames
of the derived side are empty; their counts are stored like those of any other. Single positions are derived by the
rules of the game, frames many positions at once, and the whole side by compiled code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from endgame_core.errors import EndgameError, StorageError, TableError
from endgame_core.game import DigitFilter, Game, derived_code
from endgame_core.language import _
from endgame_core.system import cores
from endgame_core.tables.coders import DERIVED
from endgame_core.tables.file import (
    PROGRESS_INTERVAL,
    Copies,
    FrameCache,
    Table,
    silent,
)
from endgame_core.tables.header import read_header, sparse
from endgame_core.tables.numeric import np
from endgame_core.tables.tiling import consecutive_tiles
from endgame_core.tables.writing import (
    Check,
    Pack,
    SideFormat,
    compact_format,
    pack_frame,
    write_compact,
)
from endgame_core.untrusted import open_regular

if TYPE_CHECKING:
    from numpy.typing import NDArray

_CACHED_POSITIONS = 1 << 17
"""Derived values of single positions that a table caches."""
_SLOTS_AT_ONCE = 1 << 22
"""Slots that are compared at a time."""
_CHECKSUMS_DONE = 0.2
"""Part of a check that is done once the checksums are right."""


class TableSource(Protocol):
    """The store in which a lean table finds the other tables; a :class:`~endgame_core.tables.library.Library`."""

    game: Game[Any, Any]

    def table(self, ending: str, /) -> Table:
        """The open table of an ending."""
        ...

    def code(self, position: Any, /) -> int:
        """The code of a legal position."""
        ...

    def read_side(self, ending: str, side: int, threads: int, slot_digits: DigitFilter = (), /) -> Any:
        """The stored values of one side to move."""
        ...


def _derive_side(
    source: TableSource, ending: str, side: int, threads: int, slot_digits: DigitFilter = ()
) -> NDArray[Any]:
    """The values that a table would store of one side of an ending, derived from the other side by compiled code."""
    deriver = source.game.deriver
    assert deriver is not None, "its game has lean tables"

    def values(name: str, mover: int, slot_digits: DigitFilter = ()) -> Any:
        return source.read_side(name, mover, threads, slot_digits)

    return deriver.stored_side(ending, side, values, threads, slot_digits, source.table(ending).wide)


class LeanTable(Table):
    """A lean table open for reading.

    Args:
        path: See :class:`Table`.
        copies: See :class:`Table`.
        cache: See :class:`Table`.
        on_damage: See :class:`Table`.
        source: The tables of its sub-endings, and itself.

    Attributes:
        derived: The side to move that is not stored.
        deriver: Derives it.
    """

    one_sided = True

    def __init__(
        self, path: Path, copies: Copies, cache: FrameCache, on_damage: Callable[[], None], source: TableSource
    ) -> None:
        assert source.game.deriver is not None, "its game has lean tables"
        self._source = source
        self.deriver = source.game.deriver
        self._expanded: NDArray[Any] | None = None
        """The stored values of the derived side while the table is expanded."""
        super().__init__(path, copies, cache, on_damage)
        derived_sides = [side for side in range(2) if self.coders[side] == DERIVED]
        # One side is derived from the other, so exactly one must be stored. A table with one frame for each side has no
        # counts in the file: they are taken from both sides, so that none of them can be left out.
        if len(derived_sides) != 1 or self.frame_count == 2:
            raise self._broken(_("has a corrupt header"))
        self.derived = derived_sides[0]
        self._derived_code = lru_cache(_CACHED_POSITIONS)(self._derive_code)

    def _derive_code(self, slot: int) -> int:
        """The code of a canonical slot of the derived side, by the rules of the game."""
        game = self._source.game
        return derived_code(game, game.index.position_at(self.ending, self.derived, slot), self._source.code)

    def _derive_codes(self, slots: NDArray[np.int64]) -> NDArray[np.uint16]:
        """The codes of canonical slots of the derived side, many at once."""

        def codes(ending: str, side: int, slots: Any) -> Any:
            return self._source.table(ending).codes(side, slots)

        result = self.deriver.codes_at(self.ending, self.derived, slots, codes)
        # The deriver leaves out what needs the rules, e.g. en passant captures.
        for at in np.flatnonzero(result < 0).tolist():
            result[at] = self._derived_code(int(slots[at]))
        return result.astype(np.uint16)

    def _derived_values(self, threads: int, slot_digits: DigitFilter = ()) -> NDArray[Any]:
        """The values that would be stored of the derived side, 0 for slots that are not legal."""
        if self._expanded is not None:
            return self._expanded
        return _derive_side(self._source, self.ending, self.derived, threads, slot_digits)

    def expand(self, threads: int) -> None:
        """Derive the whole side that is not stored, and hold it in memory until :meth:`release`."""
        self._expanded = self._derived_values(threads)

    def release(self) -> None:
        """Release the memory of the derived side."""
        self._expanded = None

    def packed_frame(self, side: int, frame: int, positions: int) -> bytes:
        """The values that a full table would store of a frame."""
        if side != self.derived:
            return super().packed_frame(side, frame, positions)

        tiling = self.tilings[side]
        legal = self._boards(side, frame) > 0
        # The derived side has no checksum; this is what can be compared with the file.
        if np.count_nonzero(legal) != positions:
            raise self._broken(_("is corrupt in its counts"))
        slots = tiling.slots(frame)[legal]
        values = np.zeros(len(legal), self.dtype)
        if self._expanded is None:
            values[legal] = self._derive_codes(slots)  # the low byte of a code is its byte
        else:
            values[legal] = self._expanded[slots]
        return tiling.in_stored_order(values, frame)[tiling.in_stored_order(legal, frame)].tobytes()

    def code(self, side: int, slot: int) -> int:
        """The code of one canonical slot."""
        if side != self.derived:
            return super().code(side, slot)
        if self._expanded is None:
            return self._derived_code(slot)
        return self._codes[side][self._expanded[slot]]

    def codes(self, side: int, slots: NDArray[np.int64]) -> NDArray[np.uint16]:
        """The codes of many canonical slots with one side to move."""
        if side != self.derived:
            return super().codes(side, slots)
        if self._expanded is None:
            return self._derive_codes(slots)
        stored = self._expanded[slots]
        if self.wide:
            return stored
        return np.array(self._codes[side], np.uint16)[stored]

    def read_side(
        self, side: int, legal: NDArray[np.uint64], threads: int, slot_digits: DigitFilter = ()
    ) -> NDArray[Any]:
        """The stored values of one side, shape (slots,); the derived side is derived."""
        if side != self.derived:
            return super().read_side(side, legal, threads, slot_digits)
        return self._derived_values(threads, slot_digits)

    def all_stored(self, side: int, empty: int) -> NDArray[Any]:
        """As in :class:`Table`; expands the table, which derives by compiled code, if the side is not stored."""
        if side == self.derived:
            self.expand(cores())
        return super().all_stored(side, empty)

    def check(self, progress: Callable[[float], None] = silent) -> int:
        """Check every checksum, derive the side that is not stored, and compare all frames with the counts."""
        from concurrent.futures import ThreadPoolExecutor

        frames = super().check(lambda part: progress(_CHECKSUMS_DONE * part))
        self.expand(cores())
        values = self._derived_values(cores())
        legal = self._source.game.solver.canonical_bits(self.ending, self.derived, cores())
        tiling = self.tilings[self.derived]
        counts = self.counts

        def check_frame(frame: int) -> None:
            __, tally = pack_frame(values, legal, tiling, frame)
            number = self.frame_number(self.derived, frame)
            if not all(map(np.array_equal, tally, counts.tally_of(number))):
                raise self._broken(_("is corrupt in frame {number}, which is derived").format(number=number))

        with ThreadPoolExecutor(cores()) as pool:
            for done, __ in enumerate(pool.map(check_frame, range(tiling.frame_count))):
                if done % PROGRESS_INTERVAL == 0:
                    progress(_CHECKSUMS_DONE + (1 - _CHECKSUMS_DONE) * done / tiling.frame_count)
        return frames


def is_lean(path: Path) -> bool:
    """Whether a file is a lean table; False if it is damaged or cannot be read, which :func:`open_table` reports."""
    try:
        with open_regular(path) as file:
            header, __, __ = read_header(file.fileno())
            return header.one_sided
    except (OSError, ValueError):
        return False


def open_table(
    path: Path, copies: Copies, cache: FrameCache, on_damage: Callable[[], None], source: TableSource
) -> Table:
    """Open a table, lean or not; raises TableError. For the arguments see :class:`LeanTable`."""
    if source.game.deriver is None or not is_lean(path):
        return Table(path, copies, cache, on_damage, source.game.index.codes)
    return LeanTable(path, copies, cache, on_damage, source)


def refusal(table: Table, source: TableSource) -> EndgameError | None:
    """Why a table can have no lean form, or None if it can.

    Args:
        table: An open table.
        source: The tables of its sub-endings.
    """
    game = source.game
    if game.deriver is None:
        if game.metric.label:
            what = _("{metric_label} tables").format(metric_label=game.metric.label)
        else:
            what = _("tables of this game")
        return StorageError(
            _("{what} have no one-sided form; only DTM tables for chess do").format(what=what),
            _("leave out --lean"),
        )
    if table.frame_count == 2:
        return StorageError(
            _("{ending} is too small for a one-sided form").format(ending=table.ending), _("leave it as it is")
        )
    try:
        for need in game.needs(table.ending):
            source.table(need)
    except EndgameError as error:
        return error
    return None


def write_lean(
    table: Table,
    path: Path,
    source: TableSource,
    progress: Callable[[float], None] = silent,
    check: Check | None = None,
) -> int:
    """Write a table with only one side to move: the one that takes less space.

    The other side is first derived as a whole, and must agree with the table.

    Args:
        table: An open table that stores both sides.
        path: Final path, possibly the table's own.
        source: The tables of its sub-endings, and the table itself.
        progress: Called with the part done, 0 to 1.
        check: Called with the finished file before it becomes the table.

    Returns:
        The file's size in bytes.

    Raises:
        NotBuiltError: A sub-ending is not built.
        TableError: A frame is corrupt, or one side does not follow from the other.
        StorageError: The table can have no lean form, or cannot be written.
    """
    game = source.game
    error = refusal(table, source)
    if error is not None:
        raise error

    def packer(table: Table, side: int) -> Pack:
        legal = game.solver.canonical_bits(table.ending, side, cores())
        return partial(pack_frame, table.read_side(side, legal, cores()), legal)

    formats: list[SideFormat] = []
    sizes: list[float] = []
    for side in range(2):
        side_format, size = compact_format(table, side, packer(table, side))
        formats.append(side_format)
        sizes.append(size)
    # The larger side is left out.
    derived = int(sizes[1] > sizes[0])
    formats[derived] = (consecutive_tiles(table.header.axes), DERIVED)

    values = _derive_side(source, table.ending, derived, cores())
    legal = game.solver.canonical_bits(table.ending, derived, cores())
    stored = table.read_side(derived, legal, cores())
    if _differs(values, stored, legal):
        what = _("one side of {ending} cannot be derived from the other").format(ending=table.ending)
        raise TableError(what, _("run: endgame-tui verify {ending}").format(ending=table.ending))
    del values, stored, legal  # each may be as large as the disk has room for
    return write_compact(table, path, progress, formats, packer, check)


def differing(values: NDArray[Any], others: NDArray[Any], legal: NDArray[np.uint64]) -> Iterator[int]:
    """The legal slots in which two arrays of values differ, ascending.

    Args:
        values: Values of all slots.
        others: The values to compare them with.
        legal: Bitmap of the legal slots.
    """
    for start in range(0, len(values), _SLOTS_AT_ONCE):
        part = slice(start, start + _SLOTS_AT_ONCE)
        # A part begins with a whole word of the bitmap, as it has a multiple of 64 slots.
        differences = np.packbits(values[part] != others[part], bitorder="little").view(np.uint64)
        differences &= legal[start // 64 :][: len(differences)]
        if differences.any():
            yield from (start + np.flatnonzero(np.unpackbits(differences.view(np.uint8), bitorder="little"))).tolist()


def _differs(values: NDArray[Any], others: NDArray[Any], legal: NDArray[np.uint64]) -> bool:
    """Whether two arrays of values differ in a legal slot."""
    return next(differing(values, others, legal), None) is not None


def prove(table: LeanTable, source: TableSource) -> None:
    """Derive either side of an untrusted lean table from the other: its moves confirm the value of every position.

    Args:
        table: The table.
        source: The tables of its sub-endings, and the table itself.

    Raises:
        NotBuiltError: A sub-ending is not built.
        TableError: A checksum fails, a value does not follow from the others, or a count is wrong.
    """
    table.check()
    ending = table.ending
    stored_side = 1 - table.derived
    legal = source.game.solver.canonical_bits(ending, stored_side, cores())
    # ``check`` has left the derived side expanded. The stored side is now derived from it, in the opposite direction.
    values = _derive_side(source, ending, stored_side, cores())
    if _differs(values, table.read_side(stored_side, legal, cores()), legal):
        raise TableError(
            _("one side of {path} cannot be derived from the other").format(path=table.path.name),
            _("the table was not used"),
        )
    if any(sparse(_count_boards(table, side).tolist()) != table.totals[1][side] for side in range(2)):
        raise TableError(
            _("{path} has wrong counts of its positions").format(path=table.path.name), _("the table was not used")
        )


def _count_boards(table: LeanTable, side: int) -> NDArray[np.int64]:
    """The number of boards by stored value.

    Most canonical positions occur on the same number of boards, so their counts are multiplied by it. Frames in which
    some occur on fewer boards, because a symmetry maps them to themselves, are then corrected one by one.
    """
    tiling = table.tilings[side]
    first = table.frame_number(side, 0)
    most_boards = table.deriver.copies(table.ending)
    result = most_boards * table.counts.total(first, first + tiling.frame_count)
    for frame in range(tiling.frame_count):
        box = tiling.ranges(frame)
        if table.deriver.has_twins(table.ending, box):
            boards = table.copies(side, box)
            missing = np.where(boards > 0, most_boards - boards.astype(np.int64), 0)
            values, __ = table.unpacked_frame(side, frame)
            result -= np.bincount(values, missing, minlength=len(result)).astype(np.int64)
    return result

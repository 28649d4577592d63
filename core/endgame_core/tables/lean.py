"""Lean tables: one side to move is stored, the other is derived from it one ply deep.

A position is worth a ply more than the best of those its moves lead to, and in these the other side is to move: so
half of a table tells the other half, with the help of the sub-endings. The rules settle the rest: mate, stalemate, and
captures en passant, of which slots know nothing.

The file is a compact table, see :mod:`endgame_core.tables.file`, whose first bytes end in 3, or 5 where
codes are stored. The frames of the derived
side are empty there; their counts are stored as those of any other. Its single positions are derived by the rules of
the game, its frames many positions at once, and the whole of it by compiled code, whichever is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from endgame_core.errors import EndgameError, StorageError, TableError
from endgame_core.game import DigitFilter, Game, derived_code
from endgame_core.tables.file import (
    DERIVED,
    LEAN,
    LEAN_WIDE,
    TOLD,
    Check,
    Copies,
    FrameCache,
    Pack,
    Table,
    compact_way,
    pack_frame,
    plain,
    silent,
    sparse,
    write_compact,
)
from endgame_core.tables.mmap_arrays import cores
from endgame_core.tables.numeric import np
from endgame_core.untrusted import open_regular

if TYPE_CHECKING:
    from numpy.typing import NDArray

_KEPT = 1 << 17
"""Derived values of single positions that a table remembers."""
_AT_ONCE = 1 << 22
"""Slots that are compared at a time."""
_STORED = 0.2
"""Part of a check that is done when the checksums are right."""


class TableSource(Protocol):
    """The tables among which a lean one stands; a :class:`~endgame_core.tables.library.Library`."""

    game: Game[Any, Any]

    def table(self, ending: str, /) -> Table:
        """The open table of an ending."""
        ...

    def code(self, position: Any, /) -> int:
        """The code of a legal position."""
        ...

    def read_side(self, ending: str, side: int, threads: int, wanted: DigitFilter = (), /) -> Any:
        """Codes of one side to move."""
        ...


def _whole(among: TableSource, ending: str, side: int, threads: int, wanted: DigitFilter = ()) -> NDArray[Any]:
    """What would be stored of one side to move of an ending, derived."""
    deriver = among.game.deriver
    assert deriver is not None, "its game has lean tables"

    def codes(name: str, mover: int, wanted: DigitFilter = ()) -> Any:
        return among.read_side(name, mover, threads, wanted)

    return deriver.all_codes(ending, side, codes, threads, wanted, among.table(ending).wide)


class LeanTable(Table):
    """A lean table open for reading; arguments as for a table, and the tables of its game.

    Attributes:
        derived: The side to move that is not stored.
        deriver: Derives it.
    """

    magics = (LEAN, LEAN_WIDE)

    def __init__(
        self, path: Path, copies: Copies, cache: FrameCache, on_damage: Callable[[], None], among: TableSource
    ) -> None:
        assert among.game.deriver is not None, "its game has lean tables"
        self._among, self.deriver = among, among.game.deriver
        self._whole: NDArray[Any] | None = None
        super().__init__(path, copies, cache, on_damage)
        sides = [side for side in range(2) if self.coders[side] == DERIVED]
        if len(sides) != 1 or self.frames == 2:
            raise self._broken("has a corrupt header")
        self.derived = sides[0]
        self._one = lru_cache(_KEPT)(self._derive_one)

    def _derive_one(self, slot: int) -> int:
        game = self._among.game
        return derived_code(game, game.index.position_at(self.ending, self.derived, slot), self._among.code)

    def _derive_some(self, slots: NDArray[np.int64]) -> NDArray[np.uint16]:
        """The codes of canonical slots of the derived side."""

        def values(ending: str, side: int, slots: Any) -> Any:
            return self._among.table(ending).values(side, slots)

        result = self.deriver.values_at(self.ending, self.derived, slots, values)
        for at in np.flatnonzero(result < 0).tolist():
            result[at] = self._one(int(slots[at]))
        return result.astype(np.uint16)

    def _derive_all(self, threads: int, wanted: DigitFilter = ()) -> NDArray[Any]:
        """What would be stored of the derived side, 0 for slots that are not kept."""
        if self._whole is not None:
            return self._whole
        return _whole(self._among, self.ending, self.derived, threads, wanted)

    def expand(self, threads: int) -> None:
        """Derives the whole side that is not stored, and holds it."""
        self._whole = self._derive_all(threads)

    def release(self) -> None:
        """The side that is not stored is held no longer."""
        self._whole = None

    def packed(self, side: int, frame: int, kept: int) -> bytes:
        """What a table would store of a frame."""
        if side != self.derived:
            return super().packed(side, frame, kept)
        tiling = self.tilings[side]
        here = self._boards(side, frame) > 0
        if np.count_nonzero(here) != kept:
            raise self._broken("is corrupt in its counts")
        slots = tiling.slots(frame)
        codes = np.zeros(len(slots), self.dtype)
        # A byte is the low one of its code.
        codes[here] = self._derive_some(slots[here]) if self._whole is None else self._whole[slots[here]]
        return tiling.turned(codes, frame)[tiling.turned(here, frame)].tobytes()

    def value(self, side: int, slot: int) -> int:
        """The code of one canonical slot."""
        if side != self.derived:
            return super().value(side, slot)
        return self._one(slot) if self._whole is None else self._meaning[side][self._whole[slot]]

    def values(self, side: int, slots: NDArray[np.int64]) -> NDArray[np.uint16]:
        """The same of many slots of one side to move."""
        if side != self.derived:
            return super().values(side, slots)
        if self._whole is None:
            return self._derive_some(slots)
        result = self._whole[slots]
        return result if self.wide else np.array(self._meaning[side], np.uint16)[result]

    def read_side(self, side: int, kept: NDArray[np.uint64], threads: int, wanted: DigitFilter = ()) -> NDArray[Any]:
        """What is stored of one side; the derived one is worked out."""
        if side != self.derived:
            return super().read_side(side, kept, threads, wanted)
        return self._derive_all(threads, wanted)

    def all_stored(self, side: int, empty: int) -> NDArray[Any]:
        """What is stored of one side, ``empty`` for slots that are not kept; the derived one by compiled code."""
        if side == self.derived:
            self.expand(cores())
        return super().all_stored(side, empty)

    def check(self, progress: Callable[[float], None] = silent) -> int:
        """Checks every checksum, derives what is not stored, and that all frames hold what the counts say."""
        frames = super().check(lambda part: progress(_STORED * part))
        self.expand(cores())
        codes, kept = (
            self._derive_all(cores()),
            self._among.game.solver.canonical_bits(self.ending, self.derived, cores()),
        )
        tiling, counts = self.tilings[self.derived], self.counts

        def check(frame: int) -> None:
            """Holds a frame against the counts."""
            result, number = pack_frame(codes, kept, tiling, frame)[1], self.number(self.derived, frame)
            if not all(map(np.array_equal, result, counts.at(number))):
                raise self._broken(f"is corrupt in frame {number}, which is derived")

        with ThreadPoolExecutor(cores()) as pool:
            for done, _ in enumerate(pool.map(check, range(tiling.frames))):
                if done % TOLD == 0:
                    progress(_STORED + (1 - _STORED) * done / tiling.frames)
        return frames


def is_lean(path: Path) -> bool:
    """Whether a file begins as a lean table; not, where it cannot be read, which is told where it is opened."""
    try:
        with open_regular(path) as file:
            return file.read(len(LEAN)) in LeanTable.magics
    except OSError:
        return False


def opened(path: Path, copies: Copies, cache: FrameCache, on_damage: Callable[[], None], among: TableSource) -> Table:
    """A table open for reading, lean or not; raises TableError."""
    if among.game.deriver is None or not is_lean(path):
        return Table(path, copies, cache, on_damage, among.game.index.codes)
    return LeanTable(path, copies, cache, on_damage, among)


def refusal(table: Table, among: TableSource) -> EndgameError | None:
    """Why a table can have no lean form; None where it can.

    Args:
        table: An open table.
        among: The tables, those of its sub-endings among them.
    """
    game = among.game
    if game.deriver is None:
        what = "DTZ tables" if game.metric == "dtz" else "tables of this game"
        return StorageError(f"{what} have no lean form: it is for chess by DTM", "leave out --lean")
    if table.frames == 2:
        return StorageError(f"{table.ending} is too small for a lean form", "leave it as it is")
    try:
        for need in game.needs(table.ending):
            among.table(need)
    except EndgameError as error:
        return error
    return None


def write_lean(
    table: Table,
    path: Path,
    among: TableSource,
    progress: Callable[[float], None] = silent,
    check: Check | None = None,
) -> int:
    """Writes a table with that side to move only that takes less room.

    The other side is first derived as a whole, and must be what the table says.

    Args:
        table: An open table that stores both sides.
        path: Final path, possibly the table's own.
        among: The tables, those of its sub-endings among them.
        progress: Told the part done, 0 to 1, now and then.
        check: Called with the finished file before it becomes the table.

    Returns:
        The file's size in bytes.

    Raises:
        NotBuiltError: A sub-ending is not built.
        TableError: A frame is corrupt, or one side does not follow from the other.
        StorageError: There is no lean form of the table, or it cannot be written.
    """
    game = among.game
    if (why := refusal(table, among)) is not None:
        raise why

    def packer(table: Table, side: int) -> Pack:
        kept = game.solver.canonical_bits(table.ending, side, cores())
        return partial(pack_frame, table.read_side(side, kept, cores()), kept)

    (first, first_size), (second, second_size) = (compact_way(table, side, packer(table, side)) for side in range(2))
    derived = int(second_size > first_size)
    ways = [first, second]
    ways[derived] = plain(table.header.axes), DERIVED
    result, kept = (
        _whole(among, table.ending, derived, cores()),
        game.solver.canonical_bits(table.ending, derived, cores()),
    )
    told = table.read_side(derived, kept, cores())
    if any(True for _ in differing(result, told, kept)):
        what = f"one side of {table.ending} does not follow from the other"
        raise TableError(what, f"see: endgame-tui verify {table.ending}")
    del result, told, kept  # each may be as large as the disk has room for
    return write_compact(table, path, progress, ways, packer, check)


def differing(found: NDArray[Any], told: NDArray[Any], kept: NDArray[np.uint64]) -> Iterator[int]:
    """The slots that are kept, and in which codes differ."""
    for start in range(0, len(found), _AT_ONCE):
        part = slice(start, start + _AT_ONCE)
        differ = np.packbits(found[part] != told[part], bitorder="little").view(np.uint64)
        differ &= kept[start // 64 :][: len(differ)]
        if differ.any():
            yield from (start + np.flatnonzero(np.unpackbits(differ.view(np.uint8), bitorder="little"))).tolist()


def prove(table: LeanTable, among: TableSource) -> None:
    """Derives either side of a lean table from the other: every position has the value that its moves give it.

    Args:
        table: A table of which nothing is believed.
        among: The tables, it among them.

    Raises:
        NotBuiltError: A sub-ending is not built.
        TableError: A checksum fails, a value does not follow from the others, or a count is wrong.
    """
    table.check()
    ending, stored = table.ending, 1 - table.derived
    kept = among.game.solver.canonical_bits(ending, stored, cores())
    result = _whole(among, ending, stored, cores())
    if any(True for _ in differing(result, table.read_side(stored, kept, cores()), kept)):
        raise TableError(f"one side of {table.path.name} does not follow from the other", "nothing is believed of it")
    if any(sparse(_boards(table, side).tolist()) != table.totals[1][side] for side in range(2)):
        raise TableError(f"{table.path.name} miscounts its boards", "nothing is believed of it")


def _boards(table: LeanTable, side: int) -> NDArray[np.int64]:
    """Boards by what is stored: of frames where some positions stand on fewer than others, one by one."""
    tiling, first = table.tilings[side], table.number(side, 0)
    most = table.deriver.copies(table.ending)
    result = most * table.counts.total(first, first + tiling.frames)
    for frame in range(tiling.frames):
        box = tiling.ranges(frame)
        if table.deriver.has_twins(table.ending, box):
            copies = table.copies(side, box)
            missing = np.where(copies > 0, most - copies.astype(np.int64), 0)
            result -= np.bincount(table.unpacked(side, frame)[0], missing, minlength=len(result)).astype(np.int64)
    return result

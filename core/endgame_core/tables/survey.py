r"""What an ending is like: how often it is won, how deep, its mutual zugzwangs, and what its moves are like.

Results and depths come from the counts of the table. All else takes a look at every position; it is found out once, in
the building process, and kept beside the table in a small file::

    magic     8 bytes  b"ENDGABT\x01" (the last byte is the version)
    length    uint32   bytes of what follows
    checksum  uint32   CRC-32 of it
    survey    zstd     JSON, see :class:`Survey`

The file says which table it was made from: its size, and the checksum of its header, which has those of all else. Of a
file that is torn, or of another table, nothing is used: the survey is made again.
"""

from __future__ import annotations

import json
import struct
import zlib
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from endgame_core.errors import StorageError
from endgame_core.game import DigitFilter, Game, KindCount, SolveProgress
from endgame_core.paths import is_writable, storage_errors, surveys_dir, whole
from endgame_core.tables import mmap_arrays
from endgame_core.tables.file import PREFIX, Table, fits, zstd
from endgame_core.tables.library import ABOUT, Library
from endgame_core.tables.numeric import np
from endgame_core.untrusted import read_regular
from endgame_core.values import WINNERS, Category, Winner

T = TypeVar("T")

MAGIC = b"ENDGABT\x01"
_LARGEST = 1 << 28
_CHUNK = 1 << 18
"""Words of 64 slots in which zugzwangs are looked for at once."""
_SECONDS = 7e-8
"""Seconds on two cores in which a position is looked at, as endings of five and six men take them on the average."""
_READ, _MOVES = 0.15, 0.8
"""Part of the work that is reading, and looking at the moves."""

ZUGZWANGS = ("white", "black", "full_point")
"""Kinds of mutual zugzwangs: White wins with Black to move and draws with White to move; the same for Black; whoever
moves loses."""

_MOVES_LAST = {"white": 1, "black": 0, "full_point": 0}
"""Whose move a zugzwang is shown with: of the side that loses by it."""

_NUMBER = range(1 << 48)
_SHAPE = {
    "table": (_NUMBER, _NUMBER), "hanging": [(_NUMBER,) * 3],
    "zugzwangs": {kind: [_NUMBER] for kind in ZUGZWANGS},
    "found": [{"kind": str, "side": range(2), "count": _NUMBER, "depth": _NUMBER, "slot": _NUMBER}],
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Survey:
    """What is kept of an ending besides its table.

    Attributes:
        table: Size of the table, and the checksum of its header.
        hanging: For each side to move, boards on which it can take a man for nothing, by its result: win, draw, loss.
            Empty in a game where nothing ever hangs.
        zugzwangs: Slots of the mutual zugzwangs, by kind, ascending. Where both sides have the same men, one of each
            arrangement and its copy with the colours exchanged; :meth:`About.zugzwangs` returns both.
        found: Kinds of positions with how many there are, and the deepest of them.
    """

    table: list[int]
    hanging: list[list[int]]
    zugzwangs: dict[str, list[int]]
    found: list[KindCount]


def file_of(library: Library, ending: str) -> Path:
    """Where a survey is or would be."""
    return library.directory / f"{ending}{ABOUT}"


def _file_elsewhere(table: Table) -> Path:
    """Where the survey of a table is or would be if the user's tables are read-only; tables of one name may differ."""
    size, checksum = table.fingerprint
    return surveys_dir() / f"{table.path.stem}.{size}.{checksum:08x}{ABOUT}"


def known(library: Library, ending: str) -> Survey | None:
    """The survey of a built ending; None where there is none of this table.

    Raises:
        NotBuiltError: The ending is not built.
        TableError: Its table cannot be read.
    """
    table = library.table(ending)
    own = file_of(library, ending)
    candidates = [own, table.path.with_name(own.name)]
    with suppress(StorageError):  # where nothing can be written, nothing was stored elsewhere
        candidates.append(_file_elsewhere(table))
    for path in candidates:
        if path.is_file() and (result := _read(path, table)) is not None:
            return result
    return None


def _read(path: Path, table: Table) -> Survey | None:
    """The survey in a file; None where it is not one of this table."""
    try:
        data = read_regular(path)
        magic, length, checksum = PREFIX.unpack(data[: PREFIX.size])
        body = data[PREFIX.size :]
        if magic != MAGIC or len(body) != length or zlib.crc32(body) != checksum:
            return None
        told: Any = json.loads(zstd.ZstdDecompressor().decompress(body, max_length=_LARGEST))
    except (OSError, struct.error, zstd.ZstdError, ValueError, RecursionError):
        return None
    if not fits(told, _SHAPE) or tuple(told["table"]) != table.fingerprint:
        return None
    result = [KindCount(**row) for row in told["found"]]
    return Survey(told["table"], told["hanging"], told["zugzwangs"], result)


def seconds(game: Game[Any, Any], ending: str) -> float:
    """About how long it takes on two cores to look at all moves of an ending."""
    return _SECONDS * game.expected_positions(ending)


def memory(library: Library, ending: str) -> int:
    """Bytes of memory that looking at all moves of an ending takes; of one that is not built yet, at most.

    Raises:
        TableError: Its table cannot be read.
    """
    wide = library.table(ending).wide if library.is_built(ending) else True
    return library.game.solver.survey_memory(ending, wide)


def make(library: Library, ending: str, threads: int, on_progress: Callable[[SolveProgress], None]) -> Survey:
    """Looks at all positions of a built ending and keeps what it finds; in the building process.

    Args:
        library: The tables; the survey goes into their directory.
        ending: A built ending, all endings that its moves lead to being built, too.
        threads: Threads to work with.
        on_progress: Told how far it has come; what it raises stops it.

    Raises:
        NotBuiltError: A table is missing.
        TableError: A table is damaged.
        StorageError: The survey cannot be written.
    """
    library.check_moves(ending)
    game, table = library.game, library.table(ending)
    mark = list(table.fingerprint)

    reached = 0.0

    def codes(name: str, side: int, wanted: DigitFilter = ()) -> Any:
        if not reached:  # what is read later on is read block by block, between moves that are looked at
            on_progress(SolveProgress(phase=f"reading {name}", ahead=_READ))
        return library.read_side(name, side, threads, wanted)

    def moves(found: SolveProgress) -> None:
        nonlocal reached
        part = _READ + (_MOVES - _READ) * found.part
        if found.part:
            reached = part
        on_progress(SolveProgress(phase="looking at moves", done=found.done, total=found.total, part=part, ahead=part))

    zugzwangs: dict[str, list[int]] = {kind: [] for kind in ZUGZWANGS}
    hanging, kinds = list[list[int]](), list[KindCount]()

    def go_on() -> None:
        on_progress(SolveProgress(phase="zugzwangs", part=reached, ahead=reached))

    with ExitStack() as expanded:
        for name in (*game.needs(ending), ending):
            if library.table(name).form == "lean" and game.index.slots(name) > mmap_arrays.HELD:
                on_progress(SolveProgress(phase=f"reading {name}", ahead=_READ))
                expanded.callback(library.table(name).release)
                library.table(name).expand(threads)  # once, not for each block of it
        for examined in game.solver.examine(ending, codes, threads, moves):
            for kind, slots in _zugzwangs(examined.results, go_on).items():
                zugzwangs[kind] += [examined.first_slot + slot for slot in slots]
            hanging, kinds = examined.hanging, examined.kinds
            del examined
    if _alike(game, ending):
        zugzwangs = _once(game, ending, zugzwangs)
    survey = Survey(mark, hanging, zugzwangs, kinds)
    path = file_of(library, ending)
    if not is_writable(path.parent):
        path = _file_elsewhere(table)
    with storage_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        body = zstd.compress(json.dumps(asdict(survey), separators=(",", ":")).encode(), 6)
        with whole(path) as out:
            out.write(PREFIX.pack(MAGIC, len(body), zlib.crc32(body)) + body)
    return survey


def _zugzwangs(results: Any, go_on: Callable[[], None]) -> dict[str, list[int]]:
    """The slots where the side to move would rather not be, whoever it is; both positions are legal."""
    result: dict[str, list[int]] = {kind: [] for kind in ZUGZWANGS}
    for start in range(0, len(results[0]), _CHUNK):
        go_on()
        lost, drawn = zip(
            *((side[:, 0] & ~side[:, 1], side[:, 0] & side[:, 1]) for side in (r[start:][:_CHUNK] for r in results)),
            strict=True,
        )
        kinds = lost[1] & drawn[0], lost[0] & drawn[1], lost[0] & lost[1]
        for kind, words in zip(ZUGZWANGS, kinds, strict=True):
            some = np.flatnonzero(words)
            bits = np.unpackbits(words[some].astype("<u8").view(np.uint8), bitorder="little").reshape(-1, 64)
            at, bit = np.nonzero(bits)
            result[kind] += (64 * (start + some[at]) + bit).tolist()
    return result


def _alike(game: Game[Any, Any], ending: str) -> bool:
    """Whether both sides have the same men."""
    sides = [sorted(man.removeprefix(color) for man in game.men(ending) if man.startswith(color)) for color in WINNERS]
    return sides[0] == sides[1]


def _once(game: Game[Any, Any], ending: str, found: dict[str, list[int]]) -> dict[str, list[int]]:
    """One of each arrangement and its copy with colours exchanged: those of Black are copies of White's."""
    full = [slot for slot in found["full_point"] if slot <= _exchanged(game, ending, slot)]
    return {"white": found["white"], "black": [], "full_point": full}


def _exchanged(game: Game[Any, Any], ending: str, slot: int) -> int:
    """The slot of an arrangement of equal sides once their colours are exchanged."""
    swapped = game.with_colours_swapped(game.index.position_at(ending, 0, slot))
    return game.index.slot_of(game.with_side_switched(swapped) or swapped).index


# What is told


Results = dict[str, int]


@dataclass(frozen=True, slots=True)
class Depths:
    """How deep the wins of one side are, over all placements, either side to move.

    Attributes:
        counts: Boards by plies to the end.
    """

    counts: dict[int, int]

    @property
    def mean(self) -> float:
        """The mean depth in plies."""
        return sum(n * boards for n, boards in self.counts.items()) / sum(self.counts.values())

    def share(self, part: float) -> int:
        """The least depth that such a part of all wins does not exceed."""
        wanted, reached = part * sum(self.counts.values()), 0
        for n, boards in sorted(self.counts.items()):
            reached += boards
            if reached >= wanted:
                return n
        return 0

    @property
    def deepest(self) -> int:
        """The depth of the deepest win."""
        return max(self.counts)


_RESULTS = ("draw", "win", "loss")
"""By the sign of a category."""


@dataclass(frozen=True, slots=True)
class ShownPosition:
    """A position that is told of.

    Attributes:
        kind: Why: ``wins`` for one of the deepest, a kind of positions, or a kind of zugzwangs.
        learner: Whose it is to win, or to hold where it is a draw.
        position: It.
    """

    kind: str
    learner: Winner
    position: Any


@dataclass(frozen=True, slots=True)
class PositionGroup:
    """Positions that are told of together.

    Attributes:
        name: ``wins``, ``deepest`` or ``zugzwang``.
        kind: Whose deepest wins; which kind of zugzwangs.
        positions: They, in the order of the table, each made when it is asked for.
    """

    name: str
    kind: str
    positions: Sequence[ShownPosition]


class _Made(Sequence[T]):
    """So many things, each made from its number when it is asked for."""

    def __init__(self, length: int, make: Callable[[int], T]) -> None:
        self._length, self._make = length, make

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, number: Any) -> Any:
        return self._make(range(self._length)[number])


class _Value(NamedTuple):
    """What positions with one side to move are worth.

    Attributes:
        side: Side to move.
        kept: The side that the table keeps for it.
        code: Their code there.
        category: What that means.
        n: The plies.
        boards: How many there are.
    """

    side: int
    kept: int
    code: int
    category: Category
    n: int | None
    boards: int

    @property
    def winner(self) -> Winner:
        """Who wins; of a draw, nobody cares."""
        return WINNERS[self.side if self.category.sign > 0 else 1 - self.side]


class EndingProfile:
    """All that is told of a built ending.

    Args:
        library: The tables.
        ending: A built ending.
        dtz: The tables by DTZ, which tell of the 50-move rule.

    Raises:
        NotBuiltError: It is not built.
        TableError: Its table cannot be read.
    """

    def __init__(self, library: Library, ending: str, dtz: Library | None = None) -> None:
        self.library, self.game, self.ending = library, library.game, ending
        self.table = library.table(ending)
        self._dtz = dtz if dtz is not None and dtz.is_built(ending) else None

    @property
    def seconds(self) -> float:
        """About how long it takes on two cores to look at all its moves."""
        return seconds(self.game, self.ending)

    @cached_property
    def survey(self) -> Survey | None:
        """What is kept besides the table; None where it has not been made."""
        return known(self.library, self.ending)

    def _values(self, library: Library) -> Iterator[_Value]:
        """What all positions are worth; where a table has one side to move only, the other is its copy."""
        table = library.table(self.ending)
        for side in range(2):
            kept = side if table.used(side) else 1 - side
            for code in table.used(kept):
                yield _Value(side, kept, code, *library.game.index.value(code), table.boards(kept, code))

    @property
    def results(self) -> dict[Winner, Results]:
        """Boards by result, for each side to move."""
        result: dict[Winner, Results] = {winner: {"win": 0, "draw": 0, "loss": 0} for winner in WINNERS}
        for value in self._values(self.library):
            result[WINNERS[value.side]][_RESULTS[value.category.sign]] += value.boards
        return result

    @property
    def steady(self) -> dict[Winner, Results] | None:
        """The same without the positions in which the side to move can take a man for nothing; None if not known."""
        if self.survey is None or not self.survey.hanging:
            return None
        return {
            winner: {name: boards - self.survey.hanging[side][at] for at, (name, boards) in enumerate(found.items())}
            for side, (winner, found) in enumerate(self.results.items())
        }

    @property
    def depths(self) -> dict[Winner, Depths]:
        """How deep the wins of those are who ever win."""
        result: dict[Winner, dict[int, int]] = {winner: {} for winner in WINNERS}
        for value in self._values(self.library):
            if value.n is not None:
                counts = result[value.winner]
                counts[value.n] = counts.get(value.n, 0) + value.boards
        return {winner: Depths(counts) for winner, counts in result.items() if counts}

    @property
    def cursed(self) -> dict[Winner, float] | None:
        """Which part of each side's wins the 50-move rule makes a draw; None where no table by DTZ tells."""
        if self._dtz is None:
            return None
        won = {winner: [0, 0] for winner in WINNERS}
        for value in self._values(self._dtz):
            if value.n is not None:
                won[value.winner][value.category in (Category.CURSED_WIN, Category.BLESSED_LOSS)] += value.boards
        return {winner: late / (soon + late) for winner, (soon, late) in won.items() if soon + late}

    def deepest_wins(self, winner: Winner) -> Sequence[Any]:
        """All canonical positions of the last layer of a side; of a table with one side only also their copies."""
        n, table = self.depths[winner].deepest, self.table
        last = [value for value in self._values(self.library) if value.n == n and value.winner == winner]
        ends = [*accumulate(table.canonical(value.kept, value.code) for value in last)]

        def position(number: int) -> Any:
            at = bisect_right(ends, number)
            value = last[at]
            slot = table.slot_with(value.kept, value.code, number - (ends[at - 1] if at else 0))
            result = self.game.index.position_at(self.ending, value.kept, slot)
            return result if value.kept == value.side else self.game.with_colours_swapped(result)

        return _Made(ends[-1], position)

    @property
    def groups(self) -> Iterator[PositionGroup]:
        """The positions that are told of: each side's deepest wins, the deepest of each kind, the zugzwangs."""
        for side in self.depths:
            yield PositionGroup("wins", side, self._shown(self.deepest_wins(side), side))
        if self.survey is None:
            return
        result = self.survey.found
        yield PositionGroup(
            "deepest", "", [ShownPosition(one.kind, WINNERS[one.side], self.deepest(one)) for one in result]
        )
        for kind in ZUGZWANGS:
            yield PositionGroup("zugzwang", kind, self.zugzwangs(kind))

    def _shown(self, wins: Sequence[Any], side: Winner) -> Sequence[ShownPosition]:
        return _Made(len(wins), lambda number: ShownPosition("wins", side, wins[number]))

    def zugzwangs(self, *kinds: str) -> Sequence[ShownPosition]:
        """The mutual zugzwangs of some kinds, by kind; all of them by default.

        Where both sides have the same men, Black has as many as White, each with the colours exchanged.
        """
        result = [entry for kind in kinds or ZUGZWANGS for entry in self._zugzwang_slots(kind)]

        def make(number: int) -> ShownPosition:
            kind, slot, is_copy = result[number]
            mover = _MOVES_LAST[kind]
            if is_copy:  # only now, for to exchange the colours of all takes long
                slot = _exchanged(self.game, self.ending, slot)
            return ShownPosition(kind, WINNERS[1 - mover], self.game.index.position_at(self.ending, mover, slot))

        return _Made(len(result), make)

    def _zugzwang_slots(self, kind: str) -> list[tuple[str, int, bool]]:
        """The kind, a stored slot, and whether its copy with the colours exchanged is meant, of all of a kind."""
        if self.survey is None:
            return []
        stored = self.survey.zugzwangs
        result = [(kind, slot, False) for slot in stored[kind]]
        if not _alike(self.game, self.ending):
            return result
        if kind == "black":
            return [(kind, slot, True) for slot in stored["white"]]
        if kind == "full_point":
            result += [(kind, slot, True) for slot in self._unlike_copies]
        return result

    @cached_property
    def _unlike_copies(self) -> list[int]:
        """The stored slots of zugzwangs of both sides that are another arrangement with the colours exchanged."""
        assert self.survey is not None
        full = self.survey.zugzwangs["full_point"]
        return [slot for slot in full if slot != _exchanged(self.game, self.ending, slot)]

    def deepest(self, found: KindCount) -> Any:
        """The deepest position of a kind."""
        if found.kind != "en_passant":
            return self.game.index.position_at(self.ending, found.side, found.slot)
        slot, target = divmod(found.slot, 64)
        position = self.game.index.position_at(self.ending, found.side, slot)
        position.ep_square = target
        return position

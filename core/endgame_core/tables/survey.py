r"""The survey of an ending: mutual zugzwangs, hanging pieces and rare positions; with statistics of its table.

Results and depths come from the counts that the table stores. Everything else requires an examination of all moves from
every position. That is done once, in the build process, and stored beside the table in a small file::

    magic     8 bytes  b"ENDGABT\x01" (the last byte is the version)
    length    uint32   bytes of the compressed survey
    checksum  uint32   CRC-32 of the compressed survey
    survey    zstd     JSON, see :class:`Survey`

The survey records the fingerprint of the table that it was made from: the size of the file and the checksum of its
header, which in turn contains the checksums of all other parts. A damaged file, or one that belongs to another table,
is ignored, and the survey is made again.
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
from endgame_core.language import _
from endgame_core.paths import atomic_write, is_writable, storage_errors, surveys_dir
from endgame_core.tables import mmap_arrays
from endgame_core.tables.coders import zstd
from endgame_core.tables.file import Table
from endgame_core.tables.header import PREFIX
from endgame_core.tables.library import Library
from endgame_core.tables.numeric import np
from endgame_core.tables.table_files import ABOUT
from endgame_core.untrusted import has_shape, read_regular
from endgame_core.values import WINNERS, Category, Winner

T = TypeVar("T")

MAGIC = b"ENDGABT\x01"
_MAX_JSON_BYTES = 1 << 28
_WORDS_PER_CHUNK = 1 << 18
"""Words of 64 slots that are searched for zugzwangs at once."""
_SECONDS_PER_POSITION = 7e-8
"""Seconds to examine a position on two cores; the average over endings of five and six pieces."""

_READING_DONE = 0.15
"""Part of the work that is done once the tables are read."""
_MOVES_DONE = 0.8
"""Part of the work that is done once all moves are examined."""

ZUGZWANGS = ("white", "black", "full_point")
"""Kinds of mutual zugzwangs: White wins with Black to move and draws with White to move; the same for Black; whoever
moves loses."""

_MOVER_OF_ZUGZWANG = {"white": 1, "black": 0, "full_point": 0}
"""Side to move with which a zugzwang is displayed: the side that loses because it has to move."""

_NUMBER = range(1 << 48)
_SHAPE = {
    "table": (_NUMBER, _NUMBER), "hanging": [(_NUMBER,) * 3],
    "zugzwangs": {kind: [_NUMBER] for kind in ZUGZWANGS},
    "found": [{"kind": str, "side": range(2), "count": _NUMBER, "depth": _NUMBER, "slot": _NUMBER}],
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Survey:
    """The results of an examination of all moves of an ending.

    Attributes:
        table: Fingerprint of the table: its size and the checksum of its header.
        hanging: For each side to move, the number of boards on which it can capture a hanging piece, by its result:
            win, draw, loss. Empty in a game without captures of this kind.
        zugzwangs: Slots of the mutual zugzwangs, by kind, ascending. If both sides have the same pieces, only one of
            each position and its copy with colours exchanged; :meth:`EndingProfile.zugzwangs` returns both.
        kinds: Kinds of positions with their counts, and the deepest position of each. Stored as ``found``.
    """

    table: list[int]
    hanging: list[list[int]]
    zugzwangs: dict[str, list[int]]
    kinds: list[KindCount]

    def to_json(self) -> bytes:
        """The survey as its file stores it, uncompressed."""
        fields = asdict(self)
        fields["found"] = fields.pop("kinds")
        return json.dumps(fields, separators=(",", ":")).encode()


def file_of(library: Library, ending: str) -> Path:
    """The path of a survey in the library's directory, whether the file exists or not."""
    return library.directory / f"{ending}{ABOUT}"


def _cache_file(table: Table) -> Path:
    """Return the path of a survey whose table is in a read-only directory; it contains the fingerprint of the table."""
    size, checksum = table.fingerprint
    return surveys_dir() / f"{table.path.stem}.{size}.{checksum:08x}{ABOUT}"


def load(library: Library, ending: str) -> Survey | None:
    """The survey of a built ending, or None if there is no survey of this table.

    Raises:
        NotBuiltError: The ending is not built.
        TableError: Its table cannot be read.
    """
    table = library.table(ending)
    user_file = file_of(library, ending)
    # The user's own survey comes first, then the one beside a read-only table, and last our own of such a table.
    candidates = [user_file, table.path.with_name(user_file.name)]
    with suppress(StorageError):  # no cache directory that can be written, hence no survey there
        candidates.append(_cache_file(table))

    for path in candidates:
        if not path.is_file():
            continue
        survey = _read(path, table)
        if survey is not None:
            return survey
    return None


def _read(path: Path, table: Table) -> Survey | None:
    """The survey in a file, or None if the file is damaged or belongs to another table."""
    try:
        data = read_regular(path)
        magic, length, checksum = PREFIX.unpack(data[: PREFIX.size])
        body = data[PREFIX.size :]
        if magic != MAGIC or len(body) != length or zlib.crc32(body) != checksum:
            return None
        fields: Any = json.loads(zstd.ZstdDecompressor().decompress(body, max_length=_MAX_JSON_BYTES))
    except (OSError, struct.error, zstd.ZstdError, ValueError, RecursionError):
        return None

    if not has_shape(fields, _SHAPE) or tuple(fields["table"]) != table.fingerprint:
        return None
    kinds = [KindCount(**row) for row in fields["found"]]
    return Survey(fields["table"], fields["hanging"], fields["zugzwangs"], kinds)


def estimated_seconds(game: Game[Any, Any], ending: str) -> float:
    """Estimated seconds to examine all moves of an ending on two cores."""
    return _SECONDS_PER_POSITION * game.expected_positions(ending)


def required_memory(library: Library, ending: str) -> int:
    """Bytes of memory to examine all moves of an ending; an upper bound if the ending is not built yet.

    Raises:
        TableError: Its table cannot be read.
    """
    wide = True
    if library.is_built(ending):
        wide = library.table(ending).wide
    return library.game.solver.survey_memory(ending, wide)


def make(library: Library, ending: str, threads: int, on_progress: Callable[[SolveProgress], None]) -> Survey:
    """Examine all positions of a built ending and write its survey. Runs in the build process.

    Args:
        library: The tables; the survey goes into their directory.
        ending: A built ending; all endings that its moves lead to must also be built.
        threads: Number of threads to use.
        on_progress: Called with the progress; its exceptions stop the survey and propagate.

    Raises:
        NotBuiltError: A table is missing.
        TableError: A table is damaged.
        StorageError: The survey cannot be written.
    """
    library.check_moves(ending)
    game = library.game
    table = library.table(ending)
    fingerprint = list(table.fingerprint)

    progress_of_moves = 0.0  # 0 until the first moves have been examined

    def read_codes(name: str, side: int, slot_digits: DigitFilter = ()) -> Any:
        # Later reads come block by block, between the moves of two blocks, and are not reported.
        if not progress_of_moves:
            on_progress(SolveProgress(phase=_("reading {name}").format(name=name), ahead=_READING_DONE))
        return library.read_side(name, side, threads, slot_digits)

    def report_moves(progress: SolveProgress) -> None:
        nonlocal progress_of_moves
        part = _READING_DONE + (_MOVES_DONE - _READING_DONE) * progress.part
        if progress.part:
            progress_of_moves = part
        on_progress(
            SolveProgress(phase=_("examining moves"), done=progress.done, total=progress.total, part=part, ahead=part)
        )

    def report_zugzwangs() -> None:
        on_progress(SolveProgress(phase="zugzwangs", part=progress_of_moves, ahead=progress_of_moves))

    zugzwangs: dict[str, list[int]] = {kind: [] for kind in ZUGZWANGS}
    hanging: list[list[int]] = []
    kinds: list[KindCount] = []

    with ExitStack() as expanded_tables:
        # A large lean table derives the side that it does not store once for all blocks, not for each of them.
        for name in (*game.needs(ending), ending):
            required = library.table(name)
            if required.form == "lean" and game.index.slots(name) > mmap_arrays.IN_MEMORY_BYTES:
                on_progress(SolveProgress(phase=_("reading {name}").format(name=name), ahead=_READING_DONE))
                expanded_tables.callback(required.release)
                required.expand(threads)

        for examined in game.solver.examine(ending, read_codes, threads, report_moves):
            for kind, slots in _find_zugzwangs(examined.results, report_zugzwangs).items():
                zugzwangs[kind] += [examined.first_slot + slot for slot in slots]
            hanging = examined.hanging
            kinds = examined.kinds
            del examined  # frees its arrays before the next block is examined

    if _has_equal_sides(game, ending):
        zugzwangs = _without_copies(game, ending, zugzwangs)

    survey = Survey(fingerprint, hanging, zugzwangs, kinds)
    path = file_of(library, ending)
    if not is_writable(path.parent):
        path = _cache_file(table)
    with storage_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        body = zstd.compress(survey.to_json(), 6)
        with atomic_write(path) as out:
            out.write(PREFIX.pack(MAGIC, len(body), zlib.crc32(body)) + body)
    return survey


def _find_zugzwangs(results: Any, on_chunk: Callable[[], None]) -> dict[str, list[int]]:
    """The slots of the mutual zugzwangs, by kind; a slot counts only if it is legal with either side to move.

    Args:
        results: See :attr:`Examined.results`.
        on_chunk: Called before each chunk of slots; its exceptions propagate.
    """
    result: dict[str, list[int]] = {kind: [] for kind in ZUGZWANGS}
    for start in range(0, len(results[0]), _WORDS_PER_CHUNK):
        on_chunk()

        # Bit i of word w is slot 64 w + i. Illegal slots have no bit in either column: neither lost nor drawn.
        lost: list[Any] = []
        draws: list[Any] = []
        for side in range(2):
            words = results[side][start:][:_WORDS_PER_CHUNK]
            not_won = words[:, 0]
            not_lost = words[:, 1]
            lost.append(not_won & ~not_lost)
            draws.append(not_won & not_lost)

        words_by_kind = (lost[1] & draws[0], lost[0] & draws[1], lost[0] & lost[1])
        for kind, words in zip(ZUGZWANGS, words_by_kind, strict=True):
            # Zugzwangs are rare: only words with a bit are unpacked.
            nonzero = np.flatnonzero(words)
            bits = np.unpackbits(words[nonzero].astype("<u8").view(np.uint8), bitorder="little").reshape(-1, 64)
            row, bit = np.nonzero(bits)
            result[kind] += (64 * (start + nonzero[row]) + bit).tolist()
    return result


def _has_equal_sides(game: Game[Any, Any], ending: str) -> bool:
    """Whether both sides have the same pieces."""
    white, black = (
        sorted(man.removeprefix(color) for man in game.men(ending) if man.startswith(color)) for color in WINNERS
    )
    return white == black


def _without_copies(game: Game[Any, Any], ending: str, zugzwangs: dict[str, list[int]]) -> dict[str, list[int]]:
    """One of each zugzwang and its copy with colours exchanged, if both sides have the same pieces.

    The copy of a zugzwang of White is one of Black, so none of Black are stored. The copy of a full-point zugzwang is
    another full-point zugzwang, or itself; the one in the lower slot is stored.
    """
    full_point = [slot for slot in zugzwangs["full_point"] if slot <= _color_swapped_slot(game, ending, slot)]
    return {"white": zugzwangs["white"], "black": [], "full_point": full_point}


def _color_swapped_slot(game: Game[Any, Any], ending: str, slot: int) -> int:
    """The slot of the same pieces with their colours exchanged, in an ending whose sides have the same pieces."""
    swapped = game.with_colours_swapped(game.index.position_at(ending, 0, slot))
    return game.index.slot_of(game.with_side_switched(swapped) or swapped).index


# Statistics of an ending, from its table and its survey


Results = dict[str, int]


@dataclass(frozen=True, slots=True)
class Depths:
    """Depths of the wins of one side, over all boards with either side to move.

    Attributes:
        counts: Boards by depth in plies.
    """

    counts: dict[int, int]

    @property
    def mean(self) -> float:
        """The mean depth in plies."""
        return sum(n * boards for n, boards in self.counts.items()) / sum(self.counts.values())

    def share(self, part: float) -> int:
        """The quantile of the depths: the least depth in plies that ``part`` (0 to 1) of all wins do not exceed."""
        threshold = part * sum(self.counts.values())
        cumulated = 0
        for n, boards in sorted(self.counts.items()):
            cumulated += boards
            if cumulated >= threshold:
                return n
        return 0

    @property
    def deepest(self) -> int:
        """The depth of the deepest win in plies."""
        return max(self.counts)


_RESULTS = ("draw", "win", "loss")
"""Indexed by the sign of a category: 0, 1 or -1."""


@dataclass(frozen=True, slots=True)
class ShownPosition:
    """A position of a profile.

    Attributes:
        kind: Why it is listed: ``wins`` for one of the deepest wins, else a kind of position or of zugzwang.
        learner: The side that wins it, or has to hold it if it is a draw.
        position: The position.
    """

    kind: str
    learner: Winner
    position: Any


@dataclass(frozen=True, slots=True)
class PositionGroup:
    """Positions of a profile that are listed together.

    Attributes:
        name: ``wins``, ``deepest`` or ``zugzwang``.
        kind: The winner of the deepest wins, or the kind of the zugzwangs; else empty.
        positions: The positions in the order of the table, each created when it is accessed.
    """

    name: str
    kind: str
    positions: Sequence[ShownPosition]


class _LazySequence(Sequence[T]):
    """A sequence whose items are created from their index when they are accessed."""

    def __init__(self, length: int, create: Callable[[int], T]) -> None:
        self._length = length
        self._create = create

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, number: Any) -> Any:
        return self._create(range(self._length)[number])


class _ValueCount(NamedTuple):
    """How many boards with one side to move have one value.

    Attributes:
        side: Side to move.
        stored_side: Side to move that the table stores it under; the other one where positions with ``side`` to move
            are stored as their copies with colours exchanged.
        code: Code of the value in the table.
        category: Category of the code.
        n: Plies to the end; None for a draw.
        boards: Number of boards.
    """

    side: int
    stored_side: int
    code: int
    category: Category
    n: int | None
    boards: int

    @property
    def winner(self) -> Winner:
        """The winning side; of no meaning for a draw."""
        return WINNERS[self.side if self.category.sign > 0 else 1 - self.side]


class EndingProfile:
    """Statistics and remarkable positions of a built ending.

    Args:
        library: The tables.
        ending: A built ending.
        dtz: The tables by DTZ, which know the effect of the 50-move rule.

    Raises:
        NotBuiltError: It is not built.
        TableError: Its table cannot be read.
    """

    def __init__(self, library: Library, ending: str, dtz: Library | None = None) -> None:
        self.library = library
        self.game = library.game
        self.ending = ending
        self.table = library.table(ending)
        if dtz is not None and dtz.is_built(ending):
            self._dtz = dtz
        else:
            self._dtz = None

    @property
    def seconds(self) -> float:
        """Estimated seconds to make the survey on two cores."""
        return estimated_seconds(self.game, self.ending)

    @cached_property
    def survey(self) -> Survey | None:
        """The survey of the ending; None if it has not been made."""
        return load(self.library, self.ending)

    def _value_counts(self, library: Library) -> Iterator[_ValueCount]:
        """The counts of all values, for both sides to move.

        A table of an ending whose sides have the same pieces may store one side to move only; the positions with the
        other side to move are then the same with colours exchanged, and have the same counts.
        """
        table = library.table(self.ending)
        for side in range(2):
            stored_side = side if table.used_codes(side) else 1 - side
            for code in table.used_codes(stored_side):
                category, n = library.game.index.value(code)
                yield _ValueCount(side, stored_side, code, category, n, table.boards(stored_side, code))

    @property
    def results(self) -> dict[Winner, Results]:
        """Boards by result, for each side to move."""
        results: dict[Winner, Results] = {mover: {"win": 0, "draw": 0, "loss": 0} for mover in WINNERS}
        for value in self._value_counts(self.library):
            results[WINNERS[value.side]][_RESULTS[value.category.sign]] += value.boards
        return results

    @property
    def steady(self) -> dict[Winner, Results] | None:
        """Boards by result without those on which the side to move can capture a hanging piece.

        None if there is no survey, or nothing ever hangs in this game.
        """
        if self.survey is None or not self.survey.hanging:
            return None
        steady: dict[Winner, Results] = {}
        for (mover, results), hanging in zip(self.results.items(), self.survey.hanging, strict=True):
            steady[mover] = {
                result: boards - excluded for (result, boards), excluded in zip(results.items(), hanging, strict=True)
            }
        return steady

    @property
    def depths(self) -> dict[Winner, Depths]:
        """Depths of the wins of each side; a side that never wins is missing."""
        counts_of: dict[Winner, dict[int, int]] = {winner: {} for winner in WINNERS}
        for value in self._value_counts(self.library):
            if value.n is not None:
                counts = counts_of[value.winner]
                counts[value.n] = counts.get(value.n, 0) + value.boards
        return {winner: Depths(counts) for winner, counts in counts_of.items() if counts}

    @property
    def cursed(self) -> dict[Winner, float] | None:
        """The part of each side's wins that the 50-move rule makes a draw; None without a table by DTZ."""
        if self._dtz is None:
            return None
        wins = dict.fromkeys(WINNERS, 0)
        cursed_wins = dict.fromkeys(WINNERS, 0)
        for value in self._value_counts(self._dtz):
            if value.n is None:
                continue
            wins[value.winner] += value.boards
            if value.category in (Category.CURSED_WIN, Category.BLESSED_LOSS):
                cursed_wins[value.winner] += value.boards
        return {winner: cursed_wins[winner] / wins[winner] for winner in WINNERS if wins[winner]}

    def deepest_wins(self, winner: Winner) -> Sequence[Any]:
        """All canonical positions of a side's deepest layer, with copies where the table stores one side to move."""
        table = self.table
        n = self.depths[winner].deepest
        layer = [value for value in self._value_counts(self.library) if value.n == n and value.winner == winner]
        ends = [*accumulate(table.canonical(value.stored_side, value.code) for value in layer)]

        def position(number: int) -> Any:
            at = bisect_right(ends, number)
            value = layer[at]
            first = ends[at - 1] if at else 0
            slot = table.slot_with(value.stored_side, value.code, number - first)
            result = self.game.index.position_at(self.ending, value.stored_side, slot)
            if value.stored_side == value.side:
                return result
            return self.game.with_colours_swapped(result)

        return _LazySequence(ends[-1], position)

    @property
    def groups(self) -> Iterator[PositionGroup]:
        """The positions to list: each side's deepest wins, the deepest position of each kind, the zugzwangs."""
        for side in self.depths:
            yield PositionGroup("wins", side, self._wins_to_show(side))
        if self.survey is None:
            return
        yield PositionGroup(
            "deepest",
            "",
            [ShownPosition(kind.kind, WINNERS[kind.side], self.deepest(kind)) for kind in self.survey.kinds],
        )
        for kind in ZUGZWANGS:
            yield PositionGroup("zugzwang", kind, self.zugzwangs(kind))

    def _wins_to_show(self, winner: Winner) -> Sequence[ShownPosition]:
        wins = self.deepest_wins(winner)
        return _LazySequence(len(wins), lambda number: ShownPosition("wins", winner, wins[number]))

    def zugzwangs(self, *kinds: str) -> Sequence[ShownPosition]:
        """The mutual zugzwangs of these kinds, kind by kind; of all kinds by default.

        If both sides have the same pieces, Black has as many as White: the same positions with colours exchanged.
        """
        slots = [entry for kind in kinds or ZUGZWANGS for entry in self._zugzwang_slots(kind)]

        def create(number: int) -> ShownPosition:
            kind, slot, is_copy = slots[number]
            mover = _MOVER_OF_ZUGZWANG[kind]
            if is_copy:  # not before it is accessed: to exchange the colours of all zugzwangs takes long
                slot = _color_swapped_slot(self.game, self.ending, slot)
            return ShownPosition(kind, WINNERS[1 - mover], self.game.index.position_at(self.ending, mover, slot))

        return _LazySequence(len(slots), create)

    def _zugzwang_slots(self, kind: str) -> list[tuple[str, int, bool]]:
        """All zugzwangs of a kind: the kind, a stored slot, and whether its copy with colours exchanged is meant."""
        if self.survey is None:
            return []
        stored = self.survey.zugzwangs
        slots = [(kind, slot, False) for slot in stored[kind]]
        if not _has_equal_sides(self.game, self.ending):
            return slots
        if kind == "black":
            return [(kind, slot, True) for slot in stored["white"]]
        if kind == "full_point":
            slots += [(kind, slot, True) for slot in self._asymmetric_full_points]
        return slots

    @cached_property
    def _asymmetric_full_points(self) -> list[int]:
        """Stored slots of full-point zugzwangs that differ from their copy with colours exchanged."""
        assert self.survey is not None
        stored = self.survey.zugzwangs["full_point"]
        return [slot for slot in stored if slot != _color_swapped_slot(self.game, self.ending, slot)]

    def deepest(self, kind: KindCount) -> Any:
        """The deepest position of a kind."""
        if kind.kind != "en_passant":
            return self.game.index.position_at(self.ending, kind.side, kind.slot)

        # A slot does not tell the en passant square: the low six bits do.
        slot, target = divmod(kind.slot, 64)
        position = self.game.index.position_at(self.ending, kind.side, slot)
        position.ep_square = target
        return position

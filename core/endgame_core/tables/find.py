"""Finds the positions of an ending that a query matches, in a process of its own.

Positions are evaluated frame by frame, in arrays, and the cheapest conditions come first. A frame without a code, or
without squares, that could match is not read at all. The squares of the pieces follow from the digits of the slots,
results and depths from the codes; only for positions that are still undecided the other side to move, the table by DTZ
and, last, their moves are examined.

Symmetric copies are one position. It matches if one of its copies does; the first such copy is the one that is listed.
"""

from __future__ import annotations

import tempfile
import threading
import time
from array import array
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property, partial
from pathlib import Path
from random import Random
from typing import Any, Final

from endgame_core import jsonl_process
from endgame_core.errors import BuildCancelledError, EndgameError
from endgame_core.game import DigitFilter, Game, PositionRecord
from endgame_core.language import _
from endgame_core.query import Comparison, Condition, Conjunction, Disjunction, Negation, Node, Vocabulary
from endgame_core.query import facts as facts_of
from endgame_core.query import parse as parse_query
from endgame_core.system import cores
from endgame_core.tables import mmap_arrays
from endgame_core.tables.build import ProgressEstimator, Work, memory_for
from endgame_core.tables.file import Table
from endgame_core.tables.library import Library
from endgame_core.tables.numeric import np
from endgame_core.values import WINNERS, Category

_MODULE = "endgame_core.tables.find"
MOST: Final = 20_000_000
"""Positions that can be listed at most."""
_CANCEL_SECONDS = 0.1
"""Seconds from a cancellation until the process ends, whatever it is doing."""
_KERNEL: Final = "queries"
_SECONDS_TO_COMPILE = 20.0
_SECONDS_PER_SLOT = 2e-8
_ALL_MOVES = 1 << 30
_REPORT_INTERVAL = 0.2
"""Seconds between two reports of progress."""
_KEYS_AT_ONCE = 1 << 18
"""Positions whose keys are computed at once."""

MEN: Final = frozenset(["on", "aligned", "in square", "opposition", "distance", "mills"])
"""Conditions that depend on the squares of the pieces alone."""
_CODES: Final = frozenset(["wins", "won", "lost", "drawn", "depth"])
_OTHER_TABLES: Final = frozenset(["zugzwang", "dtz", "cursed"])
_BY_DTZ: Final = frozenset(["dtz", "cursed"])
_NO_DEPTH: Final = -1
"""The depth of a draw; every comparison with it is false."""

# What a condition requires, in the order of cost:
_TURN_LEVEL: Final = 0  # the side to move
_MEN_LEVEL: Final = 1  # the squares of the pieces
_CODE_LEVEL: Final = 2  # the code in the table
_TABLE_LEVEL: Final = 3  # codes with the other side to move, or by DTZ
_MOVE_LEVEL: Final = 4  # all moves


def _level(fact: Condition) -> int:
    """The cost level of a condition."""
    if fact.name == "to move":
        return _TURN_LEVEL
    if fact.name in MEN:
        return _MEN_LEVEL
    if fact.name in _CODES:
        return _CODE_LEVEL
    if fact.name in _OTHER_TABLES:
        return _TABLE_LEVEL
    return _MOVE_LEVEL


def _highest_level(node: Node) -> int:
    """The highest cost level of the conditions of a tree."""
    return max((_level(fact) for fact in facts_of(node)), default=_TURN_LEVEL)


class Query:
    """A query about a built ending.

    Args:
        library: Its tables, by the metric that counts plies to the end.
        ending: Its canonical name.
        text: The text of the query.
        dtz: The tables by DTZ, if the game has some.

    Attributes:
        node: The parsed query.

    Raises:
        QueryError: The query cannot be understood.
        NotBuiltError: A table that it requires is not built.
        TableError: Its table cannot be read.
    """

    def __init__(self, library: Library, ending: str, text: str, dtz: Library | None = None) -> None:
        game: Game[Any, Any] = library.game
        vocabulary: Vocabulary = game.vocabulary
        self.library = library
        self.game = game
        self.ending = ending
        self.text = text
        self.dtz = None
        self.node = parse_query(text, vocabulary, game.men(ending), ending)
        library.table(ending)
        if dtz is not None and any(fact.name in _BY_DTZ for fact in facts_of(self.node)):
            self.dtz = dtz
            dtz.table(ending)
        if _highest_level(self.node) == _MOVE_LEVEL:
            library.check_moves(ending)


class FindResult:
    """The positions that match a query, in the order of the table: White to move first.

    Attributes:
        query: The query.
        count: Number of matching positions; more than ``len`` if the query only counts them.
    """

    def __init__(self, query: Query, count: int, keys: array[int]) -> None:
        self.query = query
        self.count = count
        self._keys = keys

    def __len__(self) -> int:
        return len(self._keys)

    def __getitem__(self, number: int) -> Any:
        return self.query.game.index.from_key(self.query.ending, self._keys[number])

    def sample(self, rng: Random, limit: int) -> Sequence[int]:
        """The numbers of all positions, or of ``limit`` random ones if there are more, ascending."""
        return sorted(rng.sample(range(len(self)), min(limit, len(self))))

    def records(self, numbers: Sequence[int]) -> list[PositionRecord]:
        """The positions with these numbers as records of a file of positions."""
        game = self.query.game
        note = self.query.text[:200]
        return [
            PositionRecord(position=game.format(self[n]), note=note, location=_("position {n}").format(n=n + 1))
            for n in numbers
        ]


class Find(Work):
    """A search for the positions that match a query.

    Args:
        query: The query.
        list_positions: Whether to list the positions, or only to count them.
        threads: Number of threads; the number of cores by default.
        memory: Memory limit in bytes; 75 % of the free memory by default.
    """

    death_notice = _("the search stopped unexpectedly"), _("close other programs and try again")
    cancel_notice = _("the search was cancelled"), ""

    def __init__(
        self, query: Query, list_positions: bool = True, threads: int | None = None, memory: int | None = None
    ) -> None:
        super().__init__()
        self.query = query
        self.list_positions = list_positions
        self.threads = threads or cores()
        self.memory = memory

    def run(self, on_progress: Callable[[str, float], None]) -> FindResult:
        """Search all positions (blocking).

        Args:
            on_progress: Called with the current activity, and the finished part of the whole.

        Raises:
            EndgameError: It failed, was cancelled, or there are too many positions to list.
        """
        query = self.query
        count = 0
        keys = array("Q")
        with tempfile.TemporaryDirectory() as scratch:
            keys_file = Path(scratch, "keys")
            request = {
                "game": query.game.entry, "places": query.library.places, "ending": query.ending, "query": query.text,
                "dtz": query.dtz.game.entry if query.dtz is not None else "", "threads": self.threads,
                "keys": str(keys_file) if self.list_positions else "", "memory": self.memory,
            }  # fmt: skip
            for message in self.messages(_MODULE, request, "found"):
                if message["event"] == "found":
                    count = message["count"]
                else:
                    on_progress(message["what"], message["part"])
            if self.list_positions:
                if count > MOST:
                    raise EndgameError(
                        _("{count} positions are too many to list").format(count=count),
                        _("add a condition, or only count them"),
                    )
                with keys_file.open("rb") as file:
                    keys.fromfile(file, count)
        return FindResult(query, count, keys)


# In the process that searches


class _Source:
    """The stored values of one side of a table, read frame by frame when they are needed; thread-safe.

    Args:
        library: The tables.
        ending: The ending.
        side: Side to move.
        legal: Bitmap of the legal slots.
        threads: Number of threads.

    Attributes:
        stored: Stored values of all slots; valid in the frames that have been read.
        has_positions: Whether the table stores positions with this side to move.
        is_read: Which frames have been read.
    """

    def __init__(self, library: Library, ending: str, side: int, legal: Any, threads: int) -> None:
        self.table = library.table(ending)
        self.side = side
        self.legal = legal
        self.table.expand(threads)
        self.tiling = self.table.tilings[side]
        first = self.table.frame_number(side, 0)
        frames = np.flatnonzero(self.table.positions_per_frame[first : first + self.tiling.frame_count]).tolist()
        self.has_positions = bool(frames)
        self.stored = mmap_arrays.zeros(len(legal) * 64, self.table.dtype, self.tiling.slot_ranges(frames))
        self.is_read = np.zeros(self.tiling.frame_count, np.bool_)

    def read(self, frame: int) -> None:
        """Read a frame unless it has been read; raises TableError."""
        if not self.is_read[frame]:  # if two threads read it at once, they write the same
            self.table.read_frame(self.side, self.legal, self.stored, frame)
            self.is_read[frame] = True

    def at(self, slots: Any) -> Any:
        """The stored values of some slots, and which of them are legal."""
        frames, __ = self.tiling.place(slots)
        for frame in np.unique(frames).tolist():
            self.read(frame)
        return self.stored[slots], self.is_legal(slots)

    def is_legal(self, slots: Any) -> Any:
        """Which of some slots hold a legal canonical position."""
        return (self.legal[slots >> 6] >> (slots & 63).astype("uint64") & 1).astype(bool)


class _Side:
    """Evaluates a query for the positions with one side to move.

    Args:
        query: The query.
        side: Side to move, 0 for the side named first.
        source: Returns the stored values of the ending, given the side to move.
        dtz: The same by DTZ.
        stored: Returns the stored values of any ending, for the moves.

    Attributes:
        frames: The frames that may have a matching position, by their codes alone.
        symmetries: How many symmetric copies of a position have to be evaluated.
    """

    def __init__(
        self, query: Query, side: int, source: Callable[[int], Any], dtz: Callable[[int], Any], stored: Any
    ) -> None:
        self.query = query
        self.side = side
        self.source = source
        self.dtz = dtz
        self.own: _Source = source(side)
        self.questions = query.game.solver.query_facts(query.ending, side, stored)
        self.node = query.node

        facts = list(facts_of(query.node))
        self._has_men_facts = any(fact.name in MEN for fact in facts)
        is_symmetric = all(self.questions.is_symmetric(fact) for fact in facts if fact.name in MEN)
        self.symmetries = 1 if is_symmetric else self.questions.symmetries
        self.hanging = any(fact.name == "hanging" for fact in facts)
        self.sufficient_moves = _sufficient_moves(query.node)
        self.slot_levels = sorted({_level(fact) for fact in facts if _level(fact) > _CODE_LEVEL})
        """Cost levels beyond the code, for which slots are looked up one by one."""

        self._meanings = {"": _meanings(query.game, self.own.table, side)}
        if query.dtz is not None:
            self._meanings["dtz"] = _meanings(query.dtz.game, query.dtz.table(query.ending), side)
        self._all_stored = np.arange(len(self._meanings[""]["result"]), dtype=self.own.table.dtype)
        self._truth_by_stored: dict[int, Any] = {}

        may_hold, __ = self._possible(self.node, _CODE_LEVEL, _FrameBatch(self._all_stored, None, 0))
        first = self.own.table.frame_number(side, 0)
        self.frames = self.own.table.counts.frames_with_any(
            np.broadcast_to(may_hold, len(self._all_stored)), first, first + self.own.tiling.frame_count
        )

    def prepare(self) -> None:
        """Read what all frames require."""
        if _MOVE_LEVEL in self.slot_levels and self.frames:
            self.questions.prepare(self.hanging)

    # The value of a condition

    def _value(self, fact: Condition, batch: Any) -> Any:
        """The truth of a condition, or the value of a number, for a batch of positions."""
        if fact.name == "to move":
            return np.bool_(WINNERS[self.side] == fact.args[0])
        if fact.name in MEN:
            return self.questions.evaluate(fact, batch.men, batch.symmetry)
        if fact.name == "dtz":
            return self._meanings["dtz"]["depth"][batch.dtz]
        if fact.name == "cursed":
            return self._meanings["dtz"]["cursed"][batch.dtz]

        meanings = self._meanings[""]
        if fact.name == "wins":
            return meanings["won" if WINNERS[self.side] == fact.args[0] else "lost"][batch.stored]
        if fact.name in _CODES:
            return meanings[fact.name][batch.stored]
        if fact.name == "zugzwang":
            # Mutual zugzwang: the side to move would do better if it were the other's turn.
            other_stored, is_legal = batch.other
            other_result = meanings["result"][other_stored]  # for the other side
            return is_legal & (-other_result > meanings["result"][batch.stored])
        return self._value_of_moves(fact, meanings["result"][batch.stored], batch.moves)

    def _value_of_moves(self, fact: Condition, result: Any, moves: Any) -> Any:
        """The same for a condition about moves; for the columns of ``moves`` see :meth:`QueryFacts.move_facts`."""
        legal, keeping, best, kinds, best_kinds, loose, check = moves.T
        numbers = {
            "moves": legal, "best moves": best, "winning moves": keeping * (result > 0),
            "drawing moves": keeping * (result == 0), "hanging": loose > 0, "check": check > 0,
        }  # fmt: skip
        if fact.name in numbers:
            return numbers[fact.name]
        kind = 0
        if fact.args:
            kind = self.questions.kinds[fact.args[0]]
        if fact.name == "best move":
            return best_kinds & kind != 0
        has_only_move = (keeping == 1) & (legal > 1) & (result >= 0)
        if kind:
            return has_only_move & (kinds & kind != 0)
        return has_only_move

    def _number(self, operand: int | Condition, batch: Any) -> Any:
        if isinstance(operand, int):
            return operand
        return self._value(operand, batch)

    def _leaf(self, node: Condition | Comparison, batch: Any) -> Any:
        if isinstance(node, Condition):
            return self._value(node, batch)
        left = self._number(node.left, batch)
        right = self._number(node.right, batch)
        return _SIGNS[node.sign](left, right) & _has_value(node.left, left) & _has_value(node.right, right)

    # Three-valued logic: what is cheap to know may leave open whether a condition holds

    def _possible(self, node: Node, level: int, batch: Any) -> tuple[Any, Any]:
        """Return where a condition may hold and where it may fail, by facts that cost no more than a level.

        Where it is decided only one of both is True. E.g. for ``won and hanging`` at the level of codes, a lost
        position gives (False, True), and a won one (True, True), because its moves are not examined yet.
        """
        if level >= _CODE_LEVEL:
            truth = self._truth_of_stored(node)
            if truth is not None:
                holds = truth[batch.stored]
                return holds, ~holds

        if isinstance(node, Negation):
            may_hold, may_fail = self._possible(node.part, level, batch)
            return may_fail, may_hold
        if isinstance(node, Conjunction | Disjunction):
            parts = [self._possible(part, level, batch) for part in node.parts]
            if isinstance(node, Disjunction):  # A or B is not (not A and not B)
                parts = [(may_fail, may_hold) for may_hold, may_fail in parts]
            may_hold, may_fail = parts[0]
            for part_may_hold, part_may_fail in parts[1:]:
                may_hold = may_hold & part_may_hold
                may_fail = may_fail | part_may_fail
            if isinstance(node, Conjunction):
                return (may_hold, may_fail)
            return (may_fail, may_hold)

        lacks_men = batch.men is None and any(fact.name in MEN for fact in facts_of(node))
        if _highest_level(node) > level or lacks_men:
            return np.bool_(True), np.bool_(True)
        if id(node) not in batch.truth:
            batch.truth[id(node)] = np.asarray(self._leaf(node, batch), np.bool_)
        holds = batch.truth[id(node)]
        return holds, ~holds

    def _truth_of_stored(self, node: Node) -> Any:
        """Return for each stored value whether a condition holds; None if that depends on other facts as well."""
        if id(node) not in self._truth_by_stored:
            self._truth_by_stored[id(node)] = None  # so that the evaluation below does not recur forever
            if all(_level(fact) in (_TURN_LEVEL, _CODE_LEVEL) for fact in facts_of(node)):
                holds, __ = self._possible(node, _CODE_LEVEL, _FrameBatch(self._all_stored, None, 0))
                self._truth_by_stored[id(node)] = np.broadcast_to(holds, len(self._all_stored))
        return self._truth_by_stored[id(node)]

    def _filter(self, slots: Any, symmetry: int, moves_cache: dict[str, Any]) -> Any:
        """Filter slots by the query, cheapest level first; each level sees only the slots that are still undecided."""
        matches = np.zeros(len(slots), np.bool_)
        undecided = np.arange(len(slots))
        batch = _SlotBatch(self, slots, symmetry, moves_cache, {})
        for level in self.slot_levels:
            if not len(undecided):
                continue
            may_hold, may_fail = self._possible(self.node, level, batch)
            may_hold = np.broadcast_to(may_hold, len(undecided))
            may_fail = np.broadcast_to(may_fail, len(undecided))
            matches[undecided[~may_fail]] = True
            is_open = may_hold & may_fail
            batch = batch.subset(is_open)
            undecided = undecided[is_open]
        return matches

    # Frame by frame

    def frame(self, frame: int) -> Any:
        """The matching slots of a frame, times 16, plus the number of the copy that matches."""
        box = self.own.tiling.ranges(frame)
        men = ()
        if self._has_men_facts:
            men = self.questions.men_in_box(box)
        possible_symmetries: list[int] = []
        for symmetry in range(self.symmetries):
            may_hold, __ = self._possible(self.node, _MEN_LEVEL, _FrameBatch(None, men, symmetry))
            if may_hold.any():
                possible_symmetries.append(symmetry)
        matches = np.zeros(0, np.int64)
        if not possible_symmetries:
            return matches

        self.own.read(frame)
        stored = self.own.tiling.cut(self.own.stored, frame)
        all_slots = self.own.tiling.slots(frame)
        moves_cache: dict[str, Any] = {}
        for symmetry in possible_symmetries:
            may_hold, __ = self._possible(self.node, _CODE_LEVEL, _FrameBatch(stored, men, symmetry))
            slots = all_slots[np.broadcast_to(may_hold, stored.shape).reshape(-1)]
            slots = np.setdiff1d(slots[self.own.is_legal(slots)], matches >> 4, assume_unique=True)
            if len(slots) and self.slot_levels:
                slots = slots[self._filter(slots, symmetry, moves_cache)]
            matches = np.concatenate([matches, slots << 4 | symmetry])
        return matches

    def keys(self, matches: Any) -> Any:
        """The keys of what :meth:`frame` returns, each of the copy that matches."""
        matches = np.sort(matches)
        arrays = self.query.game.index.arrays()
        ending = self.query.ending
        if self.symmetries == 1:
            return arrays.keys(ending, self.side, matches >> 4)
        keys = [np.zeros(0, np.uint64)]
        for start in range(0, len(matches), _KEYS_AT_ONCE):
            part = matches[start : start + _KEYS_AT_ONCE]
            keys_of_copies = arrays.copied_keys(ending, self.side, part >> 4)
            keys.append(keys_of_copies[np.arange(len(part)), part & 15])
        return np.concatenate(keys)


class _FrameBatch:
    """All positions of a frame, or all stored values of a table, evaluated together.

    Attributes:
        stored: Their stored values; None while the frame is not read.
        men: The squares of their pieces; None if they are not known.
        symmetry: Which of their symmetric copies is evaluated, by its number.
        truth: Which conditions hold, by the id of the node, as far as they have been evaluated.
    """

    def __init__(self, stored: Any, men: Any, symmetry: int) -> None:
        self.stored = stored
        self.men = men
        self.symmetry = symmetry
        self.truth: dict[int, Any] = {}


class _SlotBatch:
    """Some positions of a frame; their properties are computed when they are used.

    Args:
        side: The side to move.
        slots: Their slots, ascending.
        symmetry: Which of their symmetric copies is evaluated, by its number.
        moves_cache: The moves of positions of this frame that have been examined, shared by the copies.
        truth: Which conditions hold, by the id of the node, as far as they have been evaluated.
    """

    def __init__(
        self, side: _Side, slots: Any, symmetry: int, moves_cache: dict[str, Any], truth: dict[int, Any]
    ) -> None:
        self._side = side
        self.slots = slots
        self.symmetry = symmetry
        self._moves_cache = moves_cache
        self.truth = truth

    def subset(self, mask: Any) -> _SlotBatch:
        """The positions of a mask, with what has been evaluated of them."""
        truth = {node: np.broadcast_to(holds, len(self.slots))[mask] for node, holds in self.truth.items()}
        return _SlotBatch(self._side, self.slots[mask], self.symmetry, self._moves_cache, truth)

    @cached_property
    def men(self) -> Any:
        """The squares of their pieces."""
        return self._side.questions.men_at(self.slots)

    @cached_property
    def stored(self) -> Any:
        """Their stored values."""
        return self._side.own.stored[self.slots]

    @cached_property
    def dtz(self) -> Any:
        """Their stored values by DTZ."""
        return self._side.dtz(self._side.side).at(self.slots)[0]

    @cached_property
    def other(self) -> Any:
        """Their stored values with the other side to move, and where such a position is legal."""
        return self._side.source(1 - self._side.side).at(self.slots)

    @cached_property
    def moves(self) -> Any:
        """One row per position, see :meth:`QueryFacts.move_facts`; each position is examined once for all copies."""
        side = self._side
        if "moves" not in self._moves_cache:
            rows = side.questions.move_facts(self.slots, side.own.stored[self.slots], side.sufficient_moves)
            self._moves_cache["moves"] = self.slots, rows
            return rows

        examined, rows = self._moves_cache["moves"]
        missing = np.setdiff1d(self.slots, examined, assume_unique=True)
        if len(missing):
            new_rows = side.questions.move_facts(missing, side.own.stored[missing], side.sufficient_moves)
            examined = np.concatenate([examined, missing])
            order = np.argsort(examined)
            examined = examined[order]
            rows = np.concatenate([rows, new_rows])[order]
            self._moves_cache["moves"] = examined, rows
        return rows[np.searchsorted(examined, self.slots)]


_SIGNS: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "=": lambda a, b: a == b, "!=": lambda a, b: a != b, "<": lambda a, b: a < b, "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b, ">=": lambda a, b: a >= b,
}  # fmt: skip


def _has_value(operand: int | Condition, value: Any) -> Any:
    """Return where an operand of a comparison has a value: draws have no depth."""
    if isinstance(operand, Condition) and operand.name in ("depth", "dtz"):
        return value != _NO_DEPTH
    return True


def _meanings(game: Game[Any, Any], table: Table, side: int) -> dict[str, Any]:
    """Arrays over the stored values of a table with one side to move: result, depth and so on of each."""
    values = [game.index.value(code) for code in table.stored_codes(side)]
    result = np.array([category.sign for category, __ in values], np.int8)
    cursed = [category in (Category.CURSED_WIN, Category.BLESSED_LOSS) for category, __ in values]
    return {
        "result": result, "won": result > 0, "lost": result < 0, "drawn": result == 0, "cursed": np.array(cursed),
        "depth": np.array([_NO_DEPTH if n is None else n for __, n in values], np.int64),
    }  # fmt: skip


def _sufficient_moves(node: Node) -> int:
    """The number of result-keeping moves after which the other moves of a position no longer matter.

    If the query asks only whether a position has an only move, two are enough.
    """
    facts = [fact for fact in facts_of(node) if _level(fact) == _MOVE_LEVEL and fact.name not in ("hanging", "check")]
    if all(fact.name == "only move" for fact in facts):
        return 2
    return _ALL_MOVES


class _Finder:
    """Evaluates a query for all positions of an ending.

    Attributes:
        side: The side to move that is being searched.
    """

    def __init__(self, query: Query, threads: int) -> None:
        self.query = query
        self.threads = threads
        self.cancelled = threading.Event()
        library = query.library
        self._must_compile = _highest_level(query.node) == _MOVE_LEVEL and not library.kernels.path(_KERNEL).exists()
        work = library.game.index.slots(query.ending) * _SECONDS_PER_SLOT
        compilation = 0.0
        if self._must_compile:
            compilation = _SECONDS_TO_COMPILE
        self._progress = ProgressEstimator([compilation, work, work], 2 / min(2, threads))
        self._last_report = 0.0
        self._sources: dict[tuple[str, int], _Source] = {}
        self._stored_sides: dict[tuple[str, int], Any] = {}
        self._lock = threading.RLock()

    def abort(self) -> None:
        """Cancel, and wait a moment for it to take effect."""
        self.cancelled.set()
        time.sleep(_CANCEL_SECONDS)

    def _check_cancelled(self) -> None:
        if self.cancelled.is_set():
            raise BuildCancelledError(*Find.cancel_notice)

    def _report(self, what: str, at_once: bool = False) -> None:
        """Report the current activity and the finished part of the whole, at most five times a second."""
        self._check_cancelled()
        if at_once or time.monotonic() - self._last_report > _REPORT_INTERVAL:
            self._last_report = time.monotonic()
            part, __ = self._progress.estimate
            jsonl_process.send({"event": "progress", "what": what, "part": round(part, 4)})

    def _source(self, library: Library, side: int) -> _Source:
        """The values of the ending that a library stores with one side to move."""
        key = library.game.metric, side
        with self._lock:
            if key not in self._sources:
                legal = library.game.solver.canonical_bits(self.query.ending, side, self.threads)
                self._sources[key] = _Source(library, self.query.ending, side, legal, self.threads)
        return self._sources[key]

    def _stored(self, name: str, side: int, slot_digits: DigitFilter = ()) -> Any:
        """The stored values of any ending that moves lead to.

        Those of the queried ending with the side to move that is being searched are read frame by frame elsewhere.
        """
        library = self.query.library
        if slot_digits:
            return library.read_side(name, side, self.threads, slot_digits)
        with self._lock:
            if name == self.query.ending and self.side == side:
                return self._source(library, side).stored
            if (name, side) not in self._stored_sides:
                if name == self.query.ending:
                    source = self._source_or_copy(side)
                    with ThreadPoolExecutor(self.threads) as pool:
                        for __ in pool.map(source.read, range(source.tiling.frame_count)):
                            self._report(_("reading {name}").format(name=name))
                    self._stored_sides[name, side] = source.stored
                else:
                    self._report(_("reading {name}").format(name=name))
                    self._stored_sides[name, side] = library.read_side(name, side, self.threads)
            return self._stored_sides[name, side]

    def run(self, keys_file: Path | None) -> int:
        """Search all positions; return the number of matches, and write their keys if a file is given."""
        count = 0
        keys: list[Any] = []
        for self.side in range(2):
            if self._must_compile and not self.side:
                activity = _("compiling")
            else:
                activity = _("starting")
            self._report(activity, at_once=True)
            side = _Side(self.query, self.side, self._source_or_copy, self._dtz_source, self._stored)
            side.prepare()
            if not self.side:
                self._progress.begin(1, new_pace=True)
                if self._must_compile:
                    self.query.library.kernels.mark_compiled(_KERNEL)

            matches: list[Any] = [np.zeros(0, np.int64)]
            with ThreadPoolExecutor(self.threads) as pool:
                try:
                    for done, in_frame in enumerate(pool.map(partial(self._search, side), side.frames), 1):
                        count += len(in_frame)
                        if keys_file is not None and count <= MOST:
                            matches.append(in_frame)
                        self._progress.reach(done / len(side.frames), done / len(side.frames))
                        self._report(_("searching positions"))
                except BaseException:
                    self.cancelled.set()
                    raise
            if keys_file is not None and count <= MOST:
                keys.append(side.keys(np.concatenate(matches)))
            self._progress.begin(2 + self.side)

        if keys_file is not None and count <= MOST:
            np.concatenate(keys).astype("<u8").tofile(keys_file)
        return count

    def _search(self, side: _Side, frame: int) -> Any:
        self._check_cancelled()
        return side.frame(frame)

    def _dtz_source(self, side: int) -> _Source:
        assert self.query.dtz is not None, "a query by DTZ needs DTZ tables"
        return self._source(self.query.dtz, side)

    def _source_or_copy(self, side: int) -> _Source:
        """The stored values of a side; if the table stores only the other side, the same with colours exchanged."""
        source = self._source(self.query.library, side)
        if source.has_positions:
            return source
        other = self._source(self.query.library, 1 - side)
        for frame in range(other.tiling.frame_count):
            other.read(frame)
        questions = self.query.game.solver.query_facts(self.query.ending, 1 - side, self._stored)
        stored = questions.opposite_codes(other.stored)
        if stored is not None:
            source.stored = stored
            source.legal = other.legal
            source.is_read[:] = True
        return source


def _serve(request: dict[str, Any]) -> None:
    places = request["places"]
    library = Library.at(jsonl_process.load_object(request["game"]), places)
    dtz = None
    if request["dtz"]:
        dtz = Library.at(jsonl_process.load_object(request["dtz"]), places)
    query = Query(library, request["ending"], request["query"], dtz)
    finder = _Finder(query, request["threads"])
    jsonl_process.end_with_input(finder.abort)
    with memory_for(library, query.ending, _("a query about {ending}").format(ending=query.ending), request["memory"]):
        count = finder.run(Path(request["keys"]) if request["keys"] else None)
    jsonl_process.send({"event": "found", "count": count})


if __name__ == "__main__":
    jsonl_process.serve(_serve)

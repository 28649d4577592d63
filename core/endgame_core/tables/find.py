"""Finds the positions of an ending that a query asks for, in a process of its own.

Positions are looked at frame by frame, in arrays. What costs least is asked first: of a frame that has no code, and no
squares, that would do nothing is read; men are told from the digits of the slots, results and depths from the codes;
only for positions that are left the other side to move, the table by DTZ and, last, their moves are looked at.

Symmetric copies are one position. It is found if one of its copies is as asked, and told as the first that is.
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

from endgame_core import jsonl_process, query
from endgame_core.errors import BuildCancelledError, EndgameError
from endgame_core.game import DigitFilter, Game, PositionRecord
from endgame_core.query import Comparison, Condition, Conjunction, Disjunction, Negation, Node, Vocabulary
from endgame_core.tables import mmap_arrays
from endgame_core.tables.build import ProgressEstimator, Work, memory_for
from endgame_core.tables.file import Table
from endgame_core.tables.library import Library
from endgame_core.tables.mmap_arrays import cores
from endgame_core.tables.numeric import np
from endgame_core.values import WINNERS, Category

_MODULE = "endgame_core.tables.find"
MOST: Final = 20_000_000
"""So many positions are listed at most."""
_LAST = 0.1
"""Seconds from the wish to cancel to the end, whatever is being done."""
_COMPILING: Final = "queries"
_SECONDS_TO_COMPILE = 20.0
_SECONDS_PER_SLOT = 2e-8
_ALL_MOVES = 1 << 30
_PAUSE = 0.2
"""Seconds between two words about how far it has come."""

MEN: Final = frozenset(["on", "aligned", "in square", "opposition", "distance", "mills"])
"""What men alone tell."""
_CODES: Final = frozenset(["wins", "won", "lost", "drawn", "depth"])
_ELSEWHERE: Final = frozenset(["zugzwang", "dtz", "cursed"])
_BY_DTZ: Final = frozenset(["dtz", "cursed"])
_NONE: Final = -1
"""The depth of a draw: nothing compares with it."""


def _level(fact: Condition) -> int:
    """How much it costs to ask: the side to move, men, codes, other tables, moves."""
    return (
        0 if fact.name == "to move" else 1 if fact.name in MEN else 2 if fact.name in _CODES
        else 3 if fact.name in _ELSEWHERE else 4
    )  # fmt: skip


def _levels(node: Node) -> int:
    """How much it costs at most."""
    return max((_level(fact) for fact in query.facts(node)), default=0)


class Query:
    """A query about a built ending.

    Args:
        library: Its tables, by the metric that counts plies to the end.
        ending: Its canonical name.
        text: What is asked for.
        dtz: The tables by DTZ, where there are some of the game.

    Raises:
        QueryError: The query cannot be understood.
        NotBuiltError: A table that it needs is not built.
        TableError: Its table cannot be read.
    """

    def __init__(self, library: Library, ending: str, text: str, dtz: Library | None = None) -> None:
        game: Game[Any, Any] = library.game
        self.library, self.game, self.ending, self.text, self.dtz = library, game, ending, text, dtz
        vocabulary: Vocabulary = game.vocabulary
        self.node = query.parse(text, vocabulary, game.men(ending), ending)
        library.table(ending)
        if dtz is not None and any(fact.name in _BY_DTZ for fact in query.facts(self.node)):
            dtz.table(ending)
        else:
            self.dtz = None
        if _levels(self.node) == 4:
            library.check_moves(ending)


class FindResult:
    """The positions that were found, in the order of the table: White to move first.

    Attributes:
        query: What was asked for.
        count: How many there are.
    """

    def __init__(self, asked: Query, count: int, keys: array[int]) -> None:
        self.query, self.count = asked, count
        self._keys = keys

    def __len__(self) -> int:
        return len(self._keys)

    def __getitem__(self, number: int) -> Any:
        return self.query.game.index.from_key(self.query.ending, self._keys[number])

    def chosen(self, rng: Random, most: int) -> Sequence[int]:
        """The numbers of all, or of so many of them at random, ascending."""
        return sorted(rng.sample(range(len(self)), min(most, len(self))))

    def records(self, numbers: Sequence[int]) -> list[PositionRecord]:
        """Some of them as sets of studies have them."""
        game, note = self.query.game, self.query.text[:200]
        return [PositionRecord(position=game.format(self[n]), note=note, location=f"position {n + 1}") for n in numbers]


class Find(Work):
    """Finds what a query asks for.

    Args:
        asked: The query.
        listed: Whether the positions are wanted, or their number only.
        threads: Threads to work with; as many as the machine has cores by default.
        memory: Bytes of memory that may be used; three quarters of what is free by default.
    """

    died = "the search ended early", "close other programs and try again"
    stopped = "the search was cancelled", ""

    def __init__(
        self, asked: Query, listed: bool = True, threads: int | None = None, memory: int | None = None
    ) -> None:
        super().__init__()
        self.asked, self.listed, self.memory = asked, listed, memory
        self.threads = threads or cores()

    def run(self, on_progress: Callable[[str, float], None]) -> FindResult:
        """Looks at all positions (blocking).

        Args:
            on_progress: Told what is done, and which part of the whole is.

        Raises:
            EndgameError: It failed, was cancelled, or there are too many positions to list.
        """
        asked = self.asked
        count, keys = 0, array("Q")
        with tempfile.TemporaryDirectory() as room:
            request = {
                "game": asked.game.entry, "places": asked.library.places, "ending": asked.ending, "query": asked.text,
                "dtz": asked.dtz.game.entry if asked.dtz is not None else "", "threads": self.threads,
                "keys": str(Path(room, "keys")) if self.listed else "", "memory": self.memory,
            }  # fmt: skip
            for message in self.told(_MODULE, request, "found"):
                if message["event"] == "found":
                    count = message["count"]
                else:
                    on_progress(message["what"], message["part"])
            if self.listed:
                if count > MOST:
                    raise EndgameError(
                        f"{count} positions are too many to list", "add a condition, or ask for their number alone"
                    )
                with Path(room, "keys").open("rb") as file:
                    keys.fromfile(file, count)
        return FindResult(asked, count, keys)


# In the process that looks at positions


class _Source:
    """The codes of one side of a table, read frame by frame when they are asked for; safe from several threads."""

    def __init__(self, library: Library, ending: str, side: int, kept: Any, threads: int) -> None:
        self.table, self.side, self.kept = library.table(ending), side, kept
        self.table.expand(threads)
        self.tiling = self.table.tilings[side]
        first = self.table.number(side, 0)
        held = np.flatnonzero(self.table.lengths[first : first + self.tiling.frames]).tolist()
        self.holds_any = bool(held)
        """Whether this side has positions of its own."""
        self.codes = mmap_arrays.zeros(len(kept) * 64, self.table.dtype, self.tiling.stretches(held))
        self.there = np.zeros(self.tiling.frames, np.bool_)
        """Which frames have been read."""

    def read(self, frame: int) -> None:
        """Reads a frame, if that has not been done; raises TableError."""
        if not self.there[frame]:  # two threads may read it at once: they write the same
            self.table.read_frame(self.side, self.kept, self.codes, frame)
            self.there[frame] = True

    def at(self, slots: Any) -> Any:
        """The codes of some slots, and which of them are kept."""
        frames, _ = self.tiling.place(slots)
        for frame in np.unique(frames).tolist():
            self.read(frame)
        return self.codes[slots], self.is_kept(slots)

    def is_kept(self, slots: Any) -> Any:
        """Which slots hold a legal canonical position."""
        return (self.kept[slots >> 6] >> (slots & 63).astype("uint64") & 1).astype(bool)


class _Side:
    """Positions with one side to move.

    Args:
        asked: The query.
        side: Side to move, 0 for the side named first.
        source: Gives the codes of the ending by side.
        dtz: The same by DTZ.
        codes: Gives the codes of any ending, for the moves.
    """

    def __init__(
        self, asked: Query, side: int, source: Callable[[int], Any], dtz: Callable[[int], Any], codes: Any
    ) -> None:
        self.side, self.asked = side, asked
        self.own: _Source = source(side)
        self.source, self.dtz = source, dtz
        self.questions = asked.game.solver.query_facts(asked.ending, side, codes)
        self.node = asked.node
        game, facts = asked.game, list(query.facts(asked.node))
        men = [fact for fact in facts if fact.name in MEN]
        self.turns = 1 if all(map(self.questions.is_symmetric, men)) else self.questions.symmetries
        self._tables = {"": _meanings(game, self.own.table, side)}
        if asked.dtz is not None:
            self._tables["dtz"] = _meanings(asked.dtz.game, asked.dtz.table(asked.ending), side)
        self._each = np.arange(len(self._tables[""]["result"]), dtype=self.own.table.dtype)
        self.late = sorted({level for fact in facts if (level := _level(fact)) > 2})
        self.enough = _enough(asked.node)
        self._of_codes: dict[int, Any] = {}
        self.hanging = any(fact.name == "hanging" for fact in facts)
        codes_alone = self._may(self.node, 2, _Place(self._each, None, 0))[0]
        first, frames = self.own.table.number(side, 0), self.own.tiling.frames
        self.frames = self.own.table.counts.with_any(
            np.broadcast_to(codes_alone, len(self._each)), first, first + frames
        )

    def prepare(self) -> None:
        """Reads what all frames need."""
        if 4 in self.late and self.frames:
            self.questions.prepare(self.hanging)

    # What a condition says

    def _value(self, fact: Condition, at: Any) -> Any:
        """A fact or a number of some positions."""
        if fact.name == "to move":
            return np.bool_(WINNERS[self.side] == fact.args[0])
        if fact.name in MEN:
            return self.questions.evaluate(fact, at.men, at.turn)
        if fact.name in _BY_DTZ:
            plies, cursed = self._tables["dtz"]["depth"], self._tables["dtz"]["cursed"]
            return (plies if fact.name == "dtz" else cursed)[at.dtz]
        table = self._tables[""]
        if fact.name == "wins":
            return table["won" if WINNERS[self.side] == fact.args[0] else "lost"][at.codes]
        if fact.name in _CODES:
            return table[fact.name][at.codes]
        if fact.name == "zugzwang":
            other, kept = at.other
            turned = self._tables[""]["result"][other]  # as the other side sees it
            return kept & (-turned > table["result"][at.codes])
        return self._of_moves(fact, table["result"][at.codes], at.moves)

    def _of_moves(self, fact: Condition, result: Any, moves: Any) -> Any:
        legal, keeping, best, kinds, best_kinds, loose, check = moves.T
        numbers = {
            "moves": legal, "best moves": best, "winning moves": keeping * (result > 0),
            "drawing moves": keeping * (result == 0), "hanging": loose > 0, "check": check > 0,
        }  # fmt: skip
        if fact.name in numbers:
            return numbers[fact.name]
        kind = self.questions.kinds[fact.args[0]] if fact.args else 0
        if fact.name == "best move":
            return best_kinds & kind != 0
        only = (keeping == 1) & (legal > 1) & (result >= 0)
        return only & (kinds & kind != 0) if kind else only

    def _number(self, side: int | Condition, at: Any) -> Any:
        return side if isinstance(side, int) else self._value(side, at)

    def _leaf(self, node: Condition | Comparison, at: Any) -> Any:
        if isinstance(node, Condition):
            return self._value(node, at)
        left, right = self._number(node.left, at), self._number(node.right, at)
        return _SIGNS[node.sign](left, right) & _known(node.left, left) & _known(node.right, right)

    def _may(self, node: Node, level: int, at: Any) -> tuple[Any, Any]:
        """Where a condition may hold, and where it may not, as far as what costs no more than a level tells."""
        if level >= 2 and (table := self._by_code(node)) is not None:
            found = table[at.codes]
            return found, ~found
        if isinstance(node, Negation):
            holds, fails = self._may(node.part, level, at)
            return fails, holds
        if isinstance(node, Conjunction | Disjunction):
            parts = [self._may(part, level, at) for part in node.parts]
            if isinstance(node, Disjunction):
                parts = [(fails, holds) for holds, fails in parts]
            holds, fails = parts[0]
            for one, other in parts[1:]:
                holds, fails = holds & one, fails | other
            return (holds, fails) if isinstance(node, Conjunction) else (fails, holds)
        if _levels(node) > level or (any(f.name in MEN for f in query.facts(node)) and at.men is None):
            return np.bool_(True), np.bool_(True)
        if id(node) not in at.told:
            at.told[id(node)] = np.asarray(self._leaf(node, at), np.bool_)
        found = at.told[id(node)]
        return found, ~found

    def _by_code(self, node: Node) -> Any:
        """For all that may be stored whether a condition holds; None where something else is asked, too."""
        if id(node) not in self._of_codes:
            self._of_codes[id(node)] = None  # while the parts are asked
            if all(_level(fact) in (0, 2) for fact in query.facts(node)):
                holds, _ = self._may(node, 2, _Place(self._each, None, 0))
                self._of_codes[id(node)] = np.broadcast_to(holds, len(self._each))
        return self._of_codes[id(node)]

    def _looked_up(self, slots: Any, turn: int, known: dict[str, Any]) -> Any:
        """Which of some slots are as asked: what costs least is asked first, all else of those it leaves open."""
        found, unsure = np.zeros(len(slots), np.bool_), np.arange(len(slots))
        at = _Rows(self, slots, turn, known, {})
        for level in self.late:
            if len(unsure):
                may, may_not = (np.broadcast_to(told, len(unsure)) for told in self._may(self.node, level, at))
                found[unsure[~may_not]] = True
                left = may & may_not
                at, unsure = at.some(left), unsure[left]
        return found

    # Frame by frame

    def frame(self, frame: int) -> Any:
        """The slots of a frame that are as asked, times 16, with the number of the copy that is."""
        box = self.own.tiling.ranges(frame)
        men = self.questions.men_in_box(box) if any(f.name in MEN for f in query.facts(self.node)) else ()
        here = [turn for turn in range(self.turns) if self._may(self.node, 1, _Place(None, men, turn))[0].any()]
        none = np.zeros(0, np.int64)
        if not here:
            return none
        self.own.read(frame)
        codes, every = self.own.tiling.cut(self.own.codes, frame), self.own.tiling.slots(frame)
        found, known = none, dict[str, Any]()
        for turn in here:
            may = self._may(self.node, 2, _Place(codes, men, turn))[0]
            slots = every[np.broadcast_to(may, codes.shape).reshape(-1)]
            slots = np.setdiff1d(slots[self.own.is_kept(slots)], found >> 4, assume_unique=True)
            if len(slots) and self.late:
                slots = slots[self._looked_up(slots, turn, known)]
            found = np.concatenate([found, slots << 4 | turn])
        return found

    def keys(self, found: Any) -> Any:
        """The keys of what was found, as positions are told."""
        found = np.sort(found)
        arrays, ending = self.asked.game.index.arrays(), self.asked.ending
        if self.turns == 1:
            return arrays.keys(ending, self.side, found >> 4)
        parts = [found[start : start + _AT_ONCE] for start in range(0, len(found), _AT_ONCE)]
        told = [arrays.copied_keys(ending, self.side, part >> 4)[np.arange(len(part)), part & 15] for part in parts]
        return np.concatenate([np.zeros(0, np.uint64), *told])


_AT_ONCE = 1 << 18
"""Positions whose keys are made at once."""


class _Place:
    """The positions of a frame, as far as they are looked at together."""

    def __init__(self, codes: Any, men: Any, turn: int) -> None:
        self.codes, self.men, self.turn = codes, men, turn
        self.told: dict[int, Any] = {}


class _Rows:
    """Some positions of a frame, one by one.

    Args:
        side: The side to move.
        slots: They.
        turn: Which of their copies is asked about.
        known: What was found out about the frame's, which is kept for their other copies.
        told: Which conditions hold of them, as far as that was asked.
    """

    def __init__(self, side: _Side, slots: Any, turn: int, known: dict[str, Any], told: dict[int, Any]) -> None:
        self._side, self.slots, self.turn, self._known, self.told = side, slots, turn, known, told

    def some(self, which: Any) -> _Rows:
        """Some of them, and what is known of these."""
        told = {node: np.broadcast_to(holds, len(self.slots))[which] for node, holds in self.told.items()}
        return _Rows(self._side, self.slots[which], self.turn, self._known, told)

    @cached_property
    def men(self) -> Any:
        """Where their men stand."""
        return self._side.questions.men_at(self.slots)

    @cached_property
    def codes(self) -> Any:
        """Their codes."""
        return self._side.own.codes[self.slots]

    @cached_property
    def dtz(self) -> Any:
        """Their codes by DTZ."""
        return self._side.dtz(self._side.side).at(self.slots)[0]

    @cached_property
    def other(self) -> Any:
        """Codes with the other side to move, and where that is possible."""
        return self._side.source(1 - self._side.side).at(self.slots)

    @cached_property
    def moves(self) -> Any:
        """What their moves are like; looked at once for each position."""
        side = self._side
        if "moves" not in self._known:
            told = side.questions.move_facts(self.slots, side.own.codes[self.slots], side.enough)
            self._known["moves"] = self.slots, told  # ascending, as all slots of a frame are
            return told
        known, rows = self._known["moves"]
        missing = np.setdiff1d(self.slots, known, assume_unique=True)
        if len(missing):
            told = side.questions.move_facts(missing, side.own.codes[missing], side.enough)
            known, rows = np.concatenate([known, missing]), np.concatenate([rows, told])
            order = np.argsort(known)
            known, rows = self._known["moves"] = known[order], rows[order]
        return rows[np.searchsorted(known, self.slots)]


_SIGNS: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "=": lambda a, b: a == b, "!=": lambda a, b: a != b, "<": lambda a, b: a < b, "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b, ">=": lambda a, b: a >= b,
}  # fmt: skip


def _known(side: int | Condition, value: Any) -> Any:
    """Where a number is known: draws have no depth."""
    return value != _NONE if isinstance(side, Condition) and side.name in ("depth", "dtz") else True


def _meanings(game: Game[Any, Any], table: Table, side: int) -> dict[str, Any]:
    """What all that a table may store means with one side to move."""
    values = [game.index.value(code) for code in table.meaning(side)]
    result = np.array([category.sign for category, _ in values], np.int8)
    late = [category in (Category.CURSED_WIN, Category.BLESSED_LOSS) for category, _ in values]
    return {
        "result": result, "won": result > 0, "lost": result < 0, "drawn": result == 0, "cursed": np.array(late),
        "depth": np.array([_NONE if n is None else n for _, n in values], np.int64),
    }  # fmt: skip


def _enough(node: Node) -> int:
    """After how many moves that keep the result nothing more need be known of a position."""
    facts = [fact for fact in query.facts(node) if _level(fact) == 4 and fact.name not in ("hanging", "check")]
    return 2 if all(fact.name == "only move" for fact in facts) else _ALL_MOVES


class _Finder:
    """Looks at all positions of an ending."""

    def __init__(self, asked: Query, threads: int, listed: bool) -> None:
        self.asked, self.threads, self.listed = asked, threads, listed
        self.cancelled = threading.Event()
        library = asked.library
        self._is_new = _levels(asked.node) == 4 and not library.mark(_COMPILING).exists()
        work = library.game.index.slots(asked.ending) * _SECONDS_PER_SLOT
        self._count = ProgressEstimator([_SECONDS_TO_COMPILE if self._is_new else 0.0, work, work], 2 / min(2, threads))
        self._said = 0.0
        self._sources: dict[tuple[str, int], _Source] = {}
        self._whole: dict[tuple[str, int], Any] = {}
        self._lock = threading.RLock()

    def give_up(self) -> None:
        """Cancels, and waits a moment for that."""
        self.cancelled.set()
        time.sleep(_LAST)

    def _say(self, what: str, anyway: bool = False) -> None:
        if self.cancelled.is_set():
            raise BuildCancelledError(*Find.stopped)
        if anyway or time.monotonic() - self._said > _PAUSE:
            self._said = time.monotonic()
            part, _ = self._count.now
            jsonl_process.send({"event": "progress", "what": what, "part": round(part, 4)})

    def _source(self, library: Library, side: int) -> _Source:
        """The codes of the ending with one side to move; of a table with one side the other's are its copy."""
        key = library.game.metric, side
        with self._lock:
            if key not in self._sources:
                kept = library.game.solver.canonical_bits(self.asked.ending, side, self.threads)
                self._sources[key] = _Source(library, self.asked.ending, side, kept, self.threads)
        return self._sources[key]

    def _codes(self, name: str, side: int, wanted: DigitFilter = ()) -> Any:
        """The codes of any ending, as moves need them; of its own with the side to move they are asked for apart."""
        library = self.asked.library
        if wanted:
            return library.read_side(name, side, self.threads, wanted)
        with self._lock:
            if name == self.asked.ending and self.side == side:
                return self._source(library, side).codes
            if (name, side) not in self._whole and name == self.asked.ending:
                source = self._turned(side)
                with ThreadPoolExecutor(self.threads) as pool:
                    for _ in pool.map(source.read, range(source.tiling.frames)):
                        self._say(f"reading {name}")
                self._whole[name, side] = source.codes
            elif (name, side) not in self._whole:
                self._say(f"reading {name}")
                self._whole[name, side] = library.read_side(name, side, self.threads)
            return self._whole[name, side]

    def run(self, keys: Path | None) -> int:
        """Looks at all positions; returns how many are as asked, and writes their keys."""
        count, told = 0, list[Any]()
        for self.side in range(2):
            self._say("compiling" if self._is_new and not self.side else "starting", True)
            side = _Side(self.asked, self.side, self._turned, self._by_dtz, self._codes)
            side.prepare()
            if not self.side:
                self._count.begin(1, anew=True)
                if self._is_new:
                    self.asked.library.compiled(_COMPILING)
            found: list[Any] = []
            with ThreadPoolExecutor(self.threads) as pool:
                try:
                    for done, some in enumerate(pool.map(partial(self._look, side), side.frames), 1):
                        count += len(some)
                        if keys is not None and count <= MOST:
                            found.append(some)
                        self._count.reach(done / len(side.frames), done / len(side.frames))
                        self._say("looking at positions")
                except BaseException:
                    self.cancelled.set()
                    raise
            if keys is not None and count <= MOST:
                told.append(side.keys(np.concatenate([np.zeros(0, np.int64), *found])))
            self._count.begin(2 + self.side)
        if keys is not None and count <= MOST:
            np.concatenate(told).astype("<u8").tofile(keys)
        return count

    def _look(self, side: _Side, frame: int) -> Any:
        if self.cancelled.is_set():
            raise BuildCancelledError(*Find.stopped)
        return side.frame(frame)

    def _by_dtz(self, side: int) -> _Source:
        assert self.asked.dtz is not None, "a query by DTZ needs DTZ tables"
        return self._source(self.asked.dtz, side)

    def _turned(self, side: int) -> Any:
        """The codes of a side; where they are a copy of the other's, that."""
        source = self._source(self.asked.library, side)
        if source.holds_any:
            return source
        other = self._source(self.asked.library, 1 - side)
        for frame in range(other.tiling.frames):
            other.read(frame)
        questions = self.asked.game.solver.query_facts(self.asked.ending, 1 - side, self._codes)
        codes = questions.opposite_codes(other.codes)
        if codes is not None:
            source.codes, source.kept = codes, other.kept
            source.there[:] = True
        return source


def _serve(request: dict[str, Any]) -> None:
    places = request["places"]
    library = Library.at(jsonl_process.load_object(request["game"]), places)
    dtz = Library.at(jsonl_process.load_object(request["dtz"]), places) if request["dtz"] else None
    asked = Query(library, request["ending"], request["query"], dtz)
    finder = _Finder(asked, request["threads"], bool(request["keys"]))
    jsonl_process.end_with_input(finder.give_up)
    with memory_for(library, asked.ending, f"a query about {asked.ending}", request["memory"]):
        count = finder.run(Path(request["keys"]) if request["keys"] else None)
    jsonl_process.send({"event": "found", "count": count})


if __name__ == "__main__":
    jsonl_process.serve(_serve)

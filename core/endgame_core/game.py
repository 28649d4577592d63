"""The Game protocol: everything the explorer, practice and the command line need to know about a game."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Generic, Literal, Protocol, Self, TypeVar

from endgame_core import paths
from endgame_core.errors import EndgameError, LayerError, PositionError
from endgame_core.language import _
from endgame_core.metric import Metric
from endgame_core.values import (
    BYTE_DRAW,
    CODES_OF_BYTES,
    DRAW,
    LAST_LAYER,
    Category,
    Verdict,
    Winner,
    code_before,
    code_of,
    value_of,
)

if TYPE_CHECKING:
    from endgame_core.game_state import GameState
    from endgame_core.query import Condition, Vocabulary
    from endgame_core.search_estimate import Engine


@dataclass(frozen=True, slots=True)
class Slot:
    """The place of a position in the table of its ending.

    Attributes:
        ending: Name of the ending, e.g. ``KQvKR``.
        side: 0 if the side named first is to move, 1 otherwise.
        index: Index in the table of that side to move.
        swapped: Whether the colours were exchanged to match the name (position of ``KvKQ``, stored in ``KQvK``).
    """

    ending: str
    side: int
    index: int
    swapped: bool = False


@dataclass(frozen=True, slots=True)
class Part:
    """The positions of a layer in one table with one side to move: they share one code.

    Attributes:
        table: Name of the table.
        side: Side to move, 0 for the side named first.
        code: The code of these positions.
    """

    table: str
    side: int
    code: int


@dataclass(frozen=True, slots=True)
class SolveProgress:
    """Progress of a solver: a finished layer, a number of finished slices, or a phase before the first layer.

    Attributes:
        n: The layer just finished; None while slices or a phase are counted.
        new_white: Positions (slots) with White to move in that layer.
        new_black: Positions (slots) with Black to move in that layer.
        done: Finished slices; in a phase, finished units of any size.
        total: Number of slices of the ending, or of units of the phase; 0 if unknown.
        phase: Name of the phase before the first layer; empty while layers or slices are counted.
        part: Finished fraction of the whole solve, 0 to 1.
        ahead: The value of ``part`` once the current unit is finished.
    """

    n: int | None = None
    new_white: int = 0
    new_black: int = 0
    done: int = 0
    total: int = 0
    phase: str = field(default="", kw_only=True)
    part: float = field(default=0.0, kw_only=True)
    ahead: float = field(default=0.0, kw_only=True)


def _ignore_reason(__: str) -> None:
    return


class FinishedParts(Protocol):
    """Takes finished parts of the codes of an ending while the others are still being solved."""

    def clear(self) -> None:
        """Forget all parts: the solve begins again."""
        ...

    def take(self, side: int, start: int, codes: Any, canonical: Any) -> bool:
        """Take a part; return False if the solver has to keep it.

        Args:
            side: The side to move.
            start: The first slot of the part.
            codes: The bytes of its slots.
            canonical: The bits of its legal canonical positions.
        """
        ...


@dataclass(frozen=True, slots=True)
class SolverBudget:
    """Limits and working files of a solver.

    Attributes:
        memory: Bytes of memory.
        work_file: Checkpoint from which an interrupted solve resumes.
        sources: Identify the sub-endings' tables; a checkpoint made from other tables is discarded.
        may_exceed_bytes: Whether a move into a sub-ending may have a value that does not fit into a byte.
        disk: Limit of the work file in bytes; near the limit the solver spends time on compressing it.
        on_restart: Called with the reason if an unfinished solve cannot be resumed.
        finished_parts: Takes parts of the codes that the solver no longer reads, so that it need not keep them.
    """

    memory: int
    work_file: Path
    sources: tuple[str, ...] = ()
    may_exceed_bytes: bool = False
    disk: int = 0
    on_restart: Callable[[str], None] = _ignore_reason
    finished_parts: FinishedParts | None = None


def work_file_limit(size: int) -> int:
    """Return the limit of the work file (:attr:`SolverBudget.disk`) for a table of an estimated size, in bytes."""
    return size * 17 // 10


def _do_nothing() -> None:
    return


@dataclass(slots=True)
class SolvedEnding:
    """A solved ending, ready to be written.

    Attributes:
        codes: uint8 array of shape (2, slots): the byte of every slot, White to move first. None if ``chunks`` is set.
        canonical: uint64 array of shape (2, slots / 64): bit i of word w is set if slot 64 w + i holds a legal
            canonical position. The codes of all other slots are undefined.
        copies: Number of boards (symmetric copies) of a canonical position that has no symmetry of its own.
        missing: int64 array of shape (2, 256), or (2, 65536) if ``wide``: per side and stored value, the number of
            boards that self-symmetric positions fall short of ``copies``. With ``chunks`` it is complete only after
            all chunks have been read.
        chunks: Called with the side to move, yields codes and canonical bits of consecutive ranges of slots. A chunk
            is valid only until the next one is requested.
        wide: Whether the codes are uint16, because bytes cannot hold them.
        done: Called once the table has been written.
    """

    codes: Any = None
    canonical: Any = None
    copies: int = 1
    missing: Any = None
    chunks: Callable[[int], Iterable[tuple[Any, Any]]] | None = None
    wide: bool = False
    done: Callable[[], None] = _do_nothing

    def parts(self, side: int) -> Iterable[tuple[Any, Any]]:
        """Return codes and canonical bits of one side to move, in consecutive parts."""
        if self.chunks is not None:
            return self.chunks(side)
        return [(self.codes[side], self.canonical[side])]


@dataclass(frozen=True, slots=True)
class KindCount:
    """Statistics of one kind of position with one side to move.

    Attributes:
        kind: The common property, e.g. ``underpromotion``.
        side: Side to move.
        count: Number of canonical positions.
        depth: Depth of the deepest one in plies; 0 if they are draws.
        slot: The first slot of that depth; for en passant shifted left by six bits, the low bits being the square of
            the capture.
    """

    kind: str
    side: int
    count: int
    depth: int
    slot: int


@dataclass(frozen=True, slots=True)
class MoveSurvey:
    """Facts about the moves of all positions of an ending, or of a range of its slots.

    Attributes:
        results: Per side to move a uint64 array of shape (words, 2), 64 slots a word: the legal canonical positions
            that the side to move does not win, and those that it does not lose. Given also for a side that the table
            does not store. None if the part only updates the counts.
        hanging: Per side to move, the number of boards on which it can capture a piece for nothing, by result: win,
            draw, loss. Empty in games without such captures.
        kinds: The kinds of positions counted so far.
        first_slot: The slot of the first bit; a large ending is surveyed in parts.
    """

    results: Sequence[Any]
    hanging: list[list[int]] = field(default_factory=list[list[int]])
    kinds: list[KindCount] = field(default_factory=list[KindCount])
    first_slot: int = 0


DEEP = _("where wins take more than 127 moves")
"""Names the case in which an ending needs more memory: it has wins that do not fit into bytes."""


@dataclass(frozen=True, slots=True)
class Cost:
    """Cost of building one ending without its sub-endings.

    Attributes:
        seconds: Time on two cores.
        size: Bytes of the finished table.
        memory: Bytes of memory for the fastest build.
        least: Minimum memory if the solver can move data to disk; 0 if it cannot.
        deep: Minimum memory if this ending or a sub-ending turns out to have wins that do not fit into bytes; 0 if
            that makes no difference or is already known.
        scratch: Bytes of disk that the build needs besides the finished table, and frees.
    """

    seconds: float
    size: int
    memory: int
    least: int = 0
    deep: int = 0
    scratch: int = 0

    @property
    def peak(self) -> int:
        """The largest number of bytes on disk during the build."""
        return self.size + self.scratch

    @property
    def enough(self) -> int:
        """The minimum memory in bytes."""
        return self.least or self.memory

    def within(self, memory: int | None) -> Cost:
        """Return the cost under a memory limit, which is raised to :attr:`enough`; None means no limit."""
        if memory is None:
            return self
        return replace(self, memory=max(self.enough, min(self.memory, memory)))


@dataclass(frozen=True, slots=True)
class Listing:
    """How the catalogue lists the endings of a game, and which of them are built together.

    Attributes:
        unit: Plural noun for the pieces: ``men``, ``stones``.
        example: An ending to use as an example in a search field.
        sets: Sets of endings built together: key, label, and the numbers of men they include.
        order: Sort key for the endings with the same number of men.
    """

    unit: str
    example: str
    sets: tuple[tuple[str, str, tuple[int, ...]], ...]
    order: Callable[[str], Any]


DigitFilter = Sequence[Collection[int]]
"""The digits of the slots that a caller needs, one collection per axis of the index; empty for all slots."""


Codes = Callable[[str, int], Any]
"""Return the codes of a finished ending with one side to move: uint8 of shape (slots,)."""


class Lookup(Protocol):
    """Return the stored values of a finished ending with one side to move, as far as the caller needs them."""

    def __call__(self, ending: str, side: int, digits: DigitFilter = (), /) -> Any:
        """Return an array in which slots that are not canonical, or not selected by ``digits``, are undefined."""
        ...


class Arrays(Protocol):
    """The index of a game for many slots at once. Arrays are numpy arrays; obtaining this object imports numpy.

    ``start`` and ``count`` are multiples of 64; slots are int64, keys are uint64.
    """

    def copies(self, ending: str, side: int, start: int, count: int) -> Any:
        """Return the number of boards of each slot's position: uint8 (count,), 0 for illegal or non-canonical slots."""
        ...

    def copies_in(self, ending: str, side: int, box: Sequence[range]) -> Any:
        """Return the same for a box of slots, given by its digits on each axis, in ascending order of the slots."""
        ...

    def keys(self, ending: str, side: int, slots: Any) -> Any:
        """Return the keys of slots."""
        ...

    def copied_keys(self, ending: str, side: int, slots: Any) -> Any:
        """Return the keys of slots and of their symmetric copies: one row per slot, possibly with duplicates."""
        ...

    def slots_of_keys(self, ending: str, keys: Any) -> tuple[Any, Any]:
        """Return sides and slots of arbitrary keys; the slot is -1 if a key belongs to none."""
        ...


class OnePlyDeriver(Protocol):
    """Derives the codes of one ending's positions from those of the positions one ply later, many at once."""

    def derived(self, side: int, start: int, count: int) -> tuple[Any, Any]:
        """Return the canonical slots of a range (int64) and their derived codes (int32, -1 if not derivable)."""
        ...


class QueryFacts(Protocol):
    """Evaluates the conditions of a query for many positions of one ending and side to move; see ``tables/find.py``.

    *Men* are arrays with the places of the men, of equal shape or broadcastable to one. A *symmetry* is the number of
    a symmetric copy, 0 for the position itself.
    """

    symmetries: int
    """The largest number of copies of a position."""
    kinds: Mapping[str, int]
    """Bit of each kind of move."""

    def is_symmetric(self, condition: Condition, /) -> bool:
        """Return whether a condition about men has the same value in all symmetric copies."""
        ...

    def men_in_box(self, box: Sequence[range], /) -> Sequence[Any]:
        """Return the men of a box of slots, given by its digits on each axis."""
        ...

    def men_at(self, slots: Any, /) -> Sequence[Any]:
        """Return the men of slots."""
        ...

    def evaluate(self, condition: Condition, men: Sequence[Any], symmetry: int, /) -> Any:
        """Return a condition or number that depends on the men only, in one symmetric copy."""
        ...

    def opposite_codes(self, codes: Any, /) -> Any:
        """Return the codes with the other side to move if they follow from these; None if a table has them."""
        return None

    def prepare(self, hanging: bool, /) -> None:
        """Load the values that moves lead to and compile the kernels; ``hanging``: also find hanging pieces."""
        return

    def move_facts(self, slots: Any, codes: Any, enough: int, /) -> Any:
        """Return facts about the moves of positions, one row each.

        Columns: legal moves, moves that keep the result, best moves, the kinds of these two, whether a piece hangs,
        whether the side to move is in check. Counting stops at ``enough`` moves that keep the result.
        """
        ...


class Solver(Protocol):
    """Builds and verifies the tables of a game. Imports numba and numpy only when they are needed."""

    def compile_times(self, endings: Sequence[str], survey: bool = False, /) -> Mapping[str, float]:
        """Return the kernels that these endings need, in order of compilation, with estimated seconds for each.

        With ``survey`` those of :meth:`examine` are included. Nothing is imported.
        """
        ...

    def warm_up(self, endings: Sequence[str], report: Callable[[str], None], survey: bool = False, /) -> None:
        """Compile the kernels, once per machine; ``report`` is called with the name of each as it begins."""
        ...

    def canonical_bits(self, ending: str, side: int, threads: int, digits: DigitFilter = (), /) -> Any:
        """Return the canonical slots of one side to move as bits: uint64 of shape (slots / 64,).

        With ``digits`` (one collection per axis), the bits of all other slots are undefined.
        """
        ...

    def solve(
        self,
        ending: str,
        lookup: Lookup,
        threads: int,
        on_progress: Callable[[SolveProgress], None],
        budget: SolverBudget | None = None,
        /,
    ) -> SolvedEnding:
        """Solve an ending within a budget; ``on_progress`` may raise BuildCancelledError to stop."""
        ...

    def examine(
        self, ending: str, codes: Lookup, threads: int, on_progress: Callable[[SolveProgress], None], /
    ) -> Iterator[MoveSurvey]:
        """Survey the moves of all positions; ``codes`` returns those of the ending and of its sub-endings.

        Yields a survey per part of the slots; ``hanging`` and ``kinds`` are cumulative.
        """
        ...

    def survey_memory(self, ending: str, wide: bool, /) -> int:
        """Return the bytes of memory of :meth:`examine` for codes (``wide``) or bytes; imports nothing."""
        ...

    def one_ply_deriver(self, ending: str, codes: Codes, /) -> OnePlyDeriver:
        """Return a deriver of one-ply values; ``codes`` returns those of the ending and of its sub-endings."""
        ...

    def query_facts(self, ending: str, side: int, codes: Lookup, /) -> QueryFacts:
        """Return an evaluator of queries; ``codes`` returns those of the ending and of its sub-endings."""
        ...


class Deriver(Protocol):
    """Derives the table of one side to move from the other side's and from the sub-endings' (DTM only)."""

    def codes_at(self, ending: str, side: int, slots: Any, values: Callable[[str, int, Any], Any], /) -> Any:
        """Return the codes of canonical slots: int32, -1 if the rules of the game are needed; imports numpy.

        ``values`` returns the codes of canonical slots of any ending with one side to move.
        """
        ...

    def stored_side(
        self, ending: str, side: int, codes: Lookup, threads: int, digits: DigitFilter = (), wide: bool = False, /
    ) -> Any:
        """Return the stored values of all slots, or of those in ``digits``, of shape (slots,); imports numba.

        They are bytes, or codes if ``wide``.
        """
        ...

    def copies(self, ending: str, /) -> int:
        """Return the number of boards of a canonical position that has no symmetry of its own."""
        ...

    def has_twins(self, ending: str, box: Sequence[range], /) -> bool:
        """Return whether a box may contain a self-symmetric position, which has fewer boards; imports numpy."""
        ...


P = TypeVar("P")
M = TypeVar("M")


class Index(Protocol[P, M]):
    """Numbers the positions of a game in tables, and defines what the stored codes mean.

    The methods with a body suit most games: a slot determines a position, and the parity of a depth the winner.
    """

    slots: Callable[[str], int]
    """The number of slots per side to move."""
    key: Callable[[P], int]
    """The position as a number below 2**63."""
    key_words: Callable[[str], str]
    """Describes the bits of a key except bit 0, in sentences for a reader who has only an archive."""
    from_key: Callable[[str, int], P]
    """The position of a key; raises PositionError."""
    arrays: Callable[[], Arrays]
    """The index over many slots at once."""
    slot_of: Callable[[P], Slot]
    """The table slot of a legal position (any symmetric copy, any colours)."""
    family: Callable[[Slot, Category], tuple[str, Winner | None]]
    """The ending and the winner, as lists of layers name them, of a position with this result; None for a draw."""
    axes: Callable[[str], tuple[int, ...]]
    """The number of values of each digit of a slot, outermost first; their product is the number of slots."""

    def extra_moves(self, position: P, /) -> Sequence[M]:
        """Return legal moves that the slot does not cover: in chess, en passant captures."""
        return ()

    def position_at(self, ending: str, side: int, index: int, /) -> P:
        """Return the position in a slot, White being the side named first."""
        ...

    def trivial_code(self, position: P, /) -> int:
        """Return the code of a position that is in no table; see :meth:`Game.is_trivial`."""
        return DRAW

    def value(self, code: int, /) -> tuple[Category, int | None]:
        """Decode a code into category and depth in plies (None for a draw)."""
        return value_of(code)

    def draw_byte(self, table: str, side: int, /) -> int:
        """Return the byte of a draw in a table of bytes, for a side to move."""
        return BYTE_DRAW

    def codes(self, draw: int, /) -> Sequence[int]:
        """Return the code of each of the 256 bytes of a table whose draw byte is ``draw``."""
        return CODES_OF_BYTES

    def move_code(self, position: P, move: M, code: int, /) -> int:
        """Return the code of a move for its mover, given the code of the position after it."""
        return code_before(code)

    def parts(self, ending: str, winner: Winner | None, n: int | None, side: int = 0, /) -> Sequence[Part]:
        """Return the parts of tables that make up layer S_n of a winner; without a winner, the draws of ``side``.

        Raises:
            LayerError: No table can have such a layer.
        """
        ...


Opcodes = Mapping[str, str | int | float]
"""EPD opcodes by name."""


@dataclass(frozen=True, slots=True)
class PositionRecord:
    """A position read from a file, valid or not.

    Attributes:
        location: Its place in the file, e.g. ``line 3`` or ``game 12``.
        text: The text at that place, shortened.
        problem: Why it cannot be read, one clause; empty if it can.
        position: The position as text.
        name: EPD opcode ``id``; the players and event of a game.
        note: EPD opcode ``c0``; text after a position; the comment of a game.
        source: File and place.
        best: EPD opcode ``bm``, in SAN.
        mate: EPD opcode ``dm`` in plies, positive if the side to move mates.
        opcodes: All other EPD opcodes. ``pv`` holds the moves of a game that starts from its own position.
    """

    location: str = ""
    text: str = ""
    problem: str = ""
    position: str = ""
    name: str = ""
    note: str = ""
    source: str = ""
    best: tuple[str, ...] = ()
    mate: int | None = None
    opcodes: Opcodes = field(default_factory=dict[str, str | int | float])


class Notation(Protocol[P, M]):
    """Reads and writes positions and moves of a game in files."""

    files: str
    """The readable kinds of files, to follow ``a file`` in a sentence."""
    suffix: str
    """Suffix of a written file of positions."""
    start_of: Callable[[Mapping[str, str]], P]
    """The position at which a game with these headers starts; raises PositionError."""
    headers: Callable[[P], Mapping[str, str]]
    """The headers that identify the game and its start, without those that are the default."""
    read_move: Callable[[P, str], M]
    """The move that a word denotes; raises PositionError whose clause continues the word: ``is no legal move``."""
    read_line: Callable[[str], PositionRecord]
    """The record of a line of a file of positions, without its location; raises EndgameError."""
    write_line: Callable[[PositionRecord], str]
    """The line of a file of positions for a record, as far as the format can express it."""

    def first_move_number(self, start: P, /) -> int:
        """Return the number of the first move."""
        return 1

    def may_reach(self, headers: Mapping[str, str], text: str, men: int, /) -> bool:
        """Return False if the unparsed text of a game proves that it never has ``men`` or fewer men.

        Return True for a text with anything unusual in it, so that parsing it reports the problem.
        """
        return True


class PositionEdit(Protocol):
    """A position being set up; every change returns a new object."""

    palette: Sequence[Any]
    """The pieces that can be placed, White's first."""
    places: Sequence[int]
    """All places of the board."""
    first_cursor: int = 0
    """The place where the cursor starts."""

    @property
    def text(self) -> str:
        """The position as text, valid or not."""
        ...

    @property
    def preview(self) -> Any:
        """The position to draw, valid or not."""
        ...

    @property
    def problem(self) -> str:
        """Why the position is not valid, one sentence; empty if it is."""
        try:
            self.checked_position()
        except PositionError as problem:
            return str(problem)
        return ""

    def checked_position(self) -> Any:
        """Return the position if it is valid; raises PositionError with the reason."""
        ...

    def man(self, place: int, /) -> Any:
        """Return the man on a place; None if it is empty."""
        ...

    def side(self, place: int, /) -> Winner:
        """Return the owner of the man on a place."""
        ...

    def has_keys(self, place: int, /) -> bool:
        """Return whether key squares can be shown for the man on a place."""
        return False

    def position_with_man_moved(self, source: int, target: int, /) -> Any:
        """Return the position with one man moved and nothing else changed; raises PositionError."""
        ...

    def turn(self) -> Self:
        """Give the move to the other side."""
        ...

    def put(self, place: int, man: Any, /) -> Self:
        """Put a man on a place; None empties it."""
        ...

    def move(self, source: int, target: int, /) -> Self:
        """Move a man, replacing what is on the target; unchanged if the source is empty."""
        man = self.man(source)
        if man is None or source == target:
            return self
        return self.put(source, None).put(target, man)


Back = Literal["quiet", "unpromotion", "uncapture", "en-passant"]
"""Kinds of un-moves that lead to another ending, and ``quiet`` for all others."""

Spelling = Literal["ending", "position"]
"""The kind of thing that a text denotes, judged by its spelling."""


@dataclass(frozen=True, slots=True)
class PictureView(Generic[M]):
    """The marks that a picture of a position shows besides the pieces.

    Attributes:
        moves: Moves that are drawn as arrows.
        fills: Colours of squares or points, by their numbers.
        flipped: Whether Black's side is below.
        size: Width and height in pixels.
        arrow_colour: Colour of the arrows.
    """

    moves: tuple[M, ...] = ()
    fills: Mapping[int, str] = field(default_factory=dict[int, str])
    flipped: bool = False
    size: int = 400
    arrow_colour: str = "#2c7a3a"


class Game(Protocol[P, M]):
    """The rules of one game, as far as layers, tables and screens need them.

    ``P`` is a position, treated as immutable, ``M`` a move. ``metric`` names the depths in the tables (``dtm`` and
    ``dtz`` for chess); a game may exist once per metric. A subclass sets the attributes and overrides the methods
    whose default does not suit it.
    """

    name: str
    entry: str
    rules: str
    scheme: str
    metric: Metric
    index: Index[P, M]
    winners: tuple[Winner, Winner]
    """The two winners, as lists of layers name them."""
    horizon: int | None = None
    """Plies after which a move limit unknown to the tables may end a game or a drill; None if only games have one."""
    converts: bool = False
    """Whether wins usually go through winning material or promoting, so that a drill may end there."""
    placement_endings: Sequence[str] = ()
    """Endings of the placement test, which finds the learner's level: small, with studies of all levels.

    Empty for a game without studies, whose learning path begins with the basics.
    """
    example_position: str
    """The position at which the explorer starts: a longest win of the smallest ending, as text."""
    initial_position: str
    """The position at which a whole game starts, as text; empty if only endings are played."""
    rule_metric: Metric | None = None
    """The metric of the tables that know a move limit, which :meth:`move_limit` applies; None for none."""
    ends_in_mate: bool = False
    """Whether wins end in checkmate and are counted in moves; otherwise they are counted in plies."""
    default_defence: str = "varied"
    """The defender of drills unless the user chooses one; a value of ``practice.defence.Defence``."""
    no_ending: str = "other"
    """The heading for positions that belong to no ending."""
    speech: str = "endgame_core.words.text_model:Speech"
    """``module:class`` of the words for this game, imported only when they are needed."""
    sample_check: str = _("compared one ply deep using the rules only")
    """How an import checks the sampled positions, as a result line says it."""
    listing: Listing
    solver: Solver
    deriver: Deriver | None = None
    """Derives the unstored side of one-sided tables; None if the game has none."""
    file_notation: Notation[P, M]
    formats: Mapping[str, Callable[[P], str]] = MappingProxyType({})
    """Writers of positions by the name of the notation; :meth:`parse` reads each notation."""
    endings: Callable[[], Sequence[str]]
    """All endings of the catalogue, each after its sub-endings."""
    canonical_name: Callable[[str], str]
    """The canonical spelling of an ending (``kqkr`` becomes ``KQvKR``); raises EndingError."""
    title: Callable[[str], str]
    """The ending in words."""
    longest_known: Callable[[str], int | None]
    """The longest known win of an ending that is not built, in moves to mate (stones: in plies); or None."""
    needs: Callable[[str], Sequence[str]]
    """The sub-endings one capture or promotion away."""
    cost: Callable[[str], Cost]
    """The cost of building an ending, measured or estimated from its number of slots."""
    expected_positions: Callable[[str], int]
    """The approximate number of canonical positions of a table that is not built, both sides to move."""
    spelling_of: Callable[[str], Spelling | None]
    """Return the kind of thing that a text of this game denotes, valid or not; None if it may be another game's."""
    parse: Callable[[str], P]
    """Read a position in any notation; raises PositionError."""
    parse_move: Callable[[P, str], M]
    """Read a typed move; raises PositionError."""
    san: Callable[[P, M], str]
    """A move in standard algebraic notation."""
    uci: Callable[[M], str]
    """A move in UCI notation."""
    mover: Callable[[P], Winner]
    """The side to move, in the position's own colours."""
    format: Callable[[P], str]
    """A position as text (FEN for chess)."""
    men: Callable[[str], Sequence[str]]
    """The men of an ending in the order of the key, in words (``white king``)."""
    ending_of: Callable[[P], str]
    """The ending of a position; raises EndingError if it has none."""
    is_trivial: Callable[[P], bool]
    """Whether a position is drawn by insufficient material and therefore in no table."""
    terminal: Callable[[P], Verdict | None]
    """The verdict of a position that needs no table (mate, stalemate, bare kings), else None."""
    moves: Callable[[P], Sequence[M]]
    """All legal moves."""
    play: Callable[[P, M], P]
    """The position after a move; the argument is not changed."""
    copies_of: Callable[[P], Sequence[P]]
    """All distinct symmetric copies of a position, itself first; they have the same value."""
    with_colours_swapped: Callable[[P], P]
    """The position with the colours exchanged, including the side to move."""
    with_side_switched: Callable[[P], P | None]
    """The same men with the other side to move; None if that position is illegal."""
    start_game: Callable[[P], GameState[P, M]]
    """A game that starts from a position, without its history; the argument is not changed."""
    unmoves: Callable[[P], Sequence[tuple[P, M]]]
    """Un-moves: positions of the same ending with the move that leads from each to this position."""

    @property
    def storage_tag(self) -> str:
        """The prefix that separates this game from others in the journal and in study sets.

        Empty for chess, whose ratings and files carried no name before there were other games.
        """
        return self.name

    def views(self, ending: str, /) -> Sequence[str]:
        """Return the names under which a table's layers are listed: its own, or one per side to move."""
        return (ending,)

    def standard_san(self, position: P, move: M, /) -> str:
        """Return a move as files have it; :attr:`san` may have the letters of the user's language."""
        return self.san(position, move)

    def san_prefix(self, position: P, move: M, /) -> str:
        """Return a prefix of :meth:`san`, as long as can be computed cheaply."""
        return self.san(position, move)

    def value_key(self, position: P, /) -> Hashable:
        """Return a key that two positions share only if tables and the move limit give them the same value."""
        return self.format(position)

    def is_null(self, move: M, /) -> bool:
        """Return whether a move only passes the turn, as in annotated games; such a move cannot be played."""
        return False

    def free_captures(self, position: P, /) -> Sequence[M]:
        """Return captures that cannot be recaptured: the piece hangs. Empty in games where captures are earned."""
        return ()

    def is_check(self, position: P, /) -> bool:
        """Return whether the side to move is in check; False in games without check."""
        return False

    def is_quiet(self, position: P, move: M, /) -> bool:
        """Return whether a move is not among those a player looks at first; False if the game has no such notion."""
        return False

    def material(self, position: P, /) -> tuple[int, int]:
        """Return the material of the side to move and of the other side, in pawns or stones; 0 if not counted."""
        return 0, 0

    def scratch(self, ending: str, memory: int, /) -> int:
        """Return the bytes of disk that a build with ``memory`` bytes needs besides the finished table, and frees."""
        return self.cost(ending).size  # frames are first written to a separate file

    def parse_start(self, text: str, /) -> P:
        """Parse a position for the start of a game, which may be one that no table covers; raises PositionError."""
        return self.parse(text)

    def reading_note(self, text: str, /) -> str:
        """Return a sentence about the ignored parts of a position as text; empty for none."""
        return ""

    def move_limit(self, library: Any, syzygy: Any, /) -> Any:
        """Return the move limit of the game, a ``probe_result.Rule``; needed if there is a ``rule_metric``.

        Args:
            library: The tables with that metric.
            syzygy: Returns the :class:`~endgame_core.chess.syzygy.Syzygy` files in use; None for none.
        """
        raise LookupError(_("{name} has no move limit").format(name=self.name))

    def editor(self, position: P, /) -> PositionEdit:
        """Return an editable copy of a position; raises PositionError if the game has no board editor."""
        raise PositionError(_("{name} has no board editor").format(name=self.name), _("type a position"))

    @property
    def vocabulary(self) -> Vocabulary:
        """The terms that queries may use; imports what parses queries, which most commands do not need."""
        from endgame_core.query import Vocabulary

        return Vocabulary()

    def link(self, position: P, /) -> str:
        """Return the address of a page in the web that shows and analyses a position; empty if there is none."""
        return ""

    def picture(self, position: P, view: PictureView[M], /) -> str:
        """Draw a position as an SVG document; raises EndgameError if the game has no pictures."""
        raise EndgameError(
            _("pictures of {name} are not available").format(name=self.name), _("print the position as text")
        )

    def engine(self, root: Path, /) -> Engine | None:
        """Return the external engine chosen in the settings of a data directory, if any; raises EndgameError."""
        return None

    def converting_unmoves(self, position: P, captures: bool, /) -> Sequence[tuple[P, M, Back]]:
        """Return un-moves from other endings with their kinds; captures only if ``captures``."""
        return ()

    def measured_cost(self, ending: str, /) -> tuple[float, int] | None:
        """Return measured seconds on two cores and bytes on disk of building an ending; None if not measured."""
        return _costs().get(ending)


@cache
def _costs() -> dict[str, tuple[float, int]]:
    measurements = json.loads(paths.shipped("costs.json").read_text())
    return {ending: (float(seconds), int(size)) for ending, (seconds, size) in measurements.items()}


def check_layer(n: int) -> None:
    """Raise LayerError for the number of a layer that no code reaches."""
    if n < 0 or n > LAST_LAYER:
        raise LayerError(_("there is no layer S{n}").format(n=n), _("layers go from S0 up to the longest win"))


def parity_part(table: str, winner: int, n: int) -> Part:
    """Return the part that is layer S_n if parity determines the side to move: n odd, the winner; n even, the loser.

    Args:
        table: Name of the table.
        winner: 0 for the side named first, else 1.
        n: The layer.

    Raises:
        LayerError: No table can have such a layer.
    """
    check_layer(n)
    if n % 2:
        return Part(table, winner, code_of(Category.WIN, n))
    return Part(table, 1 - winner, code_of(Category.LOSS, n))


def position_code(game: Game[Any, Any], position: Any, look: Callable[[Slot], int]) -> int:
    """Return the code of a legal position, given a function that reads the codes of slots."""
    if game.is_trivial(position):
        return game.index.trivial_code(position)
    stored_code = look(game.index.slot_of(position))
    extra = game.index.extra_moves(position)
    if not extra:
        return stored_code

    def value_of(move: Any) -> int:
        after = game.play(position, move)
        return game.index.move_code(position, move, position_code(game, after, look))

    best_extra = max(value_of(move) for move in extra)
    if len(extra) == len(game.moves(position)):
        return best_extra  # the table took the position for one without moves
    return max(best_extra, stored_code)


def derived_code(game: Game[Any, Any], position: Any, code: Callable[[Any], int]) -> int:
    """Return the code a position must have by the rules, given the codes of the positions one ply later."""
    best = -1
    for move in game.moves(position):
        after = game.play(position, move)
        best = max(best, game.index.move_code(position, move, code(after)))
    if best >= 0:
        return best
    verdict = game.terminal(position)
    if verdict is None or verdict.depth is None:
        return DRAW
    return 0

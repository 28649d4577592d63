"""The Game protocol: what explorer, practice and command line need of any game."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, Protocol, Self, TypeVar

from endgame_core import paths
from endgame_core.errors import LayerError, PositionError
from endgame_core.estimate import Engine
from endgame_core.game_state import GameState
from endgame_core.query import Condition, Vocabulary
from endgame_core.values import BYTE_DRAW, DRAW, LAST, OF_BYTES, Category, Verdict, Winner, before, code_of, value_of


@dataclass(frozen=True, slots=True)
class Slot:
    """Where a position stands in its ending's table.

    Attributes:
        ending: Name of the ending, such as ``KQvKR``.
        side: 0 when the side named first is to move, 1 otherwise.
        index: Index in the table of that side.
        swapped: True when the colours were exchanged to fit the name (``KvKQ`` asked, ``KQvK`` stored).
    """

    ending: str
    side: int
    index: int
    swapped: bool = False


@dataclass(frozen=True, slots=True)
class Part:
    """The positions of a layer that one side of one table holds: those with one code.

    Attributes:
        table: Name of the table.
        side: Side to move, 0 for the side named first.
        code: Their code.
    """

    table: str
    side: int
    code: int


@dataclass(frozen=True, slots=True)
class SolveProgress:
    """How far a solve has come: a finished layer, the number of finished slices, or a phase before the first layer.

    Attributes:
        n: The layer just finished, None when slices are counted.
        new_white: Positions (slots) with White to move that were put into it.
        new_black: The same with Black to move.
        done: Slices finished; of a phase, parts of any size.
        total: All slices of the ending; all parts of a phase, 0 where nobody counts them.
        phase: What is done before the first layer, in words; empty when layers or slices are told of.
        part: Part of the solve's work that is done, 0 to 1.
        ahead: What ``part`` will be once what is in hand is done.
    """

    n: int | None = None
    new_white: int = 0
    new_black: int = 0
    done: int = 0
    total: int = 0
    phase: str = field(default="", kw_only=True)
    part: float = field(default=0.0, kw_only=True)
    ahead: float = field(default=0.0, kw_only=True)


def _ignore(_: str) -> None:
    return


@dataclass(frozen=True, slots=True)
class SolverBudget:
    """What a solver may use.

    Attributes:
        memory: Bytes of memory.
        work: The work file, from which a solve that was ended early goes on.
        sources: What tells the sub-endings' tables from others of the same name; another work file is begun anew.
        deep: Whether a move into a sub-ending may be worth what a byte does not hold.
        disk: Bytes that the work file may have; as it comes near them time is spent on making it smaller.
        on_restart: Called where an unfinished solve cannot be resumed, with the reason.
    """

    memory: int
    work: Path
    sources: tuple[str, ...] = ()
    deep: bool = False
    disk: int = 0
    on_restart: Callable[[str], None] = _ignore


def worked_on(size: int) -> int:
    """What :attr:`Room.disk` should be for a table of an estimated size."""
    return size * 17 // 10


def _nothing() -> None:
    return


@dataclass(slots=True)
class Solved:
    """A solved ending, ready to be written.

    Attributes:
        codes: uint8 array of shape (2, slots): the byte of every slot, White to move first; None where there are
            ``chunks``.
        kept: uint64 array of shape (2, slots / 64): bit i of word w tells whether slot 64 w + i holds a legal
            canonical position; the codes of other slots mean nothing.
        copies: On how many boards a canonical position stands that has no symmetry of its own.
        missing: int64 array of shape (2, 256), or (2, 65536) where it is wide: per side and what is stored, how many
            boards fewer there are than that for each canonical position; of chunks, once they have been read.
        chunks: Given the side to move, codes and kept bits of one part of its slots after another; a chunk counts
            until the next one is asked for.
        wide: Whether the codes are uint16: bytes do not hold them.
        done: To be called when the table is written.
    """

    codes: Any = None
    kept: Any = None
    copies: int = 1
    missing: Any = None
    chunks: Callable[[int], Iterable[tuple[Any, Any]]] | None = None
    wide: bool = False
    done: Callable[[], None] = _nothing

    def parts(self, side: int) -> Iterable[tuple[Any, Any]]:
        """Codes and kept bits of one side to move, part by part."""
        return [(self.codes[side], self.kept[side])] if self.chunks is None else self.chunks(side)


@dataclass(frozen=True, slots=True)
class KindCount:
    """Positions of one kind with one side to move.

    Attributes:
        kind: What they have in common, such as ``underpromotion``.
        side: Side to move.
        count: How many canonical ones there are.
        depth: Plies of the deepest, 0 where they are draws.
        slot: The first of the deepest; behind it for en passant six bits, the square that can be taken on.
    """

    kind: str
    side: int
    count: int
    depth: int
    slot: int


@dataclass(frozen=True, slots=True)
class Examined:
    """What was found by looking at the moves of all positions of an ending.

    Attributes:
        results: For each side to move two words for 64 slots each, uint64 of shape (words, 2): the legal canonical
            positions that are not won by it, and those that are not lost; also where a table keeps one side only. None
            where nothing is told of this part but what was counted.
        hanging: For each side to move, boards on which it can take a man for nothing, by its result: win, draw, loss.
            Empty where nothing ever hangs.
        found: The kinds of positions that were found.
        first: The slot of the first bit; a large ending is looked at in parts.
    """

    results: Sequence[Any]
    hanging: list[list[int]] = field(default_factory=list[list[int]])
    found: list[KindCount] = field(default_factory=list[KindCount])
    first: int = 0


DEEP = "where wins take more than 127 moves"
"""When an ending takes more memory, in words: it has wins that bytes do not hold."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What building one ending costs, its sub-endings not included: seconds on two cores, bytes of disk and memory.

    ``least`` is the memory that it can do with, where what does not fit may lie on the disk; 0 where it may not.
    ``deep`` is the same where it, or a sub-ending, turns out to have wins that bytes do not hold; 0 where that makes no
    difference, or is known. ``scratch`` is the disk that the build needs beside the finished table, and frees.
    """

    seconds: float
    size: int
    memory: int
    least: int = 0
    deep: int = 0
    scratch: int = 0

    @property
    def peak(self) -> int:
        """Bytes of disk that the build needs at most."""
        return self.size + self.scratch

    @property
    def enough(self) -> int:
        """The memory without which it cannot be built."""
        return self.least or self.memory

    def within(self, memory: int | None) -> Cost:
        """The same where no more memory may be used, unless it cannot do with so little; None where nobody has said."""
        return self if memory is None else replace(self, memory=max(self.enough, min(self.memory, memory)))


@dataclass(frozen=True, slots=True)
class Listing:
    """How the endings of a game are listed, and what those are called that one builds together.

    Attributes:
        unit: What the men are called, many of them.
        example: The name of an ending one may look for.
        sets: Endings that are built together: a key, words for them, and their numbers of men.
        order: Sorts the endings of one number of men.
    """

    unit: str
    example: str
    sets: tuple[tuple[str, str, tuple[int, ...]], ...]
    order: Callable[[str], Any]


Wanted = Sequence[Collection[int]]
"""Digits of slots that somebody asks for, axis by axis of the index; empty when all are."""


Codes = Callable[[str, int], Any]
"""Gives the codes of a finished ending with one side to move, uint8 of shape (slots,)."""


class Lookup(Protocol):
    """The same, as far as wanted."""

    def __call__(self, ending: str, side: int, wanted: Wanted = (), /) -> Any:
        """Slots that are not kept, or not wanted, may hold anything."""
        ...


class Arrays(Protocol):
    """The index of a game over many slots at once. Arrays are numpy's; to get this object is to import numpy.

    ``start`` and ``count`` are multiples of 64; slots are int64, keys are uint64.
    """

    def copies(self, ending: str, side: int, start: int, count: int) -> Any:
        """On how many boards each slot's position stands: uint8 (count,), 0 where a slot is not canonical or legal."""
        ...

    def copies_in(self, ending: str, side: int, box: Sequence[range]) -> Any:
        """The same for a box of slots, given by their digits on each axis, in ascending order."""
        ...

    def keys(self, ending: str, side: int, slots: Any) -> Any:
        """The keys of slots."""
        ...

    def copied_keys(self, ending: str, side: int, slots: Any) -> Any:
        """The keys of slots and of all their symmetric copies, a row for each slot, some perhaps more than once."""
        ...

    def slots_of_keys(self, ending: str, keys: Any) -> tuple[Any, Any]:
        """Sides and slots of any numbers; a slot of -1 where a number is no key of any slot."""
        ...


class OnePlyDeriver(Protocol):
    """Derives the codes of one ending's positions from those of the positions one ply later, many at once."""

    def derived(self, side: int, start: int, count: int) -> tuple[Any, Any]:
        """The canonical slots of a range, int64, and the codes they must have, int32; -1 where it cannot tell."""
        ...


class Questions(Protocol):
    """What a query asks of the positions of an ending with one side to move, many at once; see ``tables/find.py``.

    *Men* are arrays that tell where the men stand, alike in shape, or such as can be spread over one shape. A *turn* is
    the number of a symmetric copy, 0 for the position as it is.
    """

    turns: int
    """How many copies a position has at most."""
    kinds: Mapping[str, int]
    """Bits of the kinds of moves."""

    def steady(self, fact: Condition, /) -> bool:
        """Whether a fact about men is the same in all copies."""
        ...

    def in_box(self, box: Sequence[range], /) -> Sequence[Any]:
        """The men of a box of slots, whose digits are given axis by axis."""
        ...

    def at(self, slots: Any, /) -> Sequence[Any]:
        """The men of some slots."""
        ...

    def told(self, fact: Condition, men: Sequence[Any], turn: int, /) -> Any:
        """A fact or a number that men alone tell, in one of their copies."""
        ...

    def other(self, codes: Any, /) -> Any:
        """Codes with the other side to move, where they follow from these; None where a table has them."""
        return None

    def prepare(self, hanging: bool, /) -> None:
        """Reads what moves lead to, and compiles what looks at them; ``hanging``: whether men that hang are told."""
        return

    def moves(self, slots: Any, codes: Any, enough: int, /) -> Any:
        """What the moves of some positions are like, a row each.

        Legal moves, those that keep the result, the best, the kinds of these two, whether a man hangs, and whether the
        side to move is in check. No more are looked for once so many moves keep the result.
        """
        ...


class Solver(Protocol):
    """Builds and proves the tables of a game. What that takes, numba or numpy, is imported when it is asked for."""

    def compiled(self, endings: Sequence[str], about: bool = False, /) -> Mapping[str, float]:
        """What is compiled to solve these endings, in this order, and about how many seconds each takes.

        With ``about`` what :meth:`examine` needs, too. Nothing is imported.
        """
        ...

    def warm_up(self, endings: Sequence[str], report: Callable[[str], None], about: bool = False, /) -> None:
        """Compiles what these endings need, once on a machine; tells ``report`` which of :meth:`compiled` begins."""
        ...

    def kept(self, ending: str, side: int, threads: int, wanted: Wanted = (), /) -> Any:
        """Which slots of one side to move are kept in a table: uint64 of shape (slots / 64,), bit by bit.

        Where digits are wanted, axis by axis, slots with others need not be told of.
        """
        ...

    def solve(
        self,
        ending: str,
        lookup: Lookup,
        threads: int,
        on_progress: Callable[[SolveProgress], None],
        room: SolverBudget | None = None,
        /,
    ) -> Solved:
        """Solves an ending; ``on_progress`` may raise BuildCancelledError to stop.

        Where there is a ``room`` it should be kept to, as far as the solver can.
        """
        ...

    def examine(
        self, ending: str, codes: Lookup, threads: int, on_progress: Callable[[SolveProgress], None], /
    ) -> Iterator[Examined]:
        """Looks at the moves of all positions; ``codes`` gives those of the ending and of its sub-endings.

        Yields what is known after each part of them: what hangs, and what was found, so far.
        """
        ...

    def looking(self, ending: str, wide: bool, /) -> int:
        """Bytes of memory that :meth:`examine` takes, codes being stored (``wide``), or bytes; nothing is imported."""
        ...

    def one_ply(self, ending: str, codes: Codes, /) -> OnePlyDeriver:
        """Derives values of an ending from the codes that ``codes`` gives of it and of its sub-endings."""
        ...

    def questions(self, ending: str, side: int, codes: Lookup, /) -> Questions:
        """Answers queries; ``codes`` gives the codes of the ending and of its sub-endings."""
        ...


class Deriver(Protocol):
    """Derives one side to move of an ending from the other and from its sub-endings; all values by mate."""

    def some(self, ending: str, side: int, slots: Any, values: Callable[[str, int, Any], Any], /) -> Any:
        """The codes of some canonical slots, int32, -1 where the rules must be asked; imports numpy.

        ``values`` gives the codes of canonical slots of any ending with one side to move.
        """
        ...

    def whole(
        self, ending: str, side: int, codes: Lookup, threads: int, wanted: Wanted = (), wide: bool = False, /
    ) -> Any:
        """What is stored of all slots, or of those wanted, as codes or bytes of shape (slots,); imports numba."""
        ...

    def copies(self, ending: str, /) -> int:
        """On how many boards a canonical position stands that has no symmetry of its own."""
        ...

    def has_twins(self, ending: str, box: Sequence[range], /) -> bool:
        """Whether a position of a box of slots may stand on fewer, being its own copy; imports numpy."""
        ...


P = TypeVar("P")
M = TypeVar("M")


class Index(Protocol[P, M]):
    """How the positions of a game are numbered in tables, and what the codes stored there mean.

    What has a body here is so in most games: slots tell all of a position, and the parity of a depth tells who wins.
    """

    slots: Callable[[str], int]
    """Slots of the index, per side to move."""
    key: Callable[[P], int]
    """The position as one number below 2**63."""
    key_words: Callable[[str], str]
    """What the bits of a key mean, but for bit 0, in sentences for a reader who has only an archive."""
    from_key: Callable[[str, int], P]
    """The position of a key; raises PositionError."""
    arrays: Callable[[], Arrays]
    """The index over many slots at once."""
    slot_of: Callable[[P], Slot]
    """The table slot of a legal position (any symmetric copy, any colours)."""
    family: Callable[[Slot, Category], tuple[str, Winner | None]]
    """The ending and the winner, as lists of layers name them, of a position of this result; None for a draw."""
    axes: Callable[[str], tuple[int, ...]]
    """How many values each digit of a slot takes, the outermost first; their product is the number of slots."""

    def extra_moves(self, position: P, /) -> Sequence[M]:
        """Legal moves that the position's slot knows nothing of: in chess, en passant captures."""
        return ()

    def position_at(self, ending: str, side: int, index: int, /) -> P:
        """The position in a slot, White being the side named first."""
        ...

    def over(self, position: P, /) -> int:
        """The code of a position that is in no table, as :meth:`Game.is_trivial` tells."""
        return DRAW

    def value(self, code: int, /) -> tuple[Category, int | None]:
        """What a code means: category, and plies (None for a draw)."""
        return value_of(code)

    def draw_byte(self, table: str, side: int, /) -> int:
        """The byte of a draw in a table of bytes, for a side to move."""
        return BYTE_DRAW

    def codes(self, draw: int, /) -> Sequence[int]:
        """The code of each of the 256 bytes of a table in which a draw has some byte."""
        return OF_BYTES

    def worth(self, position: P, move: M, code: int, /) -> int:
        """The code that a move is worth to its mover, given that of the position after it."""
        return before(code)

    def parts(self, ending: str, winner: Winner | None, n: int | None, side: int = 0, /) -> Sequence[Part]:
        """Where the positions of layer S_n of a winner are; without a winner, the draws of one side to move.

        Raises:
            LayerError: No table can have such a layer.
        """
        ...


Opcodes = Mapping[str, str | int | float]


@dataclass(frozen=True, slots=True)
class Collected:
    """A position as a file gives it, good or bad.

    Attributes:
        where: Where it stands, such as ``line 3`` or ``game 12``.
        text: What stands there, shortened.
        problem: Why it cannot be read, one clause; empty when it can.
        position: The position as text.
        name: EPD opcode ``id``; the players and event of a game.
        note: EPD opcode ``c0``; what follows a position; the comment of a game.
        source: File and place.
        best: EPD opcode ``bm``, in SAN.
        mate: EPD opcode ``dm`` as plies, positive when the side to move mates.
        opcodes: All other EPD opcodes; ``pv``, the moves, for a game that starts from a position of its own.
    """

    where: str = ""
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
    """How positions and moves of a game stand in files."""

    files: str
    """The files of positions that can be read, in words that follow ``a file``."""
    suffix: str
    """Ends the name of a file of positions that is written."""
    opening: Callable[[Mapping[str, str]], P]
    """Where a game with these headers begins; raises PositionError."""
    headers: Callable[[P], Mapping[str, str]]
    """The headers that tell the game and where it begins, what is usual left out."""
    read: Callable[[P, str], M]
    """The move that a word means; raises PositionError with what is wrong with it, such as ``is no legal move``."""
    collected: Callable[[str], Collected]
    """What a line of a file of positions gives, where it stands left out; raises EndgameError for a bad one."""
    line: Callable[[Collected], str]
    """The line of a file of positions that gives this again, as far as the game's files can say it."""

    def first(self, start: P, /) -> int:
        """The number of the first move."""
        return 1

    def may_reach(self, headers: Mapping[str, str], text: str, men: int, /) -> bool:
        """Whether a game may come to so many men: False where its text, unread, shows that it does not.

        True of a text in which anything is unusual: reading it tells what is wrong with it.
        """
        return True


class PositionEdit(Protocol):
    """A position being set up; every change gives a new one."""

    palette: Sequence[Any]
    """What can be put on the board, White's first."""
    places: Sequence[int]
    """All places on the board."""

    @property
    def text(self) -> str:
        """The position as text, whether it can occur or not."""
        ...

    @property
    def drawn(self) -> Any:
        """The position, whether it can occur or not."""
        ...

    @property
    def problem(self) -> str:
        """Why the position cannot occur, one sentence; empty when it can."""
        try:
            self.finished()
        except PositionError as problem:
            return str(problem)
        return ""

    def finished(self) -> Any:
        """The position, when it can occur; raises PositionError, which says why it cannot."""
        ...

    def man(self, place: int, /) -> Any:
        """What stands on a place; None when it is empty."""
        ...

    def side(self, place: int, /) -> Winner:
        """Whose man stands on a place."""
        ...

    def has_keys(self, place: int, /) -> bool:
        """Whether one asks for the key squares of the man on a place."""
        return False

    def standing(self, source: int, target: int, /) -> Any:
        """The position with a man on another place, all else as it is; raises PositionError."""
        ...

    def turn(self) -> Self:
        """Gives the move to the other side."""
        ...

    def put(self, place: int, man: Any, /) -> Self:
        """Puts a man on a place, or with None takes away what stands there."""
        ...

    def move(self, source: int, target: int, /) -> Self:
        """Moves a man; what stood on the target is gone. Nothing happens from an empty place."""
        man = self.man(source)
        return self if man is None or source == target else self.put(source, None).put(target, man)


Back = Literal["quiet", "unpromotion", "uncapture", "en-passant"]
"""Kinds of un-moves."""

Spelling = Literal["ending", "position"]
"""What a text may be meant as."""


class Game(Protocol[P, M]):
    """The rules of one game, as far as layers, tables and screens need them.

    ``P`` is a position (treated as immutable by everybody), ``M`` a move. What depths count is the game's ``metric``
    (``dtm`` and ``dtz`` for chess); one game may be there under several. A game is a subclass: it brings the
    attributes along, and has the methods as far as they are otherwise than in most games.
    """

    name: str
    entry: str
    rules: str
    scheme: str
    metric: str
    index: Index[P, M]
    winners: tuple[Winner, Winner]
    """The two families of layers, as lists of layers name them."""
    horizon: int | None = None
    """Plies after which a limit of moves, of which tables by mate know nothing, may end a game; None where only games
    have such a limit, and no drill."""
    converts: bool = False
    """Whether a win is usually brought home by winning material or promoting, so that a drill may end there."""
    first: str
    """The position at which a first walk begins: a longest win of the smallest ending, as text."""
    opening: str
    """The position at which a whole game may be begun, as text; empty where only endings are played."""
    listing: Listing
    solver: Solver
    deriver: Deriver | None = None
    """Reads tables that store one side to move; None where there are no such tables."""
    script: Notation[P, M]
    vocabulary: Vocabulary = Vocabulary()
    """What queries may ask of its positions."""
    notations: Mapping[str, Callable[[P], str]] = MappingProxyType({})
    """All that writes a position, by the name of the notation; :meth:`parse` reads each of them."""
    endings: Callable[[], Sequence[str]]
    """All endings of the catalogue, sub-endings before the endings that need them."""
    canonical_name: Callable[[str], str]
    """The ending's own spelling (``kqkr`` gives ``KQvKR``); raises EndingError."""
    title: Callable[[str], str]
    """The ending in words."""
    longest_known: Callable[[str], int | None]
    """The longest known win before the table is built, in moves to mate, of stones in plies; or None."""
    needs: Callable[[str], Sequence[str]]
    """The sub-endings one capture (or promotion) away."""
    cost: Callable[[str], Cost]
    """What building an ending costs, as far as it was measured; else by the number of its slots."""
    expected: Callable[[str], int]
    """About how many canonical positions, of both sides, a table has that is not built yet."""
    meant: Callable[[str], Spelling | None]
    """What a text shows by its spelling to be of this game, there or not; None where it may be of another one."""
    parse: Callable[[str], P]
    """Reads a position in any notation; raises PositionError."""
    parse_move: Callable[[P, str], M]
    """Reads a typed move; raises PositionError."""
    san: Callable[[P, M], str]
    """A move as people write it."""
    uci: Callable[[M], str]
    """A move as programs write it."""
    mover: Callable[[P], Winner]
    """The side to move, in the position's own colours."""
    format: Callable[[P], str]
    """Writes a position (FEN for chess)."""
    men: Callable[[str], Sequence[str]]
    """The men in the order of the key, in words (``white king``)."""
    ending_of: Callable[[P], str]
    """The ending a position belongs to; raises EndingError when there is none."""
    is_trivial: Callable[[P], bool]
    """Whether a position is drawn for want of men, and therefore in no table."""
    terminal: Callable[[P], Verdict | None]
    """The verdict of a position that needs no table (mate, stalemate, bare kings), else None."""
    moves: Callable[[P], Sequence[M]]
    """All legal moves."""
    play: Callable[[P, M], P]
    """The position after a move; the argument is left alone."""
    copies_of: Callable[[P], Sequence[P]]
    """All different symmetric copies of a position, itself first; they have its value."""
    swapped: Callable[[P], P]
    """The same position with the colours exchanged, the side to move too."""
    turned: Callable[[P], P | None]
    """The same men with the other side to move; None where that cannot be."""
    tracked: Callable[[P], GameState[P, M]]
    """A game that starts from a position; the argument is left alone, and what came before it is not known."""
    previous: Callable[[P], Sequence[tuple[P, M]]]
    """Un-moves: positions of the same ending, and the move from each that leads here."""

    def views(self, ending: str, /) -> Sequence[str]:
        """The names under which a table's layers are listed: its own, or one for each side to move."""
        return (ending,)

    def writing(self, position: P, move: M, /) -> str:
        """With what a move begins as people write it: as much of that as is had for a fraction of the price."""
        return self.san(position, move)

    def value_key(self, position: P, /) -> Hashable:
        """Return a key that two positions share only if tables, and the limit of moves, judge them alike."""
        return self.format(position)

    def is_null(self, move: M, /) -> bool:
        """Return whether a move only passes the turn, as some moves of annotated games do; nobody can play one."""
        return False

    def gifts(self, position: P, /) -> Sequence[M]:
        """Moves that take a man for nothing: it hangs. None where taking is what a move earns."""
        return ()

    def is_quiet(self, position: P, move: M, /) -> bool:
        """Whether a move is one that nobody looks at first; False where none is told from others."""
        return False

    def material(self, position: P, /) -> tuple[int, int]:
        """Return the material of the side to move and of the other side, in pawns or stones; 0 where there is none."""
        return 0, 0

    def scratch(self, ending: str, memory: int, /) -> int:
        """Bytes of disk that building an ending in so much memory needs beside the finished table, and frees."""
        return self.cost(ending).size  # frames are written to a file of their own first

    def engine(self, root: Path, /) -> Engine | None:
        """What thinks in place of our own search, as the settings in a data directory say; raises EndgameError."""
        return None

    def converted(self, position: P, captures: bool, /) -> Sequence[tuple[P, M, Back]]:
        """Un-moves from other endings, and of what kind they are; those that take something only with ``captures``."""
        return ()

    def measured(self, ending: str, /) -> tuple[float, int] | None:
        """Seconds to build an ending and bytes on disk, as measured once on two cores; None when nobody has."""
        return _costs().get(ending)


@cache
def _costs() -> dict[str, tuple[float, int]]:
    result = json.loads(paths.shipped("costs.json").read_text())
    return {ending: (float(seconds), int(size)) for ending, (seconds, size) in result.items()}


def check_layer(n: int) -> None:
    """Raises LayerError for the number of a layer that no code reaches."""
    if n < 0 or n > LAST:
        raise LayerError(f"there is no layer S{n}", "layers go from S0 up to the longest win")


def parity_part(table: str, winner: int, n: int) -> Part:
    """The part that is layer S_n where parity tells the side to move: n odd, the winner is to move; n even, the loser.

    Args:
        table: Name of the table.
        winner: 0 for the side named first, else 1.
        n: The layer.

    Raises:
        LayerError: No table reaches so far.
    """
    check_layer(n)
    if n % 2:
        return Part(table, winner, code_of(Category.WIN, n))
    return Part(table, 1 - winner, code_of(Category.LOSS, n))


def position_code(game: Game[Any, Any], position: Any, look: Callable[[Slot], int]) -> int:
    """The code of a legal position, given what slots hold."""
    if game.is_trivial(position):
        return game.index.over(position)
    value = look(game.index.slot_of(position))
    extra = game.index.extra_moves(position)
    if not extra:
        return value

    def worth(move: Any) -> int:
        after = game.play(position, move)
        return game.index.worth(position, move, position_code(game, after, look))

    best = max(worth(move) for move in extra)
    return best if len(extra) == len(game.moves(position)) else max(best, value)


def derived_code(game: Game[Any, Any], position: Any, code: Callable[[Any], int]) -> int:
    """What the code of a position must be, by one ply of the rules and the codes of the positions after it."""
    best = -1
    for move in game.moves(position):
        after = game.play(position, move)
        best = max(best, game.index.worth(position, move, code(after)))
    if best >= 0:
        return best
    verdict = game.terminal(position)
    return DRAW if verdict is None or verdict.depth is None else 0

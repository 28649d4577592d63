"""The library: all endings of a game, which of them are built, what the others would cost."""

from __future__ import annotations

import os
import random
import shutil
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from math import inf
from pathlib import Path
from typing import Any, Literal

from endgame_core import paths
from endgame_core.errors import BusyError, EndgameError, NotBuiltError, ProofError, StorageError, TableError
from endgame_core.game import Cost, DigitFilter, Game, Slot, SolvedEnding, position_code
from endgame_core.paths import storage_errors
from endgame_core.tables import lean, mmap_arrays
from endgame_core.tables.checkpoint import files_of
from endgame_core.tables.file import SUFFIX, Check, FrameCache, Table, silent, write_compact, write_table
from endgame_core.tables.locks import Lock, LockOwner, Locks
from endgame_core.tables.proof import mismatch, prove
from endgame_core.values import DRAW, LAST_BYTE_LAYER, Category

DAMAGED = ".damaged"

REJECTED = ".rejected"
"""Follows the name of a new table that was proved wrong, and that nothing reads."""

ABOUT = ".about"
"""Follows the name of an ending in that of the file that says what the ending is like."""

_WORK = "work"
"""Below the data directory: what long builds have done so far."""

_UNSOUND = ".starter-damaged"
"""Follows the name of an ending's table in the user's directory when one that is shared or shipped is damaged."""

Form = Literal["full", "lean"]
"""Whether a table stores both sides to move, or one."""

_SHARES = {"built": 1.0, "compact": 0.58, "lean": 0.25}
"""What a table takes in each form; all five men together take 6.7 GB, 3.9 GB and 1.6 GB."""

OWN, SHARED, SHIPPED = "own", "shared", "shipped"
"""Whose a table is."""

_SMALL, _NOT_OURS = "it is small already", "whoever keeps it can make it smaller"

_PROVING = 40_000_000
"""Bytes of unpacked frames that are kept while a table is proved: the solver still has its memory."""

_LOOK_AGAIN = 0.2
"""Seconds for which an open table is used without a look at its file: a line asks a thousand times."""

_PLAIN = ("dtm", "depth")
"""Metrics of which no other table of the same ending is told apart by the name of its file."""

_RESULTS = ("draw", "win", "loss")
"""By result for the side to move: 0, 1 and -1, the 50-move rule left out of account."""

_CHECKED = 0.95
"""Part of a verification that is done when the checksums are right; of small tables that is done in no time."""
_CLOCK_STEP = 100_000_000
"""Nanoseconds within which two changes of a directory may bear the same time."""


@dataclass(frozen=True, slots=True)
class CatalogueEntry:
    """One ending of the catalogue.

    Attributes:
        ending: Its name.
        state: ``built``, ``missing`` or ``damaged``.
        reason: Why it cannot be used, else empty.
        positions: Canonical positions of both sides, exact or an estimate.
        size: Bytes on disk, or an estimate.
        seconds: Estimated time to build, sub-endings not included.
        memory: Estimated bytes of memory while building.
        exact: Whether positions and size are exact.
        longest: Longest win, the winner to move: in moves to mate, of stones in plies; by DTZ the last layer in plies;
            None when unknown or all drawn.
        needs: Sub-endings one move away.
        missing: Sub-endings, at any distance, that would be built first.
        owner: Whose its table is: ``own``, ``shared`` by others, who alone change it, or ``shipped`` with the program;
            empty where there is none.
        form: How small its table is: ``built``, ``compact`` or ``lean``; empty where there is none.
    """

    ending: str
    state: str
    reason: str
    positions: int
    size: int
    seconds: float
    memory: int
    exact: bool
    longest: int | None
    needs: tuple[str, ...]
    missing: tuple[str, ...]
    owner: str
    form: str


@dataclass(frozen=True, slots=True)
class Verified:
    """What ``verify`` found.

    Attributes:
        ending: The ending.
        frames: Frames whose checksums are right.
        positions: Positions compared one ply deep.
        opinions: Those of them that were compared with a second opinion, too.
        mismatch: The first position that differs, in words, or None.
        lacking: Endings that are not built, for which positions were left out.
    """

    ending: str
    frames: int
    positions: int
    opinions: int
    mismatch: str | None
    lacking: Sequence[str] = ()


def _busy(what: str) -> BusyError:
    return BusyError(f"{what} in this data directory", "wait for it, or use --data-dir")


def unmark(path: Path) -> None:
    """Deletes what was put aside, or noted, of damage to a table, now that a sound one is there."""
    for mark in (DAMAGED, _UNSOUND):
        path.with_name(path.name + mark).unlink(missing_ok=True)


def _draws(game: Game[Any, Any], ending: str) -> list[int]:
    """The byte of a draw for each side to move."""
    return [game.index.draw_byte(ending, side) for side in range(2)]


def _is_newer(path: Path, mark: Path) -> bool:
    """Whether a file was written after another one; not where one is gone."""
    try:
        return path.stat().st_mtime > mark.stat().st_mtime
    except OSError:
        return False


def _debris(directory: Path, table: str) -> Iterator[Path]:
    """What is half written in a directory, of a table or of all."""
    for pattern in (f".{table}.*.part", f".{table}.*.body"):
        yield from directory.glob(pattern)


@dataclass(slots=True)
class _Opened:
    """An open table, its file's time, and when that was looked at."""

    table: Table
    modified: int
    looked: float


class Library:
    """The tables of one game in one data directory; behind them those shared by others, and the shipped starter tables.

    Args:
        game: The game.
        root: The data directory; the user's own by default.
        frames: Keeps unpacked frames; one of its own by default.
        shared: More directories of tables, which are only read.

    Attributes:
        option: What follows an ending in a command that means its table here.
        locks: Which tables of all games and metrics somebody has in hand.
    """

    def __init__(
        self,
        game: Game[Any, Any],
        root: Path | None = None,
        frames: FrameCache | None = None,
        shared: Sequence[Path] = (),
    ) -> None:
        self.game = game
        self.root = root or paths.data_dir()
        self.directory = paths.tables_dir(self.root)
        mmap_arrays.set_scratch_dir(self.root / _WORK)
        self._behind = (*shared, paths.starter_dir())
        plain = game.metric in _PLAIN
        self.suffix = SUFFIX if plain else f".{game.metric}{SUFFIX}"
        self.option = "" if plain else f" --metric {game.metric}"
        self.locks = Locks(self.root / "locks")
        self._open: dict[str, _Opened] = {}
        self._frames = frames or FrameCache()
        self._listed: dict[Path, tuple[int, frozenset[str]]] = {}

    @classmethod
    def at(cls, game: Game[Any, Any], places: Sequence[str]) -> Library:
        """The same tables in another process; see :attr:`places`."""
        root, *shared = map(Path, places)
        return cls(game, root, shared=shared)

    @property
    def places(self) -> list[str]:
        """The data directory, and the directories of shared tables, for another process."""
        return [str(self.root), *map(str, self._behind[:-1])]

    def path(self, ending: str) -> Path:
        """Where an ending's table is or would be written."""
        return self.directory / f"{ending}{self.suffix}"

    def _file(self, ending: str) -> Path | None:
        name, own = f"{ending}{self.suffix}", self._names(self.directory)
        if name in own:
            return self.directory / name
        result = (directory / name for directory in self._behind if name in self._names(directory))
        mark = self.directory / (name + _UNSOUND)  # one of its name was found damaged
        return next((path for path in result if name + _UNSOUND not in own or _is_newer(path, mark)), None)

    def _owner(self, ending: str) -> str:
        """Whose the table is."""
        path = self._file(ending)
        if path is None or path.parent == self.directory:
            return "" if path is None else OWN
        return SHIPPED if path.parent == self._behind[-1] else SHARED

    def _names(self, directory: Path) -> frozenset[str]:
        """Names of the regular files of a directory, listed again only when it has changed: plans ask often.

        Whoever opens a pipe, a socket or a device waits for ever, so these are no tables whatever their name.
        """
        try:
            changed = directory.stat().st_mtime_ns
            known = self._listed.get(directory)
            if known is not None and known[0] == changed:
                return known[1]
            with os.scandir(directory) as files:
                names = frozenset(file.name for file in files if file.is_file())
        except OSError:
            return frozenset()
        if time.time_ns() - changed > _CLOCK_STEP:
            self._listed[directory] = (changed, names)
        return names

    @property
    def files(self) -> frozenset[tuple[Path, str]]:
        """The tables that there are, of all metrics and games: the directory and the name of each."""
        places = (self.directory, *self._behind)
        return frozenset((place, name) for place in places for name in self._names(place) if name.endswith(SUFFIX))

    # Who has what in hand

    def acquire(self, ending: str, what: str) -> Lock | None:
        """Takes the table of an ending in hand, from a builder that has died too; None when somebody else has it.

        What a dead builder has left half written of it is deleted. To be given back by ``locks.release``.

        Args:
            ending: Its name.
            what: What for, told to others: ``the build of KRPvKR``.

        Raises:
            StorageError: The directory cannot be written.
        """
        with storage_errors(self.directory):
            self.directory.mkdir(parents=True, exist_ok=True)
            hold = self.locks.acquire(f"{ending}{self.suffix}", what)
            if hold is not None:
                for debris in _debris(self.directory, f"{ending}{self.suffix}"):
                    debris.unlink(missing_ok=True)
            return hold

    @contextmanager
    def hold_alone(self, ending: str, what: str) -> Generator[None]:
        """Has a table in hand for a while that is to be deleted or replaced: nor may what is in hand need it.

        Raises:
            BusyError: Somebody else has it, or needs it.
            StorageError: The directory cannot be written.
        """
        needing = (holder for name, holder in self.in_hand().items() if ending in self.game.needs(name))
        if (holder := next(needing, None)) is not None:
            raise _busy(f"{holder} is at work and needs {ending}")
        hold = self.acquire(ending, what)
        if hold is None:
            raise _busy(f"{self.locks.holder(ending + self.suffix) or 'another program'} is at work")
        try:
            yield
        finally:
            self.locks.release(hold)

    def in_hand(self) -> dict[str, LockOwner]:
        """The endings whose tables somebody has in hand, here or on another machine, and who that is."""
        held = {name.removesuffix(self.suffix): holder for name, holder in self.locks.holders().items()}
        return {ending: held[ending] for ending in self.game.endings() if ending in held} if held else {}

    def sweep(self) -> None:
        """Deletes what builds that were killed have left half written, of tables that nobody has in hand."""
        debris = list(_debris(self.directory, "*"))
        held = self.locks.holders() if debris else {}
        for path in debris:
            name = path.name[1:].rsplit(".", 2)[0]
            if f"{name.removesuffix(ABOUT)}{SUFFIX}" not in held and name not in held:
                with suppress(OSError):  # a read-only directory keeps it
                    path.unlink()

    def give_up(self) -> None:
        """Gives back all that is in hand, and leaves nothing half written: the process ends."""
        self.locks.release()
        self.sweep()

    def work_file(self, ending: str) -> Path:
        """Where a long build of an ending keeps what it has done."""
        return self.root / _WORK / f"{ending}{self.suffix}.work"

    def write(self, ending: str, solved: SolvedEnding, began: float | None = None, threads: int | None = None) -> int:
        """Writes a solved ending as its table, once that is proved; returns the bytes written.

        Args:
            ending: Its name.
            solved: The solved ending.
            began: When the work on it began, by the monotonic clock; now by default. See :mod:`proof`.
            threads: Threads to work with; as many as the machine has cores by default.

        Raises:
            ProofError: The table is wrong; it is kept aside.
            StorageError: The disk is full or the directory cannot be written.
        """
        path, game = self.path(ending), self.game
        size = write_table(
            path, solved, game.index.axes(ending), self.proof(ending, began, threads), game=game.name, ending=ending,
            rules=game.rules, scheme=game.scheme, metric=game.metric,
            draws=[DRAW, DRAW] if solved.wide else _draws(game, ending),
        )  # fmt: skip
        unmark(path)
        self._open.pop(ending, None)
        return size

    def proof(self, ending: str, began: float | None = None, threads: int | None = None) -> Check:
        """Proves a finished file before it becomes the table of an ending, and moves a wrong one aside.

        Args:
            ending: Its name.
            began: When the work on it began, by the monotonic clock; now by default.
            threads: Threads to work with; as many as the machine has cores by default.
        """
        start = time.monotonic() if began is None else began

        def check(file: Path) -> None:
            target = file.name.removeprefix(".").rsplit(".", 2)[0]  # beside it: a lean export may be on another disk
            aside = file.with_name(target + REJECTED)
            try:
                among, table = self.with_file(file, FrameCache(_PROVING))
                try:
                    prove(table, among, time.monotonic() - start, threads or mmap_arrays.cores())
                finally:
                    table.release()
                    table.close()
            except ProofError as error:
                file.replace(aside)
                raise ProofError(ending, error.reason, str(aside)) from None
            except TableError as error:
                file.replace(aside)
                raise ProofError(ending, error.what.removeprefix(f"the table {file.name} "), str(aside)) from None

        return check

    def _not_built(self, ending: str, then: str | None = None) -> NotBuiltError:
        return NotBuiltError(ending, then, by="" if self.game.metric in _PLAIN else self.game.metric)

    def _own(self, ending: str, shipped: str, shared: str, missing: str | None = None) -> Path:
        """The user's own table; raises StorageError for one that is shipped or shared, or NotBuiltError."""
        path = self.path(ending)
        if path.is_file():
            return path
        if self.is_built(ending):
            if self._owner(ending) == SHIPPED:
                raise StorageError(f"{ending} is shipped with the program", shipped)
            raise StorageError(f"the table of {ending} is shared and only read here", shared)
        raise self._not_built(ending, missing)

    def is_built(self, ending: str) -> bool:
        """Whether a file of the ending is there (it may still prove damaged)."""
        return self._file(ending) is not None

    def built(self) -> list[str]:
        """The endings that have a table, in catalogue order."""
        there = {name for directory in (self.directory, *self._behind) for name in self._names(directory)}
        named = (ending for ending in self.game.endings() if f"{ending}{self.suffix}" in there)
        return [ending for ending in named if self.is_built(ending)]

    def table(self, ending: str) -> Table:
        """The open table of an ending.

        Raises:
            NotBuiltError: There is none.
            TableError: The file cannot be read; or it is damaged, and the user's copy has been put aside.
        """
        known = self._open.get(ending)
        if known is not None and time.monotonic() - known.looked < _LOOK_AGAIN:
            return known.table
        path = self._file(ending)
        if path is None:
            raise self._not_built(ending)
        try:
            modified = path.stat().st_mtime_ns
        except FileNotFoundError:  # just removed, or a link that leads nowhere
            raise self._not_built(ending) from None
        if known is not None and known.modified == modified:
            known.looked = time.monotonic()
            return known.table
        copies, aside = partial(self.game.index.arrays().copies_in, ending), partial(self._put_aside, ending, path)
        table = lean.opened(path, copies, self._frames, aside, self)
        try:
            self.check_header(table)
            if table.ending != ending:
                raise TableError(f"the table {path.name} is of another ending", "build it again")
        except TableError:
            aside()
            raise
        self._open[ending] = _Opened(table, modified, time.monotonic())
        return table

    def with_file(self, path: Path, frames: FrameCache | None = None) -> tuple[Library, Table]:
        """The tables with another file in the place of its ending's, which is none of the directory yet.

        Args:
            path: The file.
            frames: Keeps unpacked frames; one of its own by default.

        Raises:
            TableError: The file is unreadable, truncated or foreign, or its header is corrupt.
        """
        game, among = self.game, Library(self.game, self.root, frames, self._behind[:-1])

        def copies(side: int, box: Sequence[range]) -> Any:
            return game.index.arrays().copies_in(table.ending, side, box)

        table = lean.opened(path, copies, among._frames, lambda: None, among)
        self.check_header(table)
        among._open[table.ending] = _Opened(table, 0, inf)
        return among, table

    def check_header(self, table: Table) -> None:
        """Raises TableError for a table of another game, index or metric, or of no ending."""
        header, game, ending = table.header, self.game, table.ending
        result = header.game, header.scheme, header.metric, tuple(header.axes)
        if (
            ending not in game.endings()
            or result != (game.name, game.scheme, game.metric, game.index.axes(ending))
            or not (header.wide or header.draws == _draws(game, ending))
        ):
            raise TableError(f"the table {table.path.name} is of another ending", "build it again")
        if header.rules != game.rules:
            raise TableError(f"{ending} is of another variant: {header.rules}", "build it again")

    def read_side(self, ending: str, side: int, threads: int, wanted: DigitFilter = ()) -> Any:
        """What is stored of one side to move, shape (slots,), for the solver; see :meth:`Table.read_side`."""
        table = self.table(ending)
        kept = self.game.solver.canonical_bits(ending, side, threads, table.within(side, wanted))
        return table.read_side(side, kept, threads, wanted)

    def _put_aside(self, ending: str, path: Path) -> None:
        """Renames a damaged table of the user, or marks a shipped one, so that it is built anew and nothing is lost.

        Where files cannot be renamed it stays: what is wrong with the table matters more.
        """
        self._open.pop(ending, None)
        with suppress(OSError):
            if path.parent == self.directory:
                path.replace(path.with_name(path.name + DAMAGED))
            else:  # that of others is not touched
                self.directory.mkdir(parents=True, exist_ok=True)
                self.directory.joinpath(path.name + _UNSOUND).touch()

    def damage(self, ending: str) -> TableError | None:
        """That a damaged file of an ending was put aside and nothing has come in its place; else None."""
        aside = {f"{ending}{self.suffix}{mark}" for mark in (DAMAGED, _UNSOUND)} & self._names(self.directory)
        if not aside or self.is_built(ending):
            return None
        what = "was put aside" if aside.pop().endswith(DAMAGED) else "is shipped or shared"
        return TableError(f"a damaged file of {ending} {what}", "build it again")

    def entry(self, ending: str) -> CatalogueEntry:
        """All that is known of one ending without building it."""
        game = self.game
        cost = self.estimate(ending)
        positions, size, longest = game.expected_positions(ending), cost.size, game.longest_known(ending)
        state, reason, form = "missing", "", ""
        if self.is_built(ending):
            try:
                table = self.table(ending)
                state, positions, size, longest = "built", table.positions, table.size, self._longest(table)
                form = table.form
            except TableError as error:
                state, reason = "damaged", str(error)
        elif damage := self.damage(ending):
            state, reason = "damaged", str(damage)
        return CatalogueEntry(
            ending=ending,
            state=state,
            reason=reason,
            positions=positions,
            size=size,
            seconds=cost.seconds,
            memory=cost.memory,
            exact=state == "built",
            longest=longest,
            needs=tuple(game.needs(ending)),
            missing=tuple(self.plan([ending])[:-1]) if state != "built" else (),
            owner=self._owner(ending),
            form=form,
        )

    def _longest(self, table: Table) -> int | None:
        """The longest win of either side, the winner to move, None when nobody wins; by DTZ the deepest layer of all.

        In moves to mate, by other metrics in plies. Losses may be deeper: KQQvK mates in 4, and loses in 20 plies
        where a queen can be taken.
        """
        metric = self.game.metric
        values = self._values(table)
        plies = [n for category, n in values if n is not None and (metric == "dtz" or category.sign > 0)]
        longest = max(plies, default=None)
        return (longest + 1) // 2 if longest is not None and metric == "dtm" else longest

    def _values(self, table: Table) -> list[tuple[Category, int | None]]:
        """The values that positions of a table have."""
        return [self.game.index.value(code) for side in range(2) for code in table.used(side)]

    def check_moves(self, ending: str) -> None:
        """Raises NotBuiltError unless there are tables of an ending and of all that its moves lead to."""
        for name in (ending, *self.game.needs(ending)):
            self.table(name)

    def deepest(self, ending: str) -> int:
        """The last layer of a built ending, -1 where all is drawn; raises as :meth:`table`."""
        return max((n for _, n in self._values(self.table(ending)) if n is not None), default=-1)

    def is_deep(self, endings: Iterable[str]) -> bool:
        """Whether one of some built endings has a win or loss that a move into it makes longer than bytes hold.

        Raises:
            NotBuiltError: One is not built.
            TableError: A table cannot be read.
        """
        return any(self.deepest(ending) >= LAST_BYTE_LAYER for ending in endings)

    def estimate(self, ending: str, memory: int | None = None) -> Cost:
        """What building an ending costs, its sub-endings not included; with what those tell that are built.

        Args:
            ending: Its name.
            memory: Bytes of memory that may be used; three quarters of what is free by default.
        """
        allowed = memory or mmap_arrays.default_memory()
        cost = replace(self.game.cost(ending), scratch=self.game.scratch(ending, allowed))
        if cost.deep:
            with suppress(EndgameError):  # it is built anew before, or somebody deletes it
                if self.is_deep(need for need in self.game.needs(ending) if self.is_built(need)):
                    return replace(cost, least=cost.deep, deep=0)
        return cost

    def plan(self, endings: Iterable[str]) -> list[str]:
        """The endings to build, missing sub-endings first; those already built are left out."""
        order: dict[str, None] = {}
        seen: set[str] = set()

        def add(ending: str) -> None:
            if ending in seen:
                return
            seen.add(ending)
            if self.is_built(ending):
                return
            for need in self.game.needs(ending):
                add(need)
            order[ending] = None

        for ending in endings:
            add(ending)
        return list(order)

    def to_compile(self, endings: Sequence[str], about: bool = False) -> dict[str, float]:
        """What has never been compiled on this machine and is for these endings; about how many seconds each takes.

        With ``about`` what looks at moves, too.
        """
        result = self.game.solver.compile_times(endings, about) if endings or about else {}
        return {what: seconds for what, seconds in result.items() if not self.mark(what).exists()}

    def compiled(self, what: str) -> None:
        """Notes that it has been compiled; where nothing can be written the price is just told again."""
        with suppress(OSError):
            self.mark(what).touch()

    def mark(self, what: str) -> Path:
        """The file that is there where something has been compiled on this machine."""
        return paths.kernel_mark(f"{self.game.name}-{what.replace(' ', '-')}")

    def free_bytes(self) -> int:
        """Free bytes on the disk of the data directory."""
        path = self.root
        while not path.exists():
            path = path.parent
        return shutil.disk_usage(path).free

    def used_bytes(self) -> int:
        """Bytes of the user's tables."""
        return sum(path.stat().st_size for path in self.directory.glob(f"*{SUFFIX}"))

    def one_sided_dependents(self, ending: str) -> list[str]:
        """The lean tables of the user that cannot be read without the user's table of an ending."""
        name, own = f"{ending}{self.suffix}", self._names(self.directory)
        if name not in own or any(name in self._names(directory) for directory in self._behind):
            return []
        built = (name for name in self.game.endings() if f"{name}{self.suffix}" in own)
        return [name for name in built if ending in self.game.needs(name) and lean.is_lean(self.path(name))]

    def remove(self, ending: str) -> int:
        """Deletes the user's table of an ending, or what a build has begun of it; returns the bytes freed.

        Raises:
            NotBuiltError: There is none.
            StorageError: It is a starter table or a shared one, or cannot be deleted.
            BusyError: Somebody has it in hand, or an ending that needs it.
        """
        path, files = self.path(ending), files_of(self.work_file(ending))
        rejected = path.with_name(path.name + REJECTED)
        if rejected.is_file():
            files.append(rejected)
        if path.is_file() or not files:
            keeper = "whoever keeps it can delete it"
            files.append(self._own(ending, "it needs no space of yours", keeper, "there is nothing to remove"))
        size = sum(file.stat().st_size for file in files)
        if path in files and self.game.metric in _PLAIN:
            files.append(path.with_name(ending + ABOUT))
        self._open.pop(ending, None)
        with self.hold_alone(ending, f"the removal of {ending}"), storage_errors(path):
            for file in files:
                file.unlink(missing_ok=True)
        return size

    def forms(self, ending: str) -> dict[Form, int]:
        """The forms that :meth:`compact` can give a table of the user, and about how many bytes it takes then.

        Raises:
            NotBuiltError: There is none in the data directory; or one of its sub-endings, for want of which it has no
                other form now.
            TableError: It, or a sub-ending, cannot be read.
            StorageError: It is a starter table or a shared one.
        """
        self._own(ending, _SMALL, _NOT_OURS)
        table = self.table(ending)
        about = table.size / _SHARES[table.form]
        result: dict[Form, int] = {}
        if table.form != "compact":
            result["full"] = round(about * _SHARES["compact"])
        if table.form != "lean":
            why = lean.refusal(table, self)
            if why is None:
                result["lean"] = round(about * _SHARES["lean"])
            elif not result and isinstance(why, NotBuiltError):
                raise self._not_built(why.ending, f"build it first: a lean form of {ending} needs it")
            elif not result and isinstance(why, TableError):
                raise why
        return result

    def compact(
        self, ending: str, progress: Callable[[float], None] = silent, form: Form | None = None
    ) -> tuple[int, int]:
        """Rewrites a table of the user as small as this program can, for good.

        Args:
            ending: Name of a built ending.
            progress: Told the part done, 0 to 1, now and then.
            form: ``lean`` stores one side to move only, from which the other is derived when it is asked for;
                ``full`` stores both; the table's own by default, a lean one being left as it is.

        Returns:
            Bytes before and after.

        Raises:
            NotBuiltError: There is none in the data directory; or one of its sub-endings, without which a lean one
                cannot be written.
            TableError: A frame is corrupt; the file has been put aside. Or one side does not follow from the other.
            StorageError: It is a starter table or a shared one, the disk is full, or the directory cannot be written;
                or there is no lean form of it.
            BusyError: Somebody has it in hand, or an ending that needs it.
        """
        paths.prepare_kernels()  # the proof of the new table may load them
        path = self._own(ending, _SMALL, _NOT_OURS)
        with self.hold_alone(ending, f"the compacting of {ending}"):
            before, table = path.stat().st_size, self.table(ending)
            if form != "full" and isinstance(table, lean.LeanTable):
                return before, before
            check = self.proof(ending)
            if form == "lean":
                after = lean.write_lean(table, path, self, progress, check)
            else:
                after = write_compact(table, path, progress, check=check)
            self._open.pop(ending, None)
        return before, after

    def verify(
        self,
        ending: str,
        samples: int = 1000,
        seed: int = 1,
        progress: Callable[[float], None] = silent,
        second_opinion: Callable[[Any], int | None] | None = None,
    ) -> Verified:
        """Proves a table: its checksums, then random positions re-derived one ply deep.

        The re-derivation uses the rules of the game alone for the moves, and the tables for the positions after
        them; only positions whose successors are all built are compared.

        Args:
            ending: Name of a built ending.
            samples: Positions to compare.
            seed: Seed of their choice.
            progress: Told the part done, 0 to 1, now and then; what it raises stops it.
            second_opinion: Says of a position whether the side to move wins (1), draws (0) or loses (-1), from another
                source; None where that does not know.

        Raises:
            NotBuiltError: It is not built; or it is lean, and a sub-ending is not.
            TableError: A checksum fails; the file has been put aside.
        """
        table = self.table(ending)
        try:
            frames = table.check(lambda part: progress(_CHECKED * part))
            rng = random.Random(seed)
            compared, opinions, lacking = 0, 0, set[str]()
            for number in range(samples):
                side, slot = table.nth(rng.randrange(table.positions))  # every canonical one alike
                try:
                    wrong = mismatch(table, self, side, slot)
                except NotBuiltError as problem:
                    lacking.add(problem.ending)
                    continue
                compared += 1
                if not wrong and second_opinion is not None:
                    position = self.game.index.position_at(ending, side, slot)
                    opinion = second_opinion(position)
                    stored = self.game.index.value(table.value(side, slot))[0].sign
                    opinions += opinion is not None
                    if opinion is not None and opinion != stored:
                        what = f"{_RESULTS[stored]} stored, {_RESULTS[opinion]} by the second opinion"
                        wrong = f"{self.game.format(position)}: {what}"
                if wrong:
                    return Verified(ending, frames, compared, opinions, wrong)
                if number % 100 == 0:
                    progress(_CHECKED + (1 - _CHECKED) * number / samples)
            return Verified(ending, frames, compared, opinions, None, sorted(lacking))
        finally:
            table.release()

    def code(self, position: Any) -> int:
        """The code of a legal position; raises NotBuiltError when its table is missing."""
        return position_code(self.game, position, self._look)

    def _look(self, slot: Slot) -> int:
        return self.table(slot.ending).value(slot.side, slot.index)

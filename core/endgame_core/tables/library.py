"""The library: all endings of a game, the tables that are built, and the costs of those that are not."""

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
"""Suffix of a damaged table in the user's directory, which nothing reads any more."""

REJECTED = ".rejected"
"""Suffix of a new table that the proof has refuted, which nothing reads."""

ABOUT = ".about"
"""Suffix of the file that stores the survey of an ending, after the name of the ending."""

_WORK = "work"
"""Folder of the data directory with the unfinished work of long builds."""

_DAMAGED_ELSEWHERE = ".starter-damaged"
"""Suffix of an empty file in the user's directory: the shared or shipped table of this name is damaged."""

Form = Literal["full", "lean"]
"""Whether a table stores both sides to move, or one."""

_RELATIVE_SIZES = {"built": 1.0, "compact": 0.58, "lean": 0.25}
"""Relative size of a table in each form: all five-man tables together have 6.7 GB, 3.9 GB and 1.6 GB."""

OWN, SHARED, SHIPPED = "own", "shared", "shipped"
"""Owners of a table: the user, others who share it, the program."""

_COMPACT_SHIPPED = "it is small already"
_COMPACT_SHARED = "whoever keeps it can make it smaller"

_PROOF_CACHE_BYTES = 40_000_000
"""Unpacked frames in memory during a proof; few, because the solver has not released its memory yet."""

_LOOK_AGAIN = 0.2
"""Seconds for which an open table is used without a stat of its file: one line of play probes it a thousand times."""

_METRICS_WITHOUT_SUFFIX = ("dtm", "depth")
"""Metrics that the names of table files do not mention: each is the main metric of its game."""

_RESULTS = ("draw", "win", "loss")
"""Indexed by the sign of a category, 0, 1 or -1: the result for the side to move, regardless of the 50-move rule."""

_CHECKSUMS_DONE = 0.95
"""Part of a verification that is done once the checksums are right; in small tables it takes no time."""
_CLOCK_STEP = 100_000_000
"""Nanoseconds within which two changes of a directory may get the same time stamp."""


@dataclass(frozen=True, slots=True)
class CatalogueEntry:
    """One ending of the catalogue.

    Attributes:
        ending: Its name.
        state: ``built``, ``missing`` or ``damaged``.
        reason: Why the table cannot be used, else empty.
        positions: Canonical positions of both sides, exact or estimated.
        size: Bytes on disk, exact or estimated.
        seconds: Estimated time to build, sub-endings not included.
        memory: Estimated bytes of memory while building.
        exact: Whether positions and size are exact.
        longest: Longest win with the winner to move: by DTM in moves, of stones in plies; by DTZ the deepest layer in
            plies. None if unknown or if all positions are drawn.
        needs: Sub-endings one move away.
        missing: Sub-endings, at any distance, that would be built first.
        owner: Owner of the table: ``own``, ``shared`` by others, who alone can change it, or ``shipped`` with the
            program; empty if there is no table.
        form: Form of the table: ``built``, ``compact`` or ``lean``; empty if there is no table.
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
    """The result of a verification.

    Attributes:
        ending: The ending.
        frames: Number of frames, all with the right checksums.
        positions: Number of positions compared one ply deep.
        opinions: Number of these positions that were compared with a second opinion, too.
        mismatch: The first position that differs, in words, or None.
        missing: Sub-endings that are not built; positions with moves into them were not compared.
    """

    ending: str
    frames: int
    positions: int
    opinions: int
    mismatch: str | None
    missing: Sequence[str] = ()


def _busy(activity: str) -> BusyError:
    return BusyError(f"{activity} in this data directory", "wait for it, or use --data-dir")


def clear_damage(path: Path) -> None:
    """Delete what a damaged table has left beside ``path``, its file or a mark, now that a sound table is there."""
    for suffix in (DAMAGED, _DAMAGED_ELSEWHERE):
        path.with_name(path.name + suffix).unlink(missing_ok=True)


def _draw_bytes(game: Game[Any, Any], ending: str) -> list[int]:
    """The byte of a draw for each side to move."""
    return [game.index.draw_byte(ending, side) for side in range(2)]


def _is_newer(path: Path, mark: Path) -> bool:
    """Whether a file was modified after another one; False if one of them does not exist."""
    try:
        return path.stat().st_mtime > mark.stat().st_mtime
    except OSError:
        return False


def _partial_files(directory: Path, table: str) -> Iterator[Path]:
    """The half-written files of a table in a directory; of all tables if ``table`` is ``*``."""
    for pattern in (f".{table}.*.part", f".{table}.*.body"):
        yield from directory.glob(pattern)


@dataclass(slots=True)
class _OpenTable:
    """An open table, the modification time of its file in ns, and the monotonic time of the last stat in seconds."""

    table: Table
    modified: int
    checked: float


class Library:
    """The tables of one game in one data directory, then those shared by others, then the shipped starter tables.

    Args:
        game: The game.
        root: The data directory; the user's by default.
        frames: Cache of unpacked frames; a new one by default.
        shared: More directories of tables, which are only read.

    Attributes:
        directory: The folder of the data directory that holds the tables.
        suffix: What follows the name of an ending in the name of its table file.
        option: What follows an ending in a command that means its table in this library.
        locks: The locks on tables of all games and metrics.
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
        self._read_only_directories = (*shared, paths.starter_dir())
        if game.metric in _METRICS_WITHOUT_SUFFIX:
            self.suffix = SUFFIX
            self.option = ""
        else:
            self.suffix = f".{game.metric}{SUFFIX}"
            self.option = f" --metric {game.metric}"
        self.locks = Locks(self.root / "locks")
        self._open: dict[str, _OpenTable] = {}
        self._frames = frames or FrameCache()
        self._listings: dict[Path, tuple[int, frozenset[str]]] = {}
        """For each directory its modification time in ns when it was listed, and the names of its files."""

    @classmethod
    def at(cls, game: Game[Any, Any], places: Sequence[str]) -> Library:
        """The same tables in another process; see :attr:`places`."""
        root, *shared = map(Path, places)
        return cls(game, root, shared=shared)

    @property
    def places(self) -> list[str]:
        """The data directory and the directories of shared tables, as another process needs them for :meth:`at`."""
        return [str(self.root), *map(str, self._read_only_directories[:-1])]

    def path(self, ending: str) -> Path:
        """The path of an ending's table in the user's directory, whether the file exists or not."""
        return self.directory / f"{ending}{self.suffix}"

    def _file(self, ending: str) -> Path | None:
        """The file that is read for an ending: the user's, else the first in the read-only directories."""
        name = f"{ending}{self.suffix}"
        user_files = self._names(self.directory)
        if name in user_files:
            return self.directory / name

        # After a read-only table was found damaged, only one that was replaced since then is read.
        is_marked = name + _DAMAGED_ELSEWHERE in user_files
        mark = self.directory / (name + _DAMAGED_ELSEWHERE)
        for directory in self._read_only_directories:
            if name in self._names(directory) and (not is_marked or _is_newer(directory / name, mark)):
                return directory / name
        return None

    def _owner(self, ending: str) -> str:
        """The owner of an ending's table; empty if there is no table."""
        path = self._file(ending)
        if path is None:
            return ""
        if path.parent == self.directory:
            return OWN
        return SHIPPED if path.parent == self._read_only_directories[-1] else SHARED

    def _names(self, directory: Path) -> frozenset[str]:
        """Names of the regular files in a directory.

        The directory is listed again only after a change, because plans ask often. Pipes, sockets and devices are
        left out whatever their name: to open one could block forever.
        """
        try:
            changed = directory.stat().st_mtime_ns
            listing = self._listings.get(directory)
            if listing is not None and listing[0] == changed:
                return listing[1]
            with os.scandir(directory) as files:
                names = frozenset(file.name for file in files if file.is_file())
        except OSError:
            return frozenset()

        # A change right after the listing may leave the time stamp as it is, so a fresh one is not trusted.
        if time.time_ns() - changed > _CLOCK_STEP:
            self._listings[directory] = (changed, names)
        return names

    @property
    def files(self) -> frozenset[tuple[Path, str]]:
        """The directory and name of every table file, of all metrics and games."""
        directories = (self.directory, *self._read_only_directories)
        return frozenset(
            (directory, name) for directory in directories for name in self._names(directory) if name.endswith(SUFFIX)
        )

    # Locks

    def acquire(self, ending: str, what: str) -> Lock | None:
        """Lock the table of an ending; return None if somebody else holds the lock.

        The lock of a builder that has died is taken over, and the files that it has half written are deleted. The lock
        is released by ``locks.release``.

        Args:
            ending: Its name.
            what: The purpose as others read it, e.g. ``the build of KRPvKR``.

        Raises:
            StorageError: The directory cannot be written.
        """
        with storage_errors(self.directory):
            self.directory.mkdir(parents=True, exist_ok=True)
            lock = self.locks.acquire(f"{ending}{self.suffix}", what)
            if lock is not None:
                for path in _partial_files(self.directory, f"{ending}{self.suffix}"):
                    path.unlink(missing_ok=True)
            return lock

    @contextmanager
    def exclusive_lock(self, ending: str, what: str) -> Generator[None]:
        """Lock a table that is to be deleted or replaced.

        Args:
            ending: Its name.
            what: The purpose as others read it.

        Raises:
            BusyError: The table, or one that requires it, is locked.
            StorageError: The directory cannot be written.
        """
        for name, owner in self.locked_endings().items():
            if ending in self.game.needs(name):
                raise _busy(f"{owner} is at work and needs {ending}")
        lock = self.acquire(ending, what)
        if lock is None:
            raise _busy(f"{self.locks.holder(ending + self.suffix) or 'another program'} is at work")
        try:
            yield
        finally:
            self.locks.release(lock)

    def locked_endings(self) -> dict[str, LockOwner]:
        """The endings whose tables are locked, in this process or another, here or on another machine, and by whom."""
        owners = {name.removesuffix(self.suffix): owner for name, owner in self.locks.holders().items()}
        if not owners:
            return {}
        return {ending: owners[ending] for ending in self.game.endings() if ending in owners}

    def sweep(self) -> None:
        """Delete the half-written files of builds that were killed; tables that are locked are left alone."""
        partial_files = list(_partial_files(self.directory, "*"))
        locked = self.locks.holders() if partial_files else {}
        for path in partial_files:
            name = path.name[1:].rsplit(".", 2)[0]
            if f"{name.removesuffix(ABOUT)}{SUFFIX}" not in locked and name not in locked:
                with suppress(OSError):  # the directory may be read-only
                    path.unlink()

    def abandon(self) -> None:
        """Release all locks of this process and delete its half-written files, because the process ends."""
        self.locks.release()
        self.sweep()

    # Building

    def work_file(self, ending: str) -> Path:
        """The path of the work file, from which an interrupted build of an ending is resumed."""
        return self.root / _WORK / f"{ending}{self.suffix}.work"

    def write(self, ending: str, solved: SolvedEnding, began: float | None = None, threads: int | None = None) -> int:
        """Write the table of a solved ending once it is proved; return its size in bytes.

        Args:
            ending: Its name.
            solved: The solved ending.
            began: Monotonic time when the build began, now by default: the longer the build, the longer the proof.
            threads: Number of threads; the number of cores by default.

        Raises:
            ProofError: The table is wrong; its file is renamed.
            StorageError: The disk is full or the directory cannot be written.
        """
        path = self.path(ending)
        game = self.game
        size = write_table(
            path,
            solved,
            game.index.axes(ending),
            self.proof(ending, began, threads),
            game=game.name,
            ending=ending,
            rules=game.rules,
            scheme=game.scheme,
            metric=game.metric,
            draws=[DRAW, DRAW] if solved.wide else _draw_bytes(game, ending),
        )
        clear_damage(path)
        # An earlier build, in less memory than this one had, may have left its work file.
        with storage_errors(path):
            for file in files_of(self.work_file(ending)):
                file.unlink(missing_ok=True)
        self._open.pop(ending, None)
        return size

    def proof(self, ending: str, began: float | None = None, threads: int | None = None) -> Check:
        """A check that proves a finished file before it becomes the table of an ending, and renames a wrong one.

        Args:
            ending: Its name.
            began: Monotonic time when the build began, now by default.
            threads: Number of threads; the number of cores by default.
        """
        start = time.monotonic() if began is None else began

        def check(file: Path) -> None:
            # Next to the file, not to the table: a lean export may go to another disk.
            target = file.name.removeprefix(".").rsplit(".", 2)[0]
            rejected = file.with_name(target + REJECTED)
            try:
                tables, table = self.with_file(file, FrameCache(_PROOF_CACHE_BYTES))
                try:
                    prove(table, tables, time.monotonic() - start, threads or mmap_arrays.cores())
                finally:
                    table.release()
                    table.close()
            except ProofError as error:
                file.replace(rejected)
                raise ProofError(ending, error.reason, str(rejected)) from None
            except TableError as error:
                own_prefix = f"the table {file.name} "
                if not error.what.startswith(own_prefix):  # a sub-ending is damaged, which proves nothing
                    raise
                file.replace(rejected)
                raise ProofError(ending, error.what.removeprefix(own_prefix), str(rejected)) from None

        return check

    # Reading

    def _not_built(self, ending: str, advice: str | None = None) -> NotBuiltError:
        metric = "" if self.game.metric in _METRICS_WITHOUT_SUFFIX else self.game.metric
        return NotBuiltError(ending, advice, by=metric)

    def _user_file(self, ending: str, if_shipped: str, if_shared: str, if_missing: str | None = None) -> Path:
        """The path of the user's table of an ending.

        Args:
            ending: Its name.
            if_shipped: Advice in the error if the table is a starter table.
            if_shared: Advice in the error if the table is shared by others.
            if_missing: Advice in the error if there is no table.

        Raises:
            StorageError: The table is a starter table or a shared one.
            NotBuiltError: There is no table.
        """
        path = self.path(ending)
        if path.is_file():
            return path
        if self.is_built(ending):
            if self._owner(ending) == SHIPPED:
                raise StorageError(f"{ending} is shipped with the program", if_shipped)
            raise StorageError(f"the table of {ending} is shared and only read here", if_shared)
        raise self._not_built(ending, if_missing)

    def is_built(self, ending: str) -> bool:
        """Whether the ending has a table file, which may still prove damaged when it is read."""
        return self._file(ending) is not None

    def built(self) -> list[str]:
        """The endings that have a table, in catalogue order."""
        directories = (self.directory, *self._read_only_directories)
        names = {name for directory in directories for name in self._names(directory)}
        candidates = [ending for ending in self.game.endings() if f"{ending}{self.suffix}" in names]
        return [ending for ending in candidates if self.is_built(ending)]

    def table(self, ending: str) -> Table:
        """The open table of an ending.

        Raises:
            NotBuiltError: There is none.
            TableError: The file cannot be read, or it is damaged. The user's damaged file is renamed.
        """
        opened = self._open.get(ending)
        if opened is not None and time.monotonic() - opened.checked < _LOOK_AGAIN:
            return opened.table

        path = self._file(ending)
        if path is None:
            raise self._not_built(ending)
        try:
            modified = path.stat().st_mtime_ns
        except FileNotFoundError:  # just deleted, or a dangling link
            raise self._not_built(ending) from None
        if opened is not None and opened.modified == modified:
            opened.checked = time.monotonic()
            return opened.table

        copies = partial(self.game.index.arrays().copies_in, ending)
        put_aside = partial(self._put_aside, ending, path)
        table = lean.open_table(path, copies, self._frames, put_aside, self)
        try:
            self.check_header(table)
            if table.ending != ending:
                raise TableError(f"the table {path.name} is of another ending", "build it again")
        except TableError:
            put_aside()
            raise
        self._open[ending] = _OpenTable(table, modified, time.monotonic())
        return table

    def with_file(self, path: Path, frames: FrameCache | None = None) -> tuple[Library, Table]:
        """These tables with another file in place of an ending's table, e.g. a new one that is to be proved.

        Args:
            path: The file; its header names the ending.
            frames: Cache of unpacked frames; a new one by default.

        Returns:
            A library with the file, and the open table of the file.

        Raises:
            TableError: The file is unreadable, truncated or of another game, or its header is corrupt.
        """
        game = self.game
        tables = Library(game, self.root, frames, self._read_only_directories[:-1])

        def copies(side: int, box: Sequence[range]) -> Any:
            return game.index.arrays().copies_in(table.ending, side, box)

        table = lean.open_table(path, copies, tables._frames, lambda: None, tables)
        self.check_header(table)
        tables._open[table.ending] = _OpenTable(table, 0, inf)  # never compared with the file in the directory
        return tables, table

    def check_header(self, table: Table) -> None:
        """Raise TableError for a table of another game, index, metric or variant, or of an unknown ending."""
        header = table.header
        game = self.game
        ending = table.ending
        is_ours = ending in game.endings() and (
            (header.game, header.scheme, header.metric, tuple(header.axes))
            == (game.name, game.scheme, game.metric, game.index.axes(ending))
        )
        if not is_ours or not (header.wide or header.draws == _draw_bytes(game, ending)):
            raise TableError(f"the table {table.path.name} is of another ending", "build it again")
        if header.rules != game.rules:
            raise TableError(f"{ending} is of another variant: {header.rules}", "build it again")

    def read_side(self, ending: str, side: int, threads: int, wanted: DigitFilter = ()) -> Any:
        """The stored values of one side to move, shape (slots,), for the solver; see :meth:`Table.read_side`."""
        table = self.table(ending)
        legal = self.game.solver.canonical_bits(ending, side, threads, table.frame_digits(side, wanted))
        return table.read_side(side, legal, threads, wanted)

    def _put_aside(self, ending: str, path: Path) -> None:
        """Rename a damaged table of the user, or mark a read-only one as damaged, so that it is built again.

        Nothing is lost. Failures are ignored: the caller is about to report the damage, which matters more.
        """
        self._open.pop(ending, None)
        with suppress(OSError):
            if path.parent == self.directory:
                path.replace(path.with_name(path.name + DAMAGED))
            else:  # the files of others stay as they are
                self.directory.mkdir(parents=True, exist_ok=True)
                self.directory.joinpath(path.name + _DAMAGED_ELSEWHERE).touch()

    def damage_error(self, ending: str) -> TableError | None:
        """The error that reports an ending's damaged file, or None if there is none or another table replaces it."""
        name = f"{ending}{self.suffix}"
        damaged = {name + DAMAGED, name + _DAMAGED_ELSEWHERE} & self._names(self.directory)
        if not damaged or self.is_built(ending):
            return None
        what = "was put aside" if damaged.pop().endswith(DAMAGED) else "is shipped or shared"
        return TableError(f"a damaged file of {ending} {what}", "build it again")

    # The catalogue

    def entry(self, ending: str) -> CatalogueEntry:
        """The catalogue entry of an ending: from its table if it is built, else estimated."""
        game = self.game
        cost = self.estimate(ending)
        state = "missing"
        reason = ""
        positions = game.expected_positions(ending)
        size = cost.size
        longest = game.longest_known(ending)
        form = ""
        if self.is_built(ending):
            try:
                table = self.table(ending)
                state = "built"
                positions = table.positions
                size = table.size
                longest = self._longest(table)
                form = table.form
            except TableError as error:
                state = "damaged"
                reason = str(error)
        elif damage := self.damage_error(ending):
            state = "damaged"
            reason = str(damage)
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
        """The longest win of either side with the winner to move; by DTZ the deepest layer; None if all are drawn.

        By DTM in moves, by other metrics in plies. Losses may be deeper: KQQvK mates in 4, and loses in 20 plies if a
        queen can be captured.
        """
        metric = self.game.metric
        plies = [n for category, n in self._values(table) if n is not None and (metric == "dtz" or category.sign > 0)]
        longest = max(plies, default=None)
        if longest is not None and metric == "dtm":
            return (longest + 1) // 2
        return longest

    def _values(self, table: Table) -> list[tuple[Category, int | None]]:
        """The values that occur in a table: category, and plies (None for a draw)."""
        return [self.game.index.value(code) for side in range(2) for code in table.used_codes(side)]

    def check_moves(self, ending: str) -> None:
        """Raise NotBuiltError unless an ending and all endings that its moves lead to are built."""
        for name in (ending, *self.game.needs(ending)):
            self.table(name)

    def deepest(self, ending: str) -> int:
        """The number of the deepest layer of a built ending, -1 if all is drawn; raises like :meth:`table`."""
        return max((n for _, n in self._values(self.table(ending)) if n is not None), default=-1)

    def is_deep(self, endings: Iterable[str]) -> bool:
        """Whether a move into one of these built endings may get a depth that a byte cannot store.

        Raises:
            NotBuiltError: One is not built.
            TableError: A table cannot be read.
        """
        return any(self.deepest(ending) >= LAST_BYTE_LAYER for ending in endings)

    def estimate(self, ending: str, memory: int | None = None) -> Cost:
        """The cost of building an ending, sub-endings not included; more exact if its sub-endings are built.

        Args:
            ending: Its name.
            memory: Memory limit in bytes; 75 % of the free memory by default.
        """
        allowed = memory or mmap_arrays.default_memory()
        cost = replace(self.game.cost(ending), scratch=self.game.scratch(ending, allowed))
        if cost.deep:
            with suppress(EndgameError):  # a sub-ending is damaged, or was just deleted
                if self.is_deep(need for need in self.game.needs(ending) if self.is_built(need)):
                    return replace(cost, least=cost.deep, deep=0)
        return cost

    def plan(self, endings: Iterable[str]) -> list[str]:
        """The endings to build, missing sub-endings first, without those that are built."""
        order: dict[str, None] = {}
        visited: set[str] = set()

        def add(ending: str) -> None:
            if ending in visited:
                return
            visited.add(ending)
            if self.is_built(ending):
                return
            for need in self.game.needs(ending):
                add(need)
            order[ending] = None

        for ending in endings:
            add(ending)
        return list(order)

    # Compiled kernels

    def missing_kernels(self, endings: Sequence[str], about: bool = False) -> dict[str, float]:
        """The kernels for these endings that were never compiled on this machine, with the seconds each takes.

        Args:
            endings: The endings to build.
            about: Whether surveys are to be made as well.
        """
        kernels = self.game.solver.compile_times(endings, about) if endings or about else {}
        return {kernel: seconds for kernel, seconds in kernels.items() if not self.kernel_mark(kernel).exists()}

    def mark_compiled(self, kernel: str) -> None:
        """Record that a kernel is compiled; if nothing can be written, its price is merely announced again."""
        with suppress(OSError):
            self.kernel_mark(kernel).touch()

    def kernel_mark(self, kernel: str) -> Path:
        """The path of the empty file that exists once a kernel has been compiled on this machine."""
        return paths.kernel_mark(f"{self.game.name}-{kernel.replace(' ', '-')}")

    # Disk usage, deletion, compaction

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
        """The user's lean tables that cannot be read without the user's table of an ending."""
        name = f"{ending}{self.suffix}"
        user_files = self._names(self.directory)
        if name not in user_files:
            return []
        if any(name in self._names(directory) for directory in self._read_only_directories):
            return []
        built = [name for name in self.game.endings() if f"{name}{self.suffix}" in user_files]
        return [name for name in built if ending in self.game.needs(name) and lean.is_lean(self.path(name))]

    def remove(self, ending: str) -> int:
        """Delete the user's table of an ending and all unfinished work on it; return the bytes freed.

        Raises:
            NotBuiltError: There is nothing to delete.
            StorageError: It is a starter table or a shared one, or cannot be deleted.
            BusyError: The table, or one that requires it, is locked.
        """
        path = self.path(ending)
        files = files_of(self.work_file(ending))
        rejected = path.with_name(path.name + REJECTED)
        if rejected.is_file():
            files.append(rejected)
        if path.is_file() or not files:
            if_shared = "whoever keeps it can delete it"
            files.append(self._user_file(ending, "it needs no space of yours", if_shared, "there is nothing to remove"))

        size = sum(file.stat().st_size for file in files)
        if path in files and self.game.metric in _METRICS_WITHOUT_SUFFIX:
            files.append(path.with_name(ending + ABOUT))
        self._open.pop(ending, None)
        with self.exclusive_lock(ending, f"the removal of {ending}"), storage_errors(path):
            for file in files:
                file.unlink(missing_ok=True)
        return size

    def forms(self, ending: str) -> dict[Form, int]:
        """The forms that :meth:`compact` can give a table of the user, with the estimated bytes of each.

        Raises:
            NotBuiltError: The user has no table of it; or it has no other form because a sub-ending is not built.
            TableError: It, or a sub-ending, cannot be read.
            StorageError: It is a starter table or a shared one.
        """
        self._user_file(ending, _COMPACT_SHIPPED, _COMPACT_SHARED)
        table = self.table(ending)
        size_as_built = table.size / _RELATIVE_SIZES[table.form]
        forms: dict[Form, int] = {}
        if table.form != "compact":
            forms["full"] = round(size_as_built * _RELATIVE_SIZES["compact"])
        if table.form != "lean":
            error = lean.refusal(table, self)
            if error is None:
                forms["lean"] = round(size_as_built * _RELATIVE_SIZES["lean"])
            elif not forms and isinstance(error, NotBuiltError):
                raise self._not_built(error.ending, f"build it first: a lean form of {ending} needs it")
            elif not forms and isinstance(error, TableError):
                raise error
        return forms

    def compact(
        self, ending: str, progress: Callable[[float], None] = silent, form: Form | None = None
    ) -> tuple[int, int]:
        """Rewrite a table of the user as small as possible, for good.

        Args:
            ending: Name of a built ending.
            progress: Called with the part done, 0 to 1.
            form: ``lean`` stores one side to move only, from which the other is derived when it is read; ``full``
                stores both. By default the table keeps its form, and a lean one is left as it is.

        Returns:
            Bytes before and after.

        Raises:
            NotBuiltError: The user has no table of it; or a sub-ending that a lean table requires is not built.
            TableError: A frame is corrupt, and the file was renamed; or one side does not follow from the other.
            StorageError: It is a starter table or a shared one, the disk is full, the directory cannot be written, or
                the table can have no lean form.
            BusyError: The table, or one that requires it, is locked.
        """
        paths.prepare_kernels()  # the proof of the new table may load them
        path = self._user_file(ending, _COMPACT_SHIPPED, _COMPACT_SHARED)
        with self.exclusive_lock(ending, f"the compacting of {ending}"):
            size_before = path.stat().st_size
            table = self.table(ending)
            if form != "full" and isinstance(table, lean.LeanTable):
                return size_before, size_before
            check = self.proof(ending)
            if form == "lean":
                size_after = lean.write_lean(table, path, self, progress, check)
            else:
                size_after = write_compact(table, path, progress, check=check)
            self._open.pop(ending, None)
        return size_before, size_after

    # Verification

    def verify(
        self,
        ending: str,
        samples: int = 1000,
        seed: int = 1,
        progress: Callable[[float], None] = silent,
        second_opinion: Callable[[Any], int | None] | None = None,
    ) -> Verified:
        """Verify a table: its checksums, then random positions derived again one ply deep.

        The moves come from the rules of the game, the values of the positions after them from the tables. Only
        positions whose successors are all built are compared.

        Args:
            ending: Name of a built ending.
            samples: Number of positions to compare.
            seed: Seed of the random choice.
            progress: Called with the part done, 0 to 1; its exceptions stop the verification and propagate.
            second_opinion: Returns from another source whether the side to move wins (1), draws (0) or loses (-1) a
                position; None if that source does not know it.

        Raises:
            NotBuiltError: It is not built; or it is lean, and a sub-ending is not built.
            TableError: A checksum fails; the file has been renamed.
        """
        table = self.table(ending)
        try:
            frames = table.check(lambda part: progress(_CHECKSUMS_DONE * part))
            rng = random.Random(seed)
            compared = 0
            opinions = 0
            missing: set[str] = set()
            for number in range(samples):
                side, slot = table.nth(rng.randrange(table.positions))  # all canonical positions are equally likely
                try:
                    difference = mismatch(table, self, side, slot)
                except NotBuiltError as problem:
                    missing.add(problem.ending)
                    continue
                compared += 1

                if not difference and second_opinion is not None:
                    position = self.game.index.position_at(ending, side, slot)
                    opinion = second_opinion(position)
                    if opinion is not None:
                        opinions += 1
                        difference = self._difference_to_opinion(table, side, slot, opinion)
                if difference:
                    return Verified(ending, frames, compared, opinions, difference)
                if number % 100 == 0:
                    progress(_CHECKSUMS_DONE + (1 - _CHECKSUMS_DONE) * number / samples)
            return Verified(ending, frames, compared, opinions, None, sorted(missing))
        finally:
            table.release()

    def _difference_to_opinion(self, table: Table, side: int, slot: int, opinion: int) -> str:
        """How a stored result differs from a second opinion, in words; empty if they agree."""
        stored = self.game.index.value(table.value(side, slot))[0].sign
        if opinion == stored:
            return ""
        position = self.game.index.position_at(table.ending, side, slot)
        what = f"{_RESULTS[stored]} stored, {_RESULTS[opinion]} by the second opinion"
        return f"{self.game.format(position)}: {what}"

    # Probing

    def code(self, position: Any) -> int:
        """The code of a legal position; raises NotBuiltError if its table is missing."""
        return position_code(self.game, position, self._code_at)

    def _code_at(self, slot: Slot) -> int:
        return self.table(slot.ending).value(slot.side, slot.index)

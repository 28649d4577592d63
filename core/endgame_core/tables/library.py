"""The library: the tables of a game that are built, opened and read as they are needed, and written once solved.

What else concerns tables has a place of its own: their files (``table_files.py``), the lock on a table
(``table_locks.py``), the plan of a build (``plan.py``), compiled kernels (``kernel_marks.py``), space on disk
(``disk.py``), and the verifier (``verification.py``).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from math import inf
from pathlib import Path
from typing import Any

from endgame_core import paths
from endgame_core.errors import ProofError, TableError
from endgame_core.game import DigitFilter, Game, Slot, SolvedEnding, position_code
from endgame_core.language import _
from endgame_core.paths import pace_file, storage_errors, target_of
from endgame_core.system import cores
from endgame_core.tables import lean, mmap_arrays
from endgame_core.tables.disk import DiskSpace
from endgame_core.tables.file import FrameCache, Table, silent
from endgame_core.tables.kernel_marks import KernelMarks
from endgame_core.tables.pace import MachinePace
from endgame_core.tables.plan import BuildPlanner
from endgame_core.tables.proof import prove
from endgame_core.tables.table_files import REJECTED, WORK, TableFiles, clear_damage
from endgame_core.tables.table_locks import TableLocks
from endgame_core.tables.work_log import files_of
from endgame_core.tables.writing import Check, EarlyFrames, write_table
from endgame_core.values import DRAW, Category

_PROOF_CACHE_BYTES = 40_000_000
"""Bytes of the frame cache during a proof; few, because the solver has not released its memory yet."""

_LOOK_AGAIN = 0.2
"""Seconds for which an open table is used without a stat of its file: one line of play probes it a thousand times."""


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


def _draw_bytes(game: Game[Any, Any], ending: str) -> list[int]:
    """The byte of a draw for each side to move."""
    return [game.index.draw_byte(ending, side) for side in range(2)]


def _not_ours(path: Path) -> TableError:
    """The error of a file whose header does not fit its name or its library."""
    return TableError.of_file(path, _("belongs to a different ending"), _("build it again"))


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
        frames: Cache of packed frames and their rank bitmaps; a new one by default.
        shared: More directories of tables, which are only read.

    Attributes:
        directory: The folder of the data directory that holds the tables.
        option: What follows an ending in a command that means its table in this library.
        files: The files of the tables.
        locks: The locks on tables of all games and metrics.
        planner: Plans builds.
        kernels: The kernels that are compiled on this machine.
        disk: The space that the user's tables take.
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
        mmap_arrays.set_scratch_dir(self.root / WORK)
        if game.metric.to_end:
            self.option = ""
        else:
            self.option = f" --metric {game.metric}"
        self.files = TableFiles(self.root, self.directory, (*shared, paths.starter_dir()), game.metric)
        self.locks = TableLocks(game, self.files)
        self.pace = MachinePace(pace_file(self.root), f"{game.name} {game.metric}")
        self.planner = BuildPlanner(self, self.pace)
        self.kernels = KernelMarks(game)
        self.disk = DiskSpace(self)
        self._open: dict[str, _OpenTable] = {}
        self._frames = frames or FrameCache()

    @classmethod
    def at(cls, game: Game[Any, Any], places: Sequence[str]) -> Library:
        """The same tables in another process; see :attr:`places`."""
        root, *shared = map(Path, places)
        return cls(game, root, shared=shared)

    @property
    def places(self) -> list[str]:
        """The data directory and the directories of shared tables, as another process needs them for :meth:`at`."""
        return [str(self.root), *map(str, self.files.read_only[:-1])]

    def path(self, ending: str) -> Path:
        """The path of an ending's table in the user's directory, whether the file exists or not."""
        return self.files.path(ending)

    # Building

    def write(
        self,
        ending: str,
        solved: SolvedEnding,
        began: float | None = None,
        threads: int | None = None,
        progress: Callable[[float], None] = silent,
        early: EarlyFrames | None = None,
    ) -> int:
        """Write the table of a solved ending once it is proved; return its size in bytes.

        Args:
            ending: Its name.
            solved: The solved ending.
            began: Monotonic time when the build began, now by default: the longer the build, the longer the proof.
            threads: Number of threads; the number of cores by default.
            progress: Called with the part of the table that is written and not yet proved, 0 to 1.
            early: Frames that were encoded while the ending was solved.

        Raises:
            ProofError: The table is wrong; its file is renamed.
            StorageError: The disk is full or the directory cannot be written.
        """
        path = self.path(ending)
        game = self.game
        if solved.wide:
            draws = [DRAW, DRAW]
        else:
            draws = _draw_bytes(game, ending)
        size = write_table(
            path,
            solved,
            game.index.axes(ending),
            self.proof(ending, began, threads),
            progress,
            early,
            game=game.name,
            ending=ending,
            rules=game.rules,
            scheme=game.scheme,
            metric=game.metric,
            draws=draws,
        )
        clear_damage(path)
        # An earlier build, in less memory than this one had, may have left its work file.
        with storage_errors(path):
            for file in files_of(self.files.work_file(ending)):
                file.unlink(missing_ok=True)
        self.evict(ending)
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
            target = target_of(file)
            rejected = target.with_name(target.name + REJECTED)
            try:
                tables, table = self.with_file(file, FrameCache(_PROOF_CACHE_BYTES))
                try:
                    prove(table, tables, time.monotonic() - start, threads or cores())
                finally:
                    table.release()
                    table.close()
            except ProofError as error:
                file.replace(rejected)
                raise ProofError(ending, error.reason, str(rejected)) from None
            except TableError as error:
                if error.file != str(file):  # a sub-ending is damaged, which proves nothing
                    raise
                file.replace(rejected)
                raise ProofError(ending, error.problem, str(rejected)) from None

        return check

    # Reading

    def is_built(self, ending: str) -> bool:
        """Whether the ending has a table file, which may still prove damaged when it is read."""
        return self.files.find(ending) is not None

    def built(self) -> list[str]:
        """The endings that have a table, in catalogue order."""
        names = self.files.all_names()
        candidates = [ending for ending in self.game.endings() if f"{ending}{self.files.suffix}" in names]
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

        path = self.files.find(ending)
        if path is None:
            raise self.files.not_built(ending)
        try:
            modified = path.stat().st_mtime_ns
        except FileNotFoundError:  # just deleted, or a dangling link
            raise self.files.not_built(ending) from None
        if opened is not None and opened.modified == modified:
            opened.checked = time.monotonic()
            return opened.table

        copies = partial(self.game.index.arrays().copies_in, ending)
        put_aside = partial(self._put_aside, ending, path)
        table = lean.open_table(path, copies, self._frames, put_aside, self)
        try:
            self.check_header(table)
            if table.ending != ending:
                raise _not_ours(path)
        except TableError:
            put_aside()
            raise
        self._open[ending] = _OpenTable(table, modified, time.monotonic())
        return table

    def with_file(self, path: Path, frames: FrameCache | None = None) -> tuple[Library, Table]:
        """These tables with another file in place of an ending's table, e.g. a new one that is to be proved.

        Args:
            path: The file; its header names the ending.
            frames: Cache of packed frames and their rank bitmaps; a new one by default.

        Returns:
            A library with the file, and the open table of the file.

        Raises:
            TableError: The file is unreadable, truncated or of another game, or its header is corrupt.
        """
        game = self.game
        tables = Library(game, self.root, frames, self.files.read_only[:-1])

        # Called later only, when `table` exists: its header names the ending.
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
            raise _not_ours(table.path)
        if header.rules != game.rules:
            raise TableError(
                _("{ending} belongs to a different variant: {rules}").format(ending=ending, rules=header.rules),
                _("build it again"),
            )

    def read_side(self, ending: str, side: int, threads: int, slot_digits: DigitFilter = ()) -> Any:
        """The stored values of one side to move, shape (slots,), for the solver; see :meth:`Table.read_side`."""
        table = self.table(ending)
        legal = self.game.solver.canonical_bits(ending, side, threads, table.frame_digits(side, slot_digits))
        return table.read_side(side, legal, threads, slot_digits)

    def _put_aside(self, ending: str, path: Path) -> None:
        """Close a damaged table and put its file aside, so that it is built again."""
        self.evict(ending)
        self.files.put_aside(path)

    def evict(self, ending: str) -> None:
        """Close the table of an ending, because its file has changed; it is opened again when it is needed."""
        self._open.pop(ending, None)

    # The catalogue

    def entry(self, ending: str) -> CatalogueEntry:
        """The catalogue entry of an ending: from its table if it is built, else estimated."""
        game = self.game
        cost = self.planner.estimate(ending)
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
        elif damage := self.files.damage_error(ending):
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
            # The plan ends with the ending itself.
            missing=tuple(self.planner.plan([ending])[:-1]) if state != "built" else (),
            owner=self.files.owner(ending),
            form=form,
        )

    def _longest(self, table: Table) -> int | None:
        """The longest win of either side with the winner to move; by DTZ the deepest layer; None if all are drawn.

        By DTM in moves, by other metrics in plies. Losses may be deeper: KQQvK mates in 4, and loses in 20 plies if a
        queen can be captured.
        """
        metric = self.game.metric
        plies = [n for category, n in self._values(table) if n is not None and (category.sign > 0 or not metric.to_end)]
        longest = max(plies, default=None)
        if longest is not None and metric.in_moves:
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
        return max((n for __, n in self._values(self.table(ending)) if n is not None), default=-1)

    # Probing

    def code(self, position: Any) -> int:
        """The code of a legal position; raises NotBuiltError if its table is missing."""
        return position_code(self.game, position, self.code_at)

    def code_at(self, slot: Slot) -> int:
        """The code of a canonical slot; raises NotBuiltError or TableError."""
        return self.table(slot.ending).code(slot.side, slot.index)

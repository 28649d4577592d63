"""The files of tables: where they lie, whose they are, and which of several files is read."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from endgame_core.errors import NotBuiltError, StorageError, TableError
from endgame_core.language import _
from endgame_core.metric import Metric
from endgame_core.tables.header import SUFFIX

DAMAGED = ".damaged"
"""Suffix of a damaged table in the user's directory, which nothing reads any more."""

REJECTED = ".rejected"
"""Suffix of a new table that the proof has refuted, which nothing reads."""

ABOUT = ".about"
"""Suffix of the file that stores the survey of an ending, after the name of the ending."""

_DAMAGED_ELSEWHERE = ".starter-damaged"
"""Suffix of an empty file in the user's directory: the shared or shipped table of this name is damaged."""

WORK = "work"
"""Folder of the data directory with the unfinished work of long builds."""

OWN, SHARED, SHIPPED = "own", "shared", "shipped"
"""Owners of a table: the user, others who share it, the program."""

_CLOCK_STEP = 100_000_000
"""Nanoseconds within which two changes of a directory may get the same time stamp."""


def clear_damage(path: Path) -> None:
    """Delete what a damaged table has left beside ``path``, its file or a mark, now that a sound table is there."""
    for suffix in (DAMAGED, _DAMAGED_ELSEWHERE):
        path.with_name(path.name + suffix).unlink(missing_ok=True)


def _is_newer(path: Path, mark: Path) -> bool:
    """Whether a file was modified after another one; False if one of them does not exist."""
    try:
        return path.stat().st_mtime > mark.stat().st_mtime
    except OSError:
        return False


class TableFiles:
    """The table files of one game and metric: the user's, then those shared by others, then the shipped starter tables.

    Args:
        root: The data directory.
        directory: The folder of the data directory that holds the tables.
        read_only: More directories of tables, which are only read; the last one has the starter tables.
        metric: The metric of the tables.

    Attributes:
        suffix: What follows the name of an ending in the name of its table file.
    """

    def __init__(self, root: Path, directory: Path, read_only: Sequence[Path], metric: Metric) -> None:
        self.root = root
        self.directory = directory
        self.read_only = tuple(read_only)
        if metric.to_end:
            self.suffix = SUFFIX
        else:
            self.suffix = f".{metric}{SUFFIX}"
        self._metric = metric
        self._listings: dict[Path, tuple[int, frozenset[str]]] = {}
        """For each directory its modification time in ns when it was listed, and the names of its files."""

    def path(self, ending: str) -> Path:
        """The path of an ending's table in the user's directory, whether the file exists or not."""
        return self.directory / f"{ending}{self.suffix}"

    def work_file(self, ending: str) -> Path:
        """The path of the work file, from which an interrupted build of an ending is resumed."""
        return self.root / WORK / f"{ending}{self.suffix}.work"

    def find(self, ending: str) -> Path | None:
        """The file that is read for an ending: the user's, else the first in the read-only directories."""
        name = f"{ending}{self.suffix}"
        user_files = self.names(self.directory)
        if name in user_files:
            return self.directory / name

        # After a read-only table was found damaged, only one that was replaced since then is read.
        is_marked = name + _DAMAGED_ELSEWHERE in user_files
        mark = self.directory / (name + _DAMAGED_ELSEWHERE)
        for directory in self.read_only:
            if name in self.names(directory) and (not is_marked or _is_newer(directory / name, mark)):
                return directory / name
        return None

    def owner(self, ending: str) -> str:
        """The owner of an ending's table; empty if there is no table."""
        path = self.find(ending)
        if path is None:
            return ""
        if path.parent == self.directory:
            return OWN
        if path.parent == self.read_only[-1]:
            return SHIPPED
        return SHARED

    def user_file(self, ending: str, if_shipped: str, if_shared: str, if_missing: str | None = None) -> Path:
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
        owner = self.owner(ending)
        if owner == SHIPPED:
            raise StorageError(_("{ending} is shipped with the program").format(ending=ending), if_shipped)
        if owner:
            raise StorageError(_("the table of {ending} is shared and read-only here").format(ending=ending), if_shared)
        raise self.not_built(ending, if_missing)

    def not_built(self, ending: str, advice: str | None = None) -> NotBuiltError:
        """The error that there is no table of an ending."""
        return NotBuiltError(ending, advice, by="" if self._metric.to_end else self._metric)

    # Directories

    def names(self, directory: Path) -> frozenset[str]:
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

    def all_names(self) -> set[str]:
        """Names of the files in all directories."""
        return {name for directory in (self.directory, *self.read_only) for name in self.names(directory)}

    def listing(self) -> frozenset[tuple[Path, str]]:
        """The directory and name of every table file, of all metrics and games."""
        directories = (self.directory, *self.read_only)
        return frozenset(
            (directory, name) for directory in directories for name in self.names(directory) if name.endswith(SUFFIX)
        )

    def partial_files(self, ending: str | None = None) -> Iterator[Path]:
        """The half-written files of an ending's table in the user's directory; by default those of all tables."""
        table = "*"
        if ending is not None:
            table = f"{ending}{self.suffix}"
        for pattern in (f".{table}.*.part", f".{table}.*.body"):
            yield from self.directory.glob(pattern)

    # Damage

    def put_aside(self, path: Path) -> None:
        """Rename a damaged table of the user, or mark a read-only one as damaged, so that it is built again.

        Nothing is lost. Failures are ignored: the caller is about to report the damage, which matters more.
        """
        with suppress(OSError):
            if path.parent == self.directory:
                path.replace(path.with_name(path.name + DAMAGED))
            else:  # the files of others stay as they are
                self.directory.mkdir(parents=True, exist_ok=True)
                self.directory.joinpath(path.name + _DAMAGED_ELSEWHERE).touch()

    def damage_error(self, ending: str) -> TableError | None:
        """The error that reports an ending's damaged file, or None if there is none or another table replaces it."""
        name = f"{ending}{self.suffix}"
        damaged = {name + DAMAGED, name + _DAMAGED_ELSEWHERE} & self.names(self.directory)
        if not damaged or self.find(ending) is not None:
            return None
        if damaged.pop().endswith(DAMAGED):
            what = _("was put aside")
        else:
            what = _("is shipped or shared")
        return TableError(_("a damaged file of {ending} {what}").format(ending=ending, what=what), _("build it again"))

"""The space that tables take on disk: how much is free and used, and how some is gained by deleting and compacting."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from typing import Literal, Protocol

from endgame_core import paths
from endgame_core.errors import NotBuiltError, TableError
from endgame_core.language import _
from endgame_core.paths import storage_errors
from endgame_core.tables import lean
from endgame_core.tables.file import silent
from endgame_core.tables.header import SUFFIX
from endgame_core.tables.table_files import ABOUT, REJECTED, TableFiles
from endgame_core.tables.table_locks import TableLocks
from endgame_core.tables.work_log import files_of
from endgame_core.tables.writing import Check, write_compact

Form = Literal["full", "lean"]
"""Whether a table stores both sides to move, or one."""

_RELATIVE_SIZES = {"built": 1.0, "compact": 0.58, "lean": 0.25}
"""Relative size of a table in each form: all five-man tables together have 6.7 GB, 3.9 GB and 1.6 GB."""

_COMPACT_SHIPPED = _("it is already compact")
_COMPACT_SHARED = _("only its owner can compact it")


class StoredTables(lean.TableSource, Protocol):
    """The tables whose files are deleted or rewritten; a :class:`~endgame_core.tables.library.Library`."""

    files: TableFiles
    locks: TableLocks

    def proof(self, ending: str, began: float | None = None, threads: int | None = None) -> Check:
        """Return a check that proves a finished file before it becomes the table of an ending."""
        ...

    def evict(self, ending: str) -> None:
        """Close the table of an ending, because its file has changed."""
        ...


class DiskSpace:
    """The space of the user's tables.

    Args:
        tables: The tables.
    """

    def __init__(self, tables: StoredTables) -> None:
        self._tables = tables

    def free_bytes(self) -> int:
        """Free bytes on the disk of the data directory."""
        path = self._tables.files.root
        while not path.exists():
            path = path.parent
        return shutil.disk_usage(path).free

    def used_bytes(self) -> int:
        """Bytes of the user's tables."""
        return sum(path.stat().st_size for path in self._tables.files.directory.glob(f"*{SUFFIX}"))

    def one_sided_dependents(self, ending: str) -> list[str]:
        """The user's lean tables that cannot be read without the user's table of an ending."""
        files = self._tables.files
        file_name = f"{ending}{files.suffix}"
        user_files = files.names(files.directory)
        if file_name not in user_files:
            return []
        # If this table is removed, that of the read-only directory is read instead: nothing is lost.
        if any(file_name in files.names(directory) for directory in files.read_only):
            return []
        built = [name for name in self._tables.game.endings() if f"{name}{files.suffix}" in user_files]
        return [
            name
            for name in built
            if ending in self._tables.game.needs(name) and lean.is_lean(self._tables.files.path(name))
        ]

    def remove(self, ending: str) -> int:
        """Delete the user's table of an ending and all unfinished work on it; return the bytes freed.

        Raises:
            NotBuiltError: There is nothing to delete.
            StorageError: It is a starter table or a shared one, or cannot be deleted.
            BusyError: The table, or one that requires it, is locked.
        """
        path = self._tables.files.path(ending)
        files = files_of(self._tables.files.work_file(ending))
        rejected = path.with_name(path.name + REJECTED)
        if rejected.is_file():
            files.append(rejected)
        if path.is_file() or not files:
            # Without any file this raises NotBuiltError or StorageError.
            if_shared = _("only its owner can delete it")
            files.append(
                self._tables.files.user_file(
                    ending, _("it uses none of your disk space"), if_shared, _("there is nothing to remove")
                )
            )

        size = sum(file.stat().st_size for file in files)
        # Only tables by DTM have a survey. It may be missing, so it is not part of the size.
        if path in files and self._tables.game.metric.to_end:
            files.append(path.with_name(ending + ABOUT))
        self._tables.evict(ending)
        with (
            self._tables.locks.exclusive(ending, _("the removal of {ending}").format(ending=ending)),
            storage_errors(path),
        ):
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
        self._tables.files.user_file(ending, _COMPACT_SHIPPED, _COMPACT_SHARED)
        table = self._tables.table(ending)
        size_as_built = table.size / _RELATIVE_SIZES[table.form]
        forms: dict[Form, int] = {}
        if table.form != "compact":
            forms["full"] = round(size_as_built * _RELATIVE_SIZES["compact"])
        if table.form != "lean":
            error = lean.refusal(table, self._tables)
            if error is None:
                forms["lean"] = round(size_as_built * _RELATIVE_SIZES["lean"])
            elif not forms and isinstance(error, NotBuiltError):
                raise self._tables.files.not_built(
                    error.ending, _("build it first: a one-sided form of {ending} requires it").format(ending=ending)
                )
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
        path = self._tables.files.user_file(ending, _COMPACT_SHIPPED, _COMPACT_SHARED)
        with self._tables.locks.exclusive(ending, _("the compacting of {ending}").format(ending=ending)):
            size_before = path.stat().st_size
            table = self._tables.table(ending)
            if form != "full" and isinstance(table, lean.LeanTable):
                return size_before, size_before
            check = self._tables.proof(ending)
            if form == "lean":
                size_after = lean.write_lean(table, path, self._tables, progress, check)
            else:
                size_after = write_compact(table, path, progress, check=check)
            self._tables.evict(ending)
        return size_before, size_after

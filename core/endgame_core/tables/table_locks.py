"""The lock on a table, which its builder holds, and whoever deletes or replaces it."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager, suppress
from typing import Any

from endgame_core.errors import BusyError
from endgame_core.game import Game
from endgame_core.language import _
from endgame_core.paths import storage_errors, target_of
from endgame_core.tables.header import SUFFIX
from endgame_core.tables.locks import Lock, LockOwner, Locks
from endgame_core.tables.table_files import ABOUT, TableFiles


def _busy(activity: str) -> BusyError:
    return BusyError(
        _("{activity} in this data directory").format(activity=activity),
        _("wait until it has finished, or use --data-dir"),
    )


class TableLocks(Locks):
    """The locks of a data directory, on tables of all games and metrics; endings are those of one game and metric.

    A lock is released by :meth:`release`.

    Args:
        game: The game of the endings.
        files: Their table files.
    """

    def __init__(self, game: Game[Any, Any], files: TableFiles) -> None:
        super().__init__(files.root / "locks")
        self._game = game
        self._files = files

    def acquire_table(self, ending: str, what: str) -> Lock | None:
        """Lock the table of an ending; return None if somebody else holds the lock.

        The lock of a builder that has died is taken over, and the files that it has half written are deleted.

        Args:
            ending: Its name.
            what: The purpose as others read it, e.g. ``the build of KRPvKR``.

        Raises:
            StorageError: The directory cannot be written.
        """
        directory = self._files.directory
        with storage_errors(directory):
            directory.mkdir(parents=True, exist_ok=True)
            lock = self.acquire(f"{ending}{self._files.suffix}", what)
            if lock is not None:
                for path in self._files.partial_files(ending):
                    path.unlink(missing_ok=True)
            return lock

    @contextmanager
    def exclusive(self, ending: str, what: str) -> Generator[None]:
        """Lock a table that is to be deleted or replaced.

        Args:
            ending: Its name.
            what: The purpose as others read it.

        Raises:
            BusyError: The table, or one that requires it, is locked.
            StorageError: The directory cannot be written.
        """
        for name, owner in self.locked_endings().items():
            if ending in self._game.needs(name):
                raise _busy(_("{owner} is running and needs {ending}").format(owner=owner, ending=ending))
        lock = self.acquire_table(ending, what)
        if lock is None:
            raise _busy(
                _("{holder} is running").format(holder=self.holder(ending + self._files.suffix) or _("another program"))
            )
        try:
            yield
        finally:
            self.release(lock)

    def locked_endings(self) -> dict[str, LockOwner]:
        """The endings whose tables are locked, in this process or another, here or on another machine, and by whom."""
        owners = {name.removesuffix(self._files.suffix): owner for name, owner in self.holders().items()}
        if not owners:
            return {}
        return {ending: owners[ending] for ending in self._game.endings() if ending in owners}

    def sweep(self) -> None:
        """Delete the half-written files of builds that were killed; tables that are locked are left alone."""
        # In this order: a builder locks its table before it writes, so every file listed here that is still being
        # written has a lock in the list that comes next.
        partial_files = list(self._files.partial_files())
        locked = self.holders() if partial_files else {}
        for path in partial_files:
            name = target_of(path).name
            # The survey of an ending is written under the lock of its table.
            if f"{name.removesuffix(ABOUT)}{SUFFIX}" not in locked and name not in locked:
                with suppress(OSError):  # the directory may be read-only
                    path.unlink()

    def abandon(self) -> None:
        """Release all locks of this process and delete its half-written files, because the process ends."""
        self.release()
        self.sweep()

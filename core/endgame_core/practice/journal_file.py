"""Opens the file of the journal: creates it, updates an older one, and detects a damaged one."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

from endgame_core.language import _
from endgame_core.practice.journal_tables import APPLICATION, ATTEMPTS, CREATION, TABLES, VERSION, Damaged, judged
from endgame_core.practice.records import Outcome


class NewerJournal(Exception):  # noqa: N818 - a state of the file, told to the user in other words
    """The file was written by a newer version of the program."""


class OtherJournal(Exception):  # noqa: N818
    """The file cannot be read: it is corrupt, of an older version, or no journal; its text says which."""


CORRUPT = "was corrupt"
_CODES = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_INTERRUPT)
"""SQLite's codes for a corrupt file; a statement is interrupted only if it does not end."""
_ENDLESS = 30.0
"""Seconds after which a statement is taken to be in an endless loop, because the file is corrupt."""


def hurried(connection: sqlite3.Connection, seconds: float = _ENDLESS) -> sqlite3.Connection:
    """The connection, whose statements are interrupted after this number of seconds from now."""
    until = time.monotonic() + seconds
    connection.set_progress_handler(lambda: time.monotonic() > until, 1_000_000)
    return connection


def is_corrupt(error: sqlite3.Error) -> bool:
    """Whether an error means that the file is corrupt."""
    torn = str(error).startswith("Could not decode")  # text that is no UTF-8, which has no code of its own
    return torn or getattr(error, "sqlite_errorcode", 0) & 0xFF in _CODES


def is_locked(error: sqlite3.Error) -> bool:
    """Whether an error means that another program has locked the file."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def is_read_only(error: sqlite3.Error) -> bool:
    """Whether an error means that the file can be read but not written."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_READONLY


def is_whole(path: Path, patience: float) -> bool:
    """Whether a file is a sound journal, as far as SQLite can detect; reads all of it."""
    try:
        connection = connect(path, patience)
    except OtherJournal:
        return False
    except (NewerJournal, sqlite3.Error):
        return True
    try:
        whole = hurried(connection).execute("PRAGMA quick_check(1)").fetchone() == ("ok",)
        for table in TABLES if whole else ():
            for row in connection.execute(f"SELECT {table.rows} FROM {table.name}"):
                table.record(row)
        return whole
    except UnicodeDecodeError:
        return False
    except sqlite3.Error as error:
        return not is_corrupt(error)
    finally:
        connection.close()


def connect(path: Path | None, patience: float) -> sqlite3.Connection:
    """Open a journal and bring it up to date; without a path it is in memory.

    Args:
        path: The file, which is created if it does not exist.
        patience: Seconds to wait for a lock.

    Raises:
        NewerJournal: It was written by a newer version; it is not changed.
        OtherJournal: It is corrupt, of an older version, or no journal.
        sqlite3.OperationalError: It is locked, or cannot be read.
    """
    try:
        return _checked(_connection(path or ":memory:", patience), patience)
    except sqlite3.OperationalError as error:
        if path is None or error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_CANTOPEN:
            raise
        if not path.exists():  # nor can it be made: nothing was ever practised
            empty = _checked(_connection(":memory:", patience), patience)
            empty.execute("PRAGMA query_only = ON")
            return empty
        # SQLite makes files beside a journal even to read it. On a read-only disk only an immutable one is opened.
        return _checked(_connection(f"{path.absolute().as_uri()}?immutable=1", patience), patience)


def _connection(path: Path | str, patience: float) -> sqlite3.Connection:
    return sqlite3.connect(
        path, timeout=patience, isolation_level=None, check_same_thread=False, uri=isinstance(path, str)
    )


def _checked(connection: sqlite3.Connection, patience: float) -> sqlite3.Connection:
    """The connection to a journal that is up to date and sound; raises as :func:`connect` does."""
    try:
        is_new = _prepare(connection, patience)
        for table in () if is_new else TABLES[:-1]:  # moves are many, and looked at when they are read
            if connection.execute(f"SELECT 1 FROM {table.name} WHERE NOT ({table.sound}) LIMIT 1").fetchone():
                raise OtherJournal(CORRUPT)
    except (ValueError, TypeError, IndexError):  # of a header or a schema that makes no sense
        connection.close()
        raise OtherJournal(CORRUPT) from None
    except sqlite3.Error as error:
        connection.close()
        if is_corrupt(error) or str(error).startswith("no such "):  # the schema is damaged
            raise OtherJournal(CORRUPT) from None
        raise
    except BaseException:
        connection.close()
        raise
    return connection


def _prepare(connection: sqlite3.Connection, patience: float) -> bool:
    """Create the tables of a new journal; return whether it was new."""
    connection.execute("PRAGMA synchronous = NORMAL")  # a killed program loses nothing; see docs/practice.md
    if _is_made(connection):
        return False
    if _version(connection) == VERSION - 1:
        _upgrade(connection)
        return False
    _use_wal(connection, patience)
    with all_or_nothing(connection):
        if not _is_made(connection):  # by another program, in the meantime
            for statement in CREATION:
                connection.execute(statement)
    return True


@contextmanager
def all_or_nothing(connection: sqlite3.Connection) -> Generator[None]:
    """Run the body in one transaction, which is rolled back if it raises."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        with suppress(sqlite3.Error):
            connection.execute("ROLLBACK")
        raise


def _upgrade(connection: sqlite3.Connection) -> None:
    """Judge the attempts of a journal of the version before by the rules of today; a read-only one stays as it is."""
    try:
        with all_or_nothing(connection):
            if _version(connection) == VERSION:  # by another program, in the meantime
                return
            failed = f"SELECT {ATTEMPTS.rows} FROM attempts WHERE outcome = '{Outcome.FAILED}'"
            for row in connection.execute(failed).fetchall():
                with suppress(Damaged):  # found and mended when the journal is checked
                    record = ATTEMPTS.record(row)
                    sql = "UPDATE attempts SET outcome = ? WHERE uuid = ?"
                    connection.execute(sql, (judged(record), record.uuid))
            connection.execute(f"PRAGMA user_version = {VERSION}")
    except sqlite3.OperationalError as error:
        if not is_read_only(error):
            raise


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _is_made(connection: sqlite3.Connection) -> bool:
    """Whether the file has the tables of this version; raises NewerJournal or OtherJournal if it is no such journal.

    An empty file has none, and neither does a journal of the previous version, which can be brought up to date.
    """
    version = _version(connection)
    application = int(connection.execute("PRAGMA application_id").fetchone()[0])
    tables = int(connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0])
    if application == APPLICATION and version > VERSION:
        raise NewerJournal
    if application == APPLICATION and version == VERSION - 1:
        return False
    if application == APPLICATION and 0 < version < VERSION:
        raise OtherJournal(_("was written by an older version, whose journals this version cannot read"))
    if (version or tables) and (application, version) != (APPLICATION, VERSION):
        raise OtherJournal(_("belongs to a different program"))
    return version == VERSION


def _use_wal(connection: sqlite3.Connection, patience: float) -> None:
    """Turn write-ahead logging on; SQLite does not wait here for another program that does the same, so we do."""
    until = time.monotonic() + patience
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if not is_locked(error) or time.monotonic() > until:
                raise
            time.sleep(0.01)

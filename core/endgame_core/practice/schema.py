"""The journal's file: its tables, how an older one is brought up to date, and how one is opened.

``user_version`` tells how many of the migrations a file has seen; each is run once, all in one transaction.
"""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path

APPLICATION = 0x656E6467
"""``application_id`` of our files, which tells them from those of other programs."""

MIGRATIONS = (
    # 1: attempts with their moves, cards and the ratings given to them.
    """
    CREATE TABLE attempts (
        id INTEGER PRIMARY KEY, uuid TEXT NOT NULL UNIQUE, game TEXT NOT NULL, theme TEXT NOT NULL, label TEXT NOT NULL,
        ending TEXT NOT NULL, mode TEXT NOT NULL, start TEXT NOT NULL, colour TEXT NOT NULL, defence TEXT NOT NULL,
        goal TEXT NOT NULL, perfect INTEGER, started REAL NOT NULL, day INTEGER NOT NULL, finished REAL,
        outcome TEXT NOT NULL, result TEXT NOT NULL, plies_lost INTEGER NOT NULL, errors INTEGER NOT NULL,
        hints INTEGER NOT NULL, takebacks INTEGER NOT NULL, seconds REAL NOT NULL);
    CREATE TABLE moves (
        attempt INTEGER NOT NULL, number INTEGER NOT NULL, ply INTEGER NOT NULL, uci TEXT NOT NULL, san TEXT NOT NULL,
        own INTEGER NOT NULL, grade TEXT NOT NULL, plies INTEGER NOT NULL, error INTEGER NOT NULL, layer INTEGER,
        seconds REAL NOT NULL, taken INTEGER NOT NULL, PRIMARY KEY (attempt, number)) WITHOUT ROWID;
    CREATE TABLE cards (
        theme TEXT PRIMARY KEY, label TEXT NOT NULL, ending TEXT NOT NULL, due REAL NOT NULL, reviewed REAL NOT NULL,
        state TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE reviews (
        theme TEXT NOT NULL, reviewed REAL NOT NULL, rating INTEGER NOT NULL, attempt TEXT NOT NULL,
        PRIMARY KEY (theme, reviewed)) WITHOUT ROWID;
    CREATE INDEX attempts_by_start ON attempts (started);
    """,
    # 2: streaks and their ratings; indices out of which Progress is answered without reading the attempts.
    """
    ALTER TABLE attempts ADD COLUMN run TEXT NOT NULL DEFAULT '';
    CREATE TABLE ratings (
        name TEXT PRIMARY KEY, rating REAL NOT NULL, deviation REAL NOT NULL, games INTEGER NOT NULL,
        updated REAL NOT NULL) WITHOUT ROWID;
    CREATE INDEX attempts_by_day ON attempts (day, outcome, mode, ending, theme, plies_lost);
    CREATE INDEX attempts_by_theme ON attempts (theme, started);
    CREATE INDEX attempts_of_streaks ON attempts (run, outcome) WHERE mode = 'streak';
    """,
    # 3: figures are those of one game.
    """
    DROP INDEX attempts_by_day;
    CREATE INDEX attempts_by_day ON attempts (game, day, outcome, mode, ending, theme, plies_lost);
    """,
    # 4: of what could not be graded by mate it is not known how many plies were lost.
    """
    ALTER TABLE attempts ADD COLUMN uncounted INTEGER NOT NULL DEFAULT 0;
    UPDATE attempts SET uncounted = (
        SELECT count(*) FROM moves WHERE attempt = attempts.id AND own AND uci <> '' AND grade = '');
    DROP INDEX attempts_by_day;
    CREATE INDEX attempts_by_day ON attempts (game, day, outcome, mode, ending, theme, plies_lost, uncounted);
    """,
)
VERSION = len(MIGRATIONS)
"""The newest version of the file that this program knows."""

_STEP = 0.01


class NewerJournal(Exception):  # noqa: N818 - a state of the file, told to the user in other words
    """The file was written by a newer version of the program."""


class BrokenJournal(Exception):  # noqa: N818
    """The file is corrupt, or is no journal."""


def is_corrupt(error: sqlite3.Error) -> bool:
    """Whether an error says that the file itself is broken."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def is_locked(error: sqlite3.Error) -> bool:
    """Whether an error says that another program holds the file."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def is_whole(path: Path, patience: float) -> bool:
    """Whether a file is a journal without faults, as far as SQLite can tell; reads all of it."""
    try:
        connection = connect(path, patience)
    except BrokenJournal:
        return False
    except (NewerJournal, sqlite3.Error):
        return True
    try:
        return connection.execute("PRAGMA quick_check(1)").fetchone() == ("ok",)
    except sqlite3.Error as error:
        return not is_corrupt(error)
    finally:
        connection.close()


def connect(path: Path | None, patience: float) -> sqlite3.Connection:
    """Opens a journal and brings it up to date; in memory when there is no path.

    Args:
        path: The file; it is made when it is not there.
        patience: Seconds to wait for a lock.

    Raises:
        NewerJournal: It is of a newer version, and was left alone.
        BrokenJournal: It is corrupt, or no journal.
        sqlite3.OperationalError: It is locked, or cannot be read or written.
    """
    connection = sqlite3.connect(path or ":memory:", timeout=patience, isolation_level=None, check_same_thread=False)
    try:
        _prepare(connection, patience)
    except sqlite3.Error as error:
        connection.close()
        if is_corrupt(error):
            raise BrokenJournal from None
        raise
    except BaseException:
        connection.close()
        raise
    return connection


def _prepare(connection: sqlite3.Connection, patience: float) -> None:
    connection.execute("PRAGMA synchronous = NORMAL")  # a killed program loses nothing; see docs/practice.md
    if _version(connection) == VERSION:
        return
    _use_wal(connection, patience)
    migrate(connection)


def _version(connection: sqlite3.Connection) -> int:
    """The file's version, 0 for an empty one; raises when the file is not ours."""
    version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    application = int(connection.execute("PRAGMA application_id").fetchone()[0])
    tables = int(connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0])
    if application != APPLICATION and (version or tables):
        raise BrokenJournal
    if version > VERSION:
        raise NewerJournal
    return version


def _use_wal(connection: sqlite3.Connection, patience: float) -> None:
    """Turns write-ahead logging on; SQLite does not wait here for another that does the same, so we do."""
    until = time.monotonic() + patience
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if not is_locked(error) or time.monotonic() > until:
                raise
            time.sleep(_STEP)


def migrate(connection: sqlite3.Connection, to: int = VERSION) -> None:
    """Runs the migrations that a file has not seen, up to version ``to``, in one transaction."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        for number in range(_version(connection), to):
            for statement in MIGRATIONS[number].split(";"):
                if statement.strip():
                    connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {number + 1}")
        connection.execute(f"PRAGMA application_id = {APPLICATION}")
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise

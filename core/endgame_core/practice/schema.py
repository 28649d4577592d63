"""The journal's file: its tables, and how it is opened."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Generic, TypeVar, get_args

from endgame_core.practice.fields import types
from endgame_core.practice.records import Card, Made, Outcome, Rating, Record, Review

APPLICATION = 0x656E6467
"""``application_id`` of our files, which tells them from those of other programs."""

VERSION = 4
"""``user_version`` of our files; no older one was ever released."""

R = TypeVar("R")

_TYPES: dict[Any, str] = {str: "TEXT", Outcome: "TEXT", float: "REAL", int: "INTEGER", bool: "INTEGER"}
_MADE: tuple[Any, ...] = (Outcome, bool)
"""What SQLite has no type for: it is made of what SQLite gives."""


@dataclass(frozen=True)
class Table(Generic[R]):
    """A table of the journal: a column for each field of its records, of the field's type.

    Attributes:
        name: What it is called.
        kind: The records.
        key: The columns by which two rows are the same.
        own: Columns that no record has, as SQL; a table with an ``id`` keeps its rows by it.
        used: The column that tells which of two rows of one key was used last.
    """

    name: str
    kind: type[R]
    key: tuple[str, ...]
    own: str = ""
    used: str = ""

    @cached_property
    def columns(self) -> str:
        """The columns, as SQL lists them."""
        return ", ".join(types(self.kind))

    @cached_property
    def marks(self) -> str:
        """Where a statement takes a record's values, by name."""
        return ", ".join(f":{name}" for name in types(self.kind))

    @property
    def creation(self) -> str:
        """The statement that makes the table."""
        columns = [self.own] if self.own else []
        for name, what in types(self.kind).items():
            optional = get_args(what)
            columns.append(f"{name} {_TYPES[optional[0]]}" if optional else f"{name} {_TYPES[what]} NOT NULL")
        unique, ends = ("UNIQUE", "") if "PRIMARY KEY" in self.own else ("PRIMARY KEY", " WITHOUT ROWID")
        return f"CREATE TABLE {self.name} ({', '.join(columns)}, {unique} ({', '.join(self.key)})){ends}"

    def insertion(self, clause: str = "INSERT OR IGNORE") -> str:
        """The statement that inserts a record, given its values by name."""
        return f"{clause} INTO {self.name} ({self.columns}) VALUES ({self.marks})"

    def record(self, row: Iterable[Any]) -> R:
        """The record of a row with all columns."""
        given = zip(types(self.kind).items(), row, strict=True)
        return self.kind(**{name: what(value) if what in _MADE else value for (name, what), value in given})


ATTEMPTS = Table("attempts", Record, ("uuid",), "id INTEGER PRIMARY KEY")
MOVES = Table("moves", Made, ("attempt", "number"), "attempt INTEGER NOT NULL, number INTEGER NOT NULL")
CARDS = Table("cards", Card, ("theme",), used="reviewed")
REVIEWS = Table("reviews", Review, ("theme", "reviewed"), used="reviewed")
RATINGS = Table("ratings", Rating, ("name",), used="updated")

CREATION = (
    *(table.creation for table in (ATTEMPTS, MOVES, CARDS, REVIEWS, RATINGS)),
    "CREATE INDEX attempts_by_start ON attempts (started)",
    # Out of the others Progress is answered without reading the attempts.
    "CREATE INDEX attempts_by_day ON attempts (game, day, outcome, mode, ending, theme, plies_lost, uncounted)",
    "CREATE INDEX attempts_by_theme ON attempts (theme, started)",
    "CREATE INDEX attempts_of_streaks ON attempts (run, outcome) WHERE mode = 'streak'",
    f"PRAGMA application_id = {APPLICATION}",
    f"PRAGMA user_version = {VERSION}",
)

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
    if _is_made(connection):
        return
    _use_wal(connection, patience)
    connection.execute("BEGIN IMMEDIATE")
    try:
        if not _is_made(connection):  # by another program, in the meantime
            for statement in CREATION:
                connection.execute(statement)
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise


def _is_made(connection: sqlite3.Connection) -> bool:
    """Whether the tables are there, and not an empty file; raises when the file is not ours."""
    version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    application = int(connection.execute("PRAGMA application_id").fetchone()[0])
    tables = int(connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0])
    if application == APPLICATION and version > VERSION:
        raise NewerJournal
    if (version or tables) and (application, version) != (APPLICATION, VERSION):
        raise BrokenJournal
    return version == VERSION


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

"""The journal: every attempt with its moves, kept the moment they are made; its file, and its export.

Writing never fails and never waits long. What cannot be written now, because another program holds the file or the disk
is full, is kept in memory, written with the next record, and said once (:meth:`Journal.take_notice`).

An export has a line of JSON for each attempt (with its moves), card, review and rating; the first line says what the
file is. Attempts are known by their uuids, so importing a file twice adds nothing; of two cards or ratings the one that
was used last stays.
"""

from __future__ import annotations

import errno
import json
import sqlite3
import threading
import time
import uuid
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import date, datetime
from functools import cached_property, partial
from itertools import islice
from pathlib import Path
from typing import Any, Generic, TypeVar, get_args

from endgame_core.errors import EndgameError, StorageError
from endgame_core.game_state import Win
from endgame_core.language import _
from endgame_core.paths import write_text
from endgame_core.practice.records import (
    COUNTED,
    LATEST,
    MOST,
    Attempt,
    Card,
    CardReview,
    JournalError,
    JournalImport,
    Made,
    Outcome,
    Rating,
    Record,
    read,
    types,
    values,
)  # fmt: skip
from endgame_core.practice.stars import plies_allowed
from endgame_core.untrusted import decoded_lines, quoted, read_json

R = TypeVar("R")

Statement = tuple[str, "Sequence[Any] | Mapping[str, Any]"]
Change = Callable[[str, "Sequence[Any] | Mapping[str, Any]"], int]
"""Runs a statement; returns how many rows it changed."""


def day_of(moment: float) -> int:
    """The local day of a moment (seconds since 1970), as a proleptic ordinal."""
    return datetime.fromtimestamp(moment).date().toordinal()


# The tables

APPLICATION = 0x656E6467
"""``application_id`` of our files, which tells them from those of other programs."""

VERSION = 5
"""``user_version`` of our files. Version 4 has the same tables, but calls fewer attempts solved: see :func:`judged`."""

_TYPES: dict[Any, str] = {str: "TEXT", Outcome: "TEXT", float: "REAL", int: "INTEGER", bool: "INTEGER"}
_MADE: tuple[Any, ...] = (Outcome, bool)
"""What SQLite has no type for: it is made of what SQLite gives."""
_SOUND: dict[Any, str] = {
    str: "typeof({0}) = 'text'",
    Outcome: f"{{0}} IN {tuple(map(str, Outcome))}",
    float: f"typeof({{0}}) = 'real' AND {{0}} BETWEEN -{LATEST} AND {LATEST}",
    int: f"typeof({{0}}) = 'integer' AND {{0}} BETWEEN -{MOST} AND {MOST}",
    bool: "{0} IN (0, 1)",
}
"""What is true of a column that nobody has damaged, by the type of its field."""
_DAY = f"typeof(day) = 'integer' AND day BETWEEN 1 AND {date.max.toordinal()}"


class Damaged(sqlite3.DatabaseError):
    """A row that is no record, though SQLite takes it for one."""

    sqlite_errorcode = sqlite3.SQLITE_CORRUPT


@dataclass(frozen=True)
class JournalTable(Generic[R]):
    """A table of the journal: a column for each field of its records, of the field's type.

    Attributes:
        name: What it is called.
        kind: The records.
        key: The columns by which two rows are the same.
        own: Columns that no record has, as SQL; a table with an ``id`` keeps its rows by it.
        newer: When a record from elsewhere replaces ours (the row called as the table), as SQL.
    """

    name: str
    kind: type[R]
    key: str
    own: str = ""
    newer: str = "0"

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
        return f"CREATE TABLE {self.name} ({', '.join(columns)}, {unique} ({self.key})){ends}"

    @cached_property
    def keep(self) -> str:
        """The statement that keeps a record, given its values by name, in the place of ours of the same key."""
        ours = ", ".join(f"excluded.{name}" for name in types(self.kind))
        return (
            f"INSERT INTO {self.name} ({self.columns}) VALUES ({self.marks})"
            f" ON CONFLICT ({self.key}) DO UPDATE SET ({self.columns}) = ({ours})"
        )

    @cached_property
    def rows(self) -> str:
        """What :meth:`record` takes, as SQL lists it: the columns, and whether nobody has damaged them."""
        return f"{self.columns}, {self.sound}"

    def record(self, row: Iterable[Any]) -> R:
        """The record of a row with all of :attr:`rows`; raises Damaged."""
        *given, sound = row
        if sound != 1:
            raise Damaged(self.name)
        fields = zip(types(self.kind).items(), given, strict=True)
        return self.kind(**{name: what(value) if what in _MADE else value for (name, what), value in fields})

    @cached_property
    def sound(self) -> str:
        """What is true of a row that nobody has damaged, as SQL."""
        true: list[str] = []
        for name, what in types(self.kind).items():
            optional = get_args(what)
            fits = _DAY if name == "day" else _SOUND[optional[0] if optional else what].format(name)
            true.append(f"({name} IS NULL OR {fits})" if optional else f"({fits})")
        return " AND ".join(true)


ATTEMPTS = JournalTable(
    "attempts", Record, "uuid", "id INTEGER PRIMARY KEY",
    f"attempts.outcome = '{Outcome.OPEN}' AND excluded.outcome <> '{Outcome.OPEN}'",
)  # fmt: skip
MOVES = JournalTable("moves", Made, "attempt, number", "attempt INTEGER NOT NULL, number INTEGER NOT NULL")
CARDS = JournalTable("cards", Card, "theme", newer="excluded.reviewed > cards.reviewed")
REVIEWS = JournalTable("reviews", CardReview, "theme, reviewed")
RATINGS = JournalTable("ratings", Rating, "name", newer="excluded.updated > ratings.updated")
_TABLES: tuple[JournalTable[Any], ...] = (ATTEMPTS, CARDS, REVIEWS, RATINGS, MOVES)
_KEPT: dict[str, JournalTable[Any]] = {"card": CARDS, "review": REVIEWS, "rating": RATINGS}
"""What is kept besides attempts, by the kind of its lines in an export."""

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


class NewerJournal(Exception):  # noqa: N818 - a state of the file, told to the user in other words
    """The file was written by a newer version of the program."""


class OtherJournal(Exception):  # noqa: N818
    """The file cannot be read: it is corrupt, of an older program, or none of ours; tells so in words."""


_CORRUPT = "was corrupt"
_CODES = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_INTERRUPT)
"""SQLite's words for a broken file; interrupted is only what does not end."""
_ENDLESS = 30.0
"""Seconds after which a question goes round in circles in a broken file."""


def _hurried(connection: sqlite3.Connection, seconds: float = _ENDLESS) -> sqlite3.Connection:
    """The connection, whose statements are interrupted after so many seconds from now."""
    until = time.monotonic() + seconds
    connection.set_progress_handler(lambda: time.monotonic() > until, 1_000_000)
    return connection


def is_corrupt(error: sqlite3.Error) -> bool:
    """Whether an error says that the file itself is broken."""
    torn = str(error).startswith("Could not decode")  # text that is no UTF-8, which has no code of its own
    return torn or getattr(error, "sqlite_errorcode", 0) & 0xFF in _CODES


def is_locked(error: sqlite3.Error) -> bool:
    """Whether an error says that another program holds the file."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def is_read_only(error: sqlite3.Error) -> bool:
    """Whether an error says that the file can be read but not written."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_READONLY


def is_whole(path: Path, patience: float) -> bool:
    """Whether a file is a journal without faults, as far as SQLite can tell; reads all of it."""
    try:
        connection = connect(path, patience)
    except OtherJournal:
        return False
    except (NewerJournal, sqlite3.Error):
        return True
    try:
        whole = _hurried(connection).execute("PRAGMA quick_check(1)").fetchone() == ("ok",)
        for table in _TABLES if whole else ():
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
    """Opens a journal and brings it up to date; in memory when there is no path.

    Args:
        path: The file; it is made when it is not there.
        patience: Seconds to wait for a lock.

    Raises:
        NewerJournal: It is of a newer version, and was left alone.
        OtherJournal: It is corrupt, of an older program, or no journal.
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
        for table in () if is_new else _TABLES[:-1]:  # moves are many, and looked at when they are read
            if connection.execute(f"SELECT 1 FROM {table.name} WHERE NOT ({table.sound}) LIMIT 1").fetchone():
                raise OtherJournal(_CORRUPT)
    except (ValueError, TypeError, IndexError):  # of a header or a schema that makes no sense
        connection.close()
        raise OtherJournal(_CORRUPT) from None
    except sqlite3.Error as error:
        connection.close()
        if is_corrupt(error) or str(error).startswith("no such "):  # the schema is damaged
            raise OtherJournal(_CORRUPT) from None
        raise
    except BaseException:
        connection.close()
        raise
    return connection


def _prepare(connection: sqlite3.Connection, patience: float) -> bool:
    """Begins a journal where there is none; whether it has."""
    connection.execute("PRAGMA synchronous = NORMAL")  # a killed program loses nothing; see docs/practice.md
    if _is_made(connection):
        return False
    if _version(connection) == VERSION - 1:
        _upgrade(connection)
        return False
    _use_wal(connection, patience)
    with _all_or_nothing(connection):
        if not _is_made(connection):  # by another program, in the meantime
            for statement in CREATION:
                connection.execute(statement)
    return True


@contextmanager
def _all_or_nothing(connection: sqlite3.Connection) -> Generator[None]:
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
        with _all_or_nothing(connection):
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


_GIVEN_UP = ("shown", "asking to be shown", "left", "time")
"""Results of attempts that ended before their goal was reached."""
_WON = (*Win, "mate")
"""Results of won games; *mate* is what the first programs wrote for checkmate."""


def judged(record: Record) -> Outcome:
    """What became of an attempt by the rules of today, under which an attempt that reached its goal is solved.

    The programs before called it failed if it took hints or lost more than a few plies.
    """
    if record.outcome is not Outcome.FAILED or record.errors or record.result in _GIVEN_UP:
        return record.outcome
    was_won = record.result in _WON or record.result.startswith("technically won")
    if record.goal == "win":
        reached = was_won
    elif record.goal == "last":
        reached = not was_won or record.plies_lost <= plies_allowed(record.perfect)
    else:
        reached = record.goal in ("draw", "move", "")
    return Outcome.SOLVED if reached else Outcome.FAILED


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _is_made(connection: sqlite3.Connection) -> bool:
    """Whether the tables are there, and not an empty file; raises when the file is not ours.

    A journal of the version before counts as not made: it is brought up to date.
    """
    version = _version(connection)
    application = int(connection.execute("PRAGMA application_id").fetchone()[0])
    tables = int(connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0])
    if application == APPLICATION and version > VERSION:
        raise NewerJournal
    if application == APPLICATION and version == VERSION - 1:
        return False
    if application == APPLICATION and 0 < version < VERSION:
        raise OtherJournal(_("was made by an older program, whose journals this one cannot read"))
    if (version or tables) and (application, version) != (APPLICATION, VERSION):
        raise OtherJournal(_("is a file of another program"))
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
            time.sleep(0.01)


# The journal

_OF_ATTEMPT = "(SELECT id FROM attempts WHERE uuid = ?)"

_ADD_MOVE = (
    f"INSERT INTO moves (attempt, number, {MOVES.columns}) SELECT id,"
    f" (SELECT coalesce(max(number), 0) + 1 FROM moves WHERE attempt = attempts.id), {MOVES.marks}"
    " FROM attempts WHERE uuid = :uuid"
)
"""Puts a move, given its values by name, behind the moves of an attempt."""

_ADD_UP = (
    "UPDATE attempts SET plies_lost = plies_lost + :plies, errors = errors + :error, seconds = seconds + :seconds,"
    " uncounted = uncounted + :uncounted WHERE uuid = :uuid AND :own"
)


class Journal:
    """One user's journal. Safe to use from several threads, and from several programs at once.

    Opening never fails either: a corrupt file is put aside and a new one begun; one from a newer version is left alone,
    and this session is kept in memory only. :meth:`take_notice` says so.

    Args:
        path: The file, made when it is not there; None keeps everything in memory.
        clock: Tells the time, in seconds since 1970.
        patience: Seconds to wait for another program's lock before going on without.
    """

    def __init__(self, path: Path | None, clock: Callable[[], float] = time.time, patience: float = 0.3) -> None:
        self.path = path
        self.clock = clock
        self._patience = patience
        self._guard = threading.RLock()
        self._connection: sqlite3.Connection | None = None
        self._pending: list[Statement] = []
        self._notice = ""
        self._said = ""
        self.kept = path is not None
        """Whether what is written goes to the file; False in memory, and beside a journal of a newer version."""
        with self._guard, suppress(JournalError):
            self._open()

    def __del__(self) -> None:
        if getattr(self, "_connection", None) is not None:
            self._connection.close()  # pyright: ignore[reportOptionalMemberAccess]

    # -- what happened

    def begin(self, attempt: Attempt) -> str:
        """Begins an attempt; returns its uuid, by which the other methods know it."""
        now = self.clock()
        record = Record(**values(attempt), uuid=uuid.uuid4().hex, started=now, day=day_of(now))
        self._write((ATTEMPTS.keep, values(record)))
        return record.uuid

    def move(self, attempt: str, made: Made) -> None:
        """Keeps a move, or an answer, and adds the learner's losses up."""
        row = {**values(made), "uuid": attempt, "uncounted": made.is_uncounted}
        self._write((_ADD_MOVE, row), (_ADD_UP, row))

    def take_back(self, attempt: str, ply: int) -> None:
        """Marks the moves from number ``ply`` on as taken back; what they lost stays lost."""
        self._write(
            (f"UPDATE moves SET taken = 1 WHERE ply >= ? AND attempt = {_OF_ATTEMPT}", (ply, attempt)),
            ("UPDATE attempts SET takebacks = takebacks + 1 WHERE uuid = ?", (attempt,)),
        )

    def hint(self, attempt: str) -> None:
        """Counts a hint."""
        self._write(("UPDATE attempts SET hints = hints + 1 WHERE uuid = ?", (attempt,)))

    def finish(self, attempt: str, outcome: Outcome, result: str = "") -> None:
        """Ends an attempt; a second call corrects the first."""
        sql = "UPDATE attempts SET finished = ?, outcome = ?, result = ? WHERE uuid = ?"
        self._write((sql, (self.clock(), outcome, result, attempt)))

    def keep(self, *records: Card | CardReview | Rating) -> None:
        """Keeps cards, reviews and ratings as they are now."""
        tables = {table.kind: table for table in _KEPT.values()}
        self._write(*((tables[type(record)].keep, values(record)) for record in records))

    def drop_card(self, theme: str) -> None:
        """Schedules a theme no more; its attempts stay."""
        self._write(("DELETE FROM cards WHERE theme = ?", (theme,)))

    # -- what is known

    def attempt(self, uuid: str) -> Record | None:
        """One attempt, or None."""
        return self._one(ATTEMPTS, uuid)

    def moves(self, uuid: str) -> list[Made]:
        """The moves of an attempt in the order they were made, those taken back too."""
        return self._all(MOVES, f"WHERE attempt = {_OF_ATTEMPT} ORDER BY number", (uuid,))

    def attempts(
        self,
        *,
        theme: str = "",
        game: str = "",
        most: int = 50,
        before: float | None = None,
        days: tuple[int, int] | None = None,
        counted: bool = False,
    ) -> list[Record]:
        """The newest attempts first.

        Args:
            theme: Only of this theme.
            game: Only of this game.
            most: At most so many.
            before: Only those begun earlier than this moment.
            days: Only those of the first of these days, the last, and the days between.
            counted: Only those that count in figures.
        """
        conditions: dict[str, Any] = {
            "theme = ?": theme, "game = ?": game, "started < ?": before, "day >= ? AND day <= ?": days,
        }  # fmt: skip
        given = {sql: value for sql, value in conditions.items() if value not in ("", None)}
        wanted = " AND ".join([*given, *([COUNTED] if counted else [])])
        flat = [each for value in given.values() for each in (value if isinstance(value, tuple) else [value])]
        return self._all(ATTEMPTS, f"{'WHERE' * bool(wanted)} {wanted} ORDER BY started DESC LIMIT ?", (*flat, most))

    def cards(self) -> list[Card]:
        """All cards, the one due first first."""
        return self._all(CARDS, "ORDER BY due, theme")

    def card(self, theme: str) -> Card | None:
        """One theme's card, or None."""
        return self._one(CARDS, theme)

    def rating(self, name: str) -> Rating | None:
        """One rating, or None."""
        return self._one(RATINGS, name)

    def _one(self, table: JournalTable[R], key: str) -> R | None:
        result = self._all(table, f"WHERE {table.key} = ?", (key,))
        return result[0] if result else None

    def _all(self, table: JournalTable[R], clause: str, given: Sequence[Any] = ()) -> list[R]:
        return self.query(f"SELECT {table.rows} FROM {table.name} {clause}", given, table.record)

    # -- the file

    def query(self, sql: str, given: Sequence[Any] = (), made: Callable[[Any], Any] = tuple) -> list[Any]:
        """Rows of a question; a corrupt journal is put aside and the new one asked.

        Args:
            sql: The question.
            given: What its marks stand for.
            made: Makes what is wanted of a row; raises Damaged for one that is no record.

        Raises:
            JournalError: The journal is locked, or cannot be read.
        """
        with self._guard:
            if self._pending:
                self._flush_without_waiting()
            for __ in range(2):
                try:
                    return list(map(made, _hurried(self._open()).execute(sql, given).fetchall()))
                except UnicodeDecodeError:
                    self.mend()
                except sqlite3.Error as error:
                    self._failed(error)
                    if not is_corrupt(error):
                        raise JournalError(*_words(error, _("try again"))) from None
            raise JournalError(_("the journal cannot be read"), _("check the disk"))

    def mend(self) -> None:
        """Puts a journal with damaged rows aside, and begins a new one with what can be read of it."""
        with self._guard:
            self._failed(Damaged())

    @contextmanager
    def transaction(self) -> Generator[Change]:
        """Runs statements all or not at all, at once.

        Raises:
            JournalError: The journal is locked or cannot be written; nothing was changed.
        """
        with self._guard:
            try:
                connection = self._open()
                with _all_or_nothing(_hurried(connection)):
                    yield lambda sql, given: connection.execute(sql, given).rowcount
            except sqlite3.Error as error:
                self._failed(error)
                raise JournalError(*_words(error, _("nothing was changed; try again"))) from None

    def flush(self) -> bool:
        """Writes what waits in memory; True when nothing waits any more."""
        with self._guard:
            mended = False
            while self._pending:
                try:
                    connection = self._open()
                    with _all_or_nothing(_hurried(connection)):
                        for sql, given in self._pending:
                            connection.execute(sql, given)
                except JournalError:
                    return False
                except sqlite3.Error as error:
                    self._failed(error)
                    if is_corrupt(error) and not mended:
                        mended = True
                        continue
                    what, __ = _words(error, "")
                    self._say(_("{what}; your results stay in memory until it can be written.").format(what=what))
                    return False
                self._pending.clear()
                self._said = ""
            return True

    def _flush_without_waiting(self) -> None:
        """Writes what waits if nobody is in the way: a screen asks many questions, and none of them should wait."""
        with suppress(JournalError):
            self._open().execute("PRAGMA busy_timeout = 0")
            self.flush()
            self._open().execute(f"PRAGMA busy_timeout = {int(1000 * self._patience)}")

    def take_notice(self) -> str:
        """The sentence to show the user, once; empty when there is none."""
        with self._guard:
            notice, self._notice = self._notice, ""
            return notice

    def close(self, patience: float = 5.0) -> None:
        """Writes what waits, for at most so many seconds, and closes the file.

        Raises:
            JournalError: Records could not be written and are lost.
        """
        with self._guard:
            if self._connection is not None:
                self._connection.execute(f"PRAGMA busy_timeout = {int(1000 * patience)}")
            lost = 0 if self.flush() else len(self._pending)
            if self._connection is not None:
                self._connection.close()
                self._connection = None
            if lost:
                what = _("{number} could not be written to the journal").format(number=_number(lost, "record"))
                raise JournalError(what, self._said.removesuffix("."))

    def _write(self, *statements: Statement) -> None:
        with self._guard:
            self._pending += statements
            self.flush()

    def _open(self) -> sqlite3.Connection:
        """The connection; opened, or opened again, when there is none. Raises JournalError."""
        if self._connection is not None:
            return self._connection
        path = self.path if self.kept else None
        try:
            if path is not None:
                _make_directory(path.parent)
            self._connection = connect(path, self._patience)
        except NewerJournal:
            self.kept = False
            self._say(_("the journal was written by a newer version; nothing from this session is saved."))
            return self._open()
        except OtherJournal as problem:
            self._put_aside(str(problem))
            return self._open()
        except (sqlite3.Error, OSError) as error:
            what, then = _words(error, _("your results stay in memory until the journal can be opened"))
            self._say(f"{what}; {then}.")
            raise JournalError(what, _("try again")) from None
        return self._connection

    def _failed(self, error: sqlite3.Error) -> None:
        """Looks after a broken file; other failures leave it as it is.

        A file that was read-only is opened again the next time: it may be writable by then.
        """
        if not is_corrupt(error) and not is_read_only(error):
            return
        if self._connection is not None:
            with suppress(sqlite3.Error):
                self._connection.close()
            self._connection = None
        if is_read_only(error):
            return
        # Another program may have put it aside already and begun the one that stands here now.
        if self.path is not None and not is_whole(self.path, self._patience):
            self._put_aside(_CORRUPT)

    def _put_aside(self, why: str) -> None:
        """Renames a file that cannot be read, with its log: a new one is begun, and nothing is thrown away."""
        if self.path is None:
            return
        kept = f"{self.path.name}.{'damaged' if why == _CORRUPT else 'old'}"
        number, aside = 1, self.path.with_name(kept)
        while aside.exists():
            number += 1
            aside = self.path.with_name(f"{kept}-{number}")
        try:
            for end in ("-wal", "-shm", ""):
                part = self.path.with_name(self.path.name + end)
                if part.exists():
                    part.replace(aside.with_name(aside.name + end))
        except OSError:
            self.kept = False
            self._say(_("the journal {why} and cannot be renamed; nothing from this session is saved.").format(why=why))
            return
        saved = self._save_from(aside) if why == _CORRUPT else 0
        read_of_it = (
            _(" with what can be read of it, {number}").format(number=_number(saved, "attempt")) if saved else ""
        )
        self._say(
            _("the journal {why}: kept as {aside}; a new one is begun{read_of_it}.").format(
                why=why, aside=aside.name, read_of_it=read_of_it
            )
        )

    def _save_from(self, aside: Path) -> int:
        """Takes what can be read of a damaged journal over; returns how many attempts that were."""
        result = salvaged(aside)
        with suppress(JournalError), self.transaction() as change:
            for record, moves in result.attempts:
                _keep_attempt(record, moves, change, result.version)
            for table, record in result.others:
                change(f"{table.keep} WHERE {table.newer}", values(record))
            return len(result.attempts)
        return 0

    def _say(self, sentence: str) -> None:
        """Has a sentence shown; the same one again only after writing has worked in between."""
        if sentence != self._said:
            self._notice, self._said = sentence[0].upper() + sentence[1:], sentence


def _make_directory(directory: Path) -> None:
    """Make a directory; on a read-only disk there is no journal then, which is read as an empty one."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        if error.errno not in (errno.EACCES, errno.EPERM, errno.EROFS):
            raise


def _words(error: Exception, then: str) -> tuple[str, str]:
    """What went wrong with the file, and what comes of it."""
    if isinstance(error, sqlite3.Error):
        if is_locked(error):
            return _("the journal is locked by another program"), then
        if getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_FULL:
            return _("the disk is full and the journal cannot be written"), then
        return _("the journal cannot be written ({error})").format(error=error), then
    return _("the journal cannot be opened ({getattr})").format(getattr=getattr(error, "strerror", None) or error), then


def _number(count: int, what: str) -> str:
    return f"{count} {what}{'s' * (count != 1)}"


# What is left of a damaged file


@dataclass(slots=True)
class Salvaged:
    """What can be read of a damaged journal: attempts with their moves, and records of other tables."""

    attempts: list[tuple[Record, list[Made]]]
    others: list[tuple[JournalTable[Any], Any]]
    version: int
    """Of the journal, as its first page says; the rules by which its attempts were judged."""


def salvaged(path: Path) -> Salvaged:
    """Reads a damaged journal row by row, and leaves out what is no record; never fails.

    It is read as it is, with its log; then under a sound first page; then page by page, for no tree leads to all of
    them. What was read first stays.
    """
    attempts: dict[int, Record] = {}
    moves: dict[int, dict[int, Made]] = {}
    others: list[tuple[JournalTable[Any], Any]] = []
    seen: dict[str, set[Any]] = {}
    for file, tables in _ways_in(path):
        file.text_factory = partial(str, encoding="utf-8", errors="replace")
        with closing(file):
            for table in tables:
                before = {MOVES: ("attempt", "number"), ATTEMPTS: ("id",)}.get(table, ())
                for head, record in _readable(file, table, before, seen.setdefault(table.name, set())):
                    if table is MOVES:
                        moves.setdefault(head[0], {})[head[1]] = record
                    elif table is ATTEMPTS:
                        attempts[head[0]] = record
                    else:
                        others.append((table, record))
    made = {number: [kept[at] for at in sorted(kept)] for number, kept in moves.items()}
    whole = [(attempts[number], made.get(number, [])) for number in sorted(attempts)]
    return Salvaged(whole, others, _version_in_header(path))


def _version_in_header(path: Path) -> int:
    """The ``user_version`` in the header of an SQLite file (bytes 60 to 63, https://sqlite.org/fileformat.html)."""
    try:
        with path.open("rb") as stream:
            return int.from_bytes(stream.read(64)[60:], "big")
    except OSError:
        return VERSION


_PAGE_SIZE = 4096
"""Of SQLite's files, unless somebody wants another."""
_LEAVES = {0x0D: (ATTEMPTS,), 0x0A: (MOVES, CARDS, REVIEWS, RATINGS)}
"""The tables of which a page may hold rows, by its first byte: those that have row numbers, and the others."""


def _ways_in(path: Path) -> Iterator[tuple[sqlite3.Connection, Sequence[JournalTable[Any]]]]:
    """Connections by which rows of a damaged journal may be read, and of which tables."""
    with suppress(sqlite3.Error):
        yield sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True), _TABLES
    with suppress(OSError, sqlite3.Error, AttributeError):  # not every SQLite can read from memory
        data = path.read_bytes()
        pages = [data[at : at + _PAGE_SIZE] for at in range(_PAGE_SIZE, len(data) - _PAGE_SIZE + 1, _PAGE_SIZE)]
        first = bytearray(_empty(CREATION)[:_PAGE_SIZE])
        first[28:32] = (len(pages) + 1).to_bytes(4, "big")
        yield _in_memory(bytes(first) + b"".join(pages)), _TABLES
        empty = {table: _empty([table.creation]) for table in _TABLES}
        for page in pages:
            for table in _LEAVES.get(page[0], ()):
                start, end = empty[table][:_PAGE_SIZE], empty[table][2 * _PAGE_SIZE :]
                yield _in_memory(start + page + end), [table]


def _empty(creation: Iterable[str]) -> bytes:
    """A database without rows; the first table begins on its second page."""
    with closing(sqlite3.connect(":memory:")) as file:
        file.execute(f"PRAGMA page_size = {_PAGE_SIZE}")
        for statement in creation:
            file.execute(statement)
        return file.serialize()


def _in_memory(data: bytes) -> sqlite3.Connection:
    file = sqlite3.connect(":memory:")
    file.deserialize(data)
    return file


def _readable(
    file: sqlite3.Connection, table: JournalTable[R], before: Sequence[str], seen: set[Any]
) -> Iterator[tuple[tuple[Any, ...], R]]:
    """The records of a table, with columns before them, that were not seen; after a torn page from the end."""
    key = ", ".join(before) or table.key
    columns = ", ".join([*before, table.rows])
    for order in ("ASC", "DESC"):
        ordered = ", ".join(f"{name} {order}" for name in key.split(", "))
        try:
            for row in _hurried(file, 10.0).execute(f"SELECT {columns} FROM {table.name} ORDER BY {ordered}"):
                head = row[: len(before)]
                if (head or row) in seen or not all(isinstance(value, int) for value in head):
                    continue
                with suppress(Damaged):
                    result = read(table.kind, values(table.record(row[len(before) :])), Damaged)
                    seen.add(head or row)
                    yield head, result
        except (sqlite3.Error, UnicodeDecodeError):  # the latter of a table's name
            continue
        return


# Export and import

FORMAT = 1
_PAGE = 500


def export(journal: Journal) -> Iterator[str]:
    """The whole journal, line by line, oldest attempts first.

    Raises:
        JournalError: The journal is locked, or cannot be read.
    """
    last = 0
    yield _line("journal", {"format": FORMAT, "journal": VERSION})
    try:
        while rows := journal.query(
            f"SELECT id, {ATTEMPTS.rows} FROM attempts WHERE id > ? ORDER BY id LIMIT ?", (last, _PAGE)
        ):
            made: dict[int, list[dict[str, Any]]] = {}
            sql = f"SELECT attempt, {MOVES.rows} FROM moves WHERE attempt BETWEEN ? AND ? ORDER BY attempt, number"
            for attempt, *row in journal.query(sql, (rows[0][0], rows[-1][0])):
                made.setdefault(attempt, []).append(values(MOVES.record(row)))
            for number, *row in rows:
                yield _line("attempt", values(ATTEMPTS.record(row)) | {"moves": made.get(number, [])})
            last = rows[-1][0]
        for kind, table in _KEPT.items():
            for row in journal.query(f"SELECT {table.rows} FROM {table.name} ORDER BY {table.key}"):
                yield _line(kind, values(table.record(row)))
    except Damaged:
        journal.mend()
        what = _("the journal was damaged: a new one was started with the readable records")
        raise JournalError(what, _("export it again")) from None


def export_file(journal: Journal, file: Path) -> int:
    """Writes the whole journal into a file, all or not at all; returns the number of records.

    Raises:
        JournalError: The journal is locked, or cannot be read.
        StorageError: The file cannot be written.
    """
    count = -1  # the first line is none

    def lines() -> Iterator[str]:
        nonlocal count
        for line in export(journal):
            count += 1
            yield line + "\n"

    write_text(file, lines())
    return count


def _line(kind: str, document: dict[str, Any]) -> str:
    return json.dumps({"kind": kind, **document}, ensure_ascii=False)


def import_file(journal: Journal, file: Path) -> JournalImport:
    """Adds what the file of an export holds and the journal does not, as :func:`import_lines` does.

    Raises:
        StorageError: The file cannot be read.
        JournalError: As there.
    """
    try:
        with file.open("rb") as stream:
            return import_stream(journal, stream)
    except OSError as error:
        raise StorageError(
            _("{file} cannot be read ({reason})").format(file=file, reason=error.strerror), _("check the name")
        ) from None


def import_stream(journal: Journal, stream: Iterable[bytes]) -> JournalImport:
    """Import an export as bytes, in the encoding of its byte-order mark or in UTF-8; see :func:`import_lines`."""
    # An invalid byte becomes a surrogate, for which that line alone is refused.
    return import_lines(journal, decoded_lines(stream, errors="surrogateescape"))


def import_lines(journal: Journal, lines: Iterable[str]) -> JournalImport:
    """Adds what an export holds and the journal does not; good lines go in, bad ones are listed.

    Args:
        journal: Where to.
        lines: An export's lines.

    Raises:
        JournalError: The journal is locked or cannot be written, or the file is an export of a newer version; lines
            that had been read before are in the journal, and reading them again adds nothing.
    """
    done = JournalImport()
    numbered = enumerate(lines, 1)
    version = VERSION - 1  # until the first line says otherwise: exports before version 5 do not name theirs
    try:
        while page := list(islice(numbered, _PAGE)):
            with journal.transaction() as change:
                for number, line in page:
                    try:
                        if line.strip():
                            version = _import(line, change, done, version)
                    except JournalError as error:
                        done.bad.append((number, str(error)))
    except NewerJournal:
        raise JournalError(_("the export was written by a newer version"), _("update this program first")) from None
    return done


def _wrong(what: str) -> JournalError:
    return JournalError(what, _("use the format that journal export writes"))


def _import(line: str, change: Change, done: JournalImport, version: int) -> int:
    """Adds a line; returns the version of the journal that was exported. Raises JournalError for what is no line."""
    try:
        document = read_json(line)
    except EndgameError:
        raise JournalError(_("the line is not JSON"), _("write one object a line")) from None
    if not isinstance(document, dict):
        raise JournalError(_("the line is not an object"), _("write one object a line"))
    kind = str(document.get("kind"))
    if kind == "attempt":
        new = _import_attempt(document, change, version)
        done.attempts += new
    elif kind in _KEPT:
        table = _KEPT[kind]
        new = change(f"{table.keep} WHERE {table.newer}", values(read(table.kind, document, _wrong)))
        done.cards += new if kind == "card" else 0
    elif kind == "journal":
        if not isinstance(result := document.get("format"), int):
            raise _wrong(_("the format is not a number"))
        if result > FORMAT:
            raise NewerJournal
        if not isinstance(version := document.get("journal", VERSION - 1), int):
            raise _wrong(_("the version of the journal is not a number"))
        return version
    else:
        raise JournalError(
            _("{kind} is not a kind of line").format(kind=quoted(kind)), _("it is one of attempt, card, review, rating")
        )
    done.known += not new
    return version


def _import_attempt(document: dict[str, Any], change: Change, version: int) -> int:
    """Adds an attempt with its moves, or replaces one of ours that was never finished; 0 when ours is as good."""
    moves = document.get("moves", [])
    if not isinstance(moves, list) or not all(isinstance(move, dict) for move in moves):
        raise _wrong(_("moves is not a list of objects"))
    made = [read(Made, move, _wrong) for move in moves]
    record = read(Record, {"uncounted": sum(move.is_uncounted for move in made), **document}, _wrong)
    if not record.uuid:
        raise _wrong(_("uuid is empty"))
    if not 1 <= record.day <= date.max.toordinal():
        raise _wrong(_("day is not a day of the calendar"))
    return _keep_attempt(record, made, change, version)


def _keep_attempt(record: Record, moves: Sequence[Made], change: Change, version: int) -> int:
    """Adds an attempt from a journal of a version, or replaces one that was never finished; 0 when ours is as good."""
    if version < VERSION:
        record = replace(record, outcome=judged(record))
    new = change(f"{ATTEMPTS.keep} WHERE {ATTEMPTS.newer}", values(record))
    if new:
        change(f"DELETE FROM moves WHERE attempt = {_OF_ATTEMPT}", (record.uuid,))
        for move in moves:
            change(_ADD_MOVE, {**values(move), "uuid": record.uuid})
    return new

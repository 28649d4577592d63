"""The journal: every attempt with its moves, kept the moment they are made.

Writing never fails and never waits long. What cannot be written now, because another program holds the file or the disk
is full, is kept in memory, written with the next record, and said once (:meth:`Journal.take_notice`).
"""

from __future__ import annotations

import json
import sqlite3
import threading
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any, Generic, TypeVar, get_args

from endgame_core.paths import write_text
from endgame_core.practice.records import (
    Attempt,
    Card,
    Imported,
    JournalError,
    Made,
    Outcome,
    Rating,
    Record,
    Review,
    read,
    types,
    values,
)

R = TypeVar("R")

APPLICATION = 0x656E6467
"""``application_id`` of our files, which tells them from those of other programs."""

VERSION = 4
"""``user_version`` of our files; no older one was ever released."""


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


Statement = tuple[str, "Sequence[Any] | Mapping[str, Any]"]

_LOCKED = "the journal is locked by another program"
_DAMAGED = ".damaged"
COUNTED = f"outcome IN ('{Outcome.SOLVED}', '{Outcome.FAILED}')"
"""The attempts that count in figures."""


def day_of(moment: float) -> int:
    """The local day of a moment (seconds since 1970), as a proleptic ordinal."""
    return datetime.fromtimestamp(moment).date().toordinal()


OF_ATTEMPT = "(SELECT id FROM attempts WHERE uuid = ?)"

ADD_MOVE = (
    f"INSERT INTO moves (attempt, number, {MOVES.columns}) SELECT id,"
    f" (SELECT coalesce(max(number), 0) + 1 FROM moves WHERE attempt = attempts.id), {MOVES.marks}"
    " FROM attempts WHERE uuid = :uuid"
)
"""Puts a move, given its values by name, behind the moves of an attempt."""

_ADD_UP = (
    "UPDATE attempts SET plies_lost = plies_lost + :plies, errors = errors + :error, seconds = seconds + :seconds,"
    " uncounted = uncounted + :uncounted WHERE uuid = :uuid AND :own"
)


def forgetting(attempt: str) -> list[Statement]:
    """What forgets an attempt with its moves."""
    return [
        (f"DELETE FROM moves WHERE attempt = {OF_ATTEMPT}", (attempt,)),
        ("DELETE FROM attempts WHERE uuid = ?", (attempt,)),
    ]


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
        self._write((ATTEMPTS.insertion(), values(record)))
        return record.uuid

    def move(self, attempt: str, made: Made) -> None:
        """Keeps a move, or an answer, and adds the learner's losses up."""
        row = {**values(made), "uuid": attempt, "uncounted": made.is_uncounted}
        self._write((ADD_MOVE, row), (_ADD_UP, row))

    def take_back(self, attempt: str, ply: int) -> None:
        """Marks the moves from number ``ply`` on as taken back; what they lost stays lost."""
        self._write(
            (f"UPDATE moves SET taken = 1 WHERE ply >= ? AND attempt = {OF_ATTEMPT}", (ply, attempt)),
            ("UPDATE attempts SET takebacks = takebacks + 1 WHERE uuid = ?", (attempt,)),
        )

    def hint(self, attempt: str) -> None:
        """Counts a hint."""
        self._write(("UPDATE attempts SET hints = hints + 1 WHERE uuid = ?", (attempt,)))

    def finish(self, attempt: str, outcome: Outcome, result: str = "") -> None:
        """Ends an attempt; a second call corrects the first."""
        sql = "UPDATE attempts SET finished = ?, outcome = ?, result = ? WHERE uuid = ?"
        self._write((sql, (self.clock(), outcome, result, attempt)))

    def discard(self, attempt: str) -> None:
        """Forgets an attempt that came to nothing."""
        self._write(*forgetting(attempt))

    def keep_card(self, card: Card, review: Review | None = None) -> None:
        """Keeps a card as it is now, and the rating that made it so."""
        rows: list[Statement] = [(CARDS.insertion("INSERT OR REPLACE"), values(card))]
        if review is not None:
            rows.append((REVIEWS.insertion("INSERT OR REPLACE"), values(review)))
        self._write(*rows)

    def drop_card(self, theme: str) -> None:
        """Schedules a theme no more."""
        self._write(("DELETE FROM cards WHERE theme = ?", (theme,)))

    def keep_ratings(self, *ratings: Rating) -> None:
        """Keeps ratings as they are now."""
        self._write(*((RATINGS.insertion("INSERT OR REPLACE"), values(rating)) for rating in ratings))

    # -- what is known

    def attempt(self, uuid: str) -> Record | None:
        """One attempt, or None."""
        return self._one(ATTEMPTS, uuid)

    def moves(self, uuid: str) -> list[Made]:
        """The moves of an attempt in the order they were made, those taken back too."""
        return self._all(MOVES, f"WHERE attempt = {OF_ATTEMPT} ORDER BY number", (uuid,))

    def attempts(
        self,
        *,
        theme: str = "",
        game: str = "",
        most: int = 50,
        before: float | None = None,
        since: float | None = None,
        counted: bool = False,
    ) -> list[Record]:
        """The newest attempts first.

        Args:
            theme: Only of this theme.
            game: Only of this game.
            most: At most so many.
            before: Only those begun earlier than this moment.
            since: Only those begun at this moment or later.
            counted: Only those that count in figures.
        """
        conditions: dict[str, Any] = {
            "theme = ?": theme or None, "game = ?": game or None, "started < ?": before, "started >= ?": since,
        }  # fmt: skip
        given = {sql: value for sql, value in conditions.items() if value is not None}
        wanted = " AND ".join([*given, *([COUNTED] if counted else [])])
        where = f"WHERE {wanted} " if wanted else ""
        return self._all(ATTEMPTS, f"{where}ORDER BY started DESC LIMIT ?", (*given.values(), most))

    def cards(self) -> list[Card]:
        """All cards, the one due first first."""
        return self._all(CARDS, "ORDER BY due, theme")

    def card(self, theme: str) -> Card | None:
        """One theme's card, or None."""
        return self._one(CARDS, theme)

    def rating(self, name: str) -> Rating | None:
        """One rating, or None."""
        return self._one(RATINGS, name)

    def _one(self, table: Table[R], key: str) -> R | None:
        found = self._all(table, f"WHERE {table.key[0]} = ?", (key,))
        return found[0] if found else None

    def _all(self, table: Table[R], clause: str, given: Sequence[Any] = ()) -> list[R]:
        rows = self.query(f"SELECT {table.columns} FROM {table.name} {clause}", given)
        return [table.record(row) for row in rows]

    # -- the file

    def query(self, sql: str, given: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Rows of a question; a corrupt journal is put aside and the new one asked.

        Raises:
            JournalError: The journal is locked, or cannot be read.
        """
        with self._guard:
            if self._pending:
                self._flush_without_waiting()
            for _ in range(2):
                try:
                    return self._open().execute(sql, given).fetchall()
                except sqlite3.Error as error:
                    self._failed(error)
                    if not is_corrupt(error):
                        raise JournalError(*_words(error, "try again")) from None
            raise JournalError("the journal cannot be read", "check the disk")

    def transaction(self, statements: Iterable[Statement]) -> int:
        """Runs statements all or not at all, at once; returns how many rows they changed.

        Raises:
            JournalError: The journal is locked or cannot be written; nothing was changed.
        """
        with self._guard:
            try:
                return self._run(self._open(), statements)
            except sqlite3.Error as error:
                self._failed(error)
                raise JournalError(*_words(error, "nothing was changed; try again")) from None

    def flush(self) -> bool:
        """Writes what waits in memory; True when nothing waits any more."""
        with self._guard:
            mended = False
            while self._pending:
                try:
                    self._run(self._open(), self._pending)
                except JournalError:
                    return False
                except sqlite3.Error as error:
                    self._failed(error)
                    if is_corrupt(error) and not mended:
                        mended = True
                        continue
                    what, _ = _words(error, "")
                    self._say(f"{what}; what you do is kept in memory until it can be written.")
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
                raise JournalError(f"{lost} records could not be written to the journal", self._said)

    def _write(self, *statements: Statement) -> None:
        with self._guard:
            self._pending += statements
            self.flush()

    @staticmethod
    def _run(connection: sqlite3.Connection, statements: Iterable[Statement]) -> int:
        before = connection.total_changes
        connection.execute("BEGIN IMMEDIATE")
        try:
            for sql, given in statements:
                connection.execute(sql, given)
            connection.execute("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):
                connection.execute("ROLLBACK")
            raise
        return connection.total_changes - before

    def _open(self) -> sqlite3.Connection:
        """The connection; opened, or opened again, when there is none. Raises JournalError."""
        if self._connection is not None:
            return self._connection
        path = self.path if self.kept else None
        try:
            if path is not None:
                path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = connect(path, self._patience)
        except NewerJournal:
            self.kept = False
            self._say("the journal is of a newer version: left alone; nothing of this session is kept.")
            return self._open()
        except BrokenJournal:
            self._put_aside()
            return self._open()
        except (sqlite3.Error, OSError) as error:
            what, then = _words(error, "what you do is kept in memory until it can be opened")
            self._say(f"{what}; {then}.")
            raise JournalError(what, "try again") from None
        return self._connection

    def _failed(self, error: sqlite3.Error) -> None:
        """Looks after a broken file; other failures leave it as it is."""
        if not is_corrupt(error):
            return
        if self._connection is not None:
            with suppress(sqlite3.Error):
                self._connection.close()
            self._connection = None
        # Another program may have put it aside already and begun the one that stands here now.
        if self.path is not None and not is_whole(self.path, self._patience):
            self._put_aside()

    def _put_aside(self) -> None:
        """Renames a corrupt file, with its log, so that a new one is begun and nothing is thrown away."""
        if self.path is None:
            return
        number, aside = 1, self.path.with_name(self.path.name + _DAMAGED)
        while aside.exists():
            number += 1
            aside = self.path.with_name(f"{self.path.name}{_DAMAGED}-{number}")
        try:
            for end in ("-wal", "-shm", ""):
                part = self.path.with_name(self.path.name + end)
                if part.exists():
                    part.replace(aside.with_name(aside.name + end))
        except OSError:
            self.kept = False
            self._say("the journal is corrupt and cannot be renamed; nothing is kept of this session.")
            return
        self._say(f"the journal was corrupt: kept as {aside.name}; a new one is begun.")

    def _say(self, sentence: str) -> None:
        """Has a sentence shown; the same one again only after writing has worked in between."""
        if sentence != self._said:
            self._notice, self._said = sentence[0].upper() + sentence[1:], sentence


def _words(error: Exception, then: str) -> tuple[str, str]:
    """What went wrong with the file, and what comes of it."""
    if isinstance(error, sqlite3.Error):
        if is_locked(error):
            return _LOCKED, then
        if getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_FULL:
            return "the disk is full and the journal cannot be written", then
        return f"the journal cannot be written ({error})", then
    return f"the journal cannot be opened ({getattr(error, 'strerror', None) or error})", then


FORMAT = 1
_PAGE = 500
_CHUNK = 500
_KEPT = {"card": CARDS, "review": REVIEWS, "rating": RATINGS}
"""What is kept besides attempts, by the kind of its lines."""


def export(journal: Journal) -> Iterator[str]:
    """The whole journal, line by line, oldest attempts first.

    Raises:
        JournalError: The journal is locked, or cannot be read.
    """
    yield _line("journal", {"format": FORMAT})
    last = 0
    while rows := journal.query(
        f"SELECT id, {ATTEMPTS.columns} FROM attempts WHERE id > ? ORDER BY id LIMIT ?", (last, _PAGE)
    ):
        made = _moves(journal, rows[0][0], rows[-1][0])
        for number, *row in rows:
            yield _line("attempt", values(ATTEMPTS.record(row)) | {"moves": made.get(number, [])})
        last = rows[-1][0]
    for kind, table in _KEPT.items():
        for row in journal.query(f"SELECT {table.columns} FROM {table.name} ORDER BY {', '.join(table.key)}"):
            yield _line(kind, values(table.record(row)))


def export_file(journal: Journal, file: Path) -> int:
    """Writes the whole journal into a file, all or not at all; returns the number of lines.

    Raises:
        JournalError: The journal is locked, or cannot be read.
        StorageError: The file cannot be written.
    """
    count = 0

    def lines() -> Iterator[str]:
        nonlocal count
        for line in export(journal):
            count += 1
            yield line + "\n"

    write_text(file, lines())
    return count


def _line(kind: str, document: dict[str, Any]) -> str:
    return json.dumps({"kind": kind, **document}, ensure_ascii=False)


def _moves(journal: Journal, first: int, last: int) -> dict[int, list[dict[str, Any]]]:
    """The moves of a range of attempts, by attempt."""
    found: dict[int, list[dict[str, Any]]] = {}
    sql = f"SELECT attempt, {MOVES.columns} FROM moves WHERE attempt BETWEEN ? AND ? ORDER BY attempt, number"
    for attempt, *row in journal.query(sql, (first, last)):
        found.setdefault(attempt, []).append(values(MOVES.record(row)))
    return found


def import_lines(journal: Journal, lines: Iterable[str]) -> Imported:
    """Adds what an export holds and the journal does not; good lines go in, bad ones are listed.

    Args:
        journal: Where to.
        lines: An export's lines.

    Raises:
        JournalError: The journal is locked or cannot be written, or the file is an export of a newer version; lines
            that had been read before are in the journal, and reading them again adds nothing.
    """
    done = Imported()
    waiting: list[tuple[str, Any]] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            kind, document = _parsed(line)
            if kind == "journal":
                _check_format(document)
            else:
                waiting.append((kind, _record(kind, document)))
        except _TooNewError:
            raise JournalError("the export was written by a newer version", "update this program first") from None
        except JournalError as error:
            done.bad.append((number, str(error)))
        if len(waiting) >= _CHUNK:
            _merge(journal, waiting, done)
            waiting.clear()
    _merge(journal, waiting, done)
    return done


class _TooNewError(Exception):
    """The file's format is not known here."""


def _parsed(line: str) -> tuple[str, dict[str, Any]]:
    try:
        document = json.loads(line)
    except (ValueError, RecursionError):
        raise JournalError("the line is no JSON", "write one object a line") from None
    if not isinstance(document, dict):
        raise JournalError("the line is no object", "write one object a line")
    return str(document.get("kind")), document


def _check_format(document: dict[str, Any]) -> None:
    found = document.get("format")
    if not isinstance(found, int):
        raise _wrong("the format is no number")
    if found > FORMAT:
        raise _TooNewError


def _wrong(what: str) -> JournalError:
    return JournalError(what, "write it as the export does")


def _record(kind: str, document: dict[str, Any]) -> Any:
    """The record of a line: for an attempt, with its moves."""
    if kind in _KEPT:
        return read(_KEPT[kind].kind, document, _wrong)
    if kind != "attempt":
        raise JournalError(f"{kind[:40]!r} is no kind of line", "it is one of attempt, card, review, rating")
    moves = document.get("moves", [])
    if not isinstance(moves, list) or not all(isinstance(move, dict) for move in moves):
        raise _wrong("moves is no list of objects")
    made = [read(Made, move, _wrong) for move in moves]
    record = read(Record, {"uncounted": sum(move.is_uncounted for move in made), **document}, _wrong)
    if not record.uuid:
        raise _wrong("uuid is empty")
    return record, made


def _merge(journal: Journal, waiting: list[tuple[str, Any]], done: Imported) -> None:
    """Writes what is new of a few records, in one transaction."""
    statements: list[Statement] = []
    attempts = cards = 0
    known = _outcomes(journal, [record[0].uuid for kind, record in waiting if kind == "attempt"])
    newest: dict[tuple[str, ...], float] = {}
    for kind, record in waiting:
        if kind == "attempt":
            new = _attempt(record, known)
            attempts += bool(new)
        else:
            new = _kept(journal, kind, record, newest)
            cards += bool(new) and kind == "card"
        statements += new
        done.known += not new
    if statements:
        journal.transaction(statements)
    done.attempts += attempts
    done.cards += cards


def _outcomes(journal: Journal, uuids: list[str]) -> dict[str, str]:
    marks = ", ".join("?" * len(uuids))
    return dict(journal.query(f"SELECT uuid, outcome FROM attempts WHERE uuid IN ({marks})", uuids))  # pyright: ignore


def _attempt(found: tuple[Record, list[Made]], known: dict[str, str]) -> list[Statement]:
    """What adds an attempt, or replaces one of ours that was never finished; empty when ours is as good."""
    record, moves = found
    ours = known.get(record.uuid)
    if ours is not None and (ours != Outcome.OPEN or record.outcome is Outcome.OPEN):
        return []
    known[record.uuid] = record.outcome
    statements = [] if ours is None else forgetting(record.uuid)
    statements.append((ATTEMPTS.insertion(), values(record)))
    statements += [(ADD_MOVE, {**values(made), "uuid": record.uuid}) for made in moves]
    return statements


def _kept(journal: Journal, kind: str, record: Any, newest: dict[tuple[str, ...], float]) -> list[Statement]:
    """What keeps a card, review or rating; empty when ours was used as late."""
    table = _KEPT[kind]
    where = " AND ".join(f"{column} = ?" for column in table.key)
    which = tuple(getattr(record, column) for column in table.key)
    name, moment = (kind, *map(str, which)), getattr(record, table.used)
    ours = newest.get(name)
    if ours is None:
        ours = journal.query(f"SELECT max({table.used}) FROM {table.name} WHERE {where}", which)[0][0]
    if ours is not None and ours >= moment:
        return []
    newest[name] = moment
    return [(table.insertion("INSERT OR REPLACE"), values(record))]

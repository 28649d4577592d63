"""The journal: every attempt with its moves, kept the moment they are made.

Writing never fails and never waits long. What cannot be written now, because another program holds the file or the disk
is full, is kept in memory, written with the next record, and said once (:meth:`Journal.take_notice`).
"""

from __future__ import annotations

import sqlite3
import threading
import time
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

from endgame_core.practice import schema
from endgame_core.practice.fields import values
from endgame_core.practice.records import Attempt, Card, JournalError, Made, Outcome, Rating, Record, Review
from endgame_core.practice.schema import ATTEMPTS, CARDS, MOVES, RATINGS, REVIEWS, Table

R = TypeVar("R")
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
                    if not schema.is_corrupt(error):
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
                    if schema.is_corrupt(error) and not mended:
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
            self._connection = schema.connect(path, self._patience)
        except schema.NewerJournal:
            self.kept = False
            self._say("the journal is of a newer version: left alone; nothing of this session is kept.")
            return self._open()
        except schema.BrokenJournal:
            self._put_aside()
            return self._open()
        except (sqlite3.Error, OSError) as error:
            what, then = _words(error, "what you do is kept in memory until it can be opened")
            self._say(f"{what}; {then}.")
            raise JournalError(what, "try again") from None
        return self._connection

    def _failed(self, error: sqlite3.Error) -> None:
        """Looks after a broken file; other failures leave it as it is."""
        if not schema.is_corrupt(error):
            return
        if self._connection is not None:
            with suppress(sqlite3.Error):
                self._connection.close()
            self._connection = None
        # Another program may have put it aside already and begun the one that stands here now.
        if self.path is not None and not schema.is_whole(self.path, self._patience):
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
        if schema.is_locked(error):
            return _LOCKED, then
        if getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_FULL:
            return "the disk is full and the journal cannot be written", then
        return f"the journal cannot be written ({error})", then
    return f"the journal cannot be opened ({getattr(error, 'strerror', None) or error})", then

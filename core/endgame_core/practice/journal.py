"""The journal: every attempt with its moves, stored the moment they are made.

Writing never fails and never waits long. What cannot be written now, because another program has locked the file or the
disk is full, stays in memory, is written with the next record, and is reported once (:meth:`Journal.take_notice`).

The parts: ``records`` has the records, ``journal_tables`` their tables in SQLite, ``journal_file`` opens and checks the
file, ``journal_salvage`` reads what is left of a damaged one, ``journal_exchange`` exports and imports.
"""

from __future__ import annotations

import errno
import sqlite3
import threading
import time
import uuid
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

from endgame_core.errors import system_reason
from endgame_core.language import _, ngettext
from endgame_core.practice.journal_file import (
    CORRUPT,
    NewerJournal,
    OtherJournal,
    all_or_nothing,
    connect,
    hurried,
    is_corrupt,
    is_locked,
    is_read_only,
    is_whole,
)
from endgame_core.practice.journal_salvage import salvaged
from endgame_core.practice.journal_tables import (
    ADD_MOVE,
    ADD_UP,
    ATTEMPTS,
    CARDS,
    MOVES,
    OF_ATTEMPT,
    RATINGS,
    TABLES_BY_KIND,
    Change,
    Damaged,
    JournalTable,
    store_attempt,
)
from endgame_core.practice.records import (
    COUNTED,
    Attempt,
    Card,
    CardReview,
    JournalError,
    Made,
    Outcome,
    Rating,
    Record,
    values,
)

R = TypeVar("R")

Statement = tuple[str, "Sequence[Any] | Mapping[str, Any]"]
"""SQL and its parameters."""


def day_of(moment: float) -> int:
    """The local day of a moment (seconds since 1970), as a proleptic ordinal."""
    return datetime.fromtimestamp(moment).date().toordinal()


class Journal:
    """One user's journal. Safe to use from several threads, and from several programs at once.

    Opening never fails either: a corrupt file is put aside and a new one begun; one from a newer version is left alone,
    and this session is kept in memory only. :meth:`take_notice` says so.

    Args:
        path: The file, made when it is not there; None keeps everything in memory.
        clock: Returns the time, in seconds since 1970.
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
        self.is_stored = path is not None
        """Whether records go to the file; False in memory, and beside a journal of a newer version."""
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
        self._write((ATTEMPTS.upsert, values(record)))
        return record.uuid

    def move(self, attempt: str, move: Made) -> None:
        """Keeps a move, or an answer, and adds the learner's losses up."""
        row = {**values(move), "uuid": attempt, "uncounted": move.is_uncounted}
        self._write((ADD_MOVE, row), (ADD_UP, row))

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

    def keep(self, *records: Card | CardReview | Rating) -> None:
        """Stores the current state of cards, reviews and ratings."""
        tables = {table.kind: table for table in TABLES_BY_KIND.values()}
        self._write(*((tables[type(record)].upsert, values(record)) for record in records))

    def drop_card(self, theme: str) -> None:
        """Schedules a theme no more; its attempts stay."""
        self._write(("DELETE FROM cards WHERE theme = ?", (theme,)))

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
        limit: int = 50,
        before: float | None = None,
        days: tuple[int, int] | None = None,
        counted_only: bool = False,
    ) -> list[Record]:
        """The newest attempts first.

        Args:
            theme: Only of this theme.
            game: Only of this game.
            limit: Maximum number of attempts.
            before: Only those begun earlier than this moment.
            days: Only those of the first of these days, the last, and the days between.
            counted_only: Only those that count in figures.
        """
        conditions: dict[str, Any] = {
            "theme = ?": theme, "game = ?": game, "started < ?": before, "day >= ? AND day <= ?": days,
        }  # fmt: skip
        parameters = {sql: value for sql, value in conditions.items() if value not in ("", None)}
        clause = " AND ".join([*parameters, *([COUNTED] if counted_only else [])])
        flat = [each for value in parameters.values() for each in (value if isinstance(value, tuple) else [value])]
        return self._all(ATTEMPTS, f"{'WHERE' * bool(clause)} {clause} ORDER BY started DESC LIMIT ?", (*flat, limit))

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

    def _all(self, table: JournalTable[R], clause: str, parameters: Sequence[Any] = ()) -> list[R]:
        return self.query(f"SELECT {table.rows} FROM {table.name} {clause}", parameters, table.record)

    # -- the file

    def query(self, sql: str, parameters: Sequence[Any] = (), make: Callable[[Any], Any] = tuple) -> list[Any]:
        """Return the rows of a query; a corrupt journal is put aside and the new one queried.

        Args:
            sql: The question.
            parameters: The values of its placeholders.
            make: Converts a row; raises Damaged for one that is no record.

        Raises:
            JournalError: The journal is locked, or cannot be read.
        """
        with self._guard:
            if self._pending:
                self._flush_without_waiting()
            for __ in range(2):
                try:
                    return list(map(make, hurried(self._open()).execute(sql, parameters).fetchall()))
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
                with all_or_nothing(hurried(connection)):
                    yield lambda sql, parameters: connection.execute(sql, parameters).rowcount
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
                    with all_or_nothing(hurried(connection)):
                        for sql, parameters in self._pending:
                            connection.execute(sql, parameters)
                except JournalError:
                    return False
                except sqlite3.Error as error:
                    self._failed(error)
                    if is_corrupt(error) and not mended:
                        mended = True
                        continue
                    what, __ = _words(error, "")
                    self._say(
                        _("{what}; your results stay in memory until the journal can be written.").format(what=what)
                    )
                    return False
                self._pending.clear()
                self._said = ""
            return True

    def _flush_without_waiting(self) -> None:
        """Write pending records if no other process holds the file: a screen asks many questions, and must not wait."""
        with suppress(JournalError):
            self._open().execute("PRAGMA busy_timeout = 0")
            self.flush()
            self._open().execute(f"PRAGMA busy_timeout = {int(1000 * self._patience)}")

    def take_notice(self) -> str:
        """The sentence to show the user, once; empty when there is none."""
        with self._guard:
            notice = self._notice
            self._notice = ""
            return notice

    def close(self, patience: float = 5.0) -> None:
        """Write pending records, for at most ``patience`` seconds, and close the file.

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
                what = ngettext(
                    "{number} record could not be written to the journal",
                    "{number} records could not be written to the journal",
                    lost,
                )
                raise JournalError(what.format(number=lost), self._said.removesuffix("."))

    def _write(self, *statements: Statement) -> None:
        with self._guard:
            self._pending += statements
            self.flush()

    def _open(self) -> sqlite3.Connection:
        """The connection; opened, or opened again, when there is none. Raises JournalError."""
        if self._connection is not None:
            return self._connection
        path = self.path if self.is_stored else None
        try:
            if path is not None:
                _make_directory(path.parent)
            self._connection = connect(path, self._patience)
        except NewerJournal:
            self.is_stored = False
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
            self._put_aside(CORRUPT)

    def _put_aside(self, why: str) -> None:
        """Renames a file that cannot be read, with its log: a new one is begun, and nothing is thrown away."""
        if self.path is None:
            return
        is_corrupt_file = why == CORRUPT
        problem = _("was corrupt") if is_corrupt_file else why
        name = f"{self.path.name}.{'damaged' if is_corrupt_file else 'old'}"
        number = 1
        aside = self.path.with_name(name)
        while aside.exists():
            number += 1
            aside = self.path.with_name(f"{name}-{number}")
        try:
            for end in ("-wal", "-shm", ""):
                part = self.path.with_name(self.path.name + end)
                if part.exists():
                    part.replace(aside.with_name(aside.name + end))
        except OSError:
            self.is_stored = False
            sentence = _("the journal {why} and cannot be renamed; nothing from this session is saved.")
            self._say(sentence.format(why=problem))
            return
        saved = 0
        if is_corrupt_file:
            saved = self._save_from(aside)
        read_of_it = ""
        if saved:
            attempts = ngettext("{number} attempt", "{number} attempts", saved).format(number=saved)
            read_of_it = _(" with its readable records ({number})").format(number=attempts)
        self._say(
            _("the journal {why}; it is kept as {aside}, and a new one was started{read_of_it}.").format(
                why=problem, aside=aside.name, read_of_it=read_of_it
            )
        )

    def _save_from(self, aside: Path) -> int:
        """Takes what can be read of a damaged journal over; returns how many attempts that were."""
        result = salvaged(aside)
        with suppress(JournalError), self.transaction() as change:
            for record, moves in result.attempts:
                store_attempt(record, moves, change, result.version)
            for table, record in result.others:
                change(f"{table.upsert} WHERE {table.newer}", values(record))
            return len(result.attempts)
        return 0

    def _say(self, sentence: str) -> None:
        """Has a sentence shown; the same one again only after writing has worked in between."""
        if sentence != self._said:
            self._notice = sentence[0].upper() + sentence[1:]
            self._said = sentence


def _make_directory(directory: Path) -> None:
    """Make a directory; on a read-only disk there is no journal then, which is read as an empty one."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        if error.errno not in (errno.EACCES, errno.EPERM, errno.EROFS):
            raise


def _words(error: Exception, then: str) -> tuple[str, str]:
    """Return the problem with the file, and its consequence."""
    if isinstance(error, sqlite3.Error):
        if is_locked(error):
            return _("the journal is locked by another program"), then
        if getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_FULL:
            return _("the disk is full and the journal cannot be written"), then
        return _("the journal cannot be written ({error})").format(error=error), then
    return _("the journal cannot be opened ({reason})").format(reason=system_reason(error)), then


# What is left of a damaged file


# Export and import

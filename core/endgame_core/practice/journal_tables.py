"""The tables of the journal in SQLite, and the statements that write them."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property
from typing import Any, Generic, TypeVar, get_args

from endgame_core.game_state import Win
from endgame_core.practice.records import LATEST, MOST, Card, CardReview, Made, Outcome, Rating, Record, types, values
from endgame_core.practice.stars import plies_allowed

R = TypeVar("R")

Change = Callable[[str, "Sequence[Any] | Mapping[str, Any]"], int]
"""Runs a statement; returns how many rows it changed."""

APPLICATION = 0x656E6467
"""``application_id`` of our files, which tells them from those of other programs."""

VERSION = 5
"""``user_version`` of our files. Version 4 has the same tables, but calls fewer attempts solved: see :func:`judged`."""

_TYPES: dict[Any, str] = {str: "TEXT", Outcome: "TEXT", float: "REAL", int: "INTEGER", bool: "INTEGER"}
_MADE: tuple[Any, ...] = (Outcome, bool)
"""Types that SQLite does not have: a field of one is converted from the value of its column."""
_SOUND: dict[Any, str] = {
    str: "typeof({0}) = 'text'",
    Outcome: f"{{0}} IN {tuple(map(str, Outcome))}",
    float: f"typeof({{0}}) = 'real' AND {{0}} BETWEEN -{LATEST} AND {LATEST}",
    int: f"typeof({{0}}) = 'integer' AND {{0}} BETWEEN -{MOST} AND {MOST}",
    bool: "{0} IN (0, 1)",
}
"""The condition, as SQL, that a column meets unless it is damaged; by the type of its field."""
_DAY = f"typeof(day) = 'integer' AND day BETWEEN 1 AND {date.max.toordinal()}"


class Damaged(sqlite3.DatabaseError):
    """A row whose values make no record, although SQLite can read it."""

    sqlite_errorcode = sqlite3.SQLITE_CORRUPT


@dataclass(frozen=True)
class JournalTable(Generic[R]):
    """A table of the journal: a column for each field of its records, of the field's type.

    Attributes:
        name: Its name in SQL.
        kind: Type of its records.
        key: The columns that identify a row.
        own: Columns that are not fields of the records, as SQL.
        newer: The condition, as SQL, on which an imported record (``excluded``) replaces ours.
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
        """The named parameters of a statement for the values of a record."""
        return ", ".join(f":{name}" for name in types(self.kind))

    @property
    def creation(self) -> str:
        """The statement that creates the table."""
        columns = [self.own] if self.own else []
        for name, what in types(self.kind).items():
            optional = get_args(what)
            if optional:
                column = f"{name} {_TYPES[optional[0]]}"
            else:
                column = f"{name} {_TYPES[what]} NOT NULL"
            columns.append(column)
        unique = "PRIMARY KEY"
        ends = " WITHOUT ROWID"
        # A table with a numeric id of its own cannot do without SQLite's row numbers.
        if "PRIMARY KEY" in self.own:
            unique = "UNIQUE"
            ends = ""
        return f"CREATE TABLE {self.name} ({', '.join(columns)}, {unique} ({self.key})){ends}"

    @cached_property
    def upsert(self) -> str:
        """The statement that inserts a record, given its values by name, or replaces ours of the same key."""
        ours = ", ".join(f"excluded.{name}" for name in types(self.kind))
        return (
            f"INSERT INTO {self.name} ({self.columns}) VALUES ({self.marks})"
            f" ON CONFLICT ({self.key}) DO UPDATE SET ({self.columns}) = ({ours})"
        )

    @cached_property
    def rows(self) -> str:
        """What to select for :meth:`record`: the columns, and whether they are undamaged."""
        return f"{self.columns}, {self.sound}"

    def record(self, row: Iterable[Any]) -> R:
        """The record of a row with all of :attr:`rows`; raises Damaged."""
        *columns, sound = row
        if sound != 1:
            raise Damaged(self.name)
        fields = zip(types(self.kind).items(), columns, strict=True)
        return self.kind(**{name: what(value) if what in _MADE else value for (name, what), value in fields})

    @cached_property
    def sound(self) -> str:
        """The condition, as SQL, that a row meets unless it is damaged."""
        conditions: list[str] = []
        for name, what in types(self.kind).items():
            optional = get_args(what)
            if name == "day":
                fits = _DAY
            else:
                fits = _SOUND[optional[0] if optional else what].format(name)
            conditions.append(f"({name} IS NULL OR {fits})" if optional else f"({fits})")
        return " AND ".join(conditions)


ATTEMPTS = JournalTable(
    "attempts", Record, "uuid", "id INTEGER PRIMARY KEY",
    f"attempts.outcome = '{Outcome.OPEN}' AND excluded.outcome <> '{Outcome.OPEN}'",
)  # fmt: skip
MOVES = JournalTable("moves", Made, "attempt, number", "attempt INTEGER NOT NULL, number INTEGER NOT NULL")
CARDS = JournalTable("cards", Card, "theme", newer="excluded.reviewed > cards.reviewed")
REVIEWS = JournalTable("reviews", CardReview, "theme, reviewed")
RATINGS = JournalTable("ratings", Rating, "name", newer="excluded.updated > ratings.updated")
TABLES: tuple[JournalTable[Any], ...] = (ATTEMPTS, CARDS, REVIEWS, RATINGS, MOVES)
TABLES_BY_KIND: dict[str, JournalTable[Any]] = {"card": CARDS, "review": REVIEWS, "rating": RATINGS}
"""The tables besides attempts and moves, by the kind of their lines in an export."""

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

_GIVEN_UP = ("shown", "asking to be shown", "left", "time")
"""Results of attempts that ended before their goal was reached."""
_WON = (*Win, "mate")
"""Results of won games; *mate* is what the first programs wrote for checkmate."""


def judged(record: Record) -> Outcome:
    """The outcome of an attempt by the rules of today, by which an attempt that reached its goal is solved.

    Earlier versions stored it as failed if it took hints or lost more than a few plies.
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
    if reached:
        return Outcome.SOLVED
    return Outcome.FAILED


OF_ATTEMPT = "(SELECT id FROM attempts WHERE uuid = ?)"

ADD_MOVE = (
    f"INSERT INTO moves (attempt, number, {MOVES.columns}) SELECT id,"
    f" (SELECT coalesce(max(number), 0) + 1 FROM moves WHERE attempt = attempts.id), {MOVES.marks}"
    " FROM attempts WHERE uuid = :uuid"
)
"""Appends a move, given its values by name, to the moves of an attempt."""

ADD_UP = (
    "UPDATE attempts SET plies_lost = plies_lost + :plies, errors = errors + :error, seconds = seconds + :seconds,"
    " uncounted = uncounted + :uncounted WHERE uuid = :uuid AND :own"
)


def store_attempt(record: Record, moves: Sequence[Made], change: Change, version: int) -> int:
    """Adds an attempt from a journal of a version, or replaces one that was never finished; 0 when ours is as good."""
    # Before it is compared or stored: all attempts of our journal are judged by the rules of today.
    if version < VERSION:
        record = replace(record, outcome=judged(record))
    new = change(f"{ATTEMPTS.upsert} WHERE {ATTEMPTS.newer}", values(record))
    if new:
        change(f"DELETE FROM moves WHERE attempt = {OF_ATTEMPT}", (record.uuid,))
        for move in moves:
            change(ADD_MOVE, {**values(move), "uuid": record.uuid})
    return new

"""Reads what is left of a damaged journal: through SQLite as far as it goes, then page by page."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from endgame_core.practice.journal_file import hurried
from endgame_core.practice.journal_tables import (
    ATTEMPTS,
    CARDS,
    CREATION,
    MOVES,
    RATINGS,
    REVIEWS,
    TABLES,
    VERSION,
    Damaged,
    JournalTable,
)  # fmt: skip
from endgame_core.practice.records import Made, Record, read, values

R = TypeVar("R")


@dataclass(slots=True)
class Salvaged:
    """The readable records of a damaged journal: attempts with their moves, and records of other tables."""

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
    keys_by_table: dict[str, set[Any]] = {}
    for file, tables in _ways_in(path):
        file.text_factory = partial(str, encoding="utf-8", errors="replace")
        with closing(file):
            for table in tables:
                before = {MOVES: ("attempt", "number"), ATTEMPTS: ("id",)}.get(table, ())
                for head, record in _readable(file, table, before, keys_by_table.setdefault(table.name, set())):
                    if table is MOVES:
                        moves.setdefault(head[0], {})[head[1]] = record
                    elif table is ATTEMPTS:
                        attempts[head[0]] = record
                    else:
                        others.append((table, record))
    sorted_moves = {
        number: [move_by_number[at] for at in sorted(move_by_number)] for number, move_by_number in moves.items()
    }
    whole = [(attempts[number], sorted_moves.get(number, [])) for number in sorted(attempts)]
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
        yield sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True), TABLES
    with suppress(OSError, sqlite3.Error, AttributeError):  # not every SQLite can read from memory
        data = path.read_bytes()
        pages = [data[at : at + _PAGE_SIZE] for at in range(_PAGE_SIZE, len(data) - _PAGE_SIZE + 1, _PAGE_SIZE)]
        first = bytearray(_empty(CREATION)[:_PAGE_SIZE])
        # The number of pages, where the header of an SQLite file has it.
        first[28:32] = (len(pages) + 1).to_bytes(4, "big")
        yield _in_memory(bytes(first) + b"".join(pages)), TABLES
        empty = {table: _empty([table.creation]) for table in TABLES}
        for page in pages:
            for table in _LEAVES.get(page[0], ()):
                # The page takes the place of the empty table's only page, so that SQLite reads it as that table.
                start = empty[table][:_PAGE_SIZE]
                end = empty[table][2 * _PAGE_SIZE :]
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
    file: sqlite3.Connection, table: JournalTable[R], before: Sequence[str], read_keys: set[Any]
) -> Iterator[tuple[tuple[Any, ...], R]]:
    """The records of a table, with columns before them, that were not seen; after a torn page from the end."""
    key = ", ".join(before) or table.key
    columns = ", ".join([*before, table.rows])
    # Reading stops at the first torn page; the rows behind it are read from the other end.
    for order in ("ASC", "DESC"):
        ordered = ", ".join(f"{name} {order}" for name in key.split(", "))
        try:
            for row in hurried(file, 10.0).execute(f"SELECT {columns} FROM {table.name} ORDER BY {ordered}"):
                head = row[: len(before)]
                if (head or row) in read_keys or not all(isinstance(value, int) for value in head):
                    continue
                with suppress(Damaged):
                    result = read(table.kind, values(table.record(row[len(before) :])), Damaged)
                    read_keys.add(head or row)
                    yield head, result
        except (sqlite3.Error, UnicodeDecodeError):  # the latter of a table's name
            continue
        # Everything was read in one direction.
        return

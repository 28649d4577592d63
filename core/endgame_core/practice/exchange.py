"""Export and import of a journal, a line of JSON for each attempt (with its moves), card, review and rating.

The first line says what the file is. Attempts are known by their uuids, so importing a file twice adds nothing; of two
cards or ratings the one that was used last stays.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from endgame_core.practice.journal import Journal, Statement, insertion
from endgame_core.practice.records import (
    Card,
    Imported,
    JournalError,
    Made,
    Outcome,
    Rating,
    Record,
    Review,
    names,
    read,
    values,
)
from endgame_core.tables.storage import storage_errors

FORMAT = 1
_PAGE = 500
_CHUNK = 500

_MOVE_COLUMNS = names(Made)
_MOVE = (
    f"INSERT INTO moves (attempt, number, {', '.join(_MOVE_COLUMNS)}) SELECT id, ?,"
    f" {', '.join('?' * len(_MOVE_COLUMNS))} FROM attempts WHERE uuid = ?"
)
_RECORD = insertion("attempts", Record)
_KEPT = {
    "card": (Card, insertion("cards", Card, "INSERT OR REPLACE"), "cards", ("theme",), "reviewed"),
    "review": (Review, insertion("reviews", Review), "reviews", ("theme", "reviewed"), "reviewed"),
    "rating": (Rating, insertion("ratings", Rating, "INSERT OR REPLACE"), "ratings", ("name",), "updated"),
}


def export(journal: Journal) -> Iterator[str]:
    """The whole journal, line by line, oldest attempts first.

    Raises:
        JournalError: The journal is locked, or cannot be read.
    """
    yield _line("journal", {"format": FORMAT})
    last = 0
    columns = names(Record)
    while True:
        rows = journal.query(
            f"SELECT id, {', '.join(columns)} FROM attempts WHERE id > ? ORDER BY id LIMIT ?", (last, _PAGE)
        )
        if not rows:
            break
        made = _moves(journal, rows[0][0], rows[-1][0])
        for number, *row in rows:
            yield _line("attempt", dict(zip(columns, row, strict=True)) | {"moves": made.get(number, [])})
        last = rows[-1][0]
    for kind, (record, _, table, key, _) in _KEPT.items():
        columns = names(record)
        for row in journal.query(f"SELECT {', '.join(columns)} FROM {table} ORDER BY {', '.join(key)}"):
            yield _line(kind, dict(zip(columns, row, strict=True)))


def export_file(journal: Journal, file: Path) -> int:
    """Writes the whole journal into a file, all or not at all; returns the number of lines.

    Raises:
        JournalError: The journal is locked, or cannot be read.
        StorageError: The file cannot be written.
    """
    count = 0
    with storage_errors(file):
        handle, name = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.", suffix=".part")
        part = Path(name)
        try:
            with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as out:
                for line in export(journal):
                    count += 1
                    out.write(line + "\n")
            part.replace(file)
        except BaseException:
            part.unlink(missing_ok=True)
            raise
    return count


def _line(kind: str, document: dict[str, Any]) -> str:
    return json.dumps({"kind": kind, **document}, ensure_ascii=False)


def _moves(journal: Journal, first: int, last: int) -> dict[int, list[dict[str, Any]]]:
    """The moves of a range of attempts, by attempt."""
    found: dict[int, list[dict[str, Any]]] = {}
    columns = ", ".join(_MOVE_COLUMNS)
    sql = f"SELECT attempt, {columns} FROM moves WHERE attempt BETWEEN ? AND ? ORDER BY attempt, number"
    for attempt, *row in journal.query(sql, (first, last)):
        made = dict(zip(_MOVE_COLUMNS, row, strict=True))
        for name in ("own", "error", "taken"):
            made[name] = bool(made[name])
        found.setdefault(attempt, []).append(made)
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
        raise JournalError("the format is no number", "write it as the export does")
    if found > FORMAT:
        raise _TooNewError


def _record(kind: str, document: dict[str, Any]) -> Any:
    """The record of a line: for an attempt, with its moves."""
    if kind in _KEPT:
        return read(_KEPT[kind][0], document)
    if kind != "attempt":
        raise JournalError(f"{kind[:40]!r} is no kind of line", "it is one of attempt, card, review, rating")
    moves = document.get("moves", [])
    if not isinstance(moves, list) or not all(isinstance(move, dict) for move in moves):
        raise JournalError("moves is no list of objects", "write it as the export does")
    made = [read(Made, move) for move in moves]
    record = read(Record, {"uncounted": sum(move.is_uncounted for move in made), **document})
    if not record.uuid:
        raise JournalError("uuid is empty", "write it as the export does")
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
    statements: list[Statement] = []
    if ours is not None:
        statements.append(
            ("DELETE FROM moves WHERE attempt = (SELECT id FROM attempts WHERE uuid = ?)", (record.uuid,))
        )
        statements.append(("DELETE FROM attempts WHERE uuid = ?", (record.uuid,)))
    statements.append((_RECORD, values(record)))
    for number, made in enumerate(moves, 1):
        statements.append((_MOVE, (number, *values(made).values(), record.uuid)))
    return statements


def _kept(journal: Journal, kind: str, record: Any, newest: dict[tuple[str, ...], float]) -> list[Statement]:
    """What keeps a card, review or rating; empty when ours was used as late."""
    _, sql, table, key, moment = _KEPT[kind]
    where = " AND ".join(f"{column} = ?" for column in key)
    which = tuple(getattr(record, column) for column in key)
    name = (kind, *map(str, which))
    ours = newest.get(name)
    if ours is None:
        ours = journal.query(f"SELECT max({moment}) FROM {table} WHERE {where}", which)[0][0]
    if ours is not None and ours >= getattr(record, moment):
        return []
    newest[name] = getattr(record, moment)
    return [(sql, values(record))]

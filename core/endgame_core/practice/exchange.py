"""Export and import of a journal, a line of JSON for each attempt (with its moves), card, review and rating.

The first line says what the file is. Attempts are known by their uuids, so importing a file twice adds nothing; of two
cards or ratings the one that was used last stays.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from endgame_core.paths import write_text
from endgame_core.practice.fields import read, values
from endgame_core.practice.journal import ADD_MOVE, Journal, Statement, forgetting
from endgame_core.practice.records import Imported, JournalError, Made, Outcome, Record
from endgame_core.practice.schema import ATTEMPTS, CARDS, MOVES, RATINGS, REVIEWS

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

"""Exports the journal and imports exports.

An export has a line of JSON for each attempt (with its moves), card, review and rating; the first line says what the
file is. Attempts are known by their uuids, so importing a file twice adds nothing; of two cards or ratings the one that
was used last stays.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from datetime import date
from itertools import islice
from pathlib import Path
from typing import Any

from endgame_core.errors import EndgameError, StorageError, system_reason
from endgame_core.language import _
from endgame_core.paths import write_text
from endgame_core.practice.journal import Journal
from endgame_core.practice.journal_file import NewerJournal
from endgame_core.practice.journal_tables import (
    ATTEMPTS,
    MOVES,
    TABLES_BY_KIND,
    VERSION,
    Change,
    Damaged,
    store_attempt,
)
from endgame_core.practice.records import JournalError, JournalImport, Made, Record, read, values
from endgame_core.tables.file import silent
from endgame_core.untrusted import decoded_lines, quoted, read_json

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
            moves_by_attempt: dict[int, list[dict[str, Any]]] = {}
            sql = f"SELECT attempt, {MOVES.rows} FROM moves WHERE attempt BETWEEN ? AND ? ORDER BY attempt, number"
            for attempt, *row in journal.query(sql, (rows[0][0], rows[-1][0])):
                moves_by_attempt.setdefault(attempt, []).append(values(MOVES.record(row)))
            for number, *row in rows:
                yield _line("attempt", values(ATTEMPTS.record(row)) | {"moves": moves_by_attempt.get(number, [])})
            last = rows[-1][0]
        for kind, table in TABLES_BY_KIND.items():
            for row in journal.query(f"SELECT {table.rows} FROM {table.name} ORDER BY {table.key}"):
                yield _line(kind, values(table.record(row)))
    except Damaged:
        journal.mend()
        what = _("the journal was damaged: a new one was started with the readable records")
        raise JournalError(what, _("export it again")) from None


def export_file(journal: Journal, file: Path, progress: Callable[[float], None] = silent) -> int:
    """Writes the whole journal into a file, all or not at all; returns the number of records.

    Args:
        journal: The journal.
        file: The file, which is replaced.
        progress: Called with the part of the attempts that is written, 0 to 1.

    Raises:
        JournalError: The journal is locked, or cannot be read.
        StorageError: The file cannot be written.
    """
    count = -1  # the first line is none
    attempts = journal.query("SELECT count(*) FROM attempts")[0][0] or 1

    def lines() -> Iterator[str]:
        nonlocal count
        for line in export(journal):
            count += 1
            yield line + "\n"
            progress(min(1.0, count / attempts))  # cards and ratings are few

    write_text(file, lines())
    return count


def _line(kind: str, document: dict[str, Any]) -> str:
    return json.dumps({"kind": kind, **document}, ensure_ascii=False)


def import_file(journal: Journal, file: Path, progress: Callable[[float], None] = silent) -> JournalImport:
    """Adds what the file of an export holds and the journal does not, as :func:`import_lines` does.

    Args:
        journal: The journal.
        file: The file.
        progress: Called with the part of the file that is read, 0 to 1.

    Raises:
        StorageError: The file cannot be read.
        JournalError: As there.
    """
    try:
        with file.open("rb") as stream:
            size = file.stat().st_size or 1

            def lines() -> Iterator[bytes]:
                done = 0
                for line in stream:
                    yield line
                    done += len(line)
                    progress(min(1.0, done / size))

            return import_stream(journal, lines())
    except OSError as error:
        raise StorageError(
            _("{file} cannot be read ({reason})").format(file=file, reason=system_reason(error)), _("check the name")
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
        raise JournalError(_("the export was written by a newer version"), _("update endgame-tui first")) from None
    return done


def _wrong(what: str) -> JournalError:
    return JournalError(what, _("use the format of endgame-tui journal export"))


def _import(line: str, change: Change, done: JournalImport, version: int) -> int:
    """Adds a line; returns the version of the exported journal. Raises JournalError for an invalid line."""
    try:
        document = read_json(line)
    except EndgameError:
        raise JournalError(_("the line is not JSON"), _("write one object per line")) from None
    if not isinstance(document, dict):
        raise JournalError(_("the line is not an object"), _("write one object per line"))
    kind = str(document.get("kind"))
    if kind == "attempt":
        new = _import_attempt(document, change, version)
        done.attempts += new
    elif kind in TABLES_BY_KIND:
        table = TABLES_BY_KIND[kind]
        new = change(f"{table.upsert} WHERE {table.newer}", values(read(table.kind, document, _wrong)))
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
            _("{kind} is not a known type of line").format(kind=quoted(kind)), _("use attempt, card, review or rating")
        )
    done.unchanged += not new
    return version


def _import_attempt(document: dict[str, Any], change: Change, version: int) -> int:
    """Adds an attempt with its moves, or replaces one of ours that was never finished; 0 when ours is as good."""
    moves = document.get("moves", [])
    if not isinstance(moves, list) or not all(isinstance(move, dict) for move in moves):
        raise _wrong(_("moves must be a list of objects"))
    move_records = [read(Made, move, _wrong) for move in moves]
    record = read(Record, {"uncounted": sum(move.is_uncounted for move in move_records), **document}, _wrong)
    if not record.uuid:
        raise _wrong(_("uuid is empty"))
    if not 1 <= record.day <= date.max.toordinal():
        raise _wrong(_("day is not a valid date"))
    return store_attempt(record, move_records, change, version)

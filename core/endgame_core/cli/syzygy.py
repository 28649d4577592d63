"""The command that lists and checks Syzygy files."""

from __future__ import annotations

import sys

import click

from endgame_core.chess.syzygy import files as syzygy_files
from endgame_core.chess.syzygy.files import SyzygyTable
from endgame_core.cli import output
from endgame_core.cli.session import Session, syzygy_option
from endgame_core.errors import StorageError, TableError


@click.command()
@syzygy_option
@click.option("--check", is_flag=True, help="Prove every file by the checksum at its end.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def syzygy(session: Session, syzygy: str | None, check: bool, as_json: bool) -> None:
    """List the Syzygy files, their sizes, and what is missing among them."""
    path = syzygy_files.find_directories(syzygy, session.root)
    if path is None:
        raise StorageError(
            "no directory of Syzygy files is named", f"use --syzygy DIR, ${syzygy_files.VARIABLE} or the setting syzygy"
        )
    tables = syzygy_files.tables_in(path)
    by_name = {table.ending: table for table in tables}
    bad = {table.ending: _problems(table) for table in tables} if check else {}
    rows: list[tuple[str, ...]] = [("ending", "WDL", "DTZ", "state")]
    told: list[str] = []
    for table in tables:
        problems, missing = bad.get(table.ending, []), syzygy_files.missing(table, by_name)
        if as_json:
            sizes = {kind: file.size if file else None for kind, file in (("wdl", table.wdl), ("dtz", table.dtz))}
            found = {"ok": not problems, "errors": problems} if check else {}
            output.document({"ending": table.ending, **sizes, "missing": missing, **found})
            continue
        sizes = [output.byte_count(file.size) if file else "–" for file in (table.wdl, table.dtz)]
        state = ["wrong" if problems else "all right"] if check else []
        rows.append((table.ending, *sizes, ", ".join([*state, *(["incomplete"] if missing else [])])))
        told += [*problems, *missing]
    if not as_json:
        output.table(rows, right=(1, 2))
        for line in told:
            click.echo(line)
    sys.exit(1 if any(bad.values()) else 0)


def _problems(table: SyzygyTable) -> list[str]:
    """What is wrong with the files of an ending, a sentence each."""
    found: list[str] = []
    for file in table.files:
        try:
            syzygy_files.check(file)
        except TableError as error:
            found.append(str(error))
    return found


COMMANDS = [syzygy]
"""All commands of this module."""

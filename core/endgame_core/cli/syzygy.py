"""The command that lists and checks Syzygy files."""

from __future__ import annotations

import sys

import click

from endgame_core.chess import syzygy as syzygy_files
from endgame_core.chess.syzygy import SyzygyTable
from endgame_core.cli.common import Run, document, json_option, syzygy_option, table
from endgame_core.errors import StorageError, TableError
from endgame_core.words.told import size


@click.command()
@syzygy_option
@click.option("--check", is_flag=True, help="Prove every file by the checksum at its end.")
@json_option
@click.pass_obj
def syzygy(run: Run, syzygy: str | None, check: bool, as_json: bool) -> None:
    """List the Syzygy files, their sizes, and what is missing among them."""
    path = syzygy_files.find_directories(syzygy, run.root)
    if path is None:
        raise StorageError(
            "no directory of Syzygy files is named", f"use --syzygy DIR, ${syzygy_files.VARIABLE} or the setting syzygy"
        )
    tables = syzygy_files.tables_in(path)
    by_name = {found.ending: found for found in tables}
    bad = {found.ending: _problems(found) for found in tables} if check else {}
    rows: list[tuple[str, ...]] = [("ending", "WDL", "DTZ", "state")]
    told: list[str] = []
    for found in tables:
        problems, missing = bad.get(found.ending, []), syzygy_files.missing(found, by_name)
        if as_json:
            sizes = {kind: file.size if file else None for kind, file in (("wdl", found.wdl), ("dtz", found.dtz))}
            checked = {"ok": not problems, "errors": problems} if check else {}
            document({"ending": found.ending, **sizes, "missing": missing, **checked})
            continue
        shown = [size(file.size) if file else "–" for file in (found.wdl, found.dtz)]
        state = ["wrong" if problems else "all right"] if check else []
        rows.append((found.ending, *shown, ", ".join([*state, *(["incomplete"] if missing else [])])))
        told += [*problems, *missing]
    if not as_json:
        table(rows, right=(1, 2))
        for line in told:
            click.echo(line)
    sys.exit(1 if any(bad.values()) else 0)


def _problems(found: SyzygyTable) -> list[str]:
    """What is wrong with the files of an ending, a sentence each."""
    problems: list[str] = []
    for file in found.files:
        try:
            syzygy_files.check(file)
        except TableError as error:
            problems.append(str(error))
    return problems


COMMANDS = [syzygy]
"""All commands of this module."""

"""The commands that exchange layers with other programs."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import click

from endgame_core.chess.game import CHESS
from endgame_core.cli import output
from endgame_core.cli.session import Session
from endgame_core.morris.game import MORRIS

_BY_RULES = {
    CHESS.name: "compared one ply deep by python-chess alone",
    MORRIS.name: "compared one ply deep by the rules alone",
}

_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
_file = click.argument("file", type=click.Path(path_type=Path, dir_okay=False))


@click.command("export")
@click.argument("ending")
@_file
@click.option("--force", is_flag=True, help="Replace FILE when it is there.")
@_json
@click.pass_obj
def export_command(session: Session, ending: str, file: Path, force: bool, as_json: bool) -> None:
    """Write the layers of ENDING into FILE, a zip file that other programs can read; those of chess by DTM."""
    from endgame_core.tables.exchange import export

    tell = _narrator()
    library = session.chosen([ending], None).library
    name = library.game.canonical_name(ending)
    found = export(library, name, file, force=force, report=tell)
    tell("", 0, 0)
    if as_json:
        output.document({"file": str(file), **asdict(found)})
        return
    positions, size = output.number(found.positions), output.byte_count(found.size)
    click.echo(f"{found.ending}  {found.layers} layers with {positions} positions  {size}  {file}")


@click.command("import")
@_file
@click.option("--force", is_flag=True, help="Replace the table when it is there.")
@click.option("--samples", type=click.IntRange(0), help="Positions of each layer to re-derive one by one.")
@click.option("--seed", type=int, help="Makes their choice repeatable.")
@_json
@click.pass_obj
def import_command(
    session: Session, file: Path, force: bool, samples: int | None, seed: int | None, as_json: bool
) -> None:
    """Check the layers in FILE against the rules, and make a table of them; of chess by DTM."""
    from endgame_core.tables.exchange import game_of, import_archive

    tell = _narrator()
    library = session.by(MORRIS.metric).library if game_of(file) == MORRIS.name else session.library
    try:
        found = import_archive(library, file, force=force, samples=samples, seed=seed, report=tell)
    finally:
        tell("", 0, 0)
    if as_json:
        output.document({"file": str(file), **asdict(found)})
        return
    rows = [
        ("positions, draws included; every key checked", output.number(found.positions)),
        ("compared one ply deep, all together", output.number(found.compared)),
        (_BY_RULES[library.game.name], output.number(found.sampled)),
        ("compared for the end of the game", output.number(found.ends)),
    ]
    click.echo(f"{found.ending}  {found.layers} layers: all right  {output.byte_count(found.size)}")
    output.table([(number, what) for what, number in rows if number != "0"], right=(0,))


def _narrator() -> Callable[[str, int, int], None]:
    """Prints progress over one line of standard error, a few times a second, when that is a terminal."""
    last = 0.0

    def tell(what: str, done: int, total: int) -> None:
        nonlocal last
        if not sys.stderr.isatty() or (what and time.monotonic() - last < 0.1):
            return
        last = time.monotonic()
        click.echo(f"\r{what} {done / total:4.0%} \x1b[K" if what else "\r\x1b[K", err=True, nl=False)

    return tell


COMMANDS = [export_command, import_command]
"""All commands of this module."""

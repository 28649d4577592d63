"""The commands that exchange layers with other programs."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from endgame_core.cli.common import Run, document, json_option, over_one_line, table
from endgame_core.games import NAMES
from endgame_core.words.told import grouped, size

_BY_RULES = {"chess": "compared one ply deep by python-chess alone"}

_file = click.argument("file", type=click.Path(path_type=Path, dir_okay=False))


@click.command("export")
@click.argument("ending")
@_file
@click.option("--force", is_flag=True, help="Replace FILE when it is there.")
@json_option
@click.pass_obj
def export_command(run: Run, ending: str, file: Path, force: bool, as_json: bool) -> None:
    """Write the layers of ENDING into FILE, a zip file that other programs can read; those of chess by DTM."""
    from endgame_core.tables.exchange import export

    tell = over_one_line()
    library, (name,) = run.endings([ending])
    found = export(library, name, file, force=force, report=tell)
    tell("", 0, 0)
    if as_json:
        document({"file": str(file), **asdict(found)})
        return
    positions = grouped(found.positions)
    click.echo(f"{found.ending}  {found.layers} layers with {positions} positions  {size(found.size)}  {file}")


@click.command("import")
@_file
@click.option("--force", is_flag=True, help="Replace the table when it is there.")
@click.option("--samples", type=click.IntRange(0), help="Positions of each layer to re-derive one by one.")
@click.option("--seed", type=int, help="Makes their choice repeatable.")
@json_option
@click.pass_obj
def import_command(run: Run, file: Path, force: bool, samples: int | None, seed: int | None, as_json: bool) -> None:
    """Check the layers in FILE against the rules, and make a table of them; of chess by DTM."""
    from endgame_core.tables.exchange_import import game_of, import_archive

    tell = over_one_line()
    game = game_of(file)
    library = run.explorer((), game=game if game in NAMES else None).library
    try:
        found = import_archive(library, file, force=force, samples=samples, seed=seed, report=tell)
    finally:
        tell("", 0, 0)
    if as_json:
        document({"file": str(file), **asdict(found)})
        return
    rows = [
        (found.positions, "positions, draws included; every key checked"),
        (found.compared, "compared one ply deep, all together"),
        (found.sampled, _BY_RULES.get(game, "compared one ply deep by the rules alone")),
        (found.ends, "compared for the end of the game"),
    ]
    click.echo(f"{found.ending}  {found.layers} layers: all right  {size(found.size)}")
    table([(grouped(number), what) for number, what in rows if number], right=(0,))


COMMANDS = [export_command, import_command]
"""All commands of this module."""

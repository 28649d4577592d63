"""The command ``games``, which grades collections of games; see ``docs/games.md``."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import click

from endgame_core.cli.common import (
    STDIN,
    Run,
    echo,
    force_option,
    gaviota_option,
    input_file,
    list_command,
    narrate,
    narrate_problem,
    print_csv,
    print_json,
    print_table,
    run_options,
    syzygy_option,
    write_charts,
)
from endgame_core.cli.progress import BYTES, progress_line
from endgame_core.errors import InterruptedByUserError
from endgame_core.games import DEFAULT_GAME, NAMES
from endgame_core.language import _
from endgame_core.settings import PLAYER, Settings
from endgame_core.tasks.game_collection import GameCollection
from endgame_core.words import games as words
from endgame_core.words.missing_tables import NOT_BUILT

_MISSING_LIMIT = 12
"""Endings without a table that are listed."""


_ERROR_COLUMNS = (
    "file", "game", "players", "event", "date", "ply", "move", "side", "ending", "fen", "kind", "points", "depth",
)  # fmt: skip
"""The columns of ``--csv``, named as in JSON."""


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path, allow_dash=True), metavar="FILE...")
@click.option(
    "--me",
    metavar="NAME",
    default="",
    help=_("Your name as in the PGN (default: the player setting, if that name occurs)."),
)
@click.option("--drills/--no-drills", default=None, help=_("Turn errors into drills (default: only those of --me)."))
@click.option(
    "--errors", "error_limit", type=click.IntRange(0), default=10, show_default=True, help=_("List at most N errors.")
)
@click.option(
    "--game", type=click.Choice(NAMES), default=DEFAULT_GAME, show_default=True, help=_("Game of the PGN files.")
)
@click.option(
    "--report",
    "report_file",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help=_("Also write charts of the points given away to FILE (SVG, or PNG if FILE ends in .png)."),
)
@force_option
@syzygy_option
@gaviota_option
@list_command
def games(
    run: Run,
    files: tuple[Path, ...],
    me: str,
    drills: bool | None,
    error_limit: int,
    game: str,
    report_file: Path | None,
    force: bool,
    as_json: bool,
    as_csv: bool,
) -> None:
    """Grade the endgame moves of all games in FILEs.

    Moves are graded wherever there are tables. Each error becomes a drill in the set "My games"; games that were
    already read are skipped. With -, reads standard input. --csv lists the errors. See docs/games.md.
    """
    collection = GameCollection(run.lab, game, me)
    try:
        with ExitStack() as inputs:
            # The copy of standard input exists until all files are read.
            paths = [inputs.enter_context(input_file(run, file)) for file in files]
            size = sum(path.stat().st_size for path in paths if path.is_file())
            show = inputs.enter_context(progress_line(size, BYTES))
            collection.read(paths, lambda done, total: show(_("reading"), done / total))
    except KeyboardInterrupt:
        raise InterruptedByUserError(_("reading was stopped"), _("nothing was changed")) from None
    for problem in collection.problems:
        narrate_problem(problem)

    # --me must occur in the games; a name in the settings is only used where it does.
    player = "" if me else Settings(run.root)[PLAYER]
    if player:
        if collection.has_player(player):
            collection.player = player
        else:
            collection.player = ""
    collection.check_player()
    if drills is None:
        makes_drills = bool(collection.player)
    else:
        makes_drills = drills
    drilled = None
    if makes_drills:
        drilled = collection.make_drills()
    if report_file is not None:
        from endgame_core.words import chart

        write_charts(run, report_file, chart.games(collection), force)
        if str(report_file) == STDIN:  # the charts are the output
            return

    if as_json:
        print_json(words.document(collection, drilled))
        return
    if as_csv:
        print_csv(_ERROR_COLUMNS, words.document(collection, drilled)["errors"])
        return
    _print_report(collection, error_limit)
    if drilled is not None:
        sentence = words.drilled(drilled)
        if sentence:
            narrate(sentence)
            return
    if not collection.player and collection.total.errors:
        narrate(_("use --me NAME to count only one player's moves and turn their errors into drills"))


def _print_report(collection: GameCollection, error_limit: int) -> None:
    """Print the overview, the costliest moves, the figures by ending and by date, and the missing tables."""
    for sentence in words.overview(collection):
        echo(sentence)
    for unreadable in collection.unreadable:
        narrate_problem(words.failed(unreadable))

    if collection.total.moves:
        if error_limit and collection.slips:
            _print_section(_("costliest moves"), list(words.errors(collection, error_limit)))
        by_ending = words.sums(collection.by_ending, "ending")
        _print_section(_("by ending"), by_ending, right=(1, 2, 3, 4, 5))
        by_time = words.sums(collection.by_time, "date", words.NO_DATE)
        _print_section(_("over time"), by_time, right=(1, 2, 3, 4, 5))

    if collection.missing:
        library = collection.judge.explorer.library
        rows = [words.missing(library, ending) for ending in collection.missing]
        heading = (_("ending"), _("games"), _("moves"), _("to build"))
        _print_section(NOT_BUILT, [heading, *rows[:_MISSING_LIMIT]], right=(1, 2))
        if len(rows) > _MISSING_LIMIT:
            echo(_("and {rows} more (use --json to list them)").format(rows=len(rows) - _MISSING_LIMIT))


def _print_section(title: str, rows: Sequence[Sequence[str]], right: Sequence[int] = ()) -> None:
    """Print a table with a title, after an empty line; ``right`` are the columns aligned to the right."""
    echo(f"\n{title}")
    print_table(rows, right=right)


COMMANDS = list(map(run_options, [games]))
"""All commands of this module."""

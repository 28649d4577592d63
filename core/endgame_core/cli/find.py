"""The command ``find``, which searches an ending for positions; see ``docs/queries.md``."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Any

import click

from endgame_core.cli.common import (
    CsvTable,
    Run,
    check_format,
    echo,
    ending_argument,
    game_option,
    list_command,
    memory_option,
    narrate,
    print_json,
    print_problem,
    run_options,
)
from endgame_core.cli.positions import format_position, position_document
from endgame_core.cli.progress import progress_line
from endgame_core.errors import EndgameError, InterruptedByUserError
from endgame_core.language import _
from endgame_core.pgn import AnnotatedMove, GameText, write
from endgame_core.query import QueryError
from endgame_core.tables.find import Find, FindResult, Query
from endgame_core.words.find import added, found_in


@click.command()
@ending_argument
@click.argument("query", nargs=-1, required=True)
@click.option("--count", "only_count", is_flag=True, help=_("Print only the number of positions."))
@click.option("--limit", type=click.IntRange(1), help=_("Print at most N positions."))
@click.option("--sample", type=click.IntRange(1), help=_("Print N random positions."))
@click.option("--seed", type=int, help=_("Random seed."))
@click.option("--format", "position_format", type=click.Choice(["fen", "epd", "pgn", "csv", "json"]), default="fen")
@click.option("--add-to", "set_name", metavar="SET", help=_("Add the positions to this set instead of printing them."))
@click.option("--threads", type=click.IntRange(1, 64), help=_("Number of threads (default: all cores)."))
@memory_option
@game_option
@list_command
def find(
    run: Run,
    ending: str,
    query: tuple[str, ...],
    only_count: bool,
    limit: int | None,
    sample: int | None,
    seed: int | None,
    position_format: str,
    set_name: str | None,
    threads: int | None,
    memory: int | None,
    game: str | None,
    as_json: bool,
    as_csv: bool,
) -> None:
    """Find the positions of ENDING that match QUERY.

    QUERY is, for example, 'white wins and depth >= 40'; docs/queries.md lists all terms.
    """
    library, (name,) = run.resolve_endings([ending], game=game)
    if only_count and set_name is not None:
        raise click.UsageError(_("--count and --add-to cannot be used together; leave one of them out"))
    check_format(library.game, position_format)
    if as_csv and (only_count or set_name is not None):
        raise click.UsageError(_("--csv cannot be combined with --count or --add-to"))

    dtz_library = run.lab.rule_library(library.game.name)
    text = " ".join(query)
    try:
        parsed = Query(library, name, text, dtz_library)
        with progress_line(library.entry(name).positions, _("positions")) as show:
            result = Find(parsed, not only_count, threads, memory).run(show)
    except QueryError as error:
        # The query with a mark below the wrong word, before the error itself.
        for line in error.marked:
            print_problem(line)
        raise
    except KeyboardInterrupt:
        click.echo(err=True)
        raise InterruptedByUserError(_("the search was stopped")) from None

    # Positions are made only for these: a result may have millions.
    numbers = _select(result, limit, sample, seed)
    if set_name is not None:
        _add_to_set(run, result, numbers, set_name, as_json)
    elif as_json:
        document: dict[str, Any] = {"ending": name, "query": text, "count": result.count}
        if not only_count:
            explorer = run.lab.explorer_of(library.game.name)
            document["positions"] = [position_document(explorer, name, result[number]) for number in numbers]
        print_json(document)
    elif only_count:
        echo(str(result.count))
    elif as_csv or position_format == "csv":
        narrate(found_in(result.count, name))
        _print_csv(run, result, numbers)
    else:
        narrate(found_in(result.count, name))
        for line in _lines(run, result, numbers, position_format):
            echo(line)


def _select(result: FindResult, limit: int | None, sample: int | None, seed: int | None) -> Sequence[int]:
    """Return the indices of the positions to print, ascending: a random sample on request, at most ``limit``."""
    numbers: Sequence[int] = range(len(result))
    if sample is not None:
        numbers = result.sample(random.Random(seed), sample)
    if limit is None:
        return numbers
    return numbers[:limit]


def _lines(run: Run, result: FindResult, numbers: Sequence[int], position_format: str) -> Iterator[str]:
    """Yield the positions in a format; PGN games have several lines each."""
    game = result.query.game
    ending = result.query.ending
    explorer = run.lab.explorer_of(game.name)
    for number in numbers:
        position = result[number]
        if position_format == "pgn":
            yield write(_game_from(run, result, position), game)
        elif position_format == "fen":
            yield game.format(position)
        else:
            yield format_position(explorer, ending, position, position_format)


def _print_csv(run: Run, result: FindResult, numbers: Sequence[int]) -> None:
    """Print the positions as CSV, with the first of the best moves."""
    game = result.query.game
    explorer = run.lab.explorer_of(game.name)
    table = CsvTable(["fen", "ending", "category", game.metric, "layer", "winner", "best"])
    for number in numbers:
        position = result[number]
        document = position_document(explorer, result.query.ending, position)
        best_line = run.lab.judge(game.name).line(position, 1).steps
        document["best"] = best_line[0].san if best_line else None
        table.add(document)


def _game_from(run: Run, result: FindResult, position: Any) -> GameText[Any, Any]:
    """Return a game that begins at a position and goes on with best play, with the result by the table."""
    query = result.query
    line = run.lab.judge(query.game.name).line(position)
    verdict = run.lab.explorer_of(query.game.name).probe(position)
    headers = {"Event": f"{query.ending}: {query.text}"}
    score = {"white": "1-0", "black": "0-1", None: "1/2-1/2"}[verdict.winner]
    moves = tuple(AnnotatedMove(step.move) for step in line.steps)
    return GameText(position, moves, score, headers)


def _add_to_set(run: Run, result: FindResult, numbers: Sequence[int], set_name: str, as_json: bool) -> None:
    """Add positions to a set of studies, except those that it has; raises EndgameError if there are none to add."""
    if not numbers:
        raise EndgameError(_("there is nothing to add"), _("no position matches the query"))
    studies = run.lab.studies(result.query.game.name)
    imported = studies.import_records(result.records(numbers), set_name)
    if as_json:
        added_ids = [study.id for study in imported.added]
        print_json({"set": set_name, "count": result.count, "added": added_ids})
        return
    for refusal in imported.refused:
        print_problem(f"{refusal.where}: {refusal.reason}")
    echo(added(len(imported.added), len(numbers), set_name))


COMMANDS = list(map(run_options, [find]))
"""All commands of this module."""

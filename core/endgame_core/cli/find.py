"""The command that finds positions of an ending by a query; see ``docs/queries.md``."""

from __future__ import annotations

import csv
import io
import random
from collections.abc import Iterator, Sequence
from typing import Any

import click

from endgame_core.cli.common import (
    CHESS,
    Run,
    answering,
    document,
    echo,
    ending_argument,
    game_option,
    memory_option,
    narrate,
    over_one_line,
)
from endgame_core.cli.positions import facts_of, written
from endgame_core.errors import EndgameError, InterruptedByUserError
from endgame_core.pgn import AnnotatedMove, GameText, write
from endgame_core.query import QueryError
from endgame_core.tables.find import Find, FindResult, Query
from endgame_core.words.find import added, found_in


@click.command()
@ending_argument
@click.argument("query", nargs=-1, required=True)
@click.option("--count", "alone", is_flag=True, help="Print the number of positions only.")
@click.option("--limit", type=click.IntRange(1), help="Print at most N positions.")
@click.option("--sample", type=click.IntRange(1), help="Print N positions chosen at random.")
@click.option("--seed", type=int, help="Seed of the random choice.")
@click.option("--format", "form", type=click.Choice(["fen", "epd", "pgn", "csv", "json"]), default="fen")
@click.option("--add-to", "set_name", metavar="SET", help="Add the positions to this set instead of printing them.")
@click.option("--threads", type=click.IntRange(1, 64), help="Number of threads (default: all cores).")
@memory_option
@game_option
@answering
def find(run: Run, ending: str, query: tuple[str, ...], game: str | None, as_json: bool, **how: Any) -> None:
    """Find the positions of ENDING that match QUERY.

    An example of QUERY is 'white wins and depth >= 40'; docs/queries.md lists all terms.
    """
    library, (name,) = run.endings([ending], game=game)
    if how["alone"] and how["set_name"] is not None:
        raise click.UsageError("--count lists no positions that --add-to could add; leave one of them out")
    if how["form"] == "epd" and library.game.name != CHESS:
        raise click.UsageError("EPD is for chess")
    dtz = run.laboratory.library("dtz") if library.game.name == CHESS else None
    text = " ".join(query)
    try:
        asked = Query(library, name, text, dtz)
        with over_one_line() as tell:
            found = Find(asked, not how["alone"], how["threads"], how["memory"]).run(tell)
    except QueryError as error:
        for line in error.marked:
            echo(line, err=True)
        raise
    except KeyboardInterrupt:
        click.echo(err=True)
        raise InterruptedByUserError("the search was stopped") from None
    numbers = _chosen(found, how["limit"], how["sample"], how["seed"])
    if how["set_name"] is not None:
        _add(run, found, numbers, how["set_name"], as_json)
    elif as_json:
        told = {"ending": name, "query": text, "count": found.count}
        explorer = run.laboratory.explorer_of(library.game.name)
        listed = [facts_of(explorer, name, found[number]) for number in numbers]
        document(told if how["alone"] else {**told, "positions": listed})
    elif how["alone"]:
        echo(str(found.count))
    else:
        narrate(found_in(found.count, name))
        for line in _lines(run, found, numbers, how["form"]):
            echo(line)


def _chosen(found: FindResult, limit: int | None, sample: int | None, seed: int | None) -> Sequence[int]:
    """The numbers of the positions to tell, ascending."""
    numbers: Sequence[int] = range(len(found))
    if sample is not None:
        numbers = found.sample(random.Random(seed), sample)
    return numbers if limit is None else numbers[:limit]


def _lines(run: Run, found: FindResult, numbers: Sequence[int], form: str) -> Iterator[str]:
    """The positions in a format."""
    game, name = found.query.game, found.query.ending
    explorer = run.laboratory.explorer_of(game.name)
    if form == "csv":
        yield _row(["fen", "ending", "category", game.metric, "layer", "winner", "best"])
    for number in numbers:
        position = found[number]
        if form == "pgn":
            yield write(_game(run, found, position), game)
        elif form == "csv":
            told = facts_of(explorer, name, position)
            line = run.laboratory.judge(game.name).line(position, 1).steps
            best = line[0].san if line else ""
            yield _row([*(told[key] for key in ("fen", "ending", "category", game.metric, "layer", "winner")), best])
        elif form == "fen":
            yield game.format(position)
        else:
            yield written(explorer, name, position, form)


def _row(cells: Sequence[Any]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="").writerow(cells)
    return text.getvalue()


def _game(run: Run, found: FindResult, position: Any) -> GameText[Any, Any]:
    """A position as a game that begins there: best play, with the result where the line reaches it."""
    line = run.laboratory.judge(found.query.game.name).line(position)
    headers = {"Event": f"{found.query.ending}: {found.query.text}"}
    verdict = run.laboratory.explorer_of(found.query.game.name).probe(position)
    result = {"white": "1-0", "black": "0-1", None: "1/2-1/2"}[verdict.winner]
    return GameText(position, tuple(AnnotatedMove(step.move) for step in line.steps), result, headers)


def _add(run: Run, found: FindResult, numbers: Sequence[int], set_name: str, as_json: bool) -> None:
    """Adds positions to a set of studies; those that it has are left out."""
    if not numbers:
        raise EndgameError("there is nothing to add", "no position is as the query says")
    done = run.laboratory.studies(found.query.game.name).import_records(found.records(numbers), set_name)
    if as_json:
        document({"set": set_name, "count": found.count, "added": [study.id for study in done.added]})
        return
    for refusal in done.refused:
        echo(f"{refusal.where}: {refusal.reason}", err=True)
    echo(added(len(done.added), len(numbers), set_name))


COMMANDS = [find]
"""All commands of this module."""

"""The command that grades collections of games; see ``docs/games.md``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from endgame_core.cli.common import (
    CHESS,
    NAMES,
    Run,
    answering,
    document,
    echo,
    narrate,
    over_one_line,
    syzygy_option,
    table,
)
from endgame_core.errors import InterruptedByUserError
from endgame_core.settings import PLAYER, Settings
from endgame_core.tasks.games import Games
from endgame_core.words import games as words

_MOST = 12
"""Endings without a table that are listed."""


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FILE...")
@click.option(
    "--me",
    metavar="NAME",
    default="",
    help="Your name as in the PGN (default: the setting player, if it occurs).",
)
@click.option("--drills/--no-drills", default=None, help="Turn errors into drills (default: those of --me).")
@click.option("--errors", "most", type=click.IntRange(0), default=10, show_default=True, help="List at most N errors.")
@click.option("--game", type=click.Choice(NAMES), default=CHESS, show_default=True, help="The game.")
@syzygy_option
@answering
def games(
    run: Run, files: tuple[Path, ...], me: str, drills: bool | None, most: int, game: str, as_json: bool
) -> None:  # fmt: skip
    """Grade the endgame moves of all games in FILEs.

    Moves are graded wherever there are tables. Each error becomes a drill in the set "My games"; a game that was
    read before adds nothing. See docs/games.md.
    """
    result = Games(run.laboratory, game, me)
    try:
        with over_one_line() as tell:
            result.read([run.file(file) for file in files], lambda done, total: tell("reading", done / total))
    except KeyboardInterrupt:
        raise InterruptedByUserError("the reading was stopped", "nothing was changed") from None
    for problem in result.problems:
        narrate(problem)
    if not me and (kept := Settings(run.root)[PLAYER]):
        result.me = kept if result.plays(kept) else ""
    result.check_me()
    wanted = bool(result.me) if drills is None else drills
    done = result.drill() if wanted else None
    if as_json:
        document(words.document(result, done))
        return
    _print(result, most)
    if done is not None and (told := words.drilled(done)):
        narrate(told)
    elif not result.me and result.total.errors:
        narrate("--me NAME tells whose moves count, and makes drills of the errors")


def _print(found: Games, most: int) -> None:
    for sentence in words.overview(found):
        echo(sentence)
    for played in found.failed:
        narrate(words.failed(played))
    if found.total.moves:
        if most and found.slips:
            _block("costliest errors", list(words.errors(found, most)))
        _block("by ending", words.sums(found.by_ending, "ending"), right=(1, 2, 3, 4, 5))
        _block("over time", words.sums(found.by_time, "date", words.NO_DATE), right=(1, 2, 3, 4, 5))
    if found.missing:
        library = found.judge.explorer.library
        rows = [("ending", "games", "moves", "to build"), *(words.missing(library, one) for one in found.missing)]
        _block("not built", rows[: _MOST + 1], right=(1, 2))
        if len(rows) > _MOST + 1:
            echo(f"and {len(rows) - _MOST - 1} more, which --json lists")


def _block(title: str, rows: Sequence[Sequence[str]], right: Sequence[int] = ()) -> None:
    echo(f"\n{title}")
    table(rows, right=right)


COMMANDS = [games]
"""All commands of this module."""

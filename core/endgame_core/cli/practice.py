"""The commands about what was practised: the figures, and the journal as a file."""

from __future__ import annotations

import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import click

from endgame_core import paths
from endgame_core.cli.common import Run, document, json_option, narrate, table
from endgame_core.errors import EndgameError, StorageError
from endgame_core.games import NAMES
from endgame_core.practice import stats as figures
from endgame_core.practice.exchange import export, export_file, import_lines
from endgame_core.practice.journal import Journal
from endgame_core.practice.records import ending_words
from endgame_core.practice.stats import WEEKS, Progress, progress
from endgame_core.words.progress import solved, window
from endgame_core.words.told import count, grouped

_PATIENCE = 5.0
_FEW = 8


@contextmanager
def _journal(run: Run, *, make: bool) -> Generator[Journal]:
    """The user's journal, or an empty one where there is none yet; what is wrong with it is said."""
    path = paths.journal_file(run.root)
    journal = Journal(path if make or path.exists() else None, patience=_PATIENCE)
    try:
        notice = journal.take_notice()
        if notice and not journal.kept:
            raise EndgameError(notice[0].lower() + notice[1:].removesuffix("."))
        if notice:
            narrate(notice)
        yield journal
    finally:
        journal.close()


@click.command()
@click.option("--weeks", type=click.IntRange(1, 520), default=WEEKS, help="How many, this one included.")
@click.option("--game", type=click.Choice(NAMES), default=NAMES[0], show_default=True, help="The game.")
@json_option
@click.pass_obj
def stats(run: Run, weeks: int, game: str, as_json: bool) -> None:
    """Tell what was played and practised of a game: the figures of the Progress screen.

    Days in a row are those of all games together.
    """
    with _journal(run, make=False) as journal:
        found = progress(journal, weeks, game=game)
    if as_json:
        document({"game": game, **figures.document(found)})
        return
    _summary(found, weeks)
    _counts(found)
    if found.others:
        other = next(name for name in NAMES if name != game)
        narrate(f"{other} was practised, too; see: endgame-tui stats --game {other}")


def _summary(found: Progress, weeks: int) -> None:
    click.echo(window(found, weeks, 0))
    elsewhere = f", {found.elsewhere} more in the other game" if found.elsewhere else ""
    about = f", about {count(found.minutes, 'minute', 'minutes')}" if found.due[0] else ""
    click.echo(f"{found.due[0]} due today{about}{elsewhere}")
    click.echo(f"{count(found.run, 'day', 'days')} in a row, longest run {found.longest_run}")
    if found.drills:
        lost = "" if found.plies_lost is None else f", {found.plies_lost:.1f} plies lost a drill"
        click.echo(f"{found.share:.0%} of {grouped(found.drills)} solved{lost}".replace("%", " %", 1))
    else:
        click.echo("nothing finished yet")
    if found.rating is not None:
        click.echo(f"streak rating {found.rating:.0f}, best streak {found.best_streak}")


def _counts(found: Progress) -> None:
    if not found.drills:
        return
    rows = [("ending", "drills", "solved")]
    rows += [
        (ending_words(c.name, found.game), grouped(c.drills), f"{c.share:.0%}".replace("%", " %"))
        for c in found.endings
    ]
    click.echo()
    table(rows, right=(1, 2))
    click.echo("\nhardest")
    table(
        [(ending_words(c.ending, found.game), c.label, solved(c.solved, c.drills)) for c in found.themes[:_FEW]],
        right=(2,),
    )


@click.group()
def journal() -> None:
    """Copy the journal of all attempts to and from a file."""


@journal.command("export")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False, allow_dash=True))
@click.option("--force", is_flag=True, help="Replace FILE when it is there.")
@click.pass_obj
def export_command(run: Run, file: Path, force: bool) -> None:
    """Write all attempts, cards and ratings into FILE (or - for standard output), a line of JSON each."""
    with _journal(run, make=False) as found:
        if str(file) == "-":
            for line in export(found):
                click.echo(line)
            return
        if file.exists() and not force:
            raise StorageError(f"{file} is there already", "choose another name, or add --force")
        lines = export_file(found, file)
    click.echo(f"{count(lines - 1, 'record', 'records')} written to {file}", err=True)


@journal.command("import")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False, allow_dash=True))
@json_option
@click.pass_obj
def import_command(run: Run, file: Path, as_json: bool) -> None:
    """Add what FILE (or - for standard input) holds and the journal does not; reading it twice adds nothing."""
    try:
        # What is no UTF-8 comes in as surrogates, which make their line a bad one, and no other.
        text = sys.stdin if str(file) == "-" else file.open(encoding="utf-8", errors="surrogateescape")
    except OSError as error:
        raise StorageError(f"{file} cannot be read ({error.strerror})", "check the name") from None
    with text, _journal(run, make=True) as found:
        done = import_lines(found, text)
    if as_json:
        bad = [{"line": line, "error": error} for line, error in done.bad]
        document({"attempts": done.attempts, "cards": done.cards, "known": done.known, "bad": bad})
    else:
        added = f"{count(done.attempts, 'attempt', 'attempts')} and {count(done.cards, 'card', 'cards')} added"
        click.echo(f"{added}, {done.known} known")
        for line, error in done.bad:
            click.echo(f"line {line} left out: {error}", err=True)
    if done.bad:
        sys.exit(1)


COMMANDS = [stats, journal]
"""All commands of this module."""

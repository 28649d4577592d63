"""The commands about what was practised: the figures, and the journal as a file."""

from __future__ import annotations

import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import click

from endgame_core import paths
from endgame_core.cli import output
from endgame_core.cli.session import NAMES, Session
from endgame_core.errors import EndgameError, StorageError
from endgame_core.practice.exchange import export, export_file, import_lines
from endgame_core.practice.journal import Journal
from endgame_core.practice.records import ending_words
from endgame_core.practice.stats import WEEKS, Progress, document, progress

_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
_PATIENCE = 5.0
_FEW = 8


@contextmanager
def _journal(session: Session, *, make: bool) -> Generator[Journal]:
    """The user's journal, or an empty one where there is none yet; what is wrong with it is said."""
    path = paths.journal_file(session.root)
    journal = Journal(path if make or path.exists() else None, patience=_PATIENCE)
    try:
        notice = journal.take_notice()
        if notice and not journal.kept:
            raise EndgameError(notice[0].lower() + notice[1:].removesuffix("."))
        if notice:
            click.echo(f"endgame-tui: {notice}", err=True)
        yield journal
    finally:
        journal.close()


@click.command()
@click.option("--weeks", type=click.IntRange(1, 520), default=WEEKS, help="How many, this one included.")
@click.option("--game", type=click.Choice(NAMES), default=NAMES[0], show_default=True, help="The game.")
@_json
@click.pass_obj
def stats(session: Session, weeks: int, game: str, as_json: bool) -> None:
    """Tell what was played and practised of a game: the figures of the Progress screen.

    Days in a row are those of all games together.
    """
    with _journal(session, make=False) as journal:
        found = progress(journal, weeks, game=game)
    if as_json:
        output.document({"game": game, **document(found)})
        return
    _summary(found, weeks)
    _counts(found)
    if found.others:
        other = next(name for name in NAMES if name != game)
        click.echo(f"endgame-tui: {other} was practised, too; see: endgame-tui stats --game {other}", err=True)


def _summary(found: Progress, weeks: int) -> None:
    click.echo("This week" if weeks == 1 else f"Last {weeks} weeks")
    elsewhere = f", {found.elsewhere} more in the other game" if found.elsewhere else ""
    about = f", about {_counted(found.minutes, 'minute')}" if found.due[0] else ""
    click.echo(f"{found.due[0]} due today{about}{elsewhere}")
    click.echo(f"{_counted(found.run, 'day')} in a row, longest run {found.longest_run}")
    if found.drills:
        lost = "" if found.plies_lost is None else f", {found.plies_lost:.1f} plies lost a drill"
        click.echo(f"{found.share:.0%} of {output.number(found.drills)} solved{lost}".replace("%", " %", 1))
    else:
        click.echo("nothing finished yet")
    if found.rating is not None:
        click.echo(f"streak rating {found.rating:.0f}, best streak {found.best_streak}")


def _counted(number: int, word: str) -> str:
    return f"{output.number(number)} {word}" + ("" if number == 1 else "s")


def _counts(found: Progress) -> None:
    if not found.drills:
        return
    rows = [("ending", "drills", "solved")]
    rows += [
        (ending_words(c.name, found.game), output.number(c.drills), f"{c.share:.0%}".replace("%", " %"))
        for c in found.endings
    ]
    click.echo()
    output.table(rows, right=(1, 2))
    click.echo("\nhardest")
    output.table(
        [(ending_words(c.ending, found.game), c.label, f"{c.solved} of {c.drills}") for c in found.themes[:_FEW]],
        right=(2,),
    )


@click.group()
def journal() -> None:
    """Copy the journal of all attempts to and from a file."""


@journal.command("export")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False, allow_dash=True))
@click.option("--force", is_flag=True, help="Replace FILE when it is there.")
@click.pass_obj
def export_command(session: Session, file: Path, force: bool) -> None:
    """Write all attempts, cards and ratings into FILE (or - for standard output), a line of JSON each."""
    with _journal(session, make=False) as found:
        if str(file) == "-":
            for line in export(found):
                click.echo(line)
            return
        if file.exists() and not force:
            raise StorageError(f"{file} is there already", "choose another name, or add --force")
        lines = export_file(found, file)
    click.echo(f"{_counted(lines - 1, 'record')} written to {file}", err=True)


@journal.command("import")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False, allow_dash=True))
@_json
@click.pass_obj
def import_command(session: Session, file: Path, as_json: bool) -> None:
    """Add what FILE (or - for standard input) holds and the journal does not; reading it twice adds nothing."""
    try:
        # What is no UTF-8 comes in as surrogates, which make their line a bad one, and no other.
        text = sys.stdin if str(file) == "-" else file.open(encoding="utf-8", errors="surrogateescape")
    except OSError as error:
        raise StorageError(f"{file} cannot be read ({error.strerror})", "check the name") from None
    with text, _journal(session, make=True) as found:
        done = import_lines(found, text)
    if as_json:
        bad = [{"line": line, "error": error} for line, error in done.bad]
        output.document({"attempts": done.attempts, "cards": done.cards, "known": done.known, "bad": bad})
    else:
        click.echo(f"{_counted(done.attempts, 'attempt')} and {_counted(done.cards, 'card')} added, {done.known} known")
        for line, error in done.bad:
            click.echo(f"line {line} left out: {error}", err=True)
    if done.bad:
        sys.exit(1)


COMMANDS = [stats, journal]
"""All commands of this module."""

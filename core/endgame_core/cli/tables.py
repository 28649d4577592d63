"""The commands about tables."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import asdict

import click

from endgame_core.chess.syzygy.reader import Syzygy
from endgame_core.cli import output
from endgame_core.cli.session import GAMES, METRICS, Session, game_option, metric_option, syzygy_option
from endgame_core.errors import BuildCancelledError, EndgameError, StorageError
from endgame_core.game import Cost
from endgame_core.morris.game import MORRIS
from endgame_core.tables.build import Build, Event
from endgame_core.tables.library import Library

_LONGEST = {"dtm": "longest win", "dtz": "longest DTZ", "depth": "longest win"}

_DEFAULT_STONES = 10
"""Pairs of Nine Men's Morris with so many stones together are built when none is named."""

_every_metric = click.option("--metric", type=click.Choice(METRICS), help="What depth counts; all by default.")
_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@click.command()
@click.argument("endings", nargs=-1)
@click.option("--men", type=click.IntRange(3, 5), help="All endings of so many men.")
@metric_option
@game_option
@click.option("--threads", type=click.IntRange(1, 64), help="As many as there are cores by default.")
@click.option("--dry-run", is_flag=True, help="Tell what would be built and what it costs, and stop.")
@click.option("--yes", is_flag=True, help="Do not ask before using more than the free disk.")
@_json
@click.pass_obj
def build(
    session: Session,
    endings: tuple[str, ...],
    men: int | None,
    metric: str | None,
    game: str | None,
    threads: int | None,
    dry_run: bool,
    yes: bool,
    as_json: bool,
) -> None:
    """Build endings such as KQvKR or 4-3, with every sub-ending they need.

    With --game morris alone: all pairs up to ten stones.
    """
    if men is not None and game is None:
        game = session.game.name
    library = session.chosen(endings, metric, game).library
    names = [library.game.canonical_name(text) for text in endings]
    if men is not None:
        names += _set_of(session, men)
    elif game == MORRIS.name and not names:
        names += [name for name in MORRIS.endings() if sum(map(int, name.split("-"))) <= _DEFAULT_STONES]
    if not names:
        raise click.UsageError("name an ending, such as KQvKR or 4-3, or give --men N, or --game morris")
    plan = library.plan(names)
    if dry_run:
        _price(library, plan, as_json)
        return
    _announce(library, plan, yes)
    try:
        for event in Build(library, names, threads).events():
            if as_json:
                output.document(event.to_message())
            _narrate(event, plan)
    except KeyboardInterrupt:
        click.echo(err=True)
        raise BuildCancelledError() from None
    if not as_json:
        for name in dict.fromkeys(names):
            entry = library.entry(name)
            which = library.game.metric
            longest = f"{_LONGEST[which]} {_longest(entry.longest, which)}" if entry.longest else "all drawn"
            size = output.byte_count(entry.size)
            click.echo(f"{name}  {output.number(entry.positions)} positions  {size}  {longest}")


def _price(library: Library, plan: list[str], as_json: bool) -> None:
    """What every ending of a plan costs, as far as it is known before."""
    costs = {name: library.estimate(name) for name in plan}
    if as_json:
        output.document([{"ending": name, **asdict(cost)} for name, cost in costs.items()])
        return
    if not plan:
        click.echo("nothing to build: the tables are there", err=True)
        return
    rows = [("ending", "time", "disk", "memory")]
    rows += [
        (name, output.duration(cost.seconds), output.byte_count(cost.size), output.byte_count(cost.memory))
        for name, cost in costs.items()
    ]
    output.table(rows, right=(1, 2, 3))
    click.echo(_in_all(library, list(costs.values())), err=True)


def _in_all(library: Library, costs: list[Cost]) -> str:
    """What a whole plan costs, in a sentence."""
    endings = "1 ending" if len(costs) == 1 else f"{len(costs)} endings"
    return (
        f"{endings} to build: about {output.duration(sum(cost.seconds for cost in costs))},"
        f" {output.byte_count(sum(cost.size for cost in costs))} on disk"
        f" ({output.byte_count(library.free_bytes())} free),"
        f" {output.byte_count(max(cost.memory for cost in costs))} of memory at most"
    )


def _announce(library: Library, plan: list[str], yes: bool) -> None:
    """Tells what a build will cost; asks before it takes more than the free disk."""
    if not plan:
        return
    costs = [library.estimate(name) for name in plan]
    size, free = sum(cost.size for cost in costs), library.free_bytes()
    click.echo(_in_all(library, costs), err=True)
    if size + max(cost.size for cost in costs) <= free or yes:  # a table stands twice while it is written
        return
    question = "That is more than is free. Build until the disk is full?"
    if not sys.stdin.isatty() or not click.confirm(question, err=True):
        raise StorageError(
            f"about {output.byte_count(size)} are needed and {output.byte_count(free)} are free",
            "free some space, use --data-dir, or add --yes",
        )


def _set_of(session: Session, men: int) -> list[str]:
    return [name for name in session.game.endings() if len(name) - 1 == men]


def _narrate(event: Event, plan: list[str]) -> None:
    if event.event == "plan" and not plan:
        click.echo("nothing to build: the tables are there", err=True)
    elif event.event == "compile":
        click.echo(f"preparing the solver (compiled once per machine): {event.what}", err=True)
    elif event.event in ("phase", "layer", "slices") and sys.stderr.isatty():
        at = _reached(event)
        click.echo(
            f"\r{event.ending} {event.step}/{event.steps}  {at}  {event.fraction:4.0%}"
            f"  about {event.left:.0f} s left \x1b[K",
            err=True,
            nl=False,
        )
    elif event.event == "done":
        start = "\r\x1b[K" if sys.stderr.isatty() else ""
        size = output.byte_count(event.size)
        click.echo(f"{start}{event.ending} {event.step}/{event.steps}  {size}  {event.seconds:.2f} s", err=True)


def _reached(event: Event) -> str:
    """How far an ending has come, in words."""
    if event.event == "phase":
        return f"{event.what} {event.done / event.total:4.0%}" if event.total else event.what
    return f"S{event.n}" if event.event == "layer" else f"{event.done} of {event.total} pawn placements"


@click.command("tables")
@click.option("--all", "everything", is_flag=True, help="Also those not built.")
@_every_metric
@game_option
@_json
@click.pass_obj
def list_tables(session: Session, everything: bool, metric: str | None, game: str | None, as_json: bool) -> None:
    """List the endings that are built, or the whole catalogue."""
    chosen = _chosen(metric, game)
    entries = [
        (which, library.entry(name))
        for which in chosen
        for library in [session.by(which).library]
        for name in library.game.endings()
        if (everything and which == chosen[0]) or library.is_built(name)
    ]
    if as_json:
        output.document(
            [
                {
                    "ending": e.ending, "metric": which, "state": e.state, "reason": e.reason, "positions": e.positions,
                    "size": e.size, "exact": e.exact, "longest": e.longest, "needs": list(e.needs),
                    "missing": list(e.missing), "seconds": round(e.seconds, 2), "memory": e.memory,
                }
                for which, e in entries
            ]
        )  # fmt: skip
        return
    rows: list[tuple[str, ...]] = [("ending", "metric", "longest", "positions", "size", "state")]
    for which, entry in entries:
        about = "" if entry.exact else "≈ "
        rows.append(
            (
                entry.ending,
                which,
                _longest(entry.longest, which),
                about + output.number(entry.positions),
                about + output.byte_count(entry.size),
                entry.state + (f" ({entry.reason})" if entry.reason else ""),
            )
        )
    output.table(rows, right=(2, 3, 4))


def _longest(number: int | None, metric: str) -> str:
    if number is None:
        return "–"
    one, more = ("move", "moves") if metric == "dtm" else ("ply", "plies")
    return f"{number} {one if number == 1 else more}"


def _chosen(metric: str | None, game: str | None) -> tuple[str, ...]:
    """The metrics whose tables are meant, those of the first game first."""
    if metric is not None:
        return (metric,)
    return tuple(found.metric for found in GAMES if game in (None, found.name))


@click.command()
@click.argument("endings", nargs=-1)
@click.option("--samples", type=click.IntRange(0), default=1000, help="Positions to re-derive.")
@click.option("--seed", type=int, default=1)
@syzygy_option
@_every_metric
@game_option
@_json
@click.pass_obj
def verify(
    session: Session,
    endings: tuple[str, ...],
    samples: int,
    seed: int,
    syzygy: str | None,
    metric: str | None,
    game: str | None,
    as_json: bool,
) -> None:
    """Check the checksums, re-derive random positions one ply deep, and compare them with Syzygy files.

    Without a name, all tables; a name without --metric stands for the table by DTM.
    """
    if endings:
        libraries = [session.chosen(endings, metric, game).library]
    else:
        libraries = [session.by(which).library for which in _chosen(metric, game)]
    of_chess = any(library.game.metric in METRICS for library in libraries)
    directories = session.directories(syzygy) if of_chess else None
    opinion = Syzygy(directories).opinion if directories else None
    failed = False
    wanted = [
        (library, library.game.metric, name)
        for library in libraries
        for name in [library.game.canonical_name(text) for text in endings] or library.built()
    ]
    for library, which, name in wanted:
        try:
            found = library.verify(name, samples, seed, second_opinion=opinion if which in METRICS else None)
        except EndgameError as error:
            failed = True
            if as_json:
                output.document({"ending": name, "metric": which, "ok": False, "error": str(error)})
            click.echo(f"{name}: {error}", err=True)
            continue
        failed |= found.mismatch is not None
        if as_json:
            output.document(
                {
                    "ending": name, "metric": which, "ok": found.mismatch is None, "frames": found.frames,
                    "positions": found.positions, "syzygy": found.opinions if directories else None,
                    "error": found.mismatch,
                }
            )  # fmt: skip
        else:
            verdict = found.mismatch or "all right"
            against = f", {found.opinions} of them with Syzygy" if directories and which in METRICS else ""
            click.echo(
                f"{name}  {which}  {found.frames} frames, {found.positions} positions compared{against}: {verdict}"
            )
    sys.exit(1 if failed else 0)


@click.command()
@click.argument("endings", nargs=-1)
@metric_option
@game_option
@_json
@click.pass_obj
def compact(session: Session, endings: tuple[str, ...], metric: str | None, game: str | None, as_json: bool) -> None:
    """Make tables smaller for good; slow. Without a name, all that are built."""
    library = session.chosen(endings, metric, game).library
    names = [library.game.canonical_name(text) for text in endings]
    names = names or [name for name in library.built() if library.path(name).is_file()]
    totals = [0, 0]
    with library.locked():
        for name in names:
            before, after = library.compact(name, _percent(name))
            totals = [totals[0] + before, totals[1] + after]
            if as_json:
                output.document({"ending": name, "before": before, "after": after})
            else:
                click.echo(f"{name}  {output.byte_count(before)} → {output.byte_count(after)}")
    if not as_json and len(names) > 1:
        click.echo(f"{len(names)} tables  {output.byte_count(totals[0])} → {output.byte_count(totals[1])}")


def _percent(name: str) -> Callable[[float], None]:
    """Tells on a terminal how far one table has come."""

    def tell(part: float) -> None:
        if sys.stderr.isatty():
            click.echo(f"\r{name} {part:4.0%}\x1b[K" if part < 1 else "\r\x1b[K", err=True, nl=False)

    return tell


@click.command()
@click.argument("endings", nargs=-1, required=True)
@metric_option
@click.pass_obj
def remove(session: Session, endings: tuple[str, ...], metric: str | None) -> None:
    """Delete tables."""
    library = session.chosen(endings, metric).library
    for name in [library.game.canonical_name(text) for text in endings]:
        freed = library.remove(name)
        click.echo(f"{name} removed, {output.byte_count(freed)} freed", err=True)


COMMANDS = [build, list_tables, verify, compact, remove]
"""All commands of this module."""

"""The commands about tables: our own, layers archives, and Syzygy files."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from endgame_core import games
from endgame_core.chess import syzygy as syzygy_files
from endgame_core.cli.common import (
    CHESS,
    METRICS,
    Run,
    aligned,
    answering,
    completed_ending,
    document,
    echo,
    ending_argument,
    endings_argument,
    every_metric_option,
    game_option,
    memory_option,
    metric_option,
    narrate,
    over_one_line,
    report,
    syzygy_option,
    table,
    warn,
)
from endgame_core.errors import BuildCancelledError, BusyError, EndgameError, StorageError, TableError, format_size
from endgame_core.game import Cost
from endgame_core.tables.build import Build, Event, Terms, memory_error, memory_for
from endgame_core.tables.cluster_address import Certificates, local_workers
from endgame_core.tables.library import SHARED, Form, Library
from endgame_core.tables.mmap_arrays import default_memory
from endgame_core.tables.survey import EndingProfile
from endgame_core.tasks.builds import BuildRequest, Job, work_for
from endgame_core.words import about as told
from endgame_core.words import tables as words
from endgame_core.words.text_model import count, grouped, span

if TYPE_CHECKING:
    from endgame_core.tables.cluster import Cluster
    from endgame_core.tables.local_workers import LocalWorkers

_THERE = "nothing to build: the tables are there"

_DEFAULT_STONES = 10
"""Pairs of Nine Men's Morris with so many stones together are built when none is named."""

_BY_RULES = {"chess": "compared one ply deep by python-chess alone"}


_certificate = click.Path(path_type=Path, dir_okay=False, exists=True)
_file = click.argument("file", type=click.Path(path_type=Path, dir_okay=False))


@click.command()
@endings_argument
@click.option("--men", type=click.IntRange(3, 6), help="All endings with N pieces.")
@metric_option
@game_option
@click.option("--threads", type=click.IntRange(1, 64), help="Number of threads (default: all cores).")
@memory_option
@click.option(
    "--keep",
    type=click.Choice(["all", "asked"]),
    default="all",
    help="asked: delete intermediate tables as soon as the build no longer needs them.",
)
@click.option("--about", is_flag=True, help="Also compute the statistics of the command about.")
@click.option("--cluster", metavar="WHERE", help="Build on workers: local:4 or tls://HOST:8786; see docs/cluster.md.")
@click.option("--cluster-ca", type=_certificate, help="CA certificate of a tls:// cluster (PEM).")
@click.option("--cluster-cert", type=_certificate, help="Your certificate for the cluster (PEM).")
@click.option("--cluster-key", type=_certificate, help="Private key of --cluster-cert (default: in the same file).")
@click.option("--dry-run", is_flag=True, help="Print what would be built and its cost, without building.")
@click.option("--yes", is_flag=True, help="Do not ask before exceeding the free disk space.")
@answering
def build(
    run: Run, endings: tuple[str, ...], metric: str | None, game: str | None, as_json: bool, men: int | None, **how: Any
) -> None:
    """Build endings such as KQvKR or 4-3. Builds the endings they require first.

    --game morris without an ending builds all pairs up to ten stones.
    """
    if how["about"] and metric == "dtz":
        raise click.UsageError("--about looks at the tables by DTM; leave --metric dtz away")
    if how["about"] and how["cluster"]:
        raise click.UsageError("--about looks at moves on this machine; build first, without --about")
    if how["cluster"] and run.reach.locked:
        raise StorageError("locked: no cluster may be used", "leave --cluster away")
    certificates = _certificates(how["cluster"], how["cluster_ca"], how["cluster_cert"], how["cluster_key"])
    library, names = run.endings(endings, metric, game or ("chess" if men is not None else None))
    together = range(0)
    if men is not None:
        together = range(men, men + 1)
    elif not names and game is not None and library.game.metric not in METRICS:
        together = range(_DEFAULT_STONES + 1)
    names += [name for name in library.game.endings() if len(library.game.men(name)) in together]
    if not names:
        raise click.UsageError("name an ending, such as KQvKR or 4-3, or give --men N, or --game morris")
    workers = (local_workers(how["cluster"]) if how["cluster"] else None) or 1
    memory = how["memory"]
    if workers > 1:
        memory = (memory or default_memory()) // workers
    costs = {name: library.estimate(name, memory).within(memory) for name in library.plan(names)}
    keeping = names if how["keep"] == "asked" else list(costs)
    refused = {
        name: error
        for name in (costs if how["dry_run"] and not how["cluster"] else ())
        if (error := memory_error(library, name, how["memory"])) is not None
    }
    if how["dry_run"] and as_json:
        errors = {name: {"error": str(error)} for name, error in refused.items()}
        document([{"ending": name, **asdict(cost), **errors.get(name, {})} for name, cost in costs.items()])
        if refused:
            sys.exit(1)
        return
    if how["dry_run"] and costs:
        rows = [
            (name, span(cost.seconds), format_size(cost.size), format_size(cost.peak), format_size(cost.memory))
            for name, cost in costs.items()
        ]
        table([("ending", "time", "disk", "while building", "memory"), *rows], right=(1, 2, 3, 4))
    if costs:
        _announce(library, costs, names, keeping, ask=not how["yes"] and not how["dry_run"], workers=workers)
    if how["dry_run"]:
        if not costs:
            echo(_THERE, err=True)
        if refused:
            raise refused[max(refused, key=lambda name: costs[name].enough)]
        return
    terms = Terms(about=how["about"], memory=how["memory"], keep_requested_only=how["keep"] == "asked")
    _follow(work_for(library, names, how["cluster"] or "", how["threads"], certificates, **terms), as_json)
    if as_json:
        return
    for name in dict.fromkeys(names):
        entry, which = library.entry(name), library.game.metric
        longest = f"longest {'DTZ' if which == 'dtz' else 'win'} {words.longest(entry.longest, which)}"
        report(
            f"{name}  {grouped(entry.positions)} positions  {format_size(entry.size)}  "
            f"{longest if entry.longest else 'all drawn'}"
        )


def _certificates(cluster: str | None, ca: Path | None, cert: Path | None, key: Path | None) -> Certificates | None:
    """The certificates of the options; None if there are none."""
    if ca is None and cert is None and key is None:
        return None
    if not cluster:
        raise click.UsageError("--cluster-ca, --cluster-cert and --cluster-key are for --cluster tls://HOST:8786")
    if ca is None or cert is None:
        raise click.UsageError("--cluster-ca and --cluster-cert go together")
    return Certificates(ca, cert, key)


def _announce(
    library: Library,
    priced: dict[str, Cost],
    asked: Sequence[str],
    keeping: Sequence[str],
    ask: bool,
    workers: int = 1,
) -> None:
    """Tells what a build will cost; asks before it takes more than the free disk."""
    costs, first = list(priced.values()), sum(library.missing_kernels(list(priced)).values())
    peak, free = words.room_on_disk(library.game.needs, priced, keeping, workers), library.free_bytes()
    stays = sum(priced[name].size for name in priced if name in keeping)
    echo(
        f"{count(len(costs), 'ending', 'endings')} to build: about {span(sum(cost.seconds for cost in costs))},"
        f"{f' compiling, once on this machine: about {span(first)} more,' if first else ''}"
        f" {format_size(stays)} on disk, {format_size(peak)} while building ({format_size(free)} free),"
        f" {words.memory_of(costs)}",
        err=True,
    )
    if others := words.not_asked_for(priced, asked, len(keeping) < len(priced)):
        echo(others, err=True)
    if peak <= free or not ask:
        return
    question = "That is more than is free. Build until the disk is full?"
    if not sys.stdin.isatty() or not click.confirm(question, err=True):
        raise StorageError(
            f"about {format_size(peak)} are needed and {format_size(free)} are free",
            "free some space, use --data-dir, or add --yes",
        )


def _follow(build: Build | Cluster | LocalWorkers, as_json: bool = False) -> None:
    """Builds, and tells how it gets on; Ctrl-C cancels it."""
    tell = _narrator()
    try:
        for event in build.events():
            if as_json:
                document(event.to_message())
            tell(event)
    except KeyboardInterrupt:
        click.echo(err=True)
        raise BuildCancelledError from None


def _narrator() -> Callable[[Event], None]:
    """Tells how a build gets on: a line for each table, and on a terminal how far the one in hand has come."""
    on_terminal, job = sys.stderr.isatty(), Job(BuildRequest(()))

    def tell(event: Event) -> None:
        job.take(event)
        head = f"{event.ending} {event.step}/{event.steps}  " if event.ending else ""
        made = {
            "done": f"{format_size(event.size)}  {event.seconds:.2f} s", "there": "made by another builder",
            "about": f"all moves  {event.seconds:.2f} s",
        }.get(event.event)  # fmt: skip
        if made is not None:
            click.echo(f"{chr(13) + chr(27) + '[K' if on_terminal else ''}{head}{made}", err=True)
        elif event.event == "plan":
            if not event.steps:
                echo(_THERE, err=True)
        elif event.event == "restart":
            echo(words.restarted(event.ending, event.what), err=True)
        elif event.event == "open":
            warn(words.open_scheduler(event.what))
        elif on_terminal and event.event != "finished":
            left = f"about {span(event.left)} left"
            click.echo(f"\r{words.in_a_row(job)}  {event.fraction:4.0%}  {left} \x1b[K", err=True, nl=False)
        elif event.event == "compile":
            echo(f"preparing the solver (compiled once per machine): {event.what}", err=True)
        elif event.event == "wait":
            echo(words.stage(job), err=True)

    return tell


_LEVELS = (" ▁▂▃▄▅▆▇█", " .:-=+*#@")
"""Signs of columns of growing height, and those of ASCII."""


@click.command()
@ending_argument
@click.option("--zugzwangs", is_flag=True, help="List the mutual zugzwangs, with the side to move that loses.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["fen", "epd"]),
    help="Format of --zugzwangs; epd includes the kind.",
)
@memory_option
@game_option
@answering
def about(
    run: Run, ending: str, zugzwangs: bool, form: str | None, memory: int | None, game: str | None, as_json: bool
) -> None:
    """Show statistics for an ending. Results, depths and mutual zugzwangs.

    The first run examines all positions and stores the statistics of moves beside the table.

    Symmetric copies of a zugzwang count once, with the colours as in ENDING: if both sides have the same material,
    White and Black have equally many.
    """
    if form is not None and not zugzwangs:
        raise click.UsageError("--format is for --zugzwangs")
    library, (name,) = run.endings([ending], game=game)
    if form == "epd" and library.game.name != CHESS:
        raise click.UsageError("EPD is for chess")
    dtz = run.laboratory.library("dtz") if library.game.name == CHESS else None
    result = EndingProfile(library, name, dtz)
    if result.survey is None:
        if plan := library.plan([*library.game.needs(name), name]):
            priced = {each: library.estimate(each) for each in plan}
            _announce(library, priced, [name], plan, ask=True)
        _follow(Build(library, [name], about=True, memory=memory))
        result = EndingProfile(library, name, dtz)
    if zugzwangs:
        _list_zugzwangs(result, form or "fen", as_json)
    elif as_json:
        document(told.document(result))
    else:
        plain = run.ascii if run.ascii is not None else "utf" not in (sys.stdout.encoding or "").lower()
        for line in told.told(result, _LEVELS[plain]):
            echo(line)


def _list_zugzwangs(found: EndingProfile, form: str, as_json: bool) -> None:
    game, listed = found.game, found.zugzwangs()
    if not listed:
        narrate(told.no_zugzwangs(found.ending))
    for shown in listed:
        if as_json:
            document({"kind": shown.kind, "fen": game.format(shown.position)})
        else:
            echo(
                game.file_notation.write_line(told.record(found, shown))
                if form == "epd"
                else game.format(shown.position)
            )


@click.command("tables")
@click.option("--all", "everything", is_flag=True, help="Include endings that are not built.")
@click.option("--men", type=click.IntRange(3, 6), help="Only endings with N pieces.")
@every_metric_option
@game_option
@answering
def list_tables(
    run: Run, everything: bool, men: int | None, metric: str | None, game: str | None, as_json: bool
) -> None:
    """List the tables you have, or all endings."""
    chosen = _metrics(metric, game or (CHESS if men is not None else None))
    entries = [
        (which, library.entry(name), held.get(name))
        for which in chosen
        for library in [run.laboratory.library(which)]
        for held in [library.locked_endings()]
        for name in library.game.endings()
        if men in (None, len(library.game.men(name)))
        and ((everything and which == chosen[0]) or name in held or library.is_built(name))
    ]
    if as_json:
        document(
            [
                {
                    "ending": e.ending, "metric": which, "state": e.state, "reason": e.reason, "positions": e.positions,
                    "size": e.size, "exact": e.exact, "longest": e.longest, "needs": list(e.needs),
                    "missing": list(e.missing), "seconds": round(e.seconds, 2), "memory": e.memory, "owner": e.owner,
                    "holder": str(holder) if holder else None, "done": words.share(holder) if holder else None,
                }
                for which, e, holder in entries
            ]
        )  # fmt: skip
        return
    rows: list[tuple[str, ...]] = [("ending", "metric", "longest", "positions", "size", "state")]
    for which, entry, holder in entries:
        about = "" if entry.exact else "≈ "
        longest = words.longest(entry.longest, which)
        notes = [SHARED] * (entry.owner == SHARED) + ["lean"] * (entry.form == "lean")
        note = entry.reason or ", ".join(notes)
        state = entry.state + (f" ({note})" if note else "")
        state = words.in_hand(holder) if holder else state
        rows.append(
            (entry.ending, which, longest, about + grouped(entry.positions), about + format_size(entry.size), state)
        )
    table(rows, right=(2, 3, 4))


def _metrics(metric: str | None, game: str | None) -> list[str]:
    """The metrics whose tables are meant, those of the first game first."""
    return [metric] if metric is not None else [found.metric for found in games.GAMES if game in (None, found.name)]


@click.command()
@endings_argument
@click.option("--samples", type=click.IntRange(0), default=1000, help="Number of positions to verify one ply deep.")
@click.option("--seed", type=int, default=1)
@syzygy_option
@memory_option
@every_metric_option
@game_option
@answering
def verify(
    run: Run,
    endings: tuple[str, ...],
    metric: str | None,
    game: str | None,
    as_json: bool,
    **how: Any,
) -> None:
    """Verify tables. Checks checksums and a sample of positions one ply deep, also against Syzygy files.

    Without a name, verifies all tables; a name without --metric means the DTM table.
    """
    if endings:
        library, names = run.endings(endings, metric, game)
        wanted = [(library, name) for name in names]
    else:
        libraries = [run.laboratory.library(which) for which in _metrics(metric, game)]
        wanted = [(library, name) for library in libraries for name in library.game.endings()]
        wanted = [(library, name) for library, name in wanted if library.is_built(name) or library.damage_error(name)]
    of_chess = any(library.game.metric in METRICS for library, _ in wanted)
    files = run.laboratory.syzygy if of_chess else None
    opinion = files.opinion if files else None
    failed = False
    for library, name in wanted:
        which = library.game.metric
        second_opinion = opinion if which in METRICS else None
        try:
            if (damage := library.damage_error(name)) is not None:
                raise damage
            lean = library.table(name).form == "lean"
            with memory_for(library, name, f"verifying {name}", how["memory"], lean):
                result = library.verify(name, how["samples"], how["seed"], second_opinion=second_opinion)
        except EndgameError as error:
            failed = True
            if as_json:
                document({"ending": name, "metric": which, "ok": False, "error": str(error)})
            echo(f"{error}" if name in error.what else f"{name}: {error}", err=True)
            continue
        failed |= result.mismatch is not None
        if as_json:
            document(
                {
                    "ending": name, "metric": which, "ok": result.mismatch is None, "frames": result.frames,
                    "positions": result.positions, "syzygy": result.opinions if opinion else None,
                    **({"lacking": list(result.missing)} if result.missing else {}), "error": result.mismatch,
                }
            )  # fmt: skip
        else:
            against = f", {result.opinions} of them with Syzygy" if second_opinion else ""
            compared = f"{result.frames} frames, {result.positions} positions compared{against}{words.left_out(result)}"
            report(f"{name}  {which}  {compared}: {result.mismatch or 'all right'}")
    sys.exit(1 if failed else 0)


@click.command()
@endings_argument
@click.option(
    "--lean",
    "form",
    flag_value="lean",
    help="Store one side to move only; probing the other takes about 1 ms. For archives.",
)
@click.option("--full", "form", flag_value="full", help="Store both sides of one-sided tables again.")
@memory_option
@metric_option
@game_option
@answering
def compact(
    run: Run,
    endings: tuple[str, ...],
    form: Form | None,
    memory: int | None,
    metric: str | None,
    game: str | None,
    as_json: bool,
) -> None:
    """Compress tables further; slow. Without a name, compresses all tables."""
    library, names = run.endings(endings, metric, game)
    every = not names
    names = names or [name for name in library.built() if library.path(name).is_file()]
    done, totals = 0, [0, 0]
    failed = False
    for name in names:
        try:
            if every and form == "lean" and "lean" not in library.forms(name):
                continue  # it is lean, or of three men, which have no lean form
            with over_one_line() as tell, memory_for(library, name, f"making {name} smaller", memory):
                before, after = library.compact(name, partial(tell, name), form)
        except EndgameError as error:
            if isinstance(error, StorageError) or not (every or isinstance(error, BusyError)):
                raise
            failed = True
            echo(f"{name}: {error}", err=True)
            continue
        done, totals = done + 1, [totals[0] + before, totals[1] + after]
        if as_json:
            document({"ending": name, "before": before, "after": after})
        else:
            report(f"{name}  {format_size(before)} → {format_size(after)}")
    if not as_json and done > 1:
        report(f"{done} tables  {format_size(totals[0])} → {format_size(totals[1])}")
    sys.exit(1 if failed else 0)


@click.command()
@click.argument("endings", nargs=-1, required=True, shell_complete=completed_ending)
@metric_option
@click.pass_obj
def remove(run: Run, endings: tuple[str, ...], metric: str | None) -> None:
    """Delete tables."""
    library, names = run.endings(endings, metric)
    for name in names:
        if leaning := [found for found in library.one_sided_dependents(name) if found not in names]:
            raise words.needed_by(name, leaning)
    for name in names:
        echo(f"{name} removed, {format_size(library.remove(name))} freed", err=True)


@click.command("export")
@ending_argument
@_file
@click.option("--all", "every", is_flag=True, help="Include symmetric copies; import does not read them.")
@click.option("--lean", is_flag=True, help="Export a one-sided table for import in this program: many times smaller.")
@click.option("--force", is_flag=True, help="Overwrite FILE if it exists.")
@memory_option
@answering
def export_command(run: Run, ending: str, file: Path, as_json: bool, every: bool, lean: bool, **how: Any) -> None:
    """Export the layers of ENDING to a zip file for other programs. Chess layers are DTM."""
    from endgame_core.tables.archive import export, export_lean

    force, memory = how["force"], how["memory"]
    if lean and every:
        raise click.UsageError("--all is for layers; leave --lean or --all away")
    if memory and not lean:
        raise click.UsageError("--memory is for --lean; layers are written one after another")
    library, (name,) = run.endings([ending])
    file = run.file(file)
    if lean:
        with over_one_line() as tell:
            bytes_ = export_lean(library, name, file, force=force, memory=memory, report=tell)
        told = {"file": str(file), "ending": name, "size": bytes_}
        document(told) if as_json else report(f"{name}  lean table  {format_size(bytes_)}  {file}")
        return
    with over_one_line() as tell:
        result = export(library, name, file, force=force, copies=every, report=tell)
    if as_json:
        document({"file": str(file), **asdict(result)})
        return
    positions = grouped(result.positions)
    report(f"{result.ending}  {result.layers} layers with {positions} positions  {format_size(result.size)}  {file}")


@click.command("import")
@_file
@click.option("--force", is_flag=True, help="Overwrite the table if it exists.")
@click.option("--samples", type=click.IntRange(0), help="Number of positions per layer to verify one ply deep.")
@click.option("--seed", type=int, help="Seed of the random choice.")
@memory_option
@answering
def import_command(
    run: Run, file: Path, force: bool, samples: int | None, seed: int | None, memory: int | None, as_json: bool
) -> None:
    """Import the layers, or the one-sided table, in FILE.

    Checks them against the rules first. Chess layers are DTM.
    """
    from endgame_core.tables.archive import game_of, import_archive, import_lean
    from endgame_core.tables.lean import is_lean

    file = run.file(file)
    lean = is_lean(file)
    if lean and not (samples is seed is None):
        raise click.UsageError("--samples and --seed are for layers; a lean table is compared as a whole")
    game = CHESS if lean else game_of(file)
    if memory and not lean:
        raise click.UsageError("--memory is for lean tables; this file has layers")
    library = run.explorer((), game=game if game in games.NAMES else None).library
    with over_one_line() as tell:
        if lean:
            result = import_lean(library, file, force=force, memory=memory, report=tell)
        else:
            result = import_archive(library, file, force=force, samples=samples, seed=seed, report=tell)
    if as_json:
        document({"file": str(file), **asdict(result)})
        return
    rows = [
        (result.positions, f"positions, draws included{'' if lean else '; every key checked'}"),
        (result.compared, "compared one ply deep, all together"),
        (result.sampled, _BY_RULES.get(game, "compared one ply deep by the rules alone")),
    ]
    report(f"{result.ending}  {result.layers} layers: all right  {format_size(result.size)}")
    for row in aligned([(grouped(number), what) for number, what in rows if number], right=(0,)):
        report(row)


@click.command()
@syzygy_option
@click.option("--check", is_flag=True, help="Verify the checksum of every file.")
@answering
def syzygy(run: Run, check: bool, as_json: bool) -> None:
    """List Syzygy files, their sizes, and missing files."""
    path = syzygy_files.find_directories(run.syzygy, None if run.reach.locked else run.root)
    if path is None:
        raise StorageError(
            "no directory of Syzygy files is named", f"use --syzygy DIR, ${syzygy_files.VARIABLE} or the setting syzygy"
        )
    tables = syzygy_files.tables_in(path)
    by_name = {found.ending: found for found in tables}
    rows: list[tuple[str, ...]] = [("ending", "WDL", "DTZ", "state")]
    told: list[str] = []
    failed = False
    for result in tables:
        problems: list[str] = []
        for file in result.files if check else ():
            try:
                syzygy_files.check(file)
            except TableError as error:
                problems.append(str(error))
        failed |= bool(problems)
        missing = syzygy_files.missing(result, by_name)
        if as_json:
            sizes = {kind: file.size if file else None for kind, file in (("wdl", result.wdl), ("dtz", result.dtz))}
            checked = {"ok": not problems, "errors": problems} if check else {}
            document({"ending": result.ending, **sizes, "missing": missing, **checked})
        else:
            shown = [format_size(file.size) if file else "–" for file in (result.wdl, result.dtz)]
            state = ["wrong" if problems else "all right"] if check else []
            rows.append((result.ending, *shown, ", ".join([*state, *(["incomplete"] if missing else [])])))
            told += [*problems, *missing]
    if not as_json:
        table(rows, right=(1, 2))
        for line in told:
            echo(line)
    sys.exit(1 if failed else 0)


COMMANDS = [build, about, list_tables, verify, compact, remove, export_command, import_command, syzygy]
"""All commands of this module."""

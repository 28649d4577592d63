"""The commands about tables: building, listing, verifying, exporting, and Syzygy files."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from endgame_core import games
from endgame_core.cli.build_progress import NOTHING_TO_BUILD, BuildProgress
from endgame_core.cli.common import (
    METRICS,
    STDIN,
    CsvTable,
    Run,
    align,
    chart_option,
    check_format,
    complete_ending,
    echo,
    ending_argument,
    endings_argument,
    every_metric_option,
    force_option,
    game_option,
    input_file,
    json_command,
    list_command,
    memory_option,
    metric_option,
    narrate,
    output_file,
    print_csv,
    print_json,
    print_problem,
    print_table,
    report,
    run_options,
    syzygy_option,
    write_charts,
)
from endgame_core.cli.progress import BYTES, progress_line
from endgame_core.errors import BuildCancelledError, BusyError, EndgameError, StorageError, TableError, format_size
from endgame_core.game import Cost
from endgame_core.language import _, pgettext
from endgame_core.metric import Metric
from endgame_core.paths import SYZYGY_VARIABLE
from endgame_core.settings import syzygy_directories
from endgame_core.tables import compile_ahead
from endgame_core.tables.build import Build, Terms, memory_error, memory_for
from endgame_core.tables.cluster_address import Certificates, local_workers
from endgame_core.tables.disk import Form
from endgame_core.tables.library import CatalogueEntry, Library
from endgame_core.tables.locks import LockOwner
from endgame_core.tables.mmap_arrays import default_memory
from endgame_core.tables.survey import EndingProfile
from endgame_core.tables.table_files import SHARED
from endgame_core.tables.verification import CHECKSUMS_SHARE
from endgame_core.tables.verification import verify as verify_table
from endgame_core.tasks.builds import work_for
from endgame_core.words import about as about_words
from endgame_core.words import tables as words
from endgame_core.words.text_model import count, grouped, span

if TYPE_CHECKING:
    from endgame_core.chess.syzygy import SyzygyFile, SyzygyTable
    from endgame_core.tables.cluster import Cluster
    from endgame_core.tables.local_workers import LocalWorkers

_DEFAULT_STONES = 10
"""Without a name, ``--game morris`` builds the pairs with at most this many stones together."""


_certificate = click.Path(path_type=Path, dir_okay=False, exists=True)
_file = click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
_input_file = click.argument("file", type=click.Path(path_type=Path, dir_okay=False, allow_dash=True))


@click.command()
@endings_argument
@click.option("--men", type=click.IntRange(3, 6), help=_("Build all endings with N pieces."))
@metric_option
@game_option
@click.option("--threads", type=click.IntRange(1, 64), help=_("Number of threads (default: all cores)."))
@memory_option
@click.option(
    "--keep",
    type=click.Choice(["all", "asked"]),
    default="all",
    help=_("With 'asked', delete intermediate tables as soon as the build no longer needs them."),
)
@click.option("--about", "with_statistics", is_flag=True, help=_("Also compute the statistics that 'about' shows."))
@click.option(
    "--cluster", metavar="WHERE", help=_("Build on workers: local:4 or tls://HOST:8786; see docs/cluster.md.")
)
@click.option("--cluster-ca", type=_certificate, help=_("CA certificate of a tls:// cluster (PEM)."))
@click.option("--cluster-cert", type=_certificate, help=_("Your certificate for the cluster (PEM)."))
@click.option("--cluster-key", type=_certificate, help=_("Private key of --cluster-cert (default: in the same file)."))
@click.option("--dry-run", is_flag=True, help=_("Print what would be built and the cost, but build nothing."))
@click.option("--yes", is_flag=True, help=_("Do not ask before exceeding the free disk space."))
@list_command
def build(
    run: Run,
    endings: tuple[str, ...],
    men: int | None,
    metric: Metric | None,
    game: str | None,
    threads: int | None,
    memory: int | None,
    keep: str,
    with_statistics: bool,
    cluster: str | None,
    cluster_ca: Path | None,
    cluster_cert: Path | None,
    cluster_key: Path | None,
    dry_run: bool,
    yes: bool,
    as_json: bool,
    as_csv: bool,
) -> None:
    """Build endings such as KQvKR or 4-3. Builds the endings they require first.

    --game morris without an ending builds all pairs up to ten stones.
    """
    if with_statistics and metric not in (None, METRICS[0]):
        raise click.UsageError(
            _("--about requires tables by {metrics}; leave out --metric {metric}").format(
                metrics=METRICS[0].upper(), metric=metric
            )
        )
    if as_csv and not dry_run:
        raise click.UsageError(_("--csv works only with --dry-run; use --json to print the events of a build"))
    if with_statistics and cluster:
        raise click.UsageError(_("--about cannot be combined with --cluster; build without --about first"))
    if cluster and run.reach.locked:
        raise StorageError(_("locked: clusters cannot be used"), _("leave out --cluster"))
    certificates = _certificates(cluster, cluster_ca, cluster_cert, cluster_key)

    # --men without --game means chess; otherwise the spelling of the endings decides.
    if game is None and men is not None:
        game_of_endings = games.DEFAULT_GAME
    else:
        game_of_endings = game
    library, names = run.resolve_endings(endings, metric, game_of_endings)
    names += _endings_of_size(library, men, is_default=not names and game is not None)
    if not names:
        raise click.UsageError(_("name an ending, such as KQvKR or 4-3, or use --men N or --game morris"))

    workers = 1
    if cluster:
        workers = local_workers(cluster) or 1  # None for a cluster of other machines
    # Local workers share the memory of this machine; those on other machines each have their own.
    memory_per_worker = memory
    if workers > 1:
        memory_per_worker = (memory or default_memory()) // workers
    costs = {
        name: library.planner.estimate(name, memory_per_worker).within(memory_per_worker)
        for name in library.planner.plan(names)
    }
    kept_names = names if keep == "asked" else list(costs)

    if dry_run:
        # The memory of this machine says nothing about the workers of a cluster.
        refusals = {}
        if not cluster:
            refusals = _refusals(library, costs, memory)
        if as_json or as_csv:
            _print_plan_as_data(costs, refusals, as_csv)
            return
        if costs:
            _print_plan(costs)
            _announce_cost(library, costs, names, kept_names, asks=False, workers=workers)
        else:
            echo(NOTHING_TO_BUILD, err=True)
        if refusals:
            # One error says it all: with the memory for the largest ending, the others can be built, too.
            largest = max(refusals, key=lambda name: costs[name].enough)
            raise refusals[largest]
        return

    if costs:
        _announce_cost(library, costs, names, kept_names, asks=not yes, workers=workers)
    terms = Terms(with_surveys=with_statistics, memory=memory, keep_requested_only=keep == "asked")
    _run_build(work_for(library, names, cluster or "", threads, certificates, **terms), as_json)
    if as_json:
        return
    # An ending may be named twice, e.g. as KQvK and KvKQ.
    for name in dict.fromkeys(names):
        _report_built(library, name)


def _endings_of_size(library: Library, pieces: int | None, is_default: bool) -> list[str]:
    """Return the endings that ``--men`` adds, or those of Nine Men's Morris that are built by default.

    Args:
        library: The library of the game.
        pieces: The number of pieces of ``--men``.
        is_default: Whether a game was given without an ending.
    """
    # Without a number of pieces, nothing is added to the named endings.
    sizes = range(0)
    if pieces is not None:
        sizes = range(pieces, pieces + 1)
    elif is_default and library.game.metric not in METRICS:
        sizes = range(_DEFAULT_STONES + 1)
    return [name for name in library.game.endings() if len(library.game.men(name)) in sizes]


def _refusals(library: Library, names: Iterable[str], memory: int | None) -> dict[str, EndgameError]:
    """Return the errors of the endings that cannot be built in ``memory`` bytes, by name."""
    refusals: dict[str, EndgameError] = {}
    for name in names:
        error = memory_error(library, name, memory)
        if error is not None:
            refusals[name] = error
    return refusals


_PLAN_COLUMNS = ("ending", "seconds", "size", "peak", "memory", "error")
"""The columns of ``build --dry-run --csv``, named as in JSON."""


def _print_plan_as_data(costs: dict[str, Cost], refusals: dict[str, EndgameError], as_csv: bool) -> None:
    """Print the plan of a dry run as JSON or CSV; exits with 1 if an ending cannot be built."""
    plan: list[dict[str, Any]] = []
    for name, cost in costs.items():
        item: dict[str, Any] = {"ending": name, **asdict(cost)}
        if name in refusals:
            item["error"] = str(refusals[name])
        plan.append(item)
    if as_csv:
        print_csv(_PLAN_COLUMNS, plan)
    else:
        print_json(plan)
    if refusals:
        sys.exit(1)


def _print_plan(costs: dict[str, Cost]) -> None:
    """Print the plan of a dry run as a table."""
    rows = [(_("ending"), pgettext("duration", "time"), _("disk"), _("while building"), _("memory"))]
    for name, cost in costs.items():
        rows.append(
            (name, span(cost.seconds), format_size(cost.size), format_size(cost.peak), format_size(cost.memory))
        )
    print_table(rows, right=(1, 2, 3, 4))


def _report_built(library: Library, name: str) -> None:
    """Print the size and the longest win of a requested ending."""
    entry = library.entry(name)
    metric = library.game.metric
    longest = _("all drawn")
    if entry.longest and metric.label:
        longest = _("longest {metric_label} {longest}").format(
            metric_label=metric.label, longest=words.longest(entry.longest, metric)
        )
    elif entry.longest:
        longest = _("longest win {longest}").format(longest=words.longest(entry.longest, metric))
    report(
        _("{name}  {positions} positions  {size}  {longest}").format(
            name=name, positions=grouped(entry.positions), size=format_size(entry.size), longest=longest
        )
    )


def _certificates(cluster: str | None, ca: Path | None, cert: Path | None, key: Path | None) -> Certificates | None:
    """Return the certificates of the options, or None if none are given; raises UsageError."""
    if ca is None and cert is None and key is None:
        return None
    if not cluster:
        raise click.UsageError(_("--cluster-ca, --cluster-cert and --cluster-key require --cluster tls://HOST:8786"))
    if ca is None or cert is None:
        raise click.UsageError(_("--cluster-ca and --cluster-cert require each other"))
    return Certificates(ca, cert, key)


def _announce_cost(
    library: Library,
    costs: dict[str, Cost],
    requested: Sequence[str],
    kept_names: Sequence[str],
    asks: bool,
    workers: int = 1,
) -> None:
    """Print the cost of a build, and make sure that it does not exceed the free disk space.

    Args:
        library: The library.
        costs: The costs of all endings to build; at least one.
        requested: The endings named on the command line.
        kept_names: The endings whose tables are not deleted at the end.
        asks: Whether to ask before exceeding the free disk space.
        workers: How many endings are built at the same time.

    Raises:
        StorageError: The disk is too small, and the user did not agree, or is not at a terminal.
    """
    # Kernels are compiled on first use on a machine, which may take longer than a small build.
    compile_seconds = sum(library.kernels.missing(list(costs)).values())
    peak = words.room_on_disk(library.game.needs, costs, kept_names, workers)
    free = library.disk.free_bytes()
    kept_bytes = sum(cost.size for name, cost in costs.items() if name in kept_names)
    seconds = sum(cost.seconds for cost in costs.values())
    compiling = ""
    if compile_seconds:
        compiling = _(" plus about {compile_seconds} for one-time compilation on this machine,").format(
            compile_seconds=span(compile_seconds)
        )
    echo(
        _(
            "{endings} to build: about {seconds} on two idle cores,{compiling}"
            " {kept_bytes} on disk, {peak} while building ({free} free),"
            " {memory_of}"
        ).format(
            endings=count(len(costs), "ending", "endings"),
            seconds=span(seconds),
            compiling=compiling,
            kept_bytes=format_size(kept_bytes),
            peak=format_size(peak),
            free=format_size(free),
            memory_of=words.memory_of(costs.values()),
        ),
        err=True,
    )
    required = words.not_asked_for(costs, requested, len(kept_names) < len(costs))
    if required:
        echo(required, err=True)

    if peak <= free or not asks:
        return
    question = _("That is more than the free space. Build until the disk is full?")
    # A script cannot answer: it gets the error, whose advice names --yes.
    if not sys.stdin.isatty() or not click.confirm(question, err=True):
        raise StorageError(
            _("about {peak} is needed, but only {free} is free").format(peak=format_size(peak), free=format_size(free)),
            _("free some space, use --data-dir, or add --yes"),
        )


def _run_build(
    build: Build | Cluster | LocalWorkers, as_json: bool = False, cancel_notice: tuple[str, ...] = ()
) -> None:
    """Run a build and print its progress, with ``as_json`` also its events; Ctrl-C raises BuildCancelledError."""
    progress = BuildProgress()
    is_compiling_ahead = False
    try:
        for event in build.events():
            # The build waits for its own kernels; those of other endings are compiled in the background meanwhile.
            if event.event == "compile" and not is_compiling_ahead:
                is_compiling_ahead = True
                compile_ahead.start(build.library.game, build.endings)
            if as_json:
                print_json(event.to_message())
            progress.print(event)
    except KeyboardInterrupt:
        # The terminal has printed ^C on this line.
        click.echo(err=True)
        raise BuildCancelledError(*cancel_notice) from None


_LEVELS = (" ▁▂▃▄▅▆▇█", " .:-=+*#@")
"""Characters for bars of growing height: of Unicode, and of ASCII."""


@click.command("about")
@ending_argument
@click.option("--zugzwangs", is_flag=True, help=_("List the mutual zugzwangs, each with the losing side to move."))
@click.option(
    "--format",
    "position_format",
    type=click.Choice(["fen", "epd"]),
    help=_("Output format of --zugzwangs ('epd' includes the kind)."),
)
@memory_option
@game_option
@chart_option
@force_option
@list_command
def about_command(
    run: Run,
    ending: str,
    zugzwangs: bool,
    position_format: str | None,
    memory: int | None,
    game: str | None,
    chart_file: Path | None,
    force: bool,
    as_json: bool,
    as_csv: bool,
) -> None:
    """Show statistics for an ending. Includes results, depths and mutual zugzwangs.

    The first run examines all positions and stores the statistics of moves beside the table.

    Symmetric copies of a zugzwang count once, with the colours as in ENDING. If both sides have the same material,
    White and Black have the same number of zugzwangs.
    """
    if chart_file is not None and zugzwangs:
        raise click.UsageError(_("--chart cannot be combined with --zugzwangs"))
    if position_format is not None and not zugzwangs:
        raise click.UsageError(_("--format requires --zugzwangs"))
    if as_csv and not zugzwangs:
        raise click.UsageError(_("--csv requires --zugzwangs"))
    library, (name,) = run.resolve_endings([ending], game=game)
    check_format(library.game, position_format)

    dtz_library = run.lab.rule_library(library.game.name)
    profile = EndingProfile(library, name, dtz_library)
    if profile.survey is None:
        # Moves are examined across captures and promotions: the sub-endings have to be built as well.
        unbuilt = library.planner.plan([*library.game.needs(name), name])
        if unbuilt:
            costs = {required: library.planner.estimate(required) for required in unbuilt}
            _announce_cost(library, costs, [name], unbuilt, asks=True)
        examination = Build(library, [name], with_surveys=True, memory=memory)
        _run_build(examination, cancel_notice=(_("the examination was cancelled"), ""))
        profile = EndingProfile(library, name, dtz_library)

    if chart_file is not None:
        from endgame_core.words import chart

        write_charts(run, chart_file, chart.ending_charts(profile), force)
    elif zugzwangs:
        _list_zugzwangs(profile, position_format or "fen", as_json, as_csv)
    elif as_json:
        print_json(about_words.document(profile))
    else:
        # None: it depends on what the output can print.
        is_ascii = run.ascii
        if is_ascii is None:
            is_ascii = "utf" not in (sys.stdout.encoding or "").lower()
        for line in about_words.report(profile, _LEVELS[is_ascii]):
            echo(line)


def _list_zugzwangs(profile: EndingProfile, position_format: str, as_json: bool, as_csv: bool) -> None:
    game = profile.game
    zugzwangs = profile.zugzwangs()
    if not zugzwangs:
        narrate(about_words.no_zugzwangs(profile.ending))
    if as_csv:
        documents = ({"kind": zugzwang.kind, "fen": game.format(zugzwang.position)} for zugzwang in zugzwangs)
        print_csv(("kind", "fen"), documents)
        return
    for zugzwang in zugzwangs:
        if as_json:
            print_json({"kind": zugzwang.kind, "fen": game.format(zugzwang.position)})
        elif position_format == "epd":
            echo(game.file_notation.write_line(about_words.record(profile, zugzwang)))
        else:
            echo(game.format(zugzwang.position))


@click.command("tables")
@click.option("--all", "everything", is_flag=True, help=_("Include endings that are not built."))
@click.option("--men", type=click.IntRange(3, 6), help=_("List only endings with N pieces."))
@every_metric_option
@game_option
@list_command
def list_tables(
    run: Run,
    everything: bool,
    men: int | None,
    metric: Metric | None,
    game: str | None,
    as_json: bool,
    as_csv: bool,
) -> None:
    """List the tables you have, or all endings."""
    if game is None and men is not None:
        game = games.DEFAULT_GAME
    metrics = _metrics(metric, game)
    entries: list[tuple[Metric, CatalogueEntry, LockOwner | None]] = []
    for listed_metric in metrics:
        library = run.lab.library(listed_metric)
        # Also endings that another process is building have a row, although they have no table yet.
        owners = library.locks.locked_endings()
        lists_unbuilt = everything and listed_metric == metrics[0]  # once, not again for each metric
        for name in library.game.endings():
            if men is not None and len(library.game.men(name)) != men:
                continue
            if lists_unbuilt or name in owners or library.is_built(name):
                entries.append((listed_metric, library.entry(name), owners.get(name)))

    if as_json:
        print_json([_entry_document(*listed) for listed in entries])
        return
    if as_csv:
        print_csv(_ENTRY_COLUMNS, (_entry_document(*listed) for listed in entries))
        return
    rows: list[tuple[str, ...]] = [(_("ending"), _("metric"), _("longest"), _("positions"), _("size"), _("state"))]
    rows += [_entry_row(*listed) for listed in entries]
    print_table(rows, right=(2, 3, 4))


_ENTRY_COLUMNS = (
    "ending", "metric", "state", "reason", "positions", "size", "exact", "longest", "needs", "missing", "seconds",
    "memory", "owner", "holder", "done",
)  # fmt: skip
"""The columns of ``tables --csv``, named as in JSON."""


def _entry_document(metric: Metric, entry: CatalogueEntry, owner: LockOwner | None) -> dict[str, Any]:
    """Return an entry of the library for JSON; ``owner`` is the process that is building it, if any."""
    return {
        "ending": entry.ending,
        "metric": metric,
        "state": entry.state,
        "reason": entry.reason,
        "positions": entry.positions,
        "size": entry.size,
        "exact": entry.exact,
        "longest": entry.longest,
        "needs": list(entry.needs),
        "missing": list(entry.missing),
        "seconds": round(entry.seconds, 2),
        "memory": entry.memory,
        "owner": entry.owner,
        "holder": str(owner) if owner else None,
        "done": words.share(owner) if owner else None,
    }


def _entry_row(metric: Metric, entry: CatalogueEntry, owner: LockOwner | None) -> tuple[str, ...]:
    """Return an entry of the library as a row: ending, metric, longest win, positions, size, state."""
    approximately = "" if entry.exact else "≈ "
    if owner:
        state = words.in_hand(owner)
    else:
        notes: list[str] = []
        if entry.owner == SHARED:
            notes.append(SHARED)
        if entry.form == "lean":
            notes.append("lean")
        note = entry.reason or ", ".join(notes)
        if note:
            state = f"{_(entry.state)} ({note})"
        else:
            state = _(entry.state)
    return (
        entry.ending,
        metric,
        words.longest(entry.longest, metric),
        approximately + grouped(entry.positions),
        approximately + format_size(entry.size),
        state,
    )


def _metrics(metric: Metric | None, game: str | None) -> list[Metric]:
    """Return the metric if one is given, else all metrics of the game, or of all games."""
    if metric is not None:
        return [metric]
    return [rules.metric for rules in games.GAMES if game in (None, rules.name)]


_VERIFY_COLUMNS = ("ending", "metric", "ok", "frames", "positions", "syzygy", "lacking", "error")
"""The columns of ``verify --csv``, named as in JSON."""


@click.command()
@endings_argument
@click.option("--samples", type=click.IntRange(0), default=1000, help=_("Number of positions to verify one ply deep."))
@click.option("--seed", type=int, default=1)
@syzygy_option
@memory_option
@every_metric_option
@game_option
@list_command
def verify(
    run: Run,
    endings: tuple[str, ...],
    samples: int,
    seed: int,
    memory: int | None,
    metric: Metric | None,
    game: str | None,
    as_json: bool,
    as_csv: bool,
) -> None:
    """Verify tables.

    Checks the checksums and compares a sample of positions with those one ply later and with Syzygy files. Without a
    name, verifies all tables; a name without --metric means the DTM table.
    """
    tables: list[tuple[Library, str]]
    if endings:
        library, names = run.resolve_endings(endings, metric, game)
        tables = [(library, name) for name in names]
    else:
        tables = []
        for table_metric in _metrics(metric, game):
            library = run.lab.library(table_metric)
            for name in library.game.endings():
                # A damaged table does not count as built, but this is the command that has to report it.
                if library.is_built(name) or library.files.damage_error(name):
                    tables.append((library, name))

    has_chess = any(library.game.metric in METRICS for library, __ in tables)
    syzygy_tables = None
    if has_chess:
        syzygy_tables = run.lab.syzygy
    opinion = None
    if syzygy_tables:
        opinion = syzygy_tables.opinion
    has_failed = False
    csv_table = None
    if as_csv:
        csv_table = CsvTable(_VERIFY_COLUMNS)
    for library, name in tables:
        table_metric = library.game.metric
        second_opinion = None
        if table_metric in METRICS:
            second_opinion = opinion
        try:
            damage = library.files.damage_error(name)
            if damage is not None:
                raise damage
            table = library.table(name)
            with (
                progress_line(table.size, BYTES, _("{name}: checksums").format(name=name)) as show,
                memory_for(library, name, _("verifying {name}").format(name=name), memory, table.form == "lean"),
            ):
                result = verify_table(
                    library, name, samples, seed, partial(_show_verifying, show, name), second_opinion
                )
        except EndgameError as error:
            has_failed = True
            failure = {"ending": name, "metric": table_metric, "ok": False, "error": str(error)}
            if as_json:
                print_json(failure)
            elif csv_table is not None:
                csv_table.add(failure)
            # Most errors name the ending themselves.
            problem = str(error)
            if name not in error.what:
                problem = f"{name}: {error}"
            print_problem(problem)
            continue

        if result.mismatch is not None:
            has_failed = True
        document: dict[str, Any] = {
            "ending": name,
            "metric": table_metric,
            "ok": result.mismatch is None,
            "frames": result.frames,
            "positions": result.positions,
            "syzygy": result.opinions if opinion else None,
        }
        if result.missing:
            document["lacking"] = list(result.missing)
        document["error"] = result.mismatch
        if as_json:
            print_json(document)
        elif csv_table is not None:
            csv_table.add(document)
        else:
            by_syzygy = ""
            if second_opinion:
                by_syzygy = _(", {opinions} of them with Syzygy").format(opinions=result.opinions)
            compared = _("{frames} frames, {positions} positions compared{by_syzygy}").format(
                frames=result.frames, positions=result.positions, by_syzygy=by_syzygy
            )
            outcome = result.mismatch or _("no errors found")
            report(f"{name}  {table_metric}  {compared}{words.left_out(result)}: {outcome}")
    sys.exit(1 if has_failed else 0)


def _show_verifying(show: Callable[[str, float], None], name: str, share: float) -> None:
    """Show the progress of a verification as two phases: bytes and positions take different times."""
    if share < CHECKSUMS_SHARE:
        show(_("{name}: checksums").format(name=name), share / CHECKSUMS_SHARE)
    else:
        show(_("{name}: positions").format(name=name), (share - CHECKSUMS_SHARE) / (1 - CHECKSUMS_SHARE))


@click.command()
@endings_argument
@click.option(
    "--lean",
    "form",
    flag_value="lean",
    help=_("Store only one side to move; probing the other takes about 1 ms. For archives."),
)
@click.option("--full", "form", flag_value="full", help=_("Undo --lean: store both sides to move again."))
@memory_option
@metric_option
@game_option
@list_command
def compact(
    run: Run,
    endings: tuple[str, ...],
    form: Form | None,
    memory: int | None,
    metric: Metric | None,
    game: str | None,
    as_json: bool,
    as_csv: bool,
) -> None:
    """Compress tables further (slow). Without a name, compresses all tables."""
    library, names = run.resolve_endings(endings, metric, game)
    is_every_table = not names
    if is_every_table:
        # Only tables of this data directory: starter tables and read-only ones have no file in it.
        names = [name for name in library.built() if library.path(name).is_file()]

    compacted = 0
    total_before = 0
    total_after = 0
    has_failed = False
    csv_table = None
    if as_csv:
        csv_table = CsvTable(("ending", "before", "after"))
    for name in names:
        try:
            if is_every_table and form == "lean" and "lean" not in library.disk.forms(name):
                continue  # it is lean already, or has three pieces, for which there is no lean form
            file = library.path(name)
            # 0 if the table is somewhere else, in which case compact raises an error that explains it.
            size = 0
            if file.is_file():
                size = file.stat().st_size
            with (
                progress_line(size, BYTES) as show,
                memory_for(library, name, _("compacting {name}").format(name=name), memory),
            ):
                before, after = library.disk.compact(name, partial(show, name), form)
        except EndgameError as error:
            # Go on with the next table if this one is in use, or if all are compressed and the disk is not the problem.
            is_skipped = is_every_table or isinstance(error, BusyError)
            if isinstance(error, StorageError) or not is_skipped:
                raise
            has_failed = True
            print_problem(f"{name}: {error}")
            continue

        compacted += 1
        total_before += before
        total_after += after
        if as_json:
            print_json({"ending": name, "before": before, "after": after})
        elif csv_table is not None:
            csv_table.add({"ending": name, "before": before, "after": after})
        else:
            report(f"{name}  {format_size(before)} → {format_size(after)}")

    if not as_json and csv_table is None and compacted > 1:
        report(
            _("{compacted} tables  {total_before} → {total_after}").format(
                compacted=compacted, total_before=format_size(total_before), total_after=format_size(total_after)
            )
        )
    sys.exit(1 if has_failed else 0)


@click.command()
@click.argument("endings", nargs=-1, required=True, shell_complete=complete_ending)
@metric_option
@json_command
def remove(run: Run, endings: tuple[str, ...], metric: Metric | None, as_json: bool) -> None:
    """Delete tables."""
    library, names = run.resolve_endings(endings, metric)
    # All of them are checked before the first one is deleted.
    for name in names:
        dependents = [dependent for dependent in library.disk.one_sided_dependents(name) if dependent not in names]
        if dependents:
            raise words.needed_by(name, dependents)
    for name in names:
        freed = library.disk.remove(name)
        if as_json:
            print_json({"ending": name, "metric": library.game.metric, "freed": freed})
        else:
            echo(_("{name} removed, {remove} freed").format(name=name, remove=format_size(freed)), err=True)


@click.command("export")
@ending_argument
@click.argument("file", type=click.Path(path_type=Path), required=False)
@click.option(
    "--format",
    "file_format",
    type=click.Choice(["layers", "gaviota"]),
    default="layers",
    show_default=True,
    help=_("With 'gaviota', write a DTM table for other chess programs (up to five pieces)."),
)
@click.option("--all", "with_copies", is_flag=True, help=_("Include symmetric copies (import cannot read such files)."))
@click.option(
    "--lean",
    is_flag=True,
    help=_("Export a one-sided table, many times smaller than the layers; only endgame-tui can import it."),
)
@click.option("--force", is_flag=True, help=_("Overwrite FILE if it exists."))
@memory_option
@json_command
def export_command(
    run: Run,
    ending: str,
    file: Path | None,
    file_format: str,
    with_copies: bool,
    lean: bool,
    force: bool,
    memory: int | None,
    as_json: bool,
) -> None:
    """Export ENDING to FILE for other programs.

    FILE becomes a zip file of the layers, or a Gaviota file. With -, writes to standard output.

    Chess layers are numbered by DTM. A Gaviota file has a fixed name such as krpkr.gtb.cp4, so FILE may be its
    directory (default: the current one).
    """
    from endgame_core.tables.archive import export, export_lean

    # Standard output has the file: nothing else may be printed there.
    is_piped = str(file) == STDIN
    if is_piped and as_json:
        raise click.UsageError(_("--json requires a FILE; with -, the file itself goes to standard output"))
    if file_format == "gaviota":
        if lean or with_copies:
            raise click.UsageError(_("--lean and --all cannot be combined with --format gaviota"))
        _export_gaviota(run, ending, file or Path(), force, memory, as_json)
        return
    if file is None:
        raise click.UsageError(_("name the FILE to write"))
    file = run.allowed_path(file)
    if file.is_dir():
        raise click.UsageError(_("{file!r} is a directory; name the FILE to write").format(file=str(file)))
    if lean and with_copies:
        raise click.UsageError(_("--all applies only to layers; leave out --lean or --all"))
    if memory and not lean:
        raise click.UsageError(_("--memory requires --lean; layers are written one at a time"))
    library, (name,) = run.resolve_endings([ending])

    entry = library.entry(name)
    if lean:
        with output_file(file) as path, progress_line(entry.size, BYTES) as show:
            lean_size = export_lean(library, name, path, force=force, memory=memory, report=show)
        if is_piped:
            return
        if as_json:
            print_json({"file": str(file), "ending": name, "size": lean_size})
        else:
            report(
                _("{name}  one-sided table  {lean_size}  {file}").format(
                    name=name, lean_size=format_size(lean_size), file=file
                )
            )
        return

    with output_file(file) as path, progress_line(entry.positions, _("positions")) as show:
        result = export(library, name, path, force=force, copies=with_copies, report=show)
    if is_piped:
        return
    if as_json:
        print_json({"file": str(file), **asdict(result)})
        return
    positions = grouped(result.positions)
    report(
        _("{ending}  {layers} layers with {positions} positions  {size}  {file}").format(
            ending=result.ending, layers=result.layers, positions=positions, size=format_size(result.size), file=file
        )
    )


def _export_gaviota(run: Run, ending: str, file: Path, force: bool, memory: int | None, as_json: bool) -> None:
    """Export an ending as a Gaviota file; ``file`` is the file, or a directory for it."""
    library, (name,) = run.resolve_endings([ending])
    if library.game.metric != METRICS[0]:
        raise click.UsageError(_("Gaviota files are for chess only"))
    from endgame_core.chess.gaviota_export import export_gaviota
    from endgame_core.chess.gaviota_layout import file_name

    expected_name = file_name(name)
    if file.is_dir():
        file = file / expected_name
    # The name is completed first, because the access policy is about the file itself.
    file = run.allowed_path(file)
    is_piped = str(file) == STDIN
    if file.name != expected_name and not is_piped:
        narrate(_("other programs expect this table to be named {name}.").format(name=expected_name))

    with output_file(file) as path, progress_line() as show:
        result = export_gaviota(library, name, path, force=force, memory=memory, report=show)
    if is_piped:
        return
    if as_json:
        print_json({"file": str(file), **asdict(result)})
        return
    covered = _("Gaviota file with {number} positions").format(number=grouped(result.positions))
    report(f"{name}  {covered}  {format_size(result.size)}  {file}")


@click.command("import")
@_input_file
@click.option("--force", is_flag=True, help=_("Overwrite the table if it exists."))
@click.option("--samples", type=click.IntRange(0), help=_("Number of positions to verify in each layer, one ply deep."))
@click.option("--seed", type=int, help=_("Random seed."))
@memory_option
@json_command
def import_command(
    run: Run, file: Path, force: bool, samples: int | None, seed: int | None, memory: int | None, as_json: bool
) -> None:
    """Import layers or a one-sided table from FILE.

    Checks them against the rules first. Chess layers are numbered by DTM. With -, reads standard input.
    """
    with input_file(run, file) as path:
        _import_file(run, path, str(file), force, samples, seed, memory, as_json)


def _import_file(
    run: Run,
    file: Path,
    file_name: str,
    force: bool,
    samples: int | None,
    seed: int | None,
    memory: int | None,
    as_json: bool,
) -> None:
    """Import a file and print the results of its checks; ``file_name`` is its name as typed."""
    from endgame_core.tables.archive import game_of, import_archive, import_lean
    from endgame_core.tables.header import is_table

    # Told apart by the content, so that the name of the file does not matter.
    lean = is_table(file)
    if lean and not (samples is None and seed is None):
        raise click.UsageError(_("--samples and --seed apply only to layers; a one-sided table is compared completely"))
    if lean:
        game = games.DEFAULT_GAME
    else:
        game = game_of(file)
    if memory and not lean:
        raise click.UsageError(_("--memory applies only to one-sided tables; this file contains layers"))
    # With layers of an unknown game, the import itself says what is wrong.
    known_game = game if game in games.NAMES else None
    library = run.explorer_for((), game=known_game).library

    with progress_line(file.stat().st_size, BYTES, _("reading")) as show:
        if lean:
            result = import_lean(library, file, force=force, memory=memory, report=show)
        else:
            result = import_archive(library, file, force=force, samples=samples, seed=seed, report=show)
    if as_json:
        print_json({"file": file_name, **asdict(result)})
        return

    keys = "" if lean else _("; every key checked")
    checks = [
        (result.positions, _("positions, including draws{keys}").format(keys=keys)),
        (result.compared, _("checked one ply deep")),
        (result.sampled, library.game.sample_check),
    ]
    report(
        _("{ending}  {layers} layers: no errors found  {size}").format(
            ending=result.ending, layers=result.layers, size=format_size(result.size)
        )
    )
    for line in align([(grouped(number), check) for number, check in checks if number], right=(0,)):
        report(line)


@click.command()
@syzygy_option
@click.option("--check", is_flag=True, help=_("Verify the checksum of every file."))
@list_command
def syzygy(run: Run, check: bool, as_json: bool, as_csv: bool) -> None:
    """List Syzygy files, their sizes, and missing files."""
    from endgame_core.chess import syzygy as syzygy_files

    # A locked run ignores the settings of the user: see AppContext.syzygy.
    settings_root = None if run.reach.locked else run.root
    path = syzygy_directories(run.syzygy, settings_root)
    if path is None:
        raise StorageError(
            _("no Syzygy directory is set"),
            _("use --syzygy DIR, ${syzygy_variable} or the syzygy setting").format(syzygy_variable=SYZYGY_VARIABLE),
        )
    tables = syzygy_files.tables_in(path)
    tables_by_name = {table.ending: table for table in tables}
    rows: list[tuple[str, ...]] = [(_("ending"), "WDL", "DTZ", _("state"))]
    remarks: list[str] = []
    has_failed = False
    csv_table = None
    if as_csv:
        csv_table = CsvTable(("ending", "wdl", "dtz", "missing", "ok", "errors"))
    problems_by_ending = {}
    if check:
        problems_by_ending = _check_files(tables)
    for table in tables:
        problems = problems_by_ending.get(table.ending, [])
        if problems:
            has_failed = True
        missing = syzygy_files.missing(table, tables_by_name)
        if as_json or as_csv:
            document: dict[str, Any] = {
                "ending": table.ending,
                "wdl": table.wdl.size if table.wdl else None,
                "dtz": table.dtz.size if table.dtz else None,
                "missing": missing,
            }
            if check:
                document["ok"] = not problems
                document["errors"] = problems
            if csv_table is not None:
                csv_table.add(document)
            else:
                print_json(document)
            continue

        sizes = [format_size(file.size) if file else "–" for file in (table.wdl, table.dtz)]
        states: list[str] = []
        if check:
            states.append(_("wrong") if problems else _("no errors found"))
        if missing:
            states.append(_("incomplete"))
        rows.append((table.ending, *sizes, ", ".join(states)))
        remarks += [*problems, *missing]

    if not as_json and not as_csv:
        print_table(rows, right=(1, 2))
        for remark in remarks:
            echo(remark)
    sys.exit(1 if has_failed else 0)


def _check_files(tables: Sequence[SyzygyTable]) -> dict[str, list[str]]:
    """Verify the checksums of all files; return the errors of each ending."""
    total = sum(file.size for table in tables for file in table.files)
    done = 0
    problems: dict[str, list[str]] = {}
    with progress_line(total, BYTES) as show:
        for table in tables:
            show(_("reading"), done / max(1, total))
            problems[table.ending] = _checksum_problems(table.files)
            done += sum(file.size for file in table.files)
    return problems


def _checksum_problems(files: Iterable[SyzygyFile]) -> list[str]:
    """Return the errors of the files whose checksum is wrong."""
    from endgame_core.chess.syzygy import check

    problems: list[str] = []
    for file in files:
        try:
            check(file)
        except TableError as error:
            problems.append(str(error))
    return problems


COMMANDS = list(
    map(
        run_options,
        [build, about_command, list_tables, verify, compact, remove, export_command, import_command, syzygy],
    )
)
"""All commands of this module."""

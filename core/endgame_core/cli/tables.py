"""The commands about tables and positions."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator
from typing import Any

import chess
import click

from endgame_core.chess import notation
from endgame_core.chess.syzygy import VARIABLE, Syzygy
from endgame_core.cli import output
from endgame_core.cli.session import Session
from endgame_core.errors import BuildCancelledError, EndgameError, LayerError, StorageError
from endgame_core.tables.builder import Build
from endgame_core.tables.library import Library
from endgame_core.tables.worker import lock

_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
_ending = click.argument("ending")


@click.command()
@click.argument("endings", nargs=-1)
@click.option("--men", type=click.IntRange(3, 5), help="All endings of so many men.")
@click.option("--metric", type=click.Choice(["dtm"]), default="dtm", help="What depth counts.")
@click.option("--threads", type=click.IntRange(1, 64), help="As many as there are cores by default.")
@click.option("--yes", is_flag=True, help="Do not ask before using more than the free disk.")
@_json
@click.pass_obj
def build(
    session: Session,
    endings: tuple[str, ...],
    men: int | None,
    metric: str,
    threads: int | None,
    yes: bool,
    as_json: bool,
) -> None:
    """Build endings such as KQvKR, with every sub-ending they need."""
    del metric
    library = session.library
    names = [session.game.canonical_name(text) for text in endings]
    if men is not None:
        names += _set_of(session, men)
    if not names:
        raise click.UsageError("name an ending, such as KQvKR, or give --men N")
    plan = library.plan(names)
    _announce(library, plan, yes)
    try:
        for event in Build(library, names, threads).events():
            if as_json:
                click.echo(event.to_json())
            _narrate(event, plan)
    except KeyboardInterrupt:
        click.echo(err=True)
        raise BuildCancelledError("the build was cancelled", "finished tables are kept") from None
    if not as_json:
        for name in dict.fromkeys(names):
            entry = library.entry(name)
            longest = f"longest win {entry.longest} moves" if entry.longest else "all drawn"
            size = output.byte_count(entry.size)
            click.echo(f"{name}  {output.number(entry.positions)} positions  {size}  {longest}")


def _announce(library: Library, plan: list[str], yes: bool) -> None:
    """Tells what a build will cost; asks before it takes more than the free disk."""
    if not plan:
        return
    costs = [library.estimate(name) for name in plan]
    size, free = sum(cost.size for cost in costs), library.free_bytes()
    endings = "1 ending" if len(plan) == 1 else f"{len(plan)} endings"
    click.echo(
        f"{endings} to build: about {output.duration(sum(cost.seconds for cost in costs))},"
        f" {output.byte_count(size)} on disk ({output.byte_count(free)} free),"
        f" {output.byte_count(max(cost.memory for cost in costs))} of memory at most",
        err=True,
    )
    if size + max(cost.size for cost in costs) <= free or yes:  # a table stands twice while it is written
        return
    question = "That is more than is free. Build until the disk is full?"
    if not sys.stdin.isatty() or not click.confirm(question, err=True):
        raise StorageError(
            f"about {output.byte_count(size)} are needed and {output.byte_count(free)} are free",
            "free some space, use --data-dir, or add --yes",
        )


def _set_of(session: Session, men: int) -> list[str]:
    return [name for name in session.game.endings() if len(name) - 1 == men and session.game.obstacle(name) is None]


def _narrate(event: Any, plan: list[str]) -> None:
    if event.event == "plan" and not plan:
        click.echo("nothing to build: the tables are there", err=True)
    elif event.event == "compile":
        click.echo(f"preparing the solver (compiled once per machine): {event.what}", err=True)
    elif event.event in ("layer", "slices") and sys.stderr.isatty():
        at = f"S{event.n}" if event.event == "layer" else f"{event.done} of {event.total} pawn placements"
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


@click.command()
@click.argument("position", nargs=-1, required=True)
@_json
@click.pass_obj
def probe(session: Session, position: tuple[str, ...], as_json: bool) -> None:
    """Tell the value of a position and of every move. With -, read positions from standard input."""
    if position == ("-",):
        sys.exit(_probe_stream(session))
    board = session.game.parse(" ".join(position))
    found = output.probe(session.explorer, board)
    if as_json:
        output.document(found)
        return
    click.echo(_verdict_words(found))
    click.echo(found["reason"])
    if found["line"]:
        click.echo(output.numbered(board, found["line"]))
    for move in found["moves"]:
        layer = "draw" if move["layer"] is None else f"S{move['layer']}"
        click.echo(f"  {move['san']:<8} {layer:<5} {_seen_by_mover(move['category'])}")


def _seen_by_mover(category: str) -> str:
    return {"win": "loses", "loss": "wins", "draw": "draws"}[category]


def _verdict_words(found: dict[str, Any]) -> str:
    if found["winner"] is None:
        return f"{found['ending']}  draw"
    moves = (found["layer"] + 1) // 2
    return f"{found['ending']}  {found['winner'].capitalize()} wins, mate in {moves} ({found['layer']} plies)"


def _probe_stream(session: Session) -> int:
    """Answers one JSON object per line, in order; a bad line gets an object with its error."""
    failed = 0
    for line in sys.stdin:
        if not line.strip():
            continue
        try:
            output.document(output.probe(session.explorer, session.game.parse(line)))
        except EndgameError as error:
            failed = 1
            output.document({"fen": line.strip(), "error": str(error)})
    return failed


@click.command()
@_ending
@_json
@click.pass_obj
def layers(session: Session, ending: str, as_json: bool) -> None:
    """Count the positions of every layer of an ending."""
    found = session.explorer.layers(session.game.canonical_name(ending))
    if as_json:
        output.document(output.layers(found))
        return
    for winner, family in found.families.items():
        click.echo(f"{found.ending}  {winner.capitalize()} wins")
        rows = [("layer", "boards", "unique")]
        rows += [(f"S{c.n}", output.number(c.boards), output.number(c.canonical)) for c in family]
        output.table(rows, right=(1, 2))
    click.echo(f"{found.ending}  draws")
    rows = [("to move", "boards", "unique")]
    rows += [(s.capitalize(), output.number(c.boards), output.number(c.canonical)) for s, c in found.draws.items()]
    output.table(rows, right=(1, 2))


@click.command()
@_ending
@click.option("--layer", "n", type=int, help="The n of S_n; without it, the draws.")
@click.option("--winner", type=click.Choice(["white", "black"]), help="Who wins; White is named first.")
@click.option("--side", type=click.Choice(["white", "black"]), default="white", help="Side to move, for draws.")
@click.option("--sample", type=click.IntRange(1), help="So many, chosen at random.")
@click.option("--seed", type=int, help="Makes the choice repeatable.")
@click.option("--format", "form", type=click.Choice(["fen", "epd", "key", "json"]), default="fen")
@_json
@click.pass_obj
def positions(
    session: Session,
    ending: str,
    n: int | None,
    winner: str | None,
    side: str,
    sample: int | None,
    seed: int | None,
    form: str,
    as_json: bool,
) -> None:
    """List the canonical positions of one layer."""
    name = session.game.canonical_name(ending)
    if n is not None and winner is None:
        winner = _only_winner(session, name, n)
    for board in _walk(session, name, winner, n, 0 if side == "white" else 1, sample, seed):
        click.echo(_written(session, name, board, "json" if as_json else form))


def _only_winner(session: Session, name: str, n: int) -> str:
    """The one side that has layer n; asks for --winner when both do."""
    families = session.explorer.layers(name).families
    have = [w for w, family in families.items() if any(c.n == n and c.canonical for c in family)]
    if len(have) == 1:
        return have[0]
    if have:
        raise LayerError(f"in {name} both sides win in S{n}", "add --winner white or --winner black")
    last = ", ".join(f"{w} up to S{family[-1].n}" for w, family in families.items()) or "no layer"
    raise LayerError(f"{name} has no layer S{n}", f"it has {last}")


def _walk(
    session: Session,
    name: str,
    winner: str | None,
    n: int | None,
    side: int,
    sample: int | None,
    seed: int | None,
) -> Iterator[chess.Board]:
    explorer = session.explorer
    total = explorer.count(name, winner, n, side)
    if not total:
        explorer.nth(name, winner, n, 1, side)
    numbers: Any = range(1, total + 1)
    if sample is not None:
        numbers = sorted(random.Random(seed).sample(range(1, total + 1), min(sample, total)))
    for number in numbers:
        yield explorer.nth(name, winner, n, number, side)


def _written(session: Session, name: str, board: chess.Board, form: str) -> str:
    if form == "fen":
        return notation.fen(board)
    if form == "key":
        return f"{notation.plain_name(board)}:{notation.key(board)}"
    verdict = session.explorer.probe(board)
    if form == "epd":
        moves = 0 if verdict.depth is None else (verdict.depth + 1) // 2
        sign = "-" if verdict.category.value == "loss" else ""
        return board.epd() + (f" dm {sign}{moves};" if verdict.depth else "")
    import json

    return json.dumps(
        {
            "fen": notation.fen(board),
            "ending": name,
            "key": notation.key(board),
            "category": verdict.category.value,
            "dtm": output.signed(verdict),
            "layer": verdict.layer,
            "winner": verdict.winner,
        }
    )


@click.command()
@click.argument("position", nargs=-1, required=True)
@_json
@click.pass_obj
def line(session: Session, position: tuple[str, ...], as_json: bool) -> None:
    """Show one optimal continuation."""
    board = session.game.parse(" ".join(position))
    steps = session.explorer.line(board)
    if as_json:
        verdict = session.explorer.probe(board)
        output.document(
            {
                "fen": notation.fen(board),
                "category": verdict.category.value,
                "dtm": output.signed(verdict),
                "winner": verdict.winner,
                "line": [{"uci": s.uci, "san": s.san, "dtm": output.signed(s.verdict)} for s in steps],
            }
        )
        return
    click.echo(output.numbered(board, [step.san for step in steps]) or "the game is over")


@click.command("tables")
@click.option("--all", "everything", is_flag=True, help="Also those not built.")
@_json
@click.pass_obj
def list_tables(session: Session, everything: bool, as_json: bool) -> None:
    """List the endings that are built, or the whole catalogue."""
    library = session.library
    entries = [library.entry(name) for name in session.game.endings() if everything or library.is_built(name)]
    if as_json:
        output.document(
            [
                {
                    "ending": e.ending, "state": e.state, "reason": e.reason, "positions": e.positions,
                    "size": e.size, "exact": e.exact, "longest": e.longest, "needs": list(e.needs),
                    "missing": list(e.missing), "seconds": round(e.seconds, 2), "memory": e.memory,
                }
                for e in entries
            ]
        )  # fmt: skip
        return
    rows: list[tuple[str, ...]] = [("ending", "mate in", "positions", "size", "state")]
    for entry in entries:
        about = "" if entry.exact else "≈ "
        rows.append(
            (
                entry.ending,
                "–" if entry.longest is None else str(entry.longest),
                about + output.number(entry.positions),
                about + output.byte_count(entry.size),
                entry.state + (f" ({entry.reason})" if entry.reason else ""),
            )
        )
    output.table(rows, right=(1, 2, 3))


@click.command()
@click.argument("endings", nargs=-1)
@click.option("--samples", type=click.IntRange(0), default=1000, help="Positions to re-derive.")
@click.option("--seed", type=int, default=1)
@click.option("--syzygy", envvar=VARIABLE, show_envvar=True, help="Compare with the Syzygy files in this directory.")
@_json
@click.pass_obj
def verify(
    session: Session, endings: tuple[str, ...], samples: int, seed: int, syzygy: str | None, as_json: bool
) -> None:
    """Check the checksums, re-derive random positions one ply deep, and compare them with Syzygy files."""
    names = [session.game.canonical_name(text) for text in endings] or session.library.built()
    opinion = Syzygy(syzygy).opinion if syzygy else None
    failed = False
    for name in names:
        try:
            found = session.library.verify(name, samples, seed, second_opinion=opinion)
        except EndgameError as error:
            failed = True
            if as_json:
                output.document({"ending": name, "ok": False, "error": str(error)})
            click.echo(f"{name}: {error}", err=True)
            continue
        failed |= found.mismatch is not None
        if as_json:
            output.document(
                {
                    "ending": name, "ok": found.mismatch is None, "frames": found.frames,
                    "positions": found.positions, "syzygy": found.opinions if syzygy else None,
                    "error": found.mismatch,
                }
            )  # fmt: skip
        else:
            verdict = found.mismatch or "all right"
            against = f", {found.opinions} of them with Syzygy" if syzygy else ""
            click.echo(f"{name}  {found.frames} frames, {found.positions} positions compared{against}: {verdict}")
    sys.exit(1 if failed else 0)


@click.command()
@click.argument("endings", nargs=-1)
@_json
@click.pass_obj
def compact(session: Session, endings: tuple[str, ...], as_json: bool) -> None:
    """Make tables smaller for good; slow. Without a name, all that are built."""
    library = session.library
    names = [session.game.canonical_name(text) for text in endings]
    names = names or [name for name in library.built() if library.path(name).is_file()]
    totals = [0, 0]
    with lock(library):
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
@click.pass_obj
def remove(session: Session, endings: tuple[str, ...]) -> None:
    """Delete tables."""
    for name in [session.game.canonical_name(text) for text in endings]:
        freed = session.library.remove(name)
        click.echo(f"{name} removed, {output.byte_count(freed)} freed", err=True)


COMMANDS = [build, probe, layers, positions, line, list_tables, verify, compact, remove]
"""All commands of this module."""

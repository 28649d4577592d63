"""The commands about positions and layers: probing, lines, listing, converting."""

from __future__ import annotations

import io
import json
import random
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from endgame_core.answers import UNKNOWN, best_play, clock_warning, line_document, probe_document
from endgame_core.cli.common import (
    STDIN,
    CsvTable,
    Run,
    align,
    chart_option,
    check_format,
    csv_option,
    echo,
    ending_argument,
    extract_position,
    force_option,
    game_option,
    gaviota_option,
    json_command,
    json_option,
    list_command,
    metric_option,
    narrate,
    narrate_problem,
    only_position,
    print_csv,
    print_json,
    print_table,
    read_positions,
    run_options,
    stdin_positions,
    stdin_progress,
    syzygy_option,
    write_charts,
)
from endgame_core.errors import EndgameError, LayerError
from endgame_core.game import Game, PictureView
from endgame_core.games import DEFAULT_GAME
from endgame_core.judge import BestPlay, Judge
from endgame_core.language import _, and_list, or_list, side_name
from endgame_core.metric import DTM, DTZ, Metric
from endgame_core.paths import new_file, write_bytes
from endgame_core.probe_result import ProbeResult
from endgame_core.system import input_is_ready
from endgame_core.tables.explorer import Explorer, LayerCount, Layers, Previous
from endgame_core.untrusted import quoted
from endgame_core.values import WINNERS, Category
from endgame_core.words import position as words
from endgame_core.words.text_model import grouped

if TYPE_CHECKING:
    from endgame_core.chess.bulk import BulkProber

_CHUNK = 1 << 20
"""Bytes of positions that are read at most before they are answered."""

_FULL_READ = 1 << 15
"""A read of this many bytes means that the writer streams positions without waiting for answers."""

_STREAM_WAIT = 0.02
"""Seconds to wait for more of such a stream."""

_STREAM_MEMORY = 1_000_000_000
"""Bytes of unpacked tables to cache while probing many positions: room for all four-man tables by both metrics."""


@click.command()
@click.argument("position", nargs=-1, required=True)
@syzygy_option
@gaviota_option
@game_option
@json_option
@csv_option
@click.option("--brief", is_flag=True, help=_("Print JSON without the moves; fastest for many positions."))
@click.option("--line", "with_line", is_flag=True, help=_("With -, also print the best line of each position."))
@click.pass_obj
def probe(
    run: Run,
    position: tuple[str, ...],
    game: str | None,
    as_json: bool,
    as_csv: bool,
    brief: bool,
    with_line: bool,
) -> None:
    """Show the value of a position and of every move.

    With -, reads positions from standard input and prints one JSON object each. --csv lists the moves; with -, it
    prints one row for each position.
    """
    if as_csv and (brief or with_line):
        raise click.UsageError(_("--brief and --line apply to JSON; they cannot be combined with --csv"))
    if position == (STDIN,):
        # Before run.lab is created, which takes the size of its caches from here.
        run.memory = _STREAM_MEMORY
        if as_csv:
            has_failed = _probe_stream_as_csv(run, game)
        else:
            if brief:
                has_failed = _probe_in_bulk(run, game)
            else:
                has_failed = _probe_stream(run, game, with_line)
        sys.exit(int(has_failed))

    judge, parsed = _parse_for_judge(run, " ".join(position), game)
    document = probe_document(judge, parsed)
    if brief:
        from endgame_core.chess.bulk import in_brief

        print_json(in_brief(document))
    elif as_json:
        print_json(document)
    elif as_csv:
        print_csv(_columns_of(_MOVE_COLUMNS, judge.game), document["moves"])
    else:
        for output_line in _probe_text(judge.probe(parsed), document):
            echo(output_line)


_MOVE_COLUMNS = ("uci", "san", "category", "depth", "dtz", "layer", "zeroing")
_POSITION_COLUMNS = ("fen", "ending", "category", "depth", "dtz", "layer", "winner", "error")
"""The columns of ``probe --csv``: of a move, and of a position. ``depth`` is named as in JSON, see below."""


def _columns_of(columns: Sequence[str], game: Game[Any, Any]) -> list[str]:
    """Return the names that columns have in the documents of a game: the depth has the name of the metric."""
    return [str(game.metric) if column == "depth" else column for column in columns]


def _parse(run: Run, text: str, game: str | None) -> tuple[Game[Any, Any], Any]:
    """Return the game of a position as typed, and the position."""
    text = extract_position(text)
    rules = run.explorer_for([text], game=game).game
    position = rules.parse(text)
    if note := rules.reading_note(text):
        narrate(note)
    return rules, position


def _parse_for_judge(run: Run, text: str, game: str | None) -> tuple[Judge[Any, Any], Any]:
    """Return the judge of a position as typed, and the position."""
    rules, position = _parse(run, text, game)
    return run.lab.judge(rules.name), position


def _probe_stream(run: Run, game: str | None, with_line: bool) -> bool:
    """Print one JSON object per position of standard input, in order; return whether any was an error."""
    has_failed = False
    for __, line in stdin_positions():
        document = _probe_line(run, line, game, with_line)
        if "error" in document:
            has_failed = True
        print_json(document)
    return has_failed


def _probe_stream_as_csv(run: Run, game: str | None) -> bool:
    """Print one row per position of standard input, in order; return whether any was an error."""
    has_failed = False
    table: CsvTable | None = None
    for __, line in stdin_positions():
        document = _probe_line(run, line, game)
        if "error" in document:
            has_failed = True
        # The headings are printed with the first answer, so no input gives no output.
        if table is None:
            rules = run.explorer_for((), game=game).game
            table = CsvTable(_columns_of(_POSITION_COLUMNS, rules))
        table.add(document)
    return has_failed


def _probe_line(run: Run, line: str, game: str | None, with_line: bool = False) -> dict[str, Any]:
    """Return the document of a position as typed, or an object with its error."""
    try:
        return probe_document(*_parse_for_judge(run, line, game), with_line)
    except EndgameError as error:
        return {"fen": line.strip(), "error": str(error)}


def _probe_in_bulk(run: Run, game: str | None) -> bool:
    """Print one brief JSON object per position of standard input; return whether any was an error.

    Positions are probed together, as many as one read returns. A writer that waits for each answer before it asks on
    gets it at once, because what was read is answered before more is read.
    """
    from endgame_core.chess.bulk import BulkProber

    prober = BulkProber(run.lab.library(DTM), run.lab.library(DTZ))
    # read1 returns what is there; iterating over lines would wait for a full buffer.
    source = cast(io.BufferedIOBase, sys.stdin.buffer)
    unanswered: list[str] = []
    has_failed = False

    def source_lines() -> Iterator[bytes]:
        """Yield the lines of the input; between two reads, answer the positions collected below."""
        nonlocal has_failed
        incomplete = b""
        with stdin_progress() as add_read:
            while chunk := _read_chunk(source):
                # What follows the last line break is completed by the next read.
                *lines, incomplete = (incomplete + chunk).split(b"\n")
                # read_positions consumes these lines and collects their positions in unanswered.
                yield from (line + b"\n" for line in lines)
                has_failed |= _answer_briefly(run, game, prober, unanswered)
                unanswered.clear()
                add_read(len(chunk))
        yield incomplete

    for __, position in read_positions(source_lines()):
        unanswered.append(position)
    has_failed |= _answer_briefly(run, game, prober, unanswered)
    return has_failed


def _read_chunk(source: io.BufferedIOBase) -> bytes:
    """Return what one read returns; of a stream, of which a pipe holds little at a time, up to 1 MB."""
    chunk = last_read = source.read1(_CHUNK)
    # After a shorter read the writer may be waiting for its answers; until then, larger batches are faster.
    while len(last_read) >= _FULL_READ and len(chunk) < _CHUNK and input_is_ready(source, _STREAM_WAIT):
        last_read = source.read1(_CHUNK)
        chunk += last_read
    return chunk


def _answer_briefly(run: Run, game: str | None, prober: BulkProber, positions: list[str]) -> bool:
    """Print a brief answer per position; return whether any was an error."""
    from endgame_core.chess.bulk import in_brief

    has_failed = False
    # The bulk prober leaves empty what it cannot answer, e.g. positions of other games.
    if game in (None, DEFAULT_GAME):
        answers = prober.tell(positions)
    else:
        answers = [""] * len(positions)
    for number, position in enumerate(positions):
        if answers[number]:
            continue
        document = _probe_line(run, position, game)
        if "error" in document:
            has_failed = True
        else:
            document = in_brief(document)
        answers[number] = json.dumps(document)
    # One call for all, because each call of echo flushes the output.
    if answers:
        echo("\n".join(answers))
    return has_failed


def _probe_text(result: ProbeResult[Any, Any], document: dict[str, Any]) -> Iterator[str]:
    """Yield the lines that ``probe`` prints: value, reason, best line, moves; DTZ and the 50-move rule where known.

    Args:
        result: The probe result of the position.
        document: The same as a document, see :func:`probe_document`.
    """
    yield words.standing(result, result.game)
    if result.is_ended_by_limit:
        yield words.ENDED
        return
    fifty = document.get("fifty")  # the verdict under the 50-move rule; None in other games
    has_dtz = document.get("dtz") is not None
    if result.is_over and "fifty" in document:
        if has_dtz:
            yield document["fifty"]
        else:
            yield document["reason"]
        return

    if "fifty" in document:
        yield document["fifty"]
    if document["reason"] not in ("", fifty):
        yield document["reason"]

    line_cut = document.get("line_cut")
    if document["line"]:
        metric = ""
        if "line_by" in document:
            metric = _("by {document}: ").format(document=document["line_by"].upper())
        yield metric + words.line_of(result, document["line"], bool(line_cut))
    if line_cut:
        yield f"{words.CUT}{line_cut}"

    if "fifty" in document:
        yield _("moves, best first by {document}:").format(document=document["line_by"].upper())
    yield from align([_move_row(move) for move in document["moves"]])


def _move_row(move: dict[str, Any]) -> list[str]:
    """Return the cells of a move: SAN, layer, DTZ if there is one, result for the mover, and an explanation if any."""
    layer = "–"
    if move["layer"] is not None:
        layer = f"S{move['layer']}"
    cells = [f"  {move['san']}", layer]
    if "dtz" in move:
        # 0 for a draw, None without a table.
        dtz = "–"
        if move["dtz"]:
            dtz = _("DTZ {move}").format(move=abs(move["dtz"]))
        cells.append(dtz)
    if move["category"] == UNKNOWN:
        cells.append(UNKNOWN)
    else:
        cells.append(words.FOR_MOVER[Category(move["category"])])
    if "sentence" in move:
        cells.append(move["sentence"])
    return cells


@click.command()
@click.argument("position", nargs=-1, required=True)
@metric_option
@syzygy_option
@gaviota_option
@game_option
@list_command
def line(
    run: Run, position: tuple[str, ...], metric: Metric | None, game: str | None, as_json: bool, as_csv: bool
) -> None:
    """Show the best moves for both sides. Follows DTM, or DTZ if DTM is unknown or the 50-move counter matters.

    With -, reads positions from standard input and prints one JSON object each.
    """

    def best_play_of(text: str) -> BestPlay[Any, Any]:
        run.explorer_for([extract_position(text)], metric, game)  # raises if the game does not have the metric
        return best_play(*_parse_for_judge(run, text, game), metric)

    if position == (STDIN,):
        _check_one_position(as_csv)
        sys.exit(int(_answer_stream(lambda text: line_document(best_play_of(text)))))
    play = best_play_of(" ".join(position))
    if as_json:
        print_json(line_document(play))
        return
    if as_csv:
        print_csv(("uci", "san", play.line.metric), line_document(play)["line"])
        return

    result = play.probe
    best_line = play.line
    if not result.legal:
        echo(_("the game is over"))
        return
    has_clock = result.clock is not None
    if has_clock:
        echo(_("by {metric}").format(metric=best_line.metric.upper()), err=True)
    moves = words.line_of(result, best_line.sans, best_line.problem is not None)
    if moves:
        echo(moves)
    elif has_clock and best_line.problem is None:
        if result.is_ended_by_limit or result.fifty is None:
            echo(words.ENDED)
        else:
            echo(words.fifty_verdict(result.fifty))
    # A metric that was asked for needs no excuse for leaving the clock out.
    warning = None
    if metric is None:
        warning = clock_warning(play)
    for sentence in words.after_line(play, warning):
        echo(sentence, err=True)


@click.command()
@click.argument("position", nargs=-1, required=True)
@click.option("--captures", is_flag=True, help=_("Include moves that captured a piece, for every possible piece."))
@metric_option
@game_option
@list_command
def previous(
    run: Run,
    position: tuple[str, ...],
    captures: bool,
    metric: Metric | None,
    game: str | None,
    as_json: bool,
    as_csv: bool,
) -> None:
    """List the positions one move before POSITION. Those in which the move leading to POSITION is best come first.

    With -, reads positions from standard input and prints one JSON object each.
    """

    def previous_of(text: str) -> tuple[Game[Any, Any], list[Previous[Any, Any]]]:
        text = extract_position(text)
        explorer = run.explorer_for([text], metric, game)
        return explorer.game, explorer.previous(explorer.game.parse(text), captures)

    def document_of(text: str) -> dict[str, Any]:
        rules, position = _parse(run, text, game)
        return {"fen": rules.format(position), "previous": _previous_documents(*previous_of(text))}

    if position == (STDIN,):
        _check_one_position(as_csv)
        sys.exit(int(_answer_stream(document_of)))
    rules, moves = previous_of(" ".join(position))
    if as_json:
        print_json({"previous": _previous_documents(rules, moves)})
        return
    if as_csv:
        print_csv(("fen", "move", "san", "kind", "layer", "best"), _previous_documents(rules, moves))
        return

    if not moves:
        echo(_("the tables contain no move that leads to this position"), err=True)
    rows: list[tuple[str, ...]] = []
    for move in moves:
        layer = "–"
        if move.layer is not None:
            layer = f"S{move.layer}"
        rows.append((move.san, layer, words.gave_up(move), rules.format(move.position)))
    print_table(rows)


def _previous_documents(rules: Game[Any, Any], moves: Sequence[Previous[Any, Any]]) -> list[dict[str, Any]]:
    return [
        {
            "fen": rules.format(move.position),
            "move": rules.uci(move.move),
            "san": move.san,
            "kind": move.kind,
            "layer": move.layer,
            "best": move.best,
        }
        for move in moves
    ]


def _check_one_position(as_csv: bool) -> None:
    """Raise UsageError if several positions are to be answered with a list for each."""
    if as_csv:
        raise click.UsageError(_("--csv is for one position; do not combine it with -"))


def _answer_stream(document_of: Callable[[str], dict[str, Any]]) -> bool:
    """Print one JSON object per position of standard input, in order; return whether any was an error."""
    has_failed = False
    for __, text in stdin_positions():
        try:
            document = document_of(text)
        except EndgameError as error:
            document = {"fen": text.strip(), "error": str(error)}
            has_failed = True
        print_json(document)
    return has_failed


@click.command()
@ending_argument
@metric_option
@game_option
@chart_option
@force_option
@list_command
def layers(
    run: Run,
    ending: str,
    metric: Metric | None,
    game: str | None,
    chart_file: Path | None,
    force: bool,
    as_json: bool,
    as_csv: bool,
) -> None:
    """Count the positions in every layer of an ending. For 3-4, only those with the three-stone player to move."""
    explorer = run.explorer_for([ending], metric, game)
    result = explorer.layers(_view_of(explorer, ending))
    # An ending of stones names the mover's first: both sides to move have the same slots, and one count of draws.
    draws = _distinct_draws(explorer, result.ending, result.draws)
    # Where only one side moves, every other layer is empty by parity, and is left out.
    has_both_sides = len(draws) > 1
    families = {
        winner: [layer for layer in family if layer.boards or has_both_sides]
        for winner, family in result.families.items()
    }
    if chart_file is not None:
        from endgame_core.words import chart

        write_charts(run, chart_file, chart.layers(result.ending, families, explorer.game.metric), force)
        return
    if as_json:
        print_json(_layers_document(explorer, result, families, draws))
        return
    if as_csv:
        _print_layers_as_csv(_layers_document(explorer, result, families, draws), draws)
        return
    for winner, family in families.items():
        echo(_("{ending}  {winner} wins").format(ending=result.ending, winner=side_name(winner)))
        _print_counts(_("layer"), [(f"S{layer.n}", layer) for layer in family])
    echo(_("{ending}  draws").format(ending=result.ending))
    _print_counts(_("to move"), [(side_name(side), draw_count) for side, draw_count in draws.items()])


def _layers_document(
    explorer: Explorer[Any, Any],
    layers: Layers,
    families: dict[str, list[LayerCount]],
    draws: dict[str, LayerCount],
) -> dict[str, Any]:
    """Return the layers of an ending for JSON; ``families`` and ``draws`` are those to list."""
    draw_counts = {side: {"canonical": count.canonical, "all": count.boards} for side, count in draws.items()}
    return {
        "ending": layers.ending,
        "metric": explorer.game.metric,
        "layers": [
            {"winner": winner, "n": layer.n, "canonical": layer.canonical, "all": layer.boards}
            for winner, family in families.items()
            for layer in family
        ],
        "draws": draw_counts if len(draw_counts) > 1 else next(iter(draw_counts.values())),
        "longest": [{"winner": winner, "n": n, "fen": fen} for winner, (n, fen) in layers.deepest.items()],
    }


def _print_layers_as_csv(document: dict[str, Any], draws: dict[str, LayerCount]) -> None:
    """Print the layers of an ending as CSV. The draws follow, with the side to move and no winner."""
    table = CsvTable(("ending", "winner", "n", "side", "canonical", "all"))
    for layer in document["layers"]:
        table.add({"ending": document["ending"], **layer})
    for side, draw_count in draws.items():
        counts = {"canonical": draw_count.canonical, "all": draw_count.boards}
        table.add({"ending": document["ending"], "side": side, **counts})


def _print_counts(heading: str, counts: list[tuple[str, LayerCount]]) -> None:
    rows = [(heading, _("boards"), _("unique"))]
    rows += [(name, grouped(count.boards), grouped(count.canonical)) for name, count in counts]
    print_table(rows, right=(1, 2))


def _distinct_draws(explorer: Explorer[Any, Any], ending: str, draws: dict[str, LayerCount]) -> dict[str, LayerCount]:
    """Return the counts of draws by side to move, without a side that has the same slots of the index as another.

    Pairs of stones have one set of slots, with the mover's stones first.
    """
    index = explorer.game.index
    parts_before: list[tuple[Any, ...]] = []
    distinct: dict[str, LayerCount] = {}
    for side, (name, count) in enumerate(draws.items()):
        parts = tuple(index.parts(ending, None, None, side))
        if parts not in parts_before:
            distinct[name] = count
        parts_before.append(parts)
    return distinct


def _view_of(explorer: Explorer[Any, Any], text: str) -> str:
    """Return the name of an ending in the order in which it was typed.

    ``4-3`` and ``3-4`` share a table but have layers of their own: those with the player named first to move.
    """

    def letters_of(name: str) -> str:
        return re.sub(r"\W", "", name)

    name = explorer.game.canonical_name(text)
    for view in explorer.game.views(name):
        if letters_of(view) == letters_of(text):
            return view
    return name


@click.command()
@ending_argument
@click.option("--layer", "n", type=int, help=_("Layer number, e.g. 12 for S12 (default: list draws)."))
@click.option(
    "--winner",
    type=click.Choice(["white", "black", "mover", "opponent"]),
    help=_("Winner: white or black in chess; mover or opponent in morris endings such as 3-4."),
)
@click.option(
    "--side", type=click.Choice(["white", "black"]), help=_("Side to move in drawn positions (default: white).")
)
@click.option("--all", "with_copies", is_flag=True, help=_("Include symmetric copies."))
@click.option(
    "--sample",
    type=click.IntRange(1),
    help=_("Print N random positions (with --all, including their copies)."),
)
@click.option("--seed", type=int, help=_("Random seed."))
@click.option("--format", "position_format", type=click.Choice(["fen", "epd", "key", "json"]), default="fen")
@metric_option
@game_option
@list_command
def positions(
    run: Run,
    ending: str,
    n: int | None,
    winner: str | None,
    side: str | None,
    with_copies: bool,
    sample: int | None,
    seed: int | None,
    position_format: str,
    metric: Metric | None,
    game: str | None,
    as_json: bool,
    as_csv: bool,
) -> None:
    """List the positions of one layer. With --all, includes symmetric copies."""
    explorer = run.explorer_for([ending], metric, game)
    name = _view_of(explorer, ending)
    winners = explorer.game.winners
    if winner is not None and winner not in winners:
        raise click.UsageError(_("--winner must be {winners} for {name}").format(winners=or_list(winners), name=name))
    check_format(explorer.game, position_format)
    if n is None and winner is not None:
        raise click.UsageError(_("--winner needs --layer; drawn positions have no winner"))
    if n is not None and side is not None:
        raise click.UsageError(_("--side works only for draws; with --layer, use --winner"))
    if n is not None and winner is None:
        winner = _only_winner(explorer, name, n)

    side_index = WINNERS.index(side or "white")
    total = explorer.count(name, winner, n, side_index)
    numbers: Sequence[int] = range(1, max(1, total) + 1)  # of an empty layer, the first raises an error
    if sample is not None:
        numbers = sorted(random.Random(seed).sample(numbers, min(sample, len(numbers))))
    if as_json:
        position_format = "json"
    table: CsvTable | None = None
    for number in numbers:
        position = explorer.nth(name, winner, n, number, side_index)
        copies = (position,)
        if with_copies:
            copies = explorer.game.copies_of(position)
        for copy in copies:
            if as_csv:
                document = position_document(explorer, name, copy)
                table = table or CsvTable(tuple(document))
                table.add(document)
                continue
            echo(format_position(explorer, name, copy, position_format))


def _only_winner(explorer: Explorer[Any, Any], name: str, n: int) -> str:
    """Return the only side that wins in layer n of an ending; raises LayerError if both do, or neither."""
    families = explorer.layers(name).families
    winners = [
        winner for winner, family in families.items() if any(layer.n == n and layer.canonical for layer in family)
    ]
    if len(winners) == 1:
        return winners[0]
    if winners:
        raise LayerError(
            _("S{n} of {name} has wins for both sides").format(name=name, n=n),
            _("add --winner {winners} or --winner {winners2}").format(winners=winners[0], winners2=winners[1]),
        )
    ranges: list[str] = []
    for winner, family in families.items():
        if winner in WINNERS:
            side = side_name(winner)
        else:
            side = _("the {winner}").format(winner=winner)
        ranges.append(_("{side} wins only up to S{family_n}").format(side=side, family_n=family[-1].n))
    raise LayerError(
        _("{name} has no layer S{n}").format(name=name, n=n), and_list(ranges) or _("all its positions are draws")
    )


def format_position(explorer: Explorer[Any, Any], ending: str, position: Any, position_format: str) -> str:
    """Return a position as a line.

    Args:
        explorer: Probes it, for EPD and JSON.
        ending: The name of its ending, for JSON.
        position: The position.
        position_format: ``fen``, ``key``, ``epd`` or ``json``.
    """
    game = explorer.game
    if position_format == "fen":
        return game.format(position)
    if position_format == "key":
        return game.formats["key"](position)
    if position_format == "epd":
        verdict = explorer.probe(position)
        operation = ""
        if verdict.depth:
            operation = _epd_operation(verdict.signed_depth, game.metric)
        return position.epd() + operation
    return json.dumps(position_document(explorer, ending, position))


def position_document(explorer: Explorer[Any, Any], ending: str, position: Any) -> dict[str, Any]:
    """Return a position, its key and its value for JSON; the depth, in plies, has the name of the metric."""
    game = explorer.game
    verdict = explorer.probe(position)
    return {
        "fen": game.format(position),
        "ending": ending,
        "key": game.index.key(position),
        "category": verdict.category.value,
        "wdl": verdict.category.wdl,
        game.metric: None if verdict.depth is None else verdict.signed_depth,
        "layer": verdict.depth,
        "winner": verdict.winner,
    }


def _epd_operation(depth: int, metric: Metric) -> str:
    """Return the EPD operation for a depth in plies, negative if the side to move loses.

    DTM becomes ``dm``, in moves to mate: 31 plies are ``dm 16``, -30 plies ``dm -15``. DTZ has no opcode and becomes a
    comment.
    """
    if not metric.in_moves:
        return f' c0 "{metric} {depth}";'
    moves = (depth + 1) // 2 if depth > 0 else -((1 - depth) // 2)
    return f" dm {moves};"


_NOTATIONS = ("fen", "short", "diagram", "key", "nested")


@click.command()
@click.argument("position", nargs=-1, required=True)
@click.option(
    "--to", "notation", type=click.Choice(_NOTATIONS), default="fen", show_default=True, help=_("Output notation.")
)
@game_option
@json_command
def convert(run: Run, position: tuple[str, ...], notation: str, game: str | None, as_json: bool) -> None:
    """Convert a position to another notation. With -, reads one position per line from standard input.

    Input formats: FEN, short FEN, EPD, a position key such as KQvKR:123456, a JSON object with a FEN, and a text
    diagram of nine lines that starts with the side to move; for Nine Men's Morris a line, a key such as 4-3:1234, and a
    nested state.
    """

    def document_of(text: str) -> dict[str, Any]:
        rules, parsed = _parse(run, text, game)
        return {"fen": rules.format(parsed), notation: _convert(run, text, notation, game)}

    text = " ".join(position)
    if text != STDIN:
        if as_json:
            print_json(document_of(text))
        else:
            echo(_convert(run, text, notation, game))
        return
    if as_json:
        sys.exit(int(_answer_stream(document_of)))
    has_failed = False
    for number, line in stdin_positions():
        try:
            echo(_convert(run, line, notation, game))
        except EndgameError as error:
            has_failed = True
            narrate_problem(_("line {number}: {error}").format(number=number, error=error))
    sys.exit(int(has_failed))


def _convert(run: Run, text: str, notation: str, game: str | None) -> str:
    """Return a position as typed in another notation; raises EndgameError."""
    rules, position = _parse(run, text, game)
    if notation not in rules.formats:
        raise EndgameError(
            _("--to {notation} is not available for {rules}").format(notation=notation, rules=rules.name),
            _("choose one of {formats}").format(formats=", ".join(rules.formats)),
        )
    result = rules.formats[notation](position)
    # Compared by the moves: a right that no pawn can use makes no difference.
    if notation == "key" and rules.moves(rules.parse(result)) != rules.moves(position):
        narrate(_("keys cannot store en passant rights; the right in this position is omitted"))
    return result


_MAP_COLOURS = {
    Category.WIN: "#2c7a3acc",
    Category.CURSED_WIN: "#0c7468cc",
    Category.DRAW: "#2763a8cc",
    Category.BLESSED_LOSS: "#7d3c98cc",
    Category.LOSS: "#b3352bcc",
}
"""Colours of the squares of a map, by the result for the side of the piece."""


@click.command()
@click.argument("position", nargs=-1, required=True)
@click.option("--arrows", metavar="best|MOVES", help=_("Draw the best moves, or moves such as 'Kd4 Ra5', as arrows."))
@click.option(
    "--map",
    "piece",
    metavar="PIECE",
    help=_("Colour each square by the result with PIECE on it (K, k, or its square, e.g. e4)."),
)
@click.option("--flip", is_flag=True, help=_("Draw the board from Black's side."))
@click.option(
    "--size", type=click.IntRange(100, 4000), default=400, show_default=True, help=_("Side length in pixels.")
)
@click.option("--svg", "format_", flag_value="svg", default=True, help=_("Write SVG (default)."))
@click.option("--png", "format_", flag_value="png", help=_("Write PNG; needs the 'pictures' extra."))
@click.option(
    "-o", "--output", type=click.Path(path_type=Path, dir_okay=False), help=_("File (default: standard output).")
)
@click.option("--force", is_flag=True, help=_("Overwrite the file if it exists."))
@syzygy_option
@gaviota_option
@game_option
@click.pass_obj
def diagram(
    run: Run,
    position: tuple[str, ...],
    arrows: str | None,
    piece: str | None,
    flip: bool,
    size: int,
    format_: str,
    output: Path | None,
    force: bool,
    game: str | None,
) -> None:
    """Draw POSITION as a picture. With -, reads the position from standard input."""
    from endgame_core.tasks.pictures import png_of

    judge, parsed = _parse_for_judge(run, only_position(position), game)
    rules = judge.game
    fills = {}
    if piece is not None:
        fills = _map_fills(run, rules, parsed, piece)
    view: PictureView[Any] = PictureView(_arrows(judge, parsed, arrows), fills, flip, size)
    svg = rules.picture(parsed, view)
    if output is not None and output.suffix.lower() == ".png":
        format_ = "png"
    if format_ == "png":
        data = png_of(svg)
    else:
        data = svg.encode()
    if output is None or str(output) == STDIN:
        if format_ == "png" and sys.stdout.isatty():
            raise EndgameError(_("a PNG file cannot be written to a terminal"), _("add -o FILE"))
        sys.stdout.buffer.write(data)
        return
    write_bytes(new_file(run.allowed_path(output), force), data)


def _arrows(judge: Judge[Any, Any], position: Any, arrows: str | None) -> tuple[Any, ...]:
    """Return the moves to draw as arrows; raises EndgameError if these are the best moves and no table knows them."""
    if arrows is None:
        return ()
    if arrows != "best":
        return tuple(judge.game.parse_move(position, text) for text in arrows.replace(",", " ").split())
    probe = judge.probe(position)
    if probe.best is None:
        raise probe.problem or EndgameError(_("there is no best move"), _("the game is over here"))
    return tuple(rated.move for rated in probe.moves if rated.grade == "best")


def _map_fills(run: Run, game: Game[Any, Any], position: Any, piece: str) -> dict[int, str]:
    """The colours of the squares by the result with a piece there; raises EndgameError if there is no such piece."""
    from endgame_core.tasks.square_map import Placing
    from endgame_core.tasks.walk import Walk
    from endgame_core.words.glossary import speech_of

    # First, because without a table for this ending no square would have a colour.
    verdict = run.lab.judge(game.name).probe_by_depth(position)
    if verdict.verdict is None:
        raise verdict.problem or EndgameError(_("this position is not in any table"), _("leave out --map"))
    walk: Walk[Any, Any] = Walk(run.lab, game.name)
    walk.go(position)
    # -1 is no square: the map is that of the first piece until point() picks another one.
    placing = Placing(walk, -1)
    speech = speech_of(game.name)
    signs = {man.place: man.sign for man in speech.placed(position)}
    names = {number: speech.place(number) for number in placing.men}
    squares = [number for number, name in names.items() if piece in (name, signs[name])]
    if not squares:
        piece_signs = ", ".join(dict.fromkeys(signs.values()))
        raise EndgameError(
            _("there is no piece {piece}").format(piece=quoted(piece)),
            _("choose one of {known}, or type its square").format(known=piece_signs),
        )
    placing.point(squares[0])
    placing.find()
    spots = placing.spots or {}
    fills: dict[int, str] = {}
    for number, spot in spots.items():
        if spot.category is not None and spot.category in _MAP_COLOURS:
            fills[number] = _MAP_COLOURS[spot.category]
    return fills


COMMANDS = list(map(run_options, [diagram, probe, convert, layers, positions, line, previous]))
"""All commands of this module."""

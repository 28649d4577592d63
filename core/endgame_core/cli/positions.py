"""The commands that answer about positions and layers."""

from __future__ import annotations

import io
import json
import random
import re
import select
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any, cast

import click

from endgame_core.answers import UNKNOWN, best_play, clock_warning, line_document, probe_document
from endgame_core.cli.common import (
    CHESS,
    Run,
    aligned,
    answering,
    document,
    echo,
    ending_argument,
    game_option,
    json_option,
    metric_option,
    narrate,
    position_of,
    positions_in,
    syzygy_option,
    table,
)
from endgame_core.errors import EndgameError, LayerError
from endgame_core.game import Game
from endgame_core.judge import Judge, ProbeResult
from endgame_core.tables.explorer import Explorer, LayerCount
from endgame_core.values import WINNERS, Category
from endgame_core.words import position as words
from endgame_core.words.text_model import grouped

_AT_ONCE = 1 << 20
"""Bytes of positions that are read at once."""
_STREAM = 1 << 15
"""Who writes so many bytes at once does not wait for answers."""
_SOON = 0.02
"""Seconds to wait for more from them."""
_FOR_MANY = 1_000_000_000
"""Bytes of unpacked tables that are kept where many positions are asked for: all of four men by both metrics fit in."""


@click.command()
@click.argument("position", nargs=-1, required=True)
@syzygy_option
@game_option
@json_option
@click.option("--brief", is_flag=True, help="Print JSON without the moves; fastest for many positions.")
@click.option("--line", "with_line", is_flag=True, help="With -, also print the best line of each position.")
@click.pass_obj
def probe(run: Run, position: tuple[str, ...], game: str | None, as_json: bool, brief: bool, with_line: bool) -> None:
    """Show the value of a position and of every move. With -, reads positions from standard input."""
    if position == ("-",):
        run.memory = _FOR_MANY
        sys.exit(_probe_briefly(run, game) if brief else _probe_stream(run, game, with_line))
    judge, result = _read(run, " ".join(position), game)
    told = probe_document(judge, result)
    if brief:
        from endgame_core.chess.bulk import in_brief

        document(in_brief(told))
        return
    if as_json:
        document(told)
        return
    for line in _told(judge.probe(result), told):
        echo(line)


def _parsed(run: Run, text: str, game: str | None) -> tuple[Game[Any, Any], Any]:
    """A position, and its game."""
    text = position_of(text)
    rules = run.explorer([text], game=game).game
    return rules, rules.parse(text)


def _read(run: Run, text: str, game: str | None) -> tuple[Judge[Any, Any], Any]:
    """A position, and who knows all about it."""
    rules, result = _parsed(run, text, game)
    return run.laboratory.judge(rules.name), result


def _probe_stream(run: Run, game: str | None, with_line: bool) -> int:
    """Answers one JSON object per line, in order; a bad line gets an object with its error."""
    failed = 0
    for _, line in positions_in(sys.stdin.buffer):
        result = _answered(run, line, game, with_line)
        failed |= "error" in result
        document(result)
    return failed


def _answered(run: Run, line: str, game: str | None, with_line: bool = False) -> dict[str, Any]:
    """All about the position on a line, or what is wrong with it."""
    try:
        return probe_document(*_read(run, line, game), with_line)
    except EndgameError as error:
        return {"fen": line.strip(), "error": str(error)}


def _probe_briefly(run: Run, game: str | None) -> int:
    """The same in brief, and by the thousand: as many lines as can be read at once."""
    from endgame_core.chess.bulk import BulkProber

    library, failed = run.laboratory.library, 0
    briefly = BulkProber(library("dtm"), library("dtz"))
    given = cast(io.BufferedIOBase, sys.stdin.buffer)
    waiting: list[str] = []

    def lines() -> Iterator[bytes]:
        """Whoever waits for an answer before asking on gets it: what has come is answered before more is read."""
        nonlocal failed
        rest = b""
        while read := _much(given):
            *whole, rest = (rest + read).split(b"\n")
            yield from (line + b"\n" for line in whole)
            failed |= _told_briefly(run, game, briefly, waiting)
            waiting.clear()
        yield rest

    for _, line in positions_in(lines()):
        waiting.append(line)
    return failed | _told_briefly(run, game, briefly, waiting)


def _much(given: io.BufferedIOBase) -> bytes:
    """What has come; of a stream, of which a pipe holds little at a time, more of it."""
    result = read = given.read1(_AT_ONCE)
    with suppress(OSError, ValueError):  # on some systems pipes cannot be asked
        while len(read) >= _STREAM and len(result) < _AT_ONCE and select.select([given], [], [], _SOON)[0]:
            read = given.read1(_AT_ONCE)
            result += read
    return result


def _told_briefly(run: Run, game: str | None, briefly: Any, lines: list[str]) -> int:
    from endgame_core.chess.bulk import in_brief

    failed = 0
    told = briefly.tell(lines) if game in (None, CHESS) else [""] * len(lines)
    for number, line in enumerate(lines):
        if not told[number]:
            result = _answered(run, line, game)
            failed |= "error" in result
            told[number] = json.dumps(result if "error" in result else in_brief(result))
    if told:
        echo("\n".join(told))
    return failed


def _told(known: ProbeResult[Any, Any], found: dict[str, Any]) -> Iterator[str]:
    """A document in words, line by line; DTZ and the clock only where they are told of."""
    yield words.standing(known, known.game)
    if known.is_ended_by_limit:
        yield words.ENDED
        return
    by_dtz = found.get("dtz") is not None
    if known.is_over and "fifty" in found:
        yield found["fifty"] if by_dtz else found["reason"]
        return
    if "fifty" in found:
        yield found["fifty"]
    if found["reason"] not in ("", found.get("fifty")):
        yield found["reason"]
    if found["line"]:
        by = f"by {found['line_by'].upper()}: " if "line_by" in found else ""
        yield by + words.line_of(known, found["line"], bool(found.get("line_cut")))
    if found.get("line_cut"):
        yield f"{words.CUT}{found['line_cut']}"
    if "fifty" in found:
        yield f"moves, the best by {found['line_by'].upper()} first:"
    yield from aligned([_row(move) for move in found["moves"]])


def _row(move: dict[str, Any]) -> list[str]:
    """A move, its layer, its DTZ where that is told of, what it does, and that in a sentence."""
    told = ["–" if move["layer"] is None else f"S{move['layer']}"]
    if "dtz" in move:
        told.append(f"DTZ {abs(move['dtz'])}" if move["dtz"] else "–")
    sentence = [move["sentence"]] if "sentence" in move else []
    does = UNKNOWN if move["category"] == UNKNOWN else words.FOR_MOVER[Category(move["category"])]
    return [f"  {move['san']}", *told, does, *sentence]


@click.command()
@click.argument("position", nargs=-1, required=True)
@metric_option
@syzygy_option
@game_option
@answering
def line(run: Run, position: tuple[str, ...], metric: str | None, game: str | None, as_json: bool) -> None:
    """Show the best moves of both sides. Follows DTM, or DTZ if DTM is unknown or the 50-move counter matters."""
    text = " ".join(position)
    run.explorer([position_of(text)], metric, game)  # says that a metric is not for this game
    play = best_play(*_read(run, text, game), metric)
    if as_json:
        document(line_document(play))
        return
    known, result = play.probe, play.line
    if not known.legal:
        echo("the game is over")
        return
    if known.clock is not None:
        echo(f"by {result.metric.upper()}", err=True)
    told = words.line_of(known, result.sans, result.problem is not None)
    if not told and known.clock is not None and result.problem is None:
        told = words.ENDED if known.is_ended_by_limit or known.fifty is None else words.fifty_verdict(known.fifty)
    if told:
        echo(told)
    for sentence in words.after_line(play, clock_warning(play) if metric is None else None):
        echo(sentence, err=True)


@click.command()
@click.argument("position", nargs=-1, required=True)
@click.option("--captures", is_flag=True, help="Include captures of every possible piece.")
@metric_option
@game_option
@answering
def previous(
    run: Run, position: tuple[str, ...], captures: bool, metric: str | None, game: str | None, as_json: bool
) -> None:
    """List the positions one move before POSITION. Those where that move is best come first."""
    text = position_of(" ".join(position))
    explorer = run.explorer([text], metric, game)
    result = explorer.previous(explorer.game.parse(text), captures)
    rows = [(back, explorer.game.format(back.position)) for back in result]
    if as_json:
        document(
            {
                "previous": [
                    {
                        "fen": fen, "move": explorer.game.uci(back.move), "san": back.san, "kind": back.kind,
                        "layer": back.layer, "best": back.best,
                    }
                    for back, fen in rows
                ]
            }
        )  # fmt: skip
        return
    if not rows:
        echo("no move that tables know leads there", err=True)
    table((back.san, "–" if back.layer is None else f"S{back.layer}", words.gave_up(back), fen) for back, fen in rows)


@click.command()
@ending_argument
@metric_option
@game_option
@answering
def layers(run: Run, ending: str, metric: str | None, game: str | None, as_json: bool) -> None:
    """Count the positions in every layer of an ending. For 3-4, those with three stones to move."""
    explorer = run.explorer([ending], metric, game)
    result = explorer.layers(_view(explorer, ending))
    draws = _draws(explorer, result.ending, result.draws)
    every = len(draws) > 1  # where there is one side to move, many layers are none
    families = {
        winner: [layer for layer in family if layer.boards or every] for winner, family in result.families.items()
    }
    if as_json:
        counts = {side: {"canonical": count.canonical, "all": count.boards} for side, count in draws.items()}
        told = [
            {"winner": winner, "n": layer.n, "canonical": layer.canonical, "all": layer.boards}
            for winner, family in families.items()
            for layer in family
        ]
        deepest = [{"winner": winner, "n": n, "fen": fen} for winner, (n, fen) in result.deepest.items()]
        document(
            {
                "ending": result.ending,
                "metric": explorer.game.metric,
                "layers": told,
                "draws": counts if len(counts) > 1 else next(iter(counts.values())),
                "longest": deepest,
            }
        )
        return
    for winner, family in families.items():
        echo(f"{result.ending}  {winner.capitalize()} wins")
        _counts("layer", [(f"S{layer.n}", layer) for layer in family])
    echo(f"{result.ending}  draws")
    _counts("to move", [(side.capitalize(), count) for side, count in draws.items()])


def _counts(what: str, rows: list[tuple[str, LayerCount]]) -> None:
    result = [(name, grouped(count.boards), grouped(count.canonical)) for name, count in rows]
    table([(what, "boards", "unique"), *result], right=(1, 2))


def _draws(explorer: Explorer[Any, Any], ending: str, counted: dict[str, LayerCount]) -> dict[str, LayerCount]:
    """The draws of each side to move; once where the layers of an ending have only one side to move."""
    parts = [tuple(explorer.game.index.parts(ending, None, None, side)) for side in range(len(counted))]
    return {side: count for at, (side, count) in enumerate(counted.items()) if parts[at] not in parts[:at]}


def _view(explorer: Explorer[Any, Any], text: str) -> str:
    """The ending as its layers are named: of stones, from the side of the player to move, as it was spelled."""

    def plain(name: str) -> str:
        return re.sub(r"\W", "", name)

    name = explorer.game.canonical_name(text)
    return next((view for view in explorer.game.views(name) if plain(view) == plain(text)), name)


@click.command()
@ending_argument
@click.option("--layer", "n", type=int, help="Layer number n of S_n (default: list draws).")
@click.option(
    "--winner",
    type=click.Choice(["white", "black", "mover", "opponent"]),
    help="Winner: white or black in chess; mover or opponent in pairs such as 3-4.",
)
@click.option("--side", type=click.Choice(["white", "black"]), help="Side to move, for draws (default: white).")
@click.option("--all", "every", is_flag=True, help="Include symmetric copies.")
@click.option(
    "--sample", type=click.IntRange(1), help="Print N positions chosen at random, with their copies if --all is given."
)
@click.option("--seed", type=int, help="Seed of the random choice.")
@click.option("--format", "form", type=click.Choice(["fen", "epd", "key", "json"]), default="fen")
@metric_option
@game_option
@answering
def positions(
    run: Run, ending: str, form: str, metric: str | None, game: str | None, as_json: bool, **which: Any
) -> None:
    """List the positions of one layer. With --all, includes symmetric copies."""
    n, winner, side = which["n"], which["winner"], WINNERS.index(which["side"] or "white")
    explorer = run.explorer([ending], metric, game)
    name = _view(explorer, ending)
    winners = explorer.game.winners
    if winner is not None and winner not in winners:
        raise click.UsageError(f"--winner is {' or '.join(winners)} in {name}")
    if form == "epd" and explorer.game.name != CHESS:
        raise click.UsageError("EPD is for chess")
    if n is None and winner is not None:
        raise click.UsageError("--winner needs --layer; the draws have none")
    if n is not None and which["side"] is not None:
        raise click.UsageError("--side works for draws only; in a layer use --winner")
    if n is not None and winner is None:
        winner = _only_winner(explorer, name, n)
    numbers: Sequence[int] = range(1, max(1, explorer.count(name, winner, n, side)) + 1)
    if which["sample"] is not None:
        numbers = sorted(random.Random(which["seed"]).sample(numbers, min(which["sample"], len(numbers))))
    for number in numbers:
        result = explorer.nth(name, winner, n, number, side)
        for position in explorer.game.copies_of(result) if which["every"] else (result,):
            echo(written(explorer, name, position, "json" if as_json else form))


def _only_winner(explorer: Explorer[Any, Any], name: str, n: int) -> str:
    """The one side that has layer n; asks for --winner when both do."""
    families = explorer.layers(name).families
    have = [w for w, family in families.items() if any(c.n == n and c.canonical for c in family)]
    if len(have) == 1:
        return have[0]
    if have:
        raise LayerError(f"in {name} both sides win in S{n}", f"add --winner {have[0]} or --winner {have[1]}")
    wins = [f"{w.capitalize() if w in WINNERS else f'the {w}'} wins up to S{f[-1].n}" for w, f in families.items()]
    raise LayerError(f"{name} has no layer S{n}", " and ".join(wins) or "all its positions are draws")


def written(explorer: Explorer[Any, Any], name: str, position: Any, form: str) -> str:
    """A position in a format."""
    game = explorer.game
    if form == "fen":
        return game.format(position)
    if form == "key":
        return game.formats["key"](position)
    if form == "epd":
        verdict = explorer.probe(position)
        return position.epd() + ("" if not verdict.depth else _operation(verdict.signed_depth, game.metric))
    return json.dumps(facts_of(explorer, name, position))


def facts_of(explorer: Explorer[Any, Any], name: str, position: Any) -> dict[str, Any]:
    """A position and what it is worth, as JSON tells it."""
    game, verdict = explorer.game, explorer.probe(position)
    return {
        "fen": game.format(position),
        "ending": name,
        "key": game.index.key(position),
        "category": verdict.category.value,
        "wdl": verdict.category.wdl,
        game.metric: None if verdict.depth is None else verdict.signed_depth,
        "layer": verdict.depth,
        "winner": verdict.winner,
    }


def _operation(depth: int, metric: str) -> str:
    """The EPD operation that tells a depth: moves to mate have one of their own, DTZ is a comment."""
    if metric != "dtm":
        return f' c0 "{metric} {depth}";'
    return f" dm {(depth + 1) // 2 if depth > 0 else -((1 - depth) // 2)};"


_FORMS = ("fen", "short", "diagram", "key", "nested")


@click.command()
@click.argument("position", nargs=-1, required=True)
@click.option("--to", "form", type=click.Choice(_FORMS), default="fen", show_default=True, help="Output notation.")
@game_option
@click.pass_obj
def convert(run: Run, position: tuple[str, ...], form: str, game: str | None) -> None:
    """Convert a position to another notation. With -, reads one position a line from standard input.

    Input formats: FEN, short FEN, EPD, a position key such as KQvKR:123456, a JSON object with a FEN, and a text
    diagram of nine lines that starts with the side to move; for Nine Men's Morris a line, a key such as 4-3:1234, and
    a nested state.
    """
    if position != ("-",):
        echo(_in_form(run, " ".join(position), form, game))
        return
    failed = 0
    for number, text in positions_in(sys.stdin.buffer):
        try:
            echo(_in_form(run, text, form, game))
        except EndgameError as error:
            failed = 1
            narrate(f"line {number}: {error}")
    sys.exit(failed)


def _in_form(run: Run, text: str, form: str, game: str | None) -> str:
    rules, result = _parsed(run, text, game)
    if form not in rules.formats:
        raise EndgameError(f"--to {form} is not for {rules.name}", f"choose one of {', '.join(rules.formats)}")
    written = rules.formats[form](result)
    if form == "key" and rules.moves(rules.parse(written)) != rules.moves(result):
        narrate("a key has no room for a right to capture en passant: it is left out")
    return written


COMMANDS = [probe, convert, layers, positions, line, previous]
"""All commands of this module."""

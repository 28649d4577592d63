"""The commands about positions and layers."""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Iterator
from typing import Any

import chess
import click

from endgame_core.answers import best_play, line_document, probe_document
from endgame_core.chess import notation
from endgame_core.cli import output
from endgame_core.cli.session import Session, game_option, metric_option, syzygy_option
from endgame_core.errors import EndgameError, LayerError
from endgame_core.judge import Judge
from endgame_core.morris.game import MORRIS
from endgame_core.morris.texts import from_mover
from endgame_core.morris.texts import parse as parse_stones
from endgame_core.tables.explorer import Explorer
from endgame_core.values import HORIZON, LAST_CLOCK
from endgame_core.words import fifty

_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
_ending = click.argument("ending")
_CUT = "the line ends there: "
"""Goes before the sentence that tells what is missing for the rest."""


@click.command()
@click.argument("position", nargs=-1, required=True)
@syzygy_option
@game_option
@_json
@click.pass_obj
def probe(session: Session, position: tuple[str, ...], syzygy: str | None, game: str | None, as_json: bool) -> None:
    """Tell the value of a position and of every move. With -, read positions from standard input."""
    if position == ("-",):
        sys.exit(_probe_stream(session, session.judge(syzygy), game))
    text = " ".join(position)
    explorer = session.chosen([text], None, game)
    if explorer.game.name == MORRIS.name:
        _probe_stones(explorer, text, as_json)
        return
    board = session.game.parse(text)
    found = probe_document(session.judge(syzygy), board)
    if as_json:
        output.document(found)
        return
    click.echo(_verdict_words(found))
    if found["moves"] and found["clock"] >= LAST_CLOCK:
        click.echo(fifty.ENDED)
        return
    if not found["moves"]:
        click.echo(found["reason"] if found["dtz"] is None else found["fifty"])
        return
    click.echo(found["fifty"])
    click.echo(found["reason"])
    if found["line"]:
        words = _line_words(board, found["line"], found["line_cut"])
        click.echo(f"by {found['line_by'].upper()}: {words}")
    if found["line_cut"]:
        click.echo(f"{_CUT}{found['line_cut']}")
    click.echo(f"moves, the best by {'DTM' if found['dtz'] is None else 'DTZ'} first:")
    rows = [
        (f"  {move['san']}", _depth("S", move["layer"]), _depth("DTZ ", move["dtz"]), _seen_by_mover(move["category"]),
         move["sentence"])
        for move in found["moves"]
    ]  # fmt: skip
    output.table(rows)


def _plies(number: int) -> str:
    return "1 ply" if number == 1 else f"{number} plies"


def _probe_stones(explorer: Explorer[Any, Any], text: str, as_json: bool) -> None:
    position = parse_stones(text)
    found = probe_document(Judge(explorer), position)
    if as_json:
        output.document(found)
        return
    winner = (found["winner"] or "").capitalize()
    wins = f": {winner} has won" if found["layer"] == 0 else f": {winner} wins in {_plies(found['layer'])}"
    click.echo(f"{found['ending'] or 'the game is over'}  {found['category']}{wins if winner else ''}")
    click.echo(found["reason"])
    if found["line"]:
        click.echo(" ".join(found["line"]))
    rows = [
        (f"  {move['san']}", _depth("S", move["layer"]), _seen_by_mover(move["category"])) for move in found["moves"]
    ]
    if rows:
        output.table(rows)


def _depth(name: str, plies: int | None) -> str:
    return f"{name}{abs(plies)}" if plies else "–"


def _seen_by_mover(category: str) -> str:
    turned = {"win": "loses", "loss": "wins", "draw": "draws", "cursed-win": "blessed", "blessed-loss": "cursed"}
    return turned.get(category, "may win" if category == "maybe-loss" else "may lose")


def _verdict_words(found: dict[str, Any]) -> str:
    """``KQvKR  win: White mates in 31 (61 plies), DTZ 12, clock 40 of 100``."""
    head = f"{found['ending']}  {found['category'].replace('-', ' ')}"
    if found["stalemate"] or found["checkmate"]:
        return f"{head}: {'stalemate' if found['stalemate'] else 'checkmate'}"
    if found["category"] == "draw":
        return head
    clock = found["clock"]
    facts = [f"clock {clock} of {HORIZON}" if clock <= HORIZON else f"clock {clock}, past {HORIZON}"]
    if found["dtz"]:
        facts.insert(0, f"DTZ {abs(found['dtz'])}")
    if found["layer"] is not None:
        facts.insert(0, f"{found['winner'].capitalize()} mates in {(found['layer'] + 1) // 2} ({found['layer']} plies)")
    return f"{head}: {', '.join(facts)}"


def _probe_stream(session: Session, judge: Judge[Any, Any], game: str | None) -> int:
    """Answers one JSON object per line, in order; a bad line gets an object with its error."""
    failed = 0
    for read in sys.stdin.buffer:
        line = read.decode(errors="replace")
        if not line.strip():
            continue
        try:
            explorer = session.chosen([line], None, game)
            if explorer.game.name == MORRIS.name:
                output.document(probe_document(Judge(explorer), parse_stones(line)))
            else:
                output.document(probe_document(judge, session.game.parse(line)))
        except EndgameError as error:
            failed = 1
            output.document({"fen": line.strip(), "error": str(error)})
    return failed


@click.command()
@_ending
@metric_option
@game_option
@_json
@click.pass_obj
def layers(session: Session, ending: str, metric: str | None, game: str | None, as_json: bool) -> None:
    """Count the positions of every layer of an ending; of 3-4, those in which three stones are to move."""
    explorer = session.chosen([ending], metric, game)
    found = explorer.layers(_spelled(explorer, ending))
    if as_json:
        output.document(output.layers(found, explorer.game.metric))
        return
    for winner, family in found.families.items():
        click.echo(f"{found.ending}  {winner.capitalize()} wins")
        rows = [("layer", "boards", "unique")]
        shown = [c for c in family if c.boards or explorer.game.name != MORRIS.name]
        rows += [(f"S{c.n}", output.number(c.boards), output.number(c.canonical)) for c in shown]
        output.table(rows, right=(1, 2))
    click.echo(f"{found.ending}  draws")
    rows = [("to move", "boards", "unique")]
    draws = found.draws if explorer.game.name != MORRIS.name else {"mover": found.draws["mover"]}
    rows += [(s.capitalize(), output.number(c.boards), output.number(c.canonical)) for s, c in draws.items()]
    output.table(rows, right=(1, 2))


def _spelled(explorer: Explorer[Any, Any], ending: str) -> str:
    """The ending as its layers are named: of stones, from the side of the player to move."""
    name = explorer.game.canonical_name(ending)
    return from_mover(ending) if explorer.game.name == MORRIS.name else name


@click.command()
@_ending
@click.option("--layer", "n", type=int, help="The n of S_n; without it, the draws.")
@click.option(
    "--winner",
    type=click.Choice(["white", "black", "mover", "opponent"]),
    help="Who wins: white or black in chess, White being named first; mover or opponent in pairs such as 3-4.",
)
@click.option("--side", type=click.Choice(["white", "black"]), default="white", help="Side to move, for draws.")
@click.option("--sample", type=click.IntRange(1), help="So many, chosen at random.")
@click.option("--seed", type=int, help="Makes the choice repeatable.")
@click.option("--format", "form", type=click.Choice(["fen", "epd", "key", "json"]), default="fen")
@metric_option
@game_option
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
    metric: str | None,
    game: str | None,
    as_json: bool,
) -> None:
    """List the canonical positions of one layer."""
    explorer = session.chosen([ending], metric, game)
    name = _spelled(explorer, ending)
    if winner is not None and winner not in explorer.game.winners:
        raise click.UsageError(f"--winner is {' or '.join(explorer.game.winners)} in {name}")
    if form == "epd" and explorer.game.name == MORRIS.name:
        raise click.UsageError("EPD is for chess")
    if n is None and winner is not None:
        raise click.UsageError("--winner needs --layer; the draws have none")
    if n is not None and winner is None:
        winner = _only_winner(explorer, name, n)
    for position in _walk(explorer, name, winner, n, 0 if side == "white" else 1, sample, seed):
        click.echo(_written(explorer, name, position, "json" if as_json else form))


def _only_winner(explorer: Explorer[Any, Any], name: str, n: int) -> str:
    """The one side that has layer n; asks for --winner when both do."""
    families = explorer.layers(name).families
    have = [w for w, family in families.items() if any(c.n == n and c.canonical for c in family)]
    if len(have) == 1:
        return have[0]
    if have:
        raise LayerError(f"in {name} both sides win in S{n}", f"add --winner {have[0]} or --winner {have[1]}")
    last = ", ".join(f"{w} up to S{family[-1].n}" for w, family in families.items()) or "no layer"
    raise LayerError(f"{name} has no layer S{n}", f"it has {last}")


def _walk(
    explorer: Explorer[Any, Any],
    name: str,
    winner: str | None,
    n: int | None,
    side: int,
    sample: int | None,
    seed: int | None,
) -> Iterator[Any]:
    total = explorer.count(name, winner, n, side)
    if not total:
        explorer.nth(name, winner, n, 1, side)
    numbers: Any = range(1, total + 1)
    if sample is not None:
        numbers = sorted(random.Random(seed).sample(range(1, total + 1), min(sample, total)))
    for number in numbers:
        yield explorer.nth(name, winner, n, number, side)


def _written(explorer: Explorer[Any, Any], name: str, position: Any, form: str) -> str:
    game = explorer.game
    if form == "fen":
        return game.format(position)
    if form == "key":
        ending = game.ending_of(position) if game.name == MORRIS.name else notation.plain_name(position)
        return f"{ending}:{game.key(position)}"
    verdict = explorer.probe(position)
    signed = output.signed(verdict)
    if form == "epd":
        return position.epd() + ("" if not signed else _operation(signed, game.metric))
    return json.dumps(
        {
            "fen": game.format(position),
            "ending": name,
            "key": game.key(position),
            "category": verdict.category.value,
            game.metric: signed,
            "layer": verdict.layer,
            "winner": verdict.winner,
        }
    )


def _operation(depth: int, metric: str) -> str:
    """The EPD operation that tells a depth: moves to mate have one of their own, DTZ is a comment."""
    if metric != "dtm":
        return f' c0 "{metric} {depth}";'
    return f" dm {(depth + 1) // 2 if depth > 0 else -((1 - depth) // 2)};"


@click.command()
@click.argument("position", nargs=-1, required=True)
@metric_option
@syzygy_option
@game_option
@_json
@click.pass_obj
def line(
    session: Session, position: tuple[str, ...], metric: str | None, syzygy: str | None, game: str | None, as_json: bool
) -> None:
    """Show one optimal continuation: by DTM, or by DTZ where that is not known or where the clock matters."""
    text = " ".join(position)
    explorer = session.chosen([text], metric, game)
    if explorer.game.name == MORRIS.name:
        _line_of_stones(explorer, text, as_json)
        return
    board = session.game.parse(text)
    play = best_play(session.judge(syzygy), board, metric)
    found = play.line
    if as_json:
        output.document(line_document(play))
        return
    if not play.known.legal:
        click.echo("the game is over")
        return
    click.echo(f"by {found.metric.upper()}", err=True)
    words = _line_words(board, found.sans, found.cut)
    if not words and board.halfmove_clock >= LAST_CLOCK:
        words = fifty.ENDED
    if not words and play.known.fifty is not None:
        words = fifty.verdict(play.known.fifty)
    click.echo(words)
    if found.cut is not None:
        click.echo(f"{_CUT}{found.cut}", err=True)


def _line_words(board: chess.Board, moves: list[str], cut: object) -> str:
    """A line with its numbers, and an ellipsis where the rest is not known."""
    return output.numbered(board, moves) + (" …" if moves and cut is not None else "")


def _line_of_stones(explorer: Explorer[Any, Any], text: str, as_json: bool) -> None:
    play = best_play(Judge(explorer), parse_stones(text))
    if as_json:
        output.document(line_document(play))
    else:
        click.echo(" ".join(play.line.sans) or "the game is over")


COMMANDS = [probe, layers, positions, line]
"""All commands of this module."""

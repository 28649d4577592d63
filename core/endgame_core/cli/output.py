"""How results are printed: JSON documents, or aligned words for people."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import chess
import click

from endgame_core.chess import notation
from endgame_core.chess.fifty import words
from endgame_core.chess.fifty.answers import Answers
from endgame_core.chess.fifty.best_play import BestPlay, best_play
from endgame_core.errors import EndgameError, EndingError, MissingError, NotBuiltError, TableError
from endgame_core.tables.explorer import Explorer, Layers
from endgame_core.values import Category, Verdict


def document(value: Any) -> None:
    """Prints one JSON document on one line."""
    click.echo(json.dumps(value))


def facts(values: Mapping[str, Any], as_json: bool) -> None:
    """Prints named facts, a line each, or as a JSON object."""
    if as_json:
        document(values)
        return
    width = max(len(name) for name in values)
    for name, value in values.items():
        click.echo(f"{name:<{width}}  {value}")


def table(rows: Iterable[Sequence[Any]], right: Sequence[int] = ()) -> None:
    """Prints rows in aligned columns; those in ``right`` to the right."""
    cells = [[str(cell) for cell in row] for row in rows]
    widths = [max(len(row[i]) for row in cells) for i in range(len(cells[0]))]
    for row in cells:
        parts = [cell.rjust(widths[i]) if i in right else cell.ljust(widths[i]) for i, cell in enumerate(row)]
        click.echo("  ".join(parts).rstrip())


def number(value: int) -> str:
    """An integer with thousands set apart by a space."""
    return f"{value:,}".replace(",", " ")


def byte_count(value: float) -> str:
    """Bytes in the largest fitting unit."""
    for unit in ("B", "KB", "MB"):
        if value < 1000:
            return f"{value:.0f} {unit}" if value >= 10 or unit == "B" else f"{value:.1f} {unit}"
        value /= 1000
    return f"{value:.1f} GB"


def duration(seconds: float) -> str:
    """Seconds in words: ``3 s``, ``12 min``, ``1 h 5 min``."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def signed(verdict: Verdict) -> int | None:
    """Depth, positive when the side to move wins and negative when it loses; None for a draw."""
    if verdict.depth is None:
        return None
    return verdict.depth if verdict.category in (Category.WIN, Category.CURSED_WIN) else -verdict.depth


def probe(answers: Answers, board: chess.Board) -> dict[str, Any]:
    """The probe document, in the shape of the lichess tablebase API with our additions.

    Raises:
        NotBuiltError: No table covers the position.
        EndgameError: None can, or one is damaged.
    """
    explorer = answers.explorer
    try:
        found = answers.standard(board)
    except MissingError as missing:
        raise nothing_known(missing) from None
    except TableError as damage:
        try:
            found = answers.by_dtm(board)
        except (NotBuiltError, EndingError):
            raise damage from None
    told, play = _clock_words(answers, board), best_play(answers, board)
    for move in found["moves"]:
        move |= {"layer": _layer(move), "sentence": told.get(move["uci"], "")}
    bare = board.occupied == board.kings
    return {
        "fen": explorer.game.format(board),
        "ending": "KvK" if bare else notation.name_of(board)[0],
        "clock": board.halfmove_clock,
        **found,
        "layer": _layer(found),
        "winner": play.winner,
        "line": [ply.san for ply in play.line],
        "line_by": play.metric,
        "line_cut": None if play.cut is None else str(play.cut),
        "reason": play.reason,
        "fifty": told[""],
    }


def _layer(facts: dict[str, Any]) -> int | None:
    """The layer by DTM; None for a draw, and where DTM is not known."""
    return 0 if facts["checkmate"] else abs(facts["dtm"] or 0) or None


def _clock_words(answers: Answers, board: chess.Board) -> dict[str, str]:
    """What every move does under the 50-move rule, by UCI; the position itself has no name."""
    try:
        told = {rated.move.uci(): words.move(rated) for rated in answers.fifty.moves(board)}
        return told | {"": words.verdict(answers.fifty.verdict(board))}
    except MissingError as missing:
        return {"": str(answers.lacking(board, missing))}
    except TableError as problem:
        return {"": str(problem)}


def nothing_known(missing: MissingError) -> EndgameError:
    """The error of a position of which nothing is known: with no Syzygy files, tables of both metrics may be built."""
    if missing.line or missing.name != f"{missing.ending} by DTZ":
        return missing
    build = f"run: endgame-tui build {missing.ending}, and again with --metric dtz for the 50-move rule"
    return NotBuiltError(missing.ending, build)


def line(board: chess.Board, play: BestPlay) -> dict[str, Any]:
    """The document of a line of chess."""
    return {
        "fen": notation.fen(board),
        "category": play.category.value,
        play.metric: play.depth,
        "winner": play.winner,
        "line_by": play.metric,
        "line": [{"uci": ply.uci, "san": ply.san, play.metric: ply.depth} for ply in play.line],
        "line_cut": None if play.cut is None else str(play.cut),
    }


def probe_stones(explorer: Explorer[Any, Any], position: Any) -> dict[str, Any]:
    """The probe document of a position of stones: ``depth`` in place of DTM, otherwise as for chess."""
    game, verdict = explorer.game, explorer.probe(position)
    return {
        "fen": game.format(position),
        "ending": None if game.is_trivial(position) else game.family(game.slot_of(position), verdict.category)[0],
        "category": verdict.category.value,
        "depth": signed(verdict),
        "layer": verdict.layer,
        "winner": verdict.winner,
        "moves": [
            {
                "uci": rated.uci, "san": rated.san, "category": rated.verdict.category.value,
                "depth": signed(rated.verdict), "layer": rated.layer,
            }
            for rated in explorer.moves(position)
        ],
        "line": [rated.san for rated in explorer.line(position)],
        "reason": explorer.reason(position).replace("  ", ": ", 1),
    }  # fmt: skip


def layers(found: Layers, metric: str) -> dict[str, Any]:
    """The layers document; an ending of stones has one side to move, and so one pair of counts of draws."""
    draws = {side: {"canonical": count.canonical, "all": count.boards} for side, count in found.draws.items()}
    return {
        "ending": found.ending,
        "metric": metric,
        "layers": [
            {"winner": winner, "n": layer.n, "canonical": layer.canonical, "all": layer.boards}
            for winner, family in found.families.items()
            for layer in family
            if layer.boards or metric != "depth"
        ],
        "draws": draws.get("mover", draws),
        "longest": [{"winner": winner, "n": n, "fen": fen} for winner, (n, fen) in found.longest.items()],
    }


def numbered(board: chess.Board, moves: Sequence[str]) -> str:
    """Moves with their numbers, as in a book; numbering starts at 1."""
    words: list[str] = []
    turn = board.turn
    number_ = 1
    for i, san in enumerate(moves):
        if turn:
            words.append(f"{number_}.{san}")
        else:
            words.append(f"{number_}…{san}" if i == 0 else san)
            number_ += 1
        turn = not turn
    return " ".join(words)

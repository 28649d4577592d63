"""How results are printed: JSON documents, or aligned words for people."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import chess
import click

from endgame_core.tables.explorer import Layers
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

"""A played game in words: what each move was worth and what was better, its moves in rows, how it ended."""

from __future__ import annotations

from typing import Any

from endgame_core.practice.match import Match
from endgame_core.values import Verdict

AnyMatch = Match[Any, Any]

# Sides, moves and layers by name


def side_name(side: str) -> str:
    """White or Black."""
    return side.capitalize()


def number_of(match: AnyMatch, ply: int) -> int:
    """The move number, from 1, of a ply counted from 0."""
    return (ply + (match.game.mover(match.start) == "black")) // 2 + 1


def move_name(match: AnyMatch, number: int) -> str:
    """A ply, counted from 0, with its move number: ``3.Kd5``, ``3…Kd7``."""
    ply = match.plies[number]
    return f"{number_of(match, number)}{'.' if ply.mover == 'white' else '…'}{ply.san}"


def layer_words(verdict: Verdict | None) -> str:
    """``S12``, or ``a draw``."""
    return "a draw" if verdict is None or verdict.depth is None else f"S{verdict.depth}"

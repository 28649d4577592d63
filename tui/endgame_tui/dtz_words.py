"""How a game stands and what a move was worth where DTZ alone tells: no mate is known, and no plies are counted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from endgame_core.grading import Kind
from endgame_core.practice.match import Match
from endgame_core.practice.played import Ply
from endgame_core.values import Category
from endgame_core.words.numbers import count, either
from endgame_core.words.told import KINDS, Said, distance
from endgame_tui.clocks import Known

BY_DTZ = "Replies and hints are those of DTZ."
ESTIMATES = "a table is missing: replies are estimates."


def heading(known: Known) -> tuple[str, str]:
    """Category and DTZ of the side to move, such as ``Win, DTZ 13``, and its role; empty where nothing is known."""
    if known.verdict is None:
        return "", "text"
    verdict, kind = known.verdict, KINDS[known.verdict.category]
    words = f"{kind.words[:1].upper()}{kind.words[1:]}"
    if verdict.category is Category.DRAW:
        return words, kind.role
    return f"{words}, DTZ {distance(verdict.dtz, exact=verdict.precise_dtz is not None)}", kind.role


def standing_view(match: Match[Any, Any], known: Known, begun: str) -> Said:
    """Category and DTZ, and after ``begun``, where the game began, how often your moves have changed the result."""
    words, role = heading(known)
    tally, moves = match.tally, sum(ply.mover == match.you for ply in match.plies)
    played = count(moves, "move", "moves") + " played"
    if tally.moves < moves:
        played += ", not all graded"
    if tally.errors:
        played += f", the result changed {count(tally.errors, 'time', 'times')}"
    if not known.moves:
        return Said(words, f"{played}; {ESTIMATES}", role)
    return Said(words, f"{begun}{played}.", role, BY_DTZ)


def few(keeping: Sequence[str]) -> str:
    """The moves that keep the result, a clause: ``Qe4 keeps it``; empty for none."""
    if len(keeping) > 3:
        return f"{len(keeping)} moves keep it, such as {keeping[0]}"
    return f"{either(keeping)} keeps it" if keeping else ""


def worth(known: Known, keeping: Sequence[str], ply: Ply[Any, Any]) -> tuple[str, str]:
    """What a graded move was worth, in a sentence and in its role.

    Args:
        known: What the 50-move rule makes of the position before it.
        keeping: The moves that keep the result; none where that is not certain.
        ply: The move.
    """
    assert ply.grade is not None
    kind, was = ply.grade.kind, "win" if known.verdict is None else KINDS[known.verdict.category].words
    better = f" {few(keeping)}." if keeping else ""
    if ply.after.is_checkmate():
        return "mates: nothing is better.", "win"
    if kind in (Kind.KEEPS, Kind.HOLDS):
        verb, role = ("keeps the win", "win") if kind is Kind.KEEPS else ("holds", "draw")
        return f"{verb}{_others(len(keeping), len(known.moves))}.", role
    if kind is Kind.STILL_LOST:
        return "loses, as every move does.", "text"
    if kind is Kind.WIN_GONE:
        return f"lets the win go: a {was} becomes a draw.{better}", "draw"
    if kind is Kind.CURSED:
        return f"lets the win become cursed: the 50-move rule ends it first.{better}", "cursed"
    if kind is Kind.LOSES:
        return f"loses: a {was} becomes a loss.{better}", "loss"
    return f"is {ply.grade.words} by DTM.", "text"


def _others(keeping: int, moves: int) -> str:
    """How many of the other moves do what a move that keeps the result does."""
    if not keeping:
        return ""
    if moves == 1:
        return ": the only legal move"
    if keeping == 1:
        return ", and nothing else does"
    if keeping == moves:
        return ", as every move does"
    others = "does 1 other move" if keeping == 2 else f"do {keeping - 1} other moves"
    return f", as {others}; {moves - keeping} would not"


def unknown(before: Known, after: Known) -> str:
    """Why a move between two positions could not be graded, a clause."""
    if before.verdict is None:
        return "no table knows this position"
    if (problem := after.problem or before.problem) is not None:
        return problem.what
    return "DTZ is rounded, and one ply decides"

"""The sentence under the board: what a position is, and why the best move is best."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from endgame_core.tracked import Win
from endgame_core.values import Category, Verdict


class _Move(Protocol):
    san: Any
    grade: Any
    later: Any
    verdict: Any


_FEW = 3
_WON = {Win.MATE: "Checkmate", Win.STONES: "Two stones are left", Win.BLOCKED: "No stone can move"}


def _names(moves: Sequence[_Move]) -> str:
    words = [move.san for move in moves]
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " and " + words[-1]


def _lets_go(moves: Sequence[_Move], total: int) -> str:
    """What the moves that change the result do, or an empty text."""
    draws = [move for move in moves if move.grade == "draw"]
    losses = [move for move in moves if move.grade == "loss"]
    parts: list[str] = []
    for group, verb in ((draws, "give the win away"), (losses, "lose")):
        if group and len(group) <= _FEW:
            one = verb.replace("give", "gives").replace("lose", "loses") if len(group) == 1 else verb
            parts.append(f"{'only ' if total > 2 * _FEW else ''}{_names(group)} {one}")
        elif group:
            parts.append(f"{len(group)} {verb}")
    return ", ".join(parts)


def sentence(verdict: Verdict, moves: Sequence[Any], mover: str, won: Win | None = None) -> str:
    """Words for a verdict and its rated moves.

    Args:
        verdict: Of the position, seen by the side to move.
        moves: All legal moves, best first.
        mover: The side to move.
        won: By what the other side has won, when it has; by default mate.

    Returns:
        One sentence, such as ``S7 → S6  1 of 28 moves is shortest, 23 still win but later, 4 give the win away.``
    """
    side = mover.capitalize()
    if not moves:
        if verdict.depth == 0:
            return f"S0  {_WON[won or Win.MATE]}: {'White' if mover == 'black' else 'Black'} has won."
        return "Draw  The game is over." if verdict.category is Category.DRAW else "The game is over."
    best = [move for move in moves if move.grade == "best"]
    head = f"{len(best)} of {len(moves)} moves" if len(moves) > 1 else "the only move"
    if verdict.category is Category.DRAW:
        return _draw(best, moves, side, head)
    step = f"S{verdict.depth} → S{best[0].verdict.depth}  "
    if len(moves) == 1:
        return f"{step}{best[0].san} is forced, the only legal move."
    worse = [move for move in moves if move.grade in ("slower", "faster")]
    if verdict.category is Category.LOSS:
        if not worse:
            return f"{step}All {len(moves)} moves lose in the same number of plies."
        ties = f"{_names(best)} resists longest" if len(best) == 1 else f"{head} resist longest"
        return f"{step}{ties}, {len(worse)} lose{'s' if len(worse) == 1 else ''} sooner."
    lets_go = _lets_go(moves, len(moves))
    if not worse:
        if len(best) == len(moves):
            return f"{step}All {len(moves)} moves win equally fast."
        if len(best) == 1:
            return f"{step}Only {best[0].san} wins; {lets_go}."
        return f"{step}{head} tie; {lets_go}."
    shortest = "is shortest" if len(best) == 1 else "tie for shortest"
    later = f"{len(worse)} still win{'s' if len(worse) == 1 else ''} but later"
    return f"{step}{head} {shortest}, {later}{', ' + lets_go if lets_go else ''}."


def _draw(best: Sequence[_Move], moves: Sequence[_Move], side: str, head: str) -> str:
    losing = [move for move in moves if move.grade == "loss"]
    if len(moves) == 1:
        return f"Draw  {moves[0].san} is forced, and holds the draw."
    if not losing:
        return f"Draw  All {len(moves)} moves hold: {side} cannot go wrong here."
    if len(best) == 1:
        rest = f"{losing[0].san} loses" if len(losing) == 1 else f"the other {len(losing)} lose"
        return f"Draw  Only {best[0].san} holds, {rest}."
    tail = f"{_names(losing)} lose{'s' if len(losing) == 1 else ''}" if len(losing) <= _FEW else f"{len(losing)} lose"
    return f"Draw  {head} hold, {tail}."

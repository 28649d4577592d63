"""When a drill or a game is over, whether its goal was reached, and whether that counts as solved.

The rules are in ``docs/practice.md``. A drill is *solved* when its goal was reached without an error, without a hint,
and with at most :func:`allowed` plies lost; what was taken back counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from endgame_core.errors import EndgameError
from endgame_core.practice.defence import can_win
from endgame_core.practice.match import End, Match
from endgame_core.values import Category, Verdict, Winner

HOLD_MOVES = 15
"""Moves of the learner after which a position counts as held."""


class Goal(StrEnum):
    """What is to be reached."""

    WIN = "win"
    DRAW = "draw"
    LAST = "last"
    MOVE = "move"
    ANSWER = "answer"
    ANY = ""
    """Not to lose: in a game that no table knows, or a lost one of which none knows how long it can be held."""


def goal_of(verdict: Verdict | None, mover: Winner, learner: Winner) -> Goal:
    """What the learner's side can reach, given the verdict for the side to move."""
    if verdict is None:
        return Goal.ANY
    if verdict.category is Category.DRAW:
        return Goal.DRAW
    return Goal.WIN if (verdict.category is Category.WIN) == (mover == learner) else Goal.LAST


def allowed(perfect: int | None) -> int:
    """Plies that may be lost in a solved drill: a tenth of the perfect length, an even number, and at least 2."""
    return max(2, (perfect or 0) // 20 * 2)


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a drill stands.

    Attributes:
        over: Whether nothing more is asked of the learner.
        reached: Whether the goal was reached.
        why: What decided, in words: ``mate``, ``the win is gone``; empty while it goes on.
    """

    over: bool = False
    reached: bool = False
    why: str = ""


GOING_ON = Standing()


def standing(goal: Goal, match: Match[Any, Any]) -> Standing:
    """Where a played drill or game stands, by the rules of the game and by the tables.

    Args:
        goal: What is to be reached.
        match: What was played.
    """
    last = next((ply for ply in reversed(match.played) if ply.mover == match.you), None)
    if goal is Goal.MOVE and last is not None:
        kept = last.grade is not None and not last.grade.kind.is_error
        return Standing(True, kept, "the only move" if kept else "the result is gone")
    if match.result is not None:
        return _ended(goal, match)
    if goal in (Goal.WIN, Goal.DRAW) and last is not None and last.grade is not None and last.grade.kind.is_error:
        return Standing(True, False, "the win is gone" if goal is Goal.WIN else "the draw is gone")
    if goal in (Goal.DRAW, Goal.LAST):
        return _held(goal, match)
    return _spoilt(match) if goal is Goal.WIN else GOING_ON


def _ended(goal: Goal, match: Match[Any, Any]) -> Standing:
    """The rules, or the person, have ended the game."""
    result = match.result
    assert result is not None
    if result.reason is End.SHOWN:
        return Standing(True, False, "shown")
    won, drawn = result.winner == match.you, result.winner is None
    reached = {Goal.WIN: won, Goal.LAST: result.reason is not End.TIME}.get(goal, won or drawn)
    return Standing(True, reached, str(result.reason))


def _held(goal: Goal, match: Match[Any, Any]) -> Standing:
    """Whether enough has been held, or more than was asked for."""
    own = sum(ply.mover == match.you for ply in match.played)
    if own == 0:
        return GOING_ON
    verdict = match.verdict
    if verdict is not None:
        now = goal_of(verdict, match.mover, match.you)
        if now is Goal.WIN or (goal is Goal.LAST and now is Goal.DRAW):
            return Standing(True, True, "more than held")
    if goal is Goal.DRAW and match.mover == match.you and (claim := match.claim()) is not None:
        return Standing(True, True, str(claim.draw))
    if goal is Goal.DRAW and verdict is not None and _harmless(match):
        return Standing(True, True, "nobody can lose this any more")
    return Standing(True, True, f"held for {own} moves") if own >= HOLD_MOVES else GOING_ON


def _harmless(match: Match[Any, Any]) -> bool:
    try:
        return not can_win(match.explorer, match.position, match.opponent)
    except EndgameError:
        return False


def _spoilt(match: Match[Any, Any]) -> Standing:
    """Whether the defender may claim a draw in a position that was to be won."""
    claim = match.defender_claims() if match.mover != match.you else None
    return GOING_ON if claim is None else Standing(True, False, str(claim.draw))

"""The goals of drills and games, and whether the learner has reached them.

A drill or a game is solved when its goal is reached, see ``docs/practice.md``. How well it went depends on hints,
takebacks and lost plies: :mod:`endgame_core.practice.stars` and :func:`endgame_core.practice.repetition.rate`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from endgame_core.practice.match import Match, Termination
from endgame_core.practice.stars import plies_allowed
from endgame_core.values import Category, Verdict, Winner

FASTER_WAY: Final = "there was a faster way"
"""The reason (`Standing.why`) of a drill that ends at a slower win; the journal stores it."""

SOLUTION_SHOWN: Final = "shown"
"""Why a drill ended (:attr:`Standing.why`) whose learner asked for the solution."""

HOLD_MOVES: Final = 15
"""Moves of the learner after which a position counts as held."""


class GameGoal(StrEnum):
    """The goal of a drill or a game; the values are stored in the journal."""

    WIN = "win"
    FEWEST = "fewest"
    """Win without losing a ply, without hints and without takebacks."""
    DRAW = "draw"
    LAST = "last"
    """Hold a lost position for as long as possible."""
    MOVE = "move"
    """Find the only move."""
    ANSWER = "answer"
    """Answer a question."""
    ANY = ""
    """Do not lose: for a start that no table covers, or a lost one of unknown depth."""


def reachable_goal(verdict: Verdict | None, mover: Winner, learner: Winner) -> GameGoal:
    """Return the goal that the learner can reach with best play.

    Args:
        verdict: The verdict for the side to move; None if no table covers the position.
        mover: The side to move.
        learner: The learner's side.
    """
    if verdict is None:
        return GameGoal.ANY
    if verdict.category is Category.DRAW:
        return GameGoal.DRAW
    mover_wins = verdict.category is Category.WIN
    learner_wins = mover_wins == (mover == learner)
    if learner_wins:
        return GameGoal.WIN
    return GameGoal.LAST


@dataclass(frozen=True, slots=True)
class Standing:
    """Whether a drill or game is over, and how its goal was reached.

    Attributes:
        over: Whether the goal has been reached or missed.
        reached: Whether the goal was reached.
        why: The reason in fixed English words, e.g. ``checkmate`` or ``the win is gone``, as the journal stores it;
            empty while the drill is running. `words.text_model.in_words` translates it: add a new reason there.
    """

    over: bool = False
    reached: bool = False
    why: str = ""

    @classmethod
    def success(cls, why: str) -> Standing:
        """The goal was reached."""
        return cls(over=True, reached=True, why=why)

    @classmethod
    def failure(cls, why: str) -> Standing:
        """The goal was missed."""
        return cls(over=True, reached=False, why=why)


GOING_ON: Final = Standing()


def judge_goal(goal: GameGoal, match: Match[Any, Any], is_retry: bool = False) -> Standing:
    """Decide by the rules and the tables whether the goal of a drill or game has been reached or missed.

    A conversion to another ending ends drills only: :class:`~endgame_core.practice.drills.Drill` judges it.

    Args:
        goal: The goal.
        match: The game so far.
        is_retry: Whether the goal was missed before and the learner tries again: then mistakes that were taken back,
            and the help that was needed, no longer count against the goal.
    """
    plies_lost = match.plies_lost
    if is_retry:
        plies_lost = match.tally.plies
    own_ply = next((ply for ply in reversed(match.played) if ply.own), None)

    # An only move is decided by itself, even if it ends the game at once.
    if goal is GameGoal.MOVE and own_ply is not None:
        if own_ply.grade is not None and not own_ply.error:
            return Standing.success("the only move")
        return Standing.failure("the result is gone")

    if match.result is not None:
        return _judge_result(goal, match, plies_lost, is_retry)

    is_result_goal = goal in (GameGoal.WIN, GameGoal.FEWEST, GameGoal.DRAW)
    if is_result_goal and own_ply is not None and own_ply.error:
        return Standing.failure("the draw is gone" if goal is GameGoal.DRAW else "the win is gone")
    if goal is GameGoal.FEWEST and plies_lost:
        return Standing.failure(FASTER_WAY)
    if goal in (GameGoal.DRAW, GameGoal.LAST):
        return _judge_defence(goal, match)

    # A won drill ends as soon as the defender can claim a draw: a real opponent would.
    if goal in (GameGoal.WIN, GameGoal.FEWEST):
        claim = match.defender_claims()
        if claim is not None:
            return Standing.failure(str(claim.draw))
    return GOING_ON


def _judge_result(goal: GameGoal, match: Match[Any, Any], plies_lost: int, is_retry: bool) -> Standing:
    """Decide whether a game that has a result has reached its goal."""
    result = match.result
    assert result is not None
    if result.reason is Termination.SHOWN:
        return Standing.failure(SOLUTION_SHOWN)

    has_won = result.winner == match.you
    if goal is GameGoal.WIN:
        is_reached = has_won
    elif goal is GameGoal.FEWEST:
        has_help = match.hints > 0 or match.takebacks > 0
        is_reached = has_won and not plies_lost and (is_retry or not has_help)
    elif has_won or result.winner is None:
        is_reached = True  # the other goals are not to lose
    elif goal is GameGoal.LAST and result.reason is not Termination.TIME:
        # Mate could only be delayed, so the goal is reached if it was delayed well enough.
        perfect = None
        if match.start_verdict is not None:
            perfect = match.start_verdict.depth
        is_reached = plies_lost <= plies_allowed(perfect)
    else:
        is_reached = False
    return Standing(True, is_reached, str(result.reason))


def _judge_defence(goal: GameGoal, match: Match[Any, Any]) -> Standing:
    """Decide whether a running DRAW or LAST drill has been held long enough, or has become better than its goal."""
    moves = sum(ply.own for ply in match.played)
    if moves == 0:
        return GOING_ON

    verdict = match.verdict
    if verdict is not None:
        reachable = reachable_goal(verdict, match.mover, match.you)
        if reachable is GameGoal.WIN or (goal is GameGoal.LAST and reachable is GameGoal.DRAW):
            return Standing.success("more than held")

    if goal is GameGoal.DRAW:
        claim = None
        if match.mover == match.you:
            claim = match.claim()
        if claim is not None:
            return Standing.success(str(claim.draw))
        if verdict is not None and match.can_be_lost is False:
            return Standing.success("neither side can lose this position")

    if moves >= HOLD_MOVES:
        return Standing.success(f"held for {moves} moves")
    return GOING_ON

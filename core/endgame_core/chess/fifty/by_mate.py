"""What DTM and the half-move clock prove under the 50-move rule, for where no table tells DTZ."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import chess

from endgame_core.chess.fifty.words import ENDED
from endgame_core.values import HORIZON, LAST_CLOCK, Category, Verdict

if TYPE_CHECKING:
    from endgame_core.tables.explorer import RatedMove


def proved(verdict: Verdict, clock: int) -> Category:
    """The category of a position by its verdict alone; a mate before anybody can claim is sure."""
    if verdict.depth is None or (verdict.depth and clock >= LAST_CLOCK):
        return Category.DRAW
    wins = verdict.category is Category.WIN
    if clock + verdict.depth <= HORIZON or not verdict.depth:
        return Category.WIN if wins else Category.LOSS
    if clock >= HORIZON:
        return Category.CURSED_WIN if wins else Category.BLESSED_LOSS
    return Category.MAYBE_WIN if wins else Category.MAYBE_LOSS


def judged(clock: int, verdict: Verdict, moves: Sequence[RatedMove[chess.Board, chess.Move]]) -> Category:
    """The category of a position by what its moves lead to: captures and pawn moves reset the clock.

    Args:
        clock: Its half-move clock.
        verdict: By DTM.
        moves: Rated by DTM; none where the game is over, or they are not known.
    """
    if not moves or clock >= HORIZON:
        return proved(verdict, clock)
    worths = (proved(rated.verdict, rated.after.halfmove_clock) for rated in moves)
    return min(worths, key=lambda worth: worth.goodness).turned


def sentence(board: chess.Board, verdict: Verdict, category: Category) -> str:
    """Such a category in words, as those of :mod:`endgame_core.chess.fifty.words`; empty where the clock is no matter.

    Args:
        board: The position.
        verdict: By DTM.
        category: What is proved of it.
    """
    clock, depth = board.halfmove_clock, verdict.depth
    if category is Category.DRAW:
        return ENDED if depth else ""
    won = verdict.category is Category.WIN
    winner, loser = (chess.COLOR_NAMES[board.turn == side].capitalize() for side in (won, not won))
    if category in (Category.MAYBE_WIN, Category.MAYBE_LOSS):
        return f"{winner} may win: {depth} plies to mate, the clock allows {HORIZON - clock}; only DTZ tells."
    if category not in (Category.CURSED_WIN, Category.BLESSED_LOSS):
        return ""
    if clock >= HORIZON:
        there = f"a draw can be claimed, with the clock at {clock}"
        return f"A cursed win: {winner} can force mate, but {there}." if won else f"A blessed loss: {there}."
    head = f"A cursed win: {winner} can" if won else f"A blessed loss: {winner} could"
    return f"{head} force mate, but {loser} can claim a draw first."

"""What :mod:`endgame_core.chess.fifty.rule` finds of positions and moves, told in one sentence each."""

from __future__ import annotations

import chess

from endgame_core.tables.explorer import RatedMove
from endgame_core.values import HORIZON, LAST_CLOCK, Category, Fifty, Verdict

ENDED = "A draw: for 75 moves of each side there was no capture or pawn move."
"""What is said where the clock itself has ended the game."""

_WON = (Category.WIN, Category.MAYBE_WIN)
_CURSED = (Category.CURSED_WIN, Category.BLESSED_LOSS)
_GIVEN_UP = {
    Category.WIN: "throws the win away",
    Category.MAYBE_WIN: "throws the win away",
    Category.CURSED_WIN: "gives up the cursed win",
    Category.DRAW: "throws the draw away",
    Category.BLESSED_LOSS: "gives up the draw that could be claimed",
    Category.MAYBE_LOSS: "gives up what chance there was to claim a draw",
}
"""What a move does to a category that it does not keep."""


def verdict(found: Fifty) -> str:
    """What a position is worth with its clock, and why."""
    if found.stalemate:
        return "Stalemate: the game is drawn."
    if found.category is Category.DRAW:
        if found.clock >= LAST_CLOCK:
            return ENDED
        return "A draw with best play."
    turn = chess.COLOR_NAMES[found.turn].capitalize()
    if found.dtz == 0:
        return f"{turn} is checkmated."
    won = found.dtz > 0
    winner, loser = (chess.COLOR_NAMES[found.turn == side].capitalize() for side in (won, not won))
    if found.category in _CURSED:
        if found.clock >= HORIZON:
            there = f"a draw can be claimed, with the clock at {found.clock}"
            if found.clock + _least(found) > LAST_CLOCK:
                there += f", and at {LAST_CLOCK} the game ends"
            elif won:
                there = f"{winner} can force mate, but {there}"
            return f"A {'cursed win' if won else 'blessed loss'}: {there}."
        if won:
            return f"A cursed win: {winner} can force mate, but {loser} can claim a draw first; {_late(found)}."
        return f"A blessed loss: {winner} could force mate, but {loser} can claim a draw first; {_late(found)}."
    if found.precise_dtz is None and found.category not in (Category.WIN, Category.LOSS):
        return f"{winner} may win: {_way(found)}, the clock allows {HORIZON - found.clock}."
    return f"{winner} wins: {_way(found)}, the clock allows {HORIZON - found.clock}."


def move(rated: RatedMove[chess.Board, chess.Move]) -> str:
    """What a move of which DTZ is known does; a clause without a full stop."""
    after, before = rated.fifty, rated.before
    assert after is not None
    assert before is not None
    if rated.checkmate:
        return "mates"
    if rated.stalemate:
        return "stalemates"
    if after.category is Category.DRAW:
        return "keeps the draw" if before.category is Category.DRAW else _GIVEN_UP.get(before.category, "draws")
    return (_winning if rated.dtz < 0 else _losing)(after, before, rated.zeroing)


def _winning(after: Fifty, before: Fifty, zeroing: bool) -> str:
    """A move of a side that can force mate, in time or not."""
    reset = "resets the clock, " if zeroing else ""
    if after.category is Category.BLESSED_LOSS:
        kept = "lets the win become cursed" if before.category in _WON else "pursues the cursed win"
        return f"{reset}{kept}: {_claim(after)}" + (f", {_way(after)}" if abs(after.dtz) <= HORIZON else "")
    if after.category is Category.MAYBE_LOSS:
        return f"may keep the win: it takes {_distance(after)}, the clock allows {HORIZON - after.clock}"
    if zeroing:
        if before.clock >= HORIZON:
            reset = "resets the clock before a draw is claimed, "
        if after.dtm is not None:
            return f"{reset}mates {_plies(-after.dtm)} later"
        return f"{reset}keeps the win: {_way(after)}"
    return f"keeps the win: {_way(after)}, the clock allows {HORIZON - after.clock}"


def _losing(after: Fifty, before: Fifty, zeroing: bool) -> str:
    """A move of a side that can be mated, in time or not."""
    reset = "resets the clock, " if zeroing else ""
    if after.category is Category.CURSED_WIN:
        kept = "blessed" if before.dtz < 0 else f"{_GIVEN_UP[before.category]}, blessed"
        return f"{reset}{kept}: {_claim(after)}"
    if after.category is Category.MAYBE_WIN:
        kept = "may be saved by the clock" if before.dtz < 0 else _GIVEN_UP[before.category]
        return f"{kept}: the win takes {_distance(after)}, the clock allows {HORIZON - after.clock}"
    kept = "holds out" if before.category is Category.LOSS else _GIVEN_UP[before.category]
    mated = "" if after.dtm is None or after.only_mate else f", mated in {_plies(after.dtm)}"
    return f"{reset}{kept}: {_way(after)}{mated}"


def difference(chosen: RatedMove[chess.Board, chess.Move], other: RatedMove[chess.Board, chess.Move]) -> str:
    """Why one move is chosen although another is better by DTM."""
    assert chosen.fifty is not None
    assert other.fifty is not None
    name, room = other.san, HORIZON - chosen.clock
    if other.checkmate or (other.fifty.dtm or 0) < 0:
        head = f"{name} mates sooner but "
        if room <= 0 and chosen.zeroing and not other.zeroing:
            return f"{head}does not reset the clock."
        if other.fifty.category is Category.BLESSED_LOSS and chosen.fifty.category is not Category.BLESSED_LOSS:
            if other.zeroing:
                return f"{head}makes the win a cursed one."
            return f"{head}needs {_plies(other.plies)}, the clock allows {room}."
        return f"{head}its DTZ is {other.plies} plies, not {chosen.plies}."
    head = f"{name} is mated later but "
    if other.zeroing:
        return f"{head}resets the clock at once."
    if chosen.fifty.category is Category.CURSED_WIN and other.fifty.category is not Category.CURSED_WIN:
        return f"{head}before a draw can be claimed."
    return f"{head}its DTZ is {other.plies} plies, not {chosen.plies}."


def _late(found: Fifty) -> str:
    """Why a win comes too late."""
    if abs(found.dtz) > HORIZON:
        return f"somewhere the clock must pass {HORIZON}"
    return f"{_way(found)}, and the clock at {found.clock} allows {HORIZON - found.clock}"


def _way(found: Fifty) -> str:
    """How far the next zeroing move or mate is."""
    zeroing = "a zeroing move" if found.pawns else "a capture"
    return f"{_distance(found)} to {'mate' if found.only_mate else f'{zeroing} or mate'}"


def _distance(found: Fifty) -> str:
    """DTZ in plies."""
    plies = abs(found.dtz)
    return _plies(plies) if found.precise_dtz is not None else f"{plies} or {_plies(plies + 1)}"


def _least(found: Fifty) -> int:
    """The fewest plies to the next zeroing move or mate that DTZ can mean: above 100 some of them count as 100."""
    plies = abs(found.dtz)
    return plies if plies <= HORIZON else plies - HORIZON


def _claim(found: Fifty) -> str:
    """When a draw can be claimed: it is not known when where zeroing moves may come before."""
    if found.clock >= HORIZON:
        return "a draw can be claimed at once"
    if abs(found.dtz) > HORIZON:
        return f"somewhere the clock must pass {HORIZON}"
    return f"a draw can be claimed in {_plies(HORIZON - found.clock)}"


def _plies(count: int) -> str:
    return f"{count} {'ply' if count == 1 else 'plies'}"


def by_mate(board: chess.Board, verdict: Verdict, category: Category) -> str:
    """What DTM and the clock prove where nothing tells DTZ; empty where the clock is no matter.

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

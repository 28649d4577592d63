"""What :mod:`endgame_core.chess.fifty.rule` finds of positions and moves, and how it is told in one sentence each."""

from __future__ import annotations

from dataclasses import dataclass

import chess

from endgame_core.chess.dtz import HORIZON
from endgame_core.chess.notation import LAST_CLOCK
from endgame_core.values import Category

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

_LATE = {
    Category.WIN: Category.CURSED_WIN, Category.MAYBE_WIN: Category.CURSED_WIN,
    Category.LOSS: Category.BLESSED_LOSS, Category.MAYBE_LOSS: Category.BLESSED_LOSS,
}  # fmt: skip


def late(category: Category) -> Category:
    """What is left of a category when a draw could be claimed before."""
    return _LATE.get(category, category)


@dataclass(frozen=True, slots=True)
class Fifty:
    """A position with its clock, for the side to move.

    Attributes:
        category: One of seven.
        dtz: Signed plies, as a source tells them.
        precise_dtz: The same, None where it may be rounded.
        clock: Plies since the last capture or pawn move.
        dtm: Signed plies to mate with no 50-move rule; None when no table tells.
        turn: Who is to move.
        only_mate: Nothing but mate can end the phase for the winner.
        pawns: A pawn stands on the board.
        stalemate: The side to move is stalemated.
    """

    category: Category
    dtz: int
    precise_dtz: int | None
    clock: int
    dtm: int | None
    turn: chess.Color
    only_mate: bool
    pawns: bool = True
    stalemate: bool = False

    @property
    def sentence(self) -> str:
        """The verdict in words, with what cursed and blessed mean on the spot."""
        return verdict(self)


@dataclass(frozen=True, slots=True)
class FiftyMove:
    """A legal move and what it leads to.

    Attributes:
        move: The move.
        after: The position after it, for the side then to move.
        before: The position before it.
        zeroing: It is a capture or a pawn move.
        checkmate: It mates.
        stalemate: It stalemates.
    """

    move: chess.Move
    after: Fifty
    before: Fifty
    zeroing: bool
    checkmate: bool
    stalemate: bool

    @property
    def category(self) -> Category:
        """Of the position after the move; a result that comes after a draw could be claimed is cursed or blessed."""
        return late(self.after.category) if self.before.clock >= HORIZON else self.after.category

    @property
    def dtz(self) -> int:
        """Of the position after the move."""
        return self.after.dtz

    @property
    def plies(self) -> int:
        """DTZ of the move for its mover, never negative: 1 or 101 for a zeroing move; 0 for a draw."""
        cursed = self.after.category in (Category.CURSED_WIN, Category.BLESSED_LOSS)
        if self.after.category is Category.DRAW:
            return 0
        if self.zeroing:
            return HORIZON + 1 if cursed else 1
        return abs(self.dtz) + 1

    @property
    def sentence(self) -> str:
        """What the move does."""
        return move(self)


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


def move(rated: FiftyMove) -> str:
    """What a move does; a clause without a full stop."""
    if rated.checkmate:
        return "mates"
    if rated.stalemate:
        return "stalemates"
    after, before = rated.after.category, rated.before.category
    if after is Category.DRAW:
        return "keeps the draw" if before is Category.DRAW else _GIVEN_UP.get(before, "draws")
    return (_winning if rated.dtz < 0 else _losing)(rated)


def _winning(rated: FiftyMove) -> str:
    """A move of a side that can force mate, in time or not."""
    after, before = rated.after, rated.before
    reset = "resets the clock, " if rated.zeroing else ""
    if after.category is Category.BLESSED_LOSS:
        kept = "lets the win become cursed" if before.category in _WON else "pursues the cursed win"
        return f"{reset}{kept}: {_claim(after)}" + (f", {_way(after)}" if abs(after.dtz) <= HORIZON else "")
    if after.category is Category.MAYBE_LOSS:
        return f"may keep the win: it takes {_distance(after)}, the clock allows {HORIZON - after.clock}"
    if rated.zeroing:
        if before.clock >= HORIZON:
            reset = "resets the clock before a draw is claimed, "
        if after.dtm is not None:
            return f"{reset}mates {_plies(-after.dtm)} later"
        return f"{reset}keeps the win: {_way(after)}"
    return f"keeps the win: {_way(after)}, the clock allows {HORIZON - after.clock}"


def _losing(rated: FiftyMove) -> str:
    """A move of a side that can be mated, in time or not."""
    after, before = rated.after, rated.before.category
    reset = "resets the clock, " if rated.zeroing else ""
    if after.category is Category.CURSED_WIN:
        kept = "blessed" if rated.before.dtz < 0 else f"{_GIVEN_UP[before]}, blessed"
        return f"{reset}{kept}: {_claim(after)}"
    if after.category is Category.MAYBE_WIN:
        kept = "may be saved by the clock" if rated.before.dtz < 0 else _GIVEN_UP[before]
        return f"{kept}: the win takes {_distance(after)}, the clock allows {HORIZON - after.clock}"
    kept = "holds out" if before is Category.LOSS else _GIVEN_UP[before]
    mated = "" if after.dtm is None or after.only_mate else f", mated in {_plies(after.dtm)}"
    return f"{reset}{kept}: {_way(after)}{mated}"


def difference(board: chess.Board, chosen: FiftyMove, other: FiftyMove) -> str:
    """Why one move is chosen although another is better by DTM."""
    name, room = board.san(other.move), HORIZON - chosen.before.clock
    if other.checkmate or (other.after.dtm or 0) < 0:
        head = f"{name} mates sooner but "
        if room <= 0 and chosen.zeroing and not other.zeroing:
            return f"{head}does not reset the clock."
        if other.after.category is Category.BLESSED_LOSS and chosen.after.category is not Category.BLESSED_LOSS:
            if other.zeroing:
                return f"{head}makes the win a cursed one."
            return f"{head}needs {_plies(other.plies)}, the clock allows {room}."
        return f"{head}its DTZ is {other.plies} plies, not {chosen.plies}."
    head = f"{name} is mated later but "
    if other.zeroing:
        return f"{head}resets the clock at once."
    if chosen.after.category is Category.CURSED_WIN and other.after.category is not Category.CURSED_WIN:
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

"""Defenders: how the tables answer somebody who practises."""

from __future__ import annotations

import random
from collections.abc import Sequence
from enum import StrEnum
from typing import Any, TypeVar

from endgame_core.app_state import AppState
from endgame_core.errors import EndgameError, NotBuiltError
from endgame_core.game import Game
from endgame_core.judge import Judge
from endgame_core.settings import DEFENCE, Settings
from endgame_core.tables.explorer import Explorer, RatedMove
from endgame_core.values import DRAW, before

P = TypeVar("P")
M = TypeVar("M")

HALVED_BY = 4
"""The human defender plays a move half as often for every so many plies that it gives away."""


class Defence(StrEnum):
    """A manner of defending.

    All of them win a won position by the shortest way and hold a drawn one: they differ in what they do when they
    lose, and in which of the drawn moves they choose.
    """

    PERFECT = "perfect"
    """Resists longest; of equal moves always the same."""
    VARIED = "varied"
    """Any of the moves that resist longest."""
    TRICKY = "tricky"
    """The move that leaves the fewest moves that keep the result, then the longest."""
    HUMAN = "human"
    """Any move, the more seldom the more it gives away."""


def usual(game: Game[Any, Any]) -> Defence:
    """The manner of drills when none is chosen.

    In chess the fewest good moves are hard to find. In Morris they are one mill that closes at once: there the longest
    resistance asks more.
    """
    return Defence.TRICKY if game.name == "chess" else Defence.VARIED


def defence_of(memory: AppState, settings: Settings, place: str, game: str, usual: Defence) -> Defence:
    """Who defends: who was chosen last, unless the settings have said something else since.

    Args:
        memory: What is remembered.
        settings: The settings.
        place: ``play`` or ``practise``.
        game: The name of the game.
        usual: Who defends where nobody has said anything.
    """
    said = settings[DEFENCE]
    last = memory.get(str, place, game, "defence") if memory.get(str, place, game, "under") == said else said
    return Defence(last) if last in list(Defence) else usual


def note_choices(memory: AppState, settings: Settings, place: str, game: str, **choices: Any) -> None:
    """Remembers what was chosen at a place; a defender under what the settings said then."""
    memory.note({"under": settings[DEFENCE], **choices}, place, game)


def reply(judge: Judge[P, M], position: P, defence: Defence, rng: random.Random) -> M:
    """The defender's move.

    Args:
        judge: Knows the moves.
        position: The defender is to move.
        defence: His manner.
        rng: Decides among moves that are equal to him.

    Raises:
        NotBuiltError: A table that a move leads to is missing.
        EndgameError: There is no legal move.
    """
    replies = _replies(judge, position)
    if not replies:
        raise EndgameError("the game is over here", "start another one")
    best = max(worth for worth, _ in replies)
    chosen = [rated for worth, rated in replies if worth == best]
    if best <= DRAW and defence is Defence.TRICKY:
        chosen = _tricky(judge.explorer, [found for found in replies if best != DRAW or found[0] == DRAW])
    elif best < DRAW and defence is Defence.HUMAN:
        weights = [2 ** (-2 * (best - worth) / HALVED_BY) for worth, _ in replies]
        chosen = rng.choices([rated for _, rated in replies], weights)
    return (chosen[0] if defence is Defence.PERFECT else rng.choice(chosen)).move


def _replies(judge: Judge[P, M], position: P) -> list[tuple[int, RatedMove[P, M]]]:
    """All legal moves with the codes they are worth to their mover, in the order in which programs write them."""
    known = judge.early(position)
    worths = [(before(rated.verdict.code), rated) for rated in known.legal if rated.verdict is not None]
    if len(worths) < len(known.legal) and known.problem is not None:
        raise known.problem
    return sorted(worths, key=lambda one: one[1].uci)


def _tricky(explorer: Explorer[P, M], replies: Sequence[tuple[int, RatedMove[P, M]]]) -> list[RatedMove[P, M]]:
    """The replies after which the fewest moves keep the opponent's result; of these, the ones that resist longest."""
    fewest, longest = 10_000, 0
    chosen: list[RatedMove[P, M]] = []
    for worth, rated in sorted(replies, key=lambda one: -one[0]):
        count = _keeping(explorer, worth, rated.after, fewest)
        if count < fewest:
            fewest, longest, chosen = count, worth, [rated]
        elif count == fewest and worth == longest:
            chosen.append(rated)
    return chosen


def _keeping(explorer: Explorer[P, M], worth: int, after: P, most: int) -> int:
    """How many moves keep the opponent's result after a reply; more than ``most`` are not counted."""
    game, count = explorer.game, 0
    for move in game.moves(after):
        try:
            answer = before(explorer.code(game.play(after, move)))
        except NotBuiltError:  # nothing is hoped for of what is not known
            count += 1
        else:
            count += answer > DRAW if worth < DRAW else answer >= DRAW
        if count > most:
            break
    return count


def can_win(explorer: Explorer[P, Any], position: P, side: str) -> bool:
    """Whether a side (``white`` or ``black``) wins any position of this ending at all.

    Raises:
        NotBuiltError: The ending is not built.
    """
    game = explorer.game
    if game.is_trivial(position):
        return False
    slot = game.index.slot_of(position)
    table, winner = explorer.library.table(slot.ending), slot.side if game.mover(position) == side else 1 - slot.side
    return any(code > DRAW for code in table.used(winner)) or any(code < DRAW for code in table.used(1 - winner))


def accepts_draw(judge: Judge[P, M], position: P, side: str) -> bool:
    """Whether a defender playing ``side`` agrees to a draw: the position is drawn, and he cannot expect to win it.

    He cannot, when his side wins no position of this ending, or when no move that the opponent has now, or has after
    any of the defender's own moves that hold, loses.

    Raises:
        NotBuiltError: A table is missing.
    """
    explorer = judge.explorer
    if explorer.code(position) != DRAW:
        return False
    if not can_win(explorer, position, side):
        return True
    if explorer.game.mover(position) != side:
        return not _may_lose(explorer, position)
    return not any(worth == DRAW and _may_lose(explorer, rated.after) for worth, rated in _replies(judge, position))


def _may_lose(explorer: Explorer[P, M], position: P) -> bool:
    """Whether a move of the side to move in a drawn position loses."""
    game = explorer.game
    return any(explorer.code(game.play(position, move)) > DRAW for move in game.moves(position))

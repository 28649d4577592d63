"""Defenders: how the computer chooses its replies from the tables; also hints and draw offers."""

from __future__ import annotations

import random
import sys
from collections.abc import Collection, Sequence
from enum import StrEnum
from itertools import islice
from typing import Any, TypeVar

from endgame_core.app_state import AppState
from endgame_core.errors import EndgameError, NotBuiltError
from endgame_core.game import Game
from endgame_core.judge import Judge
from endgame_core.language import _
from endgame_core.probe_result import ProbeResult
from endgame_core.settings import DEFENCE, Settings
from endgame_core.tables.explorer import Explorer, RatedMove
from endgame_core.tables.file import Table
from endgame_core.values import DRAW, code_before

P = TypeVar("P")
M = TypeVar("M")

HALVED_BY = 4
"""The number of plies given away that halves the probability of a move of the human defender."""


class Defence(StrEnum):
    """How a defender chooses moves.

    All of them win a won position by the shortest way, and play for a win in a drawn one (see :func:`_press`). They
    differ in how they resist in a lost position.
    """

    PERFECT = "perfect"
    """Resists longest; of equal moves, one that leaves the fewest winning moves."""
    VARIED = "varied"
    """Any of the moves that resist longest."""
    TRICKY = "tricky"
    """The move that leaves the fewest winning moves; of equal moves, one that resists longest."""
    HUMAN = "human"
    """Any move; the more plies it gives away, the less often."""


def usual(game: Game[Any, Any]) -> Defence:
    """Return the default defender of drills in a game."""
    return Defence(game.default_defence)


def defence_of(memory: AppState, settings: Settings, place: str, game: str, usual: Defence) -> Defence:
    """Return the defender that the user chose last, unless the setting has changed since; then that of the setting.

    Args:
        memory: The stored choices.
        settings: The settings.
        place: ``play`` or ``practise``.
        game: The name of the game.
        usual: The defender if neither a choice nor the setting names one.
    """
    setting = settings[DEFENCE]
    name = setting
    if memory.get(str, place, game, "under") == setting:
        name = memory.get(str, place, game, "defence")
    if name in list(Defence):
        return Defence(name)
    return usual


def note_choices(memory: AppState, settings: Settings, place: str, game: str, **choices: Any) -> None:
    """Store the user's choices at a place, with the current setting of the defender (see :func:`defence_of`)."""
    memory.note({"under": settings[DEFENCE], **choices}, place, game)


def reply(judge: Judge[P, M], position: P, defence: Defence, rng: random.Random, visited: Collection[int] = ()) -> M:
    """Choose the defender's move.

    Args:
        judge: Rates the moves.
        position: The position; the defender is to move.
        defence: How the defender plays.
        rng: Chooses between equally good moves.
        visited: ``GameState.key`` of the positions that have occurred; in a drawn position they are avoided.

    Returns:
        The move.

    Raises:
        NotBuiltError: A table that a move leads to is missing.
        EndgameError: There is no legal move.
    """
    replies = _rated_replies(judge, position)
    if not replies:
        raise EndgameError(_("the game is over here"), _("start a new one"))

    best = max(value for value, __ in replies)
    if best == DRAW:
        return _press(judge.explorer, position, replies, defence, rng, visited)
    if best < DRAW and defence is Defence.HUMAN:
        # Values of lost positions are one apart for every two plies.
        weights = [2 ** (-2 * (best - value) / HALVED_BY) for value, __ in replies]
        return rng.choices([rated for __, rated in replies], weights)[0].move

    if best < DRAW and defence is Defence.TRICKY:
        candidates = _trickiest(judge.explorer, replies)
    else:
        longest = [(value, rated) for value, rated in replies if value == best]
        if best < DRAW and defence is Defence.PERFECT:
            candidates = _trickiest(judge.explorer, longest)
        else:
            candidates = [rated for __, rated in longest]
    return rng.choice(candidates).move


def _rated_replies(judge: Judge[P, M], position: P) -> list[tuple[int, RatedMove[P, M]]]:
    """Return all legal moves with their values (codes) for the side that makes them, sorted by UCI notation.

    Raises:
        NotBuiltError: A table that a move leads to is missing.
    """
    probe = judge.probe_by_depth(position)
    replies = [(code_before(rated.verdict.code), rated) for rated in probe.legal if rated.verdict is not None]
    if len(replies) < len(probe.legal) and probe.problem is not None:
        raise probe.problem
    return sorted(replies, key=lambda reply: reply[1].uci)


def _trickiest(explorer: Explorer[P, M], replies: Sequence[tuple[int, RatedMove[P, M]]]) -> list[RatedMove[P, M]]:
    """The replies after which the fewest moves keep the opponent's win; of these, the ones that resist longest."""
    fewest = sys.maxsize
    longest = 0
    candidates: list[RatedMove[P, M]] = []
    # Longest resistance first: of replies with the same count, the first one then resists longest.
    for value, rated in sorted(replies, key=lambda reply: -reply[0]):
        count = _winning_moves(explorer, rated.after, fewest)
        if count < fewest:
            fewest = count
            longest = value
            candidates = [rated]
        elif count == fewest and value == longest:
            candidates.append(rated)
    return candidates


def _winning_moves(explorer: Explorer[P, M], position: P, limit: int) -> int:
    """Count the winning moves, stopping above ``limit``. A move into a missing table counts as a win."""
    game = explorer.game
    count = 0
    for move in game.moves(position):
        try:
            count += code_before(explorer.code(game.play(position, move))) > DRAW
        except NotBuiltError:
            count += 1
        if count > limit:
            break
    return count


# Drawn positions: the defender plays for a win


TRIED = 4
"""The number of candidate moves that are examined two moves deep."""
SAMPLED = 3
"""The number of replies sampled for a candidate; for each reply three times as many follow-ups are sampled."""
CHANCES = 0.01
"""The share of won positions, with a side to move, from which on an ending gives that side chances."""
PIECE = 3
"""The material of a minor piece, in pawns."""
AHEAD = 2
"""The number of the opponent's moves within which a candidate must not lose material."""


def _press(
    explorer: Explorer[P, M],
    position: P,
    replies: Sequence[tuple[int, RatedMove[P, M]]],
    defence: Defence,
    rng: random.Random,
    visited: Collection[int],
) -> M:
    """Choose the drawing move that sets the opponent the most problems.

    Three kinds of moves are avoided, in this order of priority: those after which this side can no longer win against
    any defence, those that lose material, and those that repeat a position. A piece that costs nothing is taken: a pawn
    that has just been promoted, for example. Of the remaining moves the *varied* and
    the *human* defender play any; the others play the one after which an opponent who moves at random is most likely
    to lose within two moves.
    """
    game = explorer.game
    side = game.mover(position)
    candidates = [rated for value, rated in replies if value == DRAW]
    # Each filter is dropped if it would leave no move.
    candidates = [rated for rated in candidates if _stays_alive(explorer, rated.after, side)] or candidates
    candidates = [rated for rated in candidates if _wins_a_piece(explorer, position, rated)] or candidates
    rng.shuffle(candidates)
    if defence in (Defence.VARIED, Defence.HUMAN):
        return _first_sound(explorer, position, candidates, visited, 1)[0].move

    at_once = {rated.uci: _losing_share(explorer, rated.after) for rated in candidates}
    activity = {rated.uci: -game.start_game(rated.after).evaluation for rated in candidates}
    # Sorting is stable: candidates that are equal in everything stay in random order.
    candidates.sort(key=lambda rated: (at_once[rated.uci], activity[rated.uci]), reverse=True)

    def within_two_moves(rated: RatedMove[P, M]) -> float:
        share = at_once[rated.uci]
        return share + (1 - share) * _losing_share_later(explorer, rated.after, rng)

    return max(_first_sound(explorer, position, candidates, visited, TRIED), key=within_two_moves).move


def _stays_alive(explorer: Explorer[P, M], position: P, side: str) -> bool:
    """Whether a side may still win after a move that led to this position, and after every capture in reply to it.

    A pawn that promotes and is taken, for example, may win a bishop for it, and leave nothing to win with.
    """
    if not _is_alive(explorer, position, side):
        return False
    game = explorer.game
    for reply in game.start_game(position).forcing_moves():
        after = game.play(position, reply)
        if _code_or_draw(explorer, after) != DRAW:
            continue  # the reply loses, or wins for the other side, whatever was tried
        answers = (game.play(after, answer) for answer in game.moves(after))
        if not any(
            _is_alive(explorer, answered, side) for answered in answers if _code_or_draw(explorer, answered) <= DRAW
        ):
            return False
    return True


def _is_alive(explorer: Explorer[P, M], position: P, side: str) -> bool:
    """Whether a side has chances to win after a move that led to this position; True if no table covers it."""
    if explorer.game.terminal(position) is not None:
        return False
    try:
        return has_chances(explorer, position, side)
    except NotBuiltError:
        return True


def _first_sound(
    explorer: Explorer[P, M],
    position: P,
    candidates: list[RatedMove[P, M]],
    visited: Collection[int],
    limit: int,
) -> list[RatedMove[P, M]]:
    """Return the first candidates, at most ``limit``, that keep their material for the most moves.

    Those that repeat a position come last. Without a sound candidate any is returned: material that is lost later may
    not be lost at all. Looking ahead is slow, so it stops when there are enough.
    """
    game = explorer.game
    repeating = [rated for rated in candidates if game.start_game(rated.after).key in visited]
    new = [rated for rated in candidates if rated not in repeating]
    for ahead in range(AHEAD, 0, -1):
        for group in (new, repeating):
            sound = list(islice((rated for rated in group if _is_sound(explorer, position, rated, ahead)), limit))
            if sound:
                return sound
    return (new or repeating)[:limit]


def _is_sound(explorer: Explorer[P, M], position: P, rated: RatedMove[P, M], ahead: int = AHEAD) -> bool:
    """Whether the opponent cannot win material by force after a drawing move, within ``ahead`` moves."""
    gained = _capture_gain(explorer.game, position, rated.after)
    return not _wins_material(explorer, rated.after, -gained, ahead)


def _wins_a_piece(explorer: Explorer[P, M], position: P, rated: RatedMove[P, M]) -> bool:
    """Whether a move captures a piece, and the opponent cannot win any material back."""
    gained = _capture_gain(explorer.game, position, rated.after)
    return gained >= PIECE and not _wins_material(explorer, rated.after, 0, AHEAD)


def _wins_material(explorer: Explorer[P, M], position: P, gained: int, ahead: int) -> bool:
    """Whether the side to move can come out ahead in material without losing the game.

    Args:
        explorer: The tables.
        position: The position.
        gained: The material that this side has won so far, in pawns.
        ahead: How many moves of this side to search; the last one only over captures and promotions.
    """
    game = explorer.game
    if ahead == 1:
        moves = game.start_game(position).forcing_moves()
    else:
        moves = game.moves(position)
    for move in moves:
        after = game.play(position, move)
        total = gained + _capture_gain(game, position, after)
        if ahead == 1 and total <= 0:
            continue
        if _code_or_draw(explorer, after) <= DRAW and not _keeps_material(explorer, after, total, ahead):
            return True
    return False


def _keeps_material(explorer: Explorer[P, M], position: P, lost: int, ahead: int) -> bool:
    """Whether the side to move has an answer that neither loses the game nor leaves the other side ahead."""
    game = explorer.game
    moves = game.moves(position)
    if not moves:
        return lost <= 0
    for move in moves:
        after = game.play(position, move)
        balance = lost - _capture_gain(game, position, after)
        if balance > 0:  # the material must be won back at once
            continue
        if _code_or_draw(explorer, after) > DRAW:
            continue
        if ahead == 1 or not _wins_material(explorer, after, balance, ahead - 1):
            return True
    return False


def _capture_gain(game: Game[P, M], before: P, after: P) -> int:
    """Return the change of the material balance by a move, in pawns, for the side that made it; 0 for a quiet move."""
    mover_before, opponent_before = game.material(before)
    opponent_after, mover_after = game.material(after)  # the opponent is to move now
    return (mover_after - mover_before) + (opponent_before - opponent_after)


def _code_or_draw(explorer: Explorer[P, M], position: P) -> int:
    try:
        return explorer.code(position)
    except NotBuiltError:
        return DRAW


def _losing_share(explorer: Explorer[P, M], position: P) -> float:
    """Return the share of losing moves in a drawn position, 0 to 1."""
    game = explorer.game
    moves = game.moves(position)
    losing = sum(_code_or_draw(explorer, game.play(position, move)) > DRAW for move in moves)
    return losing / len(moves) if moves else 0.0


def _losing_share_later(explorer: Explorer[P, M], position: P, rng: random.Random) -> float:
    """Return the share of losing moves one move later, 0 to 1.

    That is after a reply that holds the draw and the follow-up that is most dangerous and keeps the draw, on average
    over a sample of the replies: to examine all of them would take seconds.
    """
    game = explorer.game
    positions = [game.play(position, move) for move in game.moves(position)]
    holding = [after for after in positions if _code_or_draw(explorer, after) == DRAW]
    if not holding:
        return 0.0
    total = 0.0
    sample = rng.sample(holding, min(SAMPLED, len(holding)))
    for answered in sample:
        moves = list(game.moves(answered))
        follow_ups = [game.play(answered, move) for move in rng.sample(moves, min(3 * SAMPLED, len(moves)))]
        drawn_positions = [after for after in follow_ups if _code_or_draw(explorer, after) == DRAW]
        total += max((_losing_share(explorer, after) for after in drawn_positions), default=0.0)
    return total / len(sample)


# Hints


def suggestion(judge: Judge[P, M], position: P, probe: ProbeResult[P, M], rng: random.Random) -> M:
    """Choose the move for a hint: of the best moves the one after which it is easiest to keep the result.

    That is the one that loses no material and after which, on average over a sample of the opponent's replies, the
    largest share of moves keeps the result.

    Args:
        judge: Rates the moves.
        position: The position; the learner is to move.
        probe: The probe result of the position; it must have a best move.
        rng: Samples the replies, and chooses between equal moves.

    Returns:
        The move.
    """
    assert probe.best is not None
    explorer = judge.explorer
    game = explorer.game
    # Of moves that are equally good by depth, some may let the 50-move counter run out.
    candidates = [rated for rated in probe.by_depth if rated.grade == "best" and probe.keeps_result(rated.move)]
    if all(rated.move != probe.best.move for rated in candidates):  # the clock decides, not the depth
        candidates = [probe.best]
    if len(candidates) == 1:
        return candidates[0].move

    sound = [rated for rated in candidates if _is_sound(explorer, position, rated)] or list(candidates)
    rng.shuffle(sound)

    def ease(rated: RatedMove[P, M]) -> tuple[float, int]:
        replies = list(game.moves(rated.after))
        shares: list[float] = []
        for reply in rng.sample(replies, min(SAMPLED, len(replies))):
            answered = game.play(rated.after, reply)
            code = _code_or_draw(explorer, answered)
            results = [code_before(_code_or_draw(explorer, game.play(answered, move))) for move in game.moves(answered)]
            # A move keeps the result if it wins in a won position, and does not lose in a drawn one.
            keeping = sum((result > DRAW) >= (code > DRAW) and (result >= DRAW) >= (code >= DRAW) for result in results)
            shares.append(keeping / len(results) if results else 1.0)
        average = 1.0
        if shares:
            average = sum(shares) / len(shares)
        return average, -game.start_game(rated.after).evaluation

    return max(sound, key=ease).move


def can_win(explorer: Explorer[P, Any], position: P, side: str) -> bool:
    """Whether a side (``white`` or ``black``) wins any position of the current ending.

    Raises:
        NotBuiltError: The ending is not built.
    """
    if explorer.game.is_trivial(position):
        return False
    table, winner = _table_and_side(explorer, position, side)
    wins_to_move = any(code > DRAW for code in table.used_codes(winner))
    return wins_to_move or any(code < DRAW for code in table.used_codes(1 - winner))


def has_chances(explorer: Explorer[P, Any], position: P, side: str) -> bool:
    """Whether a side wins enough positions of the current ending to be worth trying.

    Bishop against bishop, for example, can be won, but only if the loser goes into a corner to be mated.

    Raises:
        NotBuiltError: The ending is not built.
    """
    if explorer.game.is_trivial(position):
        return False
    table, mover = _table_and_side(explorer, position, side)
    counts = table.totals[0][mover].values()
    won = sum(count for code, count in zip(table.used_codes(mover), counts, strict=True) if code > DRAW)
    return won >= CHANCES * sum(counts)


def _table_and_side(explorer: Explorer[P, Any], position: P, side: str) -> tuple[Table, int]:
    """The table of the current ending, and the number that it gives a side (``white`` or ``black``) of this position.

    A table numbers its sides 0 and 1; which of them is White depends on which side of the position is the stronger.
    """
    slot = explorer.game.index.slot_of(position)
    is_to_move = explorer.game.mover(position) == side
    return explorer.library.table(slot.ending), slot.side if is_to_move else 1 - slot.side


def accepts_draw(judge: Judge[P, M], position: P, side: str) -> bool:
    """Whether a defender playing ``side`` accepts a draw: the position is drawn, and it cannot expect to win.

    It cannot if its side wins no position of this ending. Nor can it if the opponent has no losing move: in this
    position, or, with the defender to move, after any of the defender's moves that hold the draw.

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
    return not any(
        value == DRAW and _may_lose(explorer, rated.after) for value, rated in _rated_replies(judge, position)
    )


def _may_lose(explorer: Explorer[P, M], position: P) -> bool:
    """Whether a move of the side to move in a drawn position loses."""
    game = explorer.game
    return any(explorer.code(game.play(position, move)) > DRAW for move in game.moves(position))

"""Best play from a position, and by which metric it is told."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import chess

from endgame_core.chess.fifty import by_mate, words
from endgame_core.chess.fifty.words import ENDED
from endgame_core.errors import EndgameError, EndingError, MissingError, NotBuiltError, TableError
from endgame_core.values import HORIZON, LAST_CLOCK, Category

if TYPE_CHECKING:
    from collections.abc import Sequence

    from endgame_core.chess.fifty.answers import Answers
    from endgame_core.chess.fifty.rule import FiftyMoves
    from endgame_core.tables.explorer import Explorer, RatedMove
    from endgame_core.values import Verdict

_LONGEST = 600


@dataclass(frozen=True, slots=True)
class Ply:
    """One ply of a line: the move as programs and as people write it, and the signed depth after it."""

    uci: str
    san: str
    depth: int | None


@dataclass(frozen=True, slots=True)
class BestPlay:
    """What best play is.

    Attributes:
        metric: ``dtm`` or ``dtz``: what depths count, and what the line is best by.
        category: Of the position; its clock counts, unless DTM was asked for.
        depth: Signed plies; by DTM None for a draw.
        winner: ``white`` or ``black``; None for a draw.
        line: The best moves of both sides: by DTM to mate, by DTZ to mate or to the first claim of a draw.
        reason: Why the best move is best, in a sentence.
        cut: The table that is missing, or damaged, for the rest of the line.
    """

    metric: str
    category: Category
    depth: int | None
    winner: str | None
    line: tuple[Ply, ...]
    reason: str
    cut: EndgameError | None = None


def best_play(answers: Answers, board: chess.Board, metric: str | None = None) -> BestPlay:
    """Best play by a metric; by default by DTM, but by DTZ where that is not known or where the clock matters.

    The clock matters where it would pass 100 before the mate: what is best by DTM need then not keep the result.

    Raises:
        NotBuiltError: No table by DTM tells it, where none by DTZ may or can.
        MissingError: No table by DTZ tells it.
        TableError: A table is damaged.
        EndingError: No table can cover the position.
    """
    if metric == "dtm":
        return _by_dtm(answers.explorer, board)
    by_dtm: BestPlay | None = None
    if metric is None:
        with suppress(NotBuiltError, EndingError):
            by_dtm = _by_dtm(answers.explorer, board)
        if by_dtm is not None and by_dtm.cut is None and board.halfmove_clock + abs(by_dtm.depth or 0) <= HORIZON:
            return by_dtm
    try:
        return _by_dtz(answers.fifty, board)
    except (MissingError, TableError) as problem:
        if by_dtm is not None:
            return _with_clock(answers.explorer, board, by_dtm)
        if isinstance(problem, MissingError):
            raise answers.lacking(board, problem) from None
        raise


def _by_dtm(explorer: Explorer[chess.Board, chess.Move], board: chess.Board) -> BestPlay:
    verdict, reason = explorer.probe(board), explorer.reason(board).replace("  ", ": ", 1)
    here, line, cut = board, list[Ply](), None
    try:
        while len(line) < _LONGEST and (steps := explorer.line(here, 1)):
            line.append(Ply(steps[0].uci, steps[0].san, _signed(steps[0].verdict)))
            here = steps[0].after
            if verdict.depth is None:
                break
    except (NotBuiltError, TableError) as problem:
        cut = problem
    return BestPlay("dtm", verdict.category, _signed(verdict), verdict.winner, tuple(line), reason, cut)


def _with_clock(explorer: Explorer[chess.Board, chess.Move], board: chess.Board, found: BestPlay) -> BestPlay:
    """What DTM and the clock prove; where the clock has ended the game, there is no play any more."""
    moves: Sequence[RatedMove[chess.Board, chess.Move]] = ()
    with suppress(NotBuiltError, TableError):
        moves = explorer.moves(board)
    category = by_mate.judged(board.halfmove_clock, explorer.probe(board), moves)
    if board.halfmove_clock >= LAST_CLOCK and found.line:
        return replace(found, category=category, winner=None, line=(), reason=ENDED, cut=None)
    return replace(found, category=category)


def _signed(verdict: Verdict) -> int | None:
    """Depth, positive when the side to move wins and negative when it loses; None for a draw."""
    if verdict.depth is None:
        return None
    return verdict.depth if verdict.category is Category.WIN else -verdict.depth


def _by_dtz(fifty: FiftyMoves, board: chess.Board) -> BestPlay:
    here, moves = fifty.verdict(board), fifty.moves(board)
    winner = None if here.category is Category.DRAW else chess.COLOR_NAMES[board.turn == (here.dtz > 0)]
    reason = words.verdict(here)
    if moves:
        difference = fifty.difference(board, moves)
        said = f" is best: {difference}" if difference else f": {words.move(moves[0])}."
        reason = board.san(moves[0].move) + said
    return _followed(fifty, board, BestPlay("dtz", here.category, here.dtz, winner, (), reason))


def _followed(fifty: FiftyMoves, board: chess.Board, found: BestPlay) -> BestPlay:
    """Best play with its line, as far as the tables tell it."""
    here, line = board.copy(stack=False), list[Ply]()
    try:
        while len(line) < _LONGEST and (steps := fifty.line(here, 1).steps):
            line.append(Ply(steps[0].move.uci(), steps[0].san, steps[0].dtz))
            here.push(steps[0].move)
    except (MissingError, TableError) as problem:
        return replace(found, line=tuple(line), cut=problem)
    return replace(found, line=tuple(line))

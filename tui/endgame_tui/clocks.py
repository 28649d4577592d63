"""What the 50-move rule makes of a position, found out in a thread so that no key waits for it. No Textual here."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotYet
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import chess

from endgame_core.chess.game import CHESS
from endgame_core.errors import EndgameError
from endgame_core.tables.explorer import RatedMove
from endgame_core.values import Category, Fifty, late
from endgame_tui.walk import MOST_CLOCK, Move

if TYPE_CHECKING:
    from endgame_core.chess.fifty.rule import FiftyMoves

PATIENCE = 0.015
"""Seconds for which a screen waits: nearly always enough, and then the row is painted once, not twice."""

_KEPT = 200


@dataclass(frozen=True, slots=True)
class Partial:
    """A move of a position of which not all moves are known.

    Attributes:
        move: The move.
        san: As people write it.
        zeroing: It is a capture or a pawn move.
        after: The position after it, None where no table tells.
        category: Of that position, late as it may be.
        rated: The move itself, None also where the position before it is not known.
        problem: Why no table tells.
    """

    move: chess.Move
    san: str
    zeroing: bool
    after: Fifty | None = None
    category: Category | None = None
    rated: Move | None = None
    problem: EndgameError | None = None


@dataclass(frozen=True, slots=True)
class Known:
    """What was found out.

    Attributes:
        verdict: Category, DTZ and clock; None where no table tells.
        moves: All legal moves, best first.
        names: The same as people write them.
        difference: Why the best is not the best by DTM; empty where it is.
        line: The best moves of both sides, as far as they were asked for and found.
        ends: Whether the line goes to the end of the game.
        problem: Why nothing is known, or not all.
        partly: All legal moves where only some of them are known, these first; else none.
    """

    verdict: Fifty | None = None
    moves: tuple[Move, ...] = ()
    names: tuple[str, ...] = ()
    difference: str = ""
    line: tuple[chess.Move, ...] = ()
    ends: bool = False
    problem: EndgameError | None = None
    partly: tuple[Partial, ...] = ()

    @property
    def legal(self) -> tuple[chess.Move, ...]:
        """The moves as they are listed, rated or not."""
        return tuple(listed.move for listed in self.moves or self.partly)


def find_out(fifty: FiftyMoves, board: chess.Board) -> Known:
    """Asks the tables."""
    try:
        verdict = fifty.verdict(board)
    except EndgameError as problem:
        return Known(problem=problem)
    try:
        moves = fifty.moves(board)
        names = tuple(board.san(rated.move) for rated in moves)
        first = tuple(rated.move for rated in moves[:1])
        return Known(verdict, tuple(moves), names, fifty.difference(board, moves), first)
    except EndgameError as problem:
        return Known(verdict, problem=problem)


def _partly(fifty: FiftyMoves, board: chess.Board, before: Fifty | None) -> tuple[Partial, ...]:
    """The moves as far as they are known, none where none is: by category, and by DTZ among equals."""
    found = [_part(fifty, board, before, move) for move in board.generate_legal_moves()]
    found.sort(key=_order)
    return tuple(found) if found and found[0].after is not None else ()


def _part(fifty: FiftyMoves, board: chess.Board, before: Fifty | None, move: chess.Move) -> Partial:
    """One of them."""
    san, zeroing = board.san(move), board.is_zeroing(move)
    here = board.copy(stack=False)
    here.push(move)
    try:
        after = fifty.verdict(here)
    except EndgameError as problem:
        return Partial(move, san, zeroing, problem=problem)
    rated = None
    if before is not None:
        rated = RatedMove(
            CHESS, board, move, here, None, zeroing=zeroing, clock=board.halfmove_clock, before=before, fifty=after
        )
    category = late(after.category) if board.halfmove_clock >= MOST_CLOCK else after.category
    return Partial(move, san, zeroing, after, category, rated)


def _order(move: Partial) -> tuple[int, int, str]:
    """What is better for the mover first, what is not known last."""
    if move.after is None or move.category is None:
        return len(Category), 0, move.san
    return move.category.goodness, 0 if move.zeroing else -move.after.dtz, move.san


class Clerk:
    """Finds out about one position at a time in a thread of its own; what was found is kept.

    Args:
        fifty: Makes what asks the tables; called in the thread, once.
    """

    def __init__(self, fifty: Callable[[], FiftyMoves]) -> None:
        self._make = fifty
        self._fifty: FiftyMoves | None = None
        self._thread: ThreadPoolExecutor | None = None
        self._known: dict[str, Known] = {}
        self._asked: Future[Known] | None = None
        self._wanted = ""

    def forget(self) -> None:
        """Asks the tables anew; what the thread is at counts no more."""
        self._known = {}
        self._fifty = None

    def known(self, board: chess.Board) -> Known | None:
        """What was found out before."""
        return self._known.get(board.fen())

    @property
    def busy(self) -> bool:
        """Whether something is being found out."""
        return self._asked is not None and not self._asked.done()

    def ask(self, board: chess.Board, then: Callable[[], object], plies: int = 0) -> Known | None:
        """What is known; None when it takes longer. Whenever more is known, ``then`` is called in the thread.

        Args:
            board: The position; nothing more is found out about the one asked for before.
            then: Called in the thread.
            plies: How much of the best line is wanted.
        """
        self._wanted = fen = board.fen()
        known = self._known.get(fen)
        if known is None:
            asked = self._submit(self._find_out, board)
            try:
                known = asked.result(PATIENCE)
            except NotYet:
                asked.add_done_callback(partial(_tell, then))
        if plies > 1 and (known is None or (known.moves and len(known.line) < plies and not known.ends)):
            self._submit(self._follow, board, plies).add_done_callback(partial(_tell, then))
        return known

    def _submit(self, work: Callable[..., Known], *about: object) -> Future[Known]:
        if self._thread is None:
            self._thread = ThreadPoolExecutor(1, thread_name_prefix="clocks")
        self._asked = self._thread.submit(work, *about)
        return self._asked

    # In the thread

    def _find_out(self, board: chess.Board) -> Known:
        fen, kept, fifty = board.fen(), self._known, self._fifty
        if fen != self._wanted:
            return Known()
        if fifty is None:
            fifty = self._fifty = self._make()
        found = find_out(fifty, board)
        if found.problem is not None and not found.moves:
            found = replace(found, partly=_partly(fifty, board, found.verdict))
        if len(kept) > _KEPT:
            kept.clear()
        kept[fen] = found
        return found

    def _follow(self, board: chess.Board, plies: int) -> Known:
        """The line, until something else is wanted."""
        fen, here = board.fen(), board.copy(stack=False)
        kept, fifty = self._known, self._fifty
        known = kept.get(fen)
        if known is None or known.verdict is None or fifty is None:
            return Known()
        line: list[chess.Move] = []
        try:
            while len(line) < plies and here.halfmove_clock < MOST_CLOCK and (best := fifty.best(here)) is not None:
                if fen != self._wanted:
                    return known
                line.append(best.move)
                here.push(best.move)
        except EndgameError:
            pass  # as far as the tables tell
        kept[fen] = known = replace(known, line=tuple(line), ends=here.is_checkmate())
        return known

    def close(self) -> None:
        """Ends the thread."""
        self._wanted = ""
        if self._thread is not None:
            self._thread.shutdown(wait=False, cancel_futures=True)


def _tell(then: Callable[[], object], asked: Future[Known]) -> None:
    if not asked.cancelled():
        then()

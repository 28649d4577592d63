"""What the 50-move rule makes of a position, found out in a thread so that no key waits for it. No Textual here."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotYet
from dataclasses import dataclass
from functools import partial

import chess

from endgame_core.chess.fifty import Fifty, FiftyMove, FiftyMoves
from endgame_core.errors import EndgameError

PATIENCE = 0.015
"""Seconds for which a screen waits: nearly always enough, and then the row is painted once, not twice."""

_KEPT = 200


@dataclass(frozen=True, slots=True)
class Known:
    """What was found out.

    Attributes:
        verdict: Category, DTZ and clock; None where no table tells.
        moves: All legal moves, best first.
        names: The same as people write them.
        difference: Why the best is not the best by DTM; empty where it is.
        problem: Why nothing is known, or not all.
    """

    verdict: Fifty | None = None
    moves: tuple[FiftyMove, ...] = ()
    names: tuple[str, ...] = ()
    difference: str = ""
    problem: EndgameError | None = None


def find_out(fifty: FiftyMoves, board: chess.Board) -> Known:
    """Asks the tables."""
    try:
        verdict = fifty.verdict(board)
    except EndgameError as problem:
        return Known(problem=problem)
    try:
        moves = fifty.moves(board)
        names = tuple(board.san(rated.move) for rated in moves)
        return Known(verdict, tuple(moves), names, fifty.difference(board, moves))
    except EndgameError as problem:
        return Known(verdict, problem=problem)


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

    def forget(self) -> None:
        """Asks the tables anew."""
        self._known.clear()
        self._fifty = None

    def known(self, board: chess.Board) -> Known | None:
        """What was found out before."""
        return self._known.get(board.fen())

    def ask(self, board: chess.Board, then: Callable[[], object]) -> Known | None:
        """What is known; None when it takes longer, and then ``then`` is called in the thread."""
        fen = board.fen()
        if (known := self._known.get(fen)) is not None:
            return known
        if self._asked is not None:
            self._asked.cancel()
        if self._thread is None:
            self._thread = ThreadPoolExecutor(1, thread_name_prefix="clocks")
        self._asked = asked = self._thread.submit(self._find_out, board)
        try:
            return asked.result(PATIENCE)
        except NotYet:
            asked.add_done_callback(partial(_tell, then))
            return None

    def _find_out(self, board: chess.Board) -> Known:
        """Runs in the thread."""
        if self._fifty is None:
            self._fifty = self._make()
        found = find_out(self._fifty, board)
        if len(self._known) > _KEPT:
            self._known.clear()
        self._known[board.fen()] = found
        return found

    def close(self) -> None:
        """Ends the thread."""
        if self._thread is not None:
            self._thread.shutdown(wait=False, cancel_futures=True)


def _tell(then: Callable[[], object], asked: Future[Known]) -> None:
    if not asked.cancelled():
        then()

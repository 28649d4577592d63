"""What the 50-move rule makes of a position, found out in a thread so that no key waits for it. No Textual here."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotYet
from dataclasses import dataclass, replace
from functools import partial

import chess

from endgame_core.errors import EndgameError
from endgame_core.judge import DTZ, Judge
from endgame_core.values import Category, Fifty
from endgame_core.words import fifty
from endgame_tui.walk import Move

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


def find_out(judge: Judge[chess.Board, chess.Move], board: chess.Board) -> Known:
    """Asks the judge."""
    known = judge.known(board)
    names = tuple(rated.san for rated in known.by_dtz)
    first = tuple(rated.move for rated in known.by_dtz[:1])
    partly = tuple(_part(rated) for rated in known.partly)
    return Known(
        known.fifty, known.by_dtz, names, fifty.difference(known), first, problem=known.fifty_problem, partly=partly
    )


def _part(rated: Move) -> Partial:
    """A move of a position of which not all moves are known."""
    category = None if rated.fifty is None else rated.category
    told = None if rated.before is None or rated.fifty is None else rated
    return Partial(rated.move, rated.san, rated.zeroing, rated.fifty, category, told, rated.problem)


class Clerk:
    """Finds out about one position at a time in a thread of its own; what was found is kept.

    Args:
        judge: Whom to ask.
    """

    def __init__(self, judge: Judge[chess.Board, chess.Move]) -> None:
        self._judge = judge
        self._thread: ThreadPoolExecutor | None = None
        self._known: dict[str, Known] = {}
        self._asked: Future[Known] | None = None
        self._wanted = ""

    def forget(self) -> None:
        """Asks the tables anew; what the thread is at counts no more."""
        self._known = {}

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
        fen, kept = board.fen(), self._known
        if fen != self._wanted:
            return Known()
        found = find_out(self._judge, board)
        if len(kept) > _KEPT:
            kept.clear()
        kept[fen] = found
        return found

    def _follow(self, board: chess.Board, plies: int) -> Known:
        """The line, until something else is wanted."""
        fen, kept = board.fen(), self._known
        known = kept.get(fen)
        if known is None or known.verdict is None:
            return Known()
        line = self._judge.line(board, 0, DTZ)
        for most in range(1, plies + 1):
            if fen != self._wanted:
                return known
            line = self._judge.line(board, most, DTZ)
            if len(line.steps) < most:
                break
        kept[fen] = known = replace(known, line=tuple(line.moves), ends=line.ends)
        return known

    def close(self) -> None:
        """Ends the thread."""
        self._wanted = ""
        if self._thread is not None:
            self._thread.shutdown(wait=False, cancel_futures=True)


def _tell(then: Callable[[], object], asked: Future[Known]) -> None:
    if not asked.cancelled():
        then()

"""Has a judge find out about positions in a thread, so that no key waits for it."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotYet
from functools import partial
from typing import Any, Generic, TypeVar

from endgame_core.judge import DTZ, Judge, Known, Line

P = TypeVar("P")
M = TypeVar("M")

PATIENCE = 0.015
"""Seconds for which a screen waits: nearly always enough, and then the row is painted once, not twice."""

_AT_A_TIME = 8
"""Plies of a line between two looks at whether it is still wanted."""

_KEPT = 200


class Clerk(Generic[P, M]):
    """Finds out about one position at a time.

    Args:
        judge: Whom to ask.
    """

    def __init__(self, judge: Judge[P, M]) -> None:
        self.judge = judge
        self._thread: ThreadPoolExecutor | None = None
        self._asked: Future[Any] | None = None
        self._wanted = ""
        self._lines: dict[str, Line[P, M]] = {}

    @property
    def busy(self) -> bool:
        """Whether something is being found out."""
        return self._asked is not None and not self._asked.done()

    def forget(self) -> None:
        """Follows lines anew; what the thread is at counts no more."""
        self._wanted, self._lines = "", {}

    def line(self, position: P) -> Line[P, M] | None:
        """The best line by DTZ, as far as it was asked for and found."""
        return self._lines.get(self.judge.game.format(position))

    def ask(self, position: P, then: Callable[[], object], plies: int = 0) -> Known[P, M] | None:
        """What is known; None when it takes longer. Whenever more is known, ``then`` is called in the thread.

        Args:
            position: The position; nothing more is found out about the one asked for before.
            then: Called in the thread.
            plies: How much of the best line by DTZ is wanted.
        """
        self._wanted = key = self.judge.game.format(position)
        known = self.judge.peek(position)
        if known is None:
            asked = self._submit(self._find_out, position, key)
            try:
                asked.result(PATIENCE)
                known = self.judge.peek(position)
            except NotYet:
                asked.add_done_callback(partial(_tell, then))
        line = self._lines.get(key)
        if plies > 1 and (known is None or known.by_dtz) and (line is None or not _is_enough(line, plies)):
            self._submit(self._follow, position, key, plies).add_done_callback(partial(_tell, then))
        return known

    def _submit(self, work: Callable[..., object], *about: object) -> Future[Any]:
        if self._thread is None:
            self._thread = ThreadPoolExecutor(1, thread_name_prefix="clerk")
        self._asked = self._thread.submit(work, *about)
        return self._asked

    # In the thread

    def _find_out(self, position: P, key: str) -> None:
        if key == self._wanted:
            self.judge.known(position)

    def _follow(self, position: P, key: str, plies: int) -> None:
        """The line, until something else is wanted."""
        most = 0
        while most < plies and key == self._wanted:
            most = min(most + _AT_A_TIME, plies)
            line = self.judge.line(position, most, DTZ)
            if len(self._lines) >= _KEPT:
                self._lines.clear()
            self._lines[key] = line
            if _is_enough(line, most + 1):
                break

    def close(self) -> None:
        """Ends the thread."""
        self._wanted = ""
        if self._thread is not None:
            self._thread.shutdown(wait=False, cancel_futures=True)


def _is_enough(line: Line[Any, Any], plies: int) -> bool:
    """Whether a line goes so far, or no farther."""
    return len(line.steps) >= plies or line.cut is not None or not line.steps or line.steps[-1].last


def _tell(then: Callable[[], object], asked: Future[Any]) -> None:
    if not asked.cancelled():
        then()

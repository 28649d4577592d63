"""The line of progress that long commands show on a terminal; that of a build is in :mod:`build_progress`."""

from __future__ import annotations

import os
import stat
import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import IO

import click

from endgame_core.errors import format_size
from endgame_core.language import _, decimal
from endgame_core.untrusted import visible
from endgame_core.words.text_model import grouped, span

BYTES = ""
"""The unit of a total in bytes, which are printed as kB, MB or GB."""

_INTERVAL = 0.1
"""Seconds between two updates of the line."""

_SETTLING = 1.0
"""Seconds after which rate and time left are known well enough to show them."""

ERASED = "\r\x1b[K"
"""Moves to the start of the line and erases it."""

QUIET = f"{__name__}.quiet"
"""Key in the meta data of Click's context: whether ``--quiet`` was given."""


def is_quiet() -> bool:
    """Return whether the running command was called with ``--quiet``."""
    context = click.get_current_context(silent=True)
    return context is not None and QUIET in context.meta


def shows_progress() -> bool:
    """Return whether standard error is a terminal, and the command was not called with ``--quiet``."""
    return sys.stderr.isatty() and not is_quiet()


def file_size(stream: IO[bytes]) -> int:
    """Return the size of the file that a stream reads; 0 for a pipe, a terminal, or bytes in memory."""
    try:
        status = os.fstat(stream.fileno())
    except (OSError, ValueError):
        return 0
    if stat.S_ISREG(status.st_mode):
        return status.st_size
    return 0


class ProgressText:
    """Derives rate and time left from the share that is done.

    A command may have several phases, each with shares from 0 to 1; the clock starts again with each of them.

    Args:
        total: How much there is to do, in ``unit``; 0 if that is not known, then the rate is in percent.
        unit: The counted things, as a plural, or :data:`BYTES`.
        phase: The phase with this total, by its name in the progress; empty for all.
        clock: Returns seconds.
    """

    def __init__(
        self,
        total: int = 0,
        unit: str = BYTES,
        phase: str = "",
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._total = total
        self._unit = unit
        self._phase = phase
        self._clock = clock
        self._started_at = 0.0
        self._first_share = 0.0
        self._last_share = 1.0

    def update(self, action: str, share: float) -> str:
        """Return the text for the current activity and the finished share, 0 to 1."""
        now = self._clock()
        # A smaller share than before is the start of another phase; so is the first one (1.0 before it).
        if share < self._last_share:
            self._started_at = now
            self._first_share = share
        self._last_share = share

        text = f"{visible(action)} {share:4.0%}"
        seconds = now - self._started_at
        # What was done before the first report, e.g. by an interrupted build, took no time of this run.
        done = share - self._first_share
        if seconds < _SETTLING or done <= 0:
            return text
        has_total = bool(self._total) and self._phase in ("", action)
        if has_total:
            rate = self._rate(done * self._total / seconds)
        else:
            rate = f"{decimal(100 * done / seconds)} %/s"
        remaining = span(seconds * (1 - share) / done)
        return _("{progress}  {rate}  about {time} left").format(progress=text, rate=rate, time=remaining)

    def _rate(self, per_second: float) -> str:
        """Return how much is done in a second, in words."""
        if self._unit == BYTES:
            return f"{format_size(round(per_second))}/s"
        return f"{grouped(round(per_second))} {self._unit}/s"


@contextmanager
def progress_line(total: int = 0, unit: str = BYTES, phase: str = "") -> Generator[Callable[[str, float], None]]:
    """Show progress in one line of standard error, if that is a terminal; the line is erased at the end.

    Click's own bar stays on the screen when it is full, and has no rate.

    Args:
        total: How much there is to do; see :class:`ProgressText`.
        unit: The counted things, as a plural.
        phase: The phase that has this total.

    Yields:
        A function that reports the current activity and the finished share, 0 to 1; it can be called often.
    """
    if not shows_progress():
        yield lambda action, share: None
        return

    text = ProgressText(total, unit, phase)
    shown_at = 0.0

    def show(action: str, share: float) -> None:
        global _is_shown
        nonlocal shown_at
        if time.monotonic() - shown_at >= _INTERVAL:
            shown_at = time.monotonic()
            _is_shown = True
            # One column short: a full line would make some terminals begin the next one, which cannot be erased.
            click.echo(f"{ERASED}{text.update(action, share)[: _columns() - 1]}", err=True, nl=False)

    try:
        yield show
    finally:
        hide_progress()


_is_shown = False
"""Whether the line of progress is on the screen."""


def hide_progress() -> None:
    """Erase the line of progress if it is on the screen, so that a message can take its place."""
    global _is_shown
    if _is_shown:
        _is_shown = False
        click.echo(ERASED, err=True, nl=False)


def _columns() -> int:
    """The width of the terminal; 80 if it does not say."""
    try:
        # Asked each time, because the window may be resized.
        return os.get_terminal_size(sys.stderr.fileno()).columns or 80
    except (OSError, ValueError):
        return 80

"""Nothing twice: a changed cell and a colour are sent to the terminal once, and a style sheet is read once.

Textual sends a changed run from the left edge of its widget on, and resets and restates all attributes around every
piece of text. Over a slow line that is most of what is sent. :class:`DiffUpdate` begins where the change begins, and
sends of a style what differs from the one before: the :class:`Pen` remembers what the terminal already knows.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import chain
from typing import Any

from rich.color import Color, ColorSystem
from rich.console import COLOR_SYSTEMS, Console
from rich.control import Control
from rich.segment import Segment
from rich.style import Style
from textual._compositor import ChopsUpdate, CompositorUpdate, LayoutUpdate
from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet
from textual.css.types import CSSLocation
from textual.driver import Driver

from endgame_tui.job_control import stop_job

_ON = {"bold": 1, "dim": 2, "italic": 3, "underline": 4, "blink": 5, "reverse": 7, "conceal": 8, "strike": 9,
       "overline": 53}  # fmt: skip
_OFF = {1: 22, 2: 22, 3: 23, 4: 24, 5: 25, 7: 27, 8: 28, 9: 29, 53: 55}
"""The codes of attributes, and those that end them."""

_INK_ONLY = frozenset({1, 2, 3})
"""Attributes that do not show on a blank: bold, dim, italic."""

_LEVELS = (0, 95, 135, 175, 215, 255)
_GREYS = range(8, 239, 10)
"""How much of each light there is in the colours 16 to 231, and in the greys 232 to 255."""

_READ: dict[tuple[Any, ...], list[RuleSet]] = {}
"""Rules of style sheets that have been read, with the variables of a theme."""


class Sheets(Stylesheet):
    """Style sheets that are read once for each theme; Textual reads all of them anew for every new screen."""

    def reparse(self) -> None:
        """Takes the variables as they are now; what was read with the same is not read again."""
        self.parse()

    def _parse_rules(
        self, css: str, read_from: CSSLocation, is_default_rules: bool = False, tie_breaker: int = 0, scope: str = ""
    ) -> list[RuleSet]:
        key = frozenset(self._variables.items()), css, read_from, is_default_rules, tie_breaker, scope
        if key not in _READ:
            self._parse_cache.clear()  # knows nothing of variables
            _READ[key] = super()._parse_rules(css, read_from, is_default_rules, tie_breaker, scope)
        return _READ[key]


Ink = tuple[str, str, frozenset[int]]
"""The codes of the ink and of the ground, and the attributes that are on."""

_PLAIN: Ink = ("39", "49", frozenset())


class Pen:
    """What a terminal writes with, and how to have it write with something else."""

    def __init__(self) -> None:
        self._now = _PLAIN

    def reset(self) -> str:
        """Begins anew, whatever the terminal writes with."""
        self._now = _PLAIN
        return "\x1b[m"

    def write(self, text: str, style: Style | None, system: ColorSystem | None) -> str:
        """A text and, before it, what has to be changed for it."""
        wanted = _PLAIN if style is None or system is None else _ink(style, system)
        if not text.strip(" "):  # blanks show no ink: only the ground, and lines through or under them, count
            ink, _, attributes = self._now
            wanted = ink, wanted[1], (attributes & _INK_ONLY) | (wanted[2] - _INK_ONLY)
        change, self._now = "" if wanted == self._now else _change(self._now, wanted), wanted
        return change + text


@cache
def _ink(style: Style, system: ColorSystem) -> Ink:
    """The codes of a style."""
    on = frozenset(code for name, code in _ON.items() if getattr(style, name))
    return _code(style.color, system, "39"), _code(style.bgcolor, system, "49"), on


def _code(colour: Color | None, system: ColorSystem, plain: str) -> str:
    """A colour that has a number on all terminals by that number, which is shorter."""
    if colour is None:
        return plain
    code, *parts = colour.downgrade(system).get_ansi_codes(foreground=plain == "39")
    lights = [int(part) for part in parts[1:]]
    if len(lights) == 3 and all(light in _LEVELS for light in lights):
        red, green, blue = map(_LEVELS.index, lights)
        return f"{code};5;{16 + 36 * red + 6 * green + blue}"
    if len(lights) == 3 and len(set(lights)) == 1 and lights[0] in _GREYS:
        return f"{code};5;{232 + _GREYS.index(lights[0])}"
    return ";".join((code, *parts))


@cache
def _change(now: Ink, wanted: Ink) -> str:
    """The shortest sequence that turns one into the other."""
    (ink, ground, on), (new_ink, new_ground, new_on) = now, wanted
    ends = {_OFF[code] for code in on - new_on}
    begins = {code for code in new_on if code not in on or _OFF[code] in ends}
    codes = [*sorted(ends), *sorted(begins), *([new_ink] if new_ink != ink else [])]
    codes += [new_ground] if new_ground != ground else []
    afresh = ["", *sorted(new_on), *([new_ink] if new_ink != "39" else [])]
    afresh += [new_ground] if new_ground != "49" else []
    return f"\x1b[{min((';'.join(map(str, each)) for each in (codes, afresh)), key=len)}m"


class DiffUpdate(CompositorUpdate):
    """An update that sends what has changed, with as little as the pen needs for it.

    Runs of one column belong to one panel and share their colours: they are sent one after the other.

    Args:
        update: The update: all of the screen, or some runs of cells.
        pen: What the terminal writes with.
    """

    def __init__(self, update: ChopsUpdate | LayoutUpdate, pen: Pen) -> None:
        self._update, self._pen = update, pen

    def render_segments(self, console: Console) -> str:
        """What is sent."""
        write, system = self._pen.write, COLOR_SYSTEMS.get(console.color_system or "")
        sent = [self._pen.reset()] if isinstance(self._update, LayoutUpdate) else []
        for x, y, segments in sorted(self._runs(), key=lambda run: run[0]):
            sent.append(Control.move_to(x, y).segment.text)
            sent += [write(text, style, system) for text, style, _ in segments]
        return "".join(sent)

    def _runs(self) -> Iterator[tuple[int, int, Iterable[Segment]]]:
        """Where each run begins, and what it shows; each from its first cell to its last."""
        update = self._update
        if isinstance(update, LayoutUpdate):
            for y, strips in enumerate(update.strips, update.region.y):
                yield update.region.x, y, chain.from_iterable(strips)
            return
        for y, first, last in update.spans:
            for end, (x, strip) in zip(update.chop_ends[y], update.chops[y].items(), strict=False):
                start, stop = max(x, first), min(end, last)
                if strip is not None and start < stop:
                    yield start, y, strip if (start, stop) == (x, end) else strip.crop(start - x, stop - x)


@cache
def thrifty(driver_class: type[Driver]) -> type[Driver]:
    """A driver that works like ``driver_class``, and lets the terminal's cursor be seen where the app shows it."""

    class DiffDriver(driver_class):
        """Shows the cursor, suspends the whole job, and gives the terminal back as it was."""

        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            self._is_suspended = self._is_resuming = self._continued = False
            output = sys.__stdout__
            if hasattr(self, "_file") and output is not None and not (self._file and self._file.isatty()):
                # Textual draws on standard error; where that goes into a file or is closed, draw on standard output.
                self._file = output

        def start_application_mode(self) -> None:
            """Begins."""
            super().start_application_mode()
            self.show_cursor(getattr(self._app, "shows_cursor", False))

        def stop_application_mode(self) -> None:
            """Ends, with no colour left behind."""
            self.write(Pen().reset())
            super().stop_application_mode()

        def _sigtstp_application(self, *_: object) -> None:
            """Suspend the job as a terminal does; Textual would stop this process only."""
            self._suspend()
            stop_job()

        def _sigcont_application(self, *_: object) -> None:
            """Resume the app. One that was stopped by SIGSTOP, or still runs, has not left the terminal: restart it.

            A second input thread beside the first would take every other key. In the background, a driver that
            touches the terminal is stopped again, and the signal that resumes it arrives inside this method: note it.
            """
            driver: Any = self
            if not driver._auto_restart:
                return
            self._continued = True
            if self._is_resuming:
                return
            self._is_resuming = True
            while self._continued:
                self._continued = False
                if not self._is_suspended:
                    self._suspend()
                self.resume_application_mode()
                input_thread = driver._key_thread
                self._is_suspended = input_thread is None or not input_thread.is_alive()
            self._is_resuming = False

        def _suspend(self) -> None:
            driver: Any = self
            if driver._auto_restart and not self._is_suspended:
                self.suspend_application_mode()
                self._is_suspended = True
                driver._must_signal_resume = True

        def show_cursor(self, shown: bool) -> None:
            """Shows or hides the terminal's cursor, wherever it stands."""
            self.write(f"\x1b[?25{'h' if shown else 'l'}")
            self.flush()

    return DiffDriver

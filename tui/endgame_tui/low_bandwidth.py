"""Less output for slow connections: only changed cells and changed attributes are sent to the terminal.

Textual sends a changed run from the left edge of its widget on, and resets and restates all attributes around every
segment. Over a slow line that is most of the output. :class:`DiffUpdate` starts where the change starts and sends only
the difference between two styles: the :class:`Pen` tracks the attributes that the terminal has. Style sheets are parsed
once (:class:`CachedStylesheet`).
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import chain
from time import monotonic
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
from textual.message import Message
from textual.messages import TerminalSupportsSynchronizedOutput

from endgame_tui.job_control import stop_job
from endgame_tui.piece_pictures import PLACEHOLDERS

_ON = {"bold": 1, "dim": 2, "italic": 3, "underline": 4, "blink": 5, "reverse": 7, "conceal": 8, "strike": 9,
       "overline": 53}  # fmt: skip
_OFF = {1: 22, 2: 22, 3: 23, 4: 24, 5: 25, 7: 27, 8: 28, 9: 29, 53: 55}
"""The SGR codes of attributes, and those that end them."""

_INK_ONLY = frozenset({1, 2, 3})
"""Attributes that do not show on a blank: bold, dim, italic."""

FAST_LINE_SECONDS = 0.15
"""A terminal that has taken the first screen, some 5 KB, within this time is at the end of a fast line."""

_LEVELS = (0, 95, 135, 175, 215, 255)
_GREYS = range(8, 239, 10)
"""The levels of red, green and blue in the colours 16 to 231, and those of the greys 232 to 255."""

_RULES: dict[tuple[Any, ...], list[RuleSet]] = {}
"""The parsed rules of style sheets, by their text and the variables of a theme."""


class CachedStylesheet(Stylesheet):
    """A style sheet that is parsed once for each theme; Textual parses everything again for every new screen."""

    def reparse(self) -> None:
        """Apply the current variables; rules that were parsed with the same variables are taken from the cache."""
        self.parse()

    def _parse_rules(
        self, css: str, read_from: CSSLocation, is_default_rules: bool = False, tie_breaker: int = 0, scope: str = ""
    ) -> list[RuleSet]:
        key = frozenset(self._variables.items()), css, read_from, is_default_rules, tie_breaker, scope
        if key not in _RULES:
            self._parse_cache.clear()  # Textual's own cache ignores the variables
            _RULES[key] = super()._parse_rules(css, read_from, is_default_rules, tie_breaker, scope)
        return _RULES[key]


Attributes = tuple[str, str, frozenset[int]]
"""The SGR codes of the foreground and background colours, and those of the attributes that are on."""

_PLAIN: Attributes = ("39", "49", frozenset())


class Pen:
    """Tracks the attributes with which a terminal writes, and changes them."""

    def __init__(self) -> None:
        self._current = _PLAIN

    def reset(self) -> str:
        """Return the sequence that resets all attributes, whatever the terminal has."""
        self._current = _PLAIN
        return "\x1b[m"

    def write(self, text: str, style: Style | None, system: ColorSystem | None) -> str:
        """Return a text after the sequence that changes the attributes to its style."""
        # Only the cells of pictures are replaced: most texts are ASCII, for which this test costs nothing.
        if not text.isascii():
            text = text.translate(PLACEHOLDERS)
        if style is None or system is None:
            target = _PLAIN
        else:
            target = _attributes(style, system)
        if not text.strip(" "):
            # Blanks show only the background, and lines under or through them: leave everything else as it is.
            foreground, _, on = self._current
            target = foreground, target[1], (on & _INK_ONLY) | (target[2] - _INK_ONLY)
        if target == self._current:
            return text
        change = _change(self._current, target)
        self._current = target
        return change + text


@cache
def _attributes(style: Style, system: ColorSystem) -> Attributes:
    """The SGR codes of a style."""
    on = frozenset(code for name, code in _ON.items() if getattr(style, name))
    return _colour_code(style.color, system, "39"), _colour_code(style.bgcolor, system, "49"), on


def _colour_code(colour: Color | None, system: ColorSystem, default: str) -> str:
    """The SGR code of a colour; a true colour that is among the 256 has a shorter one by number."""
    if colour is None:
        return default
    code, *parts = colour.downgrade(system).get_ansi_codes(foreground=default == "39")
    channels = [int(part) for part in parts[1:]]
    if len(channels) == 3 and all(channel in _LEVELS for channel in channels):
        red, green, blue = map(_LEVELS.index, channels)
        return f"{code};5;{16 + 36 * red + 6 * green + blue}"
    if len(channels) == 3 and len(set(channels)) == 1 and channels[0] in _GREYS:
        return f"{code};5;{232 + _GREYS.index(channels[0])}"
    return ";".join((code, *parts))


@cache
def _change(current: Attributes, target: Attributes) -> str:
    """The shortest sequence that turns one set of attributes into another: only the changes, or all after a reset."""
    foreground, background, on = current
    new_foreground, new_background, new_on = target

    # An end code may end two attributes (22 ends bold and dim): those that stay on have to be restated.
    ends = {_OFF[code] for code in on - new_on}
    starts = {code for code in new_on if code not in on or _OFF[code] in ends}
    # First the ends, because they may end more than they should.
    changes = [*map(str, sorted(ends)), *map(str, sorted(starts))]
    if new_foreground != foreground:
        changes.append(new_foreground)
    if new_background != background:
        changes.append(new_background)

    # An empty parameter is a reset.
    restated = ["", *map(str, sorted(new_on))]
    if new_foreground != "39":
        restated.append(new_foreground)
    if new_background != "49":
        restated.append(new_background)
    return f"\x1b[{min(';'.join(changes), ';'.join(restated), key=len)}m"


class DiffUpdate(CompositorUpdate):
    """A screen update that sends only the changed cells, and only the attributes that differ.

    The runs are sent sorted by column: those in one column belong to one panel and share their colours.

    Args:
        update: Textual's update: the whole screen, or some runs of cells.
        pen: Tracks the attributes of the terminal.
    """

    def __init__(self, update: ChopsUpdate | LayoutUpdate, pen: Pen) -> None:
        self._update = update
        self._pen = pen

    def render_segments(self, console: Console) -> str:
        """Return the text and control sequences to send."""
        system = COLOR_SYSTEMS.get(console.color_system or "")
        output: list[str] = []
        # The whole screen, e.g. after another program has drawn on it: what the pen knows may be wrong.
        if isinstance(self._update, LayoutUpdate):
            output.append(self._pen.reset())
        for x, y, segments in sorted(self._runs(), key=lambda run: run[0]):
            output.append(Control.move_to(x, y).segment.text)
            output += [self._pen.write(text, style, system) for text, style, _ in segments]
        return "".join(output)

    def _runs(self) -> Iterator[tuple[int, int, Iterable[Segment]]]:
        """Column, row and segments of each run of cells to send."""
        update = self._update
        if isinstance(update, LayoutUpdate):
            for y, strips in enumerate(update.strips, update.region.y):
                yield update.region.x, y, chain.from_iterable(strips)
            return
        for y, span_start, span_end in update.spans:
            for end, (x, strip) in zip(update.chop_ends[y], update.chops[y].items(), strict=False):
                run_start = max(x, span_start)
                run_end = min(end, span_end)
                # None: this part of the row has not changed, or something else covers it.
                if strip is None or run_start >= run_end:
                    continue
                if (run_start, run_end) != (x, end):
                    strip = strip.crop(run_start - x, run_end - x)
                yield run_start, y, strip


@cache
def diff_driver(driver_class: type[Driver]) -> type[Driver]:
    """Return a subclass of ``driver_class`` that shows the terminal's cursor and suspends the whole job."""

    class DiffDriver(driver_class):
        """Shows the cursor if the app wants it, suspends the whole job, and restores the terminal."""

        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            self._is_suspended = False
            self._is_resuming = False
            self._must_resume = False
            self._replies = 0
            """How often the terminal has said whether it can draw all at once: Textual asks when it starts."""
            self._asked_at: float | None = None
            self.line_seconds: float | None = None
            """Seconds until the terminal has taken the first screen and answered; None as long as it has not."""
            output = sys.__stdout__
            if hasattr(self, "_file") and output is not None and not (self._file and self._file.isatty()):
                # Textual draws on standard error; if that is closed or not a terminal, draw on standard output.
                self._file = output

        def start_application_mode(self) -> None:
            """Enter application mode, and show the cursor if the app wants it."""
            super().start_application_mode()
            self.show_cursor(getattr(self._app, "shows_cursor", False))

        def time_line(self) -> None:
            """Ask the terminal something: its answer comes when it has taken all that was sent before."""
            self._asked_at = monotonic()
            self.write("\x1b[?2026$p")
            self.flush()

        def process_message(self, message: Message) -> None:
            """Note when the terminal answers; called by the thread that reads its input."""
            if isinstance(message, TerminalSupportsSynchronizedOutput):
                self._replies += 1
                # The first reply is that to Textual's own question, sent before the first screen.
                if self._asked_at is not None and self._replies > 1 and self.line_seconds is None:
                    self.line_seconds = monotonic() - self._asked_at
                    on_line_timed = getattr(self._app, "on_line_timed", None)
                    if on_line_timed is not None:
                        self._app.call_later(on_line_timed)
            super().process_message(message)

        def stop_application_mode(self) -> None:
            """Reset the attributes, delete the pictures of pieces and leave application mode."""
            self.write(Pen().reset())
            # Before the terminal belongs to the shell again, which would keep them.
            pictures = getattr(self._app, "pictures", None)
            if pictures is not None:
                pictures.delete()
            super().stop_application_mode()

        def _sigtstp_application(self, *_: object) -> None:
            """Suspend the job as a terminal does; Textual would stop this process only."""
            self._suspend()
            stop_job()

        def _sigcont_application(self, *_: object) -> None:
            """Resume the app. One that was stopped by SIGSTOP, or still runs, has not left the terminal: restart it.

            A second input thread beside the first would take every other key. In the background, a driver that
            touches the terminal is stopped again, and the signal that resumes it arrives inside this method, which then
            starts over.
            """
            driver: Any = self
            if not driver._auto_restart:
                return
            self._must_resume = True
            if self._is_resuming:
                return
            self._is_resuming = True
            while self._must_resume:
                self._must_resume = False
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

        def show_cursor(self, is_visible: bool) -> None:
            """Show or hide the terminal's cursor."""
            final = "h" if is_visible else "l"
            self.write(f"\x1b[?25{final}")
            self.flush()

    return DiffDriver

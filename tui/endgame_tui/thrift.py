"""Nothing twice: a changed cell and a colour are sent to the terminal once, and a style sheet is read once.

Textual sends a changed run from the left edge of its widget on, and resets and restates all attributes around every
piece of text. Over a slow line that is most of what is sent. :class:`Runs` begins where the change begins; the driver
remembers what the terminal already knows and sends differences.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from rich.console import Console
from rich.control import Control
from textual._compositor import ChopsUpdate
from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet
from textual.css.types import CSSLocation
from textual.driver import Driver

_SEQUENCE = re.compile(r"\x1b\[([?\d;]*)([A-Za-z])")
_PLACE = re.compile(r"\x1b\[\d+;(\d+)H")
_OTHER = re.compile(r"\x1b(?!\[\d+;\d+H|\[[\d;]*m)|\n")
"""Anything but text, colours and placing the cursor."""

_ON = {1: 22, 2: 22, 3: 23, 4: 24, 5: 25, 7: 27, 8: 28, 9: 29, 53: 55}
"""Attributes and the codes that end them."""

_INK_ONLY = frozenset({1, 2, 3})
"""Attributes that do not show on a blank: bold, dim, italic."""

_LEVELS = (0, 95, 135, 175, 215, 255)
_GREYS = range(8, 239, 10)
"""How much of each light there is in the colours 16 to 231, and in the greys 232 to 255."""

_HARMLESS = {("?2026", "h"), ("?2026", "l")}
"""Sequences that draw nothing: begin and end of an update."""


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


class Runs(ChopsUpdate):
    """An update of some runs of cells, each sent from its first cell to its last."""

    @classmethod
    def of(cls, update: ChopsUpdate) -> Runs:
        """The same update."""
        return cls(update.chops, update.spans, update.chop_ends)

    def render_segments(self, console: Console) -> str:
        """What is sent; row by row, as far as a run reaches into each piece of the row."""
        sent: list[str] = []
        for y, first, last in self.spans:
            for end, (x, strip) in zip(self.chop_ends[y], self.chops[y].items(), strict=False):
                start, stop = max(x, first), min(end, last)
                if strip is not None and start < stop:
                    part = strip if (start, stop) == (x, end) else strip.crop(start - x, stop - x)
                    sent += (Control.move_to(start, y).segment.text, part.render(console))
        return "".join(sent)


class Pen:
    """The attributes a terminal writes with: colours and the set of attributes that are on."""

    __slots__ = ("attributes", "ground", "ink")

    def __init__(self) -> None:
        self.ink = "39"
        self.ground = "49"
        self.attributes: frozenset[int] = frozenset()

    def copy_from(self, other: Pen) -> None:
        """Takes over the other's attributes."""
        self.ink, self.ground, self.attributes = other.ink, other.ground, other.attributes

    def apply(self, parameters: str) -> bool:
        """Reads the parameters of an SGR sequence; False when one is unknown."""
        codes = iter(parameters.split(";"))
        return all(self._apply(int(text or 0), codes) for text in codes)

    def _apply(self, code: int, rest: Iterator[str]) -> bool:
        if code == 0:
            self.ink, self.ground, self.attributes = "39", "49", frozenset()
        elif code in _ON:
            self.attributes |= {code}
        elif code in (38, 48):
            kind = next(rest, "")
            count = {"5": 1, "2": 3}.get(kind, 0)
            colour = _numbered(";".join([str(code), kind, *(next(rest, "0") for _ in range(count))]))
            if code == 38:
                self.ink = colour
            else:
                self.ground = colour
        elif 30 <= code <= 39 or 90 <= code <= 97:
            self.ink = str(code)
        elif 40 <= code <= 49 or 100 <= code <= 107:
            self.ground = str(code)
        elif code in _ON.values():
            self.attributes = frozenset(on for on in self.attributes if _ON[on] != code)
        else:
            return False
        return True

    def change_to(self, other: Pen) -> str:
        """The shortest sequence that turns this pen into the other."""
        codes: list[str] = []
        gone = self.attributes - other.attributes
        kept = self.attributes & other.attributes
        ends = {_ON[code] for code in gone}
        codes += map(str, sorted(ends))
        lost = {code for code in kept if _ON[code] in ends}
        codes += map(str, sorted((other.attributes - self.attributes) | lost))
        codes += [other.ink] if other.ink != self.ink else []
        codes += [other.ground] if other.ground != self.ground else []
        if not codes:
            return ""
        afresh = ["", *map(str, sorted(other.attributes))]
        afresh += [other.ink] if other.ink != "39" else []
        afresh += [other.ground] if other.ground != "49" else []
        return f"\x1b[{min(';'.join(codes), ';'.join(afresh), key=len)}m"


@cache
def _numbered(colour: str) -> str:
    """A colour that has a number on all terminals by that number, which is shorter."""
    code, kind, *parts = colour.split(";")
    lights = [int(part or 0) for part in parts]
    if kind == "2" and all(light in _LEVELS for light in lights):
        red, green, blue = map(_LEVELS.index, lights)
        return f"{code};5;{16 + 36 * red + 6 * green + blue}"
    if kind == "2" and len(set(lights)) == 1 and lights[0] in _GREYS:
        return f"{code};5;{232 + _GREYS.index(lights[0])}"
    return colour


class Thrift:
    """Rewrites output so that attributes are sent only when they change."""

    def __init__(self) -> None:
        self._now = Pen()
        self._wanted = Pen()

    def __call__(self, data: str) -> str:
        """The same picture in fewer bytes."""
        return "".join(map(self._rewrite, _by_column(data)))

    def _rewrite(self, data: str) -> str:
        """One run of output, without the attributes the terminal already has."""
        out: list[str] = []
        end = 0
        for match in _SEQUENCE.finditer(data):
            text = data[end : match.start()]
            end = match.end()
            parameters, kind = match.groups()
            if text:
                out += (self._settle(text), text)
            if kind == "m" and self._wanted.apply(parameters):
                continue
            if kind != "H" and (parameters, kind) not in _HARMLESS:
                out.append(self._settle())
            out.append(match.group())
        text = data[end:]
        if text:
            out += (self._settle(text), text)
        return "".join(out)

    def _settle(self, text: str = "") -> str:
        """The sequence, if any, that makes the terminal ready to write ``text``."""
        if text and not text.strip(" "):
            return self._settle_blank()
        change = self._now.change_to(self._wanted)
        self._now.copy_from(self._wanted)
        return change

    def _settle_blank(self) -> str:
        """Blanks show no ink: only the ground, and lines through or under them, count."""
        pen = Pen()
        pen.ink, pen.ground = self._now.ink, self._wanted.ground
        pen.attributes = (self._now.attributes & _INK_ONLY) | (self._wanted.attributes - _INK_ONLY)
        change = self._now.change_to(pen)
        self._now.copy_from(pen)
        return change


def _by_column(data: str) -> list[str]:
    """Splits an update into runs that start by placing the cursor, sorted by column.

    Runs of one column belong to one panel and share their colours. Every run places itself and
    none overlaps another, so the order does not matter to the picture. A line end before a run is
    dropped, and so is a run that writes nothing; only the last one, which parks the cursor, stays.
    """
    starts = [match.start() for match in _PLACE.finditer(data)]
    if len(starts) < 3:
        return [data]
    ends = [*starts[1:], len(data)]
    runs = [data[start:end].removesuffix("\n") for start, end in zip(starts, ends, strict=True)]
    if any(_OTHER.search(run) for run in runs[:-1]):
        return [data]
    drawn = [run for run in runs[:-1] if not _PLACE.fullmatch(run)]
    return [data[: starts[0]], *sorted(drawn, key=_column), runs[-1]]


def _column(run: str) -> int:
    match = _PLACE.match(run)
    return int(match[1]) if match else 0


@cache
def thrifty(driver_class: type[Driver]) -> type[Driver]:
    """A driver that works like ``driver_class`` and sends less."""

    class ThriftyDriver(driver_class):
        """Sends every colour once."""

        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            self._thrift = Thrift()

        def start_application_mode(self) -> None:
            """Lets the terminal's cursor be seen, where the app shows it."""
            super().start_application_mode()
            self.show_cursor(getattr(self._app, "shows_cursor", False))

        def show_cursor(self, shown: bool) -> None:
            """Shows or hides the terminal's cursor, wherever it stands."""
            self.write(f"\x1b[?25{'h' if shown else 'l'}")
            self.flush()

        def write(self, data: str) -> None:
            """Writes data, shortened."""
            super().write(self._thrift(data))

    return ThriftyDriver

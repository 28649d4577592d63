"""A thrifty terminal driver: says a colour once, not before every word.

Textual resets and restates all attributes around every piece of text. Over a slow line that is
most of what is sent. This driver remembers what the terminal already knows and sends differences.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from textual.driver import Driver

_SEQUENCE = re.compile(r"\x1b\[([?\d;]*)([A-Za-z])")
_ON = {1: 22, 2: 22, 3: 23, 4: 24, 5: 25, 7: 27, 8: 28, 9: 29, 53: 55}
"""Attributes and the codes that end them."""

_HARMLESS = {("?2026", "h"), ("?2026", "l")}
"""Sequences that draw nothing: begin and end of an update."""


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
        for text in codes:
            if not self._apply(int(text or 0), codes):
                return False
        return True

    def _apply(self, code: int, rest: Iterator[str]) -> bool:
        if code == 0:
            self.ink, self.ground, self.attributes = "39", "49", frozenset()
        elif code in _ON:
            self.attributes |= {code}
        elif code in (38, 48):
            kind = next(rest, "")
            count = {"5": 1, "2": 3}.get(kind, 0)
            colour = ";".join([str(code), kind, *(next(rest, "0") for _ in range(count))])
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


class Thrift:
    """Rewrites output so that attributes are sent only when they change."""

    def __init__(self) -> None:
        self._now = Pen()
        self._wanted = Pen()

    def __call__(self, data: str) -> str:
        """The same picture in fewer bytes."""
        if "\x1b" not in data:
            return self._settle() + data
        out: list[str] = []
        end = 0
        for match in _SEQUENCE.finditer(data):
            if match.start() > end:
                out += (self._settle(), data[end : match.start()])
            end = match.end()
            parameters, kind = match.groups()
            if kind == "m" and self._wanted.apply(parameters):
                continue
            if kind != "H" and (parameters, kind) not in _HARMLESS:
                out.append(self._settle())
            out.append(match.group())
        if end < len(data):
            out += (self._settle(), data[end:])
        return "".join(out)

    def _settle(self) -> str:
        """The sequence, if any, that gives the terminal the attributes wanted now."""
        change = self._now.change_to(self._wanted)
        self._now.copy_from(self._wanted)
        return change


@cache
def thrifty(driver_class: type[Driver]) -> type[Driver]:
    """A driver that works like ``driver_class`` and sends less."""

    class ThriftyDriver(driver_class):
        """Sends every colour once."""

        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            self._thrift = Thrift()

        def write(self, data: str) -> None:
            """Writes data, shortened."""
            super().write(self._thrift(data))

    return ThriftyDriver

"""Numbers in words: sizes, durations, memory, days."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

WEEKDAYS: Final = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
"""The days of a week, the first being day 1."""


def grouped(number: int) -> str:
    """A number with its thousands separated by a space: ``12 345``."""
    return f"{number:,}".replace(",", " ")


def size(count: int) -> str:
    """Bytes in words, as the command line has them: ``310 B``, ``7.5 KB``, ``437 KB``, ``1.3 MB``, ``4.0 GB``."""
    for unit, name in ((1_000_000_000, "GB"), (1_000_000, "MB"), (1000, "KB")):
        if count >= unit:
            value = count / unit
            return f"{value:.1f} {name}" if value < 10 else f"{value:.0f} {name}"
    return f"{count} B"


def positions(count: int, exact: bool) -> str:
    """A number of positions: exact below a million, else in millions."""
    if exact and count < 1_000_000:
        return grouped(count)
    if count < 1_000_000:
        return f"≈ {grouped(round(count, -3))}"
    return f"≈ {count / 1_000_000:.1f} M"


def reply_time(milliseconds: float) -> str:
    """How long a reply took: ``1 ms``, ``764 ms``, ``1.2 s``."""
    whole = max(round(milliseconds), 1)
    return f"{whole} ms" if whole < 1000 else f"{milliseconds / 1000:.1f} s"


def duration(seconds: float) -> str:
    """A time in words: ``under 1 s``, ``about 6 s``, ``about 3 min``."""
    if seconds < 1:
        return "under 1 s"
    if seconds < 100:
        return f"about {round(seconds)} s"
    if seconds < 5400:
        return f"about {round(seconds / 60)} min"
    return f"about {seconds / 3600:.1f} h"


def span(seconds: float) -> str:
    """Seconds in words: ``3 s``, ``12 min``, ``1 h 5 min``."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def memory(count: int) -> str:
    """Bytes of memory in words."""
    if count < 1_000_000_000:
        return f"≈ {max(round(count / 100_000_000), 1) * 100} MB"
    return f"≈ {count / 1_000_000_000:.1f} GB"


def count(number: int, one: str, many: str) -> str:
    """A number with the fitting noun."""
    return f"{grouped(number)} {one if number == 1 else many}"


def either(names: Sequence[str]) -> str:
    """One of some names: ``Qe4, Kc2 or Kd1``."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"


def ordinal(number: int) -> str:
    """``1st``, ``2nd``, ``3rd``, ``4th``."""
    return f"{number}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(number, 'th') }"

"""The library as rows: endings by the number of their men, with what is known of each.

No Textual here. Entries are looked up when a row is first shown, and again after tables have come
or gone.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from endgame_core.tables.library import Entry, Library
from endgame_core.words.numbers import duration
from endgame_core.words.numbers import size as in_bytes

_ORDER = "KQRBNPv"


@dataclass(frozen=True, slots=True)
class Line:
    """A row of the list: a group's heading, or an ending."""

    men: int
    ending: str | None = None


@dataclass(frozen=True, slots=True)
class Price:
    """What building some endings costs, all missing sub-endings included.

    Attributes:
        endings: How many are built.
        seconds: How long that takes.
        size: Bytes on disk.
    """

    endings: int
    seconds: float
    size: int

    @property
    def words(self) -> str:
        """Time and size in words."""
        return f"{duration(self.seconds)}, {in_bytes(self.size)}"


def price(library: Library, endings: Iterable[str]) -> Price:
    """What building these endings costs here and now."""
    costs = [library.estimate(ending) for ending in library.plan(endings)]
    return Price(len(costs), sum(cost.seconds for cost in costs), sum(cost.size for cost in costs))


class Catalogue:
    """All endings of the library in the order of the list.

    Args:
        library: The library.
    """

    def __init__(self, library: Library) -> None:
        self.library = library
        self._entries: dict[str, Entry] = {}
        self._built: frozenset[str] | None = None
        self.groups: dict[int, tuple[str, ...]] = {}
        """The endings by the number of their men."""
        for ending in sorted(library.game.endings(), key=self.order):
            men = self.men(ending)
            self.groups[men] = (*self.groups.get(men, ()), ending)
        self.groups = dict(sorted(self.groups.items()))

    def men(self, ending: str) -> int:
        """How many men an ending has."""
        return len(self.library.game.men(ending))

    def order(self, ending: str) -> Any:
        """Sorts the endings of a group, those needed first, too."""
        return by_name(ending) if "v" in ending else ending

    def forget(self) -> None:
        """Looks everything up anew."""
        self._entries.clear()
        self._built = None

    @property
    def built(self) -> frozenset[str]:
        """The endings that have a table."""
        if self._built is None:
            self._built = frozenset(self.library.built())
        return self._built

    def entry(self, ending: str) -> Entry:
        """All that is known of an ending."""
        entry = self._entries.get(ending)
        if entry is None:
            entry = self._entries[ending] = self.library.entry(ending)
        return entry

    @property
    def metric(self) -> str:
        """What the tables tell."""
        return self.library.game.metric

    def lines(self, folded: frozenset[int]) -> list[Line]:
        """The rows, without the endings of folded groups."""
        lines: list[Line] = []
        for men, endings in self.groups.items():
            lines.append(Line(men))
            if men not in folded:
                lines += [Line(men, ending) for ending in endings]
        return lines

    def count(self, men: int) -> tuple[int, int]:
        """How many endings of so many men are built, and how many there are."""
        endings = self.groups[men]
        return sum(ending in self.built for ending in endings), len(endings)

    def missing(self, men: int) -> list[str]:
        """The endings of so many men that are not built."""
        return [ending for ending in self.groups[men] if ending not in self.built]

    def find(self, text: str) -> str | None:
        """The first ending whose name begins with the text, else contains it."""
        wanted = text.strip().lower().replace("v", "")
        if not wanted:
            return None
        names = [ending for endings in self.groups.values() for ending in endings]
        plain = {name: name.lower().replace("v", "") for name in names}
        exact = [name for name in names if name.lower() == text.strip().lower()]
        starts = [name for name in names if plain[name].startswith(wanted)]
        holds = [name for name in names if wanted in plain[name]]
        return next(iter([*exact, *starts, *holds]), None)


def by_name(ending: str) -> tuple[int, list[int]]:
    """Fewer men on the weaker side first, then by the men in the order of their worth."""
    return len(ending.split("v")[1]), [_ORDER.index(letter) for letter in ending]

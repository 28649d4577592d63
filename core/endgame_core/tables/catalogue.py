"""The library as a list: endings by the number of their men, with what is known of each.

Entries are looked up when somebody first asks, and again after tables have come or gone.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from endgame_core.tables.library import Entry, Library


class Catalogue:
    """All endings of a library in the order of the list.

    Args:
        library: The library.

    Attributes:
        groups: The endings by the number of their men.
    """

    def __init__(self, library: Library) -> None:
        self.library = library
        self._entries: dict[str, Entry] = {}
        self._built: frozenset[str] | None = None
        groups: dict[int, tuple[str, ...]] = {}
        for ending in sorted(library.game.endings(), key=self.order):
            men = self.men(ending)
            groups[men] = (*groups.get(men, ()), ending)
        self.groups = dict(sorted(groups.items()))

    def men(self, ending: str) -> int:
        """How many men an ending has."""
        return len(self.library.game.men(ending))

    def order(self, ending: str) -> Any:
        """Sorts the endings of a group, those needed first, too."""
        return self.library.game.listing.order(ending)

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

    def needs(self, ending: str) -> list[str]:
        """The endings that an ending needs, in the order of the list."""
        return sorted(self.entry(ending).needs, key=self.order)

    def count(self, men: int | None = None) -> tuple[int, int]:
        """How many endings are built, and how many there are: of so many men, or in all."""
        endings = self.groups[men] if men is not None else [name for group in self.groups.values() for name in group]
        return sum(ending in self.built for ending in endings), len(endings)

    def missing(self, men: Iterable[int]) -> list[str]:
        """The endings of so many men that are not built."""
        return [ending for number in men for ending in self.groups[number] if ending not in self.built]

    def find(self, text: str) -> str | None:
        """The first ending whose name begins with the text, else contains it."""
        wanted = _bare(text)
        if not wanted:
            return None
        names = [ending for endings in self.groups.values() for ending in endings]
        exact = [name for name in names if name.lower() == text.strip().lower()]
        starts = [name for name in names if _bare(name).startswith(wanted)]
        holds = [name for name in names if wanted in _bare(name)]
        return next(iter([*exact, *starts, *holds]), None)


def _bare(name: str) -> str:
    """A name as it is compared: ``KQvKR`` and ``kqkr`` are the same."""
    return name.strip().lower().replace("v", "")

"""The endings of a game being looked through: by which metric, what is built, where one is, which groups are folded."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from endgame_core.errors import EndgameError
from endgame_core.tables.library import CatalogueEntry, Library

_MANY = 200
"""A group of more endings is folded at first."""


class Catalogue:
    """All endings of a game by the number of their men; the cursor is on one of them, or on the heading of a group.

    Args:
        libraries: The tables of each metric.
        first: The ending to begin at; the first of all by default.

    Attributes:
        groups: The endings by the number of their men, in the order of the list.
    """

    def __init__(self, libraries: Sequence[Library], first: str | None = None) -> None:
        self._libraries = list(libraries)
        self._entries: dict[tuple[str, str], CatalogueEntry] = {}
        self._built: dict[str, frozenset[str]] = {}
        groups: dict[int, list[str]] = {}
        for ending in self._sorted(self.library.game.endings()):
            groups.setdefault(self._men(ending), []).append(ending)
        self.groups = {men: tuple(groups[men]) for men in sorted(groups)}
        self.folded = {men for men, endings in self.groups.items() if len(endings) > _MANY and first not in endings}
        """Groups without their endings."""
        self.cursor: str | int = first or next(iter(self.groups.values()))[0]
        """The ending, or the number of men of the group, that the cursor is on."""

    def _sorted(self, endings: Iterable[str]) -> list[str]:
        return sorted(endings, key=self.library.game.listing.order)

    def _men(self, ending: str) -> int:
        return len(self.library.game.men(ending))

    @property
    def library(self) -> Library:
        """The tables of the metric in hand."""
        return self._libraries[0]

    @property
    def metric(self) -> str:
        """What they tell."""
        return self.library.game.metric

    @property
    def other(self) -> Library | None:
        """The tables of the other metric, where there is one."""
        return self._libraries[-1] if len(self._libraries) > 1 else None

    @property
    def ending(self) -> str | None:
        """The ending under the cursor; None on the heading of a group."""
        return self.cursor if isinstance(self.cursor, str) else None

    @property
    def men(self) -> int:
        """The number of men of the group with the cursor."""
        return self.cursor if isinstance(self.cursor, int) else self._men(self.cursor)

    # What there is

    def entry(self, ending: str, library: Library | None = None) -> CatalogueEntry:
        """All that is known of an ending, by the metric in hand unless others are asked for."""
        library = library or self.library
        key = library.game.metric, ending
        if key not in self._entries:
            self._entries[key] = library.entry(ending)
        return self._entries[key]

    def built(self, library: Library | None = None) -> frozenset[str]:
        """The endings that have a table, by the metric in hand unless others are asked for."""
        library = library or self.library
        metric = library.game.metric
        if metric not in self._built:
            self._built[metric] = frozenset(library.built())
        return self._built[metric]

    def needs(self, ending: str) -> list[str]:
        """The endings that an ending needs, in the order of the list."""
        return self._sorted(self.entry(ending).needs)

    def wanted_by(self, ending: str) -> list[str]:
        """The endings that need this one directly: none of them has more than one man more."""
        game, men = self.library.game, self._men(ending)
        near = {*self.groups[men], *self.groups.get(men + 1, ())}
        return [name for name in game.endings() if name in near and ending in game.needs(name)]

    def count(self, men: int | None = None) -> tuple[int, int]:
        """How many endings are built, and how many there are: of so many men, or in all."""
        endings = self.groups[men] if men is not None else [name for group in self.groups.values() for name in group]
        return len(self.built().intersection(endings)), len(endings)

    def missing(self, men: Iterable[int]) -> list[str]:
        """The endings of so many men that are not built."""
        built = self.built()
        return [ending for number in men for ending in self.groups[number] if ending not in built]

    def forget(self) -> None:
        """Looks everything up anew, for tables have come or gone."""
        self._entries.clear()
        self._built.clear()

    # Where one is

    def turn(self) -> None:
        """Goes on to the tables of the next metric."""
        self._libraries.append(self._libraries.pop(0))

    def fold(self, fold: bool) -> None:
        """Folds the group of the cursor, which goes to its heading, or unfolds it."""
        men = self.men
        if fold:
            self.folded.add(men)
            self.cursor = men
        else:
            self.folded.discard(men)

    def find(self, text: str) -> bool:
        """Goes to the first ending whose name begins with a text, else contains it; False when there is none."""
        wanted = _bare(text)
        names = [ending for endings in self.groups.values() for ending in endings] if wanted else []
        exact = [name for name in names if name.lower() == text.strip().lower()]
        starts = [name for name in names if _bare(name).startswith(wanted)]
        holds = [name for name in names if wanted in _bare(name)]
        ending = next(iter([*exact, *starts, *holds]), None) or self._spelled(text)
        if ending is not None:
            self.folded.discard(self._men(ending))
            self.cursor = ending
        return ending is not None

    def _spelled(self, text: str) -> str | None:
        """The ending that a whole name in another order means, None where it means none."""
        game = self.library.game
        try:
            return game.canonical_name(text) if game.spelling_of(text) == "ending" else None
        except EndgameError:
            return None

    def go_to(self, text: str) -> None:
        """The same; raises EndgameError when there is none."""
        if not self.find(text):
            if self.library.game.spelling_of(text) == "ending":
                self.library.game.canonical_name(text)  # which says what is wrong with it
            example = self.library.game.listing.example
            raise EndgameError(f"no ending is called {text or 'nothing'}", f"type a name such as {example}")


def _bare(name: str) -> str:
    """A name as it is compared: ``KQvKR`` and ``kqkr`` are the same."""
    return name.strip().lower().replace("v", "")

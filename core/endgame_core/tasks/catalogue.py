"""The list of all endings of a game: its groups, the cursor, and which endings are built by the current metric."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from endgame_core.errors import EndgameError
from endgame_core.language import _
from endgame_core.metric import Metric
from endgame_core.tables.library import CatalogueEntry, Library
from endgame_core.untrusted import quoted

_FOLD_ABOVE = 200
"""Groups with more endings than this are folded at first."""


class Catalogue:
    """All endings of a game, grouped by their number of pieces, with a cursor on an ending or the heading of a group.

    Args:
        libraries: The tables of each metric; the first is the current one.
        first: The ending under the cursor (default: the first in the list).

    Attributes:
        groups: The endings by number of pieces, in the order of the list.
    """

    def __init__(self, libraries: Sequence[Library], first: str | None = None) -> None:
        self._libraries = list(libraries)
        self._entries: dict[tuple[str, str], CatalogueEntry] = {}
        self._built: dict[str, frozenset[str]] = {}
        groups: dict[int, list[str]] = {}
        for ending in self._sorted(self.library.game.endings()):
            groups.setdefault(self._men(ending), []).append(ending)
        self.groups = {men: tuple(groups[men]) for men in sorted(groups)}
        self.folded = {
            men for men, endings in self.groups.items() if len(endings) > _FOLD_ABOVE and first not in endings
        }
        """Numbers of pieces of the groups whose endings are hidden."""
        self.cursor: str | int = first or next(iter(self.groups.values()))[0]
        """The ending under the cursor, or the number of pieces of the group whose heading is under the cursor."""

    def _sorted(self, endings: Iterable[str]) -> list[str]:
        return sorted(endings, key=self.library.game.listing.order)

    def _men(self, ending: str) -> int:
        return len(self.library.game.men(ending))

    @property
    def library(self) -> Library:
        """The tables of the current metric."""
        return self._libraries[0]

    @property
    def metric(self) -> Metric:
        """The current metric."""
        return self.library.game.metric

    @property
    def other(self) -> Library | None:
        """The tables of the metric to which :meth:`turn` switches; None if the game has only one."""
        if len(self._libraries) > 1:
            return self._libraries[1]
        return None

    @property
    def ending(self) -> str | None:
        """The ending under the cursor; None on the heading of a group."""
        if isinstance(self.cursor, str):
            return self.cursor
        return None

    @property
    def men(self) -> int:
        """Number of pieces of the current group."""
        if isinstance(self.cursor, int):
            return self.cursor
        return self._men(self.cursor)

    # Endings and their tables

    def entry(self, ending: str, library: Library | None = None) -> CatalogueEntry:
        """Facts about an ending and its table in ``library`` (default: the current one); cached."""
        library = library or self.library
        key = library.game.metric, ending
        if key not in self._entries:
            self._entries[key] = library.entry(ending)
        return self._entries[key]

    def built(self, library: Library | None = None) -> frozenset[str]:
        """The endings whose table is built in ``library`` (default: the current one); cached."""
        library = library or self.library
        metric = library.game.metric
        if metric not in self._built:
            self._built[metric] = frozenset(library.built())
        return self._built[metric]

    def needs(self, ending: str) -> list[str]:
        """The endings that an ending requires, in the order of the list."""
        return self._sorted(self.entry(ending).needs)

    def wanted_by(self, ending: str) -> list[str]:
        """The endings that directly require this one, in the order of the game."""
        game = self.library.game
        men = self._men(ending)
        # A move removes at most one piece, so only endings with as many pieces or one more need a look.
        candidates = {*self.groups[men], *self.groups.get(men + 1, ())}
        return [name for name in game.endings() if name in candidates and ending in game.needs(name)]

    def count(self, men: int | None = None) -> tuple[int, int]:
        """Number of built endings and number of all endings, with ``men`` pieces or in total."""
        if men is not None:
            endings = self.groups[men]
        else:
            endings = tuple(name for group in self.groups.values() for name in group)
        return len(self.built().intersection(endings)), len(endings)

    def missing(self, men: Iterable[int]) -> list[str]:
        """The endings with these numbers of pieces that are not built."""
        built = self.built()
        return [ending for number in men for ending in self.groups[number] if ending not in built]

    def forget(self) -> None:
        """Clear the caches, after tables were built or deleted."""
        self._entries.clear()
        self._built.clear()

    # The cursor

    def turn(self) -> None:
        """Switch to the next metric."""
        self._libraries.append(self._libraries.pop(0))

    def fold(self, fold: bool) -> None:
        """Fold the current group and move the cursor to its heading, or unfold it."""
        men = self.men
        if fold:
            self.folded.add(men)
            self.cursor = men
        else:
            self.folded.discard(men)

    def find(self, text: str) -> bool:
        """Go to the first ending with this name, else one that starts with it, else one that contains it.

        Returns:
            False if nothing matches.
        """
        query = _search_key(text)
        names = []
        if query:
            names = [ending for endings in self.groups.values() for ending in endings]
        exact = [name for name in names if name.lower() == text.strip().lower()]
        prefixed = [name for name in names if _search_key(name).startswith(query)]
        containing = [name for name in names if query in _search_key(name)]
        ending = next(iter([*exact, *prefixed, *containing]), None) or self._canonical_name(text)
        if ending is None:
            return False
        self.folded.discard(self._men(ending))
        self.cursor = ending
        return True

    def _canonical_name(self, text: str) -> str | None:
        """The ending that a complete name means, with its pieces in any order; None if it is not a valid ending."""
        game = self.library.game
        try:
            if game.spelling_of(text) == "ending":
                return game.canonical_name(text)
            return None
        except EndgameError:
            return None

    def go_to(self, text: str) -> None:
        """Go to an ending like :meth:`find`; raises EndgameError if nothing matches."""
        if not self.find(text):
            if self.library.game.spelling_of(text) == "ending":
                self.library.game.canonical_name(text)  # raises an error that explains what is wrong with the name
            example = self.library.game.listing.example
            if text:
                what = _("there is no ending called {text}").format(text=quoted(text))
            else:
                what = _("no name was typed")
            raise EndgameError(what, _("type a name such as {example}").format(example=example))


def _search_key(name: str) -> str:
    """Normalize a name for comparison: ``KQvKR`` and ``kqkr`` are equal."""
    return name.strip().lower().replace("v", "")

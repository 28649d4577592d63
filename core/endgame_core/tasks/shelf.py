"""The endings of a game being looked through: by which metric, where one is, which groups are folded."""

from __future__ import annotations

from collections.abc import Sequence

from endgame_core.errors import EndgameError
from endgame_core.tables.library import Catalogue, Library


class Shelf:
    """All endings of a game by the number of their men; the cursor is on one of them, or on the heading of a group.

    Args:
        libraries: The tables of each metric.
        first: The ending to begin at; the first of all by default.
    """

    def __init__(self, libraries: Sequence[Library], first: str | None = None) -> None:
        self._catalogues = [Catalogue(library) for library in libraries]
        self.folded: set[int] = set()
        """Groups without their endings."""
        self.cursor: str | int = first or next(iter(self.catalogue.groups.values()))[0]
        """The ending, or the number of men of the group, that the cursor is on."""

    @property
    def catalogue(self) -> Catalogue:
        """The endings with the tables of the metric in hand."""
        return self._catalogues[0]

    @property
    def other(self) -> Catalogue | None:
        """The same with the tables of the other metric, where there is one."""
        return self._catalogues[-1] if len(self._catalogues) > 1 else None

    @property
    def ending(self) -> str | None:
        """The ending under the cursor; None on the heading of a group."""
        return self.cursor if isinstance(self.cursor, str) else None

    @property
    def men(self) -> int:
        """The number of men of the group with the cursor."""
        return self.cursor if isinstance(self.cursor, int) else self.catalogue.men(self.cursor)

    def turn(self) -> None:
        """Goes on to the tables of the next metric."""
        self._catalogues.append(self._catalogues.pop(0))

    def fold(self, fold: bool) -> None:
        """Folds the group of the cursor, which goes to its heading, or unfolds it."""
        men = self.men
        if fold:
            self.folded.add(men)
            self.cursor = men
        else:
            self.folded.discard(men)

    def find(self, text: str) -> bool:
        """Goes to the ending that a text means; False when there is none."""
        ending = self.catalogue.find(text)
        if ending is not None:
            self.folded.discard(self.catalogue.men(ending))
            self.cursor = ending
        return ending is not None

    def go_to(self, text: str) -> None:
        """The same; raises EndgameError when there is none."""
        if not self.find(text):
            example = self.catalogue.library.game.listing.example
            raise EndgameError(f"no ending is called {text or 'nothing'}", f"type a name such as {example}")

    def forget(self) -> None:
        """Looks everything up anew, for tables have come or gone."""
        for catalogue in self._catalogues:
            catalogue.forget()

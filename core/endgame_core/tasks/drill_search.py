"""Finds rows of the list of drills by what a user types."""

from __future__ import annotations

import re

from endgame_core.language import english, pgettext
from endgame_core.practice.titles import english_set_title, set_title
from endgame_core.tasks.drill_picker import DrillPicker


class DrillSearch:
    """A search in the list of drills; an incremental one moves the cursor while the user types.

    Args:
        picker: The list.
    """

    def __init__(self, picker: DrillPicker) -> None:
        self._picker = picker
        self._origin: tuple[str, frozenset[str]] | None = None
        """The cursor and the open sets when the incremental search began; None while there is none."""

    def find(self, text: str) -> str | None:
        """Find a row by its name, whether it is shown or not.

        The rows above the sets come first, then sets, then endings by their exact or abbreviated name, then studies.

        Returns:
            The key of the first match; the name of the ending if it has no row yet; None if nothing matches.
        """
        picker = self._picker
        query = text.strip().casefold()
        if not query:
            return None

        for entry in picker.entries().values():
            names = (entry.title, english(entry.title))
            if entry.is_general and any(name.casefold().startswith(query) for name in names):
                return entry.key

        for collection in picker.course.collections:
            names = (collection.name, english_set_title(collection.name), set_title(collection.name))
            if any(name.casefold().startswith(query) for name in names):
                return f"set {collection.name}"

        ending = picker.ending_named(query)
        if ending is not None:
            return next((theme.key for theme in picker.themes if theme.ending == ending), None) or ending

        # As lists print it: "KPvK, hold", "KRvK, mate in 3–6"; or by its key: "KPvK call".
        # Plain mode prints the range as "mate in 3 to 6", or with the word for "to" of its language.
        range_word = pgettext("range", " to ")
        listed = re.sub(rf"(?<=\d)(?:-| to |{range_word})(?=\d)", "–", query.replace(",", ""))
        for theme in picker.themes:
            names = (f"{theme.ending} {label}".casefold().replace(",", "") for label in (theme.label, theme.words))
            if any(name.startswith(listed) for name in names) or theme.key.casefold().startswith(query):
                return theme.key
        for theme in picker.themes:
            if theme.ending.casefold().startswith(query):
                return theme.key

        for collection in picker.course.collections:
            for item in collection.items:
                if item.study is not None and query in f"{item.study.id} {item.study.name}".casefold():
                    return item.theme.key
        return None

    def begin(self) -> None:
        """Start an incremental search; store the cursor and the open sets, to restore them if it is cancelled."""
        self._origin = (self._picker.entry.key, frozenset(self._picker.opened))

    def advance(self, text: str) -> bool:
        """Go to the first match of the text typed so far; False if no existing row matches."""
        if len(text) < 2:
            return False
        key = self.find(text)
        if not key:
            return False

        self._restore_opened()
        if self._picker.course.item(key) is None and key not in self._picker.entries():
            return False
        self._picker.go(key)
        return True

    def end(self, text: str | None) -> bool:
        """Finish a search.

        Args:
            text: The search text; None cancels the search and returns to the row where it began.

        Returns:
            False if nothing matches; the search then goes on.
        """
        if text is None and self._origin:
            key = self._origin[0]
        else:
            key = self.find(text or "")

        self._restore_opened()
        if key is None:
            return False
        self._origin = None
        self._picker.go(key)
        return True

    def _restore_opened(self) -> None:
        """Close the sets that the search has opened."""
        if self._origin is not None:
            self._picker.opened = set(self._origin[1])

"""Starts that are shown on the board beside the list of drills, before a session begins."""

from __future__ import annotations

import random

from endgame_core.errors import EndgameError
from endgame_core.practice.course import DrillItem
from endgame_core.practice.theme import Start, Starts
from endgame_core.tasks.drill_picker import DrillPicker
from endgame_core.tasks.training_session import AnyStart, draw
from endgame_core.values import Category


class StartSamples:
    """A sample start, and a preview, of the current row of the list of drills.

    The *sample* of a row with one item is drawn as a session draws its starts, and becomes the first one if the user
    begins. The *preview* of any other row is a position of its first item, and is never drilled.

    Args:
        picker: The list.
    """

    def __init__(self, picker: DrillPicker) -> None:
        self._picker = picker
        # Caches of one value each, stored with the settings (the key) that it was computed from.
        self._sample: tuple[object, AnyStart | None] = (None, None)
        self._preview: tuple[object, AnyStart | None] = (None, None)

    def forget(self) -> None:
        """Discard the sample and the preview, after tables were built or deleted."""
        self.discard_sample()
        self._preview = (None, None)

    def discard_sample(self) -> None:
        """Draw another sample the next time, because a session has begun with this one."""
        self._sample = (None, None)

    def sample(self, another: bool = False) -> AnyStart | None:
        """Draw a start of the current row; return the same one until the settings change.

        Args:
            another: Draw a new start although the settings are the same.

        Returns:
            The start; None unless the row has exactly one item whose table is built and has a matching position.
        """
        picker = self._picker
        items = [item for item in picker.items if picker.course.is_built(item)]
        level = picker.level
        cache_key = (picker.entry.key, picker.wish, picker.colours, level)
        if another or self._sample[0] != cache_key:
            result: AnyStart | None = None
            if len(items) == 1:
                try:
                    result = draw(picker.starts(), items[0], picker.colours, level=level, is_another=another)
                except EndgameError:
                    result = None
            self._sample = (cache_key, result)
        return self._sample[1]

    @property
    def shown_start(self) -> AnyStart | None:
        """The start for the board beside the list; None if there is none.

        It is a sample of the row, or the first item of several. If no table is built, it is the first study of the
        row, or else of an ending of the row. The placement test shows none before it asks about it.
        """
        picker = self._picker
        if picker.entry.is_placement:
            return None
        items = picker.items
        item = next((item for item in items if picker.course.is_built(item)), None)
        if item is not None and len(items) == 1:
            return self.sample()

        item = item or self._first_study()
        if item is None:
            return None

        cache_key = (item.theme.key, picker.colours)
        if self._preview[0] != cache_key:
            self._preview = (cache_key, self._preview_of(item))
        return self._preview[1]

    def _first_study(self) -> DrillItem | None:
        """The first study of the row, else the first study of any set with an ending of the row."""
        for item in self._picker.entry.items:
            if item.study is not None:
                return item

        endings = {item.ending for item in self._picker.items if item.ending}
        for collection in self._picker.course.collections:
            for item in collection.items:
                if item.study and item.ending in endings:
                    return item
        return None

    def _preview_of(self, item: DrillItem) -> AnyStart | None:
        """The position of a study, or a start of a theme, to show on a board; None if it cannot be determined."""
        picker = self._picker
        try:
            if item.study is None:
                # A fixed seed: the preview neither changes nor advances `rng`, which chooses the starts of drills.
                return Starts(picker.explorer, random.Random(0), picker.colours).draw(item.theme)
            position = picker.game.parse(item.study.position)
            if picker.course.is_built(item):
                verdict = picker.explorer.probe(position)
                return Start(position, item.study.side, verdict.category, verdict.depth)
        except EndgameError:
            return None
        return Start(position, item.study.side, item.study.expected or Category.MAYBE_WIN, item.study.depth)

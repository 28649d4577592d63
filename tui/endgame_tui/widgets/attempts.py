"""Attempts one below the other: solved or not, theme, when, plies lost."""

from __future__ import annotations

from dataclasses import dataclass

from textual.strip import Strip

from endgame_core.words.numbers import grouped
from endgame_tui.widgets.canvas import Row
from endgame_tui.widgets.hardest import shortened
from endgame_tui.widgets.panel import RowsPanel


@dataclass(frozen=True, slots=True)
class AttemptRow:
    """An attempt.

    Attributes:
        solved: Whether it was solved; None for one that counts in no figure.
        ending: Its ending.
        label: Its theme in words.
        when: The day, in words.
        plies: Plies lost, None where that is not known.
        result: How it ended, in words.
    """

    solved: bool | None
    ending: str
    label: str
    when: str
    plies: int | None
    result: str = ""


AttemptsView = tuple[AttemptRow, ...]

_RESULT = 24
"""Columns for the result, where there is room."""


class AttemptsPanel(RowsPanel[AttemptsView]):
    """Attempts, newest first."""

    title: str = "Last drills"

    @property
    def count(self) -> int:
        """Attempts."""
        return len(self.view)

    def head(self) -> Row:
        """The title, and what the numbers count."""
        return self.heading("plies lost")

    def item(self, number: int, here: bool) -> Strip:
        """Sign, ending, theme, day, plies."""
        pen, glyphs, width = self.look.palette, self.look.glyphs, self.size.width
        attempt = self.view[number]
        ground = "selected" if here else "ground"
        row = self.row(ground)
        sign, role = (glyphs.check, "win") if attempt.solved else (glyphs.cross, "loss")
        if attempt.solved is None:
            sign, role = glyphs.nothing, "faint"
        row.put(sign, pen(role, ground)).put(" ", pen("text", ground))
        row.put(
            attempt.ending, self.ink("text", here) if not pen.coloured else pen("amber" if here else "text", ground)
        )
        row.to(10)
        plies = glyphs.plain("–") if attempt.plies is None else grouped(attempt.plies)
        day = max((len(each.when) for each in self.view[slice(*self.window())]), default=0)
        result = _RESULT if width >= 70 else 0
        start = max(width - 11 - day - result, 11) if width >= 58 else width - day - 5
        label = shortened(glyphs.plain(attempt.label), start - row.width - 1, glyphs.more)
        row.put(label, pen("amber" if here else "dim", ground)).to(start)
        row.put(attempt.when, pen("amber" if here else "dim", ground))
        if result:
            words = shortened(glyphs.plain(attempt.result), result - 2, glyphs.more)
            row.to(start + day + 2).put(words, pen("dim", ground))
        row.right(plies, pen("text", ground, bold=here), width)
        return row.strip(width)

"""Turns the journal's figures into what each panel of the Progress screen shows. No Textual here."""

from __future__ import annotations

from collections.abc import Sequence

from endgame_core.practice.records import Record, ending_words
from endgame_core.practice.stats import Progress
from endgame_core.words import progress as words
from endgame_core.words.progress import About, Found
from endgame_tui.speech import speech_of
from endgame_tui.widgets.about import AboutView
from endgame_tui.widgets.attempts import AttemptRow, AttemptsView
from endgame_tui.widgets.days import DaysView
from endgame_tui.widgets.due import DueDay, DueView
from endgame_tui.widgets.hardest import HardestView, ThemeRow
from endgame_tui.widgets.lost import Column, LostView
from endgame_tui.widgets.solved import SolvedRow, SolvedView


def solved_view(found: Progress) -> SolvedView:
    """Endings, best first."""
    return tuple(SolvedRow(ending_words(count.name, found.game), count.drills, count.solved) for count in found.endings)


def lost_view(found: Found) -> LostView:
    """A column for each drill, oldest first."""
    return tuple(Column(record.plies_lost, bool(words.solved_of(record))) for record in found.columns)


def days_view(found: Progress) -> DaysView:
    """The days of the window."""
    return DaysView(found.days, found.longest_run, found.last == found.today)


def due_view(found: Progress) -> DueView:
    """Today and the days after it."""
    return tuple(DueDay(name, themes) for name, themes in zip(words.due_names(found), found.due, strict=True))


def hardest_view(found: Progress) -> HardestView:
    """Themes, hardest first."""
    return tuple(ThemeRow(ending_words(c.ending, found.game), c.label, c.drills, c.solved) for c in found.themes)


def attempts_view(records: Sequence[Record], today: int) -> AttemptsView:
    """Attempts as rows."""
    return tuple(
        AttemptRow(
            words.solved_of(record),
            ending_words(record.ending, record.game),
            record.label,
            words.day_words(record.day, today),
            None if record.uncounted else record.plies_lost,
            words.result_of(record),
        )
        for record in records
    )


def pictured(about: About, game: str) -> AboutView:
    """What is said, with its position as a picture."""
    board = None if about.position is None else speech_of(game).picture(about.position)
    return AboutView(about.title, about.lines, board, about.keys)

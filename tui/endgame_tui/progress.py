"""Turns the journal's figures into what each panel of the Progress screen shows. No Textual here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from endgame_core.errors import EndgameError
from endgame_core.game import Game
from endgame_core.practice.journal import day_of
from endgame_core.practice.records import PLAY, Card, Outcome, Record, ending_words
from endgame_core.practice.stats import Progress, ThemeCount
from endgame_core.practice.theme import DrillError, Mode, parse_theme
from endgame_core.words.numbers import count, grouped
from endgame_tui.look import Glyphs
from endgame_tui.play_words import side_name
from endgame_tui.speech import Picture, speech_of
from endgame_tui.widgets.about import AboutView
from endgame_tui.widgets.attempts import AttemptRow, AttemptsView
from endgame_tui.widgets.days import NAMES, DaysView
from endgame_tui.widgets.due import DueDay, DueView
from endgame_tui.widgets.figures import Figure
from endgame_tui.widgets.hardest import HardestView, ThemeRow
from endgame_tui.widgets.lost import Column, LostView
from endgame_tui.widgets.solved import SolvedRow, SolvedView

AnyRules = Game[Any, Any]

_PLIES = frozenset({Mode.MATE, Mode.HOLD, PLAY})
"""Modes in which plies can be lost."""

_GOALS = {"win": "win", "draw": "hold", "last": "hold out", "move": "find the only move", "answer": "call it"}


@dataclass(frozen=True, slots=True)
class Found:
    """What the journal says.

    Attributes:
        progress: The figures.
        cards: The cards, the one due first first.
    """

    progress: Progress
    cards: tuple[Card, ...] = field(default=())

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to show at all."""
        return not self.progress.practised and not self.cards

    @property
    def columns(self) -> tuple[Record, ...]:
        """The newest attempts in which plies can be lost and are known, oldest first."""
        recent = reversed(self.progress.recent)
        return tuple(record for record in recent if record.mode in _PLIES and not record.uncounted)

    def due_on(self, ahead: int) -> list[Card]:
        """The cards due so many days from today; those overdue are due today."""
        today = self.progress.today
        return [card for card in self.cards if max(0, day_of(card.due) - today) == ahead]

    def hardest_of(self, ending: str) -> ThemeCount | None:
        """The hardest theme of an ending."""
        return next((theme for theme in self.progress.themes if theme.ending == ending), None)


def window_words(found: Progress, weeks: int, back: int) -> str:
    """The weeks that are counted: ``Last 6 weeks``, or ``6 weeks to 11 Oct``."""
    words = "week" if weeks == 1 else f"{weeks} weeks"
    if back:
        return f"{words.capitalize()} to {day_words(found.last, found.today, exact=True)}"
    return "This week" if weeks == 1 else f"Last {words}"


def day_words(day: int, today: int, *, exact: bool = False) -> str:
    """A day: ``today``, ``yesterday``, ``5 days ago``; from two weeks on, or when ``exact``, its date."""
    ago = today - day
    if not exact and 0 <= ago < 14:
        return ("today", "yesterday")[ago] if ago < 2 else f"{ago} days ago"
    then = date.fromordinal(max(day, 1))
    year = "" if then.year == date.fromordinal(today).year else f" {then.year}"
    return f"{then.day} {_MONTHS[then.month - 1]}{year}"


_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def figures_view(found: Progress) -> tuple[Figure, ...]:
    """Due today, days in a row, solved, plies lost a drill; and the rating of the streaks when there is one."""
    due, run = found.due[0], found.run
    lost = "–" if found.plies_lost is None else f"{found.plies_lost:.1f}"
    row = ("day" if run == 1 else "days") + (" in a row, any game" if found.others else " in a row")
    figures = [
        Figure(grouped(due), "due today", "due", "amber" if due else "text"),
        Figure(grouped(run), row, "day" if run == 1 else "days"),
        Figure(f"{100 * found.share:.0f} %", f"of {grouped(found.drills)} solved", "solved"),
        Figure(lost, "plies lost a drill", "lost"),
    ]
    if found.rating is not None:
        figures.append(Figure(grouped(round(found.rating)), "streak rating", "rating"))
    return tuple(figures)


def solved_view(found: Progress) -> SolvedView:
    """Endings, best first."""
    return tuple(SolvedRow(ending_words(count.name, found.game), count.drills, count.solved) for count in found.endings)


def lost_view(found: Found) -> LostView:
    """A column for each drill, oldest first."""
    return tuple(Column(record.plies_lost, record.outcome is Outcome.SOLVED) for record in found.columns)


def days_view(found: Progress) -> DaysView:
    """The days of the window."""
    return DaysView(found.days, found.longest_run, found.last == found.today)


def due_view(found: Progress) -> DueView:
    """Today and the days after it."""
    names = ["now"] + [NAMES[(found.today + ahead - 1) % 7] for ahead in range(1, len(found.due))]
    return tuple(DueDay(name, themes) for name, themes in zip(names, found.due, strict=True))


def hardest_view(found: Progress) -> HardestView:
    """Themes, hardest first."""
    return tuple(ThemeRow(ending_words(c.ending, found.game), c.label, c.drills, c.solved) for c in found.themes)


def attempts_view(records: Sequence[Record], today: int) -> AttemptsView:
    """Attempts as rows."""
    return tuple(
        AttemptRow(
            solved_of(record),
            ending_words(record.ending, record.game),
            record.label,
            day_words(record.day, today),
            None if record.uncounted else record.plies_lost,
            record.result or {Outcome.OPEN: "unfinished", Outcome.LEFT: "left"}.get(record.outcome, ""),
        )
        for record in records
    )


def solved_of(record: Record) -> bool | None:
    """Whether an attempt was solved; None where it counts in no figure."""
    return {Outcome.SOLVED: True, Outcome.FAILED: False}.get(record.outcome)


# What is said about the item under the cursor


def theme_about(theme: ThemeCount, today: int, last: Record | None, game: AnyRules, glyphs: Glyphs) -> AboutView:
    """A theme: how often it was solved, when it was last seen, and its last start.

    Args:
        theme: The theme.
        today: Today.
        last: Its last attempt, when it is to be shown.
        game: Reads positions.
        glyphs: Names the side to move.
    """
    board, task = (None, []) if last is None else start_of(last, game, glyphs)
    lines = [*task, _solved(theme), f"last seen {day_words(day_of(theme.seen), today)}"]
    title = f"{ending_words(theme.ending, game.name)}  {theme.label}"
    enter = "drill it" if is_drill(theme.theme) else "review games"
    return AboutView(title, tuple(lines), board, (enter, "review attempts"))


def ending_about(row: SolvedRow, hardest: ThemeCount, last: Record | None, game: AnyRules, glyphs: Glyphs) -> AboutView:
    """An ending, and the hardest of its themes with its last start."""
    board = None if last is None else start_of(last, game, glyphs)[0]
    lines = (f"{grouped(row.solved)} of {grouped(row.drills)} solved", f"hardest: {hardest.label}, {_solved(hardest)}")
    enter = "drill the hardest" if is_drill(hardest.theme) else "review games"
    return AboutView(row.ending, lines, board, (enter, "review attempts"))


def _solved(theme: ThemeCount) -> str:
    return f"{grouped(theme.solved)} of {grouped(theme.drills)} solved"


def is_drill(theme: str) -> bool:
    """Whether a key is that of a theme; games are kept under their ending."""
    try:
        parse_theme(theme)
    except DrillError:
        return False
    return True


def attempt_about(record: Record, today: int, game: AnyRules, glyphs: Glyphs) -> AboutView:
    """An attempt: where it started, how it ended, what it cost."""
    board, task = start_of(record, game, glyphs)
    lines = [*task, f"{day_words(record.day, today)}: {outcome_words(record)}", *cost_words(record)]
    title = f"{ending_words(record.ending, record.game)}  {record.label}"
    return AboutView(title, tuple(lines), board, ("review it", "review attempts"))


def outcome_words(record: Record) -> str:
    """What became of an attempt: ``solved, mate``, ``not solved, the win is gone``."""
    words = {
        Outcome.SOLVED: "solved",
        Outcome.FAILED: "not solved",
        Outcome.OPEN: "not finished",
        Outcome.LEFT: "left",
    }[record.outcome]
    return f"{words}, {record.result}" if record.result else words


def cost_words(record: Record) -> list[str]:
    """Plies lost, and what else it took."""
    parts: list[str] = []
    if record.mode in _PLIES and record.uncounted:
        parts.append("plies lost not known")
    elif record.mode in _PLIES:
        parts.append("perfect" if not record.plies_lost else count(record.plies_lost, "ply lost", "plies lost"))
    for number, one, many in (
        (record.errors, "error", "errors"),
        (record.hints, "hint", "hints"),
        (record.takebacks, "move taken back", "moves taken back"),
    ):
        if number:
            parts.append(count(number, one, many))
    if parts[:1] == ["perfect"] and len(parts) > 1:
        parts = parts[1:]
    return [", ".join(parts)] if parts else []


def day_about(day: int, drills: int, today: int) -> AboutView:
    """A day and its drills."""
    name = f"{NAMES[(day - 1) % 7]} {day_words(day, today, exact=True)}"
    return AboutView(name, (count(drills, "drill", "drills") if drills else "no drill",), None, ("review that day", ""))


def due_about(cards: Sequence[Card], name: str, minutes: int | None, board: Picture | None) -> AboutView:
    """What is due on a day; ``minutes`` only for today."""
    if not cards:
        return AboutView(f"Due {name}", ("nothing",), None, ("", ""))
    words = count(len(cards), "theme", "themes")
    if minutes is not None:
        words += f", about {minutes} min"
    names = ", ".join(f"{ending_words(card.ending, 'chess')} {card.label}" for card in cards[:6])
    more = f" and {len(cards) - 6} more" if len(cards) > 6 else ""
    keys = ("drill them" if minutes is not None else "drill the first", "")
    return AboutView(f"Due {name}", (words, names + more), board, keys)


def start_of(record: Record, game: AnyRules, glyphs: Glyphs) -> tuple[Picture | None, list[str]]:
    """The start of an attempt on the board, and what was to be done; nothing when it cannot be read."""
    try:
        position = game.parse(record.start)
    except EndgameError:
        return None, []
    mover, goal = side_name(game.mover(position)), _GOALS.get(record.goal, "")
    words = f"{glyphs.white if mover == 'White' else glyphs.black} {mover} to move"
    if goal and (record.colour or mover.lower()) == mover.lower():
        words += f" and {goal}"
    elif goal:
        words += f"; {goal} as {record.colour.capitalize()}"
    return speech_of(game.name).picture(position), [words]

"""Statistics of the journal for the Progress screen and ``endgame-tui stats``.

SQLite counts everything with its indices, so that a journal of 100,000 attempts still answers at once. Only solved and
failed attempts count. Days are days in the learner's time zone, as proleptic ordinals. Each game has its own figures,
except for days in a row: practice in any game counts for these.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import Any

from endgame_core.games import DEFAULT_GAME
from endgame_core.practice.glicko import learner_name
from endgame_core.practice.journal import Journal, day_of
from endgame_core.practice.levels import LEVELS, is_mastered, level_of
from endgame_core.practice.records import COUNTED, PLAY, Outcome, Record
from endgame_core.practice.theme import DrillError, DrillMode, game_of, parse_theme

WEEKS = 6
WITH_PLIES = (DrillMode.MATE, DrillMode.HOLD, PLAY)
"""Modes in which plies can be lost; the others ask for one move or one answer."""
_DAYS_AHEAD = 7
_USUAL_SECONDS = 60.0
"""The assumed duration of a drill that has never been done."""
ENOUGH = 5
"""The least number of attempts for a rate to mean something."""
_MONTH = 30
_RECENT = 10
"""The number of attempts from which the duration of a drill is estimated."""


@dataclass(frozen=True, slots=True)
class SolvedCount:
    """The numbers of finished and of solved attempts of an ending, a mode or a theme.

    Attributes:
        name: The ending, the mode, or the key of the theme.
        drills: Finished attempts.
        solved: Solved attempts.
    """

    name: str
    drills: int
    solved: int

    @property
    def share(self) -> float:
        """The share of solved attempts, 0 to 1; 0 without attempts."""
        if self.drills:
            return self.solved / self.drills
        return 0.0


@dataclass(frozen=True, slots=True)
class ThemeCount(SolvedCount):
    """The attempts of a theme; ``name`` is its key.

    Attributes:
        plies_lost: The known plies lost in all attempts together.
        ending: The ending; empty for a position without one.
        label: The theme in words, without the ending.
        last_seen: When the latest attempt began, in seconds since 1970.
    """

    plies_lost: int
    ending: str
    label: str
    last_seen: float


@dataclass(frozen=True, slots=True)
class WeekCount:
    """The attempts of a week.

    Attributes:
        first: Its Monday.
        drills: Finished attempts.
        solved: Solved attempts.
        perfect: Solved attempts without a ply lost, a hint or a move taken back.
    """

    first: int
    drills: int = 0
    solved: int = 0
    perfect: int = 0

    @property
    def has_enough(self) -> bool:
        """Whether there were enough attempts for a rate to mean something."""
        return self.drills >= ENOUGH

    def percent(self, number: int) -> int:
        """A number of the attempts as a percentage; 0 without attempts."""
        if self.drills:
            return round(100 * number / self.drills)
        return 0


@dataclass(frozen=True, slots=True)
class ProgressFigures:
    """The statistics of one game over a range of weeks.

    Attributes:
        first: The first day of the range, a Monday.
        last: The last day of the range.
        today: The current day.
        due: The numbers of cards due today (or overdue), tomorrow, and so on for seven days.
        minutes: The estimated minutes for the cards due today.
        run: Consecutive days with a drill of any game, up to today or yesterday.
        longest_run: The most consecutive days ever.
        drills: Finished attempts.
        solved: Solved attempts.
        plies_lost: Average plies lost per drill, where known; None if it is known of no drill.
        endings: Counts by ending, best first.
        modes: Counts by mode.
        days: Finished attempts per day, from ``first`` to ``last``.
        weeks: Counts by week, oldest first.
        lost_lately: Average plies lost per drill in the last 30 days; None if too few are known.
        lost_before: The same for the 30 days before these.
        themes: Counts by theme, hardest first.
        recent: The newest finished attempts, newest first.
        rating: The learner's streak rating; None before the first streak.
        best_streak: The most items ever solved in one streak.
        elsewhere: Cards of other games that are due today.
        games_elsewhere: These games.
        practised: Whether this game was ever practised.
        other_games: The other games that were ever practised.
        game: The name of the game.
    """

    first: int
    last: int
    today: int
    due: tuple[int, ...]
    minutes: int
    run: int
    longest_run: int
    drills: int
    solved: int
    plies_lost: float | None
    endings: tuple[SolvedCount, ...]
    modes: tuple[SolvedCount, ...]
    days: tuple[int, ...]
    themes: tuple[ThemeCount, ...]
    recent: tuple[Record, ...]
    rating: float | None
    best_streak: int
    elsewhere: int = 0
    games_elsewhere: tuple[str, ...] = ()
    practised: bool = True
    other_games: tuple[str, ...] = ()
    game: str = DEFAULT_GAME
    weeks: tuple[WeekCount, ...] = ()
    lost_lately: float | None = None
    lost_before: float | None = None

    @property
    def share(self) -> float:
        """The share of solved attempts, 0 to 1; 0 without attempts."""
        if self.drills:
            return self.solved / self.drills
        return 0.0

    @property
    def lost(self) -> tuple[Record, ...]:
        """The newest attempts with a known number of lost plies, oldest first."""
        recent = reversed(self.recent)
        return tuple(record for record in recent if record.mode in WITH_PLIES and not record.uncounted)


def progress(
    journal: Journal, weeks: int = WEEKS, back: int = 0, recent: int = 120, game: str = DEFAULT_GAME
) -> ProgressFigures:
    """Compute the statistics of one game over a range of weeks.

    Args:
        journal: The journal.
        weeks: The length of the range in weeks, including the current one.
        back: By how many weeks to move the range into the past.
        recent: The maximum number of the newest attempts to include.
        game: The name of the game.

    Raises:
        JournalError: The journal cannot be read.
    """
    today = day_of(journal.clock())
    monday = today - (today - 1) % 7  # proleptic ordinal 1 is a Monday
    first = max(1, monday - 7 * (weeks - 1 + back))
    # The current week is not over.
    last = min(today, first + 7 * weeks - 1)
    selection = (game, first, last)

    run, longest_run = _runs(journal, today)
    due, minutes, due_elsewhere = _due(journal, game, today)
    rating = journal.rating(learner_name(game))
    games = {name for (name,) in journal.query(f"SELECT DISTINCT game FROM attempts WHERE {COUNTED}")}
    # CASE gives NULL for attempts whose lost plies are unknown, or that threw away the result, which is no matter of
    # plies; avg() skips these.
    is_known = f"uncounted = 0 AND errors = 0 AND mode IN {tuple(map(str, WITH_PLIES))}"
    known_plies = f"CASE WHEN {is_known} THEN plies_lost END"
    totals_sql = f"SELECT count(*), {_SOLVED}, avg({known_plies}) {_FROM_SELECTION}"
    drills, solved, plies_lost = journal.query(totals_sql, selection)[0]
    drills_by_day = dict(journal.query(f"SELECT day, count(*) {_FROM_SELECTION} GROUP BY day", selection))

    def average_lost(first_day: int, last_day: int) -> float | None:
        sql = f"SELECT avg({known_plies}), count({known_plies}) {_FROM_SELECTION}"
        average, sample_size = journal.query(sql, (game, first_day, last_day))[0]
        if sample_size >= ENOUGH:
            return average
        return None

    def counts(column: str, order: str) -> tuple[SolvedCount, ...]:
        sql = f"SELECT {column}, count(*), {_SOLVED} {_FROM_SELECTION} GROUP BY {column} ORDER BY {order}"
        return tuple(SolvedCount(*row) for row in journal.query(sql, selection))

    return ProgressFigures(
        first=first,
        last=last,
        today=today,
        due=due,
        minutes=minutes,
        run=run,
        longest_run=longest_run,
        drills=drills,
        solved=solved or 0,  # sum() of no rows is NULL
        plies_lost=plies_lost,
        endings=counts("ending", "avg(outcome = 'solved') DESC, count(*) DESC, ending"),
        modes=counts("mode", "mode"),
        days=tuple(drills_by_day.get(day, 0) for day in range(first, last + 1)),
        weeks=_weeks(journal, selection),
        lost_lately=average_lost(today - _MONTH + 1, today),
        lost_before=average_lost(today - 2 * _MONTH + 1, today - _MONTH),
        themes=_themes(journal, selection),
        recent=tuple(journal.attempts(game=game, limit=recent, days=(first, last), counted_only=True)),
        rating=None if rating is None else rating.rating,
        best_streak=_best_streak(journal, game),
        elsewhere=due_elsewhere.total(),
        games_elsewhere=tuple(due_elsewhere),
        practised=game in games,
        other_games=tuple(sorted(games - {game})),
        game=game,
    )


def by_theme(journal: Journal, game: str = DEFAULT_GAME) -> dict[str, ThemeCount]:
    """Count the attempts of every theme of a game that was ever attempted; the result is keyed by theme.

    Raises:
        JournalError: The journal cannot be read.
    """
    return {count.name: count for count in _themes(journal, (game, 0, date.max.toordinal()))}


def levels(journal: Journal, themes: Iterable[str]) -> dict[str, int]:
    """Return the levels of themes by their keys; studies and games have none and are left out.

    Raises:
        JournalError: The journal cannot be read.
    """
    result: dict[str, int] = {}
    for key in themes:
        try:
            theme = parse_theme(key)
        except DrillError:
            continue  # a game: the journal stores its ending in place of a theme
        if not theme.study:
            result[key] = level_of(journal, key, theme.mode)
    return result


def last_of(journal: Journal, theme: str) -> Record | None:
    """Return the newest finished attempt of a theme, None if there is none.

    Raises:
        JournalError: The journal cannot be read.
    """
    return next(iter(journal.attempts(theme=theme, limit=1, counted_only=True)), None)


_SOLVED = f"sum(outcome = '{Outcome.SOLVED}')"
_PERFECT = (
    f"outcome = '{Outcome.SOLVED}' AND plies_lost = 0 AND uncounted = 0 AND errors = 0 AND hints = 0 AND takebacks = 0"
)
_FROM_SELECTION = f"FROM attempts WHERE game = ? AND day BETWEEN ? AND ? AND {COUNTED}"
"""Selects the attempts of a game that count; parameters: the game, the first and the last day."""


def _themes(journal: Journal, selection: tuple[str, int, int]) -> tuple[ThemeCount, ...]:
    """Count by theme, hardest first: the smallest solved share, and of equal ones the theme tried more often.

    The ending and the label of a theme are those of its latest attempt, in or outside the selection.
    """
    counts_by_theme = (
        f"SELECT theme, count(*) AS drills, {_SOLVED} AS solved, sum(plies_lost) {_FROM_SELECTION} GROUP BY theme"
    )
    rows = journal.query(
        "SELECT counted.*, latest.ending, latest.label, latest.started"
        f" FROM ({counts_by_theme}) counted"
        " JOIN attempts AS latest ON latest.id ="
        " (SELECT id FROM attempts WHERE theme = counted.theme ORDER BY started DESC LIMIT 1)"
        " ORDER BY 1.0 * counted.solved / counted.drills, counted.drills DESC, counted.theme",
        selection,
    )
    return tuple(ThemeCount(*row) for row in rows)


def _weeks(journal: Journal, selection: tuple[str, int, int]) -> tuple[WeekCount, ...]:
    """Count by week, from the first day of the selection, a Monday; weeks without attempts are included."""
    _, first, last = selection
    # The quotient of two integers is an integer in SQLite: the number of the week.
    rows = journal.query(
        f"SELECT (day - {first}) / 7, count(*), {_SOLVED}, sum({_PERFECT}) {_FROM_SELECTION} GROUP BY 1", selection
    )
    counts = {week: numbers for week, *numbers in rows}
    weeks = range((last - first) // 7 + 1)
    return tuple(WeekCount(first + 7 * week, *counts.get(week, ())) for week in weeks)


def _runs(journal: Journal, today: int) -> tuple[int, int]:
    """Count consecutive days of practice: the run up to today or yesterday, and the longest ever."""
    days = [day for (day,) in journal.query(f"SELECT DISTINCT day FROM attempts WHERE {COUNTED} ORDER BY day")]
    # Days are ordinals, the smallest of which is 1: no day follows on -1.
    longest = 0
    run = 0
    previous = -1
    for day in days:
        run = run + 1 if day == previous + 1 else 1
        longest = max(longest, run)
        previous = day

    is_current = previous >= today - 1  # today's drill may still come
    return (run if is_current else 0), longest


def _due(journal: Journal, game: str, today: int) -> tuple[tuple[int, ...], int, Counter[str]]:
    """Count due cards.

    Returns:
        The cards of the game due on each of the next days, the estimated minutes for those due today (rounded up), and
        the number of cards due today by other game.
    """
    counts = [0] * _DAYS_AHEAD
    elsewhere: Counter[str] = Counter()
    seconds = 0.0
    average_sql = (
        f"SELECT avg(seconds) FROM (SELECT seconds FROM attempts WHERE theme = ? ORDER BY started DESC LIMIT {_RECENT})"
    )
    for card in journal.cards():
        days_ahead = max(0, day_of(card.due) - today)
        card_game = game_of(card.ending)
        if card_game != game:
            if days_ahead == 0:
                elsewhere[card_game] += 1
            continue
        if days_ahead < _DAYS_AHEAD:
            counts[days_ahead] += 1
        if days_ahead == 0:
            average = journal.query(average_sql, (card.theme,))[0][0]
            seconds += _USUAL_SECONDS if average is None else average
    minutes = -int(-seconds // 60)
    return tuple(counts), minutes, elsewhere


def _best_streak(journal: Journal, game: str) -> int:
    sql = (
        f"SELECT max(items) FROM (SELECT count(*) AS items FROM attempts"
        f" WHERE mode = '{DrillMode.STREAK}' AND outcome = '{Outcome.SOLVED}' AND game = ? GROUP BY run)"
    )
    return int(journal.query(sql, (game,))[0][0] or 0)


def document(journal: Journal, figures: ProgressFigures) -> dict[str, Any]:
    """Convert statistics to a JSON object; days are ISO dates, times are seconds since 1970.

    Raises:
        JournalError: The journal cannot be read.
    """
    theme_levels = levels(journal, (count.name for count in figures.themes))
    return {
        "from": date.fromordinal(figures.first).isoformat(),
        "to": date.fromordinal(figures.last).isoformat(),
        "due": list(figures.due),
        "due_minutes": figures.minutes,
        "due_of_other_games": figures.elsewhere,
        "days_in_a_row": figures.run,
        "longest_run": figures.longest_run,
        "drills": figures.drills,
        "solved": figures.solved,
        "plies_lost": _rounded(figures.plies_lost),
        "plies_lost_last_30_days": _rounded(figures.lost_lately),
        "plies_lost_30_days_before": _rounded(figures.lost_before),
        "weeks": [
            {
                "from": date.fromordinal(week.first).isoformat(), "drills": week.drills, "solved": week.solved,
                "perfect": week.perfect,
            }
            for week in figures.weeks
        ],
        "rating": None if figures.rating is None else round(figures.rating),
        "best_streak": figures.best_streak,
        "endings": [
            {
                "ending": c.name, "drills": c.drills, "solved": c.solved,
                "mastered": is_mastered(journal, figures.game, c.name),
            }
            for c in figures.endings
        ],
        "modes": [{"mode": c.name, "drills": c.drills, "solved": c.solved} for c in figures.modes],
        "days": {
            date.fromordinal(figures.first + i).isoformat(): count for i, count in enumerate(figures.days) if count
        },
        "levels": LEVELS,
        "themes": [
            {
                "theme": c.name, "ending": c.ending, "label": c.label, "drills": c.drills, "solved": c.solved,
                "plies_lost": c.plies_lost, "seen": c.last_seen, "level": theme_levels.get(c.name),
            }
            for c in figures.themes
        ],
        "recent": [
            {
                "uuid": r.uuid, "theme": r.theme, "ending": r.ending, "label": r.label, "mode": r.mode,
                "fen": r.start, "started": r.started, "outcome": r.outcome, "result": r.result,
                "plies_lost": r.plies_lost, "errors": r.errors, "hints": r.hints, "takebacks": r.takebacks,
                "seconds": round(r.seconds, 1), "uncounted": r.uncounted,
            }
            for r in figures.recent
        ],
    }  # fmt: skip


def _rounded(value: float | None) -> float | None:
    if value is None:
        return None
    return round(value, 2)

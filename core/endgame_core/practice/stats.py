"""The figures of the Progress screen and of ``endgame-tui stats``: the same for both, from the journal alone.

Everything is counted by SQLite out of its indices, so that a journal of 100,000 attempts still answers at once. Only
solved and failed attempts count. Days are the learner's own, as proleptic ordinals. Each game has figures of its own;
only days in a row are those of all games together, for a day of practice is one whatever was practised.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from typing import Any

from endgame_core.practice.drills import learner_of
from endgame_core.practice.journal import Journal, day_of
from endgame_core.practice.levels import LEVELS, is_mastered, level_of
from endgame_core.practice.records import COUNTED, PLAY, Outcome, Record
from endgame_core.practice.theme import DrillError, DrillMode, game_of, parse_theme

WEEKS = 6
WITH_PLIES = (DrillMode.MATE, DrillMode.HOLD, PLAY)
"""Modes in which plies can be lost: the others ask for one move or one answer."""
_DAYS_AHEAD = 7
_USUAL_SECONDS = 60.0
"""What a drill takes that was never done."""
_RECENT = 10


@dataclass(frozen=True, slots=True)
class SolvedCount:
    """Finished attempts and how many of them were solved.

    Attributes:
        name: Of what: an ending, a mode, a theme.
        drills: Finished attempts.
        solved: Of these.
    """

    name: str
    drills: int
    solved: int

    @property
    def share(self) -> float:
        """Solved, 0 to 1; 0 when there is none."""
        return self.solved / self.drills if self.drills else 0.0


@dataclass(frozen=True, slots=True)
class ThemeCount(SolvedCount):
    """One theme's attempts; it is named by its key.

    Attributes:
        plies_lost: In all of them together, as far as known.
        ending: Its ending, may be empty.
        label: In words, without the ending.
        seen: When the last one began, in seconds since 1970.
    """

    plies_lost: int
    ending: str
    label: str
    seen: float


@dataclass(frozen=True, slots=True)
class ProgressFigures:
    """All figures of some weeks.

    Attributes:
        first: The first day counted, a Monday.
        last: The last day counted.
        today: The day of the question.
        due: Cards due: today (and before), tomorrow, and so on for seven days.
        elsewhere: Cards of other games that are due today.
        minutes: What those due today will take, by what their drills took so far.
        run: Days in a row with a drill of any game, up to today or yesterday.
        longest_run: The most ever.
        practised: Whether this game was ever practised.
        others: Whether other games were.
        game: The game.
        drills: Finished attempts.
        solved: Of these.
        plies_lost: A drill lost on average, of those of which it is known; None where there is none.
        endings: By ending, best first.
        modes: By mode.
        days: Finished attempts by day, from ``first`` to ``last``.
        themes: By theme, hardest first.
        recent: The newest finished attempts first.
        rating: The learner's in streaks; None before the first.
        best_streak: The most items in a row.
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
    practised: bool = True
    others: bool = False
    game: str = "chess"

    @property
    def share(self) -> float:
        """Solved, 0 to 1; 0 when there is none."""
        return self.solved / self.drills if self.drills else 0.0

    @property
    def lost(self) -> tuple[Record, ...]:
        """The newest attempts in which plies can be lost and are known, oldest first."""
        recent = reversed(self.recent)
        return tuple(record for record in recent if record.mode in WITH_PLIES and not record.uncounted)


def progress(
    journal: Journal, weeks: int = WEEKS, back: int = 0, recent: int = 120, game: str = "chess"
) -> ProgressFigures:
    """Counts some weeks of one game.

    Args:
        journal: What happened.
        weeks: How many, the current one included.
        back: So many weeks ago.
        recent: How many of the newest attempts to give.
        game: The game's name.

    Raises:
        JournalError: The journal cannot be read.
    """
    today = day_of(journal.clock())
    monday = today - (today - 1) % 7
    first = max(1, monday - 7 * (weeks - 1 + back))
    last = min(today, first + 7 * weeks - 1)
    given = (game, first, last)
    run, longest = _runs(journal, today)
    due, minutes, elsewhere = _due(journal, game, today)
    rating = journal.rating(learner_of(game))
    games = {name for (name,) in journal.query(f"SELECT DISTINCT game FROM attempts WHERE {COUNTED}")}
    with_plies = f"CASE WHEN uncounted = 0 AND mode IN {tuple(map(str, WITH_PLIES))} THEN plies_lost END"
    of_days = dict(journal.query(f"SELECT day, count(*) {_OF_DAYS} GROUP BY day", given))
    drills, solved, lost = journal.query(f"SELECT count(*), {_SOLVED}, avg({with_plies}) {_OF_DAYS}", given)[0]

    def counts(what: str, order: str) -> tuple[SolvedCount, ...]:
        sql = f"SELECT {what}, count(*), {_SOLVED} {_OF_DAYS} GROUP BY {what} ORDER BY {order}"
        return tuple(SolvedCount(*row) for row in journal.query(sql, given))

    return ProgressFigures(
        first, last, today, due, minutes, run, longest, drills, solved or 0, lost,
        endings=counts("ending", "avg(outcome = 'solved') DESC, count(*) DESC, ending"),
        modes=counts("mode", "mode"),
        days=tuple(of_days.get(day, 0) for day in range(first, last + 1)),
        themes=_themes(journal, given),
        recent=tuple(journal.attempts(game=game, most=recent, days=(first, last), counted=True)),
        rating=None if rating is None else rating.rating,
        best_streak=_best_streak(journal, game),
        elsewhere=elsewhere,
        practised=game in games,
        others=bool(games - {game}),
        game=game,
    )  # fmt: skip


def by_theme(journal: Journal, game: str = "chess") -> dict[str, ThemeCount]:
    """All themes of a game that were ever attempted, by key.

    Raises:
        JournalError: The journal cannot be read.
    """
    return {count.name: count for count in _themes(journal, (game, 0, date.max.toordinal()))}


def levels(journal: Journal, themes: Iterable[str]) -> dict[str, int]:
    """The levels of those that have one among themes, by their keys: not studies, and not games.

    Raises:
        JournalError: The journal cannot be read.
    """
    result: dict[str, int] = {}
    for key in themes:
        with suppress(DrillError):
            if not (theme := parse_theme(key)).study:
                result[key] = level_of(journal, key, theme.mode)
    return result


def last_of(journal: Journal, theme: str) -> Record | None:
    """The newest finished attempt of a theme.

    Raises:
        JournalError: The journal cannot be read.
    """
    return next(iter(journal.attempts(theme=theme, most=1, counted=True)), None)


_SOLVED = f"sum(outcome = '{Outcome.SOLVED}')"
_OF_DAYS = f"FROM attempts WHERE game = ? AND day BETWEEN ? AND ? AND {COUNTED}"
"""The attempts that count: of a game, from one day to another."""


def _themes(journal: Journal, given: tuple[str, int, int]) -> tuple[ThemeCount, ...]:
    """Themes, hardest first: the smallest share solved; of equals, the one tried more often."""
    rows = journal.query(
        "SELECT counted.*, latest.ending, latest.label, latest.started FROM"
        f" (SELECT theme, count(*) AS drills, {_SOLVED} AS solved, sum(plies_lost) {_OF_DAYS} GROUP BY theme) counted"
        " JOIN attempts AS latest ON latest.id ="
        " (SELECT id FROM attempts WHERE theme = counted.theme ORDER BY started DESC LIMIT 1)"
        " ORDER BY 1.0 * counted.solved / counted.drills, counted.drills DESC, counted.theme",
        given,
    )
    return tuple(ThemeCount(*row) for row in rows)


def _runs(journal: Journal, today: int) -> tuple[int, int]:
    """Days in a row up to today or yesterday, and the most ever."""
    days = [day for (day,) in journal.query(f"SELECT DISTINCT day FROM attempts WHERE {COUNTED} ORDER BY day")]
    longest = run = 0
    before = -1
    for day in days:
        run = run + 1 if day == before + 1 else 1
        longest, before = max(longest, run), day
    return (run if before >= today - 1 else 0), longest


def _due(journal: Journal, game: str, today: int) -> tuple[tuple[int, ...], int, int]:
    """Cards by day, the minutes that those of today will take, and how many of other games are due today."""
    counts, elsewhere = [0] * _DAYS_AHEAD, 0
    seconds = 0.0
    sql = (
        f"SELECT avg(seconds) FROM (SELECT seconds FROM attempts WHERE theme = ? ORDER BY started DESC LIMIT {_RECENT})"
    )
    for card in journal.cards():
        ahead = max(0, day_of(card.due) - today)
        if game_of(card.ending) != game:
            elsewhere += ahead == 0
            continue
        if ahead < _DAYS_AHEAD:
            counts[ahead] += 1
        if ahead == 0:
            taken = journal.query(sql, (card.theme,))[0][0]
            seconds += _USUAL_SECONDS if taken is None else taken
    return tuple(counts), -int(-seconds // 60), elsewhere


def _best_streak(journal: Journal, game: str) -> int:
    sql = (
        f"SELECT max(items) FROM (SELECT count(*) AS items FROM attempts"
        f" WHERE mode = '{DrillMode.STREAK}' AND outcome = '{Outcome.SOLVED}' AND game = ? GROUP BY run)"
    )
    return int(journal.query(sql, (game,))[0][0] or 0)


def document(journal: Journal, found: ProgressFigures) -> dict[str, Any]:
    """The figures as one JSON object; days as ISO dates, moments in seconds since 1970.

    Raises:
        JournalError: The journal cannot be read.
    """
    reached = levels(journal, (count.name for count in found.themes))
    return {
        "from": date.fromordinal(found.first).isoformat(),
        "to": date.fromordinal(found.last).isoformat(),
        "due": list(found.due),
        "due_minutes": found.minutes,
        "due_of_other_games": found.elsewhere,
        "days_in_a_row": found.run,
        "longest_run": found.longest_run,
        "drills": found.drills,
        "solved": found.solved,
        "plies_lost": None if found.plies_lost is None else round(found.plies_lost, 2),
        "rating": None if found.rating is None else round(found.rating),
        "best_streak": found.best_streak,
        "endings": [
            {
                "ending": c.name, "drills": c.drills, "solved": c.solved,
                "mastered": is_mastered(journal, found.game, c.name),
            }
            for c in found.endings
        ],
        "modes": [{"mode": c.name, "drills": c.drills, "solved": c.solved} for c in found.modes],
        "days": {
            date.fromordinal(found.first + i).isoformat(): count for i, count in enumerate(found.days) if count
        },
        "levels": LEVELS,
        "themes": [
            {
                "theme": c.name, "ending": c.ending, "label": c.label, "drills": c.drills, "solved": c.solved,
                "plies_lost": c.plies_lost, "seen": c.seen, "level": reached.get(c.name),
            }
            for c in found.themes
        ],
        "recent": [
            {
                "uuid": r.uuid, "theme": r.theme, "ending": r.ending, "label": r.label, "mode": r.mode,
                "fen": r.start, "started": r.started, "outcome": r.outcome, "result": r.result,
                "plies_lost": r.plies_lost, "errors": r.errors, "hints": r.hints, "takebacks": r.takebacks,
                "seconds": round(r.seconds, 1), "uncounted": r.uncounted,
            }
            for r in found.recent
        ],
    }  # fmt: skip

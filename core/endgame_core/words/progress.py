"""Progress in words: the figures of the journal, due drills, the outcomes of attempts and the moves lost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time
from typing import Any, Final

from endgame_core.controls import instruct
from endgame_core.errors import EndgameError
from endgame_core.game import Game
from endgame_core.language import _, decimal, ngettext, pgettext, side_name
from endgame_core.practice.goals import GameGoal
from endgame_core.practice.journal import Journal, day_of
from endgame_core.practice.records import Card, JournalImport, Outcome, Record, ending_words
from endgame_core.practice.stats import WITH_PLIES, ProgressFigures, SolvedCount, ThemeCount, WeekCount, progress
from endgame_core.practice.theme import DrillError, game_of, label_words, parse_theme
from endgame_core.tasks.review import ReviewSession
from endgame_core.values import GradeTally
from endgame_core.words.game_report import counts, move_value
from endgame_core.words.text_model import (
    MONTHS,
    WEEKDAYS,
    Badge,
    Message,
    TextRow,
    TextSpan,
    capital,
    count,
    grouped,
    in_moves,
    in_words,
    moves_of_plies,
    to_move,
)

AnyRules = Game[Any, Any]

_GOALS = {
    "win": pgettext("goal", "win"),
    "draw": _("hold"),
    "last": _("hold out"),
    "move": _("find the only move"),
    "answer": _("name the result"),
}

NOTHING_YET: Final = _("Nothing practised yet: your progress appears here after your first drill or game.")
ADVICE: Final = (
    ("practise_screen", _("Practise: choose an ending, then win or hold it"), _("a minute or two each")),
    ("play_screen", _("Play: any position against perfect defence"), _("finished games count as well")),
    ("import", _("Import a journal from another machine"), _("press {export} there to write the file")),
)
"""First steps for a newcomer: the action, its description, and a remark."""

COUNTED: Final = _(
    "This screen will then show which drills are due, your days in a row, how many drills you "
    "solve, and how many moves you lose compared with perfect play."
)


@dataclass(frozen=True, slots=True)
class AttemptFilter:
    """Which attempts are wanted; empty fields mean all.

    Attributes:
        theme: Only of this theme.
        ending: Only of this ending.
        label: The theme in words.
        day: Only of this day and before.
    """

    theme: str = ""
    ending: str = ""
    label: str = ""
    day: int | None = None

    def words(self, today: int) -> str:
        """Return the selection, in a few words."""
        if self.day is not None:
            return _("up to {day_words}").format(day_words=day_words(self.day, today, exact=True))
        return f"{self.ending} {self.label}".strip() or _("all")

    @property
    def before(self) -> float | None:
        """The end of the day, in seconds since 1970."""
        if self.day is None:
            return None
        return datetime.combine(date.fromordinal(self.day + 1), time()).timestamp()


@dataclass(frozen=True, slots=True)
class JournalSummary:
    """The contents of the journal that the screen shows.

    Attributes:
        progress: The figures.
        cards: The cards, the one due first first.
    """

    progress: ProgressFigures
    cards: tuple[Card, ...] = field(default=())

    @classmethod
    def of(cls, journal: Journal, game: str, weeks: int, back: int = 0) -> JournalSummary:
        """Return the figures of a game for ``weeks`` weeks, the last one ``back`` weeks ago; raises JournalError."""
        cards = tuple(card for card in journal.cards() if game_of(card.ending) == game)
        return cls(progress(journal, weeks, back, game=game), cards)

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to show at all."""
        return not self.progress.practised and not self.cards

    def due_on(self, ahead: int) -> list[Card]:
        """The cards due ``ahead`` days from today; those overdue are due today."""
        today = self.progress.today
        return [card for card in self.cards if max(0, day_of(card.due) - today) == ahead]

    def items(self, panel: str) -> Sequence[object]:
        """The items of a panel, by the name of the panel; none for an unknown one."""
        figures = self.progress
        return {
            "hardest": figures.themes, "recent": figures.recent, "solved": figures.endings, "days": figures.days,
            "lost": figures.lost, "weeks": figures.weeks, "due": figures.due,
        }.get(panel, ())  # fmt: skip

    def _item(self, panel: str, number: int) -> object:
        items = self.items(panel)
        if number < len(items):
            return items[number]
        return None

    def theme_at(self, panel: str, number: int) -> ThemeCount | None:
        """Return the theme of an item of a panel: itself, or the hardest of an ending."""
        item = self._item(panel, number)
        # A ThemeCount is a SolvedCount, too; a plain one counts an ending.
        if isinstance(item, SolvedCount) and not isinstance(item, ThemeCount):
            return next((theme for theme in self.progress.themes if theme.ending == item.name), None)
        if isinstance(item, ThemeCount):
            return item
        return None

    def record_at(self, panel: str, number: int) -> Record | None:
        """Return the attempt of an item of a panel."""
        item = self._item(panel, number)
        if isinstance(item, Record):
            return item
        return None

    def attempt_filter(self, panel: str, number: int) -> AttemptFilter:
        """Return the filter for the attempts of an item: by theme, ending or day; all attempts if it has none."""
        theme = self.theme_at(panel, number)
        if theme is not None and panel == "solved":
            return AttemptFilter(ending=theme.ending)
        if theme is not None:
            return AttemptFilter(theme=theme.name, ending=theme.ending, label=label_words(theme.name, theme.label))
        if panel == "weeks":
            # Up to the last day of the week, or the last one that is counted.
            return AttemptFilter(day=min(self.progress.weeks[number].first + 6, self.progress.last))
        if panel == "days":
            return AttemptFilter(day=self.progress.first + number)
        return AttemptFilter()

    def details(self, panel: str, number: int, game: AnyRules, last_of: Callable[[str], Record | None]) -> ItemDetails:
        """Return the details of an item of a panel.

        Args:
            panel: The panel.
            number: The item.
            game: Reads positions.
            last_of: Finds the last attempt of a theme, where that is to be shown.
        """
        figures = self.progress
        today = self.progress.today
        if theme := self.theme_at(panel, number):
            part = _("{solved} solved").format(solved=solved(theme.solved, theme.drills))
            title = ending_words(theme.ending, game.name)
            position, task = start_of(last_of(theme.name), game)
            if is_drill(theme.name):
                does = (_("drill it"), _("drill the hardest"))[panel == "solved"]
            else:
                does = _("review games")
            if panel == "solved":
                ending = figures.endings[number]
                lines = (
                    _("{solved} solved").format(solved=solved(ending.solved, ending.drills)),
                    _("hardest: {theme_label}, {part}").format(
                        theme_label=label_words(theme.name, theme.label), part=part
                    ),
                )
                return ItemDetails(title, lines, position, (does, _("review attempts")))
            lines = (
                *task,
                part,
                _("last seen {day_words}").format(day_words=day_words(day_of(theme.last_seen), today)),
            )
            return ItemDetails(
                f"{title}  {label_words(theme.name, theme.label)}", lines, position, (does, _("review attempts"))
            )
        if record := self.record_at(panel, number):
            return about_attempt(record, today, game)
        if panel == "days" and number < len(figures.days):
            day = figures.first + number
            drills = figures.days[number]
            name = f"{WEEKDAYS[(day - 1) % 7]} {day_words(day, today, exact=True)}"
            if drills:
                done = count(drills, "drill", "drills")
            else:
                done = _("no drills")
            return ItemDetails(name, (done,), keys=(_("review that day"), ""))
        if panel == "weeks" and number < len(figures.weeks):
            return _about_week(figures.weeks[number], today)
        if panel == "due":
            return self._about_due(number, game, last_of)
        return ItemDetails()

    def _about_due(self, ahead: int, game: AnyRules, last_of: Callable[[str], Record | None]) -> ItemDetails:
        """Return the drills that are due on a day, with the last start of the first theme."""
        cards = self.due_on(ahead)
        name = due_names(self.progress)[ahead]
        if not cards:
            return ItemDetails(_("Due {name}").format(name=name), (_("nothing"),))
        words = count(len(cards), "theme", "themes")
        minutes = None if ahead else self.progress.minutes
        if minutes is not None:
            words += _(", about {minutes} min").format(minutes=minutes)
        names = ", ".join(
            f"{ending_words(card.ending, 'chess')} {label_words(card.theme, card.label)}" for card in cards[:6]
        )
        more = ""
        if len(cards) > 6:
            more = _(" and {cards} more").format(cards=len(cards) - 6)
        enter = _("drill the first")
        if minutes is not None:
            enter = _("drill them")
        keys = (enter, "")
        return ItemDetails(
            _("Due {name}").format(name=name), (words, names + more), start_of(last_of(cards[0].theme), game)[0], keys
        )


def _about_week(week: WeekCount, today: int) -> ItemDetails:
    """How many drills of a week were solved, and how many of them perfectly."""
    title = _("Week of {day_words}").format(day_words=day_words(week.first, today, exact=True))
    if not week.drills:
        return ItemDetails(title, (_("no drills"),))
    line = _("{solved} solved, {perfect} perfect").format(
        solved=solved(week.solved, week.drills), perfect=grouped(week.perfect)
    )
    return ItemDetails(title, (line,), keys=(_("review that week"), ""))


# Days


def lost_trend(progress_figures: ProgressFigures) -> str:
    """The moves lost per drill in the last 30 days, compared with the 30 days before; empty if too few are known."""
    if progress_figures.lost_lately is None:
        return ""
    lately = _("moves lost: {lost_lately} per drill in 30 days").format(
        lost_lately=decimal(progress_figures.lost_lately / 2)
    )
    if progress_figures.lost_before is None:
        return lately
    return _("{lately}, previously {lost_before}").format(
        lately=lately, lost_before=decimal(progress_figures.lost_before / 2)
    )


def window(progress_figures: ProgressFigures, weeks: int, back: int) -> str:
    """The weeks that are counted: ``Last 6 weeks``, or ``6 weeks to 11 Oct``."""
    if back:
        end = day_words(progress_figures.last, progress_figures.today, exact=True)
        return ngettext("Week to {end}", "{number} weeks to {end}", weeks).format(number=weeks, end=end)
    return ngettext("This week", "Last {number} weeks", weeks).format(number=weeks)


def day_words(day: int, today: int, *, exact: bool = False) -> str:
    """A day: ``today``, ``yesterday``, ``5 days ago``; from two weeks on, or when ``exact``, its date."""
    ago = today - day
    if not exact and 0 <= ago < 14:
        if ago < 2:
            return (_("today"), _("yesterday"))[ago]
        return _("{ago} days ago").format(ago=ago)
    then = date.fromordinal(max(day, 1))
    year = ""
    if then.year != date.fromordinal(today).year:
        year = f" {then.year}"
    return f"{then.day} {MONTHS[then.month - 1]}{year}"


def due_names(progress_figures: ProgressFigures) -> list[str]:
    """Return the names of today and the days after it: ``now``, ``Sun``, ``Mon``."""
    return [_("now")] + [
        WEEKDAYS[(progress_figures.today + ahead - 1) % 7] for ahead in range(1, len(progress_figures.due))
    ]


# Figures


@dataclass(frozen=True, slots=True)
class Figure:
    """A number, what it counts, the same in one word, and the role of the number's colour."""

    number: str
    words: str
    short: str
    role: str = "text"


def figures(progress_figures: ProgressFigures) -> tuple[Figure, ...]:
    """Due today, days in a row, solved, plies lost a drill; and the rating of the streaks when there is one."""
    due = progress_figures.due[0]
    run = progress_figures.run
    lost = "–"
    if progress_figures.plies_lost is not None:
        lost = decimal(progress_figures.plies_lost / 2)
    if progress_figures.other_games:
        row = ngettext("day in a row, any game", "days in a row, any game", run)
    else:
        row = ngettext("day in a row", "days in a row", run)
    figures = [
        Figure(grouped(due), _("due today"), _("due"), "amber" if due else "text"),
        Figure(grouped(run), row, ngettext("day", "days", run)),
        Figure(
            f"{100 * progress_figures.share:.0f} %",
            _("of {drills} solved").format(drills=grouped(progress_figures.drills)),
            _("solved"),
        ),
        Figure(lost, _("moves lost per drill"), _("lost")),
    ]
    if progress_figures.rating is not None:
        figures.append(Figure(str(round(progress_figures.rating)), _("level"), _("level")))
    return tuple(figures)


def solved(number: int, drills: int) -> str:
    """A part: ``3 of 5``."""
    return _("{number} of {drills}").format(number=grouped(number), drills=grouped(drills))


# Attempts


def solved_of(record: Record) -> bool | None:
    """Whether an attempt was solved; None where it counts in no figure."""
    return {Outcome.SOLVED: True, Outcome.FAILED: False}.get(record.outcome)


def result_of(record: Record) -> str:
    """How an attempt ended, as a list shows it."""
    unfinished = {Outcome.OPEN: _("unfinished"), Outcome.LEFT: _("abandoned")}.get(record.outcome, "")
    return in_words(record.result) or unfinished


def moves_lost(record: Record) -> str:
    """Moves lost in an attempt; ``thrown`` where the result was thrown away, a dash where they are not known."""
    if record.errors and record.mode in WITH_PLIES:
        return _("blunder")
    if record.uncounted:
        return "–"
    return moves_of_plies(record.plies_lost)


def outcome_words(record: Record) -> str:
    """Return the outcome of an attempt: ``solved, mate``, ``not solved, the win is gone``."""
    words = {
        Outcome.SOLVED: _("solved"),
        Outcome.FAILED: _("not solved"),
        Outcome.OPEN: _("not finished"),
        Outcome.LEFT: _("abandoned"),
    }[record.outcome]
    if record.result:
        return f"{words}, {in_words(record.result)}"
    return words


def cost_words(record: Record) -> list[str]:
    """Plies lost, and what else it took."""
    parts: list[str] = []
    if record.mode in WITH_PLIES and record.uncounted:
        parts.append(_("moves lost: unknown"))
    elif record.mode in WITH_PLIES:
        # A win that was not reached is not perfect, even if no move was lost.
        won = record.goal not in (GameGoal.WIN, GameGoal.FEWEST) or record.outcome is not Outcome.FAILED
        if record.plies_lost:
            parts += [_("{moves} lost").format(moves=in_moves(record.plies_lost))]
        else:
            parts += [_("perfect")] * won
    for number, one, many in (
        (record.errors, "error", "errors"),
        (record.hints, "hint", "hints"),
        (record.takebacks, _("move taken back"), _("moves taken back")),
    ):
        if number:
            parts.append(count(number, one, many))
    if parts[:1] == ["perfect"] and len(parts) > 1:
        parts = parts[1:]
    if not parts:
        return []
    return [", ".join(parts)]


# What is said about the item under the cursor


@dataclass(frozen=True, slots=True)
class ItemDetails:
    """The details of an item.

    Attributes:
        title: What it is about.
        lines: Facts.
        position: A position to show beside it; None when there is none.
        keys: What Enter and r do here; empty where they do nothing.
    """

    title: str = ""
    lines: tuple[str, ...] = ()
    position: Any = None
    keys: tuple[str, str] = ("", "")


def is_drill(theme: str) -> bool:
    """Whether a key is that of a theme; games are kept under their ending."""
    try:
        parse_theme(theme)
    except DrillError:
        return False
    return True


def about_attempt(record: Record, today: int, game: AnyRules) -> ItemDetails:
    """An attempt: where it started, how it ended, what it cost."""
    position, task = start_of(record, game)
    lines = [*task, f"{day_words(record.day, today)}: {outcome_words(record)}", *cost_words(record)]
    title = f"{ending_words(record.ending, record.game)}  {label_words(record.theme, record.label)}"
    return ItemDetails(title, tuple(lines), position, (_("review it"), _("review attempts")))


def start_of(record: Record | None, game: AnyRules) -> tuple[Any, list[str]]:
    """Return the start of an attempt and its task; nothing if there is none, or it cannot be read."""
    try:
        position = None
        if record is not None:
            position = game.parse(record.start)
    except EndgameError:
        position = None
    if record is None or position is None:
        return None, []
    mover = game.mover(position)
    goal = _GOALS.get(record.goal, "")
    words = to_move(mover)
    # The learner may have the side that is not to move first.
    if goal and (record.colour or mover) == mover:
        words += _(" and {goal}").format(goal=goal)
    elif goal:
        words += _("; {goal} as {colour}").format(goal=goal, colour=side_name(record.colour))
    return position, [words]


# Exchange


def exported(records: int, file: object) -> str:
    """That the journal was written into a file."""
    return _("{records} written to {file}").format(records=count(records, "record", "records"), file=file)


def imported(done: JournalImport) -> str:
    """Return the result of an import as a sentence; only the first bad line is quoted."""
    words = _("{attempts} and {cards} added").format(
        attempts=count(done.attempts, "attempt", "attempts"), cards=count(done.cards, "card", "cards")
    )
    if done.unchanged:
        words += _(", {known} already present").format(known=done.unchanged)
    if done.bad:
        line, why = done.bad[0]
        others = ""
        if len(done.bad) > 1:
            others = _(" (and {bad} more)").format(bad=len(done.bad) - 1)
        words += _("; line {line} skipped{others}: {why}").format(line=line, others=others, why=why)
    if words.endswith("."):
        return words
    return f"{words}."


# A past attempt, looked at

AnyReview = ReviewSession[Any, Any]

UNGRADED = Badge("·", _("not graded"), "faint")
"""The mark of a move of the learner that has no grade."""


def review_crumbs(review: AnyReview, record: Record, today: int, wide: bool) -> tuple[str, ...]:
    """Ending and theme, the day, where one is."""
    if review.item is None:
        at = _("the end")
    else:
        at = _("{at} of {items}").format(at=review.at + 1, items=len(review.items))
    name = f"{ending_words(record.ending, record.game)} {label_words(record.theme, record.label)}".strip()
    if wide:
        return (_("Progress"), _("attempts"), name, day_words(record.day, today), at)
    return (name, at)


def review_result(review: AnyReview, record: Record, width: int) -> tuple[TextRow, TextRow]:
    """Return the outcome and the moves lost; in a second row of ``width`` columns the learner's moves by grade."""
    solved = solved_of(record)
    sign = {True: "✓ ", False: "✗ ", None: ""}[solved]
    cost = TextSpan(", ".join(cost_words(record)), "dim")
    tally = GradeTally.of(item.grade for item in review.items if item.own)
    return TextRow((TextSpan(f"{sign}{outcome_words(record)}", bold=True),), (cost,)), counts(tally, width)


def review_reason(review: AnyReview, record: Record, wide: bool = True) -> Message:
    """Return the value of the reviewed move and the best move; if there is room, also the time that it took."""
    item = review.item
    if item is None:
        return Message("", _("The end of the attempt.  {at_the_end}").format(at_the_end=_at_the_end(review, record)))
    if item.move is None:
        if item.error:
            words = _("a wrong answer.")
            role = "loss"
        else:
            words = _("the right answer.")
            role = "text"
    else:
        if item.grade is None:
            words = _("could not be graded.")
            role = "text"
        else:
            words, role = move_value(review.judge, item)
    took = []
    if item.own and item.seconds >= 1:
        took = [f"{item.seconds:.0f} s"]
    if item.was_taken_back:
        took += [_("taken back")]
    heading = item.name
    if took and wide:
        heading = f"{item.name} ({', '.join(took)})"
    return Message(heading, words, role)


def _at_the_end(review: AnyReview, record: Record) -> str:
    """Return the sentence behind the last move."""
    if review.missing:
        return _("{moves} at the end cannot be shown on the board.").format(
            moves=count(review.missing, "move", "moves")
        )
    if not review.items:
        return _("No move was made.")
    cost = ", ".join(cost_words(record))
    if not cost:
        return ""
    leads = ""
    if review.slips:
        leads = instruct(_(": {press} {next_error} to see where"))
    return f"{capital(cost)}{leads}."

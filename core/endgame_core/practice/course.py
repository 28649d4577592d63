"""The course: all there is to practise, and where the learner stands in it.

Sets hold the shipped themes and studies of one kind, and the user's own positions. Themes stand by ending besides: the
shipped ones, and those that the learner made by choosing an ending and a window of layers.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from endgame_core.errors import EndgameError
from endgame_core.game import Game
from endgame_core.practice import stats
from endgame_core.practice.journal import Journal, day_of
from endgame_core.practice.levels import is_mastered, level_of
from endgame_core.practice.records import COUNTED, PLAY, Card, JournalError, Outcome
from endgame_core.practice.studies import MY_POSITIONS, Studies, Study, StudyGoal, StudySet
from endgame_core.practice.theme import DrillMode, Theme, groups, parse_theme
from endgame_core.tables.library import Library

SITTING = 10
"""Drills in a row, unless all that is due was asked for."""

_LAST = 10


@dataclass(frozen=True, slots=True)
class DrillItem:
    """One thing to drill: a theme, and the study it is about if it is about one."""

    theme: Theme
    study: Study | None = None

    @property
    def ending(self) -> str:
        """The ending whose table it needs; empty for a position beyond all tables."""
        return self.theme.ending


@dataclass(frozen=True, slots=True)
class Collection:
    """Items that belong together.

    Attributes:
        name: What it is called (``Rook endings``).
        items: Themes, then studies.
        own: Whether it is the user's.
        problem: Why the user's file cannot be read, as one sentence; else empty.
    """

    name: str
    items: tuple[DrillItem, ...]
    own: bool = False
    problem: str = ""

    @property
    def positions(self) -> int:
        """Its studies."""
        return sum(item.study is not None for item in self.items)

    @property
    def endings(self) -> tuple[str, ...]:
        """Its endings, each once, in order."""
        return tuple(dict.fromkeys(item.ending for item in self.items if item.ending))


@dataclass(frozen=True, slots=True)
class ThemeProgress:
    """Where the learner stands with some themes.

    Attributes:
        drills: Drills that count.
        solved: Drills solved.
        due: Cards due today.
        known: Whether any of them is scheduled.
        soonest: When the next card that is not due today will be, seconds since 1970; None without one.
    """

    drills: int = 0
    solved: int = 0
    due: int = 0
    known: bool = False
    soonest: float | None = None

    @property
    def percent(self) -> int | None:
        """Solved drills of a hundred; None before the first."""
        return round(100 * self.solved / self.drills) if self.drills else None


@dataclass(frozen=True, slots=True)
class Recent:
    """The last drills of some themes, the oldest first.

    Attributes:
        solved: Whether each was solved.
        lost: Plies lost on average, None before the first.
        thrown: In how many the result was let go.
    """

    solved: tuple[bool, ...] = ()
    lost: float | None = None
    thrown: int = 0


class Course:
    """What there is to practise in one game. Figures are those of the last :meth:`refresh`.

    Args:
        game: The game.
        library: Tells which endings are built.
        studies: The sets of studies.
        journal: Attempts and cards.
    """

    def __init__(self, game: Game[Any, Any], library: Library, studies: Studies, journal: Journal) -> None:
        self.game = game
        self.library = library
        self.studies = studies
        self.journal = journal
        self.collections: tuple[Collection, ...] = ()
        """The sets, the user's own last."""
        self.themes: tuple[Theme, ...] = ()
        """All themes by ending."""
        self.cards: tuple[Card, ...] = ()
        """All cards, the longest overdue first."""
        self.progress: stats.ProgressFigures | None = None
        """Days in a row, minutes to go, rating; None while the journal cannot be read."""
        self.edition = 0
        """Is another number whenever sets, themes or cards were looked up anew."""
        self._today = 0
        self._counts: dict[str, stats.ThemeCount] = {}
        self._known: dict[str, DrillItem] = {}
        self._shipped = tuple(theme for themes in groups(game.name).values() for theme in themes)
        views = (view for ending in game.endings() for view in game.views(ending))
        self._endings = {view: number for number, view in enumerate(views)}
        self.read_sets()

    # What there is

    def read_sets(self) -> None:
        """Reads all sets: call it when the user's have changed."""
        themes = groups(self.game.name)
        shipped = {name: Collection(name, tuple(map(DrillItem, some))) for name, some in themes.items()}
        own: list[Collection] = []
        for result in self.studies.sets():
            items = tuple(DrillItem(self._theme_of(study), study) for study in result.studies)
            if result.own:
                own.append(Collection(result.name, items, True, result.problem))
            else:
                before = shipped.get(result.name, Collection(result.name, ()))
                shipped[result.name] = replace(before, items=before.items + items)
        if not any(found.name == MY_POSITIONS for found in own):
            own.insert(0, Collection(MY_POSITIONS, (), True))
        self.collections = (*shipped.values(), *own)
        self._known = {item.theme.key: item for found in self.collections for item in found.items}
        self.edition += 1

    def _theme_of(self, study: Study) -> Theme:
        try:
            ending = self.game.ending_of(self.game.parse(study.position))
        except EndgameError:
            ending = ""
        mode = DrillMode.HOLD if study.goal in (StudyGoal.DRAW, StudyGoal.HOLD_OUT) else DrillMode.MATE
        return Theme(ending, mode, study=study.id, name=study.name)

    def item(self, key: str) -> DrillItem | None:
        """What a theme's key stands for; None for a study that is gone, for another game's, or for no key."""
        if key in self._known:
            return self._known[key]
        try:
            theme = parse_theme(key)
        except EndgameError:
            return None
        return DrillItem(theme) if theme.ending in self._endings else None

    def is_own(self, theme: Theme) -> bool:
        """Whether a theme was made by the learner."""
        return not theme.study and theme not in self._shipped

    def own_set(self, study: Study) -> StudySet | None:
        """The user's set a study is in, or None."""
        return next((found for found in self.studies.own() if study in found.studies), None)

    def is_built(self, item: DrillItem) -> bool:
        """Whether an item can be drilled now."""
        return bool(item.ending) and self.has(item.ending)

    def has(self, ending: str) -> bool:
        """Whether the table of an ending, spelled from either side, is built."""
        return self.library.is_built(self.game.canonical_name(ending))

    def missing(self, items: Iterable[DrillItem]) -> tuple[str, ...]:
        """The endings that some items need and that are not built."""
        needed = dict.fromkeys(self.game.canonical_name(item.ending) for item in items if item.ending)
        return tuple(ending for ending in needed if not self.library.is_built(ending))

    # Where the learner stands

    def refresh(self) -> None:
        """Looks up all figures anew.

        Raises:
            JournalError: The journal cannot be read now; the figures stay as they were.
        """
        cards = tuple(self.journal.cards())
        counts = stats.by_theme(self.journal, self.game.name)
        self.progress = stats.progress(self.journal, weeks=1, recent=0, game=self.game.name)
        self._today = day_of(self.journal.clock())
        self.cards = cards
        self._counts = counts
        scheduled = filter(None, (self.item(card.theme) for card in cards))
        made = {item.theme for item in scheduled if self.is_own(item.theme)}
        self.themes = tuple(sorted(made.union(self._shipped), key=self._order))
        self.edition += 1

    def _order(self, theme: Theme) -> tuple[int, int, str, int, int, str]:
        modes = list(DrillMode)
        return (
            self._endings.get(theme.ending, 0), modes.index(theme.mode), theme.winner or "", theme.low, theme.high,
            theme.kind,
        )  # fmt: skip

    def figures(self, items: Iterable[DrillItem]) -> ThemeProgress:
        """Where the learner stands with some items."""
        keys = {item.theme.key for item in items}
        counts = [self._counts[key] for key in keys if key in self._counts]
        cards = [card for card in self.cards if card.theme in keys]
        later = [card.due for card in cards if not self._is_due(card)]
        return ThemeProgress(
            sum(count.drills for count in counts), sum(count.solved for count in counts),
            sum(map(self._is_due, cards)), bool(cards), min(later, default=None),
        )  # fmt: skip

    def _is_due(self, card: Card) -> bool:
        return day_of(card.due) <= self._today

    def recent(self, items: Iterable[DrillItem]) -> Recent:
        """The last drills of some items; nothing where the journal cannot be read."""
        keys = [item.theme.key for item in items]
        marks = ", ".join("?" * len(keys))
        sql = (
            f"SELECT outcome, plies_lost, errors > 0 FROM attempts WHERE theme IN ({marks}) AND {COUNTED} AND mode <> ?"
        )
        try:
            rows = self.journal.query(f"{sql} ORDER BY started DESC LIMIT {_LAST}", (*keys, PLAY))
        except JournalError:
            return Recent()
        if not rows:
            return Recent()
        solved = tuple(outcome == Outcome.SOLVED for outcome, _, _ in reversed(rows))
        return Recent(solved, sum(lost for _, lost, _ in rows) / len(rows), sum(thrown for *_, thrown in rows))

    def level(self, theme: Theme) -> int | None:
        """The level of a theme; None of a study, which is always the same."""
        if theme.study:
            return None
        try:
            return level_of(self.journal, theme.key, theme.mode)
        except JournalError:
            return 1

    def is_mastered(self, ending: str) -> bool:
        """Whether an ending is mastered: see :func:`endgame_core.practice.levels.is_mastered`."""
        try:
            return is_mastered(self.journal, self.game.name, ending)
        except JournalError:
            return False

    # What to drill

    @property
    def due(self) -> tuple[DrillItem, ...]:
        """All that is due today, the longest overdue first; what is gone is left out, what is not built is not."""
        result = [self.item(card.theme) for card in self.cards if self._is_due(card)]
        return tuple(item for item in result if item is not None)

    def queue(self, items: Sequence[DrillItem], rng: random.Random, most: int = SITTING) -> list[DrillItem]:
        """A sitting from some items: what is due, then what is new in its order, then the rest, weakest first.

        Items that cannot be drilled are left out.
        """
        ready = [item for item in items if self.is_built(item)]
        overdue = {card.theme: number for number, card in enumerate(self.cards) if self._is_due(card)}
        scheduled = {card.theme for card in self.cards}

        def rank(item: DrillItem) -> tuple[int, float]:
            key = item.theme.key
            if key in overdue:
                return 0, overdue[key]
            if key not in scheduled:
                return 1, 0
            percent = self.figures([item]).percent
            return 2, (100 if percent is None else percent) + rng.random()

        return sorted(ready, key=rank)[:most]

"""The course of a game: everything there is to practise, with the learner's progress.

Items are grouped in collections: the shipped themes and studies by kind, then the user's own positions. All themes are
also listed by ending: the shipped ones, and those that the learner made by choosing an ending and a range of layers.
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

SESSION_LENGTH = 10
"""The default number of drills in a session."""

_RECENT_DRILLS = 10


@dataclass(frozen=True, slots=True)
class DrillItem:
    """A theme to drill, with its study if the theme is one."""

    theme: Theme
    study: Study | None = None

    @property
    def ending(self) -> str:
        """The ending whose table the item needs; empty for a position that no table can cover."""
        return self.theme.ending


@dataclass(frozen=True, slots=True)
class Collection:
    """A named group of items.

    Attributes:
        name: The name on the screen, e.g. ``Rook endings``.
        items: The themes, then the studies.
        own: Whether the collection belongs to the user.
        problem: Why the user's file cannot be read, as one sentence; empty if it can.
    """

    name: str
    items: tuple[DrillItem, ...]
    own: bool = False
    problem: str = ""

    @property
    def positions(self) -> int:
        """The number of studies."""
        return sum(item.study is not None for item in self.items)

    @property
    def endings(self) -> tuple[str, ...]:
        """The endings of its items, each once, in the order of the items."""
        return tuple(dict.fromkeys(item.ending for item in self.items if item.ending))


@dataclass(frozen=True, slots=True)
class ThemeProgress:
    """The learner's progress in one or more themes.

    Attributes:
        drills: Finished drills.
        solved: Solved drills.
        due: Cards due today.
        has_cards: Whether any of the themes has a card.
        soonest: When the next card after today is due, seconds since 1970; None if there is no such card.
    """

    drills: int = 0
    solved: int = 0
    due: int = 0
    has_cards: bool = False
    soonest: float | None = None

    @property
    def percent(self) -> int | None:
        """The percentage of solved drills; None before the first drill."""
        if not self.drills:
            return None
        return round(100 * self.solved / self.drills)


@dataclass(frozen=True, slots=True)
class Recent:
    """The latest drills of one or more themes.

    Attributes:
        solved: Whether each was solved, oldest first.
        lost: Average plies lost per drill in which the result was not thrown away; None if there is none.
        thrown: The number of drills in which the learner threw away the result.
    """

    solved: tuple[bool, ...] = ()
    lost: float | None = None
    thrown: int = 0


class Course:
    """Everything there is to practise in a game, with the learner's progress as of the last :meth:`refresh`.

    Args:
        game: The game.
        library: The library, which knows the built endings.
        studies: The sets of studies.
        journal: The attempts and the cards.
    """

    def __init__(self, game: Game[Any, Any], library: Library, studies: Studies, journal: Journal) -> None:
        self.game = game
        self.library = library
        self.studies = studies
        self.journal = journal
        self.collections: tuple[Collection, ...] = ()
        """All collections, the user's own ones last."""
        self.themes: tuple[Theme, ...] = ()
        """All themes, ordered by ending."""
        self.cards: tuple[Card, ...] = ()
        """All cards, the longest overdue first."""
        self.progress: stats.ProgressFigures | None = None
        """Days in a row, minutes of due drills, rating; None until the first successful :meth:`refresh`."""
        self.edition = 0
        """Changes whenever collections, themes or cards are reloaded, so that views know when to redraw."""
        self._today = 0
        self._counts: dict[str, stats.ThemeCount] = {}
        self._items: dict[str, DrillItem] = {}
        """The items of all collections by the keys of their themes."""
        self._shipped = tuple(theme for themes in groups(game.name).values() for theme in themes)
        views = (view for ending in game.endings() for view in game.views(ending))
        self._endings = {view: number for number, view in enumerate(views)}
        """The place of every ending, named from either side, in the order of the game."""
        self.read_sets()

    # Items and collections

    def read_sets(self) -> None:
        """Reload all collections; call this after the user's sets have changed."""
        shipped: dict[str, Collection] = {}
        for name, themes in groups(self.game.name).items():
            shipped[name] = Collection(name, tuple(map(DrillItem, themes)))

        own: list[Collection] = []
        for study_set in self.studies.sets():
            items = tuple(DrillItem(self._theme_of(study), study) for study in study_set.studies)
            if study_set.own:
                own.append(Collection(study_set.name, items, True, study_set.problem))
            else:
                # A shipped set of studies follows the shipped themes of the same name.
                themes_only = shipped.get(study_set.name, Collection(study_set.name, ()))
                shipped[study_set.name] = replace(themes_only, items=themes_only.items + items)
        if not any(collection.name == MY_POSITIONS for collection in own):
            own.insert(0, Collection(MY_POSITIONS, (), True))

        self.collections = (*shipped.values(), *own)
        self._items = {item.theme.key: item for collection in self.collections for item in collection.items}
        self.edition += 1

    def _theme_of(self, study: Study) -> Theme:
        try:
            ending = self.game.ending_of(self.game.parse(study.position))
        except EndgameError:
            ending = ""
        if study.goal in (StudyGoal.DRAW, StudyGoal.HOLD_OUT):
            mode = DrillMode.HOLD
        else:
            mode = DrillMode.MATE
        return Theme(ending, mode, study=study.id, name=study.name)

    def item(self, key: str) -> DrillItem | None:
        """Look up an item by the key of its theme.

        Returns:
            The item; None for a deleted study, a theme of another game, or an invalid key.
        """
        if key in self._items:
            return self._items[key]
        try:
            theme = parse_theme(key)
        except EndgameError:
            return None
        if theme.ending in self._endings:
            return DrillItem(theme)
        return None

    def is_own(self, theme: Theme) -> bool:
        """Whether a theme was made by the learner."""
        return not theme.study and theme not in self._shipped

    def own_set(self, study: Study) -> StudySet | None:
        """Return the user's set that contains a study, or None."""
        return next((study_set for study_set in self.studies.own() if study in study_set.studies), None)

    def is_built(self, item: DrillItem) -> bool:
        """Whether the table that an item needs is built, so that it can be drilled now."""
        return bool(item.ending) and self.has(item.ending)

    def has(self, ending: str) -> bool:
        """Whether the table of an ending, named from either side, is built."""
        return self.library.is_built(self.game.canonical_name(ending))

    def missing(self, items: Iterable[DrillItem]) -> tuple[str, ...]:
        """Return the endings that the items need but that are not built, each once."""
        needed = dict.fromkeys(self.game.canonical_name(item.ending) for item in items if item.ending)
        return tuple(ending for ending in needed if not self.library.is_built(ending))

    # Progress

    def refresh(self) -> None:
        """Reload cards, counts and progress from the journal.

        Raises:
            JournalError: The journal cannot be read; all figures stay unchanged.
        """
        # Read everything before the first assignment, so that an error leaves the old figures intact.
        cards = tuple(self.journal.cards())
        counts = stats.by_theme(self.journal, self.game.name)
        self.progress = stats.progress(self.journal, weeks=1, recent=0, game=self.game.name)

        self._today = day_of(self.journal.clock())
        self.cards = cards
        self._counts = counts
        scheduled = filter(None, (self.item(card.theme) for card in cards))
        own_themes = {item.theme for item in scheduled if self.is_own(item.theme)}
        self.themes = tuple(sorted(own_themes.union(self._shipped), key=self._sort_key))
        self.edition += 1

    def _sort_key(self, theme: Theme) -> tuple[int, int, str, int, int, str]:
        modes = list(DrillMode)
        return (
            self._endings.get(theme.ending, 0),
            modes.index(theme.mode),
            theme.winner or "",
            theme.low,
            theme.high,
            theme.kind,
        )

    def figures(self, items: Iterable[DrillItem]) -> ThemeProgress:
        """Sum up the learner's progress in the given items."""
        keys = {item.theme.key for item in items}
        counts = [self._counts[key] for key in keys if key in self._counts]
        cards = [card for card in self.cards if card.theme in keys]
        later = [card.due for card in cards if not self._is_due(card)]
        return ThemeProgress(
            drills=sum(count.drills for count in counts),
            solved=sum(count.solved for count in counts),
            due=len(cards) - len(later),
            has_cards=bool(cards),
            soonest=min(later, default=None),
        )

    def _is_due(self, card: Card) -> bool:
        return day_of(card.due) <= self._today

    def recent(self, items: Iterable[DrillItem]) -> Recent:
        """Return the latest drills of the given items; an empty result if the journal cannot be read."""
        keys = [item.theme.key for item in items]
        placeholders = ", ".join("?" * len(keys))
        sql = (
            "SELECT outcome, plies_lost, errors > 0 FROM attempts"
            f" WHERE theme IN ({placeholders}) AND {COUNTED} AND mode <> ?"
            f" ORDER BY started DESC LIMIT {_RECENT_DRILLS}"
        )
        try:
            rows = self.journal.query(sql, (*keys, PLAY))
        except JournalError:
            return Recent()
        if not rows:
            return Recent()

        solved = tuple(outcome == Outcome.SOLVED for outcome, _, _ in reversed(rows))
        plies_lost = [plies for _, plies, has_errors in rows if not has_errors]
        lost = sum(plies_lost) / len(plies_lost) if plies_lost else None
        return Recent(solved, lost, len(rows) - len(plies_lost))

    def weakest(self, drills: int, percent: int) -> list[DrillItem]:
        """Return the items that were drilled often enough but solved too rarely, the weakest first.

        Args:
            drills: The least number of finished drills.
            percent: Items of which this percentage or more was solved are left out.
        """
        counts = [count for count in self._counts.values() if count.drills >= drills and 100 * count.share < percent]
        counts.sort(key=lambda count: (count.share, -count.drills))
        items = (self.item(count.name) for count in counts)
        return [item for item in items if item is not None]

    def level(self, theme: Theme) -> int | None:
        """Return the level of a theme, 1 if the journal cannot be read; None for a study, which has no levels."""
        if theme.study:
            return None
        try:
            return level_of(self.journal, theme.key, theme.mode)
        except JournalError:
            return 1

    def is_mastered(self, ending: str) -> bool:
        """Whether an ending is mastered, see :func:`endgame_core.practice.levels.is_mastered`."""
        try:
            return is_mastered(self.journal, self.game.name, ending)
        except JournalError:
            return False

    # Choosing drills

    @property
    def due(self) -> tuple[DrillItem, ...]:
        """The items due today, the longest overdue first; deleted studies are left out, unbuilt endings are not."""
        items = [self.item(card.theme) for card in self.cards if self._is_due(card)]
        return tuple(item for item in items if item is not None)

    def queue(self, items: Sequence[DrillItem], rng: random.Random, limit: int = SESSION_LENGTH) -> list[DrillItem]:
        """Choose the drills of a session.

        Due items come first, the longest overdue at the front; then new ones in the given order; then all others, the
        one with the lowest percentage first. Items whose ending is not built are left out.

        Args:
            items: The items to choose from.
            rng: Shuffles items with the same percentage.
            limit: The maximum number of drills.
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
            if percent is None:
                percent = 100
            # The random part is less than 1: it only shuffles those with the same percentage.
            return 2, percent + rng.random()

        return sorted(ready, key=rank)[:limit]

"""The list of drills and the settings of each: mode, window of layers, start; the user's own positions and themes."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath
from typing import Any, Final

from endgame_core.controls import instruct
from endgame_core.errors import EndgameError, NotBuiltError, StorageError
from endgame_core.game import Game
from endgame_core.language import _
from endgame_core.pgn import positions
from endgame_core.practice.course import SESSION_LENGTH, Collection, Course, DrillItem
from endgame_core.practice.defence import Defence, usual
from endgame_core.practice.drills import WinGoal, usual_goal
from endgame_core.practice.path import WEAK_DRILLS, WEAK_PERCENT, learning_path, rated_items
from endgame_core.practice.studies import MY_POSITIONS, Study, StudyImport
from endgame_core.practice.theme import KINDS, DrillError, DrillMode, Starts, Theme
from endgame_core.practice.titles import set_title
from endgame_core.tables.explorer import Explorer, LayerCount, Layers
from endgame_core.tasks.drill_window import Window
from endgame_core.tasks.training_session import AnyStart, TrainingPlan
from endgame_core.untrusted import file_named
from endgame_core.values import LAST_LAYER, Winner

DUE: Final = "due"
"""Key of the row "Everything due"."""
PATH: Final = "path"
"""Key of the row "Learn next"."""
WEAKEST: Final = "weakest"
"""Key of the row "Weakest three"."""
PLACEMENT: Final = "placement"
"""Key of the row "Find your level"."""

_WEAKEST = 3

_FILE_SUFFIXES = (".fen", ".epd", ".pgn", ".txt")


@dataclass(frozen=True, slots=True)
class DrillEntry:
    """A row of the list of drills.

    Attributes:
        key: Key of the row, see :attr:`DrillPicker.cursor`.
        title: Title of the row.
        items: Items to drill.
        collection: The set, if the row is a set.
        study: The study, if the row is a study.
        theme: The theme, if the row is a theme of an ending.
    """

    key: str
    title: str
    items: tuple[DrillItem, ...]
    collection: Collection | None = None
    study: Study | None = None
    theme: Theme | None = None

    @property
    def is_general(self) -> bool:
        """Whether it is one of the rows above the sets."""
        return self.key in (DUE, WEAKEST, PATH, PLACEMENT)

    @property
    def is_placement(self) -> bool:
        """Whether it is the row "Find your level"."""
        return self.key == PLACEMENT


@dataclass(frozen=True, slots=True)
class ThemeFilter:
    """The settings of a row.

    Attributes:
        mode: Mode of the drills; None keeps each item's own mode.
        winner: The winner of the starts, in the ending's colours; None for draws, or for any result.
        low: First layer of the window, in plies.
        high: Last layer of the window, in plies.
        kind: Kind of the only move; empty for any.
    """

    mode: DrillMode | None
    winner: Winner | None = None
    low: int = 1
    high: int = LAST_LAYER
    kind: str = ""


@dataclass(slots=True)
class DrillPicker:
    """The list of drills of one game, with a cursor and the settings of each row.

    Attributes:
        course: Sets, themes and the journal of the game.
        explorer: The tables.
        rng: Chooses starts and the order of drills.
        file: Converts a file name typed by the user to a path.
        cursor: Key of the current row.
        opened: Names of the sets whose studies are shown.
        row: Index in :meth:`rows` of the setting that is being changed.
        defence: How the defender plays.
        colours: Whether Black and White may be exchanged in a start.
        grows: Whether starts get harder with success; otherwise they come from the whole window.
        win_goal: Goal of drills that can be won.
    """

    course: Course
    explorer: Explorer[Any, Any]
    rng: random.Random = field(default_factory=random.Random)
    file: Callable[[str], Path] = file_named
    cursor: str = ""
    opened: set[str] = field(default_factory=set[str])
    row: int = 0
    defence: Defence = Defence.PERFECT
    colours: bool = True
    grows: bool = True
    win_goal: WinGoal = WinGoal.WIN
    _filters: dict[str, ThemeFilter] = field(default_factory=dict[str, ThemeFilter])
    _layers: dict[str, Layers] = field(default_factory=dict[str, Layers])
    _counts: dict[str, int] = field(default_factory=dict[str, int])
    _entries: tuple[object, dict[str, DrillEntry]] = field(default_factory=lambda: (None, {}))
    """The rows, with what they were computed from."""
    _added_themes: list[Theme] = field(default_factory=list[Theme])

    def __post_init__(self) -> None:
        self.defence = usual(self.explorer.game)
        self.win_goal = usual_goal(self.explorer.game)

    @property
    def game(self) -> Game[Any, Any]:
        """Rules of the game."""
        return self.explorer.game

    # The rows

    def forget(self) -> None:
        """Clear all caches of table contents, after tables were built or deleted."""
        self._layers.clear()
        self._counts.clear()
        self._entries = (None, {})  # what is built decides what is learned next

    @property
    def themes(self) -> list[Theme]:
        """The themes of the course, with those that the user added in this run after the themes of the same ending."""
        themes = list(self.course.themes)
        for theme in self._added_themes:
            if theme not in themes:
                same_ending = [index for index, listed in enumerate(themes) if listed.ending == theme.ending]
                last = max(same_ending, default=len(themes) - 1)
                themes.insert(last + 1, theme)
        return themes

    def entries(self) -> dict[str, DrillEntry]:
        """All rows by key, in the order of the list; cached until the course, the open sets or the themes change."""
        course = self.course
        # Everything that the rows depend on, except for what is built: see ``forget``.
        cache_key = (course.edition, frozenset(self.opened), tuple(self._added_themes))
        if self._entries[0] != cache_key:
            result = [DrillEntry(DUE, _("Everything due"), course.due)]
            weakest = tuple(course.weakest(WEAK_DRILLS, WEAK_PERCENT)[:_WEAKEST])
            if weakest:
                title = (_("Weakest theme"), _("Weakest two"), _("Weakest three"))[len(weakest) - 1]
                result.append(DrillEntry(WEAKEST, title, weakest))
            studies = tuple(rated_items(course))
            if studies:
                result.append(DrillEntry(PATH, _("Learn next"), learning_path(course).items))
                if self.game.placement_endings:
                    result.append(DrillEntry(PLACEMENT, _("Find your level"), studies))
            for collection in course.collections:
                result.append(
                    DrillEntry(f"set {collection.name}", set_title(collection.name), collection.items, collection)
                )
                if collection.name in self.opened:
                    result += [
                        DrillEntry(f"study {item.study.id}", item.study.name, (item,), study=item.study)
                        for item in collection.items
                        if item.study is not None
                    ]
            result += [DrillEntry(theme.key, theme.ending, (DrillItem(theme),), theme=theme) for theme in self.themes]
            self._entries = (cache_key, {entry.key: entry for entry in result})
        return self._entries[1]

    @property
    def entry(self) -> DrillEntry:
        """The current row; if it no longer exists, "Everything due" (if anything is due), "Learn next" or a set."""
        entries = self.entries()
        if self.cursor not in entries:
            has_items = [key for key in (DUE, PATH) if key in entries and entries[key].items]
            self.cursor = next(iter(has_items), f"set {self.course.collections[0].name}")
        return entries[self.cursor]

    def toggle(self) -> bool:
        """Show or hide the studies of the current set; False if the row is not a set, or has no studies."""
        collection = self.entry.collection
        if collection is None or not collection.positions:
            return False
        # Adds the name, or removes it.
        self.opened ^= {collection.name}
        return True

    def go(self, key: str) -> None:
        """Move the cursor to a row by its key, or to a new row if the key is the name of an ending.

        A set is opened if the row is a study in it.

        Args:
            key: A result of :meth:`.DrillSearch.find`.
        """
        item = self.course.item(key)
        if item is not None and item.study is not None:
            self.opened |= {collection.name for collection in self.course.collections if item in collection.items}
        elif item is None and self.ending_named(key) == key:
            theme = Theme(key, DrillMode.MATE, self.game.winners[0])
            self._added_themes.append(theme)
            key = theme.key
        self.cursor = key
        self.row = 0

    def ending_named(self, text: str) -> str | None:
        """The ending that ``text`` names, with the side named first in ``text`` first; None if it names no ending."""
        try:
            views = self.game.views(self.game.canonical_name(text))
        except EndgameError:
            return None
        return text if text in views else views[0]

    # Settings of a row

    def rows(self) -> tuple[str, ...]:
        """Names of the settings that apply to the current row: mode, result, defence, start, level, goal, kind."""
        mode = self.wish.mode
        if self.entry.is_placement:
            return ("mode", "start")
        rows = ["mode"]
        if len(self.results(mode)) > 1:
            rows.append("result")
        if mode not in (DrillMode.CALL, DrillMode.ONLY, DrillMode.STREAK):
            rows.append("defence")
        if mode is not DrillMode.STREAK:
            rows.append("start")
        if self.entry.study is None and mode is not DrillMode.STREAK:
            rows.append("level")
        if mode in (DrillMode.MATE, None):
            rows.append("goal")
        if mode is DrillMode.ONLY and self.entry.theme is not None:
            rows.append("kind")
        return tuple(rows)

    def change(self, row: int, by: int) -> str:
        """Change a setting by a number of steps, wrapping around.

        Args:
            row: Index in :meth:`rows`; too large an index means the last setting.
            by: Number of steps, negative to go back.

        Returns:
            Name of the setting.
        """
        rows = self.rows()
        name = rows[min(row, len(rows) - 1)]
        if name == "mode":
            self._change_mode(by)
        elif name == "result":
            self._change_result(by)
        elif name == "defence":
            defences = list(Defence)
            self.defence = defences[(defences.index(self.defence) + by) % len(defences)]
        elif name == "level":
            self.grows = not self.grows
        elif name == "goal":
            goals = list(WinGoal)
            self.win_goal = goals[(goals.index(self.win_goal) + by) % len(goals)]
        elif name == "kind":
            kinds = kinds_of(self.game)
            kind = kinds[(kinds.index(self.wish.kind) + by) % len(kinds)]
            self._set(replace(self.wish, kind=kind))
        else:
            self.colours = not self.colours
        return name

    def modes(self) -> tuple[DrillMode | None, ...]:
        """The modes available for the current row; None stands for each item's own mode."""
        entry = self.entry
        if entry.theme is not None:
            return tuple(DrillMode)
        if entry.study is not None:
            return (None, DrillMode.CALL)
        if entry.collection is None:
            return (None,)
        return (None, *DrillMode)

    @property
    def wish(self) -> ThemeFilter:
        """The settings of the current row."""
        entry = self.entry
        if entry.key not in self._filters:
            theme = entry.theme
            self._filters[entry.key] = ThemeFilter(None) if theme is None else _filter_of(theme)
        return self._filters[entry.key]

    def _set(self, theme_filter: ThemeFilter) -> None:
        self._filters[self.entry.key] = theme_filter

    def _change_mode(self, by: int) -> None:
        """Change the mode, wrapping around; keep the window only if the winner stays the same."""
        modes = self.modes()
        current = self.wish
        theme = self.entry.theme
        mode = modes[(modes.index(current.mode) + by) % len(modes)]
        if theme is None:
            self._set(ThemeFilter(mode))
            return
        if mode is theme.mode:
            self._set(_filter_of(theme))
            return

        results = self.results(mode)
        winner = results[0] if results else None
        # In HOLD the winner is the learner's opponent, so the old choice means something else there.
        if current.winner in results and mode is not DrillMode.HOLD:
            winner = current.winner

        if winner is not None and winner == current.winner:
            self._set(ThemeFilter(mode, winner, current.low, current.high))
        else:
            self._set(ThemeFilter(mode, winner))

    def results(self, mode: DrillMode | None) -> tuple[Winner | None, ...]:
        """The winners to choose from in a mode; None stands for draws, or for any result."""
        theme = self.entry.theme
        layers = None
        if theme is not None:
            layers = self.layers_of(theme.ending)
        if layers is None or theme is None or mode in (None, DrillMode.STREAK):
            return ()
        if mode is DrillMode.CALL:
            return (None,)
        is_loser_to_move = mode is DrillMode.HOLD
        winners = tuple(winner for winner in self.game.winners if _rows(layers, winner, is_loser_to_move))
        if mode is DrillMode.MATE:
            return winners
        if mode is DrillMode.HOLD and not self._count(Theme(theme.ending, DrillMode.HOLD)):
            return winners
        return (None, *winners)

    def _change_result(self, by: int) -> None:
        """Change the winner, wrapping around; the window becomes all layers."""
        current = self.wish
        results = self.results(current.mode)
        if len(results) > 1:
            index = 0
            if current.winner in results:
                index = results.index(current.winner)
            self._set(ThemeFilter(current.mode, results[(index + by) % len(results)], kind=current.kind))

    # The window

    def layers_of(self, ending: str) -> Layers | None:
        """The layers of an ending; None if its table is not built or cannot be read."""
        if ending not in self._layers:
            try:
                self._layers[ending] = self.explorer.layers(ending)
            except EndgameError:
                return None
        return self._layers[ending]

    @property
    def window(self) -> Window:
        """The available layers of the current row and the chosen range; the last layer if none is in the range."""
        theme = self.entry.theme
        current = self.wish
        layers = None
        if theme is not None:
            layers = self.layers_of(theme.ending)
        if layers is None or current.winner is None or current.mode in (None, DrillMode.CALL, DrillMode.STREAK):
            return Window()

        rows = _rows(layers, current.winner, current.mode is DrillMode.HOLD)
        numbers = tuple(row.n for row in rows)
        if not numbers:
            return Window()

        inside = [index for index, n in enumerate(numbers) if current.low <= n <= current.high]
        if not inside:
            inside = [len(numbers) - 1]
        return Window(numbers, tuple(row.boards for row in rows), inside[0], inside[-1])

    def unique(self) -> int:
        """Number of positions that match the settings, symmetric copies counted once; 0 if unknown."""
        theme = self.chosen
        try:
            if theme is None:
                return 0
            return self._count(theme)
        except EndgameError:
            return 0

    def _count(self, theme: Theme) -> int:
        if theme.key not in self._counts:
            self._counts[theme.key] = self.starts().count(theme)
        return self._counts[theme.key]

    def move_window(self, by: int) -> bool:
        """Shift the window by a number of layers, as far as possible; False if there is no window."""
        return self._set_window(self.window.moved(by))

    def choose_window(self, first: int, last: int) -> bool:
        """Set the window to the layers from ``first`` to ``last``, in plies; False if there is no window.

        If none of the available layers is in this range, the one nearest to ``first`` is chosen.
        """
        return self._set_window(self.window.covering(first, last))

    def widen_window(self, by: int) -> bool:
        """Add ``by`` layers to the window, or remove them if negative; False if there is no window."""
        return self._set_window(self.window.widened(by))

    def _set_window(self, window: Window) -> bool:
        """Store a window; False if it has no layers.

        A window of all layers is stored as 1 to LAST_LAYER, the range of a theme without a window.
        """
        if not window.layers:
            return False
        if window.is_whole:
            self._set(replace(self.wish, low=1, high=LAST_LAYER))
        else:
            self._set(replace(self.wish, low=window.layers[window.low], high=window.layers[window.high]))
        return True

    # The drills

    @property
    def chosen(self) -> Theme | None:
        """The theme of the current row with its settings applied; None for other rows, and for a streak."""
        theme = self.entry.theme
        current = self.wish
        if theme is None or current.mode in (None, DrillMode.STREAK):
            return None

        if current.winner:
            low = current.low
            high = current.high
        else:
            low = 1
            high = LAST_LAYER
        winner = None
        if current.mode is not DrillMode.CALL:
            winner = current.winner
        kind = ""
        if current.mode is DrillMode.ONLY:
            kind = current.kind
        return Theme(theme.ending, current.mode, winner, low, high, kind=kind)

    @property
    def items(self) -> tuple[DrillItem, ...]:
        """The items to drill with the current settings."""
        entry = self.entry
        mode = self.wish.mode
        chosen = self.chosen
        if chosen is not None:
            return (DrillItem(chosen),)
        if entry.collection is None or mode in (None, DrillMode.STREAK):
            return entry.items
        if mode in (DrillMode.CALL, DrillMode.ONLY):
            return tuple(DrillItem(Theme(ending, mode)) for ending in entry.collection.endings)
        return tuple(item for item in entry.items if item.theme.mode is mode)

    def missing(self) -> tuple[str, ...]:
        """The endings whose tables the drills need and that are not built."""
        if self.entry.is_placement:
            return tuple(ending for ending in self.game.placement_endings if not self.course.has(ending))
        return self.course.missing(self.items)

    def starts(self) -> Starts[Any, Any]:
        """Create a source of random starts with the current settings."""
        return Starts(self.explorer, self.rng, self.colours)

    @property
    def level(self) -> int | None:
        """The level of the starts; None for several themes, for a study, and if starts come from the whole window."""
        theme = self.chosen
        if theme is None or not self.grows:
            return None
        return self.course.level(theme)

    @property
    def deepest_of_level(self) -> int | None:
        """The last layer of the current level, in plies; None if there is no level, or it has no layers."""
        theme = self.chosen
        level = self.level
        if theme is None or level is None:
            return None
        try:
            return self.starts().deepest(theme, level)
        except EndgameError:
            return None

    def plan(self, first: AnyStart | None = None) -> TrainingPlan:
        """Create the plan of a training session from the settings.

        Args:
            first: Start of the first drill; ignored for sets and for "Everything due".

        Raises:
            NotBuiltError: None of the required tables is built.
            DrillError: There is nothing to drill.
        """
        entry = self.entry
        mode = self.wish.mode
        items = self.items
        if mode is DrillMode.STREAK:
            if entry.collection:
                endings = entry.collection.endings
            else:
                endings = (entry.title,)
            built = tuple(ending for ending in endings if self.course.has(ending))
            if not built and endings:
                raise NotBuiltError(endings[0])
            return TrainingPlan(_("{title}, streak").format(title=entry.title), (), 0, mode, endings=built)

        if entry.key == PLACEMENT:
            return self._placement_plan()

        ready = [item for item in items if self.course.is_built(item)]
        if not ready:
            raise self._nothing_to_drill_error(items)

        title = entry.title
        mode_override: DrillMode | None = None
        count: int | None = None
        if entry.key == DUE:
            title = _("Due today")
            first = None
        elif entry.key in (PATH, WEAKEST):
            first = None
        # A set: due items first, then new ones. Its first drill cannot be chosen.
        elif entry.collection is not None:
            ready = self.course.queue(items, self.rng)
            first = None
        elif entry.study is not None:
            title = ready[0].theme.words
            mode_override = mode
        else:
            title = f"{ready[0].theme.ending}, {ready[0].theme.words}"
            # A window of layers has no items of its own: draw as many positions as a session has.
            count = SESSION_LENGTH

        return TrainingPlan(
            title,
            tuple(ready),
            count or len(ready),
            mode_override,
            self.defence,
            self.colours,
            first=first,
            grows=self.grows,
            win_goal=self.win_goal,
        )

    def _placement_plan(self) -> TrainingPlan:
        """The plan of the placement test.

        Raises:
            NotBuiltError: An ending of many of its positions is not built.
        """
        missing = self.missing()
        if missing:
            raise NotBuiltError(missing[0])
        if not any(self.course.is_built(item) and not self.course.figures([item]).drills for item in self.entry.items):
            raise DrillError(
                _("you have tried every study whose tables are built"), _("choose Learn next, or build more endings")
            )
        return TrainingPlan(self.entry.title, (), 0, colours=self.colours, placement=True)

    def _nothing_to_drill_error(self, items: Sequence[DrillItem]) -> EndgameError:
        """The error for a row none of whose items can be drilled."""
        missing = self.course.missing(items)
        if missing:
            return NotBuiltError(missing[0])
        if self.entry.key == DUE:
            return DrillError(_("nothing is due today"), _("choose a set, or an ending"))
        if self.entry.key == PATH:
            return DrillError(_("you have learned every study"), _("choose an ending and its deepest layers"))
        if self.entry.collection is not None and self.entry.collection.own:
            return DrillError(
                _("this set has no position that a table covers"), instruct(_("{press} {add} to add one"))
            )
        return DrillError(_("there is nothing of this kind to drill"), _("choose a different mode"))

    # The user's positions and themes

    def add(self, text: str) -> Study | StudyImport:
        """Add a position, or all positions of a file, to the set "My positions" and move the cursor there.

        Args:
            text: A position or a file name.

        Raises:
            StorageError: The file cannot be read.
            StudyError: The study cannot be stored.
            PositionError: The text is neither a file nor a valid position.
        """
        suffix = PurePath(text).suffix.lower()
        try:
            path = self.file(text)
        except StorageError:
            if suffix in _FILE_SUFFIXES or text[0] in "/~.":
                raise
            path = None  # not a valid file name, but perhaps a position

        if path is not None and (path.is_file() or suffix in _FILE_SUFFIXES):
            study_import = self.course.studies.import_records(positions(path, self.game), MY_POSITIONS)
            self._show_my_positions(f"set {MY_POSITIONS}")
            return study_import

        study = self.course.studies.add(text)
        self._show_my_positions(f"study {study.id}")
        return study

    def _show_my_positions(self, key: str) -> None:
        """Reload the sets, open "My positions" and move the cursor to one of its rows."""
        self.course.read_sets()
        self.opened.add(MY_POSITIONS)
        self.go(key)

    @property
    def can_delete(self) -> bool:
        """Whether the current row is a position, set or theme of the user, not one that comes with the program."""
        entry = self.entry
        if entry.study is not None:
            return self.course.own_set(entry.study) is not None
        if entry.collection is not None:
            return entry.collection.own and bool(entry.items)
        return entry.theme is not None and self.course.is_own(entry.theme)

    def delete(self, entry: DrillEntry) -> None:
        """Delete a position, set or theme of the user; the past drills of a theme stay in the journal.

        Raises:
            StudyError: The position or set cannot be deleted.
            JournalError: The journal cannot be written.
        """
        course = self.course
        if entry.theme is not None:
            course.journal.drop_card(entry.key)
            self._added_themes = [theme for theme in self._added_themes if theme.key != entry.key]
            course.refresh()
            return
        name = entry.title if entry.study is None else entry.study.id
        if "/" not in name:
            name = course.studies.find(name).id
        course.studies.remove(name)
        course.read_sets()


def kinds_of(game: Game[Any, Any]) -> tuple[str, ...]:
    """The kinds of only move that a game distinguishes; the first, empty one stands for any kind."""
    vocabulary = game.vocabulary
    return ("", *(kind for kind in KINDS if kind == "zugzwang" or kind in (*vocabulary.kinds, *vocabulary.facts)))


def _filter_of(theme: Theme) -> ThemeFilter:
    """The settings that leave a theme unchanged."""
    return ThemeFilter(theme.mode, theme.winner, theme.low, theme.high, theme.kind)


def _rows(layers: Layers, winner: Winner, is_loser_to_move: bool) -> list[LayerCount]:
    """The layers of a winner in which the loser, or else the winner, is to move; empty if they have no boards.

    The winner is to move in odd layers, the loser in even ones. S0 is left out: the game is over there.
    """
    rows = [row for row in layers.families.get(winner, ()) if row.n and row.n % 2 == (not is_loser_to_move)]
    if any(row.boards for row in rows):
        return rows
    return []

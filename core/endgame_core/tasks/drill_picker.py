"""Choosing what to drill, and how: the row, the mode, the window of layers, a start; own positions and themes."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath
from typing import Any, Final

from endgame_core.controls import instruct
from endgame_core.errors import EndgameError, NotBuiltError, StorageError
from endgame_core.game import Game
from endgame_core.pgn import positions
from endgame_core.practice.course import SITTING, Collection, Course, DrillItem
from endgame_core.practice.defence import Defence, usual
from endgame_core.practice.drills import WinGoal, usual_goal
from endgame_core.practice.studies import MY_POSITIONS, Study, StudyImport
from endgame_core.practice.theme import KINDS, DrillError, DrillMode, Start, Starts, Theme
from endgame_core.tables.explorer import Explorer, LayerCount, Layers
from endgame_core.tasks.training_session import AnyStart, TrainingPlan, draw
from endgame_core.untrusted import file_named
from endgame_core.values import LAST_LAYER, Category, Winner

DUE: Final = "due"
"""The key of the row for all that is due."""

_FILES = (".fen", ".epd", ".pgn", ".txt")


@dataclass(frozen=True, slots=True)
class DrillEntry:
    """A row of the list that can be drilled.

    Attributes:
        key: What the cursor knows it by.
        title: Its name.
        items: What is drilled.
        collection: The set, if it is one.
        study: The study, if it is one.
        theme: The theme of an ending, if it is one.
    """

    key: str
    title: str
    items: tuple[DrillItem, ...]
    collection: Collection | None = None
    study: Study | None = None
    theme: Theme | None = None


@dataclass(frozen=True, slots=True)
class ThemeFilter:
    """How an entry is to be drilled.

    Attributes:
        mode: The mode; None leaves each item its own.
        winner: Whose wins, in the ending's colours; None for drawn positions, or for any.
        low: First layer of the window, in plies.
        high: Last one.
        kind: What an only move is to be; empty for any.
    """

    mode: DrillMode | None
    winner: Winner | None = None
    low: int = 1
    high: int = LAST_LAYER
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Window:
    """The layers in which the learner is to move, and those of them that are drilled.

    Attributes:
        layers: The layers to choose from; none where there is no window.
        boards: How many boards each has.
        low: Number of the window's first layer.
        high: Number of its last one.
    """

    layers: tuple[int, ...] = ()
    boards: tuple[int, ...] = ()
    low: int = 0
    high: int = 0


@dataclass(slots=True)
class DrillPicker:
    """What is chosen of one game's course.

    Attributes:
        course: What there is.
        explorer: The tables.
        rng: Decides on starts and orders.
        cursor: Key of the row with the cursor.
        opened: Names of the sets whose studies are shown.
        row: The row of :meth:`rows` that is being changed.
        file: Finds the file that a name means.
        defence: The defender.
        colours: Whether Black and White may be exchanged in a start.
        grows: Whether starts become harder with success; otherwise they come from the whole window.
        win_goal: What is asked for in a drill that can be won.
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
    _wishes: dict[str, ThemeFilter] = field(default_factory=dict[str, ThemeFilter])
    _layers: dict[str, Layers] = field(default_factory=dict[str, Layers])
    _counts: dict[str, int] = field(default_factory=dict[str, int])
    _sample: tuple[object, AnyStart | None] = (None, None)
    _shown: tuple[object, AnyStart | None] = (None, None)
    _made: list[Theme] = field(default_factory=list[Theme])
    _before: tuple[str, frozenset[str]] | None = None
    _listed: tuple[object, dict[str, DrillEntry]] = field(default_factory=lambda: (None, {}))

    def __post_init__(self) -> None:
        self.defence = usual(self.explorer.game)
        self.win_goal = usual_goal(self.explorer.game)

    @property
    def game(self) -> Game[Any, Any]:
        """The game."""
        return self.explorer.game

    # The rows

    def forget(self) -> None:
        """Asks the tables anew."""
        self._layers.clear()
        self._counts.clear()
        self._shown = (None, None)
        self._sample = (None, None)

    @property
    def themes(self) -> list[Theme]:
        """The themes by ending, with those that were asked for in this run."""
        known = list(self.course.themes)
        for theme in self._made:
            if theme not in known:
                at = max((n for n, other in enumerate(known) if other.ending == theme.ending), default=len(known) - 1)
                known.insert(at + 1, theme)
        return known

    def entries(self) -> dict[str, DrillEntry]:
        """All rows that can be drilled, in order, by their keys; listed anew when what they are made of has changed."""
        course = self.course
        made_of = (course.edition, frozenset(self.opened), tuple(self._made))
        if self._listed[0] != made_of:
            result = [DrillEntry(DUE, "Everything due", course.due)]
            for collection in course.collections:
                result.append(DrillEntry(f"set {collection.name}", collection.name, collection.items, collection))
                if collection.name in self.opened:
                    result += [
                        DrillEntry(f"study {item.study.id}", item.study.name, (item,), study=item.study)
                        for item in collection.items
                        if item.study is not None
                    ]
            result += [DrillEntry(theme.key, theme.ending, (DrillItem(theme),), theme=theme) for theme in self.themes]
            self._listed = (made_of, {entry.key: entry for entry in result})
        return self._listed[1]

    @property
    def entry(self) -> DrillEntry:
        """The row with the cursor; the first worth starting when it is gone."""
        entries = self.entries()
        if self.cursor not in entries:
            self.cursor = DUE if self.course.due else f"set {self.course.collections[0].name}"
        return entries[self.cursor]

    def toggle(self) -> bool:
        """Shows or hides the studies of the set; False when the row is no set, or has none."""
        collection = self.entry.collection
        if collection is None or not collection.positions:
            return False
        self.opened ^= {collection.name}
        return True

    def go(self, key: str) -> None:
        """Puts the cursor on a row that :meth:`find` gave, which may have to be made, or shown, first."""
        item = self.course.item(key)
        if item is not None and item.study is not None:
            self.opened |= {c.name for c in self.course.collections if item in c.items}
        elif item is None and self._ending(key) == key:
            theme = Theme(key, DrillMode.MATE, self.game.winners[0])
            self._made.append(theme)
            key = theme.key
        self.cursor = key
        self.row = 0

    # Looking for a row

    def find(self, text: str) -> str | None:
        """The key of the first row, shown or not, that is called like a text; an ending gets a row of its own."""
        wanted = text.strip().casefold()
        if not wanted:
            return None
        for collection in self.course.collections:
            if collection.name.casefold().startswith(wanted):
                return f"set {collection.name}"
        if (ending := self._ending(wanted)) is not None:
            return next((theme.key for theme in self.themes if theme.ending == ending), None) or ending
        for theme in self.themes:
            if theme.ending.casefold().startswith(wanted):
                return theme.key
        for collection in self.course.collections:
            for item in collection.items:
                if item.study is not None and wanted in f"{item.study.id} {item.study.name}".casefold():
                    return item.theme.key
        return None

    def _ending(self, text: str) -> str | None:
        """The ending that a text spells, from the side it is spelled from."""
        try:
            views = self.game.views(self.game.canonical_name(text))
        except EndgameError:
            return None
        return text if text in views else views[0]

    def begin_search(self) -> None:
        """A name is going to be typed: what is shown now comes back when it is given up."""
        self._before = (self.entry.key, frozenset(self.opened))

    def search(self, text: str) -> bool:
        """Goes to what is called like a text typed so far; False where that is nothing that is there already."""
        if len(text) < 2 or not (key := self.find(text)):
            return False
        self._close_again()
        if self.course.item(key) is None and key not in self.entries():
            return False
        self.go(key)
        return True

    def end_search(self, text: str | None) -> bool:
        """Goes to what is called like a text; without one back to where the search began. False: there is nothing."""
        key = self._before[0] if text is None and self._before else self.find(text or "")
        self._close_again()
        if key is None:
            return False
        self._before = None
        self.go(key)
        return True

    def _close_again(self) -> None:
        """Closes the sets that were opened by what was typed so far."""
        if self._before is not None:
            self.opened = set(self._before[1])

    # How to drill

    def rows(self) -> tuple[str, ...]:
        """The names of the choices that make sense here: of mode, result, defence, start, level, goal and kind."""
        mode = self.wish.mode
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
        """Changes one of :meth:`rows`; returns its name."""
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
            self._set(replace(self.wish, kind=kinds[(kinds.index(self.wish.kind) + by) % len(kinds)]))
        else:
            self.colours = not self.colours
        return name

    def modes(self) -> tuple[DrillMode | None, ...]:
        """The modes of the row with the cursor."""
        entry = self.entry
        if entry.theme is not None:
            return tuple(DrillMode)
        if entry.study is not None:
            return (None, DrillMode.CALL)
        return (None,) if entry.collection is None else (None, *DrillMode)

    @property
    def wish(self) -> ThemeFilter:
        """How the row with the cursor is to be drilled."""
        entry = self.entry
        if entry.key not in self._wishes:
            theme = entry.theme
            wish = ThemeFilter(None) if theme is None else _wish_of(theme)
            self._wishes[entry.key] = wish
        return self._wishes[entry.key]

    def _set(self, wish: ThemeFilter) -> None:
        self._wishes[self.entry.key] = wish

    def _change_mode(self, by: int) -> None:
        """Changes the mode, round and round; the window goes back to all layers where it no longer fits."""
        modes, wish, theme = self.modes(), self.wish, self.entry.theme
        mode = modes[(modes.index(wish.mode) + by) % len(modes)]
        if theme is None:
            self._set(ThemeFilter(mode))
            return
        if mode is theme.mode:
            self._set(_wish_of(theme))
            return
        results = self.results(mode)
        winner = results[0] if results else None
        if wish.winner in results and mode is not DrillMode.HOLD:
            winner = wish.winner
        window = (wish.low, wish.high) if winner is not None and winner == wish.winner else (1, LAST_LAYER)
        self._set(ThemeFilter(mode, winner, *window))

    def results(self, mode: DrillMode | None) -> tuple[Winner | None, ...]:
        """Whose wins can be chosen in a mode: None stands for drawn positions, or for any."""
        theme = self.entry.theme
        layers = None if theme is None else self.layers_of(theme.ending)
        if layers is None or theme is None or mode in (None, DrillMode.STREAK):
            return ()
        if mode is DrillMode.CALL:
            return (None,)
        lost = mode is DrillMode.HOLD
        winners = tuple(winner for winner in self.game.winners if _rows(layers, winner, lost))
        if mode is DrillMode.MATE:
            return winners
        if mode is DrillMode.HOLD and not self._count(Theme(theme.ending, DrillMode.HOLD)):
            return winners
        return (None, *winners)

    def _change_result(self, by: int) -> None:
        """Changes whose wins are drilled."""
        wish, results = self.wish, self.results(self.wish.mode)
        if len(results) > 1:
            at = results.index(wish.winner) if wish.winner in results else 0
            self._set(ThemeFilter(wish.mode, results[(at + by) % len(results)], kind=wish.kind))

    # The window

    def layers_of(self, ending: str) -> Layers | None:
        """The layers of an ending, None where it is not built."""
        if ending not in self._layers:
            try:
                self._layers[ending] = self.explorer.layers(ending)
            except EndgameError:
                return None
        return self._layers[ending]

    @property
    def window(self) -> Window:
        """The layers to choose from, and those that are chosen."""
        theme, wish = self.entry.theme, self.wish
        layers = None if theme is None else self.layers_of(theme.ending)
        if layers is None or wish.winner is None or wish.mode in (None, DrillMode.CALL, DrillMode.STREAK):
            return Window()
        rows = _rows(layers, wish.winner, wish.mode is DrillMode.HOLD)
        names = tuple(row.n for row in rows)
        if not names:
            return Window()
        inside = [number for number, n in enumerate(names) if wish.low <= n <= wish.high]
        low, high = (inside[0], inside[-1]) if inside else (len(names) - 1, len(names) - 1)
        return Window(names, tuple(row.boards for row in rows), low, high)

    def unique(self) -> int:
        """Positions of the window, symmetric copies once."""
        theme = self.chosen
        try:
            return 0 if theme is None else self._count(theme)
        except EndgameError:
            return 0

    def _count(self, theme: Theme) -> int:
        if theme.key not in self._counts:
            self._counts[theme.key] = self.starts().count(theme)
        return self._counts[theme.key]

    def move_window(self, by: int) -> bool:
        """Moves the window; False where there is none."""
        window = self.window
        by = min(max(by, -window.low), len(window.layers) - 1 - window.high)
        return self._put(window.layers, window.low + by, window.high + by)

    def choose_window(self, first: int, last: int) -> bool:
        """Chooses the layers from one number to another, as far as there are such; False where there is no window."""
        layers = self.window.layers
        inside = [at for at, n in enumerate(layers) if first <= n <= last]
        nearest = min(range(len(layers)), key=lambda at: abs(layers[at] - first), default=0)
        return self._put(layers, *((inside[0], inside[-1]) if inside else (nearest, nearest)))

    def widen_window(self, by: int) -> bool:
        """Takes layers into the window, far from the end first, or leaves them out again; False where there is none."""
        window = self.window
        room = len(window.layers) - 1 - window.high
        high, low = window.high + min(by, room), window.low - max(by - room, 0)
        return self._put(window.layers, max(low, 0), max(high, low))

    def _put(self, layers: Sequence[int], low: int, high: int) -> bool:
        if not layers:
            return False
        everything = (low, high) == (0, len(layers) - 1)
        window = (1, LAST_LAYER) if everything else (layers[low], layers[high])
        self._set(replace(self.wish, low=window[0], high=window[1]))
        return True

    # What is drilled

    @property
    def chosen(self) -> Theme | None:
        """The theme that the choices make of the row's; None for other rows, and for a streak."""
        theme, wish = self.entry.theme, self.wish
        if theme is None or wish.mode in (None, DrillMode.STREAK):
            return None
        low, high = (wish.low, wish.high) if wish.winner else (1, LAST_LAYER)
        winner = None if wish.mode is DrillMode.CALL else wish.winner
        kind = wish.kind if wish.mode is DrillMode.ONLY else ""
        return Theme(theme.ending, wish.mode, winner, low, high, kind=kind)

    @property
    def items(self) -> tuple[DrillItem, ...]:
        """What is drilled, in the chosen mode."""
        entry, mode = self.entry, self.wish.mode
        if (chosen := self.chosen) is not None:
            return (DrillItem(chosen),)
        if entry.collection is None or mode in (None, DrillMode.STREAK):
            return entry.items
        if mode in (DrillMode.CALL, DrillMode.ONLY):
            return tuple(DrillItem(Theme(ending, mode)) for ending in entry.collection.endings)
        return tuple(item for item in entry.items if item.theme.mode is mode)

    def missing(self) -> tuple[str, ...]:
        """The endings that are wanted and not built."""
        return self.course.missing(self.items)

    def starts(self) -> Starts[Any, Any]:
        """Draws starts."""
        return Starts(self.explorer, self.rng, self.colours)

    def sample(self, another: bool = False) -> AnyStart | None:
        """One start of what is chosen, the same until ``another`` is wanted; None where there is none to show."""
        items = [item for item in self.items if self.course.is_built(item)]
        level = level_of(self)
        what = (self.entry.key, self.wish, self.colours, level)
        if another or self._sample[0] != what:
            result: AnyStart | None = None
            if len(items) == 1:
                try:
                    result = draw(self.starts(), items[0], self.colours, level=level)
                except EndgameError:
                    result = None
            self._sample = (what, result)
        return self._sample[1]

    @property
    def shown(self) -> AnyStart | None:
        """What a board shows of the row: a start of it, the first of several items; None where there is none.

        Where no table is built it is a position that the row, or else another with the same ending, tells of.
        """
        items = self.items
        first = next((item for item in items if self.course.is_built(item)), None)
        if first is not None and len(items) == 1:
            return self.sample()
        first = first or self._told_of
        if first is None:
            return None
        what = (first.theme.key, self.colours)
        if self._shown[0] != what:
            self._shown = (what, self._first_of(first))
        return self._shown[1]

    @property
    def _told_of(self) -> DrillItem | None:
        """The first study of the row, or of one of its endings."""
        own = [item for item in self.entry.items if item.study is not None]
        endings = {item.ending for item in self.items if item.ending}
        others = (item for found in self.course.collections for item in found.items)
        return next(iter(own), None) or next((each for each in others if each.study and each.ending in endings), None)

    def _first_of(self, item: DrillItem) -> AnyStart | None:
        """The position of a study as it is told; of a theme always the same start, so that no drill knows of it."""
        try:
            if item.study is None:
                return Starts(self.explorer, random.Random(0), self.colours).draw(item.theme)
            position = self.explorer.game.parse(item.study.position)
            if self.course.is_built(item):
                verdict = self.explorer.probe(position)
                return Start(position, item.study.side, verdict.category, verdict.depth)
        except EndgameError:
            return None
        return Start(position, item.study.side, item.study.expected or Category.MAYBE_WIN, item.study.depth)

    def order(self, first: AnyStart | None = None) -> TrainingPlan:
        """The sitting that the choices make; the start shown is used up: the next one will be another.

        Args:
            first: A start to begin with.

        Raises:
            NotBuiltError: Nothing of it is built.
            DrillError: There is nothing to drill.
        """
        entry, mode, items = self.entry, self.wish.mode, self.items
        if mode is DrillMode.STREAK:
            endings = entry.collection.endings if entry.collection else (entry.title,)
            built = tuple(ending for ending in endings if self.course.has(ending))
            if not built and endings:
                raise NotBuiltError(endings[0])
            return TrainingPlan(f"{entry.title}, streak", (), 0, mode, endings=built)
        ready = [item for item in items if self.course.is_built(item)]
        if not ready:
            raise self._nothing(items)
        title, asked, count = entry.title, None, 0
        if entry.key == DUE:
            title, first = "Due today", None
        elif entry.collection is not None:
            ready, first = self.course.queue(items, self.rng), None
        elif entry.study is not None:
            title, asked = ready[0].theme.label, mode
        else:
            title, count = f"{ready[0].theme.ending}, {ready[0].theme.label}", SITTING
        self._sample = (None, None)
        return TrainingPlan(
            title, tuple(ready), count or len(ready), asked, self.defence, self.colours, first=first, grows=self.grows,
            win_goal=self.win_goal,
        )  # fmt: skip

    def _nothing(self, items: Sequence[DrillItem]) -> EndgameError:
        missing = self.course.missing(items)
        if missing:
            return NotBuiltError(missing[0])
        if self.entry.key == DUE:
            return DrillError("nothing is due today", "choose a set, or an ending")
        if self.entry.collection is not None and self.entry.collection.own:
            return DrillError("this set has no position that a table covers", instruct("{press} {add} to add one"))
        return DrillError("there is nothing of this kind to drill", "choose another mode")

    # Own positions and themes

    def add(self, text: str) -> Study | StudyImport:
        """Adds a position to the own set, or what a file has of them.

        Raises:
            StorageError: The file cannot be read.
            StudyError: It cannot be kept.
            PositionError: It is no position.
        """
        suffix = PurePath(text).suffix.lower()
        try:
            path = self.file(text)
        except StorageError:
            if suffix in _FILES or text[0] in "/~.":
                raise
            path = None  # what can be no file may be a position
        if path is not None and (path.is_file() or suffix in _FILES):
            done = self.course.studies.import_records(positions(path, self.game), MY_POSITIONS)
            self._show_own(f"set {MY_POSITIONS}")
            return done
        study = self.course.studies.add(text)
        self._show_own(f"study {study.id}")
        return study

    def _show_own(self, key: str) -> None:
        """Shows the own set with what is new in it."""
        self.course.read_sets()
        self.opened.add(MY_POSITIONS)
        self.go(key)

    @property
    def can_delete(self) -> bool:
        """Whether the row with the cursor is an own position, an own set, or an own theme."""
        entry = self.entry
        if entry.study is not None:
            return self.course.own_set(entry.study) is not None
        if entry.collection is not None:
            return entry.collection.own and bool(entry.items)
        return entry.theme is not None and self.course.is_own(entry.theme)

    def delete(self, entry: DrillEntry) -> None:
        """Deletes an own position or set; schedules an own theme no more, what was drilled is kept.

        Raises:
            StudyError: It cannot be deleted.
            JournalError: The journal cannot be written now.
        """
        course = self.course
        if entry.theme is not None:
            course.journal.drop_card(entry.key)
            self._made = [theme for theme in self._made if theme.key != entry.key]
            course.refresh()
            return
        name = entry.title if entry.study is None else entry.study.id
        course.studies.remove(course.studies.find(name).id if "/" not in name else name)
        course.read_sets()


def kinds_of(game: Game[Any, Any]) -> tuple[str, ...]:
    """What an only move may be asked to be, in a game; first that it may be anything."""
    known = game.vocabulary
    return ("", *(kind for kind in KINDS if kind == "zugzwang" or kind in (*known.kinds, *known.facts)))


def level_of(chooser: DrillPicker) -> int | None:
    """The level that starts are drawn from; None where several themes, a study or the whole window are meant."""
    theme = chooser.chosen
    return None if theme is None or not chooser.grows else chooser.course.level(theme)


def deepest_of(chooser: DrillPicker) -> int | None:
    """The last layer of the level; None where there is no level, or it has no layers."""
    theme, level = chooser.chosen, level_of(chooser)
    if theme is None or level is None:
        return None
    try:
        return chooser.starts().deepest(theme, level)
    except EndgameError:
        return None


def _wish_of(theme: Theme) -> ThemeFilter:
    """A theme as it stands."""
    return ThemeFilter(theme.mode, theme.winner, theme.low, theme.high, theme.kind)


def _rows(layers: Layers, winner: Winner, lost: bool) -> list[LayerCount]:
    """The layers of a winner in which the winner, or the loser, is to move; without those that no position can be in.

    Where the two sides to move have layers of their own, every other layer of a winner is empty.
    """
    rows = [row for row in layers.families.get(winner, ()) if row.n and row.n % 2 == (not lost)]
    return rows if any(row.boards for row in rows) else []

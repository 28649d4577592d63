"""The list of endings on the Library screen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.events import Click, MouseScrollDown, MouseScrollUp
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip

from endgame_core.tables.catalogue import Catalogue
from endgame_core.tables.library import Entry
from endgame_core.words.numbers import positions, size
from endgame_core.words.tables import longest_heading
from endgame_tui.widgets.canvas import Canvas, Row

STATES: Mapping[str, tuple[str, str, str]] = {
    "built": ("check", "built", "win"),
    "missing": ("nothing", "", "faint"),
    "damaged": ("cross", "damaged", "loss"),
}
"""Glyph, word and role of each state."""


@dataclass(frozen=True, slots=True)
class Line:
    """A row of the list: a group's heading, or an ending."""

    men: int
    ending: str | None = None


def lines(catalogue: Catalogue, folded: frozenset[int]) -> list[Line]:
    """The rows, without the endings of folded groups."""
    found: list[Line] = []
    for men, endings in catalogue.groups.items():
        found.append(Line(men))
        if men not in folded:
            found += [Line(men, ending) for ending in endings]
    return found


FIRST = Line(3)
"""The first row."""

KEPT = 14
"""Endings shown of a long group above the one with the cursor, where rows are plenty."""


@dataclass(frozen=True)
class EndingsView:
    """What the list shows.

    Attributes:
        catalogue: The endings, with the tables of the metric in hand.
        other: The same with those of the other metric, where there is one.
        unit: What the men are called.
        cursor: The row the cursor is on.
        folded: Groups without their endings.
        building: Ending being built and its share done in percent.
        version: Changes whenever the catalogue does.
    """

    catalogue: Catalogue | None = None
    other: Catalogue | None = None
    cursor: Line = FIRST
    folded: frozenset[int] = field(default_factory=frozenset[int])
    building: tuple[str, int | None] = ("", None)
    version: int = 0
    unit: str = "men"


class EndingsList(Canvas, can_focus=True):
    """All endings by the number of their men."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "point(-1)", "Row above", show=False, id="endings.up"),
        Binding("down,j", "point(1)", "Row below", show=False, id="endings.down"),
        Binding("pageup", "page(-1)", "Page up", show=False, id="endings.page-up"),
        Binding("pagedown", "page(1)", "Page down", show=False, id="endings.page-down"),
        Binding("home", "point(-9999)", "First row", show=False, id="endings.home"),
        Binding("end", "point(9999)", "Last row", show=False, id="endings.end"),
        Binding("left,h", "fold", "Fold the group", show=False, id="endings.fold"),
        Binding("right,l", "unfold", "Unfold the group", show=False, id="endings.unfold"),
        Binding("enter,space", "choose", "Open or build", show=False, id="endings.choose"),
    ]

    view: reactive[EndingsView] = reactive(EndingsView(), repaint=False, always_update=True)
    """What to show."""

    @dataclass
    class Pointed(Message):
        """The cursor was moved to a row."""

        line: Line

    @dataclass
    class Folded(Message):
        """A group was folded or unfolded."""

        men: int
        folded: bool

    @dataclass
    class Chosen(Message):
        """An ending was chosen."""

        ending: str

    _top = 0

    def _lines(self) -> list[Line]:
        catalogue = self.view.catalogue
        return lines(catalogue, self.view.folded) if catalogue else []

    def _at(self, lines: list[Line]) -> int:
        return lines.index(self.view.cursor) if self.view.cursor in lines else 0

    def action_point(self, rows: int) -> None:
        """Moves the cursor."""
        lines = self._lines()
        if lines:
            at = min(max(self._at(lines) + rows, 0), len(lines) - 1)
            self.post_message(self.Pointed(lines[at]))

    def action_page(self, pages: int) -> None:
        """Moves the cursor by pages."""
        self.action_point(pages * max(self.size.height - 3, 1))

    def action_fold(self) -> None:
        """Folds the group; in a folded one, nothing."""
        self.post_message(self.Folded(self.view.cursor.men, True))

    def action_unfold(self) -> None:
        """Unfolds the group."""
        self.post_message(self.Folded(self.view.cursor.men, False))

    def action_choose(self) -> None:
        """Chooses the ending, or folds and unfolds the group."""
        cursor = self.view.cursor
        if cursor.ending is not None:
            self.post_message(self.Chosen(cursor.ending))
        else:
            folded = cursor.men in self.view.folded
            self.post_message(self.Folded(cursor.men, not folded))

    def on_mouse_scroll_down(self, _event: MouseScrollDown) -> None:
        """Moves down."""
        self.action_point(3)

    def on_mouse_scroll_up(self, _event: MouseScrollUp) -> None:
        """Moves up."""
        self.action_point(-3)

    def on_click(self, event: Click) -> None:
        """Points at a row; a second click chooses it."""
        self.focus()
        shown = self._shown()
        if 1 <= event.y <= len(shown):
            line, rest = shown[event.y - 1]
            if rest:
                return
            if line == self.view.cursor or line.ending is None:
                self.post_message(self.Pointed(line))
                self.call_later(self.action_choose)
            else:
                self.post_message(self.Pointed(line))

    def _shown(self) -> list[tuple[Line, int]]:
        """The rows in the window; a row with a number stands for so many hidden endings."""
        lines, space = self._shortened(), max(self.size.height - 1, 1)
        if len(lines) <= space:
            self._top = 0
            return lines
        at = next((n for n, (line, _) in enumerate(lines) if line == self.view.cursor), 0)
        margin = min(2, (space - 1) // 2)
        top = min(max(self._top, at - space + 1 + margin), max(at - margin - 1, 0))
        self._top = top = min(max(top, 0), len(lines) - space)
        window = lines[top : top + space]
        if window[0][0].ending is not None:
            window[0] = (Line(window[0][0].men), 0)
        return window

    def _shortened(self) -> list[tuple[Line, int]]:
        """All rows; where rows are plenty, long groups above the cursor's are cut."""
        lines = self._lines()
        if self.size.height < 30 or len(lines) < self.size.height:
            return [(line, 0) for line in lines]
        rows: list[tuple[Line, int]] = []
        shown: dict[int, int] = {}
        for line in lines:
            if line.ending is not None and line.men < self.view.cursor.men:
                shown[line.men] = shown.get(line.men, 0) + 1
                if shown[line.men] > KEPT + 1:
                    rows[-1] = (line, shown[line.men] - KEPT)
                    continue
            rows.append((line, 0))
        return rows

    def draw(self) -> list[Strip]:
        """The headings of the columns, then the rows in the window."""
        pen, width = self.look.palette, self.size.width
        stops = columns(width)
        head = self.row().to(3).put("Ending", pen("dim")).right(self._longest_words(), pen("dim"), 20)
        if stops.positions:
            head.right("positions", pen("dim"), stops.positions)
        if stops.size:
            head.right("size", pen("dim"), stops.size)
        metric = self._metric.upper() if self.view.other else "state"
        if self.view.other or stops.words:
            head.to(stops.state).put(metric if stops.words else metric[-1], pen("dim"))
        if self.view.other:
            head.to(stops.other).put(self._other_metric if stops.words else self._other_metric[-1], pen("faint"))
        strips = [head.strip(width)]
        for line, rest in self._shown():
            if rest:
                words = f"{self.look.glyphs.more} {rest} more"
                strips.append(self.row().to(3).put(words, pen("faint")).strip(width))
            else:
                strips.append(self._line(line, stops))
        return strips

    @property
    def _metric(self) -> str:
        return self.view.catalogue.metric if self.view.catalogue else "dtm"

    @property
    def _other_metric(self) -> str:
        return "DTZ" if self._metric == "dtm" else "DTM"

    def _longest_words(self) -> str:
        """What the numbers behind the endings are."""
        return longest_heading(self._metric)

    def _line(self, line: Line, stops: Columns) -> Strip:
        catalogue = self.view.catalogue
        assert catalogue is not None
        here = line == self.view.cursor
        if line.ending is None:
            return self._group(line.men, catalogue, here)
        return self._ending(catalogue.entry(line.ending), here, stops)

    def _group(self, men: int, catalogue: Catalogue, here: bool) -> Strip:
        pen, glyphs, width = self.look.palette, self.look.glyphs, self.size.width
        ground = "selected" if here else "ground"
        row = self.row().put(" ", pen("text"))
        ink = "amber" if here else "text"
        glyph = glyphs.closed if men in self.view.folded else glyphs.opened
        row.put(glyph, pen(ink, ground)).put(" ", pen(ink, ground))
        row.put(f"{men} {self.view.unit}", pen(ink, ground, bold=True))
        row.put(" " * (max(13, row.width + 1) - row.width), pen(ink, ground))
        built, count = catalogue.count(men)
        row.put(f"{built} of {count} built", pen("dim", ground))
        if here:
            row.put(" " * (width - row.width), pen(ink, ground))
        return row.strip(width)

    def _ending(self, entry: Entry, here: bool, stops: Columns) -> Strip:
        pen, glyphs, width = self.look.palette, self.look.glyphs, self.size.width
        ground = "selected" if here else "ground"
        row = Row(pen("text", ground))
        row.put(" ", pen("text"))
        row.put(glyphs.pointer if here else " ", pen("amber", ground)).to(3)
        built = entry.state == "built"
        ink = pen("text" if built else "dim", ground)
        row.put(entry.ending, pen("amber", ground, bold=True) if here else ink)
        nothing = glyphs.dash if built else glyphs.nothing
        row.right(nothing if entry.longest is None else str(entry.longest), ink, 20)
        if stops.positions:
            row.right(glyphs.plain(positions(entry.positions, entry.exact)), ink, stops.positions)
        if stops.size:
            about = "" if built else "≈ "
            row.right(glyphs.plain(about + size(entry.size)), ink, stops.size)
        self._state(row.to(stops.state), entry, stops, ground)
        if (other := self.view.other) is not None:
            done = entry.ending in other.built
            row.to(stops.other).put(glyphs.check if done else glyphs.nothing, pen("win" if done else "faint", ground))
        return row.strip(width)

    def _state(self, row: Row, entry: Entry, stops: Columns, ground: str) -> None:
        """Whether it is built, or how far its build has come."""
        pen, glyphs = self.look.palette, self.look.glyphs
        name, percent = self.view.building
        if entry.ending == name:
            row.put(glyphs.pointer, pen("amber", ground))
            if stops.words:
                row.put("" if percent is None else f" {percent} %", pen("text", ground))
            return
        glyph, word, role = STATES[entry.state]
        row.put(getattr(glyphs, glyph), pen(role, ground))
        if stops.words and word:
            row.put(f" {word}", pen("text" if entry.state == "built" else "faint", ground))


@dataclass(frozen=True, slots=True)
class Columns:
    """Right ends of the columns (0: not shown), where both metrics' states begin, and whether there are words."""

    positions: int
    size: int
    state: int
    other: int
    words: bool


def columns(width: int) -> Columns:
    """The columns that fit: size goes first, then positions."""
    if width >= 56:
        return Columns(34, 46, 48, 57, words=True)
    if width >= 46:
        return Columns(32, 43, 45, 47, words=False)
    if width >= 35:
        return Columns(32, 0, 34, 36, words=False)
    return Columns(0, 0, 23, 25, words=False)

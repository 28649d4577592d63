"""Charts: numbers as columns — the depth of a game, plies lost, the layers of an ending — and days of practice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.events import Click
from textual.geometry import Offset

from endgame_core.words.text_model import WEEKDAYS, grouped, moves_of_plies
from endgame_tui.look import Glyphs
from endgame_tui.widgets.bars import Key
from endgame_tui.widgets.canvas import Canvas, CanvasRow
from endgame_tui.widgets.rows import Picker

UNKNOWN = -1
"""A position that no table knows."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a chart.

    Attributes:
        eighths: Its height in eighths of a row; None for a dot on the ground.
        role: Role of its colour.
        here: Whether the cursor is on it.
    """

    eighths: int | None
    role: str
    here: bool = False


def columns(
    canvas: Canvas, shown: Sequence[Column], rows: int, wide: int = 1, gap: int = 0, first: int | None = None
) -> list[CanvasRow]:
    """Columns as rows of cells, the highest first.

    Args:
        canvas: Where they are drawn.
        shown: The columns.
        rows: How high the highest may be.
        wide: Cells of a column.
        gap: Cells between two of them.
        first: What the first is known by; the others are known by the numbers that follow.
    """
    nothing, drawn = canvas.look.glyphs.nothing, list[CanvasRow]()
    for level in range(rows - 1, -1, -1):
        row = canvas.row()
        for number, column in enumerate(shown, first or 0):
            if column.eighths is None:
                sign = " " if level else nothing
            else:
                sign = _block(min(max(column.eighths - 8 * level, 0), 8), rows, canvas.look.glyphs)
            ground, marked = "selected" if column.here else "", column.here and not canvas.look.palette.coloured
            row.item(None if first is None else number).put(sign * wide, column.role, ground, underline=marked)
            row.put(" " * gap)
        drawn.append(row.item(None))
    return drawn


def _block(eighths: int, rows: int, glyphs: Glyphs) -> str:
    """A part of a column; a single row of ASCII has digits."""
    if not eighths:
        return " "
    if glyphs.unicode or rows == 1:
        return glyphs.levels[eighths - 1]
    return "_" if eighths == 1 else "." if eighths < 5 else "#"


def silhouette(values: Sequence[float], width: int, glyphs: Glyphs) -> str:
    """A row of columns as text, as many as there is room for.

    Args:
        values: Heights from 0 to 1.
        width: How many columns there shall be.
        glyphs: Glyphs to write with.
    """
    heights = [values[min(column * len(values) // width, len(values) - 1)] for column in range(width)]
    return "".join(glyphs.levels[round((len(glyphs.levels) - 1) * height)] for height in heights)


def bar(share: float, width: int, glyphs: Glyphs) -> str:
    """A bar as text: as much of a width as a share from 0 to 1 says, to half a cell where there is a glyph for that."""
    halves = round(2 * width * share) if glyphs.half_bar else 2 * round(width * share)
    return glyphs.bar * (halves // 2) + glyphs.half_bar * (halves % 2)


# The depth of a game


class DepthChart(Canvas):
    """The depth after each move of a game; drawn positions are dots. With two rows or less a single row of columns."""

    _depths: tuple[int | None, ...] = ()
    _start = _end = ""

    def show(self, depths: Sequence[int | None], cursor: int | None, *, start: str = "", end: str = "") -> None:
        """Shows a game.

        Args:
            depths: Plies to the end in each position, the start first; None for a draw, UNKNOWN where nobody knows.
            cursor: Number of the position selected.
            start: Words about the start.
            end: Words about the end.
        """
        self._depths, self.cursor, self._start, self._end = tuple(depths), cursor, start, end
        self.redraw()

    def draw(self) -> list[CanvasRow]:
        """Title, columns, the place."""
        return [] if not self._depths else self._low() if self.size.height < 5 else self._high()

    def _columns(self, room: int, rows: int) -> tuple[int, list[Column]]:
        """The number of the first position in sight, and the columns: all, or those around the selected one."""
        first = min(max((self.cursor or 0) - room // 2, 0), max(len(self._depths) - room, 0))
        most = max((depth for depth in self._depths if depth is not None), default=1) or 1
        shown: list[Column] = []
        for number, depth in enumerate(self._depths[first : first + room], first):
            here = number == self.cursor
            if depth is None:
                shown.append(Column(None, "amber" if here else "draw"))
                continue
            eighths = 0 if depth <= 0 else max(-(-depth * 8 * rows // most), 1)
            plain = "winner_bar" if self.look.palette.coloured else "text"
            shown.append(Column(eighths, "amber" if here else plain))
        return first, shown

    def _low(self) -> list[CanvasRow]:
        glyphs, (width, height) = self.look.glyphs, self.size
        row = self.row().to(1).put("Depth", bold=True).to(8).put(self._start, "dim")
        row.to(max(row.width + 2, 13))
        left = row.width
        first, shown = self._columns(max(width - left - len(self._end) - 2, 1), 1)
        for column in shown:
            row.put(glyphs.nothing if column.eighths is None else _block(column.eighths, 1, glyphs), column.role)
        row.put(f" {self._end}", "dim")
        if height < 2 or self.cursor is None:
            return [row]
        here = self.row().to(left + self.cursor - first).put("▴", "amber")
        words = " you are here" + (f"; {glyphs.nothing} is a draw" if None in self._depths else "")
        return [row, here.put(words if here.width + len(words) < width else "", "dim")]

    def _high(self) -> list[CanvasRow]:
        width, height = self.size
        title = self.heading("Depth after each move", f"{self._start} at the start" if self._start else "")
        high = min(height - 2, 5)
        first, shown = self._columns(width, high)
        return [title, *columns(self, shown, high), self._foot(first, shown)]

    def _foot(self, first: int, shown: Sequence[Column]) -> CanvasRow:
        """Where one is, what dots mean, and the end, as far as they do not cover each other."""
        nothing, foot = self.look.glyphs.nothing, self.row()
        at = -1 if self.cursor is None else self.cursor - first
        end = max(len(shown) - len(self._end), 0)
        drawn = next((number for number, column in enumerate(shown) if column.eighths is None), None)
        words = "" if drawn is None else f"{nothing} drawn"
        pieces = [(max(drawn or 0, at + 2 if at >= 0 else 0), words, "faint")] if words else []
        pieces = [piece for piece in pieces if piece[0] + len(words) < end]
        if at >= 0:
            pieces.append((at, "▴", "amber"))
        if at < end:
            pieces.append((end, self._end, "faint"))
        for column, text, role in sorted(pieces):
            if column >= foot.width:
                foot.to(column).put(text, role)
        return foot


# The layers of an ending, and a window of them


class WindowChart(Canvas, can_focus=True):
    """The layers as columns; keys move the window of those that are drilled."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Key("left,h", "screen.do('move', -1)", "Window towards mate", id="window.left"),
        Key("right,l", "screen.do('move', 1)", "Window away from mate", id="window.right"),
        Key("up,k", "screen.do('widen', 1)", "Widen the window", id="window.up"),
        Key("down,j", "screen.do('widen', -1)", "Narrow the window", id="window.down"),
        Key("home", "screen.do('move', -9999)", "Window to the first layer", id="window.home"),
        Key("end", "screen.do('move', 9999)", "Window to the last layer", id="window.end"),
        Key("enter", "screen.do('start')", "Start", id="window.choose", short="start", rank=1),
    ]

    _counts: Sequence[int] = ()
    _names: Sequence[str] = ()
    _low = _high = 0
    _right = ""

    def show(self, counts: Sequence[int], names: Sequence[str], low: int, high: int, right: str) -> None:
        """Shows layers and a window.

        Args:
            counts: Boards of each layer, the one nearest to the end first.
            names: The layers' names, ``S1``; none where there is nothing to choose from.
            low: Number of the first layer of the window.
            high: Number of the last one.
            right: Whose move it is in these layers; without layers why there are none.
        """
        self._counts, self._names, self._low, self._high, self._right = counts, names, low, high, right
        self.redraw()

    def on_click(self, event: Click) -> None:
        """Moves the middle of the window to the layer under the mouse."""
        self.focus()
        wide, gap, each = self._cells()
        first = event.x // (wide + gap) * each
        if event.y and first < len(self._counts):
            by = first - (self._low + self._high) // 2
            self.call_later(self.run_action, f"screen.do('move', {by})")

    def _cells(self) -> tuple[int, int, int]:
        """Cells of a column, of the gap behind it, and how many layers one column stands for."""
        count, width = max(len(self._counts), 1), self.size.width
        for wide, gap in ((2, 1), (1, 1), (1, 0)):
            if count * (wide + gap) - gap <= width:
                return wide, gap, 1
        return 1, 0, -(-count // width)

    def place(self) -> Offset:
        """The first layer of the window, by its name."""
        return Offset(self._span()[0], self.size.height - 1) if self._names else Offset()

    def draw(self) -> list[CanvasRow]:
        """Title, columns, the window below them, its layers by name."""
        if not self._names:
            return [self.heading("Layers"), self.row().put(self._right, "dim")]
        wide, gap, _ = self._cells()
        high = max(self.size.height - 3, 1)
        start, end = self._span()
        line = self.row().to(start).put(self.look.glyphs.bar * (end - start), "amber")
        drawn = columns(self, self._columns(high), high, wide, gap)
        return [self.heading("Layers", self._right), *drawn, line, self._foot(start, end)]

    def _columns(self, high: int) -> list[Column]:
        """A column for one layer, or for as many as must share one; amber where the window touches it."""
        _, _, each = self._cells()
        plain = "loser_bar" if self.look.palette.coloured else "text"
        piles = [sum(self._counts[first : first + each]) for first in range(0, len(self._counts), each)]
        most = max(piles) or 1
        shown: list[Column] = []
        for number, pile in enumerate(piles):
            inside = number * each <= self._high and (number + 1) * each > self._low
            eighths = max(round(8 * high * pile / most), 1) if pile else 0
            shown.append(Column(eighths, "amber" if inside else plain))
        return shown

    def _span(self) -> tuple[int, int]:
        """Columns the window begins at and ends before."""
        wide, gap, each = self._cells()
        return self._low // each * (wide + gap), self._high // each * (wide + gap) + wide

    def _foot(self, start: int, end: int) -> CanvasRow:
        names, width = self._names, self.size.width
        low, high, last = names[self._low], names[self._high], names[-1]
        wide = end - start >= len(low) + len(high) + 2
        middle = low if low == high else f"{low}{' ' * (end - start - len(low) - len(high))}{high}" if wide else ""
        middle = middle or f"{low}–{high}"
        start = max(min(start, width - len(middle)), 0)
        row = self.row()
        if start > len(names[0]):
            row.put(names[0], "dim")
        row.to(start).put(middle, "amber")
        cells, gap, each = self._cells()
        right = min(-(-len(self._counts) // each) * (cells + gap) - gap, width)
        if self._high == len(names) - 1:
            return row
        if row.width + 1 <= right - len(last):
            row.right(last, right, "dim")
        elif row.width + 1 + len(last) <= width:
            row.to(row.width + 1).put(last, "dim")
        return row


# Charts with a cursor


class Chart(Picker):
    """A chart with items side by side, known by their numbers."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left,h", "step(-1)", "Left", show=False, id="columns.left"),
        Binding("right,l", "step(1)", "Right", show=False, id="columns.right"),
        Binding("home", "step(-999999)", "First", show=False, id="columns.home"),
        Binding("end", "step(999999)", "Last", show=False, id="columns.end"),
        Key("enter,space", "choose", "Choose", id="columns.choose", rank=1),
    ]

    cursor: int = 0
    count = 0
    """How many items there are."""

    @property
    def keys(self) -> range:
        """The numbers of the items."""
        return range(self.count)

    def hold(self, count: int, cursor: int | None) -> None:
        """Shows so many items; the cursor stays unless it is given, and never leaves the items."""
        self.count = count
        self.cursor = min(self.cursor if cursor is None else cursor, max(count - 1, 0))
        self.redraw()

    def on_item(self, number: int) -> bool:
        """Whether the cursor is shown on an item."""
        return self.has_focus and number == self.cursor


class PliesChart(Chart):
    """Plies lost in each of the last drills, newest at the right: flat where nothing was lost, red where not solved.

    Where the result was let go a column is as high as can be: no number of plies costs more. Heights grow with the
    square root, so that one drill that went badly wrong does not flatten all others.
    """

    title = "Moves lost per drill"
    _drills: tuple[tuple[int | None, bool], ...] = ()

    def show(self, drills: Sequence[tuple[int | None, bool]], cursor: int | None = None) -> None:
        """Shows drills: plies lost, None where the result was let go; and whether solved."""
        self._drills = tuple(drills)
        self.hold(len(drills), cursor)

    def _first(self) -> int:
        """The first drill shown; that under the cursor is among them."""
        return min(max(self.count - self.size.width, 0), self.cursor)

    def draw(self) -> list[CanvasRow]:
        """Title, columns, what they mean; without colours a row of crosses below drills not solved."""
        width, height = self.size
        first = self._first()
        shown = self._drills[first : first + width]
        many = f"last {len(shown)} drills" if len(shown) > 1 else "last drill" if shown else ""
        signs = not self.look.palette.coloured
        legend = height >= 4 + signs
        high = max(height - 1 - legend - signs, 1)
        most = max((plies or 0 for plies, _ in shown), default=0)
        drawn: list[Column] = []
        for number, (plies, solved) in enumerate(shown, first):
            here = self.on_item(number)
            share = 1.0 if plies is None else sqrt(plies / most) if plies else 0.0
            eighths = max(round(8 * high * share), 2) if share else 1
            drawn.append(Column(eighths, "amber" if here else "winner_bar" if solved else "loss", here))
        rows = [self.heading(self.title, many), *columns(self, drawn, high, first=first)]
        if signs:
            rows.append(self.row().put("".join(" " if solved else "✗" for _, solved in shown), "loss"))
        return [*rows, self._legend(most, any(plies is None for plies, _ in shown))] if legend else rows

    def _legend(self, most: int, thrown: bool) -> CanvasRow:
        width, row = self.size.width, self.row().put("flat: perfect  ", "dim")
        row.put("■" if self.look.drawn else "✗", "loss").put(" not solved", "dim")
        told: tuple[str, ...] = ()
        if thrown:
            told = ("tallest: thrown away", "tallest: thrown")
        elif most:
            told = (f"tallest {moves_of_plies(most)}",)
        tallest = next((words for words in told if row.width + 2 + len(words) <= width), "")
        return row.right(tallest, width, "dim") if tallest else row


class DueChart(Chart):
    """How many themes are due: a number over the name of each day; the first is now."""

    title = "Due"
    _days: tuple[tuple[str, int], ...] = ()

    def show(self, days: Sequence[tuple[str, int]], cursor: int | None = None) -> None:
        """Shows days: what each is called, and how many themes are due."""
        self._days = tuple(days)
        self.hold(len(days), cursor)

    def draw(self) -> list[CanvasRow]:
        """The title, the numbers, the names."""
        cell, numbers, names = min(max(self.size.width // max(self.count, 1), 5), 8), self.row(), self.row()
        for at, (name, themes) in enumerate(self._days):
            if at * cell + 4 > self.size.width:
                break
            here, now = self.on_item(at), at == 0 and themes > 0
            ground, role = "selected" if here else "", "amber" if here or now else "text" if themes else "faint"
            marked = here and not self.look.palette.coloured
            numbers.to(at * cell).item(at).put(
                f"{grouped(themes):>4}", role, ground, bold=now or here, underline=marked
            )
            names.to(at * cell).item(at).put(f"{name:>4}", "amber" if here or now else "dim", ground)
        return [self.heading(self.title), numbers.item(None), names.item(None)]


STEPS = ((0, "none"), (1, "1–3"), (4, "4–6"), (7, "7+"))
"""Least number of drills for each height of a day, and what the legend says."""

_LEGEND = 9
"""Columns of the legend."""


def height_of(drills: int) -> int:
    """Which of the heights a number of drills has."""
    return sum(drills >= least for least, _ in STEPS) - 1


class DaysChart(Chart):
    """How many drills on each day: a column for each week, a row for each day of the week."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "step(-1)", "Previous day", show=False, id="days.up"),
        Binding("down,j", "step(1)", "Next day", show=False, id="days.down"),
        Binding("left,h", "step(-7)", "Previous week", show=False, id="days.left"),
        Binding("right,l", "step(7)", "Next week", show=False, id="days.right"),
        Binding("home", "step(-999999)", "First day", show=False, id="days.home"),
        Binding("end", "step(999999)", "Today", show=False, id="days.end"),
    ]

    title = "Days"
    _drills: tuple[int, ...] = ()
    _longest, _today = 0, True

    def show(self, drills: Sequence[int], cursor: int | None = None, *, longest: int = 0, today: bool = True) -> None:
        """Shows days.

        Args:
            drills: Drills of each day, the first a Monday.
            cursor: The day to put the cursor on.
            longest: The longest run of days with a drill.
            today: Whether the last day is today.
        """
        self._drills, self._longest, self._today = tuple(drills), longest, today
        self.hold(len(drills), cursor)

    def _cell(self) -> int:
        """Columns a week takes, its gap included."""
        return 6 if self.size.width >= 50 else 4

    def _weeks(self) -> range:
        """The weeks there is room for; that of the cursor is among them."""
        room = max((self.size.width - 5 - _LEGEND) // self._cell(), 1)
        begun = -(-self.count // 7)
        first = min(max(begun - room, 0), self.cursor // 7)
        return range(first, first + room)

    def draw(self) -> list[CanvasRow]:
        """The title, then a row for each day of the week, with the legend at the right end."""
        rows = [self.heading(self.title, f"longest run {grouped(self._longest)}" if self._longest else "")]
        weeks, cell = self._weeks(), self._cell()
        for day, name in enumerate(WEEKDAYS):
            row = self.row().put(name, "dim")
            for at, week in enumerate(weeks):
                if (number := 7 * week + day) < self.count:
                    self._day(row.to(5 + at * cell).item(number), number, cell - 2)
            row.item(None).to(5 + len(weeks) * cell)
            if day < len(STEPS):
                row.put(2 * self._sign(day), "winner_bar" if day else "faint").put(f" {STEPS[day][1]}", "faint")
            elif day == 5:
                row.put(2 * self._sign(1), "amber", bold=True).put(" today", "faint")
            rows.append(row)
        return rows

    def _day(self, row: CanvasRow, number: int, cells: int) -> None:
        """A day: that with the cursor, today, or another."""
        sign = self._sign(height_of(self._drills[number])) * cells
        if self.on_item(number):
            row.put(sign, "amber", "selected", bold=True, underline=not self.look.palette.coloured)
        else:
            today = self._today and number == self.count - 1
            row.put(sign, "amber" if today else "winner_bar" if self._drills[number] else "faint", bold=today)

    def _sign(self, height: int) -> str:
        return "·▂▄▆"[height] if self.look.glyphs.unicode else ".-=#"[height]

"""Charts: the depth of a game, drills by week, the layers of an ending, and days of practice as columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from math import sqrt
from typing import TYPE_CHECKING, ClassVar

from rich.style import Style
from textual.binding import BindingType
from textual.events import Click
from textual.geometry import Offset

from endgame_core.language import _, decimal
from endgame_core.words.position import LayerRow, LayerRows
from endgame_core.words.text_model import MONTHS, WEEKDAYS, grouped
from endgame_tui.keys import BEGIN, CHOOSE, CURSOR_DOWN, CURSOR_LEFT, CURSOR_RIGHT, CURSOR_UP, FAR, FIRST, LAST
from endgame_tui.look import Glyphs
from endgame_tui.widgets.canvas import Canvas, CanvasRow
from endgame_tui.widgets.rows import Picker

if TYPE_CHECKING:
    from endgame_core.practice.stats import WeekCount

UNKNOWN = -1
"""The depth of a position that no table has."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a chart.

    Attributes:
        eighths: Its height in eighths of a row; None for a dot on the ground.
        role: Role of its colour.
        is_cursor: Whether the cursor is on it.
    """

    eighths: int | None
    role: str
    is_cursor: bool = False


def column_rows(
    canvas: Canvas, columns: Sequence[Column], rows: int, width: int = 1, gap: int = 0, first_key: int | None = None
) -> list[CanvasRow]:
    """Draw columns as rows of cells, from the top.

    Args:
        canvas: The widget that draws them.
        columns: The columns.
        rows: The number of rows.
        width: Cells of a column.
        gap: Cells between two columns.
        first_key: The key of the first column, if they are items; the others have the following numbers.
    """
    glyphs = canvas.look.glyphs
    has_colours = canvas.look.palette.has_colours
    result: list[CanvasRow] = []
    for level in range(rows - 1, -1, -1):
        row = canvas.row()
        # Column by column at one height: what rises above this row fills its cell, what ends below leaves it blank.
        for key, column in enumerate(columns, first_key or 0):
            if column.eighths is None:
                cell = " " if level else glyphs.dot
            else:
                # The part of the column that lies within this row.
                cell = _block(min(max(column.eighths - 8 * level, 0), 8), rows, glyphs)
            if first_key is not None:
                row.item(key)
            # Without colours the cursor would be invisible on a background: there, underlining is reverse video.
            ground = "selected" if column.is_cursor else ""
            row.put(cell * width, column.role, ground, underline=column.is_cursor and not has_colours)
            # The gap belongs to the column before it, so that a click between two columns has an effect.
            row.put(" " * gap)
        result.append(row.item(None))
    return result


def _block(eighths: int, rows: int, glyphs: Glyphs) -> str:
    """The cell of a column that is filled to some eighths; in ASCII a single row has digits."""
    if not eighths:
        return " "
    # ASCII has no blocks. One row has room for a digit as height; several rows would be a heap of digits.
    if glyphs.unicode or rows == 1:
        return glyphs.levels[eighths - 1]
    if eighths == 1:
        return "_"
    return "." if eighths < 5 else "#"


def silhouette(values: Sequence[float], width: int, glyphs: Glyphs) -> str:
    """A chart as one row of text.

    Args:
        values: Heights from 0 to 1.
        width: The number of columns; each shows one of the values.
        glyphs: Glyphs to write with.
    """
    # Columns are spread evenly over the values, which may be fewer or more.
    heights = [values[min(column * len(values) // width, len(values) - 1)] for column in range(width)]
    return "".join(glyphs.levels[round((len(glyphs.levels) - 1) * height)] for height in heights)


def block_rows(values: Sequence[float], rows: int, cells: int, glyphs: Glyphs) -> list[str]:
    """A chart of columns as rows of text, from the top.

    Args:
        values: Heights from 0 to 1; all but 0 are seen.
        rows: The number of rows.
        cells: Cells of a column.
        glyphs: Glyphs to write with.
    """
    # At least an eighth: the smallest value above 0 differs from 0.
    eighths = [max(round(8 * rows * value), 1) if value else 0 for value in values]
    return [
        "".join(_block(min(max(height - 8 * level, 0), 8), rows, glyphs) * cells for height in eighths)
        for level in range(rows - 1, -1, -1)
    ]


def bar(share: float, width: int, glyphs: Glyphs) -> str:
    """A horizontal bar as text: a share from 0 to 1 of a width, to half a cell if there is a glyph for that."""
    if glyphs.half_bar:
        halves = round(2 * width * share)
    else:
        # Whole cells: the glyph for half a cell is empty here, so that an odd half would vanish.
        halves = 2 * round(width * share)
    return glyphs.bar * (halves // 2) + glyphs.half_bar * (halves % 2)


# The depth of a game


class DepthChart(Canvas):
    """The depth after each move of a whole game, coloured by its result; drawn positions are dots.

    In a low widget it has a single row of columns. In a long game some positions share a column. A click on a column
    goes to its position.
    """

    _depths: tuple[int | None, ...] = ()
    _outcomes: tuple[str, ...] = ()
    _errors: frozenset[int] = frozenset()
    _start = ""
    _end = ""
    _first_column = 0
    """The cell where the columns begin, as last drawn."""

    def show(
        self,
        depths: Sequence[int | None],
        cursor: int | None,
        *,
        outcomes: Sequence[str] = (),
        errors: Iterable[int] = (),
        start: str = "",
        end: str = "",
    ) -> None:
        """Show a game.

        Args:
            depths: Plies to the end in each position, from the start; None for a draw, UNKNOWN without a table.
            cursor: Number of the selected position.
            outcomes: ``win``, ``draw`` or ``loss`` of the user in each position; empty where it is unknown.
            errors: Numbers of the positions that an error of the user led to; they are marked with a cross.
            start: The label of the start.
            end: The label of the end.
        """
        self._depths = tuple(depths)
        self._outcomes = tuple(outcomes)
        self._errors = frozenset(errors)
        self.cursor = cursor
        self._start = start
        self._end = end
        self.redraw()

    def on_click(self, event: Click) -> None:
        """Go to the position under the mouse."""
        # The same arithmetic as in drawing: columns are no items, because several positions may share one.
        shared, width = self._scale(self._room)
        column = (event.x - self._first_column) // width
        number = column * shared
        if self.cursor is not None and column >= 0 and number < len(self._depths):
            # run_action is a coroutine, which call_later awaits once the click is handled.
            self.call_later(self.run_action, f"screen.step({number - self.cursor})")

    def draw(self) -> list[CanvasRow]:
        """Title, columns, labels."""
        if not self._depths:
            return []
        if self._is_low:
            return self._draw_low()
        return self._draw_high()

    @property
    def _is_low(self) -> bool:
        return self.size.height < 5

    @property
    def _room(self) -> int:
        """Cells for the columns."""
        width = self.size.width
        if self._is_low:
            return max(width - self._first_column - len(self._end) - 2, 1)
        return width

    def _scale(self, room: int) -> tuple[int, int]:
        """The number of positions that share a column, and the cells of a column."""
        count = max(len(self._depths), 1)
        # Rounded up, so that all positions have a column.
        shared = -(-count // room)
        width = 1
        if not self._is_low:
            width = min(room // -(-count // shared), _MOST_CELLS)
        return shared, max(width, 1)

    def _columns(self, shared: int, rows: int) -> list[Column]:
        # Heights are relative to the deepest position; 1 avoids a division by 0 if every depth is 0.
        deepest = max((depth for depth in self._depths if depth is not None), default=1) or 1
        has_colours = self.look.palette.has_colours
        columns: list[Column] = []
        for first in range(0, len(self._depths), shared):
            numbers = range(first, min(first + shared, len(self._depths)))
            depths = [depth for number in numbers if (depth := self._depths[number]) is not None]
            role = "winner_bar"
            # A slice, because there may be fewer outcomes than depths, or none.
            outcomes = [outcome for outcome in self._outcomes[first : numbers.stop] if outcome]
            if outcomes:
                role = outcomes[-1]
            if not has_colours:
                role = "text"
            if self.cursor in numbers:
                role = "amber"
            # A draw is a dot (None). A finished game and a position without a table (UNKNOWN) have no column (0).
            eighths: int | None = None
            if depths:
                depth = max(depths)
                eighths = 0
                if depth > 0:
                    eighths = max(-(-depth * 8 * rows // deepest), 1)
            columns.append(Column(eighths, role))
        return columns

    def _marks(self, shared: int) -> list[tuple[int, str, str]]:
        """Number of the column, sign and role of the marks below: the selected position and errors."""
        glyphs = self.look.glyphs
        marks = {number // shared: (glyphs.cross, "loss") for number in self._errors if number < len(self._depths)}
        if self.cursor is not None:
            # Over a cross in the same column.
            marks[self.cursor // shared] = ("▴", "amber")
        return [(column, *mark) for column, mark in sorted(marks.items())]

    def _draw_low(self) -> list[CanvasRow]:
        """Title, labels and columns in one row, the selected position marked in the second."""
        glyphs = self.look.glyphs
        width, height = self.size
        row = self.row().pad_to(1).put(_("Depth"), bold=True).pad_to(8).put(self._start, "dim")
        row.pad_to(max(row.width + 2, 13))
        first_column = row.width
        # Before _room, which subtracts it: in a low chart the columns follow the labels.
        self._first_column = first_column
        shared, __ = self._scale(self._room)
        for column in self._columns(shared, 1):
            cell = glyphs.dot
            if column.eighths is not None:
                cell = _block(column.eighths, 1, glyphs)
            row.put(cell, column.role)
        row.put(f" {self._end}", "dim")
        if height < 2 or self.cursor is None:
            return [row]

        marker = self.row()
        for column, sign, role in self._marks(shared):
            marker.pad_to(first_column + column).put(sign, role)
        legend = _(" you are here")
        if None in self._depths:
            legend += _("; {dot} is a draw").format(dot=glyphs.dot)
        if marker.width + len(legend) < width:
            marker.put(legend, "dim")
        return [row, marker]

    def _draw_high(self) -> list[CanvasRow]:
        """A title, the columns, the labels."""
        width, height = self.size
        self._first_column = 0
        legend = ""
        if self._start:
            legend = _("{start} at the start").format(start=self._start)
        title = self.heading(_("Depth after each move"), legend)
        rows = height - 2
        shared, cells = self._scale(width)
        columns = self._columns(shared, rows)
        return [title, *column_rows(self, columns, rows, cells), self._labels(columns, shared, cells)]

    def _labels(self, columns: Sequence[Column], shared: int, cells: int) -> CanvasRow:
        """The marks, the meaning of dots, and the end, unless they overlap."""
        labels = [(column * cells, sign, role) for column, sign, role in self._marks(shared)]
        end_column = max(len(columns) * cells - len(self._end), 0)
        first_draw = next((number for number, column in enumerate(columns) if column.eighths is None), None)
        if first_draw is not None:
            legend = _("{dot} drawn").format(dot=self.look.glyphs.dot)
            # Without marks the legend may start anywhere, hence -2.
            last_mark = max((column for column, *__ in labels), default=-2)
            legend_column = max(first_draw * cells, last_mark + 2)
            if legend_column + len(legend) < end_column:
                labels.append((legend_column, legend, "faint"))
        # The end is the least important label: it yields to a mark below the last columns.
        if all(column < end_column for column, *__ in labels):
            labels.append((end_column, self._end, "faint"))

        row = self.row()
        for column, text, role in sorted(labels):
            # From the left, so that a label that would overlap the one before it is left out.
            if column >= row.width:
                row.pad_to(column).put(text, role)
        return row


_MOST_CELLS = 3
"""Cells of the widest column of a game."""


# The layers of an ending, and a window of them


class WindowChart(Canvas, can_focus=True):
    """The layers of an ending as columns; keys move the window of those that are drilled."""

    BINDINGS: ClassVar[list[BindingType]] = [
        CURSOR_LEFT.adapted(_("Window towards mate"), action="screen.move_window(-1)"),
        CURSOR_RIGHT.adapted(_("Window away from mate"), action="screen.move_window(1)"),
        CURSOR_UP.adapted(_("Widen the window"), action="screen.widen_window(1)"),
        CURSOR_DOWN.adapted(_("Narrow the window"), action="screen.widen_window(-1)"),
        FIRST.adapted(_("Window to the first layer"), action=f"screen.move_window({-FAR})"),
        LAST.adapted(_("Window to the last layer"), action=f"screen.move_window({FAR})"),
        BEGIN.adapted(_("Start"), action="screen.begin"),
    ]

    _counts: Sequence[int] = ()
    _names: Sequence[str] = ()
    _low = 0
    _high = 0
    _right = ""

    def show(self, counts: Sequence[int], names: Sequence[str], low: int, high: int, right: str) -> None:
        """Show layers and a window.

        Args:
            counts: The number of positions in each layer, the one nearest to the end first.
            names: The names of the layers, e.g. ``S1``; empty if there is nothing to choose from.
            low: Number of the first layer of the window.
            high: Number of the last layer of the window.
            right: The side to move in these layers; without layers the reason why there are none.
        """
        self._counts = counts
        self._names = names
        self._low = low
        self._high = high
        self._right = right
        self.redraw()

    def on_click(self, event: Click) -> None:
        """Move the middle of the window to the layer under the mouse."""
        self.focus()
        width, gap, layers = self._cells()
        first_layer = event.x // (width + gap) * layers
        # A click on the title (row 0) only takes the focus.
        if event.y and first_layer < len(self._counts):
            by = first_layer - (self._low + self._high) // 2
            self.call_later(self.run_action, f"screen.move_window({by})")

    def _cells(self) -> tuple[int, int, int]:
        """Cells of a column, cells of the gap after it, and the number of layers that share a column."""
        count = max(len(self._counts), 1)
        available = self.size.width
        # The widest columns that fit; if even one cell for each layer is too much, layers share columns.
        for width, gap in ((2, 1), (1, 1), (1, 0)):
            if count * (width + gap) - gap <= available:
                return width, gap, 1
        return 1, 0, -(-count // available)

    def cursor_offset(self) -> Offset:
        """The name of the first layer of the window."""
        if self._names:
            return Offset(self._span()[0], self.size.height - 1)
        return Offset()

    def draw(self) -> list[CanvasRow]:
        """The title, the columns, a line below the window, the names of its layers."""
        if not self._names:
            return [self.heading(_("Layers")), self.row().put(self._right, "dim")]
        width, gap, __ = self._cells()
        rows = max(self.size.height - 3, 1)
        start, end = self._span()
        line = self.row().pad_to(start).put(self.look.glyphs.bar * (end - start), "amber")
        drawn_columns = column_rows(self, self._columns(rows), rows, width, gap)
        return [self.heading(_("Layers"), self._right), *drawn_columns, line, self._layer_names(start, end)]

    def _columns(self, rows: int) -> list[Column]:
        """A column for each layer, or for the layers that share it; amber if one of them is in the window."""
        __, __, layers = self._cells()
        plain_role = "text"
        if self.look.palette.has_colours:
            plain_role = "loser_bar"
        sums = [sum(self._counts[first : first + layers]) for first in range(0, len(self._counts), layers)]
        largest = max(sums) or 1
        columns: list[Column] = []
        for number, positions in enumerate(sums):
            # The column's layers are number * layers to (number + 1) * layers - 1: do they overlap the window?
            is_inside = number * layers <= self._high and (number + 1) * layers > self._low
            eighths = 0
            if positions:
                eighths = max(round(8 * rows * positions / largest), 1)
            role = "amber" if is_inside else plain_role
            columns.append(Column(eighths, role))
        return columns

    def _span(self) -> tuple[int, int]:
        """First and last column (exclusive) of the window on the screen."""
        width, gap, layers = self._cells()
        # Layers that share a column share its cells, so the window may look wider than it is, never narrower.
        start = self._low // layers * (width + gap)
        end = self._high // layers * (width + gap) + width
        return start, end

    def _layer_names(self, start: int, end: int) -> CanvasRow:
        """The names of the window's first and last layer below it and, if there is room, of the outermost layers."""
        names = self._names
        available = self.size.width
        low = names[self._low]
        high = names[self._high]
        gap = end - start - len(low) - len(high)
        if low == high:
            window_name = low
        # The name of the first layer below its column, that of the last one below its own, if both fit.
        elif gap >= 2:
            window_name = low + " " * gap + high
        else:
            window_name = f"{low}–{high}"
        # A name that is longer than the window moves to the left at the right end of the chart.
        start = max(min(start, available - len(window_name)), 0)

        row = self.row()
        if start > len(names[0]):
            row.put(names[0], "dim")
        row.pad_to(start).put(window_name, "amber")
        if self._high == len(names) - 1:
            return row

        width, column_gap, layers = self._cells()
        columns = -(-len(self._counts) // layers)
        chart_end = min(columns * (width + column_gap) - column_gap, available)
        last = names[-1]
        # The last layer is named below its column or, if the window's name reaches that far, right after it.
        if row.width + 1 <= chart_end - len(last):
            row.put_right(last, chart_end, "dim")
        elif row.width + 1 + len(last) <= available:
            row.pad_to(row.width + 1).put(last, "dim")
        return row


class MountainChart(Canvas):
    """The sizes of all layers of an ending side by side, with an axis; the current layer is amber.

    The scale is that of square roots: sizes of layers differ by factors of thousands, of which a linear scale shows
    only the largest, while logarithms level every shape.
    """

    _AXIS: ClassVar[int] = 10
    """Columns of the axis."""

    _view = LayerRows()

    def show(self, view: LayerRows) -> None:
        """Show the layers of an ending; without layers the chart is empty."""
        self._view = view
        self.redraw()

    def draw(self) -> list[CanvasRow]:
        """The title, the columns beside the axis, the names of the first, the current and the last layer."""
        layers = self._view.rows
        width, height = self.size
        rows = height - 2
        room = width - self._AXIS
        if not layers or rows < 1 or room < 1:
            return []
        # At most four cells: a short ending would otherwise be a few broad blocks.
        cells = max(min(room // len(layers), 4), 1)
        # Rounded up: the number of layers that share a column.
        shared = -(-len(layers) // room)
        sizes = [sum(row.boards for row in layers[first : first + shared]) for first in range(0, len(layers), shared)]
        largest = max(sizes) or 1
        current = None
        if self._view.current is not None:
            current = self._view.current // shared
        columns: list[Column] = []
        for number, size in enumerate(sizes):
            eighths = 0
            if size:
                eighths = max(round(8 * rows * sqrt(size / largest)), 1)
            role = "loser_bar"
            if layers[number * shared].strong:
                role = "winner_bar"
            if number == current:
                role = "amber"
            columns.append(Column(eighths, role))

        result = [self.heading(_("All layers"), _("boards, square-root scale"))]
        for y, bars in enumerate(column_rows(self, columns, rows, cells)):
            # A quarter of the height stands for a sixteenth of the largest size.
            value = round(largest * ((rows - y) / rows) ** 2)
            is_labelled = y == 0 or (rows >= 4 and y == rows // 2)
            label = millions(value) if is_labelled else ""
            row = self.row().put_right(label, self._AXIS - 2, "faint").pad_to(self._AXIS)
            # The columns are drawn rows already: their segments are copied behind the axis, cropped to the room.
            result.append(row.write((segment.text, segment.style or Style.null()) for segment in bars.strip(room)))
        result.append(self._names(layers, current, cells, len(sizes)))
        return result

    def _names(self, layers: Sequence[LayerRow], current: int | None, cells: int, count: int) -> CanvasRow:
        row = self.row().pad_to(self._AXIS)
        first = layers[0].name
        last = layers[-1].name
        # A chart of few columns is narrower than its names: then they may extend beyond it.
        end = self._AXIS + max(count * cells, len(first) + len(last) + 1)
        if current is None or self._view.current is None:
            return row.put(first, "dim").put_right(last, end, "dim")
        name = layers[self._view.current].name
        start = self._AXIS + current * cells
        if start > row.width + len(first):
            row.put(first, "dim")
        # The current layer is always named; the first and the last one only where its name leaves room.
        row.pad_to(min(start, end - len(name))).put(name, "amber", bold=True)
        if row.width + 1 + len(last) <= end:
            row.put_right(last, end, "dim")
        return row


def millions(number: int) -> str:
    """A number in at most seven characters."""
    if number < 1_000_000:
        return grouped(number)
    return _("{count} M").format(count=decimal(number / 1_000_000))


# Charts with a cursor


class Chart(Picker):
    """A chart with items side by side, keyed by their numbers."""

    BINDINGS: ClassVar[list[BindingType]] = [
        CURSOR_LEFT.adapted(_("Left"), system=True),
        CURSOR_RIGHT.adapted(_("Right"), system=True),
        FIRST.adapted(_("First"), system=True),
        LAST.adapted(_("Last"), system=True),
        CHOOSE.adapted(_("Choose"), rank=1),
    ]

    cursor: int = 0
    count = 0
    """The number of items."""

    @property
    def keys(self) -> range:
        """The numbers of the items."""
        return range(self.count)

    def show_items(self, count: int, cursor: int | None) -> None:
        """Show ``count`` items; the cursor stays unless it is given, and is kept on an item."""
        self.count = count
        # The number of items may have shrunk below the cursor.
        number = self.cursor if cursor is None else cursor
        self.cursor = min(number, max(count - 1, 0))
        self.redraw()

    def on_item(self, number: int) -> bool:
        """Whether the cursor is shown on an item."""
        return self.has_focus and number == self.cursor


class WeeksChart(Chart):
    """Solved and perfect drills by week, each as a column and a percentage; a dash for weeks with too few drills."""

    title = _("Solved and perfect, by week")
    _weeks: tuple[WeekCount, ...] = ()
    _trend = ""
    _CELL: ClassVar[int] = 6
    """Cells of a week: two for the column of solved drills, two for that of perfect ones, and a gap."""

    def show(self, weeks: Sequence[WeekCount], trend: str, cursor: int | None = None) -> None:
        """Show weeks, oldest first, and a sentence about the moves lost."""
        self._weeks = tuple(weeks)
        self._trend = trend
        self.show_items(len(weeks), cursor)

    def draw(self) -> list[CanvasRow]:
        """The title, the columns, the percentages, the Mondays where there is room, and the moves lost."""
        width, height = self.size
        room = max(width // self._CELL, 1)
        # The last weeks, unless the cursor is before them.
        first = min(max(self.count - room, 0), self.cursor)
        visible = list(enumerate(self._weeks))[first : first + room]
        # Title, columns and percentages come first; then dates, then the sentence, each a row (True counts as 1).
        has_dates = height >= 4
        has_trend = height >= 5 and 0 < len(self._trend) <= width
        rows = max(height - 2 - has_dates - has_trend, 1)

        if self.look.glyphs.unicode:
            legend = _("solved ▌perfect")
        else:
            legend = _("solved, perfect")
        if width < len(self.title) + 2 + len(legend):
            legend = ""
        result = [self.heading(self.title, legend)]
        result += self._columns(visible, rows)
        result.append(self._labels(visible, self._percents))
        if has_dates:
            result.append(self._labels(visible, _monday))
        if has_trend:
            result.append(self.row().put(self._trend, "dim"))
        return result

    def _columns(self, visible: Sequence[tuple[int, WeekCount]], rows: int) -> list[CanvasRow]:
        glyphs = self.look.glyphs
        result: list[CanvasRow] = []
        for level in range(rows - 1, -1, -1):
            row = self.row()
            for place, (number, week) in enumerate(visible):
                is_cursor = self.on_item(number)
                row.pad_to(place * self._CELL).item(number)
                for part, role in ((week.solved, "winner_bar"), (week.perfect, "amber")):
                    eighths = 0
                    if week.drills:
                        eighths = round(8 * rows * part / week.drills)
                    cell = _block(min(max(eighths - 8 * level, 0), 8), rows, glyphs)
                    # Too few drills for a percentage: the columns are there, but do not compete with the others.
                    weight = role if week.has_enough else "faint"
                    ground = "selected" if is_cursor else ""
                    row.put(2 * cell, weight, ground, underline=is_cursor and not self.look.palette.has_colours)
                row.item(None)
            result.append(row)
        return result

    def _labels(self, visible: Sequence[tuple[int, WeekCount]], label: Callable[[WeekCount], str]) -> CanvasRow:
        row = self.row()
        for place, (number, week) in enumerate(visible):
            role = "amber" if self.on_item(number) else "dim"
            row.pad_to(place * self._CELL).item(number).put(label(week)[: self._CELL - 1], role)
            row.item(None)
        return row

    @staticmethod
    def _percents(week: WeekCount) -> str:
        if not week.has_enough:
            return "–" if week.drills else ""
        return f"{week.percent(week.solved)}/{week.percent(week.perfect)}"


def _monday(week: WeekCount) -> str:
    """The day of a week's Monday; with the month for the first Monday of a month: ``26``, ``2 Nov``, ``9``."""
    day = date.fromordinal(week.first)
    if day.day <= 7:
        return f"{day.day} {MONTHS[day.month - 1]}"
    return str(day.day)


class DueChart(Chart):
    """How many themes are due: a number above the name of each day; the first is now."""

    title = _("Due")
    _days: tuple[tuple[str, int], ...] = ()

    def show(self, days: Sequence[tuple[str, int]], cursor: int | None = None) -> None:
        """Show days: their names, and how many themes are due."""
        self._days = tuple(days)
        self.show_items(len(days), cursor)

    def _bars(self, cell: int, rows: int) -> list[CanvasRow]:
        """A column above each number."""
        max_themes = max((themes for __, themes in self._days), default=0) or 1
        result: list[CanvasRow] = []
        for level in range(rows - 1, -1, -1):
            row = self.row()
            for day, (__, themes) in enumerate(self._days):
                # A number takes four columns.
                if day * cell + 4 > self.size.width:
                    break
                eighths = 0
                if themes:
                    eighths = max(round(8 * rows * themes / max_themes), 1)
                block = _block(min(max(eighths - 8 * level, 0), 8), rows, self.look.glyphs)
                role = "winner_bar"
                if day == 0 or self.on_item(day):
                    role = "amber"
                # Two cells above the last two digits of the number, which is aligned to the right in four columns.
                row.pad_to(day * cell + 2).item(day).put(2 * block, role).item(None)
            result.append(row)
        return result

    def draw(self) -> list[CanvasRow]:
        """The title, columns where there is room, the numbers, the names."""
        cell = min(max(self.size.width // max(self.count, 1), 5), 8)
        # Below 4 rows there is no room for columns: the range of their rows is empty.
        bars = self._bars(cell, self.size.height - 3)
        numbers = self.row()
        names = self.row()
        for day, (name, themes) in enumerate(self._days):
            column = day * cell
            if column + 4 > self.size.width:
                break
            is_cursor = self.on_item(day)
            is_due_now = day == 0 and themes > 0
            is_amber = is_cursor or is_due_now
            ground = "selected" if is_cursor else ""
            role = "text" if themes else "faint"
            name_role = "dim"
            if is_amber:
                role = name_role = "amber"
            is_underlined = is_cursor and not self.look.palette.has_colours
            numbers.pad_to(column).item(day).put(
                f"{grouped(themes):>4}", role, ground, bold=is_amber, underline=is_underlined
            )
            names.pad_to(column).item(day).put(f"{name:>4}", name_role, ground)
        return [self.heading(self.title, _("themes by day")), *bars, numbers.item(None), names.item(None)]


STEPS = ((0, _("none")), (1, "1–3"), (4, "4–6"), (7, "7+"))
"""The least number of drills for each height of a day, and its name in the legend."""

_WEEK_COLUMNS = (6, 4, 3, 2)
"""Columns of a week in a calendar, the widest first."""

_LEGEND_COLUMNS = 9
"""Columns of the legend."""


def height_step(drills: int) -> int:
    """The index in ``STEPS`` for a number of drills."""
    # The index of the highest step that is reached; the first one always is.
    return sum(drills >= least for least, __ in STEPS) - 1


class DaysChart(Chart):
    """The number of drills on each day: a column for each week, a row for each day of the week."""

    BINDINGS: ClassVar[list[BindingType]] = [
        CURSOR_UP.adapted(_("Previous day"), system=True),
        CURSOR_DOWN.adapted(_("Next day"), system=True),
        CURSOR_LEFT.adapted(_("Previous week"), action="step(-7)", system=True),
        CURSOR_RIGHT.adapted(_("Next week"), action="step(7)", system=True),
        FIRST.adapted(_("First day"), system=True),
        LAST.adapted(_("Today"), system=True),
    ]

    title = _("Days")
    _drills: tuple[int, ...] = ()
    _longest_run = 0
    _ends_today = True

    def show(self, drills: Sequence[int], cursor: int | None = None, *, longest: int = 0, today: bool = True) -> None:
        """Show days.

        Args:
            drills: The number of drills on each day, from a Monday on.
            cursor: The day for the cursor.
            longest: The longest run of days with a drill.
            today: Whether the last day is today.
        """
        self._drills = tuple(drills)
        self._longest_run = longest
        self._ends_today = today
        self.show_items(len(drills), cursor)

    def _week_columns(self) -> int:
        """Columns of a week, including the gap: as many as leave room for all weeks."""
        weeks = -(-self.count // 7)
        # The names of the days of the week take the first five columns.
        room = self.size.width - 5 - _LEGEND_COLUMNS
        return next((columns for columns in _WEEK_COLUMNS if weeks * columns <= room), _WEEK_COLUMNS[-1])

    def _weeks(self) -> range:
        """The weeks in sight, among them the one with the cursor."""
        room = max((self.size.width - 5 - _LEGEND_COLUMNS) // self._week_columns(), 1)
        weeks = -(-self.count // 7)
        # The newest weeks, unless the cursor is in an older one.
        first = min(max(weeks - room, 0), self.cursor // 7)
        return range(first, first + room)

    def draw(self) -> list[CanvasRow]:
        """The title, then a row for each day of the week, with the legend at the right end."""
        run = ""
        if self._longest_run:
            run = _("longest run {longest_run}").format(longest_run=grouped(self._longest_run))
        rows = [self.heading(self.title, run)]
        weeks = self._weeks()
        cell = self._week_columns()
        # Wide weeks are two columns apart, narrow ones only one: a day has at least one cell.
        day_cells = cell - 2 if cell > 3 else cell - 1
        for weekday, name in enumerate(WEEKDAYS):
            row = self.row().put(name, "dim")
            for place, week in enumerate(weeks):
                day = 7 * week + weekday
                if day < self.count:
                    self._put_day(row.pad_to(5 + place * cell).item(day), day, day_cells)
            row.item(None).pad_to(5 + len(weeks) * cell)
            # The legend stands beside the days: one height in each of the first rows, today beside Saturday.
            if weekday < len(STEPS):
                row.put(2 * self._height_sign(weekday), self._height_role(weekday))
                row.put(f" {STEPS[weekday][1]}", "faint")
            elif weekday == 5:
                row.put(2 * self._height_sign(1), "amber", bold=True).put(_(" today"), "faint")
            rows.append(row)
        return rows

    def _put_day(self, row: CanvasRow, day: int, cells: int) -> None:
        """Write a day: under the cursor, today, or another one."""
        drills = self._drills[day]
        sign = self._height_sign(height_step(drills)) * cells
        if self.on_item(day):
            row.put(sign, "amber", "selected", bold=True, underline=not self.look.palette.has_colours)
            return
        is_today = self._ends_today and day == self.count - 1
        role = self._height_role(height_step(drills))
        if is_today:
            role = "amber"
        row.put(sign, role, bold=is_today)

    def _height_sign(self, height: int) -> str:
        """Squares, distinguished by colours; without colours, blocks of several heights."""
        if not self.look.glyphs.unicode:
            return ".-=#"[height]
        # Three quarters of a cell, so that a blank strip separates a day from the one above it.
        if self.look.palette.has_colours:
            return "·▆▆▆"[height]
        return "·▂▄▆"[height]

    @staticmethod
    def _height_role(height: int) -> str:
        return ("faint", "loser_bar", "winner_bar", "win")[height]

"""The depth after each move of a game, as columns; drawn positions are dots."""

from __future__ import annotations

from dataclasses import dataclass

from textual.reactive import reactive
from textual.strip import Strip

from endgame_tui.widgets.canvas import Canvas, Row

UNKNOWN = -1
"""A position that no table knows."""


@dataclass(frozen=True, slots=True)
class ChartView:
    """What the chart shows.

    Attributes:
        depths: Plies to the end in each position, the start first; None for a draw, UNKNOWN where nobody knows.
        cursor: Number of the position selected.
        start: Words about the start.
        end: Words about the end.
    """

    depths: tuple[int | None, ...] = ()
    cursor: int | None = None
    start: str = ""
    end: str = ""


class DepthChart(Canvas):
    """Columns as high as there are rows; with two rows or less a single row of them."""

    view: reactive[ChartView] = reactive(ChartView(), repaint=False)
    """What to show."""

    def draw(self) -> list[Strip]:
        """Title, columns, the place."""
        if not self.view.depths:
            return []
        return self._low() if self.size.height < 5 else self._high()

    def _window(self, room: int) -> tuple[int, tuple[int | None, ...]]:
        """The positions shown: all, or those around the selected one."""
        depths, cursor = self.view.depths, self.view.cursor or 0
        first = min(max(cursor - room // 2, 0), max(len(depths) - room, 0))
        return first, depths[first : first + room]

    def _columns(self, row: Row, shown: tuple[int | None, ...], first: int, level: int, rows: int) -> None:
        """One row of columns, ``level`` rows above the lowest of ``rows``."""
        pen, glyphs = self.look.palette, self.look.glyphs
        most = max((depth for depth in self.view.depths if depth is not None), default=1) or 1
        for number, depth in enumerate(shown, start=first):
            here = number == self.view.cursor
            style = pen("amber" if here else "winner_bar" if pen.coloured else "text")
            if depth is None:
                row.put(glyphs.nothing if not level else " ", pen("amber" if here else "draw"))
                continue
            eighths = 0 if depth <= 0 else max(-(-depth * 8 * rows // most), 1)
            filled = min(max(eighths - 8 * level, 0), 8)
            sign = glyphs.levels[filled - 1] if filled else " "
            if rows > 1 and not glyphs.unicode:
                sign = "#" if filled > 4 else "_" if filled else " "
            row.put(sign, style)

    def _low(self) -> list[Strip]:
        pen, glyphs, (width, height), view = self.look.palette, self.look.glyphs, self.size, self.view
        row = self.row().to(1).put("Depth", pen("text", bold=True)).to(8).put(view.start, pen("dim"))
        row.to(max(row.width + 2, 13))
        left = row.width
        first, shown = self._window(max(width - left - len(view.end) - 2, 1))
        self._columns(row, shown, first, 0, 1)
        row.put(f" {view.end}", pen("dim"))
        strips = [row.strip(width)]
        if height > 1 and view.cursor is not None:
            here = self.row().to(left + view.cursor - first).put(glyphs.plain("▴"), pen("amber"))
            words = " you are here" + (f"; {glyphs.nothing} is a draw" if None in view.depths else "")
            strips.append(here.put(words if here.width + len(words) < width else "", pen("dim")).strip(width))
        return strips

    def _high(self) -> list[Strip]:
        pen, glyphs, (width, height), view = self.look.palette, self.look.glyphs, self.size, self.view
        title = self.row().put("Depth after each move", pen("text", bold=True))
        start = f"{view.start} at the start" if view.start else ""
        rows = [title.right(start if title.width + len(start) + 2 <= width else "", pen("faint"), width)]
        first, shown = self._window(width)
        high = min(height - 2, 5)
        for level in range(high - 1, -1, -1):
            row = self.row()
            self._columns(row, shown, first, level, high)
            rows.append(row)
        foot = self.row()
        at = -1 if view.cursor is None else view.cursor - first
        end = max(len(shown) - len(view.end), 0)
        words = f"{glyphs.nothing} drawn" if None in shown else ""
        middle = next((n for n, depth in enumerate(shown) if depth is None), 0)
        middle = max(middle, at + 2 if at >= 0 else 0)
        if 0 <= at < (middle if words else end):
            foot.to(at).put(glyphs.plain("▴"), pen("amber"))
        if words and middle + len(words) < end:
            foot.to(middle).put(words, pen("faint"))
        if at >= foot.width and at < end:
            foot.to(at).put(glyphs.plain("▴"), pen("amber"))
        if at < end and foot.width < end:
            foot.to(end).put(view.end, pen("faint"))
        elif at >= foot.width:
            foot.to(at).put(glyphs.plain("▴"), pen("amber"))
        rows.append(foot)
        return [row.strip(width) for row in rows]

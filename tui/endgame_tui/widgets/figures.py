"""The row of figures at the top of the Progress screen."""

from __future__ import annotations

from textual.reactive import reactive
from textual.strip import Strip

from endgame_core.words.progress import Figure
from endgame_tui.widgets.canvas import Canvas


class FiguresRow(Canvas):
    """A few figures side by side, spread over the row."""

    view: reactive[tuple[Figure, ...]] = reactive((), repaint=False)
    """What to show."""

    def draw(self) -> list[Strip]:
        """One row; the words are cut to one each where there is no room, then the last figures go."""
        pen, plain, width = self.look.palette, self.look.glyphs.plain, self.size.width
        for short in (False, True):
            pieces = [(figure, figure.short if short else figure.words) for figure in self.view]
            length = sum(len(figure.number) + 1 + len(words) for figure, words in pieces)
            if length + 2 * len(pieces) <= width:
                break
        row = self.row().to(1)
        free = max(width - 2 - length, 0) if pieces else 0
        gaps = max(len(pieces) - 1, 1)
        for number, (figure, words) in enumerate(pieces):
            if number:
                row.to(row.width + max(free * number // gaps - free * (number - 1) // gaps, 2))
            if row.width + len(figure.number) + 1 + len(words) > width:
                break
            row.put(plain(figure.number), pen(figure.role, bold=True)).put(f" {words}", pen("dim"))
        return [row.strip(width)]

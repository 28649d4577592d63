"""One row of figures: a number, what it counts, what it costs."""

from __future__ import annotations

from textual.strip import Strip

from endgame_tui.widgets.canvas import Canvas


class Summary(Canvas):
    """Such as how much is built, how much room it takes, how much is left."""

    strong = ""
    plain = ""
    dim = ""

    def show(self, strong: str, plain: str, dim: str) -> None:
        """Shows three pieces: a number, what it counts, what it costs."""
        self.strong, self.plain, self.dim = strong, plain, dim
        self.redraw()

    def draw(self) -> list[Strip]:
        """One row."""
        pen, glyphs = self.look.palette, self.look.glyphs
        row = self.row().to(1).put(self.strong, pen("text", bold=True))
        row.put(glyphs.plain(self.plain), pen("text")).put("   ", pen("text"))
        row.put(glyphs.plain(self.dim), pen("dim"))
        return [row.strip(self.size.width)]

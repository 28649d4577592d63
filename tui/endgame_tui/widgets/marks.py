"""The legend of the Morris board: what its marks mean."""

from __future__ import annotations

from textual.strip import Strip

from endgame_tui.widgets.canvas import Canvas


class MarksPanel(Canvas):
    """Three marks in one row, under a title."""

    def draw(self) -> list[Strip]:
        """Title and legend."""
        pen, glyphs, width = self.look.palette, self.look.glyphs, self.size.width
        row = self.row().put(glyphs.plain("×"), pen("loss", bold=True)).put(" may be taken  ", pen("dim"))
        row.put(glyphs.bar, pen("amber", bold=True)).put(" mill  ", pen("dim"))
        row.put(glyphs.plain("◎") if glyphs.unicode else "{O}", pen("amber")).put(" moved  ", pen("dim"))
        row.put("( )", pen("amber")).put(" from", pen("dim"))
        return [self.row().put("Marks", pen("text", bold=True)).strip(width), row.strip(width)]

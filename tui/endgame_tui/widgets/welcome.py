"""What the Progress screen says before anything was practised."""

from __future__ import annotations

from textual.strip import Strip

from endgame_core.words import progress as words
from endgame_tui.widgets.canvas import Canvas


class Welcome(Canvas):
    """A friendly sentence, and what to do."""

    def draw(self) -> list[Strip]:
        """The sentence, the keys, what will be here."""
        pen, glyphs, (width, height) = self.look.palette, self.look.glyphs, self.size
        rows = [self.row().put(piece, pen("text", bold=True)) for piece in wrapped(words.NOTHING_YET, width)]
        rows.append(self.row())
        for key, does, more in words.ADVICE:
            first, *rest = wrapped(does, width - 3)
            row = self.row().put(key, pen("amber", bold=True)).to(3).put(first, pen("text"))
            if not rest and row.width + 2 + len(more) <= width:
                row.put(f"  {more}", pen("dim"))
            rows += [row, *(self.row().to(3).put(piece, pen("text")) for piece in rest)]
        rows.append(self.row())
        rows += [self.row().put(glyphs.plain(piece), pen("dim")) for piece in wrapped(words.COUNTED, width)]
        return [row.strip(width) for row in rows[:height]]


def wrapped(text: str, width: int) -> list[str]:
    """A text in rows of at most ``width`` characters, broken between words."""
    rows = [""]
    for word in text.split():
        if rows[-1] and len(rows[-1]) + 1 + len(word) > width:
            rows.append("")
        rows[-1] += f" {word}" if rows[-1] else word
    return rows

"""A few rows of words in roles, some at the left end and some at the right."""

from __future__ import annotations

from textual.reactive import reactive
from textual.strip import Strip

from endgame_core.words.told import Note
from endgame_tui.widgets.canvas import Canvas


class Notes(Canvas):
    """Rows of words.

    Args:
        indent: Columns left free at the left end.
    """

    view: reactive[tuple[Note, ...]] = reactive((), repaint=False)
    """What to show."""

    def __init__(self, *, id: str | None = None, indent: int = 0) -> None:
        super().__init__(id=id)
        self._indent = indent

    def draw(self) -> list[Strip]:
        """One note in a row; what is too long ends in an ellipsis."""
        pen, glyphs, width = self.look.palette, self.look.glyphs, self.size.width
        strips: list[Strip] = []
        for note in self.view:
            row = self.row().to(self._indent)
            for word in note.left:
                text, room = glyphs.plain(word.text), width - row.width
                if len(text) > room:
                    text = text[: max(room - len(glyphs.more), 0)] + glyphs.more
                row.put(text, pen(word.role, bold=word.bold))
            tail = [(glyphs.plain(word.text), pen(word.role, bold=word.bold)) for word in note.right]
            length = sum(len(text) for text, _ in tail)
            if length and row.width + 1 + length <= width:
                row.to(width - length).write(tail)
            strips.append(row.strip(width))
        return strips

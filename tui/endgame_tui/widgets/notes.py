"""A few rows of words in roles, some at the left end and some at the right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from textual.reactive import reactive
from textual.strip import Strip

from endgame_core.words.told import Note, Word
from endgame_tui.widgets.canvas import Canvas


def fact(label: str, value: str, role: str = "text", *, column: int = 9) -> Note:
    """A label, and its value in a column."""
    return Note((Word(label.ljust(column), "dim"), Word(value, role)))


def wrapped(text: str, width: int, role: str = "text") -> tuple[Note, ...]:
    """A text in as many rows as it needs, broken between words."""
    rows: list[str] = []
    for word in text.split():
        if rows and len(rows[-1]) + 1 + len(word) <= width:
            rows[-1] += f" {word}"
        else:
            rows.append(word)
    return tuple(Note((Word(row, role),)) for row in rows)


def fitted(notes: Sequence[Note], width: int, height: int) -> tuple[Note, ...]:
    """The notes, those that are too long broken between words as far as there are rows for that."""
    found: list[Note] = []
    for number, note in enumerate(notes):
        room = height - len(found) - (len(notes) - number - 1)
        found += _broken(note, width, max(room, 1))
    return tuple(found)


def _broken(note: Note, width: int, most: int) -> list[Note]:
    """One note in at most so many rows; the last has all that is left."""
    rows: list[list[Word]] = [[]]
    used = 0
    for word in note.left:
        for number, text in enumerate(word.text.split(" ")):
            piece = f" {text}" if number else text
            if number and text and used + len(piece) > width and len(rows) < most:
                rows.append([])
                piece, used = text, 0
            rows[-1].append(replace(word, text=piece))
            used += len(piece)
    return [Note(tuple(row), note.right if number == 0 else ()) for number, row in enumerate(rows)]


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

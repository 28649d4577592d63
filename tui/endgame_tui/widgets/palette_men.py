"""The men of the board editor: which one Enter puts down, and how the position stands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual.events import Click
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip

from endgame_tui.widgets.canvas import Canvas, Row
from endgame_tui.widgets.squares import Man

LETTERS = "KQRBNP"
CELL = 5
"""Columns one man takes."""


@dataclass(frozen=True, slots=True)
class PaletteView:
    """What the panel shows.

    Attributes:
        chosen: The man that Enter puts down: 0 to 11, White's first; None for the hand, which moves men.
        facts: Labels and values: side to move, en passant, number of men.
        verdict: Why the position cannot occur, or what it is; and the role of that.
        keys: Keys and what they do.
    """

    chosen: int | None = None
    facts: tuple[tuple[str, str], ...] = ()
    verdict: tuple[str, str] = ("", "text")
    keys: tuple[tuple[str, str], ...] = ()


class MenPalette(Canvas):
    """Two rows of men and the hand, the facts of the position, the keys."""

    MAN: ClassVar[str] = "man"
    """What is put on the board."""

    view: reactive[PaletteView] = reactive(PaletteView(), repaint=False)
    """What to show."""

    @dataclass
    class Chosen(Message):
        """A man, or None for the hand, was chosen by the mouse."""

        man: int | None

    def on_click(self, event: Click) -> None:
        """Chooses the man under the mouse."""
        column = event.x // CELL
        if event.y in (2, 3) and column < len(LETTERS):
            self.post_message(self.Chosen((event.y - 2) * len(LETTERS) + column))
        elif event.y == 4:
            self.post_message(self.Chosen(None))

    def _men(self, white: bool) -> Row:
        row, pen, look = self.row(), self.look.palette, self.look
        for at, letter in enumerate(LETTERS):
            here = self.view.chosen == at + (0 if white else len(LETTERS))
            ground = "square_dark"
            first, second = Man(letter, white).glyph(look.glyphs.unicode)
            if not look.glyphs.unicode:
                second = ""
            role = "white_man" if white else "black_man"
            style = pen(role, ground, bold=not pen.coloured)
            edge = pen("cursor", ground, bold=True)
            row.put("[" if here else " ", edge).put(first + second, style)
            row.put(" " * (2 - len(second) - 1), style).put("]" if here else " ", edge)
            row.to(CELL * (at + 1))
        return row

    def choices(self) -> list[Row]:
        """What can be put on the board: a heading, a blank, a row for either side."""
        return [
            self.row().put("Men", self.look.palette("text", bold=True)),
            self.row(),
            self._men(True),
            self._men(False),
        ]

    def draw(self) -> list[Strip]:
        """From the men to the keys; keys that do not fit are left out."""
        pen, glyphs, (width, height), view = self.look.palette, self.look.glyphs, self.size, self.view
        hand = view.chosen is None
        name = self.row().put("[hand]" if hand else " hand ", pen("amber" if hand else "dim", bold=hand))
        rows = [*self.choices(), name.put(f" moves a {self.MAN}", pen("faint")), self.row()]
        for label, value in view.facts:
            rows.append(self.row().put(label.ljust(13), pen("dim")).put(glyphs.plain(value), pen("text")))
        words, role = view.verdict
        rows += [
            self.row(),
            *(self.row().put(line, pen(role)) for line in wrapped(glyphs.plain(words), width)),
            self.row(),
        ]
        for key, does in view.keys:
            if len(rows) < height:
                rows.append(self.row().put(key.ljust(9), pen("text", bold=True)).put(does, pen("dim")))
        return [row.strip(width) for row in rows[:height]]


def wrapped(text: str, width: int) -> list[str]:
    """A text in rows, broken between words."""
    rows: list[str] = []
    for word in text.split():
        if rows and len(rows[-1]) + 1 + len(word) <= width:
            rows[-1] += f" {word}"
        else:
            rows.append(word)
    return rows

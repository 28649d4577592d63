"""What a new game is to be: rows of choices that the left and right keys change."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual.binding import BindingType
from textual.events import Click
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip

from endgame_core.words.told import Choices
from endgame_tui.widgets.bars import Key
from endgame_tui.widgets.canvas import Canvas
from endgame_tui.widgets.lines import broken


@dataclass(frozen=True, slots=True)
class SetupView:
    """The title, the rows, the row of the cursor, and keys that lead elsewhere with their words."""

    title: str = ""
    rows: tuple[Choices, ...] = ()
    cursor: int = 0
    keys: tuple[tuple[str, str], ...] = ()


class SetupPanel(Canvas, can_focus=True):
    """The choices of a new game."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Key("enter", "begin", "Begin", id="setup.begin", short="begin", rank=1),
        Key("up,k", "point(-1)", "Choice above", id="setup.up", short="choose", rank=3),
        Key("down,j", "point(1)", "Choice below", id="setup.down", short="choose", rank=3),
        Key("left,h", "change(-1)", "Change it back", id="setup.left", short="change"),
        Key("right,l,space", "change(1)", "Change it", id="setup.right", short="change"),
    ]

    view: reactive[SetupView] = reactive(SetupView(), repaint=False)
    """What to show."""

    @dataclass
    class Pointed(Message):
        """The cursor was moved to a row."""

        row: int

    @dataclass
    class Changed(Message):
        """A row is to be changed by so many steps."""

        row: int
        by: int

    class Begun(Message):
        """The game is to begin."""

    def action_point(self, by: int) -> None:
        """Moves the cursor, round and round."""
        if self.view.rows:
            self.post_message(self.Pointed((self.view.cursor + by) % len(self.view.rows)))

    def action_change(self, by: int) -> None:
        """Changes the row under the cursor."""
        self.post_message(self.Changed(self.view.cursor, by))

    def action_begin(self) -> None:
        """Begins."""
        self.post_message(self.Begun())

    def on_click(self, event: Click) -> None:
        """Changes the row under the mouse."""
        self.focus()
        row = event.y - 2
        if 0 <= row < len(self.view.rows):
            self.post_message(self.Pointed(row))
            self.post_message(self.Changed(row, 1))

    def draw(self) -> list[Strip]:
        """The title, the rows, what the row under the cursor means, the keys."""
        pen, glyphs, (width, height), view = self.look.palette, self.look.glyphs, self.size, self.view
        rows = [self.row().put(view.title, pen.title(self.has_focus)), self.row()]
        for number, choice in enumerate(view.rows):
            here = number == view.cursor
            ground = "selected" if here and self.has_focus else "ground"
            row = self.row().put(glyphs.pointer if here else " ", pen("amber"))
            row.put(f" {choice.label}".ljust(11), pen("amber" if here else "dim", ground))
            value = glyphs.plain(choice.options[choice.chosen])
            around = ("‹ ", " ›") if glyphs.unicode else ("< ", " >")
            if here and len(choice.options) > 1:
                value = f"{around[0]}{value}{around[1]}"
            rows.append(row.put(value, pen("amber" if here else "text", ground, bold=here)))
        rows.append(self.row())
        about = view.rows[view.cursor].about if view.rows else ""
        rows += [self.row().put(line, pen("dim")) for line in broken(glyphs.plain(about), width)]
        keys = [
            self.row().put(glyphs.plain(key).ljust(7), pen("text", bold=True)).put(words, pen("dim"))
            for key, words in view.keys
        ]
        rows += [self.row()] * max(min(height - len(rows) - len(keys), 1), 0) + keys
        return [row.strip(width) for row in rows]

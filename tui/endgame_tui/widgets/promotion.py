"""The chooser in the last row: what a pawn that reaches the last rank becomes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.events import Blur, Click, Key
from textual.message import Message
from textual.strip import Strip

from endgame_tui.widgets.canvas import Canvas, Ink


@dataclass(frozen=True, slots=True)
class Option:
    """A piece the pawn may become, and what that leads to.

    Attributes:
        key: The key that chooses it: the letter of the piece.
        name: The piece in words.
        layer: ``S18``, or ``draw``; empty when not known.
        note: What that means, as in the Moves panel.
        short: The same in fewer letters.
        role: Role of the layer's colour.
    """

    key: str
    name: str
    layer: str = ""
    note: str = ""
    short: str = ""
    role: str = "text"


class PromotionChooser(Canvas):
    """Asks for a piece; all other keys mean nothing meanwhile."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("q,Q", "choose(0)", "Queen", show=False, id="promotion.queen"),
        Binding("r,R", "choose(1)", "Rook", show=False, id="promotion.rook"),
        Binding("b,B", "choose(2)", "Bishop", show=False, id="promotion.bishop"),
        Binding("n,N", "choose(3)", "Knight", show=False, id="promotion.knight"),
        Binding("left,up,h,k", "point(-1)", "Piece to the left", show=False, id="promotion.left"),
        Binding("right,down,l,j,tab", "point(1)", "Piece to the right", show=False, id="promotion.right"),
        Binding("enter,space", "choose(-1)", "Promote to it", show=False, id="promotion.choose"),
        Binding("escape", "cancel", "Leave the pawn there", show=False, id="promotion.cancel"),
    ]
    _KEYS: ClassVar = frozenset(
        key for binding in BINDINGS if isinstance(binding, Binding) for key in binding.key.split(",")
    )

    @dataclass
    class Chosen(Message):
        """A piece was chosen: its number."""

        number: int

    @dataclass
    class Cancelled(Message):
        """Nothing was chosen the so-manieth time of asking."""

        chooser: PromotionChooser
        asked: int

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._options: tuple[Option, ...] = ()
        self._cursor = 0
        self.asked = 0
        """How often it has asked."""

    def ask(self, options: tuple[Option, ...], cursor: int) -> None:
        """Asks, with the cursor on one of the options."""
        self._options, self._cursor = options, cursor
        self.asked += 1
        self.redraw()

    def on_key(self, event: Key) -> None:
        """Swallows every key that has no meaning here."""
        if event.key not in self._KEYS:
            event.stop()
            event.prevent_default()

    def on_blur(self, _event: Blur) -> None:
        """Something else was chosen: none."""
        self.action_cancel()

    def action_point(self, steps: int) -> None:
        """Moves the cursor, round and round."""
        self._cursor = (self._cursor + steps) % len(self._options)
        self.redraw()

    def action_choose(self, number: int) -> None:
        """Chooses a piece; -1 is the one under the cursor."""
        self.post_message(self.Chosen(self._cursor if number < 0 else number))

    def action_cancel(self) -> None:
        """Chooses nothing."""
        self.post_message(self.Cancelled(self, self.asked))

    def on_click(self, event: Click) -> None:
        """Chooses the piece under the mouse; elsewhere none."""
        column = 0
        for number, piece in enumerate(self._pieces()):
            column += sum(len(text) for text, _ in piece)
            if number and event.x < column:
                self.action_choose(number - 1)
                return
        self.action_cancel()

    def _pieces(self) -> list[list[Ink]]:
        """The label, then each option, in the longest words that fit."""
        forms = list(self._forms())
        width = self.size.width - len(" Esc ")
        return next((form for form in forms if sum(len(t) for piece in form for t, _ in piece) <= width), forms[-1])

    def _forms(self) -> Iterator[list[list[Ink]]]:
        """From the longest words to the shortest: label, whether the pieces are named, how much is said of each."""
        style = self.look.palette("amber", "bar", bold=True)
        forms = ((" Promote ", True, 2), (" Promote ", True, 1), (" Promote ", False, 1), (" ", False, 0))
        for label, names, notes in forms:
            yield [[(label, style)], *(self._option(n, names, notes) for n in range(len(self._options)))]

    def _option(self, number: int, names: bool, notes: int) -> list[Ink]:
        """One option: its key, its name where there is room, its layer, and what that means (0: only the layer)."""
        pen, glyphs, option = self.look.palette, self.look.glyphs, self._options[number]
        here = number == self._cursor
        ground = "selected" if here else "bar"
        inks: list[Ink] = [
            (glyphs.pointer if here else " ", pen("amber" if here else "text", "bar")),
            (option.key, pen("amber" if here else "text", ground, bold=True)),
        ]
        if names:
            inks.append((f" {option.name}", pen("amber" if here else "dim", ground)))
        layer = option.layer if notes else option.layer.replace("draw", "=")
        note = ("", option.short, option.note)[notes]
        if layer:
            inks.append((f" {layer}", pen(option.role, ground, bold=True)))
        if note:
            inks.append((f" {glyphs.plain(note)}", pen("dim" if option.role == "text" else option.role, ground)))
        return [*inks, ("  " if notes else " ", pen("text", "bar"))]

    def draw(self) -> list[Strip]:
        """The options left, the way out right."""
        pen, width = self.look.palette, self.size.width
        row = self.row("bar")
        for piece in self._pieces():
            row.write(piece)
        full = row.width + len("Esc back") + 2 <= width
        row.to(width - (9 if full else 4)).put("Esc", pen("text", "bar", bold=True))
        return [row.put(" back" if full else "", pen("dim", "bar")).strip(width)]

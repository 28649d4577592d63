"""A tiny app that is nothing but a Morris board: what its tests press keys in."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from textual import on
from textual.app import App, ComposeResult
from textual.color import Color
from textual.pilot import Pilot

from endgame_core.morris.geometry import NUMBERS
from endgame_core.morris.notation import spell
from endgame_core.morris.rules import STANDARD, Move, Position, Variant, moves
from endgame_tui.look import ASCII, DARK, LIGHT, UNICODE, Look, Palette
from endgame_tui.selection import Selection, Turn, stones_view
from endgame_tui.widgets.board import Board, Label
from endgame_tui.widgets.stones import Pitch, paint


def mask(names: str) -> int:
    return sum(1 << NUMBERS[name] for name in names.split())


def turn(white: str, black: str, side: int = 0, hands: tuple[int, int] = (0, 0), variant: Variant = STANDARD) -> Turn:
    """A position with all its moves."""
    position = Position(mask(white), mask(black), side, hands)
    return Turn(position, tuple(moves(position, variant)))


class Host(App[None]):
    """Shows one position, and remembers the moves that are made."""

    CSS = "Screen { layout: vertical; } Board { width: 1fr; height: 1fr; }"

    def __init__(self, here: Turn, look: Look, pitch: Pitch, cursor: str = "a1", *, rated: bool = False) -> None:
        super().__init__(ansi_color=True if not look.palette.coloured else None)
        self.look, self.here, self.pitch = look, here, pitch
        self.cursor, self.chosen = NUMBERS[cursor], Selection()
        self.made: list[str] = []
        self.said = ""
        self.last: Move | None = None
        self._rated = rated
        ground = look.palette("text").bgcolor
        self._ground = Color.from_rich_color(ground) if ground else None

    def compose(self) -> ComposeResult:
        yield Board(id="board")

    @property
    def board(self) -> Board:
        return self.query_one(Board)

    def on_mount(self) -> None:
        if self._ground is not None:
            self.screen.styles.background = self._ground
        self.board.resize(self.pitch, 4 if self.pitch.large else 3)
        self.board.focus()
        self.show()

    def show(self) -> None:
        rated = [(move, Label(f"S{24 + 2 * n}", n == 0)) for n, move in enumerate(self.here.moves)]
        self.board.view = stones_view(
            self.here, self.chosen, self.cursor, last=self.last, rated=rated if self._rated else (),
            show_all=self.pitch.large,
        )  # fmt: skip

    @on(Board.Pointed)
    def pointed(self, event: Board.Pointed) -> None:
        self.cursor = event.point
        self.show()

    @on(Board.Chosen)
    def point_chosen(self, event: Board.Chosen) -> None:
        step = self.here.choose(self.chosen, event.point)
        self.cursor, self.chosen, self.said = event.point, step.selection, step.refusal
        if step.move is not None:
            self.made.append(spell(step.move))
        self.show()

    def on_key(self, event: object) -> None:
        if getattr(event, "key", "") == "escape":
            self.chosen = self.chosen.back()
            self.show()


def looking(theme: str = "dark", ascii: bool = False) -> Look:
    colours = {"dark": DARK, "light": LIGHT, "none": None}[theme]
    return Look(Palette(colours), ASCII if ascii else UNICODE)


@asynccontextmanager
async def hosted(here: Turn, cursor: str = "a1") -> AsyncIterator[tuple[Pilot[None], Host]]:
    app = Host(here, looking(), Pitch(6, 3), cursor)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        yield pilot, app


def text(here: Turn, look: Look, pitch: Pitch, chosen: Selection | None = None) -> str:
    """The board as plain text."""
    painted = paint(stones_view(here, chosen or Selection(), None), pitch, look)
    return "\n".join("".join(char for char, _ in row).rstrip() for row in painted)


__all__ = ["Host", "hosted", "looking", "mask", "text", "turn"]

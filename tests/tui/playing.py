"""What the tests of the Play screen have in common."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

from textual.events import Paste
from textual.pilot import Pilot

from endgame_core.practice.journal import Journal
from endgame_core.tables.library import Library
from endgame_core.tasks import game_file
from endgame_tui.app import EndgameApp
from endgame_tui.playing import Play
from endgame_tui.screens.play import PlayScreen
from endgame_tui.widgets.frame import JobStrip
from endgame_tui.widgets.words import ReasonRow

ROOK = "8/8/8/3k4/8/8/8/1K5R w - - 0 1"
PAWN = "8/P6k/8/8/8/8/8/1K6 w - - 0 1"
QUEEN = "k7/8/1K6/8/8/8/8/6Q1 w - - 0 1"
LOST = "8/8/8/3k4/8/8/8/1K5R b - - 0 1"
SIX = "4k3/8/8/3pp3/3PP3/8/8/4K3 w - - 0 1"


class Game:
    """What the tests look at."""

    def __init__(self, pilot: Pilot[None]) -> None:
        self.pilot = pilot

    @property
    def screen(self) -> PlayScreen:
        screen = self.pilot.app.screen
        assert isinstance(screen, PlayScreen)
        return screen

    @property
    def play(self) -> Play:
        return self.screen.play

    @property
    def match(self) -> game_file.ChessMatch:
        assert self.play.match is not None
        return self.play.match

    @property
    def said(self) -> str:
        return self.pilot.app.screen.query_one(JobStrip).view.words

    @property
    def reason(self) -> str:
        view = self.screen.query_one("#reason", ReasonRow).view
        return f"{view.heading} {view.sentence}".strip()

    @property
    def sans(self) -> list[str]:
        return [ply.san for ply in self.match.plies]

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)

    async def type_in(self, text: str, key: str = "colon") -> None:
        """Types into the prompt that a key opens, and presses Enter."""
        await self.pilot.press(key)
        assert self.pilot.app.focused is not None
        await self.pilot.press("ctrl+u")
        self.pilot.app.focused.post_message(Paste(text))
        await self.press("enter")
        await self.pilot.pause()

    async def moves(self, *texts: str) -> None:
        for text in texts:
            await self.type_in(text)


@asynccontextmanager
async def playing(
    library: Library, fen: str | None = ROOK, size: tuple[int, int] = (80, 24), begin: bool = True, **setup: Any
) -> AsyncIterator[Game]:
    """The Play screen with a position of Explore, begun unless it is not to be."""
    app = EndgameApp(fen, library.root, ascii=False)
    app.session.journal = setup.pop("journal", None) or Journal(None)
    async with app.run_test(size=size) as pilot:
        await pilot.press("3")
        await pilot.pause()
        game = Game(pilot)
        for name, value in setup.items():
            game.play.setup = replace(game.play.setup, **{name: value})
        if begin:
            await game.press("enter")
        yield game

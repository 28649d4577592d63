"""What the tests of the 50-move rule's screens have in common."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from textual.pilot import Pilot

from endgame_tui.app import EndgameApp
from endgame_tui.screens.explore import ExploreScreen
from endgame_tui.screens.play import PlayScreen
from endgame_tui.widgets.canvas import Canvas

CURSED = "8/8/8/8/4k3/8/8/3RK3 w - - 80 1"
BLESSED = "8/8/8/8/4k3/8/8/3RK3 b - - 80 1"
SPOILT = "8/K6k/1P6/8/8/8/8/8 w - - 97 1"
"""By DTM Kb7 is as good as b7, which alone keeps the win."""

TOO_LATE = "6r1/8/8/8/8/8/7k/3KQ3 w - - 78 1"
"""By DTM Qe5+ is best; Qe4 alone keeps the win."""


async def begun(pilot: Pilot[None]) -> PlayScreen:
    """The game of the Play screen, begun."""
    if not isinstance(pilot.app.screen, PlayScreen):
        await pilot.press("3")
        await pilot.pause()
    await pilot.press("enter")
    await pilot.pause()
    screen = pilot.app.screen
    assert isinstance(screen, PlayScreen)
    return screen


def words(pilot: Pilot[None], kind: type[Canvas]) -> str:
    """What a widget shows, in one line."""
    strips = pilot.app.screen.query_one(kind).draw()
    return "\n".join("".join(segment.text for segment in strip).rstrip() for strip in strips)


def explore(pilot: Pilot[None]) -> ExploreScreen:
    screen = pilot.app.screen
    assert isinstance(screen, ExploreScreen)
    return screen


async def settle(pilot: Pilot[None]) -> None:
    """Waits for the line, which a thread looks up."""
    clerk = pilot.app.session.clerk  # type: ignore[attr-defined]
    while clerk.busy:
        await pilot.pause(0.01)
    await pilot.pause()


@asynccontextmanager
async def with_files(root: Path, files: Path, fen: str | None = None) -> AsyncIterator[Pilot[None]]:
    app = EndgameApp(fen, root, ascii=False, syzygy=str(files))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        yield pilot

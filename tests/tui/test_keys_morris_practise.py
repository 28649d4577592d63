"""Practising, drilling and looking back at Nine Men's Morris with the keys alone."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.pilot import Pilot

from endgame_core import paths
from endgame_core.morris.game import MORRIS
from endgame_core.morris.rules import Move, Position
from endgame_core.practice.studies import Studies
from endgame_core.tables.explorer import Explorer
from endgame_tui.screens.attempts import AttemptsScreen
from endgame_tui.screens.help import sections
from endgame_tui.screens.morris_explore import MorrisExploreScreen
from endgame_tui.screens.morris_practise import MorrisPractiseScreen
from endgame_tui.screens.morris_progress import MorrisProgressScreen, MorrisReplayScreen
from endgame_tui.screens.progress import ProgressScreen
from endgame_tui.widgets.about import About
from endgame_tui.widgets.board import Board
from endgame_tui.widgets.frame import TopBar

from .drilling import data_dir, drill_of, make, practising, said, settle, start

pytestmark = pytest.mark.slow
"""The same screens as those of chess, which the fast suite presses."""


@pytest.fixture
def root(tmp_path: Path, morris: Explorer[Position, Move]) -> Path:
    return data_dir(tmp_path, morris.library.root / "tables")


@asynccontextmanager
async def opened(root: Path, size: tuple[int, int] = (80, 24), seed: int = 7) -> AsyncIterator[Pilot[None]]:
    async with practising(root, size, seed, "3-4") as pilot:
        assert isinstance(pilot.app.screen, MorrisPractiseScreen)
        yield pilot


async def test_progress_attempts_and_replay(root: Path) -> None:
    async with opened(root) as pilot:
        screen = await start(pilot, "3-4")
        while screen.stage == "drill":
            await make(pilot)
        await pilot.press("5")
        await settle(pilot)
        progress = pilot.app.screen
        assert isinstance(progress, MorrisProgressScreen)
        assert "1 of 1 solved" in " ".join(progress.query_one(About).view.lines)
        await pilot.press("r")
        await settle(pilot)
        assert isinstance(pilot.app.screen, AttemptsScreen)
        await pilot.press("enter")
        await settle(pilot)
        replay = pilot.app.screen
        assert isinstance(replay, MorrisReplayScreen)
        board = replay.query_one(Board)
        first = board.view.stones
        await pilot.press("right", "right")
        assert board.view.stones != first
        await pilot.press("f")
        assert replay._flipped == board.view.flipped
        await pilot.press("e")
        assert "nothing was lost" in said(pilot).lower()
        await pilot.press("plus", "enter")
        await settle(pilot)
        assert Studies(MORRIS, paths.studies_dir(root)).own()
        await pilot.press("home", "s")
        await settle(pilot)
        explore = pilot.app.screen
        assert isinstance(explore, MorrisExploreScreen)
        assert (explore.walk.position.white, explore.walk.position.black) == first
        await pilot.press("5", "G")
        await settle(pilot)
        assert type(pilot.app.screen) is ProgressScreen and "Progress" in pilot.app.screen.query_one(TopBar).crumbs


@pytest.mark.slow
async def test_enter_on_progress_drills_the_theme(root: Path) -> None:
    async with opened(root) as pilot:
        screen = await start(pilot, "3-4")
        await make(pilot, worst=True)
        await pilot.press("escape", "enter", "enter")
        await settle(pilot)
        await pilot.press("5")
        await settle(pilot)
        await pilot.press("enter")
        await settle(pilot)
        assert drill_of(pilot) is not screen and drill_of(pilot).sitting.task.theme.ending == "3-4"


def test_the_help_tells_the_keys() -> None:
    told = dict(sections())
    assert ("i", "Hint: first man, then move") in told["Drill"] and ("G", "Chess or Nine Men's Morris") in told[
        "Everywhere"
    ]

"""Playing Nine Men's Morris with the keys alone, as a user presses them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.pilot import Pilot

from endgame_core.morris.game import MORRIS
from endgame_core.morris.rules import Move, Position
from endgame_core.tables.explorer import Explorer
from endgame_tui.app import MorrisApp
from endgame_tui.screens.morris_play import MorrisPlayScreen

from .test_keys_explore import type_in
from .test_keys_morris import MILL


@pytest.fixture
def root(morris: Explorer[Position, Move], tmp_path: Path) -> Path:
    (tmp_path / "tables").symlink_to(morris.library.root / "tables")
    return tmp_path


@asynccontextmanager
async def opened(root: Path, text: str = MILL) -> AsyncIterator[tuple[Pilot[None], MorrisPlayScreen]]:
    app = MorrisApp(text, root, ascii=False)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await pilot.press("3")
        await pilot.pause()
        screen = app.screen
        assert isinstance(screen, MorrisPlayScreen)
        yield pilot, screen


async def test_a_game_from_explore_is_won_and_graded(root: Path) -> None:
    async with opened(root) as (pilot, screen):
        await pilot.press("enter")
        await pilot.pause()
        match = screen.play.match
        assert match is not None and match.your_turn and MORRIS.parse(MILL) == match.start
        for _ in range(30):
            if match.result is not None:
                break
            await type_in(pilot, screen.play.facts.moves[0].san)
            await pilot.pause()
        assert match.result is not None and match.result.winner == match.you == "white"
        assert screen.play.stage == "review" and not match.slips()
        await pilot.press("left")
        assert screen.play.looked_at == match.plies[-1]


async def test_the_three_steps_hint_and_takeback(root: Path) -> None:
    async with opened(root) as (pilot, screen):
        await pilot.press("enter")
        await pilot.pause()
        match = screen.play.match
        assert match is not None
        await pilot.press("i", "i")
        assert match.hints == 2
        await pilot.press("enter")  # the cursor stands on the end of the hint
        assert screen.is_taking
        await type_in(pilot, screen.play.facts.moves[0].san)
        await pilot.pause()
        assert len(match.plies) == 2
        await pilot.press("u")
        assert not match.plies and match.takebacks == 1
        await pilot.press("w", "enter")
        await pilot.pause()
        assert match.plies and all(ply.shown for ply in match.plies)


async def test_from_the_empty_board_the_search_replies(root: Path) -> None:
    async with opened(root) as (pilot, screen):
        await pilot.press("right", "enter")
        await pilot.pause()
        match = screen.play.match
        assert match is not None and match.start.hands == (9, 9)
        await pilot.press("enter")
        for _ in range(200):
            await pilot.pause(0.05)
            if len(match.plies) == 2:
                break
        assert [ply.after.hands for ply in match.plies] == [(8, 9), (8, 8)]
        assert match.verdict is None

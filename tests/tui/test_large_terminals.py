"""From 140 columns the board grows, panels stand side by side, and the rest is centred."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from endgame_tui.app import EndgameApp
from tests.conftest import fast

from .key_walk import walking
from .playing import playing
from .terminal_text import rows, settle, text, type_in, within

QUEEN = "7K/6Q1/8/8/2k5/8/8/8 w - - 0 1"


def extent(pilot: Pilot[Any]) -> tuple[int, int]:
    """Columns free at the left and at the right of all that stands between first row and last."""
    width, printed = pilot.app.screen.size.width, [row for row in rows(pilot)[1:-1] if row.strip()]
    return min(len(row) - len(row.lstrip()) for row in printed), width - max(map(len, printed))


def board_of(pilot: Pilot[Any]) -> tuple[int, int]:
    size = pilot.app.screen.query_one("#board").size
    return size.width, size.height


@pytest.mark.parametrize(("size", "board"), [((140, 45), (67, 33)), ((160, 50), (83, 41)), ((200, 60), (99, 49))])
async def test_explore_fills_large_terminals(tmp_path: Path, size: tuple[int, int], board: tuple[int, int]) -> None:
    async with walking(tmp_path, QUEEN, size) as pilot:
        assert board_of(pilot) == board
        moves, before, layers = (within(pilot, f"#{name}") for name in ("moves", "before", "layers"))
        assert "Qd4+" in "".join(moves) and "…" not in "".join(moves) and moves[-1].strip()
        screen = pilot.app.screen
        regions = {name: screen.query_one(f"#{name}").region for name in ("moves", "before", "layers", "below", "main")}
        assert regions["before"].y == regions["moves"].bottom + 1 and before[0].startswith("Previous positions")
        assert regions["layers"].right < regions["moves"].x and layers[-1 - layers[::-1].count("")]
        assert regions["layers"].y == regions["moves"].y
        left, right = extent(pilot)
        assert abs(left - right) <= 3, "the content stands in the middle"
        assert rows(pilot)[0].startswith(" KQvK") and "? help" in rows(pilot)[-1]


@pytest.mark.parametrize(("size", "board"), [((140, 45), (69, 34)), ((160, 50), (83, 40)), ((200, 60), (97, 46))])
async def test_explore_of_morris_fills_large_terminals(
    tmp_path: Path, size: tuple[int, int], board: tuple[int, int]
) -> None:
    async with walking(tmp_path, "3-3", size) as pilot:
        assert board_of(pilot) == board
        left, right = extent(pilot)
        assert abs(left - right) <= 6
        assert within(pilot, "#moves")[0].startswith("Moves") and within(pilot, "#before")[0].startswith(
            "Previous positions"
        )


@pytest.mark.slow
@pytest.mark.parametrize("text", [QUEEN, "3-3"])
async def test_play_puts_game_and_facts_side_by_side(tmp_path: Path, text: str) -> None:
    async with playing(tmp_path, text, size=(160, 50)) as game:
        for shown in (False, True):
            screen = game.pilot.app.screen
            score, facts = screen.query_one("#score").region, screen.query_one("#facts").region
            assert score.right < facts.x and score.y == facts.y, "the facts stand across"
            assert "…" not in "".join(within(game.pilot, "#facts"))
            if not shown:
                await game.press("v")
        assert within(game.pilot, "#moves")[0].startswith("Moves")


@pytest.mark.slow
@pytest.mark.parametrize(("size", "is_high"), [((200, 60), True), ((140, 50), True), ((140, 45), False)])
async def test_play_shows_the_depths_of_the_game_with_the_verdict(
    tmp_path: Path, size: tuple[int, int], is_high: bool
) -> None:
    async with EndgameApp("8/8/8/8/8/k7/8/2K4Q w - - 0 1", tmp_path, ascii=False).run_test(size=size) as pilot:
        await settle(pilot)
        await pilot.press("3", "enter")
        await settle(pilot)
        await type_in(pilot, "Qh2")
        await settle(pilot)
        assert "Depth after each move" not in text(pilot)  # it would reveal the verdict
        await pilot.press("v")
        await settle(pilot)
        assert ("Depth after each move" in text(pilot)) is is_high
        if is_high:
            chart = within(pilot, "#chart")
            assert "S7 at the start" in chart[0] and chart[-1].strip() == "S9"


@pytest.mark.parametrize("size", fast([((140, 45),), ((160, 50),), ((200, 60),)]))
async def test_lists_are_centred(tmp_path: Path, size: tuple[int, int]) -> None:
    async with EndgameApp(None, tmp_path, ascii=False).run_test(size=size) as pilot:
        for key in ("2", "4", "5"):
            await pilot.press(key)
            await settle(pilot)
            shown = [part.region for part in pilot.app.screen.query_one("#body").children if part.region.area]
            assert shown and all(abs(part.x - (size[0] - part.right)) <= 1 for part in shown), key
            assert all(part.width <= 176 for part in shown), key

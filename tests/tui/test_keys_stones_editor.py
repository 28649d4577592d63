"""Every key of the board editor of Nine Men's Morris, and what Explore does with its positions."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.pilot import Pilot

from endgame_core.morris.editor import Edit
from endgame_core.morris.geometry import NUMBERS
from endgame_core.morris.notation import line, parse_line
from endgame_core.morris.rules import START, Position
from endgame_tui.app import MorrisApp
from endgame_tui.screens.morris_editor import MorrisEditorScreen
from endgame_tui.screens.morris_explore import MorrisExploreScreen
from endgame_tui.widgets.prompt import Prompt
from endgame_tui.widgets.question import Question
from endgame_tui.widgets.stones import StonesView

from .test_keys_explore import said, type_in
from .test_keys_morris import MILL, opened

pytestmark = pytest.mark.slow
"""The same screens as those of chess, which the fast suite presses."""


@asynccontextmanager
async def editing(root: Path, text: str = MILL) -> AsyncIterator[tuple[Pilot[None], MorrisEditorScreen]]:
    async with opened(root, text) as (pilot, explore):
        if isinstance(explore.focused, Question):  # it offers to build what is missing
            await pilot.press("escape")
        await pilot.press("E")
        await pilot.pause()
        screen = pilot.app.screen
        assert isinstance(screen, MorrisEditorScreen)
        yield pilot, screen


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The starter tables alone."""
    return tmp_path / "data"


def shown(screen: MorrisEditorScreen) -> str:
    return line(screen.edit.position)


class TestStones:
    async def test_put_and_removed_by_keys(self, root: Path) -> None:
        async with editing(root) as (pilot, screen):
            await pilot.press("o")
            assert screen.edit.stone(NUMBERS["a7"]) == 0
            await pilot.press("right", "x")
            assert screen.edit.stone(NUMBERS["d7"]) == 1
            for key in ("delete", "backspace", "full_stop"):
                await pilot.press("o", key)
                assert screen.edit.stone(NUMBERS["d7"]) is None
            await pilot.press("left", "down", "x", "k", "l", "x")
            assert shown(screen).startswith("OX4XX/")

    async def test_enter_puts_what_was_chosen(self, root: Path) -> None:
        async with editing(root) as (pilot, screen):
            await pilot.press("right_square_bracket", "enter", "right", "right_square_bracket", "space")
            assert shown(screen).startswith("OX")
            await pilot.press("enter", "tab", "enter", "left_square_bracket", "enter")
            assert shown(screen).startswith("OX"), "away, the hand takes nothing up, and again"

    async def test_the_hand_moves_a_stone(self, root: Path) -> None:
        async with editing(root, "O7/1X1X1X2/OO6 w") as (pilot, screen):
            await pilot.press("enter", "right", "enter")
            assert shown(screen).startswith("1O6/")
            await pilot.press("enter", "escape")
            assert isinstance(pilot.app.screen, MorrisEditorScreen) and shown(screen).startswith("1O6/")
            await pilot.press("right", "enter")
            assert not said(pilot), "an empty point after changes needs no words"

    async def test_an_empty_point_tells_what_to_press(self, root: Path) -> None:
        async with editing(root) as (pilot, _):
            await pilot.press("enter")
            assert "Press o for a white stone here" in said(pilot)

    async def test_hands_side_colours_and_the_empty_board(self, root: Path) -> None:
        async with editing(root, "OOO5/XXX5/8 w") as (pilot, screen):
            await pilot.press("i", "i", "I", "t")
            assert shown(screen) == "OOO5/XXX5/8 b 5-6", "all that are left, then one less"
            await pilot.press("right_square_bracket", "down", "enter", "down", "enter")
            assert shown(screen) == "OOO3OO/XXX5/8 b 4-6", "a stone beyond nine comes from the hand"
            await pilot.press("u", "u", *"iiiii", "X")
            assert shown(screen) == "XXX5/OOO5/8 w 6-0"
            await pilot.press("C")
            assert shown(screen) == "8/8/8 w"
            await pilot.press("u")
            assert shown(screen) == "XXX5/OOO5/8 w 6-0"
            await pilot.press("U", "i", "I")
            assert screen.edit.position == START
            await pilot.press("U")
            assert "nothing has been undone" in said(pilot).lower()

    async def test_the_mouse(self, root: Path) -> None:
        async with editing(root) as (pilot, screen):
            await pilot.click("#palette", offset=(2, 2))
            board = screen.query_one("#board")
            await pilot.click("#board", offset=(3, 0))
            assert shown(screen).startswith("O") and board.has_focus
            await pilot.click("#palette", offset=(2, 3))
            await pilot.click("#board", offset=(21, 0))
            assert screen.edit.stone(NUMBERS["d7"]) == 1
            await pilot.click("#palette", offset=(2, 4))
            assert screen._chosen is None
            await pilot.click("#palette", offset=(2, 6))
            await pilot.click("#palette", offset=(2, 8))
            await pilot.click("#palette", offset=(2, 9))
            assert shown(screen).endswith(" b 5-4")

    @pytest.mark.slow
    async def test_turned_copied_typed(self, root: Path) -> None:
        async with editing(root) as (pilot, screen):
            await pilot.press("f")
            view = screen.query_one("#board").view  # type: ignore[attr-defined]
            assert isinstance(view, StonesView) and view.flipped
            await pilot.press("c")
            assert pilot.app.clipboard == MILL and "copied the position" in said(pilot).lower()
            await type_in(pilot, "8/8/8 w 9-9")
            assert screen.edit.position == START
            await type_in(pilot, "8/8 w")
            assert isinstance(screen.focused, Prompt) and screen.edit.position == START
            await pilot.press("escape")
            assert isinstance(pilot.app.screen, MorrisEditorScreen)


class TestWhereItGoes:
    async def test_to_explore(self, root: Path) -> None:
        async with editing(root) as (pilot, screen):
            await pilot.press("x", "s")
            assert isinstance(screen.focused, Question)
            await pilot.press("1")
            await pilot.pause()
            explore = pilot.app.screen
            assert isinstance(explore, MorrisExploreScreen)
            assert line(explore.walk.position) == "X5X1/1X2X3/X4OOO w"

    async def test_to_play(self, root: Path) -> None:
        async with editing(root) as (pilot, _):
            await pilot.press("s", "3")
            await pilot.pause()
            assert pilot.app.current_mode == "morris-play"

    async def test_what_cannot_occur_is_not_sent(self, root: Path) -> None:
        async with editing(root, "OOO5/XXX5/8 w") as (pilot, screen):
            await pilot.press("right", "delete")
            assert screen.edit.problem == ""
            await pilot.press("t", "s")
            assert "fewer than three stones" in said(pilot) and not isinstance(screen.focused, Question)

    async def test_leaving_changes_nothing(self, root: Path) -> None:
        async with editing(root) as (pilot, _):
            await pilot.press("o", "escape")
            await pilot.pause()
            screen = pilot.app.screen
            assert isinstance(screen, MorrisExploreScreen) and line(screen.walk.position) == MILL

    @pytest.mark.slow
    async def test_explore_sends_its_own_position(self, root: Path) -> None:
        async with opened(root) as (pilot, screen):
            await pilot.press("s")
            assert isinstance(screen.focused, Question)
            await pilot.press("escape")
            assert pilot.app.session.sent_stones is None  # type: ignore[attr-defined]
            await pilot.press("s", "3")
            await pilot.pause()
            assert pilot.app.current_mode == "morris-play"

    async def test_a_position_becomes_a_study(self, root: Path) -> None:
        app = MorrisApp(MILL, root, ascii=False)
        async with app.run_test(size=(80, 24)) as pilot:
            await pilot.pause()
            await pilot.press("plus")
            assert isinstance(app.screen.focused, Prompt)
            await pilot.press("enter")
            await app.workers.wait_for_complete()
            await pilot.pause()
            assert "added to" in said(pilot).lower(), said(pilot)


@pytest.mark.slow
class TestVerdict:
    @pytest.mark.parametrize(
        ("text", "words"),
        [
            (MILL, "3-4, White to move: wins in 25 plies."),
            ("OO6/XXX5/8 w", "White has lost: fewer than three stones are left."),
            ("OOOO4/XXXXX3/8 w", "No table knows it, the search can play it."),
            ("8/8/8 w 9-9", "No table knows it, the search can play it."),
        ],
    )
    async def test_it_tells_what_the_tables_say(self, text: str, words: str, root: Path) -> None:
        async with editing(root, text) as (_, screen):
            assert screen._verdict()[0] == words


def test_ten_stones_are_too_many() -> None:
    edit = Edit(Position(0x1FF, 7 << 20)).put(10, 0)
    assert "White has 10 stones" in edit.problem
    assert Edit(Position(0x1FF, 7 << 20)).hold(0).position.hands == (0, 0)
    assert edit.put(10, None).problem == "" and edit.move(10, 11).stone(11) == 0
    assert edit.move(13, 14) == edit, "nothing stands there"
    assert Edit(parse_line("OOO5/XXX5/8 w 2-1")).exchange().exchange().position == parse_line("OOO5/XXX5/8 w 2-1")

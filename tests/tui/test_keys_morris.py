"""Every key of the Explore and Library screens of Nine Men's Morris, pressed as a user presses it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.pilot import Pilot

from endgame_core.morris.game import MORRIS
from endgame_core.morris.geometry import NUMBERS
from endgame_core.morris.notation import line
from endgame_core.morris.rules import Move, Position
from endgame_core.tables.explorer import Explorer
from endgame_core.tables.library import Library
from endgame_core.words.tables import price
from endgame_tui.app import EndgameApp, MorrisApp
from endgame_tui.morris_walk import START, StoneWalk
from endgame_tui.screens.explore import ExploreScreen
from endgame_tui.screens.help import Keys
from endgame_tui.screens.morris_explore import MorrisExploreScreen
from endgame_tui.widgets.before import BeforePanel
from endgame_tui.widgets.board import Board
from endgame_tui.widgets.frame import KeyBar, TopBar
from endgame_tui.widgets.old_layers import LayersPanel
from endgame_tui.widgets.old_moves import MovesPanel
from endgame_tui.widgets.prompt import Prompt
from endgame_tui.widgets.question import Question
from endgame_tui.widgets.stones import StonesView
from endgame_tui.widgets.takes import TakesPanel
from endgame_tui.widgets.words import ReasonRow

from .printed import rows, text
from .test_keys_explore import said, type_in
from .test_keys_library import finished

MILL = "6X1/1X2X3/X4OOO w"
"""3-4, S25: c4-e3 closes a mill, one stone is right, three lose."""

MorrisExplorer = Explorer[Position, Move]


@asynccontextmanager
async def opened(
    root: Path, text: str | None = MILL, size: tuple[int, int] = (80, 24)
) -> AsyncIterator[tuple[Pilot[None], MorrisExploreScreen]]:
    app = MorrisApp(text, root, ascii=False)
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        screen = app.screen
        assert isinstance(screen, MorrisExploreScreen)
        yield pilot, screen


def place(walk: StoneWalk) -> tuple[str, str | None, int | None, int]:
    found = walk.stones.place
    assert found is not None
    return found.ending, found.winner, found.n, found.number


@pytest.fixture
def root(morris: MorrisExplorer) -> Path:
    return morris.library.root


class TestMoves:
    async def test_a_stone_a_point_a_capture(self, root: Path) -> None:
        async with opened(root) as (pilot, screen):
            await pilot.press("enter", "right", "down", "enter")
            assert screen.query_one(TakesPanel).region.height == 5
            rows = screen.query_one(TakesPanel).view.rows
            assert [(row.name, row.layer) for row in rows] == [
                ("×d6", "S24"),
                ("×a1", "S3"),
                ("×c5", "S3"),
                ("×f2", "S3"),
            ]
            assert screen.query_one(TopBar).crumbs[-1] == "after c4-e3"
            await pilot.press("enter")
            assert place(screen.walk)[:3] == ("3-3", "white", 24) and not screen.query_one(TakesPanel).region.area

    async def test_escape_steps_back(self, root: Path) -> None:
        async with opened(root) as (pilot, screen):
            await pilot.press("enter", "right", "down", "enter", "escape")
            assert screen.board.view.picked == NUMBERS["c4"] and screen.board.view.cursor == NUMBERS["e3"]
            await pilot.press("escape")
            assert screen.board.view.picked is None
            await pilot.press("enter")
            assert "choose one of White's stones" in said(pilot)

    async def test_the_take_panel_chooses_too(self, root: Path) -> None:
        async with opened(root) as (pilot, screen):
            await type_in(pilot, "c4-e3")
            await pilot.press("tab", "down", "down")
            assert isinstance(screen.focused, TakesPanel) and screen.board.view.cursor == NUMBERS["c5"]
            await pilot.press("enter")
            assert place(screen.walk)[:3] == ("3-3", "black", 3) and isinstance(screen.focused, Board)

    async def test_by_mouse(self, root: Path) -> None:
        async with opened(root) as (pilot, screen):
            for name in ("c4", "e3"):
                x, y = screen.board.scale.cell(*StonesView().place(NUMBERS[name]))
                await pilot.click("#board", offset=(x + 3, y))
            await pilot.click("#takes", offset=(3, 1))
            assert place(screen.walk)[2] == 24

    async def test_best_undo_redo_home(self, root: Path) -> None:
        async with opened(root, START) as (pilot, screen):
            await pilot.press("full_stop")
            assert place(screen.walk)[2] == 24
            await type_in(pilot, "S1")
            await pilot.press("full_stop", "full_stop")
            assert "over" in said(pilot)
            await pilot.press("u", "u", "U")
            assert place(screen.walk)[2] == 1

    async def test_the_panels(self, root: Path) -> None:
        async with opened(root) as (pilot, screen):
            await pilot.press("m", "right", "enter")
            assert screen.walk.stones.verdict is not None and screen.walk.stones.verdict.depth == 28
            await pilot.press("u", "b")
            earlier = screen.walk.stones.previous
            assert isinstance(screen.focused, BeforePanel) and len(earlier) == 9
            await pilot.press("down", "enter")
            assert screen.walk.position == earlier[1].position
            await pilot.press("U", "f")
            assert screen.board.view.flipped

    async def test_autoplay(self, root: Path) -> None:
        async with opened(root, START) as (pilot, screen):
            await pilot.press("a")
            for _ in range(30):
                screen.autoplay_step()
            await pilot.pause()
            assert not screen.walk.stones.moves


class TestLayers:
    async def test_both_sides_to_move(self, root: Path) -> None:
        """A family has the winner to move in odd layers and the loser in even ones."""
        async with opened(root) as (pilot, screen):
            await pilot.press("left_square_bracket")
            assert place(screen.walk)[:3] == ("3-4", "white", 24) and screen.walk.position.turn == 1
            await pilot.press("right_square_bracket", "right_square_bracket", "n", "n", "p")
            assert place(screen.walk) == ("3-4", "white", 26, 2)
            rows = screen.query_one(LayersPanel).view.rows
            assert len(rows) == 34 and (rows[25].boards, rows[25].unique) == (620_136, 38_855)
            assert (rows[24].boards, rows[24].unique) == (32, 3)

    async def test_families(self, root: Path) -> None:
        async with opened(root) as (pilot, screen):
            seen: set[str | None] = set()
            for _ in range(3):
                await pilot.press("w")
                seen.add(place(screen.walk)[1])
            assert seen == {"white", "black", None}

    async def test_random(self, root: Path) -> None:
        async with opened(root) as (pilot, screen):
            screen.walk.rng.seed(1)
            await pilot.press("r")
            assert place(screen.walk)[:3] == ("3-4", "white", 25) and line(screen.walk.position) != MILL

    async def test_typed(self, root: Path) -> None:
        nested = "[[0,0],[[1,2,1,1,2,2,0,0],[0,0,0,0,0,0,0,0],[0,0,0,0,0,0,0,0]]]"
        expected = {
            "S19": ("3-4", "white", 19), "20/3": ("3-4", "white", 20), "3-4": ("3-4", "white", 33),
            "4-3 S31": ("4-3", "black", 31), "3-4 S9/2": ("3-4", "white", 9),
            "4–3": ("4-3", "black", 33), "3-3": ("3-3", "white", 25), "c4-e3xd6": ("3-3", "white", 24),
            "XXOXOOOX/8/8 w": ("4-4", None, None), nested: ("3-3", "white", 25),
        }  # fmt: skip
        async with opened(root) as (pilot, screen):
            for typed, found in expected.items():
                await type_in(pilot, typed)
                assert place(screen.walk)[:3] == found
                await pilot.press("u")

    async def test_mistakes(self, root: Path) -> None:
        mistakes = {
            "a1-b2": "no stone of White's", "c4-e3xb2": "no stone of Black's", "S99": "no S99", "": "Nothing",
            "S7": "no position in S7", "9/9/9 w": "no stone", "2-2": "3 to 9", "10-3": "no ending",
            "3-4 S99": "no S99", "z9": "point", "[[1]]": "nested",
        }  # fmt: skip
        async with opened(root) as (pilot, screen):
            for typed, words in mistakes.items():
                await type_in(pilot, typed)
                assert words in said(pilot) and line(screen.walk.position) == MILL
                await pilot.press("escape")


class TestGames:
    async def test_the_key_changes_the_game_and_each_keeps_its_place(self, root: Path) -> None:
        app = EndgameApp(None, root, ascii=False)
        async with app.run_test(size=(120, 40)) as pilot:
            await pilot.press("full_stop", "G")
            await pilot.pause()
            assert isinstance(app.screen, MorrisExploreScreen)
            assert app.screen.query_one(TopBar).crumbs[:2] == ("Nine Men’s Morris", "3-3")
            await pilot.press("full_stop", "2")
            await pilot.pause()
            assert rows(pilot)[0].startswith(" Nine Men’s Morris ▸ all endings")
            await pilot.press("G")
            await pilot.pause()
            assert rows(pilot)[0].startswith(" Chess ▸ all endings")
            await pilot.press("1")
            await pilot.pause()
            screen = app.screen
            assert isinstance(screen, ExploreScreen) and screen.walk.by_dtm.verdict is not None
            assert screen.walk.by_dtm.verdict.depth == 18

    async def test_what_is_typed_may_change_it(self, root: Path) -> None:
        app = EndgameApp(None, root, ascii=False)
        async with app.run_test(size=(80, 24)) as pilot:
            await type_in(pilot, "3-4")
            await pilot.pause()
            screen = app.screen
            assert isinstance(screen, MorrisExploreScreen) and place(screen.walk)[:3] == ("3-4", "white", 33)
            await type_in(pilot, "KQvK")
            await pilot.pause()
            assert isinstance(app.screen, ExploreScreen)

    async def test_it_is_in_the_palette(self, root: Path) -> None:
        from endgame_tui.commands import bindings_of

        async with opened(root) as (pilot, screen):
            names = [binding.description for owner in (screen, pilot.app) for binding in bindings_of(owner)]
            assert "Chess or Nine Men's Morris" in names and "Type: move, line, S12, 4-3" in names


BAD = {
    "OOOOOOOO/OOXXX3/8 w": "White has 10 stones; each player has 9, those in hand included.",
    "a7-e7": "'e7' is no point of the board",
    "a4-a1xb6": "it closes no mill, so nothing may be taken; write a4-a1.",
    "g4-g7xb6": "b6 is in a mill; say another: g4-g7xg1.",
    "g4-g7xa4": "no stone of Black's stands on a4",
    "b4-d2": "no line joins b4 and d2; only three stones fly.",
    "d6": "White has no stones in hand",
    "2-4": "2-4 is no ending; each player has 3 to 9 stones.",
    "10-3": "10-3 is no ending; each player has 3 to 9 stones.",
    "[[0,0],[[1],[2],[0]]]": "is no part of a nested state",
}


async def test_bad_input_gets_a_sentence_and_can_be_mended(tmp_path: Path) -> None:
    here = "OO1OX2O/XXX4O/8 w"
    async with opened(tmp_path / "data", here) as (pilot, screen):
        await pilot.press("escape")
        for text, words in BAD.items():
            await type_in(pilot, text)
            assert isinstance(screen.focused, Prompt) and screen.focused.text == text
            assert words in said(pilot) and said(pilot).endswith("."), said(pilot)
            assert line(screen.walk.position) == here
            await pilot.press("escape")


class TestBuilding:
    async def test_an_ending_that_is_missing_is_offered_built_and_opened(self, tmp_path: Path, kernels: None) -> None:
        async with opened(tmp_path / "data", "3-5") as (pilot, screen):
            assert isinstance(screen.focused, Question)
            await pilot.press("enter")
            await finished(pilot)
            await pilot.pause()
            assert place(screen.walk)[:3] == ("5-3", "black", 31) and "built" in said(pilot)

    async def test_a_newcomer_sees_layers_at_once(self, tmp_path: Path) -> None:
        """The starter tables are there before anything is built."""
        async with opened(tmp_path / "data", "3-4") as (_, screen):
            assert place(screen.walk)[:3] == ("3-4", "white", 33) and screen.board.has_focus
        async with opened(tmp_path / "data", None) as (_, screen):
            assert place(screen.walk)[:3] == ("3-3", "white", 25)

    async def test_a_position_that_is_missing(self, tmp_path: Path) -> None:
        more = "6X1/1X2X1X1/X4OOO w"
        async with opened(tmp_path / "data", more) as (pilot, screen):
            assert isinstance(screen.focused, Question)
            await pilot.press("escape", "enter", "right", "enter")
            assert line(screen.walk.position) != more and not screen.walk.stones.moves

    @pytest.mark.parametrize("width", [40, 80, 120])
    async def test_the_question_tells_time_and_size_in_full(self, tmp_path: Path, width: int) -> None:
        async with opened(tmp_path / "data", "9-9", (width, 24)) as (pilot, _):
            cost = price(Library(MORRIS, tmp_path / "data"), ["9-9"]).words.removeprefix("about ")
            asked = "".join(segment.text for segment in pilot.app.screen.query_one(Question).draw()[0])
            assert cost in asked and "Enter build" in asked and "Esc no" in asked

    async def test_a_build_that_ends_leaves_a_half_chosen_move(self, root: Path) -> None:
        async with opened(root) as (pilot, screen):
            await pilot.press("enter", "right", "down", "enter")
            chosen = screen._chosen
            screen.refresh_tables()
            await pilot.pause()
            assert screen.is_taking and screen._chosen == chosen
            assert len(screen.query_one(TakesPanel).view.rows) == 4


async def test_small_screens_fold_their_panels(root: Path) -> None:
    async with opened(root, size=(40, 20)) as (pilot, screen):
        await pilot.press("m")
        await pilot.pause()
        assert isinstance(screen.focused, MovesPanel) and not screen.board.region.area
        await pilot.press("enter")
        await pilot.pause()
        assert place(screen.walk)[2] == 24


@pytest.mark.parametrize("key", ["b", "m"])
async def test_the_focus_is_seen_without_colours(root: Path, key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with opened(root) as (pilot, screen):
        await pilot.press(key)
        await pilot.pause()
        marked = [
            type(panel)
            for panel in (screen.query_one(MovesPanel), screen.query_one(BeforePanel), screen.query_one(LayersPanel))
            if any(segment.style and segment.style.reverse for segment in panel.draw()[0])
        ]
        assert marked == [BeforePanel if key == "b" else MovesPanel]


@pytest.mark.parametrize(
    ("keys", "title"), [("", "Nine Men's Morris"), ("2", "Library"), ("3", "Play: Nine Men's Morris"), ("G", "Explore")]
)
async def test_help_begins_with_the_screen_one_is_on(root: Path, keys: str, title: str) -> None:
    async with opened(root) as (pilot, _):
        await pilot.press(*keys)
        await pilot.pause()
        await pilot.press("question_mark")
        await pilot.pause()
        first = "".join(segment.text for segment in pilot.app.screen.query_one(Keys).draw()[0])
        assert first.startswith(f" {title} "), first


@pytest.mark.parametrize("key", ["1", "2"])
async def test_the_last_row_of_chess_names_the_way_to_stones(root: Path, key: str) -> None:
    async with opened(root) as (pilot, _):
        await pilot.press("G", key)
        await pilot.pause()
        for width in (80, 120):
            await pilot.resize_terminal(width, 24)
            await pilot.pause()
            row = "".join(segment.text for segment in pilot.app.screen.query_one(KeyBar).draw()[0])
            assert "G Morris" in row and row.endswith("? help ")


@pytest.mark.parametrize("width", [40, 80, 120])
async def test_stones_in_hand_are_sent_to_play(root: Path, width: int) -> None:
    async with opened(root, "8/8/8 w 9-9", (width, 24)) as (pilot, screen):
        reason = screen.query_one(ReasonRow)
        assert "No table knows stones in hand" in "".join(segment.text for segment in reason.draw()[0])
        if width > 40:
            assert screen.query_one(MovesPanel).view.notice and screen.query_one(LayersPanel).view.notice
            assert screen.query_one(BeforePanel).view.notice and "s plays it" in reason.view.sentence
        await pilot.press("s", "3")
        await pilot.pause()
        assert "empty board" in text(pilot)


async def test_the_ending_stays_on_the_smallest_screens(root: Path) -> None:
    async with opened(root, MILL, (40, 20)) as (pilot, screen):
        await type_in(pilot, "S25/29641")
        await pilot.pause()
        row = "".join(segment.text for segment in screen.query_one(TopBar).draw()[0])
        assert row.startswith(" 3-4 S25 29") and "/" not in row

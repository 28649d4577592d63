"""Every key of the Practise screen, pressed as a user presses it."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.events import Paste

from endgame_core.practice.theme import Mode, parse_theme
from endgame_core.tables.library import Library
from endgame_tui.screens.drill import DrillScreen
from endgame_tui.screens.explore import ExploreScreen
from endgame_tui.widgets.courses import CourseList
from endgame_tui.widgets.drill_setup import DrillSetup
from endgame_tui.widgets.notes import Notes
from endgame_tui.widgets.question import Question
from endgame_tui.widgets.window import WindowPanel

from . import practised
from .drilling import chooser_of, data_dir, practising, said, settle, start, type_in

ROOK = "8/8/8/3k4/8/8/8/K6R w - - 0 1"


@pytest.fixture
def root(tmp_path: Path, library: Library) -> Path:
    return data_dir(tmp_path, library.directory)


def facts(pilot, name: str = "facts") -> str:
    view = pilot.app.screen.query_one(f"#{name}", Notes).view
    return "\n".join("".join(word.text for word in (*note.left, *note.right)) for note in view)


async def test_begins_at_the_first_set_and_says_that_nothing_is_due(root: Path) -> None:
    async with practising(root) as pilot:
        assert chooser_of(pilot).cursor == "set Basic mates"
        assert "Nothing is due" in facts(pilot, "header")
        await pilot.press("home", "enter")
        assert "nothing is due today" in said(pilot).lower()


async def test_begins_at_what_is_due(root: Path) -> None:
    practised.seed(root)
    async with practising(root) as pilot:
        assert chooser_of(pilot).cursor == "due" and "3 due today" in facts(pilot, "header")
        await pilot.press("enter")
        assert isinstance(pilot.app.screen, DrillScreen) and pilot.app.screen.sitting.total == 3


async def test_the_cursor_walks_through_the_list(root: Path) -> None:
    async with practising(root) as pilot:
        chooser = chooser_of(pilot)
        await pilot.press("down", "j")
        assert chooser.cursor == "set Rook endings"
        await pilot.press("up", "k", "k")
        assert chooser.cursor == "due"
        await pilot.press("end")
        assert chooser.entry.theme is not None
        await pilot.press("pageup", "home", "pagedown")
        assert chooser.cursor not in ("", "due")


async def test_left_and_right_change_the_mode_of_the_row(root: Path) -> None:
    async with practising(root) as pilot:
        chooser = chooser_of(pilot)
        await type_in(pilot, "KPvK", "slash")
        modes = []
        for _ in Mode:
            modes.append(chooser.wish.mode)
            await pilot.press("right")
        assert modes == list(Mode) and chooser.wish.mode is Mode.MATE
        await pilot.press("h", "l", "left")
        assert chooser.wish.mode is Mode.STREAK and chooser.chosen is None


async def test_tab_goes_to_list_choices_and_layers(root: Path) -> None:
    async with practising(root) as pilot:
        await type_in(pilot, "KRvK", "slash")
        for kind in (DrillSetup, WindowPanel, CourseList):
            await pilot.press("tab")
            assert isinstance(pilot.app.focused, kind)
        await pilot.press("shift+tab")
        assert isinstance(pilot.app.focused, WindowPanel)
        await pilot.press("escape")
        assert isinstance(pilot.app.focused, CourseList)


async def test_the_choices(root: Path) -> None:
    async with practising(root) as pilot:
        chooser = chooser_of(pilot)
        await type_in(pilot, "KRvK", "slash")
        await pilot.press("tab", "down", "right")
        assert chooser.defence.value == "human" and "human" in said(pilot).lower()
        await pilot.press("down", "right")
        assert not chooser.colours
        await pilot.press("up", "up", "left")
        assert chooser.wish.mode is Mode.STREAK


async def test_whose_wins_are_drilled(root: Path) -> None:
    async with practising(root) as pilot:
        chooser = chooser_of(pilot)
        await type_in(pilot, "KPvKP", "slash")
        await pilot.press("tab", "down", "right")
        assert chooser.chosen is not None and chooser.chosen.key == "KPvKP mate black"


async def test_the_window_moves_and_widens(root: Path) -> None:
    async with practising(root) as pilot:
        chooser = chooser_of(pilot)
        await type_in(pilot, "KRvK", "slash")
        assert chooser.chosen == parse_theme("KRvK mate white 5-11")
        await pilot.press("greater_than_sign")
        assert chooser.chosen.key == "KRvK mate white 5-13"
        await pilot.press("less_than_sign", "less_than_sign", "tab", "tab", "right", "l", "left")
        assert chooser.chosen.key == "KRvK mate white 7-11"
        await pilot.press("up", "down", "down", "home")
        assert chooser.chosen.key == "KRvK mate white 1-3"
        await pilot.press("end")
        assert chooser.chosen.key == "KRvK mate white 29-31"
        await pilot.press(*["greater_than_sign"] * 20)
        assert chooser.chosen.key == "KRvK mate white"
        await pilot.press("enter")
        assert isinstance(pilot.app.screen, DrillScreen)


async def test_a_set_has_no_layers_to_choose_from(root: Path) -> None:
    async with practising(root) as pilot:
        await pilot.press("greater_than_sign")
        assert "no layers" in said(pilot)


async def test_another_start_is_shown_or_said(root: Path) -> None:
    async with practising(root, (120, 40)) as pilot:
        await type_in(pilot, "KRvK", "slash")
        first = chooser_of(pilot).sample()
        await pilot.press("n")
        second = chooser_of(pilot).sample()
        assert first is not None and second is not None and first != second
        await pilot.press("enter")
        screen = pilot.app.screen
        assert isinstance(screen, DrillScreen) and screen.position == second.position
    async with practising(root) as pilot:
        await pilot.press("n")
        assert "no single start" in said(pilot)
        await type_in(pilot, "KRvK", "slash")
        await pilot.press("n")
        assert "such start" in said(pilot) and "mate in" in said(pilot)


async def test_send_shows_the_start_in_explore(root: Path) -> None:
    async with practising(root, (120, 40)) as pilot:
        await type_in(pilot, "KRvK", "slash")
        sample = chooser_of(pilot).sample()
        await pilot.press("s")
        await pilot.pause()
        screen = pilot.app.screen
        assert isinstance(screen, ExploreScreen) and sample is not None
        assert screen.walk.position.board_fen() == sample.position.board_fen()


async def test_a_set_opens_and_closes(root: Path) -> None:
    async with practising(root) as pilot:
        chooser = chooser_of(pilot)
        await pilot.press("space", "down")
        assert chooser.entry.study is not None
        await pilot.press("space")
        assert "only a set" in said(pilot).lower()
        await pilot.press("up", "space", "down")
        assert chooser.cursor == "set King and pawn"


@pytest.mark.parametrize(
    ("typed", "key"),
    [
        ("rook", "set Rook endings"), ("lucena", "study lucena"), ("krk", "KRvK mate white 5-11"),
        ("KNvKN", "KNvKN mate white"), ("KBP", "KBPvK hold"),
    ],
)  # fmt: skip
async def test_find(root: Path, typed: str, key: str) -> None:
    async with practising(root) as pilot:
        await type_in(pilot, typed, "slash")
        assert chooser_of(pilot).entry.key.startswith(key)


@pytest.mark.slow
async def test_find_says_when_there_is_nothing(root: Path) -> None:
    async with practising(root) as pilot:
        await type_in(pilot, "zugzwang of the century", "slash")
        assert "nothing is called" in said(pilot).lower()
        await pilot.press("escape")
        assert chooser_of(pilot).cursor == "set Basic mates"


async def test_add_a_position_and_delete_it(root: Path) -> None:
    async with practising(root) as pilot:
        chooser = chooser_of(pilot)
        await pilot.press("plus")
        assert pilot.app.focused is not None
        pilot.app.focused.post_message(Paste(ROOK))
        await pilot.press("enter")
        assert chooser.entry.study is not None and "My positions" in said(pilot)
        await pilot.press("d", "n")
        assert chooser.course.collections[-1].positions == 1
        await pilot.press("d", "y")
        assert chooser.course.collections[-1].positions == 0 and "deleted" in said(pilot)


@pytest.mark.parametrize("text", ["8/8/8 w", "", "nowhere.pgn", "4k3/8/8/8/8/8/8/R3K3 w Q - 0 1"])
async def test_what_cannot_be_added_is_said(root: Path, text: str) -> None:
    async with practising(root) as pilot:
        await pilot.press("plus")
        assert pilot.app.focused is not None
        pilot.app.focused.post_message(Paste(text))
        await pilot.press("enter")
        assert said(pilot) and chooser_of(pilot).course.collections[-1].positions == 0


async def test_a_file_is_imported_and_its_bad_lines_are_listed(root: Path, tmp_path: Path) -> None:
    file = tmp_path / "two.epd"
    file.write_text("8/8/8/3k4/8/8/8/K6R w - -\n8/8/8/2k5/8/8/8/K6Q w - -\nrubbish\n", "utf-8")
    async with practising(root) as pilot:
        await pilot.press("plus")
        assert pilot.app.focused is not None
        pilot.app.focused.post_message(Paste(str(file)))
        await pilot.press("enter")
        assert "2 positions added" in said(pilot) and "1 left out" in said(pilot)
        assert "line 3" in facts(pilot)
        await pilot.press("d", "y")
        assert chooser_of(pilot).course.collections[-1].positions == 0


async def test_what_is_not_yours_stays(root: Path) -> None:
    async with practising(root) as pilot:
        await pilot.press("d")
        assert "only your own" in said(pilot).lower()


async def test_a_theme_of_ones_own_stays_in_the_list_until_it_is_dropped(root: Path) -> None:
    async with practising(root) as pilot:
        chooser = chooser_of(pilot)
        screen = await start(pilot, "KNvKN")
        theme = screen.sitting.task.theme
        await pilot.press("i")
        await pilot.press("escape", "escape", "enter", "enter")
        assert theme in chooser.course.themes
        await pilot.press("d", "y")
        assert theme not in chooser.course.themes


async def test_what_is_not_built_is_offered(root: Path) -> None:
    async with practising(root) as pilot:
        await type_in(pilot, "KQPvKQ", "slash")
        await pilot.press("enter")
        question = pilot.app.screen.query_one(Question)
        assert question.has_focus
        await pilot.press("n")
        await type_in(pilot, "Queen", "slash")
        await pilot.press("b")
        assert question.has_focus
        await pilot.press("escape")
        assert pilot.app.session.job is None
        await type_in(pilot, "KRvK", "slash")
        await pilot.press("b")
        assert "is built" in said(pilot)


async def test_another_screen_may_ask_for_a_drill(root: Path) -> None:
    practised.seed(root)
    async with practising(root) as pilot:
        await pilot.press("1")
        pilot.app.session.drill = "KPvK hold"
        await pilot.press("4")
        await settle(pilot)
        screen = pilot.app.screen
        assert isinstance(screen, DrillScreen) and screen.sitting.task.theme.key == "KPvK hold"


async def test_on_the_smallest_screen_list_and_choices_take_turns(root: Path) -> None:
    async with practising(root, (40, 20)) as pilot:
        courses, setup = pilot.app.screen.query_one(CourseList), pilot.app.screen.query_one(DrillSetup)
        assert courses.region.area and not setup.region.area
        await pilot.press("tab")
        await pilot.pause()
        assert setup.region.area and setup.has_focus
        await pilot.press("escape")
        await pilot.pause()
        assert courses.region.area


async def test_mouse(root: Path) -> None:
    async with practising(root) as pilot:
        chooser = chooser_of(pilot)
        await pilot.click("#courses", offset=(6, 6))
        assert chooser.cursor == "set Rook endings"
        await type_in(pilot, "KRvK", "slash")
        await pilot.pause()
        await pilot.click("#window", offset=(20, 3))
        assert chooser.chosen is not None and chooser.chosen.low > 5
        await pilot.click("#setup", offset=(12, 2))
        assert chooser.wish.mode is Mode.HOLD


@pytest.mark.slow
async def test_resizing(root: Path) -> None:
    async with practising(root) as pilot:
        for size in ((120, 40), (40, 20), (20, 8), (200, 60), (80, 24)):
            await pilot.resize_terminal(*size)
            await pilot.press("down", "up")
        assert chooser_of(pilot).cursor == "set Basic mates"

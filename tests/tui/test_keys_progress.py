"""Every key of the Progress screen, the attempts and the replay, pressed as a user presses them."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from textual.events import Paste
from textual.geometry import Region
from textual.pilot import Pilot
from textual.screen import Screen

from endgame_core import paths
from endgame_core.cli.main import main
from endgame_core.practice.exchange import export_file
from endgame_core.practice.journal import Journal
from endgame_core.practice.records import Attempt, Outcome
from endgame_core.tables.library import Library
from endgame_tui.app import EndgameApp
from endgame_tui.commands import Actions
from endgame_tui.screens.attempts import PAGE, AttemptsScreen
from endgame_tui.screens.board_plan import board_size
from endgame_tui.screens.drill import DrillScreen
from endgame_tui.screens.explore import ExploreScreen
from endgame_tui.screens.help import sections
from endgame_tui.screens.progress import EXPORT, ProgressScreen
from endgame_tui.screens.progress_plan import plan
from endgame_tui.screens.progress_view import PANELS
from endgame_tui.screens.replay import ReplayScreen
from endgame_tui.screens.replay_plan import plan as replay_plan
from endgame_tui.widgets.about import About
from endgame_tui.widgets.attempts import AttemptsPanel
from endgame_tui.widgets.figures import FiguresRow
from endgame_tui.widgets.frame import JobStrip, TopBar
from endgame_tui.widgets.panel import Panel
from endgame_tui.widgets.prompt import Prompt
from endgame_tui.widgets.words import ReasonRow
from tests.tui.practised import GAME, NOW, START, THEMES, record, seed


@pytest.fixture
def root(tmp_path: Path, library: Library) -> Path:
    """A data directory with all tables and no journal."""
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "tables").symlink_to(library.root / "tables")
    return tmp_path / "data"


@pytest.fixture
def practised(root: Path) -> Path:
    """A data directory with a seeded journal."""
    seed(root)
    return root


class _Practise(Screen[None]):
    """Stands in for the Practise screen."""


@pytest.fixture
def practise(monkeypatch: pytest.MonkeyPatch) -> None:
    """A Practise screen that leaves the session as it is."""
    monkeypatch.setitem(EndgameApp.MODES, "practise", _Practise)


@asynccontextmanager
async def opened(
    root: Path, size: tuple[int, int] = (80, 24), now: float | None = NOW
) -> AsyncIterator[tuple[Pilot[None], EndgameApp]]:
    app = EndgameApp(None, root, ascii=False)
    if now is not None:
        app.session.journal.clock = lambda: now
    async with app.run_test(size=size) as pilot:
        await pilot.press("5")
        await settled(pilot)
        assert isinstance(app.screen, ProgressScreen)
        yield pilot, app


async def settled(pilot: Pilot[None]) -> None:
    """Waits until nothing is being read or written."""
    while True:
        await pilot.pause()
        if all(worker.is_finished for worker in pilot.app.workers):
            break
        await pilot.app.workers.wait_for_complete()
    await pilot.pause()


async def press(pilot: Pilot[None], *keys: str) -> None:
    await pilot.press(*keys)
    await settled(pilot)


async def typed(pilot: Pilot[None], text: str) -> None:
    """Types a text over what the prompt proposes."""
    await pilot.press("ctrl+u")
    pilot.app.screen.query_one(Prompt).post_message(Paste(text))
    await pilot.pause()
    await press(pilot, "enter")


def said(app: EndgameApp) -> str:
    return app.screen.query_one(JobStrip).view.words


def about(app: EndgameApp) -> str:
    view = app.screen.query_one(About).view
    return " ".join([view.title, *view.lines])


def panel(app: EndgameApp, name: str) -> Panel[Any]:
    return app.screen.query_one(f"#{name}", Panel)


def focused(app: EndgameApp) -> str:
    return (app.focused.id or "") if app.focused else ""


async def test_the_figures_are_those_of_the_command(root: Path) -> None:
    seed(root, time.time())
    runner = CliRunner().invoke(main, ["--data-dir", str(root), "stats", "--json"])
    said_there = json.loads(runner.stdout)
    async with opened(root, now=None) as (_, app):
        assert [(row.ending, row.drills, row.solved) for row in panel(app, "solved").view] == [
            (found["ending"], found["drills"], found["solved"]) for found in said_there["endings"]
        ]
        assert [(row.ending, row.label, row.drills, row.solved) for row in panel(app, "hardest").view] == [
            (found["ending"], found["label"], found["drills"], found["solved"]) for found in said_there["themes"]
        ]
        assert [day.themes for day in panel(app, "due").view] == said_there["due"]
        assert [drills for drills in panel(app, "days").view.drills if drills] == list(said_there["days"].values())
        assert panel(app, "days").view.longest == said_there["longest_run"]
        recent = [(found["plies_lost"], found["outcome"] == "solved") for found in said_there["recent"]]
        assert [(row.plies, row.solved) for row in panel(app, "last").view] == recent
        assert [(column.plies, column.solved) for column in panel(app, "lost").view] == recent[::-1]
        numbers = [figure.number for figure in app.screen.query_one(FiguresRow).view]
        share = 100 * said_there["solved"] / said_there["drills"]
        assert numbers == [
            str(said_there["due"][0]), str(said_there["days_in_a_row"]), f"{share:.0f} %",
            f"{said_there['plies_lost']:.1f}",
        ]  # fmt: skip


@pytest.mark.parametrize("size", [(80, 24), pytest.param((120, 40), marks=pytest.mark.slow)])
async def test_tab_goes_round_and_arrows_move(practised: Path, size: tuple[int, int]) -> None:
    async with opened(practised, size) as (pilot, app):
        shown = [name for name in PANELS if name != "last" or size[0] > 100]
        assert focused(app) == shown[0] == "hardest"
        for name in [*shown[1:], shown[0]]:
            await pilot.press("tab")
            assert focused(app) == name
            here, words = panel(app, name), about(app)
            if name in ("days", "lost", "due"):
                keys = ("right", "left") if name == "due" else ("left", "right")
            else:
                keys = ("down", "up")
            before = here.cursor
            await pilot.press(keys[0])
            assert here.cursor != before and about(app) != words
            await pilot.press(keys[1])
            assert here.cursor == before and about(app) == words
            await pilot.press("home")
            assert here.cursor == 0
            await pilot.press("end")
            assert here.cursor == here.count - 1
        await pilot.press("shift+tab")
        assert focused(app) == shown[-1]
        await pilot.press("escape")
        assert focused(app) == "hardest"


async def test_days_move_by_days_and_weeks(practised: Path) -> None:
    async with opened(practised) as (pilot, app):
        app.screen.set_focus(panel(app, "days"))
        await pilot.pause()
        today = panel(app, "days").cursor
        assert "21 Nov" in about(app)
        await pilot.press("left", "up")
        assert panel(app, "days").cursor == today - 8 and "Fri 13 Nov" in about(app)
        await press(pilot, "enter")
        assert isinstance(app.screen, AttemptsScreen)
        assert app.screen.query_one(TopBar).crumbs[-1] == "to 13 Nov"
        assert all(row.when != "today" for row in panel(app, "attempts").view)


@pytest.mark.parametrize("name", ["hardest", "solved", "due"])
async def test_enter_drills_the_theme(practised: Path, practise: None, name: str) -> None:
    async with opened(practised) as (pilot, app):
        app.screen.set_focus(panel(app, name))
        await pilot.pause()
        progress = app.screen
        assert isinstance(progress, ProgressScreen)
        theme = progress.theme_at(name, 0)
        await press(pilot, "enter")
        assert isinstance(app.screen, _Practise)
        assert app.session.drill == ("" if theme is None else theme.theme)


async def test_enter_leads_to_the_drill_itself(practised: Path) -> None:
    async with opened(practised) as (pilot, app):
        labels = [(row.ending, row.label) for row in panel(app, "hardest").view]
        await press(pilot, *["down"] * labels.index(("KBNvK", "mate in 1–10")), "enter")
        assert isinstance(app.screen, DrillScreen)
        assert app.screen.position.occupied.bit_count() == 4 and app.session.drill is None


async def test_enter_on_a_later_day_drills_its_first_theme(practised: Path, practise: None) -> None:
    async with opened(practised) as (pilot, app):
        app.screen.set_focus(panel(app, "due"))
        await press(pilot, "right", "enter")
        assert app.session.drill == THEMES[3][0]


async def test_a_day_without_anything_due(practised: Path) -> None:
    async with opened(practised) as (pilot, app):
        app.screen.set_focus(panel(app, "due"))
        await press(pilot, "end", "enter")
        assert "nothing is due" in said(app).lower() and isinstance(app.screen, ProgressScreen)


async def test_enter_on_a_game_reviews_it(practised: Path) -> None:
    async with opened(practised) as (pilot, app):
        labels = [row.label for row in panel(app, "hardest").view]
        await press(pilot, *["down"] * labels.index("game"), "enter")
        assert isinstance(app.screen, AttemptsScreen)
        assert {row.label for row in panel(app, "attempts").view} == {"game"}


async def test_review_of_a_theme_an_ending_and_all(practised: Path) -> None:
    async with opened(practised) as (pilot, app):
        await press(pilot, "r")
        hardest = app.screen.query_one(AttemptsPanel).view
        assert len({(row.ending, row.label) for row in hardest}) == 1
        await press(pilot, "a")
        assert len({row.ending for row in app.screen.query_one(AttemptsPanel).view}) > 3
        await press(pilot, "escape")
        assert isinstance(app.screen, ProgressScreen)
        app.screen.set_focus(panel(app, "solved"))
        await press(pilot, "end", "r")
        assert len({row.ending for row in app.screen.query_one(AttemptsPanel).view}) == 1


async def test_attempts_are_read_page_by_page(root: Path) -> None:
    now = [NOW - 1_000_000]
    journal = Journal(paths.journal_file(root), clock=lambda: now[0])
    for _ in range(2 * PAGE + 10):
        now[0] += 60
        attempt = Attempt(theme="KQvK mate white", ending="KQvK", mode="mate", start="x", colour="white")
        record(journal, attempt, (), Outcome.SOLVED)
    journal.close()
    async with opened(root) as (pilot, app):
        await press(pilot, "r")
        found = panel(app, "attempts")
        assert found.count == PAGE
        await press(pilot, "end")
        await press(pilot, "end")
        await press(pilot, "end")
        assert found.count == 2 * PAGE + 10
        await press(pilot, "enter")
        assert "cannot" in said(app) or "FEN" in said(app)  # the start is no position


async def replaying(pilot: Pilot[None], app: EndgameApp) -> ReplayScreen:
    app.screen.set_focus(panel(app, "lost"))
    await press(pilot, "end", "enter")
    assert isinstance(app.screen, ReplayScreen)
    return app.screen


def at(app: EndgameApp) -> int:
    assert isinstance(app.screen, ReplayScreen) and app.screen._replay is not None
    return app.screen._replay.at


@pytest.mark.parametrize("size", [(80, 24), *(pytest.param(s, marks=pytest.mark.slow) for s in ((120, 40), (40, 20)))])
async def test_replay_steps_through_every_move(practised: Path, size: tuple[int, int]) -> None:
    async with opened(practised, size) as (pilot, app):
        screen = await replaying(pilot, app)
        replay = screen._replay
        assert replay is not None and [item.made.san for item in replay.items] == [made.san for made in GAME]
        for number, made in enumerate(GAME):
            assert at(app) == number
            words = screen.query_one(ReasonRow).view
            assert made.san in words.heading
            assert ("taken back" in words.sentence) == made.taken
            assert replay.position == replay.items[number].before
            await pilot.press("right")
        assert at(app) == len(GAME) and "end of the attempt" in screen.query_one(ReasonRow).view.sentence
        await pilot.press("right", "left", "h", "l")
        assert at(app) == len(GAME) - 1
        await pilot.press("home")
        assert at(app) == 0
        await pilot.press("end")
        assert at(app) == len(GAME)
        await pilot.press("e")
        assert at(app) == 0
        await pilot.press("e")
        assert at(app) == 8 and "2 plies later" in screen.query_one(ReasonRow).view.sentence
        await pilot.press("e", "escape")
        assert isinstance(app.screen, ProgressScreen)


async def test_replay_names_the_best_move(practised: Path) -> None:
    async with opened(practised) as (pilot, app):
        screen = await replaying(pilot, app)
        words = screen.query_one(ReasonRow).view
        assert words.heading == "1.e6" and "lets the win go; best: Ke6" in words.sentence and words.role == "draw"


async def test_replay_turns_sends_and_adds(practised: Path) -> None:
    async with opened(practised) as (pilot, app):
        screen = await replaying(pilot, app)
        assert not screen._flipped
        await pilot.press("f")
        assert screen._flipped
        await press(pilot, "plus", "enter")
        assert "added to my positions" in said(app).lower()
        await press(pilot, "right", "s")
        assert isinstance(app.screen, ExploreScreen)
        assert app.screen.walk.position.fen().startswith("4k3/8/3KP3/")
        own = app.session.studies.own()
        assert [study.position.split()[0] for study in own[0].studies] == ["4k3/8/3K4/4P3/8/8/8/8"]


async def test_plus_on_play(root: Path) -> None:
    async with opened(root) as (pilot, app):
        await press(pilot, "3", "plus", "enter")
        assert "Added to My positions: KQvK" in said(app)


async def test_plus_on_explore_adds_to_any_set(root: Path) -> None:
    async with opened(root) as (pilot, app):
        await press(pilot, "1", "plus")
        await typed(pilot, "Queens")
        assert "Added to Queens: KQvK" in said(app)
        assert [(found.name, len(found.studies)) for found in app.session.studies.own()] == [("Queens", 1)]
        await press(pilot, "plus")
        await typed(pilot, "queens")
        assert "has this position already" in said(app)
        await press(pilot, "plus")
        await typed(pilot, "!")
        assert "no letter" in said(app)
        await press(pilot, "escape")
        await press(pilot, "plus")
        await typed(pilot, "Rook endings")
        assert "shipped" in said(app)


async def test_weeks(practised: Path) -> None:
    async with opened(practised) as (pilot, app):
        top, figures = app.screen.query_one(TopBar), app.screen.query_one(FiguresRow)
        assert top.crumbs == ("Last 6 weeks",)
        all_drills = figures.view[2].words
        await press(pilot, "less_than_sign", "less_than_sign", "less_than_sign")
        assert top.crumbs == ("This week",) and figures.view[2].words != all_drills
        await press(pilot, "greater_than_sign")
        assert top.crumbs == ("Last 2 weeks",)
        await press(pilot, "left_square_bracket")
        assert top.crumbs == ("2 weeks to 8 Nov",)
        await press(pilot, "right_square_bracket", "right_square_bracket")
        assert top.crumbs == ("Last 2 weeks",)
        await press(pilot, *["left_square_bracket"] * 9)
        assert figures.view[2].words == "of 0 solved"


async def test_export_and_import(practised: Path, tmp_path: Path) -> None:
    file = tmp_path / "out.jsonl"
    async with opened(practised) as (pilot, app):
        await press(pilot, "o")
        await typed(pilot, str(file))
        assert "written to" in said(app) and str(file) in said(app)
        whole = file.read_text()
        await press(pilot, "o")
        await typed(pilot, str(tmp_path / "none" / "x"))
        assert "no directory" in said(app)
        file.write_text("mine")
        await typed(pilot, str(file))
        await press(pilot, "n")
        assert file.read_text() == "mine"
        await press(pilot, "o")
        await typed(pilot, str(file))
        await press(pilot, "y")
        assert file.read_text() == whole
        await press(pilot, "o")
        await typed(pilot, str(tmp_path))
        assert (tmp_path / EXPORT).read_text() == whole
    other = tmp_path / "other"
    async with opened(other) as (pilot, app):
        await press(pilot, "O")
        await typed(pilot, str(tmp_path / "missing"))
        assert "is no file" in said(app)
        await press(pilot, "escape", "O")
        await typed(pilot, str(file))
        assert "added" in said(app) and panel(app, "hardest").count
        file.write_text('{"kind": "attempt"}\nnonsense\n')
        await press(pilot, "O")
        await typed(pilot, str(file))
        assert "line 1 left out (and 1 more)" in said(app)


async def test_nothing_practised_yet(root: Path) -> None:
    async with opened(root) as (pilot, app):
        screen = app.screen
        assert isinstance(screen, ProgressScreen)
        shown = screen.regions(screen.size)
        assert "welcome" in shown and not set(PANELS) & set(shown)
        await press(pilot, "r", "tab", "escape")
        await press(pilot, "r")
        assert "no attempt" in said(app)


async def test_an_attempt_that_was_never_finished_can_be_reviewed(root: Path) -> None:
    journal = Journal(paths.journal_file(root), clock=lambda: NOW)
    attempt = Attempt(theme="KPvK mate white", ending="KPvK", mode="mate", start=START, colour="white", goal="win")
    record(journal, attempt, GAME[2:6], Outcome.OPEN)
    async with opened(root) as (pilot, app):
        await press(pilot, "r")
        assert [(row.solved, row.result) for row in panel(app, "attempts").view] == [(None, "unfinished")]
        await press(pilot, "enter")
        assert isinstance(app.screen, ReplayScreen) and app.screen._replay is not None
        assert [item.made.san for item in app.screen._replay.items] == ["Ke6", "Kd8", "Kf7", "Kd7"]
    journal.close()


async def test_new_attempts_are_seen_on_coming_back(practised: Path) -> None:
    async with opened(practised) as (pilot, app):
        before = app.screen.query_one(FiguresRow).view[2].words
        await press(pilot, "1")
        attempt = Attempt(theme="KQvK mate white", ending="KQvK", mode="mate", start="x", colour="white")
        record(app.session.journal, attempt, (), Outcome.SOLVED)
        await press(pilot, "5")
        assert app.screen.query_one(FiguresRow).view[2].words != before


async def test_a_corrupt_journal_is_put_aside_and_said(root: Path) -> None:
    paths.journal_file(root).write_bytes(b"This is no database, but it is long enough." * 100)
    async with opened(root) as (_, app):
        assert "corrupt" in said(app) and "damaged" in said(app)


async def test_a_journal_of_a_newer_version_is_left_alone_and_said(root: Path) -> None:
    seed(root)
    with sqlite3.connect(paths.journal_file(root)) as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    async with opened(root) as (_, app):
        assert "newer version" in said(app)


async def test_a_locked_journal_is_said(root: Path) -> None:
    seed(root)
    connection = sqlite3.connect(paths.journal_file(root), isolation_level=None)
    connection.execute("PRAGMA locking_mode = EXCLUSIVE")
    connection.execute("PRAGMA journal_mode = DELETE")
    connection.execute("BEGIN EXCLUSIVE")
    try:
        async with opened(root) as (pilot, app):
            assert "locked" in said(app)
            connection.execute("COMMIT")
            connection.close()
            await press(pilot, "1", "5")
            assert panel(app, "hardest").count
    finally:
        connection.close()


async def test_the_mouse_points_and_chooses(practised: Path) -> None:
    async with opened(practised, (120, 40)) as (pilot, app):
        await pilot.click("#last", offset=(5, 3))
        await settled(pilot)
        assert focused(app) == "last" and panel(app, "last").cursor == 2
        await pilot.click("#due", offset=(11, 1))
        await settled(pilot)
        assert focused(app) == "due" and panel(app, "due").cursor == 1
        await pilot.click("#last", offset=(5, 3))
        await pilot.pause()
        await pilot.click("#last", offset=(5, 3))
        await settled(pilot)
        assert isinstance(app.screen, ReplayScreen)


async def test_a_panel_that_goes_gives_the_focus_back(practised: Path) -> None:
    async with opened(practised, (120, 40)) as (pilot, app):
        app.screen.set_focus(panel(app, "last"))
        await pilot.pause()
        await pilot.resize_terminal(80, 24)
        await settled(pilot)
        assert focused(app) == "hardest"


@pytest.mark.slow
async def test_every_size_is_drawn_and_the_focus_stays_on_the_screen(practised: Path) -> None:
    async with opened(practised, (120, 40)) as (pilot, app):
        for keys in ((), ("r",), ("enter",)):
            await press(pilot, *keys)
            for size in ((120, 40), (80, 24), (76, 17), (60, 12), (40, 20), (30, 10), (20, 8), (200, 60), (120, 40)):
                await pilot.resize_terminal(*size)
                await settled(pilot)
                if not keys:
                    if size == (120, 40):
                        app.screen.set_focus(panel(app, "last"))
                        await pilot.pause()
                    assert app.focused is None or app.focused.region.area


async def test_help_and_palette_tell_the_keys(practised: Path) -> None:
    told = {(key, does) for _, keys in sections() for key, does in keys}
    wanted = {("5", "Progress"), ("o", "Export the journal"), ("O", "Import a journal"), ("r", "Review attempts")}
    assert wanted <= told and ("+", "Add it to your studies") in told
    async with opened(practised) as (_, app):
        names = {hit.text async for hit in Actions(app.screen).discover()}
        assert {"Export the journal", "Import a journal", "Review attempts", "More weeks", "Progress"} <= names


sizes = st.tuples(st.integers(20, 220), st.integers(8, 70))


@given(sizes, st.booleans(), st.sampled_from(["chess", "morris"]))
def test_no_panel_covers_another_or_leaves_the_screen(size: tuple[int, int], flag: bool, game: str) -> None:
    width, height = size
    screen = Region(0, 0, width, height)
    replayed = replay_plan(width, height, board_size(game, width, height, flag), strip=flag).regions
    for made in (plan(width, height, strip=flag), replayed):
        tight = "board" in made and made["board"].right > width
        regions = [region for region in made.values() if region.area]
        for number, region in enumerate(regions):
            assert tight or screen.contains_region(region)
            for other in regions[number + 1 :]:
                assert tight or not region.overlaps(other)


def test_an_export_and_a_journal_agree(practised: Path, tmp_path: Path) -> None:
    journal = Journal(paths.journal_file(practised))
    lines = export_file(journal, tmp_path / "x")
    assert lines == len((tmp_path / "x").read_text().splitlines())
    journal.close()

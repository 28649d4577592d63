"""Every key of the Library screen, the help and the palette, pressed as a user presses them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.pilot import Pilot

from endgame_core.tables.build import Event
from endgame_core.tables.library import Library
from endgame_tui.app import EndgameApp
from endgame_tui.jobs import Job
from endgame_tui.screens.explore import ExploreScreen
from endgame_tui.screens.help import HelpScreen
from endgame_tui.screens.library import LibraryScreen
from endgame_tui.session import Session
from endgame_tui.widgets.detail import Detail
from endgame_tui.widgets.frame import JobStrip
from tests.conftest import build


@asynccontextmanager
async def opened(library: Library, size: tuple[int, int] = (80, 24)) -> AsyncIterator[tuple[Pilot[None], EndgameApp]]:
    app = EndgameApp(None, library.root, ascii=False)
    async with app.run_test(size=size) as pilot:
        await pilot.press("2")
        await pilot.pause()
        assert isinstance(app.screen, LibraryScreen)
        yield pilot, app


def said(app: EndgameApp) -> str:
    return app.screen.query_one(JobStrip).view.words


async def finished(pilot: Pilot[None], app: EndgameApp) -> None:
    """Waits until no build or verification is under way."""
    while app.session.job is not None or any(not w.is_finished for w in app.workers):
        await app.workers.wait_for_complete()
        await pilot.pause()


async def go_to(pilot: Pilot[None], ending: str) -> None:
    await pilot.press("slash", *ending, "enter")
    await pilot.pause()


async def test_enter_builds_and_then_opens(empty_library: Library) -> None:
    async with opened(empty_library) as (pilot, app):
        await go_to(pilot, "KRvKB")
        await pilot.press("enter")
        assert app.session.job is not None
        await finished(pilot, app)
        assert empty_library.is_built("KRvKB") and empty_library.is_built("KBvK")
        assert "built" in said(app)
        await pilot.press("enter")
        await pilot.pause()
        assert isinstance(app.screen, ExploreScreen)
        place = app.screen.walk.facts.place
        assert place is not None and (place.ending, place.n) == ("KRvKB", 57)


async def test_cancel_keeps_what_is_finished(empty_library: Library) -> None:
    async with opened(empty_library) as (pilot, app):
        await go_to(pilot, "KRRvKR")
        await pilot.press("enter")
        await pilot.press("x")
        await finished(pilot, app)
        assert not empty_library.is_built("KRRvKR")
        assert "cancelled" in said(app) and "kept" in said(app)


async def test_a_build_goes_on_behind_the_other_screen(empty_library: Library) -> None:
    async with opened(empty_library) as (pilot, app):
        await go_to(pilot, "KNvK")
        await pilot.press("enter", "1")
        await finished(pilot, app)
        await pilot.pause()
        assert isinstance(app.screen, ExploreScreen) and "KNvK is built" in said(app)


async def test_resizing_while_building(empty_library: Library) -> None:
    async with opened(empty_library) as (pilot, app):
        await go_to(pilot, "KQvKN")
        await pilot.press("enter")
        for size in ((120, 40), (40, 20), (30, 10), (80, 24)):
            await pilot.resize_terminal(*size)
            await pilot.pause()
        await finished(pilot, app)
        assert empty_library.is_built("KQvKN")


async def test_a_set_is_built_after_asking(empty_library: Library) -> None:
    async with opened(empty_library) as (pilot, app):
        await pilot.press("m", "3")
        await pilot.pause()
        await pilot.press("enter")
        await finished(pilot, app)
        assert empty_library.built() == ["KQvK", "KRvK", "KBvK", "KNvK", "KPvK"]
        await pilot.press("m", "escape")
        assert app.session.job is None


async def test_delete_asks_first(empty_library: Library) -> None:
    build(empty_library, ["KBvK"])
    async with opened(empty_library) as (pilot, app):
        await go_to(pilot, "KBvK")
        await pilot.press("d", "n")
        assert empty_library.path("KBvK").exists()
        await pilot.press("d", "y")
        await pilot.pause()
        assert not empty_library.path("KBvK").exists() and "deleted" in said(app)


async def test_verify_says_how_much_it_compared(library: Library) -> None:
    async with opened(library) as (pilot, app):
        await go_to(pilot, "KRvKB")
        await pilot.press("v")
        await finished(pilot, app)
        assert "1 000 positions" in said(app)


async def test_verify_names_a_corrupt_table(empty_library: Library) -> None:
    build(empty_library, ["KBvKN"])
    path = empty_library.path("KBvKN")
    whole = bytearray(path.read_bytes())
    whole[-20] ^= 255
    path.write_bytes(bytes(whole))
    async with opened(empty_library) as (pilot, app):
        await go_to(pilot, "KBvKN")
        await pilot.press("v")
        await finished(pilot, app)
        assert "corrupt" in said(app) and "build it again" in said(app)


async def test_an_ending_with_pawns_is_built_and_opened(empty_library: Library) -> None:
    async with opened(empty_library) as (pilot, app):
        await go_to(pilot, "KPvK")
        await pilot.press("enter")
        await finished(pilot, app)
        assert empty_library.is_built("KPvK")
        await pilot.press("enter")
        await pilot.pause()
        assert isinstance(app.screen, ExploreScreen)
        place = app.screen.walk.facts.place
        assert place is not None and (place.ending, place.n) == ("KPvK", 55)


@pytest.mark.parametrize(
    ("ending", "title"), [("krpkr", "Rook and pawn against rook"), ("kppkp", "Two pawns against pawn")]
)
async def test_pawns_are_found_and_named(empty_library: Library, ending: str, title: str) -> None:
    async with opened(empty_library) as (pilot, app):
        await go_to(pilot, ending)
        view = app.screen.query_one(Detail).view
        assert view.entry is not None and view.entry.ending.lower().replace("v", "") == ending
        assert (view.title, view.entry.state) == (title, "missing")
        assert view.price is not None and view.price.endings == 1 + len(view.entry.missing)


async def test_progress_in_placements(empty_library: Library) -> None:
    async with opened(empty_library) as (pilot, app):
        await go_to(pilot, "KPPvKP")
        job = app.session.job = Job(("KPPvKP",))
        for done in (8, 1234):
            job.take(Event("slices", "KPPvKP", step=3, steps=9, done=done, total=25944, fraction=0.5, left=30))
            app.screen.post_message(Session.Progressed())
            await pilot.pause()
            strip = app.screen.query_one(JobStrip)
            assert strip.view.layer == f"pawns {done:5}/25944" and job.sizes == []
            assert "".join(segment.text for segment in strip.draw()[0]).index("━") == 30
        app.session.job = None


async def test_moving_and_folding(empty_library: Library) -> None:
    async with opened(empty_library) as (pilot, app):
        screen = app.screen
        assert isinstance(screen, LibraryScreen)
        seen: list[object] = []
        for key in ("j", "down", "k", "pagedown", "end", "home", "left", "right", "up", "enter"):
            await pilot.press(key)
            seen.append(screen._cursor)
        assert len({str(cursor) for cursor in seen}) > 4
        assert not said(app)


async def test_help_shows_every_binding_and_goes_away(empty_library: Library) -> None:
    async with opened(empty_library) as (pilot, app):
        await pilot.press("question_mark")
        assert isinstance(app.screen, HelpScreen)
        await pilot.press("down", "escape")
        assert isinstance(app.screen, LibraryScreen)


async def test_the_palette_runs_actions(empty_library: Library) -> None:
    async with opened(empty_library) as (pilot, app):
        await pilot.press("1", "ctrl+p", *"turn")
        await app.workers.wait_for_complete()
        await pilot.pause()
        await pilot.press("enter")
        await pilot.pause()
        assert isinstance(app.screen, ExploreScreen) and app.screen._flipped


async def test_a_directory_that_cannot_be_written(tmp_path: Path, kernels: None) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    from endgame_core.chess.game import CHESS

    async with opened(Library(CHESS, blocked)) as (pilot, app):
        await go_to(pilot, "KBvK")
        await pilot.press("enter")
        await finished(pilot, app)
        assert "cannot be written" in said(app)

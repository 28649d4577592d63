"""Every key of the Library screen, the help and the palette, pressed as a user presses them, in both games."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from endgame_core.chess.game import CHESS
from endgame_core.errors import BuildCancelledError
from endgame_core.morris.rules import Move, Position
from endgame_core.tables.build import Event
from endgame_core.tables.explorer import Explorer
from endgame_core.tables.library import Library
from endgame_tui.app import EndgameApp
from endgame_tui.jobs import Ended, Job, Progressed, Wish
from endgame_tui.screens.explore import ExploreScreen, LayersPanel
from endgame_tui.screens.help import sections
from endgame_tui.screens.library import Endings, LibraryScreen
from endgame_tui.screens.practise import PractiseScreen
from endgame_tui.widgets.bars import keys_of
from endgame_tui.widgets.charts import WindowChart
from tests.conftest import build
from tests.tui.desk import said
from tests.tui.printed import rows, text, within


@asynccontextmanager
async def opened(root: Path, size: tuple[int, int] = (80, 24), game: str = "chess") -> AsyncIterator[Pilot[None]]:
    app = EndgameApp(None, root, ascii=False)
    async with app.run_test(size=size) as pilot:
        await pilot.press(*{"chess": "2", "morris": "2G"}[game])
        await pilot.pause()
        assert "all endings" in rows(pilot)[0]
        yield pilot


def pointed(pilot: Pilot[None]) -> str:
    """The row of the list the cursor is on."""
    return next((row[1:].strip() for row in within(pilot, "#endings")[1:] if row.startswith("▸")), "")


def detail(pilot: Pilot[None]) -> list[str]:
    """What is said of the ending under the cursor."""
    return [row.strip() for row in within(pilot, "#detail")]


def screen_of(pilot: Pilot[None]) -> str:
    """The screen whose name is written out in the first row, and what the row begins with."""
    return rows(pilot)[0]


async def finished(pilot: Pilot[None]) -> None:
    """Waits until no build or verification is under way."""
    await pilot.pause()
    while any(not worker.is_finished for worker in pilot.app.workers):
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()


async def go_to(pilot: Pilot[None], ending: str) -> None:
    await pilot.press("slash", *ending, "enter")
    await pilot.pause()


@pytest.mark.parametrize(("ending", "layer"), [("KRvKB", "S57"), ("KPvK", "S55")])
async def test_enter_builds_and_then_opens(empty_library: Library, ending: str, layer: str) -> None:
    first = len(empty_library.entry(ending).missing)
    async with opened(empty_library.root) as pilot:
        await go_to(pilot, ending)
        await pilot.press("enter")
        await finished(pilot)
        assert empty_library.is_built(ending) and all(map(empty_library.is_built, CHESS.needs(ending)))
        assert said(pilot) == f"{ending} is built (and {first} it needs)."
        await pilot.press("enter")
        await pilot.pause()
        assert screen_of(pilot).startswith(f" {ending} ▸ White wins ▸ {layer} ")


async def test_cancel_keeps_what_is_finished(empty_library: Library) -> None:
    async with opened(empty_library.root) as pilot:
        await go_to(pilot, "KRRvKR")
        await pilot.press("enter")
        await pilot.press("x")
        await finished(pilot)
        assert not empty_library.is_built("KRRvKR")
        assert "cancelled" in said(pilot) and "kept" in said(pilot)


async def test_a_second_build_waits(empty_library: Library) -> None:
    async with opened(empty_library.root) as pilot:
        for ending in ("KNvK", "KBvK"):
            await go_to(pilot, ending)
            await pilot.press("enter")
        await pilot.press("enter")
        await finished(pilot)
        assert empty_library.is_built("KNvK") and empty_library.is_built("KBvK")


async def test_x_cancels_what_runs_and_says_what_waits(empty_library: Library) -> None:
    async with opened(empty_library.root) as pilot:
        for ending in ("KRRvKR", "KNvK", "KBvK"):
            await go_to(pilot, ending)
            await pilot.press("enter")
        await pilot.pause()
        assert "1 building  2 waiting" in rows(pilot)[1]
        assert pointed(pilot).split()[-2] == "2", "its place, where there is no room for words"
        assert "waiting, 2nd" in detail(pilot)[0] and "needs nothing first" in detail(pilot)
        await pilot.press("greater_than_sign")
        assert "waiting, 2nd" in detail(pilot)[0] and "Only what waits" in rows(pilot)[-3]
        await pilot.press("less_than_sign")
        await pilot.pause()
        assert "waiting, 1st" in detail(pilot)[0] and not said(pilot).startswith("Only")
        await pilot.press("d")
        await pilot.pause()
        assert said(pilot) == "KBvK does not wait any more." and "waiting" not in detail(pilot)[0]
        await pilot.press("x")
        while "cancelled" not in said(pilot):
            await pilot.pause(0.01)
        assert said(pilot).startswith("The build of KRRvKR was cancelled")
        await finished(pilot)
        assert empty_library.is_built("KNvK"), "what waited went on"
        assert not empty_library.is_built("KRRvKR") and not empty_library.is_built("KBvK")


async def test_a_second_x_cancels_the_rest(empty_library: Library) -> None:
    async with opened(empty_library.root) as pilot:
        for ending in ("KRRvKR", "KRRvKB", "KRRvKN"):
            await go_to(pilot, ending)
            await pilot.press("enter")
        await pilot.press("x", "x")
        await finished(pilot)
        assert not any(map(empty_library.is_built, ("KRRvKR", "KRRvKB", "KRRvKN")))
        assert "waiting" not in rows(pilot)[1] and "cancelled" in said(pilot)


async def test_what_is_cancelled_names_what_waits(empty_library: Library) -> None:
    wish = Ended(Wish(("KRRvKR",)), BuildCancelledError(), waiting=1)
    assert wish.words == "the build of KRRvKR was cancelled; and 1 waiting: x cancels it, too."
    assert len(wish.words) < 78, "it fits into a row of the smallest usual screen"


async def test_q_during_a_build_asks_once(empty_library: Library) -> None:
    async with opened(empty_library.root) as pilot:
        await go_to(pilot, "KRRvKR")
        await pilot.press("enter")
        await pilot.press("q")
        await pilot.pause()
        assert "Quit? It stops the build of KRRvKR" in rows(pilot)[-1] and "q quit" in rows(pilot)[-1]
        await pilot.press("escape")
        await pilot.pause()
        assert pilot.app.is_running and "building" in rows(pilot)[1]
        await pilot.press("q", "q")
        await pilot.pause()
        assert pilot.app.return_code == 0 and not empty_library.is_built("KRRvKR")


async def test_another_program_at_work_is_waited_for_and_followed(empty_library: Library) -> None:
    other = Library(CHESS, empty_library.root)
    async with opened(empty_library.root) as pilot:
        app = pilot.app
        assert isinstance(app, EndgameApp)
        await go_to(pilot, "KNvK")
        with other.locked("the build of KBvK"):
            await pilot.press("enter")
            while "waits for the build of KBvK" not in said(pilot):
                await pilot.pause(0.01)
            app.jobs.watch()
            before = int(rows(pilot)[1].split()[0])
            solved = CHESS.solver.solve("KBvK", lambda *_: None, 1, lambda _: None)
            other.write("KBvK", solved)
            app.jobs.watch()
            await pilot.pause()
            assert int(rows(pilot)[1].split()[0]) == before + 1
        await finished(pilot)
        assert empty_library.is_built("KNvK") and said(pilot) == "KNvK is built."


async def test_an_app_that_ends_waits_for_nobody(empty_library: Library) -> None:
    """As after a fault, when nobody has pressed q."""
    with Library(CHESS, empty_library.root).locked("the build of KBvK"):
        async with opened(empty_library.root) as pilot:
            await go_to(pilot, "KNvK")
            await pilot.press("enter")
            while "waits for the build of KBvK" not in said(pilot):
                await pilot.pause(0.01)
        await asyncio.wait_for(asyncio.get_running_loop().shutdown_default_executor(), 10)
    assert not empty_library.is_built("KNvK")


async def test_a_build_goes_on_behind_the_other_screen(empty_library: Library) -> None:
    async with opened(empty_library.root) as pilot:
        await go_to(pilot, "KNvK")
        await pilot.press("enter", "1")
        await finished(pilot)
        assert "all endings" not in rows(pilot)[0] and "KNvK is built" in said(pilot)


async def test_resizing_while_building(empty_library: Library) -> None:
    async with opened(empty_library.root) as pilot:
        await go_to(pilot, "KQvKN")
        await pilot.press("enter")
        for size in ((120, 40), (40, 20), (30, 10), (80, 24)):
            await pilot.resize_terminal(*size)
            await pilot.pause()
        await finished(pilot)
        assert empty_library.is_built("KQvKN")


async def test_a_set_is_built_after_asking(empty_library: Library) -> None:
    async with opened(empty_library.root) as pilot:
        await pilot.press("m")
        assert rows(pilot)[-1].split("  ")[-4:] == ["3 men", "4 men", "5 men", "Esc no"]
        await pilot.press("3")
        await pilot.pause()
        assert rows(pilot)[-1].strip().startswith("Build 3 endings? ") and "Enter build" in rows(pilot)[-1]
        await pilot.press("enter")
        await finished(pilot)
        assert empty_library.built() == ["KQvK", "KRvK", "KBvK", "KNvK", "KPvK"]
        await pilot.press("m", "3")
        assert said(pilot) == "All endings of 3 men are built."
        await pilot.press("m", "escape")
        assert "Enter" in rows(pilot)[-1] and "building" not in rows(pilot)[1]


async def test_a_set_of_stones_is_asked_for(morris: Explorer[Position, Move]) -> None:
    async with opened(morris.library.root, game="morris") as pilot:
        await pilot.press("m", "8")
        assert said(pilot) == "All endings of 6 to 8 stones are built."
        await pilot.press("m")
        assert "0 up to 10" in rows(pilot)[-1]
        await pilot.press("0")
        assert "Enter build" in rows(pilot)[-1]


async def test_delete_asks_first(empty_library: Library) -> None:
    build(empty_library, ["KBvK"])
    async with opened(empty_library.root) as pilot:
        await go_to(pilot, "KBvK")
        await pilot.press("d")
        assert rows(pilot)[-1].strip().startswith("Delete KBvK? It frees ")
        await pilot.press("n")
        assert empty_library.path("KBvK").exists()
        await pilot.press("d", "y")
        await pilot.pause()
        assert not empty_library.path("KBvK").exists() and said(pilot).startswith("KBvK is deleted, ")


async def test_what_is_shipped_and_what_is_not_there_stays(tmp_path: Path) -> None:
    async with opened(tmp_path / "data") as pilot:
        await pilot.press("d")
        assert said(pilot).startswith("KQvK is shipped with the program")
        await go_to(pilot, "KBvK")
        await pilot.press("d")
        assert said(pilot) == "There is no table to delete here."
        await pilot.press("v")
        assert said(pilot) == "Only a table that is built can be verified."
        await pilot.press("escape")
        assert not said(pilot)


@pytest.mark.parametrize(("game", "ending"), [("chess", "KRvKB"), ("morris", "3-3")])
async def test_verify_says_how_much_it_compared(
    library: Library, morris: Explorer[Position, Move], game: str, ending: str
) -> None:
    root = library.root if game == "chess" else morris.library.root
    async with opened(root, game=game) as pilot:
        await go_to(pilot, ending)
        await pilot.press("v")
        await finished(pilot)
        assert said(pilot).startswith(f"{ending} is sound: ") and "1 000 positions agree." in said(pilot)


async def test_verify_names_a_corrupt_table(empty_library: Library) -> None:
    build(empty_library, ["KBvKN"])
    path = empty_library.path("KBvKN")
    whole = bytearray(path.read_bytes())
    whole[-20] ^= 255
    path.write_bytes(bytes(whole))
    async with opened(empty_library.root) as pilot:
        await go_to(pilot, "KBvKN")
        await pilot.press("v")
        await finished(pilot)
        assert "corrupt" in said(pilot) and "build it again" in said(pilot)
        assert "✗" in pointed(pilot) and "damaged" in detail(pilot)[0]


@pytest.mark.parametrize(
    ("ending", "title"), [("krpkr", "Rook and pawn against rook"), ("kppkp", "Two pawns against pawn")]
)
async def test_pawns_are_found_and_named(empty_library: Library, ending: str, title: str) -> None:
    async with opened(empty_library.root) as pilot:
        await go_to(pilot, ending)
        name = pointed(pilot).split()[0]
        assert name.lower().replace("v", "") == ending
        assert detail(pilot)[0].split() == [name, "not", "built"] and detail(pilot)[1] == title
        first = len(empty_library.entry(name).missing)
        assert f"Enter builds it, {first} first" in detail(pilot)


async def test_won_and_wanted_by_have_room_on_a_small_screen(library: Library) -> None:
    async with opened(library.root) as pilot:
        for ending, told in (("KPvKP", "Wanted by  KQPvKP"), ("KPvK", "Wanted by")):
            await go_to(pilot, ending)
            found = detail(pilot)
            assert any(row.startswith(told) for row in found) and any(row.startswith("won  ") for row in found)
            assert "Enter opens it" in found


async def test_what_is_not_found_is_said(empty_library: Library) -> None:
    async with opened(empty_library.root) as pilot:
        await pilot.press("slash", *"zz", "enter")
        await pilot.pause()
        assert said(pilot) == "No ending is called zz; type a name such as KBNvK."
        await pilot.press("escape")
        assert not said(pilot) and "Enter" in rows(pilot)[-1]


async def test_moving_and_folding(empty_library: Library) -> None:
    async with opened(empty_library.root) as pilot:
        seen: list[str] = []
        for key in ("j", "down", "k", "pagedown", "end", "home", "left", "right", "up", "enter"):
            await pilot.press(key)
            seen.append("\n".join(within(pilot, "#endings")))
        assert len(set(seen)) > 4 and not said(pilot)
        assert seen[0] == seen[2] and seen[5] == seen[7] == seen[8] != seen[6] == seen[9]
        assert "▶ 3 men" in text(pilot) and "KQvK " not in seen[-1]
        assert detail(pilot)[0] == "3 men"


async def test_the_other_metric(empty_library: Library) -> None:
    async with opened(empty_library.root) as pilot:
        await pilot.press("z")
        assert "by DTZ" in rows(pilot)[0] and "longest" in within(pilot, "#endings")[0]
        await pilot.press("z")
        assert "by DTM" in rows(pilot)[0] and "mate in" in within(pilot, "#endings")[0]


async def test_both_metrics_are_built_shown_verified_and_deleted(empty_library: Library) -> None:
    async with opened(empty_library.root) as pilot:
        await go_to(pilot, "KNvK")
        await pilot.press("z")
        assert detail(pilot)[0].endswith("DTZ not built")
        await pilot.press("enter")
        await finished(pilot)
        assert (empty_library.directory / "KNvK.dtz.egt").is_file() and not empty_library.is_built("KNvK")
        assert said(pilot) == "KNvK is built by DTZ."
        await pilot.press("v")
        await finished(pilot)
        assert said(pilot).startswith("KNvK is sound")
        await pilot.press("z")
        assert any(row.startswith("DTZ        built, ") for row in detail(pilot))
        await pilot.press("z", "d")
        assert rows(pilot)[-1].strip().startswith("Delete the DTZ table of KNvK? It frees ")
        await pilot.press("y")
        await pilot.pause()
        assert not (empty_library.directory / "KNvK.dtz.egt").exists() and "deleted" in said(pilot)


async def test_a_name_typed_at_a_question_means_no(empty_library: Library) -> None:
    async with opened(empty_library.root) as pilot:
        await pilot.press("m", *":KRvK", "enter")
        await pilot.pause()
        assert "building" not in rows(pilot)[1] and detail(pilot)[0].startswith("KRvK ")


async def test_progress_in_placements(empty_library: Library) -> None:
    async with opened(empty_library.root) as pilot:
        app = pilot.app
        assert isinstance(app, EndgameApp)
        job = app.jobs.job = Job(Wish(("KPPvKP",)))
        for done in (8, 1234):
            job.take(Event("slices", "KPPvKP", step=3, steps=9, done=done, total=25944, fraction=0.5, left=30))
            app.jobs.post(Progressed())
            await pilot.pause()
            assert f"pawns {done:5}/25944" in rows(pilot)[-2] and rows(pilot)[-2].index("━") == 30
        await go_to(pilot, "KPPvKP")
        await pilot.resize_terminal(120, 40)
        await pilot.pause()
        assert " 50 %  1 234 of 25 944 pawn placements" in "\n".join(detail(pilot)).replace("\n", "\n ")
        app.jobs.job = None


async def test_the_mouse_points_and_chooses(empty_library: Library) -> None:
    async with opened(empty_library.root) as pilot:
        await pilot.click("#endings", offset=(6, 4))
        await pilot.pause()
        assert "KBvK" in detail(pilot)[0]
        await pilot.click("#endings", offset=(6, 4))
        await finished(pilot)
        assert empty_library.is_built("KBvK")


async def test_the_other_game(morris: Explorer[Position, Move]) -> None:
    async with opened(morris.library.root) as pilot:
        await pilot.press("G")
        await pilot.pause()
        assert rows(pilot)[0].startswith(" Nine Men’s Morris ▸ all endings ")
        await pilot.press("z", "y")
        await pilot.pause()
        assert rows(pilot)[0].startswith(" Nine Men’s Morris ▸ all endings ") and "Syzygy" not in rows(pilot)[-1]
        await go_to(pilot, "5-3")
        await pilot.press("enter")
        await pilot.pause()
        assert "5-3" in rows(pilot)[0] and "S31" in rows(pilot)[0]
        await pilot.press("2", "G")
        await pilot.pause()
        assert rows(pilot)[0].startswith(" Chess ▸ all endings ")


async def test_help_shows_every_binding_and_goes_away(empty_library: Library) -> None:
    async with opened(empty_library.root) as pilot:
        await pilot.press("question_mark")
        await pilot.pause()
        assert "Verify the table" in text(pilot) and "Delete the table" in text(pilot)
        await pilot.press("down", "escape")
        await pilot.pause()
        assert "all endings" in rows(pilot)[0]


@pytest.mark.parametrize(
    ("screen", "panel"), [(LibraryScreen, Endings), (ExploreScreen, LayersPanel), (PractiseScreen, WindowChart)]
)
def test_help_shows_the_keys_of_panels_with_their_screen(screen: type[Any], panel: type[Any]) -> None:
    title, told = sections(EndgameApp, "chess", screen)[0]
    assert title == screen.__name__.removesuffix("Screen")
    assert {key.description for key in keys_of(panel)} <= {words for _, words in told}


async def test_the_palette_runs_actions(empty_library: Library) -> None:
    async with opened(empty_library.root) as pilot:
        await pilot.press("ctrl+p", *"by dtz")
        await finished(pilot)
        await pilot.press("enter")
        await pilot.pause()
        assert "by DTZ" in rows(pilot)[0]


async def test_a_directory_that_cannot_be_written(tmp_path: Path, kernels: None) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    async with opened(blocked, (120, 40)) as pilot:
        await go_to(pilot, "KBvK")
        await pilot.press("enter")
        await finished(pilot)
        assert "cannot be written" in said(pilot)


@pytest.mark.parametrize("size", [(120, 40), (40, 20), (76, 12)], ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("game", ["chess", "morris"])
async def test_every_size_shows_the_list_and_the_cursor(tmp_path: Path, size: tuple[int, int], game: str) -> None:
    async with opened(tmp_path / "data", size, game) as pilot:
        for key in ("end", "home", "pagedown"):
            await pilot.press(key)
            assert pointed(pilot) or any("▼" in row for row in within(pilot, "#endings"))
        assert (len(detail(pilot)) > 0) == (size[0] >= 76)

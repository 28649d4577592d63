"""Every key of the Library, the help and the palette, in both games."""

from __future__ import annotations

import asyncio
import re
import shutil
import tempfile
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from endgame_core.chess.game import CHESS, CHESS_DTZ
from endgame_core.errors import BuildCancelledError
from endgame_core.morris.rules import MorrisMove, Position
from endgame_core.paths import AccessPolicy
from endgame_core.tables import cluster, table_task
from endgame_core.tables.build import Event
from endgame_core.tables.explorer import Explorer
from endgame_core.tables.library import Library
from endgame_core.tasks.builds import BuildFinished, BuildRequest, Job
from endgame_core.words import tables as words
from endgame_tui.app import EndgameApp
from endgame_tui.jobs import Progressed
from endgame_tui.keys import declared_keys
from endgame_tui.screens.explore import ExploreScreen, LayersPanel
from endgame_tui.screens.help import sections
from endgame_tui.screens.library import Endings, LibraryScreen
from endgame_tui.screens.practise import PractiseScreen
from endgame_tui.widgets.charts import WindowChart
from tests.conftest import build, fast, give
from tests.tui.terminal_text import left_on, message_text, rows, says, settle, text, type_in, within

pytestmark = pytest.mark.usefixtures("library")  # what solves is compiled once


@asynccontextmanager
async def opened(root: Path, size: tuple[int, int] = (80, 24), game: str = "chess") -> AsyncIterator[Pilot[None]]:
    app = EndgameApp(None, root, ascii=False, memory=left_on("library", game))
    async with app.run_test(size=size) as pilot:
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
        await settle(pilot)


async def go_to(pilot: Pilot[None], ending: str) -> None:
    await type_in(pilot, ending, "slash")


@pytest.mark.slow
async def test_read_only_tables_are_shown_and_not_deleted(empty_library: Library, library: Library) -> None:
    app = EndgameApp(None, empty_library.root, ascii=False, reach=AccessPolicy((library.directory,)))
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("2")
        await go_to(pilot, "KQvKR")
        assert "KQvKR" in detail(pilot)[0] and detail(pilot)[0].endswith("built, shared")
        assert "✓ shared" in pointed(pilot)
        await pilot.press("d")
        assert "shared" in message_text(pilot) and "Delete" not in rows(pilot)[-1]
        await pilot.press("z")
        assert "KQvKR" in pointed(pilot) and "shared" not in pointed(pilot), "by DTZ there is none"
        await pilot.press("z", "enter")
        assert "Expl" in rows(pilot)[0]
    assert library.is_built("KQvKR")


@pytest.mark.parametrize(("ending", "layer"), fast([("KPvK", "S55"), ("KRvKB", "S57")]))
async def test_enter_builds_and_then_opens(empty_library: Library, ending: str, layer: str) -> None:
    plan = [*empty_library.entry(ending).missing, ending]
    async with opened(empty_library.root) as pilot:
        await go_to(pilot, ending)
        await pilot.press("enter")
        await finished(pilot)
        assert empty_library.is_built(ending) and all(map(empty_library.is_built, CHESS.needs(ending)))
        assert says(pilot, words.built([ending], plan, CHESS.metric))
        await pilot.press("enter")
        await pilot.pause()
        assert screen_of(pilot).startswith(f" {ending} ▸ White wins ▸ {layer} ")


@pytest.mark.slow
async def test_x_cancels_the_running_build_and_names_the_waiting_ones(empty_library: Library) -> None:
    async with opened(empty_library.root) as pilot:
        for ending in ("KRRvKR", "KNvK", "KBvK"):
            await go_to(pilot, ending)
            await pilot.press("enter")
        await pilot.pause()
        assert "1 building  2 waiting" in rows(pilot)[1]
        assert pointed(pilot).split()[-2] == "2", "its place, where there is no room for words"
        assert "waiting, 2nd" in detail(pilot)[0] and "can be built at once" in detail(pilot)
        await pilot.press("greater_than_sign")
        assert "waiting, 2nd" in detail(pilot)[0] and "Only waiting builds" in message_text(pilot)
        await pilot.press("less_than_sign")
        await pilot.pause()
        assert "waiting, 1st" in detail(pilot)[0] and not message_text(pilot).startswith("Only")
        await pilot.press("d")
        await pilot.pause()
        assert says(pilot, words.not_waiting("KBvK")) and "waiting" not in detail(pilot)[0]
        await pilot.press("x")
        while "cancelled" not in message_text(pilot):
            await pilot.pause(0.01)
        assert says(pilot, words.cancelled(["KRRvKR"], waiting=1))
        await finished(pilot)
        assert empty_library.is_built("KNvK"), "what waited went on"
        assert not empty_library.is_built("KRRvKR") and not empty_library.is_built("KBvK")


@pytest.mark.slow
async def test_a_second_x_cancels_the_queue(empty_library: Library) -> None:
    async with opened(empty_library.root) as pilot:
        for ending in ("KRRvKR", "KRRvKB", "KRRvKN"):
            await go_to(pilot, ending)
            await pilot.press("enter")
        await pilot.press("x", "x")
        await finished(pilot)
        assert not any(map(empty_library.is_built, ("KRRvKR", "KRRvKB", "KRRvKN")))
        assert "waiting" not in rows(pilot)[1] and "cancelled" in message_text(pilot)


def test_the_message_of_a_cancelled_build_counts_the_waiting_ones() -> None:
    told = words.ended(BuildFinished(BuildRequest(("KRRvKR",)), BuildCancelledError(), waiting=1))
    assert told == words.cancelled(["KRRvKR"], 1) != words.cancelled(["KRRvKR"], 0) and "KRRvKR" in told
    assert len(told) < 78, "it fits into a row of the smallest usual screen"


@pytest.mark.slow
async def test_q_during_a_build_asks_once(empty_library: Library) -> None:
    async with opened(empty_library.root) as pilot:
        await go_to(pilot, "KRRvKR")
        await pilot.press("enter")
        await pilot.press("q")
        await pilot.pause()
        assert words.stopped_by_quitting(["KRRvKR"], 0)[1:] in rows(pilot)[-1] and "q quit" in rows(pilot)[-1]
        await pilot.press("escape")
        await pilot.pause()
        assert pilot.app.is_running and "building" in rows(pilot)[1]
        await pilot.press("q", "q")
        await pilot.pause()
        assert pilot.app.return_code == 0 and not empty_library.is_built("KRRvKR")


@pytest.mark.slow
async def test_a_build_of_another_program_is_followed_and_waited_for(empty_library: Library) -> None:
    other = Library(CHESS, empty_library.root)
    async with opened(empty_library.root) as pilot:
        app = pilot.app
        assert isinstance(app, EndgameApp)
        await go_to(pilot, "KNvK")
        hold = other.locks.acquire_table("KNvK", "the build of KNvK")
        assert hold is not None
        hold.share = 0.42
        hold.beat()
        app.jobs.watch()
        await pilot.pause()
        assert (
            "1 by others" in rows(pilot)[1] and message_text(pilot) == f"{app.look.glyphs.pointer} 1 other: KNvK 42 %"
        )
        assert any("In use: 42 %, the" in row for row in rows(pilot))
        await pilot.press("enter")
        while "waiting for the build of KNvK" not in message_text(pilot):
            await pilot.pause(0.01)
        app.jobs.watch()
        before = int(rows(pilot)[1].split()[0])
        solved = CHESS.solver.solve("KNvK", lambda *_: None, 1, lambda _: None)
        other.write("KNvK", solved)
        app.jobs.watch()
        await pilot.pause()
        assert int(rows(pilot)[1].split()[0]) == before + 1
        other.locks.release()
        await finished(pilot)
        assert empty_library.is_built("KNvK") and says(pilot, words.built(["KNvK"], ["KNvK"], CHESS.metric))
        app.jobs.watch()
        await pilot.pause()
        assert "by others" not in rows(pilot)[1]


async def test_a_build_on_a_cluster_shows_its_workers(empty_library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the workers have in hand is in its rows, how far all is in the row above the keys."""
    shown, over = threading.Event(), threading.Event()

    class Workers:
        def __init__(self, library: Library, endings: Sequence[str], where: str, *_: Any, **terms: Any) -> None:
            self.endings = tuple(endings)
            assert where == "tcp://host:8786"

        def cancel(self) -> None:
            over.set()

        def events(self) -> Iterator[Event]:
            yield Event("plan", endings=("KBvK", *self.endings), steps=2)
            yield Event("hands", hands=(("KBvK", 0.4, "node7"),), steps=2, fraction=0.2, left=60)
            shown.set()
            over.wait(300)
            raise BuildCancelledError

    monkeypatch.setattr(cluster, "Cluster", Workers)
    empty_library.root.mkdir(parents=True)
    (empty_library.root / "settings.toml").write_text('cluster = "tcp://host:8786"\n')
    async with opened(empty_library.root) as pilot:
        await go_to(pilot, "KNvK")
        await pilot.press("enter")
        while not shown.is_set():
            await pilot.pause(0.01)
        await pilot.pause()
        assert "KNvK 1 working" in rows(pilot)[-2] and "20 %" in rows(pilot)[-2] and "x cancel" in rows(pilot)[-2]
        await pilot.press("x")
        await finished(pilot)
        assert says(pilot, words.cancelled(["KNvK"], 0))


async def test_a_locked_table_is_not_deleted(library: Library, empty_library: Library) -> None:
    give(library, empty_library, "KNvK")
    async with opened(empty_library.root) as pilot:
        await go_to(pilot, "KNvK")
        with Library(CHESS, empty_library.root).locks.exclusive("KNvK", "the compacting of KNvK"):
            await pilot.press("d", "y")
            await pilot.pause()
            assert message_text(pilot).startswith("The compacting of KNvK (process") and empty_library.is_built("KNvK")
        await pilot.press("d", "y")
        await pilot.pause()
        assert not empty_library.is_built("KNvK")


@pytest.mark.slow
async def test_the_app_ends_without_waiting_for_a_lock(empty_library: Library) -> None:
    """As after a fault, when nobody has pressed q."""
    with Library(CHESS, empty_library.root).locks.exclusive("KNvK", "the build of KNvK"):
        async with opened(empty_library.root) as pilot:
            await go_to(pilot, "KNvK")
            await pilot.press("enter")
            while "waiting for the build of KNvK" not in message_text(pilot):
                await pilot.pause(0.01)
        await asyncio.wait_for(asyncio.get_running_loop().shutdown_default_executor(), 300)
    assert not empty_library.is_built("KNvK")


@pytest.mark.slow
async def test_a_build_continues_while_another_screen_is_open(empty_library: Library) -> None:
    async with opened(empty_library.root) as pilot:
        await go_to(pilot, "KNvK")
        await pilot.press("enter", "1")
        await finished(pilot)
        assert "all endings" not in rows(pilot)[0] and says(pilot, words.built(["KNvK"], ["KNvK"], CHESS.metric))


@pytest.mark.slow
async def test_resizing_does_not_disturb_a_build(empty_library: Library) -> None:
    async with opened(empty_library.root) as pilot:
        await go_to(pilot, "KQvKN")
        await pilot.press("enter")
        for size in ((120, 40), (40, 20), (30, 10), (80, 24)):
            await pilot.resize_terminal(*size)
            await pilot.pause()
        await finished(pilot)
        assert empty_library.is_built("KQvKN")


@pytest.mark.slow
@pytest.mark.parametrize(("key", "stays"), [("enter", True), ("k", False)])
async def test_a_long_build_requires_confirmation_and_can_delete_its_sub_endings(
    key: str, stays: bool, empty_library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("endgame_core.words.tables._LONG", 0.0)
    async with opened(empty_library.root) as pilot:
        await go_to(pilot, "KPvK")
        await pilot.press("enter")
        assert "KPvK" in rows(pilot)[-1] and "Enter build  k keep only this  Esc no" in rows(pilot)[-1]
        await pilot.press("escape", "enter", key)
        await finished(pilot)
        assert empty_library.is_built("KPvK") and empty_library.is_built("KBvK") is stays
        await go_to(pilot, "KBvK")
        await pilot.press("enter")
        assert ("keep only this" not in rows(pilot)[-1]) and ("Enter build" in rows(pilot)[-1]) is not stays


@pytest.mark.slow
async def test_m_builds_a_set_of_endings_after_a_question(empty_library: Library) -> None:
    async with opened(empty_library.root) as pilot:
        await pilot.press("m")
        assert re.split(" {2,}", rows(pilot)[-1])[-4:] == ["3 pieces", "4 pieces", "5 pieces", "Esc no"]
        await pilot.press("3")
        await pilot.pause()
        assert rows(pilot)[-1].strip().startswith("Build 3 endings? ") and "Enter build" in rows(pilot)[-1]
        await pilot.press("enter")
        await finished(pilot)
        assert empty_library.built() == ["KQvK", "KRvK", "KBvK", "KNvK", "KPvK"]
        await pilot.press("m", "3")
        assert says(pilot, words.all_built([3], "pieces"))
        await pilot.press("m", "escape")
        assert "Enter" in rows(pilot)[-1] and "building" not in rows(pilot)[1]


async def test_m_offers_sets_of_stones(morris: Explorer[Position, MorrisMove]) -> None:
    async with opened(morris.library.root, game="morris") as pilot:
        await pilot.press("m", "8")
        assert says(pilot, words.all_built([6, 7, 8], "stones"))
        await pilot.press("m")
        assert "0 up to 10" in rows(pilot)[-1]
        await pilot.press("0")
        assert "Enter build" in rows(pilot)[-1]


async def test_deleting_a_table_asks_first(library: Library, empty_library: Library) -> None:
    give(library, empty_library, "KBvK")
    async with opened(empty_library.root) as pilot:
        await go_to(pilot, "KBvK")
        await pilot.press("d")
        assert words.asks_to_delete(empty_library.entry("KBvK"), CHESS.metric) in rows(pilot)[-1]
        size = empty_library.entry("KBvK").size
        await pilot.press("n")
        assert empty_library.path("KBvK").exists()
        await pilot.press("d", "y")
        await pilot.pause()
        assert not empty_library.path("KBvK").exists() and says(pilot, words.deleted("KBvK", size))


async def test_starter_tables_and_missing_tables_cannot_be_deleted(tmp_path: Path) -> None:
    async with opened(tmp_path / "data") as pilot:
        await pilot.press("d")
        assert message_text(pilot).startswith("KQvK ") and "Delete" not in rows(pilot)[-1]
        await go_to(pilot, "KBvK")
        for key in ("d", "v"):
            await pilot.press(key)
            assert message_text(pilot) and "Delete" not in rows(pilot)[-1]
            await pilot.press("escape")
            assert not message_text(pilot)


async def test_c_says_why_a_table_has_no_other_form(library: Library, empty_library: Library) -> None:
    give(library, empty_library, "KNvK")
    async with opened(empty_library.root) as pilot:
        answers: set[str] = set()
        for ending in ("KQvK", "KQvKR", "KNvK"):  # shipped, not built, small
            await go_to(pilot, ending)
            await pilot.press("c")
            answers.add(message_text(pilot))
        assert says(pilot, words.as_small_as_it_gets("KNvK")) and len(answers - {""}) == 3


@pytest.mark.slow
async def test_c_offers_other_forms_with_their_sizes(empty_library: Library) -> None:
    build(empty_library, ["KBvKN"])
    full = empty_library.path("KBvKN").stat().st_size
    async with opened(empty_library.root) as pilot:
        await go_to(pilot, "KBvKN")
        await pilot.press("c")
        asked = rows(pilot)[-1]
        assert "Compact KBvKN?" in asked and "c compact ≈ " in asked and "l one-sided, slower ≈ " in asked
        await pilot.press("l")
        await finished(pilot)
        assert message_text(pilot).startswith("KBvKN compacted: ") and empty_library.path("KBvKN").stat().st_size < full
        assert empty_library.table("KBvKN").form == "lean" and any(row.endswith(" one-sided") for row in detail(pilot))
        await pilot.press("c")
        assert "Store both sides of KBvKN?" in rows(pilot)[-1] and "lean" not in rows(pilot)[-1].split("?")[1]
        await pilot.press("c")
        await finished(pilot)
        assert empty_library.table("KBvKN").form == "compact"


@pytest.fixture
def compacting(empty_library: Library, library: Library, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data directory whose table of KRvKB is written anew by a process that goes on until its input closes."""
    monkeypatch.setattr(table_task, "_MODULE", "json.tool")
    empty_library.directory.mkdir(parents=True, exist_ok=True)
    shutil.copy(library.table("KRvKB").path, empty_library.directory)
    return empty_library.root


@pytest.mark.parametrize(
    ("keys", "progress", "task"), [("cc", words.compacting, "compacting"), ("v", words.verifying, "verification")]
)
async def test_x_stops_a_task_on_a_table(
    compacting: Path, library: Library, keys: str, progress: Callable[[str, float], str], task: str
) -> None:
    async with opened(compacting) as pilot:
        await go_to(pilot, "KRvKB")
        await pilot.press(*keys)
        assert says(pilot, progress("KRvKB", 0))
        await pilot.press("x")
        await finished(pilot)
        assert task in message_text(pilot) and "cancelled" in message_text(pilot)
        assert (compacting / "tables" / "KRvKB.egt").read_bytes() == library.path("KRvKB").read_bytes()


async def test_the_app_ends_without_waiting_for_a_table_being_compacted(compacting: Path) -> None:
    async with opened(compacting) as pilot:
        await go_to(pilot, "KRvKB")
        await pilot.press("c", "c", "q")
    await asyncio.wait_for(asyncio.get_running_loop().shutdown_default_executor(), 300)


async def test_a_table_is_unchanged_if_the_compacting_cannot_start(
    compacting: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none(*_args: Any, **_options: Any) -> Any:
        raise OSError("no space left")

    async with opened(compacting) as pilot:
        await go_to(pilot, "KRvKB")
        monkeypatch.setattr(tempfile, "TemporaryFile", none)
        await pilot.press("c", "c")
        await finished(pilot)
        assert "(no space left)" in message_text(pilot)


@pytest.mark.slow
@pytest.mark.parametrize(("game", "ending"), [("chess", "KRvKB"), ("morris", "3-3")])
async def test_verify_says_how_much_it_compared(
    library: Library, morris: Explorer[Position, MorrisMove], game: str, ending: str
) -> None:
    root = library.root if game == "chess" else morris.library.root
    async with opened(root, game=game) as pilot:
        await go_to(pilot, ending)
        await pilot.press("v")
        await finished(pilot)
        assert message_text(pilot).startswith(f"{ending} is correct") and "1 000 positions" in message_text(pilot)


@pytest.mark.slow
async def test_verify_names_a_corrupt_table(library: Library, empty_library: Library) -> None:
    give(library, empty_library, "KBvKN")
    path = empty_library.path("KBvKN")
    whole = bytearray(path.read_bytes())
    whole[-20] ^= 255
    path.write_bytes(bytes(whole))
    async with opened(empty_library.root) as pilot:
        await go_to(pilot, "KBvKN")
        await pilot.press("v")
        await finished(pilot)
        assert "corrupt" in message_text(pilot) and "build it again" in message_text(pilot)
        assert "✗" in pointed(pilot) and "damaged" in detail(pilot)[0]


@pytest.mark.parametrize(
    ("ending", "title"), [("krpkr", "Rook and pawn against rook"), ("kppkp", "Two pawns against pawn")]
)
async def test_endings_with_pawns_are_found_and_named(empty_library: Library, ending: str, title: str) -> None:
    async with opened(empty_library.root) as pilot:
        await go_to(pilot, ending)
        name = pointed(pilot).split()[0]
        assert name.lower().replace("v", "") == ending
        assert detail(pilot)[0].split() == [name, "not", "built"] and detail(pilot)[1] == title
        first = len(empty_library.entry(name).missing)
        assert f"Enter builds it, {first} first" in detail(pilot)


async def test_results_and_required_by_fit_on_a_small_screen(library: Library) -> None:
    async with opened(library.root) as pilot:
        for ending, told in (("KPvKP", "Required by  KQPvKP"), ("KPvK", "Required by")):
            await go_to(pilot, ending)
            found = detail(pilot)
            assert any(row.startswith(told) for row in found) and any(row.startswith("results  ") for row in found)
            assert "Enter opens it  a about" in found


async def test_an_unknown_ending_is_reported(empty_library: Library) -> None:
    async with opened(empty_library.root) as pilot:
        await pilot.press("slash", *"zz", "enter")
        await pilot.pause()
        assert "'zz'" in message_text(pilot)
        await pilot.press("escape")
        assert not message_text(pilot) and "Enter" in rows(pilot)[-1]


async def test_keys_move_the_cursor_and_fold_groups(empty_library: Library) -> None:
    async with opened(empty_library.root) as pilot:
        seen: list[str] = []
        for key in ("j", "down", "k", "pagedown", "end", "home", "left", "right", "up", "enter"):
            await pilot.press(key)
            seen.append("\n".join(within(pilot, "#endings")))
        assert len(set(seen)) > 4 and not message_text(pilot)
        assert seen[0] == seen[2] and seen[5] == seen[7] == seen[8] != seen[6] == seen[9]
        assert "▶ 3 pieces" in text(pilot) and "KQvK " not in seen[-1]
        assert detail(pilot)[0] == "3 pieces"


async def test_z_shows_the_tables_of_the_other_metric(empty_library: Library) -> None:
    async with opened(empty_library.root) as pilot:
        await pilot.press("z")
        assert "by DTZ" in rows(pilot)[0] and "longest" in within(pilot, "#endings")[0]
        await pilot.press("z")
        assert "by DTM" in rows(pilot)[0] and "mate in" in within(pilot, "#endings")[0]


@pytest.mark.slow
async def test_both_metrics_are_built_shown_verified_and_deleted(empty_library: Library) -> None:
    async with opened(empty_library.root) as pilot:
        await go_to(pilot, "KNvK")
        await pilot.press("z")
        assert detail(pilot)[0].endswith("DTZ not built")
        await pilot.press("enter")
        await finished(pilot)
        assert (empty_library.directory / "KNvK.dtz.egt").is_file() and not empty_library.is_built("KNvK")
        assert says(pilot, words.built(["KNvK"], ["KNvK"], CHESS_DTZ.metric))
        assert "Enter opens it" in detail(pilot)  # nothing about it is known without DTM
        await pilot.press("v")
        await finished(pilot)
        assert message_text(pilot).startswith("KNvK is correct")
        await pilot.press("z")
        assert any(row.startswith("DTZ        built, ") for row in detail(pilot))
        await pilot.press("z", "d")
        entry = Library(CHESS_DTZ, empty_library.root).entry("KNvK")
        assert words.asks_to_delete(entry, CHESS_DTZ.metric) in rows(pilot)[-1]
        await pilot.press("y")
        await pilot.pause()
        assert not (empty_library.directory / "KNvK.dtz.egt").exists() and "deleted" in message_text(pilot)


async def test_a_damaged_table_of_the_other_metric_is_shown_as_damaged(empty_library: Library) -> None:
    """When it is found, and after it was put aside."""
    empty_library.directory.mkdir(parents=True, exist_ok=True)
    (empty_library.directory / "KBNvK.dtz.egt").write_bytes(b"damaged")
    async with opened(empty_library.root) as pilot:
        for ending, told in (("KBNvK", "damaged"), ("KBBvK", "not built"), ("KBNvK", "damaged")):
            await go_to(pilot, ending)
            assert f"DTZ        {told} · z" in detail(pilot)


async def test_a_name_typed_at_a_question_means_no(empty_library: Library) -> None:
    async with opened(empty_library.root) as pilot:
        await pilot.press("m", *":KRvK", "enter")
        await pilot.pause()
        assert "building" not in rows(pilot)[1] and detail(pilot)[0].startswith("KRvK ")


async def test_a_bounded_build_shows_its_placements(empty_library: Library) -> None:
    async with opened(empty_library.root) as pilot:
        app = pilot.app
        assert isinstance(app, EndgameApp)
        job = app.jobs.job = Job(BuildRequest(("KPPvKP",)))
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


@pytest.mark.slow
async def test_a_click_selects_and_a_second_one_chooses(empty_library: Library) -> None:
    async with opened(empty_library.root) as pilot:
        await pilot.click("#endings", offset=(6, 4))
        await pilot.pause()
        assert "KBvK" in detail(pilot)[0]
        await pilot.click("#endings", offset=(6, 4))
        await finished(pilot)
        assert empty_library.is_built("KBvK")


@pytest.mark.slow
async def test_capital_g_shows_the_endings_of_morris(morris: Explorer[Position, MorrisMove]) -> None:
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
        await pilot.press("question_mark", "end")
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
    assert {key.description for key in declared_keys(panel) if not key.system} <= {words for _, words in told}


async def test_the_palette_runs_actions(empty_library: Library) -> None:
    async with opened(empty_library.root) as pilot:
        await pilot.press("ctrl+p", *"DTM and DTZ")
        await finished(pilot)
        await pilot.press("enter")
        await pilot.pause()
        assert "by DTZ" in rows(pilot)[0]


@pytest.mark.slow
async def test_a_build_into_a_read_only_directory_is_refused(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    async with opened(blocked, (120, 40)) as pilot:
        await go_to(pilot, "KBvK")
        await pilot.press("enter")
        await finished(pilot)
        assert "cannot be written" in message_text(pilot)


@pytest.mark.parametrize("size", [(120, 40), (40, 20), (76, 12)], ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("game", ["chess", "morris"])
async def test_every_size_shows_the_list_and_the_cursor(tmp_path: Path, size: tuple[int, int], game: str) -> None:
    async with opened(tmp_path / "data", size, game) as pilot:
        for key in ("end", "home", "pagedown"):
            await pilot.press(key)
            assert pointed(pilot) or any("▼" in row for row in within(pilot, "#endings"))
        assert (len(detail(pilot)) > 0) == (size[0] >= 76)


@pytest.mark.slow
async def test_a_message_disappears_with_its_subject(empty_library: Library) -> None:
    async with opened(empty_library.root) as pilot:
        await go_to(pilot, "KBNvK")
        for keys in ("m", "slash", "G G", "1 G 2"):
            await pilot.press("d")
            await settle(pilot)
            assert message_text(pilot)
            for key in keys.split():
                await pilot.press(key)
                await settle(pilot)
            assert not message_text(pilot), keys
            await pilot.press("escape")
            await settle(pilot)


@pytest.mark.slow
@pytest.mark.parametrize("ending", fast(["KBNvK", "KRPvKR", "KPPvK", "KRRvKR"], 2))
async def test_details_of_a_damaged_table_say_what_to_do(empty_library: Library, ending: str) -> None:
    empty_library.directory.mkdir(parents=True, exist_ok=True)
    path = empty_library.path(ending)
    path.with_name(f"{path.name}.damaged").write_bytes(b"damaged")
    needs = empty_library.game.needs(ending)
    for height in (21, 22, 23, 24, 26):
        async with opened(empty_library.root, (80, height)) as pilot:
            await go_to(pilot, ending)
            rows = detail(pilot)
            assert "damaged" in rows[0] and "…" not in rows and any(row.startswith("Enter builds it") for row in rows)
            told = [need for need in needs if any(need in row.split() for row in rows[3:])]
            more = [row for row in rows if row.endswith(" more")]
            assert more or len(told) == len(needs) or "Needs" not in " ".join(rows)
            if more:
                assert int(more[0].split()[-2]) == len(needs) - len(told) > 1


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_details_of_a_build_show_the_sub_ending_under_construction(
    empty_library: Library, size: tuple[int, int]
) -> None:
    async with opened(empty_library.root, size) as pilot:
        app = pilot.app
        assert isinstance(app, EndgameApp)
        job = app.jobs.job = Job(BuildRequest(("KRRvKR",)))
        job.take(Event("slices", "KRRvK", step=1, steps=3, done=1, total=2, fraction=0.25, left=30))
        for ending in ("KRRvKR", "KRRvK"):
            await go_to(pilot, ending)
            app.jobs.post(Progressed())
            await pilot.pause()
            told = "\n".join(detail(pilot))
            assert "building" in told and "25 %" in told and "step 1 of 3" in told and "Enter" not in told
            assert ("Building KRRvK" in " ".join(told.split())) is (ending == "KRRvKR")
            await pilot.press("enter")
            await pilot.pause()
            assert message_text(pilot).startswith(f"{ending} is being")
        await go_to(pilot, "KBNvK")
        assert "not built" in detail(pilot)[0]
        app.jobs.job = None

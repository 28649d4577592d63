"""Positions found by a query in Explore: asked for with ``/``, walked through with ``n`` and ``p``."""

from __future__ import annotations

import threading
from array import array
from pathlib import Path
from typing import Any

import pytest

from endgame_core.errors import BuildCancelledError
from endgame_core.morris.rules import MorrisMove, Position
from endgame_core.practice import studies
from endgame_core.tables.explorer import Explorer
from endgame_core.tables.find import Find, FindResult
from endgame_core.tables.library import Library
from endgame_core.words import find as find_words
from tests.conftest import fast

from .key_walk import crumbs, position, question_text, type_and_wait, walking
from .terminal_text import message_text, press, rows, says, settle

pytestmark = pytest.mark.usefixtures("looking")

ROOKS = "only move is promotion to rook"
FOUND = [
    "8/1P6/k7/8/K7/8/8/8 w - - 0 1", "8/1P6/k7/8/1K6/8/8/8 w - - 0 1", "8/k1P5/8/K7/8/8/8/8 w - - 0 1",
]  # fmt: skip


async def test_matches_can_be_walked_through(library: Library) -> None:
    async with walking(library.root, "KPvK", (80, 24)) as pilot:
        before = position(pilot)
        await type_and_wait(pilot, ROOKS, "slash")
        assert message_text(pilot).startswith(find_words.found_in(3, "KPvK"))
        assert (crumbs(pilot)[-1], position(pilot)) == ("1 of 3", FOUND[0])
        seen = [position(pilot)]
        for _ in range(2):
            await press(pilot, "n")
            seen.append(position(pilot))
        assert seen == FOUND and crumbs(pilot)[-1] == "3 of 3"
        await press(pilot, "n")
        assert crumbs(pilot)[-1] == "1 of 3"
        await press(pilot, "p")
        assert crumbs(pilot)[-1] == "3 of 3"
        await type_and_wait(pilot, "2")
        assert (crumbs(pilot)[-1], position(pilot)) == ("2 of 3", FOUND[1])
        await type_and_wait(pilot, "9")
        assert "1 to 3" in message_text(pilot)
        await press(pilot, "escape", "full_stop")
        assert "/" in crumbs(pilot)[-1]
        await press(pilot, "n")
        assert (crumbs(pilot)[-1], position(pilot)) == ("3 of 3", FOUND[2])
        await press(pilot, "r")
        assert crumbs(pilot)[-1].endswith(" of 3")
        await press(pilot, "escape")
        assert message_text(pilot) and "/" in crumbs(pilot)[-1]
        await press(pilot, "n")
        assert position(pilot) not in FOUND
        for _ in range(10):
            await press(pilot, "u")
        assert position(pilot) == before


@pytest.mark.slow
async def test_a_query_without_matches_keeps_the_position(library: Library) -> None:
    async with walking(library.root, "KPvK", (80, 24)) as pilot:
        before = crumbs(pilot)
        await type_and_wait(pilot, "white wins and black wins", "slash")
        assert says(pilot, find_words.found_in(0, "KPvK")) and crumbs(pilot) == before


@pytest.mark.slow
@pytest.mark.parametrize("size", fast([((80, 24),), ((120, 40),), ((40, 20),)]))
async def test_a_query_error_is_marked_and_can_be_corrected(library: Library, size: tuple[int, int]) -> None:
    async with walking(library.root, "KPvK", size) as pilot:
        await type_and_wait(pilot, "white wins and whit to move", "slash")
        told, typed_in = rows(pilot)[-2:]
        if size[0] >= 80:
            assert told[typed_in.index("whit to")] == "v"
        assert "'whit' is not a query term; did you mean 'white'?" in " ".join(message_text(pilot).split())
        await press(pilot, *"white")
        assert "wins and white to move" in rows(pilot)[-1]
        await press(pilot, "enter")
        assert message_text(pilot).startswith("62 480 positions found in KPvK") and "n: next" in " ".join(
            message_text(pilot).split()
        )


@pytest.mark.slow
async def test_tab_recalls_earlier_queries(library: Library) -> None:
    async with walking(library.root, "KPvK", (80, 24)) as pilot:
        for query in (ROOKS, "depth = 55"):
            await type_and_wait(pilot, query, "slash")
        await press(pilot, "slash", "tab")
        assert rows(pilot)[-1].startswith(" / depth = 55")
        await press(pilot, "tab")
        assert rows(pilot)[-1].startswith(f" / {ROOKS}")
        await press(pilot, "enter")
        assert crumbs(pilot)[-1] == "1 of 3"


@pytest.fixture
def own(library: Library, tmp_path: Path) -> Path:
    """A data directory that has no studies yet."""
    (tmp_path / "tables").mkdir()
    for path in library.directory.glob("K?vK.egt"):
        (tmp_path / "tables" / path.name).hardlink_to(path)
    return tmp_path


@pytest.mark.slow
async def test_all_matches_can_be_added_to_a_set(own: Path) -> None:
    async with walking(own, "KPvK", (80, 24)) as pilot:
        await type_and_wait(pilot, ROOKS, "slash")
        await press(pilot, "plus")
        assert question_text(pilot).startswith("Add") and "Enter this position  a all 3" in rows(pilot)[-1]
        await press(pilot, "a")
        assert f"Add to KPvK {ROOKS}" in rows(pilot)[-1]
        await press(pilot, "enter")
        await settle(pilot)
        assert message_text(pilot) == f"3 of 3 positions added to 'KPvK {ROOKS}'."
        await press(pilot, "plus", "enter", "enter")
        await settle(pilot)
        assert message_text(pilot).startswith("Added to My positions: KPvK")
        app: Any = pilot.app
        sets = {studies.name: studies for studies in app.lab.studies("chess").sets() if studies.own}
        assert [study.position for study in sets[f"KPvK {ROOKS}"].studies] == FOUND
        assert [study.position for study in sets["My positions"].studies] == FOUND[:1]
        await press(pilot, "escape", "plus")
        assert rows(pilot)[-1].startswith(" Add to My positions")


@pytest.mark.slow
async def test_a_sample_of_many_matches_is_added(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(studies, "MOST_AT_ONCE", 2)
    async with walking(own, "KPvK", (40, 20)) as pilot:
        await type_and_wait(pilot, ROOKS, "slash")
        await press(pilot, "plus")
        assert "a 2 of 3" in rows(pilot)[-1]
        await press(pilot, "a", "enter")
        await settle(pilot)
        assert "2 of 2 positions added" in " ".join(message_text(pilot).split())


@pytest.mark.slow
async def test_another_ending_is_walked_by_layers(library: Library) -> None:
    async with walking(library.root, "KPvK", (80, 24)) as pilot:
        await type_and_wait(pilot, ROOKS, "slash")
        await type_and_wait(pilot, "KQvK")
        await press(pilot, "n")
        assert crumbs(pilot)[0] == "KQvK" and "/" in crumbs(pilot)[-1]


@pytest.mark.slow
async def test_changing_the_game_stops_a_search(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    going, stopped = threading.Event(), threading.Event()

    def run(work: Find, told: Any) -> Any:
        going.set()
        assert stopped.wait(300)
        return FindResult(work.query, 0, array("Q"))

    monkeypatch.setattr(Find, "run", run)
    monkeypatch.setattr(Find, "cancel", lambda work: stopped.set())
    async with walking(library.root, "KPvK", (80, 24)) as pilot:
        await pilot.press("slash", *"won", "enter")
        while not going.is_set():
            await pilot.pause(0.01)
        await pilot.press("G")
        await settle(pilot)
        assert stopped.is_set() and "KPvK" not in message_text(pilot)


async def test_a_query_error_stays_visible_during_a_search(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    typed_in, told_once = threading.Event(), threading.Event()

    def run(work: Find, told: Any) -> FindResult:
        assert typed_in.wait(300)
        told("searching positions", 0.25)
        told_once.set()
        assert stopped.wait(300)
        raise BuildCancelledError()

    stopped = threading.Event()
    monkeypatch.setattr(Find, "run", run)
    monkeypatch.setattr(Find, "cancel", lambda _work: stopped.set())
    async with walking(library.root, "KPvK", (80, 24)) as pilot:
        await pilot.press("slash", *"won", "enter", "slash", *"e9", "enter")
        typed_in.set()
        while not told_once.is_set():
            await pilot.pause(0.01)
        await pilot.pause()
        assert "'e9' is not allowed here" in " ".join(message_text(pilot).split())
        await pilot.press("escape", "escape")
        await settle(pilot)


async def test_x_stops_a_search(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    going, stopped = threading.Event(), threading.Event()

    def run(work: Find, told: Any) -> Any:
        told("searching positions", 0.25)
        going.set()
        assert stopped.wait(300)
        raise BuildCancelledError()

    monkeypatch.setattr(Find, "run", run)
    monkeypatch.setattr(Find, "cancel", lambda work: stopped.set())
    async with walking(library.root, "KPvK", (80, 24)) as pilot:
        await pilot.press("slash", *"won", "enter")
        while not going.is_set():
            await pilot.pause(0.01)
        await pilot.pause()
        assert message_text(pilot) == "Searching positions  25%"
        await pilot.press("escape")
        await settle(pilot)
        assert stopped.is_set() and message_text(pilot) == "The search was stopped."


async def test_a_missing_table_is_offered(library: Library, tmp_path: Path) -> None:
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables" / "KPvKP.egt").hardlink_to(library.directory / "KPvKP.egt")
    async with walking(tmp_path, "KPvKP", (80, 24)) as pilot:
        await type_and_wait(pilot, "cursed", "slash")
        assert question_text(pilot).startswith("KPvKP has no DTZ")
        await press(pilot, "escape")
        await type_and_wait(pilot, "only move", "slash")
        assert "is not built" in question_text(pilot)


@pytest.mark.slow
async def test_queries_find_positions_of_morris(morris: Explorer[Position, MorrisMove]) -> None:
    async with walking(morris.library.root, "3-3", (80, 24)) as pilot:
        await type_and_wait(pilot, "depth >= 25 and drawn", "slash")
        assert says(pilot, find_words.found_in(0, "3-3"))
        await type_and_wait(pilot, "depth = 25 and white stone on inner", "slash")
        assert crumbs(pilot)[-1].startswith("1 of ")
        await press(pilot, "n")
        assert crumbs(pilot)[-1].startswith("2 of ")

"""For all tests of screens: no Syzygy files of whoever runs them, no picture that depends on a thread's pace."""

from __future__ import annotations

import inspect
import os
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from textual.app import ScreenStackError
from textual.message_pump import MessagePump
from textual.pilot import Pilot

from endgame_core import judge
from endgame_core.chess.syzygy import VARIABLE
from endgame_core.game import Cost
from endgame_core.tables.disk import DiskSpace
from endgame_core.tables.explorer import Explorer
from endgame_core.tables.library import Library
from endgame_core.tables.plan import BuildPlanner

from .desk import Desk, chess_desk, morris_desk

HERE = Path(__file__).parent


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark as slow what repeats a test of a screen: pictures other than 80x24, and all but the first parameters.

    An app that starts costs a third of a second, so a test that presses the same keys in either game, or on six sizes
    of terminal, runs once in the fast suite.
    """
    begun: set[tuple[Path, str]] = set()
    for item in items:
        parameters = getattr(item, "callspec", None)
        if parameters is None or not isinstance(item, pytest.Function) or item.path.parent != HERE:
            continue
        test = (item.path, item.nodeid.partition("[")[0])
        repeated = test in begun and inspect.iscoroutinefunction(item.function)
        picture = item.path.name.startswith("test_snapshots")
        if parameters.params.get("size", (80, 24)) != (80, 24) if picture else repeated:
            item.add_marker("slow")
        begun.add(test)


_wait_for_screen = Pilot[Any]._wait_for_screen  # pyright: ignore[reportPrivateUsage]


def _sleeps(pump: MessagePump) -> bool:
    """Whether it has done all that it was sent, and waits for more."""
    ready = pump._message_queue.ready_event  # pyright: ignore[reportPrivateUsage]
    return bool(ready._waiters) and not ready.is_set()  # type: ignore[attr-defined] # pyright: ignore


async def _wait_for_who_is_awake(pilot: Pilot[Any], timeout: float = 30.0) -> bool:
    """As Textual's own, which wakes every widget to hear that it has nothing to do: a third of what a key takes."""
    with suppress(ScreenStackError):  # the app has ended
        if all(map(_sleeps, (pilot.app, *pilot.app.screen.walk_children(with_self=True)))):
            return True
    return await _wait_for_screen(pilot, timeout)


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Screens wait for the clocks for as long as it takes, and have all colours; nobody is woken to no purpose."""
    monkeypatch.setattr(Pilot, "_wait_for_screen", _wait_for_who_is_awake)
    monkeypatch.setenv("COLORTERM", "truecolor")
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setattr(judge, "WAIT_SECONDS", 30.0)


@pytest.fixture
def same_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """For pictures: disk, prices and colours are those of no machine in particular."""

    def estimate(planner: BuildPlanner, ending: str, memory: int | None = None) -> Cost:
        slots = planner.game.index.slots(ending)
        return Cost(slots * 2e-8, slots // 3, 200_000_000 + 3 * slots)

    monkeypatch.setattr(DiskSpace, "free_bytes", lambda self: 12_000_000_000)
    monkeypatch.setattr(DiskSpace, "used_bytes", lambda self: 5_000_000)
    monkeypatch.setattr(BuildPlanner, "estimate", estimate)
    monkeypatch.delenv("NO_COLOR", raising=False)


@pytest.fixture
def syzygy(truth: Path, tmp_path: Path) -> Path:
    """Some Syzygy files, of which some are missing."""
    found = tmp_path / "syzygy"
    found.mkdir()
    for name in (
        "KBNvK.rtbw",
        "KBNvK.rtbz",
        "KNvK.rtbw",
        "KNvK.rtbz",
        "KBvK.rtbw",
        "KBvK.rtbz",
        "KRvKP.rtbw",
        "KRvKP.rtbz",
    ):
        shutil.copy(truth / "syzygy" / name, found / name)
    return found


@pytest.fixture
def by_dtz(dtz_library: Library, tmp_path: Path) -> Path:
    """A data directory with KQvKR by DTZ alone."""
    (tmp_path / "dtz" / "tables").mkdir(parents=True)
    os.link(dtz_library.directory / "KQvKR.dtz.egt", tmp_path / "dtz" / "tables" / "KQvKR.dtz.egt")
    return tmp_path / "dtz"


@pytest.fixture
def desk(request: pytest.FixtureRequest, tmp_path: Path, game: str) -> Desk:
    """A game to be practised."""
    used: Explorer[Any, Any] = request.getfixturevalue("morris" if game == "morris" else "explorer")
    return (morris_desk if game == "morris" else chess_desk)(tmp_path, used)


@pytest.fixture
def chess(tmp_path: Path, explorer: Explorer[Any, Any]) -> Desk:
    """Chess to be practised."""
    return chess_desk(tmp_path, explorer)


@pytest.fixture
def stones(tmp_path: Path, morris: Explorer[Any, Any]) -> Desk:
    """Stones to be practised."""
    return morris_desk(tmp_path, morris)


@pytest.fixture
def play_root(library: Library, morris: Explorer[Any, Any], tmp_path: Path) -> Path:
    """A data directory of its own with the tables of both games, chess by DTM alone."""
    (tmp_path / "play" / "tables").mkdir(parents=True)
    for directory in (library.directory, morris.library.directory):
        for table in directory.glob("*.egt"):
            (tmp_path / "play" / "tables" / table.name).symlink_to(table)
    return tmp_path / "play"

"""Every prompt of a locked app refuses files outside the data directory in one sentence."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from endgame_core.paths import AccessPolicy
from endgame_core.settings import ALL, CLUSTER, ENGINE, SYZYGY
from endgame_tui.app import EndgameApp
from endgame_tui.screens.base import BaseScreen
from tests.tui.keys_inventory import places
from tests.tui.terminal_text import message_text, press, settle, type_in

LOCKED = "is outside the data directory; type only a file name; the file is saved in the exports folder."
WALKED = ("board editor (chess)", "play, setting up (chess)")
"""The screens all of whose keys are tried; the prompts for files of all screens have a test of their own."""

AFTER = ("3", "enter", "w", "enter")
"""The keys that lead to the end of a game."""

_watched: list[tuple[str, set[str]]] = []


def _audit(event: str, args: tuple[Any, ...]) -> None:
    """Notes what is opened or listed below a directory, and every program that is started."""
    for outside, seen in _watched:
        if event in ("open", "os.listdir", "os.scandir") and str(args[0]).startswith(outside):
            seen.add(f"{event} {args[0]}")
        if event in ("os.system", "os.exec", "os.posix_spawn"):
            seen.add(f"{event} {args[0]}")


sys.addaudithook(_audit)


@contextmanager
def untouched(outside: Path) -> Iterator[None]:
    """Asserts that nothing below a directory is opened or listed meanwhile."""
    seen: set[str] = set()
    before = {path: path.stat().st_mtime_ns for path in outside.rglob("*")}
    _watched.append((str(outside), seen))
    try:
        yield
    finally:
        _watched.remove((str(outside), seen))
    assert not seen and {path: path.stat().st_mtime_ns for path in outside.rglob("*")} == before


def outside_names(outside: Path) -> list[str]:
    """What somebody might type to reach a directory that is the home directory, and lies beside the data directory."""
    return [str(outside / "there.epd"), str(outside), "../../outside/there.epd", "../../outside/new.pgn", "~/new.epd"]


@pytest.fixture
def outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    found = tmp_path / "outside"
    found.mkdir()
    monkeypatch.setenv("HOME", str(found))
    for name in ("there.epd", "there.pgn", "there.jsonl"):
        (found / name).write_text('7K/6Q1/8/8/2k5/8/8/8 w - - id "theirs";\n')
    return found


@asynccontextmanager
async def locked(root: Path, start: str, *keys: str) -> AsyncIterator[Pilot[None]]:
    app = EndgameApp(start, root, ascii=False, reach=AccessPolicy(locked=True))
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        for key in keys:
            await press(pilot, key)
        yield pilot


async def answer(pilot: Pilot[None], text: str) -> str:
    """Types something in place of what stands in the prompt; tells what is said then."""
    await pilot.press("ctrl+u")
    await type_in(pilot, text)
    await settle(pilot)
    return " ".join(message_text(pilot).split())


@pytest.mark.slow
async def test_prompts_for_files_refuse(tmp_path: Path, outside: Path) -> None:
    async with locked(tmp_path / "data", "8/8/8/3k4/8/8/8/1K5R w - - 0 1") as pilot:
        for keys in (
            ("3", "O"), (*AFTER, "o"), ("4", "plus"), ("5", "o"), ("5", "O"),
            ("2", "slash", *"KQvK", "enter", "a", "o"),
        ):  # fmt: skip
            await press(pilot, *keys)
            assert isinstance(pilot.app.screen, BaseScreen) and pilot.app.screen.last_row.is_typing, keys
            with untouched(outside):
                for text in outside_names(outside):
                    if not pilot.app.screen.last_row.is_typing:
                        await press(pilot, keys[-1])
                    told = await answer(pilot, text)
                    assert LOCKED in told, (keys, text, told)
            await press(pilot, "escape")
            assert not pilot.app.screen.last_row.is_typing, keys


@pytest.mark.slow
async def test_settings_name_no_program_and_no_directory(tmp_path: Path, outside: Path) -> None:
    async with locked(tmp_path / "data", "8/8/8/3k4/8/8/8/1K5R w - - 0 1") as pilot:
        for setting in (SYZYGY, ENGINE, CLUSTER):
            await press(pilot, "comma", *["down"] * ALL.index(setting), "enter")
            assert isinstance(pilot.app.screen, BaseScreen) and not pilot.app.screen.last_row.is_typing, setting.name
            assert "Locked: " in message_text(pilot) and "cannot be changed here" in message_text(pilot), setting.name
            assert setting is not SYZYGY or "set them when you start the program" in message_text(pilot)
            await press(pilot, "escape")
            assert "Locked" not in message_text(pilot), setting.name


@pytest.mark.slow
async def test_a_game_is_saved_and_opened_again_by_its_name_alone(tmp_path: Path, outside: Path) -> None:
    async with locked(tmp_path / "data", "8/8/8/3k4/8/8/8/1K5R w - - 0 1", *AFTER, "o") as pilot:
        assert "exports/mine.pgn." in "".join((await answer(pilot, "mine.pgn")).split())
        assert (tmp_path / "data" / "exports" / "mine.pgn").is_file()
        await press(pilot, "o")
        await press(pilot, "enter")  # the name that is offered
        assert "Saved as" in message_text(pilot) and len(list((tmp_path / "data" / "games").iterdir())) == 1
        await press(pilot, "O")
        assert "locked" not in await answer(pilot, "mine.pgn")


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("start", "keys"), [pytest.param(start, keys, id=name) for name, start, keys in places() if name in WALKED]
)
async def test_no_key_of_a_locked_screen_reaches_files_outside(
    start: str, keys: tuple[str, ...], tmp_path: Path, outside: Path
) -> None:
    """Whatever a key opens, what is typed there reaches nothing outside."""
    async with locked(tmp_path / "data", start, *keys) as pilot:
        names = {active.binding.key for active in pilot.app.screen.active_bindings.values()} - {"q", "ctrl+q", "x"}
    prompts = 0
    with untouched(outside):
        for key in sorted(names):
            async with locked(tmp_path / "data", start, *keys, key) as pilot:
                for text in outside_names(outside):
                    screen = pilot.app.screen
                    if isinstance(screen, BaseScreen) and screen.last_row.is_typing:
                        prompts += 1
                        await answer(pilot, text)
    assert prompts, "the colon opens one everywhere"

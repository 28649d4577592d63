"""The terminal's cursor follows the focus, for Braille displays and screen readers."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from rich.cells import cell_len
from textual.pilot import Pilot

from endgame_core.settings import CURSOR
from endgame_tui.app import EndgameApp
from tests.test_plain import Pty

from .terminal_text import rows, settle


@asynccontextmanager
async def app(root: Path, opened: str | None = None, size: tuple[int, int] = (80, 24)) -> AsyncGenerator[Pilot[None]]:
    async with EndgameApp(opened, root).run_test(size=size) as pilot:
        await settle(pilot, "build", "find")
        yield pilot


async def under(pilot: Pilot[None], *keys: str) -> str:
    """What is printed from the terminal's cursor on, after some keys."""
    for key in keys:
        await pilot.press(key)
        await settle(pilot, "build", "find")
    x, y = pilot.app.cursor_position
    row, column = rows(pilot)[y], 0
    for at, sign in enumerate(row):
        if column >= x and cell_len(sign):
            return row[at:]
        column += cell_len(sign)
    return ""


async def test_the_terminal_cursor_follows_the_cursor_of_the_board(tmp_path: Path) -> None:
    async with app(tmp_path, "7K/6Q1/8/8/2k5/8/8/8 w - - 0 1") as pilot:
        assert (await under(pilot)).startswith("♕")
        assert (await under(pilot, "up", "right")).startswith("♔")
        at = pilot.app.cursor_position
        await under(pilot, "f")
        assert pilot.app.cursor_position != at and (await under(pilot)).startswith("♔")


@pytest.mark.parametrize("size", [(40, 20), (80, 24), (120, 40), (180, 60)])
async def test_the_terminal_cursor_is_on_the_stone(tmp_path: Path, size: tuple[int, int]) -> None:
    async with app(tmp_path, "OXO1O1XX/8/8 w", size) as pilot:
        here = await under(pilot)
        assert here[0] in "○█"


@pytest.mark.slow
async def test_the_terminal_cursor_is_on_the_row_of_a_list(tmp_path: Path) -> None:
    async with app(tmp_path) as pilot:
        assert (await under(pilot, "tab")).startswith("S19 ")
        assert (await under(pilot, "up")).startswith("S18 ")
        assert (await under(pilot, "tab"))[0] in "KQ"
        assert (await under(pilot, "2")).startswith("KQvK ")
        assert (await under(pilot, "down")).startswith("KRvK ")
        assert (await under(pilot, "3")).startswith("You play ")
        assert (await under(pilot, "4")).startswith("Learn next")
        assert (await under(pilot, "down")).startswith("Find your level")
        assert (await under(pilot, "comma")).startswith("Theme")
        assert (await under(pilot, "down")).startswith("Characters")
        await under(pilot, "escape")
        assert (await under(pilot, "question_mark")).strip()


async def test_the_terminal_cursor_is_behind_the_typed_text(tmp_path: Path) -> None:
    async with app(tmp_path) as pilot:
        await under(pilot, "colon", "K", "q")
        x, y = pilot.app.cursor_position
        assert rows(pilot)[y][:x].strip() == ": Kq"
        await under(pilot, "left")
        assert pilot.app.cursor_position == (x - 1, y)


@pytest.mark.slow
async def test_the_terminal_cursor_is_on_the_question_of_a_drill(tmp_path: Path) -> None:
    async with app(tmp_path) as pilot:
        await under(pilot, "4", "slash", *"KRvK", "enter", "tab")
        while "win/draw/loss?" not in await under(pilot):
            await under(pilot, "right")
        assert (await under(pilot, "enter")).strip().startswith(("White to move: w wins", "Black to move: w wins"))


@pytest.mark.slow
def test_the_cursor_position_is_sent_once_for_every_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    there = Pty(tmp_path, "7K/6Q1/8/8/2k5/8/8/8 w - - 0 1", term="xterm-256color")
    assert there.until("\x1b[5;29H").rindex("\x1b[?25h") > 0  # the queen on g7
    there.until(" help ")
    there.type("k")
    there.until("\x1b[3;29H")  # g8
    there.type("q")
    assert there.end() == 0 and there.seen.rindex("\x1b[?25h") > there.seen.rfind("\x1b[?25l")


async def test_the_terminal_cursor_can_be_hidden(tmp_path: Path) -> None:
    (tmp_path / "settings.toml").write_text("cursor = false\n")
    async with app(tmp_path) as pilot:
        assert isinstance(pilot.app, EndgameApp)
        assert not pilot.app.shows_cursor and not pilot.app.settings[CURSOR]

"""A played move flashes on a fast line if the user wants it; an undone one does not."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import chess
import pytest
from rich.style import Style
from textual.driver import Driver
from textual.message import Message
from textual.messages import TerminalSupportsSynchronizedOutput
from textual.pilot import Pilot

from endgame_core import paths
from endgame_tui.app import EndgameApp
from endgame_tui.low_bandwidth import FAST_LINE_SECONDS, diff_driver
from endgame_tui.widgets.board import LIT_SECONDS, MoveBoard
from tests.tui.terminal_text import settle

from .playing import MILL

QUEEN = "8/7K/2k5/8/8/4Q3/8/8 w - - 0 1"


class Line(Driver):
    """A terminal that answers when a test lets it."""

    _app: Any = None

    def __init__(self) -> None:
        self.sent = ""

    def write(self, data: str) -> None:
        self.sent += data

    def process_message(self, message: Message) -> None:
        """Drop the message: nobody waits for it."""

    def start_application_mode(self) -> None:
        """Do nothing."""

    def stop_application_mode(self) -> None:
        """Do nothing."""

    def disable_input(self) -> None:
        """Do nothing."""


def lit(pilot: Pilot[Any]) -> int | None:
    """The square that lights up."""
    return pilot.app.screen.query_one(MoveBoard).view.lit


def stone_inks(pilot: Pilot[Any]) -> list[tuple[str, Style]]:
    """The board character by character, with their styles."""
    board = pilot.app.screen.query_one(MoveBoard)
    rows = board.view.paint(board.board_layout, board.look)
    return [(char, style) for row in rows for text, style in row for char in text]


def app_of(root: Path, monkeypatch: pytest.MonkeyPatch, seconds: float | None, start: str = QUEEN) -> EndgameApp:
    """The app at the end of a line that answers within some seconds, or never."""
    app = EndgameApp(start, root, ascii=False)
    monkeypatch.setattr("endgame_tui.widgets.board.LIT_SECONDS", 5 * LIT_SECONDS)
    monkeypatch.setattr(
        EndgameApp, "has_motion", property(lambda self: EndgameApp.allows_motion(self.settings, seconds))
    )
    return app


class TestThePlayedMove:
    async def test_a_moved_piece_lights_up_for_a_moment(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        async with app_of(tmp_path, monkeypatch, FAST_LINE_SECONDS / 2).run_test(size=(80, 24)) as pilot:
            await settle(pilot)
            assert lit(pilot) is None
            await pilot.press("full_stop")
            assert lit(pilot) == chess.G6
            await asyncio.sleep(6 * LIT_SECONDS)
            await settle(pilot)
            assert lit(pilot) is None

    async def test_a_stone_lights_up_as_well(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        app = app_of(tmp_path, monkeypatch, FAST_LINE_SECONDS / 2, start=MILL)
        async with app.run_test(size=(80, 24)) as pilot:
            await settle(pilot)
            style = app.look.palette("morris_mark", "morris_board")
            inks_before = stone_inks(pilot)
            await pilot.press("full_stop")
            assert lit(pilot) is not None and ("▐", style) in stone_inks(pilot)
            await asyncio.sleep(6 * LIT_SECONDS)
            await settle(pilot)
            assert lit(pilot) is None and ("▐", style) not in [*inks_before, *stone_inks(pilot)]

    async def test_undo_does_not_light_up(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        async with app_of(tmp_path, monkeypatch, FAST_LINE_SECONDS / 2).run_test(size=(80, 24)) as pilot:
            await settle(pilot)
            await pilot.press("full_stop", "full_stop", "u")
            assert lit(pilot) is None

    @pytest.mark.parametrize("seconds", [None, 2 * FAST_LINE_SECONDS])
    async def test_nothing_lights_up_on_a_slow_connection(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seconds: float | None
    ) -> None:
        async with app_of(tmp_path, monkeypatch, seconds).run_test(size=(80, 24)) as pilot:
            await settle(pilot)
            await pilot.press("full_stop")
            assert lit(pilot) is None

    async def test_the_setting_turns_motion_off(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        paths.settings_file(tmp_path).write_text("motion = false\n")
        async with app_of(tmp_path, monkeypatch, 0.0).run_test(size=(80, 24)) as pilot:
            await settle(pilot)
            await pilot.press("full_stop")
            assert lit(pilot) is None


class TestTheLine:
    def test_only_the_answer_to_the_apps_own_question_counts(self) -> None:
        driver_class: Any = diff_driver(Line)
        driver = driver_class()
        driver.time_line()
        assert driver.sent == "\x1b[?2026$p"
        driver.process_message(TerminalSupportsSynchronizedOutput())  # the answer to Textual's question
        assert driver.line_seconds is None
        driver.process_message(TerminalSupportsSynchronizedOutput())
        first = driver.line_seconds
        assert first is not None and 0 <= first < 10
        driver.process_message(TerminalSupportsSynchronizedOutput())
        assert driver.line_seconds == first

"""How screens are divided: titles with rules, panels side by side, digits of the tabs on small screens."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from endgame_core.app_state import AppState
from endgame_tui.app import EndgameApp
from tests.tui.seeded_journal import NOW, seed
from tests.tui.terminal_text import left_on, press, rows, settle, text, type_in, within

ROOK = "8/8/8/3k4/8/8/4R3/4K3 w - - 0 1"


def app_of(root: Path, text: str | None = ROOK, memory: AppState | None = None) -> EndgameApp:
    """The app on the starter tables alone."""
    return EndgameApp(text, root, ascii=False, memory=memory)


async def pressed(pilot: Pilot[Any], *keys: str) -> None:
    """Wait for the first screen, then press keys one after the other."""
    await settle(pilot)
    await press(pilot, *keys)
    await settle(pilot)


class TestPlay:
    async def test_game_and_moves_stand_side_by_side(self, tmp_path: Path) -> None:
        async with app_of(tmp_path).run_test(size=(120, 40)) as pilot:
            await pressed(pilot, "3", "enter", "v")
            await type_in(pilot, "Kd1")
            await settle(pilot)
            title = next(row for row in rows(pilot) if "Game ─" in row)
            assert "Moves ─" in title and "Kd4" in text(pilot)
            assert within(pilot, "#score")[1].endswith("✓ best")


class TestTheSmallestScreens:
    @pytest.mark.parametrize("keys", [(), ("full_stop",), ("3", "enter"), ("3", "enter", "v")])
    async def test_tabs_keep_their_digits(self, tmp_path: Path, keys: tuple[str, ...]) -> None:
        async with app_of(tmp_path).run_test(size=(40, 20)) as pilot:
            await pressed(pilot, *keys)
            assert " 1 2 3 4 5 " in rows(pilot)[0]

    async def test_sentences_take_free_lines(self, tmp_path: Path) -> None:
        async with app_of(tmp_path).run_test(size=(40, 20)) as pilot:
            await pressed(pilot, "m")
            assert "99 left on the 50-move counter." in text(pilot)
            await pressed(pilot, "escape", "3")
            assert "study" in text(pilot) and "stu…" not in text(pilot)


class TestPanels:
    async def test_previous_positions_open_from_all_moves(self, tmp_path: Path) -> None:
        async with app_of(tmp_path, "8/7K/2k5/8/8/4Q3/8/8 w - - 0 1").run_test(size=(80, 24)) as pilot:
            await pressed(pilot, "m")
            assert pilot.app.focused is not None and pilot.app.focused.id == "moves"
            await pressed(pilot, "b")
            assert pilot.app.focused.id == "before" and within(pilot, "#before")

    async def test_a_large_library_shows_statistics(self, tmp_path: Path) -> None:
        async with app_of(tmp_path, None, left_on("library")).run_test(size=(200, 60)) as pilot:
            await pressed(pilot)
            assert "boards by plies to the end" in text(pilot) and "54 052" in text(pilot)


class TestTheReportOfAGame:
    async def test_phases_have_accuracy_and_moves_lost(self, tmp_path: Path) -> None:
        seed(tmp_path)
        app = app_of(tmp_path, None, left_on("progress"))
        app.lab.journal.clock = lambda: NOW
        async with app.run_test(size=(120, 40)) as pilot:
            await pressed(pilot, "down", "r", "enter")
            assert [row.split() for row in within(pilot, "#phases")] == [
                ["Phases", "moves", "accuracy", "moves", "lost"],
                ["KPvK", "5", "60", "%", "1"],
            ]
            # The win that was thrown away and taken back is the second and third position.
            labels = within(pilot, "#chart")[-1]
            assert labels.startswith("▴  ✗") and labels.endswith("end")

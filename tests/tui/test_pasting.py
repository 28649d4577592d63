"""Text pasted where no prompt is open: positions go to the board."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from textual.events import Paste
from textual.pilot import Pilot

from .desk import Desk
from .terminal_text import message_text, settle

FEN = "8/8/8/8/8/2k5/4q3/K7 w - - 0 1"
LINK = f"https://lichess.org/analysis/standard/{FEN.replace(' ', '_')}?color=white"


async def paste(pilot: Pilot[None], text: str) -> None:
    """Paste as a terminal does: the app hands it to what has the focus."""
    pilot.app.post_message(Paste(text))
    await settle(pilot)


async def test_a_pasted_link_opens_in_explore(chess_desk: Desk) -> None:
    async with chess_desk.practise() as pilot:
        await pilot.press("1")
        await settle(pilot)
        await paste(pilot, LINK)
        await pilot.press("c")
        assert pilot.app.clipboard == FEN
        await paste(pilot, f'[Event "?"]\n[FEN "{FEN.replace(" w ", " b ")}"]\n')
        await pilot.press("c")
        assert pilot.app.clipboard == FEN.replace(" w ", " b ")
        await paste(pilot, "8/8/8/8/8/2k5/\r4q3/K7 w - - 0 1\r")  # line ends as terminals paste them
        await pilot.press("c")
        assert pilot.app.clipboard == FEN
        await paste(pilot, f'[Event "?"]\r\n[FEN "{FEN.replace(" w ", " b ")}"]\r\n')
        await paste(pilot, "nonsense\n")
        assert "nonsense" in message_text(pilot)
        await pilot.press("c")
        assert pilot.app.clipboard == FEN.replace(" w ", " b ")


async def test_a_pasted_position_is_set_up_in_play(chess_desk: Desk) -> None:
    async with chess_desk.practise() as pilot:
        await pilot.press("3")
        await settle(pilot)
        await paste(pilot, LINK)
        screen: Any = pilot.app.screen
        assert screen.play.setup.position.fen() == FEN


@pytest.mark.parametrize("key", ["2", "4", "5"])
async def test_other_screens_open_a_pasted_position_in_explore(chess_desk: Desk, key: str) -> None:
    async with chess_desk.practise() as pilot:
        await pilot.press(key)
        await settle(pilot)
        screen: Any = pilot.app.screen
        await paste(pilot, "nonsense")
        assert pilot.app.screen is screen and "nonsense" in message_text(pilot)
        await paste(pilot, LINK)
        shown: Any = pilot.app.screen
        assert shown.TASK == "explore" and shown.walk.position.fen() == FEN


@pytest.mark.parametrize("keys", [("down", "enter"), ("question_mark",)], ids=["a drill", "the help"])
async def test_a_drill_and_the_help_ignore_a_paste(chess_desk: Desk, keys: tuple[str, ...]) -> None:
    async with chess_desk.practise() as pilot:
        await pilot.press("4")
        await settle(pilot)
        under = pilot.app.screen
        await pilot.press(*keys)
        await settle(pilot)
        shown = pilot.app.screen
        assert shown is not under
        await paste(pilot, LINK)
        assert pilot.app.screen is shown and not message_text(pilot)


async def test_a_prompt_receives_a_paste(chess_desk: Desk) -> None:
    async with chess_desk.practise() as pilot:
        await pilot.press("1")
        await settle(pilot)
        await pilot.press("colon")
        await paste(pilot, LINK)
        await pilot.press("enter")
        await settle(pilot)
        await pilot.press("c")
        assert pilot.app.clipboard == FEN


async def test_a_set_is_exported_as_a_sheet(chess_desk: Desk, tmp_path: Path) -> None:
    async with chess_desk.practise() as pilot:
        screen: Any = pilot.app.screen
        picker = screen.practising.chooser
        entry = next(entry for entry in picker.entries().values() if entry.collection is not None and entry.items)
        picker.cursor = entry.key
        screen.show()
        await settle(pilot)
        file = tmp_path / "sheet.epd"
        await pilot.press("o", "ctrl+u", *str(file), "enter")
        await settle(pilot)
        for _ in range(50):
            if file.exists():
                break
            await pilot.pause(0.1)
        assert len(file.read_text("utf-8").splitlines()) == len([item for item in entry.items if item.study])


@pytest.fixture
def chess_desk(request: pytest.FixtureRequest) -> Desk:
    desk: Desk = request.getfixturevalue("chess")
    return desk

"""Lessons of studies: every key, pressed as a user does."""

from __future__ import annotations

import pytest

from endgame_core.chess.game import CHESS

from .desk import Desk, at, find, stage, start
from .terminal_text import message_text, rows, settle, text

STUDY = "Rook: from the middle"
"""A study of KRvK, which is built, with a lesson of several pages."""
START = CHESS.parse("8/8/8/4k3/8/8/8/R3K3 w - - 0 1")


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (40, 20)])
async def test_a_lesson_is_read_page_by_page_and_move_by_move(chess: Desk, size: tuple[int, int]) -> None:
    async with chess.practise(size) as pilot:
        await find(pilot, STUDY)
        assert "L lesson" in rows(pilot)[-1] or size[0] == 40
        await pilot.press("L")
        await settle(pilot)
        assert "White wins, mate in 14" in at(pilot, "text") and await chess.position(pilot) == START

        for expected in (START, CHESS.play(START, CHESS.parse_move(START, "Ke2"))):
            await pilot.press("right")
            await settle(pilot)
            assert await chess.position(pilot) == expected
        await pilot.press("left", "left")
        await settle(pilot)
        assert "White wins, mate in 14" in at(pilot, "text")
        await pilot.press("p")
        assert "first page" in message_text(pilot)


async def test_every_page_fits_and_the_last_one_shows_best_play(chess: Desk) -> None:
    async with chess.practise((40, 20)) as pilot:
        await find(pilot, STUDY)
        await pilot.press("L")
        seen = ""
        while "end of the lesson" not in message_text(pilot):
            await settle(pilot)
            page = ""
            while at(pilot, "page") != page:  # what does not fit is scrolled
                page = at(pilot, "page")
                seen += f" {page} "
                await pilot.press("down")
                await settle(pilot)
            await pilot.press("n")
        words = " ".join(seen.split())
        assert "one rank smaller each time" in words and "walk the king up otherwise" in words
        assert "Best play according to the table" in words and words.rstrip("│┃▁▂▃▄▅▆▇█ ").endswith("#")


async def test_enter_practises_the_study_and_its_lesson_can_be_read_again_afterwards(chess: Desk) -> None:
    async with chess.practise() as pilot:
        await find(pilot, STUDY)
        await pilot.press("L", "enter")
        await settle(pilot)
        assert stage(pilot) == "drill"
        await pilot.press("L")
        assert "Finish this drill first" in message_text(pilot)
        await chess.solve(pilot)
        assert stage(pilot) == "over" and "L lesson" in rows(pilot)[-1]
        await pilot.press("L")
        await settle(pilot)
        assert "White wins, mate in 14" in at(pilot, "text") and "practise" not in rows(pilot)[-1]
        await pilot.press("escape")
        await settle(pilot)
        assert stage(pilot) == "over"


async def test_only_studies_have_a_lesson(chess: Desk) -> None:
    async with chess.practise() as pilot:
        await find(pilot, chess.win)
        assert "L lesson" not in rows(pilot)[-1]
        await pilot.press("L")
        assert "only studies have lessons" in message_text(pilot).lower()
        await start(pilot, chess.win)
        await chess.solve(pilot)
        assert "L lesson" not in rows(pilot)[-1]


@pytest.mark.slow
async def test_a_page_of_a_lesson_opens_in_explore(chess: Desk) -> None:
    async with chess.practise() as pilot:
        await find(pilot, STUDY)
        await pilot.press("L", "n", "right", "s")
        await settle(pilot)
        assert "Expl" in text(pilot) and "8/8/8/4k3/8/8/4K3/R7 b" in text(pilot)

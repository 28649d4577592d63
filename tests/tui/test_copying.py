"""Links, diagrams and games are copied, besides positions."""

from __future__ import annotations

import io
from typing import Any

import chess
import chess.pgn
import pytest
from textual.pilot import Pilot

from .desk import Desk, both
from .terminal_text import message_text, settle, type_in


async def palette(pilot: Pilot[None], name: str) -> None:
    """Do something that has no key, by its name."""
    await type_in(pilot, name)
    await settle(pilot)


async def test_a_copied_link_opens_the_position(chess_desk: Desk) -> None:
    async with chess_desk.practise() as pilot:
        await pilot.press("1")
        await settle(pilot)
        await palette(pilot, "copy link")
        link = pilot.app.clipboard
        assert link.startswith("https://lichess.org/analysis/standard/") and link in message_text(pilot).replace(
            "\n", ""
        )
        fen = link.partition("standard/")[2].replace("_", " ")
        await pilot.press("c")
        assert fen == pilot.app.clipboard and chess.Board(fen).is_valid()


@both
async def test_the_board_is_copied_as_text(desk: Desk) -> None:
    async with desk.practise() as pilot:
        await pilot.press("1")
        await settle(pilot)
        await palette(pilot, "copy board")
        rows = pilot.app.clipboard.splitlines()
        assert len(rows) in (8, 9) and rows[0].startswith(("8", "7")) and "a" in rows[-1]


async def test_a_game_is_copied_as_pgn(chess_desk: Desk) -> None:
    async with chess_desk.practise() as pilot:
        await pilot.press("3", "enter")
        await settle(pilot)
        screen: Any = pilot.app.screen
        move = next(iter(screen.play.position.legal_moves))
        await palette(pilot, move.uci())
        await palette(pilot, "copy game")
        game = chess.pgn.read_game(io.StringIO(pilot.app.clipboard))
        assert game is not None and next(iter(game.mainline_moves())) == move
        copied = pilot.app.clipboard
        pilot.app.copy_to_clipboard("")
        await palette(pilot, "copy pgn")
        assert pilot.app.clipboard == copied


async def test_without_a_game_nothing_is_copied(chess_desk: Desk) -> None:
    async with chess_desk.practise() as pilot:
        await pilot.press("3")
        await settle(pilot)
        await palette(pilot, "copy game")
        assert "there is no game yet" in message_text(pilot).lower()


@pytest.fixture
def chess_desk(request: pytest.FixtureRequest) -> Desk:
    desk: Desk = request.getfixturevalue("chess")
    return desk

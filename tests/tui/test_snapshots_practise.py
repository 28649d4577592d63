"""How the Practise and Drill screens look in both games. After a wanted change: ``pytest --snapshot-update``."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from endgame_core.morris.notation import spell
from endgame_core.morris.rules import MorrisMove
from endgame_core.practice.records import Card
from endgame_core.tables.explorer import Explorer

from . import seeded_journal
from .desk import Desk, chess_desk, find, frozen, morris_desk, own, start
from .seeded_journal import DAY, NOW
from .terminal_text import settle, type_in

Steps = Callable[[Pilot[None]], Awaitable[None]]


@pytest.fixture
def shows(snap_compare: Any, monkeypatch: pytest.MonkeyPatch) -> Callable[..., bool]:
    """Opens the Practise screen, does some steps and compares."""
    monkeypatch.delenv("NO_COLOR", raising=False)

    def compare(desk: Desk, steps: Steps, size: tuple[int, int] = (80, 24), plain: bool = False) -> bool:
        if plain:
            monkeypatch.setenv("NO_COLOR", "1")

        async def run(pilot: Pilot[None]) -> None:
            await pilot.press("4")
            await settle(pilot)
            await steps(pilot)
            await settle(pilot)

        return snap_compare(frozen(desk.root, plain, stones=desk.stones), run_before=run, terminal_size=size)

    return compare


@pytest.fixture
def chess(tmp_path: Path, explorer: Explorer[Any, Any]) -> Desk:
    """Chess, with six weeks behind it."""
    desk = chess_desk(tmp_path, explorer)
    seeded_journal.seed(desk.root)
    return desk


@pytest.fixture
def stones(tmp_path: Path, morris: Explorer[Any, Any]) -> Desk:
    """Nine Men's Morris, with two cards."""
    desk = morris_desk(tmp_path, morris)
    journal = desk.kept()
    for number, (theme, label) in enumerate(
        (("3-4 mate mover 9-19", "win in 9–19 plies"), ("4-3 call", "win/draw/loss?"))
    ):
        journal.keep(Card(theme=theme, ending=theme[:3], label=label, due=NOW + DAY * number))
    journal.close()
    return desk


def at_theme(desk: Desk) -> Steps:
    return lambda pilot: find(pilot, desk.win)


def under_way(desk: Desk) -> Steps:
    """Some moves, one of them slow, and a hint."""

    async def steps(pilot: Pilot[None]) -> None:
        await start(pilot, desk.win)
        for grade in ("slower", "best"):
            await desk.make(pilot, grade)
        await pilot.press("i", "i")

    return steps


class TestPractise:
    @pytest.mark.slow
    @pytest.mark.parametrize("size", [(80, 24), (120, 40), (40, 20)], ids=["80x24", "120x40", "40x20"])
    def test_look_of_a_theme(self, shows: Any, chess: Desk, size: tuple[int, int]) -> None:
        assert shows(chess, at_theme(chess), size)

    @pytest.mark.slow
    def test_a_theme_of_stones(self, shows: Any, stones: Desk) -> None:
        assert shows(stones, at_theme(stones))

    @pytest.mark.slow
    def test_in_ascii_without_colour(self, shows: Any, stones: Desk) -> None:
        assert shows(stones, at_theme(stones), (120, 40), plain=True)


class TestDrill:
    @pytest.mark.slow
    @pytest.mark.parametrize("size", [(80, 24), (120, 40)], ids=["80x24", "120x40"])
    def test_look_of_a_drill_under_way(self, shows: Any, chess: Desk, size: tuple[int, int]) -> None:
        assert shows(chess, under_way(chess), size)

    @pytest.mark.slow
    def test_with_stones_on_the_smallest_screen(self, shows: Any, stones: Desk) -> None:
        assert shows(stones, under_way(stones), (40, 20))

    @pytest.mark.slow
    def test_in_ascii_without_colour(self, shows: Any, chess: Desk) -> None:
        assert shows(chess, under_way(chess), plain=True)

    @pytest.mark.slow
    def test_a_stone_is_to_be_taken(self, shows: Any, stones: Desk) -> None:
        async def steps(pilot: Pilot[None]) -> None:
            await own(pilot, stones.won)
            moves = stones.explorer.game.moves(await stones.position(pilot))
            taking = next(move for move in moves if move.captured)
            await type_in(pilot, spell(MorrisMove(taking.source, taking.end)))

        assert shows(stones, steps)

    @pytest.mark.slow
    def test_look_of_an_answered_question(self, shows: Any, chess: Desk) -> None:
        async def steps(pilot: Pilot[None]) -> None:
            await start(pilot, "KPvKP", "right", "right")
            await pilot.press("w", "n")

        assert shows(chess, steps)

    @pytest.mark.slow
    def test_look_of_the_summary(self, shows: Any, chess: Desk) -> None:
        async def steps(pilot: Pilot[None]) -> None:
            await pilot.press("enter")
            await settle(pilot)
            await chess.solve(pilot)
            await pilot.press("enter")
            await settle(pilot)
            await chess.make(pilot, worst=True)
            await pilot.press("escape", "enter")

        assert shows(chess, steps)

"""How Practise, Drill and Progress look with Nine Men's Morris. After a wanted change: ``pytest --snapshot-update``."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from endgame_core import paths
from endgame_core.morris.rules import Move, Position
from endgame_core.practice.journal import Journal
from endgame_core.practice.records import Attempt, Card, Outcome
from endgame_core.tables.explorer import Explorer
from endgame_core.tables.library import Library

from .drilling import data_dir, drill_of, frozen, make, settle, type_in
from .practised import DAY, NOW, record
from .test_snapshots import _estimate

pytestmark = pytest.mark.slow
"""The same screens as those of chess, which the fast suite presses."""

SIZES = [(80, 24), (120, 40), (40, 20)]
size = pytest.mark.parametrize("size", SIZES, ids=lambda s: f"{s[0]}x{s[1]}")
both = pytest.mark.parametrize("size", SIZES[:2], ids=["80x24", "120x40"])
Steps = Callable[[Pilot[None]], Awaitable[None]]
THEMES = (
    ("3-4 mate mover 9-19", "3-4", "win in 9–19 plies", "mate", 0.8, "OXOOXX2/8/8 w"),
    ("3-3 hold opponent 14-26", "3-3", "last 14–26 plies", "hold", 0.5, "OXOOXX2/8/8 w"),
    ("4-3 call", "4-3", "call it", "call", 0.7, "OO1O4/X6X/X7 w"),
    ("4-3", "4-3", "game", "play", 0.3, "OO1O4/X6X/X7 w"),
)


def seed(root: Path) -> None:
    """Three weeks of a learner, always the same, and a day of chess before them."""
    at = [NOW - 30 * DAY]
    journal = Journal(paths.journal_file(root), clock=lambda: at[0])
    chess = Attempt(theme="KRvK call", ending="KRvK", label="call it", mode="call", start="", colour="white")
    record(journal, chess, (), Outcome.SOLVED)
    for number in range(24):
        theme, ending, label, mode, skill, start = THEMES[number % 4]
        at[0] = NOW - DAY * (20 - number * 20 // 23) - 7000 + number
        solved = (number * 7 % 10) / 10 < skill
        attempt = Attempt(
            theme=theme, ending=ending, label=label, mode=mode, start=start, colour="white", game="morris", perfect=25,
            goal="last" if mode == "hold" else "win",
        )  # fmt: skip
        uuid = record(journal, attempt, (), Outcome.OPEN)
        journal.finish(uuid, Outcome.SOLVED if solved else Outcome.FAILED, "leaving two stones" if solved else "")
    for number, (theme, ending, label, *_) in enumerate(THEMES[:3]):
        journal.keep_card(Card(theme=theme, ending=ending, label=label, due=NOW + DAY * (number - 1)))
    journal.close()


@pytest.fixture
def shows(tmp_path: Path, morris: Explorer[Position, Move], snap_compare: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Opens a screen of Morris with three weeks behind it, does some steps and compares."""
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setattr(Library, "estimate", _estimate)
    root = data_dir(tmp_path, morris.library.root / "tables")

    def compare(
        steps: Steps, size: tuple[int, int], key: str = "4", ascii: bool = False, seeded: bool = True
    ) -> bool:  # fmt: skip
        if seeded:
            seed(root)

        async def run(pilot: Pilot[None]) -> None:
            await pilot.press(key)
            await settle(pilot)
            await steps(pilot)
            await settle(pilot)

        return snap_compare(frozen(root, ascii, stones="3-4"), run_before=run, terminal_size=size)

    return compare


async def nothing(pilot: Pilot[None]) -> None:
    pass


async def at_theme(pilot: Pilot[None]) -> None:
    await type_in(pilot, "3-4", "slash")


async def drilling(pilot: Pilot[None]) -> None:
    await at_theme(pilot)
    await pilot.press("enter")
    await settle(pilot)


async def under_way(pilot: Pilot[None]) -> None:
    """Two moves made, the second slow; a stone picked up."""
    await drilling(pilot)
    for grade in ("best", "slower"):
        screen = drill_of(pilot)
        moves = screen.sitting.explorer.moves(screen.at_hand)
        screen.move_made(next((move.move for move in moves if move.grade == grade), moves[0].move))
        await settle(pilot)
    await pilot.press("enter")


async def graded(pilot: Pilot[None]) -> None:
    """Solved, and nothing lost."""
    await drilling(pilot)
    while drill_of(pilot).stage == "drill":
        await make(pilot)


async def taking(pilot: Pilot[None]) -> None:
    """A mill is closed, a stone is to be taken."""
    await type_in(pilot, "OO1O4/X6X/X7 w", "plus")
    await pilot.press("enter")
    await settle(pilot)
    screen = drill_of(pilot)
    move = next(move for move in screen.turn.moves if move.taken)
    screen.choose(move.source)
    screen.choose(move.end)


async def asked(pilot: Pilot[None]) -> None:
    await at_theme(pilot)
    await pilot.press("right", "right", "enter")
    await settle(pilot)
    await pilot.press("w")


class TestPractise:
    @size
    def test_first_launch(self, shows: Any, size: tuple[int, int]) -> None:
        assert shows(nothing, size, seeded=False)

    @size
    def test_a_theme(self, shows: Any, size: tuple[int, int]) -> None:
        assert shows(at_theme, size)

    @pytest.mark.slow
    def test_in_ascii_without_colour(self, shows: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("NO_COLOR", "1")
        assert shows(at_theme, (120, 40), ascii=True)


class TestDrill:
    @size
    def test_under_way(self, shows: Any, size: tuple[int, int]) -> None:
        assert shows(under_way, size)

    @size
    def test_taking(self, shows: Any, size: tuple[int, int]) -> None:
        assert shows(taking, size)

    @size
    def test_graded(self, shows: Any, size: tuple[int, int]) -> None:
        assert shows(graded, size)

    @size
    def test_a_question(self, shows: Any, size: tuple[int, int]) -> None:
        assert shows(asked, size)

    @pytest.mark.parametrize("size", [(80, 24), (40, 20)], ids=["80x24", "40x20"])
    def test_in_ascii_without_colour(self, shows: Any, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("NO_COLOR", "1")
        assert shows(under_way, size, ascii=True)

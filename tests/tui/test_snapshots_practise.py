"""How the Practise and Drill screens look, with a seeded journal and frozen clocks."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from endgame_core.tables.library import Library

from . import practised
from .drilling import answer, data_dir, drill_of, frozen, make, settle, solve, type_in

slow = pytest.mark.slow
SIZES = [(80, 24), (120, 40), (40, 20)]
size = pytest.mark.parametrize("size", SIZES, ids=lambda s: f"{s[0]}x{s[1]}")
Steps = Callable[[Pilot[None]], Awaitable[None]]


@pytest.fixture
def root(tmp_path: Path, library: Library, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("NO_COLOR", raising=False)
    return data_dir(tmp_path, library.directory)


@pytest.fixture
def shows(root: Path, snap_compare: Any) -> Callable[..., bool]:
    """Opens the Practise screen with six weeks behind it, does some steps and compares."""

    def compare(steps: Steps, size: tuple[int, int], ascii: bool = False, seeded: bool = True) -> bool:
        if seeded:
            practised.seed(root)

        async def run(pilot: Pilot[None]) -> None:
            await pilot.press("4")
            await settle(pilot)
            await steps(pilot)
            await settle(pilot)

        return snap_compare(frozen(root, ascii), run_before=run, terminal_size=size)

    return compare


async def nothing(pilot: Pilot[None]) -> None:
    pass


async def at_rook(pilot: Pilot[None]) -> None:
    await type_in(pilot, "KRvK", "slash")


async def drilling(pilot: Pilot[None]) -> None:
    await at_rook(pilot)
    await pilot.press("enter")
    await settle(pilot)


async def third_move(pilot: Pilot[None]) -> None:
    """The third drill, three moves made, two of them slow."""
    await drilling(pilot)
    for worst in (False, True):
        while drill_of(pilot).stage == "drill":
            await make(pilot, worst)
        await pilot.press("enter")
        await settle(pilot)
    screen = drill_of(pilot)
    for grade in ("slower", "best", "slower"):
        moves = screen.session.explorer.moves(screen.position)
        screen.move_made(next(move.move for move in moves if move.grade == grade))
        await settle(pilot)


class TestPractise:
    @slow
    @size
    def test_first_launch(self, shows: Any, size: tuple[int, int]) -> None:
        assert shows(nothing, size, seeded=False)

    @size
    def test_a_theme(self, shows: Any, size: tuple[int, int]) -> None:
        assert shows(at_rook, size)

    @size
    def test_a_theme_in_ascii_without_colour(
        self, shows: Any, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("NO_COLOR", "1")
        assert shows(at_rook, size, ascii=True)

    @slow
    def test_light(self, shows: Any) -> None:
        async def lighten(pilot: Pilot[None]) -> None:
            await at_rook(pilot)
            pilot.app.action_theme()  # pyright: ignore

        assert shows(lighten, (80, 24))

    @slow
    def test_the_window(self, shows: Any) -> None:
        async def window(pilot: Pilot[None]) -> None:
            await type_in(pilot, "KBNvK", "slash")
            await pilot.press("tab", "tab", "right", "right", "up")

        assert shows(window, (80, 24))

    @slow
    def test_the_choices_on_the_smallest_screen(self, shows: Any) -> None:
        async def choices(pilot: Pilot[None]) -> None:
            await at_rook(pilot)
            await pilot.press("tab")

        assert shows(choices, (40, 20))

    @slow
    def test_an_open_set_and_a_study(self, shows: Any) -> None:
        async def study(pilot: Pilot[None]) -> None:
            await type_in(pilot, "Hold by the opposition", "slash")

        assert shows(study, (80, 24))

    @slow
    def test_a_set_with_endings_that_are_not_built(self, shows: Any) -> None:
        async def rooks(pilot: Pilot[None]) -> None:
            await type_in(pilot, "Rook", "slash")

        assert shows(rooks, (120, 40))

    @slow
    def test_a_streak(self, shows: Any) -> None:
        async def streak(pilot: Pilot[None]) -> None:
            await type_in(pilot, "King", "slash")
            await pilot.press("left")

        assert shows(streak, (80, 24))


class TestDrill:
    @slow
    @size
    def test_before_the_first_move(self, shows: Any, size: tuple[int, int]) -> None:
        assert shows(drilling, size)

    @size
    def test_under_way(self, shows: Any, size: tuple[int, int]) -> None:
        assert shows(third_move, size)

    @pytest.mark.parametrize("size", [(80, 24), (120, 40)], ids=lambda s: f"{s[0]}x{s[1]}")
    def test_in_ascii_without_colour(self, shows: Any, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("NO_COLOR", "1")
        assert shows(third_move, size, ascii=True)

    @slow
    def test_a_hint(self, shows: Any) -> None:
        async def hint(pilot: Pilot[None]) -> None:
            await drilling(pilot)
            await pilot.press("i", "i")

        assert shows(hint, (80, 24))

    def test_not_solved(self, shows: Any) -> None:
        async def missed(pilot: Pilot[None]) -> None:
            await type_in(pilot, "KPvK", "slash")
            await pilot.press("enter")
            await settle(pilot)
            while drill_of(pilot).stage == "drill":
                await make(pilot, worst=True)

        assert shows(missed, (80, 24))

    @pytest.mark.parametrize(
        "after",
        [pytest.param(0, marks=slow), pytest.param(1, marks=slow), 2],
        ids=["asked", "called", "answered"],
    )
    def test_a_question(self, shows: Any, after: int) -> None:
        async def question(pilot: Pilot[None]) -> None:
            await type_in(pilot, "KPvKP", "slash")
            await pilot.press("right", "right", "enter")
            await settle(pilot)
            await pilot.press(*("w", "n")[:after])

        assert shows(question, (80, 24))

    @size
    def test_the_summary(self, shows: Any, size: tuple[int, int]) -> None:
        async def due(pilot: Pilot[None]) -> None:
            await pilot.press("enter")
            for _ in range(3):
                await settle(pilot)
                await solve(pilot)
                await pilot.press("enter")

        assert shows(due, size)

    @slow
    def test_a_streak(self, shows: Any) -> None:
        async def streak(pilot: Pilot[None]) -> None:
            await type_in(pilot, "King", "slash")
            await pilot.press("left", "enter")
            for _ in range(4):
                await settle(pilot)
                await (answer(pilot) if drill_of(pilot).stage == "question" else make(pilot))

        assert shows(streak, (80, 24))

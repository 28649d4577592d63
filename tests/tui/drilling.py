"""The app on the Practise screen with nothing left to chance: frozen clocks, seeded random, real tables."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from textual.events import Paste
from textual.pilot import Pilot

from endgame_core import paths
from endgame_core.practice.journal import Journal
from endgame_core.practice.schedule import Schedule
from endgame_core.values import Category
from endgame_tui.app import EndgameApp, MorrisApp
from endgame_tui.screens.drilling import Drilling
from endgame_tui.screens.practise import PractiseScreen
from endgame_tui.widgets.frame import JobStrip

from .practised import NOW


def data_dir(tmp_path: Path, tables: Path) -> Path:
    """A data directory of its own with the tables of another."""
    root = tmp_path / "data"
    root.mkdir(exist_ok=True)
    (root / "tables").symlink_to(tables, target_is_directory=True)
    return root


class Ticking:
    """A clock that goes on only when told to."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def frozen(root: Path, ascii: bool = False, seed: int = 7, stones: str | None = None) -> EndgameApp:
    """The app, with nothing left to chance; ``stones`` is a Morris ending or position to open."""
    app = MorrisApp(stones, root, ascii=ascii) if stones else EndgameApp(None, root, ascii=ascii)
    app.session.rng = random.Random(seed)
    app.session.clock = Ticking()
    app.session.journal = Journal(paths.journal_file(root), clock=lambda: NOW)
    app.session.schedule = Schedule(app.session.journal, fuzz=False)
    return app


@asynccontextmanager
async def practising(
    root: Path, size: tuple[int, int] = (80, 24), seed: int = 7, stones: str | None = None
) -> AsyncIterator[Pilot[None]]:
    """The Practise screen."""
    app = frozen(root, seed=seed, stones=stones)
    async with app.run_test(size=size) as pilot:
        await pilot.press("4")
        await app.workers.wait_for_complete()
        await pilot.pause()
        assert isinstance(app.screen, PractiseScreen)
        yield pilot


def chooser_of(pilot: Pilot[None]):
    """What is chosen on the Practise screen."""
    screen = pilot.app.screen_stack[0]
    assert isinstance(screen, PractiseScreen)
    return screen.chooser


def drill_of(pilot: Pilot[None]) -> Any:
    """The Drill screen, of either game."""
    screen = pilot.app.screen
    assert isinstance(screen, Drilling)
    return screen


def said(pilot: Pilot[None]) -> str:
    """The sentence above the keys."""
    return pilot.app.screen.query_one(JobStrip).view.words


async def settle(pilot: Pilot[None]) -> None:
    """Waits for the reply, and for what it brings."""
    await pilot.app.workers.wait_for_complete()
    await pilot.pause()


async def type_in(pilot: Pilot[None], text: str, key: str = "colon") -> None:
    """Pastes a text into a prompt, and presses Enter."""
    await pilot.press(key)
    assert pilot.app.focused is not None
    pilot.app.focused.post_message(Paste(text))
    await pilot.press("enter")


async def start(pilot: Pilot[None], name: str) -> Any:
    """Finds a row and starts it."""
    await type_in(pilot, name, "slash")
    await pilot.press("enter")
    await settle(pilot)
    return drill_of(pilot)


async def make(pilot: Pilot[None], worst: bool = False) -> Any:
    """Makes the learner's best move, or the worst, and waits for the reply."""
    screen = drill_of(pilot)
    moves = screen.sitting.explorer.moves(screen.at_hand)
    chosen = moves[-1] if worst else moves[0]
    screen.move_made(chosen.move)
    await settle(pilot)
    return chosen.move


async def answer(pilot: Pilot[None], right: bool = True) -> None:
    """Answers a question."""
    question = drill_of(pilot).sitting.question
    assert question is not None
    keys = {Category.WIN: "w", Category.DRAW: "d", Category.LOSS: "l"}
    truth = question.truth.result
    await pilot.press(keys[truth] if right else next(key for result, key in keys.items() if result is not truth))
    if question.truth.decides is not None:
        await pilot.press("y" if question.truth.decides else "n")
    await pilot.pause()


async def solve(pilot: Pilot[None]) -> None:
    """Solves the drill at hand."""
    while drill_of(pilot).stage == "drill":
        await make(pilot)
    if drill_of(pilot).stage == "question":
        await answer(pilot)

"""A game with its tables, ready to be practised in a test, with nothing left to chance."""

from __future__ import annotations

import random
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from endgame_core import paths
from endgame_core.app_state import AppState
from endgame_core.practice.drills import WinGoal
from endgame_core.practice.journal import Journal
from endgame_core.practice.theme import turn_matters
from endgame_core.tables.explorer import Explorer
from endgame_core.values import Category
from endgame_tui.app import EndgameApp
from tests.positions import by_depth

from .seeded_journal import NOW
from .terminal_text import left_on, rows, settle, type_in, within

BOTH = ["chess", pytest.param("morris", marks=pytest.mark.slow)]
both = pytest.mark.parametrize("game", BOTH)


class Ticking:
    """A clock that goes on only when told to."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def data_dir(tmp_path: Path, tables: Path) -> Path:
    """A data directory of its own with the tables of another."""
    root = tmp_path / "data"
    root.mkdir(exist_ok=True)
    (root / "tables").symlink_to(tables, target_is_directory=True)
    return root


def frozen(
    root: Path, ascii: bool = False, seed: int = 7, stones: str | None = None, memory: AppState | None = None
) -> EndgameApp:
    """The app, with nothing left to chance; ``stones`` is a Morris ending or position to open."""
    app = EndgameApp(stones, root, ascii=ascii, memory=memory)
    app.rng = random.Random(seed)
    app.clock = Ticking()
    app.lab.journal = Journal(paths.journal_file(root), clock=lambda: NOW)
    return app


def tick(pilot: Pilot[None], seconds: float) -> None:
    """The clock of the drill has come to so many seconds; the screen sees it with its next tick."""
    pilot.app.clock.now = seconds  # pyright: ignore


@dataclass(frozen=True)
class Desk:
    """A game that is practised.

    Attributes:
        root: The data directory.
        explorer: The tables, for what would be best.
        stones: What is opened in Nine Men's Morris; None in chess.
        win: An ending with a theme of winning.
        hold: An ending with a theme of holding.
        won: A won position.
    """

    root: Path
    explorer: Explorer[Any, Any]
    stones: str | None
    win: str
    hold: str
    won: str

    @asynccontextmanager
    async def practise(
        self, size: tuple[int, int] = (80, 24), seed: int = 7, goal: WinGoal | None = None
    ) -> AsyncGenerator[Pilot[None]]:
        """The Practise screen; ``goal`` is what was last chosen for drills that can be won."""
        game = "morris" if self.stones else "chess"
        memory = left_on("practise", game)
        if goal is not None:
            memory.note(goal.value, "practise", game, "win_goal")
        app = frozen(self.root, seed=seed, memory=memory)
        async with app.run_test(size=size) as pilot:
            await settle(pilot)
            yield pilot

    def kept(self) -> Journal:
        """The journal as another program sees it."""
        return Journal(paths.journal_file(self.root))

    async def position(self, pilot: Pilot[None]) -> Any:
        """The position on the board of the Drill screen, copied with its key."""
        await pilot.press("c")
        return self.explorer.game.parse(pilot.app.clipboard)

    async def make(self, pilot: Pilot[None], *grades: str, worst: bool = False) -> str:
        """Types a move with one of some grades, or the best, or the worst, and waits for the reply."""
        moves = by_depth(self.explorer, await self.position(pilot))
        fitting = [move for move in moves if move.grade in grades]
        chosen = (fitting or moves)[-1 if worst else 0]
        await type_in(pilot, chosen.san)
        await settle(pilot)
        return chosen.san

    async def answer(self, pilot: Pilot[None], right: bool = True) -> None:
        """Answers a question."""
        position = await self.position(pilot)
        truth, matters = self.explorer.probe(position).category, turn_matters(self.explorer, position)
        keys = {Category.WIN: "w", Category.DRAW: "d", Category.LOSS: "l"}
        await pilot.press(keys[truth] if right else next(key for result, key in keys.items() if result is not truth))
        if matters is not None:
            await pilot.press("y" if matters else "n")
        await settle(pilot)

    async def solve(self, pilot: Pilot[None]) -> None:
        """Solves the drill at hand."""
        while stage(pilot) == "drill":
            await self.make(pilot)
        if stage(pilot) == "question":
            await self.answer(pilot)


def chess_desk(tmp_path: Path, explorer: Explorer[Any, Any]) -> Desk:
    """Practising chess."""
    root = data_dir(tmp_path, explorer.library.directory)
    return Desk(root, explorer, None, "KRvK", "KPvK", "8/8/4k3/8/4K3/8/4P3/8 w - - 0 1")


def morris_desk(tmp_path: Path, explorer: Explorer[Any, Any]) -> Desk:
    """Practising Nine Men's Morris."""
    root = data_dir(tmp_path, explorer.library.root / "tables")
    return Desk(root, explorer, "3-4", "3-4", "4-3", "OO1O4/X6X/X7 w")


# What is printed


def at(pilot: Pilot[None], name: str) -> str:
    """What a panel prints, row below row."""
    return "\n".join(within(pilot, f"#{name}")).strip()


def here(pilot: Pilot[None]) -> str:
    """The row of the list with the cursor."""
    return next((row.partition("▸")[2].strip() for row in within(pilot, "#courses") if "▸" in row), "")


def stage(pilot: Pilot[None]) -> str:
    """How far the drill has come, by the keys that are offered."""
    keys = rows(pilot)[-1]
    signs = {"back to list": "summary", "decides": "turn", "loss": "question", "pick": "drill", "next": "over"}
    return next((found for sign, found in signs.items() if sign in keys), "drill")


# What is pressed


async def find(pilot: Pilot[None], name: str) -> None:
    """Goes to a row by its name."""
    await type_in(pilot, name, "slash")
    await pilot.pause()


async def start(pilot: Pilot[None], name: str, *keys: str) -> None:
    """Goes to a row, presses keys there, and starts it."""
    await find(pilot, name)
    await pilot.press(*keys, "enter")
    await settle(pilot)


async def own(pilot: Pilot[None], position: str) -> None:
    """Adds a position of one's own, and starts it."""
    await type_in(pilot, position, "plus")
    await pilot.press("enter")
    await settle(pilot)

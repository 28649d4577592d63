"""Counts what one key runs through: a key in Explore, a typed move in Play and in a drill.

    python -m benchmarks.entered [--data-dir DIR] [--list] [--calls]

Modules of ours that are entered are counted, with ``--calls`` also the calls of Python functions and the look-ups of
positions. Both moves are typed in the same ending, so that they differ in what the screens do.

Everything that runs in the app's process between the key and a screen that is quiet again is watched, its threads
included; what the script itself calls does not count, nor does the look at the directory that the app takes every
second, whether a key is pressed or not. Modules that are only imported meanwhile do not count either: each key is
pressed once before it is watched.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path
from types import FrameType
from typing import Any

from endgame_core import games
from endgame_core.practice.course import Course, DrillItem
from endgame_core.practice.theme import DrillMode, Start, Theme
from endgame_core.tasks.training_session import TrainingPlan, TrainingSession
from endgame_core.values import Category
from endgame_tui.app import EndgameApp
from endgame_tui.screens.drill import DrillScreen

OURS = ("endgame_core.", "endgame_tui.")
KEYS = ("full_stop", "u", "left_square_bracket", "n", "r", "h", "enter", "b", "m", "f", "z")
"""Keys of Explore."""

ROOK = "8/8/8/3k4/8/8/8/1K5R w - - 0 1"
MOVES = ("Ka2", "Ka1", "Ka2", "Ka1")

COUNTED = (
    "Explorer.probe", "Judge.probe", "Judge.probe_by_depth", "Judge.grade", "Match.position", "ChessGame.moves",
    "ChessGame.play", "Board.fen",
)  # fmt: skip
"""The functions whose calls ``--calls`` counts one by one."""


class Watched:
    """The modules of ours entered, and the calls made, while it is on."""

    def __init__(self) -> None:
        self.modules: set[str] = set()
        self.calls = 0
        """Calls of Python functions of any module."""
        self.own_calls = 0
        """Calls of functions of ours."""
        self.counted: Counter[str] = Counter()
        """Calls of the functions in :data:`COUNTED`."""

    def __enter__(self) -> Watched:
        threading.setprofile(self._entered)
        sys.setprofile(self._entered)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)
        threading.setprofile(None)

    def _entered(self, frame: FrameType, event: str, _argument: object) -> None:
        if event != "call":
            return
        name = frame.f_globals.get("__name__", "")
        self.calls += 1
        caller = frame.f_back
        if name.startswith(OURS) and (caller is None or caller.f_globals is not globals()):
            self.modules.add(name)
            self.own_calls += 1
        if frame.f_code.co_qualname in COUNTED:
            self.counted[frame.f_code.co_qualname] += 1


def _app(root: Path) -> EndgameApp:
    """An app that follows nobody else's builds."""
    app = EndgameApp(ROOK, root, ascii=False)
    app.jobs.watch = lambda: None
    return app


async def settled(pilot: Any) -> None:
    """Waits until nothing runs beside the app."""
    await pilot.pause()
    while any(pilot.app.lab.judge(game).prober.is_busy for game in games.NAMES):
        await pilot.pause(0.01)
    await pilot.app.workers.wait_for_complete()
    await pilot.pause()


async def explore(root: Path) -> dict[str, Watched]:
    """What each key of Explore runs through."""
    results: dict[str, Watched] = {}
    app = _app(root)
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        for key in KEYS:
            results[key] = await _watched(pilot, lambda key=key: pilot.press(key))
            await pilot.press("escape", "escape")
            await settled(pilot)
    return results


async def play(root: Path) -> dict[str, Watched]:
    """What a typed move in a game runs through."""
    app = _app(root)
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await pilot.press("3")
        await settled(pilot)
        await pilot.press("enter")
        await settled(pilot)
        return {"a typed move in Play": await _watched(pilot, _type_moves(pilot))}


async def drill(root: Path) -> dict[str, Watched]:
    """What a typed move in a drill runs through."""
    app = _app(root)
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        judge = app.lab.judge("chess")
        course = Course(judge.game, judge.explorer.library, app.lab.studies("chess"), app.lab.journal)
        verdict = judge.probe(judge.game.parse(ROOK)).verdict
        assert verdict is not None
        start = Start(judge.game.parse(ROOK), "white", Category.WIN, verdict.depth)
        item = DrillItem(Theme("KRvK", DrillMode.MATE, "white"))
        plan = TrainingPlan("KRvK", (item,), 1, first=start)
        app.push_screen(DrillScreen("chess", lambda: TrainingSession(plan, judge, course, random.Random(1))))
        await settled(pilot)
        return {"a typed move in a drill": await _watched(pilot, _type_moves(pilot))}


def _type_moves(pilot: Any) -> Callable[[], Awaitable[object]]:
    """Returns a function that types the next of :data:`MOVES`."""
    moves = iter(MOVES)

    async def type_move() -> None:
        await pilot.press("colon", *next(moves), "enter")

    return type_move


async def _watched(pilot: Any, act: Callable[[], Awaitable[object]]) -> Watched:
    """Does something twice, and watches the second time."""
    await act()
    await settled(pilot)
    with Watched() as watched:
        await act()
        await settled(pilot)
    return watched


def main() -> None:
    """Prints how many modules each key enters, and with ``--list`` which."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data-dir", type=Path, help="tables to use; by default those that come with the program")
    parser.add_argument("--list", action="store_true", help="name the modules, too")
    parser.add_argument("--calls", action="store_true", help="count calls and look-ups, too")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as empty:
        root: Path = given.data_dir or Path(empty)
        results = {**asyncio.run(explore(root)), **asyncio.run(play(root)), **asyncio.run(drill(root))}
        for key, watched in results.items():
            print(f"{len(watched.modules):3}  {key}")
            if given.calls:
                print(f"       {watched.own_calls:,} calls of ours, {watched.calls:,} in all")
                print("      ", ", ".join(f"{watched.counted[name]} {name}" for name in COUNTED))
            if given.list:
                print(*(f"       {name}" for name in sorted(watched.modules)), sep="\n")


if __name__ == "__main__":
    main()

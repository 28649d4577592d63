"""Counts the modules of ours that one key enters: a key in Explore, and a typed move in Play.

    python -m benchmarks.entered [--data-dir DIR] [--list]

Everything that runs in the app's process between the key and a screen that is quiet again is watched, its threads
included; what the script itself calls does not count, nor does the look at the directory that the app takes every
second, whether a key is pressed or not. Modules that are only imported meanwhile do not count either: each key is
pressed once before it is watched.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path
from types import FrameType
from typing import Any

from endgame_core import games
from endgame_tui.app import EndgameApp

OURS = ("endgame_core.", "endgame_tui.")
KEYS = ("full_stop", "u", "left_square_bracket", "n", "r", "h", "enter", "b", "m", "f", "z")
"""Keys of Explore."""

ROOK = "8/8/8/3k4/8/8/8/1K5R w - - 0 1"


class Watched:
    """The modules of ours entered while it is on."""

    def __init__(self) -> None:
        self.modules: set[str] = set()

    def __enter__(self) -> Watched:
        self.modules = set()
        threading.setprofile(self._entered)
        sys.setprofile(self._entered)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)
        threading.setprofile(None)

    def _entered(self, frame: FrameType, event: str, _argument: object) -> None:
        name, caller = frame.f_globals.get("__name__", ""), frame.f_back
        if event == "call" and name.startswith(OURS) and (caller is None or caller.f_globals is not globals()):
            self.modules.add(name)


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


async def explore(root: Path) -> dict[str, set[str]]:
    """Each key of Explore, and the modules it enters."""
    found: dict[str, set[str]] = {}
    app = _app(root)
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        for key in KEYS:
            found[key] = await _watched(pilot, lambda key=key: pilot.press(key))
            await pilot.press("escape", "escape")
            await settled(pilot)
    return found


async def play(root: Path) -> dict[str, set[str]]:
    """A typed move in a game, and the modules it enters."""
    app = _app(root)
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await pilot.press("3")
        await settled(pilot)
        await pilot.press("enter")
        await settled(pilot)
        moves = iter(("Kc2", "Kc3", "Kb3", "Kc3"))

        async def typed() -> None:
            await pilot.press("colon", *next(moves), "enter")

        return {"a typed move in Play": await _watched(pilot, typed)}


async def _watched(pilot: Any, act: Callable[[], Awaitable[object]]) -> set[str]:
    """Does something twice, and watches the second time."""
    await act()
    await settled(pilot)
    with Watched() as watched:
        await act()
        await settled(pilot)
    return watched.modules


def main() -> None:
    """Prints how many modules each key enters, and with ``--list`` which."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data-dir", type=Path, help="tables to use; by default those that come with the program")
    parser.add_argument("--list", action="store_true", help="name the modules, too")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as empty:
        root: Path = given.data_dir or Path(empty)
        for key, modules in {**asyncio.run(explore(root)), **asyncio.run(play(root))}.items():
            print(f"{len(modules):3}  {key}")
            if given.list:
                print(*(f"       {name}" for name in sorted(modules)), sep="\n")


if __name__ == "__main__":
    main()

"""Every key of every screen with what it is said to do, and every entry of the command palette.

The file ``tests/data/keys.txt`` was written by this module while version 0.1.0 (92bca97) ran::

    python -m tests.tui.keys_inventory
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from textual.command import Provider
from textual.pilot import Pilot

from .terminal_text import settle

FILE = Path(__file__).parents[1] / "data" / "keys.txt"
_STOCK = ("Copy selected text", "palette", "Focus Next", "Focus Previous")
ROOK = "8/8/8/3k4/8/8/8/1K5R w - - 0 1"

PLACES: dict[str, tuple[str, ...]] = {
    "explore": (),
    "map of a man": ("equals_sign",),
    "library": ("2",),
    "play, setting up": ("3",),
    "play, playing": ("3", "enter"),
    "play, afterwards": ("3", "enter", "w", "enter"),
    "practise": ("4",),
    "drill": ("4", "enter"),
    "progress": ("4", "enter", "w", "enter", "escape", "5"),
    "attempts": ("4", "enter", "w", "enter", "escape", "5", "r"),
    "a past attempt": ("4", "enter", "w", "enter", "escape", "5", "r", "enter"),
    "board editor": ("3", "E"),
    "syzygy files": ("2", "y"),
    "settings": ("comma",),
    "help": ("question_mark",),
}
"""How one gets from the first screen to each."""


async def walk(
    root: Path, start: str, walked: Iterable[tuple[str, ...]]
) -> AsyncGenerator[tuple[Pilot[None], list[str]]]:
    """One app at places one after the other, the keys of each going on from those of the place before.

    Yields:
        The app at a place of 80x24, and what it offers there: keys that do something, entries of the palette.
    """
    from endgame_tui.app import EndgameApp

    app, before = EndgameApp(start, root, ascii=False), 0
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        for keys in walked:
            for key in keys[before:]:
                await pilot.press(key)
                await settle(pilot)
            before = len(keys)
            found = {
                f"{active.binding.key}: {active.binding.description}"
                for active in app.screen.active_bindings.values()
                if active.binding.description and active.binding.description not in _STOCK
            }
            yield pilot, sorted(found) + sorted({f"palette: {entry}" for entry in await entries(app)})


async def entries(app: Any) -> list[str]:
    """What the command palette offers before anything is typed."""
    found: list[str] = []
    for source in {*app.COMMANDS, *app.screen.COMMANDS}:
        kind = source if isinstance(source, type) and issubclass(source, Provider) else source()
        provider = kind(app.screen)
        provider._post_init()
        found += [str(hit.text or hit.prompt) async for hit in provider.discover()]
    return found


def places() -> list[tuple[str, str, tuple[str, ...]]]:
    """Name, first position and keys of every place, in both games."""
    return [
        (f"{name} ({game})", start, keys)
        for name, keys in PLACES.items()
        for game, start in (("chess", ROOK), ("stones", "3-4"))
        if not (name in ("syzygy files", "settings") and game == "stones")
    ]


def walks() -> list[tuple[str, dict[str, tuple[str, ...]]]]:
    """First position and places, by name, of walks that come to every place; one goes on from a place to another."""
    found: list[tuple[str, dict[str, tuple[str, ...]]]] = []
    for name, start, keys in places():
        for begun, walked in found:
            end = list(walked.values())[-1]
            if begun == start and end and keys[: len(end)] == end:
                walked[name] = keys
                break
        else:
            found.append((start, {name: keys}))
    return found


def read() -> dict[str, list[str]]:
    """The file: what was seen at each place."""
    found: dict[str, list[str]] = {}
    for line in FILE.read_text(encoding="utf-8").splitlines():
        if line.startswith("    "):
            found[list(found)[-1]].append(line.strip())
        else:
            found[line] = []
    return found


def write() -> None:
    """Writes the file, of what is there now."""

    async def seen(start: str, keys: tuple[str, ...]) -> list[str]:
        with TemporaryDirectory() as folder:
            [offered] = [offered async for _, offered in walk(Path(folder), start, [keys])]
            return offered

    with FILE.open("w", encoding="utf-8") as file:
        for name, start, keys in places():
            rows = asyncio.run(seen(start, keys))
            file.write(f"{name}\n" + "".join(f"    {row}\n" for row in rows))


if __name__ == "__main__":
    write()

"""Draws the pictures of docs/gallery.md and the recording at the top of README.md, from the real app.

    python -m docs.make_gallery

Run it in a clone with the ``test`` extra: the journal behind Progress is that of the tests.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from docs.make_picture import HEIGHT, WIDTH, ground, row_shapes, screen, svg
from tests.tui.seeded_journal import NOW, seed
from textual.pilot import Pilot
from textual.strip import Strip

from endgame_core import paths
from endgame_tui.app import EndgameApp

DOCS = Path(__file__).parent
GALLERY = DOCS / "gallery.md"
PICTURES = DOCS / "gallery"
RECORDING = DOCS / "first-minute.svg"

QUEEN = "8/7K/2k5/8/8/4Q3/8/8 w - - 0 1"
ROOK = "8/8/8/3k4/8/8/4R3/4K3 w - - 0 1"
STONES = "6X1/1X2X3/X4OOO w"

QUIET_SECONDS = 0.4
"""How long the app is left alone after a key, for what it looks up in the background."""


@dataclass(frozen=True)
class Scene:
    """A picture of the gallery.

    Attributes:
        name: The name of its file.
        caption: What it shows.
        size: Columns and rows.
        keys: What is pressed first.
        position: What the app opens.
        settings: What its settings file has.
    """

    name: str
    caption: str
    size: tuple[int, int] = (120, 40)
    keys: Sequence[str] = ()
    position: str | None = QUEEN
    settings: dict[str, str] = field(default_factory=dict)


SCENES = (
    Scene("explore", "Explore: a position, its layer, and all its moves with their results."),
    Scene("explore-large",
          "Explore on a large terminal: pieces drawn in finer blocks, and a chart of all layers of the ending.",
          (200, 66), settings={"pieces": "sextants"}),
    Scene("map", "The square map: the result of the position with the piece on each square.", keys=("equals_sign",)),
    Scene("play", "Play: a game against perfect defence. The verdict can be shown or hidden.", position=ROOK,
          keys=("3", "enter", "v")),
    Scene("practise", "Practise: the drills that are due, sets of studies, and all endings with their layers.",
          keys=("4",), position=None),
    Scene("drill", "Practise: a drill.", keys=("4", "down", "enter"), position=None),
    Scene("progress", "Progress: your results by ending and by week, and what to learn next.", keys=("5",),
          position=None),
    Scene("library", "The Library: all endings with their cost and the endings that they require.", keys=("2",)),
    Scene("morris", "Explore with a position of Nine Men's Morris.", position=STONES),
    Scene("small", "Explore on the smallest terminal, 40x20.", (40, 20)),
    *(
        Scene(f"theme-{name}", f"The theme {name}.", (100, 32), settings={"theme": name})
        for name in ("light", "nord", "gruvbox", "catppuccin", "solarized-dark", "solarized-light", "high-contrast")
    ),
)  # fmt: skip

FIRST_MINUTE: Sequence[tuple[str, float]] = (
    ("", 3), ("full_stop", 1.5), ("full_stop", 1.5), ("full_stop", 1.5), ("equals_sign", 3), ("escape", 1),
    ("3", 2), ("enter", 1.5), ("v", 2), ("i", 1.5), ("i", 1.5), ("4", 3), ("2", 3), ("1", 2),
)  # fmt: skip
"""The keys of the recording, and the seconds for which each result stays."""


async def settle(pilot: Pilot[Any]) -> None:
    """Wait until the app has drawn what a key leads to."""
    await pilot.pause()
    await asyncio.sleep(QUIET_SECONDS)
    await pilot.pause()


async def run(scene: Scene, use: Callable[[EndgameApp, Pilot[Any]], Any]) -> None:
    """Open the app for a scene, press its keys and use it."""
    with tempfile.TemporaryDirectory() as directory:
        root = Path(directory) / "data"
        root.mkdir()
        seed(root)
        paths.settings_file(root).write_text("".join(f'{name} = "{value}"\n' for name, value in scene.settings.items()))
        app = EndgameApp(scene.position, root, ascii=False)
        app.rng = Random(1)
        app.lab.journal.clock = lambda: NOW
        async with app.run_test(size=scene.size) as pilot:
            await settle(pilot)
            for key in scene.keys:
                await pilot.press(key)
                await settle(pilot)
            await use(app, pilot)


async def draw(scene: Scene) -> None:
    """Write the picture of a scene."""

    async def use(app: EndgameApp, _: Pilot[Any]) -> None:
        (PICTURES / f"{scene.name}.svg").write_text(svg(screen(app)), "utf-8")

    await run(scene, use)


async def record() -> None:
    """Write the recording."""
    frames: list[list[Strip]] = []

    async def use(app: EndgameApp, pilot: Pilot[Any]) -> None:
        for key, _ in FIRST_MINUTE:
            if key:
                await pilot.press(key)
                await settle(pilot)
            frames.append(screen(app))

    await run(Scene("", "", (80, 24), position="7K/6Q1/8/8/2k5/8/8/8 w - - 0 1"), use)
    RECORDING.write_text(animation(frames, [seconds for _, seconds in FIRST_MINUTE]), "utf-8")


def animation(frames: Sequence[list[Strip]], seconds: Sequence[float]) -> str:
    """Frames one after the other as a picture that moves. A row that is the same in several frames is there once."""
    columns = frames[0][0].cell_length
    ground_colour = ground(frames[0])
    frames_of_row: dict[tuple[int, str], list[int]] = {}
    for number, rows in enumerate(frames):
        for y, row in enumerate(rows):
            frames_of_row.setdefault((y, "\n".join(row_shapes(row, y, ground_colour))), []).append(number)

    total = sum(seconds)
    times = ";".join(f"{sum(seconds[:number]) / total:.4f}" for number in range(len(frames)))
    width = columns * WIDTH
    height = len(frames[0]) * HEIGHT
    font = 'font-family="\'DejaVu Sans Mono\', Menlo, Consolas, monospace" font-size="16"'
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" {font}>',
        f'<rect width="100%" height="100%" fill="{ground_colour}"/>',
    ]
    for (_, shapes), numbers in frames_of_row.items():
        if not shapes:
            continue
        if len(numbers) == len(frames):
            lines.append(shapes)
            continue
        values = ";".join("visible" if number in numbers else "hidden" for number in range(len(frames)))
        lines += [
            "<g>",
            f'<animate attributeName="visibility" calcMode="discrete" dur="{total:g}s" repeatCount="indefinite" '
            f'keyTimes="{times}" values="{values}"/>',
            shapes,
            "</g>",
        ]
    return "\n".join([*lines, "</svg>", ""])


def page() -> str:
    """The page of all pictures."""
    lines = ["# Gallery", "", "Screenshots of the app, made by `python -m docs.make_gallery`.", ""]
    for scene in SCENES:
        lines += [scene.caption, "", f"![{scene.caption}](gallery/{scene.name}.svg)", ""]
    return "\n".join(lines)


async def make() -> None:
    """Draw everything."""
    PICTURES.mkdir(exist_ok=True)
    for scene in SCENES:
        await draw(scene)
    await record()
    GALLERY.write_text(page(), "utf-8")


def main() -> None:
    """Draw everything in true colour."""
    os.environ.pop("NO_COLOR", None)
    os.environ["TERM"] = "xterm-256color"
    os.environ["COLORTERM"] = "truecolor"
    asyncio.run(make())


if __name__ == "__main__":
    main()

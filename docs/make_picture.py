"""Draws docs/explore.svg from the real app: what the README shows is what the app paints.

    python docs/make_picture.py [--check]

With ``--check`` nothing is written; the exit code is 1 when the picture is out of date.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
from collections import Counter
from html import escape
from pathlib import Path

from rich.color import Color
from rich.segment import Segment
from textual.strip import Strip

from endgame_tui.app import EndgameApp

PICTURE = Path(__file__).with_name("explore.svg")
POSITION = "8/7K/5k2/8/8/4Q3/8/8 w - - 0 1"
COLUMNS, ROWS = 120, 40
WIDTH, HEIGHT = 10, 20

_QUADRANTS = {
    "▀": "1100", "▄": "0011", "█": "1111", "▌": "1010", "▐": "0101", "▘": "1000", "▝": "0100",
    "▖": "0010", "▗": "0001", "▙": "1011", "▟": "0111", "▛": "1110", "▜": "1101", "▚": "1001",
    "▞": "0110",
    "▁": "0000000000000011", "▂": "0000000000001111", "▃": "0000000000111111", "▅": "0000001111111111",
    "▆": "0000111111111111", "▇": "0011111111111111",
}  # fmt: skip


def _sextant(char: str) -> str:
    """The six dots of a sextant, row by row, ``1`` where it is filled; empty for any other character."""
    number = ord(char) - 0x1FB00
    if not 0 <= number < 60:
        return ""
    # The block omits the patterns that older characters have: blank, left half, right half, full.
    pattern = number + 1 + (number >= 20) + (number >= 40)
    return f"{pattern:06b}"[::-1]


def _dots(char: str) -> str:
    """The dots of a block character, two in a row; empty for any other character."""
    return _QUADRANTS.get(char, "") or _sextant(char)


def _hex(color: Color | None, otherwise: str) -> str:
    return color.triplet.hex if color is not None and color.triplet is not None else otherwise


def _blocks(text: str, x: int, y: int, ink: str) -> list[str]:
    """Rectangles for block characters, so that no font can leave seams; one for neighbours of the same height."""
    runs: dict[
        tuple[int, int], list[list[int]]
    ] = {}  # by row of dots and their number in a cell: first dot, after last
    for column, char in enumerate(text):
        dots = _dots(char)
        row_count = len(dots) // 2
        for number, dot in enumerate(dots):
            if dot != "1":
                continue
            place = 2 * column + number % 2
            row_runs = runs.setdefault((number // 2, row_count), [])
            if row_runs and row_runs[-1][1] == place:
                row_runs[-1][1] += 1
            else:
                row_runs.append([place, place + 1])
    shapes: list[str] = []
    for (row, row_count), row_runs in runs.items():
        top = (y + row / row_count) * HEIGHT
        height = HEIGHT / row_count
        for first, end in row_runs:
            left = x * WIDTH + first * WIDTH // 2
            width = (end - first) * WIDTH // 2
            shapes.append(f'<rect x="{left}" y="{top:g}" width="{width}" height="{height:g}" fill="{ink}"/>')
    return shapes


def _segment(segment: Segment, x: int, y: int, ground_colour: str) -> list[str]:
    """The ground, then the characters of one segment."""
    style = segment.style
    if style is None:
        return []
    ink = _hex(style.color, "#d8dce1")
    ground = _hex(style.bgcolor, ground_colour)
    if style.reverse:
        ink, ground = ground, ink
    cells = segment.cell_length
    shapes: list[str] = []
    if ground != ground_colour:
        shapes.append(
            f'<rect x="{x * WIDTH}" y="{y * HEIGHT}" width="{cells * WIDTH}" height="{HEIGHT}" fill="{ground}"/>'
        )
    text = segment.text.replace("\ufe0e", "")
    shapes += _blocks(text, x, y, ink)
    letters = "".join(" " if _dots(char) else char for char in text)
    start = x + len(letters) - len(letters.lstrip(" "))
    letters = letters.strip(" ")
    if letters:
        bold = ' font-weight="bold"' if style.bold else ""
        line = ' text-decoration="underline"' if style.underline else ""
        shapes.append(
            f'<text x="{start * WIDTH}" y="{y * HEIGHT + 15}" textLength="{len(letters) * WIDTH}" '
            f'lengthAdjust="spacingAndGlyphs" fill="{ink}"{bold}{line} xml:space="preserve">{escape(letters)}</text>'
        )
    return shapes


def svg(rows: list[Strip]) -> str:
    """The rows of a screen as a picture."""
    columns = max(row.cell_length for row in rows)
    ground_colour = ground(rows)
    shapes: list[str] = []
    for y, row in enumerate(rows):
        shapes += row_shapes(row, y, ground_colour)
    width = columns * WIDTH
    height = len(rows) * HEIGHT
    font = 'font-family="\'DejaVu Sans Mono\', Menlo, Consolas, monospace" font-size="16"'
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" {font}>'
    )
    background = f'<rect width="100%" height="100%" fill="{ground_colour}"/>'
    return "\n".join([head, background, *shapes, "</svg>", ""])


def row_shapes(row: Strip, y: int, ground_colour: str) -> list[str]:
    """One row of a screen as elements of a picture with a background."""
    shapes: list[str] = []
    x = 0
    for segment in Strip(Segment.simplify(list(row))):
        shapes += _segment(segment, x, y, ground_colour)
        x += segment.cell_length
    return shapes


def ground(rows: list[Strip]) -> str:
    """The background colour of most cells."""
    cells: Counter[str] = Counter()
    for row in rows:
        for segment in row:
            if segment.style is not None:
                cells[_hex(segment.style.bgcolor, "#15181c")] += segment.cell_length
    return cells.most_common(1)[0][0]


def screen(app: EndgameApp) -> list[Strip]:
    """The rows that an app shows."""
    return app.screen._compositor.render_strips()  # pyright: ignore[reportPrivateUsage]


async def picture() -> str:
    """Runs the app without a terminal, on the starter tables alone, and draws what it shows."""
    with tempfile.TemporaryDirectory() as empty:
        app = EndgameApp(POSITION, Path(empty), ascii=False)
        async with app.run_test(size=(COLUMNS, ROWS)) as pilot:
            await pilot.pause()
            return svg(screen(app))


def main() -> int:
    """Writes or checks the picture."""
    os.environ.pop("NO_COLOR", None)
    os.environ["TERM"], os.environ["COLORTERM"] = "xterm-256color", "truecolor"
    drawn = asyncio.run(picture())
    if "--check" in sys.argv[1:]:
        return int(PICTURE.read_text("utf-8") != drawn)
    PICTURE.write_text(drawn, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

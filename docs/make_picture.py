"""Draws docs/explore.svg from the real app: what the README shows is what the app paints.

    python docs/make_picture.py [--check]

With ``--check`` nothing is written; the exit code is 1 when the picture is out of date.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
from html import escape
from pathlib import Path

from rich.color import Color
from rich.segment import Segment
from textual.strip import Strip

from endgame_tui.app import EndgameApp
from endgame_tui.widgets.canvas import Canvas

PICTURE = Path(__file__).with_name("explore.svg")
POSITION = "8/7K/5k2/8/8/4Q3/8/8 w - - 0 1"
COLUMNS, ROWS = 120, 40
WIDTH, HEIGHT = 10, 20

_QUADRANTS = {
    "▀": "1100", "▄": "0011", "█": "1111", "▌": "1010", "▐": "0101", "▘": "1000", "▝": "0100",
    "▖": "0010", "▗": "0001", "▙": "1011", "▟": "0111", "▛": "1110", "▜": "1101", "▚": "1001",
    "▞": "0110",
}  # fmt: skip


def _hex(color: Color | None, otherwise: str) -> str:
    return color.triplet.hex if color is not None and color.triplet is not None else otherwise


def _blocks(text: str, x: int, y: int, ink: str) -> list[str]:
    """Rectangles for block characters, so that no font can leave seams."""
    shapes: list[str] = []
    for column, char in enumerate(text):
        for number, dot in enumerate(_QUADRANTS.get(char, "")):
            if dot == "1":
                left = (x + column) * WIDTH + number % 2 * WIDTH // 2
                top = y * HEIGHT + number // 2 * HEIGHT // 2
                shapes.append(f'<rect x="{left}" y="{top}" width="5" height="10" fill="{ink}"/>')
    return shapes


def _segment(segment: Segment, x: int, y: int) -> list[str]:
    """The ground, then the characters of one segment."""
    style = segment.style
    if style is None:
        return []
    ink, ground = _hex(style.color, "#d8dce1"), _hex(style.bgcolor, "#15181c")
    cells = segment.cell_length
    shapes = [f'<rect x="{x * WIDTH}" y="{y * HEIGHT}" width="{cells * WIDTH}" height="{HEIGHT}" fill="{ground}"/>']
    text = segment.text.replace("\ufe0e", "")
    shapes += _blocks(text, x, y, ink)
    letters = "".join(" " if char in _QUADRANTS else char for char in text)
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
    """The rows as a picture."""
    shapes: list[str] = []
    for y, row in enumerate(rows):
        x = 0
        for segment in Strip(Segment.simplify(list(row))):
            shapes += _segment(segment, x, y)
            x += segment.cell_length
    size = f'width="{COLUMNS * WIDTH}" height="{ROWS * HEIGHT}"'
    font = 'font-family="\'DejaVu Sans Mono\', Menlo, Consolas, monospace" font-size="16"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} viewBox="0 0 {COLUMNS * WIDTH} {ROWS * HEIGHT}" {font}>'
    ground = '<rect width="100%" height="100%" fill="#15181c"/>'
    return "\n".join([head, ground, *shapes, "</svg>", ""])


async def picture() -> str:
    """Runs the app without a terminal, on the starter tables alone, and draws what it shows."""
    with tempfile.TemporaryDirectory() as empty:
        app = EndgameApp(POSITION, Path(empty), ascii=False)
        async with app.run_test(size=(COLUMNS, ROWS)) as pilot:
            await pilot.pause()
            rows = [[Segment(" ", None)] * COLUMNS for _ in range(ROWS)]
            for widget in app.screen.query(Canvas):
                region = widget.region
                for line in range(region.height):
                    cells = _cells(widget.render_line(line))
                    rows[region.y + line][region.x : region.right] = cells[: region.width]
    return svg([Strip(row) for row in rows])


def _cells(strip: Strip) -> list[Segment]:
    """A segment for every cell."""
    cells: list[Segment] = []
    for text, style, _ in strip:
        for char in text:
            if char == "\ufe0e":
                cells[-1] = Segment(cells[-1].text + char, style)
            else:
                cells.append(Segment(char, style))
    return cells


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

"""Rasterises the chess pieces of python-chess into block characters and pictures for the app.

The block characters are for ``tui/endgame_tui/pieces.json``, the pictures for ``tui/endgame_tui/piece_pictures.json``.

    python docs/make_pieces.py [--check]

Needs the extra ``pictures``. With ``--check`` nothing is written; the exit code is 1 when a file is out of date.

A cell of a terminal shows two colours. A quadrant divides it into 2 x 2 dots, a sextant into 2 x 3. A piece has three
colours: that of the square, its fill, and its line (the outline of a white piece, the inner lines of a black one).
For every cell, the two colours and the pattern are chosen that come closest to the drawing.
"""

from __future__ import annotations

import json
import sys
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass, replace
from io import BytesIO
from itertools import product
from pathlib import Path

import cairosvg
import chess.svg
from PIL import Image, ImageChops, ImageFilter, ImageOps

FILE = Path(__file__).parents[1] / "tui" / "endgame_tui" / "pieces.json"

PICTURES = FILE.with_name("piece_pictures.json")

PICTURE_PIXELS = 128
"""Width and height of a picture, which the terminal scales to the size of a square."""

PICTURE_BOX = (2.5, 2.5, 40, 40)
"""The part of a drawing of 45 x 45 that a picture shows: left, top, width and height."""

SIZES = ((6, 3), (8, 4), (10, 5), (12, 6), (14, 7))
"""Columns and rows of a square."""

SCALE = 8
"""Pixels of a drawing for one dot, in either direction."""

QUADRANTS = " ▘▝▀▖▌▞▛▗▚▐▜▄▙▟█"
"""The patterns of 2 x 2 dots by their number, in which the dot in row ``y`` and column ``x`` is the bit 2y + x."""

Box = tuple[float, float, float, float]
"""Left and top of a part of a drawing, its width and height."""

Weights = tuple[float, float, float]
"""The shares of a dot that square, fill and line cover."""

SQUARE = 0.6
LIGHTNESS = {"white": (1.0, 0.0), "black": (0.0, 0.9)}
"""The lightness of a square; for each side that of fill and line."""


@dataclass(frozen=True)
class Form:
    """How a piece of some size is drawn.

    Attributes:
        line: Dots that the outline is wide, inside the edge of the drawing.
        outside: Dots that the outline is wide, outside it.
        details: Whether the lines inside a piece are drawn.
    """

    line: float
    outside: float
    details: bool


FORMS = {
    (6, False): Form(0.3, 0.5, False), (6, True): Form(0.4, 0.5, False),
    (8, False): Form(0.5, 0.4, False), (8, True): Form(0.6, 0.3, False),
    (10, False): Form(0.7, 0.2, False), (10, True): Form(0.7, 0.2, True),
    (12, False): Form(0.7, 0.2, False), (12, True): Form(0.8, 0.2, True),
    (14, False): Form(0.8, 0.2, False), (14, True): Form(0.8, 0.2, True),
}  # fmt: skip
"""By the columns of a square, and whether it is drawn in sextants."""

HEIGHTS = (0.88, 0.85, 0.82, 0.79)
"""The heights of a piece that are tried, as shares of the height of its square."""

BELOW = (0.5, 0.75, 1.0)
"""The dots between its base and the edge of the square."""


def sextants() -> str:
    """The patterns of 2 x 3 dots by their number, in which the dot in row ``y`` and column ``x`` is the bit 2y + x."""
    older = {0: " ", 21: "▌", 42: "▐", 63: "█"}
    codes = iter(range(0x1FB00, 0x1FB3C))
    return "".join(older.get(pattern) or chr(next(codes)) for pattern in range(64))


def drawing(letter: str, white: bool, details: bool) -> str:
    """The SVG of a piece: blue where it has lines inside if these are asked for, otherwise red."""
    text = chess.svg.PIECES[letter.upper() if white else letter.lower()]
    for long, short in (("#ffffff", "#fff"), ("#ececec", "#fff"), ("#000000", "#000")):
        text = text.replace(long, short)
    fill, line = ("#fff", "#000") if white else ("#000", "#fff")
    return text.replace(fill, "#f00").replace(line, "#00f" if details else "#f00")


def masks(svg: str, box: Box, columns: int, rows: int) -> tuple[Image.Image, Image.Image]:
    """What a piece covers of a box of its SVG, and what its lines cover; ``SCALE`` pixels for each dot of a grid."""
    left, top, width, height = box
    document = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{columns * SCALE}" height="{rows * SCALE}" '
        f'viewBox="{left} {top} {width} {height}" preserveAspectRatio="none">{svg}</svg>'
    )
    png = cairosvg.svg2png(bytestring=document.encode())
    assert png is not None
    _, _, blue, alpha = Image.open(BytesIO(png)).convert("RGBA").split()
    return alpha.point(_IS_SET), ImageChops.multiply(blue, alpha).point(_IS_SET)


_IS_SET = [255 * (level > 127) for level in range(256)]


def grown(mask: Image.Image, dots: float) -> Image.Image:
    """A mask with a border around it, or without one for a negative number of dots."""
    size = 2 * round(abs(dots) * SCALE) + 1
    if size == 1:
        return mask
    return mask.filter(ImageFilter.MaxFilter(size) if dots > 0 else ImageFilter.MinFilter(size))


def weights(letter: str, white: bool, box: Box, columns: int, rows: int, form: Form) -> list[list[Weights]]:
    """The shares of square, fill and line in every dot of a grid over a box of the SVG of a piece."""
    whole, lines = masks(drawing(letter, white, form.details), box, columns, rows)
    whole = ImageOps.expand(whole, SCALE)
    lines = ImageOps.expand(lines, SCALE)
    inside = grown(whole, -form.line)
    if white:
        outer = grown(whole, form.outside)
        fill = ImageChops.subtract(inside, lines) if form.details else inside
    else:
        outer = grown(whole, form.outside / 3)
        lines = ImageChops.darker(lines, inside)
        fill = ImageChops.subtract(outer, lines)
    line = ImageChops.subtract(outer, fill)
    bounds = (SCALE, SCALE, SCALE * (columns + 1), SCALE * (rows + 1))
    shares = [mask.crop(bounds).resize((columns, rows), Image.Resampling.BOX).tobytes() for mask in (fill, line)]
    dots = [(1 - (filled + lined) / 255, filled / 255, lined / 255) for filled, lined in zip(*shares, strict=True)]
    return [dots[row * columns : (row + 1) * columns] for row in range(rows)]


def bounds(letter: str, white: bool) -> Box:
    """Left, top, right and bottom of a piece."""
    whole, _ = masks(drawing(letter, white, False), (0, 0, 45, 45), 45, 45)
    box = whole.getbbox()
    assert box is not None
    left, top, right, bottom = (side / SCALE for side in box)
    return left, top, right, bottom


def cell(dots: Sequence[Weights], lightness: Weights, patterns: str) -> tuple[str, str, float]:
    """The character of a cell, its colours and its error.

    The colours are ``f`` for fill on square, ``l`` for line on square, ``b`` for fill on line.
    """

    def error(dot: Weights, colour: int) -> float:
        return sum(share * abs(lightness[other] - lightness[colour]) for other, share in enumerate(dot))

    choices: list[tuple[float, int, str]] = []
    for number, (ink, paper) in enumerate(((1, 0), (2, 0), (1, 2))):
        total = 0.0
        pattern = 0
        for place, dot in enumerate(dots):
            inked = error(dot, ink)
            blank = error(dot, paper)
            pattern |= (inked < blank) << place
            total += min(inked, blank)
        choices.append((round(total, 6), number, patterns[pattern] + "flb"[number]))
    total, _, (char, colours) = min(choices)
    return char, colours, total


def raster(grid: list[list[Weights]], lightness: Weights, patterns: str) -> tuple[float, list[tuple[str, str]]]:
    """The error of a grid of dots, and its rows of cells: characters and colours."""
    height = 2 if len(patterns) == 16 else 3
    result: list[tuple[str, str]] = []
    total = 0.0
    for top in range(0, len(grid), height):
        chars = ""
        colours = ""
        for left in range(0, len(grid[0]), 2):
            dots = [grid[top + y][left + x] for y, x in product(range(height), range(2))]
            char, colour, error = cell(dots, lightness, patterns)
            chars += char
            colours += " " if char == " " and colour != "b" else colour
            total += error
        result.append((chars, colours))
    return total, result


def piece(letter: str, white: bool, size: tuple[int, int], patterns: str) -> list[tuple[str, str]]:
    """A piece on a square: the best of some heights and offsets, for its edges fall on dots or between them."""
    columns, rows = size
    left, top, right, bottom = bounds(letter, white)
    lightness = (SQUARE, *LIGHTNESS["white" if white else "black"])
    rows_of_dots = rows * (2 if len(patterns) == 16 else 3)
    form = FORMS[columns, len(patterns) == 64]
    if letter == "Q":  # its crown is all edges
        form = replace(form, outside=form.outside / 4)
    elif letter == "K":  # its cross is as thin as a line
        form = replace(form, outside=max(form.outside, 0.35 if white else 0.9))
    middle = (left + right) / 2 if letter == "N" else 22.5  # all others are symmetric
    results: list[tuple[float, int, list[tuple[str, str]]]] = []
    for number, (share_of_height, dots_below) in enumerate(product(HEIGHTS, BELOW)):
        share = share_of_height * (0.88 if letter == "P" else 1)
        high = (bottom - top) / share
        below = dots_below * high / rows_of_dots
        box = (middle - high / 2, bottom + below - high, high, high)
        error, cells = raster(weights(letter, white, box, 2 * columns, rows_of_dots, form), lightness, patterns)
        results.append((error, number, cells))
    return min(results)[2]


def pieces(size: tuple[int, int], patterns: str) -> dict[str, list[tuple[str, str]]]:
    """All pieces on squares of some size, by side and letter."""
    return {
        f"{'w' if white else 'b'}{letter}": piece(letter, white, size, patterns)
        for white, letter in product((True, False), "KQRBNP")
    }


def document() -> str:
    """The file: by block characters, size, side and letter, the rows of a piece."""
    result: dict[str, dict[str, dict[str, list[tuple[str, str]]]]] = {}
    for name, patterns in (("quadrants", QUADRANTS), ("sextants", sextants())):
        for size in SIZES:
            result.setdefault(name, {})[f"{size[0]}x{size[1]}"] = pieces(size, patterns)
    return json.dumps(result, ensure_ascii=False, separators=(",", ":")) + "\n"


def picture(letter: str, white: bool) -> str:
    """A piece as a PNG with transparent ground, in base64."""
    svg = chess.svg.PIECES[letter.upper() if white else letter.lower()]
    document = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{PICTURE_PIXELS}" height="{PICTURE_PIXELS}" '
        f'viewBox="{" ".join(map(str, PICTURE_BOX))}">{svg}</svg>'
    )
    png = cairosvg.svg2png(bytestring=document.encode())
    assert png is not None
    small = BytesIO()
    Image.open(BytesIO(png)).convert("LA").save(small, "PNG", optimize=True)
    return b64encode(small.getvalue()).decode()


def pictures() -> str:
    """The file of pictures by side and letter, one in a line."""
    result = {
        f"{'w' if white else 'b'}{letter}": picture(letter, white) for white, letter in product((True, False), "KQRBNP")
    }
    return json.dumps(result, indent=0) + "\n"


def main() -> int:
    """Writes or checks the files."""
    texts = {FILE: document(), PICTURES: pictures()}
    if "--check" in sys.argv[1:]:
        return int(any(file.read_text("utf-8") != text for file, text in texts.items()))
    for file, text in texts.items():
        file.write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""The drawings of chess pieces: all sizes, two thirds of a square at least, no two alike."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

import pytest

from endgame_tui.face_chess import drawings
from endgame_tui.look import pieces_of

SIZES = [(6, 3), (8, 4), (10, 5), (12, 6), (14, 7)]
BLOCKS = {"quadrants": 2, "sextants": 3}
QUADRANTS = " ▘▝▀▖▌▞▛▗▚▐▜▄▙▟█"


def patterns(pieces: str) -> str:
    """The characters by the number whose bits are their dots, row by row."""
    if pieces == "quadrants":
        return QUADRANTS
    codes = iter(range(0x1FB00, 0x1FB3C))
    return "".join({0: " ", 21: "▌", 42: "▐", 63: "█"}.get(number) or chr(next(codes)) for number in range(64))


def dots(pieces: str, size: tuple[int, int], name: str) -> list[str]:
    """A piece dot by dot: blank for the square, ``f`` for its fill, ``l`` for its line."""
    result: list[str] = []
    for chars, colours in drawings(pieces, *size)[name]:
        for y in range(BLOCKS[pieces]):
            row = ""
            for char, colour in zip(chars, colours, strict=True):
                ink, paper = {"f": "f ", "l": "l ", "b": "fl", " ": "  "}[colour]
                pattern = patterns(pieces).index(char)
                row += "".join(ink if pattern >> (2 * y + x) & 1 else paper for x in range(2))
            result.append(row)
    return result


@pytest.mark.parametrize("pieces", BLOCKS)
@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
class TestDrawings:
    def test_pieces_fill_two_thirds_of_the_square(self, pieces: str, size: tuple[int, int]) -> None:
        for name, rows in drawings(pieces, *size).items():
            assert len(rows) == size[1] and all(len(chars) == len(colours) == size[0] for chars, colours in rows)
            drawn = [row for row in dots(pieces, size, name) if row.strip()]
            assert 3 * len(drawn) >= 2 * size[1] * BLOCKS[pieces], name

    def test_white_pieces_are_light_inside_a_dark_outline(self, pieces: str, size: tuple[int, int]) -> None:
        for name in drawings(pieces, *size):
            drawn = "".join(dots(pieces, size, name))
            if name[0] == "w":
                assert drawn.count("f") >= 6 and drawn.count("l") >= 6, name
            else:
                assert drawn.count("f") > 3 * drawn.count("l"), name

    def test_no_two_pieces_look_alike(self, pieces: str, size: tuple[int, int]) -> None:
        shapes: Mapping[str, list[str]] = {name: dots(pieces, size, name) for name in drawings(pieces, *size)}
        area = 4 * size[0] * size[1] * BLOCKS[pieces] // 2
        for first, second in combinations(shapes, 2):
            if first[0] != second[0]:
                continue
            pairs = zip("".join(shapes[first]), "".join(shapes[second]), strict=True)
            differing = sum((one == " ") != (other == " ") for one, other in pairs)
            assert differing >= area / 20, (first, second)


def test_pieces_use_sextants_on_terminals_that_draw_them() -> None:
    for environ in (
        {"TERM": "xterm-kitty"}, {"TERM": "foot-extra"}, {"TERM_PROGRAM": "WezTerm"}, {"VTE_VERSION": "7600"},
        {"TERM_PROGRAM": "ghostty"},
    ):  # fmt: skip
        assert pieces_of(environ) == "sextants"
    for environ in ({}, {"TERM": "xterm-256color"}, {"VTE_VERSION": "5202"}, {"TERM": "linux", "VTE_VERSION": ""}):
        assert pieces_of(environ) == "quadrants"

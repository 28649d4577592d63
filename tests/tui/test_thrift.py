"""The thrifty driver paints the same picture in fewer bytes."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich._palettes import EIGHT_BIT_PALETTE
from rich.console import Console
from rich.segment import Segment
from textual.strip import Strip

from endgame_tui.thrift import Pen, Runs, Thrift

Cell = tuple[str, str, str, frozenset[int]]

_TOKEN = re.compile(r"\x1b\[([?\d;]*)([A-Za-z])")


def painted(data: str) -> dict[tuple[int, int], Cell]:
    """What a terminal shows after some output: character, ink, ground and attributes of each cell."""
    pen, x, y, end = Pen(), 1, 1, 0
    cells: dict[tuple[int, int], Cell] = {}

    def write(text: str) -> None:
        nonlocal x, y
        for char in text:
            if char == "\n":
                y += 1
                continue
            ink = "39" if char == " " else pen.ink
            shown = pen.attributes - {1, 2, 3} if char == " " else pen.attributes
            cells[x, y] = (char, ink, pen.ground, shown)
            x += 1

    for match in _TOKEN.finditer(data):
        write(data[end : match.start()])
        end = match.end()
        if match[2] == "m":
            pen.apply(match[1])
        elif match[2] == "H":
            y, x = map(int, match[1].split(";"))
    write(data[end:])
    return cells


styles = st.sampled_from(
    ["1", "38;2;1;2;3", "48;2;9;9;9", "1;38;2;1;2;3;48;2;4;5;6", "4;31", "7", "38;5;20", "22;97", ""]
)
runs = st.lists(
    st.tuples(st.integers(1, 5), st.lists(st.tuples(styles, st.sampled_from(["ab", "  ", "c ", "▄▄"])), max_size=4)),
    min_size=1,
    max_size=6,
)


@pytest.mark.parametrize("number", range(16, 256))
def test_a_colour_that_has_a_number_is_sent_by_it(number: int) -> None:
    red, green, blue = EIGHT_BIT_PALETTE[number]
    sent = re.fullmatch(r"\x1b\[48;5;(\d+)m x", Thrift()(f"\x1b[48;2;{red};{green};{blue}m x"))
    assert sent is not None and EIGHT_BIT_PALETTE[int(sent[1])] == (red, green, blue)


@given(st.lists(runs, min_size=1, max_size=4))
def test_same_picture_in_no_more_bytes(updates: list[list[tuple[int, list[tuple[str, str]]]]]) -> None:
    thrift = Thrift()
    raw = short = ""
    for update in updates:
        data = ""
        for row, (column, pieces) in enumerate(update, start=1):
            data += f"\x1b[{row};{column}H" + "".join(f"\x1b[{style}m{text}\x1b[0m" for style, text in pieces) + "\n"
        data += "\x1b[1;1H"
        raw += data
        short += thrift(data)
    assert painted(short) == painted(raw)
    assert len(short) <= len(raw)


@given(st.lists(st.text("ab", min_size=1, max_size=6), min_size=1, max_size=5), st.data())
def test_runs_are_sent_from_their_first_cell_to_their_last(pieces: list[str], data: st.DataObject) -> None:
    """The pieces of a row are those of widgets side by side."""
    row = "".join(pieces)
    starts = [sum(map(len, pieces[:number])) for number in range(len(pieces) + 1)]
    chops = {start: Strip([Segment(piece)]) for start, piece in zip(starts, pieces, strict=False)}
    first = data.draw(st.integers(0, len(row) - 1))
    last = data.draw(st.integers(first + 1, len(row)))
    sent = Runs([chops], [(0, first, last)], [starts[1:]]).render_segments(Console())
    shown = {x - 1: cell[0] for (x, _), cell in painted(sent).items()}
    assert shown == dict(list(enumerate(row))[first:last])


def test_attributes_are_reset_before_the_terminal_is_given_back() -> None:
    thrift = Thrift()
    thrift("\x1b[1;31mred\x1b[0m")
    assert thrift("\x1b[?1049l") == "\x1b[m\x1b[?1049l"


def test_colours_are_said_once() -> None:
    word = "\x1b[38;2;1;2;3mword\x1b[0m"
    assert Thrift()(word * 3) == "\x1b[38;2;1;2;3mwordwordword"

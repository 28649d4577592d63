"""Diff updates paint the same picture in fewer bytes."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich._palettes import EIGHT_BIT_PALETTE
from rich.color import Color, ColorSystem
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from textual._compositor import ChopsUpdate, LayoutUpdate
from textual.driver import Driver
from textual.geometry import Region
from textual.strip import Strip

from endgame_tui.low_bandwidth import DiffUpdate, Pen, diff_driver

CONSOLE = Console(force_terminal=True, color_system="truecolor")
Cell = tuple[str, str, str, frozenset[int]]

_TOKEN = re.compile(r"\x1b\[([?\d;]*)([A-Za-z])")
_CODE = re.compile(r"[34]8;(?:2;\d+;\d+;\d+|5;\d+)|\d+|^$|^(?=;)")
_ENDS = {22: {1, 2}, 23: {3}, 24: {4}, 25: {5}, 27: {7}, 28: {8}, 29: {9}, 55: {53}}


def painted(data: str) -> dict[tuple[int, int], Cell]:
    """What a terminal shows after some output: character, ink, ground and attributes of each cell."""
    ink, ground, on, x, y, end = "39", "49", frozenset[int](), 1, 1, 0
    cells: dict[tuple[int, int], Cell] = {}

    def write(text: str) -> None:
        nonlocal x, y
        for char in text:
            if char == "\n":
                y += 1
                continue
            cells[x, y] = (char, *(("39", ground, on - {1, 2, 3}) if char == " " else (ink, ground, on)))
            x += 1

    for match in _TOKEN.finditer(data):
        write(data[end : match.start()])
        end = match.end()
        if match[2] == "H":
            y, x = map(int, match[1].split(";"))
        for code in _CODE.findall(match[1]) if match[2] == "m" else ():
            if code in ("", "0"):
                ink, ground, on = "39", "49", frozenset()
            elif code.startswith("38") or int(code.partition(";")[0]) in (*range(30, 40), *range(90, 98)):
                ink = _without_number(code)
            elif code.startswith("48") or int(code.partition(";")[0]) in (*range(40, 50), *range(100, 108)):
                ground = _without_number(code)
            else:
                on = on - _ENDS[int(code)] if int(code) in _ENDS else on | {int(code)}
    write(data[end:])
    return cells


def _without_number(code: str) -> str:
    """A colour by its lights, where it is sent by its number."""
    begins, kind, *parts = (*code.split(";"), "", "")
    lights = EIGHT_BIT_PALETTE[int(parts[0])] if kind == "5" and int(parts[0]) >= 16 else None
    return code if lights is None else ";".join(map(str, (begins, 2, *lights)))


def raw(update: ChopsUpdate | LayoutUpdate) -> str:
    """What Textual sends."""
    return update.render_segments(CONSOLE)


styles = st.sampled_from(
    ["bold", "rgb(1,2,3)", "on rgb(9,9,9)", "bold rgb(1,2,3) on rgb(4,5,6)", "underline red", "reverse", "color(20)",
     "dim white", "bold dim", "on rgb(95,0,255)", ""]
)  # fmt: skip
pieces = st.lists(st.tuples(styles, st.sampled_from(["ab", "  ", "c ", "▄▄"])), min_size=1, max_size=4)
updates = st.lists(st.tuples(st.integers(1, 5), pieces), min_size=1, max_size=6)


def chops(update: list[tuple[int, list[tuple[str, str]]]]) -> ChopsUpdate:
    """An update of whole runs."""
    strips = [(x, Strip([Segment(text, Style.parse(style)) for style, text in found])) for x, found in update]
    ends = [[x + strip.cell_length] for x, strip in strips]
    return ChopsUpdate([{x: s} for x, s in strips], [(y, 0, end) for y, (end,) in enumerate(ends)], ends)


@pytest.mark.parametrize("number", range(16, 256))
def test_a_numbered_colour_is_sent_by_its_number(number: int) -> None:
    style = Style(bgcolor=Color.from_rgb(*EIGHT_BIT_PALETTE[number]))
    sent = re.fullmatch(r"\x1b\[48;5;(\d+)m x", Pen().write(" x", style, ColorSystem.TRUECOLOR))
    assert sent is not None and EIGHT_BIT_PALETTE[int(sent[1])] == EIGHT_BIT_PALETTE[number]


@pytest.mark.slow
@given(st.lists(updates, min_size=1, max_size=4))
def test_the_same_picture_takes_no_more_bytes(found: list[list[tuple[int, list[tuple[str, str]]]]]) -> None:
    pen = Pen()
    plain = "".join(raw(chops(update)) for update in found)
    short = "".join(DiffUpdate(chops(update), pen).render_segments(CONSOLE) for update in found)
    assert painted(short) == painted(plain)
    # Blanks keep the ink for what follows: ending their ground alone takes a byte more than ending everything.
    blanks = sum(not text.strip() for update in found for _, run in update for _, text in run)
    assert len(short) <= len(plain) + blanks


@given(pieces, pieces)
def test_the_whole_screen_is_sent_on_every_terminal(
    before: list[tuple[str, str]], found: list[tuple[str, str]]
) -> None:
    pen, strip = Pen(), Strip([Segment(text, Style.parse(style)) for style, text in found])
    DiffUpdate(chops([(1, before)]), pen).render_segments(CONSOLE)
    update = LayoutUpdate([[strip, strip], [strip, strip]], Region(0, 0, 2 * strip.cell_length, 2))
    assert painted("\x1b[7;31m" + DiffUpdate(update, pen).render_segments(CONSOLE)) == painted(raw(update))


@given(st.lists(st.text("ab", min_size=1, max_size=6), min_size=1, max_size=5), st.data())
def test_runs_are_sent_from_their_first_cell_to_their_last(pieces: list[str], data: st.DataObject) -> None:
    """The pieces of a row are those of widgets side by side."""
    row = "".join(pieces)
    starts = [sum(map(len, pieces[:number])) for number in range(len(pieces) + 1)]
    chops = {start: Strip([Segment(piece)]) for start, piece in zip(starts, pieces, strict=False)}
    first = data.draw(st.integers(0, len(row) - 1))
    last = data.draw(st.integers(first + 1, len(row)))
    sent = DiffUpdate(ChopsUpdate([chops], [(0, first, last)], [starts[1:]]), Pen()).render_segments(CONSOLE)
    shown = {x - 1: cell[0] for (x, _), cell in painted(sent).items()}
    assert shown == dict(list(enumerate(row))[first:last])


def test_attributes_are_reset_before_the_terminal_is_given_back() -> None:
    written: list[str] = []

    class Plain(Driver):
        def __init__(self) -> None:
            self._app = None  # pyright: ignore[reportAttributeAccessIssue]

        def write(self, data: str) -> None:
            written.append(data)

        def start_application_mode(self) -> None:
            pass

        def disable_input(self) -> None:
            pass

        def stop_application_mode(self) -> None:
            self.write("the end")

    made: Any = diff_driver(Plain)
    made().stop_application_mode()
    assert written == ["\x1b[m", "the end"]


def test_unchanged_colours_are_sent_once() -> None:
    pen, red = Pen(), Style.parse("rgb(1,2,3)")
    assert "".join(pen.write("word", red, ColorSystem.TRUECOLOR) for _ in range(3)) == "\x1b[38;2;1;2;3mwordwordword"


def test_a_terminal_without_colours_is_sent_none() -> None:
    assert Pen().write("word", Style.parse("bold red"), None) == "word"

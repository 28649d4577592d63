"""No byte that a terminal sends ends the app, and an app that crashes never exits with 0."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from textual import events
from textual.events import Key

from endgame_tui.terminal_input import TerminalDecoder, TolerantParser
from tests.tui.test_signals import ended
from tests.tui.test_ssh import Terminal

APP = [sys.executable, "-m", "endgame_core.cli.main"]
CRASHING = """
from endgame_core.cli.main import main
from endgame_tui.terminal_input import TolerantParser

def feed(self, data):
    raise RuntimeError("the input thread fails")

TolerantParser.feed = feed
main()
"""


def keys(sent: bytes, step: int = 4096) -> list[str | None]:
    """The characters of the keys that Textual reads in some bytes, which arrive so many at a time."""
    decoder = TerminalDecoder()
    parser = TolerantParser()
    found: list[str | None] = []
    for start in range(0, len(sent), step):
        text = decoder.decode(sent[start : start + step])
        found += [event.character for event in (parser.feed(text) if text else ()) if isinstance(event, Key)]
    return found


@pytest.mark.parametrize("step", [1, 2, 3, 4096])
class TestKeys:
    def test_valid_text_is_read_unchanged(self, step: int) -> None:
        assert keys("a♔é€😀z".encode(), step) == list("a♔é€😀z")

    @pytest.mark.parametrize("byte", [b"\x80", b"\xfc", b"\xff", b"\xc3", b"\xe2\x82", b"\xed\xa0"])
    def test_an_invalid_byte_costs_no_other_key(self, byte: bytes, step: int) -> None:
        found = keys(b"a" + byte + b"q", step)
        assert found[0] == "a" and found[-1] == "q" and set(found[1:-1]) == {"\ufffd"}

    @pytest.mark.parametrize("report", [b" \x80\x21", b" \xc3\xa9", b"#\xff\xff", b" \x00\x21", b"!\xe2\x82", b"  A"])
    def test_a_mouse_report_takes_three_bytes(self, report: bytes, step: int) -> None:
        assert keys(b"a\x1b[M" + report + b"q", step) == ["a", "q"]

    @pytest.mark.parametrize(
        "sequence", [b"\x1b[99999999999;1u", b"\x1b[1114112;1u", b"\x1b[48;24;80;0;0t\x1b[<0;5;5M"]
    )
    def test_unreadable_sequences_are_skipped(self, sequence: bytes, step: int) -> None:
        assert keys(b"a" + sequence + b"q", step) == ["a", "q"]


def test_an_unfinished_character_at_the_end_is_marked() -> None:
    assert TerminalDecoder().decode(b"a\xe2\x82", final=True) == "a\ufffd"


def test_an_empty_text_does_not_end_the_input() -> None:
    """The web page may send an empty packet."""
    parser = TolerantParser()
    assert not list(parser.feed(""))
    assert [event.character for event in parser.feed("a") if isinstance(event, Key)] == ["a"]


def test_an_absurd_terminal_size_is_ignored() -> None:
    sent = "\x1b[48;24;80;480;1600t\x1b[48;999999999;80;480;1600t"
    assert [tuple(event.size) for event in TolerantParser().feed(sent) if isinstance(event, events.Resize)] == [
        (80, 24)
    ]


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    found = Terminal([*APP, "--data-dir", str(tmp_path)])
    try:
        found.settle("KQvK")
        yield found
    finally:
        found.cut()


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="what ends is waited for as Linux has it")
class TestApp:
    def test_no_byte_crashes_the_app(self, terminal: Terminal) -> None:
        for byte in range(0x80, 0x100):
            os.write(terminal.fd, bytes([byte]))
        for column in range(33, 256):
            os.write(terminal.fd, b"\x1b[M " + bytes([column, 40]))
        os.write(terminal.fd, b"\x1b[99999999999;1u")
        terminal.press("2", "all endings")
        os.write(terminal.fd, b"q")
        assert ended(terminal, 60) == 0

    def test_a_latin_1_letter_is_marked_where_text_is_typed(self, terminal: Terminal) -> None:
        terminal.press("2", "all endings")
        terminal.press("/", "ending")
        os.write(terminal.fd, b"\xfc")
        terminal.press("Zug", "\ufffdZug")

    def test_a_crash_of_the_input_thread_exits_with_1(self, tmp_path: Path) -> None:
        terminal = Terminal([sys.executable, "-c", CRASHING, "--data-dir", str(tmp_path)])
        try:
            terminal.settle("KQvK")
            os.write(terminal.fd, b"x")
            terminal.settle("the input thread fails")
            assert ended(terminal, 60) == 1
        finally:
            terminal.cut()

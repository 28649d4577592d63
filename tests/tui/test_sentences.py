"""Important sentences are printed whole where there is room; a cut one ends in an ellipsis."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.geometry import Size

from endgame_core.words.text_model import Message, TextRow, TextSpan
from endgame_tui.look import ASCII, DARK, UNICODE, Look, StylePalette
from endgame_tui.widgets.canvas import CanvasRow
from endgame_tui.widgets.lines import message_rows, write

from .key_walk import panel_text, type_and_wait, walking
from .playing import playing
from .terminal_text import rows, type_in

CLAIMED = "8/8/8/4k3/8/8/8/4K2R w - - 90 1"
"""A cursed win by DTM, told in more letters than a row has."""

SENTENCE = (
    "White can force mate, but Black can claim a draw first; 27 plies to mate, with 10 left on the 50-move counter."
)

REFUSED = "Endgame tables do not cover castling rights; write '-' in the third field of the FEN."
BAD = CLAIMED.replace(" - - ", " K - ")


def joined(words: str) -> str:
    return " ".join(words.split())


class TestTheSentenceBelowTheBoard:
    @pytest.mark.parametrize("size", [(80, 24), (120, 40)])
    async def test_a_sentence_is_complete_in_explore(self, tmp_path: Path, size: tuple[int, int]) -> None:
        async with walking(tmp_path, CLAIMED, size) as pilot:
            assert SENTENCE in joined(panel_text(pilot, "reason"))
            assert panel_text(pilot, "line").startswith("Line 1.") and panel_text(pilot, "fen").startswith("FEN")

    async def test_a_sentence_without_room_ends_with_an_ellipsis(self, tmp_path: Path) -> None:
        async with walking(tmp_path, CLAIMED, (40, 20)) as pilot:
            assert joined(panel_text(pilot, "reason")) == "Cursed win: White can force mate…"
        async with walking(tmp_path, CLAIMED, (40, 26)) as pilot:
            assert joined(panel_text(pilot, "reason")) == f"Cursed win: {SENTENCE}"

    @pytest.mark.slow
    async def test_line_and_sentence_adapt_to_another_size(self, tmp_path: Path) -> None:
        async with walking(tmp_path, "8/8/8/3k4/8/8/8/1K5R w - - 0 1", (80, 24)) as pilot:
            fresh = panel_text(pilot, "reason", "line")
        async with walking(tmp_path, "8/8/8/3k4/8/8/8/1K5R w - - 0 1", (40, 20)) as pilot:
            await pilot.resize_terminal(80, 24)
            await pilot.pause()
            assert panel_text(pilot, "reason", "line") == fresh and "\n" in panel_text(pilot, "line")

    @pytest.mark.slow
    async def test_a_sentence_is_complete_in_play(self, by_dtz: Path) -> None:
        async with playing(by_dtz, "8/8/8/8/1k2r3/8/2K5/3Q4 w - - 60 60", size=(60, 24)) as game:
            assert "…" not in game.reason and game.reason.endswith(".")


class TestWhatIsRefused:
    @pytest.mark.parametrize("size", [(80, 24), (60, 24), (40, 20)])
    async def test_a_message_is_shown_in_full(self, tmp_path: Path, size: tuple[int, int]) -> None:
        async with walking(tmp_path, CLAIMED, size) as pilot:
            await type_and_wait(pilot, BAD)
            assert joined(panel_text(pilot, "strip")) == REFUSED
            await pilot.press("escape")
            await pilot.pause()
            assert not panel_text(pilot, "strip")

    async def test_one_row_is_enough_for_short_words(self, tmp_path: Path) -> None:
        async with walking(tmp_path, CLAIMED) as pilot:
            await type_in(pilot, "e4")
            before = rows(pilot)
            assert len(panel_text(pilot, "strip").splitlines()) == 1 + (len(panel_text(pilot, "strip")) > 78)
            assert before[0] == rows(pilot)[0]


GLYPHS = pytest.mark.parametrize("glyphs", [UNICODE, ASCII])


@GLYPHS
def test_a_sentence_takes_the_rows_it_needs(glyphs: object) -> None:
    assert isinstance(glyphs, type(UNICODE))
    view = Message("Cursed win", SENTENCE, "cursed", "aside")
    for width in range(20, 140):
        whole = message_rows(view, Size(width, 20), glyphs)
        words = "".join(" " + "".join(word.text for word in note.left) for note in whole)
        gap = "  " if width >= 60 else ": "
        assert joined(words) in (joined(f"Cursed win{gap}{SENTENCE}"), joined(f"Cursed win{gap}{SENTENCE} aside"))
        for height in range(1, len(whole)):
            cut = message_rows(view, Size(width, height), glyphs)
            assert len(cut) == height and cut[-1].left[-1].text.endswith(glyphs.ellipsis)
        assert all(sum(len(word.text) for word in note.left) < width for note in whole)


@GLYPHS
def test_a_row_that_is_cut_ends_in_an_ellipsis(glyphs: object) -> None:
    assert isinstance(glyphs, type(UNICODE))
    look = Look(StylePalette(DARK), glyphs)
    note = TextRow(
        (TextSpan("five "), TextSpan("words "), TextSpan("of one "), TextSpan("row"), TextSpan("end", end=0))
    )
    for width in range(8, 40):
        row = write(CanvasRow(look), TextRow(note.left[:4]), width)
        printed = "".join(segment.text for segment in row.strip(width)).rstrip()
        assert printed == "five words of one row" or (printed.endswith(glyphs.ellipsis) and len(printed) <= width)

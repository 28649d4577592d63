"""Impossible file names, text with escape sequences, and a palette without matches."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from textual.widgets import Input

from endgame_core import paths
from endgame_core.untrusted import visible
from endgame_tui.app import EndgameApp
from endgame_tui.screens.base import BaseScreen

from .terminal_text import message_text, rows, settle, text, type_in

EVIL = "zzz a\x1b[31m\x9b2J\x7f\u202eb[red]c\x00"
START = "7K/6Q1/8/8/2k5/8/8/8 w - - 0 1"


NAMES = {"long": "n" * 300, "NUL": "a\0b", "torn": "a\ud800b", "nobody": "~nosuchuser/x"}


@pytest.mark.slow
async def test_impossible_file_names_are_refused_in_a_sentence(tmp_path: Path) -> None:
    app = EndgameApp(data_dir=tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        for screen, key in (("3", "O"), ("4", "plus"), ("5", "O")):
            await pilot.press(screen)
            await settle(pilot)
            for kind, name in NAMES.items():
                await pilot.press(key)
                await pilot.pause()
                assert isinstance(app.focused, Input), (screen, kind)
                app.focused.value = name + (".pgn" if key == "plus" else "")
                await pilot.press("enter")
                await settle(pilot)
                assert re.match(
                    "(?i)no such|there is no such home|no file can have this name|a file name", message_text(pilot)
                ), (screen, kind)
                await pilot.press("escape")
                await pilot.pause()
                assert not isinstance(app.focused, Input), (screen, kind)


async def test_a_sentence_may_begin_with_a_long_word(tmp_path: Path) -> None:
    app = EndgameApp(data_dir=tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("3")
        await settle(pilot)
        await pilot.press("O")
        await pilot.pause()
        assert isinstance(app.focused, Input)
        app.focused.value = "/" + "/".join(["directory"] * 9)
        await pilot.press("enter")
        await settle(pilot)
        assert message_text(pilot).startswith("/directory/directory") and message_text(pilot).endswith(
            "check the name."
        )


async def test_a_sentence_is_printed_where_textual_sends_no_resize_event(tmp_path: Path) -> None:
    """As while a long name scrolls in its field: the row is in the map of all widgets before it is laid out."""
    app = EndgameApp(data_dir=tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        screen = app.screen
        assert isinstance(screen, BaseScreen)
        screen.say("directory/" * 9)
        screen._compositor._full_map_invalidated = True  # pyright: ignore[reportPrivateUsage]
        assert screen.strip in screen._compositor.full_map  # pyright: ignore[reportPrivateUsage]
        await settle(pilot)
        assert message_text(pilot).startswith("Directory/directory/")


async def test_a_palette_without_matches_stays_open(tmp_path: Path) -> None:
    app = EndgameApp(data_dir=tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("ctrl+p", *"zzzz")
        while "No matches" not in text(pilot):
            await pilot.pause(0.05)
        await pilot.press("pageup", "pagedown", "up", "down", "home", "end", "enter", "escape")
        await pilot.press("1")
        assert "Expl" in rows(pilot)[0]


@pytest.mark.slow
async def test_control_characters_of_foreign_text_are_shown_not_executed(tmp_path: Path) -> None:
    mine = paths.studies_dir(tmp_path) / "mine.json"
    mine.parent.mkdir(parents=True)
    study = {"id": "mine/1", "name": EVIL, "position": START, "note": EVIL, "source": EVIL}
    mine.write_text(json.dumps({"version": 1, "game": "chess", "id": "mine", "name": EVIL, "studies": [study]}))
    for ascii_ in (False, True):
        app = EndgameApp(data_dir=tmp_path, ascii=ascii_)
        async with app.run_test(size=(80, 24)) as pilot:
            await pilot.press("4")
            await settle(pilot)
            await type_in(pilot, "zzz", "slash")
            await pilot.press("enter")
            await settle(pilot)
            shown = text(pilot)
            assert visible(EVIL, ascii=ascii_)[:9] in shown
            assert shown == visible(shown, "\n")
            if ascii_:
                assert shown.isascii()

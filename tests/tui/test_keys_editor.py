"""Every key of the board editor in both games, and where its positions go."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.pilot import Pilot

from endgame_core.morris.editor import MorrisEdit
from endgame_core.morris.notation import parse_line
from endgame_core.morris.rules import Position
from endgame_core.tasks.editing import Editing
from endgame_tui.app import EndgameApp
from tests.conftest import fast

from .terminal_text import message_text, rows, settle, text, type_in, within

ROOK = "8/8/8/3k4/8/8/8/1K5R w - - 0 1"
MILL = "6X1/1X2X3/X4OOO w"
STONES = "OOO5/XXX5/8 w"


@asynccontextmanager
async def editing(root: Path, start: str = ROOK, **options: Any) -> AsyncIterator[Pilot[None]]:
    """The editor, opened from Play with a position."""
    app = EndgameApp(start, root, ascii=options.get("ascii", False))
    async with app.run_test(size=options.get("size", (80, 24))) as pilot:
        await pilot.pause()
        await pilot.press("escape", "3", "escape", "E")
        await pilot.pause()
        assert "Board editor" in rows(pilot)[0]
        yield pilot


async def press(pilot: Pilot[None], *keys: str) -> str:
    """Presses keys; the position as text then."""
    await pilot.press(*keys)
    await pilot.pause()
    return shown(pilot)


def shown(pilot: Pilot[None]) -> str:
    """The position as text."""
    return within(pilot, "#fen")[0].split("  ")[1]


def beside(pilot: Pilot[None]) -> str:
    """All that is printed beside the board, on one row."""
    return " ".join(" ".join(within(pilot, "#palette")).split())


class TestChess:
    @pytest.mark.slow
    async def test_every_piece_is_placed_by_its_letter(self, tmp_path: Path) -> None:
        async with editing(tmp_path) as pilot:
            for letter in "KQRBNPkqrbnp":
                placed = await press(pilot, letter)
                assert placed.split("/")[4].startswith(f"4{letter}3")
            for key in ("delete", "backspace", "full_stop"):
                assert (await press(pilot, "Q", key)).split("/")[4].split()[0] == "8"

    @pytest.mark.slow
    async def test_a_piece_is_chosen_from_the_palette(self, tmp_path: Path) -> None:
        async with editing(tmp_path) as pilot:
            assert "[hand]" in text(pilot)
            await press(pilot, "right_square_bracket", "tab")
            assert "[♕" in text(pilot) and "[hand]" not in text(pilot)
            assert "4Q3" in await press(pilot, "down", "enter")
            assert "4Q3" not in await press(pilot, "space")
            await press(pilot, "left_square_bracket", "left_square_bracket")
            assert "[hand]" in text(pilot)

    @pytest.mark.slow
    async def test_the_hand_moves_a_piece(self, tmp_path: Path) -> None:
        async with editing(tmp_path) as pilot:
            steps = ("down", "down", "down", "right", "right", "right")
            assert (await press(pilot, *steps, "enter", "up", "enter")).startswith("8/8/8/3k4/8/8/7R/1K6")

    @pytest.mark.slow
    async def test_every_edit_can_be_undone_and_redone(self, tmp_path: Path) -> None:
        async with editing(tmp_path) as pilot:
            assert " b " in await press(pilot, "t")
            assert "Black" in beside(pilot)
            assert (await press(pilot, "C")).startswith("8/8/8/3k4/8/8/8/1K6 b")
            assert (await press(pilot, "X")).startswith("1k6/8/8/8/3K4/8/8/8 w")
            assert await press(pilot, "u", "u", "u") == ROOK
            assert await press(pilot, "u") == ROOK and message_text(pilot)
            assert " b " in await press(pilot, "U")
            last = await press(pilot, "U", "U")
            assert await press(pilot, "U") == last and message_text(pilot)

    @pytest.mark.slow
    async def test_a_typed_position_is_shown_copied_and_turned(self, tmp_path: Path) -> None:
        async with editing(tmp_path) as pilot:
            await type_in(pilot, ROOK.replace("0 1", "43 1"))
            assert " 43 " in shown(pilot) and "50-move counter 21½/50" in beside(pilot)
            await press(pilot, "c")
            assert pilot.app.clipboard == ROOK.replace("0 1", "43 1") and "Copied the FEN" in text(pilot)
            await press(pilot, "f")
            assert within(pilot, "#board")[-1].split() == list("hgfedcba")
            await type_in(pilot, "nonsense")
            assert rows(pilot)[-1].startswith(" : nonsense")

    @pytest.mark.slow
    async def test_en_passant_is_set_only_where_it_is_possible(self, tmp_path: Path) -> None:
        async with editing(tmp_path) as pilot:
            assert await press(pilot, "e") == ROOK and message_text(pilot)
            await type_in(pilot, "8/8/7k/8/3Pp3/8/7K/8 b - d3 0 1")
            assert "en passant d3" in beside(pilot)
            assert " - - " in await press(pilot, "e")
            assert "none; e sets it" in beside(pilot)
            assert " d3 " in await press(pilot, "e")

    @pytest.mark.slow
    async def test_an_impossible_position_is_reported_and_not_sent(self, tmp_path: Path) -> None:
        async with editing(tmp_path) as pilot:
            await press(pilot, "K", "s")
            assert "Send it to" not in text(pilot)
            assert "kings" in beside(pilot)

    @pytest.mark.slow
    async def test_the_result_by_dtz_alone_is_shown(self, by_dtz: Path) -> None:
        async with editing(by_dtz, "8/8/8/8/1k2r3/8/2K5/3Q4 w - - 0 1") as pilot:
            assert "KQvKR, White to move: win." in beside(pilot)

    @pytest.mark.slow
    async def test_letters_place_pieces_instead_of_moving_the_cursor(self, tmp_path: Path) -> None:
        async with editing(tmp_path) as pilot:
            assert "4k3" in await press(pilot, "k")
            assert await press(pilot, "h", "j", "l") == shown(pilot)


class TestStones:
    @pytest.mark.slow
    async def test_stones_are_placed_and_removed_by_keys(self, tmp_path: Path) -> None:
        async with editing(tmp_path, MILL) as pilot:
            assert (await press(pilot, "o", "right", "x")).startswith("OX")
            for key in ("delete", "backspace", "full_stop"):
                assert (await press(pilot, "o", key)).startswith("O5X1")
            assert (await press(pilot, "left", "down", "x", "k", "l", "x")).startswith("OX4XX/")

    @pytest.mark.slow
    async def test_enter_places_the_chosen_stone(self, tmp_path: Path) -> None:
        async with editing(tmp_path, MILL) as pilot:
            keys = ("right_square_bracket", "enter", "right", "right_square_bracket", "space")
            assert (await press(pilot, *keys)).startswith("OX")
            keys = ("enter", "tab", "enter", "left_square_bracket", "enter")
            assert (await press(pilot, *keys)).startswith("OX"), "away, the hand takes nothing up, and again"

    @pytest.mark.slow
    async def test_the_hand_moves_a_stone(self, tmp_path: Path) -> None:
        async with editing(tmp_path, "O7/1X1X1X2/OO6 w") as pilot:
            assert (await press(pilot, "enter", "right", "enter")).startswith("1O6/")
            assert (await press(pilot, "enter", "escape")).startswith("1O6/")
            before = rows(pilot)[-2]
            await press(pilot, "right", "enter")
            assert rows(pilot)[-2] == before, "an empty point after changes needs no words"

    @pytest.mark.slow
    async def test_an_empty_point_names_the_key_to_press(self, tmp_path: Path) -> None:
        async with editing(tmp_path, MILL) as pilot:
            await press(pilot, "enter")
            assert " o " in message_text(pilot)

    @pytest.mark.slow
    async def test_hands_side_colours_and_the_empty_board_can_be_set(self, tmp_path: Path) -> None:
        async with editing(tmp_path, STONES) as pilot:
            assert await press(pilot, "i", "i", "I", "t") == "OOO5/XXX5/8 b 5-6", "all that are left, then one less"
            assert await press(pilot, "right_square_bracket", "down", "enter", "down", "enter") == (
                "OOO3OO/XXX5/8 b 4-6"
            ), "a stone beyond nine comes from the hand"
            assert await press(pilot, "u", "u", *"iiiii", "X") == "XXX5/OOO5/8 w 6-0"
            assert await press(pilot, "C") == "8/8/8 w"
            assert await press(pilot, "u") == "XXX5/OOO5/8 w 6-0"
            assert await press(pilot, "U", "i", "I") == "8/8/8 w 9-9"
            assert await press(pilot, "U") == "8/8/8 w 9-9" and message_text(pilot)

    @pytest.mark.slow
    async def test_clicks_choose_and_place_stones(self, tmp_path: Path) -> None:
        async with editing(tmp_path, MILL) as pilot:
            await pilot.click("#palette", offset=(2, 2))
            await pilot.click("#board", offset=(6, 0))
            assert (await press(pilot)).startswith("O")
            await pilot.click("#palette", offset=(2, 3))
            await pilot.click("#board", offset=(24, 0))
            assert (await press(pilot)).startswith("OX")
            for y in (4, 6, 8, 9):
                await pilot.click("#palette", offset=(2, y))
            assert (await press(pilot)).endswith(" b 5-4") and "[hand]" in text(pilot)

    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("start", "words"),
        [
            (MILL, "3-4, White to move: wins in 25 plies."),
            ("OO6/XXX5/8 w", "White has lost: fewer than three stones are left."),
            ("OOOO4/XXXXX3/8 w", "Not in any table; the search can play on."),
            ("8/8/8 w 9-9", "Not in any table; the search can play on."),
        ],
    )
    async def test_the_editor_shows_the_result_by_the_tables(self, start: str, words: str, tmp_path: Path) -> None:
        async with editing(tmp_path, MILL) as pilot:
            await type_in(pilot, start)
            assert words in beside(pilot)


class TestWhereItGoes:
    @pytest.mark.slow
    @pytest.mark.parametrize(("start", "man"), [(ROOK, "B"), (MILL, "x")])
    @pytest.mark.parametrize(("key", "mode"), fast([("1", "explore"), ("3", "play")]))
    async def test_s_sends_the_position_to_another_screen(
        self, start: str, man: str, key: str, mode: str, tmp_path: Path
    ) -> None:
        async with editing(tmp_path, start) as pilot:
            before = await press(pilot, "left", "down", man, "s")
            assert "Send it to" in text(pilot)
            await pilot.press(key)
            await settle(pilot)
            assert pilot.app.current_mode.endswith(mode)
            await pilot.press("escape", "c")
            assert pilot.app.clipboard.split()[:2] == before.split()[:2]

    @pytest.mark.slow
    async def test_a_position_sent_to_the_editor_waits_for_a_question(self, tmp_path: Path) -> None:
        async with editing(tmp_path, ROOK) as pilot:
            await pilot.press("B", "1")
            await settle(pilot)
            await pilot.press("s")
            await settle(pilot)
            assert "Board editor" in rows(pilot)[0] and "Enter" in rows(pilot)[-1]
            await pilot.press("enter")
            await settle(pilot)
            assert rows(pilot)[0].split()[:4] == ["KRvK", "▸", "new", "game"]

    @pytest.mark.slow
    @pytest.mark.parametrize(("start", "man"), [(ROOK, "B"), (MILL, "x")])
    async def test_leaving_asks_and_changes_nothing(self, start: str, man: str, tmp_path: Path) -> None:
        async with editing(tmp_path, start) as pilot:
            game = pilot.app.game  # type: ignore[attr-defined]
            before = await press(pilot, man)
            await pilot.press("escape")
            await pilot.pause()
            question = rows(pilot)[-1]
            assert "?" in question and "Enter" in question
            assert await press(pilot, "escape") == before  # the question is gone, and nothing else
            await pilot.press("G")
            await pilot.pause()
            assert rows(pilot)[-1] == question
            assert pilot.app.game == game  # type: ignore[attr-defined]
            await pilot.press("escape", "ctrl+q")
            await pilot.pause()
            assert "Quit?" in rows(pilot)[-1]
            await pilot.press("escape", "G", "enter")
            await settle(pilot)
            assert pilot.app.game != game  # type: ignore[attr-defined]
            await pilot.press("G", "E", man, "escape", "enter")
            await pilot.pause()
            assert "Board editor" not in rows(pilot)[0]


class TestLooks:
    """Pictures: ``pytest --snapshot-update`` renews them."""

    @pytest.mark.slow
    def test_look_of_chosen_pieces(self, snap_compare: Any, tmp_path: Path) -> None:
        keys = ["escape", "3", "E", "Q", "right_square_bracket", "right_square_bracket", "up"]
        assert snap_compare(EndgameApp(ROOK, tmp_path, ascii=False), press=keys, terminal_size=(80, 24))

    @pytest.mark.slow
    def test_without_colour_and_a_mistake(
        self, snap_compare: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("NO_COLOR", "1")
        keys = ["escape", "3", "E", "K", "s"]
        assert snap_compare(EndgameApp(ROOK, tmp_path, ascii=True), press=keys, terminal_size=(80, 24))


def test_more_than_nine_stones_are_refused() -> None:
    edit = MorrisEdit(Position(0x1FF, 7 << 20)).put(10, 0)
    assert "White has 10 stones" in edit.problem
    assert MorrisEdit(Position(0x1FF, 7 << 20)).hold(0).position.hands == (0, 0)
    assert edit.put(10, None).problem == "" and edit.move(10, 11).man(11) == 0
    assert edit.move(13, 14) == edit, "nothing stands there"
    assert MorrisEdit(parse_line("OOO5/XXX5/8 w 2-1")).exchange().exchange().position == parse_line("OOO5/XXX5/8 w 2-1")


@given(st.lists(st.sampled_from(["put", "choose", "turn", "clear", "undo", "redo"]), max_size=30), st.data())
def test_undo_goes_back_through_every_change(todo: list[str], data: st.DataObject) -> None:
    editing = Editing("morris", parse_line(STONES))
    for name in todo:
        if name == "put":
            editing.put(data.draw(st.sampled_from([0, 1, None])))
        elif name == "choose":
            editing.choose(data.draw(st.integers(0, 23)))
        elif name in ("undo", "redo"):
            getattr(editing, name)()
        else:
            editing.change(name)
    end = editing.edit
    steps = 0
    while editing.undo():
        steps += 1
    assert editing.edit.text == STONES and not editing.is_changed
    for _ in range(steps):
        assert editing.redo()
    assert editing.edit == end or not steps or editing.redo()

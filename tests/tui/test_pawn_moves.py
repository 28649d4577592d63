"""Promotion and en passant on the Explore screen, by keyboard, mouse and typing."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.pilot import Pilot

from endgame_core.tables.library import Library

from .key_walk import crumbs, panel_text, place, position, question_text, type_and_wait, walking
from .terminal_text import message_text, press, settle, within

PAWN = "8/P6k/8/8/8/8/8/1K6 w - - 0 1"
TAKES = "1n5k/P7/8/8/8/8/8/1K6 w - - 0 1"
BLACK = "1K5k/8/8/8/8/8/p7/8 b - - 0 1"
BEFORE_PUSH = "8/8/7k/8/4p3/8/3P3K/8 w - - 0 1"
PASSED = "8/8/7k/8/3Pp3/8/7K/8 b - d3 0 1"
PICK_AND_DROP = ("enter", "up", "enter")


@pytest.fixture
def root(library: Library) -> Path:
    return library.root


def chosen(pilot: Pilot[None]) -> str:
    """The last rank, as FEN has it; empty while it is asked."""
    return "" if question_text(pilot) else position(pilot).split("/")[0]


class TestPromotion:
    @pytest.mark.slow
    async def test_every_key_of_the_promotion_question_works(self, root: Path) -> None:
        async with walking(root, PAWN) as pilot:
            for keys, piece in (
                ("q", "Q"), ("r", "R"), ("b", "B"), ("n", "N"), ("Q", "Q"), ("N", "N"), ("enter", "Q"), ("space", "Q"),
                ("right enter", "R"), ("l l enter", "B"), ("down tab j enter", "N"), ("left enter", "N"),
                ("h up k enter", "R"),
            ):  # fmt: skip
                await press(pilot, *PICK_AND_DROP)
                assert question_text(pilot).startswith("Promote") and position(pilot) == PAWN, keys
                await press(pilot, *keys.split())
                assert chosen(pilot) == f"{piece}7", keys
                await press(pilot, "u")
                assert position(pilot) == PAWN, keys
                await press(pilot, "U")
                assert chosen(pilot) == f"{piece}7", keys
                await type_and_wait(pilot, PAWN)

    @pytest.mark.slow
    async def test_escape_cancels_a_promotion(self, root: Path) -> None:
        async with walking(root, PAWN) as pilot:
            await press(pilot, *PICK_AND_DROP, "escape")
            assert not question_text(pilot) and position(pilot) == PAWN
            await press(pilot, "enter", "n")
            assert chosen(pilot) == "N7"

    async def test_keys_without_a_meaning_do_nothing(self, root: Path) -> None:
        async with walking(root, PAWN) as pilot:
            await press(pilot, *PICK_AND_DROP, "full_stop", "u", "x", "2", "colon", "g", "p", "question_mark")
            assert question_text(pilot) and position(pilot) == PAWN

    @pytest.mark.slow
    async def test_each_choice_shows_its_layer_and_class(self, root: Path) -> None:
        async with walking(root, PAWN, (80, 24)) as pilot:
            await press(pilot, *PICK_AND_DROP)
            for words in (
                "▸q S16 best",
                "r S28 +12",
                "b draw win lost",
                "n draw win lost",
                "Esc back",
            ):
                assert words in question_text(pilot)
            await pilot.resize_terminal(120, 40)
            await pilot.pause()
            assert "q queen S16 best" in question_text(pilot) and "r rook S28 +12" in question_text(pilot)
            await pilot.resize_terminal(40, 20)
            await pilot.pause()
            assert "▸q S16  r S28  b =  n =" in question_text(pilot)
            await pilot.resize_terminal(20, 10)
            await press(pilot, "r")

    async def test_where_another_piece_is_best_the_cursor_begins_there(self, root: Path) -> None:
        async with walking(root, "8/5P1k/5K2/8/8/8/8/8 w - - 0 1") as pilot:
            await press(pilot, *PICK_AND_DROP)
            best = question_text(pilot).partition("▸")[2]
            assert " best" in best.split("  ")[0] and best[0] != "q"
            await press(pilot, "enter")
            assert f"5{best[0].upper()}2" == chosen(pilot)

    @pytest.mark.slow
    async def test_a_click_chooses_the_promoted_piece(self, root: Path) -> None:
        async with walking(root, PAWN, (80, 24)) as pilot:
            for rank in (7, 8):
                await pilot.click("#board", offset=(3 + 1, 1 + 2 * (8 - rank)))
                await settle(pilot)
            assert question_text(pilot)
            await pilot.click("#question", offset=(within(pilot, "#question")[0].index("b draw") + 1, 0))
            await settle(pilot)
            assert chosen(pilot) == "B7"
            await press(pilot, "u")
            for rank in (7, 8, 8):
                await pilot.click("#board", offset=(3 + 1, 1 + 2 * (8 - rank)))
                await settle(pilot)
            assert question_text(pilot), "a click on the same square asks again"
            await pilot.click("#board", offset=(3 + 4 + 1, 15))
            await settle(pilot)
            assert not question_text(pilot) and position(pilot) == PAWN

    @pytest.mark.parametrize(
        ("fen", "move", "end"),
        [
            (PAWN, "a8=Q", "Q7"), (PAWN, "a8=N", "N7"), (PAWN, "a7a8n", "N7"), (PAWN, "a8r", "R7"),
            (TAKES, "axb8=N", "1N5k"), (TAKES, "a7b8b", "1B5k"), (BLACK, "a1=Q", "qK6"), (BLACK, "a2a1n", "n7"),
        ],
    )  # fmt: skip
    @pytest.mark.slow
    async def test_a_promotion_typed_in_full_asks_nothing(self, root: Path, fen: str, move: str, end: str) -> None:
        async with walking(root, fen) as pilot:
            await type_and_wait(pilot, move)
            ranks = position(pilot).split()[0].split("/")
            assert end.replace("qK6", "q7") in ranks and not question_text(pilot)

    @pytest.mark.parametrize(
        ("fen", "move", "key", "end"),
        [
            (PAWN, "a8", "r", "R7"), (PAWN, "a7a8", "q", "Q7"), (TAKES, "axb8", "n", "1N5k"),
            (TAKES, "a7b8", "q", "1Q5k"), (BLACK, "a1", "n", "n7"),
        ],
    )  # fmt: skip
    @pytest.mark.slow
    async def test_a_typed_promotion_without_its_piece_is_asked_for(
        self, root: Path, fen: str, move: str, key: str, end: str
    ) -> None:
        async with walking(root, fen) as pilot:
            await type_and_wait(pilot, move)
            assert question_text(pilot) and position(pilot) == fen
            await press(pilot, key)
            assert end in position(pilot).split()[0].split("/") and not question_text(pilot)
            await press(pilot, "u")
            await type_and_wait(pilot, move)
            await press(pilot, "escape", "u")
            assert "started" in message_text(pilot), "escape has given the keys back"

    async def test_no_promotion_is_cut_short_in_the_list(self, root: Path) -> None:
        for size in ((80, 24), (120, 40)):
            async with walking(root, TAKES, size) as pilot:
                shown = set(panel_text(pilot, "moves").replace("▸", " ").split())
                assert {"axb8=Q+", "axb8=R+", "a8=Q", "a8=R"} <= shown

    async def test_a_narrow_column_omits_signs(self, root: Path) -> None:
        async with walking(root, TAKES, (40, 20)) as pilot:
            assert panel_text(pilot, "moves").split("\n")[:5] == ["S16", "axb8Q", "", "S18", "a8=Q"]
            await pilot.click("#moves", offset=(1, 4))
            assert "S18" in "".join(crumbs(pilot))

    @pytest.mark.slow
    async def test_a_position_of_a_table_not_built_asks_too(self, root: Path) -> None:
        async with walking(root, "8/P6k/8/8/8/8/2PP4/1K6 w - - 0 1") as pilot:
            await press(pilot, "escape")
            await type_and_wait(pilot, "a8")
            assert "q" in question_text(pilot) and "S" not in question_text(pilot)
            await press(pilot, "q")
            assert position(pilot).startswith("Q7")


class TestEnPassant:
    @pytest.mark.slow
    async def test_en_passant_can_be_pushed_captured_undone_and_redone(self, root: Path) -> None:
        async with walking(root, BEFORE_PUSH) as pilot:
            for keys in (
                ("colon", *"exd3", "enter"), ("colon", *"e4d3", "enter"), ("colon", *"ed3 e.p.", "enter"),
                ("full_stop",), ("m", "enter", "escape"), ("right", "enter", "down", "left", "enter"),
            ):  # fmt: skip
                await press(pilot, "enter", "up", "up", "enter")
                assert position(pilot) == PASSED and crumbs(pilot)[1:] == ["Black wins", "S19", "en passant"], keys
                assert "▸exd3" in panel_text(pilot, "moves"), keys
                await press(pilot, *keys)
                assert position(pilot).startswith("8/8/7k/8/8/3p4"), keys
                await press(pilot, "u")
                assert position(pilot) == PASSED, keys
                await press(pilot, "U")
                assert position(pilot).startswith("8/8/7k/8/8/3p4"), keys
                assert place(pilot)[:2] == ("KvKP", "Black wins"), keys
                await type_and_wait(pilot, BEFORE_PUSH)

    async def test_clicks_capture_en_passant(self, root: Path) -> None:
        async with walking(root, PASSED, (80, 24)) as pilot:
            for file, rank in ((4, 4), (3, 3)):
                await pilot.click("#board", offset=(3 + 4 * file + 1, 1 + 2 * (8 - rank)))
            assert position(pilot).startswith("8/8/7k/8/8/3p4")

    @pytest.mark.slow
    async def test_a_pasted_position_may_have_the_en_passant_right(self, root: Path) -> None:
        async with walking(root) as pilot:
            await type_and_wait(pilot, PASSED)
            assert crumbs(pilot)[1:] == ["Black wins", "S19", "en passant"]
            await type_and_wait(pilot, PASSED.replace("d3", "-"))
            assert place(pilot)[1:] == ("draws", "=")
            await type_and_wait(pilot, PASSED.replace("d3", "e3"))
            assert "no pawn can have just passed e3" in message_text(pilot).lower() and place(pilot)[1:] == (
                "draws",
                "=",
            )

    @pytest.mark.slow
    async def test_layers_are_reached_from_a_position_with_en_passant(self, root: Path) -> None:
        async with walking(root, PASSED) as pilot:
            await press(pilot, "n")
            assert place(pilot)[1:] == ("Black wins", "S19") and crumbs(pilot)[3].startswith("1/")
            await press(pilot, "u", "r", "u")
            await type_and_wait(pilot, "S5/2", "g")
            assert place(pilot)[2] == "S5"
            await press(pilot, "u")
            await type_and_wait(pilot, "0")
            assert "The last position of" in message_text(pilot)
            await press(pilot, "escape")
            assert position(pilot) == PASSED

    @pytest.mark.slow
    async def test_before_en_passant_only_the_push_is_listed(self, root: Path) -> None:
        async with walking(root, PASSED) as pilot:
            await press(pilot, "b", "enter")
            assert position(pilot).startswith(BEFORE_PUSH.split()[0])
            await type_and_wait(pilot, "d4")
            assert position(pilot) == PASSED


async def test_un_pushes_are_listed_and_lead_back(root: Path) -> None:
    fen = "8/8/8/8/1P4k1/8/6K1/8 b - - 0 1"
    async with walking(root, fen) as pilot:
        shown = panel_text(pilot, "before").split()
        assert {"b2→b4", "b3→b4"} < set(shown)
        names = [word for word in shown if "→" in word]
        await press(pilot, "b", *("right",) * names.index("b2→b4"), "enter")
        assert position(pilot).split("/")[6].startswith("1P")
        await type_and_wait(pilot, "b4")
        assert position(pilot).startswith(fen.split()[0])

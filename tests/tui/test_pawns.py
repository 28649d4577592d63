"""Promotion and en passant on the Explore screen, by keyboard, mouse and typing."""

from __future__ import annotations

import chess
import pytest
from textual.pilot import Pilot

from endgame_core.tables.library import Library
from endgame_tui.screens.explore import ExploreScreen
from endgame_tui.walk import Walk
from endgame_tui.widgets.promotion import PromotionChooser
from endgame_tui.widgets.words import FenRow

from .test_keys_explore import opened, place, said, type_in

PAWN = "8/P6k/8/8/8/8/8/1K6 w - - 0 1"
TAKES = "1n5k/P7/8/8/8/8/8/1K6 w - - 0 1"
BLACK = "1K5k/8/8/8/8/8/p7/8 b - - 0 1"
BEFORE_PUSH = "8/8/7k/8/4p3/8/3P3K/8 w - - 0 1"
PASSED = "8/8/7k/8/3Pp3/8/7K/8 b - d3 0 1"


def chooser(pilot: Pilot[None]) -> PromotionChooser | None:
    """The chooser while it asks."""
    focused = pilot.app.focused
    return focused if isinstance(focused, PromotionChooser) else None


def shown(pilot: Pilot[None]) -> str:
    found = pilot.app.screen.query_one(PromotionChooser)
    return "".join(segment.text for segment in found.draw()[0])


def on(walk: Walk, square: str) -> str:
    piece = walk.position.piece_at(chess.parse_square(square))
    return piece.symbol() if piece else ""


PICK_AND_DROP = ("enter", "up", "enter")


class TestPromotion:
    @pytest.mark.parametrize(
        ("keys", "piece"),
        [
            (("q",), "Q"), (("r",), "R"), (("b",), "B"), (("n",), "N"), (("Q",), "Q"), (("N",), "N"),
            (("enter",), "Q"), (("space",), "Q"), (("right", "enter"), "R"), (("l", "l", "enter"), "B"),
            (("down", "tab", "j", "enter"), "N"), (("left", "enter"), "N"), (("h", "up", "k", "enter"), "R"),
        ],
    )  # fmt: skip
    async def test_every_key(self, library: Library, keys: tuple[str, ...], piece: str) -> None:
        async with opened(library.root, PAWN) as (pilot, walk):
            await pilot.press(*PICK_AND_DROP)
            assert chooser(pilot) is not None and walk.position.fen() == PAWN
            await pilot.press(*keys)
            assert chooser(pilot) is None and on(walk, "a8") == piece
            await pilot.press("u")
            assert walk.position.fen() == PAWN
            await pilot.press("U")
            assert on(walk, "a8") == piece

    async def test_escape_leaves_the_pawn(self, library: Library) -> None:
        async with opened(library.root, PAWN) as (pilot, walk):
            await pilot.press(*PICK_AND_DROP, "escape")
            assert chooser(pilot) is None and walk.position.fen() == PAWN
            await pilot.press("enter", "n")
            assert on(walk, "a8") == "N"

    async def test_keys_without_a_meaning_do_nothing(self, library: Library) -> None:
        async with opened(library.root, PAWN) as (pilot, walk):
            await pilot.press(*PICK_AND_DROP, "full_stop", "u", "x", "2", "colon", "g", "p", "question_mark")
            assert chooser(pilot) is not None and walk.position.fen() == PAWN

    async def test_each_choice_tells_its_layer_and_class(self, library: Library) -> None:
        async with opened(library.root, PAWN) as (pilot, _):
            await pilot.press(*PICK_AND_DROP)
            text = shown(pilot)
            for words in ("▸q S16 best", "r S28 +12", "b draw win gone", "n draw win gone", "Esc back"):
                assert words in text
            await pilot.resize_terminal(120, 40)
            assert "q queen S16 best" in shown(pilot) and "r rook S28 12 plies later" in shown(pilot)
            await pilot.resize_terminal(40, 20)
            assert "▸q S16  r S28  b =  n =" in shown(pilot)
            await pilot.resize_terminal(20, 10)
            await pilot.press("r")

    async def test_where_another_piece_is_best_the_cursor_begins_there(self, library: Library) -> None:
        async with opened(library.root, "8/5P1k/5K2/8/8/8/8/8 w - - 0 1") as (pilot, walk):
            best = {move.san: move.grade for move in walk.facts.moves}
            assert (best["f8=Q"], best["f8=R"]) != ("best", "slower")
            await pilot.press(*PICK_AND_DROP, "enter")
            assert best["f8=" + on(walk, "f8")] == "best"

    async def test_the_mouse(self, library: Library) -> None:
        async with opened(library.root, PAWN) as (pilot, walk):
            for rank in (7, 8):
                await pilot.click("#board", offset=(3 + 1, 1 + 2 * (8 - rank)))
            assert chooser(pilot) is not None
            await pilot.click("#promotion", offset=(shown(pilot).index("b draw") + 1, 0))
            assert on(walk, "a8") == "B"
            await pilot.press("u")
            for rank in (7, 8, 8):
                await pilot.click("#board", offset=(3 + 1, 1 + 2 * (8 - rank)))
            assert chooser(pilot) is not None, "a click on the same square asks again"
            await pilot.click("#board", offset=(3 + 4 + 1, 15))
            assert chooser(pilot) is None and walk.position.fen() == PAWN

    @pytest.mark.parametrize(
        ("fen", "typed", "square", "piece"),
        [
            (PAWN, "a8=Q", "a8", "Q"), (PAWN, "a8=N", "a8", "N"), (PAWN, "a7a8n", "a8", "N"), (PAWN, "a8r", "a8", "R"),
            (TAKES, "axb8=N", "b8", "N"), (TAKES, "a7b8b", "b8", "B"), (BLACK, "a1=Q", "a1", "q"),
            (BLACK, "a2a1n", "a1", "n"),
        ],
    )  # fmt: skip
    @pytest.mark.slow
    async def test_typed_in_full(self, library: Library, fen: str, typed: str, square: str, piece: str) -> None:
        async with opened(library.root, fen) as (pilot, walk):
            await type_in(pilot, typed)
            assert on(walk, square) == piece and chooser(pilot) is None

    @pytest.mark.parametrize(
        ("fen", "typed", "square", "key", "piece"),
        [
            (PAWN, "a8", "a8", "r", "R"), (PAWN, "a7a8", "a8", "q", "Q"), (TAKES, "axb8", "b8", "n", "N"),
            (TAKES, "a7b8", "b8", "q", "Q"), (BLACK, "a1", "a1", "n", "n"),
        ],
    )  # fmt: skip
    @pytest.mark.slow
    async def test_typed_without_the_piece_asks(
        self, library: Library, fen: str, typed: str, square: str, key: str, piece: str
    ) -> None:
        async with opened(library.root, fen) as (pilot, walk):
            await type_in(pilot, typed)
            await pilot.pause()
            assert chooser(pilot) is not None and walk.position.fen() == fen
            await pilot.press(key)
            assert on(walk, square) == piece and chooser(pilot) is None
            await pilot.press("u")
            await type_in(pilot, typed)
            await pilot.press("escape", "u")
            assert "began" in said(pilot), "escape has given the keys back"

    async def test_no_promotion_is_cut_short_in_the_list(self, library: Library) -> None:
        for size in ((80, 24), (120, 40)):
            async with opened(library.root, TAKES, size) as (pilot, _):
                panel = pilot.app.screen.query_one("#moves")
                text = "\n".join("".join(s.text for s in strip) for strip in panel.draw())  # pyright: ignore
                assert {"axb8=Q+", "axb8=R+", "a8=Q", "a8=R"} <= set(text.replace("▸", " ").split())

    async def test_a_slim_column_spares_signs(self, library: Library) -> None:
        async with opened(library.root, TAKES, (40, 20)) as (pilot, walk):
            panel = pilot.app.screen.query_one("#moves")
            rows = ["".join(s.text for s in strip).strip() for strip in panel.draw()]  # pyright: ignore
            assert rows[:5] == ["S16", "axb8Q", "", "S18", "a8=Q"]
            await pilot.click("#moves", offset=(1, 4))
            assert on(walk, "a8") == "Q"

    async def test_a_position_of_a_table_not_built_asks_too(self, library: Library) -> None:
        async with opened(library.root, "8/P6k/8/8/8/8/2PP4/1K6 w - - 0 1") as (pilot, walk):
            await pilot.press("escape")
            await type_in(pilot, "a8")
            assert "q" in shown(pilot) and "S" not in shown(pilot)
            await pilot.press("q")
            assert on(walk, "a8") == "Q"


class TestEnPassant:
    @pytest.mark.parametrize(
        "keys",
        [
            ("colon", *"exd3", "enter"), ("colon", *"e4d3", "enter"), ("colon", *"ed3 e.p.", "enter"),
            ("full_stop",), ("m", "enter"), ("right", "enter", "down", "left", "enter"),
        ],
    )  # fmt: skip
    async def test_push_capture_undo_redo(self, library: Library, keys: tuple[str, ...]) -> None:
        async with opened(library.root, BEFORE_PUSH) as (pilot, walk):
            await pilot.press("enter", "up", "up", "enter")
            assert walk.position.fen() == PASSED and place(walk) == ("black", 19, 0)
            assert walk.facts.moves[0].san == "exd3" and pilot.app.screen.query_one(FenRow).fen == PASSED
            await pilot.press(*keys)
            assert (on(walk, "d3"), on(walk, "d4"), on(walk, "e4")) == ("p", "", "")
            await pilot.press("u")
            assert walk.position.fen() == PASSED
            await pilot.press("U")
            assert on(walk, "d3") == "p" and (walk.facts.family(), walk.facts.name) == ("Black wins", "KvKP")

    async def test_the_mouse(self, library: Library) -> None:
        async with opened(library.root, PASSED) as (pilot, walk):
            for file, rank in ((4, 4), (3, 3)):
                await pilot.click("#board", offset=(3 + 4 * file + 1, 1 + 2 * (8 - rank)))
            assert (on(walk, "d3"), on(walk, "d4")) == ("p", "")

    async def test_pasted_with_and_without_the_right(self, library: Library) -> None:
        async with opened(library.root) as (pilot, walk):
            await type_in(pilot, PASSED)
            assert place(walk) == ("black", 19, 0)
            await type_in(pilot, PASSED.replace("d3", "-"))
            assert place(walk)[:2] == (None, None) and place(walk)[2] > 0
            await type_in(pilot, PASSED.replace("d3", "e3"))
            assert "no pawn can just have passed e3" in said(pilot).lower() and place(walk)[:2] == (None, None)

    @pytest.mark.parametrize(
        ("keys", "expected"),
        [
            (("n",), ("black", 19, 1)), (("p",), ("black", 19, 211_368)), (("colon", "7", "enter"), ("black", 19, 7)),
            (("left_square_bracket",), ("black", 18, 1)), (("right_square_bracket",), ("black", 20, 1)),
            (("g", *"S5/2", "enter"), ("black", 5, 2)),
        ],
    )  # fmt: skip
    @pytest.mark.slow
    async def test_ways_on_from_a_position_in_no_list(
        self, library: Library, keys: tuple[str, ...], expected: tuple[str, int, int]
    ) -> None:
        async with opened(library.root, PASSED) as (pilot, walk):
            screen = pilot.app.screen
            assert isinstance(screen, ExploreScreen)
            assert screen.query_one("#top").crumbs[-1] == "en passant"  # pyright: ignore
            await pilot.press(*keys)
            assert place(walk) == expected
            await pilot.press("u", "r")
            assert place(walk)[:2] == ("black", 19) and place(walk)[2] > 0

    async def test_the_number_0_is_no_place(self, library: Library) -> None:
        async with opened(library.root, PASSED) as (pilot, walk):
            await pilot.press("colon", "0", "enter")
            assert "positions 1 to" in said(pilot) and walk.position.fen() == PASSED

    async def test_only_the_push_led_here(self, library: Library) -> None:
        async with opened(library.root, PASSED) as (pilot, walk):
            await pilot.press("b", "enter")
            assert walk.position.board_fen() == BEFORE_PUSH.split()[0]
            await type_in(pilot, "d4")
            assert walk.position.fen() == PASSED


async def test_un_pushes_read_well_and_lead_back(library: Library) -> None:
    fen = "8/8/8/8/1P4k1/8/6K1/8 b - - 0 1"
    async with opened(library.root, fen) as (pilot, walk):
        from endgame_tui.walk import origin_of

        names = [origin_of(item) for item in walk.facts.previous]
        assert {"Pb2", "Pb3"} < set(names)
        await pilot.press("b", *("right",) * names.index("Pb2"), "enter")
        assert on(walk, "b2") == "P"
        await type_in(pilot, "b4")
        assert walk.position.board_fen() == fen.split()[0]

"""What all screens share: lists, prompts, questions, the board and the last row."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import pytest
from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.screen import Screen
from textual.widget import Widget

from endgame_core.chess.game import CHESS
from endgame_core.errors import PositionError
from endgame_core.morris.game import MORRIS
from endgame_core.words.text_model import TextRow, TextSpan
from endgame_tui.app import EndgameApp
from endgame_tui.faces import Label, PositionView
from endgame_tui.keys import Key
from endgame_tui.screens.base import BaseScreen, BoardScreen
from endgame_tui.widgets.ask import Choice
from endgame_tui.widgets.lines import Lines
from endgame_tui.widgets.rows import RowItem, Rows

from .terminal_text import rows, text, type_in, within


class ListScreen(BaseScreen):
    """A list and some words."""

    TASK = "library"
    BINDINGS: ClassVar[list[BindingType]] = [
        Key("colon", "type", "Type something", id="list.type", short="type", rank=1, priority=True, typing=True),
        Key("d", "delete", "Delete it", id="list.delete", short="delete", priority=True),
        Key("left_square_bracket", "turn(-1)", "One less", id="list.less", short="turn", rank=1),
        Key("right_square_bracket", "turn(1)", "One more", id="list.more", short="turn", rank=1),
        Key("w", "wide", "Wide", id="list.wide", short="only on wide screens", rank=3),
    ]

    def body(self) -> ComposeResult:
        yield Lines(id="words", indent=1)
        yield Rows("Things", id="list")

    def home(self) -> Widget:
        return self.query_one(Rows)

    def on_mount(self) -> None:
        self.query_one("#words").styles.height = 2
        self.query_one("#list").styles.height = "1fr"
        self.show()
        self.set_focus(self.home())

    def show(self) -> None:
        self.crumbs("Toys", "all of them")
        note = TextRow((TextSpan("a long label that must give way"), TextSpan("12", end=30), TextSpan("right", end=0)))
        self.query_one(Lines).show((TextRow((TextSpan("Title", bold=True),), (TextSpan("hint", "faint"),)), note))
        items = [RowItem((TextSpan("Heading", "dim"),))]
        items += [RowItem((TextSpan(f"item {n}"), TextSpan("win", "win", at=12)), key=f"k{n}") for n in range(40)]
        self.query_one(Rows).show(items, head=TextRow((), (TextSpan("counted", "faint"),)))

    def action_type(self) -> None:
        self.last_row.prompt(":", "anything but wrong", self._typed)

    def _typed(self, words: str) -> None:
        if words == "wrong":
            raise PositionError("that is wrong", "type something else")
        self.say(f"typed {words}.")

    def action_delete(self) -> None:
        self.last_row.ask("Delete it?", Choice("enter", "yes", lambda: self.say("deleted.")))

    def action_turn(self, by: int) -> None:
        self.say(f"turned by {by}.")

    @on(Rows.Chosen, "#list")
    def _chosen(self, event: Rows.Chosen) -> None:
        self.say(f"chosen: {event.key}")


class MovesScreen(BoardScreen):
    """A board, and what was done on it."""

    TASK = "play"
    START: ClassVar[dict[str, str]] = {"chess": "8/4P3/8/8/8/2k5/8/K7 w - - 0 1", "morris": "OXOOXX2/8/8 w"}

    def body(self) -> ComposeResult:
        with Horizontal(id="main"):
            yield self.board
            yield Lines(id="done")

    def on_mount(self) -> None:
        self.done: list[str] = []
        self.show()
        self.set_focus(self.home())

    def show(self) -> None:
        game = MORRIS if self.game == "morris" else CHESS
        position: Any = game.parse(self.START[self.game])
        moves = game.moves(position)
        self.board.show(position, moves, PositionView(cursor=0, rated_moves=[(moves[0], Label("S7", True))]))
        self.query_one("#done", Lines).show([TextRow((TextSpan(made),)) for made in self.done])

    def move_made(self, move: Any) -> None:
        game = MORRIS if self.game == "morris" else CHESS
        self.done.append(game.san(self.board.position, move))
        self.show()


def app_of(screen: Callable[[], Screen[Any]], root: Path, **options: Any) -> EndgameApp:
    class Toy(EndgameApp):
        MODES: ClassVar[dict[str, Any]] = {"toy": screen}
        DEFAULT_MODE = "toy"

    return Toy(data_dir=root, **options)


class TestThePaletteAndControlC:
    async def test_a_row_for_each_action_with_its_key_at_the_right(self, tmp_path: Path) -> None:
        async with app_of(ListScreen, tmp_path).run_test(size=(60, 20)) as pilot:
            await pilot.press("ctrl+p")
            await pilot.pause()
            while "Delete it" not in text(pilot):
                await pilot.pause(0.01)
            printed = [" ".join(row.split()) for row in rows(pilot)]
            assert any("Delete it d " in row for row in printed) and any("One less [" in row for row in printed)
            assert text(pilot).isascii() or not {*text(pilot)} & set("🔎▔▁━┃")
            await pilot.press(*"delet", "enter")
            await pilot.pause()
            await pilot.press("enter")
            assert "Deleted." in text(pilot)

    @pytest.mark.parametrize(("keys", "told"), [("", "Press q to quit."), ("colon", "Press Esc to close this")])
    async def test_ctrl_c_names_the_key_that_quits(self, tmp_path: Path, keys: str, told: str) -> None:
        async with app_of(ListScreen, tmp_path).run_test(size=(60, 20)) as pilot:
            await pilot.press(*keys.split(), "ctrl+c")
            await pilot.pause()
            assert told in text(pilot) and "Do you want" not in text(pilot)


class TestLists:
    async def test_columns_heading_and_frame(self, tmp_path: Path) -> None:
        async with app_of(ListScreen, tmp_path).run_test(size=(60, 12)) as pilot:
            await pilot.pause()
            printed = rows(pilot)
            assert printed[0].startswith(" Toys ▸ all of them  1 Expl  2 Lib")
            assert printed[1] == " Title" + " " * 50 + "hint"
            assert printed[2] == " a long label that must gi… 12" + " " * 25 + "right"
            assert printed[3] == "Things ↓" + " " * 45 + "counted"
            assert [row.strip() for row in printed[4:7]] == ["Heading", "▸item 0     win", "item 1     win"]
            assert printed[-1] == " : type  d delete  [ ] turn  G Morris" + " " * 16 + "? help"

    @pytest.mark.parametrize(
        ("keys", "at"),
        [("j j", 2), ("down k", 0), ("end", 39), ("end up", 38), ("pagedown", 10), ("pagedown pageup", 0), ("k", 0)],
    )
    async def test_the_cursor_walks_and_stays_in_sight(self, tmp_path: Path, keys: str, at: int) -> None:
        async with app_of(ListScreen, tmp_path).run_test(size=(60, 12)) as pilot:
            await pilot.press(*keys.split(), "enter")
            await pilot.pause()
            assert f"▸item {at} " in "\n".join(within(pilot, "#list"))
            assert f"Chosen: k{at}" in text(pilot)

    async def test_a_prompt_prefers_the_screen_to_names_of_actions(self, tmp_path: Path) -> None:
        async with app_of(ListScreen, tmp_path).run_test(size=(60, 12)) as pilot:
            await type_in(pilot, "wrong")
            assert "type something else" in text(pilot)
            await pilot.press("escape")
            await type_in(pilot, "delete it")
            assert "Typed delete it." in text(pilot), "the screen's own meaning comes first"

    async def test_a_click_points_and_a_second_one_chooses(self, tmp_path: Path) -> None:
        async with app_of(ListScreen, tmp_path).run_test(size=(60, 12)) as pilot:
            await pilot.click("#list", offset=(5, 4))
            await pilot.pause()
            assert "▸item 2" in text(pilot) and "Chosen" not in text(pilot)
            await pilot.click("#list", offset=(5, 4))
            await pilot.pause()
            assert "Chosen: k2" in text(pilot)


class TestAsking:
    async def test_a_refused_text_can_be_corrected(self, tmp_path: Path) -> None:
        async with app_of(ListScreen, tmp_path).run_test(size=(60, 12)) as pilot:
            await type_in(pilot, "wrong")
            assert rows(pilot)[-1].startswith(" : wrong") and "That is wrong" in text(pilot)
            await pilot.press("ctrl+u", "d", "tab", "colon", "enter")
            await pilot.pause()
            assert "Typed d:" in text(pilot) and rows(pilot)[-1].startswith(" : type")

    async def test_a_burst_of_keys_is_run_in_its_order(self, tmp_path: Path) -> None:
        async with app_of(ListScreen, tmp_path).run_test(size=(60, 12)) as pilot:
            await type_in(pilot, "wrong")
            letters = {"d": "d", "x": "x", "e": "e"}
            for key in ("ctrl+u", "d", "x", "backspace", "e", "enter"):
                pilot.app.post_message(events.Key(key, letters.get(key)))  # press() would wait after each of them
            await pilot.pause()
            assert "Typed de" in text(pilot) and rows(pilot)[-1].startswith(" : type")

    async def test_escape_and_blur_close_the_prompt(self, tmp_path: Path) -> None:
        async with app_of(ListScreen, tmp_path).run_test(size=(60, 12)) as pilot:
            await pilot.press("colon", "x", "escape", "j")
            await pilot.pause()
            assert rows(pilot)[-1].startswith(" : type") and "▸item 1" in text(pilot)
            await pilot.press("colon")
            await pilot.click("#list", offset=(5, 6))
            await pilot.pause()
            assert rows(pilot)[-1].startswith(" : type")

    async def test_a_question_is_answered_or_not(self, tmp_path: Path) -> None:
        async with app_of(ListScreen, tmp_path).run_test(size=(60, 12)) as pilot:
            await pilot.press("d")
            await pilot.pause()
            assert rows(pilot)[-1] == " Delete it?" + " " * 30 + "Enter yes  Esc no"
            await pilot.press("j")
            await pilot.pause()
            assert "▸item 0" in text(pilot) and "Deleted" not in text(pilot)
            await pilot.press("d", "enter")
            await pilot.pause()
            assert "Deleted" in text(pilot)

    async def test_a_key_that_opens_a_prompt_works_during_a_question(self, tmp_path: Path) -> None:
        async with app_of(ListScreen, tmp_path).run_test(size=(60, 12)) as pilot:
            await pilot.press("d", "colon", "d", "o", "enter")
            await pilot.pause()
            assert "Typed do" in text(pilot)


class TestMoves:
    async def test_an_illegal_move_is_refused(self, tmp_path: Path) -> None:
        async with app_of(MovesScreen, tmp_path).run_test(size=(80, 24)) as pilot:
            await pilot.press("up", "enter")
            await pilot.pause()
            assert "White is to move: pick one of White's pieces." in text(pilot)
            await pilot.press("down", "enter", "down", "enter")
            await pilot.pause()
            assert "E7e6 is not a legal move." in text(pilot)

    async def test_the_board_is_turned_and_is_as_large_as_fits(self, tmp_path: Path) -> None:
        async with app_of(MovesScreen, tmp_path).run_test(size=(80, 24)) as pilot:
            board = within(pilot, "#board")
            assert len(board) == 18 and len(board[-1].strip()) == 29 and board[-1].split() == list("abcdefgh")
            pilot.app.screen.action_flip()  # type: ignore[attr-defined]
            await pilot.pause()
            assert within(pilot, "#board")[-1].split() == list("hgfedcba")
            await pilot.resize_terminal(40, 20)
            await pilot.pause()
            assert len(within(pilot, "#board")[-1]) < 40

    async def test_the_game_is_changed(self, tmp_path: Path) -> None:
        async with app_of(MovesScreen, tmp_path).run_test(size=(80, 24)) as pilot:
            await pilot.press("G")
            await pilot.pause()
            assert within(pilot, "#board")[-1].split() == list("abcdefg")
            await pilot.press("G")
            await pilot.pause()
            assert within(pilot, "#board")[-1].split() == list("abcdefgh")

    @pytest.mark.slow
    @pytest.mark.parametrize("keys", ["4", "5", "32", "12"])
    async def test_the_game_is_changed_from_any_screen_and_size(self, tmp_path: Path, keys: str) -> None:
        async with EndgameApp(data_dir=tmp_path).run_test(size=(80, 24)) as pilot:
            await pilot.press(*keys, "G")
            await pilot.resize_terminal(120, 40)
            await pilot.press(*keys)
            await pilot.pause()
            assert pilot.app.is_running and "Nine Men" in rows(pilot)[0]
            await pilot.press("G", "1")
            await pilot.pause()
            assert within(pilot, "#board")[-1].split() == list("abcdefgh")

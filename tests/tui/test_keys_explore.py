"""Every key of the Explore screen, with both boards."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from textual.events import Key, MouseScrollDown

from endgame_core.tables.explorer import Explorer
from endgame_core.tables.library import Library
from endgame_core.words.missing_tables import not_built
from endgame_core.words.tables import price
from endgame_tui.app import EndgameApp
from endgame_tui.screens import explore
from tests.conftest import fast

from .key_walk import (
    MILL,
    START,
    crumbs,
    panel_text,
    place,
    position,
    printed_moves,
    question_text,
    type_and_wait,
    walking,
)
from .terminal_text import message_text, press, rows, settle, text, within

Stones = Explorer[Any, Any]
GAMES = ("chess", "stones")
LOWER = {"chess": "S18", "stones": "S24"}
both = pytest.mark.parametrize("game", fast(GAMES))
FIRST = {"chess": START, "stones": MILL}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "empty"


@pytest.fixture
def home(root: Path, game: str, morris: Stones) -> Path:
    """A data directory for a game: with chess the starter tables do."""
    return morris.library.root if game == "stones" else root


async def test_a_first_launch_shows_the_longest_win_of_kqvk(root: Path) -> None:
    async with walking(root) as pilot:
        assert position(pilot) == START and crumbs(pilot) == ["KQvK", "White wins", "S19", "1/1"]


@both
class TestWalking:
    @pytest.mark.slow
    async def test_full_stop_plays_the_best_move_and_u_takes_it_back(self, home: Path, game: str) -> None:
        first, second = {"chess": ("S18", "S17"), "stones": ("S24", "S23")}[game]
        async with walking(home, FIRST[game]) as pilot:
            await press(pilot, "full_stop", "full_stop")
            assert place(pilot)[2] == second
            await press(pilot, "u")
            assert place(pilot)[2] == first
            await press(pilot, "u")
            assert not message_text(pilot)
            await press(pilot, "u")
            assert position(pilot) == FIRST[game] and message_text(pilot)
            await press(pilot, "U", "U", "U")
            assert place(pilot)[2] == second and message_text(pilot)

    @pytest.mark.slow
    async def test_best_moves_lead_to_the_end_of_the_game(self, home: Path, game: str) -> None:
        async with walking(home, {"chess": START, "stones": "3-3"}[game]) as pilot:
            await type_and_wait(pilot, "S1")
            await press(pilot, "full_stop")
            over = {"chess": "checkmate", "stones": "has lost"}[game]
            assert over in panel_text(pilot, "verdict")
            end = position(pilot)
            await press(pilot, "full_stop")
            assert message_text(pilot) and position(pilot) == end

    async def test_brackets_walk_layers_and_n_and_p_positions(self, home: Path, game: str) -> None:
        near, here = {"chess": ("S18", "S19"), "stones": ("S24", "S25")}[game]
        async with walking(home, FIRST[game]) as pilot:
            await press(pilot, "left_square_bracket")
            assert place(pilot)[2] == near
            await press(pilot, "n")
            assert crumbs(pilot)[3].startswith("2/")
            await press(pilot, "p", "right_square_bracket")
            assert crumbs(pilot)[2] == here and crumbs(pilot)[3].startswith("1/")
            await press(pilot, "r")
            assert place(pilot)[2] == here

    async def test_w_walks_wins_losses_and_draws_in_a_circle(self, home: Path, game: str) -> None:
        async with walking(home, {"chess": START, "stones": "4-3"}[game]) as pilot:
            seen: set[str] = set()
            for _ in range(3):
                seen.add(place(pilot)[1])
                await press(pilot, "w")
            assert "draws" in seen and len(seen) == {"chess": 2, "stones": 3}[game]

    async def test_arrows_in_the_layers_panel_change_the_layer(self, home: Path, game: str) -> None:
        async with walking(home, FIRST[game]) as pilot:
            await press(pilot, *["tab"] * {"chess": 1, "stones": 2}[game], "up")
            assert place(pilot)[2] == {"chess": "S18", "stones": "S24"}[game]
            await press(pilot, "end", "home")
            printed_moves = within(pilot, "#layers")
            assert any(row.startswith("▸S") for row in printed_moves)

    async def test_m_goes_to_the_list_of_moves(self, home: Path, game: str) -> None:
        async with walking(home, FIRST[game]) as pilot:
            await press(pilot, "m", "right", "enter")
            played = {"chess": "5k1K", "stones": ""}[game]
            assert position(pilot) != FIRST[game] and (game == "stones" or "7K" not in position(pilot)), played
            await press(pilot, "u", "m")
            assert pilot.app.focused is pilot.app.screen.query_one("#board")

    async def test_b_walks_to_a_previous_position(self, home: Path, game: str) -> None:
        async with walking(home, FIRST[game]) as pilot:
            farther = {"chess": "S20", "stones": "S26"}[game]
            assert farther in panel_text(pilot, "before")
            await press(pilot, "b", "enter")
            assert place(pilot)[2] == farther
            await press(pilot, "u", "b", "down", "right", "escape")
            assert position(pilot) == FIRST[game]

    async def test_f_turns_the_board_and_c_copies_the_position(self, home: Path, game: str) -> None:
        async with walking(home, FIRST[game]) as pilot:
            upright = within(pilot, "#board")
            await press(pilot, "f")
            assert within(pilot, "#board") != upright
            await press(pilot, "c")
            assert pilot.app.clipboard == FIRST[game]
            assert message_text(pilot)

    @pytest.mark.slow
    async def test_autoplay_runs_and_stops(self, home: Path, game: str, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(explore.AUTOPLAY, "default", 0.01)
        async with walking(home, FIRST[game]) as pilot:
            await pilot.press("a")
            over = {"chess": "checkmate", "stones": "has lost"}[game]
            while over not in panel_text(pilot, "verdict"):
                await pilot.pause(0.02)
            await press(pilot, "u", "u", "u")
            monkeypatch.setattr(explore.AUTOPLAY, "default", 100)
            before = position(pilot)
            await press(pilot, "a", "a")
            assert message_text(pilot) and position(pilot) == before

    @pytest.mark.slow
    async def test_small_screens_fold_their_panels(self, home: Path, game: str) -> None:
        async with walking(home, FIRST[game], (40, 20)) as pilot:
            assert within(pilot, "#board") and not within(pilot, "#before")
            await press(pilot, "m")
            assert pilot.app.focused is pilot.app.screen.query_one("#moves") and not within(pilot, "#board")
            await press(pilot, "m", "b")
            assert within(pilot, "#before") and not within(pilot, "#moves")
            await press(pilot, "escape", "m", "enter")
            assert within(pilot, "#moves") and {"chess": "S18", "stones": "S24"}[game] in rows(pilot)[0]
            await press(pilot, "escape")
            assert within(pilot, "#board")

    @pytest.mark.slow
    async def test_resizing_keeps_the_place(self, home: Path, game: str) -> None:
        async with walking(home, FIRST[game]) as pilot:
            for size in ((120, 40), (40, 20), (20, 8), (200, 60), (120, 36)):
                await pilot.resize_terminal(*size)
                await press(pilot, "full_stop", "u")
            assert position(pilot) == FIRST[game]

    async def test_s_sends_the_position_to_play(self, home: Path, game: str) -> None:
        async with walking(home, FIRST[game]) as pilot:
            await press(pilot, "s")
            assert pilot.app.current_mode.endswith("play")

    @pytest.mark.slow
    async def test_commands_are_typed_by_their_names(self, home: Path, game: str) -> None:
        async with walking(home, FIRST[game]) as pilot:
            for name, seen, *back in (
                ("Random position", "S"), ("undo", "S"), ("DARK", "S"), ("light", "S"), ("theme", "S"),
                ("library", "all endings", "1"), ("help", "Help", "escape"),
            ):  # fmt: skip
                await type_and_wait(pilot, name)
                assert seen in rows(pilot)[0], name
                assert "cannot" not in text(pilot) and "no legal" not in text(pilot), name
                await press(pilot, *back)
                assert place(pilot)[2].startswith("S"), name
                if theme := {"DARK": "dark", "light": "light", "theme": "dark"}.get(name):
                    assert pilot.app.theme == f"endgame-{theme}", name

    @pytest.mark.slow
    async def test_the_last_row_and_the_breadcrumb_are_clicked(self, home: Path, game: str) -> None:
        async with walking(home, FIRST[game], (80, 24)) as pilot:

            async def click(words: str, row: int) -> None:
                await pilot.click(offset=(rows(pilot)[row].index(words), row))
                await settle(pilot)

            here, layer = {"chess": 19, "stones": 25}[game], lambda: [c for c in crumbs(pilot) if c[:1] == "S"]
            await click("] layer", 23)
            assert layer() == [f"S{here + 1}"]
            await click("[ ]", 23)
            assert layer() == [f"S{here}"]
            await click(". best", 23)
            assert layer() == [f"S{here - 1}"]
            await click("undo", 23)
            assert layer() == [f"S{here}"]
            await click(f"S{here}", 0)
            assert "Go to" in rows(pilot)[-1]
            await press(pilot, "escape")
            await click("? help", 23)
            await click("what you see", 0)
            await click(crumbs(pilot)[0], 0)
            assert "all endings" in rows(pilot)[0]

    async def test_the_wheel_scrolls_the_panel_under_it(self, home: Path, game: str) -> None:
        async with walking(home, {"chess": "8/8/8/3k4/8/8/8/1K2Q3 w - - 0 1"}.get(game, "3-4"), (80, 24)) as pilot:
            before, y = within(pilot, "#moves"), pilot.app.screen.query_one("#moves").region.y
            x = pilot.app.screen.query_one("#moves").region.x
            turned = [MouseScrollDown]
            await pilot._post_mouse_events(turned, offset=(x + 2, y + 2))  # pyright: ignore[reportPrivateUsage]
            await settle(pilot)
            assert within(pilot, "#moves") != before

    async def test_quit_can_be_typed(self, home: Path, game: str) -> None:
        async with walking(home, FIRST[game]) as pilot:
            await type_and_wait(pilot, "quit")
            assert pilot.app._exit  # pyright: ignore[reportPrivateUsage]

    @pytest.mark.slow
    async def test_a_capital_letter_or_a_file_opens_the_prompt(self, home: Path, game: str) -> None:
        async with walking(home, FIRST[game]) as pilot:
            await press(pilot, *LOWER[game], "enter")
            assert place(pilot)[2] == LOWER[game]
            await press(pilot, "e")
            assert panel_text(pilot, "prompt")[:3].split() == [":", "e"]
            await press(pilot, "escape", "C" if game == "chess" else "U")
            assert ": C" not in "".join(within(pilot, "#prompt"))

    async def test_all_moves_are_shown_on_a_usual_screen(self, home: Path, game: str) -> None:
        async with walking(home, {"chess": "8/8/8/3k4/8/8/8/1K2Q3 w - - 0 1"}.get(game, "3-4"), (80, 24)) as pilot:
            count = int(within(pilot, "#moves")[0].split()[-1])
            assert len(printed_moves(pilot)) < count
            await press(pilot, "m")
            assert len(printed_moves(pilot)) == count
            await press(pilot, "m")
            assert len(printed_moves(pilot)) < count and within(pilot, "#layers")

    async def test_refused_text_stays_in_the_prompt_until_it_is_replaced(self, home: Path, game: str) -> None:
        async with walking(home, FIRST[game]) as pilot:
            await type_and_wait(pilot, "")
            assert not message_text(pilot) and not panel_text(pilot, "prompt") and position(pilot) == FIRST[game]
            wrong = {"chess": "Qz9", "stones": "a1-b2"}[game]
            for answer in (("escape",), (*LOWER[game], "enter")):
                await type_and_wait(pilot, wrong)
                assert message_text(pilot) and wrong in panel_text(pilot, "prompt") and position(pilot) == FIRST[game]
                await press(pilot, *answer)
                assert not message_text(pilot) and not panel_text(pilot, "prompt")
            assert place(pilot)[2] == LOWER[game]

    async def test_clicks_choose_layers_and_copy_the_fen(self, home: Path, game: str) -> None:
        async with walking(home, FIRST[game]) as pilot:
            top = next(y for y, row in enumerate(within(pilot, "#layers")) if row.startswith("▸"))
            await pilot.click("#layers", offset=(2, top - 1))
            await settle(pilot)
            assert place(pilot)[2] == {"chess": "S18", "stones": "S24"}[game]
            await pilot.click("#fen", offset=(2, 0))
            assert message_text(pilot).startswith("Copied")


class TestChessBoard:
    async def test_the_cursor_picks_and_drops(self, root: Path) -> None:
        async with walking(root) as pilot:
            await press(pilot, "enter", "left", "left", "h", "h", "enter")
            assert position(pilot).startswith("7K/2Q5")
            await press(pilot, "u", "enter", "escape")
            assert position(pilot) == START

    async def test_an_illegal_move_is_refused(self, root: Path) -> None:
        async with walking(root) as pilot:
            await press(pilot, "enter", "down", "left", "left", "enter")
            illegal = message_text(pilot)
            assert "e6" in illegal and position(pilot) == START
            await press(pilot, "enter")
            assert message_text(pilot) not in ("", illegal), "nothing stands on e6"

    async def test_the_mouse_moves_a_piece(self, root: Path) -> None:
        async with walking(root, size=(80, 24)) as pilot:
            await pilot.click("#board", offset=(3 + 4 * 6 + 1, 3))
            await pilot.click("#board", offset=(3 + 4 * 6 + 1, 1))
            await settle(pilot)
            assert position(pilot).startswith("6QK/8")

    async def test_tab_reaches_every_panel_and_comes_back(self, root: Path) -> None:
        async with walking(root) as pilot:
            seen: list[str | None] = []
            for _ in range(8):
                seen.append(pilot.app.focused.id if pilot.app.focused else None)
                await press(pilot, "tab")
            assert {"board", "layers", "moves", "before"} == set(seen) and seen[:4] == seen[4:]


class TestStones:
    @pytest.fixture
    def root(self, morris: Stones) -> Path:
        return morris.library.root

    async def test_a_mill_is_played_by_stone_point_and_capture(self, root: Path) -> None:
        async with walking(root, MILL) as pilot:
            await press(pilot, "enter", "right", "down", "enter")
            printed_moves = [row.replace("─", "").split() for row in panel_text(pilot, "takes").split("\n")]
            assert printed_moves[0] == ["Take", "c4-e3"] and printed_moves[1][:2] == ["▸×d6", "S24"]
            assert printed_moves[2:] == [["×a1", "S3", "loses"], ["×c5", "S3", "loses"], ["×f2", "S3", "loses"]]
            assert crumbs(pilot)[-1] == "after c4-e3"
            assert "Enter take" in rows(pilot)[-1] and "Esc other move" in rows(pilot)[-1]
            await press(pilot, "enter")
            assert place(pilot) == ("3-3", "White wins", "S24") and not within(pilot, "#takes")

    async def test_the_begun_move_is_named_in_full_on_small_screens(self, root: Path) -> None:
        async with walking(root, MILL, size=(40, 20)) as pilot:
            await press(pilot, "enter", "right", "down", "enter")
            assert rows(pilot)[0].startswith(" c4-e3 ")

    async def test_escape_undoes_one_step_of_a_move(self, root: Path) -> None:
        async with walking(root, MILL) as pilot:
            await press(pilot, "enter", "right", "down", "enter", "escape")
            assert not within(pilot, "#takes") and "after" not in crumbs(pilot)[-1]
            await press(pilot, "escape", "enter")
            assert message_text(pilot) and not within(pilot, "#takes")

    @pytest.mark.slow
    async def test_the_take_panel_chooses_the_captured_stone(self, root: Path) -> None:
        async with walking(root, MILL) as pilot:
            await type_and_wait(pilot, "c4-e3")
            await press(pilot, "tab", "down", "down")
            assert "▸×c5" in panel_text(pilot, "takes")
            await press(pilot, "enter")
            assert place(pilot) == ("3-3", "Black wins", "S3") and pilot.app.focused is not None
            assert pilot.app.focused.id == "board"

    @pytest.mark.slow
    async def test_a_click_chooses_the_stone_to_take(self, root: Path) -> None:
        async with walking(root, MILL, (80, 24)) as pilot:
            for x, y in ((3 + 3 + 12, 9), (3 + 3 + 24, 12)):
                await pilot.click("#board", offset=(x, y))
            await pilot.click("#takes", offset=(3, 1))
            await settle(pilot)
            assert place(pilot)[2] == "S24"

    async def test_the_stone_to_take_can_be_typed(self, root: Path) -> None:
        async with walking(root, MILL) as pilot:
            await type_and_wait(pilot, "c4-e3")
            await type_and_wait(pilot, "xd6")
            assert place(pilot)[2] == "S24"

    async def test_a_half_chosen_move_survives_the_end_of_a_build(self, root: Path) -> None:
        async with walking(root, MILL) as pilot:
            await press(pilot, "enter", "right", "down", "enter")
            pilot.app.screen.tables_changed()  # type: ignore[attr-defined]
            await settle(pilot)
            assert len(within(pilot, "#takes")) == 5

    @pytest.mark.slow
    @pytest.mark.parametrize("width", [40, 80, 120])
    async def test_stones_in_hand_are_sent_to_play(self, root: Path, width: int) -> None:
        async with walking(root, "8/8/8 w 9-9", (width, 30)) as pilot:
            assert panel_text(pilot, "reason").split()
            if width > 40:
                assert "no table" in panel_text(pilot, "moves") and "press s" in panel_text(pilot, "moves")
                assert panel_text(pilot, "layers", "before").count("placing phase") == 2
            await press(pilot, "s")
            assert pilot.app.current_mode.endswith("play")

    async def test_the_ending_stays_on_the_smallest_screens(self, root: Path) -> None:
        async with walking(root, MILL, (40, 20)) as pilot:
            await type_and_wait(pilot, "S25/29641")
            assert rows(pilot)[0].startswith(" 3-4 S25   1 2 3 4 5 ") and "/" not in rows(pilot)[0]

    @pytest.mark.parametrize("key", ["b", "m"])
    async def test_the_focus_is_seen_without_colours(
        self, root: Path, key: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("NO_COLOR", "1")
        async with walking(root, MILL) as pilot:
            await press(pilot, key)
            panels: list[Any] = [pilot.app.screen.query_one(f"#{name}") for name in ("moves", "before", "layers")]
            marked = [p.id for p in panels if any(s.style and s.style.reverse for s in p.render_line(0))]
            assert marked == ["before" if key == "b" else "moves"]


class TestGames:
    @pytest.mark.slow
    async def test_the_key_changes_the_game_and_each_keeps_its_place(self, morris: Stones) -> None:
        async with walking(morris.library.root) as pilot:
            await press(pilot, "full_stop", "G")
            assert rows(pilot)[0].startswith(" Nine Men’s Morris ▸ 3-3") and "wins in 25 plies" in text(pilot)
            await press(pilot, "full_stop", "G")
            assert place(pilot)[::2] == ("KQvK", "S18")
            await press(pilot, "G")
            assert place(pilot)[::2] == ("3-3", "S24")

    @pytest.mark.slow
    async def test_typed_text_may_change_the_game(self, morris: Stones) -> None:
        async with walking(morris.library.root) as pilot:
            await type_and_wait(pilot, "3-4")
            assert place(pilot) == ("3-4", "White wins", "S33")
            await type_and_wait(pilot, "KQvK")
            assert place(pilot) == ("KQvK", "White wins", "S19")


class TestBuilding:
    @pytest.mark.parametrize("wanted", fast(["KBvK", "3-5"]))
    async def test_a_missing_table_is_offered_built_and_opened(self, root: Path, wanted: str) -> None:
        async with walking(root) as pilot:
            await type_and_wait(pilot, wanted)
            assert "build" in question_text(pilot)
            await pilot.press("enter")
            while pilot.app.jobs.job is not None:  # type: ignore[attr-defined]
                await settle(pilot)
            await settle(pilot)
            assert place(pilot)[0] == {"3-5": "5-3"}.get(wanted, wanted) and "is built" in message_text(pilot)

    @pytest.mark.slow
    async def test_an_ending_on_the_command_line_is_opened(
        self, root: Path, library: Library, dtz_library: Library, tmp_path: Path
    ) -> None:
        for name, ending in (("KQvKR", "KQvKR"), ("krkq", "KQvKR"), ("KNNvK", "KNNvK")):
            async with walking(library.root, name) as pilot:
                assert place(pilot)[0] == ending and "DTM layers" in text(pilot)
                await press(pilot, "u")
                assert "started" in message_text(pilot)
        tables = tmp_path / "zeroing" / "tables"
        tables.mkdir(parents=True)
        for path in dtz_library.directory.glob("*.dtz.egt"):
            (tables / path.name).symlink_to(path)
        async with walking(tables.parent, "KQvKR") as pilot:
            assert place(pilot)[0] == "KQvKR" and "DTZ layers" in text(pilot)
        async with walking(root, "KQvKR") as pilot:
            assert position(pilot) == START and "KQvKR" in question_text(pilot)

    async def test_a_newcomer_sees_layers_of_stones_at_once(self, root: Path) -> None:
        """The starter tables are there before anything is built."""
        async with walking(root, "3-4") as pilot:
            assert place(pilot) == ("3-4", "White wins", "S33") and not question_text(pilot)

    async def test_moves_can_be_made_without_a_table(self, root: Path) -> None:
        more = "6X1/1X2X1X1/X4OOO w"
        async with walking(root, more) as pilot:
            assert question_text(pilot)
            await press(pilot, "escape", "enter", "right", "enter")
            assert position(pilot) != more

    async def test_panels_name_the_missing_table(self, root: Path) -> None:
        async with walking(root, "8/8/8/8/3k4/7r/7Q/K7 w") as pilot:
            await press(pilot, "escape", "b")
            assert not_built("KQvKR") in " ".join(panel_text(pilot, "before").split()) and not question_text(pilot)
            await press(pilot, "a")
            assert "KQvKR" in question_text(pilot)

    @pytest.mark.parametrize("width", [40, 80, 120])
    async def test_the_build_question_shows_time_and_size(self, root: Path, width: int) -> None:
        async with walking(root, "9-9", (width, 24)) as pilot:
            cost = price(pilot.app.lab.library("depth"), ["9-9"]).words.removeprefix("about ")  # type: ignore[attr-defined]
            assert (
                cost in question_text(pilot)
                and "Enter build" in question_text(pilot)
                and "Esc no" in question_text(pilot)
            )


class TestQuestions:
    """A question closes at any key; what is typed after : goes into the prompt, and never builds."""

    UNBUILT = "8/8/8/8/3k4/7r/7Q/K7 w"

    @pytest.mark.slow
    async def test_a_colon_opens_the_prompt(self, root: Path) -> None:
        async with walking(root, self.UNBUILT) as pilot:
            assert question_text(pilot)
            await press(pilot, *":7K/6Q1/8/8/2k5/8/8/8 w", "enter")
            assert position(pilot).startswith("7K/6Q1") and "x cancel" not in text(pilot)

    @pytest.mark.parametrize("key", ["g", "C"])
    async def test_other_keys_that_ask_for_text_open_the_prompt(self, root: Path, key: str) -> None:
        async with walking(root, self.UNBUILT) as pilot:
            await press(pilot, key, "1", "2")
            assert "12" in panel_text(pilot, "prompt") and "x cancel" not in text(pilot)

    async def test_any_other_key_means_no_and_nothing_else(self, root: Path) -> None:
        async with walking(root, self.UNBUILT) as pilot:
            before = position(pilot)
            for key in "fnr":
                if not question_text(pilot):
                    await press(pilot, "full_stop")
                assert question_text(pilot)
                await press(pilot, key)
                assert not question_text(pilot) and position(pilot) == before
            await press(pilot, "enter")
            assert "x cancel" not in text(pilot)


async def test_q_quits_with_status_0(root: Path) -> None:
    app = EndgameApp(None, root, ascii=False)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("q")
    assert app.return_code == 0


@pytest.mark.slow
async def test_previous_promotions_are_listed_and_captures_on_request(library: Library) -> None:
    async with walking(library.root, "Q6k/8/1K6/8/8/8/8/8 b - - 0 1") as pilot:
        assert "a7→a8=Q" in panel_text(pilot, "before") and "xR" not in panel_text(pilot, "before")
        await press(pilot, "t")
        assert "Qa2→a8xR" in panel_text(pilot, "before")
        await press(pilot, "b", "enter")
        assert place(pilot)[0] == "KQvKQ" and "x" not in panel_text(pilot, "before") and not message_text(pilot)
        await press(pilot, "u", "t", "t", "enter")
        assert position(pilot) == "7k/P7/1K6/8/8/8/8/8 w - - 0 1"


async def test_a_message_says_that_no_capture_leads_here(root: Path) -> None:
    async with walking(root) as pilot:
        await press(pilot, "t")
        assert message_text(pilot) and "x" not in panel_text(pilot, "before")
        await press(pilot, "t")
        assert not message_text(pilot)


@pytest.mark.slow
async def test_x_says_that_no_task_is_running(root: Path) -> None:
    async with walking(root) as pilot:
        for key in ("1", "2", "3", "4", "5"):
            await press(pilot, key, "x")
            assert message_text(pilot), key


@pytest.mark.parametrize("key", ["m", "b"])
async def test_a_panel_that_covers_the_board_names_the_key_back(root: Path, key: str) -> None:
    async with walking(root, size=(40, 20)) as pilot:
        assert "board" not in rows(pilot)[-1]
        await press(pilot, key)
        assert "Esc board" in rows(pilot)[-1]
        await press(pilot, "escape")
        assert "board" not in rows(pilot)[-1]


async def test_stones_have_no_promotions(morris: Stones) -> None:
    async with walking(morris.library.root, "OO1OOXXX/8/8 w", size=(80, 24)) as pilot:
        await press(pilot, "full_stop", "b")
        assert "promotion" not in text(pilot) and "mill" in panel_text(pilot, "before")


async def test_a_check_typed_in_one_burst_is_a_move(tmp_path: Path) -> None:
    async with walking(tmp_path, "8/8/8/3k4/8/8/8/K6R w - - 0 1") as pilot:
        for letter in "Rh5+":
            pilot.app.post_message(Key(letter if letter != "+" else "plus", letter))
        await settle(pilot)
        await settle(pilot)
        assert "Rh5+" in rows(pilot)[-1] and "Add to" not in text(pilot)
        await pilot.press("enter")
        await settle(pilot)
        assert position(pilot).startswith("8/8/8/3k3R/8/8/8/K7 b")


async def test_previous_positions_are_whole_in_ascii(explorer: Explorer[Any, Any]) -> None:
    app = EndgameApp(START, explorer.library.root, ascii=True)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        printed = within(pilot, "#before")
        arrows = [name for row in printed for name in row.split() if "->" in name]
        assert arrows and all(re.fullmatch(r"K[a-h][1-8]->[a-h][1-8]", name) for name in arrows)

"""Every key of the Practise screen in both games."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from endgame_core import paths
from endgame_core.practice.records import Attempt, Card, Outcome
from endgame_core.practice.studies import Studies
from endgame_core.practice.theme import parse_theme
from endgame_tui.app import EndgameApp

from . import seeded_journal
from .desk import Desk, at, both, find, here, own, stage, start
from .seeded_journal import DAY, NOW
from .terminal_text import message_text, rows, settle, text, type_in, within

ROOK = "8/8/8/3k4/8/8/8/K6R w - - 0 1"


def own_positions(desk: Desk) -> int:
    return sum(len(found.studies) for found in Studies(desk.explorer.game, paths.studies_dir(desk.root)).own())


@both
async def test_the_cursor_begins_at_what_to_learn_next_if_nothing_is_due(desk: Desk) -> None:
    async with desk.practise() as pilot:
        assert here(pilot).startswith("Learn next")
        assert "Nothing is due" in at(pilot, "header") and "Choose a drill" in rows(pilot)[0]
        await pilot.press("home", "enter")
        assert message_text(pilot) and here(pilot).startswith("Everything due")


async def test_the_cursor_begins_at_the_due_drills(chess: Desk) -> None:
    seeded_journal.seed(chess.root)
    async with chess.practise() as pilot:
        assert here(pilot).startswith("Everything due") and "3 due today" in at(pilot, "header")
        await pilot.press("enter")
        await settle(pilot)
        assert "1 of 3" in rows(pilot)[0]


@pytest.mark.slow
async def test_due_drills_of_the_other_game_are_announced(stones: Desk) -> None:
    journal = stones.kept()
    for theme, ending in (("3-4 call", "3-4"), ("3-3 call", "3-3"), ("KRvK call", "KRvK")):
        journal.keep(Card(theme=theme, ending=ending, label="win/draw/loss?", due=NOW - DAY))
    journal.close()
    async with stones.practise() as pilot:
        assert "2 due today" in at(pilot, "header") and re.search(r"1 in chess\W+G\b", at(pilot, "header"))
        assert "Nine Men’s Morris" in rows(pilot)[0]
        await pilot.press("G")
        await settle(pilot)
        assert "Nine Men’s Morris" not in rows(pilot)[0] and re.search(
            r"2 in Nine Men’s Morris\W+G\b", at(pilot, "header")
        )
        await pilot.press("G", "enter")
        await settle(pilot)
        for _ in range(2):
            await stones.answer(pilot)
            await pilot.press("enter")
            await settle(pilot)
        assert stage(pilot) == "summary"
        await pilot.press("5")
        await settle(pilot)
        assert "5 Prog" in rows(pilot)[0]


@both
async def test_the_cursor_walks_through_the_list(desk: Desk) -> None:
    async with desk.practise() as pilot:
        first = here(pilot)
        await pilot.press("down", "j")
        third = here(pilot)
        assert third != first
        await pilot.press("up", "k", "k")
        assert here(pilot).startswith("Everything due")
        await pilot.press("end")
        last = here(pilot)
        await pilot.press("pageup", "home", "pagedown")
        assert here(pilot) not in ("", first, last)


@pytest.mark.slow
@both
async def test_left_and_right_change_the_mode_of_the_row(desk: Desk) -> None:
    async with desk.practise((120, 40)) as pilot:
        await find(pilot, desk.win)
        meanings = {"hold the draw": "drawn, but some moves lose", "win/draw/loss?": "wins, draws and losses alike"}
        await pilot.press("right")
        assert "hold" in at(pilot, "setup") and meanings["hold the draw"] in text(pilot)
        await pilot.press("l")
        assert meanings["win/draw/loss?"] in at(pilot, "window")
        await pilot.press("right", "right")
        assert "three minutes" in " ".join(at(pilot, "facts").split())
        await pilot.press("right")
        assert "boards, " in at(pilot, "facts")
        await pilot.press("h", "l", "left")
        assert "questions and only moves" in at(pilot, "window")


@both
async def test_tab_goes_to_list_choices_and_layers(desk: Desk) -> None:
    async with desk.practise() as pilot:
        await find(pilot, desk.win)
        assert pilot.app.focused is not None and pilot.app.focused.id == "courses"
        for name in ("setup", "window", "courses"):
            await pilot.press("tab")
            assert pilot.app.focused is not None and pilot.app.focused.id == name
        await pilot.press("shift+tab")
        assert pilot.app.focused is not None and pilot.app.focused.id == "window"
        await pilot.press("escape")
        assert pilot.app.focused is not None and pilot.app.focused.id == "courses"


@both
async def test_arrows_change_the_choices_of_a_drill(desk: Desk) -> None:
    async with desk.practise() as pilot:
        await find(pilot, desk.win)
        await pilot.press("tab", "down", "right")
        assert message_text(pilot).lower().startswith("human: " if desk.stones is None else "tricky: ")
        assert "random, mirrored" in at(pilot, "setup")
        await pilot.press("down", "space")
        assert ("these colours" if desk.stones is None else "White to move") in at(pilot, "setup")
        await pilot.press("up", "up", "left")
        assert "questions and only moves" in at(pilot, "window")


@pytest.mark.slow
@both
async def test_level_and_goal_can_be_chosen(desk: Desk) -> None:
    journal, theme = desk.kept(), parse_theme("KRvK mate white 5-11" if desk.stones is None else "3-4 mate mover 9-19")
    for _ in range(3):
        attempt = Attempt(
            theme=theme.key, ending=theme.ending, mode="mate", start="", colour="white", goal="win",
            game=desk.explorer.game.name,
        )  # fmt: skip
        journal.finish(journal.begin(attempt), Outcome.SOLVED)
    journal.close()
    async with desk.practise() as pilot:
        await find(pilot, desk.win)
        assert "2 of 8, up to S" in at(pilot, "setup")
        await pilot.press("tab", "end")
        goals = ["win", "checkmate", "fewest moves"] if desk.stones is None else ["to the end", "in the fewest plies"]
        for goal in goals:
            assert f"Goal     ‹ {goal} ›" in at(pilot, "setup")
            await pilot.press("right")
        await pilot.press("up", "right")
        every = message_text(pilot)
        assert "‹ all 8 ›" in at(pilot, "setup") and every
        await pilot.press("left")
        assert message_text(pilot) not in ("", every)
        await pilot.press("enter")
        await settle(pilot)
        assert "Level" in at(pilot, "facts") and "2 of 8" in at(pilot, "facts")
        assert "Goal:" in at(pilot, "comment")
        await desk.solve(pilot)
        assert "Solved" in at(pilot, "facts") and "3 of 8" in at(pilot, "facts")
        assert "New level: 3 of 8." in " ".join(at(pilot, "comment").split())


@pytest.mark.slow
async def test_the_kind_of_only_moves_can_be_chosen(chess: Desk) -> None:
    async with chess.practise() as pilot:
        await find(pilot, "KPvKP")
        while "only move" not in at(pilot, "setup"):
            await pilot.press("right")
        await pilot.press("tab", "end", "right")
        assert "‹ a quiet move ›" in at(pilot, "setup") and "does not capture" in message_text(pilot)
        await pilot.press("right", "right")
        assert "‹ into zugzwang ›" in at(pilot, "setup") and "only move, zugzwang" in at(pilot, "setup")
        await pilot.press("left", "left", "enter")
        await settle(pilot)
        assert "KPvKP, a quiet move" in at(pilot, "title")
        await chess.make(pilot)
        assert "Solved" in at(pilot, "facts")
        (record,) = chess.kept().attempts()
        assert record.theme == "KPvKP only quiet" and record.label == "only move, quiet"


async def test_the_winning_side_can_be_chosen(chess: Desk) -> None:
    async with chess.practise() as pilot:
        await find(pilot, "KPvKP")
        assert "White wins" in at(pilot, "setup")
        await pilot.press("tab", "down", "right")
        assert "Black wins" in at(pilot, "setup") and "Black to move" in at(pilot, "window")


@pytest.mark.slow
async def test_the_winning_side_can_be_chosen_with_stones(stones: Desk) -> None:
    async with stones.practise() as pilot:
        await find(pilot, "3-4")
        assert "you to move" in at(pilot, "window") and "S9" in at(pilot, "window")
        await find(pilot, "4-3")
        assert "drawn" in at(pilot, "setup")
        await pilot.press("tab", "down", "right")
        assert "lost to the opponent" in at(pilot, "setup") and "hold out" in at(pilot, "setup")


@pytest.mark.slow
async def test_the_window_moves_and_widens(chess: Desk) -> None:
    async with chess.practise() as pilot:
        await find(pilot, "KRvK")
        assert "mate in 3–6" in at(pilot, "setup")
        await pilot.press("greater_than_sign")
        assert "mate in 3–7" in at(pilot, "setup")
        await pilot.press("less_than_sign", "less_than_sign", "tab", "tab", "right", "l", "left")
        assert "mate in 4–6" in at(pilot, "setup")
        await pilot.press("up", "down", "down", "home")
        assert "mate in 1–2" in at(pilot, "setup")
        await pilot.press("end")
        assert "mate in 15–16" in at(pilot, "setup")
        await pilot.press(*["greater_than_sign"] * 20)
        assert at(pilot, "setup").splitlines()[0].split() == ["KRvK", "win"]
        await pilot.press("enter")
        await settle(pilot)
        assert stage(pilot) == "drill"


@both
async def test_a_set_has_no_layers_to_choose_from(desk: Desk) -> None:
    async with desk.practise() as pilot:
        await pilot.press("greater_than_sign")
        assert "no layers" in message_text(pilot)


@pytest.mark.slow
@both
async def test_another_start_can_be_shown_and_sent(desk: Desk) -> None:
    async with desk.practise((120, 40)) as pilot:
        await find(pilot, desk.win)
        first = within(pilot, "#board")
        assert "Sample position" in at(pilot, "start")
        await pilot.press("n")
        assert within(pilot, "#board") != first
        await pilot.press("enter")
        await settle(pilot)
        begun = desk.explorer.game.format(await desk.position(pilot))
        await pilot.press("escape")
        await settle(pilot)
        await pilot.press("s")
        await settle(pilot)
        assert "1 Expl" in rows(pilot)[0] and begun
    async with desk.practise() as pilot:
        await pilot.press("n")
        assert "no single start" in message_text(pilot)
        await find(pilot, desk.win)
        await pilot.press("n")
        assert "Sample position: White " in message_text(pilot)


async def test_a_set_opens_and_closes(chess: Desk) -> None:
    async with chess.practise() as pilot:
        await pilot.press("down", "down")
        before = at(pilot, "courses")
        await pilot.press("space", "down")
        assert at(pilot, "courses") != before and "Task" in at(pilot, "facts") and "Goal" not in at(pilot, "facts")
        await pilot.press("space")
        assert "only a set" in message_text(pilot).lower()
        await pilot.press("up", "space", "down")
        assert here(pilot).startswith("King and pawn")


@pytest.mark.parametrize(
    ("typed", "name"),
    [("rook", "Rook endings"), ("lucena", "Lucena"), ("krk", "KRvK"), ("KNvKN", "KNvKN"), ("KBP", "KBPvK")],
)
async def test_typing_finds_a_theme(chess: Desk, typed: str, name: str) -> None:
    async with chess.practise() as pilot:
        await find(pilot, typed)
        assert here(pilot).startswith(name)


@both
async def test_a_search_without_matches_is_reported(desk: Desk) -> None:
    async with desk.practise() as pilot:
        before = here(pilot)
        await find(pilot, "zugzwang of the century")
        assert "no matches for" in message_text(pilot).lower()
        await pilot.press("escape")
        assert here(pilot) == before


@both
async def test_a_position_can_be_added_and_deleted(desk: Desk) -> None:
    async with desk.practise() as pilot:
        await type_in(pilot, desk.won, "plus")
        assert "My positions" in message_text(pilot) and own_positions(desk) == 1 and "Task" in at(pilot, "facts")
        await pilot.press("d", "n")
        assert own_positions(desk) == 1
        await pilot.press("d", "y")
        assert own_positions(desk) == 0 and "deleted" in message_text(pilot)


@pytest.mark.parametrize("typed", ["8/8/8 w", "nowhere.pgn", "4k3/8/8/8/8/8/8/R3K3 w Q - 0 1"])
async def test_an_invalid_position_is_refused(chess: Desk, typed: str) -> None:
    async with chess.practise() as pilot:
        await type_in(pilot, typed, "plus")
        assert message_text(pilot) and own_positions(chess) == 0


@both
async def test_a_file_is_imported_and_its_bad_lines_are_listed(desk: Desk, tmp_path: Path) -> None:
    good = ("8/8/8/3k4/8/8/8/K6R w - -", "8/8/8/2k5/8/8/8/K6Q w - -")
    file = tmp_path / "two.epd"
    if desk.stones is not None:
        good, file = ("OO1O4/X6X/X7 w", "OXOOXX2/8/8 w"), tmp_path / "two.txt"
    file.write_text("\n".join((*good, "rubbish\n")), "utf-8")
    async with desk.practise() as pilot:
        await type_in(pilot, str(file), "plus")
        assert "2 positions added" in message_text(pilot) and "1 skipped" in message_text(pilot)
        assert "Skipped: 1" in at(pilot, "facts") and "line 3" in at(pilot, "facts")
        await pilot.press("down", "up", "d", "y")
        assert own_positions(desk) == 0


@pytest.mark.slow
@both
async def test_an_own_position_is_drilled(desk: Desk) -> None:
    async with desk.practise() as pilot:
        await own(pilot, desk.won)
        await desk.solve(pilot)
        assert stage(pilot) == "over" and "Solved" in at(pilot, "facts")
        await pilot.press("enter", "enter")
        await settle(pilot)
        await pilot.press("d", "y")
        assert "deleted" in message_text(pilot)


async def test_shipped_sets_cannot_be_deleted(chess: Desk) -> None:
    async with chess.practise() as pilot:
        await pilot.press("d")
        assert "only your own" in message_text(pilot).lower()


@pytest.mark.slow
async def test_an_own_theme_stays_in_the_list_until_it_is_deleted(chess: Desk) -> None:
    async with chess.practise() as pilot:
        await start(pilot, "KNvKN")
        await pilot.press("i")
        await pilot.press("escape", "enter", "enter")
        await settle(pilot)
        assert here(pilot).startswith("KNvKN")
        await pilot.press("d")
        assert "Stop scheduling" in rows(pilot)[-1]
        await pilot.press("y")
        assert "KNvKN" not in at(pilot, "courses") and "no longer scheduled" in message_text(pilot)


@pytest.mark.slow
@both
async def test_a_missing_table_is_offered_with_its_price(desk: Desk) -> None:
    async with desk.practise() as pilot:
        await start(pilot, "KQPvKQ" if desk.stones is None else "7-4")
        assert "uild" in rows(pilot)[-1] and "no" in rows(pilot)[-1]
        await pilot.press("n")
        await find(pilot, "Queen" if desk.stones is None else "seven")
        assert "not built" in text(pilot) or "Not built" in text(pilot)
        await pilot.press("b")
        assert "uild" in rows(pilot)[-1] and "?" in rows(pilot)[-1]
        await pilot.press("escape")
        await find(pilot, desk.win)
        await pilot.press("b")
        assert "are built" in message_text(pilot)


async def test_on_the_smallest_screen_list_and_choices_take_turns(chess: Desk) -> None:
    async with chess.practise((40, 20)) as pilot:
        assert at(pilot, "courses") and not at(pilot, "setup")
        await pilot.press("tab")
        await pilot.pause()
        assert at(pilot, "setup") and not at(pilot, "courses")
        assert pilot.app.focused is not None and pilot.app.focused.id == "setup"
        await pilot.press("escape")
        await pilot.pause()
        assert at(pilot, "courses") and not at(pilot, "setup")


@pytest.mark.slow
async def test_clicks_choose_sets_and_choices(chess: Desk) -> None:
    async with chess.practise() as pilot:
        at_row = next(number for number, row in enumerate(within(pilot, "#courses")) if "Rook endings" in row)
        await pilot.click("#courses", offset=(6, at_row))
        assert here(pilot).startswith("Rook endings")
        await find(pilot, "KRvK")
        await pilot.click("#window", offset=(20, 3))
        assert "mate in 3–6" not in at(pilot, "setup")
        await pilot.click("#setup", offset=(12, 2))
        await pilot.click("#setup", offset=(12, 2))
        assert (
            "drawn, but some moves lose" in text(pilot)
            or "last" in at(pilot, "setup")
            or "win/draw/loss?" in at(pilot, "setup")
        )


@pytest.mark.slow
@both
async def test_practise_keeps_its_place_at_every_size(desk: Desk) -> None:
    async with desk.practise() as pilot:
        before = here(pilot)
        for size in ((120, 40), (40, 20), (20, 8), (200, 60), (80, 24)):
            await pilot.resize_terminal(*size)
            await pilot.pause()
            await pilot.press("down", "up", "tab", "escape", "f1", "escape")
        assert here(pilot).removesuffix(" ↑") == before  # rows above are out of sight


@pytest.mark.slow
async def test_at_120x40_a_set_shows_one_of_its_positions(chess: Desk) -> None:
    async with chess.practise((120, 40)) as pilot:
        await find(pilot, "King")
        assert "Sample position" in at(pilot, "start") and "♚" in at(pilot, "board")
        await pilot.press("s")
        await settle(pilot)
        assert rows(pilot)[0].split()[0].startswith("K")


@pytest.mark.slow
@both
async def test_only_a_position_of_the_set_is_called_its_first(desk: Desk) -> None:
    """The starts of a theme are drawn: what is shown is one of many."""
    async with desk.practise((120, 40)) as pilot:
        screen: Any = pilot.app.screen
        course = screen.practising.chooser.course
        for found in course.collections[:3]:
            await find(pilot, found.name)
            first = next((item for item in found.items if course.is_built(item)), None)
            drawn = first is not None and first.study is None
            assert ("Sample position" in at(pilot, "start")) is drawn
            assert drawn or "Its first position" not in at(pilot, "start") or found.positions


@pytest.mark.slow
async def test_at_120x40_a_missing_ending_shows_a_board_and_its_contents(tmp_path: Path) -> None:
    async with EndgameApp(None, tmp_path, ascii=False).run_test(size=(120, 40)) as pilot:
        await pilot.press("4")
        await settle(pilot)
        screen: Any = pilot.app.screen
        for name in [found.name for found in screen.practising.chooser.course.collections if found.positions]:
            await find(pilot, name)
            men = sum(at(pilot, "board").count(man) for man in "♚♛♜♝♞♟♔♕♖♗♘♙")
            assert men >= 2 and at(pilot, "start"), name
        await find(pilot, "Rook endings")
        assert "not built" in here(pilot) and "Its first position" in at(pilot, "start")
        assert "mate in" in at(pilot, "start") or "a draw" in at(pilot, "start")
        assert "Lucena" in at(pilot, "facts") and re.search(r"… \d+ more", at(pilot, "facts"))
        await pilot.press("s")
        await settle(pilot)
        assert rows(pilot)[0].split()[0].startswith("KR")


@pytest.mark.parametrize("size", [(120, 40), (80, 24), (40, 20)])
async def test_a_long_list_shows_that_it_continues(chess: Desk, size: tuple[int, int]) -> None:
    async with chess.practise(size) as pilot:
        await pilot.press("home")
        await pilot.pause()
        shown = within(pilot, "#courses")
        assert shown[-1].endswith(" ↓") and "↑" not in "".join(shown)
        await pilot.press("end")
        await pilot.pause()
        shown = within(pilot, "#courses")
        assert shown[0].endswith(" ↑") and "↓" not in "".join(shown)


async def test_a_start_is_drawn_once_the_table_is_built(chess: Desk) -> None:
    async with chess.practise() as pilot:
        await find(pilot, "Philidor: the third")
        await pilot.press("n")
        await pilot.pause()
        assert "KRPvKR" in rows(pilot)[-1] and "uild" in rows(pilot)[-1]
        await pilot.press("escape")
        await find(pilot, "Rook endings")  # many, of which one is drawn
        await pilot.press("n")
        assert "no single start" in message_text(pilot)


async def test_the_first_session_is_one_key_away_and_finds_the_level(chess: Desk) -> None:
    async with chess.practise() as pilot:
        await pilot.press("1", "N")
        await settle(pilot)
        assert here(pilot).startswith("Find your level") and "new" in here(pilot)
        await pilot.press("enter")
        await settle(pilot)
        for number in range(1, 11):
            assert f"{number} of 10" in rows(pilot)[0]
            drill = "Only move" in text(pilot)
            if drill:
                assert "hint" not in rows(pilot)[-1]
                await chess.make(pilot, worst=True)
            else:
                assert "win/draw/loss" in text(pilot).lower()
                await pilot.press("d", "y")
            await settle(pilot)
            assert "Your level" in text(pilot)
            await pilot.press("enter")
            await settle(pilot)
        assert "of 10 positions correct" in text(pilot) and "Your level" in text(pilot)
        await pilot.press("escape")
        await settle(pilot)
        assert "new" not in here(pilot)
        await pilot.press("1", "N")
        await settle(pilot)
        assert here(pilot).startswith("Learn next") and "±" in at(pilot, "facts")


async def test_the_path_of_stones_begins_with_the_basics_and_finds_the_level(stones: Desk) -> None:
    async with stones.practise() as pilot:
        await pilot.press("N")
        await settle(pilot)
        assert here(pilot).startswith("Learn next") and "Find your level" not in text(pilot)
        facts = " ".join(at(pilot, "facts").split())
        assert "your first drills will show it" in facts and facts.index("New") < facts.index("3-3 win")
        await pilot.press("enter")
        await settle(pilot)
        assert "1 of 3" in text(pilot) and "3-3" in text(pilot)

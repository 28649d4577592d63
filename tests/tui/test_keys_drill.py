"""Every key of the Drill screen in both games, with what is printed and what the journal stores."""

from __future__ import annotations

import random
import re
import sqlite3

import pytest

from endgame_core import paths
from endgame_core.controls import instruct
from endgame_core.morris.geometry import POINTS
from endgame_core.morris.notation import spell
from endgame_core.morris.rules import MorrisMove
from endgame_core.practice.drills import DrillMode, WinGoal
from endgame_core.practice.journal import Journal
from endgame_core.practice.records import Outcome
from endgame_core.practice.studies import Studies
from endgame_core.words import drill as drill_words

from .desk import Desk, at, both, find, frozen, here, own, stage, start, tick
from .terminal_text import message_text, rows, says, settle, text, type_in, within


@both
async def test_a_drill_is_solved_and_stored_move_by_move(desk: Desk) -> None:
    async with desk.practise() as pilot:
        await start(pilot, desk.win)
        assert stage(pilot) == "drill" and not desk.kept().attempts()
        assert ("Checkmate" if desk.stones is None else "Win ") in at(pilot, "title")
        assert ("mate in" if desk.stones is None else "win in") in at(pilot, "facts")
        await desk.make(pilot)
        (record,) = desk.kept().attempts()
        assert record.outcome is Outcome.OPEN and len(desk.kept().moves(record.uuid)) == 2
        await desk.solve(pilot)
        assert stage(pilot) == "over" and "Solved" in at(pilot, "facts") and "due in " in at(pilot, "facts")
        assert "perfect" in at(pilot, "comment")
        (record,) = desk.kept().attempts()
        assert record.outcome is Outcome.SOLVED and record.plies_lost == 0 and record.ending == desk.win
        assert desk.kept().card(record.theme) is not None
        end = await desk.position(pilot)
        await pilot.press("left", "left")
        assert await desk.position(pilot) != end
        await pilot.press("home", "end", "right")
        assert await desk.position(pilot) == end
        await pilot.press("enter")
        await settle(pilot)
        assert "2 of 10" in rows(pilot)[0] and stage(pilot) == "drill"


@pytest.mark.slow
@both
async def test_a_typed_move_is_played_or_refused(desk: Desk) -> None:
    async with desk.practise() as pilot:
        await start(pilot, desk.win)
        before = await desk.position(pilot)
        for typed in ("nonsense", "Qz9"):
            await type_in(pilot, typed)
            assert message_text(pilot)
            await pilot.press("escape")
            assert await desk.position(pilot) == before
        await desk.make(pilot)
        assert await desk.position(pilot) != before


@pytest.mark.slow
@both
async def test_each_step_of_a_hint_counts_and_enter_plays_the_move(desk: Desk) -> None:
    async with desk.practise() as pilot:
        await start(pilot, desk.win)
        steps = ("piece", "move") if desk.stones is None else ("move",)  # one stone alone can close a mill
        for hints, step in enumerate(steps, start=1):
            await pilot.press("i")
            assert at(pilot, "comment").startswith("Hint  ") and f"again shows the {step}." in at(pilot, "comment")
            assert desk.kept().attempts()[0].hints == hints
        await pilot.press("i", "i")
        hints = len(steps) + 1
        assert "again" not in at(pilot, "comment") and desk.kept().attempts()[0].hints == hints, "the last one is free"
        await pilot.press("enter")
        if "take" in message_text(pilot):
            await pilot.press("enter")
        await settle(pilot)
        assert "best" in at(pilot, "comment")
        await desk.solve(pilot)
        assert "Solved  ★☆☆" in at(pilot, "facts") and f"{hints} hints" in at(pilot, "comment")


@pytest.mark.slow
@both
async def test_a_drill_that_can_no_longer_be_solved_offers_a_copy(desk: Desk) -> None:
    async with desk.practise(goal=WinGoal.FEWEST) as pilot:
        await start(pilot, desk.win)
        assert "another" not in rows(pilot)[-1]
        await pilot.press("r")
        assert says(pilot, instruct(drill_words.NOT_YET)) and "1 of 10" in rows(pilot)[0]
        await pilot.press("i")
        assert "Not solved: 1 hint." in at(pilot, "comment")
        await pilot.press("r")
        await settle(pilot)
        assert "2 of 11" in rows(pilot)[0] and "another" not in rows(pilot)[-1] and not message_text(pilot)
        (record,) = desk.kept().attempts()
        assert record.outcome is Outcome.FAILED
        await desk.solve(pilot)
        assert "1 of 2 solved" in at(pilot, "ticks")


@pytest.mark.slow
async def test_a_small_screen_says_that_a_drill_can_no_longer_be_solved(chess: Desk) -> None:
    async with chess.practise((40, 20), goal=WinGoal.FEWEST) as pilot:
        await start(pilot, chess.win)
        await pilot.press("i")
        assert at(pilot, "comment").startswith("Hint ") and "another" in rows(pilot)[-1]
        await chess.make(pilot)
        assert at(pilot, "comment") == "Not solved: 1 hint"


@pytest.mark.slow
@both
async def test_a_takeback_counts_and_the_drill_continues(desk: Desk) -> None:
    async with desk.practise() as pilot:
        await start(pilot, desk.win)
        before = await desk.position(pilot)
        await pilot.press("u")
        assert message_text(pilot)
        await desk.make(pilot)
        await pilot.press("u")
        await settle(pilot)
        assert await desk.position(pilot) == before and desk.kept().attempts()[0].takebacks == 1
        assert "taken back" in at(pilot, "facts")


async def test_a_missed_drill_can_be_retried_and_stays_missed(chess: Desk) -> None:
    async with chess.practise() as pilot:
        await own(pilot, "7k/8/8/6K1/8/8/8/5Q2 w - - 0 1")
        before = await chess.position(pilot)
        await type_in(pilot, "Qf7")
        assert stage(pilot) == "over" and "stalemate" in at(pilot, "comment") and "r: retry" in at(pilot, "comment")
        await pilot.press("r")
        await settle(pilot)
        assert stage(pilot) == "drill" and await chess.position(pilot) == before
        while stage(pilot) == "drill":
            await chess.make(pilot)
        assert "Right this time" in at(pilot, "comment") and "Not solved" in at(pilot, "facts")
        assert chess.kept().attempts()[0].outcome is Outcome.FAILED


async def test_during_a_retry_enter_plays_and_n_continues(chess: Desk) -> None:
    async with chess.practise() as pilot:
        await own(pilot, "7k/8/8/6K1/8/8/8/5Q2 w - - 0 1")
        await type_in(pilot, "Qf7")
        await pilot.press("r")
        await settle(pilot)
        assert "n: next" in at(pilot, "comment") and "n next" in rows(pilot)[-1] and "(counts)" not in rows(pilot)[-1]
        await pilot.press("enter")
        assert stage(pilot) == "drill", "Enter picks a piece up"
        await pilot.press("escape", "n")
        await settle(pilot)
        assert stage(pilot) == "summary" and "1 drill, 0 solved" in at(pilot, "summary")


@pytest.mark.slow
@both
async def test_a_thrown_win_ends_the_drill_which_can_be_retried(desk: Desk) -> None:
    async with desk.practise() as pilot:
        await own(pilot, desk.won)
        while stage(pilot) == "drill":
            await desk.make(pilot, "draw", "loss")
        assert "Not solved" in at(pilot, "facts") and "win" in at(pilot, "comment")
        await pilot.press("w")
        assert at(pilot, "comment").startswith("Best")
        await pilot.press("w", "u")
        await settle(pilot)
        assert stage(pilot) == "drill"
        await desk.solve(pilot)
        assert desk.kept().attempts()[0].outcome is Outcome.FAILED
        await pilot.press("n")
        assert stage(pilot) == "summary" and "1 drill, 0 solved" in at(pilot, "summary")


@pytest.mark.slow
@both
async def test_w_gives_up_and_shows_the_solution(desk: Desk) -> None:
    async with desk.practise() as pilot:
        await start(pilot, desk.win)
        begun = await desk.position(pilot)
        await pilot.press("w", "n")
        assert stage(pilot) == "drill"
        await pilot.press("w", "enter")
        assert stage(pilot) == "over" and message_text(pilot)
        await pilot.press("home")
        assert await desk.position(pilot) == begun
        await pilot.press("end")
        assert desk.explorer.probe(await desk.position(pilot)).depth == 0
        assert desk.kept().attempts()[0].outcome is Outcome.FAILED
        await pilot.press("r")
        await settle(pilot)
        assert stage(pilot) == "drill" and "2 of 11" in rows(pilot)[0]


@pytest.mark.slow
@both
async def test_escape_records_only_a_drill_that_was_begun(desk: Desk) -> None:
    async with desk.practise() as pilot:
        await start(pilot, desk.win)
        await pilot.press("escape")
        await settle(pilot)
        assert here(pilot).startswith(desk.win) and not desk.kept().attempts()
        await pilot.press("enter")
        await settle(pilot)
        await desk.make(pilot)
        await pilot.press("escape", "n")
        assert stage(pilot) == "drill"
        await pilot.press("escape", "enter")
        await settle(pilot)
        assert stage(pilot) == "summary" and "1 drill, 0 solved" in at(pilot, "summary")
        (record,) = desk.kept().attempts()
        assert record.outcome is Outcome.FAILED and record.result == "left"
        await pilot.press("enter")
        await settle(pilot)
        assert here(pilot).startswith(desk.win)


@pytest.mark.slow
@both
async def test_positions_of_a_drill_can_be_flipped_copied_sent_and_added(desk: Desk) -> None:
    async with desk.practise() as pilot:
        await start(pilot, desk.win)
        before = within(pilot, "#board")
        await pilot.press("f")
        assert within(pilot, "#board") != before
        await pilot.press("f", "c")
        assert within(pilot, "#board") == before and pilot.app.clipboard in message_text(pilot)
        await pilot.press("s")
        assert says(pilot, instruct(drill_words.NOT_YET))
        await pilot.press("plus", "enter")
        await settle(pilot)
        study = Studies(desk.explorer.game, paths.studies_dir(desk.root)).own()[0].studies[0]
        assert desk.explorer.game.parse(study.position) == await desk.position(pilot)
        await pilot.press("w", "enter")
        await settle(pilot)
        men = within(pilot, "#board")
        await pilot.press("s")
        await settle(pilot)
        assert "1 Expl" in rows(pilot)[0]
        await pilot.press("4")
        await settle(pilot)
        assert stage(pilot) == "over" and within(pilot, "#board") == men


@pytest.mark.slow
@both
@pytest.mark.parametrize("right", [True, False])
async def test_w_d_and_l_answer_a_question_and_other_keys_do_not(desk: Desk, right: bool) -> None:
    async with desk.practise() as pilot:
        await start(pilot, desk.hold, "right")
        if stage(pilot) == "drill":  # where holding comes first, calling it is one mode further
            await pilot.press("escape", "right", "enter")
            await settle(pilot)
        assert stage(pilot) == "question" and "wins" in at(pilot, "asked")
        await pilot.press("i", "colon", "u", "y", "r")
        assert stage(pilot) == "question"
        await desk.answer(pilot, right)
        assert stage(pilot) == "over" and at(pilot, "comment").startswith("Right" if right else "No")
        await pilot.press("enter")
        await settle(pilot)
        await desk.answer(pilot)
        assert len(desk.kept().attempts()) == 2


@pytest.mark.slow
@both
async def test_the_only_move_is_found_by_playing_it(desk: Desk) -> None:
    async with desk.practise() as pilot:
        await find(pilot, desk.hold)
        while pilot.app.screen.practising.chooser.wish.mode is not DrillMode.ONLY:  # pyright: ignore
            await pilot.press("right")
        await pilot.press("enter")
        await settle(pilot)
        assert "one move" in at(pilot, "comment")
        await desk.make(pilot)
        assert stage(pilot) == "over" and "Solved" in at(pilot, "facts")
        await pilot.press("enter")
        await settle(pilot)
        await desk.make(pilot, worst=True)
        assert stage(pilot) == "over" and "Not solved" in at(pilot, "facts")


@pytest.mark.slow
@both
async def test_a_draw_is_held_until_the_goal(desk: Desk) -> None:
    async with desk.practise(seed=2) as pilot:
        await start(pilot, desk.hold, *(["right"] if desk.stones is None else []))
        assert "Held" in at(pilot, "facts")
        await desk.solve(pilot)
        assert "Solved" in at(pilot, "facts") and "Not" not in at(pilot, "facts")
        await pilot.press("enter")
        await settle(pilot)
        await desk.make(pilot, worst=True)
        assert stage(pilot) == "over" and "0 of 15 moves" in at(pilot, "facts")
        await pilot.press("enter", "escape")
        await settle(pilot)
        assert stage(pilot) == "summary" and "1 result thrown away" in at(pilot, "summary")


@pytest.mark.slow
@both
async def test_a_streak_goes_on_until_the_first_miss(desk: Desk) -> None:
    async with desk.practise() as pilot:
        await start(pilot, "King" if desk.stones is None else "3-3", "left")
        assert "3:00" in at(pilot, "title") and "Rating" in at(pilot, "facts")
        for _ in range(3):
            await (desk.answer(pilot) if stage(pilot) == "question" else desk.make(pilot))
        assert "3 in a row" in at(pilot, "ticks") and "row" not in at(pilot, "facts")
        await (desk.answer(pilot, False) if stage(pilot) == "question" else desk.make(pilot, worst=True))
        assert stage(pilot) == "over"
        await pilot.press("enter")
        await settle(pilot)
        assert stage(pilot) == "summary" and "3 in a row" in at(pilot, "summary")
        rated = "you" if desk.stones is None else "you morris"
        assert desk.kept().rating(rated) is not None


@pytest.mark.slow
async def test_a_streak_ends_with_its_time(chess: Desk) -> None:
    async with chess.practise() as pilot:
        await start(pilot, "King", "left")
        await chess.solve(pilot)
        tick(pilot, 200.0)
        await pilot.pause(1.2)
        assert stage(pilot) == "summary" and "time is up" in message_text(pilot).lower()


@pytest.mark.slow
async def test_the_clock_shows_the_seconds(chess: Desk) -> None:
    async with chess.practise() as pilot:
        await start(pilot, "KRvK")
        tick(pilot, 83.0)
        await pilot.pause(1.2)
        assert "1:23" in at(pilot, "title")
        await chess.make(pilot)
        assert chess.kept().attempts()[0].seconds == 83.0


@pytest.mark.slow
async def test_a_piece_is_picked_and_dropped_by_keys(chess: Desk) -> None:
    async with chess.practise() as pilot:
        await start(pilot, "KRvK")
        await pilot.press("i", "i", "escape")  # the second hint puts the cursor on the piece
        before = await chess.position(pilot)
        await pilot.press("enter", "escape", "enter", "up", "down", "left", "right", "enter")
        await settle(pilot)
        assert await chess.position(pilot) == before  # put down where it stood
        await pilot.press("i", "enter")
        await settle(pilot)
        assert await chess.position(pilot) != before


@pytest.mark.slow
async def test_a_mill_is_closed_and_a_stone_taken_by_keys(stones: Desk) -> None:
    async with stones.practise() as pilot:
        await own(pilot, stones.won)
        before = await stones.position(pilot)
        moves = stones.explorer.game.moves(before)
        taking = next(move for move in moves if move.captured)
        await type_in(pilot, spell(MorrisMove(taking.source, taking.end)))
        assert "take" in message_text(pilot) and await stones.position(pilot) == before
        assert "Enter take" in rows(pilot)[-1] and "Esc other move" in rows(pilot)[-1]
        await pilot.press("w", "n", "escape")
        await pilot.pause()
        assert "Enter take" not in rows(pilot)[-1]
        await pilot.press("escape")
        await type_in(pilot, spell(MorrisMove(taking.source, taking.end)))
        await type_in(pilot, POINTS[taking.captured[0]])
        await settle(pilot)
        assert await stones.position(pilot) != before


@pytest.mark.slow
async def test_giving_up_while_a_stone_is_to_be_taken_leaves_nothing_chosen(stones: Desk) -> None:
    async with stones.practise() as pilot:
        await own(pilot, stones.won)
        moves = stones.explorer.game.moves(await stones.position(pilot))
        taking = next(move for move in moves if move.captured)
        await type_in(pilot, spell(MorrisMove(taking.source, taking.end)))
        await pilot.press("w", "enter")
        await settle(pilot)
        assert stage(pilot) == "over"
        start_, end = [], []
        for key, found in (("home", start_), ("end", end)):
            await pilot.press(key)
            found.append(within(pilot, "#board"))
        assert start_ != end


@pytest.mark.slow
async def test_promotion_is_asked_for(chess: Desk) -> None:
    async with chess.practise() as pilot:
        await own(pilot, "8/1P6/8/8/8/2K5/8/k7 w")
        board = await chess.position(pilot)
        pawn = next(iter(board.pieces(1, board.turn)))
        file, rank = "abcdefgh"[pawn % 8], 8 if board.turn else 1
        await type_in(pilot, f"{file}{rank}")
        await pilot.press("q")
        await settle(pilot)
        assert (await chess.position(pilot)).queens or "Q" in text(pilot)


@pytest.mark.slow
async def test_quitting_stores_the_moves_made(chess: Desk) -> None:
    async with chess.practise() as pilot:
        await start(pilot, "KRvK")
        await chess.make(pilot)
        await pilot.press("q")
    assert len(chess.kept().moves(chess.kept().attempts()[0].uuid)) == 2


@pytest.mark.slow
async def test_a_session_of_ten_drills_ends_with_a_summary(chess: Desk) -> None:
    async with chess.practise() as pilot:
        await start(pilot, "KQvK", "less_than_sign", "less_than_sign", "less_than_sign", "tab", "tab", "home")
        assert "1 of 10" in rows(pilot)[0]
        for _ in range(10):
            await chess.solve(pilot)
            await pilot.press("enter")
            await settle(pilot)
        assert stage(pilot) == "summary" and "10 drills, 10 solved" in at(pilot, "summary")
        assert "Next due" in at(pilot, "summary")
        await pilot.press("r")
        await settle(pilot)
        assert stage(pilot) == "drill" and "1 of 10" in rows(pilot)[0]
        await pilot.press("escape")
        await settle(pilot)
        assert "100 %" in at(pilot, "courses")


@pytest.mark.slow
async def test_a_study_shows_its_note_afterwards(chess: Desk) -> None:
    async with chess.practise((120, 40)) as pilot:
        await find(pilot, "Hold with the opposition")
        note = at(pilot, "facts").split("\n\n")[1].split()
        await pilot.press("enter")
        await settle(pilot)
        assert note[0] not in at(pilot, "comment")
        await pilot.press("w", "enter")
        assert note[0] in at(pilot, "comment")
        await pilot.press("enter")
        assert stage(pilot) == "summary"


@pytest.mark.slow
async def test_progress_can_be_opened_from_the_summary(chess: Desk) -> None:
    async with chess.practise() as pilot:
        await start(pilot, "KRvK")
        await chess.solve(pilot)
        await pilot.press("tab", "escape")
        assert stage(pilot) == "summary"
        await pilot.press("5")
        await settle(pilot)
        assert "5 Prog" in rows(pilot)[0] and "1 of 1" in text(pilot)


@pytest.mark.slow
async def test_drills_continue_with_a_locked_journal(chess: Desk) -> None:
    async with chess.practise() as pilot:
        await start(pilot, "KRvK")
        other = sqlite3.connect(paths.journal_file(chess.root), isolation_level=None)
        other.execute("BEGIN EXCLUSIVE")
        await chess.make(pilot)
        assert stage(pilot) == "drill"
        await chess.solve(pilot)
        assert stage(pilot) == "over"
        other.execute("ROLLBACK")
        other.close()
        await pilot.press("enter")
        await settle(pilot)
        await chess.make(pilot)
        assert len(chess.kept().attempts()) == 2


@pytest.mark.slow
async def test_results_that_could_not_be_written_are_reported_at_the_end(
    chess: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = frozen(chess.root)
    close = app.lab.journal.close
    monkeypatch.setattr(app.lab.journal, "close", lambda: close(0.01))
    other = sqlite3.connect(paths.journal_file(chess.root), isolation_level=None)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("4")
        await settle(pilot)
        await start(pilot, "KRvK")
        other.execute("BEGIN EXCLUSIVE")
        await chess.make(pilot)
    assert app.problem is not None and "could not be written" in str(app.problem)
    other.close()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("what", "told"), [("corrupt", "corrupt"), pytest.param("newer", "newer", marks=pytest.mark.slow)]
)
async def test_an_unusable_journal_is_reported_and_drills_continue(chess: Desk, what: str, told: str) -> None:
    file = paths.journal_file(chess.root)
    if what == "corrupt":
        file.write_bytes(b"no journal at all" * 100)
    else:
        Journal(file).close()
        connection = sqlite3.connect(file)
        connection.execute("PRAGMA user_version = 99")
        connection.close()
    async with chess.practise() as pilot:
        assert told in message_text(pilot)
        await start(pilot, "KRvK")
        await chess.solve(pilot)
        assert stage(pilot) == "over" and "Solved" in at(pilot, "facts")


@pytest.mark.slow
@both
async def test_a_drill_works_at_every_size(desk: Desk) -> None:
    async with desk.practise() as pilot:
        await start(pilot, desk.win)
        for size in ((120, 40), (40, 20), (20, 8), (60, 16), (200, 60), (80, 24)):
            await pilot.resize_terminal(*size)
            await pilot.pause()
            await pilot.press("i", "f", "f1", "escape")
        assert stage(pilot) == "drill"
        await desk.solve(pilot)
        assert stage(pilot) == "over"


@pytest.mark.slow
@both
async def test_no_sequence_of_keys_crashes_the_drill_screen(desk: Desk) -> None:
    keys = [
        *"iurfwdlynsc", "enter", "escape", "left", "right", "home", "end", "tab", "up", "down", "space", "colon",
        "plus", "n", "enter", "enter", "4",
    ]  # fmt: skip
    rng = random.Random(11)
    async with desk.practise() as pilot:
        for _ in range(40):
            await pilot.press(*rng.choices(keys, k=3))
        await settle(pilot)


async def test_w_after_a_shown_solution_says_what_is_on_the_board(chess: Desk) -> None:
    async with chess.practise() as pilot:
        await start(pilot, "KRvK")
        await pilot.press("w", "enter")
        await settle(pilot)
        await pilot.press("w")
        await settle(pilot)
        assert "The table shows the solution" in text(pilot) and "No move was better" not in text(pilot)


async def test_w_shows_the_solution_at_once_while_a_missed_drill_is_retried(chess: Desk) -> None:
    async with chess.practise() as pilot:
        await start(pilot, chess.win)
        await pilot.press("w")
        assert "Give up" in rows(pilot)[-1], "the result is open"
        await pilot.press("escape")
        while stage(pilot) != "over":
            await chess.make(pilot, worst=True)
            await settle(pilot)
        await pilot.press("r")
        await settle(pilot)
        assert stage(pilot) == "drill"
        await pilot.press("w")
        await settle(pilot)
        assert stage(pilot) == "over" and len(chess.kept().attempts()) == 1


@pytest.mark.slow
async def test_a_stalemate_counts_as_a_thrown_win_and_only_working_keys_are_offered(chess: Desk) -> None:
    async with chess.practise((120, 40)) as pilot:
        await own(pilot, "k7/8/1K6/8/8/8/8/2Q5 w - - 0 1")
        assert "take back" not in rows(pilot)[-1]
        board = await chess.position(pilot)
        stalemating = next(m for m in board.legal_moves if chess.explorer.game.play(board, m).is_stalemate())
        await type_in(pilot, board.san(stalemating))
        await settle(pilot)
        assert stage(pilot) == "over" and "Not solved: stalemate." in at(pilot, "comment")
        assert (
            not {"take back", "try again"} & set(re.split(r"  \S+ ", rows(pilot)[-1])) and "show me" in rows(pilot)[-1]
        )
        await pilot.press("enter")
        await settle(pilot)
        assert "1 result thrown away" in at(pilot, "summary") and "no moves lost" not in at(pilot, "summary")
        assert "thrown" in next(row for row in at(pilot, "summary").splitlines() if "✗" in row)
        await pilot.press("enter")
        await settle(pilot)
        assert "Blunders 1" in text(pilot) and "Lost     nothing" not in text(pilot)
        await pilot.press("5")
        await settle(pilot)
        assert "blunder" in at(pilot, "recent")


@pytest.mark.slow
async def test_after_a_mate_nothing_better_is_offered(chess: Desk) -> None:
    async with chess.practise() as pilot:
        await own(pilot, "k7/8/1K6/8/8/8/8/2Q5 w - - 0 1")
        await chess.make(pilot)
        assert stage(pilot) == "over" and "Solved" in at(pilot, "facts")
        assert not {"show me", "back", "try again"} & set(re.split(r"  \S+ ", rows(pilot)[-1]))
        await pilot.press("w")
        assert message_text(pilot) and not at(pilot, "comment").startswith("Best")


@both
async def test_moves_of_both_sides_can_be_tried_after_a_drill(desk: Desk) -> None:
    async with desk.practise() as pilot:
        await start(pilot, desk.win)
        await desk.solve(pilot)
        end = await desk.position(pilot)
        await pilot.press("colon")
        assert message_text(pilot)
        await pilot.press("home")
        first = await desk.position(pilot)
        sitting = pilot.app.screen.session  # pyright: ignore
        game = sitting.game
        for _ in range(2):  # a move for the user, then one for the defender
            move = game.san(sitting.position, sitting.judge.probe(sitting.position).moves[-1].move)
            await type_in(pilot, move)
            assert f"{move}  " in at(pilot, "comment") and "What if: " in at(pilot, "comment")
        assert await desk.position(pilot) not in (first, end)
        assert "what if" in rows(pilot)[-1]
        await pilot.press("left")
        assert "What if: " in at(pilot, "comment")
        await pilot.press("left")
        assert await desk.position(pilot) == first and "What if" not in at(pilot, "comment")
        await pilot.press("end")
        assert await desk.position(pilot) == end
        (record,) = desk.kept().attempts()
        assert record.outcome is Outcome.SOLVED


async def test_a_move_that_is_not_legal_is_not_tried(chess: Desk) -> None:
    async with chess.practise() as pilot:
        await start(pilot, chess.win)
        await chess.solve(pilot)
        await pilot.press("home")
        await type_in(pilot, "Qz9")
        assert message_text(pilot)
        await pilot.press("escape")
        assert "What if" not in at(pilot, "comment")


async def test_the_idea_of_a_hint_does_not_give_the_piece_away(chess: Desk) -> None:
    async with chess.practise() as pilot:
        await start(pilot, chess.win)
        await pilot.press("i")
        match = pilot.app.screen.session.drill.match  # pyright: ignore
        if match.last_hint.step == 0:
            assert pilot.app.screen.board.move_input.is_empty  # pyright: ignore
        while match.next_hint_step is not None:
            await pilot.press("i")
        assert match.last_hint.step == 2 and not pilot.app.screen.board.move_input.is_empty  # pyright: ignore

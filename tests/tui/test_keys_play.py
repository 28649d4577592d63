"""Every key of the Play screen while a game is set up and played, in both games."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from textual.events import Key

from endgame_core.chess.game import CHESS
from endgame_core.errors import PositionError
from endgame_core.game_state import Draw, Win
from endgame_core.morris.game import MORRIS
from endgame_core.practice.match import Result, Termination
from endgame_core.tasks.play_session import Notice, Question
from endgame_core.words import game_report

from .key_walk import question_text
from .playing import DRAWN, ENDS, LOST, MILL, PAWN, QUEEN, ROOK, SIX, Thinker, both, playing
from .terminal_text import rows, settle, text

WON = {"chess": QUEEN, "morris": ENDS}
LONG = {"chess": ROOK, "morris": MILL}
GOOD = {"chess": "Re1", "morris": "c4-e3xd6"}
MATES = {"chess": "Qg8", "morris": "best"}


class TestSetup:
    @pytest.mark.slow
    async def test_rows_of_the_setup_are_chosen_and_changed(self, play_root: Path) -> None:
        async with playing(play_root, keys=()) as game:
            await game.press("right", "down", "down", "right", "right", "j", "l", "down", "right")
            shown = game.words("setup")
            assert all(words in shown for words in ("You play Black", "Defence tricky", "Time 1 min", "shown"))
            await game.press("up", "left", "k", "h", "enter")
            assert "you are Black" in game.crumbs
            await game.press("v")
            assert "defence varied" in game.words("facts")

    @pytest.mark.slow
    async def test_with_stones_the_empty_board_can_be_chosen(self, play_root: Path) -> None:
        async with playing(play_root, MILL, keys=()) as game:
            await game.press("right", "down", "right", "down", "down", "right", "down", "right", "down", "right")
            shown = game.words("setup")
            assert all(words in shown for words in ("Start empty board", "You play Black", "Time 1 min", "shown"))
            assert "Nine stones each in hand, White to move." in game.reason
            await game.press("enter")
            assert game.shown("board", "verdict", "score")
            # The defender, White, thinks for a second, and may have placed its first stone by now.
            position = await game.position()
            assert position == MORRIS.initial_position or (position.count("O") == 1 and position.endswith(" b 8-9"))

    @pytest.mark.parametrize(("start", "layer"), [(ROOK, "S27"), (MILL, "S25")])
    async def test_r_takes_a_random_position_of_the_layer(self, play_root: Path, start: str, layer: str) -> None:
        async with playing(play_root, start, keys=()) as game:
            await game.press("r", "r")
            assert await game.position() != start
            await game.press("enter", "v")
            assert game.reason.startswith(layer)

    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("start", "told"),
        [
            (ROOK, {
                "s11/2": "You can win: mate in 6.", LOST: "You can win", "KQvK": "You can win: mate in 10.",
                "8/8/8/3k4/8/8/4P3/4K3 w": "The position is drawn: hold the draw.",
                "KBNvK S13": "You can win: mate in 7.",
            }),
            (MILL, {
                "S23/2": "You can win in 23 plies.", ENDS: "You can win in 1 ply.",
                "3-4 S13": "You can win in 13 plies.",
            }),
        ],
    )  # fmt: skip
    async def test_any_start_can_be_typed(self, play_root: Path, start: str, told: dict[str, str]) -> None:
        async with playing(play_root, start, keys=()) as game:
            for typed, words in told.items():
                assert words not in game.words("setup") or words == "You can win", typed
                await game.type_in(typed)
                assert words in game.words("setup"), (typed, game.said)

    async def test_a_study_can_be_typed(self, play_root: Path) -> None:
        async with playing(play_root, keys=()) as game:
            await game.type_in("KPK-Opposition-Win")
            study = game.app.lab.studies("chess").study("kpk-opposition-win")
            assert await game.position() == study.position and game.reason.startswith(study.name)
            assert game.words("note")[:20] == study.note[:20]

    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("start", "told"),
        [(ROOK, {"KXvK": "not an ending", "8/8/8 w": "not a fen", "KRvK S99": "no s99"}), (MILL, {"9-1": ""})],
    )
    async def test_an_unreadable_start_is_refused(self, play_root: Path, start: str, told: dict[str, str]) -> None:
        async with playing(play_root, start, keys=()) as game:
            for typed, words in told.items():
                await game.type_in(typed)
                assert game.said and words in game.said.lower(), typed
                await game.press("escape")
                assert await game.position() == start, typed

    @pytest.mark.parametrize(("start", "over"), [(ROOK, "k7/1Q6/1K6/8/8/8/8/8 b - - 0 1"), (MILL, "1XOOO2X/8/8 b")])
    async def test_a_finished_position_is_not_begun(self, play_root: Path, start: str, over: str) -> None:
        async with playing(play_root, start, keys=()) as game:
            await game.type_in(over)
            await game.press("enter")
            assert game.setting_up and "over" in game.said

    async def test_a_letter_without_a_key_begins_a_move(self, play_root: Path) -> None:
        async with playing(play_root, ROOK) as game:
            await game.press("R", "h", "5")
            assert ": Rh5" in rows(game.pilot)[-1]
            await game.press("enter")
            assert ": Rh5" not in rows(game.pilot)[-1] and await game.position() != ROOK

    @pytest.mark.slow
    @both
    async def test_keys_of_a_game_are_refused_before_it_begins(self, play_root: Path, kind: str) -> None:
        async with playing(play_root, LONG[kind], keys=()) as game:
            for key in ("u", "i", "w", "D"):
                await game.press(key)
                assert game.notifies(Notice.BEGIN_FIRST)
            await game.press("o")
            assert game.said and not game.notifies(Notice.BEGIN_FIRST)
            await game.press("e")
            assert game.notifies(Notice.ERRORS_LATER)
            if kind == "chess":
                await game.press("tab", "enter")
                assert "to begin the game" in game.said
            await game.press("n")
            assert not game.setting_up, "n begins, too"
            await game.press("r")
            assert game.notifies(Notice.RETRY_LATER)
            await game.press("e")
            assert game.notifies(Notice.ERRORS_LATER)

    async def test_the_setup_can_be_flipped_copied_and_clicked(self, play_root: Path) -> None:
        async with playing(play_root, keys=()) as game:
            await game.press("f")
            assert game.words("board").endswith("h g f e d c b a") and await game.position() == ROOK
            await game.pilot.click("#setup", offset=(3, 2))
            await game.pilot.pause()
            assert "‹ Black ›" in game.text


class TestMoves:
    @both
    async def test_a_typed_move_is_played_and_answered(self, play_root: Path, kind: str) -> None:
        async with playing(play_root, LONG[kind]) as game:
            await game.type_in(GOOD[kind])
            assert len(game.score) == 2 and game.score[0] == GOOD[kind] and "Your move" in game.verdict
            assert game.words("last-move").startswith(f"Last move 1…{game.score[1]}")

    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("start", "illegal"),
        [
            (ROOK, ["Rb5", "Kd4", "Rb1", "h1b9", "d5d4", "c3c4", "Nf3"]),
            ("8/8/8/3k4/8/8/4K3/R6R w - - 0 1", ["Rd1"]),
            (MILL, ["a7-d7"]),
        ],
    )
    async def test_an_illegal_move_is_refused_with_its_reason(
        self, play_root: Path, start: str, illegal: list[str]
    ) -> None:
        async with playing(play_root, start, size=(120, 30)) as game:
            for typed in illegal:
                with pytest.raises(PositionError) as refusal:
                    game.state.parse_move(typed)
                await game.type_in(typed)
                assert game.says(str(refusal.value)) and not game.score, typed
                await game.press("escape")
                assert not game.said, typed
            await game.type_in(LOST)  # a position, during a game
            assert game.said
            await game.press("escape")
            assert not game.score and await game.position() == start

    @pytest.mark.slow
    async def test_the_cursor_picks_and_drops_a_piece(self, play_root: Path) -> None:
        async with playing(play_root) as game:
            await game.press("enter")
            assert game.words("board").count("·") == 12, "where the rook can go; the verdict is hidden"
            await game.press("left", "left", "left", "enter")
            assert game.score[0] == "Re1" and len(game.score) == 2
            await game.press("enter", "up", "right", "enter")
            refusal = game.said
            assert refusal and len(game.score) == 2
            await game.press("up", "up", "up", "enter")
            assert game.said not in ("", refusal), "another refusal: that piece is Black's"

    @pytest.mark.slow
    async def test_a_promotion_asks_for_the_piece(self, play_root: Path) -> None:
        async with playing(play_root, PAWN) as game:
            await game.type_in("a8")
            question_text = game.words("last")
            assert "queen" in question_text and "S" not in question_text.replace("Esc", ""), "the verdict is hidden"
            await game.press("r")
            assert game.score[0] == "a8=R"

    @pytest.mark.slow
    async def test_a_stone_is_picked_dropped_and_one_is_taken(self, play_root: Path) -> None:
        async with playing(play_root, MILL) as game:
            await game.type_in("c4-e3")
            assert "Take a stone" in game.verdict and game.shown("takes") and "Enter take" in game.words("last")
            assert [row.strip(" ▸") for row in game.words("takes").split()[1:] if "×" in row] == [
                "×a1", "×d6", "×f2", "×c5",
            ]  # fmt: skip
            await game.press("escape")
            assert "Your move" in game.verdict and not game.shown("takes") and not game.score
            await game.press("v")
            await game.type_in("c4-e3")
            assert "×d6 S24" in game.words("takes")
            await game.type_in("d6")
            assert game.score[0] == "c4-e3xd6"

    @pytest.mark.slow
    @both
    async def test_u_takes_back_a_move(self, play_root: Path, kind: str) -> None:
        async with playing(play_root, LONG[kind]) as game:
            await game.press("u")
            assert game.said
            await game.type_in(GOOD[kind])
            await game.press("u")
            assert not game.score and "takebacks 1" in game.words("facts").replace("  ", " ")
            assert await game.position() == LONG[kind]

    @pytest.mark.slow
    @pytest.mark.parametrize(("kind", "first"), [("chess", "h1"), ("morris", "c4")])
    async def test_hints_come_in_two_steps(self, play_root: Path, kind: str, first: str) -> None:
        async with playing(play_root, LONG[kind]) as game:
            await game.press("i")
            assert game.reason.startswith("Hint ") and first in game.reason and GOOD[kind] not in game.text
            await game.press("i")
            assert game.reason == f"Hint {GOOD[kind]}." and "hints 2" in game.words("facts")
            await game.press("enter", *(["enter"] if kind == "morris" else []))
            assert game.score[0] == GOOD[kind] and len(game.score) == 2

    async def test_a_hint_for_a_lone_king_names_the_move_at_once(self, play_root: Path) -> None:
        async with playing(play_root, LOST, ("right", "enter")) as game:
            await game.press("i")
            assert game.reason.startswith("Hint K") and "again" not in game.reason
            assert "hints 1" in game.words("facts")

    @pytest.mark.parametrize(("kind", "told"), [("chess", "mate in 14 · 27 plies"), ("morris", "wins in 25 plies")])
    async def test_v_shows_and_hides_the_verdict(self, play_root: Path, kind: str, told: str) -> None:
        async with playing(play_root, LONG[kind]) as game:
            assert "verdict hidden" in game.verdict and game.shown("facts", "last-move") and not game.shown("moves")
            await game.press("v")
            assert told in game.verdict and game.shown("moves", "line") and f"1.{GOOD[kind]}" in game.words("line")
            await game.press("m")
            assert game.focus() == "moves"
            assert not game.shown("score"), "the moves have all the room"
            await game.press("right", "left", "enter", "escape")
            assert game.score[0] == GOOD[kind] and "✓ best" in game.words("score"), "the moves panel plays"
            await game.press("v")
            assert "verdict hidden" in game.verdict and game.focus() == "board" and "best" not in game.words("score")
            await game.press("m")
            assert game.focus() == "score"

    async def test_the_cursor_stays_on_an_empty_point_while_stones_are_placed(self, play_root: Path) -> None:
        async with playing(play_root, MILL, ("right", "enter", "enter"), thinker=Thinker(MORRIS)) as game:
            assert len(game.score) == 2 and "Place a stone" in game.verdict
            await game.press("enter")
            assert len(game.score) == 4 and not game.said

    @pytest.mark.slow
    async def test_a_small_screen_folds_the_moves(self, play_root: Path) -> None:
        async with playing(play_root, MILL, size=(40, 20)) as game:
            assert game.shown("board", "score", "reason") and not game.shown("facts")
            await game.press("m")
            assert not game.shown("board") and game.shown("score")
            await game.press("escape")
            assert game.shown("board")
            await game.press("v", "m")
            assert game.shown("moves") and game.focus() == "moves"
            await game.press("enter")
            await game.press("escape")
            assert len(game.score) == 2

    @pytest.mark.slow
    @both
    async def test_resizing_keeps_the_game(self, play_root: Path, kind: str) -> None:
        async with playing(play_root, LONG[kind]) as game:
            await game.type_in(GOOD[kind])
            for size in ((120, 40), (40, 20), (20, 8), (200, 60), (80, 24)):
                await game.pilot.resize_terminal(*size)
                await game.press("v", "m", "escape", "f")
            assert len(game.score) == 2


class TestEnds:
    @pytest.mark.slow
    async def test_a_game_won_by_mate_is_graded(self, play_root: Path) -> None:
        async with playing(play_root, QUEEN) as game:
            await game.type_in("Qg8")
            assert game.ending == Result("white", Win.MATE)
            assert game.result.endswith(" ✓ 1 best") and game_report.perfect(game.state) in game.result
            await game.press("u")
            assert game.said and game.score

    @pytest.mark.slow
    async def test_a_game_of_stones_is_won_and_graded(self, play_root: Path) -> None:
        async with playing(play_root, MILL) as game:
            while not game.shown("result"):
                await game.press("i", "i", "enter")
                if "Take a stone" in game.verdict:
                    await game.press("enter")
            assert game.ending.winner == "white" and game.result.endswith(" ✓ 13 best")
            assert game.state.running_match.hints == 26 and "26" in game.reason

    @pytest.mark.slow
    async def test_a_lost_game_names_how_it_was_won(self, play_root: Path) -> None:
        async with playing(play_root, ENDS, ("i", "i", "enter", "i", "i", "enter", "enter")) as game:
            assert game.ending == Result("white", Win.STONES)

    @pytest.mark.slow
    @both
    async def test_w_plays_the_solution_out(self, play_root: Path, kind: str) -> None:
        async with playing(play_root, LONG[kind]) as game:
            await game.press("w", "escape")
            assert not game.shown("result")
            await game.type_in(GOOD[kind])
            await game.press("w", "enter", "escape")
            assert (
                game.result.startswith("Solution shown")
                and "is the table's move" in game.reason
                and "shown" in game.words("score")
            )
            await game.press("end")
            assert "not the best" in game.reason or "Every move" in game.reason

    @pytest.mark.parametrize(
        ("start", "accepted"), [(ROOK, False), (MILL, False), ("8/8/8/8/4k3/8/4P3/K7 b - - 0 1", True), (DRAWN, True)]
    )
    async def test_the_defender_answers_a_draw_offer(self, play_root: Path, start: str, accepted: bool) -> None:
        async with playing(play_root, start) as game:
            await game.press("D")
            assert game.notifies(Notice.DRAW_DECLINED) is not accepted and game.shown("result") is accepted
            if accepted:
                assert game.state.running_match.result == Result(None, Termination.AGREED)
                assert game.says(game_report.AGREED)

    @pytest.mark.slow
    async def test_a_draw_is_claimed(self, play_root: Path) -> None:
        async with playing(play_root, ROOK.replace("0 1", "99 80")) as game:
            await game.press("D", "escape")
            assert not game.shown("result")
            await game.press("D", "enter")
            assert game.said.startswith("You claim") and game.state.running_match.result == Result(None, Draw.FIFTY)
            assert "You claimed" not in game.reason, "with the clock at 99 mate comes too late"

    @pytest.mark.slow
    async def test_the_defender_claims_the_50_move_draw(self, play_root: Path) -> None:
        async with playing(play_root, ROOK.replace("0 1", "99 80")) as game:
            await game.type_in("Re1")
            assert game.said.startswith("The defender") and game.state.running_match.result == Result(None, Draw.FIFTY)

    @pytest.mark.slow
    async def test_a_draw_by_repetition_in_a_won_position_is_reported(self, play_root: Path) -> None:
        file = play_root / "twice.pgn"
        again = " ".join(["Rh2 Kd6 Rh1 Kd5"] * 2)
        file.write_text(f'[White "You"]\n[SetUp "1"]\n[FEN "{ROOK}"]\n\n{again} *\n')
        for key, words in (("D", "You claimed"), ("Rh2", "The game was drawn")):
            async with playing(play_root, keys=()) as game:
                await game.type_in(str(file), "O")
                assert f"D claims a draw: {Draw.THREEFOLD.value}" in game.words("last-move")
                if key == "D":
                    await game.press("D", "enter")
                else:
                    await game.type_in(key)
                    assert game.said.startswith("The defender")
                assert game.state.running_match.result == Result(None, Draw.THREEFOLD)
                await game.press("end")
                assert game.reason.startswith(words) and "mate in" in game.reason

    @pytest.mark.slow
    @both
    async def test_the_clock_runs_only_if_it_is_set(
        self, play_root: Path, kind: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        now = [0.0]
        monkeypatch.setattr("endgame_tui.app.monotonic", lambda: now[0])
        async with playing(play_root, LONG[kind]) as game:
            assert "time" not in game.words("facts").replace("first time", "").replace("1st time", "")
        down = ("down",) * (3 if kind == "chess" else 4)
        async with playing(play_root, LONG[kind], (*down, "right", "enter")) as game:
            assert "time 1:00" in game.words("facts").replace("  ", " ")
            now[0] = 61.0
            await game.pilot.pause(1.2)
            assert game.ending == Result(None if kind == "chess" else "black", Termination.TIME)

    @pytest.mark.slow
    @both
    async def test_new_asks_before_a_game_is_given_up(self, play_root: Path, kind: str) -> None:
        async with playing(play_root, LONG[kind]) as game:
            await game.type_in(GOOD[kind])
            await game.press("n", "escape")
            assert not game.setting_up
            await game.press("n", "enter")
            assert game.setting_up and await game.position() == LONG[kind]
            await game.press("n")
            assert not game.setting_up

    @pytest.mark.slow
    async def test_a_new_game_clears_the_message(self, play_root: Path) -> None:
        async with playing(play_root) as game:
            await game.press("D")
            assert game.notifies(Notice.DRAW_DECLINED)
            await game.press("n")
            assert game.setting_up and not game.said


class TestWithoutTables:
    @pytest.mark.slow
    async def test_without_tables_the_engine_replies(self, play_root: Path) -> None:
        thinker = Thinker(CHESS, 1)
        async with playing(play_root, SIX, thinker=thinker) as game:
            assert not thinker.asked, "nobody asked"
            await game.type_in("dxe5")
            assert len(game.score) == 2 and len(thinker.asked) == 1 and "defence guesser" in game.words("facts")
        assert thinker.closed

    @pytest.mark.slow
    async def test_hints_and_the_estimate_are_marked_as_such(self, play_root: Path) -> None:
        thinker = Thinker(CHESS, 1)
        async with playing(play_root, SIX, thinker=thinker) as game:
            await game.press("i")
            assert game.reason.startswith("Hint")
            await game.press("i", "v")
            assert len(thinker.asked) == 1, "what is shown is what the hint rests on"
            assert "estimate +0.35 · depth 3" in game.verdict

    async def test_w_shows_the_line_of_the_search(self, play_root: Path) -> None:
        async with playing(play_root, SIX, thinker=Thinker(CHESS, 1)) as game:
            await game.press("w", "enter", "escape")
            assert len(game.score) == 1 and "an estimate" in game.text
            await game.press("end")
            assert "no moves to grade" in game.reason

    @pytest.mark.slow
    async def test_while_stones_are_placed_a_search_replies_hints_and_shows(self, play_root: Path) -> None:
        thinker = Thinker(MORRIS)
        async with playing(play_root, MILL, ("right", "enter", "enter"), thinker=thinker) as game:
            assert len(game.score) == 2
            await game.press("i")
            assert " ring; i again" in game.reason
            await game.press("i")
            assert "estimate" in game.reason
            await game.press("v")
            assert "estimate +0.35 · depth 3" in game.verdict and "an estimate" in game.words("moves")
            await game.press("enter", "u")
            assert len(game.score) == 2
            await game.press("w", "enter", "escape")
            assert "estimate" in game.reason and len(game.score) == 6

    @pytest.mark.slow
    async def test_a_hint_is_the_move_of_the_shown_estimate(self, play_root: Path) -> None:
        thinker = Thinker(MORRIS)
        async with playing(play_root, MILL, ("right", "enter", "v"), thinker=thinker) as game:
            question_text, shown = len(thinker.asked), game.words("moves").split()[1]
            await game.press("i", "i")
            assert game.reason.startswith(f"Hint {shown}.")
            await game.press("v", "v")
            assert len(thinker.asked) == question_text, "nothing is thought anew"

    @pytest.mark.slow
    async def test_showing_the_verdict_does_not_lose_a_pending_hint(self, play_root: Path) -> None:
        class Slow(Thinker):
            """Has found nothing until it is told to come to an end."""

            def think(self, game: Any, limits: Any, on_estimate: Any, on_end: Any) -> None:
                self.end = lambda: Thinker.think(self, game, limits, on_estimate, on_end)

        slow = Slow(MORRIS)
        async with playing(play_root, MILL, ("right", "enter", "i"), thinker=slow) as game:
            assert not game.reason.startswith("Hint")
            await game.press("v")
            slow.end()
            await game.pilot.pause()
            assert game.reason.startswith("Hint")

    @pytest.mark.slow
    async def test_our_own_search_replies(self, play_root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("ENDGAME_TUI_ENGINE", "off")
        async with playing(play_root, SIX) as game:
            await game.type_in("Kd2")
            while len(game.score) < 2:
                await game.pilot.pause(0.05)
            await game.press("v")
            while "estimate" not in game.verdict:
                await game.pilot.pause(0.05)
            await game.press("w", "enter")
            while not game.result:
                await game.pilot.pause(0.05)
            assert game.ending == Result(None, Termination.SHOWN) and game.state.running_match.estimated
            assert "estimate" in game.said and "estimate" in game.result


async def test_a_move_typed_in_one_burst_loses_no_letter(play_root: Path) -> None:
    """Over a slow line letters come together, before the prompt that the first one opens has the focus."""
    async with playing(play_root) as game:
        for letter in "Re1":
            game.app.post_message(Key(letter, letter))
        game.app.post_message(Key("enter", "\r"))
        await game.press()
        assert "1 Re1" in text(game.pilot)


@pytest.mark.slow
async def test_q_during_a_game_asks_once(play_root: Path) -> None:
    async with playing(play_root) as game:
        await game.press("q")
        assert game.app.return_value is None and not game.app.is_running, "no move has been made"
    async with playing(play_root) as game:
        await game.type_in("Re1")
        await game.press("q")
        assert game.app.is_running and "Quit? It ends your game" in rows(game.pilot)[-1]
        await game.press("n")
        assert game.app.is_running and "Your move" in game.verdict
        await game.press("q", "q")
        assert not game.app.is_running


@pytest.mark.slow
async def test_q_asks_about_a_game_left_open_on_another_screen(play_root: Path) -> None:
    async with playing(play_root) as game:
        await game.type_in("Re1")
        await game.press("2", "q")
        assert game.app.is_running and "Quit? It ends your game" in rows(game.pilot)[-1]
        await game.press("q")
        assert not game.app.is_running


async def test_an_ending_that_is_not_built_is_offered_and_set_up_once_it_is_there(tmp_path: Path) -> None:
    async with playing(tmp_path, ROOK, keys=()) as game:
        await game.type_in("KBvK")
        assert "KBvK is not built: build it?" in question_text(game.pilot)
        await game.press("enter")
        while game.app.jobs.job is not None:
            await settle(game.pilot)
        await settle(game.pilot)
        assert "KBvK" in game.crumbs and game.setting_up


class TestWithAFriend:
    async def test_two_players_play_and_both_are_graded(self, play_root: Path) -> None:
        async with playing(play_root, keys=()) as game:
            await game.press("down", "right", "down", "right")
            shown = game.words("setup")
            assert "Opponent ‹ a friend ›" in shown or "Opponent a friend" in shown
            assert "turns" in shown and "Defence" not in shown
            await game.press("enter")
            assert "two players" in game.crumbs and "White to move" in game.verdict
            assert "a friend" in game.words("facts") and not game.app.screen.board.flipped
            await game.moves("Re1")
            assert "Black to move" in game.verdict and game.app.screen.board.flipped
            await game.moves("Kd6")
            assert game.score == ["Re1", "Kd6"] and not game.app.screen.board.flipped
            await game.press("u")
            assert game.score == ["Re1"] and "Black to move" in game.verdict and game.app.screen.board.flipped
            await game.moves("Kd6")
            await game.press("i")
            assert game.reason.startswith("Hint ") and "1" in game.words("facts")
            await game.press("D")
            assert game_report.question_words(game.state, Question.ACCEPT_DRAW) in game.text
            await game.press("escape")
            assert "two players" in game.crumbs and "finished" not in game.crumbs
            assert game.says(game_report.DECLINED_BY_FRIEND)
            await game.moves("Re5", "Kxe5")
            assert game.state.running_match.result == Result(None, Draw.MEN)
            assert "White: 1 blunder" in game.result.replace("½ moves lost, ", "")
            assert "Black: " in game.result and not game.app.screen.board.flipped
            await game.press("e", "e")
            assert "2.Re5" in game.reason

    async def test_narrow_screens_tell_what_both_players_lost(self, play_root: Path) -> None:
        async with playing(play_root, keys=("down", "right", "enter"), size=(60, 24)) as game:
            await game.press("D", "enter")
            for side in ("white", "black"):
                assert game_report.side_report(game.state.running_match, side) in " ".join(game.reason.split())

    async def test_a_draw_is_agreed(self, play_root: Path) -> None:
        async with playing(play_root, keys=("down", "right", "enter")) as game:
            await game.press("D", "enter")
            assert game.state.running_match.result == Result(None, Termination.AGREED)
            assert game.says(game_report.AGREED_BY_BOTH) and "White was winning" in game.reason

    async def test_a_saved_game_of_two_players_is_resumed(self, play_root: Path, tmp_path: Path) -> None:
        async with playing(play_root, keys=("down", "right", "enter")) as game:
            await game.moves("Re1")
            await game.type_in(str(tmp_path / "two.pgn"), "o")
            assert '[Opponent "friend"]' in (tmp_path / "two.pgn").read_text()
            await game.press("n", "enter")
            await game.type_in(str(tmp_path / "two.pgn"), "O")
            assert "two players" in game.crumbs and "Black to move" in game.verdict
            await game.moves("Kd6")
            assert game.score == ["Re1", "Kd6"]

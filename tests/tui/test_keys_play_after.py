"""Play after the game, files of games, and ways to other screens: every key, in both games."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from textual.events import Paste

from endgame_core.chess.game import CHESS
from endgame_core.morris.game import MORRIS
from endgame_core.practice.defence import Defence
from endgame_core.practice.journal import Journal
from endgame_core.practice.match import Termination
from endgame_core.practice.records import Outcome
from endgame_core.settings import AUTOPLAY
from endgame_core.tables.explorer import RatedMove
from endgame_core.tasks.play_session import Notice
from endgame_core.values import Kind

from .playing import ENDS, LOST, MILL, QUEEN, ROOK, Game, Thinker, both, playing
from .terminal_text import rows, settle, text, within

SLOW = {"chess": ("Re1", "Ka1"), "morris": ("c4-e3xa1",)}
START = {"chess": ROOK, "morris": MILL}


def other_man_is_best(
    moves: Sequence[RatedMove[Any, Any]], ends: Callable[[Any], tuple[int | None, int]]
) -> list[RatedMove[Any, Any]]:
    """The moves that win more slowly, and are made by a man that makes none of the best moves."""
    best = {ends(move.move)[0] for move in moves if move.grade == "best"}
    return [move for move in moves if move.grade == "slower" and ends(move.move)[0] not in best]


class TestReview:
    @asynccontextmanager
    async def reviewed(self, play_root: Path, kind: str, size: tuple[int, int] = (80, 24)) -> AsyncIterator[Game]:
        """A game with an error, given up and looked at from its end."""
        async with playing(play_root, START[kind], size=size) as game:
            for move in SLOW[kind]:
                await game.type_in(move)
            await game.press("w", "enter", "escape", "end")
            yield game

    @pytest.mark.slow
    @both
    async def test_the_best_move_is_on_the_board_if_another_piece_was_moved(self, play_root: Path, kind: str) -> None:
        async with playing(play_root, START[kind]) as game:
            judge, ends = game.app.lab.judge(kind), game.app.screen.face.endpoints

            async def moves() -> Sequence[RatedMove[Any, Any]]:
                return judge.probe(judge.game.parse(await game.position())).moves

            while not (slips := other_man_is_best(await moves(), ends)):
                await game.type_in(next(move.san for move in await moves() if move.grade == "best"))
            await game.type_in(slips[0].san)
            await game.press("w", "enter", "escape", "home", "e")

            best = [move for move in await moves() if move.grade == "best"]
            view = game.app.screen.view.board.view
            sources, targets = zip(*(ends(move.move) for move in best), strict=True)
            target = next(view.labels[target] for target in targets if target in view.labels)
            assert target.best and f"S{best[0].layer}" in target.text
            if kind == "chess":
                assert any(view.labels[source].best for source in sources if source in view.labels)
                assert f"S{best[0].layer}" in "\n".join(within(game.pilot, "#board"))

    async def test_capital_m_makes_drills_of_errors(self, play_root: Path) -> None:
        async with self.reviewed(play_root, "chess") as game:
            assert await game.position() != START["chess"]
            await game.press("M")
            await settle(game.pilot)
            assert "My games" in "\n".join(rows(game.pilot)[:1]) and "Goal: mate" in text(game.pilot)
            (own,) = game.app.lab.studies("chess").own()
            assert own.name == "My games" and [study.side for study in own.studies] == ["white"]
            assert "you played Ka1" in own.studies[0].note

    async def test_without_an_error_there_is_nothing_to_practise(self, play_root: Path) -> None:
        async with playing(play_root, QUEEN) as game:
            await game.press("M")
            assert game.notifies(Notice.ERRORS_LATER)
            await game.type_in("Qg8#")
            await game.press("M")
            assert game.said and not game.notifies(Notice.ERRORS_LATER) and not game.app.lab.studies("chess").own()

    @pytest.mark.slow
    @both
    async def test_arrows_step_through_a_finished_game(self, play_root: Path, kind: str) -> None:
        async with self.reviewed(play_root, kind) as game:
            assert "end" in game.crumbs and game.focus() == "score" and game.shown("result", "score")
            end = await game.position()
            await game.press("left", "h")
            before = await game.position()
            await game.press("home")
            assert await game.position() == START[kind] and "move 1" in game.crumbs
            await game.press("right", "down", "l", "up")
            assert "move 2" in game.crumbs
            await game.press("end")
            assert await game.position() == end != before

    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("kind", "error", "grade"),
        [("chess", "2.Ka1", Kind.SLOWER), ("morris", "1.c4-e3xa1", Kind.LOSES)],
    )
    async def test_e_goes_to_the_next_error_and_r_retries(
        self, play_root: Path, kind: str, error: str, grade: Kind
    ) -> None:
        async with self.reviewed(play_root, kind) as game:
            assert game.reason.startswith("1 move ")
            await game.press("e")
            assert game.reason.startswith(f"{error} ") and "Best:" in game.reason
            assert game.grade is grade
            before = await game.position()
            await game.press("r")
            assert await game.position() == before and "Your move" in game.verdict and not game.score

    @pytest.mark.slow
    @both
    async def test_the_chosen_defender_stays(self, play_root: Path, kind: str) -> None:
        """In the game that is played again from a position of it, and in the next one."""
        to_defence = ("down",) * (2 if kind == "chess" else 3)
        async with playing(play_root, START[kind], (*to_defence, "right")) as game:
            for _ in range(2):
                chosen = game.words("setup").partition("Defence ‹ ")[2].split()[0]
                await game.press("right", "enter", "w", "enter", "escape", "home", "r")
                defence = game.words("facts").partition("defence ")[2].split()[0]
                assert defence in list(Defence) and defence != chosen
                await game.press("n")
                assert game.setting_up and f"Defence ‹ {defence} ›" in game.words("setup")

    @pytest.mark.slow
    @pytest.mark.parametrize(("start", "keys"), [(QUEEN, ()), (ENDS, ("i", "i", "enter", "enter"))])
    async def test_a_game_without_errors_says_so(self, play_root: Path, start: str, keys: tuple[str, ...]) -> None:
        async with playing(play_root, start, ("enter", *keys)) as game:
            if not keys:
                await game.type_in("Qg8")
            await game.press("e")
            assert game.notifies(Notice.NO_ERRORS)
            await game.press("v")
            assert game.notifies(Notice.VERDICT_SHOWN)
            await game.press("n")
            assert game.setting_up

    @pytest.mark.parametrize("size", [(120, 40), (80, 24)])
    async def test_every_move_has_its_sentence(self, play_root: Path, size: tuple[int, int]) -> None:
        async with playing(play_root, "8/8/8/8/8/2K5/7R/1k6 w - - 0 1", size=size) as game:
            await game.type_in("Rh3")
            await game.press("w", "enter", "escape", "home")
            seen: set[str] = set()
            while "the end" not in game.crumbs and "finished ▸ end" not in game.crumbs:
                seen.add(game.reason)
                await game.press("right")
            assert len(seen) > 3

    @pytest.mark.slow
    async def test_the_cursor_can_move_on_the_board_after_the_game(self, play_root: Path) -> None:
        async with self.reviewed(play_root, "chess") as game:
            await game.press("home", "tab")
            assert game.focus() == "board"
            await game.press("up", "enter")
            assert "over" in game.said

    @pytest.mark.slow
    @both
    async def test_the_mouse_chooses_a_move(self, play_root: Path, kind: str) -> None:
        async with self.reviewed(play_root, kind) as game:
            await game.press("home")
            await game.pilot.click("#score", offset=(4, 2))
            assert "move 2" in game.crumbs

    @pytest.mark.slow
    async def test_the_solution_is_played_out_until_a_key_is_pressed(
        self, play_root: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(AUTOPLAY, "default", 0.01)
        async with playing(play_root, "8/8/8/8/8/2K5/7R/1k6 w - - 0 1") as game:
            await game.press("w", "enter")
            while "end" not in game.crumbs:
                await game.pilot.pause(0.02)
            assert game.result and game.state.running_match.result.reason is Termination.SHOWN

    @pytest.mark.slow
    async def test_a_half_chosen_move_disappears_when_the_game_ends(self, play_root: Path) -> None:
        async with playing(play_root, MILL) as game:
            await game.type_in("c4-e3")
            await game.press("w", "enter", "escape", "home")
            assert not game.shown("takes") and game.state.plies[0].is_shown


class TestFiles:
    @pytest.mark.slow
    @both
    async def test_a_saved_game_comes_back_identical(self, play_root: Path, kind: str) -> None:
        file = play_root / "deep" / "game.pgn"
        async with playing(play_root, START[kind], size=(140, 30)) as game:
            await game.press("i")
            await game.type_in(SLOW[kind][0])
            await game.press("u")
            await game.type_in(SLOW[kind][0])
            await game.press("w", "enter", "escape")
            await game.type_in(str(file), "o")
            assert "".join(game.said.split()) == f"Savedas{file}."
            saved = file.read_text()
            assert "[%eval #" in saved and "shown by the table" in saved and "[Takebacks" in saved
            await game.type_in(str(file), "o")
            assert "already exists" in game.said
            await game.press("escape")
            await game.press("end")
            score = game.score
            await game.type_in(str(file), "O")
            assert game.shown("result") and game.score == score
            again = play_root / "again.pgn"
            await game.type_in(str(again), "o")
            assert again.read_text() == saved

    @pytest.mark.slow
    async def test_a_saved_game_is_named_after_its_ending(self, play_root: Path) -> None:
        for start, name in ((ROOK, "KRvK-"), (MILL, "3-4-"), (MORRIS.initial_position, "morris-")):
            async with playing(play_root, start) as game:
                await game.press("o", "enter")
                assert "".join(game.said.split()).startswith(f"Savedas{play_root / 'games' / name}")

    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("start", "told"),
        [
            (ROOK, {None: "cannot be read", "": "no game", "1. Ke7 *": "not a legal move"}),
            (MILL, {
                "1. Nf3 e5 *\n": "1. Nf3 is",
                '[Variant "Morabaraba"]\n\n1. d6 f4 *\n': "Morabaraba",
            }),
        ],
    )  # fmt: skip
    async def test_an_unreadable_game_is_refused(
        self, play_root: Path, start: str, told: dict[str | None, str]
    ) -> None:
        file = play_root / "bad.pgn"
        async with playing(play_root, start, keys=(), size=(120, 30)) as game:
            for written, words in told.items():
                if written is not None:
                    file.write_text(written)
                await game.type_in(str(file), "O")
                assert words in game.said and game.setting_up, written
                await game.press("escape")
                assert "Enter" in game.words("last"), written

    @pytest.mark.slow
    async def test_opening_a_file_during_a_game_gives_up_the_game(self, play_root: Path) -> None:
        file = play_root / "short.pgn"
        file.write_text(f'[SetUp "1"]\n[FEN "{QUEEN}"]\n\n1. Qg8# 1-0\n')
        journal = Journal(None)
        async with playing(play_root, journal=journal) as game:
            await game.type_in("Re1")
            await game.press("O")
            await game.type_in(str(file), "enter")
            assert game.shown("result") and game.score == ["Qg8#"]
            assert [record.outcome for record in journal.attempts()] == [Outcome.LEFT]

    async def test_a_game_that_was_over_at_its_start_cannot_be_retried(self, play_root: Path) -> None:
        file = play_root / "over.pgn"
        file.write_text('[SetUp "1"]\n[FEN "k7/1Q6/1K6/8/8/8/8/8 b - - 0 1"]\n\n1-0\n')
        async with playing(play_root, keys=()) as game:
            await game.type_in(str(file), "O")
            await game.press("r")
            assert game.shown("result") and "already over at its start" in game.said

    @pytest.mark.slow
    async def test_moves_after_the_end_are_left_out_with_a_message(self, play_root: Path) -> None:
        file = play_root / "over.pgn"
        file.write_text('[SetUp "1"]\n[FEN "8/8/8/8/8/2k5/8/KQ6 w - - 0 1"]\n\n1. Qb4+ Kxb4 2. Ka2 *\n\n')
        async with playing(play_root, keys=()) as game:
            await game.type_in(str(file), "O")
            assert "its last 1 move" in game.said and game.score == ["Qb4+", "Kxb4"]

    @pytest.mark.slow
    async def test_a_result_thrown_away_by_the_opponent_is_shown(self, play_root: Path) -> None:
        file = play_root / "gone.pgn"
        start = '[White "Somebody"]\n[Black "You"]\n[SetUp "1"]\n[FEN "8/8/8/8/8/2k5/8/KQ6 w - - 0 1"]'
        file.write_text(f"{start}\n\n1. Qb4+ Kxb4 1/2-1/2\n\n")
        async with playing(play_root, keys=()) as game:
            await game.type_in(str(file), "O")
            assert "White: win lost" in game.words("score")
            await game.press("e")
            assert game.notifies(Notice.NO_ERRORS)

    @pytest.mark.slow
    async def test_saved_games_are_listed_and_completed(self, play_root: Path) -> None:
        names = ["KQvK-2026-11-21.pgn", "KRvK-2026-11-20.pgn"]
        async with playing(play_root) as game:
            await game.type_in("Re1")
            for name in names:
                await game.type_in(str(play_root / "games" / name), "o")
            (play_root / "games" / "notes.txt").touch()
            os.utime(play_root / "games" / names[1], (1, 1))
            await game.press("n", "enter", "O")
            assert f"2 saved games: {', '.join(names)}" in game.said and f"Open {names[0]}" in game.text
            await game.press("tab")
            assert names[1] in game.text.splitlines()[-1]
            await game.press("ctrl+u", "K", "Q", "tab", "enter")
            assert game.score[0] == "Re1"

    @pytest.mark.slow
    async def test_typed_or_pasted_text_replaces_the_offered_name(self, play_root: Path) -> None:
        async with playing(play_root, keys=()) as game:
            await game.press("O", *"mi")
            assert "Open mi " in game.text
            await game.press("escape", "O", "end", *"mi")
            assert game.text.endswith("/games/mi")
            await game.press("escape", "O")
            assert game.pilot.app.focused is not None
            game.pilot.app.focused.post_message(Paste("/none"))
            await game.press("left")
            assert "Open /none " in game.text
            await game.press("escape", "O", "ctrl+c")
            assert "Press Esc to close this" in game.text

    async def test_a_name_from_a_message_can_be_opened(self, play_root: Path) -> None:
        folder = play_root / "elsewhere"
        folder.mkdir()
        (folder / "mine.pgn").write_text(f'[SetUp "1"]\n[FEN "{ROOK}"]\n\n1. Re1 *\n')
        async with playing(play_root, keys=(), size=(160, 30)) as game:
            await game.type_in(str(folder), "O")
            assert "mine.pgn" in game.said
            await game.press("ctrl+u", *"mine", "full_stop", *"pgn", "enter")
            assert game.score[0] == "Re1"

    @pytest.mark.slow
    async def test_a_whole_game_can_be_resumed(self, play_root: Path) -> None:
        """No table reaches there, and both may castle: somebody thinks of a reply."""
        file = play_root / "whole.pgn"
        file.write_text('[White "You"]\n[Black "Other"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. O-O *\n')
        async with playing(play_root, keys=(), thinker=Thinker(CHESS)) as game:
            await game.type_in(str(file), "O")
            assert "Your move" in game.verdict and len(game.score) == 8 and game.score[6] == "O-O"
            await game.press("w", "enter", "home")
            assert game.state.plies[0].grade is None and "not in any table" in " ".join(game.text.split())

    @pytest.mark.slow
    async def test_a_missing_reply_is_reported(self, play_root: Path) -> None:
        class Lost(Thinker):
            def think(self, game: Any, limits: Any, on_estimate: Any, on_end: Any) -> None:
                on_end(None)

        file = play_root / "whole.pgn"
        file.write_text('[White "You"]\n[Black "Other"]\n\n1. e4 *\n')
        async with playing(play_root, keys=(), thinker=Lost(CHESS)) as game:
            await game.type_in(str(file), "O")
            assert "No reply" in game.verdict and " u" in game.said
            await game.press("u")
            assert "Your move" in game.verdict


class TestElsewhere:
    @pytest.mark.slow
    @both
    async def test_a_position_is_added_to_the_studies(self, play_root: Path, kind: str) -> None:
        async with playing(play_root, START[kind]) as game:
            await game.press("plus", "enter")
            await settle(game.pilot)
            assert game.said.startswith("Added to")
            (own,) = game.app.lab.studies(kind).own()
            assert own.studies[0].position == START[kind] and own.studies[0].side == "white"
            await game.press("plus", "enter")
            await settle(game.pilot)
            assert game.said.endswith(".") and not game.said.startswith("Added")

    async def test_tab_leaves_a_prompt_open(self, play_root: Path) -> None:
        async with playing(play_root, keys=()) as game:
            await game.press("colon", "K", "tab", "shift+tab", "Q")
            assert ": KQ" in " ".join(text(game.pilot).splitlines()[-1].split())

    @pytest.mark.slow
    async def test_chess_and_morris_keep_their_own_games(self, play_root: Path) -> None:
        async with playing(play_root) as game:
            await game.type_in("Re1")
            await game.press("G")
            assert game.setting_up and "Start" in game.words("setup")
            await game.press("G")
            assert game.score[0] == "Re1" and "Your move" in game.verdict

    @pytest.mark.slow
    @pytest.mark.parametrize("start", [ROOK, LOST, MILL])
    async def test_a_game_starts_from_the_position_of_explore_with_the_winning_side(
        self, play_root: Path, start: str
    ) -> None:
        async with playing(play_root, start, keys=(), typed=False) as game:
            assert await game.position() == start and "You play" in game.words("setup")
            assert "White" in game.words("setup")

    @pytest.mark.slow
    @both
    async def test_positions_are_sent_both_ways(self, play_root: Path, kind: str) -> None:
        async with playing(play_root, START[kind]) as game:
            await game.type_in("Re1" if kind == "chess" else "c4-e3xd6")
            here = await game.position()
            await game.press("s")
            assert "Expl" in game.crumbs and await game.position() == here
            await game.press("full_stop")
            there = await game.position()
            await game.press("s")
            assert "Give up this game?" in game.words("last")
            await game.press("enter")
            assert game.setting_up and await game.position() == there != here

    @pytest.mark.slow
    async def test_before_a_game_the_position_of_explore_is_set_up(self, play_root: Path) -> None:
        async with playing(play_root, MILL, ("1", "full_stop", "3")) as game:
            before = await game.position()
            assert before != MILL
            await game.type_in(ENDS)
            await game.press("2", "3")
            assert await game.position() == ENDS

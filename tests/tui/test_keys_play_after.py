"""Play after the game, files of games and the board editor: every key, pressed as a user presses it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import chess
import pytest

from endgame_core.chess import pgn
from endgame_core.practice.defence import Defence
from endgame_core.practice.journal import Journal
from endgame_core.practice.records import Outcome
from endgame_core.tables.library import Library
from endgame_core.tasks import game_file
from endgame_tui.screens.explore import ExploreScreen
from endgame_tui.widgets.board import Board
from endgame_tui.widgets.prompt import Prompt
from endgame_tui.widgets.score import ScorePanel

from .playing import QUEEN, ROOK, Game, playing


class TestReview:
    @asynccontextmanager
    async def reviewed(self, library: Library, size: tuple[int, int] = (80, 24)) -> AsyncIterator[Game]:
        """KRvK with a slow move, then the mate is shown."""
        async with playing(library, size=size) as game:
            await game.moves("Re1", "Ka1")
            await game.press("w", "enter", "escape", "end")
            yield game

    async def test_stepping(self, library: Library) -> None:
        async with self.reviewed(library) as game:
            last = len(game.match.plies)
            assert game.play.at == last and isinstance(game.pilot.app.focused, ScorePanel)
            await game.press("left", "h")
            assert game.play.at == last - 2
            await game.press("home")
            assert game.play.at == 0 and game.play.position.fen() == ROOK
            await game.press("right", "down", "l", "up")
            assert game.play.at == 2
            await game.press("end")
            assert game.play.at == last and game.play.position.is_checkmate()

    async def test_next_error_and_retry(self, library: Library) -> None:
        async with self.reviewed(library) as game:
            await game.press("e")
            assert game.play.at == 2 and "later" in game.reason and "Best:" in game.reason
            before = game.play.position.fen()
            await game.press("r")
            assert game.play.stage == "play" and game.play.position.fen() == before
            assert game.match.defence is Defence.PERFECT and not game.match.plies

    async def test_no_error_is_said(self, library: Library) -> None:
        async with playing(library, QUEEN) as game:
            await game.moves("Qg8")
            await game.press("e")
            assert "no error" in game.said
            await game.press("v")
            assert "nothing is hidden" in game.said

    @pytest.mark.parametrize("size", [(120, 40), (20, 8)])
    async def test_every_move_has_its_sentence(self, library: Library, size: tuple[int, int]) -> None:
        async with playing(library, "8/8/8/8/8/2K5/7R/1k6 w - - 0 1", size=size) as game:
            await game.moves("Rh3")
            await game.press("w", "enter", "escape", "home")
            seen: set[str] = set()
            for _ in game.match.plies:
                seen.add(game.reason)
                await game.press("right")
            assert len(seen) == len(game.match.plies) > 3

    async def test_the_board_can_be_walked_over(self, library: Library) -> None:
        async with self.reviewed(library) as game:
            await game.press("home", "tab")
            board = game.screen.query_one(Board)
            assert game.pilot.app.focused is board and board.view.cursor == chess.E1
            await game.press("up", "enter")
            assert board.view.cursor == chess.E2 and "game is over" in game.said

    async def test_the_mouse_chooses_a_move(self, library: Library) -> None:
        async with self.reviewed(library) as game:
            await game.press("home")
            await game.pilot.click("#score", offset=(4, 2))
            assert game.play.at == 2


class TestFiles:
    async def test_a_saved_game_comes_back_identical(self, library: Library, tmp_path: Path) -> None:
        file = tmp_path / "deep" / "game.pgn"
        async with playing(library, defence=Defence.TRICKY) as game:
            await game.press("i")
            await game.moves("Re1", "Ka1")
            await game.press("u")
            await game.moves("Kc2")
            await game.press("w", "enter", "escape")
            await game.type_in(str(file), "o")
            assert "saved" in game.said.lower()
            text = file.read_text()
            assert "[%eval #" in text and "after a hint" in text and "shown by the table" in text
            played = game.match
            await game.type_in(str(file), "o")
            assert "is there already" in game.said
            await game.press("escape")
            await game.type_in(str(file), "O")
            assert game.match is not played and game.play.stage == "review"
            assert [ply.grade for ply in game.match.plies] == [ply.grade for ply in played.plies]
            assert pgn.write(game_file.record_of(game.match, game.play.headers)) == text

    async def test_a_game_without_a_result_goes_on(self, library: Library, tmp_path: Path) -> None:
        file = tmp_path / "half.pgn"
        async with playing(library) as game:
            await game.moves("Re1")
            await game.type_in(str(file), "o")
            await game.press("n", "enter")
            await game.type_in(str(file), "O")
            assert game.play.stage == "play" and game.sans[0] == "Re1"

    async def test_what_cannot_be_opened_is_told(self, library: Library, tmp_path: Path) -> None:
        async with playing(library) as game:
            for number, (text, words) in enumerate(
                (("", "no game"), ("1. e4 e5 2. Ke7 *", "no legal move"), (None, "cannot be read"))
            ):
                file = tmp_path / f"bad{number}.pgn"
                if text is not None:
                    file.write_text(text)
                await game.type_in(str(file), "O")
                assert words in game.said and game.play.stage == "play"
                await game.press("escape")

    async def test_opening_a_file_asks_first_when_a_game_is_on(self, library: Library, tmp_path: Path) -> None:
        file = tmp_path / "short.pgn"
        file.write_text(f'[SetUp "1"]\n[FEN "{QUEEN}"]\n\n1. Qg8# 1-0\n')
        journal = Journal(None)
        async with playing(library, journal=journal) as game:
            await game.moves("Re1")
            await game.press("O")
            await game.type_in(str(file), "enter")
            assert game.play.stage == "review" and game.sans == ["Qg8#"]
            assert [record.outcome for record in journal.attempts()] == [Outcome.LEFT]

    async def test_a_position_is_added_to_the_studies(self, library: Library, tmp_path: Path) -> None:
        from endgame_core.practice.studies import Studies

        async with playing(library) as game:
            studies = Studies(library.game, tmp_path / "studies")
            game.screen.session.studies_of = lambda _game: studies
            await game.press("plus", "enter")
            await game.pilot.app.workers.wait_for_complete()
            await game.pilot.pause()
            assert game.said.startswith("Added to")
            (own,) = studies.own()
            assert own.studies[0].position == ROOK and own.studies[0].side == "white"
            await game.press("plus", "enter")
            await game.pilot.app.workers.wait_for_complete()
            await game.pilot.pause()
            assert game.said.endswith(".") and not game.said.startswith("Added")

    async def test_send_to_explore_and_back(self, library: Library) -> None:
        async with playing(library) as game:
            await game.moves("Re1")
            here = game.play.position.fen()
            await game.press("s", "1")
            explore = game.pilot.app.screen
            assert isinstance(explore, ExploreScreen) and explore.walk.position.fen() == here
            await game.press("full_stop", "s", "3", "enter")
            assert game.play.stage == "setup" and game.play.position.fen() == explore.walk.position.fen()

    async def test_a_directory_names_its_games(self, library: Library, tmp_path: Path) -> None:
        (tmp_path / "mine.pgn").touch()
        async with playing(library, begin=False) as game:
            await game.type_in(str(tmp_path), "O")
            assert "is a directory; name one of mine.pgn" in game.said

    async def test_tab_leaves_a_prompt_open(self, library: Library) -> None:
        async with playing(library, begin=False) as game:
            await game.press("colon", "K", "tab", "shift+tab", "Q")
            assert game.pilot.app.screen.query_one(Prompt).text == "KQ"

"""Play under the 50-move rule, with DTM and without: every key, pressed as a user presses it."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import chess
import pytest

from endgame_core.grading import Grade, Kind
from endgame_core.practice.match import End, Result
from endgame_core.tables.library import Library
from endgame_core.tracked import Draw
from endgame_core.values import Category
from endgame_core.words.progress import cost_words
from endgame_tui.screens.play import PlayScreen
from endgame_tui.widgets.clocks import ClocksRow
from endgame_tui.widgets.facts import ResultRows
from endgame_tui.widgets.frame import TopBar
from endgame_tui.widgets.old_moves import MovesPanel
from endgame_tui.widgets.rated import RatedPanel
from endgame_tui.widgets.score import ScorePanel
from endgame_tui.widgets.setup import SetupPanel
from endgame_tui.widgets.words import ReasonRow, VerdictRow

from .fifty import BLESSED, CURSED, SPOILT, TOO_LATE, begun, explore, settle, with_files, words
from .test_keys_explore import opened, said, type_in


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "empty"


class TestPlay:
    async def test_without_dtm_what_dtz_knows_is_played_and_shown(self, dtz_library: Library, tmp_path: Path) -> None:
        (tmp_path / "tables").mkdir()
        os.link(dtz_library.directory / "KQvKR.dtz.egt", tmp_path / "tables" / "KQvKR.dtz.egt")
        async with opened(tmp_path, TOO_LATE) as (pilot, _):
            await pilot.press("3")
            await pilot.pause()
            assert "You can win. There is no DTM table here." in words(pilot, SetupPanel)
            screen = await begun(pilot)
            assert "Replies and hints are those of DTZ." in words(pilot, ReasonRow)
            await pilot.press("i", "i")
            match = screen.play.match
            assert match is not None and match.given is not None and match.given.move.uci() == "e1e4"
            await type_in(pilot, "Qe4")
            await pilot.pause()
            assert len(match.plies) == 2 and match.your_turn
            await pilot.press("w", "enter")
            await pilot.pause()
            assert match.position.is_checkmate() and "Shown by the table" in words(pilot, ResultRows)

    @pytest.mark.parametrize("size", [(80, 24), (120, 40), (60, 30), (40, 20)])
    async def test_without_dtm_the_moves_are_those_of_explore(self, by_dtz: Path, size: tuple[int, int]) -> None:
        async with opened(by_dtz, TOO_LATE, size) as (pilot, _):
            await settle(pilot)
            told = pilot.app.screen.query_one(RatedPanel).view
            screen = await begun(pilot)
            assert "rated" not in screen.regions(screen.size) and not screen.query_one("#rated").can_focus
            await pilot.press("v")
            assert words(pilot, ReasonRow).split()[:3] == ["Win,", "DTZ", "21"] or size[0] < 60
            await pilot.press("m")
            await pilot.pause()
            panel = screen.query_one(RatedPanel)
            assert panel.view == told and len(told.rows) == screen.play.position.legal_moves.count() and panel.has_focus
            await pilot.press("down")
            assert screen.query_one("#reason", ReasonRow).view.heading == told.rows[1].san
            await pilot.press("end", "home", "down", "enter")
            await pilot.pause()
            match = screen.play.match
            assert match is not None and match.plies[0].san == told.rows[1].san and len(match.plies) == 2
            assert panel.cursor == 0 and len(panel.view.rows) == match.position.legal_moves.count()

    async def test_with_syzygy_files_alone_the_moves_are_shown(self, root: Path, truth: Path) -> None:
        async with with_files(root, truth / "syzygy", TOO_LATE) as pilot:
            screen = await begun(pilot)
            await pilot.press("v", "m", "enter")
            await pilot.pause()
            match = screen.play.match
            assert match is not None and match.plies[0].san == "Qe4" and match.plies[0].grade == Grade(Kind.KEEPS)
            await pilot.press("escape")
            await pilot.pause()
            assert words(pilot, ReasonRow).startswith(" Win, DTZ ≈")

    async def test_without_dtm_errors_are_told_and_nothing_is_called_perfect(self, by_dtz: Path) -> None:
        async with opened(by_dtz, TOO_LATE) as (pilot, _):
            screen = await begun(pilot)
            await type_in(pilot, "Qe4")
            await pilot.pause()
            await type_in(pilot, "Qe8")
            await pilot.pause()
            match = screen.play.match
            assert match is not None and match.slips() == [2]
            await pilot.press("w", "enter")
            screen.interrupt()
            await pilot.press("end")
            assert "1 win kept" in words(pilot, ResultRows) and "1 cursed" in words(pilot, ResultRows)
            await pilot.press("e")
            assert screen.query_one("#reason", ReasonRow).view.sentence.endswith(" keeps it.")
            await pilot.press("home")
            assert "keeps the win, and nothing else does." in words(pilot, ReasonRow)
            (record,) = screen.session.journal.attempts()
            assert (record.goal, record.errors, record.uncounted, record.perfect) == ("win", 1, 1, None)
            assert "perfect" not in " ".join(cost_words(record))
            await pilot.press("o", "enter")
            (saved,) = (by_dtz / "games").glob("*.pgn")
            text = " ".join(saved.read_text().split())
            assert "{keeps the win}" in text and "; kept by: " in text and "could not" not in text

    async def test_without_dtm_a_won_game_claims_no_perfection(self, by_dtz: Path) -> None:
        async with opened(by_dtz, "8/8/8/8/1k2r3/8/2K5/3Q4 w - - 0 1") as (pilot, _):
            screen = await begun(pilot)
            assert "You began in a won position." in words(pilot, ReasonRow)
            match = screen.play.match
            assert match is not None
            await type_in(pilot, "Qd6+")
            await pilot.pause()
            match.end(Result("white", End.TIME))
            screen.finish()
            await pilot.press("end")
            assert "perfect" not in words(pilot, ResultRows) and "Every move kept the result." in words(
                pilot, ReasonRow
            )

    async def test_without_dtm_the_standing_tells_that_the_result_changed(self, by_dtz: Path) -> None:
        async with opened(by_dtz, TOO_LATE.replace(" 78 ", " 0 ")) as (pilot, _):
            screen = await begun(pilot)
            await pilot.press("v")
            await type_in(pilot, "Kc1")
            await pilot.pause()
            expected = "Draw  You began in a won position; 1 move played, the result changed 1 time."
            assert words(pilot, ReasonRow).strip() == expected
            await pilot.press("w", "enter")
            screen.interrupt()
            await pilot.press("end")
            assert "1 move was not the best: e goes there." in words(pilot, ReasonRow)
            await pilot.press("e")
            assert "lets the win go: a win becomes a draw." in words(pilot, ReasonRow)

    async def test_a_missing_table_names_no_best_move(self, root: Path, truth: Path, tmp_path: Path) -> None:
        files = tmp_path / "some"
        files.mkdir()
        for suffix in (".rtbw", ".rtbz"):
            shutil.copy(truth / "syzygy" / f"KQvKR{suffix}", files)
        async with with_files(root, files, TOO_LATE) as pilot:
            screen = await begun(pilot)
            await pilot.press("v")
            await pilot.pause()
            assert "a table is missing: replies are estimates." in words(pilot, ReasonRow)
            assert words(pilot, VerdictRow).endswith("win") and not screen.play.told_by_dtz
            match = screen.play.match
            assert match is not None and screen.play.otherwise(match.position) is None
            match.play(match.position.parse_san("Qe5+"))
            match.play(match.position.parse_san("Rg3"))
            assert match.plies[0].grade == Grade(Kind.CURSED) and not screen.session.judge.keeping(match.start)
            match.show([next(iter(match.position.legal_moves))], estimated=True)
            screen.finish()
            await pilot.press("home")
            assert words(pilot, ReasonRow).strip().endswith("the 50-move rule ends it first.")
            await pilot.press("end", "left")
            assert "is what the search plays, an estimate" in words(pilot, ReasonRow)

    async def test_a_table_by_dtm_missing_for_some_moves_is_told(self, dtz_library: Library, tmp_path: Path) -> None:
        (tmp_path / "tables").mkdir()
        os.link(dtz_library.directory / "KPvK.egt", tmp_path / "tables" / "KPvK.egt")
        async with opened(tmp_path, "8/P6k/8/8/8/8/8/1K6 w - - 0 1") as (pilot, _):
            reason = explore(pilot).query_one(ReasonRow).view.sentence
            assert "is not built; press . to build it." in reason and "over" not in reason
            await pilot.press("escape", "3")
            await pilot.pause()
            assert "You can win: mate in 9." in words(pilot, SetupPanel)
            screen = await begun(pilot)
            await pilot.press("v")
            assert "a table is missing: replies are estimates." in words(pilot, ReasonRow)
            assert "mate in 9" in words(pilot, VerdictRow)
            await pilot.press("i")
            match = screen.play.match
            assert match is not None and screen.play.guessed
            match.play(match.position.parse_san("Ka2"))
            assert match.plies[0].grade is not None and match.plies[0].grade.kind.is_counted
            match.end(Result(None, End.AGREED))
            screen.finish()
            await pilot.press("home")
            assert "by DTM." in words(pilot, ReasonRow) and not screen.session.judge.keeping(match.start)

    async def test_by_dtz_alone_you_play_the_side_that_wins_and_a_lost_defender_claims(self, by_dtz: Path) -> None:
        async with opened(by_dtz, "6r1/8/8/8/8/8/7k/3KQ3 b - - 99 1") as (pilot, _):
            await pilot.press("3")
            await pilot.pause()
            assert "Black" in words(pilot, SetupPanel) and isinstance(pilot.app.screen, PlayScreen)
            play = pilot.app.screen.play
            category = play.judge.category(play.position)
            assert category is not None and play.setup.white == (category in (Category.LOSS, Category.BLESSED_LOSS))

    async def test_the_clocks_are_told_with_the_verdict(self, root: Path) -> None:
        async with opened(root, CURSED) as (pilot, _):
            await pilot.press("3", "enter")
            await pilot.pause()
            assert isinstance(pilot.app.screen, PlayScreen)
            assert words(pilot, ClocksRow) == "clock 80/100"
            await pilot.press("v")
            assert "DTM 25 · DTZ 25 · clock 80/100" in words(pilot, ClocksRow)
            assert "cursed win" in words(pilot, VerdictRow)

    async def test_a_hint_keeps_the_win_and_tells_of_a_cursed_one(self, dtz_library: Library, root: Path) -> None:
        async with opened(dtz_library.root, SPOILT) as (pilot, _):
            await pilot.press("3", "enter", "i")
            screen = pilot.app.screen
            assert isinstance(screen, PlayScreen) and screen.play.hint is not None
            assert screen.play.hint.move == chess.Move.from_uci("b6b7") and not said(pilot)
        async with opened(dtz_library.root, "6r1/8/8/8/8/8/7k/3KQ3 w - - 78 1") as (pilot, _):
            await pilot.press("3", "enter", "i")
            screen = pilot.app.screen
            assert isinstance(screen, PlayScreen) and screen.play.hint is not None
            assert screen.play.hint.move == chess.Move.from_uci("e1e4"), "Qe5+ mates sooner, and too late"
        async with opened(root, CURSED) as (pilot, _):
            await pilot.press("3", "enter", "i")
            assert "cursed win" in said(pilot)
            await pilot.press("w")
            assert "cursed win" in said(pilot)

    async def test_the_perfect_defender_minds_the_rule(self, dtz_library: Library) -> None:
        async with opened(dtz_library.root, SPOILT) as (pilot, _):
            await pilot.press("3", "right", "enter")
            await pilot.pause()
            screen = pilot.app.screen
            assert isinstance(screen, PlayScreen) and screen.play.match is not None
            assert screen.play.match.you == "black"
            assert screen.play.match.plies[0].move == chess.Move.from_uci("b6b7")

    async def test_a_win_let_become_cursed_is_an_error_everywhere(self, dtz_library: Library) -> None:
        async with opened(dtz_library.root, TOO_LATE) as (pilot, _):
            screen = await begun(pilot)
            await pilot.press("v")
            await pilot.pause()
            moves = words(pilot, MovesPanel)
            assert "Qe4" in moves.splitlines()[1] and "cursed win" in moves.splitlines()[2]
            assert "Qe5+ lets the win become cursed; Qe4 is best" in " ".join(words(pilot, ReasonRow).split())
            await type_in(pilot, "Qe5+")
            await pilot.pause()
            assert "cursed" in words(pilot, ScorePanel)
            await pilot.press("w", "enter")
            screen.interrupt()
            await pilot.press("end", "e")
            assert "lets the win become cursed" in words(pilot, ReasonRow) and "Best: Qe4." in words(pilot, ReasonRow)
            assert "1 cursed" in words(pilot, ResultRows)
            assert screen.session.journal.attempts()[0].errors == 1
            await pilot.press("o", "enter")
            assert "saved" in said(pilot).lower()
            (saved,) = (dtz_library.root / "games").glob("*.pgn")
            text = saved.read_text()
            saved.unlink()
            assert "lets the win become cursed; best: Qe4" in " ".join(text.split())

    async def test_what_is_shown_keeps_the_win_and_names_no_error(self, dtz_library: Library) -> None:
        async with opened(dtz_library.root, TOO_LATE) as (pilot, _):
            screen = await begun(pilot)
            await pilot.press("w", "enter")
            screen.interrupt()
            match = screen.play.match
            assert match is not None and match.plies[0].san == "Qe4" and match.position.is_checkmate()
            assert all(ply.after.halfmove_clock < 100 for ply in match.plies)

    async def test_hints_win_with_not_a_ply_to_spare(self, dtz_library: Library) -> None:
        async with opened(dtz_library.root, "8/8/6Q1/8/7k/r7/5K2/8 w - - 90 7") as (pilot, _):
            screen = await begun(pilot)
            match = screen.play.match
            assert match is not None
            while match.position.halfmove_clock >= 90:
                await pilot.press("i", "i", "enter")
                await pilot.pause()
            assert "Qxa2" in [ply.san for ply in match.plies] and not match.slips()
            assert match.verdict is not None and match.verdict.winner == "white" and not said(pilot)

    async def test_a_cursed_win_promises_no_mate_and_ends_with_the_claim(self, root: Path) -> None:
        async with opened(root, CURSED.replace(" 80 ", " 92 ")) as (pilot, _):
            await pilot.press("3")
            await pilot.pause()
            assert "A cursed win: mate in 13, but a draw can" in words(pilot, SetupPanel)
            assert "the half-move clock at 92" in words(pilot, ReasonRow)
            screen = await begun(pilot)
            assert words(pilot, ReasonRow).startswith(" You began in a cursed win.")
            match = screen.play.match
            assert match is not None
            while match.result is None:
                await pilot.press("i", "i", "enter")
                await pilot.pause()
            assert match.result.reason is Draw.FIFTY and "The defender claims" in said(pilot)
            assert "a cursed win" in words(pilot, ResultRows) and "4 held" in words(pilot, ResultRows)
            record = screen.session.journal.attempts()[0]
            assert record.goal == "draw" and record.outcome == "failed" and record.hints, "hints solve nothing"

    async def test_a_blessed_loss_is_held_to_the_claim_and_can_be_lost(self, root: Path) -> None:
        async with opened(root, BLESSED.replace(" 80 ", " 94 ")) as (pilot, _):
            await pilot.press("3", "right")
            assert "A blessed loss: hold out" in words(pilot, SetupPanel)
            screen = await begun(pilot)
            match = screen.play.match
            assert match is not None and match.you == "black"
            while screen.play.claim is None:
                await pilot.press("i", "i", "enter")
                await pilot.pause()
            await pilot.press("D", "enter")
            assert match.result is not None and match.result.reason is Draw.FIFTY and not match.slips()
            await pilot.press("n")
            await type_in(pilot, BLESSED.replace(" 80 ", " 74 "))
            await pilot.press("right")
            screen = await begun(pilot)
            await type_in(pilot, "Kf3")
            assert screen.play.match is not None and screen.play.match.slips() == [0]
            await pilot.press("w", "enter")
            screen.interrupt()
            await pilot.press("end", "e")
            assert "loses what the 50-move rule made a draw" in words(pilot, ReasonRow)

    async def test_small_screens_tell_the_category(self, root: Path) -> None:
        async with opened(root, CURSED, (40, 20)) as (pilot, _):
            await begun(pilot)
            await pilot.press("v")
            await pilot.pause()
            assert "+= cursed win" in words(pilot, TopBar)

    async def test_by_dtm_alone_a_late_mate_is_no_promise(self, library: Library) -> None:
        async with opened(library.root, "8/8/8/8/4k3/8/3BN3/3K4 w - - 70 1") as (pilot, _):
            await pilot.press("3")
            await pilot.pause()
            assert "You can force mate in 29, but the clock" in words(pilot, SetupPanel)
            screen = await begun(pilot)
            assert "at mate in 29, the clock at 70" in words(pilot, ReasonRow)
            await pilot.press("i")
            assert "the clock at 70 may allow a draw first" in said(pilot)
            await pilot.press("w", "enter")
            screen.interrupt()
            await pilot.press("end")
            assert screen.play.position.halfmove_clock == 100
            assert "Here a draw can be claimed" in words(pilot, ReasonRow)

"""Play under the 50-move rule, with DTM and without: every key."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from endgame_core.chess.game import CHESS
from endgame_core.game_state import Draw
from endgame_core.practice.journal import Journal
from endgame_core.practice.match import Result, Termination
from endgame_core.tables.library import Library
from endgame_core.values import Grade, Kind
from endgame_core.words.progress import cost_words

from .fifty_moves import BLESSED, CURSED, SPOILT, TOO_LATE
from .playing import SIX, Thinker, playing


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "empty"


@pytest.mark.slow
async def test_without_dtm_games_are_played_by_dtz(by_dtz: Path) -> None:
    async with playing(by_dtz, TOO_LATE, keys=()) as game:
        assert "DTM" in game.words("setup") and game.state.is_rated_by_dtz_only
        await game.press("enter")
        assert "DTZ" in game.reason
        await game.press("i", "i")
        assert game.reason.startswith("Hint Qe4")
        await game.type_in("Qe4")
        assert len(game.score) == 2 and "Your move" in game.verdict
        await game.press("w", "enter", "escape", "end")
        assert game.score[-1].endswith("#") and game.state.running_match.result.reason is Termination.SHOWN


@pytest.mark.slow
@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_without_dtm_moves_are_rated_by_dtz(by_dtz: Path, size: tuple[int, int]) -> None:
    async with playing(by_dtz, TOO_LATE, size=size) as game:
        assert not game.shown("rated")
        await game.press("v")
        assert game.reason.startswith("Win, DTZ 21") and game.shown("rated") and not game.shown("moves")
        await game.press("m")
        assert game.focus() == "rated" and "DTM DTZ ▸Qe4" in game.words("rated")
        await game.press("down")
        second = game.reason.split()[0]
        await game.press("end", "home", "down", "enter", "escape")
        assert game.score[0] == second and len(game.score) == 2


@pytest.mark.slow
async def test_with_syzygy_files_alone_the_moves_are_shown(root: Path, truth: Path) -> None:
    async with playing(root, TOO_LATE, syzygy=str(truth / "syzygy")) as game:
        await game.press("v", "m", "enter", "escape")
        assert game.score[0] == "Qe4" and "✓ keeps the win" in game.words("score")
        assert game.reason.startswith("Win, DTZ ≈")


@pytest.mark.slow
async def test_without_dtm_errors_are_graded_and_nothing_is_called_perfect(by_dtz: Path) -> None:
    journal = Journal(None)
    async with playing(by_dtz, TOO_LATE, journal=journal, size=(140, 30)) as game:
        await game.type_in("Qe4")
        await game.type_in("Qe8")
        await game.press("w", "enter", "escape", "end")
        assert "1 win kept" in game.result and "1 cursed" in game.result
        await game.press("e")
        assert game.reason.startswith("2.Qe8") and game.grade is Kind.CURSED
        await game.press("home")
        assert game.reason.startswith("1.Qe4") and game.grade is Kind.KEEPS
        (record,) = journal.attempts()
        assert (record.goal, record.errors, record.uncounted, record.perfect) == ("win", 1, 1, None)
        assert "perfect" not in " ".join(cost_words(record))
        await game.press("o", "enter")
        (saved,) = (by_dtz / "games").glob("*.pgn")
        written = " ".join(saved.read_text().split())
        assert "{keeps the win}" in written and "; kept by: " in written and "could not" not in written


@pytest.mark.slow
async def test_without_dtm_a_won_game_claims_no_perfection(by_dtz: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr("endgame_tui.app.monotonic", lambda: now[0])
    start = "8/8/8/8/1k2r3/8/2K5/3Q4 w - - 0 1"
    async with playing(by_dtz, start, ("down", "down", "down", "right", "enter")) as game:
        await game.type_in("Qd6+")
        now[0] = 61.0
        await game.pilot.pause(1.2)
        await game.press("end")
        assert "perfect" not in game.result and "perfect" not in game.reason and not game.state.review.slips


@pytest.mark.slow
async def test_without_dtm_the_panel_says_that_the_result_changed(by_dtz: Path) -> None:
    async with playing(by_dtz, TOO_LATE.replace(" 78 ", " 0 ")) as game:
        await game.press("v")
        await game.type_in("Kc1")
        assert game.reason.startswith("Draw ") and "changed 1 time" in game.reason
        await game.press("w", "enter", "escape", "end")
        assert game.reason.startswith("1 move ")
        await game.press("e")
        assert game.reason.startswith("1.Kc1 ") and game.grade is Kind.WIN_GONE


@pytest.mark.slow
async def test_a_missing_table_names_no_best_move(root: Path, truth: Path, tmp_path: Path) -> None:
    files = tmp_path / "some"
    files.mkdir()
    for suffix in (".rtbw", ".rtbz"):
        shutil.copy(truth / "syzygy" / f"KQvKR{suffix}", files)
    async with playing(root, TOO_LATE, syzygy=str(files), thinker=Thinker(CHESS, 1)) as game:
        await game.press("v")
        assert "table is missing" in game.reason and game.state.is_estimated
        assert game.verdict.endswith("estimate +0.35 · depth 3") or game.verdict.endswith("win")
        assert game.shown("moves") and not game.shown("rated")
        await game.type_in("Qe5+")
        await game.press("w", "enter", "escape", "home")
        assert game.grade is Kind.CURSED and "Best" not in game.reason
        await game.press("end", "left")
        assert "estimate" in game.reason


@pytest.mark.slow
async def test_a_dtm_table_missing_for_some_moves_is_reported(dtz_library: Library, tmp_path: Path) -> None:
    (tmp_path / "tables").mkdir()
    os.link(dtz_library.directory / "KRvKP.egt", tmp_path / "tables" / "KRvKP.egt")
    start = "8/7R/8/8/8/1k6/p7/7K b - - 0 1"
    async with playing(tmp_path, start, keys=(), thinker=Thinker(CHESS, 1)) as game:
        assert "mate in 24. 7 of" in game.words("setup")
        await game.press("enter", "v")
        assert "table is missing" in game.reason and "mate in 24" in game.verdict
        await game.press("i")
        assert game.reason.startswith("Hint")
        await game.type_in("Kb2")
        await game.press("w", "enter", "escape", "home")
        assert game.grade is Kind.WIN_GONE


@pytest.mark.parametrize(
    ("start", "side"), [("6r1/8/8/8/8/8/7k/3KQ3 b - - 0 1", "Black"), ("6r1/8/8/8/4Q3/8/7k/3K4 b - - 0 1", "White")]
)
async def test_by_dtz_alone_you_play_the_side_that_wins(by_dtz: Path, start: str, side: str) -> None:
    """In a draw, the side to move."""
    async with playing(by_dtz, start, keys=()) as game:
        assert f"You play ‹ {side} ›" in game.words("setup")


async def test_the_verdict_shows_dtm_dtz_and_the_counter(dtz_library: Library) -> None:
    async with playing(dtz_library.root, CURSED) as game:
        assert game.words("distances") == "", "the rules tell the clock"
        assert "50 moves" in game.words("others") and "40/50" in game.words("others")
        await game.press("v")
        assert "DTM 25 DTZ 25 50-move counter 40/50" in game.words("distances") and "cursed win" in game.verdict


@pytest.mark.slow
async def test_a_hint_keeps_the_win_and_warns_of_a_cursed_one(dtz_library: Library) -> None:
    for start, hint in ((SPOILT, "b7"), (TOO_LATE, "Qe4")):
        async with playing(dtz_library.root, start, ("enter", "i", "i")) as game:
            assert game.reason.startswith(f"Hint {hint}.") and not game.said
    async with playing(dtz_library.root, CURSED, ("enter", "i")) as game:
        assert "cursed win" in game.said
        await game.press("w")
        assert "cursed win" in game.said


async def test_the_perfect_defender_respects_the_50_move_rule(dtz_library: Library) -> None:
    async with playing(dtz_library.root, SPOILT, ("right", "enter")) as game:
        assert "you are Black" in game.crumbs and game.score[0] == "b7"


@pytest.mark.slow
async def test_a_win_let_become_cursed_is_an_error_everywhere(dtz_library: Library) -> None:
    journal = Journal(None)
    async with playing(dtz_library.root, TOO_LATE, ("enter", "v"), journal=journal, size=(120, 28)) as game:
        moves = game.words("moves")
        assert "best ▸Qe4" in moves and "Qe5+" in moves.partition("cursed win")[2]
        assert "Qe5+" in game.reason and "Qe4" in game.reason
        await game.type_in("Qe5+")
        assert "↓" in game.words("score")
        await game.press("w", "enter", "escape", "end", "e")
        assert game.grade is Kind.CURSED and "Best: Qe4." in game.reason
        assert "1 cursed" in game.result and journal.attempts()[0].errors == 1
        await game.press("o", "enter")
        assert "saved" in game.said.lower()
        (saved,) = (dtz_library.root / "games").glob("*.pgn")
        written = saved.read_text()
        saved.unlink()
        assert f"{Grade(Kind.CURSED).words}; best: Qe4" in " ".join(written.split())


@pytest.mark.slow
async def test_the_shown_solution_keeps_the_win_without_errors(dtz_library: Library) -> None:
    async with playing(dtz_library.root, TOO_LATE, ("enter", "w", "enter", "escape", "home")) as game:
        assert game.reason.startswith("1.Qe4")
        await game.press("end")
        assert game.score[-1].endswith("#")


@pytest.mark.slow
async def test_hints_win_with_not_a_ply_to_spare(dtz_library: Library) -> None:
    async with playing(dtz_library.root, "8/8/6Q1/8/7k/r7/5K2/8 w - - 90 7") as game:
        while "Qxa2" not in game.score:
            await game.press("i", "i", "enter")
            assert not game.said
        await game.press("v")
        assert "not all" not in game.reason and "changed" not in game.reason and "mate in" in game.verdict


@pytest.mark.slow
async def test_a_cursed_win_promises_no_mate_and_ends_with_the_claim(dtz_library: Library) -> None:
    journal = Journal(None)
    async with playing(dtz_library.root, CURSED.replace(" 80 ", " 92 "), keys=(), journal=journal) as game:
        assert "cursed win: mate in 13" in game.words("setup") and "46/50" in game.reason
        await game.press("enter")
        assert "cursed win" in game.reason
        while not game.shown("result"):
            await game.press("i", "i", "enter")
        assert game.state.running_match.result == Result(None, Draw.FIFTY)
        assert game.said.startswith("The defender") and "cursed win" in game.result and "4 held" in game.result
        (record,) = journal.attempts()
        assert record.goal == "draw" and record.outcome == "solved" and record.hints, "solved with help"


@pytest.mark.slow
async def test_a_blessed_loss_is_held_to_the_claim_and_can_be_lost(dtz_library: Library) -> None:
    async with playing(dtz_library.root, BLESSED.replace(" 80 ", " 94 "), ("right",)) as game:
        assert "blessed loss" in game.words("setup")
        await game.press("enter")
        assert "you are Black" in game.crumbs
        while "D claims" not in game.words("last-move"):
            await game.press("i", "i", "enter")
        await game.press("D", "enter")
        assert game.state.running_match.result == Result(None, Draw.FIFTY) and not game.state.review.slips
        await game.press("n")
        await game.type_in(BLESSED.replace(" 80 ", " 74 "))
        await game.press("right", "enter")
        await game.type_in("Kf3")
        await game.press("w", "enter", "escape", "end", "e")
        assert game.grade is Kind.LOSES and "50-move rule" in game.reason


@pytest.mark.slow
async def test_small_screens_show_the_category(dtz_library: Library) -> None:
    async with playing(dtz_library.root, CURSED, ("enter", "v"), size=(40, 20)) as game:
        assert "+= cursed win" in game.crumbs


@pytest.mark.slow
async def test_by_dtm_alone_a_late_mate_is_no_promise(play_root: Path) -> None:
    async with playing(play_root, "8/8/8/8/4k3/8/3BN3/3K4 w - - 70 1", keys=()) as game:
        assert "mate in 29 unless" in game.words("setup") and "35/50" in game.words("setup")
        await game.press("enter")
        assert "mate in 29" in game.reason and "35/50" in game.reason
        await game.press("i")
        assert "perhaps" in game.said and "35/50" in game.said
        await game.press("w", "enter", "escape", "end")
        assert "draw can be claimed" in game.reason


@pytest.mark.slow
async def test_without_any_table_the_verdict_is_an_estimate(root: Path) -> None:
    async with playing(root, SIX, ("enter", "v"), thinker=Thinker(CHESS, 1)) as game:
        assert "estimate" in game.verdict and game.state.is_estimated and "No table" in game.reason

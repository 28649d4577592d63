"""Levels and mastered endings follow from the attempts in the journal alone."""

from __future__ import annotations

import json
import random
from pathlib import Path

import chess
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from endgame_core import paths
from endgame_core.chess.game import CHESS
from endgame_core.cli.main import main
from endgame_core.game_state import Win
from endgame_core.judge import Judge
from endgame_core.morris.rules import MorrisMove, Position
from endgame_core.practice.defence import Defence
from endgame_core.practice.drills import Drill, WinGoal
from endgame_core.practice.journal import Journal
from endgame_core.practice.levels import (
    LEVELS,
    MASTERED,
    is_mastered,
    layers_at,
    least_acceptable,
    level_after,
    level_of,
    most_moves,
)
from endgame_core.practice.recorder import RecordingOptions
from endgame_core.practice.records import PLAY, Attempt, Outcome
from endgame_core.practice.stars import plies_allowed
from endgame_core.practice.theme import DrillMode, Start, Starts, parse_theme
from endgame_core.tables.explorer import Explorer
from endgame_core.values import Category
from tests.positions import by_depth

Chess = Explorer[chess.Board, chess.Move]
KEY = "KRvK mate white 5-11"
SOLVED = st.lists(st.booleans(), max_size=60)


def keep(
    journal: Journal, solved: list[bool], key: str = KEY, mode: str = "mate", hints: int = 0, **facts: str
) -> None:
    for each in solved:
        attempt = Attempt(theme=key, ending=key.split()[0], mode=mode, start="x", colour="white", **facts)
        uuid = journal.begin(attempt)
        for _ in range(hints):
            journal.hint(uuid)
        journal.finish(uuid, Outcome.SOLVED if each else Outcome.FAILED)


@given(SOLVED, SOLVED, st.data())
def test_more_success_is_never_a_lower_level(before: list[bool], later: list[bool], data: st.DataObject) -> None:
    assert 1 <= level_after([*before, False, *later]) <= level_after([*before, True, *later]) <= LEVELS
    now = level_after(before)
    assert level_after([*before, True, True]) == min(now + 1, LEVELS)
    assert level_after([*before, False]) == max(now - 1, 1)
    assert level_after([*before, True]) - now in (0, 1)


def test_success_leads_from_the_lowest_to_the_highest_level() -> None:
    assert [level_after([True] * number) for number in (0, 1, 2, 3, 4, 14, 15, 99)] == [1, 1, 2, 2, 3, 8, 8, 8]
    assert level_after([True] * 99 + [False]) == 7


@given(st.integers(1, 120))
def test_higher_levels_have_deeper_windows(count: int) -> None:
    found = [layers_at(count, level) for level in range(1, LEVELS + 1)]
    assert found == sorted(found) and found[0] >= 1 and found[-1] == count
    least = [least_acceptable(level) for level in range(1, LEVELS + 1)]
    assert least == sorted(least, reverse=True) and least[0] == 4 and least[-1] == 1
    most = [most_moves(level) or 999 for level in range(1, LEVELS + 1)]
    assert most == sorted(most)


@pytest.mark.slow
@given(SOLVED)
def test_the_level_is_stored_in_the_journal(solved: list[bool]) -> None:
    journal = Journal(None)
    keep(journal, solved)
    keep(journal, [True] * 9, mode="streak")
    keep(journal, [False] * 3, key="KRvK mate white 21-31")
    journal.begin(Attempt(theme=KEY, ending="KRvK", mode="mate", start="x", colour="white"))
    assert level_of(journal, KEY, "mate") == level_after(solved)
    journal.close()


@pytest.mark.parametrize("key", ["KRvK mate white", "KQvKP mate white", "KQvKR hold white 10-40", "KPvK call"])
def test_a_level_has_its_layers(explorer: Chess, key: str) -> None:
    theme, drawn = parse_theme(key), Starts(explorer, random.Random(2))
    deepest = [drawn.deepest(theme, level) or 0 for level in range(1, LEVELS + 1)]
    assert deepest == sorted(deepest) and deepest[0] < deepest[-1]
    for level in (1, 4):
        for _ in range(12):
            start = drawn.draw(theme, level)
            assert start.perfect is None or theme.low <= start.perfect <= deepest[level - 1]
            assert start.perfect is not None or theme.mode is DrillMode.CALL


@pytest.mark.parametrize("key", ["KRvK mate white 5-11", "KPvK hold", "KBvKP hold"])
def test_starts_have_the_number_of_good_moves_of_their_level(explorer: Chess, key: str) -> None:
    """Counted by the explorer's list of moves: those that keep the result, and lose no more than a solved drill may."""
    theme, drawn = parse_theme(key), Starts(explorer, random.Random(2))
    for level in (1, 5):
        few = 0
        for _ in range(12):
            start = drawn.draw(theme, level)
            moves = by_depth(explorer, start.position)
            most = plies_allowed(start.perfect)
            will_do = sum(move.grade == "best" or (move.grade == "slower" and move.later <= most) for move in moves)
            few += will_do < least_acceptable(level)
        assert few <= 2, "where few such positions come up, the one with most such moves is taken"


def test_only_moves_of_low_levels_are_among_few_moves(explorer: Chess) -> None:
    theme, drawn = parse_theme("KPvKP only"), Starts(explorer, random.Random(2))
    for level in (1, LEVELS):
        counts = [drawn.draw(theme, level).position.legal_moves.count() for _ in range(10)]
        assert level == LEVELS or max(counts) <= 8


def test_an_ending_is_mastered_after_wins_in_a_row_without_help() -> None:
    journal = Journal(None)
    keep(journal, [False] + [True] * (MASTERED - 1), goal="win")
    keep(journal, [True], goal="draw")
    assert not is_mastered(journal, "chess", "KRvK")
    keep(journal, [True], key="KRvK", mode=PLAY, goal="win")
    assert is_mastered(journal, "chess", "KRvK")
    keep(journal, [True], goal="win", hints=1)
    assert not is_mastered(journal, "chess", "KRvK")
    keep(journal, [True] * MASTERED, goal="win")
    assert is_mastered(journal, "chess", "KRvK") and not is_mastered(journal, "chess", "KQvK")
    keep(journal, [False], key="study rook", goal="win")
    assert is_mastered(journal, "chess", "KRvK"), "that was another ending"
    keep(journal, [False], goal="win")
    assert not is_mastered(journal, "chess", "KRvK")


# Conversions


def start_of(explorer: Chess, fen: str) -> Start[chess.Board]:
    board = chess.Board(fen)
    verdict = explorer.probe(board)
    assert verdict.category is Category.WIN
    return Start(board, CHESS.mover(board), verdict.category, verdict.depth)


def won_drill(explorer: Chess, fen: str, key: str, goal: WinGoal = WinGoal.WIN) -> Drill[chess.Board, chess.Move]:
    kept = RecordingOptions(Journal(None))
    return Drill(Judge(explorer), parse_theme(key), start_of(explorer, fen), kept, Defence.PERFECT, goal)


def go(found: Drill[chess.Board, chess.Move]) -> Drill[chess.Board, chess.Move]:
    while not found.standing.over:
        moves = by_depth(found.match.explorer, found.match.position)
        found.play(moves[0].move if found.match.your_turn else found.match.reply(random.Random(1)))
    return found


PAWN = "4k3/8/3K4/4P3/8/8/8/8 w - - 0 1"


def test_a_drill_is_solved_when_the_pawn_has_promoted_and_wins(explorer: Chess) -> None:
    found = go(won_drill(explorer, PAWN, "KPvK mate white"))
    assert found.standing.why == "the pawn has promoted and wins" and found.outcome is Outcome.SOLVED
    last = next(ply for ply in reversed(found.match.plies) if ply.own)
    assert last.move.promotion and found.match.plies[-1].after.queens
    assert go(won_drill(explorer, PAWN, "KPvK mate white", WinGoal.MATE)).standing.why == "checkmate"


def test_a_pawn_that_is_given_away_is_no_conversion(explorer: Chess) -> None:
    found = won_drill(explorer, "8/1Pk5/8/7P/6K1/8/8/8 w - - 0 1", "KPPvK mate white")
    for uci in ("b7b8q", "c7b8"):
        found.play(chess.Move.from_uci(uci))
        assert not found.standing.over
    assert go(found).standing.why == "the pawn has promoted and wins"


@pytest.mark.slow
def test_a_drill_is_solved_when_a_piece_is_won_and_the_rest_is_won(explorer: Chess) -> None:
    fen = "8/8/8/8/3k4/8/3r4/K6Q w - - 0 1"
    assert go(won_drill(explorer, fen, "KQvKR mate white", WinGoal.MATE)).standing.why == "checkmate"
    found = go(won_drill(explorer, fen, "KQvKR mate white"))
    assert found.standing.why == "KQvK is won" and found.outcome is Outcome.SOLVED
    assert CHESS.ending_of(found.match.position) == "KQvK" and found.match.your_turn


def test_drills_with_stones_are_played_to_the_end(morris: Explorer[Position, MorrisMove]) -> None:
    theme = parse_theme("3-4 mate mover 9-19")
    start = Starts(morris, random.Random(3)).draw(theme)
    found = Drill(Judge(morris), theme, start, RecordingOptions(Journal(None)), Defence.VARIED)
    while not found.standing.over:
        moves = by_depth(morris, found.match.position)
        found.play(moves[0].move if found.match.your_turn else found.match.reply(random.Random(1)))
    assert found.standing.why in list(Win) and found.outcome is Outcome.SOLVED


def test_stats_print_levels_and_mastered_endings(tmp_path: Path) -> None:
    journal = Journal(paths.journal_file(tmp_path))
    keep(journal, [False] + [True] * 5, goal="win")
    keep(journal, [True], key="study rook", goal="win")
    journal.close()
    run = CliRunner()
    told = run.invoke(main, ["--data-dir", str(tmp_path), "stats"]).output
    assert "level 3 of 8" in told and "mastered" in told
    found = json.loads(run.invoke(main, ["--data-dir", str(tmp_path), "stats", "--json"]).output)
    assert found["levels"] == LEVELS and {one["theme"]: one["level"] for one in found["themes"]} == {
        KEY: 3,
        "study rook": None,
    }
    assert {one["ending"]: one["mastered"] for one in found["endings"]} == {"KRvK": True, "study": False}

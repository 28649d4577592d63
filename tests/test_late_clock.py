"""By DTM alone with the 50-move counter near 100 plies: a best move is proved to keep the result."""

from __future__ import annotations

import io
import json
import random
import re
from pathlib import Path
from typing import Any

import chess
import pytest
from click.testing import CliRunner, Result

from endgame_core.answers import Answers
from endgame_core.app_context import AppContext
from endgame_core.cli.main import main
from endgame_core.game_state import Draw
from endgame_core.plain.console import Console
from endgame_core.plain.dialogue import Dialogue
from endgame_core.plain.terminal import Terminal
from endgame_core.practice.defence import Defence
from endgame_core.practice.goals import GameGoal
from endgame_core.practice.journal import Journal
from endgame_core.tables.explorer import Explorer
from endgame_core.tables.library import Library
from endgame_core.tasks.game_setup import DEFENCES
from endgame_core.tasks.play_state import REVIEW, PlayState
from endgame_core.tasks.walk import Walk
from endgame_core.values import HORIZON, Category, Grade, Kind
from endgame_core.words import game_report
from endgame_core.words import position as words

PAWN_MOVE = "8/2k2p2/8/K7/6P1/8/8/8 b - - 98 1"
"""By DTM Kd6 is best, but White claims after the answer; f6 alone keeps the win."""

STILL_OPEN = "8/8/8/8/4Q3/8/7k/3K2r1 w - - 90 1"
"""Depth and clock prove nothing of the best moves."""

ESCAPE = "8/8/6pk/8/6K1/8/4R3/8 b - - 98 1"
"""By DTM g5 resists longest, but only king moves reach the claim."""


@pytest.fixture
def lab(library: Library, tmp_path: Path) -> AppContext:
    """Tables by DTM alone."""
    (tmp_path / "tables").symlink_to(library.directory)
    made = AppContext(tmp_path)
    vars(made)["journal"] = Journal(None)
    return made


def call(lab: AppContext, *args: str) -> Result:
    return CliRunner().invoke(main, ["--data-dir", str(lab.root), *args])


def game(lab: AppContext, fen: str, you: str) -> PlayState[Any, Any]:
    play: PlayState[Any, Any] = PlayState(lab, "chess", random.Random(1))
    play.set_up(chess.Board(fen), you)
    return play


def test_probe_and_line_prefer_the_proved_win(lab: AppContext) -> None:
    probe = json.loads(call(lab, "probe", PAWN_MOVE, "--json").stdout)
    assert probe["category"] == "win" and probe["line_by"] == "dtm"
    assert [move["san"] for move in probe["moves"][:2]] == ["f6", "Kd6"]
    assert [move["category"] for move in probe["moves"][:2]] == ["loss", "blessed-loss"]
    assert probe["line"][0] == "f6" and probe["line"][-1].endswith("#")
    assert re.match(r"S41: f6 .* Kd6 .* draw", probe["reason"])
    line = call(lab, "line", PAWN_MOVE)
    assert line.stdout.startswith("1…f6 ") and "50-move rule" not in line.stderr
    assert call(lab, "line", PAWN_MOVE, "--metric", "dtm").stdout.startswith("1…Kd6 ")


def test_the_server_prefers_the_move_that_resets_the_clock(lab: AppContext) -> None:
    found = Answers(lab.judge("chess")).standard(chess.Board(PAWN_MOVE))
    assert found["category"] == "win" and found["moves"][0]["san"] == "f6"


def test_explore_lists_the_move_that_resets_the_clock_first(lab: AppContext) -> None:
    walk: Walk[Any, Any] = Walk(lab, "chess", random.Random(1))
    walk.go(chess.Board(PAWN_MOVE))
    walk.judge.probe(walk.position)
    assert walk.rules.san(walk.position, walk.best()) == "f6"
    assert [rated.san for rated in walk.moves[:2]] == ["f6", "Kd6"]
    listed = words.moves(walk).groups
    assert listed[0].moves == ("f6",) and listed[0].best
    assert "Kd6" in listed[1].moves and listed[1].note == "cursed win"
    assert words.line(walk, 3).moves[0] == "f6"
    assert words.reason(walk).sentence.startswith("f6 is best")
    walk.play_listed(0)
    assert walk.position.board_fen() == "8/2k5/5p2/K7/6P1/8/8/8"


def test_play_advises_the_move_that_resets_the_clock_and_grades_others(lab: AppContext) -> None:
    play = game(lab, PAWN_MOVE, "black")
    expected = game_report.prospect(play)
    assert expected is not None and expected.promise.startswith("You can win: mate in 21")
    play.begin()
    play.hides_verdict = False
    assert game_report.warning(play) == ""
    here = play.position
    assert (
        play.game.san(here, play.best_move()) == play.game.san(here, play.best_line()[0]) == play.line(5)[0][0] == "f6"
    )
    play.make(here.parse_san("Kd6"))
    assert play.match is not None
    slip = play.match.plies[0]
    assert slip.grade is not None and slip.grade.kind is Kind.CURSED
    told, _ = game_report.move_value(play.judge, slip)
    assert told.endswith(". Best: f6.")


@pytest.mark.parametrize("defence", [one for one in DEFENCES if one is not Defence.HUMAN])
def test_every_defender_plays_the_move_that_resets_the_clock(lab: AppContext, defence: Defence) -> None:
    play = game(lab, PAWN_MOVE, "white")
    play.change("defence", DEFENCES.index(defence) - DEFENCES.index(play.setup.defence))
    play.begin()
    assert play.reply() is None
    assert play.match is not None and play.match.plies[0].san == "f6"


def test_plain_mode_names_the_move_that_resets_the_clock(lab: AppContext) -> None:
    written = io.StringIO()
    dialogue = Dialogue(Console(lab, Terminal(True, io.StringIO(), written), random.Random(1)))

    def answered(line: str) -> str:
        written.seek(0)
        written.truncate()
        dialogue.obey(line)
        return written.getvalue()

    answered(PAWN_MOVE)
    assert answered("hint").startswith("f6")
    assert "f6 is best" in answered("why")
    assert answered("line").startswith("1, Black: f6")
    assert answered("best").startswith("f6")
    dialogue.close()


def test_the_goal_is_the_result_that_the_counter_allows(lab: AppContext) -> None:
    """With a draw to be claimed at once, a game is not failed by the draw."""
    play = game(lab, PAWN_MOVE.replace(" 98 ", " 100 "), "black")
    play.begin()
    assert play.recorder is not None and play.recorder.goal is GameGoal.DRAW
    play = game(lab, PAWN_MOVE, "black")
    play.begin()
    assert play.recorder is not None and play.recorder.goal is GameGoal.WIN


def test_the_report_of_a_perfect_game_by_dtm_says_that_the_counter_is_ignored(lab: AppContext) -> None:
    """The win was not proved to be out of reach, so the sentence must not say that it was."""
    play = game(lab, STILL_OPEN, "white")
    play.begin()
    while play.stage != REVIEW:
        if play.your_turn:
            play.make(play.best_move())
        else:
            play.reply()
    assert play.match is not None and play.match.result is not None
    assert play.match.result.reason is Draw.FIFTY
    grades = [ply.grade for ply in play.match.plies if ply.own]
    assert grades and all(grade is not None and not grade.kind.is_error for grade in grades)
    said = game_report.message(play).sentence
    assert said.startswith("Every move was best by DTM; only DTZ takes the 50-move counter into account.")


def test_a_game_that_missed_a_proved_win_is_not_called_perfect(lab: AppContext) -> None:
    play = game(lab, PAWN_MOVE.replace(" 98 ", " 95 "), "black")
    play.begin()
    play.make(play.position.parse_san("Kd6"))
    assert play.match is not None and play.match.plies[0].grade is None
    told, _ = game_report.move_value(play.judge, play.match.plies[0])
    assert "DTZ" in told and told.endswith(". Best: f6.")
    while play.stage != REVIEW:
        if play.your_turn:
            play.make(play.best_move())
        else:
            play.reply()
    assert "Every move was the best" not in game_report.message(play).sentence


def test_the_loser_plays_for_the_draw_claim(lab: AppContext) -> None:
    judge = lab.judge("chess")
    board = chess.Board(ESCAPE)
    known = judge.probe(board)
    assert known.by_depth[0].san == "g5" and known.best is not None and known.best.san == "Kg7"
    assert known.category is Category.BLESSED_LOSS
    probe = json.loads(call(lab, "probe", ESCAPE, "--json").stdout)
    assert re.match(r"S14: Kg7 .* g5 .* draw", probe["reason"])
    assert probe["category"] == "blessed-loss" and probe["line"][0] == probe["moves"][0]["san"] == "Kg7"
    kinds = {rated.san: judge.grade(board, rated.move) for rated in known.legal}
    assert kinds == {"Kg7": Grade(Kind.HOLDS), "Kh7": Grade(Kind.HOLDS), "g5": Grade(Kind.LOSES)}
    play = game(lab, ESCAPE, "white")
    play.begin()
    play.reply()
    assert play.match is not None and play.match.plies[0].san == "Kg7"
    play = game(lab, ESCAPE, "black")
    play.begin()
    play.make(board.parse_san("g5"))
    assert play.match is not None
    assert "50-move rule" in game_report.move_value(play.judge, play.match.plies[0])[0]


class ClaimSearch:
    """Search every line until mate or until a draw can be claimed; DTM decides where the counter cannot.

    Args:
        tables: The tables by DTM.
    """

    def __init__(self, tables: Explorer[chess.Board, chess.Move]) -> None:
        self._tables = tables
        self._results: dict[str, int] = {}

    def result(self, board: chess.Board) -> int:
        """Return 1 if the side to move wins, -1 if it loses, 0 if a draw can be held or claimed."""
        key = board.fen()
        if key not in self._results:
            self._results[key] = self._search(board)
        return self._results[key]

    def _search(self, board: chess.Board) -> int:
        if board.is_checkmate():
            return -1
        verdict = self._tables.probe(board)
        if board.halfmove_clock >= HORIZON or verdict.depth is None:
            return 0
        if board.halfmove_clock + verdict.depth <= HORIZON:
            return 1 if verdict.category is Category.WIN else -1
        return max(self.results_of_moves(board).values())

    def results_of_moves(self, board: chess.Board) -> dict[chess.Move, int]:
        """Return the result of each legal move for the side to move."""
        results: dict[chess.Move, int] = {}
        for move in board.legal_moves:
            board.push(move)
            results[move] = -self.result(board)
            board.pop()
        return results


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["KQvKP", "KRvKP", "KPvKP", "KQvKR", "KRvKN", "KNvKP"])
def test_grades_and_categories_agree_with_a_search(lab: AppContext, ending: str) -> None:
    judge = lab.judge("chess")
    search = ClaimSearch(judge.explorer)
    table = judge.explorer.library.table(ending)
    rng = random.Random(ending)
    compared = 0
    while compared < 40:
        side, slot = table.nth(rng.randrange(table.positions))
        board = judge.game.index.position_at(ending, side, slot).copy()
        board.halfmove_clock = rng.randrange(97, HORIZON)
        depth = judge.explorer.probe(board).depth
        if depth is None or not HORIZON < board.halfmove_clock + depth <= HORIZON + 60 or not any(board.legal_moves):
            continue
        compared += 1
        results = search.results_of_moves(board)
        best = max(results.values())
        fen = board.fen()

        probe = judge.probe(board)
        sure = {Category.WIN: 1, Category.LOSS: -1, Category.MAYBE_WIN: best, Category.MAYBE_LOSS: best}
        assert probe.category is not None and sure.get(probe.category, 0) == best, fen
        is_proved = any(rated.proof is Category.LOSS for rated in probe.legal)
        assert probe.best is not None and (results[probe.best.move] == 1 or not is_proved), fen
        best_grade = judge.grade(board, probe.best.move)
        assert best_grade is None or not best_grade.kind.is_error, fen
        for move, result in results.items():
            grade = judge.grade(board, move)
            if grade is not None and best and result == best:
                assert not grade.kind.is_error, (fen, board.san(move))

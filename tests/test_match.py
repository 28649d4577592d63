"""A game in play: rules, takebacks, hints, draws and results."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import chess
import pytest

from endgame_core.errors import PositionError
from endgame_core.game_state import Draw, Win
from endgame_core.judge import Judge
from endgame_core.practice.defence import Defence, reply
from endgame_core.practice.journal import Journal
from endgame_core.practice.match import Control, Match, Result, Termination
from endgame_core.practice.recorder import Recorder, RecordingOptions
from endgame_core.tables.explorer import Explorer
from endgame_core.values import Category, Grade, Kind
from endgame_core.words.game_report import number_of
from tests.positions import by_depth

Chess = Explorer[chess.Board, chess.Move]
ROOK = "8/8/8/3k4/8/8/8/K6R w - - 0 1"
PAWN = "8/4k3/8/8/4K3/4P3/8/8 w - - 0 1"


def sans(match: Match[chess.Board, chess.Move], *moves: str) -> None:
    for san in moves:
        match.play(match.position.parse_san(san))


def finish(explorer: Chess, match: Match[chess.Board, chess.Move], rng: random.Random) -> None:
    while match.result is None:
        best = by_depth(explorer, match.position)[0]
        match.play(best.move if match.your_turn else reply(match.judge, match.position, match.defence, rng))


@pytest.mark.parametrize("defence", Defence)
def test_a_perfect_game_takes_as_many_moves_as_the_table_says(explorer: Chess, defence: Defence) -> None:
    match = Match(Judge(explorer), chess.Board(ROOK), "white", defence)
    finish(explorer, match, random.Random(1))
    assert match.result == Result("white", Win.MATE) and match.result.score == "1-0"
    tally = match.tally
    assert set(tally.counts) == {Kind.BEST} and tally.plies == 0 and not any(ply.is_slip for ply in match.plies)
    moves = sum(ply.mover == "white" for ply in match.plies)
    assert match.perfect is not None and moves <= match.perfect
    assert moves == match.perfect or defence in (Defence.HUMAN, Defence.TRICKY)


def test_grades_and_errors_are_kept(explorer: Chess) -> None:
    match = Match(Judge(explorer), chess.Board("8/8/8/8/8/2k5/8/KQ6 w - - 0 1"), "white")
    sans(match, "Qb4+")
    assert match.plies[-1].grade and match.plies[-1].grade.kind is Kind.WIN_GONE
    sans(match, "Kxb4")
    assert match.result == Result(None, Draw.MEN)
    assert match.tally.errors == 1 and match.plies[0].is_slip


def test_moves_are_numbered_from_where_the_position_says(explorer: Chess) -> None:
    for turn, names in (("w", ["37.Rh5+", "37…Ke4", "38.Kb2"]), ("b", ["37…Ke4", "38.Rh4+", "38…Kf3"])):
        match = Match(Judge(explorer), chess.Board(ROOK.replace(" w - - 0 1", f" {turn} - - 0 37")), "white")
        assert number_of(match, 0) == 37
        sans(match, *(name.replace("…", ".").split(".")[1] for name in names))
        assert [ply.name for ply in match.plies] == names and number_of(match, 2) == 38


def test_takeback_takes_the_reply_back_too(explorer: Chess) -> None:
    match = Match(Judge(explorer), chess.Board(ROOK), "white")
    recorder = Recorder(match, RecordingOptions(journal := Journal(None)))
    with pytest.raises(PositionError, match="nothing to take back"):
        match.take_back()
    sans(match, "Rh5+", "Ke4", "Kb2")
    assert match.take_back() == 1 and match.position.turn == chess.WHITE
    assert match.take_back() == 2 and match.position == match.start and match.takebacks == 2
    assert [(made.san, made.taken) for made in journal.moves(recorder.uuid)] == [
        ("Rh5+", True), ("Ke4", True), ("Kb2", True),
    ]  # fmt: skip
    assert (attempt := journal.attempt(recorder.uuid)) is not None and attempt.takebacks == 2


def test_a_takeback_never_undoes_the_first_move_of_the_defender(explorer: Chess) -> None:
    match = Match(Judge(explorer), chess.Board(ROOK), "black")
    sans(match, "Rh5+")
    with pytest.raises(PositionError, match="nothing to take back"):
        match.take_back()


def test_hints_come_in_two_steps_and_are_counted(explorer: Chess) -> None:
    match = Match(Judge(explorer), chess.Board(ROOK), "white")
    recorder = Recorder(match, RecordingOptions(journal := Journal(None)))
    best = by_depth(explorer, match.position)[0].move
    assert [match.hint(best).step for _ in range(3)] == [1, 2, 2] and match.hints == 2
    match.play(best)
    assert match.plies[-1].hint_step == 2 and match.last_hint is None
    assert (attempt := journal.attempt(recorder.uuid)) is not None and attempt.hints == 2
    with pytest.raises(PositionError, match="not your move"):
        match.hint(best)


def test_threefold_is_claimed_also_by_announcing_a_move(explorer: Chess) -> None:
    match = Match(Judge(explorer), chess.Board(ROOK), "white")
    assert match.claim() is None
    for _ in range(2):
        sans(match, "Rg1", "Kd6", "Rh1", "Kd5")
    assert match.claim() is not None and match.claim_draw().draw is Draw.THREEFOLD
    assert match.result == Result(None, Draw.THREEFOLD)
    match = Match(Judge(explorer), chess.Board(ROOK), "black")
    sans(match, "Rg1", "Kd6", "Rh1", "Kd5", "Rg1", "Kd6", "Rh1")
    claim = match.claim()
    assert claim is not None and claim.move == chess.Move.from_uci("d6d5")


def test_a_losing_defender_claims_and_a_winning_one_does_not(explorer: Chess) -> None:
    match = Match(Judge(explorer), chess.Board(ROOK), "white")
    sans(match, "Rg1", "Kd6", "Rh1", "Kd5", "Rg1", "Kd6", "Rh1")
    assert match.defender_claims() is not None
    match = Match(Judge(explorer), chess.Board(ROOK.replace(" w ", " b ")), "black")
    sans(match, "Kd6", "Rg1", "Kd5", "Rh1", "Kd6", "Rg1", "Kd5")
    assert match.claim() is not None and match.defender_claims() is None
    match = Match(Judge(explorer), chess.Board(ROOK), "black")
    sans(match, "Rg1", "Kd6", "Rh1", "Kd5", "Rg1", "Kd6", "Rh1")
    assert match.claim() is not None and match.defender_claims() is None, "the claim is yours"


def test_the_50_move_rule_is_claimed_and_the_75_move_rule_ends_the_game(explorer: Chess) -> None:
    board = chess.Board(ROOK.replace("0 1", "98 80"))
    match = Match(Judge(explorer), board, "white")
    assert match.claim() is None
    sans(match, "Rg1")
    assert match.defender_claims() is not None
    sans(match, "Kd6")
    assert match.claim_draw().draw is Draw.FIFTY
    match = Match(Judge(explorer), chess.Board(ROOK.replace("0 1", "149 90")), "white")
    sans(match, "Rg1")
    assert match.result == Result(None, Draw.SEVENTY_FIVE)


def test_the_defender_accepts_a_draw_only_where_it_does_not_win(explorer: Chess) -> None:
    match = Match(Judge(explorer), chess.Board(ROOK), "black")
    with pytest.raises(PositionError, match="not your move"):
        match.offer_draw()
    match = Match(Judge(explorer), chess.Board(ROOK), "white")
    assert not match.offer_draw() and match.result is None
    match = Match(Judge(explorer), chess.Board("8/8/8/8/4k3/8/4P3/K7 b - - 0 1"), "black")
    assert match.offer_draw() and match.result == Result(None, Termination.AGREED) and match.result.score == "1/2-1/2"


def test_shown_moves_are_not_played_moves(explorer: Chess) -> None:
    match = Match(Judge(explorer), chess.Board(ROOK), "white")
    sans(match, "Kb2", "Kd4")
    match.show(match.judge.line(match.position).moves)
    assert match.result == Result(None, Termination.SHOWN) and match.result.score == "*"
    assert match.position.is_checkmate() and len(match.played) == 2 and match.tally.moves == 1
    for forbidden in (match.take_back, match.claim_draw, match.offer_draw, lambda: match.show([])):
        with pytest.raises(PositionError, match="game is over"):
            forbidden()


def test_only_the_user_has_a_clock_and_takebacks_restore_it(explorer: Chess) -> None:
    match = Match(Judge(explorer), chess.Board(ROOK), "white", control=Control(60, 2))
    match.play(match.position.parse_san("Kb2"), 10)
    assert match.left == 52
    match.play(match.position.parse_san("Kd4"), 30)
    assert match.left == 52, "only the person has a clock"
    match.take_back()
    assert match.left == 60
    match.play(match.position.parse_san("Kb2"), 61)
    assert match.result == Result(None, Termination.TIME), "a bare king wins nothing"
    assert match.result.score == "1/2-1/2"
    match = Match(Judge(explorer), chess.Board(ROOK), "black", control=Control(1))
    sans(match, "Kb2")
    match.flag()
    assert match.result == Result("white", Termination.TIME) and match.result.score == "1-0"


@pytest.mark.parametrize(("used", "left"), [(9.5, 5.5), (10, 0), (11, -1)])
def test_time_runs_out_before_the_increment_is_added(used: float, left: float, explorer: Chess) -> None:
    """Whose time is used up has lost before anything is added to it."""
    match = Match(Judge(explorer), chess.Board("8/8/8/3k4/8/8/1R6/K7 w - - 0 1"), "white", control=Control(10, 5))
    match.play(match.position.parse_san("Rb4"), used)
    assert match.left == left and (match.result is None) == (left > 0)


def test_a_game_can_be_over_at_the_start(explorer: Chess) -> None:
    assert Match(Judge(explorer), chess.Board("k7/1Q6/1K6/8/8/8/8/8 b - - 0 1"), "white").result == Result(
        "white", Win.MATE
    )
    assert Match(Judge(explorer), chess.Board("k7/2Q5/1K6/8/8/8/8/8 b - - 0 1"), "white").result == Result(
        None, Draw.STALEMATE
    )


def test_without_tables_a_game_is_played_and_not_graded(empty_library: Any) -> None:
    explorer = Explorer(empty_library.game, empty_library)
    match = Match(Judge(explorer), chess.Board(), "white")
    sans(match, "e4", "e5")
    assert match.plies[0].grade is None and match.verdict is None and match.tally.moves == 0
    assert not match.offer_draw()
    match.flag()
    assert match.result == Result("black", Termination.TIME)


class Told(Judge[chess.Board, chess.Move]):
    """Tells what no table does."""

    def __init__(self, library: Any, category: Category) -> None:
        super().__init__(Explorer(library.game, library))
        self.told = category

    def grade(self, position: chess.Board, move: chess.Move) -> Grade | None:
        return Grade(Kind.KEEPS if position.gives_check(move) else Kind.WIN_GONE)

    def category_by_dtz(self, position: chess.Board) -> Category | None:
        return self.told


def test_a_judge_grades_positions_without_a_table(empty_library: Any) -> None:
    judge = Told(empty_library, Category.LOSS)
    match = Match(judge, chess.Board("n7/8/8/3k4/8/8/8/K6R w - - 0 1"), "white")
    sans(match, "Rh5+", "Kd6", "Kb2", "Kc6")
    assert match.tally.counts == {Kind.KEEPS: 1, Kind.WIN_GONE: 1}
    assert (match.tally.moves, match.tally.counted_moves, match.tally.errors, match.tally.plies) == (2, 1, 1, 0)
    assert [ply.is_slip for ply in match.plies].index(True) == 2 and match.perfect is None and match.verdict is None


@pytest.mark.parametrize("category", Category)
def test_under_the_50_move_rule_only_a_losing_defender_claims(empty_library: Any, category: Category) -> None:
    board = chess.Board("n7/8/8/3k4/8/8/8/K6R b - - 100 90")
    match = Match(Told(empty_library, category), board, "white")
    loses = category in (Category.LOSS, Category.MAYBE_LOSS, Category.BLESSED_LOSS)
    assert (match.defender_claims() is not None) == loses


def test_a_move_that_is_not_legal_is_refused(explorer: Chess) -> None:
    match = Match(Judge(explorer), chess.Board(ROOK), "white")
    with pytest.raises(PositionError, match="not a legal move"):
        match.play(chess.Move.from_uci("a1c3"))


def test_the_game_state_follows_every_action(explorer: Chess, random_board: Callable[[str], chess.Board]) -> None:
    rng = random.Random(3)
    for ending in ("KRvKR", "KPvKP", "KQvKR"):
        match = Match(Judge(explorer), random_board(ending), rng.choice(["white", "black"]))
        for _ in range(60):
            if match.result is not None:
                break
            if rng.random() < 0.2 and any(ply.mover == match.you for ply in match.plies):
                match.take_back()
            else:
                match.play(rng.choice(list(match.game.moves(match.position))))
            assert match.tracked.position == match.position
            assert len(match.plies) == len(match.tracked.history)

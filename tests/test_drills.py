"""When a drill ends, what counts as solved, and what the journal stores."""

from __future__ import annotations

import random
from dataclasses import replace

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from endgame_core.app_context import AppContext
from endgame_core.chess.game import CHESS
from endgame_core.errors import PositionError
from endgame_core.game_state import Draw, Win
from endgame_core.judge import Judge
from endgame_core.practice.defence import Defence, reply
from endgame_core.practice.drills import Answer, Drill, ResultQuestion, WinGoal
from endgame_core.practice.goals import HOLD_MOVES, GameGoal, Standing, reachable_goal
from endgame_core.practice.journal import Journal
from endgame_core.practice.match import Hint, HintStep, Match
from endgame_core.practice.recorder import Recorder, RecordingOptions
from endgame_core.practice.records import PLAY, Outcome
from endgame_core.practice.repetition import FsrsRating
from endgame_core.practice.stars import STARS, count_stars, plies_allowed
from endgame_core.practice.theme import DrillError, DrillMode, Start, Starts, Theme, parse_theme
from endgame_core.tables.explorer import Explorer
from endgame_core.tables.library import Library
from endgame_core.tasks.review import replay
from endgame_core.values import HORIZON, Category, Grade, Kind, Verdict
from tests.positions import by_depth
from tests.practising import best, go, worst

Chess = Explorer[chess.Board, chess.Move]
Drilled = Drill[chess.Board, chess.Move]
ROOK = "8/8/8/3k4/8/8/8/K6R w - - 0 1"
HANGING = "8/8/8/8/8/6k1/5R2/K7 w - - 0 1"
PAWN = "8/8/8/4k3/8/4K3/4P3/8 b - - 0 1"


def drill(explorer: Chess, fen: str, key: str, kept: RecordingOptions | None = None, learner: str = "") -> Drilled:
    board = chess.Board(fen)
    verdict = explorer.probe(board)
    start = Start(board, learner or CHESS.mover(board), verdict.category, verdict.depth)
    return Drill(Judge(explorer), parse_theme(key), start, kept or RecordingOptions(Journal(None)), Defence.PERFECT)


def slowest(found: Drilled) -> chess.Move:
    """Loses plies, never the result."""
    moves = by_depth(found.match.explorer, found.match.position)
    return [move for move in moves if move.grade in ("best", "slower", "faster")][-1].move


SOLVABLE = ["KRvK mate white 5-11", "KPvK hold", "KQvKR hold white 10-20", "KPvK only", "KBNvK mate white 1-19"]


@pytest.mark.parametrize("key", SOLVABLE)
def test_best_play_solves_every_drill_and_is_stored(explorer: Chess, kept: RecordingOptions, key: str) -> None:
    theme = parse_theme(key)
    starts = Starts(explorer, random.Random(3))
    for _ in range(3):
        found = go(Drill(Judge(explorer), theme, starts.draw(theme), kept, Defence.TRICKY), best)
        assert found.outcome is Outcome.SOLVED and found.mark is FsrsRating.EASY and found.match.plies_lost == 0
        record = kept.journal.attempt(found.recorder.uuid)
        assert record is not None
        assert (record.theme, record.label, record.ending) == (theme.key, theme.label, theme.ending)
        assert (record.mode, record.outcome, record.run) == (theme.mode, Outcome.SOLVED, kept.run)
        assert (record.perfect, record.plies_lost, record.errors) == (found.start.perfect, 0, 0)
        moves = kept.journal.moves(record.uuid)
        assert [made.uci for made in moves] == [ply.move.uci() for ply in found.match.plies]
        assert record.seconds == 2.0 * sum(made.own for made in moves)
        start, line = replay(CHESS, record, moves)
        assert start == found.start.position and line[-1].after.fen() == found.match.position.fen()
    card = kept.journal.card(theme.key)
    assert card is not None and card.label == theme.label


@pytest.mark.parametrize("key", ["KRvK mate white 5-11", "KPvK hold", "KPvK only"])
def test_a_changed_result_ends_a_drill_at_once(explorer: Chess, kept: RecordingOptions, key: str) -> None:
    theme = parse_theme(key)
    starts = Starts(explorer, random.Random(4))
    for _ in range(5):
        start = starts.draw(theme)
        if by_depth(explorer, start.position)[-1].grade in ("best", "slower"):
            continue
        found = go(Drill(Judge(explorer), theme, start, recording=kept), worst)
        assert (found.outcome, found.mark, found.match.errors) == (Outcome.FAILED, FsrsRating.AGAIN, 1)
        assert len(found.match.plies) == 1 and not found.standing.reached
        with pytest.raises(PositionError, match="drill is over"):
            found.play(best(found))


def test_a_win_that_takes_long_is_solved_with_one_star(explorer: Chess, kept: RecordingOptions) -> None:
    found = drill(explorer, ROOK, "KRvK mate white 21-31", kept)
    go(found, lambda d: slowest(d) if d.match.plies_lost < 5 else best(d))
    assert found.standing == Standing(True, True, "checkmate")
    assert (found.outcome, found.mark) == (Outcome.SOLVED, FsrsRating.HARD)
    assert found.match.plies_lost > found.allowed == 2
    assert found.stars == 1


def test_the_strict_goal_requires_the_fewest_moves(explorer: Chess, kept: RecordingOptions) -> None:
    theme = parse_theme("KRvK mate white 21-31")
    board = chess.Board(ROOK)
    start = Start(board, "white", Category.WIN, explorer.probe(board).depth)

    def strict() -> Drill[chess.Board, chess.Move]:
        return Drill(Judge(explorer), theme, start, kept, win_goal=WinGoal.FEWEST)

    assert go(strict(), best).outcome is Outcome.SOLVED
    slow = go(strict(), slowest)
    assert (slow.outcome, slow.mark) == (Outcome.FAILED, FsrsRating.AGAIN) and slow.match.moves_made == 1
    helped = strict()
    helped.hint()
    assert helped.is_spoilt and go(helped, best).outcome is Outcome.FAILED
    assert {record.goal for record in kept.journal.attempts()} == {"fewest"}


@given(st.integers(0, 254), st.integers(0, 40), st.integers(0, 4), st.integers(0, 2), st.integers(0, 2))
def test_stars_decrease_with_lost_moves_and_help(
    perfect: int, lost: int, hints: int, takebacks: int, errors: int
) -> None:
    result = count_stars(perfect, lost, hints, takebacks, errors)
    assert 1 <= result <= STARS and (result == STARS) == (not any((lost, hints, takebacks, errors)))
    assert all(
        count_stars(perfect, *more) <= result
        for more in (
            (lost + 1, hints, takebacks, errors),
            (lost, hints + 1, takebacks, errors),
            (lost, hints, takebacks + 1, errors),
            (lost, hints, takebacks, errors + 1),
        )
    )


@given(st.integers(0, 254))
def test_longer_wins_allow_more_lost_plies(perfect: int) -> None:
    assert plies_allowed(perfect) % 2 == 0 and 2 <= plies_allowed(perfect) <= max(2, perfect / 10)
    assert plies_allowed(None) == 2 and plies_allowed(perfect) <= plies_allowed(perfect + 1)


def test_hints_and_takebacks_count(explorer: Chess, kept: RecordingOptions) -> None:
    found = drill(explorer, ROOK, "KRvK mate white 21-31", kept)
    step = found.hint()
    assert step.step == 0 and step.move in list(found.match.position.legal_moves)
    assert [found.hint() for _ in range(3)] == [
        Hint(step.move, shown) for shown in (HintStep.PIECE, HintStep.MOVE, HintStep.MOVE)
    ]
    assert go(found, best).outcome is Outcome.SOLVED and found.mark is FsrsRating.HARD and found.stars == 1
    helped = drill(explorer, ROOK, "KRvK mate white 21-31", kept)
    helped.play(best(helped))
    helped.play(helped.match.reply(random.Random(1)))
    assert helped.take_back() == 2
    assert go(helped, best).outcome is Outcome.SOLVED and helped.mark is FsrsRating.HARD
    records = kept.journal.attempts()
    assert sorted((r.hints, r.takebacks) for r in records) == [(0, 1), (3, 0)]


def test_a_missed_drill_can_be_retried_but_stays_missed(explorer: Chess, kept: RecordingOptions) -> None:
    lost = drill(explorer, HANGING, "KRvK mate white 1-31", kept)
    lost.play(chess.Move.from_uci("a1b1"))
    assert lost.standing == Standing(True, False, "the win is gone") and lost.outcome is Outcome.FAILED
    assert lost.take_back() == 1 and not lost.standing.over
    go(lost, best)
    assert lost.standing.reached and lost.outcome is Outcome.FAILED and lost.mark is FsrsRating.AGAIN
    record = kept.journal.attempt(lost.recorder.uuid)
    assert record is not None and record.outcome is Outcome.FAILED and record.takebacks == 1
    reviews = kept.journal.query("SELECT count(*) FROM reviews WHERE attempt = ?", (record.uuid,))
    assert reviews == [(1,)], "only the first end is rated"


def test_a_draw_is_held_after_the_goal_or_by_the_rules(explorer: Chess) -> None:
    long = go(drill(explorer, "8/8/4k3/8/4K3/4P3/8/8 b - - 0 1", "KPvK hold"), best)
    own = sum(ply.mover == "black" for ply in long.match.plies)
    assert long.outcome is Outcome.SOLVED and own <= HOLD_MOVES
    taken = drill(explorer, "8/8/8/8/8/8/2kP4/K7 b - - 0 1", "KPvK hold")
    taken.play(chess.Move.from_uci("c2d2"))
    assert taken.outcome is Outcome.SOLVED and taken.standing.why == "insufficient material"


@pytest.mark.parametrize("clock", [81, 82])
def test_the_50_move_rule_counts_only_where_best_play_is_in_time(explorer: Chess, clock: int) -> None:
    """Mate in 10, so best play mates at clock 100 at the latest; with less room the rule is left out."""
    fen, key = f"7K/6Q1/8/8/2k5/8/8/8 w - - {clock} 90", "KQvK mate white 1-19"
    found = drill(explorer, fen, key)
    assert found.start.perfect == 19 and found.match.limited == (clock == 81)
    assert go(found, best).outcome is Outcome.SOLVED
    late = drill(explorer, fen, key)
    while not late.match.plies_lost:
        late.play(slowest(late))
        late.play(late.match.reply(random.Random(1)))
    assert go(late, best).standing.why == (str(Draw.FIFTY) if clock == 81 else str(Win.MATE))


def test_a_win_after_a_slip_of_the_defender_solves_a_draw_drill(explorer: Chess) -> None:
    found = drill(explorer, "7R/8/8/3k4/8/8/r7/4K3 b - - 0 1", "KRvKR hold")
    assert found.goal is GameGoal.DRAW
    found.play(chess.Move.from_uci("a2b2"))
    assert not found.standing.over
    found.play(chess.Move.from_uci("h8h2"))
    assert found.standing == Standing(True, True, "more than held") and found.outcome is Outcome.SOLVED


def test_showing_the_solution_fails_the_drill(explorer: Chess, kept: RecordingOptions) -> None:
    found = drill(explorer, ROOK, "KRvK mate white 21-31", kept)
    found.show()
    assert (found.outcome, found.standing.why, found.mark) == (Outcome.FAILED, "shown", FsrsRating.AGAIN)
    assert found.match.position.is_checkmate()
    missed = drill(explorer, HANGING, "KRvK mate white 1-31", kept)
    missed.play(chess.Move.from_uci("a1b1"))
    missed.show()
    assert missed.outcome is Outcome.FAILED


def test_leaving_a_begun_drill_counts_as_left(explorer: Chess, kept: RecordingOptions) -> None:
    untouched = drill(explorer, ROOK, "KRvK mate white 21-31", kept)
    untouched.leave()
    assert untouched.outcome is Outcome.LEFT and kept.journal.attempts() == [] and kept.journal.cards() == []
    begun = drill(explorer, ROOK, "KRvK mate white 21-31", kept)
    begun.play(best(begun))
    assert [found.outcome for found in kept.journal.attempts()] == [Outcome.OPEN]
    begun.leave()
    begun.leave()
    assert [(found.outcome, found.result) for found in kept.journal.attempts()] == [(Outcome.FAILED, "left")]


def test_a_drill_may_begin_with_a_move_of_the_defender(explorer: Chess) -> None:
    found = drill(explorer, ROOK, "KRvK mate white 21-31", learner="black")
    assert found.goal is GameGoal.LAST
    with pytest.raises(PositionError, match="not your move"):
        found.hint()
    reply = found.play(found.match.reply(random.Random(1)))
    assert not reply.own and found.match.moves_made == 0, "the defender's move counts for nobody"
    assert found.match.your_turn


def test_a_drill_requires_a_table(explorer: Chess) -> None:
    board = chess.Board("4k3/8/8/8/8/8/PP6/RR2K3 w - - 0 1")
    with pytest.raises(DrillError, match="no table covers"):
        Drill(
            Judge(explorer),
            parse_theme("study x"),
            Start(board, "white", Category.WIN, 5),
            RecordingOptions(Journal(None)),
        )
    with pytest.raises(DrillError, match="question"):
        drill(explorer, ROOK, "KRvK call")


def test_the_goal_of_a_study_is_its_result_by_the_tables(explorer: Chess, kept: RecordingOptions) -> None:
    theme = Theme("KPvK", DrillMode.HOLD, study="opposition", name="The opposition")
    board = chess.Board("8/8/8/4k3/8/4K3/4P3/8 w - - 0 1")
    start = Starts(explorer, random.Random(2)).of_position(board, "black")
    found = Drill(Judge(explorer), theme, start, kept, Defence.PERFECT)
    assert found.goal is GameGoal.DRAW and not found.match.your_turn
    assert go(found, best).outcome is Outcome.SOLVED
    assert kept.journal.attempts()[0].theme == "study opposition"


def test_a_question_is_answered_once_and_rated(explorer: Chess, kept: RecordingOptions) -> None:
    board = chess.Board(PAWN)
    start = Start(board, "black", Category.DRAW, None)
    right = ResultQuestion(explorer, parse_theme("KPvK call"), start, kept)
    assert right.truth == Answer(Category.DRAW, None) or right.truth.turn_matters is not None
    assert right.answer(right.truth, seconds=3.0) and right.outcome is Outcome.SOLVED and right.mark is FsrsRating.EASY
    with pytest.raises(PositionError, match="has been answered"):
        right.answer(right.truth)
    wrong = ResultQuestion(explorer, parse_theme("KPvK call"), start, kept)
    assert not wrong.answer(Answer(Category.LOSS, wrong.truth.turn_matters)) and wrong.mark is FsrsRating.AGAIN
    first, second = kept.journal.attempts()[::-1]
    assert (first.outcome, second.outcome, second.errors) == (Outcome.SOLVED, Outcome.FAILED, 1)
    made = kept.journal.moves(second.uuid)
    assert [(move.san.split(",")[0], move.grade, move.error) for move in made] == [("loss", "wrong", True)]
    assert replay(CHESS, second, made)[1][0].move is None


@pytest.mark.parametrize(
    ("category", "mover", "learner", "goal"),
    [
        (Category.WIN, "white", "white", GameGoal.WIN), (Category.WIN, "white", "black", GameGoal.LAST),
        (Category.LOSS, "black", "white", GameGoal.WIN), (Category.LOSS, "black", "black", GameGoal.LAST),
        (Category.DRAW, "white", "black", GameGoal.DRAW),
    ],
)  # fmt: skip
def test_the_goal_follows_from_the_verdict_and_the_side(
    category: Category, mover: str, learner: str, goal: GameGoal
) -> None:
    assert reachable_goal(Verdict(category, 1, None), mover, learner) is goal
    assert reachable_goal(None, mover, learner) is GameGoal.ANY


@pytest.mark.parametrize("good", [True, False])
def test_a_game_is_stored_as_an_attempt(explorer: Chess, good: bool) -> None:
    journal = Journal(None)
    match = Match(Judge(explorer), chess.Board(HANGING), "white", Defence.VARIED)
    Recorder(match, RecordingOptions(journal))
    assert journal.attempts() == [], "a game only looked at leaves no trace"
    rng = random.Random(1)
    if not good:
        match.play(chess.Move.from_uci("a1b1"))
        match.take_back()
    while match.result is None:
        board = match.position
        move = by_depth(explorer, board)[0].move if match.your_turn else reply(match.judge, board, match.defence, rng)
        match.play(move)
    record = journal.attempts()[0]
    assert (record.theme, record.ending, record.mode, record.goal) == ("KRvK", "KRvK", PLAY, GameGoal.WIN)
    assert record.outcome is Outcome.SOLVED and record.result == "checkmate"
    assert (record.errors, record.takebacks) == ((0, 0) if good else (1, 1))
    again = Match(Judge(explorer), chess.Board(ROOK), "white")
    left = Recorder(again, RecordingOptions(journal))
    again.play(chess.Move.from_uci("h1h2"))
    left.leave()
    assert journal.attempts()[0].outcome is Outcome.LEFT


def test_a_game_that_began_with_castling_rights_is_replayed(explorer: Chess) -> None:
    journal, start = Journal(None), "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"
    match = Match(Judge(explorer), chess.Board(start), "white")
    Recorder(match, RecordingOptions(journal))
    match.play(chess.Move.from_uci("e1g1"))
    record = journal.attempts()[0]
    first, (played,) = replay(CHESS, record, journal.moves(record.uuid))
    assert first.fen() == start and played.after.king(chess.WHITE) == chess.G1


def test_a_replay_includes_takebacks_and_stops_at_an_illegal_move(explorer: Chess, kept: RecordingOptions) -> None:
    found = drill(explorer, ROOK, "KRvK mate white 21-31", kept)
    found.play(chess.Move.from_uci("h1h5"))
    found.play(chess.Move.from_uci("d5d4"))
    found.take_back()
    found.play(chess.Move.from_uci("a1b2"))
    record = kept.journal.attempts()[0]
    moves = kept.journal.moves(record.uuid)
    line = replay(CHESS, record, moves)[1]
    assert [(step.was_taken_back, step.before.fen() == ROOK) for step in line] == [
        (True, True), (True, False), (False, True),
    ]  # fmt: skip
    assert len(replay(CHESS, record, [moves[0], replace(moves[1], uci="a1a9")])[1]) == 1
    assert len(replay(CHESS, record, [moves[0], replace(moves[1], ply=7)])[1]) == 1


def test_a_drill_is_graded_under_the_50_move_rule_where_dtz_is_known(
    dtz_library: Library, kept: RecordingOptions
) -> None:
    judge, theme = AppContext(dtz_library.root).judge("chess"), parse_theme("KRvK mate white 1-31")
    board = chess.Board(ROOK)
    depth = judge.explorer.probe(board).depth or 0
    slow = next(rated for rated in judge.probe(board).by_depth if rated.grade == "slower")
    board.halfmove_clock = HORIZON - depth
    found = Drill(judge, theme, Start(board, "white", Category.WIN, depth), kept, Defence.PERFECT)
    assert found.play(slow.move).grade == Grade(Kind.CURSED, depth) and found.standing.why == "the win is gone"
    board.halfmove_clock += 1
    unlimited = Drill(judge, theme, Start(board, "white", Category.WIN, depth), kept)
    assert not unlimited.match.limited and unlimited.play(slow.move).grade == Grade(Kind.SLOWER, slow.later)
    unlimited.show()
    assert unlimited.match.position.is_checkmate()

"""The rule from a drill to an FSRS rating and its card; streaks and their rating."""

from __future__ import annotations

import json
import random
import sqlite3
from dataclasses import replace
from pathlib import Path
from typing import Any

import chess
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from endgame_core.practice.drills import Drill, ResultQuestion
from endgame_core.practice.glicko import (
    INITIAL_DEVIATION,
    LEARNER,
    MIN_DEVIATION,
    age_rating,
    expected_score,
    initial_rating,
    rate_game,
)
from endgame_core.practice.journal import Journal, day_of
from endgame_core.practice.records import Card, Outcome, Rating
from endgame_core.practice.repetition import QUICK, FsrsRating, rate, review
from endgame_core.practice.stats import progress
from endgame_core.practice.streak import Streak
from endgame_core.practice.theme import DrillError, DrillMode, Starts, Theme, parse_theme
from endgame_core.tables.explorer import Explorer
from tests.positions import by_depth

DAY = 86_400.0
NOON = 1_795_003_200.0
ROOK = parse_theme("KRvK mate white 5-11")
EFFORT = st.fixed_dictionaries(
    {
        "reached": st.booleans(), "errors": st.integers(0, 3), "plies_lost": st.integers(0, 20),
        "allowed": st.sampled_from([2, 4, 6]), "hints": st.integers(0, 5), "takebacks": st.integers(0, 3),
        "pace": st.floats(0, 100),
    }
)  # fmt: skip


class Clock:
    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def journal(clock: Clock) -> Journal:
    return Journal(None, clock)


@given(EFFORT, st.sampled_from(["errors", "plies_lost", "hints", "takebacks", "pace"]), st.integers(1, 40))
def test_more_errors_or_help_are_never_rated_better(effort: dict[str, Any], what: str, more: int) -> None:
    assert rate(**{**effort, what: effort[what] + more}) <= rate(**effort)
    assert rate(**{**effort, "reached": False}) is FsrsRating.AGAIN


@pytest.mark.parametrize(
    ("found", "mark"),
    [
        (rate(True, pace=QUICK), FsrsRating.EASY), (rate(True, pace=QUICK + 1), FsrsRating.GOOD),
        (rate(True, plies_lost=2, pace=1), FsrsRating.GOOD), (rate(True, plies_lost=4), FsrsRating.HARD),
        (rate(True, plies_lost=4, allowed=4), FsrsRating.GOOD), (rate(True, hints=1), FsrsRating.HARD),
        (rate(True, hints=9), FsrsRating.HARD), (rate(True, takebacks=1), FsrsRating.HARD),
        (rate(True, pace=99), FsrsRating.GOOD), (rate(True, errors=1), FsrsRating.HARD),
        (rate(False), FsrsRating.AGAIN), (rate(False, pace=1), FsrsRating.AGAIN),
    ],
)  # fmt: skip
def test_the_rating_follows_from_errors_help_and_pace(found: FsrsRating, mark: FsrsRating) -> None:
    assert found is mark


@given(st.lists(st.tuples(st.sampled_from(FsrsRating), st.integers(0, 40)), max_size=6))
@settings(max_examples=40)
def test_a_better_rating_is_never_due_sooner(history: list[tuple[FsrsRating, int]]) -> None:
    clock = Clock()
    journal = Journal(None, clock)
    for mark, days in history:
        review(journal, ROOK, mark)
        clock.now += days * DAY
    before = journal.card(ROOK.key)
    dues: list[float] = []
    for mark in FsrsRating:
        journal.drop_card(ROOK.key)
        if before is not None:
            journal.keep(before)
        dues.append(review(journal, ROOK, mark).due)
    assert dues == sorted(dues) and clock.now < dues[0] <= dues[-1] <= clock.now + 365 * DAY


def test_the_same_history_gives_the_same_card(clock: Clock) -> None:
    cards = []
    for _ in range(2):
        journal = Journal(None, clock)
        review(journal, ROOK, FsrsRating.GOOD)
        cards.append(review(journal, ROOK, FsrsRating.EASY))
    assert cards[0] == cards[1]


def test_a_miss_is_due_today_and_a_success_later(journal: Journal, clock: Clock) -> None:
    other, today = parse_theme("KPvK hold"), day_of(clock.now)
    missed, solved = review(journal, other, FsrsRating.AGAIN), review(journal, ROOK, FsrsRating.GOOD)
    assert day_of(missed.due) == today < day_of(solved.due), "a miss comes again in ten minutes"
    assert journal.cards() == [missed, solved]
    journal.drop_card(ROOK.key)
    assert journal.cards() == [missed]


def test_the_card_of_a_study_keeps_its_name(journal: Journal) -> None:
    study = Theme("KRPvKR", DrillMode.MATE, study="lucena", name="Lucena")
    found = review(journal, study, FsrsRating.GOOD)
    assert (found.theme, found.label, found.ending) == ("study lucena", "Lucena", "KRPvKR")


STATE = st.one_of(
    st.text(max_size=20),
    st.sampled_from(["[" * 10_000, "9" * 5_000]),
    st.dictionaries(
        st.sampled_from(["card_id", "state", "step", "stability", "difficulty", "due", "last_review"]),
        st.sampled_from([None, -1, 0, 2, 7, 1e300, "x", "2026-01-01", "2026-01-01T00:00:00+00:00", [], {}, True]),
    ).map(json.dumps),
)


@given(STATE, st.sampled_from(FsrsRating))
@settings(max_examples=60)
def test_a_card_with_an_unreadable_state_starts_again(state: str, mark: FsrsRating) -> None:
    journal = Journal(None, Clock())
    journal.keep(Card(theme=ROOK.key, due=1.0, state=state))
    card = review(journal, ROOK, mark)
    assert card.due > NOON and json.loads(card.state)["last_review"]


RATING = st.builds(
    Rating, name=st.just("x"), rating=st.floats(100, 3000), deviation=st.floats(MIN_DEVIATION, INITIAL_DEVIATION),
    games=st.integers(0, 500), updated=st.just(NOON),
)  # fmt: skip


@given(RATING, RATING)
def test_the_winner_gains_rating_and_all_deviations_shrink(ours: Rating, theirs: Rating) -> None:
    won, lost = rate_game(ours, theirs, True, NOON), rate_game(ours, theirs, False, NOON)
    assert won.rating >= ours.rating >= lost.rating and won.games == ours.games + 1
    assert MIN_DEVIATION <= won.deviation <= ours.deviation
    assert 0 <= expected_score(ours, theirs) <= 1
    later = age_rating(replace(ours, games=1), NOON + 10 * DAY)
    assert ours.deviation <= later.deviation <= INITIAL_DEVIATION and later.rating == ours.rating
    assert later.deviation > ours.deviation or ours.deviation > INITIAL_DEVIATION - 0.01
    assert age_rating(later, NOON - DAY) == later, "a clock that goes back forgets nothing"


def test_glicko_gives_the_published_example() -> None:
    """The worked example of Glickman's paper, one game at a time: 1500, deviation 200, beats 1400 with deviation 30."""
    ours, theirs = Rating(name="a", rating=1500, deviation=200), Rating(name="b", rating=1400, deviation=30)
    assert expected_score(ours, theirs) == pytest.approx(0.639, abs=0.001)
    assert rate_game(ours, theirs, True, NOON).rating == pytest.approx(1563.5, abs=0.5)


@pytest.fixture
def starts(explorer: Explorer[chess.Board, chess.Move]) -> Starts[chess.Board, chess.Move]:
    return Starts(explorer, random.Random(7))


def solve(item: ResultQuestion[chess.Board, chess.Move] | Drill[chess.Board, chess.Move], right: bool) -> None:
    if isinstance(item, ResultQuestion):
        others = [found for found in type(item.truth.result) if found is not item.truth.result]
        item.answer(item.truth if right else replace(item.truth, result=others[0]))
    else:
        item.play(by_depth(item.match.explorer, item.match.position)[0 if right else -1].move)


def test_a_streak_ends_with_the_first_miss(starts: Starts[chess.Board, chess.Move], clock: Clock) -> None:
    journal = Journal(None, clock)
    streak = Streak(starts, ["KPvK", "KQvKP"], journal, random.Random(1), clock=lambda: 0.0)
    rating = streak.rating.rating
    for count in range(8):
        item = streak.next()
        with pytest.raises(DrillError, match="not finished"):
            streak.score(item)
        solve(item, True)
        step = streak.score(item)
        assert step.solved and step.change > 0 and streak.count == count + 1
        assert streak.rating.rating > rating
        rating = streak.rating.rating
    item = streak.next()
    solve(item, False)
    assert streak.score(item).change < 0 and streak.is_over and streak.count == 8
    with pytest.raises(DrillError, match="over"):
        streak.next()
    records = journal.attempts()
    assert len(records) == 9 and len({record.run for record in records}) == 1 and journal.cards() == []
    assert {record.mode for record in records} == {DrillMode.STREAK}
    assert {record.theme for record in records} <= {"KPvK call", "KPvK only", "KQvKP call", "KQvKP only"}
    assert sum(record.outcome is Outcome.SOLVED for record in records) == 8
    kept = journal.rating(LEARNER)
    assert kept is not None and kept.games == 9 and kept == streak.rating
    assert Streak(starts, ["KPvK"], journal, random.Random(1)).rating == kept


def test_a_streak_ends_with_its_time(starts: Starts[chess.Board, chess.Move], clock: Clock) -> None:
    now = [0.0]
    journal = Journal(None, clock)
    streak = Streak(starts, ["KPvK"], journal, random.Random(1), clock=lambda: now[0], seconds=60)
    item = streak.next()
    now[0] = 59.0
    solve(item, True)
    assert streak.score(item).solved and streak.seconds_left == 1.0
    item = streak.next()
    now[0] = 61.0
    solve(item, True)
    step = streak.score(item)
    assert not step.solved and step.change == 0 and streak.count == 1 and streak.is_over and streak.seconds_left == 0
    found = progress(journal)
    assert found.best_streak == found.drills == 1


def test_an_unreadable_rating_is_not_overwritten(
    starts: Starts[chess.Board, chess.Move], tmp_path: Path, clock: Clock
) -> None:
    path, kept = tmp_path / "journal.sqlite3", Rating(name=LEARNER, rating=1800, deviation=60, games=9, updated=NOON)
    with_rating = Journal(path, clock)
    with_rating.keep(kept)
    with_rating.close()
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("PRAGMA locking_mode = EXCLUSIVE")
    other.execute("BEGIN EXCLUSIVE")
    journal = Journal(path, clock, patience=0.01)
    streak = Streak(starts, ["KPvK"], journal, random.Random(1))
    item = streak.next()
    solve(item, True)
    assert streak.score(item).solved and streak.count == 1
    other.execute("ROLLBACK")
    other.close()
    assert streak.rating == kept
    journal.close()
    assert Journal(path, clock).rating(LEARNER) == kept


def test_a_streak_requires_a_built_ending(starts: Starts[chess.Board, chess.Move]) -> None:
    with pytest.raises(DrillError, match="no ending"):
        Streak(starts, [], Journal(None), random.Random(1))
    assert initial_rating("x") == Rating(name="x", rating=1500, deviation=350)

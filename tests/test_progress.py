"""The text of Progress and of a replayed attempt."""

from __future__ import annotations

import random
from datetime import date
from pathlib import Path
from typing import Any, cast

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from endgame_core import paths
from endgame_core.chess.game import CHESS
from endgame_core.errors import NotBuiltError
from endgame_core.practice.journal import Journal
from endgame_core.practice.records import Attempt, Made, Outcome, Record
from endgame_core.practice.stats import ENOUGH, progress
from endgame_core.probe_result import ProbeResult
from endgame_core.tasks.review import ReviewSession
from endgame_core.values import Kind
from endgame_core.words import progress as words
from endgame_core.words.game_report import rows_of
from endgame_core.words.progress import JournalSummary, day_words
from endgame_tui.widgets.charts import STEPS, height_step

from .tui.seeded_journal import NOW, seed

TODAY = date(2026, 11, 21).toordinal()


def test_days_are_named_relative_to_today() -> None:
    said = [day_words(TODAY - ago, TODAY) for ago in (0, 1, 2, 13, 14, 325, -1)]
    assert said == ["today", "yesterday", "2 days ago", "13 days ago", "7 Nov", "31 Dec 2025", "22 Nov"]


@given(st.integers(0, 500))
def test_the_bar_of_a_day_shows_its_number_of_drills(drills: int) -> None:
    least = [step for step, _ in STEPS]
    height = height_step(drills)
    assert least[height] <= drills and (height == len(least) - 1 or drills < least[height + 1])


def test_the_figures_are_those_of_the_statistics(tmp_path: Path) -> None:
    seed(tmp_path)
    journal = Journal(paths.journal_file(tmp_path), clock=lambda: NOW)
    found = JournalSummary(progress(journal), tuple(journal.cards()))
    lost = [record.plies_lost for record in found.progress.lost if not record.errors]
    assert found.progress.plies_lost == pytest.approx(sum(lost) / len(lost))
    assert sum(found.progress.days) == found.progress.drills
    assert [len(found.due_on(ahead)) for ahead in range(7)] == list(found.progress.due)
    journal.close()


def test_the_weeks_count_the_attempts(tmp_path: Path) -> None:
    seed(tmp_path)
    journal = Journal(paths.journal_file(tmp_path), clock=lambda: NOW)
    found = progress(journal, recent=10_000)
    assert [week.first for week in found.weeks] == [found.first + 7 * n for n in range(len(found.weeks))]
    for week in found.weeks:
        records = [record for record in found.recent if week.first <= record.day < week.first + 7]
        solved = [record for record in records if record.outcome is Outcome.SOLVED]
        flawless = [
            record
            for record in solved
            if not (record.plies_lost or record.hints or record.takebacks or record.errors or record.uncounted)
        ]
        assert (week.drills, week.solved, week.perfect) == (len(records), len(solved), len(flawless))
    assert sum(week.drills for week in found.weeks) == found.drills > 0
    journal.close()


def test_recent_lost_moves_are_compared_with_the_month_before(tmp_path: Path) -> None:
    day = 86_400.0
    for ago, plies in ((2, 2), (45, 6)):
        journal = Journal(tmp_path / "journal.sqlite3", clock=lambda ago=ago: NOW - ago * day)
        for _ in range(ENOUGH):
            begun = Attempt(
                theme="KRvK mate white 1-31", label="win", ending="KRvK", mode="mate", start="", colour="white"
            )
            uuid = journal.begin(begun)
            journal.move(uuid, Made(1, "a1a2", "Ra2", True, "slower", plies))
            journal.finish(uuid, Outcome.SOLVED, "")
        journal.close()
    journal = Journal(tmp_path / "journal.sqlite3", clock=lambda: NOW)
    found = progress(journal)
    assert (found.lost_lately, found.lost_before) == (2.0, 6.0)
    assert words.lost_trend(found) == "moves lost: 1.0 per drill in 30 days, previously 3.0"
    journal.close()


def _attempt(start: chess.Board, choose: random.Random, steps: int) -> tuple[Record, list[Made]]:
    """A random game from a position, with moves taken back, as the journal would have it."""
    line, made = [start.copy()], list[Made]()
    for _ in range(steps):
        if len(line) > 2 and choose.random() < 0.2:
            line = line[: choose.randrange(1, len(line))]
        board = line[-1]
        moves = list(board.legal_moves)
        if not moves:
            break
        move, kind = choose.choice(moves), choose.choice(list(Kind))
        lost = 2 if kind in (Kind.SLOWER, Kind.FASTER) else 0
        own = board.turn == chess.WHITE
        made.append(Made(len(line), move.uci(), board.san(move), own, kind, lost, kind.is_error, 5, 1.0, own))
        line.append(board.copy())
        line[-1].push(move)
    record = Record(
        theme="t", ending="KRvK", mode="mate", start=start.fen(), colour="white", perfect=11, uuid="u", started=NOW,
        day=TODAY,
    )  # fmt: skip
    return record, made


starts = st.sampled_from(
    ["4k3/8/3K4/4P3/8/8/8/8 w - - 0 1", "7R/8/8/8/4k3/8/8/K7 b - - 0 1", "8/8/8/3k4/8/1N6/3B4/K7 w - - 0 1"]
)


class Ignorant:
    """A judge that knows nothing."""

    game = CHESS

    def probe(self, position: chess.Board) -> ProbeResult[chess.Board, chess.Move]:
        return ProbeResult(CHESS, position, problem=NotBuiltError("KPvK"))


def reviewed(record: Record, made: list[Made]) -> ReviewSession[Any, Any]:
    return ReviewSession.of_attempt(cast("Any", Ignorant()), record, made)


@pytest.mark.slow
@given(starts, st.integers(0, 2**32), st.integers(0, 40))
def test_a_replay_holds_every_move_once_and_steps_through_them(fen: str, salt: int, steps: int) -> None:
    record, made = _attempt(chess.Board(fen), random.Random(salt), steps)
    replay = reviewed(record, made)
    assert replay.missing == 0 and [item.san for item in replay.items] == [each.san for each in made]
    numbers = [ply for row in rows_of(replay.items) for ply in row.plies if ply >= 0]
    assert sorted(numbers) == numbers == list(range(len(made)))
    for number, item in enumerate(replay.items):
        assert replay.at == number and replay.position == item.before
        assert words.review_crumbs(replay, record, TODAY, False)[-1] == f"{number + 1} of {len(made)}"
        assert words.review_reason(replay, record).heading.startswith(item.name)
        came = replay.came_by
        assert (came is None) == (item.number == 1)
        if came is not None:
            assert replay.position.color_at(came.to_square) != replay.position.turn
            assert replay.position.piece_at(came.from_square) is None
        replay.step(1)
    assert replay.item is None
    slips = [number for number, move in enumerate(made) if move.own and (move.error or move.plies)]
    found = [replay.at for _ in slips if replay.next_error()]
    assert found == slips and replay.next_error() == bool(slips)
    assert words.review_reason(reviewed(record, []), record).sentence == "The end of the attempt.  No move was made."


def test_moves_that_cannot_be_replayed_are_reported() -> None:
    record, _ = _attempt(chess.Board("4k3/8/3K4/4P3/8/8/8/8 w - - 0 1"), random.Random(1), 0)
    replay = reviewed(record, [Made(1, "d6e6", "Ke6", True), Made(2, "a1a8", "Ra8", False)])
    replay.step(9)
    assert (len(replay.items), replay.missing) == (1, 1)
    assert "1 move at the end cannot be shown on the board" in words.review_reason(replay, record).sentence


def test_answers_are_right_or_wrong() -> None:
    record, _ = _attempt(chess.Board("4k3/8/3K4/4P3/8/8/8/8 w - - 0 1"), random.Random(1), 0)
    replay = reviewed(record, [Made(1, "", "draw", True, error=True), Made(2, "", "win", True)])
    assert (words.review_reason(replay, record).sentence, words.review_reason(replay, record).role) == (
        "a wrong answer.",
        "loss",
    )
    replay.step(1)
    assert words.review_reason(replay, record).sentence == "the right answer."
    marks = [row.mark.words for row in rows_of(replay.items, words.UNGRADED) if row.mark]
    assert marks == ["wrong", "right"]

"""Training sessions without a screen, in both games: choices, the order of drills, and their texts."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from endgame_core import paths
from endgame_core.errors import EndgameError, NotBuiltError
from endgame_core.judge import Judge
from endgame_core.practice import stats
from endgame_core.practice.course import Course, DrillItem
from endgame_core.practice.defence import Defence
from endgame_core.practice.drills import WinGoal
from endgame_core.practice.journal import Journal
from endgame_core.practice.records import Card, Outcome
from endgame_core.practice.studies import MY_POSITIONS, Studies
from endgame_core.practice.theme import DrillError, DrillMode, Start, parse_theme
from endgame_core.tables.explorer import Explorer
from endgame_core.tasks.drill_picker import DUE, DrillPicker
from endgame_core.tasks.drill_search import DrillSearch
from endgame_core.tasks.resume import DRILL, unfinished_session
from endgame_core.tasks.start_samples import StartSamples
from endgame_core.tasks.training_session import Stage, TrainingPlan, TrainingSession
from endgame_core.values import Category
from endgame_core.words import drill as drill_words
from endgame_core.words import practice as practice_words
from endgame_core.words.game_report import go_on
from endgame_core.words.glossary import speech_of
from endgame_core.words.text_model import TextRow, TextSpan, fitted, in_moves
from tests.positions import by_depth

NOW = datetime(2026, 11, 21, 12, 0).timestamp()
DAY = 86_400.0


@dataclass
class Ticking:
    """A clock that goes on only when told to."""

    now: float = 0.0

    def __call__(self) -> float:
        return self.now


@dataclass
class Practice:
    """What is there to practise in one game, and how it is called there.

    Attributes:
        root: The data directory.
        explorer: The tables.
        course: The course.
        clock: The seconds of a drill.
        win: An ending with a theme of winning.
        won: A won position.
    """

    root: Path
    explorer: Explorer[Any, Any]
    course: Course
    clock: Ticking
    win: str
    hold: str
    won: str

    def chooser(self, name: str = "") -> DrillPicker:
        chooser = DrillPicker(self.course, self.explorer, random.Random(5))
        if name:
            key = DrillSearch(chooser).find(name)
            assert key is not None
            chooser.go(key)
        return chooser

    def sitting(self, order: TrainingPlan, seed: int = 7) -> TrainingSession:
        sitting = TrainingSession(order, Judge(self.explorer), self.course, random.Random(seed), self.clock)
        sitting.next()
        return sitting

    def start(self, name: str, mode: DrillMode | None = None, seed: int = 7) -> TrainingSession:
        chooser = self.chooser(name)
        while mode is not None and chooser.wish.mode is not mode:
            chooser.change(0, 1)
        return self.sitting(chooser.plan(), seed)


@pytest.fixture(params=["chess", "morris"])
def practice(
    request: pytest.FixtureRequest,
    tmp_path: Path,
    explorer: Explorer[Any, Any],
    morris: Explorer[Any, Any],
) -> Practice:
    used = morris if request.param == "morris" else explorer
    game = used.game
    journal = Journal(paths.journal_file(tmp_path), clock=lambda: NOW)
    course = Course(game, used.library, Studies(game, tmp_path / "studies"), journal)
    course.refresh()
    if game.name == "chess":
        return Practice(tmp_path, used, course, Ticking(), "KRvK", "KPvK", "8/8/4k3/8/4K3/8/4P3/8 w - - 0 1")
    return Practice(tmp_path, used, course, Ticking(), "3-4", "4-3", "OO1O4/X6X/X7 w")


def text(notes: TextRow | tuple[TextRow, ...]) -> str:
    rows = (notes,) if isinstance(notes, TextRow) else notes
    return "\n".join("".join(word.text for word in (*note.left, *note.right)) for note in rows)


def comment(sitting: TrainingSession) -> str:
    return text(drill_words.comment(sitting))


def reply(sitting: TrainingSession) -> None:
    find, position = sitting.wanted_reply(), sitting.position
    if find is not None:
        move = find()
        assert sitting.position is position
        sitting.play(move)
        assert sitting.position is not position


def make(sitting: TrainingSession, worst: bool = False) -> Any:
    moves = by_depth(sitting.explorer, sitting.position)
    chosen = moves[-1 if worst else 0].move
    sitting.play(chosen)
    reply(sitting)
    return chosen


def answer(sitting: TrainingSession, right: bool = True) -> None:
    question = sitting.question
    assert question is not None
    results = (Category.WIN, Category.DRAW, Category.LOSS)
    truth = question.truth.result
    sitting.answer_result(truth if right else next(result for result in results if result is not truth))
    if question.truth.turn_matters is not None:
        assert sitting.stage is Stage.TURN_MATTERS
        assert sitting.why_no_move == "a question has no moves: yes or no?"
        sitting.answer_turn_matters(question.truth.turn_matters)


def solve(sitting: TrainingSession) -> None:
    while sitting.stage is Stage.DRILL:
        make(sitting)
    if sitting.stage is Stage.QUESTION:
        answer(sitting)


# Drills, one after the other


@pytest.mark.slow
def test_drills_follow_one_another_to_the_summary(practice: Practice) -> None:
    sitting = practice.start(practice.win)
    assert sitting.total == 10 and sitting.number == 1 and sitting.stage is Stage.DRILL
    for number in range(1, 11):
        assert sitting.number == number
        solve(sitting)
        assert sitting.stage is Stage.OVER and sitting.results[-1].solved
        assert sitting.results[-1].due is not None
        sitting.next()
    assert sitting.stage is Stage.SUMMARY and len(sitting.counted_results) == 10
    told = text(drill_words.summary(sitting, 18))
    assert told.startswith("10 drills, 10 solved") and "Next due  " in told
    records = practice.course.journal.attempts()
    assert len(records) == 10 and {record.outcome for record in records} == {Outcome.SOLVED}
    assert practice.course.figures(sitting.plan.items).percent == 100


def test_a_drill_is_described_from_its_first_move_to_its_end(practice: Practice) -> None:
    sitting = practice.start(practice.win)
    chess = practice.explorer.game.name == "chess"
    you = "White" if sitting.learner == "white" else "Black"
    assert comment(sitting).startswith(f"You are {you} and should win: {'mate in' if chess else 'a win in'} ")
    aim = "mate" if chess else "win the game"
    assert f"Goal: {aim}." in comment(sitting)
    assert text(drill_words.title(sitting)).startswith("Checkmate  KRvK, " if chess else "Win  3-4, S")
    assert drill_words.crumbs(sitting)[1] == "1 of 10" and "▸" in text(drill_words.ticks(sitting, 40))
    practice.clock.now = 83.0
    assert drill_words.clock(sitting) == "1:23" and sitting.thought == 83.0
    make(sitting)
    assert "best" in comment(sitting) and ("mate in" if chess else "win in") in comment(sitting)
    assert practice.course.journal.attempts()[0].seconds == 83.0
    solve(sitting)
    assert "Solved" in comment(sitting) and comment(sitting).endswith(", perfect.")
    facts = text(drill_words.facts(sitting, 40))
    assert facts.startswith("Solved  ★★★due ") and "Moves lost0" in facts


def test_a_missed_drill_names_the_better_move(practice: Practice) -> None:
    sitting = practice.start(practice.win)
    while sitting.stage is Stage.DRILL:
        make(sitting, worst=True)
    done = sitting.results[-1]
    assert not done.solved and comment(sitting).splitlines()[-1].startswith("Not solved")
    assert "Best: " in comment(sitting) or "were best" in comment(sitting)
    sitting.shows_line = True
    assert comment(sitting).startswith("Best  ")


def test_hints_and_moves_taken_back_count(practice: Practice) -> None:
    sitting = practice.start(practice.win)
    before = sitting.position
    with pytest.raises(EndgameError, match="nothing to take back"):
        sitting.take_back()
    assert not sitting.hint() and comment(sitting).startswith("Hint  ")
    assert "hint again shows the piece." in comment(sitting) and "Hint used (counts as help)" in comment(sitting)
    assert not sitting.hint() and "hint again shows the move." in comment(sitting)
    assert not sitting.hint() and "i again" not in comment(sitting)
    make(sitting)
    assert sitting.take_back() == "" and practice.explorer.game.format(
        sitting.position
    ) == practice.explorer.game.format(before)
    assert "3, 1 move taken back" in text(drill_words.facts(sitting, 40))
    record = practice.course.journal.attempts()[0]
    assert record.hints == 3 and record.takebacks == 1
    solve(sitting)
    assert sitting.results[-1].solved and sitting.results[-1].stars == 1
    assert "3 hints, 1 move taken back" in comment(sitting)
    assert "type again for a new position" in sitting.take_back()


def test_the_shown_solution_can_be_stepped_through(practice: Practice) -> None:
    sitting = practice.start(practice.win)
    assert not sitting.step(1)
    sitting.show()
    drill = sitting.drill
    assert drill is not None and sitting.stage is Stage.OVER and sitting.review is not None and sitting.review.at == 1
    assert practice.explorer.probe(drill.match.position).depth == 0
    assert sitting.last_move == drill.match.plies[0].move
    assert sitting.step(-1) and sitting.position is drill.match.start and sitting.last_move is None
    sitting.step(9999)
    assert sitting.position == drill.match.position and sitting.review.at == len(drill.match.plies)
    assert practice.course.journal.attempts()[0].outcome is Outcome.FAILED
    assert comment(sitting) == "Not solved: solution shown. Type again for a new position."


# The strict goal: in the fewest moves


def strict(practice: Practice) -> TrainingSession:
    order = replace(practice.chooser(practice.win).plan(), win_goal=WinGoal.FEWEST)
    return practice.sitting(order)


def test_the_reason_of_a_missed_strict_drill_fits_80_columns(practice: Practice) -> None:
    sitting = strict(practice)
    drill = sitting.drill
    assert drill is not None
    for drill.match.plies_lost in range(1, 99):
        for drill.match.hints in range(12):
            told = drill_words.comment(sitting)[-1].text
            assert drill.match.plies_lost <= drill.allowed or in_moves(drill.match.plies_lost) in told
            assert len(told) <= 78


def test_a_hint_spoils_a_strict_drill_and_a_copy_is_offered(practice: Practice) -> None:
    sitting = strict(practice)
    assert not sitting.offers_copy and "finish this drill" in sitting.again() and sitting.number == 1
    sitting.hint()
    assert sitting.offers_copy and "Not solved: 1 hint. Type again for a new position" in comment(sitting)
    before = sitting.position
    assert sitting.again() == "" and sitting.stage is Stage.DRILL and sitting.number == 2 and sitting.total == 11
    assert sitting.position != before and not sitting.offers_copy and "Not solved" not in comment(sitting)
    assert [done.solved for done in sitting.counted_results] == [False]
    (record,) = practice.course.journal.attempts()
    assert record.outcome is Outcome.FAILED and record.hints == 1


def test_a_slower_move_ends_a_strict_drill_which_can_be_retried(practice: Practice) -> None:
    sitting = strict(practice)
    drill = sitting.drill
    assert drill is not None
    while not (slower := [m for m in by_depth(sitting.explorer, sitting.position) if m.grade == "slower"]):
        make(sitting)
    before = len(drill.match.plies)
    sitting.play(slower[-1].move)
    assert sitting.stage is Stage.OVER and not sitting.results[-1].solved
    assert comment(sitting).endswith("Not solved: there was a faster way. Type again to retry.")
    assert sitting.results[-1].errors == 0, "a slower win throws nothing away"
    assert "Thrown away" not in text(drill_words.facts(sitting, 40))
    assert sitting.can_retry and sitting.take_back() == "" and len(drill.match.plies) == before
    solve(sitting)
    assert drill.standing.reached and drill.match.result is not None, "the retry is judged by the moves on the board"
    (record,) = practice.course.journal.attempts()
    assert record.outcome is Outcome.FAILED


def test_a_thrown_win_is_refuted_on_the_board(practice: Practice) -> None:
    sitting = practice.start(practice.win)
    while True:
        moves = by_depth(sitting.explorer, sitting.position)
        if spoiling := [move for move in moves if move.grade in ("draw", "loss")]:
            break
        make(sitting)
    mistake = sitting.position
    sitting.play(spoiling[0].move)
    assert sitting.stage is Stage.OVER and sitting.mistake is not None
    drill = sitting.drill
    assert drill is not None
    for ply in sitting.refutation:
        assert ply.is_shown and ply.after == practice.explorer.game.play(ply.before, ply.move)
    if drill.match.result is None:
        assert sitting.refutation and sitting.refutation[0].san in comment(sitting)
        assert ". Type forward to step through it, again to retry." in comment(sitting) and sitting.step(1)
        assert sitting.position == sitting.refutation[0].after
        assert sitting.take_back() == "" and sitting.position == mistake and sitting.refutation == []
        sitting.play(spoiling[0].move)  # trying again, the same mistake is refuted again
        assert sitting.refutation and sitting.refutation[0].san in comment(sitting)


def test_a_stalemate_costs_all_remaining_moves_of_the_win(explorer: Explorer[Any, Any], tmp_path: Path) -> None:
    game, journal = explorer.game, Journal(None, clock=lambda: NOW)
    course = Course(game, explorer.library, Studies(game, tmp_path), journal)
    position = game.parse("k7/8/8/8/2Q5/8/8/7K w - - 0 1")
    depth = explorer.probe(position).depth
    start = Start(position, "white", Category.WIN, depth)
    item = DrillItem(parse_theme("KQvK mate white"))
    sitting = TrainingSession(TrainingPlan("KQvK", (item,), 1, first=start), Judge(explorer), course, random.Random(1))
    sitting.next()
    sitting.play(game.parse_move(position, "Qc7"))
    assert sitting.stage is Stage.OVER and sitting.results[-1].errors == 1
    assert "Thrown away" in text(drill_words.facts(sitting, 40)) and "the win" in text(drill_words.facts(sitting, 40))
    sitting.next()
    assert "1 result thrown away" in text(drill_words.summary(sitting, 18))
    assert "no moves lost" not in text(drill_words.summary(sitting, 18))
    (record,) = journal.attempts()
    assert record.plies_lost == sitting.results[-1].lost == depth
    assert stats.progress(journal).plies_lost is None, "a result thrown away is no loss of moves"


@pytest.mark.parametrize("practice", ["chess"], indirect=True)
def test_the_offer_to_resume_names_the_next_drill(practice: Practice) -> None:
    sitting = practice.start(practice.win)
    kept = unfinished_session(sitting)
    assert kept is not None and ", drill 1 of 10" in go_on(DRILL, kept, sitting.game, 80)
    sitting.show()
    kept = unfinished_session(sitting)
    assert kept is not None and ", drill 2 of 10" in go_on(DRILL, kept, sitting.game, 80)


@pytest.mark.parametrize("practice", ["chess"], indirect=True)
def test_the_beginning_of_a_printed_name_finds_a_theme(practice: Practice) -> None:
    search = DrillSearch(practice.chooser())
    assert search.find("KPvK win/") == "KPvK call"
    assert search.find("KPvK, hold") == "KPvK hold" and search.find("kpvk call") == "KPvK call"
    assert search.find("KPvK wim") is None


@pytest.mark.parametrize("practice", ["chess"], indirect=True)
def test_a_study_is_explained_after_a_question(practice: Practice) -> None:
    chooser = practice.chooser()
    items = [item for collection in practice.course.collections for item in collection.items]
    built = [item for item in items if item.study is not None and item.study.note and practice.course.is_built(item)]
    chooser.go(built[0].theme.key)
    sitting = practice.sitting(replace(chooser.plan(), mode=DrillMode.CALL))
    assert sitting.question is not None and sitting.item.study is not None
    idea = speech_of(sitting.game.name).retold(
        sitting.item.study.note, sitting.game.parse(sitting.item.study.position), sitting.position
    )
    assert idea not in comment(sitting), "the idea would give the answer away"
    sitting.answer_result(Category.DRAW)
    sitting.answer_turn_matters(False)
    assert idea in comment(sitting)


def test_a_missed_own_position_can_be_retried(practice: Practice) -> None:
    chooser = practice.chooser()
    chooser.add(practice.won)
    assert chooser.entry.study is not None
    sitting = practice.sitting(chooser.plan())
    assert sitting.total == 1
    while sitting.stage is Stage.DRILL:
        spoils = [move for move in by_depth(sitting.explorer, sitting.position) if move.grade in ("draw", "loss")]
        sitting.play((spoils or by_depth(sitting.explorer, sitting.position))[0].move)
        reply(sitting)
    assert not sitting.results[-1].solved and "win" in comment(sitting)
    if sitting.take_back():
        return  # the rules have ended it
    assert "Trying again does not change the result." in comment(sitting)
    solve(sitting)
    assert len(sitting.results) == 1 and practice.course.journal.attempts()[0].outcome is Outcome.FAILED
    sitting.next()
    assert sitting.stage is Stage.SUMMARY


def test_again_adds_another_copy_of_the_drill(practice: Practice) -> None:
    for number, key in enumerate(("KRvK mate white 5-11", "KQvK mate white 11-19", "3-4 mate mover 9-19", "4-3 hold")):
        theme = parse_theme(key)
        card = Card(theme=key, label=theme.label, ending=theme.ending, due=NOW - DAY * (9 - number))
        practice.course.journal.keep(card)
    practice.course.refresh()
    chooser = practice.chooser()
    assert chooser.entry.key == DUE and "2 due today" in text(practice_words.header(practice.course))
    sitting = practice.sitting(chooser.plan())
    assert sitting.total == 2 and "finish this drill first" in sitting.again()
    theme = sitting.task.theme
    solve(sitting)
    sitting.again()
    assert sitting.task.theme == theme and (sitting.number, sitting.total) == (2, 3)
    solve(sitting)
    sitting.next()
    assert sitting.task.theme != theme


@pytest.mark.parametrize("right", [True, False])
def test_a_question_has_no_hints_and_shows_what_was_right(practice: Practice, right: bool) -> None:
    sitting = practice.start(practice.hold, DrillMode.CALL)
    assert sitting.stage is Stage.QUESTION and "win, draw or loss?" in comment(sitting)
    assert sitting.hint() and sitting.take_back()
    assert sitting.why_no_move == "a question has no moves: win, draw or loss?"
    sitting.answer_turn_matters(True)
    assert sitting.stage is Stage.QUESTION
    answer(sitting, right)
    assert sitting.stage is Stage.OVER and sitting.results[0].solved is right
    assert comment(sitting).startswith("Right: it is " if right else "No: it is ")
    assert (
        "✓" in text(drill_words.question_rows(sitting))
        and ("✗" in text(drill_words.question_rows(sitting))) is not right
    )


def test_an_only_move_is_solved_by_the_first_move(practice: Practice) -> None:
    sitting = practice.start(practice.hold, DrillMode.ONLY)
    assert "one move keeps the result" in comment(sitting)
    make(sitting)
    assert sitting.stage is Stage.OVER and sitting.results[0].solved
    sitting.next()
    make(sitting, worst=True)
    assert sitting.stage is Stage.OVER and not sitting.results[1].solved


def test_a_draw_drill_lasts_15_moves(practice: Practice) -> None:
    sitting = practice.start(practice.hold, DrillMode.HOLD, seed=2)
    assert "0 of 15 moves" in text(drill_words.facts(sitting, 40))
    solve(sitting)
    assert sitting.results[0].solved
    sitting.next()
    make(sitting, worst=True)
    assert sitting.stage is Stage.OVER and "Thrown awaythe result" in text(drill_words.facts(sitting, 40))
    assert "0 of 15 moves" in text(drill_words.facts(sitting, 40))


@pytest.mark.slow
def test_a_streak_goes_on_until_the_first_miss(practice: Practice) -> None:
    sitting = practice.start(practice.hold, DrillMode.STREAK)
    streak = sitting.streak
    assert streak is not None and drill_words.clock(sitting) == "3:00"
    for _ in range(6):
        solve(sitting)
        assert sitting.flows_on and drill_words.passed(sitting)
        sitting.next()
    assert streak.count == 6 and streak.rating.rating > 1500 and "(+" in text(drill_words.facts(sitting, 40))
    answer(sitting, right=False) if sitting.stage is Stage.QUESTION else make(sitting, worst=True)
    assert sitting.stage is Stage.OVER and not sitting.flows_on
    sitting.next()
    assert sitting.stage is Stage.SUMMARY and text(drill_words.summary(sitting, 9)).startswith("6 in a row")


def test_a_streak_ends_with_its_time(practice: Practice) -> None:
    sitting = practice.start(practice.hold, DrillMode.STREAK)
    solve(sitting)
    sitting.next()
    assert not sitting.tick()
    practice.clock.now = 200.0
    assert sitting.tick() and sitting.stage is Stage.SUMMARY and not sitting.tick()


def test_a_drill_left_before_a_move_is_not_recorded(practice: Practice) -> None:
    sitting = practice.start(practice.win)
    assert not sitting.leaving_fails
    sitting.leave()
    assert sitting.stage is Stage.SUMMARY and not sitting.counted_results and not practice.course.journal.attempts()
    begun = practice.start(practice.win)
    make(begun)
    assert begun.leaving_fails
    begun.leave()
    assert text(drill_words.summary(begun, 9)).startswith("1 drill, 0 solved")
    assert practice.course.journal.attempts()[0].result == "left"


@pytest.mark.slow
def test_a_locked_journal_is_reported_and_the_session_continues(practice: Practice) -> None:
    sitting = practice.start(practice.win)
    other = sqlite3.connect(paths.journal_file(practice.root), isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    make(sitting)
    assert "locked" in str(practice.course.journal.take_notice())
    solve(sitting)
    assert sitting.stage is Stage.OVER
    other.execute("ROLLBACK")
    other.close()


# Choosing


def test_the_picker_changes_modes_results_and_layers(practice: Practice) -> None:
    chooser = practice.chooser(practice.win)
    chess = practice.explorer.game.name == "chess"
    setup = practice_words.setup(chooser)
    assert setup[0].options[0] == ("checkmate" if chess else "win")
    assert practice_words.window_mover(chooser) == ("White to move" if chess else "you to move")
    window = chooser.window
    assert window.layers[window.low] == (5 if chess else 9) and all(layer % 2 for layer in window.layers)
    assert chooser.widen_window(1) and chooser.wish.high == window.layers[window.high] + 2
    assert chooser.widen_window(-1) and chooser.wish.high == window.layers[window.high]
    assert chooser.move_window(-9999) and chooser.window.low == 0
    assert "‹ › move < > narrow, widen" in text(practice_words.facts(chooser, 52, 12))
    while chooser.wish.mode is not DrillMode.STREAK:
        chooser.change(0, 1)
    assert not chooser.window.layers and practice_words.no_window(chooser) == "questions and only moves"
    assert not chooser.widen_window(1) and [row.label for row in practice_words.setup(chooser)] == ["Mode"]


def test_the_picker_starts_with_the_usual_defence(practice: Practice) -> None:
    chooser = practice.chooser(practice.win)
    at = chooser.rows().index("defence")
    assert chooser.defence is (Defence.TRICKY if practice.explorer.game.name == "chess" else Defence.VARIED)
    before = chooser.defence
    assert practice_words.changed(chooser.change(at, 1), chooser).startswith(f"{chooser.defence.value}: ")
    chooser.change(at, -1)
    assert chooser.defence is before and chooser.colours
    assert not practice_words.changed(chooser.change(at + 1, 1), chooser) and not chooser.colours


def test_a_search_opens_sets_and_closes_them_again(practice: Practice) -> None:
    chooser = practice.chooser(practice.win)
    before = chooser.cursor
    chooser.add(practice.won)
    chooser.opened.clear()
    chooser.go(before)
    own = next(item for item in practice.course.collections[-1].items if item.study is not None)
    assert own.study is not None
    search = DrillSearch(chooser)
    search.begin()
    assert not search.advance("q") and search.advance(own.study.id) and chooser.opened == {MY_POSITIONS}
    assert search.end(None) and chooser.cursor == before and not chooser.opened
    search.begin()
    assert not search.end("no matches for so")
    assert search.end(MY_POSITIONS) and chooser.entry.collection is not None


def test_own_positions_can_be_added_and_deleted(practice: Practice, tmp_path: Path) -> None:
    chooser = practice.chooser()
    assert not chooser.can_delete
    added = chooser.add(practice.won)
    assert practice_words.added(added)[0].endswith(f" added to {MY_POSITIONS}.")
    file = tmp_path / "more.txt"
    file.write_text(f"nonsense\n{practice.won}\n")
    done = chooser.add(str(file))
    told, role = practice_words.added(done)
    assert f"positions added to {MY_POSITIONS}" in told and "skipped" in told and role == "loss"
    assert text(practice_words.left_out(done)).startswith("Skipped: ")
    chooser.go(f"set {MY_POSITIONS}")
    assert chooser.can_delete and practice_words.shall_delete(chooser.entry).startswith("Delete all 1 position of ")
    study = next(
        entry for entry in chooser.entries().values() if entry.study in practice.course.studies.own()[0].studies
    )
    assert study.study is not None
    chooser.go(study.key)
    assert chooser.can_delete and practice_words.deleted(chooser.entry) == f"{study.title} is deleted."
    chooser.delete(chooser.entry)
    assert study.key not in chooser.entries()


def test_an_own_theme_can_be_removed_from_the_schedule(practice: Practice) -> None:
    chooser = practice.chooser(practice.win)
    chooser.widen_window(1)
    sitting = practice.sitting(chooser.plan())
    solve(sitting)
    practice.course.refresh()
    key = sitting.task.theme.key
    chooser.go(key)
    assert (
        chooser.entry.key == key
        and chooser.can_delete
        and "Stop scheduling" in practice_words.shall_delete(chooser.entry)
    )
    chooser.delete(chooser.entry)
    assert key not in chooser.entries() and practice.course.journal.attempts()


def test_an_empty_choice_is_refused(practice: Practice) -> None:
    chooser = practice.chooser()
    chooser.cursor = DUE
    with pytest.raises(DrillError, match="nothing is due today"):
        chooser.plan()
    chooser.cursor = f"set {MY_POSITIONS}"
    with pytest.raises(DrillError, match="no position that a table covers"):
        chooser.plan()
    missing = next(e for e in chooser.entries().values() if e.theme and not practice.course.has(e.theme.ending))
    chooser.cursor = missing.key
    with pytest.raises(NotBuiltError):
        chooser.plan()
    assert practice_words.no_window(chooser) == "not built; begin builds it" and chooser.missing()
    row = next(row for row in practice_words.courses(chooser) if row.key == missing.key)
    assert row.right == "not built" and not row.built


def test_the_list_names_every_drill(practice: Practice) -> None:
    chooser = practice.chooser(practice.win)
    rows = practice_words.courses(chooser)
    heads = [row.name for row in rows if not row.key and row.name]
    assert heads == ["Due", "Sets", "By ending and layer"]
    assert [row.key for row in rows if row.key] == list(chooser.entries())
    collection = practice.course.collections[0]
    chooser.go(f"set {collection.name}")
    assert chooser.toggle() is bool(collection.positions)
    sample = StartSamples(practice.chooser(practice.win)).sample()
    assert sample is not None
    assert practice_words.start_sentence(sample, chooser).startswith("sample position: White ")


@pytest.mark.parametrize("name", ["win", "hold"])
def test_the_picker_describes_a_sample_start(practice: Practice, name: str) -> None:
    chooser = practice.chooser(getattr(practice, name))
    samples = StartSamples(chooser)
    found: Callable[[], Any] = samples.sample
    assert found() is found() and samples.sample(another=True) is not None
    assert "Sample position" in text(practice_words.start(found(), chooser))


def test_long_notes_are_wrapped_where_there_is_room() -> None:
    notes = (TextRow((TextSpan("one ", bold=True), TextSpan("two three four"))), TextRow((TextSpan("five"),)))
    found = fitted(notes, 8, 4)
    assert ["".join(word.text for word in note.left).strip() for note in found] == ["one two", "three", "four", "five"]
    tight = fitted(notes, 8, 2)
    assert ["".join(word.text for word in note.left) for note in tight] == ["one two three four", "five"]


IDEAS = [
    ("8/4k3/8/8/3KP3/8/8/8 w - - 0 1", "Ke5", "take the opposition"),
    ("8/8/8/4k3/8/8/8/K6R w - - 0 1", "Rd1", "cut the king off"),
    ("8/8/8/k1K4R/8/8/8/8 w - - 0 1", "Rd5", "make a waiting move"),
    ("8/8/6K1/5R2/8/8/6k1/8 w - - 0 1", "Kg5", "bring the king closer"),
    ("8/P6k/8/8/8/8/8/1K6 w - - 0 1", "a8=Q", "promote"),
    ("7k/8/5K2/8/8/8/8/6R1 w - - 0 1", "Rh1+", "give check"),
    ("8/8/8/8/5k1p/8/8/6K1 w - - 0 1", "Kf1", "step aside with the king"),
]
"""A position, a move, and the idea of it that rules or tables prove."""


@pytest.mark.parametrize(("fen", "san", "idea"), IDEAS)
def test_the_idea_of_a_move_is_proven(explorer: Explorer[Any, Any], fen: str, san: str, idea: str) -> None:
    game = explorer.game
    position = game.parse(fen)
    assert speech_of("chess").idea(explorer, position, game.parse_move(position, san)) == idea


def test_a_hint_skips_steps_that_add_nothing(explorer: Explorer[Any, Any], tmp_path: Path) -> None:
    game = explorer.game
    course = Course(game, explorer.library, Studies(game, tmp_path), Journal(None))
    position = game.parse("8/8/8/8/5k1p/8/8/6K1 w - - 0 1")  # a lone king
    start = Start(position, "white", Category.DRAW, None)
    item = DrillItem(parse_theme("KPvK hold black"))
    plan = TrainingPlan("KPvK", (item,), 1, first=start)
    sitting = TrainingSession(plan, Judge(explorer), course, random.Random(1))
    sitting.next()
    steps = partial(drill_words.hint_steps, sitting)
    assert not sitting.hint(steps)
    assert comment(sitting).startswith("Hint  ") and "hint again shows the move." in comment(sitting)
    assert not sitting.hint(steps)
    assert sitting.drill is not None and sitting.drill.match.next_hint_step is None
    assert sitting.drill.match.last_hint is not None and sitting.drill.match.last_hint.step == 2

"""The learning path: the level of a learner, the first session that measures it, and what to learn next."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from endgame_core.judge import Judge
from endgame_core.practice.course import Course, DrillItem
from endgame_core.practice.drills import Answer
from endgame_core.practice.glicko import INITIAL_DEVIATION, learner_name
from endgame_core.practice.journal import Journal
from endgame_core.practice.path import (
    PLACEMENT,
    learner_rating,
    learning_path,
    rate_first_attempt,
    rated_items,
)  # fmt: skip
from endgame_core.practice.records import Attempt, Outcome, Rating
from endgame_core.practice.studies import Studies
from endgame_core.tables.explorer import Explorer
from endgame_core.tasks.drill_picker import PATH, DrillPicker
from endgame_core.tasks.drill_picker import PLACEMENT as PLACEMENT_ROW
from endgame_core.tasks.training_session import Stage, TrainingSession
from endgame_core.values import Category
from tests.practising import best, worst


@pytest.fixture
def course(tmp_path: Path, explorer: Explorer[Any, Any]) -> Course:
    journal = Journal(tmp_path / "journal.sqlite3")
    result = Course(explorer.game, explorer.library, Studies(explorer.game, tmp_path / "studies"), journal)
    result.refresh()
    return result


def attempt(course: Course, item: DrillItem, solved: bool) -> None:
    """Put a finished attempt of an item into the journal."""
    assert item.study is not None
    facts = Attempt(
        theme=item.theme.key, label=item.theme.label, ending=item.ending, mode=item.theme.mode.value,
        start=item.study.position, colour=item.study.side, game="chess",
    )  # fmt: skip
    uuid = course.journal.begin(facts)
    course.journal.finish(uuid, Outcome.SOLVED if solved else Outcome.FAILED, "")


def study(course: Course, name: str) -> DrillItem:
    item = course.item(f"study {name}")
    assert item is not None and item.study is not None
    return item


def give_rating(course: Course, rating: float) -> None:
    course.journal.keep(Rating(name=learner_name("chess"), rating=rating, deviation=60.0, games=10))


class TestRating:
    def test_only_the_first_attempt_of_a_study_is_rated(self, course: Course) -> None:
        lucena = study(course, "lucena")
        attempt(course, lucena, True)
        assert rate_first_attempt(course.journal, "chess", lucena, True) > 0
        rating = learner_rating(course.journal, "chess")
        attempt(course, lucena, False)
        assert rate_first_attempt(course.journal, "chess", lucena, False) == 0
        assert learner_rating(course.journal, "chess") == rating

    def test_a_hard_study_solved_counts_more_and_an_easy_one_missed_costs_more(self, course: Course) -> None:
        items = sorted(rated_items(course), key=lambda item: item.study.rating if item.study else 0)
        changes: dict[bool, list[float]] = {True: [], False: []}
        for solved in (True, False):
            for item in (items[0], items[-1]):
                give_rating(course, 1500.0)
                fresh_item = replace(item, theme=replace(item.theme, study=f"{item.theme.study}-{solved}"))
                attempt(course, fresh_item, solved)
                changes[solved].append(rate_first_attempt(course.journal, "chess", fresh_item, solved))
        assert 0 < changes[True][0] < changes[True][1] and changes[False][0] < changes[False][1] < 0

    def test_a_study_without_a_rating_changes_nothing(self, course: Course) -> None:
        lucena = study(course, "lucena")
        assert lucena.study is not None
        own = replace(lucena, study=replace(lucena.study, rating=0))
        attempt(course, own, True)
        assert rate_first_attempt(course.journal, "chess", own, True) == 0
        assert learner_rating(course.journal, "chess") is None


class TestPath:
    def test_every_shipped_study_has_a_rating(self, course: Course) -> None:
        shipped = [item for group in course.collections if not group.own for item in group.items if item.study]
        assert shipped and list(rated_items(course)) == shipped
        assert all(item.study and 500 <= item.study.rating <= 2500 for item in shipped)

    def test_without_a_level_the_path_begins_with_the_basics(self, course: Course) -> None:
        new = learning_path(course).new
        assert new and all(item.study and item.study.rating < 1100 for item in new)

    @pytest.mark.parametrize("rating", [900.0, 1300.0, 1700.0, 2100.0])
    def test_new_studies_are_not_much_too_easy_and_the_easiest_comes_first(self, course: Course, rating: float) -> None:
        give_rating(course, rating)
        new = learning_path(course).new
        ratings = [item.study.rating for item in new if item.study]
        assert new and min(ratings) >= rating - 300 and ratings == sorted(ratings)
        assert all(map(course.is_built, new))

    def test_a_study_that_was_tried_is_not_new(self, course: Course) -> None:
        first = learning_path(course).new[0]
        attempt(course, first, True)
        course.refresh()
        assert first not in learning_path(course).items

    def test_often_missed_drills_come_before_new_ones(self, course: Course) -> None:
        item = study(course, "kpk-key-squares")
        for solved in (False, False, True):
            attempt(course, item, solved)
        course.refresh()
        path = learning_path(course)
        assert path.weak == (item,) and path.items.index(item) < path.items.index(path.new[0])

    def test_a_session_follows_the_order_of_the_path(self, course: Course, explorer: Explorer[Any, Any]) -> None:
        picker = DrillPicker(course, explorer, random.Random(1))
        picker.go(PATH)
        assert list(picker.plan().items) == [item for item in learning_path(course).items if course.is_built(item)]


class TestPlacement:
    def session(self, course: Course, explorer: Explorer[Any, Any], seed: int) -> TrainingSession:
        picker = DrillPicker(course, explorer, random.Random(seed))
        picker.go(PLACEMENT_ROW)
        session = TrainingSession(picker.plan(), Judge(explorer), course, random.Random(seed))
        session.next()
        return session

    def answer(self, session: TrainingSession, right: bool) -> None:
        question = session.question
        drill = session.drill
        if drill is not None:
            session.play(best(drill) if right else worst(drill))
        elif question is not None:
            truth = question.truth
            result = truth.result if right else Category.LOSS if truth.result is not Category.LOSS else Category.WIN
            session.answer_result(result)
            if truth.turn_matters is not None:
                session.answer_turn_matters(truth.turn_matters)

    @pytest.mark.parametrize("seed", range(3))
    def test_the_level_test_distinguishes_a_master_from_a_beginner(
        self, course: Course, explorer: Explorer[Any, Any], seed: int, tmp_path: Path
    ) -> None:
        levels: list[float] = []
        for right in (True, False):
            course.journal.close()
            course.journal = Journal(tmp_path / f"{right}.sqlite3")
            course.refresh()
            session = self.session(course, explorer, seed)
            asked: list[str] = []
            while session.stage is not Stage.SUMMARY:
                asked.append(session.item.theme.key)
                self.answer(session, right)
                session.next()
            assert len(asked) == len(set(asked)) == PLACEMENT
            rating = learner_rating(course.journal, "chess")
            assert rating is not None and rating.games == PLACEMENT and rating.deviation < INITIAL_DEVIATION / 2
            levels.append(rating.rating)
        assert levels[0] > 1900 and levels[1] < 1100

    def test_positions_get_harder_with_right_answers(self, course: Course, explorer: Explorer[Any, Any]) -> None:
        session = self.session(course, explorer, 4)
        ratings: list[int] = []
        while session.stage is not Stage.SUMMARY:
            study = session.item.study
            assert study is not None
            ratings.append(study.rating)
            self.answer(session, True)
            session.next()
        assert sum(ratings[-3:]) > sum(ratings[:3]) + 900

    def test_each_position_is_asked_about_once_without_help(self, course: Course, explorer: Explorer[Any, Any]) -> None:
        session = self.session(course, explorer, 2)
        while session.drill is None:
            self.answer(session, True)
            session.next()
        assert session.hint() and not session.can_take_back
        self.answer(session, False)
        assert session.take_back() and session.current_result is not None and not session.current_result.solved
        assert not session.current_result.due and session.rating_change < 0

    def test_the_level_test_schedules_nothing(self, course: Course, explorer: Explorer[Any, Any]) -> None:
        session = self.session(course, explorer, 1)
        while session.stage is not Stage.SUMMARY:
            self.answer(session, False)
            session.next()
        assert not course.cards

    def test_a_question_about_a_study_hides_its_name(self, course: Course, explorer: Explorer[Any, Any]) -> None:
        from endgame_core.words.drill import title

        session = self.session(course, explorer, 1)
        name = session.item.theme.name
        shown = "".join(span.text for span in title(session).left)
        assert name not in shown and session.item.ending in shown
        self.answer(session, True)
        assert name in "".join(span.text for span in title(session).left)


def test_an_answer_is_wrong_if_its_second_part_is_wrong(course: Course, explorer: Explorer[Any, Any]) -> None:
    """The question asks for both: guessing the result alone is not enough."""
    session = TestPlacement().session(course, explorer, 3)
    while session.question is None or session.question.truth.turn_matters is None:
        TestPlacement().answer(session, True)
        session.next()
    question = session.question
    assert question is not None and question.truth.turn_matters is not None
    assert not question.answer(Answer(question.truth.result, not question.truth.turn_matters))

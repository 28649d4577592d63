"""The shipped studies against our tables and Syzygy's; the user's own sets; the commands."""

from __future__ import annotations

import errno
import json
import os
import re
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import chess
import chess.syzygy
import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

from endgame_core.chess import material, notation
from endgame_core.chess.game import CHESS
from endgame_core.cli.main import main
from endgame_core.errors import EndgameError, StorageError, StudyError
from endgame_core.pgn import positions
from endgame_core.practice.lessons import MOST_STEPS, LessonStep
from endgame_core.practice.records import LONGEST_TEXT
from endgame_core.practice.studies import (
    Agreement,
    Studies,
    Study,
    StudyGoal,
    StudySet,
    compare,
    curated,
    decode_set,
    encode_set,
    goal_of,
    judged,
    lesson_positions,
)  # fmt: skip
from endgame_core.tables.explorer import Explorer
from endgame_core.tables.library import Library
from endgame_core.values import Category
from tests.positions import by_depth

from .conftest import SHARED, Five

Chess = Explorer[chess.Board, chess.Move]
ALL = [study for studies in curated(CHESS) for study in studies.studies]
GROUPS = ["Basic mates", "King and pawn", "Rook endings", "Queen endings", "Minor pieces"]
TABLES = "ENDGAME_TUI_TEST_TABLES"
"""A data directory with all endings of five men: with it, every study is compared in seconds."""
BIG = {"KPPvKP", "KPPvKR", "KPPvKQ"}
"""Endings with so many sub-endings that no test builds them."""
MATE = "4k3/8/4K3/8/8/8/8/7R w - - 0 1"


def ending_of(study: Study) -> str:
    return CHESS.ending_of(CHESS.parse(study.position))


SMALL = [study for study in ALL if material.men_count(ending_of(study)) <= 4]
LESSONS = [study for study in ALL if study.lesson]
FIVE = [study for study in ALL if material.men_count(ending_of(study)) == 5]


def _ids(study: Study) -> str:
    return study.id


class TestCurated:
    def test_the_shipped_studies_are_five_groups_of_more_than_a_hundred_positions(self) -> None:
        assert [studies.name for studies in curated(CHESS)] == GROUPS
        assert len(ALL) >= 110 and all(len(studies.studies) >= 12 for studies in curated(CHESS))
        assert len(SMALL) + len(FIVE) == len(ALL) and not any(study.estimate for study in ALL)

    @pytest.mark.parametrize("study", SMALL, ids=_ids)
    def test_studies_of_three_and_four_pieces_have_the_value_of_the_tables(self, study: Study, explorer: Chess) -> None:
        _check(explorer, study)

    def test_studies_of_five_pieces_have_the_value_of_given_tables(self) -> None:
        if not (directory := os.environ.get(TABLES)):
            pytest.skip(f"${TABLES} names no data directory with all tables of five men")
        explorer = Explorer(CHESS, Library(CHESS, Path(directory)))
        for study in FIVE:
            _check(explorer, study)

    @pytest.mark.exhaustive
    def test_studies_of_five_pieces_have_the_value_of_newly_built_tables(self, five: Five) -> None:
        explorer = Explorer(CHESS, five(CHESS, sorted({ending_of(study) for study in FIVE} - BIG)))
        for study in FIVE:
            if ending_of(study) not in BIG:
                _check(explorer, study)

    def test_no_two_studies_are_symmetric_copies(self) -> None:
        seen: dict[Any, str] = {}
        for study in ALL:
            board = CHESS.parse(study.position)
            slot = CHESS.index.slot_of(board)
            twin = seen.setdefault((slot.ending, slot.side, slot.index), study.id)
            assert twin == study.id

    @pytest.mark.parametrize("field", ["id", "name", "note"])
    def test_no_two_notes_are_equal(self, field: str) -> None:
        values = [getattr(study, field) for study in ALL]
        assert len(set(values)) == len(values)

    @pytest.mark.parametrize("study", ALL, ids=_ids)
    def test_every_study_has_id_name_source_and_a_legal_position(self, study: Study) -> None:
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", study.id)
        assert study.name and study.source and len(study.name) <= 50
        board = CHESS.parse(study.position)
        assert study.position == CHESS.format(board) and study.position.endswith(" - - 0 1")
        assert board.is_valid() and len(list(board.legal_moves)) > 0
        assert 40 <= len(study.note) <= 220 and study.note.endswith(".")
        assert len(re.findall(r"[.!?](?= |$)", study.note)) <= 2, "one or two sentences"
        assert study.note.isprintable() and study.remark.isprintable()
        assert study.expected is not None and study.goal is goal_of(study.expected, study.side == CHESS.mover(board))

    def test_the_most_important_studies_have_lessons(self) -> None:
        assert len(LESSONS) >= 30
        assert {"krk-start", "kbnk-start", "kpk-square", "lucena", "philidor", "vancura"} <= {s.id for s in LESSONS}

    @pytest.mark.parametrize("study", LESSONS, ids=_ids)
    def test_every_lesson_has_a_complete_form(self, study: Study) -> None:
        assert 3 <= len(study.lesson) <= 6
        for step in study.lesson:
            assert 200 <= len(step.text) <= 600 and step.text.replace("\n\n", " ").isprintable()
            assert not re.search(r"\b(he|him|his|man|men|ply|plies)\b", step.text, re.IGNORECASE), step.text
            assert step.expected in (Category.WIN, Category.DRAW, Category.LOSS)
            assert not step.position or step.position.endswith(" - - 0 1")
        assert any(step.moves for step in study.lesson)
        assert any(step.only or step.keep or step.wrong for step in study.lesson)
        texts = [step.text for other in LESSONS for step in other.lesson]
        assert all(texts.count(step.text) == 1 for step in study.lesson)

    @pytest.mark.parametrize("studies", curated(CHESS), ids=lambda one: one.id)
    def test_moves_of_lessons_are_legal_san(self, studies: StudySet) -> None:
        """The shipped sets are trusted when the app reads them; here they are read as a user's would be."""
        again = decode_set(encode_set(studies, CHESS), CHESS, own=True)
        assert not again.problem and again.studies == studies.studies

    def test_syzygy_agrees_with_lessons(self, truth: Path) -> None:
        wdl = {Category.WIN: 2, Category.DRAW: 0, Category.LOSS: -2}
        with chess.syzygy.open_tablebase(str(truth / "syzygy")) as tables:
            probed = 0
            for study in LESSONS:
                for page in lesson_positions(study, CHESS):
                    value = tables.get_wdl(CHESS.parse(page.positions[-1]))
                    if value is not None and page.step.expected is not None:
                        probed += 1
                        assert value == wdl[page.step.expected], (study.id, page.text)
        assert probed > 60

    def test_notes_do_not_repeat_texts_of_the_sources(self) -> None:
        facts = SHARED / "studies" / "positions.json"
        if not facts.is_file():
            pytest.skip("the facts that the studies started from are not on this machine")
        theirs = {entry["note"] for entry in json.loads(facts.read_text()) if len(entry["note"]) > 20}
        for study in ALL:
            assert not [note for note in theirs if note.lower() in study.note.lower()], study.id

    @pytest.mark.parametrize("study", [s for s in SMALL if s.best], ids=_ids)
    def test_key_moves_keep_the_result(self, study: Study, explorer: Chess) -> None:
        _check_key_moves(explorer, study)

    def test_the_note_of_a_long_win_mentions_the_50_move_rule(self) -> None:
        """A mate within 100 plies cannot be spoiled by it."""
        for study in ALL:
            assert bool(study.remark) == ((study.depth or 0) > 100), study.id

    def test_syzygy_agrees_and_no_short_win_is_cursed(self, truth: Path) -> None:
        with chess.syzygy.open_tablebase(str(truth / "syzygy")) as tables:
            probed = 0
            for study in ALL:
                board = CHESS.parse(study.position)
                wdl = tables.get_wdl(board)
                if wdl is not None:
                    probed += 1
                    assert wdl == {Category.WIN: 2, Category.DRAW: 0, Category.LOSS: -2}[Category(study.expected)]
        assert probed > 60


def _check(explorer: Chess, study: Study) -> None:
    found = compare(explorer, study)
    assert found.outcome is Agreement.RIGHT, f"{study.id}: {found.verdict} {found.lesson}"
    _check_key_moves(explorer, study)


def _check_key_moves(explorer: Chess, study: Study) -> None:
    graded = {move.san: move.grade for move in by_depth(explorer, CHESS.parse(study.position))}
    for san in study.best:
        assert graded[san] in ("best", "slower", "faster"), f"{study.id}: {san}"


@pytest.fixture
def studies(tmp_path: Path) -> Studies:
    return Studies(CHESS, tmp_path / "data" / "studies")


class TestOwnSets:
    def test_own_positions_are_added_found_and_removed(self, studies: Studies) -> None:
        assert studies.own() == ()
        added = studies.add(MATE, note="the\nback  rank", name="Back rank")
        assert (added.group, added.side, added.note) == ("My positions", "white", "the back rank")
        assert studies.study(added.id.upper()) == added
        assert studies.find("my positions").studies == (added,) == studies.find("my-positions").studies
        assert [found.name for found in studies.sets()] == [*GROUPS, "My positions"]
        assert studies.remove(added.id) == 1
        assert studies.own() == ()

    def test_a_position_keeps_its_id(self, studies: Studies) -> None:
        """So that its history in the journal is found again."""
        first = studies.add(MATE)
        studies.add("4k3/8/8/8/8/8/8/4K2R w - - 0 1")
        studies.remove(first.id)
        assert studies.add(MATE).id == first.id

    def test_facts_that_tables_know_are_filled_in(self, studies: Studies, explorer: Chess) -> None:
        found = judged(explorer, studies.add(MATE, side="black"))
        assert (found.goal, found.expected, found.depth) == (StudyGoal.HOLD_OUT, Category.WIN, 1)
        assert compare(explorer, studies.add("4k3/8/8/8/8/8/8/4K2R w")).outcome is Agreement.NOTHING_STATED

    @pytest.mark.parametrize(
        ("position", "words"),
        [
            ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "castling rights"),
            ("4k3/8/8/8/8/8/8/4K2P w - - 0 1", "first or eighth rank"),
            ("4k3/8/4K3/4P3/8/8/PPP5/7R w - - 0 1", "7 pieces"),
            ("4k3/8/4K3/8/8/8/8/8 w - - 0 1", "only the kings"),
            ("4k2R/8/4K3/8/8/8/8/8 b - - 0 1", "the game is already over"),
            ("nonsense", "is not a FEN"),
        ],
    )
    def test_positions_that_cannot_be_studies_are_refused(self, studies: Studies, position: str, words: str) -> None:
        with pytest.raises(EndgameError, match=words):
            studies.add(position)
        assert studies.own() == ()

    def test_a_position_is_added_only_once(self, studies: Studies) -> None:
        first = studies.add(MATE)
        with pytest.raises(StudyError, match=first.id):
            studies.add(MATE.replace("0 1", "7 40"))
        assert studies.add(MATE.replace(" w ", " b ")).id != first.id
        assert studies.add(MATE, "Another set").id.startswith("another-set/")

    @pytest.mark.parametrize("length", [LONGEST_TEXT, LONGEST_TEXT + 1, 20_000])
    @pytest.mark.parametrize("field", ["name", "note"])
    def test_a_study_too_long_to_be_read_back_is_refused(self, studies: Studies, field: str, length: int) -> None:
        other = studies.add(MATE.replace(" w ", " b "))
        with suppress(StudyError) if length == LONGEST_TEXT else pytest.raises(StudyError, match=f"its {field} has"):
            studies.add(
                MATE, note="x" * length if field == "note" else "", name="x" * length if field == "name" else ""
            )
        (found,) = studies.own()
        assert not found.problem and found.studies[0] == other
        assert len(found.studies) == 1 + (length == LONGEST_TEXT)

    @pytest.mark.parametrize("name", ["a" + "-" * 20_000, "b\udcff\n"])
    def test_a_set_name_that_could_not_be_read_back_is_refused(self, studies: Studies, name: str) -> None:
        with suppress(StudyError):
            studies.add(MATE, name)
        assert not any(found.problem for found in studies.own())

    def test_equal_positions_are_parsed_once(self, studies: Studies, monkeypatch: pytest.MonkeyPatch) -> None:
        parsed: list[str] = []
        parse = notation._parse_fen

        def counting(text: str, castling: bool) -> chess.Board:
            parsed.append(text)
            return parse(text, castling)

        monkeypatch.setattr(notation, "_parse_fen", counting)
        path = studies.directory.parent / "equal.epd"
        path.parent.mkdir(parents=True)
        path.write_text(f"{MATE}\n" * 1000)
        done = studies.import_records(positions(path, CHESS), "equal")
        assert (len(done.added), len(done.refused)) == (1, 999) and len(parsed) < 10

    def test_positions_beyond_the_tables_are_added_only_on_request(self, studies: Studies, explorer: Chess) -> None:
        found = studies.add("4k3/8/4K3/4P3/8/8/PPP5/7R w - - 0 1", beyond=True)
        assert found.estimate and compare(explorer, found).outcome is Agreement.ESTIMATE
        assert studies.study(found.id) == found

    @pytest.mark.parametrize("name", ["", "!!!", "x" * 100, "Rook endings", "rook-endings"])
    def test_unusable_set_names_are_refused(self, studies: Studies, name: str) -> None:
        with pytest.raises(StudyError, match="name"):
            studies.add(MATE, name)

    @pytest.mark.parametrize("name", ["lucena", "Rook endings", "nothing", "my-positions/123456", "../../etc/passwd"])
    def test_only_own_studies_can_be_removed(self, studies: Studies, name: str) -> None:
        with pytest.raises(StudyError):
            studies.remove(name)

    @pytest.mark.parametrize(
        ("text", "words"),
        [
            ("", "not a JSON document"),
            ("[" * 100_000, "not a JSON document"),
            ('{"version": 2, "game": "chess", "name": "Mine", "studies": []}', "newer endgame-tui"),
            ('{"version": 1, "game": "morris", "name": "Mine", "studies": []}', "a different game"),
            ('{"version": 1, "game": "chess", "name": "Mine"}', "no version, name or list"),
            ('{"version": 1, "game": "chess", "name": "Mine", "studies": [{"id": "a"}]}', "study 1 cannot be read"),
        ],
    )
    def test_a_damaged_set_is_named_and_not_changed(self, studies: Studies, text: str, words: str) -> None:
        other = studies.add(MATE, "Other")
        path = studies.directory / "mine.json"
        path.write_text(text)
        found = studies.find("mine")
        assert words in found.problem and str(path) in found.problem and studies.study(other.id) == other
        with pytest.raises(StudyError, match=re.escape(words)):
            studies.add(MATE, "Mine")
        assert path.read_text() == text

    def test_the_readable_studies_of_a_damaged_set_are_loaded(self, studies: Studies) -> None:
        added = studies.add(MATE, "Mine")
        path = studies.directory / "mine.json"
        document = json.loads(path.read_text())
        document["studies"] += [{"id": "mine/2", "name": "bad", "position": "8/8 w"}, 7]
        path.write_text(json.dumps(document))
        found = studies.find("mine")
        assert found.studies == (added,) and "study 2" in found.problem and "1 more" in found.problem

    def test_a_full_disk_changes_nothing(self, studies: Studies, monkeypatch: pytest.MonkeyPatch) -> None:
        studies.add(MATE)
        before = (studies.directory / "my-positions.json").read_text()

        def full(_: int) -> None:
            raise OSError(errno.ENOSPC, "no space left")

        monkeypatch.setattr(os, "fsync", full)
        with pytest.raises(StorageError, match="disk is full"):
            studies.add("4k3/8/8/8/8/8/8/4K2R w")
        assert (studies.directory / "my-positions.json").read_text() == before
        assert sorted(p.name for p in studies.directory.iterdir()) == [".lock", "my-positions.json"]

    def test_a_studies_directory_that_cannot_be_created_is_an_error(self, tmp_path: Path) -> None:
        (tmp_path / "studies").write_text("a file is in the way")
        with pytest.raises(StorageError):
            Studies(CHESS, tmp_path / "studies").add(MATE)

    def test_two_apps_at_once_lose_nothing(self, studies: Studies) -> None:
        squares = [f"7k/8/8/8/8/{n}R{7 - n}/8/4K3 w" for n in range(1, 7)]
        apps = [Studies(CHESS, studies.directory) for _ in range(2)]
        threads = [
            threading.Thread(target=lambda app, half: [app.add(fen) for fen in half], args=(app, squares[i::2]))
            for i, app in enumerate(apps)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(studies.find("My positions").studies) == len(squares)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)
FIELDS = ["id", "name", "position", "side", "goal", "expected", "depth", "note", "best", "opcodes", "estimate"]
STEPS = ["text", "position", "moves", "expected", "depth", "only", "keep", "wrong"]
WORDS = st.sampled_from(["Rh8#", "Rh8", "Rg1", "Kd6", "Kd8", "--", "x", MATE, "win", "First.\n\n Second.\x1b"])
LESSON = st.lists(
    st.dictionaries(st.sampled_from(STEPS), JSON | WORDS | st.lists(WORDS, max_size=3), max_size=len(STEPS)), max_size=3
)


@pytest.mark.slow
@given(st.lists(st.dictionaries(st.sampled_from(FIELDS), JSON | st.just(MATE), max_size=len(FIELDS)), max_size=3))
def test_any_json_is_read_or_refused(raw: list[Any]) -> None:
    text = json.dumps({"version": 1, "game": "chess", "name": "x", "studies": raw})
    found = decode_set(text, CHESS, own=True)
    assert len(found.studies) == len(raw) or found.problem
    assert decode_set(encode_set(found, CHESS), CHESS, own=True).studies == found.studies


@pytest.mark.slow
@given(LESSON | JSON)
def test_any_lesson_is_read_or_refused(lesson: Any) -> None:
    raw = {"id": "a", "name": "A", "position": MATE, "lesson": lesson}
    text = json.dumps({"version": 1, "game": "chess", "name": "x", "studies": [raw]})
    found = decode_set(text, CHESS, own=True)
    assert bool(found.studies) != bool(found.problem)
    assert decode_set(encode_set(found, CHESS), CHESS, own=True).studies == found.studies
    for study in found.studies:
        assert [len(page.positions) for page in lesson_positions(study, CHESS)] == [
            len(step.moves) + 1 for step in study.lesson
        ]


@pytest.mark.slow
@given(st.text() | st.binary().map(lambda raw: raw.decode("latin-1")))
def test_any_text_other_than_a_lesson_is_refused(text: str) -> None:
    with pytest.raises(StudyError):
        decode_set(text, CHESS, own=True)


def test_sets_are_read_back_from_disk() -> None:
    for studies in curated(CHESS):
        assert decode_set(encode_set(studies, CHESS), CHESS, own=False).studies == studies.studies
    steps = (
        LessonStep("One.\n\nTwo.", "", ("Rg1", "Kd8"), Category.WIN, 1, ("Rg8+",), ("Rg8+",), ("Ke5",)),
        LessonStep("Three.", "4k3/8/4K3/8/8/8/8/6R1 w - - 0 1", ("Rg8#",), Category.LOSS, 0),
    )
    fancy = Study(
        id="a",
        name="ä",
        group="g",
        position=MATE,
        side="black",
        goal=StudyGoal.HOLD_OUT,
        expected=Category.WIN,
        depth=1,
        rating=1500,
        note="n",
        source="s",
        remark="r",
        best=("Rh8#",),
        opcodes={"x": 1.5},
        estimate=True,
        lesson=steps,
    )
    assert decode_set(encode_set(StudySet("g", "g", (fancy,)), CHESS), CHESS, own=True).studies == (fancy,)


def with_lesson(*lesson: object) -> StudySet:
    """The user's set of one study, MATE, with a lesson as its file has it."""
    raw = {"id": "a", "name": "A", "position": MATE, "lesson": lesson}
    return decode_set(json.dumps({"version": 1, "game": "chess", "name": "x", "studies": [raw]}), CHESS, own=True)


class TestLessons:
    """What a lesson may hold; a user's own sets may have some, too."""

    @pytest.mark.parametrize(
        ("step", "words"),
        [
            (7, "step 1: it is not a JSON object"),
            ({}, "step 1: it has no text"),
            ({"text": "\n\n "}, "step 1: it has no text"),
            ({"text": "x" * (LONGEST_TEXT + 1)}, "step 1: it has no text"),
            ({"text": "x", "moves": "Rh8"}, "step 1: its moves"),
            ({"text": "x", "moves": ["Rh9"]}, "step 1: 'Rh9' is not a legal move"),
            ({"text": "x", "moves": ["--"]}, "step 1: '--' is not a legal move"),
            ({"text": "x", "moves": ["Rh8"], "only": ["Kd6"]}, "step 1: 'Kd6' is not a legal move"),
            ({"text": "x", "wrong": ["Rg1"] * 300}, "step 1: its wrong is longer than"),
            ({"text": "x", "position": "8/8 w"}, "step 1: "),
            ({"text": "x", "expected": "good"}, "step 1: its expected"),
            ({"text": "x", "depth": -1}, "step 1: its depth"),
            ({"text": "x", "note": "y"}, "step 1: its field 'note' is unknown"),
        ],
    )
    def test_faulty_lesson_steps_are_refused_with_their_fault(self, step: object, words: str) -> None:
        found = with_lesson(step)
        assert not found.studies and f"study 1 cannot be read: its lesson cannot be read: {words}" in found.problem
        assert with_lesson({"text": "Before."}, step).problem.count("step 2: ") == 1

    def test_a_lesson_has_a_limited_length(self) -> None:
        assert with_lesson(*[{"text": "x"}] * MOST_STEPS).studies
        assert "the limit is" in with_lesson(*[{"text": "x"}] * (MOST_STEPS + 1)).problem

    def test_pages_have_a_board_before_and_after_each_move(self) -> None:
        (study,) = with_lesson(
            {"text": "Wait.\nThen: ", "moves": ["Rg1", "Kd8"]},
            {"text": "Check.", "moves": ["Rg8"]},
            {"text": "Again.", "position": MATE},
        ).studies
        first, second, third = lesson_positions(study, CHESS)
        assert first.text == "Wait. Then:" and first.moves == ("Rg1", "Kd8") and first.positions[0] == MATE
        assert first.positions[1:] == ("4k3/8/4K3/8/8/8/8/6R1 b - - 1 1", "3k4/8/4K3/8/8/8/8/6R1 w - - 2 2")
        assert second.positions == (first.positions[-1], "3k2R1/8/4K3/8/8/8/8/8 b - - 3 2")
        assert second.moves == ("Rg8+",) and second.step.moves == ("Rg8+",)
        assert third.positions == (MATE,) and third.moves == ()

    def test_claims_of_lessons_are_checked_with_tables(self, explorer: Chess) -> None:
        right = {"expected": "win", "depth": 1, "only": ["Kd6", "Kf6"], "keep": ["Kd6"], "wrong": ["Kd5"]}
        wrong = {"expected": "draw", "depth": 3, "only": ["Kd6"], "keep": ["Kd5"], "wrong": ["Kf6"]}
        pawn = "4k3/8/4K3/4P3/8/8/8/8 w - - 0 1"
        (study,) = with_lesson(
            {"text": "x", "position": pawn, **right, "depth": 21}, {"text": "x", "position": pawn, **wrong}
        ).studies
        found = compare(explorer, study)
        assert found.outcome is Agreement.WRONG
        assert [(one.step, one.claim, one.stated) for one in found.lesson] == [
            (2, "expected", "draw"),
            (2, "depth", "3"),
            (2, "only", "Kd6"),
            (2, "keep", "Kd5"),
            (2, "wrong", "Kf6"),
        ]
        assert {one.actual for one in found.lesson} >= {"win", "21", "Kd6 Kf6"}

    def test_a_lesson_may_need_other_tables(self, explorer: Chess) -> None:
        lucena, six = "1K1k4/1P6/8/8/8/8/r7/2R5 w - - 0 1", "4k3/8/4K3/4P3/8/8/PPP5/7R w - - 0 1"
        for position, outcome, ending in (
            (MATE, Agreement.RIGHT, "KRvK"), (lucena, Agreement.NOT_BUILT, "KRPvKR"), (six, Agreement.ESTIMATE, "KRvK")
        ):  # fmt: skip
            (study,) = with_lesson({"text": "x", "position": position, "expected": "win"}).studies
            found = compare(explorer, study)
            assert (found.outcome, found.ending, found.lesson) == (outcome, ending, ())

    def test_own_sets_keep_their_lessons(self, studies: Studies) -> None:
        studies.add(MATE, "Mine")
        path = studies.directory / "mine.json"
        document = json.loads(path.read_text())
        document["studies"][0]["lesson"] = [{"text": "Mate.", "moves": ["Rh8#"], "expected": "loss", "depth": 0}]
        path.write_text(json.dumps(document))
        studies.add(MATE.replace(" w ", " b "), "Mine")
        assert studies.find("mine").studies[0].lesson == (LessonStep("Mate.", "", ("Rh8#",), Category.LOSS, 0),)


Run = Callable[..., Result]


@pytest.fixture
def run(library: Library, tmp_path: Path) -> Run:
    (tmp_path / "tables").symlink_to(library.directory)

    def call(*args: str) -> Result:
        return CliRunner().invoke(main, ["--data-dir", str(tmp_path), "studies", *args])

    return call


class TestCommands:
    def test_studies_lists_the_sets(self, run: Run) -> None:
        found = json.loads(run("--json").stdout)
        assert [one["name"] for one in found] == GROUPS and sum(one["positions"] for one in found) == len(ALL)
        assert sum(one["built"] for one in found) == len(SMALL)
        assert re.search(r"Basic mates +basic-mates +17 +17", run().stdout)

    def test_show_prints_a_set_or_a_study(self, run: Run) -> None:
        listed = json.loads(run("show", "Rook endings", "--json").stdout)
        assert listed["positions"] == len(listed["studies"])
        assert "krkp-longest" in run("show", "rook-endings").stdout
        one = json.loads(run("show", "saavedra", "--json").stdout)
        assert (one["fen"], one["goal"], one["depth"], one["built"]) == (
            "8/8/1KP5/3r4/8/8/8/k7 w - - 0 1",
            "win",
            51,
            True,
        )
        assert "mate in 26 (51 plies)" in run("show", "saavedra").stdout
        assert "50 moves" in run("show", "kbnkn-longest").stdout
        missing = run("show", "nothing")
        assert missing.exit_code == 1 and "no set or study is named" in missing.stderr

    def test_check_reports_right_and_wrong_studies(self, run: Run, tmp_path: Path) -> None:
        result = run("check")
        assert result.exit_code == 0 and re.search(rf"{len(SMALL)} +right\n +0 +wrong", result.stdout)
        assert "endgame-tui build KBBvKN" in result.stderr
        (tmp_path / "wrong.epd").write_text(f"{MATE[:-4]} dm 2;\n")
        run("import", str(tmp_path / "wrong.epd"), "--set", "wrong")
        wrong = run("check", "wrong")
        assert (
            wrong.exit_code == 1 and "stated as win in 3 plies, but the table of KRvK has win in 1 ply" in wrong.stdout
        )
        assert [one["outcome"] for one in json.loads(run("check", "wrong", "lucena", "--json").stdout)] == [
            "wrong",
            "not built",
        ]

    def test_lessons_are_shown_and_checked(self, run: Run, tmp_path: Path) -> None:
        shown = run("show", "krk-start").stdout
        assert "step 1 of 4: 8/8/8/4k3/8/8/8/R3K3 w - - 0 1\nmoves: Ke2 Kd4 Ra5\nA rook holds" in shown
        assert len(json.loads(run("show", "krk-start", "--json").stdout)["lesson"]) == 4
        lesson = {"text": "x", "expected": "win", "only": ["Rh7"]}
        raw = {"id": "mine/a", "name": "A", "position": MATE, "goal": "win", "expected": "win", "lesson": [lesson]}
        (tmp_path / "studies").mkdir()
        (tmp_path / "studies" / "mine.json").write_text(
            json.dumps({"version": 1, "game": "chess", "name": "Mine", "studies": [raw]})
        )
        wrong = run("check", "mine")
        assert (
            wrong.exit_code == 1
            and "mine/a: step 1 of the lesson: only is stated as Rh7, but the tables have Kd5 Kd6 " in wrong.stdout
        )
        (checked,) = json.loads(run("check", "mine", "--json").stdout)
        assert checked["outcome"] == "wrong" and checked["lesson"][0]["stated"] == "Rh7"

    def test_add_and_remove_change_own_sets(self, run: Run) -> None:
        added = json.loads(run("add", *MATE.split(), "--set", "Mine", "--note", "now", "--json").stdout)
        assert (added["set"], added["note"], added["depth"], added["goal"]) == ("Mine", "now", 1, "win")
        assert "KRvK 1" in run("show", "mine").stdout
        again = run("add", MATE, "--set", "Mine")
        assert again.exit_code == 1 and added["id"] in again.stderr
        assert run("remove", added["id"]).exit_code == 0
        assert run("remove", "mine").exit_code == 1

    def test_a_study_can_be_named_without_its_set_if_its_name_is_unique(self, run: Run) -> None:
        other = "8/8/8/8/8/2k5/7R/K7 w - - 0 1"
        one = json.loads(run("add", MATE, "--name", "A corner", "--json").stdout)
        assert json.loads(run("show", "a CORNER", "--json").stdout)["id"] == one["id"]
        two = json.loads(run("add", other, "--name", "A corner", "--json").stdout)
        for command in ("show", "remove"):
            several = run(command, "A corner")
            assert several.exit_code == 1 and "2 studies are named 'A corner'" in several.stderr
            assert one["id"] in several.stderr and two["id"] in several.stderr
        assert run("remove", two["id"]).exit_code == 0
        assert "1 position" in run("remove", "A corner").stderr
        assert run("show", "A corner").exit_code == 1
        shipped = json.loads(run("show", "saavedra", "--json").stdout)["name"]
        assert json.loads(run("show", shipped, "--json").stdout)["id"] == "saavedra"
        assert run("remove", shipped).exit_code == 1

    def test_an_import_lists_refused_positions(self, run: Run, tmp_path: Path) -> None:
        file = tmp_path / "mixed.epd"
        file.write_text(f"{MATE}\n\n# a comment\nnonsense\n{MATE}\n")
        result = run("import", str(file), "--json")
        found = json.loads(result.stdout)
        assert result.exit_code == 1 and len(found["added"]) == 1 and found["set"] == "mixed"
        assert [refusal["where"] for refusal in found["refused"]] == ["line 4", "line 5"]
        words = run("import", str(file), "--set", "other")
        assert "1 of 3 positions" in words.stdout and "line 4: 'nonsense' is not a FEN." in words.stderr
        assert run("import", str(tmp_path / "nothing.pgn")).exit_code == 1
        (tmp_path / "bytes.pgn").write_bytes(bytes(range(256)))
        refused = run("import", str(tmp_path / "bytes.pgn"))
        assert refused.exit_code == 1 and "is not a text file" in refused.stderr

    def test_an_exported_set_can_be_imported_again(self, run: Run, tmp_path: Path) -> None:
        file = tmp_path / "out.epd"
        assert run("export", "Queen endings", str(file)).exit_code == 0
        assert run("export", "Queen endings", str(file)).exit_code == 1
        assert run("export", "Queen endings", str(file), "--force").exit_code == 0
        assert run("export", "queen-endings", "-").stdout == file.read_text()
        assert run("import", str(file), "--set", "Copy").exit_code == 0
        theirs = json.loads(run("show", "queen-endings", "--json").stdout)["studies"]
        ours = json.loads(run("show", "copy", "--json").stdout)["studies"]
        for was, now in zip(theirs, ours, strict=True):
            for name in ("fen", "name", "side", "goal", "expected", "depth", "note", "best"):
                assert was[name] == now[name], (was["id"], name)
        assert run("export", "copy", "-").stdout == file.read_text()

    def test_wrong_usage_exits_with_2(self, run: Run) -> None:
        for args in (("add",), ("import",), ("export", "lucena"), ("nonsense",)):
            assert run(*args).exit_code == 2

    def test_a_damaged_set_causes_a_warning(self, run: Run, tmp_path: Path) -> None:
        (tmp_path / "studies").mkdir()
        (tmp_path / "studies" / "mine.json").write_text("{")
        result = run()
        assert result.exit_code == 0 and "mine.json is damaged" in result.stderr
        assert run("remove", "mine").exit_code == 0 and "damaged" not in run().stderr

    def test_a_line_of_epd_keeps_its_name_and_its_comment(self, run: Run) -> None:
        line = '4k3/8/8/8/8/8/8/4K2R w - - c0 "cut off; then mate"; id "Rook 7";'
        run("add", line, "--set", "Lines")
        assert (
            run("export", "Lines", "-").stdout.strip()
            == '4k3/8/8/8/8/8/8/4K2R w - - id "Rook 7"; c0 "cut off; then mate";'
        )
        run("add", line.replace(" w ", " b "), "--set", "Lines", "--name", "Other", "--note", "mine")
        run("add", "4k3/8/8/8/8/8/8/4K1R1 w - - 0 1 ; the same a file away", "--set", "Lines")
        lines = run("export", "Lines", "-").stdout.splitlines()
        assert 'id "Other"; c0 "mine";' in lines[1] and 'c0 "the same a file away";' in lines[2]

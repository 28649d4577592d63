"""A table whose sub-endings are not built, as after ``build --keep asked``: it answers all that it can alone."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import chess
import pytest
from click.testing import CliRunner

from endgame_core.answers import Answers
from endgame_core.app_context import AppContext
from endgame_core.chess.fifty import FiftyMoves, OwnSource
from endgame_core.chess.game import CHESS, CHESS_DTZ
from endgame_core.cli.main import main
from endgame_core.errors import NotBuiltError
from endgame_core.judge import Judge
from endgame_core.practice.course import Course
from endgame_core.practice.defence import Defence, reply
from endgame_core.practice.journal import Journal
from endgame_core.practice.studies import Studies
from endgame_core.practice.theme import LEVELS, Starts, parse_theme
from endgame_core.tables.explorer import Explorer
from endgame_core.tables.library import Library
from endgame_core.tables.verification import verify
from endgame_core.tasks.catalogue import Catalogue
from endgame_core.tasks.drill_picker import DrillPicker
from endgame_core.tasks.drill_search import DrillSearch
from endgame_core.tasks.play_state import PlayState
from endgame_core.tasks.resume import unfinished_session
from endgame_core.tasks.training_session import Stage, TrainingSession
from endgame_core.tasks.walk import Walk
from endgame_core.values import Category, Kind
from endgame_core.words import game_report as play_words
from endgame_core.words import position as words
from endgame_core.words import tables as table_words
from endgame_core.words.missing_tables import press_to_build

from .conftest import give

ENDINGS = ("KPvK", "KRvKB", "KBNvK", "KRvKP")
PROMOTES = "8/7P/8/8/8/k7/8/K7 w - - 0 1"
"""h8=Q is best; two more promotions lead to endings that are not built."""
BEYOND = "8/7R/8/8/8/1k6/p7/7K b - - 0 1"
"""a1=Q+ mates in 24; KQvKR is not built."""


@pytest.fixture
def alone(library: Library, tmp_path: Path) -> Library:
    """Some tables of four men and fewer; of the endings that they lead to only the shipped ones are there."""
    found = Library(CHESS, tmp_path / "alone")
    give(library, found, *ENDINGS)
    return found


@pytest.fixture
def lab(alone: Library) -> AppContext:
    return AppContext(alone.root)


def leaves(library: Library, board: chess.Board, move: chess.Move) -> bool:
    """Whether a move leads to what is not built."""
    after = CHESS.play(board, move)
    return not CHESS.is_trivial(after) and not library.is_built(CHESS.ending_of(after))


@pytest.mark.exhaustive
@pytest.mark.parametrize("ending", ENDINGS)
def test_every_answer_is_that_of_a_complete_set_of_tables(
    ending: str, alone: Library, library: Library, random_board: Callable[[str], chess.Board]
) -> None:
    judge, all_knowing = Judge(Explorer(CHESS, alone)), Judge(Explorer(CHESS, library))
    partly = unknown = 0
    for _ in range(300):
        board = random_board(ending)
        found, whole = judge.probe(board), all_knowing.probe(board)
        assert found.verdict == whole.verdict
        beyond = {move for move in board.legal_moves if leaves(alone, board, move)}
        if found.by_depth or not whole.by_depth:
            assert found.problem is None
            told = [rated for rated in found.by_depth if rated.move not in beyond]
            assert [(one.move, one.grade, one.later) for one in told] == [
                (one.move, one.grade, one.later) for one in whole.by_depth if one.move not in beyond
            ]
            rest = found.by_depth[len(told) :]
            assert {one.move for one in rest} == beyond
            assert not any(one.grade or one.verdict for one in rest)
            partly += bool(rest)
        else:
            assert isinstance(found.problem, NotBuiltError)
            assert beyond >= {rated.move for rated in whole.by_depth if rated.grade == "best"}
            unknown += 1
        line = judge.line(board).steps
        assert [step.verdict for step in line] == [step.verdict for step in all_knowing.line(board).steps[: len(line)]]
        assert (len(line) > 0) == bool(found.by_depth)
    assert partly or ending in ("KRvKB", "KBNvK")
    assert unknown or ending == "KPvK"


@pytest.mark.exhaustive
def test_an_unknown_zeroing_move_leaves_the_category_open(
    alone: Library, library: Library, random_board: Callable[[str], chess.Board]
) -> None:
    judges = [
        Judge(Explorer(CHESS, tables), lambda tables=tables: FiftyMoves(OwnSource(Library(CHESS_DTZ, tables.root))))
        for tables in (alone, library)
    ]
    unsure = 0
    for _ in range(1500):
        board = random_board("KRvKP")
        board.halfmove_clock = 99
        told, truth = (judge.probe_by_depth(board) for judge in judges)
        if told.by_depth and told.by_depth[-1].verdict is None and truth.category is not told.category:
            assert told.category in (Category.MAYBE_WIN, Category.MAYBE_LOSS)
            unsure += 1
    assert unsure


def test_where_only_dtz_knows_all_moves_no_plies_are_counted(
    library: Library, dtz_library: Library, tmp_path: Path
) -> None:
    lone = Library(CHESS, tmp_path / "lone")
    give(library, lone, "KPvK")
    judge = Judge(Explorer(CHESS, lone), lambda: FiftyMoves(OwnSource(dtz_library)))
    known = judge.probe(chess.Board(PROMOTES))
    assert known.by_dtz and not known.by_depth and isinstance(known.problem, NotBuiltError)
    grade = judge.grade(chess.Board(PROMOTES), chess.Move.from_uci("h7h8r"))
    assert grade is not None and grade.kind is not Kind.BEST
    assert {words.label(rated)[0] for rated in known.legal if leaves(lone, known.position, rated.move)} == {"?"}


@pytest.mark.parametrize("ending", ENDINGS)
def test_verify_compares_what_it_can(ending: str, alone: Library) -> None:
    found = verify(alone, ending, samples=300)
    assert found.mismatch is None
    assert 0 < found.positions < 300
    assert found.missing and not any(map(alone.is_built, found.missing))
    assert f"; the rest cannot be checked without {found.missing[0]}" in table_words.verified(found)


def test_verify_still_finds_wrong_values(alone: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("endgame_core.tables.proof.derived_code", lambda *_: 5)
    assert verify(alone, "KPvK", samples=50).mismatch is not None


def test_commands_print_the_value_and_the_missing_table(alone: Library) -> None:
    def run(*arguments: str) -> str:
        found = CliRunner().invoke(main, ["--data-dir", str(alone.root), *arguments])
        assert found.exit_code == 0, found.output
        return found.output

    told = run("probe", PROMOTES)
    assert "White mates in 7" in told and re.search(r"h8=Q is best; .*h8=B and h8=N", told)
    assert str(NotBuiltError("KBvK")) in told
    told = run("probe", BEYOND)
    assert "Black mates in 24 (47 plies)" in told and re.search(rf"line ends.*{NotBuiltError('KQvKR').what}", told)
    assert NotBuiltError("KRvKP").what not in told
    assert "75 moves" not in run("line", BEYOND)
    moves = Answers(Judge(Explorer(CHESS, alone))).by_dtm(chess.Board(BEYOND))["moves"]
    assert {move["uci"] for move in moves} == {move.uci() for move in chess.Board(BEYOND).legal_moves}
    missing = {move["uci"]: move["missing"] for move in moves if move["category"] == "unknown"}
    assert missing.keys() == {"a2a1q", "a2a1r", "a2a1n"}
    assert missing["a2a1n"] == str(NotBuiltError("KRvKN"))


def test_layers_can_be_walked_without_sub_endings(lab: AppContext) -> None:
    walk: Walk[chess.Board, chess.Move] = Walk(lab, "chess")
    walk.open("KPvK")
    walk.to_layer(13)
    walk.go(chess.Board(PROMOTES))
    assert walk.location.place is not None and walk.location.place.n == 13
    assert walk.missing_ending is None
    groups = words.moves(walk).groups
    assert [group.title for group in groups] == ["S12", "S16", "S22", "?"]
    assert groups[-1].moves == ("h8=B", "h8=N")
    walk.play_best()
    walk.go(chess.Board(BEYOND))
    assert words.layers(walk).rows and walk.missing_ending == "KQvKR"
    assert words.moves(walk).notice == NotBuiltError("KQvKR").what
    assert press_to_build("KQvKR") in str(words.reason(walk))
    with pytest.raises(NotBuiltError, match="KQvKR"):
        walk.play_best()


@pytest.mark.parametrize("defence", Defence)
def test_the_defender_uses_the_table_where_it_can(defence: Defence, alone: Library) -> None:
    judge = Judge(Explorer(CHESS, alone))
    assert reply(judge, chess.Board(PROMOTES), defence, random.Random(1)).uci() == "h7h8q"
    with pytest.raises(NotBuiltError):
        reply(judge, chess.Board(BEYOND), defence, random.Random(1))


def test_play_says_where_the_search_replies(lab: AppContext) -> None:
    play: PlayState[Any, Any] = PlayState(lab, "chess")
    play.set_up(chess.Board(PROMOTES), "white")
    assert "KBvK and KNvK are not built: the search replies there." in play_words._expectation(play)  # pyright: ignore[reportPrivateUsage]


def test_drills_begin_where_all_moves_are_known(alone: Library, tmp_path: Path) -> None:
    explorer, journal = Explorer(CHESS, alone), Journal(tmp_path / "journal")
    course = Course(CHESS, alone, Studies(CHESS, tmp_path / "studies"), journal)
    course.refresh()
    starts = Starts(explorer, random.Random(3), True)
    for key in ("KPvK mate white", "KPvK hold", "KPvK call"):
        for level in (1, LEVELS):
            board = starts.draw(parse_theme(key), level).position
            assert not any(leaves(alone, board, move) for move in board.legal_moves)
    chooser = DrillPicker(course, explorer, random.Random(5))
    key = DrillSearch(chooser).find("KPvK")
    assert key is not None
    chooser.go(key)
    nothing = Judge(Explorer(CHESS, Library(CHESS, tmp_path / "nothing")))
    sitting = TrainingSession(chooser.plan(), nothing, course, random.Random(7))
    with pytest.raises(NotBuiltError):
        sitting.next()
    assert sitting.stage is Stage.SUMMARY and unfinished_session(sitting) is None
    sitting.leave()
    assert not sitting.results


def test_the_library_finds_endings_spelled_in_another_order(alone: Library) -> None:
    catalogue = Catalogue([alone])
    assert catalogue.find("KNBvK") and catalogue.ending == "KBNvK"
    assert catalogue.find("krvkp") and catalogue.ending == "KRvKP"
    assert not catalogue.find("KXvK")

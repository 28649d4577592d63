"""Sets and themes: which drills are due, and how a training session is put together."""

from __future__ import annotations

import random
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from endgame_core.chess.game import CHESS
from endgame_core.practice.course import SESSION_LENGTH, Course, DrillItem
from endgame_core.practice.journal import Journal
from endgame_core.practice.records import Attempt, Card, Outcome
from endgame_core.practice.studies import MY_POSITIONS, Studies
from endgame_core.practice.theme import groups, parse_theme
from endgame_core.tables.library import Library

NOW = datetime(2026, 11, 21, 12, 0).timestamp()
DAY = 86_400.0
ROOK = "8/8/8/3k4/8/8/8/K6R w - - 0 1"


def course(library: Library, directory: Path) -> Course:
    journal = Journal(None, clock=lambda: NOW)
    found = Course(CHESS, library, Studies(CHESS, directory), journal)
    found.refresh()
    return found


@pytest.fixture
def found(library: Library, tmp_path: Path) -> Course:
    return course(library, tmp_path)


def tried(found: Course, key: str, solved: bool, lost: int = 0) -> None:
    theme = parse_theme(key)
    attempt = Attempt(theme=key, label=theme.label, ending=theme.ending, mode=theme.mode, start=ROOK, colour="white")
    uuid = found.journal.begin(attempt)
    found.journal.finish(uuid, Outcome.SOLVED if solved else Outcome.FAILED)


def card(found: Course, key: str, days: float) -> None:
    theme = parse_theme(key)
    found.journal.keep(Card(theme=key, label=theme.label, ending=theme.ending, due=NOW + days * DAY))


def test_sets_hold_themes_and_studies_of_one_name(found: Course) -> None:
    names = [collection.name for collection in found.collections]
    assert names[: len(groups("chess"))] == list(groups("chess"))
    assert names[-1] == MY_POSITIONS and len(set(names)) == len(names)
    for collection in found.collections[:-1]:
        assert collection.positions > 0 and len(collection.items) > collection.positions
        assert len({item.theme.key for item in collection.items}) == len(collection.items)


def test_every_item_is_found_again_by_its_key(found: Course) -> None:
    for collection in found.collections:
        for item in collection.items:
            assert found.item(item.theme.key) == item
    assert found.item("study of nothing") is None and found.item("study gone") is None


def test_own_positions_come_and_go(found: Course) -> None:
    study = found.studies.add(ROOK)
    found.read_sets()
    item = found.item(f"study {study.id}")
    assert item is not None and item.ending == "KRvK" and found.own_set(study) is not None
    found.studies.remove(study.id)
    found.read_sets()
    assert found.item(f"study {study.id}") is None


def test_a_theme_of_the_user_is_listed_with_the_others(found: Course) -> None:
    own = parse_theme("KRvK mate white 13-15")
    assert found.is_own(own) and own not in found.themes
    card(found, own.key, 1)
    found.refresh()
    at = found.themes.index(own)
    assert found.themes[at - 1].ending == found.themes[at + 1].ending == "KRvK"
    assert not any(found.is_own(theme) for theme in found.themes if theme != own)


def test_the_progress_of_a_set_sums_up_its_themes(found: Course) -> None:
    tried(found, "KRvK mate white 5-11", True)
    tried(found, "KRvK mate white 5-11", False)
    tried(found, "KRvK mate white 5-11", True)
    card(found, "KRvK mate white 5-11", -1)
    card(found, "KRvK mate white 21-31", 3)
    found.refresh()
    figures = found.figures(found.collections[0].items)
    assert (figures.drills, figures.solved, figures.percent, figures.due, figures.has_cards) == (3, 2, 67, 1, True)
    assert figures.soonest == NOW + 3 * DAY
    assert found.recent(found.collections[0].items).solved == (True, False, True)
    assert found.figures(found.collections[1].items).percent is None


def test_drills_are_due_until_midnight_and_the_longest_overdue_come_first(found: Course) -> None:
    for key, days in (("KPvK hold", 0.4), ("KRvK mate white 5-11", -3), ("KPvK call", 1), ("study lucena", -1)):
        card(found, key, days)
    card(found, "study gone/for-good", -9)
    found.refresh()
    assert [item.theme.key for item in found.due] == ["KRvK mate white 5-11", "study lucena", "KPvK hold"]


def test_a_session_takes_due_drills_then_new_ones_then_weak_ones(found: Course) -> None:
    keys = ["KQvK mate white 5-11", "KQvK mate white 11-19", "KRvK mate white 5-11", "KRvK mate white 21-31"]
    items = [DrillItem(parse_theme(key)) for key in [*keys, "KQPvKQ hold"]]
    for solved in (True, True):
        tried(found, keys[0], solved)
    tried(found, keys[1], False)
    card(found, keys[0], 5)
    card(found, keys[1], 5)
    card(found, keys[3], -2)
    found.refresh()
    queue = found.queue(items, random.Random(1))
    assert [item.theme.key for item in queue] == [keys[3], keys[2], keys[1], keys[0]]
    assert found.missing(items) == ("KQPvKQ",)


@pytest.mark.slow
@given(most=st.integers(0, 200), seed=st.integers(0, 2**32))
def test_a_session_repeats_no_drill_and_takes_no_ending_without_a_table(found: Course, most: int, seed: int) -> None:
    items = [item for collection in found.collections for item in collection.items]
    queue = found.queue(items, random.Random(seed), most)
    assert len(queue) <= most and len({item.theme.key for item in queue}) == len(queue)
    assert all(map(found.is_built, queue))
    assert len(found.queue(items, random.Random(seed))) == SESSION_LENGTH

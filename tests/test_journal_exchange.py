"""Export and import of the journal: nothing is lost, nothing is imported twice, and bad lines are skipped."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from endgame_core.practice.journal import Journal
from endgame_core.practice.journal_exchange import export, export_file, import_file, import_lines
from endgame_core.practice.journal_tables import VERSION
from endgame_core.practice.records import (
    Attempt,
    Card,
    CardReview,
    JournalError,
    Made,
    Outcome,
    Rating,
    Record,
    read,
    values,
)

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
COUNT = st.integers(0, 1 << 40)
MOMENT = st.floats(0, 2e11)
DAY = st.integers(1, date.max.toordinal())
FLAG = st.booleans()

MADE = st.builds(Made, COUNT, TEXT, TEXT, FLAG, TEXT, COUNT, FLAG, st.none() | COUNT, MOMENT, FLAG)
RECORD = st.builds(
    Record,
    theme=TEXT, label=TEXT, ending=TEXT, mode=TEXT, start=TEXT, colour=TEXT, defence=TEXT, goal=TEXT,
    perfect=st.none() | COUNT, run=TEXT, game=TEXT, uuid=st.uuids().map(str), started=MOMENT, day=DAY,
    finished=st.none() | MOMENT, outcome=st.sampled_from(Outcome), result=TEXT, plies_lost=COUNT, errors=COUNT,
    hints=COUNT, takebacks=COUNT, seconds=MOMENT,
)  # fmt: skip
CARD = st.builds(Card, theme=TEXT, label=TEXT, ending=TEXT, due=MOMENT, reviewed=MOMENT, state=TEXT)
REVIEW = st.builds(CardReview, theme=TEXT, reviewed=MOMENT, rating=COUNT, attempt=TEXT)
RATING = st.builds(Rating, name=TEXT, rating=MOMENT, deviation=MOMENT, games=COUNT, updated=MOMENT)


def line(kind: str, record: Any, **more: Any) -> str:
    return json.dumps({"kind": kind, **values(record), **more})


def attempt_line(record: Record, moves: list[Made]) -> str:
    return line("attempt", record, moves=[values(move) for move in moves])


@pytest.mark.slow
@given(
    attempts=st.lists(st.tuples(RECORD, st.lists(MADE, max_size=4)), max_size=4, unique_by=lambda found: found[0].uuid),
    cards=st.lists(CARD, max_size=3, unique_by=lambda card: card.theme),
    reviews=st.lists(REVIEW, max_size=3, unique_by=lambda review: (review.theme, review.reviewed)),
    ratings=st.lists(RATING, max_size=3, unique_by=lambda rating: rating.name),
)
@settings(max_examples=30)
def test_an_exported_journal_is_imported_whole(attempts: Any, cards: Any, reviews: Any, ratings: Any) -> None:
    lines = [attempt_line(*found) for found in attempts]
    lines += [line("card", c) for c in cards] + [line("review", r) for r in reviews]
    lines += [line("rating", r) for r in ratings]
    first, second = Journal(None), Journal(None)
    done = import_lines(first, lines)
    assert (done.attempts, done.cards, done.unchanged, done.bad) == (len(attempts), len(cards), 0, [])
    for record, moves in attempts:
        assert first.attempt(record.uuid) == record and first.moves(record.uuid) == moves
    assert sorted(first.cards(), key=str) == sorted(cards, key=str)
    text = list(export(first))
    assert import_lines(second, text).attempts == len(attempts)
    assert list(export(second)) == text
    again = import_lines(second, text)
    assert (again.attempts, again.cards, again.unchanged) == (0, 0, len(lines)) and list(export(second)) == text


NO_LINE = st.one_of(
    st.text(max_size=60),
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=5),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    ).map(json.dumps),
)


@given(st.lists(NO_LINE, max_size=5))
@settings(max_examples=50)
@example(["[" * 100_000])
@example(['{"kind": "journal", "format": "1"}', '{"kind": null}', '{"kind": "attempt", "moves": [1]}'])
def test_bad_lines_are_listed_and_the_others_are_imported(lines: list[str]) -> None:
    journal = Journal(None)
    good = line("card", Card(theme="t", due=5.0))
    done = import_lines(journal, [*lines, good])
    assert done.cards == 1 and journal.card("t") is not None
    assert [number for number, _ in done.bad] == [n for n, text in enumerate(lines, 1) if text.strip()]
    assert all(error.endswith(".") for _, error in done.bad)


@given(RECORD, st.data())
@settings(max_examples=50)
def test_a_record_with_one_bad_field_is_refused(record: Record, data: st.DataObject) -> None:
    document = values(record)
    name = data.draw(st.sampled_from(sorted(document)))
    bad = [[], {}, "\ud800", True, -1, 1e300, "x" * 10_001]
    if isinstance(document[name], str) and not isinstance(document[name], Outcome):
        bad = [[], {}, "\ud800", True, 3, None, "x" * 10_001]
    document[name] = data.draw(st.sampled_from(bad))
    with pytest.raises(JournalError):
        read(Record, document, JournalError)


@given(RECORD, st.data())
@settings(max_examples=20)
def test_a_record_without_a_field_that_it_needs_is_refused(record: Record, data: st.DataObject) -> None:
    document = values(record)
    del document[data.draw(st.sampled_from(["theme", "ending", "mode", "start", "colour", "uuid", "started", "day"]))]
    with pytest.raises(JournalError, match="missing"):
        read(Record, document, JournalError)


BASE = Record(theme="t", ending="KRvK", mode="mate", start="f", colour="white", uuid="u", started=1.0, day=1)


@pytest.mark.parametrize("day", [0, date.max.toordinal() + 1])
def test_a_date_that_does_not_exist_is_refused(day: int) -> None:
    """A row with such a day would be taken for a damaged one."""
    journal = Journal(None)
    done = import_lines(journal, [attempt_line(replace(BASE, day=day), [])])
    ((_, problem),) = done.bad
    assert problem.startswith("day ")
    assert journal.attempt("u") is None


def test_an_imported_finished_attempt_replaces_our_unfinished_one() -> None:
    journal = Journal(None)
    moves = [Made(1, "h1h2", "Rh2", True)]
    import_lines(journal, [attempt_line(BASE, moves)])
    finished = replace(BASE, outcome=Outcome.SOLVED, finished=9.0)
    longer = [*moves, Made(2, "h8g8", "Kg8", False)]
    assert import_lines(journal, [attempt_line(finished, longer)]).attempts == 1
    assert journal.attempts() == [finished] and journal.moves("u") == longer
    assert import_lines(journal, [attempt_line(BASE, moves)]).unchanged == 1
    assert journal.attempts() == [finished] and journal.moves("u") == longer


def test_an_export_from_before_unknown_plies_is_imported() -> None:
    journal, document = Journal(None), json.loads(attempt_line(BASE, [Made(1, "h1h2", "Rh2", True)]))
    del document["uncounted"]
    import_lines(journal, [json.dumps(document)])
    assert journal.attempts() == [replace(BASE, uncounted=1)]


def test_of_two_cards_the_one_reviewed_last_is_kept() -> None:
    journal = Journal(None)
    older, newer = Card(theme="t", due=9.0, reviewed=1.0), Card(theme="t", due=3.0, reviewed=2.0)
    for lines in ([older, newer], [newer, older]):
        import_lines(journal, [line("card", card) for card in lines])
        assert journal.cards() == [newer]


def test_an_export_of_a_newer_version_is_refused() -> None:
    journal = Journal(None)
    with pytest.raises(JournalError, match="newer version"):
        import_lines(journal, ['{"kind": "journal", "format": 2}', line("card", Card(theme="t", due=5.0))])
    assert journal.cards() == []


def test_a_long_journal_is_exported_in_order() -> None:
    journal = Journal(None)
    for number in range(1200):
        uuid = journal.begin(Attempt(theme=str(number), ending="KRvK", mode="mate", start="f", colour="white"))
        if number % 400 == 0:
            journal.move(uuid, Made(1, "h1h2", "Rh2", True))
    documents = [json.loads(text) for text in export(journal)]
    assert documents[0] == {"kind": "journal", "format": 1, "journal": VERSION}
    assert [found["theme"] for found in documents[1:]] == [str(number) for number in range(1200)]
    assert [len(found["moves"]) for found in documents[1::400]] == [1, 1, 1]


def test_export_and_import_report_their_progress(tmp_path: Path) -> None:
    first = Journal(tmp_path / "first.sqlite3")
    import_lines(first, [attempt_line(replace(BASE, uuid=f"u{number}"), []) for number in range(5)])
    file = tmp_path / "journal.jsonl"
    written = list[float]()
    assert export_file(first, file, written.append) == 5
    read = list[float]()
    second = Journal(tmp_path / "second.sqlite3")
    assert import_file(second, file, read.append).attempts == 5
    for shares in (written, read):
        assert shares == sorted(shares) and len(shares) == 6 and shares[-1] == 1.0
    first.close()
    second.close()

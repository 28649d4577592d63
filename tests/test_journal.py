"""The journal keeps every attempt, whatever happens to its file."""

from __future__ import annotations

import json
import os
import random
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest

from endgame_core.practice import journal_file, journal_salvage, journal_tables
from endgame_core.practice.journal import Journal, day_of
from endgame_core.practice.journal_exchange import export, import_lines
from endgame_core.practice.records import UNCOUNTED, Attempt, Card, CardReview, JournalError, Made, Outcome, Rating
from endgame_core.practice.stats import progress
from endgame_core.values import Kind

NOW = 1_795_000_000.0


def attempt(theme: str = "KRvK mate white 5-11", **more: str) -> Attempt:
    given = {"ending": "KRvK", "mode": "mate", "start": "8/8/8/3k4/8/8/8/K6R w - - 0 1", "colour": "white", **more}
    return Attempt(theme=theme, label="mate in 3–6", perfect=11, **given)


def move(ply: int, own: bool = True, plies: int = 0, error: bool = False) -> Made:
    return Made(ply, "h1h2", "Rh2", own, "slower" if plies else "best", plies, error, 10, 1.5)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "deep" / "journal.sqlite3"


def kept(path: Path) -> Journal:
    journal = Journal(path, lambda: NOW)
    assert journal.take_notice() == "" and journal.is_stored
    return journal


def test_an_attempt_with_its_moves_is_read_back_as_it_was(path: Path) -> None:
    journal = kept(path)
    uuid = journal.begin(attempt(run="r", defence="tricky", goal="win"))
    played = [move(1, plies=2), move(2, own=False, plies=8), move(3, error=True)]
    for made in played:
        journal.move(uuid, made)
    journal.hint(uuid)
    journal.finish(uuid, Outcome.FAILED, "the win is gone")
    found = kept(path).attempt(uuid)
    assert found is not None
    assert (found.theme, found.run, found.defence, found.perfect) == ("KRvK mate white 5-11", "r", "tricky", 11)
    assert (found.started, found.day, found.finished) == (NOW, day_of(NOW), NOW)
    assert (found.outcome, found.result) == (Outcome.FAILED, "the win is gone")
    assert (found.plies_lost, found.errors, found.hints, found.takebacks, found.seconds) == (2, 1, 1, 0, 3.0)
    assert journal.moves(uuid) == played


def test_moves_taken_back_stay_and_count(path: Path) -> None:
    journal = kept(path)
    uuid = journal.begin(attempt())
    for made in (move(1), move(2, own=False), move(3, plies=4), move(4, own=False)):
        journal.move(uuid, made)
    journal.take_back(uuid, 3)
    journal.move(uuid, move(3))
    assert [(made.ply, made.taken) for made in journal.moves(uuid)] == [
        (1, False), (2, False), (3, True), (4, True), (3, False),
    ]  # fmt: skip
    found = journal.attempt(uuid)
    assert found is not None and (found.plies_lost, found.takebacks) == (4, 1)


def test_attempts_come_newest_first_and_by_theme(path: Path) -> None:
    times = iter(range(100))
    journal = Journal(path, lambda: NOW + next(times))
    uuids = [journal.begin(attempt(theme)) for theme in ("a", "b", "a", "b", "a")]
    assert [found.uuid for found in journal.attempts()] == uuids[::-1]
    assert [found.uuid for found in journal.attempts(theme="a", limit=2)] == [uuids[4], uuids[2]]
    before = journal.attempts()[1].started
    assert [found.uuid for found in journal.attempts(before=before)] == uuids[2::-1]


def test_cards_reviews_and_ratings_are_read_back(path: Path) -> None:
    journal = kept(path)
    later, sooner = Card(theme="a", due=9.0, state="x"), Card(theme="b", due=3.0)
    journal.keep(later, CardReview(theme="a", reviewed=1.0, rating=3))
    journal.keep(sooner)
    journal.keep(Rating(name="you", rating=1500.0, deviation=80.0))
    again = kept(path)
    assert again.cards() == [sooner, later] and again.card("a") == later and again.card("c") is None
    assert again.rating("you") == Rating(name="you", rating=1500.0, deviation=80.0) and again.rating("me") is None
    again.drop_card("a")
    assert journal.cards() == [sooner]


def test_kill_9_in_the_middle_of_a_drill_leaves_every_move(path: Path) -> None:
    code = f"""
import sys
from pathlib import Path
from tests.test_journal import attempt, move
from endgame_core.practice.journal import Journal
journal = Journal(Path({str(path)!r}))
uuid = journal.begin(attempt())
for ply in range(1, 1000):
    journal.move(uuid, move(ply))
    print(uuid, ply, flush=True)
"""
    root = Path(__file__).resolve().parents[1]
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, cwd=root)
    assert child.stdout is not None
    for line in child.stdout:
        uuid, said = line.split()
        if int(said) == 25:
            child.kill()
            break
    child.stdout.close()
    child.wait()
    journal = kept(path)
    found = journal.attempt(uuid)
    assert found is not None and found.outcome is Outcome.OPEN and found.finished is None
    plies = [made.ply for made in journal.moves(uuid)]
    assert plies == list(range(1, len(plies) + 1)) and len(plies) >= 25


@pytest.mark.slow
def test_two_programs_at_once_lose_nothing(path: Path) -> None:
    code = f"""
from pathlib import Path
from tests.test_journal import attempt, move
from endgame_core.practice.journal import Journal
journal = Journal(Path({str(path)!r}))
for number in range(40):
    uuid = journal.begin(attempt())
    for ply in range(1, 6):
        journal.move(uuid, move(ply, plies=2))
    journal.hint(uuid)
journal.close(60)
"""
    root = Path(__file__).resolve().parents[1]
    writers = [subprocess.Popen([sys.executable, "-c", code], cwd=root) for _ in range(2)]
    assert [writer.wait() for writer in writers] == [0, 0]
    journal = kept(path)
    found = journal.attempts(limit=100)
    assert len(found) == 80 and {(f.plies_lost, f.hints) for f in found} == {(10, 1)}
    assert journal.query("SELECT count(*), count(DISTINCT attempt) FROM moves") == [(400, 80)]


def test_threads_share_one_journal(path: Path) -> None:
    journal = kept(path)
    uuid = journal.begin(attempt())
    threads = [threading.Thread(target=lambda: [journal.move(uuid, move(1)) for _ in range(50)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(journal.moves(uuid)) == 200


@pytest.fixture
def locked(path: Path) -> sqlite3.Connection:
    kept(path).close()
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    return holder


def test_a_locked_journal_is_reported_once_and_loses_nothing(path: Path, locked: sqlite3.Connection) -> None:
    journal = Journal(path, patience=0.01)
    uuid = journal.begin(attempt())
    assert "locked" in journal.take_notice()
    journal.move(uuid, move(1))
    assert journal.take_notice() == "" and journal.attempts() == []
    locked.execute("COMMIT")
    journal.move(uuid, move(2))
    assert [made.ply for made in journal.moves(uuid)] == [1, 2]
    locked.execute("BEGIN IMMEDIATE")
    journal.hint(uuid)
    assert "locked" in journal.take_notice()
    with pytest.raises(JournalError, match=r"1 records? could not be written"):
        journal.close(0.01)
    locked.close()


def test_reading_does_not_wait_for_a_lock(path: Path, locked: sqlite3.Connection) -> None:
    journal = Journal(path, patience=3600.0)
    journal._pending.append(("DELETE FROM cards", ()))
    assert [journal.query("SELECT count(*) FROM attempts") for _ in range(3)] == [[(0,)]] * 3
    assert "locked" in journal.take_notice()
    locked.execute("COMMIT")
    assert journal.cards() == [] and journal._pending == []
    assert journal.query("PRAGMA busy_timeout") == [(3_600_000,)]
    locked.close()


def test_a_journal_can_be_locked_while_it_is_created(path: Path) -> None:
    path.parent.mkdir()
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    journal = Journal(path, patience=0.01)
    uuid = journal.begin(attempt())
    assert "locked" in journal.take_notice()
    with pytest.raises(JournalError, match="locked by another program"):
        journal.attempts()
    holder.execute("COMMIT")
    holder.close()
    assert [found.uuid for found in journal.attempts()] == [uuid]


@pytest.mark.parametrize("content", [b"no journal at all" * 100, b"SQLite format 3\0" + bytes(range(256)) * 20])
def test_a_corrupt_journal_is_put_aside_with_a_message(path: Path, content: bytes) -> None:
    path.parent.mkdir()
    for number, name in enumerate(["journal.sqlite3.damaged", "journal.sqlite3.damaged-2"]):
        path.write_bytes(content)
        journal = Journal(path, lambda: NOW)
        uuid = journal.begin(attempt())
        notice = journal.take_notice()
        assert "corrupt" in notice and f" {name}, " in notice
        assert [found.uuid for found in journal.attempts()] == [uuid] and journal.is_stored
        assert (path.parent / name).read_bytes() == content, number
        journal.close()


def test_a_journal_that_becomes_corrupt_is_put_aside(path: Path) -> None:
    journal = kept(path)
    uuid = journal.begin(attempt())
    for _ in range(200):
        journal.move(uuid, move(1))
    journal.close()
    whole = bytearray(path.read_bytes())
    for page in range(4096, len(whole), 4096):
        whole[page : page + 64] = b"\xa5" * 64
    path.write_bytes(bytes(whole))
    journal = Journal(path, lambda: NOW)
    assert journal.attempts() == []
    assert "was corrupt" in journal.take_notice()
    uuid = journal.begin(attempt())
    assert journal.attempt(uuid) is not None and (path.parent / f"{path.name}.damaged").exists()


def test_a_journal_replaced_by_another_program_is_not_put_aside(path: Path) -> None:
    first, second = kept(path), kept(path)
    uuid = first.begin(attempt())
    path.rename(path.with_name("elsewhere"))
    for end in ("-wal", "-shm"):
        path.with_name(path.name + end).unlink(missing_ok=True)
    third = kept(path)
    new = third.begin(attempt())
    error = sqlite3.DatabaseError("malformed")
    error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
    second._failed(error)
    assert second.take_notice() == "" and second.attempt(new) is not None and second.attempt(uuid) is None
    assert not path.with_name(path.name + ".damaged").exists()


@pytest.fixture
def tiny_disk(tmp_path: Path) -> Iterator[Path]:
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", str(disk)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("only root may mount a tiny disk")
    yield disk
    subprocess.run(["umount", "-l", str(disk)], check=False)


@pytest.mark.slow
def test_results_are_stored_once_a_full_disk_has_room(tiny_disk: Path) -> None:
    journal = kept(tiny_disk / "journal.sqlite3")
    uuid = journal.begin(attempt())
    ballast = tiny_disk / "ballast"
    with pytest.raises(OSError), ballast.open("wb", buffering=0) as out:
        while True:
            out.write(bytes(4096))
    for ply in range(1, 200):
        journal.move(uuid, move(ply))
    assert "stay in memory" in journal.take_notice() and journal.take_notice() == ""
    ballast.unlink()
    assert journal.flush() and [made.ply for made in journal.moves(uuid)] == list(range(1, 200))


def test_a_database_of_another_program_is_put_aside_untouched(path: Path) -> None:
    path.parent.mkdir()
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE theirs (x)")
    other.close()
    journal = Journal(path)
    assert "belongs to a different program; it is kept as" in journal.take_notice() and journal.attempts() == []
    with sqlite3.connect(path.parent / f"{path.name}.old") as other:
        assert other.execute("SELECT name FROM sqlite_master").fetchall() == [("theirs",)]
    other.close()


def test_a_journal_of_a_newer_version_is_left_alone(path: Path) -> None:
    journal = kept(path)
    journal.begin(attempt())
    journal.query(f"PRAGMA user_version = {journal_tables.VERSION + 1}")
    journal.close()
    before = path.read_bytes()
    journal = Journal(path, lambda: NOW)
    assert "newer version" in journal.take_notice()
    assert not journal.is_stored
    uuid = journal.begin(attempt())
    assert [found.uuid for found in journal.attempts()] == [uuid]
    journal.close()
    assert path.read_bytes() == before


def test_a_journal_that_cannot_be_created_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    journal = Journal(tmp_path / "file" / "journal.sqlite3")
    journal.begin(attempt())
    assert "The journal cannot be opened" in journal.take_notice()
    with pytest.raises(JournalError, match="cannot be opened"):
        journal.attempts()


@pytest.fixture
def read_only(tmp_path: Path) -> Path:
    """A journal with one attempt on a disk on which SQLite can make no files: directories have their names."""
    path = tmp_path / "journal.sqlite3"
    journal = Journal(path)
    journal.begin(attempt())
    journal.close()
    for end in ("-wal", "-shm"):
        path.with_name(path.name + end).mkdir()
    return path


def test_a_journal_on_a_read_only_disk_is_read(read_only: Path) -> None:
    before = read_only.read_bytes()
    journal = Journal(read_only)
    assert len(journal.attempts()) == 1 and journal.take_notice() == ""
    journal.begin(attempt())
    assert len(journal.attempts()) == 1
    assert "your results stay in memory until the journal can be written" in journal.take_notice()
    with pytest.raises(JournalError, match="1 record could not be written"):
        journal.close()
    assert read_only.read_bytes() == before


def test_a_journal_whose_disk_becomes_writable_is_written(read_only: Path) -> None:
    journal = Journal(read_only)
    journal.begin(attempt())
    for end in ("-wal", "-shm"):
        read_only.with_name(read_only.name + end).rmdir()
    assert len(journal.attempts()) == 2
    journal.close()
    assert len(Journal(read_only).attempts()) == 2


def test_an_import_into_a_read_only_journal_fails(read_only: Path) -> None:
    journal = Journal(None)
    journal.begin(attempt())
    with pytest.raises(JournalError, match="nothing was changed"):
        import_lines(Journal(read_only), list(export(journal)))


@pytest.mark.skipif(not Path("/sys/kernel").is_dir(), reason="there is no directory here that even root cannot write")
def test_without_a_journal_a_read_only_home_has_practised_nothing() -> None:
    journal = Journal(Path("/sys/none/journal.sqlite3"))
    assert journal.attempts() == [] and journal.take_notice() == ""
    journal.begin(attempt())
    assert "cannot be written" in journal.take_notice()


AS_92BCA97_MADE_IT = """
CREATE TABLE attempts (
    id INTEGER PRIMARY KEY, uuid TEXT NOT NULL UNIQUE, game TEXT NOT NULL, theme TEXT NOT NULL, label TEXT NOT NULL,
    ending TEXT NOT NULL, mode TEXT NOT NULL, start TEXT NOT NULL, colour TEXT NOT NULL, defence TEXT NOT NULL,
    goal TEXT NOT NULL, perfect INTEGER, started REAL NOT NULL, day INTEGER NOT NULL, finished REAL,
    outcome TEXT NOT NULL, result TEXT NOT NULL, plies_lost INTEGER NOT NULL, errors INTEGER NOT NULL,
    hints INTEGER NOT NULL, takebacks INTEGER NOT NULL, seconds REAL NOT NULL);
CREATE TABLE moves (
    attempt INTEGER NOT NULL, number INTEGER NOT NULL, ply INTEGER NOT NULL, uci TEXT NOT NULL, san TEXT NOT NULL,
    own INTEGER NOT NULL, grade TEXT NOT NULL, plies INTEGER NOT NULL, error INTEGER NOT NULL, layer INTEGER,
    seconds REAL NOT NULL, taken INTEGER NOT NULL, PRIMARY KEY (attempt, number)) WITHOUT ROWID;
CREATE TABLE cards (
    theme TEXT PRIMARY KEY, label TEXT NOT NULL, ending TEXT NOT NULL, due REAL NOT NULL, reviewed REAL NOT NULL,
    state TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE reviews (
    theme TEXT NOT NULL, reviewed REAL NOT NULL, rating INTEGER NOT NULL, attempt TEXT NOT NULL,
    PRIMARY KEY (theme, reviewed)) WITHOUT ROWID;
CREATE INDEX attempts_by_start ON attempts (started);
ALTER TABLE attempts ADD COLUMN run TEXT NOT NULL DEFAULT '';
CREATE TABLE ratings (
    name TEXT PRIMARY KEY, rating REAL NOT NULL, deviation REAL NOT NULL, games INTEGER NOT NULL,
    updated REAL NOT NULL) WITHOUT ROWID;
CREATE INDEX attempts_by_theme ON attempts (theme, started);
CREATE INDEX attempts_of_streaks ON attempts (run, outcome) WHERE mode = 'streak';
ALTER TABLE attempts ADD COLUMN uncounted INTEGER NOT NULL DEFAULT 0;
CREATE INDEX attempts_by_day ON attempts (game, day, outcome, mode, ending, theme, plies_lost, uncounted);
PRAGMA user_version = 4;
"""


def older(path: Path, version: int = 4) -> sqlite3.Connection:
    """A journal as the program made it before its migrations became one schema."""
    path.parent.mkdir()
    old = sqlite3.connect(path, isolation_level=None)
    old.executescript(
        f"PRAGMA journal_mode = WAL; {AS_92BCA97_MADE_IT} PRAGMA application_id = {journal_tables.APPLICATION};"
    )
    old.execute(f"PRAGMA user_version = {version}")
    return old


def test_the_schema_is_that_of_every_earlier_version(path: Path) -> None:
    def described(journal: sqlite3.Connection) -> dict[str, object]:
        tables = ("attempts", "moves", "cards", "reviews", "ratings")
        columns = {table: journal.execute(f"PRAGMA table_xinfo({table})").fetchall() for table in tables}
        kinds = {
            table: sorted((name, kind, needed, key) for _, name, kind, needed, _, key, _ in found)
            for table, found in columns.items()
        }
        indices = journal.execute("SELECT name, sql FROM sqlite_master WHERE sql LIKE 'CREATE INDEX%'").fetchall()
        return {**kinds, **dict(indices)}

    old, new = older(path), journal_file.connect(None, 0.1)
    assert described(old) == described(new)
    old.close()
    new.close()


def test_an_older_journal_is_opened_and_continued(path: Path) -> None:
    old = older(path)
    old.execute(
        "INSERT INTO attempts (uuid, game, theme, label, ending, mode, start, colour, defence, goal, perfect, started,"
        " day, finished, outcome, result, plies_lost, errors, hints, takebacks, seconds)"
        " VALUES ('u', 'chess', 't', '', 'KRvK', 'mate', 'f', 'white', '', '', 11, 5.0, 7, 6.0, 'solved', '', 0, 0, 0,"
        " 0, 2)"
    )
    old.execute("INSERT INTO moves VALUES (1, 1, 1, 'h1h2', 'Rh2', 1, 'best', 0, 0, 10, 1.5, 0)")
    old.execute("INSERT INTO cards VALUES ('t', 'l', 'KRvK', 9.0, 6.0, '')")
    old.execute("INSERT INTO reviews VALUES ('t', 6.0, 3, 'u')")
    old.execute("INSERT INTO ratings VALUES ('you', 1500.0, 80.0, 3, 6.0)")
    old.close()
    journal = kept(path)
    found = journal.attempt("u")
    assert found is not None and (found.theme, found.run, found.outcome) == ("t", "", Outcome.SOLVED)
    assert journal.moves("u") == [Made(1, "h1h2", "Rh2", True, "best", 0, False, 10, 1.5)]
    assert found.uncounted == 0
    assert journal.cards() == [Card(theme="t", label="l", ending="KRvK", due=9.0, reviewed=6.0)]
    assert journal.rating("you") == Rating(name="you", rating=1500.0, deviation=80.0, games=3, updated=6.0)
    assert journal.query("PRAGMA journal_mode") == [("wal",)]
    uuid = journal.begin(attempt())
    journal.move(uuid, move(1, plies=4))
    again = kept(path)
    assert [found.uuid for found in again.attempts()] == [uuid, "u"] and again.moves(uuid) == [move(1, plies=4)]


MISSED_ONCE = [
    # goal, result, plies lost, errors, hints; whether it counts as solved today
    ("win", "checkmate", 2, 0, 0, True),
    ("win", "mate", 40, 0, 0, True),
    ("win", "checkmate", 0, 0, 3, True),
    ("win", "technically won, the pawn has promoted", 0, 0, 1, True),
    ("win", "the win is gone", 0, 1, 0, False),
    ("win", "checkmate", 0, 1, 0, False),
    ("win", "stalemate", 0, 0, 0, False),
    ("win", "shown", 0, 0, 0, False),
    ("win", "left", 2, 0, 0, False),
    ("draw", "held for 15 moves", 0, 0, 1, True),
    ("draw", "the draw is gone", 0, 1, 0, False),
    ("last", "held for 15 moves", 40, 0, 0, True),
    ("last", "checkmate", 40, 0, 0, False),
    ("last", "checkmate", 2, 0, 1, True),
    ("move", "the only move", 0, 0, 2, True),
    ("answer", "it is a draw", 0, 0, 0, False),
]


def test_attempts_of_the_version_before_are_judged_by_their_goals(path: Path) -> None:
    old = older(path)
    for number, (goal, result, lost, errors, hints, _) in enumerate(MISSED_ONCE):
        old.execute(
            "INSERT INTO attempts (uuid, game, theme, label, ending, mode, start, colour, defence, goal, perfect,"
            " started, day, finished, outcome, result, plies_lost, errors, hints, takebacks, seconds)"
            " VALUES (?, 'chess', 't', '', 'KRvK', 'mate', 'f', 'white', '', ?, 11, 5.0, 7, 6.0, 'failed', ?, ?, ?, ?,"
            " 0, 2)",
            (f"u{number}", goal, result, lost, errors, hints),
        )
    old.close()
    journal = kept(path)
    for number, (*_, solved) in enumerate(MISSED_ONCE):
        record = journal.attempt(f"u{number}")
        assert record is not None and (record.outcome is Outcome.SOLVED) is solved, MISSED_ONCE[number]
    assert journal.query("PRAGMA user_version") == [(journal_tables.VERSION,)] and journal.take_notice() == ""
    # An export of the version before says the same when it is imported.
    _, *exported = export(journal)
    lines = [line.replace('"outcome": "solved"', '"outcome": "failed"') for line in exported]
    lines.insert(0, '{"kind": "journal", "format": 1}')
    other = Journal(None)
    assert import_lines(other, lines).attempts == len(MISSED_ONCE)
    assert [record.outcome for record in other.attempts()] == [record.outcome for record in journal.attempts()]


def test_a_strict_attempt_stays_missed(path: Path) -> None:
    journal, other = kept(path), Journal(None)
    uuid = journal.begin(attempt(goal="fewest"))
    journal.finish(uuid, Outcome.FAILED, "checkmate")
    assert import_lines(other, export(journal)).attempts == 1
    assert [record.outcome for record in other.attempts()] == [Outcome.FAILED]


@pytest.mark.parametrize("version", [1, 2, 3])
def test_a_journal_from_before_the_first_release_is_put_aside_untouched(path: Path, version: int) -> None:
    older(path, version).close()
    before = path.read_bytes()
    journal = Journal(path, lambda: NOW)
    notice = journal.take_notice()
    assert "older version" in notice and "journal.sqlite3.old" in notice
    assert journal.attempts() == [] and (path.parent / "journal.sqlite3.old").read_bytes() == before


def test_games_without_grades_are_not_perfect() -> None:
    journal, other = Journal(None), Journal(None)
    for mode in ("play", "win"):
        uuid = journal.begin(attempt(mode=mode))
        for ply, (uci, own, grade) in enumerate([("a", 1, ""), ("b", 0, ""), ("c", 1, "best"), ("", 1, "")], 1):
            journal.move(uuid, Made(ply, uci, "", bool(own), grade))
    assert [record.uncounted for record in journal.attempts()] == [1, 1]
    older = [json.dumps({key: value for key, value in json.loads(line).items() if key != "uncounted"})
             for line in export(journal)]  # fmt: skip
    assert import_lines(other, older).attempts == 2
    assert sorted(other.attempts(), key=str) == sorted(journal.attempts(), key=str)


def test_lost_plies_are_unknown_only_for_these_grades(path: Path) -> None:
    uncounted = {kind.value for kind in Kind if not kind.is_counted}
    assert set(UNCOUNTED) == {"", *uncounted}
    journal = kept(path)
    uuid = journal.begin(attempt())
    for ply, grade in enumerate(["", *Kind], 1):
        journal.move(uuid, Made(ply, "h1h2", "Rh2", own=True, grade=grade))
        journal.move(uuid, Made(ply, "h1h2", "Rh2", own=False, grade=grade))
        journal.move(uuid, Made(ply, "", "an answer", own=True, grade=grade))
    found = journal.attempt(uuid)
    assert found is not None and found.uncounted == len(UNCOUNTED)


def test_a_journal_file_that_cannot_be_initialised_stays_empty(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path.parent.mkdir()
    monkeypatch.setattr(journal_file, "CREATION", (*journal_file.CREATION[:3], "CREATE NONSENSE"))
    with pytest.raises(sqlite3.OperationalError):
        journal_file.connect(path, 0.1)
    with sqlite3.connect(path) as found:
        assert found.execute("SELECT count(*) FROM sqlite_master").fetchone() == (0,)
    found.close()


class TestDamage:
    """A file that SQLite takes, and that no program of ours has written."""

    @staticmethod
    def _kept(path: Path, count: int = 6) -> None:
        journal = Journal(path)
        for number in range(count):
            uuid = journal.begin(Attempt(theme=f"t{number}", ending="KRvK", mode="mate", start="x", colour="white"))
            journal.move(uuid, Made(1, "a1a2", "Ka2", own=True))
            journal.finish(uuid, Outcome.SOLVED)
        journal.keep(Card(theme="t", due=1.0), Rating(name="you", rating=1500.0, deviation=90.0))
        journal.close()

    @pytest.mark.parametrize(
        "damage",
        [
            "UPDATE attempts SET outcome = 'nothing' WHERE id = 2",
            "UPDATE attempts SET label = x'ff00' WHERE id = 2",
            "UPDATE attempts SET theme = CAST(x'ff41' AS TEXT) WHERE id = 2",
            "UPDATE attempts SET started = 'soon' WHERE id = 2",
            "UPDATE attempts SET day = 9000000000000 WHERE id = 2",
            "UPDATE attempts SET perfect = 'long' WHERE id = 2",
            "UPDATE moves SET layer = 'deep' WHERE attempt = 2",
            "UPDATE moves SET san = CAST(x'ff41' AS TEXT) WHERE attempt = 2",
            "UPDATE cards SET due = 9e300",
            "UPDATE ratings SET rating = x'00'",
        ],
        ids=range(10),
    )
    def test_a_damaged_journal_is_reported_in_one_sentence_and_its_readable_records_are_kept(
        self, tmp_path: Path, damage: str
    ) -> None:
        path = tmp_path / "journal.sqlite3"
        self._kept(path)
        with closing(sqlite3.connect(path)) as file, file:
            file.execute(damage)
        journal = Journal(path)
        progress(journal)
        for record in journal.attempts():
            journal.moves(record.uuid)
        while True:
            try:
                list(export(journal))
                break
            except JournalError:
                continue
        assert len(journal.attempts()) in (5, 6)
        assert (
            "kept as journal.sqlite3.damaged, and a new one was started with its readable records"
            in journal.take_notice()
        )
        assert (tmp_path / "journal.sqlite3.damaged").exists()
        journal.close()
        assert not Journal(path).take_notice()

    def test_a_schema_name_that_is_not_text_is_damage(self, tmp_path: Path) -> None:
        path = tmp_path / "journal.sqlite3"
        self._kept(path)
        with closing(sqlite3.connect(path)) as file, file:
            file.execute("PRAGMA writable_schema = 1")
            file.execute("UPDATE sqlite_master SET name = CAST(x'b674' AS TEXT) WHERE name = 'attempts'")
        journal = Journal(path)
        assert len(journal.attempts()) == 6
        assert journal.take_notice().endswith("a new one was started with its readable records (6 attempts).")

    def test_a_single_rescued_attempt_is_counted_in_the_singular(self, tmp_path: Path) -> None:
        path = tmp_path / "journal.sqlite3"
        self._kept(path)
        with closing(sqlite3.connect(path)) as file, file:
            file.execute("DELETE FROM attempts WHERE id > 1")
            file.execute("PRAGMA writable_schema = 1")
            file.execute("UPDATE sqlite_master SET name = CAST(x'b674' AS TEXT) WHERE name = 'attempts'")
        journal = Journal(path)
        assert len(journal.attempts()) == 1 and journal.take_notice().endswith("readable records (1 attempt).")

    @pytest.mark.slow
    def test_wrong_bytes_anywhere_lose_no_readable_attempts(self, tmp_path: Path) -> None:
        rng = random.Random(7)
        self._kept(tmp_path / "journal.sqlite3", 60)
        whole = (tmp_path / "journal.sqlite3").read_bytes()
        saved = 0
        for number in range(120):
            torn = bytearray(whole)
            for _ in range(rng.choice((1, 4, 40))):
                torn[rng.randrange(100 if rng.random() < 0.2 else len(torn))] = rng.randrange(256)
            path = tmp_path / str(number) / "journal.sqlite3"
            path.parent.mkdir()
            path.write_bytes(torn)
            journal = Journal(path)
            with suppress(JournalError):
                progress(journal)
                list(export(journal))
            with suppress(JournalError):
                journal.begin(Attempt(theme="n", ending="KRvK", mode="mate", start="x", colour="white"))
                saved += len(journal.attempts(limit=100)) > 30
            with suppress(JournalError):
                journal.close()
        assert saved > 110

    @pytest.mark.parametrize(("first", "last"), [(0, 100), (0, 4096), (4096, 8192)])
    def test_records_are_rescued_without_an_interior_page(self, tmp_path: Path, first: int, last: int) -> None:
        """The header, the list of tables, and the page by which attempts are found."""
        path = tmp_path / "journal.sqlite3"
        self._kept(path, 120)
        torn = bytearray(path.read_bytes())
        torn[first:last] = bytes(last - first)
        path.write_bytes(torn)
        found = journal_salvage.salvaged(path)
        assert sum(len(moves) for _, moves in found.attempts) >= 115, "a move or two are told where pages part"
        assert [record.theme for record, _ in found.attempts] == [f"t{number}" for number in range(120)]
        assert all(record.outcome is Outcome.SOLVED for record, _ in found.attempts)

    def test_the_records_before_a_truncation_are_rescued(self, tmp_path: Path) -> None:
        path = tmp_path / "journal.sqlite3"
        self._kept(path, 120)
        path.write_bytes(path.read_bytes()[: path.stat().st_size * 2 // 3])
        journal = Journal(path)
        assert 20 < len(journal.attempts(limit=200)) < 120
        assert "a new one was started with its readable records" in journal.take_notice()
        journal.close()

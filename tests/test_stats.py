"""The figures agree with the recorded attempts, and the commands print them."""

from __future__ import annotations

import json
import random
import sqlite3
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st

from endgame_core import paths
from endgame_core.cli.main import main
from endgame_core.morris.game import MORRIS
from endgame_core.morris.rules import START
from endgame_core.practice.journal import Journal, day_of
from endgame_core.practice.journal_tables import VERSION
from endgame_core.practice.records import PLAY, Attempt, Card, Made, Outcome, Rating, ending_words
from endgame_core.practice.stats import ProgressFigures, by_theme, document, last_of, progress
from endgame_core.words.position import name_of
from endgame_core.words.progress import cost_words, moves_lost

DAY = 86_400.0
NOON = 1_795_003_200.0
MODES = ("mate", "hold", "call", "only", "streak", PLAY)

PLAYED = st.tuples(
    st.sampled_from([("a", "KRvK"), ("b", "KRvK"), ("c", "KPvK"), ("d", "")]),
    st.sampled_from(MODES),
    st.sampled_from(Outcome),
    st.integers(0, 70),
    st.integers(0, 9),
    st.sampled_from(["", "r", "s"]),
)


def practise(
    journal: Journal,
    theme: str,
    outcome: Outcome,
    *,
    mode: str = "mate",
    ending: str = "KRvK",
    lost: int = 0,
    run: str = "",
    game: str = "chess",
    grade: str = "slower",
) -> str:
    uuid = journal.begin(
        Attempt(
            theme=theme, label=theme.upper(), ending=ending, mode=mode, start="f", colour="white", run=run, game=game
        )
    )  # fmt: skip
    journal.move(uuid, Made(1, "h1h2", "Rh2", True, grade, lost, seconds=30.0))
    if outcome is not Outcome.OPEN:
        journal.finish(uuid, outcome)
    return uuid


class Past:
    """A journal whose attempts lie so many days before today."""

    def __init__(self) -> None:
        self.ago = 0
        self.count = 0
        self.journal = Journal(None, self)

    def __call__(self) -> float:
        self.count += 1
        return NOON - DAY * self.ago + self.count / 1000


@pytest.mark.slow
@given(st.lists(st.tuples(PLAYED, st.booleans()), max_size=15), st.integers(1, 10))
@settings(max_examples=30)
def test_each_game_has_its_own_statistics(played: list[tuple[Any, bool]], weeks: int) -> None:
    """Of all that was played in two games, the figures of one are those of a journal without the other."""
    both, alone = Past(), {"chess": Past(), "morris": Past()}
    for ((theme, ending), mode, outcome, ago, lost, run), stones in played:
        game = "morris" if stones else "chess"
        for past in (both, alone[game]):
            past.ago = ago
            name = ("4-3" if ending else "") if stones else ending
            practise(
                past.journal, theme + game, outcome, mode=mode, ending=name, lost=lost, run=run + game, game=game
            )  # fmt: skip
    for past in (both, *alone.values()):
        past.ago = 0
    for game, past in alone.items():
        together, only = progress(both.journal, weeks, game=game), progress(past.journal, weeks, game=game)
        for name in ("drills", "solved", "plies_lost", "endings", "modes", "days", "best_streak", "practised"):
            assert getattr(together, name) == getattr(only, name), name
        assert [t.name for t in together.themes] == [t.name for t in only.themes]
        assert [r.theme for r in together.recent] == [r.theme for r in only.recent]
        assert together.run >= only.run and together.longest_run >= only.longest_run
    finished = {stones for (_, _, outcome, *_), stones in played if outcome in (Outcome.SOLVED, Outcome.FAILED)}
    assert bool(progress(both.journal).other_games) == (True in finished)
    assert bool(progress(both.journal, game="morris").other_games) == (False in finished)


def test_cards_and_ratings_belong_to_a_game() -> None:
    journal = Journal(None, lambda: NOON)
    for theme, ending, due in (("3-4 call", "3-4", NOON), ("study lucena", "KRPvKR", NOON), ("4-3 only", "4-3", NOON)):
        journal.keep(Card(theme=theme, ending=ending, due=due))
    journal.keep(
        Rating(name="you", rating=1600.0, deviation=50.0), Rating(name="you morris", rating=1700.0, deviation=50.0)
    )
    chess, morris = progress(journal), progress(journal, game="morris")
    assert (chess.due[0], chess.elsewhere, chess.rating) == (1, 2, 1600)
    assert (morris.due[0], morris.elsewhere, morris.rating) == (2, 1, 1700)


@given(st.lists(PLAYED, max_size=25), st.integers(1, 10))
@settings(max_examples=30)
def test_games_with_unknown_lost_plies_are_not_perfect(played: list[tuple[Any, ...]], weeks: int) -> None:
    """They change how many were played and solved, and nothing that is said of plies lost."""
    with_them, without = Past(), Past()
    for number, ((theme, ending), mode, outcome, ago, lost, run) in enumerate(played):
        for past in (with_them, without):
            past.ago = ago
            practise(past.journal, theme, outcome, mode=mode, ending=ending, lost=lost, run=run)
        grade = ("", "keeps", "still lost")[number % 3]
        practise(with_them.journal, theme, outcome, mode=PLAY, ending=ending, grade=grade)
    with_them.ago = without.ago = 0
    found, plain = progress(with_them.journal, weeks), progress(without.journal, weeks)
    assert found.drills == 2 * plain.drills and found.solved == 2 * plain.solved
    lost = [[(record.plies_lost, record.outcome) for record in each.lost] for each in (found, plain)]
    assert found.plies_lost == plain.plies_lost and lost[0] == lost[1]
    assert [moves_lost(record) == "–" for record in found.recent] == [bool(record.uncounted) for record in found.recent]
    for record in found.recent:
        cost = " ".join(cost_words(record))
        assert not (record.uncounted and "perfect" in cost)
        assert ("moves lost: unknown" in cost) == (record.uncounted > 0)


@given(st.lists(PLAYED, max_size=25), st.integers(1, 10))
@settings(max_examples=60)
def test_the_statistics_are_those_counted_by_hand(played: list[tuple[Any, ...]], weeks: int) -> None:
    past = Past()
    for (theme, ending), mode, outcome, ago, lost, run in played:
        past.ago = ago
        practise(past.journal, theme, outcome, mode=mode, ending=ending, lost=lost, run=run)
    past.ago = 0
    found = progress(past.journal, weeks)
    today = day_of(NOON)
    assert (found.last, found.today) == (today, today)
    assert date.fromordinal(found.first).weekday() == 0 and 0 <= today - found.first - 7 * (weeks - 1) < 7
    finished = [p for p in played if p[2] in (Outcome.SOLVED, Outcome.FAILED)]
    counted = [p for p in finished if today - p[3] >= found.first]
    solved = [p for p in counted if p[2] is Outcome.SOLVED]
    assert (found.drills, found.solved) == (len(counted), len(solved))
    for ending in ("KRvK", "KPvK", ""):
        ours = [c for c in found.endings if c.name == ending]
        assert sum(c.drills for c in ours) == sum(p[0][1] == ending for p in counted)
        assert sum(c.solved for c in ours) == sum(p[0][1] == ending for p in solved)
    assert {c.name: c.drills for c in found.modes} == {
        mode: sum(p[1] == mode for p in counted) for mode in MODES if any(p[1] == mode for p in counted)
    }
    assert found.days == tuple(sum(today - p[3] == day for p in counted) for day in range(found.first, today + 1))
    lost = [p[4] for p in counted if p[1] in ("mate", "hold", PLAY)]
    assert found.plies_lost == (pytest.approx(sum(lost) / len(lost)) if lost else None)
    assert sorted(record.plies_lost for record in found.lost) == sorted(lost)
    themes = {t.name: t for t in found.themes}
    for theme in {p[0][0] for p in counted}:
        ours = [p for p in counted if p[0][0] == theme]
        assert (themes[theme].drills, themes[theme].plies_lost) == (len(ours), sum(p[4] for p in ours))
        assert themes[theme].label == theme.upper()
    assert [t.share for t in found.themes] == sorted(t.share for t in found.themes)
    assert len(found.recent) == len(counted)
    assert [r.started for r in found.recent] == sorted((r.started for r in found.recent), reverse=True)
    runs = [sum(p[1] == "streak" and p[2] is Outcome.SOLVED and p[5] == run for p in played) for run in ("", "r", "s")]
    assert found.best_streak == max(runs)
    check_runs(found, {today - p[3] for p in finished}, today)
    every = by_theme(past.journal)
    assert {key: count.drills for key, count in every.items()} == {
        theme: sum(p[0][0] == theme for p in finished) for theme in {p[0][0] for p in finished}
    }
    json.dumps(document(past.journal, found))


def check_runs(found: ProgressFigures, days: set[int], today: int) -> None:
    def length(day: int) -> int:
        return 1 + length(day - 1) if day in days else 0

    assert found.longest_run == max((length(day) for day in days), default=0)
    assert found.run == (length(today) or length(today - 1))


def test_progress_of_earlier_weeks_counts_only_their_days() -> None:
    past = Past()
    for ago in (0, 50, 51, 100):
        past.ago = ago
        practise(past.journal, "a", Outcome.SOLVED)
    past.ago = 0
    assert [progress(past.journal, 6, back=back).drills for back in (0, 6, 12)] == [1, 2, 1]
    assert progress(past.journal, 6, back=6).last < day_of(NOON)


def test_due_drills_are_counted_by_day_with_their_duration() -> None:
    past = Past()
    for _ in range(3):
        practise(past.journal, "a", Outcome.SOLVED)
    days = {"a": -3, "b": 0, "c": 1, "d": 1, "e": 6, "f": 7, "g": 300}
    for theme, ahead in days.items():
        past.journal.keep(Card(theme=theme, due=NOON + DAY * ahead))
    found = progress(past.journal)
    assert found.due == (2, 2, 0, 0, 0, 0, 1)
    assert found.minutes == 2, "30 seconds as so far, and 60 for what was never done"


def test_the_newest_attempts_of_a_theme_are_listed() -> None:
    past = Past()
    uuids = [
        practise(past.journal, "a" if number % 2 else "b", Outcome.OPEN if number % 3 == 0 else Outcome.SOLVED)
        for number in range(40)
    ]
    newest = next(uuids[n] for n in range(39, 0, -1) if n % 2 and n % 3)
    for _ in range(2):
        found = last_of(past.journal, "a")
        assert found is not None and found.uuid == newest
        practise(past.journal, "a", Outcome.LEFT)
    assert last_of(past.journal, "c") is None


def test_an_empty_journal_has_no_statistics() -> None:
    found = progress(Journal(None))
    assert (found.drills, found.share, found.plies_lost, found.run, found.rating) == (0, 0.0, None, 0, None)
    assert found.due == (0,) * 7 and found.lost == () and found.minutes == 0


Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    def call(*args: str, stdin: str | bytes | None = None) -> Result:
        return CliRunner().invoke(main, ["--data-dir", str(tmp_path), *args], input=stdin)

    return call


@pytest.fixture
def filled(tmp_path: Path) -> Journal:
    journal = Journal(paths.journal_file(tmp_path))
    rng = random.Random(1)
    for number in range(30):
        outcome = Outcome.SOLVED if rng.random() < 0.6 else Outcome.FAILED
        practise(journal, "KRvK mate white 5-11" if number % 3 else "KPvK hold", outcome, lost=number % 4)
    practise(journal, "KPvK only", Outcome.SOLVED, mode="streak", ending="KPvK", run="r")
    journal.keep(Rating(name="you", rating=1612.4, deviation=90.0, games=1))
    journal.keep(Card(theme="KPvK hold", label="hold", ending="KPvK", due=0.0))
    return journal


def test_stats_in_json_equal_the_screen(run: Run, filled: Journal) -> None:
    result = run("stats", "--json")
    figures = json.loads(json.dumps(document(filled, progress(filled))))
    assert result.exit_code == 0 and json.loads(result.stdout) == {"game": "chess"} | figures


def test_stats_prints_the_statistics_of_progress(run: Run, filled: Journal) -> None:
    found = progress(filled)
    words = run("stats", "--weeks", "1").stdout
    assert "This week" in words and "1 due today, about 1 minute\n" in words and "1 day in a row" in words
    share = f"{found.share:.0%}".replace("%", " %")
    assert f"drills: 31, {share} solved" in words
    assert "streak rating 1612, best streak 1" in words
    assert "KRvK" in words and f"{found.themes[0].solved} of {found.themes[0].drills}" in words


def test_stats_of_an_empty_journal_create_no_file(run: Run, tmp_path: Path) -> None:
    assert "no finished drills yet" in run("stats").stdout
    assert json.loads(run("stats", "--json").stdout)["drills"] == 0
    assert list(tmp_path.iterdir()) == [], "asking makes no file"


def test_a_journal_is_exported_and_imported(run: Run, filled: Journal, tmp_path: Path) -> None:
    file, other = tmp_path / "out.jsonl", tmp_path / "other"
    result = run("journal", "export", str(file))
    assert result.exit_code == 0 and "33 records written" in result.stderr
    assert run("journal", "export", "-").stdout == file.read_text()
    again = run("journal", "export", str(file))
    assert again.exit_code == 1 and "already exists" in again.stderr
    assert run("journal", "export", str(file), "--force").exit_code == 0

    def elsewhere(*args: str, stdin: str | None = None) -> Result:
        return CliRunner().invoke(main, ["--data-dir", str(other), *args], input=stdin)

    assert "31 attempts and 1 card added, 0 already known" in elsewhere("journal", "import", str(file)).stdout
    found = json.loads(elsewhere("journal", "import", "-", "--json", stdin=file.read_text()).stdout)
    assert found == {"attempts": 0, "cards": 0, "known": 33, "bad": []}
    assert elsewhere("journal", "export", "-").stdout == file.read_text()
    assert elsewhere("stats", "--json").stdout == run("stats", "--json").stdout


def test_bad_lines_of_an_imported_journal_are_reported(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "bad.jsonl"
    file.write_bytes(
        b'{"kind": "card", "theme": "t", "due": 5}\nnonsense\n{"kind": "card", "theme": "\xff", "due": 5}\n'
    )
    result = run("journal", "import", str(file))
    assert result.exit_code == 1 and "0 attempts and 1 card added" in result.stdout
    assert "line 2 skipped: the line is not JSON" in result.stderr and "line 3 skipped" in result.stderr
    assert [bad["line"] for bad in json.loads(run("journal", "import", str(file), "--json").stdout)["bad"]] == [2, 3]
    missing = run("journal", "import", str(tmp_path / "none"))
    assert missing.exit_code == 1 and "cannot be read" in missing.stderr


def test_problems_of_the_journal_are_reported(run: Run, tmp_path: Path) -> None:
    path = paths.journal_file(tmp_path)
    path.write_bytes(b"garbage" * 1000)
    corrupt = run("stats")
    assert corrupt.exit_code == 0 and "was corrupt; it is kept as journal.sqlite3.damaged" in corrupt.stderr
    with sqlite3.connect(path) as newer:
        newer.execute(f"PRAGMA user_version = {VERSION + 1}")
    newer.close()
    for args in (["stats"], ["journal", "export", "-"], ["journal", "import", str(path)]):
        result = run(*args)
        assert result.exit_code == 1 and "was written by a newer version" in result.stderr and not result.stdout


def test_paths_prints_the_journal(run: Run, tmp_path: Path) -> None:
    assert json.loads(run("paths", "--json").stdout)["journal"] == str(tmp_path / "journal.sqlite3")


def test_positions_without_an_ending_have_a_name() -> None:
    assert [ending_words(ending, game) for ending, game in (("", "chess"), ("", "morris"), ("3-4", "morris"))] == [
        "other", "placing", "3-4",
    ]  # fmt: skip
    assert name_of(MORRIS, START) == ending_words("", "morris"), "Play says the same"

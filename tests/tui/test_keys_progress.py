"""Every key of the Progress screen, the attempts and the replay."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner
from textual.events import Key, Paste
from textual.pilot import Pilot

from endgame_core import paths
from endgame_core.chess.game import CHESS
from endgame_core.cli.main import main
from endgame_core.judge import Judge
from endgame_core.morris.game import MORRIS
from endgame_core.morris.rules import MorrisMove, Position
from endgame_core.practice.journal import Journal
from endgame_core.practice.journal_exchange import export_file
from endgame_core.practice.records import Attempt, Made, Outcome
from endgame_core.practice.studies import Studies
from endgame_core.tables.explorer import Explorer
from endgame_core.tables.library import Library
from endgame_core.words.text_model import moves_of_plies
from endgame_tui.app import ActionProvider, EndgameApp
from endgame_tui.screens.progress import EXPORT, PAGE
from tests.tui.desk import data_dir
from tests.tui.seeded_journal import GAME, NOW, START, record, seed
from tests.tui.terminal_text import left_on, message_text, rows, settle, text, within

SMALL = [pytest.param(size, marks=pytest.mark.slow) for size in ((120, 40), (40, 20))]


@pytest.fixture
def root(tmp_path: Path, library: Library) -> Path:
    """A data directory with all tables and no journal."""
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "tables").symlink_to(library.root / "tables")
    return tmp_path / "data"


@pytest.fixture
def practised(root: Path) -> Path:
    """A data directory with a seeded journal."""
    seed(root)
    return root


@asynccontextmanager
async def opened(root: Path, size: tuple[int, int] = (80, 24), now: float | None = NOW) -> AsyncIterator[Pilot[None]]:
    app = EndgameApp(None, root, ascii=False, memory=left_on("progress"))
    if now is not None:
        app.lab.journal.clock = lambda: now
    async with app.run_test(size=size) as pilot:
        await read(pilot)
        yield pilot


async def press(pilot: Pilot[None], *keys: str) -> None:
    """Presses keys, and waits until nothing is being read or written."""
    for key in keys:
        await pilot.press(key)
        await read(pilot)


async def read(pilot: Pilot[None]) -> None:
    """Waits until nothing is being read or written."""
    await pilot.pause()
    while any(not worker.is_finished for worker in pilot.app.workers):
        await settle(pilot)
    await pilot.pause()


async def typed(pilot: Pilot[None], words: str) -> None:
    """Types a text over what the prompt proposes."""
    await pilot.press("ctrl+u")
    assert pilot.app.focused is not None
    pilot.app.focused.post_message(Paste(words))
    await pilot.pause()
    await press(pilot, "enter")


def crumbs(pilot: Pilot[None]) -> str:
    """Where we are."""
    return rows(pilot)[0].partition("   ")[0].strip()


def about(pilot: Pilot[None]) -> str:
    """What is said of the item under the cursor."""
    return " ".join("\n".join(within(pilot, "#about") or within(pilot, "#facts")).split())


def listed(pilot: Pilot[None], panel: str) -> list[list[str]]:
    """The rows of a list below its title, each cut where blanks are."""
    return [row.replace("▸", " ").split("  ") for row in within(pilot, panel)[1:] if row.strip()]


def cells(row: list[str]) -> list[str]:
    return [cell.strip() for cell in row if cell.strip()]


async def go(pilot: Pilot[None], panel: str) -> None:
    """Goes to a panel by Tab, round and round."""
    for _ in range(7):
        if pilot.app.focused is not None and pilot.app.focused.id == panel:
            return
        await press(pilot, "tab")
    raise AssertionError(panel)


# Progress


async def test_the_statistics_equal_those_of_the_command(root: Path) -> None:
    seed(root, time.time())
    runner = CliRunner().invoke(main, ["--data-dir", str(root), "stats", "--json"])
    there = json.loads(runner.stdout)
    async with opened(root, (120, 50), now=None) as pilot:
        solved = [(row[0].split()[0], " ".join(row).split()[-1]) for row in listed(pilot, "#solved")]
        assert solved == [(found["ending"], str(found["drills"])) for found in there["endings"]]
        hardest = [cells(row) for row in listed(pilot, "#hardest")]
        assert hardest == [
            [found["ending"], found["label"], f"{found['solved']} of {found['drills']}"] for found in there["themes"]
        ]
        assert within(pilot, "#due")[1].split() == list(map(str, there["due"]))
        assert within(pilot, "#days")[0].endswith(f"longest run {there['longest_run']}")
        last = [(row[0].split()[0] == "✓", row[-1]) for row in map(cells, listed(pilot, "#recent"))]
        recent = [
            (found["outcome"] == "solved", "blunder" if found["errors"] else moves_of_plies(found["plies_lost"]))
            for found in there["recent"]
        ]
        assert last == recent[: len(last)] and len(last) > 5
        share = 100 * there["solved"] / there["drills"]
        assert [" ".join(figure.split()) for figure in within(pilot, "#figures")[0].split("  ") if figure.strip()] == [
            f"{there['due'][0]} due today", f"{there['days_in_a_row']} days in a row",
            f"{share:.0f} % of {there['drills']} solved", f"{there['plies_lost'] / 2:.1f} moves lost per drill",
        ]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("size", [(80, 24), SMALL[0]], ids=str)
async def test_tab_goes_round_and_arrows_move(practised: Path, size: tuple[int, int]) -> None:
    async with opened(practised, size) as pilot:
        shown = [name for name in ("hardest", "recent", "solved", "days", "weeks", "due") if within(pilot, f"#{name}")]
        assert ("recent" in shown) == (size[0] > 100)
        for name in [*shown[1:], shown[0]]:
            await press(pilot, "tab")
            assert pilot.app.focused is not None and pilot.app.focused.id == name
            before = about(pilot)
            there, back = {"due": ("right", "left"), "days": ("left", "right"), "weeks": ("left", "right")}.get(
                name, ("down", "up")
            )
            await press(pilot, there)
            assert about(pilot) != before
            await press(pilot, back)
            assert about(pilot) == before
            await press(pilot, "home")
            first = about(pilot)
            await press(pilot, "end")
            assert about(pilot) != first
        await press(pilot, "shift+tab")
        assert pilot.app.focused is not None and pilot.app.focused.id == shown[-1]
        await press(pilot, "escape")
        assert pilot.app.focused is not None and pilot.app.focused.id == "hardest"


async def test_a_key_drills_the_three_weakest_themes(practised: Path) -> None:
    async with opened(practised) as pilot:
        await press(pilot, "w")
        await settle(pilot)
        assert crumbs(pilot).startswith("Weakest three") and "KBNvK" in text(pilot)


async def test_without_frequent_misses_there_are_no_weakest_themes(root: Path) -> None:
    journal = Journal(paths.journal_file(root), clock=lambda: NOW)
    begun = Attempt(
        theme="KRvK mate white 5-11", label="mate in 3–6", ending="KRvK", mode="mate", start=START, colour="white"
    )
    record(journal, begun, (), Outcome.SOLVED)
    journal.close()
    async with opened(root) as pilot:
        await press(pilot, "w")
        await settle(pilot)
        assert "you have no weak themes" in message_text(pilot).lower()


async def test_the_cursor_moves_by_days_and_weeks(practised: Path) -> None:
    async with opened(practised) as pilot:
        await go(pilot, "days")
        assert about(pilot).startswith("Sat 21 Nov")
        await press(pilot, "left", "up")
        assert about(pilot).startswith("Fri 13 Nov")
        await press(pilot, "enter")
        assert crumbs(pilot) == "Progress ▸ attempts ▸ up to 13 Nov"
        assert not any("today" in row for row in within(pilot, "#attempts"))


@pytest.mark.slow
@pytest.mark.parametrize(("name", "keys"), [("hardest", ()), ("solved", ("down", "down")), ("due", ())])
async def test_enter_drills_the_theme(practised: Path, name: str, keys: tuple[str, ...]) -> None:
    async with opened(practised) as pilot:
        await go(pilot, name)
        await press(pilot, *keys)
        ending = about(pilot).split()[0]
        await press(pilot, "enter")
        assert "4 Prac" in rows(pilot)[0]
        assert name == "due" or ending in text(pilot)


@pytest.mark.slow
async def test_enter_starts_the_drill_under_the_cursor(practised: Path) -> None:
    async with opened(practised) as pilot:
        while not about(pilot).startswith("KBNvK"):
            await press(pilot, "down")
        await press(pilot, "enter")
        assert "4 Prac" in rows(pilot)[0] and "KBNvK" in rows(pilot)[0]


async def test_a_day_without_due_drills_says_so(practised: Path) -> None:
    async with opened(practised) as pilot:
        await go(pilot, "due")
        await press(pilot, "end", "enter")
        assert message_text(pilot) == "Nothing is due then." and crumbs(pilot) == "Last 6 weeks"


async def test_enter_on_a_game_reviews_it(practised: Path) -> None:
    async with opened(practised) as pilot:
        while "game" not in about(pilot):
            await press(pilot, "down")
        assert "Enter review games" in rows(pilot)[-1]
        await press(pilot, "enter")
        assert {cells(row)[1] for row in listed(pilot, "#attempts")} == {"game"}


@pytest.mark.slow
async def test_attempts_are_listed_by_theme_by_ending_or_all(practised: Path) -> None:
    async with opened(practised) as pilot:
        await press(pilot, "r")
        assert crumbs(pilot).endswith("attempts ▸ KRPvKR Philidor")
        assert len({tuple(cells(row)[0:2]) for row in listed(pilot, "#attempts")}) <= 2  # solved ones, and others
        await press(pilot, "a")
        assert crumbs(pilot) == "Progress ▸ attempts ▸ all"
        assert len({cells(row)[0].split()[-1] for row in listed(pilot, "#attempts")}) > 3
        await press(pilot, "escape")
        assert crumbs(pilot) == "Last 6 weeks"
        await go(pilot, "solved")
        await press(pilot, "end", "r")
        assert crumbs(pilot) == "Progress ▸ attempts ▸ KRPvKR"


@pytest.mark.slow
async def test_attempts_are_read_page_by_page(root: Path) -> None:
    now = [NOW - 1_000_000]
    journal = Journal(paths.journal_file(root), clock=lambda: now[0])
    for number in range(2 * PAGE + 10):
        now[0] += 60
        attempt = Attempt(theme="KQvK mate white", label="win", ending="KQvK", mode="mate", start="x", colour="white")
        record(journal, attempt, (), Outcome.SOLVED if number else Outcome.FAILED)
    journal.close()
    async with opened(root) as pilot:
        await press(pilot, "r")
        await press(pilot, "end", "end", "end")
        assert within(pilot, "#attempts")[-1].strip(" ▸").startswith("✗ KQvK"), "the oldest"
        await press(pilot, "enter")
        assert "cannot" in message_text(pilot) or "FEN" in message_text(pilot)  # the start is not a position


# Replay


async def replaying(pilot: Pilot[None]) -> None:
    """Looks at the newest attempt."""
    await go(pilot, "weeks")
    await press(pilot, "end", "enter", "enter")
    assert "1 of 10" in crumbs(pilot)


def reason(pilot: Pilot[None]) -> str:
    return " ".join("\n".join(within(pilot, "#reason")).split())


@pytest.mark.slow
@pytest.mark.parametrize("size", [(80, 24), *SMALL], ids=str)
async def test_replay_steps_through_every_move(practised: Path, size: tuple[int, int]) -> None:
    async with opened(practised, size) as pilot:
        await replaying(pilot)
        boards: set[str] = set()
        for number, made in enumerate(GAME):
            assert f"{number + 1} of {len(GAME)}" in crumbs(pilot)
            assert made.san in reason(pilot).split()[0]
            assert ("taken back" in reason(pilot)) == made.taken or size[0] < 80
            boards.add("\n".join(within(pilot, "#board")))
            await pilot.press("right")
        assert len(boards) > 6
        assert crumbs(pilot).endswith("the end") and reason(pilot).startswith("The end of the attempt.")
        await pilot.press("right", "left", "h", "l")
        assert f"{len(GAME)} of {len(GAME)}" in crumbs(pilot)
        await pilot.press("home")
        assert "1 of 10" in crumbs(pilot)
        await pilot.press("end")
        assert crumbs(pilot).endswith("the end")
        await pilot.press("e")
        assert "1 of 10" in crumbs(pilot)
        await pilot.press("e")
        assert "9 of 10" in crumbs(pilot) and "1 move slower" in reason(pilot)
        await press(pilot, "e", "escape", "escape")
        assert crumbs(pilot) == "Last 6 weeks"


@pytest.mark.slow
async def test_a_replay_names_the_best_move_and_can_be_flipped_sent_and_added(practised: Path) -> None:
    async with opened(practised) as pilot:
        await replaying(pilot)
        assert reason(pilot).startswith("1.e6 (14 s, taken back) ") and "Best: Ke6" in reason(pilot)
        before = within(pilot, "#board")
        await press(pilot, "f")
        assert within(pilot, "#board") != before and within(pilot, "#board")[-1].split()[0] == "h"
        await press(pilot, "plus", "enter")
        own = Studies(CHESS, paths.studies_dir(practised)).own()
        assert [study.position.split()[0] for study in own[0].studies] == ["4k3/8/3K4/4P3/8/8/8/8"]
        await press(pilot, "right", "s")
        assert "1 Expl" in rows(pilot)[0] and crumbs(pilot).startswith("KPvK")


async def test_a_replay_without_errors_says_so(root: Path) -> None:
    journal = Journal(paths.journal_file(root), clock=lambda: NOW)
    attempt = Attempt(theme="KPvK mate white", ending="KPvK", mode="mate", start=START, colour="white", goal="win")
    record(journal, attempt, GAME[2:6], Outcome.SOLVED)
    journal.close()
    async with opened(root) as pilot:
        await press(pilot, "r", "enter")
        before = within(pilot, "#board")
        await press(pilot, "e")
        assert message_text(pilot) and within(pilot, "#board") == before


async def test_an_attempt_that_was_never_finished_can_be_reviewed(root: Path) -> None:
    journal = Journal(paths.journal_file(root), clock=lambda: NOW)
    attempt = Attempt(theme="KPvK mate white", ending="KPvK", mode="mate", start=START, colour="white", goal="win")
    record(journal, attempt, GAME[2:6], Outcome.OPEN)
    journal.close()
    async with opened(root) as pilot:
        await press(pilot, "r")
        assert [cells(row) for row in listed(pilot, "#attempts")] == [["· KPvK", "today", "unfinished", "0"]]
        await press(pilot, "enter")
        moves = [move for row in within(pilot, "#score")[1:] for move in row.split()[1:3]]
        assert moves == ["Ke6", "Kd8", "Kf7", "Kd7"]


@pytest.mark.slow
async def test_attempts_at_morris_are_listed(tmp_path: Path, morris: Explorer[Position, MorrisMove]) -> None:
    root = data_dir(tmp_path, morris.library.root / "tables")
    start = "OOO2X2/2X1X3/8 w"
    journal = Journal(paths.journal_file(root), clock=lambda: NOW)
    attempt = Attempt(
        theme="3-4 mate mover 9-19", label="win in 9–19", ending="3-4", mode="mate", start=start, colour="white",
        goal="win", game="morris",
    )  # fmt: skip
    line = Judge(morris).line(morris.game.parse(start)).steps
    made = [Made(n, step.uci, step.san, n % 2 == 1, "best", 0, False, 0) for n, step in enumerate(line, 1)]
    record(journal, attempt, tuple(made), Outcome.SOLVED, "won")
    journal.close()
    app = EndgameApp("3-4", root, ascii=False)
    app.lab.journal.clock = lambda: NOW
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "5")
        assert crumbs(pilot) == "Nine Men’s Morris ▸ Last 6 weeks"
        assert about(pilot).startswith("3-4 win in 9–19") and "1 of 1 solved" in about(pilot)
        await press(pilot, "r")
        assert [cells(row)[:2] for row in listed(pilot, "#attempts")] == [["✓ 3-4", "win in 9–19 plies"]]
        await press(pilot, "enter")
        first = within(pilot, "#board")
        assert made[0].san in reason(pilot) and "best" in text(pilot)
        await press(pilot, "right", "right")
        assert within(pilot, "#board") != first
        await press(pilot, "f")
        assert within(pilot, "#board")[-1].split()[0] == "g"
        await press(pilot, "e")
        assert message_text(pilot)
        await press(pilot, "home", "plus", "enter")
        assert Studies(MORRIS, paths.studies_dir(root)).own()
        await press(pilot, "s")
        assert "1 Expl" in rows(pilot)[0] and crumbs(pilot).startswith("3-3")
        await press(pilot, "5", "G")
        await press(pilot, "home")  # the figures are read when attempt and list have gone
        assert crumbs(pilot) == "Progress" and "Nothing practised yet" in text(pilot)


@pytest.mark.slow
async def test_plus_on_explore_adds_to_any_set(root: Path) -> None:
    async with opened(root) as pilot:
        await press(pilot, "1", "plus")
        await typed(pilot, "Queens")
        assert "Added to Queens: KQvK" in message_text(pilot)
        own = Studies(CHESS, paths.studies_dir(root)).own()
        assert [(found.name, len(found.studies)) for found in own] == [("Queens", 1)]
        await press(pilot, "plus")
        await typed(pilot, "queens")
        assert "already in the set" in message_text(pilot)
        await press(pilot, "plus")
        await typed(pilot, "!")
        assert "no letter" in message_text(pilot)
        await press(pilot, "escape")
        await press(pilot, "plus")
        await typed(pilot, "Rook endings")
        assert "shipped" in message_text(pilot)


# Weeks, export and import, what goes wrong


@pytest.mark.slow
async def test_angle_brackets_change_the_weeks(practised: Path) -> None:
    async with opened(practised) as pilot:
        assert crumbs(pilot) == "Last 6 weeks" and "of 88 solved" in rows(pilot)[1]
        await press(pilot, "less_than_sign", "less_than_sign", "less_than_sign")
        assert crumbs(pilot) == "This week" and "of 88 solved" not in rows(pilot)[1]
        await press(pilot, "greater_than_sign")
        assert crumbs(pilot) == "Last 2 weeks"
        await press(pilot, "left_square_bracket")
        assert crumbs(pilot) == "2 weeks to 8 Nov"
        await press(pilot, "right_square_bracket", "right_square_bracket")
        assert crumbs(pilot) == "Last 2 weeks"
        await press(pilot, *["left_square_bracket"] * 9)
        assert "of 0 solved" in rows(pilot)[1]


@pytest.mark.slow
async def test_after_a_burst_of_keys_the_screen_hears_again(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(root)
    async with opened(root) as pilot:
        for key in ("n", "o", "f", "o", "o", "enter"):  # n is no key, o asks for a name, which foo takes the place of
            pilot.app.post_message(Key(key, key if len(key) == 1 else "\r"))
        await read(pilot)
        assert (root / "foo").is_file() and message_text(pilot).startswith("0 records written to ")
        await press(pilot, "1")
        assert "White to move" in text(pilot)


@pytest.mark.slow
async def test_o_exports_and_imports_the_journal(practised: Path, tmp_path: Path) -> None:
    file = tmp_path / "out.jsonl"
    async with opened(practised, (160, 40)) as pilot:
        await press(pilot, "o")
        await typed(pilot, str(file))
        assert "written to" in message_text(pilot) and str(file) in message_text(pilot)
        whole = file.read_text()
        await press(pilot, "o")
        await typed(pilot, str(tmp_path / "none" / "x"))
        assert "no directory" in message_text(pilot)
        file.write_text("mine")
        await typed(pilot, str(file))
        await press(pilot, "n")
        assert file.read_text() == "mine"
        await press(pilot, "o")
        await typed(pilot, str(file))
        await press(pilot, "y")
        assert file.read_text() == whole
        await press(pilot, "o")
        await typed(pilot, str(tmp_path))
        assert (tmp_path / EXPORT).read_text() == whole
    other = tmp_path / "other"
    async with opened(other, (160, 40)) as pilot:
        await press(pilot, "O")
        await typed(pilot, str(tmp_path / "missing"))
        assert "is not a file" in message_text(pilot)
        await press(pilot, "escape", "O")
        await typed(pilot, str(file))
        await settle(pilot)  # the figures are counted again
        assert "added" in message_text(pilot) and listed(pilot, "#hardest")
        file.write_text('{"kind": "attempt"}\nnonsense\n')
        await press(pilot, "O")
        await typed(pilot, str(file))
        assert "line 1 skipped (and 1 more)" in message_text(pilot)


async def test_an_empty_journal_says_what_to_do(root: Path) -> None:
    async with opened(root) as pilot:
        assert "Nothing practised yet" in text(pilot) and "Hardest" not in text(pilot)
        await press(pilot, "r", "tab", "escape")
        await press(pilot, "r")
        assert message_text(pilot) and "attempts" not in rows(pilot)[0]


@pytest.mark.slow
async def test_new_attempts_are_shown_on_return(practised: Path) -> None:
    async with opened(practised) as pilot:
        before = rows(pilot)[1]
        await press(pilot, "1")
        journal = Journal(paths.journal_file(practised), clock=lambda: NOW)
        attempt = Attempt(theme="KQvK mate white", ending="KQvK", mode="mate", start="x", colour="white")
        record(journal, attempt, (), Outcome.SOLVED)
        journal.close()
        await press(pilot, "5")
        assert rows(pilot)[1] != before


async def test_a_corrupt_journal_is_put_aside_with_a_message(root: Path) -> None:
    paths.journal_file(root).write_bytes(b"This is no database, but it is long enough." * 100)
    async with opened(root, (200, 30)) as pilot:
        assert "corrupt" in message_text(pilot) and "damaged" in message_text(pilot)


async def test_a_journal_of_a_newer_version_is_reported_and_not_changed(root: Path) -> None:
    seed(root)
    with sqlite3.connect(paths.journal_file(root)) as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    async with opened(root, (200, 30)) as pilot:
        assert "newer version" in message_text(pilot)


@pytest.mark.slow
async def test_a_locked_journal_is_reported(root: Path) -> None:
    seed(root)
    connection = sqlite3.connect(paths.journal_file(root), isolation_level=None)
    connection.execute("PRAGMA locking_mode = EXCLUSIVE")
    connection.execute("PRAGMA journal_mode = DELETE")
    connection.execute("BEGIN EXCLUSIVE")
    try:
        async with opened(root, (200, 30)) as pilot:
            assert "locked" in message_text(pilot)
            connection.execute("COMMIT")
            connection.close()
            await press(pilot, "1", "5")
            assert listed(pilot, "#hardest")
    finally:
        connection.close()


@pytest.mark.slow
async def test_a_click_selects_and_a_second_one_chooses(practised: Path) -> None:
    async with opened(practised, (120, 40)) as pilot:
        await pilot.click("#recent", offset=(5, 3))
        await press(pilot)
        chosen = " ".join(cells(listed(pilot, "#recent")[2])[:2])
        assert about(pilot).startswith(chosen.split(maxsplit=1)[1].split()[0])
        await pilot.click("#due", offset=(11, 1))
        await pilot.pause()
        assert about(pilot).startswith("Due ")
        for _ in range(2):
            await pilot.click("#recent", offset=(5, 3))
            await pilot.pause()
        assert "attempts" in crumbs(pilot)


async def test_a_closed_panel_returns_the_focus(practised: Path) -> None:
    async with opened(practised, (120, 40)) as pilot:
        await go(pilot, "recent")
        await pilot.resize_terminal(80, 24)
        await pilot.pause()
        await pilot.pause()
        assert pilot.app.focused is not None and pilot.app.focused.id == "hardest"


SIZES = ((120, 40), (80, 24), (76, 17), (60, 12), (40, 20), (30, 10), (20, 8), (200, 60), (120, 40))


@pytest.mark.slow
async def test_every_size_is_drawn_within_the_screen(practised: Path) -> None:
    async with opened(practised, (120, 40)) as pilot:
        for keys in ((), ("r",), ("enter",)):
            await press(pilot, *keys)
            for size in SIZES:
                await pilot.resize_terminal(*size)
                await pilot.pause()
                await pilot.pause()
                assert all(len(row) <= size[0] + 2 for row in rows(pilot)) and len(rows(pilot)) == size[1]
                focused = pilot.app.focused
                assert focused is None or within(pilot, focused) or size[1] < 12


async def test_the_palette_shows_the_keys(practised: Path) -> None:
    async with opened(practised) as pilot:
        names = {hit.text async for hit in ActionProvider(pilot.app.screen).discover()}
        assert {"Export the journal", "Import a journal", "Review attempts", "Show more weeks", "Progress"} <= names


def test_an_export_and_a_journal_agree(practised: Path, tmp_path: Path) -> None:
    journal = Journal(paths.journal_file(practised))
    records = export_file(journal, tmp_path / "x")
    assert records == len((tmp_path / "x").read_text().splitlines()) - 1
    journal.close()

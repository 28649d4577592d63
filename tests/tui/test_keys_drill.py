"""Every key of the Drill screen, pressed as a user presses it; and what the journal has of it at once."""

from __future__ import annotations

import random
import sqlite3
from pathlib import Path

import chess
import pytest

from endgame_core import paths
from endgame_core.practice.journal import Journal
from endgame_core.practice.records import Outcome
from endgame_core.practice.theme import Mode
from endgame_core.tables.library import Library
from endgame_tui.jobs import Job
from endgame_tui.screens.explore import ExploreScreen
from endgame_tui.screens.practise import PractiseScreen
from endgame_tui.screens.progress import ProgressScreen
from endgame_tui.session import Session
from endgame_tui.widgets.frame import JobStrip
from endgame_tui.widgets.notes import Notes
from endgame_tui.widgets.promotion import PromotionChooser
from endgame_tui.widgets.score import ScorePanel

from . import practised
from .drilling import (
    Ticking,
    answer,
    data_dir,
    drill_of,
    frozen,
    make,
    practising,
    said,
    settle,
    solve,
    start,
    type_in,
)  # fmt: skip


@pytest.fixture
def root(tmp_path: Path, library: Library) -> Path:
    return data_dir(tmp_path, library.directory)


def words(pilot, name: str) -> str:
    view = pilot.app.screen.query_one(f"#{name}", Notes).view
    return "\n".join("".join(word.text for word in (*note.left, *note.right)) for note in view)


def kept(root: Path) -> Journal:
    """The journal as another program sees it."""
    return Journal(paths.journal_file(root))


async def test_a_drill_is_solved_and_kept_move_by_move(root: Path) -> None:
    async with practising(root) as pilot:
        screen = await start(pilot, "KRvK")
        assert screen.stage == "drill" and not kept(root).attempts()
        await make(pilot)
        (record,) = kept(root).attempts()
        assert record.outcome is Outcome.OPEN and len(kept(root).moves(record.uuid)) == 2
        await solve(pilot)
        assert screen.stage == "over" and "Solved" in words(pilot, "facts") and "next" in words(pilot, "facts")
        (record,) = kept(root).attempts()
        assert record.outcome is Outcome.SOLVED and record.plies_lost == 0
        assert kept(root).card("KRvK mate white 5-11") is not None
        await pilot.press("enter")
        assert screen.sitting.number == 2 and screen.stage == "drill"


async def test_picking_and_dropping_by_keys(root: Path) -> None:
    async with practising(root) as pilot:
        screen = await start(pilot, "KRvK")
        drill = screen.sitting.drill
        assert drill is not None
        best = screen.session.explorer.moves(screen.position)[0].move
        for square in (best.from_square, best.to_square):
            while screen._cursor != square:
                across = chess.square_file(screen._cursor) != chess.square_file(square)
                await pilot.press("right" if across else "up")
            await pilot.press("enter")
        await settle(pilot)
        assert drill.match.plies[0].move == best and drill.match.your_turn


async def test_typed_moves_good_and_bad(root: Path) -> None:
    async with practising(root) as pilot:
        screen = await start(pilot, "KRvK")
        before = screen.position.fen()
        await type_in(pilot, screen.session.explorer.moves(screen.position)[0].san)
        await settle(pilot)
        assert screen.position.fen() != before
        before = screen.position.fen()
        for text, said_then in (("Qz9", "no legal move"), ("", "nothing was typed"), ("Ra1xb9", "no legal move")):
            await type_in(pilot, text)
            assert said_then in said(pilot).lower() and screen.position.fen() == before
            await pilot.press("escape")


async def test_a_hint_in_two_steps_counts(root: Path) -> None:
    async with practising(root) as pilot:
        screen = await start(pilot, "KRvK")
        drill = screen.sitting.drill
        assert drill is not None
        await pilot.press("i")
        assert words(pilot, "comment").startswith("Hint  move the")
        assert kept(root).attempts()[0].hints == 1
        await pilot.press("i", "i")
        assert drill.recorder.hints == 2 and "move the" not in words(pilot, "comment")
        await solve(pilot)
        assert not screen.sitting.done[-1].solved and "2 hints" in words(pilot, "comment")


async def test_taking_back_counts_and_goes_on(root: Path) -> None:
    async with practising(root) as pilot:
        screen = await start(pilot, "KRvK")
        before = screen.position.fen()
        await pilot.press("u")
        assert "nothing to take back" in said(pilot)
        await make(pilot, worst=True)
        await pilot.press("u")
        assert screen.position.fen() == before and kept(root).attempts()[0].takebacks == 1
        assert "taken back" in words(pilot, "facts")


async def test_a_win_let_go_ends_the_drill_and_can_be_tried_again(root: Path) -> None:
    async with practising(root) as pilot:
        await type_in(pilot, "8/8/4k3/8/4K3/8/4P3/8 w", "plus")
        await pilot.press("enter")
        await settle(pilot)
        screen = drill_of(pilot)
        while screen.stage == "drill":
            moves = screen.session.explorer.moves(screen.position)
            spoils = [m.move for m in moves if m.grade == "draw" and any(m.after.legal_moves) and m.after.pawns]
            screen.move_made(spoils[0] if spoils else moves[0].move)
            await settle(pilot)
        assert not screen.sitting.done[-1].solved and "win" in words(pilot, "comment")
        await pilot.press("w")
        assert words(pilot, "comment").startswith("Best")
        await pilot.press("w", "u")
        assert screen.stage == "drill" and "You try again" in words(pilot, "comment")
        await solve(pilot)
        assert len(screen.sitting.done) == 1 and kept(root).attempts()[0].outcome is Outcome.FAILED
        await pilot.press("n")
        assert screen.stage == "summary"


async def test_show_me_gives_up_and_steps_through(root: Path) -> None:
    async with practising(root) as pilot:
        screen = await start(pilot, "KRvK")
        drill = screen.sitting.drill
        assert drill is not None
        await pilot.press("w", "n")
        assert screen.stage == "drill"
        await pilot.press("w", "enter")
        assert screen.stage == "over" and drill.match.position.is_checkmate()
        panel = pilot.app.screen.query_one(ScorePanel)
        assert panel.view.cursor == 0
        await pilot.press("right")
        assert panel.view.cursor == 1
        await pilot.press("left", "home")
        assert panel.view.cursor is None and screen.position == drill.match.start
        await pilot.press("end")
        assert screen.position.is_checkmate()
        assert kept(root).attempts()[0].outcome is Outcome.FAILED


@pytest.mark.slow
async def test_again_is_another_copy_and_one_drill_more(root: Path) -> None:
    practised.seed(root)
    async with practising(root) as pilot:
        await pilot.press("enter")
        await settle(pilot)
        screen = drill_of(pilot)
        await pilot.press("r")
        assert "finish this one" in said(pilot).lower()
        theme = screen.sitting.task.theme
        await solve(pilot)
        await pilot.press("r")
        await settle(pilot)
        assert screen.sitting.task.theme == theme and (screen.sitting.number, screen.sitting.total) == (2, 4)
        await solve(pilot)
        await pilot.press("enter")
        await settle(pilot)
        assert screen.sitting.task.theme != theme


async def test_escape_leaves_nothing_behind_when_nothing_was_done(root: Path) -> None:
    async with practising(root) as pilot:
        await start(pilot, "KRvK")
        await pilot.press("escape")
        await pilot.pause()
        assert isinstance(pilot.app.screen, PractiseScreen) and not kept(root).attempts()


async def test_escape_keeps_what_was_begun(root: Path) -> None:
    async with practising(root) as pilot:
        screen = await start(pilot, "KRvK")
        await make(pilot)
        await pilot.press("enter", "escape")
        assert screen.stage == "drill"
        await pilot.press("escape", "n")
        assert screen.stage == "drill"
        await pilot.press("escape", "enter")
        assert screen.stage == "summary" and "1 drill, 0 solved" in words(pilot, "summary")
        (record,) = kept(root).attempts()
        assert record.outcome is Outcome.FAILED and record.result == "left"
        await pilot.press("enter")
        await pilot.pause()
        assert isinstance(pilot.app.screen, PractiseScreen)


async def test_quitting_keeps_the_moves_made(root: Path) -> None:
    async with practising(root) as pilot:
        await start(pilot, "KRvK")
        await make(pilot)
        await pilot.press("q")
    assert len(kept(root).moves(kept(root).attempts()[0].uuid)) == 2


async def test_a_sitting_of_ten_and_its_summary(root: Path) -> None:
    async with practising(root) as pilot:
        await type_in(pilot, "KQvK", "slash")
        await pilot.press("less_than_sign", "less_than_sign", "less_than_sign", "tab", "tab", "home", "enter")
        await settle(pilot)
        screen = drill_of(pilot)
        assert screen.sitting.total == 10
        for _ in range(10):
            await solve(pilot)
            await pilot.press("enter")
            await settle(pilot)
        assert screen.stage == "summary" and "10 drills, 10 solved" in words(pilot, "summary")
        assert "Next due" in words(pilot, "summary")
        await pilot.press("r")
        await settle(pilot)
        assert screen.stage == "drill" and screen.sitting.number == 1
        await pilot.press("escape")
        await pilot.pause()
        assert "100 %" in [row.right for row in chooser_rows(pilot)]


def chooser_rows(pilot):
    from endgame_tui.widgets.courses import CourseList

    return pilot.app.screen.query_one(CourseList).view.rows


@pytest.mark.parametrize("right", [True, False])
async def test_a_question(root: Path, right: bool) -> None:
    async with practising(root) as pilot:
        await type_in(pilot, "KPvK", "slash")
        await pilot.press("right", "right", "enter")
        await settle(pilot)
        screen = drill_of(pilot)
        assert screen.sitting.task.theme.mode is Mode.CALL and screen.stage == "question"
        await pilot.press("i", "colon", "u", "y", "r")
        assert screen.stage == "question"
        await answer(pilot, right)
        assert screen.stage == "over" and screen.sitting.done[0].solved is right
        assert words(pilot, "comment").startswith("Right" if right else "No")
        await pilot.press("enter")
        await answer(pilot)
        assert len(kept(root).attempts()) == 2


async def test_an_only_move(root: Path) -> None:
    async with practising(root) as pilot:
        await type_in(pilot, "KPvK", "slash")
        await pilot.press("right", "right", "right", "enter")
        await settle(pilot)
        screen = drill_of(pilot)
        assert screen.sitting.task.theme.mode is Mode.ONLY
        await make(pilot)
        assert screen.stage == "over" and screen.sitting.done[0].solved
        await pilot.press("enter")
        await make(pilot, worst=True)
        assert screen.stage == "over" and not screen.sitting.done[1].solved


async def test_holding(root: Path) -> None:
    async with practising(root, seed=2) as pilot:
        await type_in(pilot, "KPvK", "slash")
        await pilot.press("right", "enter")
        await settle(pilot)
        screen = drill_of(pilot)
        assert screen.sitting.task.theme.key == "KPvK hold" and "Held" in words(pilot, "facts")
        await solve(pilot)
        assert screen.sitting.done[0].solved


async def test_a_move_that_loses_the_draw_is_not_held(root: Path) -> None:
    async with practising(root, seed=2) as pilot:
        await type_in(pilot, "KPvK", "slash")
        await pilot.press("right", "enter")
        await settle(pilot)
        screen = drill_of(pilot)
        await make(pilot, worst=True)
        assert screen.stage == "over" and "0 of 15 moves" in words(pilot, "facts")
        await pilot.press("enter", "escape")
        assert screen.stage == "summary" and "no plies lost" in words(pilot, "summary")


async def test_a_streak_goes_on_until_the_first_miss(root: Path) -> None:
    async with practising(root) as pilot:
        await type_in(pilot, "King", "slash")
        await pilot.press("left", "enter")
        await settle(pilot)
        screen = drill_of(pilot)
        sitting = screen.sitting
        assert sitting.streak is not None and "3:00" in words(pilot, "title")
        for _ in range(6):
            await (answer(pilot) if screen.stage == "question" else make(pilot))
        assert sitting.streak.count == 6 and sitting.streak.rating.rating > 1500 and "Rating" in words(pilot, "facts")
        await pilot.press("r")
        if screen.stage == "question":
            await answer(pilot, right=False)
        else:
            await make(pilot, worst=True)
        assert screen.stage == "over"
        await pilot.press("enter")
        assert screen.stage == "summary" and "6 in a row" in words(pilot, "summary")


async def test_a_streak_ends_with_its_time(root: Path) -> None:
    async with practising(root) as pilot:
        await type_in(pilot, "King", "slash")
        await pilot.press("left", "enter")
        await settle(pilot)
        screen = drill_of(pilot)
        await (answer(pilot) if screen.stage == "question" else make(pilot))
        clock = pilot.app.session.clock
        assert isinstance(clock, Ticking)
        clock.now = 200.0
        screen.tick()
        assert screen.stage == "summary" and "time is up" in said(pilot).lower()


async def test_the_clock_shows_the_seconds(root: Path) -> None:
    async with practising(root) as pilot:
        screen = await start(pilot, "KRvK")
        clock = pilot.app.session.clock
        assert isinstance(clock, Ticking)
        clock.now = 83.0
        screen.tick()
        assert "1:23" in words(pilot, "title")
        await make(pilot)
        assert kept(root).attempts()[0].seconds == 83.0


async def test_a_study_tells_its_note_afterwards(root: Path) -> None:
    async with practising(root, (120, 40)) as pilot:
        screen = await start(pilot, "Hold by the opposition")
        study = screen.sitting.item.study
        assert study is not None and study.note not in words(pilot, "comment")
        await pilot.press("w", "enter")
        assert study.note.split()[0] in words(pilot, "comment")
        await pilot.press("enter")
        assert screen.stage == "summary"


async def test_promotion_is_asked_for(root: Path) -> None:
    async with practising(root) as pilot:
        await type_in(pilot, "8/1P6/8/8/8/2K5/8/k7 w", "plus")
        await pilot.press("enter")
        await settle(pilot)
        screen = drill_of(pilot)
        screen._flipped = False
        pawn = next(iter(screen.position.pieces(chess.PAWN, screen.position.turn)))
        await type_in(pilot, chess.square_name(pawn + (8 if screen.position.turn else -8)))
        assert isinstance(pilot.app.focused, PromotionChooser)
        await pilot.press("q")
        await settle(pilot)
        assert screen.sitting.drill is not None and screen.sitting.drill.match.plies[0].move.promotion == chess.QUEEN


async def test_flip_copy_send_and_add(root: Path) -> None:
    async with practising(root) as pilot:
        screen = await start(pilot, "KRvK")
        flipped = screen._flipped
        await pilot.press("f")
        assert screen._flipped is not flipped
        await pilot.press("c")
        assert pilot.app.clipboard == screen.position.fen()
        await pilot.press("s")
        assert "finish this one" in said(pilot).lower()
        await pilot.press("plus", "enter")
        await settle(pilot)
        assert "added" in said(pilot).lower()
        await pilot.press("w", "enter", "s")
        await settle(pilot)
        assert isinstance(pilot.app.screen, ExploreScreen)
        await pilot.press("4")
        assert pilot.app.screen is screen


@pytest.mark.slow
async def test_progress_from_the_summary(root: Path) -> None:
    async with practising(root) as pilot:
        screen = await start(pilot, "KRvK")
        await solve(pilot)
        await pilot.press("tab", "escape")
        assert screen.stage == "summary"
        await pilot.press("5")
        await pilot.pause()
        assert isinstance(pilot.app.screen, ProgressScreen)


@pytest.mark.slow
async def test_a_locked_journal_is_said_and_drilling_goes_on(root: Path) -> None:
    async with practising(root) as pilot:
        screen = await start(pilot, "KRvK")
        other = sqlite3.connect(paths.journal_file(root), isolation_level=None)
        other.execute("BEGIN EXCLUSIVE")
        await make(pilot)
        assert "locked" in said(pilot) and screen.sitting.drill is not None
        await solve(pilot)
        assert screen.stage == "over"
        other.execute("ROLLBACK")
        other.close()
        await pilot.press("enter")
        await make(pilot)
        assert len(kept(root).attempts()) == 2


@pytest.mark.slow
async def test_what_could_not_be_written_is_told_at_the_end(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    app = frozen(root)
    close = app.session.journal.close
    monkeypatch.setattr(app.session.journal, "close", lambda: close(0.01))
    other = sqlite3.connect(paths.journal_file(root), isolation_level=None)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("4")
        await app.workers.wait_for_complete()
        await start(pilot, "KRvK")
        other.execute("BEGIN EXCLUSIVE")
        await make(pilot)
    assert app.problem is not None and "could not be written" in str(app.problem)
    other.close()


async def test_a_corrupt_journal_is_said_and_drilling_goes_on(root: Path) -> None:
    paths.journal_file(root).write_bytes(b"no journal at all" * 100)
    async with practising(root) as pilot:
        assert "corrupt" in said(pilot)
        screen = await start(pilot, "KRvK")
        await make(pilot)
        assert screen.sitting.drill is not None and len(kept(root).attempts()) == 1


@pytest.mark.slow
async def test_a_journal_of_a_newer_version_is_left_alone(root: Path) -> None:
    Journal(paths.journal_file(root)).close()
    connection = sqlite3.connect(paths.journal_file(root))
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    async with practising(root) as pilot:
        assert "newer" in said(pilot)
        screen = await start(pilot, "KRvK")
        await solve(pilot)
        assert screen.stage == "over" and screen.sitting.done[0].solved


async def test_a_build_is_seen_while_drilling(root: Path) -> None:
    async with practising(root) as pilot:
        session = pilot.app.session
        await start(pilot, "KRvK")
        session.job = Job(("KQPvKQ",), ending="KQPvK", stage="", n=3)
        session._post(Session.Progressed())
        await pilot.pause()
        assert pilot.app.screen.query_one(JobStrip).view.ending == "KQPvK"
        session.job = None
        session._post(Session.Progressed())
        await pilot.pause()
        assert not pilot.app.screen.query_one(JobStrip).view.ending


@pytest.mark.slow
async def test_at_every_size(root: Path) -> None:
    async with practising(root) as pilot:
        screen = await start(pilot, "KRvK")
        for size in ((120, 40), (40, 20), (20, 8), (200, 60), (80, 24)):
            await pilot.resize_terminal(*size)
            await make(pilot, worst=True)
            if screen.stage == "over":
                await pilot.press("enter")
                await settle(pilot)
        assert screen.sitting.number >= 1


@pytest.mark.slow
async def test_any_keys_at_all_do_no_harm(root: Path) -> None:
    keys = [
        *"iurfwdlynsc", "enter", "escape", "left", "right", "home", "end", "tab", "up", "down", "space", "colon",
        "plus", "n", "enter", "enter",
    ]  # fmt: skip
    rng = random.Random(11)
    async with practising(root) as pilot:
        for _ in range(40):
            if isinstance(pilot.app.screen, PractiseScreen):
                await pilot.press(*rng.choices(["down", "right", "enter"], k=2))
            elif pilot.app.screen is pilot.app.screen_stack[0]:
                await pilot.press("4")
            await pilot.press(*rng.choices(keys, k=2))


async def test_the_note_of_a_study_is_about_the_copy_on_the_board(root: Path) -> None:
    async with practising(root, (120, 40)) as pilot:
        screen = await start(pilot, "Queen: let him breathe")
        study, drill = screen.sitting.item.study, screen.sitting.drill
        assert study is not None and "queen on b6" in study.note and drill is not None
        await pilot.press("w", "enter")
        drill.match.start = chess.Board(study.position).transform(chess.flip_horizontal).mirror()
        screen.show()
        told = " ".join(words(pilot, "comment").split())
        assert "queen on g3" in told and "With White to move" in told and told.endswith("walks up.")

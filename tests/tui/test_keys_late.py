"""Explore where not all is known: DTM alone, some Syzygy files alone, DTZ alone; and where the clock ends the game."""

from __future__ import annotations

import os
import shutil
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.pilot import Pilot

from endgame_core.answers import Answers
from endgame_core.chess.fifty import FiftyMoves, SyzygySource
from endgame_core.chess.game import CHESS
from endgame_core.chess.syzygy.reader import Syzygy
from endgame_core.judge import Judge
from endgame_core.tables.explorer import Explorer
from endgame_core.tables.library import Library
from endgame_core.values import Category
from endgame_tui.clocks import Clerk, Known
from endgame_tui.fifty_scenes import late_category, rated_view
from endgame_tui.jobs import Wish
from endgame_tui.screens.explore import ExploreScreen
from endgame_tui.walk import Facts, Walk
from endgame_tui.widgets.clocks import ClocksRow
from endgame_tui.widgets.old_moves import MovesPanel
from endgame_tui.widgets.question import Question
from endgame_tui.widgets.rated import RatedPanel
from endgame_tui.widgets.words import LineRows, ReasonRow, VerdictRow

from .fifty import explore, settle, with_files, words
from .printed import rows, within
from .test_keys_explore import opened, said, type_in

QUEEN = "8/8/8/8/1k2r3/8/2K5/3Q4 w - - {} 60"
"""Mate in 19 plies, and 4 to Qxe4."""

PAWN = "8/1P6/8/8/1k6/8/6K1/7r w - - 0 1"
"""Needs KRvKR and KRvKN after promotions."""

ENDINGS = ["KQvKR", "KRvK", "KPvK", "KRvKP", "KQvKP", "KBNvK", "KPvKP"]


def asked(pilot: Pilot[None]) -> str:
    """The question in the last row."""
    return words(pilot, Question)


class TestByDtmAlone:
    @given(ending=st.sampled_from(ENDINGS), clock=st.integers(0, 150))
    def test_what_probe_says(
        self, library: Library, random_board: Callable[[str], chess.Board], ending: str, clock: int
    ) -> None:
        board = random_board(ending)
        board.halfmove_clock = clock
        walk = Walk(Explorer(CHESS, library))
        walk.go(board)
        facts = walk.by_dtm
        probed = Category(Answers.of(library.root, None).by_dtm(board)["category"])
        plain = Facts(walk.explorer, board).verdict
        assert plain is not None
        assert (late_category(Known(), facts) or plain.category) is probed

    @pytest.mark.parametrize("clock", [0, 81])
    async def test_where_the_clock_is_no_matter_nothing_changes(self, library: Library, clock: int) -> None:
        async with opened(library.root, QUEEN.format(clock)) as (pilot, _):
            assert words(pilot, VerdictRow).endswith("mate in 10 · 19 plies")
            assert words(pilot, ReasonRow).startswith(" S19 → S18  1 of 23 moves is shortest")
            assert words(pilot, ClocksRow).split("/100")[1].strip() == "z builds"

    @pytest.mark.parametrize(
        ("clock", "mark", "verdict", "sentence"),
        [
            (82, "+?", "maybe a win", " Maybe a win  19 plies to mate, the clock allows 18; only DTZ tells."),
            (98, "+?", "maybe a win", " Maybe a win  19 plies to mate, the clock allows 2; only DTZ tells."),
            (99, "+=", "cursed win", " Cursed win  White can force mate, but Black can claim a draw first."),
            (100, "+=", "cursed win", " Cursed win  White can force mate, but a draw can be claimed"),
            (149, "+=", "cursed win", " Cursed win  White can force mate, but a draw can be claimed"),
        ],
    )
    async def test_where_it_is(self, library: Library, clock: int, mark: str, verdict: str, sentence: str) -> None:
        async with opened(library.root, QUEEN.format(0)) as (pilot, _):
            await type_in(pilot, f"clock {clock}")
            assert words(pilot, VerdictRow).endswith(f"{verdict}, mate in 10")
            assert words(pilot, ReasonRow).startswith(sentence)
            shown = words(pilot, ClocksRow).split("/100")[1].split()
            assert shown[:2] == [mark, "z"], "building is offered beside the mark"
            await pilot.press("z")
            assert "KQvKR lacks DTZ" in asked(pilot)

    async def test_small_screens_tell_it_in_the_first_row(self, library: Library) -> None:
        async with opened(library.root, QUEEN.format(98), (40, 20)) as (pilot, _):
            assert explore(pilot).query_one("TopBar").right == ("○ maybe a win", "cursed")  # type: ignore[attr-defined]


class TestOver:
    @pytest.mark.parametrize("both", [False, True], ids=["dtm", "dtz"])
    @pytest.mark.parametrize("metric", ["dtm", "dtz"])
    async def test_nothing_is_compared(self, library: Library, dtz_library: Library, both: bool, metric: str) -> None:
        if metric == "dtz" and not both:
            return
        async with opened((dtz_library if both else library).root, QUEEN.format(149)) as (pilot, walk):
            if metric == "dtz":
                await pilot.press("z")
            await type_in(pilot, "clock 150")
            await settle(pilot)
            assert words(pilot, ReasonRow).startswith(" Draw  For 75 moves of each side")
            assert words(pilot, VerdictRow).endswith(" draw") and words(pilot, ClocksRow).endswith("= draw")
            assert not words(pilot, LineRows).strip()
            panel = RatedPanel if explore(pilot).told_by_dtz else MovesPanel
            assert words(pilot, panel).split() == ["Moves", "Draw"]
            await pilot.press("m", "down", "enter", "full_stop")
            assert walk.position.halfmove_clock == 150 and "over" in said(pilot)
            await type_in(pilot, "Qd6+")
            assert walk.position.halfmove_clock == 150 and "75-move rule" in said(pilot)
            await pilot.press("escape")
            await type_in(pilot, "clock 149")
            assert "cursed win" in words(pilot, VerdictRow)

    async def test_no_table_is_needed(self, tmp_path: Path) -> None:
        async with opened(tmp_path, QUEEN.format(150)) as (pilot, _):
            await pilot.press("escape")
            assert words(pilot, VerdictRow).endswith(" draw") and words(pilot, ReasonRow).startswith(" Draw  For 75")

    async def test_mate_goes_first(self, library: Library) -> None:
        async with opened(library.root, "k7/1Q6/1K6/8/8/8/8/8 b - - 150 90") as (pilot, _):
            assert words(pilot, VerdictRow).endswith("checkmate") and "75 moves" not in words(pilot, ReasonRow)


def copied(truth: Path, to: Path, *without: str) -> Path:
    """The Syzygy files, some left away."""
    to.mkdir()
    for file in (truth / "syzygy").iterdir():
        if file.name not in without:
            os.link(file, to / file.name) if file.stat().st_dev == to.stat().st_dev else shutil.copy(file, to)
    return to


class TestSomeSyzygyFiles:
    async def test_what_can_be_rated_is(self, truth: Path, tmp_path: Path) -> None:
        async with with_files(tmp_path / "none", truth / "syzygy", PAWN) as pilot:
            rows = {row.san: row for row in explore(pilot).query_one(RatedPanel).view.rows}
            assert len(rows) == 8 and list(rows)[-2:] == ["b8=N", "b8=R+"]
            assert {san for san, row in rows.items() if row.mark == "?"} == {"b8=N", "b8=R+"}
            assert {san for san, row in rows.items() if row.best} == {"b8=Q+", "Kxh1"}, "DTZ 1 proves them best"
            told = words(pilot, ReasonRow)
            assert told.strip() == "KRvKR by DTZ or KRvKR.rtbw is needed after b8=R+: z builds KRvKP by DTZ."
            await pilot.press("m", "end")
            assert words(pilot, ReasonRow).startswith(" b8=R+  is not rated: KRvKR by DTZ or KRvKR.rtbw is not there.")
            await pilot.press("escape", "full_stop")
            assert "KRvKR" in said(pilot), "no move is best for certain in every way"
            await pilot.press("z")
            await pilot.press("enter")
            job = explore(pilot).session.job
            assert job is not None and job.wish == Wish(("KRvKP",), "dtz")
            explore(pilot).session.cancel()
            await pilot.app.workers.wait_for_complete()

    async def test_the_file_that_is_missing_is_named(self, truth: Path, tmp_path: Path) -> None:
        files = copied(truth, tmp_path / "files", "KQvKR.rtbz")
        async with with_files(tmp_path / "none", files, QUEEN.format(0)) as pilot:
            assert "KQvKR.rtbz is not there: z builds KQvKR by DTZ." in words(pilot, ReasonRow)
            rows = explore(pilot).query_one(RatedPanel).view.rows
            assert not any(row.best for row in rows) and any(row.mark == "?" for row in rows)

    @pytest.mark.parametrize("ending", ["KRvKP", "KQvKR", "KPvKP", "KRPvK"])
    def test_no_other_than_all_files_tell(
        self, truth: Path, tmp_path: Path, random_board: Callable[[str], chess.Board], ending: str
    ) -> None:
        whole = Syzygy(str(truth / "syzygy"))
        gone = ("KQvK.rtbz", "KRvK.rtbw", "KPvK.rtbz", "KRvKB.rtbw", "KQvKR.rtbz")
        some = Syzygy(str(copied(truth, tmp_path / "files", *gone)))
        nothing = Explorer(CHESS, Library(CHESS, tmp_path / "nothing"))
        clerks = [
            Clerk(Judge(nothing, lambda source=source: FiftyMoves(SyzygySource(source)))) for source in (whole, some)
        ]
        for _ in range(60):
            board = random_board(ending)
            full, part = (clerk.ask(board, lambda: None) for clerk in clerks)
            assert full is not None and part is not None
            right = {row.san: row for row in rated_view(full, "").rows}
            for row in rated_view(part, "").rows:
                if row.mark != "?" and row.san in right and right[row.san].mark != "?":
                    there = right[row.san]
                    assert (row.mark, row.dtz, row.zeroing) == (there.mark, there.dtz, there.zeroing)
                    assert there.best or not row.best or full.partly
        for clerk in clerks:
            clerk.close()


class TestWrongFiles:
    @asynccontextmanager
    async def checked(self, truth: Path, tmp_path: Path, width: int) -> AsyncIterator[tuple[Pilot[None], Path]]:
        """Explore at a position of KQvKR, and the file of it that the Library found wrong."""
        files = Path(shutil.copytree(truth / "syzygy", tmp_path / "files"))
        bad = files / "KQvKR.rtbz"
        bad.chmod(0o644)
        bad.write_bytes(bad.read_bytes()[:-8] + bytes(8))
        async with with_files(tmp_path / "none", files, QUEEN.format(0)) as pilot:
            await pilot.resize_terminal(width, 24)
            assert "DTZ ≈5" in words(pilot, ClocksRow)
            await self.check(pilot)
            yield pilot, bad

    async def check(self, pilot: Pilot[None]) -> None:
        await pilot.press("2", "y")
        await pilot.pause()
        await pilot.press("home")
        while not any("▸KQvKR" in row for row in within(pilot, "#files")):
            await pilot.press("down")
        await pilot.press("v")
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()

    @pytest.mark.parametrize("width", [80, 120])
    async def test_they_are_left_out_and_it_is_said(self, truth: Path, tmp_path: Path, width: int) -> None:
        async with self.checked(truth, tmp_path, width) as (pilot, _):
            assert rows(pilot)[-2].strip() == "The checksum of KQvKR.rtbz fails: it is left out; get it again."
            await pilot.press("escape", "1")
            await pilot.pause()
            assert isinstance(pilot.app.screen, ExploreScreen) and "DTZ –" in words(pilot, ClocksRow)
            assert words(pilot, ReasonRow).startswith(" KQvKR.rtbz is left out")
            await pilot.press("2", "y")
            await pilot.pause()
            wrong = [row for row in within(pilot, "#files") if row.endswith("✗ wrong")]
            assert len(wrong) == 1 and wrong[0].strip(" ▸").startswith("KQvKR ")

    async def test_a_right_one_in_its_place_answers_again(self, truth: Path, tmp_path: Path) -> None:
        async with self.checked(truth, tmp_path, 80) as (pilot, bad):
            shutil.copy(truth / "syzygy" / bad.name, bad)
            await pilot.press("escape")
            await self.check(pilot)
            await pilot.press("escape", "1")
            await pilot.pause()
            assert "DTZ ≈5" in words(pilot, ClocksRow)


class TestByDtzAlone:
    @pytest.fixture
    def root(self, dtz_library: Library, tmp_path: Path) -> Path:
        """The tables by DTZ without those by DTM."""
        tables = tmp_path / "tables"
        tables.mkdir()
        for table in dtz_library.directory.glob("*.dtz.egt"):
            os.link(table, tables / table.name)
        return tmp_path

    @pytest.mark.parametrize("size", [(80, 24), (40, 20)])
    async def test_an_ending_opens_by_dtz(self, root: Path, size: tuple[int, int]) -> None:
        async with opened(root, size=size) as (pilot, walk):
            await type_in(pilot, "KQvKR")
            assert "KQvKR" in asked(pilot) and "z DTZ" in asked(pilot)
            await pilot.press("z")
            await pilot.pause()
            place = walk.facts.place
            assert walk.metric == "dtz" and place is not None and place.ending == "KQvKR"
            assert place.n == walk.here.layers("KQvKR").families["white"][-1].n

    async def test_a_step_from_where_only_dtz_is_known(self, root: Path) -> None:
        async with opened(root, QUEEN.format(0)) as (pilot, walk):
            await pilot.press("n")
            assert "z DTZ" in asked(pilot)
            await pilot.press("z", "n")
            assert walk.metric == "dtz" and walk.facts.place is not None

    async def test_where_both_are_missing_it_is_not_named(self, tmp_path: Path) -> None:
        async with opened(tmp_path) as (pilot, _):
            await type_in(pilot, "KQvKR")
            assert "build" in asked(pilot) and "z DTZ" not in asked(pilot)

"""The three clocks, layers by DTZ, tables of both metrics and Syzygy files: every key, pressed as a user presses it."""

from __future__ import annotations

import os
import shutil
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import chess
import pytest
from textual.pilot import Pilot

from endgame_core.practice.grading import Grade, Kind
from endgame_core.practice.match import End, Result
from endgame_core.tables.library import Library
from endgame_core.tracked import Draw
from endgame_core.values import Category
from endgame_tui.app import EndgameApp
from endgame_tui.clocks import Known
from endgame_tui.fifty_scenes import FOR_MOVER, KINDS
from endgame_tui.palette import ASCII, DARK, LIGHT
from endgame_tui.progress import cost_words
from endgame_tui.screens.explore import ExploreScreen
from endgame_tui.screens.help import sections
from endgame_tui.screens.library import LibraryScreen
from endgame_tui.screens.play import PlayScreen
from endgame_tui.screens.syzygy import SyzygyScreen
from endgame_tui.session import Wish
from endgame_tui.widgets.before import BeforePanel
from endgame_tui.widgets.canvas import Canvas
from endgame_tui.widgets.clocks import ClocksRow
from endgame_tui.widgets.detail import Detail
from endgame_tui.widgets.facts import ResultRows
from endgame_tui.widgets.files import FilesPanel
from endgame_tui.widgets.frame import TopBar
from endgame_tui.widgets.layers import LayersPanel
from endgame_tui.widgets.moves import MovesPanel
from endgame_tui.widgets.prompt import Prompt
from endgame_tui.widgets.question import Question
from endgame_tui.widgets.rated import RatedPanel
from endgame_tui.widgets.score import ScorePanel
from endgame_tui.widgets.setup import SetupPanel
from endgame_tui.widgets.summary import Summary
from endgame_tui.widgets.words import LineRows, ReasonRow, VerdictRow

from .test_keys_explore import opened, said, type_in

CURSED = "8/8/8/8/4k3/8/8/3RK3 w - - 80 1"
BLESSED = "8/8/8/8/4k3/8/8/3RK3 b - - 80 1"
SPOILT = "8/K6k/1P6/8/8/8/8/8 w - - 97 1"
"""By DTM Kb7 is as good as b7, which alone keeps the win."""

TOO_LATE = "6r1/8/8/8/8/8/7k/3KQ3 w - - 78 1"
"""By DTM Qe5+ is best; Qe4 alone keeps the win."""


async def begun(pilot: Pilot[None]) -> PlayScreen:
    """The game of the Play screen, begun."""
    if not isinstance(pilot.app.screen, PlayScreen):
        await pilot.press("3")
        await pilot.pause()
    await pilot.press("enter")
    await pilot.pause()
    screen = pilot.app.screen
    assert isinstance(screen, PlayScreen)
    return screen


def words(pilot: Pilot[None], kind: type[Canvas]) -> str:
    """What a widget shows, in one line."""
    strips = pilot.app.screen.query_one(kind).draw()
    return "\n".join("".join(segment.text for segment in strip).rstrip() for strip in strips)


def explore(pilot: Pilot[None]) -> ExploreScreen:
    screen = pilot.app.screen
    assert isinstance(screen, ExploreScreen)
    return screen


async def settle(pilot: Pilot[None]) -> None:
    """Waits for the line, which a thread looks up."""
    clerk = pilot.app.session.clerk  # type: ignore[attr-defined]
    while clerk.busy:
        await pilot.pause(0.01)
    await pilot.pause()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "empty"


@pytest.fixture
def syzygy(truth: Path, tmp_path: Path) -> Path:
    """Some Syzygy files, of which some are missing."""
    found = tmp_path / "syzygy"
    found.mkdir()
    for name in (
        "KBNvK.rtbw",
        "KBNvK.rtbz",
        "KNvK.rtbw",
        "KNvK.rtbz",
        "KBvK.rtbw",
        "KBvK.rtbz",
        "KRvKP.rtbw",
        "KRvKP.rtbz",
    ):
        shutil.copy(truth / "syzygy" / name, found / name)
    return found


@pytest.fixture
def by_dtz(dtz_library: Library, tmp_path: Path) -> Path:
    """A data directory with KQvKR by DTZ alone."""
    (tmp_path / "dtz" / "tables").mkdir(parents=True)
    os.link(dtz_library.directory / "KQvKR.dtz.egt", tmp_path / "dtz" / "tables" / "KQvKR.dtz.egt")
    return tmp_path / "dtz"


@asynccontextmanager
async def with_files(root: Path, files: Path, fen: str | None = None) -> AsyncIterator[Pilot[None]]:
    app = EndgameApp(fen, root, ascii=False, syzygy=str(files))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        yield pilot


class TestClocks:
    async def test_side_by_side(self, root: Path) -> None:
        async with opened(root, CURSED.replace(" 80 ", " 43 ")) as (pilot, _):
            assert words(pilot, ClocksRow) == "DTM 25 · DTZ 25 · clock 43/100      + win"

    @pytest.mark.parametrize(
        ("fen", "mark", "verdict", "heading", "clause"),
        [
            (CURSED, "+=", "cursed win, mate in 13", "Cursed win", "Black can claim a draw first"),
            (BLESSED, "−=", "blessed loss", "Blessed loss", "Black can claim a draw first"),
        ],
    )
    async def test_cursed_and_blessed_are_marked_and_explained(
        self, root: Path, fen: str, mark: str, verdict: str, heading: str, clause: str
    ) -> None:
        async with opened(root, fen) as (pilot, _):
            assert words(pilot, ClocksRow).endswith(mark) and words(pilot, VerdictRow).endswith(verdict)
            reason = explore(pilot).query_one(ReasonRow).view
            assert reason.heading == heading and clause in reason.sentence

    async def test_the_clock_is_set_and_undone(self, root: Path) -> None:
        async with opened(root, CURSED.replace(" 80 ", " 0 ")) as (pilot, walk):
            await type_in(pilot, "clock 80")
            assert walk.position.fen() == CURSED and "cursed" in words(pilot, VerdictRow)
            await pilot.press("u")
            assert walk.position.halfmove_clock == 0
            await pilot.press("C", "7", "5", "enter")
            await pilot.pause()
            assert walk.position.halfmove_clock == 75 and "clock 75/100" in words(pilot, ClocksRow)

    async def test_the_clock_counts_along(self, root: Path) -> None:
        async with opened(root, CURSED) as (pilot, _):
            await pilot.press("full_stop")
            assert "clock 81/100" in words(pilot, ClocksRow)

    @pytest.mark.parametrize("typed", ["clock 151", "clock 999999", "7K/6Q1/8/8/2k5/8/8/8 w - - 151 1"])
    async def test_a_clock_that_cannot_be(self, root: Path, typed: str) -> None:
        async with opened(root) as (pilot, walk):
            await type_in(pilot, typed)
            assert "ends a game at 150" in said(pilot) and walk.position.halfmove_clock == 0

    @pytest.mark.parametrize("typed", ["clock 101", CURSED.replace(" 80 ", " 101 ")])
    async def test_a_draw_that_nobody_has_claimed(self, root: Path, typed: str) -> None:
        async with opened(root, CURSED) as (pilot, walk):
            await type_in(pilot, typed)
            assert walk.position.halfmove_clock == 101 and "a draw can be claimed" in words(pilot, ReasonRow)

    async def test_small_screens_tell_it_in_the_first_row(self, root: Path) -> None:
        async with opened(root, CURSED, (40, 20)) as (pilot, _):
            assert "Z25 80/100" in words(pilot, TopBar) and "cursed win" in words(pilot, TopBar)

    async def test_of_equal_moves_by_dtm_one_that_keeps_the_win_is_played(self, dtz_library: Library) -> None:
        async with opened(dtz_library.root, SPOILT) as (pilot, walk):
            assert walk.facts.moves[0].san == "Kb7"
            await pilot.press("full_stop")
            assert walk.step.move == chess.Move.from_uci("b6b7")

    async def test_the_chosen_move_has_a_sentence(self, dtz_library: Library) -> None:
        async with opened(dtz_library.root, SPOILT) as (pilot, walk):
            await pilot.press("m")
            await pilot.pause()
            names = [move.san for move in walk.facts.moves]
            await pilot.press(*["right"] * names.index("b7"))
            assert words(pilot, ReasonRow).startswith(" b7  resets the clock, mates")
            await pilot.press("escape")
            await pilot.pause()
            assert "b7  resets" not in words(pilot, ReasonRow)


class TestLayers:
    async def test_the_metric_is_switched_and_shown(self, root: Path) -> None:
        async with opened(root) as (pilot, walk):
            assert words(pilot, LayersPanel).startswith("DTM layers")
            await pilot.press("z")
            assert words(pilot, LayersPanel).startswith("DTZ layers") and "DTZ S19" in words(pilot, TopBar)
            assert walk.metric == "dtz" and explore(pilot).query_one(ClocksRow).view.metric == "dtz"
            await pilot.press("z")
            assert walk.metric == "dtm" and "DTZ" not in words(pilot, TopBar)

    async def test_the_75_move_rule_ends_the_game(self, root: Path) -> None:
        async with opened(root, CURSED) as (pilot, _):
            await type_in(pilot, "clock 150")
            assert "mate in" not in words(pilot, VerdictRow) and words(pilot, ClocksRow).endswith("= draw")
            await pilot.press("3")
            await pilot.pause()
            await pilot.press("enter")
            screen = pilot.app.screen
            assert isinstance(screen, PlayScreen) and screen.play.match is None
            assert "The game is over in this position." in words(pilot, SetupPanel)

    async def test_both_sides_move_in_a_layer(self, dtz_library: Library) -> None:
        async with opened(dtz_library.root, "8/8/8/8/2p5/4k3/8/K2Q4 w - - 0 1") as (pilot, walk):
            await pilot.press("z")
            await type_in(pilot, "S1")
            assert walk.position.turn == chess.WHITE
            await pilot.press("p")
            place = walk.facts.place
            assert place is not None and (place.n, place.number) == (1, place.total)
            assert walk.position.turn == chess.BLACK

    async def test_walking_counts_round_and_by_number(self, dtz_library: Library) -> None:
        async with opened(dtz_library.root) as (pilot, walk):
            await pilot.press("z")
            await type_in(pilot, "KPvK")
            await type_in(pilot, "S12/3")
            place = walk.facts.place
            assert place is not None and (place.n, place.number) == (12, 3)
            await pilot.press("n", "n", "p")
            place = walk.facts.place
            assert place is not None and place.number == 4
            await pilot.press("right_square_bracket")
            place = walk.facts.place
            assert place is not None and place.n == 13
            rows = explore(pilot).query_one(LayersPanel).view.rows
            layers = walk.here.layers("KPvK").families["white"]
            assert [(row.name, row.boards) for row in rows] == [(f"S{each.n}", each.boards) for each in layers]

    async def test_moves_tell_both_distances_and_zeroing(self, dtz_library: Library) -> None:
        async with opened(dtz_library.root, SPOILT) as (pilot, walk):
            await pilot.press("z", "m")
            await pilot.pause()
            view = explore(pilot).query_one(RatedPanel).view
            assert view.rows[0].san == "b7" and view.rows[0].zeroing and view.rows[0].mark == "+"
            assert {row.mark for row in view.rows} >= {"+", "+="}
            await pilot.press("down")
            assert words(pilot, ReasonRow).startswith(f" {view.rows[1].san}  ")
            await pilot.press("up", "enter")
            assert walk.step.move == chess.Move.from_uci("b6b7")

    async def test_the_line_is_by_dtz(self, dtz_library: Library) -> None:
        async with opened(dtz_library.root, SPOILT) as (pilot, _):
            await pilot.press("z")
            await settle(pilot)
            view = explore(pilot).query_one(LineRows).view
            assert view.moves[0] == "b7" and len(view.moves) > 4

    async def test_best_and_autoplay_follow_dtz(self, root: Path) -> None:
        async with opened(root) as (pilot, walk):
            await pilot.press("z", "full_stop", "full_stop")
            assert walk.facts.place is not None and walk.facts.place.n == 17
            for _ in range(17):
                explore(pilot).autoplay_step()
            assert walk.position.is_checkmate()
            await pilot.press("full_stop")
            assert "over" in said(pilot)

    async def test_families_and_draws(self, root: Path) -> None:
        async with opened(root) as (pilot, walk):
            await pilot.press("z", "w")
            assert walk.facts.place is not None and walk.facts.place.winner is None
            await pilot.press("w")
            assert walk.facts.place is not None and walk.facts.place.n == 20

    async def test_where_nothing_tells_dtz_a_key_builds_it(self, root: Path, kernels: None) -> None:
        async with opened(root) as (pilot, walk):
            await type_in(pilot, "8/8/8/4k3/8/8/4P3/4K3 w")
            await pilot.press("escape")
            assert "z builds" in words(pilot, ClocksRow) and "DTZ –" in words(pilot, ClocksRow)
            await pilot.press("z")
            await pilot.pause()
            await pilot.press("enter")
            job = explore(pilot).session.job
            assert job is not None and job.wish == Wish(("KPvK",), "dtz")
            while explore(pilot).session.job is not None:
                await pilot.app.workers.wait_for_complete()
                await pilot.pause()
            assert walk.metric == "dtz" and walk.facts.place is not None and walk.facts.place.ending == "KPvK"
            assert "by DTZ" in said(pilot)


class TestSyzygyFiles:
    BISHOP = "8/8/8/8/4k3/8/3BN3/3K4 w - - 70 1"
    PAWN = "8/8/8/1r6/8/1P3K2/8/k7 w - - 0 1"

    async def test_they_tell_what_no_table_of_ours_does(self, root: Path, syzygy: Path) -> None:
        async with with_files(root, syzygy, self.BISHOP) as pilot:
            assert words(pilot, ClocksRow).startswith("DTM – · DTZ ≈56 · clock 70/100")
            assert words(pilot, VerdictRow).endswith("cursed win")
            assert explore(pilot).query_one(RatedPanel).view.rows[0].san == "Kc2"
            await pilot.press("escape", "full_stop")
            assert "clock 71/100" in words(pilot, ClocksRow)

    async def test_play_begins_where_they_alone_know(self, root: Path, syzygy: Path) -> None:
        async with with_files(root, syzygy, self.BISHOP) as pilot:
            await pilot.press("escape", "3")
            await pilot.pause()
            assert isinstance(pilot.app.screen, PlayScreen) and pilot.app.screen.play.start.fen() == self.BISHOP

    async def test_a_missing_one_is_named_with_what_it_is_for(self, root: Path, syzygy: Path) -> None:
        async with with_files(root, syzygy, self.PAWN) as pilot:
            await pilot.press("escape", "z")
            await pilot.pause()
            assert said(pilot).startswith(
                "KRvKP by DTZ or KRvK.rtbw after Kg4 Rxb3 is not there; run: endgame-tui build"
            )

    async def test_a_directory_that_is_not_there(self, root: Path) -> None:
        async with with_files(root, root / "nowhere", self.BISHOP) as pilot:
            assert "cannot be read" in said(pilot)

    async def test_a_directory_without_any(self, root: Path, tmp_path: Path) -> None:
        async with with_files(root, tmp_path, self.BISHOP) as pilot:
            assert "there is no syzygy file" in said(pilot).lower()

    async def test_the_setting(self, root: Path, syzygy: Path) -> None:
        root.mkdir()
        (root / "settings.toml").write_text(f'syzygy = "{syzygy}"\n')
        app = EndgameApp(self.BISHOP, root, ascii=False)
        async with app.run_test(size=(80, 24)) as pilot:
            await pilot.pause()
            assert "DTZ ≈56" in words(pilot, ClocksRow)

    async def test_listed_and_checked(self, root: Path, syzygy: Path) -> None:
        (syzygy / "KNvK.rtbz").write_bytes((syzygy / "KNvK.rtbz").read_bytes()[:-8] + bytes(8))
        async with with_files(root, syzygy) as pilot:
            await pilot.press("2", "y")
            await pilot.pause()
            assert isinstance(pilot.app.screen, SyzygyScreen)
            panel = pilot.app.screen.query_one(FilesPanel)
            assert [row.ending for row in panel.view] == ["KBvK", "KNvK", "KBNvK", "KRvKP"]
            await pilot.press("end")
            await pilot.pause()
            assert "KRvK.rtbw" in words(pilot, Detail) and "capture" in words(pilot, Detail)
            await pilot.press("V")
            await pilot.app.workers.wait_for_complete()
            await pilot.pause()
            rows = panel.view
            assert [row.sound for row in rows] == [True, False, True, True] and "KNvK" in said(pilot)
            await pilot.press("home", "down", "v")
            await pilot.app.workers.wait_for_complete()
            await pilot.pause()
            assert "checksum" in said(pilot).lower()
            await pilot.press("escape")
            await pilot.pause()
            assert isinstance(pilot.app.screen, LibraryScreen)

    async def test_each_bad_file_is_told_and_where_it_is(self, root: Path, syzygy: Path) -> None:
        for name in ("KNvK.rtbz", "KNvK.rtbw"):
            (syzygy / name).write_bytes((syzygy / name).read_bytes()[:-8] + bytes(8))
        async with with_files(root, syzygy) as pilot:
            await pilot.press("2", "y")
            await pilot.pause()
            await pilot.press("down", "v")
            await pilot.app.workers.wait_for_complete()
            await pilot.pause()
            told = words(pilot, Detail).replace("\n", " ")
            assert "The checksum of KNvK.rtbw" in told and "The checksum of KNvK.rtbz" in told
            screen = pilot.app.screen
            assert isinstance(screen, SyzygyScreen)
            assert screen.query_one(Summary).dim.endswith(f" in {syzygy}")

    async def test_one_ending_is_counted_as_one(self, root: Path, syzygy: Path) -> None:
        for path in syzygy.glob("*"):
            if not path.name.startswith("KNvK."):
                path.unlink()
        async with with_files(root, syzygy) as pilot:
            await pilot.press("2", "y")
            await pilot.pause()
            assert "1 ending with Syzygy files" in words(pilot, Summary)

    async def test_by_name_from_every_screen(self, root: Path, syzygy: Path) -> None:
        async with with_files(root, syzygy) as pilot:
            await pilot.press("ctrl+p", *"syzygy")
            await pilot.app.workers.wait_for_complete()
            await pilot.press("down", "enter")
            await pilot.pause()
            assert isinstance(pilot.app.screen, SyzygyScreen)
            await pilot.press("escape")
            await pilot.pause()
            assert isinstance(pilot.app.screen, ExploreScreen)

    async def test_a_wrong_directory_beside_a_right_one(self, root: Path, syzygy: Path) -> None:
        app = EndgameApp(self.BISHOP, root, ascii=False, syzygy=f"{root}/nowhere{os.pathsep}{syzygy}")
        async with app.run_test(size=(80, 24)) as pilot:
            await pilot.pause()
            assert "cannot be read" in said(pilot) and "DTZ ≈56" in words(pilot, ClocksRow)

    async def test_without_files_it_says_how_to_name_them(self, root: Path) -> None:
        async with opened(root) as (pilot, _):
            await pilot.press("2", "y")
            await pilot.pause()
            text = words(pilot, Detail).replace("\n", " ")
            assert "--syzygy" in text and "SYZYGY_PATH" in text and "settings.toml" in text
            await pilot.press("v", "V", "y")
            await pilot.pause()
            assert isinstance(pilot.app.screen, LibraryScreen)

    async def test_damaged_ones_are_told_without_asking(self, root: Path, tmp_path: Path) -> None:
        for name in ("KQvKR.rtbw", "KQvK.rtbw"):
            (tmp_path / name).write_bytes(b"")
        async with with_files(root, tmp_path, "8/8/8/8/3k4/7r/7Q/K7 w - - 0 1") as pilot:
            await pilot.press("escape")
            said = words(pilot, ReasonRow)
            assert "is empty; get it again, or press . to build KQvKR." in said and len(said) < 80

    async def test_what_they_answer_is_not_offered(self, root: Path, syzygy: Path) -> None:
        async with with_files(root, syzygy, self.BISHOP) as pilot:
            assert explore(pilot)._asking is None
            await type_in(pilot, "8/8/8/8/4k3/8/3BN3/3K4 w - - 0 1")
            assert explore(pilot)._asking is None and "DTZ" in words(pilot, ClocksRow)

    @pytest.mark.parametrize(
        ("fen", "said"), [("8/8/8/4k3/8/8/6r1/K6r w", "checkmate"), ("k7/8/1Q6/8/8/8/P7/K7 b", "stalemate")]
    )
    async def test_what_is_over_needs_no_table(self, root: Path, fen: str, said: str) -> None:
        async with opened(root, fen) as (pilot, walk):
            assert walk.facts.problem is None and explore(pilot)._asking is None
            assert words(pilot, VerdictRow).endswith(said)
            assert words(pilot, ReasonRow).strip() in ("S0  Checkmate: Black has won.", "Draw  The game is over.")
            await pilot.press("n")
            await pilot.pause()
            assert explore(pilot)._asking is not None


class TestQuestions:
    """A question closes at any key; what is typed after : goes into the prompt, and never builds."""

    UNBUILT = "8/8/8/8/3k4/7r/7Q/K7 w"

    async def test_a_colon_opens_the_prompt(self, root: Path) -> None:
        async with opened(root, self.UNBUILT) as (pilot, walk):
            assert isinstance(explore(pilot)._asking, Question)
            await pilot.press(*":7K/6Q1/8/8/2k5/8/8/8 w", "enter")
            await pilot.pause()
            assert walk.position.fen().startswith("7K/6Q1") and explore(pilot).session.job is None

    @pytest.mark.parametrize("key", ["g", "C"])
    async def test_so_do_other_keys_that_ask_for_a_text(self, root: Path, key: str) -> None:
        async with opened(root, self.UNBUILT) as (pilot, _):
            await pilot.press(key, "1", "2")
            assert explore(pilot).query_one(Prompt).text == "12" and explore(pilot).session.job is None

    async def test_any_other_key_means_no_and_nothing_else(self, root: Path) -> None:
        async with opened(root, self.UNBUILT) as (pilot, walk):
            before = walk.position.fen()
            for key in "fnr2":
                if explore(pilot)._asking is None:
                    await pilot.press("full_stop")
                    await pilot.pause()
                assert isinstance(explore(pilot)._asking, Question)
                await pilot.press(key)
                await pilot.pause()
                assert explore(pilot)._asking is None and walk.position.fen() == before
            await pilot.press("enter")
            assert explore(pilot).session.job is None

    async def test_the_search_of_the_library(self, root: Path) -> None:
        async with opened(root) as (pilot, _):
            await pilot.press("2", "m")
            assert isinstance(pilot.app.screen, LibraryScreen) and isinstance(pilot.app.screen._asking, Question)
            session = pilot.app.screen.session
            await pilot.press(*":KRvK", "enter")
            await pilot.pause()
            assert session.job is None and "KRvK" in words(pilot, Detail)


class TestLibrary:
    async def test_both_metrics_are_built_shown_verified_and_deleted(self, empty_library: Library) -> None:
        async with opened(empty_library.root) as (pilot, _):
            await pilot.press("2")
            screen = pilot.app.screen
            assert isinstance(screen, LibraryScreen)
            await pilot.press("slash", *"KNvK", "enter", "z")
            assert "by DTZ" in words(pilot, TopBar) and "DTZ not built" in words(pilot, Detail)

            async def done() -> None:
                while screen.session.job is not None or any(not w.is_finished for w in pilot.app.workers):
                    await pilot.app.workers.wait_for_complete()
                    await pilot.pause()

            await pilot.press("enter")
            await done()
            library = screen.session.by_dtz.library
            assert library.is_built("KNvK") and not empty_library.is_built("KNvK")
            assert "by DTZ" in said(pilot)
            await pilot.press("v")
            await done()
            assert "KNvK is sound" in said(pilot)
            await pilot.press("z")
            assert words(pilot, Detail).count("built,") == 1
            await pilot.press("z", "d")
            await pilot.press("y")
            await pilot.pause()
            assert not library.is_built("KNvK") and "deleted" in said(pilot)

    async def test_enter_opens_the_layers_of_the_metric(self, root: Path) -> None:
        async with opened(root) as (pilot, walk):
            await pilot.press("2", "slash", *"KRvK", "enter", "z", "enter")
            await pilot.pause()
            assert isinstance(pilot.app.screen, ExploreScreen)
            assert walk.metric == "dtz" and walk.facts.place is not None and walk.facts.place.ending == "KRvK"

    async def test_builds_of_both_metrics_wait_for_each_other(self, root: Path) -> None:
        async with opened(root) as (pilot, _):
            session = explore(pilot).session
            session.build(["KBvK"], "dtz")
            session.build(["KBvK"])
            session.build(["KBvK"])
            session.build(["KBvK"], "dtz")
            assert session.job is not None and session.job.name == "KBvK DTZ"
            assert list(session.queue) == [Wish(("KBvK",), "dtm")]
            await pilot.press("x")
            while session.job is not None:
                await pilot.app.workers.wait_for_complete()
                await pilot.pause()


class TestPlay:
    async def test_without_dtm_what_dtz_knows_is_played_and_shown(self, dtz_library: Library, tmp_path: Path) -> None:
        (tmp_path / "tables").mkdir()
        os.link(dtz_library.directory / "KQvKR.dtz.egt", tmp_path / "tables" / "KQvKR.dtz.egt")
        async with opened(tmp_path, TOO_LATE) as (pilot, _):
            await pilot.press("3")
            await pilot.pause()
            assert "You can win. There is no DTM table here." in words(pilot, SetupPanel)
            screen = await begun(pilot)
            assert "Replies and hints are those of DTZ." in words(pilot, ReasonRow)
            await pilot.press("i", "i")
            match = screen.play.match
            assert match is not None and match.given is not None and match.given.move.uci() == "e1e4"
            await type_in(pilot, "Qe4")
            await pilot.pause()
            assert len(match.plies) == 2 and match.your_turn
            await pilot.press("w", "enter")
            await pilot.pause()
            assert match.position.is_checkmate() and "Shown by the table" in words(pilot, ResultRows)

    @pytest.mark.parametrize("size", [(80, 24), (120, 40), (60, 30), (40, 20)])
    async def test_without_dtm_the_moves_are_those_of_explore(self, by_dtz: Path, size: tuple[int, int]) -> None:
        async with opened(by_dtz, TOO_LATE, size) as (pilot, _):
            await settle(pilot)
            told = pilot.app.screen.query_one(RatedPanel).view
            screen = await begun(pilot)
            assert "rated" not in screen.regions(screen.size) and not screen.query_one("#rated").can_focus
            await pilot.press("v")
            assert words(pilot, ReasonRow).split()[:3] == ["Win,", "DTZ", "21"] or size[0] < 60
            await pilot.press("m")
            await pilot.pause()
            panel = screen.query_one(RatedPanel)
            assert panel.view == told and len(told.rows) == screen.play.position.legal_moves.count() and panel.has_focus
            await pilot.press("down")
            assert screen.query_one("#reason", ReasonRow).view.heading == told.rows[1].san
            await pilot.press("end", "home", "down", "enter")
            await pilot.pause()
            match = screen.play.match
            assert match is not None and match.plies[0].san == told.rows[1].san and len(match.plies) == 2
            assert panel.cursor == 0 and len(panel.view.rows) == match.position.legal_moves.count()

    async def test_with_syzygy_files_alone_the_moves_are_shown(self, root: Path, truth: Path) -> None:
        async with with_files(root, truth / "syzygy", TOO_LATE) as pilot:
            screen = await begun(pilot)
            await pilot.press("v", "m", "enter")
            await pilot.pause()
            match = screen.play.match
            assert match is not None and match.plies[0].san == "Qe4" and match.plies[0].grade == Grade(Kind.KEEPS)
            await pilot.press("escape")
            await pilot.pause()
            assert words(pilot, ReasonRow).startswith(" Win, DTZ ≈")

    async def test_without_dtm_errors_are_told_and_nothing_is_called_perfect(self, by_dtz: Path) -> None:
        async with opened(by_dtz, TOO_LATE) as (pilot, _):
            screen = await begun(pilot)
            await type_in(pilot, "Qe4")
            await pilot.pause()
            await type_in(pilot, "Qe8")
            await pilot.pause()
            match = screen.play.match
            assert match is not None and match.slips() == [2]
            await pilot.press("w", "enter")
            screen.interrupt()
            await pilot.press("end")
            assert "1 win kept" in words(pilot, ResultRows) and "1 cursed" in words(pilot, ResultRows)
            await pilot.press("e")
            assert screen.query_one("#reason", ReasonRow).view.sentence.endswith(" keeps it.")
            await pilot.press("home")
            assert "keeps the win, and nothing else does." in words(pilot, ReasonRow)
            (record,) = screen.session.journal.attempts()
            assert (record.goal, record.errors, record.uncounted, record.perfect) == ("win", 1, 1, None)
            assert "perfect" not in " ".join(cost_words(record))
            await pilot.press("o", "enter")
            (saved,) = (by_dtz / "games").glob("*.pgn")
            text = " ".join(saved.read_text().split())
            assert "{keeps the win}" in text and "; kept by: " in text and "could not" not in text

    async def test_without_dtm_a_won_game_claims_no_perfection(self, by_dtz: Path) -> None:
        async with opened(by_dtz, "8/8/8/8/1k2r3/8/2K5/3Q4 w - - 0 1") as (pilot, _):
            screen = await begun(pilot)
            assert "You began in a won position." in words(pilot, ReasonRow)
            match = screen.play.match
            assert match is not None
            await type_in(pilot, "Qd6+")
            await pilot.pause()
            match.end(Result("white", End.TIME))
            screen.finish()
            await pilot.press("end")
            assert "perfect" not in words(pilot, ResultRows) and "Every move kept the result." in words(
                pilot, ReasonRow
            )

    async def test_without_dtm_the_standing_tells_that_the_result_changed(self, by_dtz: Path) -> None:
        async with opened(by_dtz, TOO_LATE.replace(" 78 ", " 0 ")) as (pilot, _):
            screen = await begun(pilot)
            await pilot.press("v")
            await type_in(pilot, "Kc1")
            await pilot.pause()
            expected = "Draw  You began in a won position; 1 move played, the result changed 1 time."
            assert words(pilot, ReasonRow).strip() == expected
            await pilot.press("w", "enter")
            screen.interrupt()
            await pilot.press("end")
            assert "1 move was not the best: e goes there." in words(pilot, ReasonRow)
            await pilot.press("e")
            assert "lets the win go: a win becomes a draw." in words(pilot, ReasonRow)

    async def test_a_missing_table_names_no_best_move(self, root: Path, truth: Path, tmp_path: Path) -> None:
        files = tmp_path / "some"
        files.mkdir()
        for suffix in (".rtbw", ".rtbz"):
            shutil.copy(truth / "syzygy" / f"KQvKR{suffix}", files)
        async with with_files(root, files, TOO_LATE) as pilot:
            screen = await begun(pilot)
            await pilot.press("v")
            await pilot.pause()
            assert "a table is missing: replies are estimates." in words(pilot, ReasonRow)
            assert words(pilot, VerdictRow).endswith("win") and not screen.play.told_by_dtz
            match = screen.play.match
            assert match is not None and screen.play.otherwise(match.position) is None
            match.play(match.position.parse_san("Qe5+"))
            match.play(match.position.parse_san("Rg3"))
            assert match.plies[0].grade == Grade(Kind.CURSED) and not screen.session.judge.keeping(match.start)
            match.show([next(iter(match.position.legal_moves))], estimated=True)
            screen.finish()
            await pilot.press("home")
            assert words(pilot, ReasonRow).strip().endswith("the 50-move rule ends it first.")
            await pilot.press("end", "left")
            assert "is what the search plays, an estimate" in words(pilot, ReasonRow)

    async def test_a_table_by_dtm_missing_for_some_moves_is_told(self, dtz_library: Library, tmp_path: Path) -> None:
        (tmp_path / "tables").mkdir()
        os.link(dtz_library.directory / "KPvK.egt", tmp_path / "tables" / "KPvK.egt")
        async with opened(tmp_path, "8/P6k/8/8/8/8/8/1K6 w - - 0 1") as (pilot, _):
            reason = explore(pilot).query_one(ReasonRow).view.sentence
            assert "is not built; press . to build it." in reason and "over" not in reason
            await pilot.press("escape", "3")
            await pilot.pause()
            assert "You can win: mate in 9." in words(pilot, SetupPanel)
            screen = await begun(pilot)
            await pilot.press("v")
            assert "a table is missing: replies are estimates." in words(pilot, ReasonRow)
            assert "mate in 9" in words(pilot, VerdictRow)
            await pilot.press("i")
            match = screen.play.match
            assert match is not None and screen.play.guessed
            match.play(match.position.parse_san("Ka2"))
            assert match.plies[0].grade is not None and match.plies[0].grade.kind.is_counted
            match.end(Result(None, End.AGREED))
            screen.finish()
            await pilot.press("home")
            assert "by DTM." in words(pilot, ReasonRow) and not screen.session.judge.keeping(match.start)

    async def test_by_dtz_alone_you_play_the_side_that_wins_and_a_lost_defender_claims(self, by_dtz: Path) -> None:
        async with opened(by_dtz, "6r1/8/8/8/8/8/7k/3KQ3 b - - 99 1") as (pilot, _):
            await pilot.press("3")
            await pilot.pause()
            assert "Black" in words(pilot, SetupPanel) and isinstance(pilot.app.screen, PlayScreen)
            play = pilot.app.screen.play
            category = play.judge.category(play.position)
            assert category is not None and play.setup.white == (category in (Category.LOSS, Category.BLESSED_LOSS))

    async def test_the_clocks_are_told_with_the_verdict(self, root: Path) -> None:
        async with opened(root, CURSED) as (pilot, _):
            await pilot.press("3", "enter")
            await pilot.pause()
            assert isinstance(pilot.app.screen, PlayScreen)
            assert words(pilot, ClocksRow) == "clock 80/100"
            await pilot.press("v")
            assert "DTM 25 · DTZ 25 · clock 80/100" in words(pilot, ClocksRow)
            assert "cursed win" in words(pilot, VerdictRow)

    async def test_a_hint_keeps_the_win_and_tells_of_a_cursed_one(self, dtz_library: Library, root: Path) -> None:
        async with opened(dtz_library.root, SPOILT) as (pilot, _):
            await pilot.press("3", "enter", "i")
            screen = pilot.app.screen
            assert isinstance(screen, PlayScreen) and screen.play.hint is not None
            assert screen.play.hint.move == chess.Move.from_uci("b6b7") and not said(pilot)
        async with opened(dtz_library.root, "6r1/8/8/8/8/8/7k/3KQ3 w - - 78 1") as (pilot, _):
            await pilot.press("3", "enter", "i")
            screen = pilot.app.screen
            assert isinstance(screen, PlayScreen) and screen.play.hint is not None
            assert screen.play.hint.move == chess.Move.from_uci("e1e4"), "Qe5+ mates sooner, and too late"
        async with opened(root, CURSED) as (pilot, _):
            await pilot.press("3", "enter", "i")
            assert "cursed win" in said(pilot)
            await pilot.press("w")
            assert "cursed win" in said(pilot)

    async def test_the_perfect_defender_minds_the_rule(self, dtz_library: Library) -> None:
        async with opened(dtz_library.root, SPOILT) as (pilot, _):
            await pilot.press("3", "right", "enter")
            await pilot.pause()
            screen = pilot.app.screen
            assert isinstance(screen, PlayScreen) and screen.play.match is not None
            assert screen.play.match.you == "black"
            assert screen.play.match.plies[0].move == chess.Move.from_uci("b6b7")

    async def test_a_win_let_become_cursed_is_an_error_everywhere(self, dtz_library: Library) -> None:
        async with opened(dtz_library.root, TOO_LATE) as (pilot, _):
            screen = await begun(pilot)
            await pilot.press("v")
            await pilot.pause()
            moves = words(pilot, MovesPanel)
            assert "Qe4" in moves.splitlines()[1] and "cursed win" in moves.splitlines()[2]
            assert "Qe5+ lets the win become cursed; Qe4 is best" in " ".join(words(pilot, ReasonRow).split())
            await type_in(pilot, "Qe5+")
            await pilot.pause()
            assert "cursed" in words(pilot, ScorePanel)
            await pilot.press("w", "enter")
            screen.interrupt()
            await pilot.press("end", "e")
            assert "lets the win become cursed" in words(pilot, ReasonRow) and "Best: Qe4." in words(pilot, ReasonRow)
            assert "1 cursed" in words(pilot, ResultRows)
            assert screen.session.journal.attempts()[0].errors == 1
            await pilot.press("o", "enter")
            assert "saved" in said(pilot).lower()
            (saved,) = (dtz_library.root / "games").glob("*.pgn")
            text = saved.read_text()
            saved.unlink()
            assert "lets the win become cursed; best: Qe4" in " ".join(text.split())

    async def test_what_is_shown_keeps_the_win_and_names_no_error(self, dtz_library: Library) -> None:
        async with opened(dtz_library.root, TOO_LATE) as (pilot, _):
            screen = await begun(pilot)
            await pilot.press("w", "enter")
            screen.interrupt()
            match = screen.play.match
            assert match is not None and match.plies[0].san == "Qe4" and match.position.is_checkmate()
            assert all(ply.after.halfmove_clock < 100 for ply in match.plies)

    async def test_hints_win_with_not_a_ply_to_spare(self, dtz_library: Library) -> None:
        async with opened(dtz_library.root, "8/8/6Q1/8/7k/r7/5K2/8 w - - 90 7") as (pilot, _):
            screen = await begun(pilot)
            match = screen.play.match
            assert match is not None
            while match.position.halfmove_clock >= 90:
                await pilot.press("i", "i", "enter")
                await pilot.pause()
            assert "Qxa2" in [ply.san for ply in match.plies] and not match.slips()
            assert match.verdict is not None and match.verdict.winner == "white" and not said(pilot)

    async def test_a_cursed_win_promises_no_mate_and_ends_with_the_claim(self, root: Path) -> None:
        async with opened(root, CURSED.replace(" 80 ", " 92 ")) as (pilot, _):
            await pilot.press("3")
            await pilot.pause()
            assert "A cursed win: mate in 13, but a draw can" in words(pilot, SetupPanel)
            assert "the half-move clock at 92" in words(pilot, ReasonRow)
            screen = await begun(pilot)
            assert words(pilot, ReasonRow).startswith(" You began in a cursed win.")
            match = screen.play.match
            assert match is not None
            while match.result is None:
                await pilot.press("i", "i", "enter")
                await pilot.pause()
            assert match.result.reason is Draw.FIFTY and "The defender claims" in said(pilot)
            assert "a cursed win" in words(pilot, ResultRows) and "4 held" in words(pilot, ResultRows)
            record = screen.session.journal.attempts()[0]
            assert record.goal == "draw" and record.outcome == "failed" and record.hints, "hints solve nothing"

    async def test_a_blessed_loss_is_held_to_the_claim_and_can_be_lost(self, root: Path) -> None:
        async with opened(root, BLESSED.replace(" 80 ", " 94 ")) as (pilot, _):
            await pilot.press("3", "right")
            assert "A blessed loss: hold out" in words(pilot, SetupPanel)
            screen = await begun(pilot)
            match = screen.play.match
            assert match is not None and match.you == "black"
            while screen.play.claim is None:
                await pilot.press("i", "i", "enter")
                await pilot.pause()
            await pilot.press("D", "enter")
            assert match.result is not None and match.result.reason is Draw.FIFTY and not match.slips()
            await pilot.press("n")
            await type_in(pilot, BLESSED.replace(" 80 ", " 74 "))
            await pilot.press("right")
            screen = await begun(pilot)
            await type_in(pilot, "Kf3")
            assert screen.play.match is not None and screen.play.match.slips() == [0]
            await pilot.press("w", "enter")
            screen.interrupt()
            await pilot.press("end", "e")
            assert "loses what the 50-move rule made a draw" in words(pilot, ReasonRow)

    async def test_small_screens_tell_the_category(self, root: Path) -> None:
        async with opened(root, CURSED, (40, 20)) as (pilot, _):
            await begun(pilot)
            await pilot.press("v")
            await pilot.pause()
            assert "+= cursed win" in words(pilot, TopBar)

    async def test_by_dtm_alone_a_late_mate_is_no_promise(self, library: Library) -> None:
        async with opened(library.root, "8/8/8/8/4k3/8/3BN3/3K4 w - - 70 1") as (pilot, _):
            await pilot.press("3")
            await pilot.pause()
            assert "You can force mate in 29, but the clock" in words(pilot, SetupPanel)
            screen = await begun(pilot)
            assert "at mate in 29, the clock at 70" in words(pilot, ReasonRow)
            await pilot.press("i")
            assert "the clock at 70 may allow a draw first" in said(pilot)
            await pilot.press("w", "enter")
            screen.interrupt()
            await pilot.press("end")
            assert screen.play.position.halfmove_clock == 100
            assert "Here a draw can be claimed" in words(pilot, ReasonRow)


def test_every_category_has_a_mark_of_its_own_in_ascii_and_a_colour() -> None:
    marks = [ASCII.plain(kind.mark) for kind in KINDS.values()]
    assert len(set(marks)) == len(Category) == len(KINDS) and all(mark.isascii() for mark in marks)
    assert all(FOR_MOVER[FOR_MOVER[category]] is category for category in Category)
    for palette in (DARK, LIGHT):
        assert len({palette[role] for role in ("win", "cursed", "draw", "blessed", "loss", "amber")}) == 6


def test_help_tells_the_marks() -> None:
    told = next(keys for title, keys in sections() if title == "The 50-move rule")
    assert {words for _, words in told} >= {kind.words for kind in KINDS.values()}


@pytest.mark.parametrize("known", [None, Known()])
def test_nothing_known_is_nothing_said(known: Known | None) -> None:
    from endgame_tui import fifty_scenes as scenes

    assert scenes.explanation(known, "dtm", None) is None and scenes.explanation(known, "dtz", None) is None
    view: Callable[..., object] = scenes.rated_view
    assert view(known, "") == scenes.RatedView()


def test_layers_beyond_the_rule_are_marked() -> None:
    from types import SimpleNamespace

    from endgame_core.tables.explorer import LayerCount, Layers, Place
    from endgame_tui import scenes
    from endgame_tui.palette import UNICODE

    family = tuple(LayerCount(n, 2, 16) for n in range(103))
    empty = LayerCount(0, 0, 0)
    layers = Layers("KNNvKP", {"white": family}, {"white": empty, "black": empty}, {})
    place = Place("KNNvKP", "white", 101, 1, 2, False, 0)
    game = SimpleNamespace(game=SimpleNamespace(metric="dtz"))
    view = scenes.layers_view(SimpleNamespace(place=place, layers=layers, explorer=game), UNICODE)  # type: ignore[arg-type]
    assert (view.here, view.title) == (101, "DTZ layers")
    assert [(row.name, row.role) for row in view.rows[99:]] == [
        ("S99", "text"), ("S100", "text"), ("S101=", "cursed"), ("S102=", "cursed"),
    ]  # fmt: skip


async def test_groups_before_are_told_apart(dtz_library: Library) -> None:
    async with opened(dtz_library.root, "8/6R1/1k6/8/8/8/p5K1/8 w - - 0 1") as (pilot, _):
        await pilot.press("z")
        await pilot.press("b", "end")
        assert "S1+10 " in words(pilot, BeforePanel)

"""Explore under the 50-move rule: DTM, DTZ and the counter, layers by DTZ, and what is unknown without it."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Never

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.pilot import Pilot

from endgame_core.app_context import AppContext
from endgame_core.chess.fifty import FiftyMoves, OwnSource
from endgame_core.chess.game import CHESS, CHESS_DTZ
from endgame_core.chess.syzygy import Syzygy
from endgame_core.errors import EndingError
from endgame_core.judge import Judge
from endgame_core.probe_result import proved_category
from endgame_core.tables.explorer import Explorer, LayerCount, Layers
from endgame_core.tables.library import Library
from endgame_core.values import Category
from endgame_core.words import position as words
from endgame_core.words.text_model import KINDS
from endgame_tui.app import EndgameApp
from endgame_tui.look import ASCII, DARK, LIGHT
from endgame_tui.screens import explore
from endgame_tui.screens.explore import ExploreScreen
from endgame_tui.screens.help import sections
from tests.conftest import fast

from .fifty_moves import BLESSED, CURSED, SPOILT
from .key_walk import START, crumbs, panel_text, place, position, question_text, type_and_wait, walking
from .terminal_text import message_text, press, rows, settle, text, within

QUEEN = "8/8/8/8/1k2r3/8/2K5/3Q4 w - - {} 60"
"""Mate in 19 plies, and 4 to Qxe4."""

PAWN = "8/1P6/8/8/1k6/8/6K1/7r w - - 0 1"
"""Needs KRvKR and KRvKN after promotions."""

ENDINGS = ["KQvKR", "KRvK", "KPvK", "KRvKP", "KQvKP", "KBNvK", "KPvKP"]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "empty"


def clock(pilot: Pilot[None]) -> int:
    """The half-move clock of the FEN."""
    return int(position(pilot).split()[4])


def listed(pilot: Pilot[None]) -> dict[str, str]:
    """The moves by DTZ, and what stands behind them."""
    found = [row.replace("▸", " ").split(maxsplit=1) for row in within(pilot, "#rated")[1:] if row.strip()]
    return {parts[0]: parts[1] if len(parts) > 1 else "" for parts in found}


class TestClocks:
    async def test_dtm_dtz_and_counter_stand_side_by_side(self, root: Path) -> None:
        async with walking(root, CURSED.replace(" 80 ", " 43 ")) as pilot:
            assert " ".join(panel_text(pilot, "distances").split()) == "DTM 25 · DTZ 25 · 50-move counter 21½/50 + win"

    @pytest.mark.parametrize(
        ("fen", "mark", "verdict", "reason"),
        [
            (
                CURSED,
                "+= cursed win",
                "cursed win, mate in 13",
                "Cursed win  White can force mate, but Black can",
            ),
            (BLESSED, "−= blessed loss", "blessed loss", "Blessed loss  White could force mate, but Black can claim"),
        ],
    )
    async def test_cursed_and_blessed_are_marked_and_explained(
        self, root: Path, fen: str, mark: str, verdict: str, reason: str
    ) -> None:
        async with walking(root, fen) as pilot:
            assert panel_text(pilot, "distances").endswith(mark) and panel_text(pilot, "verdict").endswith(verdict)
            assert panel_text(pilot, "reason").startswith(reason)

    async def test_the_clock_is_set_and_undone(self, root: Path) -> None:
        async with walking(root, CURSED.replace(" 80 ", " 0 ")) as pilot:
            await type_and_wait(pilot, "clock 80")
            assert position(pilot) == CURSED and "cursed" in panel_text(pilot, "verdict")
            await press(pilot, "u")
            assert clock(pilot) == 0
            await press(pilot, "C", "7", "5", "enter")
            assert "50-move counter 37½/50" in panel_text(pilot, "distances")
            await press(pilot, "full_stop")
            assert "50-move counter 38/50" in panel_text(pilot, "distances")

    @pytest.mark.parametrize("wrong", ["clock 151", "clock 999999", "7K/6Q1/8/8/2k5/8/8/8 w - - 151 1"])
    async def test_an_impossible_counter_is_refused(self, root: Path, wrong: str) -> None:
        async with walking(root) as pilot:
            await type_and_wait(pilot, wrong)
            assert "ends a game at 150" in message_text(pilot) and position(pilot) == START

    @pytest.mark.parametrize("right", ["clock 101", CURSED.replace(" 80 ", " 101 ")])
    async def test_a_draw_can_be_claimed_from_100_plies_on(self, root: Path, right: str) -> None:
        async with walking(root, CURSED) as pilot:
            await type_and_wait(pilot, right)
            assert clock(pilot) == 101 and "a draw can be claimed" in panel_text(pilot, "reason")

    async def test_small_screens_show_the_counter_in_the_first_row(self, root: Path) -> None:
        async with walking(root, CURSED, (40, 20)) as pilot:
            assert "Z25 80/100" in rows(pilot)[0] and "cursed win" in rows(pilot)[0]

    async def test_the_chosen_move_has_a_sentence(self, dtz_library: Library) -> None:
        async with walking(dtz_library.root, SPOILT) as pilot:
            await press(pilot, "m")
            for _ in range(12):
                if panel_text(pilot, "reason").startswith("b7  resets the 50-move counter and mates"):
                    break
                await press(pilot, "right")
            else:
                pytest.fail("no move was told of as b7 is")
            await press(pilot, "escape")
            assert "b7  resets" not in panel_text(pilot, "reason")


class TestLayers:
    async def test_the_metric_is_switched_and_shown(self, root: Path) -> None:
        async with walking(root) as pilot:
            assert panel_text(pilot, "layers").startswith("DTM layers")
            await press(pilot, "z")
            assert panel_text(pilot, "layers").startswith("DTZ layers") and crumbs(pilot)[2] == "DTZ S19"
            await press(pilot, "z")
            assert "DTZ" not in rows(pilot)[0]

    @pytest.mark.slow
    async def test_layers_by_dtz_are_those_of_the_table(self, dtz_library: Library) -> None:
        async with walking(dtz_library.root, size=(120, 60)) as pilot:
            await press(pilot, "z")
            await type_and_wait(pilot, "KPvK")
            await type_and_wait(pilot, "S12/3")
            await press(pilot, "n", "n", "p", "right_square_bracket", "left_square_bracket", "n")
            assert place(pilot)[2] == "DTZ S12" and crumbs(pilot)[3].startswith("2/")
            found = AppContext(dtz_library.root).explorer("dtz").layers("KPvK").families["white"]
            shown = [row.replace("▸", " ").split() for row in within(pilot, "#layers")[1:] if row[:2] in (" S", "▸S")]
            assert {row[0] for row in shown} <= {f"S{each.n}" for each in found} and len(shown) > 15

    async def test_moves_show_both_distances_and_zeroing(self, dtz_library: Library) -> None:
        async with walking(dtz_library.root, SPOILT) as pilot:
            await press(pilot, "z", "m")
            found = listed(pilot)
            assert next(iter(found)) == "b7" and found["b7"].startswith("z ") and "+ " in found["b7"] + " "
            assert any("+=" in behind for behind in found.values())
            await press(pilot, "down")
            assert panel_text(pilot, "reason").startswith(f"{list(found)[1]}  ")
            await press(pilot, "up", "enter")
            assert position(pilot).startswith("8/KP5k")

    async def test_the_line_is_by_dtz(self, dtz_library: Library) -> None:
        async with walking(dtz_library.root, SPOILT) as pilot:
            await press(pilot, "z")
            assert panel_text(pilot, "line").startswith("Line 1.b7 ") and "5." in panel_text(pilot, "line")

    @pytest.mark.slow
    async def test_best_and_autoplay_follow_dtz(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(explore.AUTOPLAY, "default", 0.01)
        async with walking(root) as pilot:
            await press(pilot, "z", "full_stop", "full_stop")
            assert place(pilot)[2] == "DTZ S17"
            await pilot.press("a")
            while "checkmate" not in panel_text(pilot, "verdict"):
                await settle(pilot)
            await press(pilot, "full_stop")
            assert "over" in message_text(pilot)

    async def test_w_walks_draws_and_wins_by_dtz(self, root: Path) -> None:
        async with walking(root) as pilot:
            await press(pilot, "z", "w")
            assert place(pilot)[1:] == ("draws", "DTZ =") and panel_text(pilot, "layers").startswith("DTZ draws")
            await press(pilot, "w")
            assert place(pilot)[2] == "DTZ S20"

    @pytest.mark.slow
    async def test_a_missing_dtz_table_is_built_by_a_key(self, root: Path) -> None:
        async with walking(root) as pilot:
            await type_and_wait(pilot, "8/8/8/4k3/8/8/4P3/4K3 w")
            await press(pilot, "escape")
            assert "z builds" in panel_text(pilot, "distances") and "DTZ –" in panel_text(pilot, "distances")
            await press(pilot, "z")
            assert "KPvK has no DTZ" in question_text(pilot)
            await pilot.press("enter")
            while pilot.app.jobs.job is not None:  # type: ignore[attr-defined]
                await settle(pilot)
            await settle(pilot)
            assert place(pilot)[0] == "KPvK" and "DTZ" in place(pilot)[2] and "built by DTZ" in message_text(pilot)

    @pytest.mark.slow
    @pytest.mark.parametrize("sides", ["w", "b"])
    async def test_without_dtz_layers_are_shown_by_dtm(self, library: Library, sides: str) -> None:
        async with walking(library.root) as pilot:
            await press(pilot, "z")
            assert crumbs(pilot)[2] == "DTZ S19"
            await type_and_wait(pilot, f"8/8/8/3k4/8/3K4/3P4/8 {sides}")
            assert (
                not question_text(pilot) and "z builds" in panel_text(pilot, "distances") and place(pilot)[0] == "KPvK"
            )
            assert "DTZ" not in rows(pilot)[0] and panel_text(pilot, "layers").startswith(("DTM", "Draws"))
            assert ("Kc3" if sides == "w" else "Ke5") in panel_text(pilot, "moves") and "K" in panel_text(
                pilot, "before"
            )
            await type_and_wait(pilot, "12", "C")
            assert not question_text(pilot)
            before = position(pilot)
            await press(pilot, "full_stop")
            assert not question_text(pilot) and position(pilot) != before
            await press(pilot, "z")
            assert "KPvK has no DTZ" in question_text(pilot)
            await press(pilot, "escape")
            await type_and_wait(pilot, "KQvK")
            assert crumbs(pilot)[2].startswith("DTZ S")


def _knows_nothing(board: chess.Board) -> Never:
    raise EndingError(f"no table tells {board.fen()}", "build one")


class TestByDtmAlone:
    @pytest.mark.slow
    @given(ending=st.sampled_from(ENDINGS), clock=st.integers(0, 150))
    def test_the_category_is_the_one_that_the_moves_prove(
        self, library: Library, random_board: Callable[[str], chess.Board], ending: str, clock: int
    ) -> None:
        board = random_board(ending)
        board.halfmove_clock = clock
        nothing = OwnSource(Library(CHESS_DTZ, library.root / "nothing"))
        nothing.look = _knows_nothing  # the shipped tables, too
        nothing.reaches = lambda board: False
        judge = Judge(Explorer(CHESS, library), lambda: FiftyMoves(nothing))
        known = judge.probe(board)
        assert known.verdict is not None and known.category is not None
        late = words.late_category(known)
        plain = proved_category(known.verdict, clock) if clock >= 100 or known.is_over else known.category
        assert (late or known.verdict.category) is (Category.DRAW if known.is_ended_by_limit else plain)

    @pytest.mark.parametrize("clock", [0, 81])
    async def test_a_counter_without_effect_changes_nothing(self, library: Library, clock: int) -> None:
        async with walking(library.root, QUEEN.format(clock)) as pilot:
            assert panel_text(pilot, "verdict").endswith("mate in 10 · 19 plies")
            assert panel_text(pilot, "reason").startswith("S19 → S18  1 of 23 moves is fastest")
            assert panel_text(pilot, "distances").split("/50")[1].split() == ["z", "builds", "the", "DTZ", "table"]

    @pytest.mark.slow
    async def test_dtm_alone_says_where_only_dtz_would_decide(self, library: Library) -> None:
        async with walking(library.root, QUEEN.format(0)) as pilot:
            for clock, mark, verdict, sentence in (
                (82, "+?", "maybe a win", "Maybe a win  19 plies to mate, 18 left on the 50-move counter; only DTZ"),
                (97, "+?", "maybe a win", "Maybe a win  19 plies to mate, 3 left on the 50-move counter; only DTZ"),
                (98, "+=", "cursed win", "Cursed win  White can force mate, but Black can claim a draw first."),
                (99, "+=", "cursed win", "Cursed win  White can force mate, but Black can claim a draw first."),
                (100, "+=", "cursed win", "Cursed win  White can force mate, but a draw can be claimed"),
                (149, "+=", "cursed win", "Cursed win  White can force mate, but a draw can be claimed"),
            ):
                await type_and_wait(pilot, f"clock {clock}")
                assert panel_text(pilot, "verdict").endswith(f"{verdict}, mate in 10"), clock
                assert panel_text(pilot, "reason").startswith(sentence), clock
                assert panel_text(pilot, "distances").split("/50")[1].split()[:2] == [mark, "z"], (
                    "building is offered too"
                )
                await press(pilot, "z")
                assert "KQvKR has no DTZ" in question_text(pilot), clock
                await press(pilot, "escape")

    async def test_small_screens_show_the_verdict_in_the_first_row(self, library: Library) -> None:
        async with walking(library.root, QUEEN.format(97), (40, 20)) as pilot:
            assert rows(pilot)[0].endswith("○ maybe a win")


class TestOver:
    @pytest.mark.slow
    @pytest.mark.parametrize(("both", "metric"), fast([(True, "dtm"), (False, "dtm"), (True, "dtz")]))
    async def test_no_line_is_shown_after_75_moves(
        self, library: Library, dtz_library: Library, both: bool, metric: str
    ) -> None:
        async with walking((dtz_library if both else library).root, QUEEN.format(149)) as pilot:
            if metric == "dtz":
                await press(pilot, "z")
            await type_and_wait(pilot, "clock 150")
            assert panel_text(pilot, "reason").startswith("Draw  75 moves by each side")
            assert panel_text(pilot, "verdict").endswith(" draw") and panel_text(pilot, "distances").endswith("= draw")
            assert not panel_text(pilot, "line").strip()
            assert (panel_text(pilot, "moves") + panel_text(pilot, "rated")).split() == ["Moves", "Draw"]
            await press(pilot, "m", "down", "enter", "full_stop")
            assert clock(pilot) == 150 and "over" in message_text(pilot)
            await type_and_wait(pilot, "Qd6+")
            assert clock(pilot) == 150 and "75-move rule" in message_text(pilot)
            await press(pilot, "escape")
            await type_and_wait(pilot, "clock 149")
            assert "cursed win" in panel_text(pilot, "verdict")

    async def test_the_75_move_rule_requires_no_table(self, tmp_path: Path) -> None:
        async with walking(tmp_path, QUEEN.format(150)) as pilot:
            await press(pilot, "escape")
            assert panel_text(pilot, "verdict").endswith(" draw") and panel_text(pilot, "reason").startswith(
                "Draw  75 moves"
            )

    async def test_checkmate_comes_before_the_75_move_rule(self, library: Library) -> None:
        async with walking(library.root, "k7/1Q6/1K6/8/8/8/8/8 b - - 150 90") as pilot:
            assert panel_text(pilot, "verdict").endswith("checkmate") and "75 moves" not in panel_text(pilot, "reason")


def copied(truth: Path, to: Path, *without: str) -> Path:
    """The Syzygy files, some left away."""
    to.mkdir()
    for file in (truth / "syzygy").iterdir():
        if file.name not in without:
            os.link(file, to / file.name) if file.stat().st_dev == to.stat().st_dev else shutil.copy(file, to)
    return to


class TestSomeSyzygyFiles:
    async def test_moves_are_rated_as_far_as_files_allow(self, truth: Path, tmp_path: Path) -> None:
        async with walking(tmp_path / "none", PAWN, syzygy=truth / "syzygy") as pilot:
            found = listed(pilot)
            assert len(found) == 8 and list(found)[-2:] == ["b8=N", "b8=R+"]
            assert {san for san, behind in found.items() if "?" in behind} == {"b8=N", "b8=R+"}
            reason = panel_text(pilot, "reason")
            assert all(name in reason for name in ("KRvKR.rtbw", "b8=R+", "z builds", "KRvKP"))
            await press(pilot, "m", "end")
            reason = panel_text(pilot, "reason")
            assert reason.startswith("b8=R+  ") and "KRvKR.rtbw" in reason
            await press(pilot, "escape", "full_stop")
            assert "KRvKR" in message_text(pilot), "no move is best for certain in every way"
            await press(pilot, "z")
            assert "KRvKP has no DTZ" in question_text(pilot)

    async def test_a_missing_file_is_named(self, truth: Path, tmp_path: Path) -> None:
        files = copied(truth, tmp_path / "files", "KQvKR.rtbz")
        async with walking(tmp_path / "none", QUEEN.format(0), syzygy=files) as pilot:
            reason = panel_text(pilot, "reason")
            assert "KQvKR.rtbz is missing" in reason and "z builds" in reason
            assert any("?" in behind for behind in listed(pilot).values())

    @pytest.mark.slow
    @pytest.mark.parametrize("ending", ["KRvKP", "KQvKR", "KPvKP", "KRPvK"])
    def test_ratings_with_missing_files_agree_with_all_files(
        self, truth: Path, tmp_path: Path, random_board: Callable[[str], chess.Board], ending: str
    ) -> None:
        whole = Syzygy(str(truth / "syzygy"))
        gone = ("KQvK.rtbz", "KRvK.rtbw", "KPvK.rtbz", "KRvKB.rtbw", "KQvKR.rtbz")
        some = Syzygy(str(copied(truth, tmp_path / "files", *gone)))
        tables = Explorer(CHESS, Library(CHESS, tmp_path / "none"))
        judges = [Judge(tables, lambda source=source: FiftyMoves(source)) for source in (whole, some)]
        for _ in range(60):
            board = random_board(ending)
            full, part = (judge.probe(board) for judge in judges)
            right = {row.san: row for row in words.rated(full)}
            for row in words.rated(part):
                if row.kind.sign != "?" and row.san in right and right[row.san].kind.sign != "?":
                    there = right[row.san]
                    assert (row.kind, row.dtz, row.zeroing) == (there.kind, there.dtz, there.zeroing)
                    assert there.best or not row.best or full.partial_by_dtz


class TestWrongFiles:
    @asynccontextmanager
    async def checked(self, truth: Path, tmp_path: Path, width: int) -> AsyncIterator[tuple[Pilot[None], Path]]:
        """Explore at a position of KQvKR, and the file of it that the Library found wrong."""
        files = Path(shutil.copytree(truth / "syzygy", tmp_path / "files"))
        bad = files / "KQvKR.rtbz"
        bad.chmod(0o644)
        bad.write_bytes(bad.read_bytes()[:-8] + bytes(8))
        async with walking(tmp_path / "none", QUEEN.format(0), (width, 36), files) as pilot:
            assert "DTZ ≈5" in panel_text(pilot, "distances")
            await self.check(pilot)
            yield pilot, bad

    async def check(self, pilot: Pilot[None]) -> None:
        await press(pilot, "2", "y", "home")
        for _ in range(200):
            if "KQvKR" in next((row for row in rows(pilot) if row.startswith("▸") or row.startswith(" ▸")), ""):
                break
            await pilot.press("down")
        await press(pilot, "v")

    @pytest.mark.slow
    @pytest.mark.parametrize("width", [80, 120])
    async def test_wrong_files_are_skipped_with_a_message(self, truth: Path, tmp_path: Path, width: int) -> None:
        async with self.checked(truth, tmp_path, width) as (pilot, _):
            assert re.search(r"checksum of KQvKR\.rtbz .* skipped", " ".join(text(pilot).split()))
            await press(pilot, "escape", "1")
            assert "DTZ –" in panel_text(pilot, "distances") and panel_text(pilot, "reason").startswith(
                "KQvKR.rtbz is skipped"
            )

    @pytest.mark.slow
    async def test_a_correct_file_is_used_again(self, truth: Path, tmp_path: Path) -> None:
        async with self.checked(truth, tmp_path, 80) as (pilot, bad):
            shutil.copy(truth / "syzygy" / bad.name, bad)
            await press(pilot, "escape")
            await self.check(pilot)
            await press(pilot, "escape", "1")
            assert "DTZ ≈5" in panel_text(pilot, "distances")


class TestByDtzAlone:
    @pytest.fixture
    def root(self, dtz_library: Library, tmp_path: Path) -> Path:
        """The tables by DTZ without those by DTM."""
        tables = tmp_path / "tables"
        tables.mkdir()
        for table in dtz_library.directory.glob("*.dtz.egt"):
            os.link(table, tables / table.name)
        return tmp_path

    @pytest.mark.slow
    @pytest.mark.parametrize("size", [(120, 36), (40, 20)])
    async def test_an_ending_opens_by_dtz(self, root: Path, size: tuple[int, int]) -> None:
        async with walking(root, size=size) as pilot:
            await type_and_wait(pilot, "KQvKR")
            assert "KQvKR" in question_text(pilot) and "z DTZ" in question_text(pilot)
            await press(pilot, "z")
            longest = AppContext(root).explorer("dtz").layers("KQvKR").families["white"][-1].n
            assert "KQvKR" in rows(pilot)[0] and f"S{longest}" in rows(pilot)[0]

    async def test_a_step_from_a_position_with_only_dtz_offers_dtz(self, root: Path) -> None:
        async with walking(root, QUEEN.format(0)) as pilot:
            await press(pilot, "n")
            assert "z DTZ" in question_text(pilot)
            await press(pilot, "z", "n")
            assert "DTZ" in place(pilot)[2]

    async def test_the_question_offers_dtz_only_if_it_is_built(self, tmp_path: Path) -> None:
        async with walking(tmp_path) as pilot:
            await type_and_wait(pilot, "KQvKR")
            assert "build" in question_text(pilot) and "z DTZ" not in question_text(pilot)


def test_every_category_has_a_mark_of_its_own_in_ascii_and_a_colour() -> None:
    marks = [ASCII.plain(kind.sign) for kind in KINDS.values()]
    assert len(set(marks)) == len(Category) == len(KINDS) and all(mark.isascii() for mark in marks)
    for palette in (DARK, LIGHT):
        assert len({palette[role] for role in ("win", "cursed", "draw", "blessed", "loss", "amber")}) == 6


def test_help_explains_the_marks() -> None:
    panel_text = dict(sections(EndgameApp, "chess", ExploreScreen))["The 50-move rule"]
    assert {words for _, words in panel_text} >= {kind.words for kind in KINDS.values()}


def test_layers_beyond_the_rule_are_marked(dtz_library: Library) -> None:
    from endgame_core.tasks.walk import Walk

    walk: Walk[chess.Board, chess.Move] = Walk(AppContext(dtz_library.root), "chess")
    walk.switch_metric()
    family = tuple(LayerCount(n, 2, 16) for n in range(103))
    empty = LayerCount(0, 0, 0)
    walk.location.layers = Layers("KNNvKP", {"white": family}, {"white": empty, "black": empty}, {})
    view = words.layers(walk)
    assert view.title == "DTZ layers"
    assert [(row.name, row.role) for row in view.rows[99:]] == [
        ("S99", "text"), ("S100", "text"), ("S101=", "cursed"), ("S102=", "cursed"),
    ]  # fmt: skip


@pytest.mark.slow
async def test_groups_of_previous_positions_are_distinguished(dtz_library: Library) -> None:
    async with walking(dtz_library.root, "8/6R1/1k6/8/8/8/p5K1/8 w - - 0 1", (80, 24)) as pilot:
        await press(pilot, "z", "b", "end")
        assert "S1+10 " in panel_text(pilot, "before")

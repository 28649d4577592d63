"""The three clocks, layers by DTZ and tables of both metrics: every key, pressed as a user presses it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import chess
import pytest

from endgame_core.tables.library import Library
from endgame_core.values import Category
from endgame_core.words.told import KINDS
from endgame_tui.clocks import Known
from endgame_tui.jobs import Wish
from endgame_tui.look import ASCII, DARK, LIGHT
from endgame_tui.screens.explore import ExploreScreen
from endgame_tui.screens.help import sections
from endgame_tui.screens.play import PlayScreen
from endgame_tui.widgets.before import BeforePanel
from endgame_tui.widgets.clocks import ClocksRow
from endgame_tui.widgets.frame import TopBar
from endgame_tui.widgets.old_layers import LayersPanel
from endgame_tui.widgets.prompt import Prompt
from endgame_tui.widgets.question import Question
from endgame_tui.widgets.rated import RatedPanel
from endgame_tui.widgets.setup import SetupPanel
from endgame_tui.widgets.words import LineRows, ReasonRow, VerdictRow

from .fifty import BLESSED, CURSED, SPOILT, explore, settle, words
from .test_keys_explore import opened, said, type_in


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "empty"


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


class TestLibrary:
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


def test_every_category_has_a_mark_of_its_own_in_ascii_and_a_colour() -> None:
    marks = [ASCII.plain(kind.mark) for kind in KINDS.values()]
    assert len(set(marks)) == len(Category) == len(KINDS) and all(mark.isascii() for mark in marks)
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
    from endgame_tui.look import UNICODE

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

"""The Morris board: every key, the mouse, what is said, how it looks. Snapshots: ``pytest --snapshot-update``."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from endgame_core.morris.geometry import ALL, NEIGHBOURS, NUMBERS, POINTS, points_of
from endgame_core.morris.notation import spell
from endgame_core.morris.rules import Variant
from endgame_tui.selection import Selection, Turn, stones_view
from endgame_tui.widgets.stones import Pitch, StonesView, paint

from .morris_host import Host, hosted, looking, mask, text, turn

FLYING = turn("c4 c3 d3", "d6 c5 f2 a1")
"""3-4, S25: the mockup."""

EACH_MILL = Variant(each_mill=True)
PITCHES = (Pitch(9, 5), Pitch(8, 4), Pitch(6, 3), Pitch(4, 2), Pitch(4, 1))
WAYS = ((0, -1), (0, 1), (-1, 0), (1, 0))
masks = st.integers(0, ALL)


class TestDirections:
    @pytest.mark.parametrize("flipped", [False, True])
    def test_lines_are_followed(self, flipped: bool) -> None:
        view = StonesView(flipped=flipped)
        for point in range(24):
            reached = {view.towards(point, *way) for way in WAYS}
            assert set(NEIGHBOURS[point]) <= reached
            for way in WAYS:
                if (there := view.towards(point, *way)) in NEIGHBOURS[point]:
                    assert view.towards(there, -way[0], -way[1]) == point

    @pytest.mark.parametrize(
        ("point", "way", "reached"),
        [
            ("d5", (0, 1), "d3"), ("c4", (1, 0), "e4"), ("b6", (-1, 0), "a7"), ("c5", (-1, 0), "b6"),
            ("a7", (0, -1), "a7"), ("g1", (1, 0), "g1"), ("a7", (1, 0), "d7"), ("d6", (0, 1), "d5"),
        ],
    )  # fmt: skip
    def test_without_a_line_the_nearest_point(self, point: str, way: tuple[int, int], reached: str) -> None:
        assert POINTS[StonesView().towards(NUMBERS[point], *way)] == reached


class TestPainting:
    def test_the_mockup_without_colour(self) -> None:
        chosen = FLYING.choose(FLYING.choose(Selection(), NUMBERS["c4"]).selection, NUMBERS["e3"]).selection
        assert text(FLYING, looking("none"), Pitch(6, 3), chosen).split("\n") == [
            "   ┌─────────────────┬─────────────────┐",
            "   │                 │                 │",
            "   │                 │                 │",
            "   │     ┌──────────×●×──────────┐     │",
            "   │     │           │           │     │",
            "   │     │           │           │     │",
            "   │     │    ×●×────┴─────┐     │     │",
            "   │     │     │           │     │     │",
            "   │     │     │           │     │     │",
            "   ├─────┼────(·)          ├─────┼─────┤",
            "   │     │     │           │     │     │",
            "   │     │     │           │     │     │",
            "   │     │    (○)━━━(○)━━━(◎)    │     │",
            "   │     │           │           │     │",
            "   │     │           │           │     │",
            "   │     └───────────┼──────────×●×    │",
            "   │                 │                 │",
            "   │                 │                 │",
            "  ×●×────────────────┴─────────────────┘",
        ]

    @pytest.mark.parametrize("theme", ["dark", "light", "none"])
    @pytest.mark.parametrize("ascii", [False, True])
    @given(masks, masks, st.integers(0, 23), st.sampled_from(PITCHES))
    @settings(max_examples=8)
    def test_every_state_can_be_told_without_hue(
        self, theme: str, ascii: bool, white: int, black: int, point: int, pitch: Pitch
    ) -> None:
        """Characters and lightness around a point differ from state to state, at every size, in every look."""
        look = looking(theme, ascii)
        white, black, bit = white & ~(1 << point), black & ~white & ~(1 << point), 1 << point
        empty, one, two = (white, black), (white | bit, black), (white, black | bit)
        views = [StonesView(stones) for stones in (empty, one, two)]
        for stones in (one, two):
            views.append(StonesView(stones, takeable=bit))
            views.append(StonesView(stones, picked=point))
            views.append(StonesView(stones, moved=point))
        views += [StonesView(empty, left=point), StonesView(empty, gone=(point,)), StonesView(empty, cursor=point)]
        seen: set[object] = set()
        for view in views:
            cells = paint(view, pitch, look)
            assert len(cells) == pitch.rows and {len(row) for row in cells} == {pitch.columns}
            seen.add(tuple((char, _lightness(style)) for row in cells for char, style in row))
        assert len(seen) == len(views)

    @given(masks, masks)
    @settings(max_examples=8)
    def test_ascii_is_ascii(self, white: int, black: int) -> None:
        view = StonesView((white, black & ~white), 3, 4, 5, 6, (7,), white, {}, (9, 9), 1)
        for pitch in PITCHES[:3]:
            assert all(char.isascii() for row in paint(view, pitch, looking(ascii=True)) for char, _ in row)

    def test_what_takes_no_step_is_not_drawn(self) -> None:
        view = stones_view(FLYING, Selection(NUMBERS["c4"]), None)
        assert set(view.labels) == set(points_of(ALL & ~mask("c4 c3 d3 d6 c5 f2 a1")))
        assert not view.takeable and view.picked == NUMBERS["c4"]


@cache
def _lightness(style: Any) -> tuple[int, int]:
    """Ink and paper without their hue."""

    def grey(colour: Any) -> int:
        if colour is None:
            return 0
        triplet = colour.get_truecolor()
        return round((0.2126 * triplet.red + 0.7152 * triplet.green + 0.0722 * triplet.blue) / 40)

    return grey(style.color), grey(style.bgcolor)


class TestSelection:
    def choose(self, here: Turn, *names: str) -> tuple[Selection, str, str]:
        chosen, move, refusal = Selection(), None, ""
        for name in names:
            step = here.choose(chosen, NUMBERS[name])
            chosen, move, refusal = step.selection, step.move, step.refusal
        return chosen, "" if move is None else spell(move), refusal

    @pytest.mark.parametrize(
        ("points", "move"),
        [
            ("c4 a4", "c4-a4"),
            ("c4 e3 d6", "c4-e3xd6"),
            ("d3 c3 e4", "c3-e4"),
            ("d6 e4", ""),
            ("c3 d3 c3 c4 e3 a1", "c4-e3xa1"),
        ],
    )
    def test_flying(self, points: str, move: str) -> None:
        assert self.choose(FLYING, *points.split())[1] == move

    def test_a_double_mill_while_placing_takes_two(self) -> None:
        here = turn("d7 g7 d6 d5 a1", "c3 e3 f2 b2", hands=(3, 3), variant=EACH_MILL)
        corner = turn("d7 g7 a4 a1", "c3 e3 f2 b2", hands=(3, 3), variant=EACH_MILL)
        assert self.choose(here, "a7", "c3")[1] == "a7xc3"
        chosen, move, _ = self.choose(corner, "a7", "c3")
        assert chosen.taken == (NUMBERS["c3"],) and not move
        assert corner.takeable(chosen) == mask("e3 f2 b2")
        assert self.choose(corner, "a7", "c3", "b2")[1] in ("a7xc3xb2", "a7xb2xc3")
        assert self.choose(corner, "a7", "c3", "c3")[2]
        assert chosen.back() == Selection(end=NUMBERS["a7"]) and chosen.back().back() == Selection()

    @pytest.mark.parametrize(
        ("points", "words"),
        [
            ("d6", "White is to move"), ("b2", "White is to move"), ("c4 d6", "occupied"),
            ("c4 e3 b2", "stone of Black to take"), ("c4 e3 c3", "stone of Black to take"),
        ],
    )  # fmt: skip
    def test_refusals(self, points: str, words: str) -> None:
        before = self.choose(FLYING, *points.split()[:-1])[0]
        chosen, move, refusal = self.choose(FLYING, *points.split())
        assert words in refusal and chosen == before and not move

    def test_refusals_while_sliding(self) -> None:
        here = turn("a7 d7 g7 a4 d6", "g4 f6 b6 d5")
        assert "no line joins them" in self.choose(here, "a4", "c3")[2]
        assert "cannot move" in self.choose(here, "g7")[2]

    def test_a_stone_in_a_mill_is_protected(self) -> None:
        here = turn("a7 d7 g4", "c3 d3 e3 b6")
        assert self.choose(here, "g4", "g7")[1] == "g4-g7xb6"
        more = turn("a7 d7 g4", "c3 d3 e3 b6 b4")
        assert "in a mill" in self.choose(more, "g4", "g7", "d3")[2]

    def test_placing_on_a_stone(self) -> None:
        here = turn("a7", "d7", hands=(8, 8))
        assert "occupied" in self.choose(here, "d7")[2] and self.choose(here, "g7")[1] == "g7"

    @given(st.data())
    @settings(max_examples=12)
    def test_every_move_can_be_chosen(self, data: st.DataObject) -> None:
        points = data.draw(st.permutations(range(24)))
        count, side, placing = data.draw(st.tuples(st.integers(3, 9), st.integers(0, 1), st.booleans()))
        white, black = (" ".join(POINTS[p] for p in some) for some in (points[:count], points[count : 2 * count]))
        here = turn(white, black, side, (2, 2) if placing else (0, 0), variant=EACH_MILL)
        for move in here.moves:
            chosen, made = Selection(), None
            for point in (*([] if move.source is None else [move.source]), move.end, *move.taken):
                step = here.choose(chosen, point)
                assert not step.refusal
                chosen, made = step.selection, step.move
                if made is not None:
                    break
            assert made == move and chosen == Selection()


class TestKeys:
    async def test_a_move_in_three_steps(self) -> None:
        async with hosted(FLYING, "c4") as (pilot, app):
            await pilot.press("enter")
            assert app.board.view.picked == NUMBERS["c4"]
            await pilot.press("right", "down", "enter")
            assert app.board.view.takeable == mask("d6 c5 f2 a1") and app.board.view.moved == NUMBERS["e3"]
            await pilot.press("up", "up", "left", "up", "space")
            assert app.made == ["c4-e3xd6"]

    async def test_escape_steps_back(self) -> None:
        async with hosted(FLYING, "c4") as (pilot, app):
            await pilot.press("enter", "l", "j", "enter", "escape")
            assert app.chosen == Selection(NUMBERS["c4"]) and app.board.view.stones == (FLYING.own, FLYING.other)
            await pilot.press("escape")
            assert app.chosen == Selection() and app.board.view.picked is None

    async def test_letters_walk_too(self) -> None:
        async with hosted(FLYING, "d5") as (pilot, app):
            for key, name in (("k", "d6"), ("h", "b6"), ("j", "b4"), ("l", "c4"), ("up", "c5"), ("left", "b6")):
                await pilot.press(key)
                assert POINTS[app.cursor] == name

    async def test_a_click_chooses(self) -> None:
        async with hosted(FLYING) as (pilot, app):
            for name in ("c4", "e3", "d6"):
                x, y = app.pitch.cell(*StonesView().place(NUMBERS[name]))
                await pilot.click("#board", offset=(x + 3, y))
            assert app.made == ["c4-e3xd6"]
            await pilot.click("#board", offset=(24, 9))
            assert not app.chosen.source and app.cursor == NUMBERS["d6"]

    async def test_a_move_of_the_cursor_repaints_little(self) -> None:
        async with hosted(FLYING, "c4") as (pilot, app):
            regions: list[Any] = []
            known = app.board.refresh
            app.board.refresh = lambda *r, **k: (regions.extend(r), known(*r, **k))[1]  # type: ignore[method-assign]
            await pilot.press("right")
            assert regions and sum(region.area for region in regions) <= 24


@pytest.mark.parametrize("pitch", PITCHES, ids=lambda pitch: f"{pitch.width}x{pitch.height}")
def test_the_mouse_finds_every_point(pitch: Pitch) -> None:
    for point in range(24):
        column, row = StonesView().place(point)
        x, y = pitch.cell(column, row)
        assert pitch.row_at(y) == row
        start, end = pitch.split()[column]
        assert start <= x < end
    assert pitch.row_at(-1) is None and pitch.row_at(pitch.rows) is None


BIG, MIDDLE, SMALL = ((120, 40), Pitch(9, 5)), ((80, 24), Pitch(6, 3)), ((40, 20), Pitch(4, 2))


def sizes(*some: tuple[tuple[int, int], Pitch]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize(("size", "pitch"), some, ids=[f"{size[0]}x{size[1]}" for size, _ in some])


class TestLooks:
    """What the pictures of the Explore screen do not show."""

    @sizes(BIG, MIDDLE)
    def test_a_stone_picked_up(self, snap_compare: Any, size: tuple[int, int], pitch: Pitch) -> None:
        host = Host(FLYING, looking(), pitch, "c4", rated=True)
        assert snap_compare(host, press=["enter", "right"], terminal_size=size)

    @sizes(MIDDLE, SMALL)
    def test_placing(self, snap_compare: Any, size: tuple[int, int], pitch: Pitch) -> None:
        here = turn("a7 d7 d6", "g7 b4", 1, (6, 7))
        assert snap_compare(Host(here, looking(), pitch, "d3"), terminal_size=size)

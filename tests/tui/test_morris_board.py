"""The Morris board: every key, the mouse, messages and looks."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from textual import on
from textual.app import App, ComposeResult
from textual.color import Color
from textual.pilot import Pilot

from endgame_core.morris.geometry import ALL, NEIGHBOURS, NUMBERS, POINTS, points_of
from endgame_core.morris.notation import spell
from endgame_core.morris.rules import MorrisMove, Position, moves
from endgame_tui.face_stones import StonesFace, StonesLayout, StonesMoveInput, StonesView, paint
from endgame_tui.faces import InputStep, Label, PositionView
from endgame_tui.look import ASCII, DARK, LIGHT, UNICODE, Look, StylePalette
from endgame_tui.widgets.board import MoveBoard

from .terminal_text import rows, within

PITCHES = (StonesLayout(9, 5), StonesLayout(8, 4), StonesLayout(6, 3), StonesLayout(4, 2), StonesLayout(4, 1))
WAYS = ((0, -1), (0, 1), (-1, 0), (1, 0))
masks = st.integers(0, ALL)
FACE = StonesFace()


def mask(names: str) -> int:
    return sum(1 << NUMBERS[name] for name in names.split())


class Turn:
    """A position with all its moves, and a hand that enters them."""

    def __init__(self, white: str, black: str, side: int = 0, hands: tuple[int, int] = (0, 0)) -> None:
        self.position = Position(mask(white), mask(black), side, hands)
        self.moves: tuple[MorrisMove, ...] = tuple(moves(self.position))

    def choose(self, *names: str) -> tuple[StonesMoveInput, InputStep]:
        """What choosing these points one after the other leads to."""
        hand, step = StonesMoveInput(), InputStep()
        for name in names:
            step = hand.choose(self.position, self.moves, NUMBERS[name])
        return hand, step

    def picture(self, hand: StonesMoveInput | None = None, **view: Any) -> StonesView:
        """How it is shown."""
        return FACE.board_view(self.position, self.moves, PositionView(move_input=hand, **view))


FLYING = Turn("c4 c3 d3", "d6 c5 f2 a1")
"""3-4, S25: the mockup."""


def looking(theme: str = "dark", ascii: bool = False) -> Look:
    colours = {"dark": DARK, "light": LIGHT, "none": None}[theme]
    return Look(StylePalette(colours), ASCII if ascii else UNICODE)


class Host(App[None]):
    """Shows one position, and remembers the moves that are made."""

    CSS = "Screen { layout: vertical; } MoveBoard { width: 1fr; height: 1fr; }"

    def __init__(self, here: Turn, pitch: StonesLayout, cursor: str = "a1", *, rated: bool = False) -> None:
        super().__init__()
        self.look, self.here, self.pitch, self.first = looking(), here, pitch, NUMBERS[cursor]
        self.made: list[str] = []
        self.rated = [(move, Label(f"S{24 + 2 * n}", n == 0)) for n, move in enumerate(here.moves) if rated]

    def compose(self) -> ComposeResult:
        yield MoveBoard(FACE, id="board")

    def on_mount(self) -> None:
        ground = self.look.palette("text").bgcolor
        assert ground is not None
        self.screen.styles.background = Color.from_rich_color(ground)
        board = self.query_one(MoveBoard)
        board.resize(self.pitch, 4 if self.pitch.large else 3)
        board.show(self.here.position, self.here.moves, PositionView(cursor=0, rated_moves=self.rated, show_all=True))
        board.move_cursor(self.first)
        board.focus()

    @on(MoveBoard.Touched)
    def moved(self, event: MoveBoard.Touched) -> None:
        self.made += map(spell, event.step.moves)

    def on_key(self, event: object) -> None:
        if getattr(event, "key", "") == "escape":
            self.query_one(MoveBoard).unpick()


@asynccontextmanager
async def hosted(here: Turn, cursor: str = "a1") -> AsyncIterator[tuple[Pilot[None], Host]]:
    app = Host(here, StonesLayout(6, 3), cursor)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        yield pilot, app


def at(pilot: Pilot[None], name: str, wide: int = 1) -> str:
    """What is printed on a point, and so many columns beside it."""
    x, y = StonesLayout(6, 3).cell(*StonesView().column_and_row(NUMBERS[name]))
    return rows(pilot)[y].ljust(80)[3 + x - wide : 3 + x + wide + 1]


def text(here: Turn, look: Look, pitch: StonesLayout, hand: StonesMoveInput | None = None) -> str:
    """The board as plain text."""
    painted = paint(here.picture(hand), pitch, look).cells
    return "\n".join("".join(char for char, _ in row).rstrip() for row in painted)


class TestDirections:
    @pytest.mark.parametrize("flipped", [False, True])
    def test_the_cursor_follows_the_lines_both_ways(self, flipped: bool) -> None:
        view = StonesView(flipped=flipped)
        for point in range(24):
            reached = {view.neighbour(point, *way) for way in WAYS}
            assert set(NEIGHBOURS[point]) <= reached
            for way in WAYS:
                if (there := view.neighbour(point, *way)) in NEIGHBOURS[point]:
                    assert view.neighbour(there, -way[0], -way[1]) == point

    @pytest.mark.parametrize(
        ("point", "way", "reached"),
        [
            ("d5", (0, 1), "d3"), ("c4", (1, 0), "e4"), ("b6", (-1, 0), "a7"), ("c5", (-1, 0), "b6"),
            ("a7", (0, -1), "a7"), ("g1", (1, 0), "g1"), ("a7", (1, 0), "d7"), ("d6", (0, 1), "d5"),
        ],
    )  # fmt: skip
    def test_without_a_line_the_cursor_goes_to_the_nearest_point(
        self, point: str, way: tuple[int, int], reached: str
    ) -> None:
        assert POINTS[StonesView().neighbour(NUMBERS[point], *way)] == reached


class TestPainting:
    def test_the_board_without_colour_equals_the_mockup(self) -> None:
        hand, _ = FLYING.choose("c4", "e3")
        assert text(FLYING, looking("none"), StonesLayout(6, 3), hand).split("\n") == [
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
    def test_every_state_is_distinguishable_without_hue(
        self, theme: str, ascii: bool, white: int, black: int, point: int, pitch: StonesLayout
    ) -> None:
        """Characters and lightness around a point differ from state to state, at every size, in every look."""
        look = looking(theme, ascii)
        white, black, bit = white & ~(1 << point), black & ~white & ~(1 << point), 1 << point
        empty, one, two = (white, black), (white | bit, black), (white, black | bit)
        views = [StonesView(stones) for stones in (empty, one, two)]
        for stones in (one, two):
            views.append(StonesView(stones, takeable=bit))
            views.append(StonesView(stones, picked_point=point))
            views.append(StonesView(stones, destination=point))
        views += [
            StonesView(empty, origin=point),
            StonesView(empty, captured=(point,)),
            StonesView(empty, cursor=point),
        ]
        seen: set[object] = set()
        for view in views:
            cells = paint(view, pitch, look).cells
            assert len(cells) == pitch.rows and {len(row) for row in cells} == {pitch.columns}
            seen.add(tuple((char, _lightness(style)) for row in cells for char, style in row))
        assert len(seen) == len(views)

    @given(masks, masks)
    @settings(max_examples=8)
    def test_ascii_boards_hold_ascii_only(self, white: int, black: int) -> None:
        view = StonesView((white, black & ~white), 3, 4, 8, 5, 6, (7,), white, {}, (9, 9), 1)
        for pitch in PITCHES[:3]:
            assert all(char.isascii() for row in paint(view, pitch, looking(ascii=True)).cells for char, _ in row)

    def test_points_without_a_step_are_not_marked(self) -> None:
        view = FLYING.picture(FLYING.choose("c4")[0])
        assert set(view.labels) == set(points_of(ALL & ~mask("c4 c3 d3 d6 c5 f2 a1")))
        assert not view.takeable and view.picked_point == NUMBERS["c4"]


@cache
def _lightness(style: Any) -> tuple[int, int]:
    """Ink and paper without their hue."""

    def grey(colour: Any) -> int:
        if colour is None:
            return 0
        triplet = colour.get_truecolor()
        return round((0.2126 * triplet.red + 0.7152 * triplet.green + 0.0722 * triplet.blue) / 40)

    return grey(style.color), grey(style.bgcolor)


class TestTheHand:
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
    def test_a_flying_stone_may_go_anywhere(self, points: str, move: str) -> None:
        assert "".join(map(spell, FLYING.choose(*points.split())[1].moves)) == move

    def test_a_double_mill_while_placing_takes_one(self) -> None:
        corner = Turn("d7 g7 a4 a1", "c3 e3 f2 b2", hands=(3, 3))
        assert spell(corner.choose("a7", "c3")[1].moves[0]) == "a7xc3"
        hand, step = corner.choose("a7")
        assert hand.endpoints == (None, NUMBERS["a7"]) and not step.moves
        assert set(hand.takeable_points(corner.moves)) == set(points_of(mask("c3 e3 f2 b2")))
        assert corner.choose("a7", "d7")[1].refusal
        assert hand.notation == "a7" and hand.is_taking
        assert hand.undo_choice() == NUMBERS["a7"] and hand.is_empty

    @pytest.mark.parametrize(
        ("points", "words"),
        [
            ("d6", "White is to move"), ("b2", "White is to move"), ("c4 d6", "occupied"),
            ("c4 e3 b2", "choose one of Black's stones to take"), ("c4 e3 c3", "choose one of Black's stones to take"),
        ],
    )  # fmt: skip
    def test_a_wrong_choice_is_refused_with_a_reason(self, points: str, words: str) -> None:
        before = FLYING.choose(*points.split()[:-1])[0]
        hand, step = FLYING.choose(*points.split())
        assert words in step.refusal and hand.endpoints == before.endpoints and not step.moves

    def test_a_sliding_stone_must_follow_a_line(self) -> None:
        here = Turn("a7 d7 g7 a4 d6", "g4 f6 b6 d5")
        assert "no line connects them" in here.choose("a4", "c3")[1].refusal
        assert "cannot move" in here.choose("g7")[1].refusal

    def test_a_stone_in_a_mill_is_protected(self) -> None:
        here = Turn("a7 d7 g4", "c3 d3 e3 b6")
        assert spell(here.choose("g4", "g7")[1].moves[0]) == "g4-g7xb6"
        more = Turn("a7 d7 g4", "c3 d3 e3 b6 b4")
        assert "in a mill" in more.choose("g4", "g7", "d3")[1].refusal

    def test_placing_a_stone_on_another_is_refused(self) -> None:
        here = Turn("a7", "d7", hands=(8, 8))
        assert "occupied" in here.choose("d7")[1].refusal and spell(here.choose("g7")[1].moves[0]) == "g7"

    def test_a_typed_move_may_omit_the_captured_stone(self) -> None:
        hand = StonesMoveInput()
        assert hand.begin_typed(FLYING.moves, "C4–e3") and hand.notation == "c4-e3" and hand.is_taking
        assert hand.complete("d6") == hand.complete(" XD6") == "c4-e3xd6" and hand.complete("c4-e3") == "c4-e3"
        assert not hand.begin_typed(FLYING.moves, "c4-a4")
        assert StonesMoveInput().complete("d6") == "d6"

    @given(st.data())
    @settings(max_examples=12)
    def test_every_move_can_be_chosen(self, data: st.DataObject) -> None:
        points = data.draw(st.permutations(range(24)))
        count, side, placing = data.draw(st.tuples(st.integers(3, 9), st.integers(0, 1), st.booleans()))
        white, black = (" ".join(POINTS[p] for p in some) for some in (points[:count], points[count : 2 * count]))
        here = Turn(white, black, side, (2, 2) if placing else (0, 0))
        for move in here.moves:
            hand, made = StonesMoveInput(), ()
            for point in (*([] if move.source is None else [move.source]), move.end, *move.captured):
                step = hand.choose(here.position, here.moves, point)
                assert not step.refusal
                if made := step.moves:
                    break
            assert made == (move,) and hand.is_empty


class TestKeys:
    async def test_a_mill_is_chosen_in_three_steps(self) -> None:
        async with hosted(FLYING, "c4") as (pilot, app):
            await pilot.press("enter")
            await pilot.pause()
            assert at(pilot, "c4", 2) == "[▸○◂]"
            await pilot.press("right", "down", "enter")
            await pilot.pause()
            assert "×" in at(pilot, "c5") and "×" in at(pilot, "a1") and "◎" in at(pilot, "e3")
            await pilot.press("space")
            await pilot.pause()
            assert len(app.made) == 1 and app.made[0].startswith("c4-e3x"), "the cursor was on one that may be taken"

    async def test_escape_undoes_one_choice(self) -> None:
        async with hosted(FLYING, "c4") as (pilot, _):
            before = within(pilot, "#board")
            await pilot.press("enter", "l", "j", "enter", "escape")
            await pilot.pause()
            assert "▸" in at(pilot, "c4") and "◎" not in at(pilot, "e3")
            await pilot.press("escape", "up", "left")
            await pilot.pause()
            assert "▸" not in at(pilot, "c4")
            assert [row.count("●") for row in within(pilot, "#board")] == [row.count("●") for row in before]

    async def test_h_j_k_and_l_move_the_cursor(self) -> None:
        async with hosted(FLYING, "d5") as (pilot, _):
            for key, name in (("k", "d6"), ("h", "b6"), ("j", "b4"), ("l", "c4"), ("up", "c5"), ("left", "b6")):
                await pilot.press(key)
                await pilot.pause()
                assert at(pilot, name, 2)[0] == "[" and at(pilot, name, 2)[-1] == "]"

    async def test_clicks_choose_stone_goal_and_capture(self) -> None:
        async with hosted(FLYING) as (pilot, app):
            for name in ("c4", "e3", "d6"):
                x, y = app.pitch.cell(*StonesView().column_and_row(NUMBERS[name]))
                await pilot.click("#board", offset=(x + 3, y))
            await pilot.pause()
            assert app.made == ["c4-e3xd6"]
            before = rows(pilot)
            await pilot.click("#board", offset=(24, 9))
            await pilot.pause()
            assert rows(pilot) == before, "between two points nothing is chosen"

    async def test_a_move_of_the_cursor_repaints_little(self) -> None:
        async with hosted(FLYING, "c4") as (pilot, app):
            regions: list[Any] = []
            board = app.query_one(MoveBoard)
            known = board.refresh
            board.refresh = lambda *r, **k: (regions.extend(r), known(*r, **k))[1]  # type: ignore[method-assign]
            await pilot.press("right")
            await pilot.pause()
            assert regions and sum(region.area for region in regions) <= 24


@pytest.mark.parametrize("pitch", PITCHES, ids=lambda pitch: f"{pitch.width}x{pitch.height}")
def test_the_mouse_finds_every_point(pitch: StonesLayout) -> None:
    for point in range(24):
        column, row = StonesView().column_and_row(point)
        x, y = pitch.cell(column, row)
        assert pitch.row_at(y) == row
        start, end = pitch.split()[column]
        assert start <= x < end
    assert pitch.row_at(-1) is None and pitch.row_at(pitch.rows) is None


BIG, MIDDLE = ((120, 40), StonesLayout(9, 5)), ((80, 24), StonesLayout(6, 3))


def sizes(*some: tuple[tuple[int, int], StonesLayout]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize(("size", "pitch"), some, ids=[f"{size[0]}x{size[1]}" for size, _ in some])


class TestLooks:
    """What the pictures of the Explore screen do not show."""

    @sizes(BIG)
    def test_a_stone_picked_up(self, snap_compare: Any, size: tuple[int, int], pitch: StonesLayout) -> None:
        host = Host(FLYING, pitch, "c4", rated=True)
        assert snap_compare(host, press=["enter", "right"], terminal_size=size)

    @sizes(MIDDLE)
    def test_look_while_placing(self, snap_compare: Any, size: tuple[int, int], pitch: StonesLayout) -> None:
        here = Turn("a7 d7 d6", "g7 b4", 1, (6, 7))
        assert snap_compare(Host(here, pitch, "d3"), terminal_size=size)


def test_the_best_move_of_another_stone_than_the_one_looked_at_is_marked() -> None:
    looked = next(move for move in FLYING.moves if move.source == NUMBERS["c4"] and not move.captured)
    better = next(move for move in FLYING.moves if move.source == NUMBERS["c3"] and not move.captured)
    view = FLYING.picture(reviewed_move=looked, rated_moves=[(better, Label("S3", True)), (looked, Label("S9"))])
    assert view.picked_point == NUMBERS["c4"] and view.better_point == NUMBERS["c3"]
    assert view.labels[better.end] == Label("S3", True)
    plain = "\n".join(
        "".join(char for char, _ in row) for row in paint(view, StonesLayout(6, 3), looking(ascii=True)).cells
    )
    assert plain.count(">") == 2

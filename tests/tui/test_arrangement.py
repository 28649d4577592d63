"""Where panels stand, and how groups of moves share rows, at every size."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.geometry import Region

from endgame_tui.screens.explore_plan import plan
from endgame_tui.widgets.groups import Group, arrange

sizes = st.tuples(st.integers(20, 220), st.integers(8, 70))


@given(sizes, st.booleans(), st.booleans())
def test_no_panel_covers_another_or_leaves_the_screen(size: tuple[int, int], colour: bool, strip: bool) -> None:
    width, height = size
    made = plan(width, height, half_rows=colour, drawn=colour, strip=strip)
    screen = Region(0, 0, width, height)
    regions = [region for region in made.regions.values() if region.area]
    for number, region in enumerate(regions):
        board = made.regions.get("board", region)
        assert board.width > width or screen.contains_region(region.crop_size((width, height)))
        for other in regions[number + 1 :]:
            assert not region.overlaps(other) or board.right > width


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        ((80, 24), {"verdict": (38, 1), "layers": (38, 3), "moves": (59, 3), "before": (59, 15), "fen": (0, 22)}),
        ((120, 40), {"verdict": (71, 2), "layers": (71, 4), "moves": (100, 4), "before": (71, 28), "line": (0, 37)}),
        ((40, 20), {"board": (0, 1), "moves": (35, 1), "keys": (0, 19)}),
    ],
)
def test_places_of_the_design(size: tuple[int, int], expected: dict[str, tuple[int, int]]) -> None:
    regions = plan(*size, half_rows=True, drawn=True, strip=False).regions
    assert {name: (regions[name].x, regions[name].y) for name in expected} == expected


groups = st.lists(st.integers(1, 30), min_size=1, max_size=9).map(
    lambda counts: [
        Group(f"S{n}", "best" if not n else "later", "text", tuple(f"Q{i:02}" for i in range(count)), best=not n)
        for n, count in enumerate(counts)
    ]
)


@given(groups, st.integers(2, 40), st.data())
def test_the_cursor_is_always_in_sight(found: list[Group], height: int, data: st.DataObject) -> None:
    total = sum(len(group.moves) for group in found)
    cursor = data.draw(st.integers(0, total - 1))
    pieces = arrange(found, cursor, 18, height)
    assert len(pieces) <= height
    assert any(piece.first <= cursor < piece.first + len(piece.names) for piece in pieces)


def test_everything_is_shown_where_there_is_room() -> None:
    group = Group("S18", "best", "win", tuple(f"Q{n:02}" for n in range(22)), best=True)
    assert sum(len(piece.names) for piece in arrange([group], 0, 18, 50)) == 22

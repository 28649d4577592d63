"""Where panels stand on the Practise and Drill screens, and how layers share columns, at every size."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.geometry import Region

from endgame_tui.screens import drill_plan, practise_plan
from endgame_tui.screens.board_plan import board_size

sizes = st.tuples(st.integers(20, 220), st.integers(8, 70))


def apart(regions: dict[str, Region], size: tuple[int, int]) -> None:
    """No region covers another, and all are on the screen."""
    found = [(name, region) for name, region in regions.items() if region.area]
    screen = Region(0, 0, *size)
    for number, (name, region) in enumerate(found):
        assert screen.contains_region(region) or name in ("board", "comment"), name
        for other, beside in found[number + 1 :]:
            assert not region.overlaps(beside) or size[1] < 14 or size[0] < 40, (name, other)


@given(sizes, st.booleans(), st.integers(1, 4), st.booleans(), st.booleans())
def test_practise(size: tuple[int, int], strip: bool, rows: int, window: bool, list_first: bool) -> None:
    apart(practise_plan.plan(*size, strip=strip, rows=rows, window=window, list_first=list_first), size)


games = st.sampled_from(["chess", "morris"])


@given(sizes, st.booleans(), st.booleans(), st.sampled_from(["drill", "summary"]), games)
def test_drill(size: tuple[int, int], colour: bool, strip: bool, kind: str, game: str) -> None:
    made = drill_plan.plan(*size, board_size(game, *size, colour), strip=strip)
    wanted = {*drill_plan.PANELS[kind], "top", "keys", "strip"} | (set() if made.small else {"board"})
    apart({name: region for name, region in made.regions.items() if name in wanted}, size)


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        ((80, 24), {"courses": (0, 3, 43), "setup": (46, 3, 33), "window": (46, 9, 33), "keys": (0, 23, 80)}),
        ((120, 40), {"courses": (0, 3, 63), "setup": (67, 3, 52), "board": (0, 21, 35), "modes": (67, 30, 52)}),
        ((40, 20), {"courses": (0, 2, 40), "keys": (0, 19, 40)}),
    ],
)
def test_places_of_the_design(size: tuple[int, int], expected: dict[str, tuple[int, int, int]]) -> None:
    regions = practise_plan.plan(*size, strip=False, rows=3, window=True, list_first=True)
    assert {name: (regions[name].x, regions[name].y, regions[name].width) for name in expected} == expected


@pytest.mark.parametrize(
    ("game", "size", "expected"),
    [
        ("chess", (80, 24), {"board": (0, 1), "title": (38, 1), "ticks": (38, 3), "facts": (38, 5), "score": (38, 10)}),
        ("chess", (120, 40), {"board": (0, 2), "title": (71, 2), "comment": (1, 36)}),
        ("chess", (40, 20), {"board": (0, 1), "comment": (0, 18), "score": (35, 1)}),
        ("morris", (80, 24), {"board": (0, 1), "title": (49, 1), "score": (49, 10), "comment": (1, 21)}),
        ("morris", (120, 40), {"board": (0, 2), "title": (73, 2), "comment": (1, 36)}),
        ("morris", (40, 20), {"board": (0, 1), "comment": (0, 15), "score": (32, 1)}),
    ],
)
def test_places_of_the_drill(game: str, size: tuple[int, int], expected: dict[str, tuple[int, int]]) -> None:
    regions = drill_plan.plan(*size, board_size(game, *size, True), strip=False).regions
    assert {name: (regions[name].x, regions[name].y) for name in expected} == expected

"""On every screen: no key and no palette entry is lost, and at no size does a part leave it or cover another."""

from __future__ import annotations

from contextlib import aclosing
from pathlib import Path

import pytest
from textual.screen import Screen

from . import keys_inventory
from .terminal_text import rows

FEW = ((40, 20), (80, 24))
"""Sizes of the fast suite."""
SIZES = ((40, 20), (34, 16), (75, 21), (76, 22), (99, 29), (100, 30), (120, 40), (160, 50))
TINY = ((20, 8), (30, 10), (24, 40), (120, 9))
"""Too small to show all, but not to go on."""


def covering(screen: Screen[object]) -> list[str]:
    """Pairs of widgets that draw on the same cells, and widgets that leave the terminal."""
    leaves = [widget for widget in screen.query("*") if not list(widget.children) and widget.is_on_screen]
    regions = [(repr(widget), screen.find_widget(widget).visible_region) for widget in leaves]
    regions = [(name, region) for name, region in regions if region.area]
    found = [f"{name} leaves" for name, region in regions if not screen.region.contains_region(region)]
    for number, (name, one) in enumerate(regions):
        found += [f"{name} and {other}" for other, region in regions[number + 1 :] if one.overlaps(region)]
    return found


EXPECTED = keys_inventory.read()


@pytest.mark.exhaustive
@pytest.mark.parametrize("sizes", [FEW, pytest.param((*SIZES, *TINY), marks=pytest.mark.slow)], ids=len)
@pytest.mark.parametrize(("start", "walked"), keys_inventory.walks(), ids=lambda found: "+".join(found)[:60])
async def test_no_key_is_lost_and_nothing_covers_anything(
    start: str, walked: dict[str, tuple[str, ...]], sizes: tuple[tuple[int, int], ...], tmp_path: Path
) -> None:
    names = iter(walked)
    async with aclosing(keys_inventory.walk(tmp_path / "data", start, walked.values())) as walk:
        async for pilot, offered in walk:
            name = next(names)
            assert offered == EXPECTED[name], name
            for size in sizes:
                await pilot.resize_terminal(*size)
                await pilot.pause()
                assert not (found := covering(pilot.app.screen)) or size in TINY, (name, size, found)
                assert all(len(row.replace("\ufe0e", "")) <= size[0] for row in rows(pilot)), (name, size)
                if size not in TINY:
                    assert rows(pilot)[0].strip() and rows(pilot)[-1].strip(), (name, size)
    assert next(names, None) is None


def test_the_walks_come_to_every_place() -> None:
    assert sorted(name for _, walked in keys_inventory.walks() for name in walked) == sorted(EXPECTED)

"""Where everything stands, on every screen at every size: inside the terminal, and nothing over anything else."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.screen import Screen

from endgame_tui.app import EndgameApp

from .keys_inventory import places
from .printed import rows, settle

SIZES = ((40, 20), (34, 16), (75, 21), (76, 22), (80, 24), (99, 29), (100, 30), (120, 40), (160, 50))
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


@pytest.mark.parametrize(("name", "start", "keys"), places(), ids=lambda value: str(value)[:30])
async def test_nothing_covers_anything(name: str, start: str, keys: tuple[str, ...], tmp_path: Path) -> None:
    app = EndgameApp(start, tmp_path / "data", ascii=False)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        for key in keys:
            await pilot.press(key)
            await settle(pilot)
        for size in (*SIZES, *TINY):
            await pilot.resize_terminal(*size)
            await pilot.pause()
            assert not (found := covering(app.screen)) or size in TINY, (name, size, found)
            assert all(len(row.replace("\ufe0e", "")) <= size[0] for row in rows(pilot))
            if size not in TINY:
                assert rows(pilot)[0].strip() and rows(pilot)[-1].strip(), (name, size)

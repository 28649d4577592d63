"""No key and no entry of the palette is lost; see :mod:`tests.tui.keys_inventory`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tui import keys_inventory

EXPECTED = keys_inventory.read()


@pytest.mark.parametrize(("name", "start", "keys"), keys_inventory.places(), ids=lambda value: str(value)[:30])
async def test_the_same_keys(name: str, start: str, keys: tuple[str, ...], tmp_path: Path) -> None:
    assert await keys_inventory.seen(tmp_path / "data", start, keys) == EXPECTED[name]

"""How the editor of stones looks. After a wanted change: ``pytest --snapshot-update``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from endgame_core.tables.disk import DiskSpace
from endgame_core.tables.explorer import Explorer
from endgame_core.tables.plan import BuildPlanner
from endgame_tui.app import EndgameApp

from .key_walk import MILL
from .test_snapshots import _estimate

size = pytest.mark.parametrize("size", [(80, 24), (40, 20)], ids=lambda s: f"{s[0]}x{s[1]}")


@pytest.fixture
def app(morris: Explorer[Any, Any], monkeypatch: pytest.MonkeyPatch) -> Any:
    """Opens the app on tables up to 4-4, where disk and prices are always the same."""
    monkeypatch.setattr(DiskSpace, "free_bytes", lambda self: 12_000_000_000)
    monkeypatch.setattr(DiskSpace, "used_bytes", lambda self: 400_000)
    monkeypatch.setattr(BuildPlanner, "estimate", _estimate)
    monkeypatch.delenv("NO_COLOR", raising=False)

    def make(text: str = MILL, ascii: bool = False, root: Path = morris.library.root) -> EndgameApp:
        return EndgameApp(text, root, ascii)

    return make


class TestEditor:
    @size
    def test_look_of_a_begun_position(self, app: Any, snap_compare: Any, size: tuple[int, int]) -> None:
        assert snap_compare(app(), press=["E", "down", "right_square_bracket", "i"], terminal_size=size)

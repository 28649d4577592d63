"""How every screen looks. After a wanted change: ``pytest tests/tui --snapshot-update``, and look at the pictures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from endgame_core.game import Cost
from endgame_core.tables.disk import DiskSpace
from endgame_core.tables.plan import BuildPlanner
from endgame_tui.app import EndgameApp

SEVEN = "8/7K/5k2/8/8/4Q3/8/8 w - - 0 1"
SIZES = [(80, 24), (120, 40), (40, 20)]
size = pytest.mark.parametrize("size", SIZES, ids=lambda s: f"{s[0]}x{s[1]}")


def _estimate(planner: BuildPlanner, ending: str, memory: int | None = None) -> Cost:
    """Prices that new measurements do not move."""
    slots = planner.game.index.slots(ending)
    return Cost(slots * 2e-8, slots // 3, 200_000_000 + 3 * slots)


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Opens the app on an empty data directory, where disk and prices are always the same."""
    monkeypatch.setattr(DiskSpace, "free_bytes", lambda self: 12_000_000_000)
    monkeypatch.setattr(BuildPlanner, "estimate", _estimate)
    monkeypatch.delenv("NO_COLOR", raising=False)

    def make(fen: str | None = None, ascii: bool = False, root: Path | None = None) -> EndgameApp:
        return EndgameApp(fen, root or tmp_path / "data", ascii)

    return make


class TestHelp:
    @size
    def test_look_of_the_help(self, app: Any, snap_compare: Any, size: tuple[int, int]) -> None:
        assert snap_compare(app(), press=["question_mark"], terminal_size=size)

"""How the three clocks, layers by DTZ and the tables of both metrics look; see :mod:`tests.tui.test_snapshots`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from endgame_core.chess.syzygy import SyzygyFile, SyzygyTable
from endgame_core.game import Cost
from endgame_core.tables.plan import BuildPlanner
from endgame_tui.app import EndgameApp

from .terminal_text import settle

CURSED = "8/8/8/8/4k3/8/8/3RK3 w - - 80 1"
BLESSED = "8/8/8/8/4k3/8/8/3RK3 b - - 80 1"
QUEEN = "8/8/8/8/1k2r3/8/2K5/3Q4 w - - 0 1"
PAWN = "8/K6k/1P6/8/8/8/8/8 w - - 97 1"
SIZES = [(80, 24), (120, 40)]


@pytest.fixture
def shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, snap_compare: Any, same_everywhere: None
) -> Callable[..., bool]:
    """Compares a picture, with the same price of every build."""
    monkeypatch.setattr(BuildPlanner, "estimate", lambda self, ending, memory=None: Cost(0.4, 70_000, 300_000_000))

    def compare(
        fen: str | None, keys: list[str], size: tuple[int, int], root: Path | None = None, ascii: bool = False
    ) -> bool:
        async def run(pilot: Any) -> None:
            await pilot.press(*keys)
            await settle(pilot)

        return snap_compare(EndgameApp(fen, root or tmp_path / "data", ascii), run_before=run, terminal_size=size)

    return compare


class TestPlay:
    @pytest.mark.slow
    def test_look_of_play_with_both_metrics(self, shows: Any) -> None:
        assert shows(CURSED, ["3", "enter", "v"], (80, 24))

    @pytest.mark.slow
    def test_look_of_play_by_dtz_alone(self, shows: Any, by_dtz: Path) -> None:
        assert shows(QUEEN, ["3", "enter", "v"], (80, 24), by_dtz)


class _Files:
    """Such Syzygy files as nobody has to have."""

    def __init__(self) -> None:
        self.left_out: dict[Path, Exception] = {}

        def file(name: str, size: int) -> SyzygyFile:
            return SyzygyFile(Path(name), size)

        self.tables = [
            SyzygyTable("KQvK", file("KQvK.rtbw", 1104), file("KQvK.rtbz", 5200)),
            SyzygyTable("KRvK", file("KRvK.rtbw", 1104), None),
            SyzygyTable("KQvKR", file("KQvKR.rtbw", 20_000), file("KQvKR.rtbz", 309_000)),
        ]

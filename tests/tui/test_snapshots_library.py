"""How the Library and the Syzygy files look. After a wanted change: ``pytest tests/tui --snapshot-update``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from endgame_core.game import Cost
from endgame_core.morris.rules import MorrisMove, Position
from endgame_core.tables.disk import DiskSpace
from endgame_core.tables.explorer import Explorer
from endgame_core.tables.library import Library
from endgame_core.tables.plan import BuildPlanner
from endgame_tui.app import EndgameApp

from .terminal_text import settle


def _estimate(planner: BuildPlanner, ending: str, memory: int | None = None) -> Cost:
    """Prices that new measurements do not move."""
    slots = planner.game.index.slots(ending)
    return Cost(slots * 2e-8, slots // 3, 200_000_000 + 3 * slots)


@pytest.fixture
def shot(tmp_path: Path, snap_compare: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Opens the Library where disk and prices are always the same, presses keys, and compares."""
    monkeypatch.setattr(DiskSpace, "free_bytes", lambda self: 12_000_000_000)
    monkeypatch.setattr(DiskSpace, "used_bytes", lambda self: 5_000_000)
    monkeypatch.setattr(BuildPlanner, "estimate", _estimate)
    monkeypatch.delenv("NO_COLOR", raising=False)

    def compare(
        size: tuple[int, int], *keys: str, root: Path | None = None, plain: bool = False, syzygy: str | None = None
    ) -> bool:
        if plain:
            monkeypatch.setenv("NO_COLOR", "1")
        app = EndgameApp(None, root or tmp_path / "data", ascii=plain, syzygy=syzygy)

        async def drive(pilot: Any) -> None:
            for key in ("2", *keys):
                await pilot.press(key)
                await settle(pilot)

        return snap_compare(app, run_before=drive, terminal_size=size)

    return compare


def test_look_at_first_launch(shot: Any) -> None:
    assert shot((80, 24))


@pytest.mark.slow
def test_look_with_tables(shot: Any, library: Library) -> None:
    assert shot((120, 40), "slash", *"KBNvK", "enter", root=library.root)


def test_pawns_by_dtz_without_colour_or_unicode(shot: Any) -> None:
    assert shot((40, 20), "slash", *"KPPvKP", "enter", "z", plain=True)


def test_look_with_morris(shot: Any, morris: Explorer[Position, MorrisMove]) -> None:
    assert shot((80, 24), "G", root=morris.library.root)


@pytest.mark.slow
def test_look_of_syzygy_files(shot: Any, syzygy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(syzygy.parent)
    assert shot((80, 24), "y", "V", "down", syzygy=syzygy.name)

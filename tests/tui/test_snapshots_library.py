"""How the Library and the Syzygy files look. After a wanted change: ``pytest tests/tui --snapshot-update``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from endgame_core.morris.rules import MorrisMove, Position
from endgame_core.tables.explorer import Explorer
from endgame_core.tables.library import Library
from endgame_tui.app import EndgameApp

from .terminal_text import settle


@pytest.fixture
def shot(tmp_path: Path, snap_compare: Any, monkeypatch: pytest.MonkeyPatch, same_everywhere: None) -> Any:
    """Opens the Library, presses keys, and compares."""

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

"""How Progress, the attempts and the replay look, with a seeded journal at a frozen noon.

After a wanted change: ``pytest tests/tui --snapshot-update``, and look at the pictures.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from endgame_core.tables.library import Library
from endgame_tui.app import EndgameApp
from tests.tui.seeded_journal import NOW, seed

from .terminal_text import settle


@pytest.fixture
def shot(tmp_path: Path, library: Library, snap_compare: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Opens Progress with the seeded journal, presses keys, and compares."""
    monkeypatch.delenv("NO_COLOR", raising=False)

    def compare(size: tuple[int, int], *keys: str, plain: bool = False, seeded: bool = True) -> bool:
        root = tmp_path / "data"
        root.mkdir()
        (root / "tables").symlink_to(library.root / "tables")
        if seeded:
            seed(root)
        if plain:
            monkeypatch.setenv("NO_COLOR", "1")
        app = EndgameApp(None, root, ascii=plain)
        app.lab.journal.clock = lambda: NOW

        async def drive(pilot: Any) -> None:
            for key in ("5", *keys):
                await pilot.press(key)
                await settle(pilot)

        return snap_compare(app, run_before=drive, terminal_size=size)

    return compare


class TestProgress:
    @pytest.mark.parametrize("size", [(80, 24), (120, 40), (40, 20)], ids=lambda s: f"{s[0]}x{s[1]}")
    def test_look_of_six_weeks(self, shot: Any, size: tuple[int, int]) -> None:
        assert shot(size)

    def test_without_colour_or_unicode(self, shot: Any) -> None:
        assert shot((80, 24), "tab", plain=True)

    def test_look_of_an_empty_journal(self, shot: Any) -> None:
        assert shot((80, 24), seeded=False)


@pytest.mark.slow
def test_look_of_attempts(shot: Any) -> None:
    assert shot((120, 40), "r", "a", "down")


@pytest.mark.slow
def test_look_of_a_replay(shot: Any) -> None:
    assert shot((80, 24), "r", "a", "enter", "right", "e")

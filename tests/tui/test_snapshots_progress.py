"""How Progress, the attempts and the replay look, with a seeded journal at a frozen noon.

After a wanted change: ``pytest tests/tui --snapshot-update``, and look at the pictures.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from endgame_core.tables.library import Library
from endgame_tui.app import EndgameApp
from tests.tui.practised import NOW, seed

SIZES = [(80, 24), (120, 40), (40, 20)]
size = pytest.mark.parametrize("size", SIZES, ids=lambda s: f"{s[0]}x{s[1]}")


@pytest.fixture
def shot(tmp_path: Path, library: Library, snap_compare: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Opens Progress with the seeded journal, presses keys, and compares."""
    monkeypatch.delenv("NO_COLOR", raising=False)

    def compare(
        size: tuple[int, int], *keys: str, ascii: bool = False, plain: bool = False, light: bool = False,
        seeded: bool = True,
    ) -> bool:  # fmt: skip
        root = tmp_path / "data"
        root.mkdir()
        (root / "tables").symlink_to(library.root / "tables")
        if seeded:
            seed(root)
        if plain:
            monkeypatch.setenv("NO_COLOR", "1")
        app = EndgameApp(None, root, ascii)
        app.session.journal.clock = lambda: NOW

        async def drive(pilot: Any) -> None:
            if light:
                pilot.app.action_theme()
            for key in ("5", *keys):
                await pilot.press(key)
                await pilot.app.workers.wait_for_complete()
                await pilot.pause()

        return snap_compare(app, run_before=drive, terminal_size=size)

    return compare


class TestProgress:
    @size
    def test_six_weeks(self, shot: Any, size: tuple[int, int]) -> None:
        assert shot(size)

    @size
    def test_ascii(self, shot: Any, size: tuple[int, int]) -> None:
        assert shot(size, ascii=True)

    @size
    def test_without_colour(self, shot: Any, size: tuple[int, int]) -> None:
        assert shot(size, "tab", plain=True)

    @pytest.mark.parametrize("size", SIZES[:2])
    def test_light(self, shot: Any, size: tuple[int, int]) -> None:
        assert shot(size, light=True)

    def test_a_day(self, shot: Any) -> None:
        assert shot((80, 24), "tab", "tab", "left", "up")

    def test_what_is_due(self, shot: Any) -> None:
        assert shot((120, 40), "shift+tab")

    @size
    def test_nothing_practised_yet(self, shot: Any, size: tuple[int, int]) -> None:
        assert shot(size, seeded=False)


class TestAttempts:
    @size
    def test_all(self, shot: Any, size: tuple[int, int]) -> None:
        assert shot(size, "r", "a", "down")

    def test_without_colour_or_unicode(self, shot: Any) -> None:
        assert shot((80, 24), "r", "a", ascii=True, plain=True)


class TestReplay:
    @size
    def test_an_error(self, shot: Any, size: tuple[int, int]) -> None:
        assert shot(size, "r", "a", "enter")

    def test_the_end(self, shot: Any) -> None:
        assert shot((80, 24), "r", "a", "enter", "end")

    def test_without_colour_or_unicode(self, shot: Any) -> None:
        assert shot((80, 24), "r", "a", "enter", "e", ascii=True, plain=True)

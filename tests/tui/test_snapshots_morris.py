"""How Explore and Library look with Nine Men's Morris. After a wanted change: ``pytest --snapshot-update``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from endgame_core.tables.library import Library
from endgame_tui.app import MorrisApp

from .test_keys_morris import MILL, MorrisExplorer
from .test_snapshots import SIZES, _estimate

size = pytest.mark.parametrize("size", SIZES, ids=lambda s: f"{s[0]}x{s[1]}")
TAKING = ["enter", "right", "down", "enter"]


@pytest.fixture
def app(morris: MorrisExplorer, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Opens the app on tables up to 4-4, where disk and prices are always the same."""
    monkeypatch.setattr(Library, "free_bytes", lambda self: 12_000_000_000)
    monkeypatch.setattr(Library, "used_bytes", lambda self: 400_000)
    monkeypatch.setattr(Library, "estimate", _estimate)
    monkeypatch.delenv("NO_COLOR", raising=False)

    def make(text: str = MILL, ascii: bool = False, root: Path = morris.library.root) -> MorrisApp:
        return MorrisApp(text, root, ascii)

    return make


class TestExplore:
    @size
    def test_taking_a_stone(self, app: Any, snap_compare: Any, size: tuple[int, int]) -> None:
        assert snap_compare(app(), press=TAKING, terminal_size=size)

    @size
    def test_every_class_of_move(self, app: Any, snap_compare: Any, size: tuple[int, int]) -> None:
        assert snap_compare(app(), terminal_size=size)

    @pytest.mark.parametrize("size", [(80, 24), (40, 20)], ids=["80x24", "40x20"])
    def test_ascii_without_colour(
        self, app: Any, snap_compare: Any, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("NO_COLOR", "1")
        assert snap_compare(app(ascii=True), press=TAKING, terminal_size=size)

    def test_without_colour(self, app: Any, snap_compare: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("NO_COLOR", "1")
        assert snap_compare(app(), press=TAKING, terminal_size=(120, 40))

    def test_light(self, app: Any, snap_compare: Any) -> None:
        async def lighten(pilot: Any) -> None:
            pilot.app.action_theme()
            await pilot.pause()

        assert snap_compare(app(), run_before=lighten, terminal_size=(80, 24))

    def test_an_ending_not_built(self, app: Any, snap_compare: Any, tmp_path: Path) -> None:
        assert snap_compare(app("3-5", root=tmp_path / "none"), terminal_size=(80, 24))

    def test_the_end(self, app: Any, snap_compare: Any) -> None:
        assert snap_compare(app("XOXO1OX1/8/8 b"), press=["left_square_bracket"] * 26, terminal_size=(80, 24))


class TestEditor:
    @size
    def test_begun(self, app: Any, snap_compare: Any, size: tuple[int, int]) -> None:
        assert snap_compare(app(), press=["E", "down", "right_square_bracket", "i"], terminal_size=size)

    def test_placing_in_ascii(self, app: Any, snap_compare: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("NO_COLOR", "1")
        keys = ["E", "C", "t", "i", "I", "o"]
        assert snap_compare(app(ascii=True), press=keys, terminal_size=(80, 24))

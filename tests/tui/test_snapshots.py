"""How every screen looks. After a wanted change: ``pytest tests/tui --snapshot-update``, and look at the pictures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from endgame_core.tables.library import Cost, Library
from endgame_tui.app import EndgameApp

SEVEN = "8/7K/5k2/8/8/4Q3/8/8 w - - 0 1"
SIZES = [(80, 24), (120, 40), (40, 20)]
size = pytest.mark.parametrize("size", SIZES, ids=lambda s: f"{s[0]}x{s[1]}")


def _estimate(library: Library, ending: str) -> Cost:
    """Prices that new measurements do not move."""
    slots = library.game.slots(ending)
    return Cost(slots * 2e-8, slots // 3, 200_000_000 + 3 * slots)


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Opens the app on an empty data directory, where disk and prices are always the same."""
    monkeypatch.setattr(Library, "free_bytes", lambda self: 12_000_000_000)
    monkeypatch.setattr(Library, "estimate", _estimate)
    monkeypatch.delenv("NO_COLOR", raising=False)

    def make(fen: str | None = None, ascii: bool = False, root: Path | None = None) -> EndgameApp:
        return EndgameApp(fen, root or tmp_path / "data", ascii)

    return make


class TestExplore:
    @size
    def test_first_launch(self, app: Any, snap_compare: Any, size: tuple[int, int]) -> None:
        assert snap_compare(app(), terminal_size=size)

    @size
    def test_every_class_of_move(self, app: Any, snap_compare: Any, size: tuple[int, int]) -> None:
        assert snap_compare(app(SEVEN), terminal_size=size)

    @size
    def test_ascii(self, app: Any, snap_compare: Any, size: tuple[int, int]) -> None:
        assert snap_compare(app(ascii=True), terminal_size=size)

    @size
    def test_without_colour(
        self, app: Any, snap_compare: Any, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("NO_COLOR", "1")
        assert snap_compare(app(SEVEN), terminal_size=size)

    def test_light(self, app: Any, snap_compare: Any) -> None:
        async def lighten(pilot: Any) -> None:
            pilot.app.action_theme()
            await pilot.pause()

        assert snap_compare(app(), run_before=lighten, terminal_size=(80, 24))

    def test_a_man_picked_up(self, app: Any, snap_compare: Any) -> None:
        assert snap_compare(app(SEVEN), press=["enter"], terminal_size=(80, 24))

    def test_draws(self, app: Any, snap_compare: Any) -> None:
        assert snap_compare(app("8/8/8/8/8/2k5/8/K1Q5 b - - 0 1"), press=["w"], terminal_size=(80, 24))

    def test_checkmate(self, app: Any, snap_compare: Any) -> None:
        assert snap_compare(app("k7/1Q6/1K6/8/8/8/8/8 b - - 0 1"), terminal_size=(80, 24))

    def test_prompt_with_a_mistake(self, app: Any, snap_compare: Any) -> None:
        assert snap_compare(app(), press=["colon", *"Qz9", "enter"], terminal_size=(80, 24))

    def test_an_ending_not_built(self, app: Any, snap_compare: Any) -> None:
        assert snap_compare(app("8/8/1r6/8/3k4/8/8/K1Q5 b - - 0 1"), terminal_size=(80, 24))


@size
class TestPawns:
    def test_en_passant(self, app: Any, snap_compare: Any, library: Library, size: tuple[int, int]) -> None:
        assert snap_compare(app("8/8/7k/8/3Pp3/8/7K/8 b - d3 0 1", root=library.root), terminal_size=size)

    def test_the_chooser(self, app: Any, snap_compare: Any, library: Library, size: tuple[int, int]) -> None:
        opened = app("1n5k/P7/8/8/8/8/8/1K6 w - - 0 1", root=library.root)
        assert snap_compare(opened, press=["enter", "up", "enter"], terminal_size=size)

    def test_without_colour_or_unicode(
        self, app: Any, snap_compare: Any, library: Library, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("NO_COLOR", "1")
        opened = app("8/8/7k/8/3Pp3/8/7K/8 b - d3 0 1", ascii=True, root=library.root)
        assert snap_compare(opened, terminal_size=size)


class TestHelp:
    @size
    def test_all_keys(self, app: Any, snap_compare: Any, size: tuple[int, int]) -> None:
        assert snap_compare(app(), press=["question_mark"], terminal_size=size)

"""How Explore looks, with both boards. After a wanted change: ``pytest --snapshot-update``, and look at them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from endgame_core.game import Cost
from endgame_core.tables.explorer import Explorer
from endgame_core.tables.library import Library
from endgame_core.tables.plan import BuildPlanner
from endgame_tui.app import EndgameApp

from .key_walk import MILL, START
from .terminal_text import settle

Stones = Explorer[Any, Any]
SEVEN = "8/7K/5k2/8/8/4Q3/8/8 w - - 0 1"
TAKES = "1n5k/P7/8/8/8/8/8/1K6 w - - 0 1"
KEYS = "8/8/4k3/8/8/4K3/4P3/8 w - - 0 1"
CURSED = "8/8/8/8/4k3/8/8/3RK3 w - - 80 1"
SPOILT = "8/K6k/1P6/8/8/8/8/8 w - - 97 1"
TAKING = ("enter", "right", "down", "enter")


@pytest.fixture
def looks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, snap_compare: Any, same_everywhere: None) -> Any:
    """Compares a picture, with the same price of every build."""
    monkeypatch.setattr(BuildPlanner, "estimate", lambda self, ending, memory=None: Cost(0.4, 70_000, 300_000_000))

    def compare(
        text: str | None, size: tuple[int, int], *keys: str, root: Path | None = None, ascii: bool = False
    ) -> bool:
        async def run(pilot: Any) -> None:
            await settle(pilot)
            for key in keys:
                await pilot.press(key)
                await settle(pilot)

        return snap_compare(EndgameApp(text, root or tmp_path / "data", ascii), run_before=run, terminal_size=size)

    return compare


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (40, 20)], ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("game", ["chess", "stones"])
def test_every_class_of_move(looks: Any, morris: Stones, size: tuple[int, int], game: str) -> None:
    assert looks(SEVEN, size) if game == "chess" else looks(MILL, size, *TAKING, root=morris.library.root)


def test_look_of_moves_by_dtz(looks: Any, dtz_library: Library) -> None:
    assert looks(SPOILT, (80, 24), "z", "m", "down", root=dtz_library.root)


def test_a_cursed_win_in_ascii_without_colour(looks: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert looks(CURSED, (80, 24), ascii=True)


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (40, 20)], ids=lambda size: f"{size[0]}x{size[1]}")
def test_look_of_the_map(looks: Any, library: Library, morris: Stones, size: tuple[int, int], monkeypatch: Any) -> None:
    """A king and his key squares; on a large screen a stone, on a small one in ASCII without colour."""
    if size == (120, 40):
        assert looks(MILL, size, "equals_sign", "tab", "enter", "up", root=morris.library.root)
        return
    if size == (40, 20):
        monkeypatch.setenv("NO_COLOR", "1")
    assert looks(KEYS, size, "equals_sign", "up", "up", "left", root=library.root, ascii=size == (40, 20))


def test_an_offer_to_build(looks: Any) -> None:
    assert looks(START, (80, 24), "colon", *"KQvKR", "enter")


def test_look_of_the_choice_of_captures(looks: Any, library: Library) -> None:
    assert looks(TAKES, (80, 24), "enter", "up", "enter", root=library.root)

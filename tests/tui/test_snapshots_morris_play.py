"""How the Play screen of Nine Men's Morris looks at every stage of a game."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from endgame_core.practice.journal import Journal
from endgame_core.tables.explorer import Explorer
from endgame_tui.app import MorrisApp
from endgame_tui.screens.morris_play import MorrisPlayScreen

from .test_keys_morris import MILL
from .test_keys_morris_play import Thinker
from .test_snapshots_play import ALL, at

GAME = """
[White "You"]
[Black "perfect defence"]
[Variant "Nine Men's Morris"]
[SetUp "1"]
[FEN "1O1OX2O/XX6/X7 w"]

1. d7-f4 b6-b4 2. f4-e4 b4-b2 3. a4-e3 c5-d5 4. e4-c3 d5-e5 5. c3-a1 g1-d1 6. a1-a4 e5-e4 7. a4-a1 e4-f4 *
"""
PERFECT = ["3", "down", "down", "left"]
PLAYED = [*PERFECT, "enter", "i", "i", "enter", "enter"]
TAKING = [*PERFECT, "enter", "i", "i", "enter"]
PLACED = ["3", "right", "enter", "enter", "right", "enter"]


@pytest.fixture
def app(morris: Explorer[Any, Any], monkeypatch: pytest.MonkeyPatch) -> Any:
    """Opens the app where replies always take the same time, and nothing is kept."""
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setattr("endgame_tui.gameplay.perf_counter", lambda: 0.0)

    def make(text: str = MILL, ascii: bool = False) -> MorrisApp:
        made = MorrisApp(text, morris.library.root, ascii)
        made.session.journal = Journal(None)
        vars(made.session)["morris_thinker"] = Thinker()
        return made

    return make


def review(tmp_path: Path) -> Any:
    """Opens a game, gives it up, and goes to its first error."""
    file = tmp_path / "game.pgn"
    file.write_text(GAME)

    async def run(pilot: Any) -> None:
        await pilot.press("3")
        await pilot.pause()
        assert isinstance(pilot.app.screen, MorrisPlayScreen)
        pilot.app.screen._load(str(file))
        await pilot.press("w", "enter", "end", "e")
        await pilot.pause()

    return run


@at(*ALL)
@pytest.mark.parametrize(
    "press",
    [["3"], PLAYED, [*PLAYED, "v"], TAKING, [*TAKING, "v"], [*PLACED, "v"]],
    ids=["setup", "hidden", "shown", "taking", "taking-shown", "placing"],
)
def test_stages(app: Any, snap_compare: Any, press: list[str], size: tuple[int, int]) -> None:
    assert snap_compare(app(), press=press, terminal_size=size)


@at(*ALL)
def test_review(app: Any, snap_compare: Any, size: tuple[int, int], tmp_path: Path) -> None:
    assert snap_compare(app(), run_before=review(tmp_path), terminal_size=size)


@at((80, 24))
@pytest.mark.parametrize("press", [TAKING, [*PLAYED, "v"]], ids=["taking", "shown"])
def test_ascii_without_colour(
    app: Any, snap_compare: Any, press: list[str], size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert snap_compare(app(ascii=True), press=press, terminal_size=size)


@at((80, 24))
def test_review_without_colour(
    app: Any, snap_compare: Any, size: tuple[int, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert snap_compare(app(), run_before=review(tmp_path), terminal_size=size)

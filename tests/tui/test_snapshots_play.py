"""How the Play screen and the board editor look at every stage of a game."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from endgame_core.tables.library import Library
from endgame_tui.app import EndgameApp


def at(*sizes: tuple[int, int]) -> pytest.MarkDecorator:
    """At these sizes."""
    return pytest.mark.parametrize("size", sizes, ids=lambda s: f"{s[0]}x{s[1]}")


NORMAL = ((80, 24), (120, 40))
ALL = (*NORMAL, (40, 20))

ROOK = "8/8/8/3k4/8/8/8/1K5R w - - 0 1"
PAWN = "2k5/8/8/3KP3/8/8/8/8 w - - 0 1"
GAME = """
[White "You"]
[Black "human defence"]
[SetUp "1"]
[FEN "2k5/8/8/3KP3/8/8/8/8 w - - 0 1"]

1. Kd6 Kd8 2. Ke6 Kc7 3. Kd5 Kd7 4. Ke4 Ke7 5. e6 Kf8 6. Ke5 Ke7 7. Ke4 Kf6 8. Kd5 Ke7 9. Ke4 Kd8
10. e7+ Kc7 11. e8=Q Kb6 12. Kd4 Kc7 13. Kc5 Kb7 14. Qe7+ Kb8 15. Kc6 Ka8 16. Qb7# 1-0
"""
MOVES = ("Re1", "Ka1")


@pytest.fixture
def app(library: Library, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Opens the app where replies always take the same time, and nothing is kept."""
    from endgame_core.practice.journal import Journal

    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setattr("endgame_tui.gameplay.perf_counter", lambda: 0.0)

    def make(fen: str = ROOK, ascii: bool = False) -> EndgameApp:
        made = EndgameApp(fen, library.root, ascii)
        made.session.journal = Journal(None)
        return made

    return make


def typed(text: str) -> list[str]:
    return ["colon", *text, "enter"]


PLAYED = ["3", "enter", *typed("Re1"), *typed("Ka1")]


def review(tmp_path: Path) -> Any:
    """Opens the game and goes to the move that lets the win go."""
    from endgame_tui.screens.play import PlayScreen

    file = tmp_path / "game.pgn"
    file.write_text(GAME)

    async def run(pilot: Any) -> None:
        await pilot.press("3")
        await pilot.pause()
        screen = pilot.app.screen
        assert isinstance(screen, PlayScreen)
        screen._load(str(file))
        await pilot.press("e", "e")
        await pilot.pause()

    return run


class TestPlay:
    @at(*NORMAL)
    def test_new_game(self, app: Any, snap_compare: Any, size: tuple[int, int]) -> None:
        assert snap_compare(app(), press=["3", "down", "right", "right"], terminal_size=size)

    @at(*ALL)
    def test_hidden(self, app: Any, snap_compare: Any, size: tuple[int, int]) -> None:
        assert snap_compare(app(), press=PLAYED, terminal_size=size)

    @at(*ALL)
    def test_shown(self, app: Any, snap_compare: Any, size: tuple[int, int]) -> None:
        assert snap_compare(app(), press=[*PLAYED, "v", "i", "i"], terminal_size=size)

    @at(*ALL)
    def test_graded(self, app: Any, snap_compare: Any, size: tuple[int, int], tmp_path: Path) -> None:
        assert snap_compare(app(PAWN), run_before=review(tmp_path), terminal_size=size)

    @at(*NORMAL)
    def test_ascii(self, app: Any, snap_compare: Any, size: tuple[int, int], tmp_path: Path) -> None:
        assert snap_compare(app(PAWN, ascii=True), run_before=review(tmp_path), terminal_size=size)

    @at(*NORMAL)
    def test_without_colour(
        self, app: Any, snap_compare: Any, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("NO_COLOR", "1")
        assert snap_compare(app(), press=[*PLAYED, "v"], terminal_size=size)


def test_shown_by_the_table(app: Any, snap_compare: Any) -> None:
    assert snap_compare(app(), press=[*PLAYED, "w", "enter", "escape"], terminal_size=(80, 24))


def test_a_study(app: Any, snap_compare: Any) -> None:
    assert snap_compare(app(), press=["3", *typed("kpk-opposition-win")], terminal_size=(80, 24))


def test_a_claim(app: Any, snap_compare: Any) -> None:
    press = ["3", "enter"]
    assert snap_compare(
        app("8/8/8/3k4/8/8/r7/4K2R w - - 98 80"), press=[*press, *typed("Rh5+")], terminal_size=(80, 24)
    )

"""How the Play screen looks at every stage of a game, in both games."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest

from endgame_core.app_context import AppContext
from endgame_core.morris.game import MORRIS
from endgame_core.practice.journal import Journal
from endgame_tui.app import EndgameApp

from .playing import MILL, ROOK, Thinker

GAME = """
[White "You"]
[Black "human defence"]
[SetUp "1"]
[FEN "2k5/8/8/3KP3/8/8/8/8 w - - 0 1"]

1. Kd6 Kd8 2. Ke6 Kc7 3. Kd5 Kd7 4. Ke4 Ke7 5. e6 Kf8 6. Ke5 Ke7 7. Ke4 Kf6 8. Kd5 Ke7 9. Ke4 Kd8
10. e7+ Kc7 11. e8=Q Kb6 12. Kd4 Kc7 13. Kc5 Kb7 14. Qe7+ Kb8 15. Kc6 Ka8 16. Qb7# 1-0
"""


def typed(text: str, key: str = "colon") -> list[str]:
    return [key, "ctrl+u", *text, "enter"]


SET_UP = ["escape", "3", "escape"]
PLAYED = [*SET_UP, "enter", *typed("Re1"), *typed("Ka1")]
TAKING = [*SET_UP, "down", "down", "down", "left", "enter", "i", "i", "enter"]


@pytest.fixture
def app(play_root: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Opens the app where chance is seeded, and nothing is kept."""
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setattr(AppContext, "_external_engine", lambda *_: Thinker(MORRIS))

    def make(start: str = ROOK, ascii: bool = False) -> EndgameApp:
        made = EndgameApp(start, play_root, ascii)
        made.rng = Random(1)
        vars(made.lab)["journal"] = Journal(None)
        return made

    return make


@pytest.mark.parametrize("size", [(80, 24), (40, 20)], ids=["80x24", "40x20"])
def test_look_while_setting_up(app: Any, snap_compare: Any, size: tuple[int, int]) -> None:
    assert snap_compare(app(), press=[*SET_UP, "down", "down", "right", "right"], terminal_size=size)


@pytest.mark.slow
@pytest.mark.parametrize("size", [(80, 24), (120, 40)], ids=["80x24", "120x40"])
def test_look_while_playing(app: Any, snap_compare: Any, size: tuple[int, int]) -> None:
    press = PLAYED if size[0] == 80 else [*PLAYED, "v", "i", "i"]
    assert snap_compare(app(), press=press, terminal_size=size)


@pytest.mark.slow
@pytest.mark.parametrize("size", [(80, 24), (120, 40), (40, 20)], ids=["80x24", "120x40", "40x20"])
def test_look_of_a_finished_game(app: Any, play_root: Path, snap_compare: Any, size: tuple[int, int]) -> None:
    file = play_root / "g.pgn"
    file.write_text(GAME)

    async def run(pilot: Any) -> None:
        await pilot.press(*SET_UP, "O")
        await pilot.press("ctrl+u", *str(file), "enter")
        await pilot.press("e", "e")
        await pilot.pause()

    assert snap_compare(app(), run_before=run, terminal_size=size)


@pytest.mark.slow
@pytest.mark.parametrize("size", [(80, 24), (120, 40)], ids=["80x24", "120x40"])
def test_look_of_a_game_of_morris(app: Any, snap_compare: Any, size: tuple[int, int]) -> None:
    press = TAKING if size[0] == 80 else [*TAKING, "enter", "v"]
    assert snap_compare(app(MILL), press=press, terminal_size=size)


@pytest.mark.slow
def test_stones_looking_back_on_a_small_screen(app: Any, snap_compare: Any) -> None:
    assert snap_compare(app(MILL), press=[*TAKING, "enter", "w", "enter", "escape"], terminal_size=(40, 20))


@pytest.mark.slow
@pytest.mark.parametrize("start", [ROOK, MILL], ids=["chess", "stones"])
def test_look_in_ascii_without_colour(app: Any, snap_compare: Any, start: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    press = [*PLAYED, "v"] if start == ROOK else TAKING
    assert snap_compare(app(start, ascii=True), press=press, terminal_size=(80, 24))

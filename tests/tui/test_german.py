"""The screens in German: each opens, and its title and its keys are German.

A program has one language from its start, so the app runs in a child process, which visits all places and prints them.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

import pytest

from endgame_core.chess.game import CHESS
from endgame_core.tables.library import Library
from tests.conftest import build

ROOK = "8/8/8/3k4/8/8/8/1K5R w - - 0 1"

PLACES: dict[str, tuple[str, list[str]]] = {
    "explore": ("KRvK ▸ S27", []),
    "map": ("Karte ▸ KRvK", ["equals_sign"]),
    "help": ("Hilfe ▸ was du siehst", ["escape", "question_mark"]),
    "settings": ("Einstellungen", ["escape", "comma"]),
    "library": ("alle Endspiele ▸ nach DTM", ["escape", "2"]),
    "syzygy": ("Bibliothek ▸ Syzygy-Dateien", ["y"]),
    "statistics": ("Bibliothek ▸ Statistik ▸ KQvK", ["escape", "a"]),
    "game, set up": ("KQvK ▸ neue Partie", ["escape", "3"]),
    "editor": ("Bretteditor", ["E"]),
    "game": ("KQvK ▸ du hast Weiß", ["escape", "enter"]),
    "game, afterwards": ("KQvK ▸ beendet", ["w", "enter"]),
    "practise": ("Übung wählen", ["4"]),
    "drill": ("Als Nächstes ▸ 1 von", ["enter"]),
    "progress": ("Letzte 6 Wochen", ["w", "enter", "escape", "5"]),
    "attempts": ("Versuche ▸ KQvK", ["r"]),
}
"""How the title of each place begins, and the keys that lead there from the place before."""

FOOTERS = {
    "explore": "bester Zug",
    "map": "am Zug",
    "help": "alle Tasten",
    "settings": "zurücksetzen",
    "library": "öffnen, berechnen",
    "syzygy": "alle prüfen",
    "statistics": "alle Züge",
    "game, set up": "beginnen",
    "editor": "setzen",
    "game": "Tipp",
    "game, afterwards": "nächster Fehler",
    "practise": "Stellung dazu",
    "drill": "verlassen",
    "progress": "Versuche",
    "attempts": "alle Versuche",
}
"""A key in the last row of each place."""

CHILD = """
import asyncio, json, sys
from pathlib import Path
from random import Random

from endgame_tui.app import EndgameApp


async def main(root, start, places):
    app = EndgameApp(start, Path(root), ascii=False)
    app.rng = Random(1)
    result = {}
    async with app.run_test(size=(80, 24)) as pilot:
        for name, keys in places.items():
            for key in [None, *keys]:
                if key is not None:
                    await pilot.press(key)
                for _ in range(3):
                    await app.workers.wait_for_complete()
                    await pilot.pause(0.05)
            strips = app.screen._compositor.render_strips()
            result[name] = ["".join(segment.text for segment in strip).rstrip() for strip in strips]
    print(json.dumps(result))


asyncio.run(main(*json.loads(sys.argv[1])))
"""


@pytest.fixture(scope="session")
def screens(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """The rows of each place as printed on 80x24."""
    root = tmp_path_factory.mktemp("german")
    build(Library(CHESS, root / "tables"), ["KRvK"])
    keys = {name: keys for name, (_, keys) in PLACES.items()}
    child = subprocess.run(
        [sys.executable, "-P", "-c", CHILD, json.dumps([str(root), ROOK, keys])],
        env={**os.environ, "ENDGAME_TUI_LANGUAGE": "de", "ENDGAME_TUI_HOME": str(root)},
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    assert child.returncode == 0, child.stderr[-2000:]
    return json.loads(child.stdout)


@pytest.mark.parametrize("name", PLACES)
def test_the_title_and_the_keys_are_german(screens: dict[str, list[str]], name: str) -> None:
    rows = screens[name]
    assert rows[0].strip().startswith(PLACES[name][0])
    assert FOOTERS[name] in rows[-1]
    assert rows[-1].endswith("? Hilfe")


@pytest.mark.parametrize("name", ["explore", "editor", "game, set up"])
def test_the_screen_looks_as_before(screens: dict[str, list[str]], name: str, snapshot: Any) -> None:
    assert "\n".join(screens[name]) == snapshot

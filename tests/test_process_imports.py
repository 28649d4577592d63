"""A child process imports our modules, never files of the directory in which the program was started."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from endgame_core.chess.game import CHESS
from endgame_core.search_estimate import Limits
from endgame_core.thinking import SearchEngine


def test_a_module_in_the_current_directory_is_not_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    marker = tmp_path / "was-run"
    (tmp_path / "chess.py").write_text(f"open({str(marker)!r}, 'w').close()\n")
    monkeypatch.chdir(tmp_path)
    ended = threading.Event()
    engine = SearchEngine(CHESS, [])
    try:
        game = CHESS.start_game(CHESS.parse("8/8/4k3/8/4K3/4P3/8/8 w"))
        engine.think(game, Limits(depth=1), lambda _: None, lambda _: ended.set())
        assert ended.wait(60) and not marker.exists()
    finally:
        engine.close()

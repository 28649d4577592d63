"""How every screen looks. After a wanted change: ``pytest tests/tui --snapshot-update``, and look at the pictures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from endgame_tui.app import EndgameApp

SIZES = [(80, 24), (120, 40), (40, 20)]


@pytest.mark.usefixtures("same_everywhere")
class TestHelp:
    @pytest.mark.parametrize("size", SIZES, ids=lambda s: f"{s[0]}x{s[1]}")
    def test_look_of_the_help(self, tmp_path: Path, snap_compare: Any, size: tuple[int, int]) -> None:
        assert snap_compare(
            EndgameApp(None, tmp_path / "data", ascii=False), press=["question_mark"], terminal_size=size
        )

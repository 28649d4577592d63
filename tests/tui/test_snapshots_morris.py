"""How the editor of stones looks. After a wanted change: ``pytest --snapshot-update``."""

from __future__ import annotations

from typing import Any

import pytest

from endgame_core.tables.explorer import Explorer
from endgame_tui.app import EndgameApp

from .key_walk import MILL


@pytest.mark.usefixtures("same_everywhere")
class TestEditor:
    @pytest.mark.parametrize("size", [(80, 24), (40, 20)], ids=lambda s: f"{s[0]}x{s[1]}")
    def test_look_of_a_begun_position(
        self, morris: Explorer[Any, Any], snap_compare: Any, size: tuple[int, int]
    ) -> None:
        app = EndgameApp(MILL, morris.library.root, ascii=False)
        assert snap_compare(app, press=["E", "down", "right_square_bracket", "i"], terminal_size=size)

"""For all tests of screens: no Syzygy files of whoever runs them, no picture that depends on a thread's pace."""

from __future__ import annotations

import pytest

from endgame_core.chess.syzygy_files import VARIABLE
from endgame_tui import clocks


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Screens wait for the clocks for as long as it takes."""
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setattr(clocks, "PATIENCE", 30.0)

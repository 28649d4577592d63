"""What moves of stones lead to, as a board shows it."""

from __future__ import annotations

from typing import Any

from endgame_tui.widgets.board import Label

NAME = "Nine Men’s Morris"


def label_of(move: Any) -> Label:
    """The layer that a move leads to."""
    return Label("=" if move.layer is None else f"S{move.layer}", move.grade == "best")

"""Collections of positions: a text file with one of them in each line, in any notation, and a note after ``;``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from endgame_core import collected
from endgame_core.collected import Collected
from endgame_core.morris.game import MORRIS
from endgame_core.morris.game_text import MorrisScript


def read(path: Path) -> Iterator[Collected]:
    """Reads a file of positions, or of games; raises StudyError when it cannot be read at all."""
    return collected.read(path, MorrisScript(), _line, "with a position in each line")


def _line(line: str) -> Collected:
    position, _, note = line.partition(";")
    return Collected(position=MORRIS.format(MORRIS.parse(position)), note=note.strip())

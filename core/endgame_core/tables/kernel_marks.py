"""Which kernels are compiled on this machine, as empty files record it."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from endgame_core import paths
from endgame_core.game import Game


class KernelMarks:
    """The marks of the kernels of a game.

    Args:
        game: The game.
    """

    def __init__(self, game: Game[Any, Any]) -> None:
        self._game = game

    def missing(self, endings: Sequence[str], about: bool = False) -> dict[str, float]:
        """The kernels for these endings that were never compiled on this machine, with the seconds each takes.

        Args:
            endings: The endings to build.
            about: Whether surveys are to be made as well.
        """
        kernels = self._game.solver.compile_times(endings, about) if endings or about else {}
        return {kernel: seconds for kernel, seconds in kernels.items() if not self.path(kernel).exists()}

    def mark_compiled(self, kernel: str) -> None:
        """Record that a kernel is compiled; if nothing can be written, its price is merely announced again."""
        with suppress(OSError):
            self.path(kernel).touch()

    def path(self, kernel: str) -> Path:
        """The path of the empty file that exists once a kernel has been compiled on this machine."""
        return paths.kernel_mark(f"{self._game.name}-{kernel.replace(' ', '-')}")

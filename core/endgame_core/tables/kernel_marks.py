"""Which kernels are compiled on this machine, as empty files record it, and who is compiling one."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

from endgame_core import paths
from endgame_core.game import Game
from endgame_core.system import lock_file


class KernelMarks:
    """The marks of the kernels of a game.

    Args:
        game: The game.
    """

    def __init__(self, game: Game[Any, Any]) -> None:
        self._game = game

    def missing(self, endings: Sequence[str], with_surveys: bool = False) -> dict[str, float]:
        """The kernels for these endings that were never compiled on this machine, with the seconds each takes.

        Args:
            endings: The endings to build.
            with_surveys: Whether surveys are to be made as well.
        """
        kernels = {}
        if endings or with_surveys:
            kernels = self._game.solver.compile_times(endings, with_surveys)
        return {kernel: seconds for kernel, seconds in kernels.items() if not self.path(kernel).exists()}

    def mark_compiled(self, kernel: str) -> None:
        """Record that a kernel is compiled; if nothing can be written, its price is merely announced again."""
        with suppress(OSError):
            self.path(kernel).touch()

    def path(self, kernel: str) -> Path:
        """The path of the empty file that exists once a kernel has been compiled on this machine."""
        return paths.kernel_mark(f"{self._game.name}-{kernel.replace(' ', '-')}")


class CompilationLock:
    """Keeps two processes from compiling the same kernels: the second one waits, and loads them from the cache.

    Args:
        marks: The marks of the kernels.
    """

    def __init__(self, marks: KernelMarks) -> None:
        self._marks = marks
        self._file: BinaryIO | None = None

    def acquire(self, kernel: str, wait: bool = True) -> bool:
        """Lock a kernel instead of the one before, if it is not compiled.

        Args:
            kernel: The kernel.
            wait: Whether to wait while another process compiles it.

        Returns:
            Whether it can be compiled or loaded now. Where files cannot be locked, that is always so.
        """
        self.release()
        path = self._marks.path(kernel)
        if path.exists():
            return True
        try:
            self._file = path.with_suffix(".lock").open("wb")
        except OSError:
            return True
        if lock_file(self._file, wait) is False:
            self.release()
            return False
        return True

    def release(self) -> None:
        """Unlock the kernel."""
        if self._file is not None:
            self._file.close()
            self._file = None
